//! The exports as a page for people, `docs/exports.md`: one small template in every form.

use serde_json::Value;
use serde_json::json;

use crate::config::page::assert_page;
use schema::effective::EffectiveTemplate;
use schema::export::FORMS;
use schema::export::Form;
use schema::export::safe_name::NAME_CHARACTERS_MAX;
use schema::export::strict::CHARACTERS_MAX;
use schema::export::strict::LEVELS_MAX;
use schema::export::strict::LONG_LIST;
use schema::export::strict::LONG_LIST_CHARACTERS_MAX;
use schema::export::strict::PROPERTIES_MAX;
use schema::export::strict::VALUES_MAX;
use schema::export::tools::DESCRIPTION_CHARACTERS_MAX;
use schema::template::SchemaTemplate;

/// The template that the page shows.
fn example() -> Value {
    json!({
        "schema_id": "table_booking_v1",
        "scenario": "table_booking",
        "description": "Books a table in a restaurant.",
        "keys": [
            {"key_name": "day", "key_type": "string", "required": true, "constraints": {"format": "date"},
             "semantic_description": "Day of the visit. Example mapping: 'on May 4th' -> '2026-05-04'."},
            {"key_name": "guests", "key_type": "integer", "required": true,
             "semantic_description": "How many come. Range: 1-12. Example mapping: 'the two of us' -> 2."},
            {"key_name": "place", "key_type": "string", "required": false, "default_value": "inside",
             "semantic_description": "Where to sit. Acceptable values: inside, terrace. Example mapping: 'in the sun' -> 'terrace'."},
            {"key_name": "other", "key_type": "string", "required": false,
             "semantic_description": "What the guest asks for that no other key can hold, in the guest's own words."},
        ],
    })
}

const HEAD: &str = "\
# Exports

A template is served in FORMS forms beside its own, each ready to paste:

    GET /v1/scenarios/{scenario}/template?format=json-schema-strict
    otherwise export TEMPLATE.json --format json-schema-strict
    otherwise export TEMPLATE.json --all

`preferred_language`, `experimental` and `as_of` work as for the template itself, and the caller's own patches are in it. Each
form has an ETag of its own. `format` alone chooses; `Accept` is not asked where it stands. Two headers say more:
`Otherwise-Export-Tokens`, about how many tokens the text is, and `Otherwise-Export-Lost`, what the form does not hold as the
template does, such as `guests.minimum;unenforced, extras.additionalProperties;narrowed` (at most 64, then `more;count=`).

A client that negotiates by message (`POST /v1/scenarios:negotiate`, JSON-RPC, MCP, a wish over A2A) may say what it can take instead:
`\"capabilities\": {\"formats\": [\"gbnf\", \"json-schema\", \"template\"]}`, the most wanted first. The first that there is comes back, or
else the template itself. What is not heeded is named: in the header `Otherwise-Capabilities-Ignored`, or in `capabilities.ignored`
of the result.

- Keys stand in one order in every form: required ones, optional ones, `other` last. Keys on trial and deprecated ones say so.
- **unenforced**: the form allows values that the template refuses, so a submission may still be refused. What is not enforced is
  said in words beside the key. **narrowed**: some values that the template accepts cannot be said in this form. `not` is lost
  where a key's constraints accept no value at all.
- An optional key that is left out is left out, or `null` in the strict forms: on submission `null` for an optional key, or for an
  optional member of an object, means omitted.
- A tool is named after its scenario. Where that holds more than `[a-z0-9_]`, or over 64 characters, it is made safe and ends in
  eight digits of a hash.

Every answer that serves a template says which one it is, whatever the form, also where nothing changed (304):
`Otherwise-Schema-Id`, `Otherwise-Version`, `Otherwise-Revision`, and `Otherwise-Digest`, which is `sha256:` and the SHA-256 of the
template's `key_digests` in the canonical form of RFC 8785. The digest goes with the language and with what is on trial; a client
that holds one knows whether a model would be told anything else today. `bundle` says the same in its body.

| form | for, and read by | holds | cannot hold |
|---|---|---|---|
| `json-schema` | whoever reads JSON Schema 2020-12: {ajv}, {ajv-formats}, {llguidance}, {xgrammar}, {outlines-core} | everything that is enforced; a format that is not is said in words | |
| `json-schema-strict` | strict decoders: {llguidance}, {xgrammar}, {outlines-core} | types, lists, members, each key required and optional ones nullable, objects closed: only what all of them take, within the limits below | lengths, bounds, patterns, formats, counts, open objects; a map (an object without named members), which nobody could fill: a key or member that is one is left out, and told |
| `openai-tool` | `tools` of OpenAI's Chat Completions, `strict` | as `json-schema-strict` | as `json-schema-strict` |
| `openai-response-format` | `response_format` of Chat Completions | as `json-schema-strict` | as `json-schema-strict` |
| `openai-responses-tool` | `tools` of OpenAI's Responses | as `json-schema-strict` | as `json-schema-strict` |
| `anthropic-tool` | `tools` of Messages | as `json-schema` | |
| `gemini-tool` | a function declaration: {google-genai}. An interface that has `parametersJsonSchema` takes `json-schema` there | types, lists of texts, lengths, patterns, bounds, counts, `date-time` | other lists, exclusive bounds, `multipleOf`, other formats, `uniqueItems`, closed objects, maps: left out as in the strict forms |
| `mcp-tool` | an entry of `tools/list` | as `json-schema` | |
| `gbnf` | llama.cpp; {llguidance}, {xgrammar} | lists, ranges of up to a hundred whole numbers, lengths up to 1,000, counts, the formats date, time, date-time (of leap seconds those in UTC alone, which is narrower and said), duration, uuid and ipv4 | patterns, other formats and bounds, `multipleOf`, `uniqueItems`, members beside those that are named; no number has more than 19 digits |
| `lark` | {llguidance} | as `gbnf` | as `gbnf` |
| `typescript` | {typescript}: an interface with a comment above each key | types, lists, members | every other rule |
| `zod` | {zod}: a schema and its type, with descriptions and defaults. It needs 4 or later: older ones have neither `z.iso`, `z.int` nor `z.strictObject` | types, lists, lengths, patterns, bounds, counts, closed objects, dates and moments (of moments no small letters and no leap seconds, which is narrower and said) | other formats, `uniqueItems`; whole numbers beyond 2^53 |
| `pydantic` | {pydantic}: models with strict types. The one of the template is in `__all__`; a name that Python or Pydantic keeps for itself ends in `_` and is an alias (`model_dump` writes aliases from 2.11 on) | types, lists, lengths, patterns, bounds, counts, closed and typed open objects | formats, `uniqueItems`, lists with fractions, arrays or objects, `multipleOf` of a number with a fraction |
| `markdown` | a block for a prompt | everything in words | enforces nothing |
| `bundle` | an agent that asks once: the template, and of it `mcp-tool` as `tool`, `markdown` as `prompt` and `json-schema` as `json_schema`, under one ETag | as its parts | |

Decoders read `json-schema-strict`, `gbnf` and `lark` of every template that was tried. Of `json-schema` llguidance does not read
`uniqueItems`, xgrammar no bound of an integer that is not whole, and outlines-core of the formats only date, time, date-time, uuid,
uri and email. `make decoders` gives each form to its readers, in the versions above, with payloads that they must take and refuse
as the service does, but for what is told as lost.

OpenAI's limits, within which the strict schema is kept; a list that does not fit is said in words:

LIMITS

## Tokens

The estimate needs no vocabulary: a run of up to ten letters is a token, and every four further ones are one more; so are three
digits, four signs, two or more spaces; a line break is half of one, a single space none; a letter of another alphabet is 0.4
tokens, a character of Chinese, Japanese or Korean 0.9.
MEASURED

This page is written by the code (`UPDATE_DOCS=1 cargo test --lib export_page`); a test holds the two together.

## One template in every form

";

/// What `make decoders` found.
const MEASURED: &str = "\
`make decoders` measures the error over every form of the shipped templates and of its own cases, four languages among them:
against `o200k_base` 3.1 % on average and -13.6 to +14.4 % at most, against `cl100k_base` 2.5 % and -10.2 to +14.6 %.";

/// `docs/exports.md`.
fn markdown() -> String {
    let forms = FORMS.len().to_string();
    let mut page = HEAD
        .replace("MEASURED", MEASURED)
        .replace("FORMS", &forms)
        .replace("LIMITS", &limits());
    for (name, version) in pinned() {
        page = page.replace(&format!("{{{name}}}"), &format!("{name} {version}"));
    }
    let document = example();
    page.push_str(&fenced(
        "json",
        &serde_json::to_string_pretty(&document).unwrap_or_default(),
    ));
    let Ok((template, _)) = SchemaTemplate::parse(&document) else {
        return page;
    };
    let effective = EffectiveTemplate::compose(&template, &[], 0);
    for form in FORMS.iter().copied() {
        let export = effective.export(form, None, true);
        let lost: Vec<String> = export
            .lost
            .iter()
            .map(|loss| format!("`{};{}`", loss.path(), loss.effect.name()))
            .collect();
        let lost = if lost.is_empty() {
            "nothing".to_owned()
        } else {
            lost.join(", ")
        };
        page.push_str(&format!(
            "\n### `{}`\n\n`{}`, about {} tokens. Lost: {lost}.\n\n",
            form.name(),
            form.media_type(),
            export.tokens
        ));
        let (kind, text) = match form {
            Form::Gbnf | Form::Lark => ("text", export.text),
            Form::Typescript | Form::Zod => ("ts", export.text),
            Form::Pydantic => ("python", export.text),
            Form::Markdown => ("markdown", export.text),
            Form::JsonSchema
            | Form::JsonSchemaStrict
            | Form::OpenaiTool
            | Form::OpenaiResponseFormat
            | Form::OpenaiResponsesTool
            | Form::AnthropicTool
            | Form::GeminiTool
            | Form::McpTool
            | Form::Bundle => ("json", export.text),
        };
        page.push_str(&fenced(kind, &text));
    }
    page
}

/// The limits of the strict schema as a table.
fn limits() -> String {
    let rows = [
        ("properties, at all levels together", PROPERTIES_MAX.to_string()),
        ("levels, the payload itself included", LEVELS_MAX.to_string()),
        ("listed values, of all lists together", VALUES_MAX.to_string()),
        (
            "characters of names and listed values together",
            CHARACTERS_MAX.to_string(),
        ),
        (
            "characters of one list",
            format!("{LONG_LIST_CHARACTERS_MAX} where it has more than {LONG_LIST} values"),
        ),
        (
            "characters of a tool's name",
            format!("{NAME_CHARACTERS_MAX}, of `[a-zA-Z0-9_-]`"),
        ),
        (
            "characters of a tool's description",
            format!("{DESCRIPTION_CHARACTERS_MAX}; the schema bears a longer one in full"),
        ),
    ];
    let rows = rows.map(|(what, most)| format!("| {what} | {most} |"));
    format!("| of one schema | at most |\n|---|---|\n{}", rows.join("\n"))
}

/// The readers that `make decoders` runs, with their versions.
fn pinned() -> Vec<(String, String)> {
    let of_pip = include_str!("../../../tools/decoders/requirements.txt").lines();
    let of_pip = of_pip.filter_map(|line| line.split_once("=="));
    let of_pip = of_pip.map(|(name, rest)| (name.to_owned(), rest.trim_end_matches(" \\").to_owned()));
    let package: Value =
        serde_json::from_str(include_str!("../../../tools/decoders/package.json")).expect("a package of npm");
    let of_npm = package["dependencies"].as_object().into_iter().flatten();
    let of_npm = of_npm.map(|(name, version)| (name.clone(), version.as_str().unwrap_or_default().to_owned()));
    of_pip.chain(of_npm).collect()
}

fn fenced(kind: &str, text: &str) -> String {
    format!("```{kind}\n{}\n```\n", text.trim_end())
}

#[test]
fn the_page_of_exports_shows_what_the_code_writes() {
    let page = markdown();
    let table = page.split("\n## ").next().unwrap_or_default();
    assert!(
        !table.contains("| {") && !table.contains(", {"),
        "a reader without a version: {table}"
    );
    assert_page("docs/exports.md", &page);
}

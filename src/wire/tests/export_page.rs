//! The exports as a page for people, `docs/exports.md`: one small template in every form.

use serde_json::Value;
use serde_json::json;

use crate::config::page::assert_page;
use schema::effective::EffectiveTemplate;
use schema::export::FORMS;
use schema::export::Form;
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

A template is served in nine forms beside its own, each ready to paste:

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

| form | for |
|---|---|
| `json-schema` | JSON Schema 2020-12 with everything that is enforced; loses nothing. A format that is not enforced is said in words |
| `json-schema-strict` | strict decoders: every key required, optional ones nullable, objects closed, and only the keywords that all of them take: `type`, `enum`, `anyOf`, `items`, `properties`, `required`, `additionalProperties`. Within OpenAI's limits (5,000 properties, 10 levels, 1,000 listed values, 120,000 characters of names and values): a list that does not fit is said in words |
| `openai-tool` | `tools` of Chat Completions, `strict`, with the strict schema. For Responses, lift the members of `function` up beside `type` |
| `anthropic-tool` | `tools` of Messages, with the whole schema |
| `mcp-tool` | an entry of `tools/list`, with the whole schema |
| `gbnf` | a grammar of llama.cpp: lists, ranges of up to a hundred whole numbers, lengths up to 1,000, counts, the formats date, time, date-time (of leap seconds those in UTC alone, which is narrower and said), duration, uuid and ipv4. Where it cannot hold a rule it is wider. No number has more than 19 digits |
| `typescript` | an interface with a comment above each key |
| `zod` | a schema of Zod 4 and its type. Lengths, patterns, bounds, lists and closed objects are checked; formats and `uniqueItems` are said in words, and no whole number lies beyond 2^53 |
| `markdown` | a block for a prompt: everything in words, nothing enforced |

Decoders read `json-schema-strict` and `gbnf` of every template that was tried. Of `json-schema` llguidance does not read
`uniqueItems`, xgrammar no bound of an integer that is not whole, and outlines-core of the formats only date, time, date-time, uuid,
uri and email.

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
against `o200k_base` 2.7 % on average and -6.5 to +13.6 % at most, against `cl100k_base` 2.3 % and -7.1 to +3.9 %.";

/// `docs/exports.md`.
fn markdown() -> String {
    let mut page = HEAD.replace("MEASURED", MEASURED);
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
            Form::Gbnf => ("text", export.text),
            Form::Typescript | Form::Zod => ("ts", export.text),
            Form::Markdown => ("markdown", export.text),
            Form::JsonSchema | Form::JsonSchemaStrict | Form::OpenaiTool | Form::AnthropicTool | Form::McpTool => {
                ("json", export.text)
            }
        };
        page.push_str(&fenced(kind, &text));
    }
    page
}

fn fenced(kind: &str, text: &str) -> String {
    format!("```{kind}\n{}\n```\n", text.trim_end())
}

#[test]
fn the_page_of_exports_shows_what_the_code_writes() {
    assert_page("docs/exports.md", &markdown());
}

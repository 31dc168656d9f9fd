//! What each form says, word for word, and what it marks.

use serde_json::Value;
use serde_json::json;

use crate::effective::EffectiveTemplate;
use crate::effective::KeyChange;
use crate::effective::LayeredChange;
use crate::effective::Standing;
use crate::export::FORMS;
use crate::export::Form;
use crate::export::NAMES;
use crate::export::loss::Effect;
use crate::export::tools::DESCRIPTION_CHARACTERS_MAX;
use crate::key::KeyDefinition;
use crate::name::PatchId;
use crate::name::ScenarioKey;
use crate::template::SchemaTemplate;

fn base(more: Value) -> SchemaTemplate {
    let mut document = json!({"schema_id": "ferry_v1", "scenario": "ferry", "keys": [
        {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "The rest."},
        {"key_name": "cabin", "key_type": "string", "required": false, "semantic_description": "Cabin.",
         "semantic_descriptions": {"de": "Kabine."}, "default_value": "inner", "constraints": {"enum": ["inner", "outer"]}},
        {"key_name": "price", "key_type": "number", "required": true, "semantic_description": "Price */ in euros",
         "semantic_descriptions": {"de": "Preis."}, "constraints": {"multipleOf": 0.5, "minimum": 0}}]});
    for (name, value) in more.as_object().expect("an object") {
        document[name] = value.clone();
    }
    SchemaTemplate::parse(&document).expect("a template").0
}

/// A base with one key that a patch added.
fn learned(base: &SchemaTemplate, key: &Value, standing: Standing) -> EffectiveTemplate {
    let change = LayeredChange {
        patch_id: PatchId::numbered(&ScenarioKey::parse("ferry").expect("a scenario"), 1),
        change: KeyChange::Add(KeyDefinition::parse(key).expect("a key").0),
        standing,
    };
    EffectiveTemplate::compose(base, &[change], 7)
}

fn patched(standing: Standing) -> EffectiveTemplate {
    let key =
        json!({"key_name": "pet", "key_type": "boolean", "required": false, "semantic_description": "With a pet."});
    learned(&base(json!({})), &key, standing)
}

/// The base with other members.
pub fn with(more: Value) -> EffectiveTemplate {
    EffectiveTemplate::compose(&base(more), &[], 0)
}

fn text(template: &EffectiveTemplate, form: Form) -> String {
    template.export(form, None, true).text
}

fn schema(template: &EffectiveTemplate, form: Form) -> Value {
    serde_json::from_str(&text(template, form)).expect("JSON")
}

/// The forms that hold no words.
const GRAMMARS: [Form; 2] = [Form::Gbnf, Form::Lark];

/// Every form but the one of several, in which the template itself stands as well.
fn alone() -> impl Iterator<Item = Form> {
    FORMS.iter().copied().filter(|form| *form != Form::Bundle)
}

#[test]
fn a_learned_default_stands_in_no_form_and_a_publishers_own_in_each_z043_z125() {
    let berth = json!({"key_name": "berth", "key_type": "string", "required": false, "default_value": "not-asked-for",
        "semantic_description": "Where to sleep."});
    let mut own = base(json!({}));
    own.keys[1].default_value = Some(json!("inner-by-itself"));
    own.keys[1].constraints.clear();
    for standing in [Standing::Experimental, Standing::Stable, Standing::Deprecated] {
        let template = learned(&own, &berth, standing);
        for form in alone() {
            let text = text(&template, form);
            assert!(text.contains("berth"), "{form:?}: {text}");
            assert!(!text.contains("not-asked-for"), "{form:?}: {text}");
            // A grammar says what may be said, and not what stands for silence.
            assert_eq!(
                text.contains("inner-by-itself"),
                !GRAMMARS.contains(&form),
                "{form:?}: {text}"
            );
        }
    }
}

#[test]
fn forms_are_called_by_their_names() {
    for (form, name) in FORMS.iter().copied().zip(NAMES.iter().copied()) {
        assert_eq!((form.name(), Form::parse(name)), (name, Some(form)));
    }
    assert_eq!(Form::parse("yaml"), None);
}

#[test]
fn required_keys_come_first_and_other_last_in_every_form_z057() {
    let template = patched(Standing::Stable);
    for form in alone() {
        let text = text(&template, form);
        let keys = match form {
            Form::Gbnf => text.lines().next().expect("a root").to_owned(),
            Form::Lark => text.to_ascii_lowercase(),
            _ => text.clone(),
        };
        let places: Vec<usize> = ["price", "cabin", "pet", "other"]
            .iter()
            .map(|name| {
                let name = match form {
                    Form::Gbnf => format!("key-{name}"),
                    Form::Lark => format!("key_{name}"),
                    Form::Typescript | Form::Zod => format!("\n  {name}"),
                    Form::Pydantic => format!("\n    {name}: "),
                    Form::Markdown => format!("- `{name}`"),
                    Form::JsonSchema
                    | Form::JsonSchemaStrict
                    | Form::OpenaiTool
                    | Form::OpenaiResponseFormat
                    | Form::OpenaiResponsesTool
                    | Form::AnthropicTool
                    | Form::GeminiTool
                    | Form::McpTool
                    | Form::Bundle => {
                        format!("\"{name}\":{{")
                    }
                };
                keys.find(&name).unwrap_or_else(|| panic!("{form:?} {name}"))
            })
            .collect();
        assert!(places.is_sorted(), "{form:?} {places:?}");
    }
}

#[test]
fn keys_on_trial_and_deprecated_ones_say_so_in_every_form_z142_z147() {
    for (standing, word) in [
        (Standing::Experimental, "xperimental"),
        (Standing::Deprecated, "eprecated"),
    ] {
        let template = patched(standing);
        for form in FORMS.iter().copied() {
            let said = text(&template, form).contains(word);
            // A grammar has no words.
            assert_eq!(said, !GRAMMARS.contains(&form), "{form:?}");
            assert!(!text(&patched(Standing::Stable), form).contains(word), "{form:?}");
        }
    }
    assert_eq!(
        schema(&patched(Standing::Deprecated), Form::JsonSchema)["properties"]["pet"]["deprecated"],
        true
    );
    for form in FORMS.iter().copied() {
        let settled = patched(Standing::Experimental).export(form, None, false).text;
        assert!(!settled.contains("pet"), "{form:?}: not wanted");
        assert!(
            !text(&patched(Standing::Withdrawn), form).contains("pet"),
            "{form:?}: withdrawn"
        );
    }
}

#[test]
fn an_export_bears_the_language_that_is_found_z056_z174() {
    let template = patched(Standing::Stable);
    for form in alone().filter(|form| !GRAMMARS.contains(form)) {
        let german = template.export(form, Some("de-AT"), true);
        assert_eq!(german.language, "de");
        assert!(
            german.text.contains("Kabine.") && !german.text.contains("Cabin."),
            "{form:?}"
        );
        let own = template.export(form, Some("fr"), true);
        assert_eq!(own, template.export(form, None, true), "{form:?}: none is found");
        assert!(own.language == "en" && own.text.contains("Cabin."));
    }
}

#[test]
fn the_strict_schema_says_what_it_does_not_enforce() {
    let export = patched(Standing::Stable).export(Form::JsonSchemaStrict, None, true);
    let schema: Value = serde_json::from_str(&export.text).expect("JSON");
    let lost: Vec<(&str, &str)> = export
        .lost
        .iter()
        .map(|loss| (loss.key_name.as_str(), loss.keyword))
        .collect();
    assert_eq!(lost, [("price", "minimum"), ("price", "multipleOf")]);
    assert_eq!(
        schema["properties"],
        json!({
            "price": {"description": "Price */ in euros. At least 0, a multiple of 0.5.", "type": "number"},
            "cabin": {"description": "Cabin. Without it, \"inner\" is assumed.", "anyOf": [{"type": "string", "enum": ["inner", "outer"]},
                {"type": "null"}]},
            "pet": {"description": "With a pet.", "anyOf": [{"type": "boolean"}, {"type": "null"}]},
            "other": {"description": "The rest.", "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}},
                {"type": "null"}]},
        })
    );
    assert_eq!(schema["required"], json!(["price", "cabin", "pet", "other"]));
}

#[test]
fn a_map_that_nobody_could_fill_is_left_out_of_the_strict_forms_and_told_z051() {
    let keys = json!([
        {"key_name": "tags", "key_type": "object", "required": true, "semantic_description": "T.",
            "constraints": {"additionalProperties": {"type": "string"}}},
        {"key_name": "stops", "key_type": "array", "required": false, "semantic_description": "S.", "constraints": {"items": {"type": "object"}}},
        {"key_name": "seat", "key_type": "object", "required": false, "semantic_description": "S.", "constraints":
            {"properties": {"row": {"type": "integer"}, "notes": {"type": "object"}}, "required": ["row", "notes"]}},
        {"key_name": "none", "key_type": "object", "required": false, "semantic_description": "N.", "constraints": {"additionalProperties": false}},
    ]);
    let template = with(json!({ "keys": keys }));
    for (form, at, names) in [
        (Form::JsonSchemaStrict, "", json!(["seat", "none", "other"])),
        (
            Form::OpenaiTool,
            "/function/parameters",
            json!(["seat", "none", "other"]),
        ),
        (Form::GeminiTool, "/parameters", json!(["seat", "other"])),
    ] {
        let export = template.export(form, None, true);
        let whole: Value = serde_json::from_str(&export.text).expect("JSON");
        let properties = &whole.pointer(at).expect("a schema")["properties"];
        let held: Vec<&String> = properties.as_object().expect("an object").keys().collect();
        assert_eq!(json!(held), names, "{form:?}");
        assert!(!properties.to_string().contains("notes"), "{form:?}: {properties}");
        let lost: Vec<String> = export
            .lost
            .iter()
            .map(|loss| format!("{};{}", loss.path(), loss.effect.name()))
            .collect();
        for told in [
            "tags.properties;narrowed",
            "tags.required;unenforced",
            "stops.items.properties;narrowed",
            "seat.required;unenforced",
            "seat.properties.notes.properties;narrowed",
        ] {
            assert!(lost.contains(&told.to_owned()), "{form:?} {told}: {lost:?}");
        }
    }
}

#[test]
fn what_is_lost_is_told_where_it_stands() {
    let keys = json!([
        {"key_name": "arr", "key_type": "array", "required": true, "semantic_description": "A.",
            "constraints": {"items": {"type": "number", "minimum": 1.5}}},
        {"key_name": "o", "key_type": "object", "required": true, "semantic_description": "O.", "constraints":
            {"properties": {"x": {"type": "string", "format": "email"}, "größe": {"type": "string", "format": "email"}},
             "required": ["x"], "additionalProperties": false}},
    ]);
    let template = with(json!({ "keys": keys }));
    for form in [Form::JsonSchemaStrict, Form::Typescript] {
        let export = template.export(form, None, true);
        let lost: Vec<(&str, String)> = export
            .lost
            .iter()
            .map(|loss| (loss.pointer.as_str(), loss.path()))
            .collect();
        for (pointer, path) in [
            ("/items/minimum", "arr.items.minimum"),
            ("/properties/x/format", "o.properties.x.format"),
            ("/properties/größe/format", "o.properties.gr%C3%B6%C3%9Fe.format"),
        ] {
            assert!(lost.contains(&(pointer, path.to_owned())), "{form:?} {lost:?}");
        }
    }
}

#[test]
fn a_schema_of_zod_holds_what_is_enforced_and_says_what_it_does_not_z048() {
    let keys = json!([
        {"key_name": "code", "key_type": "string", "required": true, "semantic_description": "C.",
            "constraints": {"minLength": 2, "maxLength": 4, "pattern": "^[A-Z]+$"}},
        {"key_name": "seats", "key_type": "integer", "required": true, "semantic_description": "S.",
            "constraints": {"minimum": 1, "exclusiveMaximum": 10}},
        {"key_name": "any", "key_type": "integer", "required": true, "semantic_description": "A."},
        {"key_name": "cabin", "key_type": "string", "required": false, "semantic_description": "C \"x\".", "default_value": "economy",
            "constraints": {"enum": ["economy", "business"]}},
        {"key_name": "day", "key_type": "string", "required": false, "semantic_description": "D.", "constraints": {"format": "date"}},
        {"key_name": "at", "key_type": "string", "required": false, "semantic_description": "A.", "constraints": {"format": "date-time"}},
        {"key_name": "mails", "key_type": "array", "required": true, "semantic_description": "M.",
            "constraints": {"items": {"type": "string", "format": "email"}, "maxItems": 3, "uniqueItems": true}},
        {"key_name": "size", "key_type": "object", "required": false, "semantic_description": "S.", "constraints":
            {"properties": {"x": {"type": "number"}, "y y": {"type": "boolean"}}, "required": ["x"], "additionalProperties": false}},
        {"key_name": "open", "key_type": "object", "required": false, "semantic_description": "O.", "constraints":
            {"additionalProperties": {"enum": [1, null]}}},
    ]);
    let template = with(json!({ "keys": keys }));
    let export = template.export(Form::Zod, None, true);
    for line in [
        r#"  code: z.string().regex(/^[^]{2,}$/u).regex(/^[^]{0,4}$/u).regex(new RegExp("^[A-Z]+$", "u")).describe("C."),"#,
        r#"  seats: z.int().gte(1).lt(10).describe("S."),"#,
        r#"  any: z.int().describe("A."),"#,
        r#"  cabin: z.enum(["economy", "business"]).default("economy").describe("C \"x\"."),"#,
        r#"  mails: z.array(z.string().describe("In the format email.")).max(3).describe("M. No element twice."),"#,
        r#"  size: z.strictObject({ "x": z.number(), "y y": z.boolean().optional() }).optional().describe("S."),"#,
        r#"  open: z.object({}).catchall(z.literal([1, null])).optional().describe("O."),"#,
        r#"  day: z.iso.date().optional().describe("D."),"#,
        r#"  at: z.iso.datetime({ offset: true }).regex(/:..:/).optional().describe("A."),"#,
        r#"  other: z.union([z.string(), z.array(z.string())]).optional().describe("#,
    ] {
        assert!(export.text.contains(line), "{line}\n{}", export.text);
    }
    let lost = export.lost.iter().map(|loss| (loss.path(), loss.effect));
    assert_eq!(
        lost.collect::<Vec<_>>(),
        [
            ("any.type".to_owned(), Effect::Narrowed),
            ("mails.items.format".to_owned(), Effect::Unenforced),
            ("mails.uniqueItems".to_owned(), Effect::Unenforced),
            ("at.format".to_owned(), Effect::Narrowed),
        ]
    );
}

#[test]
fn a_grammar_writes_moments_and_spans_as_they_are_accepted_or_says_that_it_does_not_z048() {
    let of = |format: &str, accepted: &[&str]| {
        let keys = json!([{"key_name": "k", "key_type": "string", "required": true, "semantic_description": "K.",
            "constraints": {"format": format}}]);
        let template = with(json!({ "keys": keys }));
        let export = template.export(Form::Gbnf, None, true);
        let grammar = super::grammar::Grammar::read(&export.text);
        for text in accepted {
            let payload = json!({ "k": text });
            assert!(grammar.matches(&payload.to_string()), "{text}");
        }
        let lost = export.lost.iter().map(|loss| (loss.keyword, loss.effect));
        lost.collect::<Vec<_>>()
    };
    let narrowed = [("format", Effect::Narrowed)];
    let moments = [
        "2026-05-04T09:30:00Z",
        "2026-05-04t09:30:00z",
        "2026-05-04T09:30:00.1234567891234+02:00",
        "2016-12-31T23:59:60Z",
        "2016-12-31T23:59:60.5-00:00",
    ];
    assert_eq!(of("date-time", &moments), narrowed, "a leap second beside an offset");
    assert_eq!(of("time", &["23:59:60z", "00:00:00.123456789123-11:30"]), narrowed);
    assert_eq!(of("date", &["2024-02-29"]), []);
    assert_eq!(of("duration", &["P12345678912W", "PT1H2M3S"]), []);
}

#[test]
fn a_range_that_the_description_says_is_not_said_twice_z048() {
    let template = |said: &str| {
        let keys = json!([{"key_name": "n", "key_type": "integer", "required": true, "semantic_description": said,
            "constraints": {"minimum": 1, "maximum": 9}}]);
        with(json!({ "keys": keys }))
    };
    for form in [Form::JsonSchemaStrict, Form::Typescript, Form::Markdown] {
        assert!(
            !text(&template("How many. Range: 1-9."), form).contains("t most 9"),
            "{form:?}"
        );
        assert!(
            text(&template("How many. Range: 1-8."), form).contains("t most 9"),
            "{form:?}"
        );
    }
}

#[test]
fn the_prompt_block_holds_every_description_in_full_z055_z076() {
    assert_eq!(
        text(&patched(Standing::Experimental), Form::Markdown),
        "## ferry\n\nOne JSON object with these keys; leave out what was not said.\n\n\
         - `price` (number, at least 0, a multiple of 0.5, required): Price */ in euros\n\
         - `cabin` (\"inner\" | \"outer\", default \"inner\"): Cabin.\n\
         - `pet` (boolean, experimental): With a pet.\n\
         - `other` (string or array of strings): The rest.\n"
    );
}

#[test]
fn a_type_has_comments_that_nothing_in_a_description_ends_z039() {
    let export = patched(Standing::Deprecated).export(Form::Typescript, None, true);
    assert_eq!(
        export.text,
        "/** ferry_v1 */\nexport interface Ferry {\n  \
         /** Price *\\/ in euros. At least 0, a multiple of 0.5. */\n  price: number;\n  \
         /**\n   * Cabin.\n   * @default \"inner\"\n   */\n  cabin?: \"inner\" | \"outer\";\n  \
         /**\n   * With a pet.\n   * @deprecated Deprecated: this key will be withdrawn.\n   */\n  pet?: boolean;\n  \
         /** The rest. */\n  other?: string | string[];\n}\n"
    );
}

#[test]
fn a_bundle_holds_the_template_and_what_an_agent_needs_of_it_under_one_name_z055_z076() {
    let template = patched(Standing::Experimental);
    for (language, experimental) in [(None, true), (Some("de"), true), (None, false)] {
        let export = template.export(Form::Bundle, language, experimental);
        let bundle: Value = serde_json::from_str(&export.text).expect("JSON");
        let mut whole = template.document(language, experimental);
        assert_eq!(bundle["digest"], json!(template.digest(language, experimental)));
        for member in ["schema_id", "scenario", "version", "revision", "language"] {
            assert_eq!(bundle[member], whole[member], "{member}");
        }
        whole["patches"] = json!([]);
        assert_eq!(bundle["template"], whole);
        let form = |form| template.export(form, language, experimental).text;
        for (member, form) in [("tool", form(Form::McpTool)), ("json_schema", form(Form::JsonSchema))] {
            assert_eq!(bundle[member], serde_json::from_str::<Value>(&form).expect("JSON"));
        }
        assert_eq!(bundle["prompt"], json!(form(Form::Markdown)));
    }
}

#[test]
fn a_digest_tells_a_template_from_another_and_follows_the_words_alone_z055() {
    let digest = |standing| patched(standing).digest(None, true);
    assert_eq!(digest(Standing::Experimental), digest(Standing::Stable));
    let (stable, trial) = (patched(Standing::Stable), patched(Standing::Experimental));
    assert_ne!(
        trial.digest(None, false),
        trial.digest(None, true),
        "a key on trial is not in it"
    );
    assert_ne!(
        stable.digest(Some("de"), true),
        stable.digest(None, true),
        "another text is told"
    );
    assert_eq!(stable.digest(Some("fr"), true), stable.digest(None, true));
}

#[test]
fn a_tool_without_a_description_says_what_it_takes_the_required_first_z049() {
    let purpose = |more: Value| schema(&with(more), Form::McpTool)["description"].clone();
    assert_eq!(purpose(json!({"description": "Books a cabin."})), "Books a cabin.");
    for unsaid in [json!({}), json!({"description": " "}), json!({"description": null})] {
        assert_eq!(purpose(unsaid), "Takes requests for ferry: price, cabin (optional).");
    }
    let keys = |count: usize| -> Vec<Value> {
        let key = |number| json!({"key_name": format!("k{number}"), "key_type": "string", "required": true, "semantic_description": "x"});
        (1..=count).map(key).collect()
    };
    let alone = purpose(json!({"scenario": "night_ferry", "keys": keys(0)}));
    assert_eq!(alone, "Takes requests for night ferry.");
    for (count, last) in [(12, "k11, k12."), (13, "k11, k12 and 1 more.")] {
        let purpose = purpose(json!({"keys": keys(count)}));
        assert!(
            purpose.as_str().is_some_and(|purpose| purpose.ends_with(last)),
            "{purpose}"
        );
    }
}

#[test]
fn tools_are_named_safely_and_keep_a_long_description_z049() {
    let long = "é".repeat(DESCRIPTION_CHARACTERS_MAX + 1);
    let template = with(json!({"scenario": "Fähre nach X", "description": long}));
    let tool = schema(&template, Form::OpenaiTool);
    let function = &tool["function"];
    assert_eq!(tool["type"], "function");
    assert_eq!(function["strict"], true);
    assert_eq!(function["description"], json!("é".repeat(DESCRIPTION_CHARACTERS_MAX)));
    assert_eq!(function["parameters"]["description"], json!(long));
    let name = function["name"].as_str().expect("a name");
    assert!(name.starts_with("f_hre_nach_x_"), "{name}");
    let (format, responses) = (
        schema(&template, Form::OpenaiResponseFormat),
        schema(&template, Form::OpenaiResponsesTool),
    );
    assert_eq!(
        (&format["type"], &responses["type"]),
        (&json!("json_schema"), &json!("function"))
    );
    let mut members = function.clone();
    assert_eq!(responses.as_object().map(|all| all.len()), Some(5), "{responses}");
    for (name, value) in function.as_object().expect("an object") {
        assert_eq!(responses[name], *value, "{name}");
    }
    members["schema"] = members["parameters"].take();
    members
        .as_object_mut()
        .map(|members| members.shift_remove("parameters"));
    assert_eq!(format["json_schema"], members);
    let (anthropic, mcp) = (schema(&template, Form::AnthropicTool), schema(&template, Form::McpTool));
    assert_eq!((&anthropic["name"], &mcp["name"]), (&json!(name), &json!(name)));
    assert_eq!(anthropic["description"], json!(long));
    let whole = schema(&template, Form::JsonSchema);
    for input in [&anthropic["input_schema"], &mcp["inputSchema"]] {
        assert_eq!(
            (&input["type"], &input["properties"]),
            (&json!("object"), &whole["properties"])
        );
    }
    assert!(function.get("parameters").is_some() && whole.get("additionalProperties").is_none());
}

#[test]
fn a_strict_template_closes_its_schema_z023() {
    let template = with(json!({"strict": true}));
    for form in [Form::JsonSchema, Form::JsonSchemaStrict] {
        assert_eq!(schema(&template, form)["additionalProperties"], false, "{form:?}");
    }
}

#[test]
fn no_rule_of_a_grammar_takes_the_name_of_another_keys_z034() {
    let open = |name: &str| json!([name, "string", {"minLength": 0}]);
    let rows = [
        json!(["seat", "array", {"items": {"properties": {"a": {"minLength": 1}}, "additionalProperties": {"type": "null"}}}]),
        open("seat_item"),
        open("seat_0"),
        json!(["seat_item_0", "object", {"additionalProperties": {"type": "boolean"}}]),
        open("seat_item_0_rest"),
        json!(["string", "object", {"properties": {"a": {"type": "string"}}}]),
        open("string_after_0"),
    ];
    let key = |row: &Value| json!({"key_name": row[0], "key_type": row[1], "required": false, "semantic_description": "Text.", "constraints": row[2]});
    let keys: Vec<Value> = rows.iter().map(key).collect();
    let template = with(json!({ "keys": keys }));
    let grammar = super::grammar::Grammar::read(&text(&template, Form::Gbnf));
    assert!(grammar.matches(r#"{"seat":[{"a":"x"}],"seat_item_0":{"b":true},"string":{"a":""},"string_after_0":"y"}"#));
}

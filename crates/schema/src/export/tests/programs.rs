//! What the forms for programs, for Gemini and for llguidance say, word for word, and what they tell as lost.

use serde_json::Value;
use serde_json::json;

use super::forms::with;
use crate::export::Export;
use crate::export::Form;
use crate::export::loss::Effect;

#[test]
fn models_of_pydantic_hold_what_is_enforced_under_names_that_python_has_z048() {
    let keys = json!([
        {"key_name": "class", "key_type": "string", "required": true, "semantic_description": "Say \"it\".",
            "constraints": {"minLength": 2, "pattern": "^\\d+$", "format": "email"}},
        {"key_name": "copy", "key_type": "integer", "required": false, "semantic_description": "C.", "default_value": 2,
            "constraints": {"minimum": 0.5, "exclusiveMaximum": 9.5, "multipleOf": 2}},
        {"key_name": "price", "key_type": "number", "required": true, "semantic_description": "P.",
            "constraints": {"minimum": 0, "multipleOf": 0.01}},
        {"key_name": "row", "key_type": "integer", "required": false, "semantic_description": "R.", "constraints": {"enum": [1, 2]}},
        {"key_name": "step", "key_type": "number", "required": false, "semantic_description": "S.", "constraints": {"enum": [0.5, 2]}},
        {"key_name": "size", "key_type": "object", "required": false, "semantic_description": "S.", "constraints":
            {"properties": {"y y": {"type": "boolean"}, "_": {"type": "null"}, "Any": {"type": "array", "items": {"enum": ["a", null]}, "maxItems": 3}},
             "required": ["Any"], "additionalProperties": {"type": "string", "maxLength": 9}}},
        {"key_name": "shut", "key_type": "object", "required": false, "semantic_description": "S.", "constraints": {"additionalProperties": false}},
    ]);
    let template = with(
        json!({ "keys": keys, "scenario": "field", "description": "Two\nlines with \"\"\" in them.", "strict": true }),
    );
    let export = template.export(Form::Pydantic, None, true);
    for line in [
        r#"    class_: Annotated[StrictStr, Field(min_length=2, pattern="^[0-9]+$")] = Field(alias="class", description="Say \"it\". In the format email.")"#,
        r#"    copy_: Optional[Annotated[StrictInt, Field(ge=1, lt=10, multiple_of=2), BeforeValidator(whole)]] = Field(default=2, alias="copy", description="C.")"#,
        r#"    price: Annotated[StrictFloat, Field(ge=0)] = Field(description="P. A multiple of 0.01.")"#,
        r#"    row: Optional[Annotated[Literal[1, 2], BeforeValidator(whole)]] = Field(default=None, description="R.")"#,
        r#"    step: Optional[StrictFloat] = Field(default=None, description="S. One of 0.5, 2.")"#,
        r#"    size: Optional[FieldPayloadSize] = Field(default=None, description="S.")"#,
        r#"    shut: Optional[Annotated[dict[str, Any], Field(max_length=0)]] = Field(default=None, description="S.")"#,
        r#"    __pydantic_extra__: dict[str, Annotated[StrictStr, Field(max_length=9)]]"#,
        r#"    Any_: Annotated[list[Literal["a", None]], Field(max_length=3)] = Field(alias="Any")"#,
        r#"    y_y: Optional[StrictBool] = Field(default=None, alias="y y")"#,
        r#"    key_: Optional[None] = Field(default=None, alias="_")"#,
        "class FieldPayload(BaseModel):",
        r#"    "Two\nlines with \"\"\" in them.""#,
        r#"    model_config = ConfigDict(extra="forbid", serialize_by_alias=True)"#,
    ] {
        assert!(
            export.text.lines().any(|written| written == line),
            "{line}\n{}",
            export.text
        );
    }
    let lost = export.lost.iter().map(|loss| (loss.path(), loss.effect));
    let unenforced = |path: &str| (path.to_owned(), Effect::Unenforced);
    assert_eq!(
        lost.collect::<Vec<_>>(),
        [
            unenforced("class.format"),
            unenforced("price.multipleOf"),
            unenforced("step.enum")
        ]
    );
}

#[test]
fn a_declaration_of_gemini_says_only_what_its_schema_takes_z048() {
    let keys = json!([
        {"key_name": "cabin", "key_type": "string", "required": true, "semantic_description": "C.", "constraints": {"enum": ["a", "b"]}},
        {"key_name": "blank", "key_type": "string", "required": false, "semantic_description": "B.", "constraints": {"enum": ["", "b"]}},
        {"key_name": "row", "key_type": "integer", "required": false, "semantic_description": "R.", "default_value": 1,
            "constraints": {"enum": [1, 2]}},
        {"key_name": "at", "key_type": "string", "required": false, "semantic_description": "A.", "constraints": {"format": "date-time"}},
        {"key_name": "size", "key_type": "object", "required": false, "semantic_description": "S.", "constraints":
            {"properties": {"x": {"type": "number", "exclusiveMinimum": 0}}, "required": ["x"], "additionalProperties": false}},
        {"key_name": "pick", "key_type": "array", "required": false, "semantic_description": "P.", "constraints":
            {"items": {"enum": ["a", null]}, "maxItems": 2}},
        {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "The rest."},
    ]);
    let template = with(json!({ "keys": keys, "scenario": "2fa" }));
    let export = template.export(Form::GeminiTool, None, true);
    let tool: Value = serde_json::from_str(&export.text).expect("JSON");
    assert_eq!(
        (&tool["name"], &tool["parameters"]["type"]),
        (&json!("n_2fa"), &json!("OBJECT"))
    );
    assert_eq!(tool["parameters"]["required"], json!(["cabin"]));
    assert_eq!(
        tool["parameters"]["properties"],
        json!({
            "cabin": {"description": "C.", "type": "STRING", "enum": ["a", "b"]},
            "blank": {"description": "B. One of \"\", \"b\".", "type": "STRING"},
            "row": {"description": "R. One of 1, 2. Without it, 1 is assumed.", "type": "INTEGER"},
            "at": {"description": "A.", "type": "STRING", "format": "date-time"},
            "size": {"description": "S.", "type": "OBJECT", "properties": {"x": {"description": "Above 0.", "type": "NUMBER"}},
                "required": ["x"]},
            "pick": {"description": "P.", "type": "ARRAY", "items": {"type": "STRING", "enum": ["a"], "nullable": true}, "maxItems": 2},
            "other": {"anyOf": [{"description": "The rest.", "type": "STRING"}, {"type": "ARRAY", "items": {"type": "STRING"}}]},
        })
    );
    let lost: Vec<String> = export.lost.iter().map(|loss| loss.path()).collect();
    assert_eq!(
        lost,
        [
            "blank.enum",
            "row.enum",
            "size.additionalProperties",
            "size.properties.x.exclusiveMinimum"
        ]
    );
}

#[test]
fn a_grammar_of_llguidance_is_the_one_of_llama_cpp_with_terminals_where_nothing_recurs_z048() {
    let keys = json!([
        {"key_name": "day", "key_type": "string", "required": true, "semantic_description": "D.", "constraints": {"format": "time"}},
        {"key_name": "any_thing", "key_type": "object", "required": false, "semantic_description": "A."},
        {"key_name": "code", "key_type": "string", "required": true, "semantic_description": "C.",
            "constraints": {"pattern": "^[A-Z]{3}/\\d$", "maxLength": 9}},
        {"key_name": "free", "key_type": "string", "required": false, "semantic_description": "F.", "constraints": {"pattern": "[^a]"}},
        {"key_name": "word", "key_type": "string", "required": false, "semantic_description": "W.", "constraints": {"pattern": "\\bon\\b"}},
        {"key_name": "none", "key_type": "array", "required": false, "semantic_description": "N.", "constraints": {"maxItems": 1}},
    ]);
    let template = with(json!({ "keys": keys }));
    let [gbnf, lark] = [Form::Gbnf, Form::Lark].map(|form| template.export(form, None, true));
    let lost = |export: &Export| -> Vec<String> {
        let lost = export.lost.iter();
        lost.map(|loss| format!("{} {}", loss.path(), loss.effect.name()))
            .collect()
    };
    let time = "day.format narrowed".to_owned();
    let unenforced = [
        "code.pattern unenforced",
        "free.pattern unenforced",
        "word.pattern unenforced",
    ];
    assert_eq!(
        lost(&gbnf),
        [std::slice::from_ref(&time), &unenforced.map(str::to_owned)].concat()
    );
    assert_eq!(lost(&lark), lost(&gbnf));
    assert!(!gbnf.text.contains("{0,0}"), "{}", gbnf.text);
    for line in [
        r#"start: "{" WS KEY_DAY "," WS KEY_CODE ("," WS key_any_thing)? ("," WS KEY_FREE)? ("," WS KEY_WORD)? ("," WS key_none)? ("," WS KEY_OTHER)? WS "}""#,
        r#"KEY_DAY: "\"day\":" WS "\"" TIME "\"""#,
        r#"key_any_thing: "\"any_thing\":" WS object"#,
        r#"value: STRING | NUMBER | BOOLEAN | "null" | array | object"#,
        r#"CHAR: /[^"\\\x00-\x1F\x7F]/ | "\\" (/["\\\/bfnrt]/ | "u" UNIT)"#,
    ] {
        assert!(
            lark.text.lines().any(|written| written == line),
            "{line}\n{}",
            lark.text
        );
    }
}

#[test]
fn no_terminal_of_a_grammar_begins_with_a_comma_which_the_longest_would_take_from_a_rule_z048() {
    let keys = json!([
        {"key_name": "plain", "key_type": "boolean", "required": false, "semantic_description": "P."},
        {"key_name": "any", "key_type": "array", "required": false, "semantic_description": "A."},
    ]);
    let lark = with(json!({ "keys": keys })).export(Form::Lark, None, true).text;
    for line in [
        r#"start: "{" WS (KEY_PLAIN root__after_0 | key_any root__after_1 | KEY_OTHER root__after_2)? WS "}""#,
        r#"root__after_1: ("," WS KEY_OTHER)? root__after_2"#,
    ] {
        assert!(lark.lines().any(|written| written == line), "{line}\n{lark}");
    }
}

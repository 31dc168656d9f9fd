//! Examples that are suggested: of values that the key accepts, in words that a user says.

use serde_json::Value;
use serde_json::json;

use super::key;
use super::mended;
use super::of;
use crate::domain::template::advice::Advice;
use crate::domain::template::key::KeyType;
use crate::domain::template::rule::Rule;

#[test]
fn an_example_that_is_refused_is_left_out_z040() {
    let count = |examples: &str| {
        let text = format!("How many there are. Range: 1-9. {examples}");
        key(
            "count",
            "integer",
            &text,
            &json!({"constraints": {"minimum": 1, "maximum": 9}}),
        )
    };
    for (examples, left) in [
        (
            "Example mapping: 'two' -> 2; 'a dozen' -> 12.",
            "Example mapping: 'two' -> 2.",
        ),
        (
            "Example mapping: 'a dozen' -> 12, 'two' -> 2.",
            "Example mapping: 'two' -> 2.",
        ),
        ("Example mapping: 'a dozen' -> 12. Also 'two' -> 2.", "Also 'two' -> 2."),
        (
            "Example mapping: 'a dozen' -> 12.",
            "Example mapping: 'make it 2' -> 2.",
        ),
    ] {
        let better = mended(&count(examples), Advice::ExampleRefused);
        let expected = format!("How many there are. Range: 1-9. {left}");
        assert_eq!(better["semantic_description"], expected, "{examples}");
    }
}

#[test]
fn an_example_that_any_constraint_refuses_is_put_right_z040() {
    for (key_type, wrong, constraints) in [
        ("number", "0", json!({"exclusiveMinimum": 250})),
        ("integer", "10", json!({"exclusiveMaximum": -4})),
        ("integer", "10", json!({"multipleOf": 7, "minimum": 3})),
        (
            "object",
            "{\"size\": 4}",
            json!({"properties": {"kind": {"type": "string", "enum": ["home", "work"]}, "day": {"type": "string",
            "format": "date"}, "number": {"type": "integer"}}, "required": ["kind"], "additionalProperties": false}),
        ),
        (
            "object",
            "{}",
            json!({"properties": {"number": {"type": "integer"}}, "required": ["number"]}),
        ),
        (
            "array",
            "[]",
            json!({"items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            "minItems": 1}),
        ),
    ] {
        let more = json!({ "constraints": constraints });
        let refused = format!("What is wanted there, with 3, 4, -4, 7 and 250 in it. Example mapping: 'x' -> {wrong}.");
        let better = mended(&key("thing", key_type, &refused, &more), Advice::ExampleRefused);
        assert!(
            of(&better).iter().all(|finding| finding.cost == 0),
            "{better} {:?}",
            of(&better)
        );
        let none = "What is wanted there, with 3, 4, -4, 7 and 250 in it.";
        let better = mended(&key("thing", key_type, none, &more), Advice::NoMappingExample);
        assert!(
            of(&better).iter().all(|finding| finding.cost == 0),
            "{better} {:?}",
            of(&better)
        );
    }
}

#[test]
fn an_example_is_what_a_user_could_say_z040() {
    let shown = |name: &str, key_type: &str, constraints: Value| {
        let text = match key_type {
            "boolean" => "Whether a view is wanted there, in a way.",
            _ => "What is wanted there, in a way.",
        };
        let key = key(name, key_type, text, &json!({ "constraints": constraints }));
        let finding = of(&key)
            .into_iter()
            .find(|finding| finding.rule == Advice::NoMappingExample);
        finding.expect("a finding").message
    };
    for (name, key_type, constraints, example) in [
        ("guests", "integer", json!({}), "'2 guests, please' -> 2."),
        ("price_max", "number", json!({"minimum": 50}), "'make it 50' -> 50."),
        (
            "has_view",
            "boolean",
            json!({}),
            "'yes, view' -> true; 'no view' -> false.",
        ),
        (
            "due",
            "string",
            json!({"format": "date"}),
            "'on the 4th of May 2026' -> '2026-05-04'.",
        ),
        (
            "class",
            "string",
            json!({"enum": ["first_class", "b"]}),
            "'first class, please' -> 'first_class'.",
        ),
        (
            "toppings",
            "array",
            json!({"items": {"type": "string", "enum": ["ham", "blue_cheese"]}}),
            r#"'ham and blue cheese' -> ["ham","blue_cheese"]."#,
        ),
    ] {
        let message = shown(name, key_type, constraints);
        assert!(message.contains(example), "{message}");
    }
}

#[test]
fn an_example_that_could_only_be_made_up_is_left_to_the_author_z040() {
    let pattern = |pattern: &str| json!({ "pattern": pattern });
    for (name, key_type, constraints) in [
        ("country", "string", pattern("^[a-z]{2}$")),
        ("country", "string", json!({"minLength": 2, "maxLength": 2})),
        ("country", "string", json!({"maxLength": 4})),
        ("isbn", "string", json!({})),
        ("abstract", "string", json!({"minLength": 24})),
        ("year", "integer", json!({})),
        ("topics", "array", json!({"items": {"type": "string"}})),
        ("vehicle", "string", json!({"minLength": 17, "maxLength": 17})),
        ("day", "string", pattern("^[0-9]{8}$")),
        ("postcode", "string", pattern("^[0-9]{5}$")),
        ("address", "object", json!({})),
        (
            "address",
            "object",
            json!({"properties": {"street": {"type": "string"}}, "required": ["street"]}),
        ),
        ("address", "object", json!({"additionalProperties": {"type": "string"}})),
        (
            "codes",
            "array",
            json!({"items": {"type": "string", "pattern": "^[A-Z]{2}$"}, "minItems": 3}),
        ),
    ] {
        let key = key(
            name,
            key_type,
            "What is wanted there, by and large.",
            &json!({ "constraints": constraints }),
        );
        let told = of(&key);
        let shown: Vec<String> = told
            .iter()
            .filter_map(|finding| Some(finding.suggestion.as_ref()?.to_string()))
            .collect();
        let is_gap = |patch: &String| patch.matches("->").count() == patch.matches("'…' -> ").count();
        assert!(shown.iter().all(is_gap), "{key} {shown:?}");
        let missing = told.iter().find(|finding| finding.rule == Advice::NoMappingExample);
        assert!(
            missing.expect("a finding").message.ends_with("as `'…' -> …`"),
            "{told:?}"
        );
    }
}

#[test]
fn what_is_said_of_one_key_agrees_with_itself_z040_z048() {
    for (name, text, constraints, example) in [
        (
            "created_timestamp",
            "When it was made.",
            json!({"minLength": 8}),
            "2026-05-04T09:30:00Z",
        ),
        (
            "due_date",
            "By when it is to be there.",
            json!({"minLength": 8}),
            "2026-05-04",
        ),
        ("page_url", "Where it is shown.", json!({}), "https://example.com/menu"),
        ("arrival", "Time of arrival, HH:MM.", json!({}), "09:30"),
    ] {
        let more = json!({ "constraints": constraints });
        let told = of(&key(name, "string", text, &more));
        let find = |rule: Advice| told.iter().find(|finding| finding.rule == rule);
        let missing = find(Advice::NoMappingExample).expect("no example");
        let shown = missing.suggestion.as_ref().expect("a text")["semantic_description"].to_string();
        assert!(shown.contains(&format!("-> '{example}'")), "{shown}");
        assert!(
            missing.message.contains(&format!("-> '{example}'")),
            "{}",
            missing.message
        );
        let form = find(Advice::FormatUnset).or_else(|| find(Advice::NoAcceptableValues));
        let form = form.and_then(|finding| finding.suggestion.as_ref()).expect("a form");
        let mut formed = constraints.clone();
        json_patch::merge(&mut formed, &form["constraints"]);
        let formed = formed.as_object().expect("an object");
        assert!(
            Rule::compile(KeyType::String, formed).check(&json!(example)).is_ok(),
            "{formed:?}"
        );
    }
}

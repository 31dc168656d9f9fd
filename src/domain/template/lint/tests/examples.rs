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
fn an_example_that_is_refused_is_left_out_where_another_stands_and_awaits_its_value_else_z040() {
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
        ("Example mapping: 'a dozen' -> 12.", "Example mapping: 'a dozen' -> …."),
    ] {
        let better = mended(&count(examples), Advice::ExampleRefused);
        let expected = format!("How many there are. Range: 1-9. {left}");
        assert_eq!(better["semantic_description"], expected, "{examples}");
    }
}

#[test]
fn an_example_that_any_constraint_refuses_awaits_its_value_and_one_that_is_missing_is_shown_z040() {
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
        let told = of(&key("thing", key_type, &refused, &more));
        let better = told.iter().find(|finding| finding.rule == Advice::ExampleRefused);
        let better = better.and_then(|finding| finding.suggestion.as_ref()).expect("a text");
        let text = better["semantic_description"].as_str().expect("a text");
        assert!(text.ends_with("'x' -> …."), "{text}");
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
            "view_included",
            "boolean",
            json!({}),
            "'view included: yes' -> true; 'view included: no' -> false.",
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
fn what_is_so_or_not_is_said_as_one_says_it_z040() {
    for (name, text, example) in [
        (
            "is_urgent",
            "Whether it is urgent to bring it.",
            "'it is urgent' -> true; 'it is not urgent' -> false.",
        ),
        (
            "insured",
            "Whether the parcel is insured.",
            "'it is insured' -> true; 'it is not insured' -> false.",
        ),
        (
            "is_gift",
            "Whether the parcel is a gift.",
            "'gift: yes' -> true; 'gift: no' -> false.",
        ),
    ] {
        let told = of(&key(name, "boolean", text, &json!({})));
        let missing = told.iter().find(|finding| finding.rule == Advice::NoMappingExample);
        let message = &missing.expect("a finding").message;
        assert!(message.contains(example), "{message}");
    }
}

#[test]
fn a_yes_leads_to_true_in_the_publishers_words_z040() {
    let text = "Whether the parcel is to be insured. Example: 'insure it' -> 'yes', 'leave it' -> \"No\".";
    let better = mended(&key("insured", "boolean", text, &json!({})), Advice::ExampleRefused);
    assert_eq!(
        better["semantic_description"],
        "Whether the parcel is to be insured. Example: 'insure it' -> true, 'leave it' -> false."
    );
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

#[test]
fn a_form_that_a_name_speaks_of_and_examples_show_is_said_z040_z048() {
    for (name, text, format) in [
        (
            "start_date",
            "Day on which the rental starts: 'from the fourth of May' -> '2026-05-04'.",
            "date",
        ),
        (
            "website",
            "Page of the shop on the web: 'our page' -> 'https://example.com'.",
            "uri",
        ),
    ] {
        let told = of(&key(name, "string", text, &json!({})));
        assert!(
            !told.iter().any(|finding| finding.rule == Advice::NoAcceptableValues),
            "{told:?}"
        );
        let unset = told.iter().find(|finding| finding.rule == Advice::FormatUnset);
        let better = unset.and_then(|finding| finding.suggestion.as_ref()).expect("a format");
        assert_eq!(better["constraints"], json!({"format": format}));
    }
    let other = "Day on which the rental starts: 'from the fourth of May' -> '4.5.2026'.";
    let told = of(&key("start_date", "string", other, &json!({})));
    assert!(
        !told
            .iter()
            .any(|finding| finding.rule == Advice::FormatUnset && finding.suggestion.is_some())
    );
}

#[test]
fn times_of_day_between_two_are_a_range_that_nothing_enforces_z048() {
    let text = "Time of the visit, HH:MM, between 09:00 and 18:00.";
    let told = of(&key("visit", "string", text, &json!({})));
    assert!(
        told.iter().any(|finding| finding.rule == Advice::ProseRange),
        "{told:?}"
    );
    let held = json!({"constraints": {"pattern": "^(09|1[0-7]):[0-5][0-9]$|^18:00$"}});
    let told = of(&key("visit", "string", text, &held));
    assert!(
        !told.iter().any(|finding| finding.rule == Advice::ProseRange),
        "{told:?}"
    );
}

#[test]
fn a_range_behind_the_words_of_a_list_is_told_once_z048() {
    let told = of(&key(
        "age",
        "integer",
        "How old the guest is. Acceptable values: 18 or older.",
        &json!({}),
    ));
    let rules: Vec<Advice> = told.iter().map(|finding| finding.rule).collect();
    assert!(
        rules.contains(&Advice::ProseRange) && !rules.contains(&Advice::ProseList),
        "{rules:?}"
    );
}

#[test]
fn some_values_are_not_told_as_none_z040() {
    for (key_type, text) in [
        ("string", "How the parcel travels. One of: sea, air, rail, etc."),
        ("string", "Where the driver can call, e.g. +49 30 1234567."),
        ("string", "Colour of the car, such as red, blue or green."),
        ("array", "Colours of the car, such as red, blue or green."),
        ("integer", "The discount in percent; no discount above 50 is granted."),
    ] {
        let told = of(&key("thing", key_type, text, &json!({})));
        let missing = told.iter().find(|finding| finding.rule == Advice::NoAcceptableValues);
        assert!(
            missing.is_none_or(|finding| !finding.message.contains("nothing")),
            "{text} {told:?}"
        );
        let of_values = |finding: &&crate::domain::template::defect::Finding| {
            matches!(
                finding.rule,
                Advice::NoAcceptableValues | Advice::OpenValues | Advice::ProseList | Advice::ProseRange
            )
        };
        assert_eq!(told.iter().filter(of_values).count(), 1, "{text} {told:?}");
    }
}

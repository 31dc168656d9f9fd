//! What is enforced beside what is said: values, ranges, lists, examples.

use serde_json::Value;
use serde_json::json;

use super::super::lint;
use super::document;
use super::found;
use super::key;
use crate::domain::template::advice::Advice;
use crate::domain::template::schema::SchemaTemplate;

#[test]
fn values_are_said_or_enforced_z040() {
    let text = "What the user wants to be served. Example: 'x' -> 'y'.";
    found(
        &key("dish", "string", text, &json!({})),
        Advice::NoAcceptableValues,
        true,
    );
    found(
        &key("dish", "boolean", "Wants it. Example: 'x' -> true.", &json!({})),
        Advice::NoAcceptableValues,
        false,
    );
    found(
        &key("dish", "string", text, &json!({"constraints": {"maxLength": 9}})),
        Advice::NoAcceptableValues,
        false,
    );
    found(
        &key("due_date", "string", text, &json!({})),
        Advice::NoAcceptableValues,
        true,
    );
    found(
        &key(
            "due_date",
            "string",
            "When, in ISO 8601. Example: 'x' -> '2026-05-04'.",
            &json!({}),
        ),
        Advice::FormatUnset,
        true,
    );
    found(
        &key(
            "due_date",
            "string",
            "When, in ISO 8601.",
            &json!({"constraints": {"format": "date"}}),
        ),
        Advice::FormatUnset,
        false,
    );
    found(
        &key(
            "due_date",
            "string",
            "When, in ISO 8601.",
            &json!({"default_value": "today"}),
        ),
        Advice::FormatUnset,
        false,
    );
}

#[test]
fn a_range_in_prose_is_shown_as_constraints_z048() {
    let with = |key_type: &str, text: &str, more: Value| key("guests", key_type, text, &more);
    for text in [
        "Guests, between 1 and 9 of them.",
        "Guests, from 1 to 9.",
        "Guests. Range: 1 to 9 guests.",
        "Guests; the range is 1–9.",
    ] {
        found(&with("integer", text, json!({})), Advice::ProseRange, true);
        found(
            &with("string", text, json!({})),
            Advice::ProseRange,
            text.contains("Range:"),
        );
        found(
            &with("integer", text, json!({"constraints": {"minimum": 1}})),
            Advice::ProseRange,
            false,
        );
        found(
            &with("integer", text, json!({"default_value": 10})),
            Advice::ProseRange,
            false,
        );
        found(
            &with("integer", text, json!({"default_value": 9})),
            Advice::ProseRange,
            true,
        );
    }
    found(
        &with("integer", "Guests. Range: 1-9.", json!({})),
        Advice::ProseRange,
        false,
    );
    found(
        &with(
            "integer",
            "Guests in all. Example: 'from 2 to 3 of us' -> 3.",
            json!({}),
        ),
        Advice::ProseRange,
        false,
    );
    found(
        &with("integer", "Guests, between 9 and 1.", json!({})),
        Advice::ProseRange,
        true,
    );
}

#[test]
fn a_list_in_prose_is_shown_as_constraints_z048() {
    let with = |text: &str, more: Value| key("seat", "string", text, &more);
    for text in [
        "Where to sit: one of window, aisle or middle.",
        "Where to sit. Acceptable values: window, aisle, or middle.",
        "Where to sit, either 'window' or 'aisle'.",
        "Allowed values are window and aisle. Ask for it",
    ] {
        found(&with(text, json!({})), Advice::ProseList, true);
        found(
            &with(text, json!({"constraints": {"pattern": "a"}})),
            Advice::ProseList,
            false,
        );
        found(&with(text, json!({"default_value": "roof"})), Advice::ProseList, false);
    }
    for text in [
        "Where to sit. Acceptable values: window, aisle.",
        "Acceptable values: IATA airport codes or city names.",
        "Where to sit, either way is fine.",
        "One of window, aisle or others.",
        "Where to sit. Example: 'one of window or aisle' -> 'aisle'.",
    ] {
        found(&with(text, json!({})), Advice::ProseList, false);
    }
}

#[test]
fn what_is_enforced_is_said_and_not_otherwise_z048_z055() {
    let seat = |text: &str, values: Value| key("seat", "string", text, &json!({"constraints": {"enum": values}}));
    found(
        &seat("Where to sit in the cabin.", json!(["window", "exit_row"])),
        Advice::UnsaidConstraint,
        true,
    );
    found(
        &seat("At the window or in an exit row.", json!(["window", "exit_row"])),
        Advice::UnsaidConstraint,
        false,
    );
    found(
        &seat("At the window.", json!(["window", "exit_row"])),
        Advice::UnsaidConstraint,
        true,
    );
    found(
        &seat("Acceptable values: a, b. More.", json!(["a", "b", "c"])),
        Advice::ContradictedConstraint,
        true,
    );
    found(
        &seat("Acceptable values: a, b.", json!(["b", "a"])),
        Advice::ContradictedConstraint,
        false,
    );
    let count = |text: &str, minimum: i64| {
        key(
            "count",
            "integer",
            text,
            &json!({"constraints": {"minimum": minimum, "maximum": 9}}),
        )
    };
    found(&count("How many there are.", 1), Advice::UnsaidConstraint, true);
    found(&count("How many: 1 up to 9.", 1), Advice::UnsaidConstraint, false);
    found(
        &count("Range: 1-8. And so on.", 1),
        Advice::ContradictedConstraint,
        true,
    );
    found(
        &count("Range: 1-9. And so on.", 1),
        Advice::ContradictedConstraint,
        false,
    );
    found(&count("Up to 9.", 0), Advice::UnsaidConstraint, false);
}

#[test]
fn an_example_leads_to_a_value_that_is_accepted_z040() {
    let seat = |text: &str| {
        key(
            "seat",
            "string",
            text,
            &json!({"constraints": {"enum": ["window", "exit_row"]}}),
        )
    };
    found(&seat("Window or exit row."), Advice::NoMappingExample, true);
    found(
        &seat("Window or exit row. 'x' → window"),
        Advice::NoMappingExample,
        false,
    );
    found(
        &seat("Window or exit row: 'by the window' -> window."),
        Advice::ExampleRefused,
        false,
    );
    found(
        &seat("Window or exit row: 'by the window' -> 'windw'."),
        Advice::ExampleRefused,
        true,
    );
    found(
        &seat("Window or exit row: 'legs' -> \"exit row\"."),
        Advice::ExampleRefused,
        true,
    );
    found(
        &seat("Window or exit row: 'x' -> 'roof'."),
        Advice::ExampleRefused,
        true,
    );
    let count = |text: &str| key("count", "integer", text, &json!({"constraints": {"maximum": 9}}));
    found(&count("Up to 9. 'nine' -> 9."), Advice::ExampleRefused, false);
    found(&count("Up to 9. 'ten' -> 10."), Advice::ExampleRefused, true);
    found(&count("Up to 9. 'two' -> two."), Advice::ExampleRefused, true);
    found(
        &key("list", "array", "Some: 'a' -> ['a'].", &json!({})),
        Advice::ExampleRefused,
        false,
    );
}

#[test]
fn a_listed_value_that_a_format_refuses_is_no_better_example_z040() {
    let text = "Acceptable values: a, b-c. Example: 'x' -> 'a'.";
    let key = key("due", "string", text, &json!({"constraints": {"format": "date"}}));
    let (template, read) = SchemaTemplate::parse(&document(&[key], &json!({}))).expect("a template");
    let told = lint(&template, read);
    let mut refused = told
        .findings
        .iter()
        .filter(|finding| finding.rule == Advice::ExampleRefused);
    let better = refused.next().and_then(|finding| finding.suggestion.as_ref());
    let better = better
        .and_then(|patch| patch["semantic_description"].as_str())
        .unwrap_or_default();
    assert!(better.ends_with("Example: 'x' -> '…'."), "{better}");
}

//! A list or a range gets a draft where the text says nothing else of the values, and a finding without one where it does: a
//! table of sentences for each class.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use serde_json::json;

use super::document;
use super::key;
use super::linted;
use super::of;
use super::says;
use crate::domain::template::advice::Advice;
use crate::domain::template::defect::Finding;
use crate::domain::template::fillable;
use crate::domain::template::lint::gap;
use crate::domain::template::schema::SchemaTemplate;

/// What is found of a sentence that stands alone in a description.
fn told(key_type: &str, text: &str, constraints: &Value) -> Vec<Finding> {
    of(&key(
        "thing",
        key_type,
        text,
        &json!({"required": true, "constraints": constraints}),
    ))
}

/// The constraints that are drafted for a list or a range that is found; nothing else that is drafted says of the values what
/// the text does not.
#[track_caller]
fn drafted(key_type: &str, text: &str, constraints: &Value) -> Option<Value> {
    let told = told(key_type, text, constraints);
    let announced = |finding: &&Finding| matches!(finding.rule, Advice::ProseList | Advice::ProseRange);
    let finding = told
        .iter()
        .find(announced)
        .unwrap_or_else(|| panic!("{text}: {told:?}"));
    let draft = finding
        .suggestion
        .as_ref()
        .and_then(|patch| patch.get("constraints").cloned());
    if draft.is_none() {
        silent(text, &told);
    }
    draft
}

/// Nothing is said of which values are right, but by gaps.
#[track_caller]
fn silent(text: &str, told: &[Finding]) {
    for finding in told {
        let better = finding
            .suggestion
            .as_ref()
            .and_then(|patch| patch["semantic_description"].as_str())
            .map(gap::closed);
        let better = better.map(|better| better.replacen(text, "", 1));
        let drafted = better.is_some_and(|better| better.contains("Format:") || better.contains("->"));
        assert!(!drafted && !finding.message.contains("please"), "{text}: {finding:?}");
    }
}

#[test]
fn a_list_of_which_all_is_said_is_drafted_z048() {
    let sizes = json!({"enum": ["small", "medium", "large"]});
    for text in [
        "The size. Allowed: small; medium; large.",
        "The size. Allowed sizes: small, medium, large.",
        "Sizes allowed: small, medium, large.",
        "Allowed sizes are small, medium and large.",
        "The only sizes are small, medium and large.",
        "Small, medium or large.",
        "Small, medium, large only.",
        "One of: small, medium, large.",
        "One of: Small, medium, large.",
        "For which drink: small, medium or large.",
        "The size: small, medium or large. Default: medium.",
        "The size (small, medium or large).",
        "The size. Must be 'small', 'medium' or 'large'.",
        "The size. Acceptable values: small; medium; large。",
    ] {
        assert_eq!(drafted("string", text, &json!({})), Some(sizes.clone()), "{text}");
    }
    for (text, values) in [
        ("S, M or L.", json!(["S", "M", "L"])),
        ("USB, cable or plug.", json!(["USB", "cable", "plug"])),
        ("Paris, Rome or Oslo.", json!(["Paris", "Rome", "Oslo"])),
        (
            "Use only 'Small', medium or large.",
            json!(["Small", "medium", "large"]),
        ),
        (
            "Small, medium or large. Example: 'x' -> 'Small'.",
            json!(["Small", "medium", "large"]),
        ),
    ] {
        assert_eq!(
            drafted("string", text, &json!({})),
            Some(json!({ "enum": values })),
            "{text}"
        );
    }
    for text in [
        "How many there are: 1, 2 or 4 only.",
        "1, 2 or 4 only.",
        "How many: 1, 2 or 4.",
    ] {
        let numbers = json!({"enum": [1, 2, 4]});
        assert_eq!(drafted("integer", text, &json!({})), Some(numbers), "{text}");
    }
    let items = json!({"items": {"type": "string", "enum": ["ham", "olives"]}});
    assert_eq!(
        drafted("array", "What is on it. Allowed: ham; olives.", &json!({})),
        Some(items)
    );
}

#[test]
fn a_list_with_more_said_of_it_is_found_and_not_drafted_z048() {
    for text in [
        // Remarks on values, in brackets, behind dashes, as pairs.
        "The size. One of: S, M, L (children: 104 to 152).",
        "small - a cup, large - a mug",
        "small, medium, large (default: medium)",
        "The size: small, medium, large (default: medium).",
        "Use S for small, M for medium.",
        "S = small, M = medium, L = large.",
        "Red means stop, green means go.",
        // Line by line.
        "The size, one of:\n- small\n- medium\n- large",
        "The size.\n* small\n* medium\n* large",
        "The size.\n1. small\n2. medium\n3. large",
        // What holds at times, or of some.
        "One of a, b, unless it is sold out.",
        "One of red, green or blue, except on Sundays.",
        "One of red, green or blue if it is in stock.",
        "One of red, green or blue; empty where nobody knows.",
        "Either red or blue, whichever fits.",
        "Pick one of red, green, blue, or none if unknown.",
        "Pick red, green, blue or leave it empty.",
        "For children: small, medium or large.",
        "By default one of red, green or blue.",
        "One of red, green or blue. Otherwise free text.",
        "One of red, green or blue. For members black as well.",
        "If there is time, one of red, green or blue.",
        "The size. Sizes: S, M, L. Shoes: 36 to 45.",
        "Allowed values are window and aisle; ask for it",
        // What may be no value.
        "Answer yes, no or maybe.",
        "Size small, medium or large.",
        "Small, medium, large",
        "Size S/M/L",
        "There are three sizes: small, medium and large.",
        "It comes in red, green and blue.",
    ] {
        assert_eq!(drafted("string", text, &json!({})), None, "{text}");
    }
    for text in ["1 = low, 2 = high.", "1, 2 or 4, as there is room."] {
        assert_eq!(drafted("integer", text, &json!({})), None, "{text}");
    }
}

#[test]
fn a_bound_of_which_all_is_said_is_drafted_z048() {
    for (key_type, text, bounds) in [
        (
            "integer",
            "How old one is. Must be under 60.",
            json!({"exclusiveMaximum": 60}),
        ),
        ("integer", "Under 60.", json!({"exclusiveMaximum": 60})),
        ("number", "The temperature, above 0.", json!({"exclusiveMinimum": 0})),
        (
            "integer",
            "How many, more than 2 and fewer than 8.",
            json!({"exclusiveMinimum": 2, "exclusiveMaximum": 8}),
        ),
        (
            "integer",
            "Less than 10 but not less than 2.",
            json!({"minimum": 2, "exclusiveMaximum": 10}),
        ),
        ("integer", "How many. No more than a dozen.", json!({"maximum": 12})),
        ("integer", "At least one.", json!({"minimum": 1})),
        ("integer", "Cannot be less than 3.", json!({"minimum": 3})),
        ("integer", "Must not be higher than twelve.", json!({"maximum": 12})),
        ("integer", "Up to 9 guests in all.", json!({"maximum": 9})),
        ("integer", "Minimum 2. Maximum 9.", json!({"minimum": 2, "maximum": 9})),
        (
            "integer",
            "At least 2 kg and at most 9 kg.",
            json!({"minimum": 2, "maximum": 9}),
        ),
        ("integer", "Between 9 and 1.", json!({"minimum": 1, "maximum": 9})),
        (
            "integer",
            "Between 1 and 9, inclusive.",
            json!({"minimum": 1, "maximum": 9}),
        ),
        (
            "integer",
            "How old one is, from 9 to 15.",
            json!({"minimum": 9, "maximum": 15}),
        ),
        (
            "string",
            "A note of fewer than 50 characters.",
            json!({"maxLength": 49}),
        ),
        ("array", "The toppings, more than 2.", json!({"minItems": 3})),
    ] {
        assert_eq!(drafted(key_type, text, &json!({})), Some(bounds), "{text}");
    }
}

#[test]
fn a_bound_with_more_said_of_it_is_found_and_not_drafted_z048() {
    for (key_type, text) in [
        // Two figures, or two ranges.
        ("integer", "Range: 1-9, or 0 if unknown."),
        ("integer", "Range: 1 to 9. 0 means none."),
        ("integer", "Score 1 to 10, 0 for none."),
        ("integer", "Between 1 and 9 for adults, between 2 and 3 for children."),
        ("integer", "At most 5. Groups: at most 20."),
        ("integer", "At most 5 (10 for groups)."),
        ("integer", "From 2 to 10 in steps of 2."),
        ("integer", "Under 18 or over 65."),
        ("string", "A note of at most 50 characters, 70 for members."),
        // What holds at times, or not for sure.
        ("number", "The price, at least 5 by card, any amount in cash."),
        ("integer", "If paid by card, between 5 and 5000."),
        ("integer", "Between 5 and 5000 unless it is free."),
        ("integer", "At most 5, but 20 for groups."),
        ("integer", "Usually at most 5."),
        ("integer", "At most 5 per person."),
        ("integer", "Must not be between 1 and 5."),
        ("integer", "Between 1 and 9, exclusive."),
        // Of something else.
        ("integer", "Number of rooms with at least 2 beds."),
        ("integer", "How many guests, 18 or older."),
        ("integer", "How many nights, at most 30 days."),
        ("integer", "At least one of them."),
        ("array", "The prices, at most 50 euros."),
        // Another number than is read, or none.
        ("integer", "At most two dozen."),
        ("number", "A share of at most 50%."),
        ("integer", "Less than 1.5 litres."),
        ("integer", "From 9 to 5."),
        ("string", "A note of between 50 and 10 characters."),
        ("integer", "At least 2 and at most 1."),
    ] {
        assert_eq!(drafted(key_type, text, &json!({})), None, "{text}");
    }
    let of_numbers = json!({"items": {"type": "number"}});
    assert_eq!(drafted("array", "The prices, at most 50.", &of_numbers), None);
}

#[test]
fn plain_bounds_are_drafted_with_their_own_numbers_z048() {
    let both = |low: i64, high: i64| json!({"minimum": low, "maximum": high});
    for (key_type, text, bounds) in [
        ("integer", "The hour of the day, 0-23.", both(0, 23)),
        ("integer", "Priority of the ticket, 1 to 5.", both(1, 5)),
        ("integer", "Temperature in degrees, -30 to 50.", both(-30, 50)),
        ("integer", "Priority from 1 (low) to 5 (urgent).", both(1, 5)),
        ("integer", "Priority: 1 (low) to 5 (urgent).", both(1, 5)),
        ("integer", "One to four seats.", both(1, 4)),
        (
            "number",
            "Amount to send, greater than 3.",
            json!({"exclusiveMinimum": 3}),
        ),
        (
            "string",
            "Zip code, exactly five digits.",
            json!({"pattern": "^[0-9]{5}$"}),
        ),
        (
            "string",
            "Zip code with exactly five digits.",
            json!({"pattern": "^[0-9]{5}$"}),
        ),
        (
            "string",
            "Code of 6 characters.",
            json!({"minLength": 6, "maxLength": 6}),
        ),
        (
            "string",
            "Name of the guest; must not be empty.",
            json!({"minLength": 1}),
        ),
        ("array", "Who comes; cannot be empty.", json!({"minItems": 1})),
        (
            "string",
            "A note, must not be empty, at most 200 characters.",
            json!({"minLength": 1, "maxLength": 200}),
        ),
        (
            "string",
            "Title of the song, 1 to 80 characters.",
            json!({"minLength": 1, "maxLength": 80}),
        ),
    ] {
        assert_eq!(drafted(key_type, text, &json!({})), Some(bounds), "{text}");
    }
    for (key_type, text) in [
        ("integer", "The trains, 9-17 on weekdays."),
        ("integer", "Children between 2 and 12 years."),
    ] {
        assert_eq!(drafted(key_type, text, &json!({})), None, "{text}");
    }
    for (key_type, text) in [
        ("integer", "A talk of one to one."),
        ("integer", "Telephone, 555-1234."),
        ("integer", "Version of the form, 1-2."),
        ("integer", "The score, 3-1 for the guests."),
        ("string", "Where the basket must not be empty."),
        ("string", "The last four digits of the card."),
    ] {
        let told = told(key_type, text, &json!({}));
        assert!(!says(&told, Advice::ProseRange), "{told:?}");
    }
    for (text, hint) in [
        ("Usually 1 to 5.", r#"{"minimum":1,"maximum":5}"#),
        ("At most 5 per person.", r#"{"maximum":5}"#),
        ("Must not be between 1 and 5.", "\"Range: 1-9.\""),
    ] {
        let told = told("integer", text, &json!({}));
        let found = told.iter().find(|finding| finding.rule == Advice::ProseRange);
        assert!(found.is_some_and(|finding| finding.message.contains(hint)), "{told:?}");
    }
}

#[test]
fn a_list_with_remarks_or_of_elements_is_found_z048() {
    for (key_type, text, found) in [
        ("string", "standard (3 days) or express (1 day)", true),
        ("string", "Phone (at home) or email (at work).", false),
        ("array", "Days on which it runs: mon, tue, wed", true),
        ("array", "What is on it: names, ages, wishes.", false),
        ("array", "What hurts: head, back, knee and the like.", false),
        ("array", "Who comes. Format: a list, with an element for each.", false),
    ] {
        let told = told(key_type, text, &json!({}));
        assert_eq!(says(&told, Advice::ProseList), found, "{text} {told:?}");
    }
}

#[test]
fn what_the_key_s_own_constraints_refuse_is_not_drafted_and_is_named_z048_z017() {
    for (key_type, text, constraints, named) in [
        (
            "string",
            "One of S, M or XXL.",
            json!({"maxLength": 2}),
            "refuse \"XXL\"",
        ),
        (
            "string",
            "One of small, medium or large.",
            json!({"minLength": 9}),
            "refuse \"small\", \"medium\", \"large\"",
        ),
        (
            "array",
            "Acceptable values: ham, olives.",
            json!({"items": {"type": "string", "maxLength": 3}}),
            "refuse \"olives\"",
        ),
        ("integer", "At least 6.", json!({"maximum": 5}), "no value conforms"),
        (
            "integer",
            "Between 1 and nine.",
            json!({"multipleOf": 10}),
            "no value conforms",
        ),
    ] {
        assert_eq!(drafted(key_type, text, &constraints), None, "{text}");
        let messages: Vec<String> = told(key_type, text, &constraints)
            .into_iter()
            .map(|finding| finding.message)
            .collect();
        assert!(messages.iter().any(|message| message.contains(named)), "{messages:?}");
    }
    let fits = drafted("string", "One of S, M or XL.", &json!({"maxLength": 2}));
    assert_eq!(fits, Some(json!({"enum": ["S", "M", "XL"]})));
    let grammar = told(
        "string",
        "The size. Acceptable values: S, M, XXL.",
        &json!({"maxLength": 2}),
    );
    let kept = grammar.iter().find(|finding| finding.rule == Advice::NotTakenOver);
    assert!(
        kept.is_some_and(|finding| finding.suggestion.is_none() && finding.message.contains("\"XXL\"")),
        "{grammar:?}"
    );
}

#[test]
fn a_key_that_nothing_can_be_given_for_is_found_z017() {
    let of_enum = json!({"enum": ["a", "b"], "minLength": 2});
    for (required, words) in [(true, "refuses every payload"), (false, "nobody can ever give one")] {
        let more = json!({"required": required, "constraints": of_enum});
        let told = of(&key("thing", "string", "What is wanted: a or b.", &more));
        let never = told.iter().find(|finding| finding.rule == Advice::NeverFillable);
        assert!(never.is_some_and(|finding| finding.message.contains(words)), "{told:?}");
    }
    let fine = told(
        "string",
        "What is wanted: a or bc.",
        &json!({"enum": ["a", "bc"], "minLength": 2}),
    );
    assert!(!says(&fine, Advice::NeverFillable), "{fine:?}");
}

#[test]
fn a_format_of_which_the_text_says_another_is_not_drafted_z048() {
    let suggests = |text: &str| {
        let told = of(&key("due_date", "string", text, &json!({})));
        told.iter()
            .filter_map(|finding| finding.suggestion.as_ref())
            .any(|patch| patch["constraints"]["format"].is_string())
    };
    for text in ["By when.", "By when it is due. Format: ISO 8601."] {
        assert!(suggests(text), "{text}");
    }
    for text in [
        "By when it is due, as MM/YYYY.",
        "By when it is due: today or tomorrow.",
        "By when it is due. Format: day and month.",
        "By when it is due. One of today, tomorrow or later.",
        "By when it is due, at most 5 characters.",
    ] {
        assert!(!suggests(text), "{text}");
    }
}

#[test]
fn no_value_is_called_right_where_words_hint_at_others_z040() {
    for (key_type, text) in [
        ("string", "Where the guest sits. Window or aisle, whichever is free."),
        ("string", "The drink (\"tea\" or \"coffee\")."),
        ("string", "Use yes or no."),
        ("string", "Only tea or coffee is served."),
        ("string", "The airport. Format: IATA code."),
        ("string", "A code of six letters."),
        ("string", "The mood, positive/negative/neutral."),
        ("integer", "An even number of guests."),
        ("integer", "Age of the guest (18+)."),
        ("number", "A share of the price in percent."),
        ("array", "What is on it, one of ham, cheese or olives."),
    ] {
        silent(text, &told(key_type, text, &json!({})));
    }
    for (key_type, text) in [
        ("string", "What the guest would like to eat or drink."),
        ("integer", "How many guests there are."),
        ("array", "What is on it."),
    ] {
        let told = told(key_type, text, &json!({}));
        let drafted = told
            .iter()
            .any(|finding| finding.rule == Advice::NoMappingExample && finding.suggestion.is_some());
        assert!(drafted, "{text}: {told:?}");
    }
}

proptest! {
    #[test]
    fn no_draft_leaves_a_key_that_nothing_can_be_given_for_z017_z048(
        key_type in select(vec!["string", "integer", "number", "array"]),
        text in select(vec!["One of: small, medium, large.", "Acceptable values: a, b-c.", "At least 6.", "Range: 1-9.",
            "At most 5 characters.", "Between nine and 3.", "More than 2 and fewer than 3.", "1, 2 or 4 only.", "Due date."]),
        name in select(vec!["thing", "due_date"]),
        constraints in select(vec![json!({}), json!({"minLength": 6}), json!({"maxLength": 5}), json!({"pattern": "^[A-Z]+$"}),
            json!({"maximum": 5}), json!({"multipleOf": 10}), json!({"maxItems": 2}), json!({"minItems": 7}),
            json!({"items": {"type": "string", "minLength": 6}}), json!({"exclusiveMinimum": 6})]),
    ) {
        let plain = key(name, key_type, text, &json!({"required": true, "constraints": constraints}));
        if let Ok((template, _)) = SchemaTemplate::parse(&document(std::slice::from_ref(&plain), &json!({}))) {
            let can = |template: &SchemaTemplate| {
                fillable::has_value(template.keys[0].key_type, &template.keys[0].constraints)
            };
            prop_assert!(can(&template), "as published: {plain}");
            let mut better = plain.clone();
            for finding in linted(&document(std::slice::from_ref(&plain), &json!({}))).findings {
                if let Some(suggestion) = &finding.suggestion {
                    json_patch::merge(&mut better, suggestion);
                    let (template, _) = SchemaTemplate::parse(&document(&[better.clone()], &json!({}))).expect("a template");
                    prop_assert!(can(&template), "{:?}: {better}", finding.rule);
                }
            }
        }
    }
}

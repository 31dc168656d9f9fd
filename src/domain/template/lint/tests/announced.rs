//! A list or a range that is announced and that nothing enforces is never passed over.

use serde_json::Value;
use serde_json::json;

use super::document;
use super::found;
use super::key;
use super::linted;
use super::of;
use super::says;
use crate::domain::template::advice::Advice;

/// What is suggested for a key whose one costly finding is of a rule; applied, it costs nothing.
#[track_caller]
fn suggested(key_type: &str, text: &str, rule: Advice) -> Option<Value> {
    let text = format!("{text} Format: as said. Example mapping: 'x' -> {}.", example(key_type));
    let key = key("thing", key_type, &text, &json!({}));
    found(&key, rule, true);
    let mut findings = of(&key).into_iter().filter(|finding| finding.rule == rule);
    findings.next().and_then(|finding| finding.suggestion)
}

fn example(key_type: &str) -> &str {
    match key_type {
        "string" => "'small'",
        "integer" => "1500",
        "number" => "18.5",
        "boolean" => "true",
        _ => "['ham']",
    }
}

#[test]
fn a_list_that_is_announced_in_any_form_is_found_z048() {
    let list = |key_type: &str, text: &str| suggested(key_type, text, Advice::ProseList);
    let sizes = json!({"enum": ["small", "medium size", "large"]});
    for text in [
        r#"The size. Acceptable values: "small", "medium size" and "large"."#,
        "The size. Acceptable values: small, medium size, large.",
        "The size. Acceptable values: 'small' / 'medium size' / 'large'.",
    ] {
        assert_eq!(list("string", text), Some(json!({ "constraints": sizes })), "{text}");
    }
    let slashes = list("string", "The size wanted. Acceptable values: small/M/L.").expect("a better text");
    assert_eq!(slashes["constraints"]["enum"], json!(["small", "M", "L"]));
    let text = slashes["semantic_description"].as_str().expect("a text");
    assert!(
        text.contains("The size wanted. Acceptable values: small, M, L. Format"),
        "{text}"
    );
    let of_numbers = list("integer", "How many grams. Acceptable values: 500, 1500.");
    assert_eq!(of_numbers, Some(json!({"constraints": {"enum": [500, 1500]}})));
    let items = list("array", "What is on it. Acceptable values: ham, cheese.");
    let enforced = json!({"items": {"type": "string", "enum": ["ham", "cheese"]}});
    assert_eq!(items, Some(json!({ "constraints": enforced })));
    let truths = list("boolean", "Whether it is wanted. Acceptable values: yes, no.").expect("a better text");
    let text = truths["semantic_description"].as_str().expect("a text");
    assert!(text.contains("Acceptable values: true (yes), false (no)."), "{text}");
    assert_eq!(
        list("boolean", "Whether it is wanted. Acceptable values: red, blue."),
        None
    );
    assert_eq!(list("object", "What is on it. Acceptable values: ham, cheese."), None);
    let twice = "Who. Acceptable values: a, b. For children: Acceptable values: c, d.";
    let unclear = list("string", twice).expect("a text with a gap");
    assert_eq!(unclear.get("constraints"), None, "which of them is not known");
}

#[test]
fn a_list_in_other_words_is_found_z048() {
    for (text, better) in [
        (
            "The colour. Valid options are: red, green, blue.",
            "The colour. Acceptable values: red, green, blue. ",
        ),
        (
            "The valid options are red, green or blue.",
            "Acceptable values: red, green, blue. ",
        ),
        (
            "The colour. Possible values: red, green, blue.",
            "The colour. Acceptable values: red, green, blue. ",
        ),
        (
            "The colour. Choose among red / green / blue.",
            "The colour. Acceptable values: red, green, blue. ",
        ),
        (
            "The colour. Use only red, green or blue.",
            "The colour. Acceptable values: red, green, blue. ",
        ),
        (
            "The colour that is wanted (red | green | blue).",
            "(red | green | blue). ",
        ),
        ("The colour that is wanted: red|green|blue.", "red|green|blue. "),
    ] {
        let found = suggested("string", &text.replace("blue", "small"), Advice::ProseList).expect("a suggestion");
        assert_eq!(found["constraints"]["enum"], json!(["red", "green", "small"]), "{text}");
        let said = found["semantic_description"]
            .as_str()
            .unwrap_or(text)
            .replace("small", "blue");
        assert!(format!("{said} ").contains(better), "{said}");
    }
    let of_numbers = suggested(
        "integer",
        "How many grams. Allowed values: 500, 1500.",
        Advice::ProseList,
    );
    assert_eq!(of_numbers, Some(json!({"constraints": {"enum": [500, 1500]}})));
}

#[test]
fn a_closed_list_is_found_behind_any_words_and_without_z048() {
    for (text, values, said) in [
        (
            "The ticket. One of: monthly, small or day pass.",
            vec!["monthly", "small", "day pass"],
            "The ticket. One of: monthly, small or day pass. ",
        ),
        (
            "Must be red, green or small.",
            vec!["red", "green", "small"],
            "Acceptable values: red, green, small. ",
        ),
        (
            "The colour must be red, green or small.",
            vec!["red", "green", "small"],
            "The colour must be red, green or small. ",
        ),
        (
            "dog, cat, or small",
            vec!["dog", "cat", "small"],
            "Acceptable values: dog, cat, small. ",
        ),
        (
            "Kind of pet: dog, cat or small.",
            vec!["dog", "cat", "small"],
            "Kind of pet: dog, cat or small. ",
        ),
        (
            "The pet that comes along (dog, guide dog or small).",
            vec!["dog", "guide dog", "small"],
            "The pet that comes along (dog, guide dog or small). ",
        ),
        (
            "The colour. Values: red, green, small.",
            vec!["red", "green", "small"],
            "The colour. Acceptable values: red, green, small. ",
        ),
        (
            "The colour. Options are: red, green, small.",
            vec!["red", "green", "small"],
            "The colour. Acceptable values: red, green, small. ",
        ),
        (
            "Morning / small / night.",
            vec!["morning", "small", "night"],
            "Acceptable values: morning, small, night. ",
        ),
        (
            "Choose between small and large.",
            vec!["small", "large"],
            "Acceptable values: small, large. ",
        ),
        (
            "Select small, medium or extra large.",
            vec!["small", "medium", "extra large"],
            "Select small, medium or extra large. ",
        ),
        (
            "The mood, which can be: positive, negative or small.",
            vec!["positive", "negative", "small"],
            "The mood, which can be: positive, negative or small. ",
        ),
    ] {
        let end = if text.ends_with('.') { "" } else { "." };
        let text = format!("{text}{end} Example mapping: 'x' -> 'small'.");
        let key = key("thing", "string", &text, &json!({}));
        found(&key, Advice::ProseList, true);
        let told = of(&key);
        assert!(!says(&told, Advice::NoAcceptableValues), "{told:?}");
        let mut list = told.into_iter().filter(|finding| finding.rule == Advice::ProseList);
        let better = list
            .next()
            .and_then(|finding| finding.suggestion)
            .expect("a suggestion");
        assert_eq!(better["constraints"], json!({ "enum": values }), "{text}");
        let better = better["semantic_description"].as_str().unwrap_or(&text);
        assert!(better.starts_with(said), "{better}");
    }
    let rooms = key(
        "rooms",
        "integer",
        "How many rooms: 1, 2 or 4. Example: 'two' -> 2.",
        &json!({}),
    );
    found(&rooms, Advice::ProseList, true);
}

#[test]
fn a_list_of_instances_is_open_whatever_announces_it_z040_z048() {
    for text in [
        "The colour, e.g. red, green or blue.",
        "The colour, such as red, green or blue.",
        "The colour, for example red, green or blue.",
        "For instance: red, green or blue.",
        "Must be e.g. red, green or blue.",
        "Values: e.g. red, green, blue.",
        "Usually one of red, green or blue.",
        "Typical values: red, green or blue.",
        "One of: red, green, etc.",
        "Must be red, green or any other.",
        "Choose between red, green and other colours.",
        "Red, green or any other colour.",
        "Red, green, blue or another.",
        "One of red, green or blue. Other colours are possible.",
        "One of red, green or blue. Others may be given as well.",
    ] {
        let told = of(&key("colour", "string", text, &json!({})));
        assert!(!says(&told, Advice::ProseList), "{text} {told:?}");
    }
}

#[test]
fn a_list_that_goes_on_is_open_and_no_text_of_any_kind_is_suggested_for_it_z040_z048() {
    for text in [
        "The colour. Possible values: red, green, etc.",
        "The colour. Possible values: red, green, ...",
        "The colour. Allowed values: red, green and others.",
        "The colour. Valid options are: red, green, or anything similar.",
    ] {
        let told = of(&key("colour", "string", text, &json!({})));
        assert!(
            !says(&told, Advice::ProseList) && !says(&told, Advice::NoAcceptableValues),
            "{told:?}"
        );
    }
}

#[test]
fn what_is_no_list_announces_none_z048() {
    for text in [
        "Use only letters or digits.",
        "Use only capital letters.",
        "Use only cities or airports.",
        "Choose between 1 and 5.",
        "Speed in km/h and/or in knots.",
        "Choose from our menu.",
        "Possible values depend on the season.",
        "Valid options: IATA code, city name.",
        "What the guest wants, one of these days.",
        "Either the hotel or the airport.",
        "Must be letters, digits or underscores.",
        "Must be at least 3, at most 9 characters.",
        "Must not be red, green or blue.",
        "Must be short and polite, as usual.",
        "Must be short, clear and polite.",
        "What the user wants to eat, drink or take away.",
        "The hotel, hostel or guesthouse where the guest stays.",
        "Street, city or postcode.",
        "Anything but red, green or blue.",
        "Name, nickname or alias of the guest.",
        "Dogs, cats or rabbits.",
        "Select a room, a floor or a wing.",
        "Whether red, green or blue.",
    ] {
        found(&key("thing", "string", text, &json!({})), Advice::ProseList, false);
    }
}

#[test]
fn a_list_that_goes_on_or_is_none_announces_nothing_z048() {
    for (key_type, text) in [
        ("string", "Acceptable values: a, b, etc."),
        ("string", "Acceptable values: a, b, or others."),
        ("string", "Acceptable values: free text of 3 to 2000 characters."),
        (
            "string",
            "Acceptable values: IATA airport codes (e.g., PEK, SHA, JFK) or city names.",
        ),
        ("string", "Acceptable values: the name of any dish or drink."),
        ("string", "These are not acceptable values: a, b."),
        ("boolean", "Acceptable values: true, false."),
    ] {
        found(&key("thing", key_type, text, &json!({})), Advice::ProseList, false);
    }
    for constraints in [json!({"enum": ["a"]}), json!({"pattern": "a"})] {
        let with = key(
            "thing",
            "string",
            "Acceptable values: a / b.",
            &json!({"constraints": constraints}),
        );
        found(&with, Advice::ProseList, false);
    }
    let items = json!({"constraints": {"items": {"type": "string", "enum": ["a", "b"]}}});
    found(
        &key("thing", "array", "Acceptable values: a, b.", &items),
        Advice::ProseList,
        false,
    );
}

#[test]
fn a_range_that_is_announced_in_any_form_is_found_z048() {
    let range = |key_type: &str, text: &str| suggested(key_type, text, Advice::ProseRange);
    let bounds = |low: i64, high: i64| json!({"minimum": low, "maximum": high});
    let thousands = range("integer", "How many there are. Range: 1,000-2,000.").expect("a better text");
    assert_eq!(thousands["constraints"], bounds(1000, 2000));
    let text = thousands["semantic_description"].as_str().expect("a text");
    assert!(text.contains("Range: 1000-2000. "), "{text}");
    let backwards = range("integer", "How many there are. Range: 1600-1.").expect("a better text");
    assert_eq!(backwards["constraints"], bounds(1, 1600));
    for (key_type, text, enforced) in [
        (
            "number",
            "How long it takes, at most 50 metres.",
            json!({"maximum": 50}),
        ),
        (
            "number",
            "How long it takes, no less than 1.5 metres.",
            json!({"minimum": 1.5}),
        ),
        (
            "number",
            "At least 1 and at most 50.",
            json!({"minimum": 1, "maximum": 50}),
        ),
        (
            "integer",
            "Age of the guest, who must be 18 or older.",
            json!({"minimum": 18}),
        ),
        ("integer", "Grams, 2000 or less.", json!({"maximum": 2000})),
        ("string", "A note of at most 50 characters.", json!({"maxLength": 50})),
        ("array", "What is on it, at most 3.", json!({"maxItems": 3})),
    ] {
        assert_eq!(
            range(key_type, text),
            Some(json!({ "constraints": enforced })),
            "{text}"
        );
    }
    for (key_type, text) in [
        ("string", "How many there are. Range: 1-9."),
        ("integer", "How many there are. Range: about a dozen."),
        ("integer", "How many there are. Range: 1.5-2000.5."),
        ("array", "How many there are. Range: 1-9."),
        ("boolean", "How many there are. Range: 1-9."),
    ] {
        assert_eq!(range(key_type, text), None, "{key_type} {text}");
    }
}

#[test]
fn a_range_in_other_words_is_found_z048() {
    let both = |low: i64, high: i64| json!({"minimum": low, "maximum": high});
    for (key_type, text, enforced) in [
        ("integer", "How many. Minimum: 2, maximum: 2000", both(2, 2000)),
        ("integer", "How many there are, min. 2, max. 2000", both(2, 2000)),
        ("integer", "How many there are. Max 2000", json!({"maximum": 2000})),
        ("integer", "How many; cannot exceed 2000", json!({"maximum": 2000})),
        ("integer", "How many; must not exceed 2,000", json!({"maximum": 2000})),
        ("integer", "How many there are (1..2000)", both(1, 2000)),
        ("integer", "How many there are (1-2000)", both(1, 2000)),
        ("number", "How old one is, between one and ninety-nine", both(1, 99)),
        (
            "number",
            "How heavy it is, from 0.5 up to 100 kg",
            json!({"minimum": 0.5, "maximum": 100}),
        ),
        ("integer", "How many. Allowed values: 1–2000", both(1, 2000)),
        (
            "string",
            "A note; cannot exceed 30 characters",
            json!({"maxLength": 30}),
        ),
        ("array", "What is on it, max 3", json!({"maxItems": 3})),
    ] {
        let found = suggested(key_type, &format!("{text}."), Advice::ProseRange).expect("a suggestion");
        assert_eq!(found["constraints"], enforced, "{text}");
    }
}

#[test]
fn an_ordinary_description_with_numbers_announces_no_range_z048() {
    for text in [
        "Number of guests, e.g. 2 adults",
        "Number of guests (e.g. at least 2, max 4)",
        "Number of guests, such as between 2 and 4",
        "Number of bags, max 23 kg each",
        "How long, in 30 min 2 times a day",
        "The maximum that the user pays",
        "Number of the room on floors 1, 2 and 3",
        "Passengers of 2 families in 1 car",
        "Price in version 1.0 of 2024",
    ] {
        found(
            &key("thing", "integer", &format!("{text}."), &json!({})),
            Advice::ProseRange,
            false,
        );
    }
}

#[test]
fn a_bound_of_something_else_announces_nothing_z048() {
    for (key_type, text) in [
        ("number", "Price, with at most 2 decimals."),
        ("string", "By when, at least 2 days ahead."),
        ("integer", "How many. Example: 'at least 4' -> 4."),
    ] {
        found(&key("thing", key_type, text, &json!({})), Advice::ProseRange, false);
    }
    let bounded = json!({"constraints": {"maximum": 9}});
    found(
        &key("thing", "integer", "At most 9.", &bounded),
        Advice::ProseRange,
        false,
    );
    found(
        &key("thing", "integer", "At least 1.", &bounded),
        Advice::ProseRange,
        true,
    );
}

#[test]
fn what_the_default_stands_against_is_said_once_z048() {
    for (key_type, text, default) in [
        ("string", "Acceptable values: S/M/L.", json!("XL")),
        ("string", "Acceptable values: S, M, L.", json!("XL")),
        ("integer", "Range: 1 to 9.", json!(10)),
        ("integer", "Range: 1-9.", json!(10)),
        ("integer", "At most 9.", json!(10)),
    ] {
        let key = key("thing", key_type, text, &json!({"default_value": default}));
        let told = of(&key);
        let count = told
            .iter()
            .filter(|finding| finding.rule == Advice::NotTakenOver)
            .count();
        assert_eq!(count, 1, "{text}: {told:?}");
        assert!(
            !says(&told, Advice::ProseList) && !says(&told, Advice::ProseRange),
            "{told:?}"
        );
    }
}

#[test]
fn what_is_switched_off_is_announced_all_the_same_z048() {
    let plain = key("class", "string", super::WHOLE, &json!({}));
    let told = linted(&document(&[plain], &json!({"constraints_from_descriptions": false})));
    assert!(says(&told.findings, Advice::ProseList), "{told:?}");
}

#[test]
fn what_is_suggested_of_a_list_in_prose_does_not_contradict_itself_z048() {
    let text = "Filter. Choose one of: warm, cold or none. Example mapping: 'w' -> warm.";
    let told = of(&key("filter", "string", text, &json!({})));
    let costly: Vec<_> = told.iter().filter(|finding| finding.cost > 0).collect();
    let [finding] = costly[..] else {
        panic!("{told:?}");
    };
    assert_eq!(finding.rule, Advice::ProseList);
    assert_eq!(
        finding.suggestion,
        Some(json!({
            "constraints": {"enum": ["warm", "cold", "none"]},
            "semantic_description": "Filter. Acceptable values: warm, cold, none. Example mapping: 'w' -> warm.",
        }))
    );
}

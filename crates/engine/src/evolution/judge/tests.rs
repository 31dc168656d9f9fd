//! What is right, what is wrong, and of what nothing can be said.

use super::*;
use serde_json::json;

const RIGHT: Option<(bool, Basis)> = Some((true, Basis::Lexical));
const WRONG: Option<(bool, Basis)> = Some((false, Basis::Lexical));

fn key(name: &str, key_type: &str, members: Value) -> KeyDefinition {
    let mut document =
        json!({"key_name": name, "key_type": key_type, "required": false, "semantic_description": "It."});
    for (member, value) in members.as_object().cloned().unwrap_or_default() {
        document[member] = value;
    }
    serde_json::from_value(document).expect("a key")
}

fn seat() -> KeyDefinition {
    let list = json!({"constraints": {"enum": ["window", "aisle", "premium aisle", "none"]}, "default_value": "none"});
    key("seat_preference", "string", list)
}

fn switch(name: &str) -> KeyDefinition {
    key(name, "boolean", json!({"default_value": false}))
}

fn judged(key: &KeyDefinition, value: &Value, utterance: Option<&str>, other: &[&str]) -> Option<(bool, Basis)> {
    let other: Vec<String> = other.iter().map(|text| (*text).to_owned()).collect();
    let other = other.as_slice();
    judge(&Case {
        key,
        value,
        utterance,
        other,
    })
}

fn said(key: &KeyDefinition, value: impl Into<Value>, utterance: &str) -> Option<(bool, Basis)> {
    judged(key, &value.into(), Some(utterance), &[])
}

#[test]
fn a_value_is_right_where_it_was_said_and_wrong_where_another_was_z136() {
    for (value, utterance, verdict) in [
        ("window", "Book me a flight with a WINDOW seat", RIGHT),
        ("aisle", "Book me a flight with a window seat", WRONG),
        ("window", "not a window seat", WRONG),
        ("aisle", "no window, an aisle seat", RIGHT),
        ("window", "window or aisle", RIGHT),
        ("aisle", "a premium aisle seat", WRONG),
        ("premium aisle", "a premium-aisle seat", RIGHT),
        ("window", "any good seat", None),
        ("window", "somewhere to see the clouds", None),
        ("none", "a flight to Rome", None),
        ("none", "a window seat to Rome", WRONG),
        ("none", "no window for me", RIGHT),
    ] {
        assert_eq!(said(&seat(), value, utterance), verdict, "{value}: {utterance}");
    }
}

#[test]
fn a_value_that_is_a_part_of_a_known_one_was_said_with_it_z136() {
    let shown = json!({"semantic_description": "Seat. Examples: 'a window seat please' -> window seat."});
    let seat = key("seat_preference", "string", shown);
    assert_eq!(said(&seat, "window", "a window seat please"), RIGHT);
    assert_eq!(said(&seat, "aisle", "a window seat please"), WRONG);
}

#[test]
fn the_words_that_led_to_a_value_say_it_again_z112_z136() {
    let shown = json!({"semantic_description": "Seat. Examples: 'with a view of the clouds' -> window."});
    let seat = key("seat_preference", "string", shown);
    assert_eq!(said(&seat, "window", "a view of clouds"), RIGHT);
    assert_eq!(said(&seat, "aisle", "a view of clouds"), None);
    let time = key("pick_up", "string", json!({}));
    assert_eq!(said(&time, "19:30", "at 7:30 pm please"), RIGHT);
    assert_eq!(said(&time, "19:30", "at 8 pm please"), None);
}

#[test]
fn a_switch_follows_the_sense_of_its_name_also_where_that_denies_z112_z136() {
    for (name, utterance, wanted) in [
        ("without_nuts", "without nuts", true),
        ("without_nuts", "with extra nuts", false),
        ("nut_free", "a nut-free meal", true),
        ("without_onion", "no onions", true),
        ("without_onion", "hold nothing, onions please", false),
        ("no_smoking", "non-smoking room", true),
        ("no_smoking", "a smoking room", false),
        ("shared_ride", "I do not want to share a ride", false),
        ("onions", "soğan, onions yok", false),
        ("wifi", "no wifi needed", false),
    ] {
        let key = switch(name);
        assert_eq!(said(&key, wanted, utterance), RIGHT, "{name}: {utterance}");
        assert_eq!(said(&key, !wanted, utterance), WRONG, "{name}: {utterance}");
    }
    for utterance in [
        "yes, no problem",
        "don't forget the shared ride",
        "a shared ride with no stops",
        "",
    ] {
        assert_eq!(
            said(&switch("shared_ride"), true, utterance).filter(|(_, basis)| *basis == Basis::Lexical),
            None
        );
    }
    let both = "I used to share a ride. I do not share a ride";
    assert_eq!(said(&switch("shared_ride"), true, both), None, "both ways");
}

#[test]
fn a_switch_follows_its_examples_in_any_language_z112_z136() {
    let key = |description: &str| key("meal_wish", "boolean", json!({ "semantic_description": description }));
    for (examples, utterance, wanted) in [
        (
            "Whether it is without nuts. Examples: 'ohne Nüsse' -> true.",
            "bitte ohne Nüsse",
            true,
        ),
        ("Nuts. Examples: 'sans noix' -> false.", "pas de noix", false),
        (
            "Nuts. Examples: 'sin nueces' -> false; 'con nueces' -> true.",
            "con nueces",
            true,
        ),
        ("Nuts. Examples: '不要坚果' -> true.", "我不要坚果，谢谢", true),
    ] {
        let key = key(examples);
        assert_eq!(said(&key, wanted, utterance), RIGHT, "{examples}: {utterance}");
        assert_eq!(said(&key, !wanted, utterance), WRONG, "{examples}: {utterance}");
    }
    // The name is believed before an example that has it the wrong way round.
    let turned = json!({"semantic_description": "Nuts. Examples: 'without nuts' -> false."});
    let turned = super::tests::key("without_nuts", "boolean", turned);
    assert_eq!(said(&turned, true, "without nuts"), RIGHT);
}

#[test]
fn values_are_found_in_any_script_z136() {
    let city = key(
        "city",
        "string",
        json!({"constraints": {"enum": ["東京", "大阪", "Köln", "Москва", "서울"]}}),
    );
    for (value, utterance, verdict) in [
        ("東京", "東京へ行きたい", RIGHT),
        ("大阪", "東京じゃなくて大阪", None),
        ("Köln", "nach KÖLN, bitte", RIGHT),
        ("Köln", "nicht in Köln", WRONG),
        ("Москва", "Москва, пожалуйста", RIGHT),
        ("서울", "서울에 가고 싶어요", RIGHT),
    ] {
        assert_eq!(said(&city, value, utterance), verdict, "{value}: {utterance}");
    }
}

#[test]
fn a_number_is_the_one_beside_the_words_of_its_key_z136() {
    let bags = key("number_of_bags", "integer", json!({}));
    for (value, utterance, verdict) in [
        (3.0, "2 bags please", WRONG),
        (3.0, "2 passengers with 3 heavy bags", RIGHT),
        (25.0, "bags: twenty five", RIGHT),
        (2.0, "2 of them", RIGHT),
        (0.0, "without bags", RIGHT),
        (2.0, "without bags", WRONG),
        (1590.0, "bags worth 1,590", RIGHT),
    ] {
        assert_eq!(said(&bags, value, utterance), verdict, "{value}: {utterance}");
    }
    assert_eq!(
        said(&key("date", "string", json!({})), "2026-05-04", "back on 2026-05-04"),
        RIGHT
    );
    assert_eq!(
        said(&key("date", "string", json!({})), "2026-05-04", "back on May 4th"),
        None
    );
}

#[test]
fn a_list_is_right_where_each_of_its_texts_is_z136() {
    let toppings = key(
        "toppings",
        "array",
        json!({"semantic_description": "It. Examples: 'olives' -> olives; 'ham' -> ham."}),
    );
    for (value, verdict) in [
        (json!(["ham", "olives"]), RIGHT),
        (json!(["ham"]), RIGHT),
        (json!(["ham", "corn"]), WRONG),
        (json!([]), None),
        (json!({"a": 1}), None),
    ] {
        assert_eq!(said(&toppings, value.clone(), "ham and olives"), verdict, "{value}");
    }
    // Of corn nothing is said.
    assert_eq!(said(&toppings, json!(["ham", "corn"]), "ham, the usual"), None);
}

#[test]
fn other_is_text_as_an_utterance_is_z136() {
    let unsaid = |value: &str, other: &[&str]| judged(&seat(), &json!(value), None, other);
    assert_eq!(unsaid("window", &["quickly", "a window seat"]), RIGHT);
    assert_eq!(unsaid("window", &["the aisle please"]), WRONG);
    let both = judged(
        &seat(),
        &json!("window"),
        Some("a window seat"),
        &["the aisle for my wife"],
    );
    assert_eq!(both, RIGHT, "it was said");
    let utterance = judged(&seat(), &json!("window"), Some("to Rome"), &["the aisle please"]);
    assert_eq!(utterance, WRONG);
}

#[test]
fn without_text_that_speaks_of_it_a_proxy_is_left_z136_z137() {
    let unsaid = |value: Value, other: &[&str]| judged(&seat(), &value, None, other);
    let proxy = |aligned| Some((aligned, Basis::Proxy));
    assert_eq!(unsaid(json!("window"), &[]), proxy(true));
    assert_eq!(unsaid(json!("somewhere"), &["a vegetarian meal"]), proxy(true));
    // `other` asks for the same.
    assert_eq!(unsaid(json!("window"), &["my usual seat preference"]), proxy(false));
    for nothing in [json!("none"), Value::Null] {
        assert_eq!(unsaid(nothing, &[]), None);
    }
    assert_eq!(judged(&switch("shared_ride"), &json!(true), None, &[]), proxy(true));
    // Its default.
    assert_eq!(judged(&switch("shared_ride"), &json!(false), None, &[]), None);
    // A blank says nothing.
    assert_eq!(judged(&seat(), &json!("window"), Some("  "), &[]), proxy(true));
    // An utterance that is silent.
    assert_eq!(judged(&seat(), &json!("window"), Some("to Rome"), &[]), None);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic_z169(utterance in "\\PC{0,80}", value in "\\PC{0,20}", name in "[a-z][a-z_]{0,12}") {
        let text = json!(value);
        for value in [&text, &json!(true), &json!(2.5), &json!([value])] {
            for key_type in ["string", "boolean", "number", "array"] {
                let key = key(&name, key_type, json!({"constraints": {"enum": [value]}}));
                judged(&key, value, Some(&utterance), &[]);
                judged(&key, value, None, &[&utterance]);
            }
        }
    }
}

//! Small cases, each with one thing to see.

use serde_json::Value;
use serde_json::json;

use super::Case;
use super::judge;
use crate::domain::evolution::ledger::Basis;
use crate::domain::template::key::KeyDefinition;

fn key(name: &str, key_type: &str, constraints: Value, default: Value) -> KeyDefinition {
    serde_json::from_value(json!({
        "key_name": name, "key_type": key_type, "required": false, "default_value": default,
        "semantic_description": "Something. Examples: 'somewhere to see the clouds' -> window; 'near the corridor' -> aisle.",
        "constraints": constraints,
    }))
    .expect("a key")
}

fn seat() -> KeyDefinition {
    key(
        "seat_preference",
        "string",
        json!({"enum": ["window", "aisle", "none"]}),
        json!("none"),
    )
}

fn bags() -> KeyDefinition {
    key("number_of_bags", "integer", json!({}), Value::Null)
}

fn shared() -> KeyDefinition {
    key("shared_ride", "boolean", json!({}), json!(false))
}

fn said(key: &KeyDefinition, value: Value, utterance: &str) -> Option<bool> {
    let surfaces = ["window".to_owned(), "aisle".to_owned()];
    let case = Case {
        key,
        value: &value,
        utterance: Some(utterance),
        other: &[],
        surfaces: if key.key_name.as_str() == "seat_preference" {
            &surfaces
        } else {
            &[]
        },
    };
    judge(&case).map(|(aligned, basis)| {
        assert_eq!(basis, Basis::Lexical);
        aligned
    })
}

fn unsaid(key: &KeyDefinition, value: Value, other: &[&str], surfaces: &[&str]) -> Option<bool> {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (other, surfaces) = (own(other), own(surfaces));
    let case = Case {
        key,
        value: &value,
        utterance: None,
        other: &other,
        surfaces: &surfaces,
    };
    judge(&case).map(|(aligned, basis)| {
        assert_eq!(basis, Basis::Proxy);
        aligned
    })
}

#[test]
fn a_listed_value_must_be_the_one_that_was_said_z136() {
    assert_eq!(
        said(&seat(), json!("window"), "Book me a flight with a window seat"),
        Some(true)
    );
    assert_eq!(
        said(&seat(), json!("aisle"), "Book me a flight with a window seat"),
        Some(false)
    );
    assert_eq!(
        said(&seat(), json!("window"), "windows, please"),
        Some(true),
        "by its stem"
    );
    assert_eq!(said(&seat(), json!("window"), "not a window seat"), Some(false));
    assert_eq!(
        said(&seat(), json!("window"), "a flight to Rome"),
        Some(false),
        "invented"
    );
    assert_eq!(
        said(&seat(), json!("window"), "any good seat"),
        None,
        "the seat is spoken of, the value is not"
    );
    assert_eq!(
        said(&seat(), json!("window"), "I want to see the clouds from somewhere"),
        Some(true),
        "by example"
    );
}

#[test]
fn a_default_of_which_nothing_is_said_is_unjudged_z136() {
    assert_eq!(said(&seat(), json!("none"), "a flight to Rome"), None);
    assert_eq!(said(&seat(), json!("none"), "a window seat to Rome"), Some(false));
    assert_eq!(said(&seat(), json!("none"), "no window for me"), Some(true));
    assert_eq!(said(&seat(), json!("none"), "no seat preference"), Some(true));
    assert_eq!(said(&seat(), Value::Null, "a window seat"), None);
    assert_eq!(
        said(&shared(), json!(false), "a ride to the airport at five"),
        None,
        "any ride is a ride"
    );
    assert_eq!(said(&shared(), json!(false), "take me to the airport"), None);
}

#[test]
fn numbers_beside_their_noun_decide_z136() {
    assert_eq!(said(&bags(), json!(2), "two bags please"), Some(true));
    assert_eq!(said(&bags(), json!(3), "2 bags please"), Some(false));
    assert_eq!(said(&bags(), json!(2), "2 passengers with 3 bags"), Some(false));
    assert_eq!(said(&bags(), json!(3), "2 passengers with 3 heavy bags"), Some(true));
    assert_eq!(said(&bags(), json!(1), "and a bag"), Some(true));
    assert_eq!(said(&bags(), json!(0), "without bags"), Some(true));
    assert_eq!(said(&bags(), json!(2), "without bags"), Some(false));
    assert_eq!(said(&bags(), json!(25), "bags: twenty five"), Some(true));
    assert_eq!(said(&bags(), json!(2), "take them both to Rome"), None);
    assert_eq!(said(&bags(), json!(2), "2 of them"), Some(true));
    assert_eq!(said(&bags(), json!(4), "2 of them"), Some(false));
}

#[test]
fn booleans_follow_cue_and_negation_z136() {
    assert_eq!(said(&shared(), json!(true), "a shared cab is fine"), Some(true));
    assert_eq!(said(&shared(), json!(false), "a shared cab is fine"), Some(false));
    assert_eq!(said(&shared(), json!(true), "I do not want to share"), Some(false));
    assert_eq!(said(&shared(), json!(false), "I do not share"), Some(true));
    assert_eq!(said(&shared(), json!(true), "I don't mind sharing"), Some(true));
    assert_eq!(said(&shared(), json!(true), "take me home"), None);
}

#[test]
fn dates_and_times_are_compared_as_said_z136() {
    let date = key("return_date", "string", json!({"format": "date"}), Value::Null);
    assert_eq!(said(&date, json!("2026-05-04"), "back on May 4th"), Some(true));
    assert_eq!(said(&date, json!("2026-05-05"), "back on May 4th"), Some(false));
    assert_eq!(said(&date, json!("2026-05-04"), "back on 2026-05-04"), Some(true));
    assert_eq!(
        said(&date, json!("2026-05-04"), "from 2026-05-01 to 2026-05-04"),
        Some(true)
    );
    assert_eq!(said(&date, json!("2026-05-04"), "next Monday"), Some(true));
    assert_eq!(said(&date, json!("2026-05-05"), "next Monday"), Some(false));
    assert_eq!(
        said(&date, json!("2026-05-04"), "tomorrow"),
        None,
        "only the moment of saying could tell"
    );
    let clock = key(
        "return_time",
        "string",
        json!({"pattern": crate::domain::evolution::moment::CLOCK_PATTERN}),
        Value::Null,
    );
    assert_eq!(said(&clock, json!("17:00"), "at 5 pm"), Some(true));
    let time = key("return_time", "string", json!({"format": "time"}), Value::Null);
    assert_eq!(said(&time, json!("17:00"), "at 5 pm"), Some(true));
    assert_eq!(said(&time, json!("05:00"), "at 5 pm"), Some(false));
    assert_eq!(
        said(&time, json!("17:30"), "at 5:30"),
        Some(true),
        "either half of the day"
    );
    assert_eq!(said(&time, json!("17:30"), "early"), None);
}

#[test]
fn free_text_needs_half_of_its_words_z136() {
    let hotel = key("hotel_name", "string", json!({}), Value::Null);
    assert_eq!(
        said(&hotel, json!("Grand Budapest"), "a room at the Grand Budapest"),
        Some(true)
    );
    assert_eq!(said(&hotel, json!("Grand Budapest"), "a room at the Grand"), Some(true));
    assert_eq!(
        said(&hotel, json!("Grand Budapest Palace"), "a room at the Grand"),
        None
    );
    assert_eq!(said(&hotel, json!("Ritz"), "a room at the Grand"), Some(false));
    let list = key("toppings", "array", json!({}), Value::Null);
    assert_eq!(said(&list, json!(["ham", "olives"]), "ham and olives"), Some(true));
    assert_eq!(said(&list, json!(["ham", "corn"]), "ham and olives"), Some(false));
    assert_eq!(said(&list, json!([]), "ham"), None);
    assert_eq!(said(&list, json!({"a": 1}), "ham"), None);
}

#[test]
fn without_an_utterance_known_values_are_right_unless_other_still_asks_z137() {
    let known = ["window", "aisle"];
    assert_eq!(unsaid(&seat(), json!("window"), &[], &known), Some(true));
    assert_eq!(unsaid(&seat(), json!("window"), &["extra legroom"], &known), Some(true));
    assert_eq!(
        unsaid(&seat(), json!("window"), &["a seat at the front"], &known),
        Some(false),
        "by its cue"
    );
    assert_eq!(
        unsaid(&seat(), json!("window"), &["aisle"], &known),
        Some(false),
        "by its value"
    );
    assert_eq!(
        unsaid(&seat(), json!("roof"), &[], &known),
        Some(false),
        "not on the list"
    );
    assert_eq!(unsaid(&seat(), json!("none"), &[], &known), None);
    assert_eq!(unsaid(&seat(), json!("none"), &["window seat"], &known), Some(false));
}

#[test]
fn without_an_utterance_typed_values_are_right_by_their_form_z137() {
    assert_eq!(unsaid(&bags(), json!(2), &[], &[]), Some(true));
    assert_eq!(unsaid(&bags(), json!(2), &["three bags"], &[]), Some(false));
    assert_eq!(unsaid(&shared(), json!(true), &[], &[]), Some(true));
    assert_eq!(unsaid(&shared(), json!(false), &[], &[]), None);
    let date = key("return_date", "string", json!({"format": "date"}), Value::Null);
    assert_eq!(unsaid(&date, json!("2026-05-04"), &[], &[]), Some(true));
    assert_eq!(unsaid(&date, json!("soon"), &[], &[]), Some(false));
    let hotel = key("hotel_name", "string", json!({}), Value::Null);
    assert_eq!(unsaid(&hotel, json!("Ritz"), &[], &["ritz"]), Some(true));
    assert_eq!(unsaid(&hotel, json!("Grand"), &[], &["ritz"]), None);
}

#[test]
fn an_empty_utterance_is_none_z137() {
    let value = json!("window");
    let case = Case {
        key: &seat(),
        value: &value,
        utterance: Some("  "),
        other: &[],
        surfaces: &[],
    };
    assert_eq!(judge(&case), Some((true, Basis::Proxy)));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic_z169(utterance in ".{0,80}", value in ".{0,20}", surface in ".{0,8}") {
        let value = json!(value);
        let surfaces = [surface];
        for key in [seat(), bags(), shared(), key("d", "string", json!({"format": "date"}), Value::Null),
            key("t", "string", json!({"format": "time"}), Value::Null)] {
            for utterance in [Some(utterance.as_str()), None] {
                let case = Case { key: &key, value: &value, utterance, other: &surfaces, surfaces: &surfaces };
                let _ = judge(&case);
            }
        }
    }
}

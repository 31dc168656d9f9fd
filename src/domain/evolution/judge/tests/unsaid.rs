//! What is judged without an utterance.

use serde_json::Value;
use serde_json::json;

use super::bags;
use super::key;
use super::seat;
use super::shared;
use crate::domain::evolution::judge::Case;
use crate::domain::evolution::judge::judge;
use crate::domain::evolution::ledger::Basis;
use crate::domain::template::key::KeyDefinition;

fn unsaid(key: &KeyDefinition, value: Value, other: &[&str], surfaces: &[&str]) -> Option<bool> {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (other, surfaces) = (own(other), own(surfaces));
    let case = Case {
        key,
        value: &value,
        utterance: None,
        other: &other,
        surfaces: &surfaces,
        siblings: &[],
        at: None,
    };
    judge(&case).map(|(aligned, basis)| {
        assert_eq!(basis, Basis::Proxy);
        aligned
    })
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
        siblings: &[],
        at: None,
    };
    assert_eq!(judge(&case), Some((true, Basis::Proxy)));
}

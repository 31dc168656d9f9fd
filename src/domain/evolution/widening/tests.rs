//! Lists, and what a candidate adds to them.

use serde_json::Value;
use serde_json::json;

use super::ADDED_MAX;
use super::LISTED_MAX;
use super::Widening;
use super::closing;
use super::widening;
use crate::domain::evolution::conflict::REFINED_MAX;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::ValueCount;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::pool::proposal::Proposal;
use crate::domain::template::key::KeyDefinition;

fn key(list: &Value, description: &str) -> KeyDefinition {
    serde_json::from_value(json!({
        "key_name": "seat_preference", "key_type": "string", "required": false,
        "semantic_description": description, "constraints": {"enum": list},
    }))
    .expect("a key")
}

fn propose(list: &Value, description: &str) -> Proposal {
    Proposal {
        key: key(list, description),
        surfaces: Vec::new(),
        examples: Vec::new(),
        sensitive: None,
        grounds: Grounds::default(),
        holds: Vec::new(),
        about: String::new(),
        shown: Vec::new(),
    }
}

const SEAT: &str = "Seat preference the user wants. Acceptable values: window, aisle, none. Examples: \
                    'window seat please' -> window.";

fn added(list: &Value) -> Option<Widening> {
    let description = "Seat. Examples: 'put me in the exit row' -> exit row.";
    widening(
        &propose(list, description),
        &key(&json!(["window", "aisle", "none"]), SEAT),
    )
}

#[test]
fn what_is_new_is_added_and_named_in_the_description_z107_z114() {
    let wider = added(&json!(["Window", "exit row", "middle", "none"])).expect("two more");
    assert_eq!(wider.values, ["exit row", "middle"]);
    assert_eq!(
        wider.semantic_description,
        "Seat preference the user wants. Acceptable values: window, aisle, exit row, middle, none. Examples: \
         'window seat please' -> window; 'put me in the exit row' -> exit row."
    );
}

#[test]
fn where_nothing_is_new_nothing_is_proposed_z113() {
    assert_eq!(added(&json!(["aisle", "none"])), None);
    let open: KeyDefinition = serde_json::from_value(json!({
        "key_name": "seat_preference", "key_type": "string", "required": false, "semantic_description": "Seat.",
    }))
    .expect("a key");
    assert_eq!(widening(&propose(&json!(["middle", "none"]), "Seat."), &open), None);
}

#[test]
fn a_list_grows_to_its_limit_and_no_further_z107() {
    let held = key(&listed(0, LISTED_MAX - 2), "Seat.");
    assert!(widening(&propose(&listed(40, 42), "Seat."), &held).is_some());
    assert_eq!(widening(&propose(&listed(40, 43), "Seat."), &held), None);
}

#[test]
fn the_most_frequent_come_first_and_the_rest_another_time_z107() {
    let held = key(&listed(0, 3), "Seat.");
    let wider = widening(&propose(&listed(10, 10 + ADDED_MAX + 1), "Seat."), &held).expect("more");
    assert_eq!(wider.values.len(), ADDED_MAX);
    assert_eq!(wider.values[0], "qcb");
}

#[test]
fn a_value_is_added_when_enough_ask_for_it_z107_z112() {
    let held = key(&listed(0, 3), "Seat.");
    let asked = |fragments: u64, of: u64| {
        let mut proposal = propose(&json!(["middle", "none"]), "Seat.");
        proposal.grounds.fragments = of;
        proposal.grounds.values.listed = vec![ValueCount {
            value: "middle".to_owned(),
            fragments,
        }];
        widening(&proposal, &held).is_some()
    };
    assert!(asked(3, 37) && !asked(2, 10), "three at least");
    assert!(asked(4, 50) && !asked(4, 51), "eight in a hundred");
}

#[test]
fn what_would_be_a_list_if_more_was_said_adds_to_one_z107() {
    let mut proposal = propose(&json!(["none"]), "Seat.");
    proposal.key.constraints.clear();
    proposal.grounds.fragments = 10;
    proposal.grounds.values.listed = ["middle", "aisle"]
        .map(|value| ValueCount {
            value: value.to_owned(),
            fragments: 4,
        })
        .into();
    let held = key(&json!(["window", "aisle", "none"]), "Seat.");
    assert_eq!(widening(&proposal, &held), None);
    proposal.grounds.values.rule = ValuesRule::Unproven;
    let wider = widening(&proposal, &held).expect("one more");
    assert_eq!(wider.values, ["middle"]);
    let mut open = held;
    open.constraints.clear();
    proposal.grounds.kind.rule = TypeRule::List;
    assert_eq!(closing(&proposal, &open), None, "no first list of its own");
}

#[test]
fn a_value_in_more_words_is_no_new_one_z113() {
    let held = key(&json!(["drama", "comedy", "none"]), "Genre.");
    let wider = widening(
        &propose(&json!(["comedies", "action", "action film", "drama series"]), "Genre."),
        &held,
    );
    assert_eq!(wider.expect("one").values, ["action"]);
}

fn listed(from: usize, to: usize) -> Value {
    let letter = |n: usize| char::from(b"bcdfghjklm"[n % 10]);
    let values = (from..to).map(|n| format!("q{}{}", letter(n / 10), letter(n)));
    json!(values.collect::<Vec<_>>())
}

#[test]
fn examples_make_room_for_values_z112() {
    let long = format!("{SEAT}; '{}' -> aisle.", "very ".repeat(80));
    let wider = widening(
        &propose(&json!(["middle", "none"]), "Seat."),
        &key(&json!(["window", "aisle", "none"]), &long),
    );
    let text = wider.expect("one more").semantic_description;
    assert!(
        text.contains("Acceptable values: window, aisle, middle, none."),
        "{text}"
    );
    assert!(text.chars().count() < REFINED_MAX, "{text}");
}

#[test]
fn a_choice_that_was_open_gets_its_first_list_where_few_values_cover_it_z111_z114() {
    let open = |constraints: &Value| -> KeyDefinition {
        serde_json::from_value(json!({
            "key_name": "seat_preference", "key_type": "string", "required": false,
            "semantic_description": "Seat preference the user wants. Examples: 'window seat please' -> window.",
            "constraints": constraints,
        }))
        .expect("a key")
    };
    let mut proposal = propose(&json!(["window", "aisle", "none"]), "Seat.");
    assert_eq!(
        closing(&proposal, &open(&json!({}))),
        None,
        "text that no few values cover"
    );
    proposal.grounds.kind.rule = TypeRule::List;
    let first = closing(&proposal, &open(&json!({}))).expect("a list");
    assert_eq!(first.values, ["window", "aisle"]);
    assert_eq!(
        first.semantic_description,
        "Seat preference the user wants. Acceptable values: window, aisle, none. Examples: 'window seat please' -> window."
    );
    assert_eq!(closing(&proposal, &open(&json!({"pattern": "^w"}))), None);
    proposal.key = key(&listed(0, LISTED_MAX + 1), "Seat.");
    assert_eq!(closing(&proposal, &open(&json!({}))), None, "too long to be a choice");
}

//! What each change is called, and what shows it.

use serde_json::Value;
use serde_json::json;

use super::change::Change;
use super::change::Class;
use super::change::Effect;
use super::change::Kind;
use super::difference;
use crate::template::SchemaTemplate;

fn key(name: &str, key_type: &str, required: bool, more: &Value) -> Value {
    let mut key = json!({"key_name": name, "key_type": key_type, "required": required,
        "semantic_description": format!("Means {name}.")});
    let members = key.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    key
}

fn template(keys: &[Value], more: &Value) -> SchemaTemplate {
    let mut document = json!({"schema_id": "a_v1", "scenario": "a", "keys": keys});
    let members = document.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    SchemaTemplate::parse(&document).expect("a template").0
}

fn changes(old: &[Value], new: &[Value]) -> Vec<Change> {
    difference(&template(old, &json!({})), &template(new, &json!({})))
}

#[track_caller]
fn only(old: &Value, new: &Value) -> Change {
    let base = key("origin", "string", true, &json!({}));
    let found = changes(&[base.clone(), old.clone()], &[base, new.clone()]);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().expect("one")
}

/// Kind and class; how payloads of the older version are read, and of the newer one.
fn told(change: &Change) -> String {
    let told = json!([change.kind, change.class, change.backward, change.forward]);
    let words: Vec<&str> = told
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let [kind, class, backward, forward] = words[..] else {
        panic!("{told}");
    };
    format!("{kind}, {class}: {backward}, {forward}")
}

#[test]
fn the_same_template_has_no_changes_z030() {
    let keys = [key("size", "integer", false, &json!({"constraints": {"minimum": 1}}))];
    assert_eq!(changes(&keys, &keys), Vec::new());
    let spelt = [key(
        "size",
        "integer",
        false,
        &json!({"default_value": null, "constraints": {"minimum": 1.0}}),
    )];
    assert_eq!(changes(&keys, &spelt), Vec::new());
}

#[test]
fn an_optional_key_may_be_added_and_a_required_one_breaks_z080_z125() {
    let base = key("origin", "string", true, &json!({}));
    let found = changes(
        std::slice::from_ref(&base),
        &[base.clone(), key("seat", "string", false, &json!({}))],
    );
    assert_eq!(told(&found[0]), "key_added, additive: compatible, compatible");
    let found = changes(
        std::slice::from_ref(&base),
        &[base.clone(), key("seat", "string", true, &json!({}))],
    );
    assert_eq!(told(&found[0]), "key_added, breaking: breaking, compatible");
    assert_eq!(
        Value::Object(found[0].examples[0].payload.clone()),
        json!({"origin": "a"})
    );
}

#[test]
fn a_strict_older_version_refuses_what_is_added_which_is_told_z023() {
    let keys = [key("origin", "string", true, &json!({}))];
    let more = [keys[0].clone(), key("seat", "string", false, &json!({}))];
    let strict = json!({"strict": true});
    let found = difference(&template(&keys, &strict), &template(&more, &strict));
    assert_eq!(told(&found[0]), "key_added, may_break: compatible, may_break");
    assert_eq!(found[0].examples[0].effect, Effect::Refused);
    assert!(found[0].examples[0].payload.contains_key("seat"));
    let asked = [keys[0].clone(), key("seat", "string", true, &json!({}))];
    let found = difference(&template(&keys, &strict), &template(&asked, &strict));
    assert_eq!(
        told(&found[0]),
        "key_added, breaking: breaking, breaking",
        "a required key is in every payload"
    );
    let found = difference(&template(&more, &strict), &template(&keys, &strict));
    assert_eq!(told(&found[0]), "key_removed, breaking: breaking, compatible");
    let found = difference(&template(&keys, &json!({})), &template(&keys, &strict));
    assert_eq!(told(&found[0]), "strict_changed, may_break: may_break, compatible");
    let found = difference(&template(&keys, &strict), &template(&keys, &json!({})));
    assert_eq!(told(&found[0]), "strict_changed, may_break: compatible, may_break");
}

#[test]
fn a_key_that_is_gone_is_passed_over_or_missed_and_its_new_name_is_seen_z106() {
    let base = key("origin", "string", true, &json!({}));
    let seat = |required| key("seat_preference", "string", required, &json!({}));
    let found = changes(&[base.clone(), seat(false)], std::slice::from_ref(&base));
    assert_eq!(told(&found[0]), "key_removed, may_break: may_break, compatible");
    assert_eq!(found[0].examples[0].effect, Effect::PassedOver);
    let found = changes(&[base.clone(), seat(true)], std::slice::from_ref(&base));
    assert_eq!(told(&found[0]), "key_removed, breaking: may_break, breaking");
    let renamed = key("seat_preferences", "string", false, &json!({}));
    let found = changes(&[base.clone(), seat(false)], &[base.clone(), renamed]);
    assert_eq!(
        found[0].renamed_to.as_deref(),
        Some("seat_preferences"),
        "nearly the name"
    );
    let mut moved = key("where_to_sit", "string", false, &json!({}));
    moved["semantic_description"] = json!("Means seat_preference.");
    let found = changes(&[base.clone(), seat(false)], &[base.clone(), moved.clone()]);
    assert_eq!(found[0].renamed_to.as_deref(), Some("where_to_sit"), "the description");
    moved["key_type"] = json!("integer");
    let found = changes(&[base.clone(), seat(false)], &[base, moved]);
    assert_eq!(found[0].renamed_to, None, "another type is another key");
}

#[test]
fn required_and_optional_break_one_side_each_z017() {
    let seat = |required| key("seat", "string", required, &json!({}));
    let change = only(&seat(false), &seat(true));
    assert_eq!(told(&change), "made_required, breaking: breaking, compatible");
    let change = only(&seat(true), &seat(false));
    assert_eq!(told(&change), "made_optional, breaking: compatible, breaking");
    assert!(!change.examples[0].payload.contains_key("seat"));
}

#[test]
fn lists_and_bounds_are_widened_narrowed_or_restated_z048() {
    let list = |values: Value| key("class", "string", false, &json!({"constraints": {"enum": values}}));
    let change = only(&list(json!(["a", "b"])), &list(json!(["a", "b", "c"])));
    assert_eq!(told(&change), "widened, breaking: compatible, breaking");
    assert_eq!(change.examples[0].payload["class"], json!("c"));
    assert!(change.message.contains("gains \"c\""), "{}", change.message);
    let change = only(&list(json!(["a", "b"])), &list(json!(["a"])));
    assert_eq!(told(&change), "narrowed, breaking: breaking, compatible");
    let change = only(&list(json!(["a", "b"])), &list(json!(["b", "a"])));
    assert_eq!(told(&change), "restated, wording: compatible, compatible");
    let change = only(&list(json!(["a", "b"])), &list(json!(["a", "c"])));
    assert_eq!(told(&change), "constraints_changed, breaking: breaking, breaking");
    assert_eq!(change.examples.len(), 2);
    let range = |maximum: i64| key("count", "integer", false, &json!({"constraints": {"maximum": maximum}}));
    let change = only(&range(9), &range(8));
    assert_eq!(told(&change), "narrowed, breaking: breaking, compatible");
    assert_eq!(change.examples[0].payload["count"], json!(9));
}

#[test]
fn what_cannot_be_decided_may_break_z048() {
    let coded = |pattern: &str| key("code", "string", false, &json!({"constraints": {"pattern": pattern}}));
    let restated = only(&coded("^(ab|cd)$"), &coded("^(cd|ab)$"));
    assert_eq!((restated.kind, restated.class), (Kind::Restated, Class::Wording));
    // They take the same texts, and their automata remember where each of the last forty letters was an a.
    let change = only(&coded("a[ab]{40}$"), &coded("(a|aa)[ab]{40}$"));
    assert_eq!(told(&change), "constraints_changed, may_break: may_break, may_break");
    assert!(
        change.examples.is_empty() && change.message.contains("not proved"),
        "{}",
        change.message
    );
    let change = only(&coded("^[A-Z]{3}$"), &coded("^[A-Z]{2,3}$"));
    assert!(!change.message.contains("not proved"), "{}", change.message);
    let change = only(&coded("^[A-Z]{3}$"), &coded("^[A-Z]{4}$"));
    assert_eq!(change.class, Class::Breaking, "a text that shows it is found");
}

#[test]
fn a_type_that_holds_the_other_breaks_one_side_alone_z036() {
    let size = |key_type: &str| key("size", key_type, false, &json!({}));
    let change = only(&size("integer"), &size("number"));
    assert_eq!(told(&change), "type_changed, breaking: compatible, breaking");
    let change = only(&size("string"), &size("array"));
    assert_eq!(told(&change), "type_changed, breaking: breaking, breaking");
    let change = only(&size("null"), &size("string"));
    assert_eq!(
        told(&change),
        "type_changed, breaking: compatible, breaking",
        "null means omitted on either side"
    );
    let needed = |key_type: &str| key("size", key_type, true, &json!({}));
    let change = only(&needed("string"), &needed("null"));
    assert_eq!(
        told(&change),
        "type_changed, breaking: breaking, breaking",
        "a null that has to be sent is no text"
    );
    assert_eq!(change.examples[1].payload["size"], json!(null));
}

#[test]
fn another_default_is_read_otherwise_where_the_key_may_be_left_out_z043_z046() {
    let with = |required: bool, default: Value| key("class", "string", required, &json!({"default_value": default}));
    let change = only(&with(false, json!("a")), &with(false, json!("b")));
    assert_eq!(told(&change), "default_changed, may_break: may_break, compatible");
    assert_eq!(change.examples[0].effect, Effect::ReadOtherwise);
    assert_eq!(
        only(&with(false, json!(null)), &with(false, json!("b"))).class,
        Class::Additive
    );
    assert_eq!(
        only(&with(false, json!("a")), &with(false, json!(null))).class,
        Class::MayBreak
    );
    assert_eq!(
        only(&with(true, json!("a")), &with(true, json!("b"))).class,
        Class::Wording
    );
}

#[test]
fn words_are_wording_z107_z114() {
    let mut worded = key("class", "string", false, &json!({}));
    worded["semantic_description"] = json!("Another word.");
    worded["semantic_descriptions"] = json!({"de": "Ein anderes Wort."});
    worded["sensitive"] = json!("payment");
    worded["note"] = json!(1);
    let found = changes(&[key("class", "string", false, &json!({}))], &[worded]);
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|change| change.class == Class::Wording), "{found:?}");
    let plain = template(&[], &json!({}));
    let found = difference(
        &plain,
        &template(&[], &json!({"description": "d", "language": "de", "policy": {}})),
    );
    assert!(
        found.len() == 3 && found.iter().all(|change| change.class == Class::Wording),
        "{found:?}"
    );
    let found = difference(&plain, &template(&[], &json!({"response_schema": {}})));
    assert_eq!(found[0].class, Class::MayBreak);
}

#[test]
fn the_escape_valve_is_never_a_break_z060() {
    let other = |key_type: &str, more: Value| key("other", key_type, false, &more);
    let found = changes(
        &[other("string", json!({}))],
        &[other("array", json!({"constraints": {"maxItems": 1}}))],
    );
    assert!(found.iter().all(|change| change.class == Class::Wording), "{found:?}");
}

#[test]
fn where_no_payload_can_be_sent_nothing_is_shown_z017() {
    let never = key(
        "never",
        "string",
        true,
        &json!({"constraints": {"enum": ["long"], "maxLength": 1}}),
    );
    let list = |values: Value| key("class", "string", false, &json!({"constraints": {"enum": values}}));
    let found = changes(&[never.clone(), list(json!(["a"]))], &[never, list(json!(["b"]))]);
    assert_eq!(found[0].class, Class::MayBreak);
    assert!(found[0].examples.is_empty());
}

//! What each change is called, and what shows it.

use serde_json::Value;
use serde_json::json;

use super::change::Change;
use super::change::Class;
use super::change::Effect;
use super::change::Kind;
use super::change::Reading;
use super::change::Unproved;
use super::difference;
use crate::budget;
use crate::budget::Budget;
use crate::template::SchemaTemplate;

/// A key by name and type, with further members.
fn key(name: &str, key_type: &str, more: &Value) -> Value {
    let mut key = json!({"key_name": name, "key_type": key_type, "required": false,
        "semantic_description": format!("Means {name}.")});
    json_patch::merge(&mut key, more);
    key
}

fn template(keys: &[Value], more: &Value) -> SchemaTemplate {
    let mut document = json!({"schema_id": "a_v1", "scenario": "a", "keys": keys});
    json_patch::merge(&mut document, more);
    SchemaTemplate::parse(&document).expect("a template").0
}

/// The changes of keys that stand beside a required one that both have.
fn changes(old: &[Value], new: &[Value], more: &Value) -> Vec<Change> {
    let base = key("origin", "string", &json!({"required": true}));
    let [old, new] = [old, new].map(|keys| template(&[std::slice::from_ref(&base), keys].concat(), more));
    difference(&old, &new, &Budget::default())
}

#[track_caller]
fn only(old: &Value, new: &Value) -> Change {
    let found = changes(std::slice::from_ref(old), std::slice::from_ref(new), &json!({}));
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().expect("one")
}

/// Kind and class; how payloads of the older version are read, and of the newer one.
fn told(change: &Change) -> String {
    let told = json!([change.kind, change.class, change.backward, change.forward]);
    let word = |at: usize| told[at].as_str().unwrap_or_default();
    format!("{}, {}: {}, {}", word(0), word(1), word(2), word(3))
}

#[test]
fn a_kept_key_is_told_by_what_it_breaks_z017_z036_z043_z046_z048() {
    let coded = |pattern: &str| json!({"constraints": {"pattern": pattern}});
    for row in [
        json!(["string", {}, "string", {"required": true}, "made_required, breaking: breaking, compatible"]),
        json!(["string", {"required": true}, "string", {}, "made_optional, breaking: compatible, breaking"]),
        json!(["string", {"constraints": {"enum": ["a", "b"]}}, "string", {"constraints": {"enum": ["a", "b", "c"]}}, "widened, breaking: compatible, breaking", "c"]),
        json!(["string", {"constraints": {"enum": ["a", "b"]}}, "string", {"constraints": {"enum": ["a"]}}, "narrowed, breaking: breaking, compatible", "b"]),
        json!(["string", {"constraints": {"enum": ["a", "b"]}}, "string", {"constraints": {"enum": ["b", "a"]}}, "restated, wording: compatible, compatible"]),
        json!(["string", {"constraints": {"enum": ["a", "b"]}}, "string", {"constraints": {"enum": ["a", "c"]}}, "constraints_changed, breaking: breaking, breaking"]),
        json!(["integer", {"constraints": {"maximum": 9}}, "integer", {"constraints": {"maximum": 8}}, "narrowed, breaking: breaking, compatible", 9]),
        json!([
            "string",
            coded("^(ab|cd)$"),
            "string",
            coded("^(cd|ab)$"),
            "restated, wording: compatible, compatible"
        ]),
        json!([
            "string",
            coded("^[A-Z]{3}$"),
            "string",
            coded("^[A-Z]{2,3}$"),
            "widened, breaking: compatible, breaking"
        ]),
        json!([
            "string",
            coded("^[A-Z]{3}$"),
            "string",
            coded("^[A-Z]{4}$"),
            "constraints_changed, breaking: breaking, breaking"
        ]),
        // They take the same texts, and remember where each of the last forty letters was an a.
        json!([
            "string",
            coded("a[ab]{40}$"),
            "string",
            coded("(a|aa)[ab]{40}$"),
            "restated, wording: compatible, compatible"
        ]),
        json!([
            "integer",
            {},
            "number",
            {},
            "type_changed, breaking: compatible, breaking"
        ]),
        json!(["string", {}, "array", {}, "type_changed, breaking: breaking, breaking"]),
        // Null means omitted on either side, but where it has to be sent it is no text.
        json!(["null", {}, "string", {}, "type_changed, breaking: compatible, breaking"]),
        json!(["string", {"required": true}, "null", {"required": true}, "type_changed, breaking: breaking, breaking"]),
        json!(["string", {"default_value": "a"}, "string", {"default_value": "b"}, "default_changed, breaking: breaking, compatible"]),
        json!(["string", {}, "string", {"default_value": "b"}, "default_changed, additive: compatible, compatible"]),
        json!(["string", {"default_value": "a"}, "string", {}, "default_changed, breaking: breaking, compatible"]),
        json!(["string", {"required": true, "default_value": "a"}, "string", {"required": true, "default_value": "b"}, "default_changed, wording: compatible, compatible"]),
    ] {
        let [old, new] = [0, 2].map(|at| key("seat", row[at].as_str().unwrap_or_default(), &row[at + 1]));
        let change = only(&old, &new);
        assert_eq!(told(&change), row[4].as_str().unwrap_or_default(), "{row}");
        assert_eq!(
            change.message.contains("not proved"),
            [change.backward, change.forward].contains(&Reading::MayBreak),
            "{row}"
        );
        if let Some(shown) = row.get(5) {
            assert_eq!(&change.examples[0].payload["seat"], shown, "{row}");
        }
    }
}

#[test]
fn what_says_the_same_is_no_change_and_what_shows_one_is_a_payload_z030_z043_z048() {
    let sized = key("size", "integer", &json!({"constraints": {"minimum": 1}}));
    let spelt = key(
        "size",
        "integer",
        &json!({"default_value": null, "constraints": {"minimum": 1.0}}),
    );
    assert_eq!(changes(std::slice::from_ref(&sized), &[spelt], &json!({})), []);
    let [listed, longer] =
        [json!(["a"]), json!(["a", "c"])].map(|list| key("class", "string", &json!({"constraints": {"enum": list}})));
    let change = only(&listed, &longer);
    assert!(change.message.contains("gains \"c\""), "{}", change.message);
    let [one, other] = ["a", "b"].map(|default| key("class", "string", &json!({"default_value": default})));
    assert_eq!(only(&one, &other).examples[0].effect, Effect::ReadOtherwise);
    let never = key(
        "never",
        "string",
        &json!({"required": true, "constraints": {"enum": ["long"], "maxLength": 1}}),
    );
    let found = changes(&[never.clone(), listed], &[never, longer], &json!({}));
    assert!(
        found[0].class == Class::MayBreak && found[0].examples.is_empty(),
        "no payload can be sent at all"
    );
}

#[test]
fn keys_come_and_go_and_a_strict_version_refuses_what_it_does_not_have_z023_z080_z125() {
    // Whether the older version has the key and requires it, and the newer one; whether both are strict.
    for row in [
        json!([null, false, {"strict": false}, "key_added, additive: compatible, compatible", null]),
        json!([null, true, {"strict": false}, "key_added, breaking: breaking, compatible", "refused"]),
        json!([null, false, {"strict": true}, "key_added, breaking: compatible, breaking", "refused"]),
        json!([null, true, {"strict": true}, "key_added, breaking: breaking, breaking", "refused"]),
        json!([false, null, {"strict": false}, "key_removed, may_break: may_break, compatible", "passed_over"]),
        json!([true, null, {"strict": false}, "key_removed, breaking: may_break, breaking", "passed_over"]),
        json!([false, null, {"strict": true}, "key_removed, breaking: breaking, compatible", "refused"]),
    ] {
        let side = |at: usize| {
            row[at]
                .as_bool()
                .map(|required| key("seat", "string", &json!({ "required": required })))
        };
        let [old, new] = [0, 1].map(|at| Vec::from_iter(side(at)));
        let change = &changes(&old, &new, &row[2])[0];
        let effect = change.examples.first().map(|example| example.effect);
        assert_eq!(json!([told(change), effect]), json!([row[3], row[4]]));
    }
    let [plain, strict] = [false, true].map(|strict| template(&[], &json!({ "strict": strict })));
    let between = |old, new| told(&difference(old, new, &Budget::default())[0]);
    assert_eq!(
        between(&plain, &strict),
        "strict_changed, breaking: breaking, compatible"
    );
    assert_eq!(
        between(&strict, &plain),
        "strict_changed, breaking: compatible, breaking"
    );
}

#[test]
fn the_new_name_of_a_key_that_is_gone_is_seen_z106() {
    let gone = key("seat_preference", "string", &json!({}));
    let same_words = json!({"semantic_description": "Means seat_preference."});
    for (new, renamed) in [
        (key("seat_preferences", "string", &json!({})), Some("seat_preferences")),
        (key("where_to_sit", "string", &same_words), Some("where_to_sit")),
        (key("where_to_sit", "integer", &same_words), None),
    ] {
        let found = changes(std::slice::from_ref(&gone), &[new], &json!({}));
        assert_eq!(found[0].renamed_to.as_deref(), renamed);
    }
}

#[test]
fn words_are_wording_and_the_escape_valve_is_never_a_break_z060_z107_z114() {
    let worded = json!({"semantic_description": "Another word.", "semantic_descriptions": {"de": "Ein anderes Wort."},
        "sensitive": "payment", "note": 1});
    let mut found = changes(
        &[key("class", "string", &json!({}))],
        &[key("class", "string", &worded)],
        &json!({}),
    );
    let plain = template(&[], &json!({}));
    found.extend(difference(
        &plain,
        &template(&[], &json!({"description": "d", "language": "de", "policy": {}})),
        &Budget::default(),
    ));
    assert_eq!(found.len(), 7);
    let other = json!({"constraints": {"maxItems": 1}});
    found.extend(changes(
        &[key("other", "string", &json!({}))],
        &[key("other", "array", &other)],
        &json!({}),
    ));
    assert!(found.iter().all(|change| change.class == Class::Wording), "{found:?}");
    let found = difference(
        &plain,
        &template(&[], &json!({"response_schema": {}})),
        &Budget::default(),
    );
    assert_eq!(found[0].class, Class::MayBreak);
}

#[test]
fn what_follows_from_lengths_is_proved_however_long_a_payload_would_be_z048() {
    let list = |constraints: Value| key("tags", "array", &json!({ "constraints": constraints }));
    let text = |constraints: Value| key("note", "string", &json!({ "constraints": constraints }));
    let integers = |least: u64| json!({"minItems": least, "items": {"type": "integer"}});
    let within = |least: u64| json!({"properties": {"a": {"type": "array", "minItems": least}}, "required": ["b"]});
    for (old, new, read) in [
        (
            list(integers(1_000_000)),
            list(integers(1_000_001)),
            "narrowed, breaking: breaking, compatible",
        ),
        (
            list(integers(1_000_001)),
            list(integers(1_000_000)),
            "widened, breaking: compatible, breaking",
        ),
        (
            text(json!({"maxLength": 1_000_001})),
            text(json!({"maxLength": 1_000_000})),
            "narrowed, breaking: breaking, compatible",
        ),
        (
            key("box", "object", &json!({"constraints": within(1_000_000)})),
            key("box", "object", &json!({"constraints": within(1_000_001)})),
            "narrowed, breaking: breaking, compatible",
        ),
        // Of a pattern and of distinct values the lengths alone prove nothing.
        (
            text(json!({"minLength": 1_000_000, "pattern": "^(ab)*$"})),
            text(json!({"minLength": 1_000_001, "pattern": "^(ab)*$"})),
            "narrowed, may_break: may_break, compatible",
        ),
        (
            list(json!({"minItems": 1_000_000, "uniqueItems": true})),
            list(json!({"minItems": 1_000_001, "uniqueItems": true})),
            "narrowed, may_break: may_break, compatible",
        ),
    ] {
        assert_eq!(told(&only(&old, &new)), read, "{old} {new}");
    }
}

#[test]
fn one_budget_is_for_all_keys_and_what_it_does_not_reach_may_break_for_that_reason_z048() {
    let keys = |letters: usize| -> Vec<Value> {
        let pattern = format!("^[ab]*a[ab]{{{letters}}}$");
        let coded = |n: usize| {
            key(
                &format!("k{n}"),
                "string",
                &json!({"constraints": {"pattern": pattern}}),
            )
        };
        (0..40).map(coded).collect()
    };
    let [old, new] = [14, 13].map(|letters| template(&keys(letters), &json!({})));
    let budget = Budget::default();
    let changes = difference(&old, &new, &budget);
    assert_eq!(changes.len(), 40);
    for change in &changes {
        assert_eq!(told(change), "constraints_changed, breaking: breaking, breaking");
        assert_eq!(
            change.examples[0].payload.values().next(),
            Some(&json!(format!("a{}", "b".repeat(14))))
        );
    }
    let few = Budget::new((budget::CALL - budget.left()) / 2);
    let changes = difference(&old, &new, &few);
    let unreached = changes.iter().filter(|change| change.reason == Some(Unproved::Budget));
    assert!((1..40).contains(&unreached.clone().count()));
    assert!(
        unreached
            .clone()
            .all(|change| change.class == Class::MayBreak && change.examples.is_empty())
    );
}

#[test]
fn where_work_ends_before_a_payload_is_found_no_class_of_change_passes_unseen_z017() {
    let [optional, required] = [false, true].map(|required| key("seat", "string", &json!({ "required": required })));
    let [old, new] =
        [optional, required].map(|seat| template(&[key("a", "string", &json!({"required": true})), seat], &json!({})));
    let change = &difference(&old, &new, &Budget::new(1))[0];
    assert_eq!(
        (change.kind, change.reason),
        (Kind::MadeRequired, Some(Unproved::Budget))
    );
}

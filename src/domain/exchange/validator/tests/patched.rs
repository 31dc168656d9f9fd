//! Keys that a patch added or refined.

use serde_json::Value;
use serde_json::json;

use super::LIMITS;
use super::check;
use super::composed;
use super::sole;
use super::warnings;
use crate::domain::exchange::validator::OtherLimits;
use crate::domain::exchange::validator::Validator;
use crate::domain::exchange::violation::ViolationCode;
use crate::domain::template::effective::EffectiveTemplate;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::effective::LayeredChange;
use crate::domain::template::effective::Standing;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;
use crate::domain::template::name::ScenarioKey;

fn patch_id(n: u64) -> PatchId {
    PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), n)
}

fn seat(standing: Standing) -> EffectiveTemplate {
    let key = json!({"key_name": "seat", "key_type": "string", "required": false, "default_value": "none",
        "semantic_description": "Seat. Acceptable values: window, aisle, none."});
    let add = LayeredChange {
        patch_id: patch_id(1),
        change: KeyChange::Add(KeyDefinition::parse(&key).expect("a key").0),
        standing,
    };
    composed(&json!({"schema_id": "s", "scenario": "s", "keys": []}), &[add])
}

#[test]
fn a_bad_value_refuses_only_on_a_stable_key_that_was_received_z138_z060() {
    let bad = r#"{"seat": "somewhere"}"#;
    for (standing, received, refuses) in [
        (Standing::Experimental, true, false),
        (Standing::Stable, false, false),
        (Standing::Stable, true, true),
        (Standing::Deprecated, true, false),
        (Standing::Withdrawn, true, false),
    ] {
        let validator = Validator::compile(&seat(standing), LIMITS);
        let verdict = validator
            .check(bad, &|id| received && *id == patch_id(1), true)
            .expect("JSON");
        assert_eq!(verdict.accepted(), !refuses, "{standing:?} {received}");
        let warned = verdict.warnings.iter().any(|warning| warning.code == "patch_value");
        assert_eq!(warned, !refuses);
        assert!(
            !verdict.normalised.expect("asked for").contains_key("seat"),
            "kept out, and no default instead"
        );
        assert_eq!(verdict.observed.len(), 1);
        assert!(!verdict.observed[0].type_ok);
    }
}

#[test]
fn patch_keys_that_are_present_are_observed_z135_z138() {
    let right = check(&seat(Standing::Experimental), &json!({"seat": "aisle"}));
    assert_eq!(
        (right.observed[0].patch_id.clone(), right.observed[0].type_ok),
        (patch_id(1), true)
    );
    assert!(check(&seat(Standing::Stable), &json!({})).observed.is_empty());
    assert!(
        check(&seat(Standing::Stable), &json!({"seat": null}))
            .observed
            .is_empty()
    );
    let absent = check(&seat(Standing::Experimental), &json!({}));
    assert_eq!(absent.normalised.map(Value::Object), Some(json!({"seat": "none"})));
}

#[test]
fn a_refined_base_key_is_observed_and_refuses_as_a_base_key_z114_z138() {
    let refine = LayeredChange {
        patch_id: patch_id(2),
        change: KeyChange::Refine {
            key_name: KeyName::parse("n").expect("a name"),
            semantic_description: "N.".to_owned(),
            values: Vec::new(),
            closes: false,
        },
        standing: Standing::Experimental,
    };
    let document = json!({"schema_id": "s", "scenario": "s", "keys": [
        {"key_name": "n", "key_type": "integer", "required": false, "semantic_description": "T."}]});
    let template = composed(&document, &[refine]);
    let right = check(&template, &json!({"n": 1}));
    assert_eq!(
        (&right.observed[0].patch_id, right.observed[0].type_ok),
        (&patch_id(2), true)
    );
    let wrong = check(&template, &json!({"n": "x"}));
    assert_eq!(sole(&wrong).code, ViolationCode::WrongType);
    assert!(!wrong.observed[0].type_ok);
}

#[test]
fn keys_on_their_way_out_are_accepted_with_a_warning_z147_z150_z151() {
    let deprecated = check(&seat(Standing::Deprecated), &json!({"seat": "aisle"}));
    assert_eq!(warnings(&deprecated), [("seat", "deprecated_key")]);
    let withdrawn = check(&seat(Standing::Withdrawn), &json!({"seat": "aisle"}));
    assert_eq!(warnings(&withdrawn), [("seat", "withdrawn_key")]);
    assert_eq!(withdrawn.normalised.map(Value::Object), Some(json!({"seat": "aisle"})));
    assert!(
        check(&seat(Standing::Withdrawn), &json!({}))
            .defaults_applied
            .is_empty()
    );
}

#[test]
fn a_default_of_a_learned_key_does_not_speak_against_what_other_says_z043_z060_z074() {
    let limits = OtherLimits {
        strings_max: 4,
        bytes_max: 100,
    };
    let validator = Validator::compile(&seat(Standing::Experimental), limits);
    let check = |payload: &Value, received: bool| {
        let verdict = validator
            .check(&payload.to_string(), &|_| received, true)
            .expect("JSON");
        let filled = verdict
            .normalised
            .as_ref()
            .and_then(|payload| payload.get("seat").cloned());
        assert_eq!(
            filled.is_some(),
            !verdict.defaults_applied.is_empty() || payload.get("seat").is_some()
        );
        let warned: Vec<&str> = verdict.warnings.iter().map(|warning| warning.code).collect();
        (filled, warned.join(","), verdict.accepted())
    };
    for said in [json!("A WINDOW-seat, please"), json!(["quickly", "on the aisle"])] {
        let found = check(&json!({"other": said}), true);
        assert_eq!(found, (None, "said_in_other".to_owned(), true), "{said}");
    }
    for said in [
        json!("a windowless room"),
        json!("none of it"),
        json!("quickly"),
        json!([]),
    ] {
        let found = check(&json!({"other": said}), true);
        assert_eq!(found, (Some(json!("none")), String::new(), true), "{said}");
    }
    let given = check(&json!({"seat": "aisle", "other": "a window seat"}), true);
    assert_eq!(
        given,
        (Some(json!("aisle")), String::new(), true),
        "what is given stands"
    );
    let unknown = check(&json!({"other": "a window seat"}), false);
    assert_eq!(
        unknown,
        (None, String::new(), true),
        "who does not know the key is told nothing"
    );
    let base = json!({"schema_id": "s", "scenario": "s", "keys": [
        {"key_name": "seat", "key_type": "string", "required": false, "default_value": "none",
         "semantic_description": "Seat. Acceptable values: window, aisle, none."}]});
    let own = super::check(&composed(&base, &[]), &json!({"other": "a window seat"}));
    assert_eq!(
        own.defaults_applied.len(),
        1,
        "a publisher's own default is the publisher's affair"
    );
}

#[test]
fn a_learned_switch_is_not_switched_off_for_who_asks_for_it_in_other_z060_z074() {
    let key = json!({"key_name": "airport_pickup", "key_type": "boolean", "required": false, "default_value": false,
        "semantic_description": "Pickup. Examples: 'no pickup' -> false; 'a shuttle to the hotel please' -> true."});
    let add = LayeredChange {
        patch_id: patch_id(1),
        change: KeyChange::Add(KeyDefinition::parse(&key).expect("a key").0),
        standing: Standing::Stable,
    };
    let template = composed(&json!({"schema_id": "s", "scenario": "s", "keys": []}), &[add]);
    let limits = OtherLimits {
        strings_max: 4,
        bytes_max: 100,
    };
    let validator = Validator::compile(&template, limits);
    for (said, filled) in [
        ("airport pickup again please", false),
        ("Pickups from the station", false),
        ("is there a shuttle?", false),
        ("I would like a receipt please", true),
    ] {
        let payload = json!({"other": said}).to_string();
        let verdict = validator.check(&payload, &|_| true, true).expect("JSON");
        let payload = verdict.normalised.expect("asked for");
        assert_eq!(payload.contains_key("airport_pickup"), filled, "{said}");
        assert_eq!(verdict.warnings.is_empty(), filled, "{said}");
    }
}

//! Keys that a patch added or refined.

use serde_json::Value;
use serde_json::json;

use super::LIMITS;
use super::check;
use super::composed;
use super::sole;
use super::warnings;
use crate::effective::EffectiveTemplate;
use crate::effective::KeyChange;
use crate::effective::LayeredChange;
use crate::effective::Standing;
use crate::exchange::other::OtherLimits;
use crate::exchange::validator::Validator;
use crate::exchange::violation::ViolationCode;
use crate::key::KeyDefinition;
use crate::name::KeyName;
use crate::name::PatchId;
use crate::name::ScenarioKey;

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
fn a_value_refuses_only_on_a_stable_key_that_was_received_and_is_executed_where_its_type_is_right_z138_z060() {
    let learned = |standing, document: Value| {
        let add = LayeredChange {
            patch_id: patch_id(1),
            change: KeyChange::Add(KeyDefinition::parse(&document).expect("a key").0),
            standing,
        };
        composed(&json!({"schema_id": "s", "scenario": "s", "keys": []}), &[add])
    };
    let key = |key_type: &str, constraints: Value| {
        json!({"key_name": "k", "key_type": key_type, "required": false, "semantic_description": "It.",
            "constraints": constraints})
    };
    let texts = json!({"items": {"type": "string"}, "maxItems": 2});
    for (key, value, of_type) in [
        (key("string", json!({"enum": ["walnut", "none"]})), json!("crab"), true),
        (key("string", json!({"pattern": "^[a-z]+$"})), json!("A 1"), true),
        (key("string", json!({"maxLength": 2})), json!("abc"), true),
        (key("string", json!({"format": "date"})), json!("soon"), true),
        (key("integer", json!({"minimum": 1, "maximum": 3})), json!(9), true),
        (key("number", json!({"multipleOf": 0.5})), json!(0.3), true),
        (key("boolean", json!({"const": true})), json!(false), true),
        (key("array", texts.clone()), json!(["a", "b", "c"]), true),
        (key("string", json!({"enum": ["walnut"]})), json!(4), false),
        (key("string", json!({})), json!(["walnut"]), false),
        (key("integer", json!({"minimum": 1})), json!("two"), false),
        (key("integer", json!({})), json!(1.5), false),
        (key("boolean", json!({})), json!("yes"), false),
        (key("array", texts), json!(["a", 2]), false),
        (key("object", json!({})), json!("a"), false),
    ] {
        for (standing, received, refuses) in [
            (Standing::Experimental, true, false),
            (Standing::Stable, false, false),
            (Standing::Stable, true, true),
            (Standing::Deprecated, true, false),
            (Standing::Withdrawn, true, false),
        ] {
            let validator = Validator::compile(&learned(standing, key.clone()), LIMITS);
            let payload = json!({ "k": value }).to_string();
            let verdict = validator
                .check(&payload, &|id| received && *id == patch_id(1), true)
                .expect("JSON");
            let case = format!("{payload} {standing:?} {received}");
            assert_eq!(verdict.accepted(), !refuses, "{case}");
            let warned = verdict.warnings.iter().any(|warning| warning.code == "patch_value");
            assert_eq!(warned, !refuses, "{case}");
            let out: Vec<&str> = verdict.kept_out.iter().map(KeyName::as_str).collect();
            let kept_out: &[&str] = if refuses || of_type { &[] } else { &["k"] };
            assert_eq!(out, kept_out, "{case}");
            if !refuses {
                let executed = verdict.normalised.expect("asked for").get("k").cloned();
                assert_eq!(executed, of_type.then(|| value.clone()), "{case}");
            }
            let observed: Vec<bool> = verdict.observed.iter().map(|observed| observed.type_ok).collect();
            assert_eq!(observed, [of_type], "{case}");
        }
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
fn no_default_of_a_learned_key_is_filled_in_z043_z060_z074() {
    let limits = OtherLimits {
        strings_max: 4,
        bytes_max: 100,
    };
    for standing in [
        Standing::Experimental,
        Standing::Stable,
        Standing::Deprecated,
        Standing::Withdrawn,
    ] {
        let validator = Validator::compile(&seat(standing), limits);
        for payload in [
            json!({}),
            json!({"seat": null}),
            json!({"other": "quickly"}),
            json!({"other": ["anaphylactic shock from walnuts"]}),
        ] {
            let verdict = validator.check(&payload.to_string(), &|_| true, true).expect("JSON");
            assert!(verdict.accepted() && verdict.defaults_applied.is_empty(), "{payload}");
            assert!(
                !verdict.normalised.expect("asked for").contains_key("seat"),
                "{payload}"
            );
        }
    }
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

//! Keys that a patch added or refined.

use serde_json::Value;
use serde_json::json;

use super::LIMITS;
use super::check;
use super::composed;
use super::executed;
use super::sole;
use super::warnings;
use crate::effective::EffectiveTemplate;
use crate::effective::KeyChange;
use crate::effective::LayeredChange;
use crate::effective::Standing;
use crate::exchange::validator::Validator;
use crate::exchange::verdict::ViolationCode;
use crate::key::KeyDefinition;
use crate::name::KeyName;
use crate::name::PatchId;
use crate::name::ScenarioKey;

fn patch_id(n: u64) -> PatchId {
    PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), n)
}

/// A template with a key that a patch added.
fn learned(standing: Standing, key: &Value) -> EffectiveTemplate {
    let add = LayeredChange {
        patch_id: patch_id(1),
        change: KeyChange::Add(KeyDefinition::parse(key).expect("a key").0),
        standing,
    };
    composed(&json!({"schema_id": "s", "scenario": "s", "keys": []}), &[add])
}

fn seat(standing: Standing) -> EffectiveTemplate {
    let key = json!({"key_name": "seat", "key_type": "string", "required": false, "default_value": "none",
        "semantic_description": "Seat. Acceptable values: window, aisle, none."});
    learned(standing, &key)
}

#[test]
fn a_value_refuses_only_on_a_stable_key_that_was_received_and_is_executed_where_its_type_is_right_z138_z060() {
    let texts = json!({"items": {"type": "string"}, "maxItems": 2});
    for row in [
        json!(["string", {"enum": ["walnut", "none"]}, "crab", true]),
        json!(["string", {"pattern": "^[a-z]+$"}, "A 1", true]),
        json!(["string", {"maxLength": 2}, "abc", true]),
        json!(["string", {"format": "date"}, "soon", true]),
        json!(["integer", {"minimum": 1, "maximum": 3}, 9, true]),
        json!(["number", {"multipleOf": 0.5}, 0.3, true]),
        json!(["boolean", {"const": true}, false, true]),
        json!(["array", texts, ["a", "b", "c"], true]),
        json!(["string", {"enum": ["walnut"]}, 4, false]),
        json!(["string", {}, ["walnut"], false]),
        json!(["integer", {"minimum": 1}, "two", false]),
        json!(["integer", {}, 1.5, false]),
        json!(["boolean", {}, "yes", false]),
        json!(["array", texts, ["a", 2], false]),
        json!(["object", {}, "a", false]),
    ] {
        let key = json!({"key_name": "k", "key_type": row[0], "required": false, "semantic_description": "It.",
            "constraints": row[1]});
        let of_type = row[3] == true;
        for (standing, received, refuses) in [
            (Standing::Experimental, true, false),
            (Standing::Stable, false, false),
            (Standing::Stable, true, true),
            (Standing::Deprecated, true, false),
            (Standing::Withdrawn, true, false),
        ] {
            let validator = Validator::compile(&learned(standing, &key), LIMITS);
            let received = |id: &PatchId| received && *id == patch_id(1);
            let verdict = validator
                .check(&json!({"k": row[2]}).to_string(), &received, true)
                .expect("JSON");
            let case = format!("{row} {standing:?} {refuses}");
            assert_eq!(verdict.accepted(), !refuses, "{case}");
            let warned = verdict.warnings.iter().any(|warning| warning.code == "patch_value");
            assert_eq!(warned, !refuses, "{case}");
            let kept_out: &[&str] = if refuses || of_type { &[] } else { &["k"] };
            assert_eq!(json!(verdict.kept_out), json!(kept_out), "{case}");
            let kept = if of_type && !refuses {
                json!({"k": row[2]})
            } else {
                json!({})
            };
            assert_eq!(executed(&verdict), kept, "{case}");
            let observed: Vec<bool> = verdict.observed.iter().map(|observed| observed.type_ok).collect();
            assert_eq!(observed, [of_type], "{case}");
        }
    }
}

#[test]
fn patch_keys_and_refined_base_keys_that_are_present_are_observed_z114_z135_z138() {
    let right = check(&seat(Standing::Experimental), &json!({"seat": "aisle"}));
    assert_eq!(
        (&right.observed[0].patch_id, right.observed[0].type_ok),
        (&patch_id(1), true)
    );
    for absent in [json!({}), json!({"seat": null})] {
        assert!(check(&seat(Standing::Stable), &absent).observed.is_empty());
    }
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
    for (value, type_ok) in [(json!(1), true), (json!("x"), false)] {
        let verdict = check(&template, &json!({"n": value}));
        assert_eq!(
            (&verdict.observed[0].patch_id, verdict.observed[0].type_ok),
            (&patch_id(2), type_ok)
        );
        assert!(
            type_ok || sole(&verdict).code == ViolationCode::WrongType,
            "as a base key"
        );
    }
}

#[test]
fn keys_on_their_way_out_are_accepted_with_a_warning_and_a_default_works_until_they_are_gone_z043_z060_z111_z147_z150_z151_z178()
 {
    for (standing, warned) in [
        (Standing::Experimental, json!([])),
        (Standing::Stable, json!([])),
        (Standing::Deprecated, json!([["seat", "deprecated_key"]])),
        (Standing::Withdrawn, json!([["seat", "withdrawn_key"]])),
    ] {
        let verdict = check(&seat(standing), &json!({"seat": "aisle"}));
        assert_eq!(
            (warnings(&verdict), executed(&verdict)),
            (warned, json!({"seat": "aisle"}))
        );
        for payload in [json!({}), json!({"seat": null}), json!({"other": "quickly"})] {
            let verdict = check(&seat(standing), &payload);
            let is_filled_in = standing != Standing::Withdrawn;
            assert!(verdict.accepted() && verdict.observed.is_empty(), "{payload}");
            assert_eq!(verdict.defaults_applied.len(), usize::from(is_filled_in), "{payload}");
            let filled_in = is_filled_in.then(|| json!("none"));
            assert_eq!(executed(&verdict).get("seat"), filled_in.as_ref(), "{payload}");
        }
    }
}

//! What a patch publishes of itself, and when it expires.

use super::*;
use crate::evolution::evidence::Evidence;
use crate::evolution::evidence::Measured;
use schema::name::ClientId;
use schema::name::KeyName;
use serde_json::json;

const DAY_MS: i64 = 86_400_000;

fn deprecated() -> Stage {
    let (since, until) = (At(0), At(1));
    Stage::Deprecated { since, until }
}

#[test]
fn a_patch_has_exactly_the_published_shape_with_flags_by_its_stage_z115_z116_z117_z118_z119_z131_z142_z145_z147() {
    let mut patch = sample::patch(3);
    let mut expected = json!({
        "patch_id": "s.p3",
        "parent_schema_id": "s_v1",
        "timestamp": "1970-01-01T00:00:00Z",
        "expiration_date": "1970-04-01T00:00:00Z",
        "revision": 7,
        "stage": "experimental",
        "audience": {"kind": "global"},
        "new_keys": [{
            "key_name": "seat_preference", "key_type": "string", "required": false, "default_value": "none",
            "semantic_description": "Seat preference. Acceptable values: window, aisle, none.",
            "constraints": {"enum": ["window", "aisle", "none"]}, "experimental": true
        }],
        "modified_keys": []
    });
    assert_eq!(json!(patch.published()), expected);
    let (since, until) = (At(0), At(1));
    let next_look = until;
    for (stage, flag) in [
        (Stage::Stable { since, next_look }, None),
        (deprecated(), Some("deprecated")),
        (Stage::Withdrawn { since, until }, None),
        (Stage::Queued { since }, None),
    ] {
        expected["stage"] = json!(stage.name());
        let key = expected["new_keys"][0].as_object_mut().expect("a key");
        key.retain(|member, _| !["experimental", "deprecated"].contains(&member.as_str()));
        key.extend(flag.map(|flag| (flag.to_owned(), json!(true))));
        patch.stage = stage;
        assert_eq!(json!(patch.published()), expected);
    }
}

#[test]
fn a_refinement_is_a_modified_key_with_two_members_z114_z115() {
    let patch = Patch {
        change: KeyChange::Refine {
            key_name: KeyName::parse("cabin_class").expect("a name"),
            semantic_description: "Cabin.".to_owned(),
            values: Vec::new(),
            closes: false,
        },
        audience: Audience::Client(ClientId::parse("ada").expect("a client")),
        ..sample::patch(1)
    };
    let document = json!(patch.published());
    let modified = json!([{"key_name": "cabin_class", "semantic_description": "Cabin."}]);
    assert_eq!(&document["new_keys"], &json!([]));
    assert_eq!(&document["modified_keys"], &modified);
    assert_eq!(document["audience"], json!({"kind": "client", "id": "ada"}));
}

#[test]
fn expiration_is_ninety_days_and_never_before_the_trials_end_z119_z128() {
    let policy = EvolutionPolicy::default();
    let short = EvolutionPolicy {
        expiration_s: 1,
        ..EvolutionPolicy::default()
    };
    let late = 100 * DAY_MS;
    for (trial, policy, date) in [
        (None, &policy, 5 + 90 * DAY_MS),
        (Some(At(late)), &policy, late),
        (Some(At(6)), &policy, 5 + 90 * DAY_MS),
        (None, &short, 5 + 7 * DAY_MS),
    ] {
        assert_eq!(Patch::expiration_date(At(5), trial, policy), At(date));
    }
}

#[test]
fn what_counts_against_a_key_cools_it_down_twice_as_long_each_time_z128_z146_z150() {
    let policy = EvolutionPolicy::default();
    let (since, until) = (At(3), At(9));
    let withdrawn = Stage::Withdrawn { since, until };
    for (times, to, reason, days) in [
        (0, deprecated(), Reason::LowUsage, Some(14)),
        (1, deprecated(), Reason::LowUsage, Some(28)),
        (2, Stage::Rejected { since }, Reason::Operator, Some(56)),
        (0, withdrawn.clone(), Reason::Operator, Some(14)),
        (0, withdrawn, Reason::GraceOver, None),
        (0, deprecated(), Reason::NoEvidence, None),
        (0, Stage::Lapsed { since }, Reason::GateClosed, None),
        // Held at the end of time.
        (u32::MAX, deprecated(), Reason::LowUsage, Some(i64::MAX)),
    ] {
        let mut patch = sample::patch(1);
        patch.times = times;
        let until = patch.cool_down(&to, &reason, since, &policy);
        let expected = days.map(|days| since.plus_ms(days.saturating_mul(DAY_MS)));
        assert_eq!(until, expected, "{to:?} {reason:?}");
        patch.cool_until = until;
        assert_eq!(patch.cooling(since), until.is_some());
        // At its moment no longer.
        assert!(until.is_none_or(|until| !patch.cooling(until)));
    }
}

#[test]
fn evidence_keeps_examples_heat_gate_ledger_and_who_approved_z127_z143() {
    let change = |to: &str, by: Option<&str>| StageChange {
        to: to.to_owned(),
        by: by.map(By::from),
        reading: Some(KeyReading::default()),
        ..StageChange::by_rule(At(0), &deprecated(), Reason::Operator)
    };
    let mut patch = sample::patch(1);
    patch.history = vec![change("awaiting_approval", None), change("experimental", Some("olga"))];
    let mut measured = Measured::default();
    measured.reading.payloads = 40;
    let evidence = json!(Evidence::of(&patch, &measured, None));
    for (pointer, expected) in [
        ("/examples", json!(["window seat please"])),
        ("/heat_curve", json!([{"day": "1970-01-01", "heat": 61.5}])),
        ("/gate/clients", json!(5)),
        ("/ledger/payloads", json!(40)),
        ("/ledger/usage_frequency", json!(null)),
        ("/trial_curve", json!([])),
        ("/gates/usage", json!({"stays": 0.15, "leaves": 0.05})),
        ("/gates/alignment", json!({"stays": 0.8, "leaves": 0.6})),
        ("/gates/type", json!({"stays": 0.9, "leaves": 0.7})),
        ("/gates/payloads_min", json!(30)),
        ("/gates/judgements_min", json!(10)),
        ("/approved_by", json!("olga")),
        ("/history/1/by/principal", json!("olga")),
        ("/history/1/ledger/payloads", json!(0)),
    ] {
        assert_eq!(evidence.pointer(pointer), Some(&expected), "{pointer}");
    }
    patch.history = vec![change("awaiting_approval", None), change("rejected", Some("olga"))];
    assert_eq!(patch.approved_by(), None);
}

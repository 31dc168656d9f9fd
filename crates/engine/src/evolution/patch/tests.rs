//! What a patch publishes of itself, and when it expires.

use serde_json::json;

use super::Patch;
use super::StageChange;
use super::sample;
use crate::evolution::evidence;
use crate::evolution::ledger::KeyReading;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use schema::act::By;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::time::At;

const DAY_MS: i64 = 86_400_000;

fn deprecated() -> Stage {
    Stage::Deprecated {
        since: At(0),
        until: At(1),
    }
}

#[test]
fn a_patch_on_trial_has_exactly_the_published_shape_z115_z116_z117_z118_z119_z131_z142() {
    assert_eq!(
        sample::patch(3).document(),
        json!({
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
        })
    );
}

#[test]
fn flags_follow_the_stage_z142_z145_z147() {
    let flags = |stage: Stage| {
        let patch = Patch {
            stage,
            ..sample::patch(1)
        };
        let document = patch.document();
        let key = document["new_keys"][0].clone();
        (key.get("experimental").cloned(), key.get("deprecated").cloned())
    };
    let stable = Stage::Stable {
        since: At(0),
        next_look: At(1),
    };
    let withdrawn = Stage::Withdrawn {
        since: At(0),
        until: At(1),
    };
    assert_eq!(flags(sample::patch(1).stage), (Some(json!(true)), None));
    assert_eq!(flags(stable), (None, None));
    assert_eq!(flags(deprecated()), (None, Some(json!(true))));
    assert_eq!(flags(withdrawn), (None, None));
    assert_eq!(flags(Stage::Queued { since: At(0) }), (None, None));
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
    let document = patch.document();
    assert_eq!(document["new_keys"], json!([]));
    assert_eq!(
        document["modified_keys"],
        json!([{"key_name": "cabin_class", "semantic_description": "Cabin."}])
    );
    assert_eq!(document["audience"], json!({"kind": "client", "id": "ada"}));
}

#[test]
fn expiration_is_ninety_days_and_never_before_the_trials_end_z119_z128() {
    let policy = EvolutionPolicy::default();
    assert_eq!(Patch::expiration_date(At(5), None, &policy), At(5 + 90 * DAY_MS));
    let late = At(100 * DAY_MS);
    assert_eq!(Patch::expiration_date(At(5), Some(late), &policy), late);
    assert_eq!(Patch::expiration_date(At(5), Some(At(6)), &policy), At(5 + 90 * DAY_MS));
    let short = EvolutionPolicy {
        expiration_s: 1,
        ..policy
    };
    assert_eq!(Patch::expiration_date(At(5), None, &short), At(5 + 7 * DAY_MS));
}

#[test]
fn what_counts_against_a_key_cools_it_down_twice_as_long_each_time_z128_z146_z150() {
    let policy = EvolutionPolicy::default();
    let rejected = Stage::Rejected { since: At(0) };
    let withdrawn = Stage::Withdrawn {
        since: At(3),
        until: At(9),
    };
    let lapsed = Stage::Lapsed { since: At(0) };
    for (times, to, reason, days) in [
        (0, deprecated(), Reason::LowUsage, Some(14)),
        (1, deprecated(), Reason::LowUsage, Some(28)),
        (2, rejected, Reason::Operator, Some(56)),
        (0, withdrawn.clone(), Reason::Operator, Some(14)),
        (0, withdrawn, Reason::GraceOver, None),
        (0, deprecated(), Reason::NoEvidence, None),
        (0, lapsed, Reason::GateClosed, None),
    ] {
        let patch = Patch {
            times,
            ..sample::patch(1)
        };
        let until = patch.cool_down(&to, &reason, At(3), &policy);
        assert_eq!(until, days.map(|days| At(3 + days * DAY_MS)), "{to:?} {reason:?}");
    }
    let often = Patch {
        times: u32::MAX,
        ..sample::patch(1)
    };
    let until = often.cool_down(&deprecated(), &Reason::LowUsage, At(3), &policy);
    assert_eq!(until, Some(At(i64::MAX)), "held at the end of time");
}

#[test]
fn cooling_ends_at_its_moment() {
    let patch = Patch {
        cool_until: Some(At(10)),
        ..sample::patch(1)
    };
    assert!(patch.cooling(At(9)));
    assert!(!patch.cooling(At(10)));
    assert!(!sample::patch(1).cooling(At(0)));
}

#[test]
fn evidence_keeps_examples_heat_gate_ledger_and_who_approved_z127_z143() {
    let change = |to: &str, by: Option<&str>| StageChange {
        at: At(0),
        to: to.to_owned(),
        reason: Reason::Operator,
        by: by.map(By::from),
        reading: Some(KeyReading::default()),
        hand: None,
        because: None,
        scope: None,
    };
    let patch = Patch {
        history: vec![change("awaiting_approval", None), change("experimental", Some("olga"))],
        ..sample::patch(1)
    };
    let reading = KeyReading {
        payloads: 40,
        ..KeyReading::default()
    };
    let evidence = evidence::document(&patch, &reading, None);
    assert_eq!(evidence["examples"], json!(["window seat please"]));
    assert_eq!(evidence["heat_curve"], json!([{"day": "1970-01-01", "heat": 61.5}]));
    assert_eq!(evidence["gate"]["clients"], json!(5));
    assert_eq!(evidence["ledger"]["payloads"], json!(40));
    assert_eq!(evidence["ledger"]["usage_frequency"], json!(null));
    assert_eq!(evidence["approved_by"], json!("olga"));
    assert_eq!(evidence["history"][1]["by"]["principal"], json!("olga"));
    assert_eq!(evidence["history"][1]["ledger"]["payloads"], json!(0));
    let refused = Patch {
        history: vec![change("awaiting_approval", None), change("rejected", Some("olga"))],
        ..sample::patch(1)
    };
    assert_eq!(refused.approved_by(), None);
}

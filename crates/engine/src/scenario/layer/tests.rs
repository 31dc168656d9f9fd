//! What one client sees, and what nobody may change.

use proptest::prelude::ProptestConfig;
use proptest::prelude::any;
use proptest::proptest;
use serde_json::json;

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::patch::sample;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::pool::cohort::Cohorts;
use crate::pool::gate::Audience;
use crate::scenario::layer::effective;
use crate::scenario::layer::in_force;
use crate::scenario::layer::revision;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::template;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::name::CohortId;
use schema::time::At;

fn seen(scene: &Scene, whom: Option<&str>) -> u64 {
    let whom = whom.and_then(ClientId::parse);
    revision(
        &scene.state,
        scene.state.base_in_force().expect("a base"),
        scene.policy.cohorts.addressee(whom.as_ref()),
    )
}

#[test]
fn a_clients_revision_moves_when_and_only_when_it_sees_a_change_z122_z123() {
    let mut scene = Scene::new();
    let published = scene.state.seq;
    scene.say(Some("ana"), 0);
    assert_eq!(seen(&scene, Some("ana")), published, "a submission changes no template");
    let own = scene.propose_for(&Audience::Client(client("ana")), candidate("seat_preference"));
    assert_eq!(seen(&scene, Some("ana")), scene.patch(&own).revision);
    assert_eq!((seen(&scene, Some("ben")), seen(&scene, None)), (published, published));
    let all = scene.propose("meal_choice");
    let changed = scene.patch(&all).revision;
    assert_eq!(
        (seen(&scene, Some("ana")), seen(&scene, Some("ben"))),
        (changed, changed)
    );
    scene.operate(&own, OperatorAction::Deprecate).expect("deprecated");
    assert_eq!(seen(&scene, Some("ana")), scene.state.seq);
    assert_eq!(seen(&scene, Some("ben")), changed);
}

#[test]
fn a_cohorts_key_is_in_every_members_template_and_in_nobody_elses_z098_z122() {
    let mut scene = cohorts();
    let published = seen(&scene, Some("b1"));
    let fleet = Audience::Cohort(CohortId::parse("a").expect("a cohort"));
    let id = scene.propose_for(&fleet, candidate("seat_preference"));
    let revision = scene.patch(&id).revision;
    for (name, sees) in [("a1", true), ("a9", true), ("b1", false), ("zoe", false)] {
        assert_eq!(scene.serves(Some(&client(name)), "seat_preference"), sees, "{name}");
        assert_eq!(seen(&scene, Some(name)) == revision, sees, "{name}");
    }
    assert!(!scene.serves(None, "seat_preference"));
    assert_eq!(seen(&scene, Some("b1")), published);
    assert_eq!(scene.state.triggers_cohort, 1);
}

#[test]
fn what_is_for_all_is_laid_before_the_cohorts_and_that_before_a_clients_own_z098_z122() {
    let mut scene = cohorts();
    let own = scene.propose_for(&Audience::Client(client("a1")), candidate("meal_choice"));
    let shared = Audience::Cohort(CohortId::parse("a").expect("a cohort"));
    let shared = scene.propose_for(&shared, candidate("seat_preference"));
    let all = scene.propose("pet_travel");
    let member = client("a1");
    let to = scene.policy.cohorts.addressee(Some(&member));
    let laid: Vec<_> = in_force(&scene.state, to).map(|patch| patch.patch_id.clone()).collect();
    assert_eq!(laid, [all, shared, own]);
}

/// A scenario whose clients `a…` and `b…` are cohorts; there is a client outside of both.
fn cohorts() -> Scene {
    let cohorts = Cohorts::declare([("a", ["a*"]), ("b", ["b*"])]).expect("cohorts");
    let mut scene = Scene::with(Policy {
        cohorts,
        ..Policy::default()
    });
    let submitted = scene.submitted(Some("zoe"));
    scene.submit(submitted);
    scene
}

#[test]
fn what_waits_or_was_rejected_moves_no_revision_z127_z156() {
    let mut policy = Policy::default();
    policy.evolution.autonomy = Autonomy::Review;
    let mut scene = Scene::with(policy);
    let published = scene.state.seq;
    let id = scene.propose("seat_preference");
    assert_eq!(seen(&scene, None), published);
    scene.operate(&id, OperatorAction::Reject).expect("rejected");
    assert_eq!(seen(&scene, None), published);
}

#[test]
fn a_new_base_takes_over_the_patch_layer_and_the_old_one_keeps_its_content_z105_z129() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let before = scene.state.bases.clone();
    let added =
        json!({"key_name": "airline", "key_type": "string", "required": false, "semantic_description": "Airline."});
    scene.publish(template("flight_v2", "1.1.0", &[added]));
    let effective = scene.effective(None);
    assert_eq!(effective.base.schema_id.as_str(), "flight_v2");
    assert!(scene.serves(None, "airline") && scene.serves(None, "seat_preference"));
    assert_eq!(effective.revision, scene.state.seq);
    scene.operate(&id, OperatorAction::Promote).expect("promoted");
    for (schema_id, base) in &before {
        assert_eq!(
            scene.state.bases.get(schema_id),
            Some(base),
            "promotion changes no base"
        );
    }
}

#[test]
fn a_new_base_that_holds_a_patchs_key_wins_z106_z113() {
    let mut scene = Scene::new();
    scene.propose("seat_preference");
    let own =
        json!({"key_name": "seat_preference", "key_type": "integer", "required": true, "semantic_description": "Row."});
    scene.publish(template("flight_v2", "2.0.0", &[own]));
    let effective = scene.effective(None);
    let named: Vec<_> = effective
        .keys
        .iter()
        .filter(|key| key.definition.key_name.as_str() == "seat_preference")
        .collect();
    assert_eq!(named.len(), 1);
    assert!(named[0].definition.required && named[0].patch.is_none());
}

#[test]
fn a_patch_for_all_and_one_for_a_client_never_show_a_key_twice_z113_z122() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Client(client("ana")), candidate("seat_preference"));
    scene.propose("seat_preference");
    let effective = scene.effective(Some(&client("ana")));
    let named = effective
        .keys
        .iter()
        .filter(|key| key.definition.key_name.as_str() == "seat_preference");
    assert_eq!(named.count(), 1);
}

fn stage(n: u8) -> Stage {
    let since = At(0);
    let until = At(1);
    match n % 9 {
        0 => Stage::Queued { since },
        1 => Stage::AwaitingApproval { since },
        2 => Stage::Experimental(Trial {
            since,
            until,
            extensions: 0,
        }),
        3 => Stage::Stable {
            since,
            next_look: until,
        },
        4 => Stage::Deprecated { since, until },
        5 => Stage::Withdrawn { since, until },
        6 => Stage::Expired { since },
        7 => Stage::Lapsed { since },
        _ => Stage::Rejected { since },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_the_patches_a_base_key_keeps_all_but_its_words_z105_z106_z107_z108(
        patches in proptest::collection::vec((0..6_usize, any::<u8>(), any::<bool>(), any::<bool>(), any::<bool>()), 0..20)
    ) {
        let names = ["origin", "cabin_class", "legroom", "other", "seat_preference", "meal_choice"];
        let mut scene = Scene::new();
        for (n, (name, at, required, refines, personal)) in (1..).zip(patches) {
            let mut patch = sample::patch(n);
            patch.stage = stage(at);
            patch.audience = if personal { Audience::Client(client("ana")) } else { Audience::Global };
            let key = json!({"key_name": names[name], "key_type": "number", "required": required, "default_value": 7,
                "semantic_description": "Something else."});
            let key: schema::key::KeyDefinition = serde_json::from_value(key).expect("a key");
            patch.change = if refines {
                KeyChange::Refine { key_name: key.key_name, semantic_description: "Something else.".to_owned(), values: Vec::new(), closes: false }
            } else {
                KeyChange::Add(key)
            };
            scene.state.patches.push(patch);
        }
        let base = scene.state.base_in_force().expect("a base");
        for whom in [None, Some(client("ana"))] {
            let effective = effective(&scene.state, base, Cohorts::default().addressee(whom.as_ref()));
            for (own, shown) in base.template.keys.iter().zip(&effective.keys) {
                let mut reworded = shown.definition.clone();
                reworded.semantic_description.clone_from(&own.semantic_description);
                assert_eq!(&reworded, own);
            }
            for shown in effective.keys.iter().skip(base.template.keys.len()) {
                assert!(!shown.definition.required, "Z-125");
            }
        }
    }
}

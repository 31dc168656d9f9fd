//! Proposals that more and more clients ask for.

use serde_json::json;

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::pool::hold::Hold;
use crate::scenario::command::Induced;
use crate::scenario::event::Event;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::candidate;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::key_name;
use crate::scenario::state::Claim;
use schema::time::DAY_MS;

const USED: Traffic = Traffic {
    payloads: 2,
    with_key: 1,
    type_ok: 1,
    judged: 0,
    aligned: 0,
};

/// Twice as many ask for the first intent as when its key was made.
fn doubled(scene: &mut Scene) {
    scene.voice(0);
    scene.rest();
}

fn seat(description: &str) -> Box<Induced> {
    candidate_of(&json!({
        "key_name": "seat_preference", "key_type": "string", "required": false, "semantic_description": description,
    }))
}

#[test]
fn a_key_that_nobody_used_is_made_anew_and_its_trial_begins_again_z141() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let before = scene.patch(&id).clone();
    scene.pass(1_000);
    doubled(&mut scene);
    let events = scene.induce(candidate("window_place"));
    assert!(
        matches!(
            &events[..],
            [
                Event::Edited { by: None, .. },
                Event::Staged {
                    reason: Reason::Remade,
                    ..
                }
            ]
        ),
        "{events:?}"
    );
    let patch = scene.patch(&id);
    assert_eq!(
        (patch.stage.name(), patch.members),
        ("experimental", before.members * 2)
    );
    assert_eq!(patch.stage.since(), scene.at);
    assert_eq!(patch.proposed(), &before.change);
    assert!(scene.effective(None).key(&key_name("window_place")).is_some());
    assert!(matches!(scene.state.claim(patch.cluster, &patch.audience), Some(Claim::Patched(own)) if *own == id));
    assert_eq!(scene.induction(), None, "not again before it has doubled once more");
    assert_eq!(scene.state.patches.len(), 1);
}

#[test]
fn of_a_key_that_was_used_the_words_alone_change_z106() {
    let mut scene = Scene::new();
    let id = scene.propose_for(&Audience::Global, seat("Where to sit."));
    scene.traffic(&id, USED);
    doubled(&mut scene);
    scene.induce(candidate("window_place"));
    assert_eq!(scene.patch(&id).edits.len(), 0, "it stays");
    scene.voice(0);
    doubled(&mut scene);
    let trial = scene.patch(&id).stage.clone();
    let events = scene.induce(seat("Where in the cabin somebody wants to sit."));
    assert_eq!((events.len(), scene.patch(&id).edits.len()), (1, 1));
    assert_eq!(scene.patch(&id).stage, trial, "its trial goes on");
    let reading = scene
        .state
        .ledger
        .read(&id, scene.at, scene.policy.evolution.window_days);
    assert_eq!(reading.payloads_with_key, 1, "with what was measured of it");
}

#[test]
fn a_key_that_waits_after_its_trial_waits_on_in_other_words_z157() {
    let mut scene = Scene::new();
    let id = scene.propose_for(&Audience::Global, seat("Where to sit."));
    for _ in 0..4 {
        scene.traffic(&id, MIDDLING);
        scene.pass(7 * DAY_MS);
        scene.rest();
    }
    let waits = |scene: &Scene| scene.patch(&id).waits_for().map(|(code, _)| code);
    assert_eq!(waits(&scene), Some("usage_between"));
    scene.voice(0);
    doubled(&mut scene);
    scene.induce(seat("Where in the cabin somebody wants to sit."));
    assert_eq!(
        (scene.patch(&id).edits.len(), waits(&scene)),
        (1, Some("usage_between"))
    );
}

#[test]
fn what_a_person_let_pass_is_never_made_anew_z127() {
    let mut scene = Scene::new();
    scene.policy.evolution.autonomy = Autonomy::Review;
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    doubled(&mut scene);
    assert_eq!(scene.induction(), None);
}

#[test]
fn what_waits_for_a_person_waits_on_as_it_is_now_z127_z165() {
    let mut scene = Scene::new();
    let mut held = candidate("seat_preference");
    held.proposal.holds = vec![Hold::Name];
    let id = scene.propose_for(&Audience::Global, held);
    doubled(&mut scene);
    scene.induce(candidate("window_place"));
    let patch = scene.patch(&id);
    assert_eq!(
        (patch.stage.name(), &patch.holds[..]),
        ("awaiting_approval", &[Hold::Name][..])
    );
    assert_eq!(patch.change.key_name(), &key_name("window_place"));
}

#[test]
fn a_key_on_trial_is_not_taken_from_its_clients_to_wait_z147() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    doubled(&mut scene);
    let mut held = candidate("window_place");
    held.proposal.holds = vec![Hold::Instruction];
    scene.induce(held);
    assert_eq!((scene.stage(&id), scene.patch(&id).edits.len()), ("experimental", 0));
}

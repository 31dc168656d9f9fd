//! What a person approves instead of what was proposed, and what a rejection leaves behind.

use crate::evolution::edit::Edit;
use crate::evolution::evidence;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::operator_action::Scope;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::pool::hold::Hold;
use crate::scenario::command::Command;
use crate::scenario::command::Induced;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::layer;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::candidate;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::client;
use crate::scenario::sample::key_name;
use crate::scenario::state::Claim;
use schema::name::PatchId;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

/// A scenario in which every key waits for a person.
fn reviewed() -> Scene {
    let mut scene = Scene::new();
    scene.policy.evolution.autonomy = Autonomy::Review;
    scene
}

fn order(hand: OperatorAction) -> OperatorRequest {
    OperatorRequest::of(hand, "ada".into(), Some("it was time".to_owned()))
}

fn approve(scene: &mut Scene, id: &PatchId, edit: &Value) -> Result<Vec<Event>, Refusal> {
    let edit = Edit::parse(edit).expect("an edit");
    scene.command(Command::Operate {
        patch_id: id.clone(),
        order: OperatorRequest {
            edit: Some(Box::new(edit)),
            ..order(OperatorAction::Approve)
        },
    })
}

fn reject(scene: &mut Scene, id: &PatchId, scope: Scope) {
    let rejected = scene.command(Command::Operate {
        patch_id: id.clone(),
        order: OperatorRequest {
            scope,
            ..order(OperatorAction::Reject)
        },
    });
    assert!(rejected.is_ok(), "{rejected:?}");
}

#[test]
fn a_key_is_approved_as_edited_and_both_definitions_stay_on_record_z127_z137() {
    let mut scene = reviewed();
    let id = scene.propose("seat_preference");
    let events = approve(&mut scene, &id, &json!({"key_name": "seat_wish"})).expect("approved");
    assert!(
        matches!(&events[..], [Event::Edited { .. }, Event::Staged { .. }]),
        "{events:?}"
    );
    let patch = scene.patch(&id);
    assert_eq!(patch.stage.name(), "experimental");
    assert_eq!(patch.change.key_name(), &key_name("seat_wish"));
    assert_eq!(patch.proposed().key_name(), &key_name("seat_preference"));
    let evidence = evidence::document(patch, &Default::default(), None);
    let edited = &evidence["edits"][0];
    assert_eq!(
        (&edited["by"]["principal"], &edited["because"]),
        (&json!("ada"), &json!("it was time"))
    );
    assert_eq!(
        (&edited["was"]["key_name"], &edited["became"]["key_name"]),
        (&json!("seat_preference"), &json!("seat_wish"))
    );
    assert!(scene.effective(None).key(&key_name("seat_wish")).is_some());
    assert!(scene.effective(None).key(&key_name("seat_preference")).is_none());
}

#[test]
fn what_was_served_before_an_edit_is_told_as_it_was_z105() {
    let mut scene = reviewed();
    let id = scene.propose("seat_preference");
    let before = scene.state.seq;
    approve(&mut scene, &id, &json!({"key_name": "seat_wish"})).expect("approved");
    let patch = scene.patch(&id);
    assert_eq!(patch.change_at(before).key_name(), &key_name("seat_preference"));
    assert_eq!(patch.change_at(scene.state.seq).key_name(), &key_name("seat_wish"));
    let to = Addressee::default();
    let served = layer::layer_at(scene.state.patches.iter(), &scene.state.standings, to, scene.state.seq);
    assert_eq!(served[0].change.key_name(), &key_name("seat_wish"));
}

#[test]
fn a_name_that_the_same_clients_have_is_not_given_twice_z113() {
    let mut scene = reviewed();
    let first = scene.propose("seat_preference");
    let other = scene.propose("meal_choice");
    let alone = scene.propose_for(&Audience::Client(client("c9")), candidate("pet_travel"));
    for (id, name) in [
        (&first, "origin"),
        (&first, "other"),
        (&first, "meal_choice"),
        (&first, "pet_travel"),
        (&alone, "meal_choice"),
    ] {
        let refused = approve(&mut scene, id, &json!({"key_name": name}));
        assert_eq!(refused, Err(Refusal::NameTaken(key_name(name))), "{name}");
    }
    assert_eq!(scene.stage(&first), "awaiting_approval");
    reject(&mut scene, &other, Scope::Key);
    approve(&mut scene, &first, &json!({"key_name": "meal_choice"})).expect("the name is free");
    let back = scene.operate(&other, OperatorAction::Restore);
    assert_eq!(back, Err(Refusal::NameTaken(key_name("meal_choice"))));
}

#[test]
fn who_saw_another_revision_approves_nothing_z127() {
    let mut scene = reviewed();
    let id = scene.propose("seat_preference");
    let revision = scene.patch(&id).revision;
    let approve = |seen: Vec<u64>| Command::Operate {
        patch_id: id.clone(),
        order: OperatorRequest {
            seen: Some(seen),
            ..order(OperatorAction::Approve)
        },
    };
    let refused = scene.command(approve(vec![revision + 1]));
    assert_eq!(refused, Err(Refusal::PatchMoved { revision }));
    assert_eq!(
        scene.command(approve(Vec::new())),
        Err(Refusal::PatchMoved { revision })
    );
    assert!(scene.command(approve(vec![1, revision])).is_ok());
}

#[test]
fn a_definition_that_no_publisher_could_write_is_refused_with_its_defects_z034() {
    let mut scene = reviewed();
    let id = scene.propose("seat_preference");
    let refused = approve(&mut scene, &id, &json!({"key_name": "Seat Wish"}));
    assert!(matches!(&refused, Err(Refusal::Unfit(defects)) if defects[0].pointer == "/edit/key_name"));
}

#[test]
fn a_key_rejected_as_wrong_leaves_its_demand_to_be_read_anew_under_another_name_z127() {
    let mut scene = reviewed();
    let id = scene.propose("seat_preference");
    reject(&mut scene, &id, Scope::Key);
    let cluster = scene.patch(&id).cluster;
    let claim = scene.state.claim(cluster, &Audience::Global).expect("a claim");
    assert!(matches!(
        claim,
        Claim::Settled {
            settlement: Settlement::Refused(_),
            ..
        }
    ));
    scene.rest();
    assert_eq!(scene.induction(), None, "not before twice as many ask");
    scene.voice(0);
    scene.rest();
    scene.policy.evolution.autonomy = Autonomy::Certain;
    scene.induce(candidate("seat_preference"));
    let anew = scene.last();
    assert_ne!(anew.patch_id, id);
    assert_ne!(
        anew.change.key_name(),
        &key_name("seat_preference"),
        "that name cools down"
    );
    assert_eq!(
        (anew.stage.name(), &anew.holds[..]),
        ("awaiting_approval", &[Hold::Name][..])
    );
    assert_eq!(
        evidence::document(scene.patch(&id), &Default::default(), None)["history"][1]["scope"],
        "key"
    );
}

#[test]
fn what_is_rejected_as_no_wish_rests_with_its_cluster_z127() {
    let mut scene = reviewed();
    let id = scene.propose("seat_preference");
    reject(&mut scene, &id, Scope::Demand);
    scene.voice(0);
    scene.voice(0);
    scene.rest();
    assert_eq!(scene.induction(), None);
}

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

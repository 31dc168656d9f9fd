//! What a person approves instead of what was proposed, and what a rejection leaves behind.

use serde_json::Value;
use serde_json::json;

use crate::evolution::edit::Edit;
use crate::evolution::evidence;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::operator_action::Scope;
use crate::evolution::policy::Autonomy;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::pool::hold::Hold;
use crate::scenario::command::Command;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::layer;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::key_name;
use crate::scenario::state::Claim;
use schema::name::PatchId;

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

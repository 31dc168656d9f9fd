//! Who has received what, once.

use crate::evolution::operator_action::OperatorAction;
use crate::pool::cohort::Cohorts;
use crate::pool::gate::Audience;
use crate::scenario::command::Command;
use crate::scenario::event::Event;
use crate::scenario::event::Via;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::submission::Submitted;
use schema::name::CohortId;
use schema::name::PatchId;
use schema::time::DAY_MS;

fn receive(scene: &mut Scene, name: &str) -> Vec<Vec<PatchId>> {
    scene
        .happens(Command::Receive {
            client: client(name),
            via: Via::Fetch,
        })
        .into_iter()
        .filter_map(|event| match event {
            Event::Received { patches, .. } => Some(patches),
            _ => None,
        })
        .collect()
}

fn received(scene: &Scene, id: &PatchId) -> u64 {
    scene.state.ledger.read(id, scene.at, 30).received
}

#[test]
fn a_patch_is_received_once_by_each_client_z139() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    assert_eq!(received(&scene, &id), 0);
    assert_eq!(receive(&mut scene, "ana"), [vec![id.clone()]]);
    assert!(receive(&mut scene, "ana").is_empty(), "nothing new, nothing recorded");
    assert_eq!(receive(&mut scene, "ben"), [vec![id.clone()]]);
    assert_eq!(received(&scene, &id), 2);
}

#[test]
fn a_cohorts_patch_is_received_and_counted_by_its_members_alone_z098_z139_z162() {
    let cohorts = Cohorts::declare([("a", ["a*"])]).expect("cohorts");
    let mut scene = Scene::with(Policy {
        cohorts,
        ..Policy::default()
    });
    let other = scene.submitted(Some("zoe"));
    scene.submit(other);
    let fleet = Audience::Cohort(CohortId::parse("a").expect("a cohort"));
    let id = scene.propose_for(&fleet, candidate("seat_preference"));
    assert!(receive(&mut scene, "zoe").concat().is_empty());
    assert_eq!(receive(&mut scene, "a7"), [vec![id.clone()]]);
    // A suggestion is a receipt, and says to a member alone what there is.
    for name in ["a8", "yan"] {
        let submitted = Submitted {
            suggested: Some(scene.state.seq),
            ..scene.submitted(Some(name))
        };
        scene.submit(submitted);
    }
    assert_eq!(received(&scene, &id), 2, "a7 and a8");
    for name in ["a7", "a8", "zoe", "yan", "a9"] {
        let submitted = scene.submitted(Some(name));
        scene.submit(submitted);
    }
    let reading = scene.state.ledger.read(&id, scene.at, 30);
    assert_eq!(
        reading.payloads_of_recipients, 2,
        "of a7 and of a8, once they were told"
    );
    assert!(reading.payloads > 3, "and all of the scenario's: {}", reading.payloads);
}

#[test]
fn where_there_is_no_patch_nothing_is_recorded_z139() {
    let mut scene = Scene::new();
    assert!(receive(&mut scene, "ana").is_empty());
    assert!(scene.state.acquaintances.is_empty());
}

#[test]
fn a_suggestion_and_a_first_use_are_receipts_too_z139() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let mut suggested = scene.submitted(Some("ana"));
    suggested.suggested = Some(scene.state.seq);
    scene.submit(suggested);
    assert_eq!(received(&scene, &id), 1);
    let mut used = scene.submitted(Some("ben"));
    used.observed.push(scene.observed(&id, true));
    scene.submit(used);
    let reading = scene.state.ledger.read(&id, scene.at, 30);
    assert_eq!((reading.received, reading.used), (2, 1));
    assert!(receive(&mut scene, "ben").is_empty(), "who used it knows it");
}

#[test]
fn a_patch_for_one_client_is_received_by_that_client_alone_z122_z123() {
    let mut scene = Scene::new();
    let id = scene.propose_for(&Audience::Client(client("ana")), candidate("seat_preference"));
    assert!(receive(&mut scene, "ben").iter().all(Vec::is_empty));
    assert_eq!(received(&scene, &id), 0);
    assert_eq!(receive(&mut scene, "ana"), [vec![id]]);
}

#[test]
fn a_change_of_stage_is_learnt_without_a_second_receipt_z139() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    receive(&mut scene, "ana");
    scene.pass(DAY_MS);
    scene.operate(&id, OperatorAction::Promote).expect("promoted");
    assert_eq!(receive(&mut scene, "ana"), [Vec::new()]);
    assert_eq!(
        scene.state.acquaintances[&client("ana")].revision,
        scene.patch(&id).revision
    );
    assert!(receive(&mut scene, "ana").is_empty());
    assert_eq!(received(&scene, &id), 1);
}

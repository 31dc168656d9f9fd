//! What an event means, and that it means the same again.

use super::*;
use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::OperatorAction;
use crate::scenario::command::Command;
use crate::scenario::event;
use crate::scenario::event::Via;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::events::triggered;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use schema::time::DAY_MS;

fn bytes(state: &State) -> String {
    serde_json::to_string(state).expect("a state serialises")
}

/// A scenario that went through every kind of event.
fn eventful() -> Scene {
    let (mut scene, id) = Scene::promoted();
    let (client, via) = (client("ana"), Via::Poll);
    scene.happens(Command::Receive {
        client,
        schema_id: None,
        via,
    });
    scene.propose_for(&alone("ana"), candidate("meal_choice"));
    scene.publish(template("flight_v2", "1.1.0", &[]));
    scene.propose("cabin_class");
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(14 * DAY_MS);
    scene.wanted(&Audience::Global);
    scene.induce(candidate("seat_preference"));
    let (schema_id, sunset) = (schema_id("flight_v1"), Some(scene.at.plus_ms(30 * DAY_MS)));
    let reason = Some("superseded".to_owned());
    scene.happens(Command::Deprecate {
        schema_id: schema_id.clone(),
        sunset,
        reason,
    });
    scene.happens(Command::Retire(schema_id));
    scene
}

#[test]
fn replay_gives_the_same_state_byte_for_byte_from_any_snapshot_and_nothing_is_applied_twice_z004() {
    let scene = eventful();
    let mut replayed = State::default();
    for (place, entry) in scene.entries.iter().enumerate() {
        let event = event::read(&event::write(&entry.event)).expect("an event");
        evolve(&mut replayed, &Entry { event, ..entry.clone() });
        if place % 7 == 0 {
            let restored: State = serde_json::from_str(&bytes(&replayed)).expect("a snapshot");
            assert_eq!(restored, replayed);
            replayed = restored;
        }
    }
    assert_eq!(bytes(&replayed), bytes(&scene.state));
    let last = scene.entries.last().expect("an entry");
    for seq in [last.seq, last.seq + 2] {
        evolve(&mut replayed, &Entry { seq, ..last.clone() });
        assert_eq!(replayed, scene.state, "an entry that is not the next is passed over");
    }
}

#[test]
fn time_never_runs_backwards_in_a_state() {
    let mut scene = Scene::new();
    let at = scene.at;
    scene.pass(-DAY_MS);
    scene.say(Some("ana"), 0);
    assert_eq!(scene.state.at, at);
}

#[test]
fn what_is_said_in_one_scenario_heats_no_other_z097() {
    let mut flights = Scene::new();
    let trains = Scene::new();
    flights.wanted(&Audience::Global);
    assert!(trains.state.pool.clusters.is_empty() && trains.state.claims.is_empty());
    assert_eq!(trains.state.ledger.totals(trains.at, 30).0, 0);
}

#[test]
fn what_a_client_knows_is_what_it_used_rightly_and_suggestions_of_one_revision_are_counted_z120() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let revision = scene.patch(&id).revision;
    let known = |scene: &Scene| scene.state.acquaintances[&client("ana")];
    for (suggested, times) in (1..=11).map(|n| (revision, n)).chain([(revision + 1, 1)]) {
        scene.submit(Submitted {
            suggested: Some(suggested),
            ..scene.submitted(Some("ana"))
        });
        assert_eq!((known(&scene).suggested, known(&scene).times), (suggested, times));
        assert_eq!(known(&scene).revision, 0, "being told is not knowing");
    }
    for (type_ok, revision) in [(false, 0), (true, revision)] {
        scene.carry("ana", &id, type_ok);
        assert_eq!(known(&scene).revision, revision);
    }
}

#[test]
fn every_submission_is_counted_once_accepted_or_refused_z135() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let before = scene.state.ledger.totals(scene.at, 30).0;
    for accepted in [true, false] {
        let observed = vec![scene.observed(&id, true)];
        scene.submit(Submitted {
            accepted,
            observed,
            ..scene.submitted(Some("ana"))
        });
    }
    assert_eq!(scene.state.ledger.totals(scene.at, 30).0, before + 2);
    assert_eq!(scene.reading(&id).payloads_with_key, 2);
}

#[test]
fn a_patch_that_waited_gets_its_date_when_it_begins_z119_z128() {
    let mut scene = Scene::reviewed();
    let id = scene.propose("seat_preference");
    let date = scene.patch(&id).expiration;
    for late in [0, 1] {
        let mut scene = scene.clone();
        scene.at = date.plus_ms(late - 7 * DAY_MS);
        scene.operate(&id, OperatorAction::Approve).expect("approved");
        assert_eq!(scene.patch(&id).expiration, date.plus_ms(late));
    }
}

#[test]
fn what_is_known_of_a_cluster_follows_it_into_its_heir_and_the_live_patch_holds_z102() {
    for settled in [false, true] {
        let mut scene = Scene::new();
        let id = scene.propose("seat_preference");
        let old = scene.patch(&id).cluster;
        let theme = scene.demand(&Audience::Global);
        let heir = *scene.state.pool.clusters.keys().last().expect("a second cluster");
        if settled {
            scene.rest();
            scene.abstain(Abstention::NoContent);
        }
        scene.absorb(old, heir);
        assert_eq!(scene.patch(&id).cluster, heir);
        assert!(!scene.state.claims.contains_key(&old));
        assert_eq!(scene.state.claims[&heir], [(Audience::Global, Claim::Patched(id))]);
        scene.say(Some("c6"), theme);
        assert!(triggered(&scene.rest()).is_empty());
    }
}

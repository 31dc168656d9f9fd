//! What an event means, and that it means the same again.

use std::collections::BTreeMap;

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::pool::recluster::Group;
use crate::pool::recluster::Reclustering;
use crate::scenario::command::Command;
use crate::scenario::event;
use crate::scenario::event::Entry;
use crate::scenario::event::Via;
use crate::scenario::evolve::evolve;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::template;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::time::DAY_MS;

fn bytes(state: &State) -> String {
    serde_json::to_string(state).expect("a state serialises")
}

/// A scenario that went through every kind of event.
fn eventful() -> Scene {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    scene.happens(Command::Receive {
        client: client("ana"),
        via: Via::Poll,
    });
    scene.pass(7 * DAY_MS);
    scene.rest();
    scene.propose_for(&Audience::Client(client("ana")), candidate("meal_choice"));
    scene.publish(template("flight_v2", "1.1.0", &[]));
    scene.demand(&Audience::Global);
    scene.rest();
    scene.induce(candidate("cabin_class"));
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(14 * DAY_MS);
    scene.rest();
    scene.demand(&Audience::Global);
    scene.rest();
    scene.induce(candidate("seat_preference"));
    scene.happens(Command::Retire(crate::scenario::sample::schema_id("flight_v1")));
    scene
}

#[test]
fn replay_gives_the_same_state_byte_for_byte_from_any_snapshot_z004() {
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
}

#[test]
fn an_entry_that_is_not_the_next_is_passed_over_z004() {
    let mut scene = eventful();
    let before = scene.state.clone();
    let last = scene.entries.last().expect("an entry").clone();
    evolve(&mut scene.state, &last);
    let beyond = Entry {
        seq: last.seq + 2,
        ..last
    };
    evolve(&mut scene.state, &beyond);
    assert_eq!(scene.state, before);
}

#[test]
fn what_is_said_in_one_scenario_heats_no_other_z097() {
    let mut flights = Scene::new();
    let trains = Scene::new();
    flights.demand(&Audience::Global);
    flights.rest();
    assert!(trains.state.pool.clusters.is_empty() && trains.state.claims.is_empty());
    assert_eq!(trains.state.ledger.totals(trains.at, 30).0, 0);
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
fn a_later_format_is_named_and_not_guessed_at() {
    let scene = Scene::new();
    let mut written: serde_json::Value = serde_json::from_slice(&event::write(&scene.entries[0].event)).expect("JSON");
    written["v"] = (event::FORMAT + 1).into();
    let refused = event::read(written.to_string().as_bytes());
    assert!(refused.is_err_and(|what| what.contains("newer")));
    assert!(event::read(b"{}").is_err());
}

#[test]
fn suggestions_of_one_revision_are_counted_and_a_new_one_begins_anew_z120() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let suggest = |scene: &mut Scene, revision| {
        let mut submitted = scene.submitted(Some("ana"));
        submitted.suggested = Some(revision);
        scene.submit(submitted);
        let known = scene.state.acquaintances[&client("ana")];
        (known.suggested, known.times)
    };
    let revision = scene.patch(&id).revision;
    for times in 1..=11 {
        assert_eq!(suggest(&mut scene, revision), (revision, times));
    }
    assert_eq!(suggest(&mut scene, revision + 1), (revision + 1, 1));
    assert_eq!(
        scene.state.acquaintances[&client("ana")].revision,
        0,
        "being told is not knowing"
    );
}

#[test]
fn a_right_use_of_a_key_is_knowing_it_and_a_wrong_one_is_not_z120() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    for (type_ok, known) in [(false, 0), (true, scene.patch(&id).revision)] {
        let mut submitted = scene.submitted(Some("ana"));
        submitted.observed.push(scene.observed(&id, type_ok));
        scene.submit(submitted);
        assert_eq!(scene.state.acquaintances[&client("ana")].revision, known);
    }
}

#[test]
fn every_submission_is_counted_once_accepted_or_refused_z135() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let before = scene.state.ledger.totals(scene.at, 30).0;
    for accepted in [true, false] {
        let mut submitted = scene.submitted(Some("ana"));
        submitted.accepted = accepted;
        submitted.observed.push(scene.observed(&id, true));
        scene.submit(submitted);
    }
    assert_eq!(scene.state.ledger.totals(scene.at, 30).0, before + 2);
    assert_eq!(scene.state.ledger.read(&id, scene.at, 30).payloads_with_key, 2);
}

#[test]
fn a_patch_that_waited_gets_its_date_when_it_begins_z119_z128() {
    let mut policy = crate::scenario::policy::Policy::default();
    policy.evolution.autonomy = Autonomy::Review;
    let mut scene = Scene::with(policy);
    let id = scene.propose("seat_preference");
    let date = scene.patch(&id).expiration;
    scene.at = date.plus_ms(-7 * DAY_MS);
    let mut early = scene.clone();
    early.operate(&id, OperatorAction::Approve).expect("approved");
    assert_eq!(early.patch(&id).expiration, date);
    scene.pass(1);
    scene.operate(&id, OperatorAction::Approve).expect("approved");
    assert_eq!(scene.patch(&id).expiration, date.plus_ms(1));
}

#[test]
fn what_is_known_of_a_cluster_follows_it_into_its_heir_z102() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let theme = scene.demand(&Audience::Global);
    let old = scene.patch(&id).cluster;
    let heir = ClusterId(1);
    let micros = scene.state.pool.micros.keys().copied().collect();
    scene.happens(Command::Regroup(Reclustering {
        looked_at: scene.state.pool.demand,
        next_id: scene.state.pool.next_id,
        groups: vec![Group {
            cluster: heir,
            micros,
            heading: None,
        }],
        absorbed: BTreeMap::from([(old, heir)]),
        dropped: Vec::new(),
    }));
    assert_eq!(scene.patch(&id).cluster, heir);
    assert!(!scene.state.claims.contains_key(&old));
    assert_eq!(scene.state.claims[&heir], [(Audience::Global, Claim::Patched(id))]);
    scene.voice(theme);
    assert!(crate::scenario::sample::triggered(&scene.rest()).is_empty());
}

#[test]
fn of_two_claims_of_clusters_that_became_one_the_live_patch_holds_z102() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let old = scene.patch(&id).cluster;
    let other = scene.demand(&Audience::Global);
    scene.rest();
    let (heir, audience) = scene.induction().expect("the second cluster fired");
    assert_ne!(heir, old);
    scene.happens(Command::Induce {
        cluster: heir,
        audience,
        outcome: Err(crate::evolution::induction::Abstention::NoContent),
    });
    let micros = scene.state.pool.micros.keys().copied().collect();
    scene.happens(Command::Regroup(Reclustering {
        looked_at: scene.state.pool.demand,
        next_id: scene.state.pool.next_id,
        groups: vec![Group {
            cluster: heir,
            micros,
            heading: None,
        }],
        absorbed: BTreeMap::from([(old, heir)]),
        dropped: Vec::new(),
    }));
    assert_eq!(scene.state.claims[&heir], [(Audience::Global, Claim::Patched(id))]);
    scene.voice(other);
    assert!(crate::scenario::sample::triggered(&scene.rest()).is_empty());
}

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

fn dismiss(scene: &mut Scene, cluster: ClusterId, days: i64) {
    scene.happens(Command::Dismiss {
        cluster,
        days,
        by: "olga".into(),
        reason: None,
    });
}

#[test]
fn a_dismissal_goes_with_its_cluster_and_mutes_nothing_larger_z102() {
    let two = || {
        let mut scene = Scene::new();
        scene.all_say(["c1", "c2"], 0);
        scene.all_say(["c1", "c2", "c3", "c4", "c5"], 1);
        let ids: Vec<ClusterId> = scene.state.pool.clusters.keys().copied().collect();
        (scene, ids[0], ids[1])
    };
    let over = |scene: &Scene| scene.state.dismissals.keys().copied().collect::<Vec<_>>();
    for (dismissed, from, into, kept) in [
        // Two of seven.
        (0, 0, 1, false),
        (0, 1, 0, false),
        // Five of seven.
        (1, 0, 1, true),
        (1, 1, 0, true),
    ] {
        let (mut scene, small, large) = two();
        let ids = [small, large];
        dismiss(&mut scene, ids[dismissed], 30);
        scene.look();
        assert_eq!(over(&scene), [ids[dismissed]], "a look that changes nothing");
        scene.absorb(ids[from], ids[into]);
        let heir = if kept { vec![ids[into]] } else { Vec::new() };
        assert_eq!(over(&scene), heir, "{dismissed} of {from} into {into}");
    }
    // However many smaller ones fall to it.
    let mut scene = Scene::new();
    for theme in 0..4 {
        scene.say(Some("c1"), theme);
    }
    let ids: Vec<ClusterId> = scene.state.pool.clusters.keys().copied().collect();
    dismiss(&mut scene, ids[2], 30);
    for other in [0, 1, 3] {
        scene.absorb(ids[other], ids[2]);
        assert_eq!(over(&scene), [ids[2]]);
    }
    // Of two that were dismissed the longer one stands.
    for (first, second) in [(5, 90), (90, 5)] {
        let (mut scene, small, large) = two();
        scene.all_say(["c3", "c4", "c5"], 0);
        dismiss(&mut scene, small, first);
        dismiss(&mut scene, large, second);
        let heat = |scene: &Scene, id: ClusterId| scene.state.pool.clusters[&id].heat_curve.clone();
        let (own, other) = (heat(&scene, large), heat(&scene, small));
        scene.absorb(small, large);
        assert_eq!(heat(&scene, large), [(own[0].0, own[0].1 + other[0].1)]);
        assert_eq!(scene.state.dismissals[&large].until, scene.at.plus_ms(90 * DAY_MS));
        scene.pass(91 * DAY_MS);
        scene.rest();
        assert_eq!(over(&scene), [], "what is over is forgotten");
    }
}

#[test]
fn every_decision_is_listed_and_told_and_a_snapshot_of_before_begins_a_list_z004() {
    let mut scene = eventful();
    let cluster = *scene.state.pool.clusters.keys().next().expect("a cluster");
    dismiss(&mut scene, cluster, 3);
    let told: Vec<u64> = scene
        .entries
        .iter()
        .filter(|entry| decision_log::of(entry, &scene.state).is_some())
        .map(|entry| entry.seq)
        .collect();
    assert_eq!((scene.state.decisions.since, &scene.state.decisions.told), (1, &told));
    assert!(told.len() > 10 && told.len() < scene.entries.len());
    let mut before = serde_json::to_value(&scene.state).expect("a state");
    for later in ["decisions", "dismissals"] {
        before.as_object_mut().expect("members").remove(later);
    }
    let mut restored: State = serde_json::from_value(before).expect("a snapshot of before");
    let event = Event::Frozen {
        by: "olga".into(),
        reason: None,
    };
    let seq = restored.seq + 1;
    let at = restored.at;
    evolve(&mut restored, &Entry { seq, at, event });
    assert_eq!((restored.decisions.since, restored.decisions.told), (seq, vec![seq]));
}

//! What is held is what came first, up to the bound; the rest waits, and comes in its order.

use super::*;
use crate::scenario::command::Command;
use crate::scenario::effect::Effect;
use crate::scenario::effect::outstanding;
use crate::scenario::event::Entry;
use crate::scenario::evolve::evolve;
use crate::scenario::recall::Recall;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::Scene;
use crate::scenario::sample::client;
use crate::scenario::sample::fragment;
use crate::scenario::state::Deferred;
use schema::name::SchemaId;
use schema::time::At;
use schema::time::DAY_MS;

fn held_to(max: usize) -> Scene {
    let mut scene = Scene::new();
    scene.policy.pool.pending_max = max;
    scene
}

/// So many submissions with something to read, and a tick after each.
fn say(scene: &mut Scene, times: usize) -> Vec<u64> {
    let each = (0..times).map(|_| {
        let of = scene.pending("ana", 1, false);
        scene.happens(Command::Tick);
        of
    });
    each.collect()
}

/// What waits of the one source that sends here.
fn beyond(scene: &Scene) -> Option<Deferred> {
    assert!(scene.state.deferred.is_none() && scene.state.deferred_by_source.len() < 2);
    scene.state.deferred_by_source.values().next().copied()
}

fn held(scene: &Scene) -> Vec<u64> {
    scene.state.pending.keys().copied().collect()
}

fn read(scene: &mut Scene, of: u64) {
    scene.digest(of, vec![fragment(0)], Vec::new()).expect("it waits");
}

fn asks_to_recall(scene: &Scene) -> bool {
    outstanding(&scene.state, &scene.policy, MODEL, 0).contains(&Effect::Recall)
}

/// What a recall reads; what was said by those is erased.
fn recalled(scene: &Scene, erased: &[u64]) -> Command {
    let mut recall = Recall::wanted(&scene.state, &scene.policy).expect("it is wanted");
    let next = recall.next();
    for entry in scene.entries.iter().filter(|entry| entry.seq >= next) {
        let submitted = match &entry.event {
            Event::Submitted(submitted) => Some(submitted),
            _ => None,
        };
        if !recall.take(entry.seq, entry.at, submitted, erased.contains(&entry.seq)) {
            break;
        }
    }
    recall.finish()
}

#[test]
fn beyond_the_bound_submissions_wait_in_the_journal_and_are_read_in_the_order_in_which_they_came() {
    let mut scene = held_to(4);
    let said = say(&mut scene, 4);
    assert_eq!((held(&scene), beyond(&scene)), (said.clone(), None), "to the bound");
    let more = say(&mut scene, 3);
    assert_eq!((held(&scene), scene.state.unread()), (said.clone(), 7));
    let deferred = beyond(&scene).expect("one beyond it");
    assert_eq!((deferred.after, deferred.count), (said[3], 3));
    assert_eq!(scene.state.first_unread(), Some((said[0], scene.at)));

    read(&mut scene, said[0]);
    assert!(!asks_to_recall(&scene), "three are held");
    read(&mut scene, said[1]);
    assert!(asks_to_recall(&scene), "half of the bound");
    let command = recalled(&scene, &[]);
    // One comes meanwhile.
    let last = scene.pending("ana", 1, false);
    scene.happens(command.clone());
    assert_eq!(held(&scene), [said[2], said[3], more[0], more[1]]);
    assert_eq!(beyond(&scene).map(|deferred| deferred.count), Some(2));
    assert_eq!(scene.command(command), Err(Refusal::Done));
    for of in held(&scene) {
        read(&mut scene, of);
    }
    scene.happens(recalled(&scene, &[]));
    assert_eq!((held(&scene), beyond(&scene)), (vec![more[2], last], None));
    // From now on they are held as they come.
    let after = say(&mut scene, 1);
    assert_eq!(held(&scene), [more[2], last, after[0]]);
    let mut replayed = State::default();
    for entry in &scene.entries {
        evolve(&mut replayed, entry);
    }
    assert_eq!(replayed, scene.state);
}

#[test]
fn what_waits_in_the_journal_is_judged_by_no_model_before_it_is_read_and_a_lower_bound_lets_go_of_more() {
    let mut scene = held_to(3);
    let said = say(&mut scene, 5);
    assert!(said.iter().all(|of| scene.state.is_unread(*of, None)));
    scene.policy.pool.pending_max = 1;
    scene.happens(Command::Tick);
    assert_eq!((held(&scene), scene.state.unread()), (vec![said[0]], 5));
    read(&mut scene, said[0]);
    assert!(!scene.state.is_unread(said[0], None) && scene.state.is_unread(said[1], None));
    scene.policy.pool.pending_max = 3;
    scene.happens(recalled(&scene, &[]));
    assert_eq!((held(&scene), scene.state.unread()), (said[1..4].to_vec(), 4));
}

#[test]
fn what_was_erased_while_it_waited_is_neither_read_back_nor_waited_for_z167() {
    let mut scene = held_to(1);
    let said = say(&mut scene, 4);
    scene.happens(Command::Erased { through: said[2] });
    assert_eq!((held(&scene), scene.state.unread()), (vec![], 3));
    scene.happens(recalled(&scene, &said[..3]));
    assert_eq!((held(&scene), beyond(&scene)), (vec![said[3]], None));
}

#[test]
fn a_frozen_scenario_holds_no_more_than_another() {
    let mut scene = held_to(2);
    let by = || "op".into();
    scene.happens(Command::Freeze { by: by(), reason: None });
    say(&mut scene, 3);
    assert_eq!((scene.state.pending.len(), scene.state.unread()), (2, 3));
}

#[test]
fn much_that_is_recalled_is_recorded_in_pieces_that_a_record_holds() {
    let deferred = Deferred {
        after: 0,
        since: At(0),
        count: 1_000,
    };
    let state = State {
        deferred: Some(deferred),
        seq: 2_000,
        ..State::default()
    };
    let pending = Pending {
        at: At(20_000 * DAY_MS),
        client: Some(client(&"c".repeat(60))),
        schema_id: SchemaId::parse("flight_v1").expect("an id"),
        fragments: 1,
        observed: Vec::new(),
        requested: false,
    };
    let submissions: BTreeMap<u64, Pending> = (1..=1_000).map(|seq| (seq, pending.clone())).collect();
    let events = recall(&state, None, 0, 1_500, submissions.clone(), 0).expect("recalled");
    assert!(events.len() > 1);
    let mut recalled = state;
    for event in events {
        let written = crate::scenario::event::write(&event);
        assert!(written.len() < 48 << 10, "{}", written.len());
        let (seq, at) = (recalled.seq + 1, recalled.at);
        evolve(&mut recalled, &Entry { seq, at, event });
    }
    assert_eq!((recalled.pending, recalled.deferred), (submissions, None));
}

#[test]
fn a_flood_of_one_client_leaves_others_their_place_and_is_read_later() {
    let mut scene = held_to(16);
    let flood = say(&mut scene, 24);
    assert_eq!(held(&scene), flood[..15], "an eighth of it went at once");
    let mut quiet = Vec::new();
    for client in ["ben", "carl", "ben"] {
        quiet.push(scene.pending(client, 1, false));
        scene.happens(Command::Tick);
    }
    assert_eq!(held(&scene), [&flood[..13], &quiet[..]].concat());
    assert_eq!(
        (scene.state.unread(), beyond(&scene).map(|deferred| deferred.count)),
        (27, Some(11))
    );
    assert_eq!(scene.state.first_unread(), Some((flood[0], scene.at)));
    assert!(scene.state.is_unread(flood[20], None) && scene.state.is_unread(quiet[2], None));
    for of in held(&scene) {
        read(&mut scene, of);
    }
    assert!(!scene.state.is_unread(quiet[2], Some(&Source::of(Some(&client("ben"))))));
    scene.happens(recalled(&scene, &[]));
    assert_eq!((held(&scene), beyond(&scene)), (flood[13..].to_vec(), None));
    let mut replayed = State::default();
    for entry in &scene.entries {
        evolve(&mut replayed, entry);
    }
    assert_eq!(replayed, scene.state);
}

#[test]
fn where_each_sends_one_what_comes_next_waits_and_each_is_read_once() {
    let mut scene = held_to(2);
    let sent = ["a", "b", "c", "d", "d"].map(|client| {
        let of = scene.pending(client, 1, false);
        scene.happens(Command::Tick);
        of
    });
    assert_eq!((held(&scene), scene.state.unread()), (sent[..3].to_vec(), 5));
    let mut reads = Vec::new();
    while scene.state.unread() > 0 {
        if asks_to_recall(&scene) {
            scene.happens(recalled(&scene, &[]));
        }
        for of in held(&scene) {
            read(&mut scene, of);
            reads.push(of);
        }
    }
    assert_eq!(reads, sent);
}

//! When a cluster fires, and when it does not.

use super::*;
use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::OperatorAction;
use crate::scenario::command::Command;
use crate::scenario::command::Refusal;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::cohort;
use crate::scenario::sample::events::triggered;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;

const FIRST: ClusterId = ClusterId(0);

/// For whom the first cluster fires.
fn fired(scene: &mut Scene) -> Vec<Audience> {
    let triggered = triggered(&scene.rest()).into_iter();
    triggered
        .filter(|(cluster, _)| *cluster == FIRST)
        .map(|(_, audience)| audience)
        .collect()
}

fn say(scene: &mut Scene, wishes: &[(&str, usize)]) {
    for (name, times) in wishes {
        scene.all_say(std::iter::repeat_n(*name, *times), 0);
    }
}

#[test]
fn a_cluster_with_an_open_gate_fires_once_z021_z093_z102() {
    let mut scene = Scene::new();
    let theme = scene.demand(&Audience::Global);
    scene.pass(DAY_MS / 2);
    scene.say(Some("c6"), theme);
    let events = scene.rest();
    let Some(Event::Triggered {
        gate,
        cluster,
        audience,
    }) = events.first()
    else {
        panic!("not triggered: {events:?}")
    };
    assert_eq!((*cluster, audience), (FIRST, &Audience::Global));
    assert_eq!((gate.clients, gate.occurrences, gate.top_occurrences), (6, 6, 1));
    // What it rests on is kept.
    assert_eq!(gate, &scene.state.pool.gate(FIRST, scene.at, &scene.policy.pool));
    scene.voice(theme);
    assert_eq!(fired(&mut scene), [], "its induction is on its way");
    scene.induce(candidate("seat_preference"));
    scene.say(Some("c7"), theme);
    assert_eq!(fired(&mut scene), [], "its patch is on trial");
    assert_eq!((scene.state.triggers_global, scene.state.triggers_client), (1, 0));
}

#[test]
fn both_gates_are_enough_at_the_next_tick_whatever_else_is_said_z093_z095_z096() {
    let mut scene = Scene::new();
    // One client says something else every time, a hundred times; no look was taken.
    for theme in 1..60 {
        scene.say(Some("loud"), theme);
        scene.say(Some("loud"), theme);
    }
    assert_eq!(triggered(&scene.rest()), []);
    for n in 0..30 {
        scene.pass(3 * HOUR_MS / 30);
        scene.say(Some(&format!("c{n}")), 0);
        // The fifth client opens the gate: five increments within half an hour are more than 50.
        assert_eq!(triggered(&scene.rest()).len(), usize::from(n == 4), "client {n}");
    }
}

#[test]
fn one_client_fires_for_itself_alone_and_beside_a_busier_one_z123_z130() {
    let mut scene = Scene::new();
    say(&mut scene, &[("ana", 9)]);
    assert_eq!(fired(&mut scene), []);
    say(&mut scene, &[("ana", 1)]);
    assert_eq!(fired(&mut scene), [alone("ana")]);
    assert_eq!((scene.state.triggers_global, scene.state.triggers_client), (0, 1));
    // Two clients of which one dominates: no case for all.
    say(&mut scene, &[("ana", 10), ("bo", 9)]);
    assert_eq!(fired(&mut scene), [], "nine are too few for bo");
    say(&mut scene, &[("bo", 1)]);
    assert_eq!(fired(&mut scene), [alone("bo")]);
    // What then concerns all fires for all, whatever one client has.
    scene.voice(0);
    assert_eq!(fired(&mut scene), [Audience::Global]);
}

#[test]
fn evolution_can_be_switched_off_whole_or_for_single_clients_and_the_rest_goes_on_z073_z080_z123() {
    let mut off = Policy::default();
    off.evolution.enabled = false;
    let mut cold = Policy::default();
    cold.pool.heat_increment = 0.0;
    let mut shared = Policy::default();
    shared.evolution.personal = false;
    for (policy, audience, said) in [
        (off, Audience::Global, 5),
        (cold, Audience::Global, 5),
        (shared, alone("ana"), 10),
    ] {
        let mut scene = Scene::with(policy);
        scene.demand(&audience);
        assert_eq!(triggered(&scene.rest()), []);
        assert_eq!(scene.state.pool.demand, said);
        assert_eq!(scene.state.ledger.totals(scene.at, 1).0, said);
        let base = scene.state.base_in_force().expect("a base");
        assert_eq!(scene.effective(None).revision, base.revision);
    }
}

#[test]
fn a_cluster_fires_again_with_twice_its_members_or_when_its_patch_has_ended_and_cooled_down_z102() {
    let mut scene = Scene::new();
    scene.wanted(&Audience::Global);
    scene.abstain(Abstention::NoContent);
    for n in 6..10 {
        scene.say(Some(&format!("d{n}")), 0);
        assert_eq!(fired(&mut scene), [], "{n} members");
    }
    scene.say(Some("d10"), 0);
    assert_eq!(fired(&mut scene), [Audience::Global], "ten members");

    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    let until = scene.patch(&id).cool_until.expect("a cool-down");
    scene.at = until.plus_ms(-1);
    scene.voice(0);
    assert_eq!(fired(&mut scene), []);
    scene.at = until;
    assert_eq!(fired(&mut scene), [Audience::Global]);
}

#[test]
fn what_one_cohort_wants_is_its_own_where_there_are_others_z098() {
    let five = [("a1", 1), ("a2", 1), ("a3", 1), ("a4", 1), ("a5", 1)];
    // Twelve of fifteen are exactly four fifths; thirteen of sixteen are more.
    let share = |own: usize| [("a1", 3), ("a2", 3), ("a3", own - 6), ("b1", 3)];
    for (wishes, audiences) in [
        (&five[..], vec![cohort("a")]),
        (&share(12), vec![Audience::Global]),
        (&share(13), vec![cohort("a")]),
        // Nine of ten are the cohort's: too few clients and occurrences for itself, and too much its own for all.
        (&[("a1", 5), ("a2", 4), ("b1", 1)], vec![]),
        (&[("a1", 5), ("a2", 5), ("b1", 1)], vec![cohort("a")]),
        // One client, however loud, is no cohort; what it opens is its own.
        (&[("a1", 30), ("zoe", 1)], vec![alone("a1")]),
        // And a loud member needs none of its own where its cohort has one.
        (
            &[("a1", 12), ("a2", 3), ("a3", 3), ("a4", 3), ("a5", 3), ("zoe", 1)],
            vec![cohort("a")],
        ),
    ] {
        let mut scene = Scene::cohorts();
        say(&mut scene, wishes);
        assert_eq!(fired(&mut scene), audiences, "{wishes:?}");
    }
    let mut without = Scene::new();
    without.policy.cohorts = Scene::cohorts().policy.cohorts;
    say(&mut without, &five);
    // The scenario has no other clients.
    assert_eq!(fired(&mut without), [Audience::Global]);
}

#[test]
fn a_member_fires_for_itself_only_where_its_cohort_does_not_z098_z130() {
    let mut scene = Scene::cohorts();
    say(&mut scene, &[("a1", 5), ("a2", 5), ("a3", 5), ("zoe", 1)]);
    assert_eq!(fired(&mut scene), [cohort("a")]);
    scene.induce(candidate("seat_preference"));
    say(&mut scene, &[("a2", 12), ("zoe", 12)]);
    let later = fired(&mut scene);
    assert!(!later.contains(&alone("a2")), "{later:?}");
}

#[test]
fn what_two_cohorts_want_becomes_everyones_after_it_was_ones_z098() {
    let mut scene = Scene::cohorts();
    scene.all_say(["a1", "a2", "a3", "a4", "a5", "b9"], 0);
    assert_eq!(fired(&mut scene), [cohort("a")]);
    scene.induce(candidate("seat_preference"));
    assert!(scene.serves(Some(&client("a6")), "seat_preference"));
    assert!(!scene.serves(Some(&client("b1")), "seat_preference"));
    scene.all_say(["b1", "b2", "b3", "b4", "b5"], 0);
    assert_eq!(fired(&mut scene), [Audience::Global]);
    scene.induce(candidate("seat_preference"));
    for name in ["a6", "b1", "zoe"] {
        assert!(scene.serves(Some(&client(name)), "seat_preference"), "{name}");
    }
}

fn dismiss(scene: &mut Scene, days: i64) {
    scene.happens(Command::Dismiss {
        cluster: FIRST,
        days,
        by: "olga".into(),
        reason: Some("they mean the bus".to_owned()),
    });
}

#[test]
fn what_a_person_dismissed_fires_for_nobody_until_the_days_are_over_z093_z102() {
    for personal in [false, true] {
        let audience = if personal { alone("ana") } else { Audience::Global };
        let mut scene = Scene::new();
        let theme = scene.demand(&audience);
        dismiss(&mut scene, 1);
        dismiss(&mut scene, 3);
        assert_eq!(scene.state.dismissals.len(), 1, "the last word stands");
        assert_eq!(fired(&mut scene), []);
        scene.pass(3 * DAY_MS - 1);
        let again = |scene: &mut Scene| match personal {
            false => scene.voice(theme),
            true => scene.all_say(["ana"; 10], theme),
        };
        again(&mut scene);
        assert_eq!(fired(&mut scene), [], "a moment before it is over");
        scene.pass(1);
        assert_eq!(fired(&mut scene), [audience]);
    }
}

#[test]
fn what_is_being_made_of_a_dismissed_cluster_comes_to_nothing_and_its_key_stays_z093() {
    let mut scene = Scene::new();
    let theme = scene.demand(&Audience::Global);
    scene.rest();
    dismiss(&mut scene, 1);
    assert_eq!(scene.induction(), None);
    let late = scene.command(Command::Induce {
        cluster: FIRST,
        audience: Audience::Global,
        outcome: Ok(candidate("seat_preference")),
    });
    assert_eq!(late, Err(Refusal::Done));
    scene.pass(DAY_MS);
    scene.voice(theme);
    assert_eq!(fired(&mut scene), [Audience::Global]);
    scene.induce(candidate("seat_preference"));
    dismiss(&mut scene, 1);
    assert_eq!(
        scene.last().stage.name(),
        "experimental",
        "a key on trial is not touched"
    );
    let unknown = scene.command(Command::Dismiss {
        cluster: ClusterId(99),
        days: 1,
        by: "olga".into(),
        reason: None,
    });
    assert_eq!(unknown, Err(Refusal::UnknownCluster(ClusterId(99))));
}

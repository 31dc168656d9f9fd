//! Keys whose clusters fall together.

use super::*;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::candidate;
use crate::scenario::sample::described;
use crate::scenario::sample::key_name;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::time::DAY_MS;

/// A look that finds the cluster of one key in that of another.
fn absorb(scene: &mut Scene, from: &PatchId, into: &PatchId) {
    scene.absorb(scene.patch(from).cluster, scene.patch(into).cluster);
}

fn two() -> (Scene, PatchId, PatchId) {
    let mut scene = Scene::new();
    let first = scene.propose("seat_preference");
    let second = scene.propose("window_wish");
    (scene, first, second)
}

/// So many payloads with a key, so many of them right.
fn used(with_key: u64, aligned: u64) -> Traffic {
    Traffic {
        payloads: 20,
        with_key,
        type_ok: with_key,
        judged: with_key,
        aligned,
    }
}

#[test]
fn of_two_keys_in_one_cluster_the_older_goes_on_unless_clients_use_the_other_z088_z113() {
    for (younger_is_used, stages) in [
        (false, ["experimental", "deprecated"]),
        (true, ["deprecated", "experimental"]),
    ] {
        let (mut scene, first, second) = two();
        if younger_is_used {
            scene.carry_judged("r", &second, true, None);
        }
        assert_eq!(scene.staged(), []);
        absorb(&mut scene, &second, &first);
        assert_eq!(scene.staged(), [("deprecated", Reason::Folded)]);
        assert_eq!([scene.stage(&first), scene.stage(&second)], stages);
        // It was no fault of the key's: nothing counts against it.
        let gone = scene.patch(if younger_is_used { &first } else { &second });
        assert_eq!((gone.times, gone.cool_until), (0, None));
    }
}

#[test]
fn a_key_that_another_cluster_means_as_well_goes_on_with_that_one_z088_z113() {
    for says_something_new in [true, false] {
        let (mut scene, first, second) = two();
        let description = if says_something_new {
            "A window. Examples: 'by the pane' -> pane."
        } else {
            "A window."
        };
        let other = scene.wanted(&Audience::Global);
        let events = scene.induce(described("window_wish", description));
        assert_eq!(
            matches!(events[..], [Event::Proposed { .. }]),
            says_something_new,
            "{events:?}"
        );
        assert_ne!(other, scene.patch(&second).cluster);
        absorb(&mut scene, &second, &first);
        assert_eq!(scene.staged(), [], "{description}");
        assert_eq!(scene.patch(&second).cluster, other);
        assert_ne!(scene.patch(&first).cluster, other);
        // Where that one falls to the first, too, there is nothing left that tells the two keys apart.
        absorb(&mut scene, &second, &first);
        let mut gone = vec![("deprecated", Reason::Folded)];
        gone.extend(says_something_new.then_some(("deprecated", Reason::WithKey)));
        assert_eq!(scene.staged(), gone, "its better wording goes with it");
    }
}

#[test]
fn of_two_keys_the_one_whose_own_cluster_it_is_stays_z088_z113() {
    let (mut scene, older, younger) = two();
    let home = scene.patch(&younger).cluster;
    let settled = scene.settles(candidate("seat_preference"));
    assert_eq!(settled, Some(Settlement::Covered(key_name("seat_preference"))));
    absorb(&mut scene, &older, &younger);
    assert_eq!(scene.staged(), []);
    // No younger key is driven out of its own.
    assert_eq!(scene.patch(&younger).cluster, home);
    assert_ne!(scene.patch(&older).cluster, home);
}

#[test]
fn a_stable_key_is_never_folded_and_one_that_waits_lapses_without_a_trace_z113_z127() {
    for (both, staged) in [(false, vec![("deprecated", Reason::Folded)]), (true, vec![])] {
        let (mut scene, first, second) = two();
        scene.operate(&second, OperatorAction::Promote).expect("promoted");
        if both {
            scene.operate(&first, OperatorAction::Promote).expect("promoted");
        }
        absorb(&mut scene, &second, &first);
        assert_eq!((scene.staged(), scene.stage(&second)), (staged, "stable"));
    }
    let mut scene = Scene::new();
    let first = scene.propose("seat_preference");
    scene.policy.evolution.autonomy = Autonomy::Review;
    let second = scene.propose("window_wish");
    absorb(&mut scene, &second, &first);
    assert_eq!(scene.staged(), [("lapsed", Reason::Folded)]);
}

#[test]
fn who_asks_for_a_folded_key_is_answered_by_the_one_that_went_on_z113_z114() {
    let (mut scene, first, second) = two();
    absorb(&mut scene, &second, &first);
    scene.rest();
    let survivor = Settlement::Covered(key_name("seat_preference"));
    assert_eq!(scene.settles(candidate("window_wish")), Some(survivor));
    // Once that one has gone, the folded one comes back.
    scene.operate(&first, OperatorAction::Withdraw).expect("withdrawn");
    assert_eq!(scene.settles(candidate("window_wish")), None);
    assert_eq!(scene.stage(&second), "experimental");
}

#[test]
fn a_better_description_is_no_second_key_z113_z114() {
    let mut scene = Scene::new();
    let key = scene.propose("seat_preference");
    let better = described("seat_preference", "Where to sit. Examples: 'by the window' -> window.");
    let wording = scene.propose_for(&Audience::Global, better);
    assert!(matches!(scene.patch(&wording).change, KeyChange::Refine { .. }));
    absorb(&mut scene, &wording, &key);
    assert_eq!(scene.staged(), []);
}

#[test]
fn a_key_that_changed_often_is_folded_when_it_may_change_again_z113() {
    let (mut scene, first, second) = two();
    for _ in 0..2 {
        // A rule took it off trial and a rule brought it back, as far as its history tells.
        let history = &mut scene.state.patch_mut(&second).expect("the second").history;
        let back = history.last().expect("its proposal").clone();
        let mut away = back.clone();
        away.to = "deprecated".to_owned();
        history.extend([away, back]);
    }
    absorb(&mut scene, &second, &first);
    assert_eq!(scene.staged(), []);
    scene.pass(scene.policy.evolution.window_days * DAY_MS);
    let now = Situation {
        state: &scene.state,
        at: scene.at,
        policy: &scene.policy,
    };
    let folds = |event: &Event| matches!(event, Event::Staged { patch_id, .. } if *patch_id == second);
    assert!(fold(now).iter().any(folds));
}

#[test]
fn a_key_that_clients_fill_rightly_is_no_second_one_z113() {
    for (aligned, folded) in [(8, false), (7, true)] {
        let (mut scene, first, second) = two();
        scene.traffic(&first, used(20, 20));
        scene.traffic(&second, used(10, aligned));
        absorb(&mut scene, &second, &first);
        assert_eq!(!scene.staged().is_empty(), folded, "{aligned} of ten");
    }
}

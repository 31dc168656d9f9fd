//! Keys whose clusters fall together.

use std::collections::BTreeMap;

use serde_json::json;

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::pool::recluster::Group;
use crate::pool::recluster::Reclustering;
use crate::scenario::command::Command;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::candidate;
use crate::scenario::sample::candidate_of;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::time::DAY_MS;

/// A look that finds the cluster of one key in that of another.
fn absorb(scene: &mut Scene, from: &PatchId, into: &PatchId) {
    let (old, heir) = (scene.patch(from).cluster, scene.patch(into).cluster);
    let pool = &scene.state.pool;
    let mut micros: Vec<_> = [old, heir]
        .iter()
        .flat_map(|id| pool.clusters.get(id).expect("a cluster").micros.clone())
        .collect();
    micros.sort_unstable();
    let regrouping = Reclustering {
        looked_at: pool.demand,
        next_id: pool.next_id,
        groups: vec![Group {
            cluster: heir,
            micros,
            heading: None,
        }],
        absorbed: BTreeMap::from([(old, heir)]),
        dropped: Vec::new(),
    };
    scene.happens(Command::Regroup(regrouping));
}

fn two() -> (Scene, PatchId, PatchId) {
    let mut scene = Scene::new();
    let first = scene.propose("seat_preference");
    let second = scene.propose("window_wish");
    (scene, first, second)
}

#[test]
fn of_two_keys_in_one_cluster_the_older_goes_on_z088_z113() {
    let (mut scene, first, second) = two();
    assert_eq!(scene.staged(), []);
    absorb(&mut scene, &second, &first);
    assert_eq!(scene.staged(), [("deprecated", Reason::Folded)]);
    assert_eq!(
        (scene.stage(&first), scene.stage(&second)),
        ("experimental", "deprecated")
    );
    // It was no fault of the key's: nothing counts against it.
    assert_eq!((scene.patch(&second).times, scene.patch(&second).cool_until), (0, None));
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
        let again = candidate_of(&json!({
            "key_name": "window_wish", "key_type": "string", "required": false,
            "semantic_description": description,
        }));
        scene.demand(&Audience::Global);
        scene.rest();
        let events = scene.induce(again);
        let other = match &events[..] {
            [Event::Proposed { patch }] if says_something_new => patch.cluster,
            [
                Event::Settled {
                    cluster,
                    settlement: Settlement::Covered(_),
                    ..
                },
            ] if !says_something_new => *cluster,
            events => panic!("{events:?}"),
        };
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
    scene.demand(&Audience::Global);
    scene.rest();
    let events = scene.induce(candidate("seat_preference"));
    assert!(
        matches!(&events[..], [Event::Settled { settlement: Settlement::Covered(key), .. }] if key.as_str() == "seat_preference"),
        "{events:?}"
    );
    absorb(&mut scene, &older, &younger);
    assert_eq!(scene.staged(), []);
    assert_eq!(
        scene.patch(&younger).cluster,
        home,
        "no younger key is driven out of its own"
    );
    assert_ne!(scene.patch(&older).cluster, home);
}

#[test]
fn the_key_that_clients_use_goes_on_whichever_is_older_z113() {
    let (mut scene, first, second) = two();
    scene.traffic(
        &second,
        Traffic {
            payloads: 3,
            with_key: 2,
            type_ok: 2,
            judged: 0,
            aligned: 0,
        },
    );
    absorb(&mut scene, &second, &first);
    scene.rest();
    assert_eq!(
        (scene.stage(&first), scene.stage(&second)),
        ("deprecated", "experimental")
    );
}

#[test]
fn a_stable_key_is_never_folded_z113() {
    let (mut scene, first, second) = two();
    scene.operate(&second, OperatorAction::Promote).expect("promoted");
    absorb(&mut scene, &second, &first);
    scene.rest();
    assert_eq!((scene.stage(&first), scene.stage(&second)), ("deprecated", "stable"));

    let (mut scene, first, second) = two();
    scene.operate(&first, OperatorAction::Promote).expect("promoted");
    scene.operate(&second, OperatorAction::Promote).expect("promoted");
    absorb(&mut scene, &second, &first);
    assert_eq!(scene.staged(), []);
}

#[test]
fn a_key_that_waits_lapses_without_a_trace_z113_z127() {
    let mut scene = Scene::new();
    let first = scene.propose("seat_preference");
    scene.policy.evolution.autonomy = Autonomy::Review;
    let second = scene.propose("window_wish");
    assert_eq!(scene.stage(&second), "awaiting_approval");
    absorb(&mut scene, &second, &first);
    assert_eq!(scene.staged(), [("lapsed", Reason::Folded)]);
}

#[test]
fn who_asks_for_a_folded_key_is_answered_by_the_one_that_went_on_z113_z114() {
    let (mut scene, first, second) = two();
    absorb(&mut scene, &second, &first);
    scene.rest();
    scene.demand(&Audience::Global);
    scene.rest();
    let again = |scene: &mut Scene| {
        let events = scene.induce(candidate("window_wish"));
        match events.into_iter().next() {
            Some(Event::Settled { settlement, .. }) => Some(settlement),
            _ => None,
        }
    };
    let survivor = scene.patch(&first).change.key_name().clone();
    assert_eq!(again(&mut scene), Some(Settlement::Covered(survivor)));

    // Once that one has gone, the folded one comes back.
    scene.operate(&first, OperatorAction::Withdraw).expect("withdrawn");
    scene.demand(&Audience::Global);
    scene.rest();
    assert_eq!(again(&mut scene), None);
    assert_eq!(scene.stage(&second), "experimental");
}

#[test]
fn a_better_description_is_no_second_key_z113_z114() {
    let mut scene = Scene::new();
    let key = scene.propose("seat_preference");
    let wording = scene.propose_for(
        &Audience::Global,
        candidate_of(&json!({
            "key_name": "seat_preference", "key_type": "string", "required": false,
            "semantic_description": "Where to sit. Examples: 'by the window' -> window.",
        })),
    );
    assert!(matches!(scene.patch(&wording).change, KeyChange::Refine { .. }));
    absorb(&mut scene, &wording, &key);
    assert_eq!(scene.staged(), []);
}

#[test]
fn a_key_that_changed_often_is_folded_when_it_may_change_again_z113() {
    let (mut scene, first, second) = two();
    for _ in 0..2 {
        // A rule took it off trial and a rule brought it back, as far as its history tells.
        let patch = scene.state.patches.iter_mut().find(|patch| patch.patch_id == second);
        let history = &mut patch.expect("the second").history;
        let mut away = history.last().expect("its proposal").clone();
        away.to = "deprecated".to_owned();
        let mut back = away.clone();
        back.to = "experimental".to_owned();
        history.extend([away, back]);
    }
    absorb(&mut scene, &second, &first);
    assert_eq!(scene.staged(), []);
    scene.pass(scene.policy.evolution.window_days * DAY_MS);
    assert!(
        super::fold(&scene.state, scene.at, &scene.policy)
            .iter()
            .any(|event| matches!(event, Event::Staged { patch_id, .. } if *patch_id == second))
    );
}

#[test]
fn a_key_that_clients_fill_rightly_is_no_second_one_z113() {
    for (aligned, folded) in [(8, false), (7, true)] {
        let (mut scene, first, second) = two();
        let used = |with_key: u64, aligned: u64| Traffic {
            payloads: 20,
            with_key,
            type_ok: with_key,
            judged: with_key,
            aligned,
        };
        scene.traffic(&first, used(20, 20));
        scene.traffic(&second, used(10, aligned));
        absorb(&mut scene, &second, &first);
        let staged = scene.staged();
        assert_eq!(!staged.is_empty(), folded, "{aligned} of ten: {staged:?}");
    }
}

//! What the world is asked for, and when to come back.

use super::*;
use crate::evolution::operator_action::OperatorAction;
use crate::scenario::event::Event;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::NAMES;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::fragment;
use proptest::prelude::ProptestConfig;
use proptest::prelude::any;
use proptest::proptest;
use schema::time::HOUR_MS;

#[test]
fn digests_come_oldest_first_and_until_they_are_done_z079_z084() {
    let mut scene = Scene::new();
    let asked = |scene: &Scene, max| outstanding(&scene.state, &scene.policy, MODEL, max);
    scene.send("ana");
    // A submission with nothing to read asks for nothing.
    assert_eq!(asked(&scene, 8), []);
    let pending = [1; 3].map(|fragments| scene.pending("ana", fragments, false));
    let expected = pending.map(|of| Effect::Digest { of });
    assert_eq!(asked(&scene, 8), expected);
    assert_eq!(asked(&scene, 2), expected[..2]);
    scene
        .digest(pending[0], vec![fragment(0)], Vec::new())
        .expect("digested");
    assert_eq!(asked(&scene, 8)[..2], expected[1..]);
}

#[test]
fn clients_are_read_by_turns_however_much_one_of_them_sends() {
    let mut scene = Scene::new();
    let flood = [(); 20].map(|()| scene.pending("loud", 1, false));
    let quiet = ["ana", "ben", "ana"].map(|name| scene.pending(name, 1, false));
    let read = |scene: &Scene, max| outstanding(&scene.state, &scene.policy, MODEL, max);
    let digests = |of: &[u64]| of.iter().map(|of| Effect::Digest { of: *of }).collect::<Vec<_>>();
    assert_eq!(read(&scene, 3), digests(&[flood[0], quiet[0], quiet[1]]));
    assert_eq!(
        read(&scene, 5),
        digests(&[flood[0], flood[1], quiet[0], quiet[1], quiet[2]])
    );
    assert_eq!(read(&scene, 99).len(), 23, "all are read");
    assert_eq!(read(&scene, 0), []);
}

#[test]
fn an_induction_is_asked_for_until_its_result_is_there_z109() {
    let mut scene = Scene::new();
    let cluster = scene.wanted(&Audience::Global);
    let audience = Audience::Global;
    let asked = |scene: &Scene| outstanding(&scene.state, &scene.policy, MODEL, 0);
    let induce = [Effect::Induce { cluster, audience }];
    assert_eq!(asked(&scene), induce);
    scene.pass(DAY_MS);
    scene.rest();
    assert_eq!(asked(&scene), induce, "as after a crash");
    scene.induce(candidate("seat_preference"));
    assert_eq!(asked(&scene), []);
}

#[test]
fn who_waits_in_the_queue_is_looked_at_every_day_and_an_untouched_scenario_never_z156() {
    assert_eq!(next_due(&State::default()), None);
    let mut scene = Scene::new();
    assert_eq!(next_due(&scene.state), None);
    scene.policy.evolution.experimental_max = 0;
    scene.propose("seat_preference");
    assert_eq!(scene.last().stage.name(), "queued");
    scene.rest();
    assert_eq!(next_due(&scene.state), Some(scene.at.plus_ms(12 * HOUR_MS)));
}

/// What time alone brings.
fn by_time(scene: &Scene, at: At) -> usize {
    let mut scene = scene.clone();
    scene.at = at;
    let events = scene.rest().into_iter();
    events
        .filter(|event| matches!(event, Event::Staged { .. } | Event::Trimmed { .. }))
        .count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_due_comes_at_its_moment_and_not_before_z141_z148_z152(
        steps in proptest::collection::vec((0..6_u8, any::<u8>(), 1..20_i64), 1..25)
    ) {
        let hands = [OperatorAction::Promote, OperatorAction::Deprecate, OperatorAction::Withdraw, OperatorAction::Restore];
        let mut scene = Scene::new();
        for (what, n, hours) in steps {
            let place = usize::from(n);
            let patch = scene.state.patches.get(place % scene.state.patches.len().max(1));
            match (what, patch.map(|patch| patch.patch_id.clone())) {
                (0, _) if scene.themes < 8 && scene.induction().is_none() => {
                    scene.demand(&if n % 4 == 0 { alone("ana") } else { Audience::Global });
                    scene.rest();
                    if scene.induction().is_some() {
                        scene.induce(candidate(NAMES[place % NAMES.len()]));
                    }
                }
                (1, Some(id)) => scene.traffic(&id, GOOD),
                (2, Some(id)) => scene.traffic(&id, MIDDLING),
                (3, Some(id)) => drop(scene.operate(&id, hands[place % hands.len()])),
                (4, _) => scene.pass(i64::from(n) * DAY_MS / 8),
                _ => scene.pass(hours * HOUR_MS),
            }
            scene.rest();
            match next_due(&scene.state) {
                None => assert_eq!(by_time(&scene, scene.at.plus_ms(1_000 * DAY_MS)), 0),
                Some(due) => {
                    assert!(due > scene.at, "{due:?} is over at {:?}", scene.at);
                    assert_eq!(by_time(&scene, due.plus_ms(-1)), 0);
                    assert!(by_time(&scene, due) > 0);
                }
            }
        }
    }
}

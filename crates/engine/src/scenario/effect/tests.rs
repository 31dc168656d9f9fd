//! What the world is asked for, and when to come back.

use proptest::prelude::ProptestConfig;
use proptest::prelude::any;
use proptest::proptest;

use crate::evolution::operator_action::OperatorAction;
use crate::pool::gate::Audience;
use crate::scenario::command::Command;
use crate::scenario::command::Digestion;
use crate::scenario::effect::Effect;
use crate::scenario::effect::next_due;
use crate::scenario::effect::outstanding;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::NAMES;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::state::State;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;

#[test]
fn digests_come_oldest_first_and_until_they_are_done_z084() {
    let mut scene = Scene::new();
    let mut expected = Vec::new();
    for _ in 0..3 {
        let mut submitted = scene.submitted(None);
        submitted.fragments = 1;
        expected.push(scene.submit(submitted));
    }
    let digests = |scene: &Scene, max| -> Vec<u64> {
        outstanding(&scene.state, &scene.policy, MODEL, max)
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Digest { of } => Some(of),
                Effect::Look | Effect::Reembed | Effect::Review | Effect::Induce { .. } => None,
            })
            .collect()
    };
    assert_eq!(digests(&scene, 8), expected);
    assert_eq!(digests(&scene, 2), expected[..2]);
    scene.happens(Command::Digest {
        model: MODEL.to_owned(),
        digestions: vec![Digestion {
            of: expected[0],
            fragments: vec![crate::scenario::sample::fragment(0)],
            judgements: Vec::new(),
        }],
    });
    assert_eq!(digests(&scene, 8), expected[1..]);
}

#[test]
fn a_submission_with_nothing_to_read_asks_for_nothing_z079() {
    let mut scene = Scene::new();
    let submitted = scene.submitted(Some("ana"));
    scene.submit(submitted);
    assert_eq!(outstanding(&scene.state, &scene.policy, MODEL, 8), []);
}

#[test]
fn an_induction_is_asked_for_until_its_result_is_there_z109() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.rest();
    let asked = |scene: &Scene| {
        let effects = outstanding(&scene.state, &scene.policy, MODEL, 0);
        effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Induce { .. }))
            .count()
    };
    assert_eq!(asked(&scene), 1);
    scene.pass(DAY_MS);
    scene.rest();
    assert_eq!(asked(&scene), 1, "as after a crash");
    scene.induce(candidate("seat_preference"));
    assert_eq!(asked(&scene), 0);
}

#[test]
fn nothing_is_ever_due_in_an_untouched_scenario() {
    assert_eq!(next_due(&State::default()), None);
    assert_eq!(next_due(&Scene::new().state), None);
}

#[test]
fn who_waits_in_the_queue_is_looked_at_every_day_z156() {
    let mut policy = Policy::default();
    policy.evolution.experimental_max = 0;
    let mut scene = Scene::with(policy);
    scene.propose("seat_preference");
    assert_eq!(scene.last().stage.name(), "queued");
    scene.rest();
    assert_eq!(next_due(&scene.state), Some(scene.at.plus_ms(12 * HOUR_MS)));
}

/// What time alone brings.
fn by_time(events: &[Event]) -> usize {
    events
        .iter()
        .filter(|event| matches!(event, Event::Staged { .. } | Event::Trimmed { .. }))
        .count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_due_comes_at_its_moment_and_not_before_z141_z148_z152(
        steps in proptest::collection::vec((0..6_u8, any::<u8>(), 1..20_i64), 1..25)
    ) {
        let mut scene = Scene::new();
        for (what, n, hours) in steps {
            let patch = (!scene.state.patches.is_empty())
                .then(|| scene.state.patches[usize::from(n) % scene.state.patches.len()].patch_id.clone());
            match (what, patch) {
                (0, _) if scene.themes < 8 && scene.induction().is_none() => {
                    let audience = if n % 4 == 0 { Audience::Client(client("ana")) } else { Audience::Global };
                    scene.demand(&audience);
                    scene.rest();
                    if scene.induction().is_some() {
                        scene.induce(candidate(NAMES[usize::from(n) % NAMES.len()]));
                    }
                }
                (1, Some(id)) => scene.traffic(&id, GOOD),
                (2, Some(id)) => scene.traffic(&id, MIDDLING),
                (3, Some(id)) => {
                    let hands = [OperatorAction::Promote, OperatorAction::Deprecate, OperatorAction::Withdraw, OperatorAction::Restore];
                    let _ = scene.operate(&id, hands[usize::from(n) % hands.len()]);
                }
                (4, _) => scene.pass(i64::from(n) * DAY_MS / 8),
                _ => scene.pass(hours * HOUR_MS),
            }
            scene.rest();
            let Some(due) = next_due(&scene.state) else {
                let mut late = scene.clone();
                late.pass(1_000 * DAY_MS);
                assert_eq!(by_time(&late.rest()), 0);
                continue;
            };
            assert!(due > scene.at, "{due:?} is over at {:?}", scene.at);
            let mut early = scene.clone();
            early.at = due.plus_ms(-1);
            assert_eq!(by_time(&early.rest()), 0);
            let mut ripe = scene.clone();
            ripe.at = due;
            assert!(by_time(&ripe.rest()) > 0);
        }
    }
}

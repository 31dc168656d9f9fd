//! Which history a candidate is tried on, and what that leaves on the patch.

use super::RECORDS_PER_SUBMISSION_MAX;
use super::prepare;
use crate::evolution::backtest::Backtest;
use crate::evolution::backtest::Verdict;
use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::OperatorAction;
use crate::pool::gate::Audience;
use crate::scenario::command::Command;
use crate::scenario::command::Induced;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::submission::Sealed;
use crate::scenario::submission::Submitted;
use schema::time::DAY_MS;

fn sealed() -> Option<Sealed> {
    Some(Sealed {
        fragments: vec!["give me that".to_owned()],
        ..Sealed::default()
    })
}

fn command(scene: &Scene, outcome: Result<Box<Induced>, Abstention>) -> Command {
    let (cluster, audience) = scene.induction().expect("a trigger");
    Command::Induce {
        cluster,
        audience,
        outcome,
    }
}

/// The command with its backtest, over everything that happened.
fn rehearsed(scene: &Scene, command: Command) -> Command {
    let Some(mut rehearsal) = prepare(&scene.state, &command, &scene.policy) else {
        return command;
    };
    for entry in scene.entries.iter().rev() {
        if !rehearsal.take(entry.seq, entry.at, &entry.event, sealed) {
            break;
        }
    }
    rehearsal.finish(command)
}

fn found(command: Command) -> Option<Backtest> {
    match command {
        Command::Induce {
            outcome: Ok(induced), ..
        } => induced.backtest.map(|backtest| *backtest),
        _ => None,
    }
}

fn tried(scene: &Scene) -> Option<Backtest> {
    found(rehearsed(scene, command(scene, Ok(candidate("seat_preference")))))
}

/// A scene in which a gate has opened; `before` is what came earlier.
fn wanted(policy: Policy, audience: &Audience, before: impl FnOnce(&mut Scene)) -> Scene {
    let mut scene = Scene::with(policy);
    before(&mut scene);
    scene.demand(audience);
    scene.rest();
    scene
}

fn silent(scene: &mut Scene, count: usize) {
    for _ in 0..count {
        let submitted = scene.submitted(Some("quiet"));
        scene.submit(submitted);
    }
}

#[test]
fn accepted_submissions_are_counted_and_members_ask_z135() {
    let scene = wanted(Policy::default(), &Audience::Global, |scene| {
        silent(scene, 5);
        let refused = Submitted {
            accepted: false,
            ..scene.submitted(Some("quiet"))
        };
        scene.submit(refused);
        scene.say(Some("c1"), 40);
    });
    let found = tried(&scene).expect("a backtest");
    assert_eq!((found.payloads, found.asked, found.clients), (11, 5, 5));
    assert_eq!((found.at, found.key_name.as_str()), (scene.state.at, "seat_preference"));
}

#[test]
fn what_is_not_digested_yet_is_left_out() {
    let scene = wanted(Policy::default(), &Audience::Global, |scene| {
        let waiting = Submitted {
            fragments: 1,
            ..scene.submitted(Some("c9"))
        };
        scene.submit(waiting);
    });
    assert_eq!(tried(&scene).expect("a backtest").payloads, 5);
}

#[test]
fn a_sealed_part_that_is_not_to_be_had_is_left_out() {
    let scene = wanted(Policy::default(), &Audience::Global, |scene| silent(scene, 2));
    let command = command(&scene, Ok(candidate("seat_preference")));
    let mut rehearsal = prepare(&scene.state, &command, &scene.policy).expect("a rehearsal");
    for entry in scene.entries.iter().rev() {
        rehearsal.take(entry.seq, entry.at, &entry.event, || None);
    }
    assert_eq!(found(rehearsal.finish(command)).expect("a backtest").payloads, 2);
}

#[test]
fn a_clients_own_key_is_tried_on_that_client_alone_z123() {
    let own = Audience::Client(client("ada"));
    let scene = wanted(Policy::default(), &own, |scene| {
        silent(scene, 7);
        let plain = scene.submitted(Some("ada"));
        scene.submit(plain);
    });
    let found = tried(&scene).expect("a backtest");
    assert_eq!((found.payloads, found.asked, found.clients), (11, 10, 1));
}

#[test]
fn history_reaches_back_so_many_days_and_no_further() {
    let payloads = |ms: i64, days: i64| {
        let mut policy = Policy::default();
        policy.evolution.backtest_days = days;
        let scene = wanted(policy, &Audience::Global, |scene| {
            silent(scene, 1);
            scene.pass(ms);
        });
        tried(&scene).map(|found| found.payloads)
    };
    assert_eq!(payloads(2 * DAY_MS, 2), Some(6), "exactly as old");
    assert_eq!(payloads(2 * DAY_MS + 1, 2), Some(5), "a millisecond older");
    assert_eq!(payloads(0, 1), Some(6));
    assert_eq!(payloads(0, 0), None, "switched off");
}

#[test]
fn the_most_recent_submissions_are_taken_and_no_more_than_allowed() {
    let found = |max: usize| {
        let mut policy = Policy::default();
        policy.evolution.backtest_submissions_max = max;
        tried(&wanted(policy, &Audience::Global, |scene| silent(scene, 3))).expect("a backtest")
    };
    assert_eq!((found(4).payloads, found(4).asked), (4, 4));
    assert_eq!((found(5).payloads, found(5).asked), (5, 5));
    assert_eq!((found(6).payloads, found(6).asked), (6, 5));
    assert_eq!(found(8).payloads, 8);
    assert_eq!(found(9).payloads, 8);
}

#[test]
fn records_that_are_looked_at_are_bounded() {
    let mut policy = Policy::default();
    policy.evolution.backtest_submissions_max = 1;
    let scene = wanted(policy, &Audience::Global, |_| {});
    let command = command(&scene, Ok(candidate("seat_preference")));
    let mut rehearsal = prepare(&scene.state, &command, &scene.policy).expect("a rehearsal");
    let at = scene.state.at;
    for seq in 0..RECORDS_PER_SUBMISSION_MAX as u64 {
        assert!(rehearsal.take(seq, at, &Event::Continued, sealed));
    }
    assert!(!rehearsal.take(99, at, &Event::Continued, sealed));
}

#[test]
fn what_comes_to_no_patch_is_not_tried_z109() {
    let scene = wanted(Policy::default(), &Audience::Global, |_| {});
    let abstained = command(&scene, Err(Abstention::NoContent));
    assert!(prepare(&scene.state, &abstained, &scene.policy).is_none());
    assert!(prepare(&scene.state, &Command::Tick, &scene.policy).is_none());
}

#[test]
fn the_patch_keeps_its_backtest_and_its_grounds_z143() {
    let mut scene = wanted(Policy::default(), &Audience::Global, |scene| silent(scene, 5));
    let command = rehearsed(&scene, command(&scene, Ok(candidate("seat_preference"))));
    scene.happens(command);
    let patch = scene.last();
    assert_eq!(patch.backtest.as_ref().map(|found| found.asked), Some(5));
    let grounds = patch.grounds.as_ref().expect("grounds");
    assert!(grounds.nearest.as_ref().is_some_and(|nearest| nearest.compared > 0));
}

#[test]
fn a_key_that_comes_back_is_tried_anew_z146() {
    let mut scene = wanted(Policy::default(), &Audience::Global, |_| {});
    let first = rehearsed(&scene, command(&scene, Ok(candidate("seat_preference"))));
    scene.happens(first);
    let id = scene.last().patch_id.clone();
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(100 * DAY_MS);
    scene.rest();
    scene.demand(&Audience::Global);
    scene.rest();
    let again = rehearsed(&scene, command(&scene, Ok(candidate("seat_preference"))));
    let events = scene.happens(again);
    assert!(
        matches!(&events[..], [Event::Revived { backtest: Some(_), .. }]),
        "{events:?}"
    );
    let patch = scene.patch(&id);
    assert_eq!(patch.backtest.as_ref().map(|found| found.at), Some(scene.state.at));
    // Without a rehearsal the last one stays, and says from when it is.
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(200 * DAY_MS);
    scene.rest();
    scene.demand(&Audience::Global);
    scene.rest();
    scene.induce(candidate("seat_preference"));
    let kept = scene.patch(&id).backtest.as_ref().expect("the last one");
    assert!(kept.at < scene.state.at);
}

#[test]
fn what_the_other_keys_came_to_is_taken_over_once_there_is_enough_z159_z162() {
    let with = |payloads: u64| {
        let mut scene = wanted(Policy::default(), &Audience::Global, |_| {});
        let first = rehearsed(&scene, command(&scene, Ok(candidate("seat_preference"))));
        scene.happens(first);
        let id = scene.last().patch_id.clone();
        let half = payloads / 2;
        scene.traffic(
            &id,
            Traffic {
                payloads,
                with_key: half,
                type_ok: half,
                aligned: half,
                judged: half,
            },
        );
        scene.demand(&Audience::Global);
        scene.rest();
        found(rehearsed(&scene, command(&scene, Ok(candidate("meal_preference"))))).expect("a backtest")
    };
    let few = with(20);
    assert_eq!(few.experience.adoption, None, "25 payloads prove nothing");
    assert!(few.at_adoption.is_none());
    let many = with(30);
    // Fifteen of thirty-five: five more asked for the other key meanwhile.
    let adoption = many.experience.adoption.expect("an adoption");
    assert!((adoption - 15.0 / 35.0).abs() < 1e-9, "{adoption}");
    assert_eq!(many.experience.alignment, Some(1.0));
    let prediction = many.prediction().expect("a prediction");
    assert!(prediction.usage < many.share.expect("payloads"));
    assert_eq!(
        prediction.verdict,
        Verdict::Extend,
        "5 of 40 asked, and three of seven of those who ask come"
    );
}

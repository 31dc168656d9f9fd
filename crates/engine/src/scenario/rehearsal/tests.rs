//! Which history a candidate is tried on, and what that leaves on the patch.

use super::*;
use crate::evolution::backtest::Verdict;
use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::OperatorAction;
use crate::scenario::command::Induced;
use crate::scenario::sample::Scene;
use crate::scenario::sample::Traffic;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;

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

/// An induction with its backtest, over everything that happened; `sealed` gives the texts.
fn rehearsed(scene: &Scene, name: &str, sealed: impl Fn() -> Option<Sealed>) -> Command {
    let command = command(scene, Ok(candidate(name)));
    let Some(mut rehearsal) = prepare(&scene.state, &command, &scene.policy) else {
        return command;
    };
    for entry in scene.entries.iter().rev() {
        if !rehearsal.take(entry.seq, entry.at, &entry.event, &sealed) {
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
    found(rehearsed(scene, "seat_preference", sealed))
}

/// A scene in which a gate has opened for all; `before` is what came earlier.
fn wanted(policy: Policy, before: impl FnOnce(&mut Scene)) -> Scene {
    let mut scene = Scene::with(policy);
    before(&mut scene);
    scene.wanted(&Audience::Global);
    scene
}

fn silent(scene: &mut Scene, count: usize) {
    for _ in 0..count {
        scene.send("quiet");
    }
}

#[test]
fn accepted_and_digested_submissions_are_counted_and_members_ask_z135() {
    let scene = wanted(Policy::default(), |scene| {
        silent(scene, 5);
        let refused = Submitted {
            accepted: false,
            ..scene.submitted(Some("quiet"))
        };
        scene.submit(refused);
        scene.say(Some("c1"), 40);
        scene.pending("c9", 1, false);
    });
    let backtest = tried(&scene).expect("a backtest");
    assert_eq!((backtest.payloads, backtest.asked, backtest.clients), (11, 5, 5));
    assert_eq!(backtest.at, scene.state.at);
    assert_eq!(backtest.key_name.as_str(), "seat_preference");
    let unread = found(rehearsed(&scene, "seat_preference", || None)).expect("a backtest");
    assert_eq!(unread.payloads, 5, "a sealed part that is not to be had is left out");
}

#[test]
fn a_clients_own_key_is_tried_on_that_client_alone_z123() {
    let mut scene = Scene::new();
    silent(&mut scene, 7);
    scene.send("ada");
    scene.wanted(&alone("ada"));
    let found = tried(&scene).expect("a backtest");
    assert_eq!((found.payloads, found.asked, found.clients), (11, 10, 1));
}

#[test]
fn history_reaches_back_so_many_days_and_submissions_and_no_further() {
    for (ms, days, payloads) in [
        (2 * DAY_MS, 2, Some(6)),
        (2 * DAY_MS + 1, 2, Some(5)),
        (0, 1, Some(6)),
        (0, 0, None),
    ] {
        let mut policy = Policy::default();
        policy.evolution.backtest_days = days;
        let scene = wanted(policy, |scene| {
            silent(scene, 1);
            scene.pass(ms);
        });
        assert_eq!(tried(&scene).map(|found| found.payloads), payloads, "{ms} {days}");
    }
    for (max, expected) in [(4, (4, 4)), (5, (5, 5)), (6, (6, 5)), (8, (8, 5)), (9, (8, 5))] {
        let mut policy = Policy::default();
        policy.evolution.backtest_submissions_max = max;
        let found = tried(&wanted(policy, |scene| silent(scene, 3))).expect("a backtest");
        assert_eq!((found.payloads, found.asked), expected, "the most recent ones");
    }
    let mut policy = Policy::default();
    policy.evolution.backtest_submissions_max = 1;
    let scene = wanted(policy, |_| {});
    let mut rehearsal = prepare(&scene.state, &command(&scene, Ok(candidate("seat"))), &scene.policy).expect("one");
    let mut take = || rehearsal.take(1, scene.state.at, &Event::Continued, sealed);
    // Records are bounded.
    assert!((0..RECORDS_PER_SUBMISSION_MAX).all(|_| take()) && !take());
}

#[test]
fn what_comes_to_no_patch_is_not_tried_z109() {
    let scene = wanted(Policy::default(), |_| {});
    let abstained = command(&scene, Err(Abstention::NoContent));
    assert!(prepare(&scene.state, &abstained, &scene.policy).is_none());
    assert!(prepare(&scene.state, &Command::Tick, &scene.policy).is_none());
}

#[test]
fn the_patch_keeps_its_backtest_and_its_grounds_and_is_tried_anew_when_it_comes_back_z143_z146() {
    let mut scene = wanted(Policy::default(), |_| {});
    let first = rehearsed(&scene, "seat_preference", sealed);
    scene.happens(first);
    let patch = scene.last();
    let id = patch.patch_id.clone();
    assert_eq!(patch.backtest.as_ref().map(|found| found.asked), Some(5));
    let nearest = patch.grounds.as_ref().and_then(|grounds| grounds.nearest.as_ref());
    assert!(nearest.is_some_and(|nearest| nearest.compared > 0));
    let goes = |scene: &mut Scene, days: i64| {
        scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
        scene.pass(days * DAY_MS);
        scene.rest();
        scene.wanted(&Audience::Global);
    };
    goes(&mut scene, 100);
    let again = rehearsed(&scene, "seat_preference", sealed);
    let events = scene.happens(again);
    assert!(
        matches!(&events[..], [Event::Revived { backtest: Some(_), .. }]),
        "{events:?}"
    );
    let tried = scene.state.at;
    // Without a rehearsal the last one stays, and says from when it is.
    goes(&mut scene, 200);
    scene.induce(candidate("seat_preference"));
    assert_eq!(scene.last().backtest.as_ref().map(|found| found.at), Some(tried));
}

#[test]
fn what_the_other_keys_came_to_is_taken_over_once_there_is_enough_z159_z162() {
    let with = |payloads: u64| {
        let mut scene = wanted(Policy::default(), |_| {});
        let first = rehearsed(&scene, "seat_preference", sealed);
        scene.happens(first);
        let id = scene.last().patch_id.clone();
        let half = payloads / 2;
        let traffic = Traffic {
            payloads,
            with_key: half,
            type_ok: half,
            aligned: half,
            judged: half,
        };
        scene.traffic(&id, traffic);
        scene.wanted(&Audience::Global);
        found(rehearsed(&scene, "meal_preference", sealed)).expect("a backtest")
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
    // 5 of 40 asked, and three of seven of those who ask come.
    assert_eq!(prediction.verdict, Verdict::Extend);
}

//! A scenario that stands still.

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::scenario::effect;
use crate::scenario::event::Event;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::triggered;
use schema::time::DAY_MS;

#[test]
fn freezing_and_thawing_twice_does_nothing_and_says_who_and_since_when_z073() {
    let mut scene = Scene::new();
    assert_eq!(scene.thaw(), []);
    let at = scene.at;
    assert_eq!(scene.freeze().len(), 1);
    scene.pass(DAY_MS);
    assert_eq!(scene.freeze(), []);
    let frozen = scene.state.frozen.clone().expect("frozen");
    assert_eq!((frozen.since, frozen.by.as_str(), frozen.reason), (at, "op", None));
    assert_eq!(scene.thaw().len(), 1);
    assert_eq!(scene.state.frozen, None);
    assert_eq!(scene.thaw(), []);
}

#[test]
fn a_frozen_scenario_counts_but_fires_no_trigger_z073_z093() {
    let mut scene = Scene::new();
    scene.freeze();
    scene.demand(&Audience::Global);
    assert_eq!(triggered(&scene.rest()), []);
    assert!(scene.state.pool.demand > 0, "what is said is still counted");
    scene.thaw();
    assert_eq!(triggered(&scene.rest()).len(), 1, "its gate still stands open");
}

#[test]
fn an_induction_that_was_under_way_is_made_anew_after_the_thaw_z073_z102() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.rest();
    let mut awaited = scene.clone();
    let begun = scene.induction();
    scene.freeze();
    assert_eq!(scene.induction(), None, "none is begun");
    awaited.freeze();
    let (cluster, audience) = begun.expect("a trigger");
    let late = crate::scenario::command::Command::Induce {
        cluster,
        audience,
        outcome: Ok(candidate("seat_preference")),
    };
    assert_eq!(awaited.happens(late), [], "nor does one end");
    awaited.thaw();
    assert!(matches!(
        awaited.induce(candidate("seat_preference"))[..],
        [Event::Proposed { .. }]
    ));
}

#[test]
fn a_trial_lasts_longer_by_the_time_that_stood_still_z073_z141() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    scene.pass(3 * DAY_MS);
    scene.freeze();
    scene.pass(40 * DAY_MS);
    assert_eq!(scene.staged(), [], "its end passes without a verdict");
    let idle = effect::next_due(&scene.state);
    assert!(
        idle.is_none_or(|due| due > scene.at),
        "and nothing wakes for it: {idle:?}"
    );
    scene.thaw();
    scene.traffic(&id, GOOD);
    scene.pass(4 * DAY_MS - 1);
    assert_eq!(scene.staged(), []);
    scene.pass(1);
    assert_eq!(
        scene.staged(),
        [("stable", Reason::Promoted)],
        "four days were left of seven"
    );
    assert_eq!(scene.patch(&id).stood_still_ms, 40 * DAY_MS);
}

#[test]
fn grace_is_as_long_for_clients_as_was_promised_z148() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
    scene.pass(13 * DAY_MS);
    scene.freeze();
    scene.pass(5 * DAY_MS);
    assert_eq!(scene.staged(), []);
    scene.thaw();
    scene.pass(DAY_MS - 1);
    assert_eq!(scene.staged(), []);
    scene.pass(1);
    assert_eq!(scene.staged(), [("withdrawn", Reason::GraceOver)]);
}

#[test]
fn the_operators_hand_works_on_what_is_frozen_z127() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.freeze();
    scene.operate(&id, OperatorAction::Promote).expect("promoted");
    scene.operate(&id, OperatorAction::Demote).expect("demoted");
    scene.pass(30 * DAY_MS);
    assert_eq!(scene.staged(), []);
    scene.thaw();
    scene.pass(7 * DAY_MS - 1);
    assert_eq!(scene.staged(), [], "the trial that was begun by hand is a whole one");
}

#[test]
fn queue_and_folds_wait_too_z156() {
    let mut scene = Scene::new();
    scene.policy.evolution.experimental_max = 1;
    let first = scene.propose("seat_preference");
    let second = scene.propose("meal_choice");
    assert_eq!(scene.stage(&second), "queued");
    scene.freeze();
    scene.operate(&first, OperatorAction::Deprecate).expect("deprecated");
    assert_eq!(scene.staged(), [], "there is room, and nothing takes it");
    scene.thaw();
    assert_eq!(scene.staged(), [("experimental", Reason::RoomInGuard)]);
}

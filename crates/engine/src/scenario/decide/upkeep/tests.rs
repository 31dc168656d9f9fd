//! A scenario that stands still.

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::scenario::command::Command;
use crate::scenario::decide::upkeep::erasable;
use crate::scenario::decide::upkeep::erased;
use crate::scenario::decide::upkeep::trim;
use crate::scenario::effect;
use crate::scenario::event::Event;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use crate::scenario::sample::triggered;
use crate::scenario::submission::Idempotency;
use crate::scenario::submission::Submitted;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;

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

/// [`START`] is a noon.
const MIDNIGHT: i64 = 12 * HOUR_MS;

fn trims(scene: &mut Scene) -> usize {
    let events = scene.rest();
    events
        .iter()
        .filter(|event| matches!(event, Event::Trimmed { .. }))
        .count()
}

#[test]
fn windows_are_trimmed_once_a_day_at_midnight_z134() {
    let mut scene = Scene::new();
    scene.say(Some("ana"), 0);
    assert_eq!(trims(&mut scene), 1, "never before");
    scene.pass(MIDNIGHT - 1);
    assert_eq!(trims(&mut scene), 0);
    scene.pass(1);
    assert_eq!(trims(&mut scene), 1);
    assert_eq!(trims(&mut scene), 0);
}

#[test]
fn an_untouched_scenario_is_left_alone_z134() {
    let mut scene = Scene::new();
    scene.pass(100 * DAY_MS);
    assert!(trim(&scene.state, scene.at, &scene.policy).is_empty());
}

#[test]
fn arrivals_stay_for_the_gates_window_and_the_ledger_for_its_own_z100_z134() {
    let mut scene = Scene::new();
    scene.say(Some("ana"), 0);
    let arrivals =
        |scene: &Scene| -> usize { scene.state.pool.micros.values().map(|micro| micro.arrivals.len()).sum() };
    scene.at = START.plus_ms(MIDNIGHT + 6 * DAY_MS);
    scene.rest();
    assert_eq!(arrivals(&scene), 1, "six days and a half");
    scene.pass(DAY_MS);
    scene.rest();
    assert_eq!(arrivals(&scene), 0, "seven days and a half");
    assert_eq!(
        scene.state.pool.members(crate::pool::micro::ClusterId(0)),
        1,
        "who joined stays a member"
    );
    scene.at = START.plus_ms(MIDNIGHT + 28 * DAY_MS);
    scene.rest();
    assert_eq!(scene.state.ledger.totals(scene.at, 30).0, 1, "the thirtieth day");
    scene.pass(DAY_MS);
    assert_eq!(scene.state.ledger.totals(scene.at, 30).0, 0);
    scene.pass(3 * DAY_MS);
    scene.rest();
    assert!(scene.state.ledger.days.is_empty());
}

#[test]
fn an_idempotency_key_is_remembered_for_a_day() {
    let mut scene = Scene::new();
    scene.rest();
    scene.at = START.plus_ms(MIDNIGHT);
    let mut submitted = scene.submitted(Some("ana"));
    submitted.idempotency = Some(Idempotency {
        scope: "ana".to_owned(),
        key: "k".to_owned(),
        digest: "d".to_owned(),
    });
    let of = scene.submit(submitted);
    scene.pass(DAY_MS);
    assert_eq!(trims(&mut scene), 1);
    assert_eq!(scene.state.idempotency["ana"]["k"].submission, of, "exactly a day old");
    scene.pass(DAY_MS);
    scene.rest();
    assert!(scene.state.idempotency.is_empty());
}

#[test]
fn examples_of_a_key_that_has_gone_are_kept_as_long_as_the_policy_says_z167() {
    let mut scene = Scene::new();
    scene.policy.evolution.autonomy = Autonomy::Review;
    scene.policy.evolution.examples_kept_days = 40;
    let gone = scene.propose("seat_preference");
    let kept = scene.propose("meal_choice");
    scene.operate(&gone, OperatorAction::Reject).expect("rejected");
    let examples = |scene: &Scene, id| scene.patch(id).examples.len() + scene.patch(id).surfaces.len();
    scene.pass(40 * DAY_MS);
    scene.rest();
    assert_eq!(examples(&scene, &gone), 2, "to the day");
    scene.pass(DAY_MS);
    scene.rest();
    assert_eq!((examples(&scene, &gone), examples(&scene, &kept)), (0, 2));
    scene.pass(DAY_MS);
    scene.policy.evolution.examples_kept_days = 0;
    scene.operate(&kept, OperatorAction::Reject).expect("rejected");
    scene.pass(4_000 * DAY_MS);
    scene.rest();
    assert_eq!(examples(&scene, &kept), 2, "for good");
}

#[test]
fn what_is_still_to_be_read_is_not_erased_z084_z167() {
    let mut scene = Scene::new();
    assert_eq!(erasable(&scene.state, scene.at, 0, 0), None, "nobody asked");
    scene.say(Some("ana"), 0);
    let through = scene.state.seq;
    let before = scene.at.plus_ms(-7 * DAY_MS);
    assert_eq!(erasable(&scene.state, scene.at, 7, 0), Some((through, before)));
    let waits = Submitted {
        fragments: 1,
        ..scene.submitted(Some("ben"))
    };
    let of = scene.submit(waits);
    scene.say(Some("eve"), 1);
    assert_eq!(erasable(&scene.state, scene.at, 7, 0), Some((of - 1, before)));
    assert_eq!(erased(&scene.state, of - 1), [Event::Erased { through: of - 1 }]);
    scene.happens(Command::Erased { through: of - 1 });
    assert_eq!(
        erasable(&scene.state, scene.at, 7, 0),
        None,
        "nothing more until it is read"
    );
    assert_eq!(erased(&scene.state, of - 1), []);
}

#[test]
fn a_scenario_is_closed_when_the_last_of_its_schemas_is_retired_z167() {
    let mut scene = Scene::new();
    scene.publish(template("flight_v2", "1.1.0", &[]));
    scene.happens(Command::Retire(schema_id("flight_v1")));
    assert_eq!(scene.state.closed_since(), None);
    scene.pass(DAY_MS);
    scene.happens(Command::Retire(schema_id("flight_v2")));
    let closed = scene.at;
    assert_eq!(scene.state.closed_since(), Some(closed));
    scene.pass(5 * DAY_MS - 1);
    assert_eq!(erasable(&scene.state, scene.at, 0, 5), None);
    scene.pass(1);
    let all = Some((scene.state.seq, scene.at.plus_ms(1)));
    assert_eq!(erasable(&scene.state, scene.at, 0, 5), all);
    assert_eq!(erasable(&scene.state, scene.at, 7, 5), all, "closing counts first");
    scene.happens(Command::Restore(schema_id("flight_v1")));
    assert_eq!(scene.state.closed_since(), None);
}

//! What is forgotten, and what is not yet.

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::scenario::command::Command;
use crate::scenario::decide::trim::erasable;
use crate::scenario::decide::trim::erased;
use crate::scenario::decide::trim::trim;
use crate::scenario::event::Event;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use crate::scenario::submission::Idempotency;
use crate::scenario::submission::Submitted;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;

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

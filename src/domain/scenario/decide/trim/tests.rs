//! What is forgotten, and what is not yet.

use crate::domain::scenario::decide::trim::trim;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::sample::START;
use crate::domain::scenario::sample::Scene;
use crate::domain::scenario::submission::Idempotency;
use crate::domain::time::DAY_MS;
use crate::domain::time::HOUR_MS;

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
        scene.state.pool.members(crate::domain::pool::state::ClusterId(0)),
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

//! Who waits, who goes first, and who waits no longer.

use crate::domain::evolution::hand::Hand;
use crate::domain::evolution::stage::Reason;
use crate::domain::pool::gate::Audience;
use crate::domain::scenario::decide::queue::coverage_ppm;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::sample::Scene;
use crate::domain::scenario::sample::candidate;
use crate::domain::scenario::sample::client;
use crate::domain::time::DAY_MS;

/// Room for one trial at a time.
fn narrow() -> Scene {
    let mut policy = Policy::default();
    policy.evolution.experimental_max = 1;
    policy.evolution.experimental_per_template_max = 1;
    Scene::with(policy)
}

#[test]
fn one_that_waits_begins_when_another_is_promoted_or_deprecated_z156() {
    for hand in [Hand::Promote, Hand::Deprecate, Hand::Withdraw] {
        let mut scene = narrow();
        let first = scene.propose("seat_preference");
        let second = scene.propose("meal_choice");
        assert_eq!(scene.staged(), []);
        assert_eq!(scene.stage(&second), "queued");
        scene.operate(&first, hand).expect("it may");
        assert_eq!(scene.staged(), [("experimental", Reason::RoomInGuard)]);
        assert_eq!(scene.stage(&second), "experimental");
        assert!(scene.serves(None, "meal_choice"));
    }
}

#[test]
fn the_best_expected_coverage_goes_first_z164() {
    let mut scene = narrow();
    let first = scene.propose("seat_preference");
    let rare = scene.propose("meal_choice");
    let frequent = scene.propose("pet_travel");
    scene.voice(2);
    scene.operate(&first, Hand::Promote).expect("promoted");
    scene.rest();
    assert_eq!((scene.stage(&rare), scene.stage(&frequent)), ("queued", "experimental"));
}

#[test]
fn among_equals_the_older_goes_first_z164() {
    let mut scene = narrow();
    let first = scene.propose("seat_preference");
    let older = scene.propose("meal_choice");
    let younger = scene.propose("pet_travel");
    scene.operate(&first, Hand::Promote).expect("promoted");
    scene.rest();
    assert_eq!((scene.stage(&older), scene.stage(&younger)), ("experimental", "queued"));
}

#[test]
fn one_lapses_at_the_moment_its_gate_closes_z156_z164() {
    let mut scene = narrow();
    scene.propose("seat_preference");
    let waiting = scene.propose("meal_choice");
    // Five increments of 20 are 50 after one half-life, which no longer exceeds the threshold.
    scene.pass(DAY_MS - 10);
    assert_eq!(scene.staged(), []);
    scene.pass(10);
    assert_eq!(scene.staged(), [("lapsed", Reason::GateClosed)]);
    assert_eq!(scene.patch(&waiting).cool_until, None);
    // It comes back with the demand.
    scene.voice(1);
    scene.rest();
    scene.induce(candidate("meal_choice"));
    assert_eq!(scene.stage(&waiting), "queued");
    assert_eq!(
        scene.patch(&waiting).history.last().expect("a change").reason,
        Reason::Revived
    );
}

#[test]
fn a_clients_own_key_waits_while_its_own_gate_stands_open_z130_z156() {
    let mut scene = narrow();
    let first = scene.propose_for(&Audience::Client(client("ana")), candidate("seat_preference"));
    let waiting = scene.propose_for(&Audience::Client(client("ana")), candidate("meal_choice"));
    assert_eq!(scene.stage(&waiting), "queued");
    // Another client says the same still more often; the two together do not open the gate for all.
    scene.policy.pool.gate_client_share_max = 0.5;
    for _ in 0..11 {
        scene.say(Some("ben"), 1);
    }
    scene.rest();
    assert_eq!(
        scene.stage(&waiting),
        "queued",
        "the gate that opened for ana stands open"
    );
    scene.operate(&first, Hand::Promote).expect("promoted");
    scene.rest();
    assert_eq!(scene.stage(&waiting), "experimental");
}

#[test]
fn coverage_is_the_share_of_the_payloads_of_seven_days_z164() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    for _ in 0..15 {
        let submitted = scene.submitted(None);
        scene.submit(submitted);
    }
    let cluster = *scene.state.pool.clusters.keys().next().expect("a cluster");
    let read = |scene: &Scene| coverage_ppm(&scene.state, cluster, scene.at, &scene.policy);
    assert_eq!(read(&scene), 250_000);
    scene.pass(7 * DAY_MS + 1);
    assert_eq!(read(&scene), 0, "nothing lies within the window, and no payload either");
}

//! Who waits, who goes first, and who waits no longer.

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::scenario::decide::entry::coverage_ppm;
use crate::scenario::policy::Policy;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::template;
use schema::time::DAY_MS;

/// Room for one trial at a time.
fn narrow() -> Scene {
    let mut policy = Policy::default();
    policy.evolution.experimental_max = 1;
    policy.evolution.experimental_per_template_max = 1;
    Scene::with(policy)
}

#[test]
fn one_that_waits_begins_when_another_is_promoted_or_deprecated_z156() {
    for hand in [
        OperatorAction::Promote,
        OperatorAction::Deprecate,
        OperatorAction::Withdraw,
    ] {
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
    scene.operate(&first, OperatorAction::Promote).expect("promoted");
    scene.rest();
    assert_eq!((scene.stage(&rare), scene.stage(&frequent)), ("queued", "experimental"));
}

#[test]
fn among_equals_the_older_goes_first_z164() {
    let mut scene = narrow();
    let first = scene.propose("seat_preference");
    let older = scene.propose("meal_choice");
    let younger = scene.propose("pet_travel");
    scene.operate(&first, OperatorAction::Promote).expect("promoted");
    scene.rest();
    assert_eq!((scene.stage(&older), scene.stage(&younger)), ("experimental", "queued"));
}

#[test]
fn one_that_waits_is_tried_however_long_ago_its_gate_closed_z156() {
    for audience in [Audience::Global, Audience::Client(client("ana"))] {
        let mut scene = narrow();
        let first = scene.propose_for(&audience, candidate("seat_preference"));
        let waiting = scene.propose_for(&audience, candidate("meal_choice"));
        assert_eq!(scene.stage(&waiting), "queued");
        // Heat halves in a day and the window is seven days: by then nobody asks for it.
        for _ in 0..40 {
            scene.pass(DAY_MS);
            scene.rest();
            assert_eq!(scene.stage(&waiting), "queued");
        }
        assert!(
            scene
                .state
                .pool
                .gate(scene.patch(&waiting).cluster, scene.at, &scene.policy.pool)
                .heat_micro
                < 1_000
        );
        scene.operate(&first, OperatorAction::Deprecate).expect("deprecated");
        assert_eq!(scene.staged(), [("experimental", Reason::RoomInGuard)]);
        assert_eq!(scene.stage(&waiting), "experimental");
    }
}

#[test]
fn one_lapses_when_another_key_takes_its_name_z156_z113() {
    let mut scene = narrow();
    scene.propose("seat_preference");
    let waiting = scene.propose("meal_choice");
    let key = serde_json::json!({"key_name": "meal_choice", "key_type": "string", "required": false,
        "semantic_description": "The meal."});
    scene.publish(template("flight_v1_1", "1.1.0", &[key]));
    assert_eq!(scene.staged(), [("lapsed", Reason::NameTaken)]);
    assert_eq!(scene.patch(&waiting).cool_until, None);
    let other = scene.propose_for(&Audience::Client(client("ana")), candidate("pet_travel"));
    assert_eq!(scene.stage(&other), "queued");
    scene.rest();
    assert_eq!(
        scene.stage(&other),
        "queued",
        "a base without its key takes nothing from it"
    );
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

#[test]
fn the_own_trials_of_one_client_keep_nobody_elses_waiting_z154_z156() {
    let mut policy = Policy::default();
    policy.evolution.experimental_max = 3;
    policy.evolution.experimental_per_template_max = 3;
    let mut scene = Scene::with(policy);
    let loud = Audience::Client(client("loud"));
    let names = ["seat_preference", "meal_choice", "pet_travel", "lounge_entry"];
    let own = names.map(|name| scene.propose_for(&loud, candidate(name)));
    assert_eq!(
        own.each_ref().map(|id| scene.stage(id)),
        ["experimental", "experimental", "experimental", "queued"]
    );
    let shared = scene.propose("wifi_access");
    scene.rest();
    assert_eq!(scene.stage(&shared), "experimental");
    assert_eq!(
        own.each_ref().map(|id| scene.stage(id)),
        ["experimental", "experimental", "queued", "queued"]
    );
    assert!(scene.serves(Some(&client("loud")), "wifi_access") && !scene.serves(Some(&client("loud")), "pet_travel"));
    // It goes on when there is room in its client's template again.
    scene.operate(&shared, OperatorAction::Promote).expect("promoted");
    scene.rest();
    assert_eq!(scene.stage(&own[2]), "experimental");
    assert_eq!(scene.stage(&own[3]), "queued");
}

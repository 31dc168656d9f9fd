//! When a cluster fires, and when it does not.

use serde_json::json;

use crate::domain::evolution::hand::Hand;
use crate::domain::evolution::induction::Abstention;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::command::Command;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::sample::Scene;
use crate::domain::scenario::sample::candidate;
use crate::domain::scenario::sample::candidate_of;
use crate::domain::scenario::sample::client;
use crate::domain::scenario::sample::triggered;
use crate::domain::time::DAY_MS;

const FIRST: ClusterId = ClusterId(0);

#[test]
fn a_mature_cluster_with_an_open_gate_fires_once_z021_z093_z102() {
    let mut scene = Scene::new();
    let theme = scene.demand(&Audience::Global);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
    scene.voice(theme);
    assert_eq!(triggered(&scene.rest()), [], "its induction is on its way");
    scene.induce(candidate("seat_preference"));
    scene.voice(theme);
    assert_eq!(triggered(&scene.rest()), [], "its patch is on trial");
    assert_eq!((scene.state.triggers_global, scene.state.triggers_client), (1, 0));
}

#[test]
fn a_cluster_that_no_look_found_mature_waits_z096() {
    let mut scene = Scene::new();
    for name in ["c1", "c2", "c3", "c4", "c5"] {
        scene.say(Some(name), 0);
    }
    assert_eq!(triggered(&scene.rest()), []);
    scene.mature();
    assert_eq!(triggered(&scene.rest()).len(), 1);
}

#[test]
fn a_cluster_among_others_waits_until_a_second_look_finds_it_again_z096() {
    let mut scene = Scene::new();
    scene.policy = Policy::default();
    for theme in 0..10 {
        for name in ["c1", "c2", "c3", "c4", "c5"] {
            scene.say(Some(name), theme);
        }
    }
    scene.mature();
    assert_eq!(triggered(&scene.rest()), []);
    scene.mature();
    assert_eq!(triggered(&scene.rest()).len(), 10);
}

#[test]
fn one_client_fewer_fires_nothing_z095_z096() {
    let mut scene = Scene::new();
    for name in ["c1", "c2", "c3", "c4"] {
        scene.say(Some(name), 0);
    }
    scene.mature();
    assert_eq!(triggered(&scene.rest()), []);
    scene.say(Some("c5"), 0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
}

#[test]
fn one_client_fires_for_itself_alone_z123_z130() {
    let mut scene = Scene::new();
    for _ in 0..9 {
        scene.say(Some("ana"), 0);
    }
    scene.mature();
    assert_eq!(triggered(&scene.rest()), []);
    scene.say(Some("ana"), 0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Client(client("ana")))]);
    assert_eq!((scene.state.triggers_global, scene.state.triggers_client), (0, 1));
    assert_eq!(triggered(&scene.rest()), []);
    // What then concerns all fires for all, whatever one client has.
    scene.voice(0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
}

#[test]
fn a_client_fires_for_itself_beside_a_busier_one_z130() {
    let mut scene = Scene::new();
    for _ in 0..12 {
        scene.say(Some("ana"), 0);
    }
    for _ in 0..9 {
        scene.say(Some("bo"), 0);
    }
    // Two clients of which one dominates: no case for all.
    for _ in 0..8 {
        scene.say(Some("ana"), 0);
    }
    scene.mature();
    let anas = (FIRST, Audience::Client(client("ana")));
    assert_eq!(triggered(&scene.rest()), [anas], "nine are too few for bo");
    scene.say(Some("bo"), 0);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Client(client("bo")))]);
}

#[test]
fn personal_evolution_can_be_switched_off_alone_z073_z123() {
    let mut policy = Policy::default();
    policy.evolution.personal = false;
    let mut scene = Scene::with(policy);
    scene.demand(&Audience::Client(client("ana")));
    assert_eq!(triggered(&scene.rest()), []);
    scene.demand(&Audience::Global);
    assert_eq!(triggered(&scene.rest()).len(), 1);
}

#[test]
fn evolution_can_be_switched_off_and_the_rest_goes_on_z073_z080() {
    let mut off = Policy::default();
    off.evolution.enabled = false;
    let mut cold = Policy::default();
    cold.pool.heat_increment = 0.0;
    for policy in [off, cold] {
        let mut scene = Scene::with(policy);
        scene.demand(&Audience::Global);
        assert_eq!(triggered(&scene.rest()), []);
        assert_eq!(scene.state.pool.demand, 5);
        assert_eq!(scene.state.ledger.totals(scene.at, 1).0, 5);
        let base = scene.state.base_in_force().expect("a base");
        assert_eq!(scene.effective(None).revision, base.revision);
    }
}

#[test]
fn a_settled_cluster_fires_again_with_twice_its_members_z102() {
    let mut scene = Scene::new();
    let theme = scene.demand(&Audience::Global);
    scene.rest();
    let (cluster, audience) = scene.induction().expect("a trigger");
    scene.happens(Command::Induce {
        cluster,
        audience,
        outcome: Err(Abstention::NoContent),
    });
    for n in 0..4 {
        scene.say(Some(&format!("d{n}")), theme);
        assert_eq!(triggered(&scene.rest()), [], "{} members", 6 + n);
    }
    scene.say(Some("d4"), theme);
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)], "ten members");
}

#[test]
fn a_cluster_fires_again_when_its_patch_has_ended_and_cooled_down_z102() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.operate(&id, Hand::Deprecate).expect("deprecated");
    let until = scene.patch(&id).cool_until.expect("a cool-down");
    scene.at = until.plus_ms(-1);
    scene.voice(0);
    assert_eq!(triggered(&scene.rest()), []);
    scene.at = until;
    assert_eq!(triggered(&scene.rest()), [(FIRST, Audience::Global)]);
}

#[test]
fn what_a_trigger_rests_on_is_kept_with_it_z093() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.pass(DAY_MS / 2);
    scene.say(Some("c6"), 0);
    let events = scene.rest();
    let Some(Event::Triggered { gate, .. }) = events.first() else {
        panic!("not triggered: {events:?}")
    };
    assert_eq!((gate.clients, gate.occurrences, gate.top_occurrences), (6, 6, 1));
    assert_eq!(gate, &scene.state.pool.gate(FIRST, scene.at, &scene.policy.pool));
}

#[test]
fn a_list_that_its_cluster_has_outgrown_is_looked_at_again_z102_z107() {
    let listed = json!({
        "key_name": "seat_preference", "key_type": "string", "required": false,
        "semantic_description": "Seat. Acceptable values: window, aisle, none.",
        "constraints": {"enum": ["window", "aisle", "none"]},
    });
    for (key, again) in [(listed, vec![(FIRST, Audience::Global)]), (open(), Vec::new())] {
        let mut scene = Scene::new();
        let id = scene.propose_for(&Audience::Global, candidate_of(&key));
        assert_eq!(scene.patch(&id).members, 5);
        for n in 0..4 {
            scene.say(Some(&format!("d{n}")), 0);
            assert_eq!(triggered(&scene.rest()), [], "{} members", 6 + n);
        }
        scene.say(Some("d4"), 0);
        assert_eq!(triggered(&scene.rest()), again, "ten members");
    }
}

#[test]
fn a_list_that_nobody_is_offered_any_more_is_left_alone_z102_z107() {
    let mut scene = Scene::new();
    let mut key = open();
    key["constraints"] = json!({"enum": ["window", "aisle", "none"]});
    let id = scene.propose_for(&Audience::Global, candidate_of(&key));
    scene.operate(&id, Hand::Deprecate).expect("deprecated");
    scene.voice(0);
    scene.voice(0);
    assert_eq!(triggered(&scene.rest()), []);
}

fn open() -> serde_json::Value {
    json!({"key_name": "seat_preference", "key_type": "string", "required": false, "semantic_description": "Seat."})
}

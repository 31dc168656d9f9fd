//! Keys that exist, and what candidates add to them.

use serde_json::json;

use crate::domain::evolution::hand::Hand;
use crate::domain::pool::gate::Audience;
use crate::domain::scenario::command::Induced;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::event::Settlement;
use crate::domain::scenario::sample::Scene;
use crate::domain::scenario::sample::candidate;
use crate::domain::scenario::sample::candidate_of;
use crate::domain::scenario::sample::key_name;
use crate::domain::scenario::sample::template;
use crate::domain::template::closed_list;

fn seat(values: &[&str]) -> Box<Induced> {
    candidate_of(&json!({
        "key_name": "seat_preference", "key_type": "string", "required": false,
        "semantic_description": format!("Seat. Acceptable values: {}.", values.join(", ")),
        "constraints": {"enum": values},
    }))
}

fn listed(scene: &Scene) -> Vec<String> {
    let template = scene.effective(None);
    let key = template.key(&key_name("seat_preference")).expect("the key");
    let values = closed_list::values(&key.definition.constraints).expect("a list");
    values.into_iter().map(str::to_owned).collect()
}

#[test]
fn a_learned_list_takes_in_what_was_found_later_z107_z114() {
    let mut scene = Scene::new();
    let key = scene.propose_for(&Audience::Global, seat(&["window", "aisle", "none"]));
    // Another cluster of the same name, and then the key's own with another name.
    let wider = scene.propose_for(&Audience::Global, seat(&["aisle", "middle", "none"]));
    assert_ne!(key, wider);
    assert_eq!(listed(&scene), ["window", "aisle", "middle", "none"]);
    assert_eq!(
        scene.patch(&wider).document()["modified_keys"][0]["added_values"],
        json!(["middle"])
    );
    scene.voice(0);
    scene.rest();
    let mut other = seat(&["exit row", "none"]);
    other.proposal.key.key_name = key_name("umbrella_rental");
    scene.induce(other);
    assert_eq!(listed(&scene), ["window", "aisle", "middle", "exit row", "none"]);
    assert_eq!(
        scene
            .effective(None)
            .keys
            .iter()
            .filter(|key| key.patch.is_some())
            .count(),
        1
    );
}

#[test]
fn nothing_new_in_a_keys_own_cluster_settles_it_z113() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, seat(&["window", "aisle", "none"]));
    scene.voice(0);
    scene.rest();
    let settled = scene.induce(candidate("umbrella_rental"));
    assert!(matches!(
        &settled[..],
        [Event::Settled { settlement: Settlement::Covered(key), .. }] if key.as_str() == "seat_preference"
    ));
}

#[test]
fn a_publishers_own_list_stays_as_it_was_published_z106() {
    let mut scene = Scene::new();
    let own = json!({"key_name": "seat_preference", "key_type": "string", "required": false,
        "semantic_description": "Seat.", "constraints": {"enum": ["window", "aisle"]}});
    scene.publish(template("flight_v2", "2.0.0", &[own]));
    scene.demand(&Audience::Global);
    scene.rest();
    scene.induce(seat(&["aisle", "middle", "none"]));
    assert_eq!(listed(&scene), ["window", "aisle"]);
}

#[test]
fn what_a_person_turned_down_is_not_proposed_again_before_its_time_z114_z165() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, seat(&["window", "aisle", "none"]));
    let wider = scene.propose_for(&Audience::Global, seat(&["aisle", "middle", "none"]));
    scene.operate(&wider, Hand::Deprecate).expect("turned down");
    scene.demand(&Audience::Global);
    scene.rest();
    let until = scene.patch(&wider).cool_until.expect("a cool-down");
    let settled = scene.induce(seat(&["aisle", "exit row", "none"]));
    assert!(matches!(
        &settled[..],
        [Event::Settled { settlement: Settlement::CoolingDown(at), .. }] if *at == until
    ));
}

#[test]
fn values_that_wait_are_proposed_once_z113() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, seat(&["window", "aisle", "none"]));
    scene.policy.evolution.approval_required = true;
    let wider = scene.propose_for(&Audience::Global, seat(&["aisle", "middle", "none"]));
    assert_eq!(scene.stage(&wider), "awaiting_approval");
    scene.demand(&Audience::Global);
    scene.rest();
    let settled = scene.induce(seat(&["aisle", "middle", "none"]));
    assert!(matches!(
        &settled[..],
        [Event::Settled {
            settlement: Settlement::Covered(_),
            ..
        }]
    ));
}

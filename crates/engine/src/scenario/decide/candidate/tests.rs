//! Keys that exist, and what candidates add to them.

use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::pool::gate::Audience;
use crate::scenario::command::Induced;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::key_name;
use crate::scenario::sample::template;
use schema::closed_list;
use serde_json::json;

/// A candidate for the key, with an example of each value.
fn seat(values: &[&str]) -> Box<Induced> {
    let examples: Vec<String> = values
        .iter()
        .map(|value| format!("'the {value} seat' -> {value}"))
        .collect();
    candidate_of(&json!({
        "key_name": "seat_preference", "key_type": "string", "required": false,
        "semantic_description": format!("Seat. Examples: {}.", examples.join("; ")),
    }))
}

fn listed(scene: &Scene) -> Vec<String> {
    let template = scene.effective(None);
    let key = template.key(&key_name("seat_preference")).expect("the key");
    let values = closed_list::values(&key.definition.constraints).expect("a list");
    values.into_iter().map(str::to_owned).collect()
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
    scene.operate(&wider, OperatorAction::Deprecate).expect("turned down");
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
fn a_better_description_that_waits_is_proposed_once_z113() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, seat(&["window", "aisle", "none"]));
    scene.policy.evolution.autonomy = Autonomy::Review;
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

//! Keys that exist, and what candidates add to them.

use serde_json::json;

use crate::domain::evolution::hand::Hand;
use crate::domain::evolution::patch::Patch;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::scenario::command::Induced;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::event::Settlement;
use crate::domain::scenario::sample::GOOD;
use crate::domain::scenario::sample::Scene;
use crate::domain::scenario::sample::Traffic;
use crate::domain::scenario::sample::candidate;
use crate::domain::scenario::sample::candidate_of;
use crate::domain::scenario::sample::key_name;
use crate::domain::scenario::sample::template;
use crate::domain::scenario::sample::triggered;
use crate::domain::template::closed_list;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::name::PatchId;

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

/// A choice of which too little was said for a list.
fn open() -> Box<Induced> {
    let mut open = candidate("seat_preference");
    open.proposal.grounds.values.rule = ValuesRule::Unproven;
    open
}

/// The same once more was said.
fn told(values: &[&str]) -> Box<Induced> {
    let mut told = seat(values);
    told.proposal.grounds.kind.rule = TypeRule::List;
    told
}

fn first_list(scene: &Scene) -> Option<PatchId> {
    let closes = |patch: &&Patch| matches!(&patch.change, KeyChange::Refine { closes: true, .. });
    scene
        .state
        .patches
        .iter()
        .find(closes)
        .map(|patch| patch.patch_id.clone())
}

#[test]
fn a_choice_on_trial_gets_its_first_list_from_its_own_cluster_z111_z114() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, open());
    scene.voice(0);
    scene.rest();
    scene.induce(told(&["window", "aisle", "none"]));
    assert_eq!(listed(&scene), ["window", "aisle", "none"]);
    let first = first_list(&scene).expect("a list");
    let document = scene.patch(&first).document();
    assert_eq!(
        document["modified_keys"][0]["listed_values"],
        json!(["window", "aisle"])
    );
    assert_eq!(document["modified_keys"][0].get("added_values"), None);
    // From then on it grows as any learned list does.
    scene.voice(0);
    scene.voice(0);
    scene.rest();
    scene.induce(told(&["middle", "window", "none"]));
    assert_eq!(listed(&scene), ["window", "aisle", "middle", "none"]);
    scene.operate(&first, Hand::Withdraw).expect("taken back");
    let open = scene.effective(None);
    let key = open.key(&key_name("seat_preference")).expect("the key");
    assert_eq!(closed_list::values(&key.definition.constraints), None, "open as before");
}

#[test]
fn a_choice_that_clients_fill_stays_open_z107_z111() {
    let mut scene = Scene::new();
    let key = scene.propose_for(&Audience::Global, open());
    scene.traffic(
        &key,
        Traffic {
            payloads: 1,
            with_key: 1,
            ..GOOD
        },
    );
    scene.voice(0);
    assert_eq!(triggered(&scene.rest()), [], "nothing is asked of its cluster");
    // A second cluster that means it says something of it, and lists nothing.
    scene.propose_for(&Audience::Global, told(&["window", "aisle", "none"]));
    assert_eq!(first_list(&scene), None);
}

#[test]
fn a_part_of_what_a_choice_stands_for_closes_nothing_z111() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, open());
    scene.propose_for(&Audience::Global, told(&["window", "aisle", "none"]));
    assert_eq!(first_list(&scene), None);
}

#[test]
fn a_first_list_does_not_wait_in_the_queue_where_its_key_may_be_filled_z111_z156() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Global, open());
    scene.policy.evolution.experimental_max = 1;
    scene.voice(0);
    scene.rest();
    let settled = scene.induce(told(&["window", "aisle", "none"]));
    assert!(matches!(
        &settled[..],
        [Event::Settled {
            settlement: Settlement::Covered(_),
            ..
        }]
    ));
}

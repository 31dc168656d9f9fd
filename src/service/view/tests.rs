//! What is new to a client, as suggestions and updates say it.

use serde_json::Value;

use crate::domain::evolution::hand::Hand;
use crate::domain::exchange::validator::OtherLimits;
use crate::domain::pool::gate::Audience;
use crate::domain::scenario::sample::Scene;
use crate::domain::scenario::sample::candidate;
use crate::domain::scenario::sample::client;
use crate::service::view::View;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 16,
    bytes_max: 4_096,
};

fn since(scene: &Scene, name: &str, revision: u64) -> Value {
    View::build(&scene.state, &scene.policy, LIMITS).since(Some(&client(name)), revision)
}

fn names(news: &Value, member: &str) -> Vec<String> {
    let keys = news[member].as_array().expect("a list");
    keys.iter()
        .map(|key| key["key_name"].as_str().or(key.as_str()).expect("a name").to_owned())
        .collect()
}

#[test]
fn new_and_refined_keys_come_whole_and_withdrawn_ones_by_name_z008_z025_z120_z121_z150() {
    let mut scene = Scene::new();
    let seat = scene.propose("seat_preference");
    scene.propose("cabin_option");
    let news = since(&scene, "ben", 0);
    assert_eq!(names(&news, "new_keys"), ["seat_preference"]);
    assert_eq!(news["new_keys"][0]["experimental"], true);
    assert_eq!(names(&news, "modified_keys"), ["cabin_class"]);
    assert_eq!(news["patches"].as_array().map(Vec::len), Some(2));
    assert_eq!(news["patches"][0]["patch_id"], seat.as_str());
    let known = news["revision"].as_u64().expect("a revision");
    assert_eq!(
        since(&scene, "ben", known)["patches"],
        Value::Array(Vec::new()),
        "nothing is new"
    );
    scene.operate(&seat, Hand::Withdraw).expect("withdrawn");
    let news = since(&scene, "ben", known);
    assert_eq!(names(&news, "withdrawn_keys"), ["seat_preference"]);
    assert!(names(&news, "new_keys").is_empty());
}

#[test]
fn one_clients_news_are_that_clients_alone_z122_z123() {
    let mut scene = Scene::new();
    scene.propose_for(&Audience::Client(client("ana")), candidate("seat_preference"));
    assert_eq!(names(&since(&scene, "ana", 0), "new_keys"), ["seat_preference"]);
    assert!(names(&since(&scene, "ben", 0), "new_keys").is_empty());
    assert_eq!(since(&scene, "ben", 0)["revision"], 0);
}

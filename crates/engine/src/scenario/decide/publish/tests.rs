//! A base is immutable once it is there.

use serde_json::json;

use crate::scenario::command::Command;
use crate::scenario::command::Refusal;
use crate::scenario::sample::Scene;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;

fn publish(id: &str, version: &str, added: &[serde_json::Value]) -> Command {
    Command::Publish(Box::new(template(id, version, added)))
}

#[test]
fn the_same_content_is_accepted_again_and_other_content_is_refused_z030_z105() {
    let mut scene = Scene::new();
    let before = scene.state.clone();
    assert_eq!(scene.command(publish("flight_v1", "1.0.0", &[])), Ok(Vec::new()));
    let key = json!({"key_name": "extra", "key_type": "string", "required": false, "semantic_description": "Extra."});
    let refused = scene.command(publish("flight_v1", "1.0.0", &[key]));
    assert_eq!(refused, Err(Refusal::SchemaImmutable(schema_id("flight_v1"))));
    assert_eq!(scene.state, before);
}

#[test]
fn a_published_schema_is_served_with_types_and_annotations_z005_z024() {
    let scene = Scene::new();
    let served = scene.effective(None).document(None, true);
    let keys = served["keys"].as_array().expect("keys");
    assert_eq!(keys.len(), 4, "its three and other");
    for (key, own) in keys.iter().zip(&template("flight_v1", "1.0.0", &[]).keys) {
        assert_eq!(key["key_name"], own.key_name.as_str());
        assert!(key["key_type"].is_string());
        assert_eq!(key["semantic_description"], own.semantic_description.as_str());
    }
}

#[test]
fn in_force_is_the_highest_version_that_is_not_retired_z105() {
    let mut scene = Scene::new();
    scene.happens(publish("flight_v10", "1.10.0", &[]));
    scene.happens(publish("flight_v9", "1.9.0", &[]));
    let in_force = |scene: &Scene| {
        scene
            .state
            .base_in_force()
            .map(|base| base.template.schema_id.to_string())
    };
    assert_eq!(in_force(&scene).as_deref(), Some("flight_v10"));
    scene.happens(Command::Retire(schema_id("flight_v10")));
    assert_eq!(in_force(&scene).as_deref(), Some("flight_v9"));
    scene.happens(publish("flight_v9b", "1.9.0", &[]));
    assert_eq!(
        in_force(&scene).as_deref(),
        Some("flight_v9b"),
        "the latest among equals"
    );
}

#[test]
fn a_restored_schema_takes_submissions_and_may_be_in_force_again_z105() {
    let mut scene = Scene::new();
    scene.happens(publish("flight_v2", "1.1.0", &[]));
    scene.happens(Command::Retire(schema_id("flight_v2")));
    let retired = scene.state.bases[&schema_id("flight_v2")].revision;
    scene.happens(Command::Restore(schema_id("flight_v2")));
    let base = scene.state.base_in_force().expect("a base");
    assert_eq!(base.template.schema_id, schema_id("flight_v2"));
    assert!(base.revision > retired, "clients see that something changed");
    assert_eq!(super::accepts(&scene.state, &schema_id("flight_v2")), Ok(()));
    let again = scene.command(Command::Restore(schema_id("flight_v2")));
    assert_eq!(again, Ok(Vec::new()));
    let nobody = scene.command(Command::Restore(schema_id("flight_v3")));
    assert_eq!(nobody, Err(Refusal::UnknownSchema(schema_id("flight_v3"))));
}

#[test]
fn a_retired_schema_takes_no_submission_and_an_older_one_does_z181() {
    let mut scene = Scene::new();
    scene.happens(publish("flight_v2", "1.1.0", &[]));
    let submit = |scene: &Scene, id| {
        let mut submitted = scene.submitted(None);
        submitted.schema_id = schema_id(id);
        Command::Submit(submitted)
    };
    let command = submit(&scene, "flight_v1");
    assert!(scene.command(command).is_ok());
    scene.happens(Command::Retire(schema_id("flight_v1")));
    assert_eq!(scene.command(Command::Retire(schema_id("flight_v1"))), Ok(Vec::new()));
    let command = submit(&scene, "flight_v1");
    assert_eq!(
        scene.command(command),
        Err(Refusal::SchemaRetired(schema_id("flight_v1")))
    );
    let command = submit(&scene, "flight_v3");
    assert_eq!(
        scene.command(command),
        Err(Refusal::UnknownSchema(schema_id("flight_v3")))
    );
    let command = Command::Retire(schema_id("flight_v3"));
    assert_eq!(
        scene.command(command),
        Err(Refusal::UnknownSchema(schema_id("flight_v3")))
    );
}

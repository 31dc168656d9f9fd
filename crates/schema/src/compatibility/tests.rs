//! Seven modes, one line at a time.

use serde_json::Value;
use serde_json::json;

use super::Assessment;
use super::MODES;
use super::Mode;
use super::NAMES;
use super::assess;
use crate::template::SchemaTemplate;

/// A template whose key `class` takes these values.
fn version(id: &str, version: &str, values: &[&str], mode: Option<&str>) -> SchemaTemplate {
    let mut document = json!({"schema_id": id, "scenario": "a", "version": version, "keys": [
        {"key_name": "class", "key_type": "string", "required": false, "semantic_description": "Class.",
         "constraints": {"enum": values}}]});
    if let Some(mode) = mode {
        document["compatibility"] = json!(mode);
    }
    SchemaTemplate::parse(&document).expect("a template").0
}

fn against(template: &SchemaTemplate, published: &[&SchemaTemplate], default: Mode) -> Assessment {
    assess(template, published, default)
}

#[test]
fn modes_are_read_by_their_names() {
    for (mode, name) in MODES.into_iter().zip(NAMES) {
        assert_eq!(mode.name(), name);
        assert_eq!(Mode::parse(name), Some(mode));
        assert_eq!(json!(mode), json!(name));
    }
    assert_eq!(Mode::parse("FULL"), None);
    assert_eq!(Mode::default(), Mode::FullTransitive);
}

#[test]
fn each_mode_asks_for_its_direction_and_its_versions_z105() {
    // Wider than the version before it, narrower than the first.
    let first = version("a1", "1.0.0", &["x", "y", "z"], None);
    let second = version("a2", "1.1.0", &["x"], None);
    let wider = version("a3", "1.2.0", &["x", "y"], None);
    let verdict = |mode| against(&wider, &[&first, &second], mode).compatible;
    assert!(verdict(Mode::None));
    assert!(verdict(Mode::Backward), "whatever the second accepts");
    assert!(!verdict(Mode::BackwardTransitive), "the first accepted z");
    assert!(!verdict(Mode::Forward), "the second refuses y");
    assert!(!verdict(Mode::ForwardTransitive));
    assert!(!verdict(Mode::Full));
    assert!(!verdict(Mode::FullTransitive));
    let narrower = version("a3", "1.2.0", &["x"], None);
    assert!(against(&narrower, &[&first, &second], Mode::Forward).compatible);
    assert!(against(&narrower, &[&first, &second], Mode::ForwardTransitive).compatible);
    assert!(
        against(&narrower, &[&first, &second], Mode::Full).compatible,
        "the same as the second"
    );
    assert!(!against(&narrower, &[&first, &second], Mode::FullTransitive).compatible);
}

#[test]
fn a_new_major_is_free_and_compared_for_information_z105() {
    let first = version("a_v1", "1.9.0", &["x"], None);
    let second = version("a_v2", "2.0.0", &["y"], None);
    let assessment = against(&second, &[&first], Mode::FullTransitive);
    assert!(assessment.compatible);
    assert_eq!(assessment.compared.len(), 1);
    assert!(!assessment.compared[0].enforced);
    assert!(!assessment.compared[0].changes.is_empty());
    let minor = version("a_v1_10", "1.10.0", &["y"], None);
    assert!(
        !against(&minor, &[&first, &second], Mode::FullTransitive).compatible,
        "the line of 1 goes on"
    );
}

#[test]
fn the_promise_is_that_of_the_newest_version_of_the_line_z105() {
    let first = version("a1", "1.0.0", &["x"], Some("full"));
    let wider = version("a2", "1.1.0", &["x", "y"], Some("none"));
    let assessment = against(&wider, &[&first], Mode::None);
    assert!(!assessment.compatible, "a version does not excuse itself");
    assert_eq!(
        (assessment.mode, assessment.set_by.as_deref()),
        (Mode::Full, Some("a1"))
    );
    let loosened = version("a2", "1.0.1", &["x"], Some("backward"));
    assert!(against(&loosened, &[&first], Mode::None).compatible);
    let wider = version("a3", "1.1.0", &["x", "y"], None);
    let assessment = against(&wider, &[&first, &loosened], Mode::None);
    assert!(assessment.compatible);
    assert_eq!(assessment.set_by.as_deref(), Some("a2"));
    let silent = version("a0", "1.0.0", &["x"], None);
    assert_eq!(against(&wider, &[&silent], Mode::Forward).set_by, None);
}

#[test]
fn a_version_between_others_is_compared_with_both_sides_z105() {
    let first = version("a1", "1.0.0", &["x"], None);
    let third = version("a3", "1.2.0", &["x", "y", "z"], None);
    let between = version("a2", "1.1.0", &["x", "y"], None);
    let published = [&third, &first];
    assert!(against(&between, &published, Mode::BackwardTransitive).compatible);
    let assessment = against(&between, &published, Mode::Backward);
    assert_eq!(assessment.compared.len(), 1);
    assert_eq!(assessment.compared[0].schema_id, "a1", "the version before");
    let beyond = version("a2", "1.1.0", &["x", "w"], None);
    assert!(
        !against(&beyond, &published, Mode::BackwardTransitive).compatible,
        "the third refuses w"
    );
    let lowest = version("a0", "0.9.0", &["x"], None);
    assert!(
        !against(&lowest, &[&third], Mode::Full).compared[0].enforced,
        "0 is a line of its own"
    );
    let lowest = version("a0", "1.0.0", &["w"], None);
    assert!(
        !against(&lowest, &[&third], Mode::Backward).compatible,
        "the version after, where none is before"
    );
}

#[test]
fn the_same_id_and_no_others_are_nothing_to_compare_z030() {
    let own = version("a1", "1.0.0", &["x"], None);
    let assessment = against(&own, &[&own], Mode::FullTransitive);
    assert!(assessment.compatible && assessment.compared.is_empty());
}

#[test]
fn objections_hold_what_is_forbidden_alone_z105() {
    let first = version("a1", "1.0.0", &["x"], None);
    let mut document = serde_json::to_value(version("a2", "1.1.0", &["y"], None)).expect("a document");
    document["description"] = json!("changed");
    let worse = SchemaTemplate::parse(&document).expect("a template").0;
    let assessment = against(&worse, &[&first], Mode::FullTransitive);
    assert_eq!(assessment.compared[0].changes.len(), 2);
    let objections = assessment.objections();
    assert_eq!(objections.compared[0].changes.len(), 1);
    let told: Value = serde_json::to_value(&objections).expect("JSON");
    assert_eq!(told["compared"][0]["changes"][0]["kind"], "constraints_changed");
    assert_eq!(told["compared"][0]["changes"][0]["class"], "breaking");
    assert_eq!(told["mode"], "full_transitive");
}

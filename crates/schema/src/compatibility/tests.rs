//! Seven modes, one line at a time.

use serde_json::json;

use super::Assessment;
use super::Hindrance;
use super::Mode;
use super::NAMES;
use super::assess;
use super::hindrances;
use crate::budget::Budget;
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

#[test]
fn modes_are_read_by_their_names() {
    for name in NAMES {
        assert_eq!(
            Mode::parse(name).map(|mode| json!([mode, mode.name()])),
            Some(json!([name, name]))
        );
    }
    assert_eq!((Mode::parse("FULL"), Mode::default()), (None, Mode::FullTransitive));
}

#[test]
fn each_mode_asks_for_its_direction_and_its_versions_z105() {
    // Wider than the version before it, narrower than the first; and the same as the version before it.
    let first = version("a1", "1.0.0", &["x", "y", "z"], None);
    let second = version("a2", "1.1.0", &["x"], None);
    let [wider, same] = [&["x", "y"][..], &["x"]].map(|values| version("a3", "1.2.0", values, None));
    for (mode, keeps) in [
        (Mode::None, [true, true]),
        (Mode::Backward, [true, true]),
        (Mode::BackwardTransitive, [false, false]),
        (Mode::Forward, [false, true]),
        (Mode::ForwardTransitive, [false, true]),
        (Mode::Full, [false, true]),
        (Mode::FullTransitive, [false, false]),
    ] {
        let kept =
            [&wider, &same].map(|template| assess(template, &[&first, &second], mode, &Budget::default()).compatible);
        assert_eq!(kept, keeps, "{mode:?}");
    }
}

#[test]
fn a_new_major_is_free_and_compared_for_information_and_the_same_id_with_nothing_z030_z105() {
    let first = version("a_v1", "1.9.0", &["x"], None);
    let second = version("a_v2", "2.0.0", &["y"], None);
    let assessment = assess(&second, &[&first], Mode::FullTransitive, &Budget::default());
    let [compared] = &assessment.compared[..] else {
        panic!("{assessment:?}")
    };
    assert!(assessment.compatible && !compared.enforced && !compared.changes.is_empty());
    let minor = version("a_v1_10", "1.10.0", &["y"], None);
    let goes_on = assess(&minor, &[&first, &second], Mode::FullTransitive, &Budget::default());
    assert!(!goes_on.compatible, "the line of 1 goes on");
    let own = assess(&first, &[&first], Mode::FullTransitive, &Budget::default());
    assert!(own.compatible && own.compared.is_empty());
}

#[test]
fn the_promise_is_that_of_the_newest_version_of_the_line_z105() {
    let first = version("a1", "1.0.0", &["x"], Some("full"));
    let excused = version("a2", "1.1.0", &["x", "y"], Some("none"));
    let loosened = version("a2", "1.0.1", &["x"], Some("backward"));
    let wider = version("a3", "1.1.0", &["x", "y"], None);
    let silent = version("a0", "1.0.0", &["x"], None);
    let told = |found: Assessment| (found.compatible, found.mode, found.set_by);
    let by = |id: &str| Some(id.to_owned());
    let excuses_itself = told(assess(&excused, &[&first], Mode::None, &Budget::default()));
    assert_eq!(excuses_itself, (false, Mode::Full, by("a1")));
    assert_eq!(
        told(assess(&loosened, &[&first], Mode::None, &Budget::default())),
        (true, Mode::Full, by("a1"))
    );
    assert_eq!(
        told(assess(&wider, &[&first, &loosened], Mode::None, &Budget::default())),
        (true, Mode::Backward, by("a2"))
    );
    assert_eq!(
        told(assess(&wider, &[&silent], Mode::Forward, &Budget::default())),
        (false, Mode::Forward, None)
    );
}

#[test]
fn a_version_between_others_is_compared_with_both_sides_z105() {
    let first = version("a1", "1.0.0", &["x"], None);
    let third = version("a3", "1.2.0", &["x", "y", "z"], None);
    let published = [&third, &first];
    let [between, beyond] = [["x", "y"], ["x", "w"]].map(|values| version("a2", "1.1.0", &values, None));
    assert!(assess(&between, &published, Mode::BackwardTransitive, &Budget::default()).compatible);
    assert!(
        !assess(&beyond, &published, Mode::BackwardTransitive, &Budget::default()).compatible,
        "the third refuses w"
    );
    let compared = assess(&between, &published, Mode::Backward, &Budget::default()).compared;
    let ids: Vec<&str> = compared.iter().map(|compared| compared.schema_id.as_str()).collect();
    assert_eq!(ids, ["a1"], "the version before");
    let of_line_0 = assess(
        &version("a0", "0.9.0", &["x"], None),
        &[&third],
        Mode::Full,
        &Budget::default(),
    );
    assert!(!of_line_0.compared[0].enforced, "0 is a line of its own");
    let lowest = assess(
        &version("a0", "1.0.0", &["w"], None),
        &[&third],
        Mode::Backward,
        &Budget::default(),
    );
    assert!(!lowest.compatible, "the version after, where none is before");
}

#[test]
fn objections_hold_what_is_forbidden_alone_z105() {
    let first = version("a1", "1.0.0", &["x"], None);
    let mut worse = version("a2", "1.1.0", &["y"], None);
    worse.description = Some("changed".to_owned());
    let assessment = assess(&worse, &[&first], Mode::FullTransitive, &Budget::default());
    assert_eq!(assessment.compared[0].changes.len(), 2);
    let told = json!(assessment.objections());
    let changes = told["compared"][0]["changes"].as_array().expect("changes");
    assert_eq!((changes.len(), &told["mode"]), (1, &json!("full_transitive")));
    assert_eq!(
        [&changes[0]["kind"], &changes[0]["class"]],
        ["constraints_changed", "breaking"]
    );
}

#[test]
fn an_id_is_published_once_and_a_version_goes_on_z030_z105() {
    let template = |row: [&str; 4]| {
        let document = json!({"schema_id": row[0], "scenario": row[1], "version": row[2], "keys": [
            {"key_name": "seat", "key_type": "string", "required": false, "semantic_description": row[3]}]});
        SchemaTemplate::parse(&document).expect("a template").0
    };
    let old = template(["a", "s", "1.1.0", "Seat."]);
    for (row, found) in [
        (["a", "s", "1.1.0", "Seat."], vec![]),
        (["a", "s", "1.1.0", "The seat."], vec![Hindrance::SameId]),
        (["a", "s", "1.2.0", "Seat."], vec![Hindrance::SameId]),
        (
            ["a", "s", "1.0.0", "Seat."],
            vec![Hindrance::SameId, Hindrance::VersionBack],
        ),
        (["b", "s", "1.2.0", "The seat."], vec![]),
        (["b", "s", "1.1.0", "Seat."], vec![Hindrance::SameVersion]),
        (["b", "s", "1.0.9", "Seat."], vec![Hindrance::VersionBack]),
        (["b", "other", "1.0.0", "Seat."], vec![]),
    ] {
        assert_eq!(hindrances(&old, &template(row)), found, "{row:?}");
    }
}

#[test]
fn an_optional_key_may_be_added_to_a_strict_line_and_what_is_not_proved_is_left_to_the_owner_z105() {
    let template = |id: &str, version: &str, strict: bool, keys: serde_json::Value| {
        let document = json!({"schema_id": id, "scenario": "a", "version": version, "strict": strict, "keys": keys});
        SchemaTemplate::parse(&document).expect("a template").0
    };
    let key = |name: &str, pattern: &str| {
        json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": "A code.",
               "constraints": {"pattern": pattern}})
    };
    let first = template("a1", "1.0.0", true, json!([key("code", "^[ab]*a[ab]{14}$")]));
    let more = template(
        "a2",
        "1.1.0",
        true,
        json!([key("code", "^[ab]*a[ab]{14}$"), key("seat", "^a$")]),
    );
    let assessed =
        |template: &SchemaTemplate, units: u64| assess(template, &[&first], Mode::FullTransitive, &Budget::new(units));
    let found = assessed(&more, u64::MAX);
    assert!(found.compatible && found.unproved().compared.is_empty(), "{found:?}");
    let open = template("a2", "1.1.0", false, json!([key("code", "^[ab]*a[ab]{14}$")]));
    assert!(
        !assessed(&open, u64::MAX).compatible,
        "the older version refuses what this one takes"
    );
    let other = template("a2", "1.1.0", true, json!([key("code", "^[ab]*a[ab]{13}$")]));
    assert!(!assessed(&other, u64::MAX).compatible);
    let found = assessed(&other, 10_000);
    assert!(
        found.compatible && found.unproved().compared[0].changes.len() == 1,
        "{found:?}"
    );
    let promised_nothing = assess(&other, &[&first], Mode::None, &Budget::new(10_000));
    assert!(promised_nothing.unproved().compared.is_empty());
}

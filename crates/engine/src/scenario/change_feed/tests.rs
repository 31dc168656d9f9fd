//! What outsiders are told, and what they are not.

use super::*;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::pool::hold::Hold;
use crate::scenario::command::Command;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::cohort;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use schema::time::DAY_MS;

/// Everything that is told of a scene, by its last state; what is told is listed.
fn told(scene: &Scene) -> Vec<Notice> {
    let listed = scene
        .entries
        .iter()
        .filter(|entry| tells(&entry.event))
        .map(|entry| entry.seq);
    assert!(scene.state.news.iter().copied().eq(listed));
    let told = scene.entries.iter().filter_map(|entry| {
        let notice = of(&scene.state, entry)?;
        assert!(scene.state.news.contains(&entry.seq));
        Some(notice)
    });
    told.collect()
}

/// Topic by topic, with the stage or the schema that it is about.
fn in_words(scene: &Scene) -> Vec<(&'static str, String)> {
    let what = |notice: &Notice| {
        let named = notice.data.get("stage").or(notice.data.get("schema_id"));
        named.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    told(scene)
        .iter()
        .map(|notice| (notice.topic.name(), what(notice)))
        .collect()
}

#[test]
fn bases_are_told_of_when_they_come_go_and_come_back() {
    let mut scene = Scene::new();
    scene.publish(template("flight_v2", "1.1.0", &[]));
    let (flight, sunset) = (schema_id("flight_v2"), Some(scene.at.plus_ms(DAY_MS)));
    scene.happens(Command::Deprecate {
        schema_id: flight.clone(),
        sunset,
        reason: None,
    });
    let announced = told(&scene).pop().expect("a notice").data;
    assert_eq!(announced["sunset"].as_str().and_then(At::parse), sunset);
    scene.happens(Command::Retire(flight.clone()));
    scene.happens(Command::Restore(flight));
    let expected = [
        ("schema.published", "flight_v1"),
        ("schema.published", "flight_v2"),
        ("schema.deprecated", "flight_v2"),
        ("schema.retired", "flight_v2"),
        ("schema.restored", "flight_v2"),
    ];
    assert_eq!(in_words(&scene), expected.map(|(topic, id)| (topic, id.to_owned())));
    let last = told(&scene).pop().expect("a notice").data;
    let revision = scene.state.seq;
    let data =
        json!({"scenario": "flight_booking", "revision": revision, "schema_id": "flight_v2", "version": "1.1.0"});
    assert_eq!(last, data);
}

#[test]
fn a_patch_for_all_is_told_of_at_each_stage_that_clients_see_z140() {
    let mut scene = Scene::new();
    let seat = scene.propose("seat_preference");
    let hands = [
        OperatorAction::Promote,
        OperatorAction::Deprecate,
        OperatorAction::Withdraw,
    ];
    for hand in hands {
        scene.operate(&seat, hand).expect("allowed");
    }
    let stages: Vec<String> = in_words(&scene).into_iter().skip(1).map(|(_, stage)| stage).collect();
    assert_eq!(stages, ["experimental", "stable", "deprecated", "withdrawn"]);
    let first = told(&scene).remove(1);
    assert_eq!(first.topic, Topic::PatchStaged);
    assert_eq!(&first.data["patch_id"], &json!(seat));
    assert_eq!(&first.data["key_name"], &json!("seat_preference"));
    assert_eq!(first.data["audience"], json!({"kind": "global"}));
    assert!(!first.data.to_string().contains("c1"), "no client is named");
}

#[test]
fn of_a_patch_for_few_only_that_it_waits_is_told_and_in_codes_what_for_z098_z122_z123_z127_z165() {
    let mut held = candidate("seat_preference");
    held.proposal.sensitive = Some("payment".to_owned());
    held.proposal.holds = vec![Hold::Polarity];
    for (audience, kind) in [
        (Audience::Global, "global"),
        (cohort("a"), "cohort"),
        (alone("ana"), "client"),
    ] {
        let mut scene = Scene::cohorts();
        scene.propose_for(&audience, candidate("meal_choice"));
        // The base alone.
        assert_eq!(told(&scene).len(), if kind == "global" { 2 } else { 1 });
        for (autonomy, induced, codes) in [
            (Autonomy::Review, candidate("pet_travel"), json!(["review"])),
            (Autonomy::Certain, held.clone(), json!(["sensitive", "polarity"])),
        ] {
            scene.policy.evolution.autonomy = autonomy;
            let id = scene.propose_for(&audience, induced);
            let waiting = told(&scene).pop().expect("a notice");
            assert_eq!(waiting.topic, Topic::PatchAwaitingApproval);
            assert_eq!(&waiting.data["waits_for"], &codes);
            assert_eq!(waiting.data["audience"], json!({"kind": kind}));
            assert_eq!(waiting.data.get("key_name").is_some(), kind == "global");
            assert!(!waiting.data.to_string().contains("payment"));
            let before = told(&scene).len();
            scene.operate(&id, OperatorAction::Reject).expect("rejected");
            assert_eq!(told(&scene).len(), before, "a rejected one is not told of");
        }
    }
}

#[test]
fn a_trial_that_is_left_to_a_person_is_told_of_once_z157() {
    let mut scene = Scene::new();
    let seat = scene.propose("seat_preference");
    for _ in 0..6 {
        scene.traffic(&seat, MIDDLING);
        scene.pass(7 * DAY_MS);
        scene.rest();
    }
    let told = told(&scene);
    let [_, begun, waiting] = told.as_slice() else {
        panic!("not three notices: {told:?}")
    };
    assert_eq!(begun.data.get("waits_for"), None);
    assert_eq!(waiting.topic, Topic::PatchAwaitingApproval);
    let said = ["stage", "reason", "waits_for"].map(|member| waiting.data[member].clone());
    assert_eq!(
        said,
        [json!("experimental"), json!("usage_between"), json!(["usage_between"])]
    );
}

#[test]
fn a_topic_is_found_by_its_name_which_is_also_how_it_is_kept() {
    for topic in Topic::ALL {
        assert_eq!(Topic::named(topic.name()), Some(*topic));
        assert_eq!(json!(topic), topic.name());
    }
    assert_eq!(Topic::named("patch"), None);
}

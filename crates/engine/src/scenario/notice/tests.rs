//! What outsiders are told, and what they are not.

use serde_json::json;

use super::Notice;
use super::Topic;
use super::of;
use super::tells;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::policy::Autonomy;
use crate::pool::cohort::Cohorts;
use crate::pool::gate::Audience;
use crate::pool::hold::Hold;
use crate::scenario::command::Command;
use crate::scenario::policy::Policy;
use crate::scenario::sample::MIDDLING;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::schema_id;
use crate::scenario::sample::template;
use schema::name::CohortId;
use schema::time::DAY_MS;

/// Everything that is told of a scene, by its last state.
fn told(scene: &Scene) -> Vec<Notice> {
    scene
        .entries
        .iter()
        .filter_map(|entry| of(&scene.state, entry))
        .collect()
}

fn in_words(scene: &Scene) -> Vec<(&'static str, String)> {
    let told = told(scene);
    let what = |notice: &Notice| {
        let named = notice.data.get("stage").or(notice.data.get("schema_id"));
        named.and_then(|named| named.as_str()).unwrap_or_default().to_owned()
    };
    told.iter().map(|notice| (notice.topic.name(), what(notice))).collect()
}

#[test]
fn bases_are_told_of_when_they_come_go_and_come_back() {
    let mut scene = Scene::new();
    scene.publish(template("flight_v2", "1.1.0", &[]));
    scene.happens(Command::Retire(schema_id("flight_v2")));
    scene.happens(Command::Restore(schema_id("flight_v2")));
    let expected = [
        ("schema.published", "flight_v1"),
        ("schema.published", "flight_v2"),
        ("schema.retired", "flight_v2"),
        ("schema.restored", "flight_v2"),
    ];
    assert_eq!(in_words(&scene), expected.map(|(topic, id)| (topic, id.to_owned())));
    let last = told(&scene).pop().expect("a notice");
    assert_eq!(
        last.data,
        json!({"scenario": scene.state.scenario, "revision": scene.state.seq, "schema_id": "flight_v2", "version": "1.1.0"})
    );
}

#[test]
fn a_patch_for_all_is_told_of_at_each_stage_that_clients_see_z140() {
    let mut scene = Scene::new();
    let seat = scene.propose("seat_preference");
    for hand in [
        OperatorAction::Promote,
        OperatorAction::Deprecate,
        OperatorAction::Withdraw,
    ] {
        scene.operate(&seat, hand).expect("allowed");
    }
    let stages: Vec<String> = in_words(&scene).into_iter().skip(1).map(|(_, stage)| stage).collect();
    assert_eq!(stages, ["experimental", "stable", "deprecated", "withdrawn"]);
    let first = told(&scene).remove(1);
    assert_eq!(first.topic, Topic::PatchStaged);
    assert_eq!(first.data["patch_id"], seat.as_str());
    assert_eq!(first.data["key_name"], "seat_preference");
    assert_eq!(first.data["audience"], json!({"kind": "global"}));
    assert!(!first.data.to_string().contains("c1"), "no client is named");
}

#[test]
fn a_patch_that_waits_for_a_person_is_told_of_and_a_rejected_one_is_not_z127() {
    let mut scene = Scene::new();
    scene.policy.evolution.autonomy = Autonomy::Review;
    let seat = scene.propose("seat_preference");
    scene.operate(&seat, OperatorAction::Reject).expect("allowed");
    let words = in_words(&scene);
    assert_eq!(
        words[1..],
        [("patch.awaiting_approval", "awaiting_approval".to_owned())]
    );
    assert_eq!(told(&scene)[1].data["waits_for"], json!(["review"]));
}

#[test]
fn a_letter_says_in_codes_what_a_patch_waits_for_z127_z165() {
    let mut scene = Scene::new();
    scene.demand(&Audience::Global);
    scene.rest();
    let mut induced = candidate("seat_preference");
    induced.proposal.sensitive = Some("payment".to_owned());
    induced.proposal.holds = vec![Hold::Polarity];
    scene.induce(induced);
    let waiting = told(&scene).pop().expect("a notice");
    assert_eq!(waiting.topic, Topic::PatchAwaitingApproval);
    assert_eq!(waiting.data["waits_for"], json!(["sensitive", "polarity"]));
    assert!(!waiting.data.to_string().contains("payment"));
}

#[test]
fn a_trial_that_is_left_to_a_person_is_told_of_once_z157() {
    let mut scene = Scene::new();
    let seat = scene.propose("seat_preference");
    for _ in 0..6 {
        scene.traffic(&seat, MIDDLING);
        scene.pass(7 * DAY_MS);
        scene.staged();
    }
    let told = told(&scene);
    let [_, begun, waiting] = told.as_slice() else {
        panic!("not three letters: {told:?}")
    };
    assert_eq!(begun.data.get("waits_for"), None);
    assert_eq!(waiting.topic, Topic::PatchAwaitingApproval);
    assert_eq!(
        (
            &waiting.data["stage"],
            &waiting.data["reason"],
            &waiting.data["waits_for"]
        ),
        (
            &json!("experimental"),
            &json!("usage_between"),
            &json!(["usage_between"])
        )
    );
}

#[test]
fn of_one_clients_patch_only_that_it_waits_is_told_and_not_what_it_says_z122_z123() {
    let mut scene = Scene::new();
    let own = Audience::Client(client("ana"));
    scene.propose_for(&own, candidate("seat_preference"));
    assert_eq!(in_words(&scene).len(), 1, "the base alone");
    let mut scene = Scene::new();
    scene.policy.evolution.autonomy = Autonomy::Review;
    scene.propose_for(&own, candidate("seat_preference"));
    let waiting = told(&scene).pop().expect("a notice");
    assert_eq!(waiting.topic, Topic::PatchAwaitingApproval);
    assert_eq!(waiting.data["audience"], json!({"kind": "client"}));
    let text = waiting.data.to_string();
    assert!(!text.contains("ana") && !text.contains("seat"), "{text}");
}

#[test]
fn of_a_cohorts_patch_only_that_it_waits_is_told_and_not_whose_it_is_z098_z123() {
    let cohorts = Cohorts::declare([("fleet", ["a*"])]).expect("cohorts");
    let mut scene = Scene::with(Policy {
        cohorts,
        ..Policy::default()
    });
    let other = scene.submitted(Some("zoe"));
    scene.submit(other);
    let fleet = Audience::Cohort(CohortId::parse("fleet").expect("a cohort"));
    scene.propose_for(&fleet, candidate("seat_preference"));
    assert_eq!(in_words(&scene).len(), 1, "the base alone");
    scene.policy.evolution.autonomy = Autonomy::Review;
    scene.propose_for(&fleet, candidate("meal_choice"));
    let waiting = told(&scene).pop().expect("a notice");
    assert_eq!(waiting.topic, Topic::PatchAwaitingApproval);
    assert_eq!(waiting.data["audience"], json!({"kind": "cohort"}));
    let text = waiting.data.to_string();
    assert!(!text.contains("fleet") && !text.contains("meal"), "{text}");
}

#[test]
fn the_state_lists_exactly_the_entries_that_may_be_told() {
    let mut scene = Scene::new();
    scene.propose("seat_preference");
    scene.pass(8 * DAY_MS);
    scene.rest();
    let listed: Vec<u64> = scene
        .entries
        .iter()
        .filter(|entry| tells(&entry.event))
        .map(|entry| entry.seq)
        .collect();
    assert_eq!(scene.state.news, listed);
    for entry in &scene.entries {
        assert!(
            of(&scene.state, entry).is_none() || listed.contains(&entry.seq),
            "what is told is listed: {entry:?}"
        );
    }
    assert!(listed.len() < scene.entries.len());
}

#[test]
fn a_topic_is_found_by_its_name_which_is_also_how_it_is_kept() {
    for topic in Topic::ALL {
        assert_eq!(Topic::named(topic.name()), Some(topic));
        assert_eq!(json!(topic), topic.name());
    }
    assert_eq!(Topic::named("patch"), None);
}

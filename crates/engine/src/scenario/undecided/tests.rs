//! Which values of a submission a model is asked about.

use serde_json::Value;
use serde_json::json;

use super::Undecided;
use super::undecided;
use crate::evolution::ledger::Basis;
use crate::pool::gate::Audience;
use crate::scenario::command::Command;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::schema_id;
use crate::scenario::state::Pending;
use crate::scenario::submission::Sealed;

fn scene(sensitive: bool) -> Scene {
    let mut scene = Scene::new();
    let mut candidate = candidate_of(&json!({
        "key_name": "seat_preference", "key_type": "string", "required": false, "default_value": "none",
        "semantic_description": "Seat preference. Acceptable values: window, aisle, none.",
        "constraints": {"enum": ["window", "aisle", "none"]},
    }));
    candidate.proposal.surfaces = vec!["window".to_owned(), "aisle".to_owned()];
    candidate.proposal.sensitive = sensitive.then(|| "identity".to_owned());
    scene.propose_for(&Audience::Global, candidate);
    scene
}

fn found(scene: &Scene, payload: Value, utterance: Option<&str>, share: f64) -> Vec<Undecided> {
    let patches = scene.state.patches.clone();
    let pending = Pending {
        at: scene.at,
        client: None,
        schema_id: schema_id("flight_v1"),
        fragments: 0,
        observed: patches
            .iter()
            .map(|patch| scene.observed(&patch.patch_id, true))
            .collect(),
        requested: false,
    };
    let sealed = Sealed {
        payload,
        utterance: utterance.map(str::to_owned),
        ..Sealed::default()
    };
    undecided(7, &pending, &sealed, &scene.effective(None), &patches, share)
}

#[test]
fn a_proxy_and_silence_are_asked_about_and_a_lexical_verdict_is_not_z137() {
    let scene = scene(false);
    let proxy = found(
        &scene,
        json!({"seat_preference": "window", "other": "a vegetarian meal"}),
        None,
        1.0,
    );
    assert_eq!(proxy.len(), 1);
    assert_eq!(proxy[0].patches[0].1, Some((true, Basis::Proxy)));
    let silent = found(
        &scene,
        json!({"seat_preference": "none"}),
        Some("ticket to Paris please"),
        1.0,
    );
    assert_eq!(silent.len(), 1);
    assert_eq!(silent[0].patches[0].1, None);
    assert!(found(&scene, json!({"seat_preference": "window"}), Some("a window seat"), 1.0).is_empty());
    assert!(found(&scene, json!({}), Some("a ticket"), 1.0).is_empty());
    assert!(
        found(
            &scene,
            json!({"seat_preference": "none"}),
            Some("ticket to Paris please"),
            0.0
        )
        .is_empty(),
        "out of the sample"
    );
}

#[test]
fn nothing_is_asked_about_a_patch_that_needed_approval_for_its_meaning_z165() {
    let scene = scene(true);
    assert!(
        found(
            &scene,
            json!({"seat_preference": "none"}),
            Some("ticket to Paris please"),
            1.0
        )
        .is_empty()
    );
}

#[test]
fn an_answer_becomes_a_judgement_with_a_basis_of_its_own_z137() {
    let scene = scene(false);
    let ask = || {
        found(
            &scene,
            json!({"seat_preference": "none"}),
            Some("ticket to Paris please"),
            1.0,
        )
        .remove(0)
    };
    let commands = ask().judged(&json!({"verdict": "not_aligned"}), "m");
    let [Command::Judge(judged)] = &commands[..] else {
        panic!("one judgement: {commands:?}")
    };
    assert_eq!((judged.of, judged.said_at, judged.by.as_str()), (7, scene.at, "m"));
    assert_eq!((judged.judgement.aligned, judged.judgement.basis), (false, Basis::Llm));
    assert_eq!(ask().judged(&json!({"verdict": "cannot_tell"}), "m"), []);
    assert_eq!(ask().judged(&json!("aligned"), "m"), []);
}

#[test]
fn a_value_of_a_key_that_was_refined_is_asked_about_once_and_judged_for_both_z137() {
    let mut scene = scene(false);
    let wider = candidate_of(&json!({
        "key_name": "seat_preference", "key_type": "string", "required": false,
        "semantic_description": "Seat. Examples: 'by the porthole' -> window.",
    }));
    let refinement = scene.propose_for(&Audience::Global, wider);
    let said = json!({"seat_preference": "window", "other": "a vegetarian meal"});
    let mut asked = found(&scene, said, None, 1.0);
    assert_eq!(asked.len(), 1, "{asked:?}");
    let commands = asked.remove(0).judged(&json!({"verdict": "aligned"}), "m");
    let judged: Vec<_> = commands
        .iter()
        .map(|command| match command {
            Command::Judge(judged) => judged.judgement.patch_id.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(judged, [scene.state.patches[0].patch_id.clone(), refinement]);
}

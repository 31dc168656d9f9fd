//! What is said of a submission before any vector.

use serde_json::Value;
use serde_json::json;

use crate::evolution::ledger::Basis;
use crate::evolution::patch::Patch;
use crate::pool::analysis::NoDemand;
use crate::pool::gate::Audience;
use crate::scenario::command::Digested;
use crate::scenario::command::Digestion;
use crate::scenario::digest::Prepared;
use crate::scenario::digest::Read;
use crate::scenario::digest::prepare;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::key_name;
use crate::scenario::state::Pending;
use crate::scenario::submission::Sealed;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use text::vector::Vector;

fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.propose_for(
        &Audience::Global,
        candidate_of(&json!({
            "key_name": "seat_preference", "key_type": "string", "required": false, "default_value": "none",
            "semantic_description": "Seat preference. Acceptable values: window, aisle, none.",
            "constraints": {"enum": ["window", "aisle", "none"]},
        })),
    );
    scene
}

fn prepared(scene: &Scene, fragments: &[&str], payload: Value, type_ok: bool) -> Prepared {
    let patches: Vec<Patch> = scene.state.patches.clone();
    let observed = patches
        .iter()
        .map(|patch| scene.observed(&patch.patch_id, type_ok))
        .collect();
    let pending = Pending {
        at: scene.at,
        client: None,
        schema_id: crate::scenario::sample::schema_id("flight_v1"),
        fragments: u32::try_from(fragments.len()).expect("few"),
        observed,
        requested: false,
    };
    let sealed = Sealed {
        payload,
        utterance: Some("a window seat please".to_owned()),
        fragments: fragments.iter().map(|text| (*text).to_owned()).collect(),
        reply: None,
    };
    prepare(&pending, &sealed, &scene.effective(None), &patches)
}

#[test]
fn a_fragment_is_no_demand_covered_or_to_be_embedded_z065_z083_z084_z088() {
    let scene = scene();
    let read = prepared(&scene, &["thanks", "window", "bring my dog along"], json!({}), true).fragments;
    assert_eq!(read[0], Read::NoDemand(NoDemand::Empty));
    assert_eq!(read[1], Read::Covered(key_name("seat_preference")));
    assert!(matches!(read[2], Read::Demand(_)), "{:?}", read[2]);
}

#[test]
fn every_text_gets_its_own_vector_and_a_failed_one_is_kept_out_z084() {
    let scene = scene();
    let texts = ["bring my dog along", "thanks", "with two suitcases", "play some jazz"];
    let prepared = prepared(&scene, &texts, json!({}), true);
    let sealed = Sealed {
        fragments: texts.iter().map(|text| (*text).to_owned()).collect(),
        ..Sealed::default()
    };
    assert_eq!(prepared.texts(&sealed), [texts[0], texts[2], texts[3]]);
    let vector = |n: usize| {
        let mut values = [0.0_f32; 4];
        values[n] = 1.0;
        Vector::quantise(&values)
    };
    let Digestion { fragments, .. } = prepared.into_digestion(7, vec![vector(0), None], None);
    assert!(matches!(&fragments[0], Digested::Embedded(found) if Some(&found.vector) == vector(0).as_ref()));
    assert_eq!(fragments[1], Digested::NoDemand(NoDemand::Empty));
    assert_eq!(
        fragments[2..],
        [Digested::Failed, Digested::Failed],
        "one failed, one is missing"
    );
}

#[test]
fn a_value_of_right_type_is_judged_against_the_utterance_z136_z137() {
    let scene = scene();
    let judged = |value: &str, type_ok| prepared(&scene, &[], json!({"seat_preference": value}), type_ok).judgements;
    let right = judged("window", true);
    assert_eq!(right.len(), 1);
    assert_eq!((right[0].aligned, right[0].basis), (true, Basis::Lexical));
    assert!(!judged("aisle", true)[0].aligned);
    assert!(
        judged("window", false).is_empty(),
        "a wrong type is counted elsewhere (Z-138)"
    );
    assert!(
        prepared(&scene, &[], json!({}), true).judgements.is_empty(),
        "a value that is gone says nothing"
    );
}

#[test]
fn what_makes_a_list_longer_is_judged_by_what_it_added_alone_z107_z136() {
    let mut scene = scene();
    let first = scene.last().clone();
    let number = |n| PatchId::numbered(&ScenarioKey::parse("flight_booking").expect("a scenario"), n);
    let refining = |n, values: &[&str]| Patch {
        patch_id: number(n),
        change: KeyChange::Refine {
            key_name: key_name("seat_preference"),
            semantic_description: "Seat preference. Acceptable values: window, aisle, exit row, none.".to_owned(),
            closes: false,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        },
        ..first.clone()
    };
    scene.state.patches.push(refining(2, &["exit row"]));
    scene.state.patches.push(refining(3, &[]));
    let judged = |value: &str| -> Vec<PatchId> {
        let judged = prepared(&scene, &[], json!({ "seat_preference": value }), true).judgements;
        judged.into_iter().map(|judgement| judgement.patch_id).collect()
    };
    assert_eq!(
        judged("aisle"),
        [first.patch_id.clone(), number(3)],
        "wording answers for all"
    );
    assert_eq!(judged("exit row"), [first.patch_id.clone(), number(2), number(3)]);
}

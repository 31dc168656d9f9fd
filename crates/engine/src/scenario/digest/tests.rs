//! What is said of a submission before any vector, and which of its values a model is asked about.

use super::*;
use crate::pool::gate::Audience;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::described;
use crate::scenario::sample::key_name;
use crate::scenario::sample::patch_id;
use crate::scenario::sample::schema_id;
use serde_json::json;

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

fn pending(scene: &Scene, type_ok: bool) -> Pending {
    let patches = scene.state.patches.iter();
    Pending {
        at: scene.at,
        client: None,
        schema_id: schema_id("flight_v1"),
        fragments: 0,
        observed: patches.map(|patch| scene.observed(&patch.patch_id, type_ok)).collect(),
        requested: false,
    }
}

fn sealed(fragments: &[&str], payload: Value, utterance: Option<&str>) -> Sealed {
    Sealed {
        payload,
        utterance: utterance.map(str::to_owned),
        fragments: fragments.iter().map(|text| (*text).to_owned()).collect(),
        reply: None,
    }
}

fn prepared(scene: &Scene, fragments: &[&str], payload: Value, type_ok: bool) -> Prepared {
    let sealed = sealed(fragments, payload, Some("a window seat please"));
    prepare(
        &pending(scene, type_ok),
        &sealed,
        &scene.effective(None),
        &scene.state.patches,
    )
}

#[test]
fn a_fragment_is_no_demand_covered_or_to_be_embedded_z065_z083_z084_z088() {
    let read = prepared(
        &scene(false),
        &["thanks", "window", "bring my dog along"],
        json!({}),
        true,
    )
    .fragments;
    assert_eq!(read[0], Read::NoDemand(NoDemand::Empty));
    assert_eq!(read[1], Read::Covered(key_name("seat_preference")));
    assert!(matches!(read[2], Read::Demand(_)), "{:?}", read[2]);
}

#[test]
fn every_text_gets_its_own_vector_and_a_failed_one_is_kept_out_z084() {
    let texts = ["bring my dog along", "thanks", "with two suitcases", "play some jazz"];
    let prepared = prepared(&scene(false), &texts, json!({}), true);
    assert_eq!(
        prepared.texts(&sealed(&texts, json!({}), None)),
        [texts[0], texts[2], texts[3]]
    );
    let vector = Vector::quantise(&[1.0, 0.0, 0.0, 0.0]);
    let Digestion { fragments, .. } = prepared.into_digestion(7, vec![vector.clone(), None], None);
    assert!(matches!(&fragments[0], Digested::Embedded(found) if Some(&found.vector) == vector.as_ref()));
    assert_eq!(fragments[1], Digested::NoDemand(NoDemand::Empty));
    // One failed, one is missing.
    assert_eq!(fragments[2..], [Digested::Failed, Digested::Failed]);
}

#[test]
fn a_value_of_right_type_is_judged_against_the_utterance_z136_z137() {
    let scene = scene(false);
    for (payload, type_ok, judged) in [
        (json!({"seat_preference": "window"}), true, vec![true]),
        (json!({"seat_preference": "aisle"}), true, vec![false]),
        // A wrong type is counted elsewhere (Z-138); a value that is gone says nothing.
        (json!({"seat_preference": "window"}), false, vec![]),
        (json!({}), true, vec![]),
    ] {
        let judgements = prepared(&scene, &[], payload, type_ok).judgements;
        assert!(judgements.iter().all(|judgement| judgement.basis == Basis::Lexical));
        let aligned: Vec<bool> = judgements.iter().map(|judgement| judgement.aligned).collect();
        assert_eq!(aligned, judged);
    }
}

#[test]
fn what_makes_a_list_longer_is_judged_by_what_it_added_alone_z107_z136() {
    let mut scene = scene(false);
    for (n, values) in [(2, vec!["exit row".to_owned()]), (3, vec![])] {
        let change = KeyChange::Refine {
            key_name: key_name("seat_preference"),
            semantic_description: "Seat preference. Acceptable values: window, aisle, exit row, none.".to_owned(),
            closes: false,
            values,
        };
        let patch_id = patch_id(n);
        let patch = scene.state.patches[0].clone();
        scene.state.patches.push(Patch {
            patch_id,
            change,
            ..patch
        });
    }
    for (value, judged) in [("aisle", &[1, 3][..]), ("exit row", &[1, 2, 3])] {
        let found = prepared(&scene, &[], json!({ "seat_preference": value }), true).judgements;
        let found: Vec<PatchId> = found.into_iter().map(|judgement| judgement.patch_id).collect();
        let judged: Vec<PatchId> = judged.iter().copied().map(patch_id).collect();
        assert_eq!(found, judged, "wording answers for all");
    }
}

/// What a model is asked about, all of it being in the sample.
fn asked(scene: &Scene, payload: Value, utterance: Option<&str>) -> Vec<Undecided> {
    let sealed = sealed(&[], payload, utterance);
    undecided(
        7,
        &pending(scene, true),
        &sealed,
        &scene.effective(None),
        &scene.state.patches,
        1.0,
    )
}

/// A value that the rules are silent about.
fn silent(scene: &Scene) -> Vec<Undecided> {
    asked(
        scene,
        json!({"seat_preference": "none"}),
        Some("ticket to Paris please"),
    )
}

#[test]
fn a_proxy_and_silence_are_asked_about_and_a_lexical_or_sensitive_value_is_not_z137_z165() {
    let scene = scene(false);
    let proxy = asked(
        &scene,
        json!({"seat_preference": "window", "other": "a vegetarian meal"}),
        None,
    );
    assert_eq!((proxy.len(), proxy[0].patches[0].1), (1, Some((true, Basis::Proxy))));
    let found = silent(&scene);
    assert_eq!((found.len(), found[0].patches[0].1), (1, None));
    assert!(asked(&scene, json!({"seat_preference": "window"}), Some("a window seat")).is_empty());
    assert!(asked(&scene, json!({}), Some("a ticket")).is_empty());
    assert!(silent(&self::scene(true)).is_empty());
    let said = sealed(&[], json!({"seat_preference": "none"}), Some("ticket to Paris please"));
    let template = scene.effective(None);
    let out = undecided(7, &pending(&scene, true), &said, &template, &scene.state.patches, 0.0);
    assert!(out.is_empty(), "out of the sample");
}

#[test]
fn an_answer_becomes_a_judgement_of_its_own_basis_once_for_each_patch_of_the_key_z137() {
    let mut scene = scene(false);
    let commands = silent(&scene).remove(0).judged(&json!({"verdict": "not_aligned"}), "m");
    let [Command::Judge(judged)] = &commands[..] else {
        panic!("one judgement: {commands:?}")
    };
    assert_eq!((judged.of, judged.said_at, judged.by.as_str()), (7, scene.at, "m"));
    assert_eq!((judged.judgement.aligned, judged.judgement.basis), (false, Basis::Llm));
    for nothing in [json!({"verdict": "cannot_tell"}), json!("aligned")] {
        assert_eq!(silent(&scene).remove(0).judged(&nothing, "m"), []);
    }
    let wider = described("seat_preference", "Seat. Examples: 'by the porthole' -> window.");
    scene.propose_for(&Audience::Global, wider);
    let said = json!({"seat_preference": "window", "other": "a vegetarian meal"});
    let mut asked = asked(&scene, said, None);
    assert_eq!(asked.len(), 1, "{asked:?}");
    let commands = asked.remove(0).judged(&json!({"verdict": "aligned"}), "m");
    let judged = commands.into_iter().map(|command| match command {
        Command::Judge(judged) => judged.judgement.patch_id,
        other => panic!("{other:?}"),
    });
    assert!(judged.eq([patch_id(1), patch_id(2)]));
}

//! A model's word on one value, counted once.

use serde_json::json;

use crate::evolution::ledger::Basis;
use crate::pool::source::Source;
use crate::scenario::command::Command;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::sample::Scene;
use crate::scenario::sample::client;
use schema::name::PatchId;

fn scene() -> (Scene, PatchId) {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    (scene, id)
}

/// A payload whose value the rules judged by a proxy, or not at all.
fn said(scene: &mut Scene, id: &PatchId, proxy: Option<bool>) -> u64 {
    let mut submitted = scene.submitted(Some("r"));
    submitted.observed.push(scene.observed(id, true));
    let of = scene.submit(submitted);
    let judgement = proxy.map(|aligned| Judgement {
        patch_id: id.clone(),
        aligned,
        basis: Basis::Proxy,
    });
    scene.happens(Command::Digest {
        of,
        model: crate::scenario::sample::MODEL.to_owned(),
        fragments: Vec::new(),
        judgements: judgement.into_iter().collect(),
    });
    of
}

fn judged(scene: &Scene, id: &PatchId, of: u64, aligned: bool, proxy: Option<bool>) -> Judged {
    Judged {
        of,
        said_at: scene.at,
        source: None,
        judgement: Judgement {
            patch_id: id.clone(),
            aligned,
            basis: Basis::Llm,
        },
        instead: proxy.map(|aligned| (aligned, Basis::Proxy)),
        by: "m".to_owned(),
    }
}

fn counted(scene: &Scene, id: &PatchId) -> (u64, u64, u64, u64) {
    let reading = scene.state.ledger.read(id, scene.at, 30);
    let of = |basis| reading.basis.get(&basis).copied().unwrap_or(0);
    (reading.aligned, reading.judged, of(Basis::Proxy), of(Basis::Llm))
}

#[test]
fn a_models_word_takes_the_place_of_the_proxys_z136_z137() {
    let (mut scene, id) = scene();
    let of = said(&mut scene, &id, Some(true));
    assert_eq!(counted(&scene, &id), (1, 1, 1, 0));
    let judgement = judged(&scene, &id, of, false, Some(true));
    let events = scene.happens(Command::Judge(judgement.clone()));
    assert_eq!(events, [Event::Judged(judgement)]);
    assert_eq!(counted(&scene, &id), (0, 1, 0, 1), "one value, counted once");
}

#[test]
fn a_value_that_the_rules_were_silent_about_is_added_z136_z137() {
    let (mut scene, id) = scene();
    let of = said(&mut scene, &id, None);
    let judgement = judged(&scene, &id, of, true, None);
    scene.happens(Command::Judge(judgement));
    assert_eq!(counted(&scene, &id), (1, 1, 0, 1));
}

#[test]
fn what_is_not_counted_cannot_be_replaced_z136() {
    let (mut scene, id) = scene();
    let of = said(&mut scene, &id, Some(true));
    let wrong = judged(&scene, &id, of, true, Some(false));
    assert_eq!(
        scene.command(Command::Judge(wrong)),
        Err(Refusal::Done),
        "it was called right"
    );
    let right = judged(&scene, &id, of, true, Some(true));
    scene.happens(Command::Judge(right.clone()));
    assert_eq!(
        scene.command(Command::Judge(right)),
        Err(Refusal::Done),
        "a second time"
    );
    assert_eq!(counted(&scene, &id), (1, 1, 0, 1));
}

#[test]
fn nothing_is_judged_that_is_not_digested_or_not_of_this_ledger_z136_z158() {
    let (mut scene, id) = scene();
    let of = said(&mut scene, &id, None);
    let mut early = judged(&scene, &id, of, true, None);
    early.said_at = early.said_at.plus_ms(-schema::time::DAY_MS);
    assert_eq!(scene.command(Command::Judge(early)), Err(Refusal::Done));
    let mut submitted = scene.submitted(Some("r"));
    submitted.observed.push(scene.observed(&id, true));
    let waiting = scene.submit(submitted);
    let pending = judged(&scene, &id, waiting, true, None);
    assert_eq!(scene.command(Command::Judge(pending)), Err(Refusal::Done));
    let mut unknown = judged(&scene, &id, of, true, None);
    unknown.judgement.patch_id = serde_json::from_value(json!("flight_booking.p99")).expect("an id");
    assert!(matches!(
        scene.command(Command::Judge(unknown)),
        Err(Refusal::UnknownPatch(_))
    ));
}

#[test]
fn a_models_judgement_counts_for_the_client_that_sent_the_value_z136_z137() {
    let (mut scene, id) = scene();
    let of = said(&mut scene, &id, Some(true));
    let mut late = judged(&scene, &id, of, false, Some(true));
    late.source = Some(Source::of(Some(&client("r"))));
    let mean = |scene: &Scene| {
        scene
            .state
            .ledger
            .read(&id, scene.at, 30)
            .client_mean
            .semantic_alignment_accuracy
    };
    assert_eq!(mean(&scene), Some(1.0));
    scene.happens(Command::Judge(late));
    assert_eq!(mean(&scene), Some(0.0));
}

//! A model's word on one value, counted once.

use crate::evolution::audit::Verdict;
use crate::evolution::ledger::Basis;
use crate::pool::gate::Audience;
use crate::pool::source::Source;
use crate::scenario::command::Command;
use crate::scenario::command::Digestion;
use crate::scenario::command::Opinion;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::evolve::evolve;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::Scene;
use crate::scenario::sample::candidate_of;
use crate::scenario::sample::client;
use crate::scenario::state::State;
use schema::name::PatchId;
use schema::time::DAY_MS;
use serde_json::json;

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
        model: crate::scenario::sample::MODEL.to_owned(),
        digestions: vec![Digestion {
            of,
            fragments: Vec::new(),
            judgements: judgement.into_iter().collect(),
        }],
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

/// A scenario of which every value is drawn, with a key on trial.
fn audit_scene() -> (Scene, PatchId) {
    let mut scene = Scene::new();
    scene.policy.evolution.audit_share = 1.0;
    let id = scene.propose("seat_preference");
    (scene, id)
}

/// A payload with the key, judged so.
fn said_with(scene: &mut Scene, id: &PatchId, judged: Option<(bool, Basis)>) -> u64 {
    said_of_type(scene, id, judged, true)
}

fn said_of_type(scene: &mut Scene, id: &PatchId, judged: Option<(bool, Basis)>, type_ok: bool) -> u64 {
    let mut submitted = scene.submitted(Some("r"));
    submitted.observed.push(scene.observed(id, type_ok));
    let of = scene.submit(submitted);
    let judgement = judged.map(|(aligned, basis)| Judgement {
        patch_id: id.clone(),
        aligned,
        basis,
    });
    scene.happens(Command::Digest {
        model: MODEL.to_owned(),
        digestions: vec![Digestion {
            of,
            fragments: Vec::new(),
            judgements: judgement.into_iter().collect(),
        }],
    });
    of
}

fn opinion(of: u64, id: &PatchId, verdict: Verdict) -> Command {
    Command::Audit(Opinion {
        of,
        patch_id: id.clone(),
        verdict,
        by: "ada".to_owned(),
        because: Some("as the user said".to_owned()),
    })
}

/// Aligned, judged, and how many of these by a person.
fn counted_rightly(scene: &Scene, id: &PatchId) -> (u64, u64, u64) {
    let reading = scene.state.ledger.read(id, scene.at, 30);
    let audited = reading.basis.get(&Basis::Audit).copied().unwrap_or(0);
    (reading.aligned, reading.judged, audited)
}

#[test]
fn a_persons_verdict_takes_the_place_of_the_judges_and_moves_the_ratio_z136_z137() {
    let (mut scene, id) = audit_scene();
    let wrongly = said_with(&mut scene, &id, Some((true, Basis::Lexical)));
    said_with(&mut scene, &id, Some((true, Basis::Lexical)));
    let silent = said_with(&mut scene, &id, None);
    assert_eq!(counted_rightly(&scene, &id), (2, 2, 0));
    scene.happens(opinion(wrongly, &id, Verdict::NotAligned));
    assert_eq!(counted_rightly(&scene, &id), (1, 2, 1), "one value, counted once");
    scene.happens(opinion(silent, &id, Verdict::Aligned));
    assert_eq!(
        counted_rightly(&scene, &id),
        (2, 3, 2),
        "what no judge spoke of is added"
    );
    let reading = scene.state.ledger.read(&id, scene.at, 30);
    assert_eq!(reading.semantic_alignment_accuracy, Some(2.0 / 3.0));
}

#[test]
fn a_person_who_cannot_tell_leaves_the_judges_word_z137() {
    let (mut scene, id) = audit_scene();
    let of = said_with(&mut scene, &id, Some((true, Basis::Proxy)));
    scene.happens(opinion(of, &id, Verdict::CannotTell));
    assert_eq!(counted_rightly(&scene, &id), (1, 1, 0));
    assert!(scene.state.audits.waiting.is_empty(), "it is answered all the same");
    assert_eq!(
        scene
            .state
            .audits
            .agreement
            .get(&Basis::Proxy)
            .map(|found| found.cannot_tell),
        Some(1)
    );
}

#[test]
fn the_first_verdict_stands_with_reviewer_and_time_z137() {
    let (mut scene, id) = audit_scene();
    let of = said_with(&mut scene, &id, Some((true, Basis::Lexical)));
    scene.pass(1_000);
    scene.happens(opinion(of, &id, Verdict::Aligned));
    let answered = scene.state.audits.answered(of, &id).expect("on record").clone();
    assert_eq!((answered.by.as_str(), answered.at), ("ada", scene.at));
    assert_eq!(answered.because.as_deref(), Some("as the user said"));
    scene.pass(1_000);
    let again = scene.command(opinion(of, &id, Verdict::NotAligned));
    assert_eq!(
        again,
        Err(Refusal::Audited {
            by: "ada".to_owned(),
            at: answered.at
        })
    );
    assert_eq!(counted_rightly(&scene, &id), (1, 1, 1));
    assert_eq!(
        scene.command(opinion(of + 99, &id, Verdict::Aligned)),
        Err(Refusal::UnknownAudit)
    );
}

#[test]
fn a_models_late_word_is_seen_by_the_person_and_does_not_overrule_one_z137() {
    let (mut scene, id) = audit_scene();
    let late = |scene: &Scene, of: u64, instead: Option<(bool, Basis)>| {
        Command::Judge(Judged {
            of,
            said_at: scene.at,
            source: None,
            judgement: Judgement {
                patch_id: id.clone(),
                aligned: false,
                basis: Basis::Llm,
            },
            instead,
            by: "m".to_owned(),
        })
    };
    let of = said_with(&mut scene, &id, Some((true, Basis::Proxy)));
    let judge = late(&scene, of, Some((true, Basis::Proxy)));
    scene.happens(judge);
    let waiting = scene.state.audits.waiting(of, &id).expect("it waits");
    assert_eq!(waiting.judged, Some((false, Basis::Llm)));
    scene.happens(opinion(of, &id, Verdict::Aligned));
    assert_eq!(counted_rightly(&scene, &id), (1, 1, 1), "the model's word is replaced");

    let of = said_with(&mut scene, &id, None);
    scene.happens(opinion(of, &id, Verdict::Aligned));
    let judge = late(&scene, of, None);
    assert_eq!(scene.command(judge), Err(Refusal::Done));
    assert_eq!(counted_rightly(&scene, &id), (2, 2, 2));
}

#[test]
fn what_the_ledger_does_not_hold_any_more_tells_of_the_judge_alone_z137_z158() {
    let (mut scene, id) = audit_scene();
    let of = said_with(&mut scene, &id, Some((true, Basis::Lexical)));
    scene.pass(DAY_MS);
    let at = scene.at;
    scene.state.ledger.open(&id, at);
    let events = scene.happens(opinion(of, &id, Verdict::NotAligned));
    assert!(matches!(&events[..], [Event::Audited(audited)] if !audited.counted));
    assert_eq!(counted_rightly(&scene, &id), (0, 0, 0));
    assert_eq!(
        scene
            .state
            .audits
            .agreement
            .get(&Basis::Lexical)
            .map(|found| found.wrong),
        Some(1)
    );
}

#[test]
fn nothing_is_drawn_without_a_share_or_a_queue_or_of_a_wrong_type_z137() {
    let (mut scene, id) = audit_scene();
    said_of_type(&mut scene, &id, None, false);
    assert!(
        scene.state.audits.is_unused(),
        "a value of a wrong type is wrong already"
    );
    scene.policy.evolution.audit_share = 0.0;
    said_with(&mut scene, &id, None);
    (scene.policy.evolution.audit_share, scene.policy.evolution.audits_max) = (1.0, 0);
    said_with(&mut scene, &id, None);
    assert!(scene.state.audits.is_unused());
    scene.policy.evolution.audits_max = 1;
    said_with(&mut scene, &id, None);
    said_with(&mut scene, &id, None);
    assert_eq!((scene.state.audits.waiting.len(), scene.state.audits.fallen), (1, 1));
}

#[test]
fn values_that_would_show_a_person_are_not_drawn_z165_z171() {
    let mut scene = Scene::new();
    scene.policy.evolution.audit_share = 1.0;
    let mut sensitive = candidate_of(&serde_json::json!({
        "key_name": "seat_preference", "key_type": "string", "required": false, "default_value": "none",
        "semantic_description": "What is wanted.",
    }));
    sensitive.proposal.sensitive = Some("personal".to_owned());
    let id = scene.propose_for(&Audience::Global, sensitive);
    scene
        .operate(&id, crate::evolution::operator_action::OperatorAction::Approve)
        .expect("approved");
    said_with(&mut scene, &id, None);
    let named = scene.propose("recipient_name");
    said_with(&mut scene, &named, None);
    assert!(scene.state.audits.is_unused());
}

#[test]
fn keys_on_trial_and_unsure_values_are_drawn_more_and_a_replay_draws_the_same_z004_z137() {
    let (mut scene, id) = audit_scene();
    scene.policy.evolution.audit_share = 0.1;
    scene.policy.evolution.audits_max = 10_000;
    let drawn = |scene: &mut Scene, judged| {
        let before = scene.state.audits.waiting.len();
        for _ in 0..600 {
            said_with(scene, &id, judged);
        }
        scene.state.audits.waiting.len() - before
    };
    let unsure = drawn(&mut scene, Some((true, Basis::Proxy)));
    let sure = drawn(&mut scene, Some((true, Basis::Lexical)));
    assert!((300..420).contains(&unsure), "about six in ten: {unsure}");
    assert!((135..225).contains(&sure), "about three in ten: {sure}");
    let wrong = drawn(&mut scene, Some((false, Basis::Lexical)));
    assert!((135..225).contains(&wrong), "whatever the judge said: {wrong}");
    let mut replayed = State::default();
    scene.entries.iter().for_each(|entry| evolve(&mut replayed, entry));
    assert_eq!(replayed.audits, scene.state.audits);
}

#[test]
fn a_value_is_gone_with_what_was_said_of_it_z137_z167() {
    let (mut scene, id) = audit_scene();
    let of = said_with(&mut scene, &id, Some((true, Basis::Lexical)));
    let later = said_with(&mut scene, &id, Some((true, Basis::Lexical)));
    scene.happens(Command::Erased { through: of });
    assert_eq!(
        scene.command(opinion(of, &id, Verdict::Aligned)),
        Err(Refusal::UnknownAudit)
    );
    assert!(scene.state.audits.waiting(later, &id).is_some());
    assert_eq!(counted_rightly(&scene, &id), (2, 2, 0), "what was counted stays");
}

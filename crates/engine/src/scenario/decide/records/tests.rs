//! Every fragment gets its fate and every value its place, once; the steps of a change of the model.

use super::*;
use crate::evolution::audit::Verdict;
use crate::evolution::ledger::Basis;
use crate::evolution::operator_action::OperatorAction;
use crate::pool::analysis::NoDemand;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::source::Source;
use crate::scenario::command::Command;
use crate::scenario::effect::Effect;
use crate::scenario::effect::outstanding;
use crate::scenario::evolve::evolve;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::alone;
use crate::scenario::sample::candidate;
use crate::scenario::sample::client;
use crate::scenario::sample::cohort;
use crate::scenario::sample::fragment;
use crate::scenario::sample::key_name;
use crate::scenario::sample::patch_id;
use crate::scenario::sample::template;
use crate::scenario::submission::Submitted;
use schema::time::DAY_MS;
use text::vector::Mean;
use text::vector::Vector;

pub(super) const FIRST: ClusterId = ClusterId(0);
const NEW: &str = "new/3";

fn digest_of(of: u64, model: &str, fragments: Vec<Digested>) -> Command {
    let model = model.to_owned();
    let digestions = vec![Digestion {
        of,
        fragments,
        judgements: Vec::new(),
    }];
    Command::Digest { model, digestions }
}

fn heat(scene: &Scene, at: At) -> i64 {
    scene.state.pool.heat_micro(FIRST, at, &scene.policy.pool)
}

pub(super) fn gate(scene: &Scene, cluster: ClusterId) -> GateReading {
    scene.state.pool.gate(cluster, scene.at, &scene.policy.pool)
}

#[test]
fn a_submission_is_digested_once_and_counts_when_it_was_sent_z091_z101() {
    let mut scene = Scene::new();
    let of = scene.pending("ana", 1, false);
    scene.pass(3 * DAY_MS);
    scene.digest(of, vec![fragment(0)], Vec::new()).expect("digested");
    let before = scene.state.clone();
    for of in [of, 99] {
        assert_eq!(scene.digest(of, vec![fragment(0)], Vec::new()), Err(Refusal::Done));
    }
    assert_eq!(scene.state, before);
    assert_eq!(scene.state.pool.demand, 1);
    assert_eq!(heat(&scene, START), 20_000_000);
    assert_eq!(heat(&scene, START.plus_ms(DAY_MS)), 10_000_000);
}

#[test]
fn vectors_of_another_model_are_refused_and_what_brings_none_is_of_no_model_z103() {
    let mut scene = Scene::new();
    let [failed, first, second, third] = [1; 4].map(|fragments| scene.pending("ana", fragments, false));
    scene.happens(digest_of(failed, "other/64", vec![Digested::Failed]));
    assert_eq!(scene.state.pool.model, "");
    scene.happens(digest_of(first, MODEL, vec![fragment(0)]));
    assert_eq!(scene.state.pool.model, MODEL);
    let refused = scene.command(digest_of(second, "other/64", vec![fragment(0)]));
    let (held, came) = (MODEL.to_owned(), "other/64".to_owned());
    assert_eq!(refused, Err(Refusal::OtherModel { held, came }));
    assert!(scene.state.pending.contains_key(&second), "it can be embedded anew");
    scene.happens(digest_of(third, "other/64", vec![Digested::NoDemand(NoDemand::Thanks)]));
    assert_eq!(scene.state.pool.model, MODEL);
}

#[test]
fn only_demand_reaches_the_pool_and_what_a_patch_covers_is_credited_to_it_z065_z083_z088() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let (demand, warm) = (scene.state.pool.demand, heat(&scene, scene.at));
    let covered = Digested::Covered(key_name("seat_preference"));
    let others = vec![Digested::NoDemand(NoDemand::Thanks), covered, Digested::Failed];
    scene.say_all(Some("ana"), others);
    assert_eq!((scene.state.pool.demand, scene.state.pool.clusters.len()), (demand, 1));
    assert_eq!((scene.patch(&id).credited, heat(&scene, scene.at)), (1, warm));
    assert_eq!(scene.reading(&id).payloads_with_key, 0);
}

#[test]
fn a_patch_keeps_the_heat_curve_of_its_cluster_z089() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    assert_eq!(scene.patch(&id).heat_curve, [(START.day(), 100_000_000)]);
    scene.say(Some("ana"), 0);
    assert_eq!(scene.patch(&id).heat_curve, [(START.day(), 120_000_000)]);
    scene.pass(DAY_MS);
    scene.say(Some("ana"), 0);
    assert_eq!(scene.patch(&id).heat_curve[1..], [(scene.at.day(), 80_000_000)]);
}

#[test]
fn an_extension_request_is_demand_of_its_own_weight_and_one_occurrence_in_no_ledger_z022_z095_z132_z162() {
    let asked = |names: &[&str], requested: bool| {
        let mut scene = Scene::new();
        for name in names {
            let of = scene.pending(name, 1, requested);
            scene.digest(of, vec![fragment(0)], Vec::new()).expect("digested");
        }
        gate(&scene, FIRST)
    };
    let (said, requested) = (asked(&["ana", "ben"], false), asked(&["ana", "ben"], true));
    assert_eq!((said.clients, said.occurrences), (2, 2));
    // Whoever asks loudly is one client.
    assert_eq!((requested.clients, requested.occurrences), (2, 2));
    let heats = |gate: &GateReading| [gate.heat_micro, gate.capped_heat_micro, gate.top_heat_micro];
    assert_eq!(heats(&requested), heats(&said).map(|heat| 2 * heat));
    let one = asked(&["ana"; 9], true);
    // Hot enough, but one client asking nine times opens nothing.
    assert!(one.top_heat_micro > 50_000_000);
    assert_eq!(one.occurrences, 9);

    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    let before = scene.state.ledger.clone();
    let of = scene.pending("r", 1, true);
    scene.digest(of, vec![fragment(3)], Vec::new()).expect("digested");
    assert_eq!(
        scene.state.ledger, before,
        "`r` received the key, and this is no payload without it"
    );
}

/// A scenario of which every value is drawn, with a key on trial.
fn audited() -> (Scene, PatchId) {
    let mut scene = Scene::new();
    scene.policy.evolution.audit_share = 1.0;
    let id = scene.propose("seat_preference");
    (scene, id)
}

const RIGHT: Option<(bool, Basis)> = Some((true, Basis::Lexical));
const PROXY: Option<(bool, Basis)> = Some((true, Basis::Proxy));

/// A payload with the key, judged so.
fn said(scene: &mut Scene, id: &PatchId, judged: Option<(bool, Basis)>) -> u64 {
    scene.carry_judged("r", id, true, judged)
}

/// A model's word on a value.
fn late(scene: &Scene, of: u64, aligned: bool, instead: Option<(bool, Basis)>) -> Judged {
    Judged {
        of,
        said_at: scene.at,
        source: Some(Source::of(Some(&client("r")))),
        judgement: Judgement {
            patch_id: patch_id(1),
            aligned,
            basis: Basis::Llm,
        },
        instead,
        by: "m".to_owned(),
    }
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

/// Aligned, judged, and how many of these by that judge.
fn counted(scene: &Scene, id: &PatchId, basis: Basis) -> (u64, u64, u64) {
    let reading = scene.reading(id);
    let by_it = reading.basis.get(&basis).copied().unwrap_or(0);
    (reading.aligned, reading.judged, by_it)
}

#[test]
fn a_models_word_takes_the_place_of_the_proxys_or_is_added_and_counts_for_its_client_z136_z137() {
    let mean = |scene: &Scene, id: &PatchId| scene.reading(id).client_mean.semantic_alignment_accuracy;
    for (before, aligned, counts) in [(PROXY, false, (0, 1, 1)), (None, true, (1, 1, 1))] {
        let (mut scene, id) = audited();
        let of = said(&mut scene, &id, before);
        let judged = late(&scene, of, aligned, before);
        assert_eq!(scene.happens(Command::Judge(judged.clone())), [Event::Judged(judged)]);
        assert_eq!(counted(&scene, &id, Basis::Llm), counts, "one value, counted once");
        assert_eq!(mean(&scene, &id), Some(f64::from(u8::from(aligned))));
    }
}

#[test]
fn what_is_not_counted_not_digested_or_not_of_this_ledger_cannot_be_replaced_z136_z158() {
    let (mut scene, id) = audited();
    let of = said(&mut scene, &id, PROXY);
    let pending = scene.carry("r", &id, true);
    let called_wrong = late(&scene, of, true, Some((false, Basis::Proxy)));
    let mut early = late(&scene, of, true, None);
    early.said_at = early.said_at.plus_ms(-DAY_MS);
    let mut unknown = late(&scene, of, true, None);
    unknown.judgement.patch_id = patch_id(99);
    let right = late(&scene, of, true, PROXY);
    let waiting = late(&scene, pending, true, None);
    for (judged, refusal) in [
        (called_wrong, Some(Refusal::Done)),
        (early, Some(Refusal::Done)),
        (waiting, Some(Refusal::Done)),
        (unknown, Some(Refusal::UnknownPatch(patch_id(99)))),
        (right.clone(), None),
        (right, Some(Refusal::Done)),
    ] {
        assert_eq!(scene.command(Command::Judge(judged)).err(), refusal);
    }
    assert_eq!(counted(&scene, &id, Basis::Llm), (1, 1, 1));
}

#[test]
fn a_persons_verdict_takes_the_place_of_the_judges_and_moves_the_ratio_z136_z137() {
    let (mut scene, id) = audited();
    let wrongly = said(&mut scene, &id, RIGHT);
    said(&mut scene, &id, RIGHT);
    let silent = said(&mut scene, &id, None);
    let unsure = said(&mut scene, &id, PROXY);
    assert_eq!(counted(&scene, &id, Basis::Audit), (3, 3, 0));
    scene.happens(opinion(wrongly, &id, Verdict::NotAligned));
    assert_eq!(counted(&scene, &id, Basis::Audit), (2, 3, 1), "one value, counted once");
    scene.happens(opinion(silent, &id, Verdict::Aligned));
    // What no judge spoke of is added.
    assert_eq!(counted(&scene, &id, Basis::Audit), (3, 4, 2));
    assert_eq!(scene.reading(&id).semantic_alignment_accuracy, Some(0.75));
    scene.happens(opinion(unsure, &id, Verdict::CannotTell));
    // Who cannot tell leaves the judge's word.
    assert_eq!(counted(&scene, &id, Basis::Audit), (3, 4, 2));
    assert_eq!(scene.state.audits.waiting.len(), 1, "it is answered all the same");
    assert_eq!(scene.state.audits.agreement[&Basis::Proxy].cannot_tell, 1);
}

#[test]
fn the_first_verdict_stands_with_reviewer_and_time_and_no_models_word_overrules_it_z137() {
    let (mut scene, id) = audited();
    let of = said(&mut scene, &id, PROXY);
    let judge = late(&scene, of, false, PROXY);
    scene.happens(Command::Judge(judge));
    let waiting = scene.state.audits.waiting(of, &id).expect("it waits");
    // A model's word is seen by the person.
    assert_eq!(waiting.judged, Some((false, Basis::Llm)));
    scene.pass(1_000);
    scene.happens(opinion(of, &id, Verdict::Aligned));
    let answered = scene.state.audits.answered(of, &id).expect("on record").clone();
    assert_eq!((answered.by.as_str(), answered.at), ("ada", scene.at));
    assert_eq!(answered.because.as_deref(), Some("as the user said"));
    scene.pass(1_000);
    let (by, at) = ("ada".to_owned(), answered.at);
    let again = scene.command(opinion(of, &id, Verdict::NotAligned));
    assert_eq!(again, Err(Refusal::Audited { by, at }));
    let judge = late(&scene, of, false, None);
    assert_eq!(scene.command(Command::Judge(judge)), Err(Refusal::Done));
    let nothing = scene.command(opinion(of + 99, &id, Verdict::Aligned));
    assert_eq!(nothing, Err(Refusal::UnknownAudit));
    assert_eq!(counted(&scene, &id, Basis::Audit), (1, 1, 1));
}

#[test]
fn what_the_ledger_or_the_journal_holds_no_more_tells_of_the_judge_alone_or_is_gone_z137_z158_z167() {
    let (mut scene, id) = audited();
    let [erased, of] = [RIGHT, RIGHT].map(|judged| said(&mut scene, &id, judged));
    scene.happens(Command::Erased { through: erased });
    let gone = scene.command(opinion(erased, &id, Verdict::Aligned));
    assert_eq!(gone, Err(Refusal::UnknownAudit));
    // What was counted stays.
    assert_eq!(counted(&scene, &id, Basis::Lexical), (2, 2, 2));
    scene.pass(DAY_MS);
    scene.state.ledger.open(&id, scene.at);
    let events = scene.happens(opinion(of, &id, Verdict::NotAligned));
    assert!(matches!(&events[..], [Event::Audited(audited)] if !audited.counted));
    assert_eq!(counted(&scene, &id, Basis::Audit), (0, 0, 0));
    assert_eq!(scene.state.audits.agreement[&Basis::Lexical].wrong, 1);
}

#[test]
fn nothing_is_drawn_without_a_share_or_a_queue_of_a_wrong_type_or_that_shows_a_person_z137_z165_z171() {
    let (mut scene, id) = audited();
    scene.carry_judged("r", &id, false, None);
    // A value of a wrong type is wrong already.
    assert!(scene.state.audits.is_unused());
    scene.policy.evolution.audit_share = 0.0;
    said(&mut scene, &id, None);
    (scene.policy.evolution.audit_share, scene.policy.evolution.audits_max) = (1.0, 0);
    said(&mut scene, &id, None);
    scene.policy.evolution.audits_max = 1;
    let mut sensitive = candidate("meal_choice");
    sensitive.proposal.sensitive = Some("personal".to_owned());
    let sensitive = scene.propose_for(&Audience::Global, sensitive);
    scene.operate(&sensitive, OperatorAction::Approve).expect("approved");
    let named = scene.propose("recipient_name");
    for id in [&sensitive, &named] {
        said(&mut scene, id, None);
    }
    assert!(scene.state.audits.is_unused());
    said(&mut scene, &id, None);
    said(&mut scene, &id, None);
    assert_eq!((scene.state.audits.waiting.len(), scene.state.audits.fallen), (1, 1));
}

#[test]
fn keys_on_trial_and_unsure_values_are_drawn_more_and_a_replay_draws_the_same_z004_z137() {
    let (mut scene, id) = audited();
    (scene.policy.evolution.audit_share, scene.policy.evolution.audits_max) = (0.1, 10_000);
    let mut drawn = |judged| {
        let before = scene.state.audits.waiting.len();
        (0..600).for_each(|_| {
            said(&mut scene, &id, judged);
        });
        scene.state.audits.waiting.len() - before
    };
    let (unsure, sure, wrong) = (drawn(PROXY), drawn(RIGHT), drawn(Some((false, Basis::Lexical))));
    assert!((300..420).contains(&unsure), "about six in ten: {unsure}");
    assert!((135..225).contains(&sure), "about three in ten: {sure}");
    assert!((135..225).contains(&wrong), "whatever the judge said: {wrong}");
    let mut replayed = State::default();
    scene.entries.iter().for_each(|entry| evolve(&mut replayed, entry));
    assert_eq!(replayed.audits, scene.state.audits);
}

fn received_by(scene: &mut Scene, name: &str) -> Vec<Vec<PatchId>> {
    let (client, via) = (client(name), Via::Fetch);
    let events = scene
        .happens(Command::Receive {
            client,
            schema_id: None,
            via,
        })
        .into_iter();
    let patches = events.filter_map(|event| match event {
        Event::Received { patches, .. } => Some(patches),
        _ => None,
    });
    patches.collect()
}

fn received(scene: &Scene, id: &PatchId) -> u64 {
    scene.reading(id).received
}

#[test]
fn a_patch_is_received_once_by_each_client_by_fetch_suggestion_or_use_z139() {
    let mut scene = Scene::new();
    // Where there is no patch nothing is recorded.
    assert!(received_by(&mut scene, "ana").is_empty());
    assert!(scene.state.acquaintances.is_empty());
    let id = scene.propose("seat_preference");
    assert_eq!(received_by(&mut scene, "ana"), [vec![id.clone()]]);
    // Nothing new, nothing recorded.
    assert!(received_by(&mut scene, "ana").is_empty());
    scene.submit(Submitted {
        suggested: Some(scene.state.seq),
        ..scene.submitted(Some("ben"))
    });
    scene.carry("cid", &id, true);
    assert_eq!((received(&scene, &id), scene.reading(&id).used), (3, 1));
    assert!(received_by(&mut scene, "cid").is_empty(), "who used it knows it");
    // A change of stage is learnt without a second receipt.
    scene.operate(&id, OperatorAction::Promote).expect("promoted");
    assert_eq!(received_by(&mut scene, "ana"), [Vec::new()]);
    assert_eq!(
        scene.state.acquaintances[&client("ana")].revision,
        scene.patch(&id).revision
    );
    assert!(received_by(&mut scene, "ana").is_empty());
    assert_eq!(received(&scene, &id), 3);
}

#[test]
fn another_schema_is_received_once_and_one_that_was_alone_never_z004() {
    let mut scene = Scene::new();
    assert!(received_by(&mut scene, "ana").is_empty());
    scene.publish(template("flight_v1_1", "1.1.0", &[]));
    let later = scene.state.seq;
    let older = SchemaId::parse("flight_v1");
    let (client, via) = (client("ana"), Via::Fetch);
    let events = scene.happens(Command::Receive {
        client: client.clone(),
        schema_id: older,
        via,
    });
    assert!(events.is_empty(), "the older one is no news");
    assert_eq!(received_by(&mut scene, "ana"), [Vec::new()]);
    assert_eq!(scene.state.acquaintances[&client].revision, later);
    assert!(received_by(&mut scene, "ana").is_empty());
}

#[test]
fn a_patch_for_few_is_received_and_counted_by_them_alone_z098_z122_z123_z139_z162() {
    let mut scene = Scene::cohorts();
    let own = scene.propose_for(&alone("ana"), candidate("meal_choice"));
    assert!(received_by(&mut scene, "ben").concat().is_empty());
    assert_eq!(received(&scene, &own), 0);
    assert_eq!(received_by(&mut scene, "ana"), vec![vec![own]]);
    let id = scene.propose_for(&cohort("a"), candidate("seat_preference"));
    assert!(received_by(&mut scene, "zoe").concat().is_empty());
    assert_eq!(received_by(&mut scene, "a7"), [vec![id.clone()]]);
    // A suggestion is a receipt, and says to a member alone what there is.
    for name in ["a8", "yan"] {
        scene.submit(Submitted {
            suggested: Some(scene.state.seq),
            ..scene.submitted(Some(name))
        });
    }
    assert_eq!(received(&scene, &id), 2, "a7 and a8");
    for name in ["a7", "a8", "zoe", "yan", "a9"] {
        scene.send(name);
    }
    let reading = scene.reading(&id);
    assert_eq!(
        reading.payloads_of_recipients, 2,
        "of a7 and of a8, once they were told"
    );
    assert!(reading.payloads > 3, "and all of the scenario's: {}", reading.payloads);
}

/// The next so many micro-clusters, embedded anew.
fn step(scene: &Scene, max: usize) -> Command {
    let vector = Vector::quantise(&[1.0, 0.0, 0.0]).expect("a vector");
    let micros = scene.state.pool.next_stale(NEW, max).into_iter().map(|stale| Anew {
        micro: stale.micro,
        mean: Mean::of(std::slice::from_ref(&vector)),
    });
    Command::Reembed {
        model: NEW.to_owned(),
        micros: micros.collect(),
    }
}

pub(super) fn wanted(scene: &Scene, model: &str) -> Vec<Effect> {
    outstanding(&scene.state, &scene.policy, model, 8)
}

#[test]
fn everything_that_compares_vectors_waits_until_the_pool_is_of_the_model_at_hand_z103() {
    let mut scene = Scene::new();
    for theme in 1..4 {
        scene.say(Some("ana"), theme);
    }
    scene.wanted(&Audience::Global);
    let of = scene.pending("ben", 1, false);
    let induces = |effect: &Effect| matches!(effect, Effect::Induce { .. });
    assert!(wanted(&scene, MODEL).iter().any(induces));
    scene.freeze();
    for left in [4_usize, 2] {
        assert_eq!(wanted(&scene, NEW), [Effect::Reembed], "{left} wait, frozen or not");
        assert_eq!(scene.state.pool.waiting(NEW).count(), left);
        let early = scene.command(digest_of(of, NEW, vec![fragment(9)]));
        assert!(matches!(early, Err(Refusal::OtherModel { .. })));
        let next = step(&scene, 2);
        assert_eq!(scene.happens(next.clone()).len(), 1);
        assert_eq!(scene.command(next), Err(Refusal::Done), "the same result twice");
    }
    scene.thaw();
    assert_eq!(scene.state.pool.model, NEW);
    let now = wanted(&scene, NEW);
    assert!(now.contains(&Effect::Digest { of }) && now.iter().any(induces));
    // And back again, were the old model to return.
    assert_eq!(wanted(&scene, MODEL), [Effect::Reembed]);
    for model in [MODEL, NEW] {
        let (model, micros) = (model.to_owned(), Vec::new());
        let useless = scene.command(Command::Reembed { model, micros });
        // Something waits and nothing came, or nothing waits.
        assert_eq!(useless, Err(Refusal::Done));
    }
    let mut replayed = State::default();
    scene.entries.iter().for_each(|entry| evolve(&mut replayed, entry));
    assert_eq!(replayed, scene.state, "a replay asks no model");
}

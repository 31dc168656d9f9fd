//! Every fragment gets its fate, once.

use crate::evolution::ledger::Basis;
use crate::pool::analysis::NoDemand;
use crate::scenario::command::Command;
use crate::scenario::command::Digested;
use crate::scenario::command::Digestion;
use crate::scenario::command::Refusal;
use crate::scenario::event::Judgement;
use crate::scenario::sample::GOOD;
use crate::scenario::sample::MODEL;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::sample::fragment;
use crate::scenario::sample::key_name;
use crate::scenario::submission::Submitted;
use schema::time::DAY_MS;

fn digest(of: u64, model: &str, fragments: Vec<Digested>) -> Command {
    Command::Digest {
        model: model.to_owned(),
        digestions: vec![Digestion {
            of,
            fragments,
            judgements: Vec::new(),
        }],
    }
}

fn pending(scene: &mut Scene, fragments: u32) -> u64 {
    let submitted = Submitted {
        fragments,
        ..scene.submitted(Some("ana"))
    };
    scene.submit(submitted)
}

#[test]
fn a_submission_is_digested_once_z101() {
    let mut scene = Scene::new();
    let of = pending(&mut scene, 1);
    scene.happens(digest(of, MODEL, vec![fragment(0)]));
    let before = scene.state.clone();
    assert_eq!(scene.command(digest(of, MODEL, vec![fragment(0)])), Err(Refusal::Done));
    assert_eq!(scene.command(digest(99, MODEL, vec![fragment(0)])), Err(Refusal::Done));
    assert_eq!(scene.state, before);
    assert_eq!(scene.state.pool.demand, 1);
}

#[test]
fn vectors_of_another_model_are_refused_z103() {
    let mut scene = Scene::new();
    let first = pending(&mut scene, 1);
    let second = pending(&mut scene, 1);
    let third = pending(&mut scene, 1);
    scene.happens(digest(first, MODEL, vec![fragment(0)]));
    assert_eq!(scene.state.pool.model, MODEL);
    let refused = scene.command(digest(second, "other/64", vec![fragment(0)]));
    let held = MODEL.to_owned();
    let came = "other/64".to_owned();
    assert_eq!(refused, Err(Refusal::OtherModel { held, came }));
    assert!(scene.state.pending.contains_key(&second), "it can be embedded anew");
    // What brings no vector is of no model.
    scene.happens(digest(third, "other/64", vec![Digested::NoDemand(NoDemand::Thanks)]));
    assert_eq!(scene.state.pool.model, MODEL);
}

#[test]
fn what_brings_no_vector_does_not_choose_the_model_z103() {
    let mut scene = Scene::new();
    let of = pending(&mut scene, 1);
    scene.happens(digest(of, "other/64", vec![Digested::Failed]));
    assert_eq!(scene.state.pool.model, "");
}

#[test]
fn only_demand_reaches_the_pool_z065_z083_z088() {
    let mut scene = Scene::new();
    let of = pending(&mut scene, 4);
    let fragments = vec![
        Digested::NoDemand(NoDemand::Thanks),
        Digested::Covered(key_name("origin")),
        Digested::Failed,
        fragment(0),
    ];
    scene.happens(digest(of, MODEL, fragments));
    assert_eq!((scene.state.pool.demand, scene.state.pool.clusters.len()), (1, 1));
}

#[test]
fn what_a_patch_covers_is_credited_to_it_and_adds_no_heat_z088() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let cluster = scene.patch(&id).cluster;
    let heat = scene.state.pool.heat_micro(cluster, scene.at, &scene.policy.pool);
    scene.say_all(Some("ana"), vec![Digested::Covered(key_name("seat_preference"))]);
    assert_eq!(scene.patch(&id).credited, 1);
    assert_eq!(scene.state.pool.heat_micro(cluster, scene.at, &scene.policy.pool), heat);
    assert_eq!(scene.state.ledger.read(&id, scene.at, 30).payloads_with_key, 0);
}

/// A number, said in words like those of an intent.
#[test]
fn fragments_count_when_they_were_sent_and_not_when_they_were_embedded_z091() {
    let mut scene = Scene::new();
    let of = pending(&mut scene, 1);
    scene.pass(3 * DAY_MS);
    scene.happens(digest(of, MODEL, vec![fragment(0)]));
    let cluster = *scene.state.pool.clusters.keys().next().expect("a cluster");
    let heat = |at| scene.state.pool.heat_micro(cluster, at, &scene.policy.pool);
    assert_eq!(heat(START), 20_000_000);
    assert_eq!(heat(START.plus_ms(DAY_MS)), 10_000_000);
}

#[test]
fn a_judgement_reaches_the_ledger_once_z136() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    let mut submitted = scene.submitted(Some("ana"));
    submitted.observed.push(scene.observed(&id, true));
    let of = scene.submit(submitted);
    let judged = Command::Digest {
        model: MODEL.to_owned(),
        digestions: vec![Digestion {
            of,
            fragments: Vec::new(),
            judgements: vec![Judgement {
                patch_id: id.clone(),
                aligned: true,
                basis: Basis::Lexical,
            }],
        }],
    };
    scene.happens(judged.clone());
    assert_eq!(scene.command(judged), Err(Refusal::Done));
    let reading = scene.state.ledger.read(&id, scene.at, 30);
    assert_eq!((reading.aligned, reading.judged), (1, 1));
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
    let curve = &scene.patch(&id).heat_curve;
    assert_eq!(curve.len(), 2);
    assert_eq!(curve[1], (scene.at.day(), 80_000_000));
}

/// Clients that asked for the same in a row, a minute apart; explicitly or in passing.
fn asked(names: &[&str], requested: bool) -> Scene {
    let mut scene = Scene::new();
    for name in names {
        let submitted = Submitted {
            fragments: 1,
            requested,
            ..scene.submitted(Some(name))
        };
        let of = scene.submit(submitted);
        scene.happens(digest(of, MODEL, vec![fragment(0)]));
    }
    scene
}

#[test]
fn an_extension_request_is_demand_of_its_own_weight_and_one_occurrence_z022_z095() {
    let read = |scene: &Scene| {
        let cluster = *scene.state.pool.clusters.keys().next().expect("a cluster");
        scene.state.pool.gate(cluster, scene.at, &scene.policy.pool)
    };
    let (said, requested) = (
        read(&asked(&["ana", "ben"], false)),
        read(&asked(&["ana", "ben"], true)),
    );
    assert_eq!((said.clients, said.occurrences), (2, 2));
    assert_eq!(
        (requested.clients, requested.occurrences),
        (2, 2),
        "whoever asks loudly is one client"
    );
    assert_eq!(requested.heat_micro, 2 * said.heat_micro);
    assert_eq!(requested.capped_heat_micro, 2 * said.capped_heat_micro);
    assert_eq!(requested.top_heat_micro, 2 * said.top_heat_micro);
    let alone = read(&asked(&["ana"; 9], true));
    assert!(
        alone.top_heat_micro > 50_000_000,
        "hot enough, but one client asking nine times opens nothing"
    );
    assert_eq!(alone.occurrences, 9);
}

#[test]
fn an_extension_request_counts_in_no_ledger_z022_z132_z162() {
    let mut scene = Scene::new();
    let id = scene.propose("seat_preference");
    scene.traffic(&id, GOOD);
    let before = scene.state.ledger.clone();
    let submitted = Submitted {
        fragments: 1,
        requested: true,
        with_other: true,
        ..scene.submitted(Some("r"))
    };
    let of = scene.submit(submitted);
    scene.happens(digest(of, MODEL, vec![fragment(3)]));
    assert_eq!(
        scene.state.ledger, before,
        "`r` received the key, and this is no payload without it"
    );
}

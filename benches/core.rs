//! The core, rule by rule: validate, effective template, evolve, nearest centroid, look, embed.
//!
//! `cargo bench --bench core`. Compare figures of one run with each other; machines are noisy.

mod pools;

use std::hint::black_box;

use criterion::BenchmarkId;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use engine::evolution::ledger::Ledger;
use engine::pool::policy::PoolPolicy;
use engine::pool::recluster;
use engine::scenario::event::Entry;
use engine::scenario::event::Event;
use engine::scenario::evolve;
use engine::scenario::state::State;
use engine::scenario::submission::Submitted;
use otherwise::adapters::embed::Encoder;
use otherwise::app::ports::Embedder;
use otherwise::config::service::Models;
use schema::effective::EffectiveTemplate;
use schema::effective::KeyChange;
use schema::effective::LayeredChange;
use schema::effective::Standing;
use schema::exchange::other::OtherLimits;
use schema::exchange::validator::Validator;
use schema::export::Form;
use schema::key::KeyDefinition;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::template::SchemaTemplate;
use schema::time::At;
use serde_json::Value;
use serde_json::json;
use text::vector::Vector;
use text::vector::nearest;

use pools::pool_of;
use pools::vectors;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
const FLIGHT_PAYLOAD: &str = r#"{"origin":"PEK","destination":"SHA","departure_date":"2026-05-04","cabin_class":"business","passenger_count":1,"other":"window seat"}"#;
const LIMITS: OtherLimits = OtherLimits {
    strings_max: 16,
    bytes_max: 2_000,
};

fn template(text: &str) -> SchemaTemplate {
    let document = serde_json::from_str(text).expect("JSON");
    SchemaTemplate::parse(&document).expect("a template").0
}

fn layer(count: u64) -> Vec<LayeredChange> {
    let scenario = template(FLIGHT).scenario_key();
    (0..count)
        .map(|number| {
            let key: KeyDefinition = serde_json::from_value(json!({
                "key_name": format!("learned_{number}"), "key_type": "string", "required": false,
                "semantic_description": "What some clients asked for. Acceptable values: a, b, none.",
                "constraints": {"enum": ["a", "b", "none"]},
            }))
            .expect("a key");
            let patch_id = PatchId::numbered(&scenario, number);
            LayeredChange {
                patch_id,
                change: KeyChange::Add(key),
                standing: Standing::Experimental,
            }
        })
        .collect()
}

/// The check of a payload's text against a parsed value and the `jsonschema` crate, on the draft's own payload.
fn validate(criterion: &mut Criterion) {
    let effective = EffectiveTemplate::compose(&template(FLIGHT), &layer(5), 1);
    let validator = Validator::compile(&effective, LIMITS);
    let yardstick = jsonschema::options()
        .should_validate_formats(true)
        .build(&serde_json::from_str(&effective.export(Form::JsonSchema, None, true).text).expect("JSON"))
        .expect("a schema");
    let received = |_: &PatchId| true;
    let mut group = criterion.benchmark_group("validate");
    group.bench_function("a text", |bencher| {
        bencher.iter(|| {
            validator
                .check(black_box(FLIGHT_PAYLOAD), &received, false)
                .expect("JSON")
                .accepted()
        });
    });
    group.bench_function("a text, normalised", |bencher| {
        bencher.iter(|| {
            validator
                .check(black_box(FLIGHT_PAYLOAD), &received, true)
                .expect("JSON")
                .accepted()
        });
    });
    group.bench_function("serde_json::Value + jsonschema", |bencher| {
        bencher.iter(|| {
            let value: Value = serde_json::from_str(black_box(FLIGHT_PAYLOAD)).expect("JSON");
            yardstick.is_valid(&value)
        });
    });
    group.finish();
}

fn effective_template(criterion: &mut Criterion) {
    let base = template(FLIGHT);
    let mut group = criterion.benchmark_group("effective template");
    for patches in [0, 10, 50] {
        let layer = layer(patches);
        group.bench_with_input(BenchmarkId::new("compose", patches), &layer, |bencher, layer| {
            bencher.iter(|| EffectiveTemplate::compose(black_box(&base), black_box(layer), 1));
        });
        let effective = EffectiveTemplate::compose(&base, &layer, 1);
        group.bench_with_input(
            BenchmarkId::new("compile", patches),
            &effective,
            |bencher, effective| {
                bencher.iter(|| Validator::compile(black_box(effective), LIMITS));
            },
        );
    }
    group.finish();
}

fn evolve_submissions(criterion: &mut Criterion) {
    let base = template(FLIGHT);
    let mut state = State::default();
    let published = Event::BasePublished {
        template: Box::new(base.clone()),
        by: None,
        unproved: false,
    };
    evolve::evolve(
        &mut state,
        &Entry {
            seq: 1,
            at: At(0),
            event: published,
        },
    );
    assert_eq!(state.ledger, Ledger::default());
    criterion.bench_function("evolve a submission", |bencher| {
        bencher.iter(|| {
            let seq = state.seq + 1;
            let submitted = Submitted {
                client: ClientId::parse("agent"),
                schema_id: base.schema_id.clone(),
                revision: 1,
                accepted: true,
                with_other: false,
                fragments: 0,
                observed: Vec::new(),
                idempotency: None,
                cohort: None,
                continued: 0,
                suggested: None,
                executes: false,
                requested: false,
                as_said: 0,
                filled: Some(Vec::new()),
            };
            evolve::evolve(
                &mut state,
                &Entry {
                    seq,
                    at: At(1),
                    event: Event::Submitted(submitted),
                },
            );
        });
    });
}

fn nearest_centroid(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("nearest centroid");
    for count in [1_000, 10_000, 100_000] {
        let centroids: Vec<Vector> = vectors().take(count).collect();
        let asked = centroids.last().expect("a vector").clone();
        group.bench_with_input(BenchmarkId::from_parameter(count), &centroids, |bencher, centroids| {
            bencher.iter(|| nearest(centroids.iter().map(Vector::components), black_box(&asked)));
        });
    }
    group.finish();
}

/// A look: linkage, cuts and merges over the whole pool. It runs beside the submit path, never on it.
fn consolidate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("look");
    for micros in [500, 1_000, 2_000, 4_000] {
        let pool = pool_of(micros, 1, 0);
        let held = pool.micros.len();
        group.bench_with_input(BenchmarkId::new("micro-clusters", held), &pool, |bencher, pool| {
            bencher.iter(|| recluster::recluster(black_box(pool), &PoolPolicy::default()));
        });
    }
    group.finish();
}

fn embed(criterion: &mut Criterion) {
    let models = Models {
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/models").to_owned(),
        embed_cache_max: 0,
        ..Models::default()
    };
    let embedder = match Encoder::open(&models, None) {
        Ok(embedder) => embedder,
        Err(fault) => {
            eprintln!("embed is left out: {fault}");
            return;
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let texts: Vec<String> = (0..32)
        .map(|n| format!("I would like seat number {n} by the window please"))
        .collect();
    let mut group = criterion.benchmark_group("embed");
    group.bench_function("one text", |bencher| {
        bencher.iter(|| {
            runtime
                .block_on(embedder.embed(vec![texts[0].clone()]))
                .expect("a vector")
        });
    });
    group.bench_function("32 texts", |bencher| {
        bencher.iter(|| runtime.block_on(embedder.embed(texts.clone())).expect("vectors"));
    });
    group.finish();
}

criterion_group! {
    name = core;
    config = Criterion::default().sample_size(20);
    targets = validate, effective_template, evolve_submissions, nearest_centroid, consolidate, embed
}
criterion_main!(core);

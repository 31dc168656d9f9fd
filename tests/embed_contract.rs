//! What the embedder promises, held against the model in the repository.

use std::path::Path;
use std::sync::Arc;
use std::sync::LazyLock;
use std::time::Instant;

use otherwise::domain::pool::vector::Vector;
use otherwise::edge::embed::minilm::MiniLm;
use otherwise::edge::embed::options::EmbedOptions;
use otherwise::edge::embed::options::EmbedSettings;
use otherwise::service::ports::EmbedFault;
use otherwise::service::ports::Embedder;

fn open(settings: EmbedSettings) -> MiniLm {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let options = EmbedOptions {
        settings,
        on_embed: None,
    };
    MiniLm::open(&models, options, None).expect("a model")
}

/// One model for all tests that do not need one of their own: reading it takes most of a second.
static SHARED: LazyLock<MiniLm> = LazyLock::new(|| {
    open(EmbedSettings {
        workers: 2,
        cache_texts_max: 0,
        ..EmbedSettings::default()
    })
});

fn embed(model: &MiniLm, texts: &[&str]) -> Vec<Vector> {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    wait(model.embed(texts)).expect("vectors")
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime")
        .block_on(future)
}

#[test]
fn alike_is_near_and_unlike_is_far_z087() {
    let vectors = embed(
        &SHARED,
        &[
            "I want a window seat on the plane",
            "please give me a seat by the window on my flight",
            "the invoice must show our tax number",
        ],
    );
    assert!(
        vectors[0].cosine(&vectors[1]).value() > 0.8,
        "{}",
        vectors[0].cosine(&vectors[1]).value()
    );
    assert!(
        vectors[0].cosine(&vectors[2]).value() < 0.4,
        "{}",
        vectors[0].cosine(&vectors[2]).value()
    );
    assert_eq!(vectors[0].components().len(), 384);
    assert_eq!(SHARED.model(), "all-minilm-l6-v2-w8/384");
}

#[test]
fn a_vector_depends_on_its_text_alone_bit_for_bit_z103() {
    let long = "a quiet room away from the lift with two beds and a view of the sea ".repeat(30);
    let texts = [
        "late checkout",
        &long,
        "vegan",
        "",
        "a crib for the baby, please",
        "\u{1f984}\u{0} <|x|>",
        "vegan",
    ];
    let together = embed(&SHARED, &texts);
    let other = open(EmbedSettings {
        workers: 1,
        ..EmbedSettings::default()
    });
    for (text, expected) in texts.iter().zip(&together) {
        assert_eq!(&embed(&SHARED, &[text])[0], expected, "{text:?} alone");
        assert_eq!(
            &embed(&other, &["something else", text])[1],
            expected,
            "{text:?} in another session"
        );
        assert_eq!(&embed(&other, &[text])[0], expected, "{text:?} remembered");
    }
    let reversed = embed(&SHARED, &texts.iter().rev().copied().collect::<Vec<_>>());
    assert_eq!(reversed.into_iter().rev().collect::<Vec<_>>(), together);
}

#[test]
fn texts_of_one_form_have_one_vector_whichever_comes_first() {
    let forms = ["Window seat", "  window   SEAT\n"];
    let vectors = embed(&SHARED, &forms);
    assert_eq!(vectors[0], vectors[1]);
}

#[test]
fn a_busy_or_closed_embedder_says_so() {
    let model = open(EmbedSettings {
        workers: 1,
        queue_texts_max: 1,
        ..EmbedSettings::default()
    });
    let many = |from: usize| {
        (from..from + 200)
            .map(|n| format!("text number {n}"))
            .collect::<Vec<_>>()
    };
    let (first, second) = wait(async { tokio::join!(model.embed(many(0)), model.embed(many(500))) });
    assert_eq!(first.map(|vectors| vectors.len()), Ok(200));
    assert_eq!(second, Err(EmbedFault::Busy));
    model.close();
    assert_eq!(
        wait(model.embed(vec!["never seen".to_owned()])),
        Err(EmbedFault::Closed)
    );
}

#[test]
fn what_is_missing_is_said_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let fault = MiniLm::open(folder.path(), EmbedOptions::default(), None).expect_err("empty");
    assert!(fault.to_string().contains("SHA256SUMS cannot be read"), "{fault}");
    let nowhere = folder.path().join("libonnxruntime.so");
    let fault = MiniLm::open(folder.path(), EmbedOptions::default(), Some(&nowhere)).expect_err("no library");
    assert!(
        fault.to_string().contains("does not exist: run `make runtime`"),
        "{fault}"
    );
}

#[test]
fn batches_are_reported() {
    let seen = Arc::new(std::sync::Mutex::new(0));
    let count = Arc::clone(&seen);
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let options = EmbedOptions {
        settings: EmbedSettings {
            workers: 1,
            ..EmbedSettings::default()
        },
        on_embed: Some(Arc::new(move |seconds, texts| {
            assert!(seconds > 0.0);
            *count.lock().expect("a count") += texts;
        })),
    };
    let model = MiniLm::open(&models, options, None).expect("a model");
    embed(&model, &["one", "two", "one"]);
    embed(&model, &["two"]);
    model.close();
    assert_eq!(*seen.lock().expect("a count"), 2);
}

#[test]
#[ignore = "a measurement"]
fn texts_a_second_on_one_core() {
    let model = open(EmbedSettings {
        workers: 1,
        ..EmbedSettings::default()
    });
    let texts = (0..600)
        .map(|n| format!("I would like a window seat near row {n}, please"))
        .collect::<Vec<_>>();
    let started = Instant::now();
    let vectors = wait(model.embed(texts)).expect("vectors");
    println!(
        "{:.0} texts a second",
        vectors.len() as f64 / started.elapsed().as_secs_f64()
    );
}

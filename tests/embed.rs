//! The embedder as the service sees it: the shipped model, its files, its library, its queue and its memory.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use otherwise::domain::pool::vector::Vector;
use otherwise::edge::embed::EmbedOptions;
use otherwise::edge::embed::MODEL;
use otherwise::edge::embed::MiniLm;
use otherwise::edge::embed::files;
use otherwise::edge::embed::minilm::WIDTH;
use otherwise::service::ports::EmbedFault;
use otherwise::service::ports::Embedder;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// One thread, so that a test loads one copy of the model.
fn options() -> EmbedOptions {
    EmbedOptions {
        workers: 1,
        ..EmbedOptions::default()
    }
}

/// An embedder, and how many texts went through the model.
fn opened(options: EmbedOptions) -> (MiniLm, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&count);
    let on_embed = Box::new(move |_seconds: f64, texts: usize| {
        told.fetch_add(texts, Ordering::SeqCst);
    });
    (MiniLm::open(&models(), options, Some(on_embed)).unwrap(), count)
}

fn vectors(embedder: &MiniLm, texts: &[&str]) -> Result<Vec<Vector>, EmbedFault> {
    let texts = texts.iter().map(|&text| text.to_owned()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(embedder.embed(texts))
}

#[test]
fn like_sentences_lie_close_and_unlike_ones_apart_z084_z085_z086() {
    let (embedder, _) = opened(options());
    assert_eq!(embedder.model(), MODEL);
    let found = vectors(
        &embedder,
        &[
            "I would like a seat by the window",
            "Please give me a window seat",
            "The invoice must be paid in Swiss francs",
        ],
    );
    let [window, pane, invoice] = found.unwrap().try_into().unwrap();
    assert_eq!(window.components().len(), WIDTH);
    assert!(window.cosine(&pane).value() > 0.8, "{}", window.cosine(&pane).value());
    assert!(
        window.cosine(&invoice).value() < 0.4,
        "{}",
        window.cosine(&invoice).value()
    );
}

#[test]
fn a_vector_depends_on_its_text_alone_z084_z103() {
    let texts = [
        "aisle seat",
        "a quiet room on a high floor, far from the lifts and with a desk",
        "no nuts",
        "",
        "late checkout",
    ];
    let forgetful = EmbedOptions {
        cache_texts_max: 0,
        ..options()
    };
    let (embedder, _) = opened(forgetful.clone());
    let together = vectors(&embedder, &texts).unwrap();
    let (again, _) = opened(forgetful);
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&vectors(&again, &[text]).unwrap()[0], vector, "{text}");
    }
}

#[test]
fn a_text_is_embedded_once_and_remembered_by_what_it_says_z084() {
    let (embedder, embedded) = opened(options());
    let first = vectors(&embedder, &["Aisle seat", "aisle  SEAT ", "no nuts"]).unwrap();
    assert_eq!(first[0], first[1]);
    assert_ne!(first[0], first[2]);
    let second = vectors(&embedder, &["aisle seat", "No nuts"]).unwrap();
    assert_eq!(second, [first[0].clone(), first[2].clone()]);
    drop(embedder);
    assert_eq!(embedded.load(Ordering::SeqCst), 2);
}

#[test]
fn a_request_that_outgrows_the_queue_goes_in_pieces_z084() {
    let small = EmbedOptions {
        queue_texts_max: 4,
        ..options()
    };
    let (embedder, embedded) = opened(small);
    let texts: Vec<String> = (0..9).map(|number| format!("seat {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(vectors(&embedder, &texts).unwrap().len(), 9);
    drop(embedder);
    assert_eq!(embedded.load(Ordering::SeqCst), 9);
}

#[test]
fn a_full_queue_answers_busy_z084() {
    let small = EmbedOptions {
        queue_texts_max: 1,
        cache_texts_max: 0,
        ..options()
    };
    let (embedder, _) = opened(small);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let long = "a quiet room on a high floor ".repeat(40);
    let outcomes = runtime.block_on(async {
        let asked: Vec<_> = (0..8)
            .map(|number| embedder.embed(vec![format!("{number} {long}")]))
            .collect();
        let mut outcomes = Vec::new();
        // Polled together: all are submitted before the first is answered.
        let mut pending: Vec<_> = asked.into_iter().collect();
        std::future::poll_fn(|context| {
            pending.retain_mut(|asked| match asked.as_mut().poll(context) {
                std::task::Poll::Ready(outcome) => {
                    outcomes.push(outcome);
                    false
                }
                std::task::Poll::Pending => true,
            });
            if pending.is_empty() {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        outcomes
    });
    assert!(outcomes.iter().any(|outcome| outcome.is_ok()));
    assert!(outcomes.contains(&Err(EmbedFault::Busy)), "{}", outcomes.len());
}

#[test]
fn a_closed_embedder_says_so_z084() {
    let (embedder, _) = opened(options());
    vectors(&embedder, &["aisle seat"]).unwrap();
    embedder.close();
    assert_eq!(vectors(&embedder, &["aisle seat"]), Err(EmbedFault::Closed));
}

#[test]
fn what_a_vector_tells_is_what_the_training_was_told_z170() {
    let (embedder, _) = opened(options());
    let heads = embedder.heads().expect("the model has them");
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("training/agreement.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = page.lines().map(|line| line.splitn(2, '\t').collect()).collect();
    assert!(rows.len() >= 20, "{} rows", rows.len());
    let texts: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    let chance = |score: f64| 1.0 / (1.0 + (-score).exp());
    for (row, vector) in rows.iter().zip(vectors(&embedder, &texts).unwrap()) {
        let (here, there) = (heads.orders(&vector).unwrap(), row[0].parse::<f64>().unwrap());
        assert!((chance(here) - chance(there)).abs() < 1e-3, "{row:?}: {here}");
    }
}

#[test]
fn the_shipped_model_is_the_one_in_its_sums_z103() {
    let sums = fs::read_to_string(models().join(files::SUMS)).unwrap();
    let mut named = Vec::new();
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        assert_eq!(files::sha256(&fs::read(models().join(name)).unwrap()), sum, "{name}");
        named.push(name);
    }
    named.sort_unstable();
    let mut needed = [
        files::NETWORK,
        files::TOKENIZER,
        files::TOKENIZER_CONFIG,
        files::SPECIAL_TOKENS,
        files::CONFIG,
        files::HEADS,
    ];
    needed.sort_unstable();
    assert_eq!(named, needed);
}

#[test]
fn a_tampered_model_is_refused_by_name_z103() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(models()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let network = folder.path().join(files::NETWORK);
    let mut bytes = fs::read(&network).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&network, bytes).unwrap();
    let Err(EmbedFault::Model(said)) = MiniLm::open(folder.path(), options(), None) else {
        panic!("a tampered model was opened");
    };
    assert!(
        said.contains(files::NETWORK) && said.contains("restore the models folder"),
        "{said}"
    );
}

#[test]
fn a_missing_or_foreign_library_is_said_with_what_to_do_z084() {
    let missing = Err("the library was not found: run `make setup`".to_owned());
    let Err(EmbedFault::Model(said)) = MiniLm::open_with(missing, &models(), options(), None) else {
        panic!("opened without a library");
    };
    assert!(said.contains("run `make setup`"), "{said}");
    let text = models().join("README.md");
    let Err(EmbedFault::Model(said)) = MiniLm::open_with(Ok(text), &models(), options(), None) else {
        panic!("opened with a text for a library");
    };
    assert!(said.contains("is not a shared library: run `make setup`"), "{said}");
}

#[test]
fn a_library_that_is_not_onnx_runtime_is_said_in_a_process_of_its_own_z084() {
    const CHILD: &str = "EMBED_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let Err(EmbedFault::Model(said)) = MiniLm::open(&models(), options(), None) else {
            panic!("opened with another library");
        };
        println!("said: {said}");
        return;
    }
    let other = tempfile::tempdir().unwrap();
    let source = other.path().join("other.c");
    let library = other.path().join("libother.so");
    fs::write(&source, "int other(void) { return 1; }\n").unwrap();
    let built = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source)
        .status();
    assert!(built.unwrap().success());
    for (named, expected) in [
        (library, "cannot be loaded"),
        (other.path().join("none.so"), "not a file"),
    ] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "embed::a_library_that_is_not_onnx_runtime_is_said_in_a_process_of_its_own_z084",
                "--exact",
                "--nocapture",
            ])
            .env(CHILD, "1")
            .env("ORT_DYLIB_PATH", &named)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        assert!(child.status.success(), "{said}");
        assert!(said.contains(expected) && said.contains("run `make setup`"), "{said}");
    }
}

//! The embedders as the service sees them: the shipped models, their files, their library, their queues and their memory.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use engine::pool::heads::Heads;
use otherwise::adapters::embed::Encoder;
use otherwise::adapters::embed::files;
use otherwise::app::ports::EmbedFault;
use otherwise::app::ports::Embedder;
use otherwise::config::service::Models;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;
use text::vector::Vector;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// The shipped models in a folder.
fn within(folder: &Path) -> Models {
    Models {
        folder: folder.display().to_string(),
        ..Models::default()
    }
}

/// The folders of the shipped models.
fn shipped() -> [String; 2] {
    let Models {
        english, multilingual, ..
    } = Models::default();
    [english, multilingual]
}

/// An embedder, and how many texts went through the model.
fn opened(settings: &Models) -> (Encoder, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&count);
    let on_embed = Arc::new(move |_seconds: f64, texts: usize| {
        told.fetch_add(texts, Ordering::SeqCst);
    });
    (Encoder::open(settings, Some(on_embed)).unwrap(), count)
}

fn vectors(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vector>, EmbedFault> {
    let texts = texts.iter().map(|&text| text.to_owned()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(embedder.embed(texts))
}

#[test]
fn like_sentences_lie_close_and_unlike_ones_apart_z084_z085_z086() {
    let (embedder, _) = opened(&within(&models()));
    assert_eq!(embedder.model(), "all-minilm-l6-v2-w8/384");
    let found = vectors(
        &embedder,
        &[
            "I would like a seat by the window",
            "Please give me a window seat",
            "The invoice must be paid in Swiss francs",
        ],
    );
    let [window, pane, invoice] = found.unwrap().try_into().unwrap();
    assert_eq!(window.components().len(), 384);
    assert!(window.cosine(&pane).value() > 0.8, "{}", window.cosine(&pane).value());
    assert!(
        window.cosine(&invoice).value() < 0.4,
        "{}",
        window.cosine(&invoice).value()
    );
}

#[test]
fn the_same_wish_in_two_languages_lies_close_by_the_multilingual_model_z041_z085() {
    let (embedder, _) = opened(&within(&models()));
    let multilingual = embedder.multilingual().expect("there is one");
    assert_eq!(multilingual.model(), "use-m-v3-w8/512");
    let texts = [
        "A quiet room, please",
        "Bitte ein ruhiges Zimmer",
        "una habitación tranquila, por favor",
        "Die Rechnung geht an meine Firma",
    ];
    let found = vectors(multilingual, &texts).unwrap();
    let [english, german, spanish, invoice] = found.try_into().unwrap();
    assert_eq!(english.width(), 512);
    for twin in [&german, &spanish] {
        assert!(english.cosine(twin).value() > 0.6, "{}", english.cosine(twin).value());
    }
    assert!(english.cosine(&invoice).value() < 0.4);
}

#[test]
fn the_multilingual_model_is_read_when_it_is_needed_and_a_fault_costs_no_other_z084_z103() {
    let folder = models_again();
    let embedder = Encoder::open(&within(folder.path()), None).unwrap();
    let [_, multilingual] = shipped();
    fs::write(folder.path().join(multilingual).join(files::NETWORK), "torn").unwrap();
    for _ in 0..2 {
        let Err(EmbedFault::Model(said)) = vectors(embedder.multilingual().unwrap(), &["Zimmer", "Bad"]) else {
            panic!("a torn model was used");
        };
        assert!(said.contains("use-m-v3/model.onnx is not the file"), "{said}");
    }
    assert_eq!(vectors(&embedder, &["a room"]).unwrap().len(), 1);
}

#[test]
fn a_text_is_embedded_once_remembered_by_what_it_says_and_a_long_request_goes_in_pieces_z084() {
    let small = Models {
        embed_queue_max: 4,
        ..within(&models())
    };
    let (embedder, embedded) = opened(&small);
    let first = vectors(&embedder, &["Aisle seat", "aisle  SEAT ", "no nuts"]).unwrap();
    assert_eq!(first[0], first[1]);
    assert_ne!(first[0], first[2]);
    let second = vectors(&embedder, &["aisle seat", "No nuts"]).unwrap();
    assert_eq!(second, [first[0].clone(), first[2].clone()]);
    let texts: Vec<String> = (0..9).map(|number| format!("seat {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(vectors(&embedder, &texts).unwrap().len(), 9);
    drop(embedder);
    assert_eq!(embedded.load(Ordering::SeqCst), 11);
}

#[test]
fn a_probe_asks_the_model_itself_each_time_whatever_is_remembered_z084() {
    let (embedder, embedded) = opened(&within(&models()));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for _ in 0..2 {
        runtime.block_on(embedder.probe()).unwrap();
    }
    drop(embedder);
    assert_eq!(embedded.load(Ordering::SeqCst), 2);
}

#[test]
fn what_a_vector_tells_is_what_the_training_was_told_z165_z170() {
    let (embedder, _) = opened(&within(&models()));
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("training/agreement.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = page.lines().map(|line| line.splitn(4, '\t').collect()).collect();
    let chance = |score: f64| 1.0 / (1.0 + (-score).exp());
    type Told = fn(&Heads, &Vector) -> Option<f64>;
    let heads: [(&str, Told); 3] = [
        ("demand", |heads, vector| heads.demand.score(vector)),
        ("orders", |heads, vector| heads.orders.score(vector)),
        ("sensitive", |heads, vector| heads.sensitive.as_ref()?.score(vector)),
    ];
    let mut told = Vec::new();
    for embedder in [&embedder as &dyn Embedder, embedder.multilingual().unwrap()] {
        for (name, head) in heads {
            let rows = rows.iter().filter(|row| row[0] == embedder.model() && row[1] == name);
            let rows: Vec<&Vec<&str>> = rows.collect();
            let texts: Vec<&str> = rows.iter().map(|row| row[3]).collect();
            for (row, vector) in rows.iter().zip(vectors(embedder, &texts).unwrap()) {
                let here = head(embedder.heads().unwrap(), &vector).unwrap();
                let there = row[2].parse::<f64>().unwrap();
                assert!((chance(here) - chance(there)).abs() < 1e-3, "{row:?}: {here}");
            }
            told.push(rows.len());
        }
    }
    assert_eq!(told, [20, 20, 0, 20, 20, 20], "rows of each head of each model");
    assert_eq!(rows.len(), 100);
}

/// A copy of the models folder.
fn models_again() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for model in shipped() {
        copy(&models().join(&model), &folder.path().join(&model));
    }
    folder
}

/// A copy of a model's folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for name in files::ALL.into_iter().chain([files::SUMS]) {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

#[test]
fn the_shipped_models_are_all_that_is_in_their_sums_and_a_tampered_one_is_refused_by_name_z103() {
    let folder = models_again();
    for model in shipped() {
        let sums = fs::read_to_string(models().join(&model).join(files::SUMS)).unwrap();
        let named: Vec<&str> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
        assert_eq!(named, files::ALL);
        let network = folder.path().join(&model).join(files::NETWORK);
        let whole = fs::read(&network).unwrap();
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&network, bytes).unwrap();
        let Err(EmbedFault::Model(said)) = Encoder::open(&within(folder.path()), None) else {
            panic!("a tampered model was opened");
        };
        let file = format!("{model}/{}", files::NETWORK);
        assert!(
            said.contains(&file) && said.contains("restore the models folder"),
            "{said}"
        );
        fs::write(&network, whole).unwrap();
    }
}

#[test]
fn another_model_is_a_folder_and_a_setting_and_one_that_is_not_there_is_named_z103() {
    let folder = models_again();
    let [english, shipped] = shipped();
    let other = folder.path().join("other");
    copy(&folder.path().join(&shipped), &other);
    let mut sums = fs::read_to_string(other.join(files::SUMS)).unwrap();
    for (name, from, to) in [
        ("calibration.toml", "name = \"use-m-v3-w8\"", "name = \"other\""),
        ("calibration.toml", "link = 0.17", "link = 0.25"),
        (files::HEADS, "use-m-v3-w8/512", "other/512"),
    ] {
        let text = fs::read_to_string(other.join(name)).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        let sum = |text: &str| hexadecimal(&Sha256::digest(text.as_bytes()));
        let changed = text.replace(from, to);
        sums = sums.replace(&sum(&text), &sum(&changed));
        fs::write(other.join(name), changed).unwrap();
    }
    fs::write(other.join(files::SUMS), sums).unwrap();
    let named = |english: &str, multilingual: &str| Models {
        english: english.to_owned(),
        multilingual: multilingual.to_owned(),
        ..within(folder.path())
    };
    let embedder = Encoder::open(&named(&english, "other"), None).unwrap();
    let other = embedder.multilingual().unwrap();
    assert_eq!((other.model(), other.link()), ("other/512", 0.25));
    assert_eq!(vectors(other, &["ein ruhiges Zimmer"]).unwrap()[0].width(), 512);
    // A model of another width in the place of the one for English.
    let wide = Encoder::open(&named("other", &shipped), None).unwrap();
    assert_eq!(vectors(&wide, &["a quiet room"]).unwrap()[0].width(), 512);
    let Err(EmbedFault::Model(said)) = Encoder::open(&named(&english, "none"), None) else {
        panic!("a model that is not there was opened");
    };
    assert!(
        said.contains("none/SHA256SUMS cannot be read") && said.contains("models.multilingual"),
        "{said}"
    );
}

#[test]
fn a_library_that_is_not_onnx_runtime_is_said_in_a_process_of_its_own_z084() {
    const CHILD: &str = "EMBED_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let Err(EmbedFault::Model(said)) = Encoder::open(&within(&models()), None) else {
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

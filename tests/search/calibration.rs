//! How often a wish finds the scenario that answers it, and how often one that nothing answers finds any (Z-009, Z-015): the
//! weights of the measure and the floor are chosen by `wishes.tsv`, every second line of which was held out.
//!
//! `cargo test --test otherwise search::calibration -- --nocapture` prints the rates, and each wish that went wrong.

use std::path::Path;

use engine::namespace::search::ScenarioEmbedding;
use engine::namespace::search::ScenarioText;
use engine::namespace::search::Wish;
use engine::namespace::search::floor;
use otherwise::adapters::embed::Encoder;
use otherwise::app::ports::Embedder;
use otherwise::config::Settings;
use otherwise::config::service::Models;
use schema::effective::EffectiveTemplate;
use schema::template::SchemaTemplate;
use serde_json::Value;
use text::vector::Vector;

/// The shipped services, which stand beside the invented ones.
const SHIPPED: [&str; 4] = [
    include_str!("../../schemas/customer_support_v1.json"),
    include_str!("../../schemas/flight_booking_v1.json"),
    include_str!("../../schemas/hotel_booking_v1.json"),
    include_str!("../../schemas/photo_retouch_v2.json"),
];

/// What became of wishes.
#[derive(Clone, Copy, Debug, Default)]
struct Rates {
    /// Answered first by the scenario that was meant, by another one, by none.
    right: usize,
    wrong: usize,
    missed: usize,
    /// Of those that nothing answers: told so, and sent somewhere.
    refused: usize,
    misled: usize,
}

fn embedder() -> Encoder {
    let models = Models {
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/models").to_owned(),
        ..Models::default()
    };
    Encoder::open(&models, None).expect("the model")
}

fn vectors(embedder: &Encoder, texts: Vec<String>) -> Vec<Vector> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let one = |text: String| {
        runtime
            .block_on(embedder.embed(vec![text]))
            .expect("a vector")
            .remove(0)
    };
    texts.into_iter().map(one).collect()
}

/// The shipped services as documents, and all templates that are shipped: those of what agents know of each other's work too.
fn services() -> Vec<Value> {
    SHIPPED
        .iter()
        .map(|text| serde_json::from_str(text).expect("JSON"))
        .collect()
}

fn everything() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).expect("text"));
    texts.map(|text| serde_json::from_str(&text).expect("JSON")).collect()
}

/// Each hosted scenario with its embedding: the invented ones and these.
fn hosted(embedder: &Encoder, shipped: Vec<Value>) -> Vec<(String, ScenarioEmbedding)> {
    let invented: Vec<Value> = serde_json::from_str(include_str!("catalogue.json")).expect("JSON");
    invented
        .into_iter()
        .chain(shipped)
        .map(|document| {
            let (base, _) = SchemaTemplate::parse(&document).expect("a template");
            let text = ScenarioText::of(&EffectiveTemplate::compose(&base, &[], 1));
            let read = text.read(vectors(embedder, text.texts())).expect("as many vectors");
            (base.scenario_key().to_string(), read)
        })
        .collect()
}

/// What became of every second wish from the `first` on.
fn rates(embedder: &Encoder, hosted: &[(String, ScenarioEmbedding)], first: usize) -> Rates {
    let floor = floor(Settings::default().service.search_likeness_min, hosted.len());
    let lines = include_str!("wishes.tsv").lines().filter(|line| !line.starts_with('#'));
    let mut rates = Rates::default();
    for line in lines.skip(first).step_by(2) {
        let (text, meant) = line.split_once('\t').expect("a wish and a scenario");
        let vector = vectors(embedder, vec![text.to_owned()]).remove(0);
        let wish = Wish::new(text, vector);
        let likest = hosted
            .iter()
            .map(|(name, embedding)| (wish.likeness(embedding), name.as_str()));
        let (likeness, name) = likest
            .max_by(|(one, _), (other, _)| one.total_cmp(other))
            .expect("a scenario");
        let found = (likeness >= floor).then_some(name);
        let count = match (meant, found) {
            ("-", None) => &mut rates.refused,
            ("-", Some(_)) => &mut rates.misled,
            (meant, Some(found)) if found == meant => &mut rates.right,
            (_, Some(_)) => &mut rates.wrong,
            (_, None) => &mut rates.missed,
        };
        *count += 1;
        if found.unwrap_or("-") != meant {
            println!("{text:?} means {meant}, and found {found:?} ({name} {likeness:.3} of {floor:.3})");
        }
    }
    rates
}

#[test]
fn most_wishes_find_their_scenario_and_hardly_any_other_finds_one_z009_z015() {
    let embedder = embedder();
    for (what, shipped, right) in [("services", services(), 75), ("everything shipped", everything(), 70)] {
        let hosted = hosted(&embedder, shipped);
        for (which, first) in [("chosen by", 0), ("held out", 1)] {
            let rates = rates(&embedder, &hosted, first);
            println!("{what}, {which}: {rates:?}");
            let meant = rates.right + rates.wrong + rates.missed;
            let nothing = rates.refused + rates.misled;
            assert!(rates.right * 100 >= meant * right, "{what}, {which}: {rates:?}");
            assert!(rates.wrong * 100 <= meant * 5, "{what}, {which}: {rates:?}");
            assert!(rates.misled * 100 <= nothing * 15, "{what}, {which}: {rates:?}");
        }
    }
}

#[test]
fn what_examples_merely_mention_leads_no_wish_astray_z009_z015() {
    let embedder = embedder();
    let agents: Vec<Value> = everything()
        .into_iter()
        .filter(|document| {
            ["agent_context", "task_context"].contains(&document["scenario"].as_str().unwrap_or_default())
        })
        .collect();
    assert_eq!(agents.len(), 2, "whose examples speak of hotels and of journeys");
    let mut hosted = hosted(&embedder, agents);
    hosted.retain(|(name, _)| name.ends_with("_context"));
    let floor = floor(Settings::default().service.search_likeness_min, hosted.len());
    for line in include_str!("wishes.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (text, _) = line.split_once('\t').expect("a wish and a scenario");
        let wish = Wish::new(text, vectors(&embedder, vec![text.to_owned()]).remove(0));
        for (name, embedding) in &hosted {
            let likeness = wish.likeness(embedding);
            assert!(likeness < floor, "{text:?} leads to {name}: {likeness:.3}");
        }
    }
}

//! What is said of a scenario, and how like a wish it is.

use serde_json::json;

use super::*;
use schema::template::SchemaTemplate;

fn template(description: Option<&str>, keys: usize) -> EffectiveTemplate {
    let keys: Vec<_> = (0..keys)
        .map(|number| {
            json!({"key_name": format!("key_{number}"), "key_type": "string", "required": false,
                "semantic_description": "A thing. User says 'an ex' -> \"x\".", "constraints": {"enum": ["x", "big_y"]}})
        })
        .collect();
    let mut document = json!({"schema_id": "table_booking_v1", "scenario": "Table Booking", "keys": keys});
    if let Some(description) = description {
        document["description"] = json!(description);
    }
    let (base, _) = SchemaTemplate::parse(&document).expect("a template");
    EffectiveTemplate::compose(&base, &[], 1)
}

fn at(cosine: f64) -> Vector {
    Vector::quantise_wide(vec![cosine, (1.0 - cosine * cosine).sqrt()]).expect("a vector")
}

/// An embedding whose texts lie at these cosines to the wish (1, 0).
fn read(heads: &[f64], whole: f64, keys: &[f64]) -> ScenarioEmbedding {
    read_with(heads, whole, keys, &[])
}

/// The same with what users say.
fn read_with(heads: &[f64], whole: f64, keys: &[f64], said: &[f64]) -> ScenarioEmbedding {
    let text = ScenarioText {
        heads: vec!["table".to_owned(); heads.len()],
        whole: "table".to_owned(),
        keys: vec!["guests".to_owned(); keys.len()],
        said: vec!["a corner".to_owned(); said.len()],
        values: vec!["terrace".to_owned()],
    };
    let cosines = heads.iter().chain(std::iter::once(&whole)).chain(keys).chain(said);
    text.read(cosines.map(|&cosine| at(cosine)).collect())
        .expect("as many vectors")
}

fn likeness(wish: &str, scenario: &ScenarioEmbedding) -> f64 {
    Wish::new(wish, at(1.0)).likeness(scenario)
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-3
}

#[test]
fn a_text_holds_name_description_and_keys() {
    let text = ScenarioText::of(&template(Some("Reserve a table"), 2));
    assert_eq!(
        text.heads,
        ["table booking", "Reserve a table", "table booking: Reserve a table"]
    );
    assert_eq!(text.whole, "table booking. Reserve a table. key 0; key 1");
    // Examples are values, not what a key is.
    assert_eq!(text.keys, ["key 0: A thing", "key 1: A thing"]);
    assert_eq!(text.said, ["an ex"], "once, though both keys say it");
    assert_eq!(text.values, ["x", "big y", "x", "big y"]);
    assert_eq!(text.texts().len(), 7);
}

#[test]
fn a_template_without_description_and_keys_is_its_name() {
    let text = ScenarioText::of(&template(None, 0));
    assert_eq!(text.texts(), ["table booking", "table booking"]);
}

#[test]
fn keys_of_a_text_are_bounded() {
    assert_eq!(ScenarioText::of(&template(None, KEYS_MAX)).keys.len(), KEYS_MAX);
    assert_eq!(ScenarioText::of(&template(None, KEYS_MAX + 1)).keys.len(), KEYS_MAX);
}

#[test]
fn vectors_must_be_as_many_as_texts() {
    let text = ScenarioText::of(&template(None, 1));
    assert!(text.read(vec![at(1.0); 4]).is_some());
    assert!(text.read(vec![at(1.0); 3]).is_none());
    assert!(text.read(vec![at(1.0); 5]).is_none());
}

#[test]
fn likeness_is_one_for_the_same_and_zero_for_what_has_nothing_in_common() {
    assert!(near(likeness("table guests", &read(&[1.0], 1.0, &[1.0])), 1.0));
    assert!(near(likeness("weather", &read(&[-0.5], -0.1, &[0.0])), 0.0));
}

#[test]
fn the_best_head_and_the_three_best_keys_count() {
    let few = read(&[0.1, 0.6, 0.3], 0.4, &[0.5, 0.3, 0.4]);
    let many = read(&[0.6], 0.4, &[0.5, 0.3, 0.4, 0.1, 0.0, 0.2]);
    assert!(near(likeness("?", &few), likeness("?", &many)));
    assert!(near(likeness("?", &few), 0.55 * 0.6 + 0.22 * 0.4 + 0.1 * 0.4));
    assert_eq!(BEST_KEYS, 3);
}

#[test]
fn a_scenario_without_keys_is_judged_by_its_head() {
    assert!(near(likeness("?", &read(&[0.5], 0.5, &[])), 0.87 * 0.5));
}

#[test]
fn words_that_a_template_uses_help_by_their_share_of_the_wish() {
    let scenario = read(&[0.5], 0.5, &[0.5]);
    let without = likeness("some chairs", &scenario);
    // Tables are a table.
    assert!(near(likeness("some tables", &scenario) - without, 0.13));
    assert!(near(likeness("tables and chairs", &scenario) - without, 0.065));
    // Empty words say nothing.
    assert!(near(likeness("I would like to", &scenario), without));
    // A listed value is a word of it.
    assert!(near(likeness("a terrace", &scenario) - without, 0.13));
}

#[test]
fn the_nearest_of_what_users_say_counts_and_a_template_without_examples_is_judged_by_its_head() {
    let said = read_with(&[0.5], 0.5, &[0.5], &[0.2, 0.8, 0.1]);
    assert!(near(likeness("?", &said), 0.67 * 0.5 + 0.2 * 0.8));
    assert!(near(likeness("?", &read(&[0.5], 0.5, &[0.5])), 0.87 * 0.5));
}

#[test]
fn an_example_that_is_far_nearer_than_name_and_description_merely_mentions_what_is_wished_z009() {
    let mentioned = read_with(&[0.1], 0.2, &[0.1], &[0.9]);
    assert!(near(
        likeness("?", &mentioned),
        0.35 * 0.1 + 0.22 * 0.2 + 0.1 * 0.1 + 0.2 * 0.5
    ));
    let by_name = read_with(&[0.6], 0.2, &[0.1], &[0.9]);
    assert!(near(
        likeness("?", &by_name),
        0.35 * 0.6 + 0.22 * 0.2 + 0.1 * 0.1 + 0.2 * 0.9
    ));
}

#[test]
fn the_floor_rises_as_often_as_the_number_of_scenarios_doubles() {
    assert!(near(floor(0.2, 0), 0.2) && near(floor(0.2, 1), 0.2));
    assert!(near(floor(0.2, 2) - floor(0.2, 1), floor(0.2, 1_024) - floor(0.2, 512)));
    assert!(floor(0.2, 1_000) < 0.34);
}

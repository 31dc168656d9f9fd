//! What patches may do to a base, and how the outcome is served.

use serde_json::Value;
use serde_json::json;

use super::EffectiveTemplate;
use super::KeyChange;
use super::LayeredChange;
use super::Standing;
use crate::key::KeyDefinition;
use crate::name::KeyName;
use crate::name::PatchId;
use crate::name::ScenarioKey;
use crate::template::SchemaTemplate;

fn base() -> SchemaTemplate {
    let document = json!({"schema_id": "s_v1", "scenario": "s", "language": "en", "x_note": 1, "executor": {"url": "https://u.example/"},
        "policy": {}, "description": "All.", "keys": [
        {"key_name": "a", "key_type": "string", "required": true, "semantic_description": "A in English.",
            "semantic_descriptions": {"de": "A auf Deutsch.", "zh-Hant": "A 中文"}},
        {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "Rest."},
        {"key_name": "b", "key_type": "integer", "required": false, "semantic_description": "B in English."}]});
    SchemaTemplate::parse(&document).expect("a template").0
}

fn name(text: &str) -> KeyName {
    KeyName::parse(text).expect("a name")
}

fn patch(n: u64) -> PatchId {
    PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), n)
}

fn key_of(key: &str, constraints: &Value) -> KeyDefinition {
    let document = json!({"key_name": key, "key_type": "string", "required": true, "semantic_description": "K.",
        "constraints": constraints});
    serde_json::from_value(document).expect("a key")
}

fn refine(key: &str, words: &str, values: &[&str], closes: bool) -> KeyChange {
    KeyChange::Refine {
        key_name: name(key),
        semantic_description: words.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        closes,
    }
}

/// The base with changes by their number: a key is added, or one is refined by other words.
fn composed(layer: &[(u64, &str, Standing)]) -> EffectiveTemplate {
    let layer = layer.iter().map(|(n, key, standing)| {
        let change = match key.strip_prefix('~') {
            Some(key) => refine(key, &format!("{key} refined by {n}."), &[], false),
            None => KeyChange::Add(key_of(key, &json!({}))),
        };
        (*n, change, *standing)
    });
    laid(layer.collect())
}

fn laid(layer: Vec<(u64, KeyChange, Standing)>) -> EffectiveTemplate {
    let layer = layer.into_iter().map(|(n, change, standing)| LayeredChange {
        patch_id: patch(n),
        change,
        standing,
    });
    EffectiveTemplate::compose(&base(), &layer.collect::<Vec<_>>(), 17)
}

fn names(template: &EffectiveTemplate) -> Vec<&str> {
    template
        .keys
        .iter()
        .map(|key| key.definition.key_name.as_str())
        .collect()
}

#[test]
fn base_keys_stay_and_what_is_added_is_optional_z106_z107_z108_z125() {
    let template = composed(&[
        (1, "a", Standing::Stable),
        (2, "other", Standing::Experimental),
        (3, "c", Standing::Experimental),
        (4, "~nowhere", Standing::Stable),
        (5, "exchange", Standing::Stable),
    ]);
    assert_eq!(
        (names(&template), template.revision),
        (vec!["a", "other", "b", "c"], 17)
    );
    for (key, original) in template.keys.iter().zip(&base().keys) {
        assert_eq!((&key.definition, &key.patch), (original, &None));
    }
    assert!(!template.keys[3].definition.required);
}

#[test]
fn a_refinement_changes_the_wording_alone_z108_z114() {
    let template = composed(&[(1, "~a", Standing::Stable)]);
    let key = template.key(&name("a")).expect("the key");
    assert_eq!(key.refined_by, Some((patch(1), Standing::Stable)));
    let mut worded = base().keys[0].clone();
    worded.semantic_description = "a refined by 1.".to_owned();
    assert_eq!(key.definition, worded);
    let withdrawn = composed(&[(1, "~a", Standing::Withdrawn)]);
    assert_eq!(withdrawn.keys[0].definition, base().keys[0]);
}

#[test]
fn withdrawn_keys_are_kept_apart_and_revived_ones_advertised_z106_z150_z151() {
    let template = composed(&[
        (1, "c", Standing::Withdrawn),
        (2, "d", Standing::Withdrawn),
        (3, "d", Standing::Stable),
        (4, "d", Standing::Experimental),
    ]);
    assert_eq!(
        (names(&template), template.withdrawn.len()),
        (vec!["a", "other", "b", "d"], 1)
    );
    assert_eq!(template.keys[3].patch, Some((patch(3), Standing::Stable)));
    let keys = template.document(None, true)["keys"].to_string();
    assert!(!keys.contains("s.p1"), "a withdrawn key is not advertised");
}

#[test]
fn the_document_has_the_members_of_the_design_z016_z050_z055() {
    let template = composed(&[
        (1, "c", Standing::Experimental),
        (2, "d", Standing::Deprecated),
        (3, "e", Standing::Stable),
    ]);
    let document = template.document(None, true);
    let members: Vec<&String> = document.as_object().expect("an object").keys().collect();
    let expected = [
        "schema_id",
        "scenario",
        "version",
        "revision",
        "language",
        "description",
        "keys",
        "key_digests",
        "x_note",
    ];
    assert_eq!(members, expected, "what is between publisher and service is withheld");
    assert_eq!(json!([document["revision"], document["version"]]), json!([17, "1.0.0"]));
    assert_eq!(
        document["keys"][0],
        json!(base().keys[0]),
        "a base key is served as it was published"
    );
    let flags =
        (0..6).map(|n| ["experimental", "deprecated", "patch_id"].map(|flag| document["keys"][n][flag].clone()));
    let none = [json!(null), json!(null), json!(null)];
    let tried = [json!(true), json!(null), json!("s.p1")];
    let leaving = [json!(null), json!(true), json!("s.p2")];
    let stable = [json!(null), json!(null), json!("s.p3")];
    assert_eq!(
        flags.collect::<Vec<_>>(),
        [none.clone(), none.clone(), none, tried, leaving, stable]
    );
}

fn description(document: &Value, n: usize) -> &str {
    document["keys"][n]["semantic_description"].as_str().expect("text")
}

#[test]
fn languages_are_looked_up_and_a_fallback_is_said_z056_z114_z174() {
    let template = composed(&[]);
    for row in [
        json!(["de-AT", "de", "A auf Deutsch.", null]),
        json!(["zh-hant-TW", "zh-Hant", "A 中文", null]),
        json!(["en-US", "en", "A in English.", null]),
        json!(["fr", "en", "A in English.", {"requested": "fr", "served": "en"}]),
        json!(["not a tag", "en", "A in English.", {"requested": "not a tag", "served": "en"}]),
    ] {
        let document = template.document(row[0].as_str(), true);
        let key = &document["keys"][0];
        let told = json!([
            row[0],
            document["language"],
            key["semantic_description"],
            document["language_fallback"]
        ]);
        assert_eq!(told, row);
        assert_eq!(key.get("semantic_descriptions"), None, "one language was asked for");
        assert_eq!(
            description(&document, 2),
            "B in English.",
            "what has no translation is served as it is"
        );
    }
    let every = template.document(None, true);
    assert_eq!(every["keys"][0]["semantic_descriptions"]["de"], "A auf Deutsch.");
    let refined = composed(&[(1, "~a", Standing::Stable), (2, "~b", Standing::Stable)]);
    let german = refined.document(Some("de"), true);
    let told = |n: usize| json!([description(&german, n), german["keys"][n]["refined_by"]]);
    assert_eq!(
        [told(0), told(2)],
        [json!(["A auf Deutsch.", null]), json!(["b refined by 2.", "s.p2"])]
    );
}

#[test]
fn trials_are_left_out_on_request_z142() {
    let template = composed(&[
        (1, "c", Standing::Experimental),
        (2, "d", Standing::Stable),
        (3, "~a", Standing::Stable),
        (4, "~a", Standing::Experimental),
        (5, "~a", Standing::Experimental),
        (6, "~b", Standing::Experimental),
        (7, "~d", Standing::Experimental),
        (8, "~d", Standing::Stable),
    ]);
    let [settled, trying] = [false, true].map(|experimental| template.document(None, experimental));
    let words = |document: &Value, count: usize| {
        (0..count)
            .map(|n| description(document, n).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(&settled, 4),
        ["a refined by 3.", "Rest.", "B in English.", "d refined by 8."]
    );
    assert_eq!(
        words(&trying, 5),
        ["a refined by 5.", "Rest.", "b refined by 6.", "K.", "d refined by 8."]
    );
    let counts = [&settled, &trying].map(|document| document["keys"].as_array().map(Vec::len));
    assert_eq!(counts, [Some(4), Some(5)], "`c` is on trial");
    assert_eq!(
        (&settled["keys"][0]["refined_by"], settled["keys"][2].get("refined_by")),
        (&json!("s.p3"), None)
    );
}

#[test]
fn values_are_accepted_by_all_and_shown_as_their_refinement_stands_z106_z142_z151() {
    let seat = |constraints: Value, more: KeyChange, standing: Standing, experimental: bool| {
        let template = laid(vec![
            (1, KeyChange::Add(key_of("seat", &constraints)), Standing::Stable),
            (2, more, standing),
            (3, refine("seat", "Seat.", &["middle"], false), Standing::Stable),
        ]);
        let key = template.key(&name("seat")).expect("the key");
        let document = template.document(None, experimental);
        json!([
            key.definition.constraints["enum"],
            document["keys"][3]["constraints"]["enum"]
        ])
    };
    let (all, fewer) = (
        json!(["window", "aisle", "middle", "none"]),
        json!(["window", "middle", "none"]),
    );
    for (standing, experimental, is_shown) in [
        (Standing::Experimental, true, true),
        (Standing::Experimental, false, false),
        (Standing::Stable, false, true),
        (Standing::Deprecated, false, true),
        (Standing::Withdrawn, true, false),
    ] {
        let longer = refine("seat", "Seat.", &["aisle"], false);
        let told = seat(json!({"enum": ["window", "none"]}), longer, standing, experimental);
        assert_eq!(told, json!([all, if is_shown { &all } else { &fewer }]), "{standing:?}");
        // A first list is shown to all.
        if standing != Standing::Withdrawn {
            let first = refine("seat", "Seat.", &["window", "aisle"], true);
            assert_eq!(
                seat(json!({}), first, standing, experimental),
                json!([all, all]),
                "{standing:?}"
            );
        }
    }
    let own = laid(vec![(1, refine("a", "A.", &["window"], true), Standing::Stable)]);
    assert!(
        own.keys[0].definition.constraints.is_empty(),
        "a publisher's key stays open"
    );
}

#[test]
fn a_first_list_goes_with_its_refinement_whatever_was_added_to_it_z111() {
    let template = laid(vec![
        (1, KeyChange::Add(key_of("seat", &json!({}))), Standing::Stable),
        (
            2,
            refine("seat", "Seat.", &["window", "aisle"], true),
            Standing::Withdrawn,
        ),
        (3, refine("seat", "Seat.", &["middle"], false), Standing::Stable),
    ]);
    assert!(
        template
            .key(&name("seat"))
            .expect("the key")
            .definition
            .constraints
            .is_empty()
    );
}

#[test]
fn what_a_base_says_itself_is_not_added_to_it_z106_z107() {
    let lists = |list: Value| SchemaTemplate {
        keys: vec![key_of("seat", &json!({ "enum": list }))],
        ..base()
    };
    let own = lists(json!(["window", "aisle"]));
    let add = KeyChange::Add(key_of("seat", &json!({})));
    assert!(
        add.adds_to(&base()) && !add.adds_to(&own),
        "whatever its definition: the base wins"
    );
    for (words, values, adds) in [
        ("K.", &[][..], false),
        ("Where to sit.", &[], true),
        ("K.", &["aisle", "window"], false),
        ("K.", &["aisle", "middle"], true),
    ] {
        let refined = refine("seat", words, values, false);
        assert_eq!(refined.adds_to(&own), adds, "{words} {values:?}");
        assert!(refined.adds_to(&base()), "a key that another patch adds");
    }
}

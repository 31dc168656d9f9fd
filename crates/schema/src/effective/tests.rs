//! What patches may do to a base, and how the outcome is served.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::EffectiveTemplate;
use super::KeyChange;
use super::LayeredChange;
use super::Standing;
use crate::key::KeyDefinition;
use crate::key::KeyType;
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

fn added(n: u64, key: &str, standing: Standing) -> LayeredChange {
    let definition = KeyDefinition {
        key_name: name(key),
        key_type: KeyType::Boolean,
        required: true,
        default_value: None,
        semantic_description: format!("{key} of patch {n}."),
        semantic_descriptions: BTreeMap::new(),
        constraints: Map::new(),
        sensitive: None,
        unknown: Map::new(),
    };
    LayeredChange {
        patch_id: patch(n),
        change: KeyChange::Add(definition),
        standing,
    }
}

fn refined(n: u64, key: &str, standing: Standing) -> LayeredChange {
    LayeredChange {
        patch_id: patch(n),
        change: KeyChange::Refine {
            key_name: name(key),
            semantic_description: format!("{key} refined by {n}."),
            values: Vec::new(),
            closes: false,
        },
        standing,
    }
}

fn names(template: &EffectiveTemplate) -> Vec<&str> {
    template
        .keys
        .iter()
        .map(|key| key.definition.key_name.as_str())
        .collect()
}

#[test]
fn base_keys_stay_with_type_and_place_whatever_a_patch_says_z106_z107_z108() {
    let layer = [
        added(1, "a", Standing::Stable),
        added(2, "other", Standing::Experimental),
        added(3, "c", Standing::Experimental),
        refined(4, "nowhere", Standing::Stable),
        added(5, "exchange", Standing::Stable),
    ];
    let composed = EffectiveTemplate::compose(&base(), &layer, 9);
    assert_eq!(names(&composed), ["a", "other", "b", "c"]);
    for (key, original) in composed.keys.iter().zip(&base().keys) {
        assert_eq!(&key.definition, original);
        assert_eq!(key.patch, None);
    }
    assert_eq!(composed.revision, 9);
}

#[test]
fn added_keys_are_optional_z125() {
    let composed = EffectiveTemplate::compose(&base(), &[added(1, "c", Standing::Stable)], 1);
    assert!(!composed.key(&name("c")).expect("the key").definition.required);
}

#[test]
fn a_refinement_changes_the_wording_alone_z108_z114() {
    let composed = EffectiveTemplate::compose(&base(), &[refined(1, "a", Standing::Stable)], 1);
    let key = composed.key(&name("a")).expect("the key");
    assert_eq!(key.definition.semantic_description, "a refined by 1.");
    assert_eq!(key.refined_by, Some((patch(1), Standing::Stable)));
    let mut restored = key.definition.clone();
    restored.semantic_description = "A in English.".to_owned();
    assert_eq!(restored, base().keys[0]);
    let withdrawn = EffectiveTemplate::compose(&base(), &[refined(1, "a", Standing::Withdrawn)], 1);
    assert_eq!(withdrawn.keys[0].definition, base().keys[0]);
}

#[test]
fn withdrawn_keys_are_kept_apart_and_revived_ones_advertised_z150_z151() {
    let layer = [
        added(1, "c", Standing::Withdrawn),
        added(2, "d", Standing::Withdrawn),
        added(3, "d", Standing::Stable),
    ];
    let composed = EffectiveTemplate::compose(&base(), &layer, 1);
    assert_eq!(names(&composed), ["a", "other", "b", "d"]);
    assert_eq!(composed.withdrawn.len(), 1);
    assert_eq!(composed.keys[3].patch, Some((patch(3), Standing::Stable)));
    let document = composed.document(None, true);
    assert!(
        !document.to_string().contains("patch 1"),
        "a withdrawn key is not advertised"
    );
}

#[test]
fn the_document_has_the_members_of_the_design_z016_z050_z055() {
    let layer = [
        added(1, "c", Standing::Experimental),
        added(2, "d", Standing::Deprecated),
        added(3, "e", Standing::Stable),
    ];
    let document = EffectiveTemplate::compose(&base(), &layer, 17).document(None, true);
    let members: Vec<&str> = document
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
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
    assert_eq!(
        (&document["revision"], &document["version"]),
        (&json!(17), &json!("1.0.0"))
    );
    let keys = document["keys"].as_array().expect("keys");
    let served = serde_json::to_value(&base().keys[0]).expect("JSON");
    assert_eq!(keys[0], served, "a base key is served as it was published");
    let flags = |n: usize| {
        (
            keys[n].get("experimental"),
            keys[n].get("deprecated"),
            keys[n].get("patch_id"),
        )
    };
    let (yes, p) = (json!(true), [json!("s.p1"), json!("s.p2"), json!("s.p3")]);
    assert_eq!(flags(3), (Some(&yes), None, Some(&p[0])));
    assert_eq!(flags(4), (None, Some(&yes), Some(&p[1])));
    assert_eq!(flags(5), (None, None, Some(&p[2])));
    assert_eq!(flags(0), (None, None, None));
}

fn description(document: &Value, n: usize) -> &str {
    document["keys"][n]["semantic_description"].as_str().expect("text")
}

#[test]
fn languages_are_looked_up_and_a_fallback_is_said_z174_z056() {
    let composed = EffectiveTemplate::compose(&base(), &[], 1);
    let german = composed.document(Some("de-AT"), true);
    assert_eq!(german["language"], "de");
    assert_eq!(description(&german, 0), "A auf Deutsch.");
    assert_eq!(
        description(&german, 2),
        "B in English.",
        "what has no translation is served as it is"
    );
    assert_eq!(german.get("language_fallback"), None);
    assert_eq!(
        german["keys"][0].get("semantic_descriptions"),
        None,
        "one language was asked for"
    );
    let chinese = composed.document(Some("zh-hant-TW"), true);
    assert_eq!(
        (&chinese["language"], description(&chinese, 0)),
        (&json!("zh-Hant"), "A 中文")
    );
    let american = composed.document(Some("en-US"), true);
    assert_eq!(
        (&american["language"], american.get("language_fallback")),
        (&json!("en"), None)
    );
    assert_eq!(description(&american, 0), "A in English.");
    for unknown in ["fr", "not a tag"] {
        let fallback = composed.document(Some(unknown), true);
        assert_eq!(fallback["language"], "en");
        assert_eq!(
            fallback["language_fallback"],
            json!({"requested": unknown, "served": "en"})
        );
        assert_eq!(description(&fallback, 0), "A in English.");
    }
    let every = composed.document(None, true);
    assert_eq!(every["keys"][0]["semantic_descriptions"]["de"], "A auf Deutsch.");
    assert_eq!(every.get("language_fallback"), None);
}

#[test]
fn a_refined_wording_is_served_where_no_translation_is_z114_z056() {
    let layer = [refined(1, "a", Standing::Stable), refined(2, "b", Standing::Stable)];
    let german = EffectiveTemplate::compose(&base(), &layer, 1).document(Some("de"), true);
    assert_eq!(description(&german, 0), "A auf Deutsch.");
    assert_eq!(german["keys"][0].get("refined_by"), None);
    assert_eq!(description(&german, 2), "b refined by 2.");
    assert_eq!(german["keys"][2]["refined_by"], "s.p2");
}

#[test]
fn trials_are_left_out_on_request_z142() {
    let layer = [
        added(1, "c", Standing::Experimental),
        added(2, "d", Standing::Stable),
        refined(3, "a", Standing::Stable),
        refined(4, "a", Standing::Experimental),
        refined(5, "a", Standing::Experimental),
        refined(6, "b", Standing::Experimental),
        refined(7, "d", Standing::Experimental),
        refined(8, "d", Standing::Stable),
    ];
    let composed = EffectiveTemplate::compose(&base(), &layer, 1);
    let settled = composed.document(None, false);
    let wordings: Vec<&str> = (0..4).map(|n| description(&settled, n)).collect();
    assert_eq!(
        wordings,
        ["a refined by 3.", "Rest.", "B in English.", "d refined by 8."]
    );
    assert_eq!(settled["keys"].as_array().map(Vec::len), Some(4), "`c` is on trial");
    assert_eq!(settled["keys"][0]["refined_by"], "s.p3");
    assert_eq!(settled["keys"][2].get("refined_by"), None);
    let trying = composed.document(None, true);
    assert_eq!(description(&trying, 0), "a refined by 5.");
    assert_eq!(description(&trying, 2), "b refined by 6.");
    assert_eq!(trying["keys"].as_array().map(Vec::len), Some(5));
}

#[test]
fn values_are_accepted_by_all_and_shown_as_their_refinement_stands_z106_z142_z151() {
    let listed = key_of("seat", &json!({"enum": ["window", "none"]}));
    let wider = |standing: Standing| LayeredChange {
        patch_id: patch(3),
        change: KeyChange::Refine {
            key_name: name("seat"),
            semantic_description: "Seat.".to_owned(),
            values: vec!["aisle".to_owned()],
            closes: false,
        },
        standing,
    };
    let shown = |standing: Standing, experimental: bool| {
        let add = LayeredChange {
            patch_id: patch(1),
            change: KeyChange::Add(listed.clone()),
            standing: Standing::Stable,
        };
        let template = EffectiveTemplate::compose(&base(), &[add, wider(standing)], 1);
        let own = &template.key(&name("seat")).expect("the key").definition.constraints["enum"];
        assert_eq!(own, &json!(["window", "aisle", "none"]), "accepted, whatever is shown");
        let document = template.document(None, experimental);
        let keys = document["keys"].as_array().expect("keys");
        let key = keys
            .iter()
            .find(|key| key["key_name"] == "seat")
            .expect("the key")
            .clone();
        key["constraints"]["enum"].as_array().expect("a list").len() == 3
    };
    assert!(shown(Standing::Experimental, true) && !shown(Standing::Experimental, false));
    assert!(shown(Standing::Stable, false) && shown(Standing::Deprecated, false));
    assert!(!shown(Standing::Withdrawn, true));
}

#[test]
fn a_first_list_is_shown_to_all_and_goes_with_its_refinement_z106_z111_z142_z151() {
    let refine = |key: &str, n: u64, values: &[&str], closes: bool, standing: Standing| LayeredChange {
        patch_id: patch(n),
        change: KeyChange::Refine {
            key_name: name(key),
            semantic_description: "Seat.".to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            closes,
        },
        standing,
    };
    let lists = |standing: Standing, experimental: bool| {
        let add = LayeredChange {
            patch_id: patch(1),
            change: KeyChange::Add(key_of("seat", &json!({}))),
            standing: Standing::Stable,
        };
        let first = refine("seat", 2, &["window", "aisle"], true, standing);
        let more = refine("seat", 3, &["middle"], false, Standing::Stable);
        let template = EffectiveTemplate::compose(&base(), &[add, first, more], 1);
        let accepted = template
            .key(&name("seat"))
            .expect("the key")
            .definition
            .constraints
            .get("enum")
            .cloned();
        let document = template.document(None, experimental);
        let keys = document["keys"].as_array().expect("keys");
        let key = keys.iter().find(|key| key["key_name"] == "seat").expect("the key");
        assert_eq!(
            key["constraints"].get("enum"),
            accepted.as_ref(),
            "what is accepted is shown"
        );
        accepted
    };
    let list = Some(json!(["window", "aisle", "middle", "none"]));
    assert_eq!(lists(Standing::Experimental, true), list);
    assert_eq!(lists(Standing::Experimental, false), list);
    assert_eq!(lists(Standing::Deprecated, true), list);
    assert_eq!(
        lists(Standing::Withdrawn, true),
        None,
        "open again, whatever was added to the list"
    );
    let own = EffectiveTemplate::compose(&base(), &[refine("a", 1, &["window"], true, Standing::Stable)], 1);
    assert!(
        own.keys[0].definition.constraints.is_empty(),
        "a publisher's key stays open"
    );
}

fn key_of(key: &str, constraints: &Value) -> KeyDefinition {
    let document = json!({"key_name": key, "key_type": "string", "required": false, "semantic_description": "K.",
        "constraints": constraints});
    serde_json::from_value(document).expect("a key")
}

#[test]
fn what_a_base_says_itself_is_not_added_to_it_z106_z107() {
    let lists = |list: &Value| {
        let keys = vec![key_of("seat", &json!({"enum": list}))];
        SchemaTemplate { keys, ..base() }
    };
    let key = key_of("seat", &json!({}));
    let add = KeyChange::Add(key.clone());
    assert!(add.adds_to(&base()));
    assert!(
        !add.adds_to(&lists(&json!(["window"]))),
        "whatever its definition: the base wins"
    );
    let refine = |description: &str, values: &[&str]| KeyChange::Refine {
        key_name: name("seat"),
        semantic_description: description.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        closes: false,
    };
    let own = key.semantic_description.as_str();
    assert!(refine(own, &[]).adds_to(&base()), "a key that another patch adds");
    let base = lists(&json!(["window", "aisle"]));
    assert!(!refine(own, &[]).adds_to(&base));
    assert!(refine("Where to sit.", &[]).adds_to(&base));
    assert!(!refine(own, &["aisle", "window"]).adds_to(&base));
    assert!(refine(own, &["aisle", "middle"]).adds_to(&base));
}

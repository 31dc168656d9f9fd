//! Templates of two moments, and what lies between them.

use serde_json::Value;
use serde_json::json;

use super::CHANGES_MAX;
use super::Missed;
use super::Staleness;
use crate::effective::EffectiveTemplate;
use crate::effective::KeyChange;
use crate::effective::LayeredChange;
use crate::effective::Standing;
use crate::key::KeyDefinition;
use crate::name::KeyName;
use crate::name::PatchId;
use crate::name::ScenarioKey;
use crate::template::SchemaTemplate;

fn base(change: impl FnOnce(&mut Value)) -> SchemaTemplate {
    let mut document = json!({"schema_id": "trip_v1", "scenario": "trip", "executor": {"url": "https://a.example"}, "keys": [
        {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Where from."},
        {"key_name": "class", "key_type": "string", "required": false, "semantic_description": "Class of the seat.",
         "constraints": {"enum": ["a", "b"]}},
    ]});
    change(&mut document);
    SchemaTemplate::parse(&document).expect("a template").0
}

fn patch(n: u64, change: KeyChange, standing: Standing) -> LayeredChange {
    LayeredChange {
        patch_id: PatchId::numbered(&ScenarioKey::normalised("trip"), n),
        change,
        standing,
    }
}

fn meal() -> KeyChange {
    let key: KeyDefinition = serde_json::from_value(json!({
        "key_name": "meal", "key_type": "string", "required": false, "semantic_description": "A meal on board.",
    }))
    .expect("a key");
    KeyChange::Add(key)
}

fn reworded() -> KeyChange {
    KeyChange::Refine {
        key_name: KeyName::parse("origin").expect("a name"),
        semantic_description: "Where the trip begins.".to_owned(),
        values: Vec::new(),
        closes: false,
    }
}

fn composed(base: &SchemaTemplate, layer: &[LayeredChange]) -> EffectiveTemplate {
    EffectiveTemplate::compose(base, layer, 1)
}

fn classes(held: &EffectiveTemplate, now: &EffectiveTemplate) -> Staleness {
    Missed::between(held, now).class
}

#[test]
fn each_change_has_the_class_of_what_it_asks_of_who_holds_the_older_template_z120() {
    let plain = base(|_| {});
    let held = composed(&plain, &[]);
    let tried = composed(&plain, &[patch(1, meal(), Standing::Experimental)]);
    let stable = composed(&plain, &[patch(1, meal(), Standing::Stable)]);
    let leaving = composed(&plain, &[patch(1, meal(), Standing::Deprecated)]);
    let gone = composed(&plain, &[patch(1, meal(), Standing::Withdrawn)]);
    let worded = composed(&plain, &[patch(2, reworded(), Standing::Stable)]);
    for (held, now, class) in [
        (&held, &held, Staleness::None),
        (&tried, &stable, Staleness::None),
        (&held, &worded, Staleness::Wording),
        (&stable, &leaving, Staleness::Wording),
        (&leaving, &leaving, Staleness::None),
        (&held, &stable, Staleness::Additive),
        (&stable, &gone, Staleness::MayBreak),
        (&held, &gone, Staleness::None),
    ] {
        assert_eq!(classes(held, now), class);
    }
}

#[test]
fn a_new_base_is_compared_in_the_direction_of_the_older_payloads() {
    let held = composed(&base(|_| {}), &[]);
    let against = |change: fn(&mut Value)| classes(&held, &composed(&base(change), &[]));
    assert_eq!(
        against(|document| document["keys"][1]["constraints"]["enum"] = json!(["a", "b", "c"])),
        Staleness::Additive,
        "the older template refuses c, and nobody asks it"
    );
    assert_eq!(
        against(|document| document["keys"][1]["constraints"]["enum"] = json!(["a"])),
        Staleness::Breaking
    );
    assert_eq!(
        against(|document| document["keys"][1]["required"] = json!(true)),
        Staleness::Breaking
    );
    assert_eq!(
        against(|document| document["executor"] = json!({"url": "https://b.example"})),
        Staleness::None,
        "where it is executed is no concern of clients"
    );
}

#[test]
fn what_is_told_is_bounded_and_the_class_speaks_for_all() {
    let held = composed(&base(|_| {}), &[]);
    let with = |keys: usize| {
        composed(
            &base(|document| {
                let list = document["keys"].as_array_mut().expect("keys");
                list.extend((0..keys).map(|n| {
                    json!({"key_name": format!("k{n}"), "key_type": "string", "required": false,
                           "semantic_description": "One more."})
                }));
            }),
            &[],
        )
    };
    let all = Missed::between(&held, &with(CHANGES_MAX)).document();
    assert_eq!(all["changes"].as_array().map(Vec::len), Some(CHANGES_MAX));
    assert_eq!(all.get("more"), None);
    let more = Missed::between(&held, &with(CHANGES_MAX + 1)).document();
    assert_eq!(more["more"], 1);
    assert_eq!(more["class"], "additive");
    assert_eq!(
        more["changes"][0],
        json!({"kind": "key_added", "key_name": "k0", "class": "additive"})
    );
}

//! Templates of two moments, and what lies between them.

use serde_json::Value;
use serde_json::json;

use super::CHANGES_MAX;
use super::Missed;
use crate::difference::change::Class;
use crate::effective::EffectiveTemplate;
use crate::effective::KeyChange;
use crate::effective::LayeredChange;
use crate::effective::Standing;
use crate::name::PatchId;
use crate::name::ScenarioKey;
use crate::template::SchemaTemplate;

/// A template with what a merge patch changes of it, and one change of the patch layer.
fn composed(more: &Value, layer: Option<(Value, Standing)>) -> EffectiveTemplate {
    let mut document = json!({"schema_id": "trip_v1", "scenario": "trip", "executor": {"url": "https://a.example"}, "keys": [
        {"key_name": "class", "key_type": "string", "required": false, "semantic_description": "Class of the seat.",
         "constraints": {"enum": ["a", "b"]}},
    ]});
    for (member, at) in [("class", "/keys/0"), ("executor", "/executor")] {
        if let (Some(more), Some(held)) = (more.get(member), document.pointer_mut(at)) {
            json_patch::merge(held, more);
        }
    }
    let keys = document["keys"].as_array_mut().expect("keys");
    keys.extend(more["keys"].as_array().into_iter().flatten().cloned());
    let base = SchemaTemplate::parse(&document).expect("a template").0;
    let change = layer.map(|(change, standing)| LayeredChange {
        patch_id: PatchId::numbered(&ScenarioKey::normalised("trip"), 1),
        change: serde_json::from_value::<KeyChange>(change).expect("a change"),
        standing,
    });
    EffectiveTemplate::compose(&base, &Vec::from_iter(change), 1)
}

#[test]
fn each_change_has_the_class_of_what_it_asks_of_who_holds_the_older_template_z120() {
    let meal = json!({"add": {"key_name": "meal", "key_type": "string", "required": false, "semantic_description": "A meal."}});
    let words = json!({"refine": {"key_name": "class", "semantic_description": "Where the seat is."}});
    let with = |standing| composed(&json!({}), Some((meal.clone(), standing)));
    let held = composed(&json!({}), None);
    let [tried, stable] = [Standing::Experimental, Standing::Stable].map(with);
    let [leaving, gone] = [Standing::Deprecated, Standing::Withdrawn].map(with);
    let worded = composed(&json!({}), Some((words, Standing::Stable)));
    let changed = |class: Value| composed(&json!({ "class": class }), None);
    let executed = composed(&json!({"executor": {"url": "https://b.example"}}), None);
    for (held, now, class) in [
        (&held, &held, Class::None),
        (&tried, &stable, Class::None),
        (&held, &worded, Class::Wording),
        (&stable, &leaving, Class::Wording),
        (&leaving, &leaving, Class::None),
        (&held, &stable, Class::Additive),
        (&stable, &gone, Class::MayBreak),
        (&held, &gone, Class::None),
        // The older template refuses c, and nobody asks it.
        (
            &held,
            &changed(json!({"constraints": {"enum": ["a", "b", "c"]}})),
            Class::Additive,
        ),
        (
            &held,
            &changed(json!({"constraints": {"enum": ["a"]}})),
            Class::Breaking,
        ),
        (&held, &changed(json!({"required": true})), Class::Breaking),
        // Where it is executed is no concern of clients.
        (&held, &executed, Class::None),
    ] {
        assert_eq!(Missed::between(held, now, 1).class, class);
    }
}

#[test]
fn what_is_told_is_bounded_and_the_class_speaks_for_all() {
    let held = composed(&json!({}), None);
    for (count, more) in [(CHANGES_MAX, Value::Null), (CHANGES_MAX + 1, json!(1))] {
        let key = |n: usize| json!({"key_name": format!("k{n}"), "key_type": "string", "required": false, "semantic_description": "One more."});
        let keys: Vec<Value> = (0..count).map(key).collect();
        let told = json!(Missed::between(&held, &composed(&json!({ "keys": keys }), None), 1));
        assert_eq!(told["changes"].as_array().map(Vec::len), Some(CHANGES_MAX));
        assert_eq!((&told["more"], &told["class"]), (&more, &json!("additive")));
        assert_eq!(
            told["changes"][0],
            json!({"kind": "key_added", "key_name": "k0", "class": "additive"})
        );
    }
}

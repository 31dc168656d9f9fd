//! The rules of OpenAI's strict mode, as they are published, over any schema.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;

use crate::effective::EffectiveTemplate;
use crate::export::Form;
use crate::export::loss::Effect;
use crate::export::strict::CHARACTERS_MAX;
use crate::export::strict::LEVELS_MAX;
use crate::export::strict::LONG_LIST;
use crate::export::strict::LONG_LIST_CHARACTERS_MAX;
use crate::export::strict::PROPERTIES_MAX;
use crate::export::strict::VALUES_MAX;
use crate::template::SchemaTemplate;

const KEYWORDS: [&str; 8] = [
    "type",
    "enum",
    "anyOf",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "description",
];

#[derive(Default)]
struct Counted {
    properties: usize,
    values: usize,
    characters: usize,
}

/// What is published: properties, levels, values and characters of one schema, of how many values a list is a long one, and the
/// characters of such.
const PUBLISHED: [usize; 6] = [5_000, 10, 1_000, 120_000, 250, 15_000];

#[test]
fn the_limits_are_those_that_are_published() {
    let kept = [
        PROPERTIES_MAX,
        LEVELS_MAX,
        VALUES_MAX,
        CHARACTERS_MAX,
        LONG_LIST,
        LONG_LIST_CHARACTERS_MAX,
    ];
    assert_eq!(kept, PUBLISHED);
}

/// The first rule that a schema breaks.
pub fn check(schema: &Value) -> Result<(), String> {
    if schema["type"] != "object" || schema.get("anyOf").is_some() {
        return Err("the root is an object and no anyOf".to_owned());
    }
    let mut counted = Counted::default();
    walk(schema, 1, &mut counted)?;
    let Counted {
        properties,
        values,
        characters,
    } = counted;
    if properties > PROPERTIES_MAX || values > VALUES_MAX || characters > CHARACTERS_MAX {
        return Err(format!(
            "{properties} properties, {values} values, {characters} characters"
        ));
    }
    Ok(())
}

fn walk(schema: &Value, level: usize, counted: &mut Counted) -> Result<(), String> {
    let members = schema.as_object().ok_or("a schema is an object")?;
    if let Some(stray) = members.keys().find(|name| !KEYWORDS.contains(&name.as_str())) {
        return Err(format!("{stray} is not supported"));
    }
    if !members.contains_key("type") && !members.contains_key("anyOf") {
        return Err(format!("nothing says its type: {schema}"));
    }
    let types: Vec<&Value> = match &schema["type"] {
        Value::Array(types) => types.iter().collect(),
        one => vec![one],
    };
    if types.iter().any(|name| **name == "object") {
        if level > LEVELS_MAX {
            return Err(format!("{level} levels"));
        }
        let properties = schema["properties"]
            .as_object()
            .ok_or("an object says its properties")?;
        let names: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
        let required = schema["required"].as_array().ok_or("an object says what is required")?;
        let required: BTreeSet<&str> = required.iter().filter_map(Value::as_str).collect();
        if names != required {
            return Err(format!("{names:?} are not all required: {required:?}"));
        }
        if schema["additionalProperties"] != json!(false) {
            return Err("additionalProperties is not false".to_owned());
        }
        counted.properties += names.len();
        counted.characters += names.iter().map(|name| name.chars().count()).sum::<usize>();
        for member in properties.values() {
            walk(member, level + 1, counted)?;
        }
    }
    if types.iter().any(|name| **name == "array") {
        walk(
            schema.get("items").ok_or("an array says its items")?,
            level + 1,
            counted,
        )?;
    }
    for way in schema["anyOf"].as_array().into_iter().flatten() {
        walk(way, level, counted)?;
    }
    if let Some(values) = schema["enum"].as_array() {
        let characters: usize = values
            .iter()
            .filter_map(Value::as_str)
            .map(|text| text.chars().count())
            .sum();
        if values.len() > LONG_LIST && characters > LONG_LIST_CHARACTERS_MAX {
            return Err(format!("a list of {} values has {characters} characters", values.len()));
        }
        counted.values += values.len();
        counted.characters += characters;
    }
    Ok(())
}

fn exported(keys: &[Value]) -> (Value, Vec<(String, &'static str, Effect)>) {
    let document = json!({"schema_id": "a_v1", "scenario": "a", "keys": keys});
    let template = SchemaTemplate::parse(&document).expect("a template").0;
    let export = EffectiveTemplate::compose(&template, &[], 0).export(Form::JsonSchemaStrict, None, true);
    let lost = export
        .lost
        .into_iter()
        .map(|loss| (loss.key_name, loss.keyword, loss.effect))
        .collect();
    (serde_json::from_str(&export.text).expect("JSON"), lost)
}

fn listed(name: &str, values: usize, characters: usize) -> Value {
    let list: Vec<String> = (0..values).map(|n| format!("{n:0>characters$}")).collect();
    json!({"key_name": name, "key_type": "string", "required": true, "semantic_description": "Text.",
        "constraints": {"enum": list}})
}

#[test]
fn lists_hold_the_limit_at_its_edge_and_what_is_over_it_is_said() {
    let unenforced = |name: &str| vec![(name.to_owned(), "enum", Effect::Unenforced)];
    let (schema, lost) = exported(&[listed("a", VALUES_MAX - 1, 5)]);
    assert_eq!((check(&schema), lost), (Ok(()), Vec::new()));
    let (schema, lost) = exported(&[listed("a", VALUES_MAX, 5)]);
    assert_eq!((check(&schema), lost), (Ok(()), unenforced("a")));
    let said = schema["properties"]["a"]["description"].as_str().expect("a text");
    assert!(
        said.contains("One of \"00000\", \"00001\"") && said.ends_with("and 900 more."),
        "{said}"
    );
    // What one list took is missing to the next.
    let (schema, lost) = exported(&[listed("a", 600, 5), listed("b", 600, 5)]);
    assert_eq!((check(&schema), lost), (Ok(()), unenforced("b")));
    // Long lists have fewer characters.
    let (schema, lost) = exported(&[listed("a", 300, 50)]);
    assert_eq!((check(&schema), lost), (Ok(()), Vec::new()));
    let (schema, lost) = exported(&[listed("a", 300, 51)]);
    assert_eq!((check(&schema), lost), (Ok(()), unenforced("a")));
}

#[test]
fn properties_hold_the_limit_and_every_key_keeps_its_place() {
    let members: serde_json::Map<String, Value> = (0..128)
        .map(|n| (format!("m{n}"), json!({"type": "boolean"})))
        .collect();
    let names: Vec<&String> = members.keys().collect();
    let key = |n: usize| {
        json!({"key_name": format!("k{n}"), "key_type": "object", "required": true, "semantic_description": "Box.",
            "constraints": {"properties": members, "required": names, "additionalProperties": false}})
    };
    let keys: Vec<Value> = (0..40).map(key).collect();
    let (schema, lost) = exported(&keys);
    assert_eq!(check(&schema), Ok(()));
    let (first, _, _) = lost.first().expect("a loss");
    // 5,000 less 41 keys hold 38 boxes of 128 members.
    assert_eq!(first, "k38");
    // Two that nobody could fill are left out.
    assert_eq!(schema["properties"].as_object().map(serde_json::Map::len), Some(39));
    assert!(lost.contains(&("k39".to_owned(), "required", Effect::Unenforced)));
}

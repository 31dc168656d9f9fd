//! Schemas that nobody wrote, and payloads that are made of a schema: right ones mostly, and strays.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::sample::subsequence;
use proptest::test_runner::TestRng;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::format;
use crate::json_schema::Schema;
use crate::key::KeyType;
use crate::witness::samples;

/// Levels of a made payload.
const LEVELS_MAX: usize = 6;

fn chosen<'a, T>(all: &'a [T], random: &mut TestRng) -> Option<&'a T> {
    (!all.is_empty()).then(|| &all[random.next_u32() as usize % all.len()])
}

fn one_in(n: u32, random: &mut TestRng) -> bool {
    random.next_u32().is_multiple_of(n)
}

/// A payload of a schema.
pub fn instance(schema: &Value, root: &Value, level: usize, random: &mut TestRng) -> Value {
    let strays = [
        json!("x"),
        json!(""),
        json!(3),
        json!(-0.5),
        json!(true),
        json!(null),
        json!([]),
        json!(["x", 1]),
        json!({}),
        json!({"a": "x"}),
    ];
    let stray = |random: &mut TestRng| chosen(&strays, random).cloned().unwrap_or_default();
    let Value::Object(members) = schema else {
        return stray(random);
    };
    if level > LEVELS_MAX || (level > 0 && one_in(12, random)) {
        return stray(random);
    }
    if let Some(target) = members
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| root.pointer(reference.trim_start_matches('#')))
    {
        return instance(target, root, level + 1, random);
    }
    let each = |keyword: &str| {
        members
            .get(keyword)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let alternatives = [each("anyOf"), each("oneOf")].concat();
    let mut made = match chosen(&alternatives, random) {
        Some(alternative) => instance(alternative, root, level + 1, random),
        None => of_type(members, root, level, random).unwrap_or_else(|| stray(random)),
    };
    for part in each("allOf") {
        match (&mut made, instance(&part, root, level + 1, random)) {
            (Value::Object(made), Value::Object(more)) => made.extend(more),
            (made, more) => *made = more,
        }
    }
    if !alternatives.is_empty()
        && let (Value::Object(made), Some(Value::Object(more))) = (&mut made, of_type(members, root, level, random))
    {
        made.extend(more);
    }
    made
}

fn of_type(members: &Schema, root: &Value, level: usize, random: &mut TestRng) -> Option<Value> {
    if let Some(constant) = members.get("const") {
        return Some(constant.clone());
    }
    if let Some(Value::Array(listed)) = members.get("enum") {
        return chosen(listed, random).cloned();
    }
    let types: Vec<&str> = match members.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if members.contains_key("properties") => vec!["object"],
        _ if members.contains_key("items") => vec!["array"],
        _ => return None,
    };
    let kind = KeyType::parse(chosen(&types, random)?)?;
    Some(match kind {
        KeyType::Object => {
            let mut made = Map::new();
            let required: Vec<&str> = members
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            for (name, schema) in members
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                let wanted = if required.contains(&name.as_str()) {
                    !one_in(15, random)
                } else {
                    one_in(2, random)
                };
                if wanted {
                    made.insert(name.clone(), instance(schema, root, level + 1, random));
                }
            }
            if one_in(8, random) {
                made.insert("zz".to_owned(), json!(1));
            }
            Value::Object(made)
        }
        KeyType::Array => {
            let each = members
                .get("items")
                .or_else(|| members.get("prefixItems")?.get(0))
                .cloned()
                .unwrap_or_default();
            (0..random.next_u32() % 4)
                .map(|_| instance(&each, root, level + 1, random))
                .collect()
        }
        kind => {
            let mut plain = Map::from_iter([("type".to_owned(), json!(kind.name()))]);
            plain.extend(
                members
                    .iter()
                    .filter(|(name, _)| name.as_str() != "type")
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
            let right = samples(&plain, &Map::new(), &crate::budget::Budget::default());
            chosen(&right, random).cloned()?
        }
    })
}

/// Names of members, some of which no key can bear.
const NAMES: [&str; 7] = ["plain", "camelCase", "other", "a/b", "exchange", "a_b", "$x"];

fn leaf() -> BoxedStrategy<Value> {
    let formats: Vec<&str> = format::FORMATS
        .iter()
        .map(|format| format.name)
        .filter(|name| ["date", "uuid", "ipv4"].contains(name))
        .collect();
    prop_oneof![
        3 => (0..4_u64, 3..9_u64).prop_map(|(low, high)| json!({"type": "string", "minLength": low, "maxLength": high})),
        1 => select(formats).prop_map(|format| json!({"type": "string", "format": format})),
        1 => Just(json!({"type": "string", "pattern": "^[a-c]+$"})),
        1 => Just(json!({"type": "string", "pattern": "^(?=a)b*"})),
        2 => (-3..3_i64).prop_map(|low| json!({"type": "integer", "minimum": low, "maximum": low + 4})),
        1 => Just(json!({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5})),
        1 => Just(json!({"type": "boolean", "default": true})),
        2 => subsequence(vec![json!("a"), json!("b"), json!(1), json!(null)], 1..4).prop_map(|values| json!({"enum": values})),
        1 => select(vec!["a", "b"]).prop_map(|value| json!({"const": value, "description": "One of them."})),
        1 => Just(json!({"type": ["string", "null"], "default": null, "examples": ["abc"]})),
        1 => Just(json!({"type": ["integer", "string"]})),
        1 => Just(json!({"description": "Anything."})),
        1 => Just(json!({"not": {"type": "string"}})),
        1 => Just(json!(true)),
        1 => Just(json!(false)),
        1 => Just(json!({"$ref": "#/$defs/node"})),
        1 => Just(json!({"$ref": "#/$defs/text", "maxLength": 4})),
    ]
    .boxed()
}

fn object(inner: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let members = subsequence(NAMES.to_vec(), 1..4).prop_flat_map(move |names| {
        let count = names.len();
        (
            Just(names),
            prop::collection::vec(inner.clone(), count),
            prop::collection::vec(any::<bool>(), count),
        )
    });
    let rest = select(vec![
        None,
        Some(json!(false)),
        Some(json!(true)),
        Some(json!({"type": "integer"})),
    ]);
    let more = select(vec![
        json!({}),
        json!({}),
        json!({}),
        json!({"minProperties": 1}),
        json!({"patternProperties": {"^z": {"type": "string"}}}),
        json!({"dependentRequired": {"plain": ["a_b"]}}),
        json!({"if": {"required": ["plain"]}, "then": {"required": ["a_b"]}}),
        json!({"unevaluatedProperties": false}),
    ]);
    (members, rest, more)
        .prop_map(|((names, schemas, required), rest, more)| {
            let asked: Vec<&str> = names
                .iter()
                .zip(&required)
                .filter(|(_, required)| **required)
                .map(|(name, _)| *name)
                .collect();
            let properties: Map<String, Value> = names.iter().map(|name| (*name).to_owned()).zip(schemas).collect();
            let mut object = json!({"type": "object", "properties": properties, "required": asked});
            let members = object.as_object_mut().expect("an object");
            members.extend(rest.map(|rest| ("additionalProperties".to_owned(), rest)));
            members.extend(more.as_object().cloned().unwrap_or_default());
            object
        })
        .boxed()
}

/// A schema of an object, with definitions, one of which refers to itself.
pub fn schema() -> impl Strategy<Value = Value> {
    let inner = leaf().prop_recursive(3, 24, 3, |inner| {
        prop_oneof![
            2 => object(inner.clone()),
            2 => (inner.clone(), 0..3_u64).prop_map(|(items, least)| json!({"type": "array", "items": items, "minItems": least})),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, two)| json!({"type": "array", "prefixItems": [one, two], "items": false})),
            2 => inner.clone().prop_map(|one| json!({"anyOf": [one, {"type": "null"}]})),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, two)| json!({"anyOf": [one, two]})),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, two)| json!({"oneOf": [one, two]})),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, two)| json!({"allOf": [one, two]})),
            1 => inner.prop_map(|one| json!({"type": "object", "additionalProperties": one})),
        ]
    });
    let inner = inner.boxed();
    let plain = object(inner.clone());
    let root = prop_oneof![
        5 => plain.clone(),
        1 => (plain.clone(), plain.clone()).prop_map(|(one, two)| json!({"allOf": [one, two]})),
        1 => (plain.clone(), plain).prop_map(|(one, two)| json!({"anyOf": [one, two]})),
    ];
    (root, object(inner)).prop_map(|(mut root, node)| {
        let pointer = pointer_to("#/$defs", "node");
        let mut node = node;
        node["properties"]["next"] = json!({"$ref": pointer});
        root["$defs"] = json!({"node": node, "text": {"type": "string", "minLength": 2}});
        root
    })
}

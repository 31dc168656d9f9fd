//! Random templates with every kind of constraint, and random values that are right or nearly so.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use serde_json::json;

use crate::effective::EffectiveTemplate;
use crate::effective::KeyChange;
use crate::effective::LayeredChange;
use crate::effective::Standing;
use crate::json_schema::key_schema;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::name::PatchId;
use crate::name::ScenarioKey;
use crate::template::SchemaTemplate;
use crate::witness::samples;

pub const NAMES: [&str; 6] = ["alpha", "bravo_count", "charlie", "delta_flag", "echo_list", "foxtrot"];

/// A key as it is drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub key_type: KeyType,
    pub constraints: Value,
    pub required: bool,
    pub standing: Option<Standing>,
}

fn maybe(name: &'static str, value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Option<(String, Value)>> {
    prop_oneof![2 => Just(None), 1 => value.prop_map(move |value| Some((name.to_owned(), value)))].boxed()
}

fn object(parts: Vec<Option<(String, Value)>>) -> Value {
    Value::Object(parts.into_iter().flatten().collect())
}

fn texts() -> BoxedStrategy<Value> {
    let listed =
        proptest::collection::btree_set("[a-z\"\\\\/é ]{0,5}", 1..5).prop_map(|values| json!({"enum": values}));
    let patterns = r#"^[a-z]+$ ^[A-Z]{3}$ \d{2} ^(yes|no)$ a|b ^\w+-\d*$ ^[^a-c]{1,2}$ x$ ^"q"$ \s ^(?:ab)?c$ \bword\b (?i)abc ^.{2}$ ^[\]\-a]$ ^[+-.]$ ^[^^]$ ^[\[^-~]{2}$ ^é+$"#;
    let formats = "date time date-time duration uuid ipv4 ipv6 email hostname uri airport";
    let [pattern, format] = [patterns, formats].map(|words| select(words.split(' ').collect::<Vec<_>>()));
    let open = (
        maybe("minLength", (0_u64..4).prop_map(Value::from)),
        maybe("maxLength", (4_u64..7).prop_map(Value::from)),
        maybe("pattern", pattern.prop_map(Value::from)),
        maybe("format", format.prop_map(Value::from)),
    )
        .prop_map(|(a, b, c, d)| object(vec![a, b, c, d]));
    prop_oneof![
        1 => listed,
        3 => open,
        1 => Just(json!({"const": "only"})),
        1 => Just(json!({"enum": ["window", "aisle"], "maxLength": 5})),
        1 => Just(json!({"minLength": 1_500})),
    ]
    .boxed()
}

fn numbers(integer: bool) -> BoxedStrategy<Value> {
    let bound = |low: i64, high: i64| {
        let whole = (low..high).prop_map(Value::from);
        let far = select(vec![-70_000, 0, 1, 9, 10, 99, 1_005, 3_000_000]).prop_map(Value::from);
        let broken = (low * 4..high * 4).prop_map(|n| json!(n as f64 / 4.0));
        prop_oneof![4 => whole, 2 => far, 1 => broken]
    };
    let bounds = (
        maybe("minimum", bound(-30, 10)),
        maybe("maximum", bound(10, 120)),
        maybe("exclusiveMinimum", bound(-200, 5)),
        maybe("exclusiveMaximum", bound(6, 1_000)),
        maybe("multipleOf", select(vec![json!(1), json!(7), json!(0.5), json!(0.01)])),
    )
        .prop_map(|(a, b, c, d, e)| object(vec![a, b, c, d, e]));
    let listed = if integer {
        json!({"enum": [1, 7.0, -3, 9_007_199_254_740_993_u64]})
    } else {
        json!({"enum": [0.5, 2, 1e3], "maximum": 3})
    };
    prop_oneof![5 => bounds, 1 => Just(listed), 1 => Just(json!({}))].boxed()
}

fn typed(name: &str, schema: Value) -> Value {
    let mut schema = schema;
    schema["type"] = json!(name);
    schema
}

fn nested(depth: u32) -> BoxedStrategy<Value> {
    let plain = prop_oneof![
        texts().prop_map(|schema| typed("string", schema)),
        numbers(true).prop_map(|schema| typed("integer", schema)),
        numbers(false).prop_map(|schema| typed("number", schema)),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({})),
        Just(json!({"minimum": 3, "minLength": 2})),
        Just(json!({"enum": ["a", 1, null, [2]]})),
    ];
    if depth == 0 {
        return plain.boxed();
    }
    prop_oneof![
        4 => plain,
        1 => arrays(depth).prop_map(|schema| typed("array", schema)),
        1 => objects(depth).prop_map(|schema| typed("object", schema)),
    ]
    .boxed()
}

fn arrays(depth: u32) -> BoxedStrategy<Value> {
    let open = (
        maybe("items", nested(depth - 1)),
        maybe("minItems", (0_u64..3).prop_map(Value::from)),
        maybe("maxItems", (3_u64..5).prop_map(Value::from)),
        maybe("uniqueItems", any::<bool>().prop_map(Value::from)),
    )
        .prop_map(|(a, b, c, d)| object(vec![a, b, c, d]));
    prop_oneof![6 => open, 1 => Just(json!({"enum": [[1], ["a", {"b": null}]]}))].boxed()
}

fn objects(depth: u32) -> BoxedStrategy<Value> {
    let members =
        proptest::collection::btree_map(select(vec!["a", "b", "two words", "quo\"te"]), nested(depth - 1), 0..4);
    let asked = proptest::collection::btree_set(select(vec!["a", "b", "c"]), 0..2);
    let rest = prop_oneof![
        2 => Just(None),
        2 => Just(Some(json!(false))),
        1 => nested(depth - 1).prop_map(Some),
    ];
    let open = (members, asked, rest).prop_map(|(members, asked, rest)| {
        let mut schema = json!({});
        if !members.is_empty() {
            schema["properties"] = json!(members);
        }
        if !asked.is_empty() {
            schema["required"] = json!(asked);
        }
        if let Some(rest) = rest {
            schema["additionalProperties"] = rest;
        }
        schema
    });
    prop_oneof![6 => open, 1 => Just(json!({"enum": [{"a": 1}, {}]}))].boxed()
}

/// One key; only what a publisher may publish.
pub fn drawn() -> impl Strategy<Value = Drawn> {
    let shape = prop_oneof![
        4 => texts().prop_map(|constraints| (KeyType::String, constraints)),
        2 => numbers(true).prop_map(|constraints| (KeyType::Integer, constraints)),
        2 => numbers(false).prop_map(|constraints| (KeyType::Number, constraints)),
        1 => Just((KeyType::Boolean, json!({}))),
        1 => Just((KeyType::Boolean, json!({"const": true}))),
        1 => Just((KeyType::Null, json!({}))),
        2 => arrays(2).prop_map(|constraints| (KeyType::Array, constraints)),
        2 => objects(2).prop_map(|constraints| (KeyType::Object, constraints)),
    ];
    let standings = vec![
        Standing::Experimental,
        Standing::Stable,
        Standing::Deprecated,
        Standing::Withdrawn,
    ];
    let standing = prop_oneof![3 => Just(None), 1 => select(standings).prop_map(Some)];
    (shape, any::<bool>(), standing)
        .prop_map(|((key_type, constraints), required, standing)| Drawn {
            key_type,
            constraints,
            required: required && standing.is_none(),
            standing,
        })
        .prop_filter("it cannot be published", |drawn| {
            KeyDefinition::parse(&document("a", drawn)).is_ok()
        })
}

fn document(name: &str, drawn: &Drawn) -> Value {
    json!({"key_name": name, "key_type": drawn.key_type.name(), "required": drawn.required,
        "semantic_description": "Text.", "constraints": drawn.constraints})
}

/// The template of these keys; those with a standing come from patches.
pub fn template(keys: &[Drawn], strict: bool) -> EffectiveTemplate {
    let mut base = Vec::new();
    let mut layer = Vec::new();
    for (n, (drawn, name)) in keys.iter().zip(NAMES).enumerate() {
        let document = document(name, drawn);
        match drawn.standing {
            None => base.push(document),
            Some(standing) => layer.push(LayeredChange {
                patch_id: PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), n as u64),
                change: KeyChange::Add(KeyDefinition::parse(&document).expect("a key").0),
                standing,
            }),
        }
    }
    let document = json!({"schema_id": "s_v1", "scenario": "s", "strict": strict, "keys": base});
    let (base, _) = SchemaTemplate::parse(&document).expect("a template");
    EffectiveTemplate::compose(&base, &layer, 1)
}

/// A value of this number for a key: mostly one that conforms.
pub fn value(drawn: &Drawn, n: usize) -> Value {
    let Value::Object(schema) = key_schema(drawn.key_type, drawn.constraints.as_object().expect("an object")) else {
        unreachable!("a key's schema is an object")
    };
    let right = samples(&schema, &serde_json::Map::new(), &crate::budget::Budget::default());
    let stray = json!(["x", "", "Window", 3, -0.5, 1e25, true, [], [1, 1], {}, {"a": "x", "z": 1}, "2026-02-29", "07", 120, [{"a": 2}]]);
    let stray = stray.as_array().into_iter().flatten();
    let all: Vec<&Value> = right.iter().chain(&right).chain(stray).collect();
    all[n % all.len()].clone()
}

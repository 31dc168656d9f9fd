//! The validator against two independent judges: the `jsonschema` crate, and RFC 6902 applied to its own repairs.

use std::collections::BTreeSet;

use jsonschema::Draft;
use jsonschema::error::ValidationErrorKind;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use serde_json::json;

use super::payload_schema::payload_schema;
use crate::effective::EffectiveKey;
use crate::effective::EffectiveTemplate;
use crate::effective::KeyChange;
use crate::effective::LayeredChange;
use crate::effective::Standing;
use crate::exchange::other::OtherLimits;
use crate::exchange::other::visible;
use crate::exchange::validator::Validator;
use crate::exchange::verdict::Verdict;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::name::PatchId;
use crate::name::ScenarioKey;
use crate::template::SchemaTemplate;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 4,
    bytes_max: 16,
};

const NAMES: [&str; 6] = [
    "alpha_word",
    "bravo_count",
    "charlie_day",
    "delta_flag",
    "echo_list",
    "foxtrot_box",
];
const MISSPELT: [&str; 6] = [
    "alpha_wrd",
    "Bravo-Count",
    "charliie_day",
    "deltaflag",
    "echo_lizt",
    "golf/~x",
];

/// Type and constraints.
fn shape() -> impl Strategy<Value = (&'static str, Value)> {
    select(vec![
        ("string", json!({})),
        ("string", json!({"enum": ["Red", "green", "deep blue", "7"]})),
        ("string", json!({"enum": ["red", "green"], "const": "red"})),
        ("string", json!({"enum": ["window", "aisle"], "maxLength": 5})),
        ("string", json!({"minLength": 2, "maxLength": 3})),
        ("string", json!({"minLength": 4})),
        ("string", json!({"pattern": "^[a-z]+$"})),
        ("string", json!({"pattern": "\\d{2}"})),
        ("string", json!({"format": "date"})),
        ("string", json!({"format": "date-time"})),
        ("string", json!({"format": "time"})),
        ("string", json!({"format": "duration"})),
        ("string", json!({"format": "email"})),
        ("string", json!({"format": "uri"})),
        ("string", json!({"format": "uuid"})),
        ("string", json!({"format": "ipv4"})),
        ("string", json!({"format": "ipv6"})),
        ("string", json!({"format": "hostname"})),
        ("string", json!({"format": "airport"})),
        ("integer", json!({})),
        ("integer", json!({"minimum": 1, "maximum": 9})),
        ("integer", json!({"enum": [1, 7.0, 9_007_199_254_740_993_u64]})),
        ("integer", json!({"multipleOf": 7})),
        (
            "integer",
            json!({"exclusiveMinimum": 0, "exclusiveMaximum": 18_446_744_073_709_551_615_u64}),
        ),
        ("integer", json!({"minimum": 1.5})),
        ("integer", json!({"maximum": 9_007_199_254_740_992.0})),
        ("number", json!({})),
        ("number", json!({"multipleOf": 0.01})),
        ("number", json!({"multipleOf": 0.1, "minimum": -1})),
        (
            "number",
            json!({"minimum": -9_223_372_036_854_775_808_i64, "exclusiveMaximum": 1.5}),
        ),
        ("number", json!({"const": 0})),
        ("boolean", json!({})),
        ("boolean", json!({"const": true})),
        ("null", json!({})),
        ("array", json!({})),
        (
            "array",
            json!({"items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 2}),
        ),
        ("array", json!({"uniqueItems": true})),
        ("array", json!({"items": {"type": "integer"}, "enum": [[1], [1, 2]]})),
        ("object", json!({})),
        (
            "object",
            json!({"properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"],
                "additionalProperties": {"type": "string"}}),
        ),
        (
            "object",
            json!({"properties": {"a": {"type": "integer"}, "b": {"properties": {"c": {"enum": ["x", "y"]}}}},
                "additionalProperties": false}),
        ),
    ])
}

/// JSON text of a value: right for some shape, nearly right, or neither.
fn value() -> impl Strategy<Value = String> {
    let plain = select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-0.0",
        "1",
        "7",
        "7.0",
        "9",
        "10",
        "14",
        "-7",
        "1.5",
        "0.3",
        "1e2",
        "0.1e1",
        "12.34",
        "19.99",
        "1070468.14",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616.0",
        "1e300",
        "-1e300",
        "5e-324",
        "\"\"",
        "\"red\"",
        "\"Red\"",
        "\"GREEN\"",
        "\"grean\"",
        "\"deep-blue\"",
        "\"windo\"",
        "\"aisel\"",
        "\"7\"",
        "\"7.0\"",
        "\"2.50\"",
        "\"true\"",
        "\"False\"",
        "\" 7\"",
        "\"ab\"",
        "\"abc\"",
        "\"abcd\"",
        "\"äöü\"",
        "\"\\u00e4\\ud83d\\ude00\"",
        "\"\\ud83d\\ude00x\"",
        "\"12\"",
        "\"2026-05-04\"",
        "\"2026-02-29\"",
        "\"2024-02-29\"",
        "\"2026-05-04T09:00:00+08:00\"",
        "\"09:00:00Z\"",
        "\"23:59:60Z\"",
        "\"P1DT2H\"",
        "\"P1W\"",
        "\"a@example.org\"",
        "\"a@\"",
        "\"http://example.org/a?b#c\"",
        "\"urn:x\"",
        "\"//x\"",
        "\"550e8400-e29b-41d4-a716-446655440000\"",
        "\"127.0.0.1\"",
        "\"256.0.0.1\"",
        "\"::1\"",
        "\"example.org\"",
        "\"-x.org\"",
        "[]",
        "[1]",
        "[1,2]",
        "[1.0,1]",
        "[\"a\"]",
        "[\"\"]",
        "[\"a\",\"b\",\"c\"]",
        "[\"a\",1]",
        "[[\"a\"]]",
        "{}",
        "{\"a\":1}",
        "{\"a\":0}",
        "{\"a\":1,\"b\":\"x\"}",
        "{\"a\":null}",
        "{\"a\":null,\"b\":null}",
        "{\"a\":1,\"b\":{\"c\":null}}",
        "{\"a\":1,\"b\":{\"c\":\"x\"}}",
        "{\"a\":1,\"b\":{\"c\":\"z\"}}",
        "{\"a\":1,\"b\":2}",
        "{\"a\":1,\"a\":\"x\"}",
        "\"a quite long text for the escape valve\"",
    ]);
    prop_oneof![
        8 => plain.prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<u64>().prop_map(|n| n.to_string()),
        1 => (-100_000_i32..100_000).prop_map(|n| json!(f64::from(n) / 100.0).to_string()),
        1 => any::<f64>().prop_filter("JSON has no such number", |x| x.is_finite()).prop_map(|x| json!(x).to_string()),
        1 => "[0-9]{4}-(0[0-9]|1[0-3])-(0[0-9]|2[89]|3[0-2])".prop_map(|text| json!(text).to_string()),
        1 => ".{0,6}".prop_map(|text| json!(text).to_string()),
    ]
}

/// A schema of arrays and objects within each other, and a value that is near it.
fn nested() -> impl Strategy<Value = (Value, Value)> {
    let leaf = prop_oneof![
        3 => (shape(), value()).prop_map(|((key_type, constraints), value)| {
            let mut schema = json!({"type": key_type});
            let own = constraints.as_object().expect("an object").clone();
            schema.as_object_mut().expect("an object").extend(own);
            (schema, value)
        }),
        1 => value().prop_map(|value| (json!({"enum": ["red", 7, null, [1]]}), value)),
    ];
    let leaf = leaf.prop_map(|(schema, value)| {
        let value: Value = serde_json::from_str(&value).expect("JSON");
        (schema, value)
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let pairs = proptest::collection::vec((inner, any::<[u8; 3]>()), 1..4);
        pairs.prop_map(|pairs| {
            let dice = pairs[0].1;
            if dice[0].is_multiple_of(2) {
                let (schema, _) = pairs[0].0.clone();
                let values: Vec<Value> = pairs.iter().map(|((_, value), _)| value.clone()).collect();
                let mut array = json!({"type": "array", "items": schema});
                if dice[1].is_multiple_of(3) {
                    array["uniqueItems"] = json!(true);
                }
                let value = match dice[2] % 5 {
                    0 => json!(json!(values).to_string()),
                    1 => values[0].clone(),
                    _ => json!(values),
                };
                return (array, value);
            }
            let mut object = json!({"type": "object", "properties": {}, "required": []});
            let mut held = json!({});
            for (((schema, value), dice), (name, misspelt)) in pairs.iter().zip(NAMES.iter().zip(MISSPELT)) {
                object["properties"][name] = schema.clone();
                if dice[0].is_multiple_of(3) {
                    object["required"].as_array_mut().expect("a list").push(json!(name));
                }
                let name = if dice[1].is_multiple_of(3) { misspelt } else { name };
                held[name] = value.clone();
            }
            match dice[1] % 3 {
                0 => object["additionalProperties"] = json!(false),
                1 => object["additionalProperties"] = pairs[0].0.0.clone(),
                _ => {}
            }
            let held = if dice[2].is_multiple_of(7) {
                json!(held.to_string())
            } else {
                held
            };
            (object, held)
        })
    })
}

/// A template of one key with a schema.
fn of_schema(schema: &Value) -> Option<EffectiveTemplate> {
    let mut constraints = schema.as_object()?.clone();
    let key_type = constraints.shift_remove("type")?;
    let key = json!({"key_name": NAMES[0], "key_type": key_type, "required": false, "semantic_description": "Text.",
        "constraints": constraints});
    let document = json!({"schema_id": "s_v1", "scenario": "s", "keys": [key]});
    let (base, _) = SchemaTemplate::parse(&document).ok()?;
    Some(EffectiveTemplate::compose(&base, &[], 1))
}

/// What a verdict says, and what it says of the payload with its repairs applied.
fn repaired(template: &EffectiveTemplate, payload: &str) -> (Verdict, Verdict, Value) {
    let verdict = check(template, payload);
    let mut submission = json!({"payload": serde_json::from_str::<Value>(payload).expect("JSON")});
    let repairs = verdict
        .violations
        .iter()
        .filter_map(|violation| violation.repair.clone());
    let repairs = json!(repairs.flatten().collect::<Vec<_>>());
    let patch: json_patch::Patch = serde_json::from_value(repairs.clone()).expect("RFC 6902");
    json_patch::patch(&mut submission, &patch).expect("every repair applies");
    let left = check(template, &submission["payload"].to_string());
    (verdict, left, repairs)
}

/// Key, pointer and code of the violations, of all or of those without a repair.
fn shown(verdict: &Verdict, all: bool) -> Vec<String> {
    let kept = verdict
        .violations
        .iter()
        .filter(|violation| all || violation.repair.is_none());
    let mut shown: Vec<String> = kept
        .map(|violation| json!([violation.key, violation.pointer, violation.code]).to_string())
        .collect();
    shown.sort_unstable();
    shown
}

#[derive(Clone, Debug)]
struct Key {
    shape: (&'static str, Value),
    required: bool,
    standing: Option<Standing>,
}

fn key() -> impl Strategy<Value = Key> {
    let standings = [
        Standing::Experimental,
        Standing::Stable,
        Standing::Deprecated,
        Standing::Withdrawn,
    ];
    let standing = prop_oneof![3 => Just(None), 1 => select(standings.to_vec()).prop_map(Some)];
    (shape(), any::<bool>(), standing).prop_map(|(shape, required, standing)| Key {
        shape,
        required,
        standing,
    })
}

fn template(keys: &[Key], strict: bool) -> EffectiveTemplate {
    let mut base = Vec::new();
    let mut layer = Vec::new();
    for (n, (key, name)) in keys.iter().zip(NAMES).enumerate() {
        let document = json!({"key_name": name, "key_type": key.shape.0, "required": key.required,
            "semantic_description": "Text.", "constraints": key.shape.1});
        match key.standing {
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

/// Members in any order, some twice, some unknown, some absent.
fn payload() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        8 => select(NAMES.to_vec()),
        2 => select(MISSPELT.to_vec()),
        1 => Just("other"),
    ];
    proptest::collection::vec((name, value()), 0..9).prop_map(|members| {
        let members: Vec<String> = members
            .into_iter()
            .map(|(name, value)| format!("{}:{value}", json!(name)))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

fn check(template: &EffectiveTemplate, payload: &str) -> Verdict {
    let validator = Validator::compile(template, LIMITS);
    let quick = validator.check(payload, &|_| true, false).expect("JSON");
    let full = validator.check(payload, &|_| true, true).expect("JSON");
    assert_eq!(
        quick.violations, full.violations,
        "asking for the values changes no verdict"
    );
    assert_eq!(
        Verdict {
            normalised: None,
            ..full.clone()
        },
        quick
    );
    full
}

/// Keys that refuse whose number is read as another one than it was written as, which no schema says (`long_number`).
fn inexact<'a>(template: &'a EffectiveTemplate, value: &'a Value) -> impl Iterator<Item = String> + 'a {
    let refuses = |key: &&EffectiveKey| key.standing() == Standing::Stable;
    let is_inexact = |value: &Value| {
        let double = value
            .as_number()
            .filter(|number| number.is_f64())
            .and_then(|number| number.as_f64());
        double.is_some_and(|double| double.fract() == 0.0 && double.abs() >= 9_007_199_254_740_992.0)
    };
    template
        .keys
        .iter()
        .filter(refuses)
        .filter(|key| key.definition.key_type == KeyType::Integer)
        .map(|key| key.definition.key_name.to_string())
        .filter(move |name| value.get(name).is_some_and(is_inexact))
}

/// The keys that the `jsonschema` crate objects to, and those whose number is inexact.
fn offending(template: &EffectiveTemplate, payload: &str) -> BTreeSet<String> {
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(&payload_schema(template))
        .expect("a schema");
    let value: Value = serde_json::from_str(payload).expect("JSON");
    let mut keys: BTreeSet<String> = inexact(template, &value).collect();
    for error in validator.iter_errors(&value) {
        let path = error.instance_path().to_string();
        if let Some(key) = path.split('/').nth(1) {
            keys.insert(key.to_owned());
            continue;
        }
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                keys.insert(property.as_str().expect("a name").to_owned());
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => keys.extend(unexpected.iter().cloned()),
            other => panic!("{other:?}"),
        }
    }
    keys
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn verdicts_agree_with_json_schema_key_by_key_z017_z018_z019_z023_z037_z048(
        keys in proptest::collection::vec(key(), 1..6),
        strict in any::<bool>(),
        payload in payload(),
    ) {
        let template = template(&keys, strict);
        let verdict = check(&template, &payload);
        let ours: BTreeSet<String> = verdict.violations.iter().map(|violation| violation.key.clone()).collect();
        prop_assert_eq!(ours, offending(&template, &payload), "{} {}", payload, payload_schema(&template));
        // What is kept is what conforms: the normalised payload passes but for what is missing.
        let kept = Value::Object(verdict.normalised.unwrap_or_default()).to_string();
        let again = check(&template, &kept);
        prop_assert!(again.violations.iter().all(|v| v.message.contains("required")), "{:?}", again.violations);
    }

    #[test]
    fn repairs_remove_exactly_the_violations_that_carry_one_z019_z023(
        keys in proptest::collection::vec(key(), 1..6),
        strict in any::<bool>(),
        payload in payload(),
    ) {
        let template = template(&keys, strict);
        let (verdict, left, repairs) = repaired(&template, &payload);
        prop_assert_eq!(shown(&left, true), shown(&verdict, false), "{} {}", payload, repairs);
    }

    #[test]
    fn repairs_within_values_remove_exactly_the_violations_that_carry_one_z019_z051((schema, value) in nested()) {
        let Some(template) = of_schema(&schema) else { return Ok(()) };
        let payload = json!({ NAMES[0]: value }).to_string();
        let (verdict, left, repairs) = repaired(&template, &payload);
        prop_assert_eq!(verdict.accepted(), offending(&template, &payload).is_empty(), "{} {}", schema, payload);
        prop_assert_eq!(shown(&left, true), shown(&verdict, false), "{} {} {}", schema, payload, repairs);
        if left.accepted() && !verdict.accepted() {
            prop_assert!(verdict.violations.iter().all(|violation| violation.repair.is_some()));
        }
    }

    #[test]
    fn other_never_refuses_unless_its_type_is_another_z059_z060_z061(texts in proptest::collection::vec(".{0,40}", 0..8)) {
        let template = template(&[], true);
        for value in [json!(texts), json!(texts.concat())] {
            let verdict = check(&template, &json!({"other": value}).to_string());
            prop_assert!(verdict.accepted());
            prop_assert!(verdict.other.len() <= LIMITS.strings_max);
            prop_assert!(verdict.other.iter().all(|text| text.len() <= LIMITS.bytes_max));
            let visible = match &value {
                Value::String(text) => json!(visible(text)),
                _ => texts.iter().map(|text| visible(text)).collect(),
            };
            prop_assert_eq!(&verdict.normalised.unwrap_or_default()["other"], &visible);
        }
    }

    #[test]
    fn any_text_is_an_error_exactly_where_json_is_z019(text in "[\\[\\]{}\",:a0-9.eE+ \\\\-]{0,12}") {
        let validator = Validator::compile(&template(&[], false), LIMITS);
        let ours = validator.check(&text, &|_| true, true);
        prop_assert_eq!(ours.is_err(), serde_json::from_str::<Value>(&text).is_err(), "{}", text);
    }
}

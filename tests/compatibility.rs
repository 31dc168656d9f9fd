//! What a diff says, held against the validator that payloads meet.

use proptest::prelude::*;
use proptest::sample::select;
use schema::budget::Budget;
use schema::difference::change::Change;
use schema::difference::change::Direction;
use schema::difference::change::Effect;
use schema::difference::change::Reading;
use schema::difference::difference;
use schema::effective::EffectiveTemplate;
use schema::exchange::other::OtherLimits;
use schema::exchange::validator::Validator;
use schema::json_schema::key_schema;
use schema::template::SchemaTemplate;
use schema::witness::samples;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 4,
    bytes_max: 64,
};

/// Types with constraints, near enough to each other that pairs of them meet.
fn shape() -> impl Strategy<Value = (&'static str, Value)> {
    select(vec![
        ("string", json!({})),
        ("string", json!({"enum": ["a", "b"]})),
        ("string", json!({"enum": ["a", "b", "c"]})),
        ("string", json!({"enum": ["c", "b", "a"], "maxLength": 3})),
        ("string", json!({"const": "a"})),
        ("string", json!({"maxLength": 3})),
        ("string", json!({"minLength": 1, "maxLength": 4})),
        ("string", json!({"pattern": "^[a-z]+$"})),
        ("string", json!({"pattern": "^[a-z]{2,}$"})),
        ("string", json!({"pattern": "^(?:ab|cd|b)$"})),
        ("string", json!({"pattern": "^(?:cd|ab)$", "minLength": 2})),
        ("string", json!({"pattern": "b\\d?", "maxLength": 4})),
        ("string", json!({"pattern": r"\bab\b"})),
        ("string", json!({"format": "date"})),
        ("string", json!({"format": "airport"})),
        ("integer", json!({})),
        ("integer", json!({"minimum": 1, "maximum": 9})),
        ("integer", json!({"exclusiveMinimum": 0, "exclusiveMaximum": 10})),
        ("integer", json!({"minimum": 1, "maximum": 1_000})),
        ("integer", json!({"minimum": 0.5})),
        ("integer", json!({"multipleOf": 5})),
        ("integer", json!({"multipleOf": 10, "maximum": 900})),
        ("integer", json!({"enum": [5, 10]})),
        ("number", json!({})),
        ("number", json!({"minimum": 1, "exclusiveMaximum": 10})),
        ("number", json!({"exclusiveMinimum": 1, "maximum": 10})),
        ("number", json!({"multipleOf": 5})),
        ("boolean", json!({})),
        ("boolean", json!({"const": true})),
        ("null", json!({})),
        ("array", json!({})),
        ("array", json!({"maxItems": 1})),
        ("array", json!({"uniqueItems": true})),
        ("array", json!({"items": {"type": "integer"}})),
        (
            "array",
            json!({"items": {"type": "number", "minimum": 0}, "minItems": 1}),
        ),
        ("object", json!({})),
        (
            "object",
            json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": false}),
        ),
        (
            "object",
            json!({"properties": {"a": {"type": "number"}}, "required": ["a"]}),
        ),
        ("object", json!({"required": ["a", "b"]})),
        ("object", json!({"additionalProperties": {"type": "integer"}})),
    ])
}

/// One to three keys of four.
fn template() -> impl Strategy<Value = SchemaTemplate> {
    let keys = prop::collection::vec((any::<bool>(), prop::bool::weighted(0.4), shape()), 4);
    (keys, prop::bool::weighted(0.25)).prop_map(|(keys, strict)| {
        let keys: Vec<Value> = ["alpha", "bravo", "charlie", "delta"]
            .into_iter()
            .zip(keys)
            .filter(|(_, (there, _, _))| *there)
            .map(|(name, (_, required, (key_type, constraints)))| {
                json!({"key_name": name, "key_type": key_type, "required": required, "constraints": constraints,
                    "semantic_description": "A key."})
            })
            .collect();
        let document = json!({"schema_id": "a_v1", "scenario": "a", "strict": strict, "keys": keys});
        SchemaTemplate::parse(&document).expect("a template").0
    })
}

/// Whether a payload is accepted, and whether something in it is passed over.
fn read(template: &SchemaTemplate, payload: &Map<String, Value>) -> (bool, bool) {
    let effective = EffectiveTemplate::compose(template, &[], 1);
    let text = Value::Object(payload.clone()).to_string();
    let verdict = Validator::compile(&effective, LIMITS)
        .check(&text, &|_| true, true)
        .expect("JSON");
    (verdict.violations.is_empty(), !verdict.unknown.is_empty())
}

/// A payload of a template's own keys: each left out, or with one of its values.
fn payload(template: &SchemaTemplate, reader: &SchemaTemplate, choices: &[usize]) -> Map<String, Value> {
    let mut payload = Map::new();
    for (key, choice) in template.keys.iter().zip(choices.iter().cycle()) {
        let schema = |template: &SchemaTemplate| {
            let key = template.key(&key.key_name)?;
            key_schema(key.key_type, &key.constraints).as_object().cloned()
        };
        let found = samples(
            &schema(template).unwrap_or_default(),
            &schema(reader).unwrap_or_default(),
            &Budget::default(),
        );
        if found.is_empty() || (!key.required && choice % 3 == 0) {
            continue;
        }
        if let Some(value) = found.get(choice % found.len()) {
            payload.insert(key.key_name.to_string(), value.clone());
        }
    }
    payload
}

fn reads(changes: &[Change], direction: Direction) -> Reading {
    changes
        .iter()
        .map(|change| change.reading(direction))
        .max()
        .unwrap_or(Reading::Compatible)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_example_is_accepted_by_its_version_and_does_to_the_other_what_it_says_z017_z023_z048(
        old in template(),
        new in template(),
    ) {
        for change in difference(&old, &new, &Budget::default()) {
            let shown = |direction| change.examples.iter().any(|example| example.direction == direction);
            for direction in [Direction::Backward, Direction::Forward] {
                prop_assert!(change.reading(direction) != Reading::Breaking || shown(direction), "{change:?}");
            }
            for example in &change.examples {
                let (writer, reader) = match example.direction {
                    Direction::Backward => (&old, &new),
                    Direction::Forward => (&new, &old),
                };
                // A payload that shows what `strict` does holds what its own version passes over.
                prop_assert!(read(writer, &example.payload).0, "not of its version: {change:?}");
                let (accepted, passed_over) = read(reader, &example.payload);
                match example.effect {
                    Effect::Refused => prop_assert!(!accepted, "accepted: {change:?}"),
                    Effect::PassedOver => prop_assert!(passed_over, "taken: {change:?}"),
                    Effect::ReadOtherwise => {}
                }
            }
        }
    }

    #[test]
    fn where_nothing_breaks_no_payload_is_refused_z080_z105(
        old in template(),
        new in template(),
        choices in prop::collection::vec(any::<usize>(), 12),
    ) {
        let changes = difference(&old, &new, &Budget::default());
        for (direction, writer, reader) in [(Direction::Backward, &old, &new), (Direction::Forward, &new, &old)] {
            for start in 0..choices.len() {
                let sent = payload(writer, reader, &choices[start..]);
                if read(writer, &sent).0 && reads(&changes, direction) == Reading::Compatible {
                    prop_assert!(read(reader, &sent).0, "{direction:?} {sent:?} {changes:?}");
                }
            }
        }
    }
}

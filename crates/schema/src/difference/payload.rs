//! Payloads of one version, for showing what the other makes of them.
//!
//! Invariant: what is given is accepted by the writer's template; values that the reader accepts too are preferred, so
//! that the one key that is looked at makes the difference.

use serde_json::Map;
use serde_json::Value;

use crate::json_schema;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::mapping_example;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::rule::Rule;
use crate::template::SchemaTemplate;
use crate::witness;

/// One version as the source of payloads.
pub struct Writer<'a> {
    template: &'a SchemaTemplate,
    /// The required keys with a value each; `None` where nothing can be sent for one, so that there is no payload at all.
    least: Option<Map<String, Value>>,
}

/// What a key accepts beside `null`, as a schema; `None` for a key of type `null`, which is as good as omitted.
pub fn accepted(key: &KeyDefinition) -> Option<Map<String, Value>> {
    let schema = json_schema::of_key(key.key_type, &key.constraints);
    (key.key_type != KeyType::Null).then_some(schema)
}

/// A value of a key, one that `reader` takes as well where there is one: out of its own examples, so that a payload reads
/// like one that somebody would send, else made. A key of type `null` is sent only where it is required.
fn value(key: &KeyDefinition, reader: Option<&KeyDefinition>) -> Option<Value> {
    let Some(schema) = accepted(key) else {
        return key.required.then_some(Value::Null);
    };
    let (own, other) = (rule(key), reader.map(rule));
    let told: Vec<Value> = mapping_example::targets(key)
        .filter_map(|target| target.value)
        .filter(|value| own.accepts(value))
        .collect();
    let shared = told
        .iter()
        .find(|value| other.as_ref().is_none_or(|other| other.accepts(value)));
    if let Some(value) = shared {
        return Some(value.clone());
    }
    let made = witness::sample(&schema, &reader.and_then(accepted).unwrap_or_default());
    made.or_else(|| told.into_iter().next())
}

fn rule(key: &KeyDefinition) -> Rule {
    Rule::compile(key.key_type, &key.constraints)
}

impl<'a> Writer<'a> {
    /// Payloads of `template`, read by `reader`.
    pub fn of(template: &'a SchemaTemplate, reader: &SchemaTemplate) -> Writer<'a> {
        let required = template
            .keys
            .iter()
            .filter(|key| key.required && key.key_name.as_str() != OTHER);
        let least = required
            .map(|key| Some((key.key_name.to_string(), value(key, reader.key(&key.key_name))?)))
            .collect();
        Writer { template, least }
    }

    /// A payload with the required keys alone.
    pub fn least(&self) -> Option<Map<String, Value>> {
        self.least.clone()
    }

    /// A payload without a key, which the writer's template must not require.
    pub fn without(&self, name: &KeyName) -> Option<Map<String, Value>> {
        self.least
            .clone()
            .filter(|payload| !payload.contains_key(name.as_str()))
    }

    /// A payload with this value of a key, in the template's order.
    pub fn with(&self, name: &KeyName, value: Value) -> Option<Map<String, Value>> {
        let least = self.least.as_ref()?;
        let mut payload = Map::new();
        for key in &self.template.keys {
            let own = key.key_name.as_str();
            if key.key_name == *name {
                payload.insert(own.to_owned(), value.clone());
            } else if let Some(least) = least.get(own) {
                payload.insert(own.to_owned(), least.clone());
            }
        }
        Some(payload)
    }

    /// Some value of a key of the writer's.
    pub fn sample(&self, key: &KeyDefinition) -> Option<Value> {
        self.least
            .as_ref()
            .and_then(|least| least.get(key.key_name.as_str()).cloned())
            .or_else(|| value(key, None))
    }
}

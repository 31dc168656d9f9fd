//! Payloads of one version, for showing what the other makes of them.
//!
//! Invariant: what is given is accepted by the writer's template; values that the reader accepts too are preferred, so
//! that the one key that is looked at makes the difference.

use serde_json::Map;
use serde_json::Value;

use crate::budget::Budget;
use crate::cost;
use crate::json_schema;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::mapping_example;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::rule::Rule;
use crate::template::SchemaTemplate;
use crate::witness;

type Payload = Map<String, Value>;

/// One version as the source of payloads.
pub struct Writer<'a> {
    template: &'a SchemaTemplate,
    /// The required keys with a value each; `None` where nothing can be sent for one, so that there is no payload at all.
    least: Option<Payload>,
    /// Units that a copy of it takes.
    weight: usize,
    budget: &'a Budget<'a>,
}

/// What a key accepts beside `null`, as a schema; `None` for a key of type `null`, which is as good as omitted.
pub fn accepted(key: &KeyDefinition) -> Option<Map<String, Value>> {
    (key.key_type != KeyType::Null).then(|| json_schema::of_key(key.key_type, &key.constraints))
}

/// A value of a key, one that `reader` takes as well where there is one: out of its own examples, so that a payload reads
/// like one that somebody would send, else made. A key of type `null` is sent only where it is required.
fn value(key: &KeyDefinition, reader: Option<&KeyDefinition>, budget: &Budget<'_>) -> Option<Value> {
    let Some(schema) = accepted(key) else {
        return key.required.then_some(Value::Null);
    };
    let units = |key: &KeyDefinition| cost::units(&key.constraints);
    if !budget.spend(units(key).saturating_add(reader.map_or(0, units))) {
        return None;
    }
    let rule = |key: &KeyDefinition| Rule::compile(key.key_type, &key.constraints);
    let (own, other) = (rule(key), reader.map(rule));
    let told = mapping_example::targets(key).filter_map(|target| target.value);
    let told: Vec<Value> = told.filter(|value| own.accepts(value)).collect();
    let is_shared = |value: &&Value| other.as_ref().is_none_or(|other| other.accepts(value));
    let shared = told.iter().find(is_shared).cloned();
    shared
        .or_else(|| witness::sample(&schema, &reader.and_then(accepted).unwrap_or_default(), budget))
        .or_else(|| told.into_iter().next())
}

impl<'a> Writer<'a> {
    /// Payloads of `template`, read by `reader`.
    pub fn of(template: &'a SchemaTemplate, reader: &SchemaTemplate, budget: &'a Budget<'a>) -> Writer<'a> {
        let keys = template.keys.iter();
        let required = keys.filter(|key| key.required && key.key_name.as_str() != OTHER);
        let value = |key: &KeyDefinition| value(key, reader.key(&key.key_name), budget);
        let least = required
            .map(|key| Some((key.key_name.to_string(), value(key)?)))
            .collect::<Option<Payload>>();
        Writer {
            template,
            weight: least.iter().flat_map(Payload::values).map(witness::weight).sum(),
            least,
            budget,
        }
    }

    /// Returns whether there is a payload at all.
    pub fn can_send(&self) -> bool {
        self.least.is_some()
    }

    /// The required keys with a value each.
    pub fn least(&self) -> Option<Payload> {
        self.least.clone().filter(|_| self.budget.spend_for(self.weight))
    }

    /// A payload without a key, which the writer's template must not require.
    pub fn without(&self, name: &KeyName) -> Option<Payload> {
        self.least().filter(|least| !least.contains_key(name.as_str()))
    }

    /// A payload with this value of a key, in the template's order.
    pub fn with(&self, name: &KeyName, value: Value) -> Option<Payload> {
        let mut sent = self.least()?;
        sent.insert(name.to_string(), value);
        let names = self.template.keys.iter().map(|key| key.key_name.as_str());
        Some(names.filter_map(|name| sent.remove_entry(name)).collect())
    }

    /// A payload with some value of a key of the writer's.
    pub fn with_sample(&self, key: &KeyDefinition) -> Option<Payload> {
        let required = self.least.as_ref().and_then(|least| least.get(key.key_name.as_str()));
        let sample = required.cloned().or_else(|| value(key, None, self.budget))?;
        self.with(&key.key_name, sample)
    }
}

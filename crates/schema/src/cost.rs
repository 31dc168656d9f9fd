//! Estimates what a schema costs before it is compiled: time and memory follow its bytes and the size of its patterns' automata.
//!
//! Compiles nothing. Invariant: linear in the schema.

use serde_json::Value;

use crate::json_schema::Schema;
use crate::keyword::Keyword;
use crate::pattern;

/// Units that it costs to compile a schema, about: its bytes, and those of its patterns' automata.
pub fn units(schema: &Schema) -> u64 {
    let members = schema.iter().map(|(name, value)| match value {
        Value::String(text) if name == Keyword::Pattern.name() => pattern::size(text),
        value => units_of(value),
    });
    members.fold(0, u64::saturating_add)
}

fn units_of(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => 8 + text.len() as u64,
        Value::Array(values) => values.iter().map(units_of).fold(8, u64::saturating_add),
        Value::Object(below) => units(below).saturating_add(8),
    }
}

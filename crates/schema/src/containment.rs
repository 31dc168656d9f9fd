//! Whether everything that one key's schema accepts is accepted by another: a proof, keyword by keyword.
//!
//! Reads schemas in the form of [`crate::json_schema::key_schema`], tries no value of an open set, and
//! never guesses: `true` is a proof, `false` means that none was found. Looks for no counter-example.

use std::cmp::Ordering;

use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Value;

use crate::constraint::FORMATS;
use crate::inclusion;
use crate::inclusion::Inclusion;
use crate::inclusion::Length;
use crate::json_schema;
use crate::key::KeyType;
use crate::keyword::KEYWORDS;
use crate::keyword::Keyword;
use crate::numeral::Numeral;

/// Whole numbers of a range that are looked at one by one; a wider range is compared by its bounds.
const LISTED_RANGE_MAX: i128 = 256;

/// One end of what a number may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Low,
    High,
}

/// Whether whatever `writer` accepts is proved to be accepted by `reader`.
pub fn contains(reader: &Map<String, Value>, writer: &Map<String, Value>) -> bool {
    if jsonschema::json::cmp::equal_objects(reader, writer) {
        return true;
    }
    if let Some(values) = listed(writer) {
        return holds_all(reader, writer, &values);
    }
    let written = key_type(writer);
    let typed = match (key_type(reader), written) {
        (None, _) => true,
        (Some(reader), Some(writer)) => reader == writer || (reader == KeyType::Number && writer == KeyType::Integer),
        (Some(_), None) => false,
    };
    typed
        && KEYWORDS.into_iter().all(|keyword| match reader.get(keyword.name()) {
            None => true,
            Some(_) if written.is_some_and(|written| !keyword.speaks_of(written)) => true,
            Some(value) => implied(keyword, value, reader, writer),
        })
}

/// Every value that a schema accepts, and perhaps some that it does not, where they can be counted.
pub fn listed(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(constant) = schema.get(Keyword::Const.name()) {
        return Some(vec![constant.clone()]);
    }
    if let Some(Value::Array(values)) = schema.get(Keyword::Enum.name()) {
        return Some(values.clone());
    }
    match key_type(schema)? {
        KeyType::Boolean => Some(vec![Value::Bool(true), Value::Bool(false)]),
        KeyType::Null => Some(vec![Value::Null]),
        KeyType::Integer => {
            let low = whole(end(schema, End::Low)?, End::Low)?;
            let high = whole(end(schema, End::High)?, End::High)?;
            let few = high.checked_sub(low).is_some_and(|width| width < LISTED_RANGE_MAX);
            few.then(|| {
                (low..=high)
                    .filter_map(|value| Numeral::Integer(value).number().map(Value::Number))
                    .collect()
            })
        }
        KeyType::String | KeyType::Number | KeyType::Array | KeyType::Object => None,
    }
}

/// The type that a schema names.
pub fn key_type(schema: &Map<String, Value>) -> Option<KeyType> {
    schema.get("type").and_then(Value::as_str).and_then(KeyType::parse)
}

fn holds_all(reader: &Map<String, Value>, writer: &Map<String, Value>, values: &[Value]) -> bool {
    let compile = |schema: &Map<String, Value>| json_schema::compile::<SerdeJson>(&Value::Object(schema.clone()));
    let (Ok(reads), Ok(writes)) = (compile(reader), compile(writer)) else {
        return false;
    };
    values
        .iter()
        .all(|value| reads.is_valid(value) || !writes.is_valid(value))
}

/// Whether what a writer's schema says implies one keyword of the reader's.
fn implied(keyword: Keyword, value: &Value, reader: &Map<String, Value>, writer: &Map<String, Value>) -> bool {
    let number = |name: &str| writer.get(name).and_then(Value::as_u64);
    let same = || {
        writer
            .get(keyword.name())
            .is_some_and(|own| jsonschema::json::cmp::equal(own, value))
    };
    match keyword {
        // The writer's values are not a list, or they had been looked at one by one.
        Keyword::Enum | Keyword::Const => false,
        Keyword::Minimum | Keyword::ExclusiveMinimum => end_holds(End::Low, reader, writer),
        Keyword::Maximum | Keyword::ExclusiveMaximum => end_holds(End::High, reader, writer),
        Keyword::MultipleOf => same() || multiple_holds(value, writer),
        Keyword::MinLength | Keyword::MinItems => {
            value.as_u64() == Some(0)
                || number(keyword.name())
                    .zip(value.as_u64())
                    .is_some_and(|(own, min)| own >= min)
        }
        Keyword::MaxLength | Keyword::MaxItems => number(keyword.name())
            .zip(value.as_u64())
            .is_some_and(|(own, max)| own <= max),
        Keyword::Pattern => {
            let own = writer.get(keyword.name()).and_then(Value::as_str).unwrap_or_default();
            let held = |reader: &str| inclusion::compare(own, reader, length(writer)) == Inclusion::Holds;
            same() || value.as_str().is_some_and(held)
        }
        Keyword::Format => same() || value.as_str().is_some_and(|format| !FORMATS.contains(&format)),
        Keyword::Items => {
            number(Keyword::MaxItems.name()) == Some(0)
                || value
                    .as_object()
                    .is_some_and(|items| contains(items, &object(writer, Keyword::Items)))
        }
        Keyword::UniqueItems => {
            same() || value == &Value::Bool(false) || number(Keyword::MaxItems.name()).is_some_and(|max| max <= 1)
        }
        Keyword::Required => {
            let own = names(writer);
            value
                .as_array()
                .is_some_and(|asked| asked.iter().all(|name| own.contains(&name)))
        }
        Keyword::Properties => value.as_object().is_some_and(|properties| {
            properties.iter().all(|(name, member)| {
                member
                    .as_object()
                    .is_some_and(|member| member_holds(name, member, writer))
            })
        }),
        Keyword::AdditionalProperties => additional_holds(value, reader, writer),
    }
}

/// Whether a member of a writer's object is as the reader asks.
fn member_holds(name: &str, reader: &Map<String, Value>, writer: &Map<String, Value>) -> bool {
    if let Some(Value::Object(own)) = object(writer, Keyword::Properties).get(name) {
        return contains(reader, own);
    }
    match writer.get(Keyword::AdditionalProperties.name()) {
        Some(Value::Bool(false)) => true,
        Some(Value::Object(own)) => contains(reader, own),
        Some(_) | None => contains(reader, &Map::new()),
    }
}

/// Whether the members that the reader does not name are as it asks of such.
fn additional_holds(value: &Value, reader: &Map<String, Value>, writer: &Map<String, Value>) -> bool {
    let allowed = match value {
        Value::Bool(true) => return true,
        Value::Object(allowed) => Some(allowed),
        _ => None,
    };
    let named = object(reader, Keyword::Properties);
    let declared = object(writer, Keyword::Properties);
    let declared_hold = declared
        .iter()
        .filter(|(name, _)| !named.contains_key(*name))
        .all(|(_, own)| match (allowed, own.as_object()) {
            (Some(allowed), Some(own)) => contains(allowed, own),
            (None, _) | (_, None) => false,
        });
    let others_hold = match (allowed, writer.get(Keyword::AdditionalProperties.name())) {
        (_, Some(Value::Bool(false))) => true,
        (Some(allowed), Some(Value::Object(own))) => contains(allowed, own),
        (Some(allowed), _) => contains(allowed, &Map::new()),
        (None, _) => false,
    };
    declared_hold && others_hold
}

/// How many characters a schema's texts have, as far as it says so itself.
pub fn length(schema: &Map<String, Value>) -> Length {
    let count = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_u64);
    Length {
        least: count(Keyword::MinLength).unwrap_or(0),
        most: count(Keyword::MaxLength),
    }
}

fn object(schema: &Map<String, Value>, keyword: Keyword) -> Map<String, Value> {
    schema
        .get(keyword.name())
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn names(schema: &Map<String, Value>) -> Vec<&Value> {
    schema
        .get(Keyword::Required.name())
        .and_then(Value::as_array)
        .map(|names| names.iter().collect())
        .unwrap_or_default()
}

fn multiple_holds(step: &Value, writer: &Map<String, Value>) -> bool {
    if step.as_u64() == Some(1) && key_type(writer) == Some(KeyType::Integer) {
        return true;
    }
    let own = writer.get(Keyword::MultipleOf.name()).and_then(Value::as_u64);
    own.zip(step.as_u64())
        .is_some_and(|(own, step)| step > 0 && own.is_multiple_of(step))
}

/// The tightest bound at one end, and whether the bound itself is out.
fn end(schema: &Map<String, Value>, which: End) -> Option<(Numeral, bool)> {
    let (inclusive, exclusive, tighter) = match which {
        End::Low => (Keyword::Minimum, Keyword::ExclusiveMinimum, Ordering::Greater),
        End::High => (Keyword::Maximum, Keyword::ExclusiveMaximum, Ordering::Less),
    };
    let read = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_number).map(Numeral::of);
    match (read(inclusive), read(exclusive)) {
        (None, None) => None,
        (Some(bound), None) => Some((bound, false)),
        (None, Some(bound)) => Some((bound, true)),
        (Some(open), Some(strict)) => {
            if open.compare(strict)? == tighter {
                Some((open, false))
            } else {
                Some((strict, true))
            }
        }
    }
}

/// The outermost whole number within a bound.
fn whole((bound, exclusive): (Numeral, bool), which: End) -> Option<i128> {
    /// Beyond it a double holds no fraction that could matter, and a cast to 128 bits still fits.
    const FAR: f64 = 1e30;
    let (value, exact) = match bound {
        Numeral::Integer(value) => (value, true),
        Numeral::Float(value) if value.abs() < FAR => {
            let rounded = match which {
                End::Low => value.ceil(),
                End::High => value.floor(),
            };
            (rounded as i128, value.fract() == 0.0)
        }
        Numeral::Float(_) => return None,
    };
    let step = match (which, exclusive && exact) {
        (_, false) => 0,
        (End::Low, true) => 1,
        (End::High, true) => -1,
    };
    value.checked_add(step)
}

fn end_holds(which: End, reader: &Map<String, Value>, writer: &Map<String, Value>) -> bool {
    let (Some(asked), Some(own)) = (end(reader, which), end(writer, which)) else {
        return false;
    };
    if key_type(writer) == Some(KeyType::Integer)
        && let (Some(asked), Some(own)) = (whole(asked, which), whole(own, which))
    {
        return match which {
            End::Low => own >= asked,
            End::High => own <= asked,
        };
    }
    let within = match which {
        End::Low => Ordering::Greater,
        End::High => Ordering::Less,
    };
    match own.0.compare(asked.0) {
        Some(Ordering::Equal) => own.1 || !asked.1,
        Some(side) => side == within,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::contains;

    fn schema(document: &Value) -> Map<String, Value> {
        document.as_object().expect("an object").clone()
    }

    #[track_caller]
    fn proved(reader: &Value, writer: &Value, holds: bool) {
        assert_eq!(
            contains(&schema(reader), &schema(writer)),
            holds,
            "{writer} within {reader}"
        );
    }

    #[test]
    fn a_type_holds_itself_and_numbers_hold_integers_z036() {
        proved(&json!({"type": "number"}), &json!({"type": "integer"}), true);
        proved(&json!({"type": "integer"}), &json!({"type": "number"}), false);
        proved(&json!({"type": "string"}), &json!({"type": "string"}), true);
        proved(&json!({"type": "string"}), &json!({"type": "array"}), false);
        proved(&json!({}), &json!({"type": "array"}), true);
        proved(&json!({"type": "array"}), &json!({}), false);
    }

    #[test]
    fn a_list_is_looked_at_value_by_value_z048() {
        let list = |values: Value| json!({"type": "string", "enum": values});
        proved(&list(json!(["a", "b"])), &list(json!(["b"])), true);
        proved(&list(json!(["a"])), &list(json!(["a", "b"])), false);
        proved(
            &json!({"type": "string", "maxLength": 1}),
            &list(json!(["a", "b"])),
            true,
        );
        proved(
            &json!({"type": "string", "maxLength": 1}),
            &list(json!(["a", "bc"])),
            false,
        );
        proved(&list(json!(["a"])), &json!({"type": "string"}), false);
        proved(
            &json!({"type": "boolean", "const": true}),
            &json!({"type": "boolean"}),
            false,
        );
        proved(
            &json!({"type": "boolean", "enum": [false, true]}),
            &json!({"type": "boolean"}),
            true,
        );
        proved(
            &json!({"type": "integer", "enum": [3, 1, 2]}),
            &json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 4}),
            true,
        );
        // A value that its own schema refuses breaks nobody.
        proved(
            &list(json!(["a"])),
            &json!({"type": "string", "enum": ["a", "bcd"], "maxLength": 2}),
            true,
        );
    }

    #[test]
    fn bounds_are_compared_exactly_at_their_edge_z048() {
        let number = |keyword: &str, bound: Value| json!({"type": "number", keyword: bound});
        proved(&number("minimum", json!(1)), &number("minimum", json!(1)), true);
        proved(&number("minimum", json!(1)), &number("minimum", json!(0.5)), false);
        proved(
            &number("minimum", json!(1)),
            &number("exclusiveMinimum", json!(1)),
            true,
        );
        proved(
            &number("exclusiveMinimum", json!(1)),
            &number("minimum", json!(1)),
            false,
        );
        proved(
            &number("maximum", json!(9)),
            &number("exclusiveMaximum", json!(9.5)),
            false,
        );
        proved(
            &number("exclusiveMaximum", json!(9)),
            &number("maximum", json!(8)),
            true,
        );
        let integer = |keyword: &str, bound: Value| json!({"type": "integer", keyword: bound});
        proved(
            &integer("minimum", json!(1)),
            &integer("exclusiveMinimum", json!(0)),
            true,
        );
        proved(
            &integer("exclusiveMinimum", json!(0.5)),
            &integer("minimum", json!(1)),
            true,
        );
        proved(
            &integer("minimum", json!(2)),
            &integer("exclusiveMinimum", json!(0)),
            false,
        );
        proved(&integer("minimum", json!(1)), &integer("maximum", json!(9)), false);
    }

    #[test]
    fn multiples_lengths_patterns_and_formats_are_compared_z048() {
        let proofs = [
            (json!({"multipleOf": 5}), json!({"multipleOf": 10}), true),
            (json!({"multipleOf": 10}), json!({"multipleOf": 5}), false),
            (json!({"multipleOf": 0.1}), json!({"multipleOf": 0.1}), true),
        ];
        for (reader, writer, holds) in proofs {
            proved(&reader, &writer, holds);
        }
        proved(
            &json!({"type": "integer", "multipleOf": 1}),
            &json!({"type": "integer"}),
            true,
        );
        let text = |keyword: &str, value: Value| json!({"type": "string", keyword: value});
        proved(&text("maxLength", json!(5)), &text("maxLength", json!(5)), true);
        proved(&text("maxLength", json!(5)), &text("maxLength", json!(6)), false);
        proved(&text("minLength", json!(2)), &text("minLength", json!(1)), false);
        proved(&text("minLength", json!(0)), &text("maxLength", json!(1)), true);
        proved(&text("pattern", json!("^a$")), &text("pattern", json!("^a$")), true);
        proved(&text("pattern", json!("^a")), &text("pattern", json!("^a$")), true);
        proved(&text("pattern", json!("^a$")), &text("pattern", json!("^a")), false);
        proved(&text("format", json!("date")), &json!({"type": "string"}), false);
        proved(&text("format", json!("airport")), &json!({"type": "string"}), true);
    }

    #[test]
    fn arrays_and_objects_are_compared_member_by_member_z051() {
        let items = |of: Value| json!({"type": "array", "items": of});
        proved(
            &items(json!({"type": "number"})),
            &items(json!({"type": "integer"})),
            true,
        );
        proved(
            &items(json!({"type": "integer"})),
            &items(json!({"type": "number"})),
            false,
        );
        proved(&items(json!({"type": "integer"})), &json!({"type": "array"}), false);
        proved(
            &json!({"type": "array", "uniqueItems": true}),
            &json!({"type": "array", "maxItems": 1}),
            true,
        );
        let object = |properties: Value, required: Value, additional: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": additional});
        let closed = object(json!({"a": {"type": "integer"}}), json!(["a"]), json!(false));
        let open = object(json!({"a": {"type": "integer"}}), json!(["a"]), json!(true));
        let typed = object(json!({}), json!([]), json!({"type": "number"}));
        proved(&open, &closed, true);
        proved(&closed, &open, false);
        proved(&typed, &closed, true);
        proved(&typed, &open, false);
        proved(&closed, &typed, false);
        let optional = object(json!({"a": {"type": "integer"}}), json!([]), json!(false));
        proved(&optional, &closed, true);
        proved(&closed, &optional, false);
    }
}

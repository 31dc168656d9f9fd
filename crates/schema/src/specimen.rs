//! Values of a schema, for showing what breaks: some that it surely accepts, chosen where another schema may differ.
//!
//! Reads schemas in the form of [`crate::json_schema::key_schema`]. Looks at edges: every listed value,
//! each side of every bound and length of both schemas, texts made from the pattern, members that are there and not.
//! Invariant: what is given was checked by the compiled schema. It is bounded, so that it may miss a value; it never
//! gives a wrong one.

pub mod pattern;

use std::cmp::Ordering;
use std::iter::repeat_n;

use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::constraint::ENUM_MAX;
use crate::containment;
use crate::inclusion;
use crate::inclusion::Inclusion;
use crate::json_schema;
use crate::key::KeyType;
use crate::keyword::KEYWORDS;
use crate::keyword::Keyword;
use crate::numeral::Numeral;

/// Values looked at below a key: one level of an array or object tries so many of each member.
const NESTED_MAX: usize = 12;
/// Characters of a text, and elements of an array, that are made to reach beyond a length.
const LENGTH_MAX: u64 = 65_537;
/// A text that is longer is made of one letter alone.
const LONG: usize = 4_096;
const ITEMS_MAX: u64 = 1_025;
/// Bytes, about, of an array that is made: long texts are not repeated as often as short ones.
const ARRAY_BYTES_MAX: usize = 65_536;
/// What an element takes beside its text.
const ELEMENT_BYTES: usize = 16;

/// Texts that are tried for every string.
const TEXTS: [&str; 8] = ["a", "word", "A", "7", "", "two words", "é", "a-b_c.d"];

/// A value that is accepted by `schema`, and by `also` where one such is found.
pub fn specimen(schema: &Map<String, Value>, also: &Map<String, Value>) -> Option<Value> {
    let found = specimens(schema, also);
    let reads = compile(also);
    let both = found
        .iter()
        .find(|value| reads.as_ref().is_some_and(|reads| reads.is_valid(value)));
    both.or_else(|| found.first()).cloned()
}

/// A value that is accepted by `schema` and not by `reader`.
pub fn witness(schema: &Map<String, Value>, reader: &Map<String, Value>) -> Option<Value> {
    let reads = compile(reader)?;
    specimens(schema, reader)
        .into_iter()
        .find(|value| !value.is_null() && !reads.is_valid(value))
}

/// Values that `schema` accepts, chosen where `also` may differ from it.
pub fn specimens(schema: &Map<String, Value>, also: &Map<String, Value>) -> Vec<Value> {
    let Some(accepts) = compile(schema) else {
        return Vec::new();
    };
    candidates(schema, also)
        .into_iter()
        .filter(|value| accepts.is_valid(value))
        .collect()
}

fn compile(schema: &Map<String, Value>) -> Option<jsonschema::Validator<SerdeJson>> {
    json_schema::compile(&Value::Object(schema.clone())).ok()
}

/// What may be accepted, the plainest first.
fn candidates(schema: &Map<String, Value>, also: &Map<String, Value>) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for listing in [schema, also] {
        values.extend(
            containment::listed(listing)
                .unwrap_or_default()
                .into_iter()
                .take(ENUM_MAX),
        );
    }
    let closed = schema.contains_key(Keyword::Enum.name()) || schema.contains_key(Keyword::Const.name());
    if closed {
        return values;
    }
    match containment::key_type(schema) {
        Some(key_type) => of_type(key_type, schema, also, &mut values),
        None => {
            let mut kinds = vec![KeyType::String, KeyType::Number, KeyType::Boolean];
            // Only where something is said of them: what says nothing would nest in itself without end.
            kinds.extend([KeyType::Array, KeyType::Object].into_iter().filter(|kind| {
                KEYWORDS.into_iter().any(|keyword| {
                    let structural = !matches!(keyword, Keyword::Enum | Keyword::Const) && keyword.speaks_of(*kind);
                    structural && (schema.contains_key(keyword.name()) || also.contains_key(keyword.name()))
                })
            }));
            for key_type in kinds {
                of_type(key_type, schema, also, &mut values);
            }
            values.extend([json!([]), json!({})]);
        }
    }
    values
}

fn of_type(key_type: KeyType, schema: &Map<String, Value>, also: &Map<String, Value>, values: &mut Vec<Value>) {
    match key_type {
        KeyType::String => values.extend(texts(schema, also).into_iter().map(Value::String)),
        KeyType::Integer | KeyType::Number => numbers(key_type, schema, also, values),
        KeyType::Boolean => values.extend([json!(true), json!(false)]),
        KeyType::Null => values.push(Value::Null),
        KeyType::Array => arrays(schema, also, values),
        KeyType::Object => objects(schema, also, values),
    }
}

fn texts(schema: &Map<String, Value>, also: &Map<String, Value>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let text = |schema: &Map<String, Value>, keyword: Keyword| {
        schema.get(keyword.name()).and_then(Value::as_str).map(str::to_owned)
    };
    for source in [schema, also] {
        if let Some(format) = text(source, Keyword::Format) {
            texts.extend(of_format(&format).iter().map(|text| (*text).to_owned()));
        }
        if let Some(source) = text(source, Keyword::Pattern) {
            texts.extend(pattern::matches(&source));
        }
    }
    // What only the other pattern refuses, whatever its letters are.
    if let Some(asked) = text(also, Keyword::Pattern) {
        let own = text(schema, Keyword::Pattern).unwrap_or_default();
        if let Inclusion::Fails(refused) = inclusion::compare(&own, &asked, containment::length(schema)) {
            texts.extend(refused);
        }
    }
    texts.extend(TEXTS.map(str::to_owned));
    for length in edges(schema, also, &[Keyword::MinLength, Keyword::MaxLength], LENGTH_MAX) {
        let letters: &[&str] = if length > LONG { &["a"] } else { &["a", "A", "7", "é"] };
        texts.extend(letters.iter().map(|letter| letter.repeat(length)));
    }
    texts
}

fn numbers(key_type: KeyType, schema: &Map<String, Value>, also: &Map<String, Value>, values: &mut Vec<Value>) {
    const BOUNDS: [Keyword; 4] = [
        Keyword::Minimum,
        Keyword::Maximum,
        Keyword::ExclusiveMinimum,
        Keyword::ExclusiveMaximum,
    ];
    let read = |keyword: Keyword| {
        [schema, also]
            .into_iter()
            .filter_map(move |source| source.get(keyword.name()).and_then(Value::as_number).map(Numeral::of))
    };
    let mut numerals: Vec<Numeral> = [1, 2, 0, -1, 7, 10, 1_000_000].map(Numeral::Integer).to_vec();
    let bounds: Vec<Numeral> = BOUNDS.into_iter().flat_map(read).collect();
    for bound in &bounds {
        for step in [0.0, 1.0, -1.0, 0.5, -0.5] {
            numerals.push(shifted(*bound, step));
        }
    }
    for step in read(Keyword::MultipleOf) {
        for times in [1_i128, 2, 3, -1] {
            numerals.push(multiple(step, times));
        }
        for bound in &bounds {
            numerals.extend(multiples_at(step, *bound));
            // What lies beside every multiple, however small the step is.
            numerals.push(shifted(*bound, size(step) / 2.0));
            numerals.push(shifted(*bound, size(step) / -3.0));
            numerals.push(shifted(*bound, size(step) / 3.0));
        }
    }
    numerals.extend(between(&bounds));
    if key_type == KeyType::Number {
        numerals.extend([1.5, 0.25, -0.5].map(Numeral::Float));
    }
    values.extend(numerals.into_iter().filter_map(Numeral::number).map(Value::Number));
}

fn shifted(bound: Numeral, step: f64) -> Numeral {
    match bound {
        Numeral::Integer(value) if step.fract() == 0.0 => Numeral::Integer(value.saturating_add(step as i128)),
        Numeral::Integer(value) => Numeral::Float(value as f64 + step),
        Numeral::Float(value) => Numeral::Float(value + step),
    }
}

fn multiple(step: Numeral, times: i128) -> Numeral {
    match step {
        Numeral::Integer(step) => Numeral::Integer(step.saturating_mul(times)),
        Numeral::Float(step) => Numeral::Float(step * times as f64),
    }
}

fn size(numeral: Numeral) -> f64 {
    match numeral {
        Numeral::Integer(value) => value as f64,
        Numeral::Float(value) => value,
    }
}

/// Numbers between each bound and the next, whole ones and others.
fn between(bounds: &[Numeral]) -> Vec<Numeral> {
    let mut sorted = bounds.to_vec();
    sorted.sort_by(|a, b| a.compare(*b).unwrap_or(Ordering::Equal));
    let pairs = sorted.iter().zip(sorted.iter().skip(1));
    let found = pairs.flat_map(|(low, high)| {
        let (low, high) = (size(*low), size(*high));
        let inside = [2.0, 3.0].map(|part| low + (high - low) / part);
        [inside, inside.map(f64::ceil)].concat()
    });
    found.map(Numeral::Float).collect()
}

/// The multiples on either side of a bound.
fn multiples_at(step: Numeral, bound: Numeral) -> Vec<Numeral> {
    let (Numeral::Integer(step), Numeral::Integer(bound)) = (step, bound) else {
        return decimal_multiples_at(size(step), size(bound));
    };
    let Some(times) = bound.checked_div_euclid(step) else {
        return Vec::new();
    };
    [times, times + 1, times + 2]
        .map(|times| Numeral::Integer(step.saturating_mul(times)))
        .to_vec()
}

/// The same of a step with a fraction, each as a decimal number is written.
fn decimal_multiples_at(step: f64, bound: f64) -> Vec<Numeral> {
    let times = (bound / step).floor();
    let found = [0.0, 1.0, 2.0].into_iter().filter_map(|more| {
        let exact = (times + more) * step;
        format!("{exact:.9}").parse().ok()
    });
    found
        .filter(|value: &f64| value.is_finite())
        .map(Numeral::Float)
        .collect()
}

fn arrays(schema: &Map<String, Value>, also: &Map<String, Value>, values: &mut Vec<Value>) {
    let items = |source: &Map<String, Value>| member(source, Keyword::Items);
    let own = items(schema);
    let mut elements: Vec<Value> = Vec::new();
    for element in telling(specimens(&own, &items(also)), &items(also)) {
        if !elements.contains(&element) {
            elements.push(element);
        }
    }
    let Some(first) = elements.first().cloned() else {
        values.push(json!([]));
        return;
    };
    let mut lengths = vec![1, 0, 2];
    lengths.extend(edges(schema, also, &[Keyword::MinItems, Keyword::MaxItems], ITEMS_MAX));
    for length in lengths {
        values.extend(made(elements.iter().cycle().take(length)));
        values.extend(made(repeat_n(&first, length)));
        if schema.get(Keyword::UniqueItems.name()) == Some(&Value::Bool(true)) {
            values.extend(distinct(&own, length));
        }
    }
    // One element after another where it stands out: among as few as may be.
    let least = schema
        .get(Keyword::MinItems.name())
        .and_then(Value::as_u64)
        .unwrap_or(1)
        .clamp(1, ITEMS_MAX);
    let least = usize::try_from(least).unwrap_or(1);
    for place in 0..elements.len() {
        values.extend(made(elements.iter().cycle().skip(place).take(least)));
    }
}

/// An array, unless it is too large.
fn made<'v>(elements: impl Iterator<Item = &'v Value>) -> Option<Value> {
    let mut bytes = 0;
    let mut list = Vec::new();
    for element in elements {
        bytes += weight(element);
        if list.len() > 1 && bytes > ARRAY_BYTES_MAX {
            return None;
        }
        list.push(element.clone());
    }
    Some(list.into())
}

/// Bytes, about, that a value takes.
fn weight(value: &Value) -> usize {
    let below = match value {
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(weight).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + weight(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    ELEMENT_BYTES + below
}

/// An array without any element twice, counted through where its elements may be.
fn distinct(of: &Map<String, Value>, length: usize) -> Option<Value> {
    let accepts = compile(of)?;
    let counted = 0..length.saturating_add(1_000);
    let numbers = counted.clone().map(|n| json!(n));
    let texts = counted.map(|n| json!(format!("a{n}")));
    let mut ways = [numbers.collect::<Vec<_>>(), texts.collect()].into_iter().map(|way| {
        let fitting = way.into_iter().filter(|value| accepts.is_valid(value));
        fitting.take(length).collect::<Vec<_>>()
    });
    ways.find(|list| list.len() == length).map(Value::Array)
}

fn objects(schema: &Map<String, Value>, also: &Map<String, Value>, values: &mut Vec<Value>) {
    let declared = member(schema, Keyword::Properties);
    let theirs = member(also, Keyword::Properties);
    let rest = additional(schema);
    let empty = Map::new();
    let mut asked: Vec<&str> = Vec::new();
    for source in [schema, also] {
        let required = source.get(Keyword::Required.name()).and_then(Value::as_array);
        asked.extend(required.into_iter().flatten().filter_map(Value::as_str));
    }
    asked.extend(declared.keys().chain(theirs.keys()).map(String::as_str));
    asked.push("another_member");
    let mut members: Vec<(&str, Vec<Value>)> = Vec::new();
    for name in asked {
        if members.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let own = match declared.get(name) {
            Some(own) => own.as_object().cloned(),
            None => rest.clone(),
        };
        let read = theirs.get(name).and_then(Value::as_object);
        let read = read
            .cloned()
            .or_else(|| additional(also))
            .unwrap_or_else(|| empty.clone());
        let found = own.map(|own| specimens(&own, &read)).unwrap_or_default();
        members.push((name, telling(found, &read)));
    }
    let required: Vec<&str> = schema
        .get(Keyword::Required.name())
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut least = Map::new();
    let mut all = Map::new();
    for (name, found) in &members {
        let Some(first) = found.first() else { continue };
        if required.contains(name) {
            least.insert((*name).to_owned(), first.clone());
        }
        if *name != "another_member" {
            all.insert((*name).to_owned(), first.clone());
        }
    }
    values.extend([Value::Object(least.clone()), Value::Object(all)]);
    for (name, found) in &members {
        for value in found {
            let mut variant = least.clone();
            variant.insert((*name).to_owned(), value.clone());
            values.push(Value::Object(variant));
        }
    }
}

/// As many as are tried below a key: the plainest, then those that the reader refuses, so that they are seen from above.
fn telling(found: Vec<Value>, reader: &Map<String, Value>) -> Vec<Value> {
    let reads = compile(reader);
    let mut found = found.into_iter();
    let plainest = found.next();
    let (refused, accepted): (Vec<Value>, Vec<Value>) =
        found.partition(|value| reads.as_ref().is_some_and(|reads| !reads.is_valid(value)));
    let all = plainest.into_iter().chain(refused).chain(accepted);
    all.take(NESTED_MAX).collect()
}

/// What members that are not declared have to be; `None` where there may be none.
fn additional(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    match schema.get(Keyword::AdditionalProperties.name()) {
        Some(Value::Bool(false)) => None,
        Some(Value::Object(own)) => Some(own.clone()),
        Some(_) | None => Some(Map::new()),
    }
}

fn member(schema: &Map<String, Value>, keyword: Keyword) -> Map<String, Value> {
    schema
        .get(keyword.name())
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

/// Lengths at and on either side of each bound.
fn edges(schema: &Map<String, Value>, also: &Map<String, Value>, keywords: &[Keyword], max: u64) -> Vec<usize> {
    let mut edges: Vec<usize> = Vec::new();
    for source in [schema, also] {
        for keyword in keywords {
            if let Some(length) = source.get(keyword.name()).and_then(Value::as_u64) {
                let around = [length, length.saturating_add(1), length.saturating_sub(1)];
                edges.extend(
                    around
                        .into_iter()
                        .filter(|length| *length <= max)
                        .filter_map(|n| usize::try_from(n).ok()),
                );
            }
        }
    }
    edges
}

/// Texts of a format that is asserted.
fn of_format(format: &str) -> &'static [&'static str] {
    match format {
        "date" => &["2026-05-04", "2024-02-29"],
        "date-time" => &["2026-05-04T09:00:00Z", "2026-05-04T09:00:00+02:00"],
        "time" => &["09:00:00Z", "23:59:59+02:00"],
        "duration" => &["PT2H", "P1DT12H"],
        "email" | "idn-email" => &["a@example.org"],
        "hostname" | "idn-hostname" => &["example.org", "host"],
        "ipv4" => &["192.0.2.1"],
        "ipv6" => &["2001:db8::1"],
        "uri" | "iri" => &["https://example.org/a"],
        "uri-reference" | "iri-reference" => &["/a", "https://example.org/a"],
        "uri-template" => &["https://example.org/{id}", "plain"],
        "uuid" => &["123e4567-e89b-12d3-a456-426614174000"],
        "json-pointer" => &["/a/b", ""],
        "relative-json-pointer" => &["0/a"],
        "regex" => &["^a$"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests;

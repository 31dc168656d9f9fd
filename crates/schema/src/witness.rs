//! Values of a schema, for showing what breaks: some that it surely accepts, chosen where another schema may differ.
//!
//! Reads schemas in the form of [`crate::json_schema::key_schema`]. Looks at edges: every listed value,
//! each side of every bound and length of both schemas, texts of the patterns, members that are there and not.
//! Invariant: what is given was checked by the compiled schema. It is bounded, so that it may miss a value; it never
//! gives a wrong one.

use std::iter::repeat_n;

use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;
use serde_json::json;
use strum::VariantArray;

use crate::budget::Budget;
use crate::constraint::ENUM_MAX;
use crate::cost;
use crate::covers::length;
use crate::format;
use crate::json_schema;
use crate::json_schema::Says;
use crate::json_schema::Schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::numeral::Numeral;
use crate::pattern;
use crate::pattern::Inclusion;

/// Values looked at below a key: one level of an array or object tries so many of each member.
const NESTED_MAX: usize = 12;
/// Characters of a text, and elements of an array, that are made to reach beyond a length.
const LENGTH_MAX: u64 = 65_537;
/// A text that is longer is made of one letter alone.
const LONG: usize = 4_096;
const ITEMS_MAX: u64 = 1_025;
/// Bytes, about, of an array that is made: long texts are not repeated as often as short ones.
const ARRAY_BYTES_MAX: usize = 65_536;
/// Units of a byte of a schema that is compiled.
const COMPILED_UNITS: u64 = 2;
/// What an element takes beside its text.
const ELEMENT_BYTES: usize = 16;
/// Whole numbers of a range that are looked at one by one.
const LISTED_RANGE_MAX: f64 = 256.0;
/// Whole doubles beyond 2^53 stand for more than one number.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// Texts that are tried for every string.
const TEXTS: [&str; 8] = ["a", "word", "A", "7", "", "two words", "é", "a-b_c.d"];
/// A member that neither schema is likely to declare.
const ANOTHER: &str = "another_member";

/// A value that is accepted by `schema`, and by `also` where one such is found.
pub fn sample(schema: &Schema, also: &Schema, budget: &Budget<'_>) -> Option<Value> {
    let found = samples(schema, also, budget);
    let reads = compile(also, budget);
    let both = found
        .iter()
        .find(|value| reads.as_ref().is_some_and(|reads| reads.is_valid(value)));
    both.or_else(|| found.first()).cloned()
}

/// Returns whether a value of `schema` that `reader` refuses follows from bounds of lengths alone: such a value may be too long to be made. What
/// else `schema` asks must leave every length open.
pub fn breaks_by_length(schema: &Schema, reader: &Schema, budget: &Budget<'_>) -> bool {
    let asks = |keywords: &[Keyword]| keywords.iter().any(|keyword| schema.value(*keyword).is_some());
    if schema.key_type() != reader.key_type() || asks(&[Keyword::Enum, Keyword::Const]) {
        return false;
    }
    let bounds = match schema.key_type() {
        Some(KeyType::String) if !asks(&[Keyword::Pattern, Keyword::Format]) => {
            [Keyword::MinLength, Keyword::MaxLength]
        }
        Some(KeyType::Array) if schema.value(Keyword::UniqueItems) != Some(&Value::Bool(true)) => {
            let items = schema.below(Keyword::Items).cloned().unwrap_or_default();
            if samples(&items, &Schema::new(), budget).is_empty() {
                return false;
            }
            [Keyword::MinItems, Keyword::MaxItems]
        }
        Some(KeyType::Object) => {
            let [own, asked] = [schema, reader].map(|source| source.below(Keyword::Properties));
            let (Some(own), Some(asked)) = (own, asked) else {
                return false;
            };
            let both = own
                .iter()
                .filter_map(|(name, own)| Some((own.as_object()?, asked.get(name)?.as_object()?)));
            let mut both = both.filter(|(own, asked)| breaks_by_length(own, asked, budget));
            // Any object that is right stays so with such a member.
            return both.next().is_some() && !samples(schema, &Schema::new(), budget).is_empty();
        }
        _ => return false,
    };
    let range = |source: &Schema| {
        let [least, most] = bounds.map(|keyword| source.count(keyword));
        (least.unwrap_or(0), most.unwrap_or(u64::MAX))
    };
    let ((least, most), (asked_least, asked_most)) = (range(schema), range(reader));
    least <= most && (least < asked_least || most > asked_most)
}

/// A value that is accepted by `schema` and not by `reader`.
pub fn witness(schema: &Schema, reader: &Schema, budget: &Budget<'_>) -> Option<Value> {
    let reads = compile(reader, budget)?;
    let breaks = |value: &Value| !value.is_null() && budget.spend_for(weight(value)) && !reads.is_valid(value);
    // What the patterns alone show costs least.
    if let Some(asked) = reader.text(Keyword::Pattern)
        && let Inclusion::Fails(texts) = refused(schema, asked, budget)
    {
        let accepts = compile(schema, budget)?;
        let mut texts = texts.into_iter().map(Value::String);
        if let Some(found) = texts.find(|text| accepts.is_valid(text) && breaks(text)) {
            return Some(found);
        }
    }
    samples(schema, reader, budget).into_iter().find(breaks)
}

/// Values that `schema` accepts, chosen where `also` may differ from it; the plainest first.
pub fn samples(schema: &Schema, also: &Schema, budget: &Budget<'_>) -> Vec<Value> {
    let Some(accepts) = compile(schema, budget) else {
        return Vec::new();
    };
    let mut values = candidates(schema, also, budget);
    values.retain(|value| budget.spend_for(weight(value)) && accepts.is_valid(value));
    values
}

fn compile(schema: &Schema, budget: &Budget<'_>) -> Option<jsonschema::Validator<SerdeJson>> {
    if !budget.spend(COMPILED_UNITS.saturating_mul(cost::units(schema))) {
        return None;
    }
    json_schema::compile(&Value::Object(schema.clone())).ok()
}

/// What may be accepted.
fn candidates(schema: &Schema, also: &Schema, budget: &Budget<'_>) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for source in [schema, also] {
        values.extend(source.value(Keyword::Const).cloned());
        values.extend(source.list(Keyword::Enum).iter().take(ENUM_MAX).cloned());
    }
    if schema.value(Keyword::Enum).or(schema.value(Keyword::Const)).is_some() {
        return values;
    }
    let Some(key_type) = schema.key_type() else {
        // Of arrays and objects only where something is said of them: what says nothing would nest in itself without end.
        let is_said = |keyword: &Keyword| schema.value(*keyword).or(also.value(*keyword)).is_some();
        let structural = || Keyword::VARIANTS.iter().skip(2).filter(|keyword| is_said(keyword));
        let says = |kind: KeyType| structural().any(|keyword| keyword.speaks_of(kind));
        let nested = [KeyType::Array, KeyType::Object].into_iter().filter(|kind| says(*kind));
        let plain = [KeyType::String, KeyType::Number, KeyType::Boolean].into_iter();
        plain
            .chain(nested)
            .for_each(|kind| of_type(kind, schema, also, &mut values, budget));
        values.extend([json!([]), json!({})]);
        return values;
    };
    of_type(key_type, schema, also, &mut values, budget);
    values
}

fn of_type(key_type: KeyType, schema: &Schema, also: &Schema, values: &mut Vec<Value>, budget: &Budget<'_>) {
    match key_type {
        KeyType::String => values.extend(texts(schema, also, budget).into_iter().map(Value::String)),
        KeyType::Integer | KeyType::Number => numbers(key_type, schema, also, values),
        KeyType::Boolean => values.extend([json!(true), json!(false)]),
        KeyType::Null => values.push(Value::Null),
        KeyType::Array => arrays(schema, also, values, budget),
        KeyType::Object => objects(schema, also, values, budget),
    }
}

fn texts(schema: &Schema, also: &Schema, budget: &Budget<'_>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for source in [schema, also] {
        let samples = source.text(Keyword::Format).and_then(format::find);
        let samples = samples.map(|format| format.samples);
        texts.extend(samples.into_iter().flatten().map(|sample| (*sample).to_owned()));
    }
    let (own, asked) = (schema.text(Keyword::Pattern), also.text(Keyword::Pattern));
    for text in own.into_iter().chain(asked) {
        texts.extend(pattern::texts(text, length(schema), budget));
    }
    // What only the other pattern refuses, whatever its letters are.
    if let Some(asked) = asked
        && let Inclusion::Fails(refused) = refused(schema, asked, budget)
    {
        texts.extend(refused);
    }
    texts.extend(TEXTS.map(str::to_owned));
    for length in edges(schema, also, [Keyword::MinLength, Keyword::MaxLength], LENGTH_MAX) {
        let letters: &[&str] = if length > LONG { &["a"] } else { &["a", "A", "7", "é"] };
        if !budget.spend_for(letters.len() * length) {
            break;
        }
        texts.extend(letters.iter().map(|letter| letter.repeat(length)));
    }
    texts
}

/// Texts of a schema's own pattern, or of its format, that another pattern refuses.
fn refused(schema: &Schema, asked: &str, budget: &Budget<'_>) -> Inclusion {
    let format = schema.text(Keyword::Format).and_then(format::find);
    let own = match schema.text(Keyword::Pattern) {
        Some(own) => own.to_owned(),
        None => format.and_then(|format| format.pattern()).unwrap_or_default(),
    };
    pattern::compare(&own, asked, length(schema), budget)
}

fn numbers(key_type: KeyType, schema: &Schema, also: &Schema, values: &mut Vec<Value>) {
    let read = |keyword: Keyword| {
        let sources = [schema, also].into_iter();
        sources.filter_map(move |source| source.value(keyword)?.as_number())
    };
    let bounds: Vec<&Number> = [
        Keyword::Minimum,
        Keyword::Maximum,
        Keyword::ExclusiveMinimum,
        Keyword::ExclusiveMaximum,
    ]
    .into_iter()
    .flat_map(read)
    .collect();
    let mut sizes: Vec<f64> = bounds.iter().filter_map(|bound| bound.as_f64()).collect();
    values.extend([1, 2, 0, -1, 7, 10, 1_000_000].map(Value::from));
    // A whole bound is exact, however large it is.
    for bound in &bounds {
        if let Numeral::Integer(bound) = Numeral::of(bound) {
            let around = [bound, bound + 1, bound - 1].into_iter().filter_map(Number::from_i128);
            values.extend(around.map(Value::Number));
        }
    }
    let mut found: Vec<f64> = sizes
        .iter()
        .flat_map(|bound| [0.0, 1.0, -1.0, 0.5, -0.5].map(|step| bound + step))
        .collect();
    for step in read(Keyword::MultipleOf).filter_map(Number::as_f64) {
        found.extend([1.0, 2.0, 3.0, -1.0].map(|times| step * times));
        for bound in &sizes {
            let times = (bound / step).floor();
            // As decimal numbers are written, and what lies beside every multiple, however small the step is.
            let multiples =
                [0.0, 1.0, 2.0].map(|more| format!("{:.9}", (times + more) * step).parse().unwrap_or(*bound));
            found.extend(multiples);
            found.extend([2.0, -3.0, 3.0].map(|part| bound + step / part));
        }
    }
    sizes.sort_by(f64::total_cmp);
    for (low, high) in sizes.iter().zip(sizes.iter().skip(1)) {
        let inside = [2.0, 3.0].map(|part| low + (high - low) / part);
        found.extend(inside.into_iter().chain(inside.map(f64::ceil)));
        if high - low < LISTED_RANGE_MAX {
            found.extend(
                (0..=256)
                    .map(|more| low.ceil() + f64::from(more))
                    .filter(|value| value <= high),
            );
        }
    }
    if key_type == KeyType::Number {
        found.extend([1.5, 0.25, -0.5]);
    }
    values.extend(found.into_iter().filter_map(number));
}

/// A number as it is best written: a whole one without a fraction.
fn number(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() <= EXACT_MAX {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

fn arrays(schema: &Schema, also: &Schema, values: &mut Vec<Value>, budget: &Budget<'_>) {
    let [own, asked] = [schema, also].map(|source| source.below(Keyword::Items).cloned().unwrap_or_default());
    let mut elements: Vec<Value> = Vec::new();
    for element in telling(samples(&own, &asked, budget), &asked, budget) {
        if !elements.contains(&element) {
            elements.push(element);
        }
    }
    let Some(first) = elements.first() else {
        values.push(json!([]));
        return;
    };
    let mut lengths = vec![1, 0, 2];
    lengths.extend(edges(schema, also, [Keyword::MinItems, Keyword::MaxItems], ITEMS_MAX));
    for length in lengths {
        values.extend(made(elements.iter().cycle().take(length), budget));
        values.extend(made(repeat_n(first, length), budget));
        if schema.value(Keyword::UniqueItems) == Some(&Value::Bool(true)) {
            values.extend(distinct(&own, length, budget));
        }
    }
    // One element after another where it stands out: among as few as may be.
    let least = schema.count(Keyword::MinItems).unwrap_or(1).clamp(1, ITEMS_MAX);
    let least = usize::try_from(least).unwrap_or(1);
    for place in 0..elements.len() {
        values.extend(made(elements.iter().cycle().skip(place).take(least), budget));
    }
}

/// An array, unless it is too large.
fn made<'v>(elements: impl Iterator<Item = &'v Value>, budget: &Budget<'_>) -> Option<Value> {
    let mut bytes = 0;
    let mut list = Vec::new();
    for element in elements {
        let own = weight(element);
        bytes += own;
        if (list.len() > 1 && bytes > ARRAY_BYTES_MAX) || !budget.spend_for(own) {
            return None;
        }
        list.push(element.clone());
    }
    Some(list.into())
}

/// Bytes, about, that a value takes.
pub fn weight(value: &Value) -> usize {
    let below = match value {
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(weight).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + weight(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    ELEMENT_BYTES + below
}

/// An array without any element twice, counted through where its elements may be.
fn distinct(of: &Schema, length: usize, budget: &Budget<'_>) -> Option<Value> {
    let accepts = compile(of, budget)?;
    let list = |counted: &dyn Fn(usize) -> Value| -> Vec<Value> {
        let granted = |_: &usize| budget.spend_for(ELEMENT_BYTES);
        let counted = (0..length.saturating_add(1_000)).take_while(granted).map(counted);
        counted.filter(|value| accepts.is_valid(value)).take(length).collect()
    };
    let lists = [list(&|n| json!(n)), list(&|n| json!(format!("a{n}")))];
    lists.into_iter().find(|list| list.len() == length).map(Value::Array)
}

fn objects(schema: &Schema, also: &Schema, values: &mut Vec<Value>, budget: &Budget<'_>) {
    let [declared, asked] = [schema, also].map(|source| source.below(Keyword::Properties).cloned().unwrap_or_default());
    let (rest, asked_rest) = (schema.additional(), also.additional().unwrap_or_default());
    let own_required = schema.required();
    let mut names: Vec<String> = own_required
        .iter()
        .chain(&also.required())
        .map(|name| (*name).to_owned())
        .collect();
    names.extend(declared.keys().chain(asked.keys()).cloned());
    names.push(ANOTHER.to_owned());
    let mut members: Map<String, Value> = Map::new();
    for name in names {
        if members.contains_key(&name) {
            continue;
        }
        let own = match declared.get(&name) {
            Some(own) => own.as_object().cloned(),
            None => rest.clone(),
        };
        let read = asked.get(&name).and_then(Value::as_object).unwrap_or(&asked_rest);
        let found = own.map(|own| samples(&own, read, budget)).unwrap_or_default();
        members.insert(name, Value::Array(telling(found, read, budget)));
    }
    let firsts = |keeps: &dyn Fn(&String) -> bool| -> Schema {
        let kept = members.iter().filter(|(name, _)| keeps(name));
        kept.filter_map(|(name, found)| Some((name.clone(), found.get(0)?.clone())))
            .collect()
    };
    let least = firsts(&|name| own_required.contains(&name.as_str()));
    values.extend([least.clone(), firsts(&|name| name != ANOTHER)].map(Value::Object));
    let own = weight(&Value::Object(least.clone()));
    for (name, found) in &members {
        for value in found.as_array().into_iter().flatten() {
            if !budget.spend_for(own + weight(value)) {
                return;
            }
            let mut variant = least.clone();
            variant.insert(name.clone(), value.clone());
            values.push(Value::Object(variant));
        }
    }
}

/// As many as are tried below a key: the plainest, then those that the reader refuses, so that they are seen from above.
fn telling(found: Vec<Value>, reader: &Schema, budget: &Budget<'_>) -> Vec<Value> {
    let reads = compile(reader, budget);
    let mut found = found.into_iter();
    let plainest = found.next();
    let (refused, accepted): (Vec<Value>, Vec<Value>) = found.partition(|value| {
        budget.spend_for(weight(value)) && reads.as_ref().is_some_and(|reads| !reads.is_valid(value))
    });
    let all = plainest.into_iter().chain(refused).chain(accepted);
    all.take(NESTED_MAX).collect()
}

/// Lengths at and on either side of each bound.
fn edges(schema: &Schema, also: &Schema, keywords: [Keyword; 2], max: u64) -> Vec<usize> {
    let bounds = [schema, also]
        .into_iter()
        .flat_map(|source| keywords.map(|keyword| source.count(keyword)));
    let around = bounds
        .flatten()
        .flat_map(|length| [length, length.saturating_add(1), length.saturating_sub(1)]);
    around
        .filter(|length| *length <= max)
        .filter_map(|length| usize::try_from(length).ok())
        .collect()
}

#[cfg(test)]
mod tests;

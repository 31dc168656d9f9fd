//! An example of how something that a user says becomes a value of a key (Z-040), made for the key's type and constraints.
//!
//! Knows of a key its name, its type, its constraints, and those that its description announces. Invariant: the key accepts the
//! value that is shown.

use std::cmp::Reverse;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::json_schema::key_schema;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::announced::hinted;
use crate::domain::template::lint::draft::words;
use crate::domain::template::lint::mapping;
use crate::domain::template::rule::Rule;
use crate::domain::template::specimen::specimens;

/// Characters of a value that is made: a description is to stay short.
const MADE_CHARS_MAX: usize = 160;

/// Parts of a wish, for a key that asks for a length: one of each makes a whole one.
const WISH: [&[&str]; 6] = [
    &["tea", "green tea", "a pot of tea"],
    &["", " with milk", " with milk and sugar"],
    &["", " for two", " for all of us"],
    &["", " at noon", " in the afternoon"],
    &[
        "",
        ", as it was the last time",
        ", as it was the last time we were there",
    ],
    &[
        "",
        ", then a slice of cake",
        ", then a slice of cake for each of us and the bill",
    ],
];

/// A mapping example whose value the key accepts, from words that a user could say; one that is also among what the
/// description announces, where there is such a value. None where the description says more of the values than is read.
pub fn example(key: &KeyDefinition) -> Option<String> {
    if announced::is_unread(key) || hinted::is_formed(key) {
        return None;
    }
    let meant = announced::as_meant(key);
    of_rule(&meant).or_else(|| of_rule(key))
}

fn of_rule(key: &KeyDefinition) -> Option<String> {
    let rule = &Rule::compile(key.key_type, &key.constraints);
    let fits = |value: &Value| rule.check(value).is_ok();
    let pairs: Vec<(String, Value)> = match key.key_type {
        KeyType::String => {
            if let Some(listed) = mapping::literal_example(key, rule) {
                return Some(listed);
            }
            let texts = |some: &'static [(&'static str, &'static str)]| {
                some.iter().map(|(said, text)| ((*said).to_owned(), json!(text)))
            };
            let longer = longer()
                .into_iter()
                .map(|text| (format!("{text}, please"), json!(text)));
            let all = texts(&TEXTS[..1]).chain(longer).chain(texts(&TEXTS[1..]));
            all.filter(|(_, text)| fits(text)).take(1).collect()
        }
        KeyType::Integer | KeyType::Number => {
            let low = key.constraints.get("minimum").cloned();
            let values = [2, 1, 10, 100, 0].map(|number| json!(number)).into_iter().chain(low);
            let fitting = values.filter(fits).take(1);
            fitting.map(|value| (counted(key, &value), value)).collect()
        }
        KeyType::Boolean => {
            let thing = thing(key);
            let both = [
                (format!("yes, {thing}"), json!(true)),
                (format!("no {thing}"), json!(false)),
            ];
            // "No arrives late" is nothing that anybody says, nor is "no no smoking".
            let is_thing = !["no ", "non ", "not "].iter().any(|no| thing.starts_with(no))
                && !thing.split_once(' ').is_some_and(|(first, _)| first.ends_with('s'));
            both.into_iter()
                .filter(|(_, value)| fits(value) && (is_thing || *value == json!(true)))
                .collect()
        }
        KeyType::Array => {
            let plain = [[json!("the first"), json!("the second")], [json!(1), json!(2)]];
            let mut pairs = elements(key).into_iter().chain(plain).map(|[one, other]| {
                let said = format!("{} and {}", spoken(&one), spoken(&other));
                (said, json!([one, other]))
            });
            pairs.find(|(_, value)| fits(value)).into_iter().collect()
        }
        KeyType::Object => {
            // Of members that are declared, others are shown than this.
            let size =
                Some(json!({"size": "large"})).filter(|size| fits(size) && !key.constraints.contains_key("properties"));
            size.map(|value| ("a large one".to_owned(), value))
                .into_iter()
                .collect()
        }
        KeyType::Null => vec![("nothing".to_owned(), Value::Null)],
    };
    let made = || made(key, rule).into_iter().collect();
    let pairs = if pairs.is_empty() { made() } else { pairs };
    let shown: Vec<String> = pairs.into_iter().map(|(said, value)| shown(&said, &value)).collect();
    (!shown.is_empty()).then(|| format!("Example mapping: {}.", shown.join("; ")))
}

/// An example with a value that is made from the constraints, where no plain one fits.
fn made(key: &KeyDefinition, rule: &Rule) -> Option<(String, Value)> {
    let Value::Object(schema) = key_schema(key.key_type, &key.constraints) else {
        return None;
    };
    let fitting = specimens(&schema, &Map::new())
        .into_iter()
        .filter(|value| rule.check(value).is_ok() && is_shown(value));
    let value = match key.key_type {
        KeyType::Integer | KeyType::Number => fitting.min_by_key(|value| value.to_string().len())?,
        // The first of those with the most members, which are the plainest.
        KeyType::Object => {
            let fullest = fitting.min_by_key(|value| Reverse(value.as_object().map_or(0, Map::len)))?;
            with_words(fullest, rule)
        }
        KeyType::String | KeyType::Boolean | KeyType::Array | KeyType::Null => fitting.into_iter().next()?,
    };
    let said = match &value {
        Value::Number(_) => format!("make it {value}"),
        other => format!("it is {}", told(other)),
    };
    Some((said, value))
}

/// Whether a value says something, in few enough characters, and without the quotes that examples stand in.
fn is_shown(value: &Value) -> bool {
    let text = told(value);
    !text.trim().is_empty() && text.chars().count() <= MADE_CHARS_MAX && !text.contains(['\'', '"', '\\', '\n', '→'])
}

/// An object with words for those of its texts that may be any.
fn with_words(mut object: Value, rule: &Rule) -> Value {
    let names: Vec<String> = object
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    for name in names {
        let mut worded = object.clone();
        if worded[&name].is_string() {
            worded[&name] = json!(TEXTS[0].1);
        }
        if rule.check(&worded).is_ok() {
            object = worded;
        }
    }
    object
}

/// A value as a user tells it.
fn told(value: &Value) -> String {
    match value {
        Value::Array(elements) => elements.iter().map(told).collect::<Vec<_>>().join(" and "),
        Value::Object(members) => {
            let parts = members
                .iter()
                .map(|(name, value)| format!("{} {}", name.replace('_', " "), told(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Texts for a key that asks for a length: the same wish in more and more words, each of them whole.
fn longer() -> Vec<String> {
    let mut wishes = vec![String::new()];
    for parts in WISH {
        let with_part = |wish: &String| parts.iter().map(|part| format!("{wish}{part}")).collect::<Vec<_>>();
        wishes = wishes.iter().flat_map(with_part).collect();
    }
    let longest = wishes.last().cloned().unwrap_or_default();
    wishes.push(format!("{longest}, and later {longest}"));
    wishes.sort_by_key(String::len);
    wishes
}

/// One example as a description shows it: texts stand in single quotes.
fn shown(said: &str, value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{said}' -> '{text}'"),
        other => format!("'{said}' -> {other}"),
    }
}

/// What a user says for a number: so many of what the name has in the plural.
fn counted(key: &KeyDefinition, value: &Value) -> String {
    let words = words(key);
    let of_many = words.ends_with('s') && !words.ends_with("ss") && !words.contains(' ');
    if of_many && *value != json!(1) {
        format!("{value} {words}, please")
    } else {
        format!("make it {value}")
    }
}

/// What a boolean key switches, without the verb of its name.
pub fn thing(key: &KeyDefinition) -> String {
    let words = words(key);
    let verbs = [
        "allow", "allows", "has", "include", "includes", "is", "needs", "wants", "with",
    ];
    match words.split_once(' ') {
        Some((first, rest)) if verbs.contains(&first) => rest.to_owned(),
        Some(_) | None => words,
    }
}

/// Two of the values that the elements of a list may have.
fn elements(key: &KeyDefinition) -> Option<[Value; 2]> {
    let listed = key.constraints.get("items")?.get("enum")?.as_array()?;
    match listed.as_slice() {
        [one, other, ..] => Some([one.clone(), other.clone()]),
        [_] | [] => None,
    }
}

fn spoken(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.replace(['_', '-'], " ")
}

/// Texts of which a key takes one, each with what a user says for it: plain, then of each format.
static TEXTS: [(&str, &str); 9] = [
    ("the usual, please", "the usual"),
    ("on the 4th of May 2026", "2026-05-04"),
    ("on the 4th of May 2026 at half past nine", "2026-05-04T09:30:00Z"),
    ("at half past nine", "09:30:00Z"),
    ("write to ana@example.com", "ana@example.com"),
    ("it is on https://example.com/menu", "https://example.com/menu"),
    (
        "the one with the number c9bf9e57-1685-4c89-bafb-ff5af830be8a",
        "c9bf9e57-1685-4c89-bafb-ff5af830be8a",
    ),
    ("the host example.com", "example.com"),
    ("the machine at 192.0.2.1", "192.0.2.1"),
];

//! An example of how something that a user says becomes a value of a key (Z-040), made for the key's type and constraints.
//!
//! Knows of a key its name, its type, its constraints, and those that its description announces. Invariant: the key accepts the
//! value that is shown.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::containment;
use crate::domain::template::json_schema::key_schema;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::announced::hinted;
use crate::domain::template::lint::draft::words;
use crate::domain::template::lint::mapping;
use crate::domain::template::lint::values;
use crate::domain::template::rule::Rule;
use crate::domain::template::specimen::specimens;

/// Characters of a value that is made: a description is to stay short.
const MADE_CHARS_MAX: usize = 160;

/// Words that say how something is, and whose ends do not tell.
static QUALITIES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| include_str!("../tables/qualities.txt").lines().collect());

/// A mapping example whose value the key accepts, from words that a user could say, and that is among what the description
/// announces and in the form that is meant. None where the description says more of the
/// values than is read, and where a value could only be made up.
pub fn example(key: &KeyDefinition) -> Option<String> {
    let formed = values::as_formed(key);
    if announced::is_unread(&formed) || hinted::is_formed(&formed) {
        return None;
    }
    of_rule(&announced::as_meant(&formed))
}

fn of_rule(key: &KeyDefinition) -> Option<String> {
    let rule = &Rule::compile(key.key_type, &key.constraints);
    let fits = |value: &Value| rule.check(value).is_ok();
    let pairs: Vec<(String, Value)> = match key.key_type {
        KeyType::String => {
            if let Some(listed) = mapping::literal_example(key, rule) {
                return Some(listed);
            }
            // Of a form that is not known, and of what may be any text, nothing is known.
            let known = typed(&key.constraints).filter(|_| is_formed(&key.constraints));
            known
                .map(|(said, text)| (said.to_owned(), json!(text)))
                .into_iter()
                .filter(|(_, text)| fits(text))
                .collect()
        }
        KeyType::Integer | KeyType::Number => {
            // How large it is, nothing says of what is neither bounded nor counted.
            if key.constraints.is_empty() && !is_many(key) {
                return None;
            }
            let low = key.constraints.get("minimum").cloned();
            let few = [2, 1].map(|number| json!(number)).into_iter();
            let values = few.chain(low).chain([10, 100, 0].map(|number| json!(number)));
            let fitting = values.filter(fits).take(1);
            fitting.map(|value| (counted(key, &value), value)).collect()
        }
        KeyType::Boolean => {
            let thing = thing(key);
            let both = switched(key, &thing);
            // "No arrives late" is nothing that anybody says, nor is "no no smoking".
            let is_thing = !["no ", "non ", "not "].iter().any(|no| thing.starts_with(no))
                && !thing.split_once(' ').is_some_and(|(first, _)| first.ends_with('s'));
            both.into_iter()
                .filter(|(_, value)| fits(value) && (is_thing || *value == json!(true)))
                .collect()
        }
        KeyType::Array => {
            let items = key.constraints.get("items").and_then(Value::as_object);
            let is_counted = items
                .and_then(containment::key_type)
                .is_some_and(|of| matches!(of, KeyType::Integer | KeyType::Number));
            let plain = is_counted.then(|| [json!(1), json!(2)]);
            let mut pairs = elements(key).into_iter().chain(plain).map(|[one, other]| {
                let said = format!("{} and {}", spoken(&one), spoken(&other));
                (said, json!([one, other]))
            });
            let one = || {
                let (said, text) = typed(items?)?;
                Some((said.to_owned(), json!([text])))
            };
            let of_form = items.is_some_and(is_formed);
            let plain = pairs.find(|(_, value)| !of_form && fits(value));
            plain
                .or_else(|| one().filter(|(_, value)| fits(value)))
                .into_iter()
                .collect()
        }
        // What its members are is not known where they are not declared.
        KeyType::Object => Vec::new(),
        KeyType::Null => vec![("nothing".to_owned(), Value::Null)],
    };
    let made = || made(key, rule).into_iter().collect();
    let pairs = if pairs.is_empty() { made() } else { pairs };
    let shown: Vec<String> = pairs.into_iter().map(|(said, value)| shown(&said, &value)).collect();
    (!shown.is_empty()).then(|| format!("Example mapping: {}.", shown.join("; ")))
}

/// An example with a value that is made from the constraints, where no plain one fits: a number, or a structure of numbers and of
/// texts that somebody could say. A text alone is never made up.
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
            with_words(fullest, &key.constraints, rule)
        }
        KeyType::Array => fitting.into_iter().next()?,
        KeyType::String | KeyType::Boolean | KeyType::Null => return None,
    };
    let mut known = Vec::new();
    listed(&key.constraints, &mut known);
    if !is_known(&value, &known) || !is_shown(&value) {
        return None;
    }
    let said = match &value {
        Value::Number(_) => format!("make it {value}"),
        other => format!("it is {}", told(other)),
    };
    Some((said, value))
}

/// Whether every text in a value is of a form that is known, or listed: what else a member may be is not.
fn is_known(value: &Value, listed: &[&str]) -> bool {
    match value {
        Value::String(text) => {
            let typed = TYPED.iter().map(|(_, _, shown)| *shown);
            typed.chain(listed.iter().copied()).any(|known| known == text)
        }
        Value::Array(elements) => elements.iter().all(|element| is_known(element, listed)),
        Value::Object(members) => members.values().all(|member| is_known(member, listed)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// The texts that a schema lists, at any level.
fn listed<'s>(schema: &'s Map<String, Value>, found: &mut Vec<&'s str>) {
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("enum", Value::Array(values)) => found.extend(values.iter().filter_map(Value::as_str)),
            ("const", Value::String(text)) => found.push(text),
            (_, Value::Object(below)) => listed(below, found),
            (_, _) => {}
        }
    }
}

/// Whether a value says something, in few enough characters, and without the quotes that examples stand in.
fn is_shown(value: &Value) -> bool {
    let text = told(value);
    !text.trim().is_empty() && text.chars().count() <= MADE_CHARS_MAX && !text.contains(['\'', '"', '\\', '\n', '→'])
}

/// An object with words for those of its texts that are of a form that is known.
fn with_words(mut object: Value, constraints: &Map<String, Value>, rule: &Rule) -> Value {
    let names: Vec<String> = object
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.is_string())
        .map(|(name, _)| name.clone())
        .collect();
    for name in names {
        let schema = constraints.get("properties").and_then(|declared| declared.get(&name));
        let worded = schema.and_then(Value::as_object).and_then(typed);
        let mut better = object.clone();
        match (worded, better.as_object_mut()) {
            (Some((_, text)), _) => better[&name] = json!(text),
            // What nothing is said of may be left out.
            (None, Some(members)) if schema.is_none() => drop(members.shift_remove(&name)),
            (None, _) => {}
        }
        if rule.check(&better).is_ok() {
            object = better;
        }
    }
    object
}

/// Whether a schema asks for texts of a form.
fn is_formed(schema: &Map<String, Value>) -> bool {
    ["format", "pattern"]
        .iter()
        .any(|keyword| schema.contains_key(*keyword))
}

/// The text of a known form that a schema asks for by its format, or by a pattern that is made for it.
fn typed(schema: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
    let rule = Rule::compile(KeyType::String, schema);
    let format = schema.get("format").and_then(Value::as_str);
    let conforms = |text: &str| rule.check(&json!(text)).is_ok();
    let known = TYPED.iter().find(|(of, _, text)| match format {
        Some(format) => of.split(' ').any(|of| of == format) && conforms(text),
        None => conforms(text) && is_asked(text, &conforms),
    });
    known.map(|(_, said, text)| (*said, *text))
}

/// Whether a mark within a text has to stand there: no digit and no letter may take its place.
fn is_asked(text: &str, conforms: &impl Fn(&str) -> bool) -> bool {
    let marks = text.char_indices().filter(|(_, c)| !c.is_alphanumeric());
    marks.into_iter().any(|(at, mark)| {
        ["0", "x"].iter().all(|other| {
            let (before, behind) = (&text[..at], &text[at + mark.len_utf8()..]);
            !conforms(&format!("{before}{other}{behind}"))
        })
    })
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

/// One example as a description shows it: texts stand in single quotes.
fn shown(said: &str, value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{said}' -> '{text}'"),
        other => format!("'{said}' -> {other}"),
    }
}

/// What a user says for a number: so many of what the name has in the plural.
fn counted(key: &KeyDefinition, value: &Value) -> String {
    if is_many(key) && *value != json!(1) {
        format!("{value} {}, please", words(key))
    } else {
        format!("make it {value}")
    }
}

/// Whether the name is that of things that are counted.
fn is_many(key: &KeyDefinition) -> bool {
    let words = words(key);
    words.ends_with('s') && !words.ends_with("ss") && !words.contains(' ')
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

/// What a user says to switch a key on, and off: of what is so or not, that it is; of a thing, that it is wanted.
fn switched(key: &KeyDefinition, thing: &str) -> [(String, Value); 2] {
    let is_state = key.key_name.as_str().starts_with("is_");
    let [on, off] = if is_quality(thing) {
        [format!("it is {thing}"), format!("it is not {thing}")]
    } else if is_state || thing.rsplit(' ').next().is_some_and(is_quality) {
        [format!("{thing}: yes"), format!("{thing}: no")]
    } else {
        [format!("yes, {thing}"), format!("no {thing}")]
    };
    [(on, json!(true)), (off, json!(false))]
}

/// Whether a word says how something is and names nothing, as far as its end or a list tells.
fn is_quality(word: &str) -> bool {
    const ENDS: [&str; 6] = ["able", "ible", "ous", "ful", "less", "ive"];
    let is_done = word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed");
    let one = !word.contains(' ');
    one && (is_done
        || QUALITIES.contains(word)
        || ENDS.iter().any(|end| word.len() > end.len() + 3 && word.ends_with(end)))
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

/// Texts of a form, each with its formats and with what a user says for it.
static TYPED: [(&str, &str, &str); 11] = [
    ("date", "on the 4th of May 2026", "2026-05-04"),
    (
        "date-time",
        "on the 4th of May 2026 at half past nine",
        "2026-05-04T09:30:00Z",
    ),
    ("time", "at half past nine", "09:30:00Z"),
    ("", "at half past nine", "09:30"),
    ("duration", "two hours", "PT2H"),
    ("email idn-email", "write to ana@example.com", "ana@example.com"),
    (
        "uri iri uri-reference iri-reference",
        "it is on https://example.com/menu",
        "https://example.com/menu",
    ),
    (
        "uuid",
        "the one with the number c9bf9e57-1685-4c89-bafb-ff5af830be8a",
        "c9bf9e57-1685-4c89-bafb-ff5af830be8a",
    ),
    ("hostname idn-hostname", "the host example.com", "example.com"),
    ("ipv4", "the machine at 192.0.2.1", "192.0.2.1"),
    ("ipv6", "the machine at 2001:db8::1", "2001:db8::1"),
];

//! A value that was said, as the type of a key wants it. Independent of the service's own readers wherever the data
//! give the canonical value.

use schema::key::KeyDefinition;
use schema::key::KeyType;
use serde_json::Value;
use serde_json::json;

use crate::data::Said;

/// How the strings of a key are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Date,
    Time,
    Listed,
    Free,
    Whole,
    Real,
    Flag,
    None,
}

/// The form of a key's values.
pub fn form(key: &KeyDefinition) -> Form {
    match key.key_type {
        KeyType::Boolean => Form::Flag,
        KeyType::Integer => Form::Whole,
        KeyType::Number => Form::Real,
        KeyType::String => match key.constraints.get("format").and_then(Value::as_str) {
            Some("date") => Form::Date,
            Some("time") => Form::Time,
            _ if key.constraints.contains_key("pattern") => Form::Time,
            _ if key.constraints.contains_key("enum") => Form::Listed,
            _ => Form::Free,
        },
        KeyType::Object | KeyType::Array | KeyType::Null => Form::None,
    }
}

/// The value in the type of the key, `None` where it cannot be expressed. Free text is written as it was said, or as
/// its canonical form.
pub fn express(said: &Said, key: &KeyDefinition, canonical: bool) -> Option<Value> {
    let plain = said.canonical.trim();
    match form(key) {
        Form::Flag => match plain.to_lowercase().as_str() {
            "true" | "yes" => Some(json!(true)),
            "false" | "no" => Some(json!(false)),
            _ => None,
        },
        Form::Whole => plain.parse::<i64>().ok().map(|value| json!(value)),
        Form::Real => plain.parse::<f64>().ok().map(|value| json!(value)),
        Form::Date => (plain.len() == 10 && plain.as_bytes().get(4) == Some(&b'-')).then(|| json!(plain)),
        Form::Time => (plain.len() == 5 && plain.as_bytes().get(2) == Some(&b':')).then(|| json!(plain)),
        Form::Listed => {
            let allowed = key.constraints.get("enum").and_then(Value::as_array)?;
            let find = |wanted: &str| {
                let same = |value: &&Value| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(wanted));
                allowed.iter().find(same).cloned()
            };
            // A client takes the word that was said where the list has it.
            find(said.text.trim()).or_else(|| find(plain))
        }
        Form::Free => Some(json!(if canonical { plain } else { said.text.trim() })),
        Form::None => None,
    }
}

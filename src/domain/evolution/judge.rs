//! The judge without a language model: does the value match what was asked (Z-136, Z-137, DESIGN §7)?
//!
//! Owns the comparison of one value with one utterance, and the weaker sign that remains without one. A value is right
//! when it was said, in whatever form, where a value of this key would stand: not of the other end of a journey
//! ([`side`]), not of something else that is counted ([`measure`]), not of another kind of thing ([`kind`]). Says
//! nothing where nothing can be said: a value equal to its default of which the utterance does not speak, a name of
//! which only a part was said. Keeps no text.

pub mod alias;
pub mod asked;
pub mod count;
pub mod flag;
pub mod kin;
pub mod kind;
pub mod measure;
pub mod proxy;
pub mod said;
pub mod side;
pub mod text;
pub mod when;

use serde_json::Value;

use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::ledger::Basis;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::moment;
use crate::domain::template::closed_list;
use crate::domain::template::closed_list::NONE;
use crate::domain::template::key::KeyDefinition;
use crate::domain::time::At;

/// What the judge sees of one payload.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    pub key: &'a KeyDefinition,
    /// The value as it was sent, JSON text.
    pub value: &'a Value,
    pub utterance: Option<&'a str>,
    /// Strings that the same payload left in `other`.
    pub other: &'a [String],
    /// Known surface values of the key's cluster, lower case.
    pub surfaces: &'a [String],
    /// The other keys that this client could have filled.
    pub siblings: &'a [&'a KeyDefinition],
    /// When it was said: dates such as `tomorrow` are relative to it.
    pub at: Option<At>,
}

/// Words of a key's name that say nothing about what is asked.
const GENERIC: [&str; 22] = [
    "amount",
    "count",
    "date",
    "flag",
    "format",
    "has",
    "is",
    "level",
    "max",
    "min",
    "mode",
    "name",
    "number",
    "of",
    "option",
    "preference",
    "preferred",
    "scale",
    "the",
    "time",
    "type",
    "value",
];

/// Judges one value; `None` when nothing can be said. Lexical with an utterance; a proxy without one: a known surface
/// value, and whether `other` still asks for the same.
pub fn judge(case: &Case<'_>) -> Option<(bool, Basis)> {
    match case.utterance.filter(|utterance| !utterance.trim().is_empty()) {
        Some(utterance) => lexical(case, utterance).map(|aligned| (aligned, Basis::Lexical)),
        None => proxy::proxy(case).map(|aligned| (aligned, Basis::Proxy)),
    }
}

fn is_default(case: &Case<'_>) -> bool {
    let none = matches!(case.value, Value::String(text) if text == "none");
    case.value.is_null() || none || case.key.default_value.as_ref() == Some(case.value)
}

fn lexical(case: &Case<'_>, utterance: &str) -> Option<bool> {
    let said = Said::read(utterance);
    match case.value {
        Value::Null | Value::Object(_) => None,
        Value::Bool(value) => flag::judge(*value, &said, case),
        Value::Number(value) => count::judge(value.as_f64()?, &said, case),
        Value::String(value) => match form(case.key) {
            Form::Date => when::date(value, &said, case),
            Form::Time => when::time(value, &said, case),
            Form::Text => text::judge(value, &said, case),
        },
        Value::Array(values) => all(values, &said, case),
    }
}

/// A list is right when each of its texts is.
fn all(values: &[Value], said: &Said, case: &Case<'_>) -> Option<bool> {
    let mut verdict = None;
    for value in values.iter().take(64) {
        let one = text::judge(value.as_str()?, said, case)?;
        verdict = Some(verdict.unwrap_or(true) && one);
    }
    verdict
}

/// How the strings of a key are to be read.
enum Form {
    Date,
    Time,
    Text,
}

fn form(key: &KeyDefinition) -> Form {
    let keyword = |name: &str| key.constraints.get(name).and_then(Value::as_str);
    match (keyword("format"), keyword("pattern")) {
        (Some("date"), _) => Form::Date,
        (Some("time"), _) | (_, Some(moment::CLOCK_PATTERN)) => Form::Time,
        (_, _) => Form::Text,
    }
}

/// The closed list of a key, lower case, without `none`.
fn enumeration(key: &KeyDefinition) -> Vec<String> {
    closed_list::values(&key.constraints)
        .into_iter()
        .flatten()
        .filter(|value| *value != NONE)
        .map(str::to_lowercase)
        .collect()
}

/// Stems of the words of a key's name that say what is asked.
fn cues(key: &KeyDefinition) -> Vec<String> {
    key.key_name
        .as_str()
        .split('_')
        .filter(|word| word.len() > 2 && !GENERIC.contains(word) && !lexicon::stop(word))
        .map(lexicon::stem)
        .collect()
}

#[cfg(test)]
mod tests;

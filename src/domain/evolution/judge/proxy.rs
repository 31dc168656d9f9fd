//! Without an utterance: whether a value is of a known form, and whether `other` still asks for the same.

use serde_json::Value;

use crate::domain::evolution::judge;
use crate::domain::evolution::judge::Case;
use crate::domain::evolution::judge::Form;
use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::moment;
use crate::domain::template::key::KeyType;

/// Judges a value of which nothing was said in words.
pub fn proxy(case: &Case<'_>) -> Option<bool> {
    let cues = judge::cues(case.key);
    let asks = case.other.iter().any(|text| {
        let said = Said::read(text);
        said.first_of(&cues).is_some() || case.surfaces.iter().any(|surface| said.phrase(surface).is_some())
    });
    if asks {
        return Some(false);
    }
    if judge::is_default(case) {
        return None;
    }
    match case.value {
        Value::Bool(_) => (case.key.key_type == KeyType::Boolean).then_some(true),
        Value::Number(_) => matches!(case.key.key_type, KeyType::Integer | KeyType::Number).then_some(true),
        Value::String(value) => text(value, case),
        Value::Array(values) => values
            .iter()
            .take(64)
            .map(|value| text(value.as_str()?, case))
            .reduce(|all, one| Some(all? && one?))
            .flatten(),
        Value::Null | Value::Object(_) => None,
    }
}

fn text(value: &str, case: &Case<'_>) -> Option<bool> {
    match judge::form(case.key) {
        Form::Date => return Some(moment::is_date(value)),
        Form::Time => return Some(moment::is_time(value)),
        Form::Text => {}
    }
    let allowed = judge::enumeration(case.key);
    if !allowed.is_empty() {
        return Some(allowed.iter().any(|other| *other == value.to_lowercase()));
    }
    let lower = value.to_lowercase();
    case.surfaces.contains(&lower).then_some(true)
}

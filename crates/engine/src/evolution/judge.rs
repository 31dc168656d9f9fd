//! The judge without a language model: does a value match what was asked (Z-136, Z-137, docs/design.md §7)?
//!
//! Where the submission has text, the text decides, by its words alone: it holds the value, or for a switch the words of the key's name
//! or of one of its examples in the same sense, and the value is right; it holds another value of the key, or the opposite sense,
//! and the value is wrong. An utterance that says nothing of the key leaves the value unjudged. Without an utterance a proxy is
//! left: the key is used, and `other` does not ask for the same. Keeps no text.

pub mod asked;

use serde_json::Value;
use text::clause::Sense;
use text::clause::Words;
use text::number::Kind;
use text::number::Number;

use crate::evolution::ledger::Basis;
use schema::closed_list;
use schema::closed_list::NONE;
use schema::key::KeyDefinition;
use schema::mapping_example;

/// Values of one key that are looked for, and items of one list: more would make a long list costly.
const VALUES_MAX: usize = 64;
/// Words between a number and the word of the name that it counts: "3 heavy bags".
const COUNTED_WITHIN: usize = 2;

/// What the judge sees of one payload.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub key: &'a KeyDefinition,
    /// The value as it was sent.
    pub value: &'a Value,
    pub utterance: Option<&'a str>,
    /// Strings that the same payload left in `other`.
    pub other: &'a [String],
}

/// Judges one value; `None` when nothing can be said.
pub fn judge(case: &Case<'_>) -> Option<(bool, Basis)> {
    let utterance = case.utterance.filter(|text| !text.trim().is_empty());
    let other: Vec<Words> = case.other.iter().map(|text| Words::read(text)).collect();
    let said = utterance.map(Words::read);
    let mut decided = None;
    for text in said.iter().chain(&other) {
        match says(case, text) {
            Some(true) => return Some((true, Basis::Lexical)),
            Some(false) => decided = Some((false, Basis::Lexical)),
            None => {}
        }
    }
    if decided.is_some() || said.is_some() {
        return decided;
    }
    let name = Sense::of(case.key.key_name.as_str());
    if other.iter().any(|text| !text.senses(&name).is_empty()) {
        return Some((false, Basis::Proxy));
    }
    (!says_nothing(case)).then_some((true, Basis::Proxy))
}

/// Whether a value is what stands there where nothing was chosen.
fn says_nothing(case: &Case<'_>) -> bool {
    let none = case.value.as_str() == Some(NONE);
    case.value.is_null() || none || case.key.default_value.as_ref() == Some(case.value)
}

/// Whether a text bears a value out, or contradicts it.
fn says(case: &Case<'_>, text: &Words) -> Option<bool> {
    let is_known = |value: &str| known(case.key).any(|known| known.eq_ignore_ascii_case(value));
    match case.value {
        Value::Null | Value::Object(_) => None,
        Value::Bool(value) => switch(case.key, text).map(|wanted| wanted == *value),
        Value::Number(value) => count(case.key, value.as_f64()?, text),
        Value::String(value) => {
            let others = known(case.key).filter(|known| !known.eq_ignore_ascii_case(value));
            one_of(case.key, value, is_known(value), others, text)
        }
        Value::Array(values) => {
            let items: Vec<&str> = values.iter().take(VALUES_MAX).filter_map(Value::as_str).collect();
            let listed = |known: &str| items.iter().any(|listed| listed.eq_ignore_ascii_case(known));
            let others = || known(case.key).filter(|known| !listed(known));
            let each = items
                .iter()
                .map(|item| one_of(case.key, item, is_known(item), others(), text));
            let each: Vec<Option<bool>> = each.collect();
            let wrong = each.contains(&Some(false)).then_some(false);
            let right = !each.is_empty() && each.iter().all(|one| *one == Some(true));
            wrong.or(right.then_some(true))
        }
    }
}

/// What a text wants of a switch: by the words of its name, or else of its examples. One that says it both ways says nothing.
fn switch(key: &KeyDefinition, text: &Words) -> Option<bool> {
    let name = Sense::of(key.key_name.as_str());
    let of_name = text.senses(&name).into_iter().map(|denied| denied == name.denied);
    agreed(of_name).or_else(|| {
        let examples = mapping_example::shown(&key.semantic_description).into_iter();
        let each = examples.filter_map(|example| Some((Sense::of(example.said), example.value.parse::<bool>().ok()?)));
        let wanted = each.flat_map(|(sense, value): (Sense, bool)| {
            let found = text.senses(&sense).into_iter();
            found.map(move |said| (said == sense.denied) == value)
        });
        agreed(wanted)
    })
}

/// What all of them say.
fn agreed(mut each: impl Iterator<Item = bool>) -> Option<bool> {
    let first = each.next()?;
    each.all(|one| one == first).then_some(first)
}

/// A number against those of a text: where some stand beside the words of the key's name, these decide.
fn count(key: &KeyDefinition, value: f64, text: &Words) -> Option<bool> {
    let name = Sense::of(key.key_name.as_str());
    let same = |number: &&Number| {
        let number = number.value.parse::<f64>();
        number.is_ok_and(|number| (number - value).abs() <= f64::EPSILON * value.abs())
    };
    let numbers = text.numbers();
    let is_beside = |number: &&Number| number.kind != Kind::Time && text.stands_beside(number, &name, COUNTED_WITHIN);
    let beside: Vec<&Number> = numbers.iter().filter(is_beside).collect();
    if !beside.is_empty() {
        return Some(beside.iter().any(same));
    }
    if numbers.iter().any(|number| same(&number)) {
        return Some(true);
    }
    // "Without bags" is none of them.
    text.denies_any(&name).then_some(value == 0.0)
}

/// A value against a text in which the other values of its key may stand instead. `none` is never looked for, and right where the
/// others are refused.
fn one_of<'k>(
    key: &KeyDefinition,
    value: &str,
    is_known: bool,
    others: impl Iterator<Item = &'k str>,
    text: &Words,
) -> Option<bool> {
    let others: Vec<Words> = others.map(Words::read).collect();
    let is_none = value == NONE;
    let wanted = Words::read(value);
    let own = if is_none { Vec::new() } else { text.runs(&wanted) };
    // "Premium economy" does not say `economy` where both are known.
    let longer = others.iter().filter(|other| is_known && other.len() > wanted.len());
    let longer: Vec<(usize, usize)> = longer.flat_map(|other| text.runs(other)).collect();
    let is_hidden = |run: &(usize, usize)| longer.iter().any(|(from, to)| *from <= run.0 && run.1 <= *to);
    let denied = |(from, to): (usize, usize)| text.denied(from, to);
    let own = own.into_iter().filter(|run| !is_hidden(run)).map(denied);
    let own: Vec<Option<bool>> = own.collect();
    if !own.is_empty() {
        return sure(&own);
    }
    if text.numbers().iter().any(|number| number.value == value) {
        return Some(true);
    }
    let others = others.iter().flat_map(|other| text.runs(other)).map(denied);
    let others: Vec<Option<bool>> = others.collect();
    if others.contains(&Some(false)) {
        return Some(false);
    }
    if is_none && !others.is_empty() {
        return sure(&others).map(|is_wanted| !is_wanted);
    }
    // The words that led to this value before.
    let examples = mapping_example::shown(&key.semantic_description).into_iter();
    let led = examples.filter(|example| example.value.eq_ignore_ascii_case(value));
    let said = led.flat_map(|example| {
        let sense = Sense::of(example.said);
        let found = text.senses(&sense).into_iter();
        found.map(move |denied| denied == sense.denied)
    });
    said.into_iter().any(|is_said| is_said).then_some(true)
}

/// Whether any place says it, or all deny it; `None` where neither is sure.
fn sure(denied: &[Option<bool>]) -> Option<bool> {
    let is_said = denied.contains(&Some(false));
    (is_said || denied.iter().all(|denied| *denied == Some(true))).then_some(is_said)
}

/// The values that a key is known to take: its list, and what its examples lead to.
fn known(key: &KeyDefinition) -> impl Iterator<Item = &str> {
    let listed = closed_list::values(&key.constraints).unwrap_or_default();
    let shown = mapping_example::shown(&key.semantic_description).into_iter();
    let values = listed.into_iter().chain(shown.map(|example| example.value));
    values.filter(|value| *value != NONE).take(VALUES_MAX)
}

#[cfg(test)]
mod tests;

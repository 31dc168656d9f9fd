//! Does a description say what the key means, which values are right and how a user's words become one of them, as the key enforces it
//! (Z-040, Z-048, Z-026)?
//!
//! Knows markers and arrows and reads no prose. Invariant: what is found of values and examples is true in any language, but for
//! markers, which are English.

use serde_json::Value;
use text::closed;

use crate::advice::Advice;
use crate::annotation;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::lint::Says;
use crate::mapping_example;
use crate::rule::Rule;

/// Letters below which a description says no more than a name does.
const MEANING_LETTERS_MIN: usize = 12;
/// Latin letters that one East Asian sign says as much as: 旅客希望的舱位 is a sentence.
const SIGN_LETTERS: usize = 3;
/// Characters beyond which a description costs more tokens than it helps.
const MEANING_CHARS_MAX: usize = 800;
/// The markers behind which a description says which values are right, in small letters; the word [`FORMAT`] is one as well.
const MARKERS: [&str; 2] = ["acceptable values:", "range:"];
const FORMAT: &str = "format";

/// Looks at the description of a key; for markers where it is `english`.
pub fn look(key: &KeyDefinition, english: bool, says: &mut Says<'_>) {
    meaning(key, says);
    if english && !says_values(key) {
        let message = match key.key_type {
            KeyType::Integer | KeyType::Number => {
                "says nothing of acceptable values; add \"Range: 1-9.\" or `constraints`, or a format where they are open"
            }
            KeyType::String | KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => {
                "says nothing of acceptable values; add \"Acceptable values: a, b, c.\" or `constraints`, or a format where they are open"
            }
        };
        says.of_description(Advice::NoAcceptableValues, message);
    }
    if contradicts(key) {
        let enforced = Value::Object(key.constraints.clone());
        let message = format!("says other values than the constraints enforce, which win: {enforced}");
        says.of_description(Advice::ContradictedConstraint, message);
    }
    examples(key, says);
}

/// Looks at the length, and for words beyond the key's own name.
fn meaning(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = key.semantic_description.trim();
    let worth: usize = text.chars().map(|c| if is_sign(c) { SIGN_LETTERS } else { 1 }).sum();
    if worth < MEANING_LETTERS_MIN {
        let message = "says too little of what the key means; write what it is for the business, in a sentence";
        says.of_description(Advice::TooShort, message);
    } else if repeats_name(key) {
        let message = "only repeats the key's name; write what it is for the business, in a sentence";
        says.of_description(Advice::TooShort, message);
    }
    let chars = text.chars().count();
    if chars > MEANING_CHARS_MAX {
        let message =
            format!("has {chars} characters; {MEANING_CHARS_MAX} are enough for meaning, values and examples");
        says.of_description(Advice::LongDescription, message);
    }
}

/// Whether a character is one of Chinese, Japanese or Korean.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}

/// Whether no word but those of the name, and such without content, is there.
fn repeats_name(key: &KeyDefinition) -> bool {
    let lower = key.semantic_description.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.all(|word| closed::is_soft(word) || key.key_name.as_str().split('_').any(|own| own == word))
}

/// Whether type, constraints or a marker of the description say which values are right.
pub fn says_values(key: &KeyDefinition) -> bool {
    let lower = key.semantic_description.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    matches!(key.key_type, KeyType::Boolean | KeyType::Null)
        || !key.constraints.is_empty()
        || MARKERS.iter().any(|marker| lower.contains(marker))
        || words.any(|word| word == FORMAT)
}

/// Whether the description closes another list or range than the one that is enforced.
fn contradicts(key: &KeyDefinition) -> bool {
    let said = annotation::closed_by(key).unwrap_or_default();
    said.iter()
        .any(|(keyword, said)| match (said, key.constraints.get(keyword)) {
            (_, None) => false,
            (Value::Array(said), Some(Value::Array(listed))) => {
                said.len() != listed.len() || !said.iter().all(|value| listed.contains(value))
            }
            (_, Some(bound)) => !jsonschema::json::cmp::equal(said, bound),
        })
}

/// Looks at every arrow of the description.
fn examples(key: &KeyDefinition, says: &mut Says<'_>) {
    if !has_arrow(&key.semantic_description) {
        let message = "has no mapping example; add one from what users say, as `'two people' -> 2`";
        says.of_description(Advice::NoMappingExample, message);
        return;
    }
    let rule = Rule::compile(key.key_type, &key.constraints);
    let is_refused = |value: &Option<Value>| value.as_ref().is_none_or(|value| !rule.accepts(value));
    if let Some(target) = mapping_example::targets(key).find(|target| is_refused(&target.value)) {
        let message = format!("an example leads to {:?}, which the key refuses", target.word);
        says.of_description(Advice::ExampleRefused, message);
    }
}

/// Whether a text has an example at all.
fn has_arrow(text: &str) -> bool {
    text.contains("->") || text.contains('→')
}

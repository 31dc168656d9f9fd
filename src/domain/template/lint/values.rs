//! Does the description say which values are right, and does it say what is enforced (Z-040, Z-048, Z-055)?

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::advice::Advice;
use crate::domain::template::annotation;
use crate::domain::template::closed_list;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::announced::LIST;
use crate::domain::template::lint::announced::RANGE;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::rule::Rule;

/// Words by which prose says which values are right.
const CUES: [&str; 6] = [
    "acceptable values",
    "range:",
    "format",
    "iso 8601",
    "whether",
    "true or false",
];
/// Values of a list that a description can be asked to name.
const NAMED_MAX: usize = 20;

/// Looks at what is said and what is enforced.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    announced::look(key, says);
    contradicted(key, says);
    unsaid(key, says);
    if !says_values(key) {
        let message = match key.key_type {
            KeyType::Integer | KeyType::Number => "says nothing of acceptable values; add \"Range: 1-9.\" or a format",
            KeyType::String | KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => {
                "says nothing of acceptable values; add \"Acceptable values: a, b, c.\", or a format where they are open"
            }
        };
        let better = format_of(key).map(|(format, words)| {
            json!({
                "constraints": {"format": format},
                "semantic_description": with_sentence(&key.semantic_description, words),
            })
        });
        says.say(Advice::NoAcceptableValues, "semantic_description", message, better);
    } else if let Some((format, _)) = format_of(key) {
        let message = format!("the name speaks of a format that nothing enforces; `\"format\": \"{format}\"` does");
        says.say(
            Advice::FormatUnset,
            "constraints",
            message,
            Some(json!({"constraints": {"format": format}})),
        );
    }
}

/// Whether description, type or constraints say which values are right.
pub fn says_values(key: &KeyDefinition) -> bool {
    key.key_type == KeyType::Boolean
        || key.key_type == KeyType::Null
        || !key.constraints.is_empty()
        || has_cue(&key.semantic_description)
        || announced::is_announced(key)
}

/// Whether a text has words by which prose says which values are right.
pub fn has_cue(text: &str) -> bool {
    let text = text.to_lowercase();
    CUES.iter().any(|cue| text.contains(cue))
}

/// Whether the key's own default is accepted with more constraints.
pub fn enforceable(key: &KeyDefinition, more: &Map<String, Value>) -> bool {
    let mut all = key.constraints.clone();
    all.extend(more.clone());
    key.default_value
        .as_ref()
        .is_none_or(|default| Rule::compile(key.key_type, &all).check(default).is_ok())
}

/// A closed list or range in the description that is another than the enforced one.
fn contradicted(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = &key.semantic_description;
    let (said, sentence) = match key.key_type {
        KeyType::String => (annotation::closed_list(text), list_sentence(key)),
        KeyType::Integer | KeyType::Number => (annotation::closed_range(text, key.key_type), range_sentence(key)),
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => (None, None),
    };
    let Some(said) = said else { return };
    let enforced = |keyword: &str| key.constraints.get(keyword);
    let contradicted = said
        .iter()
        .any(|(keyword, said)| match (keyword.as_str(), enforced(keyword)) {
            (_, None) => false,
            ("enum", Some(listed)) => !same_values(said, listed),
            (_, Some(bound)) => !jsonschema::json::cmp::equal(said, bound),
        });
    if contradicted {
        let marker = if key.key_type == KeyType::String { LIST } else { RANGE };
        let better = sentence.map(|sentence| restated(text, marker, &sentence));
        let shown = Value::Object(key.constraints.clone());
        let message = format!("says other values than the constraints enforce, which win: {shown}");
        says.of_description(Advice::ContradictedConstraint, message, better);
    }
}

fn same_values(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_array(), b.as_array()) else {
        return false;
    };
    a.len() == b.len() && a.iter().all(|value| b.contains(value))
}

/// Values and bounds that are enforced and that the description does not have.
fn unsaid(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = folded(&key.semantic_description);
    if let Some(values) = closed_list::values(&key.constraints) {
        let missing = values.iter().filter(|value| !text.contains(&folded(value))).count();
        if missing > 0 && annotation::closed_list(&key.semantic_description).is_none() {
            let message = format!(
                "does not say {missing} of the {} values that are accepted",
                values.len()
            );
            let better = list_sentence(key).map(|sentence| with_sentence(&key.semantic_description, &sentence));
            says.of_description(Advice::UnsaidConstraint, message, better);
        }
        return;
    }
    let unsaid: Vec<&str> = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        .into_iter()
        .filter(|keyword| {
            let bound = key.constraints.get(*keyword).filter(|bound| bound.is_number());
            bound.is_some_and(|bound| bound.as_f64() != Some(0.0) && !text.contains(&bound.to_string()))
        })
        .collect();
    if !unsaid.is_empty() && annotation::closed_range(&key.semantic_description, key.key_type).is_none() {
        let message = format!("does not say what is enforced: {}", unsaid.join(", "));
        let better = range_sentence(key).map(|sentence| with_sentence(&key.semantic_description, &sentence));
        says.of_description(Advice::UnsaidConstraint, message, better);
    }
}

/// Lower case, with spaces for what stands in a value in place of one.
fn folded(text: &str) -> String {
    text.to_lowercase().replace(['_', '-'], " ")
}

/// The list as a sentence that the grammar of annotations reads.
fn list_sentence(key: &KeyDefinition) -> Option<String> {
    let values = closed_list::values(&key.constraints)?;
    let sentence = format!("{LIST} {}.", values.join(", "));
    let read = annotation::closed_list(&sentence)?;
    (values.len() <= NAMED_MAX && same_values(read.get("enum")?, key.constraints.get("enum")?)).then_some(sentence)
}

/// The range as such a sentence.
fn range_sentence(key: &KeyDefinition) -> Option<String> {
    let (low, high) = (key.constraints.get("minimum")?, key.constraints.get("maximum")?);
    let sentence = format!("{RANGE} {low}-{high}.");
    annotation::closed_range(&sentence, key.key_type).map(|_| sentence)
}

/// The text with the sentence that begins with `marker` put right.
fn restated(text: &str, marker: &str, sentence: &str) -> String {
    let Some(start) = text.find(marker) else {
        return with_sentence(text, sentence);
    };
    let rest = &text[start..];
    let end = rest
        .char_indices()
        .find(|(at, c)| *c == '.' && rest[at + 1..].chars().next().is_none_or(char::is_whitespace))
        .map_or(rest.len(), |(at, _)| at + 1);
    format!("{}{sentence}{}", &text[..start], &rest[end..])
}

/// The format that a key's name speaks of, with a sentence that says it.
fn format_of(key: &KeyDefinition) -> Option<(&'static str, &'static str)> {
    const NAMES: [(&str, &str, &str); 8] = [
        ("date", "date", "Format: ISO 8601 date (YYYY-MM-DD)."),
        ("datetime", "date-time", "Format: ISO 8601 date and time with offset."),
        ("timestamp", "date-time", "Format: ISO 8601 date and time with offset."),
        ("email", "email", "Format: e-mail address."),
        ("url", "uri", "Format: absolute URI."),
        ("uri", "uri", "Format: absolute URI."),
        ("uuid", "uuid", "Format: UUID."),
        ("hostname", "hostname", "Format: host name."),
    ];
    let closed = ["format", "pattern", "enum", "const"];
    if key.key_type != KeyType::String || closed.iter().any(|keyword| key.constraints.contains_key(*keyword)) {
        return None;
    }
    let last = key.key_name.as_str().rsplit('_').next()?;
    let (_, format, words) = NAMES.into_iter().find(|(name, _, _)| *name == last)?;
    let more = Map::from_iter([("format".to_owned(), Value::String(format.to_owned()))]);
    enforceable(key, &more).then_some((format, words))
}

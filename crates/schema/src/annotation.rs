//! Constraints that a description states in so many words (Z-048): the grammar, and what is taken over by it.
//!
//! The grammar covers two sentences, each at the beginning of a sentence and at most once in a description:
//!
//! ```text
//! list   = "Acceptable values:" word *("," word) end        string keys; at least two words
//! word   = 1*(letter / digit / "_" / "-")                   any script; none of the OPEN words
//! range  = "Range:" number dash number (end / where)        integer and number keys; low <= high
//! number = ["-"] 1*DIGIT ["." 1*DIGIT]
//! dash   = "-" / "–"
//! where  = ", where" prose end
//! end    = "." before white space, or the end of the text
//! ```
//!
//! White space may stand between the parts. Whatever else a description says is never enforced. What the publisher
//! put into `constraints` wins, and a default that the taken-over constraint would refuse proves that the sentence was
//! not meant to be closed. A list of which the other constraints refuse a value is not taken over either, nor is a range of
//! which they leave nothing: the key could hold less than the sentence says, or nothing at all. Switched off for a whole schema by `"constraints_from_descriptions": false`.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::budget::Budget;
use crate::closed_list;
use crate::constraint::ENUM_MAX;
use crate::covers;
use crate::defect::pointer_to;
use crate::json_schema;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::report::Report;
use crate::rule::Rule;

/// The template member that switches the take-over off.
pub const SWITCH: &str = "constraints_from_descriptions";

/// Words that say that a list goes on: a list with one of them is not closed.
const OPEN: [&str; 10] = [
    "any", "anything", "etc", "etcetera", "more", "others", "similar", "various", "whatever", "so-on",
];

static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)";
    Regex::new(&format!(
        r"^\s*{number}\s*[-–]\s*{number}\s*(?:\.(?:\s|$)|$|,\s+where\s)"
    ))
    .expect("the pattern is a constant")
});

/// Takes a closed list or range over from the key's description, and says so in a finding.
pub(crate) fn take_over(key: &mut KeyDefinition, pointer: &str, report: &mut Report) {
    let Some(found) = closed_by(key) else {
        return;
    };
    if is_closed(key) {
        return;
    }
    let mut constraints = key.constraints.clone();
    constraints.extend(found.clone());
    let at = pointer_to(pointer, "constraints");
    let shown = Value::Object(found);
    let not = |why: &str| format!("not taken over from the description, because {why}: {shown}");
    if let Some(why) = hindrance(key, &constraints) {
        report.finding(Advice::NotTakenOver, &at, not(&why));
    } else if !accepts_default(key, &constraints) {
        let message = not("the default is not among it");
        report.suggestion(Advice::NotTakenOver, &at, message, json!({"default_value": null}));
    } else {
        key.constraints = constraints;
        let message = format!("taken over from the description and enforced: {shown}");
        report.finding(Advice::TakenOver, &at, message);
    }
}

/// What a description closes, of its key's type.
pub fn closed_by(key: &KeyDefinition) -> Option<Map<String, Value>> {
    match key.key_type {
        KeyType::String => closed_list(&key.semantic_description),
        KeyType::Integer | KeyType::Number => closed_range(&key.semantic_description, key.key_type),
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => None,
    }
}

/// The constraints with what the description closes and they do not say: the same of one text, whether its sentence was
/// taken over when it was read or not.
pub fn closed(key: &KeyDefinition) -> Map<String, Value> {
    let mut closed = key.constraints.clone();
    if !is_closed(key) {
        closed.extend(closed_by(key).unwrap_or_default());
    }
    closed
}

/// Whether the constraints close a list or range themselves: what the publisher put there wins.
fn is_closed(key: &KeyDefinition) -> bool {
    let closing: &[&str] = match key.key_type {
        KeyType::String => &["enum", "const"],
        KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => &[
            "enum",
            "const",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
        ],
    };
    closing.iter().any(|keyword| key.constraints.contains_key(*keyword))
}

/// Why a list or range cannot be enforced with the key's other constraints.
fn hindrance(key: &KeyDefinition, constraints: &Map<String, Value>) -> Option<String> {
    let listed = constraints.get("enum").and_then(Value::as_array);
    let rule = Rule::compile(key.key_type, &key.constraints);
    let refused: Vec<&Value> = listed
        .into_iter()
        .flatten()
        .filter(|value| !rule.accepts(value))
        .collect();
    if !refused.is_empty() {
        return Some(format!("the other constraints refuse {}", closed_list::named(refused)));
    }
    let schema = json_schema::of_key(key.key_type, constraints);
    covers::accepts_nothing(&schema, &Budget::default())
        .then(|| "the other constraints leave no value in it".to_owned())
}

/// Whether constraints leave the default of a key right, if it has one.
fn accepts_default(key: &KeyDefinition, constraints: &Map<String, Value>) -> bool {
    let rule = Rule::compile(key.key_type, constraints);
    let default = key.default_value.as_ref();
    default.is_none_or(|default| rule.accepts(default))
}

/// `{"enum": […]}` where the description closes a list of bare words.
pub fn closed_list(description: &str) -> Option<Map<String, Value>> {
    let rest = after_marker(description, "Acceptable values:")?;
    let sentence = match rest
        .char_indices()
        .find(|(at, c)| *c == '.' && rest[at + 1..].chars().next().is_none_or(char::is_whitespace))
    {
        Some((end, _)) => &rest[..end],
        None => rest,
    };
    let mut words: Vec<&str> = Vec::new();
    for entry in sentence.split(',') {
        let word = entry.trim();
        let bare = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if !bare || is_open(word) || words.len() == ENUM_MAX {
            return None;
        }
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.len() < 2 {
        return None;
    }
    let values = words.into_iter().map(|word| Value::String(word.to_owned())).collect();
    Some(Map::from_iter([("enum".to_owned(), Value::Array(values))]))
}

/// `{"minimum", "maximum"}` where the description closes a range; an integer key takes whole bounds only.
pub fn closed_range(description: &str, key_type: KeyType) -> Option<Map<String, Value>> {
    let captures = RANGE.captures(after_marker(description, "Range:")?)?;
    let bound = |index: usize| -> Option<Number> {
        let text = captures.get(index)?.as_str();
        match text.parse::<i64>() {
            Ok(whole) => Some(Number::from(whole)),
            Err(_) if key_type == KeyType::Number => Number::from_f64(text.parse::<f64>().ok()?),
            Err(_) => None,
        }
    };
    let (low, high) = (bound(1)?, bound(2)?);
    (low.as_f64()? <= high.as_f64()?).then(|| {
        Map::from_iter([
            ("minimum".to_owned(), Value::Number(low)),
            ("maximum".to_owned(), Value::Number(high)),
        ])
    })
}

/// Whether a word says that a list goes on.
fn is_open(word: &str) -> bool {
    OPEN.contains(&word.to_lowercase().as_str())
}

/// What follows the marker, where it begins a sentence and occurs once.
fn after_marker<'a>(description: &'a str, marker: &str) -> Option<&'a str> {
    let mut places = description.match_indices(marker);
    let (at, _) = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let before = &description[..at];
    let begins = before.is_empty()
        || before.ends_with('\n')
        || (before.ends_with(char::is_whitespace) && before.trim_end().ends_with(['.', '!', '?', ';']));
    begins.then(|| &description[at + marker.len()..])
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::closed_list;
    use super::closed_range;
    use crate::key::KeyDefinition;
    use crate::key::KeyType;

    #[test]
    fn a_closed_list_of_bare_words_is_read_and_prose_and_open_lists_close_nothing_z048() {
        for (text, words) in [
            (
                "Cabin class. Acceptable values: economy, first_class. Example: 'x'.",
                json!(["economy", "first_class"]),
            ),
            ("Acceptable values: a, b", json!(["a", "b"])),
            ("Acceptable values: a,b,a.", json!(["a", "b"])),
        ] {
            assert_eq!(
                closed_list(text).map(Value::Object),
                Some(json!({ "enum": words })),
                "{text}"
            );
        }
        for open in [
            "Acceptable values: IATA airport codes (e.g., PEK, SHA, JFK) or city names.",
            "Acceptable values: IATA airport codes or city names.",
            "Acceptable values: any.",
            "Acceptable values: a, b, etc.",
            "Acceptable values: a, b, or c.",
            "Acceptable values: a, b and similar.",
            "Acceptable values: a, b, ….",
            "Acceptable values: a, , b.",
            "Acceptable values: 'a', 'b'.",
            "Acceptable values: v1.0, v2.0.",
            "Acceptable values: small, large; default large.",
            "Not Acceptable values: a, b.",
            "Acceptable values: a, b. For children Acceptable values: c, d.",
            "Values: a, b.",
        ] {
            assert_eq!(closed_list(open), None, "{open}");
        }
    }

    #[test]
    fn a_closed_range_is_read_for_numbers_z048() {
        let range = |text: &str, key_type| json!(closed_range(text, key_type));
        for (text, low, high) in [
            ("Count. Range: 1-9. Example: x.", 1, 9),
            ("Range: 0-10, where 0 means off.", 0, 10),
            ("Range: -5 – -1", -5, -1),
            ("Range: 3-3.", 3, 3),
        ] {
            assert_eq!(
                range(text, KeyType::Integer),
                json!({"minimum": low, "maximum": high}),
                "{text}"
            );
        }
        assert_eq!(
            range("Range: 1.0-1.5.", KeyType::Number),
            json!({"minimum": 1.0, "maximum": 1.5})
        );
        for open in [
            "Range: 9-1.",
            "Range: 1-9 passengers.",
            "Range: 1-9 or more.",
            "Range: 1.0-1.5.",
            "Range: about 1-9.",
            "Range: 1-9, usually.",
            "Range: 1-9, whereas.",
            "Price Range: 1-9.",
            "Range: 1-9. Range: 2-3.",
            "Range: 1-9.5x",
        ] {
            assert_eq!(range(open, KeyType::Integer), Value::Null, "{open}");
        }
    }

    #[test]
    fn what_is_closed_is_taken_over_unless_something_speaks_against_it_z017_z047_z048() {
        for row in [
            json!(["string", "none", "S. Acceptable values: window, none.", {}, {"enum": ["window", "none"]}, "enforced"]),
            json!(["string", null, "Acceptable values: a, b.", {"maxLength": 5}, {"maxLength": 5, "enum": ["a", "b"]}, "enforced"]),
            json!(["integer", 9, "Range: 1-9.", {}, {"minimum": 1, "maximum": 9}, "enforced"]),
            // What is stated wins.
            json!(["string", null, "Acceptable values: a, b.", {"enum": ["a", "b", "c"]}, {"enum": ["a", "b", "c"]}]),
            json!(["integer", null, "Range: 1-9.", {"minimum": 2}, {"minimum": 2}]),
            // A default or another constraint that does not fit.
            json!(["string", "c", "Acceptable values: a, b.", {}, {}, "the default"]),
            json!(["integer", 10, "Range: 1-9.", {}, {}, "the default"]),
            json!(["string", null, "Acceptable values: S, M, XXL.", {"maxLength": 2}, {"maxLength": 2}, "refuse \"XXL\""]),
            json!(["string", null, "Acceptable values: soon, 2026-05-04.", {"format": "date"}, {"format": "date"}, "refuse \"soon\""]),
            json!(["string", null, "Acceptable values: a, b.", {"pattern": "^[A-Z]$"}, {"pattern": "^[A-Z]$"}, "refuse \"a\", \"b\""]),
            json!(["integer", null, "Range: 1-9.", {"multipleOf": 10}, {"multipleOf": 10}, "leave no value"]),
            // Lists are for strings, and ranges for numbers.
            json!(["integer", null, "Acceptable values: a, b.", {}, {}]),
            json!(["string", null, "Range: 1-9.", {}, {}]),
            json!(["array", null, "Range: 1-9.", {}, {}]),
        ] {
            let document = json!({"key_name": "k", "key_type": row[0], "required": false, "default_value": row[1],
                "semantic_description": row[2], "constraints": row[3]});
            let (key, findings) = KeyDefinition::parse(&document).expect("a right key");
            assert_eq!(json!(key.constraints), row[4], "{row}");
            let said = row[5].as_str();
            assert_eq!(findings.len(), usize::from(said.is_some()), "{findings:?}");
            assert!(
                findings
                    .iter()
                    .all(|finding| finding.message.contains(said.unwrap_or_default())),
                "{findings:?}"
            );
        }
    }
}

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

/// Values that a message names.
const NAMED_MAX: usize = 5;

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
        return Some(format!("the other constraints refuse {}", named(&refused)));
    }
    let schema = json_schema::of_key(key.key_type, constraints);
    covers::accepts_nothing(&schema).then(|| "the other constraints leave no value in it".to_owned())
}

/// Whether constraints leave the default of a key right, if it has one.
fn accepts_default(key: &KeyDefinition, constraints: &Map<String, Value>) -> bool {
    let rule = Rule::compile(key.key_type, constraints);
    let default = key.default_value.as_ref();
    default.is_none_or(|default| rule.accepts(default))
}

/// Values by name, so many as a message holds.
fn named(values: &[&Value]) -> String {
    let names: Vec<String> = values.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    match values.len().saturating_sub(NAMED_MAX) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
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

    fn list(description: &str) -> Option<Value> {
        closed_list(description).map(Value::Object)
    }

    fn range(description: &str) -> Option<Value> {
        closed_range(description, KeyType::Integer).map(Value::Object)
    }

    fn key(key_type: &str, default: &Value, description: &str, constraints: &Value) -> (KeyDefinition, Vec<String>) {
        let document = json!({"key_name": "k", "key_type": key_type, "required": false, "default_value": default,
            "semantic_description": description, "constraints": constraints});
        let (key, findings) = KeyDefinition::parse(&document).expect("a right key");
        (key, findings.into_iter().map(|finding| finding.message).collect())
    }

    #[test]
    fn a_closed_list_of_bare_words_is_taken_over_z048() {
        let words = json!({"enum": ["economy", "premium_economy", "business", "first"]});
        let text = "Cabin class. Acceptable values: economy, premium_economy, business, first. Example mapping: 'x'.";
        assert_eq!(list(text), Some(words));
        assert_eq!(list("Acceptable values: a, b"), Some(json!({"enum": ["a", "b"]})));
        assert_eq!(list("Acceptable values: a,b,a."), Some(json!({"enum": ["a", "b"]})));
    }

    #[test]
    fn prose_and_open_lists_close_nothing_z048() {
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
            "Acceptable values: a, b. Acceptable values: c, d.",
            "Values: a, b.",
        ] {
            assert_eq!(list(open), None, "{open}");
        }
    }

    #[test]
    fn a_closed_range_is_taken_over_for_numbers_z048() {
        assert_eq!(
            range("Count. Range: 1-9. Example: x."),
            Some(json!({"minimum": 1, "maximum": 9}))
        );
        assert_eq!(
            range("Range: 0-10, where 0 means off."),
            Some(json!({"minimum": 0, "maximum": 10}))
        );
        assert_eq!(range("Range: -5 – -1"), Some(json!({"minimum": -5, "maximum": -1})));
        assert_eq!(range("Range: 3-3."), Some(json!({"minimum": 3, "maximum": 3})));
        let float = closed_range("Range: 1.0-1.5.", KeyType::Number).map(Value::Object);
        assert_eq!(float, Some(json!({"minimum": 1.0, "maximum": 1.5})));
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
            assert_eq!(range(open), None, "{open}");
        }
    }

    #[test]
    fn the_publisher_sees_what_was_taken_over_z048() {
        let (taken, findings) = key(
            "string",
            &json!("none"),
            "S. Acceptable values: window, aisle, none.",
            &json!({}),
        );
        assert_eq!(taken.constraints["enum"], json!(["window", "aisle", "none"]));
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].contains("window"));
    }

    #[test]
    fn explicit_constraints_win_over_the_description_z048() {
        let (kept, findings) = key(
            "string",
            &Value::Null,
            "Acceptable values: a, b.",
            &json!({"enum": ["a", "b", "c"]}),
        );
        assert_eq!(kept.constraints["enum"], json!(["a", "b", "c"]));
        assert!(findings.is_empty());
        let (kept, _) = key("integer", &Value::Null, "Range: 1-9.", &json!({"minimum": 2}));
        assert_eq!(Value::Object(kept.constraints), json!({"minimum": 2}));
        let (both, _) = key(
            "string",
            &Value::Null,
            "Acceptable values: a, b.",
            &json!({"maxLength": 5}),
        );
        assert_eq!(
            Value::Object(both.constraints),
            json!({"maxLength": 5, "enum": ["a", "b"]})
        );
    }

    #[test]
    fn a_list_without_the_default_is_not_taken_over_z048_z047() {
        let (open, findings) = key("string", &json!("c"), "Acceptable values: a, b.", &json!({}));
        assert!(open.constraints.is_empty());
        assert!(findings[0].contains("default"), "{findings:?}");
        let (open, _) = key("integer", &json!(10), "Range: 1-9.", &json!({}));
        assert!(open.constraints.is_empty());
        let (closed, _) = key("integer", &json!(9), "Range: 1-9.", &json!({}));
        assert_eq!(closed.constraints["maximum"], 9);
    }

    #[test]
    fn what_the_other_constraints_refuse_is_not_taken_over_z048_z017() {
        for (key_type, text, constraints, why) in [
            (
                "string",
                "Acceptable values: S, M, XXL.",
                json!({"maxLength": 2}),
                "refuse \"XXL\"",
            ),
            (
                "string",
                "Acceptable values: soon, 2026-05-04.",
                json!({"format": "date"}),
                "refuse \"soon\"",
            ),
            (
                "string",
                "Acceptable values: a, b.",
                json!({"pattern": "^[A-Z]$"}),
                "refuse \"a\", \"b\"",
            ),
            ("integer", "Range: 1-9.", json!({"multipleOf": 10}), "leave no value"),
        ] {
            let (open, findings) = key(key_type, &Value::Null, text, &constraints);
            assert_eq!(Value::Object(open.constraints), constraints, "{text}");
            assert!(matches!(&findings[..], [said] if said.contains(why)), "{findings:?}");
        }
        let (taken, _) = key(
            "string",
            &Value::Null,
            "Acceptable values: S, M, XL.",
            &json!({"maxLength": 2}),
        );
        assert_eq!(taken.constraints["enum"], json!(["S", "M", "XL"]));
    }

    #[test]
    fn lists_are_for_strings_and_ranges_for_numbers_z048() {
        for (key_type, text) in [
            ("integer", "Acceptable values: a, b."),
            ("string", "Range: 1-9."),
            ("array", "Range: 1-9."),
        ] {
            assert!(
                key(key_type, &Value::Null, text, &json!({})).0.constraints.is_empty(),
                "{key_type}"
            );
        }
    }
}

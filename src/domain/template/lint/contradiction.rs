//! Does the description close other values than the constraints enforce, or bound them otherwise (Z-048)?
//!
//! Invariant: of what is said in prose, a contradiction is found only where the bound is the value's own and nothing else is
//! said beside it.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Map;
use serde_json::Value;

use crate::domain::template::advice::Advice;
use crate::domain::template::annotation::closed_by;
use crate::domain::template::fillable;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::announced::LIST;
use crate::domain::template::lint::announced::RANGE;
use crate::domain::template::lint::gap;
use crate::domain::template::lint::mapping;
use crate::domain::template::lint::meaning;
use crate::domain::template::lint::sentences;
use crate::domain::template::lint::values;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::punctuation::without_stop;

/// Keywords of how long a text is and how many elements an array has, in pairs of sides.
const SIZES: [&str; 4] = ["minLength", "maxLength", "minItems", "maxItems"];

/// Marks between what one sentence says and what it says more.
const CLAUSES: [char; 4] = [',', ';', '(', ')'];

/// Keywords of each end of a number: with it, without it, and the step from the one to the other.
const ENDS: [(&str, &str, f64); 2] = [
    ("minimum", "exclusiveMinimum", 1.0),
    ("maximum", "exclusiveMaximum", -1.0),
];

/// Words by which a number may be another one's hundredth.
static OF_HUNDRED: LazyLock<Regex> = LazyLock::new(|| announced::pattern(r"(?i)%|\bper\s?cent"));

/// Looks at both; whether they contradict each other.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) -> bool {
    let shown = Value::Object(key.constraints.clone());
    let Some(said) = closed_by(key) else {
        let contradicted =
            !key.constraints.is_empty() && announced::stated_bounds(key).is_some_and(|said| bounds_differ(key, &said));
        if contradicted {
            let message = format!("sets other bounds than the constraints enforce, which win: {shown}");
            says.of_description(
                Advice::ContradictedConstraint,
                message,
                reworded(key).filter(|_| says.english),
            );
        }
        return contradicted;
    };
    let contradicted = is_another(key, &said);
    if contradicted {
        let (marker, sentence) = if key.key_type == KeyType::String {
            (LIST, values::list_sentence(key))
        } else {
            (RANGE, values::range_sentence(key))
        };
        let better = sentence.map(|sentence| restated(&key.semantic_description, marker, &sentence));
        let message = format!("says other values than the constraints enforce, which win: {shown}");
        says.of_description(Advice::ContradictedConstraint, message, better);
        return true;
    }
    contradicts_itself(key, says)
}

/// Whether a description sets, beside the range that it closes, other bounds.
fn contradicts_itself(key: &KeyDefinition, says: &mut Says<'_>) -> bool {
    let mut rest = key.clone();
    rest.semantic_description = sentences::sentences(&key.semantic_description)
        .into_iter()
        .filter(|sentence| !sentence.trim_start().starts_with(RANGE))
        .collect();
    let contradicted = announced::stated_bounds(&rest).is_some_and(|said| bounds_differ(&rest, &said));
    if contradicted {
        let shown = Value::Object(key.constraints.clone());
        let message = format!("sets other bounds than the range that it closes, which wins: {shown}");
        let better = reworded(key).filter(|_| says.english);
        says.of_description(Advice::ContradictedConstraint, message, better);
    }
    contradicted
}

/// Whether a closed list or range is another than the enforced one.
fn is_another(key: &KeyDefinition, said: &Map<String, Value>) -> bool {
    said.iter().any(
        |(keyword, said)| match (keyword.as_str(), key.constraints.get(keyword)) {
            (_, None) => false,
            ("enum", Some(listed)) => !values::same_values(said, listed),
            (_, Some(bound)) => !jsonschema::json::cmp::equal(said, bound),
        },
    )
}

/// Whether bounds in prose are others than those that are enforced of the same side, or leave texts of other lengths.
fn bounds_differ(key: &KeyDefinition, said: &Map<String, Value>) -> bool {
    // Fifty percent may be meant by 0.5.
    if OF_HUNDRED.is_match(&key.semantic_description) {
        return false;
    }
    let enforced = &key.constraints;
    let differ =
        |said: Option<(f64, bool)>, enforced: Option<(f64, bool)>| said.zip(enforced).is_some_and(|(a, b)| a != b);
    // That there must be more than nothing is no bound that more could contradict.
    let mut said = said.clone();
    if said.get(ENDS[0].1).and_then(Value::as_f64) == Some(0.0) {
        said.remove(ENDS[0].1);
    }
    let said = &said;
    match key.key_type {
        KeyType::Integer | KeyType::Number => ENDS
            .into_iter()
            .any(|keywords| differ(end(said, key.key_type, keywords), end(enforced, key.key_type, keywords))),
        KeyType::String | KeyType::Array => {
            let of_one_side = SIZES.into_iter().any(|keyword| {
                let size = |of: &Map<String, Value>| of.get(keyword).and_then(Value::as_f64).map(|size| (size, false));
                // That there must be something is no bound that more could contradict.
                let filled = keyword.starts_with("min") && size(said) == Some((1.0, false));
                !filled && differ(size(said), size(enforced))
            });
            of_one_side || lengths_differ(key, said)
        }
        KeyType::Boolean | KeyType::Object | KeyType::Null => false,
    }
}

/// Whether a description says plainly the end that a keyword sets, by this bound or by one beside it: "under 12" for at most 11.
pub fn says_end(key: &KeyDefinition, keyword: &str) -> bool {
    let keywords = ENDS
        .into_iter()
        .find(|(with, without, _)| *with == keyword || *without == keyword);
    let ends = keywords.and_then(|keywords| {
        let said = end(&announced::stated_bounds(key)?, key.key_type, keywords)?;
        Some((said, end(&key.constraints, key.key_type, keywords)?))
    });
    ends.is_some_and(|(said, enforced)| said == enforced)
}

/// One end of a number, and whether it lies beyond what is right; of whole numbers, the last that is right.
fn end(
    constraints: &Map<String, Value>,
    key_type: KeyType,
    (with, without, step): (&str, &str, f64),
) -> Option<(f64, bool)> {
    let bound = |keyword: &str| constraints.get(keyword).and_then(Value::as_f64);
    match (bound(with), bound(without)) {
        (Some(last), None) => Some((last, false)),
        (None, Some(beyond)) if key_type == KeyType::Integer => Some((beyond + step, false)),
        (None, Some(beyond)) => Some((beyond, true)),
        // Two of one side are compared with nothing.
        (Some(_), Some(_)) | (None, None) => None,
    }
}

/// Whether no text has both lengths that are said and that are enforced.
fn lengths_differ(key: &KeyDefinition, said: &Map<String, Value>) -> bool {
    if key.key_type != KeyType::String {
        return false;
    }
    let lengths = fillable::lengths(said).zip(fillable::lengths(&key.constraints));
    lengths.is_some_and(|(said, enforced)| {
        let above = said.most.is_some_and(|most| enforced.least > most);
        above || enforced.most.is_some_and(|most| said.least > most)
    })
}

/// The description without what it says of bounds, and with those that are enforced; a gap where nothing is left of what it means.
pub fn reworded(key: &KeyDefinition) -> Option<String> {
    let mut part = key.clone();
    let mut bounds = |text: &str| {
        text.clone_into(&mut part.semantic_description);
        announced::stated_bounds(&part).is_some() || announced::bounded_sides(&part) != (false, false)
    };
    let mut left = String::new();
    for sentence in sentences::sentences(&key.semantic_description) {
        if mapping::has_arrow(sentence) || !bounds(sentence) {
            left.push_str(sentence);
            continue;
        }
        let clauses = without_stop(sentence.trim()).split(CLAUSES).map(str::trim);
        let kept: Vec<&str> = clauses.filter(|clause| !clause.is_empty() && !bounds(clause)).collect();
        if !kept.is_empty() {
            left.push_str(&format!("{}. ", kept.join(", ")));
        }
    }
    let left = left.trim();
    if left == key.semantic_description.trim() {
        return None;
    }
    let mut text = left.to_owned();
    if let Some(enforced) = values::range_sentence(key) {
        text = if text.is_empty() {
            enforced
        } else {
            with_sentence(&text, &enforced)
        };
    }
    if left.is_empty() || meaning::is_form_alone(left) {
        text = with_sentence(&gap::meaning(key), &text);
    }
    Some(text.trim().to_owned())
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::domain::template::advice::Advice;
    use crate::domain::template::lint::lint;
    use crate::domain::template::schema::SchemaTemplate;

    #[test]
    fn bounds_in_prose_that_the_constraints_contradict_are_found_z048() {
        for (key_type, text, constraints, found) in [
            (
                "string",
                "The code, at most 4 characters.",
                json!({"pattern": "^[A-Z]{8}$"}),
                true,
            ),
            (
                "string",
                "The code, at most 8 characters.",
                json!({"pattern": "^[A-Z]{8}$"}),
                false,
            ),
            (
                "string",
                "The code, at most 4 characters.",
                json!({"format": "date"}),
                true,
            ),
            (
                "string",
                "The code, exactly five digits.",
                json!({"pattern": "^[0-9]{6}$"}),
                true,
            ),
            (
                "string",
                "The code, exactly five digits.",
                json!({"pattern": "^[0-9]{5}$"}),
                false,
            ),
            (
                "string",
                "A note of at most 50 characters.",
                json!({"maxLength": 40}),
                true,
            ),
            (
                "string",
                "A note of at most 50 characters.",
                json!({"maxLength": 50, "minLength": 3}),
                false,
            ),
            ("string", "A note; must not be empty.", json!({"minLength": 3}), false),
            (
                "integer",
                "How many, between 1 and 5.",
                json!({"minimum": 1, "maximum": 9}),
                true,
            ),
            (
                "integer",
                "How many, between 1 and 5.",
                json!({"minimum": 1, "maximum": 5}),
                false,
            ),
            ("integer", "How many, at least 2.", json!({"maximum": 9}), false),
            ("integer", "How many, usually at most 5.", json!({"maximum": 9}), false),
            (
                "number",
                "A discount of at most 50 percent.",
                json!({"maximum": 0.5}),
                false,
            ),
            ("integer", "More than 3 of them.", json!({"minimum": 4}), false),
            ("integer", "More than 3 of them.", json!({"minimum": 5}), true),
            ("number", "Must be greater than 0.", json!({"minimum": 0.1}), false),
            (
                "array",
                "What is on it, at most 3.",
                json!({"items": {"type": "string"}, "maxItems": 4}),
                true,
            ),
        ] {
            let key = json!({"key_name": "thing", "key_type": key_type, "required": false,
                "semantic_description": text, "constraints": constraints});
            let document = json!({"schema_id": "a_v1", "scenario": "a", "keys": [key]});
            let (template, read) = SchemaTemplate::parse(&document).expect("a template");
            let rules: Vec<Advice> = lint(&template, read)
                .findings
                .into_iter()
                .map(|finding| finding.rule)
                .collect();
            assert_eq!(
                rules.contains(&Advice::ContradictedConstraint),
                found,
                "{text} {constraints}"
            );
            let unsaid = found && rules.contains(&Advice::UnsaidConstraint);
            assert!(!unsaid, "what contradicts is not to be added: {text}");
        }
    }
}

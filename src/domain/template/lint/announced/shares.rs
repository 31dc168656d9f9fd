//! Bounds in percent: is a half 50, or 0.5?
//!
//! Invariant: which of the two is meant, examples alone tell.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::mapping_example;
use crate::domain::template::rule::Rule;

/// What the sign makes of a number.
const WHOLE: f64 = 100.0;

/// The sign behind a number that ends a bound, or that another number follows.
static SIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)(?<number>[0-9]\s?)%(?<behind>\s*(?:[-–.,;)\]]|(?:and|but|through|till|to|until)\b|$))")
});

/// The text with blanks for the signs that stand behind bounds, so that every place stays where it was.
pub fn without_signs(prose: &str) -> String {
    let blank = |found: &Captures<'_>| format!("{} {}", &found["number"], &found["behind"]);
    SIGN.replace_all(prose, blank).into_owned()
}

/// Whether a text has bounds in percent.
pub fn has_signs(text: &str) -> bool {
    SIGN.is_match(text)
}

/// The bounds of a number in percent as its examples show it: of a hundred, or of one; `None` where they do not tell.
pub fn meant(key: &KeyDefinition, bounds: &Map<String, Value>) -> Option<Map<String, Value>> {
    let share = |bound: &Value| Some(json!(bound.as_f64()? / WHOLE));
    let of_one: Option<Map<String, Value>> = bounds
        .iter()
        .map(|(keyword, bound)| Some((keyword.clone(), share(bound)?)))
        .collect();
    let of_one = of_one?;
    let fits = |bounds: &Map<String, Value>| {
        let rule = Rule::compile(key.key_type, bounds);
        let mut shown = mapping_example::targets(key)
            .filter_map(|target| target.value)
            .peekable();
        shown.peek().is_some() && shown.all(|value| rule.check(&value).is_ok())
    };
    match (fits(bounds), fits(&of_one)) {
        (true, false) => Some(bounds.clone()),
        // No example is beyond one, and fifty percent would be.
        (_, true) => Some(of_one),
        (false, false) => None,
    }
}

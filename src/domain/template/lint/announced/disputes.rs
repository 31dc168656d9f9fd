//! Bounds of one description that cannot all be right: two of one side.
//!
//! Says which, and not who is right.

use serde_json::Map;
use serde_json::Value;

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::figures::bound;
use crate::domain::template::lint::announced::phrases::Kind;
use crate::domain::template::lint::announced::phrases::Phrase;
use crate::domain::template::lint::announced::phrases::phrases;

/// The first two phrases that set the same side of a value differently; of a text, one may be its range and the other its length.
pub fn first<'t>(key: &KeyDefinition, prose: &'t str, size: Option<&Map<String, Value>>) -> Option<(&'t str, &'t str)> {
    let is_number = matches!(key.key_type, KeyType::Integer | KeyType::Number);
    let all = phrases(prose);
    let mut of_value = all
        .iter()
        .filter(|phrase| !is_number || phrase.counted.is_none())
        .filter(|phrase| is_number || size.is_some() && (phrase.counted.is_some() || names_range(phrase)));
    let one = of_value.next()?;
    let other = of_value.find(|other| differ(one, other))?;
    (is_number || names_range(one) || names_range(other)).then_some((one.text, other.text))
}

/// Whether a phrase has the word for what it is.
fn names_range(phrase: &Phrase<'_>) -> bool {
    phrase.text.to_lowercase().starts_with("range")
}

/// Whether two phrases set one side differently.
fn differ(one: &Phrase<'_>, other: &Phrase<'_>) -> bool {
    let sides = |phrase: &Phrase<'_>| -> Option<[Option<f64>; 2]> {
        let mut numbers = phrase
            .numbers
            .iter()
            .map(|(_, number)| bound(number, KeyType::Number)?.as_f64());
        let first = numbers.next()??;
        Some(match (phrase.kind, numbers.next()) {
            (Kind::Between | Kind::Inside | Kind::FromTo | Kind::Bare, Some(last)) => {
                let last = last?;
                [Some(first.min(last)), Some(first.max(last))]
            }
            (Kind::AtLeast | Kind::MoreThan, None) => [Some(first), None],
            (Kind::AtMost | Kind::LessThan, None) => [None, Some(first)],
            (_, _) => return None,
        })
    };
    let (Some(one), Some(other)) = (sides(one), sides(other)) else {
        return false;
    };
    one.into_iter().zip(other).any(|(one, other)| {
        one.zip(other)
            .is_some_and(|(one, other)| (one - other).abs() > f64::EPSILON)
    })
}

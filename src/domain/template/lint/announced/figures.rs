//! Numbers as descriptions write them: in digits, with separators of thousands, in words up to ninety-nine, and round ones.
//!
//! Knows no key but for its type. Invariant: what the patterns find is read, or is too long for a number.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Number;

use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::pattern;

/// A number in digits.
pub const DIGITS: &str = r"(-?[0-9]{1,3}(?:,[0-9]{3})+\b(?:\.[0-9]{1,15})?|-?[0-9]{1,15}(?:\.[0-9]{1,15})?)";
/// What a number may count that is not the value itself.
pub const COUNTED: &str = r"(?:\s+(decimals?|digits?|characters?|chars|letters?)\b)?";

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// Words behind "a" that mean a number.
const ROUND: [(&str, usize); 3] = [("dozen", 12), ("hundred", 100), ("thousand", 1_000)];

/// A number in digits or in words.
pub static WRITTEN: LazyLock<String> = LazyLock::new(|| {
    let (units, tens) = (UNITS.join("|"), TENS.join("|"));
    let digits = DIGITS.trim_end_matches(')');
    let round = ROUND.map(|(word, _)| word).join("|");
    format!(r"{digits}|an?\s+(?:{round})\b|(?:(?:{tens})(?:[-\s](?:{units}))?|{units})\b)")
});

static ANY: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?i)\b{}", *WRITTEN)));

/// The numbers that a pattern found, each with its place.
pub fn numbers<'t>(found: &Captures<'t>) -> impl Iterator<Item = (usize, &'t str)> {
    let groups: Vec<_> = found.iter().skip(1).flatten().collect();
    groups
        .into_iter()
        .filter(|group| value(group.as_str()).is_some())
        .map(|group| (group.start(), group.as_str()))
}

/// The word for what is counted, where the number is not the value itself.
pub fn counted<'t>(found: &Captures<'t>) -> Option<&'t str> {
    let groups = found.iter().skip(1).flatten().map(|group| group.as_str());
    groups.last().filter(|last| value(last).is_none())
}

/// Whether a text has a number that means one: in digits, or in a word that means nothing else.
pub fn has_any(text: &str) -> bool {
    ANY.find_iter(text)
        .any(|found| !found.as_str().eq_ignore_ascii_case("one"))
}

/// Whether a text says a number, however it is written; a dash before it may stand in a range.
pub fn says(text: &str, number: &Number) -> bool {
    let wanted = number.as_f64().map(f64::abs);
    ANY.find_iter(text)
        .any(|found| value(found.as_str()).map(f64::abs) == wanted)
}

fn value(text: &str) -> Option<f64> {
    bound(text, KeyType::Number)?.as_f64()
}

/// A number as it is written in prose; of an integer key, a whole one.
pub fn bound(text: &str, key_type: KeyType) -> Option<Number> {
    let plain = text.replace(',', "");
    match plain.parse::<i64>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) => match in_words(text) {
            Some(whole) => Some(Number::from(whole)),
            None if key_type == KeyType::Number => Number::from_f64(plain.parse::<f64>().ok()?),
            None => None,
        },
    }
}

/// What number words mean.
fn in_words(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let mut words = lower.split(['-', ' ', '\t', '\n']);
    let first = words.next()?;
    if matches!(first, "a" | "an") {
        let last = words.next_back()?;
        return ROUND.iter().find(|(word, _)| *word == last).map(|(_, number)| *number);
    }
    let unit = |word: &str| UNITS.iter().position(|unit| *unit == word);
    match (TENS.iter().position(|ten| *ten == first), words.next()) {
        (Some(tens), Some(word)) => Some((tens + 2) * 10 + unit(word)?),
        (Some(tens), None) => Some((tens + 2) * 10),
        (None, None) => unit(first),
        (None, Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Number;

    use super::bound;
    use super::says;
    use crate::domain::template::key::KeyType;

    #[test]
    fn numbers_are_read_in_digits_and_in_words_z048() {
        for (text, read) in [
            ("0", 0),
            ("1,500", 1_500),
            ("-3", -3),
            ("one", 1),
            ("Nineteen", 19),
            ("twenty", 20),
            ("ninety-nine", 99),
            ("forty two", 42),
            ("a dozen", 12),
            ("A hundred", 100),
        ] {
            assert_eq!(bound(text, KeyType::Integer), Some(Number::from(read)), "{text}");
        }
        for text in ["1.5", "many", "one two", "a few", "inf", ""] {
            assert_eq!(bound(text, KeyType::Integer), None, "{text}");
        }
        assert_eq!(bound("1.5", KeyType::Number), Number::from_f64(1.5));
    }

    #[test]
    fn a_number_is_said_as_a_whole_z055() {
        let number = |value: i64| Number::from(value);
        for text in ["1-9 of them", "from one to nine", "9.", "up to 9"] {
            assert!(says(text, &number(9)), "{text}");
        }
        assert!(says("1,500 grams", &number(1_500)) && says("-20 to 40", &number(-20)));
        for text in ["19 or 90", "A9", "ninety"] {
            assert!(!says(text, &number(9)), "{text}");
        }
    }
}

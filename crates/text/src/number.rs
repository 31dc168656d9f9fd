//! Numbers as people say them: in digits with the separators of their language, or in words where the library knows the language.
//!
//! A number that cannot be read for certain is none: "1.200" of no known language, digits with letters in one word, a time of day.

use std::borrow::Cow;
use std::collections::BTreeSet;

use text2num::Token;
use text2num::find_numbers;

use crate::analysis::Analysis;
use crate::analysis::Word;
use crate::closed;
use crate::language;
use crate::language::ENGLISH;
use crate::languages::TABLES;
use crate::languages::WORDS;

/// What kind of number the text around it makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// How many, or which.
    Plain,
    /// With a sign or a code of a currency beside it.
    Money,
    /// A time of day, as `HH:MM`.
    Time,
}

/// A number that a text says.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    pub kind: Kind,
    /// In plain digits, with a point for decimals; a time as `HH:MM`.
    pub value: String,
    /// Bytes of the text.
    pub start: usize,
    pub end: usize,
}

/// What tells the halves of a day apart.
const AFTER_NOON: [&str; 2] = ["pm", "p.m"];
const BEFORE_NOON: [&str; 2] = ["am", "a.m"];

/// Bytes of a text that may be a number in words: "nine hundred ninety-nine thousand nine hundred ninety-nine" has 51.
const IN_WORDS_BYTES_MAX: usize = 64;

/// Words between a number and a word for a part that changes it: "half past five", "las siete y media".
const PART_WORDS: usize = 2;

/// Numbers of a text in its own language, or in English where that cannot be told.
pub fn said(analysis: &Analysis<'_>) -> Vec<Number> {
    numbers(analysis, language::vote(analysis).unwrap_or(ENGLISH))
}

/// Numbers of a text, in order. `language` is a two-letter code; of one that the library does not know only digits are read.
pub fn numbers(analysis: &Analysis<'_>, language: &str) -> Vec<Number> {
    let (text, words) = (analysis.text, analysis.words());
    let mut numbers: Vec<Number> = (0..words.len())
        .filter_map(|at| digits(text, words, at, language))
        .collect();
    if let Some(interpreter) = text2num::get_interpreter_for(language) {
        for found in find_numbers(words.iter(), &interpreter, 0.0) {
            let Some(within) = words.get(found.start..found.end) else {
                continue;
            };
            let has_digit = within.iter().any(|word| word.text.contains(|c: char| c.is_numeric()));
            // "a table", "un café": an article is a number in the tables of some languages.
            let is_article = within.len() == 1 && (closed::is_soft(&within[0].lower) || within[0].lower == "one");
            if has_digit || is_article || found.is_ordinal {
                continue;
            }
            if let (Some(first), Some(last)) = (within.first(), within.last()) {
                numbers.push(Number {
                    kind: Kind::Plain,
                    value: plain(found.value),
                    start: first.start,
                    end: last.end(),
                });
            }
        }
    }
    // "half past five", "halb sieben": a word for a part makes another number of the one beside it.
    let parts: Vec<usize> = (0..words.len())
        .filter(|at| closed::is_part(&words[*at].lower))
        .collect();
    let place = |number: &Number| {
        words
            .iter()
            .position(|word| word.start >= number.start)
            .unwrap_or_default()
    };
    let is_near = |number: &Number| parts.iter().any(|part| part.abs_diff(place(number)) <= PART_WORDS);
    numbers.retain(|number| number.kind == Kind::Money || !is_near(number));
    numbers.sort_by_key(|number| number.start);
    numbers
}

/// Reads a text that is a whole number in words and nothing else, where every language that reads it agrees.
pub fn in_words(text: &str) -> Option<i64> {
    // Of no words at all the library makes an empty number, which it cannot read.
    if text.len() > IN_WORDS_BYTES_MAX || text.trim().is_empty() || text.contains(char::is_numeric) {
        return None;
    }
    let languages = TABLES.keys().filter_map(|code| text2num::get_interpreter_for(code));
    let read = languages.filter_map(|language| text2num::text2digits(text, &language).ok()?.parse().ok());
    let read: BTreeSet<i64> = read.collect();
    read.first().copied().filter(|_| read.len() == 1)
}

impl Token for &Word<'_> {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.text)
    }

    fn text_lowercase(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.lower)
    }
}

fn plain(value: f64) -> String {
    // Numbers that a person says in words are far below what a float holds exactly.
    value.to_string()
}

/// The number that a word of digits says, with what stands beside it.
fn digits(text: &str, words: &[Word<'_>], at: usize, language: &str) -> Option<Number> {
    let word = words.get(at)?;
    if !word.text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let next = words.get(at + 1).map_or("", |next| next.lower.as_str());
    let before = text.get(..word.start).unwrap_or_default();
    let end = word.end();
    let behind = text.get(end..).unwrap_or_default();
    // A word of letters and digits, or one that a hyphen or a slash joins to others, is a code.
    let is_joined = |c: char| matches!(c, '-' | '/' | '_' | '#' | '+');
    if before.ends_with(':') {
        return None;
    }
    if let Some((hours, minutes)) = clock(word.text, behind, next) {
        return Some(Number {
            kind: Kind::Time,
            value: format!("{hours:02}:{minutes:02}"),
            start: word.start,
            end,
        });
    }
    if before.ends_with(is_joined)
        || behind.starts_with(is_joined) && behind[1..].starts_with(char::is_alphanumeric)
        || behind.starts_with(':')
    {
        return None;
    }
    let value = decimal(word.text, language)?;
    let money = before.trim_end().ends_with(['€', '$', '£', '¥'])
        || behind.trim_start().starts_with(['€', '$', '£', '¥'])
        || WORDS.holds("currency", next);
    Some(Number {
        kind: if money { Kind::Money } else { Kind::Plain },
        value,
        start: word.start,
        end,
    })
}

/// Digits with separators as plain digits; `None` where they can be read in two ways.
fn decimal(word: &str, language: &str) -> Option<String> {
    if !word.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',') {
        return None;
    }
    let has_point = TABLES.get(language).is_some_and(|words| words.holds("decimal", "."));
    let (point, thousands) = if has_point { ('.', ',') } else { (',', '.') };
    let (whole, rest) = word.split_once(point).unwrap_or((word, ""));
    let groups: Vec<&str> = whole.split(thousands).collect();
    let is_grouped = groups.len() > 1;
    let fits = groups.iter().skip(1).all(|group| group.len() == 3)
        && groups.first().is_some_and(|group| (1..=3).contains(&group.len()));
    if is_grouped && !fits {
        // "2.5 kg" in a language that writes a comma: nobody groups by one digit.
        let decimals = groups.len() == 2 && rest.is_empty();
        return decimals.then(|| format!("{}.{}", groups[0], groups[1]));
    }
    let whole = groups.concat();
    match rest {
        "" => Some(whole),
        rest if rest.chars().all(|c| c.is_ascii_digit()) => Some(format!("{whole}.{rest}")),
        _ => None,
    }
}

/// Hours and minutes: "7:30", "7.30 pm", "7 Uhr", "7h30", "7pm".
fn clock(word: &str, behind: &str, next: &str) -> Option<(u8, u8)> {
    let lower = word.to_lowercase();
    let digits_end = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let (hours, rest) = lower.split_at(digits_end);
    let hours: u8 = hours.parse().ok().filter(|hours| *hours <= 24)?;
    let (minutes, suffix, is_clock) =
        if let Some(minutes) = rest.strip_prefix(['h', ':']).filter(|rest| !rest.is_empty()) {
            (minutes.get(..2)?.parse().ok()?, minutes.get(2..)?.to_owned(), true)
        } else if let Some(minutes) = rest.strip_prefix('.').filter(|rest| rest.len() == 2) {
            (minutes.parse().ok()?, next.to_owned(), WORDS.holds("clock", next))
        } else if rest.is_empty() {
            let minutes = behind
                .strip_prefix(':')
                .and_then(|rest| rest.get(..2))
                .and_then(|two| two.parse().ok());
            // "7:30 pm": the half of the day stands behind the minutes.
            let half = behind.get(":30".len()..).unwrap_or_default().trim_start();
            let half = half
                .split(|c: char| !c.is_alphabetic() && c != '.')
                .next()
                .unwrap_or_default();
            match minutes {
                Some(minutes) => (minutes, half.trim_end_matches('.').to_lowercase(), true),
                None => (0, next.to_owned(), WORDS.holds("clock", next)),
            }
        } else {
            (0, rest.to_owned(), WORDS.holds("clock", rest))
        };
    let hours = match (
        AFTER_NOON.contains(&suffix.as_str()),
        BEFORE_NOON.contains(&suffix.as_str()),
        hours,
    ) {
        (true, _, ..12) => hours + 12,
        (_, true, 12) => 0,
        _ => hours,
    };
    (is_clock && minutes < 60).then_some((hours, minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, language: &str) -> Vec<(Kind, String)> {
        let numbers = numbers(&Analysis::of(text), language).into_iter();
        numbers.map(|number| (number.kind, number.value)).collect()
    }

    #[track_caller]
    fn assert_said(text: &str, language: &str, kind: Kind, value: &str) {
        assert_eq!(said(text, language), [(kind, value.to_owned())], "{text}");
    }

    #[test]
    fn a_whole_number_in_words_is_read_where_all_languages_agree() {
        for (text, number) in [
            ("two", 2),
            ("Twenty-One", 21),
            (" drei ", 3),
            ("six", 6),
            ("one hundred and five", 105),
        ] {
            assert_eq!(in_words(text), Some(number), "{text}");
        }
        for none in [
            "",
            "2",
            "two people",
            "third",
            "two point five",
            "a few",
            "none",
            &"two ".repeat(20),
        ] {
            assert_eq!(in_words(none), None, "{none}");
        }
    }

    #[test]
    fn numbers_are_read_in_digits_and_in_words() {
        assert_said("two extra pillows", "en", Kind::Plain, "2");
        assert_said("drei Kissen", "de", Kind::Plain, "3");
        assert_said("veintiuna personas", "es", Kind::Plain, "21");
        assert_said("3 подушки", "ru", Kind::Plain, "3");
        assert_said("1.200,50 Gramm", "de", Kind::Plain, "1200.50");
        assert_said("1,200 people", "en", Kind::Plain, "1200");
        assert_said("2.5 kg", "de", Kind::Plain, "2.5");
        assert_said("up to 50 €", "de", Kind::Money, "50");
        assert_said("$80 at most", "en", Kind::Money, "80");
    }

    #[test]
    fn times_are_read_as_hours_and_minutes() {
        assert_said("after 7pm", "en", Kind::Time, "19:00");
        assert_said("at 7:30 pm please", "en", Kind::Time, "19:30");
        assert_said("12:15 a.m.", "en", Kind::Time, "00:15");
        assert_said("at 7:30", "en", Kind::Time, "07:30");
        assert_said("by 12pm", "en", Kind::Time, "12:00");
        assert_said("until 12 am", "en", Kind::Time, "00:00");
        assert_said("gegen 18 Uhr", "de", Kind::Time, "18:00");
        assert_said("vers 19h30", "fr", Kind::Time, "19:30");
        assert_said("um 18.30 Uhr", "de", Kind::Time, "18:30");
    }

    #[test]
    fn what_is_no_number_for_certain_is_none() {
        for (text, language) in [
            ("a table", "en"),
            ("ein Tisch", "de"),
            ("un café", "fr"),
            ("code K7-19", "en"),
            ("B12 vitamins", "en"),
            ("the first floor", "en"),
            ("one of us", "en"),
            ("25:99", "en"),
            ("um halb sieben", "de"),
            ("at half past five", "en"),
            ("las siete y media", "es"),
        ] {
            assert_eq!(said(text, language), [], "{text}");
        }
    }
}

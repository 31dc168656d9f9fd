//! One example as it may be shown: the words that enough clients said, with a word for its form where a value is somebody's (Z-112,
//! Z-171).
//!
//! What stands between words that are not shared is cut off at the ends, never out of the middle, and nothing is cut where that could
//! turn the meaning round.

use crate::domain::evolution::lexicon;
use crate::domain::evolution::negation;
use crate::domain::evolution::screen::heard;
use crate::domain::evolution::screen::heard::Heard;
use crate::domain::evolution::screen::orders;
use crate::domain::evolution::screen::person;
use crate::domain::evolution::screen::polarity;
use crate::domain::pool::privacy;
use crate::domain::pool::proposal::Shown;
use crate::domain::pool::reading;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::key::KeyType;

/// What stands for a value.
const MARKS: &[&str] = &[
    "ADDRESS", "AMOUNT", "DATE", "DURATION", "EMAIL", "NAME", "NUMBER", "PHONE", "PLACE", "TIME",
];
/// Words that set one part of a text against another.
const CONTRASTS: &[&str] = &[
    "but", "except", "instead", "rather", "unless", "than", "or", "only", "besides",
];

/// The example fit to be shown; `None` where nothing of it may be, or where its value cannot be told from what is left.
pub fn shown(candidate: &Shown, name: &str, key_type: KeyType, heard: &Heard, personal: bool) -> Option<Shown> {
    let mut example = candidate.clone();
    if key_type == KeyType::Boolean && example.value.is_some() {
        example.value = Some(polarity::meant(name, &example.fragment)?.to_string());
    }
    if orders::orders(&example.fragment) {
        return None;
    }
    if personal {
        return Some(example);
    }
    let example = masked(example, heard);
    let needed = needed(&example, name, key_type);
    let fragment = shared(&example.fragment, &needed, heard)?;
    // A mark alone is no example of anything.
    let says_more = fragment
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| !word.is_empty() && !MARKS.contains(&word));
    let value_is_shared = example
        .value
        .as_deref()
        .is_none_or(|value| is_form(value) || example.from.is_some() || heard.shares_forms(value));
    let is_open = |text: &str| !privacy::is_private(text) && !person::names_somebody(text);
    let value = example.value.as_deref().unwrap_or_default();
    (says_more && value_is_shared && is_open(&fragment) && is_open(value)).then_some(Shown { fragment, ..example })
}

/// With a mark for each value that too few said, or that is money.
fn masked(mut example: Shown, heard: &Heard) -> Shown {
    let mut spans = reading::spans(&example.fragment);
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    for span in spans {
        let Some(said) = example.fragment.get(span.start..span.end).map(str::to_owned) else {
            continue;
        };
        let mark = match span.value_type {
            ValueType::Money => "AMOUNT",
            ValueType::Time => "TIME",
            ValueType::Date => "DATE",
            ValueType::Duration => "DURATION",
            ValueType::Address => "ADDRESS",
            ValueType::Place => "PLACE",
            ValueType::Number => "NUMBER",
            ValueType::Name => "NAME",
            ValueType::None => continue,
        };
        if MARKS.contains(&said.as_str()) {
            continue;
        }
        let is_open = heard.shares_all(&said) && !privacy::is_private(&said) && !person::names_somebody(&said);
        if is_open && span.value_type != ValueType::Money {
            continue;
        }
        let is_its_value = example
            .from
            .as_deref()
            .is_some_and(|from| said.contains(from) || from.contains(said.as_str()));
        if is_its_value {
            // A mark shows where the value stands, and is none.
            example.value = None;
            example.from = Some(mark.to_owned());
        }
        example.fragment.replace_range(span.start..span.end, mark);
    }
    example
}

/// Words of which one must be left, so that the value can still be told; none where there is no value.
fn needed(example: &Shown, name: &str, key_type: KeyType) -> Vec<String> {
    let source = match (&example.from, &example.value) {
        (Some(from), _) => from.clone(),
        (None, Some(_)) if key_type == KeyType::Boolean => name.replace('_', " "),
        (None, Some(value)) => value.clone(),
        (None, None) => String::new(),
    };
    heard::words(&source)
        .map(|(_, word)| word)
        .filter(|word| !lexicon::stop(word))
        .collect()
}

/// The longest run of words that may be shown; the whole text where all may be.
fn shared(text: &str, needed: &[String], heard: &Heard) -> Option<String> {
    let words: Vec<(usize, String)> = heard::words(text).collect();
    let end = |(at, word): &(usize, String)| {
        // A word in small letters may be longer than as it was said.
        let rest = text.get(*at..).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        at + length.max(usize::from(word.is_empty()))
    };
    let may = |word: &(usize, String)| {
        let said = text.get(word.0..end(word)).unwrap_or_default();
        MARKS.contains(&said) || heard.shares(&word.1)
    };
    if words.iter().all(may) {
        return Some(text.to_owned()).filter(|_| !words.is_empty());
    }
    let tokens = lexicon::tokens(text);
    let turns = tokens.iter().any(|token| CONTRASTS.contains(&token.word.as_str()));
    if turns || !negation::refusals(text, &tokens).is_empty() {
        return None;
    }
    // A wish whose value is not told apart is shown whole or not at all: "an aisle seat" is no "seat".
    if needed.is_empty() {
        return None;
    }
    let runs = words.split(|word| !may(word)).map(without_stops);
    let tells = |run: &&[(usize, String)]| {
        let is_needed = |word: &String| {
            needed
                .iter()
                .any(|wanted| wanted == word || lexicon::lemma(wanted) == lexicon::lemma(word))
        };
        run.iter().any(|(_, word)| is_needed(word))
    };
    // The first of the longest, so that two runs of one length give the same every time.
    let longest = runs
        .filter(tells)
        .reduce(|best, run| if run.len() > best.len() { run } else { best })?;
    let (first, last) = (longest.first()?, longest.last()?);
    text.get(first.0..end(last)).map(str::to_owned)
}

/// A run without the words at its ends that only led to what was cut off.
fn without_stops(run: &[(usize, String)]) -> &[(usize, String)] {
    let is_stop = |(_, word): &&(usize, String)| lexicon::stop(word);
    let front = run.iter().take_while(is_stop).count();
    let back = run.iter().skip(front).rev().take_while(is_stop).count();
    run.get(front..run.len() - back).unwrap_or_default()
}

/// Whether a value is a form or a switch, and no word of a client's.
fn is_form(value: &str) -> bool {
    matches!(value, "true" | "false" | "YYYY-MM-DD" | "none") || MARKS.contains(&value)
}

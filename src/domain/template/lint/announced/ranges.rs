//! Ranges that a description announces: behind the words of the grammar, or in prose, with both ends or with one.
//!
//! Invariant: a number that counts something else than the value, or stands in an example, bounds nothing.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Map;
use serde_json::Value;

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::Announced;
use crate::domain::template::lint::announced::BOUNDS;
use crate::domain::template::lint::announced::VALUES;
use crate::domain::template::lint::announced::figures::COUNTED;
use crate::domain::template::lint::announced::figures::DIGITS;
use crate::domain::template::lint::announced::figures::WRITTEN;
use crate::domain::template::lint::announced::figures::bound;
use crate::domain::template::lint::announced::figures::counted;
use crate::domain::template::lint::announced::figures::numbers;
use crate::domain::template::lint::announced::has;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::announced::prose;

/// Two numbers with words, dots or a dash between them.
static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    let (n, w) = (DIGITS, WRITTEN.as_str());
    let to = r"\s*(?:to|through|[-–])\s*";
    pattern(&format!(
        r"(?i)(?:\bbetween\s+{w}\s+and\s+{w}|\bfrom\s+{w}\s+(?:up\s+)?(?:to|through)\s+{w}|\b(?:range|{VALUES})\s*(?:is|are|of)?\s*:?\s*{n}{to}{n}|(?:^|[\s(\[:]){n}\s*(?:\.{{2,3}}|…)\s*{n})\b{COUNTED}|\(\s*{n}{to}{n}{COUNTED}\s*\)"
    ))
});

static MOST: LazyLock<Regex> = LazyLock::new(|| {
    let n = DIGITS;
    pattern(&format!(
        r"(?i)(?:\b(?:at\s+most\s|(?:no|not)\s+(?:more|greater|higher|larger|later|longer)\s+than\s|(?:cannot|can't|can\s+not|may\s+not|must\s+not|never|not|should\s+not)\s+(?:to\s+)?exceed(?:ing)?\s|max(?:imum)?\b\.?(?:\s+(?:is|of|value))*\s*[:=]?)\s*{n}\b{COUNTED}|{n}\s+or\s+(?:less|fewer|younger|below|under|lower|smaller|earlier|shorter)\b)"
    ))
});

static LEAST: LazyLock<Regex> = LazyLock::new(|| {
    let n = DIGITS;
    pattern(&format!(
        r"(?i)(?:\b(?:at\s+least\s|(?:no|not)\s+(?:earlier|fewer|less|lower|shorter|smaller)\s+than\s|min(?:imum)?\b\.?(?:\s+(?:is|of|value))*\s*[:=]?)\s*{n}\b{COUNTED}|{n}\s+or\s+(?:more|older|above|over|higher|greater|larger|later|longer)\b)"
    ))
});

/// An example in the midst of a sentence, to the end of its clause.
static FOR_INSTANCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:e\.\s?g\.|for\s+instance\b|such\s+as\b)(?:[^.;)]|\.[^\s])*"));

/// What says behind a number that it is one of several.
static OF_EACH: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^(?:\s+\S+)?\s+(?:apiece|each)\b"));

/// What stands for minutes as well: "in 30 min 2 of them".
static MIN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^min\b"));

static RANGE_MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\brange:"));

/// A range that is announced and that nothing enforces.
pub fn range(key: &KeyDefinition) -> Option<Announced> {
    let prose = &stated(prose(&key.semantic_description));
    let found = match key.key_type {
        KeyType::Integer | KeyType::Number => bounds_of_number(key, prose),
        KeyType::String => sizes(key, prose, ["minLength", "maxLength"], true),
        KeyType::Array => sizes(key, prose, ["minItems", "maxItems"], false),
        KeyType::Boolean | KeyType::Object | KeyType::Null => None,
    };
    let bounded: &[&str] = match key.key_type {
        KeyType::Integer | KeyType::Number => &BOUNDS,
        KeyType::String => &["minLength", "maxLength", "pattern", "format", "enum", "const"],
        KeyType::Array => &["minItems", "maxItems", "items", "enum", "const"],
        KeyType::Object | KeyType::Boolean => &["enum", "const", "properties"],
        KeyType::Null => return None,
    };
    let marked = || RANGE_MARK.is_match(prose) && !has(key, bounded);
    found
        .or_else(|| marked().then(Announced::default))
        .map(|found| Announced {
            hint: hint_of_range(key.key_type),
            ..found
        })
}

/// The text with blanks for what it says of instances, so that every place stays where it was.
fn stated(prose: &str) -> String {
    let blank = |found: &Captures<'_>| found.get(0).map_or(String::new(), |found| " ".repeat(found.len()));
    FOR_INSTANCE.replace_all(prose, blank).into_owned()
}

fn hint_of_range(key_type: KeyType) -> &'static str {
    match key_type {
        KeyType::Integer => "write \"Range: 1-9.\" in whole numbers, or `minimum` and `maximum` in `constraints`",
        KeyType::Number => "write \"Range: 1.5-9.\", or `minimum` and `maximum` in `constraints`",
        KeyType::String => {
            "only numbers have one: make it a key of type integer or number, or say of a text `minLength` and `maxLength` in \
             `constraints`"
        }
        KeyType::Array => {
            "say with `minItems` and `maxItems` in `constraints` how many, or with `items` which elements"
        }
        KeyType::Boolean | KeyType::Object | KeyType::Null => {
            "only numbers have one: make it a key of type integer or number"
        }
    }
}

/// What a description says of both ends of a number, or of one.
fn bounds_of_number(key: &KeyDefinition, prose: &str) -> Option<Announced> {
    if let Some(found) = ENDS.captures(prose).filter(|found| !counts(found)) {
        return (!has(key, &BOUNDS)).then(|| both_ends(key, &found));
    }
    let mut constraints = Map::new();
    let mut unclear = false;
    for (ends, pattern) in [
        (["minimum", "exclusiveMinimum", "enum", "const"], &LEAST),
        (["maximum", "exclusiveMaximum", "enum", "const"], &MOST),
    ] {
        let Some(found) = pattern
            .captures(prose)
            .filter(|found| is_of_value(prose, found) && !counts(found) && !has(key, &ends))
        else {
            continue;
        };
        match numbers(&found)
            .next()
            .and_then(|(_, number)| bound(number, key.key_type))
        {
            Some(number) => {
                constraints.insert(ends[0].to_owned(), Value::Number(number));
            }
            None => unclear = true,
        }
    }
    (unclear || !constraints.is_empty()).then(|| Announced {
        constraints: Some(constraints).filter(|constraints| !unclear && !constraints.is_empty()),
        ..Announced::default()
    })
}

fn both_ends(key: &KeyDefinition, found: &Captures<'_>) -> Announced {
    let text = &key.semantic_description;
    let read = || {
        let mut ends = numbers(found);
        let ((low_at, low), (high_at, high)) = (ends.next()?, ends.next()?);
        let mut bounds = [bound(low, key.key_type)?, bound(high, key.key_type)?];
        bounds.sort_by(|a, b| a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(std::cmp::Ordering::Equal));
        let [least, most] = bounds;
        let better = format!(
            "{}{least}{}{most}{}",
            &text[..low_at],
            text.get(low_at + low.len()..high_at)?,
            text.get(high_at + high.len()..)?
        );
        let constraints = Map::from_iter([
            ("minimum".to_owned(), Value::Number(least)),
            ("maximum".to_owned(), Value::Number(most)),
        ]);
        Some(Announced {
            constraints: Some(constraints),
            better_text: (better != *text).then_some(better),
            hint: "",
        })
    };
    read().unwrap_or_default()
}

/// What a description says of how long a text is, or how many elements a list has.
fn sizes(key: &KeyDefinition, prose: &str, keywords: [&str; 2], of_characters: bool) -> Option<Announced> {
    if has(key, &["enum", "const", "pattern", "format"]) {
        return None;
    }
    let fits = |found: &Captures<'_>| {
        if of_characters {
            is_of_characters(found)
        } else {
            !counts(found)
        }
    };
    let whole = |number: &str| bound(number, KeyType::Integer).filter(|number| number.as_u64().is_some());
    let mut constraints = Map::new();
    let mut say = |keyword: &str, number: &str| {
        if let Some(number) = whole(number).filter(|_| !has(key, &[keyword])) {
            constraints.insert(keyword.to_owned(), Value::Number(number));
        }
    };
    if let Some(found) = ENDS.captures(prose).filter(|found| fits(found)) {
        // Of a list, two numbers may be anything.
        if of_characters {
            for (keyword, (_, number)) in keywords.into_iter().zip(numbers(&found)) {
                say(keyword, number);
            }
        }
    } else {
        for (keyword, pattern) in keywords.into_iter().zip([&LEAST, &MOST]) {
            if let Some(found) = pattern
                .captures(prose)
                .filter(|found| is_of_value(prose, found) && fits(found))
                && let Some((_, number)) = numbers(&found).next()
            {
                say(keyword, number);
            }
        }
    }
    (!constraints.is_empty()).then(|| Announced {
        constraints: Some(constraints),
        ..Announced::default()
    })
}

/// Whether one end of a range is the value's: not that of each part of it, and no number of minutes.
fn is_of_value(prose: &str, found: &Captures<'_>) -> bool {
    let Some(whole) = found.get(0) else { return false };
    let before = prose[..whole.start()].trim_end();
    let begins = before.ends_with(" and") || !before.ends_with(char::is_alphanumeric);
    (begins || !MIN.is_match(whole.as_str())) && !OF_EACH.is_match(&prose[whole.end()..])
}

fn counts(found: &Captures<'_>) -> bool {
    counted(found).is_some()
}

fn is_of_characters(found: &Captures<'_>) -> bool {
    counted(found).is_some_and(|word| word.to_lowercase().starts_with(['c', 'l']))
}

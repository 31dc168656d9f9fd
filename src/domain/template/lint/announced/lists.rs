//! Lists that a description announces: behind the words of the grammar or others like them, in prose, between bars.
//!
//! Invariant: a list that says that it goes on, or that names kinds of values rather than values, is none.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::annotation;
use crate::domain::template::constraint::ENUM_MAX;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::Announced;
use crate::domain::template::lint::announced::BOUNDS;
use crate::domain::template::lint::announced::LIST;
use crate::domain::template::lint::announced::VALUES;
use crate::domain::template::lint::announced::figures::bound;
use crate::domain::template::lint::announced::has;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::announced::prose;
use crate::domain::template::lint::sentences::sentences;

/// Words of one value that stands without quotes.
const WORDS_MAX: usize = 3;

/// Nouns for kinds of values, behind a word that says which: "city name", "IATA code".
const KINDS: [&str; 7] = ["address", "code", "date", "id", "identifier", "name", "number"];

/// Words of how a text is written: who may "use only letters or digits" is given no values.
const FORMS: [&str; 16] = [
    "capitals",
    "characters",
    "decimals",
    "digits",
    "english",
    "hyphens",
    "integers",
    "letters",
    "lowercase",
    "names",
    "numbers",
    "punctuation",
    "spaces",
    "underscores",
    "uppercase",
    "words",
];

/// One word, quoted or not.
const WORD: &str = r#"['"`]?[\p{Alphabetic}0-9_-]+['"`]?"#;

static LIST_MARK: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?i)(\b(?:not|no)\s+)?\b{VALUES}(?:\s+(?:are|is))?\s*:")));

/// Words behind a cue, to the end of the sentence: all but the last divided by marks.
static PROSE_LIST: LazyLock<Regex> = LazyLock::new(|| {
    behind(&format!(
        r"one\s+of|either|(?:choose|pick|select)\s+(?:among|between|from)|{VALUES}(?:\s+are|\s+is)?"
    ))
});

/// The same behind words that say that there are no others.
static ONLY_LIST: LazyLock<Regex> =
    LazyLock::new(|| behind(r"(?:accepts?|allows?|choose|enter|give|pass|say|select|send|takes?|use|write)\s+only"));

/// What makes a list one of values that are wrong.
static DENIED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:except|never|no|not)\s+$"));

/// Words between bars.
static BARS: LazyLock<Regex> = LazyLock::new(|| {
    let word = WORD;
    pattern(&format!(
        r"\(([^()|]+(?:\|[^()|]+)+)\)|(?:^|[\s:])({word}(?:\s*\|\s*{word})+)(?:[\s.,;]|$)"
    ))
});

fn behind(cue: &str) -> Regex {
    let word = WORD;
    pattern(&format!(
        r"(?i)\b(?:{cue})\s*:?\s+({word}(?:\s*[,/|]\s*{word})*(?:\s*,?\s+(?:or|and)\s+{word}|\s*[,/|]\s*{word}))\s*(?:[.;]\s|\)|[.;]?$)"
    ))
}

/// Words before a list that say no more than that one is chosen.
static CHOOSE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^\s*(?:please\s+)?(?:choose|pick|select|use|give|say|is|must be|the)?\s*$"));

/// One entry of a list, quoted or not, and what stands before the next.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^\s*(?:(?:or|and)\s+)?(?:"([^"]+)"|'([^']+)'|`([^`]+)`|“([^”]+)”|([^,/|"'`“”]+?))\s*(,|/|\||\s(?:or|and)\s|$)"#,
    )
});

/// Values that are listed, and the part of the text that lists them.
struct Listed<'a> {
    values: Vec<&'a str>,
    /// Where a sentence of the grammar could stand in its place.
    place: Option<(usize, usize)>,
}

/// A list that is announced and that nothing enforces.
pub fn list(key: &KeyDefinition) -> Option<Announced> {
    if is_listed(key) {
        return None;
    }
    let prose = prose(&key.semantic_description);
    let in_words = || listed_in_words(prose).filter(|_| key.key_type == KeyType::String);
    let listed = listed_by_mark(prose).or_else(in_words)?;
    if key.key_type == KeyType::Boolean && listed.values.iter().all(|value| matches!(*value, "true" | "false")) {
        return None;
    }
    let once = LIST_MARK.find_iter(prose).count() <= 1;
    let constraints = values_of(key, &listed.values).filter(|_| once);
    let better_text = constraints
        .as_ref()
        .filter(|_| key.key_type == KeyType::String)
        .and_then(|_| in_the_grammar(&key.semantic_description, &listed));
    let hint = match key.key_type {
        KeyType::Boolean => {
            "a boolean takes true and false alone: say when it is true, or make it a key of type string with that list"
        }
        KeyType::Object => "say with `\"properties\": {…}` in `constraints` what its members are",
        KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Array | KeyType::Null => {
            "say it once, with the values as `\"enum\": […]` in `constraints`, or, of a text, \"Acceptable values: a, b, c.\" \
             at the beginning of a sentence"
        }
    };
    Some(Announced {
        constraints,
        better_text,
        hint,
    })
}

/// Whether the constraints have anything of a list.
fn is_listed(key: &KeyDefinition) -> bool {
    match key.key_type {
        KeyType::String => has(key, &["enum", "const", "pattern", "format"]),
        KeyType::Integer | KeyType::Number => has(key, &BOUNDS),
        KeyType::Boolean => has(key, &["enum", "const"]),
        KeyType::Array => {
            let of_items = |items: &Value| {
                ["enum", "const", "pattern", "format"]
                    .iter()
                    .any(|keyword| items.get(*keyword).is_some())
            };
            has(key, &["enum", "const"]) || key.constraints.get("items").is_some_and(of_items)
        }
        KeyType::Object => has(key, &["enum", "const", "properties"]),
        KeyType::Null => true,
    }
}

/// A list behind the words of the grammar, in whatever form.
fn listed_by_mark(prose: &str) -> Option<Listed<'_>> {
    LIST_MARK.captures_iter(prose).find_map(|mark| {
        let whole = mark.get(0).filter(|_| mark.get(1).is_none())?;
        let sentence = sentences(&prose[whole.end()..]).first().copied().unwrap_or_default();
        let clause = sentence.split(';').next().filter(|clause| !clause.contains(".."))?;
        let clause = clause.trim_end().trim_end_matches(['.', '!', '?']);
        Some(Listed {
            values: entries(clause)?,
            place: place(prose, whole.start(), whole.end() + clause.len()),
        })
    })
}

/// A list in prose: behind words that announce one, or between bars.
fn listed_in_words(prose: &str) -> Option<Listed<'_>> {
    let of_cue = || {
        PROSE_LIST
            .captures(prose)
            .and_then(|found| listed_behind(prose, &found))
    };
    let of_only = || ONLY_LIST.captures(prose).and_then(|found| listed_behind(prose, &found));
    let of_bars = || {
        let found = BARS.captures(prose)?;
        let values = entries(found.get(1).or_else(|| found.get(2))?.as_str())?;
        Some(Listed { values, place: None })
    };
    of_cue()
        .filter(|listed| !is_span(&listed.values))
        .or_else(|| of_only().filter(|listed| !are_kinds(&listed.values)))
        .or_else(of_bars)
}

/// Whether the values are two numbers: "choose between 1 and 5" names the ends of a range.
fn is_span(values: &[&str]) -> bool {
    values.len() == 2 && values.iter().all(|value| bound(value, KeyType::Number).is_some())
}

/// Whether a word is a noun for a kind of values.
fn is_kind(word: &str) -> bool {
    let lower = word.to_lowercase();
    KINDS.iter().any(|kind| {
        lower
            .strip_prefix(kind)
            .is_some_and(|rest| matches!(rest, "" | "s" | "es"))
    })
}

/// Whether the words name kinds of values: how a text is written, or each in the plural.
fn are_kinds(values: &[&str]) -> bool {
    let is_form = |value: &&str| FORMS.contains(&value.to_lowercase().as_str());
    values.iter().any(is_form) || values.iter().all(|value| value.ends_with('s'))
}

/// The list that a cue stands before.
fn listed_behind<'p>(prose: &'p str, found: &Captures<'p>) -> Option<Listed<'p>> {
    let (whole, listed) = (found.get(0)?, found.get(1)?);
    if DENIED.is_match(&prose[..whole.start()]) {
        return None;
    }
    Some(Listed {
        values: entries(listed.as_str())?,
        place: place(prose, whole.start(), listed.end()),
    })
}

/// Where a sentence of the grammar could stand in place of what announces a list, with what leads up to it.
fn place(prose: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let before = sentences(&prose[..start]).pop().unwrap_or_default();
    let lead = if before.trim_end().ends_with(['.', '!', '?']) {
        ""
    } else {
        before
    };
    CHOOSE.is_match(lead).then(|| (start - lead.len(), end))
}

/// The entries of a list that is closed: two at least, each quoted or of few words, none of which says that it goes on.
fn entries(clause: &str) -> Option<Vec<&str>> {
    if clause.contains(['(', ')', '…', ':']) || clause.contains("such as") {
        return None;
    }
    let mut values: Vec<&str> = Vec::new();
    let mut rest = clause;
    let mut wordy = false;
    let mut divided = false;
    while !rest.trim().is_empty() {
        let found = ENTRY.captures(rest)?;
        let entry = found.iter().skip(1).take(5).flatten().next()?;
        if found.get(5).is_some() {
            let words = entry.as_str().split_whitespace();
            let several = words.clone().count() > 1;
            let is_kind = several && words.clone().next_back().is_some_and(is_kind);
            if words.clone().count() > WORDS_MAX || is_kind || words.clone().any(annotation::is_open) {
                return None;
            }
            wordy |= several;
        }
        divided |= found.get(6).is_some_and(|end| matches!(end.as_str(), "," | "/" | "|"));
        if !values.contains(&entry.as_str()) {
            values.push(entry.as_str());
        }
        rest = &rest[found.get(0)?.end()..];
    }
    // "Airport codes or city names" names two kinds of values; "exit row, window seat" names two values.
    (values.len() > 1 && values.len() <= ENUM_MAX && (divided || !wordy)).then_some(values)
}

/// The list as constraints of the key's type.
fn values_of(key: &KeyDefinition, values: &[&str]) -> Option<Map<String, Value>> {
    let texts = || Value::Array(values.iter().map(|value| json!(value)).collect());
    let (keyword, listed) = match key.key_type {
        KeyType::String => ("enum", texts()),
        KeyType::Integer | KeyType::Number => {
            let numbers: Option<Vec<Value>> = values
                .iter()
                .map(|value| Some(Value::Number(bound(value, key.key_type)?)))
                .collect();
            ("enum", Value::Array(numbers?))
        }
        KeyType::Array => {
            let mut items = match key.constraints.get("items") {
                Some(Value::Object(items)) => items.clone(),
                Some(_) => return None,
                None => Map::from_iter([("type".to_owned(), json!("string"))]),
            };
            items.insert("enum".to_owned(), texts());
            ("items", Value::Object(items))
        }
        KeyType::Boolean | KeyType::Object | KeyType::Null => return None,
    };
    Some(Map::from_iter([(keyword.to_owned(), listed)]))
}

/// The text with the list as a sentence of the grammar, where it can be one.
fn in_the_grammar(text: &str, listed: &Listed<'_>) -> Option<String> {
    let (start, end) = listed.place?;
    let sentence = format!("{LIST} {}", listed.values.join(", "));
    annotation::closed_list(&sentence)?;
    Some(format!("{}{sentence}{}", &text[..start], text.get(end..)?))
}

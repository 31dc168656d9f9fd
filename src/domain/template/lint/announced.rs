//! Lists and ranges that a description announces and nothing enforces (Z-048): by the words of the grammar of
//! [`crate::domain::template::annotation`], or in prose.
//!
//! What stands in examples announces nothing, nor does a list that says that it goes on. Where it is clear what was meant,
//! a finding shows it as constraints; where it is not, it says how to write it.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::advice::Advice;
use crate::domain::template::annotation;
use crate::domain::template::constraint::ENUM_MAX;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::sentences::sentences;
use crate::domain::template::lint::values::enforceable;

/// The words that announce a list, and a range, in the grammar.
pub const LIST: &str = "Acceptable values:";
pub const RANGE: &str = "Range:";

/// Words of one value that stands without quotes.
const WORDS_MAX: usize = 3;
/// Keywords that bound a number.
const BOUNDS: [&str; 6] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "enum",
    "const",
];

const NUMBER: &str = r"(-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,15})?|-?[0-9]{1,15}(?:\.[0-9]{1,15})?)";
/// What a number may count that is not the value itself.
const COUNTED: &str = r"(?:\s+(decimals?|digits?|characters?|chars|letters?)\b)?";

/// Two numbers with words or a dash between them.
static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    let n = NUMBER;
    pattern(&format!(
        r"(?i)\b(?:between\s+{n}\s+and\s+{n}|from\s+{n}\s+(?:to|through)\s+{n}|(?:range|acceptable values)\s*(?:is|of|:)?\s*{n}\s*(?:to|through|[-–])\s*{n})\b{COUNTED}"
    ))
});

static MOST: LazyLock<Regex> = LazyLock::new(|| {
    let n = NUMBER;
    pattern(&format!(
        r"(?i)(?:\b(?:at\s+most|(?:no|not)\s+more\s+than)\s+{n}\b{COUNTED}|{n}\s+or\s+(?:less|fewer|younger|below|under|lower|smaller|earlier|shorter)\b)"
    ))
});

static LEAST: LazyLock<Regex> = LazyLock::new(|| {
    let n = NUMBER;
    pattern(&format!(
        r"(?i)(?:\b(?:at\s+least|(?:no|not)\s+(?:less|fewer)\s+than)\s+{n}\b{COUNTED}|{n}\s+or\s+(?:more|older|above|over|higher|greater|larger|later|longer)\b)"
    ))
});

static RANGE_MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\brange:"));
static LIST_MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)(\b(?:not|no)\s+)?\bacceptable\s+values:"));

/// Words behind a cue, to the end of the sentence.
static PROSE_LIST: LazyLock<Regex> = LazyLock::new(|| {
    let word = r#"['"`]?[\p{Alphabetic}0-9_-]+['"`]?"#;
    pattern(&format!(
        r"(?i)\b(?:one of|either|(?:acceptable|possible|allowed|valid|permitted)\s+values?(?:\s+are|\s+is)?)\s*:?\s+({word}(?:\s*,\s*{word})*\s*,?\s+(?:or|and)\s+{word})\s*(?:[.;]\s|[.;]?$)"
    ))
});

/// Words before a list that say no more than that one is chosen.
static CHOOSE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^\s*(?:please\s+)?(?:choose|pick|select|use|give|say|is|must be)?\s*$"));

/// One entry of a list, quoted or not, and what stands before the next.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^\s*(?:(?:or|and)\s+)?(?:"([^"]+)"|'([^']+)'|`([^`]+)`|“([^”]+)”|([^,/|"'`“”]+?))\s*(,|/|\||\s(?:or|and)\s|$)"#,
    )
});

static EXAMPLES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bexamples?\b"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant")
}

/// What is announced: the constraints that were meant where that is clear, and the text that goes with them.
#[derive(Default)]
struct Announced {
    constraints: Option<Map<String, Value>>,
    better_text: Option<String>,
    /// How to write it, where there are no constraints to show.
    hint: &'static str,
}

/// Looks for what is announced and not enforced.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    for (rule, what, found) in [
        (Advice::ProseRange, "range", range(key)),
        (Advice::ProseList, "list", list(key)),
    ] {
        if let Some(found) = found {
            tell(key, rule, what, found, says);
        }
    }
}

/// Whether a list or a range is announced that nothing enforces.
pub fn is_announced(key: &KeyDefinition) -> bool {
    range(key).is_some() || list(key).is_some()
}

fn tell(key: &KeyDefinition, rule: Advice, what: &str, found: Announced, says: &mut Says<'_>) {
    let Some(constraints) = found.constraints else {
        let message = format!("announces a {what} that nothing enforces; {}", found.hint);
        says.say(rule, "semantic_description", message, None);
        return;
    };
    let fits = enforceable(key, &constraints);
    let constraints = Value::Object(constraints);
    if fits {
        let message = format!("a {what} in prose is not enforced; as `constraints` it is: {constraints}");
        let mut better = json!({ "constraints": constraints });
        if let (Some(text), Some(members)) = (found.better_text, better.as_object_mut()) {
            members.insert("semantic_description".to_owned(), Value::String(text));
        }
        says.say(rule, "semantic_description", message, Some(better));
    } else if !is_told_already(key) {
        let message =
            format!("a {what} is announced that the default is not among, so that it cannot be: {constraints}");
        says.say(Advice::NotTakenOver, "constraints", message, None);
    }
}

/// Whether the reading of the description said already that the default stands against it.
fn is_told_already(key: &KeyDefinition) -> bool {
    match key.key_type {
        KeyType::String => annotation::closed_list(&key.semantic_description).is_some(),
        KeyType::Integer | KeyType::Number => {
            annotation::closed_range(&key.semantic_description, key.key_type).is_some()
        }
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => false,
    }
}

/// What stands before the examples.
fn prose(text: &str) -> &str {
    EXAMPLES.find(text).map_or(text, |found| &text[..found.start()])
}

fn has(key: &KeyDefinition, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| key.constraints.contains_key(*keyword))
}

// --- Lists

/// Values that are listed, and the part of the text that lists them.
struct Listed<'a> {
    values: Vec<&'a str>,
    /// Where a sentence of the grammar could stand in its place.
    place: Option<(usize, usize)>,
}

fn list(key: &KeyDefinition) -> Option<Announced> {
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
        let clause = sentence.split(';').next().unwrap_or_default();
        let clause = clause.trim_end().trim_end_matches(['.', '!', '?']);
        Some(Listed {
            values: entries(clause)?,
            place: Some((whole.start(), whole.end() + clause.len())),
        })
    })
}

/// A list behind words that announce one in prose.
fn listed_in_words(prose: &str) -> Option<Listed<'_>> {
    let found = PROSE_LIST.captures(prose)?;
    let (whole, listed) = (found.get(0)?, found.get(1)?);
    let before = sentences(&prose[..whole.start()]).pop().unwrap_or_default();
    let lead = if before.trim_end().ends_with(['.', '!', '?']) {
        ""
    } else {
        before
    };
    let place = CHOOSE
        .is_match(lead)
        .then(|| (whole.start() - lead.len(), listed.end()));
    Some(Listed {
        values: entries(listed.as_str())?,
        place,
    })
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
            if words.clone().count() > WORDS_MAX || words.clone().any(annotation::is_open) {
                return None;
            }
            wordy |= words.count() > 1;
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

// --- Ranges

fn range(key: &KeyDefinition) -> Option<Announced> {
    let prose = prose(&key.semantic_description);
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
            .filter(|found| !counts(found) && !has(key, &ends))
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
            if let Some(found) = pattern.captures(prose).filter(|found| fits(found))
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

/// The numbers that a pattern found, each with its place.
fn numbers<'t>(found: &Captures<'t>) -> impl Iterator<Item = (usize, &'t str)> {
    let groups: Vec<_> = found.iter().skip(1).flatten().collect();
    let is_number = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    groups
        .into_iter()
        .filter(move |group| is_number(group.as_str()))
        .map(|group| (group.start(), group.as_str()))
}

/// The word for what is counted, where the number is not the value itself.
fn counted<'t>(found: &Captures<'t>) -> Option<&'t str> {
    let groups = found.iter().skip(1).flatten().map(|group| group.as_str());
    groups.last().filter(|last| last.ends_with(char::is_alphabetic))
}

fn counts(found: &Captures<'_>) -> bool {
    counted(found).is_some()
}

fn is_of_characters(found: &Captures<'_>) -> bool {
    counted(found).is_some_and(|word| word.to_lowercase().starts_with(['c', 'l']))
}

/// A number as it is written in prose; of an integer key, a whole one.
fn bound(text: &str, key_type: KeyType) -> Option<Number> {
    let plain = text.replace(',', "");
    match plain.parse::<i64>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) if key_type == KeyType::Number => Number::from_f64(plain.parse::<f64>().ok()?),
        Err(_) => None,
    }
}

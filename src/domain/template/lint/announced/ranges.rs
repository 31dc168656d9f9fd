//! Ranges that a description announces: behind the words of the grammar, or in prose, with both ends or with one.
//!
//! Invariant: a number that counts something else than the value, or stands in an example, bounds nothing; where more is said
//! than one bound of each side, no bound is shown.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::containment;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::Announced;
use crate::domain::template::lint::announced::BOUNDS;
use crate::domain::template::lint::announced::around::Around;
use crate::domain::template::lint::announced::disputes;
use crate::domain::template::lint::announced::figures::bound;
use crate::domain::template::lint::announced::has;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::announced::phrases::Kind;
use crate::domain::template::lint::announced::phrases::Phrase;
use crate::domain::template::lint::announced::phrases::phrases;
use crate::domain::template::lint::announced::prose;
use crate::domain::template::lint::announced::shares;

/// Bounds of one description that are looked at: with more, it is not clear which is the value's.
const PHRASES_MAX: usize = 8;

/// An example in the midst of a sentence, to the end of its clause.
static FOR_INSTANCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:e\.\s?g\.|for\s+instance\b|such\s+as\b)(?:[^.;)]|\.[^\s])*"));

static RANGE_MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\brange:"));

/// A range of times of day.
static OF_TIMES: LazyLock<Regex> = LazyLock::new(|| {
    let time = r"[0-9]{1,2}(?::[0-9]{2}(?:\s*[ap]\.?m\.?)?|\s*[ap]\.?m\b\.?)";
    pattern(&format!(
        r"(?i)(?:\bbetween\s+{time}\s+and\s+{time}|\bfrom\s+{time}\s+(?:to|till|until)\s+{time}|\b{time}\s*(?:-|–|to)\s*{time}|\b(?:not\s+before|no\s+later\s+than|not\s+after|at\s+the\s+(?:earliest|latest))\s+{time})"
    ))
});

/// Marks that led up to a range which is gone.
static LEFT_OVER: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\s,;]+(?<end>[.!?]|$)"));

/// What may stand between two bounds of one value.
static JOINED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)[\s,;]*(?:\b(?:and|but)\b)?[\s,]*$"));

/// What leads up to a bound of the value itself: nothing, a mark, or a word that says what the value is.
static LEADS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)(?:^|[.,;:(\[—-]|\b(?:is|are|be|of|the|and|but|has|have|it|that|which|must|may|can|should))\s*$")
});

/// Several of something, of which a bound in a unit says which: "children between 2 and 12 years".
static MANY: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:children|people|\p{L}+s)\s*$"));

/// What turns a bound round that stands behind it.
static DENIED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)(?:\b(?:not|never|no)|n't)(?:\s+be)?\s*$"));

/// Things whose numbers are names, which may be written with a dash.
static NAMING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:accounts?|codes?|fax|id|identifiers?|isbn|mobile|phones?|post\s?codes?|serial|telephones?|versions?|zip)\b",
    )
});

/// Words for how many there are, of which a bound of another measure says nothing: "number of guests, 18 or older".
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:(?:number|count|amount|quantity)\s+of|how\s+many)\b"));
static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:older|younger|longer|shorter|later|earlier|bigger|heavier|lighter|larger|smaller)\b")
});

/// Units, of which one value has one.
static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|millimet(?:er|re)s?|centimet(?:er|re)s?|kilomet(?:er|re)s?|met(?:er|re)s?|mm|cm|km|inch(?:es)?|feet|miles?|grams?|kilograms?|kg|pounds?|tons?|lit(?:er|re)s?|ml|euros?|cents?|dollars?|percent|degrees?)\b",
    )
});

/// Of what a unit is a part.
static OF_WHOLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\bof\s+(?:the|a|each|every)\s+(?:day|week|month|year|hour|minute)\b"));

/// What is said of one side, or of both.
enum Said {
    Nothing,
    /// More than a rule understands; with the bounds that it would be, if nothing else were said.
    Unclear(Option<Map<String, Value>>),
    Bounds(Map<String, Value>),
}

/// A range that is announced and that nothing enforces.
pub fn range(key: &KeyDefinition) -> Option<Announced> {
    let prose = &shares::without_signs(&stated(prose(&key.semantic_description)));
    let bounded: &[&str] = match key.key_type {
        KeyType::Integer | KeyType::Number => &BOUNDS,
        KeyType::String => &["minLength", "maxLength", "pattern", "format", "enum", "const"],
        KeyType::Array => &["minItems", "maxItems", "items", "enum", "const"],
        KeyType::Object | KeyType::Boolean => &["enum", "const", "properties"],
        KeyType::Null => return None,
    };
    let found = match said_by(key, prose) {
        Said::Bounds(constraints) => Some(Announced {
            better_text: in_order(key, prose),
            constraints: Some(constraints),
            ..Announced::default()
        }),
        Said::Unclear(bounds) => {
            let hint = match (disputes::first(key, prose, bounds.as_ref()), bounds) {
                (Some((one, other)), _) => {
                    format!("it says `{one}` and `{other}`, which are not the same: leave the one that is right")
                }
                (None, Some(bounds)) => {
                    let shown = Value::Object(bounds);
                    format!("if it is all that is right, say it in `constraints`: {shown}")
                }
                (None, None) => hint_of_range(key.key_type).to_owned(),
            };
            return Some(Announced {
                hint,
                ..Announced::default()
            });
        }
        Said::Nothing if key.key_type == KeyType::String && !has(key, bounded) && OF_TIMES.is_match(prose) => {
            return Some(Announced {
                hint: "times have no range: say with a `pattern` in `constraints` which are right".to_owned(),
                ..Announced::default()
            });
        }
        Said::Nothing => (RANGE_MARK.is_match(prose) && !has(key, bounded)).then(Announced::default),
    };
    found.map(|found| Announced {
        hint: hint_of_range(key.key_type).to_owned(),
        ..found
    })
}

/// The bounds that a description sets the value itself, and of which it says nothing else, as if nothing were enforced.
pub fn stated_bounds(key: &KeyDefinition) -> Option<Map<String, Value>> {
    let mut free = key.clone();
    free.constraints.retain(|keyword, _| keyword == "items");
    match said_by(&free, &shares::without_signs(&stated(prose(&key.semantic_description)))) {
        Said::Bounds(bounds) => Some(bounds),
        Said::Nothing | Said::Unclear(_) => None,
    }
}

/// Whether a description bounds a number from below, and from above, whatever else it says.
pub fn bounded_sides(key: &KeyDefinition) -> (bool, bool) {
    let prose = shares::without_signs(&stated(prose(&key.semantic_description)));
    let of_value = phrases(&prose).into_iter().filter(|phrase| phrase.counted.is_none());
    of_value.fold((false, false), |(low, high), phrase| match phrase.kind {
        Kind::Between | Kind::Inside | Kind::FromTo | Kind::Bare => (true, true),
        Kind::AtLeast | Kind::MoreThan => (true, high),
        Kind::AtMost | Kind::LessThan => (low, true),
        Kind::Exactly | Kind::NotEmpty => (low, high),
    })
}

/// What a description says of how much, how long or how many a value is.
fn said_by(key: &KeyDefinition, prose: &str) -> Said {
    match key.key_type {
        KeyType::Integer | KeyType::Number => of_number(key, prose),
        KeyType::String => of_size(key, prose, ["minLength", "maxLength"]),
        KeyType::Array => of_size(key, prose, ["minItems", "maxItems"]),
        KeyType::Boolean | KeyType::Object | KeyType::Null => Said::Nothing,
    }
}

/// The text without the ranges of times of day that it sets.
pub fn without_times(prose: &str) -> String {
    let left = OF_TIMES.replace_all(prose, "");
    LEFT_OVER.replace_all(&left, "$end").into_owned()
}

/// The text with blanks for what it says of instances, so that every place stays where it was.
pub fn stated(prose: &str) -> String {
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
fn of_number(key: &KeyDefinition, prose: &str) -> Said {
    let open = |low: bool, high: bool| {
        let low = low && has(key, &["minimum", "exclusiveMinimum"]);
        let high = high && has(key, &["maximum", "exclusiveMaximum"]);
        !low && !high && !has(key, &["enum", "const"])
    };
    let named = names_something(key, prose);
    let of_value = phrases(prose)
        .into_iter()
        .filter(|phrase| phrase.counted.is_none() && !(named && phrase.kind == Kind::Bare));
    let open: Vec<Phrase<'_>> = of_value
        .filter(|phrase| match phrase.kind {
            Kind::Between | Kind::Inside | Kind::FromTo | Kind::Bare => open(true, true),
            Kind::AtLeast | Kind::MoreThan => open(true, false),
            Kind::AtMost | Kind::LessThan => open(false, true),
            Kind::Exactly | Kind::NotEmpty => false,
        })
        .collect();
    if open.is_empty() {
        return Said::Nothing;
    }
    if open.len() > PHRASES_MAX {
        return Said::Unclear(None);
    }
    let plain = is_plain(key, prose, &open);
    let read = |phrase: &Phrase<'_>| {
        let mut ends = phrase.numbers.iter().map(|(_, number)| bound(number, key.key_type));
        let first = ends.next()??;
        Some(match (phrase.kind, ends.next()) {
            (Kind::Between, Some(last)) => both(sorted([first, last?])?),
            (Kind::Inside, Some(last)) => without_ends(rising([first, last?])?),
            (Kind::FromTo | Kind::Bare, Some(last)) => both(rising([first, last?])?),
            (Kind::AtLeast, None) => Map::from_iter([("minimum".to_owned(), Value::Number(first))]),
            (Kind::MoreThan, None) => Map::from_iter([("exclusiveMinimum".to_owned(), Value::Number(first))]),
            (Kind::AtMost, None) => Map::from_iter([("maximum".to_owned(), Value::Number(first))]),
            (Kind::LessThan, None) => Map::from_iter([("exclusiveMaximum".to_owned(), Value::Number(first))]),
            (_, _) => return None,
        })
    };
    let bounds = together(open.iter().map(read), ["inimum", "aximum"]);
    // Of a hundred, or of one: what the examples show.
    let is_share = key.key_type == KeyType::Number && shares::has_signs(&key.semantic_description);
    match bounds {
        Some(bounds) if is_share => match shares::meant(key, &bounds) {
            Some(meant) => said(Some(meant), plain, prose, &open),
            None => said(Some(bounds), false, prose, &open),
        },
        bounds => said(bounds, plain, prose, &open),
    }
}

/// What bounds come to: they are shown where they are `plain`, and told where they may be meant.
fn said(bounds: Option<Map<String, Value>>, plain: bool, prose: &str, open: &[Phrase<'_>]) -> Said {
    match bounds {
        Some(bounds) if plain => Said::Bounds(bounds),
        bounds => {
            let denied = open
                .iter()
                .any(|phrase| DENIED.is_match(prose.get(..phrase.at.start).unwrap_or_default()));
            Said::Unclear(bounds.filter(|_| !denied))
        }
    }
}

/// Whether two numbers with a dash between them may be a name: a telephone, an account, a version.
fn names_something(key: &KeyDefinition, prose: &str) -> bool {
    let text = format!("{} {prose}", key.key_name.as_str().replace('_', " "));
    NAMING.is_match(&text)
}

/// What a description says of how long a text is, or how many elements a list has.
fn of_size(key: &KeyDefinition, prose: &str, [least, most]: [&str; 2]) -> Said {
    if has(key, &["enum", "const", "pattern", "format"]) {
        return Said::Nothing;
    }
    let of_characters = key.key_type == KeyType::String;
    let is_size = |phrase: &Phrase<'_>| match (phrase.counted, phrase.kind) {
        (_, Kind::NotEmpty) => true,
        (Some(_), Kind::Exactly) => of_characters,
        (Some(word), _) => of_characters && word.to_lowercase().starts_with(['c', 'l']),
        (None, _) => !of_characters,
    };
    let open: Vec<Phrase<'_>> = phrases(prose)
        .into_iter()
        .filter(is_size)
        .filter(|phrase| match phrase.kind {
            // Of a list, two numbers may be anything.
            Kind::Between | Kind::FromTo | Kind::Bare => of_characters && !has(key, &[least, most]),
            Kind::Inside => false,
            Kind::Exactly => !has(key, &[least, most]),
            Kind::NotEmpty => !has(key, &[least]) && is_of_itself(prose, phrase),
            Kind::AtLeast | Kind::MoreThan => !has(key, &[least]),
            Kind::AtMost | Kind::LessThan => !has(key, &[most]),
        })
        .collect();
    if open.is_empty() {
        return Said::Nothing;
    }
    if open.len() > PHRASES_MAX {
        return Said::Unclear(None);
    }
    let plain = is_plain(key, prose, &open) && (of_characters || !measures_elements(key, prose));
    let whole = |number: &str| bound(number, KeyType::Integer)?.as_u64();
    let read = |phrase: &Phrase<'_>| {
        let mut ends = phrase.numbers.iter().map(|(_, number)| whole(number));
        let first = ends.next()??;
        let of = |keyword: &str, number: u64| Map::from_iter([(keyword.to_owned(), json!(number))]);
        Some(match (phrase.kind, ends.next()) {
            (Kind::Between | Kind::FromTo | Kind::Bare, Some(last)) if first <= last? => {
                of(least, first).into_iter().chain(of(most, last?)).collect()
            }
            (Kind::Exactly, None) if phrase.counted.is_some_and(|word| word.to_lowercase().starts_with('d')) => {
                Map::from_iter([("pattern".to_owned(), json!(format!("^[0-9]{{{first}}}$")))])
            }
            (Kind::Exactly, None) => of(least, first).into_iter().chain(of(most, first)).collect(),
            (Kind::AtLeast | Kind::NotEmpty, None) => of(least, first),
            (Kind::MoreThan, None) => of(least, first.checked_add(1)?),
            (Kind::AtMost, None) => of(most, first),
            (Kind::LessThan, None) => of(most, first.checked_sub(1)?),
            (_, _) => return None,
        })
    };
    let bounds = together(open.iter().map(read), [least, most]);
    said(bounds, plain, prose, &open)
}

/// Whether what leads up to a phrase says that it is about the value, and not about another thing.
fn is_of_itself(prose: &str, phrase: &Phrase<'_>) -> bool {
    LEADS.is_match(Around::of(prose, phrase.at.start, phrase.at.end).lead())
}

/// Bounds as one map, where all were read and no two are of one side, by the ends of their keywords.
fn together(read: impl Iterator<Item = Option<Map<String, Value>>>, sides: [&str; 2]) -> Option<Map<String, Value>> {
    let all: Vec<(String, Value)> = read.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    let once = |side: &&str| all.iter().filter(|(keyword, _)| keyword.ends_with(*side)).count() <= 1;
    sides.iter().all(once).then(|| all.into_iter().collect())
}

fn both([least, most]: [Number; 2]) -> Map<String, Value> {
    Map::from_iter([
        ("minimum".to_owned(), Value::Number(least)),
        ("maximum".to_owned(), Value::Number(most)),
    ])
}

fn without_ends([above, below]: [Number; 2]) -> Map<String, Value> {
    Map::from_iter([
        ("exclusiveMinimum".to_owned(), Value::Number(above)),
        ("exclusiveMaximum".to_owned(), Value::Number(below)),
    ])
}

fn rising(ends: [Number; 2]) -> Option<[Number; 2]> {
    (ends[0].as_f64()? <= ends[1].as_f64()?).then_some(ends)
}

fn sorted([first, last]: [Number; 2]) -> Option<[Number; 2]> {
    rising([first.clone(), last.clone()]).or_else(|| rising([last, first]))
}

/// The text with the ends of its one range in digits, the lower one first; `None` where they stand so already.
fn in_order(key: &KeyDefinition, prose: &str) -> Option<String> {
    let text = &key.semantic_description;
    if !matches!(key.key_type, KeyType::Integer | KeyType::Number) {
        return None;
    }
    let range = phrases(prose).into_iter().find(|phrase| phrase.kind == Kind::Between)?;
    let [(low_at, low), (high_at, high)] = range.numbers[..] else {
        return None;
    };
    let [least, most] = sorted([bound(low, key.key_type)?, bound(high, key.key_type)?])?;
    let better = format!(
        "{}{least}{}{most}{}",
        &text[..low_at],
        text.get(low_at + low.len()..high_at)?,
        text.get(high_at + high.len()..)?
    );
    (better != *text).then_some(better)
}

/// Whether bounds are all that the text says of the value: they stand in sentences that say nothing else of it.
fn is_plain(key: &KeyDefinition, prose: &str, bounds: &[Phrase<'_>]) -> bool {
    let silent = without(prose, bounds);
    let mut of_one = bounds.chunk_by(|phrase, next| joins(prose, phrase, next));
    units(key, prose) <= 1
        && of_one.all(|chain| match (chain.first(), chain.last()) {
            (Some(first), Some(last)) => is_all(&Around::of(&silent, first.at.start, last.at.end), first, last),
            _ => false,
        })
}

/// Whether the bounds from the first to the last are of the value itself, and nothing else is said around them.
fn is_all(around: &Around<'_>, first: &Phrase<'_>, last: &Phrase<'_>) -> bool {
    let lead = around.lead().to_lowercase();
    let noun = around.noun().to_lowercase();
    let names_range = first.kind == Kind::Between
        && (first.text.contains('(') || !first.text.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
    let with = first.kind == Kind::Exactly && lead.trim_end().ends_with(" with");
    let counts = COUNT.is_match(&lead);
    // "How many rooms that have at least 2 beds" says how many beds each has.
    let of_value = if counts {
        let same = noun.split_whitespace().next().is_none_or(|word| lead.contains(word));
        same && !lead.trim_end().ends_with(char::is_alphanumeric) && !MEASURED.is_match(first.text)
    } else {
        LEADS.is_match(&lead) || (names_range && !(UNIT.is_match(&noun) && MANY.is_match(&lead))) || with
    };
    // "At least one of them" bounds nothing.
    let of_some = last.text.to_lowercase().ends_with(" one") && around.rest_begins_with("of");
    of_value && !of_some && around.leaves_bound()
}

/// The text with blanks for phrases.
fn without(prose: &str, bounds: &[Phrase<'_>]) -> String {
    let mut silent = prose.to_owned();
    for phrase in bounds {
        silent.replace_range(phrase.at.clone(), &" ".repeat(phrase.at.len()));
    }
    silent
}

/// Whether a bound goes on with the next one, of the same value: nothing stands between them but what both are bounds of.
fn joins(prose: &str, phrase: &Phrase<'_>, next: &Phrase<'_>) -> bool {
    let Some(between) = prose.get(phrase.at.end..next.at.start) else {
        return false;
    };
    let Some(joint) = JOINED.find(between) else {
        return false;
    };
    let noun = between[..joint.start()].trim();
    let around = Around::of(prose, next.at.start, next.at.end);
    !between.contains(['.', '\n']) && (noun.is_empty() || noun == around.noun())
}

/// How many units are spoken of, in the key's name and its description.
fn units(key: &KeyDefinition, prose: &str) -> usize {
    let text = format!("{} {prose}", key.key_name.as_str().replace('_', " ")).to_lowercase();
    // "The hour of the day" is counted in hours.
    let text = OF_WHOLE.replace_all(&text, "");
    let mut units: Vec<&str> = UNIT
        .find_iter(&text)
        .map(|unit| unit.as_str().trim_end_matches('s'))
        .collect();
    units.sort_unstable();
    units.dedup();
    units.len()
}

/// Whether numbers in a description of a list may be those of its elements.
fn measures_elements(key: &KeyDefinition, prose: &str) -> bool {
    let items = key.constraints.get("items").and_then(Value::as_object);
    let element = items.and_then(containment::key_type);
    UNIT.is_match(prose) || matches!(element, Some(KeyType::Integer | KeyType::Number))
}

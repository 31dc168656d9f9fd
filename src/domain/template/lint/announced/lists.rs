//! Lists that a description announces: behind the words of the grammar or others like them, in prose, between bars,
//! or standing for themselves.
//!
//! Invariant: a list that says that it goes on, or that names kinds of values rather than values, is none; values are shown of
//! one alone of which the text says nothing else.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::annotation;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::Announced;
use crate::domain::template::lint::announced::BOUNDS;
use crate::domain::template::lint::announced::LIST;
use crate::domain::template::lint::announced::RIGHT;
use crate::domain::template::lint::announced::VALUES;
use crate::domain::template::lint::announced::around::Around;
use crate::domain::template::lint::announced::entries::are_kinds;
use crate::domain::template::lint::announced::entries::entries;
use crate::domain::template::lint::announced::entries::is_kind_alone;
use crate::domain::template::lint::announced::entries::tells;
use crate::domain::template::lint::announced::figures::bound;
use crate::domain::template::lint::announced::has;
use crate::domain::template::lint::announced::loose;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::announced::prose;
use crate::domain::template::lint::announced::remarked;
use crate::domain::template::lint::sentences::sentences;
use crate::domain::template::mapping_example;
use crate::domain::template::punctuation::is_stop;
use crate::domain::template::punctuation::without_stop;

/// One word, quoted or not.
const WORD: &str = r#"['"`]?[\p{Alphabetic}0-9_-]+['"`]?"#;

/// Values of a list that no words announce: fewer may be anything.
const BARE_MIN: usize = 3;
/// Words of one value of such a list.
const BARE_WORDS_MAX: usize = 2;

/// The words of the grammar, or others like them; at the beginning of a sentence the noun says enough.
static LIST_MARK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:(?<denied>\b(?:not|no|never)\s+)?(?<many>\b{VALUES}|\b{RIGHT}(?:\s+\p{{L}}+s)?)|(?:^|[.;!?(\n])\s*(?<noun>(?:the\s+)?(?:values?|options?|choices?)))(?:\s+(?:are|is))?\s*:"
    ))
});

/// Words that announce a list in prose.
static CUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:one\s+of(?:\s+(?:the\s+following|these))?|either|(?:choose|pick|select)\s+(?:among|between|from)|{VALUES}(?:\s+are|\s+is)?|{RIGHT}\s+\p{{L}}+s\s+are)\s*:?\s+"
    ))
});

/// The same where what follows may be kinds of values as well: how a text is written, or what it is like.
static LOOSE_CUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:accepts?|allows?|choose|enter|give|pass|say|select|send|takes?|use|write)\s+only|choose|select|(?:must|should|shall|has\s+to|needs\s+to)\s+be|(?:can|may)\s+be\s*:|(?:can|may)\s+only\s+be|the\s+only\s+(?:\p{L}+\s+){1,2}are)\s*:?\s+",
    )
});

/// What makes a list one of values that are wrong.
static DENIED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:\b(?:cannot|except|never|no|not|than|without)|n't)\s+(?:be\s+)?$"));

/// Words that make of a list one of instances, before it or in it.
static INSTANCES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\be\.\s?g\b|\beg\b|\b(?:for\s+(?:example|instance)|such\s+as|including|includes?|commonly|generally|mainly|mostly|normally|often|preferably|sometimes|typically|usually|among\s+others|(?:and|or)\s+(?:so\s+(?:on|forth)|the\s+like|such)\b|(?:common|popular|recommended|sample|some|suggested|typical|usual)\s+(?:values?|options?|choices?|ones))\b)",
    )
});

/// Words behind instances.
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\betc\b|\band\s+(?:others|more)\b"));

/// What makes a sentence one of values that are wrong.
static REFUSED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:\b(?:cannot|forbidden|never|not)\b|\bno\s+\p{L}+\s+(?:are|is)\b|n't\b)"));

/// A sentence that leaves a list open that stands in another.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:others|(?:other|further|additional|custom)\s+(?:\S+\s+)?\S+s)\s+(?:are|can\s+be|may\s+be|work)\b(?:\s+(?:also|possible|allowed|accepted|welcome|fine|available|given|named|too|as\s+well))+",
    )
});

/// Words that deny, somewhere before a list that nothing announces.
static DENYING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)(?:\b(?:cannot|except|excluded?|forbidden|like|never|no|not|than|unless|without)\b|n't\b)")
});

/// Words between bars.
static BARS: LazyLock<Regex> = LazyLock::new(|| {
    let word = WORD;
    pattern(&format!(
        r"\(([^()|]+(?:\|[^()|]+)+)\)|(?:^|[\s:])({word}(?:\s*\|\s*{word})+)(?:[\s.,;]|$)"
    ))
});

/// Words before a list that say no more than that one is chosen.
static CHOOSE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^\s*(?:please\s+)?(?:choose|pick|select|use|give|say|is|must be|the)?\s*$"));

/// Values that are listed, and the part of the text that lists them.
struct Listed<'a> {
    values: Vec<&'a str>,
    start: usize,
    end: usize,
    /// Where a sentence of the grammar could stand in its place.
    place: Option<(usize, usize)>,
}

/// Whether a text names instances, or says that there are more.
pub fn names_instances(text: &str) -> bool {
    INSTANCES.is_match(text) || GOES_ON.is_match(text)
}

/// A list that is announced and that nothing enforces.
pub fn list(key: &KeyDefinition) -> Option<Announced> {
    if is_listed(key) {
        return None;
    }
    let prose = prose(&key.semantic_description);
    if key.key_type == KeyType::Boolean
        && let Some(better) = remarked::as_truths(key, prose)
    {
        return Some(Announced {
            better_text: Some(better),
            hint: hint_of_list(key, prose),
            ..Announced::default()
        });
    }
    let in_words = || listed_in_words(prose).filter(|listed| may_be_in_words(key.key_type, &listed.values));
    let marked = listed_by_mark(prose);
    if marked.is_none()
        && let Some(found) = remarked_list(key, prose)
    {
        return Some(found);
    }
    let Some(listed) = marked.or_else(in_words) else {
        return is_there(prose, key.key_type).then(|| Announced {
            hint: hint_of_list(key, prose),
            ..Announced::default()
        });
    };
    if key.key_type == KeyType::Boolean && listed.values.iter().all(|value| matches!(*value, "true" | "false")) {
        return None;
    }
    let values = as_meant(key, &listed.values);
    let constraints = values_of(key, &values).filter(|_| is_all(prose, &listed, key.key_type));
    let better_text = constraints
        .as_ref()
        .filter(|_| key.key_type == KeyType::String)
        .and_then(|_| in_the_grammar(&key.semantic_description, &listed, &values));
    Some(Announced {
        constraints,
        better_text,
        hint: hint_of_list(key, prose),
    })
}

/// A list whose entries have remarks, or conjunctions of their own, where it is all that the text says of the values.
fn remarked_list(key: &KeyDefinition, prose: &str) -> Option<Announced> {
    let listed = remarked::list(prose)?;
    let plain = Listed {
        values: listed.values.iter().map(String::as_str).collect(),
        start: listed.start,
        end: listed.end,
        place: None,
    };
    let constraints = values_of(key, &listed.values).filter(|_| is_all(prose, &plain, key.key_type))?;
    Some(Announced {
        constraints: Some(constraints),
        better_text: listed
            .in_the_grammar(&key.semantic_description)
            .filter(|_| key.key_type == KeyType::String),
        hint: hint_of_list(key, prose),
    })
}

/// Whether a list is all that a text says of the values: no other one is there, and nothing is said beside it.
fn is_all(prose: &str, listed: &Listed<'_>, key_type: KeyType) -> bool {
    let mut silent = prose.to_owned();
    silent.replace_range(listed.start..listed.end, &" ".repeat(listed.end - listed.start));
    Around::of(prose, listed.start, listed.end).leaves_list() && !is_there(&silent, key_type)
}

/// Whether something like a list is there, however it is written.
fn is_there(prose: &str, key_type: KeyType) -> bool {
    if goes_on(prose) {
        return false;
    }
    let said: String = sentences(prose)
        .into_iter()
        .filter(|sentence| !INSTANCES.is_match(sentence) && !REFUSED.is_match(sentence))
        .collect();
    let behind = |cue: &Regex, loosely: bool| {
        cue.find_iter(&said).take(loose::PLACES_MAX).any(|found| {
            let lead = sentences(&said[..found.start()]).pop().unwrap_or_default();
            let describes = found.as_str().trim_end().ends_with("be") && clause(&said[found.end()..]).contains(" and ");
            !describes && !DENIED.is_match(lead) && loose::stands_behind(&said[found.end()..], loosely)
        })
    };
    let marked = behind(&LIST_MARK, false);
    let of_texts = || behind(&CUE, false) || behind(&LOOSE_CUE, true);
    match key_type {
        KeyType::Array => marked || loose::stands_behind_colon(&said),
        KeyType::String => marked || of_texts() || loose::stands_in(&said, key_type),
        KeyType::Integer | KeyType::Number => marked || loose::stands_in(&said, key_type),
        KeyType::Boolean | KeyType::Object | KeyType::Null => false,
    }
}

/// The values as they are meant: a capital that is there because a sentence begins is none of the first value's.
fn as_meant(key: &KeyDefinition, values: &[&str]) -> Vec<String> {
    let begins = |value: &str, of: fn(char) -> bool| value.chars().next().is_some_and(of);
    let mut meant: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
    let Some((first, others)) = values.split_first() else {
        return meant;
    };
    let capitals = first.chars().filter(|c| c.is_uppercase()).count();
    let by_sentence = capitals == 1
        && begins(first, char::is_uppercase)
        && others
            .iter()
            .all(|value| !value.contains(char::is_uppercase) && begins(value, char::is_lowercase));
    let text = &key.semantic_description;
    let is_shown = || mapping_example::targets(key).any(|target| target.word == *first);
    let is_quoted = || {
        ["'", "\"", "`", "“"]
            .iter()
            .any(|mark| text.contains(&format!("{mark}{first}")))
    };
    if by_sentence && !is_shown() && !is_quoted() {
        meant[0] = first.to_lowercase();
    }
    meant
}

/// How a list is said so that it is closed; where the sentence for it is there already, what of it stands in the way.
fn hint_of_list(key: &KeyDefinition, prose: &str) -> String {
    let hint = match key.key_type {
        KeyType::String if prose.contains(LIST) => {
            "the sentence \"Acceptable values: a, b, c.\" is there and not read as a closed list: leave out of it brackets, `and`, `or` \
             and all that is no value, and let it stand there once; or give the values as `\"enum\": […]` in `constraints`, where they \
             may hold anything"
        }
        KeyType::Boolean => {
            "a boolean takes true and false alone: say when it is true, or make it a key of type string with that list"
        }
        KeyType::Object => "say with `\"properties\": {…}` in `constraints` what its members are",
        KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Array | KeyType::Null => {
            "say it once, with the values as `\"enum\": […]` in `constraints`, or, of a text, \"Acceptable values: a, b, c.\" \
             at the beginning of a sentence"
        }
    };
    hint.to_owned()
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
    LIST_MARK.captures_iter(prose).take(loose::PLACES_MAX).find_map(|mark| {
        let start = mark.name("many").or_else(|| mark.name("noun"))?.start();
        let whole = mark.get(0).filter(|_| mark.name("denied").is_none())?;
        let sentence = sentences(&prose[whole.end()..]).first().copied().unwrap_or_default();
        let divided = sentence.contains(';') && !sentence.contains(',');
        let ends: &[char] = if divided { &[')'] } else { &[';', ')'] };
        let clause = sentence.split(ends).next().filter(|clause| !clause.contains(".."))?;
        let clause = without_stop(clause);
        let end = whole.end() + clause.len();
        Some(Listed {
            values: entries(clause)
                .filter(|_| !INSTANCES.is_match(clause) && !goes_on(prose))
                .filter(|values| !values.iter().any(|value| tells(value)))?,
            start,
            end,
            place: place(prose, start, end),
        })
    })
}

/// Whether a list in prose may be one of the values of a key: of texts, or of more numbers than the two ends of a range.
fn may_be_in_words(key_type: KeyType, values: &[&str]) -> bool {
    match key_type {
        KeyType::String => true,
        KeyType::Integer | KeyType::Number => {
            values.len() > 2 && values.iter().all(|value| bound(value, key_type).is_some())
        }
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => false,
    }
}

/// A list in prose: behind words that announce one, between bars, or standing for itself.
fn listed_in_words(prose: &str) -> Option<Listed<'_>> {
    if goes_on(prose) {
        return None;
    }
    let behind = |cue: &Regex, fits: fn(&[&str]) -> bool| {
        cue.find_iter(prose)
            .take(loose::PLACES_MAX)
            .find_map(|cue| listed_behind(prose, cue.start(), cue.end()).filter(|listed| fits(&listed.values)))
    };
    let of_bars = || {
        let found = BARS.captures(prose)?;
        let bars = found.get(1).or_else(|| found.get(2))?;
        Some(Listed {
            values: entries(bars.as_str())?,
            start: bars.start(),
            end: bars.end(),
            place: None,
        })
    };
    behind(&CUE, |values| !is_span(values))
        .or_else(|| behind(&LOOSE_CUE, |values| !is_span(values) && !are_kinds(values)))
        .or_else(of_bars)
        .or_else(|| listed_alone(prose))
}

/// Whether a sentence says that there are values beside those that are listed.
fn goes_on(prose: &str) -> bool {
    OTHERS.is_match(prose)
}

/// Whether the values are two numbers: "choose between 1 and 5" names the ends of a range.
fn is_span(values: &[&str]) -> bool {
    values.len() == 2 && values.iter().all(|value| bound(value, KeyType::Number).is_some())
}

/// The list that a cue stands before.
fn listed_behind(prose: &str, start: usize, end: usize) -> Option<Listed<'_>> {
    let lead = sentences(&prose[..start]).pop().unwrap_or_default();
    let clause = clause(&prose[end..]);
    // "Must be short, clear and polite" says what a text is like.
    let describes = prose[start..end].trim_end().ends_with("be") && clause.contains(" and ");
    if describes || DENIED.is_match(lead) || INSTANCES.is_match(lead) || INSTANCES.is_match(clause) {
        return None;
    }
    let values = entries(only(clause)).filter(|values| !values.iter().any(|value| tells(value)))?;
    Some(Listed {
        values,
        start,
        end: end + clause.len(),
        place: place(prose, start, end + clause.len()),
    })
}

/// What a text says up to the end of its first sentence, or of the brackets that it stands in.
fn clause(text: &str) -> &str {
    let sentence = sentences(text).first().copied().unwrap_or_default();
    let clause = sentence.split([';', ')', '—', '\n']).next().unwrap_or_default();
    let clause = clause.trim_end();
    clause.strip_suffix(is_stop).unwrap_or(clause)
}

/// A list without the word that closes it: "1, 2 or 4 only".
fn only(clause: &str) -> &str {
    clause.strip_suffix(" only").unwrap_or(clause)
}

/// A list that no words announce, "dog, cat, or rabbit": a sentence, what follows its colon, or what its brackets hold.
fn listed_alone(prose: &str) -> Option<Listed<'_>> {
    let mut start = 0;
    for sentence in sentences(prose) {
        let behind = [0].into_iter().chain(
            sentence
                .match_indices([':', '(', '—'])
                .map(|(at, mark)| at + mark.len())
                .take(loose::PLACES_MAX),
        );
        for at in behind {
            let clause = clause(&sentence[at..]);
            // What a sentence adds behind a semicolon may say that there is more.
            let more = sentence[at + clause.len()..].trim_start().starts_with([';', '—']);
            let values = closed_alone(&sentence[..at], clause).filter(|values| !more && (at > 0 || is_even(values)));
            if let Some(values) = values {
                let first = start + at;
                return Some(Listed {
                    values,
                    start: first,
                    end: first + clause.len(),
                    place: place(prose, first, first + clause.len()),
                });
            }
        }
        start += sentence.len();
    }
    None
}

/// The values of a list that stands for itself behind a lead: several, which are alternatives.
fn closed_alone<'c>(lead: &str, clause: &'c str) -> Option<Vec<&'c str>> {
    let closes = [" or ", " / "].iter().any(|mark| clause.contains(mark)) || only(clause) != clause;
    if !closes || DENYING.is_match(lead) || INSTANCES.is_match(lead) || INSTANCES.is_match(clause) {
        return None;
    }
    let names =
        |value: &&str| value.split_whitespace().count() <= BARE_WORDS_MAX && !tells(value) && !is_kind_alone(value);
    let values = entries(only(clause))?;
    (values.len() >= BARE_MIN && values.iter().all(names) && !are_kinds(&values)).then_some(values)
}

/// Whether neither the first nor the last value has words more than all others: "Answer yes, no or maybe", "red or green paint".
fn is_even(values: &[&str]) -> bool {
    let words = |value: &&str| value.split_whitespace().count();
    let [first, inner @ .., last] = values else {
        return false;
    };
    let most = inner.iter().map(words).max().unwrap_or(1);
    words(first) <= most.max(words(last)) && words(last) <= most.max(words(first))
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

/// The list as constraints of the key's type.
fn values_of(key: &KeyDefinition, values: &[String]) -> Option<Map<String, Value>> {
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
fn in_the_grammar(text: &str, listed: &Listed<'_>, values: &[String]) -> Option<String> {
    let (start, end) = listed.place?;
    let sentence = format!("{LIST} {}", values.join(", "));
    annotation::closed_list(&sentence)?;
    Some(format!("{}{sentence}{}", &text[..start], text.get(end..)?))
}

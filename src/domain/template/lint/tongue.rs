//! Is each text in the language that it is said to be in, and is a translation there for every key (Z-041, Z-056)?
//!
//! Knows scripts, and the function words of a few languages in Latin script; says nothing where it is not sure.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::advice::Advice;
use crate::domain::template::defect::Finding;
use crate::domain::template::defect::pointer_to;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::TRANSLATIONS_MAX;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::draft;
use crate::domain::template::lint::is_english;
use crate::domain::template::name::OTHER;
use crate::domain::template::schema::SchemaTemplate;

/// Letters below which a text says nothing of its language.
const LETTERS_MIN: usize = 16;
/// Share of letters in another script, in percent, from which the text is in another script.
const FOREIGN_PERCENT_MIN: usize = 60;
/// Share of letters in the usual script, in percent, from which it is not: values and names may be in another.
const OWN_PERCENT_MIN: usize = 15;
/// Function words of another language from which a text is in it, and how many times those of its own they must be.
const WORDS_MIN: usize = 4;
const WORDS_TIMES: usize = 3;

/// English function words from which a text among foreign ones is English all the same.
const ENGLISH_WORDS_MIN: usize = 2;
/// Keys that are named where their words are not read.
const UNREAD_NAMED_MAX: usize = 5;

/// Codes in a list, which are words of no sentence: behind a colon or in brackets two of them, elsewhere three.
static CODES: LazyLock<Regex> = LazyLock::new(|| {
    let code = r"[A-Za-z]{2,3}\b";
    let next = format!(r"\s*[,/|]\s*(?:(?:or|and)\s+)?{code}|\s+(?:or|and)\s+{code}");
    announced::pattern(&format!(r"[:(]\s*{code}(?:{next})+|\b{code}(?:{next}){{2,}}"))
});

/// Languages in Latin script, each with words that make its sentences.
const LATIN: [(&str, &[&str]); 7] = [
    (
        "en",
        &[
            "the", "of", "and", "to", "is", "for", "with", "in", "or", "that", "which", "whether", "a", "user", "by",
        ],
    ),
    (
        "de",
        &[
            "der", "die", "das", "und", "ist", "für", "mit", "den", "oder", "ob", "wird", "des", "ein", "eine",
            "nicht", "dem", "von", "im", "zu",
        ],
    ),
    (
        "fr",
        &[
            "le", "la", "les", "et", "est", "pour", "avec", "des", "ou", "une", "du", "dans", "qui", "si", "au", "de",
            "un", "à", "en", "par", "que", "sur", "l", "d",
        ],
    ),
    (
        "es",
        &[
            "el", "la", "los", "las", "y", "es", "para", "con", "del", "una", "que", "en", "si", "por", "como", "su",
            "de", "un", "a", "o", "al", "se",
        ],
    ),
    (
        "it",
        &[
            "il", "la", "le", "gli", "e", "è", "per", "con", "della", "una", "che", "di", "nel", "se", "dei", "lo",
            "sono", "un", "in", "a", "da", "del",
        ],
    ),
    (
        "pt",
        &[
            "o", "a", "os", "as", "e", "é", "para", "com", "da", "do", "uma", "que", "em", "se", "não", "dos", "de",
            "um", "por", "no", "na",
        ],
    ),
    (
        "nl",
        &[
            "de", "het", "en", "is", "voor", "met", "van", "een", "of", "dat", "niet", "op", "wordt", "zijn", "aan",
            "in", "te",
        ],
    ),
];

/// More words by which a text of few shows that it is English: each is a word of another language as well, or as frequent.
const ENGLISH_MORE: [&str; 24] = [
    "all", "an", "any", "are", "as", "at", "be", "den", "die", "do", "from", "how", "it", "many", "met", "no", "on",
    "one", "par", "per", "pour", "van", "what", "where",
];
/// More words by which it shows that it is not.
const OTHERS_MORE: [&str; 30] = [
    "aantal", "anzahl", "auf", "aus", "bei", "bis", "combien", "eines", "einer", "hoeveel", "nombre", "numero",
    "número", "nur", "quale", "qual", "quanti", "quantos", "quel", "quelle", "sind", "soll", "viele", "wann", "welche",
    "welcher", "welke", "wie", "zum", "zur",
];

/// Scripts that a text can be told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    EastAsian,
    Thai,
    Devanagari,
}

/// Of each key, whether its description is in the language that drafts are written in: by what the template says, unless its
/// words, or those of all descriptions together where it has few, are another language's.
pub fn read_as_english(template: &SchemaTemplate) -> Vec<bool> {
    let described = template.keys.iter().filter(|key| key.key_name.as_str() != OTHER);
    let all: Vec<&str> = described.map(|key| key.semantic_description.as_str()).collect();
    let own = template.language();
    let foreign_whole = foreign(&all.join("\n"), own).is_some();
    let reads = |text: &str| match foreign(text, own) {
        Some(_) => false,
        None if foreign_whole => words_of(text, "en") >= ENGLISH_WORDS_MIN,
        None => !leans_elsewhere(text),
    };
    let keys = template.keys.iter();
    keys.map(|key| is_english(template) && reads(&key.semantic_description))
        .collect()
}

/// Says once what is not looked for where descriptions are not in English.
pub fn unread(template: &SchemaTemplate, english: &[bool]) -> Option<Finding> {
    let keys = template.keys.iter().zip(english);
    let names = keys.filter(|(key, english)| !**english && key.key_name.as_str() != OTHER);
    let names: Vec<String> = names.map(|(key, _)| format!("`{}`", key.key_name)).collect();
    let whose = match names.as_slice() {
        [] => return None,
        names if names.len() <= UNREAD_NAMED_MAX => format!("the descriptions of {}", names.join(", ")),
        names => format!("{} descriptions", names.len()),
    };
    let message = format!(
        "{whose}: not in English, or not surely, so that nothing is said of what their words leave out of values, and no text is drafted; \
         `constraints` and examples are read in every language"
    );
    Some(Finding::new(Advice::WordsUnread, "/language", message))
}

/// Looks at every description and translation.
pub fn look(template: &SchemaTemplate, findings: &mut Vec<Finding>) {
    let own = template.language();
    let described = || {
        template
            .keys
            .iter()
            .enumerate()
            .filter(|(_, key)| key.key_name.as_str() != OTHER)
    };
    let tags: BTreeSet<&str> = described()
        .flat_map(|(_, key)| key.semantic_descriptions.keys().map(String::as_str))
        .collect();
    let tags: Vec<&str> = tags.into_iter().take(TRANSLATIONS_MAX).collect();
    let found: Vec<(usize, &str, String)> = described()
        .filter_map(|(place, key)| Some((place, key.key_name.as_str(), foreign(&key.semantic_description, own)?)))
        .collect();
    let latin = found.first().map(|(_, _, tongue)| tongue.clone());
    let whole = latin.filter(|tongue| {
        found.len() > 1 && found.len() == described().count() && found.iter().all(|(_, _, other)| other == tongue)
    });
    if let Some(tongue) = whole.filter(|tongue| LATIN.iter().any(|(tag, _)| tag == tongue)) {
        let message = format!("every description seems to be in {tongue}, and the template says {own}");
        findings.push(Finding {
            suggestion: Some(json!({ "language": tongue })),
            ..Finding::new(Advice::LanguageMismatch, "/language", message)
        });
    } else {
        for (place, key_name, tongue) in found {
            let message =
                format!("seems to be in {tongue}, and the template says {own}; say it in {own}, or set `language`");
            findings.push(Finding {
                key_name: Some(key_name.to_owned()),
                suggestion: template
                    .keys
                    .get(place)
                    .and_then(|key| said_in_own(key, &tongue, &tags, template)),
                ..Finding::new(
                    Advice::LanguageMismatch,
                    &format!("/keys/{place}/semantic_description"),
                    message,
                )
            });
        }
    }
    for (place, key) in described() {
        let at = format!("/keys/{place}/semantic_descriptions");
        let mut say = |rule: Advice, pointer: &str, message: String, suggestion: Option<Value>| {
            findings.push(Finding {
                key_name: Some(key.key_name.to_string()),
                suggestion,
                ..Finding::new(rule, pointer, message)
            });
        };
        for (tag, text) in &key.semantic_descriptions {
            if let Some(tongue) = foreign(text, tag) {
                let message = format!("the translation {tag} seems to be in {tongue}");
                let better = retagged(key, tag, text, &tongue);
                say(Advice::LanguageMismatch, &pointer_to(&at, tag), message, Some(better));
            }
        }
        let missing: Vec<&str> = tags
            .iter()
            .copied()
            .filter(|tag| !tag.eq_ignore_ascii_case(own) && !is_translated(key, tag))
            .collect();
        if let Some(first) = missing.first() {
            let model = described().find(|(_, other)| is_translated(other, first));
            let model = model
                .map(|(_, other)| format!(", as `{}`", other.key_name))
                .unwrap_or_default();
            let message = format!(
                "is not translated into {}, and other keys are{model}; add {{\"{first}\": \"…\"}} to \
                 `semantic_descriptions`: meaning and examples in that language, values as they stand",
                missing.join(", ")
            );
            say(Advice::MissingTranslation, &at, message, None);
        }
    }
}

/// Whether a key has a translation of a tag.
fn is_translated(key: &KeyDefinition, tag: &str) -> bool {
    let mut tags = key.semantic_descriptions.keys();
    tags.any(|there| there.eq_ignore_ascii_case(tag))
}

/// A description to begin with in the language that drafts are written in; the one that is there becomes a translation
/// where other keys have such.
fn said_in_own(key: &KeyDefinition, tongue: &str, tags: &[&str], template: &SchemaTemplate) -> Option<Value> {
    // What it says of values would be lost.
    let says_values = key.constraints.is_empty() && announced::shows_values(&key.semantic_description);
    if !is_english(template) || says_values {
        return None;
    }
    let mut better = json!({ "semantic_description": draft::anew(key, "", true) });
    if tags.contains(&tongue) && !is_translated(key, tongue) {
        better["semantic_descriptions"] = json!({ tongue: key.semantic_description });
    }
    Some(better)
}

/// A translation under the tag of the language that it is in, where that is known and free; else left out.
fn retagged(key: &KeyDefinition, tag: &str, text: &str, tongue: &str) -> Value {
    let is_tag = LATIN.iter().any(|(known, _)| *known == tongue);
    let mut translations = json!({ tag: null });
    if is_tag && !is_translated(key, tongue) {
        translations[tongue] = json!(text);
    }
    json!({ "semantic_descriptions": translations })
}

/// The language or script that a text is in, where that is surely not the one of its tag.
fn foreign(text: &str, tag: &str) -> Option<String> {
    let mut subtags = tag.split('-');
    let primary = subtags.next()?.to_lowercase();
    // A tag that names its script may well be in another than usual.
    if subtags.any(|subtag| subtag.len() == 4) {
        return None;
    }
    let expected = usual_script(&primary)?;
    let prose = sentences_of(text);
    let letters: Vec<Script> = prose.chars().filter_map(script).collect();
    if letters.len() < LETTERS_MIN {
        return None;
    }
    let share = |script: Script| letters.iter().filter(|letter| **letter == script).count() * 100 / letters.len();
    const SCRIPTS: [(Script, &str); 8] = [
        (Script::Latin, "Latin script"),
        (Script::Cyrillic, "Cyrillic script"),
        (Script::Greek, "Greek script"),
        (Script::Arabic, "Arabic script"),
        (Script::Hebrew, "Hebrew script"),
        (Script::EastAsian, "an East Asian script"),
        (Script::Thai, "Thai script"),
        (Script::Devanagari, "Devanagari script"),
    ];
    let other = SCRIPTS
        .into_iter()
        .find(|(script, _)| *script != expected && share(*script) >= FOREIGN_PERCENT_MIN)
        .filter(|_| share(expected) < OWN_PERCENT_MIN);
    if let Some((script, name)) = other
        && script != Script::Latin
    {
        return Some(name.to_owned());
    }
    let spoken = spoken(&prose, &primary);
    match other {
        Some((_, name)) => Some(spoken.unwrap_or_else(|| name.to_owned())),
        None if expected == Script::Latin && LATIN.iter().any(|(own, _)| *own == primary) => spoken,
        None => None,
    }
}

/// The language in Latin script that a text is in, where its words say so and not the tag's.
fn spoken(prose: &str, primary: &str) -> Option<String> {
    let own = words_of(prose, primary);
    let mut counts: Vec<(usize, &str)> = LATIN
        .iter()
        .filter(|(tag, _)| *tag != primary)
        .map(|(tag, _)| (words_of(prose, tag), *tag))
        .collect();
    counts.sort_by(|a, b| b.cmp(a));
    let (most, tag) = *counts.first()?;
    let second = counts.get(1).map_or(0, |(count, _)| *count);
    (most >= WORDS_MIN && most >= own * WORDS_TIMES && most > second).then(|| tag.to_owned())
}

/// How many function words of a language in Latin script a text has; none of one that is not known.
fn words_of(text: &str, primary: &str) -> usize {
    let Some((_, tongue)) = LATIN.iter().find(|(tag, _)| *tag == primary) else {
        return 0;
    };
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphabetic());
    words.filter(|word| tongue.contains(word)).count()
}

/// Whether a text, short as it may be, looks more like another language than like English: by its script, by its words, or,
/// where it has no word of either, by its letters.
fn leans_elsewhere(text: &str) -> bool {
    let prose = sentences_of(text).to_lowercase();
    let (latin, other): (Vec<Script>, Vec<Script>) = prose
        .chars()
        .filter_map(script)
        .partition(|script| *script == Script::Latin);
    let words = || {
        prose
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| word.chars().count() > 1)
    };
    let of = |tongue: &[&str]| words().filter(|word| tongue.contains(word)).count();
    let (english, others): (Vec<_>, Vec<_>) = LATIN.iter().partition(|(tag, _)| *tag == "en");
    let own = english.iter().map(|(_, tongue)| of(tongue)).sum::<usize>() + of(&ENGLISH_MORE);
    let most = others.iter().map(|(_, tongue)| of(tongue)).max().unwrap_or(0) + of(&OTHERS_MORE);
    let accented = own == 0 && prose.chars().any(|c| script(c) == Some(Script::Latin) && !c.is_ascii());
    other.len() > latin.len() || most > own || accented
}

/// How much a text says, in letters: one of an East Asian script says as much as several of another.
pub fn letters_worth(text: &str) -> usize {
    let worth = |c: char| if script(c) == Some(Script::EastAsian) { 3 } else { 1 };
    text.trim().chars().map(worth).sum()
}

/// The text without what is in no language: a user's own words, and codes in a list.
fn sentences_of(text: &str) -> String {
    CODES.replace_all(&unquoted(text), " ").into_owned()
}

/// The text without what stands in quotes, which may be a user's own words in any language.
fn unquoted(text: &str) -> String {
    let mut prose = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(" '") {
        let inner = &rest[start + 2..];
        prose.push_str(&rest[..start]);
        prose.push(' ');
        match inner.find('\'') {
            Some(end) => rest = &inner[end + 1..],
            None => rest = inner,
        }
    }
    prose.push_str(rest);
    prose
}

fn usual_script(primary: &str) -> Option<Script> {
    match primary {
        "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "pl" | "cs" | "sv" | "da" | "no" | "nb" | "fi" | "hu"
        | "ro" | "tr" | "vi" | "id" => Some(Script::Latin),
        "ru" | "uk" | "bg" => Some(Script::Cyrillic),
        "el" => Some(Script::Greek),
        "ar" | "fa" | "ur" => Some(Script::Arabic),
        "he" => Some(Script::Hebrew),
        "zh" | "ja" | "ko" => Some(Script::EastAsian),
        "th" => Some(Script::Thai),
        "hi" | "mr" | "ne" => Some(Script::Devanagari),
        _ => None,
    }
}

fn script(c: char) -> Option<Script> {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{00C0}'..='\u{024F}' => Some(Script::Latin),
        '\u{0370}'..='\u{03FF}' => Some(Script::Greek),
        '\u{0400}'..='\u{052F}' => Some(Script::Cyrillic),
        '\u{0590}'..='\u{05FF}' => Some(Script::Hebrew),
        '\u{0600}'..='\u{06FF}' => Some(Script::Arabic),
        '\u{0900}'..='\u{097F}' => Some(Script::Devanagari),
        '\u{0E00}'..='\u{0E7F}' => Some(Script::Thai),
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' => {
            Some(Script::EastAsian)
        }
        _ => None,
    }
}

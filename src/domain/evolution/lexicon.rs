//! English before any fragment was read: parts of speech, places, closed word classes, and words as tokens.
//!
//! Owns the word tables of `tables/` and what follows from them alone (lemma, part of speech, number words). Knows no
//! key and no cluster. Invariant: every answer depends on its argument and the compiled-in tables only.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use rust_stemmers::Algorithm;
use rust_stemmers::Stemmer;
use serde::Deserialize;

static POS: LazyLock<Vec<Entry>> = LazyLock::new(|| include_str!("tables/pos.tsv").lines().filter_map(entry).collect());
static PLACES: LazyLock<Vec<&'static str>> = LazyLock::new(|| include_str!("tables/places.txt").lines().collect());
static IRREGULAR: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("tables/verb_irreg.txt").lines().collect());
static GIVEN: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| include_str!("tables/given.txt").split_whitespace().collect());
static CLASSES: LazyLock<Classes> =
    LazyLock::new(|| serde_json::from_str(include_str!("tables/lexicon.json")).unwrap_or_default());
static VOCABULARY: LazyLock<Vec<Term>> =
    LazyLock::new(|| include_str!("tables/vocab.tsv").lines().filter_map(term).collect());
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\p{L}+(?:['’]\p{L}+)?|\d+(?:[.:,]\d+)*|[$%#]").expect("a constant that a test compiles")
});

/// Closed word classes of general English, role words, opposites.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE", default)]
pub struct Classes {
    /// Words that carry no content.
    pub stop: BTreeSet<String>,
    /// Number words.
    pub numw: BTreeMap<String, u64>,
    /// Ordinal words.
    pub ord: BTreeMap<String, u32>,
    pub months: Vec<String>,
    pub days: Vec<String>,
    /// Word -> role of a date or time.
    pub role: BTreeMap<String, String>,
    /// Pairs of opposite role words.
    pub antonym: Vec<(String, String)>,
    /// Role word -> side that it stands for.
    pub concept: BTreeMap<String, String>,
    /// Cue -> agent noun.
    pub agent: BTreeMap<String, String>,
    /// Words for people.
    pub persons: BTreeSet<String>,
    /// Service noun -> its word for people.
    pub party: BTreeMap<String, String>,
    /// Word -> degree.
    pub deg: BTreeMap<String, String>,
    pub namecue: BTreeSet<String>,
    pub be: BTreeSet<String>,
    /// Verbs that carry a demand without being one.
    pub verbish: BTreeSet<String>,
    /// Nouns of the domain at large.
    pub domainish: BTreeSet<String>,
    /// Preposition -> role of the place behind it.
    pub preprole: BTreeMap<String, String>,
    /// Unit of measure (a lemma) -> what is measured.
    pub unit: BTreeMap<String, String>,
    /// Lemmas of how often something is wanted -> rhythm.
    pub rhythm: BTreeMap<String, String>,
    /// Irregular plural -> singular.
    pub irrpl: BTreeMap<String, String>,
    /// Words that refuse what follows them.
    pub negation: BTreeSet<String>,
    /// Words that refuse nothing by themselves and undo a word of `YIELD` all the same: `can't`.
    pub inability: BTreeSet<String>,
    /// Words of leaving out and of minding: negated, they ask for what follows or let it be.
    #[serde(rename = "YIELD")]
    pub yielding: BTreeSet<String>,
}

/// A general key name with its kind and gloss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub name: &'static str,
    pub kind: &'static str,
    pub gloss: &'static str,
}

/// A word of a text, lower case, with its byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub word: String,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    word: &'static str,
    parts: &'static str,
    /// Tag counts of noun, verb, adjective; `None` where the word was never tagged.
    counts: Option<[u32; 3]>,
}

fn entry(line: &'static str) -> Option<Entry> {
    let mut fields = line.split('\t');
    let (word, parts) = (fields.next()?, fields.next()?);
    let counts = fields.next().and_then(|counts| {
        let mut counts = counts.split('/').map(|count| count.parse().ok());
        Some([counts.next()??, counts.next()??, counts.next()??])
    });
    Some(Entry { word, parts, counts })
}

fn term(line: &'static str) -> Option<Term> {
    let mut fields = line.split('|');
    Some(Term {
        name: fields.next()?,
        kind: fields.next()?,
        gloss: fields.next()?,
    })
}

fn lookup(word: &str) -> Option<&'static Entry> {
    let at = POS.binary_search_by(|entry| entry.word.cmp(word)).ok()?;
    POS.get(at)
}

/// The closed word classes.
pub fn classes() -> &'static Classes {
    &CLASSES
}

/// General key names.
pub fn vocabulary() -> &'static [Term] {
    &VOCABULARY
}

/// Whether a word is one out of which key names are made whatever is said: `of`, `max`, `dropoff`.
pub fn names_keys(word: &str) -> bool {
    static WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
        let general = VOCABULARY.iter().flat_map(|term| term.name.split('_'));
        let opposite = CLASSES.antonym.iter().flat_map(|(a, b)| [a.as_str(), b.as_str()]);
        general.chain(opposite).chain(["max", "min"]).collect()
    });
    stop(word) || WORDS.contains(word)
}

/// Whether the dictionary holds the word.
pub fn known(word: &str) -> bool {
    lookup(word).is_some()
}

/// Whether a word (lower case) is an irregular form of a verb.
pub fn irregular(word: &str) -> bool {
    IRREGULAR.binary_search(&word).is_ok()
}

/// Whether a name (lower case) is that of a place.
pub fn place(name: &str) -> bool {
    let name = name.split(',').next().unwrap_or(name).trim().trim_end_matches('.');
    PLACES.binary_search(&name).is_ok()
        || [" city", " ontario", " ca", " uk"]
            .iter()
            .filter_map(|tail| name.strip_suffix(tail))
            .any(|name| PLACES.binary_search(&name).is_ok())
}

/// Whether a word (lower case) is a common given name.
pub fn given_name(word: &str) -> bool {
    GIVEN.contains(word)
}

/// Whether a word (lower case) carries no content.
pub fn stop(word: &str) -> bool {
    CLASSES.stop.contains(word)
}

/// The singular of a word (lower case); verbs keep their form.
pub fn lemma(word: &str) -> String {
    if let Some(singular) = CLASSES.irrpl.get(word) {
        return singular.clone();
    }
    if word.chars().count() <= 3 || word.ends_with("ss") || !word.is_ascii() {
        return word.to_owned();
    }
    if let Some(root) = word.strip_suffix("ies") {
        return before_ies(root, word);
    }
    for (suffix, with) in [("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", "")] {
        if let Some(root) = word.strip_suffix(suffix)
            && root.len() > 2
            && !word.ends_with("us")
            && !word.ends_with("is")
        {
            return format!("{root}{with}");
        }
    }
    word.to_owned()
}

/// The singular of a word that ends in `ies`: that in `ie`, that in `y`, or the word itself, which is no plural.
fn before_ies(root: &str, word: &str) -> String {
    let (ie, y) = (format!("{root}ie"), format!("{root}y"));
    let (is_from_y, is_short) = (known(&y), word.len() <= 5);
    if known(&ie) && !is_from_y {
        ie
    } else if known(word) && (is_short || !is_from_y) {
        // "Rabies".
        word.to_owned()
    } else if is_short {
        ie
    } else {
        y
    }
}

/// The stem of a word (lower case).
pub fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// Whether a word (lower case) is one of general English, in whichever of its forms.
pub fn ordinary(word: &str) -> bool {
    if stop(word) || known(word) || known(&lemma(word)) || IRREGULAR.binary_search(&word).is_ok() {
        return true;
    }
    let is_root = |root: &str| {
        // `planned`: the last letter of the root was doubled.
        let single = root
            .strip_suffix(|_: char| true)
            .filter(|single| root.ends_with(single.chars().last().unwrap_or(' ')));
        known(root) || known(&format!("{root}e")) || single.is_some_and(known)
    };
    let endings = ["ing", "ed", "er", "est", "ly", "'s"];
    endings
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .any(is_root)
}

/// The usual part of speech of a word (lower case): `n`, `v`, `a` or `r`.
pub fn part_of_speech(word: &str) -> char {
    let Some(entry) = lookup(word).or_else(|| lookup(&lemma(word))) else {
        return unknown_part_of_speech(word);
    };
    let first = entry.parts.chars().next().unwrap_or('n');
    match entry.counts {
        Some([noun, verb, adjective])
            if entry.parts.len() > 1
                && entry.parts.contains('n')
                && noun * 5 >= verb.max(1) * 4
                && noun >= adjective =>
        {
            'n'
        }
        Some(_) | None => first,
    }
}

fn unknown_part_of_speech(word: &str) -> char {
    let verb = |root: &str| lookup(root).is_some_and(|entry| entry.parts.starts_with('v'));
    if IRREGULAR.binary_search(&word).is_ok() {
        return 'v';
    }
    if word.ends_with("ly") {
        return 'r';
    }
    let from_verb = ["ing", "ed"]
        .iter()
        .filter_map(|suffix| word.strip_suffix(suffix))
        .any(|root| verb(root) || verb(&format!("{root}e")));
    if from_verb { 'v' } else { 'n' }
}

/// Whether a word (lower case) can be a noun at all.
pub fn may_be_noun(word: &str) -> bool {
    lookup(word).is_none_or(|entry| entry.parts.contains('n'))
}

/// Whether a word (lower case) can be a noun or an adjective at all: "before" and "once" never are.
pub fn may_describe(word: &str) -> bool {
    lookup(word).is_none_or(|entry| entry.parts.contains(['n', 'a']))
}

/// Whether a word (lower case) is a noun with content.
pub fn noun(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && !stop(word) && part_of_speech(word) == 'n'
}

/// Whether a word (lower case) can describe what is wanted: a noun or adjective with content.
pub fn noun_or_adjective(word: &str) -> bool {
    !stop(word)
        && !CLASSES.verbish.contains(word)
        && !CLASSES.numw.contains_key(word)
        && word.chars().next().is_some_and(char::is_alphabetic)
        && matches!(part_of_speech(word), 'n' | 'a')
}

/// The plural of a noun.
pub fn plural(word: &str) -> String {
    let before_last = word.chars().rev().nth(1).unwrap_or('a');
    match word.strip_suffix('y') {
        Some(root) if !"aeiou".contains(before_last) => format!("{root}ies"),
        Some(_) | None if word == "people" || word.ends_with('s') => word.to_owned(),
        Some(_) | None if word.ends_with("ch") || word.ends_with("sh") || word.ends_with('x') => format!("{word}es"),
        Some(_) | None => format!("{word}s"),
    }
}

/// The words of a text, with phrases such as `check in` and `pick me up` as one word (`checkin`, `pickup`).
pub fn tokens(text: &str) -> Vec<Token> {
    let plain: Vec<Token> = WORD
        .find_iter(text)
        .map(|found| Token {
            word: found.as_str().to_lowercase().replace('’', "'"),
            start: found.start(),
            end: found.end(),
        })
        .collect();
    let mut joined = Vec::with_capacity(plain.len());
    let mut at = 0;
    while let Some(token) = plain.get(at) {
        let word_at = |ahead: usize| plain.get(at + ahead).map_or("", |token| token.word.as_str());
        let (word, length) = phrase(word_at(0), word_at(1), word_at(2)).unwrap_or((token.word.as_str(), 1));
        joined.push(Token {
            word: word.to_owned(),
            start: token.start,
            end: plain.get(at + length - 1).map_or(token.end, |last| last.end),
        });
        at += length;
    }
    joined
}

/// One word for a verb and its particle, and how many words it takes.
fn phrase(first: &str, second: &str, third: &str) -> Option<(&'static str, usize)> {
    let length = |particle: &str| {
        if second == particle {
            Some(2)
        } else if matches!(second, "it" | "me" | "them" | "us") && third == particle {
            Some(3)
        } else {
            None
        }
    };
    match first {
        "check" | "checking" | "checked" | "checks" => match second {
            "in" | "into" => Some(("checkin", 2)),
            "out" => Some(("checkout", if third == "of" { 3 } else { 2 })),
            _ => None,
        },
        "pick" | "picking" | "picked" => length("up").map(|length| ("pickup", length)),
        "drop" | "dropping" | "dropped" => length("off").map(|length| ("dropoff", length)),
        "get" | "getting" if second == "there" => Some(("arriving", 2)),
        "come" | "coming" | "go" | "going" | "head" | "heading" | "fly" | "flying" | "get" | "getting" | "be"
        | "travel" | "traveling" | "travelling" => matches!(second, "back" | "home").then_some(("returning", 2)),
        _ => None,
    }
}

/// What a number word or a run of digits means: `3`, `2.5`, `1,200`, `three`, `twenty five`, `a couple`, `myself`.
pub fn number(text: &str) -> Option<f64> {
    let lower = text.to_lowercase().replace('-', " ").replace(',', "");
    let mut total = 0.0;
    let mut current = 0.0;
    let mut seen = false;
    for word in lower.split_whitespace() {
        let value = match word {
            "myself" | "alone" | "single" | "once" => 1.0,
            "couple" => 2.0,
            "hundred" if seen => {
                current = f64::max(current, 1.0) * 100.0;
                continue;
            }
            _ => match CLASSES.numw.get(word) {
                Some(value) => *value as f64,
                None if word.bytes().all(|b| b.is_ascii_digit() || b == b'.') => match word.parse() {
                    Ok(value) => value,
                    Err(_) => continue,
                },
                None => continue,
            },
        };
        seen = true;
        if CLASSES.numw.contains_key(word) && value >= 1_000.0 {
            total += f64::max(current, 1.0) * value;
            current = 0.0;
        } else {
            current += value;
        }
    }
    (seen && (total + current).is_finite()).then_some(total + current)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::template::name::KeyName;

    #[test]
    fn tables_are_whole_and_sorted() {
        assert!(POS.len() > 16_000 && POS.is_sorted_by(|a, b| a.word < b.word));
        assert!(PLACES.len() > 2_500 && PLACES.is_sorted());
        assert!(IRREGULAR.len() > 1_000 && IRREGULAR.is_sorted());
        assert!(VOCABULARY.len() > 200 && GIVEN.len() > 300);
        assert_eq!(CLASSES.months.len(), 12);
        assert!(CLASSES.stop.contains("the") && !CLASSES.antonym.is_empty() && CLASSES.irrpl.contains_key("feet"));
        assert!(WORD.is_match("a"));
    }

    #[test]
    fn every_general_name_is_legal_stands_once_and_has_a_gloss_z034_z111() {
        const KINDS: [&str; 13] = [
            "bool", "cat", "date", "duration", "int", "money", "num", "percent", "person", "place", "text", "time",
            "title",
        ];
        let mut names: Vec<&str> = Vec::new();
        for term in vocabulary() {
            let legal = KeyName::parse(term.name).is_some_and(|name| name.as_str() == term.name);
            assert!(
                legal && KINDS.contains(&term.kind) && !term.gloss.is_empty(),
                "{}",
                term.name
            );
            names.push(term.name);
        }
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn words_are_read_by_class() {
        assert!(noun("seat") && noun("window") && !noun("the") && !noun("quickly"));
        assert!(noun_or_adjective("vegetarian") && !noun_or_adjective("book") && !noun_or_adjective("3"));
        assert_eq!(lemma("bags"), "bag");
        assert_eq!(lemma("cities"), "city");
        assert_eq!(lemma("class"), "class");
        assert_eq!(lemma("children"), "child");
        assert_eq!(
            (plural("bag"), plural("city"), plural("day")),
            ("bags".into(), "cities".into(), "days".into())
        );
        assert!(place("paris") && place("new york") && !place("window"));
    }

    #[test]
    fn words_in_ies_are_plurals_of_ie_of_y_or_none() {
        let read = ["movies", "berries", "flexies", "ties", "zies", "species"].map(lemma);
        assert_eq!(read, ["movie", "berry", "flexy", "tie", "zie", "species"]);
    }

    #[test]
    fn particles_join_their_verb() {
        let words = |text: &str| tokens(text).into_iter().map(|t| t.word).collect::<Vec<_>>();
        assert_eq!(words("check-in on May 3"), ["checkin", "on", "may", "3"]);
        assert_eq!(words("pick me up, I'm going back"), ["pickup", "i'm", "returning"]);
        let token = tokens("pick it up!").remove(0);
        assert_eq!((token.start, token.end), (0, 10));
    }

    #[test]
    fn numbers_are_read_in_words_and_digits() {
        for (text, value) in [
            ("3", 3.0),
            ("2.5", 2.5),
            ("1,200", 1_200.0),
            ("three", 3.0),
            ("twenty-five", 25.0),
            ("two hundred", 200.0),
            ("three thousand", 3_000.0),
            ("a couple", 2.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        assert_eq!(number("window"), None);
        assert_eq!(number(""), None);
        assert_eq!(number(&"9".repeat(400)), None);
    }
}

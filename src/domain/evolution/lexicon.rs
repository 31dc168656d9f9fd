//! English by its words alone: parts of speech, places, given names, closed word classes.
//!
//! Owns the word tables of `tables/` and what follows from them alone (lemma, part of speech, number words). Knows no
//! key and no cluster. Invariant: every answer depends on its argument and the compiled-in tables only.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

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
    pub be: BTreeSet<String>,
    /// Irregular plural -> singular.
    pub irrpl: BTreeMap<String, String>,
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

fn lookup(word: &str) -> Option<&'static Entry> {
    let at = POS.binary_search_by(|entry| entry.word.cmp(word)).ok()?;
    POS.get(at)
}

/// The closed word classes.
pub fn classes() -> &'static Classes {
    &CLASSES
}

/// Whether the dictionary holds the word.
pub fn known(word: &str) -> bool {
    lookup(word).is_some()
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

/// Whether a word (lower case) is a noun with content.
pub fn noun(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && !stop(word) && part_of_speech(word) == 'n'
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

    #[test]
    fn tables_are_whole_and_sorted() {
        assert!(POS.len() > 16_000 && POS.is_sorted_by(|a, b| a.word < b.word));
        assert!(PLACES.len() > 2_500 && PLACES.is_sorted());
        assert!(IRREGULAR.len() > 1_000 && IRREGULAR.is_sorted());
        assert!(GIVEN.len() > 300);
        assert_eq!(CLASSES.months.len(), 12);
        assert!(CLASSES.stop.contains("the") && CLASSES.irrpl.contains_key("feet"));
    }

    #[test]
    fn words_are_read_by_class() {
        assert!(noun("seat") && noun("window") && !noun("the") && !noun("quickly"));
        assert_eq!(lemma("bags"), "bag");
        assert_eq!(lemma("cities"), "city");
        assert_eq!(lemma("class"), "class");
        assert_eq!(lemma("children"), "child");
        assert!(place("paris") && place("new york") && !place("window"));
    }

    #[test]
    fn words_in_ies_are_plurals_of_ie_of_y_or_none() {
        let read = ["movies", "berries", "flexies", "ties", "zies", "species"].map(lemma);
        assert_eq!(read, ["movie", "berry", "flexy", "tie", "zie", "species"]);
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

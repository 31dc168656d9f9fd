//! Closed classes of words, of all languages at once: what a text is made of beside its content.
//!
//! Grammar and courtesy alone; no word of content stands here. What a word is, is asked of all languages at once, since one client's
//! sentence may mix several; the language of a row only votes for that of a text.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::languages::TABLES;
use crate::languages::WORDS;
use crate::table::Table;

static OPENERS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| phrases("opener"));
static CLOSERS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| phrases("closer"));

/// Phrases as words, the longest first.
fn phrases(sort: &str) -> Vec<Vec<&'static str>> {
    let mut phrases: Vec<Vec<&str>> = WORDS.words(sort).map(|phrase| phrase.split(' ').collect()).collect();
    phrases.sort_by(|one, two| two.len().cmp(&one.len()).then_with(|| one.cmp(two)));
    phrases
}

/// Whether a word, in small letters, carries no content: an article, a pronoun, an auxiliary, a preposition.
pub fn is_soft(word: &str) -> bool {
    WORDS.holds("soft", word)
}

/// Whether a word, in small letters, is too common to tell one thing from another.
pub fn is_common(word: &str) -> bool {
    WORDS.holds("common", word) || is_soft(word) || is_negator(word)
}

/// Whether a word, in small letters, denies something.
pub fn is_negator(word: &str) -> bool {
    WORDS.holds("negator", word) || word.ends_with("n't")
}

/// Whether a text of a script that writes no blanks denies something.
pub fn denies_unspaced(text: &str) -> bool {
    WORDS.words("unspaced").any(|denial| text.contains(denial))
}

/// Whether a word, in small letters, is that of a day or a month.
pub fn is_date(word: &str) -> bool {
    WORDS.holds("date", word)
}

/// Whether a word, in small letters, is one for a part of a number: a half, a quarter.
pub fn is_part(word: &str) -> bool {
    WORDS.holds("part", word)
}

/// How many words at the beginning only lead up to a wish: "could you", "ich hätte gern".
pub fn opening(words: &[&str]) -> usize {
    run(words, &OPENERS, |words, phrase| words.starts_with(phrase))
}

/// How many words at the end only close it: "please", "si es posible".
pub fn closing(words: &[&str]) -> usize {
    run(words, &CLOSERS, |words, phrase| words.ends_with(phrase))
}

/// Of each language, its words and the words of its phrases: what was measured as a vote is grammar and courtesy.
static VOTES: LazyLock<Vec<(&str, BTreeSet<&str>)>> = LazyLock::new(|| {
    let sorts = ["soft", "negator", "opener", "closer"];
    let words = |table: &Table| {
        sorts
            .iter()
            .flat_map(|sort| table.words(sort))
            .flat_map(|said| said.split(' '))
            .collect()
    };
    TABLES.iter().map(|(code, table)| (*code, words(table))).collect()
});

/// The language that most of the words belong to, as two letters; `None` where none does, or as many belong to another.
pub fn language(words: &[&str]) -> Option<&'static str> {
    let said = |known: &BTreeSet<&str>| words.iter().filter(|word| known.contains(*word)).count();
    let mut counts: Vec<(usize, &'static str)> = VOTES.iter().map(|(code, known)| (said(known), *code)).collect();
    counts.sort_unstable_by(|one, two| two.cmp(one));
    match counts[..] {
        [(most, code), (next, _), ..] if most > next => Some(code),
        _ => None,
    }
}

/// Whether words only lead up to a wish, close one, or carry no content: nothing is asked.
pub fn is_courtesy(words: &[&str]) -> bool {
    let mut rest = words;
    loop {
        let (from, to) = (opening(rest), closing(rest));
        rest = if from > 0 {
            &rest[from..]
        } else {
            &rest[..rest.len() - to]
        };
        if from + to == 0 || rest.is_empty() {
            return rest.iter().all(|word| is_soft(word));
        }
    }
}

fn run(words: &[&str], phrases: &[Vec<&str>], at_edge: fn(&[&str], &[&str]) -> bool) -> usize {
    phrases.iter().find(|phrase| at_edge(words, phrase)).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_led_up_to_and_closed_in_many_languages() {
        assert_eq!(opening(&["could", "you", "ring", "twice"]), 2);
        assert_eq!(opening(&["ich", "hätte", "gern", "ein", "kissen"]), 3);
        assert_eq!(opening(&["quiet", "room"]), 0);
        assert_eq!(closing(&["quiet", "room", "si", "es", "posible"]), 3);
        assert_eq!(closing(&["quiet", "room"]), 0);
    }

    #[test]
    fn classes_are_told_apart() {
        assert!(is_soft("the") && is_soft("für") && !is_soft("ohne") && !is_soft("window"));
        assert!(is_courtesy(&["thank", "you", "very", "much"]) && is_courtesy(&["hi", "could", "you", "please"]));
        assert!(!is_courtesy(&["please", "ring"]));
        assert_eq!(language(&["ohne", "zwiebeln"]), Some("de"));
        assert_eq!(language(&["a", "quiet", "room", "please"]), Some("en"));
        assert_eq!(language(&["zwiebeln"]), None);
        assert!(is_negator("ohne") && is_negator("wouldn't") && !is_negator("with"));
    }
}

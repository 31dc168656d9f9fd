//! Closed classes of words, of all languages at once: what a text is made of beside its content.
//!
//! Grammar and courtesy alone; no word of content stands here. Rows are told apart by their class, not by their language, since one
//! client's sentence may mix several.

use std::collections::BTreeSet;
use std::sync::LazyLock;

static TABLE: &str = include_str!("closed.tsv");

static SOFT: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words("soft"));
static NEGATORS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words("negator"));
static PARTS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words("part"));
static OPENERS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| phrases("opener"));
static CLOSERS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| phrases("closer"));

fn rows(class: &'static str) -> impl Iterator<Item = &'static str> {
    let rows = TABLE.lines().filter_map(|line| line.split_once('\t'));
    rows.filter(move |(kind, _)| *kind == class).map(|(_, row)| row)
}

fn words(class: &'static str) -> BTreeSet<&'static str> {
    rows(class).flat_map(str::split_whitespace).collect()
}

/// Phrases as words, the longest first.
fn phrases(class: &'static str) -> Vec<Vec<&'static str>> {
    let phrases = rows(class).flat_map(|row| row.split(", "));
    let mut phrases: Vec<Vec<&str>> = phrases.map(|phrase| phrase.split(' ').collect()).collect();
    phrases.sort_by(|one, two| two.len().cmp(&one.len()).then_with(|| one.cmp(two)));
    phrases
}

/// Whether a word, in small letters, carries no content: an article, a pronoun, an auxiliary, a preposition.
pub fn is_soft(word: &str) -> bool {
    SOFT.contains(word)
}

/// Whether a word, in small letters, denies something.
pub fn is_negator(word: &str) -> bool {
    NEGATORS.contains(word) || word.ends_with("n't")
}

/// Whether a word, in small letters, is one for a part of a number: a half, a quarter.
pub fn is_part(word: &str) -> bool {
    PARTS.contains(word)
}

/// How many words at the beginning only lead up to a wish: "could you", "ich hätte gern".
pub fn opening(words: &[&str]) -> usize {
    run(words, &OPENERS, |words, phrase| words.starts_with(phrase))
}

/// How many words at the end only close it: "please", "si es posible".
pub fn closing(words: &[&str]) -> usize {
    run(words, &CLOSERS, |words, phrase| words.ends_with(phrase))
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
        assert!(is_negator("ohne") && is_negator("wouldn't") && !is_negator("with"));
    }
}

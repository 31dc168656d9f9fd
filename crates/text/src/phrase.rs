//! A phrase as its words: what of it is content, whether it denies something, and what a group of phrases has in common.
//!
//! Invents nothing: every word that comes out went in.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::analysis::Analysis;
use crate::analysis::Word;
use crate::closed;

/// Words of a name at most.
pub const NAME_WORDS_MAX: usize = 5;
/// Content words that a name needs so that it says something by itself; one alone is "before" or "table".
pub const NAME_CONTENT_MIN: usize = 2;
/// Share of a group's phrases that must hold a word before it may stand in their name: a word of fewer tells one client apart. Of .25
/// and .5 the lower made a tie on ten services that it was not chosen on.
const NAME_SHARE_MIN: f64 = 0.25;
/// Letters from which on a word's ending is taken off before two words are compared.
const STEMMED_LETTERS_MIN: usize = 5;
const ENDINGS: [&str; 8] = ["ing", "en", "em", "er", "es", "s", "e", "n"];
/// Share of their content that two phrases have in common, to be the same said both ways.
const SAME_CONTENT_MIN: f64 = 0.75;
/// Phrases of each side that make a wish one that is said both ways; one alone may be a slip.
const SIDE_MIN: usize = 2;

/// A text as words in small letters, without courtesy around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    words: Vec<String>,
    /// Bytes of the text from its first word to its last.
    range: Range<usize>,
}

impl Phrase {
    /// Reads a text.
    pub fn read(text: &str) -> Phrase {
        Phrase::of(&Analysis::of(text))
    }

    /// The phrase that a text is.
    pub fn of(analysis: &Analysis<'_>) -> Phrase {
        let found = analysis.words();
        let all = analysis.lower();
        let mut rest = all.as_slice();
        let mut begin = 0;
        loop {
            let opening = closed::opening(rest);
            if opening == 0 || opening == rest.len() {
                break;
            }
            rest = &rest[opening..];
            begin += opening;
        }
        loop {
            let closing = closed::closing(rest);
            if closing == 0 || closing == rest.len() {
                break;
            }
            rest = &rest[..rest.len() - closing];
        }
        let start = found.get(begin).map_or(0, |word| word.start);
        let last = (begin + rest.len()).checked_sub(1).and_then(|last| found.get(last));
        Phrase {
            words: rest.iter().map(|word| (*word).to_owned()).collect(),
            range: start..last.map_or(start, Word::end),
        }
    }

    /// Its words, in order.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The words with one blank between them.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Where in the text it stands, from its first word to its last.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether it denies something.
    pub fn is_negated(&self) -> bool {
        self.words.iter().any(|word| closed::is_negator(word))
    }

    /// Its content words, each without its ending.
    pub fn content(&self) -> BTreeSet<String> {
        self.words.iter().filter_map(|word| content(word)).collect()
    }
}

/// Whether a text is made of nothing but courtesy and words without content: "thank you very much", "hi, could you please".
pub fn is_courtesy(analysis: &Analysis<'_>) -> bool {
    closed::is_courtesy(&analysis.lower())
}

/// A text with its first letter large.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + letters.as_str()
}

/// A word in Latin letters.
pub fn transliterated(word: &str) -> String {
    deunicode::deunicode(word)
}

/// A word without its ending, so that forms of it are equal; `None` for one that carries no content.
pub fn content(word: &str) -> Option<String> {
    if closed::is_soft(word) || closed::is_negator(word) || !word.chars().any(char::is_alphabetic) {
        return None;
    }
    let ending = ENDINGS
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .filter(|_| word.chars().count() >= STEMMED_LETTERS_MIN);
    Some(ending.unwrap_or(word).to_owned())
}

/// Which phrases deny what the others ask for; `None` unless the same content is said both ways.
pub fn sides(phrases: &[Phrase]) -> Option<Vec<bool>> {
    let negated: Vec<bool> = phrases.iter().map(Phrase::is_negated).collect();
    let contents: Vec<BTreeSet<String>> = phrases.iter().map(Phrase::content).collect();
    let same = |one: &BTreeSet<String>, two: &BTreeSet<String>| {
        let common = one.intersection(two).count();
        common > 0 && common as f64 >= SAME_CONTENT_MIN * one.union(two).count() as f64
    };
    let has_twin = |at: usize| {
        (0..phrases.len()).any(|other| negated[other] != negated[at] && same(&contents[at], &contents[other]))
    };
    let mut sides = [0, 0];
    for at in 0..phrases.len() {
        sides[usize::from(negated[at])] += usize::from(has_twin(at));
    }
    sides.iter().all(|side| *side >= SIDE_MIN).then_some(negated)
}

/// A name that a group of phrases has in common, and the phrase that it was read off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    pub words: Vec<String>,
    pub from: usize,
}

impl Shared {
    /// Content words in it.
    pub fn content(&self) -> usize {
        self.words.iter().filter(|word| content(word).is_some()).count()
    }
}

/// The words that most phrases share, in the order of the phrase that holds most of them: the polarity is the majority's, and of
/// phrases that hold the same the nearest to the middle counts (`near`, one number a phrase). `may` says whether a word may be shown.
pub fn shared(phrases: &[Phrase], near: &[f64], may: &dyn Fn(&str) -> bool) -> Option<Shared> {
    let denials = phrases.iter().filter(|phrase| phrase.is_negated()).count();
    let is_denial = 2 * denials > phrases.len();
    let mut holders: BTreeMap<String, usize> = BTreeMap::new();
    for phrase in phrases {
        for word in phrase.content() {
            *holders.entry(word).or_default() += 1;
        }
    }
    let all = phrases.len() as f64;
    let share = |content: &str| holders.get(content).copied().unwrap_or(0) as f64 / all;
    let mut best: Option<(f64, Shared)> = None;
    for (at, phrase) in phrases.iter().enumerate() {
        let contents: Vec<String> = phrase.words.iter().filter_map(|word| content(word)).collect();
        let is_often = |word: &str| content(word).is_none_or(|content| share(&content) >= NAME_SHARE_MIN);
        let words = named(&phrase.words, &|word| may(word) && is_often(word));
        let is_named = words.iter().any(|word| content(word).is_some()) && words.len() <= NAME_WORDS_MAX;
        let keeps_denial = is_denial == words.iter().any(|word| closed::is_negator(word));
        if !is_named || !keeps_denial || phrase.is_negated() != is_denial {
            continue;
        }
        let mean = contents.iter().map(|content| share(content)).sum::<f64>() / contents.len() as f64;
        // A second content word says much that the first does not, a third some; each further word of any kind makes a name longer and
        // no clearer.
        let bonus = match contents.len() {
            0 | 1 => 1.0,
            2 => 1.3,
            _ => 1.45,
        };
        let score = mean * bonus - 0.02 * phrase.words.len() as f64 + 0.1 * near.get(at).copied().unwrap_or(0.0);
        if best.as_ref().is_some_and(|(most, _)| *most >= score) {
            continue;
        }
        best = Some((score, Shared { words, from: at }));
    }
    best.map(|(_, shared)| shared)
}

/// The words of a phrase that may stand in a name, each once, without those that carry no content at its ends and around a word that
/// may not: "no (pillows) with feathers" leaves "no feathers".
fn named(words: &[String], may: &dyn Fn(&str) -> bool) -> Vec<String> {
    let is_soft = |word: &str| content(word).is_none() && !closed::is_negator(word);
    let mut kept: Vec<&String> = Vec::new();
    let mut is_gap = true;
    for word in words {
        if is_soft(word) {
            if !is_gap {
                kept.push(word);
            }
        } else if may(word) {
            let is_said =
                content(word).is_some_and(|said| kept.iter().any(|word| content(word).as_ref() == Some(&said)));
            if !is_said {
                kept.push(word);
            }
            is_gap = is_said;
        } else {
            is_gap = true;
            while kept.last().is_some_and(|word| is_soft(word)) {
                kept.pop();
            }
        }
    }
    while kept.last().is_some_and(|word| content(word).is_none()) {
        kept.pop();
    }
    kept.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(texts: &[&str]) -> Vec<Phrase> {
        texts.iter().map(|text| Phrase::read(text)).collect()
    }

    fn name(texts: &[&str]) -> Option<String> {
        let near = vec![0.0; texts.len()];
        shared(&phrases(texts), &near, &|_| true).map(|shared| shared.words.join("_"))
    }

    #[test]
    fn courtesy_around_a_wish_is_no_part_of_it() {
        assert_eq!(
            Phrase::read("Hi, could you please leave it at the door? Thanks!").text(),
            "leave it at the door"
        );
        assert_eq!(Phrase::read("Bitte ohne Besteck, danke").text(), "ohne besteck");
        assert_eq!(Phrase::read("please").text(), "please");
    }

    #[test]
    fn a_name_is_what_most_phrases_share_z110() {
        let door = [
            "leave it at the door",
            "please leave at door",
            "at the door, leave it",
            "leave the box at the door",
        ];
        assert_eq!(name(&door).as_deref(), Some("leave_at_door"));
        assert_eq!(
            name(&["ohne Besteck bitte", "bitte ohne Besteck", "kein Besteck"]).as_deref(),
            Some("ohne_besteck")
        );
        assert_eq!(
            name(&["no cutlery", "no cutlery please", "skip the cutlery"]).as_deref(),
            Some("no_cutlery")
        );
        assert_eq!(name(&["to the", "with it"]), None);
    }

    #[test]
    fn a_wish_is_both_ways_only_where_the_same_is_said_with_and_without_a_denial() {
        let both = phrases(&["with onions", "onions please", "no onions", "without onions"]);
        assert_eq!(sides(&both), Some(vec![false, false, true, true]));
        assert_eq!(
            sides(&phrases(&["no onions", "without onions", "skip the onions"])),
            None
        );
        assert_eq!(
            sides(&phrases(&["no onions", "onions", "a quiet table"])),
            None,
            "one of a side is a slip"
        );
    }
}

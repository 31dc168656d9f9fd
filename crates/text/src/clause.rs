//! A text as words in clauses, and what it says of other words: where they stand, and whether they are denied there.
//!
//! Knows no key and no word of content: words are compared by their letters, and what denies is a closed class. Where a script writes
//! no blanks, each character is a word. Invariant: nothing is said beyond the clause that it stands in, and nothing where a denial may
//! belong to another word.

use std::ops::RangeInclusive;

use crate::analysis::Analysis;
use crate::closed;
use crate::number;
use crate::number::Number;
use crate::phrase;

/// Bytes of one text that are read: an utterance goes on for no longer, and no text may cost more.
const TEXT_MAX: usize = 4_096;
/// Places of one value that are looked at: what is said more often is said the same way.
const RUNS_MAX: usize = 32;
/// Letters that two forms of a word have in common, and that one may have more at its end: `Fenster` and `Fensters`.
const SHARED_MIN: usize = 4;
const ENDING_MAX: usize = 2;

/// Scripts that write no blanks, or whose words take endings without one: Thai, kana, Han, Hangul.
const UNSPACED: [RangeInclusive<char>; 5] = [
    '\u{e00}'..='\u{e7f}',
    '\u{3040}'..='\u{30ff}',
    '\u{3400}'..='\u{9fff}',
    '\u{ac00}'..='\u{d7af}',
    '\u{f900}'..='\u{faff}',
];

#[derive(Clone, Debug, PartialEq)]
struct Word {
    /// In small letters.
    text: String,
    /// Without its ending; `None` where it carries no content.
    content: Option<String>,
    clause: usize,
    /// Bytes of the text before it.
    start: usize,
}

/// A text, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    text: String,
    words: Vec<Word>,
}

/// What something is about, and whether it is the want of it: `without_nuts` is about nuts, and wants none.
#[derive(Clone, Debug, PartialEq)]
pub struct Sense {
    content: Vec<Word>,
    pub denied: bool,
}

impl Word {
    fn is_negator(&self) -> bool {
        closed::is_negator(&self.text)
    }

    fn stem(&self) -> &str {
        self.content.as_deref().unwrap_or(&self.text)
    }

    /// Whether it is a form of another word.
    fn is(&self, other: &Word) -> bool {
        self.text == other.text || is_form_of(self.stem(), other.stem())
    }
}

impl Words {
    /// Reads a text.
    pub fn read(text: &str) -> Words {
        let text = text.get(..text.floor_char_boundary(TEXT_MAX)).unwrap_or_default();
        let mut words: Vec<Word> = Vec::new();
        let (mut end, mut clause) = (0, 0);
        for word in Analysis::of(text).words() {
            let (start, found) = (word.start, word.text);
            clause += usize::from(text.get(end..start).unwrap_or_default().contains(ends_clause));
            end = start + found.len();
            let mut take = |at: usize, piece: &str| {
                let text = piece.to_lowercase().replace('’', "'");
                words.push(Word {
                    content: phrase::content(&text),
                    text,
                    clause,
                    start: start + at,
                });
            };
            if found.starts_with(is_unspaced) {
                let letters = found.char_indices();
                letters.for_each(|(at, letter)| take(at, letter.encode_utf8(&mut [0; 4])));
            } else {
                take(0, found);
            }
        }
        Words {
            text: text.to_owned(),
            words,
        }
    }

    /// Whether it holds no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Where these words stand one after another: the first of them, and just behind the last.
    pub fn runs(&self, wanted: &Words) -> Vec<(usize, usize)> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let same = |window: &[Word]| window.iter().zip(&wanted.words).all(|(said, wanted)| said.is(wanted));
        let found = self.words.windows(wanted.len()).enumerate();
        found
            .filter(|(_, window)| same(window))
            .map(|(from, _)| (from, from + wanted.len()))
            .take(RUNS_MAX)
            .collect()
    }

    /// Whether the words from one place to just before another are denied: by the last word with content before them, or by the end of
    /// their clause behind them. `None` where a denial may be another word's.
    pub fn denied(&self, from: usize, to: usize) -> Option<bool> {
        let clause = self.words.get(from)?.clause;
        let begin = self.words.partition_point(|word| word.clause < clause);
        let end = self.words.partition_point(|word| word.clause <= clause);
        let before = self.words.get(begin..from).unwrap_or_default();
        let behind = self.words.get(to..end).unwrap_or_default();
        if before.iter().any(Word::is_negator) {
            let mut back = before.iter().rev();
            let last = back.find(|word| word.is_negator() || word.content.is_some());
            return last.is_some_and(Word::is_negator).then_some(true);
        }
        if [before, behind]
            .iter()
            .any(|part| closed::denies_unspaced(&written(part)))
        {
            return None;
        }
        if behind.iter().any(Word::is_negator) {
            return behind.iter().all(|word| word.content.is_none()).then_some(true);
        }
        Some(false)
    }

    /// For each clause that says all that something is about: whether it is denied there. A clause that is not sure says nothing.
    pub fn senses(&self, sense: &Sense) -> Vec<bool> {
        let mut begins = 0;
        let clauses = self.words.chunk_by(|one, next| one.clause == next.clause);
        let denied = clauses.filter_map(|clause| {
            let first = begins;
            begins += clause.len();
            let place = |wanted: &Word| clause.iter().position(|word| word.is(wanted));
            let places: Option<Vec<usize>> = sense.content.iter().map(place).collect();
            let places = places?;
            self.denied(first + places.iter().min()?, first + places.iter().max()? + 1)
        });
        denied.collect()
    }

    /// Whether any word that something is about is denied.
    pub fn denies_any(&self, sense: &Sense) -> bool {
        (0..self.words.len()).any(|at| self.names(sense, at) && self.denied(at, at + 1) == Some(true))
    }

    fn names(&self, sense: &Sense, at: usize) -> bool {
        let word = self.words.get(at);
        word.is_some_and(|word| sense.content.iter().any(|wanted| word.is(wanted)))
    }

    /// Numbers and times, in digits and in words of the text's language.
    pub fn numbers(&self) -> Vec<Number> {
        number::said(&Analysis::of(&self.text))
    }

    /// Whether a number stands within so many words of a word that something is about.
    pub fn stands_beside(&self, number: &Number, sense: &Sense, within: usize) -> bool {
        let place = |start: usize| self.words.partition_point(|word| word.start < start);
        let (from, to) = (place(number.start), place(number.end));
        let clause = |at: usize| self.words.get(at).map(|word| word.clause);
        let near = from.saturating_sub(within)..(to + within).min(self.words.len());
        near.into_iter()
            .any(|at| clause(at) == clause(from) && self.names(sense, at))
    }
}

impl Sense {
    /// What a text, or the name of a key, is about.
    pub fn of(text: &str) -> Sense {
        let words = Words::read(&text.replace(['_', '-'], " ")).words;
        Sense {
            denied: words.iter().any(Word::is_negator),
            content: words.into_iter().filter(|word| word.content.is_some()).collect(),
        }
    }
}

fn is_unspaced(c: char) -> bool {
    UNSPACED.iter().any(|script| script.contains(&c))
}

/// Words with nothing between them, as scripts without blanks write them.
fn written(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect()
}

fn ends_clause(c: char) -> bool {
    matches!(
        c,
        ',' | ';' | '.' | '!' | '?' | '\n' | '、' | '。' | '，' | '；' | '！' | '？' | '؟' | '،' | '।'
    )
}

/// Whether one word is another or a form of it: one of them goes on a little where the other ends.
fn is_form_of(one: &str, other: &str) -> bool {
    let (shorter, longer) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let Some(ending) = longer.strip_prefix(shorter) else {
        return false;
    };
    let shared = shorter.chars().count();
    ending.is_empty()
        || (longer.chars().all(char::is_alphabetic)
            && (shared >= SHARED_MIN && ending.chars().count() <= ENDING_MAX
                || shared + 1 >= SHARED_MIN && ending == "s"))
}

//! The words by which what is told in confidence is known, in several languages.
//!
//! Reads the table once. Decides nothing. Invariant: words are compared in lower case, and names of secrets without the blanks,
//! hyphens and underscores that may stand in them.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value;

const TABLE: &str = include_str!("../../tables/secrets.tsv");
/// Stands before a word that may end a compound, and after one that goes on in other forms.
const OPEN: char = '*';

/// What is confided, by what it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of whatever its owner likes, words too.
    Phrase,
    /// Of digits, as a rule.
    Code,
    /// By a machine; the word for it means other things as well.
    Key,
    /// As a phrase; the word is a short one and means other things as well.
    Short,
}

/// What a word does beside the word for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// Says that something is something: its value or its state.
    Says,
    /// Says its value.
    Tells,
    /// Leads to a value that is set, or is to be.
    Towards,
    /// Says what something is taken for.
    Taken,
    /// Belongs to the word for the secret.
    Noun,
    /// Begins what the secret is for.
    About,
    /// Begins something else.
    Joins,
    /// Stands before values and states alike.
    Filler,
    /// Tells of a state, or refers to something.
    State,
    /// How words for states end.
    Ending,
    /// A number in words.
    Number,
    /// Asks for a value or refers to one, before the word that says.
    Asks,
    /// Whose the secret is.
    Own,
    /// Stands before the word for any secret.
    Article,
    /// Takes a value for a purpose.
    Makes,
    /// What is opened with a number that is its owner's.
    Opened,
    /// Belongs to an address in India, where the number of a place is called a PIN.
    Address,
}

/// A word for a secret.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub kind: Kind,
    pub ends_compounds: bool,
    /// It is declined: letters may follow.
    pub is_declined: bool,
    /// It is one only beside a thing that has a lock.
    pub needs_lock: bool,
    /// In addresses it stands before the number of a place.
    pub is_postal: bool,
    language: &'static str,
}

impl Term {
    /// Whether a word in lower case says that something is something, in any language or in this one alone.
    pub fn is_said_by(&self, word: &str) -> bool {
        is(Sort::Says, word) || WORDS.says_own.contains(&(self.language, word))
    }
}

#[derive(Default)]
struct Words {
    /// As they are looked for.
    spelt: Vec<String>,
    terms: BTreeMap<String, Term>,
    sorts: BTreeMap<Sort, BTreeSet<&'static str>>,
    /// Words that say something only beside a secret of their language: elsewhere they are other words.
    says_own: BTreeSet<(&'static str, &'static str)>,
    /// Things that have a lock, without blanks and hyphens.
    locks: BTreeSet<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words::default();
    for row in TABLE.lines() {
        let mut cells = row.split('\t');
        let (Some(sort), Some(language), Some(listed)) = (cells.next(), cells.next(), cells.next()) else {
            continue;
        };
        for word in listed.split(", ") {
            if let Some(kind) = kind(sort) {
                let spelt = word.trim_matches(OPEN);
                let term = Term {
                    kind,
                    ends_compounds: word.starts_with(OPEN),
                    is_declined: word.ends_with(OPEN),
                    needs_lock: sort == OF_LOCK,
                    is_postal: sort == POSTAL,
                    language,
                };
                words.spelt.push(spelt.to_owned());
                words.terms.entry(joined(spelt)).or_insert(term);
            } else if let Some(sort) = sort_of(sort) {
                words.sorts.entry(sort).or_default().insert(word);
            } else if sort == SAYS_OWN {
                words.says_own.insert((language, word));
            } else if sort == LOCK {
                words.locks.insert(joined(word));
            }
        }
    }
    words
});

/// Rows that are neither a kind nor a sort by themselves.
const OF_LOCK: &str = "code_of_lock";
const POSTAL: &str = "pin";
const SAYS_OWN: &str = "says_own";
const LOCK: &str = "lock";

fn kind(name: &str) -> Option<Kind> {
    match name {
        "phrase" => Some(Kind::Phrase),
        "code" | OF_LOCK | POSTAL => Some(Kind::Code),
        "key" => Some(Kind::Key),
        "short" => Some(Kind::Short),
        _ => None,
    }
}

fn sort_of(name: &'static str) -> Option<Sort> {
    Sort::deserialize(IntoDeserializer::<value::Error>::into_deserializer(name)).ok()
}

fn joined(word: &str) -> String {
    let letters = word.chars().filter(|c| !matches!(c, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect()
}

/// Every word for a secret as it is spelt.
pub fn spelt() -> impl Iterator<Item = &'static str> {
    WORDS.spelt.iter().map(String::as_str)
}

/// The word for a secret that a text is, however its parts are joined.
pub fn term(text: &str) -> Option<Term> {
    WORDS.terms.get(&joined(text)).copied()
}

/// Whether a word in lower case is one of a sort.
pub fn is(sort: Sort, word: &str) -> bool {
    WORDS.sorts.get(&sort).is_some_and(|words| words.contains(word))
}

/// Whether a name in lower case is that of a thing with a lock.
pub fn is_lock(name: &str) -> bool {
    WORDS.locks.contains(&joined(name))
}

/// The word of a sort with which a text without blanks begins, as bytes; only where its script needs no blanks.
pub fn begins(sort: Sort, text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if first.is_ascii() || first.is_lowercase() || first.is_uppercase() {
        return None;
    }
    let words = WORDS.sorts.get(&sort)?;
    words
        .iter()
        .find(|word| text.starts_with(**word))
        .map(|word| word.len())
}

/// Whether a word in lower case tells of a state.
pub fn is_state(word: &str) -> bool {
    let ends = || {
        let endings = WORDS.sorts.get(&Sort::Ending);
        endings.is_some_and(|endings| {
            endings
                .iter()
                .any(|end| word.len() > end.len() + 2 && word.ends_with(end))
        })
    };
    is(Sort::State, word) || is(Sort::Filler, word) || ends()
}

#[cfg(test)]
mod tests {
    use super::LOCK;
    use super::OF_LOCK;
    use super::SAYS_OWN;
    use super::Sort;
    use super::TABLE;
    use super::is;
    use super::kind;
    use super::sort_of;
    use crate::secrets::prose::term::next_term;

    #[test]
    fn every_row_of_the_table_is_read_x02() {
        for row in TABLE.lines() {
            let cells: Vec<&str> = row.split('\t').collect();
            assert_eq!(cells.len(), 3, "{row}");
            let is_known =
                kind(cells[0]).is_some() || sort_of(cells[0]).is_some() || [SAYS_OWN, LOCK].contains(&cells[0]);
            assert!(is_known, "{row}");
            for word in cells[2].split(", ") {
                assert!(
                    !word.is_empty() && word == word.trim() && word == word.to_lowercase(),
                    "{row}: {word}"
                );
                if kind(cells[0]).is_some() {
                    let said = format!("({word}) of the gate").replace('*', "");
                    let said = if cells[0] == OF_LOCK {
                        said.replace(')', "")
                    } else {
                        said
                    };
                    let (start, end, _) = next_term(&said, 0).unwrap_or_else(|| panic!("{word} is not found"));
                    assert_eq!((start, end), (1, 1 + word.replace('*', "").len()), "{word}");
                }
            }
        }
        assert!(is(Sort::Says, "is"));
    }
}

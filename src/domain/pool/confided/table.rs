//! The words by which what is told in confidence is known, in several languages.
//!
//! Reads the table once. Decides nothing. Invariant: words are compared in lower case, and names of secrets without the blanks,
//! hyphens and underscores that may stand in them.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::pattern::fixed;

const TABLE: &str = include_str!("../tables/confided.tsv");
/// Stands before a word that may end a compound.
const ENDS_COMPOUNDS: char = '*';

/// What is confided, by what it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of whatever its owner likes, words too.
    Phrase,
    /// Of digits, as a rule.
    Code,
    /// By a machine; the word for it means other things as well.
    Key,
}

/// What a word does beside the word for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Says that something is something: its value or its state.
    Says,
    /// Says its value.
    Tells,
    /// Leads to a value that is set.
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
}

/// A word for a secret.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub kind: Kind,
    pub ends_compounds: bool,
}

#[derive(Default)]
struct Words {
    /// As they are looked for.
    spelt: Vec<String>,
    terms: BTreeMap<String, Term>,
    sorts: BTreeMap<Sort, BTreeSet<&'static str>>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words::default();
    for row in TABLE.lines() {
        let mut cells = row.split('\t');
        let (Some(sort), Some(_language), Some(listed)) = (cells.next(), cells.next(), cells.next()) else {
            continue;
        };
        for word in listed.split(", ") {
            match (kind(sort), sort_of(sort)) {
                (Some(kind), _) => {
                    let spelt = word.trim_start_matches(ENDS_COMPOUNDS);
                    let term = Term {
                        kind,
                        ends_compounds: spelt.len() < word.len(),
                    };
                    words.spelt.push(spelt.to_owned());
                    words.terms.entry(joined(spelt)).or_insert(term);
                }
                (None, Some(sort)) => {
                    words.sorts.entry(sort).or_default().insert(word);
                }
                (None, None) => {}
            }
        }
    }
    words
});

/// Every word for a secret, the longest first; what stands around it is looked at by hand, which costs less.
static TERMS: LazyLock<Regex> = LazyLock::new(|| {
    let mut spelt: Vec<&String> = WORDS.spelt.iter().collect();
    spelt.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let patterns: Vec<String> = spelt
        .into_iter()
        .map(|word| {
            let parts: Vec<String> = word.split([' ', '-']).map(regex::escape).collect();
            parts.join("[ _-]?")
        })
        .collect();
    fixed(&format!("(?:{})", patterns.join("|")))
});

fn kind(name: &str) -> Option<Kind> {
    match name {
        "phrase" => Some(Kind::Phrase),
        "code" => Some(Kind::Code),
        "key" => Some(Kind::Key),
        _ => None,
    }
}

fn sort_of(name: &str) -> Option<Sort> {
    match name {
        "says" => Some(Sort::Says),
        "tells" => Some(Sort::Tells),
        "towards" => Some(Sort::Towards),
        "taken" => Some(Sort::Taken),
        "noun" => Some(Sort::Noun),
        "about" => Some(Sort::About),
        "joins" => Some(Sort::Joins),
        "filler" => Some(Sort::Filler),
        "state" => Some(Sort::State),
        "ending" => Some(Sort::Ending),
        "number" => Some(Sort::Number),
        "asks" => Some(Sort::Asks),
        "own" => Some(Sort::Own),
        _ => None,
    }
}

fn joined(word: &str) -> String {
    let letters = word.chars().filter(|c| !matches!(c, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect()
}

/// The next word for a secret at or after a place: where it begins and ends.
pub fn next_term(text: &str, from: usize) -> Option<(usize, usize, Term)> {
    let mut from = from;
    while let Some(found) = TERMS.find_at(text, from) {
        let term = WORDS.terms.get(&joined(found.as_str())).copied();
        if let Some(term) = term
            && stands_alone(text, found.start(), found.end(), term)
        {
            return Some((found.start(), found.end(), term));
        }
        from = found.start() + found.as_str().chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Whether no letter goes on with it on either side. Scripts without capitals are written without blanks.
fn stands_alone(text: &str, start: usize, end: usize, term: Term) -> bool {
    let is_cased = |c: char| c.is_lowercase() || c.is_uppercase();
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    let own = text[start..end].chars().next_back();
    if own.is_some_and(|c| !is_cased(c)) {
        return true;
    }
    !after.is_some_and(char::is_alphanumeric) && (term.ends_compounds || !before.is_some_and(char::is_alphanumeric))
}

/// Whether a word in lower case is one of a sort.
pub fn is(sort: Sort, word: &str) -> bool {
    WORDS.sorts.get(&sort).is_some_and(|words| words.contains(word))
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
    use super::Kind;
    use super::Sort;
    use super::TABLE;
    use super::is;
    use super::kind;
    use super::next_term;
    use super::sort_of;

    #[test]
    fn every_row_of_the_table_is_read_x02() {
        for row in TABLE.lines() {
            let cells: Vec<&str> = row.split('\t').collect();
            assert_eq!(cells.len(), 3, "{row}");
            assert!(kind(cells[0]).is_some() || sort_of(cells[0]).is_some(), "{row}");
            for word in cells[2].split(", ") {
                assert!(
                    !word.is_empty() && word == word.trim() && word == word.to_lowercase(),
                    "{row}: {word}"
                );
                if kind(cells[0]).is_some() {
                    let said = format!("({word})").replace('*', "");
                    let (start, end, _) = next_term(&said, 0).unwrap_or_else(|| panic!("{word} is not found"));
                    assert_eq!((start, end), (1, said.len() - 1), "{word}");
                }
            }
        }
        assert!(is(Sort::Says, "is"));
    }

    #[test]
    fn a_word_for_a_secret_is_one_only_where_it_stands_alone_x02() {
        let kind = |text: &str| next_term(text, 0).map(|(_, _, term)| term.kind);
        assert_eq!(kind("the PIN-Code"), Some(Kind::Code));
        assert_eq!(kind("das Benutzerpasswort"), Some(Kind::Phrase));
        assert_eq!(kind("API_KEY"), Some(Kind::Key));
        assert_eq!(kind("我的密码是"), Some(Kind::Phrase));
        for other in [
            "pinned",
            "a resenha",
            "secretary",
            "tanning",
            "passwordless",
            "opinion",
            "spin",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}

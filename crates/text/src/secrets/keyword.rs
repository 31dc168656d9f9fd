//! Where a text has a word for a secret, such as "password" or the "code" of a gate.
//!
//! Knows the words of the table and what may stand right around them; reads no value.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::closed;
use crate::languages::WORDS;
use crate::pattern::fixed;

/// The sorts of words for secrets.
const KINDS: [(&str, Kind); 4] = [
    ("phrase", Kind::Phrase),
    ("code", Kind::Code),
    ("code_of_lock", Kind::Code),
    ("key", Kind::Key),
];
/// A word of this sort is one for a secret only beside a thing that has a lock.
const OF_LOCK: &str = "code_of_lock";
/// Stands before a word that may end a compound, and after one that is declined.
const OPEN: char = '*';
/// Letters that a word which is declined goes on with.
const ENDING_MAX: usize = 6;
/// Bytes around a word in which a thing with a lock is looked for: three words and their articles.
const LOCK_WITHIN: usize = 64;

/// What a secret is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of whatever its owner likes, words too.
    Phrase,
    /// Of digits, as a rule.
    Code,
    /// By a machine; the word for it means other things as well.
    Key,
}

/// A word for a secret in a text.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    pub is_declined: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    ends_compounds: bool,
    is_declined: bool,
    needs_lock: bool,
}

/// Each word without blanks and hyphens.
static ENTRIES: LazyLock<BTreeMap<String, Entry>> = LazyLock::new(|| {
    let words = KINDS.iter().flat_map(|(sort, kind)| {
        WORDS.words(sort).map(|word| {
            let entry = Entry {
                kind: *kind,
                ends_compounds: word.starts_with(OPEN),
                is_declined: word.ends_with(OPEN),
                needs_lock: *sort == OF_LOCK,
            };
            (joined(word.trim_matches(OPEN)), entry)
        })
    });
    words.collect()
});

/// Every word for a secret; what stands around it is looked at by hand, which costs less.
static KEYWORDS: LazyLock<Regex> = LazyLock::new(|| fixed(&alternatives(&KINDS.map(|(sort, _)| sort), "[ _-]?")));
/// Things that have a lock, at the end of what stands before ("the key safe", "Tor" of a code) and in what stands behind ("for the old
/// front gate").
static LOCK_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let locks = alternatives(&["lock"], "[ -]?");
    fixed(&format!(r"(?:^|[^\p{{L}}])(?:{locks})(?:['’]s)?[-_ ]*$"))
});
static LOCK_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    let (about, locks) = (alternatives(&["about"], " "), alternatives(&["lock"], "[ -]?"));
    fixed(&format!(r"^ *(?:{about}) (?:\S+ ){{0,3}}(?:{locks})(?:[^\p{{L}}]|$)"))
});

/// The words of some sorts as one pattern, the longest first.
pub fn alternatives(sorts: &[&str], gap: &str) -> String {
    let words = sorts.iter().flat_map(|sort| WORDS.words(sort));
    let mut words: Vec<&str> = words.map(|word| word.trim_matches(OPEN)).collect();
    words.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let patterns = words.into_iter().map(|word| {
        let parts: Vec<String> = word.split([' ', '-']).map(regex::escape).collect();
        parts.join(gap)
    });
    patterns.collect::<Vec<_>>().join("|")
}

/// The words for secrets in a text.
pub fn keywords(text: &str) -> impl Iterator<Item = Keyword> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(found) = KEYWORDS.find_at(text, from) {
            let start = found.start();
            if let Some(entry) = ENTRIES.get(&joined(found.as_str()))
                && let Some(end) = whole_end(text, start, found.end(), *entry)
                && (!entry.needs_lock || has_lock(text, start, end))
            {
                from = end;
                return Some(Keyword {
                    start,
                    end,
                    kind: entry.kind,
                    is_declined: entry.is_declined,
                });
            }
            from = start + found.as_str().chars().next().map_or(1, char::len_utf8);
        }
        None
    })
}

/// Whether a text has a word for a secret.
pub fn has_keyword(text: &str) -> bool {
    keywords(text).next().is_some()
}

fn joined(word: &str) -> String {
    let letters = word.chars().filter(|c| !matches!(c, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect()
}

/// Where a word ends with which no letter goes on at either side but those of its own ending. Scripts without capitals are written
/// without blanks.
fn whole_end(text: &str, start: usize, end: usize, entry: Entry) -> Option<usize> {
    let is_cased = |c: char| c.is_lowercase() || c.is_uppercase();
    if text[start..end].chars().next_back().is_some_and(|c| !is_cased(c)) {
        return Some(end);
    }
    let ending = text[end..].chars().take(ENDING_MAX).take_while(|c| c.is_alphabetic());
    let end = end + ending.filter(|_| entry.is_declined).map(char::len_utf8).sum::<usize>();
    let begins = entry.ends_compounds || !text[..start].ends_with(char::is_alphanumeric);
    (begins && !text[end..].starts_with(char::is_alphanumeric)).then_some(end)
}

/// Whether a word such as "code" is that of something with a lock: "the key safe code", "Torcode", "the code for the gate".
fn has_lock(text: &str, start: usize, end: usize) -> bool {
    let before = &text[text.floor_char_boundary(start.saturating_sub(LOCK_WITHIN))..start];
    let behind = &text[end..text.floor_char_boundary(end + LOCK_WITHIN)];
    LOCK_BEFORE.is_match(before) || !before.ends_with(char::is_alphanumeric) && LOCK_BEHIND.is_match(behind)
}

/// Whether a word in lower case tells of a state, refers to something, or is too common to be a secret.
pub fn is_state(word: &str) -> bool {
    let ends = |end: &str| word.len() > end.len() + 2 && word.ends_with(end);
    let sorts = ["state", "filler", "about", "joins"];
    closed::is_common(word) || sorts.iter().any(|sort| WORDS.holds(sort, word)) || WORDS.words("ending").any(ends)
}

#[cfg(test)]
mod tests {
    use super::KINDS;
    use super::Kind;
    use super::OF_LOCK;
    use super::WORDS;
    use super::keywords;

    #[test]
    fn every_word_of_the_table_is_found_as_it_is_written_x02() {
        for (sort, _) in KINDS {
            for word in WORDS.words(sort) {
                let word = word.replace('*', "");
                let close = if sort == OF_LOCK { "" } else { ")" };
                let text = format!("({word}{close} of the gate");
                let found = keywords(&text).next().unwrap_or_else(|| panic!("{word} is not found"));
                assert_eq!((found.start, found.end), (1, 1 + word.len()), "{word}");
            }
        }
    }

    #[test]
    fn a_word_for_a_secret_is_one_only_where_it_stands_alone_x02() {
        let kind = |text: &str| keywords(text).next().map(|found| found.kind);
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
            "Motorcode",
            "salasanapolitiikka",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}

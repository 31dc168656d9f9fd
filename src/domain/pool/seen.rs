//! Words that a pool has seen in lower case: a capitalised run made of these alone is no name.
//!
//! Words are kept as 32-bit hashes, never as text: the state holds nothing that was said. At most [`WORDS_MAX`] of
//! them; later ones are not learned, which only leaves some names standing. A collision withdraws a weak value.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::packed;
use crate::domain::pool::pattern::exact;
use crate::domain::pool::pattern::next_char;

/// Words kept at most.
pub const WORDS_MAX: usize = 20_000;

/// Words taken from one fragment at most.
const WORDS_PER_FRAGMENT_MAX: usize = 64;

static LOWER: LazyLock<Regex> = LazyLock::new(|| exact(r"[a-z][a-z'-]+"));
static NAME_WORD: LazyLock<Regex> = LazyLock::new(|| exact(r"[A-Za-z][\w'-]*"));

/// The hashes of the words seen so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen(#[serde(with = "packed::words")] BTreeSet<u32>);

impl Seen {
    /// Whether every word was seen, here or among the words of the fragment itself. An empty list was not.
    pub fn all(&self, words: &[u32], own: &[u32]) -> bool {
        !words.is_empty() && words.iter().all(|word| self.0.contains(word) || own.contains(word))
    }

    /// The words that are new here, sorted.
    pub fn unseen(&self, words: &[u32]) -> Vec<u32> {
        words.iter().copied().filter(|word| !self.0.contains(word)).collect()
    }

    /// Learns words, up to the bound.
    pub fn learn(&mut self, words: &[u32]) {
        for &word in words {
            if self.0.len() >= WORDS_MAX {
                return;
            }
            self.0.insert(word);
        }
    }
}

/// FNV-1a.
fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// The lower-case words of a fragment, sorted, distinct.
pub fn lower_words(fragment: &str) -> Vec<u32> {
    let mut words = BTreeSet::new();
    let mut from = 0;
    while let Some(found) = LOWER.find_at(fragment, from) {
        if words.len() >= WORDS_PER_FRAGMENT_MAX {
            break;
        }
        let before = fragment[..found.start()].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '\'')) {
            // The tail of a word such as "iPhone" is no word; go on behind it.
            from = found.end().max(next_char(fragment, found.start()));
            continue;
        }
        words.insert(hash(found.as_str()));
        from = found.end();
    }
    words.into_iter().collect()
}

/// The words of a name that must all have been seen for it to be withdrawn; single letters always count as seen.
pub fn name_words(name: &str) -> Vec<u32> {
    let mut words = NAME_WORD
        .find_iter(name)
        .filter(|word| word.as_str().chars().count() >= 2)
        .map(|word| hash(&word.as_str().to_lowercase()))
        .collect::<Vec<_>>();
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::Seen;
    use super::WORDS_MAX;
    use super::lower_words;
    use super::name_words;

    #[test]
    fn a_name_is_known_once_all_its_words_were_seen_in_lower_case() {
        let mut seen = Seen::default();
        assert!(!seen.all(&name_words("Window Seat"), &[]));
        seen.learn(&lower_words("a window please"));
        assert!(!seen.all(&name_words("Window Seat"), &[]));
        seen.learn(&lower_words("that seat"));
        assert!(seen.all(&name_words("Window Seat"), &[]));
        assert!(seen.all(&name_words("Aisle Seat"), &lower_words("aisle")));
        assert!(!seen.all(&name_words(""), &[]));
    }

    #[test]
    fn words_are_bounded_and_survive_a_snapshot() {
        let mut seen = Seen::default();
        let many = (0..30_000).collect::<Vec<u32>>();
        seen.learn(&many);
        assert_eq!(seen.unseen(&many).len(), many.len() - WORDS_MAX);
        let text = serde_json::to_string(&seen).expect("text");
        assert_eq!(serde_json::from_str::<Seen>(&text).expect("seen"), seen);
    }
}

//! Who said which word: what enough clients said tells nothing about one of them (Z-171, docs/design.md §11).
//!
//! Counts clients per word, never fragments. Clients without a name count as none, since they may be one. Words that the publisher
//! wrote are everybody's.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use text::phrase;

use schema::name::ClientId;

/// Clients who said a word before a reader may use it: a reader chose it for what it means, and what two said is no single client's.
const SEVERAL: usize = 2;

/// Words of a pool with who said them.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    words: BTreeMap<String, BTreeSet<ClientId>>,
    /// The same by the words' stems in Latin letters, clients without a name included as nobody.
    stems: BTreeMap<String, BTreeSet<ClientId>>,
    /// The same by how the longer words begin.
    begins: BTreeMap<String, BTreeSet<ClientId>>,
    published: BTreeSet<String>,
    clients_min: usize,
}

impl Heard {
    /// Counts. `published` are texts that the publisher wrote.
    pub fn count<'t>(
        said: impl IntoIterator<Item = (&'t str, Option<&'t ClientId>)>,
        published: impl IntoIterator<Item = &'t str>,
        clients_min: u64,
    ) -> Heard {
        let mut heard = Heard {
            // One client is never enough.
            clients_min: usize::try_from(clients_min).unwrap_or(usize::MAX).max(1),
            ..Heard::default()
        };
        for text in published {
            heard.published.extend(words(text));
        }
        for (text, client) in said {
            for word in words(text) {
                let said = heard.stems.entry(stem(&word)).or_default();
                said.extend(client.cloned());
                if let Some(begins) = begins(&word) {
                    heard.begins.entry(begins).or_default().extend(client.cloned());
                }
                let Some(client) = client else { continue };
                heard.words.entry(word).or_default().insert(client.clone());
            }
        }
        heard
    }

    /// Counts words as they were said, which is what [`Heard::shares_all`] asks of; nothing is known of their stems.
    pub fn count_words<'t>(said: impl Iterator<Item = (&'t str, Option<&'t ClientId>)>, clients_min: u64) -> Heard {
        let mut heard = Heard::count([], [], clients_min);
        for (text, client) in said {
            let Some(client) = client else { continue };
            for word in words(text) {
                heard.words.entry(word).or_default().insert(client.clone());
            }
        }
        heard
    }

    /// Whether enough clients said that very word, or the publisher wrote it.
    pub fn shares(&self, word: &str) -> bool {
        self.published.contains(word) || self.words.get(word).is_some_and(|said| said.len() >= self.clients_min)
    }

    /// Whether a text holds what somebody said and too few others did: the word itself, in whatever letters and with whatever ending, or
    /// its beginning within or across the words that nobody said.
    pub fn is_few(&self, text: &str) -> bool {
        let few = |said: &BTreeSet<ClientId>| said.len() < self.clients_min.min(SEVERAL);
        let known = |word: &str| self.published.contains(word) || self.stems.contains_key(&stem(word));
        // Small words tell nothing about anybody.
        let tells = |word: &str| phrase::content(word).is_some() || word.chars().any(char::is_numeric);
        let mut unsaid = String::new();
        for word in words(text) {
            let said = self.stems.get(&stem(&word));
            if said.is_some_and(few) && tells(&word) && !self.published.contains(&word) {
                return true;
            }
            if !known(&word) {
                unsaid.push_str(&folded(&word));
            }
        }
        let mut begins = self.begins.iter();
        !unsaid.is_empty() && begins.any(|(begins, said)| few(said) && unsaid.contains(begins.as_str()))
    }

    /// Whether every word of a text is shared.
    pub fn shares_all(&self, text: &str) -> bool {
        words(text).all(|word| self.shares(&word))
    }
}

/// A word in Latin letters; an umlaut and how it is written without one are the same.
fn folded(word: &str) -> String {
    let plain = phrase::transliterated(word).to_lowercase();
    plain.replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

/// A word in Latin letters without its ending.
fn stem(word: &str) -> String {
    let plain = folded(word);
    phrase::content(&plain).unwrap_or(plain)
}

/// Letters by which a word is known within another: fewer stand in many.
const BEGINS_MIN: usize = 5;

/// A word but for its last two letters, which differ from form to form.
fn begins(word: &str) -> Option<String> {
    let plain: Vec<char> = folded(word).chars().collect();
    let length = plain.len().saturating_sub(2).max(BEGINS_MIN);
    (plain.len() >= BEGINS_MIN).then(|| plain.into_iter().take(length).collect())
}

/// Words in small letters: runs of letters and digits.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_shared_when_enough_clients_said_that_very_word_z171() {
        let clients: Vec<ClientId> = (0..4).filter_map(|n| ClientId::parse(&format!("c{n}"))).collect();
        let said = [
            ("a window seat", Some(&clients[0])),
            ("window seat, code TULIP", Some(&clients[1])),
            ("window seats TULIP TULIP", Some(&clients[2])),
            ("tulip tulip", None),
            ("tulip", Some(&clients[1])),
        ];
        let heard = Heard::count(said, ["Book a cabin"], 3);
        assert!(heard.shares("window") && heard.shares("cabin"));
        // Two clients, however often, and one without a name.
        assert!(!heard.shares("tulip"));
        assert!(!heard.shares("seat"), "two said seat and one seats");
        assert!(heard.shares_all("window, window!") && !heard.shares_all("window tulip"));
    }

    #[test]
    fn a_word_that_somebody_said_and_too_few_others_is_known_in_any_letters_z171() {
        let clients: Vec<ClientId> = (0..3).filter_map(|n| ClientId::parse(&format!("c{n}"))).collect();
        let said = [
            ("тихое место, Иванов", Some(&clients[0])),
            ("тихое место", Some(&clients[1])),
            ("тихое место", Some(&clients[2])),
            ("tulip", None),
        ];
        let heard = Heard::count(said, [], 3);
        for few in [
            "иванов",
            "ivanov",
            "tulip",
            "tulips",
            "tulipered",
            "seat of the tulipers",
            "chairtulip",
            "tu_lip",
            "tu-lip",
            "Ivanovich",
        ] {
            assert!(heard.is_few(few), "{few}");
        }
        for open in ["тихое", "peaceful", "tihoe"] {
            assert!(!heard.is_few(open), "{open}");
        }
    }
}

//! Which languages a pool speaks, by the votes of its fragments (Z-041).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use text::language::ENGLISH;

/// Share of the votes that make a pool one of that language: of pools of wishes in English 97 % and more of the votes were for it, of
/// one in two languages 57 %, of those in others 1 % at most.
const SHARE_MIN: f64 = 0.8;
/// Votes before a pool changes its model: of fewer a few odd fragments are too large a part.
const VOTES_MIN: u64 = 16;

/// Votes by two-letter code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Languages(BTreeMap<String, u64>);

impl Languages {
    /// Counts the vote of a fragment.
    pub fn note(&mut self, language: &str) {
        *self.0.entry(language.to_owned()).or_default() += 1;
    }

    /// Whether nobody voted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The language with most votes, the first by its letters on a tie.
    pub fn most(&self) -> Option<&str> {
        let most = self.0.iter().rev().max_by_key(|(_, votes)| **votes);
        most.map(|(language, _)| language.as_str())
    }

    fn share(&self, language: &str) -> f64 {
        let all: u64 = self.0.values().sum();
        self.0.get(language).copied().unwrap_or(0) as f64 / all.max(1) as f64
    }

    /// Each language that somebody spoke, with its share of the votes.
    pub fn shares(&self) -> BTreeMap<String, f64> {
        self.0
            .keys()
            .map(|language| (language.clone(), self.share(language)))
            .collect()
    }

    /// Whether enough have voted to go by it.
    pub fn is_settled(&self) -> bool {
        self.0.values().sum::<u64>() >= VOTES_MIN
    }

    /// Whether most of those who voted speak English.
    pub fn is_english(&self) -> bool {
        self.share(ENGLISH) >= SHARE_MIN
    }

    /// Whether the pool is surely not English alone.
    pub fn is_other_than_english(&self) -> bool {
        self.is_settled() && !self.is_english()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voted(votes: &[(&str, u64)]) -> Languages {
        let mut languages = Languages::default();
        for (language, count) in votes {
            (0..*count).for_each(|_| languages.note(language));
        }
        languages
    }

    #[test]
    fn a_pool_is_of_another_language_once_enough_fragments_say_so_z041() {
        assert!(!voted(&[]).is_other_than_english());
        assert!(!voted(&[("de", 15)]).is_other_than_english());
        assert!(voted(&[("de", 16)]).is_other_than_english());
        assert!(voted(&[("de", 10), ("en", 10)]).is_other_than_english());
        assert!(!voted(&[("en", 17), ("fr", 2), ("da", 1)]).is_other_than_english());
        assert_eq!(voted(&[("en", 2), ("de", 3)]).most(), Some("de"));
    }

    #[test]
    fn shares_are_of_the_votes_z041() {
        let shares = voted(&[("en", 4), ("de", 2), ("sv", 2)]).shares();
        let shares: Vec<(&str, f64)> = shares
            .iter()
            .map(|(language, share)| (language.as_str(), *share))
            .collect();
        assert_eq!(shares, [("de", 0.25), ("en", 0.5), ("sv", 0.25)]);
        assert!(voted(&[]).shares().is_empty());
    }
}

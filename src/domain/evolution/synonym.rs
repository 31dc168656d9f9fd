//! Words that mean the same whatever is spoken of: `cheap` and `inexpensive`, `sofa` and `couch`.
//!
//! Owns the table of synonyms; a pair stands in it where the meaning that both share is a usual one of each. Cosines do not
//! tell a synonym from an opposite, so that a table must. Invariant: no word is a synonym of itself.

use std::sync::LazyLock;

use crate::domain::evolution::lexicon;

static PAIRS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let pairs = include_str!("tables/synonyms.tsv").lines();
    pairs.filter_map(|pair| pair.split_once('\t')).collect()
});

/// Whether two phrases (lower case) say the same word for word, where at least one word is another.
pub fn synonymous(one: &str, other: &str) -> bool {
    let words = |text: &str| text.split(' ').map(lexicon::lemma).collect::<Vec<_>>();
    let (one, other) = (words(one), words(other));
    let mut pairs = one.iter().zip(&other);
    one.len() == other.len() && one != other && pairs.all(|(one, other)| one == other || are_pair(one, other))
}

fn are_pair(one: &str, other: &str) -> bool {
    let pair = if one < other { (one, other) } else { (other, one) };
    PAIRS.binary_search(&pair).is_ok()
}

#[cfg(test)]
mod tests {
    use super::PAIRS;
    use super::synonymous;

    #[test]
    fn the_table_is_whole_sorted_and_holds_each_pair_once() {
        assert!(PAIRS.len() > 1_500 && PAIRS.is_sorted_by(|a, b| a < b));
        assert!(PAIRS.iter().all(|(one, other)| one < other));
    }

    #[test]
    fn one_meaning_in_two_words_is_one_z111() {
        for (one, other) in [
            ("cheap", "inexpensive"),
            ("big", "large"),
            ("movie", "films"),
            ("red sofa", "red couch"),
        ] {
            assert!(synonymous(one, other) && synonymous(other, one), "{one}, {other}");
        }
    }

    #[test]
    fn opposites_neighbours_and_longer_phrases_are_not_z111() {
        for (one, other) in [
            ("cheap", "expensive"),
            ("large", "medium"),
            ("economy", "premium economy"),
            ("sofa", "sofa"),
            ("red sofa", "blue couch"),
            ("savings", "checking"),
        ] {
            assert!(!synonymous(one, other), "{one}, {other}");
        }
    }
}

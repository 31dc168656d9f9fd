//! Whether two values are one in other words: another form, a synonym, a compound, the same root.
//!
//! Knows words alone: no key, no cluster and no vector. Invariant: the order of the two makes no difference.

use crate::domain::evolution::lexicon;
use crate::domain::evolution::synonym;

/// Letters of the root that two words share: `cardio`, `cardiology`, `cardiologist`. `check` is none of `checking`, or it
/// would be one of `checkout`.
const ROOT_MIN: usize = 6;
/// Letters of each part of a compound.
const PART_MIN: usize = 3;

/// Whether two phrases (lower case) mean one value: the same stem, one meaning in two words, or single words of which one is
/// built of the other.
pub fn alike(one: &str, other: &str) -> bool {
    // Nothing but a synonym begins with another letter, and stems take their time.
    let begin = one.chars().next() == other.chars().next();
    begin && (one == other || same_root(one, other) || compound(one, other) || compound(other, one))
        || synonym::synonymous(one, other)
}

fn same_root(one: &str, other: &str) -> bool {
    let (one, other) = (lexicon::stem(one), lexicon::stem(other));
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short == long || !long.contains(' ') && short.chars().count() >= ROOT_MIN && long.starts_with(&short)
}

/// Whether the long word says the short one and what it is made or consists of: `oakwood`, `oak`.
fn compound(long: &str, short: &str) -> bool {
    let thing = |word: &str| word.chars().count() >= PART_MIN && lexicon::known(word) && lexicon::noun(word);
    long.strip_prefix(short).is_some_and(|rest| thing(short) && thing(rest))
}

#[cfg(test)]
mod tests {
    use super::alike;

    #[test]
    fn one_value_in_other_words_is_alike_whichever_comes_first_z111_z126() {
        for (one, other) in [
            ("ticket", "tickets"),
            ("big", "large"),
            ("cardio", "cardiology"),
            ("cardiologist", "cardiology"),
            ("oakwood", "oak"),
        ] {
            assert!(alike(one, other) && alike(other, one), "{one}, {other}");
        }
    }

    #[test]
    fn what_merely_begins_alike_is_another_value_z111_z126() {
        for (one, other) in [
            ("checking", "checkout"),
            ("economy", "premium economy"),
            ("cheap", "expensive"),
            ("car", "cardio"),
            ("fish", "finish"),
            ("premium economy", "premium"),
        ] {
            assert!(!alike(one, other) && !alike(other, one), "{one}, {other}");
        }
    }
}

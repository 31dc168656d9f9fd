//! Whether two values are one in other words: another form, a synonym, the same root, a compound with what the key is called after.
//!
//! Knows words alone: no key, no cluster and no vector. Invariant: the order of the two makes no difference.

use crate::domain::evolution::lexicon;
use crate::domain::evolution::synonym;
use crate::domain::template::name::KeyName;

/// Letters of the root that two words share: `cardio`, `cardiology`, `cardiologist`. `check` is none of `checking`, or it
/// would be one of `checkout`.
const ROOT_MIN: usize = 6;
/// Whether two phrases (lower case) mean one value of a key of that name: the same stem, one meaning in two words, or single
/// words of which one is built of the other.
pub fn alike(one: &str, other: &str, name: &KeyName) -> bool {
    // Nothing but a synonym begins with another letter, and stems take their time.
    let begin = one.chars().next() == other.chars().next();
    begin && (one == other || same_root(one, other) || compound(one, other, name) || compound(other, one, name))
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

/// Whether the long word says the short one and, once more, what the key is called after: `oakwood` is `oak` for a
/// `wood_type`. `eggplant` is no `egg`, whatever is asked for.
fn compound(long: &str, short: &str, name: &KeyName) -> bool {
    let rest = long.strip_prefix(short).map(lexicon::lemma);
    rest.is_some_and(|rest| name.as_str().split('_').any(|word| lexicon::lemma(word) == rest))
}

#[cfg(test)]
mod tests {
    use super::alike;
    use crate::domain::template::name::KeyName;

    fn both(one: &str, other: &str, name: &str) -> bool {
        let name = KeyName::parse(name).expect("a name");
        let found = alike(one, other, &name);
        assert_eq!(alike(other, one, &name), found, "the order of {one} and {other}");
        found
    }

    #[test]
    fn one_value_in_other_words_is_alike_z111_z126() {
        for (one, other) in [
            ("ticket", "tickets"),
            ("big", "large"),
            ("cardio", "cardiology"),
            ("cardiologist", "cardiology"),
        ] {
            assert!(both(one, other, "sort"), "{one}, {other}");
        }
    }

    #[test]
    fn what_merely_begins_alike_is_another_value_z111_z126() {
        for (one, other) in [
            ("checking", "checkout"),
            ("economy", "premium economy"),
            ("cheap", "expensive"),
            ("car", "cardio"),
            ("egg", "eggplant"),
            ("premium economy", "premium"),
        ] {
            assert!(!both(one, other, "sort"), "{one}, {other}");
        }
    }

    #[test]
    fn a_value_with_what_the_key_is_called_after_is_the_value_z126() {
        assert!(both("oak", "oakwood", "wood_type"));
        assert!(both("mid", "midsize", "parcel_size"));
        assert!(!both("oak", "oakwood", "finish"));
    }
}

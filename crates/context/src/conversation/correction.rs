//! Which sentence corrects which: "make it Tuesday" after "on Monday" (P-032).
//!
//! A correction says so in a word, and gives a value of a kind that was given before. Invariant: only what was said later corrects, and
//! each sentence is corrected by one at the most.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::conversation::sentence::Sentence;
use crate::conversation::sentence::values;
use text::pattern::fixed;

/// Words by which people take back what they said.
static CORRECTS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:make (?:it|that|this)|instead|rather than|actually|correction|scratch that|second thoughts?|i meant?|changed my mind|no longer|(?:chang|mov|switch|shift)\w* (?:it |that |this |the \w+ )?(?:from [\w ]+ )?to|not \w+,? but|better|doch (?:lieber|besser)|stattdessen|plut[oô]t|mejor)\b|^(?:no|sorry|wait)\b",
    )
});

/// For each sentence the later one that corrects it.
pub fn corrections(sentences: &[Sentence]) -> Vec<Option<usize>> {
    let kinds: Vec<Vec<(&str, String)>> = sentences.iter().map(|sentence| values(&sentence.text)).collect();
    let mut corrected = vec![None; sentences.len()];
    for (at, sentence) in sentences.iter().enumerate() {
        if !CORRECTS.is_match(&sentence.text) {
            continue;
        }
        let types: BTreeSet<&str> = kinds[at].iter().map(|(kind, _)| *kind).collect();
        for kind in types {
            let of_kind = |place: &usize| kinds[*place].iter().any(|(own, _)| *own == kind);
            let Some(before) = (0..at).rev().find(of_kind) else {
                continue;
            };
            // "For Monday" and "Monday" are one.
            let is_same = |one: &str, other: &str| one.contains(other) || other.contains(one);
            let is_new = |value: &(&str, String)| {
                let mut given = kinds[before].iter().filter(|given| given.0 == kind);
                value.0 == kind && !given.any(|given| is_same(&given.1, &value.1))
            };
            if corrected[before].is_none() && kinds[at].iter().any(is_new) {
                corrected[before] = Some(at);
            }
        }
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::corrections;
    use crate::conversation::said::Speaker;
    use crate::conversation::sentence::Sentence;

    fn of(texts: &[&str]) -> Vec<Option<usize>> {
        let one = |(at, text): (usize, &&str)| Sentence {
            turn: at + 1,
            speaker: Speaker::User,
            text: (*text).to_owned(),
        };
        let all: Vec<Sentence> = texts.iter().enumerate().map(one).collect();
        corrections(&all)
    }

    #[test]
    fn what_is_taken_back_is_known_by_the_kind_of_its_value_p032() {
        let day = [
            "Book the room for Monday.",
            "It is for four people.",
            "Sorry, make it Tuesday.",
        ];
        assert_eq!(of(&day), [Some(2), None, None]);
        let price = [
            "My budget is 500 dollars.",
            "We meet at 9:30.",
            "Actually my budget is 700 dollars.",
        ];
        assert_eq!(of(&price), [Some(2), None, None]);
        let twice = ["We meet at 9:30.", "No, at 10:00.", "Make that 11:00."];
        assert_eq!(of(&twice), [Some(1), Some(2), None]);
    }

    #[test]
    fn what_adds_or_says_the_same_again_corrects_nothing_p032() {
        for texts in [
            ["Book the room for Monday.", "And a table for Tuesday."],
            ["Book the room for Monday.", "Actually, Monday is fine."],
            ["Book the room for Monday.", "Make it a large one."],
        ] {
            assert_eq!(of(&texts), [None, None], "{texts:?}");
        }
    }
}

//! A result of the same thing or deed with another word after the same preposition: interactions with metformin instead of warfarin, milk
//! put into the freezer instead of the fridge.
//!
//! What names are compared by, for words without a capital. Invariant: both texts hold the word before the preposition, and neither
//! holds what the other one has after it.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words that tie what follows to what is before.
const TIES: [&str; 12] = [
    "of", "in", "on", "to", "for", "with", "by", "from", "into", "near", "against", "via",
];

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let told = tied(said);
    tied(asked).into_iter().find_map(|wanted| {
        if said.has_root(&wanted.word.root) {
            return None;
        }
        let is_other = |other: &&Tied<'_>| !asked.has_root(&other.word.root);
        let other = told.iter().filter(is_other).find(|other| wanted.stands_like(other))?;
        Some(Contradiction {
            says: said.shown(other.from, other.to),
            asked: asked.shown(wanted.from, wanted.to),
        })
    })
}

/// A word, what it is tied to, and by what.
struct Tied<'a> {
    lead: &'a Word,
    tie: &'a str,
    word: &'a Word,
    from: usize,
    to: usize,
}

impl Tied<'_> {
    fn stands_like(&self, other: &Tied<'_>) -> bool {
        self.lead.root == other.lead.root && self.tie == other.tie
    }
}

/// Every word that a preposition ties to another one.
fn tied(text: &Text) -> Vec<Tied<'_>> {
    let all = (1..text.words.len()).filter_map(|at| {
        let tie = text.words.get(at).filter(|word| TIES.contains(&word.lower.as_str()))?;
        let lead = text.before(at, 1).filter(|word| is_plain(word))?;
        let mut after = (1..).map_while(|on| Some((at + on, text.after(at, on)?)));
        let (to, word) = after.find(|(_, word)| !TABLE.determiners.contains(&word.lower))?;
        is_plain(word).then_some(Tied {
            lead,
            tie: &tie.lower,
            word,
            from: at - 1,
            to,
        })
    });
    all.collect()
}

/// Whether a word is a plain one that says something: names are compared by a rule of their own.
fn is_plain(word: &Word) -> bool {
    word.has_content() && word.written == word.lower && !TABLE.numbers.contains_key(&word.lower)
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn another_word_in_the_same_place_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Find shops that deal in stamps",
                    "Two shops that deal in coins",
                    Some("deal in coins"),
                ),
                (
                    "Stack the plates in the cupboard",
                    "Stacked the plates in the sink",
                    Some("plates in the sink"),
                ),
                (
                    "Fill the bowl with water",
                    "The bowl with sand is full",
                    Some("bowl with sand"),
                ),
            ],
        );
    }

    #[test]
    fn the_same_word_and_another_place_are_right_c056() {
        assert_says(
            found,
            &[
                (
                    "Stack the plates in the cupboard",
                    "Plates in their cupboard, cups in the sink",
                    None,
                ),
                (
                    "Stack the plates in the cupboard",
                    "All plates stacked on the shelf",
                    None,
                ),
                (
                    "Sell the bowl with the crack",
                    "Bowl with Ann now, the crack was told",
                    None,
                ),
                ("Find shops that deal in stamps", "Deal in 2 towns", None),
            ],
        );
    }
}

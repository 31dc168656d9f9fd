//! A result about another one of things that are told apart by a letter: valve D for valve C, plan A for plan B.
//!
//! Invariant: a letter that the result holds as well contradicts nothing; "I" is nobody's letter.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;
use crate::domain::pool::words;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let told = lettered(said);
    lettered(asked).into_iter().find_map(|(thing, wanted)| {
        let is_wanted = |word: &Word| is_letter(word) && word.written == wanted.written;
        if said.words.iter().any(is_wanted) {
            return None;
        }
        let (other, letter) = told.iter().find(|(place, letter)| {
            let same = said.words.get(*place).zip(asked.words.get(thing));
            let is_new = !asked.words.iter().any(|own| own.written == letter.written);
            is_new && same.is_some_and(|(own, asked)| own.root == asked.root)
        })?;
        Some(Contradiction {
            says: format!("{} {}", said.shown(*other, *other), letter.written),
            asked: asked.shown(thing, thing + 1),
        })
    })
}

/// Things with their letters: where each stands.
fn lettered(text: &Text) -> Vec<(usize, &Word)> {
    let all = text.words.iter().enumerate().filter_map(|(place, thing)| {
        let letter = text.after(place, 1).filter(|letter| is_letter(letter))?;
        names(thing).then_some((place, letter))
    });
    all.collect()
}

/// Whether a word may be of what has a letter, however little it says by itself ("type D").
fn names(word: &Word) -> bool {
    let is_long = word.lower.chars().count() > 1 && !word.has_digit();
    is_long && !TABLE.determiners.contains(&word.lower) && !words::is_preposition(&word.lower)
}

fn is_letter(word: &Word) -> bool {
    let mut letters = word.written.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    is_capital && letters.next().is_none() && word.written != "I"
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn another_letter_of_the_same_thing_is_seen_c056() {
        assert_says(
            found,
            &[
                ("Oil hinge K", "Hinge L is oiled", Some("Hinge L")),
                ("Oil hinge A of the gate", "Oiled hinge B of the gate", Some("hinge B")),
                ("Oil hinges A and B", "Hinge C is oiled", Some("Hinge C")),
                ("Order paint of type D", "Paint of type E ordered", Some("type E")),
                ("Translate chapter Y", "Translated chapters V and W", Some("chapters V")),
            ],
        );
    }

    #[test]
    fn the_same_letter_and_that_of_another_thing_are_right_c056() {
        assert_says(
            found,
            &[
                ("Oil hinge K", "Hinge K is oiled", None),
                ("Oil hinge K", "Hinge K is oiled, hinge L was not touched", None),
                ("Oil hinges A and B", "Hinges B and A are oiled", None),
                ("Oil hinge K", "Oiled with grease D", None),
                ("Oil hinge K", "The hinge I found is oiled", None),
                ("Oil a hinge", "Hinge L is oiled", None),
            ],
        );
    }
}

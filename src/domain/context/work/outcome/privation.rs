//! A result in which a word of the description is taken back by its prefix, or its prefix by the word: encrypt and unencrypted,
//! unfurnished and furnished.
//!
//! Invariant: a word that the result holds as it was asked for is not taken back.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    if asked.is_inquiry() {
        return None;
    }
    let is_sought = asked.begins_with(&TABLE.locating);
    let taken_back = |wanted: &Word, own: &Word| {
        let lacks = own.taken_back().as_ref() == Some(&wanted.root);
        lacks || (is_sought && wanted.taken_back().as_ref() == Some(&own.root))
    };
    let heads = asked.heads();
    let contents = |text: &Text| {
        (0..text.words.len())
            .filter(|at| text.words.get(*at).is_some_and(Word::has_content))
            .collect::<Vec<_>>()
    };
    heads.into_iter().chain(contents(asked)).find_map(|at| {
        let wanted = asked.words.get(at).filter(|_| asked.denied_at(at).is_none())?;
        if said.has_root(&wanted.root) {
            return None;
        }
        let place = contents(said).into_iter().find(|&place| {
            let own = said.words.get(place);
            own.is_some_and(|own| taken_back(wanted, own) && !asked.has_root(&own.root))
                && said.denied_at(place).is_none()
        })?;
        Some(Contradiction {
            says: said.shown(place, place),
            asked: asked.shown(at, at),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn what_a_prefix_takes_back_was_not_done_c056() {
        assert_says(
            found,
            &[
                (
                    "Encrypt the disk of the laptop",
                    "The disk of the laptop is unencrypted",
                    Some("unencrypted"),
                ),
                (
                    "Answer the letter from Ann",
                    "Letter from Ann unanswered",
                    Some("unanswered"),
                ),
                (
                    "Find a furnished flat",
                    "Elm Street 4, unfurnished",
                    Some("unfurnished"),
                ),
                ("Freeze the account", "The account is unfrozen", Some("unfrozen")),
                ("Buy unsalted butter", "Salted butter, 250 g", Some("Salted")),
                (
                    "Book a refundable ticket",
                    "Ticket X7, nonrefundable",
                    Some("nonrefundable"),
                ),
            ],
        );
    }

    #[test]
    fn what_is_as_it_was_asked_for_is_not_taken_back_c056() {
        assert_says(
            found,
            &[
                (
                    "Encrypt the disk of the laptop",
                    "Encrypted; it was unencrypted before",
                    None,
                ),
                ("Lock the unlocked door", "The door is locked", None),
                ("Check whether the disk is encrypted", "It is unencrypted", None),
                ("Find a flat under 900 EUR", "Elm Street 4, 850 EUR", None),
            ],
        );
    }
}

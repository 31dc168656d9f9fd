//! A result that denies what was asked for: "not locked", "no dogs".
//!
//! Invariant: a question is answered by a denial, and after what was to be taken away there may be none of it.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    if asked.is_inquiry() {
        return None;
    }
    verb(asked, said).or_else(|| noun(asked, said))
}

/// What was to be done, and was not.
fn verb(asked: &Text, said: &Text) -> Option<Contradiction> {
    asked.heads().into_iter().find_map(|head| {
        let verb = asked.words.get(head).filter(|verb| verb.has_content())?;
        let is_wanted = asked.denied_at(head).is_none();
        let place = (0..said.words.len()).find(|&place| {
            let own = said.words.get(place).filter(|word| word.root == verb.root);
            own.is_some_and(|own| own.lower != verb.lower && said.denied_at(place).is_some() == is_wanted)
        })?;
        let from = said.denied_at(place).unwrap_or(place);
        let asked_from = asked.denied_at(head).unwrap_or(head);
        Some(Contradiction {
            says: said.shown(from, place),
            asked: asked.shown(asked_from, head),
        })
    })
}

/// What was to be there, and is not.
fn noun(asked: &Text, said: &Text) -> Option<Contradiction> {
    if asked.begins_with(&TABLE.removals) {
        return None;
    }
    (1..said.words.len()).find_map(|place| {
        said.before(place, 1).filter(|word| is_denial(&word.lower))?;
        let noun = said.words.get(place).filter(|word| word.has_content())?;
        let wanted =
            (0..asked.words.len()).find(|&own| asked.words.get(own).is_some_and(|own| own.root == noun.root))?;
        let is_wanted = wanted > 0 && asked.denied_at(wanted).is_none();
        (is_wanted && is_absent(said, place)).then(|| Contradiction {
            says: said.shown(place - 1, place),
            asked: asked.shown(wanted, wanted),
        })
    })
}

/// Whether there is none of a thing at all: nothing follows that it does not do ("no allergy speaks against it").
fn is_absent(said: &Text, place: usize) -> bool {
    let is_quality = said.before(place, 1).is_some_and(|word| word.lower == "non");
    let next = said.after(place, 1).map(|next| next.lower.as_str());
    is_quality || next.is_none_or(|next| next.ends_with("ed") || ["left", "available", "there"].contains(&next))
}

/// Whether a word denies the very next one.
fn is_denial(word: &str) -> bool {
    ["no", "non", "without", "ohne", "sans", "sin"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn what_is_denied_was_not_done_c056() {
        assert_says(
            found,
            &[
                (
                    "Water the plants",
                    "Kitchen at 9: plants were not watered",
                    Some("not watered"),
                ),
                (
                    "Find a flat with a balcony",
                    "Elm Street 4, 900 EUR, no balcony",
                    Some("no balcony"),
                ),
                (
                    "Find a flat with a balcony",
                    "Elm Street 4, 900 EUR, without balcony",
                    Some("without balcony"),
                ),
                (
                    "Do not wake the guests",
                    "The guests were woken and waked at 7",
                    Some("woken"),
                ),
                (
                    "Book a refundable ticket",
                    "Ticket X7, non-refundable fare",
                    Some("non refundable"),
                ),
                (
                    "R\u{e9}serve une table pour deux",
                    "Table pour deux non r\u{e9}serv\u{e9}e",
                    Some("non r\u{e9}serv\u{e9}e"),
                ),
                (
                    "Buche ein Zimmer in Bonn",
                    "Das Zimmer in Bonn wurde nicht gebucht",
                    Some("nicht gebucht"),
                ),
                (
                    "Zimmer in Bonn buchen",
                    "Zimmer in Bonn nicht gebucht",
                    Some("nicht gebucht"),
                ),
                (
                    "Cancela la reserva",
                    "La reserva nunca fue cancelada",
                    Some("nunca fue cancelada"),
                ),
            ],
        );
    }

    #[test]
    fn an_answer_to_a_question_and_what_nobody_asked_for_are_no_denials_c056() {
        assert_says(
            found,
            &[
                ("Check the car for rust", "Underbody and doors: no rust", None),
                ("Remove the weeds", "Raked twice, no weeds", None),
                ("Find a flat with a balcony", "Elm Street 4, balcony, no lift", None),
                (
                    "Find a remedy that suits allergies",
                    "Salt water; no allergy speaks against it",
                    None,
                ),
                ("Find a flat with no balcony", "Elm Street 4, no balcony", None),
                ("Water the plants", "Watered at 9, soil no longer dry", None),
                (
                    "Buche ein Zimmer in Bonn",
                    "Zimmer 4 ist gebucht, nicht stornierbar",
                    None,
                ),
            ],
        );
    }
}

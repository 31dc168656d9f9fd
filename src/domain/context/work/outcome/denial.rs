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
    let next = said.after(place, 1).map(|next| next.lower.as_str());
    next.is_none_or(|next| next.ends_with("ed") || ["left", "available", "there"].contains(&next))
}

/// Whether a word denies the very next one.
fn is_denial(word: &str) -> bool {
    ["no", "without"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::wording::Text;

    fn says(asked: &str, said: &str) -> Option<String> {
        found(&Text::of(asked), &Text::of(said)).map(|found| found.says)
    }

    #[test]
    fn what_is_denied_was_not_done_c056() {
        for (asked, said, wanted) in [
            (
                "Water the plants",
                "Kitchen at 9: plants were not watered",
                "not watered",
            ),
            (
                "Find a flat with a balcony",
                "Elm Street 4, 900 EUR, no balcony",
                "no balcony",
            ),
            (
                "Find a flat with a balcony",
                "Elm Street 4, 900 EUR, without balcony",
                "without balcony",
            ),
            (
                "Do not wake the guests",
                "The guests were woken and waked at 7",
                "waked",
            ),
        ] {
            assert_eq!(says(asked, said).as_deref(), Some(wanted), "{said}");
        }
    }

    #[test]
    fn an_answer_to_a_question_and_what_nobody_asked_for_are_no_denials_c056() {
        for (asked, said) in [
            ("Check the car for rust", "Underbody and doors: no rust"),
            ("Remove the weeds", "Raked twice, no weeds"),
            ("Find a flat with a balcony", "Elm Street 4, balcony, no lift"),
            (
                "Find a remedy that suits allergies",
                "Salt water; no allergy speaks against it",
            ),
            ("Find a flat with no balcony", "Elm Street 4, no balcony"),
            ("Water the plants", "Watered at 9, soil no longer dry"),
        ] {
            assert_eq!(says(asked, said), None, "{said}");
        }
    }
}

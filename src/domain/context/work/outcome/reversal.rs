//! A result in which the opposite was done: asked to open, and closed.
//!
//! Goes by the verbs at the head of the description. Invariant: nothing is reversed that the result says was done.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let heads = asked.heads();
    heads
        .into_iter()
        .filter(|head| asked.denied_at(*head).is_none())
        .find_map(|head| {
            TABLE.opposites.iter().find_map(|(verbs, contraries)| {
                let verb = verbs.iter().find(|verb| asked.stands(verb, head))?;
                let place = contraries.iter().find_map(|contrary| reversed(asked, said, contrary))?;
                (!said.says_done(verbs)).then(|| Contradiction {
                    says: said.shown(place, place),
                    asked: verb.text.clone(),
                })
            })
        })
}

/// Where the result says that the contrary was done. A form in "-ing" rather names a thing ("the booking").
fn reversed(asked: &Text, said: &Text, contrary: &Phrase) -> Option<usize> {
    if asked.places(contrary).next().is_some() {
        return None;
    }
    said.places(contrary).find(|&place| {
        let names = said.words.get(place).is_some_and(|word| word.lower.ends_with("ing"));
        !names && said.denied_at(place).is_none() && !said.is_supposed(place)
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::wording::Text;

    fn says(asked: &str, said: &str) -> Option<String> {
        found(&Text::of(asked), &Text::of(said)).map(|found| found.says)
    }

    #[test]
    fn the_opposite_of_what_was_to_be_done_is_seen_c056() {
        for (asked, said, wanted) in [
            (
                "Open the window in the hall",
                "The window in the hall is closed",
                "closed",
            ),
            ("Cancel the table at Luzzi", "The table at Luzzi was booked", "booked"),
            ("Turn on the boiler", "Boiler switched off at 9", "switched"),
            ("Please sell ten shares", "Ten shares bought at 31 EUR", "bought"),
            (
                "Book a room and lower the blinds",
                "Room booked, blinds raised",
                "raised",
            ),
        ] {
            assert_eq!(says(asked, said).as_deref(), Some(wanted), "{said}");
        }
    }

    #[test]
    fn what_was_done_may_have_its_opposite_beside_it_c056() {
        for (asked, said) in [
            ("Open the window in the hall", "Window opened, door closed"),
            ("Open the window in the hall", "Window ajar and not closed"),
            ("Reserve a room", "Room 4 is yours, it can be cancelled until May 6"),
            ("Cancel the table at Luzzi", "Booking X7 is off"),
            ("Count the open windows", "Three, all others are closed"),
        ] {
            assert_eq!(says(asked, said), None, "{said}");
        }
    }
}

//! A result in which the opposite was done: asked to open, and closed.
//!
//! Goes by the verbs at the head of the description. Invariant: nothing is reversed that the result says was done.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::Group;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let heads = asked.heads();
    heads
        .into_iter()
        .filter(|head| asked.denied_at(*head).is_none())
        .find_map(|head| {
            let deeds = pair(asked, said, head, &TABLE.opposites, reversed);
            deeds
                .or_else(|| pair(asked, said, head, &TABLE.states, stands))
                .or_else(|| upheld(asked, said, head))
        })
}

/// What was to come to nothing and was confirmed, completed or delivered, where nothing speaks of the end of it.
fn upheld(asked: &Text, said: &Text, head: usize) -> Option<Contradiction> {
    let verb = TABLE.ending.verbs.iter().find(|verb| asked.stands(verb, head))?;
    let names_end = |word: &Word| TABLE.ending.verbs.iter().any(|verb| word.names_doing(verb));
    let is_over =
        said.holds(&TABLE.ending.verbs) || said.holds(&TABLE.ending.signs) || said.words.iter().any(names_end);
    if is_over {
        return None;
    }
    let place = TABLE.ending.upheld.iter().find_map(|verb| {
        let mut places = said
            .places(verb)
            .filter(|place| said.words.get(*place).is_some_and(Word::is_done_form));
        places.find(|&place| said.denied_at(place).is_none() && !said.is_supposed(place))
    })?;
    Some(Contradiction {
        says: said.shown(place, place),
        asked: verb.text.clone(),
    })
}

/// Where a result says something of a phrase.
type Place = fn(&Text, &Text, &Phrase) -> Option<usize>;

/// A verb at a head of the description, and a phrase against it that the result says.
fn pair(asked: &Text, said: &Text, head: usize, pairs: &[(Group, Group)], place: Place) -> Option<Contradiction> {
    pairs.iter().find_map(|(verbs, contraries)| {
        let verb = verbs.iter().find(|verb| asked.stands(verb, head))?;
        let (at, contrary) = contraries
            .iter()
            .find_map(|contrary| Some((place(asked, said, contrary)?, contrary)))?;
        let last = if said.exact(contrary).any(|own| own == at) {
            at + contrary.words.len() - 1
        } else {
            at
        };
        (!said.says_done(verbs)).then(|| Contradiction {
            says: said.shown(at, last),
            asked: verb.text.clone(),
        })
    })
}

/// Where the result says that things stand as if nothing had been done.
fn stands(asked: &Text, said: &Text, state: &Phrase) -> Option<usize> {
    let is_asked = asked.exact(state).next().is_some();
    let mut places = said.exact(state).filter(|_| !is_asked);
    places.find(|&place| said.denied_at(place).is_none() && !said.is_supposed(place))
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
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn the_opposite_of_what_was_to_be_done_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Open the window in the hall",
                    "The window in the hall is closed",
                    Some("closed"),
                ),
                (
                    "Cancel the table at Luzzi",
                    "The table at Luzzi was booked",
                    Some("booked"),
                ),
                ("Turn on the boiler", "Boiler switched off at 9", Some("switched")),
                ("Please sell ten shares", "Ten shares bought at 31 EUR", Some("bought")),
                (
                    "Book a room and lower the blinds",
                    "Room booked, blinds raised",
                    Some("raised"),
                ),
                (
                    "Stop the pump in the cellar",
                    "The pump in the cellar is running",
                    Some("is running"),
                ),
                ("Refund the fee to Ann", "Ann was charged the fee", Some("charged")),
                ("Lock the shed", "The shed stands open", Some("open")),
                (
                    "Storniere das Zimmer in Bonn",
                    "Das Zimmer in Bonn ist gebucht",
                    Some("gebucht"),
                ),
                ("Zimmer in Bonn stornieren", "Zimmer in Bonn gebucht", Some("gebucht")),
                ("Ferme la porte", "La porte est ouverte", Some("ouverte")),
                ("Abre la puerta", "La puerta est\u{e1} cerrada", Some("cerrada")),
                (
                    "Cancel the table at Luzzi",
                    "La mesa de Luzzi est\u{e1} confirmada",
                    Some("confirmada"),
                ),
                (
                    "Roll back the import of May",
                    "The import of May has completed",
                    Some("completed"),
                ),
            ],
        );
    }

    #[test]
    fn what_was_done_may_have_its_opposite_beside_it_c056() {
        assert_says(
            found,
            &[
                ("Open the window in the hall", "Window opened, door closed", None),
                ("Open the window in the hall", "Window ajar and not closed", None),
                (
                    "Reserve a room",
                    "Room 4 is yours, it can be cancelled until May 6",
                    None,
                ),
                ("Cancel the table at Luzzi", "Booking X7 is off", None),
                ("Count the open windows", "Three, all others are closed", None),
                ("Stop the pump", "The pump stopped, the fan is running", None),
                ("Storniere das Zimmer", "Das gebuchte Zimmer ist storniert", None),
                ("Refund the fee to Ann", "Refunded what Ann was charged", None),
                ("Cancel the table at Luzzi", "Cancellation confirmed by Luzzi", None),
                ("Cancel the table at Luzzi", "Stornierung best\u{e4}tigt", None),
                ("Cancel the table at Luzzi", "Refund of 20 EUR confirmed", None),
                ("Roll back the import of May", "Rollback completed at 9", None),
            ],
        );
    }
}

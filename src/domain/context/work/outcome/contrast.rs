//! A result from the other end of a scale: the most expensive for the cheapest, after for before, Thursday for Friday.
//!
//! Invariant: what both texts hold is no contrast.

use std::collections::BTreeSet;

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::Group;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words after a quality among which is what has it.
const THING_WITHIN: usize = 2;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let pairs = |groups: &[Group]| groups.iter().find_map(|group| of_pair(asked, said, group));
    let kinds = |kinds: &[Vec<Group>], dated| kinds.iter().find_map(|kind| of_kind(asked, said, kind, dated));
    let open = || {
        let kinds = kinds(&TABLE.kinds, false).or_else(|| kinds(&TABLE.calendar, true));
        let qualities = || TABLE.qualities.iter().find_map(|group| of_thing(asked, said, group));
        kinds
            .or_else(|| of_month(asked, said))
            .or_else(|| pairs(&TABLE.contrasts))
            .or_else(qualities)
    };
    let is_open = !asked.is_inquiry();
    pairs(&TABLE.degrees)
        .or_else(|| is_open.then(open)?)
        .or_else(|| of_places(asked, said))
}

/// The first of a group against the others, either way.
fn of_pair(asked: &Text, said: &Text, group: &[Phrase]) -> Option<Contradiction> {
    let (first, others) = group.split_first()?;
    let first = std::slice::from_ref(first);
    against(asked, said, first, others, false).or_else(|| against(asked, said, others, first, false))
}

/// The first of a group against the others, either way, where the same thing follows.
fn of_thing(asked: &Text, said: &Text, group: &[Phrase]) -> Option<Contradiction> {
    let found = of_pair(asked, said, group)?;
    let things = |text: &Text, shown: &str| -> BTreeSet<String> {
        let places = (0..text.words.len()).filter(|&place| text.shown(place, place) == shown);
        let after =
            places.flat_map(|place| (1..=THING_WITHIN).filter_map(move |on| Some(text.after(place, on)?.root.clone())));
        after.collect()
    };
    let both = things(asked, &found.asked);
    (!both.is_disjoint(&things(said, &found.says))).then_some(found)
}

/// Each of a kind against each other. Days and months count where something is to be on them, not where they name a thing.
fn of_kind(asked: &Text, said: &Text, kind: &[Group], dated: bool) -> Option<Contradiction> {
    let wanted = kind.iter().find(|one| place_of(asked, one, dated).is_some())?;
    if kind.iter().filter(|one| asked.holds(one)).count() > 1 {
        return None;
    }
    let others = kind.iter().filter(|one| *one != wanted);
    others
        .into_iter()
        .find_map(|other| against(asked, said, wanted, other, dated))
}

/// A day of another month than the one in which something is to be: "on 3 September" for "in June".
fn of_month(asked: &Text, said: &Text) -> Option<Contradiction> {
    let lead = |place: usize| asked.before(place, 1).is_some_and(|word| word.lower == "in");
    let is_day = |word: Option<&Word>| word.is_some_and(Word::has_digit);
    TABLE.calendar.iter().find_map(|kind| {
        let place_in = |group: &Group| {
            group
                .iter()
                .find_map(|name| asked.exact(name).find(|place| lead(*place)))
        };
        let (wanted, at) = kind.iter().find_map(|group| Some((group, place_in(group)?)))?;
        let others = kind.iter().filter(|other| !asked.holds(other) && !said.holds(wanted));
        let place = others.into_iter().flatten().find_map(|name| {
            let mut places = said.exact(name).filter(|place| said.denied_at(*place).is_none());
            places.find(|&place| is_day(said.before(place, 1)) || is_day(said.after(place, 1)))
        })?;
        Some(Contradiction {
            says: said.shown(place, place),
            asked: asked.shown(at, at),
        })
    })
}

fn against(asked: &Text, said: &Text, wanted: &[Phrase], others: &[Phrase], dated: bool) -> Option<Contradiction> {
    let (from, to) = place_of(asked, wanted, dated)?;
    let (first, last) = place_of(said, others, dated)?;
    (!asked.holds(others) && !said.holds(wanted)).then(|| Contradiction {
        says: said.shown(first, last),
        asked: asked.shown(from, to),
    })
}

/// Where one of these stands and is not denied: its first and its last word.
fn place_of(text: &Text, group: &[Phrase], dated: bool) -> Option<(usize, usize)> {
    group.iter().find_map(|phrase| {
        let place = text.exact(phrase).find(|&place| {
            text.denied_at(place).is_none() && !text.is_supposed(place) && (!dated || is_dated(text, place))
        })?;
        Some((place, place + phrase.text.split(' ').count() - 1))
    })
}

/// Whether something is to be, or was, on this day or in this month.
fn is_dated(text: &Text, place: usize) -> bool {
    let word = text.words.get(place);
    let is_name = word.is_some_and(|word| word.written != word.lower);
    let lead = text.leading(place).map(|(_, word)| word.lower.as_str());
    is_name && lead.is_some_and(|lead| ["on", "in", "for", "to", "next", "from", "is"].contains(&lead))
}

/// A thing and the word before it: "after lunch".
struct Placed<'a> {
    lead: &'a str,
    thing: &'a Word,
    from: usize,
    to: usize,
}

/// Every thing of a text that has a word before it.
fn placed(text: &Text) -> Vec<Placed<'_>> {
    let all = text.words.iter().enumerate().filter_map(|(to, thing)| {
        let (from, lead) = text.leading(to).filter(|_| thing.has_content() || thing.has_digit())?;
        Some(Placed {
            lead: &lead.lower,
            thing,
            from,
            to,
        })
    });
    all.collect()
}

/// One word before a thing against the other before the same.
fn of_places(asked: &Text, said: &Text) -> Option<Contradiction> {
    let (own, told) = (placed(asked), placed(said));
    let holds = |all: &[Placed<'_>], lead: &str, thing: &Word| {
        all.iter()
            .position(|one| one.lead == lead && one.thing.root == thing.root)
    };
    own.iter().find_map(|wanted| {
        let pairs = TABLE
            .places
            .iter()
            .flat_map(|(one, other)| [(one, other), (other, one)]);
        let mut others = pairs.filter(|(one, _)| *one == wanted.lead).map(|(_, other)| other);
        let other = others.find_map(|other| {
            let both = holds(&own, other, wanted.thing).or_else(|| holds(&told, wanted.lead, wanted.thing));
            told.get(holds(&told, other, wanted.thing).filter(|_| both.is_none())?)
        })?;
        Some(Contradiction {
            says: said.shown(other.from, other.to),
            asked: asked.shown(wanted.from, wanted.to),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn the_other_end_of_a_scale_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Buy the cheapest lamp",
                    "The most expensive lamp, 90 EUR",
                    Some("most expensive"),
                ),
                ("Name the highest peak", "The lowest peak is Hill 9", Some("lowest")),
                (
                    "Plant the roses before winter",
                    "Roses planted after winter",
                    Some("after winter"),
                ),
                ("Take the train to Ulm", "The train from Ulm, 9:14", Some("from Ulm")),
                ("Carve the large stone", "The small stone is carved", Some("small")),
                ("Paint the fence green", "The fence is blue now", Some("blue")),
                (
                    "Move the lesson to Friday",
                    "The lesson is on Thursday",
                    Some("Thursday"),
                ),
                ("Fly out in March", "LH4 in June, 80 EUR", Some("June")),
                ("Fly out in March", "LH4 on 8 June, 80 EUR", Some("June")),
            ],
        );
    }

    #[test]
    fn what_both_say_and_what_only_names_a_thing_is_no_contrast_c056() {
        assert_says(
            found,
            &[
                (
                    "Buy the cheapest lamp",
                    "The cheapest of 9, the most expensive was 90 EUR",
                    None,
                ),
                (
                    "Buy the cheapest lamp",
                    "Lamp Ada, 12 EUR, not the most expensive",
                    None,
                ),
                ("Rent a large flat", "Four rooms and a small kitchen", None),
                ("Mow the lawn by Friday", "Mown on Thursday", None),
                ("Close the books for March", "Closed on 2 April, difference 0", None),
                ("Fly out in March", "Booked on 8 February for 3 March", None),
                ("Check whether the gym is private", "It is public", None),
                ("Fly to Ulm and back from Ulm", "9:14 to Ulm, 18:02 from Ulm", None),
                ("Meet on Monday or Tuesday", "Tuesday it is", None),
            ],
        );
    }
}

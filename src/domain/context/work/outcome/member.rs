//! A result that tells of one thing where every one of its kind was asked for: "the kitchen" of "every room".
//!
//! Knows which nouns stand for many ("the house", "the list"), by the table. Invariant: a result that names two things, counts them, or
//! speaks of all is nobody's single thing.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::measure::number;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Second words of verbs: "back up every …".
const PARTICLES: [&str; 6] = ["up", "out", "off", "down", "on", "over"];
/// Before one thing that is known to both sides.
const DEFINITE: [&str; 9] = ["the", "this", "that", "my", "our", "your", "his", "her", "their"];
/// Between the names of several things, or instead of them.
const SEVERAL: [&str; 10] = [
    "and", "plus", "then", "others", "other", "rest", "them", "they", "by", "through",
];

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    if asked.is_inquiry() || said.words.iter().any(speaks_of_several) {
        return None;
    }
    let head = asked.heads().first().copied()?;
    let is_whole = |place: &usize| {
        let word = asked.words.get(*place);
        word.is_some_and(|word| TABLE.wholes.contains(&word.lower)) && asked.denied_at(*place).is_none()
    };
    let is_particle = |word: &&Word| PARTICLES.contains(&word.lower.as_str());
    let particle = asked.after(head, 1).filter(is_particle).map_or(0, |_| 1);
    // Those with whom it is to be done, and not those to whom something else is.
    let whole = Some(head + 1 + particle).filter(is_whole)?;
    let first = (whole + 1..).find(|&place| !is_before_name(asked.words.get(place)))?;
    let kind = last_of_name(asked, first)?;
    if asked
        .after(kind, 1)
        .is_some_and(|word| TABLE.determiners.contains(&word.lower))
    {
        return None;
    }
    let verb = asked.words.get(head)?;
    let is_done = |place: &usize| {
        let word = said.words.get(*place);
        word.is_some_and(|word| word.root == verb.root && word.is_done_form())
            && said.denied_at(*place).is_none()
            && !said.is_supposed(*place)
    };
    let done = (0..said.words.len()).find(is_done)?;
    let (from, to) = object(said, done)?;
    let (thing, kind) = (said.words.get(to)?, asked.words.get(kind)?);
    let is_one = !thing.lower.ends_with('s') || thing.lower.ends_with("ss");
    // What stands for many may be all of them, and what the description speaks of besides is none of them.
    let is_member = || !TABLE.collectives.contains(&thing.lower) && !asked.has_root(&thing.root);
    (is_one && (thing.root == kind.root || is_member())).then(|| Contradiction {
        says: said.shown(from, to),
        asked: asked.shown(whole, first),
    })
}

/// Whether a word of a result counts, or speaks of more than one thing.
fn speaks_of_several(word: &Word) -> bool {
    word.has_digit()
        || word.clause > 0
        || TABLE.wholes.contains(&word.lower)
        || SEVERAL.contains(&word.lower.as_str())
        || number(&word.lower).is_some()
}

/// Where the one thing that something was done to begins and ends: "vacuumed the kitchen", "the kitchen was vacuumed".
fn object(said: &Text, done: usize) -> Option<(usize, usize)> {
    let is_definite = |place: usize| {
        let word = said.words.get(place);
        word.is_some_and(|word| DEFINITE.contains(&word.lower.as_str()))
    };
    let after = (done + 1..=done + 2).find(|&place| is_definite(place));
    let before = (0..done).find(|&place| is_definite(place)).filter(|&place| place == 0);
    let from = after.or(before)?;
    let to = last_of_name(said, from + 1)?;
    Some((from, to))
}

/// The last of the words that name one thing from this place on.
fn last_of_name(text: &Text, from: usize) -> Option<usize> {
    let clause = text.words.get(from)?.clause;
    let names = |place: &usize| {
        let word = text.words.get(*place);
        word.is_some_and(|word| word.clause == clause && word.has_content() && !word.is_done_form())
    };
    (from..).take_while(names).last()
}

fn is_before_name(word: Option<&Word>) -> bool {
    word.is_some_and(|word| {
        TABLE.determiners.contains(&word.lower) || number(&word.lower).is_some() || word.lower == "of"
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn one_thing_is_not_every_one_of_its_kind_c056() {
        assert_says(
            found,
            &[
                ("Vacuum every room", "Vacuumed the kitchen", Some("the kitchen")),
                ("Vacuum all rooms", "The kitchen was vacuumed", Some("The kitchen")),
                (
                    "Vacuum all the rooms",
                    "I vacuumed the guest room",
                    Some("the guest room"),
                ),
                (
                    "Lock every door",
                    "Locked the front door at night",
                    Some("the front door"),
                ),
                (
                    "Back up every database",
                    "Backed up the orders database",
                    Some("the orders database"),
                ),
                (
                    "Water all of the plants",
                    "Watered the fern in the hall",
                    Some("the fern"),
                ),
                ("Brush each horse", "Brushed the mare", Some("the mare")),
            ],
        );
    }

    #[test]
    fn what_stands_for_many_several_things_and_all_of_them_are_right_c056() {
        assert_says(
            found,
            &[
                ("Vacuum every room", "Vacuumed the house", None),
                ("Vacuum every room", "Vacuumed the kitchen and the hall", None),
                ("Vacuum every room", "Vacuumed the kitchen, the hall, the bedroom", None),
                ("Vacuum every room", "Vacuumed the rooms", None),
                ("Vacuum every room", "Vacuumed all five", None),
                ("Vacuum every room", "Vacuumed the hall twice, all rooms once", None),
                ("Vacuum every room", "Vacuumed room by room", None),
                ("Vacuum every room in the flat", "Vacuumed the flat", None),
                ("Vacuum the room", "Vacuumed the kitchen", None),
                ("Check every room", "Checked the kitchen", None),
                ("Invite all colleagues", "Invited the team", None),
                ("Vacuum every room", "The kitchen could not be vacuumed", None),
                ("Write to every member", "Wrote the letter", None),
                ("Send every member a letter", "Sent the note", None),
            ],
        );
    }
}

//! A result in which a word of the description is taken back by its prefix, or its prefix by the word: encrypt and unencrypted,
//! unfurnished and furnished.
//!
//! Invariant: a word that the result holds as it was asked for is not taken back.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words after a quality among which is what has it.
const THING_WITHIN: usize = 2;
/// Letters that must be left of a word without its prefix.
const LEFT_MIN: usize = 4;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    of_thing(asked, said).or_else(|| taken_back(asked, said))
}

/// A quality of the very thing that was asked for, with its prefix or without, whatever was to be done with that: "the paid bills" where
/// it was about the unpaid ones.
fn of_thing(asked: &Text, said: &Text) -> Option<Contradiction> {
    let (own, told) = (qualities(asked), qualities(said));
    own.iter().find_map(|wanted| {
        let quality = asked.words.get(*wanted)?;
        let other = told.iter().find(|place| {
            let is_contrary = said.words.get(**place).is_some_and(|other| {
                let pair = lacks(other, quality) || (lacks(quality, other) && !is_deed(said, **place));
                pair && !asked.has_root(&other.root)
            });
            is_contrary && shares_thing(asked, *wanted, said, **place)
        })?;
        let is_held = said.words.iter().any(|word| word.lower == quality.lower);
        (!is_held && asked.denied_at(*wanted).is_none() && said.denied_at(*other).is_none()).then(|| Contradiction {
            says: said.shown(*other, *other),
            asked: asked.shown(*wanted, *wanted),
        })
    })
}

/// Where words stand that another word with content follows.
fn qualities(text: &Text) -> Vec<usize> {
    let is_before_thing = |place: &usize| {
        let both = text.words.get(*place).zip(text.after(*place, 1));
        both.is_some_and(|(own, next)| own.lower.chars().count() >= LEFT_MIN && next.has_content())
    };
    (0..text.words.len()).filter(is_before_thing).collect()
}

/// Whether the same thing follows both.
fn shares_thing(asked: &Text, wanted: usize, said: &Text, other: usize) -> bool {
    let things = |on| asked.after(wanted, on).filter(|word| word.has_content());
    let told = |on| said.after(other, on).filter(|word| word.has_content());
    (1..=THING_WITHIN)
        .filter_map(things)
        .any(|thing| (1..=THING_WITHIN).filter_map(told).any(|told| told.root == thing.root))
}

/// Whether a word is another one with a prefix that takes it back.
fn lacks(word: &Word, other: &Word) -> bool {
    TABLE.prefixes.iter().any(|prefix| {
        let rest = word.lower.strip_prefix(prefix.as_str());
        rest.is_some_and(|rest| rest.chars().count() >= LEFT_MIN && rest == other.lower)
    })
}

/// Whether a word at the beginning of what is said tells what was done, and no quality: "Paid bill 12".
fn is_deed(said: &Text, place: usize) -> bool {
    let others = said.words.iter().enumerate().filter(|(at, _)| *at != place);
    let is_only = !others.into_iter().any(|(_, word)| word.is_done_form());
    said.before(place, 1).is_none() && is_only && said.words.get(place).is_some_and(Word::is_done_form)
}

/// A word that is taken back in what is said, or the other way round where something is looked for.
fn taken_back(asked: &Text, said: &Text) -> Option<Contradiction> {
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
                ("Wash the unripe plums", "The ripe plums were washed", Some("ripe")),
                ("Weigh the unripe plums", "Ripe plums weighed: 4 kg", Some("Ripe")),
                (
                    "List the licensed shops",
                    "Unlicensed shops: Ott, Weiss",
                    Some("Unlicensed"),
                ),
                (
                    "Shred the irregular files",
                    "Shredded all regular files",
                    Some("regular"),
                ),
                (
                    "Ring the dissatisfied guests",
                    "The satisfied guests were rung",
                    Some("satisfied"),
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
                ("Settle the unpaid bill", "The bill is paid", None),
                ("Settle the unpaid bill", "Paid bill 12", None),
                ("Ripen the unripe plums", "The plums are ripe", None),
                ("Wash the unripe plums", "Unripe plums washed, ripe plums left", None),
                (
                    "Repair the indoor lamp",
                    "The door lamp is not it; the indoor lamp works",
                    None,
                ),
            ],
        );
    }
}

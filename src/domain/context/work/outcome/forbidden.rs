//! A result with what was not to be in it: penicillin where none may be given, a smoking room where a non-smoking one is wanted.
//!
//! Invariant: a result that itself says that the thing is not there, or is to be kept out, is right.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words before a thing among which is what keeps it out, and words after it.
const EXCLUDED_BEFORE: usize = 3;
const EXCLUDED_AFTER: usize = 4;
/// Words of an object at the most.
const OBJECT_MAX: usize = 4;
/// Whom something is not given, who may well be spoken of.
const PERSONS: [&str; 7] = ["patient", "customer", "client", "guest", "child", "user", "me"];
/// After "not" or "no", speak of a bound and not of a thing.
const BOUNDS: [&str; 12] = [
    "only", "more", "less", "later", "earlier", "sooner", "before", "after", "over", "longer", "fewer", "than",
];

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    if asked.is_inquiry() || asked.begins_with(&TABLE.mends) {
        return None;
    }
    let objects = asked.heads().into_iter().filter_map(|head| object(asked, head));
    let things = (1..asked.words.len()).filter_map(|place| thing(asked, place));
    objects.chain(things).find_map(|forbidden| {
        let last = *forbidden.last()?;
        let roots: Vec<&str> = forbidden
            .iter()
            .filter_map(|at| asked.words.get(*at))
            .map(|word| word.root.as_str())
            .collect();
        let place = (0..said.words.len()).find(|&place| holds(said, place, &roots))?;
        let from = asked.denied_at(last).or(forbidden.first().copied()).unwrap_or(last);
        Some(Contradiction {
            says: said.shown(place, place),
            asked: asked.shown(from, last),
        })
    })
}

/// Whether the last of these words stands here, with the others near it, and nothing keeps it out.
fn holds(said: &Text, place: usize, roots: &[&str]) -> bool {
    let Some((last, others)) = roots.split_last() else {
        return false;
    };
    let near = |root: &&str| {
        (1..=OBJECT_MAX)
            .filter_map(|back| said.before(place, back))
            .any(|word| word.root == **root)
    };
    said.words.get(place).is_some_and(|word| word.root == *last)
        && others.iter().all(near)
        && !is_excluded(said, place)
        && !said.is_supposed(place)
}

/// Where the words stand that a verb forbids: of "do not add sugar" and "avoid toll roads".
fn object(asked: &Text, head: usize) -> Option<Vec<usize>> {
    let stands = |verbs: &[_]| verbs.iter().any(|verb| asked.stands(verb, head));
    let is_denied = asked.denied_at(head).is_some();
    if !(if is_denied {
        stands(&TABLE.including)
    } else {
        stands(&TABLE.avoiding)
    }) {
        return None;
    }
    let after = (1..=OBJECT_MAX).map_while(|on| asked.after(head, on).map(|word| (head + on, word)));
    let run = after.skip_while(|(_, word)| TABLE.determiners.contains(&word.lower));
    let run =
        run.filter(|(_, word)| !PERSONS.contains(&word.root.as_str()) && !TABLE.determiners.contains(&word.lower));
    let words: Vec<usize> = run
        .take_while(|(_, word)| word.has_content())
        .map(|(place, _)| place)
        .collect();
    (!words.is_empty()).then_some(words)
}

/// The place of a word that is not to be: "without nuts", "non-smoking", "sugar-free", "not spicy".
fn thing(asked: &Text, place: usize) -> Option<Vec<usize>> {
    let word = asked.words.get(place).filter(|word| word.has_content())?;
    if asked.heads().contains(&place) || BOUNDS.contains(&word.lower.as_str()) {
        return None;
    }
    let is_free = asked
        .after(place, 1)
        .is_some_and(|next| next.is_tied && next.lower == "free");
    let leads = |word: &Word| word.is_negation() && !["instead", "rather"].contains(&word.lower.as_str());
    let mut lead = asked.leading(place);
    while let Some((at, word)) = lead {
        if ["any", "too", "nor", "or"].contains(&word.lower.as_str()) {
            let coordinates = ["nor", "or"].contains(&word.lower.as_str());
            lead = asked.leading(if coordinates { at.checked_sub(1)? } else { at });
        } else {
            break;
        }
    }
    (is_free || lead.is_some_and(|(_, lead)| leads(lead))).then(|| vec![place])
}

/// Whether a result says that a thing is not in it.
fn is_excluded(said: &Text, place: usize) -> bool {
    let keeps_out = |word: &Word| TABLE.excluding.contains(&word.lower) || word.is_negation();
    let before = (1..=EXCLUDED_BEFORE).map_while(|back| said.before(place, back));
    let after = (1..=EXCLUDED_AFTER).map_while(|on| said.after(place, on));
    let next = said.words.get(place + 1);
    before.into_iter().chain(after).chain(next).any(keeps_out)
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn what_was_not_to_be_there_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Give an antibiotic without penicillin",
                    "Penicillin 500 mg given",
                    Some("Penicillin"),
                ),
                (
                    "Do not give the patient penicillin",
                    "The patient received penicillin",
                    Some("penicillin"),
                ),
                (
                    "Bake a cake without nuts or milk",
                    "Cake with flour and milk",
                    Some("milk"),
                ),
                ("Book a non-smoking room", "Smoking room 12 is booked", Some("Smoking")),
                ("Order a sugar-free drink", "Lemonade with sugar ordered", Some("sugar")),
                (
                    "Do not add salt to the soup",
                    "Soup: leek, cream and salt",
                    Some("salt"),
                ),
                ("Avoid toll roads", "Over the toll roads A1 and A4", Some("roads")),
                (
                    "Cook a curry that is not spicy",
                    "A spicy curry for four",
                    Some("spicy"),
                ),
                ("Plan a tour, no museums", "Day 1: two museums", Some("museums")),
            ],
        );
    }

    #[test]
    fn what_is_said_to_be_kept_out_and_what_is_only_spoken_of_is_right_c056() {
        assert_says(
            found,
            &[
                (
                    "Give an antibiotic without penicillin",
                    "Azithromycin, as penicillin is not allowed",
                    None,
                ),
                (
                    "Give an antibiotic without penicillin",
                    "Azithromycin; penicillin allergy noted",
                    None,
                ),
                ("Book a non-smoking room", "Non-smoking room 12 is booked", None),
                ("Book a non-smoking room", "Room 12, smoking prohibited", None),
                ("Do not wake the guests", "The guests slept until 9", None),
                ("Deploy without downtime", "Deployed, downtime: 0 s", None),
                (
                    "Rent a van for no more than 90 EUR",
                    "A van for 80 EUR and more room",
                    None,
                ),
                ("Find out why the tap does not drip", "It does drip", None),
                ("Order a sugar-free drink", "A sugar-free lemonade", None),
            ],
        );
    }
}

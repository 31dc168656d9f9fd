//! A result with another name than the one that was asked for: shipped to Lisbon instead of Oslo.
//!
//! Names are compared where they stand after the same word ("to", "of", "for") or before the same thing. Invariant: a name that the
//! result holds as well contradicts nothing, unless it says that something of it went to another: "the bill for Ann was sent to Tim"
//! where it was to go to Ann; abbreviations are compared with abbreviations only.

use std::ops::RangeInclusive;

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// The word before whoever gets something.
const RECEIVING: &str = "to";
/// Words before whom something is only for or of.
const BELONGING: [&str; 5] = ["for", "of", "from", "by", "about"];

/// Words of what somebody gave of whom it was to be got ("get approval from").
const GIVEN: [&str; 5] = ["given", "granted", "approved", "signed", "issued"];

/// Words with a capital, one after another within a clause, and what stands beside them.
struct Name<'a> {
    at: RangeInclusive<usize>,
    words: &'a [Word],
    lead: Option<&'a Word>,
    thing: Option<&'a Word>,
    /// It gave something ("granted by Tim").
    gave: bool,
    /// What was done with it ("Tim was added").
    verb: Option<&'a Word>,
}

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let told = names(said, &[]);
    names(asked, &asked.heads()).into_iter().find_map(|wanted| {
        let is_held = wanted.words.iter().any(|part| said.has_root(&part.root));
        if is_held && !wanted.is_passed_over(said, &told) {
            return None;
        }
        let other = told.iter().find(|other| {
            let is_new = other.words.iter().all(|part| !asked.has_root(&part.root));
            let stands = wanted.stands_like(other) && (!is_held || other.is_after(&[RECEIVING]));
            is_new && stands
        })?;
        Some(Contradiction {
            says: said.shown(*other.at.start(), *other.at.end()),
            asked: asked.shown(*wanted.at.start(), *wanted.at.end()),
        })
    })
}

impl<'a> Name<'a> {
    fn of(text: &'a Text, at: RangeInclusive<usize>) -> Option<Name<'a>> {
        let (first, last) = (*at.start(), *at.end());
        let is_done = text
            .after(last, 1)
            .is_some_and(|word| ["was", "were", "is", "are"].contains(&word.lower.as_str()));
        let lead = text.leading(first);
        let is_by = lead.filter(|(_, word)| word.lower == "by");
        let given = is_by.and_then(|(place, _)| text.before(place, 1));
        Some(Name {
            words: text.words.get(at.clone())?,
            lead: lead.map(|(_, word)| word),
            gave: given.is_some_and(|word| GIVEN.contains(&word.lower.as_str())),
            thing: text.after(last, 1).filter(|word| word.has_content()),
            verb: text.after(last, 2).filter(|_| is_done),
            at,
        })
    }

    fn stands_like(&self, other: &Name<'_>) -> bool {
        let same = |one: Option<&Word>, other: Option<&Word>| {
            let pair = one.zip(other);
            pair.is_some_and(|(one, other)| one.root == other.root)
        };
        let leads = self
            .lead
            .filter(|lead| TABLE.recipients.contains(&lead.lower) || is_in(lead) || lead.has_content());
        let stands = same(leads, other.lead) || same(self.thing, other.thing) || same(self.lead, other.verb);
        self.is_short() == other.is_short() && (stands || (self.is_after(&["from"]) && other.gave))
    }

    /// Whether something was to go to it, and a result names it only as whom that is for or of.
    fn is_passed_over(&self, said: &Text, told: &[Name<'_>]) -> bool {
        let belongs = |place: usize| {
            told.iter()
                .any(|name| name.at.contains(&place) && name.is_after(&BELONGING))
        };
        let is_own = |word: &Word| self.words.iter().any(|part| part.root == word.root);
        let mut own = (0..said.words.len()).filter(|place| said.words.get(*place).is_some_and(is_own));
        self.is_after(&[RECEIVING]) && own.all(belongs)
    }

    fn is_after(&self, leads: &[&str]) -> bool {
        self.lead.is_some_and(|lead| leads.contains(&lead.lower.as_str()))
    }

    /// Whether it is an abbreviation.
    fn is_short(&self) -> bool {
        let mut letters = self.words.iter().flat_map(|word| word.written.chars());
        letters.all(char::is_uppercase)
    }
}

/// Whether a word stands before a place.
fn is_in(word: &Word) -> bool {
    ["in", "at", "near"].contains(&word.lower.as_str())
}

/// Every name of a text but for the verbs at its heads; of words at the beginning of a clause, where any has a capital, those with
/// which something was done.
fn names<'a>(text: &'a Text, heads: &[usize]) -> Vec<Name<'a>> {
    let mut runs: Vec<RangeInclusive<usize>> = Vec::new();
    let places = (0..text.words.len()).filter(|place| !heads.contains(place));
    for place in places.filter(|place| text.words.get(*place).is_some_and(is_name)) {
        let follows = |run: &&mut RangeInclusive<usize>| run.end() + 1 == place && text.before(place, 1).is_some();
        match runs.last_mut().filter(follows) {
            Some(run) => *run = *run.start()..=place,
            None => runs.push(place..=place),
        }
    }
    let named = runs.into_iter().filter_map(|run| Name::of(text, run));
    named
        .filter(|name| name.lead.is_some() || name.verb.is_some())
        .collect()
}

/// Whether a word is written as a name is, and is no day or month.
pub fn is_name(word: &Word) -> bool {
    let is_written_so = word.written.chars().next().is_some_and(char::is_uppercase) && !word.has_digit();
    let is_date = TABLE
        .calendar
        .iter()
        .flatten()
        .flatten()
        .any(|phrase| phrase.text == word.lower);
    let is_plain = TABLE.determiners.contains(&word.lower) || TABLE.numbers.contains_key(&word.lower);
    is_written_so && !is_date && !is_plain && word.lower != "i"
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn another_name_in_the_same_place_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Get the permit from the FAA",
                    "The permit was granted by the FCC",
                    Some("FCC"),
                ),
                ("Mail the keys to Karin", "The keys were mailed to Uwe", Some("Uwe")),
                (
                    "Copy the minutes of Mr Bell",
                    "Copied the minutes of Ms Ito",
                    Some("Ito"),
                ),
                (
                    "Renew the Hilden lease",
                    "Renewed the Bonn lease until May",
                    Some("Bonn"),
                ),
                ("Paint the shed in Hilden", "The shed in Bonn is painted", Some("Bonn")),
                ("Invite Karin", "Uwe was invited", Some("Uwe")),
                ("Translate it into Dutch", "Translated into Danish", Some("Danish")),
                (
                    "Find a hotel in Oslo",
                    "Hotel Bristol in Bergen, 90 EUR",
                    Some("Bergen"),
                ),
                ("Book a table at Luzzi", "Table for two at Da Enzo", Some("Da Enzo")),
                ("Buche einen Flug nach Wien", "Flug nach Graz gebucht", Some("Graz")),
                (
                    "Send the invoice to Ott Ltd",
                    "Invoice for Ott Ltd sent to Weiss",
                    Some("Weiss"),
                ),
                ("Hand the keys to Karin", "The keys of Karin went to Uwe", Some("Uwe")),
            ],
        );
    }

    #[test]
    fn the_same_name_a_code_and_a_name_elsewhere_are_right_c056() {
        assert_says(
            found,
            &[
                ("Mail the keys to Karin", "Mailed to Karin Weiss, copy to Uwe", None),
                ("Mail the keys to Karin", "Handed to DHL at 9:12", None),
                ("Fly to Porto", "LH9, FRA to OPO", None),
                (
                    "Send the invoice to Ott Ltd",
                    "Invoice for Ott Ltd sent, copy to tax",
                    None,
                ),
                ("Send the invoice to Ott Ltd", "Invoice of Weiss sent to Ott Ltd", None),
                (
                    "Send the invoice for Ott Ltd",
                    "Invoice for Ott Ltd sent to Weiss",
                    None,
                ),
                ("Hand the keys to Karin", "Karin has the keys, a copy went to Uwe", None),
                ("Find an inn near Bonn", "Inn Rheinblick in Beuel", None),
                ("Find a hotel in Oslo", "Hotel Bristol in Grorud, Oslo", None),
                ("Meet in May for Karin", "May 4 is fine for her", None),
                ("Ship the desk to Vienna", "Desk shipped to Wien", None),
                ("Pr\u{fc}fe den Vertrag", "Habe den Anwalt gefragt", None),
            ],
        );
    }
}

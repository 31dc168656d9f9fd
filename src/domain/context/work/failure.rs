//! Whether what was said of an item is rather a failure, an intention or a doubt than a result (C-056, C-057).
//!
//! A table of plain words in four languages, and nothing learned: the master is asked once more, in words, and says so itself
//! where a cue deceives. What the item's own description says ("no smoking") is no cue as often as it stands there, and bad news
//! answer a question. Invariant: a word that good results hold as well counts only where a text begins to say something, or where
//! a clause says nothing else.

use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;

/// Words of a result one after another, and whether each is in the open: where the text begins to say something.
struct Told {
    words: Vec<(String, bool)>,
}

/// The cue by which a text says that something was not done, is still to be done, or is not known; `None` where there is none.
/// `says_more` tells whether a clause says something that the description does not.
pub fn cue(said: &str, description: &str, says_more: impl Fn(&str) -> bool) -> Option<&'static str> {
    let told = told(said, says_more);
    let text = joined(told.words.iter().map(|(word, _)| word.as_str()));
    let own: Vec<String> = words(description).collect();
    let asked = joined(own.iter().map(String::as_str));
    let open: Vec<&str> = told
        .words
        .iter()
        .filter(|(_, open)| *open)
        .map(|(word, _)| word.as_str())
        .collect();
    let open = joined(open.into_iter());
    let wanted = Text::of(description);
    let may_be_none = wanted.begins_with(&TABLE.searches);
    let mut always = TABLE
        .always
        .iter()
        .filter(|cue| !(may_be_none && TABLE.blanks.contains(*cue)));
    let always = always.find(|cue| count(&text, cue) > count(&asked, cue));
    let mut at_first = TABLE.at_first.iter().filter(|_| !may_be_none);
    let at_first = || at_first.find(|cue| count(&open, cue) > count(&asked, cue));
    let question = || said.trim_end().ends_with('?').then_some("?");
    let cue = always.or_else(at_first).map(String::as_str);
    cue.or_else(|| mishap(&wanted, &Text::of(said))).or_else(question)
}

/// What went wrong, as a result says, where nobody asked what went wrong.
fn mishap(asked: &Text, said: &Text) -> Option<&'static str> {
    let is_mended = || said.words.iter().any(|word| TABLE.done.contains(&word.lower));
    if asked.is_inquiry() || (asked.begins_with(&TABLE.mends) && is_mended()) {
        return None;
    }
    let opposites = TABLE.opposites.iter().filter(|(verbs, _)| asked.begins_with(verbs));
    let meant: Vec<&Phrase> = opposites.flat_map(|(verbs, _)| verbs).collect();
    let lingers = |cue: &Phrase| TABLE.lingers.contains(cue);
    let deeds = TABLE.deeds.iter().chain(&TABLE.lingers).filter(|cue| {
        let is_asked = asked.places(cue).next().is_some();
        !is_asked && !meant.iter().any(|verb| verb.is_form_of(cue))
    });
    let happened = |cue: &&Phrase| {
        let mut places = said.exact(cue);
        places.any(|place| {
            let begins = said.words.get(place).is_some_and(|word| word.clause == 0);
            (begins || !lingers(cue)) && said.denied_at(place).is_none() && !said.is_supposed(place)
        })
    };
    deeds.into_iter().find(happened).map(|cue| cue.text.as_str())
}

fn told(said: &str, says_more: impl Fn(&str) -> bool) -> Told {
    let lower = said.to_lowercase().replace('\u{2019}', "'");
    let clauses: Vec<&str> = lower
        .split(['.', ',', ';', ':', '!', '?', '(', ')', '\n', '–', '—'])
        .collect();
    let mut begins = true;
    let mut told = Told { words: Vec::new() };
    for (place, clause) in clauses.iter().enumerate() {
        let own: Vec<String> = words(clause).collect();
        // "No. 5" is a number.
        let next = clauses.get(place + 1).map_or("", |next| next.trim_start());
        let is_number = own.last().is_some_and(|word| word == "no") && next.starts_with(|c: char| c.is_ascii_digit());
        let alone = own.iter().all(|word| TABLE.at_first.contains(word));
        let mut open = begins || alone;
        for (nth, word) in own.iter().enumerate() {
            open |= TABLE.turns.contains(word);
            let counts = open && !(is_number && nth + 1 == own.len());
            told.words.push((word.clone(), counts));
        }
        begins &= !says_more(clause);
    }
    told
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<String> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// Words with two spaces between them, so that a word that ends one phrase may begin another.
fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!(" {word} ")).collect()
}

/// How often a cue stands in joined words.
fn count(text: &str, cue: &str) -> usize {
    text.matches(&joined(cue.split(' '))).count()
}

#[cfg(test)]
mod tests {
    use super::cue;

    const ASKED: &str = "Find a hotel near the Colosseum that takes dogs";

    /// Something new stands in a clause that holds a word which the description does not.
    fn found(said: &str, asked: &str) -> Option<&'static str> {
        let known: Vec<String> = super::words(asked).collect();
        cue(said, asked, |clause| {
            super::words(clause).any(|word| !known.contains(&word))
        })
    }

    #[test]
    fn plain_failures_intentions_and_doubts_are_known_c056_c057() {
        for (said, wanted) in [
            ("No hotel near the Colosseum that takes dogs was found", "no"),
            ("Unfortunately nothing near the Colosseum takes dogs", "unfortunately"),
            ("Hotel Colosseum dogs: error 503 from the booking site", "error"),
            (
                "I will find a hotel near the Colosseum that takes dogs tomorrow",
                "i will",
            ),
            ("Hotel near Colosseum takes dogs? unclear", "unclear"),
            ("Todo: hotel near Colosseum dogs", "todo"),
            ("Kein Hotel beim Colosseum gefunden", "kein"),
            ("Aucun hôtel près du Colosseum", "aucun"),
            ("Ningún hotel cerca del Colosseum", "ningún"),
            ("Find a hotel: none of them takes dogs", "none"),
            ("Capo d'Africa takes dogs, but it is not near", "not"),
            ("Hotel near the Colosseum: Capo d'Africa. Dogs: no", "no"),
            ("Capo d'Africa takes dogs?", "?"),
            ("We couldn\u{2019}t reach the hotel", "couldn't"),
        ] {
            assert_eq!(found(said, ASKED), Some(wanted), "{said}");
        }
    }

    #[test]
    fn what_went_wrong_is_no_result_c056_c057() {
        for (said, asked, wanted) in [
            ("The parcel to Ann was sent back", "Mail the parcel to Ann", "sent back"),
            ("Card declined at the till", "Pay for the shoes", "declined"),
            ("The rehearsal was postponed", "Hold the rehearsal", "postponed"),
            (
                "Five panes were mistakenly washed twice",
                "Wash the panes",
                "mistakenly",
            ),
        ] {
            assert_eq!(found(said, asked), Some(wanted), "{said}");
        }
    }

    #[test]
    fn bad_news_that_were_asked_for_are_a_result_c056() {
        for (said, asked) in [
            ("The rehearsal of May 4 is cancelled", "Cancel the rehearsal"),
            ("The lift was blocked by a plank", "Find out why the lift stops"),
            ("No moths in nine wardrobes", "Inspect the wardrobes for moths"),
            ("Fixed: a belt was missing", "Repair the mower"),
            ("Room 4 is yours and may be cancelled until May 6", "Reserve a room"),
            ("All 30 flyers are out, none delayed", "Hand out the flyers"),
            ("The bid of Acme was declined on May 6", "Reject the bid of Acme"),
        ] {
            assert_eq!(found(said, asked), None, "{said}");
        }
        assert_eq!(found("The mower is stuck", "Repair the mower"), Some("stuck"));
    }

    #[test]
    fn what_the_description_says_and_what_is_said_beside_a_result_is_no_cue_c056() {
        for (said, asked) in [
            (
                "Capo d'Africa, 300 m from the Colosseum, takes dogs, no breakfast",
                ASKED,
            ),
            ("Rest; come back if it is not better", "Say what to do"),
            (
                "Oseltamivir 75 mg; no allergy speaks against it",
                "Prescribe a medicine",
            ),
            ("No smoking room at the Capo d'Africa", "Find a room with no smoking"),
            ("Invoice No. 114 went out", "Send the invoice"),
            ("The error was a wrong path", "Find the error"),
            ("Nowy Dom hotel, Notting Hill", ASKED),
        ] {
            assert_eq!(found(said, asked), None, "{said}");
        }
        let twice = "No room with no smoking";
        assert_eq!(
            found(twice, "Find a room with no smoking"),
            Some("no"),
            "one of them is its own"
        );
    }
}

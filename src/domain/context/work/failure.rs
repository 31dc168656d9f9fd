//! Whether what was said of an item is rather a failure, an intention or a doubt than a result (C-056, C-057).
//!
//! A table of plain words in four languages, and nothing learned: the master is asked once more, in words, and says so itself
//! where a cue deceives. What the item's own description says ("no smoking") is no cue as often as it stands there, bad news
//! answer a question, and a failure that is denied ("nothing failed", "no problem") is good news. Invariant: a word that good results
//! hold as well counts only where a text begins to say something, or where a clause says nothing else.

use crate::domain::context::work::outcome::question;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;
use crate::domain::pool::words;

/// Words after a denial among which is what it denies.
const DENIES_WITHIN: usize = 3;
/// Words before what went wrong in which "none of" still denies it.
const NONE_WITHIN: usize = 6;
/// Denials after which there being no failure is a success; "could not" is a failure whatever follows.
const NOT_SO: [&str; 9] = ["did", "does", "do", "has", "have", "had", "was", "were", "been"];

/// The cue by which a text says that something was not done, is still to be done, or is not known; `None` where there is none.
/// `says_more` tells whether a clause says something that the description does not.
pub fn cue(said: &str, description: &str, says_more: impl Fn(&str) -> bool) -> Option<String> {
    let (told, asked) = (Text::whole(said), Text::whole(description));
    let plain = plain(&told, &asked).or_else(|| at_first(&told, &asked, says_more));
    let cue = plain
        .or_else(|| trouble(&told, &asked))
        .or_else(|| mishap(&asked, &Text::of(said)));
    let question = || said.trim_end().ends_with('?').then(|| "?".to_owned());
    cue.map(|(place, length)| told.shown(place, place + length - 1).to_lowercase())
        .or_else(question)
}

/// Where a cue stands, and how many words it has.
type Found = (usize, usize);

/// The first of these places, where there are more of them than the description has.
fn beyond(cue: &Phrase, places: impl Iterator<Item = usize>, known: usize) -> Option<Found> {
    let places: Vec<usize> = places.collect();
    let first = places.first().copied().filter(|_| places.len() > known)?;
    Some((first, cue.words.len()))
}

/// What says so wherever it stands.
fn plain(told: &Text, asked: &Text) -> Option<Found> {
    let may_be_none = asked.begins_with(&TABLE.searches);
    let cues = TABLE
        .always
        .iter()
        .filter(|cue| !(may_be_none && TABLE.blanks.contains(&cue.text)));
    cues.into_iter().find_map(|cue| {
        let places = told
            .exact(cue)
            .filter(|&place| !is_excused(told, asked, place, cue.words.len()));
        beyond(cue, places, asked.exact(cue).count())
    })
}

/// What says so where a text begins to say something. Where "none" is an answer, only that nothing was looked at.
fn at_first(told: &Text, asked: &Text, says_more: impl Fn(&str) -> bool) -> Option<Found> {
    let may_be_none = asked.begins_with(&TABLE.searches);
    let open = open(told, says_more);
    TABLE.at_first.iter().find_map(|cue| {
        let places = told.exact(cue).filter(|&place| open.get(place) == Some(&true));
        let places = places.filter(|&place| !may_be_none || denies_deed(told, asked, place));
        let places = places.filter(|&place| !is_excused(told, asked, place, 1));
        beyond(cue, places, asked.exact(cue).count())
    })
}

/// Whether the word after a denial is what was to be done.
fn denies_deed(told: &Text, asked: &Text, place: usize) -> bool {
    let heads = asked.heads();
    let mut deeds = heads.iter().filter_map(|head| asked.words.get(*head));
    deeds.any(|deed| {
        (1..=2)
            .filter_map(|on| told.after(place, on))
            .any(|word| word.root == deed.root)
    })
}

/// What failed in any form of the word, unless the description speaks of it or the result says that it did not.
fn trouble(told: &Text, asked: &Text) -> Option<Found> {
    let is_task = asked.begins_with(&TABLE.mends) && !is_mended(told, asked);
    TABLE.troubles.iter().find_map(|cue| {
        let again = told.places(cue).filter(|&place| is_again(told, place));
        let once = told.places(cue).filter(|&place| !is_harmless(told, asked, place, cue));
        let known = if is_task {
            asked.exact(cue).count()
        } else {
            asked.places(cue).count()
        };
        // Whoever speaks of it may be told of it as often as need be.
        let known = if is_task || known == 0 { known } else { told.words.len() };
        beyond(cue, again, 0).or_else(|| beyond(cue, once, known))
    })
}

/// Whether a result says that what was wrong was put right: in a word for it, or as "no longer" so.
fn is_mended(told: &Text, asked: &Text) -> bool {
    let is_over = |place: usize| {
        let before = told.before(place, 1).zip(told.before(place, 2));
        before.is_some_and(|(last, first)| (first.lower.as_str(), last.lower.as_str()) == ("no", "longer"))
    };
    (0..told.words.len()).any(|place| {
        let word = told.words.get(place);
        word.is_some_and(|word| TABLE.done.contains(&word.lower) || (asked.has_root(&word.root) && is_over(place)))
    })
}

/// Whether it went wrong once more.
fn is_again(told: &Text, place: usize) -> bool {
    let beside = [told.after(place, 1), told.before(place, 1), told.before(place, 2)];
    let is_so = |word: &Word| ["again", "still", "erneut", "wieder"].contains(&word.lower.as_str());
    told.denied_at(place).is_none() && beside.into_iter().flatten().any(is_so)
}

/// Whether there was no such trouble, or it is the other answer to what was asked.
fn is_harmless(told: &Text, asked: &Text, place: usize, cue: &Phrase) -> bool {
    is_none(told, place)
        || told.is_supposed(place)
        || question::is_contrary(asked, cue)
        || question::is_cause(asked, told, place)
}

/// Whether a result says of something that there was none: "without", "none of the", "0", "-free", and after it "none" or "0".
fn is_none(told: &Text, place: usize) -> bool {
    let is_zero = |word: &Word| ["0", "none", "zero", "nil"].contains(&word.lower.as_str());
    let ends_so = |place: usize| {
        let word = told.words.get(place);
        let is_no = |word: &Word| ["no", "keine"].contains(&word.lower.as_str()) && told.after(place, 1).is_none();
        word.is_some_and(|word| is_zero(word) || is_no(word))
    };
    // "No answer because the disk failed" is no denial of the failure.
    let joins = |from: usize| (from..place).all(|at| told.words.get(at).is_some_and(|word| !is_reason(word)));
    let back = (1..=NONE_WITHIN).filter(|back| told.before(place, *back).is_some_and(is_none_word));
    let is_none_of = back.map(|back| place - back).any(joins);
    let next = told.words.get(place + 1).map_or("", |word| word.lower.as_str());
    told.denied_at(place).is_some_and(joins)
        || is_none_of
        || told.before(place, 1).is_some_and(is_zero)
        || next == "free"
        || ends_so(place + 1)
        || (["rate", "count"].contains(&next) && ends_so(place + 2))
}

/// Whether a word says that what follows it is the reason of what went before.
fn is_reason(word: &Word) -> bool {
    [
        "because", "since", "as", "due", "after", "and", "by", "with", "until", "so", "weil",
    ]
    .contains(&word.lower.as_str())
}

fn is_none_word(word: &Word) -> bool {
    ["none", "keiner", "aucun", "aucune"].contains(&word.lower.as_str())
}

/// Whether a denial is good news: it denies a trouble, or answers what was asked.
fn is_excused(told: &Text, asked: &Text, place: usize, length: usize) -> bool {
    question::is_denied(asked, told, place, length)
        || denies_trouble(told, place, length)
        || denies_unwanted(told, asked, place)
}

/// Whether a denial is of what the description does not want either, in another word: "no onions" where it says "without onions".
fn denies_unwanted(told: &Text, asked: &Text, place: usize) -> bool {
    let denial = told.words.get(place).filter(|word| word.is_negation());
    denial.zip(told.after(place, 1)).is_some_and(|(denial, denied)| {
        (0..asked.words.len()).any(|at| {
            let is_same = asked.words.get(at).is_some_and(|word| word.root == denied.root);
            let own = asked.denied_at(at).and_then(|own| asked.words.get(own));
            is_same && own.is_some_and(|own| own.lower != denial.lower)
        })
    })
}

fn denies_trouble(told: &Text, place: usize, length: usize) -> bool {
    let Some(first) = told.words.get(place) else {
        return false;
    };
    let last = place + length - 1;
    let is_short = first
        .lower
        .strip_suffix("n't")
        .is_some_and(|verb| NOT_SO.contains(&verb));
    let is_denial = (length == 1 && first.is_negation()) || is_short || NOT_SO.contains(&first.lower.as_str());
    let reaches = if is_none_word(first) {
        NONE_WITHIN
    } else {
        DENIES_WITHIN
    };
    let after = (1..=reaches).map_while(|on| Some((last + on, told.after(last, on)?)));
    let troubles = || TABLE.troubles.iter().chain(&TABLE.harms);
    let mut met = after.take_while(|(_, word)| !is_reason(word));
    is_denial && met.any(|(place, _)| troubles().any(|trouble| told.stands(trouble, place)))
}

/// What went wrong, as a result says, where nobody asked what went wrong.
fn mishap(asked: &Text, said: &Text) -> Option<Found> {
    if asked.is_inquiry() || (asked.begins_with(&TABLE.mends) && is_mended(said, asked)) {
        return None;
    }
    let opposites = TABLE.opposites.iter().filter(|(verbs, _)| asked.begins_with(verbs));
    let meant: Vec<&Phrase> = opposites.flat_map(|(verbs, _)| verbs).collect();
    let is_open = |cue: &&Phrase| asked.places(cue).next().is_none() && !meant.iter().any(|verb| verb.is_form_of(cue));
    let is_so = |place: &usize| !is_none(said, *place) && !said.is_supposed(*place);
    let begins = |place: &usize| said.words.get(*place).is_some_and(|word| word.clause == 0);
    let exact = |cue: &Phrase| {
        let mut places = said
            .exact(cue)
            .filter(|place| !denies_trouble(said, *place, cue.words.len()));
        places.find(is_so).map(|place| (place, cue.words.len()))
    };
    let verb = |cue: &Phrase| {
        let mut places = said.places(cue).filter(|place| is_verb(said, *place, cue));
        places.find(is_so).map(|place| (place, cue.words.len()))
    };
    let deeds = TABLE.deeds.iter().filter(is_open).find_map(exact);
    let mishaps = || TABLE.mishaps.iter().filter(is_open).find_map(verb);
    let lingers = || {
        TABLE
            .lingers
            .iter()
            .filter(is_open)
            .find_map(|cue| exact(cue).filter(|(place, _)| begins(place)))
    };
    deeds.or_else(mishaps).or_else(lingers)
}

/// Whether a verb stands here as something that happens or happened: not as one is told to do it, nor as a noun in the plural ("12
/// blocks", "the delays").
fn is_verb(said: &Text, place: usize, verb: &Phrase) -> bool {
    let own = said.words.get(place).map_or("", |word| word.lower.as_str());
    let base = verb.words.first().map_or("", |word| word.lower.as_str());
    let counts = |word: &Word| word.has_digit() || TABLE.numbers.contains_key(&word.lower);
    let is_article =
        |word: &Word| TABLE.determiners.contains(&word.lower) && !["this", "that"].contains(&word.lower.as_str());
    let leads = |word: &Word| !counts(word) && !is_article(word) && !words::is_preposition(&word.lower);
    own != base && (!own.ends_with('s') || said.before(place, 1).is_some_and(leads))
}

/// Which words are in the open: where the text begins to say something, and after what takes back.
fn open(told: &Text, says_more: impl Fn(&str) -> bool) -> Vec<bool> {
    let mut begins = true;
    let mut open = Vec::new();
    for clause in told.words.chunk_by(|one, next| one.clause == next.clause) {
        let alone = clause.iter().all(is_at_first);
        let mut is_open = begins || alone;
        for (nth, word) in clause.iter().enumerate() {
            is_open |= TABLE.turns.contains(&word.lower);
            // "No. 5" is a number.
            let is_number = word.lower == "no" && clause.get(nth + 1).is_some_and(Word::has_digit);
            open.push(is_open && !is_number);
        }
        let words: Vec<&str> = clause.iter().map(|word| word.lower.as_str()).collect();
        begins &= !says_more(&words.join(" "));
    }
    open
}

fn is_at_first(word: &Word) -> bool {
    TABLE.at_first.iter().any(|cue| cue.text == word.lower)
}

#[cfg(test)]
mod tests {
    use super::Text;
    use super::cue;

    const ASKED: &str = "Find a hotel near the Colosseum that takes dogs";

    /// Something new stands in a clause that holds a word which the description does not.
    fn found(said: &str, asked: &str) -> Option<String> {
        let words =
            |text: &str| -> Vec<String> { Text::whole(text).words.into_iter().map(|word| word.lower).collect() };
        let known = words(asked);
        cue(said, asked, |clause| {
            words(clause).iter().any(|word| !known.contains(word))
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
            assert_eq!(found(said, ASKED).as_deref(), Some(wanted), "{said}");
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
            assert_eq!(found(said, asked).as_deref(), Some(wanted), "{said}");
        }
    }

    #[test]
    fn what_went_wrong_is_known_in_every_form_c056_c057() {
        for (said, asked, wanted) in [
            ("The nightly export fails", "Set up the nightly export", "fails"),
            ("The import hangs at 40 %", "Import the customers", "hangs"),
            ("The importer threw an exception", "Import the customers", "exception"),
            ("The export is failing again", "Set up the nightly export", "failing"),
            ("The van breaks down on the A1", "Drive the van to Ulm", "breaks down"),
            ("Ada declines the offer", "Win Ada for the post", "declines"),
            ("The printer jammed on page 2", "Print the flyers", "jammed"),
            ("The build failed again", "Restart the failed build", "failed"),
            ("The invoice bounced: no such address", "Send the invoice", "bounced"),
            (
                "Tried twice, no seats so the booking failed",
                "Book two seats",
                "failed",
            ),
            (
                "Nothing was written because the disk failed",
                "Write the backup",
                "nothing",
            ),
            ("Le paiement a \u{e9}chou\u{e9}", "Paie la facture", "\u{e9}chou\u{e9}"),
            (
                "Die Zahlung ist fehlgeschlagen",
                "Bezahle die Rechnung",
                "fehlgeschlagen",
            ),
        ] {
            assert_eq!(found(said, asked).as_deref(), Some(wanted), "{said}");
        }
    }

    #[test]
    fn a_failure_that_is_denied_is_a_success_c056() {
        for (said, asked) in [
            ("Deployed to all nodes without errors", "Deploy the app"),
            ("App deployed, nothing failed", "Deploy the app"),
            ("Nothing failed, the app is live", "Deploy the app"),
            ("No problem, the app is live", "Deploy the app"),
            ("Moved to Friday at no charge", "Move the flight to Friday"),
            ("App deployed, errors: 0", "Deploy the app"),
            ("The app is live, error-free since 9:00", "Deploy the app"),
            ("None of the 12 nodes failed, app live", "Deploy the app"),
            ("It did not fail on any node, app live", "Deploy the app"),
            ("The rooms were painted with no delay", "Paint the rooms"),
            ("Large pizza, no onions, at 19:10", "Order a large pizza without onions"),
            ("Ohne Fehler auf allen Knoten installiert", "Installiere die App"),
            ("Aucun probl\u{e8}me, l'app est en ligne", "D\u{e9}ploie l'app"),
            ("Hotel Ada, three blocks from the lake", "Find a hotel"),
            ("Workshop held with 12 people, nobody missing", "Hold the workshop"),
            (
                "Login no longer crashes, a null check was missing",
                "Fix the crash on login",
            ),
        ] {
            assert_eq!(found(said, asked), None, "{said}");
        }
    }

    #[test]
    fn either_answer_to_a_question_is_right_c056() {
        for (said, asked) in [
            ("The server is not reachable", "Check whether the server is reachable"),
            ("Server unreachable since 9:12", "Check whether the server is reachable"),
            ("No, it moved in May", "Find out if the shop is in Ulm"),
            ("No rooms are free in May", "Check whether rooms are free in May"),
            ("The build failed on node 3", "Check whether the build passes"),
        ] {
            assert_eq!(found(said, asked), None, "{said}");
        }
        for (said, wanted) in [
            ("Could not log in to the server", "could not"),
            ("The server was not checked", "not"),
            ("Whether it is reachable is unknown", "unknown"),
            ("I am not sure", "not sure"),
        ] {
            let asked = "Check whether the server is reachable";
            assert_eq!(found(said, asked).as_deref(), Some(wanted), "{said}");
        }
        let demand = "Make sure that the server is reachable";
        assert_eq!(found("The server is not reachable", demand).as_deref(), Some("not"));
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
        assert_eq!(
            found("The mower is stuck", "Repair the mower").as_deref(),
            Some("stuck")
        );
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
            found(twice, "Find a room with no smoking").as_deref(),
            Some("no"),
            "one of them is its own"
        );
    }
}

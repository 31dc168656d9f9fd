//! Whether a result shows at all what was asked for: that the deed was done, or something of the thing that was to be found.
//!
//! Words that both texts share only say that they speak of the same matter; "the log files are old" speaks of them as well as
//! "deleted" does. So a deed wants a word for something done, a search a word of what was sought or the code of one, and a reckoning
//! a figure. Invariant: a description that asks a question, or tells to leave something as it is, wants none of these.

use std::fmt;

use crate::domain::context::work::outcome::figure::Bound;
use crate::domain::context::work::outcome::figure::Figure;
use crate::domain::context::work::outcome::figure::figures;
use crate::domain::context::work::outcome::measure::Measure;
use crate::domain::context::work::outcome::measure::is_currency;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Letters that a word must have for others to be known as made of it: "two-berth sleeper" of "sleep".
const COMPOUND_MIN: usize = 5;
/// Words by which a thing is sought that has no name yet.
const INDEFINITE: [&str; 6] = ["somewhere", "something", "someone", "somebody", "anything", "anyone"];
/// Words that begin what is said of a thing.
const RELATIVE: [&str; 7] = ["that", "which", "who", "whose", "where", "when", "behind"];
/// Words before a figure that say how far something is to come.
const AIMS: [&str; 3] = ["to", "by", "at"];
/// Words before a verb that say that it was so at another time.
const BYGONE: [&str; 4] = ["last", "previously", "formerly", "be"];
/// Forms after which a verb that looks as in "set it" is one of the past: "is set".
const AUXILIARY: [&str; 8] = ["is", "are", "was", "were", "been", "has", "have", "being"];
/// Verbs whose past form is the one in which one is told to do it.
const UNCHANGED: [&str; 10] = [
    "set", "put", "cut", "shut", "let", "reset", "hit", "split", "spread", "read",
];
/// Of so many things and fewer each must be told.
const SEVERAL_MAX: f64 = 10.0;

/// What a result does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing says that it was done; the verb.
    Deed(String),
    /// Nothing is of the thing; its words.
    Thing(String),
    /// No figure is told; the verb.
    Figure(String),
    /// Fewer are told than were asked for; the number.
    Several(String),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Deed(verb) => write!(f, "does not say that something was done where \"{verb}\" was asked for"),
            Missing::Thing(thing) => write!(f, "says nothing of \"{thing}\""),
            Missing::Figure(verb) => write!(f, "holds no figure where \"{verb}\" was asked for"),
            Missing::Several(number) => write!(f, "tells of fewer than \"{number}\""),
        }
    }
}

/// What a result ought to show and does not.
pub fn missing(asked: &Text, said: &Text) -> Option<Missing> {
    let head = asked.heads().first().copied()?;
    if asked.denied_at(head).is_some() || asked.begins_with(&TABLE.preserving) {
        return None;
    }
    let verb = || asked.shown(head, head);
    let reckons = asked.begins_with(&TABLE.reckoning);
    // What is only to be found out is answered without its name.
    let seeks = (asked.begins_with(&TABLE.locating) && !asked.is_inquiry()) || asked.begins_with(&TABLE.producing);
    if seeks || reckons || asked.begins_with(&TABLE.comparing) {
        let thing = || (seeks || reckons).then(|| thing(asked, said, head)).flatten();
        let figure = || (reckons && !reckoned(asked, said)).then(|| Missing::Figure(verb()));
        return thing().or_else(figure).or_else(|| several(asked, said, head));
    }
    let is_deed = is_verb(asked, head) && !asked.is_inquiry();
    (is_deed && !is_done(asked, said, head)).then(|| Missing::Deed(verb()))
}

/// Whether a result says of a thing of the description, in the form of what was done, each verb by which it was asked for: nothing
/// else need be new in it.
pub fn is_told_done(asked: &Text, said: &Text) -> bool {
    let heads = asked.heads();
    let Some((&first, others)) = heads.split_first() else {
        return false;
    };
    let others = others.iter().copied().filter(|head| is_verb(asked, *head));
    std::iter::once(first).chain(others).all(|head| {
        let Some(verb) = asked.words.get(head) else {
            return false;
        };
        let is_thing = |word: &Word| word.root != verb.root && (word.has_content() || word.has_digit());
        let is_done = |place: usize| {
            let word = said.words.get(place);
            word.is_some_and(|word| word.is_done_form() && !is_going_on(said, place))
                && is_form_told(asked, said, head, place)
        };
        asked.denied_at(head).is_none() && said.words.iter().any(is_thing) && (0..said.words.len()).any(is_done)
    })
}

/// Whether it is not done yet: "being deleted".
fn is_going_on(said: &Text, place: usize) -> bool {
    said.before(place, 1).is_some_and(|word| word.lower == "being")
}

/// Whether the verb of the description stands here in a form in which one is not told to do it, and nothing says that it was so at
/// another time, is not so, or is still to come.
fn is_form_told(asked: &Text, said: &Text, head: usize, place: usize) -> bool {
    let before = said.before(place, 1).map_or("", |word| word.lower.as_str());
    let told = asked.words.get(head).zip(said.words.get(place));
    told.is_some_and(|(verb, word)| {
        let is_other_form =
            verb.lower != word.lower || AUXILIARY.contains(&before) || follows_thing(asked, said, place);
        verb.root == word.root && is_other_form && is_so(said, place) && !is_put_off(said, place)
    })
}

/// Whether a verb whose forms are alike stands behind a thing that was asked for, as one of the past does: "Alarm set for 18:30".
fn follows_thing(asked: &Text, said: &Text, place: usize) -> bool {
    let is_unchanged = |word: &Word| UNCHANGED.contains(&word.lower.as_str());
    let thing = said.before(place, 1).filter(|word| word.has_content());
    said.words.get(place).is_some_and(is_unchanged) && thing.is_some_and(|thing| asked.has_root(&thing.root))
}

/// Whether nothing beside a verb says that it was so at another time, is not so, or may only come to be.
fn is_so(said: &Text, place: usize) -> bool {
    let is_bygone = said
        .before(place, 1)
        .is_some_and(|word| BYGONE.contains(&word.lower.as_str()));
    !is_bygone && said.denied_at(place).is_none() && !said.is_supposed(place)
}

/// Whether a verb is what something is put off for: "scheduled for closing".
fn is_put_off(said: &Text, place: usize) -> bool {
    let is_aim = said
        .before(place, 1)
        .is_some_and(|word| ["for", "to"].contains(&word.lower.as_str()));
    is_aim && said.before(place, 2).is_some() && defers(said, place - 2)
}

fn defers(said: &Text, place: usize) -> bool {
    TABLE.deferring.iter().any(|verb| said.stands(verb, place))
}

/// Whether the word here puts off the doing of a verb: "scheduled for deletion", "deletion scheduled", "planned to be deleted".
fn puts_off(said: &Text, place: usize, verb: &Word) -> bool {
    let phrase = Phrase::from(verb.lower.clone());
    let is_doing = |word: &Word| word.root == verb.root || word.names_doing(&phrase);
    let clause = said.words.get(place).map(|word| word.clause);
    let mut beside = said.words.iter().filter(|word| Some(word.clause) == clause);
    defers(said, place) && beside.any(is_doing)
}

/// Whether the word at the head of a description is surely a verb: one of the table, or one with an object after it.
fn is_verb(asked: &Text, head: usize) -> bool {
    let stands = |group: &[Phrase]| group.iter().any(|verb| asked.stands(verb, head));
    let pairs = TABLE.opposites.iter().chain(&TABLE.states);
    let is_known = stands(&TABLE.removals) || stands(&TABLE.mends) || stands(&TABLE.including);
    let next = asked.after(head, 1);
    let has_object = next.is_some_and(|next| TABLE.determiners.contains(&next.lower) || is_number(next));
    is_known || has_object || pairs.into_iter().any(|(verbs, _)| stands(verbs))
}

fn is_number(word: &Word) -> bool {
    word.has_digit() || TABLE.numbers.contains_key(&word.lower)
}

/// Whether something of a result says that something was done: the verb itself, another one that does not only prepare it, a figure
/// that was the aim, or that things stand otherwise now.
fn is_done(asked: &Text, said: &Text, head: usize) -> bool {
    let verb = asked.words.get(head);
    let is_told = |place: usize| {
        let Some(word) = said.words.get(place).filter(|_| is_so(said, place)) else {
            return false;
        };
        let prepares = TABLE.preparing.iter().any(|verb| said.stands(verb, place))
            || verb.is_some_and(|verb| puts_off(said, place, verb));
        let is_echo = asked.words.iter().any(|own| own.lower == word.lower);
        is_form_told(asked, said, head, place) || (word.is_done_form() && !prepares && !is_echo)
    };
    (0..said.words.len()).any(is_told) || is_changed(said) || aims(asked).iter().any(|aim| is_reached(aim, said))
}

/// Whether a result says that things stand otherwise now.
fn is_changed(said: &Text) -> bool {
    let is = |place: usize, word: &str| said.words.get(place).is_some_and(|own| own.lower == word);
    (0..said.words.len()).any(|place| {
        is(place, "now")
            || (is(place, "no") && is(place + 1, "longer"))
            || (is(place, "instead") && is(place + 1, "of"))
    })
}

/// Figures of a description that say how far something is to come: "to 18 degrees", "by 10 %".
fn aims(asked: &Text) -> Vec<Figure> {
    let is_aim = |figure: &Figure| figure.lead.as_deref().is_some_and(|lead| AIMS.contains(&lead));
    figures(asked).into_iter().filter(is_aim).collect()
}

fn is_reached(aim: &Figure, said: &Text) -> bool {
    figures(said).iter().any(|told| aim.is_met_by(told))
}

/// The thing that was sought, where a result speaks of the matter, holds none of the thing's words and no code. Where no word is
/// shared, what the embeddings find is no echo of the words and may be the thing by another name: they are left to say so.
fn thing(asked: &Text, said: &Text, head: usize) -> Option<Missing> {
    let object = object(asked, head);
    let (first, last) = (*object.first()?, *object.last()?);
    let is_held = object.iter().filter_map(|place| asked.words.get(*place)).any(|own| {
        let makes = |word: &Word| own.root.chars().count() >= COMPOUND_MIN && word.root.contains(own.root.as_str());
        said.has_root(&own.root) || said.words.iter().any(makes)
    });
    let is_shared = asked
        .words
        .iter()
        .any(|own| own.has_content() && said.has_root(&own.root));
    let is_coded = (0..said.words.len()).any(|place| is_code(said, place));
    (is_shared && !is_held && !is_coded).then(|| Missing::Thing(asked.shown(first, last)))
}

/// Where the words stand of what a verb is done with: "white paint" of "order ten litres of white paint for the hall".
fn object(asked: &Text, head: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_measured = false;
    for on in 1.. {
        let Some(word) = asked.after(head, on) else { break };
        let is_joint = matches!(word.lower.as_str(), "and" | "or");
        if word.lower == "of" && is_measured {
            // What is measured is the thing, not its measure.
            found.clear();
        } else if is_number(word) {
            is_measured = true;
        } else if RELATIVE.contains(&word.lower.as_str()) {
            break;
        } else if INDEFINITE.contains(&word.lower.as_str()) {
            return Vec::new();
        } else if word.has_content() && !word.written.ends_with("'s") && !TABLE.determiners.contains(&word.lower) {
            found.push(head + on);
        } else if !found.is_empty() && !is_joint && !TABLE.determiners.contains(&word.lower) {
            break;
        }
    }
    found
}

/// Whether a code stands here, as things have that are one of many: "LH123", "ICE 72".
fn is_code(said: &Text, place: usize) -> bool {
    let Some(word) = said.words.get(place) else {
        return false;
    };
    let capitals = word.written.chars().filter(|c| c.is_uppercase()).count();
    let is_short = capitals > 1 && capitals == word.written.chars().count();
    let is_counted = said.after(place, 1).is_some_and(Word::has_digit);
    capitals > 0 && (word.has_digit() || (is_short && is_counted && !is_currency(word)))
}

/// Whether a result tells a figure that is no day and no hour, and that the description did not hold already.
fn reckoned(asked: &Text, said: &Text) -> bool {
    let own = figures(asked);
    figures(said).iter().any(|told| {
        let counts = matches!(told.measure, Measure::Number(_) | Measure::Mark(_));
        counts && own.iter().all(|own| own.measure != told.measure)
    })
}

/// The number of things that were sought, where a result neither says it nor tells so many.
fn several(asked: &Text, said: &Text, head: usize) -> Option<Missing> {
    let told = figures(said);
    let clauses = said.words.last().map_or(0, |word| word.clause + 1);
    let joints = said.words.iter().filter(|word| word.lower == "and").count();
    let most = told.len().max(clauses + joints);
    let verb = asked.words.get(head).map(|verb| verb.root.as_str());
    figures(asked).into_iter().find_map(|figure| {
        let Measure::Number(number) = figure.measure else {
            return None;
        };
        let lead = figure.lead.as_deref();
        let is_object = lead == verb || lead == Some("of");
        let is_plural = asked.after(figure.from, 1).is_some_and(|word| word.has_content());
        let counts_things = is_object && is_plural && figure.quantity.is_none() && figure.bound == Bound::Exact;
        let is_said = told.iter().any(|own| own.measure == figure.measure);
        let is_few = number > 1.0 && number <= SEVERAL_MAX && (most as f64) < number;
        (counts_things && is_few && !is_said).then(|| Missing::Several(asked.shown(figure.from, figure.to)))
    })
}

#[cfg(test)]
mod tests {
    use super::Missing;
    use super::is_told_done;
    use super::missing;
    use crate::domain::context::work::outcome::wording::Text;

    fn of(asked: &str, said: &str) -> Option<Missing> {
        missing(&Text::of(asked), &Text::of(said))
    }

    #[test]
    fn a_deed_wants_a_word_for_something_done_c056() {
        let deed = |verb: &str| Some(Missing::Deed(verb.to_owned()));
        for (asked, said, wanted) in [
            ("Sweep the yard", "The yard is full of leaves", deed("Sweep")),
            ("Sweep the yard", "Leaves were found in the yard", deed("Sweep")),
            ("Sweep the yard", "The yard was last swept in May", deed("Sweep")),
            ("Sweep the yard", "The yard was swept at 9", None),
            ("Sweep the yard", "Leaves raked and carted off", None),
            ("Sweep the yard", "The yard is clean now", None),
            ("Raise the rent to 900 EUR", "The rent: 900 EUR", None),
            ("Set the alarm", "The alarm is set", None),
            ("Set the alarm for 6:30 pm", "Alarm set for 18:30", None),
            ("Set the alarm for 6:30 pm", "Set the alarm for 18:30", deed("Set")),
            ("Do not sweep the yard", "The yard lies as before", None),
            ("Make sure that the yard is clean", "The yard is clean", None),
            ("Check the yard", "Full of leaves", None),
            ("Yard with a gate", "A yard, the gate is green", None),
        ] {
            assert_eq!(of(asked, said), wanted, "{asked} / {said}");
        }
    }

    #[test]
    fn a_verb_said_again_as_done_is_no_echo_c056() {
        for (asked, said, wanted) in [
            ("Rake the paths", "Paths raked", true),
            ("Rake the paths", "The paths were raked", true),
            ("Close gate 12", "Gate 12 closed", true),
            (
                "Invite Ann and Ott to the fair",
                "Ann and Ott were invited to the fair",
                true,
            ),
            ("Set the alarm", "The alarm is set", true),
            ("Rake the paths", "Rake the paths", false),
            ("Rake the paths", "Raked", false),
            ("Rake the paths", "Paths not raked", false),
            ("Rake the paths", "The paths are being raked", false),
            ("Rake the paths", "The paths are to be raked", false),
            ("Do not rake the paths", "Paths raked", false),
            ("Rake the paths and close the gate", "Paths raked", false),
        ] {
            assert_eq!(
                is_told_done(&Text::of(asked), &Text::of(said)),
                wanted,
                "{asked} / {said}"
            );
        }
    }

    #[test]
    fn what_is_only_put_off_is_not_done_c056() {
        let deed = |verb: &str| Some(Missing::Deed(verb.to_owned()));
        for (asked, said, wanted) in [
            (
                "Delete the photo",
                "The photo is scheduled for deletion",
                deed("Delete"),
            ),
            ("Delete the photo", "Deletion of the photo is scheduled", deed("Delete")),
            ("Close gate 12", "Gate 12 is queued to be closed", deed("Close")),
            ("Close gate 12", "Gate 12 is scheduled for closing", deed("Close")),
            (
                "Cancel the order",
                "The order is marked for cancellation",
                deed("Cancel"),
            ),
            (
                "Delete the photo",
                "Photo deleted, scheduled deletion switched off",
                None,
            ),
            ("Schedule the fair", "Fair scheduled", None),
            ("Queue the job", "The job is queued", None),
            ("Move the fair to May", "The fair is scheduled for May", None),
        ] {
            assert_eq!(of(asked, said), wanted, "{asked} / {said}");
        }
    }

    #[test]
    fn a_search_wants_a_word_of_the_thing_or_the_code_of_one_c056() {
        let thing = |words: &str| Some(Missing::Thing(words.to_owned()));
        for (asked, said, wanted) in [
            ("Find a plumber for Monday", "Monday suits all of us", thing("plumber")),
            (
                "Order two litres of green paint",
                "Two litres of varnish ordered",
                thing("green paint"),
            ),
            ("Order two litres of green paint", "Two litres of paint ordered", None),
            ("Book a bus to Ulm", "FLX 12 to Ulm, 9:14", None),
            ("Book a bus to Ulm", "A coach that leaves at 9:14", None),
            ("Book a bus to Ulm", "Seat 12 to Ulm, 9 EUR", thing("bus")),
            ("Find somewhere to sleep", "Room 4 at the Swan", None),
            (
                "Find the hole that drains the pond",
                "The pond drains fast",
                thing("hole"),
            ),
            ("Find out who drains the pond", "Ott does", None),
            ("List the parts of a plough", "Share, coulter, beam", None),
            ("Write a letter to Ann", "Letter to Ann, 2 pages", None),
        ] {
            assert_eq!(of(asked, said), wanted, "{asked} / {said}");
        }
    }

    #[test]
    fn a_reckoning_wants_a_figure_and_several_want_as_many_c056() {
        for (asked, said, wanted) in [
            (
                "Count the sheep",
                "The sheep graze till 9:00",
                Some(Missing::Figure("Count".to_owned())),
            ),
            ("Count the sheep", "41 sheep", None),
            (
                "Compare the prices of three ladders",
                "The ladder of Weiss: price 90 EUR",
                Some(Missing::Several("three ladders".to_owned())),
            ),
            (
                "Compare the prices of three ladders",
                "Ladders: 90, 95 and 80 EUR",
                None,
            ),
            ("Find two plumbers", "Plumbers Ott and Weiss", None),
        ] {
            assert_eq!(of(asked, said), wanted, "{asked} / {said}");
        }
    }
}

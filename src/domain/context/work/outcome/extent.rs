//! A result that covers a part where the whole was asked for: 10 % of the users, 9 of 12, nine lawns of twelve.
//!
//! Invariant: a question about all of something may be answered by a part.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::figure::Figure;
use crate::domain::context::work::outcome::figure::figures;
use crate::domain::context::work::outcome::measure::Measure;
use crate::domain::context::work::outcome::measure::number;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

const WHOLE_PERCENT: f64 = 100.0;
/// Words between a part and its whole: "9 lawns out of the 12".
const PART_WITHIN: usize = 5;
/// Words that say of what a part is one.
const OF: [&str; 6] = ["of", "out", "von", "sur", "de", "from"];

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    if asked.is_inquiry() {
        return None;
    }
    let part = part(said).filter(|part| !tells_whole(asked, said, part));
    let worded = asked.words.iter().position(|word| TABLE.wholes.contains(&word.lower));
    let worded = worded.filter(|whole| asked.denied_at(*whole).is_none());
    let counted = part.as_ref().and_then(|part| counted(asked, said, part));
    let told = || Some((part.as_ref()?.from, part.as_ref()?.to));
    let (whole, (from, to)) = match (counted, worded) {
        (Some(whole), _) => (whole, told()?),
        (None, Some(whole)) => (
            whole,
            told()
                .or_else(|| named(asked, said))
                .or_else(|| some(asked, said, whole))?,
        ),
        (None, None) => of_object(asked, said)?,
    };
    Some(Contradiction {
        says: said.shown(from, to),
        asked: asked.shown(whole, whole),
    })
}

/// A part of a whole, as a result tells it.
struct Part {
    whole: f64,
    from: usize,
    to: usize,
}

/// Where the description asks for as many as the whole, or for things in the plural that are counted here: "the lawns".
fn counted(asked: &Text, said: &Text, part: &Part) -> Option<usize> {
    let as_many = |figure: &Figure| matches!(figure.measure, Measure::Number(number) if number == part.whole);
    let figure = figures(asked).into_iter().find(as_many).map(|figure| figure.from);
    let of_part = |place: usize| {
        let roots = said
            .words
            .iter()
            .take(part.to + 3)
            .skip(part.from)
            .map(|word| &word.root);
        roots
            .into_iter()
            .any(|root| asked.words.get(place).is_some_and(|word| word.root == *root))
    };
    let is_definite = |place: usize| {
        asked
            .before(place, 1)
            .is_some_and(|word| TABLE.determiners.contains(&word.lower))
    };
    let plural = || {
        (1..asked.words.len()).find(|&place| {
            let word = asked.words.get(place);
            word.is_some_and(|word| word.lower.ends_with('s') && word.has_content())
                && is_definite(place)
                && of_part(place)
        })
    };
    figure.or_else(plural)
}

/// Whether a result says that it covers all of what was asked for, and counts something else: "all 200 photos, 12 of 200 show dogs".
fn tells_whole(asked: &Text, said: &Text, part: &Part) -> bool {
    let is_whole = |place: &usize| {
        let word = said.words.get(*place);
        word.is_some_and(|word| TABLE.wholes.contains(&word.lower)) && said.denied_at(*place).is_none()
    };
    let counts = |word: &Word| number(&word.lower) == Some(part.whole);
    (0..said.words.len()).filter(is_whole).any(|place| {
        let mut after = (1..=2).filter_map(|on| said.after(place, on));
        after.any(|word| counts(word) || (word.has_content() && asked.has_root(&word.root)))
    })
}

/// A part of the one thing with which something was to be done: "half of the fence" of "paint the fence".
fn of_object(asked: &Text, said: &Text) -> Option<(usize, (usize, usize))> {
    let head = asked.heads().first().copied()?;
    asked
        .after(head, 1)
        .filter(|word| TABLE.determiners.contains(&word.lower))?;
    let (from, part) = named(asked, said)?;
    let is_of = |place: &usize| said.words.get(*place).is_some_and(|word| word.lower == "of");
    let to = [part, part + 1].into_iter().find(is_of)?;
    let thing = (1..=2)
        .filter_map(|on| said.after(to, on))
        .find(|word| word.has_content())?;
    let object = asked.after(head, 2).filter(|word| word.root == thing.root)?;
    object.has_content().then_some((head + 2, (from, to)))
}

/// "some of", "half".
fn named(asked: &Text, said: &Text) -> Option<(usize, usize)> {
    let parts = TABLE.parts.iter().filter(|part| asked.exact(part).next().is_none());
    parts.into_iter().find_map(|part| {
        let place = said.exact(part).find(|place| said.denied_at(*place).is_none())?;
        Some((place, place + part.words.len() - 1))
    })
}

/// "most customers" where all of them were meant, and nothing is said of all.
fn some(asked: &Text, said: &Text, whole: usize) -> Option<(usize, usize)> {
    let is_thing = |word: &&Word| word.has_content() && !TABLE.determiners.contains(&word.lower);
    let thing = (1..=3).map_while(|on| asked.after(whole, on)).find(is_thing)?;
    let is_whole = |place: usize| {
        let word = said.words.get(place);
        word.is_some_and(|word| TABLE.wholes.contains(&word.lower)) && said.denied_at(place).is_none()
    };
    if (0..said.words.len()).any(is_whole) {
        return None;
    }
    let is_some = |place: &usize| {
        let word = said.words.get(*place);
        let is_bound = said.before(*place, 1).is_some_and(|word| word.lower == "at");
        word.is_some_and(|word| TABLE.somes.contains(&word.lower))
            && !is_bound
            && said.denied_at(*place).is_none()
            && said.after(*place, 1).is_some_and(|next| next.root == thing.root)
    };
    let place = (0..said.words.len()).find(is_some)?;
    Some((place, place + 1))
}

/// "10 % of", "80 % done", "9 of 12", "9/12", "nine lawns out of twelve".
fn part(said: &Text) -> Option<Part> {
    let told = figures(said);
    told.iter().enumerate().find_map(|(nth, figure)| {
        let of = |number: f64, whole: f64, to: usize| {
            let from = figure.from;
            (number < whole).then_some(Part { whole, from, to })
        };
        let number = match &figure.measure {
            Measure::Number(number) => *number,
            Measure::Mark(mark) => {
                let (part, whole) = mark.split_once('/')?;
                return of(number(part)?, number(whole)?, figure.to);
            }
            Measure::Clock(_) | Measure::Date(_) => return None,
        };
        let next = said.after(figure.to, 1).map(|word| word.lower.as_str());
        let is_covered = next.is_some_and(|next| next == "of" || next == "complete" || TABLE.done.contains(next));
        if is_covered && figure.units.iter().any(|unit| unit == "percent") {
            return of(number, WHOLE_PERCENT, figure.to);
        }
        let whole: &Figure = told
            .get(nth + 1)
            .filter(|whole| whole.from <= figure.from + PART_WITHIN)?;
        let between = said.words.get(figure.from + 1..whole.from)?;
        let is_of = between.iter().any(|word| OF.contains(&word.lower.as_str()));
        match whole.measure {
            Measure::Number(all) if is_of && said.after(figure.from, whole.from - figure.from).is_some() => {
                of(number, all, whole.from)
            }
            Measure::Number(_) | Measure::Clock(_) | Measure::Date(_) | Measure::Mark(_) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn a_part_is_not_the_whole_c056() {
        assert_says(
            found,
            &[
                ("Paint the fence", "Half of the fence is painted", Some("Half of")),
                ("Mow all lawns", "Lawns: 9 of 12 are mown", Some("9 of 12")),
                ("Mow all lawns", "Mown: 9 lawns of 12", Some("9 lawns of 12")),
                ("Mow all lawns", "9/12 lawns mown", Some("9/12 lawns")),
                (
                    "Mow the 12 lawns",
                    "Nine lawns out of the twelve are mown",
                    Some("Nine lawns out of the twelve"),
                ),
                ("Mow the lawns", "9 of 12 lawns are mown", Some("9 of 12")),
                ("Mow every lawn", "40 % of the lawns are mown", Some("40 %")),
                ("Mow every lawn", "Lawns 80 % done", Some("80 %")),
                ("Mow all lawns", "Some of the lawns are mown", Some("Some of")),
                (
                    "Water both plants",
                    "One of the two plants is watered",
                    Some("One of the two"),
                ),
                ("Mow all lawns", "Nine mown, three to go", Some("to go")),
                (
                    "Write to all members",
                    "Letter sent to most members",
                    Some("most members"),
                ),
                ("Write to every member", "Wrote to some members", Some("some members")),
            ],
        );
    }

    #[test]
    fn the_whole_and_an_answer_are_no_part_c056() {
        assert_says(
            found,
            &[
                ("Mow all lawns", "12 of 12 are mown", None),
                ("Mow all lawns", "100 % of the lawns", None),
                ("Mow the lawn", "Half of it", None),
                ("Count all lawns", "9 of 12 are dry", None),
                ("Find a gardener", "Ada Bell, known by 9 of 12 clubs", None),
                (
                    "Label all photos",
                    "All 200 photos are labelled, 12 of 200 show dogs",
                    None,
                ),
                ("Mow all lawns", "All mown, some lawns were wet", None),
                ("Mow all lawns", "Mown, some hedges were wet", None),
                ("Sell all lamps", "All lamps sold with 20 % off", None),
            ],
        );
    }
}

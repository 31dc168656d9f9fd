//! A result on a day that is too late or too early: on Tuesday where it was to be before Monday.
//!
//! Days of the week and months go round, so a day counts as too late only where it is the very next, or comes later in the same week
//! and no more than half of it away. Invariant: a result that also names the day that was asked for is right.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::figure::figures;
use crate::domain::context::work::outcome::table::Group;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;

const DAYS_OF_WEEK: usize = 7;
/// Words before a day on which something was or is to be.
const DATED: [&str; 8] = ["on", "in", "am", "im", "is", "for", "to", "next"];

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    if asked.is_inquiry() {
        return None;
    }
    TABLE.calendar.iter().find_map(|days| of_days(asked, said, days))
}

fn of_days(asked: &Text, said: &Text, days: &[Group]) -> Option<Contradiction> {
    let (at, wanted) = (0..asked.words.len()).find_map(|at| Some((at, nth(asked, at, days)?)))?;
    let (from, lead) = lead(asked, at)?;
    let bounds = &TABLE.bounds;
    let is = |phrases: &[Phrase]| phrases.iter().any(|phrase| phrase.text == lead);
    let is_until = is(&bounds.until);
    if !(is_until || is(&bounds.since)) || asked.denied_at(from).is_some() {
        return None;
    }
    // An hour beside the day is compared as a figure, and may be on that day itself.
    let has_hour = days.len() == DAYS_OF_WEEK && figures(asked).iter().any(|hour| hour.day.weekday == Some(wanted));
    let is_strict = is(&bounds.strict) && !has_hour;
    let told: Vec<(usize, usize)> = (0..said.words.len())
        .filter_map(|at| Some((at, nth(said, at, days)?)))
        .collect();
    if told.iter().any(|(_, day)| *day == wanted) && !is_strict {
        return None;
    }
    let is_late = |day: usize| {
        if day == wanted {
            return is_strict;
        }
        let (first, last) = if is_until { (wanted, day) } else { (day, wanted) };
        let ahead = (last + days.len() - first) % days.len();
        ahead == 1 || (last > first && ahead <= days.len() / 2)
    };
    let is_dated = |at: usize| {
        said.leading(at)
            .is_some_and(|(_, word)| DATED.contains(&word.lower.as_str()))
    };
    let repeats = |at: usize| self::lead(said, at).is_some_and(|(_, own)| own == lead);
    if told.iter().any(|(at, day)| *day == wanted && repeats(*at)) {
        return None;
    }
    let (place, _) = told
        .into_iter()
        .find(|(at, day)| is_late(*day) && is_dated(*at) && said.denied_at(*at).is_none())?;
    let first = said.leading(place).map_or(place, |(first, _)| first);
    Some(Contradiction {
        says: said.shown(first, place),
        asked: asked.shown(from, at),
    })
}

/// Which of these days a word names. A date is compared as a figure.
fn nth(text: &Text, at: usize, days: &[Group]) -> Option<usize> {
    let word = text.words.get(at).filter(|word| word.written != word.lower)?;
    let is_date = text
        .after(at, 1)
        .or(text.before(at, 1))
        .is_some_and(|beside| beside.has_digit());
    let is_dated = is_date || text.before(at, 1).is_some_and(|before| before.has_digit());
    days.iter()
        .position(|day| !is_dated && day.iter().any(|name| name.text == word.lower))
}

/// The word before a day that is no article.
fn lead(text: &Text, at: usize) -> Option<(usize, &str)> {
    text.leading(at).map(|(from, word)| (from, word.lower.as_str()))
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn a_day_too_late_or_too_early_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Deliver the desk before Monday",
                    "The desk is delivered on Tuesday",
                    Some("on Tuesday"),
                ),
                (
                    "Deliver the desk before Monday",
                    "The desk is delivered on Monday",
                    Some("on Monday"),
                ),
                (
                    "Deliver the desk by Friday",
                    "Delivered on Saturday",
                    Some("on Saturday"),
                ),
                (
                    "Deliver the desk after Friday",
                    "Delivered on Thursday",
                    Some("on Thursday"),
                ),
                (
                    "Finish the shed before June",
                    "The shed was finished in August",
                    Some("in August"),
                ),
            ],
        );
    }

    #[test]
    fn a_day_in_time_is_right_c056() {
        assert_says(
            found,
            &[
                ("Deliver the desk before Monday", "Delivered on Friday", None),
                ("Deliver the desk by Friday", "Delivered on Friday", None),
                ("Deliver the desk by Friday", "Delivered on Monday", None),
                (
                    "Deliver the desk by Friday",
                    "Ordered on Saturday, delivered by Friday",
                    None,
                ),
                ("Finish the shed before June", "Finished on 2 May", None),
                ("Finish the shed after March", "Finished in May", None),
            ],
        );
    }
}

//! The day on which an hour is: "Thursday noon", "4 May at 16:20", "18:30 on Friday".
//!
//! Invariant: hours are on different days only where both texts say theirs in the same way, both by name or both by date.

use std::ops::RangeInclusive;

use crate::domain::context::work::outcome::measure::Date;
use crate::domain::context::work::outcome::table::Group;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words that may stand between a day and its hour.
const BETWEEN: [&str; 7] = ["at", "on", "um", "am", "pm", "of", "o'clock"];
/// So many words are looked at.
const WITHIN: usize = 5;
const DAYS_OF_WEEK: usize = 7;

/// A date of a text, and the words that say it.
pub type Dated = (RangeInclusive<usize>, Date);

/// A day, as far as it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// Which of the week.
    pub weekday: Option<usize>,
    pub date: Option<Date>,
}

impl Day {
    /// Whether both cannot be the same.
    pub fn differs(self, other: Day) -> bool {
        if let (Some(own), Some(told)) = (self.date, other.date) {
            let (own, told) = own.ranks(told);
            return own != told;
        }
        let both = self.weekday.zip(other.weekday);
        both.is_some_and(|(own, told)| own != told)
    }
}

/// The day beside the hour at a place, and where it begins if it stands before the hour.
pub fn beside(text: &Text, hour: usize, dates: &[Dated]) -> (Day, Option<usize>) {
    let before: Vec<usize> = (1..=WITHIN).map_while(|back| hour.checked_sub(back)).collect();
    let before = of_day(text, before, dates);
    let after = of_day(text, (hour + 1..=hour + WITHIN).collect(), dates);
    let all = || before.iter().chain(&after);
    let dated = |place: &usize| dates.iter().find(|(words, _)| words.contains(place));
    let day = Day {
        weekday: all().find_map(|place| weekday(text.words.get(*place)?)),
        date: all().find_map(dated).map(|(_, date)| *date),
    };
    (day, before.iter().min().copied())
}

/// Those of the places that are of a day, up to the first word that is neither that nor between a day and its hour.
fn of_day(text: &Text, places: Vec<usize>, dates: &[Dated]) -> Vec<usize> {
    let is_dated = |place: usize| dates.iter().any(|(words, _)| words.contains(&place));
    let is_day = |place: usize, word: &Word| is_dated(place) || is_named(word);
    let known = places.into_iter().map_while(|place| {
        let word = text.words.get(place)?;
        let is_between = BETWEEN.contains(&word.lower.as_str());
        (is_between || is_day(place, word)).then_some((place, is_between))
    });
    known
        .filter(|(_, is_between)| !is_between)
        .map(|(place, _)| place)
        .collect()
}

/// Whether a word names a day of the week or a month.
fn is_named(word: &Word) -> bool {
    let mut names = TABLE.calendar.iter().flatten().flatten();
    word.written != word.lower && names.any(|name| name.text == word.lower)
}

fn weekday(word: &Word) -> Option<usize> {
    let days = TABLE.calendar.iter().find(|days| days.len() == DAYS_OF_WEEK)?;
    let names = |day: &Group| day.iter().any(|name| name.text == word.lower);
    days.iter().position(names).filter(|_| word.written != word.lower)
}

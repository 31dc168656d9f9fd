//! A date or time of day against those that were said, and against the end of the journey or stay that they mark.

use jiff::civil::Date;

use crate::domain::evolution::judge::Case;
use crate::domain::evolution::judge::said::Moment;
use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::judge::side;
use crate::domain::evolution::moment;
use crate::domain::evolution::moment::tense::Tense;
use crate::domain::time::At;

/// Judges a date `YYYY-MM-DD`.
pub fn date(value: &str, said: &Said, case: &Case<'_>) -> Option<bool> {
    let date: Date = value.get(..10)?.parse().ok()?;
    against(&said.dates, said, case, &|text| date_of(value, date, text, case.at))
}

/// Judges a time of day `HH:MM`.
pub fn time(value: &str, said: &Said, case: &Case<'_>) -> Option<bool> {
    if !moment::is_time(value) {
        return None;
    }
    against(&said.times, said, case, &|text| {
        moment::time_agrees(value, &spelled(text))
    })
}

/// One that agrees and marks no other end is enough; one that cannot be compared leaves it open.
fn against(moments: &[Moment], said: &Said, case: &Case<'_>, agrees: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    let own = side::of_key(case.key, case.siblings);
    let mut open = false;
    for moment in moments {
        match agrees(&moment.text) {
            Some(true) => {
                let other_end = side::of_moment(said, moment.span, case.key, case.siblings)
                    .is_some_and(|marked| own.is_some_and(|own| own != marked));
                if !other_end {
                    return Some(true);
                }
            }
            Some(false) => {}
            None => open = true,
        }
    }
    if open { None } else { Some(false) }
}

/// A time of day in the form that [`moment`] reads: "morning 8" and "8 o\"clock in the morning" are 8 am. What it reads
/// as it stands is left alone: noon and midnight, and what tells quarters and halves.
fn spelled(text: &str) -> String {
    let said = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let noon = said(&["noon"]) && !said(&["afternoon"]);
    if noon || said(&["midnight", "quarter", "half"]) {
        return text.to_owned();
    }
    let half = if said(&["afternoon", "evening", "night"]) {
        " pm"
    } else if said(&["morning"]) {
        " am"
    } else {
        ""
    };
    let clock = text
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    match (clock, half) {
        (Some(clock), " pm" | " am") => format!("{}{half}", clock.trim_end_matches(|c: char| !c.is_ascii_digit())),
        (_, _) => text.replace("o\"clock", "o'clock").replace("oclock", "o'clock"),
    }
}

/// Whether a date is what was said; `None` when only the moment of saying could tell and is not known. Which year is meant where none
/// is said only who said it knows: the next such day agrees, and so does the latest.
fn date_of(value: &str, date: Date, text: &str, at: Option<At>) -> Option<bool> {
    let read = |tense: Tense| at.and_then(|at| moment::parse_date(text, tense, at));
    let (ahead, past) = (read(Tense::Ahead), read(Tense::Past));
    if ahead == Some(date) || past == Some(date) {
        return Some(true);
    }
    if ahead.is_some() && moment::says_year(text) {
        return Some(false);
    }
    // A weekday or a day of the month may be meant of the next week or month.
    match (moment::date_agrees(value, text), ahead) {
        (Some(agrees), _) => Some(agrees),
        (None, Some(_)) => Some(false),
        (None, None) => None,
    }
}

//! Dates and times as people say them, read relative to a moment.
//!
//! Knows English words and the calendar; knows no key. A relative date is read only where the moment of saying is given; whether it
//! lies ahead is read from the words around it (`tense.rs`).

pub mod tense;

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use regex::Regex;

use crate::domain::evolution::lexicon;
use crate::domain::evolution::moment::tense::Tense;
use crate::domain::time::At;

static MONTH: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\b")
});
static DAY: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b"));
static ORDINAL_DAY: LazyLock<Regex> = LazyLock::new(|| compile(r"\b\d{1,2}(?:st|nd|rd|th)\b"));
static YEAR: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(20\d\d)\b"));
static ISO: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(\d{4}-\d{2}-\d{2})\b"));
static WEEKDAY: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|sday|s|nesday|rsday|rs|r|urday)?\b"));
static IN_DAYS: LazyLock<Regex> = LazyLock::new(|| compile(r"\bin (\w+) (day|week)"));
static AGO: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(\w+(?:[ -]\w+)?) (day|week|month|year)s? ago\b"));
static SLASHED: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(\d{1,2})/(\d{1,2})\b"));
static CLOCK: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(\d{1,2}):(\d{2})\b"));
/// An hour of two digits is one of twenty-four.
static CLOCK_OF_A_DAY: LazyLock<Regex> = LazyLock::new(|| compile(r"\b\d{2}:\d{2}\b"));
static HOUR: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(\d{1,2})\s?(?:[ap]\.?m\b|o'?clock)"));
static PAST: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(quarter|half) (past|to) (\w+)"));
static WORD_HOUR: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?: ?(?:[ap]\.?m\b|o'?clock|in the ))",
    )
});
static AFTERNOON: LazyLock<Regex> = LazyLock::new(|| compile(r"\d ?p\.?m\b|\bp\.?m\b|afternoon|evening|night"));
static MORNING: LazyLock<Regex> = LazyLock::new(|| compile(r"\d ?a\.?m\b|\ba\.m\b|morning"));

/// The pattern of a time of day as `HH:MM`. JSON Schema's own format `time` demands seconds and an offset, which nobody
/// says.
pub const CLOCK_PATTERN: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]$";

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant that a test compiles")
}

/// The UTC date that holds a moment.
pub fn date_of(at: At) -> Option<Date> {
    let timestamp = jiff::Timestamp::from_millisecond(at.0).ok()?;
    Some(timestamp.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// The nearest day of that month and number that lies where it is said to lie, today included.
fn nearest(month: i8, day: i8, today: Date, tense: Tense) -> Option<Date> {
    let in_year = |years: i16| Date::new(today.year().checked_add(years)?, month, day).ok();
    // A day that this year does not have may be one of the other year.
    match tense {
        Tense::Ahead => [0, 1].into_iter().filter_map(in_year).find(|date| *date >= today),
        Tense::Past => [0, -1].into_iter().filter_map(in_year).find(|date| *date <= today),
        Tense::LastYear => in_year(-1),
    }
}

/// A date as it was said at a moment; `None` when it says none that exists. A day without a year is the next one, or the latest where
/// it lies behind.
pub fn parse_date(text: &str, tense: Tense, at: At) -> Option<Date> {
    let said = text.to_lowercase();
    let today = date_of(at)?;
    if let Some(iso) = ISO.captures(&said) {
        return iso.get(1)?.as_str().parse().ok();
    }
    let day = day_number(&said);
    if let (Some(month), Some(day)) = (month_number(&said), day) {
        return match year_number(&said) {
            Some(year) => Date::new(year, month, day).ok(),
            None => nearest(month, day, today, tense),
        };
    }
    let ahead = |days: i64| today.checked_add(days.days()).ok();
    if let Some(found) = AGO.captures(&said) {
        return ago(today, found.get(1)?.as_str(), found.get(2)?.as_str());
    }
    if said.contains("yesterday") {
        return ahead(if said.contains("day before") { -2 } else { -1 });
    }
    if said.contains("day after tomorrow") {
        return ahead(2);
    }
    if said.contains("tomorrow") {
        return ahead(1);
    }
    if said.contains("today") || said.contains("tonight") {
        return Some(today);
    }
    if let Some(weekday) = weekday_number(&said) {
        let now = i64::from(today.weekday().to_monday_zero_offset());
        let days = if said.contains("next week") {
            7 + weekday - now
        } else if tense == Tense::Past {
            (weekday - now).rem_euclid(7) - 7
        } else if weekday > now || (weekday == now && said.contains("this")) {
            weekday - now
        } else {
            7 + weekday - now
        };
        return ahead(days);
    }
    if let Some(found) = IN_DAYS.captures(&said) {
        let count = lexicon::number(found.get(1)?.as_str())?;
        let unit = if found.get(2)?.as_str() == "week" { 7.0 } else { 1.0 };
        return (count <= 366.0).then(|| ahead((count * unit) as i64)).flatten();
    }
    if let Some(found) = SLASHED.captures(&said) {
        let month = found.get(1)?.as_str().parse().ok()?;
        let day = found.get(2)?.as_str().parse().ok()?;
        return nearest(month, day, today, tense);
    }
    if !ORDINAL_DAY.is_match(&said) && !lexicon::classes().ord.keys().any(|word| said.contains(word.as_str())) {
        return None;
    }
    let start = today.first_of_month();
    let start = if said.contains("next month") {
        start.checked_add(1.month()).ok()?
    } else {
        start
    };
    let in_month = |date: Date| Date::new(date.year(), date.month(), day?).ok();
    let date = in_month(start)?;
    if tense == Tense::Past && date > today && !said.contains("month") {
        return in_month(start.checked_sub(1.month()).ok()?);
    }
    if tense == Tense::Ahead && date < today && !said.contains("this") {
        return in_month(start.checked_add(1.month()).ok()?);
    }
    Some(date)
}

/// The day so many units before today.
fn ago(today: Date, count: &str, unit: &str) -> Option<Date> {
    let said = lexicon::number(count).or_else(|| count.ends_with('a').then_some(1.0))?;
    let count = Some(said).filter(|count| *count <= 366.0)? as i64;
    let span = match unit {
        "day" => count.days(),
        "week" => count.weeks(),
        "month" => count.months(),
        _ => count.years(),
    };
    today.checked_sub(span).ok()
}

fn year_number(said: &str) -> Option<i16> {
    YEAR.captures(said)?.get(1)?.as_str().parse().ok()
}

fn month_number(said: &str) -> Option<i8> {
    let found = MONTH.captures(said)?.get(1)?.as_str();
    let at = MONTHS.iter().position(|month| *month == found)?;
    i8::try_from(at + 1).ok()
}

fn weekday_number(said: &str) -> Option<i64> {
    let found = WEEKDAY.captures(said)?.get(1)?.as_str();
    let at = WEEKDAYS.iter().position(|day| *day == found)?;
    i64::try_from(at).ok()
}

fn day_number(said: &str) -> Option<i8> {
    let digits = DAY
        .captures_iter(said)
        .filter_map(|found| found.get(1)?.as_str().parse::<i8>().ok())
        .find(|day| (1..=31).contains(day));
    digits.or_else(|| {
        let ordinals = &lexicon::classes().ord;
        said.split(|c: char| !c.is_alphabetic())
            .find_map(|word| ordinals.get(word))
            .and_then(|day| i8::try_from(*day).ok())
    })
}

/// A time of day as it was said, in minutes since midnight; `true` beside it when morning or afternoon was said.
pub fn parse_time(text: &str) -> Option<(u32, bool)> {
    let said = text.to_lowercase();
    if said.contains("midnight") {
        return Some((0, true));
    }
    if said.contains("noon") && !said.contains("afternoon") {
        return Some((12 * 60, true));
    }
    let (mut hour, minute) = hour_and_minute(&said)?;
    if hour > 23 || minute > 59 {
        return None;
    }
    let afternoon = AFTERNOON.is_match(&said);
    let morning = MORNING.is_match(&said);
    if afternoon && hour < 12 {
        hour += 12;
    } else if morning && hour == 12 {
        hour = 0;
    }
    Some((hour * 60 + minute, afternoon || morning || hour > 12))
}

/// Whether a time of day can be one of the morning as well as one of the afternoon: "2 o'clock", "half past nine", "9:30", and neither
/// "09:30" nor "2 pm".
pub fn is_of_either_half(text: &str) -> bool {
    let of_a_day = CLOCK_OF_A_DAY.is_match(text);
    parse_time(text).is_some_and(|(_, certain)| !certain && !of_a_day)
}

fn hour_and_minute(said: &str) -> Option<(u32, u32)> {
    if let Some(found) = PAST.captures(said) {
        let part = if found.get(1)?.as_str() == "half" { 30 } else { 15 };
        let hour = lexicon::number(found.get(3)?.as_str()).filter(|hour| (1.0..=12.0).contains(hour))? as u32;
        return if found.get(2)?.as_str() == "past" {
            Some((hour, part))
        } else {
            Some((hour - 1, 60 - part))
        };
    }
    if let Some(found) = CLOCK.captures(said) {
        return Some((
            found.get(1)?.as_str().parse().ok()?,
            found.get(2)?.as_str().parse().ok()?,
        ));
    }
    if let Some(found) = HOUR.captures(said) {
        return Some((found.get(1)?.as_str().parse().ok()?, 0));
    }
    if let Some(found) = WORD_HOUR.captures(said) {
        return Some((lexicon::number(found.get(1)?.as_str())? as u32, 0));
    }
    None
}

/// A time of day as `HH:MM`.
pub fn clock(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Friday.
    fn friday() -> At {
        At::parse("2026-05-01T10:00:00Z").expect("a moment")
    }

    #[test]
    fn dates_are_read_relative_to_their_moment_z112() {
        for (said, date) in [
            ("2026-07-01", "2026-07-01"),
            ("May 4", "2026-05-04"),
            ("the 4th of May", "2026-05-04"),
            ("March 3rd", "2027-03-03"),
            ("May 1", "2026-05-01"),
            ("April 30", "2027-04-30"),
            ("in March 1st", "2027-03-01"),
            ("4/30", "2027-04-30"),
            ("5/1", "2026-05-01"),
            ("december 24 2027", "2027-12-24"),
            ("tomorrow", "2026-05-02"),
            ("the day after tomorrow", "2026-05-03"),
            ("tonight", "2026-05-01"),
            ("Monday", "2026-05-04"),
            ("next friday", "2026-05-08"),
            ("this friday", "2026-05-01"),
            ("tuesday next week", "2026-05-05"),
            ("in three days", "2026-05-04"),
            ("yesterday", "2026-04-30"),
            ("the day before yesterday", "2026-04-29"),
            ("three weeks ago", "2026-04-10"),
            ("a month ago", "2026-04-01"),
            ("a couple of days ago", "2026-04-29"),
            ("2 years ago", "2024-05-01"),
            ("in 2 weeks", "2026-05-15"),
            ("6/15", "2026-06-15"),
            ("the 11th", "2026-05-11"),
            ("the fifth of next month", "2026-06-05"),
        ] {
            let read = parse_date(said, Tense::Ahead, friday()).map(|date| date.to_string());
            assert_eq!(read.as_deref(), Some(date), "{said}");
        }
        for said in ["", "soon", "31 february", "3 bags", "99/99"] {
            assert_eq!(parse_date(said, Tense::Ahead, friday()), None, "{said}");
        }
    }

    #[test]
    fn dates_that_lie_behind_are_the_latest_before_their_moment_z112() {
        for (said, date) in [
            ("2026-07-01", "2026-07-01"),
            ("May 4", "2025-05-04"),
            ("May 1", "2026-05-01"),
            ("April 30", "2026-04-30"),
            ("5/2", "2025-05-02"),
            ("4/30", "2026-04-30"),
            ("december 24 2027", "2027-12-24"),
            ("Monday", "2026-04-27"),
            ("friday", "2026-04-24"),
            ("the 11th", "2026-04-11"),
            ("the 1st", "2026-05-01"),
        ] {
            let read = parse_date(said, Tense::Past, friday()).map(|date| date.to_string());
            assert_eq!(read.as_deref(), Some(date), "{said}");
        }
        let last_year = parse_date("30 April", Tense::LastYear, friday()).map(|date| date.to_string());
        assert_eq!(last_year.as_deref(), Some("2025-04-30"));
    }

    #[test]
    fn times_are_read_with_the_half_of_the_day_when_it_is_said_z112() {
        for (said, time) in [
            ("at 5 pm", (17 * 60, true)),
            ("5:30", (5 * 60 + 30, false)),
            ("half past nine in the evening", (21 * 60 + 30, true)),
            ("quarter to six", (5 * 60 + 45, false)),
            ("noon", (720, true)),
            ("midnight", (0, true)),
            ("12:15 am", (15, true)),
            ("seven o'clock", (7 * 60, false)),
            ("18:05", (18 * 60 + 5, true)),
        ] {
            assert_eq!(parse_time(said), Some(time), "{said}");
        }
        assert_eq!(parse_time("later"), None);
        assert_eq!(parse_time("99:99"), None);
        assert_eq!(clock(17 * 60 + 5), "17:05");
    }

    #[test]
    fn an_hour_without_its_half_of_the_day_is_of_either_z112() {
        for said in [
            "2 o'clock",
            "half past nine",
            "quarter to six",
            "9:30",
            "at seven o'clock",
            "12 o'clock",
        ] {
            assert!(is_of_either_half(said), "{said}");
        }
        for said in [
            "2 pm",
            "half past nine in the evening",
            "09:30",
            "14:00",
            "10:15",
            "noon",
            "midnight",
            "later",
        ] {
            assert!(!is_of_either_half(said), "{said}");
        }
    }
}

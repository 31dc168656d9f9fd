//! Dates as people and programs write them, in the form of RFC 3339.
//!
//! Invariant: a text that can be read as two days is read as none, since no order of day and month is everybody's.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use jiff::civil::Date;
use jiff::civil::Time;
use jiff::fmt::temporal::Pieces;

/// Bytes of a text that may be a date.
const BYTES_MAX: usize = 64;
/// Years have four digits: of any other text it is not known which part is the year.
const YEARS: RangeInclusive<i16> = 1_000..=9_999;
/// Orders of year, month and day, in numbers or with the English name of the month.
const FORMS: [&str; 7] = [
    "%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y",
];

/// Reads the day that a text names, as `YYYY-MM-DD`, with true where the text holds no more than that.
pub fn read(text: &str) -> Option<(String, bool)> {
    let text = text.trim();
    if text.len() > BYTES_MAX {
        return None;
    }
    let moment = Pieces::parse(text).ok();
    let written = moment.as_ref().map(Pieces::date);
    let plain = text.replace(['/', '.'], "-").replace(',', "");
    let read = FORMS.iter().filter_map(|form| Date::strptime(form, &plain).ok());
    let days: BTreeSet<Date> = read.chain(written).filter(|day| YEARS.contains(&day.year())).collect();
    let time = moment.and_then(|moment| moment.time());
    let day = days.first().filter(|_| days.len() == 1)?;
    Some((day.to_string(), time.is_none_or(|time| time == Time::midnight())))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_date_is_read_where_one_day_alone_is_meant() {
        for (text, day, is_all) in [
            ("2026-5-4", "2026-05-04", true),
            ("2026/05/04", "2026-05-04", true),
            ("2026.5.4", "2026-05-04", true),
            ("20260504", "2026-05-04", true),
            (" 2026-05-04 ", "2026-05-04", true),
            ("24.12.2026", "2026-12-24", true),
            ("12/24/2026", "2026-12-24", true),
            ("5/5/2026", "2026-05-05", true),
            ("4 May 2026", "2026-05-04", true),
            ("May 4, 2026", "2026-05-04", true),
            ("dec 24 2026", "2026-12-24", true),
            ("2026-05-04T00:00:00Z", "2026-05-04", true),
            ("2026-05-04T00:00:00.000+02:00", "2026-05-04", true),
            ("2026-05-04 00:00", "2026-05-04", true),
            ("2026-05-04T09:30:00", "2026-05-04", false),
        ] {
            assert_eq!(read(text), Some((day.to_owned(), is_all)), "{text}");
        }
        for text in [
            "04.05.2026",
            "4/5/2026",
            "4-5-2026",
            "31.02.2026",
            "2026-02-29",
            "24.12.26",
            "4.5.26",
            "26-12-24",
            "24 December",
            "2026-05",
            "2026",
            "tomorrow",
            "",
            "2026-05-04 or 2026-05-05",
            "-2026-05-04",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

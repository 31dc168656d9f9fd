//! What a word measures: a number, a time of day, a date, or the number of a thing; and the units of numbers.
//!
//! Invariant: two numbers are equal only where their units say the same, converted if need be; currencies are not converted.

use crate::domain::context::work::outcome::table::Group;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

pub const MINUTES_OF_HOUR: u32 = 60;
const NOON: u32 = 12 * MINUTES_OF_HOUR;
const MONTHS_OF_YEAR: u32 = 12;
const DAYS_OF_MONTH: u32 = 31;
/// By how much numbers of different units may differ when they are converted: "5 miles" are "8 km".
const CONVERTED_WITHIN: f64 = 0.01;
/// The dimension of currencies.
const MONEY: &str = "money";

/// Names of twelve o'clock in the day. Midnight is the end of one day and the beginning of another, so it is left out.
const NOONS: [&str; 2] = ["noon", "midday"];

/// What a figure measures.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    Number(f64),
    /// Minutes since midnight.
    Clock(u32),
    Date(Date),
    /// The number of a thing, such as `TN-2420`.
    Mark(String),
}

/// A day, with its year where that is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    pub year: Option<u32>,
    pub month: u32,
    pub day: u32,
}

impl Date {
    /// Both as numbers that can be compared, without the year where one of them has none.
    pub fn ranks(self, other: Date) -> (f64, f64) {
        let years = self.year.zip(other.year);
        let rank = |date: Date, year: Option<u32>| {
            f64::from((year.unwrap_or(0) * MONTHS_OF_YEAR + date.month) * DAYS_OF_MONTH + date.day)
        };
        (
            rank(self, years.map(|years| years.0)),
            rank(other, years.map(|years| years.1)),
        )
    }
}

/// A number of a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    pub number: f64,
    pub unit: &'static str,
    pub dimension: &'static str,
    /// In the unit to which all of the dimension are converted.
    base: f64,
}

impl Quantity {
    pub fn of(number: f64, unit: &str) -> Option<Quantity> {
        let measures = TABLE.measures.iter();
        let (dimension, (unit, (add, times))) = measures
            .filter_map(|(dimension, units)| Some((dimension, units.get_key_value(unit)?)))
            .next()?;
        Some(Quantity {
            number,
            unit,
            dimension,
            base: (number + add) * times,
        })
    }

    pub fn is_money(&self) -> bool {
        self.dimension == MONEY
    }

    /// Both as numbers of one unit, and how far they may be apart; `None` where nothing converts one to the other.
    pub fn weighed(&self, other: &Quantity) -> Option<(f64, f64, f64)> {
        if self.unit == other.unit {
            return Some((self.number, other.number, f64::EPSILON));
        }
        let converts = self.dimension == other.dimension && !self.is_money();
        converts.then(|| (self.base, other.base, self.base.abs() * CONVERTED_WITHIN))
    }
}

/// What the figures of a word measure, and the unit that is written in one with it; two figures are a span.
pub fn measures(text: &Text, place: usize) -> Option<(Vec<Measure>, Option<String>)> {
    let word = text.words.get(place)?;
    if let Some(number) = TABLE.numbers.get(&word.lower) {
        return Some((vec![Measure::Number(f64::from(*number))], None));
    }
    if NOONS.contains(&word.lower.as_str()) {
        return Some((vec![Measure::Clock(NOON)], None));
    }
    if !word.has_digit() {
        return None;
    }
    let half = text.after(place, 1).map_or("", |next| next.lower.as_str());
    let one = |word: &str| {
        clock(word, half)
            .map(Measure::Clock)
            .or_else(|| number(word).map(Measure::Number))
    };
    if let Some(date) = date(text, place) {
        return Some((vec![Measure::Date(date)], None));
    }
    if let Some(own) = one(&word.lower) {
        return Some((vec![own], None));
    }
    if let Some((number, unit)) = with_unit(&word.lower) {
        return Some((vec![Measure::Number(number)], Some(unit)));
    }
    let span = word
        .lower
        .split_once('-')
        .and_then(|(low, high)| Some(vec![one(low)?, one(high)?]));
    let span = span.filter(|span| {
        matches!(
            span.as_slice(),
            [Measure::Clock(_), Measure::Clock(_)] | [Measure::Number(_), Measure::Number(_)]
        )
    });
    Some((span.unwrap_or_else(|| vec![Measure::Mark(word.lower.clone())]), None))
}

/// A unit as the table of measures names it, or the root of a word that is counted.
pub fn unit(word: &Word) -> String {
    TABLE.units.get(&word.lower).unwrap_or(&word.root).clone()
}

/// Whether a word is a unit of the table.
pub fn is_unit(word: &Word) -> bool {
    TABLE.units.contains_key(&word.lower) || TABLE.measures.values().any(|units| units.contains_key(&word.lower))
}

/// Whether a word is a sign or a code of a currency, which may stand before its figure.
pub fn is_currency(word: &Word) -> bool {
    let money = TABLE.measures.get(MONEY);
    let is_plural = TABLE.units.contains_key(&word.lower) && word.lower.chars().all(char::is_alphabetic);
    !is_plural && money.is_some_and(|units| units.contains_key(&unit(word)))
}

/// `17:20`, `9pm`, and `9` before `pm`.
fn clock(word: &str, next: &str) -> Option<u32> {
    let half = ["am", "pm"]
        .into_iter()
        .find(|half| word.ends_with(half) || next == *half);
    let digits = half.and_then(|half| word.strip_suffix(half)).unwrap_or(word);
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes.parse().ok()?),
        None if half.is_some() => (digits, 0),
        None => return None,
    };
    let hours: u32 = hours.parse().ok().filter(|hours| *hours < 24)?;
    let hours = match half {
        Some("pm") if hours < 12 => hours + 12,
        Some("am") if hours == 12 => 0,
        _ => hours,
    };
    (minutes < MINUTES_OF_HOUR).then_some(hours * MINUTES_OF_HOUR + minutes)
}

/// `2026-05-08`, and a day beside its month: `May 8`, `8 May`, `8th of May`.
fn date(text: &Text, place: usize) -> Option<Date> {
    let word = &text.words.get(place)?.lower;
    let parts: Vec<&str> = word.split('-').collect();
    let (year, month, day) = if let [year, month, day] = parts[..] {
        let year = year.parse().ok().filter(|_| year.len() == 4)?;
        (Some(year), month.parse().ok()?, day.parse().ok()?)
    } else {
        let of = |on| {
            text.after(place, on)
                .filter(|_| on == 1 || text.after(place, 1).is_some_and(|word| word.lower == "of"))
        };
        let beside = [text.before(place, 1), of(1), of(2)];
        (
            None,
            beside.into_iter().flatten().find_map(month)?,
            day_of_month(number(word)?)?,
        )
    };
    ((1..=MONTHS_OF_YEAR).contains(&month) && (1..=DAYS_OF_MONTH).contains(&day)).then_some(Date { year, month, day })
}

/// The number of the month that a word names.
fn month(word: &Word) -> Option<u32> {
    let months = TABLE
        .calendar
        .iter()
        .find(|list| u32::try_from(list.len()) == Ok(MONTHS_OF_YEAR))?;
    let is_own = |month: &Group| month.iter().any(|name| name.text == word.lower);
    let is_name = word.written != word.lower;
    let nth = months.iter().position(is_own).filter(|_| is_name)?;
    u32::try_from(nth + 1).ok()
}

/// The day of a month that a number may be.
pub fn day_of_month(number: f64) -> Option<u32> {
    (1..=DAYS_OF_MONTH).find(|day| (f64::from(*day) - number).abs() < f64::EPSILON)
}

/// `1,204`, `5.90`, `14th`.
pub fn number(word: &str) -> Option<f64> {
    let word = ["st", "nd", "rd", "th"]
        .into_iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word);
    let grouped = word
        .split(',')
        .skip(1)
        .all(|group| group.split('.').next().is_some_and(|group| group.len() == 3));
    let plain = if grouped {
        word.replace(',', "")
    } else {
        word.replace(',', ".")
    };
    let is_plain = plain.chars().all(|c| c.is_ascii_digit() || c == '.');
    plain.parse().ok().filter(|_| is_plain)
}

/// `75mg`, `EUR120`.
fn with_unit(word: &str) -> Option<(f64, String)> {
    let digits = word.trim_matches(char::is_alphabetic);
    let unit = word.strip_prefix(digits).or_else(|| word.strip_suffix(digits))?;
    let unit = TABLE.units.get(unit).map_or(unit, String::as_str);
    let own = Quantity::of(number(digits)?, unit)?;
    (word.starts_with(digits) || own.is_money()).then(|| (own.number, unit.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Date;
    use super::Measure;
    use super::Quantity;
    use super::measures;
    use crate::domain::context::work::outcome::wording::Text;

    fn first(text: &str) -> Vec<Measure> {
        let text = Text::of(text);
        let mut all = (0..text.words.len()).filter_map(|place| measures(&text, place));
        all.next().map(|(measures, _)| measures).unwrap_or_default()
    }

    #[test]
    fn numbers_times_dates_spans_and_numbers_of_things_are_read() {
        let date = |year, month, day| vec![Measure::Date(Date { year, month, day })];
        for (text, wanted) in [
            ("1,204.5", vec![Measure::Number(1204.5)]),
            ("75mg", vec![Measure::Number(75.0)]),
            ("EUR120", vec![Measure::Number(120.0)]),
            ("9 pm", vec![Measure::Clock(21 * 60)]),
            ("LH123", vec![Measure::Mark("lh123".to_owned())]),
            ("9:00\u{2013}10:00", vec![Measure::Clock(540), Measure::Clock(600)]),
            ("3-5 days", vec![Measure::Number(3.0), Measure::Number(5.0)]),
            ("2026-05-08", date(Some(2026), 5, 8)),
            ("on 8 May", date(None, 5, 8)),
            ("May 8", date(None, 5, 8)),
            ("the 8th of May", date(None, 5, 8)),
        ] {
            assert_eq!(first(text), wanted, "{text}");
        }
    }

    #[test]
    fn units_of_one_dimension_are_converted_and_currencies_are_not() {
        let weighed = |one: (f64, &str), other: (f64, &str)| {
            let quantity = |(number, unit)| Quantity::of(number, unit).expect("a unit");
            quantity(one)
                .weighed(&quantity(other))
                .map(|(one, other, within)| (one - other).abs() <= within)
        };
        assert_eq!(weighed((500.0, "mg"), (0.5, "g")), Some(true));
        assert_eq!(weighed((5.0, "mg"), (5.0, "g")), Some(false));
        assert_eq!(weighed((90.0, "minute"), (1.5, "hour")), Some(true));
        assert_eq!(weighed((212.0, "fahrenheit"), (100.0, "celsius")), Some(true));
        assert_eq!(weighed((5.0, "mile"), (8.0, "km")), Some(true));
        assert_eq!(weighed((120.0, "eur"), (120.0, "usd")), None);
        assert_eq!(weighed((10.0, "minute"), (10.0, "km")), None);
    }
}

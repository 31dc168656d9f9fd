//! Figures of a text: numbers, times of day and the numbers of things, with what they count and where they stand.
//!
//! Invariant: a figure that is only about right, or one end of a span, is loose.

use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

const MINUTES_OF_HOUR: u32 = 60;
/// Words after a figure among which is what it counts ("14 wooden chairs").
const UNIT_WITHIN: usize = 2;

/// What a figure measures.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    Number(f64),
    /// Minutes since midnight.
    Clock(u32),
    /// The number of a thing, such as `TN-2420`.
    Mark(String),
}

/// How a figure binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Exact,
    Upper,
    Lower,
    Loose,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub measure: Measure,
    pub bound: Bound,
    /// What it counts: roots of the words after it, or a currency.
    pub units: Vec<String>,
    /// The word before it that is no article.
    pub lead: Option<String>,
    /// The first and the last word to show.
    pub from: usize,
    pub to: usize,
}

/// Every figure of a text.
pub fn figures(text: &Text) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    for place in 0..text.words.len() {
        let Some(measure) = measure(text, place) else {
            continue;
        };
        let mut figure = of(text, place, measure);
        let joint = text.before(place, 1).map_or("", |word| word.lower.as_str());
        let spans = |last: &Figure| match joint {
            "or" | "to" => true,
            "and" => last.bound == Bound::Loose,
            _ => false,
        };
        if let Some(last) = found.last_mut().filter(|last| last.to + 2 >= place && spans(last)) {
            last.bound = Bound::Loose;
            figure.bound = Bound::Loose;
        }
        found.push(figure);
    }
    found
}

fn of(text: &Text, place: usize, measure: Measure) -> Figure {
    let symbol = text.before(place, 1).and_then(currency);
    let first = if symbol.is_some() { place - 1 } else { place };
    let units = (1..=UNIT_WITHIN).map_while(|on| text.after(place, on).filter(|word| counts(word)));
    let units: Vec<&Word> = units.collect();
    Figure {
        bound: bound(text, first, &measure),
        lead: text.leading(first).map(|(_, word)| word.root.clone()),
        from: first,
        to: if symbol.is_some() {
            place
        } else {
            place + units.len().min(1)
        },
        units: units.into_iter().map(unit).chain(symbol).collect(),
        measure,
    }
}

/// Whether a word may be what a figure before it counts.
fn counts(word: &Word) -> bool {
    word.has_content() || TABLE.units.contains_key(&word.lower)
}

fn unit(word: &Word) -> String {
    TABLE.units.get(&word.lower).unwrap_or(&word.root).clone()
}

/// The unit of a sign that stands before its figure.
fn currency(word: &Word) -> Option<String> {
    ["€", "$", "£"].contains(&word.lower.as_str()).then(|| unit(word))
}

fn measure(text: &Text, place: usize) -> Option<Measure> {
    let word = text.words.get(place)?;
    if let Some(number) = TABLE.numbers.get(&word.lower) {
        return Some(Measure::Number(f64::from(*number)));
    }
    if !word.has_digit() {
        return None;
    }
    let half = text.after(place, 1).map_or("", |next| next.lower.as_str());
    clock(&word.lower, half)
        .map(Measure::Clock)
        .or_else(|| number(&word.lower).map(Measure::Number))
        .or_else(|| Some(Measure::Mark(word.lower.clone())))
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

/// `1,204`, `5.90`, `14th`.
fn number(word: &str) -> Option<f64> {
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

fn bound(text: &Text, first: usize, measure: &Measure) -> Bound {
    let bounds = &TABLE.bounds;
    let leads = |phrases: &[Phrase]| {
        phrases.iter().any(|phrase| {
            let length = phrase.text.split(' ').count();
            text.exact(phrase).any(|place| place + length == first)
        })
    };
    let is_clock = matches!(measure, Measure::Clock(_));
    if leads(&bounds.loose) {
        Bound::Loose
    } else if leads(&bounds.upper) || (is_clock && leads(&bounds.until)) {
        Bound::Upper
    } else if leads(&bounds.lower) || (is_clock && leads(&bounds.since)) {
        Bound::Lower
    } else {
        Bound::Exact
    }
}

impl Figure {
    /// Whether another figure says of the same what this one asks.
    pub fn is_comparable(&self, other: &Figure) -> bool {
        let counts_same = self.units.iter().any(|unit| other.units.contains(unit));
        let stands_same = self.lead.is_some() && self.lead == other.lead && self.bound == Bound::Exact;
        match (&self.measure, &other.measure) {
            (Measure::Clock(_), Measure::Clock(_)) => true,
            (Measure::Number(_), Measure::Number(_)) => {
                counts_same || (stands_same && (self.units.is_empty() || other.units.is_empty()))
            }
            (Measure::Mark(_), Measure::Mark(_)) => stands_same,
            (Measure::Clock(_) | Measure::Number(_) | Measure::Mark(_), _) => false,
        }
    }

    /// Whether another figure is what this one asks.
    pub fn is_met_by(&self, other: &Figure) -> bool {
        let within = |wanted: f64, found: f64| match self.bound {
            Bound::Exact => (wanted - found).abs() < f64::EPSILON,
            Bound::Upper => self.is_comparable(other) && found <= wanted,
            Bound::Lower => self.is_comparable(other) && found >= wanted,
            Bound::Loose => true,
        };
        match (&self.measure, &other.measure) {
            (Measure::Number(wanted), Measure::Number(found)) => within(*wanted, *found),
            (Measure::Clock(wanted), Measure::Clock(found)) => within(f64::from(*wanted), f64::from(*found)),
            (Measure::Mark(wanted), Measure::Mark(found)) => wanted == found,
            (Measure::Clock(_) | Measure::Number(_) | Measure::Mark(_), _) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bound;
    use super::Measure;
    use super::figures;
    use crate::domain::context::work::outcome::wording::Text;

    #[test]
    fn numbers_times_and_numbers_of_things_are_read() {
        let read = |text: &str| {
            let figures = figures(&Text::of(text));
            figures
                .into_iter()
                .map(|figure| (figure.measure, figure.bound))
                .collect::<Vec<_>>()
        };
        assert_eq!(read("under 1,204.5 EUR"), [(Measure::Number(1204.5), Bound::Upper)]);
        assert_eq!(read("at 9 pm"), [(Measure::Clock(21 * 60), Bound::Exact)]);
        assert_eq!(read("before 17:20"), [(Measure::Clock(17 * 60 + 20), Bound::Upper)]);
        assert_eq!(read("by 5 %"), [(Measure::Number(5.0), Bound::Exact)]);
        assert_eq!(
            read("flight LH123"),
            [(Measure::Mark("lh123".to_owned()), Bound::Exact)]
        );
        let span = [
            (Measure::Number(3.0), Bound::Loose),
            (Measure::Number(5.0), Bound::Loose),
        ];
        assert_eq!(read("between three and five days"), span);
        assert_eq!(read("about 20 people"), [(Measure::Number(20.0), Bound::Loose)]);
    }
}

//! Figures of a text: what they measure, what they count, where they stand and how they bind.
//!
//! Invariant: a figure that is only about right, or one end of a span, is loose.

use crate::domain::context::work::outcome::day;
use crate::domain::context::work::outcome::day::Dated;
use crate::domain::context::work::outcome::day::Day;
use crate::domain::context::work::outcome::measure::Date;
use crate::domain::context::work::outcome::measure::Measure;
use crate::domain::context::work::outcome::measure::Quantity;
use crate::domain::context::work::outcome::measure::day_of_month;
use crate::domain::context::work::outcome::measure::is_currency;
use crate::domain::context::work::outcome::measure::is_unit;
use crate::domain::context::work::outcome::measure::measures;
use crate::domain::context::work::outcome::measure::unit;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words after a figure among which is what it counts ("14 wooden chairs").
const UNIT_WITHIN: usize = 2;
/// Words before a day that say that something is to be on it.
const DATING: [&str; 5] = ["on", "for", "to", "at", "is"];

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
    /// The bound itself is beyond it.
    pub is_strict: bool,
    /// What it counts: roots of the words after it, or a unit.
    pub units: Vec<String>,
    /// A number with its unit, where that is one of the table.
    pub quantity: Option<Quantity>,
    /// The day of an hour.
    pub day: Day,
    /// The word before it that is no article.
    pub lead: Option<String>,
    /// The first and the last word to show.
    pub from: usize,
    pub to: usize,
}

/// What stands between two figures and makes them a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    Or,
    And,
    To,
}

/// Two figures of a text that belong together, by their places among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    pub low: usize,
    pub joint: Joint,
}

/// Every figure of a text.
pub fn figures(text: &Text) -> Vec<Figure> {
    read(text).0
}

/// Every figure of a text, and which of them are joined with the next.
pub fn read(text: &Text) -> (Vec<Figure>, Vec<Joined>) {
    let (mut found, mut all): (Vec<Figure>, Vec<Joined>) = (Vec::new(), Vec::new());
    for place in 0..text.words.len() {
        let Some((measures, own_unit)) = measures(text, place) else {
            continue;
        };
        for (nth, measure) in measures.into_iter().enumerate() {
            let mut figure = of(text, place, measure, own_unit.as_deref());
            let joint = found.last().and_then(|last| joint(text, last, place, nth));
            if let (Some(joint), Some(last)) = (joint, found.last_mut()) {
                last.bound = Bound::Loose;
                figure.bound = Bound::Loose;
                figure.measure = like(&last.measure, figure.measure);
                last.count_like(&figure);
                all.push(Joined {
                    low: found.len() - 1,
                    joint,
                });
            }
            found.push(figure);
        }
    }
    on_their_days(text, &mut found);
    (found, all)
}

/// Gives hours the day beside them. What binds a day with its hour binds the hour: "before Thursday noon".
fn on_their_days(text: &Text, figures: &mut [Figure]) {
    let dates: Vec<Dated> = figures
        .iter()
        .filter_map(|figure| match figure.measure {
            Measure::Date(date) => Some((figure.from..=figure.to, date)),
            Measure::Number(_) | Measure::Clock(_) | Measure::Mark(_) => None,
        })
        .collect();
    let mut timed = Vec::new();
    for figure in figures
        .iter_mut()
        .filter(|figure| matches!(figure.measure, Measure::Clock(_)))
    {
        let (day, begins) = day::beside(text, figure.from, &dates);
        figure.day = day;
        timed.extend(day.date);
        if let Some(begins) = begins.filter(|_| figure.bound == Bound::Exact) {
            (figure.bound, figure.is_strict) = bound(text, begins, &figure.measure);
        }
    }
    let dated = figures.iter_mut();
    for figure in dated.filter(|figure| timed.iter().any(|date| figure.measure == Measure::Date(*date))) {
        figure.is_strict = false;
    }
}

/// What joins a figure with the last one before it.
fn joint(text: &Text, last: &Figure, place: usize, nth: usize) -> Option<Joint> {
    if nth > 0 {
        return Some(Joint::To);
    }
    // A unit, the code of a currency or a month may stand between: "to EUR 90", "to May 11".
    let before = (1..=2).find_map(|back| Some((back, text.before(place, back).filter(|word| is_joint(word))?)));
    let (back, word) = before.filter(|(back, _)| last.to + back + 1 >= place)?;
    match word.lower.as_str() {
        "or" => Some(Joint::Or),
        "and" if last.bound == Bound::Loose => Some(Joint::And),
        "to" | "until" | "till"
            if back == 1
                || text
                    .before(place, 1)
                    .is_some_and(|word| is_currency(word) || is_month(word)) =>
        {
            Some(Joint::To)
        }
        _ => None,
    }
}

fn is_joint(word: &Word) -> bool {
    ["or", "and", "to", "until", "till"].contains(&word.lower.as_str())
}

fn is_month(word: &Word) -> bool {
    let mut months = TABLE.calendar.iter().flatten().flatten();
    months.any(|month| month.text == word.lower)
}

/// The second figure of a span as the first one is: "May 8 to 11".
fn like(first: &Measure, second: Measure) -> Measure {
    let of_same_month = match (first, &second) {
        (Measure::Date(date), Measure::Number(number)) => day_of_month(*number).map(|day| Date { day, ..*date }),
        (Measure::Date(_) | Measure::Number(_) | Measure::Clock(_) | Measure::Mark(_), _) => None,
    };
    of_same_month.map_or(second, Measure::Date)
}

fn of(text: &Text, place: usize, measure: Measure, own_unit: Option<&str>) -> Figure {
    let follows_figure = |place: usize| text.before(place, 1).is_some_and(Word::has_digit);
    let leads =
        |word: &&Word| is_currency(word) && !(word.lower.chars().all(char::is_alphabetic) && follows_figure(place - 1));
    let code = text.before(place, 1).filter(leads).map(unit);
    let is_day = |beside: Option<&Word>| matches!(measure, Measure::Date(_)) && beside.is_some_and(is_month);
    let follows_month = is_day(text.before(place, 1));
    let first = if code.is_some() || follows_month {
        place - 1
    } else {
        place
    };
    let precedes_figure = |on: usize| text.after(place, on + 1).is_some_and(Word::has_digit);
    let after = (1..=UNIT_WITHIN).map_while(|on| {
        let word = text.after(place, on).filter(|word| counts(word))?;
        (!(on > 1 && is_currency(word) && precedes_figure(on))).then_some(word)
    });
    let after: Vec<&Word> = after.collect();
    let own = own_unit.map(str::to_owned).or_else(|| code.clone());
    let beside = own.clone().or_else(|| after.first().map(|word| unit(word)));
    let quantity = match measure {
        Measure::Number(number) => beside.and_then(|unit| Quantity::of(number, &unit)),
        Measure::Clock(_) | Measure::Date(_) | Measure::Mark(_) => None,
    };
    let (bound, is_strict) = bound(text, first, &measure);
    Figure {
        bound,
        is_strict,
        quantity,
        day: Day::default(),
        lead: text.leading(first).map(|(_, word)| word.root.clone()),
        from: first,
        to: if own.is_some() || follows_month {
            place
        } else {
            place + after.len().min(1).max(usize::from(is_day(text.after(place, 1))))
        },
        units: after.into_iter().map(unit).chain(own).collect(),
        measure,
    }
}

/// Whether a word may be what a figure before it counts.
fn counts(word: &Word) -> bool {
    word.has_content() || is_unit(word)
}

/// How a figure is bound by what stands before it, and whether strictly.
fn bound(text: &Text, first: usize, measure: &Measure) -> (Bound, bool) {
    let bounds = &TABLE.bounds;
    let leads = |phrases: &[Phrase]| {
        phrases.iter().any(|phrase| {
            let length = phrase.words.len();
            text.exact(phrase).any(|place| place + length == first)
        })
    };
    let is_time = matches!(measure, Measure::Clock(_) | Measure::Date(_));
    let bound = if leads(&bounds.loose) {
        Bound::Loose
    } else if leads(&bounds.upper) || (is_time && leads(&bounds.until)) {
        Bound::Upper
    } else if leads(&bounds.lower) || (is_time && leads(&bounds.since)) {
        Bound::Lower
    } else {
        Bound::Exact
    };
    let is_negated = first > 1 && text.denied_at(first - 1).is_some();
    (bound, leads(&bounds.strict) && !is_negated)
}

impl Figure {
    /// The first figure of a span counts what the second does: "three to five days".
    fn count_like(&mut self, next: &Figure) {
        if let (Measure::Number(number), true) = (&self.measure, self.units.is_empty()) {
            self.units.clone_from(&next.units);
            self.quantity = next.quantity.as_ref().and_then(|next| Quantity::of(*number, next.unit));
        }
    }

    /// Whether another figure says of the same what this one asks.
    pub fn is_comparable(&self, other: &Figure) -> bool {
        let counts_same = self.units.iter().any(|unit| other.units.contains(unit));
        let stands_same = self.lead.is_some() && self.lead == other.lead && self.bound == Bound::Exact;
        let one_counts_nothing = self.units.is_empty() || other.units.is_empty();
        let is_bound = self.bound != Bound::Exact;
        match (&self.measure, &other.measure) {
            // Where the days differ, the hour says nothing.
            (Measure::Clock(_), Measure::Clock(_)) => !self.day.differs(other.day),
            (Measure::Date(_), Measure::Date(_)) => {
                let dates = |figure: &Figure| figure.lead.as_deref().is_some_and(|lead| DATING.contains(&lead));
                is_bound || self.lead == other.lead || (dates(self) && dates(other))
            }
            (Measure::Number(wanted), Measure::Number(found)) => match (&self.quantity, &other.quantity) {
                (Some(own), Some(told)) => {
                    let alike = own.unit == told.unit || own.is_money() || is_bound || stands_same;
                    own.dimension == told.dimension && (alike || is_near(*wanted, *found, f64::EPSILON))
                }
                (Some(_), None) | (None, Some(_)) => stands_same && one_counts_nothing,
                (None, None) => counts_same || (stands_same && one_counts_nothing),
            },
            (Measure::Mark(_), Measure::Mark(_)) => stands_same,
            (Measure::Clock(_) | Measure::Date(_) | Measure::Number(_) | Measure::Mark(_), _) => false,
        }
    }

    /// Whether another figure is what this one asks.
    pub fn is_met_by(&self, other: &Figure) -> bool {
        if let (Measure::Mark(wanted), Measure::Mark(found)) = (&self.measure, &other.measure) {
            return wanted == found;
        }
        let Some((wanted, found, within)) = self.ranks(other) else {
            return false;
        };
        let is_equal = is_near(wanted, found, within);
        match self.bound {
            Bound::Exact => is_equal,
            Bound::Upper => self.is_comparable(other) && if is_equal { !self.is_strict } else { found < wanted },
            Bound::Lower => self.is_comparable(other) && if is_equal { !self.is_strict } else { found > wanted },
            Bound::Loose => true,
        }
    }

    /// Both as numbers that can be compared, and how far they may be apart.
    pub fn ranks(&self, other: &Figure) -> Option<(f64, f64, f64)> {
        let exact = |(wanted, found)| Some((wanted, found, f64::EPSILON));
        match (&self.measure, &other.measure) {
            (Measure::Clock(wanted), Measure::Clock(found)) => exact((f64::from(*wanted), f64::from(*found))),
            (Measure::Date(wanted), Measure::Date(found)) => exact(wanted.ranks(*found)),
            (Measure::Number(wanted), Measure::Number(found)) => match (&self.quantity, &other.quantity) {
                (Some(own), Some(told)) => own.weighed(told),
                // What counts chairs is no sum of money, but a figure alone may be either.
                (Some(_), None) if !other.units.is_empty() => None,
                (None, Some(_)) if !self.units.is_empty() => None,
                (Some(_) | None, None) | (None, Some(_)) => exact((*wanted, *found)),
            },
            (Measure::Clock(_) | Measure::Date(_) | Measure::Number(_) | Measure::Mark(_), _) => None,
        }
    }
}

/// Whether two numbers are as near as they may be.
pub fn is_near(one: f64, other: f64, within: f64) -> bool {
    (one - other).abs() <= within
}

#[cfg(test)]
mod tests {
    use super::Bound;
    use super::Figure;
    use super::Joint;
    use super::Measure;
    use super::figures;
    use super::read;
    use crate::domain::context::work::outcome::wording::Text;

    #[test]
    fn what_stands_before_a_figure_binds_it() {
        let bounds = |text: &str| -> Vec<(Bound, bool)> {
            let figures = figures(&Text::of(text)).into_iter();
            figures.map(|figure| (figure.bound, figure.is_strict)).collect()
        };
        assert_eq!(bounds("under 1,204.5 EUR"), [(Bound::Upper, true)]);
        assert_eq!(bounds("at most EUR 90"), [(Bound::Upper, false)]);
        assert_eq!(bounds("at 9 pm"), [(Bound::Exact, false)]);
        assert_eq!(bounds("before 17:20"), [(Bound::Upper, true)]);
        assert_eq!(bounds("by May 8"), [(Bound::Upper, false)]);
        assert_eq!(bounds("by 5 %"), [(Bound::Exact, false)]);
        assert_eq!(bounds("about 20 people"), [(Bound::Loose, false)]);
        assert_eq!(bounds("between three and five days"), [(Bound::Loose, false); 2]);
    }

    #[test]
    fn a_unit_stands_before_its_figure_or_after_it() {
        let units = |text: &str| -> Vec<Option<&'static str>> {
            let figures = figures(&Text::of(text)).into_iter();
            figures
                .map(|figure| figure.quantity.map(|quantity| quantity.unit))
                .collect()
        };
        assert_eq!(units("EUR 120"), [Some("eur")]);
        assert_eq!(units("120 EUR 4 nights"), [Some("eur"), None]);
        assert_eq!(units("30 pages EUR 12"), [None, Some("eur")]);
        assert_eq!(units("$40 and 75mg"), [Some("usd"), Some("mg")]);
        assert_eq!(units("30 min"), [Some("minute")]);
    }

    #[test]
    fn an_hour_is_of_the_day_beside_it_c056() {
        let compared = |asked: &str, said: &str| {
            let (asked, said) = (figures(&Text::of(asked)), figures(&Text::of(said)));
            let hour = |figures: Vec<Figure>| figures.into_iter().find(|own| matches!(own.measure, Measure::Clock(_)));
            let (asked, said) = hour(asked).zip(hour(said)).expect("hours");
            (asked.is_comparable(&said), asked.is_met_by(&said))
        };
        for (asked, said, comparable, met) in [
            ("before Thursday noon", "on Wednesday 15:00", false, false),
            ("before Thursday noon", "on Thursday at 10:00", true, true),
            ("before Thursday noon", "on Thursday at 15:00", true, false),
            ("before 5 May 10:00", "on 4 May at 16:20", false, false),
            ("before 5 May 10:00", "at 9:15 on 5 May", true, true),
            ("by Friday 17:00", "on Thursday 18:30", false, false),
            ("by Friday, 5 pm", "18:30", true, false),
        ] {
            assert_eq!(compared(asked, said), (comparable, met), "{asked} / {said}");
        }
    }

    #[test]
    fn figures_may_be_joined_c056() {
        let joints =
            |text: &str| -> Vec<Joint> { read(&Text::of(text)).1.into_iter().map(|joined| joined.joint).collect() };
        assert_eq!(joints("from 10:00 to 14:00"), [Joint::To]);
        assert_eq!(joints("10:00-14:00"), [Joint::To]);
        assert_eq!(joints("from May 8 to May 11"), [Joint::To]);
        assert_eq!(joints("at 9:00 or 10:00"), [Joint::Or]);
        assert_eq!(joints("between EUR 50 and EUR 90"), [Joint::And]);
        assert_eq!(joints("BER 17:20 to FCO 19:25"), []);
    }
}

//! A result outside of the span that was asked for: from 10:00 to 15:00 instead of 14:00, at 12:10
//! instead of between 9:00 and 11:00.
//!
//! Invariant: a part of a span meets it where a span is only a choice ("between", numbers); hours and days from one to another are
//! wanted as they are, wherever the result tells both ends.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::figure::Figure;
use crate::domain::context::work::outcome::figure::Joined;
use crate::domain::context::work::outcome::figure::Joint;
use crate::domain::context::work::outcome::figure::is_near;
use crate::domain::context::work::outcome::figure::read;
use crate::domain::context::work::outcome::measure::Measure;
use crate::domain::context::work::outcome::wording::Text;

/// Both ends of a span.
type Ends<'a> = (&'a Figure, &'a Figure);

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let (own, joined) = read(asked);
    let (told, spans) = read(said);
    let spans: Vec<Ends<'_>> = spans.iter().filter_map(|span| ends(&told, *span)).collect();
    joined.iter().find_map(|span| {
        let (low, high) = ends(&own, *span)?;
        let is_comparable = |figure: &&Figure| high.is_comparable(figure) || low.is_comparable(figure);
        let other = if is_whole(*span, low) && spans.iter().any(|(low, _)| is_comparable(low)) {
            let of_same = || spans.iter().filter(|(low, _)| is_comparable(low));
            let is_met = of_same().any(|(from, to)| is_equal(low, from) && is_equal(high, to));
            let (from, to) = of_same().next().filter(|_| !is_met)?;
            (from.from, to.to)
        } else {
            let points = || told.iter().filter(is_comparable);
            let is_met = points().any(|point| match span.joint {
                Joint::Or => is_equal(low, point) || is_equal(high, point),
                Joint::And | Joint::To => lies_within(low, high, point),
            });
            let point = points().next().filter(|_| !is_met)?;
            (point.from, point.to)
        };
        Some(Contradiction {
            says: said.shown(other.0, other.1),
            asked: asked.shown(low.from, high.to),
        })
    })
}

fn ends(figures: &[Figure], span: Joined) -> Option<Ends<'_>> {
    Some((figures.get(span.low)?, figures.get(span.low + 1)?))
}

/// Whether all of a span is wanted.
fn is_whole(span: Joined, low: &Figure) -> bool {
    span.joint == Joint::To && matches!(low.measure, Measure::Clock(_) | Measure::Date(_))
}

fn is_equal(wanted: &Figure, point: &Figure) -> bool {
    wanted
        .ranks(point)
        .is_some_and(|(wanted, found, within)| is_near(wanted, found, within))
}

fn lies_within(low: &Figure, high: &Figure, point: &Figure) -> bool {
    let is_above = low
        .ranks(point)
        .is_some_and(|(low, found, within)| found >= low - within);
    is_above
        && high
            .ranks(point)
            .is_some_and(|(high, found, within)| found <= high + within)
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn what_lies_beyond_a_span_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Book the hall from 10:00 to 14:00",
                    "Hall booked from 10:00 to 15:00",
                    Some("10:00 to 15:00"),
                ),
                (
                    "Book the hall 10:00-14:00",
                    "Hall booked, 9:00-14:00",
                    Some("9:00-14:00"),
                ),
                ("Ring between 9:00 and 11:00", "Rang at 12:10", Some("12:10")),
                (
                    "Book a room from May 8 to May 11",
                    "Room 4, May 8 to May 12",
                    Some("May 8 to May 12"),
                ),
                (
                    "Find three to five helpers",
                    "Seven helpers found",
                    Some("Seven helpers"),
                ),
                ("Rent a van between 50 and 90 EUR", "A van for EUR 120", Some("EUR 120")),
                ("Call at 9:00 or 10:00", "Called at 9:30", Some("9:30")),
            ],
        );
    }

    #[test]
    fn what_lies_within_a_span_is_right_c056() {
        assert_says(
            found,
            &[
                (
                    "Book the hall from 10:00 to 14:00",
                    "Booked, 10:00 to 14:00, cleaned from 14:00 to 15:00",
                    None,
                ),
                ("Book the hall from 10 am to 2 pm", "Booked, 10:00\u{2013}14:00", None),
                ("Ring between 9:00 and 11:00", "Rang at 10:40", None),
                ("Find three to five helpers", "Four helpers found", None),
                ("Boil it for 90 to 120 minutes", "Boiled for 2 hours", None),
                ("Raise the price from 10 to 14 EUR", "The price is 14 EUR", None),
                ("Book a room from May 8 to 11", "Room 4 from May 8 to May 11", None),
                ("Call at 9:00 or 10:00", "Called at 10:00", None),
            ],
        );
    }
}

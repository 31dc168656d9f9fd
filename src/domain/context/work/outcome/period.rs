//! A result about another week, night or year than the one that was asked for, as seen from now: last week for last night, this month
//! for the next one.
//!
//! Invariant: a time that the result names as well contradicts nothing, nor does a shorter one that may lie within the current one that
//! was asked for.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::pool::words;

/// A stretch of time as seen from now.
struct Period<'a> {
    /// How many of them from now.
    shift: i32,
    /// What it is, and how long that is beside others.
    unit: &'a str,
    length: u32,
    /// The preposition before it.
    lead: Option<&'a str>,
    from: usize,
}

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let (own, told) = (periods(asked), periods(said));
    let names = |all: &[Period<'_>], one: &Period<'_>| all.iter().any(|other| other.is(one));
    own.iter().filter(|wanted| !names(&told, wanted)).find_map(|wanted| {
        let other = told
            .iter()
            .find(|other| !names(&own, other) && wanted.lead == other.lead && !wanted.may_hold(other))?;
        Some(Contradiction {
            says: said.shown(other.from, other.from + 1),
            asked: asked.shown(wanted.from, wanted.from + 1),
        })
    })
}

impl Period<'_> {
    fn is(&self, other: &Period<'_>) -> bool {
        (self.shift, self.unit) == (other.shift, other.unit)
    }

    /// Whether the other may lie within this one.
    fn may_hold(&self, other: &Period<'_>) -> bool {
        self.shift == 0 && other.length < self.length
    }
}

fn periods(text: &Text) -> Vec<Period<'_>> {
    let all = text.words.iter().enumerate().filter_map(|(from, word)| {
        let shift = *TABLE.shifts.get(&word.lower)?;
        let unit = text.after(from, 1)?.lower.as_str();
        let unit = unit.strip_suffix("'s").unwrap_or(unit);
        let length = *TABLE.periods.get(unit)?;
        let lead = text.leading(from).map(|(_, lead)| lead.lower.as_str());
        Some(Period {
            shift,
            unit,
            length,
            lead: lead.filter(|lead| words::is_preposition(lead)),
            from,
        })
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn another_time_as_seen_from_now_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Sum up the rain of last month",
                    "Rain of last year: 80 mm",
                    Some("last year"),
                ),
                (
                    "Read last night's meter",
                    "Last week's meter was read",
                    Some("Last week's"),
                ),
                (
                    "Plan the rota for next month",
                    "Rota planned for next week",
                    Some("next week"),
                ),
                (
                    "Plan the rota for next month",
                    "Rota planned for this month",
                    Some("this month"),
                ),
                (
                    "Water the beds this week",
                    "The beds will be watered next week",
                    Some("next week"),
                ),
                (
                    "Plane die Schicht für nächste Woche",
                    "Schicht für diese Woche geplant",
                    Some("diese Woche"),
                ),
            ],
        );
    }

    #[test]
    fn the_same_time_and_one_beside_it_are_right_c056() {
        assert_says(
            found,
            &[
                ("Sum up the rain of last month", "80 mm, up from 60 mm last year", None),
                (
                    "Sum up the rain of last month",
                    "Rain of last month: 80 mm, of last year: 900 mm",
                    None,
                ),
                ("Water the beds this week", "Watered this morning", None),
                ("Water the beds this week", "Watered last night", None),
                ("Compare this week with last week", "Last week was wetter", None),
                ("Water the beds this week", "The beds are watered", None),
            ],
        );
    }
}

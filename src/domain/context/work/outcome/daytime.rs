//! A result at an hour of another part of the day: at 9:00 where it was to be in the afternoon.
//!
//! Parts of a day have no sharp ends, so theirs are wide. Invariant: a result of which any hour, or what lies between two of them, is in
//! that part, or that names it, is right; so is any where the part is itself the bound of a time ("by Monday morning").

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::figure::Figure;
use crate::domain::context::work::outcome::figure::figures;
use crate::domain::context::work::outcome::measure::MINUTES_OF_HOUR;
use crate::domain::context::work::outcome::measure::Measure;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;

/// Words before a part of a day among which one may be that makes it a bound.
const BOUND_WITHIN: usize = 3;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let hours: Vec<(u32, Figure)> = figures(said).into_iter().filter_map(hour).collect();
    let (earliest, from) = hours.iter().min_by_key(|(minutes, _)| *minutes)?;
    let latest = hours.iter().map(|(minutes, _)| *minutes).max()?;
    (0..asked.words.len()).find_map(|place| {
        let word = asked.words.get(place)?;
        let (begins, ends) = TABLE.daytimes.get(&word.lower)?;
        let is_beside = latest < begins * MINUTES_OF_HOUR || *earliest > ends * MINUTES_OF_HOUR;
        let is_named = said.has_root(&word.root) || names_own_hour(asked);
        (is_beside && !is_named && !is_bound(asked, place) && asked.denied_at(place).is_none()).then(|| Contradiction {
            says: said.shown(from.from, from.to),
            asked: asked.shown(place, place),
        })
    })
}

fn hour(figure: Figure) -> Option<(u32, Figure)> {
    match figure.measure {
        Measure::Clock(minutes) => Some((minutes, figure)),
        Measure::Number(_) | Measure::Date(_) | Measure::Mark(_) => None,
    }
}

/// Whether an hour is asked for by its own figure, which is compared as one.
fn names_own_hour(asked: &Text) -> bool {
    figures(asked).into_iter().any(|figure| hour(figure).is_some())
}

/// Whether something is to be before or after this part of the day.
fn is_bound(asked: &Text, place: usize) -> bool {
    let bounds = &TABLE.bounds;
    let mut before = (1..=BOUND_WITHIN).filter_map(|back| asked.before(place, back));
    before.any(|word| {
        let mut all = bounds
            .until
            .iter()
            .chain(&bounds.since)
            .chain(&bounds.upper)
            .chain(&bounds.lower);
        all.any(|phrase| phrase.text == word.lower)
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn an_hour_of_another_part_of_the_day_is_seen_c056() {
        assert_says(
            found,
            &[
                ("Ring Ann in the afternoon", "Ann was rung at 9:30", Some("9:30")),
                ("Sweep the yard tomorrow morning", "Swept at 16:00", Some("16:00")),
                (
                    "Light the lamps in the evening",
                    "Lamps lit from 6:00 to 8:00",
                    Some("6:00"),
                ),
            ],
        );
    }

    #[test]
    fn an_hour_of_that_part_and_one_that_only_bounds_are_right_c056() {
        assert_says(
            found,
            &[
                ("Ring Ann in the afternoon", "Ann was rung at 12:00", None),
                ("Ring Ann in the afternoon", "Rung at 9:30 and again at 14:00", None),
                ("Open the gate in the afternoon", "The gate is open 9:00 to 20:00", None),
                (
                    "Ring Ann in the afternoon",
                    "Rung in the afternoon, note made at 19:00",
                    None,
                ),
                ("Send the bid by Monday morning", "Sent on Sunday at 18:00", None),
                ("Ring Ann on Monday morning at 9:00", "Rung at 13:00", None),
                ("Ring Ann in the afternoon", "Ann was rung twice", None),
            ],
        );
    }
}

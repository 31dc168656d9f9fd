//! A result that covers a part where the whole was asked for: 10 % of the users, 9 of 12.
//!
//! Invariant: a question about all of something may be answered by a part.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::figure::Figure;
use crate::domain::context::work::outcome::figure::Measure;
use crate::domain::context::work::outcome::figure::figures;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;

const WHOLE_PERCENT: f64 = 100.0;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let whole = asked.words.iter().position(|word| TABLE.wholes.contains(&word.lower))?;
    if asked.is_inquiry() || asked.denied_at(whole).is_some() {
        return None;
    }
    let (from, to) = part(said).or_else(|| named(asked, said))?;
    Some(Contradiction {
        says: said.shown(from, to),
        asked: asked.shown(whole, whole),
    })
}

/// "some of", "half".
fn named(asked: &Text, said: &Text) -> Option<(usize, usize)> {
    let parts = TABLE.parts.iter().filter(|part| asked.exact(part).next().is_none());
    parts.into_iter().find_map(|part| {
        let place = said.exact(part).find(|place| said.denied_at(*place).is_none())?;
        Some((place, place + part.text.split(' ').count() - 1))
    })
}

/// "10 % of", "9 of 12".
fn part(said: &Text) -> Option<(usize, usize)> {
    let told = figures(said);
    told.iter().enumerate().find_map(|(nth, figure)| {
        let Measure::Number(number) = figure.measure else {
            return None;
        };
        let is_percent = figure.units.iter().any(|unit| unit == "percent");
        let next = |on: usize| said.after(figure.to, on).map(|word| word.lower.as_str());
        if is_percent && number < WHOLE_PERCENT && next(1) == Some("of") {
            return Some((figure.from, figure.to));
        }
        let whole: &Figure = told.get(nth + 1)?;
        let gap = whole.from.checked_sub(figure.from)?;
        let follows = said
            .after(figure.from, 1)
            .is_some_and(|word| ["of", "out"].contains(&word.lower.as_str()));
        let is_part = matches!(whole.measure, Measure::Number(whole) if number < whole);
        (follows && gap <= 4 && is_part).then_some((figure.from, whole.from))
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::wording::Text;

    fn says(asked: &str, said: &str) -> Option<String> {
        found(&Text::of(asked), &Text::of(said)).map(|found| found.says)
    }

    #[test]
    fn a_part_is_not_the_whole_c056() {
        for (asked, said, wanted) in [
            ("Mow all lawns", "Lawns: 9 of 12 are mown", "9 of 12"),
            ("Mow every lawn", "40 % of the lawns are mown", "40 %"),
            ("Mow all lawns", "Some of the lawns are mown", "Some of"),
        ] {
            assert_eq!(says(asked, said).as_deref(), Some(wanted), "{said}");
        }
    }

    #[test]
    fn the_whole_and_an_answer_are_no_part_c056() {
        for (asked, said) in [
            ("Mow all lawns", "12 of 12 are mown"),
            ("Mow all lawns", "100 % of the lawns"),
            ("Mow the lawn", "Half of it"),
            ("Count all lawns", "9 of 12 are dry"),
        ] {
            assert_eq!(says(asked, said), None, "{said}");
        }
    }
}

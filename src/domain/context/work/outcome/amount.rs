//! A result with another figure than the one that was asked for.
//!
//! Figures are compared where they count the same thing or stand after the same word. Invariant: a figure that the result holds
//! as well contradicts nothing, whatever else the result counts.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::figure::Bound;
use crate::domain::context::work::outcome::figure::figures;
use crate::domain::context::work::outcome::wording::Text;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let told = figures(said);
    figures(asked)
        .into_iter()
        .filter(|wanted| wanted.bound != Bound::Loose)
        .find_map(|wanted| {
            if told.iter().any(|own| wanted.is_met_by(own)) {
                return None;
            }
            let other = told.iter().find(|own| wanted.is_comparable(own))?;
            Some(Contradiction {
                says: said.shown(other.from, other.to),
                asked: asked.shown(wanted.from, wanted.to),
            })
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
    fn another_figure_is_seen_c056() {
        for (asked, said, wanted) in [
            ("Print 30 flyers", "13 colour flyers printed", "13 colour"),
            ("Rent a van under 90 EUR", "Van at the station, 120 euros", "120 euros"),
            ("Set the oven to 180", "The oven was set to 80", "80"),
            ("Ring before 10:00", "Rang at 10:40", "10:40"),
            ("Mend bike 77", "Bike 78 is mended", "78"),
            (
                "Find a room with at least three beds",
                "A room with two beds",
                "two beds",
            ),
            ("Pay $40 to Ann", "$14 paid to Ann", "$ 14"),
        ] {
            assert_eq!(says(asked, said).as_deref(), Some(wanted), "{said}");
        }
    }

    #[test]
    fn the_same_figure_one_within_its_bound_and_one_of_something_else_are_right_c056() {
        for (asked, said) in [
            ("Print 30 flyers", "Thirty flyers, 12 EUR"),
            ("Print 30 flyers", "Flyers printed, 2 sheets left"),
            ("Rent a van under 90 EUR", "Van at the station, 72 EUR"),
            ("Find a room with at least three beds", "Room 12, four beds"),
            ("Invite about 20 people", "22 people invited"),
            ("Ring between 9:00 and 11:00", "Rang at 10:40"),
            ("Pay the bill of 40 EUR", "Paid 40.00 EUR, fee 2 EUR"),
        ] {
            assert_eq!(says(asked, said), None, "{said}");
        }
    }
}

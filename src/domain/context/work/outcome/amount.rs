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
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn another_figure_is_seen_c056() {
        assert_says(
            found,
            &[
                ("Print 30 flyers", "13 colour flyers printed", Some("13 colour")),
                ("Wake both guests", "One guest was woken", Some("One guest")),
                (
                    "Rent a van under 90 EUR",
                    "Van at the station, 120 euros",
                    Some("120 euros"),
                ),
                ("Rent a van under 90 EUR", "Van at the station, EUR 90", Some("EUR 90")),
                ("Set the oven to 180", "The oven was set to 80", Some("80")),
                ("Ring before 10:00", "Rang at 10:40", Some("10:40")),
                ("Ring before noon", "Rang at 15:00", Some("15:00")),
                ("Ring after midday", "Rang at 9:10", Some("9:10")),
                ("Mend bike 77", "Bike 78 is mended", Some("78")),
                (
                    "Find a room with at least three beds",
                    "A room with two beds",
                    Some("two beds"),
                ),
                ("Pay $40 to Ann", "$14 paid to Ann", Some("$ 14")),
                ("Pay EUR 120 to Ann", "14 EUR paid to Ann", Some("14 EUR")),
                ("Pay 120 EUR to Ann", "Paid USD 120 to Ann", Some("USD 120")),
                ("Order 40 chairs", "14 chairs ordered for 40 EUR", Some("14 chairs")),
                ("Give 5 mg of zinc", "Gave 5 g of zinc", Some("5 g")),
                ("Set the pause to 30 s", "The pause is set to 30min", Some("30min")),
                ("Send the bid by May 8", "Sent on 9 May", Some("9 May")),
                ("Meet on 2026-05-08", "Met on May 9", Some("May 9")),
            ],
        );
    }

    #[test]
    fn the_same_figure_one_within_its_bound_and_one_of_something_else_are_right_c056() {
        assert_says(
            found,
            &[
                ("Print 30 flyers", "Thirty flyers, 12 EUR", None),
                ("Print 30 flyers", "Flyers printed, 2 sheets left", None),
                ("Rent a van under 90 EUR", "Van at the station, 72 EUR", None),
                ("Find a room with at least three beds", "Room 12, four beds", None),
                ("Invite about 20 people", "22 people invited", None),
                ("Pay the bill of 40 EUR", "Paid 40.00 EUR, fee 2 EUR", None),
                ("Pay 120 EUR to Ann", "Paid EUR 120 to Ann", None),
                ("Give 500 mg of zinc", "Gave 0.5 g of zinc", None),
                ("Run for 90 minutes", "Ran for 1.5 hours", None),
                ("Boil it for 2 hours", "Boiled, stirred each 10 minutes", None),
                ("Send the bid by May 8", "Sent on 7 May", None),
                ("Meet on 2026-05-08", "Met on 8 May", None),
                ("Raise the limit to 3000", "The limit is 3000 EUR", None),
            ],
        );
    }
}

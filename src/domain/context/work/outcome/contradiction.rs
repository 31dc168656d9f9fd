//! The first contradiction between what was asked for and what was said, whichever rule finds it.
//!
//! Invariant: it shows words of both texts, so that whoever reads the reason sees whether the rule was deceived.

use std::fmt;

use crate::domain::context::work::outcome::amount;
use crate::domain::context::work::outcome::another;
use crate::domain::context::work::outcome::complement;
use crate::domain::context::work::outcome::contrast;
use crate::domain::context::work::outcome::daytime;
use crate::domain::context::work::outcome::deadline;
use crate::domain::context::work::outcome::denial;
use crate::domain::context::work::outcome::extent;
use crate::domain::context::work::outcome::forbidden;
use crate::domain::context::work::outcome::lettered;
use crate::domain::context::work::outcome::listed;
use crate::domain::context::work::outcome::member;
use crate::domain::context::work::outcome::naming;
use crate::domain::context::work::outcome::period;
use crate::domain::context::work::outcome::privation;
use crate::domain::context::work::outcome::reversal;
use crate::domain::context::work::outcome::span;
use crate::domain::context::work::outcome::spared;
use crate::domain::context::work::outcome::wording::Text;

/// What the result says, and what it stands against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    pub says: String,
    pub asked: String,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "says \"{}\" where \"{}\" was asked for", self.says, self.asked)
    }
}

/// A rule: what was asked, what was said.
type Rule = fn(&Text, &Text) -> Option<Contradiction>;

const RULES: [Rule; 18] = [
    denial::found,
    forbidden::found,
    privation::found,
    reversal::found,
    contrast::found,
    deadline::found,
    span::found,
    period::found,
    lettered::found,
    daytime::found,
    amount::found,
    naming::found,
    complement::found,
    extent::found,
    member::found,
    spared::found,
    listed::found,
    another::found,
];

/// What of a result contradicts its description.
pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    RULES.iter().find_map(|rule| rule(asked, said))
}

#[cfg(test)]
pub mod tests {
    use super::Rule;
    use super::found;
    use crate::domain::context::work::outcome::wording::Text;

    /// Holds what a rule says of what was asked and said: the words of the result that contradict, or that none do.
    pub fn assert_says(rule: Rule, cases: &[(&str, &str, Option<&str>)]) {
        for (asked, said, wanted) in cases {
            let found = rule(&Text::of(asked), &Text::of(said));
            let says = found.as_ref().map(|found| found.says.as_str());
            assert_eq!(says, *wanted, "{asked} / {said}: {found:?}");
        }
    }

    #[test]
    fn an_hour_is_compared_where_the_day_is_the_same_c056() {
        assert_says(
            found,
            &[
                (
                    "Mow the lawn before Thursday noon",
                    "Mowing scheduled on Wednesday 15:00",
                    None,
                ),
                ("Mow the lawn before Thursday noon", "Mown on Thursday at 10:00", None),
                (
                    "Mow the lawn before Thursday noon",
                    "Mown on Thursday at 15:00",
                    Some("15:00"),
                ),
                (
                    "Mow the lawn before Thursday noon",
                    "Mown on Friday at 10:00",
                    Some("on Friday"),
                ),
                ("Send the bid before 5 May 10:00", "Sent on 4 May at 16:20", None),
                ("Send the bid before 5 May 10:00", "Sent on 5 May at 9:15", None),
                (
                    "Send the bid before 5 May 10:00",
                    "Sent on 6 May at 9:15",
                    Some("6 May"),
                ),
                ("Confirm by Friday 17:00", "Confirmed on Thursday 18:30", None),
                ("Set the alarm for 6:30 pm", "Alarm set for 18:30", None),
                ("Set the alarm for 6:30 pm", "Alarm set for 6:30", Some("6:30")),
            ],
        );
    }

    #[test]
    fn a_contradiction_names_both_sides_in_their_own_words_c056() {
        let told = |asked: &str, said: &str| found(&Text::of(asked), &Text::of(said)).map(|found| found.to_string());
        assert_eq!(
            told("Open the window", "The window is Closed").as_deref(),
            Some("says \"Closed\" where \"open\" was asked for")
        );
        assert_eq!(told("Open the window", "The window stands wide open"), None);
    }
}

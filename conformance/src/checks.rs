//! Every check, in groups: tables of rows, with the rules below each. Invariant: ids are distinct, and each begins with the
//! requirement that the check is about.

pub mod errors;

pub mod negotiation;

pub mod other;

pub mod patches;

pub mod publishing;

pub mod submissions;

pub mod templates;

use crate::check::Check;

/// Every group by its title, in the order in which they are reported.
pub const GROUPS: [(&str, &[Check]); 7] = [
    ("Templates", templates::CHECKS),
    ("Negotiation", negotiation::CHECKS),
    ("Submissions", submissions::CHECKS),
    ("The key other", other::CHECKS),
    ("Errors", errors::CHECKS),
    ("Patches and updates", patches::CHECKS),
    ("Publishing", publishing::CHECKS),
];

/// Every check.
pub fn all() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().flat_map(|(_, checks)| checks.iter())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::all;

    #[test]
    fn ids_are_distinct_and_begin_with_a_requirement() {
        let mut seen = BTreeSet::new();
        for check in all() {
            assert!(seen.insert(check.id), "{} twice", check.id);
            for requirement in check.requirements() {
                let number = requirement.strip_prefix("Z-").unwrap_or_default();
                let known = number.len() == 3 && number.parse::<u16>().is_ok_and(|number| (1..=182).contains(&number));
                assert!(known, "{}: {requirement}", check.id);
            }
        }
        assert!(seen.len() >= 70, "{}", seen.len());
    }
}

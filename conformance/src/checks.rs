//! Every check: a row of `checks.tsv`, which the page shows, with its rule out of the tables below. Invariant: each row has one rule and
//! each rule one row.

pub mod errors;
pub mod negotiation;
pub mod patches;
pub mod publishing;
pub mod submissions;
pub mod templates;

use std::sync::LazyLock;

use crate::check::Check;
use crate::check::Rule;

const RULES: [&[Rule]; 6] = [
    templates::RULES,
    negotiation::RULES,
    submissions::RULES,
    errors::RULES,
    patches::RULES,
    publishing::RULES,
];

static ALL: LazyLock<Vec<Check>> = LazyLock::new(|| {
    let rows = include_str!("checks.tsv").lines();
    rows.filter_map(|row| {
        let mut columns = row.split('\t');
        let mut column = || columns.next().unwrap_or_default();
        let [id, level, also, group, title] = std::array::from_fn(|_| column());
        let rule = *RULES.iter().copied().flatten().find(|rule| rule.id == id)?;
        Some(Check {
            id,
            level,
            also,
            group,
            title,
            rule,
        })
    })
    .collect()
});

/// Every check, in the order in which they are reported.
pub fn all() -> impl Iterator<Item = &'static Check> {
    ALL.iter()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::RULES;
    use super::all;

    #[test]
    fn ids_are_distinct_begin_with_a_requirement_and_each_row_has_its_rule() {
        let mut seen = BTreeSet::new();
        for check in all() {
            assert!(seen.insert(check.id), "{} twice", check.id);
            assert!(["MUST", "SHOULD", "MAY"].contains(&check.level), "{}", check.level);
            assert!(!check.title.is_empty() && !check.title.contains('\t'), "{}", check.id);
            for requirement in check.requirements() {
                let number = requirement.strip_prefix("Z-").unwrap_or_default();
                let known = number.len() == 3 && number.parse::<u16>().is_ok_and(|number| (1..=182).contains(&number));
                assert!(known, "{}: {requirement}", check.id);
            }
        }
        let rules: Vec<&str> = RULES.iter().copied().flatten().map(|rule| rule.id).collect();
        assert_eq!(seen, rules.iter().copied().collect::<BTreeSet<&str>>());
        let rows = include_str!("checks.tsv").lines().count();
        assert_eq!((seen.len(), rules.len()), (rows, rows));
    }
}

//! Policies that the operator configures: one rule a line, `P001: the rule` (M-007, M-022, M-023).
//!
//! Invariant: every id stands once.

use std::collections::BTreeSet;

use serde::Serialize;
use utoipa::ToSchema;

/// One rule: guidance, and nothing that anything is decided by (M-034).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PolicyRule)]
pub struct Policy {
    pub policy_id: String,
    pub rule: String,
}

/// Bytes of an id.
pub const ID_BYTES_MAX: usize = 64;

/// Reads lines.
///
/// # Errors
/// The first line that is none, in words; it begins with its number, from 1.
pub fn read(lines: &[String]) -> Result<Vec<Policy>, String> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut policies = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let number = at + 1;
        let Some((id, rule)) = line.split_once(':').map(|(id, rule)| (id.trim(), rule.trim())) else {
            return Err(format!("{number} is no `ID: rule`"));
        };
        if id.is_empty() || id.len() > ID_BYTES_MAX || !id.bytes().all(|b| b.is_ascii_graphic()) || rule.is_empty() {
            return Err(format!(
                "{number} must be `ID: rule`, with an id of 1 to {ID_BYTES_MAX} visible characters and a rule"
            ));
        }
        if !known.insert(id) {
            return Err(format!("{number} bears the id of an earlier one"));
        }
        policies.push(Policy {
            policy_id: id.to_owned(),
            rule: rule.to_owned(),
        });
    }
    Ok(policies)
}

#[cfg(test)]
mod tests {
    use super::ID_BYTES_MAX;
    use super::read;

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn policies_are_read_line_by_line_m022_m023() {
        let read = read(&lines(&[
            "P001: Do not share sensitive data without consent.",
            "P002:Use TLS 1.2 or higher: always.",
        ]))
        .expect("policies");
        assert_eq!((read[0].policy_id.as_str(), read.len()), ("P001", 2));
        assert_eq!(read[1].rule, "Use TLS 1.2 or higher: always.");
    }

    #[test]
    fn a_line_that_is_no_policy_is_named_by_its_number_m023() {
        let long = format!("{}: a", "i".repeat(ID_BYTES_MAX + 1));
        for (wrong, number) in [
            (lines(&["no rule"]), "1"),
            (lines(&["A: a", ": b"]), "2"),
            (lines(&["A: a", "A: b"]), "2"),
            (lines(&["A B: a"]), "1"),
            (lines(&["A:  "]), "1"),
            (lines(&[&long]), "1"),
        ] {
            let what = read(&wrong).expect_err("wrong");
            assert!(what.starts_with(number), "{wrong:?}: {what}");
        }
        assert!(read(&lines(&[&long[1..]])).is_ok());
    }
}

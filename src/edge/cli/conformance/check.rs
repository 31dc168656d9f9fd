//! One thing that is looked at: which requirement it is about, how much it weighs, what must be sent for it, and the rule.
//!
//! A rule is a function over what was answered; it sends nothing and knows no clock. Invariant: ids are distinct, and each
//! begins with the requirement that the check is about.

use crate::edge::cli::conformance::errors;
use crate::edge::cli::conformance::evolution;
use crate::edge::cli::conformance::exchange;
use crate::edge::cli::conformance::negotiation;
use crate::edge::cli::conformance::other;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::publishing;
use crate::edge::cli::conformance::scene::Scene;
use crate::edge::cli::conformance::templates;

/// What a failure weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The draft says MUST, or what follows from such a sentence at once.
    Must,
    /// The draft says SHOULD, or describes it without such a word.
    Should,
    /// The draft leaves it open or to the server; whoever offers it does it in this way.
    May,
}

impl Level {
    /// As the draft writes it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Must => "MUST",
            Level::Should => "SHOULD",
            Level::May => "MAY",
        }
    }
}

/// Why a check did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    Fails(String),
    /// What it is about does not occur there.
    NotApplicable(String),
    /// It occurs, or may occur, and could not be asked for.
    NotTried(String),
}

/// What a rule says.
pub type Judged = Result<(), Finding>;

/// One check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The requirement that it is about, and a word where there are several checks for one: `Z-035`, `Z-035-publish`.
    pub id: &'static str,
    /// Further requirements that it shows.
    pub also: &'static [&'static str],
    pub level: Level,
    /// What holds where it passes.
    pub title: &'static str,
    /// What is sent for it; the answers are its evidence.
    pub probes: &'static [Probe],
    pub judge: fn(&Scene) -> Judged,
}

/// A check, part by part: the tables of the groups are made of these.
pub const fn check(
    id: &'static str,
    also: &'static [&'static str],
    level: Level,
    title: &'static str,
    probes: &'static [Probe],
    judge: fn(&Scene) -> Judged,
) -> Check {
    Check {
        id,
        also,
        level,
        title,
        probes,
        judge,
    }
}

impl Check {
    /// Every requirement that it shows, the one it is about first.
    pub fn requirements(&self) -> Vec<&'static str> {
        let own = self.id.get(..5).unwrap_or(self.id);
        std::iter::once(own).chain(self.also.iter().copied()).collect()
    }

    /// Whether it is meant by a word of `--only`: its own id, or a requirement that it shows.
    pub fn is_meant_by(&self, word: &str) -> bool {
        self.id == word || self.requirements().contains(&word)
    }
}

/// Checks that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub title: &'static str,
    pub checks: &'static [Check],
}

/// Every check, in the order in which they are told.
pub const GROUPS: [Group; 7] = [
    Group {
        title: "Templates",
        checks: templates::CHECKS,
    },
    Group {
        title: "Negotiation",
        checks: negotiation::CHECKS,
    },
    Group {
        title: "Submissions",
        checks: exchange::CHECKS,
    },
    Group {
        title: "The key other",
        checks: other::CHECKS,
    },
    Group {
        title: "Errors",
        checks: errors::CHECKS,
    },
    Group {
        title: "Patches and updates",
        checks: evolution::CHECKS,
    },
    Group {
        title: "Publishing",
        checks: publishing::CHECKS,
    },
];

/// Every check.
pub fn all() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().flat_map(|group| group.checks.iter())
}

/// It fails, and why.
pub fn fails(why: impl Into<String>) -> Judged {
    Err(Finding::Fails(why.into()))
}

/// It does not occur.
pub fn not_applicable(why: impl Into<String>) -> Judged {
    Err(Finding::NotApplicable(why.into()))
}

/// Passes where it holds, and fails with these words where it does not.
pub fn holds(held: bool, why: impl Into<String>) -> Judged {
    if held { Ok(()) } else { fails(why) }
}

/// Passes where nothing is wrong; names the first few of what is.
pub fn none_wrong(wrong: &[String], what: &str) -> Judged {
    const NAMED_MAX: usize = 5;
    if wrong.is_empty() {
        return Ok(());
    }
    let named: Vec<&str> = wrong.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = wrong.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    fails(format!("{what}: {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Finding;
    use super::all;
    use super::none_wrong;

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
            assert!(!check.probes.is_empty() && !check.title.is_empty(), "{}", check.id);
        }
        assert!(seen.len() >= 70, "{}", seen.len());
    }

    #[test]
    fn the_first_few_are_named_and_the_others_counted() {
        let wrong = |count: usize| -> Vec<String> { (0..count).map(|n| format!("k{n}")).collect() };
        assert_eq!(none_wrong(&wrong(0), "twice"), Ok(()));
        let said = |count| match none_wrong(&wrong(count), "twice") {
            Err(Finding::Fails(why)) => why,
            other => format!("{other:?}"),
        };
        assert_eq!(said(5), "twice: k0, k1, k2, k3, k4");
        assert_eq!(said(6), "twice: k0, k1, k2, k3, k4 and 1 more");
    }
}

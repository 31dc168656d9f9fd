//! One thing that is checked: which requirement it is about, how much it weighs, what must be sent for it, and the rule.
//!
//! A rule is a function over what was answered; it sends nothing and knows no clock.

use crate::probe::Probe;
use crate::transcript::Transcript;
use crate::verdict::Verdict;

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
    /// What is sent for it; the answers are its evidence, and the last one is what the rule is about.
    pub probes: &'static [Probe],
    pub rule: fn(&Transcript, Probe) -> Verdict,
}

/// A table of checks, one in each row: level, id, the further requirements, title, what is sent, and the rule.
#[macro_export]
macro_rules! checks {
    ($($level:ident $id:literal [$($also:literal)*] $title:literal
        ($($probe:ident $(: $defect:ident)?)+) $rule:expr;)*) => {
        /// The checks of this group, in the order in which they are reported.
        pub const CHECKS: &[$crate::check::Check] = &[$($crate::check::Check {
            id: $id,
            also: &[$($also),*],
            level: $crate::check::Level::$level,
            title: $title,
            probes: &[$($crate::probe::Probe::$probe $(($crate::scratch::Defect::$defect))?),+],
            rule: $rule,
        }),*];
    };
}

impl Check {
    /// Every requirement that it shows, the one it is about first.
    pub fn requirements(&self) -> Vec<&'static str> {
        // `Z-` and three digits.
        let own = self.id.get(..5).unwrap_or(self.id);
        std::iter::once(own).chain(self.also.iter().copied()).collect()
    }

    /// Whether it is meant by a word of `--only`: its own id, or a requirement that it shows.
    pub fn is_meant_by(&self, word: &str) -> bool {
        self.id == word || self.requirements().contains(&word)
    }

    /// Applies the rule.
    pub fn verdict(&self, transcript: &Transcript) -> Verdict {
        let subject = self.probes.last().copied().unwrap_or(Probe::Negotiate);
        (self.rule)(transcript, subject)
    }
}

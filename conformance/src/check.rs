//! One thing that is checked: which requirement it is about, how much it weighs, what must be sent for it, and the rule.
//!
//! A rule is a function over what was answered; it sends nothing and knows no clock.

use crate::probe::Probe;
use crate::transcript::Transcript;
use crate::verdict::Verdict;

/// What is sent for a check, and the rule about the answers.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The check that it is of.
    pub id: &'static str,
    /// The answers are its evidence, and the last one is what the rule is about.
    pub probes: &'static [Probe],
    pub rule: fn(&Transcript, Probe) -> Verdict,
}

/// A table of rules, one in each row: the check's id, what is sent, and the rule.
#[macro_export]
macro_rules! rules {
    ($($id:literal ($($probe:ident $(: $defect:ident)?)+) $rule:expr;)*) => {
        /// The rules of this group.
        pub const RULES: &[$crate::check::Rule] = &[$($crate::check::Rule {
            id: $id,
            probes: &[$($crate::probe::Probe::$probe $(($crate::scratch::Defect::$defect))?),+],
            rule: $rule,
        }),*];
    };
}

/// One check, as `checks.tsv` has it, with its rule.
#[derive(Clone, Debug)]
pub struct Check {
    /// The requirement that it is about, and a word where there are several checks for one: `Z-035`, `Z-035-publish`.
    pub id: &'static str,
    /// What a failure weighs. MUST: the draft says so, or it follows from such a sentence at once; SHOULD: the draft says so, or describes
    /// it without such a word; MAY: the draft leaves it open, and who offers it does it in this way.
    pub level: &'static str,
    /// Further requirements that it shows, with blanks between.
    pub also: &'static str,
    pub group: &'static str,
    /// What holds where it passes.
    pub title: &'static str,
    pub rule: Rule,
}

impl Check {
    /// Whether a server that fails it does not keep to the draft.
    pub fn is_must(&self) -> bool {
        self.level == "MUST"
    }

    /// Every requirement that it shows, the one it is about first.
    pub fn requirements(&self) -> Vec<&'static str> {
        // `Z-` and three digits.
        let own = self.id.get(..5).unwrap_or(self.id);
        std::iter::once(own).chain(self.also.split_whitespace()).collect()
    }

    /// Whether it is meant by a word of `--only`: its own id, or a requirement that it shows.
    pub fn is_meant_by(&self, word: &str) -> bool {
        self.id == word || self.requirements().contains(&word)
    }

    /// Applies the rule.
    pub fn verdict(&self, transcript: &Transcript) -> Verdict {
        let subject = self.rule.probes.last().copied().unwrap_or(Probe::Negotiate);
        (self.rule.rule)(transcript, subject)
    }
}

//! The audit queue of one scenario: values that wait for a person, what people said, and what that says of the judges
//! (Z-137).
//!
//! Holds ids and verdicts alone: value and utterance lie in the sealed part of the submission's record. Invariants: no value
//! stands here twice; both lists are bounded, and the oldest fall out; what retention erased does not wait.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::evolution::audit::Agreement;
use crate::evolution::audit::Verdict;
use crate::evolution::ledger::Basis;
use crate::pool::source::Source;
use crate::scenario::event::Audited;
use schema::name::PatchId;
use schema::time::At;
use schema::time::Day;

/// Answers that are kept to be shown, and to be told from values that never waited.
pub const ANSWERED_MAX: usize = 500;

/// A value that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The submission.
    pub of: u64,
    pub patch_id: PatchId,
    /// The submission's moment.
    pub said_at: At,
    /// Who sent it; `None` of a time before it was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What is counted of it: aligned or not, and by what. `None` where no judge said anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<(bool, Basis)>,
}

impl Waiting {
    fn is(&self, of: u64, patch_id: &PatchId) -> bool {
        self.of == of && self.patch_id == *patch_id
    }
}

/// A value that a person looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    pub waited: Waiting,
    pub verdict: Verdict,
    /// The reviewer.
    pub by: String,
    pub at: At,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// The queue with what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Audits {
    /// Oldest first.
    pub waiting: Vec<Waiting>,
    /// Oldest first.
    pub answered: Vec<Answered>,
    /// Values that fell out unanswered.
    pub fallen: u64,
    /// By what the value had been judged, since the scenario began.
    pub agreement: BTreeMap<Basis, Agreement>,
    /// The same of values that no judge said anything of.
    pub silent: Agreement,
}

impl Audits {
    /// Whether nothing was ever drawn.
    pub fn is_unused(&self) -> bool {
        *self == Audits::default()
    }

    /// The value that waits.
    pub fn waiting(&self, of: u64, patch_id: &PatchId) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.is(of, patch_id))
    }

    /// The value that was answered, while that is kept.
    pub fn answered(&self, of: u64, patch_id: &PatchId) -> Option<&Answered> {
        self.answered.iter().find(|answered| answered.waited.is(of, patch_id))
    }

    /// Lets values wait; beyond `kept` the oldest fall out.
    pub fn draw(&mut self, values: impl IntoIterator<Item = Waiting>, kept: u32) {
        self.waiting.extend(values);
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        let over = self.waiting.len().saturating_sub(kept);
        self.waiting.drain(..over);
        self.fallen = self.fallen.saturating_add(over as u64);
    }

    /// Notes that a value that waits is counted otherwise now.
    pub fn judged_anew(&mut self, of: u64, patch_id: &PatchId, judged: (bool, Basis)) {
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.is(of, patch_id)) {
            waiting.judged = Some(judged);
        }
    }

    /// Takes an answer.
    pub fn answer(&mut self, audited: &Audited, at: At) {
        let Audited {
            of,
            patch_id,
            verdict,
            by,
            because,
            judged,
            said_at,
            counted: _,
        } = audited;
        let source = self.waiting(*of, patch_id).and_then(|waiting| waiting.source.clone());
        self.waiting.retain(|waiting| !waiting.is(*of, patch_id));
        self.tally(*judged).count(judged.map(|(aligned, _)| aligned), *verdict);
        self.answered.push(Answered {
            waited: Waiting {
                of: *of,
                patch_id: patch_id.clone(),
                said_at: *said_at,
                source,
                judged: *judged,
            },
            verdict: *verdict,
            by: by.clone(),
            at,
            because: because.clone(),
        });
        let over = self.answered.len().saturating_sub(ANSWERED_MAX);
        self.answered.drain(..over);
    }

    fn tally(&mut self, judged: Option<(bool, Basis)>) -> &mut Agreement {
        match judged {
            Some((_, basis)) => self.agreement.entry(basis).or_default(),
            None => &mut self.silent,
        }
    }

    /// Answers of each kind, since the scenario began.
    pub fn verdicts(&self) -> BTreeMap<Verdict, u64> {
        let all = || self.agreement.values().chain([&self.silent]);
        let sum = |count: fn(&Agreement) -> u64| all().map(count).sum();
        BTreeMap::from([
            (Verdict::Aligned, sum(|agreement| agreement.right)),
            (Verdict::NotAligned, sum(|agreement| agreement.wrong)),
            (Verdict::CannotTell, sum(|agreement| agreement.cannot_tell)),
        ])
    }

    /// Values of which nothing is left to look at fall out.
    pub fn erased(&mut self, through: u64) {
        self.keep(|waiting| waiting.of > through);
    }

    /// Values of days that the ledger forgot fall out.
    pub fn forget_before(&mut self, day: Day) {
        self.keep(|waiting| waiting.said_at.day() >= day);
    }

    fn keep(&mut self, stays: impl Fn(&Waiting) -> bool) {
        let before = self.waiting.len();
        self.waiting.retain(stays);
        self.fallen = self.fallen.saturating_add((before - self.waiting.len()) as u64);
    }

    /// Checks the invariants.
    ///
    /// # Errors
    /// The first that does not hold, in words.
    pub fn check(&self, seq: u64, erased_through: u64) -> Result<(), String> {
        let answered = self.answered.iter().map(|answered| &answered.waited);
        let mut all = BTreeSet::new();
        for waiting in self.waiting.iter().chain(answered) {
            if !all.insert((waiting.of, &waiting.patch_id)) {
                return Err(format!(
                    "the value of {} in {} is audited twice (Z-137)",
                    waiting.patch_id, waiting.of
                ));
            }
        }
        let is_gone = |waiting: &&Waiting| waiting.of > seq || waiting.of <= erased_through;
        match self.waiting.iter().find(is_gone) {
            Some(Waiting { of, .. }) => Err(format!("an audit waits for submission {of}, of which nothing is there")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::sample::patch_id;
    use schema::time::DAY_MS;

    /// Values of one submission a day.
    fn value(of: u64) -> Waiting {
        Waiting {
            of,
            patch_id: patch_id(1),
            said_at: At(i64::try_from(of).expect("small") * DAY_MS),
            source: None,
            judged: Some((true, Basis::Lexical)),
        }
    }

    fn waits(audits: &Audits) -> (Vec<u64>, u64) {
        (audits.waiting.iter().map(|waiting| waiting.of).collect(), audits.fallen)
    }

    #[test]
    fn the_queue_holds_so_many_and_the_oldest_the_erased_and_the_forgotten_fall_out_z137_z167() {
        let mut audits = Audits::default();
        audits.draw([value(1)], 3);
        audits.draw([value(2), value(3)], 3);
        assert_eq!(waits(&audits), (vec![1, 2, 3], 0), "at the edge");
        audits.draw([value(4)], 3);
        assert_eq!(waits(&audits), (vec![2, 3, 4], 1), "just above");
        audits.erased(2);
        assert_eq!(waits(&audits), (vec![3, 4], 2));
        audits.forget_before(Day(4));
        assert_eq!(waits(&audits), (vec![4], 3));
        audits.draw([value(5), value(6)], 1);
        assert_eq!(waits(&audits), (vec![6], 5), "a smaller queue from now on");
    }

    #[test]
    fn answers_are_kept_for_a_while_and_counted_for_good_z137() {
        let mut audits = Audits::default();
        let many = ANSWERED_MAX as u64 + 1;
        for of in 1..=many {
            let value = value(of);
            audits.draw([value.clone()], 9);
            let audited = Audited {
                of,
                patch_id: value.patch_id,
                said_at: value.said_at,
                judged: value.judged,
                verdict: Verdict::Aligned,
                by: "ada".to_owned(),
                because: None,
                counted: true,
            };
            audits.answer(&audited, At(7));
            assert_eq!(audits.check(of, 0), Ok(()));
        }
        assert_eq!(audits.answered.len(), ANSWERED_MAX);
        assert!(audits.answered(1, &patch_id(1)).is_none(), "the oldest is gone");
        let last = audits.answered(many, &patch_id(1)).expect("the last is there");
        assert_eq!((last.by.as_str(), last.at), ("ada", At(7)));
        assert_eq!(audits.verdicts()[&Verdict::Aligned], many);
        assert_eq!(audits.agreement[&Basis::Lexical].agreed(), many);
    }
}

//! The outcome: what became of a patch, beside what its backtest foretold.
//!
//! Reads the patch's own history and the ledger; judges nothing anew. Invariant: what a person decided is no verdict of
//! the rule, and neither is a key's folding into another.

use serde_json::Value;
use serde_json::json;

use crate::evolution::backtest::Verdict;
use crate::evolution::ledger::KeyReading;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::stage::Reason;
use schema::time::At;

/// What became of a patch since its backtest.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<'a> {
    /// The first decision of the rule, with what it says; `None` while nothing is decided.
    pub decided: Option<(&'a StageChange, Verdict)>,
    /// The ledger as it was read for that, else as it is now.
    pub reading: &'a KeyReading,
}

impl<'a> Outcome<'a> {
    /// The first decision of the rule since the backtest, or the ledger as it stands.
    pub fn of(patch: &'a Patch, now: &'a KeyReading) -> Outcome<'a> {
        let since = patch.backtest.as_ref().map_or(patch.timestamp, |backtest| backtest.at);
        let later = patch.history.iter().filter(|change| change.at >= since);
        let mut decisions =
            later.filter_map(|change| Some(((change, verdict(&change.reason)?), change.reading.as_ref()?)));
        let (decided, reading) = decisions.next().unzip();
        Outcome {
            decided,
            reading: reading.unwrap_or(now),
        }
    }

    /// As evidence of its patch shows it.
    pub fn document(&self, patch: &Patch) -> Value {
        let Outcome { decided, reading } = self;
        json!({
            "stage": patch.stage.name(),
            "decided_at": decided.map(|(change, _)| change.at).map(At::rfc3339),
            "verdict": decided.map(|(_, verdict)| verdict),
            "payloads": reading.payloads_of(&patch.audience),
            "usage": reading.usage(&patch.audience),
            "semantic_alignment_accuracy": reading.semantic_alignment_accuracy,
            "value_type_correctness": reading.value_type_correctness,
            "client_adoption_rate": reading.client_adoption_rate,
        })
    }
}

/// What a decision says of the key, where the rule that ends trials made it.
pub fn verdict(reason: &Reason) -> Option<Verdict> {
    match reason {
        Reason::Promoted => Some(Verdict::Promote),
        Reason::LowUsage | Reason::LowAlignment | Reason::LowType | Reason::NoEvidence => Some(Verdict::Deprecate),
        Reason::MiddleBand | Reason::ExtensionsSpent | Reason::UsageBetween | Reason::ClientsDisagree => {
            Some(Verdict::Extend)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;
    use crate::evolution::backtest::Verdict;
    use crate::evolution::ledger::KeyReading;
    use crate::evolution::patch::Patch;
    use crate::evolution::patch::StageChange;
    use crate::evolution::patch::sample;
    use crate::evolution::stage::Reason;
    use schema::time::At;

    fn change(at: i64, reason: Reason, payloads: u64) -> StageChange {
        StageChange {
            at: At(at),
            to: "a stage".to_owned(),
            reason,
            by: None,
            reading: Some(KeyReading {
                payloads,
                ..KeyReading::default()
            }),
            hand: None,
            because: None,
            scope: None,
        }
    }

    fn outcome(history: Vec<StageChange>) -> (Option<At>, Option<Verdict>, u64) {
        let patch = Patch {
            history,
            ..sample::patch(1)
        };
        let now = KeyReading {
            payloads: 99,
            ..KeyReading::default()
        };
        let outcome = Outcome::of(&patch, &now);
        let decided = outcome.decided.map(|(change, verdict)| (change.at, verdict));
        (
            decided.map(|decided| decided.0),
            decided.map(|decided| decided.1),
            outcome.reading.payloads,
        )
    }

    #[test]
    fn the_first_verdict_of_the_rule_counts_with_its_own_reading_z143() {
        let history = vec![
            change(1, Reason::GateOpened, 1),
            change(2, Reason::TooLittleData, 2),
            change(3, Reason::Promoted, 3),
            change(4, Reason::LowUsage, 4),
        ];
        assert_eq!(outcome(history), (Some(At(3)), Some(Verdict::Promote), 3));
    }

    #[test]
    fn what_nobody_or_a_person_decided_is_read_now_z160() {
        assert_eq!(outcome(Vec::new()), (None, None, 99));
        let by_hand = vec![change(1, Reason::Operator, 1), change(2, Reason::Folded, 2)];
        assert_eq!(outcome(by_hand), (None, None, 99));
    }

    #[test]
    fn what_came_before_the_backtest_is_not_its_outcome() {
        let patch = Patch {
            history: vec![change(1, Reason::Promoted, 1), change(9, Reason::LowUsage, 9)],
            backtest: Some(Box::new(crate::evolution::backtest::sample::backtest(At(5)))),
            ..sample::patch(1)
        };
        let now = KeyReading::default();
        assert_eq!(
            Outcome::of(&patch, &now).decided.map(|(change, _)| change.at),
            Some(At(9))
        );
    }
}

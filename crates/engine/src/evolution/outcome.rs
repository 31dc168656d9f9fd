//! The outcome: what became of a patch, beside what its backtest foretold.
//!
//! Reads the patch's own history and the ledger; judges nothing anew. Invariant: what a person decided is no verdict of
//! the rule, and neither is a key's folding into another.

use crate::evolution::backtest::Verdict;
use crate::evolution::ledger::KeyReading;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::stage::Reason;

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
    use super::*;
    use crate::evolution::backtest::sample as backtests;
    use crate::evolution::patch::sample;
    use schema::time::At;

    #[test]
    fn the_first_verdict_of_the_rule_since_the_backtest_counts_with_its_own_reading_z143_z160() {
        for (backtest, reasons, decided) in [
            (
                None,
                &[Reason::GateOpened, Reason::Promoted, Reason::LowUsage][..],
                Some((2, Verdict::Promote)),
            ),
            (None, &[], None),
            (None, &[Reason::Operator, Reason::Folded], None),
            (
                Some(2),
                &[Reason::Promoted, Reason::LowUsage],
                Some((2, Verdict::Deprecate)),
            ),
        ] {
            let sample = sample::patch(1);
            let change = |(at, reason): (i64, &Reason)| StageChange {
                reading: Some(KeyReading {
                    payloads: at.unsigned_abs(),
                    ..KeyReading::default()
                }),
                ..StageChange::by_rule(At(at), &sample.stage, reason.clone())
            };
            let patch = Patch {
                history: (1..).zip(reasons).map(change).collect(),
                backtest: backtest.map(|at| Box::new(backtests::backtest(At(at)))),
                ..sample.clone()
            };
            let now = KeyReading {
                payloads: 99,
                ..KeyReading::default()
            };
            let outcome = Outcome::of(&patch, &now);
            let found = outcome.decided.map(|(change, verdict)| (change.at.0, verdict));
            assert_eq!(found, decided);
            // What nobody or a person decided is read now.
            assert_eq!(
                outcome.reading.payloads,
                decided.map_or(99, |(at, _)| at.unsigned_abs())
            );
        }
    }
}

//! What the judge's known errors mean for a ratio that it measured (DESIGN §7).
//!
//! A judge that passes over a right value now and then, and lets a wrong one through, shows a share of right values that
//! is off by a known amount. Rogan and Gladen (1978) take it out again:
//! `(observed + specificity − 1) / (sensitivity + specificity − 1)`, within 0 and 1. Pure; the rates are constants that
//! `cargo bench --bench learn -- judge` measures, over the public dialogues of the evaluation data. They are those of
//! judgements that were made: where the judge is silent nothing is counted.

use std::collections::BTreeMap;

use crate::domain::evolution::ledger::Basis;

/// How often a judge is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRates {
    /// Share of right values that it calls right.
    pub sensitivity: f64,
    /// Share of wrong values that it calls wrong.
    pub specificity: f64,
}

/// Of the judge without a model, with an utterance, as `cargo bench --bench learn -- judge` prints it: measured on 25
/// services of the Schema-Guided Dialogue corpus (CC BY-SA 4.0), on 8,700 right values and as many of each of three kinds of
/// wrong ones (another value of the key, the value of a sibling, a value nobody spoke of), each kind with equal weight.
pub const LEXICAL: ErrorRates = ErrorRates {
    sensitivity: 0.963,
    specificity: 0.945,
};

/// Below this a judge knows so little more than a coin that taking its errors out would only amplify noise.
const INFORMATION_MIN: f64 = 0.2;

/// The measured error rates of a basis. The proxy's are unknown, as without an utterance there is no truth to hold it
/// against, a configured model's as well; a person's judgement is the truth.
pub fn rates(basis: Basis) -> Option<ErrorRates> {
    match basis {
        Basis::Lexical => Some(LEXICAL),
        Basis::Proxy | Basis::Llm | Basis::Audit => None,
    }
}

/// The share of right values behind an observed one; `None` where the judge cannot tell right from wrong.
pub fn corrected(observed: f64, rates: ErrorRates) -> Option<f64> {
    let information = rates.sensitivity + rates.specificity - 1.0;
    (information >= INFORMATION_MIN).then(|| ((observed + rates.specificity - 1.0) / information).clamp(0.0, 1.0))
}

/// The corrected ratio over all bases, each (aligned, judged) corrected by its own rates and weighed by what it judged;
/// a basis without rates counts as it stands. `None` when nothing was judged, or when no basis has rates: then there is
/// nothing to correct.
pub fn ratio(judged: &BTreeMap<Basis, (u64, u64)>) -> Option<f64> {
    let mut right = 0.0;
    let mut all = 0.0;
    let mut known = false;
    for (basis, (aligned, judged)) in judged.iter().filter(|(_, (_, judged))| *judged > 0) {
        let observed = *aligned as f64 / *judged as f64;
        let share = match rates(*basis) {
            Some(rates) => {
                known = true;
                corrected(observed, rates)?
            }
            None => observed,
        };
        right += share * *judged as f64;
        all += *judged as f64;
    }
    (known && all > 0.0).then(|| right / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: ErrorRates = ErrorRates {
        sensitivity: 0.9,
        specificity: 0.8,
    };

    #[test]
    fn known_errors_are_taken_out_of_a_ratio_z136() {
        // Of 100 values 70 are right: 63 are called so, and 6 of the 30 wrong ones.
        let share = corrected(0.69, RATES).expect("a judge that can tell");
        assert!((share - 0.70).abs() < 1e-9, "{share}");
        assert_eq!(corrected(1.0, RATES), Some(1.0), "never above one");
        assert_eq!(corrected(0.1, RATES), Some(0.0), "never below zero");
    }

    #[test]
    fn a_judge_that_cannot_tell_corrects_nothing_z136_z160() {
        let coin = |sensitivity: f64, specificity: f64| ErrorRates {
            sensitivity,
            specificity,
        };
        assert_eq!(corrected(0.7, coin(0.5, 0.5)), None);
        assert_eq!(corrected(0.7, coin(0.6, 0.59)), None, "just below");
        assert!(corrected(0.7, coin(0.65, 0.56)).is_some(), "just above");
    }

    #[test]
    fn each_basis_is_corrected_by_its_own_errors_z136_z137() {
        let of = |counts: &[(Basis, (u64, u64))]| ratio(&counts.iter().copied().collect());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(Basis::Lexical, (0, 0))]), None);
        assert_eq!(of(&[(Basis::Audit, (9, 10))]), None, "nothing to correct");
        let lexical = corrected(0.8, LEXICAL);
        let alone = of(&[(Basis::Lexical, (8, 10))]).expect("a ratio");
        assert!((alone - lexical.expect("a share")).abs() < 1e-9, "{alone}");
        let mixed = of(&[(Basis::Lexical, (8, 10)), (Basis::Audit, (5, 10))]).expect("a ratio");
        assert!(
            (mixed - (lexical.expect("a share") + 0.5) / 2.0).abs() < 1e-9,
            "{mixed}"
        );
    }
}

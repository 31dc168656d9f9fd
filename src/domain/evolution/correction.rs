//! What the judge's known errors mean for a ratio that it measured (DESIGN §7).
//!
//! A judge that passes over a right value now and then, and lets a wrong one through, shows a share of right values that
//! is off by a known amount. Rogan and Gladen (1978) take it out again:
//! `(observed + specificity − 1) / (sensitivity + specificity − 1)`, within 0 and 1. Pure. The rates are constants that
//! `cargo bench --bench learn -- judge` measures, over the public dialogues of the evaluation data; where people audited
//! enough of a scenario's own values, they are what these audits say. They are those of judgements that were made: where
//! the judge is silent nothing is counted.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::evolution::audit::Verdict;
use crate::domain::evolution::ledger::Basis;
use crate::domain::evolution::wilson;

/// How often a judge is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRates {
    /// Share of right values that it calls right.
    pub sensitivity: f64,
    /// Share of wrong values that it calls wrong.
    pub specificity: f64,
    /// Right and wrong values that these were measured on.
    pub right: u64,
    pub wrong: u64,
}

/// What people said of values, beside what one judge had said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agreement {
    /// Right by a person's word, and how many of these the judge had called right.
    pub right: u64,
    pub right_called_right: u64,
    /// Wrong by a person's word, and how many of these the judge had called wrong.
    pub wrong: u64,
    pub wrong_called_wrong: u64,
    pub cannot_tell: u64,
}

impl Agreement {
    /// Counts one value; `called` is what the judge had said.
    pub fn count(&mut self, called: Option<bool>, verdict: Verdict) {
        match verdict {
            Verdict::Aligned => {
                self.right += 1;
                self.right_called_right += u64::from(called == Some(true));
            }
            Verdict::NotAligned => {
                self.wrong += 1;
                self.wrong_called_wrong += u64::from(called == Some(false));
            }
            Verdict::CannotTell => self.cannot_tell += 1,
        }
    }

    /// Values of which a person could tell.
    pub fn told(&self) -> u64 {
        self.right + self.wrong
    }

    /// Of these, on how many the judge agrees.
    pub fn agreed(&self) -> u64 {
        self.right_called_right + self.wrong_called_wrong
    }

    /// Whether there are at least so many right and so many wrong values; with 0 there never are.
    pub fn suffices(&self, least: u64) -> bool {
        least > 0 && self.right >= least && self.wrong >= least
    }

    /// The judge's error rates by these audits; `None` without a right or without a wrong value.
    pub fn rates(&self) -> Option<ErrorRates> {
        (self.right > 0 && self.wrong > 0).then(|| ErrorRates {
            sensitivity: self.right_called_right as f64 / self.right as f64,
            specificity: self.wrong_called_wrong as f64 / self.wrong as f64,
            right: self.right,
            wrong: self.wrong,
        })
    }
}

/// Of the judge without a model, with an utterance, as `cargo bench --bench learn -- judge` prints it: measured on 25
/// services of the Schema-Guided Dialogue corpus (CC BY-SA 4.0), on 8,700 right values and as many of each of three kinds of
/// wrong ones (another value of the key, the value of a sibling, a value nobody spoke of), each kind with equal weight.
pub const LEXICAL: ErrorRates = ErrorRates {
    sensitivity: 0.963,
    specificity: 0.945,
    right: 8_700,
    wrong: 26_100,
};

/// Below this a judge knows so little more than a coin that taking its errors out would only amplify noise.
const INFORMATION_MIN: f64 = 0.2;

/// The error rates of a basis: those that this scenario's audits measured, else the constants. Without audits the proxy's
/// are unknown, as without an utterance there is no truth to hold it against, a configured model's as well; a person's
/// judgement is the truth.
pub fn rates(basis: Basis, audited: &BTreeMap<Basis, Agreement>) -> Option<ErrorRates> {
    let measured = audited.get(&basis).and_then(Agreement::rates);
    match basis {
        Basis::Lexical => Some(measured.unwrap_or(LEXICAL)),
        Basis::Proxy | Basis::Llm => measured,
        Basis::Audit => None,
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
pub fn ratio(judged: &BTreeMap<Basis, (u64, u64)>, audited: &BTreeMap<Basis, Agreement>) -> Option<f64> {
    let mut right = 0.0;
    let mut all = 0.0;
    let mut known = false;
    for (basis, (aligned, judged)) in judged.iter().filter(|(_, (_, judged))| *judged > 0) {
        let observed = *aligned as f64 / *judged as f64;
        let share = match rates(*basis, audited) {
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

/// The interval around [`ratio`], at 95 %: how far the ratio moves when one measured share (what a basis observed, and each
/// of its error rates) goes to an end of its own Wilson interval, these distances squared, added and drawn the root of, for
/// either side by itself. `None` where the ratio is, or where a basis at an end of its rates could not tell any more.
pub fn interval(judged: &BTreeMap<Basis, (u64, u64)>, audited: &BTreeMap<Basis, Agreement>) -> Option<[f64; 2]> {
    let ratio = ratio(judged, audited)?;
    let all: f64 = judged.values().map(|(_, judged)| *judged as f64).sum();
    let (mut below, mut above) = (0.0, 0.0);
    for (basis, (aligned, judged)) in judged.iter().filter(|(_, (_, judged))| *judged > 0) {
        let observed = *aligned as f64 / *judged as f64;
        let weight = *judged as f64 / all;
        let ends = wilson::interval(*aligned, *judged)?;
        let mut moved: Vec<f64> = Vec::with_capacity(6);
        let stands = match rates(*basis, audited) {
            None => {
                moved.extend(ends);
                observed
            }
            Some(rates) => {
                for end in ends {
                    moved.push(corrected(end, rates)?);
                }
                for sensitivity in wilson::around(rates.sensitivity, rates.right)? {
                    moved.push(corrected(observed, ErrorRates { sensitivity, ..rates })?);
                }
                for specificity in wilson::around(rates.specificity, rates.wrong)? {
                    moved.push(corrected(observed, ErrorRates { specificity, ..rates })?);
                }
                corrected(observed, rates)?
            }
        };
        for moved in moved {
            let distance = weight * (moved - stands);
            if distance < 0.0 {
                below += distance * distance;
            } else {
                above += distance * distance;
            }
        }
    }
    Some([(ratio - below.sqrt()).max(0.0), (ratio + above.sqrt()).min(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: ErrorRates = ErrorRates {
        sensitivity: 0.9,
        specificity: 0.8,
        right: 100,
        wrong: 100,
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
            ..RATES
        };
        assert_eq!(corrected(0.7, coin(0.5, 0.5)), None);
        assert_eq!(corrected(0.7, coin(0.6, 0.59)), None, "just below");
        assert!(corrected(0.7, coin(0.65, 0.56)).is_some(), "just above");
    }

    #[test]
    fn each_basis_is_corrected_by_its_own_errors_z136_z137() {
        let of = |counts: &[(Basis, (u64, u64))]| ratio(&counts.iter().copied().collect(), &BTreeMap::new());
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

    fn agreement(right: u64, right_called_right: u64, wrong: u64, wrong_called_wrong: u64) -> Agreement {
        Agreement {
            right,
            right_called_right,
            wrong,
            wrong_called_wrong,
            cannot_tell: 0,
        }
    }

    #[test]
    fn what_people_said_is_counted_beside_what_the_judge_said_z137() {
        let mut found = Agreement::default();
        for (called, verdict) in [
            (Some(true), Verdict::Aligned),
            (Some(false), Verdict::Aligned),
            (Some(false), Verdict::NotAligned),
            (Some(true), Verdict::NotAligned),
            (Some(false), Verdict::NotAligned),
            (Some(true), Verdict::CannotTell),
            (None, Verdict::Aligned),
        ] {
            found.count(called, verdict);
        }
        assert_eq!(
            found,
            Agreement {
                cannot_tell: 1,
                ..agreement(3, 1, 3, 2)
            }
        );
        assert_eq!((found.told(), found.agreed()), (6, 3));
        assert!(found.suffices(3) && !found.suffices(4) && !found.suffices(0));
        assert_eq!(agreement(9, 9, 0, 0).rates(), None, "no wrong value, no specificity");
    }

    #[test]
    fn measured_rates_take_the_place_of_the_constants_z136_z137() {
        let audited = BTreeMap::from([
            (Basis::Lexical, agreement(100, 90, 100, 80)),
            (Basis::Proxy, agreement(50, 40, 50, 40)),
        ]);
        let lexical = rates(Basis::Lexical, &audited).expect("rates");
        assert!((lexical.sensitivity - 0.9).abs() < 1e-9 && (lexical.specificity - 0.8).abs() < 1e-9);
        assert_eq!(rates(Basis::Lexical, &BTreeMap::new()), Some(LEXICAL));
        assert!(rates(Basis::Proxy, &audited).is_some() && rates(Basis::Proxy, &BTreeMap::new()).is_none());
        let judged = BTreeMap::from([(Basis::Lexical, (69, 100))]);
        let share = ratio(&judged, &audited).expect("a ratio");
        assert!((share - 0.7).abs() < 1e-9, "{share}");
    }

    #[test]
    fn an_interval_is_carried_through_the_correction_z136() {
        let of = |counts: &[(Basis, (u64, u64))], audited: &BTreeMap<Basis, Agreement>| {
            let judged: BTreeMap<Basis, (u64, u64)> = counts.iter().copied().collect();
            interval(&judged, audited).map(|found| (found, ratio(&judged, audited).expect("a ratio")))
        };
        let none = BTreeMap::new();
        assert_eq!(of(&[], &none), None);
        assert_eq!(of(&[(Basis::Audit, (9, 10))], &none), None, "null where the ratio is");
        let ([low, high], ratio) = of(&[(Basis::Lexical, (16, 20))], &none).expect("an interval");
        assert!(low < ratio && ratio < high && low > 0.0, "{low} {ratio} {high}");
        // The constants are so well known that the interval is nearly what the observed one is carried to.
        let [end_low, end_high] = wilson::interval(16, 20)
            .expect("an interval")
            .map(|end| corrected(end, LEXICAL));
        assert!((low - end_low.expect("a share")).abs() < 5e-3 && (high - end_high.expect("a share")).abs() < 5e-3);
        // Rates of the same size that fewer values tell of say less.
        let vague = BTreeMap::from([(Basis::Lexical, agreement(54, 52, 55, 52))]);
        let ([vague_low, vague_high], _) = of(&[(Basis::Lexical, (160, 200))], &vague).expect("an interval");
        let ([low, high], _) = of(&[(Basis::Lexical, (160, 200))], &none).expect("an interval");
        assert!(vague_high - vague_low > high - low);
        // Of two bases each brings in its own part.
        let ([low, high], ratio) =
            of(&[(Basis::Lexical, (8, 10)), (Basis::Audit, (5, 10))], &none).expect("an interval");
        assert!(0.0 < low && low < ratio && ratio < high && high < 1.0);
        // At the ends nothing leaves 0 and 1.
        let ([_, high], _) = of(&[(Basis::Lexical, (10, 10))], &none).expect("an interval");
        assert!((high - 1.0).abs() < f64::EPSILON);
    }
}

//! The trial's verdict: promote, deprecate, extend (Z-143 … Z-146, Z-157 … Z-160).
//!
//! Owns the thresholds' edges and nothing else: it reads a ledger and changes nothing. Usage is that among recipients
//! (Z-162); alignment is that without the judge's known errors where it is defined, else as observed. Ratios as observed
//! are quotients of two counts, each rounded once, so a ratio that equals a threshold such as 3/20 is the same `f64` as
//! the threshold written in decimal: the edges are exact.

use crate::domain::evolution::ledger::KeyReading;
use crate::domain::evolution::policy::EvolutionPolicy;
use crate::domain::evolution::stage::Reason;

/// What a period's end brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assessment {
    Promote,
    Deprecate(Reason),
    /// Middle band: counts against the extensions.
    Extend,
    /// Too little data: extends and does not count.
    Wait,
}

/// Assesses a trial at the end of a period after `extensions` extensions.
///
/// Usage alone needs payloads; alignment and type need judgements as well. So a key that nobody uses is not kept for
/// want of judgements, which only use can bring.
pub fn assess(reading: &KeyReading, extensions: u32, policy: &EvolutionPolicy) -> Assessment {
    if let Some(reason) = shortfall(reading, policy) {
        return Assessment::Deprecate(reason);
    }
    let (true, Some(usage)) = (enough_payloads(reading, policy), reading.usage_among_recipients) else {
        return Assessment::Wait;
    };
    let Some(right) = filled_rightly(reading, policy) else {
        return Assessment::Wait;
    };
    if usage >= policy.promote_usage_min && right {
        Assessment::Promote
    } else if extensions >= policy.extensions_max {
        Assessment::Deprecate(Reason::ExtensionsSpent)
    } else {
        Assessment::Extend
    }
}

/// Assesses a stable key (Z-164): the reason for which it must go, if any. Too little data never deprecates.
pub fn assess_stable(reading: &KeyReading, policy: &EvolutionPolicy) -> Option<Reason> {
    shortfall(reading, policy)
}

/// Whether clients fill a key as it is meant, however often; `None` while too little is known.
pub fn filled_rightly(reading: &KeyReading, policy: &EvolutionPolicy) -> Option<bool> {
    let (alignment, type_correctness) = (reading.alignment()?, reading.value_type_correctness?);
    enough_judgements(reading, policy)
        .then_some(alignment >= policy.promote_alignment_min && type_correctness >= policy.promote_type_min)
}

/// The first of the three of Z-146 that holds on enough data. An undefined ratio never falls short (Z-160).
fn shortfall(reading: &KeyReading, policy: &EvolutionPolicy) -> Option<Reason> {
    let below = |ratio: Option<f64>, edge: f64| ratio.is_some_and(|ratio| ratio < edge);
    if !enough_payloads(reading, policy) {
        return None;
    }
    if below(reading.usage_among_recipients, policy.deprecate_usage_below) {
        return Some(Reason::LowUsage);
    }
    if !enough_judgements(reading, policy) {
        return None;
    }
    if below(reading.alignment(), policy.deprecate_alignment_below) {
        return Some(Reason::LowAlignment);
    }
    below(reading.value_type_correctness, policy.deprecate_type_below).then_some(Reason::LowType)
}

fn enough_payloads(reading: &KeyReading, policy: &EvolutionPolicy) -> bool {
    reading.payloads_of_recipients >= policy.trial_payloads_min
}

fn enough_judgements(reading: &KeyReading, policy: &EvolutionPolicy) -> bool {
    reading.judged >= policy.trial_judgements_min
}

#[cfg(test)]
mod tests {
    use super::Assessment;
    use super::assess;
    use super::assess_stable;
    use crate::domain::evolution::ledger::KeyReading;
    use crate::domain::evolution::policy::EvolutionPolicy;
    use crate::domain::evolution::stage::Reason;

    fn ratio(part: u64, whole: u64) -> Option<f64> {
        (whole > 0).then(|| part as f64 / whole as f64)
    }

    /// Counts as (part, whole): usage among recipients, alignment, type.
    fn reading(usage: (u64, u64), alignment: (u64, u64), type_ok: (u64, u64)) -> KeyReading {
        KeyReading {
            payloads_of_recipients: usage.1,
            usage_among_recipients: ratio(usage.0, usage.1),
            // Usage over everyone's payloads is deliberately far away: decisions must not look at it (Z-162).
            usage_frequency: Some(0.07),
            aligned: alignment.0,
            judged: alignment.1,
            semantic_alignment_accuracy: ratio(alignment.0, alignment.1),
            value_type_correctness: ratio(type_ok.0, type_ok.1),
            ..KeyReading::default()
        }
    }

    fn verdict(usage: (u64, u64), alignment: (u64, u64), type_ok: (u64, u64)) -> Assessment {
        assess(&reading(usage, alignment, type_ok), 0, &EvolutionPolicy::default())
    }

    #[test]
    fn promotion_needs_all_three_at_or_above_their_edge_z143_z144() {
        assert_eq!(
            verdict((6, 40), (8, 10), (9, 10)),
            Assessment::Promote,
            "15 % of 40, 80 %, 90 %"
        );
        assert_eq!(
            verdict((1_499, 10_000), (8, 10), (9, 10)),
            Assessment::Extend,
            "14.99 %"
        );
        assert_eq!(verdict((1_500, 10_000), (8, 10), (9, 10)), Assessment::Promote);
        assert_eq!(verdict((6, 40), (799, 1_000), (9, 10)), Assessment::Extend);
        assert_eq!(verdict((6, 40), (8, 10), (899, 1_000)), Assessment::Extend);
    }

    #[test]
    fn deprecation_takes_any_one_below_its_edge_z146_z157() {
        assert_eq!(verdict((5, 100), (8, 10), (9, 10)), Assessment::Extend, "exactly 5 %");
        assert_eq!(
            verdict((499, 10_000), (8, 10), (9, 10)),
            Assessment::Deprecate(Reason::LowUsage)
        );
        assert_eq!(verdict((6, 40), (6, 10), (9, 10)), Assessment::Extend, "exactly 60 %");
        assert_eq!(
            verdict((6, 40), (599, 1_000), (9, 10)),
            Assessment::Deprecate(Reason::LowAlignment)
        );
        assert_eq!(verdict((6, 40), (8, 10), (7, 10)), Assessment::Extend, "exactly 70 %");
        assert_eq!(
            verdict((6, 40), (8, 10), (699, 1_000)),
            Assessment::Deprecate(Reason::LowType)
        );
    }

    #[test]
    fn too_little_data_waits_z159() {
        assert_eq!(verdict((29, 29), (10, 10), (29, 29)), Assessment::Wait);
        assert_eq!(verdict((30, 30), (9, 9), (30, 30)), Assessment::Wait);
        assert_eq!(verdict((30, 30), (10, 10), (30, 30)), Assessment::Promote);
        assert_eq!(
            verdict((1, 1), (1, 1), (1, 1)),
            Assessment::Wait,
            "one of one proves nothing"
        );
        assert_eq!(verdict((0, 29), (0, 0), (0, 0)), Assessment::Wait);
        assert_eq!(
            verdict((6, 40), (0, 9), (0, 9)),
            Assessment::Wait,
            "nine bad judgements"
        );
    }

    #[test]
    fn no_traffic_is_no_reason_z160() {
        assert_eq!(verdict((0, 0), (0, 0), (0, 0)), Assessment::Wait);
        assert_eq!(
            assess(&reading((0, 0), (0, 0), (0, 0)), 3, &EvolutionPolicy::default()),
            Assessment::Wait
        );
    }

    #[test]
    fn a_key_that_nobody_uses_goes_without_judgements_z146_z159() {
        assert_eq!(
            verdict((0, 30), (0, 0), (0, 0)),
            Assessment::Deprecate(Reason::LowUsage)
        );
    }

    #[test]
    fn the_middle_band_extends_three_times_then_goes_z157() {
        let middle = reading((4, 40), (7, 10), (8, 10));
        let policy = EvolutionPolicy::default();
        for extensions in 0..3 {
            assert_eq!(assess(&middle, extensions, &policy), Assessment::Extend);
        }
        assert_eq!(
            assess(&middle, 3, &policy),
            Assessment::Deprecate(Reason::ExtensionsSpent)
        );
        let good = reading((6, 40), (8, 10), (9, 10));
        assert_eq!(assess(&good, 3, &policy), Assessment::Promote, "promotion comes first");
    }

    #[test]
    fn decisions_use_the_recipients_share_z162() {
        let mut rare = reading((6, 40), (8, 10), (9, 10));
        rare.usage_frequency = Some(0.001);
        assert_eq!(assess(&rare, 0, &EvolutionPolicy::default()), Assessment::Promote);
        assert_eq!(assess_stable(&rare, &EvolutionPolicy::default()), None);
    }

    #[test]
    fn decisions_use_the_alignment_without_the_judges_errors_where_it_is_defined_z136_z144_z146() {
        let policy = EvolutionPolicy::default();
        let with = |observed: (u64, u64), corrected: Option<f64>| KeyReading {
            semantic_alignment_corrected: corrected,
            ..reading((6, 40), observed, (9, 10))
        };
        assert_eq!(assess(&with((79, 100), Some(0.80)), 0, &policy), Assessment::Promote);
        assert_eq!(assess(&with((80, 100), Some(0.79)), 0, &policy), Assessment::Extend);
        assert_eq!(
            assess(&with((60, 100), Some(0.59)), 0, &policy),
            Assessment::Deprecate(Reason::LowAlignment)
        );
        assert_eq!(assess_stable(&with((59, 100), Some(0.60)), &policy), None);
        assert_eq!(
            assess(&with((80, 100), None), 0, &policy),
            Assessment::Promote,
            "as observed"
        );
    }

    #[test]
    fn stable_keys_fall_by_the_same_rule_and_never_for_want_of_data_z164() {
        let policy = EvolutionPolicy::default();
        let fate = |usage, alignment, type_ok| assess_stable(&reading(usage, alignment, type_ok), &policy);
        assert_eq!(fate((5, 100), (6, 10), (7, 10)), None, "the edges stay");
        assert_eq!(fate((4, 100), (6, 10), (7, 10)), Some(Reason::LowUsage));
        assert_eq!(fate((5, 100), (5, 10), (7, 10)), Some(Reason::LowAlignment));
        assert_eq!(fate((5, 100), (6, 10), (6, 10)), Some(Reason::LowType));
        assert_eq!(fate((0, 29), (0, 0), (0, 0)), None);
        assert_eq!(fate((0, 0), (0, 0), (0, 0)), None);
        assert_eq!(fate((20, 100), (0, 9), (0, 9)), None);
    }

    #[test]
    fn quotients_meet_decimal_thresholds_exactly_z144_z146() {
        for (edge, percent) in [(0.05, 5), (0.15, 15), (0.60, 60), (0.70, 70), (0.80, 80), (0.90, 90)] {
            for whole in 1..=1_000_u64 {
                let at = whole * percent / 100;
                for part in at.saturating_sub(1)..=(at + 1).min(whole) {
                    let exact = part * 100 >= whole * percent;
                    assert_eq!(part as f64 / whole as f64 >= edge, exact, "{part}/{whole} at {edge}");
                }
            }
        }
    }
}

//! The trial's verdict: promote, deprecate, extend, or ask a person (Z-143 … Z-146, Z-157 … Z-160).
//!
//! Owns the thresholds' edges and nothing else: it reads a ledger and changes nothing. The ratios are the draft's: usage over
//! all payloads of the scenario, for a key of a cohort or of one client over those of whom it is for (Z-162), and alignment as
//! observed. Beside them stands the mean over clients of each one's own ratio, and a decision about a key of several clients
//! needs both: what one client sends, however much, is one client's word. Where they still disagree after the last extension, the mean
//! over clients decides. Ratios are quotients of two whole numbers, each
//! rounded once, so a ratio that equals a threshold such as 3/20 is the same `f64` as the threshold written in decimal: the
//! edges are exact.

use crate::evolution::ledger::KeyReading;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;

/// Clients from which on a key is not kept by one of them that sends much, where the mean over all clients falls short of its edge: what
/// `gate_clients_min` is by default (Z-095), and fixed, so that a lower gate does not let one client decide.
const USERS_MIN: u64 = 5;

/// What a period's end brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assessment {
    Promote,
    Deprecate(Reason),
    /// Middle band, or the two readings do not agree: counts against the extensions.
    Extend,
    /// Extended as often as it may be, and nothing speaks for its end: a person decides, and until then it is measured.
    Undecided(Reason),
    /// Too little data: extends and does not count.
    Wait,
}

/// The three ratios, over payloads or over clients.
#[derive(Clone, Copy)]
struct Figures {
    usage: Option<f64>,
    alignment: Option<f64>,
    types: Option<f64>,
}

/// Both readings of a key. A mean that is not known (none was kept, or it is one client's own key) says what the ratio says.
fn figures(reading: &KeyReading, audience: &Audience) -> [Figures; 2] {
    let ratios = Figures {
        usage: reading.usage(audience),
        alignment: reading.semantic_alignment_accuracy,
        types: reading.value_type_correctness,
    };
    let mean = &reading.client_mean;
    let usage = match audience {
        Audience::Global => mean.usage_frequency,
        Audience::Cohort(_) => mean.usage_among_recipients,
        Audience::Client(_) => return [ratios, ratios],
    };
    let means = Figures {
        usage: usage.or(ratios.usage),
        alignment: mean.semantic_alignment_accuracy.or(ratios.alignment),
        types: mean.value_type_correctness.or(ratios.types),
    };
    [ratios, means]
}

/// Assesses a trial at the end of a period after `extensions` extensions.
///
/// Usage alone needs payloads; alignment and type need judgements as well. So a key that nobody uses is not kept for
/// want of judgements, which only use can bring.
pub fn assess(reading: &KeyReading, audience: &Audience, extensions: u32, policy: &EvolutionPolicy) -> Assessment {
    if let Some(reason) = shortfall(reading, audience, policy) {
        return Assessment::Deprecate(reason);
    }
    let both = figures(reading, audience);
    let [ratios, means] = both;
    let known = ratios.usage.is_some() && ratios.alignment.is_some() && ratios.types.is_some();
    if !known || !enough_payloads(reading, audience, policy) || !enough_judgements(reading, policy) {
        return Assessment::Wait;
    }
    let used = |figures: &Figures| reaches(figures.usage, policy.promote_usage_min);
    if both.iter().all(|figures| used(figures) && is_right(figures, policy)) {
        Assessment::Promote
    } else if extensions < policy.extensions_max {
        Assessment::Extend
    } else if !right_but_for_one(reading, means, policy)
        || !(reaches(means.usage, policy.deprecate_usage_below) || reading.used >= USERS_MIN)
    {
        // Most clients do not bear it out, whatever one of them sends.
        Assessment::Deprecate(Reason::ExtensionsSpent)
    } else if used(&means) {
        // One client alone speaks against it; what it sends keeps the key on trial no longer than the extensions do.
        Assessment::Promote
    } else {
        Assessment::Undecided(Reason::UsageBetween)
    }
}

/// Assesses a stable key (Z-164): the reason for which it must go, if any. Too little data never deprecates.
pub fn assess_stable(reading: &KeyReading, audience: &Audience, policy: &EvolutionPolicy) -> Option<Reason> {
    shortfall(reading, audience, policy)
}

/// Whether clients fill a key as it is meant, however often; `None` while too little is known.
pub fn filled_rightly(reading: &KeyReading, audience: &Audience, policy: &EvolutionPolicy) -> Option<bool> {
    let both = figures(reading, audience);
    let known = both[0].alignment.is_some() && both[0].types.is_some() && enough_judgements(reading, policy);
    known.then(|| both.iter().all(|figures| is_right(figures, policy)))
}

fn reaches(ratio: Option<f64>, edge: f64) -> bool {
    ratio.is_some_and(|ratio| ratio >= edge)
}

/// Whether alignment and type are at or above their gates.
fn is_right(figures: &Figures, policy: &EvolutionPolicy) -> bool {
    reaches(figures.alignment, policy.promote_alignment_min) && reaches(figures.types, policy.promote_type_min)
}

/// Whether clients fill it rightly but for one of them at most.
fn right_but_for_one(reading: &KeyReading, means: Figures, policy: &EvolutionPolicy) -> bool {
    let but_one = Figures {
        alignment: reading.client_mean.semantic_alignment_but_lowest.or(means.alignment),
        types: reading.client_mean.value_type_but_lowest.or(means.types),
        ..means
    };
    is_right(&but_one, policy)
}

/// The first of the three of Z-146 that holds on enough data, by both readings. An undefined ratio never falls short (Z-160).
fn shortfall(reading: &KeyReading, audience: &Audience, policy: &EvolutionPolicy) -> Option<Reason> {
    let both = figures(reading, audience);
    let below = |of: fn(&Figures) -> Option<f64>, edge: f64| {
        both.iter().all(|figures| of(figures).is_some_and(|ratio| ratio < edge))
    };
    if !enough_payloads(reading, audience, policy) {
        return None;
    }
    if below(|figures| figures.usage, policy.deprecate_usage_below) {
        return Some(Reason::LowUsage);
    }
    if !enough_judgements(reading, policy) {
        return None;
    }
    if below(|figures| figures.alignment, policy.deprecate_alignment_below) {
        return Some(Reason::LowAlignment);
    }
    below(|figures| figures.types, policy.deprecate_type_below).then_some(Reason::LowType)
}

fn enough_payloads(reading: &KeyReading, audience: &Audience, policy: &EvolutionPolicy) -> bool {
    reading.payloads_of(audience) >= policy.trial_payloads_min
}

fn enough_judgements(reading: &KeyReading, policy: &EvolutionPolicy) -> bool {
    reading.judged >= policy.trial_judgements_min
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::ledger::ClientMean;
    use schema::name::ClientId;

    fn ratio(part: u64, whole: u64) -> Option<f64> {
        (whole > 0).then(|| part as f64 / whole as f64)
    }

    /// Counts as (part, whole): usage, alignment, type.
    fn reading(usage: (u64, u64), alignment: (u64, u64), type_ok: (u64, u64)) -> KeyReading {
        KeyReading {
            payloads: usage.1,
            usage_frequency: ratio(usage.0, usage.1),
            // Usage among recipients is deliberately far away: a key of all is not to be decided by it (Z-135, Z-162).
            payloads_of_recipients: 1,
            usage_among_recipients: Some(1.0),
            aligned: alignment.0,
            judged: alignment.1,
            semantic_alignment_accuracy: ratio(alignment.0, alignment.1),
            value_type_correctness: ratio(type_ok.0, type_ok.1),
            ..KeyReading::default()
        }
    }

    /// What a key of all comes to by the draft's numbers.
    fn after(reading: &KeyReading, extensions: u32) -> Assessment {
        assess(reading, &Audience::Global, extensions, &EvolutionPolicy::default())
    }

    #[test]
    fn each_edge_and_how_much_it_takes_to_decide_z136_z143_z144_z146_z157_z159_z160() {
        let low = Assessment::Deprecate;
        for (usage, alignment, type_ok, expected) in [
            // 15 %, 80 % and 90 % promote together.
            ((6, 40), (8, 10), (9, 10), Assessment::Promote),
            ((1_500, 10_000), (8, 10), (9, 10), Assessment::Promote),
            ((1_499, 10_000), (8, 10), (9, 10), Assessment::Extend),
            ((6, 40), (799, 1_000), (9, 10), Assessment::Extend),
            ((6, 40), (8, 10), (899, 1_000), Assessment::Extend),
            // Below 5 %, 60 % or 70 % alone deprecates.
            ((5, 100), (8, 10), (9, 10), Assessment::Extend),
            ((499, 10_000), (8, 10), (9, 10), low(Reason::LowUsage)),
            ((6, 40), (6, 10), (9, 10), Assessment::Extend),
            ((6, 40), (599, 1_000), (9, 10), low(Reason::LowAlignment)),
            ((6, 40), (8, 10), (7, 10), Assessment::Extend),
            ((6, 40), (8, 10), (699, 1_000), low(Reason::LowType)),
            // 30 payloads and 10 judgements decide; one of one proves nothing.
            ((29, 29), (10, 10), (29, 29), Assessment::Wait),
            ((30, 30), (9, 9), (30, 30), Assessment::Wait),
            ((30, 30), (10, 10), (30, 30), Assessment::Promote),
            ((1, 1), (1, 1), (1, 1), Assessment::Wait),
            ((0, 29), (0, 0), (0, 0), Assessment::Wait),
            ((6, 40), (0, 9), (0, 9), Assessment::Wait),
            ((0, 0), (0, 0), (0, 0), Assessment::Wait),
            // What nobody uses goes without judgements.
            ((0, 30), (0, 0), (0, 0), low(Reason::LowUsage)),
        ] {
            let reading = reading(usage, alignment, type_ok);
            assert_eq!(after(&reading, 0), expected, "{usage:?} {alignment:?} {type_ok:?}");
        }
    }

    #[test]
    fn the_middle_band_extends_three_times_then_goes_z157() {
        let middle = reading((4, 40), (7, 10), (8, 10));
        assert!((0..3).all(|extensions| after(&middle, extensions) == Assessment::Extend));
        assert_eq!(after(&middle, 3), Assessment::Deprecate(Reason::ExtensionsSpent));
        let good = reading((6, 40), (8, 10), (9, 10));
        assert_eq!(after(&good, 3), Assessment::Promote, "promotion comes first");
        assert_eq!(after(&reading((0, 0), (0, 0), (0, 0)), 3), Assessment::Wait);
    }

    #[test]
    fn usage_alone_between_its_edges_is_a_persons_to_decide_after_the_last_extension_z144_z157() {
        let between = Assessment::Undecided(Reason::UsageBetween);
        let gone = Assessment::Deprecate(Reason::ExtensionsSpent);
        for (usage, alignment, type_ok, expected) in [
            ((5, 100), (8, 10), (9, 10), &between),
            ((1_499, 10_000), (8, 10), (9, 10), &between),
            ((1_500, 10_000), (8, 10), (9, 10), &Assessment::Promote),
            (
                (499, 10_000),
                (8, 10),
                (9, 10),
                &Assessment::Deprecate(Reason::LowUsage),
            ),
            ((10, 100), (799, 1_000), (9, 10), &gone),
            ((10, 100), (8, 10), (899, 1_000), &gone),
            ((20, 100), (799, 1_000), (9, 10), &gone),
        ] {
            assert_eq!(after(&reading(usage, alignment, type_ok), 3), *expected, "{usage:?}");
            if *expected == between {
                assert_eq!(after(&reading(usage, alignment, type_ok), 2), Assessment::Extend);
            }
        }
        let wide = EvolutionPolicy {
            promote_usage_min: 0.10,
            ..EvolutionPolicy::default()
        };
        let tenth = reading((10, 100), (8, 10), (9, 10));
        let assessed = assess(&tenth, &Audience::Global, 3, &wide);
        assert_eq!(assessed, Assessment::Promote, "the figures are policy");
    }

    #[test]
    fn a_key_of_few_is_decided_by_the_payloads_of_those_it_is_for_z162() {
        let own = Audience::Client(ClientId::parse("ana").expect("a client"));
        let policy = EvolutionPolicy::default();
        let mut few = reading((1, 1_000), (8, 10), (9, 10));
        (few.payloads_of_recipients, few.usage_among_recipients) = (40, Some(0.15));
        assert_eq!(assess(&few, &own, 0, &policy), Assessment::Promote);
        assert_eq!(assess_stable(&few, &own, &policy), None);
        // For all it is rare.
        assert_eq!(after(&few, 0), Assessment::Deprecate(Reason::LowUsage));
        few.usage_among_recipients = Some(0.149);
        assert_eq!(assess(&few, &own, 0, &policy), Assessment::Extend);
    }

    /// With the mean over clients beside it.
    fn beside(reading: KeyReading, usage: f64, alignment: f64, type_ok: f64) -> KeyReading {
        KeyReading {
            client_mean: ClientMean {
                clients: 20,
                usage_frequency: Some(usage),
                usage_among_recipients: None,
                semantic_alignment_accuracy: Some(alignment),
                value_type_correctness: Some(type_ok),
                ..ClientMean::default()
            },
            ..reading
        }
    }

    #[test]
    fn a_key_of_all_is_promoted_and_let_go_by_both_readings_alone_z144_z146() {
        let good = reading((6, 40), (8, 10), (9, 10));
        for (usage, alignment, type_ok, expected) in [
            (0.15, 0.80, 0.90, Assessment::Promote),
            (0.149_999, 0.80, 0.90, Assessment::Extend),
            (0.15, 0.799_999, 0.90, Assessment::Extend),
            (0.15, 0.80, 0.899_999, Assessment::Extend),
            (0.01, 0.10, 0.10, Assessment::Extend),
        ] {
            assert_eq!(after(&beside(good.clone(), usage, alignment, type_ok), 0), expected);
        }
        let bad = reading((4, 100), (5, 10), (6, 10));
        let low = |reason| Assessment::Deprecate(reason);
        for (usage, alignment, type_ok, expected) in [
            (0.049_999, 0.80, 0.90, low(Reason::LowUsage)),
            (0.05, 0.599_999, 0.90, low(Reason::LowAlignment)),
            (0.05, 0.60, 0.699_999, low(Reason::LowType)),
            (0.05, 0.60, 0.70, Assessment::Extend),
        ] {
            assert_eq!(after(&beside(bad.clone(), usage, alignment, type_ok), 0), expected);
        }
        let stable = |usage| {
            assess_stable(
                &beside(bad.clone(), usage, 0.9, 0.9),
                &Audience::Global,
                &EvolutionPolicy::default(),
            )
        };
        assert_eq!((stable(0.04), stable(0.05)), (Some(Reason::LowUsage), None));
    }

    #[test]
    fn after_the_last_extension_the_mean_over_clients_decides_z157() {
        let killed_by_one = beside(reading((50, 100), (5, 10), (5, 10)), 0.30, 0.95, 0.95);
        assert_eq!(after(&killed_by_one, 2), Assessment::Extend);
        assert_eq!(after(&killed_by_one, 3), Assessment::Promote);
        let mut by_one_of_few = beside(reading((50, 100), (5, 10), (5, 10)), 0.30, 0.75, 0.75);
        assert_eq!(after(&by_one_of_few, 3), Assessment::Deprecate(Reason::ExtensionsSpent));
        by_one_of_few.client_mean.semantic_alignment_but_lowest = Some(0.80);
        by_one_of_few.client_mean.value_type_but_lowest = Some(0.90);
        assert_eq!(after(&by_one_of_few, 3), Assessment::Promote);
        by_one_of_few.client_mean.value_type_but_lowest = Some(0.899_999);
        assert_eq!(after(&by_one_of_few, 3), Assessment::Deprecate(Reason::ExtensionsSpent));
        let kept_by_one = beside(reading((50, 100), (10, 10), (10, 10)), 0.049, 1.0, 1.0);
        assert_eq!(after(&kept_by_one, 2), Assessment::Extend);
        assert_eq!(after(&kept_by_one, 3), Assessment::Deprecate(Reason::ExtensionsSpent));
        let by_several = |used| KeyReading {
            used,
            ..beside(reading((55, 1_000), (10, 10), (10, 10)), 0.049, 1.0, 1.0)
        };
        assert_eq!(after(&by_several(4), 3), Assessment::Deprecate(Reason::ExtensionsSpent));
        assert_eq!(after(&by_several(5), 3), Assessment::Undecided(Reason::UsageBetween));
        let left_out_by_one = beside(reading((4, 100), (10, 10), (10, 10)), 0.30, 1.0, 1.0);
        assert_eq!(after(&left_out_by_one, 3), Assessment::Promote);
        let by_few = beside(reading((50, 100), (5, 10), (5, 10)), 0.149, 0.95, 0.95);
        assert_eq!(after(&by_few, 3), Assessment::Undecided(Reason::UsageBetween));
    }

    #[test]
    fn stable_keys_fall_by_the_same_rule_and_never_for_want_of_data_z164() {
        let policy = EvolutionPolicy::default();
        let fate =
            |usage, alignment, type_ok| assess_stable(&reading(usage, alignment, type_ok), &Audience::Global, &policy);
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

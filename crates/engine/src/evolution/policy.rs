//! The numbers of trial, promotion and deprecation (docs/design.md §7). Defaults are the draft's.

use serde::Deserialize;
use serde::Serialize;

use crate::evolution::review::Seat;
use crate::pool::hold::Hold;

/// Which proposals go on trial without a person. What is sensitive, or held for more than uncertainty, waits under each
/// (Z-127, Z-165).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// None: every key waits.
    Review,
    /// Those that nothing holds.
    Certain,
    /// Those as well of which it is only not sure that they are right.
    Auto,
}

impl Autonomy {
    /// The words, strictest first.
    pub const WORDS: &[&str] = &["review", "certain", "auto"];

    /// Whether a key waits for a person, sensitive or not, with what holds it.
    pub fn waits(self, sensitive: bool, holds: &[Hold]) -> bool {
        sensitive
            || match self {
                Autonomy::Review => true,
                Autonomy::Certain => !holds.is_empty(),
                Autonomy::Auto => holds.iter().any(|hold| !hold.is_uncertainty()),
            }
    }
}

/// Settings of evolution for one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvolutionPolicy {
    /// Whether anything is proposed at all (Z-073).
    pub enabled: bool,
    /// Whether patches for one client are made (Z-123).
    pub personal: bool,
    /// Which proposals go on trial without a person (Z-127).
    pub autonomy: Autonomy,
    /// Who reads what was said, beside the engine.
    pub reader: Seat,
    /// Length of a trial period, in seconds (Z-141).
    pub trial_s: i64,
    /// Extensions of the middle band before deprecation (Z-157).
    pub extensions_max: u32,
    /// Payloads and judgements that a decision needs (Z-159).
    pub trial_payloads_min: u64,
    pub trial_judgements_min: u64,
    /// Promotion at or above all three (Z-144).
    pub promote_usage_min: f64,
    pub promote_alignment_min: f64,
    pub promote_type_min: f64,
    /// Deprecation below any of three (Z-146).
    pub deprecate_usage_below: f64,
    pub deprecate_alignment_below: f64,
    pub deprecate_type_below: f64,
    /// Observation window, in days (Z-134).
    pub window_days: i64,
    /// Grace of a deprecated key, in seconds (Z-148).
    pub grace_s: i64,
    /// Acceptance of a withdrawn key, in seconds (Z-152).
    pub withdrawn_s: i64,
    /// A patch's life without evidence, in seconds (Z-119, Z-128).
    pub expiration_s: i64,
    /// Cool-down after rejection or deprecation, in seconds, doubled each time.
    pub cool_down_s: i64,
    /// Experimental keys for all, per scenario (Z-154, Z-155).
    pub experimental_max: usize,
    /// Experimental keys in any effective template.
    pub experimental_per_template_max: usize,
    /// Personal keys per scenario.
    pub personal_max: usize,
    /// Clients that must have said something alike before an example is shown to all.
    pub example_clients_min: u64,
    /// Inline suggestions of one revision to one client.
    pub suggestions_max: u32,
    /// Fragments read by induction.
    pub induction_fragments_max: usize,
    /// Share of the values that the rules cannot judge well which a configured model is asked about.
    pub model_judge_share: f64,
    /// Share of the judged values that is put before a person, of stable keys and sure judgements; others are drawn more.
    pub audit_share: f64,
    /// Values that wait for a person at most; the oldest fall out.
    pub audits_max: u32,
    /// Days of history that a candidate is tried on before its trial; 0 tries none.
    pub backtest_days: i64,
    /// Submissions of that history at most, the most recent first.
    pub backtest_submissions_max: usize,
    /// Days that examples and known values of a patch are kept after it ended; 0 keeps them for good.
    pub examples_kept_days: i64,
}

const DAY_S: i64 = 86_400;

impl Default for EvolutionPolicy {
    fn default() -> Self {
        EvolutionPolicy {
            enabled: true,
            personal: true,
            autonomy: Autonomy::Certain,
            reader: Seat::None,
            trial_s: 7 * DAY_S,
            extensions_max: 3,
            trial_payloads_min: 30,
            trial_judgements_min: 10,
            promote_usage_min: 0.15,
            promote_alignment_min: 0.80,
            promote_type_min: 0.90,
            deprecate_usage_below: 0.05,
            deprecate_alignment_below: 0.60,
            deprecate_type_below: 0.70,
            window_days: 30,
            grace_s: 14 * DAY_S,
            withdrawn_s: 30 * DAY_S,
            expiration_s: 90 * DAY_S,
            cool_down_s: 14 * DAY_S,
            experimental_max: 10,
            experimental_per_template_max: 10,
            personal_max: 500,
            example_clients_min: 3,
            suggestions_max: 10,
            induction_fragments_max: 200,
            model_judge_share: 0.1,
            audit_share: 0.02,
            audits_max: 200,
            backtest_days: 30,
            backtest_submissions_max: 2_000,
            examples_kept_days: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn what_is_sensitive_or_more_than_uncertain_always_waits_z127_z165() {
        for (autonomy, nothing, uncertain, firm) in [
            (Autonomy::Review, true, true, true),
            (Autonomy::Certain, false, true, true),
            (Autonomy::Auto, false, false, true),
        ] {
            assert_eq!(autonomy.waits(false, &[]), nothing, "{autonomy:?}");
            assert!(autonomy.waits(true, &[]), "{autonomy:?}");
            for hold in Hold::VARIANTS {
                let is_firm = matches!(hold, Hold::BaseKey | Hold::Instruction | Hold::Unscreened);
                let waits = if is_firm { firm } else { uncertain };
                assert_eq!(autonomy.waits(false, &[*hold]), waits, "{autonomy:?} {hold:?}");
            }
            assert_eq!(autonomy.waits(false, &[Hold::Instruction, Hold::Name]), firm);
        }
        let all = [Autonomy::Review, Autonomy::Certain, Autonomy::Auto];
        let words = all.map(|autonomy| serde_json::to_value(autonomy).expect("a word"));
        assert_eq!(words.to_vec(), Autonomy::WORDS, "strictest first");
    }

    #[test]
    fn defaults_are_the_drafts_and_every_number_can_be_set_z073_z134_z141_z144_z146_z148_z152_z155() {
        let policy = EvolutionPolicy::default();
        let days = [policy.trial_s, policy.grace_s, policy.withdrawn_s].map(|seconds| seconds / DAY_S);
        assert_eq!(policy.window_days, 30);
        assert_eq!(days, [7, 14, 30]);
        assert_eq!(policy.experimental_max, 10);
        let promote = (
            policy.promote_usage_min,
            policy.promote_alignment_min,
            policy.promote_type_min,
        );
        assert_eq!(promote, (0.15, 0.80, 0.90));
        let (alignment, types) = (policy.deprecate_alignment_below, policy.deprecate_type_below);
        assert_eq!((policy.deprecate_usage_below, alignment, types), (0.05, 0.60, 0.70));
        let set = serde_json::from_str::<EvolutionPolicy>;
        let policy = set(r#"{"enabled": false, "trial_s": 60}"#).expect("a partial policy");
        assert_eq!((policy.enabled, policy.trial_s, policy.window_days), (false, 60, 30));
        assert!(set(r#"{"trail_s": 60}"#).is_err());
    }
}

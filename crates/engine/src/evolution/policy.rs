//! The numbers of trial, promotion and deprecation (docs/design.md §7). Defaults are the draft's.

use serde::Deserialize;
use serde::Serialize;

use crate::bound::COUNT;
use crate::bound::Range;
use crate::bound::SECONDS;
use crate::bound::SHARE;
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

const DAY_S: i64 = 86_400;

crate::section! {
    /// Settings of evolution for one scenario.
    "policy.evolution" EvolutionPolicy

    /// Whether anything is proposed at all (Z-073).
    enabled: bool = true, Range::Flag, "";
    /// Whether patches for one client are made (Z-123).
    personal: bool = true, Range::Flag, "";
    /// Which keys go on trial without a person (Z-127): none, those that nothing holds, or also those of which it is
    /// only not sure that they are right. What is sensitive (Z-165), reads like an order, changes a key of the
    /// publisher or could not be screened always waits. A template may only make it stricter: take a word that stands
    /// before it.
    autonomy: Autonomy = Autonomy::Certain, Range::Word(Autonomy::WORDS), Tighten, "";
    /// Who reads what clients said and says which wishes there are, beside the engine: nobody, operators and their
    /// agents from outside, or also the language model of [model]. What is personal is masked first. A template may
    /// only make it stricter: take a word that stands before it.
    reader: Seat = Seat::None, Range::Word(Seat::WORDS), Tighten, "";
    /// Length of a trial period (Z-141).
    trial_s: i64 = 7 * DAY_S, SECONDS, "seconds";
    /// Extensions of the middle band before deprecation (Z-157).
    extensions_max: u32 = 3, Range::Whole(0, 1_000), "periods";
    /// Payloads that a decision needs (Z-159).
    trial_payloads_min: u64 = 30, COUNT, "payloads";
    /// Judgements that a decision needs (Z-159).
    trial_judgements_min: u64 = 10, COUNT, "judgements";
    /// Promotion needs at least this usage (Z-144). It counts all payloads, and the draft's 15 % is above most wishes:
    /// a key that is filled rightly by fewer is prolonged, then waits for a person (`usage_between`). Where that
    /// becomes of most keys, set the least share of all payloads that is worth a key, such as 0.05, with
    /// deprecate_usage_below at 0.02: of 103 wishes on twelve services, taken up by seven of ten clients, 61 were
    /// promoted so, and one at 0.15.
    promote_usage_min: f64 = 0.15, SHARE, "ratio";
    /// Promotion needs at least this alignment (Z-144).
    promote_alignment_min: f64 = 0.80, SHARE, "ratio";
    /// Promotion needs at least this type correctness (Z-144).
    promote_type_min: f64 = 0.90, SHARE, "ratio";
    /// Less usage deprecates (Z-146). What is wished in 5 % of all payloads falls below the draft's 5 % in every other
    /// week: set it well below promote_usage_min.
    deprecate_usage_below: f64 = 0.05, SHARE, "ratio";
    /// Less alignment deprecates (Z-146).
    deprecate_alignment_below: f64 = 0.60, SHARE, "ratio";
    /// Less type correctness deprecates (Z-146).
    deprecate_type_below: f64 = 0.70, SHARE, "ratio";
    /// Observation window of the ledger (Z-134).
    window_days: i64 = 30, Range::Whole(1, 3_650), "days";
    /// Grace of a deprecated key (Z-148).
    grace_s: i64 = 14 * DAY_S, SECONDS, "seconds";
    /// How long a withdrawn key is still accepted (Z-152).
    withdrawn_s: i64 = 30 * DAY_S, SECONDS, "seconds";
    /// A patch's life without evidence (Z-119, Z-128).
    expiration_s: i64 = 90 * DAY_S, SECONDS, "seconds";
    /// Cool-down after rejection or deprecation, doubled each time.
    cool_down_s: i64 = 14 * DAY_S, SECONDS, "seconds";
    /// Experimental keys for all, per scenario (Z-154).
    experimental_max: usize = 10, Range::Whole(0, 1_000), "keys";
    /// Experimental keys in any effective template (Z-155).
    experimental_per_template_max: usize = 10, Range::Whole(0, 1_000), "keys";
    /// Personal keys per scenario.
    personal_max: usize = 500, Range::Whole(0, 1_000_000), "keys";
    /// Clients that must have said something alike before an example is shown to all. A template may only make it
    /// stricter: raise it, or set it where it is not.
    example_clients_min: u64 = 3, COUNT, Raise, "clients";
    /// Inline suggestions of one revision to one client.
    suggestions_max: u32 = 10, Range::Whole(0, 1_000), "suggestions";
    /// Fragments read by induction.
    induction_fragments_max: usize = 200, Range::Whole(1, 100_000), "fragments";
    /// Share of the values that the rules judge by a proxy or not at all which a configured model is asked about. A
    /// template may only make it stricter: lower it.
    model_judge_share: f64 = 0.1, SHARE, Lower, "share";
    /// Share of the judged values that is put before a person (docs/audits.md): of a key on trial three times, and of
    /// values on which the rules were unsure twice as much.
    audit_share: f64 = 0.02, SHARE, "share";
    /// Values of a scenario that wait for a person at most; the oldest fall out.
    audits_max: u32 = 200, Range::Whole(0, 10_000), "values";
    /// Days of history that a candidate is tried on before its trial; 0 tries none.
    backtest_days: i64 = 30, Range::Whole(0, 3_650), "days";
    /// Submissions of that history at most, the most recent first.
    backtest_submissions_max: usize = 2_000, Range::Whole(1, 100_000), "submissions";
    /// How long examples and known values of a patch are kept after it ended; 0 keeps them for good. A template may
    /// only make it stricter: lower it.
    examples_kept_days: i64 = 0, Range::Whole(0, 36_500), Shorten, "days";
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

//! Settings of the rules: when something is demand, a key, stable, or gone. Values, ranges and defaults are the engine's; a template
//! may override each within the same range ([`engine::scenario::policy`]).

use crate::config::setting::Setting;
use crate::config::setting::section;

section! {
    policy "pool" POOL

    /// At or above it a fragment joins a micro-cluster (Z-087).
    micro_cosine_min: "cosine";
    /// Average linkage stops below it; 0: where the model's calibration says.
    link_min: "similarity";
    /// Fragments between two reclusterings.
    look_every_fragments: "fragments";
    /// Micro-clusters linked at once, which takes the square of their number; more are linked in portions, and their
    /// groups then.
    block_from_micros: "micro-clusters";
    /// Micro-clusters kept; cold singletons go first. A template may only make it stricter: lower it.
    micros_max: "micro-clusters";
    /// Half-life of heat (Z-092). The draft's day suits a service with hundreds of submissions a day; where a wish is
    /// said every few days, a week (604800) finds it.
    heat_half_life_s: "seconds";
    /// Heat added when a fragment joins (Z-090, Z-099).
    heat_increment: "heat";
    /// How many times that an extension request adds instead (Z-022); clients and occurrences count once either way.
    extension_weight;
    /// Heat that must be exceeded for the gate to open (Z-094).
    heat_threshold: "heat";
    /// Window of the source gate (Z-095); four weeks (2419200) beside a half-life of one.
    gate_window_s: "seconds";
    /// Distinct clients that open the gate for all (Z-095).
    gate_clients_min: "clients";
    /// Occurrences that open a gate (Z-095).
    gate_occurrences_min: "fragments";
    /// Distinct clients needed beside the occurrences.
    gate_occurrence_clients_min: "clients";
    /// Largest share of the occurrences that one client may have made.
    gate_client_share_max: "share";
    /// Share of the occurrences above which a gate that many opened is one cohort's alone, where there are clients
    /// outside of it (Z-098).
    gate_cohort_share_max: "share";
    /// Fragments taken from one submission.
    fragments_per_submission_max: "fragments";
    /// Fragments of a cluster before a key that others see is made of it.
    mature_members_min: "fragments";
}

section! {
    policy "evolution" EVOLUTION

    /// Whether anything is proposed at all (Z-073).
    enabled;
    /// Whether patches for one client are made (Z-123).
    personal;
    /// Which keys go on trial without a person (Z-127): none, those that nothing holds, or also those of which it is
    /// only not sure that they are right. What is sensitive (Z-165), reads like an order, changes a key of the
    /// publisher or could not be screened always waits. A template may only make it stricter: take a word that stands
    /// before it.
    autonomy;
    /// Who reads what clients said and says which wishes there are, beside the engine: nobody, operators and their
    /// agents from outside, or also the language model of [model]. What is personal is masked first. A template may
    /// only make it stricter: take a word that stands before it.
    reader;
    /// Length of a trial period (Z-141).
    trial_s: "seconds";
    /// Extensions of the middle band before deprecation (Z-157).
    extensions_max: "periods";
    /// Payloads that a decision needs (Z-159).
    trial_payloads_min: "payloads";
    /// Judgements that a decision needs (Z-159).
    trial_judgements_min: "judgements";
    /// Promotion needs at least this usage (Z-144). It counts all payloads, and the draft's 15 % is above most wishes:
    /// a key that is filled rightly by fewer is prolonged, then waits for a person (`usage_between`). Where that
    /// becomes of most keys, set the least share of all payloads that is worth a key, such as 0.05, with
    /// deprecate_usage_below at 0.02: of 103 wishes on twelve services, taken up by seven of ten clients, 61 were
    /// promoted so, and one at 0.15.
    promote_usage_min: "ratio";
    /// Promotion needs at least this alignment (Z-144).
    promote_alignment_min: "ratio";
    /// Promotion needs at least this type correctness (Z-144).
    promote_type_min: "ratio";
    /// Less usage deprecates (Z-146). What is wished in 5 % of all payloads falls below the draft's 5 % in every other
    /// week: set it well below promote_usage_min.
    deprecate_usage_below: "ratio";
    /// Less alignment deprecates (Z-146).
    deprecate_alignment_below: "ratio";
    /// Less type correctness deprecates (Z-146).
    deprecate_type_below: "ratio";
    /// Observation window of the ledger (Z-134).
    window_days: "days";
    /// Grace of a deprecated key (Z-148).
    grace_s: "seconds";
    /// How long a withdrawn key is still accepted (Z-152).
    withdrawn_s: "seconds";
    /// A patch's life without evidence (Z-119, Z-128).
    expiration_s: "seconds";
    /// Cool-down after rejection or deprecation, doubled each time.
    cool_down_s: "seconds";
    /// Experimental keys for all, per scenario (Z-154).
    experimental_max: "keys";
    /// Experimental keys in any effective template (Z-155).
    experimental_per_template_max: "keys";
    /// Personal keys per scenario.
    personal_max: "keys";
    /// Clients that must have said something alike before an example is shown to all. A template may only make it
    /// stricter: raise it, or set it where it is not.
    example_clients_min: "clients";
    /// Inline suggestions of one revision to one client.
    suggestions_max: "suggestions";
    /// Fragments read by induction.
    induction_fragments_max: "fragments";
    /// Share of the values that the rules judge by a proxy or not at all which a configured model is asked about. A
    /// template may only make it stricter: lower it.
    model_judge_share: "share";
    /// Share of the judged values that is put before a person (docs/audits.md): of a key on trial three times, and of
    /// values on which the rules were unsure twice as much.
    audit_share: "share";
    /// Values of a scenario that wait for a person at most; the oldest fall out.
    audits_max: "values";
    /// Days of history that a candidate is tried on before its trial; 0 tries none.
    backtest_days: "days";
    /// Submissions of that history at most, the most recent first.
    backtest_submissions_max: "submissions";
    /// How long examples and known values of a patch are kept after it ended; 0 keeps them for good. A template may
    /// only make it stricter: lower it.
    examples_kept_days: "days";
}

#[cfg(test)]
mod tests {
    use super::EVOLUTION;
    use super::POOL;
    use engine::scenario::policy;

    #[test]
    fn what_a_template_may_only_make_stricter_is_said_z127() {
        for setting in POOL.iter().chain(EVOLUTION) {
            let name = setting.path.strip_prefix("policy.").expect("a policy");
            let bound = policy::find(name).expect("a range");
            match bound.latitude.words() {
                Some(words) => assert!(setting.meaning.ends_with(words), "{name}: {words}"),
                None => assert!(!setting.meaning.contains("A template may only"), "{name}"),
            }
        }
    }
}

//! Settings of the rules: when something is demand, a key, stable, or gone. A template may override each, within the same
//! ranges, which are the core's ([`engine::scenario::bounds`]).

use crate::config::catalogue::Setting;
use crate::config::kind::Kind;
use engine::scenario::bounds;

const fn number(path: &'static str, unit: &'static str, meaning: &'static str) -> Setting {
    let (_, name) = path.split_at("policy.".len());
    Setting {
        path,
        kind: Kind::of(bounds::range_of(name)),
        unit,
        meaning,
    }
}

/// In the order of the file.
pub const POLICY: &[Setting] = &[
    number(
        "policy.pool.micro_cosine_min",
        "cosine",
        "At or above it a fragment joins a micro-cluster (Z-087).",
    ),
    number(
        "policy.pool.link_min",
        "similarity",
        "Average linkage stops below it; 0: where the model's calibration says.",
    ),
    number(
        "policy.pool.look_every_fragments",
        "fragments",
        "Fragments between two looks at the clusters.",
    ),
    number(
        "policy.pool.block_from_micros",
        "micro-clusters",
        "Micro-clusters linked at once, which takes the square of their number; more are linked in portions, and their groups then.",
    ),
    number(
        "policy.pool.micros_max",
        "micro-clusters",
        "Micro-clusters kept; cold singletons go first. A template may only make it stricter: lower it.",
    ),
    number(
        "policy.pool.heat_half_life_s",
        "seconds",
        "Half-life of heat (Z-092). The draft's day suits a service with hundreds of submissions a day; where a wish is said every few days, a week (604800) finds it.",
    ),
    number(
        "policy.pool.heat_increment",
        "heat",
        "Heat added when a fragment joins (Z-090, Z-099).",
    ),
    number(
        "policy.pool.extension_weight",
        "",
        "How many times that an extension request adds instead (Z-022); clients and occurrences count once either way.",
    ),
    number(
        "policy.pool.heat_threshold",
        "heat",
        "Heat that must be exceeded for the gate to open (Z-094).",
    ),
    number(
        "policy.pool.gate_window_s",
        "seconds",
        "Window of the source gate (Z-095); four weeks (2419200) beside a half-life of one.",
    ),
    number(
        "policy.pool.gate_clients_min",
        "clients",
        "Distinct clients that open the gate for all (Z-095).",
    ),
    number(
        "policy.pool.gate_occurrences_min",
        "fragments",
        "Occurrences that open a gate (Z-095).",
    ),
    number(
        "policy.pool.gate_occurrence_clients_min",
        "clients",
        "Distinct clients needed beside the occurrences.",
    ),
    number(
        "policy.pool.gate_client_share_max",
        "share",
        "Largest share of the occurrences that one client may have made.",
    ),
    number(
        "policy.pool.gate_cohort_share_max",
        "share",
        "Share of the occurrences above which a gate that many opened is one cohort's alone, where there are clients outside of it (Z-098).",
    ),
    number(
        "policy.pool.fragments_per_submission_max",
        "fragments",
        "Fragments taken from one submission.",
    ),
    number(
        "policy.pool.mature_members_min",
        "fragments",
        "Fragments of a cluster before a key that others see is made of it.",
    ),
    number(
        "policy.evolution.enabled",
        "",
        "Whether anything is proposed at all (Z-073).",
    ),
    number(
        "policy.evolution.personal",
        "",
        "Whether patches for one client are made (Z-123).",
    ),
    number(
        "policy.evolution.autonomy",
        "",
        "Which keys go on trial without a person (Z-127): none, those that nothing holds, or also those of which it is only not sure that they are right. What is sensitive (Z-165), reads like an order, changes a key of the publisher or could not be screened always waits. A template may only make it stricter: take a word that stands before it.",
    ),
    number(
        "policy.evolution.reader",
        "",
        "Who reads what clients said and says which wishes there are, beside the engine: nobody, operators and their agents from outside, or also the language model of [model]. What is personal is masked first. A template may only make it stricter: take a word that stands before it.",
    ),
    number(
        "policy.evolution.trial_s",
        "seconds",
        "Length of a trial period (Z-141).",
    ),
    number(
        "policy.evolution.extensions_max",
        "periods",
        "Extensions of the middle band before deprecation (Z-157).",
    ),
    number(
        "policy.evolution.trial_payloads_min",
        "payloads",
        "Payloads that a decision needs (Z-159).",
    ),
    number(
        "policy.evolution.trial_judgements_min",
        "judgements",
        "Judgements that a decision needs (Z-159).",
    ),
    number(
        "policy.evolution.promote_usage_min",
        "ratio",
        "Promotion needs at least this usage (Z-144). It counts all payloads, and the draft's 15 % is above most wishes: a key that is filled rightly by fewer is prolonged, then waits for a person (`usage_between`). Where that becomes of most keys, set the least share of all payloads that is worth a key, such as 0.05, with deprecate_usage_below at 0.02: of 103 wishes on twelve services, taken up by seven of ten clients, 61 were promoted so, and one at 0.15.",
    ),
    number(
        "policy.evolution.promote_alignment_min",
        "ratio",
        "Promotion needs at least this alignment (Z-144).",
    ),
    number(
        "policy.evolution.promote_type_min",
        "ratio",
        "Promotion needs at least this type correctness (Z-144).",
    ),
    number(
        "policy.evolution.deprecate_usage_below",
        "ratio",
        "Less usage deprecates (Z-146). What is wished in 5 % of all payloads falls below the draft's 5 % in every other week: set it well below promote_usage_min.",
    ),
    number(
        "policy.evolution.deprecate_alignment_below",
        "ratio",
        "Less alignment deprecates (Z-146).",
    ),
    number(
        "policy.evolution.deprecate_type_below",
        "ratio",
        "Less type correctness deprecates (Z-146).",
    ),
    number(
        "policy.evolution.window_days",
        "days",
        "Observation window of the ledger (Z-134).",
    ),
    number(
        "policy.evolution.grace_s",
        "seconds",
        "Grace of a deprecated key (Z-148).",
    ),
    number(
        "policy.evolution.withdrawn_s",
        "seconds",
        "How long a withdrawn key is still accepted (Z-152).",
    ),
    number(
        "policy.evolution.expiration_s",
        "seconds",
        "A patch's life without evidence (Z-119, Z-128).",
    ),
    number(
        "policy.evolution.cool_down_s",
        "seconds",
        "Cool-down after rejection or deprecation, doubled each time.",
    ),
    number(
        "policy.evolution.experimental_max",
        "keys",
        "Experimental keys for all, per scenario (Z-154).",
    ),
    number(
        "policy.evolution.experimental_per_template_max",
        "keys",
        "Experimental keys in any effective template (Z-155).",
    ),
    number("policy.evolution.personal_max", "keys", "Personal keys per scenario."),
    number(
        "policy.evolution.example_clients_min",
        "clients",
        "Clients that must have said something alike before an example is shown to all. A template may only make it stricter: raise it, or set it where it is not.",
    ),
    number(
        "policy.evolution.suggestions_max",
        "suggestions",
        "Inline suggestions of one revision to one client.",
    ),
    number(
        "policy.evolution.induction_fragments_max",
        "fragments",
        "Fragments read by induction.",
    ),
    number(
        "policy.evolution.model_judge_share",
        "share",
        "Share of the values that the rules judge by a proxy or not at all which a configured model is asked about. A template may only make it stricter: lower it.",
    ),
    number(
        "policy.evolution.audit_share",
        "share",
        "Share of the judged values that is put before a person (docs/audits.md): of a key on trial three times, and of values on which the rules were unsure twice as much.",
    ),
    number(
        "policy.evolution.audits_max",
        "values",
        "Values of a scenario that wait for a person at most; the oldest fall out.",
    ),
    number(
        "policy.evolution.backtest_days",
        "days",
        "Days of history that a candidate is tried on before its trial; 0 tries none.",
    ),
    number(
        "policy.evolution.backtest_submissions_max",
        "submissions",
        "Submissions of that history at most, the most recent first.",
    ),
    number(
        "policy.evolution.examples_kept_days",
        "days",
        "How long examples and known values of a patch are kept after it ended; 0 keeps them for good. A template may only make it stricter: lower it.",
    ),
];

#[cfg(test)]
mod tests {
    use super::POLICY;
    use engine::scenario::bounds;

    #[test]
    fn what_a_template_may_only_make_stricter_is_said_z127() {
        for setting in POLICY {
            let name = setting.path.strip_prefix("policy.").expect("a policy");
            let bound = bounds::find(name).expect("a range");
            match bound.latitude.words() {
                Some(words) => assert!(setting.meaning.ends_with(words), "{name}: {words}"),
                None => assert!(!setting.meaning.contains("A template may only"), "{name}"),
            }
        }
    }
}

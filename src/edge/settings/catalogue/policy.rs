//! Settings of the rules: when something is demand, a key, stable, or gone. A template may override each.

use crate::edge::settings::catalogue::COUNT;
use crate::edge::settings::catalogue::SECONDS;
use crate::edge::settings::catalogue::SHARE;
use crate::edge::settings::catalogue::Setting;
use crate::edge::settings::catalogue::setting;
use crate::edge::settings::kind::Kind::Flag;
use crate::edge::settings::kind::Kind::Real;
use crate::edge::settings::kind::Kind::Whole;

/// In the order of the file.
pub const POLICY: &[Setting] = &[
    setting(
        "policy.pool.micro_cosine_min",
        SHARE,
        "cosine",
        "At or above it a fragment joins a micro-cluster (Z-087).",
    ),
    setting(
        "policy.pool.link_min",
        SHARE,
        "similarity",
        "Average linkage stops below it.",
    ),
    setting(
        "policy.pool.centring",
        SHARE,
        "share",
        "Share of the pool's mean subtracted from a centroid before it is compared.",
    ),
    setting(
        "policy.pool.look_every_fragments",
        COUNT,
        "fragments",
        "Fragments between two looks at the clusters.",
    ),
    setting(
        "policy.pool.block_from_micros",
        COUNT,
        "micro-clusters",
        "From so many on, each type is linked by itself, and DBSCAN parts a type too large to be linked at once.",
    ),
    setting(
        "policy.pool.micros_max",
        COUNT,
        "micro-clusters",
        "Micro-clusters kept; cold singletons go first.",
    ),
    setting(
        "policy.pool.heat_half_life_s",
        SECONDS,
        "seconds",
        "Half-life of heat (Z-092).",
    ),
    setting(
        "policy.pool.heat_increment",
        Real(0.001, 1_000_000.0),
        "heat",
        "Heat added when a fragment joins (Z-090, Z-099).",
    ),
    setting(
        "policy.pool.extension_weight",
        Real(1.0, 1_000.0),
        "",
        "How many times that an extension request adds instead (Z-022); clients and occurrences count once either way.",
    ),
    setting(
        "policy.pool.heat_threshold",
        Real(0.0, 1_000_000.0),
        "heat",
        "Heat that must be exceeded for the gate to open (Z-094).",
    ),
    setting(
        "policy.pool.gate_window_s",
        SECONDS,
        "seconds",
        "Window of the source gate (Z-095).",
    ),
    setting(
        "policy.pool.gate_clients_min",
        COUNT,
        "clients",
        "Distinct clients that open the gate for all (Z-095).",
    ),
    setting(
        "policy.pool.gate_occurrences_min",
        COUNT,
        "fragments",
        "Occurrences that open a gate (Z-095).",
    ),
    setting(
        "policy.pool.gate_occurrence_clients_min",
        COUNT,
        "clients",
        "Distinct clients needed beside the occurrences.",
    ),
    setting(
        "policy.pool.gate_client_share_max",
        SHARE,
        "share",
        "Largest share of the occurrences that one client may have made.",
    ),
    setting(
        "policy.pool.gate_cohort_share_max",
        SHARE,
        "share",
        "Share of the occurrences above which a gate that many opened is one cohort's alone, where there are clients outside of it (Z-098).",
    ),
    setting(
        "policy.pool.fragments_per_submission_max",
        Whole(1, 1_000),
        "fragments",
        "Fragments taken from one submission.",
    ),
    setting(
        "policy.pool.mature_members_min",
        COUNT,
        "fragments",
        "Members that make a group mature enough to be cut by type and role.",
    ),
    setting(
        "policy.pool.floor_share",
        SHARE,
        "share",
        "A group becomes a key only with this share of the demand seen so far …",
    ),
    setting(
        "policy.pool.floor_relative",
        Real(0.0, 100.0),
        "ratio",
        "… and with this share of the weighted mean group size.",
    ),
    setting(
        "policy.pool.lasting_looks_min",
        Whole(1, 1_000),
        "looks",
        "Successive looks that must find a cluster mature before it may become a key.",
    ),
    setting(
        "policy.pool.lasting_demand_min",
        COUNT,
        "fragments",
        "Demand below which no number of looks is enough …",
    ),
    setting(
        "policy.pool.lasting_share",
        SHARE,
        "share",
        "… unless the cluster holds this share of all that was asked for.",
    ),
    setting(
        "policy.evolution.enabled",
        Flag,
        "",
        "Whether anything is proposed at all (Z-073).",
    ),
    setting(
        "policy.evolution.personal",
        Flag,
        "",
        "Whether patches for one client are made (Z-123).",
    ),
    setting(
        "policy.evolution.approval_required",
        Flag,
        "",
        "Whether every proposal waits for a person (Z-127); sensitive ones always do (Z-165).",
    ),
    setting(
        "policy.evolution.trial_s",
        SECONDS,
        "seconds",
        "Length of a trial period (Z-141).",
    ),
    setting(
        "policy.evolution.extensions_max",
        Whole(0, 1_000),
        "periods",
        "Extensions of the middle band before deprecation (Z-157).",
    ),
    setting(
        "policy.evolution.trial_payloads_min",
        COUNT,
        "payloads",
        "Payloads that a decision needs (Z-159).",
    ),
    setting(
        "policy.evolution.trial_judgements_min",
        COUNT,
        "judgements",
        "Judgements that a decision needs (Z-159).",
    ),
    setting(
        "policy.evolution.promote_usage_min",
        SHARE,
        "ratio",
        "Promotion needs at least this usage (Z-144).",
    ),
    setting(
        "policy.evolution.promote_alignment_min",
        SHARE,
        "ratio",
        "Promotion needs at least this alignment (Z-144).",
    ),
    setting(
        "policy.evolution.promote_type_min",
        SHARE,
        "ratio",
        "Promotion needs at least this type correctness (Z-144).",
    ),
    setting(
        "policy.evolution.deprecate_usage_below",
        SHARE,
        "ratio",
        "Less usage deprecates (Z-146).",
    ),
    setting(
        "policy.evolution.deprecate_alignment_below",
        SHARE,
        "ratio",
        "Less alignment deprecates (Z-146).",
    ),
    setting(
        "policy.evolution.deprecate_type_below",
        SHARE,
        "ratio",
        "Less type correctness deprecates (Z-146).",
    ),
    setting(
        "policy.evolution.window_days",
        Whole(1, 3_650),
        "days",
        "Observation window of the ledger (Z-134).",
    ),
    setting(
        "policy.evolution.grace_s",
        SECONDS,
        "seconds",
        "Grace of a deprecated key (Z-148).",
    ),
    setting(
        "policy.evolution.withdrawn_s",
        SECONDS,
        "seconds",
        "How long a withdrawn key is still accepted (Z-152).",
    ),
    setting(
        "policy.evolution.expiration_s",
        SECONDS,
        "seconds",
        "A patch's life without evidence (Z-119, Z-128).",
    ),
    setting(
        "policy.evolution.cool_down_s",
        SECONDS,
        "seconds",
        "Cool-down after rejection or deprecation, doubled each time.",
    ),
    setting(
        "policy.evolution.experimental_max",
        Whole(0, 1_000),
        "keys",
        "Experimental keys for all, per scenario (Z-154).",
    ),
    setting(
        "policy.evolution.experimental_per_template_max",
        Whole(0, 1_000),
        "keys",
        "Experimental keys in any effective template (Z-155).",
    ),
    setting(
        "policy.evolution.personal_max",
        Whole(0, 1_000_000),
        "keys",
        "Personal keys per scenario.",
    ),
    setting(
        "policy.evolution.example_clients_min",
        COUNT,
        "clients",
        "Clients that must have said something alike before an example is shown to all.",
    ),
    setting(
        "policy.evolution.suggestions_max",
        Whole(0, 1_000),
        "suggestions",
        "Inline suggestions of one revision to one client.",
    ),
    setting(
        "policy.evolution.induction_fragments_max",
        Whole(1, 100_000),
        "fragments",
        "Fragments read by induction.",
    ),
    setting(
        "policy.evolution.same_key_doubt_min",
        SHARE,
        "probability",
        "From here on the rules are in doubt whether a candidate and a key are one, and a configured model is asked …",
    ),
    setting(
        "policy.evolution.same_key_doubt_max",
        SHARE,
        "probability",
        "… up to here.",
    ),
    setting(
        "policy.evolution.model_judge_share",
        SHARE,
        "share",
        "Share of the values that the rules judge by a proxy or not at all which a configured model is asked about.",
    ),
    setting(
        "policy.evolution.audit_share",
        SHARE,
        "share",
        "Share of the judged values that is put before a person (docs/audits.md): of a key on trial three times, and of values on which the rules were unsure twice as much.",
    ),
    setting(
        "policy.evolution.audits_max",
        Whole(0, 10_000),
        "values",
        "Values of a scenario that wait for a person at most; the oldest fall out.",
    ),
    setting(
        "policy.evolution.audit_rates_min",
        Whole(0, 1_000_000),
        "values",
        "Right and wrong values that people must have audited each before a judge's errors are taken out by what they said; 0 is never.",
    ),
    setting(
        "policy.evolution.backtest_days",
        Whole(0, 3_650),
        "days",
        "Days of history that a candidate is tried on before its trial; 0 tries none.",
    ),
    setting(
        "policy.evolution.backtest_submissions_max",
        Whole(1, 100_000),
        "submissions",
        "Submissions of that history at most, the most recent first.",
    ),
    setting(
        "policy.evolution.examples_kept_days",
        Whole(0, 36_500),
        "days",
        "How long examples and known values of a patch are kept after it ended; 0 keeps them for good.",
    ),
];

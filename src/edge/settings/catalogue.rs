//! Every setting: its path, unit, range and meaning. Defaults are those of the structs.
//!
//! Invariant (held by a test): the paths here are exactly the fields of [`super::Settings`].

pub mod delivery;

pub mod watching;

use crate::domain::template::compatibility::NAMES;
use crate::edge::settings::catalogue::delivery::DELIVERY;
use crate::edge::settings::catalogue::watching::WATCHING;
use crate::edge::settings::kind::Kind;
use crate::edge::settings::kind::Kind::Choice;
use crate::edge::settings::kind::Kind::Flag;
use crate::edge::settings::kind::Kind::Real;
use crate::edge::settings::kind::Kind::Several;
use crate::edge::settings::kind::Kind::Text;
use crate::edge::settings::kind::Kind::Whole;

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Such as `server.listen`.
    pub path: &'static str,
    pub kind: Kind,
    /// Empty where the value has none.
    pub unit: &'static str,
    pub meaning: &'static str,
}

const fn setting(path: &'static str, kind: Kind, unit: &'static str, meaning: &'static str) -> Setting {
    Setting {
        path,
        kind,
        unit,
        meaning,
    }
}

/// Shares and similarities.
const SHARE: Kind = Real(0.0, 1.0);
/// Counts that bound memory.
const COUNT: Kind = Whole(1, 1_000_000_000);
/// Durations, up to a hundred years.
const SECONDS: Kind = Whole(1, 3_155_760_000);

/// All settings but `[[principals]]`, in the order of the file.
pub const CATALOGUE: &[Setting] =
    &joined::<{ CORE.len() + DELIVERY.len() + WATCHING.len() }>([CORE, DELIVERY, WATCHING]);

/// Settings of the service itself.
const CORE: &[Setting] = &[
    setting(
        "server.listen",
        Text,
        "",
        "Address and port to listen on; port 0 picks a free one. Without principals it must be loopback.",
    ),
    setting(
        "server.workers",
        Whole(0, 1_024),
        "threads",
        "Threads that answer HTTP; 0 takes one for each processor.",
    ),
    setting(
        "server.body_bytes_max",
        Whole(1_024, 67_108_864),
        "bytes",
        "Largest request body; a larger one is refused with 413.",
    ),
    setting(
        "server.connections_max",
        Whole(1, 1_000_000),
        "connections",
        "Connections held at once, over all workers; further ones wait in the backlog.",
    ),
    setting(
        "server.backlog",
        Whole(1, 65_535),
        "connections",
        "Connections that wait to be accepted.",
    ),
    setting(
        "server.keep_alive_s",
        Whole(0, 3_600),
        "seconds",
        "How long an idle connection is kept; 0 closes it after each answer.",
    ),
    setting(
        "server.head_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a client may take to send the head of a request; 408 and closed after that.",
    ),
    setting(
        "server.body_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a client may take to send the body of a request; 408 after that.",
    ),
    setting(
        "server.disconnect_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a connection may take to close.",
    ),
    setting(
        "server.write_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a client may leave unread what is sent to it; its connection is cut after that.",
    ),
    setting(
        "server.shutdown_s",
        Whole(0, 3_600),
        "seconds",
        "How long requests under way may take to end after SIGTERM.",
    ),
    setting(
        "data.folder",
        Text,
        "",
        "Folder of the journals; made when it is missing.",
    ),
    setting(
        "schemas.folder",
        Text,
        "",
        "Folder whose `*.json` files are published at start; empty text for none.",
    ),
    setting(
        "models.folder",
        Text,
        "",
        "Folder of the embedding model and its tokenizer.",
    ),
    setting("models.embed_workers", Whole(1, 64), "threads", "Threads that embed."),
    setting(
        "models.embed_queue_max",
        COUNT,
        "texts",
        "Texts that wait for an embedding.",
    ),
    setting(
        "models.embed_cache_max",
        Whole(0, 100_000_000),
        "texts",
        "Texts whose vectors are remembered; 0 for none.",
    ),
    setting(
        "model.url",
        Text,
        "",
        "Where a language model that speaks OpenAI's chat completions is, such as `https://host/v1`; empty for none.",
    ),
    setting("model.name", Text, "", "The model's name, as its server calls it."),
    setting(
        "model.key_env",
        Text,
        "",
        "Environment variable that holds the bearer key; empty for none.",
    ),
    setting(
        "model.key_file",
        Text,
        "",
        "File that holds the bearer key and nothing else; empty for none.",
    ),
    setting(
        "model.uses",
        Several(&["induction", "same_key", "judge"]),
        "",
        "What the model is asked: to name keys, whether two keys are one, whether a value is what was asked.",
    ),
    setting(
        "model.timeout_s",
        Whole(1, 600),
        "seconds",
        "From a question to its answer, waiting and a second attempt included.",
    ),
    setting(
        "model.concurrency_max",
        Whole(1, 256),
        "questions",
        "Questions asked at once.",
    ),
    setting(
        "model.queue_max",
        Whole(0, 100_000),
        "questions",
        "Questions that wait; the rules decide about further ones.",
    ),
    setting(
        "model.calls_per_day",
        Whole(0, 1_000_000_000),
        "calls",
        "Calls in one UTC day, second attempts included.",
    ),
    setting(
        "model.tokens_per_day",
        Whole(0, 1_000_000_000_000),
        "tokens",
        "Tokens in one UTC day, of questions and answers together.",
    ),
    setting(
        "model.judge_budget_share",
        SHARE,
        "share",
        "Nothing is judged any more on a day once this share of its budget is spent: the rest is for keys.",
    ),
    setting(
        "model.answer_tokens_max",
        Whole(16, 1_000_000),
        "tokens",
        "Sent as `max_completion_tokens`; a model that reasons needs more.",
    ),
    setting(
        "model.answer_bytes_max",
        Whole(1_024, 16_777_216),
        "bytes",
        "Largest answer that is read.",
    ),
    setting(
        "model.pause_after_faults",
        Whole(1, 1_000),
        "faults",
        "Faults in a row after which the model is left alone for a while.",
    ),
    setting("model.pause_s", Whole(1, 86_400), "seconds", "How long that is."),
    setting(
        "store.cache_bytes",
        Whole(1_048_576, 1_099_511_627_776),
        "bytes",
        "Memory for the store's page cache.",
    ),
    setting(
        "store.queue_max",
        COUNT,
        "appends",
        "Appends that wait for the disk; further ones are answered 503.",
    ),
    setting(
        "store.batch_records_max",
        Whole(1, 1_000_000),
        "records",
        "Records committed with one sync.",
    ),
    setting(
        "service.other_bytes_max",
        Whole(16, 65_536),
        "bytes",
        "Bytes taken from one string of `other` (Z-063).",
    ),
    setting(
        "service.other_strings_max",
        Whole(1, 1_000),
        "strings",
        "Strings taken from one `other`.",
    ),
    setting(
        "service.idempotency_s",
        SECONDS,
        "seconds",
        "How long an Idempotency-Key is remembered.",
    ),
    setting(
        "service.idempotency_keys_max",
        COUNT,
        "keys",
        "Idempotency keys remembered at once, per scenario.",
    ),
    setting(
        "service.snapshot_every_records",
        COUNT,
        "records",
        "Records between two snapshots of a journal.",
    ),
    setting(
        "service.tick_s",
        Whole(1, 3_600),
        "seconds",
        "Time between two looks at what is due.",
    ),
    setting(
        "service.tail_records_max",
        COUNT,
        "records",
        "Committed records waiting for their scenario before it reads them back from the journal.",
    ),
    setting("service.scenarios_max", COUNT, "scenarios", "Scenarios hosted at most."),
    setting(
        "service.history_records_max",
        COUNT,
        "records",
        "Records read at most to serve a template as it was (`as_of`); beyond it 429.",
    ),
    setting(
        "service.line_versions_max",
        Whole(1, 10_000),
        "schemas",
        "Schemas of one scenario and major version that are not retired; a further one is answered 429.",
    ),
    setting("service.search_chars_max", COUNT, "characters", "Longest wish (`?q=`)."),
    setting(
        "service.search_likeness_min",
        SHARE,
        "share",
        "Likeness from which a scenario answers a wish when it is the only one; it rises by .013 as often as their number doubles.",
    ),
    setting(
        "service.compatibility",
        Choice(&NAMES),
        "",
        "What versions of one major line promise each other where the newest of them has no `compatibility` of its own.",
    ),
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
];

/// Lists, one after the other; `N` is the sum of their lengths.
const fn joined<const N: usize>(lists: [&[Setting]; 3]) -> [Setting; N] {
    let mut all = [CORE[0]; N];
    let (mut list, mut filled) = (0, 0);
    while list < lists.len() {
        let mut place = 0;
        while place < lists[list].len() {
            all[filled] = lists[list][place];
            filled += 1;
            place += 1;
        }
        list += 1;
    }
    all
}

/// The setting at a path.
pub fn find(path: &str) -> Option<&'static Setting> {
    CATALOGUE.iter().find(|setting| setting.path == path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::CATALOGUE;
    use crate::edge::settings::Settings;

    fn leaves(prefix: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let path = if prefix.is_empty() {
                        name.clone()
                    } else {
                        format!("{prefix}.{name}")
                    };
                    leaves(&path, value, into);
                }
            }
            leaf => {
                into.insert(prefix.to_owned(), leaf.clone());
            }
        }
    }

    #[test]
    fn the_catalogue_lists_exactly_the_settings() {
        let mut fields = BTreeMap::new();
        leaves(
            "",
            &serde_json::to_value(Settings::default()).expect("plain values"),
            &mut fields,
        );
        let listed: BTreeSet<String> = CATALOGUE.iter().map(|setting| setting.path.to_owned()).collect();
        assert_eq!(listed.len(), CATALOGUE.len());
        assert_eq!(listed, fields.keys().cloned().collect::<BTreeSet<_>>());
    }

    #[test]
    fn every_default_is_within_its_range() {
        let defaults = toml::Table::try_from(Settings::default()).expect("plain values");
        for setting in CATALOGUE {
            let mut value = &toml::Value::Table(defaults.clone());
            for part in setting.path.split('.') {
                value = &value[part];
            }
            let value = value.clone();
            assert!(setting.kind.check(&value).is_ok(), "{}: {value}", setting.path);
        }
    }
}

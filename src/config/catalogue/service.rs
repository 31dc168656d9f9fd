//! Settings of the service itself.

use crate::config::catalogue::COUNT;
use crate::config::catalogue::SECONDS;
use crate::config::catalogue::SHARE;
use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Choice;
use crate::config::kind::Kind::Flag;
use crate::config::kind::Kind::Whole;
use schema::compatibility::NAMES;

/// In the order of the file.
pub const SERVICE: &[Setting] = &[
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
        "service.idempotency_keys_per_client",
        COUNT,
        "keys",
        "Idempotency keys that each client may use of a scenario even where others use up all of them; together not more than as many again.",
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
    setting(
        "service.scenarios_max",
        COUNT,
        "scenarios",
        "Scenarios with a schema that is not retired, at most.",
    ),
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
    setting(
        "service.template_keys_max",
        Whole(1, 1_024),
        "keys",
        "Keys of one template beside `other`; one with more is refused (422) when it is published.",
    ),
    setting("service.search_chars_max", COUNT, "characters", "Longest wish (`?q=`)."),
    setting(
        "service.search_likeness_min",
        SHARE,
        "share",
        "Likeness from which a scenario answers a wish when it is the only one; it rises by .013 as often as their number doubles.",
    ),
    setting(
        "service.batch_submissions_max",
        Whole(1, 10_000),
        "submissions",
        "Submissions of one batch; the whole of it is a body within `server.body_bytes_max`.",
    ),
    setting(
        "service.batch_executions_max",
        Whole(1, 1_000),
        "calls",
        "Executors that one batch calls at once.",
    ),
    setting(
        "service.backup_stall_s",
        Whole(1, 86_400),
        "seconds",
        "How long a backup waits for its reader to take more; then it breaks off and another one may begin.",
    ),
    setting(
        "service.resume_s",
        Whole(0, 86_400),
        "seconds",
        "How long after it was accepted a submission whose execution a crash cut short is still executed; 0 for never.",
    ),
    setting(
        "service.compatibility",
        Choice(&NAMES),
        "",
        "What versions of one major line promise each other where the newest of them has no `compatibility` of its own.",
    ),
    setting(
        "service.read_only",
        Flag,
        "",
        "Whether nothing is written: reads go on, writes are answered 503 `read_only`, and nobody can open it at run time.",
    ),
    setting(
        "service.unsafe_texts",
        Flag,
        "",
        "Whether a new template may hold orders to a model (`speaks_to_model`) and characters that nobody sees (`hidden_characters`) \
         in its texts; else it is refused (422).",
    ),
    setting(
        "service.texts_kept_days",
        Whole(0, 36_500),
        "days",
        "How long payloads, utterances, fragments and stored replies are kept; then they are erased. 0 keeps them for good.",
    ),
    setting(
        "service.closed_kept_days",
        Whole(0, 36_500),
        "days",
        "The same for a scenario of which every schema is retired, since the last of them was. 0 makes no difference.",
    ),
];

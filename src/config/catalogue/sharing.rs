//! Settings of shared contexts.

use crate::config::catalogue::COUNT;
use crate::config::catalogue::SECONDS;
use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Flag;
use crate::config::kind::Kind::Whole;

/// `[sessions]`.
pub const SESSIONS: &[Setting] = &[
    setting(
        "sessions.sessions_max",
        COUNT,
        "sessions",
        "Sessions of shared context kept at once, archived ones among them; a further one is refused with 429.",
    ),
    setting(
        "sessions.sessions_per_client_max",
        COUNT,
        "sessions",
        "The same of those that one client created. Anonymous callers count as one client.",
    ),
    setting(
        "sessions.keys_max",
        Whole(1, 100_000),
        "keys",
        "Keys of one session, far more than its tokens leave room for; a further one is refused as `store_full`.",
    ),
    setting(
        "sessions.value_tokens_max",
        Whole(1, 1_000_000),
        "tokens",
        "Size of one value, each token four characters begun; a larger one is refused as `value_too_large`.",
    ),
    setting(
        "sessions.value_tokens_warned",
        Whole(1, 1_000_000),
        "tokens",
        "Size from which a write is answered with a warning.",
    ),
    setting(
        "sessions.value_tokens_hinted",
        Whole(0, 1_000_000),
        "tokens",
        "Size above which a write is answered with the hint to distil the value.",
    ),
    setting(
        "sessions.store_tokens_max",
        Whole(1, 1_000_000_000),
        "tokens",
        "Size of all values of a session together; a write beyond it is refused as `store_full`.",
    ),
    setting(
        "sessions.participants_max",
        Whole(0, 10_000),
        "principals",
        "Principals that a session lets take part beside its creator; a further one is refused with 429.",
    ),
    setting(
        "sessions.history_versions_max",
        Whole(0, 1_000),
        "versions",
        "Versions of each key that a session may choose to keep.",
    ),
    setting(
        "sessions.snapshots_max",
        Whole(0, 1_000),
        "snapshots",
        "Snapshots of one session; a further one is refused with 429.",
    ),
    setting(
        "sessions.batch_keys_max",
        Whole(1, 10_000),
        "keys",
        "Keys that one `read_batch` may name.",
    ),
    setting(
        "sessions.expiry_s_max",
        SECONDS,
        "seconds",
        "Longest time after which a key may be said to expire.",
    ),
    setting(
        "sessions.namespace_bytes_max",
        Whole(0, 1_000_000),
        "bytes",
        "Size of a session's conventions for its keys, as JSON.",
    ),
    setting(
        "sessions.followers_max",
        Whole(0, 10_000),
        "streams",
        "Streams that may follow one session at once; a further one is refused with 429.",
    ),
    setting(
        "sessions.cache_bytes",
        Whole(0, 1_000_000_000_000),
        "bytes",
        "Values held in memory, so that reading them takes no disk.",
    ),
    setting(
        "sessions.log_writes",
        Flag,
        "",
        "Whether each write and delete has a line in the log, under the target `otherwise::context`, without its value. The \
         journal has all of them in any case; `GET /v1/sessions:audit` reads it.",
    ),
    setting(
        "sessions.audit_records_max",
        Whole(1, 1_000_000),
        "records",
        "Records looked at for one page of the audit log.",
    ),
];

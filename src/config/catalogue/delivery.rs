//! Settings of how changes are told: streams and webhooks.

use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Flag;
use crate::config::kind::Kind::Whole;

/// `[delivery]`.
pub const DELIVERY: &[Setting] = &[
    setting(
        "delivery.streams_max",
        Whole(1, 1_000_000),
        "streams",
        "Update streams open at once; a further one is refused with 503.",
    ),
    setting(
        "delivery.streams_per_client_max",
        Whole(1, 1_000_000),
        "streams",
        "Update streams that one client may hold; a further one is refused with 429. Anonymous callers \
         count as one client.",
    ),
    setting(
        "delivery.stream_heartbeat_s",
        Whole(1, 3_600),
        "seconds",
        "How often a stream says that it lives while nothing changes.",
    ),
    setting(
        "delivery.stream_retry_s",
        Whole(1, 3_600),
        "seconds",
        "How long a client is asked to wait before it opens a stream again.",
    ),
    setting(
        "delivery.webhooks_max",
        Whole(0, 1_000),
        "webhooks",
        "Webhooks registered at once; a further one is refused with 429.",
    ),
    setting(
        "delivery.webhook_concurrency_max",
        Whole(1, 1_000),
        "calls",
        "Webhooks called at once.",
    ),
    setting(
        "delivery.webhook_timeout_s",
        Whole(1, 600),
        "seconds",
        "From a call of a webhook to its answer.",
    ),
    setting(
        "delivery.webhook_first_pause_ms",
        Whole(1, 3_600_000),
        "milliseconds",
        "Pause after a first call that failed; it doubles with each further one.",
    ),
    setting(
        "delivery.webhook_longest_pause_s",
        Whole(1, 86_400),
        "seconds",
        "Longest pause between two calls of a webhook that is not paused.",
    ),
    setting(
        "delivery.webhook_attempts_max",
        Whole(1, 1_000),
        "calls",
        "Calls in a row that fail before a webhook is paused.",
    ),
    setting(
        "delivery.webhook_paused_retry_s",
        Whole(1, 604_800),
        "seconds",
        "How often a paused webhook is tried all the same.",
    ),
    setting(
        "delivery.webhook_private_addresses",
        Flag,
        "",
        "Whether webhooks may be called on loopback, private and link-local addresses. Loopback is \
         always allowed while the service runs open.",
    ),
];

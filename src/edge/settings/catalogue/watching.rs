//! Settings of what an operator watches: the log and the metrics.

use crate::edge::settings::catalogue::Setting;
use crate::edge::settings::catalogue::setting;
use crate::edge::settings::kind::Kind::Choice;
use crate::edge::settings::kind::Kind::Flag;
use crate::edge::settings::kind::Kind::Levels;
use crate::edge::settings::kind::Kind::Whole;

/// `[log]` and `[metrics]`.
pub const WATCHING: &[Setting] = &[
    setting(
        "log.level",
        Levels,
        "",
        "`error`, `warn`, `info`, `debug`, `trace`, or a filter such as `info,otherwise=debug`.",
    ),
    setting(
        "log.format",
        Choice(&["text", "json"]),
        "",
        "How lines on standard error are written.",
    ),
    setting(
        "metrics.scenarios_max",
        Whole(1, 100_000),
        "scenarios",
        "Scenarios with series of their own; the others together are `_overflow`.",
    ),
    setting(
        "metrics.keys_max",
        Whole(1, 100_000),
        "keys",
        "Keys with series of their own in one scenario; the others together are `_overflow`.",
    ),
    setting(
        "metrics.public",
        Flag,
        "",
        "Whether /metrics is answered without a key when principals are configured.",
    ),
];

//! Settings of what operators see: log and metrics.

use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Choice;
use crate::config::kind::Kind::Flag;
use crate::config::kind::Kind::Levels;
use crate::config::kind::Kind::Whole;

/// In the order of the file.
pub const WATCH: &[Setting] = &[
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

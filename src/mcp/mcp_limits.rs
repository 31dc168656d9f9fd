//! Bounds of the protocol, as they are set.

use std::time::Duration;

/// Bounds on what clients hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpLimits {
    /// Sessions at once.
    pub sessions_max: usize,
    /// Sessions of one caller at once; callers without a name count as one.
    pub sessions_per_client_max: usize,
    /// How long a session may be idle.
    pub session_idle: Duration,
    /// Resources that one session, or one subscription, follows.
    pub follows_max: usize,
    /// Scenarios that are listed as tools; `None` where scenarios are no tools at all.
    pub scenario_tools_max: Option<usize>,
    /// Characters of a tool's name at most, without what hosts put before it.
    pub tool_name_max: usize,
    /// How often a silent stream says that it is alive.
    pub heartbeat: Duration,
}

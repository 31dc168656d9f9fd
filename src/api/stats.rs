//! Scenarios in figures.

use serde::Serialize;
use utoipa::ToSchema;

use engine::evolution::days::ScenarioDay;

/// A scenario in figures, as they were kept last: a moment ago while anything comes, else a minute at most. Ratios and clients are
/// over the days that its ledger is read over, `policy.evolution.window_days`; a ratio of nothing is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct ScenarioStats {
    #[schema(format = DateTime)]
    pub as_of: String,
    /// Submissions of the last seven days, accepted and refused, today included.
    pub payloads_7d: u64,
    /// The share of payloads that said something in `other`.
    pub other_ratio: Option<f64>,
    /// The share of payloads that were refused; none of a time before it was kept counts as one.
    pub refused_ratio: Option<f64>,
    /// Those with a name.
    pub clients: u64,
    /// Proposals and trials that wait for a person, as in `/v1/approvals`.
    pub waits: u64,
    /// Keys on trial, of clients' own too.
    pub on_trial: u64,
    /// Wishes that are told apart in the pool.
    pub clusters: u64,
    /// Heat of the hottest of them.
    pub heat_max: f64,
    /// Whether a person stopped evolution.
    pub frozen: bool,
    /// Whether nothing is learned for the moment, or until the next start, since its work broke off.
    pub stalled: bool,
}

/// What came to a scenario, day by day.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScenarioDays {
    pub scenario: String,
    /// Oldest first, the last is today in UTC; days on which nothing came too.
    pub days: Vec<ScenarioDay>,
}

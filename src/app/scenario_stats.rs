//! The state of every scenario in numbers, for the metrics page. Read at scrape time.

/// One key of the patch layer. Personal keys are given together, as `_personal`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyStats {
    pub key: String,
    pub stage: &'static str,
    pub usage_ratio: Option<f64>,
    pub alignment_ratio: Option<f64>,
    pub type_ratio: Option<f64>,
    pub adoption_ratio: Option<f64>,
}

/// One scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioStats {
    pub scenario: String,
    pub other_ratio: Option<f64>,
    /// Distinct ones within the ledger's window.
    pub clients: u64,
    /// Submissions whose fragments have not been read yet.
    pub pending: u64,
    /// Whether nothing is learned any more until the next start, because the journal cannot be read back.
    pub stalled: bool,
    /// Whether a person stopped evolution.
    pub frozen: bool,
    /// How long the patch that waits longest for a person has waited; 0 when none does.
    pub approval_waits_s: i64,
    /// Reason -> the proposals and clusters that wait for it, where any do; a proposal waits for each of its reasons.
    pub waits: Vec<(&'static str, u64)>,
    /// Language -> its share of the pool's votes; those that no model reads together.
    pub languages: Vec<(&'static str, f64)>,
    /// Values that wait for a person's verdict.
    pub audits_waiting: u64,
    /// Verdict -> how many people gave, since the scenario began; every verdict is named.
    pub audits: Vec<(&'static str, u64)>,
    /// Micro-clusters that still have to be embedded by the model at hand.
    pub reembedding: u64,
    pub clusters: u64,
    /// In units of heat.
    pub heat_max: f64,
    /// Stage name -> keys in it; every stage is named.
    pub keys_by_stage: Vec<(&'static str, u64)>,
    pub keys: Vec<KeyStats>,
    pub queue_length: u64,
}

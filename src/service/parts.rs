//! What the service is built of, and its own settings.

use std::sync::Arc;

use crate::domain::scenario::policy::Policy;
use crate::domain::template::compatibility::Mode;
use crate::service::ports::Clock;
use crate::service::ports::Embedder;
use crate::service::ports::Journal;
use crate::service::ports::Model;
use crate::service::ports::Observer;
use crate::service::writes::Writes;

/// What the service is built of.
pub struct Parts {
    pub journal: Arc<dyn Journal>,
    pub embedder: Arc<dyn Embedder>,
    /// Helps the rules where one is configured.
    pub model: Option<Arc<dyn Model>>,
    pub clock: Arc<dyn Clock>,
    pub observer: Arc<dyn Observer>,
    pub policy: Policy,
    pub options: Options,
    pub writes: Writes,
}

/// The service's own settings (not the scenario's policy).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Bytes taken from one string of `other`.
    pub other_bytes_max: usize,
    /// Strings taken from one `other`.
    pub other_strings_max: usize,
    /// How long an idempotency key is remembered, in seconds.
    pub idempotency_s: i64,
    /// Idempotency keys remembered at once, per scenario.
    pub idempotency_keys_max: usize,
    /// Records between two snapshots of a journal.
    pub snapshot_every_records: u64,
    /// Seconds between two looks at what is due.
    pub tick_s: u64,
    /// Committed records waiting for their scenario before it reads them back from the journal.
    pub tail_records_max: usize,
    /// Scenarios hosted at most.
    pub scenarios_max: usize,
    /// Records read at most to serve a template as it was (`as_of`).
    pub history_records_max: u64,
    /// Schemas of one scenario and major version that are not retired; each is compared with at every publication.
    pub line_versions_max: usize,
    /// What versions of one major line promise each other where none of them says it (DESIGN §3).
    pub compatibility: Mode,
    /// Whether nothing is written, whatever people say at run time.
    pub read_only: bool,
    /// Days that sealed parts of records are kept: payload, utterance, fragments, stored reply. 0 keeps them for good.
    pub texts_kept_days: i64,
    /// The same for a scenario of which every schema is retired, in days since the last of them was.
    pub closed_kept_days: i64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            other_bytes_max: 2_000,
            other_strings_max: 16,
            idempotency_s: 86_400,
            idempotency_keys_max: 100_000,
            snapshot_every_records: 20_000,
            tick_s: 1,
            tail_records_max: 8_192,
            scenarios_max: 10_000,
            history_records_max: 1_000_000,
            line_versions_max: 200,
            compatibility: Mode::default(),
            read_only: false,
            texts_kept_days: 0,
            closed_kept_days: 0,
        }
    }
}

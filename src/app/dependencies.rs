//! What the service is built of, and its own settings.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;

use crate::app::caller::Principals;
use crate::app::error::ServiceError;
use crate::app::ports::Clock;
use crate::app::ports::Embedder;
use crate::app::ports::Executor;
use crate::app::ports::Model;
use crate::app::ports::Observer;
use crate::app::write_gate::WriteGate;
use engine::scenario::policy::Policy;
use schema::compatibility::Mode;
use schema::defect::Defect;
use schema::exchange::other::OtherLimits;
use schema::unsafe_text;
use store::journal::Appended;
use store::journal::Draft;
use store::journal::Erased;
use store::journal::Erasure;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;

/// What the service is built of.
pub struct Dependencies {
    pub journal: Arc<dyn Journal>,
    pub embedder: Arc<dyn Embedder>,
    /// Helps the rules where one is configured.
    pub model: Option<Arc<dyn Model>>,
    /// Without one nothing is executed, and what was accepted is the reply.
    pub executor: Option<Arc<dyn Executor>>,
    pub clock: Arc<dyn Clock>,
    pub observer: Arc<dyn Observer>,
    pub policy: Policy,
    pub options: Options,
    pub write_gate: WriteGate,
    pub principals: Principals,
}

/// What an append will be answered with.
pub type Answer = oneshot::Receiver<Result<Appended, JournalFault>>;

impl Dependencies {
    /// Queues an append, if anything may be written; as [`Journal::append`].
    ///
    /// # Errors
    /// [`ServiceError::ReadOnly`], or what the journal says at once.
    pub fn append(
        &self,
        journal: &JournalName,
        drafts: Vec<Draft>,
        decided: Option<u64>,
    ) -> Result<Answer, ServiceError> {
        let _pass = self.write_gate.pass()?;
        Ok(self.journal.append(journal, drafts, decided)?)
    }

    /// Appends facts, if anything may be written, and waits until they are on disk.
    pub async fn record(&self, journal: &JournalName, facts: Vec<Draft>) -> Result<Appended, ServiceError> {
        let answer = self.append(journal, facts, None)?;
        Ok(answer.await.map_err(|_gone| JournalFault::Closed)??)
    }

    /// Erases, if anything may be written, and waits until it is gone.
    pub async fn erase(&self, journal: &JournalName, erasure: Erasure) -> Result<Erased, ServiceError> {
        let answer = {
            let _pass = self.write_gate.pass()?;
            self.journal.erase(journal, erasure)?
        };
        Ok(answer.await.map_err(|_gone| JournalFault::Closed)??)
    }
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
    /// Idempotency keys that each client may use where others use up all of them, per scenario.
    pub idempotency_keys_per_client: usize,
    /// Records between two snapshots of a journal.
    pub snapshot_every_records: u64,
    /// Seconds between two looks at what is due.
    pub tick_s: u64,
    /// Committed records waiting for their scenario before it reads them back from the journal.
    pub tail_records_max: usize,
    /// Scenarios with a schema that is not retired, at most.
    pub scenarios_max: usize,
    /// Records read at most to serve a template as it was (`as_of`).
    pub history_records_max: u64,
    /// Schemas of one scenario and major version that are not retired; each is compared with at every publication.
    pub line_versions_max: usize,
    /// Keys of one template beside `other`.
    pub template_keys_max: usize,
    /// Characters of a wish at most (`GET /v1/scenarios?q=`).
    pub search_chars_max: usize,
    /// Likeness from which a scenario answers a wish when it is the only one; more of them raise it.
    pub search_likeness_min: f64,
    /// Submissions of one batch.
    pub batch_submissions_max: usize,
    /// Executions of one batch at once.
    pub batch_executions_max: usize,
    /// How long a backup waits for its reader to take the next part, in seconds.
    pub backup_stall_s: u64,
    /// How long after it was accepted a submission that a crash cut short is still executed, in seconds.
    pub resume_s: i64,
    /// What versions of one major line promise each other where none of them says it (docs/design.md §3).
    pub compatibility: Mode,
    /// Whether nothing is written, whatever people say at run time.
    pub read_only: bool,
    /// Whether a new template may hold orders to a model and characters that nobody sees (Z-170).
    pub unsafe_texts: bool,
    /// Days that sealed parts of records are kept: payload, utterance, fragments, stored reply. 0 keeps them for good.
    pub texts_kept_days: i64,
    /// The same for a scenario of which every schema is retired, in days since the last of them was.
    pub closed_kept_days: i64,
}

impl Options {
    /// What is taken of one `other`.
    pub fn other_limits(&self) -> OtherLimits {
        OtherLimits {
            strings_max: self.other_strings_max,
            bytes_max: self.other_bytes_max,
        }
    }

    /// What stands against texts that no model should read (Z-170), unless the operator takes them.
    pub fn defects_of_texts(&self, document: &Value) -> Vec<Defect> {
        if self.unsafe_texts {
            return Vec::new();
        }
        unsafe_text::defects(document)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            other_bytes_max: 2_000,
            other_strings_max: 16,
            idempotency_s: 86_400,
            idempotency_keys_max: 100_000,
            // A hundred clients have their share beside those that use up the rest.
            idempotency_keys_per_client: 1_000,
            snapshot_every_records: 20_000,
            tick_s: 1,
            tail_records_max: 8_192,
            scenarios_max: 10_000,
            history_records_max: 1_000_000,
            line_versions_max: 200,
            template_keys_max: 256,
            search_chars_max: 1_000,
            search_likeness_min: 0.225,
            batch_submissions_max: 100,
            batch_executions_max: 8,
            backup_stall_s: 60,
            resume_s: 900,
            compatibility: Mode::default(),
            read_only: false,
            unsafe_texts: false,
            texts_kept_days: 0,
            closed_kept_days: 0,
        }
    }
}

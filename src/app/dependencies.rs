//! What the service is built of, and its own settings.

use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::app::caller::Principals;
use crate::app::error::ServiceError;
use crate::app::ports::Clock;
use crate::app::ports::Embedder;
use crate::app::ports::Executor;
use crate::app::ports::Model;
use crate::app::ports::Observer;
use crate::app::write_gate::WriteGate;
use engine::bound::COUNT;
use engine::bound::Range;
use engine::bound::SECONDS;
use engine::bound::SHARE;
use engine::scenario::policy::Policy;
use schema::advice::Advice;
use schema::advice::Finding;
use schema::compatibility::Mode;
use schema::compatibility::NAMES;
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
    /// Where work runs that learns.
    pub learning: Handle,
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

engine::section! {
    /// The service's own settings (not the scenario's policy).
    "service" Options

    /// Bytes taken from one string of `other` (Z-063).
    other_bytes_max: usize = 2_000, Range::Whole(16, 65_536), "bytes";
    /// Strings taken from one `other`.
    other_strings_max: usize = 16, Range::Whole(1, 1_000), "strings";
    /// How long an Idempotency-Key is remembered.
    idempotency_s: i64 = 86_400, SECONDS, "seconds";
    /// How long one is remembered that begins with `generated:`: a client library made it for its own retries.
    idempotency_generated_s: i64 = 600, SECONDS, "seconds";
    /// Idempotency keys of one client that a scenario remembers, about: a client may use as many at once, and regains room for
    /// them evenly over `idempotency_s`; a generated key takes room for its own time alone.
    // 40 bytes each on disk, beside a submission of some hundred.
    idempotency_client_keys_max: usize = 10_000_000, COUNT, "keys";
    /// Records between two snapshots of a journal.
    snapshot_every_records: u64 = 20_000, COUNT, "records";
    /// Time between two looks at what is due.
    tick_s: u64 = 1, Range::Whole(1, 3_600), "seconds";
    /// Committed records waiting for their scenario before it reads them back from the journal.
    tail_records_max: usize = 8_192, COUNT, "records";
    /// Scenarios with a schema that is not retired, at most.
    scenarios_max: usize = 10_000, COUNT, "scenarios";
    /// Records read at most to serve a template as it was (`as_of`); beyond it 429.
    history_records_max: u64 = 1_000_000, COUNT, "records";
    /// Schemas of one scenario and major version that are not retired; a further one is answered 429.
    line_versions_max: usize = 200, Range::Whole(1, 10_000), "schemas";
    /// Keys of one template beside `other`; one with more is refused (422) when it is published.
    template_keys_max: usize = 256, Range::Whole(1, 1_024), "keys";
    /// Longest wish (`?q=`).
    search_chars_max: usize = 1_000, COUNT, "characters";
    /// Likeness from which a scenario answers a wish when it is the only one; it rises by .013 as often as their number
    /// doubles.
    search_likeness_min: f64 = 0.225, SHARE, "share";
    /// Submissions of one batch; the whole of it is a body within `server.body_bytes_max`.
    batch_submissions_max: usize = 100, Range::Whole(1, 10_000), "submissions";
    /// Executors that one batch calls at once.
    batch_executions_max: usize = 8, Range::Whole(1, 1_000), "calls";
    /// How long a backup waits for its reader to take more; then it breaks off and another one may begin.
    backup_stall_s: u64 = 60, Range::Whole(1, 86_400), "seconds";
    /// How long after it was accepted a submission whose execution a crash cut short is still executed; 0 for never.
    resume_s: i64 = 900, Range::Whole(0, 86_400), "seconds";
    /// What versions of one major line promise each other where the newest of them has no `compatibility` of its own.
    compatibility: Mode = Mode::default(), Range::Word(NAMES), "";
    /// Whether nothing is written: reads go on, writes are answered 503 `read_only`, and nobody can open it at run
    /// time.
    read_only: bool = false, Range::Flag, "";
    /// Whether a new template may hold orders to a model (`speaks_to_model`) and characters that nobody sees
    /// (`hidden_characters`) in its texts; else it is refused (422).
    unsafe_texts: bool = false, Range::Flag, "";
    /// True if a new template may hold patterns that hang clients (`hanging_pattern`); else it is refused (422).
    hanging_patterns: bool = false, Range::Flag, "";
    /// How long payloads, utterances, fragments and stored replies are kept; then they are erased. 0 keeps them for
    /// good.
    texts_kept_days: i64 = 0, Range::Whole(0, 36_500), "days";
    /// The same for a scenario of which every schema is retired, since the last of them was. 0 makes no difference.
    closed_kept_days: i64 = 0, Range::Whole(0, 36_500), "days";
}

impl Options {
    /// What is taken of one `other`.
    pub fn other_limits(&self) -> OtherLimits {
        OtherLimits {
            strings_max: self.other_strings_max,
            bytes_max: self.other_bytes_max,
        }
    }

    /// Lists the defects of patterns that hang clients, by what was found when a template was read, unless the operator takes them.
    pub fn defects_of_patterns(&self, findings: &[Finding]) -> Vec<Defect> {
        let found = findings.iter().filter(|found| found.rule == Advice::HangingPattern);
        let defects = found.filter(|_| !self.hanging_patterns).map(|found| Defect {
            pointer: found.pointer.clone(),
            requirement: found.requirement.to_owned(),
            message: found.message.clone(),
        });
        defects.collect()
    }

    /// What stands against texts that no model should read (Z-170), unless the operator takes them.
    pub fn defects_of_texts(&self, document: &Value) -> Vec<Defect> {
        if self.unsafe_texts {
            return Vec::new();
        }
        unsafe_text::defects(document)
    }
}

//! The calls that every mouth makes.

use std::sync::Arc;

use serde_json::Value;

use crate::service::caller::Caller;
use crate::service::census::ScenarioCensus;
use crate::service::error::ServiceError;
use crate::service::ports::Clock;
use crate::service::ports::Embedder;
use crate::service::ports::Journal;
use crate::service::ports::Observer;

/// What the service is built of.
pub struct Parts {
    pub journal: Arc<dyn Journal>,
    pub embedder: Arc<dyn Embedder>,
    pub clock: Arc<dyn Clock>,
    pub observer: Arc<dyn Observer>,
    pub options: Options,
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
        }
    }
}

/// What a published schema is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// False when the same content was published before.
    pub created: bool,
    /// `{"schema_id", "scenario", "version", "findings": [{"pointer","requirement","message"}], "constraints": {...}}`
    pub document: Value,
}

/// An effective template, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateReply {
    /// JSON text.
    pub body: Arc<str>,
    /// Strong entity tag, with its quotes.
    pub etag: String,
    pub revision: u64,
    /// BCP 47 tag of the descriptions.
    pub language: String,
}

/// An accepted submission, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmitReply {
    /// JSON text in the shape `accepted` of DESIGN §8.
    pub body: String,
    pub submission_id: Option<String>,
    /// Whether this is the stored reply of an earlier call with the same idempotency key.
    pub replayed: bool,
}

/// The operator's hand on one patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Approve,
    Reject,
    Promote,
    Deprecate,
    Withdraw,
    Restore,
}

/// The service. Cheap to clone; one per process.
#[derive(Clone)]
pub struct Otherwise {}

impl Otherwise {
    /// Reads every journal, restores every scenario, begins to work.
    ///
    /// # Errors
    /// The first fault of the store, named.
    pub async fn open(parts: Parts) -> Result<Otherwise, ServiceError> {
        let _ = parts;
        todo!()
    }

    /// What is hosted: `{"scenarios": [{"scenario","schema_id","version","revision","description"?,"language"}]}`.
    pub fn scenarios(&self, caller: &Caller) -> Result<Value, ServiceError> {
        let _ = caller;
        todo!()
    }

    /// Publishes a base schema under its id; the same content again is accepted.
    pub async fn publish(&self, caller: &Caller, schema_id: &str, document: &str) -> Result<Published, ServiceError> {
        let _ = (caller, schema_id, document);
        todo!()
    }

    /// A base schema as published.
    pub fn schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        let _ = (caller, schema_id);
        todo!()
    }

    /// Retires a base schema: submissions by it are refused from now on (410).
    pub async fn retire(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        let _ = (caller, schema_id);
        todo!()
    }

    /// The effective template for the caller. `seen` is the caller's `If-None-Match`: when it still holds, `None` comes
    /// back and no receipt is recorded.
    pub fn template(
        &self,
        caller: &Caller,
        scenario: &str,
        preferred_language: Option<&str>,
        experimental: bool,
        seen: Option<&str>,
    ) -> Result<Option<TemplateReply>, ServiceError> {
        let _ = (caller, scenario, preferred_language, experimental, seen);
        todo!()
    }

    /// `{"revision", "patches": [], "withdrawn_keys": []}` since a revision, for the caller.
    pub fn updates(&self, caller: &Caller, scenario: &str, since: u64) -> Result<Value, ServiceError> {
        let _ = (caller, scenario, since);
        todo!()
    }

    /// Submits: validates, records durably, answers. The whole body as text.
    pub async fn submit(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&str>,
    ) -> Result<SubmitReply, ServiceError> {
        let _ = (caller, body, idempotency_key);
        todo!()
    }

    /// The same check, nothing recorded.
    pub fn validate(&self, caller: &Caller, body: &str) -> Result<SubmitReply, ServiceError> {
        let _ = (caller, body);
        todo!()
    }

    /// The pool: clusters with heat, gate and (redacted) examples.
    pub fn pool(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        let _ = (caller, scenario);
        todo!()
    }

    /// `{"patches": [patch]}`: every patch that the caller may see; clients see their own and the global ones.
    pub fn patches(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        let _ = (caller, scenario);
        todo!()
    }

    /// The ledger in the shape of DESIGN §8.
    pub fn ledger(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        let _ = (caller, scenario);
        todo!()
    }

    /// One patch; a patch for another client is unknown to clients.
    pub fn patch(&self, caller: &Caller, patch_id: &str) -> Result<Value, ServiceError> {
        let _ = (caller, patch_id);
        todo!()
    }

    /// Why a patch exists and how it fared.
    pub fn evidence(&self, caller: &Caller, patch_id: &str) -> Result<Value, ServiceError> {
        let _ = (caller, patch_id);
        todo!()
    }

    /// The operator's hand; the patch as it stands afterwards.
    pub async fn operate(&self, caller: &Caller, patch_id: &str, verdict: Verdict) -> Result<Value, ServiceError> {
        let _ = (caller, patch_id, verdict);
        todo!()
    }

    /// Every scenario in numbers.
    pub fn census(&self) -> Vec<ScenarioCensus> {
        todo!()
    }

    /// Waits until all outstanding effects (embedding, looks, inductions) of all scenarios are done: for tests and for
    /// an orderly end.
    pub async fn settle(&self) {
        todo!()
    }

    /// Lets every scenario look at what is due by now, as the timer does.
    pub async fn tick(&self) {
        todo!()
    }

    /// Stops taking calls, keeps snapshots, closes the journal.
    pub async fn close(&self) {
        todo!()
    }
}

//! Why a call was not answered with what it asked for: refusals (the rules say no) and faults (the world broke).

use strum::IntoStaticStr;
use strum::VariantNames;
use tokio::task::JoinError;

use crate::api::conversations::PartOutcome;
use crate::api::submissions::Exchange;
use crate::api::submissions::SchemaStatus;
use crate::app::ports::EmbedFault;
use crate::app::ports::ExecutorFault;
use crate::app::telemetry::Outcome;
use context::fields::FieldFault;
use context::session::refusal::SessionRefusal;
use engine::scenario::command::Refusal;
use engine::scenario::submission::Ending;
use schema::compatibility::Assessment;
use schema::defect::Defect;
use schema::exchange::envelope::EnvelopeFault;
use schema::exchange::verdict::Violation;
use schema::response_schema::Misfit;
use store::journal::JournalFault;

/// Why an execution brought no result that can be passed on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Fault(#[from] ExecutorFault),
    #[error("its result is not what the schema promises")]
    BadResult(Vec<Misfit>),
    #[error("it was cut short, and too much time has passed since")]
    Abandoned,
}

impl Failure {
    /// Whether what was asked may have been done all the same: once a call went out, only an executor that refuses says no.
    pub fn may_have_been_executed(&self) -> bool {
        match self {
            Failure::BadResult(_) | Failure::Abandoned => true,
            Failure::Fault(fault) => match fault {
                ExecutorFault::Busy
                | ExecutorFault::Paused { .. }
                | ExecutorFault::NotAllowed
                | ExecutorFault::Unreachable => false,
                ExecutorFault::TimedOut | ExecutorFault::Cut | ExecutorFault::Malformed(_) => true,
                // Who leads elsewhere, as web forms do once they took what was sent, says neither yes nor no.
                ExecutorFault::Status(status) => self.ending() != Ending::Refused || (300..400).contains(status),
            },
        }
    }

    /// As it goes on record.
    pub fn ending(&self) -> Ending {
        match self {
            Failure::BadResult(_) => Ending::BadResult,
            Failure::Abandoned => Ending::Abandoned,
            Failure::Fault(fault) => match fault {
                ExecutorFault::Busy => Ending::Busy,
                ExecutorFault::Paused { .. } => Ending::Paused,
                ExecutorFault::NotAllowed => Ending::NotAllowed,
                ExecutorFault::TimedOut => Ending::TimedOut,
                ExecutorFault::Unreachable | ExecutorFault::Cut => Ending::Failed,
                ExecutorFault::Status(status) if *status >= 500 || *status == 429 => Ending::Failed,
                ExecutorFault::Status(_) => Ending::Refused,
                ExecutorFault::Malformed(_) => Ending::BadResult,
            },
        }
    }
}

/// A payload that does not fit, as it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedPayload {
    pub violations: serde_json::Value,
    pub exchange: serde_json::Value,
    /// Whether this is the stored refusal of an earlier call with the same idempotency key.
    pub replayed: bool,
    pub schema: SchemaStatus,
}

/// Every way in which a call fails. Each bears the name that its code has in the edge's one table, which gives the status.
#[derive(Clone, Debug, PartialEq, thiserror::Error, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ServiceError {
    #[error("the payload does not fit the template")]
    InvalidPayload(Box<RefusedPayload>),
    #[error("the template cannot be published")]
    InvalidTemplate(Vec<Defect>),
    /// Not JSON, or a member missing or of the wrong form. The text names what, never a value.
    #[error("{0}")]
    BadRequest(String),
    /// A parameter of the query whose value no call may have. The text names it.
    #[error("{0}")]
    BadParameter(String),
    #[error("there is no schema {0}")]
    UnknownSchema(String),
    #[error("there is no scenario {0}")]
    UnknownScenario(String),
    #[error("there is no patch {0}")]
    UnknownPatch(String),
    #[error("there is no cluster {0} in the pool of this scenario")]
    UnknownCluster(String),
    #[error("there is no webhook {0}")]
    UnknownWebhook(String),
    #[error("there is no task {0}, or it is another client's")]
    UnknownTask(String),
    #[error("nobody is told of this task under the name {0}")]
    #[strum(serialize = "unknown_push_config")]
    UnknownPush(String),
    /// The rules of shared contexts say no.
    #[error(transparent)]
    Context(#[from] SessionRefusal),
    #[error("there is no conversation {0}, or it is another one's")]
    UnknownConversation(String),
    #[error("no agent {0} is declared in this conversation")]
    UnknownRecipient(String),
    #[error("no agent {0} has registered what it offers")]
    UnknownAgent(String),
    #[error("there is no subtask {0} of this task, or it is not yours, or not handed out yet")]
    UnknownSubtask(String),
    #[error("there is no such content, it is over, or no context of yours refers to it")]
    UnknownContent,
    /// What belongs to somebody needs a name.
    #[error("this is for callers that have a name: in open mode, give yours in the header Otherwise-Client")]
    Nameless,
    /// A message without words of which no part could be taken and one at least was refused (P-014): what became of each.
    #[error("nothing of the message could be taken: {}", reasons(.0))]
    NothingTaken(Vec<PartOutcome>),
    /// A task's or an agent's context does not fit. Each place with what would be right, never a value.
    #[error("the context does not fit: {}", worded(.0))]
    InvalidContext(Vec<Violation>),
    /// A context of distributed work, submitted over a transport that hands it to no agent.
    #[error(
        "a TaskContext or AgentContext that is submitted over this transport reaches no agent; send it to /v1/tasks, or as a data part \
         `{{\"AgentContext\": …}}` over A2A; nothing was recorded"
    )]
    ContextNotDelivered,
    /// The task's state does not allow it.
    #[error("{0}")]
    TaskForbids(String),
    #[error("the task cannot be canceled: {0}")]
    #[strum(serialize = "task_not_cancelable")]
    NotCancelable(String),
    /// Members of a message that are wrong, each by its place.
    #[error("{}", fields(.0))]
    #[strum(serialize = "bad_request")]
    InvalidMessage(Vec<FieldFault>),
    /// A part of a message is of a media type that is not read here.
    #[error("{} is not read here: {}", .0.field, .0.description)]
    #[strum(serialize = "unsupported_media_type")]
    UnsupportedMedia(FieldFault),
    #[error("no such value waits for a person; it may have fallen out of the queue, or what was said may be erased")]
    UnknownAudit,
    /// The first verdict stands. Who gave it, and when.
    #[error("{0}; the first verdict stands")]
    Audited(String),
    #[error("schema {0} is retired: submit by the schema in force; its publisher can restore it")]
    SchemaRetired(String),
    #[error("schema {0} is published already with other content; new content needs a new schema_id")]
    SchemaImmutable(String),
    /// Publishing, retiring or restoring for a scenario that is another's.
    #[error("scenario {scenario} belongs to {owner}; an operator can transfer it (PUT /v1/scenarios/{scenario}/owner)")]
    ScenarioOwned { scenario: String, owner: String },
    /// A version of a line would break those who know the others.
    #[error(
        "{schema_id} breaks what its line promises ({}): {}; publish it as version {major}.0.0, or mend it",
        promise(mode, objections),
        first(objections)
    )]
    Incompatible {
        schema_id: String,
        mode: &'static str,
        /// The major version that would be free.
        major: u32,
        /// What is broken alone.
        objections: Box<Assessment>,
    },
    /// Another schema of the scenario that is not retired has the version.
    #[error(
        "{other} has the version {version} too: a version stands for one schema; give {schema_id} a version of its own"
    )]
    VersionTaken {
        schema_id: String,
        version: String,
        other: String,
    },
    /// It is neither proved nor shown that a version keeps what its line promises.
    #[error(
        "it is not proved that {schema_id} keeps what its line promises ({}): {}; make the change simpler, or publish it with \
         `accept_unproved=true`",
        promise(mode, objections),
        first(objections)
    )]
    NotProved {
        schema_id: String,
        mode: &'static str,
        /// Changes that are not proved, alone.
        objections: Box<Assessment>,
    },
    /// A rebase would publish what is there already.
    #[error("no patch is stable for everyone that the base does not say already")]
    NothingStable,
    /// The submission is on record; its execution brought no result.
    #[error("the submission is on record, but its executor brought no result: {failure}")]
    NotExecuted {
        failure: Failure,
        exchange: Box<Exchange>,
        schema: SchemaStatus,
        /// Seconds that the executor took.
        seconds: f64,
    },
    /// A key that a person edited, by the places of their edit.
    #[error("the key as edited cannot be served")]
    UnfitKey(Vec<Defect>),
    #[error("{0}")]
    NameTaken(String),
    /// Somebody changed the patch in between.
    #[error("the patch has changed since: it is at revision {revision} now")]
    PatchMoved { revision: u64 },
    #[error("the stage does not allow it: {0}")]
    StageForbids(String),
    /// The base took the key of a patch in.
    #[error("{0}")]
    KeyInBase(String),
    #[error("this scenario gives nobody a seat to read what was said: policy.evolution.reader is `none`")]
    NoReader,
    #[error("this idempotency key was used with another body; what mends a refused submission takes a new one")]
    IdempotencyMismatch,
    #[error("a submission with this idempotency key is still in flight")]
    IdempotencyInFlight,
    #[error("this role may not do that")]
    Forbidden,
    /// What an agent offers, said by another one.
    #[error("an agent says itself what it offers: call as the one that the path names")]
    #[strum(serialize = "forbidden")]
    NotItself,
    /// A queue is full; try again after some seconds.
    #[error("too much at once; try again in {retry_after_s} s")]
    Busy { retry_after_s: u64 },
    #[error("a limit is reached: {0}")]
    LimitReached(String),
    /// The same, where there is room again after some seconds.
    #[error("a limit is reached: {what}")]
    #[strum(serialize = "limit_reached")]
    LimitReachedFor { what: String, retry_after_s: u64 },
    #[error("the service is shutting down")]
    ShuttingDown,
    #[error("the disk is full, or has less room than store.free_bytes_min; nothing was recorded")]
    DiskFull,
    /// A commit did not come back in time.
    #[error(
        "the store does not answer; whether this was recorded is known after the service's next start: ask again then, with \
         the same idempotency key"
    )]
    StoreStalled,
    /// A person or the settings closed the service for writing.
    #[error("the service is read-only; nothing was recorded")]
    ReadOnly,
    #[error("the setting service.read_only keeps the service read-only; change it and start the service again")]
    ReadOnlyBySetting,
    /// The inside message goes to the log, not to the caller.
    #[error("the service failed")]
    Fault(String),
}

/// Every member that is wrong, in words.
fn fields(faults: &[FieldFault]) -> String {
    let said: Vec<String> = faults
        .iter()
        .map(|fault| format!("{} {}", fault.field, fault.description))
        .collect();
    said.join("; ")
}

/// The first violation in words, and how many more there are.
fn worded(violations: &[Violation]) -> String {
    and_more(violations.iter().map(|violation| violation.message.as_str()))
}

/// Why parts were not taken.
fn reasons(parts: &[PartOutcome]) -> String {
    and_more(parts.iter().filter_map(|part| part.why.as_deref()))
}

/// The first, and how many more there are.
fn and_more(mut all: impl Iterator<Item = impl Into<String>>) -> String {
    let first = all.next().map(Into::into).unwrap_or_default();
    match all.count() {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}

/// The mode of a line, and whose it is: what a new version says of itself counts for those after it.
fn promise(mode: &str, objections: &Assessment) -> String {
    match &objections.set_by {
        Some(older) => format!("{mode}, by the `compatibility` of {older}, which counts and not its own"),
        None => mode.to_owned(),
    }
}

/// The first thing that is broken, in words; the others are in the list.
fn first(objections: &Assessment) -> String {
    and_more(objections.compared.iter().flat_map(|comparison| {
        let older = format!("(against {} {})", comparison.schema_id, comparison.version);
        comparison
            .changes
            .iter()
            .map(move |change| format!("{} {older}", change.message))
    }))
}

impl From<FieldFault> for ServiceError {
    fn from(fault: FieldFault) -> ServiceError {
        ServiceError::InvalidMessage(vec![fault])
    }
}

impl From<Vec<FieldFault>> for ServiceError {
    fn from(faults: Vec<FieldFault>) -> ServiceError {
        ServiceError::InvalidMessage(faults)
    }
}

impl ServiceError {
    /// Whether the service merely stops. What it does by itself is done after the next start then, and is nothing to warn of.
    pub const fn is_stop(&self) -> bool {
        matches!(self, ServiceError::ShuttingDown)
    }

    /// What the schema is that was submitted by, where it came to that.
    pub fn schema(&self) -> Option<SchemaStatus> {
        match self {
            ServiceError::InvalidPayload(refused) => Some(refused.schema),
            ServiceError::NotExecuted { schema, .. } => Some(*schema),
            _ => None,
        }
    }

    /// How a call that fails with it is counted.
    pub fn outcome(&self) -> Outcome {
        match self {
            ServiceError::InvalidPayload(refused) if refused.replayed => Outcome::Replayed,
            ServiceError::InvalidPayload(_) => Outcome::Refused,
            ServiceError::NotExecuted { .. } => Outcome::NotExecuted,
            ServiceError::Busy { .. }
            | ServiceError::ShuttingDown
            | ServiceError::DiskFull
            | ServiceError::StoreStalled
            | ServiceError::ReadOnly
            | ServiceError::Fault(_) => Outcome::Failed,
            // Everything else there is to say is about what was asked.
            _ => Outcome::TurnedAway,
        }
    }
}

impl From<EmbedFault> for ServiceError {
    fn from(fault: EmbedFault) -> Self {
        match fault {
            EmbedFault::Busy => ServiceError::Busy { retry_after_s: 1 },
            EmbedFault::Closed => ServiceError::ShuttingDown,
            EmbedFault::Model(what) => ServiceError::Fault(what),
        }
    }
}

/// Of what is written alone: whoever reads says what is wrong with it.
impl From<serde_json::Error> for ServiceError {
    fn from(fault: serde_json::Error) -> Self {
        ServiceError::Fault(fault.to_string())
    }
}

impl From<EnvelopeFault> for ServiceError {
    fn from(fault: EnvelopeFault) -> Self {
        ServiceError::BadRequest(fault.to_string())
    }
}

impl From<Refusal> for ServiceError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::UnknownSchema(id) => ServiceError::UnknownSchema(id.to_string()),
            Refusal::SchemaRetired(id) => ServiceError::SchemaRetired(id.to_string()),
            Refusal::SchemaImmutable(id) => ServiceError::SchemaImmutable(id.to_string()),
            Refusal::UnknownPatch(id) => ServiceError::UnknownPatch(id.to_string()),
            other @ (Refusal::StageForbids { .. } | Refusal::KeyGone(_) | Refusal::GuardFull) => {
                ServiceError::StageForbids(other.to_string())
            }
            other @ Refusal::KeyInBase { .. } => ServiceError::KeyInBase(other.to_string()),
            Refusal::Unfit(defects) => ServiceError::UnfitKey(defects),
            other @ Refusal::NameTaken(_) => ServiceError::NameTaken(other.to_string()),
            Refusal::PatchMoved { revision } => ServiceError::PatchMoved { revision },
            Refusal::UnknownCluster(id) => ServiceError::UnknownCluster(id.0.to_string()),
            Refusal::UnknownAudit => ServiceError::UnknownAudit,
            other @ Refusal::Audited { .. } => ServiceError::Audited(other.to_string()),
            other @ (Refusal::Done | Refusal::OtherModel { .. }) => ServiceError::Fault(other.to_string()),
        }
    }
}

impl From<JoinError> for ServiceError {
    fn from(error: JoinError) -> Self {
        if error.is_cancelled() {
            // Nothing here takes back what it began: its runtime ended under it.
            ServiceError::ShuttingDown
        } else {
            ServiceError::Fault(error.to_string())
        }
    }
}

impl From<JournalFault> for ServiceError {
    fn from(fault: JournalFault) -> Self {
        match fault {
            JournalFault::Busy => ServiceError::Busy { retry_after_s: 1 },
            JournalFault::Closed => ServiceError::ShuttingDown,
            JournalFault::DiskFull(_) => ServiceError::DiskFull,
            JournalFault::Stalled { after_s: _ } => ServiceError::StoreStalled,
            JournalFault::TooLarge { bytes: _, limit } => {
                ServiceError::LimitReached(format!("one record may take {limit} bytes in the journal"))
            }
            other @ (JournalFault::Moved { .. }
            | JournalFault::Damaged { .. }
            | JournalFault::Truncated { .. }
            | JournalFault::Behind { .. }
            | JournalFault::Snapshot { .. }
            | JournalFault::TornHead(_)
            | JournalFault::InUse(_)
            | JournalFault::Store(_)) => ServiceError::Fault(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;
    use super::ServiceError;
    use store::journal::JournalFault;

    #[test]
    fn what_the_caller_did_is_told_from_what_the_service_could_not_do() {
        for (error, outcome) in [
            (ServiceError::IdempotencyMismatch, Outcome::TurnedAway),
            (ServiceError::LimitReached("keys".to_owned()), Outcome::TurnedAway),
            (ServiceError::DiskFull, Outcome::Failed),
            (ServiceError::Busy { retry_after_s: 1 }, Outcome::Failed),
        ] {
            assert_eq!(error.outcome(), outcome, "{error}");
        }
    }

    #[tokio::test]
    async fn work_that_a_stop_cuts_short_is_no_fault_and_work_that_breaks_is() {
        let cut_short = tokio::spawn(std::future::pending::<()>());
        cut_short.abort();
        let stopped = ServiceError::from(cut_short.await.expect_err("it never ends"));
        let broken = tokio::spawn(async { panic!("it breaks") });
        let broken = ServiceError::from(broken.await.expect_err("it breaks"));
        let closed = ServiceError::from(JournalFault::Closed);
        assert!(stopped.is_stop() && closed.is_stop() && !broken.is_stop());
        assert!(matches!(broken, ServiceError::Fault(_)));
    }
}

//! Calling the executor of a template with a submission that is on record (Z-007, Z-020, docs/design.md §4).
//!
//! Owns what is sent, the check of what comes back, and the record of how it ended; lacks the call itself, with its deadline
//! and attempts, which is the port's. Invariants: every call for one submission bears the same id; a result that was passed
//! on to a caller with an idempotency key is on record first, where the journal takes it; the ledger is not touched.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::api::submissions::Exchange;
use crate::api::submissions::ExchangeStatus;
use crate::api::submissions::SchemaStatus;
use crate::app::dependencies::Dependencies;
use crate::app::error::Failure;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::ports::ExecutorFault;
use crate::app::ports::ExecutorRequest;
use crate::app::ports::Order;
use crate::app::reply::SubmitReply;
use crate::app::sealed;
use crate::app::sealed::Kept;
use crate::app::used_keys;
use engine::scenario::event::Event;
use engine::scenario::submission::Ending;
use engine::scenario::submission::Executed;
use engine::scenario::submission::SealedResultDraft;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::response_schema;
use schema::time::SECOND_MS;
use store::journal::Erasure;
use store::journal::JournalFault;

/// Attempts to put an ending on record while the journal's queue is full, and the pause between them.
const RECORD_ATTEMPTS: u32 = 50;
const RECORD_PAUSE: Duration = Duration::from_millis(20);
/// How long it is waited for a submission that is on its way while it is given up: its executor may answer yet, and what that did
/// cannot be undone.
const ABANDON_WAIT: Duration = Duration::from_secs(5);
/// Pauses between rounds over what a crash cut short.
const ROUND_PAUSE: Duration = Duration::from_secs(1);
const ROUND_PAUSE_MAX: Duration = Duration::from_secs(30);

/// A submission on record that is to be executed.
#[derive(Clone, Debug)]
pub struct Job {
    pub seq: u64,
    pub submission_id: String,
    pub client: Option<ClientId>,
    pub schema_id: SchemaId,
    pub revision: u64,
    /// Scope and key of its idempotency key.
    pub used: Option<(String, String)>,
    /// `{"payload", "exchange", "schema_update_suggestion"?}` without the submission's id and without secrets.
    pub pending: Value,
    /// What its executor gets, as it was said; `None` where that is erased.
    pub payload: Option<Map<String, Value>>,
    /// Whether an earlier call with it may have reached its executor.
    pub tried: bool,
    pub schema: SchemaStatus,
}

impl Job {
    /// A submission as it was read back from the journal.
    ///
    /// # Errors
    /// A fault when it was not kept for execution, or cannot be read.
    pub fn of(handle: &ScenarioHandle, deps: &Dependencies, seq: u64, kept: Kept) -> Result<Job, ServiceError> {
        let pending = kept.sealed.reply.filter(|reply| reply.get("payload").is_some());
        let pending = pending.ok_or_else(|| ServiceError::Fault("what is to be executed is missing".to_owned()))?;
        let payload = if kept.submitted.as_said == 0 {
            pending["payload"].as_object().cloned()
        } else {
            sealed::read_as_said(deps.journal.as_ref(), &handle.journal, seq, &kept.submitted)?
        };
        Ok(Job {
            payload,
            seq,
            submission_id: handle.submission_id(seq),
            client: kept.submitted.client,
            schema: handle.view.load().status(&kept.submitted.schema_id),
            schema_id: kept.submitted.schema_id,
            revision: kept.submitted.revision,
            used: kept.submitted.idempotency.map(|used| (used.scope, used.key)),
            pending,
            tried: true,
        })
    }

    /// The result as a reply: its own members first, then this service's.
    ///
    /// # Errors
    /// A fault where it cannot be written.
    pub fn reply(&self, result: Map<String, Value>) -> Result<SubmitReply, ServiceError> {
        let mut members = result;
        for name in schema::name::RESERVED {
            if let Some(value) = self.pending.get(name) {
                members.insert(name.to_owned(), value.clone());
            }
        }
        let mut reply = Value::Object(members);
        name(&mut reply, &self.submission_id);
        SubmitReply::new(Some(self.submission_id.clone()), &reply, self.schema)
    }

    fn failed(&self, failure: Failure, seconds: f64) -> ServiceError {
        let status = match self.tried || failure.may_have_been_executed() {
            true => ExchangeStatus::MaybeExecuted,
            false => ExchangeStatus::NotExecuted,
        };
        let exchange = Exchange {
            submission_id: Some(self.submission_id.clone()),
            ..Exchange::new(self.schema_id.as_str(), self.revision, status).of_schema(self.schema)
        };
        ServiceError::NotExecuted {
            failure,
            exchange: Box::new(exchange),
            schema: self.schema,
            seconds,
        }
    }
}

/// Puts a submission's id into a reply's `exchange`, in its first place, so that a stored reply is the first one byte for
/// byte.
pub fn name(reply: &mut Value, submission_id: &str) {
    if let Some(exchange) = reply.get_mut("exchange").and_then(Value::as_object_mut) {
        exchange.shift_insert(0, "submission_id".to_owned(), json!(submission_id));
    }
}

/// Calls the executor, puts on record how that ended, replies.
///
/// # Errors
/// [`ServiceError::NotExecuted`]; the submission is on record either way.
pub async fn execute(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    job: Job,
) -> Result<SubmitReply, ServiceError> {
    let (outcome, seconds) = call(handle, deps, &job).await;
    record(handle, deps, &job, &outcome).await;
    match outcome {
        Ok(result) => Ok(SubmitReply {
            executor_seconds: seconds,
            ..job.reply(result)?
        }),
        Err(failure) => Err(job.failed(failure, seconds)),
    }
}

/// One call and the check of its result, with the seconds it took.
async fn call(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    job: &Job,
) -> (Result<Map<String, Value>, Failure>, f64) {
    let begun = Instant::now();
    let outcome = answer(handle, deps, job).await;
    let seconds = begun.elapsed().as_secs_f64();
    let ending = outcome.as_ref().map_or_else(Failure::ending, |_| Ending::Answered);
    deps.observer.execution(handle.key.as_str(), ending, seconds);
    if let Err(failure) = &outcome {
        tracing::warn!(scenario = %handle.key, submission = job.submission_id, ending = ending.name(), %failure,
            "a submission was not executed");
    }
    (outcome, seconds)
}

async fn answer(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    job: &Job,
) -> Result<Map<String, Value>, Failure> {
    let view = handle.view.load_full();
    let base = view.bases.get(&job.schema_id);
    let spec = base.and_then(|base| base.executor.clone());
    let (Some(spec), Some(executor)) = (spec, &deps.executor) else {
        // The template of a submission that executes has an executor, and templates never change.
        return Err(Failure::Fault(ExecutorFault::NotAllowed));
    };
    let Some(payload) = &job.payload else {
        // Another payload than was said is never executed.
        return Err(Failure::Abandoned);
    };
    let order = Order {
        executor: spec,
        request: ExecutorRequest {
            submission_id: job.submission_id.clone(),
            schema_id: job.schema_id.clone(),
            scenario: handle.key.clone(),
            revision: job.revision,
            payload: payload.clone(),
            client: job.client.clone(),
        },
    };
    let result = executor.execute(order).await?;
    let schema_id = job.schema_id.clone();
    // A large result takes a while; the threads that answer go on.
    let checked = tokio::task::spawn_blocking(move || {
        let schema = view.bases.get(&schema_id).and_then(|base| base.response());
        (response_schema::misfits(&result, schema), result)
    });
    match checked.await {
        Ok((misfits, result)) if misfits.is_empty() => Ok(result),
        Ok((misfits, _)) => Err(Failure::BadResult(misfits)),
        Err(_) => Err(Failure::Fault(ExecutorFault::Malformed("it cannot be checked"))),
    }
}

/// Puts an ending on record and waits until the state knows it. What cannot be recorded is executed again after the next
/// start; the caller is told what came of it all the same.
/// Whether it is on record.
async fn record(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    job: &Job,
    outcome: &Result<Map<String, Value>, Failure>,
) -> bool {
    let ending = outcome.as_ref().map_or_else(Failure::ending, |_| Ending::Answered);
    // Without an idempotency key nobody asks for the result again.
    let kept = outcome.as_ref().ok().filter(|_| job.used.is_some());
    let sealed = kept.and_then(|result| serde_json::to_vec(&SealedResultDraft { result }).ok());
    let kept_for = job.used.clone().filter(|_| sealed.is_some());
    let drafts = sealed::drafts(deps.clock.now(), sealed.unwrap_or_default(), |continued| {
        Event::Executed(Executed {
            of: job.seq,
            ending,
            kept_for,
            continued,
        })
    });
    let mut fault = ServiceError::from(JournalFault::Busy);
    for _ in 0..RECORD_ATTEMPTS {
        match deps.record(&handle.journal, drafts.clone()).await {
            Ok(appended) => {
                handle.wait_applied(appended.first_seq).await;
                redact(handle, deps, job.seq).await;
                return true;
            }
            Err(ServiceError::Busy { .. }) => tokio::time::sleep(RECORD_PAUSE).await,
            Err(other) => {
                fault = other;
                break;
            }
        }
    }
    tracing::warn!(scenario = %handle.key, submission = job.submission_id, %fault,
        "how an execution ended is not on record; it is executed again after the next start");
    false
}

/// Erases what the executor of a submission was sent, where that lies in the journal as it was said: what is kept of it beside
/// holds no secret. What a fault hinders is done with the next pass of retention.
async fn redact(handle: &ScenarioHandle, deps: &Dependencies, of: u64) {
    let Some(run) = handle.state().as_said.get(&of).copied() else {
        return;
    };
    let erased = async {
        let erasure = Erasure {
            from: run.first,
            through: run.last,
            // What was put there before now is old enough, be the clock as coarse as it may.
            before: deps.clock.now().plus_ms(1),
            records_max: usize::try_from(run.last - run.first + 1).unwrap_or(usize::MAX),
        };
        deps.erase(&handle.journal, erasure).await?;
        let event = |_| Event::Redacted { of };
        let drafts = sealed::drafts(deps.clock.now(), Vec::new(), event);
        deps.record(&handle.journal, drafts).await
    };
    if let Err(error) = erased.await
        && !error.is_stop()
    {
        tracing::warn!(scenario = %handle.key, of, %error, "what was executed is not erased yet");
    }
}

/// The same for all whose execution has ended: a crash or a fault kept it from being done at once.
pub async fn redact_ended(handle: &ScenarioHandle, deps: &Dependencies) {
    let ended: Vec<u64> = {
        let state = handle.state();
        let ended = state.as_said.keys().filter(|of| !state.unexecuted.contains_key(of));
        ended.copied().collect()
    };
    for of in ended {
        redact(handle, deps, of).await;
    }
}

/// What giving a submission up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Its executor is not called any more.
    Undone,
    /// It was executed, and its result is on record.
    Answered,
}

/// Puts on record that a submission is not to be executed any more, since who asked for it under this key wants no more of it:
/// so that no later start calls its executor again. What has ended, or never came on record, is left as it is. An executor that
/// was called is not called back, but waited for a while.
///
/// # Errors
/// When it cannot be read back, or its ending cannot be put on record.
pub async fn abandon(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    scope: &str,
    key: &str,
) -> Result<Left, ServiceError> {
    // A submission that is being put on record holds its key until the state knows of it.
    let mut held = handle.take(scope, key);
    let mut waited = Duration::ZERO;
    while held.is_none() && waited < ABANDON_WAIT {
        tokio::time::sleep(RECORD_PAUSE).await;
        waited += RECORD_PAUSE;
        held = handle.take(scope, key);
    }
    let found = {
        let used = used_keys::last_use(deps, &handle.journal, scope, key)?;
        if used.is_some_and(|used| used.executed.is_some()) {
            return Ok(Left::Answered);
        }
        let state = handle.state();
        used.map(|used| used.submission)
            .filter(|seq| state.unexecuted.contains_key(seq))
    };
    let Some(seq) = found else { return Ok(Left::Undone) };
    let kept = sealed::read(deps.journal.as_ref(), &handle.journal, seq)?;
    let job = Job::of(handle, deps, seq, kept)?;
    if !record(handle, deps, &job, &Err(Failure::Abandoned)).await {
        return Err(ServiceError::Busy { retry_after_s: 1 });
    }
    deps.observer.execution(handle.key.as_str(), Ending::Abandoned, 0.0);
    Ok(Left::Undone)
}

/// Executes again what has no ending on record: a crash came between the two. With a key or without, each was accepted and
/// may or may not have reached its executor; the id tells the executor which. Called once, when a scenario begins.
pub fn resume(handle: &Arc<ScenarioHandle>, deps: &Arc<Dependencies>) {
    let waiting: Vec<u64> = handle.state().unexecuted.keys().copied().collect();
    if waiting.is_empty() || deps.executor.is_none() {
        return;
    }
    tracing::info!(scenario = %handle.key, submissions = waiting.len(), "executing again what was cut short");
    let (handle, deps) = (Arc::clone(handle), Arc::clone(deps));
    tokio::spawn(async move {
        let mut waiting = waiting;
        let mut pause = ROUND_PAUSE;
        loop {
            let mut left = Vec::new();
            for seq in waiting {
                // What cannot be put on record is not called either.
                if !deps.write_gate.are_open() || !again(&handle, &deps, seq).await {
                    left.push(seq);
                }
            }
            if left.is_empty() || deps.journal.broken().is_some() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(ROUND_PAUSE_MAX);
            waiting = left;
        }
    });
}

/// Whether nothing more is to be done for a submission that was cut short.
async fn again(handle: &Arc<ScenarioHandle>, deps: &Arc<Dependencies>, seq: u64) -> bool {
    // Its caller may be at it, with its idempotency key.
    let Some(_executing) = handle.take_execution(seq) else {
        return false;
    };
    let Some(accepted) = handle.state().unexecuted.get(&seq).copied() else {
        return true;
    };
    let kept = sealed::read(deps.journal.as_ref(), &handle.journal, seq).map_err(ServiceError::from);
    let job = match kept.and_then(|kept| Job::of(handle, deps, seq, kept)) {
        Ok(job) => job,
        Err(error) => {
            tracing::error!(scenario = %handle.key, seq, %error, "what was cut short cannot be read back");
            return true;
        }
    };
    let over = || deps.clock.now().since_ms(accepted) >= deps.options.resume_s.saturating_mul(SECOND_MS);
    if over() {
        record(handle, deps, &job, &Err(Failure::Abandoned)).await;
        deps.observer.execution(handle.key.as_str(), Ending::Abandoned, 0.0);
        return true;
    }
    let (outcome, _) = call(handle, deps, &job).await;
    let passes = match &outcome {
        Ok(_) => false,
        Err(failure) => match failure.ending() {
            Ending::Failed | Ending::TimedOut | Ending::Busy | Ending::Paused => true,
            Ending::Answered | Ending::Refused | Ending::BadResult | Ending::NotAllowed | Ending::Abandoned => false,
        },
    };
    // What may pass is tried again until it is too late.
    if passes {
        return false;
    }
    record(handle, deps, &job, &outcome).await;
    true
}

//! Idempotency keys: the same key with the same body is one submission, and is answered as it was before (docs/design.md §4).
//!
//! Lacks the submission itself, which is the intake's. Invariant: of two calls with one key only one goes on; the other is told
//! so, or gets the first one's answer.

use std::sync::Arc;

use sha2::Digest;
use sha2::Sha256;

use crate::app::dependencies::Dependencies;
use crate::app::error::RefusedPayload;
use crate::app::error::ServiceError;
use crate::app::execution;
use crate::app::execution::Job;
use crate::app::handle::Executing;
use crate::app::handle::InFlight;
use crate::app::handle::ScenarioHandle;
use crate::app::reply::SubmitReply;
use crate::app::sealed;
use crate::app::sealed::Kept;
use crate::app::used_keys::kept_ms;
use crate::app::used_keys::last_use;
use crate::app::validation;
use engine::scenario::submission::Idempotency;
use schema::exchange::envelope::Envelope;
use schema::name::ClientId;
use store::journal::KeyUse;
use text::name::hexadecimal;

/// How a submission with an idempotency key begins.
pub enum Begun {
    /// It is new; the key is held for it, where it has one.
    New(Option<InFlight>, Option<Idempotency>),
    /// It was made before.
    Answered(Box<Result<SubmitReply, ServiceError>>),
    /// It was made before and brought no result; its executor is to be called again.
    Unexecuted(InFlight, Executing, Box<Job>),
}

/// Whether the idempotency key that the carrier of a submission brings is the only one, and has something to stand for: a member
/// of that name may say nothing else, and what is only tried leaves nothing that could be answered again.
pub fn one_key(envelope: &Envelope<'_>, carried: Option<&str>) -> Result<(), ServiceError> {
    if envelope.dry_run && (carried.is_some() || envelope.idempotency_key.is_some()) {
        let what = "`dry_run` puts nothing on record, so an idempotency key can mean nothing: leave out `idempotency_key`, and over \
                    HTTP the header Idempotency-Key";
        return Err(ServiceError::BadRequest(what.to_owned()));
    }
    let Some(member) = envelope.idempotency_key else {
        return Ok(());
    };
    let said = serde_json::from_str::<String>(member.get()).ok();
    if carried.is_some() && said.as_deref() == carried {
        return Ok(());
    }
    let what = "`idempotency_key` goes with a submission that is put on record: what only checks has none. Over HTTP the key of a \
                single submission is the header Idempotency-Key, and the member belongs to the items of a batch";
    Err(ServiceError::BadRequest(what.to_owned()))
}

/// Takes an idempotency key, where there is one, or finds what became of it. `body` is the text that may be kept, which is compared: two that differ in
/// a secret alone are one. `said` is what comes with it now.
pub fn begin(
    handle: &Arc<ScenarioHandle>,
    deps: &Dependencies,
    client: Option<&ClientId>,
    key: Option<&str>,
    body: &str,
    said: Option<&Envelope<'_>>,
) -> Result<Begun, ServiceError> {
    let Some(key) = key else {
        return Ok(Begun::New(None, None));
    };
    let used = used(client, key, body);
    let Some(held) = handle.take(&used.scope, &used.key) else {
        return Err(ServiceError::IdempotencyInFlight);
    };
    let Some((found, kept)) = earlier(handle, deps, &used)? else {
        take_room(handle, deps, &used)?;
        return Ok(Begun::New(Some(held), Some(used)));
    };
    if !kept.submitted.executes {
        return answered(handle, &found, kept).map(|outcome| Begun::Answered(Box::new(outcome)));
    }
    let Some(executing) = handle.take_execution(found.submission) else {
        return Err(ServiceError::IdempotencyInFlight);
    };
    // It may have ended between the two looks.
    let executed = last_use(deps, &handle.journal, &used.scope, &used.key)?.and_then(|found| found.executed);
    let mut job = Job::of(handle, deps, found.submission, kept)?;
    match executed {
        None => {
            // Its execution failed, so that what was said of it is erased: it is said again.
            if job.payload.is_none() {
                job.payload = said.and_then(|said| validation::read_again(handle, client, said, job.revision));
            }
            Ok(Begun::Unexecuted(held, executing, Box::new(job)))
        }
        Some(seq) => {
            let result = sealed::read_result(deps.journal.as_ref(), &handle.journal, seq)?;
            Ok(Begun::Answered(Box::new(Ok(SubmitReply {
                replayed: true,
                ..job.reply(result)?
            }))))
        }
    }
}

fn used(client: Option<&ClientId>, key: &str, body: &str) -> Idempotency {
    Idempotency {
        scope: client.map(|client| client.as_str().to_owned()).unwrap_or_default(),
        key: key.to_owned(),
        digest: hexadecimal(&Sha256::digest(body.as_bytes())),
    }
}

/// The earlier use of the same key for the same body, if there is one within its time.
fn earlier(
    handle: &ScenarioHandle,
    deps: &Dependencies,
    used: &Idempotency,
) -> Result<Option<(KeyUse, Kept)>, ServiceError> {
    let Some(found) = last_use(deps, &handle.journal, &used.scope, &used.key)? else {
        return Ok(None);
    };
    let kept = sealed::read(deps.journal.as_ref(), &handle.journal, found.submission)?;
    // The record decides: the index holds a digest.
    let before = kept.submitted.idempotency.as_ref();
    let same = before.filter(|before| before.scope == used.scope && before.key == used.key);
    let fresh = deps.clock.now().since_ms(kept.at) < kept_ms(&deps.options, &used.key);
    match same.filter(|_| fresh) {
        None => Ok(None),
        Some(before) if before.digest != used.digest => Err(ServiceError::IdempotencyMismatch),
        Some(_) => Ok(Some((found, kept))),
    }
}

/// Takes room for a key of its client, so that no client fills the disk that others need.
fn take_room(handle: &ScenarioHandle, deps: &Dependencies, used: &Idempotency) -> Result<(), ServiceError> {
    let kept_ms = kept_ms(&deps.options, &used.key);
    let taken = handle
        .key_room()
        .take(&used.scope, kept_ms, &deps.options, deps.clock.now());
    taken.map_err(|left_ms| ServiceError::LimitReachedFor {
        what: "this client used as many idempotency keys of this scenario as are remembered of one client \
               (service.idempotency_client_keys_max); try again later, or submit without a key"
            .to_owned(),
        retry_after_s: u64::try_from(left_ms).unwrap_or(u64::MAX).div_ceil(1_000),
    })
}

/// The stored reply of an earlier submission that needed no executor.
fn answered(
    handle: &ScenarioHandle,
    found: &KeyUse,
    kept: Kept,
) -> Result<Result<SubmitReply, ServiceError>, ServiceError> {
    let Some(mut reply) = kept.sealed.reply else {
        return Err(ServiceError::Fault("a stored reply is missing".to_owned()));
    };
    let id = handle.submission_id(found.submission);
    execution::name(&mut reply, &id);
    let schema = handle.view.load().status(&kept.submitted.schema_id);
    if reply.get("violations").is_some() {
        return Ok(Err(ServiceError::InvalidPayload(Box::new(RefusedPayload {
            violations: reply["violations"].take(),
            exchange: reply["exchange"].take(),
            replayed: true,
            schema,
        }))));
    }
    let reply = SubmitReply::new(Some(id), &reply, schema)?;
    Ok(Ok(SubmitReply {
        replayed: true,
        ..reply
    }))
}

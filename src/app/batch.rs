//! Submissions on their way, one or many in one call: each judged by itself, recorded together, answered in their order.
//!
//! Invariants: what happens to one submission changes nothing for another; the records of one scenario are appended at once,
//! so that one sync makes all of them durable; no more executors are called at once than the settings say.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::execution;
use crate::app::execution::Job;
use crate::app::handle::Executing;
use crate::app::handle::InFlight;
use crate::app::handle::ScenarioHandle;
use crate::app::idempotency;
use crate::app::idempotency::Begun;
use crate::app::intake;
use crate::app::intake::Prepared;
use crate::app::reply::SubmitReply;
use crate::app::secrets::Body;
use crate::app::secrets::Sent;
use schema::exchange::envelope;
use schema::exchange::envelope::Envelope;
use schema::exchange::envelope::EnvelopeFault;
use schema::name::ClientId;
use schema::name::ScenarioKey;
use store::journal::Draft;
use store::journal::JournalFault;

/// Bytes of an idempotency key.
const KEY_BYTES_MAX: usize = 255;

/// The one member of a batch.
const SUBMISSIONS: &str = "submissions";

/// What became of one submission.
pub type Outcome = Result<SubmitReply, ServiceError>;

/// `{"submissions": [submission]}`
#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    submissions: Vec<&'a RawValue>,
}

/// The member of an item that is the header of a single submission.
#[derive(Deserialize)]
struct Member {
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// A submission on its way.
enum Item {
    Ended(Box<Outcome>),
    /// It waits for its record.
    Entering(Arc<ScenarioHandle>, Box<Prepared>, Option<InFlight>),
    /// Its executor is called again.
    Again(Arc<ScenarioHandle>, InFlight, Executing, Box<Job>),
}

/// Takes a batch apart: the text of each submission.
///
/// # Errors
/// [`ServiceError::BadRequest`] when it is none, is empty, or holds more than `max`.
pub fn texts(body: &str, max: usize) -> Result<Vec<&str>, ServiceError> {
    let batch: Batch<'_> = serde_json::from_str(body).map_err(|error| {
        // Its message may quote what was sent; where it stands is enough.
        let place = format!("line {} column {}", error.line(), error.column());
        ServiceError::BadRequest(format!(
            "the body must be a JSON object with `submissions`, a list of submissions (see {place})"
        ))
    })?;
    let named: BTreeMap<String, IgnoredAny> = serde_json::from_str(body).unwrap_or_default();
    for name in named.keys().filter(|name| *name != SUBMISSIONS) {
        let member = envelope::meant(name, &[SUBMISSIONS]).or_else(|| envelope::meant(name, &envelope::MEMBERS));
        if let Some(member) = member {
            let given = envelope::shown(name);
            let what = "a batch has `submissions` alone, and each of them says the rest of itself";
            return Err(ServiceError::BadRequest(format!(
                "`{given}` is no member of a batch: {what} (`{member}`)"
            )));
        }
    }
    let count = batch.submissions.len();
    if count == 0 || count > max {
        return Err(ServiceError::BadRequest(format!(
            "a batch must hold 1 to {max} submissions (service.batch_submissions_max), this one {count}"
        )));
    }
    Ok(batch.submissions.into_iter().map(RawValue::get).collect())
}

/// What became of a submission, with its scenario where it came so far.
type Answered = (Option<Arc<ScenarioHandle>>, Outcome);

/// A submission with its idempotency key, or what is wrong with that.
pub struct Keyed {
    pub body: Body<'static>,
    pub key: Result<Option<String>, ServiceError>,
}

/// Submits one.
///
/// # Errors
/// That what became of it cannot be told.
pub async fn submit_one(
    deps: &Arc<Dependencies>,
    client: Option<&ClientId>,
    body: &Body<'_>,
    said: Result<Envelope<'_>, EnvelopeFault>,
    key: Option<&str>,
    find: impl Fn(&str) -> Result<Arc<ScenarioHandle>, ServiceError>,
) -> Result<Answered, ServiceError> {
    let (found, item) = enter(deps, client, body.kept(), body.sent_as(said), Ok(key), &find);
    let outcome = match item {
        // Once it is handed over it needs nobody any more: a caller that hangs up leaves nothing half done.
        Item::Entering(handle, mut prepared, None) if !prepared.executes() => {
            match deps.record(&handle.journal, std::mem::take(&mut prepared.drafts)).await {
                Ok(appended) => intake::finish(&handle, deps, client, *prepared, appended.first_seq, None).await,
                Err(error) => Err(error),
            }
        }
        mut item => {
            // Else a key would stay held, or an execution break off: what has begun runs to its end.
            let (deps, client) = (Arc::clone(deps), client.cloned());
            tokio::spawn(async move {
                let seq = append(&deps, std::slice::from_mut(&mut item)).await.remove(&0);
                go_on(&deps, client.as_ref(), item, seq.unwrap_or(Ok(0)), &Semaphore::new(1)).await
            })
            .await?
        }
    };
    Ok((found, outcome))
}

/// Submits all of them; the outcomes stand in their order. `find` gives the scenario of a schema id. One that has the idempotency key
/// of an earlier one waits for that, and is answered as if it had come alone after it.
pub async fn submit(
    deps: &Arc<Dependencies>,
    client: Option<&ClientId>,
    sent: &[Keyed],
    find: impl Fn(&str) -> Result<Arc<ScenarioHandle>, ServiceError>,
) -> Vec<Answered> {
    let mut rounds: BTreeMap<usize, Vec<(usize, &Keyed)>> = BTreeMap::new();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, keyed) in sent.iter().enumerate() {
        let before = match &keyed.key {
            Ok(Some(key)) => {
                let times = times.entry(key).or_default();
                std::mem::replace(times, *times + 1)
            }
            Ok(None) | Err(_) => 0,
        };
        rounds.entry(before).or_default().push((place, keyed));
    }
    let mut answered: BTreeMap<usize, Answered> = BTreeMap::new();
    for round in rounds.into_values() {
        let outcomes = go_round(deps, client, &round, &find).await;
        answered.extend(round.iter().map(|(place, _)| *place).zip(outcomes));
    }
    answered.into_values().collect()
}

/// Submits those that need not wait for another of them.
async fn go_round(
    deps: &Arc<Dependencies>,
    client: Option<&ClientId>,
    sent: &[(usize, &Keyed)],
    find: &impl Fn(&str) -> Result<Arc<ScenarioHandle>, ServiceError>,
) -> Vec<Answered> {
    let entered = sent.iter().map(|(_, Keyed { body, key })| {
        let key = key.as_ref().map(Option::as_deref);
        enter(deps, client, body.kept(), body.sent(), key, find)
    });
    let (handles, mut items): (Vec<_>, Vec<Item>) = entered.unzip();
    let mut seqs = append(deps, &mut items).await;
    let turns = Arc::new(Semaphore::new(deps.options.batch_executions_max.max(1)));
    let begun: Vec<_> = items
        .into_iter()
        .enumerate()
        .map(|(place, item)| {
            let seq = seqs.remove(&place).unwrap_or(Ok(0));
            let (deps, client, turns) = (Arc::clone(deps), client.cloned(), Arc::clone(&turns));
            tokio::spawn(async move { go_on(&deps, client.as_ref(), item, seq, &turns).await })
        })
        .collect();
    let mut answered = Vec::with_capacity(begun.len());
    for (handle, ended) in handles.into_iter().zip(begun) {
        answered.push((handle, ended.await.unwrap_or_else(|error| Err(error.into()))));
    }
    answered
}

/// Checks one submission and says how it goes on.
fn enter(
    deps: &Arc<Dependencies>,
    client: Option<&ClientId>,
    kept: &str,
    sent: Result<Sent<'_>, EnvelopeFault>,
    key: Result<Option<&str>, &ServiceError>,
    find: &impl Fn(&str) -> Result<Arc<ScenarioHandle>, ServiceError>,
) -> (Option<Arc<ScenarioHandle>>, Item) {
    let mut found = None;
    let item = || {
        let sent = sent?;
        let handle = find(&sent.kept().schema_id)?;
        let key = key.map_err(Clone::clone)?;
        idempotency::one_key(sent.kept(), key)?;
        if sent.kept().dry_run {
            let outcome = intake::validate(&handle, client, &sent);
            return Ok(Item::Ended(Box::new(outcome)));
        }
        found = Some(Arc::clone(&handle));
        let begun = idempotency::begin(&handle, deps, client, key, kept, Some(&sent.said))?;
        let (held, used) = match begun {
            Begun::New(held, used) => (held, used),
            Begun::Answered(outcome) => return Ok(Item::Ended(outcome)),
            Begun::Unexecuted(held, executing, job) => {
                drop(deps.write_gate.pass()?);
                return Ok(Item::Again(handle, held, executing, job));
            }
        };
        // Before anything is said of the payload: it will not be on record, whatever is in it.
        drop(deps.write_gate.pass()?);
        let prepared = intake::prepare(&handle, deps, client, &sent, used)?;
        Ok(Item::Entering(handle, Box::new(prepared), held))
    };
    let item = item().unwrap_or_else(|error| Item::Ended(Box::new(Err(error))));
    (found, item)
}

/// The idempotency key that stands in a submission itself, for who has no header to send it in.
///
/// # Errors
/// [`ServiceError::BadRequest`] when it has not the form of the header.
pub fn key(text: &str) -> Result<Option<String>, ServiceError> {
    let wrong = || {
        ServiceError::BadRequest(format!(
            "`idempotency_key` must be a string of 1 to {KEY_BYTES_MAX} visible ASCII characters"
        ))
    };
    let keyed: Member = serde_json::from_str(text).map_err(|_| wrong())?;
    let right = |key: &String| (1..=KEY_BYTES_MAX).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    match keyed.idempotency_key {
        Some(key) if !right(&key) => Err(wrong()),
        key => Ok(key),
    }
}

/// What enters one scenario.
struct Together<'a> {
    handle: &'a ScenarioHandle,
    drafts: Vec<Draft>,
    /// Place in the batch, and of its first draft among the drafts.
    places: Vec<(usize, u64)>,
}

/// Appends what enters, each scenario's at once; the sequence of each by its place.
async fn append(deps: &Dependencies, items: &mut [Item]) -> BTreeMap<usize, Result<u64, ServiceError>> {
    let mut together: BTreeMap<ScenarioKey, Together<'_>> = BTreeMap::new();
    for (place, item) in items.iter_mut().enumerate() {
        if let Item::Entering(handle, prepared, _) = item {
            let own = together.entry(handle.key.clone()).or_insert_with(|| Together {
                handle,
                drafts: Vec::new(),
                places: Vec::new(),
            });
            own.places.push((place, own.drafts.len() as u64));
            own.drafts.append(&mut prepared.drafts);
        }
    }
    // All are queued before the first is waited for, so that they share a sync.
    let queued: Vec<_> = together
        .into_values()
        .map(|own| (deps.append(&own.handle.journal, own.drafts, None), own.places))
        .collect();
    let mut seqs = BTreeMap::new();
    for (queued, places) in queued {
        let appended = match queued {
            Ok(answer) => answer
                .await
                .unwrap_or(Err(JournalFault::Closed))
                .map_err(ServiceError::from),
            Err(refusal) => Err(refusal),
        };
        for (place, offset) in places {
            seqs.insert(place, appended.clone().map(|appended| appended.first_seq + offset));
        }
    }
    seqs
}

async fn go_on(
    deps: &Arc<Dependencies>,
    client: Option<&ClientId>,
    item: Item,
    seq: Result<u64, ServiceError>,
    turns: &Semaphore,
) -> Outcome {
    match item {
        Item::Ended(outcome) => *outcome,
        Item::Entering(handle, prepared, held) => {
            let seq = seq?;
            let _turn = if prepared.executes() {
                turns.acquire().await.ok()
            } else {
                None
            };
            intake::finish(&handle, deps, client, *prepared, seq, held).await
        }
        Item::Again(handle, _held, _executing, job) => {
            let _turn = turns.acquire().await;
            execution::execute(&handle, deps, *job).await
        }
    }
}

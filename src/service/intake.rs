//! A submission's way in: template in force, check, record, reply.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;

use crate::domain::exchange::envelope::Envelope;
use crate::domain::exchange::verdict::Verdict;
use crate::domain::exchange::violation::Warning;
use crate::domain::scenario::event;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::submission;
use crate::domain::scenario::submission::Idempotency;
use crate::domain::scenario::submission::SealedDraft;
use crate::domain::scenario::submission::Submitted;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::OTHER;
use crate::domain::template::name::SchemaId;
use crate::service::error::ServiceError;
use crate::service::live::Live;
use crate::service::otherwise::SubmitReply;
use crate::service::parts::Parts;
use crate::service::ports::Draft;
use crate::service::ports::JournalFault;
use crate::service::ports::Kind;
use crate::service::sealed;
use crate::service::view::View;

/// A checked submission that is not on record yet.
struct Checked {
    schema_id: SchemaId,
    revision: u64,
    verdict: Verdict,
    fragments: Vec<String>,
}

/// The id of a submission: its scenario and its place in the journal, so that it is the same after a crash.
pub fn submission_id(live: &Live, seq: u64) -> String {
    format!("{}.{seq}", live.key)
}

/// Checks without recording anything.
///
/// # Errors
/// [`ServiceError::InvalidPayload`] with everything that is wrong, or why there is no check.
pub fn validate(live: &Live, client: Option<&ClientId>, envelope: &Envelope<'_>) -> Result<SubmitReply, ServiceError> {
    let view = live.view.load();
    let checked = check(live, &view, client, envelope)?;
    if !checked.verdict.accepted() {
        return Err(refusal(None, checked));
    }
    let body = accepted(None, &checked, None);
    Ok(SubmitReply {
        body: body.to_string(),
        submission_id: None,
        replayed: false,
    })
}

/// Checks, records durably, replies.
///
/// # Errors
/// [`ServiceError::InvalidPayload`] (which is on record too), idempotency conflicts, or a full or broken journal.
pub async fn submit(
    live: &Arc<Live>,
    parts: &Arc<Parts>,
    client: Option<&ClientId>,
    envelope: &Envelope<'_>,
    idempotency_key: Option<&str>,
    body: &str,
) -> Result<SubmitReply, ServiceError> {
    let used = idempotency_key.map(|key| Idempotency {
        scope: client.map(|client| client.as_str().to_owned()).unwrap_or_default(),
        key: key.to_owned(),
        digest: hex(&Sha256::digest(body.as_bytes())),
    });
    let Some(used) = used else {
        return record(live, parts, client, envelope, None).await;
    };
    let Some(held) = live.take(&used.scope, &used.key) else {
        return Err(ServiceError::IdempotencyInFlight);
    };
    if let Some(reply) = earlier(live, parts, &used)? {
        return reply;
    }
    let outcome = record(live, parts, client, envelope, Some(used)).await;
    match &outcome {
        Ok(_) | Err(ServiceError::InvalidPayload { .. }) => held.recorded(),
        Err(_) => drop(held),
    }
    outcome
}

/// The stored reply of an earlier submission with the same key, if there is one within its time.
fn earlier(
    live: &Live,
    parts: &Parts,
    used: &Idempotency,
) -> Result<Option<Result<SubmitReply, ServiceError>>, ServiceError> {
    let now = parts.clock.now();
    let (found, total) = {
        let state = live.state();
        let keys = state.idempotency.get(&used.scope);
        let found = keys.and_then(|keys| keys.get(&used.key)).cloned();
        (
            found,
            state
                .idempotency
                .values()
                .map(std::collections::BTreeMap::len)
                .sum::<usize>(),
        )
    };
    let Some(found) = found.filter(|found| now.since_ms(found.at) < parts.options.idempotency_s * 1_000) else {
        if total >= parts.options.idempotency_keys_max {
            return Err(ServiceError::LimitReached(
                "as many idempotency keys as may be are remembered".to_owned(),
            ));
        }
        return Ok(None);
    };
    if found.digest != used.digest {
        return Err(ServiceError::IdempotencyMismatch);
    }
    let reply = sealed::read(parts.journal.as_ref(), &live.journal, found.submission)?
        .sealed
        .reply;
    let Some(mut reply) = reply else {
        return Err(ServiceError::Fault("a stored reply is missing".to_owned()));
    };
    let id = submission_id(live, found.submission);
    if let Some(exchange) = reply.get_mut("exchange").and_then(Value::as_object_mut) {
        // In its first place, so that the stored reply is the first one byte for byte.
        exchange.shift_insert(0, "submission_id".to_owned(), json!(id));
    }
    if reply.get("violations").is_some() {
        return Ok(Some(Err(ServiceError::RefusedBefore(reply))));
    }
    Ok(Some(Ok(SubmitReply {
        body: reply.to_string(),
        submission_id: Some(id),
        replayed: true,
    })))
}

fn check(
    live: &Live,
    view: &View,
    client: Option<&ClientId>,
    envelope: &Envelope<'_>,
) -> Result<Checked, ServiceError> {
    let schema_id = SchemaId::parse(&envelope.schema_id)
        .ok_or_else(|| ServiceError::UnknownSchema(envelope.schema_id.clone().into_owned()))?;
    let base = view
        .bases
        .get(&schema_id)
        .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_string()))?;
    if base.retired {
        return Err(ServiceError::SchemaRetired(schema_id.to_string()));
    }
    let compiled = view
        .compiled(&schema_id, client)
        .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_string()))?;
    let received = |patch: &crate::domain::template::name::PatchId| {
        let state = live.state();
        let ledger = state.ledger.keys.get(patch);
        client.is_some_and(|client| ledger.is_some_and(|ledger| ledger.received.contains(client)))
    };
    let mut verdict = compiled
        .validator
        .check(envelope.payload.get(), &received, true)
        .map_err(|what| ServiceError::BadRequest(format!("payload: {what}")))?;
    let (fragments, deferred) = submission::fragments_of(&verdict, view.policy.pool.fragments_per_submission_max);
    if deferred {
        verdict.warnings.push(Warning {
            key: OTHER.to_owned(),
            code: "other_deferred",
            message: "other holds more demands than are taken from one submission; the first ones were".to_owned(),
        });
    }
    Ok(Checked {
        schema_id,
        revision: compiled.effective.revision,
        verdict,
        fragments,
    })
}

async fn record(
    live: &Live,
    parts: &Parts,
    client: Option<&ClientId>,
    envelope: &Envelope<'_>,
    used: Option<Idempotency>,
) -> Result<SubmitReply, ServiceError> {
    // Before anything is said of the payload: it will not be on record, whatever is in it.
    drop(parts.writes.pass()?);
    let view = live.view.load_full();
    let checked = check(live, &view, client, envelope)?;
    for warning in checked
        .verdict
        .warnings
        .iter()
        .filter(|warning| warning.code == "withdrawn_key")
    {
        // Z-153. The key's name is the template's own.
        tracing::warn!(scenario = %live.key, key = warning.key, "a withdrawn key was received");
    }
    let accepts = checked.verdict.accepted();
    let suggestion = if accepts {
        suggestion(live, &view, client, envelope.revision)
    } else {
        None
    };
    let suggested = suggestion
        .as_ref()
        .and_then(|suggestion| suggestion["revision"].as_u64());
    let stored = used.as_ref().map(|_| {
        if accepts {
            accepted(None, &checked, suggestion.as_ref())
        } else {
            refused_document(&checked)
        }
    });
    let sealed = serde_json::to_vec(&SealedDraft {
        payload: envelope.payload,
        utterance: envelope.utterance.as_deref(),
        fragments: &checked.fragments,
        reply: stored.as_ref(),
    })
    .map_err(|error| ServiceError::Fault(error.to_string()))?;
    let mut pieces = sealed::pieces(sealed).into_iter();
    let first = pieces.next().unwrap_or_default();
    let submitted = Submitted {
        client: client.cloned(),
        schema_id: checked.schema_id.clone(),
        revision: checked.revision,
        accepted: accepts,
        with_other: !checked.verdict.other.is_empty(),
        fragments: u32::try_from(checked.fragments.len()).unwrap_or(u32::MAX),
        observed: checked.verdict.observed.clone(),
        idempotency: used,
        continued: u32::try_from(pieces.len()).unwrap_or(u32::MAX),
        suggested,
    };
    let open = event::write(&Event::Submitted(submitted));
    let at = parts.clock.now();
    let mut drafts = vec![Draft {
        kind: Kind::Fact,
        at,
        open,
        sealed: first,
    }];
    drafts.extend(pieces.map(|sealed| Draft {
        kind: Kind::Fact,
        at,
        open: event::write(&Event::Continued),
        sealed,
    }));
    let answer = {
        let _pass = parts.writes.pass()?;
        parts.journal.append(&live.journal, drafts, None)?
    };
    let appended = answer.await.map_err(|_gone| JournalFault::Closed)??;
    if stored.is_some() {
        live.wait_applied(appended.first_seq).await;
    }
    let id = submission_id(live, appended.first_seq);
    if !accepts {
        return Err(refusal(Some(id), checked));
    }
    let body = accepted(Some(&id), &checked, suggestion.as_ref());
    Ok(SubmitReply {
        body: body.to_string(),
        submission_id: Some(id),
        replayed: false,
    })
}

/// What is new to the client, while it has neither fetched nor used it, and not more often than the policy says.
fn suggestion(live: &Live, view: &View, client: Option<&ClientId>, stated: Option<u64>) -> Option<Value> {
    let latest = view.patch_revision(client);
    if latest == 0 || stated.is_some_and(|stated| stated >= latest) {
        return None;
    }
    let since = match client {
        Some(client) => {
            let known = live.state().acquaintances.get(client).copied().unwrap_or_default();
            let spent = known.suggested == latest && known.times >= view.policy.evolution.suggestions_max;
            if spent || known.revision >= latest {
                return None;
            }
            known.revision.max(stated.unwrap_or_default())
        }
        None => stated?,
    };
    Some(view.since(client, since))
}

fn accepted(id: Option<&str>, checked: &Checked, suggestion: Option<&Value>) -> Value {
    let mut reply = Map::new();
    reply.insert(
        "payload".to_owned(),
        Value::Object(checked.verdict.normalised.clone().unwrap_or_default()),
    );
    reply.insert("exchange".to_owned(), exchange(id, checked, "accepted"));
    if let Some(suggestion) = suggestion {
        reply.insert("schema_update_suggestion".to_owned(), suggestion.clone());
    }
    Value::Object(reply)
}

fn exchange(id: Option<&str>, checked: &Checked, status: &str) -> Value {
    let mut exchange = Map::new();
    if let Some(id) = id {
        exchange.insert("submission_id".to_owned(), json!(id));
    }
    exchange.insert("schema_id".to_owned(), json!(checked.schema_id));
    exchange.insert("revision".to_owned(), json!(checked.revision));
    exchange.insert("status".to_owned(), json!(status));
    if status == "accepted" {
        exchange.insert("defaults_applied".to_owned(), json!(checked.verdict.defaults_applied));
    }
    exchange.insert("warnings".to_owned(), json!(checked.verdict.warnings));
    Value::Object(exchange)
}

/// A refusal as it is kept for its idempotency key.
fn refused_document(checked: &Checked) -> Value {
    json!({ "violations": checked.verdict.violations, "exchange": exchange(None, checked, "refused") })
}

fn refusal(submission_id: Option<String>, checked: Checked) -> ServiceError {
    ServiceError::InvalidPayload {
        submission_id,
        schema_id: checked.schema_id.to_string(),
        revision: checked.revision,
        violations: checked.verdict.violations,
        warnings: checked.verdict.warnings,
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;

    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

//! A submission's way in: template in force, check, record, execute where there is an executor, reply.
//!
//! Lacks the call itself, which is [`execution`]'s. Invariant: nothing is executed, and no one is answered, before the submission is
//! on disk.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::service::error::ServiceError;
use crate::service::execution;
use crate::service::execution::Job;
use crate::service::idempotency;
use crate::service::idempotency::Begun;
use crate::service::live::InFlight;
use crate::service::live::Live;
use crate::service::otherwise::SubmitReply;
use crate::service::parts::Parts;
use crate::service::sealed;
use crate::service::secrets::Body;
use crate::service::secrets::Sent;
use crate::service::view::View;
use context::message::secret;
use context::message::secret::MARK;
use engine::pool::reading;
use engine::scenario::event::Event;
use engine::scenario::submission;
use engine::scenario::submission::AsSaid;
use engine::scenario::submission::Idempotency;
use engine::scenario::submission::SealedDraft;
use engine::scenario::submission::Submitted;
use schema::exchange::envelope::Envelope;
use schema::exchange::validator::Validator;
use schema::exchange::verdict::Verdict;
use schema::exchange::violation::Violation;
use schema::exchange::violation::ViolationCode;
use schema::exchange::violation::Warning;
use schema::executor::ExecutorSpec;
use schema::name::ClientId;
use schema::name::OTHER;
use schema::name::PatchId;
use schema::name::SchemaId;
use store::journal::Draft;
use store::journal::JournalFault;

/// A checked submission that is not on record yet.
struct Checked {
    schema_id: SchemaId,
    revision: u64,
    /// With what is to be executed as it was said.
    verdict: Verdict,
    /// What is to be executed, without its secrets, where it holds any: what is shown and kept of it.
    shown: Option<Map<String, Value>>,
    fragments: Vec<String>,
    missed: Option<Arc<Value>>,
}

impl Checked {
    /// What is shown and kept of what is to be executed.
    fn shown(&self) -> Map<String, Value> {
        let shown = self.shown.as_ref().or(self.verdict.normalised.as_ref());
        shown.cloned().unwrap_or_default()
    }
}

/// A submission that is ready to be appended.
pub struct Prepared {
    /// What goes into the journal, one record after another.
    pub drafts: Vec<Draft>,
    checked: Checked,
    suggestion: Option<Value>,
    used: Option<Idempotency>,
    executes: bool,
}

impl Prepared {
    /// Whether an executor will be called.
    pub fn executes(&self) -> bool {
        self.executes
    }
}

/// The id of a submission: its scenario and its place in the journal, so that it is the same after a crash.
pub fn submission_id(live: &Live, seq: u64) -> String {
    format!("{}.{seq}", live.key)
}

/// Checks without recording anything.
///
/// # Errors
/// [`ServiceError::InvalidPayload`] with everything that is wrong, or why there is no check.
pub fn validate(live: &Live, client: Option<&ClientId>, sent: &Sent<'_>) -> Result<SubmitReply, ServiceError> {
    let view = live.view.load();
    let checked = check(live, &view, client, sent)?;
    if !checked.verdict.accepted() {
        return Err(refusal(None, checked));
    }
    let body = accepted(None, &checked, None);
    Ok(SubmitReply {
        body: body.to_string(),
        submission_id: None,
        replayed: false,
        executor_seconds: 0.0,
    })
}

/// Checks, records durably, executes where there is an executor, replies.
///
/// # Errors
/// [`ServiceError::InvalidPayload`] and [`ServiceError::NotExecuted`] (both are on record too), idempotency conflicts, or a
/// full or broken journal.
pub async fn submit(
    live: &Arc<Live>,
    parts: &Arc<Parts>,
    client: Option<&ClientId>,
    body: &Body<'_>,
    idempotency_key: Option<&str>,
) -> Result<SubmitReply, ServiceError> {
    let sent = body.sent()?;
    let (held, used) = match idempotency_key {
        None => (None, None),
        Some(key) => match idempotency::begin(live, parts, client, key, body.kept(), Some(&sent.said))? {
            Begun::New(held, used) => (Some(held), Some(used)),
            Begun::Answered(outcome) => return *outcome,
            Begun::Unexecuted(_held, _executing, job) => {
                drop(parts.writes.pass()?);
                return execution::execute(live, parts, *job).await;
            }
        },
    };
    // Before anything is said of the payload: it will not be on record, whatever is in it.
    drop(parts.writes.pass()?);
    let prepared = prepare(live, parts, client, &sent, used)?;
    let answer = parts.append(&live.journal, prepared.drafts.clone(), None)?;
    let (appended, held) = match held {
        Some(held) if prepared.executes => {
            // Whoever asked may break off, and give the submission up: then its key says until when it is on its way.
            let live = Arc::clone(live);
            let recording = tokio::spawn(async move {
                let appended = answer.await.map_err(|_gone| JournalFault::Closed)??;
                live.wait_applied(appended.first_seq).await;
                Ok::<_, JournalFault>((appended, Some(held)))
            });
            recording.await.map_err(|_gone| JournalFault::Closed)??
        }
        held => (answer.await.map_err(|_gone| JournalFault::Closed)??, held),
    };
    finish(live, parts, client, prepared, appended.first_seq, held).await
}

/// Whether the revision that a client says it holds may be one of this scenario.
///
/// # Errors
/// [`ServiceError::BadRequest`] for one that lies in the future.
pub fn check_revision(live: &Live, held: Option<u64>) -> Result<(), ServiceError> {
    if held.is_none_or(|held| live.has_applied(held)) {
        return Ok(());
    }
    let what =
        "`revision` lies in the future: no template of this scenario has it; fetch the template, and send its revision";
    Err(ServiceError::BadRequest(what.to_owned()))
}

fn check(live: &Live, view: &View, client: Option<&ClientId>, sent: &Sent<'_>) -> Result<Checked, ServiceError> {
    let envelope = sent.kept();
    let schema_id = SchemaId::parse(&envelope.schema_id)
        .ok_or_else(|| ServiceError::UnknownSchema(envelope.schema_id.clone().into_owned()))?;
    let base = view
        .bases
        .get(&schema_id)
        .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_string()))?;
    if base.retired {
        return Err(ServiceError::SchemaRetired(schema_id.to_string()));
    }
    check_revision(live, envelope.revision)?;
    let compiled = match (envelope.pinned, envelope.revision) {
        (false, _) => view.compiled(&schema_id, client),
        (true, Some(revision)) if view.existed(&schema_id, revision) => view.pinned(&schema_id, client, revision),
        (true, Some(_)) => {
            let what = "`schema_id` was published after `revision`, which it is pinned to: fetch the template, and pin its revision";
            return Err(ServiceError::BadRequest(what.to_owned()));
        }
        (true, None) => {
            let what = "`pinned` goes with `revision`, the one that the payload was made by";
            return Err(ServiceError::BadRequest(what.to_owned()));
        }
    };
    let compiled = compiled.ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_string()))?;
    let judged = |envelope: &Envelope<'_>| judge(live, client, &compiled.validator, envelope);
    let mut verdict = judged(&sent.said)?;
    let shown = match &sent.clean {
        None => None,
        Some(clean) => {
            // The name of an unknown key may be a secret: what is said of it, and learned, is said of one without.
            let clean = judged(clean)?;
            let is_of_name = |violation: &Violation| violation.code == ViolationCode::UnknownKey;
            verdict.violations.retain(|violation| !is_of_name(violation));
            verdict
                .violations
                .extend(clean.violations.into_iter().filter(is_of_name));
            verdict.warnings = clean.warnings;
            verdict.other = clean.other;
            verdict.unknown = clean.unknown;
            clean.normalised
        }
    };
    let unknown = unknown_members(&envelope.unknown, envelope.unknown_beyond);
    verdict.warnings.extend(unknown);
    verdict.unknown = without_secrets(&compiled.validator, verdict.unknown);
    let (fragments, deferred) = submission::fragments_of(&verdict, &view.policy.pool);
    if deferred {
        verdict.warnings.push(Warning {
            key: OTHER.to_owned(),
            code: "other_deferred",
            message: "other holds more demands than are taken from one submission; the first ones were".to_owned(),
        });
    }
    if fragments.iter().any(|fragment| !reading::is_readable(fragment)) {
        verdict.warnings.push(Warning {
            key: OTHER.to_owned(),
            code: "other_unread",
            message: format!(
                "a sentence of more than {} characters is on record and not read; say each wish in one of its own",
                reading::READ_CHARS_MAX
            ),
        });
    }
    let missed = envelope.revision.and_then(|held| view.missed(&schema_id, client, held));
    Ok(Checked {
        schema_id,
        revision: compiled.effective.revision,
        verdict,
        shown,
        fragments,
        missed,
    })
}

/// What is said of members that nothing here has; `beyond` is how many more there are.
pub fn unknown_members(names: &[String], beyond: usize) -> Vec<Warning> {
    let warning = |key: &str, message: String| Warning {
        key: key.to_owned(),
        code: "unknown_member",
        message,
    };
    let named = names.iter().map(|name| {
        let message =
            format!("`{name}` is no member here: it is passed over. What belongs to the payload stands in `payload`");
        warning(name, message)
    });
    let more = (beyond > 0).then(|| warning("", format!("{beyond} more members that are none")));
    named.chain(more).collect()
}

/// Holds a payload against a template.
fn judge(
    live: &Live,
    client: Option<&ClientId>,
    validator: &Validator,
    envelope: &Envelope<'_>,
) -> Result<Verdict, ServiceError> {
    let received = |patch: &PatchId| {
        let state = live.state();
        let ledger = state.ledger.keys.get(patch);
        client.is_some_and(|client| ledger.is_some_and(|ledger| ledger.is_known_to(client)))
    };
    validator
        .check(envelope.payload.get(), &received, true)
        .map_err(|what| ServiceError::BadRequest(format!("payload: {what}")))
}

/// What is to be executed of a submission that comes again, by the template that judged it first; `None` where that cannot be told.
pub fn read_again(
    live: &Live,
    client: Option<&ClientId>,
    said: &Envelope<'_>,
    revision: u64,
) -> Option<Map<String, Value>> {
    let schema_id = SchemaId::parse(&said.schema_id)?;
    let compiled = live.view.load().pinned(&schema_id, client, revision)?;
    let verdict = judge(live, client, &compiled.validator, said).ok()?;
    verdict.normalised.filter(|_| verdict.violations.is_empty())
}

/// What is asked for by keys that the template does not have, without secrets: a key of which nothing is known but that it was
/// one asks for nothing, nor does one that was meant to be a secret of the template's own; to learn it would be to ask others
/// for theirs.
fn without_secrets(validator: &Validator, unknown: Vec<(String, String)>) -> Vec<(String, String)> {
    let secret = |name: &str| secret::is_named(name) || validator.meant_by(name).is_some_and(secret::is_named);
    let asked = unknown
        .into_iter()
        .filter(|(name, value)| value != MARK && !secret(name));
    asked
        .map(|(name, value)| match secret::scrubbed_words(&value) {
            Some(scrubbed) => (name, scrubbed),
            None => (name, value),
        })
        .collect()
}

/// Checks a submission and makes of it what is appended.
///
/// # Errors
/// Why it cannot be checked at all; a payload that does not fit is prepared like one that does.
pub fn prepare(
    live: &Live,
    parts: &Parts,
    client: Option<&ClientId>,
    sent: &Sent<'_>,
    used: Option<Idempotency>,
) -> Result<Prepared, ServiceError> {
    let envelope = sent.kept();
    let view = live.view.load_full();
    let checked = check(live, &view, client, sent)?;
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
    // Who pins a revision does not want what is new.
    let suggestion = if accepts && !envelope.pinned {
        suggestion(live, &view, client, envelope.revision)
    } else {
        None
    };
    let suggested = suggestion
        .as_ref()
        .and_then(|suggestion| suggestion["revision"].as_u64());
    let executes = accepts && parts.executor.is_some() && executor_of(&view, &checked.schema_id).is_some();
    let stored = (used.is_some() || executes).then(|| {
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
    let cohort = view.policy.cohorts.addressee(client).cohort.cloned();
    let as_said = if executes { as_said(&checked)? } else { Vec::new() };
    let now = parts.clock.now();
    let mut drafts = sealed::drafts(now, sealed, |continued| {
        Event::Submitted(Submitted {
            client: client.cloned(),
            schema_id: checked.schema_id.clone(),
            revision: checked.revision,
            accepted: accepts,
            with_other: !checked.verdict.other.is_empty(),
            fragments: u32::try_from(checked.fragments.len()).unwrap_or(u32::MAX),
            observed: checked.verdict.observed.clone(),
            idempotency: used.clone(),
            cohort,
            continued,
            suggested,
            executes,
            requested: false,
            as_said: u32::try_from(as_said.len()).unwrap_or(u32::MAX),
        })
    });
    drafts.extend(as_said.into_iter().map(|piece| sealed::continued(now, piece)));
    Ok(Prepared {
        drafts,
        checked,
        suggestion,
        used,
        executes,
    })
}

/// What is to be executed as it was said, in pieces for records of their own; nothing where it is what is kept anyway.
fn as_said(checked: &Checked) -> Result<Vec<Vec<u8>>, ServiceError> {
    let said = checked.verdict.normalised.as_ref();
    let Some(payload) = said.filter(|said| checked.shown.as_ref().is_some_and(|shown| shown != *said)) else {
        return Ok(Vec::new());
    };
    let bytes = serde_json::to_vec(&AsSaid {
        payload: payload.clone(),
    });
    let bytes = bytes.map_err(|error| ServiceError::Fault(error.to_string()))?;
    Ok(sealed::pieces(bytes))
}

/// What comes after a submission is on record at `seq`: its execution, and the reply.
///
/// # Errors
/// [`ServiceError::InvalidPayload`], [`ServiceError::NotExecuted`].
pub async fn finish(
    live: &Arc<Live>,
    parts: &Arc<Parts>,
    client: Option<&ClientId>,
    prepared: Prepared,
    seq: u64,
    held: Option<InFlight>,
) -> Result<SubmitReply, ServiceError> {
    let Prepared {
        drafts: _,
        checked,
        suggestion,
        used,
        executes,
    } = prepared;
    let id = submission_id(live, seq);
    if executes {
        let job = Job {
            seq,
            client: client.cloned(),
            schema_id: checked.schema_id.clone(),
            revision: checked.revision,
            submission_id: id,
            used: used.map(|used| (used.scope, used.key)),
            pending: accepted(None, &checked, suggestion.as_ref()),
            payload: checked.verdict.normalised.clone(),
            tried: false,
        };
        let outcome = execution::execute(live, parts, job).await;
        // The key is free again once the outcome is known to the state.
        drop(held);
        return outcome;
    }
    if let Some(held) = held {
        held.recorded();
    }
    if used.is_some() {
        live.wait_applied(seq).await;
    }
    if !checked.verdict.accepted() {
        return Err(refusal(Some(id), checked));
    }
    let body = accepted(Some(&id), &checked, suggestion.as_ref());
    Ok(SubmitReply {
        body: body.to_string(),
        submission_id: Some(id),
        replayed: false,
        executor_seconds: 0.0,
    })
}

fn executor_of<'a>(view: &'a View, schema_id: &SchemaId) -> Option<&'a ExecutorSpec> {
    view.bases.get(schema_id)?.executor.as_ref()
}

/// Whether a submission by this schema would be executed.
pub fn executes(live: &Live, parts: &Parts, schema_id: &SchemaId) -> bool {
    parts.executor.is_some() && executor_of(&live.view.load(), schema_id).is_some()
}

/// What is new to the client, while it has neither fetched nor used it, and not more often than the policy says.
pub fn suggestion(live: &Live, view: &View, client: Option<&ClientId>, stated: Option<u64>) -> Option<Value> {
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
    reply.insert("payload".to_owned(), Value::Object(checked.shown()));
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
        if !checked.verdict.kept_out.is_empty() {
            exchange.insert("kept_out".to_owned(), json!(checked.verdict.kept_out));
        }
    }
    exchange.insert("warnings".to_owned(), json!(checked.verdict.warnings));
    if let Some(missed) = &checked.missed {
        exchange.insert("template_change".to_owned(), (**missed).clone());
    }
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
        missed: checked.missed,
    }
}

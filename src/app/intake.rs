//! The way in of a submission and of an extension request (Z-022): template in force, check, record, execute where there is an executor,
//! reply.
//!
//! Lacks the call itself, which is [`execution`]'s. What is asked for by an extension request goes where `other` goes, with more weight.
//! Invariant: nothing is executed, and no one is answered, before it is on disk.

use std::sync::Arc;

use serde_json::json;
use serde_json::value::to_raw_value;

use crate::api::submissions::Accepted;
use crate::api::submissions::Exchange;
use crate::api::submissions::ExchangeStatus;
use crate::api::submissions::ExtensionReply;
use crate::api::submissions::Refused;
use crate::api::submissions::SchemaStatus;
use crate::api::submissions::Wish;
use crate::api::submissions::WishFate;
use crate::api::templates::Suggestion;
use crate::app::dependencies::Dependencies;
use crate::app::error::RefusedPayload;
use crate::app::error::ServiceError;
use crate::app::execution;
use crate::app::execution::Job;
use crate::app::handle::InFlight;
use crate::app::handle::ScenarioHandle;
use crate::app::idempotency;
use crate::app::idempotency::Begun;
use crate::app::reply::SubmitReply;
use crate::app::sealed;
use crate::app::secrets::Sent;
use crate::app::validation;
use crate::app::validation::Checked;
use crate::app::validation::check;
use crate::app::view::ScenarioView;
use engine::pool::analysis::NoDemand;
use engine::scenario::digest;
use engine::scenario::digest::Read;
use engine::scenario::event::Event;
use engine::scenario::submission;
use engine::scenario::submission::AsSaid;
use engine::scenario::submission::Idempotency;
use engine::scenario::submission::SealedDraft;
use engine::scenario::submission::Submitted;
use schema::exchange::extension::ExtensionRequest;
use schema::executor::ExecutorSpec;
use schema::name::ClientId;
use schema::name::OTHER;
use schema::name::SchemaId;
use store::journal::Draft;
use text::secrets::words::scrubbed_words;

/// A submission that is ready to be appended.
pub struct Prepared {
    /// What goes into the journal, one record after another.
    pub drafts: Vec<Draft>,
    checked: Checked,
    suggestion: Option<Suggestion>,
    used: Option<Idempotency>,
    executes: bool,
}

impl Prepared {
    /// Whether an executor will be called.
    pub fn executes(&self) -> bool {
        self.executes
    }
}

/// Checks without recording anything.
///
/// # Errors
/// [`ServiceError::InvalidPayload`] with everything that is wrong, or why there is no check.
pub fn validate(
    handle: &ScenarioHandle,
    client: Option<&ClientId>,
    sent: &Sent<'_>,
) -> Result<SubmitReply, ServiceError> {
    let view = handle.view.load();
    let checked = check(handle, &view, client, sent)?;
    if !checked.verdict.accepted() {
        return Err(refusal(None, checked));
    }
    let schema = checked.schema;
    SubmitReply::new(None, &accepted(None, checked, None), schema)
}

/// Checks a submission and makes of it what is appended.
///
/// # Errors
/// Why it cannot be checked at all; a payload that does not fit is prepared like one that does.
pub fn prepare(
    handle: &ScenarioHandle,
    deps: &Dependencies,
    client: Option<&ClientId>,
    sent: &Sent<'_>,
    used: Option<Idempotency>,
) -> Result<Prepared, ServiceError> {
    let envelope = sent.kept();
    let view = handle.view.load_full();
    let checked = check(handle, &view, client, sent)?;
    for warning in checked
        .verdict
        .warnings
        .iter()
        .filter(|warning| warning.code == "withdrawn_key")
    {
        // Z-153. The key's name is the template's own.
        tracing::warn!(scenario = %handle.key, key = warning.key, "a withdrawn key was received");
    }
    let accepts = checked.verdict.accepted();
    // Who pins a revision does not want what is new.
    let suggestion = if accepts && !envelope.pinned {
        suggestion(handle, &view, client, &checked.schema_id, envelope.revision)
    } else {
        None
    };
    let suggested = suggestion.as_ref().map(|suggestion| suggestion.revision);
    let executes = accepts && deps.executor.is_some() && executor_of(&view, &checked.schema_id).is_some();
    let stored = (used.is_some() || executes).then(|| {
        if accepts {
            json!(accepted(None, checked.clone(), suggestion.clone()))
        } else {
            json!(Refused {
                violations: &checked.verdict.violations,
                exchange: exchange(None, &mut checked.clone(), ExchangeStatus::Refused),
            })
        }
    });
    let sealed = serde_json::to_vec(&SealedDraft {
        payload: envelope.payload,
        utterance: envelope.utterance.as_deref(),
        fragments: &checked.fragments,
        reply: stored.as_ref(),
    })?;
    let cohort = view.policy.cohorts.addressee(client).cohort.cloned();
    let as_said = if executes { as_said(&checked)? } else { Vec::new() };
    let base = view.bases.get(&checked.schema_id);
    let filled = base.map(|base| submission::filled(&base.template, &checked.verdict));
    let now = deps.clock.now();
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
            filled,
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
    Ok(sealed::pieces(bytes?))
}

/// What comes after a submission is on record at `seq`: its execution, and the reply.
pub async fn finish(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
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
    let id = handle.submission_id(seq);
    if executes {
        let job = Job {
            seq,
            client: client.cloned(),
            schema_id: checked.schema_id.clone(),
            revision: checked.revision,
            submission_id: id,
            used: used.map(|used| (used.scope, used.key)),
            tried: false,
            schema: checked.schema,
            payload: checked.verdict.normalised.clone(),
            pending: json!(accepted(None, checked, suggestion)),
        };
        let outcome = execution::execute(handle, deps, job).await;
        // The key is free again once the outcome is known to the state.
        drop(held);
        return outcome;
    }
    if let Some(held) = held {
        held.recorded();
    }
    if used.is_some() {
        handle.wait_applied(seq).await;
    }
    if !checked.verdict.accepted() {
        return Err(refusal(Some(id), checked));
    }
    let schema = checked.schema;
    let accepted = accepted(Some(id.clone()), checked, suggestion);
    SubmitReply::new(Some(id), &accepted, schema)
}

fn executor_of<'a>(view: &'a ScenarioView, schema_id: &SchemaId) -> Option<&'a ExecutorSpec> {
    view.bases.get(schema_id)?.executor.as_ref()
}

/// Whether a submission by this schema would be executed.
pub fn executes(handle: &ScenarioHandle, deps: &Dependencies, schema_id: &SchemaId) -> bool {
    deps.executor.is_some() && executor_of(&handle.view.load(), schema_id).is_some()
}

/// What is new to the client, while it has neither fetched nor used it, and not more often than the policy says. That the schema by which
/// it submits is another one than it was given is said once.
pub fn suggestion(
    handle: &ScenarioHandle,
    view: &ScenarioView,
    client: Option<&ClientId>,
    schema_id: &SchemaId,
    stated: Option<u64>,
) -> Option<Suggestion> {
    let in_force = view.in_force.as_ref()?;
    let patched = view.patch_revision(in_force, client);
    // Who submits by an older schema has chosen it.
    let came = if schema_id == in_force { view.came(in_force) } else { 0 };
    let latest = patched.max(came);
    if latest == 0 || stated.is_some_and(|stated| stated >= latest) {
        return None;
    }
    let mut counted = None;
    let since = match client {
        Some(client) => {
            let known = handle.state().acquaintances.get(client).copied().unwrap_or_default();
            let times_max = match patched > known.revision {
                true => view.policy.evolution.suggestions_max,
                false => 1,
            };
            if known.revision >= latest {
                return None;
            }
            counted = Some((client, times_max));
            known.revision.max(stated.unwrap_or_default())
        }
        None => stated?,
    };
    let mut new = view.since(in_force, client, since);
    new.revision = latest;
    if came > since {
        view.add_other_keys(&mut new, in_force, client, since);
    }
    let has_keys = !(new.new_keys.is_empty() && new.modified_keys.is_empty() && new.withdrawn_keys.is_empty());
    let is_new = has_keys || !new.patches.is_empty();
    let may = is_new && counted.is_none_or(|(client, max)| handle.count_suggestion(client, latest, max));
    may.then(|| {
        handle.note_served(latest);
        new
    })
}

fn accepted(id: Option<String>, mut checked: Checked, suggestion: Option<Suggestion>) -> Accepted {
    let verdict = &mut checked.verdict;
    let (defaults, kept_out) = (
        std::mem::take(&mut verdict.defaults_applied),
        std::mem::take(&mut verdict.kept_out),
    );
    let shown = checked.shown.take().or_else(|| verdict.normalised.take());
    Accepted {
        payload: shown.unwrap_or_default(),
        exchange: Exchange {
            defaults_applied: Some(defaults),
            kept_out,
            ..exchange(id, &mut checked, ExchangeStatus::Accepted)
        },
        schema_update_suggestion: suggestion,
    }
}

/// What is said of a submission beside its payload; takes what is missed and the warnings.
fn exchange(id: Option<String>, checked: &mut Checked, status: ExchangeStatus) -> Exchange {
    Exchange {
        submission_id: id,
        warnings: Some(std::mem::take(&mut checked.verdict.warnings)),
        template_change: checked.missed.take(),
        ..Exchange::new(checked.schema_id.as_str(), checked.revision, status).of_schema(checked.schema)
    }
}

fn refusal(id: Option<String>, mut checked: Checked) -> ServiceError {
    ServiceError::InvalidPayload(Box::new(RefusedPayload {
        exchange: json!(exchange(id, &mut checked, ExchangeStatus::Refused)),
        violations: json!(checked.verdict.violations),
        replayed: false,
        schema: checked.schema,
    }))
}

/// Reads, records durably, replies with an [`ExtensionReply`].
///
/// # Errors
/// [`ServiceError::BadRequest`] for a body that is none, idempotency conflicts, or a full or
/// broken journal.
pub async fn request_extension(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    client: Option<&ClientId>,
    body: &str,
    idempotency_key: Option<&str>,
) -> Result<SubmitReply, ServiceError> {
    let (held, used) = match idempotency::begin(handle, deps, client, idempotency_key, body, None)? {
        Begun::New(held, used) => (held, used),
        Begun::Answered(outcome) => return *outcome,
        Begun::Unexecuted(..) => return Err(ServiceError::IdempotencyMismatch),
    };
    drop(deps.write_gate.pass()?);
    let view = handle.view.load_full();
    let mut asked =
        ExtensionRequest::parse(body, view.limits()).map_err(|fault| ServiceError::BadRequest(fault.to_string()))?;
    for wish in &mut asked.wishes {
        // Before anything is kept of it.
        if let Some(scrubbed) = scrubbed_words(wish) {
            *wish = scrubbed;
        }
    }
    validation::check_revision(handle, asked.revision)?;
    let found = view.in_force.clone().and_then(|schema_id| {
        let compiled = view.compiled(&schema_id, client)?;
        Some((schema_id, compiled))
    });
    let (schema_id, compiled) = found.ok_or_else(|| ServiceError::UnknownScenario(handle.key.to_string()))?;
    let (fragments, deferred) = submission::fragments_in(&asked.wishes, &view.policy.pool);
    let read = digest::read(&fragments, &compiled.effective);
    let suggestion = suggestion(handle, &view, client, &schema_id, asked.revision);
    let revision = compiled.effective.revision;
    let mut exchange = Exchange::new(schema_id.as_str(), revision, ExchangeStatus::Recorded);
    if !asked.unknown.is_empty() {
        exchange.warnings = Some(validation::unknown_members(&asked.unknown, 0));
    }
    let suggested = suggestion.as_ref().map(|suggestion| suggestion.revision);
    let mut reply = ExtensionReply {
        wishes: fragments
            .iter()
            .zip(&read)
            .map(|(text, read)| wish(text, read))
            .collect(),
        exchange,
        deferred,
        schema_update_suggestion: suggestion,
    };
    let stored = used.as_ref().map(|_| json!(reply));
    let payload = to_raw_value(&json!({ OTHER: asked.wishes }))?;
    let sealed = serde_json::to_vec(&SealedDraft {
        payload: &payload,
        utterance: None,
        fragments: &fragments,
        reply: stored.as_ref(),
    })?;
    let has_key = used.is_some();
    let cohort = view.policy.cohorts.addressee(client).cohort.cloned();
    let drafts = sealed::drafts(deps.clock.now(), sealed, |continued| {
        Event::Submitted(Submitted {
            client: client.cloned(),
            schema_id,
            revision,
            accepted: true,
            with_other: true,
            fragments: u32::try_from(fragments.len()).unwrap_or(u32::MAX),
            observed: Vec::new(),
            idempotency: used,
            cohort,
            continued,
            suggested,
            executes: false,
            requested: true,
            as_said: 0,
            filled: None,
        })
    });
    let appended = deps.record(&handle.journal, drafts).await?;
    if let Some(held) = held {
        held.recorded();
    }
    if has_key {
        handle.wait_applied(appended.first_seq).await;
    }
    let id = handle.submission_id(appended.first_seq);
    reply.exchange.submission_id = Some(id.clone());
    SubmitReply::new(Some(id), &reply, SchemaStatus::default())
}

/// What becomes of one wish.
fn wish(text: &str, read: &Read) -> Wish {
    let (fate, key_name) = match read {
        Read::Demand(_) => (WishFate::Pooled, None),
        Read::Covered(key) => (WishFate::Covered, Some(key.clone())),
        Read::NoDemand(NoDemand::Unread) => (WishFate::Captured, None),
        Read::NoDemand(_) => (WishFate::NoDemand, None),
    };
    Wish {
        text: text.to_owned(),
        fate,
        key_name,
    }
}

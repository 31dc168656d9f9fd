//! An extension request's way in (Z-022): its wishes read, on record, answered with what becomes of each.
//!
//! What it asks for goes where `other` goes, with more weight. Invariant: no one is answered before the request is on disk.

use std::sync::Arc;

use serde_json::json;
use serde_json::value::to_raw_value;

use crate::api::submissions::Exchange;
use crate::api::submissions::ExchangeStatus;
use crate::api::submissions::ExtensionReply;
use crate::api::submissions::Wish;
use crate::api::submissions::WishFate;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::idempotency;
use crate::app::idempotency::Begun;
use crate::app::intake;
use crate::app::reply::SubmitReply;
use crate::app::sealed;
use crate::app::validation;
use engine::pool::analysis::NoDemand;
use engine::scenario::digest;
use engine::scenario::digest::Read;
use engine::scenario::event::Event;
use engine::scenario::submission;
use engine::scenario::submission::SealedDraft;
use engine::scenario::submission::Submitted;
use schema::exchange::extension::ExtensionRequest;
use schema::name::ClientId;
use schema::name::OTHER;
use store::journal::JournalFault;
use text::secrets::words::scrubbed_words;

/// Reads, records durably, replies with an [`ExtensionReply`].
///
/// # Errors
/// [`ServiceError::BadRequest`] for a body that is none, idempotency conflicts, or a full or
/// broken journal.
pub async fn request(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    client: Option<&ClientId>,
    body: &str,
    idempotency_key: Option<&str>,
) -> Result<SubmitReply, ServiceError> {
    let (held, used) = match idempotency_key {
        None => (None, None),
        Some(key) => match idempotency::begin(handle, deps, client, key, body, None)? {
            Begun::New(held, used) => (Some(held), Some(used)),
            Begun::Answered(outcome) => return *outcome,
            Begun::Unexecuted(..) => return Err(ServiceError::IdempotencyMismatch),
        },
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
    let suggestion = intake::suggestion(handle, &view, client, asked.revision);
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
    let payload =
        to_raw_value(&json!({ OTHER: asked.wishes })).map_err(|error| ServiceError::Fault(error.to_string()))?;
    let sealed = serde_json::to_vec(&SealedDraft {
        payload: &payload,
        utterance: None,
        fragments: &fragments,
        reply: stored.as_ref(),
    })
    .map_err(|error| ServiceError::Fault(error.to_string()))?;
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
        })
    });
    let answer = deps.append(&handle.journal, drafts, None)?;
    let appended = answer.await.map_err(|_gone| JournalFault::Closed)??;
    if let Some(held) = held {
        held.recorded();
    }
    if has_key {
        handle.wait_applied(appended.first_seq).await;
    }
    let id = handle.submission_id(appended.first_seq);
    reply.exchange.submission_id = Some(id.clone());
    SubmitReply::new(Some(id), &reply)
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

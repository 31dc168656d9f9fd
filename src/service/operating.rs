//! The operator's hand: on one patch, on one scenario, on the service.
//!
//! Decides nothing: what a hand may do is decided in the domain. Each is on record with who, when and why.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::service::approving;
use crate::service::caller::Caller;
use crate::service::error::ServiceError;
use crate::service::hosting::Hosting;
use crate::service::live::Live;
use crate::service::live::Request;
use context::message::secret;
use engine::evolution::hand;
use engine::evolution::hand::BECAUSE_CHARS_MAX;
use engine::evolution::hand::Hand;
use engine::evolution::hand::Order;
use engine::evolution::hand::Scope;
use engine::namespace::NamespaceEvent;
use engine::namespace::WritesClosed;
use engine::pool::redact;
use engine::scenario::command::Command;
use engine::scenario::state::Frozen;
use schema::name::PatchId;
use store::journal::JournalFault;

/// What a person wants with a patch, as they said it.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub hand: Hand,
    pub reason: Option<String>,
    /// What is approved instead of what was proposed.
    pub edit: Option<Value>,
    /// What a rejection is about.
    pub scope: Scope,
    /// Revisions that the person had before them, where they said so.
    pub seen: Option<Vec<u64>>,
    /// Whether only to say what would come of it.
    pub dry_run: bool,
}

/// Does what a person wants with a patch: the patch as it stands afterwards, or what an edit came to.
///
/// # Errors
/// [`ServiceError::UnknownPatch`], [`ServiceError::PatchMoved`], [`ServiceError::StageForbids`], [`ServiceError::UnfitKey`],
/// [`ServiceError::NameTaken`], [`ServiceError::BadRequest`] for a reason that is too long or an edit of another form,
/// [`ServiceError::ReadOnly`], or a fault.
pub async fn operate(
    hosting: &Hosting,
    live: &Arc<Live>,
    caller: &Caller,
    patch_id: PatchId,
    wanted: Wanted,
) -> Result<Value, ServiceError> {
    let mut order = Order::of(wanted.hand, caller.by(), because(wanted.reason.as_deref())?);
    order.scope = wanted.scope;
    order.seen = wanted.seen;
    if wanted.edit.is_some() || wanted.dry_run {
        return approving::approve(hosting, live, patch_id, order, wanted.edit.as_ref(), wanted.dry_run).await;
    }
    carry_out(hosting, live, &patch_id, order).await?;
    let state = live.state();
    let patch = state
        .patch(&patch_id)
        .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
    Ok(patch.document())
}

/// Puts an order on record, if anything may be written.
///
/// # Errors
/// What the rules say, [`ServiceError::ReadOnly`], or a fault.
pub async fn carry_out(hosting: &Hosting, live: &Live, patch_id: &PatchId, order: Order) -> Result<(), ServiceError> {
    drop(hosting.parts.writes.pass()?);
    let patch_id = patch_id.clone();
    live.command(Command::Operate { patch_id, order }).await.map(drop)
}

/// Stops evolution of a scenario, or lets it go on: `{"scenario", "frozen": frozen | null}`. What is so already stays so.
///
/// # Errors
/// [`ServiceError::BadRequest`] for a reason that is too long, [`ServiceError::ReadOnly`], or a fault.
pub async fn freeze(
    hosting: &Hosting,
    live: &Live,
    caller: &Caller,
    stop: bool,
    reason: Option<&str>,
) -> Result<Value, ServiceError> {
    let (by, reason) = (caller.by(), because(reason)?);
    drop(hosting.parts.writes.pass()?);
    let command = if stop {
        Command::Freeze { by, reason }
    } else {
        Command::Thaw { by, reason }
    };
    live.command(command).await?;
    let state = live.state();
    Ok(json!({"scenario": live.key, "frozen": frozen(state.frozen.as_ref())}))
}

/// `{"since", "by", "reason"}`, or null.
pub fn frozen(frozen: Option<&Frozen>) -> Value {
    match frozen {
        Some(Frozen { since, by, reason }) => json!({"since": since.rfc3339(), "by": by, "reason": reason}),
        None => Value::Null,
    }
}

/// Closes the service for writing, or opens it: as [`standing`] says afterwards. What is so already stays so.
///
/// # Errors
/// [`ServiceError::ReadOnlyBySetting`] when it is to be opened and the settings say otherwise,
/// [`ServiceError::BadRequest`] for a reason that is too long, or what the journal says: then it is as it was.
pub async fn set_read_only(
    hosting: &Hosting,
    caller: &Caller,
    close: bool,
    reason: Option<&str>,
) -> Result<Value, ServiceError> {
    let (by, reason) = (caller.by(), because(reason)?);
    let writes = &hosting.parts.writes;
    if writes.closed_by_setting() {
        return if close {
            Ok(standing(hosting))
        } else {
            Err(ServiceError::ReadOnlyBySetting)
        };
    }
    let mut namespace = hosting.namespace.lock().await;
    let at = hosting.parts.clock.now();
    if close && namespace.writes_closed.is_none() {
        // Closed first: whatever passed before lies before the record of it, so that nothing comes after the answer.
        writes.close(WritesClosed {
            since: at,
            by: by.clone(),
            reason: reason.clone(),
        });
        let event = NamespaceEvent::WritesClosed { at, by, reason };
        if let Err(error) = hosting.record_switch(&mut namespace, &event).await {
            writes.open();
            return Err(error);
        }
        administered!(warn, Some(&caller.by()), "read-only");
    } else if !close && namespace.writes_closed.is_some() {
        let event = NamespaceEvent::WritesOpened { at, by, reason };
        hosting.record_switch(&mut namespace, &event).await?;
        writes.open();
        administered!(warn, Some(&caller.by()), "read-write");
        for live in hosting.catalogue.load().scenarios.values() {
            let (reply, _nobody) = tokio::sync::oneshot::channel();
            let _ = live.requests.try_send(Request::Tick(reply));
        }
    }
    Ok(standing(hosting))
}

/// Whether the service writes: `{"writes": "open" | "read_only" | "disk_full" | "stalled" | "broken", "by_setting", "since"?, "by"?,
/// "reason"?, "free_bytes"?}`.
pub fn standing(hosting: &Hosting) -> Value {
    let writes = &hosting.parts.writes;
    let mut document = json!({
        "writes": writing(hosting),
        "by_setting": writes.closed_by_setting(),
    });
    if let (Some(WritesClosed { since, by, reason }), Some(members)) = (writes.closed(), document.as_object_mut()) {
        members.insert("since".to_owned(), json!(since.rfc3339()));
        members.insert("by".to_owned(), json!(by));
        members.insert("reason".to_owned(), json!(reason));
    }
    if let (Some(free), Some(members)) = (hosting.parts.journal.free_bytes(), document.as_object_mut()) {
        members.insert("free_bytes".to_owned(), json!(free));
    }
    document
}

/// In a word, whether the service writes.
pub fn writing(hosting: &Hosting) -> &'static str {
    match hosting.parts.journal.broken() {
        Some(JournalFault::DiskFull(_)) => "disk_full",
        Some(JournalFault::Stalled { .. }) => "stalled",
        Some(_) => "broken",
        None if hosting.parts.writes.are_open() => "open",
        None => "read_only",
    }
}

/// A person's reason as it is kept and shown to others: without secrets and what is personal, like every free text (Z-171, X-02).
///
/// # Errors
/// [`ServiceError::BadRequest`] for one that is too long.
pub fn because(reason: Option<&str>) -> Result<Option<String>, ServiceError> {
    let said = reason.map(hand::because).transpose();
    let told = said.map_err(|chars| {
        ServiceError::BadRequest(format!(
            "reason has {chars} characters; it may have {BECAUSE_CHARS_MAX}"
        ))
    })?;
    Ok(told.flatten().map(|told| {
        let kept = secret::scrubbed_words(&told).unwrap_or(told);
        redact::redacted(&kept)
    }))
}

#[cfg(test)]
mod tests {
    use super::because;

    #[test]
    fn a_reason_is_kept_without_what_is_personal_and_without_secrets_z171_x02() {
        for (said, gone, stays) in [
            ("Jane called from +1 212 555 0143 about it", "0143", "called from"),
            ("write to jane.doe@example.com first", "jane.doe", "write to"),
            ("his card 4111 1111 1111 1111 was refused", "1111", "was refused"),
            ("the password is hunter2hunter2, use that", "hunter2", "the password is"),
            ("rotated sk-proj-Zx81mNq0TTyvLrB3kPdw29Qa today", "Zx81m", "rotated"),
            ("my name is Maria Lopez, and I approve", "Lopez", "I approve"),
        ] {
            let kept = because(Some(said)).expect("short").expect("something");
            assert!(!kept.contains(gone) && kept.contains(stays), "{said} -> {kept}");
        }
        for plain in [
            "audit of the third quarter",
            "the bank agreed",
            "its examples are wrong",
        ] {
            assert_eq!(because(Some(plain)).expect("short").as_deref(), Some(plain));
        }
        assert_eq!(because(Some(" ")).expect("short"), None);
        assert!(because(Some(&"x".repeat(501))).is_err());
    }
}

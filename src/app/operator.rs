//! What operators do: with a patch, with a scenario, with the service.
//!
//! Decides nothing: what an operator may do, and what becomes of an edit, is decided in the engine. Each action is on record with who, when
//! and why; a dry run writes nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use crate::api::evolution::Approved;
use crate::api::evolution::EditTried;
use crate::api::evolution::Fits;
use crate::api::evolution::Misfitting;
use crate::api::scenarios::Freezing;
use crate::api::scenarios::Frozen;
use crate::api::service::Standing;
use crate::api::service::Writes;
use crate::app::application::App;
use crate::app::background;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::effects;
use crate::app::error::ServiceError;
use crate::app::handle::Request;
use crate::app::handle::ScenarioHandle;
use crate::app::registry::ScenarioRegistry;
use engine::evolution::backtest;
use engine::evolution::backtest::Backtest;
use engine::evolution::edit::Edit;
use engine::evolution::edit::within_edit;
use engine::evolution::evidence::Tried;
use engine::evolution::operator_action;
use engine::evolution::operator_action::BECAUSE_CHARS_MAX;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::operator_action::OperatorRequest;
use engine::evolution::operator_action::Scope;
use engine::evolution::patch::Patch;
use engine::namespace::NamespaceEvent;
use engine::namespace::WritesClosed;
use engine::scenario::command::Command;
use engine::scenario::decide::operate;
use engine::scenario::decide::situation::Situation;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::rehearsal;
use engine::scenario::state::State;
use schema::advice::Finding;
use schema::key::KeyDefinition;
use schema::lint;
use schema::name::PatchId;
use store::backup::Backup;
use store::backup::CHUNK_BYTES;
use store::journal::JournalFault;
use text::redaction;
use text::secrets::words::scrubbed_words;

/// A person's reason as it is kept and shown to others: without secrets and what is personal, like every free text (Z-171, X-02).
///
/// # Errors
/// [`ServiceError::BadRequest`] for one that is too long.
pub fn because(reason: Option<&str>) -> Result<Option<String>, ServiceError> {
    let said = reason.map(operator_action::because).transpose();
    let told = said.map_err(|chars| {
        ServiceError::BadRequest(format!(
            "reason has {chars} characters; it may have {BECAUSE_CHARS_MAX}"
        ))
    })?;
    Ok(told.flatten().map(|told| {
        let kept = scrubbed_words(&told).unwrap_or(told);
        redaction::redacted(&kept)
    }))
}

impl App {
    /// Stops evolution of a scenario, or lets it go on. What is so already stays so.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadRequest`] for a reason that is too long, [`ServiceError::ReadOnly`], or a fault.
    pub async fn freeze(
        &self,
        caller: &Caller,
        scenario: &str,
        stop: bool,
        reason: Option<&str>,
    ) -> Result<Freezing, ServiceError> {
        caller.require(Permission::Operate)?;
        let registry = self.registry();
        let handle = registry.by_scenario(scenario)?;
        let (by, reason) = (caller.by(), because(reason)?);
        drop(registry.deps.write_gate.pass()?);
        let command = if stop {
            Command::Freeze { by, reason }
        } else {
            Command::Thaw { by, reason }
        };
        handle.command(command).await?;
        let state = handle.state();
        Ok(Freezing {
            scenario: handle.key.to_string(),
            frozen: state.frozen.as_ref().map(Frozen::from),
        })
    }

    /// Closes the service for writing, or opens it: as [`standing`] says afterwards. What is so already stays so.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::ReadOnlyBySetting`] when it is to be opened and the settings say otherwise,
    /// [`ServiceError::BadRequest`] for a reason that is too long, or what the journal says: then it is as it was.
    pub async fn set_read_only(
        &self,
        caller: &Caller,
        close: bool,
        reason: Option<&str>,
    ) -> Result<Standing, ServiceError> {
        caller.require(Permission::Operate)?;
        let registry = self.registry();
        let (by, reason) = (caller.by(), because(reason)?);
        let writes = &registry.deps.write_gate;
        if writes.closed_by_setting() {
            return if close {
                Ok(standing(registry))
            } else {
                Err(ServiceError::ReadOnlyBySetting)
            };
        }
        let mut namespace = registry.namespace.lock().await;
        let at = registry.deps.clock.now();
        if close && namespace.writes_closed.is_none() {
            // Closed first: whatever passed before lies before the record of it, so that nothing comes after the answer.
            writes.close(WritesClosed {
                since: at,
                by: by.clone(),
                reason: reason.clone(),
            });
            let event = NamespaceEvent::WritesClosed { at, by, reason };
            if let Err(error) = registry.record_switch(&mut namespace, &event).await {
                writes.open();
                return Err(error);
            }
            administered!(warn, Some(&caller.by()), "read-only");
        } else if !close && namespace.writes_closed.is_some() {
            let event = NamespaceEvent::WritesOpened { at, by, reason };
            registry.record_switch(&mut namespace, &event).await?;
            writes.open();
            administered!(warn, Some(&caller.by()), "read-write");
            for handle in registry.catalogue.load().scenarios.values() {
                let (reply, _nobody) = tokio::sync::oneshot::channel();
                let _ = handle.requests.try_send(Request::Tick(reply));
            }
        }
        Ok(standing(registry))
    }
}

/// Whether the service writes, and who closed it.
pub fn standing(registry: &ScenarioRegistry) -> Standing {
    let gate = &registry.deps.write_gate;
    let closed = gate.closed();
    let closed = closed.as_ref();
    Standing {
        writes: writing(registry),
        by_setting: gate.closed_by_setting(),
        since: closed.map(|closed| closed.since.rfc3339()),
        by: closed.map(|closed| closed.by.clone()),
        reason: closed.map(|closed| closed.reason.clone()),
        free_bytes: registry.deps.journal.free_bytes(),
    }
}

/// In a word, whether the service writes.
pub fn writing(registry: &ScenarioRegistry) -> Writes {
    match registry.deps.journal.broken() {
        Some(JournalFault::DiskFull(_)) => Writes::DiskFull,
        Some(JournalFault::Stalled { .. }) => Writes::Stalled,
        Some(_) => Writes::Broken,
        None if registry.deps.write_gate.are_open() => Writes::Open,
        None => Writes::ReadOnly,
    }
}

/// What a person wants with a patch, as they said it.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub hand: OperatorAction,
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

impl App {
    /// Does what a person wants with a patch: the patch as it stands afterwards, or what an edit came to.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::UnknownPatch`], [`ServiceError::PatchMoved`], [`ServiceError::StageForbids`], [`ServiceError::UnfitKey`],
    /// [`ServiceError::NameTaken`], [`ServiceError::BadRequest`] for a reason that is too long or an edit of another form,
    /// [`ServiceError::ReadOnly`], or a fault.
    pub async fn operate(&self, caller: &Caller, patch_id: &str, wanted: Wanted) -> Result<Approved, ServiceError> {
        caller.require(Permission::Operate)?;
        let registry = self.registry();
        let (handle, patch_id) = self.by_patch(caller, patch_id)?;
        let handle = &handle;
        let named = |error: ServiceError| match error {
            ServiceError::UnknownPatch(id) => self.unknown_patch(caller, &id),
            error => error,
        };
        let mut order = OperatorRequest::of(wanted.hand, caller.by(), because(wanted.reason.as_deref())?);
        order.scope = wanted.scope;
        order.seen = wanted.seen;
        if wanted.edit.is_some() || wanted.dry_run {
            let tried = approve(registry, handle, patch_id, order, wanted.edit.as_ref(), wanted.dry_run).await;
            let tried = tried.map_err(named)?;
            return Ok(Approved::AsEdited(Box::new(tried)));
        }
        carry_out(registry, handle, &patch_id, order).await.map_err(named)?;
        let state = handle.state();
        let patch = state
            .patch(&patch_id)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
        Ok(Approved::AsProposed(Box::new(patch.published())))
    }
}

/// Puts an order on record, if anything may be written.
///
/// # Errors
/// What the rules say, [`ServiceError::ReadOnly`], or a fault.
async fn carry_out(
    registry: &ScenarioRegistry,
    handle: &ScenarioHandle,
    patch_id: &PatchId,
    order: OperatorRequest,
) -> Result<(), ServiceError> {
    drop(registry.deps.write_gate.pass()?);
    let patch_id = patch_id.clone();
    handle.command(Command::Operate { patch_id, order }).await.map(drop)
}

/// The patch as it is then, or would be served, with what a publisher would be told of it and how it would have fared.
async fn approve(
    registry: &ScenarioRegistry,
    handle: &Arc<ScenarioHandle>,
    patch_id: PatchId,
    mut order: OperatorRequest,
    edited: Option<&Value>,
    dry_run: bool,
) -> Result<EditTried, ServiceError> {
    if let Some(edited) = edited {
        let defects = registry.deps.options.defects_of_texts(edited);
        if !defects.is_empty() {
            return Err(ServiceError::UnfitKey(defects.into_iter().map(within_edit).collect()));
        }
        order.edit = Some(Box::new(Edit::parse(edited).map_err(ServiceError::BadRequest)?));
    }
    let policy = handle.view.load().policy.clone();
    let (patch, rehearsal) = {
        let state = handle.state();
        let at = registry.deps.clock.now().max(state.at);
        let now = Situation {
            state: &state,
            at,
            policy: &policy,
        };
        operate::operate(now, &patch_id, &order)?;
        let mut patch = state.patch(&patch_id).cloned();
        if let Some(patch) = &mut patch {
            patch.change = operate::edited(now, patch, &order)?;
        }
        let patch = patch.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
        let rehearsal = rehearsal::of(&state, patch.cluster, &patch.audience, &patch.change, &policy);
        (patch, rehearsal)
    };
    let found = match rehearsal {
        None => None,
        Some(rehearsal) => {
            let (handle, deps) = (Arc::clone(handle), Arc::clone(&registry.deps));
            let read = move || effects::read_back(&handle, deps.journal.as_ref(), rehearsal);
            background::apart(read)
                .await
                .flatten()
                .map(|rehearsal| Box::new(rehearsal.found()))
        }
    };
    if !dry_run {
        if let Some(edit) = &mut order.edit {
            edit.backtest.clone_from(&found);
        }
        carry_out(registry, handle, &patch_id, order).await?;
    }
    let state = handle.state();
    let shown = match dry_run {
        true => Some(&patch),
        false => state.patch(&patch_id),
    };
    let shown = shown.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
    let key = rehearsal::definition(&state, &patch.audience, &patch.change, &policy);
    Ok(EditTried {
        patch: shown.published(),
        lint: key
            .as_ref()
            .map(|key| told(&state, &patch, key, &policy))
            .unwrap_or_default(),
        fits: key.zip(found.as_deref()).map(|(key, found)| fits(&patch, &key, found)),
        backtest: found.as_deref().map(Tried::of),
    })
}

/// What a publisher of the template would be told of the key.
fn told(state: &State, patch: &Patch, key: &KeyDefinition, policy: &Policy) -> Vec<Finding> {
    let Some(base) = state.base_in_force() else {
        return Vec::new();
    };
    let to = policy.cohorts.addressed(&patch.audience);
    let mut template = base.template.clone();
    let keys = layer::effective(state, base, to).keys.into_iter();
    template.keys = keys
        .map(|key| key.definition)
        .filter(|other| other.key_name != key.key_name)
        .chain([key.clone()])
        .collect();
    let found = lint::lint(&template, Vec::new()).findings.into_iter();
    found
        .filter(|finding| finding.key_name.as_deref() == Some(key.key_name.as_str()))
        .collect()
}

/// What was said that the key is for, and the examples of which no value of it can be read.
fn fits(patch: &Patch, key: &KeyDefinition, found: &Backtest) -> Fits {
    let wrong = patch.examples.iter().filter_map(|text| {
        let pointer = backtest::misfit(key, text)?.to_owned();
        let text = text.clone();
        Some(Misfitting { text, pointer })
    });
    Fits {
        wishes: found.asked,
        right: found.fitting,
        wrong: wrong.collect(),
    }
}

/// A backup that was begun.
pub struct Begun {
    pub backup: Backup,
    /// How long it may wait for its reader.
    pub patience: Duration,
    /// Its place among those that may run at once, held until it is dropped.
    pub place: OwnedSemaphorePermit,
}

impl App {
    /// Begins a backup of a running service. It is to be read where it may block.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Busy`] while there is another one, or a fault of the store.
    pub fn backup(&self, caller: &Caller) -> Result<Begun, ServiceError> {
        caller.require(Permission::Operate)?;
        let deps = &self.registry().deps;
        let place = Arc::clone(self.backups())
            .try_acquire_owned()
            .map_err(|_taken| ServiceError::Busy { retry_after_s: 10 })?;
        let (journal, program) = (Arc::clone(&deps.journal), env!("CARGO_PKG_VERSION"));
        let backup = Backup::begin(journal, program, deps.clock.now(), CHUNK_BYTES)?;
        administered!(info, Some(&caller.by()), "a backup begins");
        Ok(Begun {
            backup,
            patience: Duration::from_secs(deps.options.backup_stall_s),
            place,
        })
    }
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

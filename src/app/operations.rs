//! The operator's hand on a scenario and on the service.
//!
//! Decides nothing: what a hand may do is decided in the domain. Each is on record with who, when and why.

use crate::api::callers::By;
use crate::api::scenarios::Freezing;
use crate::api::scenarios::Frozen;
use crate::api::service::Standing;
use crate::api::service::Writes;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::Request;
use crate::app::reason;
use crate::app::registry::ScenarioRegistry;
use engine::namespace::NamespaceEvent;
use engine::namespace::WritesClosed;
use engine::scenario::command::Command;
use store::journal::JournalFault;

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
        let (by, reason) = (caller.by(), reason::because(reason)?);
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
        let (by, reason) = (caller.by(), reason::because(reason)?);
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
        by: closed.map(|closed| By::from(&closed.by)),
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

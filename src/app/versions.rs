//! The versions of a scenario's schema: who published each, and when, whether it is retired, and which is in force.
//!
//! The state says what there is; who published it stands in the record of its publication alone, and is read from there.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::api::callers::By;
use crate::api::schemas::Version;
use crate::api::schemas::VersionState;
use crate::api::schemas::Versions;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::restore;
use engine::scenario::event::Event;
use engine::scenario::state::Base;
use schema::time::At;
use store::journal::Journal;

impl App {
    /// The versions of a scenario, the highest first.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], or a fault of the journal.
    pub async fn versions(&self, caller: &Caller, scenario: &str) -> Result<Versions, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let deps = Arc::clone(&self.registry().deps);
        tokio::task::spawn_blocking(move || versions(deps.journal.as_ref(), &handle)).await?
    }
}

fn versions(journal: &dyn Journal, handle: &ScenarioHandle) -> Result<Versions, ServiceError> {
    let mut known: Vec<_> = {
        let state = handle.state();
        let in_force = state.base_in_force().map(|base| base.template.schema_id.clone());
        let of = |(id, base): (&_, &Base)| {
            let version = Version {
                schema_id: base.template.schema_id.to_string(),
                version: base.template.version().to_string(),
                state: match base.retired {
                    Some(_) => VersionState::Retired,
                    None => VersionState::Published,
                },
                in_force: in_force.as_ref() == Some(id),
                published_at: None,
                published_by: None,
                retired_at: base.retired.map(At::rfc3339),
            };
            (base.template.version(), base.published, version)
        };
        state.bases.iter().map(of).collect()
    };
    known.sort_by_key(|(version, published, _)| Reverse((*version, *published)));
    let mut versions = Vec::with_capacity(known.len());
    for (_, seq, version) in known {
        // A snapshot of before it was kept does not say where the publication stands.
        let record = match seq {
            0 => None,
            seq => journal.read(&handle.journal, seq, 1)?.into_iter().next(),
        };
        let published = record
            .map(|record| restore::entry(&handle.journal, &record))
            .transpose()?;
        versions.push(match published {
            None => version,
            Some(entry) => Version {
                published_at: Some(entry.at.rfc3339()),
                published_by: match &entry.event {
                    Event::BasePublished { by, .. } => by.as_ref().map(By::from),
                    _ => None,
                },
                ..version
            },
        });
    }
    Ok(Versions { versions })
}

//! What is hosted: the list of scenarios, the versions of each, and whose it is: whoever publishes its first schema, until an operator
//! gives it to another.
//!
//! Beside its owner, operators and the service itself change what is published for a scenario; one of nobody is its next publisher's. Names
//! count where they are proved alone: where the service runs open, everybody is an operator. Who published a version stands in the record
//! of its publication alone, and is read from there. Invariant: what is already as it is asked for stays so, and is on nobody's record.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::api::scenarios::FrozenRow;
use crate::api::scenarios::Giving;
use crate::api::scenarios::Ownership;
use crate::api::scenarios::ScenarioRow;
use crate::api::scenarios::Scenarios;
use crate::api::schemas::Version;
use crate::api::schemas::VersionState;
use crate::api::schemas::Versions;
use crate::api::service::By;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::operator;
use crate::app::registry::ScenarioRegistry;
use crate::app::restore;
use engine::namespace::Namespace;
use engine::namespace::NamespaceEvent;
use engine::scenario::event::Event;
use engine::scenario::state::Base;
use schema::act::Method;
use schema::catalogue;
use schema::name::ClientId;
use schema::name::ScenarioKey;
use schema::time::At;
use store::journal::Journal;

/// The scenarios in force, or those that bear a label with this value.
pub fn listed(
    registry: &ScenarioRegistry,
    caller: &Caller,
    label: Option<(&str, &str)>,
) -> Vec<(Arc<ScenarioHandle>, ScenarioRow)> {
    let hosted = registry.catalogue.load();
    let mut listed = Vec::new();
    for handle in hosted.scenarios.values() {
        let view = handle.view.load();
        let Some(schema_id) = &view.in_force else { continue };
        let Some(compiled) = view.compiled(schema_id, caller.client.as_ref()) else {
            continue;
        };
        let base = &compiled.effective.base;
        let labels = base.unknown.get(catalogue::LABELS);
        let bears = |(name, value): (&str, &str)| labels.is_some_and(|labels| labels[name] == value);
        if !label.is_none_or(bears) {
            continue;
        }
        let version = base.version();
        let row = ScenarioRow {
            scenario: base.scenario.clone(),
            schema_id: schema_id.to_string(),
            version: format!("{}.{}.{}", version.major, version.minor, version.patch),
            revision: compiled.effective.revision,
            description: base.description.clone(),
            language: base.language.clone().unwrap_or_else(|| "en".to_owned()),
            // What an operator said of it is not for every client.
            frozen: handle
                .state()
                .frozen
                .as_ref()
                .map(|frozen| FrozenRow::new(frozen, caller.sees_all())),
            owner: base.unknown.get(catalogue::OWNER).cloned(),
            labels: labels.cloned(),
            likeness: None,
        };
        listed.push((Arc::clone(handle), row));
    }
    listed
}

impl App {
    /// What is hosted, or what of it bears a label with this value.
    pub fn scenarios(&self, caller: &Caller, label: Option<(&str, &str)>) -> Result<Scenarios, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let listed = listed(self.registry(), caller, label);
        Ok(Scenarios {
            scenarios: listed.into_iter().map(|(_, row)| row).collect(),
            ..Scenarios::default()
        })
    }

    /// The versions of a scenario, the highest first.
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

/// Whether a caller may change what is published for a scenario.
pub fn admit(namespace: &Namespace, scenario: &ScenarioKey, caller: &Caller) -> Result<(), ServiceError> {
    if caller.may(Permission::Operate) || caller.origin.method == Method::System {
        return Ok(());
    }
    namespace
        .admits(scenario, caller.proved())
        .map_err(|owner| ServiceError::ScenarioOwned {
            scenario: scenario.to_string(),
            owner,
        })
}

/// How an operator says whose a scenario is to be.
const FORM: &str = r#"the body must be {"owner": "name" or null, "reason"?: "text"}"#;

impl App {
    /// Whose a scenario is.
    pub async fn owner(&self, caller: &Caller, scenario: &str) -> Result<Ownership, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        Ok(told(&*self.registry().namespace.lock().await, &handle.key))
    }

    /// Gives a scenario to whoever has that name, or to nobody.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::BadRequest`] for a body that is something else, [`ServiceError::Forbidden`],
    /// [`ServiceError::ReadOnly`], or a fault.
    pub async fn give_scenario(&self, caller: &Caller, scenario: &str, body: &str) -> Result<Ownership, ServiceError> {
        caller.require(Permission::Operate)?;
        let registry = self.registry();
        let scenario = &registry.by_scenario(scenario)?.key;
        let Giving { owner, reason } =
            serde_json::from_str(body).map_err(|_| ServiceError::BadRequest(FORM.to_owned()))?;
        if owner.as_deref().is_some_and(|owner| ClientId::parse(owner).is_none()) {
            let what = "owner must be the name of a principal: 1 to 128 visible ASCII characters";
            return Err(ServiceError::BadRequest(what.to_owned()));
        }
        let reason = operator::because(reason.as_deref())?;
        drop(registry.deps.write_gate.pass()?);
        let mut namespace = registry.namespace.lock().await;
        if namespace.owners.get(scenario) != owner.as_ref() {
            let by = caller.by();
            administered!(info, Some(&by), %scenario, owner, "given");
            let event = NamespaceEvent::Owned {
                scenario: scenario.clone(),
                owner,
                by,
                reason,
            };
            registry.record(&mut namespace, &event).await?;
        }
        Ok(told(&namespace, scenario))
    }
}

/// Whose a scenario is.
fn told(namespace: &Namespace, scenario: &ScenarioKey) -> Ownership {
    Ownership {
        scenario: scenario.to_string(),
        owner: namespace.owners.get(scenario).cloned(),
    }
}

//! Whose a scenario is: whoever publishes its first schema, until an operator gives it to another.
//!
//! Beside its owner, operators and the service itself change what is published for it; a scenario of nobody is its next publisher's.
//! Names count where they are proved alone: where the service runs open, everybody is an operator. Invariant: what is already as it
//! is asked for stays so, and is on nobody's record.

use crate::api::scenarios::Giving;
use crate::api::scenarios::Ownership;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::reason;
use engine::namespace::Namespace;
use engine::namespace::NamespaceEvent;
use schema::act::Method;
use schema::name::ClientId;
use schema::name::ScenarioKey;

/// Whether a caller may change what is published for a scenario.
///
/// # Errors
/// [`ServiceError::ScenarioOwned`].
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
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
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
        let reason = reason::because(reason.as_deref())?;
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

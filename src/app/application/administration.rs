//! What operators, auditors and publishers ask of what was learned, and what they do about it.

use std::sync::Arc;

use serde_json::Value;

use crate::api::pool::Pool;
use crate::api::service::Standing;
use crate::api::templates::Patch;
use crate::api::templates::Patches;
use crate::api::wishes::PoolReview;
use crate::api::wishes::Taken;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::inspect;
use crate::app::operations;
use crate::app::phrases;
use crate::app::pool_review;
use crate::app::pool_review::Told;
use engine::evolution::evidence;
use engine::scenario::layer;

impl App {
    /// The pool: clusters with heat and gate, and with `words` the phrases that enough clients said.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub async fn pool(&self, caller: &Caller, scenario: &str, words: bool) -> Result<Pool, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        let policy = handle.view.load().policy.clone();
        let phrases = if words {
            let (handle, deps) = (Arc::clone(&handle), Arc::clone(&self.inner.registry.deps));
            let clients_min = policy.evolution.example_clients_min;
            let read =
                tokio::task::spawn_blocking(move || phrases::phrases(deps.journal.as_ref(), &handle, clients_min));
            Some(read.await?)
        } else {
            None
        };
        let state = handle.state();
        Ok(inspect::pool(&state, self.now(&state), &policy, phrases.as_ref()))
    }

    /// What a reader is given of the pool, see [`reviewing::material`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], and as there.
    pub async fn review_pool(&self, caller: &Caller, scenario: &str) -> Result<PoolReview, ServiceError> {
        caller.require(Permission::Audit)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        pool_review::material(&self.inner.registry.deps, &handle).await
    }

    /// Takes a reader's answer, see [`reviewing::propose`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], and as there.
    pub async fn propose_keys(&self, caller: &Caller, scenario: &str, told: Told) -> Result<Taken, ServiceError> {
        caller.require(Permission::Operate)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        pool_review::propose(&self.inner.registry.deps, &handle, caller, told).await
    }

    /// Every patch of the scenario.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn patches(&self, caller: &Caller, scenario: &str) -> Result<Patches, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        let state = handle.state();
        Ok(Patches {
            patches: state.patches.iter().map(Patch::for_operators).collect(),
        })
    }

    /// The ledger in the shape of docs/design.md §8.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn ledger(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        let policy = handle.view.load().policy.clone();
        let state = handle.state();
        let at = self.now(&state);
        Ok(inspect::ledger(&state, at, &policy))
    }

    /// One patch; a patch for another client, or one that never came into force, is unknown to clients.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPatch`], [`ServiceError::Forbidden`].
    pub fn patch(&self, caller: &Caller, patch_id: &str) -> Result<Patch, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let (handle, id) = self.by_patch(patch_id)?;
        let view = handle.view.load_full();
        let to = view.policy.cohorts.addressee(caller.client.as_ref());
        let state = handle.state();
        let patch = state
            .patch(&id)
            .filter(|patch| caller.sees_all() || (layer::concerns(patch, to) && layer::was_in_force(patch)));
        patch
            .map(|patch| match caller.sees_all() {
                true => Patch::for_operators(patch),
                false => Patch::from(patch),
            })
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }

    /// Why a patch exists and how it fared.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPatch`], [`ServiceError::Forbidden`].
    pub fn evidence(&self, caller: &Caller, patch_id: &str) -> Result<Value, ServiceError> {
        caller.require(Permission::Inspect)?;
        let (handle, id) = self.by_patch(patch_id)?;
        let window = handle.view.load().policy.evolution.window_days;
        let state = handle.state();
        let patch = state
            .patch(&id)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))?;
        let reading = state.ledger.read(&id, self.now(&state), window);
        Ok(evidence::document(patch, &reading, layer::taken_over_by(&state, patch)))
    }

    /// Notes that a backup was read to its end.
    pub fn backed_up(&self) {
        let deps = &self.inner.registry.deps;
        deps.observer.backed_up(deps.clock.now());
        tracing::info!("a backup was read to its end");
    }

    /// Whether the service writes, and who closed it.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn standing(&self, caller: &Caller) -> Result<Standing, ServiceError> {
        caller.require(Permission::Inspect)?;
        Ok(operations::standing(&self.inner.registry))
    }

    /// Whether the caller may look at drawn values and judge them.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn may_audit(&self, caller: &Caller) -> Result<(), ServiceError> {
        caller.require(Permission::Audit)
    }
}

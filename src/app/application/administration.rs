//! What operators, auditors and publishers ask of what was learned, and what they do about it.

use std::sync::Arc;

use serde_json::Value;

use crate::api::approvals::Approvals;
use crate::api::audits::Audit;
use crate::api::audits::Audits;
use crate::api::audits::Summary;
use crate::api::evolution::Approved;
use crate::api::pool::Pool;
use crate::api::scenarios::Freezing;
use crate::api::service::Standing;
use crate::api::templates::Patch;
use crate::api::templates::Patches;
use crate::api::webhooks::Deleted;
use crate::api::webhooks::Registered;
use crate::api::webhooks::Tried;
use crate::api::webhooks::Webhook;
use crate::api::webhooks::Webhooks;
use crate::api::wishes::PoolReview;
use crate::api::wishes::Taken;
use crate::app::application::App;
use crate::app::approvals;
use crate::app::audits;
use crate::app::backup;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::delivery::Delivery;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::inspect;
use crate::app::operations;
use crate::app::patch_action;
use crate::app::patch_action::Wanted;
use crate::app::phrases;
use crate::app::pool_review;
use crate::app::pool_review::Told;
use crate::app::webhooks;
use engine::evolution::evidence;
use engine::scenario::layer;
use schema::name::PatchId;

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

    /// The operator's hand; the patch as it stands afterwards, or what an edit came to.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`patch_action::operate`].
    pub async fn operate(&self, caller: &Caller, patch_id: &str, wanted: Wanted) -> Result<Approved, ServiceError> {
        caller.require(Permission::Operate)?;
        let (handle, id) = self.by_patch(patch_id)?;
        patch_action::operate(&self.inner.registry, &handle, caller, id, wanted).await
    }

    /// Stops evolution of a scenario, or lets it go on.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], and as [`operating::freeze`].
    pub async fn freeze(
        &self,
        caller: &Caller,
        scenario: &str,
        stop: bool,
        reason: Option<&str>,
    ) -> Result<Freezing, ServiceError> {
        caller.require(Permission::Operate)?;
        let handle = self.inner.registry.by_scenario(scenario)?;
        operations::freeze(&self.inner.registry, &handle, caller, stop, reason).await
    }

    /// What waits for a person, longest waiting first.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`approvals::approvals`].
    pub fn approvals(
        &self,
        caller: &Caller,
        limit: Option<u64>,
        after: Option<&str>,
    ) -> Result<Approvals, ServiceError> {
        caller.require(Permission::Inspect)?;
        approvals::approvals(&self.inner.registry, limit, after)
    }

    /// Closes the service for writing, or opens it.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`operating::set_read_only`].
    pub async fn set_read_only(
        &self,
        caller: &Caller,
        close: bool,
        reason: Option<&str>,
    ) -> Result<Standing, ServiceError> {
        caller.require(Permission::Operate)?;
        operations::set_read_only(&self.inner.registry, caller, close, reason).await
    }

    /// A backup of everything that was acknowledged until now; the service goes on.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`backup::begin`].
    pub fn backup(&self, caller: &Caller) -> Result<backup::Begun, ServiceError> {
        caller.require(Permission::Operate)?;
        backup::begin(&self.inner.registry.deps, &self.inner.backups, caller)
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

    /// Registers a webhook, see [`webhooks::register`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`webhooks::register`] says.
    pub async fn register_webhook(&self, caller: &Caller, body: &str) -> Result<Registered, ServiceError> {
        caller.require(Permission::Publish)?;
        webhooks::register(&self.inner.registry, self.delivery()?, body).await
    }

    /// Every webhook.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn webhooks(&self, caller: &Caller) -> Result<Webhooks, ServiceError> {
        caller.require(Permission::Publish)?;
        Ok(webhooks::list(self.delivery()?))
    }

    /// One webhook.
    ///
    /// # Errors
    /// [`ServiceError::UnknownWebhook`], [`ServiceError::Forbidden`].
    pub fn webhook(&self, caller: &Caller, id: &str) -> Result<Webhook, ServiceError> {
        caller.require(Permission::Publish)?;
        webhooks::one(self.delivery()?, id)
    }

    /// Deletes a webhook.
    ///
    /// # Errors
    /// [`ServiceError::UnknownWebhook`], [`ServiceError::Forbidden`], or a fault.
    pub async fn delete_webhook(&self, caller: &Caller, id: &str) -> Result<Deleted, ServiceError> {
        caller.require(Permission::Publish)?;
        webhooks::delete(&self.inner.registry, self.delivery()?, id).await
    }

    /// Calls a webhook once, see [`webhooks::test`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownWebhook`], [`ServiceError::Forbidden`].
    pub async fn test_webhook(&self, caller: &Caller, id: &str) -> Result<Tried, ServiceError> {
        caller.require(Permission::Publish)?;
        webhooks::test(self.delivery()?, id).await
    }

    fn delivery(&self) -> Result<&Arc<Delivery>, ServiceError> {
        let delivery = self.inner.delivery.get();
        delivery.ok_or_else(|| ServiceError::Fault("webhooks are not told in this process".to_owned()))
    }

    fn by_patch(&self, patch_id: &str) -> Result<(Arc<ScenarioHandle>, PatchId), ServiceError> {
        let found = self.inner.registry.by_patch(patch_id);
        found.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }

    /// Whether the caller may look at drawn values and judge them.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn may_audit(&self, caller: &Caller) -> Result<(), ServiceError> {
        caller.require(Permission::Audit)
    }

    /// Values that wait for a person, keys on trial first, then the oldest.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`audits::audits`].
    pub async fn audits(&self, caller: &Caller, asked: audits::Asked<'_>) -> Result<Audits, ServiceError> {
        caller.require(Permission::Audit)?;
        audits::audits(&self.inner.registry, asked).await
    }

    /// One drawn value, waiting or answered.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`audits::audit`].
    pub async fn audit(&self, caller: &Caller, audit_id: &str) -> Result<Audit, ServiceError> {
        caller.require(Permission::Audit)?;
        audits::audit(&self.inner.registry, audit_id).await
    }

    /// A person's verdict on a drawn value; the first one stands.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`audits::answer`].
    pub async fn answer_audit(
        &self,
        caller: &Caller,
        audit_id: &str,
        said: audits::Said,
    ) -> Result<Audit, ServiceError> {
        caller.require(Permission::Audit)?;
        audits::answer(&self.inner.registry, caller, audit_id, said).await
    }

    /// What audits say of the judges of every scenario, or of one.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`audits::summary`].
    pub fn audits_summary(&self, caller: &Caller, scenario: Option<&str>) -> Result<Summary, ServiceError> {
        caller.require(Permission::Audit)?;
        audits::summary(&self.inner.registry, scenario)
    }
}

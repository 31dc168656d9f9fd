//! What operators, auditors and publishers ask of what was learned, and what they do about it.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::service::approvals;
use crate::service::audits;
use crate::service::backup;
use crate::service::caller::Caller;
use crate::service::caller::Deed;
use crate::service::error::ServiceError;
use crate::service::inspect;
use crate::service::live::Live;
use crate::service::operating;
use crate::service::operating::Wanted;
use crate::service::otherwise::Otherwise;
use crate::service::otherwise::demand;
use crate::service::phrases;
use crate::service::reviewing;
use crate::service::reviewing::Told;
use crate::service::webhooks;
use engine::evolution::evidence;
use engine::evolution::patch::Patch;
use engine::scenario::layer;
use schema::name::PatchId;

impl Otherwise {
    /// The pool: clusters with heat and gate, and with `words` the phrases that enough clients said.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub async fn pool(&self, caller: &Caller, scenario: &str, words: bool) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.hosting.by_scenario(scenario)?;
        let policy = live.view.load().policy.clone();
        let phrases = if words {
            let (live, parts) = (Arc::clone(&live), Arc::clone(&self.hosting.parts));
            let clients_min = policy.evolution.example_clients_min;
            let read =
                tokio::task::spawn_blocking(move || phrases::phrases(parts.journal.as_ref(), &live, clients_min));
            Some(read.await?)
        } else {
            None
        };
        let state = live.state();
        Ok(inspect::pool(&state, self.now(&state), &policy, phrases.as_ref()))
    }

    /// What a reader is given of the pool, see [`reviewing::material`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], and as there.
    pub async fn review_pool(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Audit)?;
        let live = self.hosting.by_scenario(scenario)?;
        reviewing::material(&self.hosting, &live).await
    }

    /// Takes a reader's answer, see [`reviewing::propose`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], and as there.
    pub async fn propose_keys(&self, caller: &Caller, scenario: &str, told: Told) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        let live = self.hosting.by_scenario(scenario)?;
        reviewing::propose(&self.hosting, &live, caller, told).await
    }

    /// `{"patches": [patch]}`: every patch of the scenario.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn patches(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.hosting.by_scenario(scenario)?;
        let state = live.state();
        Ok(json!({ "patches": state.patches.iter().map(Patch::document_for_operators).collect::<Vec<_>>() }))
    }

    /// The ledger in the shape of DESIGN §8.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn ledger(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.hosting.by_scenario(scenario)?;
        let policy = live.view.load().policy.clone();
        let state = live.state();
        let at = self.now(&state);
        Ok(inspect::ledger(&state, at, &policy))
    }

    /// One patch; a patch for another client, or one that never came into force, is unknown to clients.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPatch`], [`ServiceError::Forbidden`].
    pub fn patch(&self, caller: &Caller, patch_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let (live, id) = self.by_patch(patch_id)?;
        let view = live.view.load_full();
        let to = view.policy.cohorts.addressee(caller.client.as_ref());
        let state = live.state();
        let patch = state
            .patch(&id)
            .filter(|patch| caller.sees_all() || (layer::concerns(patch, to) && layer::was_in_force(patch)));
        let document = |patch: &Patch| match caller.sees_all() {
            true => patch.document_for_operators(),
            false => patch.document(),
        };
        patch
            .map(document)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }

    /// Why a patch exists and how it fared.
    ///
    /// # Errors
    /// [`ServiceError::UnknownPatch`], [`ServiceError::Forbidden`].
    pub fn evidence(&self, caller: &Caller, patch_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let (live, id) = self.by_patch(patch_id)?;
        let window = live.view.load().policy.evolution.window_days;
        let state = live.state();
        let patch = state
            .patch(&id)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))?;
        let reading = state.ledger.read(&id, self.now(&state), window);
        Ok(evidence::document(patch, &reading, layer::taken_over_by(&state, patch)))
    }

    /// The operator's hand; the patch as it stands afterwards, or what an edit came to.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`operating::operate`].
    pub async fn operate(&self, caller: &Caller, patch_id: &str, wanted: Wanted) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        let (live, id) = self.by_patch(patch_id)?;
        operating::operate(&self.hosting, &live, caller, id, wanted).await
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
    ) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        let live = self.hosting.by_scenario(scenario)?;
        operating::freeze(&self.hosting, &live, caller, stop, reason).await
    }

    /// What waits for a person, longest waiting first.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`approvals::approvals`].
    pub fn approvals(&self, caller: &Caller, limit: Option<u64>, after: Option<&str>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        approvals::approvals(&self.hosting, limit, after)
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
    ) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        operating::set_read_only(&self.hosting, caller, close, reason).await
    }

    /// A backup of everything that was acknowledged until now; the service goes on.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`backup::begin`].
    pub fn backup(&self, caller: &Caller) -> Result<backup::Begun, ServiceError> {
        demand(caller, Deed::Operate)?;
        backup::begin(&self.hosting, caller)
    }

    /// Notes that a backup was read to its end.
    pub fn backed_up(&self) {
        let parts = &self.hosting.parts;
        parts.observer.backed_up(parts.clock.now());
        tracing::info!("a backup was read to its end");
    }

    /// Whether the service writes, and who closed it.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn standing(&self, caller: &Caller) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        Ok(operating::standing(&self.hosting))
    }

    /// Registers a webhook, see [`webhooks::register`]. The second part is its secret.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`webhooks::register`] says.
    pub async fn register_webhook(&self, caller: &Caller, body: &str) -> Result<(Value, Vec<u8>), ServiceError> {
        demand(caller, Deed::Publish)?;
        webhooks::register(&self.hosting, body).await
    }

    /// Every webhook.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn webhooks(&self, caller: &Caller) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        webhooks::list(&self.hosting)
    }

    /// One webhook.
    ///
    /// # Errors
    /// [`ServiceError::UnknownWebhook`], [`ServiceError::Forbidden`].
    pub fn webhook(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        webhooks::one(&self.hosting, id)
    }

    /// Deletes a webhook.
    ///
    /// # Errors
    /// [`ServiceError::UnknownWebhook`], [`ServiceError::Forbidden`], or a fault.
    pub async fn delete_webhook(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        webhooks::delete(&self.hosting, id).await
    }

    /// Calls a webhook once, see [`webhooks::test`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownWebhook`], [`ServiceError::Forbidden`].
    pub async fn test_webhook(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        webhooks::test(&self.hosting, id).await
    }

    fn by_patch(&self, patch_id: &str) -> Result<(Arc<Live>, PatchId), ServiceError> {
        let found = self.hosting.by_patch(patch_id);
        found.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }

    /// Whether the caller may look at drawn values and judge them.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn may_audit(&self, caller: &Caller) -> Result<(), ServiceError> {
        demand(caller, Deed::Audit)
    }

    /// Values that wait for a person, keys on trial first, then the oldest.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`audits::audits`].
    pub async fn audits(&self, caller: &Caller, asked: audits::Asked<'_>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Audit)?;
        audits::audits(&self.hosting, asked).await
    }

    /// One drawn value, waiting or answered.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`audits::audit`].
    pub async fn audit(&self, caller: &Caller, audit_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Audit)?;
        audits::audit(&self.hosting, audit_id).await
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
    ) -> Result<Value, ServiceError> {
        demand(caller, Deed::Audit)?;
        audits::answer(&self.hosting, caller, audit_id, said).await
    }

    /// What audits say of the judges of every scenario, or of one.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as [`audits::summary`].
    pub fn audits_summary(&self, caller: &Caller, scenario: Option<&str>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Audit)?;
        audits::summary(&self.hosting, scenario)
    }
}

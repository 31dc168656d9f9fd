//! What the process that runs the service asks of it: what it begins with, its numbers, its state, its clock, its end.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::api::service::Writes;
use crate::app::application::App;
use crate::app::application::Inner;
use crate::app::application::retention;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::caller::Role;
use crate::app::delivery::Delivery;
use crate::app::delivery::DeliveryOptions;
use crate::app::error::ServiceError;
use crate::app::handle::Request;
use crate::app::handle::ScenarioHandle;
use crate::app::learning;
use crate::app::learning::ScenarioStats;
use crate::app::models;
use crate::app::operator;
use crate::app::ports::DeliveryCursors;
use crate::app::ports::WebhookSender;
use crate::app::sessions::SessionCounts;
use crate::app::sessions::SessionOptions;
use crate::app::sessions::SessionService;
use crate::app::task_contexts::TaskContextCounts;
use crate::app::task_contexts::TaskContextService;
use context::task_context::decide::TaskContextLimits;
use schema::name::ClientId;
use store::journal::JournalFault;

/// Pause between two looks at the store: requests that were under way get their answer meanwhile.
const FAULT_PAUSE: Duration = Duration::from_secs(1);

impl App {
    /// In a word, whether the service writes: `open`, `read_only`, `disk_full`, `stalled` or `broken`.
    pub fn writing(&self) -> Writes {
        operator::writing(&self.inner.registry)
    }

    /// Whether a person or the settings closed the service for writing.
    pub fn is_read_only(&self) -> bool {
        !self.inner.registry.deps.write_gate.are_open()
    }

    /// Bytes free where the store writes, where that is known.
    pub fn free_bytes(&self) -> Option<u64> {
        self.inner.registry.deps.journal.free_bytes()
    }

    /// Begins to tell webhooks, once.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] when up to where they were told cannot be read.
    pub async fn deliver(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        cursors: Arc<dyn DeliveryCursors>,
        options: DeliveryOptions,
    ) -> Result<Arc<Delivery>, ServiceError> {
        let namespace = self.inner.registry.namespace.lock().await;
        let begun = Delivery::begin(
            &self.inner.registry,
            &namespace.webhooks,
            webhook_sender,
            cursors,
            options,
        );
        let delivery = begun.map_err(ServiceError::Fault)?;
        Ok(Arc::clone(self.inner.delivery.get_or_init(|| delivery)))
    }

    /// Every scenario in numbers.
    pub fn census(&self) -> Vec<ScenarioStats> {
        let catalogue = self.inner.registry.catalogue.load();
        catalogue
            .scenarios
            .values()
            .map(|handle| {
                let policy = handle.view.load().policy.clone();
                let state = handle.state();
                let model = models::of_pool(self.inner.registry.deps.embedder.as_ref(), &state).model();
                ScenarioStats {
                    stalled: handle.stalls(),
                    ..learning::stats(&state, handle.key.as_str(), self.now(&state), &policy, model)
                }
            })
            .collect()
    }

    /// How many scenarios learn nothing for the moment, though they record what is submitted.
    pub fn count_stalled(&self) -> usize {
        let catalogue = self.inner.registry.catalogue.load();
        catalogue.scenarios.values().filter(|handle| handle.stalls()).count()
    }

    /// Why nothing is recorded now; `None` while all is well. A full disk passes by itself, anything else with the next
    /// start.
    pub fn broken(&self) -> Option<JournalFault> {
        self.inner.registry.deps.journal.broken()
    }

    /// Fault after which nothing is recorded until the next start. A full disk passes by itself.
    pub fn lasting_fault(&self) -> Option<JournalFault> {
        self.broken()
            .filter(|fault| !matches!(fault, JournalFault::DiskFull(_)))
    }

    /// Waits for such a fault.
    pub async fn wait_for_lasting_fault(&self) -> JournalFault {
        loop {
            tokio::time::sleep(FAULT_PAUSE).await;
            if let Some(fault) = self.lasting_fault() {
                return fault;
            }
        }
    }

    /// A hosted scenario, for tests and for the command line.
    pub fn handle(&self, scenario: &str) -> Option<Arc<ScenarioHandle>> {
        self.inner.registry.scenario(scenario)
    }

    /// Waits until all outstanding effects (embedding, looks, inductions) of all scenarios are done.
    pub async fn settle(&self) {
        self.ask_all(Request::Settle).await;
    }

    /// Erases what the process before left to be erased, from the disk too; once everything has begun, and before anybody calls.
    pub async fn settle_erased(&self) {
        self.retain().await;
        retention::purge(self.inner.registry.deps.journal.as_ref()).await;
    }

    /// The principals that can call from now on.
    pub fn set_principals(&self, principals: BTreeMap<ClientId, BTreeSet<Role>>) {
        self.inner.registry.deps.principals.replace(principals);
    }

    /// Lets every scenario do what is due by now, as the timer does, and erases what retention asks.
    pub async fn tick(&self) {
        self.retain().await;
        self.ask_all(Request::Tick).await;
    }

    /// Keeps snapshots and closes the journal. Calls that come later are answered with
    /// [`ServiceError::ShuttingDown`].
    pub async fn close(&self) {
        if let Some(delivery) = self.inner.delivery.get() {
            delivery.close();
        }
        if let Some(tasks) = self.inner.tasks.get() {
            tasks.close();
        }
        self.ask_all(Request::Close).await;
        self.inner.registry.deps.journal.close();
    }

    async fn ask_all(&self, request: impl Fn(oneshot::Sender<()>) -> Request) {
        let handles: Vec<Arc<ScenarioHandle>> = self.inner.registry.handles();
        for handle in handles {
            let (reply, answer) = oneshot::channel();
            if handle.requests.send(request(reply)).await.is_ok() {
                let _ = answer.await;
            }
        }
    }
}

impl App {
    /// Begins to keep sessions, once.
    pub fn open_sessions(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        options: SessionOptions,
    ) -> Result<(), ServiceError> {
        let sessions = SessionService::open(&self.inner.registry.deps, webhook_sender, options)?;
        self.inner.sessions.get_or_init(|| sessions);
        Ok(())
    }

    /// How many sessions there are.
    pub fn session_counts(&self) -> impl Fn() -> SessionCounts + Send + Sync + 'static {
        self.count(|inner| inner.sessions.get().map(|sessions| sessions.counts()))
    }

    /// The sessions, for who may do this; each method shows its caller's own alone.
    pub fn sessions(&self, caller: &Caller, permission: Permission) -> Result<&Arc<SessionService>, ServiceError> {
        caller.require(permission)?;
        let sessions = self.inner.sessions.get();
        sessions.ok_or_else(|| ServiceError::Fault("sessions are not kept in this process".to_owned()))
    }
}

impl App {
    /// Begins to keep what agents know of tasks, once.
    pub fn open_task_contexts(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        limits: TaskContextLimits,
    ) -> Result<(), ServiceError> {
        let tasks = TaskContextService::open(&self.inner.registry.deps, webhook_sender, limits)?;
        self.inner.task_contexts.get_or_init(|| tasks);
        Ok(())
    }

    /// How much agents know of tasks.
    pub fn task_context_counts(&self) -> impl Fn() -> TaskContextCounts + Send + Sync + 'static {
        self.count(|inner| inner.task_contexts.get().map(|tasks| tasks.counts()))
    }

    /// Who counts what is kept, as long as the service is there.
    pub(super) fn count<C: Default>(
        &self,
        of: impl Fn(&Inner) -> Option<C> + Send + Sync + 'static,
    ) -> impl Fn() -> C + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || inner.upgrade().and_then(|inner| of(&inner)).unwrap_or_default()
    }

    /// What is kept, and who calls by name, for who may negotiate; each method shows its caller's own alone.
    pub fn task_contexts<'a>(
        &'a self,
        caller: &'a Caller,
    ) -> Result<(&'a Arc<TaskContextService>, &'a ClientId), ServiceError> {
        caller.require(Permission::Negotiate)?;
        let tasks = self.inner.task_contexts.get();
        let tasks = tasks.ok_or_else(|| ServiceError::Fault("tasks are not kept in this process".to_owned()))?;
        Ok((tasks, caller.client.as_ref().ok_or(ServiceError::Nameless)?))
    }
}

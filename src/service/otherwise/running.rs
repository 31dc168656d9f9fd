//! What the process that runs the service asks of it: its numbers, its state, its clock, its end.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::service::caller::Role;
use crate::service::census::ScenarioCensus;
use crate::service::delivery::Delivery;
use crate::service::delivery::DeliveryOptions;
use crate::service::error::ServiceError;
use crate::service::inspect;
use crate::service::live::Live;
use crate::service::live::Request;
use crate::service::operating;
use crate::service::otherwise::Otherwise;
use crate::service::ports::Bookmarks;
use crate::service::ports::Courier;
use crate::service::reader;
use crate::service::retention;
use schema::name::ClientId;
use store::journal::JournalFault;

impl Otherwise {
    /// In a word, whether the service writes: `open`, `read_only`, `disk_full`, `stalled` or `broken`.
    pub fn writing(&self) -> &'static str {
        operating::writing(&self.hosting)
    }

    /// Whether a person or the settings closed the service for writing.
    pub fn is_read_only(&self) -> bool {
        !self.hosting.parts.writes.are_open()
    }

    /// Bytes free where the store writes, where that is known.
    pub fn free_bytes(&self) -> Option<u64> {
        self.hosting.parts.journal.free_bytes()
    }

    /// Begins to tell webhooks, once.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] when up to where they were told cannot be read.
    pub async fn deliver(
        &self,
        courier: Arc<dyn Courier>,
        bookmarks: Arc<dyn Bookmarks>,
        options: DeliveryOptions,
    ) -> Result<Arc<Delivery>, ServiceError> {
        let namespace = self.hosting.namespace.lock().await;
        let begun = Delivery::begin(&self.hosting, &namespace.webhooks, courier, bookmarks, options);
        let delivery = begun.map_err(ServiceError::Fault)?;
        Ok(Arc::clone(self.hosting.delivery.get_or_init(|| delivery)))
    }

    /// Every scenario in numbers.
    pub fn census(&self) -> Vec<ScenarioCensus> {
        let catalogue = self.hosting.catalogue.load();
        catalogue
            .scenarios
            .values()
            .map(|live| {
                let policy = live.view.load().policy.clone();
                let state = live.state();
                let model = reader::of_pool(self.hosting.parts.embedder.as_ref(), &state).model();
                ScenarioCensus {
                    stalled: live.stalls(),
                    ..inspect::census(&state, live.key.as_str(), self.now(&state), &policy, model)
                }
            })
            .collect()
    }

    /// How many scenarios learn nothing for the moment, though they record what is submitted.
    pub fn count_stalled(&self) -> usize {
        let catalogue = self.hosting.catalogue.load();
        catalogue.scenarios.values().filter(|live| live.stalls()).count()
    }

    /// Why nothing is recorded now; `None` while all is well. A full disk passes by itself, anything else with the next
    /// start.
    pub fn broken(&self) -> Option<JournalFault> {
        self.hosting.parts.journal.broken()
    }

    /// A hosted scenario, for tests and for the command line.
    pub fn live(&self, scenario: &str) -> Option<Arc<Live>> {
        self.hosting.by_scenario(scenario).ok()
    }

    /// Waits until all outstanding effects (embedding, looks, inductions) of all scenarios are done.
    pub async fn settle(&self) {
        self.ask_all(Request::Settle).await;
    }

    /// Erases what the process before left to be erased, from the disk too; once everything has begun, and before anybody calls.
    pub async fn settle_erased(&self) {
        retention::settle(&self.hosting).await;
    }

    /// The principals that can call from now on.
    pub fn set_principals(&self, principals: BTreeMap<ClientId, BTreeSet<Role>>) {
        self.hosting.parts.roster.replace(principals);
    }

    /// Lets every scenario do what is due by now, as the timer does, and erases what retention asks.
    pub async fn tick(&self) {
        retention::pass(&self.hosting).await;
        self.ask_all(Request::Tick).await;
    }

    /// Keeps snapshots and closes the journal. Calls that come later are answered with
    /// [`ServiceError::ShuttingDown`].
    pub async fn close(&self) {
        if let Some(delivery) = self.hosting.delivery.get() {
            delivery.close();
        }
        if let Some(tasks) = self.hosting.tasks.get() {
            tasks.close();
        }
        self.ask_all(Request::Close).await;
        self.hosting.parts.journal.close();
    }

    async fn ask_all(&self, request: impl Fn(oneshot::Sender<()>) -> Request) {
        let lives: Vec<Arc<Live>> = self.hosting.catalogue.load().scenarios.values().cloned().collect();
        for live in lives {
            let (reply, answer) = oneshot::channel();
            if live.requests.send(request(reply)).await.is_ok() {
                let _ = answer.await;
            }
        }
    }
}

//! Tells webhooks what happened: at least once, in order for each webhook and scenario, until it is taken.
//!
//! The journals are the queue: a webhook's mark says up to which entry of a scenario it was told, and what comes after it
//! is read back from the journal. So nothing is held in memory for a receiver that is away, and nothing is lost at a
//! restart; deliveries of the last second before a crash may come twice, with the same id. What is told the domain decides
//! ([`notice`]). Invariant: a mark moves past an entry only when its delivery was taken, or nothing is told of it.

pub mod worker;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::Weak;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::app::delivery::worker::DeliveryWorker;
use crate::app::delivery::worker::Standing;
use crate::app::handle::ScenarioHandle;
use crate::app::lock::locked;
use crate::app::ports::Delivered;
use crate::app::ports::DeliveryCursors;
use crate::app::ports::Marks;
use crate::app::ports::WebhookDelivery;
use crate::app::ports::WebhookSender;
use crate::app::registry::ScenarioRegistry;
use crate::app::restore;
use engine::namespace::webhook::Removal;
use engine::namespace::webhook::Webhook;
use engine::namespace::webhook::WebhookId;
use engine::scenario::change_feed;
use schema::name::ScenarioKey;
use store::journal::JournalFault;
use text::name::hexadecimal;

/// At most so often marks are kept.
const KEEP: Duration = Duration::from_secs(1);

/// How webhooks are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryOptions {
    pub webhooks_max: usize,
    /// Called at once.
    pub concurrency_max: usize,
    pub first_pause_ms: u64,
    pub longest_pause_ms: u64,
    /// Calls in a row that fail before a webhook is paused.
    pub attempts_max: u32,
    /// How often a paused one is tried all the same.
    pub paused_retry_ms: u64,
}

/// A webhook in numbers, for the metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookCensus {
    pub id: String,
    pub paused: bool,
    /// Deliveries taken since the start.
    pub delivered: u64,
    /// Attempts that failed since the start.
    pub failed: u64,
    /// Entries that it may still have to be told of.
    pub waiting: u64,
}

/// Each webhook's worker, and the task that works at it.
type Workers = BTreeMap<WebhookId, (Arc<DeliveryWorker>, JoinHandle<()>)>;

/// Every webhook with the one who tells it.
pub struct Delivery {
    registry: Weak<ScenarioRegistry>,
    pub webhook_sender: Arc<dyn WebhookSender>,
    cursors: Arc<dyn DeliveryCursors>,
    pub options: DeliveryOptions,
    calls: Semaphore,
    workers: Mutex<Workers>,
    marks: Mutex<Marks>,
    moved: Notify,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// How telling one scenario's news ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// Everything is told.
    All,
    /// The journal cannot be read; it is tried again when something else happens.
    Unreadable,
    /// The receiver wants nothing any more.
    Gone,
}

impl Delivery {
    /// Begins to tell the webhooks that are registered.
    ///
    /// # Errors
    /// When the marks cannot be read.
    pub fn begin(
        registry: &Arc<ScenarioRegistry>,
        webhooks: &BTreeMap<WebhookId, Webhook>,
        webhook_sender: Arc<dyn WebhookSender>,
        cursors: Arc<dyn DeliveryCursors>,
        options: DeliveryOptions,
    ) -> Result<Arc<Delivery>, String> {
        let mut marks = cursors.load()?;
        marks.retain(|id, _| webhooks.contains_key(id));
        let delivery = Arc::new(Delivery {
            registry: Arc::downgrade(registry),
            webhook_sender,
            cursors,
            options,
            calls: Semaphore::new(options.concurrency_max),
            workers: Mutex::default(),
            marks: Mutex::new(marks),
            moved: Notify::new(),
            keeper: Mutex::default(),
        });
        let keeper = Arc::downgrade(&delivery);
        *locked(&delivery.keeper) = Some(tokio::spawn(keep_marks(keeper)));
        for (id, webhook) in webhooks {
            delivery.open(registry, id, webhook);
        }
        Ok(delivery)
    }

    /// Where each scenario that a webhook hears of stands now.
    pub fn places(&self, registry: &ScenarioRegistry, webhook: &Webhook) -> BTreeMap<ScenarioKey, u64> {
        let catalogue = registry.catalogue.load();
        let heard = catalogue
            .scenarios
            .values()
            .filter(|handle| webhook.hears_of(&handle.key));
        heard.map(|handle| (handle.key.clone(), handle.state().seq)).collect()
    }

    /// Begins to tell a new webhook, from these places on.
    pub fn open_at(
        self: &Arc<Self>,
        registry: &ScenarioRegistry,
        id: &WebhookId,
        webhook: &Webhook,
        places: BTreeMap<ScenarioKey, u64>,
    ) {
        locked(&self.marks).insert(id.clone(), places);
        self.moved.notify_one();
        self.open(registry, id, webhook);
    }

    /// Begins to tell one webhook.
    pub fn open(self: &Arc<Self>, registry: &ScenarioRegistry, id: &WebhookId, webhook: &Webhook) {
        let Some(secret) = locked(&registry.secrets).get(id).cloned() else {
            return;
        };
        let marks = locked(&self.marks).get(id).cloned().unwrap_or_default();
        let worker = Arc::new(DeliveryWorker::new(id.clone(), webhook.clone(), secret, marks));
        let (delivery, at_worker) = (Arc::downgrade(self), Arc::clone(&worker));
        let bell = registry.bell.subscribe();
        let task = tokio::spawn(async move { work(delivery, at_worker, bell).await });
        locked(&self.workers).insert(id.clone(), (worker, task));
    }

    /// Tells a webhook nothing any more.
    pub fn shut(&self, id: &WebhookId) {
        if let Some((_, task)) = locked(&self.workers).remove(id) {
            task.abort();
        }
        self.forget(id);
    }

    /// A webhook's worker by its id.
    pub fn worker(&self, id: &str) -> Option<Arc<DeliveryWorker>> {
        let workers = locked(&self.workers);
        let found = workers.iter().find(|(known, _)| known.as_str() == id);
        found.map(|(_, (worker, _))| Arc::clone(worker))
    }

    /// Every worker, by id.
    pub fn workers(&self) -> Vec<Arc<DeliveryWorker>> {
        locked(&self.workers)
            .values()
            .map(|(worker, _)| Arc::clone(worker))
            .collect()
    }

    /// Every webhook in numbers.
    pub fn census(&self) -> Vec<WebhookCensus> {
        self.workers()
            .iter()
            .map(|worker| {
                let standing = worker.standing();
                WebhookCensus {
                    id: worker.id.as_str().to_owned(),
                    paused: standing.paused,
                    delivered: standing.delivered,
                    failed: standing.failed,
                    waiting: self.waiting(worker),
                }
            })
            .collect()
    }

    /// Entries that a webhook may still have to be told of.
    pub fn waiting(&self, worker: &DeliveryWorker) -> u64 {
        let Some(registry) = self.registry.upgrade() else {
            return 0;
        };
        let catalogue = registry.catalogue.load();
        let heard = catalogue
            .scenarios
            .values()
            .filter(|handle| worker.webhook.hears_of(&handle.key));
        heard
            .map(|handle| handle.count_news_after(worker.mark(&handle.key)) as u64)
            .sum()
    }

    /// One call, whatever happened before; the webhook goes on at once where it is taken.
    pub async fn try_out(&self, worker: &DeliveryWorker) -> Delivered {
        let Some(registry) = self.registry.upgrade() else {
            return Delivered::Failed("the service is ending");
        };
        let id = self.webhook_sender.random().map_or_else(
            || "msg_test".to_owned(),
            |bytes| format!("msg_{}", hexadecimal(&bytes[..16])),
        );
        let _permit = self.calls.acquire().await;
        let outcome = self
            .webhook_sender
            .carry(WebhookDelivery {
                url: worker.webhook.url.clone(),
                secret: worker.secret.clone(),
                id,
                topic: "webhook.test",
                scenario: None,
                at: registry.deps.clock.now(),
                data: serde_json::json!({"webhook_id": worker.id}),
            })
            .await;
        if matches!(outcome, Delivered::Taken(_)) {
            worker.answered();
        }
        outcome
    }

    /// Stops telling and keeps the marks.
    pub fn close(&self) {
        for (_, task) in locked(&self.workers).values() {
            task.abort();
        }
        if let Some(keeper) = locked(&self.keeper).take() {
            keeper.abort();
        }
        self.keep();
    }

    fn keep(&self) {
        let marks = locked(&self.marks).clone();
        if let Err(what) = self.cursors.keep(&marks) {
            tracing::warn!(
                what,
                "up to where webhooks were told cannot be kept; after a restart they are told again"
            );
        }
    }

    fn mark(&self, worker: &DeliveryWorker, scenario: &ScenarioKey, seq: u64) {
        let mut marks = locked(&self.marks);
        marks
            .entry(worker.id.clone())
            .or_default()
            .insert(scenario.clone(), seq);
        drop(marks);
        self.moved.notify_one();
    }

    fn forget(&self, id: &WebhookId) {
        if locked(&self.marks).remove(id).is_some() {
            self.moved.notify_one();
        }
    }

    /// Tells a webhook everything that is new.
    async fn round(&self, worker: &DeliveryWorker) -> Told {
        let Some(registry) = self.registry.upgrade() else {
            return Told::All;
        };
        let handles: Vec<Arc<ScenarioHandle>> = registry.catalogue.load().scenarios.values().cloned().collect();
        let mut worst = Told::All;
        for handle in handles.iter().filter(|handle| worker.webhook.hears_of(&handle.key)) {
            match self.tell(&registry, worker, handle).await {
                Told::All => {}
                Told::Unreadable => worst = Told::Unreadable,
                Told::Gone => return Told::Gone,
            }
        }
        worst
    }

    /// Tells a webhook what is new of one scenario, in order.
    async fn tell(&self, registry: &ScenarioRegistry, worker: &DeliveryWorker, handle: &ScenarioHandle) -> Told {
        while let Some(seq) = handle.news_after(worker.mark(&handle.key)) {
            let letter = match letter(registry, worker, handle, seq) {
                Ok(letter) => letter,
                Err(fault) => {
                    tracing::error!(scenario = %handle.key, %fault, "webhooks are not told: the journal cannot be read");
                    return Told::Unreadable;
                }
            };
            if let Some(letter) = letter {
                if self.carry(worker, &letter).await == Delivered::Gone {
                    return Told::Gone;
                }
                self.mark(worker, &handle.key, seq);
            }
            worker.move_mark(&handle.key, seq);
        }
        Told::All
    }

    /// Calls until the delivery is taken, or the receiver says that it wants none any more.
    async fn carry(&self, worker: &DeliveryWorker, letter: &WebhookDelivery) -> Delivered {
        loop {
            let outcome = match self.calls.acquire().await {
                Ok(_permit) => self.webhook_sender.carry(letter.clone()).await,
                Err(_closed) => Delivered::Failed("the service is ending"),
            };
            let at = self.registry.upgrade().map(|registry| registry.deps.clock.now());
            worker.note(outcome, at.unwrap_or(letter.at), &self.options);
            match outcome {
                Delivered::Taken(_) | Delivered::Gone => return outcome,
                Delivered::Refused { .. } | Delivered::Failed(_) => worker.wait(outcome, &self.options).await,
            }
        }
    }
}

/// What is told of an entry; `None` where nothing is.
fn letter(
    registry: &ScenarioRegistry,
    worker: &DeliveryWorker,
    handle: &ScenarioHandle,
    seq: u64,
) -> Result<Option<WebhookDelivery>, JournalFault> {
    let Some(record) = registry.deps.journal.read(&handle.journal, seq, 1)?.into_iter().next() else {
        return Ok(None);
    };
    let entry = restore::entry(&handle.journal, &record)?;
    let notice = change_feed::of(&handle.state(), &entry);
    Ok(notice
        .filter(|notice| worker.webhook.wants(notice.topic, entry.at))
        .map(|notice| WebhookDelivery {
            url: worker.webhook.url.clone(),
            secret: worker.secret.clone(),
            // The hash holds everything up to this record, so no other record of any installation has it.
            id: format!("msg_{}", hexadecimal(&record.hash[..16])),
            topic: notice.topic.name(),
            scenario: Some(handle.key.clone()),
            at: entry.at,
            data: notice.data,
        }))
}

async fn work(delivery: Weak<Delivery>, worker: Arc<DeliveryWorker>, mut bell: tokio::sync::watch::Receiver<u64>) {
    loop {
        // Before anything is looked at: what comes after that wakes again.
        bell.borrow_and_update();
        let Some(at_work) = delivery.upgrade() else { return };
        match at_work.round(&worker).await {
            Told::All | Told::Unreadable => {}
            Told::Gone => {
                at_work.unsubscribe(&worker).await;
                return;
            }
        }
        drop(at_work);
        if bell.changed().await.is_err() {
            return;
        }
    }
}

impl Delivery {
    /// The receiver wants nothing any more.
    async fn unsubscribe(&self, worker: &DeliveryWorker) {
        tracing::info!(
            webhook = worker.id.as_str(),
            "a webhook answered 410 and is told nothing any more"
        );
        let Some(registry) = self.registry.upgrade() else {
            return;
        };
        let mut namespace = registry.namespace.lock().await;
        if let Some(event) = namespace.remove_webhook(worker.id.as_str(), Removal::Gone)
            && let Err(error) = registry.record(&mut namespace, &event).await
        {
            tracing::warn!(%error, "that a webhook is gone was not recorded; it is asked again after a restart");
        }
        drop(namespace);
        locked(&self.workers).remove(&worker.id);
        locked(&registry.secrets).remove(&worker.id);
        self.forget(&worker.id);
    }
}

async fn keep_marks(delivery: Weak<Delivery>) {
    loop {
        let Some(at_work) = delivery.upgrade() else { return };
        at_work.moved.notified().await;
        let kept = tokio::task::spawn_blocking(move || at_work.keep()).await;
        if kept.is_err() {
            return;
        }
        tokio::time::sleep(KEEP).await;
    }
}

impl Standing {
    /// `active`, `retrying` or `paused`.
    pub fn name(&self) -> &'static str {
        match (self.paused, self.failures) {
            (true, _) => "paused",
            (false, 0) => "active",
            (false, _) => "retrying",
        }
    }
}

//! Tells webhooks what happened: at least once, in order for each webhook and scenario, until it is taken.
//!
//! The journals are the queue: a webhook's mark says up to which entry of a scenario it was told, and what comes after it is read back from
//! the journal. So nothing is held in memory for a receiver that is away, and nothing is lost at a restart; deliveries of the last second
//! before a crash may come twice, with the same id. What is told the engine decides ([`notice`]). Invariant: a mark moves past an entry
//! only when its delivery was taken, or nothing is told of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::Weak;
use std::time::Duration;

use sha2::Digest;
use sha2::Sha256;
use tokio::sync::Notify;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::app::handle::ScenarioHandle;
use crate::app::lock::locked;
use crate::app::ports::Delivered;
use crate::app::ports::DeliveryCursors;
use crate::app::ports::WebhookDelivery;
use crate::app::ports::WebhookSender;
use crate::app::registry::ScenarioRegistry;
use crate::app::restore;
use engine::namespace::webhook;
use engine::namespace::webhook::Removal;
use engine::namespace::webhook::Webhook;
use engine::namespace::webhook::WebhookId;
use engine::scenario::change_feed;
use schema::name::ScenarioKey;
use schema::time::At;
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
    moved: Notify,
    keeper: Mutex<Option<JoinHandle<()>>>,
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
        let delivery = Arc::new(Delivery {
            registry: Arc::downgrade(registry),
            webhook_sender,
            cursors,
            options,
            calls: Semaphore::new(options.concurrency_max),
            workers: Mutex::default(),
            moved: Notify::new(),
            keeper: Mutex::default(),
        });
        let keeper = Arc::downgrade(&delivery);
        *locked(&delivery.keeper) = Some(tokio::spawn(keep_marks(keeper)));
        for (id, webhook) in webhooks {
            delivery.open(registry, id, webhook, marks.remove(id).unwrap_or_default());
        }
        Ok(delivery)
    }

    /// Where each scenario that a webhook hears of stands now.
    pub fn places(&self, registry: &ScenarioRegistry, webhook: &Webhook) -> BTreeMap<ScenarioKey, u64> {
        let heard = heard(registry, webhook).into_iter();
        heard.map(|handle| (handle.key.clone(), handle.state().seq)).collect()
    }

    /// Begins to tell one webhook, from these marks on.
    pub fn open(
        self: &Arc<Self>,
        registry: &ScenarioRegistry,
        id: &WebhookId,
        webhook: &Webhook,
        marks: BTreeMap<ScenarioKey, u64>,
    ) {
        let Some(secret) = locked(&registry.secrets).get(id).cloned() else {
            return;
        };
        let worker = Arc::new(DeliveryWorker::new(id.clone(), webhook.clone(), secret, marks));
        let (delivery, at_worker) = (Arc::downgrade(self), Arc::clone(&worker));
        let bell = registry.bell.subscribe();
        let task = tokio::spawn(async move { work(delivery, at_worker, bell).await });
        locked(&self.workers).insert(id.clone(), (worker, task));
        self.moved.notify_one();
    }

    /// Tells a webhook nothing any more.
    pub fn shut(&self, id: &WebhookId) {
        if let Some((_, task)) = locked(&self.workers).remove(id) {
            task.abort();
            self.moved.notify_one();
        }
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
        let heard = heard(&registry, &worker.webhook).into_iter();
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
        let workers = self.workers().into_iter();
        let marks = workers
            .map(|worker| (worker.id.clone(), locked(&worker.marks).clone()))
            .collect();
        if let Err(what) = self.cursors.keep(&marks) {
            tracing::warn!(
                what,
                "up to where webhooks were told cannot be kept; after a restart they are told again"
            );
        }
    }

    /// Tells a webhook everything that is new; whether the receiver wants nothing any more.
    async fn round(&self, worker: &DeliveryWorker) -> bool {
        let Some(registry) = self.registry.upgrade() else {
            return false;
        };
        for handle in heard(&registry, &worker.webhook) {
            match self.tell(&registry, worker, &handle).await {
                Ok(Delivered::Gone) => return true,
                Ok(_) => {}
                // It is tried again when something else happens.
                Err(fault) => {
                    tracing::error!(scenario = %handle.key, %fault, "webhooks are not told: the journal cannot be read");
                }
            }
        }
        false
    }

    /// Tells a webhook what is new of one scenario, in order; how the last of it ended.
    async fn tell(
        &self,
        registry: &ScenarioRegistry,
        worker: &DeliveryWorker,
        handle: &ScenarioHandle,
    ) -> Result<Delivered, JournalFault> {
        let mut ended = Delivered::Failed("nothing was told");
        while let Some(seq) = handle.news_after(worker.mark(&handle.key)) {
            let letter = letter(registry, worker, handle, seq)?;
            if let Some(letter) = &letter {
                ended = self.carry(worker, letter).await;
                if ended == Delivered::Gone {
                    break;
                }
            }
            worker.move_mark(&handle.key, seq);
            if letter.is_some() {
                self.moved.notify_one();
            }
        }
        Ok(ended)
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

/// The scenarios that a webhook hears of.
fn heard(registry: &ScenarioRegistry, webhook: &Webhook) -> Vec<Arc<ScenarioHandle>> {
    let mut handles = registry.handles();
    handles.retain(|handle| webhook.hears_of(&handle.key));
    handles
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
        if at_work.round(&worker).await {
            at_work.unsubscribe(&worker).await;
            return;
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
        self.moved.notify_one();
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

/// How a webhook stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Calls in a row that failed.
    pub failures: u32,
    pub paused: bool,
    /// Deliveries taken since the start.
    pub delivered: u64,
    /// Attempts that failed since the start.
    pub failed: u64,
    pub last_delivered: Option<At>,
    /// The last call that failed, and how.
    pub last_failure: Option<(At, Delivered)>,
}

/// A webhook that is told.
pub struct DeliveryWorker {
    pub id: WebhookId,
    pub webhook: Webhook,
    pub secret: Vec<u8>,
    marks: Mutex<BTreeMap<ScenarioKey, u64>>,
    standing: Mutex<Standing>,
    /// It answered: there is no need to wait.
    answers: Notify,
}

impl DeliveryWorker {
    /// A worker that goes on from these marks.
    pub fn new(id: WebhookId, webhook: Webhook, secret: Vec<u8>, marks: BTreeMap<ScenarioKey, u64>) -> DeliveryWorker {
        DeliveryWorker {
            id,
            webhook,
            secret,
            marks: Mutex::new(marks),
            standing: Mutex::default(),
            answers: Notify::new(),
        }
    }

    /// The entry up to which it was told of a scenario.
    pub fn mark(&self, scenario: &ScenarioKey) -> u64 {
        locked(&self.marks).get(scenario).copied().unwrap_or_default()
    }

    /// Moves the mark; never back.
    pub fn move_mark(&self, scenario: &ScenarioKey, seq: u64) {
        let mut marks = locked(&self.marks);
        let mark = marks.entry(scenario.clone()).or_default();
        *mark = seq.max(*mark);
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        locked(&self.standing).clone()
    }

    /// It took a delivery that tried it out: it is called again at once.
    pub fn answered(&self) {
        let mut standing = locked(&self.standing);
        standing.failures = 0;
        standing.paused = false;
        drop(standing);
        self.answers.notify_one();
    }

    /// Notes how a call ended.
    pub fn note(&self, outcome: Delivered, at: At, options: &DeliveryOptions) {
        let mut standing = locked(&self.standing);
        match outcome {
            Delivered::Taken(_) | Delivered::Gone => {
                standing.failures = 0;
                standing.paused = false;
                standing.delivered += 1;
                standing.last_delivered = Some(at);
            }
            Delivered::Refused { .. } | Delivered::Failed(_) => {
                standing.failures = standing.failures.saturating_add(1);
                standing.failed += 1;
                standing.last_failure = Some((at, outcome));
                if standing.failures >= options.attempts_max && !standing.paused {
                    standing.paused = true;
                    tracing::warn!(
                        webhook = self.id.as_str(),
                        failures = standing.failures,
                        "a webhook is paused: it took nothing for long; a test call that it takes lets it go on"
                    );
                }
            }
        }
    }

    /// Waits until it may be called again: for its pause, or until it answers.
    pub async fn wait(&self, outcome: Delivered, options: &DeliveryOptions) {
        let pause = self.pause_ms(outcome, options);
        let _ = tokio::time::timeout(Duration::from_millis(pause), self.answers.notified()).await;
    }

    fn pause_ms(&self, outcome: Delivered, options: &DeliveryOptions) -> u64 {
        let standing = self.standing();
        if standing.paused {
            return options.paused_retry_ms;
        }
        let spread = Sha256::digest(format!("{}{}", self.id.as_str(), standing.failed).as_bytes());
        let share = u32::from_be_bytes([0, spread[0], spread[1], spread[2]]) % 1_000_001;
        let own = webhook::pause_ms(
            standing.failures,
            options.first_pause_ms,
            options.longest_pause_ms,
            share,
        );
        let asked = match outcome {
            Delivered::Refused { retry_after_s, .. } => retry_after_s.unwrap_or_default().saturating_mul(1_000),
            Delivered::Taken(_) | Delivered::Gone | Delivered::Failed(_) => 0,
        };
        own.max(asked.min(options.longest_pause_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::DeliveryWorker;
    use crate::app::delivery::DeliveryOptions;
    use crate::app::ports::Delivered;
    use engine::namespace::webhook::Webhook;
    use engine::namespace::webhook::WebhookId;
    use schema::time::At;

    const OPTIONS: DeliveryOptions = DeliveryOptions {
        webhooks_max: 1,
        concurrency_max: 1,
        first_pause_ms: 1_000,
        longest_pause_ms: 8_000,
        attempts_max: 3,
        paused_retry_ms: 60_000,
    };

    #[test]
    fn a_receiver_may_ask_for_patience_up_to_the_longest_pause() {
        let webhook = Webhook {
            url: "https://example.com".to_owned(),
            scenarios: [].into(),
            topics: [].into(),
            since: At(0),
        };
        let worker = DeliveryWorker::new(WebhookId::of([1; 16]), webhook, vec![1; 32], [].into());
        let refused = |retry_after_s| Delivered::Refused {
            status: 503,
            retry_after_s,
        };
        worker.note(refused(None), At(1), &OPTIONS);
        let own = worker.pause_ms(refused(None), &OPTIONS);
        assert!((500..=1_000).contains(&own), "{own}");
        assert_eq!(worker.pause_ms(refused(Some(5)), &OPTIONS), 5_000);
        assert_eq!(worker.pause_ms(refused(Some(u64::MAX)), &OPTIONS), 8_000);
        assert_eq!(worker.pause_ms(refused(Some(0)), &OPTIONS), own);
        worker.note(refused(None), At(2), &OPTIONS);
        worker.note(refused(None), At(3), &OPTIONS);
        assert_eq!(worker.pause_ms(refused(None), &OPTIONS), 60_000, "it is paused");
    }
}

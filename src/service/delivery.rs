//! Tells webhooks what happened: at least once, in order for each webhook and scenario, until it is taken.
//!
//! The journals are the queue: a webhook's mark says up to which entry of a scenario it was told, and what comes after it
//! is read back from the journal. So nothing is held in memory for a receiver that is away, and nothing is lost at a
//! restart; letters of the last second before a crash may come twice, with the same id. What is told the domain decides
//! ([`notice`]). Invariant: a mark moves past an entry only when its letter was taken, or nothing is told of it.

pub mod desk;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::Weak;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::service::delivery::desk::Desk;
use crate::service::delivery::desk::Standing;
use crate::service::hosting::Hosting;
use crate::service::live::Live;
use crate::service::ports::Bookmarks;
use crate::service::ports::Courier;
use crate::service::ports::Delivered;
use crate::service::ports::Letter;
use crate::service::ports::Marks;
use crate::service::restore;
use engine::namespace::webhook::Removal;
use engine::namespace::webhook::Webhook;
use engine::namespace::webhook::WebhookId;
use engine::scenario::notice;
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
    /// Letters taken since the start.
    pub delivered: u64,
    /// Attempts that failed since the start.
    pub failed: u64,
    /// Entries that it may still have to be told of.
    pub waiting: u64,
}

/// Each webhook's desk, and the task that works at it.
type Desks = BTreeMap<WebhookId, (Arc<Desk>, JoinHandle<()>)>;

/// Every webhook with the one who tells it.
pub struct Delivery {
    hosting: Weak<Hosting>,
    pub courier: Arc<dyn Courier>,
    bookmarks: Arc<dyn Bookmarks>,
    pub options: DeliveryOptions,
    calls: Semaphore,
    desks: Mutex<Desks>,
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
        hosting: &Arc<Hosting>,
        webhooks: &BTreeMap<WebhookId, Webhook>,
        courier: Arc<dyn Courier>,
        bookmarks: Arc<dyn Bookmarks>,
        options: DeliveryOptions,
    ) -> Result<Arc<Delivery>, String> {
        let mut marks = bookmarks.load()?;
        marks.retain(|id, _| webhooks.contains_key(id));
        let delivery = Arc::new(Delivery {
            hosting: Arc::downgrade(hosting),
            courier,
            bookmarks,
            options,
            calls: Semaphore::new(options.concurrency_max),
            desks: Mutex::default(),
            marks: Mutex::new(marks),
            moved: Notify::new(),
            keeper: Mutex::default(),
        });
        let keeper = Arc::downgrade(&delivery);
        *locked(&delivery.keeper) = Some(tokio::spawn(keep_marks(keeper)));
        for (id, webhook) in webhooks {
            delivery.open(hosting, id, webhook);
        }
        Ok(delivery)
    }

    /// Where each scenario that a webhook hears of stands now.
    pub fn places(&self, hosting: &Hosting, webhook: &Webhook) -> BTreeMap<ScenarioKey, u64> {
        let catalogue = hosting.catalogue.load();
        let heard = catalogue.scenarios.values().filter(|live| webhook.hears_of(&live.key));
        heard.map(|live| (live.key.clone(), live.state().seq)).collect()
    }

    /// Begins to tell a new webhook, from these places on.
    pub fn open_at(
        self: &Arc<Self>,
        hosting: &Hosting,
        id: &WebhookId,
        webhook: &Webhook,
        places: BTreeMap<ScenarioKey, u64>,
    ) {
        locked(&self.marks).insert(id.clone(), places);
        self.moved.notify_one();
        self.open(hosting, id, webhook);
    }

    /// Begins to tell one webhook.
    pub fn open(self: &Arc<Self>, hosting: &Hosting, id: &WebhookId, webhook: &Webhook) {
        let Some(secret) = locked(&hosting.secrets).get(id).cloned() else {
            return;
        };
        let marks = locked(&self.marks).get(id).cloned().unwrap_or_default();
        let desk = Arc::new(Desk::new(id.clone(), webhook.clone(), secret, marks));
        let (delivery, at_desk) = (Arc::downgrade(self), Arc::clone(&desk));
        let bell = hosting.bell.subscribe();
        let worker = tokio::spawn(async move { work(delivery, at_desk, bell).await });
        locked(&self.desks).insert(id.clone(), (desk, worker));
    }

    /// Tells a webhook nothing any more.
    pub fn shut(&self, id: &WebhookId) {
        if let Some((_, worker)) = locked(&self.desks).remove(id) {
            worker.abort();
        }
        self.forget(id);
    }

    /// A webhook's desk by its id.
    pub fn desk(&self, id: &str) -> Option<Arc<Desk>> {
        let desks = locked(&self.desks);
        let found = desks.iter().find(|(known, _)| known.as_str() == id);
        found.map(|(_, (desk, _))| Arc::clone(desk))
    }

    /// Every desk, by id.
    pub fn desks(&self) -> Vec<Arc<Desk>> {
        locked(&self.desks).values().map(|(desk, _)| Arc::clone(desk)).collect()
    }

    /// Every webhook in numbers.
    pub fn census(&self) -> Vec<WebhookCensus> {
        self.desks()
            .iter()
            .map(|desk| {
                let standing = desk.standing();
                WebhookCensus {
                    id: desk.id.as_str().to_owned(),
                    paused: standing.paused,
                    delivered: standing.delivered,
                    failed: standing.failed,
                    waiting: self.waiting(desk),
                }
            })
            .collect()
    }

    /// Entries that a webhook may still have to be told of.
    pub fn waiting(&self, desk: &Desk) -> u64 {
        let Some(hosting) = self.hosting.upgrade() else {
            return 0;
        };
        let catalogue = hosting.catalogue.load();
        let heard = catalogue
            .scenarios
            .values()
            .filter(|live| desk.webhook.hears_of(&live.key));
        heard
            .map(|live| live.count_news_after(desk.mark(&live.key)) as u64)
            .sum()
    }

    /// One call, whatever happened before; the webhook goes on at once where it is taken.
    pub async fn try_out(&self, desk: &Desk) -> Delivered {
        let Some(hosting) = self.hosting.upgrade() else {
            return Delivered::Failed("the service is ending");
        };
        let id = self.courier.random().map_or_else(
            || "msg_test".to_owned(),
            |bytes| format!("msg_{}", hexadecimal(&bytes[..16])),
        );
        let _permit = self.calls.acquire().await;
        let outcome = self
            .courier
            .carry(Letter {
                url: desk.webhook.url.clone(),
                secret: desk.secret.clone(),
                id,
                topic: "webhook.test",
                scenario: None,
                at: hosting.parts.clock.now(),
                data: serde_json::json!({"webhook_id": desk.id}),
            })
            .await;
        if matches!(outcome, Delivered::Taken(_)) {
            desk.answered();
        }
        outcome
    }

    /// Stops telling and keeps the marks.
    pub fn close(&self) {
        for (_, worker) in locked(&self.desks).values() {
            worker.abort();
        }
        if let Some(keeper) = locked(&self.keeper).take() {
            keeper.abort();
        }
        self.keep();
    }

    fn keep(&self) {
        let marks = locked(&self.marks).clone();
        if let Err(what) = self.bookmarks.keep(&marks) {
            tracing::warn!(
                what,
                "up to where webhooks were told cannot be kept; after a restart they are told again"
            );
        }
    }

    fn mark(&self, desk: &Desk, scenario: &ScenarioKey, seq: u64) {
        let mut marks = locked(&self.marks);
        marks.entry(desk.id.clone()).or_default().insert(scenario.clone(), seq);
        drop(marks);
        self.moved.notify_one();
    }

    fn forget(&self, id: &WebhookId) {
        if locked(&self.marks).remove(id).is_some() {
            self.moved.notify_one();
        }
    }

    /// Tells a webhook everything that is new.
    async fn round(&self, desk: &Desk) -> Told {
        let Some(hosting) = self.hosting.upgrade() else {
            return Told::All;
        };
        let lives: Vec<Arc<Live>> = hosting.catalogue.load().scenarios.values().cloned().collect();
        let mut worst = Told::All;
        for live in lives.iter().filter(|live| desk.webhook.hears_of(&live.key)) {
            match self.tell(&hosting, desk, live).await {
                Told::All => {}
                Told::Unreadable => worst = Told::Unreadable,
                Told::Gone => return Told::Gone,
            }
        }
        worst
    }

    /// Tells a webhook what is new of one scenario, in order.
    async fn tell(&self, hosting: &Hosting, desk: &Desk, live: &Live) -> Told {
        while let Some(seq) = live.news_after(desk.mark(&live.key)) {
            let letter = match letter(hosting, desk, live, seq) {
                Ok(letter) => letter,
                Err(fault) => {
                    tracing::error!(scenario = %live.key, %fault, "webhooks are not told: the journal cannot be read");
                    return Told::Unreadable;
                }
            };
            if let Some(letter) = letter {
                if self.carry(desk, &letter).await == Delivered::Gone {
                    return Told::Gone;
                }
                self.mark(desk, &live.key, seq);
            }
            desk.move_mark(&live.key, seq);
        }
        Told::All
    }

    /// Calls until the letter is taken, or the receiver says that it wants none any more.
    async fn carry(&self, desk: &Desk, letter: &Letter) -> Delivered {
        loop {
            let outcome = match self.calls.acquire().await {
                Ok(_permit) => self.courier.carry(letter.clone()).await,
                Err(_closed) => Delivered::Failed("the service is ending"),
            };
            let at = self.hosting.upgrade().map(|hosting| hosting.parts.clock.now());
            desk.note(outcome, at.unwrap_or(letter.at), &self.options);
            match outcome {
                Delivered::Taken(_) | Delivered::Gone => return outcome,
                Delivered::Refused { .. } | Delivered::Failed(_) => desk.wait(outcome, &self.options).await,
            }
        }
    }
}

/// What is told of an entry; `None` where nothing is.
fn letter(hosting: &Hosting, desk: &Desk, live: &Live, seq: u64) -> Result<Option<Letter>, JournalFault> {
    let Some(record) = hosting.parts.journal.read(&live.journal, seq, 1)?.into_iter().next() else {
        return Ok(None);
    };
    let entry = restore::entry(&live.journal, &record)?;
    let notice = notice::of(&live.state(), &entry);
    Ok(notice
        .filter(|notice| desk.webhook.wants(notice.topic, entry.at))
        .map(|notice| Letter {
            url: desk.webhook.url.clone(),
            secret: desk.secret.clone(),
            // The hash holds everything up to this record, so no other record of any installation has it.
            id: format!("msg_{}", hexadecimal(&record.hash[..16])),
            topic: notice.topic.name(),
            scenario: Some(live.key.clone()),
            at: entry.at,
            data: notice.data,
        }))
}

async fn work(delivery: Weak<Delivery>, desk: Arc<Desk>, mut bell: tokio::sync::watch::Receiver<u64>) {
    loop {
        // Before anything is looked at: what comes after that wakes again.
        bell.borrow_and_update();
        let Some(at_work) = delivery.upgrade() else { return };
        match at_work.round(&desk).await {
            Told::All | Told::Unreadable => {}
            Told::Gone => {
                at_work.unsubscribe(&desk).await;
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
    async fn unsubscribe(&self, desk: &Desk) {
        tracing::info!(
            webhook = desk.id.as_str(),
            "a webhook answered 410 and is told nothing any more"
        );
        let Some(hosting) = self.hosting.upgrade() else { return };
        let mut namespace = hosting.namespace.lock().await;
        if let Some(event) = namespace.remove_webhook(desk.id.as_str(), Removal::Gone)
            && let Err(error) = hosting.record(&mut namespace, &event).await
        {
            tracing::warn!(%error, "that a webhook is gone was not recorded; it is asked again after a restart");
        }
        drop(namespace);
        locked(&self.desks).remove(&desk.id);
        locked(&hosting.secrets).remove(&desk.id);
        self.forget(&desk.id);
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

/// Held for moments only, never across an await.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

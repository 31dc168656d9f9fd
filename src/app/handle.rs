//! One scenario in a running process: its state, its view, and the way to its actor.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use arc_swap::ArcSwap;
use arc_swap::ArcSwapOption;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::sync::watch;

use crate::api::stats::ScenarioStats;
use crate::app::error::ServiceError;
use crate::app::feed::Feed;
use crate::app::feed::Happened;
use crate::app::feed::News;
use crate::app::key_room::KeyRoom;
use crate::app::lock::locked;
use crate::app::view::ScenarioView;
use engine::scenario::activity;
use engine::scenario::activity::Counts;
use engine::scenario::command::Command;
use engine::scenario::event::Entry;
use engine::scenario::event::Via;
use engine::scenario::state::State;
use schema::act::By;
use schema::name::ClientId;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::time::At;
use store::journal::JournalName;

/// A sequence that no journal reaches: whoever waits for an entry of a scenario that stands still is let go.
const NEVER: u64 = u64::MAX;

/// Clients whose inline suggestions are counted ahead of the state.
const SUGGESTED_MAX: usize = 10_000;

/// What an actor is asked.
pub enum Request {
    /// Decide and record; answered when the result is applied.
    Command(Box<Asked>, oneshot::Sender<Result<(), ServiceError>>),
    /// A client was shown patches; nobody waits.
    Receive(ClientId, SchemaId, Via),
    /// Do what is due; answered when nothing is left that is due.
    Tick(oneshot::Sender<()>),
    /// Answered once nothing is outstanding.
    Settle(oneshot::Sender<()>),
    /// Keep a snapshot and stop.
    Close(oneshot::Sender<()>),
}

/// What is to be decided, and who is on record for it where somebody is.
pub struct Asked {
    pub command: Command,
    pub by: Option<By>,
}

/// The figures of a scenario, of which state they are, and what it took to read them.
pub struct KeptStats {
    /// Sequence of the last entry that they know.
    pub seq: u64,
    pub at: At,
    pub read: Instant,
    pub took: Duration,
    pub stats: ScenarioStats,
}

/// How a scenario says that something happened, to whoever waits for that in any of them.
pub struct Signals {
    /// Rings when there is something to tell outsiders.
    pub bell: watch::Sender<u64>,
    /// Moves when a view was replaced.
    pub shown: watch::Sender<u64>,
    /// What happened, for who looks on.
    pub feed: Feed,
}

/// A scenario that is being hosted.
pub struct ScenarioHandle {
    pub key: ScenarioKey,
    pub journal: JournalName,
    pub view: ArcSwap<ScenarioView>,
    /// As they were read last; none before the first time.
    pub stats: ArcSwapOption<KeptStats>,
    pub requests: mpsc::Sender<Request>,
    state: Mutex<State>,
    /// Sequence of the last entry applied.
    applied: watch::Sender<u64>,
    /// How often the view was replaced: who waits for that looks at the view, not at the number.
    changed: watch::Sender<u64>,
    /// Rings when there is something to tell outsiders, of any scenario.
    bell: watch::Sender<u64>,
    /// Moves when the view of any scenario was replaced.
    shown: watch::Sender<u64>,
    feed: Feed,
    /// The entry after which its counts were told last.
    counted: AtomicU64,
    /// Newest revision that a caller was served; after a start every one may have been.
    served: AtomicU64,
    /// Inline suggestions given to each client and not applied to the state yet: the revision, and how often.
    suggested: Mutex<BTreeMap<ClientId, (u64, u32)>>,
    /// Idempotency keys whose submission is not applied yet: (scope, key).
    in_flight: Mutex<BTreeSet<(String, String)>>,
    key_room: Mutex<KeyRoom>,
    /// Submissions on record that are being executed again.
    executing: Mutex<BTreeSet<u64>>,
    /// Its actor came to its end in order. One that is gone without that broke off.
    ended: AtomicBool,
    /// Work beside the actor broke off, and no try since came through.
    stumbled: AtomicBool,
}

/// Holds an idempotency key while its submission is under way.
pub struct InFlight {
    handle: Arc<ScenarioHandle>,
    /// None once somebody else lets it go.
    key: Option<(String, String)>,
}

/// Holds a submission on record while it is executed again.
pub struct Executing {
    handle: Arc<ScenarioHandle>,
    seq: u64,
}

impl ScenarioHandle {
    /// A scenario with its state.
    pub fn new(
        key: ScenarioKey,
        journal: JournalName,
        state: State,
        view: ScenarioView,
        requests: mpsc::Sender<Request>,
        signals: Signals,
    ) -> ScenarioHandle {
        let Signals { bell, shown, feed } = signals;
        ScenarioHandle {
            key,
            journal,
            view: ArcSwap::from_pointee(view),
            stats: ArcSwapOption::empty(),
            requests,
            applied: watch::Sender::new(state.seq),
            changed: watch::Sender::new(0),
            bell,
            shown,
            feed,
            counted: AtomicU64::new(state.seq),
            served: AtomicU64::new(state.seq),
            suggested: Mutex::default(),
            state: Mutex::new(state),
            in_flight: Mutex::new(BTreeSet::new()),
            key_room: Mutex::default(),
            executing: Mutex::new(BTreeSet::new()),
            ended: AtomicBool::new(false),
            stumbled: AtomicBool::new(false),
        }
    }

    /// The state, locked. Held for moments only, never across an await.
    pub fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// The id of a submission: its scenario and its place in the journal, so that it is the same after a crash.
    pub fn submission_id(&self, seq: u64) -> String {
        format!("{}.{seq}", self.key)
    }

    /// Replaces the view and wakes who waits for that.
    pub fn show(&self, view: ScenarioView) {
        self.view.store(Arc::new(view));
        self.changed.send_modify(|times| *times = times.wrapping_add(1));
        self.shown.send_modify(|times| *times = times.wrapping_add(1));
    }

    /// Wakes whenever the view is replaced.
    pub fn view_changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Says that there is something to tell outsiders.
    pub fn ring(&self) {
        self.bell.send_modify(|times| *times = times.wrapping_add(1));
    }

    /// Tells who looks on what happened, where that is anything to be told.
    pub fn tell(&self, entry: &Entry) {
        if let Some(what) = self.feed.is_heard().then(|| activity::of(&entry.event)).flatten() {
            self.feed.tell(News::Happened(Happened {
                scenario: self.key.clone(),
                seq: entry.seq,
                at: entry.at,
                what,
            }));
        }
    }

    /// How it stands in a few numbers, where anything happened since this was asked last.
    pub fn count(&self) -> Option<Counts> {
        let applied = *self.applied.borrow();
        let moved = self.counted.swap(applied, Ordering::Relaxed) != applied;
        moved.then(|| Counts::of(&self.state()))
    }

    /// The first entry after `seq` that outsiders may be told of.
    pub fn news_after(&self, seq: u64) -> Option<u64> {
        let state = self.state();
        state.news.get(state.news.partition_point(|told| *told <= seq)).copied()
    }

    /// How many entries after `seq` outsiders may be told of.
    pub fn count_news_after(&self, seq: u64) -> usize {
        let state = self.state();
        state.news.len() - state.news.partition_point(|told| *told <= seq)
    }

    /// Whether the journal is applied up to there at least.
    pub fn has_applied(&self, seq: u64) -> bool {
        *self.applied.borrow() >= seq
    }

    /// Takes an idempotency key; `None` while another submission holds it.
    pub fn take(self: &Arc<Self>, scope: &str, key: &str) -> Option<InFlight> {
        let key = (scope.to_owned(), key.to_owned());
        let mut held = locked(&self.in_flight);
        held.insert(key.clone()).then(|| InFlight {
            handle: Arc::clone(self),
            key: Some(key),
        })
    }

    /// Room that each client has for idempotency keys, locked.
    pub fn key_room(&self) -> MutexGuard<'_, KeyRoom> {
        locked(&self.key_room)
    }

    /// Takes a submission on record to execute it again; `None` while another does.
    pub fn take_execution(self: &Arc<Self>, seq: u64) -> Option<Executing> {
        let mut held = locked(&self.executing);
        held.insert(seq).then(|| Executing {
            handle: Arc::clone(self),
            seq,
        })
    }

    /// Says up to where entries are applied.
    pub fn applied(&self, seq: u64) {
        self.applied
            .send_if_modified(|applied| std::mem::replace(applied, seq) != seq);
    }

    /// Says that nothing is applied any more, and lets go whoever waits for it.
    pub fn stand_still(&self) {
        self.applied(NEVER);
    }

    /// Whether nothing is applied any more until the next start.
    pub fn stands_still(&self) -> bool {
        *self.applied.borrow() == NEVER
    }

    /// Whether it learns nothing for the moment: it stands still, or its work beside the actor broke off.
    pub fn stalls(&self) -> bool {
        self.stands_still() || self.stumbled.load(Ordering::SeqCst)
    }

    /// Says whether the last work beside the actor broke off.
    pub fn stumble(&self, broke: bool) {
        self.stumbled.store(broke, Ordering::SeqCst);
    }

    /// Says that the actor ends in order: from now on whoever asks is told that the service is shutting down.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Why there is no answer from an actor that is gone.
    fn gone(&self) -> ServiceError {
        if self.ended.load(Ordering::SeqCst) {
            ServiceError::ShuttingDown
        } else {
            ServiceError::Fault("the scenario stands still: its worker broke off (the log says where)".to_owned())
        }
    }

    /// Waits until an entry is applied, so that whoever was answered finds it there.
    pub async fn wait_applied(&self, seq: u64) {
        let mut applied = self.applied.subscribe();
        // An error means that the scenario is gone, and nobody is left to find anything.
        let _ = applied.wait_for(|applied| *applied >= seq).await;
    }

    /// Lets go of an idempotency key: its submission failed, or the state knows it now.
    pub fn release(&self, scope: &str, key: &str) {
        let mut held = locked(&self.in_flight);
        held.remove(&(scope.to_owned(), key.to_owned()));
    }

    /// Asks the actor and waits.
    ///
    /// # Errors
    /// What the rules or the journal say; when there is no actor any more, [`ServiceError::ShuttingDown`] where it ended in
    /// order, and a fault where it broke off.
    pub async fn command(&self, command: Command) -> Result<(), ServiceError> {
        self.command_by(command, None).await
    }

    /// The same, of somebody.
    pub async fn command_by(&self, command: Command, by: Option<By>) -> Result<(), ServiceError> {
        let (reply, answer) = oneshot::channel();
        self.requests
            .send(Request::Command(Box::new(Asked { command, by }), reply))
            .await
            .map_err(|_closed| self.gone())?;
        answer.await.map_err(|_closed| self.gone())?
    }

    /// Notes that a caller was served a revision.
    pub fn note_served(&self, revision: u64) {
        self.served.fetch_max(revision, Ordering::SeqCst);
    }

    /// Newest revision that a caller was served.
    pub fn served(&self) -> u64 {
        self.served.load(Ordering::SeqCst)
    }

    /// Counts one more inline suggestion of a revision to a client; `false` where it was given `times_max` of them already. Includes
    /// those whose submissions are not applied yet, so that a burst gets no more.
    pub fn count_suggestion(&self, client: &ClientId, revision: u64, times_max: u32) -> bool {
        let mut suggested = locked(&self.suggested);
        let state = self.state();
        if suggested.len() >= SUGGESTED_MAX {
            suggested.retain(|client, given| {
                let known = state.acquaintances.get(client);
                known.is_some_and(|known| (known.suggested, known.times) < *given)
            });
        }
        let known = state.acquaintances.get(client).copied().unwrap_or_default();
        let applied = if known.suggested == revision { known.times } else { 0 };
        let (of, times) = suggested.entry(client.clone()).or_default();
        *times = if *of == revision { applied.max(*times) } else { applied };
        *of = revision;
        let may = *times < times_max;
        *times += u32::from(may);
        may
    }

    /// Tells the actor of a receipt without waiting; a full queue drops it: the next fetch says it again.
    pub fn receive(&self, client: &ClientId, schema_id: &SchemaId, via: Via) {
        let receipt = Request::Receive(client.clone(), schema_id.clone(), via);
        let _ = self.requests.try_send(receipt);
    }
}

impl InFlight {
    /// The submission is on record, and nothing is executed: the key stays held until its entry is applied, and whoever
    /// applies it lets it go.
    pub fn recorded(mut self) {
        self.key = None;
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        let mut held = locked(&self.handle.executing);
        held.remove(&self.seq);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some((scope, key)) = &self.key {
            self.handle.release(scope, key);
        }
    }
}

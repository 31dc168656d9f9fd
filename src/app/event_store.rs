//! The service under every subject that is kept as a journal of events: one writer a key, append, apply, follow, erase, snapshot.
//!
//! Invariants: an event is seen by nobody before it is on disk, and what is on disk is applied whether or not whoever asked for it
//! waits; what nobody can ask for any more is erased. A snapshot is made from the journal, never from what a process holds, so that
//! it does not matter in which order those who write apply what they wrote.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::Weak;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Deserialize;
use serde::Serialize;
use tokio::sync::Mutex as TokioMutex;
use tokio::sync::OwnedMutexGuard;
use tokio::sync::RwLock;
use tokio::sync::watch;

use crate::app::background::to_its_end;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::lock::locked;
use crate::app::sealed;
use context::aggregate::Aggregate;
use context::aggregate::Event;
use context::aggregate::Ranges;
use schema::time::At;
use schema::time::DAY_MS;
use store::journal::Draft;
use store::journal::Erasure;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::Kind;
use store::journal::Record;
use store::journal::Snapshot;

/// Records read at once.
const CHUNK: usize = 2_048;
/// Records looked at with one sync when contents are erased.
const ERASED_AT_ONCE: usize = 1_024;
/// What a content in memory takes beside its text: its key, its counts, and its places in the cache.
const CACHED_BYTES: u64 = 64;
/// About how many bytes a content has, for the cache to be laid out.
const CONTENT_BYTES: usize = 1_024;
/// Later than anything that was recorded.
const WHENEVER: At = At(i64::MAX);

/// A journal of the default server agent that holds events of one kind, and what they mean together.
pub struct EventStore<A: Aggregate> {
    deps: Arc<Dependencies>,
    name: JournalName,
    /// The record of the newest snapshot.
    kept: AtomicU64,
    state: Mutex<A>,
    /// Held while something of a key is decided and put on disk; those that nobody holds or waits for are let go.
    locks: Mutex<BTreeMap<String, Weak<TokioMutex<()>>>>,
    /// Those who follow, by key; each number moves with every event that concerns the key.
    followers: Mutex<BTreeMap<String, watch::Sender<u64>>>,
    /// Read from before events go to disk until they are applied.
    writing: RwLock<()>,
    erased: TokioMutex<Done>,
    /// Contents in memory by their record, so that reading them takes no disk.
    cache: Option<Cache<u64, Arc<str>, Bytes>>,
}

/// An event with its content.
pub type Wanted<E> = (E, Vec<u8>);

/// An event as it lies on disk.
#[derive(Clone, Debug)]
pub struct Written<E> {
    pub seq: u64,
    pub at: At,
    pub event: E,
}

/// What was erased by this process.
#[derive(Default)]
struct Done {
    /// As garbage.
    garbage: Ranges,
    /// Up to which record by age.
    through: u64,
}

/// What a content in memory takes.
#[derive(Clone)]
struct Bytes;

impl Weighter<u64, Arc<str>> for Bytes {
    fn weight(&self, _record: &u64, content: &Arc<str>) -> u64 {
        content.len() as u64 + CACHED_BYTES
    }
}

/// A snapshot's text.
#[derive(Default, Serialize, Deserialize)]
struct Kept<A> {
    seq: u64,
    #[serde(rename = "account")]
    aggregate: A,
}

impl<A: Aggregate> EventStore<A> {
    /// The journal `{kind}/default`, read back: the newest whole snapshot that fits it, then every record after it.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn open(deps: &Arc<Dependencies>, kind: &str) -> Result<EventStore<A>, ServiceError> {
        let store = EventStore {
            deps: Arc::clone(deps),
            name: JournalName::of_facts(kind),
            kept: AtomicU64::new(0),
            state: Mutex::default(),
            locks: Mutex::default(),
            followers: Mutex::default(),
            writing: RwLock::new(()),
            erased: TokioMutex::default(),
            cache: None,
        };
        let read = store.read()?.aggregate;
        *store.state() = read;
        Ok(store)
    }

    /// The same, with so many bytes of contents in memory.
    #[must_use]
    pub fn with_cache(mut self, bytes_max: usize) -> EventStore<A> {
        let cache = || Cache::with_weighter(bytes_max / CONTENT_BYTES, bytes_max as u64, Bytes);
        self.cache = (bytes_max > 0).then(cache);
        self
    }

    /// What the events that were applied mean together. Held for moments only, never across an await.
    pub fn state(&self) -> MutexGuard<'_, A> {
        locked(&self.state)
    }

    /// Keeps a snapshot where enough was appended since the last one.
    fn keep_up(&self) -> Result<(), ServiceError> {
        let end = self.end()?;
        if end - self.kept.load(Ordering::Relaxed).min(end) < self.deps.options.snapshot_every_records {
            return Ok(());
        }
        let kept = self.read()?;
        let seq = kept.seq;
        let hash = sealed::record(&*self.deps.journal, &self.name, seq)?.hash;
        let state = serde_json::to_vec(&kept).map_err(|error| ServiceError::Fault(error.to_string()))?;
        let _pass = self.deps.write_gate.pass()?;
        let snapshot = Snapshot { seq, hash, state };
        self.deps.journal.keep_snapshot(&self.name, &snapshot)?;
        self.kept.store(seq, Ordering::Relaxed);
        Ok(())
    }

    fn read(&self) -> Result<Kept<A>, ServiceError> {
        let mut kept = self.shortcut()?.unwrap_or_default();
        self.kept.store(kept.seq, Ordering::Relaxed);
        loop {
            let records = self.since(kept.seq + 1, CHUNK)?;
            let Some(last) = records.last() else { return Ok(kept) };
            kept.seq = last.seq;
            for record in &records {
                kept.aggregate.evolve(record.seq, record.at, &record.event);
            }
        }
    }

    fn shortcut(&self) -> Result<Option<Kept<A>>, ServiceError> {
        let Some(snapshot) = self.deps.journal.snapshot(&self.name)? else {
            return Ok(None);
        };
        let last = self.deps.journal.read(&self.name, snapshot.seq, 1)?.pop();
        let fits = last.is_some_and(|record| record.hash == snapshot.hash);
        let kept: Option<Kept<A>> = serde_json::from_slice(&snapshot.state).ok();
        Ok(kept.filter(|kept| fits && kept.seq == snapshot.seq))
    }

    /// Waits until nobody else decides anything of a key.
    pub async fn lock(&self, key: &str) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = locked(&self.locks);
            let known = locks.get(key).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                locks.retain(|_, lock| lock.strong_count() > 0);
                let lock = Arc::default();
                locks.insert(key.to_owned(), Arc::downgrade(&lock));
                lock
            })
        };
        lock.lock_owned().await
    }

    /// Decides something of a key while nobody else does, and puts it on disk, see [`EventStore::put`].
    ///
    /// # Errors
    /// What `decide` says, or as [`EventStore::put`].
    pub async fn change<E: Into<ServiceError>>(
        self: &Arc<Self>,
        key: &str,
        decide: impl FnOnce(&A) -> Result<Vec<Wanted<A::Event>>, E>,
        then: impl FnOnce(&[Written<A::Event>]) + Send + 'static,
    ) -> Result<Vec<Written<A::Event>>, ServiceError>
    where
        A: Send + 'static,
        A::Event: Send + Sync + 'static,
    {
        let held = self.lock(key).await;
        let events = decide(&self.state()).map_err(Into::into)?;
        self.put(held, events, then).await
    }

    /// Puts events on disk, lets them be seen, and tells who follows; holds `until` as long, and does `then` with them; erases what
    /// nobody can ask for any more by them. Goes on to its end whether or not the caller waits for it: what is on disk and not
    /// applied would be seen after the next start alone.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn put<G: Send + 'static>(
        self: &Arc<Self>,
        until: G,
        events: Vec<Wanted<A::Event>>,
        then: impl FnOnce(&[Written<A::Event>]) + Send + 'static,
    ) -> Result<Vec<Written<A::Event>>, ServiceError>
    where
        A: Send + 'static,
        A::Event: Send + Sync + 'static,
    {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let at_stake: Vec<(u64, u64)> = {
            let state = self.state();
            events.iter().flat_map(|(event, _)| state.at_stake(event)).collect()
        };
        let store = Arc::clone(self);
        to_its_end(async move {
            let writing = store.writing.read().await;
            let written = store.append(events).await?;
            store.apply(&written);
            then(&written);
            drop((until, writing));
            if !at_stake.is_empty() {
                store.sweep_now_or_later(&at_stake).await;
            }
            Ok(written)
        })
        .await
    }

    /// Puts events on disk, one after another and all or none, each with its content.
    async fn append(&self, events: Vec<Wanted<A::Event>>) -> Result<Vec<Written<A::Event>>, ServiceError> {
        let at = self.deps.clock.now();
        let mut drafts = Vec::new();
        let mut places = Vec::new();
        let mut contents = Vec::new();
        for (event, content) in events {
            contents.push(self.cache.as_ref().and_then(|_| cached(&content)));
            let mut pieces = sealed::pieces(content).into_iter();
            let first = pieces.next().unwrap_or_default();
            let event = event.going_on(u32::try_from(pieces.len()).unwrap_or(u32::MAX));
            drafts.push(draft(&event, first, at)?);
            places.push((drafts.len() - 1, event));
            for piece in pieces {
                drafts.push(draft(&A::Event::continued(), piece, at)?);
            }
        }
        let answer = self.deps.append(&self.name, drafts, None)?;
        let appended = answer.await.map_err(|_gone| JournalFault::Closed)??;
        let written = places.into_iter().zip(contents).map(|((place, event), content)| {
            let seq = appended.first_seq + place as u64;
            if let (Some(cache), Some(content)) = (&self.cache, content) {
                cache.insert(seq, content);
            }
            Written {
                seq,
                at: appended.at,
                event,
            }
        });
        Ok(written.collect())
    }

    /// Applies what is on disk, so that it can be seen, and wakes those whom it concerns.
    fn apply(&self, written: &[Written<A::Event>]) {
        let mut state = self.state();
        // Both are held, so that whoever follows sees a key and those who follow it as they belong together.
        let mut followers = locked(&self.followers);
        for one in written {
            let mut concerned = state.concerns(&one.event);
            state.evolve(one.seq, one.at, &one.event);
            concerned.extend(state.concerns(&one.event));
            // Whoever followed it learns of its end, and of nothing that another one of this name is.
            if let Some(key) = A::ends(&one.event) {
                followers.remove(key);
            }
            for changes in concerned.iter().filter_map(|key| followers.get(key)) {
                changes.send_modify(|change| *change += 1);
            }
        }
    }

    /// Follows a key, where fewer than so many do; the receiver is told of every event that concerns it, and ends with the key.
    pub fn follow(&self, key: &str, followers_max: usize) -> Option<watch::Receiver<u64>> {
        let mut followers = locked(&self.followers);
        followers.retain(|_, changes| changes.receiver_count() > 0);
        let changes = followers.entry(key.to_owned()).or_default();
        (changes.receiver_count() < followers_max).then(|| changes.subscribe())
    }

    /// Events from a record on, at most so many; what only goes on is among them.
    ///
    /// # Errors
    /// The journal's fault.
    pub fn since(&self, from: u64, max: usize) -> Result<Vec<Written<A::Event>>, ServiceError> {
        let records = self.deps.journal.read(&self.name, from, max)?;
        let written = records.iter().map(|record| {
            Ok(Written {
                seq: record.seq,
                at: record.at,
                event: self.event(record)?,
            })
        });
        written.collect()
    }

    /// What lies at a record; `None` where it was erased.
    ///
    /// # Errors
    /// The journal's fault.
    pub fn content(&self, seq: u64) -> Result<Option<String>, ServiceError> {
        if let Some(content) = self.cache.as_ref().and_then(|cache| cache.get(&seq)) {
            return Ok(Some(content.to_string()));
        }
        let record = sealed::record(&*self.deps.journal, &self.name, seq)?;
        if record.erased {
            return Ok(None);
        }
        let more = self.event(&record)?.more();
        let bytes = sealed::whole(&*self.deps.journal, &self.name, record, more)?;
        let text =
            String::from_utf8(bytes).map_err(|_| sealed::damaged(&self.name, seq, "its sealed part is no text"))?;
        if let Some(cache) = &self.cache {
            cache.insert(seq, Arc::from(text.as_str()));
        }
        Ok(Some(text))
    }

    /// What a journal needs from time to time: garbage is erased, and what was said more than so many days ago (0 keeps it); a
    /// snapshot is kept where one is due.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn tidy(&self, kept_days: i64) -> Result<(), ServiceError> {
        let end = {
            // What is on disk is applied then, so that it is not taken for garbage.
            let _nobody_writes = self.writing.write().await;
            self.end()?
        };
        self.sweep(&[(1, end)]).await?;
        if kept_days > 0 {
            let age_ms = kept_days.saturating_mul(DAY_MS);
            let before = self.deps.clock.now().plus_ms(age_ms.saturating_neg());
            let mut erased = self.erased.lock().await;
            erased.through = self.erase(erased.through + 1, end, before).await?;
        }
        self.keep_up()
    }

    /// Erases what of these records nobody can ask for any more; all of them are applied.
    async fn sweep(&self, among: &[(u64, u64)]) -> Result<(), ServiceError> {
        let mut erased = self.erased.lock().await;
        let mut garbage = Ranges::default();
        among.iter().for_each(|(from, through)| garbage.add(*from, *through));
        let needed = self.state().needed();
        for (from, through) in needed.into_iter().chain(erased.garbage.iter()) {
            garbage.take_out(from, through);
        }
        if let Some(cache) = &self.cache {
            cache.retain(|record, _| !garbage.has(*record));
        }
        for (from, through) in garbage.iter() {
            self.erase(from, through, WHENEVER).await?;
            erased.garbage.add(from, through);
        }
        Ok(())
    }

    /// The same where it is done again later if it cannot be done now.
    async fn sweep_now_or_later(&self, among: &[(u64, u64)]) {
        if let Err(error) = self.sweep(among).await
            && !error.is_stop()
        {
            tracing::warn!(journal = self.name.0, %error, "what was deleted is not erased yet");
        }
    }

    /// Erases the contents of these records for good, those that happened before a moment; up to which record there was
    /// nothing younger.
    async fn erase(&self, from: u64, through: u64, before: At) -> Result<u64, ServiceError> {
        let mut from = from;
        while from <= through {
            let erasure = Erasure {
                from,
                through,
                before,
                records_max: ERASED_AT_ONCE,
            };
            let answer = {
                let _pass = self.deps.write_gate.pass()?;
                self.deps.journal.erase(&self.name, erasure)?
            };
            let erased = answer.await.map_err(|_gone| JournalFault::Closed)??;
            if erased.through < from {
                break;
            }
            from = erased.through + 1;
        }
        Ok(from.saturating_sub(1))
    }

    /// The last record.
    ///
    /// # Errors
    /// What the journal says.
    pub fn end(&self) -> Result<u64, ServiceError> {
        Ok(self.deps.journal.head(&self.name)?.seq)
    }

    fn event(&self, record: &Record) -> Result<A::Event, ServiceError> {
        let read = serde_json::from_slice(&record.open);
        read.map_err(|error| sealed::damaged(&self.name, record.seq, &error.to_string()).into())
    }
}

/// A content as it is held in memory, where there is one.
fn cached(content: &[u8]) -> Option<Arc<str>> {
    let text = std::str::from_utf8(content).ok()?;
    (!text.is_empty()).then(|| Arc::from(text))
}

fn draft<E: Event>(event: &E, sealed: Vec<u8>, at: At) -> Result<Draft, ServiceError> {
    let open = serde_json::to_vec(event).map_err(|error| ServiceError::Fault(error.to_string()))?;
    Ok(Draft {
        kind: Kind::Fact,
        at,
        open,
        sealed,
    })
}

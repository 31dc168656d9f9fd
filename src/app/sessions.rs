//! Sessions of shared context: who may reach one, in which order what happens to it is decided, and where it is kept (Shared
//! Context Specification 0.1).
//!
//! Owns the journal `sessions/default` and the order in each session; what may happen is the domain's
//! ([`context::session`]). Invariants: a change is seen by nobody before it is on disk; the changes of one session
//! are on disk in the order in which they were decided, so that no version is given twice; who does not take part in a session
//! is told what who names one that is not there is told; a value never stands in the log.

pub mod audit;

pub mod documents;

pub mod erasing;

pub mod watch;

pub mod lifecycle;

pub mod values;

pub mod wanted;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Instant;

use serde_json::Value;
use tokio::sync::Mutex as TokioMutex;
use tokio::sync::watch as channel;

use crate::app::background::to_its_end;
use crate::app::caller::Caller;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Written;
use crate::app::lock::locked;
use crate::app::ports::WebhookSender;
use crate::app::sessions::values::Values;
use crate::app::telemetry::Outcome;
use context::aggregate::Aggregate;
use context::session::action::Action;
use context::session::book::Contexts;
use context::session::decide::ContextLimits;
use context::session::entry::Entry;
use context::session::event::ContextEvent;
use context::session::event::Hand;
use context::session::name::Key;
use context::session::name::SessionId;
use context::session::participant::Participant;
use context::session::refusal::ContextRefusal;
use context::session::session::Session;
use schema::time::At;
use text::secrets::words::scrubbed_words;

/// How often a value is looked for that another call overwrites meanwhile.
const LOOKS_MAX: usize = 8;

/// How sessions are bounded and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    pub limits: ContextLimits,
    /// Bytes of values that are held in memory, so that reading them takes no disk.
    pub cache_bytes: usize,
    /// Who may follow one session at once.
    pub followers_max: usize,
    /// Whether every write and delete has a line in the log.
    pub log_writes: bool,
    /// Records looked at for one page of the audit log.
    pub audit_records_max: usize,
}

/// How many sessions there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionCensus {
    pub open: usize,
    pub archived: usize,
    pub keys: usize,
}

/// A session in this process.
struct SessionLock {
    /// Held while a change is decided and put on disk.
    writing: Arc<TokioMutex<()>>,
    /// Moves with every change.
    changes: channel::Sender<u64>,
}

/// All sessions.
pub struct Sessions {
    pub options: SessionOptions,
    deps: Arc<Dependencies>,
    webhook_sender: Arc<dyn WebhookSender>,
    events: EventStore<Contexts>,
    values: Mutex<Values>,
    locks: Mutex<BTreeMap<SessionId, Arc<SessionLock>>>,
    /// Sessions begin one after another, so that they can be counted.
    creating: Arc<TokioMutex<()>>,
    /// Erasing is one at a time.
    erasing: TokioMutex<()>,
}

/// What is to be put on disk: events, each with what goes into its sealed part.
type Decided = Vec<(ContextEvent, String)>;

/// An entry whose value is wanted.
type Found = (Key, Entry);

/// The same with its value.
type Whole = (Key, Entry, Arc<str>);

impl Sessions {
    /// Reads all sessions back.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn begin(
        deps: &Arc<Dependencies>,
        webhook_sender: Arc<dyn WebhookSender>,
        options: SessionOptions,
    ) -> Result<Arc<Sessions>, ServiceError> {
        let events: EventStore<Contexts> = EventStore::open(deps, "sessions")?;
        let locks = events
            .state()
            .sessions
            .keys()
            .map(|id| (id.clone(), SessionLock::new()))
            .collect();
        Ok(Arc::new(Sessions {
            options,
            deps: Arc::clone(deps),
            webhook_sender,
            events,
            values: Mutex::new(Values::new(options.cache_bytes)),
            locks: Mutex::new(locks),
            creating: Arc::default(),
            erasing: TokioMutex::new(()),
        }))
    }

    /// Does what an agent asks of a session (S-014, S-015). The answer, as JSON text.
    ///
    /// # Errors
    /// What the rules say, or what the journal says.
    pub async fn act(self: &Arc<Self>, caller: &Caller, session: &str, action: Action) -> Result<String, ServiceError> {
        let (begun, name) = (Instant::now(), action.name());
        let done = self.acted(caller, session, action).await;
        self.observe(name, begun, done.as_ref().err());
        done
    }

    async fn acted(self: &Arc<Self>, caller: &Caller, session: &str, action: Action) -> Result<String, ServiceError> {
        let id = named(session)?;
        let limits = self.options.limits;
        match action {
            Action::ListKeys => {
                let contexts = self.events.state();
                let (session, who) = part(&contexts, &id, caller)?;
                documents::keys(session, &who, self.now(), &limits)
            }
            Action::Read { key } => {
                let found = self.look(&id, caller, |session, who, now| {
                    let key = session.config.key(&key)?;
                    Ok(vec![(key.clone(), session.entry(&key, who, now)?.clone())])
                })?;
                let (key, entry, value) = found.into_iter().next().ok_or(ContextRefusal::KeyNotFound)?;
                documents::read(&key, &entry, &value)
            }
            Action::ReadBatch { keys } => self.read_batch(&id, caller, &keys),
            Action::ReadHistory { key, versions } => self.read_history(&id, caller, &key, versions.as_deref()),
            Action::ReadSnapshot { label } => {
                let mut frozen = None;
                let found = self.look(&id, caller, |session, who, now| {
                    let kept = session.frozen(&label)?;
                    frozen = Some((kept.at, kept.by.clone()));
                    let seen = session.seen_of(kept, who, now);
                    Ok(seen.map(|(key, entry)| (key.clone(), entry.clone())).collect())
                })?;
                documents::snapshot(&label, frozen, &found)
            }
            Action::ListSnapshots => {
                let contexts = self.events.state();
                let (session, _) = part(&contexts, &id, caller)?;
                session.config.demand(session.config.snapshots, "snapshots")?;
                documents::snapshots(session)
            }
            Action::Write(mut write) => {
                // Before anything is kept of it.
                let scrubbed = scrubbed_words(&write.value);
                let is_scrubbed = scrubbed.is_some();
                write.value = scrubbed.unwrap_or(write.value);
                let value = write.value.clone();
                let written = self
                    .change_as(&id, caller, |id, session, hand, now| {
                        let event = session.write(id, &write, hand, now, &limits)?;
                        Ok(expired(id, session, now).chain([(event, value)]).collect())
                    })
                    .await?;
                documents::written(written.last(), is_scrubbed, &limits.size)
            }
            Action::Delete { key, at } => {
                let deleted = self
                    .change_as(&id, caller, |id, session, hand, now| {
                        Ok(vec![(session.delete(id, &key, at, hand, now)?, String::new())])
                    })
                    .await?;
                documents::deleted(deleted.last())
            }
            Action::Snapshot { label } => {
                wanted::harmless(&label)?;
                let taken = self
                    .change_as(&id, caller, |id, session, hand, _| {
                        Ok(vec![(session.snapshot(id, label, hand, &limits)?, String::new())])
                    })
                    .await?;
                documents::labelled("snapshot", taken.last())
            }
            Action::Rollback { label } => {
                let put_back = self
                    .change_as(&id, caller, |id, session, hand, now| {
                        let event = session.put_back(id, label, hand, now)?;
                        Ok(expired(id, session, now).chain([(event, String::new())]).collect())
                    })
                    .await?;
                documents::rolled_back(put_back.last())
            }
            Action::DeleteSnapshot { label } => {
                let deleted = self
                    .change_as(&id, caller, |id, session, hand, _| {
                        Ok(vec![(session.unsnapshot(id, label, hand)?, String::new())])
                    })
                    .await?;
                documents::labelled("deleted_snapshot", deleted.last())
            }
        }
    }

    fn read_batch(&self, id: &SessionId, caller: &Caller, keys: &[String]) -> Result<String, ServiceError> {
        let mut refused: BTreeMap<usize, ContextRefusal> = BTreeMap::new();
        let found = self.look(id, caller, |session, who, now| {
            session.config.demand(session.config.batch_read, "batch_read")?;
            refused.clear();
            let mut found = Vec::new();
            for (place, text) in keys.iter().enumerate() {
                let entry = session.config.key(text).and_then(|key| {
                    let entry = session.entry(&key, who, now)?.clone();
                    Ok((key, entry))
                });
                match entry {
                    Ok(entry) => found.push(entry),
                    Err(refusal) => {
                        refused.insert(place, refusal);
                    }
                }
            }
            Ok(found)
        })?;
        documents::batch(keys, &found, &refused)
    }

    fn read_history(
        &self,
        id: &SessionId,
        caller: &Caller,
        key: &str,
        versions: Option<&[u64]>,
    ) -> Result<String, ServiceError> {
        let mut told = None;
        let found = self.look(id, caller, |session, who, now| {
            let key = session.config.key(key)?;
            let (past, missing) = session.history(&key, versions, who, now)?;
            let kept = past.iter().filter_map(|past| documents::version(past).cloned());
            let kept = kept.map(|entry| (key.clone(), entry)).collect();
            told = Some((past, missing));
            Ok(kept)
        })?;
        let (past, missing) = told.unwrap_or_default();
        documents::history(key, &past, &missing, &found)
    }

    /// Looks entries up and fetches their values. What another call takes away in between is looked up once more.
    fn look(
        &self,
        id: &SessionId,
        caller: &Caller,
        mut find: impl FnMut(&Session, &Participant, At) -> Result<Vec<Found>, ContextRefusal>,
    ) -> Result<Vec<Whole>, ServiceError> {
        for _ in 0..LOOKS_MAX {
            let found = {
                let contexts = self.events.state();
                let (session, who) = part(&contexts, id, caller)?;
                find(session, &who, self.now())?
            };
            let whole: Option<Vec<Whole>> = self.fetch(found)?;
            if let Some(whole) = whole {
                return Ok(whole);
            }
        }
        Err(ServiceError::Busy { retry_after_s: 1 })
    }

    /// The values of entries; `None` where one of them was erased meanwhile.
    fn fetch(&self, found: Vec<Found>) -> Result<Option<Vec<Whole>>, ServiceError> {
        let mut whole = Vec::with_capacity(found.len());
        for (key, entry) in found {
            let held = locked(&self.values).get(entry.content);
            let value = match held {
                Some(value) => value,
                None => {
                    let Some(text) = self.events.content(entry.content)? else {
                        return Ok(None);
                    };
                    let value: Arc<str> = Arc::from(text);
                    locked(&self.values).put(entry.content, Arc::clone(&value));
                    value
                }
            };
            whole.push((key, entry, value));
        }
        Ok(Some(whole))
    }

    /// The three blocks for a system prompt of the caller's, as JSON (S-058).
    ///
    /// # Errors
    /// [`ContextRefusal::SessionNotFound`], [`ContextRefusal::RoleNotGranted`], or a fault of the journal.
    pub fn prompt(&self, caller: &Caller, session: &str) -> Result<Value, ServiceError> {
        let id = named(session)?;
        let (config, who, lies, is_archived) = {
            let contexts = self.events.state();
            let (session, who) = part(&contexts, &id, caller)?;
            let lies = session.namespace.then_some(session.seq);
            (session.config.clone(), who, lies, session.archived.is_some())
        };
        let own = lies.map(|seq| self.events.content(seq)).transpose()?.flatten();
        documents::prompt(
            (&id, &who),
            own.as_deref(),
            (&config, is_archived),
            &self.options.limits.size,
        )
    }

    /// Everything that is in a session, values included, for whoever runs the service (S-100).
    ///
    /// # Errors
    /// [`ContextRefusal::SessionNotFound`], or a fault of the journal.
    pub fn inspect(&self, session: &str) -> Result<Value, ServiceError> {
        let id = named(session)?;
        for _ in 0..LOOKS_MAX {
            let (mut document, found) = {
                let contexts = self.events.state();
                let session = contexts.sessions.get(&id).ok_or(ContextRefusal::SessionNotFound)?;
                let document =
                    documents::session(&id, session, session.owner.as_ref(), self.now(), &self.options.limits);
                let living = session.living(self.now());
                let found = living.map(|(key, entry)| (key.clone(), entry.clone())).collect();
                (document, found)
            };
            if let Some(found) = self.fetch(found)? {
                document["contents"] = documents::contents(&found);
                return Ok(document);
            }
        }
        Err(ServiceError::Busy { retry_after_s: 1 })
    }

    /// How many there are.
    pub fn census(&self) -> SessionCensus {
        let contexts = self.events.state();
        let archived = contexts
            .sessions
            .values()
            .filter(|session| session.archived.is_some())
            .count();
        SessionCensus {
            open: contexts.sessions.len() - archived,
            archived,
            keys: contexts.sessions.values().map(|session| session.entries.len()).sum(),
        }
    }

    /// Decides something that a participant does: as what it takes part is asked when its turn has come.
    async fn change_as(
        self: &Arc<Self>,
        id: &SessionId,
        caller: &Caller,
        decide: impl FnOnce(&SessionId, &Session, Hand, At) -> Result<Decided, ContextRefusal>,
    ) -> Result<Vec<Written<ContextEvent>>, ServiceError> {
        // Who takes no part does not wait for those who do.
        part(&self.events.state(), id, caller)?;
        self.change(id, |id, session, now| {
            let hand = Hand {
                by: session.participant(caller.client.as_ref(), caller.speaks_as.as_ref())?,
                principal: caller.client.clone(),
            };
            decide(id, session, hand, now)
        })
        .await
    }

    /// Decides something of a session, puts it on disk, and lets it be seen; goes on to its end even where whoever asked is gone.
    async fn change(
        self: &Arc<Self>,
        id: &SessionId,
        decide: impl FnOnce(&SessionId, &Session, At) -> Result<Decided, ContextRefusal>,
    ) -> Result<Vec<Written<ContextEvent>>, ServiceError> {
        let lock = locked(&self.locks).get(id).cloned();
        let lock = lock.ok_or(ContextRefusal::SessionNotFound)?;
        let held = Arc::clone(&lock.writing).lock_owned().await;
        let decided = {
            let contexts = self.events.state();
            let session = contexts.sessions.get(id).ok_or(ContextRefusal::SessionNotFound)?;
            decide(id, session, self.now())?
        };
        if decided.is_empty() {
            return Ok(Vec::new());
        }
        let this = Arc::clone(self);
        to_its_end(async move {
            let put = this.put(decided).await;
            drop(held);
            put
        })
        .await
    }

    /// Puts events on disk, applies them, and tells those who follow.
    async fn put(&self, decided: Decided) -> Result<Vec<Written<ContextEvent>>, ServiceError> {
        let values: Vec<Arc<str>> = decided.iter().map(|(_, value)| Arc::from(value.as_str())).collect();
        let events = decided.into_iter().map(|(event, value)| (event, value.into_bytes()));
        let written = self.events.append(events.collect()).await?;
        {
            let mut held = locked(&self.values);
            for (one, value) in written.iter().zip(values) {
                if matches!(one.event, ContextEvent::Written { .. }) {
                    held.put(one.seq, value);
                }
            }
        }
        self.apply(&written);
        Ok(written)
    }

    /// Lets what is on disk be seen, and tells those who follow.
    fn apply(&self, written: &[Written<ContextEvent>]) {
        // Both are held, so that whoever creates a session under the id of one that goes finds neither or both.
        let mut locks = locked(&self.locks);
        let mut contexts = self.events.state();
        for one in written {
            contexts.evolve(one.seq, one.at, &one.event);
            let Some(session) = one.event.session() else { continue };
            if matches!(one.event, ContextEvent::Removed { .. }) {
                locks.remove(session);
            } else if let Some(lock) = locks.get(session) {
                lock.changes.send_modify(|change| *change += 1);
            }
        }
        drop(contexts);
        drop(locks);
        if self.options.log_writes {
            written.iter().for_each(audit::log);
        }
    }

    fn observe(&self, operation: &'static str, begun: Instant, error: Option<&ServiceError>) {
        let outcome = error.map_or(Outcome::Accepted, ServiceError::outcome);
        let seconds = begun.elapsed().as_secs_f64();
        self.deps.observer.context(operation, outcome, seconds);
    }

    fn now(&self) -> At {
        self.deps.clock.now()
    }
}

impl SessionLock {
    fn new() -> Arc<SessionLock> {
        Arc::new(SessionLock {
            writing: Arc::default(),
            changes: channel::Sender::new(0),
        })
    }
}

/// That some keys' time is over, where it is: put on disk before what happens next.
fn expired(id: &SessionId, session: &Session, now: At) -> impl Iterator<Item = (ContextEvent, String)> {
    session.expire(id, now).map(|event| (event, String::new())).into_iter()
}

/// An id that somebody names; what cannot be one is not there.
fn named(session: &str) -> Result<SessionId, ServiceError> {
    SessionId::parse(session).ok_or_else(|| ContextRefusal::SessionNotFound.into())
}

/// A session of which a caller knows.
fn known<'a>(contexts: &'a Contexts, id: &SessionId, caller: &Caller) -> Result<&'a Session, ServiceError> {
    let session = contexts.sessions.get(id);
    let session = session.filter(|session| session.is_known_to(caller.client.as_ref()));
    session.ok_or_else(|| ContextRefusal::SessionNotFound.into())
}

/// A session, and as what a caller takes part in it.
fn part<'a>(
    contexts: &'a Contexts,
    id: &SessionId,
    caller: &Caller,
) -> Result<(&'a Session, Participant), ServiceError> {
    let session = known(contexts, id, caller)?;
    let who = session.participant(caller.client.as_ref(), caller.speaks_as.as_ref())?;
    Ok((session, who))
}

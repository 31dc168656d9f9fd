//! A journal of events alone: what happened, with what was said in the sealed part, which goes on in the records right after it.
//!
//! A snapshot is made from the journal, never from what a process holds, so that it does not matter in which order those who
//! write apply what they wrote.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde::Serialize;

use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::lock::locked;
use crate::app::sealed;
use context::aggregate::Aggregate;
use context::aggregate::Event;
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

/// A journal of the default server agent that holds events of one kind, and what they mean together.
pub struct EventStore<A: Aggregate> {
    deps: Arc<Dependencies>,
    name: JournalName,
    /// The record of the newest snapshot.
    kept: AtomicU64,
    state: Mutex<A>,
}

/// An event as it lies on disk.
#[derive(Clone, Debug)]
pub struct Written<E> {
    pub seq: u64,
    pub at: At,
    pub event: E,
}

/// A snapshot's text.
#[derive(Serialize, Deserialize)]
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
        };
        let read = store.read()?.aggregate;
        *store.state() = read;
        Ok(store)
    }

    /// What the events that were applied mean together. Held for moments only, never across an await.
    pub fn state(&self) -> MutexGuard<'_, A> {
        locked(&self.state)
    }

    /// Keeps a snapshot where enough was appended since the last one.
    ///
    /// # Errors
    /// The journal's first fault, named; or that no snapshot could be kept, which costs the next start some time.
    pub fn keep_up(&self) -> Result<(), ServiceError> {
        let end = self.end()?;
        if end - self.kept.load(Ordering::Relaxed).min(end) < self.deps.options.snapshot_every_records {
            return Ok(());
        }
        let kept = self.read()?;
        let last = self.deps.journal.read(&self.name, kept.seq, 1)?.pop();
        let hash = last.ok_or_else(|| self.damaged(kept.seq, "it is missing"))?.hash;
        let seq = kept.seq;
        let state = serde_json::to_vec(&kept).map_err(|error| ServiceError::Fault(error.to_string()))?;
        let _pass = self.deps.write_gate.pass()?;
        self.deps
            .journal
            .keep_snapshot(&self.name, &Snapshot { seq, hash, state })?;
        self.kept.store(seq, Ordering::Relaxed);
        Ok(())
    }

    fn read(&self) -> Result<Kept<A>, ServiceError> {
        let mut kept = self.shortcut()?.unwrap_or_else(|| Kept {
            seq: 0,
            aggregate: A::default(),
        });
        self.kept.store(kept.seq, Ordering::Relaxed);
        loop {
            let records = self.deps.journal.read(&self.name, kept.seq + 1, CHUNK)?;
            let Some(last) = records.last() else { return Ok(kept) };
            kept.seq = last.seq;
            for record in &records {
                kept.aggregate.evolve(record.seq, record.at, &self.event(record)?);
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

    /// Puts events on disk, one after another and all or none, each with its content.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn append(&self, events: Vec<(A::Event, Vec<u8>)>) -> Result<Vec<Written<A::Event>>, ServiceError> {
        let at = self.deps.clock.now();
        let mut drafts = Vec::new();
        let mut places = Vec::new();
        for (event, content) in events {
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
        let written = places.into_iter().map(|(place, event)| Written {
            seq: appended.first_seq + place as u64,
            at: appended.at,
            event,
        });
        Ok(written.collect())
    }

    /// Applies what is on disk, so that it can be seen.
    pub fn apply(&self, written: &[Written<A::Event>]) {
        let mut state = self.state();
        for one in written {
            state.evolve(one.seq, one.at, &one.event);
        }
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
        let record = self.deps.journal.read(&self.name, seq, 1)?.pop();
        let record = record.ok_or_else(|| self.damaged(seq, "it is missing"))?;
        if record.erased {
            return Ok(None);
        }
        let more = usize::try_from(self.event(&record)?.more()).unwrap_or(usize::MAX);
        let mut bytes = record.sealed;
        if more > 0 {
            for next in self.deps.journal.read(&self.name, seq + 1, more)? {
                bytes.extend_from_slice(&next.sealed);
            }
        }
        let text = String::from_utf8(bytes).map_err(|_| self.damaged(seq, "its sealed part is no text"))?;
        Ok(Some(text))
    }

    /// Erases the contents of these records for good, those that happened before a moment; up to which record there was
    /// nothing younger.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn erase(&self, from: u64, through: u64, before: At) -> Result<u64, ServiceError> {
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

    /// Erases what was said more than so many days ago (0 keeps it), from a record on; up to which record.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn erase_older(&self, from: u64, kept_days: i64) -> Result<u64, ServiceError> {
        let end = self.end()?;
        if kept_days <= 0 || end < from {
            return Ok(from.saturating_sub(1));
        }
        let now = self.deps.clock.now();
        let before = now.plus_ms(kept_days.saturating_mul(DAY_MS).saturating_neg());
        self.erase(from, end, before).await
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
        read.map_err(|error| ServiceError::from(self.damaged(record.seq, &error.to_string())))
    }

    fn damaged(&self, seq: u64, what: &str) -> JournalFault {
        JournalFault::Damaged {
            journal: self.name.0.clone(),
            seq,
            what: what.to_owned(),
        }
    }
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

//! A store in memory with the contract of the embedded one: for replays and tests. Nothing survives the process.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::sync::watch;

use crate::edge::store::frame;
use crate::edge::store::options::StoreOptions;
use crate::service::ports::Appended;
use crate::service::ports::Draft;
use crate::service::ports::Head;
use crate::service::ports::Journal;
use crate::service::ports::JournalFault;
use crate::service::ports::JournalName;
use crate::service::ports::Kind;
use crate::service::ports::Record;
use crate::service::ports::Snapshot;
use crate::service::ports::Tail;

struct Kept {
    head: Head,
    records: Vec<Record>,
    snapshot: Option<Snapshot>,
    watch: watch::Sender<u64>,
    tail: Option<mpsc::Sender<Record>>,
}

/// Journals in memory.
pub struct Memory {
    journals: Mutex<(bool, BTreeMap<JournalName, Kept>)>,
    record_bytes_max: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            journals: Mutex::new((false, BTreeMap::new())),
            record_bytes_max: StoreOptions::default().record_bytes_max,
        }
    }
}

impl Default for Kept {
    fn default() -> Self {
        Kept {
            head: Head::default(),
            records: Vec::new(),
            snapshot: None,
            watch: watch::Sender::new(0),
            tail: None,
        }
    }
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, (bool, BTreeMap<JournalName, Kept>)> {
        self.journals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for Memory {
    fn append(
        &self,
        journal: &JournalName,
        drafts: Vec<Draft>,
        decided: Option<u64>,
    ) -> Result<oneshot::Receiver<Result<Appended, JournalFault>>, JournalFault> {
        for draft in &drafts {
            let bytes = draft.open.len() + draft.sealed.len();
            if bytes > self.record_bytes_max {
                return Err(JournalFault::TooLarge {
                    bytes,
                    limit: self.record_bytes_max,
                });
            }
        }
        let mut guard = self.lock();
        let (closed, journals) = &mut *guard;
        if *closed {
            return Err(JournalFault::Closed);
        }
        let (reply, answer) = oneshot::channel();
        let kept = journals.entry(journal.clone()).or_default();
        if let Some(expected) = decided.filter(|expected| *expected != kept.head.decided) {
            let _ = reply.send(Err(JournalFault::Moved {
                expected,
                found: kept.head.decided,
            }));
            return Ok(answer);
        }
        let first_seq = kept.head.seq + 1;
        for Draft { kind, at, open, sealed } in drafts {
            let seq = kept.head.seq + 1;
            let at = at.max(kept.head.at);
            let hash = frame::write(&mut Vec::new(), &kept.head.hash, kind, seq, at, &open, &sealed);
            let decided = if kind == Kind::Decision { seq } else { kept.head.decided };
            kept.head = Head { seq, at, hash, decided };
            let record = Record {
                seq,
                at,
                kind,
                open,
                sealed,
                hash,
            };
            if let Some(tail) = &kept.tail {
                let _ = tail.try_send(record.clone());
            }
            kept.records.push(record);
        }
        kept.watch.send_replace(kept.head.seq);
        let _ = reply.send(Ok(Appended {
            first_seq,
            at: kept.head.at,
        }));
        Ok(answer)
    }

    fn head(&self, journal: &JournalName) -> Result<Head, JournalFault> {
        Ok(self.lock().1.get(journal).map(|kept| kept.head).unwrap_or_default())
    }

    fn read(&self, journal: &JournalName, from: u64, max: usize) -> Result<Vec<Record>, JournalFault> {
        let skip = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
        let guard = self.lock();
        let records = guard
            .1
            .get(journal)
            .map(|kept| kept.records.iter().skip(skip).take(max).cloned().collect());
        Ok(records.unwrap_or_default())
    }

    fn journals(&self) -> Result<Vec<JournalName>, JournalFault> {
        Ok(self
            .lock()
            .1
            .iter()
            .filter(|(_, kept)| kept.head.seq > 0)
            .map(|(name, _)| name.clone())
            .collect())
    }

    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail {
        let (sender, records) = mpsc::channel(capacity.max(1));
        let mut guard = self.lock();
        let kept = guard.1.entry(journal.clone()).or_default();
        kept.tail = Some(sender);
        Tail {
            records,
            head: kept.watch.subscribe(),
        }
    }

    fn keep_snapshot(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault> {
        self.lock().1.entry(journal.clone()).or_default().snapshot = Some(snapshot.clone());
        Ok(())
    }

    fn snapshot(&self, journal: &JournalName) -> Result<Option<Snapshot>, JournalFault> {
        Ok(self.lock().1.get(journal).and_then(|kept| kept.snapshot.clone()))
    }

    fn close(&self) {
        self.lock().0 = true;
    }
}

//! Journals that live as long as the process: for replays and tests. Same contract, no durability.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use tokio::sync::oneshot;

use crate::journal::Appended;
use crate::journal::Draft;
use crate::journal::Erased;
use crate::journal::Erasure;
use crate::journal::Head;
use crate::journal::Journal;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Record;
use crate::journal::Snapshot;
use crate::journal::Tail;

use super::followers::Followers;
use super::frame;
use super::heads;
use super::line;
use super::options::StoreSettings;
use super::snapshots;

/// Journals in memory.
#[derive(Debug)]
pub struct Memory {
    journals: Mutex<Option<BTreeMap<JournalName, Kept>>>,
    followers: Followers,
    record_bytes_max: usize,
}

#[derive(Debug, Default)]
struct Kept {
    head: Head,
    records: Vec<Record>,
    snapshots: BTreeMap<u64, Snapshot>,
}

impl Memory {
    /// An empty store with the embedded store's limit of bytes in a record.
    pub fn new() -> Memory {
        Memory {
            journals: Mutex::new(Some(BTreeMap::new())),
            followers: Followers::default(),
            record_bytes_max: StoreSettings::default().record_bytes_max,
        }
    }

    fn open(&self) -> Guard<'_> {
        Guard(self.journals.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

struct Guard<'a>(MutexGuard<'a, Option<BTreeMap<JournalName, Kept>>>);

impl Guard<'_> {
    fn journals(&mut self) -> Result<&mut BTreeMap<JournalName, Kept>, JournalFault> {
        self.0.as_mut().ok_or(JournalFault::Closed)
    }
}

impl Journal for Memory {
    fn append(
        &self,
        journal: &JournalName,
        drafts: Vec<Draft>,
        decided: Option<u64>,
    ) -> Result<oneshot::Receiver<Result<Appended, JournalFault>>, JournalFault> {
        line::check_size(&drafts, self.record_bytes_max, frame::APPEND_BYTES_CEILING)?;
        if journal.0.len() > heads::NAME_BYTES_MAX {
            return Err(JournalFault::TooLarge {
                bytes: journal.0.len(),
                limit: heads::NAME_BYTES_MAX,
            });
        }
        let (reply, receiver) = oneshot::channel();
        let mut open = self.open();
        let journals = open.journals()?;
        let mut records = Vec::new();
        let mut head = journals.get(journal).map_or_else(Head::default, |kept| kept.head);
        let answer = line::place(&mut head, drafts, decided, &mut records);
        if !records.is_empty() {
            let kept = journals.entry(journal.clone()).or_default();
            kept.head = head;
            kept.records.extend(records.iter().cloned());
            self.followers.hand_on(journal, records);
        }
        // Whoever asked may have gone.
        let _ = reply.send(answer);
        Ok(receiver)
    }

    fn erase(
        &self,
        journal: &JournalName,
        erasure: Erasure,
    ) -> Result<oneshot::Receiver<Result<Erased, JournalFault>>, JournalFault> {
        let (reply, receiver) = oneshot::channel();
        let mut erased = Erased {
            through: erasure.from.max(1) - 1,
            records: 0,
        };
        let mut open = self.open();
        let records = open.journals()?.get_mut(journal).map(|kept| &mut kept.records);
        for record in records.into_iter().flatten() {
            let wanted = record.seq <= erasure.through && record.at < erasure.before;
            if !wanted || record.seq < erasure.from {
                continue;
            }
            erased.through = record.seq;
            if !record.sealed.is_empty() {
                record.sealed = Vec::new();
                record.erased = true;
                erased.records += 1;
            }
        }
        let _ = reply.send(Ok(erased));
        Ok(receiver)
    }

    fn head(&self, journal: &JournalName) -> Result<Head, JournalFault> {
        Ok(self
            .open()
            .journals()?
            .get(journal)
            .map_or_else(Head::default, |kept| kept.head))
    }

    fn read(&self, journal: &JournalName, from: u64, max: usize) -> Result<Vec<Record>, JournalFault> {
        let mut open = self.open();
        let Some(kept) = open.journals()?.get(journal) else {
            return Ok(Vec::new());
        };
        let skipped = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
        Ok(kept.records.iter().skip(skipped).take(max).cloned().collect())
    }

    fn journals(&self) -> Result<Vec<JournalName>, JournalFault> {
        Ok(self
            .open()
            .journals()?
            .iter()
            .filter(|(_, kept)| kept.head.seq > 0)
            .map(|(name, _)| name.clone())
            .collect())
    }

    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail {
        let mut open = self.open();
        let head = open
            .journals()
            .ok()
            .and_then(|journals| journals.get(journal))
            .map_or(0, |kept| kept.head.seq);
        self.followers.follow(journal, capacity, head)
    }

    fn keep_snapshot(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault> {
        let mut open = self.open();
        let kept = open.journals()?.entry(journal.clone()).or_default();
        let hash = match snapshot.seq.checked_sub(1).map(usize::try_from) {
            None => Some([0; 32]),
            Some(index) => index
                .ok()
                .and_then(|index| kept.records.get(index))
                .map(|record| record.hash),
        };
        if hash != Some(snapshot.hash) {
            return Err(JournalFault::Store(format!(
                "journal {}: a snapshot at {} does not belong to it",
                journal.0, snapshot.seq
            )));
        }
        kept.snapshots.insert(snapshot.seq, snapshot.clone());
        while kept.snapshots.len() > snapshots::KEPT {
            kept.snapshots.pop_first();
        }
        Ok(())
    }

    fn snapshot(&self, journal: &JournalName) -> Result<Option<Snapshot>, JournalFault> {
        let mut open = self.open();
        Ok(open
            .journals()?
            .get(journal)
            .and_then(|kept| kept.snapshots.values().next_back().cloned()))
    }

    fn broken(&self) -> Option<JournalFault> {
        None
    }

    fn close(&self) {
        self.open().0.take();
        self.followers.clear();
    }
}

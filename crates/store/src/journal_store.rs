//! Journals on rows, in a folder that one process holds.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::sync::mpsc::SyncSender;
use std::sync::mpsc::TrySendError;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use parking_lot::RwLock;
use tokio::sync::oneshot;

use crate::committer::Append;
use crate::committer::Committer;
use crate::committer::Job;
use crate::committer::Retry;
use crate::committer::check_size;
use crate::data_folder::KEYS;
use crate::fault;
use crate::followers::Followers;
use crate::journal::Answer;
use crate::journal::Appended;
use crate::journal::Draft;
use crate::journal::Erased;
use crate::journal::Erasure;
use crate::journal::Head;
use crate::journal::Journal;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::KeyIndex;
use crate::journal::RawRecord;
use crate::journal::Record;
use crate::journal::Snapshot;
use crate::journal::Tail;
use crate::key_files::KeyFiles;
use crate::lock::Lock;
use crate::options::StoreOptions;
use crate::recovery;
use crate::recovery::Known;
use crate::recovery::Opened;
use crate::shared;
use crate::shared::Owed;
use crate::shared::Shared;
use crate::shared::Ticket;
use crate::snapshots::Snapshots;
use crate::space::Space;
use crate::walk::Walk;

/// Journals in one store, which a thread writes to, looked after by another one.
pub struct JournalStore {
    shared: Arc<Shared>,
    snapshots: Snapshots,
    keys: Arc<KeyFiles>,
    queue: RwLock<Option<SyncSender<Job>>>,
    committer: Mutex<Option<JoinHandle<()>>>,
    /// Ends the watchdog's thread when it is dropped.
    _watching: mpsc::Sender<()>,
    lock: Mutex<Option<Lock>>,
}

impl JournalStore {
    /// Opens or creates a folder. Every record in it is read and checked first (about a second for a gigabyte).
    ///
    /// # Errors
    /// When another process has the folder, when the disk is full, and when anything in it is damaged or missing:
    /// [`JournalFault::Damaged`], [`JournalFault::Truncated`], or [`JournalFault::Store`] with the engine's own finding.
    pub fn open(folder: &Path, options: StoreOptions) -> Result<JournalStore, JournalFault> {
        let StoreOptions {
            engine,
            settings,
            on_commit,
            free_bytes,
            before_sync,
        } = options;
        let (lock, opened) = recovery::open(folder, engine, &settings)?;
        let journals = opened.recover()?;
        let snapshots = Snapshots::in_folder(folder);
        if let Some(lost) = snapshots.ahead(&journals)?.into_iter().next() {
            return Err(lost);
        }
        let keys = KeyFiles::open(&folder.join(KEYS), |name, seq, hash| {
            let state = Vec::new();
            let known = journals.get(name).filter(|known| known.head.seq >= seq);
            known.is_some_and(|known| {
                let walk = opened.walk(known.number);
                walk.holds(&name.0, &Snapshot { seq, hash, state }).unwrap_or(false)
            })
        })?;
        let Opened {
            engine,
            rows,
            mut heads,
            standing,
        } = opened;
        heads.mend(&standing)?;
        let shared = Arc::new(Shared {
            journals: RwLock::new(journals),
            rows: RwLock::new(Some(rows)),
            before_sync,
            followers: Followers::default(),
            broken: RwLock::new(None),
            space: Space::new(folder, settings.free_bytes_min, free_bytes),
            patience: Duration::from_millis(settings.stall_ms),
            watched: Mutex::default(),
        });
        let (queue, jobs) = mpsc::sync_channel(settings.queue_appends_max.max(1));
        let committer = Committer {
            shared: Arc::clone(&shared),
            on_commit,
            folder: folder.to_owned(),
            engine,
            settings,
            heads,
            unsynced: None,
            retry: Retry::default(),
            last_batch: 0,
        };
        let (watching, ended) = mpsc::channel();
        let watched = Arc::clone(&shared);
        let started = |name: &str| thread::Builder::new().name(name.to_owned());
        let committing = started("committer")
            .spawn(move || committer.run(&jobs))
            .map_err(|error| fault::from_io(&error, folder))?;
        started("watchdog")
            .spawn(move || watched.watch(&ended))
            .map_err(|error| fault::from_io(&error, folder))?;
        Ok(JournalStore {
            shared,
            snapshots,
            keys,
            queue: RwLock::new(Some(queue)),
            committer: Mutex::new(Some(committing)),
            _watching: watching,
            lock: Mutex::new(Some(lock)),
        })
    }

    /// Hands a job to the committer, which owes an answer from then on.
    fn enqueue<T>(
        &self,
        owed: impl FnOnce(oneshot::Sender<Result<T, JournalFault>>) -> Owed,
        job: impl FnOnce(Ticket) -> Job,
    ) -> Answer<T> {
        let (reply, receiver) = oneshot::channel();
        let queue = self.queue.read();
        let queue = queue.as_ref().ok_or(JournalFault::Closed)?;
        if let Some(fault) = self.shared.broken() {
            return Err(fault);
        }
        let ticket = self.shared.owe(owed(reply))?;
        queue.try_send(job(ticket)).map_err(|unsent| {
            drop(self.shared.take(ticket));
            match unsent {
                TrySendError::Full(_) => JournalFault::Busy,
                TrySendError::Disconnected(_) => JournalFault::Closed,
            }
        })?;
        Ok(receiver)
    }

    fn check_open(&self) -> Result<(), JournalFault> {
        self.shared.with_rows(|_| Ok(()))
    }

    fn known(&self, journal: &JournalName) -> Result<Known, JournalFault> {
        self.check_open()?;
        Ok(self.shared.journals.read().get(journal).copied().unwrap_or_default())
    }

    /// Gives the records of a journal from `from` on, up to `max` of them, where there are any, as [`Walk::read`] does.
    fn read_span(
        &self,
        journal: &JournalName,
        from: u64,
        max: usize,
        take: impl FnMut(Record, &[u8]) -> bool,
    ) -> Result<(), JournalFault> {
        let Known { number, head } = self.known(journal)?;
        let from = from.max(1);
        if from > head.seq || max == 0 {
            return Ok(());
        }
        let last = head.seq.min(from.saturating_add(max as u64 - 1));
        self.shared
            .with_rows(|kv| Walk { kv, journal: number }.read(&journal.0, from..=last, take))
    }

    /// Lets the committer come to its end; whether it did.
    fn end(&self) -> bool {
        drop(self.queue.write().take());
        let Some(committer) = self.committer.lock().take() else {
            return true;
        };
        while !committer.is_finished() && !self.shared.gave_up() {
            self.shared.look_after();
            thread::sleep(shared::PAUSE);
        }
        if !committer.is_finished() {
            // It holds the store, and whatever the disk makes of its last write: no other process gets the folder before
            // this one has ended.
            std::mem::forget(self.lock.lock().take());
            tracing::error!("the committer does not come back; the store is left as it is");
            // Whoever closes again finds it so too.
            *self.committer.lock() = Some(committer);
            return false;
        }
        if committer.join().is_err() {
            tracing::error!("the committer gave up");
        }
        true
    }

    /// Whether a snapshot is of this journal.
    fn holds(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<bool, JournalFault> {
        let Known { number, head } = self.known(journal)?;
        if snapshot.seq > head.seq {
            return Ok(false);
        }
        self.shared
            .with_rows(|kv| Walk { kv, journal: number }.holds(&journal.0, snapshot))
    }
}

impl Journal for JournalStore {
    fn append(&self, journal: &JournalName, drafts: Vec<Draft>, decided: Option<u64>) -> Answer<Appended> {
        check_size(journal, &drafts)?;
        let append = Append {
            journal: journal.clone(),
            drafts,
            decided,
        };
        self.enqueue(Owed::Append, |ticket| Job::Append(ticket, append))
    }

    fn erase(&self, journal: &JournalName, erasure: Erasure) -> Answer<Erased> {
        self.enqueue(Owed::Erase, |ticket| Job::Erase(ticket, journal.clone(), erasure))
    }

    fn purge(&self) -> Answer<Erased> {
        self.enqueue(Owed::Erase, Job::Purge)
    }

    fn head(&self, journal: &JournalName) -> Result<Head, JournalFault> {
        Ok(self.known(journal)?.head)
    }

    fn read(&self, journal: &JournalName, from: u64, max: usize) -> Result<Vec<Record>, JournalFault> {
        let mut records = Vec::new();
        self.read_span(journal, from, max, |record, _| {
            records.push(record);
            true
        })?;
        Ok(records)
    }

    fn raw_records(&self, journal: &JournalName, from: u64, bytes_max: usize) -> Result<Vec<RawRecord>, JournalFault> {
        let (mut records, mut bytes) = (Vec::new(), 0);
        self.read_span(journal, from, usize::MAX, |record, own| {
            bytes += own.len();
            records.push(RawRecord {
                seq: record.seq,
                erased: record.erased,
                bytes: own.to_vec(),
            });
            bytes < bytes_max
        })?;
        Ok(records)
    }

    fn heads(&self) -> Result<Vec<(JournalName, Head)>, JournalFault> {
        self.check_open()?;
        // A commit publishes the heads of all its journals under one lock: these are of one moment between two commits.
        let journals = self.shared.journals.read();
        let written = journals.iter().filter(|(_, known)| known.head.seq > 0);
        Ok(written.map(|(name, known)| (name.clone(), known.head)).collect())
    }

    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail {
        // The list of journals is held while the tail is put in place, so that no commit falls between the two.
        let journals = self.shared.journals.read();
        let head = journals.get(journal).map_or(0, |known| known.head.seq);
        self.shared.followers.follow(journal, capacity, head)
    }

    fn keep_snapshot(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault> {
        if !self.holds(journal, snapshot)? {
            return Err(JournalFault::Store(format!(
                "journal {}: a snapshot at {} does not belong to it",
                journal.0, snapshot.seq
            )));
        }
        self.snapshots.keep(journal, snapshot)
    }

    fn snapshot(&self, journal: &JournalName) -> Result<Option<Snapshot>, JournalFault> {
        self.check_open()?;
        for found in self.snapshots.list(journal)? {
            match found.load() {
                Ok(snapshot) if self.holds(journal, &snapshot)? => return Ok(Some(snapshot)),
                Ok(_) => tracing::warn!(snapshot = %found.path.display(), "passed over: it is not of this journal"),
                Err(what) => tracing::warn!(snapshot = %found.path.display(), "passed over: {what}"),
            }
        }
        Ok(None)
    }

    fn key_index(&self) -> &dyn KeyIndex {
        self.keys.as_ref()
    }

    fn broken(&self) -> Option<JournalFault> {
        // Asked of the file system each time: a disk that fills while nobody writes is told before the first write.
        self.shared.broken().or_else(|| self.shared.space.check().err())
    }

    fn free_bytes(&self) -> Option<u64> {
        self.shared.space.free_bytes()
    }

    fn close(&self) {
        let is_over = self.end();
        self.shared.followers.clear();
        if is_over {
            self.keys.close();
            self.shared.leave();
            drop(self.shared.rows.write().take());
            drop(self.lock.lock().take());
        }
    }
}

impl std::fmt::Debug for JournalStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalStore").finish_non_exhaustive()
    }
}

impl Drop for JournalStore {
    fn drop(&mut self) {
        self.close();
    }
}

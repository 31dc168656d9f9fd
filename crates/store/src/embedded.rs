//! The store that needs nothing else on the machine: journals in sled, one committer, snapshots as files.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::sync::mpsc;
use std::sync::mpsc::SyncSender;
use std::sync::mpsc::TrySendError;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

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
use crate::journal::Verbatim;

use super::committer::Committer;
use super::committer::ErasureRequest;
use super::committer::Job;
use super::committer::Request;
use super::fault;
use super::followers::Followers;
use super::frame;
use super::heads;
use super::line;
use super::lock::Lock;
use super::options::RECORD_BYTES_CEILING;
use super::options::StoreOptions;
use super::recovery;
use super::recovery::Known;
use super::recovery::Opened;
use super::reopening::Reopening;
use super::shared;
use super::shared::Shared;
use super::snapshots::Snapshots;
use super::snapshots::snapshots_folder;
use super::space::Space;
use super::verbatim;
use super::walk::Walk;
use super::watchdog::Owed;
use super::watchdog::Ticket;
use super::watchdog::Watchdog;

/// Journals in one folder, held by one process.
#[derive(Debug)]
pub struct Sled {
    shared: Arc<Shared>,
    queue: RwLock<Option<SyncSender<Job>>>,
    committer: Mutex<Option<JoinHandle<()>>>,
    /// Ends the watchdog's thread when it is dropped.
    _watching: mpsc::Sender<()>,
    lock: Mutex<Option<Lock>>,
    snapshots: Snapshots,
    record_bytes_max: usize,
}

impl Sled {
    /// Opens or creates a folder. Every record in it is read and checked first (about a second for a gigabyte).
    ///
    /// # Errors
    /// When another process has the folder, when the disk is full, and when anything in it is damaged or missing:
    /// [`JournalFault::Damaged`], [`JournalFault::Truncated`], or [`JournalFault::Store`] with sled's own finding.
    pub fn open(folder: &Path, options: StoreOptions) -> Result<Sled, JournalFault> {
        let StoreOptions {
            settings,
            on_commit,
            free_bytes,
            before_sync,
        } = options;
        let opened = recovery::open(folder, &settings)?;
        let journals = recovery::recover(&opened)?;
        let Opened {
            mut table,
            mut heads,
            standing,
            lock,
        } = opened;
        let snapshots = Snapshots::new(snapshots_folder(folder));
        let ends = journals
            .iter()
            .map(|(name, known)| (name.as_str(), known.head.seq))
            .collect();
        if let Some(lost) = snapshots.ahead(&ends)?.into_iter().next() {
            return Err(lost);
        }
        heads.mend(&standing)?;
        table.ask_before_sync(before_sync);
        let shared = Arc::new(Shared {
            journals: RwLock::new(
                journals
                    .into_iter()
                    .map(|(name, known)| (JournalName(name), known))
                    .collect(),
            ),
            table: RwLock::new(Some(table)),
            followers: Followers::default(),
            broken: RwLock::new(None),
            space: Space::of(folder, settings.free_bytes_min, free_bytes),
            watchdog: Watchdog::new(Duration::from_millis(settings.stall_ms)),
        });
        let record_bytes_max = settings.record_bytes_max.min(RECORD_BYTES_CEILING);
        let (sender, receiver) = mpsc::sync_channel(settings.queue_appends_max.max(1));
        let committer = Committer {
            shared: Arc::clone(&shared),
            heads,
            settings,
            on_commit,
            unsynced: None,
            reopening: Reopening::of(folder),
        };
        let thread = thread::Builder::new()
            .name("committer".to_owned())
            .spawn(move || committer.run(&receiver))
            .map_err(|error| fault::of_io(&error, folder))?;
        let (watching, ended) = mpsc::channel();
        let watched = Arc::clone(&shared);
        thread::Builder::new()
            .name("watchdog".to_owned())
            .spawn(move || watched.watch(&ended))
            .map_err(|error| fault::of_io(&error, folder))?;
        Ok(Sled {
            shared,
            _watching: watching,
            queue: RwLock::new(Some(sender)),
            committer: Mutex::new(Some(thread)),
            lock: Mutex::new(lock),
            snapshots,
            record_bytes_max,
        })
    }

    fn enqueue(&self, owed: Owed, job: impl FnOnce(Ticket) -> Job) -> Result<(), JournalFault> {
        let queue = self.queue.read().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(JournalFault::Closed)?;
        if let Some(fault) = self.shared.broken() {
            return Err(fault);
        }
        let ticket = self.shared.watchdog.owe(owed)?;
        let sent = queue.try_send(job(ticket));
        sent.map_err(|unsent| {
            drop(self.shared.watchdog.take(ticket));
            match unsent {
                TrySendError::Full(_) => JournalFault::Busy,
                TrySendError::Disconnected(_) => JournalFault::Closed,
            }
        })
    }

    fn known(&self, journal: &JournalName) -> Result<Option<Known>, JournalFault> {
        if self
            .shared
            .table
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
        {
            return Err(JournalFault::Closed);
        }
        Ok(self
            .shared
            .journals
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(journal)
            .copied())
    }

    fn holds(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<bool, JournalFault> {
        if snapshot.seq == 0 {
            return Ok(snapshot.hash == [0; 32]);
        }
        let records = self.read(journal, snapshot.seq, 1)?;
        Ok(records.first().is_some_and(|record| record.hash == snapshot.hash))
    }
}

impl Journal for Sled {
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
        let request = |ticket| Request {
            journal: journal.clone(),
            drafts,
            decided,
            ticket,
        };
        self.enqueue(Owed::Append(reply), |ticket| Job::Append(request(ticket)))?;
        Ok(receiver)
    }

    fn erase(
        &self,
        journal: &JournalName,
        erasure: Erasure,
    ) -> Result<oneshot::Receiver<Result<Erased, JournalFault>>, JournalFault> {
        let (reply, receiver) = oneshot::channel();
        let request = |ticket| ErasureRequest {
            journal: journal.clone(),
            erasure,
            ticket,
        };
        self.enqueue(Owed::Erase(reply), |ticket| Job::Erase(request(ticket)))?;
        Ok(receiver)
    }

    fn purge(&self) -> Result<oneshot::Receiver<Result<Erased, JournalFault>>, JournalFault> {
        let (reply, receiver) = oneshot::channel();
        self.enqueue(Owed::Erase(reply), Job::Purge)?;
        Ok(receiver)
    }

    fn head(&self, journal: &JournalName) -> Result<Head, JournalFault> {
        Ok(self.known(journal)?.map_or_else(Head::default, |known| known.head))
    }

    fn read(&self, journal: &JournalName, from: u64, max: usize) -> Result<Vec<Record>, JournalFault> {
        let Some(Known { number, head }) = self.known(journal)? else {
            return Ok(Vec::new());
        };
        let from = from.max(1);
        if from > head.seq || max == 0 {
            return Ok(Vec::new());
        }
        let last = head.seq.min(from.saturating_add(max as u64 - 1));
        let mut records = Vec::new();
        let mut obstacle = None;
        let table = self.shared.table.read().unwrap_or_else(PoisonError::into_inner);
        let table = table.as_ref().ok_or(JournalFault::Closed)?;
        Walk { table, journal: number }.from(from, &mut |step| match step {
            Ok(record) => {
                let done = record.seq >= last;
                if record.seq >= from {
                    records.push(record);
                }
                if done {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            Err(found) => {
                obstacle = Some(found);
                ControlFlow::Break(())
            }
        })?;
        if let Some(obstacle) = obstacle {
            return Err(obstacle.fault(&journal.0));
        }
        let missing = from + records.len() as u64;
        if missing <= last {
            let what = "it is missing".to_owned();
            return Err(JournalFault::Damaged {
                journal: journal.0.clone(),
                seq: missing,
                what,
            });
        }
        Ok(records)
    }

    fn verbatim(&self, journal: &JournalName, from: u64, bytes_max: usize) -> Result<Vec<Verbatim>, JournalFault> {
        let Some(Known { number, head }) = self.known(journal)? else {
            return Ok(Vec::new());
        };
        let from = from.max(1);
        if from > head.seq {
            return Ok(Vec::new());
        }
        let table = self.shared.table.read().unwrap_or_else(PoisonError::into_inner);
        let table = table.as_ref().ok_or(JournalFault::Closed)?;
        let walk = Walk { table, journal: number };
        verbatim::read(walk, &journal.0, from..=head.seq, bytes_max)
    }

    fn heads(&self) -> Result<Vec<(JournalName, Head)>, JournalFault> {
        self.journals()?;
        // A commit publishes the heads of all its journals under one lock: these are of one moment between two commits.
        let journals = self.shared.journals.read().unwrap_or_else(PoisonError::into_inner);
        Ok(journals
            .iter()
            .filter(|(_, known)| known.head.seq > 0)
            .map(|(name, known)| (name.clone(), known.head))
            .collect())
    }

    fn journals(&self) -> Result<Vec<JournalName>, JournalFault> {
        if self
            .shared
            .table
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
        {
            return Err(JournalFault::Closed);
        }
        let journals = self.shared.journals.read().unwrap_or_else(PoisonError::into_inner);
        Ok(journals
            .iter()
            .filter(|(_, known)| known.head.seq > 0)
            .map(|(name, _)| name.clone())
            .collect())
    }

    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail {
        // The list of journals is held while the tail is put in place, so that no commit falls between the two.
        let journals = self.shared.journals.read().unwrap_or_else(PoisonError::into_inner);
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
        self.known(journal)?;
        for found in self.snapshots.list(journal)? {
            match found.load() {
                Ok(snapshot) if self.holds(journal, &snapshot)? => return Ok(Some(snapshot)),
                Ok(_) => tracing::warn!(snapshot = %found.path.display(), "passed over: it is not of this journal"),
                Err(what) => tracing::warn!(snapshot = %found.path.display(), "passed over: {what}"),
            }
        }
        Ok(None)
    }

    fn broken(&self) -> Option<JournalFault> {
        let broken = self.shared.broken();
        // Asked of the file system each time: a disk that fills while nobody writes is told before the first write.
        broken.or_else(|| self.shared.space.check().err())
    }

    fn free_bytes(&self) -> Option<u64> {
        self.shared.space.free_bytes()
    }

    fn close(&self) {
        drop(self.queue.write().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.committer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            while !thread.is_finished() && !self.shared.watchdog.gave_up() {
                self.shared.look_after();
                thread::sleep(shared::PAUSE);
            }
            if !thread.is_finished() {
                // It holds the store, and whatever the disk makes of its last write: no other process gets the folder before
                // this one has ended.
                std::mem::forget(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
                self.shared.followers.clear();
                tracing::error!("the committer does not come back; the store is left as it is");
                // Whoever closes again finds it so too.
                *self.committer.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
                return;
            }
            if thread.join().is_err() {
                tracing::error!("the committer gave up");
            }
        }
        self.shared.watchdog.close();
        self.shared.followers.clear();
        drop(self.shared.table.write().unwrap_or_else(PoisonError::into_inner).take());
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Drop for Sled {
    fn drop(&mut self) {
        self.close();
    }
}

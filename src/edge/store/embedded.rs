//! The embedded store: journals in one sled database, snapshots and sealed heads beside it.

use std::fs;
use std::fs::File;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc as blocking;

use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::sync::watch;

use crate::edge::store::committer::Append;
use crate::edge::store::committer::Committer;
use crate::edge::store::committer::Journals;
use crate::edge::store::committer::Known;
use crate::edge::store::committer::OnCommit;
use crate::edge::store::committer::Work;
use crate::edge::store::heads::Heads;
use crate::edge::store::heads::NAME_MAX;
use crate::edge::store::options::StoreOptions;
use crate::edge::store::rows;
use crate::edge::store::snapshots;
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

/// A journal's last decision is looked for this many records back before all of it is read.
const DECISION_STEP: u64 = 512;

/// Journals in a folder. One process at a time.
pub struct Embedded {
    db: sled::Db,
    folder: PathBuf,
    journals: Journals,
    queue: mpsc::Sender<Work>,
    poisoned: Arc<Mutex<Option<JournalFault>>>,
    record_bytes_max: usize,
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Embedded {
    /// Opens the store in a folder, or makes it. Checks the end of every journal against its sealed head.
    ///
    /// # Errors
    /// What is damaged or missing, a folder that another process holds, or what the disk says.
    pub fn open(folder: &Path, options: StoreOptions, on_commit: Option<OnCommit>) -> Result<Embedded, JournalFault> {
        fs::create_dir_all(folder).map_err(|error| rows::fault_of(&error))?;
        let db = open_database(folder, &options)?;
        let heads =
            Heads::open(&folder.join("heads"), options.heads_sync_ms).map_err(|error| rows::fault_of(&error))?;
        let mut known = std::collections::BTreeMap::new();
        for (name, number) in rows::journals(&db)? {
            let head = head(&db, &name, number)?;
            known.insert(
                JournalName(name),
                Known {
                    number,
                    head,
                    watch: watch::Sender::new(head.seq),
                    tail: None,
                },
            );
        }
        if let Some(fault) = compare(&db, &heads, &known)?.into_iter().next() {
            return Err(fault);
        }
        let file = File::open(folder.join("sled").join("db")).map_err(|error| rows::fault_of(&error))?;
        let journals: Journals = Arc::new(Mutex::new(known));
        let poisoned = Arc::new(Mutex::new(None));
        let (queue, work) = mpsc::channel(options.queue_appends_max.max(1));
        let record_bytes_max = options.record_bytes_max;
        let committer = Committer {
            db: db.clone(),
            file,
            journals: Arc::clone(&journals),
            heads,
            options,
            on_commit,
            poisoned: Arc::clone(&poisoned),
        };
        std::thread::Builder::new()
            .name("committer".to_owned())
            .spawn(move || committer.run(work))
            .map_err(|error| rows::fault_of(&error))?;
        Ok(Embedded {
            db,
            folder: folder.to_owned(),
            journals,
            queue,
            poisoned,
            record_bytes_max,
        })
    }

    fn number(&self, journal: &JournalName) -> Option<u32> {
        let journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        journals
            .get(journal)
            .map(|known| known.number)
            .filter(|number| *number != 0)
    }

    fn snapshots(&self, number: u32) -> PathBuf {
        self.folder.join("snapshots").join(number.to_string())
    }
}

/// Opens sled; a lock that is held, a damaged file and a panic inside all come back as faults.
///
/// # Errors
/// What sled says.
pub fn open_database(folder: &Path, options: &StoreOptions) -> Result<sled::Db, JournalFault> {
    let path = folder.join("sled");
    let config = sled::Config::new()
        .path(&path)
        .mode(sled::Mode::HighThroughput)
        .cache_capacity(options.cache_bytes)
        .flush_every_ms(None);
    rows::guarded(|| config.open()).map_err(|fault| match fault {
        JournalFault::Store(what) if what.contains("lock") => JournalFault::Store(format!(
            "another process holds the data folder {}; stop it first",
            folder.display()
        )),
        other => other,
    })
}

/// A journal's end, with its last decision.
///
/// # Errors
/// What is damaged.
pub fn head(db: &sled::Db, journal: &str, number: u32) -> Result<Head, JournalFault> {
    let Some(row) = rows::last(db, journal, number)? else {
        return Ok(Head::default());
    };
    let Some(last) = row.records.last() else {
        return Ok(Head::default());
    };
    let mut decided = 0;
    let mut end = last.seq;
    while decided == 0 && end > 0 {
        let from = end.saturating_sub(DECISION_STEP).max(1);
        let length = usize::try_from(end - from + 1).unwrap_or(usize::MAX);
        let records = rows::read(db, journal, number, from, length)?;
        decided = records
            .iter()
            .rev()
            .find(|record| record.kind == Kind::Decision)
            .map_or(0, |record| record.seq);
        end = from - 1;
    }
    Ok(Head {
        seq: last.seq,
        at: last.at,
        hash: last.hash,
        decided,
    })
}

/// Every sealed head against the journal that it belongs to.
///
/// # Errors
/// When the store cannot be read; what does not agree is given as a list.
pub fn compare(
    db: &sled::Db,
    heads: &Heads,
    known: &std::collections::BTreeMap<JournalName, Known>,
) -> Result<Vec<JournalFault>, JournalFault> {
    let sealed = heads.read().map_err(|error| rows::fault_of(&error))?;
    let mut faults = Vec::new();
    for (number, head) in &sealed {
        let journal = known.iter().find(|(_, known)| known.number == *number);
        match (head, journal) {
            (Err(what), journal) => {
                let name = journal.map_or_else(|| format!("number {number}"), |(name, _)| name.0.clone());
                faults.push(JournalFault::Damaged {
                    journal: name,
                    seq: 0,
                    what: what.clone(),
                });
            }
            (Ok(head), None) => {
                faults.push(JournalFault::Truncated {
                    journal: head.journal.clone(),
                    sealed: head.seq,
                    found: 0,
                });
            }
            (Ok(head), Some((name, found))) if found.head.seq < head.seq => {
                let (journal, found) = (name.0.clone(), found.head.seq);
                faults.push(JournalFault::Truncated {
                    journal,
                    sealed: head.seq,
                    found,
                });
            }
            (Ok(head), Some((name, _))) => {
                let record = rows::read(db, &name.0, *number, head.seq, 1)?.pop();
                if record.is_none_or(|record| record.hash != head.hash) {
                    let what = "it is not the one that the sealed head names".to_owned();
                    faults.push(JournalFault::Damaged {
                        journal: name.0.clone(),
                        seq: head.seq,
                        what,
                    });
                }
            }
        }
    }
    for (name, journal) in known.iter().filter(|(_, journal)| journal.head.seq > 0) {
        if !sealed.contains_key(&journal.number) {
            let what = "its sealed head is missing".to_owned();
            faults.push(JournalFault::Damaged {
                journal: name.0.clone(),
                seq: journal.head.seq,
                what,
            });
        }
    }
    Ok(faults)
}

impl Journal for Embedded {
    fn append(
        &self,
        journal: &JournalName,
        drafts: Vec<Draft>,
        decided: Option<u64>,
    ) -> Result<oneshot::Receiver<Result<Appended, JournalFault>>, JournalFault> {
        if let Some(fault) = self.poisoned.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(fault);
        }
        if journal.0.len() > NAME_MAX || drafts.is_empty() {
            return Err(JournalFault::Store(
                "a journal's name is too long, or nothing is to be appended".to_owned(),
            ));
        }
        for draft in &drafts {
            let bytes = draft.open.len() + draft.sealed.len();
            if bytes > self.record_bytes_max {
                return Err(JournalFault::TooLarge {
                    bytes,
                    limit: self.record_bytes_max,
                });
            }
        }
        let (reply, answer) = oneshot::channel();
        let append = Append {
            journal: journal.clone(),
            drafts,
            decided,
            reply,
        };
        match self.queue.try_send(Work::Append(append)) {
            Ok(()) => Ok(answer),
            Err(mpsc::error::TrySendError::Full(_)) => Err(JournalFault::Busy),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(JournalFault::Closed),
        }
    }

    fn head(&self, journal: &JournalName) -> Result<Head, JournalFault> {
        let journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(journals.get(journal).map(|known| known.head).unwrap_or_default())
    }

    fn read(&self, journal: &JournalName, from: u64, max: usize) -> Result<Vec<Record>, JournalFault> {
        match self.number(journal) {
            None => Ok(Vec::new()),
            Some(number) => rows::read(&self.db, &journal.0, number, from, max),
        }
    }

    fn journals(&self) -> Result<Vec<JournalName>, JournalFault> {
        let journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(journals
            .iter()
            .filter(|(_, known)| known.head.seq > 0)
            .map(|(name, _)| name.clone())
            .collect())
    }

    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail {
        let (sender, records) = mpsc::channel(capacity.max(1));
        let mut journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
        // Number 0 until the first commit gives it one.
        let known = journals.entry(journal.clone()).or_insert_with(|| Known {
            number: 0,
            head: Head::default(),
            watch: watch::Sender::new(0),
            tail: None,
        });
        known.tail = Some(sender);
        Tail {
            records,
            head: known.watch.subscribe(),
        }
    }

    fn keep_snapshot(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault> {
        let Some(number) = self.number(journal) else {
            return Ok(());
        };
        snapshots::keep(&self.snapshots(number), snapshot).map_err(|error| rows::fault_of(&error))
    }

    fn snapshot(&self, journal: &JournalName) -> Result<Option<Snapshot>, JournalFault> {
        let Some(number) = self.number(journal) else {
            return Ok(None);
        };
        let paths = snapshots::list(&self.snapshots(number)).map_err(|error| rows::fault_of(&error))?;
        for path in paths.iter().rev() {
            match snapshots::read(path) {
                Ok(snapshot) => return Ok(Some(snapshot)),
                Err(what) => tracing::warn!(path = %path.display(), what, "a damaged snapshot is passed over"),
            }
        }
        Ok(None)
    }

    fn close(&self) {
        let (done, wait) = blocking::sync_channel(1);
        let mut work = Work::Close(done);
        loop {
            match self.queue.try_send(work) {
                Ok(()) => break,
                Err(mpsc::error::TrySendError::Full(back)) => {
                    work = back;
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                Err(mpsc::error::TrySendError::Closed(_)) => return,
            }
        }
        let _ = wait.recv();
    }
}

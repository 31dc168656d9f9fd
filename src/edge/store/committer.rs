//! The one committer: drains all waiting appends into one batch and one sync, then answers.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc as blocking;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::sync::watch;

use crate::edge::store::frame;
use crate::edge::store::heads::Heads;
use crate::edge::store::options::StoreOptions;
use crate::edge::store::rows;
use crate::service::ports::Appended;
use crate::service::ports::Draft;
use crate::service::ports::Head;
use crate::service::ports::JournalFault;
use crate::service::ports::JournalName;
use crate::service::ports::Kind;
use crate::service::ports::Record;

/// Bytes of a row after which a new one begins: well below sled's blob threshold of 64 KiB.
const ROW_BYTES: usize = 56 * 1_024;

/// One waiting append.
pub struct Append {
    pub journal: JournalName,
    pub drafts: Vec<Draft>,
    pub decided: Option<u64>,
    pub reply: oneshot::Sender<Result<Appended, JournalFault>>,
}

/// What the committer is asked.
pub enum Work {
    Append(Append),
    /// Commit what is queued, sync everything, stop.
    Close(blocking::SyncSender<()>),
}

/// A journal as the committer knows it.
pub struct Known {
    pub number: u32,
    pub head: Head,
    pub watch: watch::Sender<u64>,
    pub tail: Option<mpsc::Sender<Record>>,
}

/// All journals; shared with readers.
pub type Journals = Arc<Mutex<BTreeMap<JournalName, Known>>>;

/// Called after each commit: seconds it took, records in it.
pub type OnCommit = Box<dyn Fn(f64, usize) + Send>;

/// The committer's belongings.
pub struct Committer {
    pub db: sled::Db,
    /// sled's own file, for the sync that its flush leaves out.
    pub file: File,
    pub journals: Journals,
    pub heads: Heads,
    pub options: StoreOptions,
    pub on_commit: Option<OnCommit>,
    pub poisoned: Arc<Mutex<Option<JournalFault>>>,
}

/// A journal's part of the batch that is being made.
struct Part {
    number: u32,
    new: bool,
    head: Head,
    rows: Vec<(u64, Vec<u8>)>,
    records: Vec<Record>,
}

impl Committer {
    /// Works until it is closed or nobody is left to ask.
    #[expect(
        clippy::disallowed_methods,
        reason = "measures the commit for the metrics; decides nothing"
    )]
    pub fn run(mut self, mut queue: mpsc::Receiver<Work>) {
        let mut synced = Instant::now();
        while let Some(work) = queue.blocking_recv() {
            let mut closing = None;
            let mut batch = Vec::new();
            let mut count = 0;
            let mut next = Some(work);
            while let Some(work) = next.take() {
                match work {
                    Work::Append(append) => {
                        count += append.drafts.len();
                        batch.push(append);
                    }
                    Work::Close(done) => closing = Some(done),
                }
                if closing.is_none() && count < self.options.batch_records_max {
                    next = queue.try_recv().ok();
                }
            }
            let begin = Instant::now();
            let committed = self.commit(batch);
            if let (Some(on_commit), true) = (&self.on_commit, committed > 0) {
                on_commit(begin.elapsed().as_secs_f64(), committed);
            }
            if synced.elapsed() >= self.heads.sync_every() {
                self.sync_heads();
                synced = Instant::now();
            }
            if let Some(done) = closing {
                queue.close();
                let mut rest = Vec::new();
                while let Ok(work) = queue.try_recv() {
                    match work {
                        Work::Append(append) => rest.push(append),
                        Work::Close(also) => drop(also),
                    }
                }
                self.commit(rest);
                self.sync_heads();
                drop(self);
                let _ = done.send(());
                return;
            }
        }
        self.sync_heads();
    }

    fn sync_heads(&mut self) {
        if let Err(error) = self.heads.sync() {
            tracing::error!(%error, "the sealed heads cannot be synced");
        }
    }

    /// Commits a batch; the number of records.
    fn commit(&mut self, batch: Vec<Append>) -> usize {
        if batch.is_empty() {
            return 0;
        }
        if let Some(fault) = self.fault() {
            for append in batch {
                let _ = append.reply.send(Err(fault.clone()));
            }
            return 0;
        }
        let mut parts: BTreeMap<JournalName, Part> = BTreeMap::new();
        let mut answers = Vec::with_capacity(batch.len());
        for append in batch {
            let part = self.part(&mut parts, &append.journal);
            let outcome = part.take(append.drafts, append.decided);
            answers.push((append.reply, outcome));
        }
        let count = parts.values().map(|part| part.records.len()).sum();
        if count > 0 {
            if let Err(fault) = self.write(&parts) {
                *self.poisoned.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault.clone());
                tracing::error!(%fault, "nothing more is written until the store is opened again");
                for (reply, outcome) in answers {
                    let _ = reply.send(outcome.and(Err(fault.clone())));
                }
                return 0;
            }
            self.publish(parts);
        }
        for (reply, outcome) in answers {
            let _ = reply.send(outcome);
        }
        count
    }

    fn fault(&self) -> Option<JournalFault> {
        self.poisoned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn part<'a>(&self, parts: &'a mut BTreeMap<JournalName, Part>, name: &JournalName) -> &'a mut Part {
        let fresh = u32::try_from(parts.values().filter(|part| part.new).count()).unwrap_or(u32::MAX);
        parts.entry(name.clone()).or_insert_with(|| {
            let journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
            let known = journals.get(name).filter(|known| known.number != 0);
            let (number, head) = known.map_or_else(
                || {
                    (
                        journals.values().map(|known| known.number).max().unwrap_or_default() + 1 + fresh,
                        Head::default(),
                    )
                },
                |known| (known.number, known.head),
            );
            Part {
                number,
                new: known.is_none(),
                head,
                rows: Vec::new(),
                records: Vec::new(),
            }
        })
    }

    /// One batch, one flush, and the sync of the file: sled's flush ends in `sync_file_range`, which a power cut can undo.
    fn write(&self, parts: &BTreeMap<JournalName, Part>) -> Result<(), JournalFault> {
        let mut batch = sled::Batch::default();
        for (name, part) in parts.iter().filter(|(_, part)| !part.records.is_empty()) {
            if part.new {
                batch.insert(rows::name_key(&name.0), &part.number.to_be_bytes());
            }
            for (seq, row) in &part.rows {
                batch.insert(&rows::row_key(part.number, *seq), row.as_slice());
            }
        }
        rows::guarded(|| self.db.apply_batch(batch))?;
        rows::guarded(|| self.db.flush())?;
        self.file.sync_data().map_err(|error| rows::fault_of(&error))
    }

    /// What is on disk now is told: heads, sealed heads, followers.
    fn publish(&mut self, parts: BTreeMap<JournalName, Part>) {
        for (name, part) in parts.into_iter().filter(|(_, part)| !part.records.is_empty()) {
            if let Err(error) = self.heads.write(part.number, &name.0, &part.head) {
                tracing::error!(%error, journal = name.0, "the sealed head cannot be written");
            }
            let mut journals = self.journals.lock().unwrap_or_else(PoisonError::into_inner);
            let known = journals.entry(name).or_insert_with(|| Known {
                number: part.number,
                head: Head::default(),
                watch: watch::Sender::new(0),
                tail: None,
            });
            known.number = part.number;
            known.head = part.head;
            if let Some(tail) = &known.tail {
                for record in part.records {
                    // A full or closed tail loses the record: its follower sees the gap and reads it back.
                    if tail.try_send(record).is_err() {
                        break;
                    }
                }
            }
            known.watch.send_replace(part.head.seq);
        }
    }
}

impl Part {
    /// Frames the drafts of one append, or refuses all of them.
    fn take(&mut self, drafts: Vec<Draft>, decided: Option<u64>) -> Result<Appended, JournalFault> {
        if let Some(expected) = decided.filter(|expected| *expected != self.head.decided) {
            return Err(JournalFault::Moved {
                expected,
                found: self.head.decided,
            });
        }
        let first_seq = self.head.seq + 1;
        for draft in drafts {
            let seq = self.head.seq + 1;
            let at = draft.at.max(self.head.at);
            let size = frame::RECORD_OVERHEAD + draft.open.len() + draft.sealed.len();
            if self.rows.last().is_none_or(|(_, row)| row.len() + size > ROW_BYTES) {
                self.rows.push((seq, frame::row(&self.head.hash)));
            }
            let Some((_, row)) = self.rows.last_mut() else { continue };
            let hash = frame::write(row, &self.head.hash, draft.kind, seq, at, &draft.open, &draft.sealed);
            if draft.kind == Kind::Decision {
                self.head.decided = seq;
            }
            self.head = Head {
                seq,
                at,
                hash,
                decided: self.head.decided,
            };
            let Draft {
                kind,
                at: _,
                open,
                sealed,
            } = draft;
            self.records.push(Record {
                seq,
                at,
                kind,
                open,
                sealed,
                hash,
            });
        }
        Ok(Appended {
            first_seq,
            at: self.head.at,
        })
    }
}

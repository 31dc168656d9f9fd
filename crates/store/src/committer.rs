//! The committer: one thread that drains all waiting appends into one batch and one sync.
//!
//! Invariant: nothing is answered before the sync; appends of one journal are placed in the order of their arrival;
//! after a sync that failed nothing is committed any more, since what the disk holds is known only after the folder was
//! opened and checked again. After a full disk the committer does that itself, without a restart. Where the disk hangs, another thread
//! answers those who wait (`shared.rs`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use crate::compaction;
use crate::erasure;
use crate::frame;
use crate::heads;
use crate::heads::Heads;
use crate::journal::Appended;
use crate::journal::Draft;
use crate::journal::Erased;
use crate::journal::Erasure;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Record;
use crate::kv::Batch;
use crate::kv::Engine;
use crate::options::OnCommit;
use crate::options::StoreSettings;
use crate::record;
use crate::recovery;
use crate::recovery::Known;
use crate::shared::Shared;
use crate::shared::Ticket;
use crate::walk::Walk;

/// Bytes of one record, open and sealed part together: four times the largest body that the service takes by itself, so that
/// every template fits, and a quarter of a commit.
pub const RECORD_BYTES_MAX: usize = 1 << 20;
/// Records in one commit, and their bytes; the append that reaches either is the commit's last.
const BATCH_RECORDS_MAX: usize = 1_024;
const BATCH_BYTES_MAX: usize = 4 << 20;
/// Appends of a batch from which on those of the next one are waited for, since many are writing: the first to come after a sync
/// would else be committed alone, at the price of a sync of its own.
const CROWD_MIN: usize = 4;
/// How long they are waited for, again and again while some come: less than a sync takes.
const PATIENCE: Duration = Duration::from_micros(100);
/// How often at most: in all about as long as a sync takes. Twice instead of four times answers no more in a second, and takes a tenth
/// more of the processors for it.
const PATIENCES_MAX: u32 = 4;
/// After how long the sealed heads are synced; a power cut can undo as much of them, never of the records.
const HEADS_SYNC: Duration = Duration::from_secs(1);
/// Attempts at a full disk after which the pause grows no more: 32 times the first.
const DOUBLINGS_MAX: u32 = 5;
/// How long is waited where there is nothing to do: "until something comes".
const IDLE: Duration = Duration::from_secs(3_600);

/// An append that waits.
#[derive(Debug)]
pub struct Append {
    pub journal: JournalName,
    pub drafts: Vec<Draft>,
    /// The last decision that the caller saw: the append is refused as moved where the journal has another one. `None` appends facts,
    /// whatever was decided.
    pub decided: Option<u64>,
}

/// What is asked, and under which ticket it is answered.
#[derive(Debug)]
pub enum Job {
    Append(Ticket, Append),
    Erase(Ticket, JournalName, Erasure),
    /// Copies the store without what was erased from it.
    Purge(Ticket),
}

/// Who writes.
pub struct Committer {
    pub shared: Arc<Shared>,
    pub on_commit: Option<OnCommit>,
    /// The folder of the journals, beside their rows.
    pub folder: PathBuf,
    pub engine: &'static Engine,
    pub settings: StoreSettings,
    pub heads: Heads,
    /// When the sealed heads were first written without being synced.
    pub unsynced: Option<Instant>,
    /// When a folder that a full disk cut short is opened anew.
    pub retry: Retry,
    /// Appends of the last batch.
    pub last_batch: usize,
}

#[derive(Debug, Default)]
pub struct Retry {
    due: Option<Instant>,
    attempts: u32,
}

impl Retry {
    /// Tries later: after the pause, twice as long with each attempt.
    fn later(&mut self, pause_ms: u64) {
        let pause = pause_ms.saturating_mul(1 << self.attempts.min(DOUBLINGS_MAX));
        self.attempts = self.attempts.saturating_add(1);
        self.due = Some(Instant::now() + Duration::from_millis(pause));
    }

    /// Until it is time.
    fn wait(&self) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}

/// What one commit adds to one journal.
struct Growth {
    number: u32,
    before: Head,
    head: Head,
    records: Vec<Record>,
    /// The records as they are written, and where in them each append ends.
    bytes: Vec<u8>,
    ends: Vec<(usize, Head)>,
}

type Growths = BTreeMap<JournalName, Growth>;

/// Bytes that an append takes, at most.
fn weigh(drafts: &[Draft]) -> usize {
    let weigh = |draft: &Draft| draft.open.len() + draft.sealed.len() + record::FIXED_BYTES;
    drafts.iter().map(weigh).sum()
}

/// Refuses a journal whose name is too long, a draft over the limit, and an append that could not be held together.
pub fn check_size(journal: &JournalName, drafts: &[Draft]) -> Result<(), JournalFault> {
    let records = drafts.iter().map(|draft| draft.open.len() + draft.sealed.len());
    let mut sizes = records.map(|bytes| (bytes, RECORD_BYTES_MAX)).chain([
        (weigh(drafts), frame::APPEND_BYTES_CEILING),
        (journal.0.len(), heads::NAME_BYTES_MAX),
    ]);
    match sizes.find(|(bytes, limit)| bytes > limit) {
        Some((bytes, limit)) => Err(JournalFault::TooLarge { bytes, limit }),
        None => Ok(()),
    }
}

impl Committer {
    /// Commits until the queue is closed and empty.
    pub fn run(mut self, queue: &Receiver<Job>) {
        loop {
            let received = queue.recv_timeout(self.wait());
            let is_idle = received.is_err();
            match received {
                Ok(job) => self.settle_batch(job, queue),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.shared.begin();
            self.sync_heads(HEADS_SYNC);
            self.shared.end();
            // Whoever waits is told first that the disk is full: opening reads everything, which takes as long as at a start.
            if is_idle && self.retry.wait().is_some_and(|wait| wait.is_zero()) {
                self.retry();
            }
        }
        self.shared.begin();
        self.sync_heads(Duration::ZERO);
        self.shared.end();
    }

    /// How long the queue is waited for.
    fn wait(&self) -> Duration {
        let heads = self.unsynced.map(|since| HEADS_SYNC.saturating_sub(since.elapsed()));
        [heads, self.retry.wait()]
            .into_iter()
            .flatten()
            .fold(IDLE, Duration::min)
    }

    /// Syncs the sealed heads where they were first written so long ago.
    fn sync_heads(&mut self, after: Duration) {
        if self.unsynced.take_if(|since| since.elapsed() >= after).is_some()
            && let Err(fault) = self.heads.sync()
        {
            self.breaks(fault);
        }
    }

    /// From now on nothing is taken.
    fn breaks(&mut self, fault: JournalFault) {
        let mut broken = self.shared.broken.write();
        if broken.is_none() {
            tracing::error!(%fault, "the store takes no more appends until it is opened again");
            if matches!(fault, JournalFault::DiskFull(_)) {
                self.retry.later(self.settings.reopen_ms);
            }
            *broken = Some(fault);
        }
    }

    /// Opens the folder anew after a full disk, if there is room.
    fn retry(&mut self) {
        match self.probe().and_then(|()| self.reopen(false)) {
            Ok(()) => {
                self.retry = Retry::default();
                *self.shared.broken.write() = None;
                tracing::info!("the store was opened anew and takes appends again");
            }
            Err(fault @ JournalFault::DiskFull(_)) => {
                tracing::warn!(%fault, "the disk is still full");
                self.retry.later(self.settings.reopen_ms);
            }
            Err(fault) => {
                tracing::error!(%fault, "the store could not be opened anew");
                self.retry = Retry::default();
                *self.shared.broken.write() = Some(fault);
            }
        }
    }

    /// Whether there is room for a file a little longer than the one of the rows.
    fn probe(&self) -> Result<(), JournalFault> {
        let file = self.folder.join(self.engine.folder).join(self.engine.file);
        self.shared
            .space
            .probe(std::fs::metadata(file).map_or(0, |file| file.len()))
    }

    /// Opens the folder anew and checks it as a start does, after a full disk or to take what was erased off the disk. Readers
    /// wait meanwhile.
    fn reopen(&mut self, compacts: bool) -> Result<(), JournalFault> {
        let mut rows = self.shared.rows.write();
        // The engine lets go of its files first.
        drop(rows.take());
        if compacts {
            compaction::mend(&self.folder, self.engine)?;
            compaction::compact(&self.folder, self.engine, self.settings.cache_bytes)?;
        }
        let mut opened = recovery::open_held(&self.folder, self.engine, &self.settings)?;
        opened.return_to(&self.shared.journals.read())?;
        *rows = Some(opened.rows);
        self.heads = opened.heads;
        self.unsynced = None;
        Ok(())
    }

    /// Commits the waiting appends as one batch, up to its limits. An erasure or a purge ends the batch and runs after it.
    fn settle_batch(&mut self, job: Job, queue: &Receiver<Job>) {
        let (mut appends, mut records, mut bytes) = (Vec::new(), 0, 0);
        let mut next = Some(job);
        let mut patience = if self.last_batch >= CROWD_MIN { PATIENCES_MAX } else { 0 };
        while let Some(Job::Append(ticket, append)) = next.take_if(|job| matches!(job, Job::Append(..))) {
            bytes += weigh(&append.drafts);
            records += append.drafts.len();
            appends.push((ticket, append));
            if records < BATCH_RECORDS_MAX && bytes < BATCH_BYTES_MAX {
                next = queue.try_recv().ok();
                if next.is_none() && patience > 0 {
                    patience -= 1;
                    thread::sleep(PATIENCE);
                    next = queue.try_recv().ok();
                }
            }
        }
        self.last_batch = appends.len();
        if !appends.is_empty() {
            self.shared.begin();
            self.commit(appends);
        }
        self.shared.begin();
        let (ticket, outcome) = match next {
            Some(Job::Erase(ticket, journal, erasure)) => (ticket, self.erase(&journal, erasure)),
            Some(Job::Purge(ticket)) => {
                // It reads and writes everything, which takes as long as it takes.
                self.shared.end();
                (ticket, self.purge())
            }
            Some(Job::Append(..)) | None => return,
        };
        self.shared.erased(ticket, outcome);
    }

    fn purge(&mut self) -> Result<Erased, JournalFault> {
        if let Some(fault) = self.shared.broken() {
            return Err(fault);
        }
        if self.settings.compacts && compaction::is_marked(&self.folder) {
            self.reopen(true).inspect_err(|fault| self.breaks(fault.clone()))?;
        }
        Ok(Erased::default())
    }

    fn erase(&mut self, journal: &JournalName, erasure: Erasure) -> Result<Erased, JournalFault> {
        if let Some(fault) = self.shared.broken() {
            return Err(fault);
        }
        let known = self.shared.journals.read().get(journal).copied();
        let Some(Known { number, head }) = known else {
            return Ok(Erased::default());
        };
        let wanted = Erasure {
            through: erasure.through.min(head.seq),
            ..erasure
        };
        let (batch, erased) = self.shared.with_rows(|kv| {
            let walk = Walk { kv, journal: number };
            erasure::rewrite(walk, &journal.0, wanted)
        })?;
        if batch.put.is_empty() {
            return Ok(erased);
        }
        self.shared.space.check()?;
        compaction::mark(&self.folder)?;
        let replaced = self.shared.replace(batch).and_then(|()| self.shared.sync());
        replaced.inspect_err(|fault| self.breaks(fault.clone()))?;
        Ok(erased)
    }

    fn commit(&mut self, appends: Vec<(Ticket, Append)>) {
        let started = Instant::now();
        let mut growths = Growths::new();
        let obstacle = self.shared.broken().or_else(|| self.shared.space.check().err());
        let answers = appends.into_iter().map(|(ticket, append)| {
            let answer = obstacle.clone().map_or_else(|| self.place(&mut growths, append), Err);
            (ticket, answer)
        });
        let mut answers: Vec<(Ticket, Result<Appended, JournalFault>)> = answers.collect();
        growths.retain(|_, growth| !growth.records.is_empty());
        let records = growths.values().map(|growth| growth.records.len()).sum::<usize>();
        if records > 0 {
            match self.write(&growths) {
                Ok(()) => {
                    self.seal(&growths);
                    self.publish(growths);
                    if let Some(on_commit) = &self.on_commit {
                        on_commit(started.elapsed().as_secs_f64(), records);
                    }
                }
                Err(fault) => {
                    self.breaks(fault.clone());
                    // A refusal was said of a state that did not come about: it gets the fault too.
                    answers.iter_mut().for_each(|(_, answer)| *answer = Err(fault.clone()));
                }
            }
        }
        for (ticket, answer) in answers {
            self.shared.appended(ticket, answer);
        }
    }

    /// Numbers an append's drafts behind the journal's end, chains them, and moves the end; nothing is moved where the last
    /// decision is not where the caller saw it.
    fn place(&self, growths: &mut Growths, append: Append) -> Result<Appended, JournalFault> {
        if !growths.contains_key(&append.journal) {
            growths.insert(append.journal.clone(), self.growth(&append.journal, growths));
        }
        // It was put there just now, if it was not there before.
        let growth = growths.get_mut(&append.journal).ok_or(JournalFault::Closed)?;
        let head = &mut growth.head;
        if let Some(expected) = append.decided.filter(|expected| *expected != head.decided) {
            let found = head.decided;
            return Err(JournalFault::Moved { expected, found });
        }
        let first_seq = head.seq + 1;
        for draft in append.drafts {
            // A moment never goes back.
            let at = if head.seq == 0 { draft.at } else { draft.at.max(head.at) };
            let record = record::chain(&head.hash, head.seq + 1, at, draft);
            head.advance(&record);
            record::encode(&record, &mut growth.bytes);
            growth.records.push(record);
        }
        growth.ends.push((growth.bytes.len(), *head));
        Ok(Appended { first_seq, at: head.at })
    }

    /// An empty growth that begins at the journal's present end.
    fn growth(&self, journal: &JournalName, growths: &Growths) -> Growth {
        let journals = self.shared.journals.read();
        // Numbers are given in order; a journal that gets no record after all leaves no trace of its number.
        let unknown = || {
            let taken = journals.values().map(|known| known.number);
            let staged = growths.values().map(|growth| growth.number);
            Known {
                number: taken.chain(staged).max().map_or(0, |last| last + 1),
                head: Head::default(),
            }
        };
        let Known { number, head } = journals.get(journal).copied().unwrap_or_else(unknown);
        Growth {
            number,
            before: head,
            head,
            records: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn write(&mut self, growths: &Growths) -> Result<(), JournalFault> {
        let mut rows = Vec::new();
        for (name, growth) in growths {
            if growth.before.seq == 0 {
                self.heads.announce(growth.number, &name.0)?;
                rows.push(frame::name_row(growth.number, &name.0));
            }
            frame::rows(growth.number, growth.before, &growth.bytes, &growth.ends, &mut rows);
        }
        self.shared.with_rows(|kv| kv.apply(Batch::put(rows)))?;
        self.shared.sync()
    }

    fn seal(&mut self, growths: &Growths) {
        for (name, growth) in growths {
            if let Err(fault) = self.heads.seal(growth.number, &name.0, growth.head) {
                // The records themselves are safe and are answered so; the next ones are not taken.
                return self.breaks(fault);
            }
        }
        self.unsynced.get_or_insert_with(Instant::now);
    }

    fn publish(&self, growths: Growths) {
        // Held until the followers have it too: a tail that begins in between neither misses nor repeats a record.
        let mut journals = self.shared.journals.write();
        for (name, growth) in growths {
            let Growth { number, head, .. } = growth;
            self.shared.followers.hand_on(&name, growth.records);
            journals.insert(name, Known { number, head });
        }
    }
}

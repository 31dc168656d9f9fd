//! The committer: one thread that drains all waiting appends into one batch and one sync.
//!
//! Invariant: nothing is answered before the sync; appends of one journal are placed in the order of their arrival;
//! after a sync that failed nothing is committed any more, since what the disk holds is known only after the folder was
//! opened and checked again. After a full disk the committer does that itself (`reopening.rs`). Where it sleeps, others answer
//! (`watchdog.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use std::time::Instant;

use crate::journal::Appended;
use crate::journal::Draft;
use crate::journal::Erased;
use crate::journal::Erasure;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Record;

use super::compaction;
use super::erasure;
use super::erasure::Rewritten;
use super::frame;
use super::frame::Row;
use super::heads::Heads;
use super::heads::Sealed;
use super::line;
use super::options::OnCommit;
use super::options::StoreSettings;
use super::record;
use super::recovery::Known;
use super::reopening;
use super::reopening::Reopening;
use super::shared::Shared;
use super::watchdog::Ticket;

/// An append that waits.
#[derive(Debug)]
pub struct Request {
    pub journal: JournalName,
    pub drafts: Vec<Draft>,
    pub decided: Option<u64>,
    pub ticket: Ticket,
}

/// Sealed parts that are to be erased.
#[derive(Debug)]
pub struct ErasureRequest {
    pub journal: JournalName,
    pub erasure: Erasure,
    pub ticket: Ticket,
}

/// What the thread is asked.
#[derive(Debug)]
pub enum Job {
    Append(Request),
    Erase(ErasureRequest),
    /// Copies the store without what was erased from it.
    Purge(Ticket),
}

/// What the thread holds.
pub struct Committer {
    pub shared: Arc<Shared>,
    pub heads: Heads,
    pub settings: StoreSettings,
    pub on_commit: Option<OnCommit>,
    /// When the sealed heads were first written without being synced.
    pub unsynced: Option<Instant>,
    pub reopening: Reopening,
}

type Answer = (Ticket, Result<Appended, JournalFault>);

/// What one commit adds to one journal.
struct Growth {
    number: u32,
    before: Head,
    head: Head,
    records: Vec<Record>,
    /// Where in `records` each append ends.
    ends: Vec<usize>,
}

impl Committer {
    /// Commits until the queue is closed and empty.
    pub fn run(mut self, queue: &Receiver<Job>) {
        loop {
            let received = queue.recv_timeout(self.patience());
            let idle = received.is_err();
            match received {
                Ok(Job::Append(first)) => {
                    let (requests, after) = self.drain(first, queue);
                    self.shared.watchdog.begin();
                    self.commit(requests);
                    if let Some(after) = after {
                        self.settle(after);
                    }
                }
                Ok(job) => self.settle(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.shared.watchdog.begin();
            if self.sync_patience().is_zero() {
                self.sync_heads();
            }
            self.shared.watchdog.end();
            // Whoever waits is told first that the disk is full: opening reads everything, which takes as long as at a start.
            if idle && self.reopening.is_due() {
                self.reopen();
            }
        }
        self.shared.watchdog.begin();
        if self.unsynced.is_some() {
            self.sync_heads();
        }
        self.shared.watchdog.end();
    }

    /// Does one thing that is no part of a batch.
    fn settle(&mut self, job: Job) {
        self.shared.watchdog.begin();
        match job {
            Job::Append(request) => self.commit(vec![request]),
            Job::Erase(erasure) => self.erase(erasure),
            Job::Purge(ticket) => {
                // It reads and writes everything, which takes as long as it takes.
                self.shared.watchdog.end();
                self.purge(ticket);
            }
        }
    }

    fn patience(&self) -> Duration {
        let reopening = self.reopening.patience();
        self.sync_patience().min(reopening.unwrap_or(Duration::MAX))
    }

    /// Opens the folder anew after a full disk, if there is room.
    fn reopen(&mut self) {
        match reopening::reopen(&self.shared, &self.reopening, &self.settings) {
            Ok(heads) => {
                self.heads = heads;
                self.unsynced = None;
                self.reopening.done();
                *self.shared.broken.write().unwrap_or_else(PoisonError::into_inner) = None;
                tracing::info!("the store was opened anew and takes appends again");
            }
            Err(fault @ JournalFault::DiskFull(_)) => {
                tracing::warn!(%fault, "the disk is still full");
                self.reopening.later(self.settings.reopen_ms);
            }
            Err(fault) => {
                tracing::error!(%fault, "the store could not be opened anew");
                self.reopening.done();
                *self.shared.broken.write().unwrap_or_else(PoisonError::into_inner) = Some(fault);
            }
        }
    }

    fn sync_patience(&self) -> Duration {
        let interval = Duration::from_millis(self.settings.heads_sync_ms);
        // Nothing to sync: an hour stands for "until something comes".
        self.unsynced.map_or(Duration::from_secs(3_600), |since| {
            interval.saturating_sub(since.elapsed())
        })
    }

    fn sync_heads(&mut self) {
        self.unsynced = None;
        if let Err(fault) = self.heads.sync() {
            self.breaks(fault);
        }
    }

    fn breaks(&mut self, fault: JournalFault) {
        let mut broken = self.shared.broken.write().unwrap_or_else(PoisonError::into_inner);
        if broken.is_none() {
            tracing::error!(%fault, "the store takes no more appends until it is opened again");
            if matches!(fault, JournalFault::DiskFull(_)) {
                self.reopening.later(self.settings.reopen_ms);
            }
            *broken = Some(fault);
        }
    }

    /// What waits to be appended, up to what one commit may hold or to the first erasure.
    fn drain(&self, first: Request, queue: &Receiver<Job>) -> (Vec<Request>, Option<Job>) {
        let weigh = |request: &Request| {
            request
                .drafts
                .iter()
                .map(|d| record::weight(d) + record::FIXED_BYTES)
                .sum()
        };
        let mut bytes: usize = weigh(&first);
        let mut records = first.drafts.len();
        let mut requests = vec![first];
        while records < self.settings.batch_records_max && bytes < self.settings.batch_bytes_max {
            let request = match queue.try_recv() {
                Ok(Job::Append(request)) => request,
                Ok(other @ (Job::Erase(_) | Job::Purge(_))) => return (requests, Some(other)),
                Err(_) => break,
            };
            bytes += weigh(&request);
            records += request.drafts.len();
            requests.push(request);
        }
        (requests, None)
    }

    fn erase(&mut self, request: ErasureRequest) {
        let ErasureRequest {
            journal,
            erasure,
            ticket,
        } = request;
        let outcome = self.rewrite(&journal, erasure);
        self.shared.watchdog.erased(ticket, outcome);
    }

    fn purge(&mut self, ticket: Ticket) {
        let outcome = match self.shared.broken() {
            Some(fault) => Err(fault),
            None if !self.settings.compacts || !compaction::is_marked(self.reopening.folder()) => Ok(()),
            None => {
                let anew = reopening::anew(&self.shared, self.reopening.folder(), &self.settings, true);
                anew.map(|heads| {
                    self.heads = heads;
                    self.unsynced = None;
                })
            }
        };
        if let Err(fault) = &outcome {
            self.breaks(fault.clone());
        }
        self.shared.watchdog.erased(ticket, outcome.map(|()| Erased::default()));
    }

    fn rewrite(&mut self, journal: &JournalName, erasure: Erasure) -> Result<Erased, JournalFault> {
        if let Some(fault) = self.shared.broken() {
            return Err(fault);
        }
        let known = {
            let journals = self.shared.journals.read().unwrap_or_else(PoisonError::into_inner);
            journals.get(journal).copied()
        };
        let Some(Known { number, head }) = known else {
            return Ok(Erased::default());
        };
        let wanted = Erasure {
            through: erasure.through.min(head.seq),
            ..erasure
        };
        let rewritten = {
            let table = self.shared.table.read().unwrap_or_else(PoisonError::into_inner);
            erasure::rewrite(table.as_ref().ok_or(JournalFault::Closed)?, number, &journal.0, wanted)?
        };
        let Rewritten { rows, gone, erased } = rewritten;
        if rows.is_empty() {
            return Ok(erased);
        }
        self.shared.space.check()?;
        compaction::mark(self.reopening.folder())?;
        let replaced = {
            // Nobody reads a frame of which some rows are old and some new; nor does anybody wait for the disk.
            let table = self.shared.table.write().unwrap_or_else(PoisonError::into_inner);
            table.as_ref().ok_or(JournalFault::Closed)?.replace(rows, gone)
        };
        let replaced = replaced.and_then(|()| {
            let table = self.shared.table.read().unwrap_or_else(PoisonError::into_inner);
            table.as_ref().ok_or(JournalFault::Closed)?.flush()
        });
        if let Err(fault) = replaced {
            self.breaks(fault.clone());
            return Err(fault);
        }
        Ok(erased)
    }

    fn commit(&mut self, requests: Vec<Request>) {
        let started = Instant::now();
        let mut growths = BTreeMap::new();
        let mut answers: Vec<Answer> = Vec::with_capacity(requests.len());
        let obstacle = self.shared.broken().or_else(|| self.shared.space.check().err());
        for request in requests {
            let Request {
                journal,
                drafts,
                decided,
                ticket,
            } = request;
            let answer = match &obstacle {
                Some(fault) => Err(fault.clone()),
                None => self.place(&mut growths, journal, drafts, decided),
            };
            answers.push((ticket, answer));
        }
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
            self.shared.watchdog.appended(ticket, answer);
        }
    }

    fn place(
        &self,
        growths: &mut BTreeMap<JournalName, Growth>,
        journal: JournalName,
        drafts: Vec<Draft>,
        decided: Option<u64>,
    ) -> Result<Appended, JournalFault> {
        if !growths.contains_key(&journal) {
            let known = self.known(&journal, growths);
            let growth = Growth {
                number: known.number,
                before: known.head,
                head: known.head,
                records: Vec::new(),
                ends: Vec::new(),
            };
            growths.insert(journal.clone(), growth);
        }
        // It was put there just now, if it was not there before.
        let growth = growths.get_mut(&journal).ok_or(JournalFault::Closed)?;
        let appended = line::place(&mut growth.head, drafts, decided, &mut growth.records)?;
        growth.ends.push(growth.records.len());
        Ok(appended)
    }

    fn known(&self, journal: &JournalName, growths: &BTreeMap<JournalName, Growth>) -> Known {
        let journals = self.shared.journals.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = journals.get(journal) {
            return *known;
        }
        // Numbers are given in order; a journal that gets no record after all leaves no trace of its number.
        let taken = journals.values().map(|known| known.number + 1).max().unwrap_or(0);
        let staged = growths.values().map(|growth| growth.number + 1).max().unwrap_or(0);
        Known {
            number: taken.max(staged),
            head: Head::default(),
        }
    }

    fn write(&mut self, growths: &BTreeMap<JournalName, Growth>) -> Result<(), JournalFault> {
        let mut rows: Vec<Row> = Vec::new();
        for (name, growth) in growths {
            if growth.before.seq == 0 {
                self.heads.announce(growth.number, &name.0)?;
                rows.push(frame::name_row(growth.number, &name.0));
            }
            growth.frames(&mut rows);
        }
        let table = self.shared.table.read().unwrap_or_else(PoisonError::into_inner);
        table.as_ref().ok_or(JournalFault::Closed)?.commit(rows)
    }

    fn seal(&mut self, growths: &BTreeMap<JournalName, Growth>) {
        for (name, growth) in growths {
            let Head {
                seq,
                at: _,
                hash,
                decided: _,
            } = growth.head;
            if let Err(fault) = self.heads.seal(
                growth.number,
                &Sealed {
                    name: name.0.clone(),
                    seq,
                    hash,
                },
            ) {
                // The records themselves are safe and are answered so; the next ones are not taken.
                self.breaks(fault);
                return;
            }
        }
        self.unsynced.get_or_insert_with(Instant::now);
    }

    fn publish(&self, growths: BTreeMap<JournalName, Growth>) {
        // Held until the followers have it too: a tail that begins in between neither misses nor repeats a record.
        let mut journals = self.shared.journals.write().unwrap_or_else(PoisonError::into_inner);
        for (name, growth) in growths {
            journals.insert(
                name.clone(),
                Known {
                    number: growth.number,
                    head: growth.head,
                },
            );
            self.shared.followers.hand_on(&name, growth.records);
        }
    }
}

impl Growth {
    fn frames(&self, rows: &mut Vec<Row>) {
        let mut decided = self.before.decided;
        let mut previous = self.before.hash;
        let mut start = 0;
        let mut bytes = 0;
        let mut counted = 0;
        for &end in &self.ends {
            bytes += self.records[counted..end]
                .iter()
                .map(|record| record.open.len() + record.sealed.len() + record::FIXED_BYTES)
                .sum::<usize>();
            counted = end;
            if bytes < frame::FRAME_BYTES && end < self.records.len() {
                continue;
            }
            let records = &self.records[start..end];
            frame::rows(self.number, decided, &previous, records, rows);
            let mut head = Head {
                decided,
                ..Head::default()
            };
            records.iter().for_each(|record| line::advance(&mut head, record));
            (decided, previous) = (head.decided, records.last().map_or(previous, |record| record.hash));
            start = end;
            bytes = 0;
        }
    }
}

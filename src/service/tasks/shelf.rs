//! Tasks in their journal: events with what was said in the sealed part, which goes on in the records right after it.

use std::sync::Arc;

use crate::domain::task::book::Book;
use crate::domain::task::event::TaskEvent;
use crate::domain::time::At;
use crate::service::error::ServiceError;
use crate::service::hosting::NAMESPACE;
use crate::service::parts::Parts;
use crate::service::ports::Draft;
use crate::service::ports::Erasure;
use crate::service::ports::JournalFault;
use crate::service::ports::JournalName;
use crate::service::ports::Kind;
use crate::service::ports::Record;
use crate::service::sealed;

/// Records read at once.
const CHUNK: usize = 2_048;
/// Records looked at with one sync when contents are erased.
const ERASED_AT_ONCE: usize = 1_024;

/// The journal of tasks.
pub struct Shelf {
    parts: Arc<Parts>,
    name: JournalName,
}

/// An event as it lies on disk.
#[derive(Clone, Debug)]
pub struct Written {
    pub seq: u64,
    pub at: At,
    pub event: TaskEvent,
}

impl Shelf {
    /// The journal of the default server agent's tasks.
    pub fn new(parts: Arc<Parts>) -> Shelf {
        Shelf {
            parts,
            name: JournalName(format!("tasks/{NAMESPACE}")),
        }
    }

    /// All tasks, read back.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn restore(&self) -> Result<Book, ServiceError> {
        let mut book = Book::default();
        let mut from = 1;
        loop {
            let records = self.parts.journal.read(&self.name, from, CHUNK)?;
            let Some(last) = records.last() else { return Ok(book) };
            from = last.seq + 1;
            for record in &records {
                book.evolve(record.seq, record.at, &self.event(record)?);
            }
        }
    }

    /// Puts events on disk, one after another and all or none, each with its content.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn append(&self, events: Vec<(TaskEvent, Vec<u8>)>) -> Result<Vec<Written>, ServiceError> {
        let at = self.parts.clock.now();
        let mut drafts = Vec::new();
        let mut places = Vec::new();
        for (event, content) in events {
            let mut pieces = sealed::pieces(content).into_iter();
            let first = pieces.next().unwrap_or_default();
            let event = event.going_on(u32::try_from(pieces.len()).unwrap_or(u32::MAX));
            places.push((drafts.len(), event.clone()));
            drafts.push(draft(&event, first, at)?);
            for piece in pieces {
                drafts.push(draft(&TaskEvent::Continued, piece, at)?);
            }
        }
        let answer = self.parts.append(&self.name, drafts, None)?;
        let appended = answer.await.map_err(|_gone| JournalFault::Closed)??;
        let written = places.into_iter().map(|(place, event)| Written {
            seq: appended.first_seq + place as u64,
            at: appended.at,
            event,
        });
        Ok(written.collect())
    }

    /// What lies at a record; `None` where it was erased.
    ///
    /// # Errors
    /// The journal's fault.
    pub fn content(&self, seq: u64) -> Result<Option<String>, ServiceError> {
        let record = self.parts.journal.read(&self.name, seq, 1)?.pop();
        let record = record.ok_or_else(|| self.damaged(seq, "it is missing"))?;
        if record.erased {
            return Ok(None);
        }
        let more = usize::try_from(self.event(&record)?.more()).unwrap_or(usize::MAX);
        let mut bytes = record.sealed;
        if more > 0 {
            for next in self.parts.journal.read(&self.name, seq + 1, more)? {
                bytes.extend_from_slice(&next.sealed);
            }
        }
        let text = String::from_utf8(bytes).map_err(|_| self.damaged(seq, "its sealed part is no text"))?;
        Ok(Some(text))
    }

    /// Erases the contents of these records for good, those that happened before a moment.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn erase(&self, from: u64, through: u64, before: At) -> Result<(), ServiceError> {
        let mut from = from;
        while from <= through {
            let erasure = Erasure {
                from,
                through,
                before,
                records_max: ERASED_AT_ONCE,
            };
            let answer = {
                let _pass = self.parts.writes.pass()?;
                self.parts.journal.erase(&self.name, erasure)?
            };
            let erased = answer.await.map_err(|_gone| JournalFault::Closed)??;
            if erased.through < from {
                break;
            }
            from = erased.through + 1;
        }
        Ok(())
    }

    /// The last record.
    ///
    /// # Errors
    /// What the journal says.
    pub fn end(&self) -> Result<u64, ServiceError> {
        Ok(self.parts.journal.head(&self.name)?.seq)
    }

    fn event(&self, record: &Record) -> Result<TaskEvent, ServiceError> {
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

fn draft(event: &TaskEvent, sealed: Vec<u8>, at: At) -> Result<Draft, ServiceError> {
    let open = serde_json::to_vec(event).map_err(|error| ServiceError::Fault(error.to_string()))?;
    Ok(Draft {
        kind: Kind::Fact,
        at,
        open,
        sealed,
    })
}

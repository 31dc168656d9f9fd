//! Walking a journal's frames: rows put together, records checked one by one.
//!
//! Invariant: a record is given on only after its checksum, its hash and its place were checked; nothing is skipped
//! without saying so.

use std::ops::ControlFlow;

use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::Record;
use schema::time::At;

use super::frame::Header;
use super::frame::Place;
use super::line;
use super::record;
use super::table::Table;

/// What stands in the way of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The record that should have been there.
    pub seq: u64,
    /// The first record of the frame that it lies in, or would lie in.
    pub frame: u64,
    pub what: String,
    /// Whether bytes are missing rather than wrong: a commit that was cut off looks like this, a flipped bit does not.
    pub missing: bool,
}

impl Obstacle {
    /// As a fault of the journal with this name.
    pub fn fault(&self, journal: &str) -> JournalFault {
        JournalFault::Damaged {
            journal: journal.to_owned(),
            seq: self.seq,
            what: self.what.clone(),
        }
    }
}

/// One journal in a table.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    pub table: &'a Table,
    pub journal: u32,
}

struct Open {
    first_seq: u64,
    /// Whether its first row was there.
    begun: bool,
    bytes: Vec<u8>,
}

impl Walk<'_> {
    /// Walks from the first record. `each` gets whole records or obstacles; after an obstacle the walk goes on with the
    /// next frame when `each` lets it. Gives the head of what is whole.
    ///
    /// # Errors
    /// When the table fails.
    pub fn all(self, each: &mut dyn FnMut(Result<Record, Obstacle>) -> ControlFlow<()>) -> Result<Head, JournalFault> {
        let mut trail = Trail {
            head: Head::default(),
            sure: true,
        };
        self.frames(1, &mut |frame| trail.take(frame, each))?;
        Ok(trail.head)
    }

    /// Walks from the frame that holds record `from`; records before it are checked and given too.
    ///
    /// # Errors
    /// When the table fails.
    pub fn from(
        self,
        from: u64,
        each: &mut dyn FnMut(Result<Record, Obstacle>) -> ControlFlow<()>,
    ) -> Result<(), JournalFault> {
        let start = self.frame_of(from)?;
        let mut trail = Trail {
            head: Head::default(),
            sure: start <= 1,
        };
        self.frames(start, &mut |frame| trail.take(frame, each))
    }

    /// Gives each frame from the one that holds record `from` on: its first record and its bytes, as they are.
    ///
    /// # Errors
    /// When the table fails.
    pub fn raw(self, from: u64, each: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>) -> Result<(), JournalFault> {
        let start = self.frame_of(from)?;
        self.frames(start, &mut |frame| each(frame.first_seq, &frame.bytes))
    }

    /// The first record of the frame that holds record `from`, or `from` where none does.
    fn frame_of(self, from: u64) -> Result<u64, JournalFault> {
        let first = Place {
            journal: self.journal,
            first_seq: 1,
            index: 0,
        };
        let last = Place {
            journal: self.journal,
            first_seq: from,
            index: u16::MAX,
        };
        let found = self.table.last_key(&first.key(), &last.key())?;
        Ok(found
            .as_deref()
            .and_then(Place::of)
            .map_or(from, |place| place.first_seq))
    }

    /// Keys of all rows from the frame at `first_seq` on.
    ///
    /// # Errors
    /// When the table fails.
    pub fn keys(self, first_seq: u64) -> Result<Vec<Vec<u8>>, JournalFault> {
        let mut keys = Vec::new();
        let (from, to) = self.span(first_seq);
        self.table.rows(&from, &to, &mut |key, _| {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        })?;
        Ok(keys)
    }

    fn span(self, first_seq: u64) -> ([u8; 15], Vec<u8>) {
        let from = Place {
            journal: self.journal,
            first_seq,
            index: 0,
        }
        .key();
        let mut to = Place {
            journal: self.journal,
            first_seq: u64::MAX,
            index: u16::MAX,
        }
        .key()
        .to_vec();
        to.push(0);
        (from, to)
    }

    fn frames(self, first_seq: u64, each: &mut dyn FnMut(&Open) -> ControlFlow<()>) -> Result<(), JournalFault> {
        let mut open: Option<Open> = None;
        let mut done = false;
        let (from, to) = self.span(first_seq);
        self.table.rows(&from, &to, &mut |key, value| {
            let Some(place) = Place::of(key) else {
                return ControlFlow::Continue(());
            };
            match &mut open {
                Some(frame) if frame.first_seq == place.first_seq => {
                    // A row that is missing shows in the frame's length, one in excess too.
                    frame.bytes.extend_from_slice(value);
                }
                _ => {
                    let next = Open {
                        first_seq: place.first_seq,
                        begun: place.index == 0,
                        bytes: value.to_vec(),
                    };
                    if let Some(frame) = open.replace(next)
                        && each(&frame).is_break()
                    {
                        done = true;
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        if let (Some(frame), false) = (&open, done) {
            let _ = each(frame);
        }
        Ok(())
    }
}

struct Trail {
    /// Where the walk is.
    head: Head,
    /// Whether the head is known; otherwise the next frame's header is believed.
    sure: bool,
}

impl Trail {
    fn take(
        &mut self,
        frame: &Open,
        each: &mut dyn FnMut(Result<Record, Obstacle>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let expected = self.head.seq + 1;
        if self.sure && frame.first_seq != expected {
            self.sure = false;
            let missing = frame.first_seq > expected;
            let what = format!("it is missing; the next one is {}", frame.first_seq);
            each(Err(Obstacle {
                seq: expected,
                frame: expected,
                what,
                missing,
            }))?;
        }
        match Header::read(&frame.bytes) {
            Ok((header, bytes)) => self.records(frame, header, bytes, each),
            Err(what) => {
                self.sure = false;
                each(Err(Obstacle {
                    seq: frame.first_seq,
                    frame: frame.first_seq,
                    what,
                    missing: !frame.begun,
                }))
            }
        }
    }

    fn records(
        &mut self,
        frame: &Open,
        header: Header,
        mut bytes: &[u8],
        each: &mut dyn FnMut(Result<Record, Obstacle>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.sure && (header.previous, header.decided) != (self.head.hash, self.head.decided) {
            let what = "its frame does not follow from the one before it".to_owned();
            each(Err(Obstacle {
                seq: frame.first_seq,
                frame: frame.first_seq,
                what,
                missing: false,
            }))?;
        }
        let at = if self.sure { self.head.at } else { At(i64::MIN) };
        self.head = Head {
            seq: frame.first_seq - 1,
            at,
            hash: header.previous,
            decided: header.decided,
        };
        let first = frame.first_seq == 1;
        self.sure = true;
        let whole = bytes.len() == header.bytes as usize;
        for index in 0..header.records {
            let seq = self.head.seq + 1;
            let read = record::decode(bytes, &self.head.hash).and_then(|(record, length)| {
                if record.seq != seq {
                    return Err(format!("record {} is in its place", record.seq));
                }
                if record.at < self.head.at && !(first && index == 0) {
                    return Err("it is earlier than the one before it".to_owned());
                }
                Ok((record, length))
            });
            match read {
                Ok((record, length)) => {
                    bytes = &bytes[length..];
                    line::advance(&mut self.head, &record);
                    each(Ok(record))?;
                }
                Err(what) => {
                    self.sure = false;
                    return each(Err(Obstacle {
                        seq,
                        frame: frame.first_seq,
                        what,
                        missing: !whole,
                    }));
                }
            }
        }
        if !bytes.is_empty() {
            let what = "its frame is longer than it says".to_owned();
            return each(Err(Obstacle {
                seq: self.head.seq,
                frame: frame.first_seq,
                what,
                missing: false,
            }));
        }
        ControlFlow::Continue(())
    }
}

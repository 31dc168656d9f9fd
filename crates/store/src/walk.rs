//! Reading one journal: rows put together to frames, records checked one by one.
//!
//! Invariant: a record is given on only after its checksum, its hash and its place were checked; nothing is skipped
//! without saying so.

use std::ops::Range;
use std::ops::RangeInclusive;

use schema::time::At;

use crate::frame::Header;
use crate::frame::Place;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::Record;
use crate::journal::Snapshot;
use crate::kv::Kv;
use crate::record;

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
        damaged(journal, self.seq, &self.what)
    }
}

/// The fault that a record is not as it was written; record 0 stands for the journal as such.
pub fn damaged(journal: &str, seq: u64, what: &str) -> JournalFault {
    JournalFault::Damaged {
        journal: journal.to_owned(),
        seq,
        what: what.to_owned(),
    }
}

/// One journal among the rows.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    pub kv: &'a dyn Kv,
    pub journal: u32,
}

/// The rows of one frame, put together.
#[derive(Clone, Debug)]
pub struct Frame {
    pub first_seq: u64,
    /// Whether its first row was there.
    begun: bool,
    pub bytes: Vec<u8>,
}

impl<'a> Walk<'a> {
    /// Frames from the one that holds record `from` on, or that would come next.
    pub fn frames(self, from: u64) -> Result<impl Iterator<Item = Result<Frame, JournalFault>> + 'a, JournalFault> {
        let [first, last] = [(1, 0), (from, u16::MAX)].map(|(seq, index)| Place::new(self.journal, seq, index).key());
        let found = self.kv.last_key(&first, &last)?;
        let start = found.as_deref().and_then(Place::parse);
        let (from, to) = self.span(start.map_or(from, |place| place.first_seq.get()));
        let rows = self.kv.scan(&from, &to).filter_map(|row| match row {
            Ok((key, value)) => Place::parse(&key).map(|place| Ok((place, value))),
            Err(fault) => Some(Err(fault)),
        });
        let mut rows = rows.peekable();
        Ok(std::iter::from_fn(move || {
            let (place, mut bytes) = match rows.next()? {
                Ok(row) => row,
                Err(fault) => return Some(Err(fault)),
            };
            let first_seq = place.first_seq;
            // A row that is missing shows in the frame's length, one in excess too.
            let belongs = |row: &Result<(Place, _), _>| row.as_ref().is_ok_and(|(next, _)| next.first_seq == first_seq);
            while let Some(Ok((_, piece))) = rows.next_if(belongs) {
                bytes.extend_from_slice(&piece);
            }
            Some(Ok(Frame {
                first_seq: first_seq.get(),
                begun: place.index.get() == 0,
                bytes,
            }))
        }))
    }

    /// Keys of all rows from the frame at `first_seq` on.
    pub fn keys(self, first_seq: u64) -> Result<Vec<Vec<u8>>, JournalFault> {
        let (from, to) = self.span(first_seq);
        self.kv.scan(&from, &to).map(|row| row.map(|(key, _)| key)).collect()
    }

    /// Gives each record of a span, with its bytes; after a frame no more where `take` said so of its last record, so that what
    /// an append brought stays together and no frame is read twice by whoever goes on behind it.
    ///
    /// # Errors
    /// When the engine fails; names the first record that is damaged or missing.
    pub fn read(
        self,
        name: &str,
        span: RangeInclusive<u64>,
        mut take: impl FnMut(Record, &[u8]) -> bool,
    ) -> Result<(), JournalFault> {
        let mut next = *span.start();
        let mut trail = Trail::starting_at(next);
        for frame in self.frames(next)? {
            let frame = frame?;
            let mut goes_on = true;
            for step in trail.check(&frame) {
                let (record, bytes) = step.map_err(|obstacle| obstacle.fault(name))?;
                if record.seq == next {
                    goes_on = take(record, &frame.bytes[bytes]);
                    next += 1;
                }
                if next > *span.end() {
                    return Ok(());
                }
            }
            if !goes_on {
                return Ok(());
            }
        }
        Err(damaged(name, next, "it is missing"))
    }

    /// Whether a snapshot is of this journal, which reaches at least as far.
    pub fn holds(self, name: &str, snapshot: &Snapshot) -> Result<bool, JournalFault> {
        let mut hash = [0; 32];
        if snapshot.seq > 0 {
            self.read(name, snapshot.seq..=snapshot.seq, |record, _| {
                hash = record.hash;
                false
            })?;
        }
        Ok(hash == snapshot.hash)
    }

    fn span(self, first_seq: u64) -> (Vec<u8>, Vec<u8>) {
        let mut to = Place::new(self.journal, u64::MAX, u16::MAX).key();
        to.push(0);
        (Place::new(self.journal, first_seq, 0).key(), to)
    }
}

/// A record and its bytes in its frame, or what stands in its way.
pub type Step = Result<(Record, Range<usize>), Obstacle>;

/// Goes from frame to frame and holds each record against the one before it.
#[derive(Debug)]
pub struct Trail {
    /// The last record that was whole.
    head: Head,
    /// Whether the head is known; otherwise the next frame's header is believed.
    sure: bool,
}

impl Trail {
    /// Begins with the frame that holds this record; from the first one on, nothing is believed.
    pub fn starting_at(seq: u64) -> Trail {
        Trail {
            head: Head::default(),
            sure: seq <= 1,
        }
    }

    /// The records of the next frame and what stands in the way of them, in their order.
    pub fn check(&mut self, frame: &Frame) -> Vec<Step> {
        let obstacle = |seq: u64, what: &str, missing: bool| Obstacle {
            seq,
            frame: frame.first_seq,
            what: what.to_owned(),
            missing,
        };
        let mut steps = Vec::new();
        let expected = self.head.seq + 1;
        if self.sure && frame.first_seq != expected {
            self.sure = false;
            let what = format!("it is missing; the next one is {}", frame.first_seq);
            steps.push(Err(Obstacle {
                frame: expected,
                ..obstacle(expected, &what, frame.first_seq > expected)
            }));
        }
        let (header, records) = match Header::read(&frame.bytes) {
            Ok(read) => read,
            Err(what) => {
                self.sure = false;
                steps.push(Err(obstacle(frame.first_seq, &what, !frame.begun)));
                return steps;
            }
        };
        if self.sure && (header.previous, header.decided.get()) != (self.head.hash, self.head.decided) {
            let what = "its frame does not follow from the one before it";
            steps.push(Err(obstacle(frame.first_seq, what, false)));
        }
        self.head = Head {
            seq: frame.first_seq.saturating_sub(1),
            at: if self.sure { self.head.at } else { At(i64::MIN) },
            hash: header.previous,
            decided: header.decided.get(),
        };
        self.sure = true;
        let is_whole = records.len() == header.bytes.get() as usize;
        let mut start = frame.bytes.len() - records.len();
        for _ in 0..header.records.get() {
            match record::follow(&mut self.head, &frame.bytes[start..]) {
                Ok((record, length)) => {
                    steps.push(Ok((record, start..start + length)));
                    start += length;
                }
                Err(what) => {
                    self.sure = false;
                    steps.push(Err(obstacle(self.head.seq + 1, &what, !is_whole)));
                    return steps;
                }
            }
        }
        if start < frame.bytes.len() {
            let what = "its frame is longer than it says";
            steps.push(Err(obstacle(self.head.seq, what, false)));
        }
        steps
    }
}

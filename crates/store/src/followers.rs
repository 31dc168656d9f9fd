//! Who follows which journal. A slow follower loses records, never holds up the committer.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::sync::watch;

use crate::journal::JournalName;
use crate::journal::Record;
use crate::journal::Tail;

/// One follower a journal.
#[derive(Debug, Default)]
pub struct Followers {
    ends: Mutex<BTreeMap<JournalName, End>>,
}

#[derive(Debug)]
struct End {
    records: mpsc::Sender<Record>,
    head: watch::Sender<u64>,
}

impl Followers {
    /// A new tail for the journal, whose last committed record is at `head`; the old one ends.
    pub fn follow(&self, journal: &JournalName, capacity: usize, head: u64) -> Tail {
        let (records, receiver) = mpsc::channel(capacity.max(1));
        let (sender, watched) = watch::channel(head);
        let mut ends = self.ends.lock();
        ends.insert(journal.clone(), End { records, head: sender });
        Tail {
            records: receiver,
            head: watched,
        }
    }

    /// Hands on what was committed. When the channel is full the rest is dropped; the watched head tells.
    pub fn hand_on(&self, journal: &JournalName, records: Vec<Record>) {
        let mut ends = self.ends.lock();
        let Some(end) = ends.get(journal) else { return };
        let Some(last) = records.last().map(|record| record.seq) else {
            return;
        };
        for record in records {
            if end.records.try_send(record).is_err() {
                break;
            }
        }
        end.head.send_replace(last);
        if end.records.is_closed() && end.head.is_closed() {
            ends.remove(journal);
        }
    }

    /// Ends every tail.
    pub fn clear(&self) {
        self.ends.lock().clear();
    }
}

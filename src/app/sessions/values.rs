//! Values that are held in memory, so that reading them takes no disk.
//!
//! Invariant: never more than so many bytes, in two generations: what is read goes into the young one; when that has half the
//! room, it becomes the old one, and what was in the old one and not read since goes.

use std::collections::BTreeMap;
use std::sync::Arc;

/// What an entry takes beside its text.
const ENTRY_BYTES: usize = 64;

/// Values by the record that holds them.
#[derive(Debug)]
pub struct Values {
    half: usize,
    young: BTreeMap<u64, Arc<str>>,
    young_bytes: usize,
    old: BTreeMap<u64, Arc<str>>,
}

impl Values {
    /// Room for so many bytes.
    pub fn new(bytes_max: usize) -> Values {
        Values {
            half: bytes_max / 2,
            young: BTreeMap::new(),
            young_bytes: 0,
            old: BTreeMap::new(),
        }
    }

    /// A value, if it is held.
    pub fn get(&mut self, record: u64) -> Option<Arc<str>> {
        if let Some(value) = self.young.get(&record) {
            return Some(Arc::clone(value));
        }
        let value = self.old.remove(&record)?;
        self.put(record, Arc::clone(&value));
        Some(value)
    }

    /// Holds a value.
    pub fn put(&mut self, record: u64, value: Arc<str>) {
        let bytes = value.len() + ENTRY_BYTES;
        if bytes > self.half {
            return;
        }
        if self.young_bytes + bytes > self.half {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(record, value).is_none() {
            self.young_bytes += bytes;
        }
    }

    /// Lets go of what these records hold.
    pub fn forget(&mut self, from: u64, through: u64) {
        let gone: Vec<u64> = self.young.range(from..=through).map(|(record, _)| *record).collect();
        for record in gone {
            if let Some(value) = self.young.remove(&record) {
                self.young_bytes -= value.len() + ENTRY_BYTES;
            }
        }
        let gone: Vec<u64> = self.old.range(from..=through).map(|(record, _)| *record).collect();
        for record in gone {
            self.old.remove(&record);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::ENTRY_BYTES;
    use super::Values;

    fn bytes(values: &Values) -> usize {
        let all = values.young.values().chain(values.old.values());
        all.map(|value| value.len() + ENTRY_BYTES).sum()
    }

    #[test]
    fn what_is_read_stays_and_the_room_is_never_exceeded_s087() {
        let room = 10 * (ENTRY_BYTES + 10);
        let mut values = Values::new(room);
        let text: Arc<str> = Arc::from("x".repeat(10));
        for record in 0..1_000 {
            values.put(record, Arc::clone(&text));
            assert!(values.get(0).is_some(), "{record}");
            assert!(bytes(&values) <= room);
        }
        assert_eq!(values.get(1), None);
        values.put(2_000, Arc::from("x".repeat(room)));
        assert_eq!(values.get(2_000), None, "what is too large is not held");
        values.forget(0, 998);
        assert_eq!(values.get(0), None);
        assert!(values.get(999).is_some());
        values.forget(0, u64::MAX);
        assert_eq!((bytes(&values), values.young_bytes), (0, 0));
    }
}

//! Rows that live as long as the process: for tests. As an engine, but for the disk.

use std::collections::BTreeMap;
use std::ops::Bound;

use parking_lot::RwLock;

use crate::journal::JournalFault;
use crate::kv::Batch;
use crate::kv::Kv;
use crate::kv::Rows;

/// Rows in memory.
#[derive(Debug, Default)]
pub struct Memory {
    rows: RwLock<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl Kv for Memory {
    fn apply(&self, batch: Batch) -> Result<(), JournalFault> {
        let mut rows = self.rows.write();
        rows.extend(batch.put);
        for key in batch.remove {
            rows.remove(&key);
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), JournalFault> {
        Ok(())
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        let to = to.to_vec();
        let mut from = Bound::Included(from.to_vec());
        // Row by row, so that whoever writes does not wait for whoever reads.
        Box::new(std::iter::from_fn(move || {
            let range = (from.clone(), Bound::Excluded(to.clone()));
            let (key, value) = self
                .rows
                .read()
                .range(range)
                .next()
                .map(|(k, v)| (k.clone(), v.clone()))?;
            from = Bound::Excluded(key.clone());
            Some(Ok((key, value)))
        }))
    }

    fn last_key(&self, from: &[u8], to: &[u8]) -> Result<Option<Vec<u8>>, JournalFault> {
        let rows = self.rows.read();
        let last = rows.range(from.to_vec()..=to.to_vec()).next_back();
        Ok(last.map(|(key, _)| key.clone()))
    }
}

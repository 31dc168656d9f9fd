//! An engine whose rows live as long as they are open: what the others are held against.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::RwLock;

use store::journal::JournalFault;
use store::kv::Batch;
use store::kv::Engine;
use store::kv::Kv;
use store::kv::Rows;

/// Rows in memory, in no folder of their own.
pub const ENGINE: &Engine = &Engine {
    folder: "memory",
    file: "db",
    made_before: &[],
    open: |_, _| Ok(Box::new(Memory::default())),
};

#[derive(Debug, Default)]
struct Memory {
    rows: RwLock<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl Kv for Memory {
    fn apply(&self, batch: Batch) -> Result<(), JournalFault> {
        let mut rows = self.rows.write().expect("rows");
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
                .expect("rows")
                .range(range)
                .next()
                .map(|(k, v)| (k.clone(), v.clone()))?;
            from = Bound::Excluded(key.clone());
            Some(Ok((key, value)))
        }))
    }

    fn last_key(&self, from: &[u8], to: &[u8]) -> Result<Option<Vec<u8>>, JournalFault> {
        let rows = self.rows.read().expect("rows");
        let last = rows.range(from.to_vec()..=to.to_vec()).next_back();
        Ok(last.map(|(key, _)| key.clone()))
    }
}

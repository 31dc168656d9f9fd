//! Settings of the embedded store.

use serde::Deserialize;
use serde::Serialize;

/// Settings of the embedded store. Sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreOptions {
    /// Appends that may wait for the committer; one more is answered `busy`.
    pub queue_appends_max: usize,
    /// Records committed with one sync at most.
    pub batch_records_max: usize,
    /// Open and sealed part of one record together; at most 49152, so that a row stays below sled's blob threshold.
    pub record_bytes_max: usize,
    /// Milliseconds between two syncs of the sealed heads.
    pub heads_sync_ms: u64,
    /// sled's page cache.
    pub cache_bytes: u64,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions {
            queue_appends_max: 8_192,
            batch_records_max: 4_096,
            record_bytes_max: 48 * 1_024,
            heads_sync_ms: 1_000,
            cache_bytes: 64 * 1_024 * 1_024,
        }
    }
}

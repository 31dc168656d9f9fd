//! What an operator may set about the store, and whom the store tells of its commits.

use serde::Deserialize;
use serde::Serialize;

/// Settings of the embedded store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// Appends that may wait for the committer; one more is refused as busy. Default 8192.
    pub queue_appends_max: usize,
    /// Records in one commit; the append that reaches it is the commit's last. Default 4096.
    pub batch_records_max: usize,
    /// Bytes in one commit; the append that reaches it is the commit's last. Default 4194304 (4 MiB).
    pub batch_bytes_max: usize,
    /// Bytes of one record, open and sealed part together. Default 49152 (48 KiB), at most 1 MiB.
    pub record_bytes_max: usize,
    /// Milliseconds after which the sealed heads are synced; a power cut can undo as much of them, never of the
    /// records. Default 1000.
    pub heads_sync_ms: u64,
    /// Bytes of memory in which sled keeps what it read or wrote last. Default 67108864 (64 MiB).
    pub cache_bytes: u64,
}

/// The largest `record_bytes_max` that takes effect.
pub const RECORD_BYTES_CEILING: usize = 1 << 20;

impl Default for StoreSettings {
    fn default() -> StoreSettings {
        StoreSettings {
            queue_appends_max: 8_192,
            batch_records_max: 4_096,
            batch_bytes_max: 4 << 20,
            record_bytes_max: 48 << 10,
            heads_sync_ms: 1_000,
            cache_bytes: 64 << 20,
        }
    }
}

/// Is told of every commit: how many seconds it took, and how many records it held. Called by the committer, so it must
/// not block.
pub type OnCommit = Box<dyn Fn(f64, usize) + Send>;

/// Settings, and whom to tell.
#[derive(Default)]
pub struct StoreOptions {
    pub settings: StoreSettings,
    pub on_commit: Option<OnCommit>,
}

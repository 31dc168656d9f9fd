//! What an operator may set about the store, and whom the store tells of its commits.

use std::io;
use std::sync::Arc;

use crate::engines;
use crate::kv::Engine;
use crate::space::FreeBytes;

/// Settings of the embedded store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// Appends that may wait for the committer; one more is refused as busy. Default 8192.
    pub queue_appends_max: usize,
    /// Bytes of memory in which the engine keeps what it read or wrote last. Default 67108864 (64 MiB).
    pub cache_bytes: u64,
    /// Bytes that stay free: below them nothing is written until there is an eighth more. 0 for none. Default 134217728
    /// (128 MiB).
    pub free_bytes_min: u64,
    /// Milliseconds after which a store that a full disk cut short is opened anew; twice as long after each attempt, up
    /// to 32 times as long. Default 1000.
    pub reopen_ms: u64,
    /// Milliseconds without a sign of a commit that is under way, after which the store is given up until the next start. Longer
    /// than any disk takes that works, and shorter than what is waited for a process that is to end. Default 15000.
    pub stall_ms: u64,
    /// Whether opening copies a store that something was erased from. Default true; not for whoever only looks.
    pub compacts: bool,
}

impl Default for StoreSettings {
    fn default() -> StoreSettings {
        StoreSettings {
            queue_appends_max: 8_192,
            cache_bytes: 64 << 20,
            free_bytes_min: 128 << 20,
            reopen_ms: 1_000,
            stall_ms: 15_000,
            compacts: true,
        }
    }
}

/// Is told of every commit: how many seconds it took, and how many records it held. Called by the committer, so it must
/// not block.
pub type OnCommit = Box<dyn Fn(f64, usize) + Send>;

/// Is asked before each sync of the store's file; what it fails with is taken for the sync's own failure.
pub type BeforeSync = Arc<dyn Fn() -> io::Result<()> + Send + Sync>;

/// Settings, and whom to tell.
pub struct StoreOptions {
    /// The engine of a folder that is new; another one is read by the engine that wrote it.
    pub engine: &'static Engine,
    pub settings: StoreSettings,
    pub on_commit: Option<OnCommit>,
    /// Stands in for the file system's own answer.
    pub free_bytes: Option<FreeBytes>,
    /// Stands in for a disk that fails or hangs.
    pub before_sync: Option<BeforeSync>,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            engine: engines::DEFAULT,
            settings: StoreSettings::default(),
            on_commit: None,
            free_bytes: None,
            before_sync: None,
        }
    }
}

//! How sessions of shared context are bounded.

use serde::Deserialize;
use serde::Serialize;

/// `[sessions]`; what each setting means stands in [`crate::config::catalogue::sharing`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sharing {
    pub sessions_max: usize,
    pub sessions_per_client_max: usize,
    pub keys_max: usize,
    pub value_tokens_max: u64,
    pub value_tokens_warned: u64,
    pub value_tokens_hinted: u64,
    pub store_tokens_max: u64,
    pub participants_max: usize,
    pub history_versions_max: usize,
    pub snapshots_max: usize,
    pub batch_keys_max: usize,
    pub expiry_s_max: i64,
    pub namespace_bytes_max: usize,
    pub followers_max: usize,
    pub cache_bytes: usize,
    pub log_writes: bool,
    pub audit_records_max: usize,
}

impl Default for Sharing {
    fn default() -> Self {
        Sharing {
            sessions_max: 10_000,
            sessions_per_client_max: 1_000,
            keys_max: 10_000,
            value_tokens_max: 1_000,
            value_tokens_warned: 800,
            value_tokens_hinted: 500,
            store_tokens_max: 10_000,
            participants_max: 64,
            history_versions_max: 20,
            snapshots_max: 16,
            batch_keys_max: 64,
            expiry_s_max: 31_536_000,
            namespace_bytes_max: 16 * 1024,
            followers_max: 64,
            cache_bytes: 64 * 1024 * 1024,
            log_writes: true,
            audit_records_max: 10_000,
        }
    }
}

//! What an operator may set about the embedder, and whom it tells of its work.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use serde::Deserialize;
use serde::Serialize;

/// Settings of the embedder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbedSettings {
    /// Sessions, each on a thread of its own with about 100 MB of memory. Default 0: one for each core.
    pub workers: usize,
    /// Texts that may wait; a call that would exceed it is refused as busy, unless nothing waits. Default 4096.
    pub queue_texts_max: usize,
    /// Texts whose vectors are remembered, at about 1 KB each; 0 remembers none. Default 20000.
    pub cache_texts_max: usize,
}

impl Default for EmbedSettings {
    fn default() -> EmbedSettings {
        EmbedSettings {
            workers: 0,
            queue_texts_max: 4_096,
            cache_texts_max: 20_000,
        }
    }
}

impl EmbedSettings {
    /// Sessions that these settings ask for on this machine; at least one.
    pub fn sessions(&self) -> usize {
        match self.workers {
            0 => thread::available_parallelism().map_or(1, NonZero::get),
            workers => workers,
        }
    }
}

/// Is told of every batch: how many seconds it took, and how many texts it held. Called by the workers, so it must not
/// block.
pub type OnEmbed = Arc<dyn Fn(f64, usize) + Send + Sync>;

/// Settings, and whom to tell.
#[derive(Clone, Default)]
pub struct EmbedOptions {
    pub settings: EmbedSettings,
    pub on_embed: Option<OnEmbed>,
}

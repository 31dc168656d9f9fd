//! Sentences become vectors: the embedder of the service, over one small model that runs on this machine (Z-084, Z-085).
//!
//! Owns the cache, the queue and the threads that embed. Knows nothing of fragments or clusters. Invariant: a text's
//! vector depends on the text and the model alone, never on what was embedded before it or beside it, so that a replay
//! on the same machine gives the same bytes.

pub mod library;

pub mod files;

pub mod minilm;

pub mod worker;

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use quick_cache::sync::Cache;
use serde::Deserialize;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::domain::pool::heads::Heads;
use crate::domain::pool::vector::Vector;
use crate::edge::embed::files::ModelFiles;
use crate::edge::embed::worker::OnEmbed;
use crate::edge::embed::worker::Workers;
use crate::service::ports::EmbedFault;
use crate::service::ports::Embedder;
use crate::service::ports::Promise;

/// The model's name and width, kept beside every vector (Z-103).
pub const MODEL: &str = "all-minilm-l6-v2-w8/384";

/// Characters of a text, normalised, that are read; the model sees its first 256 word pieces at most.
pub const TEXT_CHARS_MAX: usize = 4_096;

/// How much is embedded at once, waits and is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbedOptions {
    /// Threads that embed, each with a copy of the model (about 150 MB); 0 means as many as there are cores. Default 0.
    pub workers: usize,
    /// Texts that may wait for a thread; more are refused with [`EmbedFault::Busy`]. At least 1. Default 1024.
    pub queue_texts_max: usize,
    /// Texts whose vectors are remembered (about 1 KB each); 0 remembers none. Default 16384.
    pub cache_texts_max: usize,
}

impl Default for EmbedOptions {
    fn default() -> Self {
        EmbedOptions {
            workers: 0,
            queue_texts_max: 1_024,
            cache_texts_max: 16_384,
        }
    }
}

/// all-MiniLM-L6-v2, weights in 8 bits: 384 components, English first, about 256 word pieces of a text.
pub struct MiniLm {
    cache: Option<Cache<String, Vector>>,
    workers: Workers,
    heads: Arc<Heads>,
    /// Texts handed over at a time: a long request leaves room in the queue for others.
    piece: usize,
}

impl MiniLm {
    /// Loads the model from a folder. `on_embed` is told the seconds and the number of texts of every batch, on the
    /// thread that embedded it; it must not block.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] with a sentence that says what to do, when the folder's files are missing or are not those of
    /// its `SHA256SUMS`, or when ONNX Runtime cannot be found or loaded.
    pub fn open(models: &Path, options: EmbedOptions, on_embed: Option<OnEmbed>) -> Result<MiniLm, EmbedFault> {
        MiniLm::open_with(library::find(), models, options, on_embed)
    }

    /// As [`MiniLm::open`], with what came of looking for ONNX Runtime.
    ///
    /// # Errors
    /// As [`MiniLm::open`].
    pub fn open_with(
        library: Result<PathBuf, String>,
        models: &Path,
        options: EmbedOptions,
        on_embed: Option<OnEmbed>,
    ) -> Result<MiniLm, EmbedFault> {
        let files = ModelFiles::read(models).map_err(EmbedFault::Model)?;
        let heads = heads(&files.heads).map_err(|fault| EmbedFault::Model(format!("{}: {fault}", files::HEADS)))?;
        let library = library.map_err(EmbedFault::Model)?;
        let environment = library::load(&library).map_err(EmbedFault::Model)?;
        let count = match options.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            workers => workers,
        };
        let queue_texts_max = options.queue_texts_max.max(1);
        let workers = Workers::start(&files, &environment, count, queue_texts_max, on_embed)?;
        Ok(MiniLm {
            cache: (options.cache_texts_max > 0).then(|| Cache::new(options.cache_texts_max)),
            workers,
            heads: Arc::new(heads),
            piece: queue_texts_max.div_ceil(4),
        })
    }

    /// Refuses from now on; what waits is answered with [`EmbedFault::Closed`], what is being embedded is finished.
    pub fn close(&self) {
        self.workers.close();
    }

    /// Vectors of normalised texts, each text once.
    async fn look_up(&self, texts: &[String]) -> Result<BTreeMap<String, Vector>, EmbedFault> {
        let mut known = BTreeMap::new();
        let mut missing = Vec::new();
        for text in texts {
            if known.contains_key(text) {
                continue;
            }
            match self.cache.as_ref().and_then(|cache| cache.get(text)) {
                Some(vector) => {
                    known.insert(text.clone(), vector);
                }
                None => missing.push(text.clone()),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        for piece in missing.chunks(self.piece) {
            for (text, answer) in piece.iter().zip(self.workers.submit(piece)?) {
                let vector = answer.await.map_err(|_| EmbedFault::Closed)??;
                if let Some(cache) = &self.cache {
                    cache.insert(text.clone(), vector.clone());
                }
                known.insert(text.clone(), vector);
            }
        }
        Ok(known)
    }
}

/// The regressions of this model, and of no other.
fn heads(bytes: &[u8]) -> Result<Heads, String> {
    let heads = Heads::parse(&String::from_utf8_lossy(bytes))?;
    if heads.model != MODEL || heads.width() != minilm::WIDTH {
        return Err(format!("it belongs to {}, and this is {MODEL}", heads.model));
    }
    Ok(heads)
}

impl Embedder for MiniLm {
    fn model(&self) -> &str {
        MODEL
    }

    fn heads(&self) -> Option<&Arc<Heads>> {
        Some(&self.heads)
    }

    /// Texts that are the same once normalised are embedded once. A request longer than a quarter of the queue goes in
    /// pieces; when the queue fills up meanwhile it is refused, and what was embedded is remembered for the next attempt.
    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        Box::pin(async move {
            if self.workers.is_closed() {
                return Err(EmbedFault::Closed);
            }
            let texts: Vec<String> = texts.iter().map(|text| normalised(text)).collect();
            let known = self.look_up(&texts).await?;
            texts
                .iter()
                .map(|text| known.get(text).cloned().ok_or(EmbedFault::Closed))
                .collect()
        })
    }
}

impl Drop for MiniLm {
    fn drop(&mut self) {
        self.workers.close();
    }
}

/// What is embedded in place of a text, and what it is remembered by: composed (NFC), white space at its ends left out
/// and elsewhere one space, small letters, [`TEXT_CHARS_MAX`] characters at most. The model's tokenizer makes small
/// letters of all letters and takes accents off, so no meaning that it knows is lost.
pub fn normalised(text: &str) -> String {
    let mut kept = String::new();
    let mut chars = 0_usize;
    for character in text.nfc().take(TEXT_CHARS_MAX * 4) {
        let blank = character.is_whitespace();
        if chars >= TEXT_CHARS_MAX {
            break;
        }
        if blank && (kept.is_empty() || kept.ends_with(' ')) {
            continue;
        }
        chars += 1;
        if blank {
            kept.push(' ');
        } else {
            kept.extend(character.to_lowercase());
        }
    }
    let kept_bytes = kept.trim_end().len();
    kept.truncate(kept_bytes);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_in_case_space_or_composition_are_one_z084() {
        assert_eq!(normalised("  Aisle\t\n SEAT "), "aisle seat");
        assert_eq!(normalised("cafe\u{301}"), normalised("CAF\u{c9}"));
        assert_ne!(normalised("aisle seat"), normalised("aisleseat"));
        assert_eq!(normalised(" \u{a0}\u{2003}"), "");
    }

    #[test]
    fn a_text_is_read_up_to_its_limit_z084() {
        let at = "a".repeat(TEXT_CHARS_MAX);
        assert_eq!(normalised(&at), at);
        assert_eq!(normalised(&format!("{at}b")), at);
        assert_eq!(normalised(&at[1..]), at[1..]);
        assert_eq!(normalised(&" ".repeat(1 << 20)), "");
    }

    #[test]
    fn options_name_what_they_do_not_know_z084() {
        let options: EmbedOptions = serde_json::from_str(r#"{"workers": 2}"#).unwrap();
        assert_eq!(
            options,
            EmbedOptions {
                workers: 2,
                ..EmbedOptions::default()
            }
        );
        assert!(serde_json::from_str::<EmbedOptions>(r#"{"worker": 2}"#).is_err());
    }
}

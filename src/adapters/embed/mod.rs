//! Sentences become vectors: the embedders of the service, over small models that run on this machine (Z-084, Z-085).
//!
//! Owns the caches, the queues and the threads that embed. Knows nothing of fragments or clusters. Invariants: a text's
//! vector depends on the text and the model alone, never on what was embedded before it or beside it, so that a replay
//! on the same machine gives the same bytes; vectors of two models never come from one embedder.

pub mod files;
pub mod library;
pub mod session;
pub mod worker;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use quick_cache::sync::Cache;
use unicode_normalization::UnicodeNormalization;

use crate::adapters::embed::files::Calibration;
use crate::adapters::embed::files::ModelFolder;
use crate::adapters::embed::session::Session;
use crate::adapters::embed::worker::Embed;
use crate::adapters::embed::worker::OnEmbed;
use crate::adapters::embed::worker::Workers;
use crate::adapters::embed::worker::when_asked;
use crate::app::ports::EmbedFault;
use crate::app::ports::Embedder;
use engine::pool::heads::Heads;
use store::journal::Promise;
use text::vector::Vector;

/// The folder of the model that reads English.
pub const ENGLISH: &str = "minilm-l6-v2";

/// The folder of the model that reads other languages as well.
pub const MULTILINGUAL: &str = "use-m-v3";

/// Characters of a text, normalised, that are read; a model sees its first 256 word pieces at most.
pub const TEXT_CHARS_MAX: usize = 4_096;

/// How much is embedded at once, waits and is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedOptions {
    /// Threads that embed English, each with a copy of the model (about 150 MB); 0 means as many as there are cores. Default 0.
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

/// The models of the service: one for English, ready at once, and one for more languages, loaded when it is first needed.
pub struct Encoders {
    english: Encoder,
    multilingual: Encoder,
}

impl Encoders {
    /// Loads the first model from the folder of models and makes the second one ready to be loaded. `on_embed` is told the seconds
    /// and the number of texts of every batch, on the thread that embedded it; it must not block.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] with a sentence that says what to do, when the files of either are missing or are not those of
    /// `SHA256SUMS`, or when ONNX Runtime cannot be found or loaded.
    pub fn open(models: &Path, options: EmbedOptions, on_embed: Option<OnEmbed>) -> Result<Encoders, EmbedFault> {
        let folder = |name| ModelFolder::open(models, name).map_err(EmbedFault::Model);
        let (english, multilingual) = (folder(ENGLISH)?, folder(MULTILINGUAL)?);
        // Nobody shall learn weeks after the start that the second model was damaged.
        multilingual.check().map_err(EmbedFault::Model)?;
        let environment = library::load().map_err(EmbedFault::Model)?;
        let loading = |folder: &ModelFolder| {
            let (folder, environment) = (folder.clone(), environment.clone());
            move || -> Result<Embed, EmbedFault> {
                let files = folder.files().map_err(EmbedFault::Model)?;
                let mut session = Session::load(files, &environment)?;
                Ok(Box::new(move |texts: &[&str]| session.vectors(texts)))
            }
        };
        let count = match options.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            workers => workers,
        };
        let texts_max = options.queue_texts_max.max(1);
        let workers = Workers::start(count, texts_max, on_embed.clone(), loading(&english))?;
        let english = Encoder::of(&english, workers, &options)?;
        let load = loading(&multilingual);
        let workers = Workers::start(1, texts_max, on_embed, move || Ok(when_asked(load.clone())))?;
        Ok(Encoders {
            english,
            multilingual: Encoder::of(&multilingual, workers, &options)?,
        })
    }

    /// Refuses from now on; what waits is answered with [`EmbedFault::Closed`], what is being embedded is finished.
    pub fn close(&self) {
        self.english.workers.close();
        self.multilingual.workers.close();
    }
}

impl Embedder for Encoders {
    fn model(&self) -> &str {
        self.english.model()
    }

    fn heads(&self) -> Option<&Arc<Heads>> {
        self.english.heads()
    }

    fn link(&self) -> f64 {
        self.english.link()
    }

    fn multilingual(&self) -> Option<&dyn Embedder> {
        Some(&self.multilingual)
    }

    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        self.english.embed(texts)
    }
}

/// One model with its memory and its threads.
struct Encoder {
    model: String,
    /// Whether the model tells capital letters from small ones.
    cased: bool,
    cache: Option<Cache<String, Vector>>,
    workers: Workers,
    heads: Arc<Heads>,
    link: f64,
    /// Texts handed over at a time: a long request leaves room in the queue for others.
    piece: usize,
}

impl Encoder {
    fn of(folder: &ModelFolder, workers: Workers, options: &EmbedOptions) -> Result<Encoder, EmbedFault> {
        let calibration = folder.calibration().map_err(EmbedFault::Model)?;
        let heads = folder.text(files::HEADS).and_then(|text| heads(&text, &calibration));
        Ok(Encoder {
            model: calibration.model(),
            cased: calibration.cased,
            cache: (options.cache_texts_max > 0).then(|| Cache::new(options.cache_texts_max)),
            workers,
            heads: Arc::new(heads.map_err(|fault| EmbedFault::Model(format!("{}: {fault}", files::HEADS)))?),
            link: calibration.link,
            piece: options.queue_texts_max.max(1).div_ceil(4),
        })
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
            let mut vectors = Vec::new();
            for answer in self.workers.submit(piece)? {
                vectors.extend(answer.await.map_err(|_| EmbedFault::Closed)??);
            }
            for (text, vector) in piece.iter().zip(vectors) {
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
fn heads(text: &str, calibration: &Calibration) -> Result<Heads, String> {
    let heads = Heads::parse(text)?;
    if heads.model != calibration.model() || heads.width() != calibration.width {
        return Err(format!(
            "it belongs to {}, and this is {}",
            heads.model,
            calibration.model()
        ));
    }
    Ok(heads)
}

impl Embedder for Encoder {
    fn model(&self) -> &str {
        &self.model
    }

    fn heads(&self) -> Option<&Arc<Heads>> {
        Some(&self.heads)
    }

    fn link(&self) -> f64 {
        self.link
    }

    /// Texts that are the same once normalised are embedded once. A request longer than a quarter of the queue goes in
    /// pieces; when the queue fills up meanwhile it is refused, and what was embedded is remembered for the next attempt.
    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        Box::pin(async move {
            if self.workers.is_closed() {
                return Err(EmbedFault::Closed);
            }
            let texts: Vec<String> = texts.iter().map(|text| normalised(text, self.cased)).collect();
            let known = self.look_up(&texts).await?;
            texts
                .iter()
                .map(|text| known.get(text).cloned().ok_or(EmbedFault::Closed))
                .collect()
        })
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        self.workers.close();
    }
}

/// What is embedded in place of a text, and what it is remembered by: composed (NFC), white space at its ends left out
/// and elsewhere one space, [`TEXT_CHARS_MAX`] characters at most; small letters where the model makes small letters of all letters by
/// itself, so that no meaning that it knows is lost.
pub fn normalised(text: &str, cased: bool) -> String {
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
        } else if cased {
            kept.push(character);
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
    fn texts_that_differ_in_case_space_or_composition_are_one_up_to_their_limit_z084() {
        let small = |text: &str| normalised(text, false);
        assert_eq!(small("  Aisle\t\n SEAT "), "aisle seat");
        assert_eq!(small("cafe\u{301}"), small("CAF\u{c9}"));
        assert_ne!(small("aisle seat"), small("aisleseat"));
        assert_eq!(small(" \u{a0}\u{2003}"), "");
        assert_eq!(normalised("  Ein\t RUHIGES Zimmer ", true), "Ein RUHIGES Zimmer");
        let at = "a".repeat(TEXT_CHARS_MAX);
        for (text, read) in [
            (at.clone(), &at[..]),
            (format!("{at}b"), &at),
            (at[1..].to_owned(), &at[1..]),
        ] {
            assert_eq!(small(&text), read);
        }
        assert_eq!(small(&" ".repeat(1 << 20)), "");
    }
}

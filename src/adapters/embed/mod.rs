//! Sentences become vectors: the embedders of the service, over small models that run on this machine (Z-084, Z-085).
//!
//! Owns the caches, the queues and the sessions that embed. Knows nothing of fragments or clusters. Invariants: a text's
//! vector depends on the text and the model alone, never on what was embedded before it or beside it, so that a replay
//! on the same machine gives the same bytes; vectors of two models never come from one embedder.

pub mod files;
pub mod library;
pub mod memory;
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
use crate::app::ports::PROBE;
use crate::config::service::Models;
use engine::pool::heads::Heads;
use store::journal::Promise;
use text::vector::Vector;

/// Characters of a text, normalised, that are read; a model sees its first 256 word pieces at most.
pub const TEXT_CHARS_MAX: usize = 4_096;

/// One model with its memory and its sessions.
pub struct Encoder {
    model: String,
    /// Whether the model tells capital letters from small ones.
    cased: bool,
    cache: Option<Cache<String, Vector>>,
    workers: Workers,
    heads: Arc<Heads>,
    link: f64,
    /// Texts handed over at a time: a long request leaves room in the queue for others.
    piece: usize,
    /// The model that reads more languages.
    multilingual: Option<Box<Encoder>>,
}

impl Encoder {
    /// Loads the model for English and makes the one for more languages ready to be loaded when it is first needed. `on_embed` is told
    /// the seconds and the number of texts of every batch, on the thread that embedded it; it must not block.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] with a sentence that says what to do, when the files of either are missing or are not those of its
    /// `SHA256SUMS`, or when ONNX Runtime cannot be found or loaded.
    pub fn open(settings: &Models, on_embed: Option<OnEmbed>) -> Result<Encoder, EmbedFault> {
        let models = Path::new(&settings.folder);
        let folder = |name: &str| ModelFolder::open(models.join(name)).map_err(EmbedFault::Model);
        let (english, multilingual) = (folder(&settings.english)?, folder(&settings.multilingual)?);
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
        let texts_max = settings.embed_queue_max;
        let load = loading(&multilingual);
        let workers = Workers::start(1, texts_max, on_embed.clone(), || Ok(when_asked(load.clone())))?;
        let multilingual = Encoder::of(&multilingual, workers, settings, None)?;
        let workers = Workers::start(settings.embed_workers, texts_max, on_embed, loading(&english))?;
        Encoder::of(&english, workers, settings, Some(Box::new(multilingual)))
    }

    fn of(
        folder: &ModelFolder,
        workers: Workers,
        settings: &Models,
        multilingual: Option<Box<Encoder>>,
    ) -> Result<Encoder, EmbedFault> {
        let calibration = folder.calibration().map_err(EmbedFault::Model)?;
        let heads = folder.text(files::HEADS).and_then(|text| heads(&text, &calibration));
        Ok(Encoder {
            model: calibration.model(),
            cased: calibration.cased,
            cache: (settings.embed_cache_max > 0).then(|| Cache::new(settings.embed_cache_max)),
            workers,
            heads: Arc::new(heads.map_err(|fault| EmbedFault::Model(format!("{}: {fault}", files::HEADS)))?),
            link: calibration.link,
            piece: settings.embed_queue_max.div_ceil(4),
            multilingual,
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
            for (text, vector) in piece.iter().zip(self.workers.embed(piece).await?) {
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

    fn multilingual(&self) -> Option<&dyn Embedder> {
        Some(self.multilingual.as_deref()?)
    }

    /// Texts that are the same once normalised are embedded once. A request longer than a quarter of the queue goes in
    /// pieces; when the queue fills up meanwhile it is refused, and what was embedded is remembered for the next attempt.
    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        Box::pin(async move {
            let texts: Vec<String> = texts.iter().map(|text| normalised(text, self.cased)).collect();
            let known = self.look_up(&texts).await?;
            texts
                .iter()
                .map(|text| known.get(text).cloned().ok_or(EmbedFault::Closed))
                .collect()
        })
    }

    fn probe(&self) -> Promise<'_, Result<(), EmbedFault>> {
        Box::pin(async move { self.workers.embed(&[PROBE.to_owned()]).await.map(drop) })
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

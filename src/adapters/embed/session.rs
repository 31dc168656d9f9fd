//! One session of a model: texts in, floats out, on the thread that calls.
//!
//! Knows no queue and no cache. Invariant: a text's floats are the same bits whatever stands beside it.

use std::collections::BTreeMap;
use std::mem;

use fastembed::InitOptionsUserDefined;
use fastembed::Pooling;
use fastembed::TextEmbedding;
use fastembed::TokenizerFiles;
use fastembed::UserDefinedEmbeddingModel;
use ort::environment::Environment;
use ort::ep::CPU;

use crate::adapters::embed::files::ModelFiles;
use crate::app::ports::EmbedFault;
use text::vector::Vector;

/// Word pieces that go through the network at a time, which bounds the memory of a pass to some 30 MB.
const BATCH_PIECES_MAX: usize = 1_024;

/// Texts, many of one length whatever the tokenizer, to see whether those have the same bits together as alone.
const PROBES: [&str; 10] = [
    "seat",
    "window",
    "meal",
    "hotel",
    "dog",
    "a seat by the window please",
    "the dog sleeps in my room",
    "we would like two more days",
    "no one may see the price",
    "bring the paper after ten please",
];

/// Bytes of a tokenizer from which on it is read by itself, once the network's bytes are let go: fastembed reads it, copies it and holds
/// all of that together, which for 128,000 word pieces made 690 MB at the peak where this makes 450. What the special tokens of a model are
/// must then stand in its tokenizer.
const TOKENIZER_BYTES_MAX: usize = 1 << 20;

/// What stands for a tokenizer meanwhile.
const PLACEHOLDER: &str =
    r#"{"version": "1.0", "added_tokens": [], "model": {"type": "WordLevel", "vocab": {"": 0}, "unk_token": ""}}"#;

/// A loaded model. Not shared between threads.
pub struct Session {
    embedding: TextEmbedding,
    /// Components of a vector.
    width: usize,
    /// Whether texts of one length may go together.
    batches: bool,
}

impl Session {
    /// Loads the network and its tokenizer; the session computes on the calling thread alone.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] when ONNX Runtime or the tokenizer refuses the files.
    pub fn load(files: ModelFiles, environment: &Environment) -> Result<Session, EmbedFault> {
        let (width, tokens_max) = (files.calibration.width, files.calibration.tokens_max);
        let (now, later) = if files.tokenizer.len() > TOKENIZER_BYTES_MAX {
            (PLACEHOLDER.as_bytes().to_vec(), Some(files.tokenizer))
        } else {
            (files.tokenizer, None)
        };
        let tokenizer = TokenizerFiles {
            tokenizer_file: now,
            config_file: files.config,
            special_tokens_map_file: files.special_tokens,
            tokenizer_config_file: files.tokenizer_config,
        };
        // Said outright: without it the first token alone would stand for the sentence. A network that gives one row for the
        // sentence is taken as it is.
        let model = UserDefinedEmbeddingModel::new(files.network, tokenizer).with_pooling(Pooling::Mean);
        let options = InitOptionsUserDefined::new()
            .with_environment(environment.clone())
            .with_intra_threads(1)
            // An arena keeps what the largest pass took for as long as the session lives.
            .with_execution_providers(vec![CPU::default().with_arena_allocator(false).build()])
            .with_max_length(tokens_max);
        let mut embedding = TextEmbedding::try_new_from_user_defined(model, options).map_err(fault)?;
        if let Some(bytes) = later {
            let unfit = |what: String| EmbedFault::Model(format!("its tokenizer cannot be read: {what}"));
            let text = String::from_utf8(bytes).map_err(|error| unfit(error.to_string()))?;
            let before = mem::replace(
                &mut embedding.tokenizer,
                text.parse().map_err(|error| unfit(format!("{error}")))?,
            );
            embedding.tokenizer.with_padding(before.get_padding().cloned());
            let truncation = before.get_truncation().cloned();
            let cut = embedding.tokenizer.with_truncation(truncation);
            cut.map_err(|error| unfit(error.to_string()))?;
        }
        let mut session = Session {
            embedding,
            width,
            batches: false,
        };
        session.batches = session.batches_keep_bits()?;
        Ok(session)
    }

    /// Each text as floats, in order. Texts of as many word pieces go through the network together, which is nearly
    /// twice as fast as one by one for short texts and, other than padding them to one length, costs nothing.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] when the model fails or gives another width.
    fn floats(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedFault> {
        let of_length = self.by_length(texts)?;
        let mut floats = vec![Vec::new(); texts.len()];
        for (pieces, indices) in of_length {
            let together = if self.batches {
                (BATCH_PIECES_MAX / pieces.max(1)).max(1)
            } else {
                1
            };
            for indices in indices.chunks(together) {
                let batch: Vec<&str> = indices.iter().map(|&index| texts[index]).collect();
                for (&index, vector) in indices.iter().zip(self.run(&batch)?) {
                    floats[index] = vector;
                }
            }
        }
        Ok(floats)
    }

    /// Each text as a vector, in order.
    pub fn vectors(&mut self, texts: &[&str]) -> Result<Vec<Vector>, EmbedFault> {
        let none = || EmbedFault::Model("it gave a vector without length".to_owned());
        let floats = self.floats(texts)?;
        floats
            .iter()
            .map(|floats| Vector::quantise(floats).ok_or_else(none))
            .collect()
    }

    /// One pass through the network.
    fn run(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedFault> {
        let vectors = self.embedding.embed(texts, Some(texts.len().max(1))).map_err(fault)?;
        if vectors.len() == texts.len() && vectors.iter().all(|vector| vector.len() == self.width) {
            Ok(vectors)
        } else {
            Err(EmbedFault::Model(format!(
                "it did not give {} numbers for each text",
                self.width
            )))
        }
    }

    /// Places of the texts by how many word pieces they are.
    fn by_length(&self, texts: &[&str]) -> Result<BTreeMap<usize, Vec<usize>>, EmbedFault> {
        let mut of_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            of_length.entry(self.pieces(text)?).or_default().push(index);
        }
        Ok(of_length)
    }

    /// Word pieces of a text, the two marks around it included.
    fn pieces(&self, text: &str) -> Result<usize, EmbedFault> {
        let encoding = self.embedding.tokenizer.encode(text, true);
        encoding
            .map(|encoding| encoding.len())
            .map_err(|error| EmbedFault::Model(error.to_string()))
    }

    /// Whether texts of one length have the same bits together as alone. They have on every processor that was tried, but
    /// ONNX Runtime chooses its arithmetic by the processor and promises nothing; where they have not, each goes alone.
    fn batches_keep_bits(&mut self) -> Result<bool, EmbedFault> {
        for indices in self.by_length(&PROBES)?.into_values() {
            let texts: Vec<&str> = indices.iter().map(|&index| PROBES[index]).collect();
            let together = self.run(&texts)?;
            for (text, together) in texts.iter().zip(together) {
                if self.run(&[text])?.pop() != Some(together) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

fn fault(error: fastembed::Error) -> EmbedFault {
    EmbedFault::Model(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::adapters::embed::files::ModelFolder;
    use crate::adapters::embed::library;
    use crate::config::service::Models;

    /// Both models.
    fn sessions() -> [Session; 2] {
        let environment = library::load().unwrap();
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let shipped = Models::default();
        [shipped.english, shipped.multilingual].map(|name| {
            let files = ModelFolder::open(models.join(name)).unwrap().files().unwrap();
            Session::load(files, &environment).unwrap()
        })
    }

    #[test]
    fn a_text_has_the_same_bits_alone_beside_others_and_again_up_to_the_last_piece_z084() {
        let texts = [
            "aisle seat",
            "vegetarian meal",
            "",
            "two bags and a folding bicycle under the stairs of the late train",
            "window seat",
            "ein ruhiges Zimmer",
            "late checkout",
        ];
        for mut session in sessions() {
            let lengths = session.by_length(&PROBES).unwrap();
            assert!(lengths.values().any(|alike| alike.len() >= 4), "{lengths:?}");
            let together = session.floats(&texts).unwrap();
            assert_eq!(together, session.floats(&texts).unwrap());
            for (text, together) in texts.iter().zip(&together) {
                assert_eq!(&session.floats(&[text]).unwrap()[0], together, "{text}");
            }
            session.batches = false;
            assert_eq!(together, session.floats(&texts).unwrap());
            let [at, over, below] = [254, 255, 253].map(|words| "seat ".repeat(words));
            let floats = session.floats(&[&at, &over, &below]).unwrap();
            assert_eq!(floats[0], floats[1]);
            assert_ne!(floats[0], floats[2]);
        }
    }
}

//! One session of the model: texts in, floats out, on the thread that calls.
//!
//! Knows no queue and no cache. Invariant: a text's floats are the same bits whatever stands beside it.

use std::collections::BTreeMap;

use fastembed::InitOptionsUserDefined;
use fastembed::Pooling;
use fastembed::TextEmbedding;
use fastembed::TokenizerFiles;
use fastembed::UserDefinedEmbeddingModel;
use ort::environment::Environment;

use crate::edge::embed::files::ModelFiles;
use crate::service::ports::EmbedFault;

/// Components of a vector.
pub const WIDTH: usize = 384;

/// Word pieces of a text that the model reads; it was trained with no more.
pub const PIECES_MAX: usize = 256;

/// Word pieces that go through the network at a time, which bounds the memory of a pass to some 30 MB.
const BATCH_PIECES_MAX: usize = 1_024;

/// Texts of one length, to see whether they have the same bits together as alone.
const PROBES: [[&str; 5]; 2] = [
    ["seat", "window", "meal", "hotel", "dog"],
    [
        "a seat by the window please",
        "the dog sleeps in my room",
        "we would like two more days",
        "no one may see the price",
        "bring the paper after ten please",
    ],
];

/// A loaded model. Not shared between threads.
pub struct Session {
    embedding: TextEmbedding,
    /// Whether texts of one length may go together.
    batches: bool,
}

impl Session {
    /// Loads the network and its tokenizer; the session computes on the calling thread alone.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] when ONNX Runtime or the tokenizer refuses the files.
    pub fn load(files: &ModelFiles, environment: &Environment) -> Result<Session, EmbedFault> {
        let tokenizer = TokenizerFiles {
            tokenizer_file: files.tokenizer.clone(),
            config_file: files.config.clone(),
            special_tokens_map_file: files.special_tokens.clone(),
            tokenizer_config_file: files.tokenizer_config.clone(),
        };
        // Said outright: without it the first token alone would stand for the sentence.
        let model = UserDefinedEmbeddingModel::new(files.network.clone(), tokenizer).with_pooling(Pooling::Mean);
        let options = InitOptionsUserDefined::new()
            .with_environment(environment.clone())
            .with_intra_threads(1)
            .with_max_length(PIECES_MAX);
        let embedding = TextEmbedding::try_new_from_user_defined(model, options).map_err(fault)?;
        let mut session = Session {
            embedding,
            batches: false,
        };
        session.batches = session.batches_keep_bits()?;
        Ok(session)
    }

    /// Each text as 384 floats, in order. Texts of as many word pieces go through the network together, which is nearly
    /// twice as fast as one by one for short texts and, other than padding them to one length, costs nothing.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] when the model fails or gives another width.
    pub fn floats(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedFault> {
        let mut of_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            of_length.entry(self.pieces(text)?).or_default().push(index);
        }
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

    /// One pass through the network.
    fn run(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedFault> {
        let vectors = self.embedding.embed(texts, Some(texts.len().max(1))).map_err(fault)?;
        if vectors.len() == texts.len() && vectors.iter().all(|vector| vector.len() == WIDTH) {
            Ok(vectors)
        } else {
            Err(EmbedFault::Model(format!(
                "it did not give {WIDTH} numbers for each text"
            )))
        }
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
        for texts in PROBES {
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
    use crate::edge::embed::library;

    fn session() -> Session {
        let environment = library::load(&library::find().unwrap()).unwrap();
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        Session::load(&ModelFiles::read(&models).unwrap(), &environment).unwrap()
    }

    #[test]
    fn the_probes_are_of_one_length_each_z084() {
        let session = session();
        for texts in PROBES {
            let lengths: Vec<usize> = texts.iter().map(|text| session.pieces(text).unwrap()).collect();
            assert!(
                lengths.iter().all(|&length| length == lengths[0]),
                "{texts:?} {lengths:?}"
            );
        }
    }

    #[test]
    fn a_text_has_the_same_bits_alone_beside_others_and_again_z084() {
        let mut session = session();
        let texts = [
            "aisle seat",
            "vegetarian meal",
            "",
            "two bags and a folding bicycle under the stairs of the late train",
            "window seat",
            "late checkout",
        ];
        let together = session.floats(&texts).unwrap();
        assert_eq!(together, session.floats(&texts).unwrap());
        for (text, together) in texts.iter().zip(&together) {
            assert_eq!(&session.floats(&[text]).unwrap()[0], together, "{text}");
        }
        session.batches = false;
        assert_eq!(together, session.floats(&texts).unwrap());
    }

    #[test]
    fn what_follows_the_last_piece_is_not_read_z084() {
        let mut session = session();
        let [at, over, below] = [PIECES_MAX - 2, PIECES_MAX - 1, PIECES_MAX - 3].map(|words| "seat ".repeat(words));
        let floats = session.floats(&[&at, &over, &below]).unwrap();
        assert_eq!(floats[0], floats[1]);
        assert_ne!(floats[0], floats[2]);
    }
}

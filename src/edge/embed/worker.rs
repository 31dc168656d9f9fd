//! One session on one thread.
//!
//! A text is run by itself: in a batch it would be padded to the longest text beside it, and the last bits of its
//! vector would depend on its company. One session to a core with one thread each leaves no core idle all the same.

use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::time::Instant;

use fastembed::InitOptionsUserDefined;
use fastembed::TextEmbedding;
use fastembed::UserDefinedEmbeddingModel;
use quick_cache::sync::Cache;

use crate::domain::pool::vector::Vector;
use crate::service::ports::EmbedFault;

use super::model;
use super::options::OnEmbed;
use super::queue::Queue;
use super::queue::Waiting;

/// Texts that a worker takes at once.
pub const TEXTS_AT_ONCE: usize = 32;

/// What a worker holds.
pub struct Worker {
    pub session: TextEmbedding,
    pub queue: Arc<Queue>,
    pub cache: Arc<Cache<String, Vector>>,
    pub on_embed: Option<OnEmbed>,
}

/// Makes a session of one thread.
///
/// # Errors
/// When the runtime refuses the model.
pub fn session(model: UserDefinedEmbeddingModel) -> Result<TextEmbedding, EmbedFault> {
    let options = InitOptionsUserDefined::new()
        .with_max_length(model::TOKENS_MAX)
        .with_intra_threads(1);
    match catch_unwind(AssertUnwindSafe(|| {
        TextEmbedding::try_new_from_user_defined(model, options)
    })) {
        Ok(session) => session.map_err(|error| EmbedFault::Model(error.to_string())),
        Err(_) => Err(EmbedFault::Model(
            "the runtime gave up while it read the model".to_owned(),
        )),
    }
}

impl Worker {
    /// Works until the queue is closed and empty.
    pub fn run(mut self) {
        while let Some(taken) = self.queue.take(TEXTS_AT_ONCE) {
            let started = Instant::now();
            let mut embedded = 0;
            for Waiting { text, reply } in taken {
                if reply.is_closed() {
                    continue;
                }
                let answer = match self.cache.get(&text) {
                    Some(vector) => Ok(vector),
                    None => {
                        embedded += 1;
                        self.embed(text)
                    }
                };
                // Whoever asked may have gone.
                let _ = reply.send(answer);
            }
            if let (Some(on_embed), true) = (&self.on_embed, embedded > 0) {
                on_embed(started.elapsed().as_secs_f64(), embedded);
            }
        }
    }

    fn embed(&mut self, text: String) -> Result<Vector, EmbedFault> {
        let run = catch_unwind(AssertUnwindSafe(|| self.session.embed([text.as_str()], Some(1))));
        let values = match run {
            Ok(values) => values.map_err(|error| EmbedFault::Model(error.to_string()))?,
            Err(_) => return Err(EmbedFault::Model("the runtime gave up on a text".to_owned())),
        };
        let values = values.first().filter(|values| values.len() == model::WIDTH);
        let vector = values.and_then(|values| Vector::quantise(values));
        let vector = vector.ok_or_else(|| EmbedFault::Model("the model gave no unit vector".to_owned()))?;
        self.cache.insert(text, vector.clone());
        Ok(vector)
    }
}

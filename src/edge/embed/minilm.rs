//! all-MiniLM-L6-v2, its weights stored in eight bits, through fastembed and ONNX Runtime.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;
use std::thread::JoinHandle;

use quick_cache::sync::Cache;
use tokio::sync::oneshot;

use crate::domain::pool::vector::Vector;
use crate::service::ports::EmbedFault;
use crate::service::ports::Embedder;
use crate::service::ports::Promise;

use super::model;
use super::options::EmbedOptions;
use super::queue::Queue;
use super::queue::Waiting;
use super::runtime;
use super::text;
use super::worker;
use super::worker::Worker;

/// The model, with its workers.
#[derive(Debug)]
pub struct MiniLm {
    queue: Arc<Queue>,
    cache: Arc<Cache<String, Vector>>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

impl MiniLm {
    /// Loads the runtime's library and the model's files, and starts the workers. `runtime` is looked at before any
    /// other place for the library.
    ///
    /// # Errors
    /// [`EmbedFault::Model`] in one sentence that says what to do; never a panic.
    pub fn open(models: &Path, options: EmbedOptions, runtime: Option<&Path>) -> Result<MiniLm, EmbedFault> {
        let library = runtime::load(runtime)?;
        let files = model::read(models)?;
        tracing::debug!(library = %library.display(), model = model::NAME, "the model is read");
        let EmbedOptions { settings, on_embed } = options;
        let queue = Arc::new(Queue::new(settings.queue_texts_max.max(1)));
        let cache = Arc::new(Cache::new(settings.cache_texts_max));
        let mut sessions = vec![worker::session(files.clone())?];
        while sessions.len() < settings.sessions() {
            sessions.push(worker::session(files.clone())?);
        }
        let minilm = MiniLm {
            queue: Arc::clone(&queue),
            cache: Arc::clone(&cache),
            workers: Mutex::default(),
        };
        for session in sessions {
            let worker = Worker {
                session,
                queue: Arc::clone(&queue),
                cache: Arc::clone(&cache),
                on_embed: on_embed.clone(),
            };
            let thread = thread::Builder::new()
                .name("embedder".to_owned())
                .spawn(move || worker.run())
                .map_err(|error| EmbedFault::Model(format!("a worker cannot be started ({error})")))?;
            minilm
                .workers
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(thread);
        }
        Ok(minilm)
    }

    /// Works off what waits and ends the workers; from then on every call is refused.
    pub fn close(&self) {
        self.queue.close();
        for worker in self.workers.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            if worker.join().is_err() {
                tracing::error!("a worker of the embedder gave up");
            }
        }
    }

    async fn all(&self, texts: Vec<String>) -> Result<Vec<Vector>, EmbedFault> {
        let mut places = Vec::with_capacity(texts.len());
        let mut waiting = Vec::new();
        for text in texts {
            let text = text::form(&text);
            match self.cache.get(&text) {
                Some(vector) => places.push(Place::Known(vector)),
                None => {
                    let (reply, receiver) = oneshot::channel();
                    waiting.push(Waiting { text, reply });
                    places.push(Place::Waits(receiver));
                }
            }
        }
        self.queue.add(waiting)?;
        let mut vectors = Vec::with_capacity(places.len());
        for place in places {
            vectors.push(match place {
                Place::Known(vector) => vector,
                Place::Waits(receiver) => receiver.await.unwrap_or(Err(EmbedFault::Closed))?,
            });
        }
        Ok(vectors)
    }
}

enum Place {
    Known(Vector),
    Waits(oneshot::Receiver<Result<Vector, EmbedFault>>),
}

impl Embedder for MiniLm {
    fn model(&self) -> &str {
        model::NAME
    }

    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        Box::pin(self.all(texts))
    }
}

impl Drop for MiniLm {
    fn drop(&mut self) {
        self.close();
    }
}

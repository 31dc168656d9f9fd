//! Work beside whoever asks for it: a caller that may hang up, or a scenario's actor, to which it ends in commands.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;

use crate::app::error::ServiceError;
use engine::scenario::command::Command;
use engine::scenario::effect::Effect;
use schema::budget::Budget;

/// Calls that compare, lint or import at once; each may take a core for a second, and 50 MB.
static LONG: Semaphore = Semaphore::const_new(4);

/// Does work of at most one call's budget away from the threads that answer. It ends soon after the caller is gone, since nothing that it
/// comes to would be seen.
///
/// # Errors
/// That it broke off.
pub async fn within_budget<T: Send + 'static>(
    work: impl FnOnce(&Budget<'_>) -> T + Send + 'static,
) -> Result<T, ServiceError> {
    let turn = LONG.acquire().await.map_err(|_closed| ServiceError::ShuttingDown)?;
    let abandoned = Abandoned::default();
    let seen = Arc::clone(&abandoned.0);
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work(&Budget::of_call(&|| seen.load(Ordering::Relaxed)))
    });
    Ok(done.await?)
}

/// Set once whoever waits for work is gone.
#[derive(Default)]
struct Abandoned(Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs work to its end whether or not the caller waits for it: what is on disk must not stay unapplied.
///
/// # Errors
/// What the work says, or that it broke off.
pub async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ServiceError>> + Send + 'static,
) -> Result<T, ServiceError> {
    tokio::spawn(work).await?
}

/// Effects that ended, with what they ended in.
pub struct Done {
    pub effects: Vec<Effect>,
    pub commands: Vec<Command>,
    /// The work panicked, or could not be done for now, and there is nothing to record.
    pub broke: bool,
}

/// Does work that ends in commands beside the actor, where learning runs, and tells it how that ended, whatever becomes of it;
/// whether it was told. Work that cannot be done for now says so by `None`.
pub fn begin(
    learning: &Handle,
    effects: Vec<Effect>,
    done: Sender<Done>,
    work: impl Future<Output = Option<Vec<Command>>> + Send + 'static,
) -> JoinHandle<bool> {
    let working = learning.spawn(work);
    tokio::spawn(async move {
        let (commands, broke) = match working.await {
            Ok(Some(commands)) => (commands, false),
            Ok(None) => (Vec::new(), true),
            Err(error) if error.is_panic() => {
                tracing::error!(effects = ?effects, "work on what was learned panicked");
                (Vec::new(), true)
            }
            Err(_ending) => (Vec::new(), false),
        };
        let told = done.send(Done {
            effects,
            commands,
            broke,
        });
        told.await.is_ok()
    })
}

/// Does work that takes long on a thread of its own; a panic goes on here. `None` when the process is ending.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Some(done),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_ending) => None,
    }
}

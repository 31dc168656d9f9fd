//! What everything runs on: requests and actors on one runtime, learning on another one of low priority, so that what is learned
//! is learned in the time that answering leaves.

use std::io;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::runtime::Handle;
use tokio::runtime::Runtime;

/// How much the threads that learn give way: as much as there is. They get a sixtieth of a processor that others want as well.
#[cfg(target_os = "linux")]
const GIVES_WAY: i32 = 19;

/// The two runtimes.
pub struct Runtimes {
    pub answering: Runtime,
    learning: Runtime,
}

impl Runtimes {
    /// Makes both.
    ///
    /// # Errors
    /// What the system says.
    pub fn start() -> io::Result<Runtimes> {
        let answering = Builder::new_multi_thread()
            .enable_all()
            .thread_name("otherwise")
            .build()?;
        let learning = Builder::new_multi_thread()
            // Its tasks wait; what computes does so on threads that may block.
            .worker_threads(1)
            .enable_all()
            .thread_name("learn")
            .on_thread_start(give_way)
            .build()?;
        Ok(Runtimes { answering, learning })
    }

    /// Where work runs that learns.
    pub fn learning(&self) -> Handle {
        self.learning.handle().clone()
    }

    /// Ends both; what still blocks is left behind after this time.
    pub fn stop(self, patience: Duration) {
        self.learning.shutdown_timeout(patience);
        self.answering.shutdown_timeout(patience);
    }
}

/// Lowers the priority of the thread that calls; of a system that knows none for threads alone, nothing is asked.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(GIVES_WAY) {
        tracing::warn!(%error, "learning runs at the priority of answering");
    }
}

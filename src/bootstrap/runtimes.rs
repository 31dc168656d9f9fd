//! What everything runs on: requests and actors on one runtime, learning on another one of low priority, so that what is learned
//! is learned in the time that answering leaves.

use std::io;
use std::time::Duration;

#[cfg(target_os = "linux")]
use thread_priority::NormalThreadSchedulePolicy;
#[cfg(target_os = "linux")]
use thread_priority::ThreadPriority;
#[cfg(target_os = "linux")]
use thread_priority::ThreadSchedulePolicy;
use tokio::runtime::Builder;
use tokio::runtime::Handle;
use tokio::runtime::Runtime;

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

/// Lets the thread that calls, and those that it starts, run only where a processor has nothing else to do. At the lowest niceness
/// alone, learning took twice as much of the processors while everybody waits for answers, and a fifth of these were lost to it. On
/// a system that knows no such threads nothing is asked.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = thread_priority::set_thread_priority_and_policy(
        thread_priority::thread_native_id(),
        ThreadPriority::Min,
        ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle),
    ) {
        tracing::warn!(?error, "learning runs at the priority of answering");
    }
}

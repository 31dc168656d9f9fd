//! The machine's clock: the only place that reads the time.
//!
//! Invariant: what [`SystemClock::now`] tells never runs backwards, whatever the machine's clock does.

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use crate::app::ports::Clock;
use schema::time::At;

/// Wall-clock time that never runs backwards.
#[derive(Debug, Default)]
pub struct SystemClock {
    last: AtomicI64,
}

impl SystemClock {
    /// A clock that has not told anything yet.
    pub fn new() -> SystemClock {
        SystemClock::default()
    }

    /// The later of what is read now and what was told last.
    fn tell(&self, read: i64) -> At {
        At(self.last.fetch_max(read, Ordering::SeqCst).max(read))
    }
}

impl Clock for SystemClock {
    fn now(&self) -> At {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the time")]
        let now = SystemTime::now();
        let read = now
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        self.tell(read)
    }
}

#[cfg(test)]
mod tests {
    use super::SystemClock;
    use crate::app::ports::Clock;
    use schema::time::At;

    #[test]
    fn time_never_runs_backwards() {
        let clock = SystemClock::new();
        assert_eq!(clock.tell(5), At(5));
        assert_eq!(clock.tell(3), At(5));
        assert_eq!(clock.tell(6), At(6));
        assert!(clock.now() > At(1_600_000_000_000));
    }
}

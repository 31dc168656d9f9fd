//! A clock that is set by hand.

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;

use otherwise::app::ports::Clock;
use schema::time::At;

/// Tells what it was last set to; never earlier than before.
#[derive(Debug)]
pub struct VirtualClock {
    now: AtomicI64,
}

impl VirtualClock {
    /// A clock that stands at a moment.
    pub fn at(moment: At) -> VirtualClock {
        VirtualClock {
            now: AtomicI64::new(moment.0),
        }
    }

    /// Moves it forward to a moment; an earlier one changes nothing.
    pub fn set(&self, moment: At) {
        self.now.fetch_max(moment.0, Ordering::SeqCst);
    }

    /// Moves it forward by some milliseconds.
    pub fn advance_ms(&self, ms: i64) {
        self.now.fetch_add(ms.max(0), Ordering::SeqCst);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> At {
        At(self.now.load(Ordering::SeqCst))
    }
}

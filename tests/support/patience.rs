//! Waiting for what comes about beside the call that it follows from.

use std::time::Duration;
use std::time::Instant;

/// Waits until it holds, a moment at a time; half a minute at most.
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

//! Leaves a model alone for a while after faults in a row, so that nothing waits for what will not come.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::Instant;

/// Counts faults in a row.
#[derive(Debug)]
pub struct Breaker {
    faults_max: u32,
    pause: Duration,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    faults: u32,
    until: Option<Instant>,
}

impl Breaker {
    /// Pauses for `pause` after `faults_max` faults in a row, and after each further one until an answer comes.
    pub fn new(faults_max: u32, pause: Duration) -> Breaker {
        Breaker {
            faults_max,
            pause,
            seen: Mutex::default(),
        }
    }

    /// Whether the model is left alone now.
    pub fn paused(&self, now: Instant) -> bool {
        self.seen().until.is_some_and(|until| now < until)
    }

    /// An answer came.
    pub fn answered(&self) {
        *self.seen() = Seen::default();
    }

    /// A fault came; whether that begins a pause.
    pub fn failed(&self, now: Instant) -> bool {
        let mut seen = self.seen();
        seen.faults = seen.faults.saturating_add(1);
        if seen.faults < self.faults_max || seen.until.is_some_and(|until| now < until) {
            return false;
        }
        seen.until = Some(now + self.pause);
        true
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Breaker;

    #[test]
    fn faults_in_a_row_begin_a_pause_and_an_answer_ends_the_count() {
        let breaker = Breaker::new(3, Duration::from_secs(60));
        let start = Instant::now();
        assert!(!breaker.failed(start) && !breaker.failed(start));
        breaker.answered();
        assert!(!breaker.failed(start) && !breaker.failed(start) && !breaker.paused(start));
        assert!(breaker.failed(start), "the third in a row");
        assert!(breaker.paused(start + Duration::from_millis(59_999)));
        let after = start + Duration::from_secs(60);
        assert!(!breaker.paused(after));
        assert!(breaker.failed(after), "one more is enough");
        assert!(!breaker.failed(after), "it pauses already");
        let later = after + Duration::from_secs(60);
        breaker.answered();
        assert!(!breaker.failed(later) && !breaker.paused(later));
    }
}

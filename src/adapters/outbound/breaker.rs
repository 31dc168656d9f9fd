//! Leaves another service alone for a while after faults in a row, so that nothing waits for what will not come.

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
    /// Somebody is trying whether it is well again.
    probing: bool,
}

/// Leave to make one call. Dropped without a word, it says nothing of how the call ended.
#[derive(Debug)]
pub struct Pass<'a> {
    breaker: &'a Breaker,
    probe: bool,
}

/// How a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Calls pass.
    Closed,
    /// None do.
    Open,
    /// One may pass, or is on its way, and decides.
    HalfOpen,
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

    /// Leave to make a call. After a pause one call alone passes, and how it ends decides for the others.
    ///
    /// # Errors
    /// How long no call passes.
    pub fn pass(&self, now: Instant) -> Result<Pass<'_>, Duration> {
        let mut seen = self.seen();
        let probe = match seen.until {
            None => false,
            Some(until) if now < until => return Err(until - now),
            Some(_) if seen.probing => return Err(Duration::from_secs(1)),
            Some(_) => true,
        };
        seen.probing |= probe;
        Ok(Pass { breaker: self, probe })
    }

    /// How it stands now.
    pub fn standing(&self, now: Instant) -> Standing {
        match self.seen().until {
            None => Standing::Closed,
            Some(until) if now < until => Standing::Open,
            Some(_) => Standing::HalfOpen,
        }
    }

    /// Whether the other service is left alone now.
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

impl Pass<'_> {
    /// An answer came.
    pub fn answered(self) {
        self.breaker.answered();
    }

    /// A fault came; whether that begins a pause.
    pub fn failed(self, now: Instant) -> bool {
        self.breaker.failed(now)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.probe {
            self.breaker.seen().probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Breaker;
    use super::Standing;

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

    #[test]
    fn after_a_pause_one_call_decides_for_all() {
        let breaker = Breaker::new(2, Duration::from_secs(10));
        let start = Instant::now();
        assert!(!breaker.pass(start).expect("closed").failed(start));
        assert_eq!(breaker.standing(start), Standing::Closed);
        assert!(
            breaker.pass(start).expect("closed").failed(start),
            "the second in a row"
        );
        assert_eq!(breaker.standing(start), Standing::Open);
        let almost = start + Duration::from_millis(9_999);
        assert_eq!(breaker.pass(almost).err(), Some(Duration::from_millis(1)));
        let after = start + Duration::from_secs(10);
        let probe = breaker.pass(after).expect("half open");
        assert_eq!(breaker.standing(after), Standing::HalfOpen);
        assert!(breaker.pass(after).is_err(), "one at a time");
        assert!(probe.failed(after), "still ill");
        assert!(breaker.pass(after + Duration::from_secs(9)).is_err());
        let later = after + Duration::from_secs(10);
        drop(breaker.pass(later).expect("half open"));
        breaker.pass(later).expect("whoever gave up decides nothing").answered();
        assert_eq!(breaker.standing(later), Standing::Closed);
        assert!(breaker.pass(later).is_ok() && breaker.pass(later).is_ok());
    }
}

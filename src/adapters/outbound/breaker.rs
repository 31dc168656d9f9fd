//! Leaves another service alone for a while after faults in a row, so that nothing waits for what will not come.

use std::sync::Mutex;
use std::sync::MutexGuard;
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

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass<'_> {
    /// An answer came.
    pub fn answered(self) {
        *self.breaker.seen() = Seen::default();
    }

    /// A fault came; whether that begins a pause.
    pub fn failed(self, now: Instant) -> bool {
        let mut seen = self.breaker.seen();
        seen.faults = seen.faults.saturating_add(1);
        let begins = seen.faults >= self.breaker.faults_max && seen.until.is_none_or(|until| now >= until);
        if begins {
            seen.until = Some(now + self.breaker.pause);
        }
        // Its end is noted when it is dropped.
        drop(seen);
        begins
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
    use super::*;

    #[test]
    fn faults_in_a_row_begin_a_pause_after_which_one_call_decides_for_all() {
        let breaker = Breaker::new(2, Duration::from_secs(10));
        let start = Instant::now();
        let pass = |now| breaker.pass(now).expect("a pass");
        assert!(!pass(start).failed(start));
        pass(start).answered();
        assert!(!pass(start).failed(start), "an answer ends the count");
        assert_eq!(breaker.standing(start), Standing::Closed);
        let under_way = pass(start);
        assert!(pass(start).failed(start), "the second in a row");
        assert!(!under_way.failed(start), "it pauses already");
        assert_eq!(breaker.standing(start), Standing::Open);
        let almost = start + Duration::from_millis(9_999);
        assert_eq!(breaker.pass(almost).err(), Some(Duration::from_millis(1)));
        let after = start + Duration::from_secs(10);
        let probe = pass(after);
        assert_eq!(breaker.standing(after), Standing::HalfOpen);
        assert!(breaker.pass(after).is_err(), "one at a time");
        assert!(probe.failed(after), "still ill");
        assert!(breaker.pass(after + Duration::from_secs(9)).is_err());
        let later = after + Duration::from_secs(10);
        drop(pass(later));
        // Whoever gave up decides nothing.
        pass(later).answered();
        assert_eq!(breaker.standing(later), Standing::Closed);
        assert!(breaker.pass(later).is_ok() && breaker.pass(later).is_ok());
    }
}

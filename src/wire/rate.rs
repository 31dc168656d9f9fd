//! How often one client may come: a bucket for each that empties by one with every request and fills by itself.
//!
//! Knows no transport. Invariant: what is remembered is bounded whatever names callers give themselves, and a client that
//! keeps to its rate is never turned away.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use governor::Quota;
use governor::RateLimiter;
use governor::clock::Clock;
use governor::clock::MonotonicClock;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;

use crate::app::caller::Caller;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Requests between two times that full buckets are forgotten; as many new names are remembered in between at most.
const SWEEP_EVERY: usize = 65_536;

/// The buckets of all clients. Whoever gives no name shares one.
pub struct Rate<C: Clock = MonotonicClock> {
    buckets: RateLimiter<String, HashMapStateStore<String>, C, NoOpMiddleware<C::Instant>>,
    clock: C,
    passed: AtomicUsize,
    per_second: u32,
    burst: u32,
}

impl Rate {
    /// So many requests a second, and so many at once after a pause; `None` where either is 0: no bound.
    pub fn new(per_second: u32, burst: u32) -> Option<Rate> {
        Rate::by(per_second, burst, MonotonicClock)
    }
}

impl<C: Clock + Clone> Rate<C> {
    fn by(per_second: u32, burst: u32, clock: C) -> Option<Rate<C>> {
        let quota = Quota::per_second(NonZeroU32::new(per_second)?).allow_burst(NonZeroU32::new(burst)?);
        Some(Rate {
            buckets: RateLimiter::new(quota, HashMapStateStore::default(), clock.clone()),
            clock,
            passed: AtomicUsize::new(0),
            per_second,
            burst,
        })
    }

    /// Lets a request pass.
    ///
    /// # Errors
    /// 429 `rate_limited` with the seconds until the next one may come.
    pub fn pass(&self, caller: &Caller) -> Result<(), Problem> {
        self.take(caller, NonZeroU32::MIN)
    }

    /// Lets the items of a batch pass, of which the first passed with its request: all the others or none.
    ///
    /// # Errors
    /// 429 `rate_limited` with the seconds until so many may come; without them where they are more than may ever come at once.
    pub fn pass_rest(&self, caller: &Caller, items: usize) -> Result<(), Problem> {
        let items = u32::try_from(items).unwrap_or(u32::MAX);
        if items > self.burst {
            return Err(self.never(items));
        }
        NonZeroU32::new(items.saturating_sub(1)).map_or(Ok(()), |rest| self.take(caller, rest))
    }

    fn take(&self, caller: &Caller, requests: NonZeroU32) -> Result<(), Problem> {
        if self.passed.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.buckets.retain_recent();
            self.buckets.shrink_to_fit();
        }
        let name = caller.client.as_ref().map_or("", |client| client.as_str());
        let Ok(passed) = self.buckets.check_key_n(&name.to_owned(), requests) else {
            return Err(self.never(requests.get()));
        };
        passed.map_err(|early| {
            let wait = early.wait_time_from(self.clock.now());
            let detail = format!(
                "a client may make {} requests a second (server.client_requests_per_s)",
                self.per_second
            );
            Problem {
                retry_after_s: Some(wait.as_secs_f64().ceil().max(1.0) as u64),
                ..Problem::new(Code::RateLimited, detail)
            }
        })
    }

    /// What is said of a batch that no waiting lets pass.
    fn never(&self, items: u32) -> Problem {
        let detail = format!(
            "a batch counts for as many requests as it holds, this one for {items}, and a client may make {} at once \
             (server.client_requests_burst): send smaller ones",
            self.burst
        );
        Problem {
            retry_after_s: None,
            ..Problem::new(Code::RateLimited, detail)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::Rate;
    use super::SWEEP_EVERY;
    use crate::app::caller::Caller;
    use crate::wire::codes::Code;
    use schema::name::ClientId;

    fn client(name: &str) -> Caller {
        Caller::client(ClientId::parse(name))
    }

    fn rate(per_second: u32, burst: u32) -> (Rate<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        let rate = Rate::by(per_second, burst, clock.clone()).expect("a bound");
        (rate, clock)
    }

    fn passed(rate: &Rate<FakeRelativeClock>, name: &str, times: usize) -> usize {
        (0..times).filter(|_| rate.pass(&client(name)).is_ok()).count()
    }

    #[test]
    fn a_client_may_come_so_often_at_once_and_so_often_a_second() {
        let (rate, clock) = rate(10, 3);
        assert!(
            Rate::new(0, 5).is_none() && Rate::new(5, 0).is_none(),
            "nought is no bound"
        );
        assert_eq!(passed(&rate, "ana", 5), 3);
        let early = rate.pass(&client("ana")).expect_err("too early");
        assert_eq!((early.code, early.retry_after_s), (Code::RateLimited, Some(1)));
        assert_eq!(passed(&rate, "ben", 5), 3, "each for itself");
        assert_eq!(passed(&rate, "", 5), 3, "those without a name together");
        clock.advance(Duration::from_millis(99));
        assert_eq!(passed(&rate, "ana", 1), 0);
        clock.advance(Duration::from_millis(1));
        assert_eq!(passed(&rate, "ana", 2), 1);
        clock.advance(Duration::from_secs(60));
        assert_eq!(passed(&rate, "ana", 5), 3, "no more is saved up");
    }

    #[test]
    fn what_comes_as_one_passes_whole_or_not_at_all() {
        let (rate, clock) = rate(1, 5);
        let batch = |items: usize| {
            let caller = client("ana");
            rate.pass(&caller).and_then(|()| rate.pass_rest(&caller, items))
        };
        assert_eq!(batch(3), Ok(()));
        let early = batch(3).expect_err("one is left beside the first");
        assert_eq!(early.retry_after_s, Some(1));
        assert_eq!(batch(1), Ok(()), "nothing was taken for those that did not pass");
        clock.advance(Duration::from_secs(60));
        let never = batch(6).expect_err("more than at once");
        assert_eq!((never.code, never.retry_after_s), (Code::RateLimited, None));
        assert!(never.detail.contains("may make 5 at once"), "{}", never.detail);
        assert_eq!(batch(4), Ok(()), "its request alone was counted");
    }

    #[test]
    fn names_that_came_once_are_forgotten() {
        let (rate, clock) = rate(1_000, 1);
        for number in 0..SWEEP_EVERY - 1 {
            let _ = rate.pass(&client(&format!("c{number}")));
        }
        assert_eq!(rate.buckets.len(), SWEEP_EVERY - 1);
        clock.advance(Duration::from_secs(1));
        let _ = rate.pass(&client("last"));
        assert_eq!(rate.buckets.len(), 1);
    }
}

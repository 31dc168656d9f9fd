//! Places for streams: so many in all, so many for one client, none once the service is ending.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::sync::watch;

use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::name::ClientId;

/// Seconds after which a client that holds too many streams should try again.
const RETRY_S: u64 = 10;

/// How streams are bounded and paced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    pub streams_max: usize,
    pub per_client_max: usize,
    pub heartbeat: Duration,
    /// What clients are asked to wait before they open a stream again.
    pub retry: Duration,
    /// How long a reader may take to make room for the next event.
    pub stall: Duration,
}

/// The streams of this process.
#[derive(Debug)]
pub struct Streams {
    pub limits: StreamLimits,
    open: Mutex<Open>,
    ending: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    /// Callers without a name count as one client.
    by_client: BTreeMap<Option<ClientId>, usize>,
}

/// A stream's place; free again when it is dropped.
#[derive(Debug)]
pub struct Place {
    streams: Arc<Streams>,
    client: Option<ClientId>,
}

impl Streams {
    /// Room for streams within these limits.
    pub fn new(limits: StreamLimits) -> Streams {
        Streams {
            limits,
            open: Mutex::default(),
            ending: watch::Sender::new(false),
        }
    }

    /// A place for one more stream of this client.
    ///
    /// # Errors
    /// `shutting_down` and `busy` (503) when there is none for anyone, `limit_reached` (429) when there is none for this
    /// client.
    pub fn enter(self: &Arc<Self>, client: Option<&ClientId>) -> Result<Place, Problem> {
        if *self.ending.borrow() {
            return Err(Problem::new(Code::ShuttingDown, "the service is ending"));
        }
        let mut open = self.locked();
        if open.total >= self.limits.streams_max {
            let what = format!(
                "{} streams are open, which is as many as may be (delivery.streams_max)",
                open.total
            );
            return Err(Problem {
                retry_after_s: Some(RETRY_S),
                ..Problem::new(Code::Busy, what)
            });
        }
        let client = client.cloned();
        let own = open.by_client.entry(client.clone()).or_default();
        if *own >= self.limits.per_client_max {
            let what = format!(
                "this client holds {own} streams, which is as many as it may (delivery.streams_per_client_max); close one"
            );
            return Err(Problem {
                retry_after_s: Some(RETRY_S),
                ..Problem::new(Code::LimitReached, what)
            });
        }
        *own += 1;
        open.total += 1;
        drop(open);
        Ok(Place {
            streams: Arc::clone(self),
            client,
        })
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.locked().total
    }

    /// Ends every stream and opens none any more.
    pub fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Tells when streams end.
    pub fn ending(&self) -> watch::Receiver<bool> {
        self.ending.subscribe()
    }

    fn locked(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.locked();
        open.total = open.total.saturating_sub(1);
        if let Some(own) = open.by_client.get_mut(&self.client) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                open.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::Code;
    use super::StreamLimits;
    use super::Streams;
    use schema::name::ClientId;

    fn streams(streams_max: usize, per_client_max: usize) -> Arc<Streams> {
        let second = Duration::from_secs(1);
        Arc::new(Streams::new(StreamLimits {
            streams_max,
            per_client_max,
            heartbeat: second,
            retry: second,
            stall: second,
        }))
    }

    #[test]
    fn places_are_bounded_for_each_client_and_in_all_and_come_back() {
        let streams = streams(3, 2);
        let (ana, ben) = (ClientId::parse("ana"), ClientId::parse("ben"));
        let first = streams.enter(ana.as_ref()).expect("a place");
        let _second = streams.enter(ana.as_ref()).expect("a place");
        let third = streams.enter(ana.as_ref()).expect_err("too many of one client");
        assert_eq!((third.code, third.retry_after_s), (Code::LimitReached, Some(10)));
        assert!(third.detail.contains("delivery.streams_per_client_max"), "{third:?}");
        let _other = streams.enter(ben.as_ref()).expect("a place");
        assert_eq!(streams.open(), 3);
        let fourth = streams.enter(None).expect_err("too many in all");
        assert_eq!((fourth.code, fourth.retry_after_s), (Code::Busy, Some(10)));
        assert!(fourth.detail.contains("delivery.streams_max"), "{fourth:?}");
        drop(first);
        let _nameless = streams.enter(None).expect("a place");
        assert_eq!(streams.open(), 3);
        assert_eq!(streams.locked().by_client.len(), 3, "who left is forgotten");
    }

    #[test]
    fn none_is_opened_once_the_service_ends() {
        let streams = streams(3, 2);
        let ending = streams.ending();
        assert!(!*ending.borrow());
        streams.end();
        assert!(*ending.borrow());
        assert_eq!(streams.enter(None).expect_err("ending").code, Code::ShuttingDown);
    }
}

//! Places for streams: so many in all, so many for one client, none once the service is ending.

use std::time::Duration;

use tokio::sync::watch;

use crate::app::reservations::Reservation;
use crate::app::reservations::Reservations;
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
pub struct Streams {
    pub limits: StreamLimits,
    open: Reservations,
    ending: watch::Sender<bool>,
    /// Moves when keys or roles may have changed.
    rechecks: watch::Sender<()>,
}

impl Streams {
    /// Room for streams within these limits.
    pub fn new(limits: StreamLimits) -> Streams {
        Streams {
            limits,
            open: Reservations::default(),
            ending: watch::Sender::new(false),
            rechecks: watch::Sender::new(()),
        }
    }

    /// A place for one more stream of this client, free again when it is dropped; callers without a name count as one client.
    ///
    /// # Errors
    /// `shutting_down` and `busy` (503) when there is none for anyone, `limit_reached` (429) when there is none for this
    /// client.
    pub fn enter(&self, client: Option<&ClientId>) -> Result<Reservation, Problem> {
        if *self.ending.borrow() {
            return Err(Problem::new(Code::ShuttingDown, "the service is ending"));
        }
        let (place, (own, all)) = self.open.reserve(client.cloned());
        let (code, what) = if all >= self.limits.streams_max {
            let what = format!("{all} streams are open, which is as many as may be (delivery.streams_max)");
            (Code::Busy, what)
        } else if own >= self.limits.per_client_max {
            let what = format!(
                "this client holds {own} streams, which is as many as it may (delivery.streams_per_client_max); close one"
            );
            (Code::LimitReached, what)
        } else {
            return Ok(place);
        };
        Err(Problem {
            retry_after_s: Some(RETRY_S),
            ..Problem::new(code, what)
        })
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.open.count()
    }

    /// Ends every stream and opens none any more.
    pub fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Has every open stream check its caller again.
    pub fn recheck(&self) {
        self.rechecks.send_replace(());
    }

    /// Moves at each [`Streams::recheck`].
    pub fn rechecks(&self) -> watch::Receiver<()> {
        self.rechecks.subscribe()
    }

    /// Tells when streams end.
    pub fn ending(&self) -> watch::Receiver<bool> {
        self.ending.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Code;
    use super::StreamLimits;
    use super::Streams;
    use schema::name::ClientId;

    #[test]
    fn places_are_bounded_for_each_client_and_in_all_and_come_back_until_the_service_ends() {
        let second = Duration::from_secs(1);
        let streams = Streams::new(StreamLimits {
            streams_max: 3,
            per_client_max: 2,
            heartbeat: second,
            retry: second,
            stall: second,
        });
        let refused = |client: Option<&ClientId>| {
            let problem = streams.enter(client).err().expect("no place");
            (problem.code, problem.retry_after_s)
        };
        let (ana, ben) = (ClientId::parse("ana"), ClientId::parse("ben"));
        let first = streams.enter(ana.as_ref()).expect("a place");
        let _second = streams.enter(ana.as_ref()).expect("a place");
        assert_eq!(refused(ana.as_ref()), (Code::LimitReached, Some(10)));
        let _other = streams.enter(ben.as_ref()).expect("a place");
        assert_eq!(refused(None), (Code::Busy, Some(10)));
        drop(first);
        let _nameless = streams.enter(None).expect("a place");
        assert_eq!(streams.open(), 3);
        streams.end();
        assert!(*streams.ending().borrow());
        assert_eq!(refused(None).0, Code::ShuttingDown);
    }
}

//! `GET /v1/scenarios/{scenario}/updates/stream`: what changes for the caller, as Server-Sent Events.
//!
//! `update` brings what `updates` answers, with the revision as its id; `bye` says that the service is ending. Comments
//! keep the connection alive. Invariant: at most one event waits for a reader; one that does not take it in time is let go.

use std::time::Duration;

use actix_web::web::Bytes;
use actix_web::web::Path;
use tokio::time::MissedTickBehavior;

use crate::edge::http::answer::Answer;
use crate::edge::http::call::Listening;
use crate::edge::http::events;
use crate::edge::http::events::ALIVE;
use crate::edge::http::events::Reader;
use crate::edge::http::events::ended;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;
use crate::service::updates::News;
use crate::service::updates::Watch;

/// What is said when the service ends.
const BYE: &[u8] = b"event: bye\ndata: {}\n\n";
/// How long a reader may take to hear that.
const FAREWELL: Duration = Duration::from_secs(1);

/// Opens a stream. A `HEAD` is told what it would be and takes no place.
pub async fn stream(listening: Listening, scenario: Path<String>) -> Answer {
    let call = listening.0;
    let asked = call.query(&["since"])?.number("since")?;
    let resumed = call.last_event_id()?;
    let since = resumed.or(asked).unwrap_or(0);
    let watch = call.service()?.watch(&call.caller, &scenario, since).map_err(|error| {
        let mut problem = Problem::from(error);
        if resumed.is_some() && problem.code == Code::BadParameter {
            // The revision came in the head.
            problem.code = Code::BadHeader;
        }
        problem
    })?;
    events::open(&call, move |reader| tell(watch, reader))
}

/// Tells until the reader is gone or too slow, or the service ends.
async fn tell(mut watch: Watch, reader: Reader) {
    let Reader {
        events,
        limits,
        mut ending,
        place: _place,
    } = reader;
    let mut beat = tokio::time::interval(limits.heartbeat);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let begin = format!("retry: {}\n\n", limits.retry.as_millis());
    let mut next = Some((Bytes::from(begin), false));
    loop {
        if let Some((line, is_news)) = next.take() {
            tokio::select! {
                biased;
                () = ended(&mut ending) => {}
                given = tokio::time::timeout(limits.stall, events.send(line)) => match given {
                    Ok(Ok(())) if is_news => watch.received(),
                    Ok(Ok(())) => {}
                    Ok(Err(_)) | Err(_) => return,
                },
            }
            // The first tick comes at once, and after something was said there is no need for one.
            beat.reset();
        }
        tokio::select! {
            biased;
            () = ended(&mut ending) => {
                let _ = tokio::time::timeout(FAREWELL, events.send(Bytes::from_static(BYE))).await;
                return;
            }
            () = events.closed() => return,
            news = watch.next() => match news {
                None => return,
                Some(news) => next = Some((event(&news), true)),
            },
            _ = beat.tick() => next = Some((Bytes::from_static(ALIVE), false)),
        }
    }
}

fn event(news: &News) -> Bytes {
    Bytes::from(format!("id: {}\nevent: update\ndata: {}\n\n", news.revision, news.body))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::sync::mpsc;
    use tokio::sync::watch;

    use super::Watch;
    use super::tell;
    use crate::domain::exchange::validator::OtherLimits;
    use crate::domain::scenario::policy::Policy;
    use crate::domain::scenario::state::State;
    use crate::domain::template::name::ScenarioKey;
    use crate::edge::http::events::Reader;
    use crate::edge::http::streams::StreamLimits;
    use crate::edge::http::streams::Streams;
    use crate::service::live::Live;
    use crate::service::ports::JournalName;
    use crate::service::view::View;

    const LIMITS: StreamLimits = StreamLimits {
        streams_max: 1,
        per_client_max: 1,
        heartbeat: Duration::from_millis(10),
        retry: Duration::from_secs(1),
        stall: Duration::from_millis(100),
    };

    /// A watch of a scenario in which nothing happens.
    fn still() -> Watch {
        let (requests, _) = mpsc::channel(1);
        let none = OtherLimits {
            strings_max: 1,
            bytes_max: 1,
        };
        let live = Live::new(
            ScenarioKey::parse("a").expect("a scenario"),
            JournalName("scenario/default/a".to_owned()),
            State::default(),
            View::build(&State::default(), &Policy::default(), none),
            requests,
            watch::Sender::new(0),
            watch::Sender::new(0),
        );
        Watch::from(Arc::new(live), None, 0).expect("a watch")
    }

    #[tokio::test]
    async fn a_reader_that_takes_nothing_is_let_go_with_one_line_waiting_at_most() {
        let streams = Arc::new(Streams::new(LIMITS));
        let place = streams.enter(None).expect("a place");
        let (events, mut lines) = mpsc::channel(1);
        let telling = tell(
            still(),
            Reader {
                events,
                limits: LIMITS,
                ending: streams.ending(),
                place,
            },
        );
        let ended = tokio::time::timeout(Duration::from_secs(20), telling).await;
        assert!(ended.is_ok(), "it is let go");
        assert_eq!(streams.open(), 0);
        assert!(lines.recv().await.is_some());
        assert_eq!(lines.recv().await, None);
    }

    #[tokio::test]
    async fn a_reader_that_takes_everything_keeps_its_place_until_it_goes() {
        let streams = Arc::new(Streams::new(LIMITS));
        let place = streams.enter(None).expect("a place");
        let (events, mut lines) = mpsc::channel(1);
        let ending = streams.ending();
        let telling = tokio::spawn(tell(
            still(),
            Reader {
                events,
                limits: LIMITS,
                ending,
                place,
            },
        ));
        for _ in 0..30 {
            assert!(lines.recv().await.is_some());
        }
        assert_eq!(streams.open(), 1);
        drop(lines);
        telling.await.expect("it ends");
        assert_eq!(streams.open(), 0);
    }
}

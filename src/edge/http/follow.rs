//! `GET /v1/sessions/{session_id}/events`: what changes in a session, as Server-Sent Events.
//!
//! `written`, `deleted`, `snapshot` and `archived` say what changed and never a value; `gone` that the session is there no more
//! for who follows it; `bye` that the service is ending. Comments keep the connection alive. Invariant: at most one event waits
//! for a reader; one that does not take it in time is let go.

use std::collections::VecDeque;
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
use crate::service::sessions::following::ContextWatch;
use crate::service::sessions::following::Told;

/// What is said when the service ends.
const BYE: &[u8] = b"event: bye\ndata: {}\n\n";
/// How long a reader may take to hear that.
const FAREWELL: Duration = Duration::from_secs(1);

/// Opens a stream: `?keys=` of these keys alone, `?since=` from an event on. A `HEAD` is told what it would be and takes no
/// place.
pub async fn follow(listening: Listening, session: Path<String>) -> Answer {
    let call = listening.0;
    let query = call.query(&["keys", "since"])?;
    let resumed = call.last_event_id()?;
    let since = resumed.or(query.number("since")?);
    let watch = call
        .service()?
        .follow_session(&call.caller, &session, query.text("keys"), since)
        .map_err(|error| {
            let mut problem = Problem::from(error);
            if resumed.is_some() && query.text("keys").is_none() && problem.code == Code::BadParameter {
                // The event came in the head.
                problem.code = Code::BadHeader;
            }
            problem
        })?;
    events::open(&call, move |reader| tell(watch, reader))
}

/// Something that is followed.
pub trait Watch: Send {
    /// What changed; waits for it, and loses nothing when it is given up before it answers. `None` when there is nothing more
    /// to be told.
    fn next(&mut self) -> impl Future<Output = Option<Vec<Told>>> + Send;
}

impl Watch for ContextWatch {
    fn next(&mut self) -> impl Future<Output = Option<Vec<Told>>> + Send {
        ContextWatch::next(self)
    }
}

/// Tells until the reader is gone or too slow, what is followed is gone, or the service ends.
pub async fn tell(mut watch: impl Watch, reader: Reader) {
    let Reader {
        events,
        limits,
        mut ending,
        place: _place,
    } = reader;
    let mut beat = tokio::time::interval(limits.heartbeat);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let begin = format!("retry: {}\n\n", limits.retry.as_millis());
    let mut waiting = VecDeque::from([Bytes::from(begin)]);
    loop {
        while let Some(line) = waiting.pop_front() {
            tokio::select! {
                biased;
                () = ended(&mut ending) => waiting.clear(),
                given = tokio::time::timeout(limits.stall, events.send(line)) => match given {
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
            told = watch.next() => match told {
                None => return,
                Some(told) => waiting.extend(told.iter().map(event)),
            },
            _ = beat.tick() => waiting.push_back(Bytes::from_static(ALIVE)),
        }
    }
}

fn event(told: &Told) -> Bytes {
    let id = told.id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    Bytes::from(format!("{id}event: {}\ndata: {}\n\n", told.event, told.data))
}

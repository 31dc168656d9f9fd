//! What agents offer by MCP: registered, read, and followed as Server-Sent Events.
//!
//! `services` brings what the address without `/stream` answers, with its version as the id; `bye` says that the service ends.
//! Invariant: at most one event waits for a reader; one that does not take it in time is let go.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::web::Path;
use tokio::time::MissedTickBehavior;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::http::call::Listening;
use crate::edge::http::events;
use crate::edge::http::events::ALIVE;
use crate::edge::http::events::Reader;
use crate::edge::http::events::ended;
use crate::service::directory::ServicesWatch;

/// What is said when the service ends, and how long a reader may take to hear it.
const BYE: &[u8] = b"event: bye\ndata: {}\n\n";
const FAREWELL: Duration = Duration::from_secs(1);

/// `PUT /v1/agents/{agent}/services`
pub async fn register(call: Call, agent: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.register_services(&call.caller, &agent, &body.0).await?;
    Ok(answer::document(&told))
}

/// `GET /v1/agents/{agent}/services`
pub async fn one(call: Call, agent: Path<String>) -> Answer {
    call.query(&[])?;
    let offered = call.service()?.services(&call.caller, &agent)?;
    Ok(answer::json(StatusCode::OK, offered.body))
}

/// `GET /v1/agents/{agent}/services/stream`. A `HEAD` is told what it would be and takes no place.
pub async fn stream(listening: Listening, agent: Path<String>) -> Answer {
    let call = listening.0;
    call.query(&[])?;
    let seen = call.last_event_id()?.unwrap_or(0);
    let watch = call.service()?.follow_services(&call.caller, &agent, seen)?;
    events::open(&call, move |reader| tell(watch, reader))
}

/// Tells until the reader is gone or too slow, or the service ends.
async fn tell(mut watch: ServicesWatch, reader: Reader) {
    let Reader {
        events,
        limits,
        mut ending,
        place: _place,
    } = reader;
    let mut beat = tokio::time::interval(limits.heartbeat);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next = Some(Bytes::from(format!("retry: {}\n\n", limits.retry.as_millis())));
    loop {
        let line = match next.take() {
            Some(line) => line,
            None => tokio::select! {
                biased;
                () = ended(&mut ending) => {
                    let _ = tokio::time::timeout(FAREWELL, events.send(Bytes::from_static(BYE))).await;
                    return;
                }
                () = events.closed() => return,
                offered = watch.next() => match offered {
                    None => return,
                    Some(offered) => {
                        Bytes::from(format!("id: {}\nevent: services\ndata: {}\n\n", offered.version, offered.body))
                    }
                },
                _ = beat.tick() => Bytes::from_static(ALIVE),
            },
        };
        match tokio::time::timeout(limits.stall, events.send(line)).await {
            Ok(Ok(())) => beat.reset(),
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

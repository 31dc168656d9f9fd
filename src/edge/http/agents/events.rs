//! Stream responses as Server-Sent Events (A2A §9.4, §11.7), each plain or in the envelope of the call.
//!
//! Invariant: at most one event waits for a reader; one that does not take it in time is let go, and can follow its task anew.

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;
use actix_web::web::Bytes;
use tokio::time::MissedTickBehavior;

use crate::edge::a2a::call::Stream;
use crate::edge::a2a::failure::Failure;
use crate::edge::http::agents::incoming::Incoming;
use crate::edge::http::events;
use crate::edge::http::events::ALIVE;
use crate::edge::http::events::Reader;
use crate::edge::http::events::ended;
use crate::edge::wire::json_rpc;

/// How a stream response is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    Plain,
    /// Under the id of the call.
    JsonRpc(String),
}

impl Form {
    fn event(&self, response: &str) -> Bytes {
        match self {
            Form::Plain => Bytes::from(format!("data: {response}\n\n")),
            Form::JsonRpc(id) => Bytes::from(format!("data: {}\n\n", json_rpc::success(id, response))),
        }
    }
}

/// Answers with a stream. A `HEAD` is told what it would be and takes no place.
///
/// # Errors
/// When as many streams as may be are open.
pub fn stream(incoming: &Incoming, stream: Stream, form: Form) -> Result<HttpResponse, Failure> {
    let call = incoming.call()?;
    Ok(events::open(call, move |reader| tell(stream, form, reader))?)
}

/// Tells until there is no more, the reader is gone or too slow, or the service ends.
async fn tell(mut stream: Stream, form: Form, reader: Reader) {
    let Reader {
        events,
        limits,
        mut ending,
        place: _place,
    } = reader;
    let mut beat = tokio::time::interval(limits.heartbeat);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat.reset();
    loop {
        let line = tokio::select! {
            biased;
            () = ended(&mut ending) => return,
            () = events.closed() => return,
            response = stream.next() => match response {
                None => return,
                Some(response) => form.event(&response),
            },
            _ = beat.tick() => Bytes::from_static(ALIVE),
        };
        match tokio::time::timeout(limits.stall, events.send(line)).await {
            Ok(Ok(())) => beat.reset(),
            Ok(Err(_)) | Err(_) => return,
        }
    }
}

/// A header's name that is known to be one.
pub fn name(name: &'static str) -> HeaderName {
    HeaderName::from_bytes(name.as_bytes()).unwrap_or(header::VARY)
}

/// A header's value that is visible ASCII.
pub fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn a_response_is_an_event_in_the_form_of_its_binding() {
        assert_eq!(Form::Plain.event("{\"a\":1}"), "data: {\"a\":1}\n\n");
        let enveloped = Form::JsonRpc("7".to_owned()).event("{\"a\":1}");
        assert_eq!(
            enveloped,
            "data: {\"jsonrpc\":\"2.0\",\"result\":{\"a\":1},\"id\":7}\n\n"
        );
    }
}

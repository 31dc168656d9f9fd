//! Stream responses as Server-Sent Events (A2A §9.4, §11.7), each plain or in the envelope of the call.
//!
//! A reader that was let go can follow its task anew.

use actix_web::HttpResponse;
use actix_web::web::Bytes;

use crate::a2a::call::Stream;
use crate::a2a::failure::Failure;
use crate::http::agents::incoming::Incoming;
use crate::http::sse;
use crate::http::sse::Source;
use crate::wire::json_rpc;

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

/// Stream responses in their form.
struct Responses {
    stream: Stream,
    form: Form,
}

impl Source for Responses {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        let response = self.stream.next().await?;
        Some(vec![self.form.event(&response)])
    }

    /// The protocol has nothing but responses.
    fn has_frame(&self) -> bool {
        false
    }
}

/// Answers with a stream. A `HEAD` is told what it would be and takes no place.
///
/// # Errors
/// When as many streams as may be are open.
pub fn stream(incoming: &Incoming, stream: Stream, form: Form) -> Result<HttpResponse, Failure> {
    let call = incoming.call()?;
    Ok(sse::open(call, Responses { stream, form })?)
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

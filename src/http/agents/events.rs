//! Stream responses as Server-Sent Events (A2A §9.4, §11.7), each plain or in the envelope of the call.
//!
//! A reader that was let go can follow its task anew.

use actix_web::HttpResponse;
use actix_web::web::Bytes;

use crate::a2a::failure::Failure;
use crate::app::a2a_tasks::Sent;
use crate::http::agents::incoming::Incoming;
use crate::http::sse;
use crate::http::sse::Source;
use crate::wire::json_rpc;

/// Stream responses, plain or under the id of the call.
struct Responses {
    stream: Sent,
    id: Option<String>,
}

impl Source for Responses {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        let response = self.stream.next().await?;
        let response = serde_json::to_string(&response).ok()?;
        let data = match &self.id {
            None => response,
            Some(id) => json_rpc::success(id, &response),
        };
        Some(vec![Bytes::from(format!("data: {data}\n\n"))])
    }

    /// The protocol has nothing but responses.
    fn has_frame(&self) -> bool {
        false
    }
}

/// Answers with a stream, plain or under the id of the call. A `HEAD` is told what it would be and takes no place.
///
/// # Errors
/// When as many streams as may be are open.
pub fn stream(incoming: &Incoming, stream: Sent, id: Option<String>) -> Result<HttpResponse, Failure> {
    let (call, _) = incoming.taken()?;
    Ok(sse::open(call, Responses { stream, id })?)
}

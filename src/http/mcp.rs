//! `/mcp`: carries MCP. Who calls, how often, how much and from where is asked here as everywhere; the rest is the protocol's.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::task::ready;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::HttpResponseBuilder;
use actix_web::body::BodySize;
use actix_web::body::MessageBody;
use actix_web::http::Method;
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::mime;
use actix_web::web::Bytes;
use http_body::Body as _;
use http_body::Frame;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;

use crate::api::rpc::RpcCall;
use crate::app::reservations::Reservation;
use crate::http::accept;
use crate::http::answer::Answer;
use crate::http::body::Framed;
use crate::http::call::Call;
use crate::http::call::Listening;
use crate::http::call::Revoked;
use crate::http::call::texts;
use crate::http::openapi::parameters;
use crate::http::origins;
use crate::http::sse;
use crate::mcp::carried::Use;
use crate::mcp::mcp_caller::McpCaller;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// The method that opens a stream by POST, as its header says.
const LISTEN: &str = "subscriptions/listen";

/// How the library refuses a call that belongs to a session and comes in none, and what to do then.
const OUTSIDE: &str = "Session ID is required";
const OPEN_ONE: &str = "open a session first (initialize), or say with every request that it stands for itself \
                        (MCP-Protocol-Version: 2026-07-28)";

/// A message of MCP
///
/// The Model Context Protocol over Streamable HTTP, revisions 2025-11-25 and 2026-07-28: tools for the calls, templates
/// as resources, a prompt for each scenario. Send `Accept: application/json, text/event-stream`.
#[utoipa::path(
    post,
    path = "/mcp",
    tag = "Other transports",
    params(parameters::AcceptLanguage, parameters::McpSession),
    request_body = RpcCall,
    responses(
        (status = 200, description = "The answer, as a stream of events.", body = String, content_type = "text/event-stream"),
        (status = 202, description = "A notification was taken."),
    ),
    extensions(("x-fails" = json!([Code::NotFound, Code::LimitReached, Code::Busy])))
)]
pub async fn call_mcp(call: Call, request: HttpRequest, body: Framed) -> Answer {
    let listens = texts(request.headers(), "Mcp-Method") == [LISTEN];
    carry(&call, &request, body.0, listens).await
}

/// The stream of a session of MCP
#[utoipa::path(
    get,
    path = "/mcp",
    tag = "Other transports",
    params(parameters::McpSession),
    responses(
        (status = 200, description = "Events as they come.", body = String, content_type = "text/event-stream"),
    ),
    extensions(("x-fails" = json!([
        Code::BadRequest, Code::NotFound, Code::LimitReached, Code::Busy, Code::ShuttingDown,
    ])))
)]
pub async fn listen_mcp(listening: Listening, request: HttpRequest) -> Answer {
    if request.method() == Method::HEAD {
        listening.0.service()?;
        return Ok(HttpResponse::Ok().content_type(mime::TEXT_EVENT_STREAM).finish());
    }
    carry(&listening.0, &request, String::new(), true).await
}

/// End a session of MCP
#[utoipa::path(
    delete,
    path = "/mcp",
    tag = "Other transports",
    params(parameters::McpSession),
    responses((status = 204, description = "It is ended.")),
    extensions(("x-fails" = json!([Code::BadRequest, Code::NotFound])))
)]
pub async fn end_mcp(call: Call, request: HttpRequest) -> Answer {
    let answer = carry(&call, &request, String::new(), false).await?;
    // It has ended when this is answered: clients take 202 for a refusal.
    Ok(if answer.status() == StatusCode::ACCEPTED {
        HttpResponse::NoContent().finish()
    } else {
        answer
    })
}

async fn carry(call: &Call, request: &HttpRequest, body: String, streams: bool) -> Answer {
    call.query(&[])?;
    let mcp = call.state().mcp()?;
    let names = &call.state().mcp_names;
    origins::check_names(request.head(), &names.hosts, &names.origins)?;
    let place = streams
        .then(|| call.state().streams.enter(call.caller.client.as_ref()))
        .transpose()?;
    let asker = McpCaller {
        caller: call.caller.clone(),
        language: call.accepted_language(),
    };
    let (response, held) = mcp.answer(head(request)?, body, asker).await?;
    let (head, answer) = response.into_parts();
    let status = StatusCode::from_u16(head.status.as_u16()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let media = head.headers.get("Content-Type").and_then(|value| value.to_str().ok());
    let is = |kind: &mime::Mime| media.is_some_and(|media| media.starts_with(kind.essence_str()));
    if status.as_u16() >= 400 && !is(&mime::APPLICATION_JSON) {
        let said = answer.collect().await.map(|said| said.to_bytes()).unwrap_or_default();
        return Err(problem(status, request.method(), &String::from_utf8_lossy(&said)));
    }
    let is_stream = is(&mime::TEXT_EVENT_STREAM);
    let mut response = HttpResponseBuilder::new(status);
    for (name, value) in head.headers.iter().filter(|(name, _)| *name != "content-length") {
        response.insert_header((name.as_str(), value.as_bytes()));
    }
    if is_stream {
        // Proxies that collect answers before they pass them on must not do so here.
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.insert_header(("X-Accel-Buffering", "no"));
    }
    Ok(response.body(Streamed {
        answer,
        revoked: is_stream.then(|| call.revoked()),
        _place: place,
        _held: held,
    }))
}

/// What the protocol refuses before it reads a message, as a problem.
fn problem(status: StatusCode, method: &Method, said: &str) -> Problem {
    let said = said.trim();
    let code = match status.as_u16() {
        404 => Code::NotFound,
        405 => Code::MethodNotAllowed,
        406 => Code::NotAcceptable,
        413 => Code::TooLarge,
        415 => Code::UnsupportedMediaType,
        400..500 => Code::BadRequest,
        _ => {
            let mut problem = Problem::new(Code::Fault, "the service failed");
            problem.inside = Some(said.into());
            return problem;
        }
    };
    if method == Method::POST && said.ends_with(OUTSIDE) {
        return Problem::new(code, format!("{said}; {OPEN_ONE}"));
    }
    Problem::new(code, said)
}

/// The head in the types that the protocol's library takes. It asks for both media types by name, whatever ranges they lie in.
fn head(request: &HttpRequest) -> Result<http::request::Parts, Problem> {
    let both = [mime::APPLICATION_JSON, mime::TEXT_EVENT_STREAM];
    let takes_both = both.iter().all(|media| accept::takes(request, media));
    let mut head = http::Request::builder().method(request.method().as_str()).uri("/mcp");
    for (name, value) in request.headers() {
        if !(takes_both && name == header::ACCEPT) {
            head = head.header(name.as_str(), value.as_bytes());
        }
    }
    if takes_both {
        let both = both.map(|media| media.to_string()).join(", ");
        head = head.header(header::ACCEPT.as_str(), both);
    }
    let wrong = |_| Problem::new(Code::BadHeader, "a header cannot be read");
    head.body(()).map(|head| head.into_parts().0).map_err(wrong)
}

/// An answer as it comes, with the place that its stream takes and the session that it holds open.
struct Streamed {
    answer: BoxBody<Bytes, Infallible>,
    /// Of a stream alone.
    revoked: Option<Revoked>,
    _place: Option<Reservation>,
    _held: Option<Use>,
}

impl MessageBody for Streamed {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.answer
            .size_hint()
            .exact()
            .map_or(BodySize::Stream, BodySize::Sized)
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        let body = self.get_mut();
        if let Some(revoked) = &mut body.revoked
            && revoked.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut body.answer).poll_frame(context));
        // Trailers are no data, and the end.
        let data = frame.and_then(|frame| frame.map(Frame::into_data).ok()?.ok());
        let lines = |data| {
            if body.revoked.is_some() {
                sse::in_lines(data)
            } else {
                data
            }
        };
        Poll::Ready(data.map(|data| Ok(lines(data))))
    }
}

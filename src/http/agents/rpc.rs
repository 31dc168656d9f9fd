//! `POST /a2a`: the JSON-RPC binding (A2A §9). What its envelope can say is answered 200.

use actix_web::HttpResponse;
use actix_web::http::ConnectionType;
use actix_web::http::StatusCode;
use actix_web::http::header;

use crate::a2a::call::Reply;
use crate::a2a::extension;
use crate::a2a::failure::Failure;
use crate::a2a::method::Method;
use crate::api::rpc::RpcAnswer;
use crate::api::rpc::RpcCall;
use crate::app::application::contract::CONTRACT;
use crate::http::agents::events;
use crate::http::agents::events::Form;
use crate::http::agents::incoming::Incoming;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::json_rpc::Message;
use crate::wire::json_rpc::Request;
use crate::wire::problem::Problem;

/// The JSON-RPC binding: SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask, the four operations of push notifications, GetExtendedAgentCard. What streams is answered with events.
#[utoipa::path(
    post,
    path = "/a2a",
    tag = "Other agents",
    params(parameters::A2aVersion),
    request_body(content = RpcCall, description = "A call; no batches."),
    responses((status = 200, description = "The answer, or its error.", body = RpcAnswer))
)]
pub async fn call_a2a(incoming: Incoming) -> HttpResponse {
    let body = match incoming.body() {
        Ok(body) => body,
        // Nothing of the envelope was read.
        Err(failure) => return refused("null", &failure, failure.status),
    };
    let (id, made) = match Message::parse(body, 1) {
        Err(error) => ("null".to_owned(), Err(Failure::enveloped(&error))),
        Ok(Message::Batch(_)) => ("null".to_owned(), Err(invalid("a call is a JSON object"))),
        Ok(Message::One(Err(wrong))) => (wrong.id().to_owned(), Err(Failure::enveloped(&wrong.error))),
        Ok(Message::One(Ok(request))) => {
            let id = request.id().unwrap_or("null").to_owned();
            (id, make(&incoming, &request).await)
        }
    };
    let mut response = match made {
        Ok(Reply::Text(text)) => json(200, json_rpc::success(&id, &text)),
        Ok(Reply::Stream(stream)) => match events::stream(&incoming, stream, Form::JsonRpc(id.clone())) {
            Ok(response) => response,
            Err(failure) => refused(&id, &failure, 200),
        },
        Err(failure) => refused(&id, &failure, 200),
    };
    if incoming.contract() {
        response
            .headers_mut()
            .insert(events::name(extension::HEADER), events::value(CONTRACT));
    }
    response
}

async fn make(incoming: &Incoming, request: &Request<'_>) -> Result<Reply, Failure> {
    if !request.framed || request.id().is_none() {
        return Err(invalid("a call has `jsonrpc` and `id`"));
    }
    incoming.speaks(Method::named(&request.method), request.params())?;
    let Some(method) = Method::named(&request.method) else {
        let names = Method::ALL.map(Method::name).join(", ");
        let what = format!("there is no such method; the methods here are {names}");
        return Err(Failure::from(Problem::new(Code::UnknownMethod, what)));
    };
    incoming.make(method, request.params()).await
}

fn invalid(what: &str) -> Failure {
    Failure::enveloped(&json_rpc::Error::new(json_rpc::INVALID_REQUEST, what))
}

fn refused(id: &str, failure: &Failure, status: u16) -> HttpResponse {
    if let Some(inside) = &failure.inside {
        tracing::error!(%inside, "fault in a call");
    }
    let mut response = json(status, json_rpc::failure(id, &failure.json_rpc()));
    if matches!(status, 408 | 413) {
        // The rest of the body is not read.
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    if let Some(seconds) = failure.retry_after_s {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, events::value(&seconds.to_string()));
    }
    if let Some(challenge) = failure.challenge {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, events::value(challenge));
    }
    response
}

fn json(status: u16, text: String) -> HttpResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status).content_type("application/json").body(text)
}

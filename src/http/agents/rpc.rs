//! `POST /a2a`: the JSON-RPC binding (A2A §9). What its envelope can say is answered 200.

use actix_web::HttpResponse;
use strum::VariantNames;

use crate::a2a::call::Method;
use crate::a2a::call::Reply;
use crate::a2a::failure::Failure;
use crate::api::rpc::RpcAnswer;
use crate::api::rpc::RpcCall;
use crate::http::agents;
use crate::http::agents::events;
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
    let body = match incoming.taken() {
        Ok((_, body)) => body,
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
    incoming.answered(match made {
        Ok(Reply::Text(text)) => {
            let text = json_rpc::success(&id, &text);
            HttpResponse::Ok().content_type("application/json").body(text)
        }
        Ok(Reply::Stream(stream)) => {
            events::stream(&incoming, stream, Some(id.clone())).unwrap_or_else(|failure| refused(&id, &failure, 200))
        }
        Err(failure) => refused(&id, &failure, 200),
    })
}

async fn make(incoming: &Incoming, request: &Request<'_>) -> Result<Reply, Failure> {
    if !request.framed || request.id().is_none() {
        return Err(invalid("a call has `jsonrpc` and `id`"));
    }
    incoming.speaks(Method::named(&request.method), request.params())?;
    let Some(method) = Method::named(&request.method) else {
        let names = Method::VARIANTS.join(", ");
        let what = format!("there is no such method; the methods here are {names}");
        return Err(Failure::from(Problem::new(Code::UnknownMethod, what)));
    };
    incoming.make(method, request.params()).await
}

fn invalid(what: &str) -> Failure {
    Failure::enveloped(&json_rpc::Error::new(json_rpc::INVALID_REQUEST, what))
}

fn refused(id: &str, failure: &Failure, status: u16) -> HttpResponse {
    let text = json_rpc::failure(id, &failure.json_rpc());
    agents::refused(failure, status, "application/json", text)
}

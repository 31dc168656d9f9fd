//! `POST /rpc`: carries JSON-RPC. Whatever its envelope can say is answered 200; what HTTP says before it is read stays HTTP's.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::api::rpc::RpcMessage;
use crate::api::rpc::RpcReply;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::body::Framed;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::rpc;
use crate::rpc::Reply;
use crate::rpc::RpcContext;
use crate::wire::codes::Code;

/// JSON-RPC 2.0
///
/// A call, a notification, or a batch of them. The methods are the service's calls: `list_scenarios` {q?, label?, after?,
/// limit?}, `get_schema_template` {scenario, schema_id?, version?, preferred_language?, experimental?, format?, as_of?,
/// capabilities?}, `validate_payload` and `submit_payload` (a submission, with `idempotency_key`?), `get_schema_updates`
/// {scenario, since?}. An error has the number of the one table of codes, and the problem document as `data`. The draft's
/// request without `jsonrpc` and `id` is answered with the bare template, or a problem.
#[utoipa::path(
    post,
    path = "/rpc",
    tag = "Other transports",
    params(parameters::AcceptLanguage),
    request_body = RpcMessage,
    responses(
        (status = 200, description = "What each call but the notifications brought.", body = RpcReply),
        (status = 204, description = "Nothing but notifications came."),
    ),
    extensions(("x-fails" = json!([Code::BadParameter, Code::UnknownScenario, Code::UnknownMethod, Code::ContextNotDelivered, Code::ReadOnly])))
)]
pub async fn call_rpc(call: Call, body: Framed) -> Answer {
    call.query(&[])?;
    call.no_idempotency_key("it is a member of the params, `idempotency_key`")?;
    let language = call.accepted_language();
    let context = RpcContext {
        service: call.service()?,
        caller: &call.caller,
        rate: call.state().rate.as_ref(),
        language: language.as_deref(),
        batch_max: call.state().limits.rpc_batch_calls_max,
    };
    Ok(match rpc::answer(context, &body.0).await {
        Reply::Text(text) => answer::json(StatusCode::OK, text),
        Reply::Nothing => HttpResponse::NoContent().finish(),
        Reply::Bare(template) => answer::json(StatusCode::OK, template?),
    })
}

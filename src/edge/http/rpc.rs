//! `POST /rpc`: carries JSON-RPC. Whatever its envelope can say is answered 200; what HTTP says before it is read stays HTTP's.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Framed;
use crate::edge::http::call::Call;
use crate::edge::rpc;
use crate::edge::rpc::Desk;
use crate::edge::rpc::Reply;

/// `POST /rpc`: 200 with an answer or a list of them, 204 where nothing but notifications came. The draft's bare request is
/// answered with the bare template, or with a problem.
pub async fn rpc(call: Call, body: Framed) -> Answer {
    call.query(&[])?;
    call.no_idempotency_key("it is a member of the params, `idempotency_key`")?;
    let language = call.accepted_language();
    let desk = Desk {
        service: call.service()?,
        caller: &call.caller,
        rate: call.mouth().rate.as_ref(),
        language: language.as_deref(),
        batch_max: call.mouth().limits.rpc_batch_calls_max,
    };
    Ok(match rpc::answer(desk, &body.0).await {
        Reply::Text(text) => answer::json(StatusCode::OK, text),
        Reply::Nothing => HttpResponse::NoContent().finish(),
        Reply::Bare(template) => answer::json(StatusCode::OK, template?),
    })
}

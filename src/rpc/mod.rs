//! JSON-RPC 2.0, one of the transports of the service (docs/design.md §8): a method for each call, in the draft's style.
//!
//! Knows no transport: a text comes in, a text goes out. Envelopes are [`crate::wire::json_rpc`]'s, calls are
//! [`crate::wire::calls`]'s. Invariant: each call of a batch passes the same bounds as if it had come alone.

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::wire::calls::Call;
use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::json_rpc::Error;
use crate::wire::json_rpc::Item;
use crate::wire::json_rpc::Message;
use crate::wire::json_rpc::Request;
use crate::wire::problem::Problem;
use crate::wire::rate::Rate;

/// Who calls, and within which bounds. That the text came has been counted for the rate already.
#[derive(Clone, Copy)]
pub struct RpcContext<'a> {
    pub service: &'a App,
    pub caller: &'a Caller,
    /// How often the caller may come; `None` for as often as it likes.
    pub rate: Option<&'a Rate>,
    /// BCP 47 tag that is preferred where a call names none.
    pub language: Option<&'a str>,
    /// Calls in one batch.
    pub batch_max: usize,
}

/// What goes back.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// An envelope, or a list of them.
    Text(String),
    /// Nothing but notifications came.
    Nothing,
    /// The draft's bare request is answered as barely: with the template itself, or why there is none (Z-173).
    Bare(Result<String, Problem>),
}

/// Answers a text. The calls of a batch are made one after another, and answered in their order.
pub async fn answer(context: RpcContext<'_>, text: &str) -> Reply {
    match Message::parse(text, context.batch_max) {
        Err(error) => Reply::Text(json_rpc::unread(&error)),
        Ok(Message::One(Ok(request))) if !request.framed => Reply::Bare(bare(context, &request).await),
        Ok(Message::One(item)) => one(context, item, true).await.map_or(Reply::Nothing, Reply::Text),
        Ok(Message::Batch(items)) => {
            let mut answers: Vec<String> = Vec::with_capacity(items.len());
            for (place, item) in items.into_iter().enumerate() {
                answers.extend(one(context, item, place == 0).await);
            }
            if answers.is_empty() {
                Reply::Nothing
            } else {
                Reply::Text(format!("[{}]", answers.join(",")))
            }
        }
    }
}

/// The answer to one call; none to a notification. `counted` says whether the rate knows of it.
async fn one(context: RpcContext<'_>, item: Item<'_>, counted: bool) -> Option<String> {
    let request = match item {
        Ok(request) => request,
        Err(invalid) => return Some(json_rpc::failure(invalid.id(), &invalid.error)),
    };
    if !request.framed {
        let what = "a call in a batch has `jsonrpc` and, unless it is a notification, `id`";
        return Some(json_rpc::unread(&Error::malformed(json_rpc::INVALID_REQUEST, what)));
    }
    let made = async {
        let rate = context.rate.filter(|_| !counted);
        rate.map_or(Ok(()), |rate| rate.pass(context.caller))?;
        make(context, &request).await
    };
    let made = made.await.map_err(Problem::logged);
    let id = request.id()?;
    Some(match made {
        Ok(result) => json_rpc::success(id, &result),
        Err(problem) => json_rpc::failure(id, &Error::from(&problem)),
    })
}

async fn make(context: RpcContext<'_>, request: &Request<'_>) -> Result<String, Problem> {
    let Some(call) = Call::named(&request.method) else {
        let names = Call::all().map(Call::name).collect::<Vec<_>>().join(", ");
        let what = format!("there is no such method; the methods here are {names}");
        return Err(Problem::new(Code::UnknownMethod, what));
    };
    call.make(context.service, context.caller, request.params(), context.language)
        .await
}

/// The bare form is the draft's for its one method, and nobody else's.
async fn bare(context: RpcContext<'_>, request: &Request<'_>) -> Result<String, Problem> {
    let name = Call::GetSchemaTemplate.name();
    if request.method != name {
        let what = format!("`jsonrpc` is missing; without it and `id`, the method is {name}");
        return Err(Problem::new(Code::BadRequest, what));
    }
    make(context, request).await
}

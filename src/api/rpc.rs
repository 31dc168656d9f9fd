//! JSON-RPC: calls and answers.

use serde_json::Value;
use utoipa::ToSchema;

use crate::api::templates::EffectiveTemplate;

/// One call. Without an `id` it is a notification, which is not answered.
#[derive(ToSchema)]
pub struct RpcCall {
    /// `2.0`; left out, together with `id`, in the draft's bare request alone.
    #[schema(required = false)]
    pub jsonrpc: String,
    /// A string, a number or null; the answer bears it as it was written.
    #[schema(required = false)]
    pub id: Value,
    pub method: String,
    /// By name.
    #[schema(required = false, value_type = Object)]
    pub params: Value,
}

/// The answer to one call: `result` or `error`.
#[derive(ToSchema)]
pub struct RpcAnswer {
    pub jsonrpc: String,
    /// What the same call answers on HTTP.
    #[schema(required = false)]
    pub result: Value,
    #[schema(required = false)]
    pub error: RpcError,
    pub id: Value,
}

/// Why there is no result.
#[derive(ToSchema)]
pub struct RpcError {
    /// As `number` of `GET /problems`; -32700 for what is no JSON, -32600 for what is no call.
    pub code: i32,
    pub message: String,
    /// The problem document, with `retry_after_s` where another try makes sense.
    #[schema(required = false, value_type = Object)]
    pub data: Value,
}

/// A call, or a batch of them.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum RpcMessage {
    One(RpcCall),
    Batch(#[schema(inline)] RpcCalls),
}

#[derive(ToSchema)]
#[schema(min_items = 1)]
pub struct RpcCalls(pub Vec<RpcCall>);

/// An answer, a list of them, or the bare template of the draft.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum RpcReply {
    One(Box<RpcAnswer>),
    Batch(#[schema(inline)] RpcAnswers),
    Template(Box<EffectiveTemplate>),
}

#[derive(ToSchema)]
#[schema(min_items = 1)]
pub struct RpcAnswers(pub Vec<RpcAnswer>);

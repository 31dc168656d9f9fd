//! JSON-RPC: calls and answers.

use std::borrow::Cow;

use serde_json::Value;
use utoipa::PartialSchema;
use utoipa::ToSchema;
use utoipa::openapi::Ref;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::schema::Schema;

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
pub struct RpcMessage;

impl PartialSchema for RpcMessage {
    fn schema() -> RefOr<Schema> {
        RefOr::T(Schema::from(one_or_many::<RpcCall>().build()))
    }
}

impl ToSchema for RpcMessage {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("RpcMessage")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        collect::<RpcCall>(schemas);
    }
}

/// An answer, a list of them, or the bare template of the draft.
pub struct RpcReply;

impl PartialSchema for RpcReply {
    fn schema() -> RefOr<Schema> {
        let template = Ref::from_schema_name(EffectiveTemplate::name());
        RefOr::T(Schema::from(one_or_many::<RpcAnswer>().item(template).build()))
    }
}

impl ToSchema for RpcReply {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("RpcReply")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        collect::<RpcAnswer>(schemas);
        collect::<EffectiveTemplate>(schemas);
    }
}

fn one_or_many<T: ToSchema>() -> AnyOfBuilder {
    let item = || Ref::from_schema_name(T::name());
    let list = ArrayBuilder::new().items(item()).min_items(Some(1));
    AnyOfBuilder::new().item(item()).item(Schema::from(list.build()))
}

fn collect<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

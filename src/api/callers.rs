//! Who did something.

use utoipa::ToSchema;

/// Who did something, known by what, in which request.
#[derive(ToSchema)]
pub struct By {
    pub principal: String,
    pub method: Option<Method>,
    /// What the key is called: the first digits of its `key_sha256`.
    pub key: Option<String>,
    pub request_id: Option<String>,
}

/// By what a caller was known.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Method {
    ApiKey,
    /// By what it says of itself, which nobody checked.
    Open,
    /// The service itself, or whoever runs it.
    System,
}

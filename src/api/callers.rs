//! Who did something.

use serde::Serialize;
use utoipa::ToSchema;

use schema::act;

/// Who did something, known by what, in which request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct By {
    pub principal: String,
    pub method: Option<Method>,
    /// What the key is called: the first digits of its `key_sha256`.
    pub key: Option<String>,
    pub request_id: Option<String>,
}

/// By what a caller was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    ApiKey,
    /// By what it says of itself, which nobody checked.
    Open,
    /// The service itself, or whoever runs it.
    System,
}

impl From<&act::By> for By {
    fn from(by: &act::By) -> By {
        By {
            principal: by.principal.clone(),
            method: by.method.map(Method::from),
            key: by.key.clone(),
            request_id: by.request_id.clone(),
        }
    }
}

impl From<act::Method> for Method {
    fn from(method: act::Method) -> Method {
        match method {
            act::Method::ApiKey => Method::ApiKey,
            act::Method::Open => Method::Open,
            act::Method::System => Method::System,
        }
    }
}

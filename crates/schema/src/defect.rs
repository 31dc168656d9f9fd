//! What is wrong with a template that someone tried to publish, and where in its document.
//!
//! Knows no rule that a template may break.

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

/// One reason why a template cannot be published. Holds no value of any payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Defect {
    /// JSON pointer into the template.
    pub pointer: String,
    /// The requirement that it breaks, such as `Z-035`.
    pub requirement: String,
    pub message: String,
}

/// A JSON pointer one step further down (RFC 6901).
pub fn pointer_to(parent: &str, member: &str) -> String {
    format!("{parent}/{}", member.replace('~', "~0").replace('/', "~1"))
}

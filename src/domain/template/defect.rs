//! What is wrong with a template that someone tried to publish, and what is merely worth saying.

use serde::Deserialize;
use serde::Serialize;

/// One reason why a template cannot be published. Holds no value of any payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// JSON pointer into the published document.
    pub pointer: String,
    /// The requirement that it breaks, such as `Z-035`.
    pub requirement: String,
    pub message: String,
}

/// Something that the publisher is told about a template that was accepted (a taken-over constraint, an alias …).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub pointer: String,
    pub requirement: String,
    pub message: String,
}

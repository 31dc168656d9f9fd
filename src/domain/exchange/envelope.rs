//! The submission's envelope (Z-176, DESIGN §4); the draft's bare form is the same with fewer members.

use serde::Deserialize;
use serde_json::value::RawValue;

/// `{"schema_id", "payload", "utterance"?, "language"?, "revision"?, "dry_run"?}`; unknown members are ignored.
#[derive(Debug, Deserialize)]
pub struct Envelope<'a> {
    pub schema_id: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    pub payload: &'a RawValue,
    #[serde(default)]
    pub utterance: Option<String>,
    #[serde(default)]
    pub language: Option<String>,
    #[serde(default)]
    pub revision: Option<u64>,
    #[serde(default)]
    pub dry_run: bool,
}

/// Why a body is no submission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EnvelopeFault(pub String);

impl<'a> Envelope<'a> {
    /// Reads a body.
    ///
    /// # Errors
    /// What is missing or wrong, without any value.
    pub fn parse(body: &'a str) -> Result<Envelope<'a>, EnvelopeFault> {
        serde_json::from_str(body).map_err(|error| EnvelopeFault(error.to_string()))
    }
}

//! Why a call came to nothing, as a program tells the cases apart.

use std::error;

use serde::Deserialize;
use serde_json::Value;

/// What a service says of a refusal: a problem document (RFC 9457).
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Stable: what a program branches on.
    pub code: String,
    pub status: u16,
    pub title: String,
    /// What happened this time, in a sentence.
    pub detail: String,
    /// The whole document.
    pub document: Value,
}

impl Problem {
    /// Reads the body of an answer; one that is no problem document is named by its status alone.
    pub fn read(status: u16, document: Value) -> Problem {
        let member = |name: &str| document[name].as_str().map(str::to_owned);
        let title = member("title");
        Problem {
            code: member("code").unwrap_or_else(|| format!("http_{status}")),
            status,
            detail: member("detail")
                .or_else(|| title.clone())
                .unwrap_or_else(|| "it does not say why".to_owned()),
            title: title.unwrap_or_default(),
            document,
        }
    }
}

/// One thing that is wrong with a payload.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Violation {
    #[serde(default)]
    pub key: Option<String>,
    /// A JSON pointer that begins with `/payload`.
    #[serde(default)]
    pub pointer: String,
    #[serde(default)]
    pub code: String,
    #[serde(default)]
    pub message: String,
    /// The steps (RFC 6902) that mend it, where the right value is determined.
    #[serde(default)]
    pub repair: Option<Value>,
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The payload does not fit, and no repair made it fit.
    #[error("{}: {}", problem.detail, listed(violations))]
    InvalidPayload {
        problem: Box<Problem>,
        violations: Vec<Violation>,
    },
    /// The template changed in keys whose wording was agreed to; [`crate::Scenario::accept`] agrees to what they are now.
    #[error("the template changed in what was agreed to: {}; look at it, and accept it", keys.join(", "))]
    DigestRefused { keys: Vec<String> },
    /// What the client holds does not go together with what the service has any more.
    #[error("what is held is stale: {}", .0.detail)]
    Stale(Box<Problem>),
    /// The service could not be reached, or put the caller off, at the last try too.
    #[error("{why}")]
    Unavailable { why: String, problem: Option<Box<Problem>> },
    /// Any other refusal.
    #[error("the service answered {}: {}", .0.status, .0.detail)]
    Refused(Box<Problem>),
    /// What this program asked for cannot be.
    #[error("{0}")]
    Misused(String),
    /// The caller's own model failed.
    #[error("the model failed: {0}")]
    Model(Box<dyn error::Error + Send + Sync>),
}

fn listed(violations: &[Violation]) -> String {
    let each = violations.iter().map(|violation| violation.message.as_str());
    each.collect::<Vec<_>>().join("; ")
}

impl Error {
    /// What the service said of it, where it said anything.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Error::InvalidPayload { problem, violations: _ } | Error::Stale(problem) | Error::Refused(problem) => {
                Some(problem)
            }
            Error::Unavailable { why: _, problem } => problem.as_deref(),
            Error::DigestRefused { keys: _ } | Error::Misused(_) | Error::Model(_) => None,
        }
    }

    /// The stable code of what the service said; `unreachable` where it said nothing.
    pub fn code(&self) -> Option<&str> {
        match self {
            Error::Unavailable { why: _, problem: None } => Some("unreachable"),
            other => other.problem().map(|problem| problem.code.as_str()),
        }
    }

    /// The HTTP status of what the service said.
    pub fn status(&self) -> Option<u16> {
        self.problem().map(|problem| problem.status)
    }
}

//! Why a call came to nothing, as a program tells the cases apart.

use std::error;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

/// Values of a closed list that a message names: a dozen is read, more is searched.
const VALUES_TOLD_MAX: usize = 12;

/// What a service says of a refusal: a problem document (RFC 9457).
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub status: u16,
    /// As it came; null where it was no JSON.
    pub document: Value,
}

impl Problem {
    /// Stable: what a program branches on.
    pub fn code(&self) -> &str {
        self.document["code"].as_str().unwrap_or("bad_answer")
    }

    /// What happened this time, in a sentence.
    pub fn detail(&self) -> &str {
        let said = self.document["detail"].as_str().or(self.document["title"].as_str());
        said.unwrap_or("it does not say why")
    }
}

/// One thing that is wrong with a payload.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Violation {
    pub key: Option<String>,
    /// A JSON pointer that begins with `/payload`.
    pub pointer: String,
    pub code: String,
    pub message: String,
    /// What would fit, as JSON Schema says it.
    pub expected: Value,
    /// The steps (RFC 6902) that mend it, where the right value is determined.
    pub repair: Option<Value>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)?;
        let values = self.expected["enum"].as_array().map_or(&[][..], Vec::as_slice);
        let told: Vec<String> = values.iter().take(VALUES_TOLD_MAX).map(Value::to_string).collect();
        // Most messages name the values.
        if told.first().is_none_or(|first| !self.message.contains(first)) {
            if !told.is_empty() {
                write!(f, "; one of {}", told.join(", "))?;
            } else if !self.expected.is_null() {
                write!(f, "; expected {}", self.expected)?;
            }
            if values.len() > told.len() {
                write!(f, " and {} more", values.len() - told.len())?;
            }
        }
        match &self.repair {
            Some(repair) => write!(f, "; repair: {repair}"),
            None => Ok(()),
        }
    }
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The payload does not fit, and no repair made it fit.
    #[error("{}\n{}", problem.detail(), lines(violations))]
    InvalidPayload {
        problem: Problem,
        violations: Vec<Violation>,
    },
    /// The template changed in keys whose wording was agreed to; [`crate::Scenario::accept`] agrees to what they are now.
    #[error("the template changed in what was agreed to: {}; look at it, and accept it", keys.join(", "))]
    DigestRefused { keys: Vec<String> },
    /// What the client holds does not go together with what the service has any more.
    #[error("what is held is stale: {}", .0.detail())]
    Stale(Problem),
    /// The service could not be reached, or put the caller off, at the last try too.
    #[error("{why}")]
    Unavailable { why: String, problem: Option<Problem> },
    /// Any other refusal.
    #[error("the service answered {}: {}", .0.status, .0.detail())]
    Refused(Problem),
    /// What this program asked for cannot be.
    #[error("{0}")]
    Misused(String),
    /// The caller's own model failed.
    #[error("the model failed: {0}")]
    Model(Box<dyn error::Error + Send + Sync>),
}

/// What is wrong, each in a line of its own.
pub(crate) fn lines(violations: &[Violation]) -> String {
    let each = violations.iter().map(|violation| format!("- {violation}"));
    each.collect::<Vec<_>>().join("\n")
}

impl Error {
    /// What the service said of it, where it said anything.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Error::InvalidPayload { problem, .. } | Error::Stale(problem) | Error::Refused(problem) => Some(problem),
            Error::Unavailable { why: _, problem } => problem.as_ref(),
            Error::DigestRefused { keys: _ } | Error::Misused(_) | Error::Model(_) => None,
        }
    }

    /// The stable code of what the service said; `unreachable` where it said nothing.
    pub fn code(&self) -> Option<&str> {
        match self {
            Error::Unavailable { why: _, problem: None } => Some("unreachable"),
            other => other.problem().map(Problem::code),
        }
    }
}

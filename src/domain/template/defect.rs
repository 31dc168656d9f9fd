//! What is wrong with a template that someone tried to publish, and what is merely worth saying.
//!
//! Gathers; never decides. Invariant: the reading of a document goes on after a defect, so that a publisher hears of
//! all of them at once, up to [`DEFECTS_MAX`].

use serde::Deserialize;
use serde::Serialize;

/// Defects and findings reported for one document, each; what lies beyond is the same again.
pub const DEFECTS_MAX: usize = 500;

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

/// Gathers defects and findings while a document is read.
#[derive(Debug, Default)]
pub struct Report {
    pub defects: Vec<Defect>,
    pub findings: Vec<Finding>,
}

impl Report {
    /// Adds a defect.
    pub fn defect(&mut self, pointer: &str, requirement: &str, message: impl Into<String>) {
        if self.defects.len() < DEFECTS_MAX {
            self.defects.push(Defect {
                pointer: pointer.to_owned(),
                requirement: requirement.to_owned(),
                message: message.into(),
            });
        }
    }

    /// Adds a finding.
    pub fn finding(&mut self, pointer: &str, requirement: &str, message: impl Into<String>) {
        if self.findings.len() < DEFECTS_MAX {
            self.findings.push(Finding {
                pointer: pointer.to_owned(),
                requirement: requirement.to_owned(),
                message: message.into(),
            });
        }
    }

    /// What was read, if nothing was wrong with it.
    ///
    /// # Errors
    /// The defects, when there is one, or when nothing was read.
    pub fn conclude<T>(self, read: Option<T>) -> Result<(T, Vec<Finding>), Vec<Defect>> {
        match read {
            Some(value) if self.defects.is_empty() => Ok((value, self.findings)),
            Some(_) | None => Err(self.defects),
        }
    }
}

/// A JSON pointer one step further down (RFC 6901).
pub fn pointer_to(parent: &str, member: &str) -> String {
    format!("{parent}/{}", member.replace('~', "~0").replace('/', "~1"))
}

//! What is gathered while a document is read: defects, which refuse it, and findings, which do not.
//!
//! Gathers; never decides. Invariant: the reading of a document goes on after a defect, so that a publisher hears of
//! all of them at once, up to [`DEFECTS_MAX`].

use serde_json::Value;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::defect::Defect;

/// Defects and findings reported for one document, each; what lies beyond is the same again.
pub const DEFECTS_MAX: usize = 500;

/// Gathers defects and findings while a document is read.
#[derive(Debug, Default)]
pub struct Report {
    pub defects: Vec<Defect>,
    pub findings: Vec<Finding>,
    /// Units that the constraints read so far cost to compile.
    pub units: u64,
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
    pub fn finding(&mut self, rule: Advice, pointer: &str, message: impl Into<String>) {
        if self.findings.len() < DEFECTS_MAX {
            self.findings.push(Finding::new(rule, pointer, message));
        }
    }

    /// Adds a finding with the merge patch that mends it.
    pub fn suggestion(&mut self, rule: Advice, pointer: &str, message: impl Into<String>, suggestion: Value) {
        if self.findings.len() < DEFECTS_MAX {
            self.findings.push(Finding {
                suggestion: Some(suggestion),
                ..Finding::new(rule, pointer, message)
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

//! What is wrong with a template that someone tried to publish, and what is merely worth saying.
//!
//! Gathers; never decides. Invariant: the reading of a document goes on after a defect, so that a publisher hears of
//! all of them at once, up to [`DEFECTS_MAX`].

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::advice::Advice;

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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The stable name of the rule.
    pub rule: Advice,
    /// The requirement that the rule rests on.
    pub requirement: &'static str,
    /// The key that it is about; none where it is the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// JSON pointer into the published document.
    pub pointer: String,
    pub message: String,
    /// Points that it takes from its key's hundred, or from the template's score.
    pub cost: u8,
    /// A JSON merge patch (RFC 7396) that mends it: for the key definition, or for the template where there is no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Value>,
}

impl Finding {
    /// A finding of no key and without a suggestion.
    pub fn new(rule: Advice, pointer: &str, message: impl Into<String>) -> Finding {
        let row = rule.row();
        Finding {
            rule,
            requirement: row.requirement,
            key_name: None,
            pointer: pointer.to_owned(),
            message: message.into(),
            cost: row.cost,
            suggestion: None,
        }
    }
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

/// A JSON pointer one step further down (RFC 6901).
pub fn pointer_to(parent: &str, member: &str) -> String {
    format!("{parent}/{}", member.replace('~', "~0").replace('/', "~1"))
}

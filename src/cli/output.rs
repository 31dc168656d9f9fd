//! How a command answers a program that asked with `--json`: one document, with the same members around its own.
//!
//! `{"command", "ending": "well" | "findings" | "usage" | "fault", "exit_code", …}`, and `"error"` with a sentence where it
//! could not do what it was asked. Invariant: the sentence is on standard error too, and the exit code is the same with and without
//! `--json` (docs/design.md §9).

use serde_json::Value;
use serde_json::json;

use crate::bootstrap::BootFault;
use crate::cli;
use crate::cli::ExitStatus;
use crate::config::BadSettings;

/// Why a command stops, and how it ends so.
#[derive(Debug, PartialEq, Eq)]
pub struct Trouble {
    pub ending: ExitStatus,
    pub why: String,
    /// Of a template that cannot be published: what is wrong with it, for a program.
    pub defects: Vec<Value>,
    /// Lines behind the sentence, for a person.
    pub lines: Vec<String>,
}

impl Trouble {
    /// A sentence alone.
    pub fn new(ending: ExitStatus, why: impl Into<String>) -> Trouble {
        Trouble {
            ending,
            why: why.into(),
            defects: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// What the caller can mend.
pub fn usage(why: impl Into<String>) -> Trouble {
    Trouble::new(ExitStatus::Usage, why)
}

/// What the caller cannot mend.
pub fn fault(why: impl ToString) -> Trouble {
    Trouble::new(ExitStatus::Fault, why.to_string())
}

impl From<BadSettings> for Trouble {
    fn from(error: BadSettings) -> Trouble {
        usage(error.0)
    }
}

impl From<BootFault> for Trouble {
    fn from(fault: BootFault) -> Trouble {
        let ending = match fault {
            BootFault::Asked(_) => ExitStatus::Usage,
            BootFault::Broke(_) => ExitStatus::Fault,
        };
        Trouble::new(ending, fault.to_string())
    }
}

/// What a command came to.
#[derive(Debug, Default)]
pub struct Report {
    pub ending: ExitStatus,
    /// For a person, on standard output.
    pub lines: Vec<String>,
    /// Behind them on standard error.
    pub told: Vec<String>,
    /// The same for a program: an object.
    pub document: Value,
}

/// One command's output.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    command: &'static str,
    /// Whether a program listens.
    json: bool,
}

impl Output {
    /// The output of a command.
    pub fn new(command: &'static str, json: bool) -> Output {
        Output { command, json }
    }

    /// Tells a person or a program what came of a command, or why nothing did.
    pub fn report(&self, performed: Result<Report, Trouble>) -> ExitStatus {
        self.ended(performed.map(|report| {
            match self.json {
                true => cli::answer(&enveloped(self.command, report.ending, report.document).to_string()),
                false => report.lines.iter().for_each(|line| cli::answer(line)),
            }
            report.told.iter().for_each(|line| cli::tell(line));
            report.ending
        }))
    }

    /// Says why a command stopped, if it did.
    pub fn ended(&self, result: Result<ExitStatus, Trouble>) -> ExitStatus {
        result.unwrap_or_else(|trouble| self.stop(trouble))
    }

    /// Says why a command stopped.
    pub fn stop(&self, trouble: Trouble) -> ExitStatus {
        if self.json {
            let mut members = json!({"error": trouble.why});
            if !trouble.defects.is_empty() {
                members["defects"] = json!(trouble.defects);
            }
            cli::answer(&enveloped(self.command, trouble.ending, members).to_string());
        }
        cli::end(trouble.ending, &trouble.why);
        trouble.lines.iter().for_each(|line| cli::tell(line));
        trouble.ending
    }
}

/// The common members, and behind them those of an object.
pub fn enveloped(command: &str, ending: ExitStatus, members: Value) -> Value {
    let mut document = json!({"command": command, "ending": ending.name(), "exit_code": ending.code()});
    if let (Value::Object(document), Value::Object(members)) = (&mut document, members) {
        document.extend(members);
    }
    document
}

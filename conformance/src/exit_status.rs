//! How the program ends, in the exit codes that `otherwise` has as well.

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    Success,
    /// A MUST of the draft fails.
    Findings,
    /// It was asked wrongly, or for what cannot be examined.
    Usage,
    /// The server does not answer.
    Fault,
}

impl ExitStatus {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Its name in a document: `otherwise` has the same four.
    pub fn name(self) -> &'static str {
        match self {
            ExitStatus::Success => "well",
            ExitStatus::Findings => "findings",
            ExitStatus::Usage => "usage",
            ExitStatus::Fault => "fault",
        }
    }
}

/// Why there is nothing, or little, to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub status: ExitStatus,
    pub why: String,
}

/// A failure that the caller can mend.
pub fn usage(why: impl Into<String>) -> Failure {
    let (status, why) = (ExitStatus::Usage, why.into());
    Failure { status, why }
}

/// A failure that the caller cannot mend.
pub fn fault(why: impl Into<String>) -> Failure {
    let (status, why) = (ExitStatus::Fault, why.into());
    Failure { status, why }
}

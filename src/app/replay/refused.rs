//! Lines of a stream that were refused: all are counted, the first are told with the reason.

use std::fmt;

use serde::Serialize;

use schema::exchange::verdict::Verdict;

/// Refused lines that are told of.
const TOLD_MAX: usize = 10;

/// A line that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// 1-based, as an editor shows it.
    pub line: usize,
    pub why: String,
}

/// The refused lines of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    pub count: usize,
    /// The first of them, in order.
    pub told: Vec<Refusal>,
}

impl Refused {
    /// The line of a 0-based number was refused.
    pub fn note(&mut self, line: usize, why: impl FnOnce() -> String) {
        self.count += 1;
        if self.told.len() < TOLD_MAX {
            self.told.push(Refusal {
                line: line + 1,
                why: why(),
            });
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let were = if self.count == 1 { "was" } else { "were" };
        write!(f, "{} of the stream's lines {were} refused:", self.count)?;
        for Refusal { line, why } in &self.told {
            write!(f, "\n  line {line}: {why}")?;
        }
        match self.count - self.told.len() {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// Why a payload does not fit, by the first of its violations.
pub fn why(verdict: &Verdict) -> String {
    let Some(first) = verdict.violations.first() else {
        return String::new();
    };
    let more = match verdict.violations.len() - 1 {
        0 => String::new(),
        1 => ", and one violation more".to_owned(),
        more => format!(", and {more} violations more"),
    };
    format!("{}: {}{more}", first.pointer, first.message)
}

#[cfg(test)]
mod tests {
    use super::Refused;

    #[test]
    fn the_first_ten_are_told_and_all_are_counted() {
        let mut refused = Refused::default();
        for line in 0..10 {
            refused.note(2 * line, || format!("reason {line}"));
        }
        let said = refused.to_string();
        assert!(
            said.starts_with("10 of the stream's lines were refused:\n  line 1: reason 0\n"),
            "{said}"
        );
        assert!(said.ends_with("\n  line 19: reason 9"), "{said}");
        for line in 20..22 {
            refused.note(line, || "unsaid".to_owned());
        }
        let said = refused.to_string();
        assert!(
            said.starts_with("12 of") && said.ends_with("reason 9\n  and 2 more"),
            "{said}"
        );
    }
}

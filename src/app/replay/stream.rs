//! A stream of submissions: its lines, why a text is none, which lines were refused, and which run backwards in time.
//!
//! Knows no state. Invariant: a fault names one place, the line of the stream and the column in it, and no other number of a line.

use std::fmt;

use serde::Deserialize;
use serde::Serialize;
use serde_json::value::RawValue;

use schema::exchange::verdict::Verdict;
use schema::json_text;
use schema::time::At;
use schema::time::SUPPORTED;
use text::secrets;
use text::secrets::words::scrubbed_words;

/// One line of a stream.
#[derive(Debug, Deserialize)]
pub struct Line<'a> {
    pub at: &'a str,
    pub client: String,
    pub schema_id: String,
    #[serde(borrow)]
    pub payload: &'a RawValue,
    #[serde(default)]
    pub utterance: Option<String>,
}

impl Line<'_> {
    /// Bytes of the body in which the service would be sent this line.
    pub fn body_bytes(&self) -> u64 {
        let quoted = |text: &str| serde_json::to_string(text).map_or(0, |text| text.len());
        let utterance = self.utterance.as_deref();
        let bytes = r#"{"schema_id":,"payload":}"#.len()
            + quoted(&self.schema_id)
            + self.payload.get().len()
            + utterance.map_or(0, |text| r#","utterance":"#.len() + quoted(text));
        bytes as u64
    }

    /// The payload without its secrets, as the service keeps it and learns from it (X-02); `None` where it holds none.
    pub fn scrubbed_payload(&self, declares: &dyn Fn(&str) -> bool) -> Option<Box<RawValue>> {
        let scrubbed = secrets::scrubbed_beside(self.payload.get(), None, declares)?;
        RawValue::from_string(scrubbed.text).ok()
    }

    /// The utterance without its secrets; `None` where it holds none.
    pub fn scrubbed_utterance(&self) -> Option<String> {
        scrubbed_words(self.utterance.as_deref()?)
    }
}

/// A line that cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// 1-based.
    pub line: usize,
    /// 1-based, in bytes; where a reader of JSON stopped.
    pub column: Option<usize>,
    pub what: String,
}

impl std::error::Error for BadLine {}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl BadLine {
    /// What is wrong with the line of a 0-based number as a whole.
    pub fn whole(number: usize, what: impl Into<String>) -> BadLine {
        BadLine {
            line: number + 1,
            column: None,
            what: what.into(),
        }
    }

    /// Where the text of the line of a 0-based number is not what it is read as.
    pub fn within(number: usize, text: &str, error: &serde_json::Error) -> BadLine {
        let (what, column) = json_text::apart(text, error);
        BadLine {
            line: number + 1,
            column,
            what,
        }
    }
}

/// Reads the line of a 0-based number.
///
/// # Errors
/// Where it is none, and why.
pub fn parse(text: &str, number: usize) -> Result<(Line<'_>, At), BadLine> {
    let line: Line<'_> = serde_json::from_str(text).map_err(|error| BadLine::within(number, text, &error))?;
    let at = At::parse(line.at).ok_or_else(|| {
        let what = if At::is_beyond(line.at) {
            format!("`at` must be {SUPPORTED}")
        } else {
            "`at` is no RFC 3339 moment, such as 2026-05-01T09:00:00Z".to_owned()
        };
        BadLine::whole(number, what)
    })?;
    Ok((line, at))
}

/// The lines of a stream that hold anything, by their 0-based numbers.
pub fn told<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    let lines = lines.iter().enumerate().map(|(number, text)| (number, *text));
    lines.filter(|(_, text)| !text.trim().is_empty())
}

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

/// Lines whose moment lies before that of a line above them. They are taken at the latest moment reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backwards {
    pub lines: usize,
    /// 1-based number of the first.
    pub first: usize,
}

impl std::fmt::Display for Backwards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Backwards { lines, first } = self;
        write!(
            f,
            "time runs backwards in {lines} of the stream's lines, first in line {first}: each is taken at the latest \
             moment before it; sort the stream by `at` for what really happened"
        )
    }
}

impl Backwards {
    /// Counts a line, by its 0-based number, if its moment lies `before` that of a line above it.
    pub fn note(counted: &mut Option<Backwards>, number: usize, before: bool) {
        if before {
            let first = number + 1;
            counted.get_or_insert(Backwards { lines: 0, first }).lines += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Refused;
    use super::parse;
    use super::told;

    fn fault(text: &str) -> String {
        parse(text, 6).expect_err("no line").to_string()
    }

    #[test]
    fn a_fault_names_the_line_of_the_stream_and_the_column_once() {
        assert_eq!(fault("{not json"), "line 7, column 2: key must be a string");
        assert_eq!(
            fault("\u{FEFF}{}"),
            "line 7, column 1: it begins with a byte order mark (U+FEFF); save it as UTF-8 without one"
        );
        let missing = fault(r#"{"at": "2026-05-01T09:00:00Z", "client": "a", "payload": {}}"#);
        assert!(
            missing.starts_with("line 7, column 60: missing field `schema_id`"),
            "{missing}"
        );
        assert_eq!(missing.matches("line").count(), 1, "{missing}");
        let late = fault(r#"{"at": "soon", "client": "a", "schema_id": "s", "payload": {}}"#);
        assert!(late.starts_with("line 7: `at` is no RFC 3339 moment"), "{late}");
        let beyond = fault(r#"{"at": "9999-12-31T23:59:59Z", "client": "a", "schema_id": "s", "payload": {}}"#);
        assert_eq!(
            beyond,
            "line 7: `at` must be a moment from 0000-01-01T00:00:00Z to 9999-12-30T22:00:00Z"
        );
    }

    #[test]
    fn a_line_is_as_long_as_the_body_that_would_bring_it() {
        for body in [
            r#"{"schema_id":"s","payload":{"other":"\u00fc"}}"#,
            r#"{"schema_id":"s","payload":{ "a": 1 },"utterance":"a \"window\" seat"}"#,
        ] {
            let line = format!(r#"{{"at":"2026-05-01T09:00:00Z","client":"a",{}"#, &body[1..]);
            let (line, _) = parse(&line, 0).expect("a line");
            assert_eq!(line.body_bytes(), body.len() as u64);
        }
    }

    #[test]
    fn blank_lines_are_passed_over_and_counted() {
        let lines = ["", "a", " \t", "b"];
        assert_eq!(told(&lines).collect::<Vec<_>>(), [(1, "a"), (3, "b")]);
    }

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

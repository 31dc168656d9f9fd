//! One line of a stream, and why a text is none.
//!
//! Knows no template and no state. Invariant: a fault names one place, the line of the stream and the column in it, and no other
//! number of a line.

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use schema::json_text;
use schema::time::At;
use schema::time::SUPPORTED;

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

#[cfg(test)]
mod tests {
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
}

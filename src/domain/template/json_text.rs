//! Texts that are to be JSON, and why one is not, in words that somebody can act on.
//!
//! Knows no template.

use serde_json::Value;

/// What some editors put before a text: no part of JSON (RFC 8259 §8.1).
const BYTE_ORDER_MARK: char = '\u{FEFF}';

const MARKED: &str = "it begins with a byte order mark (U+FEFF); save it as UTF-8 without one";

/// Reads a text.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| why(text, &error))
}

/// Why a text is no JSON.
pub fn why(text: &str, error: &serde_json::Error) -> String {
    if text.starts_with(BYTE_ORDER_MARK) {
        MARKED.to_owned()
    } else {
        error.to_string()
    }
}

/// The same without the place that the parser adds, and the column of that place: for a text that is one line of a longer one, whose
/// own number says more.
pub fn apart(text: &str, error: &serde_json::Error) -> (String, Option<usize>) {
    if text.starts_with(BYTE_ORDER_MARK) {
        return (MARKED.to_owned(), Some(1));
    }
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match said.strip_suffix(&place) {
        Some(what) => (what.to_owned(), Some(error.column())),
        None => (said, None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn a_byte_order_mark_is_named_z028() {
        assert_eq!(read("{}"), Ok(json!({})));
        assert!(read("\u{FEFF}{}").is_err_and(|why| why.contains("byte order mark")));
        assert!(read("{").is_err_and(|why| why.contains("line 1")));
    }
}

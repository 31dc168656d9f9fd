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
    let column = (error.line() > 0).then(|| error.column());
    (unplaced(&said).to_owned(), column)
}

/// What a parser said without the place that it adds.
pub fn unplaced(said: &str) -> &str {
    said.rsplit_once(" at line ").map_or(said, |(what, _)| what)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::MARKED;
    use super::apart;
    use super::read;
    use super::unplaced;

    #[test]
    fn a_byte_order_mark_is_named_z028() {
        assert_eq!(read("{}"), Ok(json!({})));
        assert!(read("\u{FEFF}{}").is_err_and(|why| why.contains("byte order mark")));
        assert!(read("{").is_err_and(|why| why.contains("line 1")));
    }

    #[test]
    fn a_fault_and_its_place_are_told_apart() {
        let told = |text: &str| apart(text, &serde_json::from_str::<bool>(text).expect_err("no bool"));
        assert_eq!(told("x"), ("expected value".to_owned(), Some(1)));
        assert_eq!(
            told(r#""at line 3""#).0,
            r#"invalid type: string "at line 3", expected a boolean"#
        );
        assert_eq!(told("\u{FEFF}true"), (MARKED.to_owned(), Some(1)));
        assert_eq!(unplaced("nothing of the kind"), "nothing of the kind");
    }
}

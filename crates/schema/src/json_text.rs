//! Texts that are to be JSON: how deep they may nest, and why one is none, in words that somebody can act on.
//!
//! Knows no template. Every text that comes from outside passes [`check_depth`] before anything else reads it: the body of a request,
//! whatever it carries, the answer of an executor or a model, a file, a line. Invariant: the check holds nothing for a bracket.

use serde_json::Value;

/// Levels of objects and arrays in one text. The parser itself stops at 128 within each value that it builds; forms, tool calls and
/// envelopes in use nest 10 to 20 deep.
pub const DEPTH_MAX: usize = 128;

/// A text nests deeper than [`DEPTH_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text nests more than {DEPTH_MAX} levels deep, at byte {at}")]
pub struct TooDeep {
    /// Where the bracket stands that is one too many.
    pub at: usize,
}

/// Refuses a text that nests too deep, in one pass that counts brackets outside of strings. What is no JSON is for its reader to
/// refuse.
///
/// # Errors
/// [`TooDeep`].
pub fn check_depth(text: &[u8]) -> Result<(), TooDeep> {
    let mut depth = 0_usize;
    let mut bytes = text.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'[' | b'{' if depth == DEPTH_MAX => return Err(TooDeep { at }),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    Ok(())
}

/// Goes on behind the closing quote.
fn skip_string<'t>(bytes: &mut impl Iterator<Item = (usize, &'t u8)>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

/// What some editors put before a text: no part of JSON (RFC 8259 §8.1).
const BYTE_ORDER_MARK: char = '\u{FEFF}';

const MARKED: &str = "it begins with a byte order mark (U+FEFF); save it as UTF-8 without one";

/// Reads a text that comes from outside.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<Value, String> {
    check_depth(text.as_bytes()).map_err(|deep| deep.to_string())?;
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

    use super::DEPTH_MAX;
    use super::MARKED;
    use super::TooDeep;
    use super::apart;
    use super::check_depth;
    use super::read;
    use super::unplaced;

    #[test]
    fn brackets_are_counted_up_to_the_limit_and_not_those_of_strings() {
        // In a string, brackets are none and a quote behind a backslash ends nothing.
        let named = "{\"\\\"[[\": ";
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), (named, "}")] {
            let text = |times: usize| format!("{}1{}", open.repeat(times), close.repeat(times));
            assert_eq!(check_depth(text(DEPTH_MAX).as_bytes()), Ok(()), "{open}");
            assert!(check_depth(text(DEPTH_MAX + 1).as_bytes()).is_err(), "{open}");
            assert!(check_depth(open.repeat(1 << 20).as_bytes()).is_err(), "{open}");
        }
        let brackets = "[".repeat(DEPTH_MAX + 1);
        assert_eq!(check_depth(brackets.as_bytes()), Err(TooDeep { at: DEPTH_MAX }));
        assert_eq!(check_depth(format!("[\"\\\\\\\"{brackets}\"]").as_bytes()), Ok(()));
        assert_eq!(check_depth("[],".repeat(1_000).as_bytes()), Ok(()), "side by side");
        for broken in ["]]]]", "\"", "\"\\", ""] {
            assert_eq!(check_depth(broken.as_bytes()), Ok(()), "{broken}");
        }
        assert!(read(&brackets).is_err_and(|why| why.contains("more than 128 levels")));
    }

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

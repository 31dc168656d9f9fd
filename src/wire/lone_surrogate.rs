//! Half a character in JSON text: an escape of a surrogate (`\ud800`) without its other half, which no text can hold (RFC 8259 §8.2).
//!
//! Looked for before anything is read, since readers of single members only say that one of them is no string. Invariant: what is
//! said names the place, and nothing of what stands there.

use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Bytes of an escape such as `\ud800`.
const ESCAPE: usize = 6;

/// Refuses JSON text that holds one.
///
/// # Errors
/// `bad_request` with the byte at which the first one stands.
pub fn refused(json: &str) -> Result<(), Problem> {
    let Some(at) = found(json) else { return Ok(()) };
    let what = format!(
        "half a character stands at byte {at}: an escape from \\ud800 to \\udfff (a surrogate) has another one as its other half, or \
         send the character itself"
    );
    Err(Problem::new(Code::BadRequest, what))
}

/// Where the first one stands.
fn found(json: &str) -> Option<usize> {
    let unit = |at: usize| {
        let digits = json.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    while let Some(next) = json.get(at..).and_then(|rest| rest.find('\\')) {
        at += next;
        at += match (unit(at), unit(at + ESCAPE)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * ESCAPE,
            (Some(0xd800..=0xdfff), _) => return Some(at),
            // Another escape: of one letter, or of a whole character, whose digits are no backslash.
            _ => 2,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::found;
    use super::refused;

    #[test]
    fn half_a_character_is_found_where_it_stands_z019() {
        for (json, place) in [
            (r#"{"a":"\ud800"}"#, Some(6)),
            (r#"{"a":"\uD83D\uDE00 \uDE00"}"#, Some(19)),
            (r#"["\ud83dx\ude00"]"#, Some(2)),
            (r#"["\ud83d\ud83d\ude00"]"#, Some(2)),
            (r#"["\ud83d\u0041"]"#, Some(2)),
            (r#"["\\ud800"]"#, None),
            (r#"["\\\ud800"]"#, Some(4)),
            (r#"["\ud83d\ude00\n\u00e9"]"#, None),
            (r#"["\ud8"#, None),
            (r#"["\"#, None),
            ("", None),
        ] {
            assert_eq!(found(json), place, "{json}");
        }
        let problem = refused(r#"{"a":"\ud800 secret"}"#).expect_err("half a character");
        assert!(
            problem.detail.contains("byte 6") && !problem.detail.contains("secret"),
            "{}",
            problem.detail
        );
    }
}

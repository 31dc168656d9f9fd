//! What is wrong with a context, in the shape that every violation of a payload has.
//!
//! Invariant: names the place and what would be right, never the value that stands there.

use serde_json::Map;

use schema::exchange::violation::Violation;
use schema::exchange::violation::ViolationCode;
use schema::time::At;

/// A violation of a member of a context, or with no member of the whole; `below` is a JSON pointer from the member on, such as `/0/itemId`.
pub fn wrong(context: &str, member: &str, below: &str, code: ViolationCode, message: impl Into<String>) -> Violation {
    let (key, pointer) = if member.is_empty() {
        (context, format!("/{context}"))
    } else {
        (member, format!("/{context}/{}{below}", escaped(member)))
    };
    Violation {
        key: key.to_owned(),
        pointer,
        code,
        message: message.into(),
        expected: Map::new(),
        received_type: None,
        nearest_key: None,
        repair: None,
    }
}

/// What is wrong with a time, if anything is: it is RFC 3339.
pub fn no_time(context: &str, member: &str, text: &Option<String>) -> Option<Violation> {
    let text = text.as_deref()?;
    let message = "a time as RFC 3339 such as 2026-05-04T08:00:00Z, or blank";
    At::parse(text)
        .is_none()
        .then(|| wrong(context, member, "", ViolationCode::BadFormat, message))
}

/// A member's name as a segment of a JSON pointer (RFC 6901).
pub fn escaped(member: &str) -> String {
    member.replace('~', "~0").replace('/', "~1")
}

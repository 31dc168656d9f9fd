//! The body of a hand: nothing, or `{"reason": "…"}`.

use serde_json::Value;

use crate::edge::http::body::Body;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;

/// Why a person does something, where they say so.
///
/// # Errors
/// 400 when the body holds anything else.
pub fn reason(body: &Body) -> Result<Option<String>, Problem> {
    let Body(text) = body;
    let wrong = || Problem::new(Code::BadRequest, r#"the body must be empty or {"reason": "text"}"#);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let Ok(Value::Object(mut members)) = serde_json::from_str(text) else {
        return Err(wrong());
    };
    let said = members.shift_remove("reason");
    match said {
        None | Some(Value::Null) if members.is_empty() => Ok(None),
        Some(Value::String(said)) if members.is_empty() => Ok(Some(said)),
        Some(_) | None => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::reason;
    use crate::edge::http::body::Body;

    #[test]
    fn a_reason_may_be_given_and_nothing_else() {
        for (body, said) in [
            ("", Some(None)),
            (" \n", Some(None)),
            ("{}", Some(None)),
            (r#"{"reason": null}"#, Some(None)),
            (r#"{"reason": "it was time"}"#, Some(Some("it was time".to_owned()))),
            (r#"{"reason": 7}"#, None),
            (r#"{"raeson": "x"}"#, None),
            (r#"{"reason": "x", "more": 1}"#, None),
            ("[]", None),
            ("{", None),
        ] {
            assert_eq!(reason(&Body(body.to_owned())).ok(), said, "{body}");
        }
    }
}

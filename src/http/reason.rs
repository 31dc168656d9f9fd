//! The body of a hand: nothing, or `{"reason": "…"}` and what else the hand takes.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::Value;

use crate::http::body::Body;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use engine::evolution::operator_action::Scope;

/// What is said of an approval.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approving {
    /// What is approved instead of what was proposed.
    pub edit: Option<Value>,
    pub reason: Option<String>,
}

/// What is said of a rejection.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejecting {
    /// What it is about.
    #[serde(default)]
    pub scope: Scope,
    pub reason: Option<String>,
}

/// What is said of any other hand.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    reason: Option<String>,
}

/// Why a person does something, where they say so.
///
/// # Errors
/// 400 when the body holds anything else.
pub fn reason(body: &Body) -> Result<Option<String>, Problem> {
    said::<Said>(body, r#"{"reason": "text"}"#).map(|said| said.reason)
}

/// What a person approves, and why.
///
/// # Errors
/// 400 when the body holds anything else.
pub fn approving(body: &Body) -> Result<Approving, Problem> {
    said(body, r#"{"edit": {…}, "reason": "text"}"#)
}

/// What a person rejects, and why.
///
/// # Errors
/// 400 when the body holds anything else.
pub fn rejecting(body: &Body) -> Result<Rejecting, Problem> {
    said(body, r#"{"scope": "demand" | "key", "reason": "text"}"#)
}

fn said<T: DeserializeOwned + Default>(body: &Body, form: &str) -> Result<T, Problem> {
    let Body(text) = body;
    if text.trim().is_empty() {
        return Ok(T::default());
    }
    // A list would be read as members in their order.
    let members: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    members
        .and_then(|members| serde_json::from_value(Value::Object(members)).ok())
        .ok_or_else(|| Problem::new(Code::BadRequest, format!("the body must be empty or {form}")))
}

#[cfg(test)]
mod tests {
    use super::approving;
    use super::reason;
    use super::rejecting;
    use crate::http::body::Body;
    use engine::evolution::operator_action::Scope;

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

    #[test]
    fn an_approval_may_edit_and_a_rejection_says_what_it_is_about() {
        let body = |text: &str| Body(text.to_owned());
        let edited = approving(&body(r#"{"edit": {"key_name": "seat"}, "reason": "x"}"#)).expect("a body");
        assert_eq!(edited.edit.expect("an edit")["key_name"], "seat");
        assert!(approving(&body(r#"{"scope": "key"}"#)).is_err());
        for (text, scope) in [
            ("", Some(Scope::Demand)),
            (r#"{"reason": "x"}"#, Some(Scope::Demand)),
            (r#"{"scope": "key"}"#, Some(Scope::Key)),
            (r#"{"scope": "wish"}"#, None),
            (r#"{"edit": {}}"#, None),
        ] {
            let said = rejecting(&body(text)).ok().map(|said| said.scope);
            assert_eq!(said, scope, "{text}");
        }
    }
}

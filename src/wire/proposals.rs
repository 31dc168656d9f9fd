//! A reader's answer as it comes, over whichever transport: `{"wishes", "held", "nothing", "by"?, "digest"?, "tokens"?}`.

use serde_json::Map;
use serde_json::Value;

use crate::app::pool_review::Told;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Reads it; what stands in the answer itself is read by the service.
///
/// # Errors
/// What has the wrong form.
pub fn told(text: &str) -> Result<Told, Problem> {
    let bad = |what: &str| Problem::new(Code::BadRequest, what);
    let read: Result<Value, _> = serde_json::from_str(text);
    let Ok(Value::Object(mut members)) = read else {
        return Err(bad(
            r#"the body must be {"wishes": […], "held": […], "nothing": […], "by"?, "digest"?, "tokens"?}"#,
        ));
    };
    let tokens = match members.shift_remove("tokens") {
        None | Some(Value::Null) => None,
        Some(tokens) => Some(tokens.as_u64().ok_or_else(|| bad("tokens must be a whole number"))?),
    };
    Ok(Told {
        by: text_of(&mut members, "by")?,
        digest: text_of(&mut members, "digest")?,
        tokens,
        answer: Value::Object(members),
    })
}

fn text_of(members: &mut Map<String, Value>, name: &str) -> Result<Option<String>, Problem> {
    match members.shift_remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Problem::new(Code::BadRequest, format!("{name} must be a text"))),
    }
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn what_stands_beside_an_answer_is_taken_off_it() {
        let read = told(r#"{"wishes": [], "by": "ada", "tokens": 7}"#).expect("an answer");
        assert_eq!(
            (read.by.as_deref(), read.tokens, read.digest),
            (Some("ada"), Some(7), None)
        );
        assert_eq!(read.answer, serde_json::json!({"wishes": []}));
        for wrong in ["[]", r#"{"by": 1}"#, r#"{"tokens": -1}"#] {
            assert!(told(wrong).is_err(), "{wrong}");
        }
    }
}

//! The audit queue: what waits for a person, one value, a person's verdict, and what that says of the judges.

use actix_web::web::Path;
use serde_json::Value;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;
use crate::service::audits::Asked;
use crate::service::audits::Said;
use engine::evolution::audit::Verdict;

/// `GET /v1/audits?scenario=&limit=&after=`
pub async fn audits(call: Call) -> Answer {
    let query = call.query(&["scenario", "limit", "after"])?;
    let asked = Asked {
        scenario: query.text("scenario"),
        limit: query.number("limit")?,
        after: query.text("after"),
    };
    Ok(answer::document(&call.service()?.audits(&call.caller, asked).await?))
}

/// `GET /v1/audits:summary?scenario=`
pub async fn summary(call: Call) -> Answer {
    let query = call.query(&["scenario"])?;
    let told = call.service()?.audits_summary(&call.caller, query.text("scenario"))?;
    Ok(answer::document(&told))
}

/// `GET /v1/audits/{audit_id}`
pub async fn audit(call: Call, audit_id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.audit(&call.caller, &audit_id).await?))
}

/// `POST /v1/audits/{audit_id}`
pub async fn answer(call: Call, audit_id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    // Who may not audit is told that first.
    service.may_audit(&call.caller)?;
    let answered = service.answer_audit(&call.caller, &audit_id, said(&body)?).await?;
    Ok(answer::document(&answered))
}

/// Reads `{"verdict", "reason"?}`.
fn said(body: &Body) -> Result<Said, Problem> {
    let wrong = || {
        Problem::new(
            Code::BadRequest,
            r#"the body must be {"verdict": "aligned" | "not_aligned" | "cannot_tell", "reason"?: "text"}"#,
        )
    };
    let Body(text) = body;
    let Ok(Value::Object(mut members)) = serde_json::from_str(text) else {
        return Err(wrong());
    };
    let verdict = members.shift_remove("verdict");
    let verdict = verdict.as_ref().and_then(Value::as_str).ok_or_else(wrong)?;
    let verdict = Verdict::ALL
        .into_iter()
        .find(|known| known.name() == verdict)
        .ok_or_else(wrong)?;
    let reason = match members.shift_remove("reason") {
        None | Some(Value::Null) => None,
        Some(Value::String(reason)) => Some(reason),
        Some(_) => return Err(wrong()),
    };
    if members.is_empty() {
        Ok(Said { verdict, reason })
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::said;
    use crate::edge::http::body::Body;
    use engine::evolution::audit::Verdict;

    #[test]
    fn a_verdict_is_one_of_three_words_and_may_have_a_reason_z137() {
        for (body, read) in [
            (r#"{"verdict": "aligned"}"#, Some((Verdict::Aligned, None))),
            (
                r#"{"verdict": "not_aligned", "reason": null}"#,
                Some((Verdict::NotAligned, None)),
            ),
            (
                r#"{"verdict": "cannot_tell", "reason": "x"}"#,
                Some((Verdict::CannotTell, Some("x"))),
            ),
            (r#"{"verdict": "wrong"}"#, None),
            (r#"{"verdict": true}"#, None),
            (r#"{"verdict": "aligned", "reason": 7}"#, None),
            (r#"{"verdict": "aligned", "more": 7}"#, None),
            ("{}", None),
            ("", None),
            ("[]", None),
        ] {
            let found = said(&Body(body.to_owned())).ok();
            let found = found.as_ref().map(|said| (said.verdict, said.reason.as_deref()));
            assert_eq!(found, read, "{body}");
        }
    }
}

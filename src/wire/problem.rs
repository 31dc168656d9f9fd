//! The problem document (RFC 9457) of a failure, without a transport.
//!
//! Invariant: what is said to the caller never holds the inside message of a fault, no value of a payload, and nothing that looks like a
//! secret.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::error::Failure;
use crate::app::error::ServiceError;
use crate::app::ports::ExecutorFault;
use crate::app::reply::say_replayed;
use crate::wire::codes::Code;
use context::session::refusal::SessionRefusal;
use engine::scenario::submission::Ending;
use text::secrets::words::scrubbed_words;

/// A failure, ready to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub code: Code,
    /// What happened this time, in a sentence.
    pub detail: String,
    /// Members beside the standard ones (`violations`, `defects`, `exchange`).
    pub members: Vec<(&'static str, Value)>,
    /// For the log alone.
    pub inside: Option<Box<str>>,
    /// Seconds after which another try makes sense.
    pub retry_after_s: Option<u64>,
    /// `Allow` of a 405, such as `GET, HEAD`.
    pub allow: Option<Box<str>>,
    /// `WWW-Authenticate` of a 401.
    pub challenge: Option<&'static str>,
    /// Whether this is the stored refusal of an earlier call with the same idempotency key.
    pub replayed: bool,
}

impl Problem {
    /// A problem that says one thing.
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        let retry_after_s = match code {
            Code::IdempotencyInFlight => Some(1),
            // A person opens it again, or makes room.
            Code::ReadOnly => Some(30),
            Code::DiskFull => Some(10),
            // Somebody starts the service again.
            Code::StoreStalled => Some(30),
            // What makes room is somebody's doing as a rule, which the detail says, and no matter of waiting.
            Code::LimitReached => None,
            other => match other.row().status {
                503 => Some(1),
                429 => Some(60),
                _ => None,
            },
        };
        let challenge = matches!(code, Code::Unauthenticated).then_some(r#"Bearer realm="otherwise""#);
        Problem {
            code,
            detail: detail.into(),
            members: Vec::new(),
            inside: None,
            retry_after_s,
            allow: None,
            challenge,
            replayed: false,
        }
    }

    /// The same, of which the log has been told what broke inside.
    #[must_use]
    pub fn logged(self) -> Problem {
        if let Some(inside) = self.inside.as_deref() {
            tracing::error!(inside, "fault in a call");
        }
        self
    }

    /// `{"type", "title", "status", "detail", "code", …}`; `type` is relative to the service's own address.
    pub fn document(&self) -> Value {
        let row = self.code.row();
        let mut document = Map::new();
        document.insert("type".to_owned(), json!(format!("/problems/{}", row.code)));
        document.insert("title".to_owned(), json!(row.title));
        document.insert("status".to_owned(), json!(row.status));
        document.insert("detail".to_owned(), json!(self.detail));
        document.insert("code".to_owned(), json!(row.code));
        for (name, value) in &self.members {
            document.insert((*name).to_owned(), value.clone());
        }
        Value::Object(document)
    }

    /// The document for who gets no headers: with `retry_after_s` where another try makes sense, and whether it is a stored one.
    pub fn told(&self) -> Value {
        let mut document = self.document();
        if self.replayed {
            say_replayed(&mut document);
        }
        if let (Some(seconds), Some(members)) = (self.retry_after_s, document.as_object_mut()) {
            members.insert("retry_after_s".to_owned(), Value::from(seconds));
        }
        document
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Problem {
        let said = error.to_string();
        // What was not found is said by the name that was asked for, and people paste keys into addresses (X-02).
        let said = scrubbed_words(&said).unwrap_or(said);
        let retry = match &error {
            ServiceError::Busy { retry_after_s }
            | ServiceError::LimitReachedFor { retry_after_s, .. }
            | ServiceError::NotExecuted {
                failure: Failure::Fault(ExecutorFault::Paused { retry_after_s }),
                ..
            } => Some((*retry_after_s).max(1)),
            _ => None,
        };
        let inside = match &error {
            ServiceError::Fault(inside) => Some(inside.as_str().into()),
            _ => None,
        };
        let replayed = matches!(&error, ServiceError::InvalidPayload(refused) if refused.replayed);
        let code = code(&error);
        let problem = Problem::new(code, said);
        Problem {
            members: members(error),
            inside,
            replayed,
            retry_after_s: retry.or(problem.retry_after_s),
            ..problem
        }
    }
}

/// What an error is called: by its own name, or by that of what is within.
fn code(error: &ServiceError) -> Code {
    match error {
        ServiceError::NotExecuted { failure, .. } => match failure.ending() {
            Ending::Refused => Code::ExecutorRefused,
            Ending::BadResult => Code::BadResult,
            Ending::NotAllowed => Code::ExecutorNotAllowed,
            Ending::Busy => Code::ExecutorBusy,
            Ending::Paused => Code::ExecutorPaused,
            Ending::TimedOut => Code::ExecutorTimeout,
            Ending::Answered | Ending::Failed | Ending::Abandoned => Code::ExecutorFailed,
        },
        ServiceError::Context(refusal) => Code::named(&refusal.code().to_ascii_lowercase()).unwrap_or(Code::Fault),
        error => Code::named(error.into()).unwrap_or(Code::Fault),
    }
}

/// The members that say more of an error.
fn members(error: ServiceError) -> Vec<(&'static str, Value)> {
    match error {
        ServiceError::InvalidPayload(refused) => {
            vec![("violations", refused.violations), ("exchange", refused.exchange)]
        }
        ServiceError::NotExecuted { failure, exchange, .. } => {
            let why = match failure {
                Failure::BadResult(misfits) => Some(("misfits", json!(misfits))),
                Failure::Fault(ExecutorFault::Status(status)) => Some(("executor_status", json!(status))),
                Failure::Fault(_) | Failure::Abandoned => None,
            };
            why.into_iter().chain([("exchange", json!(exchange))]).collect()
        }
        ServiceError::Context(refusal) => {
            // The document's own spelling, for agents that go by it (S-056).
            let error = json!({"code": refusal.code(), "message": refusal.to_string()});
            let mut members = vec![("error", error)];
            if let SessionRefusal::VersionConflict { found, incarnation } = &refusal {
                members.push(("current_version", json!(found)));
                members.push(("current_incarnation", json!(incarnation)));
            }
            members
        }
        ServiceError::InvalidTemplate(defects) | ServiceError::UnfitKey(defects) => vec![("defects", json!(defects))],
        ServiceError::Incompatible { objections, .. } | ServiceError::NotProved { objections, .. } => {
            vec![("compatibility", json!(objections))]
        }
        ServiceError::PatchMoved { revision } => vec![("current_revision", json!(revision))],
        ServiceError::InvalidMessage(faults) => vec![("fields", json!(faults))],
        ServiceError::UnsupportedMedia(fault) => vec![("fields", json!([fault]))],
        ServiceError::NothingTaken(parts) => vec![("parts", json!(parts))],
        ServiceError::InvalidContext(violations) => vec![("violations", json!(violations))],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::json;
    use strum::VariantNames;

    use super::Code;
    use super::Problem;
    use super::SessionRefusal;
    use crate::api::submissions::Exchange;
    use crate::api::submissions::ExchangeStatus;
    use crate::api::submissions::SchemaStatus;
    use crate::app::error::RefusedPayload;
    use crate::app::error::ServiceError;
    use schema::exchange::verdict::Violation;
    use schema::exchange::verdict::ViolationCode;

    #[test]
    fn a_refused_payload_names_every_violation_and_its_exchange_z019_z181() {
        let exchange = Exchange {
            submission_id: Some("s1".to_owned()),
            warnings: Some(Vec::new()),
            ..Exchange::new("trip_v1", 17, ExchangeStatus::Refused)
        };
        let refused = |replayed| RefusedPayload {
            exchange: json!(exchange),
            violations: json!([Violation {
                key: "origin".to_owned(),
                pointer: "/payload/origin".to_owned(),
                code: ViolationCode::MissingRequired,
                message: "origin is required".to_owned(),
                expected: Map::new(),
                received_type: None,
                nearest_key: None,
                repair: None,
            }]),
            replayed,
            schema: SchemaStatus::default(),
        };
        let problem = |replayed| Problem::from(ServiceError::InvalidPayload(Box::new(refused(replayed))));
        assert_eq!(problem(true).told()["exchange"]["replayed"], true);
        assert_eq!(problem(false).told(), problem(false).document());
        assert_eq!(
            problem(true).document(),
            json!({
                "type": "/problems/invalid_payload",
                "title": "Payload does not fit the template",
                "status": 422,
                "detail": "the payload does not fit the template",
                "code": "invalid_payload",
                "violations": [{"key": "origin", "pointer": "/payload/origin", "code": "missing_required",
                                "message": "origin is required"}],
                "exchange": {"submission_id": "s1", "schema_id": "trip_v1", "revision": 17, "status": "refused",
                             "warnings": []},
            })
        );
    }

    #[test]
    fn every_error_and_every_refusal_of_a_session_bears_the_name_of_a_code_z181() {
        let named = |name: &str| Code::named(name).is_some();
        let by_another = ["not_executed", "context"];
        for name in ServiceError::VARIANTS {
            assert_eq!(named(name), !by_another.contains(name), "{name}");
        }
        for name in SessionRefusal::VARIANTS {
            assert!(named(&name.to_ascii_lowercase()), "{name}");
        }
    }

    #[test]
    fn what_is_not_found_is_not_repeated_where_it_looks_like_a_secret_and_faults_stay_inside_x02() {
        let key = || "sk-live-abcdefgh1234".to_owned();
        for (error, wanted) in [
            (ServiceError::UnknownScenario(key()), "there is no scenario [redacted]"),
            (ServiceError::UnknownSchema(key()), "there is no schema [redacted]"),
            (
                ServiceError::UnknownPatch("token=abc1".to_owned()),
                "there is no patch token=[redacted]",
            ),
            (
                ServiceError::UnknownAgent(format!("{}/x", key())),
                "no agent [redacted] has registered what it offers",
            ),
            (
                ServiceError::UnknownScenario("book_trip".to_owned()),
                "there is no scenario book_trip",
            ),
        ] {
            assert_eq!(Problem::from(error).detail, wanted);
        }
        let problem = Problem::from(ServiceError::Fault("sled: /secret/path".to_owned()));
        assert_eq!(problem.inside.as_deref(), Some("sled: /secret/path"));
        assert!(!problem.document().to_string().contains("secret"));
    }

    #[test]
    fn busy_says_when_to_come_back() {
        let for_a_while = ServiceError::LimitReachedFor {
            what: "x".to_owned(),
            retry_after_s: 7,
        };
        for (error, retry_after_s) in [
            (ServiceError::Busy { retry_after_s: 7 }, Some(7)),
            (ServiceError::Busy { retry_after_s: 0 }, Some(1)),
            (ServiceError::ShuttingDown, Some(1)),
            (ServiceError::IdempotencyInFlight, Some(1)),
            // What makes room for more is said, and it is not time.
            (ServiceError::LimitReached("x".to_owned()), None),
            (for_a_while, Some(7)),
            (ServiceError::Forbidden, None),
        ] {
            let said = error.to_string();
            assert_eq!(Problem::from(error).retry_after_s, retry_after_s, "{said}");
        }
    }
}

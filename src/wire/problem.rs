//! The problem document (RFC 9457) of a failure, without a transport.
//!
//! Invariant: what is said to the caller never holds the inside message of a fault, no value of a payload, and nothing that looks like a
//! secret.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::api::submissions::Exchange;
use crate::api::submissions::ExchangeStatus;
use crate::app::error::Failure;
use crate::app::error::ServiceError;
use crate::app::ports::ExecutorFault;
use crate::wire::codes::Code;
use context::session::refusal::SessionRefusal;
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
        }
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

    /// The document for who gets no headers: with `retry_after_s` where another try makes sense.
    pub fn told(&self) -> Value {
        let mut document = self.document();
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
        let mut problem = Problem::new(Code::of(&error), said);
        match error {
            ServiceError::InvalidPayload { violations, exchange } => {
                problem.members.push(("violations", json!(violations)));
                problem.members.push(("exchange", json!(exchange)));
            }
            ServiceError::RefusedBefore(stored) => {
                for name in ["violations", "exchange"] {
                    problem
                        .members
                        .push((name, stored.get(name).cloned().unwrap_or_default()));
                }
            }
            ServiceError::NotExecuted {
                submission_id,
                schema_id,
                revision,
                failure,
                maybe_executed,
                seconds: _,
            } => {
                let status = match maybe_executed {
                    true => ExchangeStatus::MaybeExecuted,
                    false => ExchangeStatus::NotExecuted,
                };
                match failure {
                    Failure::BadResult(misfits) => problem.members.push(("misfits", json!(misfits))),
                    Failure::Fault(ExecutorFault::Status(status)) => {
                        problem.members.push(("executor_status", json!(status)));
                    }
                    Failure::Fault(ExecutorFault::Paused { retry_after_s }) => {
                        problem.retry_after_s = Some(retry_after_s.max(1));
                    }
                    Failure::Fault(
                        ExecutorFault::Busy
                        | ExecutorFault::NotAllowed
                        | ExecutorFault::TimedOut
                        | ExecutorFault::Unreachable
                        | ExecutorFault::Cut
                        | ExecutorFault::Malformed(_),
                    )
                    | Failure::Abandoned => {}
                }
                let exchange = Exchange {
                    submission_id: Some(submission_id),
                    ..Exchange::new(&schema_id, revision, status)
                };
                problem.members.push(("exchange", json!(exchange)));
            }
            ServiceError::InvalidTemplate(defects) | ServiceError::UnfitKey(defects) => {
                problem.members.push(("defects", json!(defects)));
            }
            ServiceError::Incompatible { objections, .. } => {
                problem.members.push(("compatibility", json!(objections)));
            }
            ServiceError::Busy { retry_after_s } | ServiceError::LimitReachedFor { retry_after_s, what: _ } => {
                problem.retry_after_s = Some(retry_after_s.max(1));
            }
            ServiceError::Context(refusal) => {
                // The document's own spelling, for agents that go by it (S-056).
                let error = json!({"code": refusal.code(), "message": refusal.to_string()});
                problem.members.push(("error", error));
                if let SessionRefusal::VersionConflict { found, incarnation } = refusal {
                    problem.members.push(("current_version", json!(found)));
                    problem.members.push(("current_incarnation", json!(incarnation)));
                }
            }
            ServiceError::VersionMoved { version } => problem.members.push(("current_version", json!(version))),
            ServiceError::PatchMoved { revision } => problem.members.push(("current_revision", json!(revision))),
            ServiceError::InvalidMessage(faults) => problem.members.push(("fields", json!(faults))),
            ServiceError::UnsupportedMedia(fault) => problem.members.push(("fields", json!([fault]))),
            ServiceError::NothingTaken(parts) => problem.members.push(("parts", json!(parts))),
            ServiceError::InvalidContext(violations) => problem.members.push(("violations", json!(violations))),
            ServiceError::Fault(inside) => problem.inside = Some(inside.into()),
            ServiceError::BadRequest(_)
            | ServiceError::BadParameter(_)
            | ServiceError::UnknownSchema(_)
            | ServiceError::UnknownScenario(_)
            | ServiceError::UnknownPatch(_)
            | ServiceError::UnknownWebhook(_)
            | ServiceError::UnknownTask(_)
            | ServiceError::UnknownSubtask(_)
            | ServiceError::UnknownContent
            | ServiceError::Nameless
            | ServiceError::NotItself
            | ServiceError::UnknownPush(_)
            | ServiceError::UnknownConversation(_)
            | ServiceError::UnknownRecipient(_)
            | ServiceError::NothingKept(_)
            | ServiceError::UnknownAgent(_)
            | ServiceError::FollowsItself { .. }
            | ServiceError::TaskForbids(_)
            | ServiceError::NotCancelable(_)
            | ServiceError::UnknownAudit
            | ServiceError::Audited(_)
            | ServiceError::SchemaRetired(_)
            | ServiceError::SchemaImmutable(_)
            | ServiceError::ScenarioOwned { .. }
            | ServiceError::NothingStable
            | ServiceError::StageForbids(_)
            | ServiceError::NameTaken(_)
            | ServiceError::NoReader
            | ServiceError::IdempotencyMismatch
            | ServiceError::IdempotencyInFlight
            | ServiceError::Forbidden
            | ServiceError::LimitReached(_)
            | ServiceError::ShuttingDown
            | ServiceError::DiskFull
            | ServiceError::StoreStalled
            | ServiceError::ReadOnly
            | ServiceError::ReadOnlyBySetting => {}
        }
        problem
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::json;

    use super::Exchange;
    use super::ExchangeStatus;
    use super::Problem;
    use crate::app::error::ServiceError;
    use schema::exchange::verdict::Violation;
    use schema::exchange::verdict::ViolationCode;

    fn refusal(submission_id: Option<String>) -> serde_json::Value {
        Problem::from(ServiceError::InvalidPayload {
            exchange: Box::new(Exchange {
                submission_id,
                warnings: Some(Vec::new()),
                ..Exchange::new("trip_v1", 17, ExchangeStatus::Refused)
            }),
            violations: vec![Violation {
                key: "origin".to_owned(),
                pointer: "/payload/origin".to_owned(),
                code: ViolationCode::MissingRequired,
                message: "origin is required".to_owned(),
                expected: Map::new(),
                received_type: None,
                nearest_key: None,
                repair: None,
            }],
        })
        .document()
    }

    #[test]
    fn a_refused_payload_names_every_violation_and_its_exchange_z019_z181() {
        assert_eq!(
            refusal(Some("s1".to_owned())),
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
        assert!(refusal(None)["exchange"].get("submission_id").is_none());
    }

    #[test]
    fn what_is_not_found_is_not_repeated_where_it_looks_like_a_secret_x02() {
        let key = "sk-live-abcdefgh1234";
        for (error, wanted) in [
            (
                ServiceError::UnknownScenario(key.to_owned()),
                "there is no scenario [redacted]",
            ),
            (
                ServiceError::UnknownSchema(key.to_owned()),
                "there is no schema [redacted]",
            ),
            (
                ServiceError::UnknownPatch("token=abc1".to_owned()),
                "there is no patch token=[redacted]",
            ),
            (
                ServiceError::UnknownAgent(format!("{key}/x")),
                "no agent [redacted] has registered what it offers",
            ),
            (
                ServiceError::UnknownScenario("book_trip".to_owned()),
                "there is no scenario book_trip",
            ),
        ] {
            assert_eq!(Problem::from(error).detail, wanted);
        }
    }

    #[test]
    fn the_inside_message_of_a_fault_stays_inside() {
        let problem = Problem::from(ServiceError::Fault("sled: /secret/path".to_owned()));
        assert_eq!(problem.inside.as_deref(), Some("sled: /secret/path"));
        assert!(!problem.document().to_string().contains("secret"));
    }

    #[test]
    fn busy_says_when_to_come_back() {
        assert_eq!(
            Problem::from(ServiceError::Busy { retry_after_s: 7 }).retry_after_s,
            Some(7)
        );
        assert_eq!(
            Problem::from(ServiceError::Busy { retry_after_s: 0 }).retry_after_s,
            Some(1)
        );
        assert!(Problem::from(ServiceError::ShuttingDown).retry_after_s.is_some());
        assert_eq!(Problem::from(ServiceError::IdempotencyInFlight).retry_after_s, Some(1));
        assert_eq!(
            Problem::from(ServiceError::LimitReached("x".to_owned())).retry_after_s,
            None,
            "what makes room for more is said, and it is not time"
        );
        let for_a_while = ServiceError::LimitReachedFor {
            what: "x".to_owned(),
            retry_after_s: 7,
        };
        assert_eq!(Problem::from(for_a_while).retry_after_s, Some(7));
        assert_eq!(Problem::from(ServiceError::Forbidden).retry_after_s, None);
    }
}

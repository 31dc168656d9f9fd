//! What a failure is called in A2A (§5.4, §9.5, §11.6): one table for both bindings.
//!
//! Errors that the protocol names bear its numbers and reasons; what it does not name bears the number and code of the
//! service's own table. Invariant: whatever the problem, both bindings say the same reason.

use serde_json::Value;
use serde_json::json;

use crate::a2a::headers;
use crate::api::a2a::AgentError;
use crate::api::a2a::AgentFailure;
use crate::app::application::contract::CONTRACT;
use crate::app::error::ServiceError;
use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::problem::Problem;

/// The domain of the protocol's own reasons.
const PROTOCOL: &str = "a2a-protocol.org";
/// The domain of the service's reasons.
const OWN: &str = "otherwise.dev";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// JSON-RPC.
    pub number: i32,
    /// HTTP.
    pub status: u16,
    /// What gRPC calls it.
    pub grpc: &'static str,
    /// Objects with `@type`.
    pub details: Vec<Value>,
    /// What is said, and what of it is for headers and for the log.
    pub problem: Box<Problem>,
}

/// A row: JSON-RPC number, HTTP status, gRPC name, the protocol's reason.
type Row = (i32, u16, &'static str, &'static str);

const VERSION_NOT_SUPPORTED: Row = (-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED");

/// The row of a failure that the protocol names; `of_part` where it is about members of the params.
const fn row(code: Code, of_part: bool) -> Option<Row> {
    Some(match code {
        Code::UnknownTask | Code::UnknownPush => (-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
        Code::NotCancelable => (-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
        Code::TaskForbids => (-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
        Code::UnsupportedMediaType if of_part => (-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
        // Of the whole body, which HTTP itself has a status for.
        Code::UnsupportedMediaType => (-32005, 415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
        _ => return None,
    })
}

impl Failure {
    /// One of what was asked.
    fn asked((number, status, grpc): (i32, u16, &'static str), what: &str, details: Vec<Value>) -> Failure {
        Failure {
            number,
            status,
            grpc,
            details,
            problem: Box::new(Problem::new(Code::BadRequest, what)),
        }
    }

    /// The request speaks another version.
    pub fn version(spoken: &str) -> Failure {
        let (number, status, grpc, reason) = VERSION_NOT_SUPPORTED;
        let (header, served) = (headers::VERSION, headers::SERVED);
        let message = format!("A2A {spoken} is not served here; send the header {header}: {served}");
        let details = info(reason, PROTOCOL, &json!({"requested": spoken, "supported": served}));
        Failure::asked((number, status, grpc), &message, vec![details])
    }

    /// A refused payload, told to who asked for the contract: all of it, and the task that waits for a mended one.
    pub fn refused(problem: &Value, task: &str) -> Failure {
        let mut details = vec![info("INVALID_PAYLOAD", OWN, &json!({"taskId": task}))];
        let violations = problem["violations"].as_array().into_iter().flatten();
        details.push(bad_request(violations.map(
            |violation| json!({"field": violation["pointer"], "description": violation["message"]}),
        )));
        let mut refusal = problem.clone();
        if let Some(members) = refusal.as_object_mut() {
            members.insert("@type".to_owned(), json!(format!("{CONTRACT}/Refusal")));
            members.insert("taskId".to_owned(), json!(task));
        }
        details.push(refusal);
        let message = problem["detail"].as_str().unwrap_or_default();
        Failure::asked((json_rpc::INVALID_PARAMS, 400, "INVALID_ARGUMENT"), message, details)
    }

    /// An error of the envelope.
    pub fn enveloped(error: &json_rpc::Error) -> Failure {
        let reason = if error.number == json_rpc::PARSE_ERROR {
            "PARSE_ERROR"
        } else {
            "INVALID_REQUEST"
        };
        let details = vec![info(reason, OWN, &json!({}))];
        Failure::asked((error.number, 400, "INVALID_ARGUMENT"), &error.message, details)
    }

    /// The error member of a JSON-RPC answer.
    pub fn json_rpc(&self) -> json_rpc::Error {
        json_rpc::Error {
            number: self.number,
            message: self.problem.detail.clone(),
            data: Some(Value::Array(self.details.clone())),
        }
    }

    /// The body of an HTTP+JSON answer: `google.rpc.Status`.
    pub fn rest(&self) -> String {
        let error = AgentError {
            code: i32::from(self.status),
            status: self.grpc,
            message: self.problem.detail.clone(),
            details: self.details.clone(),
        };
        json!(AgentFailure { error }).to_string()
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Failure {
        Failure::from(Problem::from(error))
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        let member = |wanted: &str| problem.members.iter().find(|(name, _)| *name == wanted);
        let list = |wanted| member(wanted).and_then(|(_, value)| value.as_array());
        let (fields, parts) = (list("fields"), list("parts"));
        let ((number, status, grpc), first) = match row(problem.code, fields.is_some()) {
            Some((number, status, grpc, reason)) => ((number, status, grpc), info(reason, PROTOCOL, &json!({}))),
            None => {
                let row = problem.code.row();
                let told = problem
                    .retry_after_s
                    .map_or_else(|| json!({}), |seconds| json!({"retryAfterS": seconds.to_string()}));
                let kind = (problem.code.json_rpc(), row.status, grpc_of(row.status));
                (kind, info(&row.code.to_ascii_uppercase(), OWN, &told))
            }
        };
        let mut details = vec![first];
        details.extend(fields.map(|fields| bad_request(fields.iter().cloned())));
        details.extend(parts.map(|parts| {
            let place = |told: &Value| format!("message.parts[{}]", told["part"]);
            bad_request(
                parts
                    .iter()
                    .map(|told| json!({"field": place(told), "description": told["why"]})),
            )
        }));
        Failure {
            number,
            status,
            grpc,
            details,
            problem: Box::new(problem),
        }
    }
}

/// Which members are wrong, and why.
fn bad_request(fields: impl Iterator<Item = Value>) -> Value {
    json!({"@type": BAD_REQUEST, "fieldViolations": fields.collect::<Vec<_>>()})
}

fn info(reason: &str, domain: &str, told: &Value) -> Value {
    json!({"@type": ERROR_INFO, "reason": reason, "domain": domain, "metadata": told})
}

/// What gRPC calls an HTTP status (google.rpc.Code).
const fn grpc_of(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 | 410 => "NOT_FOUND",
        409 => "ABORTED",
        413 | 429 | 507 => "RESOURCE_EXHAUSTED",
        501 => "UNIMPLEMENTED",
        503 => "UNAVAILABLE",
        408 | 504 => "DEADLINE_EXCEEDED",
        500..=599 => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Code;
    use super::ERROR_INFO;
    use super::Failure;
    use super::OWN;
    use super::PROTOCOL;
    use super::Problem;
    use crate::app::error::ServiceError;
    use context::fields::FieldFault;

    #[test]
    fn errors_that_the_protocol_names_bear_its_numbers_and_reasons_and_others_the_services_own_z181() {
        let text = || "x".to_owned();
        let fault = || FieldFault::new("message.parts", "text must be text/plain");
        let body = Failure::from(Problem::new(Code::UnsupportedMediaType, "x"));
        for (failure, number, status, reason) in [
            (ServiceError::UnknownTask(text()).into(), -32001, 404, "TASK_NOT_FOUND"),
            (ServiceError::UnknownPush(text()).into(), -32001, 404, "TASK_NOT_FOUND"),
            (
                ServiceError::NotCancelable(text()).into(),
                -32002,
                400,
                "TASK_NOT_CANCELABLE",
            ),
            (
                ServiceError::TaskForbids(text()).into(),
                -32004,
                400,
                "UNSUPPORTED_OPERATION",
            ),
            (
                ServiceError::UnsupportedMedia(fault()).into(),
                -32005,
                400,
                "CONTENT_TYPE_NOT_SUPPORTED",
            ),
            (body, -32005, 415, "CONTENT_TYPE_NOT_SUPPORTED"),
            (Failure::version("0.3"), -32009, 400, "VERSION_NOT_SUPPORTED"),
            (ServiceError::Forbidden.into(), 40301, 403, "FORBIDDEN"),
            (
                ServiceError::InvalidMessage(vec![fault()]).into(),
                -32602,
                400,
                "BAD_REQUEST",
            ),
        ] {
            let failure: Failure = failure;
            assert_eq!((failure.number, failure.status), (number, status), "{reason}");
            assert_eq!(failure.details[0]["reason"], reason);
            let domain = if (-32099..=-32000).contains(&number) {
                PROTOCOL
            } else {
                OWN
            };
            assert_eq!(
                (&failure.details[0]["domain"], &failure.details[0]["@type"]),
                (&json!(domain), &json!(ERROR_INFO))
            );
        }
        let fields = Failure::from(ServiceError::InvalidMessage(vec![fault()]));
        assert_eq!(fields.details[1]["fieldViolations"][0]["field"], "message.parts");
        for code in Code::ALL {
            let failure = Failure::from(Problem::new(*code, "x"));
            let body: Value = serde_json::from_str(&failure.rest()).expect("JSON");
            assert_eq!(body["error"]["code"], failure.status);
            let data = failure.json_rpc().data.expect("details");
            assert_eq!(data, body["error"]["details"], "both bindings say the same");
        }
    }

    #[test]
    fn a_refused_payload_is_told_whole_with_the_task_that_waits() {
        let problem = json!({"detail": "it does not fit", "code": "invalid_payload", "violations": [
            {"pointer": "/payload/origin", "message": "origin is required", "repair": {"op": "add"}}]});
        let failure = Failure::refused(&problem, "task_1");
        assert_eq!((failure.number, failure.status), (-32602, 400));
        let [info, fields, refusal] = failure.details.as_slice() else {
            panic!("{:?}", failure.details)
        };
        assert_eq!(info["metadata"]["taskId"], "task_1");
        assert_eq!(
            fields["fieldViolations"][0],
            json!({"field": "/payload/origin", "description": "origin is required"})
        );
        assert_eq!(refusal["violations"], problem["violations"]);
        assert_eq!(refusal["@type"], "https://otherwise.dev/a2a/schema-contract/v1/Refusal");
    }
}

//! The one table of codes (DESIGN §8, Z-172, Z-181): what every failure is called, on every mouth.
//!
//! A code and its number never change their meaning once released. Numbers are positive, so they lie outside JSON-RPC's
//! reserved range −32768 … −32000 and outside what MCP and A2A took of it. Invariant: codes and numbers are distinct.

use crate::service::error::ServiceError;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Stable, snake_case.
    pub code: &'static str,
    /// HTTP status.
    pub status: u16,
    /// JSON-RPC error number.
    pub number: i32,
    /// The problem's title (RFC 9457 §3.1.3): the same for every occurrence.
    pub title: &'static str,
    /// What it means and what to do, in a sentence or two.
    pub meaning: &'static str,
}

macro_rules! codes {
    ($($name:ident $code:literal $status:literal $number:literal $title:literal $meaning:literal;)*) => {
        /// A failure's code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// Every code, in the table's order.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code's row.
            pub const fn row(self) -> Row {
                match self {
                    $(Code::$name => Row {
                        code: $code,
                        status: $status,
                        number: $number,
                        title: $title,
                        meaning: $meaning,
                    },)*
                }
            }
        }
    };
}

codes! {
    BadRequest "bad_request" 400 40001 "Bad request"
        "The request cannot be read: it is not JSON, or a member is missing or has the wrong form. The detail names it.";
    UnknownParameter "unknown_parameter" 400 40002 "Unknown parameter"
        "The query holds a parameter that this address does not know. The detail names it and the known ones.";
    BadParameter "bad_parameter" 400 40003 "Bad parameter"
        "A parameter is given twice, or its value cannot be read.";
    BadHeader "bad_header" 400 40004 "Bad header"
        "A header such as Idempotency-Key or Otherwise-Client has a form that is not allowed.";
    NotUtf8 "not_utf8" 400 40005 "Not UTF-8"
        "The body is not UTF-8. The detail says at which byte it ceases to be.";
    Unauthenticated "unauthenticated" 401 40101 "Unauthenticated"
        "No key, or a key that is not known. Send it as `Authorization: Bearer KEY` or `X-API-Key: KEY`.";
    Forbidden "forbidden" 403 40301 "Forbidden"
        "The caller is known, but none of its roles may do this.";
    BadHost "bad_host" 403 40302 "Host not allowed"
        "The service runs open, so it answers only under a loopback name (localhost, 127.0.0.1, [::1]).";
    BadOrigin "bad_origin" 403 40303 "Origin not allowed"
        "The service runs open, so it refuses requests that a web page from elsewhere makes.";
    NotFound "not_found" 404 40401 "Nothing here"
        "There is nothing at this address.";
    UnknownSchema "unknown_schema" 404 40402 "Unknown schema"
        "No schema with this id is published. Fetch the template of the scenario for the id in force.";
    UnknownScenario "unknown_scenario" 404 40403 "Unknown scenario"
        "No published schema serves this scenario. `GET /v1/scenarios` lists what is hosted.";
    UnknownPatch "unknown_patch" 404 40404 "Unknown patch"
        "There is no such patch, or it is for another client.";
    UnknownWebhook "unknown_webhook" 404 40408 "Unknown webhook"
        "There is no webhook with this id: it was deleted, or it answered 410. `GET /v1/webhooks` lists them.";
    UnknownProblem "unknown_problem" 404 40405 "Unknown problem"
        "No problem has this code. `GET /problems` lists them.";
    MethodNotAllowed "method_not_allowed" 405 40501 "Method not allowed"
        "This address exists but not for this method; the header Allow lists those it has.";
    NotAcceptable "not_acceptable" 406 40601 "Not acceptable"
        "Answers are application/json, and text/event-stream where a stream is asked for; the header Accept excludes that.";
    BodyTimeout "body_timeout" 408 40801 "Body too slow"
        "The body did not arrive in time. Nothing was recorded.";
    SchemaImmutable "schema_immutable" 409 40901 "Schema is immutable"
        "This schema_id is published already with other content. New content needs a new schema_id.";
    StageForbids "stage_forbids" 409 40902 "Stage forbids it"
        "The patch is in a stage from which no way leads to the one asked for.";
    IdempotencyInFlight "idempotency_in_flight" 409 40903 "Still in flight"
        "A submission with this Idempotency-Key has not been answered yet. Try again in a moment.";
    Incompatible "incompatible" 409 40904 "Schema breaks its line"
        "A version of this major line would break who knows the others; `compatibility` lists each change with a payload that \
         shows it. Mend it, or publish it as a new major version. `POST /v1/schemas:check` says the same and stores nothing.";
    NothingStable "nothing_stable" 409 40910 "Nothing to take in"
        "No patch is stable for everyone that the base in force does not say itself, so a rebase would publish the same again.";
    SchemaRetired "schema_retired" 410 41001 "Schema is retired"
        "The schema was retired by its publisher; the same content again does not bring it back. Fetch the template of the \
         scenario for the one in force. Its publisher can restore it by `POST /v1/schemas/{schema_id}:restore`.";
    TooLarge "too_large" 413 41301 "Body too large"
        "The body is over the limit `server.body_bytes_max`.";
    UnsupportedMediaType "unsupported_media_type" 415 41501 "Unsupported media type"
        "Bodies are application/json in UTF-8, without a content encoding. A body without a Content-Type is read as JSON.";
    InvalidPayload "invalid_payload" 422 42201 "Payload does not fit the template"
        "`violations` lists every reason, each with a repair where one is determined.";
    InvalidTemplate "invalid_template" 422 42202 "Template cannot be published"
        "`defects` lists every reason with its place and requirement.";
    IdempotencyMismatch "idempotency_mismatch" 422 42203 "Idempotency key used with another body"
        "This Idempotency-Key was used with another body. Use a new key for a new submission.";
    LimitReached "limit_reached" 429 42901 "Limit reached"
        "A limit of the service is reached; the detail names it.";
    Fault "fault" 500 50001 "The service failed"
        "Something broke inside. The log holds what, under the request id of the answer.";
    Busy "busy" 503 50301 "Busy"
        "A queue is full. Nothing was recorded; try again after Retry-After.";
    ShuttingDown "shutting_down" 503 50302 "Shutting down"
        "The service is ending. Nothing was recorded; try again after Retry-After.";
    NotReady "not_ready" 503 50303 "Not ready"
        "The service is starting: journals are being read and schemas published; try again after Retry-After. Or, on \
         /readyz, its store takes no more appends, as after a full disk; the detail says so, and only a restart mends it.";
    DiskFull "disk_full" 507 50701 "Disk full"
        "The disk that holds the data folder is full. Nothing was recorded, and nothing will be until the service was \
         started again: what the disk holds of the last write is known only then. Free space first.";
}

impl Code {
    /// The code with this name.
    pub fn named(code: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|row| row.row().code == code)
    }

    /// The code of a service error.
    pub fn of(error: &ServiceError) -> Code {
        match error {
            ServiceError::InvalidPayload { .. } | ServiceError::RefusedBefore(_) => Code::InvalidPayload,
            ServiceError::InvalidTemplate(_) => Code::InvalidTemplate,
            ServiceError::BadRequest(_) => Code::BadRequest,
            ServiceError::UnknownSchema(_) => Code::UnknownSchema,
            ServiceError::UnknownScenario(_) => Code::UnknownScenario,
            ServiceError::UnknownPatch(_) => Code::UnknownPatch,
            ServiceError::UnknownWebhook(_) => Code::UnknownWebhook,
            ServiceError::SchemaRetired(_) => Code::SchemaRetired,
            ServiceError::SchemaImmutable(_) => Code::SchemaImmutable,
            ServiceError::Incompatible { .. } => Code::Incompatible,
            ServiceError::NothingStable => Code::NothingStable,
            ServiceError::StageForbids(_) => Code::StageForbids,
            ServiceError::IdempotencyMismatch => Code::IdempotencyMismatch,
            ServiceError::IdempotencyInFlight => Code::IdempotencyInFlight,
            ServiceError::Forbidden => Code::Forbidden,
            ServiceError::Busy { .. } => Code::Busy,
            ServiceError::LimitReached(_) => Code::LimitReached,
            ServiceError::ShuttingDown => Code::ShuttingDown,
            ServiceError::DiskFull => Code::DiskFull,
            ServiceError::Fault(_) => Code::Fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Code;

    #[test]
    fn codes_and_numbers_are_distinct_and_outside_the_reserved_range_z181() {
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.row().code).collect();
        let numbers: BTreeSet<_> = Code::ALL.iter().map(|code| code.row().number).collect();
        assert_eq!(names.len(), Code::ALL.len());
        assert_eq!(numbers.len(), Code::ALL.len());
        for code in Code::ALL {
            let row = code.row();
            assert!(!(-32768..=-32000).contains(&row.number), "{}", row.code);
            assert_eq!(
                row.number / 100,
                i32::from(row.status),
                "{}: the number begins with the status",
                row.code
            );
            assert!((400..600).contains(&row.status), "{}", row.code);
            assert!(
                row.code
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'8'),
                "{}",
                row.code
            );
            assert_eq!(Code::named(row.code), Some(*code));
        }
    }

    #[test]
    fn codes_that_clients_rely_on_keep_their_status_z181() {
        for (name, status) in [
            ("unknown_schema", 404),
            ("unknown_scenario", 404),
            ("unknown_patch", 404),
            ("schema_retired", 410),
            ("schema_immutable", 409),
            ("incompatible", 409),
            ("nothing_stable", 409),
            ("invalid_payload", 422),
            ("invalid_template", 422),
            ("idempotency_mismatch", 422),
            ("idempotency_in_flight", 409),
            ("stage_forbids", 409),
            ("unauthenticated", 401),
            ("forbidden", 403),
            ("busy", 503),
            ("disk_full", 507),
            ("too_large", 413),
        ] {
            assert_eq!(Code::named(name).map(|code| code.row().status), Some(status), "{name}");
        }
    }
}

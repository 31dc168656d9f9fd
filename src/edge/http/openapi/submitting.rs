//! Submissions: one, many, or a dry run.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::exchange::Accepted;
use crate::edge::http::openapi::shapes::exchange::Batch;
use crate::edge::http::openapi::shapes::exchange::BatchReply;
use crate::edge::http::openapi::shapes::exchange::ExtensionReply;
use crate::edge::http::openapi::shapes::exchange::ExtensionRequest;
use crate::edge::http::openapi::shapes::exchange::Submission;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Submissions";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    vec![
        of("POST", "/submissions", "submit", "Submit a payload")
            .says(
                "The payload is judged by the template that the caller sees, recorded, and executed where the schema has an \
                 executor. What no key holds stands in `other`, which never makes a submission fail.",
            )
            .takes(parameters::idempotency_key())
            .body::<Submission>()
            .answers::<Accepted>(200, "It is accepted and on record.")
            .with(&["Idempotent-Replayed"])
            .fails(&[
                Code::UnknownSchema,
                Code::SchemaRetired,
                Code::InvalidPayload,
                Code::IdempotencyMismatch,
                Code::IdempotencyInFlight,
                Code::LimitReached,
                Code::ExecutorFailed,
                Code::ExecutorRefused,
                Code::BadResult,
                Code::ExecutorNotAllowed,
                Code::ExecutorBusy,
                Code::ExecutorPaused,
                Code::ExecutorTimeout,
            ])
            .writes(),
        of(
            "POST",
            "/submissions:validate",
            "validate_submission",
            "Say what submitting would say",
        )
        .says("The same check; nothing is recorded or executed.")
        .body::<Submission>()
        .answers::<Accepted>(200, "It would be accepted.")
        .fails(&[Code::UnknownSchema, Code::SchemaRetired, Code::InvalidPayload]),
        of(
            "POST",
            "/scenarios/{scenario}/extensions",
            "request_extension",
            "Ask for what the template cannot say",
        )
        .says(
            "Wishes in the client's own words, without a payload (Z-022). They are pooled as what stands in `other` is, with more \
             weight; a wish that a key of the template already holds is answered with its name.",
        )
        .takes(parameters::scenario())
        .takes(parameters::idempotency_key())
        .body::<ExtensionRequest>()
        .answers::<ExtensionReply>(202, "It is on record.")
        .with(&["Idempotent-Replayed"])
        .fails(&[
            Code::UnknownScenario,
            Code::IdempotencyMismatch,
            Code::IdempotencyInFlight,
            Code::LimitReached,
        ])
        .writes(),
        of("POST", "/submissions:batch", "submit_batch", "Submit many payloads")
            .says("Each is judged by itself, all are recorded together, and each item is what a single submission would have got.")
            .body::<Batch>()
            .answers::<BatchReply>(200, "The answers, in the order of the submissions.")
            .writes(),
    ]
}

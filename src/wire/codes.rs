//! The one table of codes (docs/design.md §8, Z-172, Z-181): what every failure is called, on every transport.
//!
//! A code and its number never change their meaning once released. Numbers are positive, so they lie outside JSON-RPC's
//! reserved range −32768 … −32000 and outside what MCP and A2A took of it. Invariant: codes and numbers are distinct.

use serde::Serialize;
use serde::Serializer;

use crate::api::problems::ProblemMeaning;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Stable, snake_case.
    pub code: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Its own number, for carriers that want one; [`Code::json_rpc`] says which goes out on JSON-RPC.
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

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.row().code)
    }
}

codes! {
    BadRequest "bad_request" 400 40001 "Bad request"
        "The request cannot be read: it is not JSON, or a member is missing or has the wrong form. The detail names it.";
    UnknownParameter "unknown_parameter" 400 40002 "Unknown parameter"
        "The query holds a parameter that this address does not know. The detail names it and the known ones.";
    BadParameter "bad_parameter" 400 40003 "Bad parameter"
        "A parameter of the query is given twice, or its value is none that it may have: unreadable, out of its bounds, or in the \
         future. The detail names it.";
    BadHeader "bad_header" 400 40004 "Bad header"
        "A header such as Idempotency-Key or Otherwise-Client has a form that is not allowed.";
    NotUtf8 "not_utf8" 400 40005 "Not UTF-8"
        "The body is not UTF-8. The detail says at which byte it ceases to be.";
    TooDeep "too_deep" 400 40006 "Nested too deep"
        "Objects and arrays of the body nest more than 128 levels deep. The detail says at which byte.";
    InvalidKey "invalid_key" 400 40051 "Malformed key"
        "A key of a shared context has 1 to 64 characters out of a-z, 0-9 and _; with the extension of prefixes one colon may stand \
         in it.";
    Unauthenticated "unauthenticated" 401 40101 "Unauthenticated"
        "No key, or a key that is not known. Send it as `Authorization: Bearer KEY` or `X-API-Key: KEY`.";
    Forbidden "forbidden" 403 40301 "Forbidden"
        "The caller is known, but none of its roles may do this.";
    BadHost "bad_host" 403 40302 "Host not allowed"
        "The service runs open, so it answers only under a loopback name (localhost, 127.0.0.1, [::1]); `/mcp` answers under those \
         and the names in `mcp.allowed_hosts`.";
    BadOrigin "bad_origin" 403 40303 "Origin not allowed"
        "A web page of another origin made the request. A service that runs open refuses all of these, any service refuses those to \
         `/mcp` and those that change something. `mcp.allowed_origins` lists the origins that may call.";
    NotEncrypted "not_encrypted" 403 40305 "Not encrypted"
        "The service takes only what came over TLS: by a proxy in `server.tls_proxies`, which says `X-Forwarded-Proto: https`. Use the \
         https address that the proxy serves.";
    RoleNotGranted "role_not_granted" 403 40352 "Role is not granted"
        "The header Otherwise-Role names a role that this session has not granted the caller, or that somebody else holds.";
    NotCreator "not_creator" 403 40353 "For the creator alone"
        "Only who created a session may archive or delete it, or say who takes part.";
    Nameless "nameless" 403 40304 "Caller without a name"
        "Tasks and contents belong to somebody, so whoever calls needs a name. In open mode a caller gives its own in the header \
         Otherwise-Client.";
    NotFound "not_found" 404 40401 "Nothing here"
        "There is nothing at this address.";
    UnknownSchema "unknown_schema" 404 40402 "Unknown schema"
        "No schema with this id is published. Fetch the template of the scenario for the id in force.";
    UnknownScenario "unknown_scenario" 404 40403 "Unknown scenario"
        "No published schema serves this scenario. `GET /v1/scenarios` lists what is hosted.";
    UnknownPatch "unknown_patch" 404 40404 "Unknown patch"
        "There is no such patch, or it is for another client.";
    UnknownCluster "unknown_cluster" 404 40431 "Unknown cluster"
        "The pool has no such cluster: it fell to another one, or was dropped because nobody says it any more. \
         `GET /v1/scenarios/{scenario}/pool` lists them.";
    UnknownWebhook "unknown_webhook" 404 40408 "Unknown webhook"
        "There is no webhook with this id: it was deleted, or it answered 410. `GET /v1/webhooks` lists them.";
    UnknownTask "unknown_task" 404 40411 "Unknown task"
        "There is no task with this id, it made room for others, or it is another client's.";
    UnknownSubtask "unknown_subtask" 404 40413 "Unknown subtask"
        "The task has no such subtask; or it is another agent's, or its turn has not come yet, which looks the same.";
    UnknownContent "unknown_content" 404 40414 "Unknown content"
        "There is no content under this hash, it has expired, or the caller did not store it and no context that it may read \
         refers to it.";
    UnknownPush "unknown_push_config" 404 40412 "Unknown push address"
        "The task has no push notification configuration with this id.";
    KeyNotFound "key_not_found" 404 40451 "No such key"
        "The session has no such key, or it is none that this participant may read. That is nothing unusual for a key that need not \
         be there; list_keys says which there are.";
    SessionNotFound "session_not_found" 404 40452 "No such session"
        "There is no session with this id, it was deleted, or the caller does not take part in it.";
    SnapshotNotFound "snapshot_not_found" 404 40453 "No such snapshot"
        "The session has no snapshot under this label.";
    ParticipantNotFound "participant_not_found" 404 40454 "No such participant"
        "The session lets no principal of this name take part.";
    UnknownConversation "unknown_conversation" 404 40421 "Unknown conversation"
        "There is no conversation with this context id, it was removed or is over by its age, or it is none that the caller began \
         or is declared in.";
    UnknownRecipient "unknown_recipient" 404 40422 "Unknown recipient"
        "The conversation is the caller's, but this agent is not declared in it. \
         `PUT /v1/conversations/{context_id}/recipients/{agent}` declares what it gets.";
    UnknownAgent "unknown_agent" 404 40424 "Unknown agent"
        "No agent of this name has registered what it offers; it does so itself, by `PUT /v1/agents/{agent}/services`.";
    UnknownAudit "unknown_audit" 404 40406 "Unknown audit"
        "No such value waits for a person: the id is wrong, the value fell out of the queue, or what was said is erased. \
         `GET /v1/audits` lists what waits.";
    UnknownMethod "unknown_method" 404 40409 "Unknown method"
        "No method of JSON-RPC has this name; the detail lists those it has.";
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
        "The patch cannot move from its current stage to the requested one.";
    NameTaken "name_taken" 409 40923 "Name is taken"
        "The key would bear the name of another one that the same clients have, or are about to get. Give it another name.";
    KeyInBase "key_in_base" 409 40924 "Key is the base's"
        "The schema in force has the key itself by now, and it speaks for it. Reject the patch, approve it under another name, or \
         publish a version without the key.";
    IdempotencyInFlight "idempotency_in_flight" 409 40903 "Still in flight"
        "A submission with this Idempotency-Key has not been answered yet. Try again in a moment.";
    Incompatible "incompatible" 409 40904 "Schema breaks its line"
        "A version of this major line would break clients of the others; `compatibility` lists each change with a payload that \
         shows it. Mend it, or publish it as a new major version. `POST /v1/schemas:check` says the same and stores nothing.";
    NotProved "not_proved" 409 40931 "Not proved compatible"
        "It is neither proved nor shown that the version keeps what its major line promises; `compatibility` lists each such change, with \
         the reason `budget` where the comparison ended at its budget of work. Make the change simpler, or, as the scenario's owner, \
         publish it with `accept_unproved=true`, which the decision log records.";
    VersionTaken "version_taken" 409 40932 "Version is taken"
        "Another schema of the scenario that is not retired has the same version. Give this one a version of its own, or retire the \
         other one.";
    ScenarioOwned "scenario_owned" 409 40922 "Scenario is another's"
        "Another publisher published for this scenario first, or was given it: it alone publishes, retires and restores there, beside \
         operators. A scenario from the schemas folder, or without an owner, is the operators' alone. An operator transfers it by \
         `PUT /v1/scenarios/{scenario}/owner`.";
    NothingStable "nothing_stable" 409 40910 "Nothing to take in"
        "No patch is stable for everyone that the base in force does not say itself, so a rebase would publish the same again.";
    ReadOnlyBySetting "read_only_by_setting" 409 40905 "Read-only by setting"
        "The setting `service.read_only` keeps the service read-only, and no call can open it. Change the setting and start \
         the service again.";
    TaskForbids "task_forbids" 409 40911 "Task forbids it"
        "The task has ended, or is being worked at: it takes no message or step now, or cannot be followed; or \
         there is one with the TaskID that it was to have. The detail says why.";
    NotCancelable "task_not_cancelable" 409 40912 "Task cannot be canceled"
        "The task has ended already.";
    SessionArchived "session_archived" 409 40951 "Session is archived"
        "An archived session can be read, and nothing else.";
    StoreFull "store_full" 409 40952 "Session is full"
        "The values of the session would be larger together than `sessions.store_tokens_max`, or its keys more than \
         `sessions.keys_max`. The old value stays. Delete or distil what is not needed any more.";
    VersionConflict "version_conflict" 409 40953 "Key has moved on"
        "The key is at another version than `if_version`; the detail says at which. Read it again, then write.";
    SessionExists "session_exists" 409 40954 "Session exists"
        "This session_id is taken. Leave it out to be given one.";
    SnapshotExists "snapshot_exists" 409 40955 "Snapshot exists"
        "The session has a snapshot under this label already.";
    RoleTaken "role_taken" 409 40956 "Role is taken"
        "A role that is to be granted is, or may be, another participant's of the session already; so nobody could tell who wrote. \
         The creator needs no grant.";
    ExtensionOff "extension_off" 409 40957 "Extension is off"
        "The session was created without this extension; the detail names it.";
    NoReader "no_reader" 409 40907 "Nobody may read"
        "This scenario has no reader of what its clients said: `policy.evolution.reader` is `none`, by the operator's \
         settings or by the template. `outside` lets operators and their agents read, `model` the configured language model as well.";
    Audited "audited" 409 40906 "Audited already"
        "A person has said whether this value is right, and the first verdict stands. `GET /v1/audits/{id}` shows it.";
    SchemaRetired "schema_retired" 410 41001 "Schema is retired"
        "The schema was retired by its publisher; the same content again does not bring it back. Fetch the template of the \
         scenario for the one in force. Its publisher can restore it by `POST /v1/schemas/{schema_id}:restore`.";
    PatchMoved "patch_moved" 412 41201 "Patch has changed"
        "`If-Match` names another revision of the patch than the one that it has: somebody changed it in between. Fetch it again.";
    TooLarge "too_large" 413 41301 "Body too large"
        "The body is over the limit `server.body_bytes_max`.";
    UnsupportedMediaType "unsupported_media_type" 415 41501 "Unsupported media type"
        "Bodies are application/json in UTF-8, without a content encoding. A body without a Content-Type is read as JSON.";
    InvalidPayload "invalid_payload" 422 42201 "Payload does not fit the template"
        "`violations` lists every reason, each with a repair where one is determined.";
    InvalidTemplate "invalid_template" 422 42202 "Template cannot be published"
        "`defects` lists every reason with its place and requirement.";
    UnfitKey "unfit_key" 422 42206 "Key cannot be served"
        "A key as it was edited is none that a publisher could publish. `defects` lists every reason with its place and requirement.";
    ValueTooLarge "value_too_large" 422 42251 "Value is too large"
        "A value may have `sessions.value_tokens_max` tokens, each four characters begun. Store conclusions rather than raw data.";
    InvalidContext "invalid_context" 422 42204 "Context does not fit"
        "A TaskContext or AgentContext does not fit its template or its task. `violations` lists every reason by its place.";
    ContextNotDelivered "context_not_delivered" 422 42221 "Context is not delivered here"
        "A TaskContext or AgentContext was submitted over JSON-RPC or MCP, or by its schema_id over A2A: that hands it to no agent. \
         Nothing was recorded. Send it to `/v1/tasks`, or as a data part `{\"AgentContext\": …}` over A2A. `validate_payload` checks \
         it over every transport.";
    NothingTaken "nothing_taken" 422 42205 "Nothing of the message could be taken"
        "The message has no words and none of its parts could be processed, so nothing is on record. `parts` says of each what became \
         of it and why.";
    IdempotencyMismatch "idempotency_mismatch" 422 42203 "Idempotency key used with another body"
        "This Idempotency-Key was used with another body. Use a new key for a new submission.";
    LimitReached "limit_reached" 429 42901 "Limit reached"
        "A limit of the service is reached; the detail names it. Retry-After is there where time alone makes room; without one, \
         waiting does not help: something has to end, be deleted or be retired first, or the setting be raised.";
    RateLimited "rate_limited" 429 42910 "Too many requests"
        "This client came more often than `server.client_requests_per_s` allows, beyond `server.client_requests_burst` at once. \
         Nothing was looked at; try again after Retry-After.";
    Fault "fault" 500 50001 "The service failed"
        "Something broke inside. The log says what, by the request id of the answer. What was asked for may be on record all \
         the same.";
    ExecutorFailed "executor_failed" 502 50201 "Executor failed"
        "The submission is on record, but the server agent's executor could not be reached, broke off, or failed. The same \
         Idempotency-Key with the same body calls it again, under the same submission id.";
    ExecutorRefused "executor_refused" 502 50202 "Executor refused"
        "The submission is on record, but the server agent's executor refused it by the status in `executor_status`.";
    BadResult "bad_result" 502 50203 "Result is not what was promised"
        "The submission is on record and its executor answered, but not with a JSON object that keeps the schema's \
         `response_schema`; `misfits` names the places. What was executed is not known: ask its publisher.";
    ExecutorNotAllowed "executor_not_allowed" 502 50204 "Executor may not be called"
        "The submission is on record, but its executor's address is not one that this service may call \
         (`executors.hosts`, `executors.inner_hosts`). Its operator can change that.";
    ExecutorBusy "executor_busy" 503 50304 "Executor is busy"
        "The submission is on record, but as many calls of executors as may be are under way. The same Idempotency-Key with \
         the same body tries again after Retry-After; without one a second try is a second submission.";
    ExecutorPaused "executor_paused" 503 50305 "Executor is left alone"
        "The submission is on record, but its executor failed several times in a row and is left alone until Retry-After. The \
         same Idempotency-Key with the same body tries again then.";
    ExecutorTimeout "executor_timeout" 504 50401 "Executor too slow"
        "The submission is on record, but no result came within the executor's time. It may have been executed all the same: \
         the same Idempotency-Key with the same body calls it again, under the same submission id.";
    Busy "busy" 503 50301 "Busy"
        "A queue is full. Nothing was recorded; try again after Retry-After.";
    ShuttingDown "shutting_down" 503 50302 "Shutting down"
        "The service is ending. Nothing was recorded; try again after Retry-After.";
    NotReady "not_ready" 503 50303 "Not ready"
        "The service is starting: journals are being read and schemas published; try again after Retry-After. Or, on \
         /readyz, its store takes no more appends; the detail says so, and only a restart mends it.";
    ReadOnly "read_only" 503 50306 "Read-only"
        "A person or the settings closed the service for writing: reads go on, nothing is recorded. `GET /v1/service` says \
         who and why; `POST /v1/service:read-write` opens it again. Try again after Retry-After.";
    StoreStalled "store_stalled" 503 50307 "Store does not answer"
        "A write did not come back within `store.stall_s`: the disk hangs, or cut it short. Whether this was recorded is known only \
         after the service was started again; then the same Idempotency-Key with the same body gives the right answer. Reads may \
         go on.";
    DiskFull "disk_full" 507 50701 "Disk full"
        "The disk that holds the data folder is full, or has less room than `store.free_bytes_min`. Reads go on, nothing was \
         recorded. The service writes again by itself soon after there is room; try again after Retry-After.";
}

impl From<Code> for ProblemMeaning {
    fn from(code: Code) -> ProblemMeaning {
        let row = code.row();
        ProblemMeaning {
            r#type: format!("/problems/{}", row.code),
            code: row.code.to_owned(),
            title: row.title.to_owned(),
            status: row.status,
            number: code.json_rpc(),
            meaning: row.meaning.to_owned(),
        }
    }
}

impl Code {
    /// The code with this name.
    pub fn named(code: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|row| row.row().code == code)
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
}

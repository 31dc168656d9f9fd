//! Parameters and headers with their bounds, each said once.

use serde_json::Value;
use utoipa::openapi::Object;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::RefOr;
use utoipa::openapi::header::Header;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::ParameterIn;
use utoipa::openapi::schema::KnownFormat;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::schema::SchemaFormat;
use utoipa::openapi::schema::Type;

use crate::edge::http::openapi::described::LOCATION;
use crate::edge::wire::doors::ROLE_HEADER;
use schema::export::NAMES;

/// A parameter.
#[derive(Clone)]
pub struct Param {
    pub name: &'static str,
    pub place: ParameterIn,
    pub what: &'static str,
    pub schema: RefOr<Schema>,
}

fn param(name: &'static str, place: ParameterIn, what: &'static str, schema: impl Into<RefOr<Schema>>) -> Param {
    Param {
        name,
        place,
        what,
        schema: schema.into(),
    }
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn pattern(pattern: &str) -> Object {
    text().pattern(Some(pattern)).build()
}

fn flag(default: bool) -> Object {
    let flag = ObjectBuilder::new().schema_type(Type::Boolean);
    flag.default(Some(Value::Bool(default))).build()
}

fn integer(minimum: u64, maximum: u64) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(usize::try_from(minimum).unwrap_or(usize::MAX)))
        .maximum(Some(usize::try_from(maximum).unwrap_or(usize::MAX)))
}

/// `{scenario}`
pub fn scenario() -> Param {
    let what = "The scenario. Case does not matter; spaces and hyphens count as `_`.";
    param("scenario", ParameterIn::Path, what, pattern("^[^/:]+$"))
}

/// `{schema_id}`
pub fn schema_id() -> Param {
    let what = "The schema's id, unique in the namespace.";
    param("schema_id", ParameterIn::Path, what, pattern("^[A-Za-z0-9._-]{1,128}$"))
}

/// `{patch_id}`
pub fn patch_id() -> Param {
    let what = "The patch's id, such as `flight_booking.p1`.";
    param("patch_id", ParameterIn::Path, what, pattern("^[^/:]+$"))
}

/// `{webhook_id}`
pub fn webhook_id() -> Param {
    param(
        "webhook_id",
        ParameterIn::Path,
        "The webhook's id.",
        pattern("^[^/:]+$"),
    )
}

/// `{task_id}`
pub fn task_id() -> Param {
    param(
        "task_id",
        ParameterIn::Path,
        "The task's `TaskID`.",
        pattern("^[^/:]+$"),
    )
}

/// `{subtask_id}`
pub fn subtask_id() -> Param {
    let what = "The subtask's `SubTaskID`.";
    param("subtask_id", ParameterIn::Path, what, pattern("^[A-Za-z0-9._-]{1,64}$"))
}

/// `{sha256}`
pub fn sha256() -> Param {
    let what = "The SHA-256 of the content's text in UTF-8, in lower-case hexadecimal digits.";
    param("sha256", ParameterIn::Path, what, pattern("^[0-9a-f]{64}$"))
}

/// `role`
pub fn role() -> Param {
    let what = "Tasks of which the caller is the master, or subtasks that were handed out to it.";
    let schema = text()
        .enum_values(Some(["master", "agent"]))
        .default(Some(Value::from("master")));
    param("role", ParameterIn::Query, what, schema.build())
}

/// `state`
pub fn state() -> Param {
    let what = "Of this state alone: open or closed for a master; sent, returned, incomplete or complete for an agent.";
    let states = ["open", "closed", "sent", "returned", "incomplete", "complete"];
    param(
        "state",
        ParameterIn::Query,
        what,
        text().enum_values(Some(states)).build(),
    )
}

/// `{audit_id}`
pub fn audit_id() -> Param {
    let what = "The value's id, such as `flight_booking.p1.28`.";
    param("audit_id", ParameterIn::Path, what, pattern("^[^/:]+$"))
}

/// `scenario` in the query
pub fn of_scenario() -> Param {
    param(
        "scenario",
        ParameterIn::Query,
        "Of this scenario alone.",
        text().build(),
    )
}

/// `Last-Event-ID`
pub fn last_event_id() -> Param {
    let what = "The revision of the last event that came; it goes before `since`.";
    param("Last-Event-ID", ParameterIn::Header, what, pattern("^[0-9]{1,19}$"))
}

/// `{session_id}`
pub fn session_id() -> Param {
    let what = "The session's id, as it was given or made.";
    param(
        "session_id",
        ParameterIn::Path,
        what,
        pattern("^[A-Za-z0-9._-]{1,128}$"),
    )
}

/// `Otherwise-Role`
pub fn declared_role() -> Param {
    let what = "As what the caller takes part: a role that the session grants it. Without one the creator is `orchestrator`, and \
                anybody else what was granted first.";
    let schema = pattern("^(orchestrator|subagent:[A-Za-z0-9._-]{1,64}(:[A-Za-z0-9._-]{1,64})?)$");
    param(ROLE_HEADER, ParameterIn::Header, what, schema)
}

/// `{principal}`
pub fn principal() -> Param {
    let what = "The principal's name.";
    param("principal", ParameterIn::Path, what, pattern("^[^/]+$"))
}

/// `{key}`
pub fn key() -> Param {
    let what = "The key; a colon only where the session has the extension of prefixes.";
    param("key", ParameterIn::Path, what, pattern("^[a-z0-9_]+(:[a-z0-9_]+)?$"))
}

/// `{label}`
pub fn snapshot_label() -> Param {
    let what = "The snapshot's label.";
    param("label", ParameterIn::Path, what, pattern("^[A-Za-z0-9._-]{1,64}$"))
}

/// `if_version`
pub fn if_version() -> Param {
    let what = "Only if the key is at this version.";
    param("if_version", ParameterIn::Query, what, integer(0, u64::MAX).build())
}

/// `if_incarnation`
pub fn if_incarnation() -> Param {
    let what = "Only if the key is of this incarnation: it was not deleted and written anew.";
    param("if_incarnation", ParameterIn::Query, what, integer(0, u64::MAX).build())
}

/// `versions`
pub fn versions() -> Param {
    let what = "These versions alone, with commas between them; all that are kept where nothing is said.";
    param("versions", ParameterIn::Query, what, pattern("^[0-9]+(,[0-9]+)*$"))
}

/// `keys` in the query
pub fn followed_keys() -> Param {
    let what = "These keys alone, with commas between them; `*` at the end of one stands for all that begin so.";
    param("keys", ParameterIn::Query, what, text().build())
}

/// `session_id` in the query
pub fn of_session() -> Param {
    let what = "Of this session alone.";
    param(
        "session_id",
        ParameterIn::Query,
        what,
        pattern("^[A-Za-z0-9._-]{1,128}$"),
    )
}

/// `after` as a number
pub fn after_record() -> Param {
    let what = "The `next` of the page before.";
    let schema = integer(0, u64::MAX).default(Some(Value::from(0))).build();
    param("after", ParameterIn::Query, what, schema)
}

/// `{context_id}`
pub fn context_id() -> Param {
    let what = "The conversation's context id, as it was given out.";
    param("context_id", ParameterIn::Path, what, pattern("^[^/:]+$"))
}

/// `as`
pub fn by_right() -> Param {
    let what = "`operator`: whoever runs the service ends what is another\u{2019}s, such as of a creator that is gone. It needs that role and \
                a name, which goes on record; nothing is read by it.";
    param(
        "as",
        ParameterIn::Query,
        what,
        text().enum_values(Some(["operator"])).build(),
    )
}

/// `{agent}`
pub fn agent() -> Param {
    let what = "An agent's name: that of the principal that it calls as.";
    param("agent", ParameterIn::Path, what, pattern("^[!-.0-9;-~]{1,128}$"))
}

/// `last_turns`
pub fn last_turns() -> Param {
    let what = "Turns that are shown, the last ones.";
    let schema = integer(1, 1_000).default(Some(Value::from(100))).build();
    param("last_turns", ParameterIn::Query, what, schema)
}

/// `tokens_max`
pub fn tokens_max() -> Param {
    let what = "The budget of the text in tokens, estimated; `messages.render_tokens` without it.";
    param("tokens_max", ParameterIn::Query, what, integer(160, 1_000_000).build())
}

/// `Last-Event-ID` of a stream of services
pub fn last_version() -> Param {
    let what = "The version of the last event that came.";
    param("Last-Event-ID", ParameterIn::Header, what, pattern("^[0-9]{1,19}$"))
}

/// `{code}`
pub fn code() -> Param {
    param("code", ParameterIn::Path, "A failure's code.", pattern("^[a-z0-9_]+$"))
}

/// `{file}`
pub fn file() -> Param {
    let what = "A file of Swagger UI, such as `swagger-ui.css`.";
    param("file", ParameterIn::Path, what, pattern("^[A-Za-z0-9._-]+$"))
}

/// `q`
pub fn wish() -> Param {
    let what = "A wish in plain words (at most `service.search_chars_max` characters): answered are the scenarios that it is \
                likeliest meant for, or `no_match`.";
    let schema = text().min_length(Some(1)).max_length(Some(1_000)).pattern(Some(r"\S"));
    param("q", ParameterIn::Query, what, schema.build())
}

/// `label`
pub fn label() -> Param {
    let what = "Only scenarios whose schema bears this label, as `name:value`.";
    param("label", ParameterIn::Query, what, pattern("^[^:]*:"))
}

/// `limit`
pub fn limit(most: u64, default: u64, what: &'static str) -> Param {
    let schema = integer(1, most).default(Some(Value::from(default))).build();
    param("limit", ParameterIn::Query, what, schema)
}

/// `limit` of a list that is also searched
pub fn listed() -> Param {
    let what = "Scenarios in the answer at most: to `q` up to 100, and 10 where nothing is said; else up to 1,000.";
    param("limit", ParameterIn::Query, what, integer(1, 1_000).build())
}

/// `words`
pub fn words() -> Param {
    let what = "Whether each cluster shows phrases that enough clients said.";
    param("words", ParameterIn::Query, what, flag(false))
}

/// `after`
pub fn after() -> Param {
    let what = "The `next` of the page before.";
    param("after", ParameterIn::Query, what, text().build())
}

/// `since`
pub fn since() -> Param {
    let what = "A revision: what changed after it is answered.";
    let schema = integer(0, u64::MAX).default(Some(Value::from(0))).build();
    param("since", ParameterIn::Query, what, schema)
}

/// `as_of`
pub fn as_of() -> Param {
    let moment = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
    let either = OneOfBuilder::new()
        .item(integer(0, u64::MAX).build())
        .item(moment.build())
        .build();
    let what = "A revision, or a moment (RFC 3339): the template as it was served then, byte for byte. A moment without a fraction stands \
                for the end of its second.";
    param("as_of", ParameterIn::Query, what, Schema::from(either))
}

/// `format`
pub fn format() -> Param {
    let what = "The form of the answer, instead of the template's own. `Accept` is not asked then.";
    let schema = text().enum_values(Some(NAMES)).build();
    param("format", ParameterIn::Query, what, schema)
}

/// `schema_id`, where one of several is meant
pub fn pinned_schema() -> Param {
    let what = "One of the scenario's schemas instead of the one in force.";
    param("schema_id", ParameterIn::Query, what, text().build())
}

/// `version`
pub fn pinned_version() -> Param {
    let what = "The schema of this version, as MAJOR.MINOR.PATCH, instead of the one in force.";
    param("version", ParameterIn::Query, what, text().build())
}

/// `preferred_language`
pub fn preferred_language() -> Param {
    let what = "Language tags (BCP 47) for the descriptions in the order of preference, also with weights, as in `ja, fr;q=0.5`; \
                without it `Accept-Language` is asked.";
    param("preferred_language", ParameterIn::Query, what, text().build())
}

/// `experimental`
pub fn experimental() -> Param {
    let what = "Whether keys on trial are wanted.";
    param("experimental", ParameterIn::Query, what, flag(true))
}

/// `dry_run`
pub fn dry_run() -> Param {
    let what = "Says what would be published, and stores nothing.";
    param("dry_run", ParameterIn::Query, what, flag(false))
}

/// `Mcp-Session-Id`
pub fn mcp_session() -> Param {
    let what = "The session, as the answer to `initialize` names it.";
    param("Mcp-Session-Id", ParameterIn::Header, what, pattern("^[!-~]+$"))
}

/// `Idempotency-Key`
pub fn idempotency_key() -> Param {
    let what = "Makes a second try safe: within 24 hours the same key with the same body brings the stored answer. Bodies are \
                compared byte for byte: with another space, or with its members in another order, one is another body (422).";
    let schema = text()
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[!-~]+$"));
    param("Idempotency-Key", ParameterIn::Header, what, schema.build())
}

/// `If-Match`
pub fn if_match() -> Param {
    let what =
        "Entity tags of the patch as the caller has it before it: where it has another one by now, 412 is answered.";
    param("If-Match", ParameterIn::Header, what, text().build())
}

/// `If-None-Match`
pub fn if_none_match() -> Param {
    let what = "Entity tags that the client holds, or `*`: where one is current, 304 is answered.";
    param("If-None-Match", ParameterIn::Header, what, text().build())
}

/// `Accept-Language`
pub fn accept_language() -> Param {
    let what = "Languages in order of preference (RFC 9110), where `preferred_language` says nothing.";
    param("Accept-Language", ParameterIn::Header, what, text().build())
}

/// Headers of answers: name, schema, meaning.
pub const HEADERS: [(&str, Type, &str); 14] = [
    (
        "X-Request-Id",
        Type::String,
        "The request's id, as it was sent or given; the log holds it.",
    ),
    (
        "ETag",
        Type::String,
        "The representation's entity tag, for `If-None-Match`, or of a patch for `If-Match`.",
    ),
    (
        "Cache-Control",
        Type::String,
        "How long the representation may be kept, and by whom.",
    ),
    (
        "Vary",
        Type::String,
        "Which request headers the representation depends on.",
    ),
    ("Content-Language", Type::String, "The language of the descriptions."),
    (
        LOCATION,
        Type::String,
        "The address of what was made, or of what is meant.",
    ),
    (
        "Retry-After",
        Type::Integer,
        "Seconds after which another try makes sense.",
    ),
    ("Allow", Type::String, "The methods that this address has."),
    ("WWW-Authenticate", Type::String, "How to authenticate."),
    (
        "Idempotent-Replayed",
        Type::String,
        "`true` where the answer is the stored one of an earlier call.",
    ),
    (
        "Otherwise-Export-Tokens",
        Type::Integer,
        "About how many tokens the export is.",
    ),
    (
        "Otherwise-Export-Lost",
        Type::String,
        "What the form does not hold as the template does (RFC 9651).",
    ),
    (
        "Otherwise-Capabilities-Ignored",
        Type::String,
        "What of the client's `capabilities` was not heeded, separated by commas.",
    ),
    (
        "Content-Security-Policy",
        Type::String,
        "What the page may load: nothing but its own files.",
    ),
];

/// A header of [`HEADERS`] as the document says it.
pub fn header(schema: Type, what: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(schema).build();
    HeaderBuilder::new()
        .schema(Some(schema))
        .description(Some(what))
        .build()
}

/// `Location` with where it leads in an example.
pub fn leading(to: &str) -> Option<Header> {
    let (_, schema, what) = HEADERS.into_iter().find(|(name, _, _)| *name == LOCATION)?;
    let mut header = header(schema, what);
    header.example = Some(Value::from(to));
    Some(header)
}

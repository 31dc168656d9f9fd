//! Parameters and headers with their bounds, each said once: what the handlers name in their `params(…)`.

use serde_json::Value;
use strum::VariantNames;
use utoipa::IntoParams;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::Required;
use utoipa::openapi::header::Header;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::path::ParameterBuilder;
use utoipa::openapi::path::ParameterIn;
use utoipa::openapi::schema::KnownFormat;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::schema::SchemaFormat;
use utoipa::openapi::schema::Type;

use crate::api::pool::ClusterState;
use crate::app::clients;
use crate::app::history;
use crate::app::pool;
use crate::app::pool::Sort;
use crate::app::queues;
use crate::app::queues::Order;
use crate::app::scenario_list;
use crate::app::scenario_list::Sort as ListSort;
use crate::app::task_contexts;
use crate::app::wishes;
use crate::wire::authenticator::RECEIPT_HEADER;
use crate::wire::authenticator::ROLE_HEADER;
use schema::export::NAMES;

/// The header that says where an answer leads.
pub const LOCATION: &str = "Location";

macro_rules! parameters {
    ($($(#[doc = $what:literal])+ $name:ident: $place:ident $wire:expr, $schema:expr;)*) => {
        $(
            $(#[doc = $what])+
            pub struct $name;

            impl IntoParams for $name {
                fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                    vec![parameter($wire, ParameterIn::$place, concat!($($what),+), $schema)]
                }
            }
        )*
    };
}

fn parameter(name: &str, place: ParameterIn, what: &str, schema: impl Into<Schema>) -> Parameter {
    let required = match place {
        ParameterIn::Path => Required::True,
        // A2A refuses what names no version.
        ParameterIn::Header if name == A2A_VERSION => Required::True,
        ParameterIn::Header | ParameterIn::Query | ParameterIn::QueryString | ParameterIn::Cookie => Required::False,
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(what.trim_start()))
        .schema(Some(schema.into()))
        .build()
}

/// The header that names the version of A2A.
const A2A_VERSION: &str = "A2A-Version";

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn pattern(pattern: &str) -> ObjectBuilder {
    text().pattern(Some(pattern))
}

fn flag(default: bool) -> ObjectBuilder {
    let flag = ObjectBuilder::new().schema_type(Type::Boolean);
    flag.default(Some(Value::Bool(default)))
}

fn integer(minimum: u64, maximum: u64) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(usize::try_from(minimum).unwrap_or(usize::MAX)))
        .maximum(Some(usize::try_from(maximum).unwrap_or(usize::MAX)))
}

/// How many are wanted of a list.
fn page(most: u64, default: u64) -> ObjectBuilder {
    integer(1, most).default(Some(Value::from(default)))
}

/// A place in a record, from its beginning where nothing is said.
fn from_zero() -> ObjectBuilder {
    integer(0, u64::MAX).default(Some(Value::from(0)))
}

/// A revision or a moment.
fn moment() -> OneOfBuilder {
    let moment = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
    OneOfBuilder::new().item(integer(0, u64::MAX)).item(moment)
}

parameters! {
    /// The scenario. Case does not matter; spaces and hyphens count as `_`.
    Scenario: Path "scenario", pattern("^[^/:]+$");
    /// The schema's id, unique in the namespace.
    SchemaId: Path "schema_id", pattern("^[A-Za-z0-9._-]{1,128}$");
    /// The operation of an OpenAPI document, by its `operationId` or as `METHOD /path`.
    ImportOperation: Query "operation", text();
    /// The tool, by its name.
    ImportTool: Query "tool", text();
    /// The part of the document that is imported, as a JSON pointer.
    ImportPointer: Query "pointer", text();
    /// Name of the one key that the schema is imported as; its members are the keys where it is left out.
    ImportKey: Query "key", text();
    /// The template's scenario; the name of the operation or tool, or the title of the schema, where it is left out.
    ImportScenario: Query "scenario", text();
    /// The template's `schema_id`; the scenario and `_v1` where it is left out.
    ImportSchemaId: Query "schema_id", pattern("^[A-Za-z0-9._-]{1,128}$");
    /// The patch's id, such as `flight_booking.p1`.
    PatchId: Path "patch_id", pattern("^[^/:]+$");
    /// The webhook's id.
    WebhookId: Path "webhook_id", pattern("^[^/:]+$");
    /// The task's `TaskID`.
    TaskId: Path "task_id", pattern("^[^/:]+$");
    /// The subtask's `SubTaskID`.
    SubtaskId: Path "subtask_id", pattern("^[A-Za-z0-9._-]{1,64}$");
    /// The SHA-256 of the content's text in UTF-8, in lower-case hexadecimal digits.
    Sha256: Path "sha256", pattern("^[0-9a-f]{64}$");
    /// Tasks of which the caller is the master, or subtasks that were handed out to it.
    TaskRole: Query "role", text().enum_values(Some(["master", "agent"])).default(Some(Value::from("master")));
    /// Of this state alone: open or closed for a master; sent, returned, incomplete or complete for an agent.
    TaskState: Query "state", text().enum_values(Some(["open", "closed", "sent", "returned", "incomplete", "complete"]));
    /// The value's id, such as `flight_booking.p1.28`.
    AuditId: Path "audit_id", pattern("^[^/:]+$");
    /// Of this scenario alone.
    OfScenario: Query "scenario", text();
    /// The revision of the last event that came; it goes before `since`.
    LastEventId: Header "Last-Event-ID", pattern("^[0-9]{1,19}$");
    /// The session's id, as it was given or made.
    SessionId: Path "session_id", pattern("^[A-Za-z0-9._-]{1,128}$");
    /// As what the caller takes part: a role that the session grants it. Without one the creator is `orchestrator`, and anybody
    /// else what was granted first.
    DeclaredRole: Header ROLE_HEADER, pattern("^(orchestrator|subagent:[A-Za-z0-9._-]{1,64}(:[A-Za-z0-9._-]{1,64})?)$");
    /// The principal's name.
    Principal: Path "principal", pattern("^[^/]+$");
    /// The key; a colon only where the session has the extension of prefixes.
    Key: Path "key", pattern("^[a-z0-9_]+(:[a-z0-9_]+)?$");
    /// The snapshot's label.
    SnapshotLabel: Path "label", pattern("^[A-Za-z0-9._-]{1,64}$");
    /// Only if the key is at this version.
    IfVersion: Query "if_version", integer(0, u64::MAX);
    /// Only if the key is of this incarnation: it was not deleted and written anew.
    IfIncarnation: Query "if_incarnation", integer(0, u64::MAX);
    /// These versions alone, with commas between them; all that are kept where nothing is said.
    Versions: Query "versions", pattern("^[0-9]+(,[0-9]+)*$");
    /// These keys alone, with commas between them; `*` at the end of one stands for all that begin so.
    FollowedKeys: Query "keys", text();
    /// Of this session alone.
    OfSession: Query "session_id", pattern("^[A-Za-z0-9._-]{1,128}$");
    /// The `next` of the page before.
    AfterRecord: Query "after", from_zero();
    /// The conversation's context id, as it was given out.
    ContextId: Path "context_id", pattern("^[^/:]+$");
    /// `operator`: whoever runs the service ends what is another’s, such as of a creator that is gone. It needs that role and a
    /// name, which goes on record; nothing is read by it.
    AsOperator: Query "as", text().enum_values(Some(["operator"]));
    /// An agent's name: that of the principal that it calls as.
    Agent: Path "agent", pattern("^[!-.0-9;-~]{1,128}$");
    /// Turns that are shown, the last ones.
    LastTurns: Query "last_turns", page(1_000, 100);
    /// The budget of the text in tokens, estimated; `messages.render_tokens` without it.
    TokensMax: Query "tokens_max", integer(160, 1_000_000);
    /// The version of the last event that came.
    LastVersion: Header "Last-Event-ID", pattern("^[0-9]{1,19}$");
    /// A failure's code.
    ProblemCode: Path "code", pattern("^[a-z0-9_]+$");
    /// A file of Swagger UI, such as `swagger-ui.css`.
    DocsFile: Path "file", pattern("^[A-Za-z0-9._-]+$");
    /// A wish in plain words (at most `service.search_chars_max` characters): answered are the scenarios that it is likeliest
    /// meant for, or `no_match` (`reading` until every template was read).
    Wish: Query "q", text().min_length(Some(1)).max_length(Some(1_000)).pattern(Some(r"\S"));
    /// Only scenarios whose schema bears this label, as `name:value`.
    Labelled: Query "label", pattern("^[^:]*:");
    /// Scenarios in the answer at most: to `q` up to 100, and 10 where nothing is said; else up to 1,000.
    ScenariosLimit: Query "limit", integer(1, 1_000);
    /// Whether each scenario shows its figures.
    WithStats: Query "stats", flag(false);
    /// In which order, without `q`: by the name, or by a figure, the greatest first: what waits for a person, the share of payloads with
    /// `other`, payloads of the last seven days.
    ScenariosSort: Query "sort", text().enum_values(Some(ListSort::VARIANTS.iter().copied())).default(Some(Value::from("name")));
    /// How many days are told, today included; never more than `policy.evolution.window_days`.
    Days: Query "days", page(scenario_list::DAYS_MAX, scenario_list::DAYS);
    /// Whether each cluster shows phrases that enough clients said.
    Words: Query "words", flag(false);
    /// Only clusters in which all these words are found, each as a part of what is shown of the cluster: in the names of the keys that it
    /// came to, and, of the 200 hottest, in the phrases that enough clients said. By word alone: what means the same is not found.
    PoolWords: Query "q", text().max_length(Some(200));
    /// Only clusters that stand so.
    PoolState: Query "state", text().enum_values(Some(ClusterState::VARIANTS.iter().copied()));
    /// The most of it first: heat as it is now, growth within the gate's window, or distinct clients within that.
    PoolSort: Query "sort", text().enum_values(Some(Sort::VARIANTS.iter().copied())).default(Some(Value::from("heat")));
    /// Clusters of one page.
    PoolLimit: Query "limit", page(queues::PAGE_MAX, pool::PAGE);
    /// The cluster's number.
    ClusterNumber: Path "cluster", pattern("^[0-9]{1,20}$");
    /// What is compared with `to`: a schema of the scenario as it is served now, by its id, or a revision, for the template that was
    /// served then.
    DiffFrom: Query "from", text();
    /// The same; the schema in force where nothing is said.
    DiffTo: Query "to", text();
    /// As whom the templates are looked at, with that client's own keys: the caller where nobody is named. Who may not inspect names
    /// itself alone.
    DiffClient: Query "client", text();
    /// Decisions of one page; a page may hold fewer.
    DecisionsLimit: Query "limit", page(queues::PAGE_MAX, history::PAGE);
    /// The `next` of the page before.
    After: Query "after", text();
    /// A revision: what changed after it is answered.
    Since: Query "since", from_zero();
    /// A revision, or a moment (RFC 3339): the template as it was served then, byte for byte. A moment without a fraction
    /// stands for the end of its second.
    AsOf: Query "as_of", moment();
    /// The form of the answer, instead of the template's own. `Accept` is not asked then.
    Format: Query "format", text().enum_values(Some(NAMES.iter().copied()));
    /// One of the scenario's schemas instead of the one in force.
    PinnedSchema: Query "schema_id", text();
    /// The schema of this version (`1.3.0`) instead of the one in force, or the highest version that is not retired and that a
    /// requirement lets through: `^1`, `~1.2`, `>=1.2, <3`.
    PinnedVersion: Query "version", text();
    /// Language tags (BCP 47) for the descriptions in the order of preference, also with weights, as in `ja, fr;q=0.5`; without
    /// it `Accept-Language` is asked.
    PreferredLanguage: Query "preferred_language", text();
    /// Whether keys on trial are wanted.
    Experimental: Query "experimental", flag(true);
    /// The template as this client sees it, for who publishes or operates; it leaves no receipt.
    SeenBy: Query "client", pattern("^[!-~]{1,128}$");
    /// `none`: the caller only looks, and what it reads leaves no receipt, so that no figure of a trial moves by it. For who may
    /// inspect; 403 for anybody else.
    Receipt: Header RECEIPT_HEADER, text().enum_values(Some(["none"]));
    /// The order of the page: `longest` waiting, `newest`, by the `clients` that asked or by how often it was asked for
    /// (`occurrences`).
    ApprovalsOrder: Query "sort", text().enum_values(Some(Order::NAMES.iter().copied())).default(Some(Value::from(Order::default().name())));
    /// The `id` of the last event that came; `Last-Event-ID` goes before it.
    AfterEvent: Query "after", integer(0, u64::MAX);
    /// The id of the last event that came; it goes before `after`.
    LastTold: Header "Last-Event-ID", pattern("^[0-9]{1,19}$");
    /// Publishes a version although it is not proved that it keeps what its line promises; the decision log records it.
    AcceptUnproved: Query "accept_unproved", flag(false);
    /// Says what would be published, and stores nothing.
    DryRun: Query "dry_run", flag(false);
    /// The session, as the answer to `initialize` names it.
    McpSession: Header "Mcp-Session-Id", pattern("^[!-~]+$");
    /// Makes a second try safe: within 24 hours the same key with the same body brings the stored answer. Bodies are compared
    /// byte for byte: with another space, or with its members in another order, one is another body (422). A key that a client
    /// library makes for its own retries begins with `generated:` and is remembered for ten minutes.
    IdempotencyKey: Header "Idempotency-Key", pattern("^[!-~]+$").min_length(Some(1)).max_length(Some(255));
    /// `handling=lenient` (RFC 7240) has wrong values of optional keys kept out instead of the payload refused, where the template says
    /// `lenient`; any other preference is passed over.
    Prefer: Header "Prefer", text();
    /// Entity tags of the patch as the caller has it before it: where it has another one by now, 412 is answered.
    IfMatch: Header "If-Match", text();
    /// Entity tags that the client holds, or `*`: where one is current, 304 is answered.
    IfNoneMatch: Header "If-None-Match", text();
    /// Languages in order of preference (RFC 9110), where `preferred_language` says nothing.
    AcceptLanguage: Header "Accept-Language", text();
    /// Approvals on the page, at most.
    ApprovalsLimit: Query "limit", page(200, 50);
    /// Clients of one page.
    ClientsLimit: Query "limit", page(queues::PAGE_MAX, clients::PAGE);
    /// Values of one page.
    AuditsLimit: Query "limit", page(200, 20);
    /// Sessions of one page.
    SessionsLimit: Query "limit", page(500, 50);
    /// Entries of one page; a page may hold fewer.
    EntriesLimit: Query "limit", page(500, 50);
    /// Conversations at most.
    ConversationsLimit: Query "limit", page(1_000, 100);
    /// Wishes
    WishesLimit: Query "limit", page(queues::PAGE_MAX, wishes::PAGE);
    /// How many at most.
    TasksLimit: Query "limit", page(task_contexts::PAGE_MAX, 50);
    /// The version that is spoken; what says none speaks 0.3, which is refused.
    A2aVersion: Header A2A_VERSION, text().enum_values(Some(["1.0"]));
    /// The id of a task of the protocol.
    A2aTaskId: Path "task_id", text();
    /// The id of a push notification configuration.
    ConfigId: Path "config_id", text();
}

/// Headers of answers: name, schema, meaning.
pub const HEADERS: [(&str, Type, &str); 22] = [
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
        "Preference-Applied",
        Type::String,
        "The preference of the request that was heeded (RFC 7240).",
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
    ("Otherwise-Schema-Id", Type::String, "The schema that is served."),
    ("Otherwise-Version", Type::String, "That schema's version."),
    (
        "Otherwise-Revision",
        Type::Integer,
        "The last change of the template that the caller sees; for `since` and `as_of`.",
    ),
    (
        "Otherwise-Digest",
        Type::String,
        "`sha256:` and the SHA-256 of the template's `key_digests` in the canonical form of RFC 8785; the same in every form.",
    ),
    (
        "Otherwise-Latest",
        Type::String,
        "The version of the schema in force, where that is another one.",
    ),
    (
        "Deprecation",
        Type::String,
        "Since when the schema is deprecated, where it is: `@` and seconds (RFC 9745).",
    ),
    (
        "Sunset",
        Type::String,
        "From when on a deprecated schema may be gone, where that is said (RFC 8594).",
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

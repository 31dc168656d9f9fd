//! The document: what each handler says of itself, what follows from the table of addresses, and the answers that the examples got.
//!
//! Invariant: it depends on the code alone, so that it is the same for every process of one version.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::LazyLock;

use serde_json::Map;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;
use utoipa::ToSchema;
use utoipa::openapi::Components;
use utoipa::openapi::ComponentsBuilder;
use utoipa::openapi::Content;
use utoipa::openapi::ContentBuilder;
use utoipa::openapi::InfoBuilder;
use utoipa::openapi::License;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::OpenApi;
use utoipa::openapi::OpenApiBuilder;
use utoipa::openapi::PathItem;
use utoipa::openapi::Paths;
use utoipa::openapi::Ref;
use utoipa::openapi::RefOr;
use utoipa::openapi::Response;
use utoipa::openapi::ResponseBuilder;
use utoipa::openapi::path::HttpMethod;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::AllOfBuilder;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::schema::Type;
use utoipa::openapi::security::ApiKey;
use utoipa::openapi::security::ApiKeyValue;
use utoipa::openapi::security::HttpAuthScheme;
use utoipa::openapi::security::HttpBuilder;
use utoipa::openapi::security::SecurityScheme;
use utoipa::openapi::server::Server;
use utoipa::openapi::tag::TagBuilder;

use crate::api::problems::ProblemDocument;
use crate::api::templates::EffectiveTemplate;
use crate::http::access::Access;
use crate::http::access::PREFIXES;
use crate::http::docs::Served;
use crate::http::middleware::plain;
use crate::http::openapi::agents;
use crate::http::openapi::examples;
use crate::http::openapi::examples::Ask;
use crate::http::openapi::failures;
use crate::http::openapi::handlers;
use crate::http::openapi::handlers::Described;
use crate::http::openapi::parameters;
use crate::http::openapi::parameters::LOCATION;
use crate::http::openapi::shown;
use crate::http::routes;
use crate::wire::authenticator::KEY_HEADER;
use crate::wire::authenticator::NAME_HEADER;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::export::FORMS;
use text::name::hexadecimal;

const ABOUT: &str = "\
Hosts the schemas that agents speak, and learns from what those schemas cannot say.

Every address under `/v1` is served under `/v1/namespaces/default` as well. Each GET is a HEAD too. Where the service runs open \
(on loopback only), nobody needs a key and a caller may name itself in `Otherwise-Client`; everywhere else a key goes as \
`Authorization: Bearer KEY` or `X-API-Key: KEY`. Every failure is `application/problem+json` (RFC 9457) with a stable `code`; \
`GET /problems` lists them. Every answer bears `X-Request-Id`. Under `/a2a`, A2A 1.0 is spoken in its own forms.";

/// Groups in their order, with what they are for.
const GROUPS: [(&str, &str); 14] = [
    (
        "Hosting",
        "Scenarios and their base schemas: publish, check, read, retire.",
    ),
    (
        "Negotiation",
        "The effective template for who calls, and what changed since.",
    ),
    ("Submissions", "Payloads: submit, check, many at once."),
    ("Other mouths", "The same calls in other protocols."),
    (
        "Other agents",
        "A2A 1.0: messages become tasks. The protocol's specification says what its objects hold.",
    ),
    ("What was learned", "The pool, patches, the ledger and the evidence."),
    (
        "The operator's hand",
        "What a person decides: on a patch, a scenario, the service.",
    ),
    ("Audits", "Values that people look at, and what they say of the judges."),
    ("Sharing", "The working memory that the agents of one session share."),
    ("Telling", "The stream of changes, and webhooks for other systems."),
    (
        "Conversations",
        "What was said between a user and agents, and what of it goes to whom.",
    ),
    (
        "Messages",
        "Messages that say what the work is about, what agents offer, and policies.",
    ),
    (
        "Working",
        "What agents know of tasks: TaskContext, AgentContext, and large contents.",
    ),
    ("Operations", "Metrics, health, problems, and this description."),
];

/// Made once.
pub static SERVED: LazyLock<Arc<Served>> = LazyLock::new(|| {
    let text = text();
    let digest = Sha256::digest(text.as_bytes());
    Arc::new(Served {
        text: text.into(),
        etag: format!("\"{}\"", hexadecimal(&digest[..12])),
    })
});

/// The document as JSON text, with a line break at its end.
pub fn text() -> String {
    let mut text = document().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// Who may come to a described address.
pub fn access(described: &Described) -> Access {
    let prefix = PREFIXES.first().copied().unwrap_or_default();
    let hosted = routes::ADDRESSES.iter().map(|address| (prefix, address));
    let others = routes::OPERATIONS
        .iter()
        .chain(routes::AGENTS)
        .map(|address| ("", address));
    let mut all = hosted.chain(others);
    let found = all.find(|(prefix, address)| {
        address.method == described.method && format!("{prefix}{}", plain(address.path)) == described.path
    });
    found.map_or(Access::Anyone, |(_, address)| address.access)
}

fn document() -> OpenApi {
    let asks = examples::story();
    let answers = examples::answers();
    let (all, found) = handlers::read();
    let mut paths = Paths::new();
    let mut made = Made {
        schemas: found.schemas.into_iter().collect(),
        failures: BTreeMap::new(),
    };
    for described in all {
        let asked: Vec<&Ask> = asks.iter().filter(|ask| ask.operation == described.id()).collect();
        let (path, method) = (described.path.clone(), method(described.method));
        let operation = if agents::speaks(&path) {
            agents::complete(described, &asked, &answers)
        } else {
            made.complete(described, &asked, &answers)
        };
        let item = PathItem::new(method, operation);
        paths.paths.entry(path).or_default().merge_operations(item);
    }
    let info = InfoBuilder::new()
        .title("Otherwise")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(License::new(env!("CARGO_PKG_LICENSE"))));
    let tags = GROUPS.map(|(name, what)| TagBuilder::new().name(name).description(Some(what)).build());
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([Server::new("/")]))
        .tags(Some(tags))
        .paths(paths)
        .components(Some(made.components()))
        .build()
}

fn method(name: &str) -> HttpMethod {
    match name {
        "PUT" => HttpMethod::Put,
        "POST" => HttpMethod::Post,
        "DELETE" => HttpMethod::Delete,
        "PATCH" => HttpMethod::Patch,
        _ => HttpMethod::Get,
    }
}

/// What operations share.
struct Made {
    schemas: BTreeMap<String, RefOr<Schema>>,
    /// One for each set of codes that some operation has under one status.
    failures: BTreeMap<String, Vec<Code>>,
}

impl Made {
    /// Adds to what a handler says what follows from its address, and the examples.
    fn complete(&mut self, described: Described, asks: &[&Ask], answers: &Map<String, Value>) -> Operation {
        let access = access(&described);
        let codes = failures::of(access, &described);
        let id = described.id().to_owned();
        let mut operation = described.operation;
        shown::show_what_is_sent(&mut operation, asks);
        if access != Access::Anyone {
            operation.security = Some(shown::security());
        }
        for (status, response) in &mut operation.responses.responses {
            if let (Ok(status), RefOr::T(response)) = (status.parse(), response) {
                show_what_is_answered(response, &id, status, asks, answers);
            }
        }
        let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
        for code in codes {
            by_status.entry(code.row().status).or_default().push(code);
        }
        for (status, codes) in by_status {
            let names: Vec<&str> = codes.iter().map(|code| code.row().code).collect();
            let name = names.join(".");
            let reference = RefOr::Ref(Ref::from_response_name(&name));
            operation.responses.responses.insert(status.to_string(), reference);
            self.failures.insert(name, codes);
        }
        operation
    }

    fn components(self) -> Components {
        let mut components = ComponentsBuilder::new().schemas_from_iter(self.schemas);
        for (name, schema, what) in parameters::HEADERS {
            components = components.header(name, parameters::header(schema, what));
        }
        for code in Code::ALL {
            let row = code.row();
            let problem = shown::example(row.title, Problem::new(*code, row.meaning).document());
            components = components.example(row.code, problem);
        }
        for (name, codes) in self.failures {
            components = components.response(name, failure(&codes));
        }
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let name = "In open mode, and there alone: the name that the caller gives itself.";
        components
            .security_scheme("key", SecurityScheme::Http(bearer))
            .security_scheme(
                "header",
                SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(KEY_HEADER))),
            )
            .security_scheme(
                "name",
                SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(NAME_HEADER, name))),
            )
            .build()
    }
}

/// Headers and examples of an answer.
fn show_what_is_answered(response: &mut Response, id: &str, status: u16, asks: &[&Ask], answers: &Map<String, Value>) {
    for (name, header) in &mut response.headers {
        let shown = examples::leads_to(id).filter(|_| name == LOCATION);
        *header = match shown.and_then(parameters::leading) {
            Some(leading) => RefOr::T(leading),
            None => RefOr::Ref(shown::header_ref(name)),
        };
    }
    let request_id = "X-Request-Id".to_owned();
    let reference = RefOr::Ref(shown::header_ref(&request_id));
    response.headers.insert(request_id, reference);
    add_exports(response);
    for (media, content) in &mut response.content {
        let RefOr::T(content) = content else { continue };
        // A file is shown by how it begins alone.
        if content.schema.is_some() {
            let json = media == "application/json";
            let of_form = asks.iter().copied().filter(|ask| {
                let answer = answers.get(&ask.key());
                answer.is_some_and(|answer| answer.is_string() != json)
            });
            let told = shown::told(&of_form.collect::<Vec<_>>(), answers, status);
            content.examples.extend(shown::named(told));
        }
        content.examples.extend(shown::named(shown::beginning(id, media)));
    }
}

/// Beside a template, what [`schema::export`] makes of it.
fn add_exports(response: &mut Response) {
    let template = Ref::from_schema_name(EffectiveTemplate::name());
    let Some(RefOr::T(content)) = response.content.get_mut("application/json") else {
        return;
    };
    if content.schema != Some(RefOr::Ref(template.clone())) {
        return;
    }
    let anything = ObjectBuilder::new().schema_type(Type::Object);
    let either = AnyOfBuilder::new().item(template).item(anything).build();
    content.schema = Some(Schema::from(either).into());
    for media in FORMS.map(|form| form.media_type().split(';').next().unwrap_or_default()) {
        let content = if media.ends_with("+json") {
            Content::default()
        } else {
            let text = ObjectBuilder::new().schema_type(Type::String).build();
            ContentBuilder::new().schema(Some(text)).build()
        };
        response.content.entry(media.to_owned()).or_insert(content.into());
    }
}

/// The answer that says one of these codes, which all have one status.
fn failure(codes: &[Code]) -> Response {
    let what: Vec<String> = codes
        .iter()
        .map(|code| format!("- `{}`: {}", code.row().code, code.row().meaning))
        .collect();
    let names = codes.iter().map(|code| code.row().code);
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names.clone()));
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name(ProblemDocument::name()))
        .item(ObjectBuilder::new().property("code", code.build()));
    let examples = names.map(|name| (name, RefOr::Ref(Ref::new(format!("#/components/examples/{name}")))));
    let content = ContentBuilder::new()
        .schema(Some(Schema::from(schema.build())))
        .examples_from_iter(examples);
    let mut response = ResponseBuilder::new()
        .description(what.join("\n"))
        .header_ref("X-Request-Id", shown::header_ref("X-Request-Id"))
        .content("application/problem+json", content.build());
    let (mut wait, mut allow, mut challenge) = (false, false, false);
    for problem in codes.iter().map(|code| Problem::new(*code, "")) {
        wait |= problem.retry_after_s.is_some();
        allow |= problem.code == Code::MethodNotAllowed;
        challenge |= problem.challenge.is_some();
    }
    for (name, there) in [("Retry-After", wait), ("Allow", allow), ("WWW-Authenticate", challenge)] {
        if there {
            response = response.header_ref(name, shown::header_ref(name));
        }
    }
    response.build()
}

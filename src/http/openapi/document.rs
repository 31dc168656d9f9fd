//! The document: what each handler says of itself, what follows from the table of endpoints, and the answers that the examples got.
//!
//! Invariant: it depends on the code alone, so that it is the same for every process of one version.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::LazyLock;

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
use utoipa::openapi::path::HttpMethod;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::schema::Type;
use utoipa::openapi::security::ApiKey;
use utoipa::openapi::security::ApiKeyValue;
use utoipa::openapi::security::HttpAuthScheme;
use utoipa::openapi::security::HttpBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::security::SecurityScheme;
use utoipa::openapi::server::Server;
use utoipa::openapi::tag::TagBuilder;

use crate::api::templates::EffectiveTemplate;
use crate::http::access::Access;
use crate::http::docs::Served;
use crate::http::openapi::examples;
use crate::http::openapi::failures;
use crate::http::openapi::parameters;
use crate::http::openapi::parameters::LOCATION;
use crate::http::routes;
use crate::http::routes::Endpoint;
use crate::wire::authenticator::KEY_HEADER;
use crate::wire::authenticator::NAME_HEADER;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::export::FORMS;
use schema::export::Form;
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
    ("Other transports", "The same calls in other protocols."),
    (
        "Other agents",
        "A2A 1.0: messages become tasks. The protocol's specification says what its objects hold.",
    ),
    ("What was learned", "The pool, patches, the ledger and the evidence."),
    (
        "Operator actions",
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

fn document() -> OpenApi {
    let mut paths = Paths::new();
    let mut shared: BTreeMap<String, Vec<Code>> = BTreeMap::new();
    for endpoint in routes::ENDPOINTS.iter() {
        let method = match endpoint.method {
            "PUT" => HttpMethod::Put,
            "POST" => HttpMethod::Post,
            "DELETE" => HttpMethod::Delete,
            "PATCH" => HttpMethod::Patch,
            _ => HttpMethod::Get,
        };
        let item = PathItem::new(method, complete(endpoint, &mut shared));
        paths
            .paths
            .entry(endpoint.path.clone())
            .or_default()
            .merge_operations(item);
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
        .components(Some(components(shared)))
        .build()
}

/// What a handler says, with what follows from its endpoint and the examples. `shared` takes the sets of codes that some operation
/// has under one status.
fn complete(endpoint: &Endpoint, shared: &mut BTreeMap<String, Vec<Code>>) -> Operation {
    let mut operation = endpoint.operation.clone();
    examples::add_requests(&mut operation, endpoint.id());
    if endpoint.access != Access::Anyone {
        let schemes = ["key", "header", "name"];
        operation.security = Some(schemes.map(|scheme| SecurityRequirement::new(scheme, [""; 0])).to_vec());
    }
    let responses = &mut operation.responses.responses;
    let of_agents = failures::is_of_agents(&endpoint.path);
    for (status, response) in responses.iter_mut() {
        if let (Ok(status), RefOr::T(response)) = (status.parse(), response) {
            if !of_agents {
                add_headers(response, endpoint.id());
                add_exports(response);
            }
            add_answers(response, endpoint.id(), status);
        }
    }
    if of_agents {
        let refusals = failures::refusals(endpoint).into_iter();
        responses.extend(refusals.map(|(status, response)| (status, response.into())));
        return operation;
    }
    for (status, codes) in failures::by_status(failures::of(endpoint)) {
        let names: Vec<&str> = codes.iter().map(|code| code.row().code).collect();
        let name = names.join(".");
        let reference = RefOr::Ref(Ref::from_response_name(&name));
        responses.insert(status.to_string(), reference);
        shared.insert(name, codes);
    }
    operation
}

fn components(shared: BTreeMap<String, Vec<Code>>) -> Components {
    let schemas: BTreeMap<String, RefOr<Schema>> = routes::schemas().schemas.into_iter().collect();
    let mut components = ComponentsBuilder::new().schemas_from_iter(schemas);
    for (name, schema, what) in parameters::HEADERS {
        components = components.header(name, parameters::header(schema, what));
    }
    for code in Code::ALL {
        let row = code.row();
        let problem = examples::example(row.title, Problem::new(*code, row.meaning).document());
        components = components.example(row.code, problem);
    }
    for (name, codes) in shared {
        components = components.response(name, failures::problem(&codes));
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

/// The headers of an answer, and where the first example that says so leads.
fn add_headers(response: &mut Response, id: &str) {
    for (name, header) in &mut response.headers {
        let location = examples::requests(id).find_map(|one| one.location.as_deref());
        *header = match location.filter(|_| name == LOCATION).and_then(parameters::leading) {
            Some(leading) => RefOr::T(leading),
            None => RefOr::Ref(failures::header_ref(name)),
        };
    }
    let reference = RefOr::Ref(failures::header_ref("X-Request-Id"));
    response.headers.insert("X-Request-Id".to_owned(), reference);
}

/// The examples of an answer.
fn add_answers(response: &mut Response, id: &str, status: u16) {
    for (media, content) in &mut response.content {
        let RefOr::T(content) = content else { continue };
        // A file is shown by how it begins alone.
        if content.schema.is_some() {
            let answers = examples::answers(id, status, media == "application/json");
            content.examples.extend(answers);
        }
        content.examples.extend(examples::beginning(id, media));
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
    let media = |form: &Form| form.media_type().split(';').next().unwrap_or_default();
    for media in FORMS.iter().map(media) {
        let content = if media.ends_with("+json") {
            Content::default()
        } else {
            let text = ObjectBuilder::new().schema_type(Type::String).build();
            ContentBuilder::new().schema(Some(text)).build()
        };
        response.content.entry(media.to_owned()).or_insert(content.into());
    }
}

//! The document: the table of addresses, what is said of each, and the answers that the examples got.
//!
//! Invariant: it depends on the code alone, so that it is the same for every process of one version.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Map;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;
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
use utoipa::openapi::Required;
use utoipa::openapi::Response;
use utoipa::openapi::ResponseBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::HttpMethod;
use utoipa::openapi::path::Operation;
use utoipa::openapi::path::OperationBuilder;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::path::ParameterBuilder;
use utoipa::openapi::path::ParameterIn;
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::AllOfBuilder;
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

use crate::edge::http::access::Access;
use crate::edge::http::access::PREFIXES;
use crate::edge::http::openapi;
use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::LOCATION;
use crate::edge::http::openapi::described::Said;
use crate::edge::http::openapi::described::Shape;
use crate::edge::http::openapi::described::shape;
use crate::edge::http::openapi::examples;
use crate::edge::http::openapi::examples::Ask;
use crate::edge::http::openapi::examples::written;
use crate::edge::http::openapi::failures;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::parameters::Param;
use crate::edge::http::openapi::shapes::operations::ProblemDocument;
use crate::edge::http::passage::plain;
use crate::edge::http::routes;
use crate::edge::http::routes::Address;
use crate::edge::wire::codes::Code;
use crate::edge::wire::doors::KEY_HEADER;
use crate::edge::wire::doors::NAME_HEADER;
use crate::edge::wire::problem::Problem;
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
        openapi::hosting::GROUP,
        "Scenarios and their base schemas: publish, check, read, retire.",
    ),
    (
        openapi::negotiating::GROUP,
        "The effective template for who calls, and what changed since.",
    ),
    (openapi::submitting::GROUP, "Payloads: submit, check, many at once."),
    (openapi::calling::GROUP, "The same calls in other protocols."),
    (
        openapi::agents::GROUP,
        "A2A 1.0: messages become tasks. The protocol's specification says what its objects hold.",
    ),
    (
        openapi::inspecting::GROUP,
        "The pool, patches, the ledger and the evidence.",
    ),
    (
        openapi::operating::GROUP,
        "What a person decides: on a patch, a scenario, the service.",
    ),
    (
        openapi::auditing::GROUP,
        "Values that people look at, and what they say of the judges.",
    ),
    (
        openapi::sharing::GROUP,
        "The working memory that the agents of one session share.",
    ),
    (
        openapi::telling::GROUP,
        "The stream of changes, and webhooks for other systems.",
    ),
    (
        openapi::conversing::GROUP,
        "What was said between a user and agents, and what of it goes to whom.",
    ),
    (
        openapi::messaging::GROUP,
        "Messages that say what the work is about, what agents offer, and policies.",
    ),
    (
        openapi::working::GROUP,
        "What agents know of tasks: TaskContext, AgentContext, and large contents.",
    ),
    (
        openapi::watching::GROUP,
        "Metrics, health, problems, and this description.",
    ),
];

/// The document as it is served.
pub struct Served {
    pub text: String,
    /// With its quotes.
    pub etag: String,
}

/// Made once.
pub static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let text = text();
    let digest = Sha256::digest(text.as_bytes());
    Served {
        text,
        etag: format!("\"{}\"", hexadecimal(&digest[..12])),
    }
});

/// The document as JSON text, with a line break at its end.
pub fn text() -> String {
    let mut text = document().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// Every address with its whole path, as the document writes it.
pub fn addresses() -> Vec<(String, &'static Address)> {
    let prefix = PREFIXES.first().copied().unwrap_or_default();
    let hosted = routes::ADDRESSES
        .iter()
        .map(|address| (format!("{prefix}{}", plain(address.path)), address));
    let others = routes::OPERATIONS.iter().map(|address| (plain(address.path), address));
    hosted.chain(others).collect()
}

/// The description of an address, where there is one.
pub fn description<'d>(all: &'d [Described], address: &Address) -> Option<&'d Described> {
    let path = plain(address.path);
    all.iter()
        .find(|described| described.method == address.method && described.path == path)
}

fn document() -> OpenApi {
    let all = openapi::all();
    let asks = examples::story();
    let answers = examples::answers();
    let mut paths = Paths::new();
    let mut made = Made::default();
    for (path, address) in addresses() {
        if let (Some(described), Some(method)) = (description(&all, address), method(address.method)) {
            let asked: Vec<&Ask> = asks.iter().filter(|ask| ask.operation == described.id).collect();
            let operation = made.operation(address, described, &asked, &answers);
            let item = PathItem::new(method, operation);
            paths.paths.entry(path).or_default().merge_operations(item);
        }
    }
    for shape in openapi::agents::shapes() {
        (shape.collect)(&mut made.schemas);
    }
    for (name, path, operation) in openapi::agents::operations(&asks, &answers) {
        if let Some(method) = method(name) {
            let item = PathItem::new(method, operation);
            paths.paths.entry(path.to_owned()).or_default().merge_operations(item);
        }
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

fn method(name: &str) -> Option<HttpMethod> {
    match name {
        "GET" => Some(HttpMethod::Get),
        "PUT" => Some(HttpMethod::Put),
        "POST" => Some(HttpMethod::Post),
        "DELETE" => Some(HttpMethod::Delete),
        "PATCH" => Some(HttpMethod::Patch),
        _ => None,
    }
}

/// What operations share, as far as it was needed.
#[derive(Default)]
struct Made {
    schemas: Vec<(String, RefOr<Schema>)>,
    /// One for each set of codes that some operation has under one status.
    failures: BTreeMap<String, Vec<Code>>,
}

impl Made {
    fn operation(
        &mut self,
        address: &Address,
        described: &Described,
        asks: &[&Ask],
        answers: &Map<String, Value>,
    ) -> Operation {
        let mut operation = OperationBuilder::new()
            .tag(described.group)
            .operation_id(Some(described.id))
            .summary(Some(described.summary))
            .parameters(Some(described.parameters.iter().map(|param| parameter(param, asks))));
        if !described.description.is_empty() {
            operation = operation.description(Some(described.description));
        }
        if address.access != Access::Anyone {
            operation = operation.securities(Some(
                ["key", "header", "name"].map(|scheme| SecurityRequirement::new(scheme, [""; 0])),
            ));
        }
        if let Some(sent) = &described.sent {
            let body = self.content(sent.shape).examples_from_iter(self::sent(asks));
            let required = if sent.required { Required::True } else { Required::False };
            let body = RequestBodyBuilder::new()
                .content("application/json", body.build())
                .required(Some(required));
            operation = operation.request_body(Some(body.build()));
        }
        for said in &described.said {
            operation = operation.response(said.status.to_string(), self.said(described.id, said, asks, answers));
        }
        let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
        for code in failures::of(address.access, described) {
            by_status.entry(code.row().status).or_default().push(code);
        }
        for (status, codes) in by_status {
            let names: Vec<&str> = codes.iter().map(|code| code.row().code).collect();
            let name = names.join(".");
            operation = operation.response(status.to_string(), Ref::from_response_name(&name));
            self.failures.insert(name, codes);
        }
        operation.build()
    }

    fn said(&mut self, id: &str, said: &Said, asks: &[&Ask], answers: &Map<String, Value>) -> Response {
        let mut response = ResponseBuilder::new()
            .description(said.what)
            .header_ref("X-Request-Id", header_ref("X-Request-Id"));
        for name in said.headers {
            let shown = said.location.filter(|_| *name == LOCATION);
            response = match shown.and_then(parameters::leading) {
                Some(header) => response.header(*name, header),
                None => response.header_ref(*name, header_ref(name)),
            };
        }
        let told = |json: bool| {
            let of_form = asks.iter().copied().filter(|ask| {
                let answer = answers.get(&ask.key());
                answer.is_some_and(|answer| answer.is_string() != json)
            });
            self::told(&of_form.collect::<Vec<_>>(), answers, said.status)
        };
        let text = |media: &str| {
            let schema = ObjectBuilder::new().schema_type(Type::String).build();
            ContentBuilder::new()
                .schema(Some(schema))
                .examples_from_iter(told(false))
                .examples_from_iter(beginning(id, media))
                .build()
        };
        match &said.form {
            Form::Nothing => {}
            Form::Text(media) => response = response.content(*media, text(media)),
            Form::Files(media) => {
                for media in *media {
                    let content = ContentBuilder::new().examples_from_iter(beginning(id, media));
                    response = response.content(*media, content.build());
                }
            }
            Form::Json(shape) => {
                let content = self.content(*shape).examples_from_iter(told(true));
                response = response.content("application/json", content.build());
            }
            Form::TemplateOrExport(shape) => {
                let anything = ObjectBuilder::new().schema_type(Type::Object);
                let either = AnyOfBuilder::new().item((shape.reference)()).item(anything);
                let content = self.content(*shape).schema(Some(Schema::from(either.build())));
                response = response.content("application/json", content.examples_from_iter(told(true)).build());
                for media in FORMS.map(|form| form.media_type().split(';').next().unwrap_or_default()) {
                    if media.ends_with("+json") {
                        response = response.content(media, Content::default());
                    } else if media != "application/json" {
                        response = response.content(media, text(media));
                    }
                }
            }
        }
        response.build()
    }

    fn content(&mut self, shape: Shape) -> ContentBuilder {
        (shape.collect)(&mut self.schemas);
        ContentBuilder::new().schema(Some((shape.reference)()))
    }

    fn components(mut self) -> Components {
        (shape::<ProblemDocument>().collect)(&mut self.schemas);
        let schemas: BTreeMap<String, RefOr<Schema>> = self.schemas.into_iter().collect();
        let mut components = ComponentsBuilder::new().schemas_from_iter(schemas);
        for (name, schema, what) in parameters::HEADERS {
            components = components.header(name, parameters::header(schema, what));
        }
        for code in Code::ALL {
            let row = code.row();
            let problem = example(row.title, Problem::new(*code, row.meaning).document());
            components = components.example(row.code, problem.build());
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

/// A parameter with what the first example that has it says.
fn parameter(param: &Param, asks: &[&Ask]) -> Parameter {
    let required = if param.place == ParameterIn::Path {
        Required::True
    } else {
        Required::False
    };
    let example = asks
        .iter()
        .find_map(|ask| ask.value(param.name))
        .map(|text| match text {
            "true" | "false" => Value::Bool(text == "true"),
            text => text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from),
        });
    ParameterBuilder::new()
        .name(param.name)
        .parameter_in(param.place.clone())
        .required(required)
        .description(Some(param.what))
        .schema(Some(param.schema.clone()))
        .example(example)
        .build()
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
        .item((shape::<ProblemDocument>().reference)())
        .item(ObjectBuilder::new().property("code", code.build()));
    let examples = names.map(|name| (name, RefOr::Ref(Ref::new(format!("#/components/examples/{name}")))));
    let content = ContentBuilder::new()
        .schema(Some(Schema::from(schema.build())))
        .examples_from_iter(examples);
    let mut response = ResponseBuilder::new()
        .description(what.join("\n"))
        .header_ref("X-Request-Id", header_ref("X-Request-Id"))
        .content("application/problem+json", content.build());
    let (mut wait, mut allow, mut challenge) = (false, false, false);
    for problem in codes.iter().map(|code| Problem::new(*code, "")) {
        wait |= problem.retry_after_s.is_some();
        allow |= problem.code == Code::MethodNotAllowed;
        challenge |= problem.challenge.is_some();
    }
    for (name, there) in [("Retry-After", wait), ("Allow", allow), ("WWW-Authenticate", challenge)] {
        if there {
            response = response.header_ref(name, header_ref(name));
        }
    }
    response.build()
}

/// A header that components describe.
pub fn header_ref(name: &str) -> Ref {
    Ref::new(format!("#/components/headers/{name}"))
}

/// What the examples send.
pub fn sent(asks: &[&Ask]) -> Vec<(&'static str, ExampleBuilder)> {
    let bodies = asks.iter().filter_map(|ask| Some((ask, ask.body.clone()?)));
    bodies
        .map(|(ask, body)| (ask.name, example(ask.summary, body)))
        .collect()
}

/// What they were answered with a status.
pub fn told(asks: &[&Ask], answers: &Map<String, Value>, status: u16) -> Vec<(&'static str, ExampleBuilder)> {
    let asked = asks.iter().filter(|ask| ask.status == status);
    let told = asked.filter_map(|ask| Some((ask, answers.get(&ask.key())?.clone())));
    told.map(|(ask, told)| (ask.name, example(ask.summary, told))).collect()
}

/// How an answer begins that no example could be asked for.
pub fn beginning(operation: &str, media: &str) -> Option<(&'static str, ExampleBuilder)> {
    let written = written::of(operation, media)?;
    Some(("beginning", example(written.summary, Value::from(written.text))))
}

/// An example with a sentence that says what it is of.
pub fn example(summary: &str, value: Value) -> ExampleBuilder {
    ExampleBuilder::new().summary(summary).value(Some(value))
}

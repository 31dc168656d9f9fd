//! What HTTP answers by itself, before any service is asked: a transport that is not open yet shows how far a call got.

mod on_the_wire;

use std::sync::Arc;
use std::time::Duration;

use actix_http::Request;
use actix_service::boxed;
use actix_service::boxed::BoxService;
use actix_web::App;
use actix_web::body::MessageBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::test;
use actix_web::test::TestRequest;
use actix_web::web;
use serde_json::Value;

use crate::app::caller::Caller;
use crate::app::caller::Origin;
use crate::app::caller::Role;
use crate::app::learning::ScenarioStats;
use crate::config::agents::A2a;
use crate::http::access::Access;
use crate::http::app_state::AppState;
use crate::http::app_state::Limits;
use crate::http::app_state::Names;
use crate::http::app_state::Terms;
use crate::http::middleware::apply;
use crate::http::openapi::document::SERVED;
use crate::http::routes;
use crate::http::routes::ENDPOINTS;
use crate::http::routes::Endpoint;
use crate::http::streams::StreamLimits;
use crate::mcp::mcp_limits::McpLimits;
use crate::wire::authenticator::Authenticator;
use crate::wire::authenticator::Credentials;
use crate::wire::authenticator::Health;
use crate::wire::authenticator::MetricsPage;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Lets everyone in, or only the key `client` or `operator` with that role.
struct Door {
    open: bool,
}

impl Authenticator for Door {
    fn is_open(&self) -> bool {
        self.open
    }

    fn caller(&self, credentials: &Credentials<'_>) -> Result<Caller, Problem> {
        let roles = match (self.open, credentials.key.as_slice()) {
            (true, _) => [Role::Publisher, Role::Client, Role::Operator, Role::Auditor].into(),
            (false, ["operator"]) => [Role::Operator].into(),
            (false, ["client"]) => [Role::Client].into(),
            (false, _) => return Err(Problem::new(Code::Unauthenticated, "who are you?")),
        };
        Ok(Caller {
            client: None,
            roles,
            speaks_as: None,
            origin: Origin::default(),
        })
    }

    fn is_current(&self, _: &Caller) -> bool {
        true
    }
}

struct EmptyPage;

impl MetricsPage for EmptyPage {
    fn page(&self, _: &[ScenarioStats], _: Health) -> Result<String, String> {
        Ok("# nothing\n".to_owned())
    }
}

fn app_state(open: bool) -> Arc<AppState> {
    let limits = Limits {
        body: 64,
        body_timeout: Duration::from_millis(300),
        client_requests: (0, 0),
        rpc_batch_calls_max: 2,
    };
    Arc::new(AppState::new(
        Arc::new(Door { open }),
        Arc::new(EmptyPage),
        Terms {
            metrics_public: false,
            console: true,
            limits,
            streams: StreamLimits {
                streams_max: 1,
                per_client_max: 1,
                heartbeat: Duration::from_secs(1),
                retry: Duration::from_secs(1),
                stall: Duration::from_secs(1),
            },
            card: A2a::default(),
            mcp_names: Names::default(),
            tls_proxies: Vec::new(),
            mcp_limits: McpLimits {
                sessions_max: 1,
                sessions_per_client_max: 1,
                session_idle: Duration::from_secs(1),
                follows_max: 1,
                scenario_tools_max: None,
                tool_name_max: 44,
                heartbeat: Duration::from_secs(1),
            },
        },
        7,
    ))
}

type Served = BoxService<Request, ServiceResponse, actix_web::Error>;

async fn serve(open: bool) -> Served {
    serve_state(app_state(open)).await
}

async fn serve_state(state: Arc<AppState>) -> Served {
    let app = App::new()
        .app_data(web::Data::from(state))
        .app_data(web::Data::from(Arc::clone(&SERVED)))
        .configure(routes::configure)
        .wrap(from_fn(apply));
    boxed::service(test::init_service(app).await)
}

async fn ask(open: bool, request: TestRequest) -> (ServiceResponse, Value) {
    ask_of(&serve(open).await, request).await
}

async fn ask_of(served: &Served, request: TestRequest) -> (ServiceResponse, Value) {
    let response = test::call_service(served, request.to_request()).await;
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let bytes = body.try_into_bytes().unwrap_or_default();
    let value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    (ServiceResponse::new(request, response.map_into_boxed_body()), value)
}

fn to(method: &str, path: &str) -> TestRequest {
    TestRequest::default()
        .method(Method::from_bytes(method.as_bytes()).expect("a method"))
        .uri(path)
        .insert_header(("Host", "localhost:8080"))
}

/// What a body comes with.
const JSON: (&str, &str) = ("Content-Type", "application/json");

fn header<'a>(response: &'a ServiceResponse, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("")
}

/// An address with its segments filled in.
fn filled(pattern: &str) -> String {
    let mut parts = pattern.split('{');
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (within, after) = part.split_once('}').expect("a segment");
        let value = match within.split(':').next().expect("a name") {
            "scenario" => "flight%20booking".to_owned(),
            "schema_id" => "trip_v1".to_owned(),
            "patch_id" => "trip.p1".to_owned(),
            "sha256" => "0".repeat(64),
            "code" => "busy".to_owned(),
            "file" => "index.html".to_owned(),
            name => format!("{name}_1"),
        };
        path.push_str(&value);
        path.push_str(after);
    }
    path
}

/// Every address of an endpoint that A2A does not describe.
fn all() -> impl Iterator<Item = (String, &'static Endpoint)> {
    let ours = ENDPOINTS.iter().filter(|endpoint| !endpoint.path.starts_with("/a2a"));
    ours.flat_map(|endpoint| {
        endpoint
            .patterns()
            .into_iter()
            .map(move |pattern| (filled(&pattern), endpoint))
    })
}

#[actix_web::test]
async fn every_address_is_served_under_both_prefixes_and_leads_to_the_service_z002() {
    let served = serve(true).await;
    for (path, address) in all() {
        for path in [path.clone(), path.replace(':', "%3A")] {
            let request = to(address.method, &path)
                .insert_header(JSON)
                .set_payload(r#"{"method":"get_schema_template","params":{"scenario":"x"}}"#);
            let (response, body) = ask_of(&served, request).await;
            let expected = match address.access {
                Access::For(_) => "not_ready",
                Access::Anyone if matches!(address.path.as_str(), "/readyz" | "/.well-known/agent-card.json") => {
                    "not_ready"
                }
                Access::Anyone | Access::Scraper => {
                    let expected = if address.path == "/docs" { 308 } else { 200 };
                    assert_eq!(response.status(), expected, "{path}");
                    continue;
                }
            };
            assert_eq!(body["code"], expected, "{} {path}: {body}", address.method);
            assert_eq!(response.status(), 503, "{path}");
            assert_eq!(header(&response, "Retry-After"), "1", "{path}");
        }
    }
}

#[actix_web::test]
async fn metrics_are_for_those_who_inspect() {
    for (key, status) in [("client", 403), ("operator", 200)] {
        let (response, _) = ask(false, to("GET", "/metrics").insert_header(("X-API-Key", key))).await;
        assert_eq!(response.status(), status, "{key}");
    }
}

#[actix_web::test]
async fn addresses_of_agents_are_answered_in_the_form_of_their_protocol() {
    let (closed, served) = (serve(false).await, serve(true).await);
    let of_agents = ENDPOINTS.iter().filter(|endpoint| endpoint.path.starts_with("/a2a"));
    let slash = of_agents.clone().take(1).map(|address| ("/a2a/".to_owned(), address));
    for (path, address) in of_agents.map(|address| (filled(&address.path), address)).chain(slash) {
        let enveloped = address.path == "/a2a";
        let (response, body) = ask_of(&closed, to(address.method, &path)).await;
        assert_eq!(response.status(), 401, "{path}");
        assert!(header(&response, "WWW-Authenticate").starts_with("Bearer"), "{path}");
        assert_eq!(header(&response, "Content-Type"), "application/json");
        let number = if enveloped { 40_101 } else { 401 };
        assert_eq!(body["error"]["code"], number, "{path}: {body}");
        for path in [path.clone(), path.replace(':', "%3A")] {
            let payload = match (enveloped, address.method) {
                (true, _) => r#"{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{}}"#,
                (false, "POST") => "{}",
                (false, _) => "",
            };
            let request = to(address.method, &path).insert_header(("A2A-Version", "1.0"));
            let (response, body) = ask_of(&served, request.insert_header(JSON).set_payload(payload)).await;
            let status = if enveloped { 200 } else { 503 };
            assert_eq!(response.status(), status, "{} {path}: {body}", address.method);
            let number = if enveloped { 50_303 } else { 503 };
            assert_eq!(body["error"]["code"], number, "{path}: {body}");
        }
    }
}

#[actix_web::test]
async fn nowhere_and_wrong_methods_are_problems_with_allow() {
    for path in [
        "/v1",
        "/v1/nothing",
        "/v1/patches/p1:explode",
        "/v1/namespaces/other/scenarios",
        "/v1/scenarios/",
    ] {
        let (response, body) = ask(true, to("GET", path)).await;
        assert_eq!(
            (response.status().as_u16(), &body["code"]),
            (404, &Value::from("not_found")),
            "{path}"
        );
        assert_eq!(header(&response, "Content-Type"), "application/problem+json");
    }
    for (method, path, allow) in [
        ("POST", "/v1/scenarios", "GET, HEAD"),
        ("POST", "/v1/schemas/x", "PUT, GET, HEAD, DELETE"),
        ("GET", "/v1/submissions", "POST"),
        ("GET", "/v1/patches/p1:approve", "POST"),
        ("OPTIONS", "/metrics", "GET, HEAD"),
        ("POST", "/", "GET, HEAD"),
    ] {
        let (response, body) = ask(true, to(method, path)).await;
        assert_eq!(
            (response.status().as_u16(), &body["code"]),
            (405, &Value::from("method_not_allowed")),
            "{path}"
        );
        assert_eq!(header(&response, "Allow"), allow, "{path}");
    }
}

#[actix_web::test]
async fn unknown_parameters_are_named_with_the_known_ones() {
    for path in [
        "/v1/scenarios?query=x",
        "/v1/scenarios/t/template?lang=de",
        "/v1/scenarios/t/updates?since=x",
    ] {
        let (response, body) = ask(true, to("GET", path)).await;
        assert_eq!(response.status(), 400, "{path}");
        assert!(
            body["detail"].as_str().is_some_and(|text| text.contains("parameter")),
            "{body}"
        );
    }
}

#[actix_web::test]
async fn bodies_are_checked_before_the_service_is_asked() {
    let post = || to("POST", "/v1/submissions");
    for (request, code) in [
        (post().set_payload("{}"), "unsupported_media_type"),
        (post().insert_header(JSON).set_payload("x".repeat(64)), "not_ready"),
        (post().insert_header(JSON).set_payload("x".repeat(65)), "too_large"),
        (
            post().insert_header(JSON).insert_header(("Content-Length", "65")),
            "too_large",
        ),
        (
            post().insert_header(("Content-Type", "text/plain")).set_payload("{}"),
            "unsupported_media_type",
        ),
        (
            post().insert_header(JSON).insert_header(("Content-Encoding", "gzip")),
            "unsupported_media_type",
        ),
        (
            post()
                .insert_header(JSON)
                .insert_header(("Content-Encoding", "Identity")),
            "not_ready",
        ),
        (post().insert_header(JSON).set_payload(&b"\"\xff\""[..]), "not_utf8"),
        (
            post()
                .insert_header(JSON)
                .insert_header(("Accept", "text/html"))
                .set_payload("{}"),
            "not_acceptable",
        ),
        (post().insert_header(("Idempotency-Key", "")), "bad_header"),
        (post().insert_header(("Idempotency-Key", "a b")), "bad_header"),
        (post().insert_header(("Idempotency-Key", "x".repeat(255))), "not_ready"),
        (post().insert_header(("Idempotency-Key", "x".repeat(256))), "bad_header"),
        (
            post()
                .append_header(("Idempotency-Key", "a"))
                .append_header(("Idempotency-Key", "b")),
            "bad_header",
        ),
    ] {
        let (_, body) = ask(true, request).await;
        assert_eq!(body["code"], code, "{body}");
    }
}

#[actix_web::test]
async fn a_body_that_a_page_can_send_without_asking_is_refused_at_every_address() {
    let served = serve(true).await;
    let sends = ["POST", "PUT", "PATCH", "DELETE"];
    let changing = ENDPOINTS.iter().filter(|endpoint| sends.contains(&endpoint.method));
    for endpoint in changing {
        for media in [
            None,
            Some("text/plain"),
            Some("text/plain;charset=UTF-8"),
            Some("multipart/form-data; boundary=x"),
            Some("application/x-www-form-urlencoded"),
        ] {
            let mut request = to(endpoint.method, &filled(&endpoint.path));
            if let Some(media) = media {
                request = request.insert_header(("Content-Type", media));
            }
            let (response, body) = ask_of(&served, request.set_payload("{}")).await;
            let (status, told) = (response.status().as_u16(), body.to_string());
            // JSON-RPC has the status among its own members.
            let refused = status == 415 || told.contains("41501");
            assert!(
                refused,
                "{} {} {media:?}: {status} {told}",
                endpoint.method, endpoint.path
            );
        }
    }
}

#[actix_web::test]
async fn a_page_of_another_origin_changes_nothing_unless_the_origin_is_listed() {
    const LISTED: &str = "http://localhost:3000";
    let state = |open| {
        let mut state = app_state(open);
        let names = &mut Arc::get_mut(&mut state).expect("not shared yet").mcp_names;
        names.origins = vec![LISTED.to_owned()];
        state
    };
    for open in [true, false] {
        let served = serve_state(state(open)).await;
        let code = async |method: &str, headers: &[(&'static str, &'static str)]| {
            let mut request = to(method, "/v1/service:read-only").insert_header(("X-API-Key", "operator"));
            for header in headers {
                request = request.insert_header(*header);
            }
            let (_, body) = ask_of(&served, request).await;
            body["code"].as_str().unwrap_or_default().to_owned()
        };
        for site in ["cross-site", "same-site"] {
            let from = ("Sec-Fetch-Site", site);
            assert_eq!(code("POST", &[from]).await, "bad_origin", "{site}");
            assert_eq!(code("POST", &[from, ("Origin", "null")]).await, "bad_origin", "{site}");
            assert_eq!(code("POST", &[from, ("Origin", LISTED)]).await, "not_ready", "{site}");
            assert_eq!(code("GET", &[from]).await, "method_not_allowed", "a navigation");
        }
        for site in ["same-origin", "none"] {
            assert_eq!(code("POST", &[("Sec-Fetch-Site", site)]).await, "not_ready", "{site}");
        }
        // Old browsers say no more than this, and a service with keys is called with one, which asks first.
        let another = code("POST", &[("Origin", "http://localhost:8081")]).await;
        assert_eq!(another, if open { "bad_origin" } else { "not_ready" });
        assert_eq!(
            code("POST", &[("Origin", "http://LOCALHOST:8080")]).await,
            "not_ready",
            "its own"
        );
    }
}

#[actix_web::test]
async fn a_page_of_a_listed_origin_is_answered_as_browsers_ask() {
    const LISTED: &str = "https://desk.example";
    let mut state = app_state(false);
    Arc::get_mut(&mut state).expect("not shared yet").mcp_names.origins = vec![LISTED.to_owned()];
    let served = serve_state(state).await;
    for path in ["/v1/submissions", "/mcp", "/a2a"] {
        let preflight = |origin: &'static str| {
            to("OPTIONS", path)
                .insert_header(("Origin", origin))
                .insert_header(("Access-Control-Request-Method", "POST"))
                .insert_header(("Access-Control-Request-Headers", "authorization,content-type"))
        };
        let (response, _) = ask_of(&served, preflight(LISTED)).await;
        assert_eq!(response.status(), 204, "{path}");
        assert_eq!(header(&response, "Access-Control-Allow-Origin"), LISTED);
        assert_eq!(
            header(&response, "Access-Control-Allow-Headers"),
            "authorization,content-type"
        );
        assert!(header(&response, "Access-Control-Allow-Methods").contains("DELETE"));
        let (response, _) = ask_of(&served, preflight("https://other.example")).await;
        assert_eq!(response.status(), 405, "{path}");
        assert_eq!(header(&response, "Access-Control-Allow-Origin"), "");
        assert_eq!(header(&response, "Vary"), "Origin");
    }
    // A refusal is read by the page as well.
    let (response, _) = ask_of(&served, to("GET", "/v1/scenarios").insert_header(("Origin", LISTED))).await;
    assert_eq!(response.status(), 401);
    assert_eq!(header(&response, "Access-Control-Allow-Origin"), LISTED);
    let exposed = header(&response, "Access-Control-Expose-Headers");
    for name in ["Mcp-Session-Id", "ETag", "Retry-After", "Otherwise-Revision"] {
        assert!(exposed.split(", ").any(|exposed| exposed == name), "{name}: {exposed}");
    }
}

#[actix_web::test]
async fn a_negotiation_is_read_before_the_service_is_asked_z173() {
    for (text, code) in [
        (
            r#"{"method":"get_schema_template","params":{"scenario":"x"}}"#,
            "not_ready",
        ),
        (r#"{"method":"x","params":{"scenario":"x"}}"#, "bad_request"),
        ("{", "bad_request"),
        ("", "bad_request"),
    ] {
        let (_, body) = ask(
            true,
            to("POST", "/v1/scenarios:negotiate")
                .insert_header(JSON)
                .set_payload(text),
        )
        .await;
        assert_eq!(body["code"], code, "{text}");
    }
}

#[actix_web::test]
async fn an_open_service_answers_this_machine_alone() {
    let ask_with = |host: &'static str, origin: Option<&'static str>| async move {
        let mut request = TestRequest::get().uri("/v1/scenarios").insert_header(("Host", host));
        if let Some(origin) = origin {
            request = request.insert_header(("Origin", origin));
        }
        ask(true, request).await.1["code"].clone()
    };
    assert_eq!(ask_with("127.0.0.1:9", None).await, "not_ready");
    assert_eq!(ask_with("[::1]:9", Some("http://[::1]:9")).await, "not_ready");
    assert_eq!(
        ask_with("localhost:9", Some("http://localhost:3000")).await,
        "bad_origin"
    );
    assert_eq!(ask_with("localhost:9", Some("http://127.0.0.1:9")).await, "bad_origin");
    assert_eq!(ask_with("rebound.example", None).await, "bad_host");
    assert_eq!(ask_with("localhost", Some("https://evil.example")).await, "bad_origin");
    assert_eq!(ask_with("localhost", Some("null")).await, "bad_origin");
    let (_, nameless) = ask(true, TestRequest::get().uri("/v1/scenarios")).await;
    assert_eq!(nameless["code"], "bad_host");
    let absolute = TestRequest::get()
        .uri("http://evil.example/v1/scenarios")
        .insert_header(("Host", "localhost"));
    assert_eq!(ask(true, absolute).await.1["code"], "bad_host");
    let closed = TestRequest::get()
        .uri("/v1/scenarios")
        .insert_header(("Host", "otherwise.example"))
        .insert_header(("X-API-Key", "client"));
    assert_eq!(ask(false, closed).await.1["code"], "not_ready");
}

#[actix_web::test]
async fn request_ids_are_echoed_or_made() {
    let (response, _) = ask(true, to("GET", "/healthz").insert_header(("X-Request-Id", "abc-1"))).await;
    assert_eq!(header(&response, "X-Request-Id"), "abc-1");
    assert_eq!(header(&response, "X-Content-Type-Options"), "nosniff");
    assert_eq!(header(&response, "Cache-Control"), "no-store");
    for brought in ["", "a b", &"x".repeat(129)] {
        let (response, _) = ask(true, to("GET", "/nowhere").insert_header(("X-Request-Id", brought))).await;
        assert_eq!(header(&response, "X-Request-Id"), "0000000000000007-0", "{brought}");
    }
}

#[actix_web::test]
async fn strange_paths_are_answered_in_kind() {
    for path in [
        "/v1/scenarios/%FF/template",
        "/v1/scenarios/a%2Fb/template",
        "/v1/scenarios/%00/template",
        "/v1/schemas/%25",
        "/v1/patches/%C3%BC.p1",
        "//v1/scenarios",
        "/v1/../metrics",
    ] {
        let (response, body) = ask(true, to("GET", path)).await;
        assert!(body["code"].is_string(), "{path}: {} {body}", response.status());
    }
}

#[actix_web::test]
async fn problems_explain_themselves_z181() {
    let served = serve(true).await;
    for code in Code::ALL {
        let (response, body) = ask_of(&served, to("GET", &format!("/problems/{}", code.row().code))).await;
        assert_eq!(response.status(), 200);
        assert_eq!(body["status"], code.row().status);
    }
    let (_, body) = ask_of(&served, to("GET", "/problems/none")).await;
    assert_eq!(body["code"], "unknown_problem");
}

#[actix_web::test]
async fn the_front_leads_to_addresses_that_there_are() {
    let (response, body) = ask(false, to("GET", "/")).await;
    assert_eq!(
        (response.status().as_u16(), &body["service"]),
        (200, &Value::from("otherwise"))
    );
    let links = body["links"].as_object().expect("links");
    for at in ["/docs/", "/openapi.json", "/healthz", "/v1/scenarios"] {
        assert!(links.values().any(|link| link == at), "{at}: {body}");
    }
    for link in links.values() {
        let (response, _) = ask(true, to("GET", link.as_str().expect("an address"))).await;
        assert_ne!(response.status(), 404, "{link}");
    }
}

//! The one table of endpoints: who may call each, and which handler answers it. Method, path and failures are what the handler says
//! of itself.
//!
//! Each path under `/v1` is served under `/v1/namespaces/default` as well. A GET is also a HEAD. Any other method on a
//! known path is 405 with `Allow`, anything else 404.

use std::cmp::Reverse;
use std::sync::LazyLock;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::Resource;
use actix_web::Route;
use actix_web::guard;
use actix_web::http::Method;
use actix_web::web;
use utoipa::OpenApi;
use utoipa::openapi::Components;
use utoipa::openapi::path::Operation;
use utoipa::openapi::path::PathItem;

use crate::api::a2a::AgentFailure;
use crate::api::problems::ProblemDocument;
use crate::app::caller::Permission;
use crate::http::access::Access;
use crate::http::access::PREFIXES;
use crate::http::access::Permits;
use crate::http::agents;
use crate::http::catalogue;
use crate::http::console;
use crate::http::conversations;
use crate::http::docs;
use crate::http::events;
use crate::http::history;
use crate::http::learning;
use crate::http::mcp;
use crate::http::me;
use crate::http::messages;
use crate::http::middleware::PLAIN;
use crate::http::middleware::Shown;
use crate::http::operations;
use crate::http::pool;
use crate::http::rpc;
use crate::http::services;
use crate::http::session_contents;
use crate::http::sessions;
use crate::http::stats;
use crate::http::submissions;
use crate::http::task_contexts;
use crate::http::template;
use crate::http::webhooks;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

const ANYONE: Access = Access::Anyone;
const SCRAPER: Access = Access::Scraper;
const NEGOTIATE: Access = Access::For(Permission::Negotiate);
const PUBLISH: Access = Access::For(Permission::Publish);
const SUBMIT: Access = Access::For(Permission::Submit);
const SHARE: Access = Access::For(Permission::Share);
const INSPECT: Access = Access::For(Permission::Inspect);
const AUDIT: Access = Access::For(Permission::Audit);
const OPERATE: Access = Access::For(Permission::Operate);

/// A row of the table: a handler by its name, who may call it, and how a route leads to it.
type Row = (&'static str, Access, fn(Route) -> Route);

macro_rules! endpoints {
    ($($access:ident $($handler:ident)::+;)*) => {
        #[derive(OpenApi)]
        #[openapi(paths($($($handler)::+),*), components(schemas(AgentFailure, ProblemDocument)))]
        struct Handlers;

        const ROWS: &[Row] = &[
            $((stringify!($($handler)::+), $access, |route| route.to($($handler)::+))),*
        ];
    };
}

// In the order in which people read them.
endpoints! {
    NEGOTIATE catalogue::list_scenarios;
    NEGOTIATE template::negotiate_template;
    PUBLISH catalogue::rebase_scenario;
    PUBLISH catalogue::check_schema;
    PUBLISH catalogue::import_schema;
    PUBLISH catalogue::restore_schema;
    PUBLISH catalogue::deprecate_schema;
    PUBLISH catalogue::publish_schema;
    NEGOTIATE catalogue::read_schema;
    PUBLISH catalogue::retire_schema;
    NEGOTIATE template::read_template;
    NEGOTIATE template::list_updates;
    SUBMIT template::list_wishes;
    NEGOTIATE template::stream_updates;
    SUBMIT submissions::submit;
    SUBMIT submissions::validate_submission;
    SUBMIT submissions::submit_batch;
    SUBMIT submissions::request_extension;
    PUBLISH webhooks::register_webhook;
    PUBLISH webhooks::list_webhooks;
    PUBLISH webhooks::test_webhook;
    PUBLISH webhooks::read_webhook;
    PUBLISH webhooks::delete_webhook;
    SHARE sessions::create_session;
    SHARE sessions::list_sessions;
    AUDIT sessions::audit_sessions;
    SHARE sessions::archive_session;
    SHARE sessions::read_session;
    SHARE sessions::delete_session;
    SHARE sessions::grant_session;
    SHARE sessions::revoke_session;
    SHARE session_contents::act_in_session;
    SHARE session_contents::list_session_keys;
    SHARE session_contents::read_session_keys;
    SHARE session_contents::read_session_key;
    SHARE session_contents::write_session_key;
    SHARE session_contents::delete_session_key;
    SHARE session_contents::read_session_key_history;
    SHARE session_contents::list_session_snapshots;
    SHARE session_contents::take_session_snapshot;
    SHARE session_contents::roll_session_back;
    SHARE session_contents::read_session_snapshot;
    SHARE session_contents::delete_session_snapshot;
    SHARE sessions::follow_session;
    SHARE sessions::read_session_prompt;
    OPERATE sessions::inspect_session;
    NEGOTIATE task_contexts::create_task;
    NEGOTIATE task_contexts::list_tasks;
    NEGOTIATE task_contexts::close_task;
    NEGOTIATE task_contexts::read_task;
    NEGOTIATE task_contexts::change_task;
    NEGOTIATE task_contexts::delete_task;
    NEGOTIATE task_contexts::send_subtask;
    NEGOTIATE task_contexts::resend_subtask;
    NEGOTIATE task_contexts::evaluate_subtask;
    NEGOTIATE task_contexts::read_subtask;
    NEGOTIATE task_contexts::return_subtask;
    NEGOTIATE task_contexts::store_content;
    NEGOTIATE task_contexts::read_content;
    NEGOTIATE task_contexts::delete_content;
    INSPECT catalogue::list_versions;
    INSPECT catalogue::list_clients;
    INSPECT stats::read_scenario_stats;
    NEGOTIATE history::read_difference;
    INSPECT history::read_decision_log;
    INSPECT catalogue::read_owner;
    OPERATE catalogue::give_scenario;
    INSPECT pool::read_pool;
    INSPECT pool::read_cluster;
    OPERATE pool::dismiss_cluster;
    AUDIT learning::review_pool;
    OPERATE learning::propose_keys;
    INSPECT learning::list_patches;
    INSPECT learning::read_ledger;
    NEGOTIATE learning::read_patch;
    INSPECT learning::read_evidence;
    OPERATE learning::approve_patch;
    OPERATE learning::reject_patch;
    OPERATE learning::promote_patch;
    OPERATE learning::demote_patch;
    OPERATE learning::deprecate_patch;
    OPERATE learning::withdraw_patch;
    OPERATE learning::restore_patch;
    INSPECT learning::list_approvals;
    AUDIT learning::list_audits;
    AUDIT learning::summarise_audits;
    AUDIT learning::read_audit;
    AUDIT learning::answer_audit;
    OPERATE learning::freeze_scenario;
    OPERATE learning::thaw_scenario;
    NEGOTIATE conversations::open_conversation;
    NEGOTIATE conversations::list_conversations;
    NEGOTIATE conversations::embed_context;
    NEGOTIATE conversations::read_conversation;
    NEGOTIATE conversations::delete_conversation;
    NEGOTIATE conversations::say_turn;
    NEGOTIATE conversations::declare_recipient;
    NEGOTIATE conversations::remove_recipient;
    NEGOTIATE conversations::fetch_context;
    NEGOTIATE messages::check_message;
    NEGOTIATE messages::render_message;
    NEGOTIATE messages::convert_task_context;
    NEGOTIATE messages::read_policies;
    NEGOTIATE services::register_services;
    NEGOTIATE services::read_services;
    NEGOTIATE services::stream_services;
    INSPECT events::follow_events;
    NEGOTIATE me::read_me;
    OPERATE operations::read_backup;
    INSPECT operations::read_service;
    OPERATE operations::close_service;
    OPERATE operations::open_service;
    ANYONE docs::read_front;
    NEGOTIATE rpc::call_rpc;
    ANYONE agents::read_agent_card;
    NEGOTIATE mcp::call_mcp;
    NEGOTIATE mcp::listen_mcp;
    NEGOTIATE mcp::end_mcp;
    SCRAPER operations::read_metrics;
    ANYONE operations::read_health;
    ANYONE operations::read_readiness;
    ANYONE operations::list_problems;
    ANYONE operations::read_problem;
    ANYONE docs::read_openapi;
    ANYONE docs::read_docs;
    ANYONE docs::read_docs_file;
    NEGOTIATE agents::rpc::call_a2a;
    NEGOTIATE agents::rest::send_message;
    NEGOTIATE agents::rest::stream_message;
    NEGOTIATE agents::rest::list_a2a_tasks;
    NEGOTIATE agents::rest::read_a2a_task;
    NEGOTIATE agents::rest::cancel_task;
    NEGOTIATE agents::rest::follow_task;
    NEGOTIATE agents::rest::follow_task_by_post;
    NEGOTIATE agents::rest::tell_of_task;
    NEGOTIATE agents::rest::list_told_of_task;
    NEGOTIATE agents::rest::read_told_of_task;
    NEGOTIATE agents::rest::tell_of_task_no_more;
    NEGOTIATE agents::rest::read_extended_agent_card;
}

/// The member of a handler's description that names its own failures, beside those that follow from its address. It does not stand
/// in the document, whose answers tell them.
const FAILS: &str = "x-fails";

/// The prefix of all addresses but those of operations and of other protocols.
const VERSION: &str = PREFIXES[0];

/// A method at an address.
pub struct Endpoint {
    pub method: &'static str,
    /// As people write it: `/v1/patches/{patch_id}:approve`.
    pub path: String,
    /// As its handler writes it: what a segment may hold stands there where it is less than anything.
    pattern: String,
    pub access: Access,
    pub operation: Operation,
    /// Failures of its own.
    pub codes: Vec<Code>,
    to: fn(Route) -> Route,
}

impl Endpoint {
    /// The operation's id: the name of its handler.
    pub fn id(&self) -> &str {
        self.operation.operation_id.as_deref().unwrap_or_default()
    }

    /// Its addresses as the router matches them, one for each prefix.
    pub fn patterns(&self) -> Vec<String> {
        match self.pattern.strip_prefix(VERSION) {
            Some(rest) => PREFIXES.iter().map(|prefix| format!("{prefix}{rest}")).collect(),
            None => vec![self.pattern.clone()],
        }
    }
}

/// Every endpoint in the table's order.
pub static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(|| {
    let described: Vec<(String, &'static str, Operation)> = Handlers::openapi()
        .paths
        .paths
        .into_iter()
        .flat_map(|(path, item)| operations(path, item))
        .collect();
    ROWS.iter()
        .filter_map(|(handler, access, to)| {
            let name = handler.rsplit(':').next().unwrap_or(handler).trim();
            let is_it = |operation: &Operation| operation.operation_id.as_deref() == Some(name);
            let (path, method, operation) = described.iter().find(|(_, _, operation)| is_it(operation))?;
            let mut operation = operation.clone();
            let own = operation.extensions.take().unwrap_or_default();
            let names = own.get(FAILS).and_then(|names| names.as_array()).into_iter().flatten();
            Some(Endpoint {
                method,
                path: plain(path),
                pattern: pattern(path),
                access: *access,
                operation,
                codes: names.filter_map(|name| Code::named(name.as_str()?)).collect(),
                to: *to,
            })
        })
        .collect()
});

/// The schemas that the endpoints name.
pub fn schemas() -> Components {
    Handlers::openapi().components.unwrap_or_default()
}

fn operations(path: String, item: PathItem) -> impl Iterator<Item = (String, &'static str, Operation)> {
    let methods = [
        ("GET", item.get),
        ("PUT", item.put),
        ("POST", item.post),
        ("DELETE", item.delete),
        ("PATCH", item.patch),
    ];
    methods
        .into_iter()
        .filter_map(move |(method, operation)| Some((path.clone(), method, operation?)))
}

/// A path as the router matches it: before a verb a segment ends at the colon.
fn pattern(path: &str) -> String {
    path.replace("}:", ":[^/:]+}:")
}

/// A path as people write it: `{file}`, whatever the segment may hold.
fn plain(path: &str) -> String {
    path.split('{')
        .map(|part| match part.split_once('}') {
            Some((within, after)) => format!("{{{}}}{after}", within.split(':').next().unwrap_or(within)),
            None => part.to_owned(),
        })
        .collect()
}

/// Addresses of other protocols that clients also call with a slash at the end.
const WITH_SLASH: [&str; 2] = ["/a2a", "/mcp"];

/// Registers the addresses of [`PLAIN`] alone.
pub fn configure_plain(config: &mut web::ServiceConfig) {
    for path in PLAIN {
        config.service(resource(path, path).app_data(Shown(path.to_owned())));
    }
    config.default_service(web::to(nowhere));
}

/// Registers everything.
pub fn configure(config: &mut web::ServiceConfig) {
    for prefix in PREFIXES {
        register(config, prefix, |endpoint| endpoint.pattern.strip_prefix(VERSION));
    }
    register(config, "", |endpoint| {
        Some(endpoint.pattern.as_str()).filter(|pattern| !pattern.starts_with(VERSION))
    });
    config.service(console::scope());
    config.default_service(web::to(nowhere));
}

/// What is called most, under each prefix: the patterns of these are tried before others that begin alike.
const BUSY: [&str; 2] = ["/sessions/{session_id}/keys/{key}", "/sessions/{session_id}/context"];

/// Addresses that begin with the same segment lie in one scope, so that no more patterns are tried than may fit: the busy ones
/// first, then those of most segments, which fewer never fit. `within` gives the pattern of an endpoint under this prefix.
fn register(config: &mut web::ServiceConfig, prefix: &str, within: impl Fn(&'static Endpoint) -> Option<&'static str>) {
    let mut scopes: Vec<(&str, Vec<&str>)> = Vec::new();
    for path in ENDPOINTS.iter().filter_map(within) {
        let head = head(path);
        match scopes.iter_mut().find(|(known, _)| *known == head) {
            Some((_, paths)) if !paths.contains(&path) => paths.push(path),
            Some(_) => {}
            None => scopes.push((head, vec![path])),
        }
    }
    for (head, mut paths) in scopes {
        paths.sort_by_key(|path| (!BUSY.contains(path), Reverse(path.matches('/').count())));
        // A scope of `/` would hold every other address.
        if head == "/" {
            config.service(resource(head, head).app_data(Shown(head.to_owned())));
            continue;
        }
        let mut scope = web::scope(&format!("{prefix}{head}"));
        for path in paths {
            let shown = Shown(plain(&format!("{prefix}{path}")));
            let own = if prefix.is_empty() {
                path.to_owned()
            } else {
                format!("{VERSION}{path}")
            };
            scope = scope.service(resource(&path[head.len()..], &own).app_data(shown));
        }
        if WITH_SLASH.contains(&head) {
            scope = scope.service(resource("/", head).app_data(Shown(format!("{head}/"))));
        }
        config.service(scope);
    }
}

/// The first segment with its slash.
fn head(path: &str) -> &str {
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}

/// What answers at `rest` within a scope: the endpoints of this pattern.
fn resource(rest: &str, pattern: &str) -> Resource {
    let mut resource = web::resource(rest);
    let mut allow: Vec<&str> = Vec::new();
    let mut permits = Vec::new();
    for same in ENDPOINTS.iter().filter(|other| other.pattern == pattern) {
        let route = match same.method {
            "GET" => web::route().guard(guard::Any(guard::Get()).or(guard::Head())),
            other => web::method(Method::from_bytes(other.as_bytes()).unwrap_or_default()),
        };
        resource = resource.route((same.to)(route));
        allow.push(same.method);
        permits.push((same.method, same.access));
        if same.method == "GET" {
            allow.push("HEAD");
        }
    }
    let allow = allow.join(", ");
    resource
        .app_data(Permits(permits))
        .default_service(web::to(move |request| wrong_method(request, allow.clone())))
}

/// Where A2A 0.3 has its calls in REST: what is asked there gets the right refusal.
const A2A_BEFORE: &str = "/a2a/v1/";

async fn nowhere(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if request.path().starts_with(A2A_BEFORE) {
        return Ok(agents::rest::older());
    }
    let problem = Problem::new(Code::NotFound, "there is nothing at this address");
    in_its_form(&request, problem)
}

async fn wrong_method(request: HttpRequest, allow: String) -> Result<HttpResponse, Problem> {
    let mut problem = Problem::new(Code::MethodNotAllowed, format!("the methods here are {allow}"));
    problem.allow = Some(allow.into());
    in_its_form(&request, problem)
}

/// A problem, or what A2A has for it under its addresses.
fn in_its_form(request: &HttpRequest, problem: Problem) -> Result<HttpResponse, Problem> {
    let path = request.path();
    if path == "/a2a" || path.starts_with("/a2a/") {
        return Ok(agents::rest::refuse(problem));
    }
    Err(problem)
}

#[cfg(test)]
mod tests {
    use super::BUSY;
    use super::ENDPOINTS;
    use super::ROWS;

    #[test]
    fn each_handler_of_the_table_answers_at_an_address_of_its_own() {
        assert_eq!(ENDPOINTS.len(), ROWS.len());
        for (place, endpoint) in ENDPOINTS.iter().enumerate() {
            let same = |other: &&super::Endpoint| other.method == endpoint.method && other.path == endpoint.path;
            assert_eq!(ENDPOINTS[place..].iter().filter(same).count(), 1, "{}", endpoint.path);
            // The log shows routes without expressions.
            assert!(!endpoint.path.contains(['[', '^', '+']), "{}", endpoint.path);
        }
    }

    #[test]
    fn what_is_tried_first_is_an_address_and_swallows_no_other() {
        let before = |path: &str| path.rsplit_once('/').map(|(before, _)| before.to_owned());
        for busy in BUSY.map(|path| format!("/v1{path}")) {
            assert!(ENDPOINTS.iter().any(|endpoint| endpoint.path == busy), "{busy}");
            let beside = ENDPOINTS
                .iter()
                .filter(|endpoint| endpoint.path != busy && before(&endpoint.path) == before(&busy));
            assert!(
                !busy.ends_with('}') || beside.count() == 0,
                "{busy} would be taken for one beside it"
            );
        }
    }
}

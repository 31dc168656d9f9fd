//! The one table of addresses: method, path, what it wants to do, and who answers.
//!
//! Each path under `/v1` is served under `/v1/namespaces/default` as well. A GET is also a HEAD. Any other method on a
//! known path is 405 with `Allow`, anything else 404.

use std::cmp::Reverse;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::Resource;
use actix_web::Route;
use actix_web::guard;
use actix_web::web;

use crate::edge::http::access::Access;
use crate::edge::http::access::PREFIXES;
use crate::edge::http::access::Permits;
use crate::edge::http::agents;
use crate::edge::http::assigned;
use crate::edge::http::audits;
use crate::edge::http::backup;
use crate::edge::http::catalogue;
use crate::edge::http::contexts;
use crate::edge::http::conversations;
use crate::edge::http::docs;
use crate::edge::http::follow;
use crate::edge::http::mcp;
use crate::edge::http::messages;
use crate::edge::http::operations;
use crate::edge::http::passage;
use crate::edge::http::passage::Shown;
use crate::edge::http::rpc;
use crate::edge::http::services;
use crate::edge::http::sessions;
use crate::edge::http::steward;
use crate::edge::http::stream;
use crate::edge::http::submissions;
use crate::edge::http::template;
use crate::edge::http::webhooks;
use crate::edge::http::works;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;
use crate::service::caller::Permission;

/// One row.
#[derive(Clone, Copy)]
pub struct Address {
    pub method: &'static str,
    pub path: &'static str,
    pub access: Access,
    to: fn() -> Route,
}

const fn at(method: &'static str, path: &'static str, access: Access, to: fn() -> Route) -> Address {
    Address {
        method,
        path,
        access,
        to,
    }
}

const NEGOTIATE: Access = Access::For(Permission::Negotiate);
const PUBLISH: Access = Access::For(Permission::Publish);
const SUBMIT: Access = Access::For(Permission::Submit);
const SHARE: Access = Access::For(Permission::Share);
const INSPECT: Access = Access::For(Permission::Inspect);
const AUDIT: Access = Access::For(Permission::Audit);
const OPERATE: Access = Access::For(Permission::Operate);

/// Addresses under each prefix.
pub const ADDRESSES: &[Address] = &[
    at("GET", "/scenarios", NEGOTIATE, || read().to(catalogue::scenarios)),
    at("POST", "/scenarios:negotiate", NEGOTIATE, || {
        web::post().to(template::negotiate)
    }),
    at("POST", "/scenarios/{scenario:[^/:]+}:rebase", PUBLISH, || {
        web::post().to(catalogue::rebase)
    }),
    at("POST", "/schemas:check", PUBLISH, || web::post().to(catalogue::check)),
    at("POST", "/schemas/{schema_id:[^/:]+}:restore", PUBLISH, || {
        web::post().to(catalogue::restore)
    }),
    at("PUT", "/schemas/{schema_id}", PUBLISH, || {
        web::put().to(catalogue::publish)
    }),
    at("GET", "/schemas/{schema_id}", NEGOTIATE, || {
        read().to(catalogue::schema)
    }),
    at("DELETE", "/schemas/{schema_id}", PUBLISH, || {
        web::delete().to(catalogue::retire)
    }),
    at("GET", "/scenarios/{scenario}/template", NEGOTIATE, || {
        read().to(template::template)
    }),
    at("GET", "/scenarios/{scenario}/updates", NEGOTIATE, || {
        read().to(template::updates)
    }),
    at("GET", "/scenarios/{scenario}/wishes", SUBMIT, || {
        read().to(template::wishes)
    }),
    at("GET", "/scenarios/{scenario}/updates/stream", NEGOTIATE, || {
        read().to(stream::stream)
    }),
    at("POST", "/submissions", SUBMIT, || web::post().to(submissions::submit)),
    at("POST", "/submissions:validate", SUBMIT, || {
        web::post().to(submissions::validate)
    }),
    at("POST", "/submissions:batch", SUBMIT, || {
        web::post().to(submissions::batch)
    }),
    at("POST", "/scenarios/{scenario}/extensions", SUBMIT, || {
        web::post().to(submissions::extension)
    }),
    at("POST", "/webhooks", PUBLISH, || web::post().to(webhooks::register)),
    at("GET", "/webhooks", PUBLISH, || read().to(webhooks::list)),
    at("POST", "/webhooks/{webhook_id:[^/:]+}:test", PUBLISH, || {
        web::post().to(webhooks::test)
    }),
    at("GET", "/webhooks/{webhook_id}", PUBLISH, || read().to(webhooks::one)),
    at("DELETE", "/webhooks/{webhook_id}", PUBLISH, || {
        web::delete().to(webhooks::delete)
    }),
    at("POST", "/sessions", SHARE, || web::post().to(sessions::create)),
    at("GET", "/sessions", SHARE, || read().to(sessions::list)),
    at("GET", "/sessions:audit", AUDIT, || read().to(sessions::audit)),
    at("POST", "/sessions/{session_id:[^/:]+}:archive", SHARE, || {
        web::post().to(sessions::archive)
    }),
    at("GET", "/sessions/{session_id}", SHARE, || read().to(sessions::one)),
    at("DELETE", "/sessions/{session_id}", SHARE, || {
        web::delete().to(sessions::delete)
    }),
    at("POST", "/sessions/{session_id}/participants", SHARE, || {
        web::post().to(sessions::grant)
    }),
    at(
        "DELETE",
        "/sessions/{session_id}/participants/{principal}",
        SHARE,
        || web::delete().to(sessions::revoke),
    ),
    at("POST", "/sessions/{session_id}/context", SHARE, || {
        web::post().to(contexts::act)
    }),
    at("GET", "/sessions/{session_id}/keys", SHARE, || {
        read().to(contexts::keys)
    }),
    at("POST", "/sessions/{session_id}/keys:read", SHARE, || {
        web::post().to(contexts::read_batch)
    }),
    at("GET", "/sessions/{session_id}/keys/{key}", SHARE, || {
        read().to(contexts::read)
    }),
    at("PUT", "/sessions/{session_id}/keys/{key}", SHARE, || {
        web::put().to(contexts::write)
    }),
    at("DELETE", "/sessions/{session_id}/keys/{key}", SHARE, || {
        web::delete().to(contexts::delete)
    }),
    at("GET", "/sessions/{session_id}/keys/{key}/history", SHARE, || {
        read().to(contexts::history)
    }),
    at("GET", "/sessions/{session_id}/snapshots", SHARE, || {
        read().to(contexts::snapshots)
    }),
    at("POST", "/sessions/{session_id}/snapshots", SHARE, || {
        web::post().to(contexts::snapshot)
    }),
    at(
        "POST",
        "/sessions/{session_id}/snapshots/{label:[^/:]+}:rollback",
        SHARE,
        || web::post().to(contexts::rollback),
    ),
    at("GET", "/sessions/{session_id}/snapshots/{label}", SHARE, || {
        read().to(contexts::read_snapshot)
    }),
    at("DELETE", "/sessions/{session_id}/snapshots/{label}", SHARE, || {
        web::delete().to(contexts::delete_snapshot)
    }),
    at("GET", "/sessions/{session_id}/events", SHARE, || {
        read().to(follow::follow)
    }),
    at("GET", "/sessions/{session_id}/prompt", SHARE, || {
        read().to(sessions::prompt)
    }),
    at("GET", "/sessions/{session_id}/inspection", OPERATE, || {
        read().to(sessions::inspect)
    }),
    at("POST", "/tasks", NEGOTIATE, || web::post().to(works::create)),
    at("GET", "/tasks", NEGOTIATE, || read().to(works::list)),
    at("POST", "/tasks/{task_id:[^/:]+}:close", NEGOTIATE, || {
        web::post().to(works::close)
    }),
    at("GET", "/tasks/{task_id}", NEGOTIATE, || read().to(works::one)),
    at("PATCH", "/tasks/{task_id}", NEGOTIATE, || {
        web::patch().to(works::change)
    }),
    at("DELETE", "/tasks/{task_id}", NEGOTIATE, || {
        web::delete().to(works::delete)
    }),
    at("POST", "/tasks/{task_id}/subtasks", NEGOTIATE, || {
        web::post().to(works::send)
    }),
    at(
        "POST",
        "/tasks/{task_id}/subtasks/{subtask_id:[^/:]+}:resend",
        NEGOTIATE,
        || web::post().to(works::resend),
    ),
    at(
        "POST",
        "/tasks/{task_id}/subtasks/{subtask_id:[^/:]+}:evaluate",
        NEGOTIATE,
        || web::post().to(works::evaluate),
    ),
    at("GET", "/tasks/{task_id}/subtasks/{subtask_id}", NEGOTIATE, || {
        read().to(works::subtask)
    }),
    at("PUT", "/tasks/{task_id}/subtasks/{subtask_id}", NEGOTIATE, || {
        web::put().to(works::give_back)
    }),
    at("POST", "/contents", NEGOTIATE, || web::post().to(works::store)),
    at("GET", "/contents/{sha256}", NEGOTIATE, || read().to(works::content)),
    at("DELETE", "/contents/{sha256}", NEGOTIATE, || {
        web::delete().to(works::release)
    }),
    at("GET", "/scenarios/{scenario}/owner", INSPECT, || {
        read().to(catalogue::owner)
    }),
    at("PUT", "/scenarios/{scenario}/owner", OPERATE, || {
        web::put().to(catalogue::give)
    }),
    at("GET", "/scenarios/{scenario}/pool", INSPECT, || {
        read().to(steward::pool)
    }),
    at("GET", "/scenarios/{scenario}/pool:review", AUDIT, || {
        read().to(steward::review)
    }),
    at("POST", "/scenarios/{scenario}/proposals", OPERATE, || {
        web::post().to(steward::propose)
    }),
    at("GET", "/scenarios/{scenario}/patches", INSPECT, || {
        read().to(steward::patches)
    }),
    at("GET", "/scenarios/{scenario}/ledger", INSPECT, || {
        read().to(steward::ledger)
    }),
    at("GET", "/patches/{patch_id:[^/:]+}", NEGOTIATE, || {
        read().to(steward::patch)
    }),
    at("GET", "/patches/{patch_id}/evidence", INSPECT, || {
        read().to(steward::evidence)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:approve", OPERATE, || {
        web::post().to(steward::approve)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:reject", OPERATE, || {
        web::post().to(steward::reject)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:promote", OPERATE, || {
        web::post().to(steward::promote)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:demote", OPERATE, || {
        web::post().to(steward::demote)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:deprecate", OPERATE, || {
        web::post().to(steward::deprecate)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:withdraw", OPERATE, || {
        web::post().to(steward::withdraw)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:restore", OPERATE, || {
        web::post().to(steward::restore)
    }),
    at("GET", "/approvals", INSPECT, || read().to(steward::approvals)),
    at("GET", "/audits", AUDIT, || read().to(audits::audits)),
    at("GET", "/audits:summary", AUDIT, || read().to(audits::summary)),
    at("GET", "/audits/{audit_id}", AUDIT, || read().to(audits::audit)),
    at("POST", "/audits/{audit_id}", AUDIT, || web::post().to(audits::answer)),
    at("POST", "/scenarios/{scenario:[^/:]+}:freeze", OPERATE, || {
        web::post().to(steward::freeze)
    }),
    at("POST", "/scenarios/{scenario:[^/:]+}:thaw", OPERATE, || {
        web::post().to(steward::thaw)
    }),
    at("POST", "/conversations", NEGOTIATE, || {
        web::post().to(conversations::open)
    }),
    at("GET", "/conversations", NEGOTIATE, || read().to(conversations::list)),
    at("POST", "/conversations/{context_id:[^/:]+}:embed", NEGOTIATE, || {
        web::post().to(conversations::embed)
    }),
    at("GET", "/conversations/{context_id}", NEGOTIATE, || {
        read().to(conversations::one)
    }),
    at("DELETE", "/conversations/{context_id}", NEGOTIATE, || {
        web::delete().to(conversations::remove)
    }),
    at("POST", "/conversations/{context_id}/turns", NEGOTIATE, || {
        web::post().to(conversations::say)
    }),
    at(
        "PUT",
        "/conversations/{context_id}/recipients/{agent}",
        NEGOTIATE,
        || web::put().to(conversations::declare),
    ),
    at(
        "DELETE",
        "/conversations/{context_id}/recipients/{agent}",
        NEGOTIATE,
        || web::delete().to(conversations::undeclare),
    ),
    at("GET", "/conversations/{context_id}/context", NEGOTIATE, || {
        read().to(conversations::context)
    }),
    at("PUT", "/conversations/{context_id}/state", NEGOTIATE, || {
        web::put().to(conversations::keep)
    }),
    at("GET", "/conversations/{context_id}/state", NEGOTIATE, || {
        read().to(conversations::kept)
    }),
    at("DELETE", "/conversations/{context_id}/state", NEGOTIATE, || {
        web::delete().to(conversations::drop_kept)
    }),
    at("POST", "/messages:check", NEGOTIATE, || web::post().to(messages::check)),
    at("POST", "/messages:render", NEGOTIATE, || {
        web::post().to(messages::render)
    }),
    at("POST", "/messages:convert", NEGOTIATE, || {
        web::post().to(messages::convert)
    }),
    at("GET", "/policies", NEGOTIATE, || read().to(messages::policies)),
    at("PUT", "/agents/{agent}/services", NEGOTIATE, || {
        web::put().to(services::register)
    }),
    at("GET", "/agents/{agent}/services", NEGOTIATE, || {
        read().to(services::one)
    }),
    at("GET", "/agents/{agent}/services/stream", NEGOTIATE, || {
        read().to(services::stream)
    }),
    at("GET", "/agents/{agent}/tasks/events", NEGOTIATE, || {
        read().to(assigned::follow)
    }),
    at("GET", "/backup", OPERATE, || read().to(backup::backup)),
    at("GET", "/service", INSPECT, || read().to(operations::standing)),
    at("POST", "/service:read-only", OPERATE, || {
        web::post().to(operations::read_only)
    }),
    at("POST", "/service:read-write", OPERATE, || {
        web::post().to(operations::read_write)
    }),
];

/// Addresses under no prefix.
pub const OPERATIONS: &[Address] = &[
    at("GET", "/", Access::Anyone, || read().to(docs::front)),
    at("POST", "/rpc", NEGOTIATE, || web::post().to(rpc::rpc)),
    at("GET", "/.well-known/agent-card.json", Access::Anyone, || {
        read().to(agents::card)
    }),
    at("POST", "/mcp", NEGOTIATE, || web::post().to(mcp::post)),
    at("GET", "/mcp", NEGOTIATE, || read().to(mcp::get)),
    at("DELETE", "/mcp", NEGOTIATE, || web::delete().to(mcp::delete)),
    at("GET", "/metrics", Access::Scraper, || read().to(operations::metrics)),
    at("GET", "/healthz", Access::Anyone, || read().to(operations::healthz)),
    at("GET", "/readyz", Access::Anyone, || read().to(operations::readyz)),
    at("GET", "/problems", Access::Anyone, || read().to(operations::problems)),
    at("GET", "/problems/{code}", Access::Anyone, || {
        read().to(operations::problem)
    }),
    at("GET", "/openapi.json", Access::Anyone, || read().to(docs::document)),
    at("GET", "/docs", Access::Anyone, || read().to(docs::docs)),
    at("GET", "/docs/{file:[^/]*}", Access::Anyone, || read().to(docs::file)),
];

/// Addresses of the A2A protocol, under no prefix. Its specification says what is sent and answered there.
pub const AGENTS: &[Address] = &[
    at("POST", "/a2a", NEGOTIATE, || web::post().to(agents::rpc::rpc)),
    at("POST", "/a2a/", NEGOTIATE, || web::post().to(agents::rpc::rpc)),
    at("POST", "/a2a/message:send", NEGOTIATE, || {
        web::post().to(agents::rest::send)
    }),
    at("POST", "/a2a/message:stream", NEGOTIATE, || {
        web::post().to(agents::rest::stream)
    }),
    at("GET", "/a2a/tasks", NEGOTIATE, || read().to(agents::rest::list)),
    at("GET", "/a2a/tasks/{task_id:[^/:]+}", NEGOTIATE, || {
        read().to(agents::rest::task)
    }),
    at("POST", "/a2a/tasks/{task_id:[^/:]+}:cancel", NEGOTIATE, || {
        web::post().to(agents::rest::cancel)
    }),
    at("GET", "/a2a/tasks/{task_id:[^/:]+}:subscribe", NEGOTIATE, || {
        read().to(agents::rest::subscribe)
    }),
    at("POST", "/a2a/tasks/{task_id:[^/:]+}:subscribe", NEGOTIATE, || {
        web::post().to(agents::rest::subscribe)
    }),
    at(
        "POST",
        "/a2a/tasks/{task_id}/pushNotificationConfigs",
        NEGOTIATE,
        || web::post().to(agents::rest::create_push),
    ),
    at("GET", "/a2a/tasks/{task_id}/pushNotificationConfigs", NEGOTIATE, || {
        read().to(agents::rest::pushes)
    }),
    at(
        "GET",
        "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
        NEGOTIATE,
        || read().to(agents::rest::push),
    ),
    at(
        "DELETE",
        "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
        NEGOTIATE,
        || web::delete().to(agents::rest::delete_push),
    ),
    at("GET", "/a2a/extendedAgentCard", NEGOTIATE, || {
        read().to(agents::rest::extended_card)
    }),
];

/// A route for GET and HEAD.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// Registers everything.
pub fn configure(config: &mut web::ServiceConfig) {
    for prefix in PREFIXES {
        register(config, prefix, ADDRESSES);
    }
    register(config, "", OPERATIONS);
    register(config, "", AGENTS);
    config.default_service(web::to(nowhere));
}

/// What is called most, under each prefix: the patterns of these are tried before others that begin alike.
const BUSY: [&str; 2] = ["/sessions/{session_id}/keys/{key}", "/sessions/{session_id}/context"];

/// Addresses that begin with the same segment lie in one scope, so that no more patterns are tried than may fit: the busy ones
/// first, then those of most segments, which fewer never fit.
fn register(config: &mut web::ServiceConfig, prefix: &str, addresses: &[Address]) {
    let mut done: Vec<&str> = Vec::new();
    for address in addresses {
        let head = head(address.path);
        if done.contains(&head) {
            continue;
        }
        if head == "/" {
            // A scope of it would hold every other address.
            let shown = Shown(head.to_owned());
            config.service(resource(head, head, addresses).app_data(shown));
            continue;
        }
        done.push(head);
        let mut paths: Vec<&str> = Vec::new();
        for other in addresses.iter().filter(|other| self::head(other.path) == head) {
            if !paths.contains(&other.path) {
                paths.push(other.path);
            }
        }
        paths.sort_by_key(|path| (!BUSY.contains(path), Reverse(path.matches('/').count())));
        let mut scope = web::scope(&format!("{prefix}{head}"));
        for path in paths {
            let shown = Shown(passage::plain(&format!("{prefix}{path}")));
            scope = scope.service(resource(&path[head.len()..], path, addresses).app_data(shown));
        }
        config.service(scope);
    }
}

/// The first segment with its slash.
fn head(path: &str) -> &str {
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}

/// What answers at a path, which is `rest` within its scope.
fn resource(rest: &str, path: &str, addresses: &[Address]) -> Resource {
    let mut resource = web::resource(rest);
    let mut allow: Vec<&str> = Vec::new();
    let mut permits = Vec::new();
    for same in addresses.iter().filter(|other| other.path == path) {
        resource = resource.route((same.to)());
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
    use super::ADDRESSES;
    use super::BUSY;

    #[test]
    fn what_is_tried_first_is_an_address_and_swallows_no_other() {
        for busy in BUSY {
            assert!(ADDRESSES.iter().any(|address| address.path == busy), "{busy}");
            let last = busy.rsplit('/').next().unwrap_or_default();
            let alike = |path: &str| {
                path.rsplit_once('/').map(|(before, _)| before) == busy.rsplit_once('/').map(|(before, _)| before)
            };
            let beside = ADDRESSES
                .iter()
                .filter(|address| address.path != busy && alike(address.path));
            assert!(
                !last.starts_with('{') || beside.count() == 0,
                "{busy} would be taken for one beside it"
            );
        }
    }
}

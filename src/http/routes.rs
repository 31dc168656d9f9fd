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

use crate::app::caller::Permission;
use crate::http::access::Access;
use crate::http::access::PREFIXES;
use crate::http::access::Permits;
use crate::http::agents;
use crate::http::audits;
use crate::http::backup;
use crate::http::catalogue;
use crate::http::conversations;
use crate::http::docs;
use crate::http::mcp;
use crate::http::messages;
use crate::http::middleware;
use crate::http::middleware::Shown;
use crate::http::operations;
use crate::http::rpc;
use crate::http::services;
use crate::http::session_contents;
use crate::http::sessions;
use crate::http::steward;
use crate::http::stream;
use crate::http::submissions;
use crate::http::task_contexts;
use crate::http::template;
use crate::http::webhooks;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

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
    at("GET", "/scenarios", NEGOTIATE, || read().to(catalogue::list_scenarios)),
    at("POST", "/scenarios:negotiate", NEGOTIATE, || {
        web::post().to(template::negotiate_template)
    }),
    at("POST", "/scenarios/{scenario:[^/:]+}:rebase", PUBLISH, || {
        web::post().to(catalogue::rebase_scenario)
    }),
    at("POST", "/schemas:check", PUBLISH, || {
        web::post().to(catalogue::check_schema)
    }),
    at("POST", "/schemas/{schema_id:[^/:]+}:restore", PUBLISH, || {
        web::post().to(catalogue::restore_schema)
    }),
    at("PUT", "/schemas/{schema_id}", PUBLISH, || {
        web::put().to(catalogue::publish_schema)
    }),
    at("GET", "/schemas/{schema_id}", NEGOTIATE, || {
        read().to(catalogue::read_schema)
    }),
    at("DELETE", "/schemas/{schema_id}", PUBLISH, || {
        web::delete().to(catalogue::retire_schema)
    }),
    at("GET", "/scenarios/{scenario}/template", NEGOTIATE, || {
        read().to(template::read_template)
    }),
    at("GET", "/scenarios/{scenario}/updates", NEGOTIATE, || {
        read().to(template::list_updates)
    }),
    at("GET", "/scenarios/{scenario}/wishes", SUBMIT, || {
        read().to(template::list_wishes)
    }),
    at("GET", "/scenarios/{scenario}/updates/stream", NEGOTIATE, || {
        read().to(stream::stream_updates)
    }),
    at("POST", "/submissions", SUBMIT, || web::post().to(submissions::submit)),
    at("POST", "/submissions:validate", SUBMIT, || {
        web::post().to(submissions::validate_submission)
    }),
    at("POST", "/submissions:batch", SUBMIT, || {
        web::post().to(submissions::submit_batch)
    }),
    at("POST", "/scenarios/{scenario}/extensions", SUBMIT, || {
        web::post().to(submissions::request_extension)
    }),
    at("POST", "/webhooks", PUBLISH, || {
        web::post().to(webhooks::register_webhook)
    }),
    at("GET", "/webhooks", PUBLISH, || read().to(webhooks::list_webhooks)),
    at("POST", "/webhooks/{webhook_id:[^/:]+}:test", PUBLISH, || {
        web::post().to(webhooks::test_webhook)
    }),
    at("GET", "/webhooks/{webhook_id}", PUBLISH, || {
        read().to(webhooks::read_webhook)
    }),
    at("DELETE", "/webhooks/{webhook_id}", PUBLISH, || {
        web::delete().to(webhooks::delete_webhook)
    }),
    at("POST", "/sessions", SHARE, || web::post().to(sessions::create_session)),
    at("GET", "/sessions", SHARE, || read().to(sessions::list_sessions)),
    at("GET", "/sessions:audit", AUDIT, || read().to(sessions::audit_sessions)),
    at("POST", "/sessions/{session_id:[^/:]+}:archive", SHARE, || {
        web::post().to(sessions::archive_session)
    }),
    at("GET", "/sessions/{session_id}", SHARE, || {
        read().to(sessions::read_session)
    }),
    at("DELETE", "/sessions/{session_id}", SHARE, || {
        web::delete().to(sessions::delete_session)
    }),
    at("POST", "/sessions/{session_id}/participants", SHARE, || {
        web::post().to(sessions::grant_session)
    }),
    at(
        "DELETE",
        "/sessions/{session_id}/participants/{principal}",
        SHARE,
        || web::delete().to(sessions::revoke_session),
    ),
    at("POST", "/sessions/{session_id}/context", SHARE, || {
        web::post().to(session_contents::act_in_session)
    }),
    at("GET", "/sessions/{session_id}/keys", SHARE, || {
        read().to(session_contents::list_session_keys)
    }),
    at("POST", "/sessions/{session_id}/keys:read", SHARE, || {
        web::post().to(session_contents::read_session_keys)
    }),
    at("GET", "/sessions/{session_id}/keys/{key}", SHARE, || {
        read().to(session_contents::read_session_key)
    }),
    at("PUT", "/sessions/{session_id}/keys/{key}", SHARE, || {
        web::put().to(session_contents::write_session_key)
    }),
    at("DELETE", "/sessions/{session_id}/keys/{key}", SHARE, || {
        web::delete().to(session_contents::delete_session_key)
    }),
    at("GET", "/sessions/{session_id}/keys/{key}/history", SHARE, || {
        read().to(session_contents::read_session_key_history)
    }),
    at("GET", "/sessions/{session_id}/snapshots", SHARE, || {
        read().to(session_contents::list_session_snapshots)
    }),
    at("POST", "/sessions/{session_id}/snapshots", SHARE, || {
        web::post().to(session_contents::take_session_snapshot)
    }),
    at(
        "POST",
        "/sessions/{session_id}/snapshots/{label:[^/:]+}:rollback",
        SHARE,
        || web::post().to(session_contents::roll_session_back),
    ),
    at("GET", "/sessions/{session_id}/snapshots/{label}", SHARE, || {
        read().to(session_contents::read_session_snapshot)
    }),
    at("DELETE", "/sessions/{session_id}/snapshots/{label}", SHARE, || {
        web::delete().to(session_contents::delete_session_snapshot)
    }),
    at("GET", "/sessions/{session_id}/events", SHARE, || {
        read().to(sessions::follow_session)
    }),
    at("GET", "/sessions/{session_id}/prompt", SHARE, || {
        read().to(sessions::read_session_prompt)
    }),
    at("GET", "/sessions/{session_id}/inspection", OPERATE, || {
        read().to(sessions::inspect_session)
    }),
    at("POST", "/tasks", NEGOTIATE, || {
        web::post().to(task_contexts::create_task)
    }),
    at("GET", "/tasks", NEGOTIATE, || read().to(task_contexts::list_tasks)),
    at("POST", "/tasks/{task_id:[^/:]+}:close", NEGOTIATE, || {
        web::post().to(task_contexts::close_task)
    }),
    at("GET", "/tasks/{task_id}", NEGOTIATE, || {
        read().to(task_contexts::read_task)
    }),
    at("PATCH", "/tasks/{task_id}", NEGOTIATE, || {
        web::patch().to(task_contexts::change_task)
    }),
    at("DELETE", "/tasks/{task_id}", NEGOTIATE, || {
        web::delete().to(task_contexts::delete_task)
    }),
    at("POST", "/tasks/{task_id}/subtasks", NEGOTIATE, || {
        web::post().to(task_contexts::send_subtask)
    }),
    at(
        "POST",
        "/tasks/{task_id}/subtasks/{subtask_id:[^/:]+}:resend",
        NEGOTIATE,
        || web::post().to(task_contexts::resend_subtask),
    ),
    at(
        "POST",
        "/tasks/{task_id}/subtasks/{subtask_id:[^/:]+}:evaluate",
        NEGOTIATE,
        || web::post().to(task_contexts::evaluate_subtask),
    ),
    at("GET", "/tasks/{task_id}/subtasks/{subtask_id}", NEGOTIATE, || {
        read().to(task_contexts::read_subtask)
    }),
    at("PUT", "/tasks/{task_id}/subtasks/{subtask_id}", NEGOTIATE, || {
        web::put().to(task_contexts::return_subtask)
    }),
    at("POST", "/contents", NEGOTIATE, || {
        web::post().to(task_contexts::store_content)
    }),
    at("GET", "/contents/{sha256}", NEGOTIATE, || {
        read().to(task_contexts::read_content)
    }),
    at("DELETE", "/contents/{sha256}", NEGOTIATE, || {
        web::delete().to(task_contexts::delete_content)
    }),
    at("GET", "/scenarios/{scenario}/owner", INSPECT, || {
        read().to(catalogue::read_owner)
    }),
    at("PUT", "/scenarios/{scenario}/owner", OPERATE, || {
        web::put().to(catalogue::give_scenario)
    }),
    at("GET", "/scenarios/{scenario}/pool", INSPECT, || {
        read().to(steward::read_pool)
    }),
    at("GET", "/scenarios/{scenario}/pool:review", AUDIT, || {
        read().to(steward::review_pool)
    }),
    at("POST", "/scenarios/{scenario}/proposals", OPERATE, || {
        web::post().to(steward::propose_keys)
    }),
    at("GET", "/scenarios/{scenario}/patches", INSPECT, || {
        read().to(steward::list_patches)
    }),
    at("GET", "/scenarios/{scenario}/ledger", INSPECT, || {
        read().to(steward::read_ledger)
    }),
    at("GET", "/patches/{patch_id:[^/:]+}", NEGOTIATE, || {
        read().to(steward::read_patch)
    }),
    at("GET", "/patches/{patch_id}/evidence", INSPECT, || {
        read().to(steward::read_evidence)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:approve", OPERATE, || {
        web::post().to(steward::approve_patch)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:reject", OPERATE, || {
        web::post().to(steward::reject_patch)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:promote", OPERATE, || {
        web::post().to(steward::promote_patch)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:demote", OPERATE, || {
        web::post().to(steward::demote_patch)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:deprecate", OPERATE, || {
        web::post().to(steward::deprecate_patch)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:withdraw", OPERATE, || {
        web::post().to(steward::withdraw_patch)
    }),
    at("POST", "/patches/{patch_id:[^/:]+}:restore", OPERATE, || {
        web::post().to(steward::restore_patch)
    }),
    at("GET", "/approvals", INSPECT, || read().to(steward::list_approvals)),
    at("GET", "/audits", AUDIT, || read().to(audits::list_audits)),
    at("GET", "/audits:summary", AUDIT, || read().to(audits::summarise_audits)),
    at("GET", "/audits/{audit_id}", AUDIT, || read().to(audits::read_audit)),
    at("POST", "/audits/{audit_id}", AUDIT, || {
        web::post().to(audits::answer_audit)
    }),
    at("POST", "/scenarios/{scenario:[^/:]+}:freeze", OPERATE, || {
        web::post().to(steward::freeze_scenario)
    }),
    at("POST", "/scenarios/{scenario:[^/:]+}:thaw", OPERATE, || {
        web::post().to(steward::thaw_scenario)
    }),
    at("POST", "/conversations", NEGOTIATE, || {
        web::post().to(conversations::open_conversation)
    }),
    at("GET", "/conversations", NEGOTIATE, || {
        read().to(conversations::list_conversations)
    }),
    at("POST", "/conversations/{context_id:[^/:]+}:embed", NEGOTIATE, || {
        web::post().to(conversations::embed_context)
    }),
    at("GET", "/conversations/{context_id}", NEGOTIATE, || {
        read().to(conversations::read_conversation)
    }),
    at("DELETE", "/conversations/{context_id}", NEGOTIATE, || {
        web::delete().to(conversations::delete_conversation)
    }),
    at("POST", "/conversations/{context_id}/turns", NEGOTIATE, || {
        web::post().to(conversations::say_turn)
    }),
    at(
        "PUT",
        "/conversations/{context_id}/recipients/{agent}",
        NEGOTIATE,
        || web::put().to(conversations::declare_recipient),
    ),
    at(
        "DELETE",
        "/conversations/{context_id}/recipients/{agent}",
        NEGOTIATE,
        || web::delete().to(conversations::remove_recipient),
    ),
    at("GET", "/conversations/{context_id}/context", NEGOTIATE, || {
        read().to(conversations::fetch_context)
    }),
    at("PUT", "/conversations/{context_id}/state", NEGOTIATE, || {
        web::put().to(conversations::keep_state)
    }),
    at("GET", "/conversations/{context_id}/state", NEGOTIATE, || {
        read().to(conversations::read_state)
    }),
    at("DELETE", "/conversations/{context_id}/state", NEGOTIATE, || {
        web::delete().to(conversations::delete_state)
    }),
    at("POST", "/messages:check", NEGOTIATE, || {
        web::post().to(messages::check_message)
    }),
    at("POST", "/messages:render", NEGOTIATE, || {
        web::post().to(messages::render_message)
    }),
    at("POST", "/messages:convert", NEGOTIATE, || {
        web::post().to(messages::convert_task_context)
    }),
    at("GET", "/policies", NEGOTIATE, || read().to(messages::read_policies)),
    at("PUT", "/agents/{agent}/services", NEGOTIATE, || {
        web::put().to(services::register_services)
    }),
    at("GET", "/agents/{agent}/services", NEGOTIATE, || {
        read().to(services::read_services)
    }),
    at("GET", "/agents/{agent}/services/stream", NEGOTIATE, || {
        read().to(services::stream_services)
    }),
    at("GET", "/agents/{agent}/tasks/events", NEGOTIATE, || {
        read().to(task_contexts::follow_tasks)
    }),
    at("GET", "/backup", OPERATE, || read().to(backup::read_backup)),
    at("GET", "/service", INSPECT, || read().to(operations::read_service)),
    at("POST", "/service:read-only", OPERATE, || {
        web::post().to(operations::close_service)
    }),
    at("POST", "/service:read-write", OPERATE, || {
        web::post().to(operations::open_service)
    }),
];

/// Addresses under no prefix.
pub const OPERATIONS: &[Address] = &[
    at("GET", "/", Access::Anyone, || read().to(docs::read_front)),
    at("POST", "/rpc", NEGOTIATE, || web::post().to(rpc::call_rpc)),
    at("GET", "/.well-known/agent-card.json", Access::Anyone, || {
        read().to(agents::read_agent_card)
    }),
    at("POST", "/mcp", NEGOTIATE, || web::post().to(mcp::call_mcp)),
    at("GET", "/mcp", NEGOTIATE, || read().to(mcp::listen_mcp)),
    at("DELETE", "/mcp", NEGOTIATE, || web::delete().to(mcp::end_mcp)),
    at("GET", "/metrics", Access::Scraper, || {
        read().to(operations::read_metrics)
    }),
    at("GET", "/healthz", Access::Anyone, || read().to(operations::read_health)),
    at("GET", "/readyz", Access::Anyone, || {
        read().to(operations::read_readiness)
    }),
    at("GET", "/problems", Access::Anyone, || {
        read().to(operations::list_problems)
    }),
    at("GET", "/problems/{code}", Access::Anyone, || {
        read().to(operations::read_problem)
    }),
    at("GET", "/openapi.json", Access::Anyone, || read().to(docs::read_openapi)),
    at("GET", "/docs", Access::Anyone, || read().to(docs::read_docs)),
    at("GET", "/docs/{file:[^/]*}", Access::Anyone, || {
        read().to(docs::read_docs_file)
    }),
];

/// Addresses of the A2A protocol, under no prefix. Its specification says what is sent and answered there.
pub const AGENTS: &[Address] = &[
    at("POST", "/a2a", NEGOTIATE, || web::post().to(agents::rpc::call_a2a)),
    at("POST", "/a2a/", NEGOTIATE, || web::post().to(agents::rpc::call_a2a)),
    at("POST", "/a2a/message:send", NEGOTIATE, || {
        web::post().to(agents::rest::send_message)
    }),
    at("POST", "/a2a/message:stream", NEGOTIATE, || {
        web::post().to(agents::rest::stream_message)
    }),
    at("GET", "/a2a/tasks", NEGOTIATE, || {
        read().to(agents::rest::list_a2a_tasks)
    }),
    at("GET", "/a2a/tasks/{task_id:[^/:]+}", NEGOTIATE, || {
        read().to(agents::rest::read_a2a_task)
    }),
    at("POST", "/a2a/tasks/{task_id:[^/:]+}:cancel", NEGOTIATE, || {
        web::post().to(agents::rest::cancel_task)
    }),
    at("GET", "/a2a/tasks/{task_id:[^/:]+}:subscribe", NEGOTIATE, || {
        read().to(agents::rest::follow_task)
    }),
    at("POST", "/a2a/tasks/{task_id:[^/:]+}:subscribe", NEGOTIATE, || {
        web::post().to(agents::rest::follow_task_by_post)
    }),
    at(
        "POST",
        "/a2a/tasks/{task_id}/pushNotificationConfigs",
        NEGOTIATE,
        || web::post().to(agents::rest::tell_of_task),
    ),
    at("GET", "/a2a/tasks/{task_id}/pushNotificationConfigs", NEGOTIATE, || {
        read().to(agents::rest::list_told_of_task)
    }),
    at(
        "GET",
        "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
        NEGOTIATE,
        || read().to(agents::rest::read_told_of_task),
    ),
    at(
        "DELETE",
        "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
        NEGOTIATE,
        || web::delete().to(agents::rest::tell_of_task_no_more),
    ),
    at("GET", "/a2a/extendedAgentCard", NEGOTIATE, || {
        read().to(agents::rest::read_extended_agent_card)
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
            let shown = Shown(middleware::plain(&format!("{prefix}{path}")));
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

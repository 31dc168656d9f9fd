//! Every handler that is described, in the order in which people read them, and what each says of itself.

use utoipa::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::path::PathItem;
use utoipa::openapi::schema::Components;

use crate::api::problems::ProblemDocument;
use crate::api::rpc::AgentFailure;
use crate::http::agents;
use crate::http::audits;
use crate::http::backup;
use crate::http::catalogue;
use crate::http::conversations;
use crate::http::docs;
use crate::http::mcp;
use crate::http::messages;
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

/// The member of a handler's description that names its own failures, beside those that follow from its address. It does not stand
/// in the document, whose answers tell them.
const FAILS: &str = "x-fails";

#[derive(OpenApi)]
#[openapi(
    paths(
        catalogue::list_scenarios,
        template::negotiate_template,
        catalogue::rebase_scenario,
        catalogue::check_schema,
        catalogue::restore_schema,
        catalogue::publish_schema,
        catalogue::read_schema,
        catalogue::retire_schema,
        template::read_template,
        template::list_updates,
        template::list_wishes,
        stream::stream_updates,
        submissions::submit,
        submissions::validate_submission,
        submissions::submit_batch,
        submissions::request_extension,
        webhooks::register_webhook,
        webhooks::list_webhooks,
        webhooks::test_webhook,
        webhooks::read_webhook,
        webhooks::delete_webhook,
        sessions::create_session,
        sessions::list_sessions,
        sessions::audit_sessions,
        sessions::archive_session,
        sessions::read_session,
        sessions::delete_session,
        sessions::grant_session,
        sessions::revoke_session,
        session_contents::act_in_session,
        session_contents::list_session_keys,
        session_contents::read_session_keys,
        session_contents::read_session_key,
        session_contents::write_session_key,
        session_contents::delete_session_key,
        session_contents::read_session_key_history,
        session_contents::list_session_snapshots,
        session_contents::take_session_snapshot,
        session_contents::roll_session_back,
        session_contents::read_session_snapshot,
        session_contents::delete_session_snapshot,
        sessions::follow_session,
        sessions::read_session_prompt,
        sessions::inspect_session,
        task_contexts::create_task,
        task_contexts::list_tasks,
        task_contexts::close_task,
        task_contexts::read_task,
        task_contexts::change_task,
        task_contexts::delete_task,
        task_contexts::send_subtask,
        task_contexts::resend_subtask,
        task_contexts::evaluate_subtask,
        task_contexts::read_subtask,
        task_contexts::return_subtask,
        task_contexts::store_content,
        task_contexts::read_content,
        task_contexts::delete_content,
        catalogue::read_owner,
        catalogue::give_scenario,
        steward::read_pool,
        steward::review_pool,
        steward::propose_keys,
        steward::list_patches,
        steward::read_ledger,
        steward::read_patch,
        steward::read_evidence,
        steward::approve_patch,
        steward::reject_patch,
        steward::promote_patch,
        steward::demote_patch,
        steward::deprecate_patch,
        steward::withdraw_patch,
        steward::restore_patch,
        steward::list_approvals,
        audits::list_audits,
        audits::summarise_audits,
        audits::read_audit,
        audits::answer_audit,
        steward::freeze_scenario,
        steward::thaw_scenario,
        conversations::open_conversation,
        conversations::list_conversations,
        conversations::embed_context,
        conversations::read_conversation,
        conversations::delete_conversation,
        conversations::say_turn,
        conversations::declare_recipient,
        conversations::remove_recipient,
        conversations::fetch_context,
        conversations::keep_state,
        conversations::read_state,
        conversations::delete_state,
        messages::check_message,
        messages::render_message,
        messages::convert_task_context,
        messages::read_policies,
        services::register_services,
        services::read_services,
        services::stream_services,
        task_contexts::follow_tasks,
        backup::read_backup,
        operations::read_service,
        operations::close_service,
        operations::open_service,
        docs::read_front,
        rpc::call_rpc,
        agents::read_agent_card,
        mcp::call_mcp,
        mcp::listen_mcp,
        mcp::end_mcp,
        operations::read_metrics,
        operations::read_health,
        operations::read_readiness,
        operations::list_problems,
        operations::read_problem,
        docs::read_openapi,
        docs::read_docs,
        docs::read_docs_file,
        agents::rpc::call_a2a,
        agents::rest::send_message,
        agents::rest::stream_message,
        agents::rest::list_a2a_tasks,
        agents::rest::read_a2a_task,
        agents::rest::cancel_task,
        agents::rest::follow_task,
        agents::rest::follow_task_by_post,
        agents::rest::tell_of_task,
        agents::rest::list_told_of_task,
        agents::rest::read_told_of_task,
        agents::rest::tell_of_task_no_more,
        agents::rest::read_extended_agent_card,
    ),
    components(schemas(AgentFailure, ProblemDocument))
)]
struct Handlers;

/// What a handler says of itself.
pub struct Described {
    pub method: &'static str,
    pub path: String,
    pub operation: Operation,
    /// Failures of its own.
    pub codes: Vec<Code>,
}

impl Described {
    /// The operation's id.
    pub fn id(&self) -> &str {
        self.operation.operation_id.as_deref().unwrap_or_default()
    }
}

/// Every operation, and the schemas that they name.
pub fn read() -> (Vec<Described>, Components) {
    let document = Handlers::openapi();
    let paths = document.paths.paths.into_iter();
    let all = paths.flat_map(|(path, item)| of_path(&path, item)).collect();
    (all, document.components.unwrap_or_default())
}

fn of_path(path: &str, item: PathItem) -> Vec<Described> {
    let methods = [
        ("GET", item.get),
        ("PUT", item.put),
        ("POST", item.post),
        ("DELETE", item.delete),
        ("PATCH", item.patch),
    ];
    let there = methods
        .into_iter()
        .filter_map(|(method, operation)| Some((method, operation?)));
    there
        .map(|(method, mut operation)| {
            let own = operation.extensions.take().unwrap_or_default();
            let names = own.get(FAILS).and_then(|names| names.as_array()).into_iter().flatten();
            Described {
                method,
                path: path.to_owned(),
                codes: names.filter_map(|name| Code::named(name.as_str()?)).collect(),
                operation,
            }
        })
        .collect()
}

//! The service's calls through other mouths that HTTP carries.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::calling::AgentCard;
use crate::edge::http::openapi::shapes::calling::RpcCall;
use crate::edge::http::openapi::shapes::calling::RpcMessage;
use crate::edge::http::openapi::shapes::calling::RpcReply;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Other mouths";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    vec![
        operation(GROUP, "POST", "/rpc", "call_rpc", "JSON-RPC 2.0")
            .says(
                "A call, a notification, or a batch of them. The methods are the service's calls: `list_scenarios` {q?, label?, after?, \
                 limit?}, `get_schema_template` {scenario, schema_id?, version?, preferred_language?, experimental?, format?, as_of?, capabilities?}, \
                 `validate_payload` and `submit_payload` (a submission, with `idempotency_key`?), `get_schema_updates` {scenario, \
                 since?}. An error has the number of the one table of codes, and the problem document as `data`. The draft's \
                 request without `jsonrpc` and `id` is answered with the bare template, or a problem.",
            )
            .takes(parameters::accept_language())
            .body::<RpcMessage>()
            .answers::<RpcReply>(200, "What each call but the notifications brought.")
            .said(204, "Nothing but notifications came.", Form::Nothing)
            .fails(&[Code::UnknownScenario, Code::UnknownMethod, Code::BadParameter])
            .writes(),
        operation(
            GROUP,
            "GET",
            "/.well-known/agent-card.json",
            "read_agent_card",
            "The agent card of A2A 1.0",
        )
        .says(
            "Where A2A is spoken (JSON-RPC and HTTP+JSON under `/a2a`, as that protocol describes), and as skills the scenarios \
             that everyone may see. Who may call sees its own under `/a2a/extendedAgentCard`.",
        )
        .takes(parameters::if_none_match())
        .answers::<AgentCard>(200, "The card.")
        .with(&["ETag", "Cache-Control"])
        .said(304, "What the client holds is current.", Form::Nothing)
        .with(&["ETag", "Cache-Control"])
        .fails(&[Code::NotReady]),
        operation(GROUP, "POST", "/mcp", "call_mcp", "A message of MCP")
            .says(
                "The Model Context Protocol over Streamable HTTP, revisions 2025-11-25 and 2026-07-28: tools for the calls, \
                 templates as resources, a prompt for each scenario. Send `Accept: application/json, text/event-stream`.",
            )
            .takes(parameters::accept_language())
            .takes(parameters::mcp_session())
            .body::<RpcCall>()
            .said(200, "The answer, as a stream of events.", Form::Text("text/event-stream"))
            .said(202, "A notification was taken.", Form::Nothing)
            .fails(&[Code::NotFound, Code::Busy, Code::LimitReached]),
        operation(GROUP, "GET", "/mcp", "listen_mcp", "The stream of a session of MCP")
            .takes(parameters::mcp_session())
            .said(200, "Events as they come.", Form::Text("text/event-stream"))
            .fails(&[
                Code::BadRequest,
                Code::NotFound,
                Code::Busy,
                Code::LimitReached,
                Code::ShuttingDown,
            ]),
        operation(GROUP, "DELETE", "/mcp", "end_mcp", "End a session of MCP")
            .takes(parameters::mcp_session())
            .said(204, "It is ended.", Form::Nothing)
            .fails(&[Code::BadRequest, Code::NotFound]),
    ]
}

//! Messages between agents, what agents offer, and the policies that they are given.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::conversing::MessageChecked;
use crate::edge::http::openapi::shapes::messaging::AgentContextMessage;
use crate::edge::http::openapi::shapes::messaging::CheckedParts;
use crate::edge::http::openapi::shapes::messaging::Converted;
use crate::edge::http::openapi::shapes::messaging::EitherTaskContext;
use crate::edge::http::openapi::shapes::messaging::McpServices;
use crate::edge::http::openapi::shapes::messaging::OfferedServices;
use crate::edge::http::openapi::shapes::messaging::Policies;
use crate::edge::http::openapi::shapes::messaging::RegisteredServices;
use crate::edge::http::openapi::shapes::messaging::Rendered;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Messages";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    vec![
        of("POST", "/messages:check", "check_message", "What becomes of a message's parts")
            .says("Each part of data by its type and version beside what is hosted; files are skipped. Nothing is recorded.")
            .body::<MessageChecked>()
            .answers::<CheckedParts>(200, "Part by part."),
        of("POST", "/messages:render", "render_message", "An Agent Context Message as Markdown")
            .says("Within a budget of tokens; what is left out is said in the text and in the answer, and no token is in it.")
            .takes(parameters::tokens_max())
            .body::<AgentContextMessage>()
            .answers::<Rendered>(200, "The text.")
            .fails(&[Code::BadParameter]),
        of("POST", "/messages:convert", "convert_task_context", "A task context in the other draft's shape")
            .says("`taskContext` becomes `TaskContext` and the other way round; what has no place there is named.")
            .body::<EitherTaskContext>()
            .answers::<Converted>(200, "The other shape."),
        of("GET", "/policies", "read_policies", "Rules that agents are given").answers::<Policies>(200, "As configured."),
        of("PUT", "/agents/{agent}/services", "register_services", "Say what you offer by MCP")
            .says("By the agent itself. Who follows it is told. The answer holds the policies, for an agent that starts.")
            .takes(parameters::agent())
            .body::<McpServices>()
            .answers::<RegisteredServices>(200, "What is kept, with the policies.")
            .fails(&[Code::LimitReached])
            .writes(),
        of("GET", "/agents/{agent}/services", "read_services", "What an agent offers by MCP")
            .takes(parameters::agent())
            .answers::<OfferedServices>(200, "What it registered last.")
            .fails(&[Code::UnknownAgent]),
        of("GET", "/agents/{agent}/services/stream", "stream_services", "What an agent offers, as it changes")
            .says(
                "Server-Sent Events: `services` brings what the address without `/stream` answers, with its version as `id`; `bye` \
                 says that the service ends. An agent may be followed before it registers.",
            )
            .takes(parameters::agent())
            .takes(parameters::last_version())
            .said(200, "The stream; it does not end by itself.", Form::Text("text/event-stream"))
            .fails(&[Code::UnknownAgent, Code::LimitReached, Code::Busy, Code::ShuttingDown]),
    ]
}

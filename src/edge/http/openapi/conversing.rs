//! Conversations between a user and agents, and what of them is passed on.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::conversing::Conversation;
use crate::edge::http::openapi::shapes::conversing::Conversations;
use crate::edge::http::openapi::shapes::conversing::Declaration;
use crate::edge::http::openapi::shapes::conversing::Declared;
use crate::edge::http::openapi::shapes::conversing::Embedded;
use crate::edge::http::openapi::shapes::conversing::Embedding;
use crate::edge::http::openapi::shapes::conversing::ForAgent;
use crate::edge::http::openapi::shapes::conversing::KeptState;
use crate::edge::http::openapi::shapes::conversing::Recorded;
use crate::edge::http::openapi::shapes::conversing::RemovedContext;
use crate::edge::http::openapi::shapes::conversing::StateToKeep;
use crate::edge::http::openapi::shapes::conversing::TurnSaid;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Conversations";

/// Where it is composed what goes to an agent.
const COMPOSED: &[Code] = &[
    Code::UnknownRecipient,
    Code::Busy,
    Code::ShuttingDown,
    Code::ReadOnly,
    Code::StoreStalled,
    Code::DiskFull,
];

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    let within = |method, path, id, summary| {
        of(method, path, id, summary)
            .takes(parameters::context_id())
            .fails(&[Code::UnknownConversation])
    };
    vec![
        of("POST", "/conversations", "open_conversation", "Begin a conversation")
            .says("The context id is given out here. The body may hold the first turn.")
            .body_or_none::<TurnSaid>()
            .answers::<Recorded>(201, "It has begun.")
            .with(&["Location"])
            .fails(&[Code::NothingTaken, Code::LimitReached])
            .writes(),
        of("GET", "/conversations", "list_conversations", "Your conversations")
            .takes(parameters::limit(1_000, 100, "Conversations at most."))
            .answers::<Conversations>(200, "The one that changed last first.")
            .fails(&[Code::BadParameter]),
        within("GET", "/conversations/{context_id}", "read_conversation", "One of your conversations")
            .takes(parameters::last_turns())
            .answers::<Conversation>(200, "What was said, summarised, shared and declared.")
            .fails(&[Code::BadParameter]),
        within("DELETE", "/conversations/{context_id}", "delete_conversation", "Remove a conversation")
            .says("What was said in it is erased.")
            .takes(parameters::by_right())
            .answers::<RemovedContext>(200, "It is gone.")
            .fails(&[Code::Nameless, Code::BadParameter])
            .writes(),
        within("POST", "/conversations/{context_id}/turns", "say_turn", "Record a turn")
            .says(
                "Words as `content`, or a message of A2A with its `parts`. Parts of data are held against the hosted template of \
                 their type and version; of each type the last one is kept. After every `conversations.summarise_after_turns` \
                 turns they are summarised. A part that is refused does not take the others with it; where it was all that was sent, \
                 nothing is on record.",
            )
            .body::<TurnSaid>()
            .answers::<Recorded>(201, "It is on record; what became of each part.")
            .fails(&[Code::NothingTaken, Code::LimitReached])
            .writes(),
        within(
            "PUT",
            "/conversations/{context_id}/recipients/{agent}",
            "declare_recipient",
            "Declare what an agent gets",
        )
        .says("Nothing goes to an agent that is not declared here.")
        .takes(parameters::agent())
        .body::<Declaration>()
        .answers::<Declared>(200, "It is declared.")
        .fails(&[Code::LimitReached])
        .writes(),
        within(
            "DELETE",
            "/conversations/{context_id}/recipients/{agent}",
            "remove_recipient",
            "Let an agent get nothing more",
        )
        .takes(parameters::agent())
        .answers::<RemovedContext>(200, "It gets nothing more.")
        .fails(&[Code::UnknownRecipient, Code::BadRequest])
        .writes(),
        within("POST", "/conversations/{context_id}:embed", "embed_context", "The message for an agent")
            .says(
                "A message of A2A, to be sent as it is: the query, and what this agent's declaration lets out. Without `text` the \
                 query is what the user said last.",
            )
            .body::<Embedding>()
            .answers::<Embedded>(200, "The message.")
            .fails(COMPOSED),
        within("GET", "/conversations/{context_id}/context", "fetch_context", "What you may see of a conversation")
            .says("For an agent that is declared in it: the same parts that would be embedded for it.")
            .answers::<ForAgent>(200, "The parts.")
            .fails(COMPOSED),
        of("PUT", "/conversations/{context_id}/state", "keep_state", "Keep something of your own")
            .says(
                "For an agent that keeps its own state of a conversation; nobody else can read it. The context id may be one that \
                 the agent gave out itself: for every caller it is another room.",
            )
            .takes(parameters::context_id())
            .body::<StateToKeep>()
            .answers::<KeptState>(200, "It is kept.")
            .fails(&[Code::VersionMoved, Code::LimitReached])
            .writes(),
        of("GET", "/conversations/{context_id}/state", "read_state", "What you keep of your own")
            .takes(parameters::context_id())
            .answers::<KeptState>(200, "What is kept.")
            .fails(&[Code::NothingKept, Code::BadRequest]),
        of("DELETE", "/conversations/{context_id}/state", "delete_state", "Keep it no more")
            .takes(parameters::context_id())
            .answers::<RemovedContext>(200, "It is gone.")
            .fails(&[Code::NothingKept, Code::BadRequest])
            .writes(),
    ]
}

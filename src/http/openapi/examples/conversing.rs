//! A conversation, from its first turn to its end: what is said, and what of it goes to an agent.

use serde_json::json;

use super::Ask;
use super::CONTEXT;
use super::ask;

/// In the order in which they can be sent.
pub fn asks() -> Vec<Ask> {
    let in_it = |operation, name, summary| ask(operation, name, summary).with("context_id", CONTEXT);
    vec![
        ask("open_conversation", "first", "With its first turn")
            .sending(json!({"role": "user", "content": "I am looking for a lightweight laptop under 1,000 dollars."}))
            .answered(201),
        ask("list_conversations", "all", "Those of the caller").with("limit", "10"),
        in_it("say_turn", "options", "Words and a typed part")
            .sending(json!({"role": "assistant", "parts": [
                {"text": "Here are some options that match your preferences."},
                {"data": {"foundItems": {"query": "lightweight laptops", "totalCount": 2}},
                 "metadata": {"type": "UserContext", "schemaVersion": "1.0"}},
            ]}))
            .answered(201),
        in_it("declare_recipient", "laptops", "What another agent gets of it")
            .with("agent", "laptops")
            .sending(json!({
                "types": ["ConversationHistory", "UserContext"], "members": {"UserContext": ["/foundItems"]},
            })),
        in_it("embed_context", "laptops", "The message for that agent")
            .sending(json!({"agent": "laptops", "text": "tell me more about option 4", "metadata": {"userId": "2"}})),
        in_it("fetch_context", "laptops", "The same, fetched by the agent itself").by("laptops"),
        in_it("read_conversation", "whole", "What was said, and who gets it").with("last_turns", "20"),
        in_it("remove_recipient", "laptops", "It gets nothing any more").with("agent", "laptops"),
        in_it("delete_conversation", "over", "It is over"),
        in_it("read_conversation", "gone", "One that is not there").answered(404),
    ]
}

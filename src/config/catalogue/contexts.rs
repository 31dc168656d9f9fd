//! Settings of conversations and of the messages between agents.

use crate::app::messages::RENDER_TOKENS_MAX;
use crate::config::catalogue::COUNT;
use crate::config::catalogue::SECONDS;
use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Whole;
use crate::config::kind::Kind::Words;
use context::message::markdown::TOKENS_MIN;

/// `[conversations]` and `[messages]`.
pub const CONTEXTS: &[Setting] = &[
    setting(
        "conversations.conversations_max",
        COUNT,
        "conversations",
        "Conversations kept at once; a further one is refused with 429.",
    ),
    setting(
        "conversations.per_client_max",
        COUNT,
        "conversations",
        "The same for one client. Anonymous callers count as one client.",
    ),
    setting(
        "conversations.turns_max",
        Whole(1, 100_000),
        "turns",
        "Turns of one conversation; a further one is refused with 429.",
    ),
    setting(
        "conversations.turn_bytes_max",
        Whole(1, 1_048_576),
        "bytes",
        "Words of one turn, in UTF-8.",
    ),
    setting(
        "conversations.parts_max",
        Whole(0, 1_000),
        "types",
        "Types of parts that one conversation keeps; of each type the last one is kept.",
    ),
    setting(
        "conversations.part_bytes_max",
        Whole(2, 1_048_576),
        "bytes",
        "Data of one part, and what an agent keeps of its own under one context id.",
    ),
    setting(
        "conversations.recipients_max",
        Whole(0, 10_000),
        "agents",
        "Agents for which one conversation declares what they get.",
    ),
    setting(
        "conversations.states_per_client_max",
        Whole(0, 1_000_000),
        "context ids",
        "Context ids under which one agent keeps something of its own.",
    ),
    setting(
        "conversations.kept_s",
        SECONDS,
        "seconds",
        "After how long without anything new a conversation, or what an agent keeps of its own, is gone.",
    ),
    setting(
        "conversations.summarise_after_turns",
        Whole(1, 100),
        "turns",
        "After how many turns they are summarised: fewer make messages smaller, more keep them closer to what was said.",
    ),
    setting(
        "conversations.kept_turns_max",
        Whole(1, 1_000),
        "turns",
        "Turns of one conversation that may be marked `keep`, to stand as they were said in every summary; a further one is refused with 429.",
    ),
    setting(
        "conversations.carried_bytes_max",
        Whole(0, 1_073_741_824),
        "bytes",
        "Agent Context Messages with a token that are held in memory as they were sent, for whom they are addressed to, until their conversation ends; beyond, the oldest are handed over without the token.",
    ),
    setting(
        "conversations.summary_sentences_max",
        Whole(1, 200),
        "sentences",
        "Sentences that a summary keeps.",
    ),
    setting(
        "conversations.summary_bytes_max",
        Whole(1, 65_536),
        "bytes",
        "Words of a summary, in UTF-8.",
    ),
    setting(
        "messages.policies",
        Words,
        "",
        "Rules that agents are given at their start, each as `ID: rule`, such as `P002: Encrypt all communication with TLS 1.2 or \
         higher.` They are guidance: nothing is allowed or refused by them here.",
    ),
    setting(
        "messages.render_tokens",
        Whole(TOKENS_MIN as i64, RENDER_TOKENS_MAX as i64),
        "tokens",
        "Budget of a rendered message where the caller names none.",
    ),
    setting(
        "messages.agents_max",
        COUNT,
        "agents",
        "Agents that may register what they offer; a further one is refused with 429.",
    ),
];

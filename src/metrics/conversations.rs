//! What is measured of conversations and of messages between agents: what happened, who summarised, what an agent was given and
//! what was kept from it.
//!
//! No series bears a conversation, an agent or a type of parts.

use std::sync::Arc;
use std::sync::OnceLock;

use prometheus::IntCounterVec;
use prometheus::IntGauge;
use prometheus::Registry;

use crate::app::conversations::ConversationCensus;
use crate::app::telemetry::Outcome;
use crate::app::telemetry::conversations::FETCHED;
use crate::app::telemetry::conversations::MESSAGE_OPERATIONS;
use crate::app::telemetry::conversations::Talk;
use crate::app::telemetry::conversations::Withheld;
use crate::metrics::OUTCOMES;
use crate::metrics::counter;
use crate::metrics::number;
use context::conversation::recipient::Pattern;
use context::conversation::summary::Method;

/// Counts the conversations.
pub type OnConversations = Arc<dyn Fn() -> ConversationCensus + Send + Sync>;

/// Series of all conversations and messages.
pub struct Conversations {
    events: IntCounterVec,
    summaries: IntCounterVec,
    passed: IntCounterVec,
    withheld: IntCounterVec,
    messages: IntCounterVec,
    conversations: IntGauge,
    turns: IntGauge,
    summarised_turns: IntGauge,
    read: OnceLock<OnConversations>,
}

impl std::fmt::Debug for Conversations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversations").finish_non_exhaustive()
    }
}

impl Conversations {
    /// Series in a registry; each stands at zero from the beginning.
    ///
    /// # Errors
    /// When the registry holds them already.
    pub fn within(registry: &Registry) -> Result<Conversations, prometheus::Error> {
        let counter = |name: &str, help: &str, labels: &[&str]| counter(registry, name, help, labels);
        let gauge = |name: &str, help: &str| {
            let gauge = IntGauge::new(name, help)?;
            registry.register(Box::new(gauge.clone()))?;
            Ok::<_, prometheus::Error>(gauge)
        };
        let conversations = Conversations {
            events: counter(
                "otherwise_conversation_events_total",
                "What happened to conversations and to what agents keep of their own since the start, by event.",
                &["event"],
            )?,
            summaries: counter(
                "otherwise_conversation_summaries_total",
                "Summaries of conversations by who made them: extractive, model.",
                &["method"],
            )?,
            passed: counter(
                "otherwise_conversation_contexts_total",
                "Contexts that agents came by, by how: the pattern of a message, or fetched.",
                &["how"],
            )?,
            withheld: counter(
                "otherwise_conversation_withheld_total",
                "Turns and parts that a declaration kept from its agent, by what they are.",
                &["what"],
            )?,
            messages: counter(
                "otherwise_message_operations_total",
                "What was done with Agent Context Messages, by operation and outcome: accepted, turned_away (4xx), failed (5xx).",
                &["operation", "outcome"],
            )?,
            conversations: gauge("otherwise_conversations", "Conversations that are kept.")?,
            turns: gauge("otherwise_conversation_turns", "Turns of all conversations together.")?,
            summarised_turns: gauge(
                "otherwise_conversation_summarised_turns",
                "Turns that a summary stands for.",
            )?,
            read: OnceLock::new(),
        };
        for talk in Talk::ALL {
            conversations.events.with_label_values(&[talk.name()]);
        }
        for method in Method::ALL {
            conversations.summaries.with_label_values(&[method.name()]);
        }
        for how in Pattern::ALL.map(Pattern::name).into_iter().chain([FETCHED]) {
            conversations.passed.with_label_values(&[how]);
        }
        for what in Withheld::ALL {
            conversations.withheld.with_label_values(&[what.name()]);
        }
        for operation in MESSAGE_OPERATIONS {
            for outcome in OUTCOMES {
                conversations.messages.with_label_values(&[operation, outcome.name()]);
            }
        }
        conversations.read();
        Ok(conversations)
    }

    /// Counts something that happened.
    pub fn count(&self, talk: Talk) {
        self.events.with_label_values(&[talk.name()]).inc();
    }

    /// Counts a summary.
    pub fn summarised(&self, method: Method) {
        self.summaries.with_label_values(&[method.name()]).inc();
    }

    /// Counts a context that an agent came by.
    pub fn passed(&self, how: &'static str) {
        self.passed.with_label_values(&[how]).inc();
    }

    /// Counts what was kept from an agent.
    pub fn withheld(&self, what: Withheld, count: usize) {
        self.withheld.with_label_values(&[what.name()]).inc_by(count as u64);
    }

    /// Counts something that was done with a message.
    pub fn message(&self, operation: &'static str, outcome: Outcome) {
        self.messages.with_label_values(&[operation, outcome.name()]).inc();
    }

    /// Takes who says how many there are, once.
    pub fn read_from(&self, conversations: OnConversations) {
        let _ = self.read.set(conversations);
    }

    /// Reads how many there are.
    pub fn read(&self) {
        let census = self.read.get().map(|read| read()).unwrap_or_default();
        self.conversations.set(number(census.conversations));
        self.turns.set(number(census.turns));
        self.summarised_turns.set(number(census.summarised_turns));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prometheus::Registry;
    use prometheus::TextEncoder;

    use super::ConversationCensus;
    use super::Conversations;
    use super::FETCHED;
    use super::Method;
    use super::Outcome;
    use super::Talk;
    use super::Withheld;

    #[test]
    fn what_happens_is_counted_from_zero_and_conversations_are_read() {
        let registry = Registry::new();
        let conversations = Conversations::within(&registry).expect("series");
        conversations.count(Talk::Said);
        conversations.summarised(Method::Model);
        conversations.passed(FETCHED);
        conversations.withheld(Withheld::SensitiveTurn, 2);
        conversations.withheld(Withheld::SensitivePart, 0);
        conversations.message("render", Outcome::TurnedAway);
        conversations.read_from(Arc::new(|| ConversationCensus {
            conversations: 3,
            turns: 31,
            summarised_turns: 20,
        }));
        conversations.read();
        let page = TextEncoder::new().encode_to_string(&registry.gather()).expect("a page");
        for line in [
            r#"otherwise_conversation_events_total{event="said"} 1"#,
            r#"otherwise_conversation_events_total{event="expired"} 0"#,
            r#"otherwise_conversation_summaries_total{method="model"} 1"#,
            r#"otherwise_conversation_summaries_total{method="extractive"} 0"#,
            r#"otherwise_conversation_contexts_total{how="fetched"} 1"#,
            r#"otherwise_conversation_contexts_total{how="embedded"} 0"#,
            r#"otherwise_conversation_withheld_total{what="sensitive_turn"} 2"#,
            r#"otherwise_conversation_withheld_total{what="sensitive_part"} 0"#,
            r#"otherwise_message_operations_total{operation="render",outcome="turned_away"} 1"#,
            r#"otherwise_message_operations_total{operation="register",outcome="failed"} 0"#,
            "otherwise_conversations 3",
            "otherwise_conversation_turns 31",
            "otherwise_conversation_summarised_turns 20",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }
}

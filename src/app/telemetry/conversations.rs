//! What happens to conversations and to messages between agents, as words.

use context::conversation::event::ConversationEvent;

/// What happened to a conversation, or to what an agent keeps of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talk {
    Opened,
    /// A turn.
    Said,
    /// A typed part.
    Shared,
    Declared,
    Undeclared,
    Removed,
    /// The conversation was over by its age.
    Expired,
    Kept,
    Dropped,
    /// What an agent kept was over by its age.
    KeptExpired,
}

impl Talk {
    pub const ALL: [Talk; 10] = [
        Talk::Opened,
        Talk::Said,
        Talk::Shared,
        Talk::Declared,
        Talk::Undeclared,
        Talk::Removed,
        Talk::Expired,
        Talk::Kept,
        Talk::Dropped,
        Talk::KeptExpired,
    ];

    /// The label's value.
    pub fn name(self) -> &'static str {
        match self {
            Talk::Opened => "opened",
            Talk::Said => "said",
            Talk::Shared => "shared",
            Talk::Declared => "declared",
            Talk::Undeclared => "undeclared",
            Talk::Removed => "removed",
            Talk::Expired => "expired",
            Talk::Kept => "kept",
            Talk::Dropped => "dropped",
            Talk::KeptExpired => "kept_expired",
        }
    }

    /// What an event is that somebody asked for. Summaries are counted by who made them.
    pub fn asked(event: &ConversationEvent) -> Option<Talk> {
        match event {
            ConversationEvent::Opened { .. } => Some(Talk::Opened),
            ConversationEvent::Said { .. } => Some(Talk::Said),
            ConversationEvent::Shared { .. } => Some(Talk::Shared),
            ConversationEvent::Declared { .. } => Some(Talk::Declared),
            ConversationEvent::Undeclared { .. } => Some(Talk::Undeclared),
            ConversationEvent::Removed { .. } => Some(Talk::Removed),
            ConversationEvent::Kept { .. } => Some(Talk::Kept),
            ConversationEvent::Dropped { .. } => Some(Talk::Dropped),
            ConversationEvent::Summarised { .. } | ConversationEvent::Erased { .. } | ConversationEvent::Continued => {
                None
            }
        }
    }

    /// What an event is that came by age alone.
    pub fn lapsed(event: &ConversationEvent) -> Option<Talk> {
        match Talk::asked(event) {
            Some(Talk::Removed) => Some(Talk::Expired),
            Some(Talk::Dropped) => Some(Talk::KeptExpired),
            other => other,
        }
    }
}

/// How an agent comes by its context, where no message brings it.
pub const FETCHED: &str = "fetched";

/// What a declaration kept from an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// Turns that are marked sensitive.
    SensitiveTurn,
    /// Parts that are.
    SensitivePart,
    /// Parts of a type that is not declared.
    UndeclaredPart,
}

impl Withheld {
    pub const ALL: [Withheld; 3] = [
        Withheld::SensitiveTurn,
        Withheld::SensitivePart,
        Withheld::UndeclaredPart,
    ];

    /// The label's value.
    pub fn name(self) -> &'static str {
        match self {
            Withheld::SensitiveTurn => "sensitive_turn",
            Withheld::SensitivePart => "sensitive_part",
            Withheld::UndeclaredPart => "undeclared_part",
        }
    }
}

/// What is done with Agent Context Messages and with what agents offer.
pub const MESSAGE_OPERATIONS: [&str; 4] = ["check", "render", "convert", "register"];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ConversationEvent;
    use super::Talk;
    use super::Withheld;

    #[test]
    fn every_word_stands_in_its_list_once_and_age_is_told_from_a_wish() {
        let distinct = |names: &[&str]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        assert!(distinct(&Talk::ALL.map(Talk::name)));
        assert!(distinct(&Withheld::ALL.map(Withheld::name)));
        let removed = ConversationEvent::Removed {
            context: "c".to_owned(),
            operator: None,
        };
        assert_eq!(Talk::asked(&removed), Some(Talk::Removed));
        assert_eq!(Talk::lapsed(&removed), Some(Talk::Expired));
        assert_eq!(Talk::asked(&ConversationEvent::Continued), None);
    }
}

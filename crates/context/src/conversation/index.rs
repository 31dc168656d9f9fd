//! All conversations as a value: a view of their journal.
//!
//! Knows at which records contents lie, not what they are. Invariant: a summary covers turns that there are, and turns lie in the order
//! in which they were said.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::aggregate::Event;
use crate::conversation::event::ConversationEvent;
use crate::conversation::recipient::Recipient;
use crate::conversation::summary::Method;
use crate::conversation::turn::Speaker;
use schema::name::ClientId;
use schema::time::At;

/// Records that lie one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    pub from: u64,
    pub through: u64,
}

impl Records {
    /// First and last.
    pub fn range(self) -> (u64, u64) {
        (self.from, self.through)
    }
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpokenTurn {
    pub records: Records,
    pub at: At,
    pub speaker: Speaker,
    pub task: Option<String>,
    pub sensitive: bool,
    #[serde(default, skip_serializing_if = "Not::not")]
    pub keep: bool,
}

/// The part of a type that was shared last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedPart {
    pub records: Records,
    pub at: At,
    pub version: String,
    pub sensitive: bool,
}

/// What is kept of the first turns (P-034).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub records: Records,
    pub at: At,
    /// How many of the first turns it stands for.
    pub turns: usize,
    pub items: usize,
    pub model: String,
    #[serde(default)]
    pub method: Method,
}

/// One conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    pub id: String,
    pub owner: Option<ClientId>,
    /// Its first record.
    pub began: u64,
    pub began_at: At,
    /// When something was last said, shared or declared.
    pub at: At,
    pub turns: Vec<SpokenTurn>,
    /// By type.
    pub parts: BTreeMap<String, SharedPart>,
    pub summary: Option<Summary>,
    pub recipients: BTreeMap<ClientId, Recipient>,
}

impl Conversation {
    /// Turns that no summary covers yet.
    pub fn unsummarised(&self) -> usize {
        self.turns.len() - self.covered()
    }

    /// Turns that the summary covers.
    pub fn covered(&self) -> usize {
        let covered = self.summary.as_ref().map_or(0, |summary| summary.turns);
        covered.min(self.turns.len())
    }

    /// Where its contents lie, first to last.
    pub fn contents(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let turns = self.turns.iter().map(|turn| turn.records);
        let parts = self.parts.values().map(|part| part.records);
        let summary = self.summary.iter().map(|summary| summary.records);
        turns.chain(parts).chain(summary).map(Records::range)
    }
}

/// Every conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationIndex {
    pub conversations: BTreeMap<String, Conversation>,
}

impl Aggregate for ConversationIndex {
    type Event = ConversationEvent;

    /// Applies one event that lies at this record. What concerns a conversation that is not there any more is passed over.
    fn evolve(&mut self, seq: u64, at: At, event: &ConversationEvent) {
        let records = Records {
            from: seq,
            through: seq + u64::from(event.more()),
        };
        match event {
            ConversationEvent::Opened { context, owner } => {
                let conversation = Conversation {
                    id: context.clone(),
                    owner: owner.clone(),
                    began: seq,
                    began_at: at,
                    at,
                    turns: Vec::new(),
                    parts: BTreeMap::new(),
                    summary: None,
                    recipients: BTreeMap::new(),
                };
                self.conversations.insert(context.clone(), conversation);
            }
            ConversationEvent::Said {
                context,
                speaker,
                task,
                sensitive,
                keep,
                more: _,
            } => {
                if let Some(found) = self.conversations.get_mut(context) {
                    found.at = at;
                    found.turns.push(SpokenTurn {
                        records,
                        at,
                        speaker: *speaker,
                        task: task.clone(),
                        sensitive: *sensitive,
                        keep: *keep,
                    });
                }
            }
            ConversationEvent::Shared {
                context,
                type_name,
                version,
                sensitive,
                more: _,
            } => {
                let part = SharedPart {
                    records,
                    at,
                    version: version.clone(),
                    sensitive: *sensitive,
                };
                if let Some(found) = self.conversations.get_mut(context) {
                    found.at = at;
                    found.parts.insert(type_name.clone(), part);
                }
            }
            ConversationEvent::Summarised {
                context,
                turns,
                items,
                model,
                method,
                more: _,
            } => {
                let summary = Summary {
                    records,
                    at,
                    turns: *turns,
                    items: *items,
                    model: model.clone(),
                    method: *method,
                };
                if let Some(found) = self.conversations.get_mut(context) {
                    found.summary = Some(summary);
                }
            }
            ConversationEvent::Declared {
                context,
                agent,
                recipient,
            } => {
                if let Some(found) = self.conversations.get_mut(context) {
                    found.at = at;
                    found.recipients.insert(agent.clone(), recipient.clone());
                }
            }
            ConversationEvent::Undeclared { context, agent } => {
                if let Some(found) = self.conversations.get_mut(context) {
                    found.at = at;
                    found.recipients.remove(agent);
                }
            }
            ConversationEvent::Removed { context, .. } => {
                self.conversations.remove(context);
            }
            ConversationEvent::Kept {}
            | ConversationEvent::Dropped {}
            | ConversationEvent::Erased { .. }
            | ConversationEvent::Continued => {}
        }
    }

    fn needed(&self) -> Vec<(u64, u64)> {
        self.conversations.values().flat_map(Conversation::contents).collect()
    }

    fn at_stake(&self, event: &ConversationEvent) -> Vec<(u64, u64)> {
        let removed = match event {
            ConversationEvent::Removed { context, .. } => self.conversations.get(context),
            _ => None,
        };
        removed.into_iter().flat_map(Conversation::contents).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Aggregate;
    use super::At;
    use super::ClientId;
    use super::ConversationEvent;
    use super::ConversationIndex;
    use super::Event;
    use super::Method;
    use super::Speaker;

    fn said(context: &str, more: u32) -> ConversationEvent {
        ConversationEvent::Said {
            context: context.to_owned(),
            speaker: Speaker::User,
            task: None,
            sensitive: false,
            keep: false,
            more,
        }
    }

    /// The index after a conversation began at record 1, and these events after it, each where the one before ends.
    fn told(events: &[ConversationEvent]) -> ConversationIndex {
        let mut index = ConversationIndex::default();
        let mut seq = 1;
        let opened = ConversationEvent::Opened {
            context: "c".to_owned(),
            owner: ClientId::parse("ada"),
        };
        for event in [opened].iter().chain(events) {
            index.evolve(seq, At(i64::try_from(seq).expect("small")), event);
            seq += 1 + u64::from(event.more());
        }
        let text = serde_json::to_string(&index).expect("JSON");
        let read: ConversationIndex = serde_json::from_str(&text).expect("an index");
        assert_eq!(read, index, "a snapshot is the index");
        index
    }

    #[test]
    fn what_was_said_is_needed_until_it_is_replaced_or_removed_p021_p029() {
        let context = || "c".to_owned();
        let shared = ConversationEvent::Shared {
            context: context(),
            type_name: "UserContext".to_owned(),
            version: "1.0.0".to_owned(),
            sensitive: false,
            more: 0,
        };
        let summarised = ConversationEvent::Summarised {
            context: context(),
            turns: 1,
            items: 1,
            model: "m".to_owned(),
            method: Method::Extractive,
            more: 0,
        };
        let said = [said("c", 2), said("c", 0), shared.clone(), shared, said("nobody", 0)];
        let mut events = [&said[..], &[summarised]].concat();
        let index = told(&events);
        let conversation = &index.conversations["c"];
        assert_eq!((conversation.covered(), conversation.unsummarised()), (1, 1));
        assert_eq!(conversation.at, At(7), "a summary is nothing that was said");
        assert_eq!(index.needed(), [(2, 4), (5, 5), (7, 7), (9, 9)]);
        events.push(ConversationEvent::Removed {
            context: context(),
            operator: None,
        });
        assert!(told(&events).needed().is_empty());
    }

    #[test]
    fn what_old_journals_say_of_states_and_kept_turns_is_read_and_needed_no_more() {
        let old = [
            r#"{"kept": {"agent": "hotel", "context": "c", "version": 1, "more": 0}}"#,
            r#"{"dropped": {"agent": "hotel", "context": "c"}}"#,
            r#"{"said": {"context": "c", "speaker": "user", "task": null, "sensitive": false, "keep": true, "more": 0}}"#,
        ];
        let old = old.map(|text| serde_json::from_str(text).expect("an event"));
        assert_eq!(told(&old).needed(), [(4, 4)]);
    }
}

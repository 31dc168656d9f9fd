//! All conversations as a value: a view of their journal.
//!
//! Knows at which records contents lie, not what they are. What is replaced or removed is noted until its contents are erased, and the
//! version of what an agent kept is remembered after it is gone, so that none is given twice (P-027). Invariant
//! ([`ConversationIndex::check`]): a summary covers turns that there are, and turns lie in the order in which they were said.

use std::collections::BTreeMap;

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

/// Agents whose last version is remembered each by itself: about a quarter of a megabyte.
const TOMBSTONES_MAX: usize = 4_096;

/// Records that lie one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    pub from: u64,
    pub through: u64,
}

/// Contents that nobody can ask for any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Garbage {
    pub records: Records,
    /// The record that did away with them.
    pub by: u64,
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpokenTurn {
    pub records: Records,
    pub at: At,
    pub speaker: Speaker,
    pub task: Option<String>,
    pub sensitive: bool,
    /// Whether it stands as it was said in every summary.
    #[serde(default)]
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

    fn contents(&self) -> impl Iterator<Item = Records> + '_ {
        let turns = self.turns.iter().map(|turn| turn.records);
        let parts = self.parts.values().map(|part| part.records);
        turns
            .chain(parts)
            .chain(self.summary.iter().map(|summary| summary.records))
    }
}

/// What an agent keeps of its own under a context id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentState {
    pub records: Records,
    pub at: At,
    /// 1 at first; goes up with every change, and is never given twice.
    pub version: u64,
}

/// The highest version at which each agent's own state went, for those that went last; of the others the highest of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstones {
    by_agent: BTreeMap<ClientId, u64>,
    floor: u64,
}

impl Tombstones {
    fn note(&mut self, agent: &ClientId, version: u64) {
        let last = self.by_agent.entry(agent.clone()).or_default();
        *last = version.max(*last);
        if self.by_agent.len() <= TOMBSTONES_MAX {
            return;
        }
        // The one that raises the floor least.
        let lowest = self.by_agent.iter().min_by_key(|(_, version)| **version);
        if let Some((agent, version)) = lowest.map(|(agent, version)| (agent.clone(), *version)) {
            self.by_agent.remove(&agent);
            self.floor = self.floor.max(version);
        }
    }

    /// The version after which a new state of this agent begins.
    pub fn last(&self, agent: &ClientId) -> u64 {
        let last = self.by_agent.get(agent).copied().unwrap_or_default();
        last.max(self.floor)
    }
}

/// Every conversation, and what agents keep of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationIndex {
    pub conversations: BTreeMap<String, Conversation>,
    /// By agent, then by context id.
    pub own: BTreeMap<ClientId, BTreeMap<String, AgentState>>,
    #[serde(default, rename = "emptied")]
    pub tombstones: Tombstones,
    /// What is still to be erased.
    #[serde(rename = "gone")]
    pub garbage: Vec<Garbage>,
}

impl Aggregate for ConversationIndex {
    type Event = ConversationEvent;

    /// Applies one event that lies at this record. What concerns a conversation that is not there any more is passed over, but
    /// for its content, which is to be erased.
    fn evolve(&mut self, seq: u64, at: At, event: &ConversationEvent) {
        let records = Records {
            from: seq,
            through: seq + u64::from(event.more()),
        };
        match event {
            ConversationEvent::Opened { context, owner } => {
                self.remove(context, seq);
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
            } => match self.conversations.get_mut(context) {
                Some(found) => {
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
                None => self.discard(Some(records), seq),
            },
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
                let replaced = self.conversations.get_mut(context).map_or(Some(records), |found| {
                    found.at = at;
                    let replaced = found.parts.insert(type_name.clone(), part);
                    replaced.map(|replaced| replaced.records)
                });
                self.discard(replaced, seq);
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
                let replaced = self.conversations.get_mut(context).map_or(Some(records), |found| {
                    let replaced = found.summary.replace(summary);
                    replaced.map(|replaced| replaced.records)
                });
                self.discard(replaced, seq);
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
            ConversationEvent::Removed { context, .. } => self.remove(context, seq),
            ConversationEvent::Kept {
                agent,
                context,
                version,
                more: _,
            } => {
                let state = AgentState {
                    records,
                    at,
                    version: *version,
                };
                let all = self.own.entry(agent.clone()).or_default();
                let replaced = all.insert(context.clone(), state);
                self.discard(replaced.map(|replaced| replaced.records), seq);
            }
            ConversationEvent::Dropped { agent, context } => {
                let all = self.own.get_mut(agent);
                if let Some(dropped) = all.and_then(|all| all.remove(context)) {
                    self.tombstones.note(agent, dropped.version);
                    self.discard(Some(dropped.records), seq);
                }
                if self.own.get(agent).is_some_and(BTreeMap::is_empty) {
                    self.own.remove(agent);
                }
            }
            ConversationEvent::Erased { through } => self.garbage.retain(|garbage| garbage.by > *through),
            ConversationEvent::Continued => {}
        }
    }
}

impl ConversationIndex {
    fn remove(&mut self, context: &str, by: u64) {
        let found = self.conversations.remove(context);
        for records in found.iter().flat_map(Conversation::contents) {
            self.discard(Some(records), by);
        }
    }

    /// Notes contents that are to be erased, together with those that they follow.
    fn discard(&mut self, records: Option<Records>, by: u64) {
        let Some(records) = records else { return };
        match self.garbage.last_mut() {
            Some(last) if last.by == by && last.records.through + 1 == records.from => {
                last.records.through = records.through;
            }
            Some(_) | None => self.garbage.push(Garbage { records, by }),
        }
    }

    /// What must hold after every event.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self) -> Result<(), String> {
        let hold = |right: bool, what: &str| if right { Ok(()) } else { Err(what.to_owned()) };
        for (id, conversation) in &self.conversations {
            hold(*id == conversation.id, "a conversation stands under its id")?;
            let covered = conversation.summary.as_ref().map_or(0, |summary| summary.turns);
            hold(
                covered <= conversation.turns.len(),
                "a summary covers turns that there are",
            )?;
            let ordered = conversation
                .turns
                .windows(2)
                .all(|pair| pair[0].records.through < pair[1].records.from);
            hold(ordered, "turns lie in their order")?;
            let kept = |records: Records| {
                let apart = |garbage: &Garbage| {
                    garbage.records.through < records.from || records.through < garbage.records.from
                };
                self.garbage.iter().all(apart)
            };
            hold(
                conversation.contents().all(kept),
                "nothing that is needed is to be erased",
            )?;
        }
        hold(self.own.values().all(|all| !all.is_empty()), "no agent keeps nothing")
    }
}

#[cfg(test)]
mod tests {
    use super::Aggregate;
    use super::At;
    use super::ClientId;
    use super::ConversationEvent;
    use super::ConversationIndex;
    use super::Garbage;
    use super::Method;
    use super::Records;
    use super::Speaker;
    use super::TOMBSTONES_MAX;
    use super::Tombstones;

    fn opened(context: &str) -> ConversationEvent {
        ConversationEvent::Opened {
            context: context.to_owned(),
            owner: ClientId::parse("ada"),
        }
    }

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

    fn shared(context: &str) -> ConversationEvent {
        ConversationEvent::Shared {
            context: context.to_owned(),
            type_name: "UserContext".to_owned(),
            version: "1.0.0".to_owned(),
            sensitive: false,
            more: 0,
        }
    }

    fn gone(from: u64, through: u64, by: u64) -> Garbage {
        Garbage {
            records: Records { from, through },
            by,
        }
    }

    /// The index after these events, the first at record 1, each where the one before ends.
    fn told(events: &[ConversationEvent]) -> ConversationIndex {
        let mut index = ConversationIndex::default();
        let mut seq = 1;
        for event in events {
            index.evolve(seq, At(i64::try_from(seq).expect("small")), event);
            assert_eq!(index.check(), Ok(()), "{event:?}");
            seq += 1 + u64::from(crate::aggregate::Event::more(event));
        }
        let text = serde_json::to_string(&index).expect("JSON");
        assert_eq!(
            serde_json::from_str::<ConversationIndex>(&text).expect("a index"),
            index,
            "a snapshot is the index"
        );
        index
    }

    #[test]
    fn turns_are_kept_in_their_order_with_where_they_lie_p021_p029() {
        let summarised = ConversationEvent::Summarised {
            context: "c".to_owned(),
            turns: 1,
            items: 1,
            model: "m".to_owned(),
            method: Method::Extractive,
            more: 0,
        };
        let index = told(&[opened("c"), said("c", 2), said("c", 0), summarised, said("d", 0)]);
        let conversation = &index.conversations["c"];
        let places: Vec<u64> = conversation.turns.iter().map(|turn| turn.records.from).collect();
        assert_eq!(places, [2, 5]);
        assert_eq!(conversation.turns[0].records.through, 4);
        assert_eq!((conversation.covered(), conversation.unsummarised()), (1, 1));
        assert_eq!(conversation.at, At(5), "a summary is nothing that was said");
        assert_eq!(
            index.garbage,
            [gone(7, 7, 7)],
            "what was said of nothing is to be erased"
        );
    }

    #[test]
    fn what_is_replaced_or_removed_is_to_be_erased() {
        let mut events = vec![opened("c"), said("c", 1), said("c", 0), shared("c"), shared("c")];
        assert_eq!(told(&events).garbage, [gone(5, 5, 6)]);
        events.push(ConversationEvent::Removed {
            context: "c".to_owned(),
            operator: None,
        });
        let index = told(&events);
        assert!(index.conversations.is_empty());
        assert_eq!(index.garbage, [gone(5, 5, 6), gone(2, 4, 7), gone(6, 6, 7)]);
        events.push(ConversationEvent::Erased { through: 6 });
        assert_eq!(told(&events).garbage, [gone(2, 4, 7), gone(6, 6, 7)]);
        events.push(ConversationEvent::Erased { through: 7 });
        assert_eq!(told(&events), ConversationIndex::default());
    }

    #[test]
    fn an_agents_own_is_its_own_p027() {
        let agent = ClientId::parse("hotel").expect("a name");
        let kept = |version| ConversationEvent::Kept {
            agent: agent.clone(),
            context: "c".to_owned(),
            version,
            more: 0,
        };
        let index = told(&[kept(1), kept(2)]);
        assert_eq!(index.own[&agent]["c"].version, 2);
        assert_eq!(index.garbage, [gone(1, 1, 2)]);
        let dropped = ConversationEvent::Dropped {
            agent: agent.clone(),
            context: "c".to_owned(),
        };
        let index = told(&[kept(1), dropped.clone(), dropped]);
        assert!(index.own.is_empty());
        assert_eq!(index.tombstones.last(&agent), 1);
    }

    #[test]
    fn who_is_forgotten_raises_the_floor_by_the_least_and_no_version_comes_twice() {
        let agent = |n: usize| ClientId::parse(&format!("agent-{n}")).expect("a name");
        let mut tombstones = Tombstones::default();
        assert_eq!(tombstones.last(&agent(0)), 0);
        tombstones.note(&agent(0), 9);
        tombstones.note(&agent(0), 4);
        assert_eq!((tombstones.last(&agent(0)), tombstones.last(&agent(1))), (9, 0));
        for n in 1..=TOMBSTONES_MAX {
            tombstones.note(&agent(n), 2);
        }
        assert_eq!(tombstones.by_agent.len(), TOMBSTONES_MAX);
        assert_eq!((tombstones.last(&agent(0)), tombstones.last(&agent(9_999_999))), (9, 2));
        assert!((1..=TOMBSTONES_MAX).all(|n| tombstones.last(&agent(n)) == 2));
    }
}

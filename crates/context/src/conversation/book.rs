//! All conversations as a value: a view of their journal.
//!
//! Knows at which records contents lie, not what they are. What was replaced or removed is noted until its contents are erased.
//! Invariant ([`Book::check`]): a summary covers turns that there are, and turns lie in the order in which they were said.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::aggregate::Event;
use crate::conversation::emptied::Emptied;
use crate::conversation::event::ConversationEvent;
use crate::conversation::recipient::Recipient;
use crate::conversation::said::Speaker;
use crate::conversation::summary::Method;
use schema::name::ClientId;
use schema::time::At;

/// Records that lie one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    pub from: u64,
    pub through: u64,
}

/// Contents that nobody can ask for any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    pub records: Stretch,
    /// The record that did away with them.
    pub by: u64,
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    pub records: Stretch,
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
pub struct Shared {
    pub records: Stretch,
    pub at: At,
    pub version: String,
    pub sensitive: bool,
}

/// What is kept of the first turns (P-034).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub records: Stretch,
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
    pub turns: Vec<Spoken>,
    /// By type.
    pub parts: BTreeMap<String, Shared>,
    pub summary: Option<Summary>,
    pub recipients: BTreeMap<ClientId, Recipient>,
}

impl Conversation {
    /// Turns that no summary covers yet.
    pub fn unsummarised(&self) -> usize {
        self.turns.len() - self.covered()
    }

    /// Turns that stand as they were said in every summary.
    pub fn kept(&self) -> usize {
        self.turns.iter().filter(|turn| turn.keep).count()
    }

    /// Turns that the summary covers.
    pub fn covered(&self) -> usize {
        let covered = self.summary.as_ref().map_or(0, |summary| summary.turns);
        covered.min(self.turns.len())
    }

    fn contents(&self) -> impl Iterator<Item = Stretch> + '_ {
        let turns = self.turns.iter().map(|turn| turn.records);
        let parts = self.parts.values().map(|part| part.records);
        turns
            .chain(parts)
            .chain(self.summary.iter().map(|summary| summary.records))
    }
}

/// What an agent keeps of its own under a context id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    pub records: Stretch,
    pub at: At,
    /// 1 at first; goes up with every change, and is never given twice.
    pub version: u64,
}

/// Everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    pub conversations: BTreeMap<String, Conversation>,
    /// By agent, then by context id.
    pub own: BTreeMap<ClientId, BTreeMap<String, Own>>,
    /// What they kept and keep no longer.
    #[serde(default)]
    pub emptied: Emptied,
    /// What is still to be erased.
    pub gone: Vec<Gone>,
}

impl Aggregate for Book {
    type Event = ConversationEvent;

    /// Applies one event that lies at this record. What concerns a conversation that is not there any more is passed over, but
    /// for its content, which is to be erased.
    fn evolve(&mut self, seq: u64, at: At, event: &ConversationEvent) {
        let records = Stretch {
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
                    found.turns.push(Spoken {
                        records,
                        at,
                        speaker: *speaker,
                        task: task.clone(),
                        sensitive: *sensitive,
                        keep: *keep,
                    });
                }
                None => self.let_go(records, seq),
            },
            ConversationEvent::Shared {
                context,
                type_name,
                version,
                sensitive,
                more: _,
            } => {
                let part = Shared {
                    records,
                    at,
                    version: version.clone(),
                    sensitive: *sensitive,
                };
                let replaced = match self.conversations.get_mut(context) {
                    Some(found) => {
                        found.at = at;
                        found
                            .parts
                            .insert(type_name.clone(), part)
                            .map(|replaced| replaced.records)
                    }
                    None => Some(records),
                };
                if let Some(replaced) = replaced {
                    self.let_go(replaced, seq);
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
                let replaced = match self.conversations.get_mut(context) {
                    Some(found) => found.summary.replace(summary).map(|replaced| replaced.records),
                    None => Some(records),
                };
                if let Some(replaced) = replaced {
                    self.let_go(replaced, seq);
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
            ConversationEvent::Removed { context, .. } => self.remove(context, seq),
            ConversationEvent::Kept {
                agent,
                context,
                version,
                more: _,
            } => {
                let own = Own {
                    records,
                    at,
                    version: *version,
                };
                let all = self.own.entry(agent.clone()).or_default();
                if let Some(replaced) = all.insert(context.clone(), own) {
                    self.let_go(replaced.records, seq);
                }
            }
            ConversationEvent::Dropped { agent, context } => {
                if let Some(all) = self.own.get_mut(agent) {
                    let dropped = all.remove(context);
                    if all.is_empty() {
                        self.own.remove(agent);
                    }
                    if let Some(dropped) = dropped {
                        self.emptied.note(agent, dropped.version);
                        self.let_go(dropped.records, seq);
                    }
                }
            }
            ConversationEvent::Erased { through } => self.gone.retain(|gone| gone.by > *through),
            ConversationEvent::Continued => {}
        }
    }
}

impl Book {
    fn remove(&mut self, context: &str, by: u64) {
        let Some(found) = self.conversations.remove(context) else {
            return;
        };
        for records in found.contents() {
            self.let_go(records, by);
        }
    }

    /// Notes contents that are to be erased, together with those that they follow.
    fn let_go(&mut self, records: Stretch, by: u64) {
        if let Some(last) = self.gone.last_mut()
            && last.by == by
            && last.records.through + 1 == records.from
        {
            last.records.through = records.through;
            return;
        }
        self.gone.push(Gone { records, by });
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
            let kept = |records: Stretch| {
                let apart = |gone: &Gone| gone.records.through < records.from || records.through < gone.records.from;
                self.gone.iter().all(apart)
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
    use super::Book;
    use super::ClientId;
    use super::ConversationEvent;
    use super::Gone;
    use super::Method;
    use super::Speaker;
    use super::Stretch;

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

    fn gone(from: u64, through: u64, by: u64) -> Gone {
        Gone {
            records: Stretch { from, through },
            by,
        }
    }

    /// The book after these events, the first at record 1, each where the one before ends.
    fn told(events: &[ConversationEvent]) -> Book {
        let mut book = Book::default();
        let mut seq = 1;
        for event in events {
            book.evolve(seq, At(i64::try_from(seq).expect("small")), event);
            assert_eq!(book.check(), Ok(()), "{event:?}");
            seq += 1 + u64::from(crate::aggregate::Event::more(event));
        }
        let text = serde_json::to_string(&book).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Book>(&text).expect("a book"),
            book,
            "a snapshot is the book"
        );
        book
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
        let book = told(&[opened("c"), said("c", 2), said("c", 0), summarised, said("d", 0)]);
        let conversation = &book.conversations["c"];
        let places: Vec<u64> = conversation.turns.iter().map(|turn| turn.records.from).collect();
        assert_eq!(places, [2, 5]);
        assert_eq!(conversation.turns[0].records.through, 4);
        assert_eq!((conversation.covered(), conversation.unsummarised()), (1, 1));
        assert_eq!(conversation.at, At(5), "a summary is nothing that was said");
        assert_eq!(book.gone, [gone(7, 7, 7)], "what was said of nothing is to be erased");
    }

    #[test]
    fn what_is_replaced_or_removed_is_to_be_erased() {
        let mut events = vec![opened("c"), said("c", 1), said("c", 0), shared("c"), shared("c")];
        assert_eq!(told(&events).gone, [gone(5, 5, 6)]);
        events.push(ConversationEvent::Removed {
            context: "c".to_owned(),
            operator: None,
        });
        let book = told(&events);
        assert!(book.conversations.is_empty());
        assert_eq!(book.gone, [gone(5, 5, 6), gone(2, 4, 7), gone(6, 6, 7)]);
        events.push(ConversationEvent::Erased { through: 6 });
        assert_eq!(told(&events).gone, [gone(2, 4, 7), gone(6, 6, 7)]);
        events.push(ConversationEvent::Erased { through: 7 });
        assert_eq!(told(&events), Book::default());
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
        let book = told(&[kept(1), kept(2)]);
        assert_eq!(book.own[&agent]["c"].version, 2);
        assert_eq!(book.gone, [gone(1, 1, 2)]);
        let dropped = ConversationEvent::Dropped {
            agent: agent.clone(),
            context: "c".to_owned(),
        };
        let book = told(&[kept(1), dropped.clone(), dropped]);
        assert!(book.own.is_empty());
        assert_eq!(book.emptied.last(&agent), 1);
    }
}

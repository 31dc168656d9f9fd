//! Who may do what with a conversation, and how much there may be.
//!
//! Invariant: who may not see a conversation is told the same as if there were none.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::conversation::event::ConversationEvent;
use crate::conversation::index::Conversation;
use crate::conversation::index::ConversationIndex;
use crate::conversation::recipient::Recipient;
use schema::name::ClientId;
use schema::nearest::with_near;
use schema::time::At;

/// Turns of one conversation that may stand word for word beside its summary.
pub const KEPT_TURNS_MAX: usize = 20;

/// How much there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationLimits {
    pub conversations_max: usize,
    pub per_client_max: usize,
    pub turns_max: usize,
    /// Bytes of one turn's words.
    pub turn_bytes_max: usize,
    /// Types of parts that one conversation keeps.
    pub parts_max: usize,
    /// Bytes of one part's data.
    pub part_bytes_max: usize,
    pub recipients_max: usize,
    /// After how long without anything new a conversation is gone.
    pub kept_ms: i64,
    /// After how many turns they are summarised.
    pub summarise_after_turns: usize,
}

/// Why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationRefusal {
    /// There is no such conversation, or it is none of the caller's business.
    Unknown,
    /// No agent of this name is declared.
    UnknownRecipient(String),
    /// As many as may be, of what.
    Full(&'static str, usize),
}

type Decided<T> = Result<T, ConversationRefusal>;

/// The conversations at a moment: those that are not over by their age.
#[derive(Clone, Copy, Debug)]
pub struct ConversationRules<'a> {
    pub index: &'a ConversationIndex,
    pub now: At,
    pub limits: &'a ConversationLimits,
}

impl<'a> ConversationRules<'a> {
    fn is_over(&self, at: At) -> bool {
        self.now.since_ms(at) >= self.limits.kept_ms
    }

    fn all(self) -> impl Iterator<Item = &'a Conversation> {
        let all = self.index.conversations.values();
        all.filter(move |found| !self.is_over(found.at))
    }

    fn find(&self, id: &str) -> Decided<&'a Conversation> {
        let found = self.index.conversations.get(id);
        let found = found.filter(|found| !self.is_over(found.at));
        found.ok_or(ConversationRefusal::Unknown)
    }

    /// The caller's own conversation.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`], also of another one's.
    pub fn owned(&self, caller: Option<&ClientId>, id: &str) -> Decided<&'a Conversation> {
        let found = self.find(id)?;
        let is_own = found.owner.as_ref() == caller;
        is_own.then_some(found).ok_or(ConversationRefusal::Unknown)
    }

    /// Ends a conversation: its owner, or an operator, who reads nothing of it.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`].
    pub fn end(&self, caller: Option<&ClientId>, id: &str, operator: Option<ClientId>) -> Decided<ConversationEvent> {
        let found = match operator {
            None => self.owned(caller, id)?,
            Some(_) => self.find(id)?,
        };
        let context = found.id.clone();
        Ok(ConversationEvent::Removed { context, operator })
    }

    /// A conversation with what the caller gets of it. Who owns it may have declared itself, to see what it would get.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`] where the caller is neither its owner nor declared,
    /// [`ConversationRefusal::UnknownRecipient`] of the owner that is not declared.
    pub fn as_recipient(&self, caller: Option<&ClientId>, id: &str) -> Decided<(&'a Conversation, &'a Recipient)> {
        let found = self.find(id)?;
        let declared = caller.and_then(|agent| found.recipients.get(agent));
        match declared {
            Some(recipient) => Ok((found, recipient)),
            None if found.owner.as_ref() == caller => {
                let name = caller.map_or_else(String::new, |caller| caller.as_str().to_owned());
                Err(ConversationRefusal::UnknownRecipient(name))
            }
            None => Err(ConversationRefusal::Unknown),
        }
    }

    /// The caller's conversations, the one that changed last first.
    pub fn list(self, caller: Option<&ClientId>) -> Vec<&'a Conversation> {
        let mut own: Vec<&Conversation> = self.all().filter(|found| found.owner.as_ref() == caller).collect();
        own.sort_by_key(|found| Reverse((found.at, found.began)));
        own
    }

    /// A conversation begins while so many others of its owner, and so many of anyone, begin beside it.
    ///
    /// # Errors
    /// [`ConversationRefusal::Full`].
    pub fn open(self, context: String, owner: Option<&ClientId>, beside: (usize, usize)) -> Decided<ConversationEvent> {
        let own = beside.0 + self.list(owner).len();
        room(own, self.limits.per_client_max, "conversations of one client")?;
        let all = beside.1 + self.all().count();
        room(all, self.limits.conversations_max, "conversations")?;
        let owner = owner.cloned();
        Ok(ConversationEvent::Opened { context, owner })
    }

    /// Whether one more turn, and a part of each of these types, may be taken.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`], [`ConversationRefusal::Full`].
    pub fn may_say(&self, caller: Option<&ClientId>, id: &str, types: &[&str], keep: bool) -> Decided<()> {
        let found = self.owned(caller, id)?;
        room(found.turns.len(), self.limits.turns_max, "turns of one conversation")?;
        if keep {
            let kept = found.turns.iter().filter(|turn| turn.keep).count();
            room(kept, KEPT_TURNS_MAX, "turns of one conversation that are marked `keep`")?;
        }
        let known = found.parts.keys().map(String::as_str);
        self.limits.takes(known.chain(types.iter().copied()))
    }

    /// Declares what an agent gets.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`], [`ConversationRefusal::Full`].
    pub fn declare(
        &self,
        caller: Option<&ClientId>,
        id: &str,
        agent: ClientId,
        recipient: Recipient,
    ) -> Decided<ConversationEvent> {
        let found = self.owned(caller, id)?;
        if !found.recipients.contains_key(&agent) {
            let max = self.limits.recipients_max;
            room(found.recipients.len(), max, "recipients of one conversation")?;
        }
        Ok(ConversationEvent::Declared {
            context: id.to_owned(),
            agent,
            recipient,
        })
    }

    /// Takes a declaration back.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`], [`ConversationRefusal::UnknownRecipient`].
    pub fn undeclare(&self, caller: Option<&ClientId>, id: &str, agent: &ClientId) -> Decided<ConversationEvent> {
        let found = self.owned(caller, id)?;
        if !found.recipients.contains_key(agent) {
            let declared = found.recipients.keys().map(ClientId::as_str);
            return Err(ConversationRefusal::UnknownRecipient(with_near(
                agent.as_str(),
                declared,
            )));
        }
        Ok(ConversationEvent::Undeclared {
            context: id.to_owned(),
            agent: agent.clone(),
        })
    }

    /// What lets go of every conversation that is over by its age, each with the lock that it is decided under.
    pub fn lapsed(self) -> impl Iterator<Item = (String, ConversationEvent)> + 'a {
        let conversations = self.index.conversations.values();
        conversations.filter(move |found| self.is_over(found.at)).map(|found| {
            let (context, operator) = (found.id.clone(), None);
            (context.clone(), ConversationEvent::Removed { context, operator })
        })
    }
}

impl ConversationLimits {
    /// Whether so many types of parts may be in one conversation.
    ///
    /// # Errors
    /// [`ConversationRefusal::Full`].
    pub fn takes<'a>(&self, types: impl Iterator<Item = &'a str>) -> Decided<()> {
        let distinct: BTreeSet<&str> = types.collect();
        match distinct.len() > self.parts_max {
            true => Err(ConversationRefusal::Full(
                "types of parts in one conversation",
                self.parts_max,
            )),
            false => Ok(()),
        }
    }
}

impl Conversation {
    /// Whether so many turns have been said that they are to be summarised (P-032).
    pub fn wants_summary(&self, limits: &ConversationLimits) -> bool {
        self.unsummarised() >= limits.summarise_after_turns
    }
}

/// Whether one more may be beside so many.
fn room(there: usize, max: usize, what: &'static str) -> Decided<()> {
    (there < max).then_some(()).ok_or(ConversationRefusal::Full(what, max))
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::ClientId;
    use super::ConversationEvent;
    use super::ConversationIndex;
    use super::ConversationLimits;
    use super::ConversationRefusal;
    use super::ConversationRules;
    use crate::aggregate::Aggregate;
    use crate::conversation::turn::Speaker;

    const LIMITS: ConversationLimits = ConversationLimits {
        conversations_max: 3,
        per_client_max: 2,
        turns_max: 2,
        turn_bytes_max: 100,
        parts_max: 2,
        part_bytes_max: 100,
        recipients_max: 1,
        kept_ms: 1_000,
        summarise_after_turns: 2,
    };

    fn name(text: &str) -> ClientId {
        ClientId::parse(text).expect("a name")
    }

    #[derive(Default)]
    struct World(ConversationIndex, u64);

    impl World {
        fn at(&self, now: i64) -> ConversationRules<'_> {
            ConversationRules {
                index: &self.0,
                now: At(now),
                limits: &LIMITS,
            }
        }

        fn apply(&mut self, at: i64, event: &ConversationEvent) {
            self.1 += 1;
            self.0.evolve(self.1, At(at), event);
        }

        fn open(&mut self, id: &str, owner: &str, at: i64) -> Result<(), ConversationRefusal> {
            let opened = self.at(at).open(id.to_owned(), Some(&name(owner)), (0, 0))?;
            self.apply(at, &opened);
            Ok(())
        }

        fn say(&mut self, id: &str, at: i64) {
            let said = ConversationEvent::Said {
                context: id.to_owned(),
                speaker: Speaker::User,
                task: None,
                sensitive: false,
                keep: false,
                more: 0,
            };
            self.apply(at, &said);
        }
    }

    #[test]
    fn conversations_are_bounded_and_lapse_at_their_age() {
        let mut world = World::default();
        let full = |what, max| Err(ConversationRefusal::Full(what, max));
        for (id, owner, opened) in [
            ("a", "ada", Ok(())),
            ("b", "ada", Ok(())),
            ("x", "ada", full("conversations of one client", 2)),
            ("c", "ben", Ok(())),
            ("x", "eve", full("conversations", 3)),
        ] {
            assert_eq!(world.open(id, owner, 0), opened, "{id}");
        }
        let beside = world.at(1_000).open("x".to_owned(), Some(&name("eve")), (2, 2));
        assert!(beside.is_err(), "those that begin beside it count");
        world.say("a", 500);
        let ben = name("ben");
        assert!(world.at(999).owned(Some(&ben), "c").is_ok());
        assert!(world.at(1_000).owned(Some(&ben), "c").is_err());
        assert_eq!(world.at(1_000).list(Some(&name("ada"))).len(), 1);
        assert_eq!(world.open("d", "eve", 1_000), Ok(()), "those that lapsed take no room");
        let lapsed: Vec<String> = world.at(1_000).lapsed().map(|(key, _)| key).collect();
        assert_eq!(lapsed, ["b", "c"], "what was said last keeps a conversation");
    }
}

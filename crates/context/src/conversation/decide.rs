//! Who may do what with a conversation, and how much there may be.
//!
//! Invariant: who may not see a conversation is told the same as if there were none.

use std::collections::BTreeSet;

use crate::conversation::book::Book;
use crate::conversation::book::Conversation;
use crate::conversation::book::Own;
use crate::conversation::event::ConversationEvent;
use crate::conversation::recipient::Recipient;
use schema::name::ClientId;
use schema::time::At;

/// Conversations that are let go because of their age when another begins.
const LAPSED_AT_ONCE: usize = 16;

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
    /// Bytes of one part's data, and of what an agent keeps of its own.
    pub part_bytes_max: usize,
    pub recipients_max: usize,
    /// Context ids under which one agent keeps something of its own.
    pub own_per_client_max: usize,
    /// After how long without anything new a conversation is gone.
    pub kept_ms: i64,
    /// After how many turns they are summarised.
    pub summarise_after_turns: usize,
    /// Turns of one conversation that may stand as they were said in every summary.
    pub kept_turns_max: usize,
}

impl ConversationLimits {
    /// Whether so many types of parts may be in one conversation.
    ///
    /// # Errors
    /// [`ConversationRefusal::Full`].
    pub fn takes<'a>(&self, types: impl Iterator<Item = &'a str>) -> Result<(), ConversationRefusal> {
        let distinct: BTreeSet<&str> = types.collect();
        if distinct.len() > self.parts_max {
            return Err(ConversationRefusal::Full(
                "types of parts in one conversation",
                self.parts_max,
            ));
        }
        Ok(())
    }
}

/// Why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationRefusal {
    /// There is no such conversation, or it is none of the caller's business.
    Unknown,
    /// No such agent is declared.
    UnknownRecipient,
    /// Nothing is kept under this context id.
    NothingKept,
    /// What is kept has another version than the one that was expected.
    Moved { version: u64 },
    /// As many as may be, of what.
    Full(&'static str, usize),
}

/// As whom somebody sees a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight<'a> {
    /// Everything.
    Owner,
    /// What is declared.
    Recipient(&'a Recipient),
}

impl Book {
    /// The caller's own conversation.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`], also of another one's.
    pub fn owned(
        &self,
        caller: Option<&ClientId>,
        id: &str,
        now: At,
        limits: &ConversationLimits,
    ) -> Result<&Conversation, ConversationRefusal> {
        let found = self.conversations.get(id).filter(|found| !lapsed(found, now, limits));
        found
            .filter(|found| found.owner.as_ref() == caller)
            .ok_or(ConversationRefusal::Unknown)
    }

    /// Ends a conversation: its owner, or an operator, who reads nothing of it.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`].
    pub fn end(
        &self,
        caller: Option<&ClientId>,
        id: &str,
        operator: Option<ClientId>,
        now: At,
        limits: &ConversationLimits,
    ) -> Result<ConversationEvent, ConversationRefusal> {
        if operator.is_none() {
            self.owned(caller, id, now, limits)?;
        }
        let found = self.conversations.get(id).filter(|found| !lapsed(found, now, limits));
        let context = found.ok_or(ConversationRefusal::Unknown)?.id.clone();
        Ok(ConversationEvent::Removed { context, operator })
    }

    /// A conversation with as whom the caller sees it.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`], also where the caller is neither its owner nor declared.
    pub fn seen(
        &self,
        caller: Option<&ClientId>,
        id: &str,
        now: At,
        limits: &ConversationLimits,
    ) -> Result<(&Conversation, Sight<'_>), ConversationRefusal> {
        let found = self.conversations.get(id).filter(|found| !lapsed(found, now, limits));
        let found = found.ok_or(ConversationRefusal::Unknown)?;
        if found.owner.as_ref() == caller {
            return Ok((found, Sight::Owner));
        }
        let declared = caller.and_then(|agent| found.recipients.get(agent));
        let recipient = declared.ok_or(ConversationRefusal::Unknown)?;
        Ok((found, Sight::Recipient(recipient)))
    }

    /// The caller's conversations, the one that changed last first.
    pub fn list(&self, caller: Option<&ClientId>, now: At, limits: &ConversationLimits) -> Vec<&Conversation> {
        let mut own: Vec<&Conversation> = self
            .conversations
            .values()
            .filter(|found| found.owner.as_ref() == caller && !lapsed(found, now, limits))
            .collect();
        own.sort_by(|a, b| b.at.cmp(&a.at).then(b.began.cmp(&a.began)));
        own
    }

    /// A conversation begins while so many others of its owner, and so many of anyone, begin beside it; those that lapsed go
    /// first.
    ///
    /// # Errors
    /// [`ConversationRefusal::Full`].
    pub fn open(
        &self,
        context: String,
        owner: Option<&ClientId>,
        beside: (usize, usize),
        now: At,
        limits: &ConversationLimits,
    ) -> Result<Vec<ConversationEvent>, ConversationRefusal> {
        let (mut own, mut all) = (beside.0, beside.1);
        for conversation in self.conversations.values().filter(|found| !lapsed(found, now, limits)) {
            all += 1;
            own += usize::from(conversation.owner.as_ref() == owner);
        }
        if own >= limits.per_client_max {
            return Err(ConversationRefusal::Full(
                "conversations of one client",
                limits.per_client_max,
            ));
        }
        if all >= limits.conversations_max {
            return Err(ConversationRefusal::Full("conversations", limits.conversations_max));
        }
        let mut events: Vec<ConversationEvent> = self
            .lapsed(now, limits)
            .take(LAPSED_AT_ONCE)
            .map(|context| ConversationEvent::Removed {
                context,
                operator: None,
            })
            .collect();
        events.push(ConversationEvent::Opened {
            context,
            owner: owner.cloned(),
        });
        Ok(events)
    }

    /// Whether one more turn, and a part of each of these types, may be taken.
    ///
    /// # Errors
    /// [`ConversationRefusal::Unknown`], [`ConversationRefusal::Full`].
    pub fn may_say(
        &self,
        caller: Option<&ClientId>,
        id: &str,
        (types, keep): (&[&str], bool),
        now: At,
        limits: &ConversationLimits,
    ) -> Result<(), ConversationRefusal> {
        let found = self.owned(caller, id, now, limits)?;
        if found.turns.len() >= limits.turns_max {
            return Err(ConversationRefusal::Full("turns of one conversation", limits.turns_max));
        }
        if keep && found.kept() >= limits.kept_turns_max {
            return Err(ConversationRefusal::Full(
                "turns of one conversation that are marked `keep`",
                limits.kept_turns_max,
            ));
        }
        let known = found.parts.keys().map(String::as_str);
        limits.takes(known.chain(types.iter().copied()))
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
        now: At,
        limits: &ConversationLimits,
    ) -> Result<ConversationEvent, ConversationRefusal> {
        let found = self.owned(caller, id, now, limits)?;
        if !found.recipients.contains_key(&agent) && found.recipients.len() >= limits.recipients_max {
            return Err(ConversationRefusal::Full(
                "recipients of one conversation",
                limits.recipients_max,
            ));
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
    pub fn undeclare(
        &self,
        caller: Option<&ClientId>,
        id: &str,
        agent: &ClientId,
        now: At,
        limits: &ConversationLimits,
    ) -> Result<ConversationEvent, ConversationRefusal> {
        let found = self.owned(caller, id, now, limits)?;
        if !found.recipients.contains_key(agent) {
            return Err(ConversationRefusal::UnknownRecipient);
        }
        Ok(ConversationEvent::Undeclared {
            context: id.to_owned(),
            agent: agent.clone(),
        })
    }

    /// What an agent keeps of its own under a context id.
    ///
    /// # Errors
    /// [`ConversationRefusal::NothingKept`].
    pub fn kept(
        &self,
        agent: &ClientId,
        context: &str,
        now: At,
        limits: &ConversationLimits,
    ) -> Result<&Own, ConversationRefusal> {
        let found = self.own.get(agent).and_then(|all| all.get(context));
        let fresh = found.filter(|own| now.since_ms(own.at) < limits.kept_ms);
        fresh.ok_or(ConversationRefusal::NothingKept)
    }

    /// An agent keeps something of its own; `expected` is the version that it believes to replace, 0 for none.
    ///
    /// # Errors
    /// [`ConversationRefusal::Moved`], [`ConversationRefusal::Full`].
    pub fn keep(
        &self,
        agent: &ClientId,
        context: &str,
        expected: Option<u64>,
        now: At,
        limits: &ConversationLimits,
    ) -> Result<ConversationEvent, ConversationRefusal> {
        let version = self.kept(agent, context, now, limits).map_or(0, |own| own.version);
        if expected.is_some_and(|expected| expected != version) {
            return Err(ConversationRefusal::Moved { version });
        }
        let all = self.own.get(agent);
        let is_new = all.is_none_or(|all| !all.contains_key(context));
        if is_new && all.map_or(0, |all| all.len()) >= limits.own_per_client_max {
            return Err(ConversationRefusal::Full(
                "context ids under which one agent keeps something",
                limits.own_per_client_max,
            ));
        }
        // Also one that is over and still there, or that is gone, had versions that are not given again.
        let last = all
            .and_then(|all| all.get(context))
            .map_or_else(|| self.emptied.last(agent), |own| own.version);
        Ok(ConversationEvent::Kept {
            agent: agent.clone(),
            context: context.to_owned(),
            version: last + 1,
            more: 0,
        })
    }

    /// Conversations that are over by their age.
    pub fn lapsed(&self, now: At, limits: &ConversationLimits) -> impl Iterator<Item = String> {
        let limits = *limits;
        let over = self
            .conversations
            .values()
            .filter(move |found| lapsed(found, now, &limits));
        over.map(|found| found.id.clone())
    }

    /// What agents keep of their own and did not touch for as long.
    pub fn lapsed_own(&self, now: At, limits: &ConversationLimits) -> Vec<(ClientId, String)> {
        let mut over = Vec::new();
        for (agent, all) in &self.own {
            for (context, own) in all {
                if now.since_ms(own.at) >= limits.kept_ms {
                    over.push((agent.clone(), context.clone()));
                }
            }
        }
        over
    }
}

impl Conversation {
    /// Whether so many turns have been said that they are to be summarised (P-032).
    pub fn wants_summary(&self, limits: &ConversationLimits) -> bool {
        self.unsummarised() >= limits.summarise_after_turns
    }
}

fn lapsed(conversation: &Conversation, now: At, limits: &ConversationLimits) -> bool {
    now.since_ms(conversation.at) >= limits.kept_ms
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::Book;
    use super::ClientId;
    use super::ConversationEvent;
    use super::ConversationLimits;
    use super::ConversationRefusal;
    use super::Recipient;
    use super::Sight;
    use crate::aggregate::Aggregate;
    use crate::conversation::said::Speaker;

    const LIMITS: ConversationLimits = ConversationLimits {
        conversations_max: 3,
        per_client_max: 2,
        turns_max: 2,
        turn_bytes_max: 100,
        parts_max: 2,
        part_bytes_max: 100,
        recipients_max: 1,
        own_per_client_max: 1,
        kept_ms: 1_000,
        summarise_after_turns: 2,
        kept_turns_max: 1,
    };

    fn name(text: &str) -> ClientId {
        ClientId::parse(text).expect("a name")
    }

    struct World {
        book: Book,
        seq: u64,
    }

    impl World {
        fn apply(&mut self, at: i64, event: &ConversationEvent) {
            self.seq += 1;
            self.book.evolve(self.seq, At(at), event);
            assert_eq!(self.book.check(), Ok(()));
        }

        fn open(&mut self, id: &str, owner: &str, at: i64) -> Result<usize, ConversationRefusal> {
            let events = self
                .book
                .open(id.to_owned(), Some(&name(owner)), (0, 0), At(at), &LIMITS)?;
            for event in &events {
                self.apply(at, event);
            }
            Ok(events.len())
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

    fn world() -> World {
        World {
            book: Book::default(),
            seq: 0,
        }
    }

    #[test]
    fn a_conversation_is_its_owners_and_those_who_are_declared_p024() {
        let mut world = world();
        world.open("c", "ada", 0).expect("room");
        let declared = world.book.declare(
            Some(&name("ada")),
            "c",
            name("hotel"),
            Recipient::default(),
            At(1),
            &LIMITS,
        );
        world.apply(1, &declared.expect("room"));
        let sight = |who: Option<&str>| {
            let who = who.map(name);
            world
                .book
                .seen(who.as_ref(), "c", At(2), &LIMITS)
                .map(|(_, sight)| sight)
        };
        assert_eq!(sight(Some("ada")), Ok(Sight::Owner));
        assert!(matches!(sight(Some("hotel")), Ok(Sight::Recipient(_))));
        for who in [Some("ben"), None] {
            assert_eq!(sight(who), Err(ConversationRefusal::Unknown));
            let who = who.map(name);
            assert!(world.book.owned(who.as_ref(), "c", At(2), &LIMITS).is_err());
        }
        let hotel = name("hotel");
        assert_eq!(
            world.book.owned(Some(&hotel), "c", At(2), &LIMITS).map(|_| ()),
            Err(ConversationRefusal::Unknown),
            "who gets something may not change anything"
        );
        let second = world.book.declare(
            Some(&name("ada")),
            "c",
            name("flights"),
            Recipient::default(),
            At(2),
            &LIMITS,
        );
        assert!(matches!(second, Err(ConversationRefusal::Full(_, 1))));
        let again = world
            .book
            .declare(Some(&name("ada")), "c", hotel, Recipient::default(), At(2), &LIMITS);
        assert!(again.is_ok(), "what is declared anew takes no further place");
        let nobody = world
            .book
            .undeclare(Some(&name("ada")), "c", &name("nobody"), At(2), &LIMITS);
        assert_eq!(nobody, Err(ConversationRefusal::UnknownRecipient));
    }

    #[test]
    fn conversations_are_bounded_and_lapse_at_their_age() {
        let mut world = world();
        assert_eq!(world.open("a", "ada", 0), Ok(1));
        assert_eq!(world.open("b", "ada", 0), Ok(1));
        assert!(matches!(
            world.open("x", "ada", 0),
            Err(ConversationRefusal::Full("conversations of one client", 2))
        ));
        assert_eq!(world.open("c", "ben", 0), Ok(1));
        assert!(matches!(
            world.open("x", "eve", 999),
            Err(ConversationRefusal::Full("conversations", 3))
        ));
        let beside = world
            .book
            .open("x".to_owned(), Some(&name("eve")), (2, 2), At(1_000), &LIMITS);
        assert!(beside.is_err(), "those that begin beside it count");
        world.say("a", 500);
        assert!(world.book.owned(Some(&name("ben")), "c", At(999), &LIMITS).is_ok());
        assert!(world.book.owned(Some(&name("ben")), "c", At(1_000), &LIMITS).is_err());
        assert_eq!(world.book.list(Some(&name("ada")), At(1_000), &LIMITS).len(), 1);
        assert_eq!(world.open("d", "eve", 1_000), Ok(3), "two lapsed, one began");
        assert_eq!(
            world.book.conversations.keys().collect::<Vec<_>>(),
            ["a", "d"],
            "what was said last keeps a conversation"
        );
    }

    #[test]
    fn turns_and_parts_are_taken_up_to_their_end_and_summarised_after_so_many_p032() {
        let mut world = world();
        world.open("a", "ada", 0).expect("room");
        let ada = name("ada");
        let may = |world: &World, types: &[&str]| world.book.may_say(Some(&ada), "a", (types, false), At(1), &LIMITS);
        assert_eq!(may(&world, &["X", "Y", "X"]), Ok(()));
        assert!(matches!(
            may(&world, &["X", "Y", "Z"]),
            Err(ConversationRefusal::Full(_, 2))
        ));
        world.say("a", 1);
        assert!(!world.book.conversations["a"].wants_summary(&LIMITS));
        world.say("a", 1);
        assert!(world.book.conversations["a"].wants_summary(&LIMITS));
        assert!(matches!(may(&world, &[]), Err(ConversationRefusal::Full(_, 2))));
    }

    #[test]
    fn what_an_agent_keeps_is_replaced_at_the_version_it_expects_p027() {
        let mut world = world();
        let hotel = name("hotel");
        let keep = |world: &World, context: &str, expected| world.book.keep(&hotel, context, expected, At(1), &LIMITS);
        let first = keep(&world, "c", Some(0)).expect("kept");
        world.apply(1, &first);
        assert_eq!(
            keep(&world, "c", Some(0)),
            Err(ConversationRefusal::Moved { version: 1 })
        );
        assert!(keep(&world, "c", Some(1)).is_ok() && keep(&world, "c", None).is_ok());
        assert!(matches!(keep(&world, "d", None), Err(ConversationRefusal::Full(_, 1))));
        assert!(world.book.kept(&hotel, "c", At(1_000), &LIMITS).is_ok());
        assert_eq!(
            world.book.kept(&hotel, "c", At(1_001), &LIMITS),
            Err(ConversationRefusal::NothingKept)
        );
        assert_eq!(
            world.book.kept(&name("flights"), "c", At(2), &LIMITS),
            Err(ConversationRefusal::NothingKept)
        );
        assert_eq!(world.book.lapsed_own(At(1_001), &LIMITS).len(), 1);
    }

    #[test]
    fn no_version_of_what_an_agent_keeps_is_given_twice_p027() {
        let mut world = world();
        let hotel = name("hotel");
        let version = |event: ConversationEvent| match event {
            ConversationEvent::Kept { version, .. } => version,
            other => panic!("{other:?}"),
        };
        let keep = |world: &World, now| world.book.keep(&hotel, "c", Some(0), now, &LIMITS).expect("kept");
        world.apply(1, &keep(&world, At(1)));
        assert_eq!(version(keep(&world, At(1_001))), 2, "it is over, and not gone yet");
        let dropped = ConversationEvent::Dropped {
            agent: hotel.clone(),
            context: "c".to_owned(),
        };
        world.apply(2, &dropped);
        let again = keep(&world, At(3));
        world.apply(3, &again);
        assert_eq!(version(again), 2);
        let stale = world.book.keep(&hotel, "c", Some(1), At(4), &LIMITS);
        assert_eq!(stale, Err(ConversationRefusal::Moved { version: 2 }));
    }
}

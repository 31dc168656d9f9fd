//! Conversations: kept in a journal of their own, so that a restart loses none, and passed on to agents as declared.
//!
//! Owns the order of what is said in one conversation, the journal, and the making of summaries; who may see what is the
//! domain's ([`context::conversation`]). Invariants: what is acknowledged is on disk; nobody learns of a
//! conversation that is neither theirs nor declared to them; what was removed is erased.

pub mod carried;

pub mod composing;

pub mod documents;

pub mod letting_go;

pub mod own;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;

use serde_json::Value;
use serde_json::json;
use tokio::sync::Mutex as TokioMutex;

use crate::app::background::to_its_end;
use crate::app::caller::Permission;
use crate::app::conversations::carried::Carried;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Written;
use crate::app::lock::locked;
use crate::app::ports::WebhookSender;
use crate::app::random;
use crate::app::registry::ScenarioRegistry;
use crate::app::reservations::Reservations;
use crate::app::telemetry::conversations::Talk;
use crate::app::typed;
use crate::app::typed::Taken;
use context::a2a_task::field::FieldFault;
use context::aggregate::Aggregate;
use context::conversation::book::Book;
use context::conversation::book::Conversation;
use context::conversation::decide::ConversationLimits;
use context::conversation::decide::ConversationRefusal;
use context::conversation::event::ConversationEvent;
use context::conversation::event::context_id;
use context::conversation::part::Told;
use context::conversation::recipient::Pattern;
use context::conversation::recipient::Recipient;
use context::conversation::said::Turn;
use context::conversation::summary::SummaryLimits;
use schema::name::ClientId;
use schema::time::At;
use text::secrets;

/// Locks that conversations share, so that each has one writer at a time.
const LOCKS: usize = 64;

/// What who declares an agent is told that cannot call here. Agents of others are sent messages without a key for this service, so
/// that this alone is no fault; but a name may be misspelt.
const STRANGER: &str = "no principal that may read conversations bears this name: the agent is sent what is embedded for it, and \
    can fetch nothing here";

/// How conversations are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationOptions {
    pub limits: ConversationLimits,
    pub summary: SummaryLimits,
    /// Bytes of messages that carry a token, held in memory for whom they are addressed to.
    pub carried_bytes_max: usize,
}

/// How many conversations there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConversationCensus {
    pub conversations: usize,
    /// Of all of them.
    pub turns: usize,
    /// Turns that a summary stands for.
    pub summarised_turns: usize,
}

/// All conversations.
pub struct Conversations {
    deps: Arc<Dependencies>,
    webhook_sender: Arc<dyn WebhookSender>,
    options: ConversationOptions,
    events: EventStore<Book>,
    /// Conversations that are being put on disk, for each owner.
    opening: Reservations,
    locks: Vec<TokioMutex<()>>,
    /// Held while a summary is made, so that no model is asked twice for one.
    scribes: Vec<TokioMutex<()>>,
    /// Held while contents are erased: up to which record those that are too old are.
    erasing: TokioMutex<u64>,
    /// Messages as they were sent, for whom they are addressed to.
    carried: Mutex<Carried>,
}

/// What became of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub context: String,
    /// Its number, from 1; `None` where it brought parts alone.
    pub turn: Option<usize>,
    pub parts: Vec<Told>,
}

impl Conversations {
    /// Reads all conversations back.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn begin(
        deps: &Arc<Dependencies>,
        webhook_sender: Arc<dyn WebhookSender>,
        options: ConversationOptions,
    ) -> Result<Arc<Conversations>, ServiceError> {
        let events: EventStore<Book> = EventStore::open(deps, "conversations")?;
        Ok(Arc::new(Conversations {
            deps: Arc::clone(deps),
            webhook_sender,
            options,
            events,
            opening: Reservations::default(),
            locks: (0..LOCKS).map(|_| TokioMutex::new(())).collect(),
            scribes: (0..LOCKS).map(|_| TokioMutex::new(())).collect(),
            erasing: TokioMutex::new(0),
            carried: Mutex::default(),
        }))
    }

    /// Begins a conversation under an id that is given out here (P-001), with a first turn where there is one.
    ///
    /// # Errors
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn open(
        self: &Arc<Self>,
        caller: Option<&ClientId>,
        first: Option<(Turn, Vec<Told>, Vec<Taken>)>,
    ) -> Result<Recorded, ServiceError> {
        let context = context_id(random::id(self.webhook_sender.as_ref())?);
        let (conversations, caller) = (Arc::clone(self), caller.cloned());
        // A caller that hangs up must not leave what is on disk unknown here: this runs to its end.
        to_its_end(async move {
            let limits = &conversations.options.limits;
            let (opening, beside) = conversations.opening.reserve(caller.clone());
            let now = conversations.now();
            let events = conversations
                .events
                .state()
                .open(context.clone(), caller.as_ref(), beside, now, limits);
            let events = events.map_err(|refusal| refused(refusal, &context))?;
            let mut wanted: Vec<(ConversationEvent, Vec<u8>)> =
                events.into_iter().map(|event| (event, Vec::new())).collect();
            let (mut turn, mut told, mut carried) = (None, Vec::new(), BTreeMap::new());
            if let Some((said, parts, taken)) = first {
                let types = taken.iter().map(|taken| taken.type_name.as_str());
                limits.takes(types).map_err(|refusal| refused(refusal, &context))?;
                conversations.check_parts(&taken)?;
                turn = (!said.content.is_empty()).then_some(1);
                told = parts;
                carried = tokens(&taken);
                wanted.extend(events_of(&context, said, taken));
            }
            let written = conversations.events.append(wanted).await?;
            conversations.apply(&written, Talk::asked);
            conversations.carry(&written, carried);
            drop(opening);
            Ok(Recorded {
                context,
                turn,
                parts: told,
            })
        })
        .await
    }

    /// Records a turn, with the parts that can be kept. What is due to be summarised is, beside it.
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], [`ServiceError::LimitReached`], or what the journal says.
    pub async fn say(
        self: &Arc<Self>,
        caller: Option<&ClientId>,
        id: &str,
        turn: Turn,
        told: Vec<Told>,
        taken: Vec<Taken>,
    ) -> Result<Recorded, ServiceError> {
        if !turn.context.is_empty() && turn.context != id {
            let fault = FieldFault::new("contextId", "must be the context of the address, or be left out");
            return Err(ServiceError::InvalidMessage(vec![fault]));
        }
        let (conversations, caller, context) = (Arc::clone(self), caller.cloned(), id.to_owned());
        to_its_end(async move {
            let held = conversations.lock(&context).lock().await;
            let types: Vec<&str> = taken.iter().map(|taken| taken.type_name.as_str()).collect();
            let limits = &conversations.options.limits;
            let now = conversations.now();
            let may = conversations
                .events
                .state()
                .may_say(caller.as_ref(), &context, (&types, turn.keep), now, limits);
            may.map_err(|refusal| refused(refusal, &context))?;
            conversations.check_parts(&taken)?;
            let speaks = !turn.content.is_empty();
            let carried = tokens(&taken);
            let wanted = events_of(&context, turn, taken);
            let written = conversations.events.append(wanted).await?;
            conversations.apply(&written, Talk::asked);
            conversations.carry(&written, carried);
            drop(held);
            let (turns, due) = {
                let book = conversations.events.state();
                let found = book.conversations.get(&context);
                let due = found.is_some_and(|found| found.wants_summary(limits));
                (found.map_or(0, |found| found.turns.len()), due)
            };
            if due {
                let (beside, context) = (Arc::clone(&conversations), context.clone());
                tokio::spawn(async move {
                    if let Err(error) = beside.summarise(&context).await
                        && !error.is_stop()
                    {
                        // It is tried again before anything goes out.
                        tracing::warn!(%error, "a conversation was not summarised");
                    }
                });
            }
            Ok(Recorded {
                context,
                turn: speaks.then_some(turns),
                parts: told,
            })
        })
        .await
    }

    /// Declares what an agent gets.
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`] where it could never fetch that, [`ServiceError::UnknownConversation`], [`ServiceError::LimitReached`], or what the journal says.
    pub async fn declare(
        self: &Arc<Self>,
        caller: Option<&ClientId>,
        id: &str,
        agent: ClientId,
        recipient: Recipient,
        registry: &ScenarioRegistry,
    ) -> Result<Value, ServiceError> {
        let stranger = self.deps.principals.lacks(&agent, Permission::Negotiate);
        if stranger && recipient.pattern == Pattern::Shared {
            let what = "must be the name of a principal that may read conversations, since it fetches what is shared by itself";
            return Err(ServiceError::InvalidMessage(vec![FieldFault::new("agent", what)]));
        }
        let mut warnings = recipient.doubts(|name| typed::spelling(registry, name));
        if stranger {
            warnings.insert(0, STRANGER.to_owned());
        }
        let mut shown = documents::recipient(id, &agent, &recipient);
        if !warnings.is_empty() {
            shown["warnings"] = json!(warnings);
        }
        let (conversations, caller, context) = (Arc::clone(self), caller.cloned(), id.to_owned());
        let ended = tokio::spawn(async move {
            let _held = conversations.lock(&context).lock().await;
            let (now, limits) = (conversations.now(), &conversations.options.limits);
            let event = conversations
                .events
                .state()
                .declare(caller.as_ref(), &context, agent, recipient, now, limits);
            let event = event.map_err(|refusal| refused(refusal, &context))?;
            conversations.put(event, Vec::new()).await
        });
        ended.await??;
        Ok(shown)
    }

    /// An agent gets nothing any more.
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], [`ServiceError::UnknownRecipient`], or what the journal says.
    pub async fn undeclare(
        self: &Arc<Self>,
        caller: Option<&ClientId>,
        id: &str,
        agent: &ClientId,
    ) -> Result<(), ServiceError> {
        let (conversations, caller, context) = (Arc::clone(self), caller.cloned(), id.to_owned());
        let agent = agent.clone();
        to_its_end(async move {
            let _held = conversations.lock(&context).lock().await;
            let (now, limits) = (conversations.now(), &conversations.options.limits);
            let event = conversations
                .events
                .state()
                .undeclare(caller.as_ref(), &context, &agent, now, limits);
            let event = event.map_err(|refusal| match refusal {
                ConversationRefusal::UnknownRecipient => ServiceError::UnknownRecipient(agent.as_str().to_owned()),
                other => refused(other, &context),
            })?;
            conversations.put(event, Vec::new()).await
        })
        .await
    }

    /// Keeps a snapshot where one is due.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub fn keep_up(&self) -> Result<(), ServiceError> {
        self.events.keep_up()
    }

    /// How many there are.
    pub fn census(&self) -> ConversationCensus {
        let book = self.events.state();
        ConversationCensus {
            conversations: book.conversations.len(),
            turns: book.conversations.values().map(|found| found.turns.len()).sum(),
            summarised_turns: book.conversations.values().map(Conversation::covered).sum(),
        }
    }

    /// Bytes of one turn's words.
    pub fn turn_bytes_max(&self) -> usize {
        self.options.limits.turn_bytes_max
    }

    /// Whether the caller has this conversation.
    pub fn has(&self, caller: Option<&ClientId>, id: &str) -> bool {
        self.owned(caller, id).is_ok()
    }

    fn check_parts(&self, taken: &[Taken]) -> Result<(), ServiceError> {
        let max = self.options.limits.part_bytes_max;
        if taken.iter().any(|taken| taken.data.len() > max) {
            return Err(ServiceError::LimitReached(format!(
                "the data of one part may have {max} bytes"
            )));
        }
        Ok(())
    }

    async fn put(&self, event: ConversationEvent, content: Vec<u8>) -> Result<(), ServiceError> {
        let written = self.events.append(vec![(event, content)]).await?;
        self.apply(&written, Talk::asked);
        Ok(())
    }

    fn owned(&self, caller: Option<&ClientId>, id: &str) -> Result<Conversation, ServiceError> {
        let book = self.events.state();
        let found = book.owned(caller, id, self.now(), &self.options.limits);
        found.cloned().map_err(|refusal| refused(refusal, id))
    }

    /// Applies what is on disk, and counts it as what `talk` calls it.
    fn apply(&self, written: &[Written<ConversationEvent>], talk: fn(&ConversationEvent) -> Option<Talk>) {
        let mut book = self.events.state();
        for one in written {
            book.evolve(one.seq, one.at, &one.event);
            match &one.event {
                ConversationEvent::Shared { context, type_name, .. } => {
                    locked(&self.carried).let_go(context, Some(type_name));
                }
                ConversationEvent::Removed { context, .. } => locked(&self.carried).let_go(context, None),
                ConversationEvent::Opened { .. }
                | ConversationEvent::Said { .. }
                | ConversationEvent::Summarised { .. }
                | ConversationEvent::Declared { .. }
                | ConversationEvent::Undeclared { .. }
                | ConversationEvent::Kept { .. }
                | ConversationEvent::Dropped { .. }
                | ConversationEvent::Erased { .. }
                | ConversationEvent::Continued => {}
            }
            if let Some(talk) = talk(&one.event) {
                self.deps.observer.talk(talk);
            }
        }
    }

    /// Holds parts as they were sent, by type, whose records without secrets are these.
    fn carry(&self, written: &[Written<ConversationEvent>], mut tokens: BTreeMap<String, String>) {
        let bytes_max = self.options.carried_bytes_max;
        for one in written {
            if let ConversationEvent::Shared { context, type_name, .. } = &one.event
                && let Some(data) = tokens.remove(type_name)
            {
                locked(&self.carried).hold(context, type_name, one.seq, data, bytes_max);
            }
        }
    }

    fn now(&self) -> At {
        self.deps.clock.now()
    }

    /// The lock of a conversation, or of an agent's own.
    fn lock(&self, name: &str) -> &TokioMutex<()> {
        &self.locks[place(name)]
    }

    /// The lock of a conversation's summary.
    fn scribe(&self, name: &str) -> &TokioMutex<()> {
        &self.scribes[place(name)]
    }
}

/// Which of the locks belongs to a name.
fn place(name: &str) -> usize {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % LOCKS as u64).unwrap_or(0)
}

/// Parts as they were sent that carry a token, by type; of two of one type the last one stays.
fn tokens(taken: &[Taken]) -> BTreeMap<String, String> {
    let carried = taken
        .iter()
        .filter_map(|one| Some((one.type_name.clone(), one.carried.clone()?)));
    carried.collect()
}

/// What a turn adds to a conversation, without what has the form of a secret. What is said in a sensitive turn is sensitive,
/// data as well as words (P-035).
fn events_of(context: &str, turn: Turn, taken: Vec<Taken>) -> Vec<(ConversationEvent, Vec<u8>)> {
    let mut wanted = Vec::new();
    if !turn.content.is_empty() {
        let content = secrets::scrubbed_words(&turn.content).unwrap_or(turn.content);
        let said = ConversationEvent::Said {
            context: context.to_owned(),
            speaker: turn.speaker,
            task: turn.task,
            sensitive: turn.sensitive,
            keep: turn.keep,
            more: 0,
        };
        wanted.push((said, content.into_bytes()));
    }
    for one in taken {
        let shared = ConversationEvent::Shared {
            context: context.to_owned(),
            type_name: one.type_name,
            version: one.version,
            sensitive: turn.sensitive || one.sensitive,
            more: 0,
        };
        wanted.push((shared, one.data.into_bytes()));
    }
    wanted
}

/// What a refusal is to a caller.
fn refused(refusal: ConversationRefusal, id: &str) -> ServiceError {
    match refusal {
        ConversationRefusal::Unknown => ServiceError::UnknownConversation(id.to_owned()),
        ConversationRefusal::UnknownRecipient => ServiceError::UnknownRecipient(id.to_owned()),
        ConversationRefusal::NothingKept => ServiceError::NothingKept(id.to_owned()),
        ConversationRefusal::Moved { version } => ServiceError::VersionMoved { version },
        ConversationRefusal::Full(what, max) => ServiceError::LimitReached(format!("there may be {max} {what}")),
    }
}

//! Conversations: kept in a journal of their own, so that a restart loses none, and passed on to agents as declared.
//!
//! Owns the order of what is said in one conversation, the journal, and the making of summaries; who may see what is the
//! domain's ([`context::conversation`]). Invariants: what is acknowledged is on disk; nobody learns of a
//! conversation that is neither theirs nor declared to them; what was removed is erased.

pub mod carried;

pub mod outgoing;

pub mod documents;

pub mod summarising;

use std::sync::Arc;
use std::sync::Mutex;

use serde_json::Map;
use serde_json::Value;

use crate::api::conversations::Declared;
use crate::api::conversations::PartOutcome;
use crate::api::conversations::Recorded;
use crate::api::conversations::RemovedContext;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::conversations::carried::Carried;
use crate::app::dependencies::Dependencies;
use crate::app::end_as;
use crate::app::end_as::Right;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Written;
use crate::app::lock::locked;
use crate::app::ports::WebhookSender;
use crate::app::random;
use crate::app::registry::ScenarioRegistry;
use crate::app::reservations::Reservations;
use crate::app::telemetry::conversation_event;
use crate::app::typed;
use crate::app::typed::Taken;
use context::a2a_task::message::Content;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::conversation::decide::ConversationLimits;
use context::conversation::decide::ConversationRefusal;
use context::conversation::decide::ConversationRules;
use context::conversation::event::ConversationEvent;
use context::conversation::event::context_id;
use context::conversation::index::Conversation;
use context::conversation::index::ConversationIndex;
use context::conversation::recipient::Pattern;
use context::conversation::recipient::Recipient;
use context::conversation::summary::SummaryLimits;
use context::conversation::turn::Speaker;
use context::conversation::turn::Turn;
use context::fields::FieldFault;
use schema::name::ClientId;
use schema::name::SchemaId;
use text::secrets::words::scrubbed_words;

/// Conversations that are let go in one pass.
const LAPSED_AT_ONCE: usize = 256;

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

/// An event with what is sealed of it, and what of it is handed over as it was sent (M-029).
type Wanted = (ConversationEvent, Vec<u8>, Option<String>);

/// What a turn comes to.
struct Said {
    turn: Turn,
    /// What became of each part.
    parts: Vec<PartOutcome>,
    /// Those that can be kept.
    taken: Vec<Taken>,
}

/// All conversations.
pub struct Conversations {
    registry: Arc<ScenarioRegistry>,
    webhook_sender: Arc<dyn WebhookSender>,
    options: ConversationOptions,
    events: Arc<EventStore<ConversationIndex>>,
    /// Conversations that are being put on disk, for each owner.
    opening: Reservations,
    /// Messages as they were sent, for whom they are addressed to.
    carried: Mutex<Carried>,
}

impl Conversations {
    /// Reads all conversations back.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn begin(
        registry: &Arc<ScenarioRegistry>,
        webhook_sender: Arc<dyn WebhookSender>,
        options: ConversationOptions,
    ) -> Result<Arc<Conversations>, ServiceError> {
        Ok(Arc::new(Conversations {
            registry: Arc::clone(registry),
            webhook_sender,
            options,
            events: Arc::new(EventStore::open(&registry.deps, "conversations")?),
            opening: Reservations::default(),
            carried: Mutex::default(),
        }))
    }

    /// Begins a conversation under an id that is given out here (P-001, P-003), with a first turn where the body holds one.
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`], [`ServiceError::LimitReached`], or what the journal says.
    pub async fn open(self: &Arc<Self>, caller: &Caller, body: &str) -> Result<Recorded, ServiceError> {
        let first = match says_nothing(body) {
            true => None,
            false => Some(self.said(caller, None, self.read(body)?)?),
        };
        let context = context_id(random::id(self.webhook_sender.as_ref())?);
        let (opening, beside) = self.opening.reserve(caller.client.clone());
        let opened = self.decide(&context, |rules| {
            let types = first.iter().flat_map(Said::types);
            let opened = rules.open(context.clone(), caller.client.as_ref(), beside)?;
            rules.limits.takes(types).map(|()| opened)
        })?;
        let mut events: Vec<Wanted> = vec![(opened, Vec::new(), None)];
        let mut recorded = Recorded {
            context_id: context.clone(),
            parts: Vec::new(),
            turn: None,
        };
        if let Some(mut first) = first {
            recorded.turn = (!first.turn.content.is_empty()).then_some(1);
            recorded.parts = std::mem::take(&mut first.parts);
            events.extend(first.events(&context));
        }
        self.put(opening, events).await?;
        Ok(recorded)
    }

    /// Records a turn in one of the caller's conversations, with the parts that can be kept. What is due to be summarised is, beside it.
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`], [`ServiceError::UnknownConversation`], [`ServiceError::LimitReached`], or what the journal
    /// says.
    pub async fn say(self: &Arc<Self>, caller: &Caller, id: &str, body: &str) -> Result<Recorded, ServiceError> {
        self.owned(caller, id)?;
        self.record(caller, id, self.read(body)?).await
    }

    async fn record(self: &Arc<Self>, caller: &Caller, id: &str, turn: Turn) -> Result<Recorded, ServiceError> {
        let mut said = self.said(caller, Some(id), turn)?;
        let held = self.events.lock(id).await;
        self.decide(id, |rules| {
            let types: Vec<&str> = said.types().collect();
            rules.may_say(caller.client.as_ref(), id, &types, said.turn.keep)
        })?;
        let speaks = !said.turn.content.is_empty();
        let parts = std::mem::take(&mut said.parts);
        self.put(held, said.events(id)).await?;
        let (turns, due) = {
            let index = self.events.state();
            let found = index.conversations.get(id);
            let due = found.is_some_and(|found| found.wants_summary(&self.options.limits));
            (found.map_or(0, |found| found.turns.len()), due)
        };
        if due {
            let (beside, context) = (Arc::clone(self), id.to_owned());
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
            context_id: id.to_owned(),
            parts,
            turn: speaks.then_some(turns as u64),
        })
    }

    /// Records in one of the caller's conversations what was said over A2A under its context id. What cannot be recorded is passed
    /// over: the message itself was answered.
    pub async fn overhear(self: &Arc<Self>, caller: &Caller, speaker: Speaker, message: Message, task: Option<&str>) {
        let context = message.context_id.clone();
        if context.is_empty() || self.owned(caller, &context).is_err() {
            return;
        }
        let mut turn = Turn::of_message(speaker, message);
        turn.data.retain(|(_, part)| matches!(part.content, Content::Data(_)));
        if turn.content.is_empty() {
            // A message of data alone is a turn as well; what data say is not for everybody who gets what was said.
            let said: Vec<String> = turn.data.iter().map(|(_, part)| said_by_name(part)).collect();
            turn.content = said.join("\n");
        }
        let bytes_max = self.options.limits.turn_bytes_max;
        turn.content.truncate(turn.content.floor_char_boundary(bytes_max));
        // Data that are submitted are no context.
        let is_for_parts = |name: &str| typed::is_for_parts(&self.registry, name);
        turn.data.retain(|(_, part)| part.type_name().is_some_and(is_for_parts));
        if turn.content.trim().is_empty() && turn.data.is_empty() {
            return;
        }
        turn.task = task.map(str::to_owned);
        // A turn that finds no room among the kept ones is recorded all the same.
        turn.keep &= self
            .decide(&context, |rules| {
                rules.may_say(caller.client.as_ref(), &context, &[], true)
            })
            .is_ok();
        if let Err(error) = self.record(caller, &context, turn).await {
            tracing::warn!(%error, "what was said over A2A was not recorded in its conversation");
        }
    }

    /// Declares what an agent gets of one of the caller's conversations.
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`], also where it could never fetch that, [`ServiceError::UnknownConversation`],
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn declare(
        self: &Arc<Self>,
        caller: &Caller,
        id: &str,
        agent: &str,
        body: &str,
    ) -> Result<Declared, ServiceError> {
        self.owned(caller, id)?;
        let agent = named(agent)?;
        let recipient = Recipient::read(body)?;
        let stranger = self.deps().principals.lacks(&agent, Permission::Negotiate);
        if stranger && recipient.pattern == Pattern::Shared {
            let what = "must be the name of a principal that may read conversations, since it fetches what is shared by itself";
            return Err(FieldFault::new("agent", what).into());
        }
        let mut declared = documents::declared(id, &agent, &recipient);
        declared.warnings.extend(stranger.then(|| STRANGER.to_owned()));
        let doubts = recipient.doubts(|name| typed::spelling(&self.registry, name));
        declared.warnings.extend(doubts);
        self.change(id, |rules| rules.declare(caller.client.as_ref(), id, agent, recipient))
            .await?;
        Ok(declared)
    }

    /// An agent gets nothing of one of the caller's conversations any more.
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], [`ServiceError::UnknownRecipient`], or what the journal says.
    pub async fn undeclare(
        self: &Arc<Self>,
        caller: &Caller,
        id: &str,
        agent: &str,
    ) -> Result<RemovedContext, ServiceError> {
        self.owned(caller, id)?;
        let agent = named(agent)?;
        self.change(id, |rules| rules.undeclare(caller.client.as_ref(), id, &agent))
            .await?;
        Ok(removed(id, Some(&agent)))
    }

    /// Removes a conversation, one's own or as an operator; what was said in it is erased.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], [`ServiceError::UnknownConversation`], or what the journal says.
    pub async fn remove(
        self: &Arc<Self>,
        caller: &Caller,
        id: &str,
        by: Right,
    ) -> Result<RemovedContext, ServiceError> {
        let operator = by.operator(caller)?;
        self.change(id, |rules| rules.end(caller.client.as_ref(), id, operator.clone()))
            .await?;
        end_as::log("conversation", id, "remove", operator.as_ref());
        Ok(removed(id, None))
    }

    /// Lets go what is over by its age, and erases what nobody can ask for any more or what is older than so many days (0 keeps
    /// it).
    pub async fn tidy(self: &Arc<Self>, kept_days: i64) -> Result<(), ServiceError> {
        let over: Vec<_> = self.decide("", |rules| Ok(rules.lapsed().take(LAPSED_AT_ONCE).collect()))?;
        for (key, event) in over {
            let held = self.events.lock(&key).await;
            if self.decide("", |rules| Ok(rules.lapsed().any(|(_, due)| due == event)))? {
                self.put(held, vec![(event, Vec::new(), None)]).await?;
            }
        }
        self.events.tidy(kept_days).await
    }

    /// How many there are.
    pub fn census(&self) -> ConversationCensus {
        let index = self.events.state();
        ConversationCensus {
            conversations: index.conversations.len(),
            turns: index.conversations.values().map(|found| found.turns.len()).sum(),
            summarised_turns: index.conversations.values().map(Conversation::covered).sum(),
        }
    }

    fn deps(&self) -> &Arc<Dependencies> {
        &self.registry.deps
    }

    /// What the rules say of a conversation now.
    fn decide<T>(
        &self,
        id: &str,
        decide: impl FnOnce(ConversationRules<'_>) -> Result<T, ConversationRefusal>,
    ) -> Result<T, ServiceError> {
        let rules = ConversationRules {
            index: &self.events.state(),
            now: self.deps().clock.now(),
            limits: &self.options.limits,
        };
        decide(rules).map_err(|refusal| refused(refusal, id))
    }

    /// Decides under a conversation's lock, and puts on disk what was decided.
    async fn change(
        self: &Arc<Self>,
        id: &str,
        decide: impl FnOnce(ConversationRules<'_>) -> Result<ConversationEvent, ConversationRefusal>,
    ) -> Result<(), ServiceError> {
        let held = self.events.lock(id).await;
        let event = self.decide(id, decide)?;
        self.put(held, vec![(event, Vec::new(), None)]).await
    }

    /// Puts events on disk, counts them, and holds what was sent of them as it was.
    async fn put<G: Send + 'static>(self: &Arc<Self>, until: G, wanted: Vec<Wanted>) -> Result<(), ServiceError> {
        let wanted = wanted
            .into_iter()
            .map(|(event, content, sent)| ((event, content), sent));
        let (events, sent): (Vec<_>, Vec<_>) = wanted.unzip();
        let conversations = Arc::clone(self);
        let then = move |written: &[Written<ConversationEvent>]| {
            for (one, sent) in written.iter().zip(sent) {
                conversations.note(one, sent);
            }
        };
        self.events.put(until, events, then).await.map(drop)
    }

    fn note(&self, written: &Written<ConversationEvent>, sent: Option<String>) {
        let mut carried = locked(&self.carried);
        if let ConversationEvent::Shared { context, type_name, .. } = &written.event {
            carried.let_go(context, Some(type_name));
            if let Some(data) = sent {
                carried.hold(context, type_name, written.seq, data, self.options.carried_bytes_max);
            }
        }
        if let ConversationEvent::Removed { context, .. } = &written.event {
            carried.let_go(context, None);
        }
        if let Some(label) = conversation_event(&written.event) {
            self.deps().observer.conversation(label);
        }
    }

    /// One of the caller's conversations.
    fn owned(&self, caller: &Caller, id: &str) -> Result<Conversation, ServiceError> {
        self.decide(id, |rules| rules.owned(caller.client.as_ref(), id).cloned())
    }

    fn read(&self, body: &str) -> Result<Turn, ServiceError> {
        Ok(Turn::read(body, self.options.limits.turn_bytes_max)?)
    }

    /// What becomes of a turn of this conversation, or of one that is to begin with it.
    fn said(&self, caller: &Caller, id: Option<&str>, turn: Turn) -> Result<Said, ServiceError> {
        let (is_right, what) = match id {
            None => (
                turn.context.is_empty(),
                "must be left out: the context id of a new conversation is given out here",
            ),
            Some(id) => (
                turn.context.is_empty() || turn.context == id,
                "must be the context of the address, or be left out",
            ),
        };
        if !is_right {
            return Err(FieldFault::new("contextId", what).into());
        }
        let client = caller.client.as_ref();
        let (mut parts, mut taken) = typed::check_all(&self.registry, client, &turn.parts_at, &turn.data)?;
        typed::without_history(&mut parts, &mut taken);
        let says_nothing = turn.content.is_empty() && taken.is_empty();
        // What is passed over never fails a message (P-016); what is refused does where nothing else is left (P-014).
        if says_nothing && parts.iter().any(PartOutcome::is_refused) {
            return Err(ServiceError::NothingTaken(parts));
        }
        let max = self.options.limits.part_bytes_max;
        if taken.iter().any(|taken| taken.data.len() > max) {
            let what = format!("the data of one part may have {max} bytes");
            return Err(ServiceError::LimitReached(what));
        }
        Ok(Said { turn, parts, taken })
    }
}

impl Said {
    fn types(&self) -> impl Iterator<Item = &str> {
        self.taken.iter().map(|taken| taken.type_name.as_str())
    }

    /// What it adds to a conversation, without what has the form of a secret. What is said in a sensitive turn is sensitive,
    /// data as well as words (P-035).
    fn events(self, context: &str) -> Vec<Wanted> {
        let mut events = Vec::new();
        let Said { turn, taken, .. } = self;
        if !turn.content.is_empty() {
            let content = scrubbed_words(&turn.content).unwrap_or(turn.content);
            let said = ConversationEvent::Said {
                context: context.to_owned(),
                speaker: turn.speaker,
                task: turn.task,
                sensitive: turn.sensitive,
                keep: turn.keep,
                more: 0,
            };
            events.push((said, content.into_bytes(), None));
        }
        for one in taken {
            let shared = ConversationEvent::Shared {
                context: context.to_owned(),
                type_name: one.type_name,
                version: one.version,
                sensitive: turn.sensitive || one.sensitive,
                more: 0,
            };
            events.push((shared, one.data.into_bytes(), one.carried));
        }
        events
    }
}

/// What stands in a turn for a part of data: its type, or the schema that it is submitted by.
fn said_by_name(part: &Part) -> String {
    let submitted: Value = part
        .as_data()
        .and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default();
    let name = part.metadata.get("type").unwrap_or(&submitted["schema_id"]);
    let known = name.as_str().and_then(SchemaId::parse);
    known.map_or_else(|| "[data]".to_owned(), |name| format!("[data: {}]", name.as_str()))
}

fn says_nothing(body: &str) -> bool {
    let body = body.trim();
    body.is_empty() || serde_json::from_str::<Map<String, Value>>(body).is_ok_and(|members| members.is_empty())
}

fn named(agent: &str) -> Result<ClientId, ServiceError> {
    let what = "must be 1 to 128 visible ASCII characters";
    ClientId::parse(agent).ok_or_else(|| FieldFault::new("agent", what).into())
}

/// What is answered where something is gone: a conversation, or what was declared for an agent.
fn removed(id: &str, agent: Option<&ClientId>) -> RemovedContext {
    RemovedContext {
        context_id: id.to_owned(),
        agent: agent.map(|agent| agent.as_str().to_owned()),
        deleted: true,
    }
}

/// What a refusal is to a caller.
fn refused(refusal: ConversationRefusal, id: &str) -> ServiceError {
    match refusal {
        ConversationRefusal::Unknown => ServiceError::UnknownConversation(id.to_owned()),
        ConversationRefusal::UnknownRecipient(agent) => ServiceError::UnknownRecipient(agent),
        ConversationRefusal::Full(what, max) => ServiceError::LimitReached(format!("there may be {max} {what}")),
    }
}

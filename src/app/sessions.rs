//! Sessions of shared context: who may reach one, what is read, and what is decided of it (Shared Context Specification 0.1).
//!
//! Owns the journal `sessions/default`; what may happen is the domain's ([`context::session`]). Invariants: the changes of one session
//! are on disk in the order in which they were decided, so that no version is given twice; who does not take part in a session is told
//! what who names one that is not there is told; a value never stands in the log.

pub mod answers;

pub mod audit;

pub mod lifecycle;

pub mod wanted;

pub mod watch;

use std::sync::Arc;
use std::time::Instant;

use crate::api::sessions::ContextAnswer;
use crate::api::sessions::History;
use crate::api::sessions::Inspection;
use crate::api::sessions::KeyResult;
use crate::api::sessions::KeyResults;
use crate::api::sessions::Prompt;
use crate::api::sessions::Snapshot;
use crate::app::caller::Caller;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Wanted;
use crate::app::event_store::Written;
use crate::app::ports::WebhookSender;
use crate::app::telemetry::Outcome;
use context::session::action::Action;
use context::session::config::Group;
use context::session::decide::SessionLimits;
use context::session::entry::Entry;
use context::session::event::Actor;
use context::session::event::SessionEvent;
use context::session::name::Key;
use context::session::name::SessionId;
use context::session::participant::Participant;
use context::session::prompt;
use context::session::refusal::SessionRefusal;
use context::session::sessions::Sessions;
use context::session::size;
use context::session::working_memory::Past;
use context::session::working_memory::Session;
use schema::time::At;
use text::secrets::words::scrubbed_words;

/// How often a value is looked for that another call overwrites meanwhile: each time it is there and erased, which is rare.
const LOOKS_MAX: usize = 8;

/// How sessions are bounded and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    pub limits: SessionLimits,
    /// Bytes of values that are held in memory, so that reading them takes no disk.
    pub cache_bytes: usize,
    /// Who may follow one session at once.
    pub followers_max: usize,
    /// Whether every write and delete has a line in the log.
    pub log_writes: bool,
    /// Records looked at for one page of the audit log.
    pub audit_records_max: usize,
}

/// How many sessions there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionCounts {
    pub open: usize,
    pub archived: usize,
    pub keys: usize,
}

/// The service of all sessions.
pub struct SessionService {
    pub options: SessionOptions,
    deps: Arc<Dependencies>,
    webhook_sender: Arc<dyn WebhookSender>,
    events: Arc<EventStore<Sessions>>,
}

/// What is to be put on disk.
type Decided = Vec<Wanted<SessionEvent>>;

/// A key with its entry and its value.
type Found = (Key, Entry, String);

impl SessionService {
    /// Reads all sessions back.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn open(
        deps: &Arc<Dependencies>,
        webhook_sender: Arc<dyn WebhookSender>,
        options: SessionOptions,
    ) -> Result<Arc<SessionService>, ServiceError> {
        let events = EventStore::open(deps, "sessions")?.with_cache(options.cache_bytes);
        Ok(Arc::new(SessionService {
            options,
            deps: Arc::clone(deps),
            webhook_sender,
            events: Arc::new(events),
        }))
    }

    /// Does what an agent asks in the document's form: `{"action", …}`.
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`], and as [`SessionService::act`].
    pub async fn act_as_written(
        &self,
        caller: &Caller,
        session: &str,
        text: &str,
    ) -> Result<ContextAnswer, ServiceError> {
        let limits = &self.options.limits;
        let action = Action::parse(text, session, limits.batch_keys_max, limits.expiry_s_max);
        let action = action.map_err(|fault| ServiceError::InvalidMessage(vec![fault]))?;
        self.act(caller, session, action).await
    }

    /// Does what an agent asks of a session (S-014, S-015).
    ///
    /// # Errors
    /// What the rules say, or what the journal says.
    pub async fn act(&self, caller: &Caller, session: &str, action: Action) -> Result<ContextAnswer, ServiceError> {
        self.timed(action.name(), async {
            let id = parse_id(session)?;
            if action.changes() {
                self.change_as(&id, caller, action).await
            } else {
                self.read(&id, caller, action)
            }
        })
        .await
    }

    fn read(&self, id: &SessionId, caller: &Caller, action: Action) -> Result<ContextAnswer, ServiceError> {
        Ok(match action {
            Action::ListKeys => {
                let (sessions, now) = (self.events.state(), self.now());
                let (session, who) = take_part(&sessions, id, caller)?;
                ContextAnswer::Keys(answers::keys(session, &who, now, &self.options.limits))
            }
            Action::ListSnapshots => {
                let sessions = self.events.state();
                let (session, _) = take_part(&sessions, id, caller)?;
                session.config.require(session.config.snapshots, "snapshots")?;
                ContextAnswer::Snapshots(answers::snapshots(session))
            }
            Action::Read { key } => {
                let ((), found) = self.look_up(|sessions, now| {
                    let (session, who) = take_part(sessions, id, caller)?;
                    let key = session.config.key(&key)?;
                    let entry = session.entry(&key, &who, now)?.clone();
                    Ok(((), vec![(key, entry)]))
                })?;
                let (key, entry, value) = found.into_iter().next().ok_or(SessionRefusal::KeyNotFound)?;
                ContextAnswer::Entry(answers::entry(&key, &entry, value))
            }
            Action::ReadBatch { keys } => ContextAnswer::KeyResults(self.read_batch(id, caller, &keys)?),
            Action::ReadHistory { key, versions } => {
                let ((past, not_kept), found) = self.look_up(|sessions, now| {
                    let (session, who) = take_part(sessions, id, caller)?;
                    let key = session.config.key(&key)?;
                    let (past, missing) = session.history(&key, versions.as_deref(), &who, now)?;
                    let kept = past.iter().filter_map(Past::version);
                    let kept = kept.map(|entry| (key.clone(), entry.clone())).collect();
                    Ok(((past, missing), kept))
                })?;
                let mut values = found.into_iter().map(|(_, _, value)| value);
                let history = past
                    .iter()
                    .map(|past| answers::past(past, || values.next().unwrap_or_default()));
                let history = history.collect();
                ContextAnswer::History(History { key, history, not_kept })
            }
            Action::ReadSnapshot { label } => {
                let ((taken_at, taken_by), found) = self.look_up(|sessions, now| {
                    let (session, who) = take_part(sessions, id, caller)?;
                    let snapshot = session.kept_snapshot(&label)?;
                    let seen = session.seen_of(snapshot, &who, now);
                    let seen = seen.map(|(key, entry)| (key.clone(), entry.clone())).collect();
                    Ok(((snapshot.at, snapshot.by.clone()), seen))
                })?;
                ContextAnswer::Snapshot(Snapshot {
                    snapshot: label.to_string(),
                    taken_by: taken_by.to_string(),
                    taken_at: taken_at.rfc3339(),
                    contents: whole(found),
                })
            }
            Action::Write(_)
            | Action::Delete { .. }
            | Action::Snapshot { .. }
            | Action::Rollback { .. }
            | Action::DeleteSnapshot { .. } => return Err(ServiceError::Fault("this is no reading".to_owned())),
        })
    }

    fn read_batch(&self, id: &SessionId, caller: &Caller, keys: &[String]) -> Result<KeyResults, ServiceError> {
        let (refused, found) = self.look_up(|sessions, now| {
            let (session, who) = take_part(sessions, id, caller)?;
            session.config.require(session.config.batch_read, "batch_read")?;
            let (mut refused, mut found) = (Vec::new(), Vec::new());
            for text in keys {
                let entry = session.config.key(text).and_then(|key| {
                    let entry = session.entry(&key, &who, now)?;
                    Ok((key, entry.clone()))
                });
                refused.push(entry.as_ref().err().map(|refusal| answers::refused(text, refusal)));
                found.extend(entry);
            }
            Ok((refused, found))
        })?;
        let mut found = whole(found).into_iter().map(KeyResult::Entry);
        let results = refused
            .into_iter()
            .filter_map(|refused| refused.or_else(|| found.next()));
        Ok(KeyResults {
            results: results.collect(),
        })
    }

    /// Looks entries up, with something beside them, and fetches their values. What another call takes away in between is looked up
    /// once more.
    fn look_up<T>(
        &self,
        find: impl Fn(&Sessions, At) -> Result<(T, Vec<(Key, Entry)>), ServiceError>,
    ) -> Result<(T, Vec<Found>), ServiceError> {
        for _ in 0..LOOKS_MAX {
            let (beside, found) = find(&self.events.state(), self.now())?;
            let mut whole = Vec::with_capacity(found.len());
            let wanted = found.len();
            for (key, entry) in found {
                let value = self.events.content(entry.content)?;
                whole.extend(value.map(|value| (key, entry, value)));
            }
            if whole.len() == wanted {
                return Ok((beside, whole));
            }
        }
        Err(ServiceError::Busy { retry_after_s: 1 })
    }

    /// Decides what a participant does: as what it takes part is asked when its turn has come.
    async fn change_as(&self, id: &SessionId, caller: &Caller, action: Action) -> Result<ContextAnswer, ServiceError> {
        // Who takes no part does not wait for those who do.
        take_part(&self.events.state(), id, caller)?;
        let (action, is_scrubbed) = scrubbed(action)?;
        let limits = self.options.limits;
        let written = self
            .change(id, |session, now| {
                let actor = Actor {
                    by: session.participant(caller.client.as_ref(), caller.speaks_as.as_ref())?,
                    principal: caller.client.clone(),
                };
                decide(id, session, action, actor, now, &limits)
            })
            .await?;
        answers::change(written.last(), is_scrubbed, &limits.size)
    }

    /// Decides something of a session, puts it on disk, and lets it be seen.
    async fn change(
        &self,
        id: &SessionId,
        decide: impl FnOnce(&Session, At) -> Result<Decided, SessionRefusal>,
    ) -> Result<Vec<Written<SessionEvent>>, ServiceError> {
        let decide = |sessions: &Sessions| {
            let session = sessions.sessions.get(id).ok_or(SessionRefusal::SessionNotFound)?;
            decide(session, self.now())
        };
        self.events.change(id.as_str(), decide, self.log()).await
    }

    /// What is done with events that are on disk.
    fn log(&self) -> impl FnOnce(&[Written<SessionEvent>]) + Send + 'static {
        let is_on = self.options.log_writes;
        move |written| written.iter().filter(|_| is_on).for_each(audit::log)
    }

    /// The three blocks for a system prompt of the caller's (S-058).
    ///
    /// # Errors
    /// [`SessionRefusal::SessionNotFound`], [`SessionRefusal::RoleNotGranted`], or a fault of the journal.
    pub fn prompt(&self, caller: &Caller, session: &str) -> Result<Prompt, ServiceError> {
        let id = parse_id(session)?;
        let (config, who, lies, is_archived) = {
            let sessions = self.events.state();
            let (session, who) = take_part(&sessions, &id, caller)?;
            let lies = session.namespace.then_some(session.seq);
            (session.config.clone(), who, lies, session.archived.is_some())
        };
        let own = lies.map(|seq| self.events.content(seq)).transpose()?.flatten();
        let groups: Option<Vec<Group>> = own
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| ServiceError::Fault(format!("a session's namespace cannot be read: {error}")))?;
        let limits = &self.options.limits.size;
        let blocks = prompt::prompt((&id, &who), groups.as_deref(), (&config, is_archived), limits);
        let text = blocks.text();
        Ok(Prompt {
            session_id: id.to_string(),
            role: who.to_string(),
            namespace: blocks.namespace,
            write_discipline: blocks.write_discipline,
            read_pattern: blocks.read_pattern,
            tokens: size::tokens(&text),
            text,
        })
    }

    /// Everything that is in a session, values included, for whoever runs the service (S-100).
    ///
    /// # Errors
    /// [`SessionRefusal::SessionNotFound`], or a fault of the journal.
    pub fn inspect(&self, session: &str) -> Result<Inspection, ServiceError> {
        let id = parse_id(session)?;
        let (session, found) = self.look_up(|sessions, now| {
            let session = sessions.sessions.get(&id).ok_or(SessionRefusal::SessionNotFound)?;
            let found = session.living(now).map(|(key, entry)| (key.clone(), entry.clone()));
            let told = answers::session(&id, session, session.owner.as_ref(), now, &self.options.limits);
            Ok((told, found.collect()))
        })?;
        Ok(Inspection {
            session_id: session.session_id,
            status: session.status,
            created_at: session.created_at,
            created_by: session.created_by,
            config: session.config,
            key_count: session.key_count,
            total_size_tokens: session.total_size_tokens,
            max_total_tokens: session.max_total_tokens,
            archived_at: session.archived_at,
            participants: session.participants,
            contents: whole(found),
        })
    }

    /// How many there are.
    pub fn counts(&self) -> SessionCounts {
        let sessions = self.events.state();
        let all = || sessions.sessions.values();
        let archived = all().filter(|session| session.archived.is_some()).count();
        SessionCounts {
            open: sessions.sessions.len() - archived,
            archived,
            keys: all().map(|session| session.entries.len()).sum(),
        }
    }

    /// Takes out what has expired (S-081), and erases what nobody can ask for any more (S-047).
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn tidy(&self) -> Result<(), ServiceError> {
        let now = self.now();
        let expired: Vec<SessionId> = {
            let sessions = self.events.state();
            let stale = sessions
                .sessions
                .iter()
                .filter(|(id, session)| session.expire(id, now).is_some());
            stale.map(|(id, _)| id.clone()).collect()
        };
        for id in expired {
            match self.take_out_expired(&id).await {
                // It was deleted meanwhile.
                Err(ServiceError::Context(SessionRefusal::SessionNotFound)) => {}
                done => done?,
            }
        }
        self.events.tidy(0).await
    }

    /// Takes out of a session what has expired.
    async fn take_out_expired(&self, id: &SessionId) -> Result<(), ServiceError> {
        let taken_out = self.change(id, |session, now| Ok(expired(id, session, now).collect()));
        taken_out.await.map(drop)
    }

    /// Counts an operation, with the time that it takes.
    async fn timed<T>(
        &self,
        operation: &'static str,
        work: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, ServiceError> {
        let begun = Instant::now();
        let done = work.await;
        let outcome = done.as_ref().err().map_or(Outcome::Accepted, ServiceError::outcome);
        let seconds = begun.elapsed().as_secs_f64();
        self.deps.observer.context(operation, outcome, seconds);
        done
    }

    fn now(&self) -> At {
        self.deps.clock.now()
    }
}

/// An action without what has the form of a secret, before anything is kept of it; whether anything was taken out.
fn scrubbed(mut action: Action) -> Result<(Action, bool), ServiceError> {
    let mut is_scrubbed = false;
    match &mut action {
        Action::Write(write) => {
            if let Some(value) = scrubbed_words(&write.value) {
                (write.value, is_scrubbed) = (value, true);
            }
        }
        Action::Snapshot { label } => wanted::harmless(label)?,
        _ => {}
    }
    Ok((action, is_scrubbed))
}

/// What a participant's action brings about.
fn decide(
    id: &SessionId,
    session: &Session,
    action: Action,
    actor: Actor,
    now: At,
    limits: &SessionLimits,
) -> Result<Decided, SessionRefusal> {
    let alone = |event: SessionEvent| vec![(event, Vec::new())];
    Ok(match action {
        Action::Write(write) => {
            let event = session.write(id, &write, actor, now, limits)?;
            let written = (event, write.value.into_bytes());
            expired(id, session, now).chain([written]).collect()
        }
        Action::Delete { key, at } => alone(session.delete(id, &key, at, actor, now)?),
        Action::Snapshot { label } => alone(session.snapshot(id, label, actor, limits)?),
        Action::Rollback { label } => {
            let event = session.roll_back(id, label, actor, now)?;
            expired(id, session, now).chain(alone(event)).collect()
        }
        Action::DeleteSnapshot { label } => alone(session.delete_snapshot(id, label, actor)?),
        Action::ListKeys
        | Action::Read { .. }
        | Action::ReadBatch { .. }
        | Action::ReadHistory { .. }
        | Action::ListSnapshots
        | Action::ReadSnapshot { .. } => Vec::new(),
    })
}

/// That some keys' time is over, where it is: put on disk before what happens next.
fn expired(id: &SessionId, session: &Session, now: At) -> impl Iterator<Item = Wanted<SessionEvent>> {
    session.expire(id, now).map(|event| (event, Vec::new())).into_iter()
}

/// Entries as they are answered.
fn whole(found: Vec<(Key, Entry, String)>) -> Vec<crate::api::sessions::Entry> {
    let entries = found.into_iter();
    entries
        .map(|(key, entry, value)| answers::entry(&key, &entry, value))
        .collect()
}

/// An id that somebody names; what cannot be one is not there.
fn parse_id(session: &str) -> Result<SessionId, ServiceError> {
    SessionId::parse(session).ok_or_else(|| SessionRefusal::SessionNotFound.into())
}

/// A session of which a caller knows.
fn find_known<'a>(sessions: &'a Sessions, id: &SessionId, caller: &Caller) -> Result<&'a Session, SessionRefusal> {
    let session = sessions.sessions.get(id);
    let known = session.filter(|session| session.is_known_to(caller.client.as_ref()));
    known.ok_or(SessionRefusal::SessionNotFound)
}

/// A session, and as what a caller takes part in it.
fn take_part<'a>(
    sessions: &'a Sessions,
    id: &SessionId,
    caller: &Caller,
) -> Result<(&'a Session, Participant), SessionRefusal> {
    let session = find_known(sessions, id, caller)?;
    let who = session.participant(caller.client.as_ref(), caller.speaks_as.as_ref())?;
    Ok((session, who))
}

//! Sessions of shared context: who may reach one, what is read, and what is decided of it (Shared Context Specification 0.1).
//!
//! Owns the journal `sessions/default`; what may happen is the domain's ([`context::session`]). Invariants: the changes of one session
//! are on disk in the order in which they were decided, so that no version is given twice; who does not take part in a session is told
//! what who names one that is not there is told; a value never stands in the log.

pub mod answers;

pub mod audit;

pub mod lifecycle;

pub mod watch;

use std::sync::Arc;
use std::time::Instant;

use crate::api::sessions;
use crate::api::sessions::ContextAnswer;
use crate::api::sessions::History;
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
use context::session::config::Group;
use context::session::event::Actor;
use context::session::event::SessionEvent;
use context::session::limits::SessionLimits;
use context::session::limits::tokens;
use context::session::names::Key;
use context::session::names::Participant;
use context::session::names::SessionId;
use context::session::prompt;
use context::session::refusal::SessionRefusal;
use context::session::request::Action;
use context::session::sessions::Sessions;
use context::session::working_memory::Entry;
use context::session::working_memory::Past;
use context::session::working_memory::Session;

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

/// Something that was found, and the keys beside it whose values are to be fetched.
type Found<T> = (T, Vec<(Key, Entry)>);

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
        let action = Action::parse(text, session, &self.options.limits)?;
        self.act(caller, session, action).await
    }

    /// Does what an agent asks of a session (S-014, S-015).
    ///
    /// # Errors
    /// What the rules say, or what the journal says.
    pub async fn act(&self, caller: &Caller, session: &str, action: Action) -> Result<ContextAnswer, ServiceError> {
        let name = (&action).into();
        self.timed(name, self.act_now(caller, session, action)).await
    }

    async fn act_now(&self, caller: &Caller, session: &str, action: Action) -> Result<ContextAnswer, ServiceError> {
        let id = &parse_id(session)?;
        Ok(match action {
            Action::ListKeys => ContextAnswer::Keys(self.see(id, caller, |session, _| {
                Ok(answers::keys(session, &self.options.limits))
            })?),
            Action::ListSnapshots => ContextAnswer::Snapshots(self.see(id, caller, |session, _| {
                session.config.require(session.config.snapshots, "snapshots")?;
                Ok(answers::snapshots(session))
            })?),
            Action::Read { key } => {
                let ((), mut found) = self.see_values(id, caller, |session| {
                    let key = session.config.key(&key)?;
                    let entry = session.entry(&key)?.clone();
                    Ok(((), vec![(key, entry)]))
                })?;
                ContextAnswer::Entry(found.pop().ok_or(SessionRefusal::KeyNotFound)?)
            }
            Action::ReadBatch { keys } => {
                let (refused, found) = self.see_values(id, caller, |session| {
                    session.config.require(session.config.batch_read, "batch_read")?;
                    let (mut refused, mut found) = (Vec::new(), Vec::new());
                    for text in &keys {
                        let entry = session.config.key(text).and_then(|key| {
                            let entry = session.entry(&key).cloned()?;
                            Ok((key, entry))
                        });
                        refused.push(entry.as_ref().err().map(|refusal| answers::refused(text, refusal)));
                        found.extend(entry);
                    }
                    Ok((refused, found))
                })?;
                let mut found = found.into_iter().map(KeyResult::Entry);
                let results = refused
                    .into_iter()
                    .filter_map(|refused| refused.or_else(|| found.next()));
                ContextAnswer::KeyResults(KeyResults {
                    results: results.collect(),
                })
            }
            Action::ReadHistory { key, versions } => {
                let ((past, not_kept), found) = self.see_values(id, caller, |session| {
                    let key = session.config.key(&key)?;
                    let (past, missing) = session.history(&key, versions.as_deref())?;
                    let kept = past.iter().filter_map(Past::version);
                    let kept = kept.map(|entry| (key.clone(), entry.clone())).collect();
                    Ok(((past, missing), kept))
                })?;
                let mut values = found.into_iter().map(|entry| entry.value);
                let past = past
                    .iter()
                    .map(|past| answers::past(past, || values.next().unwrap_or_default()));
                let history = past.collect();
                ContextAnswer::History(History { key, history, not_kept })
            }
            Action::ReadSnapshot { label } => {
                let ((taken_at, taken_by), contents) = self.see_values(id, caller, |session| {
                    let snapshot = session.kept_snapshot(&label)?;
                    let entries = snapshot.entries.iter();
                    let seen = entries.map(|(key, entry)| (key.clone(), entry.clone())).collect();
                    Ok(((snapshot.at, snapshot.by.clone()), seen))
                })?;
                ContextAnswer::Snapshot(Snapshot {
                    snapshot: label.to_string(),
                    taken_by: taken_by.to_string(),
                    taken_at: taken_at.rfc3339(),
                    contents,
                })
            }
            change @ (Action::Write(_)
            | Action::Delete { .. }
            | Action::Snapshot { .. }
            | Action::Rollback { .. }
            | Action::DeleteSnapshot { .. }) => self.change_as(id, caller, change).await?,
        })
    }

    /// What a participant sees of a session.
    fn see<T>(
        &self,
        id: &SessionId,
        caller: &Caller,
        look: impl FnOnce(&Session, &Participant) -> Result<T, SessionRefusal>,
    ) -> Result<T, ServiceError> {
        let sessions = self.events.state();
        let (session, who) = take_part(&sessions, id, caller)?;
        Ok(look(session, &who)?)
    }

    /// The same with values.
    fn see_values<T>(
        &self,
        id: &SessionId,
        caller: &Caller,
        look: impl Fn(&Session) -> Result<Found<T>, SessionRefusal>,
    ) -> Result<(T, Vec<sessions::Entry>), ServiceError> {
        self.fetch(|| self.see(id, caller, |session, _| look(session)))
    }

    /// Looks entries up and fetches their values. What another call takes away in between is looked up once more.
    fn fetch<T>(
        &self,
        find: impl Fn() -> Result<Found<T>, ServiceError>,
    ) -> Result<(T, Vec<sessions::Entry>), ServiceError> {
        for _ in 0..LOOKS_MAX {
            let (beside, found) = find()?;
            let mut whole = Vec::with_capacity(found.len());
            for (key, entry) in &found {
                let value = self.events.content(entry.content)?;
                whole.extend(value.map(|value| answers::entry(key, entry, value)));
            }
            if whole.len() == found.len() {
                return Ok((beside, whole));
            }
        }
        Err(ServiceError::Busy { retry_after_s: 1 })
    }

    /// Decides what a participant does: as what it takes part is asked when its turn has come.
    async fn change_as(&self, id: &SessionId, caller: &Caller, action: Action) -> Result<ContextAnswer, ServiceError> {
        // Who takes no part does not wait for those who do.
        take_part(&self.events.state(), id, caller)?;
        let (action, is_scrubbed) = action.scrubbed()?;
        let limits = self.options.limits;
        let written = self
            .change(id, |session| {
                let actor = Actor {
                    by: session.participant(caller.client.as_ref(), caller.speaks_as.as_ref())?,
                    principal: caller.client.clone(),
                };
                decide(id, session, action, actor, &limits)
            })
            .await?;
        answers::change(written.last(), is_scrubbed, &limits.size)
    }

    /// Decides something of a session, puts it on disk, and lets it be seen.
    async fn change(
        &self,
        id: &SessionId,
        decide: impl FnOnce(&Session) -> Result<Decided, SessionRefusal>,
    ) -> Result<Vec<Written<SessionEvent>>, ServiceError> {
        let decide = |sessions: &Sessions| {
            let session = sessions.sessions.get(id).ok_or(SessionRefusal::SessionNotFound)?;
            decide(session)
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
        let (config, who, lies, is_archived) = self.see(&id, caller, |session, who| {
            let lies = session.namespace.then_some(session.seq);
            Ok((session.config.clone(), who.clone(), lies, session.archived.is_some()))
        })?;
        let own = lies.map(|seq| self.events.content(seq)).transpose()?.flatten();
        let groups: Option<Vec<Group>> = own
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| ServiceError::Fault(format!("a session's namespace cannot be read: {error}")))?;
        let limits = &self.options.limits.size;
        let blocks = prompt::prompt((&id, &who), groups, (&config, is_archived), limits);
        let text = blocks.text();
        Ok(Prompt {
            session_id: id.to_string(),
            role: who.to_string(),
            namespace: blocks.namespace,
            write_discipline: blocks.write_discipline,
            read_pattern: blocks.read_pattern,
            tokens: tokens(&text),
            text,
        })
    }

    /// Everything that is in a session, values included, for whoever runs the service (S-100).
    ///
    /// # Errors
    /// [`SessionRefusal::SessionNotFound`], or a fault of the journal.
    pub fn inspect(&self, session: &str) -> Result<sessions::Session, ServiceError> {
        let id = parse_id(session)?;
        let (session, contents) = self.fetch(|| {
            let sessions = self.events.state();
            let session = sessions.sessions.get(&id).ok_or(SessionRefusal::SessionNotFound)?;
            let found = session.entries.iter().map(|(key, entry)| (key.clone(), entry.clone()));
            let told = answers::session(&id, session, session.owner.as_ref(), &self.options.limits);
            Ok((told, found.collect()))
        })?;
        let contents = Some(contents);
        Ok(sessions::Session { contents, ..session })
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

    /// Erases what nobody can ask for any more (S-047).
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn tidy(&self) -> Result<(), ServiceError> {
        self.events.tidy(0).await
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
}

/// What a participant's action brings about.
fn decide(
    id: &SessionId,
    session: &Session,
    action: Action,
    actor: Actor,
    limits: &SessionLimits,
) -> Result<Decided, SessionRefusal> {
    let alone = |event: SessionEvent| vec![(event, Vec::new())];
    Ok(match action {
        Action::Write(write) => {
            let event = session.write(id, &write, actor, limits)?;
            vec![(event, write.value.into_bytes())]
        }
        Action::Delete { key, at } => alone(session.delete(id, &key, at, actor)?),
        Action::Snapshot { label } => alone(session.snapshot(id, label, actor, limits)?),
        Action::Rollback { label } => alone(session.roll_back(id, label, actor)?),
        Action::DeleteSnapshot { label } => alone(session.delete_snapshot(id, label, actor)?),
        // The others read, and change nothing.
        _ => Vec::new(),
    })
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

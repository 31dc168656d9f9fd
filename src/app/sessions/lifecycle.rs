//! How sessions begin and end, who takes part, and who sees that they are there (Shared Context §8.4, S-094 … S-097).

use crate::api::sessions::Session;
use crate::api::sessions::SessionDeleted;
use crate::api::sessions::Sessions;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::end_as;
use crate::app::end_as::Right;
use crate::app::error::ServiceError;
use crate::app::random;
use crate::app::sessions::SessionService;
use crate::app::sessions::answers;
use crate::app::sessions::find_known;
use crate::app::sessions::parse_id;
use context::fields::FieldFault;
use context::session::names::SessionId;
use context::session::refusal::SessionRefusal;
use context::session::request;
use schema::name::ClientId;

/// The key of the lock under which sessions begin one after another, so that they can be counted. No session is called so.
const NEW: &str = "/new";

impl SessionService {
    /// Begins a session: `{"session_id"?, "config"?, "participants"?}` (S-094).
    ///
    /// # Errors
    /// What is wrong with the text, what the rules say, or what the journal says.
    pub async fn create(&self, caller: &Caller, text: &str) -> Result<Session, ServiceError> {
        self.timed("create", async {
            let limits = &self.options.limits;
            let made = SessionId::given_out(random::id(self.webhook_sender.as_ref())?);
            let (wanted, namespace) = request::new_session(text, caller.client.clone(), made, limits)?;
            for (place, grant) in wanted.grants.iter().enumerate() {
                self.may_take_part(&grant.principal, &format!("participants[{place}].principal"))?;
            }
            let id = wanted.session.clone();
            let content = namespace.unwrap_or_default().into_bytes();
            let create = |sessions: &context::session::sessions::Sessions| {
                Ok::<_, SessionRefusal>(vec![(sessions.create(wanted, limits)?, content)])
            };
            self.events.change(NEW, create, self.log()).await?;
            self.as_creator(&id)
        })
        .await
    }

    /// A session as one that takes part sees it.
    ///
    /// # Errors
    /// [`SessionRefusal::SessionNotFound`].
    pub fn session(&self, caller: &Caller, session: &str) -> Result<Session, ServiceError> {
        let id = parse_id(session)?;
        let sessions = self.events.state();
        let session = find_known(&sessions, &id, caller)?;
        let (client, limits) = (caller.client.as_ref(), &self.options.limits);
        Ok(answers::session(&id, session, client, limits))
    }

    /// A page of the sessions in which a caller takes part: up to `limit`, those after an id.
    pub fn list(&self, caller: &Caller, after: Option<&str>, limit: usize) -> Sessions {
        let sessions = self.events.state();
        let client = caller.client.as_ref();
        let known = sessions
            .sessions
            .iter()
            .filter(|(_, session)| session.is_known_to(client));
        let mut known = known
            .filter(|(id, _)| after.is_none_or(|after| id.as_str() > after))
            .peekable();
        let page = known.by_ref().take(limit);
        let page: Vec<Session> = page
            .map(|(id, session)| answers::session(id, session, client, &self.options.limits))
            .collect();
        let last = page.last().map(|session| session.session_id.clone());
        Sessions {
            next: last.filter(|_| known.peek().is_some()),
            sessions: page,
        }
    }

    /// Lets a principal take part, or changes as what it does: `{"principal", "roles"}`.
    ///
    /// # Errors
    /// What is wrong with the text; [`SessionRefusal::NotCreator`] and what the rules say, or what the journal says.
    pub async fn grant(&self, caller: &Caller, session: &str, text: &str) -> Result<Session, ServiceError> {
        let id = self.own(caller, session)?;
        let grant = request::grant(text, "")?;
        self.may_take_part(&grant.principal, "principal")?;
        let limits = self.options.limits;
        self.change(&id, |session| {
            Ok(vec![(session.grant(&id, grant, &limits)?, Vec::new())])
        })
        .await?;
        self.as_creator(&id)
    }

    /// Lets a principal take part no more.
    ///
    /// # Errors
    /// [`SessionRefusal::NotCreator`], [`SessionRefusal::ParticipantNotFound`], or what the journal says.
    pub async fn revoke(&self, caller: &Caller, session: &str, who: &str) -> Result<Session, ServiceError> {
        let id = self.own(caller, session)?;
        let principal = ClientId::parse(who).ok_or(SessionRefusal::ParticipantNotFound)?;
        self.change(&id, |session| Ok(vec![(session.revoke(&id, &principal)?, Vec::new())]))
            .await?;
        self.as_creator(&id)
    }

    /// Makes a session readable alone (S-095); once more changes nothing. An operator may where the creator is gone.
    ///
    /// # Errors
    /// [`SessionRefusal::NotCreator`], [`ServiceError::Forbidden`], [`ServiceError::Nameless`], or what the journal says.
    pub async fn archive(&self, caller: &Caller, session: &str, by: Right) -> Result<Session, ServiceError> {
        self.timed("archive", async {
            let (id, operator) = self.to_end(caller, session, by)?;
            let archived = self.change(&id, |session| {
                let archived = session.archive(&id, operator.clone());
                Ok(archived.map(|event| (event, Vec::new())).into_iter().collect())
            });
            archived.await?;
            end_as::log("session", id.as_str(), "archive", operator.as_ref());
            self.as_creator(&id)
        })
        .await
    }

    /// Does away with a session: it is gone at once, and its values are erased from the disk (S-096). An operator may where the
    /// creator is gone.
    ///
    /// # Errors
    /// [`SessionRefusal::NotCreator`], [`ServiceError::Forbidden`], [`ServiceError::Nameless`], or what the journal says.
    pub async fn remove(&self, caller: &Caller, session: &str, by: Right) -> Result<SessionDeleted, ServiceError> {
        self.timed("remove", async {
            let (id, operator) = self.to_end(caller, session, by)?;
            let removed = self.change(&id, |session| {
                Ok(vec![(session.remove(&id, operator.clone()), Vec::new())])
            });
            removed.await?;
            end_as::log("session", id.as_str(), "remove", operator.as_ref());
            Ok(SessionDeleted {
                session_id: id.to_string(),
                deleted: true,
            })
        })
        .await
    }

    /// A session that the caller created, or any that there is for an operator, who is named then.
    fn to_end(&self, caller: &Caller, session: &str, by: Right) -> Result<(SessionId, Option<ClientId>), ServiceError> {
        let operator = by.operator(caller)?;
        if operator.is_none() {
            return Ok((self.own(caller, session)?, None));
        }
        let id = parse_id(session)?;
        let is_there = self.events.state().sessions.contains_key(&id);
        is_there
            .then_some((id, operator))
            .ok_or_else(|| SessionRefusal::SessionNotFound.into())
    }

    /// Whether a principal that is named could ever take part.
    fn may_take_part(&self, principal: &ClientId, place: &str) -> Result<(), ServiceError> {
        if !self.deps.principals.lacks(principal, Permission::Share) {
            return Ok(());
        }
        let what = "must be the name of a principal that may take part in sessions";
        Err(FieldFault::new(place, what).into())
    }

    /// A session that the caller created.
    fn own(&self, caller: &Caller, session: &str) -> Result<SessionId, ServiceError> {
        let id = parse_id(session)?;
        let is_own = find_known(&self.events.state(), &id, caller)?.is_owned_by(caller.client.as_ref());
        is_own.then_some(id).ok_or_else(|| SessionRefusal::NotCreator.into())
    }

    /// A session as its creator sees it.
    fn as_creator(&self, id: &SessionId) -> Result<Session, ServiceError> {
        let sessions = self.events.state();
        let session = sessions.sessions.get(id).ok_or(SessionRefusal::SessionNotFound)?;
        let (owner, limits) = (session.owner.as_ref(), &self.options.limits);
        Ok(answers::session(id, session, owner, limits))
    }
}

//! How sessions begin and end, who takes part, and who sees that they are there (Shared Context §8.4, S-094 … S-097).

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::app::background::to_its_end;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::end_as;
use crate::app::end_as::Right;
use crate::app::error::ServiceError;
use crate::app::lock::locked;
use crate::app::random;
use crate::app::sessions::SessionLock;
use crate::app::sessions::Sessions;
use crate::app::sessions::documents;
use crate::app::sessions::known;
use crate::app::sessions::named;
use crate::app::sessions::wanted;
use context::fields::FieldFault;
use context::session::event::Grant;
use context::session::name::SessionId;
use context::session::refusal::ContextRefusal;
use schema::name::ClientId;

impl Sessions {
    /// Begins a session: `{"session_id"?, "config"?, "participants"?}` (S-094). The session, as JSON.
    ///
    /// # Errors
    /// What is wrong with the text, what the rules say, or what the journal says.
    pub async fn create(self: &Arc<Self>, caller: &Caller, text: &str) -> Result<Value, ServiceError> {
        let begun = Instant::now();
        let created = self.made(caller, text).await;
        self.observe("create", begun, created.as_ref().err());
        created
    }

    async fn made(self: &Arc<Self>, caller: &Caller, text: &str) -> Result<Value, ServiceError> {
        let made = SessionId::given_out(random::id(self.webhook_sender.as_ref())?);
        let (wanted, namespace) = wanted::read(text, caller.client.clone(), &made, &self.options.limits)?;
        for (place, grant) in wanted.grants.iter().enumerate() {
            self.may_take_part(&grant.principal, &format!("participants[{place}].principal"))?;
        }
        let id = wanted.session.clone();
        let held = Arc::clone(&self.creating).lock_owned().await;
        let created = self.events.state().create(wanted, &self.options.limits)?;
        let lock = SessionLock::new();
        locked(&self.locks).insert(id.clone(), lock);
        let this = Arc::clone(self);
        to_its_end(async move {
            let put = this.put(vec![(created, namespace.unwrap_or_default())]).await;
            if put.is_err() {
                locked(&this.locks).remove(&id);
            }
            drop(held);
            put?;
            this.told(&id)
        })
        .await
    }

    /// A session as one that takes part sees it, as JSON.
    ///
    /// # Errors
    /// [`ContextRefusal::SessionNotFound`].
    pub fn session(&self, caller: &Caller, session: &str) -> Result<Value, ServiceError> {
        let id = named(session)?;
        let contexts = self.events.state();
        let session = known(&contexts, &id, caller)?;
        let (now, limits) = (self.now(), &self.options.limits);
        Ok(documents::session(&id, session, caller.client.as_ref(), now, limits))
    }

    /// A page of the sessions in which a caller takes part, as JSON: up to `limit`, those after an id.
    pub fn list(&self, caller: &Caller, after: Option<&str>, limit: usize) -> Value {
        let contexts = self.events.state();
        let (now, client) = (self.now(), caller.client.as_ref());
        let mut rows: Vec<Value> = Vec::new();
        let mut next = None;
        for (id, session) in &contexts.sessions {
            if !session.is_known_to(client) || after.is_some_and(|after| id.as_str() <= after) {
                continue;
            }
            if rows.len() == limit {
                next = rows.last().map(|row| row["session_id"].clone());
                break;
            }
            rows.push(documents::session(id, session, client, now, &self.options.limits));
        }
        documents::page("sessions", rows, next)
    }

    /// Lets a principal take part, or changes as what it does. The session, as JSON.
    ///
    /// # Errors
    /// What is wrong with the text; [`ContextRefusal::NotCreator`] and what the rules say, or what the journal says.
    pub async fn grant(self: &Arc<Self>, caller: &Caller, session: &str, text: &str) -> Result<Value, ServiceError> {
        let id = self.own(caller, session)?;
        let grant: Grant = wanted::grant(text)?;
        self.may_take_part(&grant.principal, "principal")?;
        let limits = self.options.limits;
        self.change(&id, move |id, session, _| {
            Ok(vec![(session.grant(id, grant, &limits)?, String::new())])
        })
        .await?;
        self.told(&id)
    }

    /// Lets a principal take part no more. The session, as JSON.
    ///
    /// # Errors
    /// [`ContextRefusal::NotCreator`], [`ContextRefusal::ParticipantNotFound`], or what the journal says.
    pub async fn revoke(self: &Arc<Self>, caller: &Caller, session: &str, who: &str) -> Result<Value, ServiceError> {
        let id = self.own(caller, session)?;
        let principal = ClientId::parse(who).ok_or(ContextRefusal::ParticipantNotFound)?;
        self.change(&id, move |id, session, _| {
            Ok(vec![(session.revoke(id, &principal)?, String::new())])
        })
        .await?;
        self.told(&id)
    }

    /// Makes a session readable alone (S-095); once more changes nothing. An operator may where the creator is gone. The
    /// session, as JSON.
    ///
    /// # Errors
    /// [`ContextRefusal::NotCreator`], [`ServiceError::Forbidden`], [`ServiceError::Nameless`], or what the journal says.
    pub async fn archive(self: &Arc<Self>, caller: &Caller, session: &str, by: Right) -> Result<Value, ServiceError> {
        let begun = Instant::now();
        let done = self.close(caller, session, by).await;
        self.observe("archive", begun, done.as_ref().err());
        self.told(&done?)
    }

    async fn close(self: &Arc<Self>, caller: &Caller, session: &str, by: Right) -> Result<SessionId, ServiceError> {
        let operator = by.operator(caller)?;
        let id = self.to_end(caller, session, operator.as_ref())?;
        let named = operator.clone();
        self.change(&id, move |id, session, _| {
            let archived = session.archive(id, named);
            Ok(archived.map(|event| (event, String::new())).into_iter().collect())
        })
        .await?;
        end_as::log("session", id.as_str(), "archive", operator.as_ref());
        Ok(id)
    }

    /// Does away with a session: it is gone at once, and its values are erased from the disk (S-096). An operator may where the
    /// creator is gone.
    ///
    /// # Errors
    /// [`ContextRefusal::NotCreator`], [`ServiceError::Forbidden`], [`ServiceError::Nameless`], or what the journal says.
    pub async fn remove(self: &Arc<Self>, caller: &Caller, session: &str, by: Right) -> Result<Value, ServiceError> {
        let begun = Instant::now();
        let done = self.do_away(caller, session, by).await;
        self.observe("remove", begun, done.as_ref().err());
        Ok(json!({"session_id": done?, "deleted": true}))
    }

    async fn do_away(self: &Arc<Self>, caller: &Caller, session: &str, by: Right) -> Result<SessionId, ServiceError> {
        let operator = by.operator(caller)?;
        let id = self.to_end(caller, session, operator.as_ref())?;
        self.remove_at_once(&id, operator.clone()).await?;
        end_as::log("session", id.as_str(), "remove", operator.as_ref());
        Ok(id)
    }

    /// A session that the caller created, or any that there is for an operator.
    fn to_end(&self, caller: &Caller, session: &str, operator: Option<&ClientId>) -> Result<SessionId, ServiceError> {
        if operator.is_none() {
            return self.own(caller, session);
        }
        let id = named(session)?;
        if !self.events.state().sessions.contains_key(&id) {
            return Err(ContextRefusal::SessionNotFound.into());
        }
        Ok(id)
    }

    /// Whether a principal that is named could ever take part.
    fn may_take_part(&self, principal: &ClientId, place: &str) -> Result<(), ServiceError> {
        if !self.deps.principals.lacks(principal, Permission::Share) {
            return Ok(());
        }
        let what = "must be the name of a principal that may take part in sessions";
        Err(ServiceError::InvalidMessage(vec![FieldFault::new(place, what)]))
    }

    /// A session that the caller created.
    fn own(&self, caller: &Caller, session: &str) -> Result<SessionId, ServiceError> {
        let id = named(session)?;
        let contexts = self.events.state();
        let session = known(&contexts, &id, caller)?;
        if !session.is_owned_by(caller.client.as_ref()) {
            return Err(ContextRefusal::NotCreator.into());
        }
        drop(contexts);
        Ok(id)
    }

    /// A session as its creator sees it.
    fn told(&self, id: &SessionId) -> Result<Value, ServiceError> {
        let contexts = self.events.state();
        let session = contexts.sessions.get(id).ok_or(ContextRefusal::SessionNotFound)?;
        let (now, limits) = (self.now(), &self.options.limits);
        Ok(documents::session(id, session, session.owner.as_ref(), now, limits))
    }
}

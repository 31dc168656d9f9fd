//! What agents do with sessions of shared context, and whoever runs the service.

use std::sync::Arc;

use serde_json::Value;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::end_as::Right;
use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;
use crate::app::sessions::SessionCensus;
use crate::app::sessions::SessionOptions;
use crate::app::sessions::Sessions;
use crate::app::sessions::watch::ContextWatch;
use context::session::action::Action;
use context::session::changes::Followed;

impl App {
    /// Begins to keep sessions, once.
    ///
    /// # Errors
    /// The first fault of the journal, named.
    pub fn share_contexts(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        options: SessionOptions,
    ) -> Result<(), ServiceError> {
        let sessions = Sessions::begin(&self.inner.registry.deps, webhook_sender, options)?;
        self.inner.sessions.get_or_init(|| sessions);
        Ok(())
    }

    /// How many sessions there are.
    pub fn session_census(&self) -> impl Fn() -> SessionCensus + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            let sessions = inner.as_ref().and_then(|inner| inner.sessions.get());
            sessions.map(|sessions| sessions.census()).unwrap_or_default()
        }
    }

    /// Begins a session, see [`Sessions::create`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::create`] says.
    pub async fn create_session(&self, caller: &Caller, text: &str) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Share)?.create(caller, text).await
    }

    /// A page of the caller's sessions, see [`Sessions::list`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn list_sessions(&self, caller: &Caller, after: Option<&str>, limit: usize) -> Result<Value, ServiceError> {
        Ok(self.sessions_of(caller, Permission::Share)?.list(caller, after, limit))
    }

    /// A session of the caller's, see [`Sessions::session`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::session`] says.
    pub fn session(&self, caller: &Caller, session: &str) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Share)?.session(caller, session)
    }

    /// Lets a principal take part, see [`Sessions::grant`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::grant`] says.
    pub async fn grant_session(&self, caller: &Caller, session: &str, text: &str) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Share)?
            .grant(caller, session, text)
            .await
    }

    /// Lets a principal take part no more, see [`Sessions::revoke`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::revoke`] says.
    pub async fn revoke_session(&self, caller: &Caller, session: &str, who: &str) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Share)?
            .revoke(caller, session, who)
            .await
    }

    /// Makes a session readable alone, see [`Sessions::archive`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::archive`] says.
    pub async fn archive_session(&self, caller: &Caller, session: &str, by: Right) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Share)?
            .archive(caller, session, by)
            .await
    }

    /// Does away with a session, see [`Sessions::remove`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::remove`] says.
    pub async fn delete_session(&self, caller: &Caller, session: &str, by: Right) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Share)?
            .remove(caller, session, by)
            .await
    }

    /// Does what an agent asks in the document's form: `{"action", …}`. The answer, as JSON text.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`] and what [`Sessions::act`] says.
    pub async fn share(&self, caller: &Caller, session: &str, text: &str) -> Result<String, ServiceError> {
        let sessions = self.sessions_of(caller, Permission::Share)?;
        let limits = &sessions.options.limits;
        let action = Action::parse(text, session, limits.batch_keys_max, limits.expiry_s_max);
        let action = action.map_err(|fault| ServiceError::InvalidMessage(vec![fault]))?;
        sessions.act(caller, session, action).await
    }

    /// Does what an agent asks by an address that says it all. The answer, as JSON text.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::act`] says.
    pub async fn act_in_session(&self, caller: &Caller, session: &str, action: Action) -> Result<String, ServiceError> {
        self.sessions_of(caller, Permission::Share)?
            .act(caller, session, action)
            .await
    }

    /// The blocks for a system prompt, see [`Sessions::prompt`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::prompt`] says.
    pub fn session_prompt(&self, caller: &Caller, session: &str) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Share)?.prompt(caller, session)
    }

    /// Follows a session, see [`Sessions::follow`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] and what [`Sessions::follow`] says.
    pub fn follow_session(
        &self,
        caller: &Caller,
        session: &str,
        keys: Option<&str>,
        since: Option<u64>,
    ) -> Result<ContextWatch, ServiceError> {
        let sessions = self.sessions_of(caller, Permission::Share)?;
        let followed = keys.map_or_else(|| Some(Followed::default()), Followed::parse).ok_or_else(|| {
            let what = "the parameter keys must be keys with commas between them, or beginnings of keys with * at their end";
            ServiceError::BadParameter(what.to_owned())
        })?;
        sessions.follow(caller, session, followed, since)
    }

    /// Everything in a session, for whoever runs the service, see [`Sessions::inspect`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::inspect`] says.
    pub fn inspect_session(&self, caller: &Caller, session: &str) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Operate)?.inspect(session)
    }

    /// Who wrote and deleted what in sessions, see [`Sessions::audit`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Sessions::audit`] says.
    pub fn audit_sessions(
        &self,
        caller: &Caller,
        session: Option<&str>,
        after: u64,
        limit: usize,
    ) -> Result<Value, ServiceError> {
        self.sessions_of(caller, Permission::Audit)?
            .audit(session, after, limit)
    }

    /// The sessions, for who may do this; each method shows its caller's own alone.
    fn sessions_of(&self, caller: &Caller, permission: Permission) -> Result<&Arc<Sessions>, ServiceError> {
        caller.require(permission)?;
        let sessions = self.inner.sessions.get();
        sessions.ok_or_else(|| ServiceError::Fault("sessions are not kept in this process".to_owned()))
    }
}

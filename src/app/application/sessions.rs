//! Sessions of shared context within the application.

use std::sync::Arc;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;
use crate::app::sessions::SessionCounts;
use crate::app::sessions::SessionOptions;
use crate::app::sessions::SessionService;

impl App {
    /// Begins to keep sessions, once.
    ///
    /// # Errors
    /// The first fault of the journal, named.
    pub fn open_sessions(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        options: SessionOptions,
    ) -> Result<(), ServiceError> {
        let sessions = SessionService::open(&self.inner.registry.deps, webhook_sender, options)?;
        self.inner.sessions.get_or_init(|| sessions);
        Ok(())
    }

    /// How many sessions there are.
    pub fn session_counts(&self) -> impl Fn() -> SessionCounts + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            let sessions = inner.as_ref().and_then(|inner| inner.sessions.get());
            sessions.map(|sessions| sessions.counts()).unwrap_or_default()
        }
    }

    /// The sessions, for who may do this; each method shows its caller's own alone.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn sessions(&self, caller: &Caller, permission: Permission) -> Result<&Arc<SessionService>, ServiceError> {
        caller.require(permission)?;
        let sessions = self.inner.sessions.get();
        sessions.ok_or_else(|| ServiceError::Fault("sessions are not kept in this process".to_owned()))
    }
}

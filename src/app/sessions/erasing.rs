//! What is not needed any more goes: expired keys, values that nobody can ask for, deleted sessions (S-047, S-081, S-096).
//!
//! The journal erases first, and only then it is noted, so that a crash in between erases once more and loses nothing.

use std::sync::Arc;

use crate::app::background::to_its_end;
use crate::app::error::ServiceError;
use crate::app::lock::locked;
use crate::app::sessions::Sessions;
use crate::app::sessions::expired;
use context::session::event::ContextEvent;
use context::session::freed::Freed;
use context::session::name::SessionId;
use context::session::refusal::ContextRefusal;
use schema::name::ClientId;
use schema::time::At;

/// Ranges that are noted by one record.
const RANGES_MAX: usize = 256;
/// Later than anything that was recorded.
const WHENEVER: At = At(i64::MAX);

impl Sessions {
    /// Takes out what has expired, and erases what nobody can ask for any more.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn tidy(self: &Arc<Self>) -> Result<(), ServiceError> {
        let now = self.now();
        let expired: Vec<SessionId> = {
            let contexts = self.events.state();
            let stale = contexts
                .sessions
                .iter()
                .filter(|(id, session)| session.expire(id, now).is_some());
            stale.map(|(id, _)| id.clone()).collect()
        };
        for id in expired {
            match self.take_out_expired(&id).await {
                // It was deleted meanwhile.
                Err(ServiceError::Context(ContextRefusal::SessionNotFound)) => {}
                done => done?,
            }
        }
        loop {
            let ranges = self.events.state().freed.first(RANGES_MAX);
            if ranges.is_empty() {
                return Ok(());
            }
            self.erase(ranges).await?;
        }
    }

    /// Takes out of a session what has expired.
    ///
    /// # Errors
    /// [`ContextRefusal::SessionNotFound`], or what the journal says.
    pub(in crate::app::sessions) async fn take_out_expired(
        self: &Arc<Self>,
        id: &SessionId,
    ) -> Result<(), ServiceError> {
        self.change(id, |id, session, now| Ok(expired(id, session, now).collect()))
            .await
            .map(drop)
    }

    /// Keeps a snapshot where one is due.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub fn keep_up(&self) -> Result<(), ServiceError> {
        self.events.keep_up()
    }

    /// Does away with a session, its values first of all from what can be read.
    pub(in crate::app::sessions) async fn remove_at_once(
        self: &Arc<Self>,
        id: &SessionId,
        operator: Option<ClientId>,
    ) -> Result<(), ServiceError> {
        let mut held = Freed::default();
        self.change(id, |id, session, _| {
            for (from, through) in session.contents() {
                held.add(from, through);
            }
            Ok(vec![(session.remove(id, operator), String::new())])
        })
        .await?;
        let this = Arc::clone(self);
        let erased = to_its_end(async move {
            for ranges in held.first(usize::MAX).chunks(RANGES_MAX) {
                this.erase(ranges.to_vec()).await?;
            }
            Ok(())
        });
        if let Err(error) = erased.await
            && !error.is_stop()
        {
            tracing::warn!(session_id = %id, %error, "the values of a deleted session are erased later");
        }
        Ok(())
    }

    /// Erases what lies at these records, and notes that it did.
    async fn erase(&self, ranges: Vec<(u64, u64)>) -> Result<(), ServiceError> {
        let _one_at_a_time = self.erasing.lock().await;
        for (from, through) in &ranges {
            locked(&self.values).forget(*from, *through);
            self.events.erase(*from, *through, WHENEVER).await?;
        }
        self.put(vec![(ContextEvent::Erased { ranges }, String::new())]).await?;
        Ok(())
    }
}

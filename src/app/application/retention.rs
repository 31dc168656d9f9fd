//! Retention: what is old enough is erased, at the start and from time to time, beside the timer of what is due (Z-167).
//!
//! What may be erased of a scenario is decided in the engine; the journal erases it, and only then the scenario notes it, so that a crash
//! in between erases once more and loses nothing. State and templates are what they were: they hold no text that lies there.

use std::sync::Arc;
use std::time::Duration;

use crate::app::application::App;
use crate::app::application::Inner;
use crate::app::error::ServiceError;
use crate::app::execution;
use crate::app::handle::ScenarioHandle;
use crate::app::registry::ScenarioRegistry;
use engine::scenario::command::Command;
use engine::scenario::decide::upkeep;
use store::journal::Erasure;
use store::journal::Journal;
use store::journal::JournalFault;

/// Records looked at with one sync; appends wait as long.
const RECORDS_MAX: usize = 1_024;

/// Erases what may be, in every scenario; what a fault hinders is tried again with the next pass.
pub async fn pass(registry: &ScenarioRegistry) {
    let options = &registry.deps.options;
    let handles = registry.handles();
    for handle in &handles {
        execution::redact_ended(handle, &registry.deps).await;
    }
    if options.texts_kept_days == 0 && options.closed_kept_days == 0 {
        return;
    }
    for handle in handles {
        if let Err(error) = erase(registry, &handle).await
            && !error.is_stop()
        {
            tracing::warn!(scenario = %handle.key, %error, "what is old enough was not erased");
        }
    }
}

/// Takes what was erased from the disk too.
pub async fn purge(journal: &dyn Journal) {
    let purged = match journal.purge() {
        Ok(purged) => purged.await.unwrap_or(Err(JournalFault::Closed)),
        Err(fault) => Err(fault),
    };
    if let Err(fault) = purged {
        tracing::warn!(%fault, "what was erased stays in the store's files until the next start");
    }
}

async fn erase(registry: &ScenarioRegistry, handle: &ScenarioHandle) -> Result<(), ServiceError> {
    let options = &registry.deps.options;
    let erasable = {
        let state = handle.state();
        let at = registry.deps.clock.now().max(state.at);
        upkeep::erasable(&state, at, options.texts_kept_days, options.closed_kept_days)
            .map(|(through, before)| (state.erased_through, through, before))
    };
    let Some((done, through, before)) = erasable else {
        return Ok(());
    };
    let mut reached = done;
    let mut records = 0;
    loop {
        let erasure = Erasure {
            from: reached + 1,
            through,
            before,
            records_max: RECORDS_MAX,
        };
        let erased = registry.deps.erase(&handle.journal, erasure).await?;
        records += erased.records;
        if erased.through <= reached {
            break;
        }
        reached = erased.through;
    }
    // What held nothing to erase is not worth a record: it is looked at again with the next pass.
    if records > 0 {
        handle.command(Command::Erased { through: reached }).await?;
    }
    Ok(())
}

/// Ticks of the timer between two looks at what retention lets be erased; the first look is at the start.
const RETENTION_TICKS: u64 = 600;

impl App {
    /// Erases what retention asks, in every journal.
    pub(super) async fn retain(&self) {
        retain(&self.inner).await;
    }

    pub(super) fn begin_to_erase(&self) {
        let tick_s = self.inner.registry.deps.options.tick_s.max(1);
        let period = Duration::from_secs(tick_s.saturating_mul(RETENTION_TICKS));
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            let mut timer = tokio::time::interval(period);
            loop {
                timer.tick().await;
                let Some(inner) = inner.upgrade() else { return };
                retain(&inner).await;
            }
        });
    }
}

async fn retain(inner: &Inner) {
    event_stores(inner).await;
    pass(&inner.registry).await;
}

/// Erases what is needed no more of journals of facts; each has a snapshot where one is due.
async fn event_stores(inner: &Inner) {
    let days = inner.registry.deps.options.texts_kept_days;
    if let Some(tasks) = inner.tasks.get() {
        tidied("tasks", tasks.tidy(days).await);
    }
    if let Some(sessions) = inner.sessions.get() {
        tidied("sessions", sessions.tidy().await);
    }
    if let Some(works) = inner.task_contexts.get() {
        tidied("works", works.tidy(days).await);
    }
    if let Some(conversations) = inner.conversations.get() {
        tidied("conversations", conversations.tidy(days).await);
    }
    if let Some(services) = inner.services.get() {
        tidied("agents", services.tidy().await);
    }
}

fn tidied(journal: &str, done: Result<(), ServiceError>) {
    if let Err(error) = done
        && !error.is_stop()
    {
        tracing::warn!(journal, %error, "what is needed no more was not erased, or no snapshot was kept");
    }
}

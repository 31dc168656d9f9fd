//! When retention erases: at the start, and from time to time, beside the timer of what is due.

use std::sync::Arc;
use std::time::Duration;

use crate::app::application::App;
use crate::app::application::Inner;
use crate::app::error::ServiceError;
use crate::app::retention;

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
    retention::pass(&inner.registry).await;
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

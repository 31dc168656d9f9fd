//! Retention: sealed parts of records that are old enough are erased, scenario by scenario (Z-167).
//!
//! What may be erased is decided in the domain; the journal erases it, and only then the scenario notes it, so that a crash
//! in between erases once more and loses nothing. State and templates are what they were: they hold no text that lies there.

use std::sync::Arc;

use crate::service::error::ServiceError;
use crate::service::execution;
use crate::service::hosting::Hosting;
use crate::service::live::Live;
use engine::scenario::command::Command;
use engine::scenario::decide::trim;
use store::journal::Erasure;
use store::journal::JournalFault;

/// Records looked at with one sync; appends wait as long.
const RECORDS_MAX: usize = 1_024;

/// Erases what may be, in every scenario; what a fault hinders is tried again with the next pass.
pub async fn pass(hosting: &Hosting) {
    let options = &hosting.parts.options;
    facts(hosting).await;
    let lives: Vec<Arc<Live>> = hosting.catalogue.load().scenarios.values().cloned().collect();
    for live in &lives {
        execution::redact_ended(live, &hosting.parts).await;
    }
    if options.texts_kept_days == 0 && options.closed_kept_days == 0 {
        return;
    }
    for live in lives {
        if let Err(error) = erase(hosting, &live).await
            && !error.is_stop()
        {
            tracing::warn!(scenario = %live.key, %error, "what is old enough was not erased");
        }
    }
}

/// The first pass of a start: what the process before left to be erased is gone from the disk too when the service is ready
/// (Z-167).
pub async fn settle(hosting: &Hosting) {
    pass(hosting).await;
    let purged = match hosting.parts.journal.purge() {
        Ok(purged) => purged.await.unwrap_or(Err(JournalFault::Closed)),
        Err(fault) => Err(fault),
    };
    if let Err(fault) = purged {
        tracing::warn!(%fault, "what was erased stays in the store's files until the next start");
    }
}

/// The same for what lies in journals of facts; each has a snapshot where one is due.
async fn facts(hosting: &Hosting) {
    let days = hosting.parts.options.texts_kept_days;
    if let Some(tasks) = hosting.tasks.get() {
        forgotten("tasks", tasks.forget(days).await);
        shortened("tasks", tasks.keep_up());
    }
    if let Some(sessions) = hosting.sessions.get() {
        forgotten("sessions", sessions.tidy().await);
        shortened("sessions", sessions.keep_up());
    }
    if let Some(works) = hosting.works.get() {
        forgotten("works", works.forget(days).await);
        shortened("works", works.keep_up());
    }
    if let Some(conversations) = hosting.conversations.get() {
        forgotten("conversations", conversations.forget(days).await);
        shortened("conversations", conversations.keep_up());
    }
    if let Some(services) = hosting.services.get() {
        forgotten("agents", services.forget().await);
        shortened("agents", services.keep_up());
    }
}

fn forgotten(journal: &str, done: Result<(), ServiceError>) {
    if let Err(error) = done
        && !error.is_stop()
    {
        tracing::warn!(journal, %error, "what is needed no more was not erased");
    }
}

fn shortened(journal: &str, done: Result<(), ServiceError>) {
    if let Err(error) = done
        && !error.is_stop()
    {
        tracing::warn!(journal, %error, "no snapshot was kept; the next start takes longer");
    }
}

async fn erase(hosting: &Hosting, live: &Live) -> Result<(), ServiceError> {
    let options = &hosting.parts.options;
    let erasable = {
        let state = live.state();
        let at = hosting.parts.clock.now().max(state.at);
        trim::erasable(&state, at, options.texts_kept_days, options.closed_kept_days)
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
        let answer = {
            let _pass = hosting.parts.writes.pass()?;
            hosting.parts.journal.erase(&live.journal, erasure)?
        };
        let erased = answer.await.map_err(|_gone| JournalFault::Closed)??;
        records += erased.records;
        if erased.through <= reached {
            break;
        }
        reached = erased.through;
    }
    // What held nothing to erase is not worth a record: it is looked at again with the next pass.
    if records > 0 {
        live.command(Command::Erased { through: reached }).await?;
    }
    Ok(())
}

//! Retention: sealed parts of records that are old enough are erased, scenario by scenario (Z-167).
//!
//! What may be erased is decided in the domain; the journal erases it, and only then the scenario notes it, so that a crash
//! in between erases once more and loses nothing. State and templates are what they were: they hold no text that lies there.

use std::sync::Arc;

use crate::service::error::ServiceError;
use crate::service::execution;
use crate::service::hosting::Hosting;
use crate::service::live::Live;
use crate::service::ports::Erasure;
use crate::service::ports::Journal;
use crate::service::ports::JournalFault;
use engine::scenario::command::Command;
use engine::scenario::decide::trim;

/// Records looked at with one sync; appends wait as long.
const RECORDS_MAX: usize = 1_024;

/// Erases what may be, in every scenario; what a fault hinders is tried again with the next pass.
pub async fn pass(hosting: &Hosting) {
    let options = &hosting.parts.options;
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

//! Retention: sealed parts of records that are old enough are erased, scenario by scenario (Z-167).
//!
//! What may be erased is decided in the domain; the journal erases it, and only then the scenario notes it, so that a crash
//! in between erases once more and loses nothing. State and templates are what they were: they hold no text that lies there.

use std::sync::Arc;

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
    let handles: Vec<Arc<ScenarioHandle>> = registry.catalogue.load().scenarios.values().cloned().collect();
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
        let answer = {
            let _pass = registry.deps.write_gate.pass()?;
            registry.deps.journal.erase(&handle.journal, erasure)?
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
        handle.command(Command::Erased { through: reached }).await?;
    }
    Ok(())
}

//! A backup that a caller asked a running service for: one at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::Semaphore;

use crate::service::caller::Caller;
use crate::service::dependencies::Dependencies;
use crate::service::error::ServiceError;
use store::backup::Backup;
use store::backup::CHUNK_BYTES;

/// A backup that was begun.
pub struct Begun {
    pub backup: Backup,
    /// How long it may wait for its reader.
    pub patience: Duration,
    /// Its place among those that may run at once, held until it is dropped.
    pub place: OwnedSemaphorePermit,
}

/// Begins a backup of a running service. It is to be read where it may block.
///
/// # Errors
/// [`ServiceError::Busy`] while there is another one, or a fault of the store.
pub fn begin(deps: &Dependencies, places: &Arc<Semaphore>, caller: &Caller) -> Result<Begun, ServiceError> {
    let place = Arc::clone(places)
        .try_acquire_owned()
        .map_err(|_taken| ServiceError::Busy { retry_after_s: 10 })?;
    let (journal, program) = (Arc::clone(&deps.journal), env!("CARGO_PKG_VERSION"));
    let backup = Backup::begin(journal, program, deps.clock.now(), CHUNK_BYTES)?;
    administered!(info, Some(&caller.by()), "a backup begins");
    Ok(Begun {
        backup,
        patience: Duration::from_secs(deps.options.backup_stall_s),
        place,
    })
}

//! A backup that a caller asked a running service for: one at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
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

impl App {
    /// Begins a backup of a running service. It is to be read where it may block.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Busy`] while there is another one, or a fault of the store.
    pub fn backup(&self, caller: &Caller) -> Result<Begun, ServiceError> {
        caller.require(Permission::Operate)?;
        let deps = &self.registry().deps;
        let place = Arc::clone(self.backups())
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
}

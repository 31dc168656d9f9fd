//! Whether anything may be written: a person or a setting can close the service for writing while reads go on.
//!
//! Every append passes here. Invariant: once [`WriteGate::close`] has returned, no append is queued any more that did not
//! pass before.

use std::sync::PoisonError;
use std::sync::RwLock;
use std::sync::RwLockReadGuard;

use crate::app::error::ServiceError;
use engine::namespace::WritesClosed;

/// Open, or closed by whom.
#[derive(Debug, Default)]
pub struct WriteGate {
    /// The setting `service.read_only`: closed, whatever people say.
    by_setting: bool,
    closed: RwLock<Option<WritesClosed>>,
}

/// Held while an append is queued.
#[derive(Debug)]
pub struct Pass<'a>(#[expect(dead_code, reason = "holds the lock")] RwLockReadGuard<'a, Option<WritesClosed>>);

impl WriteGate {
    /// Open unless the setting says otherwise.
    pub fn new(by_setting: bool) -> WriteGate {
        WriteGate {
            by_setting,
            closed: RwLock::new(None),
        }
    }

    /// Lets one append be queued.
    pub fn pass(&self) -> Result<Pass<'_>, ServiceError> {
        let closed = self.closed.read().unwrap_or_else(PoisonError::into_inner);
        if self.by_setting || closed.is_some() {
            return Err(ServiceError::ReadOnly);
        }
        Ok(Pass(closed))
    }

    /// Whether appends pass.
    pub fn are_open(&self) -> bool {
        self.pass().is_ok()
    }

    /// Whether the setting closed it.
    pub fn closed_by_setting(&self) -> bool {
        self.by_setting
    }

    /// Who closed it, where a person did.
    pub fn closed(&self) -> Option<WritesClosed> {
        self.closed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes; waits for the appends that are being queued at this moment.
    pub fn close(&self, by: WritesClosed) {
        *self.closed.write().unwrap_or_else(PoisonError::into_inner) = Some(by);
    }

    /// Opens what a person closed.
    pub fn open(&self) {
        *self.closed.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::WriteGate;
    use crate::app::error::ServiceError;
    use engine::namespace::WritesClosed;
    use schema::time::At;

    fn closed() -> WritesClosed {
        WritesClosed {
            since: At(1),
            by: "op".into(),
            reason: None,
        }
    }

    #[test]
    fn nothing_passes_while_it_is_closed_by_a_person_or_by_the_setting() {
        let writes = WriteGate::new(false);
        assert!(writes.are_open());
        writes.close(closed());
        assert_eq!(writes.pass().err(), Some(ServiceError::ReadOnly));
        assert_eq!(writes.closed(), Some(closed()));
        writes.open();
        assert!(writes.are_open());
        let fixed = WriteGate::new(true);
        fixed.open();
        assert!(!fixed.are_open());
    }

    #[test]
    fn closing_waits_for_an_append_that_is_being_queued() {
        let writes = WriteGate::new(false);
        let pass = writes.pass().expect("open");
        std::thread::scope(|scope| {
            let closing = scope.spawn(|| writes.close(closed()));
            std::thread::sleep(std::time::Duration::from_millis(30));
            assert!(!closing.is_finished());
            drop(pass);
        });
        assert!(!writes.are_open());
    }
}

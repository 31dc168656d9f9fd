//! Locks of what is shared inside one process.

use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

/// Held for moments only, never across an await. A lock that a panic left behind is taken all the same: what it guards is replaced
/// whole.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

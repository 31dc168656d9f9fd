//! What is being put on disk and is not applied yet, counted for each owner, so that limits hold for many at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;

use crate::app::lock::locked;
use schema::name::ClientId;

/// How many of each owner are under way.
#[derive(Clone, Default)]
pub struct Reservations {
    counts: Arc<Mutex<BTreeMap<Option<ClientId>, usize>>>,
}

/// One of an owner that is under way until this is dropped.
pub struct Reservation {
    reservations: Reservations,
    owner: Option<ClientId>,
}

impl Reservations {
    /// Counts one more of an owner; beside it, how many others of its own and of anyone are under way.
    pub fn reserve(&self, owner: Option<ClientId>) -> (Reservation, (usize, usize)) {
        let mut counts = locked(&self.counts);
        let all: usize = counts.values().sum();
        let own = counts.entry(owner.clone()).or_default();
        let beside = (*own, all);
        *own += 1;
        let reservations = self.clone();
        (Reservation { reservations, owner }, beside)
    }

    /// How many of anyone are under way.
    pub fn count(&self) -> usize {
        locked(&self.counts).values().sum()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut counts = locked(&self.reservations.counts);
        if let Some(count) = counts.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.owner);
            }
        }
    }
}

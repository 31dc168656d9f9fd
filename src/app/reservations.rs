//! Counts of what is under way or held, for each owner, so that limits hold for many at once: appends, streams, sessions, connections.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;

use crate::app::lock::locked;
use schema::name::ClientId;

/// How many of each owner are under way.
#[derive(Clone, Default)]
pub struct Reservations<O: Ord = Option<ClientId>> {
    counts: Arc<Mutex<BTreeMap<O, usize>>>,
}

/// One of an owner that is under way until this is dropped.
pub struct Reservation<O: Ord = Option<ClientId>> {
    reservations: Reservations<O>,
    owner: O,
}

impl<O: Ord + Clone> Reservations<O> {
    /// Counts one more of an owner; beside it, how many others of its own and of anyone are under way.
    pub fn reserve(&self, owner: O) -> (Reservation<O>, (usize, usize)) {
        let mut counts = locked(&self.counts);
        let all: usize = counts.values().sum();
        let own = counts.entry(owner.clone()).or_default();
        let beside = (*own, all);
        *own += 1;
        let reservations = self.clone();
        (Reservation { reservations, owner }, beside)
    }

    /// Counts the owners that have any under way.
    pub fn owners(&self) -> usize {
        locked(&self.counts).len()
    }

    /// How many of anyone are under way.
    pub fn count(&self) -> usize {
        locked(&self.counts).values().sum()
    }
}

impl<O: Ord> Drop for Reservation<O> {
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

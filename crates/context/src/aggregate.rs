//! What journals of events alone share: what can happen, and what that means together.
//!
//! Tasks and the contexts of agents are kept so: whoever may write decides under a lock, appends, and only then is it applied.

use serde::Serialize;
use serde::de::DeserializeOwned;

use schema::time::At;

/// What can happen, as it is read forever. What was said lies in the sealed part of its record, and goes on in `more` records
/// right after it.
pub trait Event: Clone + Serialize + DeserializeOwned {
    /// Says only that the sealed part of the record before goes on here.
    fn continued() -> Self;

    /// The same, its sealed part going on in so many records.
    #[must_use]
    fn going_on(self, records: u32) -> Self;

    /// In how many records its sealed part goes on.
    fn more(&self) -> u32;
}

/// What events mean together: a view of their journal, which knows where contents lie and not what they are. Written as JSON it
/// is a snapshot.
pub trait Aggregate: Default + Serialize + DeserializeOwned {
    type Event: Event;

    /// Applies the event that lies at this record.
    fn evolve(&mut self, seq: u64, at: At, event: &Self::Event);
}

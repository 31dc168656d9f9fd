//! Stand-ins for the clients of a stream that take up the keys they are offered.

use serde_json::value::RawValue;

use crate::app::replay::stream::Line;
use engine::evolution::patch::Patch;
use schema::effective::EffectiveTemplate;
use schema::time::At;

/// Stands in for the clients of a stream: what they make of the keys that they are offered.
pub trait Adopter {
    /// A patch was proposed, or is wanted again; `members` are the lines in its cluster at that moment, in order.
    fn proposed(&self, patch: &Patch, members: &[usize]);

    /// Returns whether the client fetches the template before it submits a line; asked once for each line, in order, and only
    /// where templates are delivered.
    fn fetches(&self, number: usize, line: &Line<'_>, at: At) -> bool {
        let _ = (number, line, at);
        true
    }

    /// The payload that the client submits instead of the line's, given the template in force for it; `None` for the
    /// line's own.
    fn adopt(&self, number: usize, line: &Line<'_>, at: At, template: &EffectiveTemplate) -> Option<Box<RawValue>>;
}

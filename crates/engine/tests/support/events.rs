//! What is looked for among events.

use engine::evolution::stage::Reason;
use engine::pool::gate::Audience;
use engine::pool::micro::ClusterId;
use engine::scenario::event::Event;
use engine::scenario::event::Settlement;

/// What a cluster came to, where that is all that happened.
pub(crate) fn settlement(events: &[Event]) -> Option<Settlement> {
    match events {
        [Event::Settled { settlement, .. }] => Some(settlement.clone()),
        _ => None,
    }
}

/// Changes of stage among events.
pub(crate) fn staged(events: &[Event]) -> Vec<(&'static str, Reason)> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Staged { stage, reason, .. } => Some((stage.name(), reason.clone())),
            _ => None,
        })
        .collect()
}

/// Triggers among events.
pub(crate) fn triggered(events: &[Event]) -> Vec<(ClusterId, Audience)> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Triggered { cluster, audience, .. } => Some((*cluster, audience.clone())),
            _ => None,
        })
        .collect()
}

//! Folding: two keys whose clusters have become one are one key; the one with more behind it goes on (Z-088, Z-113).
//!
//! A key that clients rely on is never folded: of two stable ones both stay, and a person may choose.

use std::cmp::Reverse;

use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::stage::Reason;
use crate::domain::evolution::stage::Stage;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::domain::template::effective::KeyChange;
use crate::domain::time::At;
use crate::domain::time::SECOND_MS;

/// Ends every key that another of the same cluster stands for.
pub fn fold(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    state
        .patches
        .iter()
        .filter_map(|patch| {
            let stage = folded(&patch.stage, at, policy)?;
            let survivor = survivor(state, patch, at, policy)?;
            (survivor.patch_id != patch.patch_id).then(|| Event::Staged {
                patch_id: patch.patch_id.clone(),
                stage,
                reason: Reason::Folded,
                by: None,
                reading: None,
                cool_until: None,
            })
        })
        .collect()
}

/// The key that goes on among those of a patch's cluster and audience: the one furthest on its way, then the one that
/// more payloads held, then the oldest. `None` when none is in force or on its way.
pub fn survivor<'s>(state: &'s State, patch: &Patch, at: At, policy: &Policy) -> Option<&'s Patch> {
    let rivals = state.patches.iter().filter(|other| {
        other.cluster == patch.cluster
            && other.audience == patch.audience
            && matches!(other.change, KeyChange::Add(_))
            && !other.stage.has_ended()
    });
    rivals.min_by_key(|other| {
        let held = state
            .ledger
            .read(&other.patch_id, at, policy.evolution.window_days)
            .payloads_with_key;
        (Reverse(progress(&other.stage)), Reverse(held), other.timestamp)
    })
}

/// How a key ends that is folded: without a trace where nobody saw it, with its time of grace where somebody did.
fn folded(stage: &Stage, at: At, policy: &Policy) -> Option<Stage> {
    match stage {
        Stage::Queued { since: _ } | Stage::AwaitingApproval { since: _ } => Some(Stage::Lapsed { since: at }),
        Stage::Experimental(_) => Some(Stage::Deprecated {
            since: at,
            until: at.plus_ms(policy.evolution.grace_s * SECOND_MS),
        }),
        Stage::Stable { since: _, next_look: _ }
        | Stage::Deprecated { since: _, until: _ }
        | Stage::Withdrawn { since: _, until: _ }
        | Stage::Expired { since: _ }
        | Stage::Lapsed { since: _ }
        | Stage::Rejected { since: _ } => None,
    }
}

fn progress(stage: &Stage) -> u8 {
    match stage {
        Stage::Stable { since: _, next_look: _ } => 3,
        Stage::Experimental(_) => 2,
        Stage::AwaitingApproval { since: _ } | Stage::Queued { since: _ } => 1,
        Stage::Deprecated { since: _, until: _ }
        | Stage::Withdrawn { since: _, until: _ }
        | Stage::Expired { since: _ }
        | Stage::Lapsed { since: _ }
        | Stage::Rejected { since: _ } => 0,
    }
}

#[cfg(test)]
mod tests;

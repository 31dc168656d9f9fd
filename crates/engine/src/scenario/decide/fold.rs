//! Folding: two keys whose clusters have become one are one key; the one with more behind it goes on (Z-088, Z-113).
//!
//! A key that clients rely on is never folded: of two stable ones both stay, and a person may choose. Nor is one that
//! clients fill rightly: they tell it apart, whatever the looks make of what is still said in `other`. Nor is one that a
//! person brought back after it was folded, and nothing is folded into it. Nor is one that another cluster was found to mean as
//! well: what fell to the other key was but a part of what it stands for, and it goes on with the rest.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage_dwell;
use crate::evolution::trial;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::policy::Policy;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::time::At;

/// Ends every key that another of the same cluster stands for, but for those that have another cluster to go on with.
pub fn fold(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    let mut alike: BTreeMap<(ClusterId, &Audience), Vec<&Patch>> = BTreeMap::new();
    for patch in state
        .patches
        .iter()
        .filter(|patch| patch.adds_in_life() && !patch.set_apart())
    {
        alike.entry((patch.cluster, &patch.audience)).or_default().push(patch);
    }
    let mut events = Vec::new();
    for rivals in alike.into_values().filter(|rivals| rivals.len() > 1) {
        let told_apart = |patch: &Patch| {
            let reading = state.ledger.read(&patch.patch_id, at, policy.evolution.window_days);
            trial::filled_rightly(&reading, &patch.audience, &policy.evolution) == Some(true)
        };
        let resident = resident(state, &rivals).or_else(|| furthest(state, rivals.iter().copied(), at, policy));
        let is_resident = |patch: &Patch| resident.is_some_and(|own| own.patch_id == patch.patch_id);
        let mut staying = Vec::new();
        for patch in rivals {
            match other_home(state, patch).filter(|_| !is_resident(patch)) {
                Some(cluster) => events.push(Event::Rehomed {
                    patch_id: patch.patch_id.clone(),
                    cluster,
                }),
                None => staying.push(patch),
            }
        }
        let Some(survivor) = furthest(state, staying.iter().copied(), at, policy) else {
            continue;
        };
        let others = staying
            .into_iter()
            .filter(|patch| patch.patch_id != survivor.patch_id && !told_apart(patch));
        events.extend(
            others.filter_map(|patch| Some(Event::staged(patch, folded(patch, at, policy)?, Reason::Folded, None))),
        );
    }
    events
}

/// The key that came of the very cluster that its rivals share.
fn resident<'s>(state: &State, rivals: &[&'s Patch]) -> Option<&'s Patch> {
    let own = |patch: &&&Patch| matches!(state.claim(patch.cluster, &patch.audience), Some(Claim::Patched(id)) if *id == patch.patch_id);
    rivals.iter().find(own).copied()
}

/// Another cluster that was found to mean a key, and that came to none of its own; of several the largest.
fn other_home(state: &State, patch: &Patch) -> Option<ClusterId> {
    let key_name = patch.change.key_name();
    let means_it = |cluster: ClusterId| match state.claim(cluster, &patch.audience) {
        Some(Claim::Patched(id)) => state.patch(id).is_some_and(|other| other.change.key_name() == key_name),
        Some(Claim::Settled { settlement, .. }) => {
            matches!(settlement, Settlement::Covered(covered) if covered == key_name)
        }
        Some(Claim::Inducing { .. }) | None => false,
    };
    let is_owned = |cluster: ClusterId| {
        let own = |other: &&Patch| other.cluster == cluster && other.audience == patch.audience;
        state.patches.iter().filter(own).any(Patch::adds_in_life)
    };
    let clusters = state.pool.clusters.keys().copied();
    clusters
        .filter(|cluster| means_it(*cluster) && !is_owned(*cluster))
        .max_by_key(|cluster| (state.pool.members(*cluster), Reverse(*cluster)))
}

/// The key that goes on among those of a patch's cluster and audience: the one furthest on its way, then the one that
/// more payloads held, then the oldest. `None` when none is in force or on its way.
pub fn survivor<'s>(state: &'s State, patch: &Patch, at: At, policy: &Policy) -> Option<&'s Patch> {
    let rivals = state
        .patches
        .iter()
        .filter(|other| other.cluster == patch.cluster && other.audience == patch.audience && other.adds_in_life());
    furthest(state, rivals, at, policy)
}

fn furthest<'s>(state: &State, rivals: impl Iterator<Item = &'s Patch>, at: At, policy: &Policy) -> Option<&'s Patch> {
    rivals.min_by_key(|other| {
        let reading = state.ledger.read(&other.patch_id, at, policy.evolution.window_days);
        let held = reading.payloads_with_key;
        (Reverse(progress(&other.stage)), Reverse(held), other.timestamp)
    })
}

/// How a key ends that is folded: without a trace where nobody saw it, with its time of grace where somebody did, and
/// then not before its stages have been calm for long enough ([`stage_dwell`]).
fn folded(patch: &Patch, at: At, policy: &Policy) -> Option<Stage> {
    match &patch.stage {
        Stage::Queued { since: _ } | Stage::AwaitingApproval { since: _ } => Some(Stage::Lapsed { since: at }),
        Stage::Experimental(_) => {
            let free = stage_dwell::free_from(patch, &policy.evolution).is_none_or(|from| at >= from);
            free.then(|| Stage::Deprecated {
                since: at,
                until: stage_dwell::end(patch, at, policy.evolution.grace_s, &policy.evolution),
            })
        }
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

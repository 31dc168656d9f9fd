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
use crate::evolution::trial;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::decide::keys;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::effective::Standing;

/// Ends every key that another of the same cluster stands for, but for those that have another cluster to go on with.
pub fn fold(now: Situation<'_>) -> Vec<Event> {
    let state = now.state;
    let mut alike: BTreeMap<(ClusterId, &Audience), Vec<&Patch>> = BTreeMap::new();
    let may_fold = |patch: &&Patch| patch.adds_in_life() && !patch.set_apart();
    for patch in state.patches.iter().filter(may_fold) {
        alike.entry((patch.cluster, &patch.audience)).or_default().push(patch);
    }
    let told_apart =
        |patch: &Patch| trial::filled_rightly(&now.reading(patch), &patch.audience, now.evolution()) == Some(true);
    let mut events = Vec::new();
    for rivals in alike.into_values().filter(|rivals| rivals.len() > 1) {
        // The key that came of the very cluster that all of them share stays there.
        let resident = rivals.iter().copied().find(|patch| is_claimed_by(state, patch));
        let resident = resident.or_else(|| furthest(now, rivals.iter().copied()));
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
        let Some(survivor) = furthest(now, staying.iter().copied()) else {
            continue;
        };
        let others = staying
            .into_iter()
            .filter(|patch| patch.patch_id != survivor.patch_id && !told_apart(patch));
        let ends = |patch| Some(Event::staged(patch, folded(now, patch)?, Reason::Folded, None));
        events.extend(others.filter_map(ends));
    }
    events
}

/// Whether a patch came of the cluster that it has now.
fn is_claimed_by(state: &State, patch: &Patch) -> bool {
    matches!(state.claim(patch.cluster, &patch.audience), Some(Claim::Patched(id)) if *id == patch.patch_id)
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
    let is_owned = |cluster| keys::of_cluster(state, cluster, &patch.audience).any(Patch::adds_in_life);
    let clusters = state.pool.clusters.keys().copied();
    clusters
        .filter(|cluster| means_it(*cluster) && !is_owned(*cluster))
        .max_by_key(|cluster| (state.pool.members(*cluster), Reverse(*cluster)))
}

/// The key that goes on among those of a patch's cluster and audience; `None` when none is in force or on its way.
pub fn survivor<'s>(now: Situation<'s>, patch: &Patch) -> Option<&'s Patch> {
    let rivals = keys::of_cluster(now.state, patch.cluster, &patch.audience);
    furthest(now, rivals.filter(|patch| patch.adds_in_life()))
}

/// The one furthest on its way, then the one that more payloads held, then the oldest.
fn furthest<'s>(now: Situation<'_>, rivals: impl Iterator<Item = &'s Patch>) -> Option<&'s Patch> {
    let way = |patch: &Patch| match patch.stage.standing() {
        Some(Standing::Stable) => 2,
        Some(Standing::Experimental) => 1,
        Some(Standing::Deprecated | Standing::Withdrawn) | None => 0,
    };
    rivals.min_by_key(|other| {
        let held = now.reading(other).payloads_with_key;
        (Reverse(way(other)), Reverse(held), other.timestamp)
    })
}

/// How a key ends that is folded: without a trace where nobody saw it, with its time of grace where somebody did, and
/// then not before its stages have been calm for long enough.
fn folded(now: Situation<'_>, patch: &Patch) -> Option<Stage> {
    let since = now.at;
    if keys::waits(patch) {
        return Some(Stage::Lapsed { since });
    }
    let may_go = matches!(patch.stage, Stage::Experimental(_)) && now.not_before(patch).is_none();
    may_go.then(|| Stage::Deprecated {
        since,
        until: now.end(patch, now.evolution().grace_s),
    })
}

#[cfg(test)]
mod tests;

//! From a triggered cluster's candidate to a patch: conflict, approval, guard, packaging (Z-109 … Z-119).

use std::collections::BTreeSet;

use crate::evolution::backtest::Backtest;
use crate::evolution::collision;
use crate::evolution::collision::Collision;
use crate::evolution::induction::Abstention;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::stage::Stage;
use crate::evolution::stage_dwell;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::hold::Hold;
use crate::pool::micro::ClusterId;
use crate::pool::rationale::NearRule;
use crate::pool::rationale::Nearest;
use crate::scenario::command::Induced;
use crate::scenario::command::Refusal;
use crate::scenario::decide::candidate;
use crate::scenario::decide::dependents;
use crate::scenario::decide::edit;
use crate::scenario::decide::entry;
use crate::scenario::decide::fold;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::policy::Policy;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::effective::EffectiveKey;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::name::KeyName;
use schema::name::PatchId;
use schema::time::At;

/// Packages a candidate, or settles the cluster.
///
/// # Errors
/// [`Refusal::Done`] when the cluster is not waiting for an induction.
pub fn induce(
    state: &State,
    cluster: ClusterId,
    audience: &Audience,
    outcome: Result<Box<Induced>, Abstention>,
    at: At,
    policy: &Policy,
) -> Result<Vec<Event>, Refusal> {
    let gate = awaited(state, cluster, audience).ok_or(Refusal::Done)?;
    if state.frozen.is_some() {
        // It is induced anew once evolution goes on, from what is known then.
        return Ok(Vec::new());
    }
    let settle = |settlement| {
        vec![Event::Settled {
            cluster,
            audience: audience.clone(),
            settlement,
        }]
    };
    let Some(base) = state.base_in_force() else {
        return Err(Refusal::Done);
    };
    // A key that has gone comes back, unless another went on in its place.
    let again = |patch: &Patch, backtest: Option<&Box<Backtest>>| match fold::survivor(state, patch, at, policy) {
        Some(survivor) => settle(Settlement::Covered(survivor.change.key_name().clone())),
        None => match revived(state, patch, at, policy) {
            Err(until) => settle(Settlement::CoolingDown(until)),
            Ok(stage) => vec![Event::Revived {
                patch_id: patch.patch_id.clone(),
                cluster,
                gate: gate.clone(),
                stage,
                expiration: Patch::expiration_date(at, None, &policy.evolution),
                backtest: backtest.cloned(),
            }],
        },
    };
    let induced = match outcome {
        Ok(induced) => induced,
        Err(abstention) => {
            // What was served needs no new words to come back.
            return Ok(match served_before(state, cluster, audience, policy) {
                Some(patch) => again(patch, None),
                None => settle(Settlement::Abstained(abstention)),
            });
        }
    };
    if let Some(own) = edit::own(state, cluster, audience) {
        let stays = || settle(Settlement::Covered(own.change.key_name().clone()));
        return Ok(edit::remade(state, own, &induced, at, policy).unwrap_or_else(stays));
    }
    let keys = candidate::incumbents(state, audience, policy);
    let owner = candidate::owner(state, cluster, audience);
    let (found, nearest) = collided(&keys, &induced, owner.as_ref());
    let mut wanted = induced.proposal.grounds.name.wanted.clone();
    let (collision, wording) = match owner {
        // A cluster that has a key asks for no second one.
        Some(key_name) => (Some(key_name), None),
        None => match found {
            Collision::Free => (None, None),
            Collision::Covered { key_name } => (Some(key_name), None),
            Collision::Merge {
                key_name,
                semantic_description,
            } => (Some(key_name), Some(semantic_description)),
        },
    };
    let mut cooled = None;
    let change = match collision {
        None => match name_of_its_own(state, audience, &induced, &keys, at) {
            Ok((key, hold)) => {
                if hold.is_some() {
                    wanted = Some(induced.proposal.key.key_name.to_string());
                }
                cooled = hold;
                KeyChange::Add(key)
            }
            Err(until) => return Ok(settle(Settlement::CoolingDown(until))),
        },
        Some(key_name) if key_name == induced.proposal.key.key_name && finer(&keys, &induced) => {
            let taken = keys.iter().map(|key| key.definition.key_name.clone()).collect();
            match collision::sibling_name(&key_name, induced.proposal.key.key_type, &taken) {
                Some(name) => {
                    wanted = Some(key_name.to_string());
                    KeyChange::Add(KeyDefinition {
                        key_name: name,
                        ..induced.proposal.key.clone()
                    })
                }
                None => return Ok(settle(Settlement::Covered(key_name))),
            }
        }
        Some(key_name) => {
            if let Some(patch) = gone(state, audience, &key_name) {
                return Ok(again(patch, induced.backtest.as_ref()));
            }
            match candidate::refinement(&key_name, wording) {
                Some(change)
                    if !candidate::waits(state, audience, &key_name)
                        && dependents::bears(state, audience, &key_name, policy) =>
                {
                    match candidate::refused(state, audience, &key_name, at) {
                        Some(until) => return Ok(settle(Settlement::CoolingDown(until))),
                        None => change,
                    }
                }
                Some(_) | None => return Ok(settle(Settlement::Covered(key_name))),
            }
        }
    };
    if matches!(audience, Audience::Client(_)) && personal_count(state) >= policy.evolution.personal_max {
        return Ok(settle(Settlement::PersonalFull));
    }
    let mut grounds = induced.proposal.grounds.clone();
    grounds.name.wanted = wanted;
    grounds.nearest = Some(nearest);
    let number = u64::try_from(state.patches.len()).unwrap_or(u64::MAX).saturating_add(1);
    let scenario = base.template.scenario_key();
    let (sensitive, mut holds) = candidate::held(base, &keys, &change, &induced.proposal);
    holds.extend(cooled);
    let waits = policy.evolution.autonomy.waits(sensitive.is_some(), &holds);
    let (stage, reason) = entry::first_stage(state, audience, waits, at, policy);
    let patch = Patch {
        patch_id: PatchId::numbered(&scenario, number),
        parent_schema_id: base.template.schema_id.clone(),
        timestamp: at,
        expiration: Patch::expiration_date(at, None, &policy.evolution),
        revision: 0,
        audience: audience.clone(),
        change,
        history: vec![StageChange {
            at,
            to: stage.name().to_owned(),
            reason,
            by: None,
            reading: None,
            hand: None,
            because: None,
            scope: None,
        }],
        edits: Vec::new(),
        stage,
        times: 0,
        cool_until: None,
        cluster,
        members: state.pool.members(cluster),
        coverage_ppm: entry::coverage_ppm(state, cluster, at, policy),
        heat_curve: vec![(at.day(), gate.heat_micro)],
        credited: 0,
        gate,
        examples: induced.proposal.examples.clone(),
        surfaces: induced.proposal.surfaces.clone(),
        sensitive,
        holds,
        grounds: Some(Box::new(grounds)),
        backtest: induced.backtest.clone(),
        read: induced.proposal.read.clone(),
        stood_still_ms: 0,
    };
    Ok(vec![Event::Proposed { patch: Box::new(patch) }])
}

/// The comparison with the keys that exist; with a key of its own cluster none is made.
fn collided(keys: &[EffectiveKey], induced: &Induced, owner: Option<&KeyName>) -> (Collision, Nearest) {
    match owner {
        Some(owner) => {
            let nearest = Nearest {
                rule: NearRule::SameCluster,
                key_name: Some(owner.clone()),
                ..Nearest::default()
            };
            (Collision::Free, nearest)
        }
        None => collision::of(&induced.proposal, keys),
    }
}

/// The candidate's key, under another name while its own belongs to a key that a person rejected as wrong: then a person
/// looks at that name.
///
/// # Errors
/// Until when that name cools down, where there is no other.
fn name_of_its_own(
    state: &State,
    audience: &Audience,
    induced: &Induced,
    keys: &[EffectiveKey],
    at: At,
) -> Result<(KeyDefinition, Option<Hold>), At> {
    let key = &induced.proposal.key;
    let wrong = state.patches.iter().filter(|patch| {
        patch.is_wrong_key() && &patch.audience == audience && *patch.change.key_name() == key.key_name
    });
    let Some(until) = wrong
        .filter(|patch| patch.cooling(at))
        .filter_map(|patch| patch.cool_until)
        .max()
    else {
        return Ok((key.clone(), None));
    };
    let mut taken: BTreeSet<KeyName> = keys.iter().map(|key| key.definition.key_name.clone()).collect();
    taken.insert(key.key_name.clone());
    let key_name = collision::sibling_name(&key.key_name, key.key_type, &taken).ok_or(until)?;
    let renamed = KeyDefinition {
        key_name,
        ..key.clone()
    };
    Ok((
        renamed,
        Some(Hold::Name).filter(|hold| !induced.proposal.holds.contains(hold)),
    ))
}

/// Whether the candidate is finer than the boolean key whose name it would take (Z-071, Z-072).
fn finer(keys: &[EffectiveKey], induced: &Induced) -> bool {
    let candidate = &induced.proposal.key;
    keys.iter().any(|key| {
        key.definition.key_name == candidate.key_name
            && key.definition.key_type == KeyType::Boolean
            && candidate.key_type != KeyType::Boolean
    })
}

fn awaited(state: &State, cluster: ClusterId, audience: &Audience) -> Option<GateReading> {
    state
        .claims
        .get(&cluster)?
        .iter()
        .find_map(|(other, claim)| match claim {
            Claim::Inducing { since: _, gate } if other == audience => Some(gate.clone()),
            Claim::Inducing { .. } | Claim::Patched(_) | Claim::Settled { .. } => None,
        })
}

/// The patch that once added this key for this audience and has gone.
fn gone<'a>(state: &'a State, audience: &Audience, key_name: &KeyName) -> Option<&'a Patch> {
    state.patches.iter().rev().find(|patch| {
        &patch.audience == audience
            && matches!(&patch.change, KeyChange::Add(key) if &key.key_name == key_name)
            && patch.stage.has_ended()
            && !patch.is_wrong_key()
    })
}

/// The key that a cluster had on trial for this audience and that has gone, where nobody says since that the cluster is another and no
/// other key has its name.
fn served_before<'a>(state: &'a State, cluster: ClusterId, audience: &Audience, policy: &Policy) -> Option<&'a Patch> {
    let was_on_trial = |patch: &Patch| patch.history.iter().any(|change| change.to == "experimental");
    state.patches.iter().rev().find(|patch| {
        patch.cluster == cluster
            && &patch.audience == audience
            && matches!(patch.change, KeyChange::Add(_))
            && patch.stage.has_ended()
            && was_on_trial(patch)
            && !patch.is_wrong_key()
            && !edit::is_read_otherwise(state, patch)
            && !edit::is_taken(state, patch, patch.change.key_name(), policy)
    })
}

/// The stage in which a patch comes back.
///
/// # Errors
/// Until when it waits: its cool-down is to be over, its stages to have been calm for long enough, and its time of grace to
/// have passed where it could not go on at once.
fn revived(state: &State, patch: &Patch, at: At, policy: &Policy) -> Result<Stage, At> {
    if let Some(until) = patch.cool_until.filter(|_| patch.cooling(at)) {
        return Err(until);
    }
    if let Some(until) = stage_dwell::free_from(patch, &policy.evolution).filter(|until| at < *until) {
        return Err(until);
    }
    let waits = policy.evolution.autonomy.waits(patch.sensitive.is_some(), &patch.holds);
    let (mut stage, _) = entry::first_stage(state, &patch.audience, waits, at, policy);
    if let Stage::Experimental(trial) = &mut stage {
        *trial = entry::trial_again(patch, at, policy);
    }
    // A key that clients may still use is not taken from them so that it can wait (Z-147, Z-151).
    let leaving = patch
        .stage
        .standing()
        .and(patch.stage.due())
        .filter(|until| at < *until);
    match leaving.filter(|_| stage.standing().is_none()) {
        Some(until) => Err(until),
        None => Ok(stage),
    }
}

/// Personal keys that are in force or on their way.
fn personal_count(state: &State) -> usize {
    state
        .patches
        .iter()
        .filter(|patch| matches!(patch.audience, Audience::Client(_)))
        .filter(|patch| match &patch.stage {
            Stage::Queued { .. }
            | Stage::AwaitingApproval { .. }
            | Stage::Experimental(_)
            | Stage::Stable { .. }
            | Stage::Deprecated { .. }
            | Stage::Withdrawn { .. } => true,
            Stage::Expired { .. } | Stage::Lapsed { .. } | Stage::Rejected { .. } => false,
        })
        .count()
}

#[cfg(test)]
mod tests;

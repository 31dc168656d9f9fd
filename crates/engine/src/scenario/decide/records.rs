//! What comes back from the world of what clients said: fragments get their fate and judged values their place in the ledger,
//! once; receipts once for each client and patch, the denominator of adoption (Z-139); another model's vectors (Z-103); and a
//! reader's answer, by which the pool is put together.
//!
//! A model's late judgement takes the place of the one that it was asked to replace: no value is counted twice. Of people the
//! first verdict stands; it takes the place of what the ledger counted of the value, where the ledger still holds that, and where
//! the person cannot tell, the judge's word stays. What a person says of the judge is counted in any case (Z-136, Z-137).

use std::collections::BTreeSet;

use crate::evolution::audit;
use crate::evolution::patch::Patch;
use crate::evolution::review::Review;
use crate::evolution::review::answer;
use crate::evolution::review::answer::Answer;
use crate::evolution::review::answer::Owner;
use crate::pool::assignment::Arriving;
use crate::pool::assignment::Assignment;
use crate::pool::assignment::Embedded;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::reembed::Anew;
use crate::scenario::command::Digested;
use crate::scenario::command::Digestion;
use crate::scenario::command::Opinion;
use crate::scenario::command::Refusal;
use crate::scenario::decide::keys;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Audited;
use crate::scenario::event::Drawn;
use crate::scenario::event::Event;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::event::Via;
use crate::scenario::layer;
use crate::scenario::state::State;
use crate::scenario::submission::Pending;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::time::At;

/// Places the fragments as of the moment of their submission. Submissions that are not pending any more are left out.
///
/// # Errors
/// [`Refusal::Done`] when none is pending; [`Refusal::OtherModel`] for vectors of another model (Z-103).
pub fn digest(now: Situation<'_>, model: &str, digestions: Vec<Digestion>) -> Result<Vec<Event>, Refusal> {
    let (pool, policy) = (&now.state.pool, &now.policy.pool);
    let mut arriving = Vec::new();
    let mut sorted = Vec::new();
    for Digestion {
        of,
        fragments,
        judgements,
    } in digestions
    {
        let Some(pending) = now.state.pending.get(&of) else {
            continue;
        };
        let (known, embedded) = sort(of, fragments);
        if !embedded.is_empty() && !pool.model.is_empty() && pool.model != model {
            let (held, came) = (pool.model.clone(), model.to_owned());
            return Err(Refusal::OtherModel { held, came });
        }
        arriving.push(Arriving {
            fragments: embedded,
            client: pending.client.clone(),
            at: pending.at,
            requested: pending.requested,
        });
        sorted.push((of, pending, known, judgements));
    }
    if sorted.is_empty() {
        return Err(Refusal::Done);
    }
    let placed = pool.assign(&arriving, policy);
    let digested = sorted
        .into_iter()
        .zip(placed)
        .map(|((of, pending, known, judgements), placed)| {
            let heats = heats(now, &placed, policy.raise(pending.requested));
            let drawn = draw(now, of, pending, &judgements);
            Event::Digested {
                of,
                model: model.to_owned(),
                placements: [known, placed].concat(),
                judgements,
                heats,
                drawn,
            }
        });
    Ok(digested.collect())
}

/// Fragments whose fate is known already, and those that are to be placed.
fn sort(of: u64, fragments: Vec<Digested>) -> (Vec<Assignment>, Vec<(FragmentId, Embedded)>) {
    let (mut known, mut embedded) = (Vec::new(), Vec::new());
    for (ordinal, digested) in (0..).zip(fragments) {
        let fragment = FragmentId {
            submission: of,
            ordinal,
        };
        match digested {
            Digested::NoDemand(reason) => known.push(Assignment::Dropped { fragment, reason }),
            Digested::Covered(key) => known.push(Assignment::Covered { fragment, key }),
            Digested::Embedded(found) => embedded.push((fragment, *found)),
            Digested::Failed => known.push(Assignment::Failed { fragment }),
        }
    }
    (known, embedded)
}

/// Heat of the joined clusters that patches came of, for their curves.
fn heats(now: Situation<'_>, placed: &[Assignment], raise: i64) -> Vec<(ClusterId, i64)> {
    let watched: BTreeSet<ClusterId> = now.state.patches.iter().map(|patch| patch.cluster).collect();
    let joined = |placement: &Assignment| match placement {
        Assignment::Joined { cluster, .. } => watched.contains(cluster).then_some(*cluster),
        Assignment::Dropped { .. } | Assignment::Covered { .. } | Assignment::Failed { .. } => None,
    };
    let joined: BTreeSet<ClusterId> = placed.iter().filter_map(joined).collect();
    let heat = |cluster| {
        let heat = now.state.pool.heat_micro(cluster, now.state.at, &now.policy.pool);
        (cluster, heat.saturating_add(raise))
    };
    joined.into_iter().map(heat).collect()
}

/// Of the values that a submission gave to patch keys, those that a person is to look at; `None` where none is.
fn draw(now: Situation<'_>, of: u64, pending: &Pending, judgements: &[Judgement]) -> Option<Drawn> {
    let (share, kept) = (now.evolution().audit_share, now.evolution().audits_max);
    if share <= 0.0 || kept == 0 {
        return None;
    }
    let right_type = pending.observed.iter().filter(|observed| observed.type_ok);
    let seen: BTreeSet<&PatchId> = right_type.map(|observed| &observed.patch_id).collect();
    let is_drawn = |patch: &&Patch| {
        let judged = judgements.iter().find(|judgement| judgement.patch_id == patch.patch_id);
        // Whether a longer list brought a value that nothing judged cannot be told here; its key's audits hold that one.
        let longer = matches!(&patch.change, KeyChange::Refine { values, .. } if !values.is_empty());
        (judged.is_some() || !longer) && audit::drawn(of, patch, judged.map(|judgement| judgement.basis), share)
    };
    let patches = seen.into_iter().filter_map(|patch_id| now.state.patch(patch_id));
    let patches: Vec<PatchId> = patches.filter(is_drawn).map(|patch| patch.patch_id.clone()).collect();
    (!patches.is_empty()).then_some(Drawn { patches, kept })
}

/// Records what a model said of a value.
///
/// # Errors
/// [`Refusal::UnknownPatch`]; [`Refusal::Done`] when the ledger began anew since, the day is forgotten, or what it is to
/// replace is not counted, or a person looked at the value.
pub fn judge(state: &State, judged: Judged) -> Result<Vec<Event>, Refusal> {
    let patch = &judged.judgement.patch_id;
    if state.patch(patch).is_none() {
        return Err(Refusal::UnknownPatch(patch.clone()));
    }
    let replaces = judged
        .instead
        .is_none_or(|(aligned, basis)| state.ledger.holds(patch, judged.said_at, aligned, basis));
    // A person's word is not replaced by a model's.
    let audited = state.audits.answered(judged.of, patch).is_some();
    if !saw(state, patch, judged.said_at) || !replaces || audited || state.is_unread(judged.of, judged.source.as_ref())
    {
        return Err(Refusal::Done);
    }
    Ok(vec![Event::Judged(judged)])
}

/// Records what a person says.
///
/// # Errors
/// [`Refusal::Audited`] when a person said it before; [`Refusal::UnknownAudit`] when the value does not wait.
pub fn audit(state: &State, opinion: Opinion) -> Result<Vec<Event>, Refusal> {
    let Opinion {
        of,
        patch_id,
        verdict,
        by,
        because,
    } = opinion;
    if let Some(answered) = state.audits.answered(of, &patch_id) {
        let (by, at) = (answered.by.clone(), answered.at);
        return Err(Refusal::Audited { by, at });
    }
    let waiting = state.audits.waiting(of, &patch_id).ok_or(Refusal::UnknownAudit)?;
    let (said_at, judged) = (waiting.said_at, waiting.judged);
    let replaces = match judged {
        Some((aligned, basis)) => state.ledger.holds(&patch_id, said_at, aligned, basis),
        None => saw(state, &patch_id, said_at),
    };
    Ok(vec![Event::Audited(Audited {
        of,
        patch_id,
        said_at,
        judged,
        verdict,
        by,
        because,
        counted: replaces && verdict.aligned().is_some(),
    })])
}

/// Whether the ledger of a patch, as it is open now, holds the day of a submission.
fn saw(state: &State, patch_id: &PatchId, said_at: At) -> bool {
    let ledger = state.ledger.keys.get(patch_id);
    ledger.is_some_and(|ledger| ledger.since <= said_at && ledger.days.contains_key(&said_at.day()))
}

/// Records what is new to the client of a base and of what is laid over it, or of the one in force; nothing when nothing is.
pub fn receive(now: Situation<'_>, client: ClientId, schema_id: Option<&SchemaId>, via: Via) -> Vec<Event> {
    let state = now.state;
    let base = schema_id.map_or_else(|| state.base_in_force(), |schema_id| state.bases.get(schema_id));
    let Some(base) = base else {
        return Vec::new();
    };
    let to = now.policy.cohorts.addressee(Some(&client));
    let is_fresh = |patch: &&Patch| {
        let ledger = state.ledger.keys.get(&patch.patch_id);
        ledger.is_none_or(|key| !key.is_known_to(&client))
    };
    let fresh = layer::laid(state, &base.template, to).filter(is_fresh);
    let patches: Vec<PatchId> = fresh.map(|patch| patch.patch_id.clone()).collect();
    let revision = layer::revision(state, base, to);
    let known = state.acquaintances.get(&client).map_or(0, |known| known.revision);
    // Of the first schema, while nothing is laid over it, there is but one template to know.
    let is_later = state.bases.len() > 1
        && state
            .base_in_force()
            .is_some_and(|in_force| std::ptr::eq(in_force, base));
    let is_behind = revision > known && (is_later || !state.patches.is_empty());
    if patches.is_empty() && !is_behind {
        return Vec::new();
    }
    vec![Event::Received {
        client,
        revision,
        patches,
        via,
    }]
}

/// Records micro-clusters that a model has embedded anew. An empty step is recorded where nothing waits any more, so that
/// the pool becomes that model's.
///
/// # Errors
/// [`Refusal::Done`] where the pool holds vectors of this model, or all of these were embedded anew before.
pub fn reembed(state: &State, model: String, mut micros: Vec<Anew>) -> Result<Vec<Event>, Refusal> {
    if state.pool.speaks(&model) {
        return Err(Refusal::Done);
    }
    let waiting: Vec<_> = state.pool.waiting(&model).map(|micro| micro.id).collect();
    micros.retain(|anew| waiting.binary_search(&anew.micro).is_ok());
    if micros.is_empty() && !waiting.is_empty() {
        return Err(Refusal::Done);
    }
    Ok(vec![Event::Reembedded { model, micros }])
}

/// What an answer makes of the pool. What waits or is tried there is made anew in the reader's words, by an induction.
pub fn review(state: &State, answer: Answer, by: String, digest: Option<String>, tokens: Option<u64>) -> Vec<Event> {
    let owner = |key: &KeyName| {
        if keys::in_base(state, key) {
            return Some(Owner::Base);
        }
        let serves =
            |patch: &&Patch| patch.adds_in_life() && patch.change.key_name() == key && patch.stage.standing().is_some();
        let patch = state.patches.iter().find(serves)?;
        Some(Owner::Learned(patch.cluster))
    };
    let unread = answer.is_by_hand();
    let (regrouping, refused) = answer::applied(&state.pool, answer, &by, &owner);
    let (earlier, regrouping) = regrouping.split();
    let reviewed = Event::Reviewed(Review {
        by,
        digest,
        tokens,
        regrouping,
        refused,
        unread,
    });
    earlier.into_iter().map(Event::Regrouped).chain([reviewed]).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod reader_tests;

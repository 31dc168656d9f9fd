//! What is said of a value after its submission was digested: by a model, or by a person for whom it was drawn (Z-136, Z-137).
//!
//! A model's judgement takes the place of the one that it was asked to replace: no value is counted twice. Of people the first
//! verdict stands; it takes the place of what the ledger counted of the value, where the ledger still holds that, and where the
//! person cannot tell, the judge's word stays. What a person says of the judge is counted in any case.

use crate::evolution::audit;
use crate::scenario::command::Opinion;
use crate::scenario::command::Refusal;
use crate::scenario::event::Audited;
use crate::scenario::event::Drawn;
use crate::scenario::event::Event;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::policy::Policy;
use crate::scenario::state::Pending;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::time::At;
use std::collections::BTreeSet;

/// Records it.
///
/// # Errors
/// [`Refusal::UnknownPatch`]; [`Refusal::Done`] when the ledger began anew since, the day is forgotten, or what it is to
/// replace is not counted, or a person looked at the value.
pub fn judge(state: &State, judged: Judged) -> Result<Vec<Event>, Refusal> {
    let patch = &judged.judgement.patch_id;
    if state.patch(patch).is_none() {
        return Err(Refusal::UnknownPatch(patch.clone()));
    }
    let ledger = state.ledger.keys.get(patch);
    let counted =
        ledger.is_some_and(|ledger| ledger.since <= judged.said_at && ledger.days.contains_key(&judged.said_at.day()));
    let replaces = judged
        .instead
        .is_none_or(|(aligned, basis)| state.ledger.holds(patch, judged.said_at, aligned, basis));
    // A person's word is not replaced by a model's.
    let audited = state.audits.answered(judged.of, patch).is_some();
    if !counted || !replaces || audited || state.pending.contains_key(&judged.of) {
        return Err(Refusal::Done);
    }
    Ok(vec![Event::Judged(judged)])
}

/// Of the values that a submission gave to patch keys, those that are drawn; `None` where none is.
pub fn draw(state: &State, of: u64, pending: &Pending, judgements: &[Judgement], policy: &Policy) -> Option<Drawn> {
    let (share, kept) = (policy.evolution.audit_share, policy.evolution.audits_max);
    if share <= 0.0 || kept == 0 {
        return None;
    }
    let right_type = pending.observed.iter().filter(|observed| observed.type_ok);
    let seen: BTreeSet<&PatchId> = right_type.map(|observed| &observed.patch_id).collect();
    let patches: Vec<PatchId> = seen
        .into_iter()
        .filter_map(|patch_id| state.patch(patch_id))
        .filter(|patch| {
            let judged = judgements.iter().find(|judgement| judgement.patch_id == patch.patch_id);
            // Whether a longer list brought a value that nothing judged cannot be told here; its key's audits hold that one.
            let longer = matches!(&patch.change, KeyChange::Refine { values, .. } if !values.is_empty());
            (judged.is_some() || !longer) && audit::drawn(of, patch, judged.map(|judgement| judgement.basis), share)
        })
        .map(|patch| patch.patch_id.clone())
        .collect();
    (!patches.is_empty()).then_some(Drawn { patches, kept })
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
        return Err(Refusal::Audited {
            by: answered.by.clone(),
            at: answered.at,
        });
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

#[cfg(test)]
mod tests;

//! A judgement that a model made of one value after its submission was digested (Z-136, Z-137).
//!
//! It is counted beside those of the rules, and takes the place of the one that it was asked to replace: no value is
//! counted twice.

use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::event::Judged;
use crate::scenario::state::State;

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

#[cfg(test)]
mod tests;

//! What a person's hand means beyond a change of stage: a key gets another definition, a cluster is read anew.

use crate::evolution::patch::Edited;
use crate::evolution::patch::Remade;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::evolve::claim;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::name::PatchId;
use schema::time::At;

/// Gives a patch the definition of an [`Event::Edited`], and keeps what it was; what is on trial is measured from then on.
pub fn edit(state: &mut State, seq: u64, at: At, event: &Event) {
    let Event::Edited {
        patch_id,
        change,
        surfaces,
        by,
        because,
        backtest,
        remade,
    } = event
    else {
        return;
    };
    let Some(patch) = state.patches.iter_mut().find(|patch| &patch.patch_id == patch_id) else {
        return;
    };
    patch.edits.push(Edited {
        seq,
        at,
        was: std::mem::replace(&mut patch.change, change.clone()),
        by: by.clone(),
        because: because.clone(),
    });
    patch.surfaces.clone_from(surfaces);
    patch.backtest.clone_from(backtest);
    patch.revision = seq;
    let mut is_measured_on = false;
    if let Some(remade) = remade {
        let Remade {
            members,
            examples,
            sensitive,
            holds,
            grounds,
            read,
            is_used,
        } = &**remade;
        is_measured_on = *is_used;
        patch.members = *members;
        patch.examples.clone_from(examples);
        patch.sensitive.clone_from(sensitive);
        patch.holds.clone_from(holds);
        patch.grounds = Some(grounds.clone());
        patch.read.clone_from(read);
    }
    let (cluster, audience) = (patch.cluster, patch.audience.clone());
    if patch.stage.standing().is_some() && !is_measured_on {
        state.ledger.open(patch_id, at);
    }
    claim(state, cluster, &audience, Claim::Patched(patch_id.clone()));
}

/// Lets the cluster of a key that a person found wrong be read anew.
pub fn free(state: &mut State, patch_id: &PatchId, at: At) {
    let Some(patch) = state.patch(patch_id) else { return };
    let (cluster, audience) = (patch.cluster, patch.audience.clone());
    let settled = Claim::Settled {
        at,
        members: state.pool.members(cluster),
        settlement: Settlement::Refused(patch.change.key_name().clone()),
    };
    if matches!(state.claim(cluster, &audience), Some(Claim::Patched(id)) if id == patch_id) {
        claim(state, cluster, &audience, settled);
    }
}

//! What becomes of patches, and of the clusters that they came of.

use crate::evolution::operator_action::Scope;
use crate::evolution::patch::Edited;
use crate::evolution::patch::Patch;
use crate::evolution::patch::Remade;
use crate::evolution::patch::StageChange;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::name::PatchId;
use schema::time::At;

/// Puts a patch into place; its first stage is in it.
pub fn proposed(state: &mut State, patch: &Patch) {
    let patch = Patch {
        revision: state.seq,
        ..patch.clone()
    };
    let claim = Claim::Patched(patch.patch_id.clone());
    state.set_claim(patch.cluster, &patch.audience, claim);
    if patch.stage.standing().is_some() {
        state.ledger.open(&patch.patch_id, state.at);
    }
    state.standings.note(&patch);
    state.patches.push(patch);
}

/// Brings back a patch that had gone, by an [`Event::Revived`].
pub fn revived(state: &mut State, event: &Event) {
    let Event::Revived {
        patch_id,
        cluster,
        gate,
        stage,
        expiration,
        backtest,
    } = event
    else {
        return;
    };
    let (seq, at) = (state.seq, state.at);
    let Some(place) = state.place(patch_id) else { return };
    let patch = &mut state.patches[place];
    patch.cluster = *cluster;
    patch.gate = gate.clone();
    patch.expiration = *expiration;
    patch.cool_until = None;
    if backtest.is_some() {
        patch.backtest.clone_from(backtest);
    }
    restage(patch, seq, StageChange::by_rule(at, stage, Reason::Revived), stage);
    state.standings.note(patch);
    let audience = patch.audience.clone();
    if stage.standing().is_some() {
        state.ledger.open(patch_id, at);
    }
    state.set_claim(*cluster, &audience, Claim::Patched(patch_id.clone()));
}

/// Gives a patch the definition of an [`Event::Edited`], and keeps what it was; what is on trial is measured from then on.
pub fn edited(state: &mut State, event: &Event) {
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
    let (seq, at) = (state.seq, state.at);
    let Some(patch) = state.patch_mut(patch_id) else { return };
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
    state.set_claim(cluster, &audience, Claim::Patched(patch_id.clone()));
}

/// Changes or prolongs a stage, by an [`Event::Staged`].
pub fn staged(state: &mut State, event: &Event) {
    let Event::Staged {
        patch_id,
        stage,
        reason,
        by,
        reading,
        cool_until,
        hand,
        because,
        scope,
        expiration,
    } = event
    else {
        return;
    };
    let (seq, at) = (state.seq, state.at);
    let Some(place) = state.place(patch_id) else { return };
    let patch = &mut state.patches[place];
    let was_on_trial = matches!(patch.stage, Stage::Experimental(_));
    if let Some(until) = cool_until {
        patch.cool_until = Some(*until);
        patch.times += 1;
    }
    let change = StageChange {
        by: by.clone(),
        reading: reading.clone(),
        hand: *hand,
        because: because.clone(),
        scope: *scope,
        ..StageChange::by_rule(at, stage, reason.clone())
    };
    restage(patch, seq, change, stage);
    state.standings.note(patch);
    patch.expiration = expiration.unwrap_or(patch.expiration);
    if let Stage::Experimental(trial) = stage {
        // A patch that waited gets its date moved on beginning (Z-128).
        patch.expiration = patch.expiration.max(trial.until);
        if !was_on_trial {
            state.ledger.open(patch_id, at);
        }
    }
    if *scope == Some(Scope::Key) {
        free(state, patch_id, at);
    }
}

fn restage(patch: &mut Patch, seq: u64, change: StageChange, stage: &Stage) {
    if patch.stage.standing() != stage.standing() {
        patch.revision = seq;
    }
    patch.stage = stage.clone();
    patch.history.push(change);
}

/// Lets the cluster of a key that a person found wrong be read anew.
fn free(state: &mut State, patch_id: &PatchId, at: At) {
    let Some(patch) = state.patch(patch_id) else { return };
    let (cluster, audience) = (patch.cluster, patch.audience.clone());
    let settled = Claim::Settled {
        at,
        members: state.pool.members(cluster),
        settlement: Settlement::Refused(patch.change.key_name().clone()),
    };
    if matches!(state.claim(cluster, &audience), Some(Claim::Patched(id)) if id == patch_id) {
        state.set_claim(cluster, &audience, settled);
    }
}

/// A cluster came to nothing; where it was read again for a key in life, that key stays what it came to.
pub fn settled(state: &mut State, cluster: ClusterId, audience: &Audience, settlement: &Settlement) {
    let again = match settlement {
        Settlement::Abstained(_) | Settlement::Covered(_) | Settlement::PersonalFull => {
            again_for_its_key(state, cluster, audience)
        }
        // It is tried again when that is over, however few ask for it until then.
        Settlement::CoolingDown(_) | Settlement::Refused(_) => None,
    };
    let claim = again.map_or_else(
        || Claim::Settled {
            at: state.at,
            members: state.pool.members(cluster),
            settlement: settlement.clone(),
        },
        Claim::Patched,
    );
    state.set_claim(cluster, audience, claim);
}

/// The first key in life that came of a cluster. Where several have it, all of them were read again with it.
fn again_for_its_key(state: &mut State, cluster: ClusterId, audience: &Audience) -> Option<PatchId> {
    let members = state.pool.members(cluster);
    let wish = state.wish(cluster).cloned().map(Box::new);
    let own = |patch: &&mut Patch| patch.cluster == cluster && &patch.audience == audience && patch.adds_in_life();
    let mut first = None;
    for patch in state.patches.iter_mut().filter(own) {
        patch.members = members;
        // What a reader says of it was tried.
        patch.read = wish.clone().or(patch.read.take());
        first.get_or_insert(patch.patch_id.clone());
    }
    first
}

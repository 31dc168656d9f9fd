//! Operator actions: approve, reject, promote, demote, deprecate, withdraw, restore (Z-127, Z-165). A key may be approved
//! otherwise than it was proposed, under a name that is free (Z-113).

use crate::evolution::edit;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::scenario::command::Refusal;
use crate::scenario::decide::dependents;
use crate::scenario::decide::keys;
use crate::scenario::decide::situation::Situation;
use crate::scenario::decide::stages;
use crate::scenario::event::Event;
use schema::effective::KeyChange;
use schema::name::PatchId;

/// Does what the operator wants where the stage allows it.
///
/// # Errors
/// [`Refusal::UnknownPatch`], [`Refusal::PatchMoved`], [`Refusal::StageForbids`], [`Refusal::KeyInBase`], [`Refusal::KeyGone`],
/// [`Refusal::GuardFull`], and of an edit as [`edited`].
pub fn operate(now: Situation<'_>, patch_id: &PatchId, order: &OperatorRequest) -> Result<Vec<Event>, Refusal> {
    let patch = now
        .state
        .patch(patch_id)
        .ok_or_else(|| Refusal::UnknownPatch(patch_id.clone()))?;
    let revision = patch.revision;
    if order.seen.as_ref().is_some_and(|seen| !seen.contains(&revision)) {
        return Err(Refusal::PatchMoved { revision });
    }
    let forbidden = |to| {
        let from = patch.stage.name();
        Err(Refusal::StageForbids { from, to })
    };
    if order.hand == OperatorAction::Approve && !matches!(patch.stage, Stage::AwaitingApproval { .. }) {
        return forbidden("approved");
    }
    let change = edited(now, patch, order)?;
    if order.hand != OperatorAction::Reject {
        not_in_base(now, &change)?;
    }
    let has_room = now.has_room(&now.occupancy(), &patch.audience);
    let since = now.at;
    let stage = match (order.hand, &patch.stage) {
        (OperatorAction::Approve, _) if has_room => Stage::Experimental(now.trial()),
        (OperatorAction::Approve, _) => Stage::Queued { since },
        (OperatorAction::Reject, _) if keys::waits(patch) => Stage::Rejected { since },
        (OperatorAction::Promote, Stage::Experimental(_)) => now.stable(),
        (OperatorAction::Demote, _) => return dependents::demote(now, patch, order),
        // A person's deprecation neither waits nor is put off: its grace is a whole one from now on (Z-148).
        (OperatorAction::Deprecate, Stage::Experimental(_) | Stage::Stable { .. }) => Stage::Deprecated {
            since,
            until: since.plus_s(now.evolution().grace_s),
        },
        (OperatorAction::Withdraw, Stage::Experimental(_) | Stage::Stable { .. } | Stage::Deprecated { .. }) => {
            let until = since.plus_s(now.evolution().withdrawn_s);
            Stage::Withdrawn { since, until }
        }
        (OperatorAction::Restore, stage) if stage.has_ended() => restored(now, patch, has_room)?,
        (OperatorAction::Reject, _) => return forbidden("rejected"),
        (OperatorAction::Promote, _) => return forbidden("promoted"),
        (OperatorAction::Deprecate, _) => return forbidden("deprecated"),
        (OperatorAction::Withdraw, _) => return forbidden("withdrawn"),
        (OperatorAction::Restore, _) => return forbidden("restored"),
    };
    let back = match order.hand {
        OperatorAction::Restore => dependents::back_with(now, patch, &stage, order),
        _ => Vec::new(),
    };
    // What is withdrawn while it cools down goes on doing so.
    let cools = !(order.hand == OperatorAction::Withdraw && patch.cooling(now.at));
    let cool_until = patch.cool_down(&stage, &Reason::Operator, now.at, now.evolution());
    let staged = stages::ordered(now, patch, stage, order).cooling(cool_until.filter(|_| cools));
    let mut events = record(now, patch, change, order);
    events.push(staged);
    events.extend(back);
    Ok(events)
}

/// The stage to which a person brings a patch back: a promotion stands again, and everything else as it was.
fn restored(now: Situation<'_>, patch: &Patch, has_room: bool) -> Result<Stage, Refusal> {
    let stage = match stages::was_stable(patch) {
        true => now.stable(),
        false => stages::as_it_was(now, patch),
    };
    let name = patch.change.key_name();
    match &patch.change {
        _ if matches!(stage, Stage::Experimental(_)) && !has_room => Err(Refusal::GuardFull),
        KeyChange::Add(_) if keys::is_taken(now, patch, name) => Err(Refusal::NameTaken(name.clone())),
        KeyChange::Refine { .. } if !keys::bears(now, &patch.audience, name) => Err(Refusal::KeyGone(name.clone())),
        KeyChange::Add(_) | KeyChange::Refine { .. } => Ok(stage),
    }
}

/// A key that the base in force has itself is not a patch's to change: its own definition speaks, and the change is passed over.
fn not_in_base(now: Situation<'_>, change: &KeyChange) -> Result<(), Refusal> {
    let base = now.state.base_in_force().map(|base| &base.template);
    match (base, change) {
        (Some(base), KeyChange::Add(key)) if base.key(&key.key_name).is_some() => Err(Refusal::KeyInBase {
            key: key.key_name.clone(),
            schema_id: base.schema_id.clone(),
        }),
        _ => Ok(()),
    }
}

/// What a patch becomes by an order; as it is where that edits nothing.
///
/// # Errors
/// [`Refusal::Unfit`], [`Refusal::NameTaken`].
pub fn edited(now: Situation<'_>, patch: &Patch, order: &OperatorRequest) -> Result<KeyChange, Refusal> {
    let Some(edit) = order.edit.as_ref().filter(|_| order.hand == OperatorAction::Approve) else {
        return Ok(patch.change.clone());
    };
    let change = edit.apply(&patch.change).map_err(Refusal::Unfit)?;
    let name = change.key_name();
    if name != patch.change.key_name() && keys::is_taken(now, patch, name) {
        return Err(Refusal::NameTaken(name.clone()));
    }
    Ok(change)
}

/// The edit on record, with the end of what refined the key by the name that it gives up.
fn record(now: Situation<'_>, patch: &Patch, change: KeyChange, order: &OperatorRequest) -> Vec<Event> {
    if change == patch.change {
        return Vec::new();
    }
    let left = match change.key_name() == patch.change.key_name() {
        true => Vec::new(),
        false => dependents::left_behind(now, patch),
    };
    let edited = Event::Edited {
        patch_id: patch.patch_id.clone(),
        surfaces: edit::surfaces(&patch.change, &change, &patch.surfaces),
        change,
        by: Some(order.by.clone()),
        because: order.because.clone(),
        backtest: order.edit.as_ref().and_then(|edit| edit.backtest.clone()),
        remade: None,
    };
    std::iter::once(edited).chain(left).collect()
}

#[cfg(test)]
mod tests;

//! What operators do with a patch; with approving a key as edited, or trying what would come of it, goes what a publisher would be
//! told of it, and how it would have fared.
//!
//! Decides nothing: the edit is read and judged in the domain. A dry run writes nothing.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::api::evolution::Approved;
use crate::api::evolution::EditTried;
use crate::api::evolution::Fits;
use crate::api::evolution::Misfitting;
use crate::app::application::App;
use crate::app::background;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::effects;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::publishing;
use crate::app::reason;
use crate::app::registry::ScenarioRegistry;
use engine::evolution::backtest;
use engine::evolution::backtest::Backtest;
use engine::evolution::edit::Edit;
use engine::evolution::edit::within_edit;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::operator_action::OperatorRequest;
use engine::evolution::operator_action::Scope;
use engine::evolution::patch::Patch;
use engine::scenario::command::Command;
use engine::scenario::decide::operate;
use engine::scenario::decide::situation::Situation;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::rehearsal;
use engine::scenario::state::State;
use schema::advice::Finding;
use schema::key::KeyDefinition;
use schema::lint;
use schema::name::PatchId;

/// What a person wants with a patch, as they said it.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub hand: OperatorAction,
    pub reason: Option<String>,
    /// What is approved instead of what was proposed.
    pub edit: Option<Value>,
    /// What a rejection is about.
    pub scope: Scope,
    /// Revisions that the person had before them, where they said so.
    pub seen: Option<Vec<u64>>,
    /// Whether only to say what would come of it.
    pub dry_run: bool,
}

impl App {
    /// Does what a person wants with a patch: the patch as it stands afterwards, or what an edit came to.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::UnknownPatch`], [`ServiceError::PatchMoved`], [`ServiceError::StageForbids`], [`ServiceError::UnfitKey`],
    /// [`ServiceError::NameTaken`], [`ServiceError::BadRequest`] for a reason that is too long or an edit of another form,
    /// [`ServiceError::ReadOnly`], or a fault.
    pub async fn operate(&self, caller: &Caller, patch_id: &str, wanted: Wanted) -> Result<Approved, ServiceError> {
        caller.require(Permission::Operate)?;
        let registry = self.registry();
        let (handle, patch_id) = self.by_patch(patch_id)?;
        let handle = &handle;
        let mut order = OperatorRequest::of(wanted.hand, caller.by(), reason::because(wanted.reason.as_deref())?);
        order.scope = wanted.scope;
        order.seen = wanted.seen;
        if wanted.edit.is_some() || wanted.dry_run {
            let tried = approve(registry, handle, patch_id, order, wanted.edit.as_ref(), wanted.dry_run).await?;
            return Ok(Approved::AsEdited(Box::new(tried)));
        }
        carry_out(registry, handle, &patch_id, order).await?;
        let state = handle.state();
        let patch = state
            .patch(&patch_id)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
        Ok(Approved::AsProposed(Box::new(patch.into())))
    }
}

/// Puts an order on record, if anything may be written.
///
/// # Errors
/// What the rules say, [`ServiceError::ReadOnly`], or a fault.
async fn carry_out(
    registry: &ScenarioRegistry,
    handle: &ScenarioHandle,
    patch_id: &PatchId,
    order: OperatorRequest,
) -> Result<(), ServiceError> {
    drop(registry.deps.write_gate.pass()?);
    let patch_id = patch_id.clone();
    handle.command(Command::Operate { patch_id, order }).await.map(drop)
}

/// The patch as it is then, or would be served, with what a publisher would be told of it and how it would have fared.
///
/// # Errors
/// As [`operate`].
async fn approve(
    registry: &ScenarioRegistry,
    handle: &Arc<ScenarioHandle>,
    patch_id: PatchId,
    mut order: OperatorRequest,
    edited: Option<&Value>,
    dry_run: bool,
) -> Result<EditTried, ServiceError> {
    if let Some(edited) = edited {
        let defects = publishing::unsafe_texts(registry, edited);
        if !defects.is_empty() {
            return Err(ServiceError::UnfitKey(defects.into_iter().map(within_edit).collect()));
        }
        order.edit = Some(Box::new(Edit::parse(edited).map_err(ServiceError::BadRequest)?));
    }
    let policy = handle.view.load().policy.clone();
    let (patch, rehearsal) = {
        let state = handle.state();
        let at = registry.deps.clock.now().max(state.at);
        let now = Situation {
            state: &state,
            at,
            policy: &policy,
        };
        operate::operate(now, &patch_id, &order)?;
        let mut patch = state.patch(&patch_id).cloned();
        if let Some(patch) = &mut patch {
            patch.change = operate::edited(now, patch, &order)?;
        }
        let patch = patch.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
        let rehearsal = rehearsal::of(&state, patch.cluster, &patch.audience, &patch.change, &policy);
        (patch, rehearsal)
    };
    let found = match rehearsal {
        None => None,
        Some(rehearsal) => {
            let (handle, deps) = (Arc::clone(handle), Arc::clone(&registry.deps));
            let read = move || effects::read_back(&handle, deps.journal.as_ref(), rehearsal);
            background::apart(read)
                .await
                .flatten()
                .map(|rehearsal| Box::new(rehearsal.found()))
        }
    };
    if !dry_run {
        if let Some(edit) = &mut order.edit {
            edit.backtest.clone_from(&found);
        }
        carry_out(registry, handle, &patch_id, order).await?;
    }
    let state = handle.state();
    let shown = match dry_run {
        true => Some(&patch),
        false => state.patch(&patch_id),
    };
    let shown = shown.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
    let key = rehearsal::definition(&state, &patch.audience, &patch.change, &policy);
    Ok(EditTried {
        patch: shown.into(),
        lint: key
            .as_ref()
            .map(|key| told(&state, &patch, key, &policy))
            .unwrap_or_default(),
        fits: key.zip(found.as_deref()).map(|(key, found)| fits(&patch, &key, found)),
        backtest: json!(found.as_deref().map(Backtest::document)),
    })
}

/// What a publisher of the template would be told of the key.
fn told(state: &State, patch: &Patch, key: &KeyDefinition, policy: &Policy) -> Vec<Finding> {
    let Some(base) = state.base_in_force() else {
        return Vec::new();
    };
    let to = policy.cohorts.addressed(&patch.audience);
    let mut template = base.template.clone();
    let keys = layer::effective(state, base, to).keys.into_iter();
    template.keys = keys
        .map(|key| key.definition)
        .filter(|other| other.key_name != key.key_name)
        .chain([key.clone()])
        .collect();
    let found = lint::lint(&template, Vec::new()).findings.into_iter();
    found
        .filter(|finding| finding.key_name.as_deref() == Some(key.key_name.as_str()))
        .collect()
}

/// What was said that the key is for, and the examples of which no value of it can be read.
fn fits(patch: &Patch, key: &KeyDefinition, found: &Backtest) -> Fits {
    let wrong = patch.examples.iter().filter(|text| !backtest::fits(key, text));
    Fits {
        wishes: found.asked,
        right: found.fitting,
        wrong: wrong.map(|text| Misfitting { text: text.clone() }).collect(),
    }
}

//! Approving a key as edited, or trying what would come of it: what a publisher would be told of it, and how it would have fared.
//!
//! Decides nothing: the edit is read and judged in the domain. A dry run writes nothing.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::service::effects;
use crate::service::error::ServiceError;
use crate::service::hosting::Hosting;
use crate::service::live::Live;
use crate::service::operating;
use crate::service::publishing;
use crate::service::steward;
use engine::evolution::backtest;
use engine::evolution::backtest::Backtest;
use engine::evolution::edit::Edit;
use engine::evolution::edit::within_edit;
use engine::evolution::hand::Order;
use engine::evolution::patch::Patch;
use engine::scenario::decide::edit;
use engine::scenario::decide::operate;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::rehearsal;
use engine::scenario::state::State;
use schema::advice::Finding;
use schema::key::KeyDefinition;
use schema::lint;
use schema::name::PatchId;

/// `{"patch", "lint": [finding], "fits": {"wishes", "right", "wrong": [{"text"}]} | null, "backtest" | null}`: the patch as it is
/// then, or would be served.
///
/// # Errors
/// As [`operating::operate`](crate::service::operating::operate).
pub async fn approve(
    hosting: &Hosting,
    live: &Arc<Live>,
    patch_id: PatchId,
    mut order: Order,
    edited: Option<&Value>,
    dry_run: bool,
) -> Result<Value, ServiceError> {
    if let Some(edited) = edited {
        let defects = publishing::unsafe_texts(hosting, edited);
        if !defects.is_empty() {
            return Err(ServiceError::UnfitKey(defects.into_iter().map(within_edit).collect()));
        }
        order.edit = Some(Box::new(Edit::parse(edited).map_err(ServiceError::BadRequest)?));
    }
    let policy = live.view.load().policy.clone();
    let (patch, rehearsal) = {
        let state = live.state();
        let at = hosting.parts.clock.now().max(state.at);
        operate::operate(&state, &patch_id, order.clone(), at, &policy).map_err(steward::refused)?;
        let mut patch = state.patch(&patch_id).cloned();
        if let Some(patch) = &mut patch {
            patch.change = edit::edited(&state, patch, &order, &policy).map_err(steward::refused)?;
        }
        let patch = patch.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
        let rehearsal = rehearsal::of(&state, patch.cluster, &patch.audience, &patch.change, &policy);
        (patch, rehearsal)
    };
    let found = match rehearsal {
        None => None,
        Some(rehearsal) => {
            let (live, parts) = (Arc::clone(live), Arc::clone(&hosting.parts));
            let read = move || effects::read_back(&live, parts.journal.as_ref(), rehearsal);
            effects::apart(read)
                .await
                .flatten()
                .map(|rehearsal| Box::new(rehearsal.found()))
        }
    };
    if !dry_run {
        if let Some(edit) = &mut order.edit {
            edit.backtest.clone_from(&found);
        }
        operating::carry_out(hosting, live, &patch_id, order).await?;
    }
    let state = live.state();
    let shown = match dry_run {
        true => Some(&patch),
        false => state.patch(&patch_id),
    };
    let shown = shown.ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_string()))?;
    let key = rehearsal::definition(&state, &patch.audience, &patch.change, &policy);
    Ok(json!({
        "patch": shown.document(),
        "lint": key.as_ref().map(|key| told(&state, &patch, key, &policy)).unwrap_or_default(),
        "fits": key.zip(found.as_deref()).map(|(key, found)| fits(&patch, &key, found)),
        "backtest": found.as_deref().map(Backtest::document),
    }))
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
fn fits(patch: &Patch, key: &KeyDefinition, found: &Backtest) -> Value {
    let wrong = patch.examples.iter().filter(|text| !backtest::fits(key, text));
    let wrong: Vec<Value> = wrong.map(|text| json!({"text": text})).collect();
    json!({"wishes": found.asked, "right": found.fitting, "wrong": wrong})
}

//! What waits for a person, over all scenarios, longest waiting first (Z-127, Z-165).

use serde_json::json;

use crate::api::evolution::Approval;
use crate::api::evolution::ApprovalEvidence;
use crate::api::evolution::Approvals;
use crate::api::templates::Audience;
use crate::api::templates::Waiting;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use engine::evolution::backtest::Backtest;
use engine::evolution::explanation;
use engine::evolution::patch::Patch;
use engine::evolution::stage::Stage;
use engine::scenario::layer;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::time::At;

/// Approvals on one page at most, and where nobody says how many.
pub const PAGE_MAX: u64 = 200;
pub const PAGE: u64 = 50;

/// A place in the list: since when a patch waits, and which.
type Place = (At, PatchId);

impl App {
    /// A page of what waits. `after` stands for a place, so that a page is whole whatever was approved meanwhile.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for a limit that is not 1 to [`PAGE_MAX`], or an `after` that never was a `next`.
    pub fn approvals(
        &self,
        caller: &Caller,
        limit: Option<u64>,
        after: Option<&str>,
    ) -> Result<Approvals, ServiceError> {
        caller.require(Permission::Inspect)?;
        let registry = self.registry();
        let limit = limit.unwrap_or(PAGE);
        if !(1..=PAGE_MAX).contains(&limit) {
            return Err(ServiceError::BadParameter(format!(
                "the parameter limit must be 1 to {PAGE_MAX}"
            )));
        }
        let after = after.map(|text| {
            read(text).ok_or_else(|| {
                ServiceError::BadParameter("the parameter after must be the `next` of an earlier page".to_owned())
            })
        });
        let after = after.transpose()?;
        let catalogue = registry.catalogue.load();
        let mut waiting: Vec<Place> = Vec::new();
        for handle in catalogue.scenarios.values() {
            let state = handle.state();
            waiting.extend(
                state
                    .patches
                    .iter()
                    .filter_map(|patch| Some((since(patch)?, patch.patch_id.clone()))),
            );
        }
        waiting.sort();
        let count = waiting.len();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut rest = waiting
            .into_iter()
            .filter(|place| after.as_ref().is_none_or(|after| place > after));
        let page: Vec<Place> = rest.by_ref().take(limit).collect();
        let more = rest.next().is_some();
        let next = page
            .last()
            .filter(|_| more)
            .map(|(since, id)| format!("{}.{id}", since.0));
        let mut approvals = Vec::with_capacity(page.len());
        for (_, id) in &page {
            let Some(handle) = registry.by_patch(id.as_str()).map(|(handle, _)| handle) else {
                continue;
            };
            let window = handle.view.load().policy.evolution.window_days;
            let state = handle.state();
            let at = registry.deps.clock.now().max(state.at);
            // One that was approved between the two looks is not shown.
            if let Some((patch, since)) = state.patch(id).and_then(|patch| Some((patch, since(patch)?))) {
                let reading = state.ledger.read(id, at, window);
                let explained = explanation::of(patch, &reading, layer::taken_over_by(&state, patch));
                approvals.push(approval(patch, handle.key.as_str(), since, at, explained));
            }
        }
        Ok(Approvals {
            waiting: count as u64,
            approvals,
            next,
        })
    }
}

/// Since when a patch waits for a person: to let it pass, or to end a trial that its figures leave undecided.
pub fn since(patch: &Patch) -> Option<At> {
    match &patch.stage {
        Stage::AwaitingApproval { since } => Some(*since),
        Stage::Experimental(_) => patch.waits_since(),
        Stage::Queued { .. }
        | Stage::Stable { .. }
        | Stage::Deprecated { .. }
        | Stage::Withdrawn { .. }
        | Stage::Expired { .. }
        | Stage::Lapsed { .. }
        | Stage::Rejected { .. } => None,
    }
}

fn approval(patch: &Patch, scenario: &str, since: At, at: At, explanation: Vec<String>) -> Approval {
    let mut published = patch.document();
    let held = patch.held_because();
    let why = match patch.waits_for() {
        Some((_, detail)) => detail.to_owned(),
        None if held.is_empty() => "every proposal of this scenario waits for a person".to_owned(),
        None => held.join("; "),
    };
    Approval {
        patch_id: patch.patch_id.to_string(),
        scenario: scenario.to_owned(),
        why,
        waits_for: patch.waits_for().map(|(code, detail)| Waiting::new(code, detail)),
        sensitive: patch.sensitive.clone(),
        holds: patch.holds.clone(),
        since: since.rfc3339(),
        waits_s: at.since_ms(since) / 1_000,
        audience: Audience::from(&patch.audience),
        new_keys: published["new_keys"].take(),
        modified_keys: published["modified_keys"].take(),
        evidence: ApprovalEvidence {
            examples: patch.examples.clone(),
            expected_coverage: patch.coverage_ppm as f64 / 1_000_000.0,
            occurrences: patch.gate.occurrences,
            clients: patch.gate.clients,
            explanation,
            backtest: json!(patch.backtest.as_deref().map(Backtest::document)),
        },
    }
}

fn read(next: &str) -> Option<Place> {
    let (since, id) = next.split_once('.')?;
    let (scenario, number) = id.rsplit_once(".p")?;
    let id = PatchId::numbered(&ScenarioKey::parse(scenario)?, number.parse().ok()?);
    Some((At(since.parse().ok()?), id))
}

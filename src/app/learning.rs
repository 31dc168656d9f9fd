//! What operators, auditors and publishers read of what was learned: patches, the ledger, and every scenario in numbers for the
//! metrics page, read at scrape time.
//!
//! Invariant: of what clients said, no word is shown that fewer of them said than the policy asks for, and no such phrase (Z-171).

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;

use crate::api::pool::PoolReview;
use crate::api::pool::Taken;
use crate::api::service::Standing;
use crate::api::templates::Patches;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::operator;
use crate::app::pool;
use crate::app::pool_review;
use crate::app::stats;
use crate::app::telemetry::STAGES;
use engine::evolution::evidence::Evidence;
use engine::evolution::evidence::Measured;
use engine::evolution::patch::Patch;
use engine::evolution::patch::PublishedPatch;
use engine::evolution::stage::Stage;
use engine::evolution::usage::Usage;
use engine::pool::gate::Audience;
use engine::pool::micro::ClusterId;
use engine::scenario::blocking_reason;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::state::Claim;
use engine::scenario::state::State;
use schema::name::PatchId;
use schema::time::At;

/// One key of the patch layer. Personal keys are given together, as `_personal`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyStats {
    pub key: String,
    pub stage: &'static str,
    pub usage_ratio: Option<f64>,
    pub alignment_ratio: Option<f64>,
    pub type_ratio: Option<f64>,
    pub adoption_ratio: Option<f64>,
}

/// One scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioStats {
    pub scenario: String,
    pub other_ratio: Option<f64>,
    /// Distinct ones within the ledger's window.
    pub clients: u64,
    /// Submissions whose fragments have not been read yet.
    pub pending: u64,
    /// Whether nothing is learned any more until the next start, because the journal cannot be read back.
    pub stalled: bool,
    /// Whether a person stopped evolution.
    pub frozen: bool,
    /// How long the patch that waits longest for a person has waited; 0 when none does.
    pub approval_waits_s: i64,
    /// Reason -> the proposals and clusters that wait for it, where any do; a proposal waits for each of its reasons.
    pub waits: Vec<(&'static str, u64)>,
    /// Language -> its share of the pool's votes; those that no model reads together.
    pub languages: BTreeMap<String, f64>,
    /// Values that wait for a person's verdict.
    pub audits_waiting: u64,
    /// Verdict -> how many people gave, since the scenario began; every verdict is named.
    pub audits: Vec<(&'static str, u64)>,
    /// Micro-clusters that still have to be embedded by the model at hand.
    pub reembedding: u64,
    pub clusters: u64,
    /// In units of heat.
    pub heat_max: f64,
    /// Stage name -> keys in it; every stage is named.
    pub keys_by_stage: Vec<(&'static str, u64)>,
    pub keys: Vec<KeyStats>,
    pub queue_length: u64,
}

impl App {
    /// What a reader is given of the pool, see [`pool_review::material`].
    pub async fn review_pool(&self, caller: &Caller, scenario: &str) -> Result<PoolReview, ServiceError> {
        caller.require(Permission::Audit)?;
        let handle = self.registry().by_scenario(scenario)?;
        pool_review::material(&self.registry().deps, &handle).await
    }

    /// Takes a reader's answer, see [`pool_review::propose`].
    pub async fn propose_keys(
        &self,
        caller: &Caller,
        scenario: &str,
        told: Map<String, Value>,
    ) -> Result<Taken, ServiceError> {
        caller.require(Permission::Operate)?;
        let handle = self.registry().by_scenario(scenario)?;
        pool_review::propose(&self.registry().deps, &handle, caller, told).await
    }

    /// Every patch of the scenario.
    pub fn patches(&self, caller: &Caller, scenario: &str) -> Result<Patches, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let state = handle.state();
        Ok(Patches {
            patches: state.patches.iter().map(Patch::for_operators).collect(),
        })
    }

    /// The ledger in the shape of docs/design.md §8.
    pub fn ledger(&self, caller: &Caller, scenario: &str) -> Result<Usage, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let policy = handle.view.load().policy.clone();
        let state = handle.state();
        let shown = state.patches.iter().filter(|patch| layer::was_in_force(patch));
        let window_days = policy.evolution.window_days;
        Ok(Usage::of(&state.ledger, shown, self.now(&state), window_days))
    }

    /// One patch; a patch for another client, or one that never came into force, is unknown to clients.
    pub fn patch(&self, caller: &Caller, patch_id: &str) -> Result<PublishedPatch, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let (handle, id) = self.by_patch(caller, patch_id)?;
        let shown = handle.state().patch(&id).map(|patch| match caller.sees_all() {
            true => patch.for_operators(),
            false => patch.published(),
        });
        shown
            .filter(|_| self.seen_patches(caller, &handle).contains(&id))
            .ok_or_else(|| self.unknown_patch(caller, patch_id))
    }

    /// The patches of a scenario that a caller sees.
    pub(in crate::app) fn seen_patches(&self, caller: &Caller, handle: &ScenarioHandle) -> Vec<PatchId> {
        let view = handle.view.load();
        let to = view.policy.cohorts.addressee(caller.client.as_ref());
        let state = handle.state();
        let seen = state
            .patches
            .iter()
            .filter(|patch| caller.sees_all() || (layer::concerns(patch, to) && layer::was_in_force(patch)));
        seen.map(|patch| patch.patch_id.clone()).collect()
    }

    /// Why a patch exists and how it fared.
    pub fn evidence(&self, caller: &Caller, patch_id: &str) -> Result<Evidence, ServiceError> {
        caller.require(Permission::Inspect)?;
        let (handle, id) = self.by_patch(caller, patch_id)?;
        let view = handle.view.load();
        let state = handle.state();
        let patch = state.patch(&id).ok_or_else(|| self.unknown_patch(caller, patch_id))?;
        let measured = Measured::read(&state.ledger, patch, self.now(&state), &view.policy.evolution);
        Ok(Evidence::of(patch, &measured, layer::taken_over_by(&state, patch)))
    }

    /// Notes that a backup was read to its end.
    pub fn backed_up(&self) {
        let deps = &self.registry().deps;
        deps.observer.backed_up(deps.clock.now());
        tracing::info!("a backup was read to its end");
    }

    /// Whether the service writes, and who closed it.
    pub fn standing(&self, caller: &Caller) -> Result<Standing, ServiceError> {
        caller.require(Permission::Inspect)?;
        Ok(operator::standing(self.registry()))
    }

    /// Whether the caller may look at drawn values and judge them.
    pub fn may_audit(&self, caller: &Caller) -> Result<(), ServiceError> {
        caller.require(Permission::Audit)
    }
}

/// One scenario in numbers. `at` is now: heat cools while nothing happens; `model` is the one at hand.
pub fn stats(state: &State, scenario: &str, at: At, policy: &Policy, model: &str) -> ScenarioStats {
    let window = policy.evolution.window_days;
    let figures = stats::read(state, at, policy);
    let proposals = state.patches.iter().flat_map(waits_for);
    let clusters = state.pool.clusters.values();
    let clusters = clusters
        .filter(|cluster| !has_patch(state, cluster.id))
        .filter_map(|cluster| {
            let gate = pool::gate_of(state, cluster, at, &policy.pool);
            Some(blocking_reason::of(state, cluster, &gate, at, policy)?.code)
        });
    let mut waits: BTreeMap<&'static str, u64> = BTreeMap::new();
    for code in proposals.chain(clusters) {
        *waits.entry(code).or_default() += 1;
    }
    let in_stage = |name: &str| state.patches.iter().filter(|patch| patch.stage.name() == name).count() as u64;
    let keys = state
        .patches
        .iter()
        .filter(|patch| layer::was_in_force(patch) && patch.stage.standing().is_some())
        .map(|patch| key_census(state, patch, at, window))
        .collect();
    ScenarioStats {
        scenario: scenario.to_owned(),
        other_ratio: figures.other_ratio,
        clients: figures.clients,
        pending: state.unread(),
        stalled: false,
        frozen: figures.frozen,
        approval_waits_s: state
            .patches
            .iter()
            .filter_map(Patch::awaits_person_since)
            .min()
            .map_or(0, |since| at.since_ms(since) / 1_000),
        waits: waits.into_iter().collect(),
        languages: state.pool.languages.shares(),
        audits_waiting: state.audits.waiting.len() as u64,
        audits: state
            .audits
            .verdicts()
            .into_iter()
            .map(|(verdict, count)| (verdict.name(), count))
            .collect(),
        reembedding: state.pool.waiting(model).count() as u64,
        clusters: figures.clusters,
        heat_max: figures.heat_max,
        queue_length: in_stage("queued"),
        keys_by_stage: STAGES.iter().map(|stage| (*stage, in_stage(stage))).collect(),
        keys,
    }
}

/// What a patch waits a person for, in codes.
fn waits_for(patch: &Patch) -> Vec<&'static str> {
    match &patch.stage {
        Stage::AwaitingApproval { .. } => patch.held_by(),
        _ => patch.waits_for().map(|waits| waits.code).into_iter().collect(),
    }
}

/// Whether a cluster waits for nothing but what its patch waits for.
fn has_patch(state: &State, cluster: ClusterId) -> bool {
    let claims = state.claims_of(cluster);
    claims.iter().any(|(_, claim)| matches!(claim, Claim::Patched(_)))
}

fn key_census(state: &State, patch: &Patch, at: At, window: i64) -> KeyStats {
    let reading = state.ledger.read(&patch.patch_id, at, window);
    let key = match &patch.audience {
        Audience::Global => patch.change.key_name().to_string(),
        // Two cohorts may have keys of one name.
        Audience::Cohort(cohort) => format!("{cohort}:{}", patch.change.key_name()),
        Audience::Client(_) => "_personal".to_owned(),
    };
    KeyStats {
        key,
        stage: patch.stage.name(),
        usage_ratio: reading.usage_frequency,
        alignment_ratio: reading.semantic_alignment_accuracy,
        type_ratio: reading.value_type_correctness,
        adoption_ratio: reading.client_adoption_rate,
    }
}

#[cfg(test)]
mod tests {
    use super::stats;
    use crate::app::scene::MIDDLING;
    use crate::app::scene::MODEL;
    use crate::app::scene::Scene;
    use crate::app::scene::candidate;
    use engine::evolution::policy::Autonomy;
    use engine::pool::gate::Audience;
    use engine::pool::hold::Hold;
    use schema::time::DAY_MS;

    fn waits(scene: &Scene) -> Vec<(&'static str, u64)> {
        stats(&scene.state, "flight", scene.at, &scene.policy, MODEL).waits
    }

    #[test]
    fn what_waits_is_counted_by_its_reasons_a_key_once_and_not_with_its_cluster_z096_z127() {
        let mut scene = Scene::new();
        scene.demand(&Audience::Global);
        scene.rest();
        let mut induced = candidate("seat_preference");
        induced.proposal.sensitive = Some("payment".to_owned());
        induced.proposal.holds = vec![Hold::Polarity];
        scene.induce(induced);
        assert_eq!(waits(&scene), [("polarity", 1), ("sensitive", 1)]);
        scene.policy.evolution.autonomy = Autonomy::Review;
        scene.propose("meal_choice");
        scene.say(Some("c1"), 7);
        assert_eq!(
            waits(&scene),
            [("gate", 1), ("polarity", 1), ("review", 1), ("sensitive", 1)]
        );
    }

    #[test]
    fn a_trial_that_is_left_to_a_person_is_counted_once_z157() {
        let mut scene = Scene::new();
        let seat = scene.propose("seat_preference");
        assert_eq!(waits(&scene), []);
        for _ in 0..4 {
            scene.traffic(&seat, MIDDLING);
            scene.pass(7 * DAY_MS);
            scene.staged();
        }
        assert_eq!(waits(&scene), [("usage_between", 1)]);
    }
}

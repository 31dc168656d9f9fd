//! What operators, auditors and publishers read of what was learned: the pool, patches, the ledger, and every scenario in numbers for the
//! metrics page, read at scrape time.
//!
//! Invariant: of what clients said, no word is shown that fewer of them said than the policy asks for, and no such phrase (Z-171).

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;

use crate::api::pool as api;
use crate::api::pool::Asked;
use crate::api::pool::Pool;
use crate::api::pool::PoolReview;
use crate::api::pool::Reembedding;
use crate::api::pool::Taken;
use crate::api::pool::Trigger;
use crate::api::scenarios::Frozen;
use crate::api::service::Standing;
use crate::api::templates::Patches;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::effects;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::operator;
use crate::app::pool_review;
use crate::app::stats;
use crate::app::stats::units;
use crate::app::telemetry::STAGES;
use engine::evolution::evidence::Evidence;
use engine::evolution::evidence::Measured;
use engine::evolution::patch::Patch;
use engine::evolution::patch::PublishedPatch;
use engine::evolution::review::material;
use engine::evolution::screen::Screen;
use engine::evolution::stage::Stage;
use engine::evolution::usage::Usage;
use engine::pool::gate::Audience;
use engine::pool::gate::GateReading;
use engine::pool::micro::ClusterId;
use engine::pool::state::Cluster;
use engine::scenario::blocking_reason;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::state::Claim;
use engine::scenario::state::State;
use schema::name::ClientId;
use schema::time::At;
use store::journal::Journal;
use text::phrase::Phrase;

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
    /// The pool: clusters with heat and gate, and with `words` the phrases that enough clients said.
    pub async fn pool(&self, caller: &Caller, scenario: &str, words: bool) -> Result<Pool, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let policy = handle.view.load().policy.clone();
        let phrases = if words {
            let (handle, deps) = (Arc::clone(&handle), Arc::clone(&self.registry().deps));
            let clients_min = policy.evolution.example_clients_min;
            let read = tokio::task::spawn_blocking(move || phrases(deps.journal.as_ref(), &handle, clients_min));
            Some(read.await?)
        } else {
            None
        };
        let state = handle.state();
        Ok(pool(&state, self.now(&state), &policy, phrases.as_ref()))
    }

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
        let (handle, id) = self.by_patch(patch_id)?;
        let view = handle.view.load_full();
        let to = view.policy.cohorts.addressee(caller.client.as_ref());
        let state = handle.state();
        let patch = state
            .patch(&id)
            .filter(|patch| caller.sees_all() || (layer::concerns(patch, to) && layer::was_in_force(patch)));
        patch
            .map(|patch| match caller.sees_all() {
                true => patch.for_operators(),
                false => patch.published(),
            })
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))
    }

    /// Why a patch exists and how it fared.
    pub fn evidence(&self, caller: &Caller, patch_id: &str) -> Result<Evidence, ServiceError> {
        caller.require(Permission::Inspect)?;
        let (handle, id) = self.by_patch(patch_id)?;
        let view = handle.view.load();
        let state = handle.state();
        let patch = state
            .patch(&id)
            .ok_or_else(|| ServiceError::UnknownPatch(patch_id.to_owned()))?;
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

/// The pool, hottest cluster first. Heat in units.
pub fn pool(state: &State, at: At, policy: &Policy, phrases: Option<&BTreeMap<ClusterId, Vec<api::Phrase>>>) -> Pool {
    let mut clusters: Vec<(i64, api::Cluster)> = state
        .pool
        .clusters
        .values()
        .map(|cluster| {
            let gate = state.pool.gate(cluster.id, at, &policy.pool);
            let shown = api::Cluster {
                id: cluster.id.0,
                members: state.pool.members(cluster.id),
                micro_clusters: cluster.micros.len() as u64,
                heat: units(gate.heat_micro),
                capped_heat: units(gate.capped_heat_micro),
                clients: gate.clients,
                occurrences: gate.occurrences,
                opened_at: cluster.opened_at.rfc3339(),
                triggers: triggers(state, cluster.id),
                waits_for: blocking_reason::of(state, cluster, &gate, at, policy),
                phrases: phrases.map(|phrases| phrases.get(&cluster.id).cloned().unwrap_or_default()),
            };
            (gate.heat_micro, shown)
        })
        .collect();
    clusters.sort_by_key(|(heat, _)| std::cmp::Reverse(*heat));
    let reembedding = state.pool.reembedding.as_ref().map(|reembedding| Reembedding {
        model: reembedding.model.clone(),
        micro_clusters: state.pool.micros.len() as u64,
        waiting: state.pool.waiting(&reembedding.model).count() as u64,
    });
    Pool {
        model: state.pool.model.clone(),
        demand: state.pool.demand,
        pending: state.pending.len() as u64,
        frozen: state.frozen.as_ref().map(Frozen::from),
        erased_through: state.erased_through,
        language: state.pool.languages.most().map(str::to_owned),
        review: state.review.as_ref().map(|asked| Asked {
            fragments: asked.demand,
            failed: asked.failed.clone(),
            refused: asked.refused.clone(),
        }),
        clusters: clusters.into_iter().map(|(_, cluster)| cluster).collect(),
        reembedding,
        mute_fragments: Some(state.pool.mute_members()).filter(|mute| *mute > 0),
    }
}

fn triggers(state: &State, cluster: ClusterId) -> Vec<Trigger> {
    let claims = state.claims_of(cluster);
    let trigger = |audience: &Audience, outcome: &str| Trigger {
        audience: audience.clone(),
        outcome: outcome.to_owned(),
        at: None,
        patch_id: None,
        settlement: None,
    };
    claims
        .iter()
        .map(|(audience, claim)| match claim {
            Claim::Inducing { since, gate: _ } => Trigger {
                at: Some(since.rfc3339()),
                ..trigger(audience, "inducing")
            },
            Claim::Patched(id) => Trigger {
                patch_id: Some(id.to_string()),
                ..trigger(audience, "patched")
            },
            Claim::Settled {
                at,
                members: _,
                settlement,
            } => Trigger {
                at: Some(at.rfc3339()),
                settlement: Some(settlement.clone()),
                ..trigger(audience, "settled")
            },
        })
        .collect()
}

/// One scenario in numbers. `at` is now: heat cools while nothing happens; `model` is the one at hand.
pub fn stats(state: &State, scenario: &str, at: At, policy: &Policy, model: &str) -> ScenarioStats {
    let window = policy.evolution.window_days;
    let figures = stats::read(state, at, policy);
    let gates: Vec<(&Cluster, GateReading)> = state
        .pool
        .clusters
        .values()
        .map(|cluster| (cluster, state.pool.gate(cluster.id, at, &policy.pool)))
        .collect();
    let proposals = state.patches.iter().flat_map(waits_for);
    let clusters = gates
        .iter()
        .filter(|(cluster, _)| !has_patch(state, cluster.id))
        .filter_map(|(cluster, gate)| blocking_reason::of(state, cluster, gate, at, policy))
        .map(|waiting| waiting.code);
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
        pending: state.pending.len() as u64,
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

/// Phrases of one cluster.
const PHRASES_MAX: usize = 5;

/// Those who said the same, and how often each wording of it was said.
#[derive(Default)]
struct Said {
    clients: BTreeSet<ClientId>,
    wordings: BTreeMap<String, u64>,
}

/// Of each cluster the phrases, what most clients said first.
pub fn phrases(
    journal: &dyn Journal,
    handle: &ScenarioHandle,
    clients_min: u64,
) -> BTreeMap<ClusterId, Vec<api::Phrase>> {
    let wanted = material::known(&handle.state().pool);
    let sources = effects::read_sources(journal, &handle.journal, wanted.keys());
    let texts = sources
        .values()
        .map(|source| (source.text.clone(), source.client.clone()));
    let screen = Screen::of(texts.collect(), Vec::new(), &[], clients_min, false);
    let mut said: BTreeMap<ClusterId, BTreeMap<BTreeSet<String>, Said>> = BTreeMap::new();
    for (id, cluster) in &wanted {
        let Some(source) = sources.get(id) else { continue };
        let Some(client) = &source.client else { continue };
        let phrase = Phrase::read(&source.text);
        let alike = said.entry(*cluster).or_default().entry(phrase.content()).or_default();
        alike.clients.insert(client.clone());
        let wording = source.text.get(phrase.range()).unwrap_or_default().to_lowercase();
        if screen.shows(&wording) {
            *alike.wordings.entry(wording).or_default() += 1;
        }
    }
    let enough = |said: &Said| said.clients.len() as u64 >= clients_min.max(1);
    let shown = |phrases: BTreeMap<BTreeSet<String>, Said>| {
        let shared = phrases
            .into_iter()
            .filter(|(content, said)| !content.is_empty() && enough(said));
        let mut shared: Vec<(usize, String)> = shared
            .filter_map(|(_, said)| {
                let wording = said.wordings.into_iter().max_by_key(|(_, times)| *times)?;
                Some((said.clients.len(), wording.0))
            })
            .collect();
        shared.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let shared = shared.into_iter().take(PHRASES_MAX);
        shared
            .map(|(clients, text)| api::Phrase {
                text,
                clients: clients as u64,
            })
            .collect()
    };
    said.into_iter()
        .map(|(cluster, phrases)| (cluster, shown(phrases)))
        .collect()
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

//! What operators, auditors and publishers read: the pool, the numbers of a scenario.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;

use crate::api::pool as api;
use crate::api::pool::Asked;
use crate::api::pool::Phrase;
use crate::api::pool::Pool;
use crate::api::pool::Reembedding;
use crate::api::pool::Trigger;
use crate::api::scenarios::Frozen;
use crate::api::templates::Waiting;
use crate::api::wishes::Refused;
use crate::app::approvals;
use crate::app::scenario_stats::KeyStats;
use crate::app::scenario_stats::ScenarioStats;
use engine::evolution::ledger::Shown;
use engine::evolution::patch::Patch;
use engine::evolution::stage::Stage;
use engine::pool::gate::Audience;
use engine::pool::gate::GateReading;
use engine::pool::heat::MICRO;
use engine::pool::micro::ClusterId;
use engine::pool::state::Cluster;
use engine::scenario::blocking_reason;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::state::Claim;
use engine::scenario::state::State;
use schema::time::At;

/// Every stage that a patch can have, in the order of its life.
pub const STAGES: [&str; 9] = [
    "queued",
    "awaiting_approval",
    "experimental",
    "stable",
    "deprecated",
    "withdrawn",
    "expired",
    "lapsed",
    "rejected",
];

/// The pool, hottest cluster first. Heat in units.
pub fn pool(state: &State, at: At, policy: &Policy, phrases: Option<&BTreeMap<ClusterId, Vec<Phrase>>>) -> Pool {
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
                waits_for: blocking_reason::of(state, cluster, &gate, at, policy)
                    .map(|waiting| Waiting::new(waiting.code, &waiting.detail)),
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
            refused: asked.refused.iter().map(Refused::from).collect(),
        }),
        clusters: clusters.into_iter().map(|(_, cluster)| cluster).collect(),
        reembedding,
        mute_fragments: Some(state.pool.mute_members()).filter(|mute| *mute > 0),
    }
}

/// The ledger in the shape of docs/design.md §8.
pub fn ledger(state: &State, at: At, policy: &Policy) -> Value {
    let shown = state.patches.iter().filter(|patch| layer::was_in_force(patch));
    let patches = shown.map(|patch| Shown {
        patch: &patch.patch_id,
        key: patch.change.key_name(),
        stage: patch.stage.name(),
        waits_for: patch.waits_for(),
    });
    state.ledger.document(patches, at, policy.evolution.window_days)
}

fn triggers(state: &State, cluster: ClusterId) -> Vec<Trigger> {
    let claims = state.claims_of(cluster);
    let trigger = |audience: &Audience, outcome: &str| Trigger {
        audience: audience.into(),
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
                settlement: Some(json!(settlement)),
                ..trigger(audience, "settled")
            },
        })
        .collect()
}

fn units(micro: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "shown to people, with three places")]
    let units = micro as f64 / MICRO as f64;
    (units * 1_000.0).round() / 1_000.0
}

/// One scenario in numbers. `at` is now: heat cools while nothing happens; `model` is the one at hand.
pub fn stats(state: &State, scenario: &str, at: At, policy: &Policy, model: &str) -> ScenarioStats {
    let window = policy.evolution.window_days;
    let (_, clients, other_ratio) = state.ledger.totals(at, window);
    let gates: Vec<(&Cluster, GateReading)> = state
        .pool
        .clusters
        .values()
        .map(|cluster| (cluster, state.pool.gate(cluster.id, at, &policy.pool)))
        .collect();
    let heat_max = gates.iter().map(|(_, gate)| gate.heat_micro).max();
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
    let mut by_stage: BTreeMap<&'static str, u64> = STAGES.iter().map(|stage| (*stage, 0)).collect();
    for patch in &state.patches {
        *by_stage.entry(patch.stage.name()).or_default() += 1;
    }
    let keys = state
        .patches
        .iter()
        .filter(|patch| layer::was_in_force(patch) && patch.stage.standing().is_some())
        .map(|patch| key_census(state, patch, at, window))
        .collect();
    ScenarioStats {
        scenario: scenario.to_owned(),
        other_ratio,
        clients,
        pending: state.pending.len() as u64,
        stalled: false,
        frozen: state.frozen.is_some(),
        approval_waits_s: state
            .patches
            .iter()
            .filter_map(approvals::since)
            .min()
            .map_or(0, |since| at.since_ms(since) / 1_000),
        waits: waits.into_iter().collect(),
        languages: state.pool.languages.shares().into_iter().collect(),
        audits_waiting: state.audits.waiting.len() as u64,
        audits: state
            .audits
            .verdicts()
            .into_iter()
            .map(|(verdict, count)| (verdict.name(), count))
            .collect(),
        reembedding: state.pool.waiting(model).count() as u64,
        clusters: state.pool.clusters.len() as u64,
        heat_max: heat_max.map_or(0.0, units),
        queue_length: by_stage.get("queued").copied().unwrap_or_default(),
        keys_by_stage: STAGES
            .iter()
            .map(|stage| (*stage, by_stage.get(stage).copied().unwrap_or_default()))
            .collect(),
        keys,
    }
}

/// What a patch waits a person for, in codes.
fn waits_for(patch: &Patch) -> Vec<&'static str> {
    match &patch.stage {
        Stage::AwaitingApproval { .. } => patch.held_by(),
        _ => patch.waits_for().map(|(code, _)| code).into_iter().collect(),
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

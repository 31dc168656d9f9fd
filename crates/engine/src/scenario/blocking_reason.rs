//! What a cluster that has come to no key waits for, in words for an operator (Z-096).
//!
//! Asks the same rules that let a cluster fire, one after the other, and tells of the first that holds it back. Decides nothing.
//! Invariant: a cluster that is being induced, or has a patch, waits for nothing but a person's word on that patch.

use crate::evolution::induction::Abstention;
use crate::evolution::patch::Patch;
use crate::evolution::review;
use crate::evolution::review::Seat;
use crate::evolution::stage::Waiting;
use crate::pool::gate;
use crate::pool::gate::GateReading;
use crate::pool::heading::Heading;
use crate::pool::heat::MICRO;
use crate::pool::policy::PoolPolicy;
use crate::pool::state::Cluster;
use crate::scenario::decision_log;
use crate::scenario::event::Settlement;
use crate::scenario::policy::Policy;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::time::At;

/// What a cluster waits for at a moment; `gate` is what its gate reads then.
pub fn of(state: &State, cluster: &Cluster, gate: &GateReading, at: At, policy: &Policy) -> Option<Waiting> {
    let waits = |code, detail: String| Some(Waiting { code, detail });
    match &cluster.heading {
        Some(Heading::Nothing) => return waits("nothing", "a reader says that it asks for nothing".to_owned()),
        Some(Heading::Held(key)) => return waits("held", format!("a reader says that the key `{key}` holds it")),
        Some(Heading::Wish(_)) | None => {}
    }
    let claims = state.claims_of(cluster.id);
    for (_, claim) in claims {
        match claim {
            Claim::Inducing { .. } => return unread(state, cluster, policy),
            Claim::Patched(id) => return state.patch(id).and_then(Patch::waits_for),
            Claim::Settled { .. } => {}
        }
    }
    if let Some(dismissal) = state.dismissed(cluster.id, at) {
        let until = dismissal.until.rfc3339();
        let detail = format!(
            "{} found it to be no wish: no key is proposed of it until {until}",
            dismissal.by
        );
        return waits("dismissed", detail);
    }
    if let Some((_, claim)) = claims.last()
        && let Claim::Settled {
            settlement, members, ..
        } = claim
        && settlement.holds(*members, state.pool.members(cluster.id), at)
    {
        let code = match settlement {
            Settlement::Abstained(Abstention::Examples) => "examples",
            Settlement::Abstained(Abstention::FewFragments(_)) => "fragments",
            Settlement::Abstained(Abstention::OneClient) => "clients",
            Settlement::Abstained(Abstention::Words) => "words",
            _ => "settled",
        };
        return waits(code, settled(settlement, *members));
    }
    if !policy.evolution.enabled {
        return waits("evolution", "evolution is switched off in this scenario".to_owned());
    }
    if state.frozen.is_some() {
        let detail = "the scenario is frozen: no key is proposed until it is thawed";
        return waits("thaw", detail.to_owned());
    }
    let is_open = gate::open_for(gate, &policy.pool).is_some();
    (!is_open).then(|| Waiting {
        code: "gate",
        detail: gate_is_closed(gate, &policy.pool),
    })
}

/// That a cluster whose gate is open waits for the reader, where it does.
fn unread(state: &State, cluster: &Cluster, policy: &Policy) -> Option<Waiting> {
    let asked = state.review.as_ref().filter(|asked| asked.failed.is_none())?;
    let waits = policy.evolution.reader == Seat::Model && cluster.heading.is_none();
    waits.then(|| Waiting {
        code: "reader",
        detail: format!(
            "the reader did not say what it is; it reads again with {} fragments in the pool, which holds {}",
            review::again_at(asked),
            state.pool.demand,
        ),
    })
}

fn gate_is_closed(gate: &GateReading, policy: &PoolPolicy) -> String {
    format!(
        "its gate is closed: capped heat {} (more than {} is needed), {} clients (of {}) and {} occurrences (of {}, from at least {} clients \
         none of which made more than {:.0} %)",
        gate.capped_heat_micro / MICRO,
        policy.heat_threshold,
        gate.clients,
        policy.gate_clients_min,
        gate.occurrences,
        policy.gate_occurrences_min,
        policy.gate_occurrence_clients_min,
        policy.gate_client_share_max * 100.0,
    )
}

/// Why an induction came to no key, and when it is tried again.
fn settled(settlement: &Settlement, members: u64) -> String {
    let why = decision_log::settled(settlement);
    match settlement {
        Settlement::CoolingDown(_) => why,
        _ => format!(
            "{why}; it is tried again with {} fragments",
            settlement.again_at(members)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::gate::Audience;
    use crate::pool::micro::ClusterId;
    use crate::scenario::command::Command;
    use crate::scenario::sample::Scene;
    use crate::scenario::sample::candidate;

    fn waiting(scene: &Scene) -> Option<Waiting> {
        let cluster = &scene.state.pool.clusters[&ClusterId(0)];
        let gate = scene.state.pool.gate(cluster.id, scene.at, &scene.policy.pool);
        of(&scene.state, cluster, &gate, scene.at, &scene.policy)
    }

    #[test]
    fn a_cluster_says_what_it_waits_for_until_it_has_a_key_z096_z171() {
        let mut scene = Scene::new();
        scene.all_say(["c1", "c2", "c3", "c4"], 0);
        let closed = waiting(&scene).expect("a closed gate");
        assert!(
            closed.code == "gate" && closed.detail.contains("4 clients (of 5)"),
            "{closed:?}"
        );
        scene.all_say(["c5"], 0);
        assert_eq!(waiting(&scene), None, "it fires with the next tick");
        scene.policy.evolution.enabled = false;
        assert_eq!(waiting(&scene).map(|waiting| waiting.code), Some("evolution"));
        scene.policy.evolution.enabled = true;
        scene.rest();
        assert_eq!(waiting(&scene), None, "its induction is on its way");
        let mut proposed = scene.clone();
        proposed.induce(candidate("seat_preference"));
        assert_eq!(waiting(&proposed), None, "it has a key");
        scene.abstain(Abstention::NoContent);
        let settled = waiting(&scene).expect("it waits");
        assert_eq!(settled.code, "settled");
        assert!(
            settled.detail.contains("secrets") && settled.detail.ends_with("with 10 fragments"),
            "{settled:?}"
        );
        assert_eq!(scene.induction(), None::<(ClusterId, Audience)>);
        scene.happens(Command::Dismiss {
            cluster: ClusterId(0),
            days: 2,
            by: "olga".into(),
            reason: None,
        });
        let dismissed = waiting(&scene).expect("it waits");
        assert!(
            dismissed.code == "dismissed" && dismissed.detail.contains("olga"),
            "{dismissed:?}"
        );
    }
}

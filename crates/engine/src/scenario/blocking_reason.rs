//! What a cluster that has come to no key waits for, in words for an operator (Z-096).
//!
//! Asks the same rules that let a cluster fire, one after the other, and tells of the first that holds it back. Decides nothing.
//! Invariant: a cluster that is being induced, or has a patch, waits for nothing but a person's word on that patch.

use crate::evolution::induction::Abstention;
use crate::evolution::patch::Patch;
use crate::evolution::review;
use crate::evolution::review::Seat;
use crate::pool::gate;
use crate::pool::gate::GateReading;
use crate::pool::heading::Heading;
use crate::pool::heat::MICRO;
use crate::pool::policy::PoolPolicy;
use crate::pool::state::Cluster;
use crate::scenario::event::Settlement;
use crate::scenario::policy::Policy;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::time::At;

/// What is missing, in a word and in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub code: &'static str,
    pub detail: String,
}

/// What a cluster waits for at a moment; `gate` is what its gate reads then.
pub fn of(state: &State, cluster: &Cluster, gate: &GateReading, at: At, policy: &Policy) -> Option<Waiting> {
    let waits = |code, detail: String| Some(Waiting { code, detail });
    match &cluster.heading {
        Some(Heading::Nothing) => return waits("nothing", "a reader says that it asks for nothing".to_owned()),
        Some(Heading::Held(key)) => return waits("held", format!("a reader says that the key `{key}` holds it")),
        Some(Heading::Wish(_)) | None => {}
    }
    let claims = state.claims.get(&cluster.id).map_or(&[][..], Vec::as_slice);
    for (_, claim) in claims {
        match claim {
            Claim::Inducing { .. } => return unread(state, cluster, policy),
            Claim::Patched(id) => {
                let undecided = state.patch(id).and_then(Patch::waits_for);
                return undecided.and_then(|(code, detail)| waits(code, detail.to_owned()));
            }
            Claim::Settled { .. } => {}
        }
    }
    if let Some((
        _,
        Claim::Settled {
            settlement, members, ..
        },
    )) = claims.last()
        && settlement.holds(*members, state.pool.members(cluster.id), at)
    {
        let code = match settlement {
            Settlement::Abstained(Abstention::Examples) => "examples",
            Settlement::Abstained(Abstention::FewFragments(_)) => "fragments",
            Settlement::Abstained(Abstention::OneClient) => "clients",
            Settlement::Abstained(Abstention::Words) => "words",
            Settlement::Abstained(_)
            | Settlement::Covered(_)
            | Settlement::CoolingDown(_)
            | Settlement::PersonalFull
            | Settlement::Refused(_) => "settled",
        };
        return waits(code, settled(settlement, *members));
    }
    if !policy.evolution.enabled {
        return waits("evolution", "evolution is switched off in this scenario".to_owned());
    }
    if state.frozen.is_some() {
        return waits(
            "thaw",
            "the scenario is frozen: no key is proposed until it is thawed".to_owned(),
        );
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
    let again = format!("it is tried again with {} fragments", settlement.again_at(members));
    match settlement {
        Settlement::Abstained(Abstention::Question) => format!("its texts are mostly questions; {again}"),
        Settlement::Abstained(Abstention::NoContent) => format!(
            "its texts do not say what is wanted, or nothing of them may be shown, as where they tell secrets or what is personal; {again}"
        ),
        Settlement::Abstained(Abstention::NoName) => {
            format!("no name could be made of its texts that is legal and tells nothing sensitive; {again}")
        }
        Settlement::Abstained(Abstention::FewFragments(_)) => {
            format!("fewer fragments say it than a key needs (policy.pool.mature_members_min); {again}")
        }
        Settlement::Abstained(Abstention::Words) => format!(
            "the reader's name for it holds a word that too few clients said to be shown to others \
             (policy.evolution.example_clients_min); {again}"
        ),
        Settlement::Abstained(Abstention::OneClient) => {
            format!("one client said too much of it for a key that is everybody's; {again}")
        }
        Settlement::Abstained(Abstention::Examples) => format!(
            "no example of it may be shown to others: too few clients said the same words \
             (policy.evolution.example_clients_min), or they are private; {again}"
        ),
        Settlement::Covered(key) => {
            format!("the key `{key}` stands for it, and nothing is added to that key now; {again}")
        }
        Settlement::CoolingDown(until) => {
            format!(
                "the key that it would bring back is cooling down until {}",
                until.rfc3339()
            )
        }
        Settlement::Refused(key) => format!("a person found the key `{key}` wrong for it; {again}"),
        Settlement::PersonalFull => format!("the scenario has as many keys of single clients as it may; {again}"),
    }
}

#[cfg(test)]
mod tests {
    use super::Waiting;
    use super::of;
    use crate::evolution::induction::Abstention;
    use crate::pool::gate::Audience;
    use crate::pool::micro::ClusterId;
    use crate::scenario::command::Command;
    use crate::scenario::sample::Scene;
    use crate::scenario::sample::candidate;

    const FIRST: ClusterId = ClusterId(0);

    fn waiting(scene: &Scene) -> Option<Waiting> {
        let cluster = scene.state.pool.clusters.get(&FIRST).expect("a cluster");
        let gate = scene.state.pool.gate(FIRST, scene.at, &scene.policy.pool);
        of(&scene.state, cluster, &gate, scene.at, &scene.policy)
    }

    fn code(scene: &Scene) -> Option<&'static str> {
        waiting(scene).map(|waiting| waiting.code)
    }

    #[test]
    fn a_cluster_says_what_it_waits_for_until_it_has_a_key_z096() {
        let mut scene = Scene::new();
        for name in ["c1", "c2", "c3", "c4"] {
            scene.say(Some(name), 0);
        }
        let closed = waiting(&scene).expect("a closed gate");
        assert_eq!(closed.code, "gate");
        assert!(closed.detail.contains("4 clients (of 5)"), "{}", closed.detail);
        scene.say(Some("c5"), 0);
        assert_eq!(code(&scene), None, "it fires with the next tick");
        scene.policy.evolution.enabled = false;
        assert_eq!(code(&scene), Some("evolution"));
        scene.policy.evolution.enabled = true;
        scene.rest();
        assert_eq!(code(&scene), None, "its induction is on its way");
        scene.induce(candidate("seat_preference"));
        assert_eq!(code(&scene), None, "it has a key");
    }

    #[test]
    fn a_cluster_that_came_to_no_key_says_why_z096_z171() {
        let mut scene = Scene::new();
        scene.demand(&Audience::Global);
        scene.rest();
        let (cluster, audience) = scene.induction().expect("a trigger");
        scene.happens(Command::Induce {
            cluster,
            audience,
            outcome: Err(Abstention::NoContent),
        });
        let waiting = waiting(&scene).expect("it waits");
        assert_eq!(waiting.code, "settled");
        assert!(waiting.detail.contains("secrets"), "{}", waiting.detail);
        assert!(waiting.detail.ends_with("with 10 fragments"), "{}", waiting.detail);
    }
}

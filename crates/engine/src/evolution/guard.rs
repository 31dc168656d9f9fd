//! The convergence guard (Z-154 … Z-156): how many keys may be on trial at once.
//!
//! Counts patches; promotes, queues and drops nothing itself. A refinement on trial counts like a key: both ask clients
//! to learn something that may go again. Invariant: after a patch with room has begun its trial, no client's effective
//! template holds more experimental keys than the policy allows.

use std::collections::BTreeMap;

use crate::evolution::patch::Patch;
use crate::evolution::policy::EvolutionPolicy;
use crate::pool::cohort::Cohorts;
use crate::pool::gate::Audience;
use schema::effective::Standing;
use schema::name::ClientId;

/// What stands in the way of another trial, counted once over all patches of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Occupancy<'a> {
    /// Patches on trial for each audience.
    on_trial: BTreeMap<&'a Audience, usize>,
    /// Personal patches that are advertised, whatever their stage.
    personal_advertised: usize,
}

impl<'a> Occupancy<'a> {
    /// Counts.
    pub fn count(patches: impl Iterator<Item = &'a Patch>) -> Occupancy<'a> {
        let mut occupancy = Occupancy::default();
        for patch in patches {
            match patch.stage.standing() {
                Some(Standing::Experimental) => occupancy.begin(&patch.audience),
                Some(Standing::Stable | Standing::Deprecated) => {
                    occupancy.personal_advertised += usize::from(patch.audience.client().is_some());
                }
                Some(Standing::Withdrawn) | None => {}
            }
        }
        occupancy
    }

    /// Counts one more patch on trial.
    pub fn begin(&mut self, audience: &'a Audience) {
        *self.on_trial.entry(audience).or_default() += 1;
        self.personal_advertised += usize::from(audience.client().is_some());
    }

    /// Whether one more patch for this audience may begin its trial. It must not push any client over whom it reaches.
    pub fn has_room(&self, audience: &Audience, policy: &EvolutionPolicy, cohorts: &Cohorts) -> bool {
        let reached = self.on_trial.keys().copied().chain([audience]);
        let reached = reached.filter(|other| cohorts.addressed(other).is_among(audience));
        let fullest = reached.map(|other| self.in_template_of(other, cohorts)).max();
        fullest < Some(policy.experimental_per_template_max)
            && match audience {
                Audience::Global | Audience::Cohort(_) => self.of(audience) < policy.experimental_max,
                Audience::Client(_) => self.personal_advertised < policy.personal_max,
            }
    }

    /// A client whose own trials alone stand in the way of one more for this audience of several.
    pub fn crowded(&self, audience: &Audience, policy: &EvolutionPolicy, cohorts: &Cohorts) -> Option<&'a ClientId> {
        let mut shared = self.clone();
        shared.on_trial.retain(|other, _| other.client().is_none());
        let is_crowded = |other: &&Audience| {
            audience.client().is_none()
                && cohorts.addressed(other).is_among(audience)
                && self.in_template_of(other, cohorts) >= policy.experimental_per_template_max
        };
        let clients = self.on_trial.keys().copied().filter(|other| other.client().is_some());
        let crowded = clients.filter(is_crowded).find_map(Audience::client);
        crowded.filter(|_| shared.has_room(audience, policy, cohorts))
    }

    fn of(&self, audience: &Audience) -> usize {
        self.on_trial.get(audience).copied().unwrap_or_default()
    }

    /// What is on trial in the template that an audience is served.
    fn in_template_of(&self, audience: &Audience, cohorts: &Cohorts) -> usize {
        let served = cohorts.addressed(audience);
        let cohort = served.cohort.cloned().map(Audience::Cohort);
        let client = served.client.cloned().map(Audience::Client);
        let own = cohort.iter().chain(&client).map(|audience| self.of(audience));
        self.of(&Audience::Global) + own.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::Occupancy;
    use crate::evolution::patch::Patch;
    use crate::evolution::patch::sample;
    use crate::evolution::policy::EvolutionPolicy;
    use crate::evolution::stage::Stage;
    use crate::evolution::stage::Trial;
    use crate::pool::cohort::Cohorts;
    use crate::pool::gate::Audience;
    use schema::name::ClientId;
    use schema::name::CohortId;
    use schema::time::At;

    /// Where no cohort is declared.
    fn has_room<'a>(patches: impl Iterator<Item = &'a Patch>, audience: &Audience, policy: &EvolutionPolicy) -> bool {
        Occupancy::count(patches).has_room(audience, policy, &Cohorts::default())
    }

    #[test]
    fn what_is_on_trial_for_a_cohort_counts_in_every_members_template_z098_z154() {
        let policy = EvolutionPolicy::default();
        let cohorts = Cohorts::declare([("fleet", ["c1", "c2"]), ("night", ["c3", "c4"])]).expect("cohorts");
        let cohort = |name: &str| Audience::Cohort(CohortId::parse(name).expect("a cohort"));
        let (fleet, night) = (cohort("fleet"), cohort("night"));
        let mut patches = many(3, &Audience::Global, &on_trial());
        patches.extend(many(4, &fleet, &on_trial()));
        patches.extend(many(2, &client(1), &on_trial()));
        let open = |patches: &[Patch], audience: &Audience| {
            Occupancy::count(patches.iter()).has_room(audience, &policy, &cohorts)
        };
        let all = [
            Audience::Global,
            fleet.clone(),
            client(1),
            client(2),
            night.clone(),
            client(3),
        ];
        assert!(
            all.iter().all(|audience| open(&patches, audience)),
            "nine in the fullest template"
        );
        patches.push(patch(90, client(1), on_trial()));
        let left: Vec<&Audience> = all.iter().filter(|audience| open(&patches, audience)).collect();
        // c1 sees ten: nothing more for anyone who would show it to c1.
        assert_eq!(left, [&client(2), &night, &client(3)]);
        patches.extend(many(7, &night, &on_trial()));
        assert!(!open(&patches, &night), "three for all and seven of its own");
        assert!(!open(&patches, &client(3)) && open(&patches, &client(2)) && open(&patches, &client(9)));
        let settled = many(12, &fleet, &stable());
        assert!(
            open(&settled, &fleet) && open(&settled, &client(1)),
            "what stays is not on trial"
        );
    }

    fn client(n: usize) -> Audience {
        Audience::Client(ClientId::parse(&format!("c{n}")).expect("a client"))
    }

    fn patch(n: u64, audience: Audience, stage: Stage) -> Patch {
        Patch {
            audience,
            stage,
            ..sample::patch(n)
        }
    }

    fn on_trial() -> Stage {
        Stage::Experimental(Trial {
            since: At(0),
            until: At(1),
            extensions: 0,
        })
    }

    fn stable() -> Stage {
        Stage::Stable {
            since: At(0),
            next_look: At(1),
        }
    }

    fn queued() -> Stage {
        Stage::Queued { since: At(0) }
    }

    fn many(count: usize, audience: &Audience, stage: &Stage) -> Vec<Patch> {
        (0..count)
            .map(|n| patch(n as u64, audience.clone(), stage.clone()))
            .collect()
    }

    #[test]
    fn ten_keys_on_trial_for_all_and_no_more_z154_z155() {
        let policy = EvolutionPolicy::default();
        let nine = many(9, &Audience::Global, &on_trial());
        assert!(has_room(nine.iter(), &Audience::Global, &policy));
        let ten = many(10, &Audience::Global, &on_trial());
        assert!(!has_room(ten.iter(), &Audience::Global, &policy));
        let settled = many(10, &Audience::Global, &stable());
        assert!(
            has_room(settled.iter(), &Audience::Global, &policy),
            "promotion makes room"
        );
        let waiting = many(10, &Audience::Global, &queued());
        assert!(has_room(waiting.iter(), &Audience::Global, &policy));
    }

    #[test]
    fn the_scenarios_own_maximum_counts_apart_from_the_templates_z154() {
        let policy = EvolutionPolicy {
            experimental_max: 2,
            ..EvolutionPolicy::default()
        };
        assert!(has_room(
            many(1, &Audience::Global, &on_trial()).iter(),
            &Audience::Global,
            &policy
        ));
        assert!(!has_room(
            many(2, &Audience::Global, &on_trial()).iter(),
            &Audience::Global,
            &policy
        ));
        assert!(has_room(
            many(2, &Audience::Global, &on_trial()).iter(),
            &client(1),
            &policy
        ));
    }

    #[test]
    fn ten_in_any_clients_template_z154() {
        let policy = EvolutionPolicy::default();
        let mut patches = many(6, &Audience::Global, &on_trial());
        patches.extend(many(3, &client(1), &on_trial()));
        assert!(has_room(patches.iter(), &client(1), &policy), "nine before");
        patches.extend(many(1, &client(1), &on_trial()));
        assert!(!has_room(patches.iter(), &client(1), &policy), "ten before");
        assert!(
            has_room(patches.iter(), &client(2), &policy),
            "another client is not concerned"
        );
        assert!(
            !has_room(patches.iter(), &Audience::Global, &policy),
            "one for all would make it eleven"
        );
    }

    #[test]
    fn five_hundred_personal_keys_z154() {
        let policy = EvolutionPolicy::default();
        let mut patches: Vec<Patch> = (0..499).map(|n| patch(n, client(n as usize), on_trial())).collect();
        assert!(has_room(patches.iter(), &client(1_000), &policy));
        patches.push(patch(499, client(499), stable()));
        assert!(!has_room(patches.iter(), &client(1_000), &policy));
        assert!(has_room(patches.iter(), &Audience::Global, &policy));
    }
}

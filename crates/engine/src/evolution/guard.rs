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
    use super::*;
    use crate::evolution::patch::sample;
    use crate::evolution::stage::Stage;
    use schema::name::CohortId;
    use schema::time::At;

    fn client(n: usize) -> Audience {
        Audience::Client(ClientId::parse(&format!("c{n}")).expect("a client"))
    }

    fn cohort(name: &str) -> Audience {
        Audience::Cohort(CohortId::parse(name).expect("a cohort"))
    }

    /// So many patches for an audience: on trial as the sample is, or in another stage.
    fn many(count: usize, audience: &Audience, stage: Option<Stage>) -> Vec<Patch> {
        let patch = sample::patch(1);
        let stage = stage.unwrap_or(patch.stage.clone());
        let audience = audience.clone();
        vec![
            Patch {
                audience,
                stage,
                ..patch
            };
            count
        ]
    }

    fn stable() -> Option<Stage> {
        let (since, next_look) = (At(0), At(1));
        Some(Stage::Stable { since, next_look })
    }

    /// Who may have one more on trial.
    fn open<'a>(patches: &[Patch], policy: &EvolutionPolicy, asked: &[&'a Audience]) -> Vec<&'a Audience> {
        let cohorts = Cohorts::declare([("fleet", ["c1", "c2"]), ("night", ["c3", "c4"])]).expect("cohorts");
        let occupancy = Occupancy::count(patches.iter());
        let asked = asked.iter().copied();
        asked
            .filter(|audience| occupancy.has_room(audience, policy, &cohorts))
            .collect()
    }

    #[test]
    fn ten_keys_on_trial_for_all_and_in_any_template_and_no_more_z154_z155() {
        let (all, one, two) = (&Audience::Global, &client(1), &client(9));
        let policy = EvolutionPolicy::default();
        let narrow = EvolutionPolicy {
            experimental_max: 2,
            ..EvolutionPolicy::default()
        };
        let queued = Some(Stage::Queued { since: At(0) });
        let (six, own) = (many(6, all, None), |count| many(count, one, None));
        for (patches, policy, expected) in [
            (many(9, all, None), &policy, &[all, one, two][..]),
            (many(10, all, None), &policy, &[]),
            (many(10, all, stable()), &policy, &[all, one, two]),
            (many(10, all, queued), &policy, &[all, one, two]),
            // The scenario's own maximum counts apart from the templates.
            (many(1, all, None), &narrow, &[all, one, two]),
            (many(2, all, None), &narrow, &[one, two]),
            ([six.clone(), own(3)].concat(), &policy, &[all, one, two]),
            // One for all would make it eleven in the template of one; another client is not concerned.
            ([six, own(4)].concat(), &policy, &[two]),
        ] {
            assert_eq!(open(&patches, policy, &[all, one, two]), expected);
        }
    }

    #[test]
    fn what_is_on_trial_for_a_cohort_counts_in_every_members_template_z098_z154() {
        let policy = EvolutionPolicy::default();
        let (fleet, night, all) = (cohort("fleet"), cohort("night"), Audience::Global);
        let clients = [1, 2, 3, 9].map(client);
        let [one, two, three, nine] = clients.each_ref();
        let asked = [&all, &fleet, one, two, &night, three, nine];
        let mut patches = [many(3, &all, None), many(4, &fleet, None), many(2, one, None)].concat();
        assert_eq!(open(&patches, &policy, &asked), asked, "nine in the fullest template");
        patches.extend(many(1, one, None));
        // c1 sees ten: nothing more for anyone who would show it to c1.
        assert_eq!(open(&patches, &policy, &asked), [two, &night, three, nine]);
        patches.extend(many(7, &night, None));
        // Three for all and seven of its own.
        assert_eq!(open(&patches, &policy, &asked), [two, nine]);
        let settled = many(12, &fleet, stable());
        assert_eq!(open(&settled, &policy, &asked), asked, "what stays is not on trial");
    }

    #[test]
    fn five_hundred_personal_keys_z154() {
        let (policy, all, other) = (EvolutionPolicy::default(), Audience::Global, client(1_000));
        let mut patches: Vec<Patch> = (0..499).flat_map(|n| many(1, &client(n), None)).collect();
        assert_eq!(open(&patches, &policy, &[&all, &other]), [&all, &other]);
        patches.extend(many(1, &client(499), stable()));
        assert_eq!(open(&patches, &policy, &[&all, &other]), [&all]);
    }
}

//! The pool's invariants, checked after each step of a simulation.

use std::collections::BTreeSet;

use crate::pool::micro::ARRIVALS_MAX;
use crate::pool::micro::EXAMPLES_MAX;
use crate::pool::micro::Micro;
use crate::pool::micro::centroid;
use crate::pool::state::Pool;

impl Pool {
    /// The first broken invariant, in words.
    ///
    /// # Errors
    /// Names what does not hold: a micro-cluster in no or two clusters, counts that do not add up, negative heat …
    pub fn check(&self) -> Result<(), String> {
        self.check_clusters()?;
        for micro in self.micros.values() {
            check_micro(micro, self.demand)?;
        }
        let members = self.micros.values().map(|micro| micro.members).sum::<u64>();
        hold(members + self.dropped == self.demand, || {
            format!(
                "{members} members and {} dropped make {} fragments",
                self.dropped, self.demand
            )
        })?;
        hold(self.looked_at <= self.demand, || {
            "a look saw more fragments than there are".to_owned()
        })?;
        hold(self.unsummed <= self.demand, || {
            "more fragments without a vector than there are".to_owned()
        })?;
        let ids = self
            .micros
            .keys()
            .map(|id| id.0)
            .chain(self.clusters.keys().map(|id| id.0));
        hold(ids.max().is_none_or(|highest| highest < self.next_id), || {
            "an id lies ahead of the next one".to_owned()
        })
    }

    fn check_clusters(&self) -> Result<(), String> {
        let mut homed = BTreeSet::new();
        for (id, cluster) in &self.clusters {
            hold(cluster.id == *id, || {
                format!("cluster {} is filed under {}", cluster.id.0, id.0)
            })?;
            hold(!cluster.micros.is_empty(), || format!("cluster {} is empty", id.0))?;
            hold(cluster.micros.is_sorted(), || {
                format!("cluster {} is not in order", id.0)
            })?;
            hold(cluster.heat_max_micro >= 0, || {
                format!("cluster {} was never that cold", id.0)
            })?;
            for micro in &cluster.micros {
                hold(homed.insert(*micro), || {
                    format!("micro-cluster {} is in two clusters", micro.0)
                })?;
                hold(self.cluster_of(*micro) == Some(*id), || {
                    format!("micro-cluster {} is not in {}", micro.0, id.0)
                })?;
            }
        }
        let lost = self.micros.keys().find(|id| !homed.contains(id));
        hold(lost.is_none(), || format!("micro-cluster {lost:?} is in no cluster"))
    }
}

fn check_micro(micro: &Micro, demand: u64) -> Result<(), String> {
    let fault = |what: &str| format!("micro-cluster {}: {what}", micro.id.0);
    hold(micro.members > 0, || fault("no member"))?;
    hold(micro.joined_at_demand <= demand, || fault("joined in the future"))?;
    hold(micro.heat.micro >= 0 && micro.capped_heat.micro >= 0, || {
        fault("negative heat")
    })?;
    hold(micro.capped_heat.micro <= micro.heat.micro, || {
        fault("capped heat above all heat")
    })?;
    hold(micro.arrivals.len() <= ARRIVALS_MAX, || fault("too many arrivals"))?;
    hold(micro.arrivals.len() as u64 <= micro.members, || {
        fault("more arrivals than members")
    })?;
    hold(micro.arrivals.is_sorted_by_key(|arrival| arrival.at), || {
        fault("arrivals out of order")
    })?;
    hold(
        !micro.examples.is_empty() && micro.examples.len() <= EXAMPLES_MAX,
        || fault("examples out of bounds"),
    )?;
    hold(micro.centroid == centroid(&micro.sum), || {
        fault("another centroid than its sum's")
    })
}

fn hold(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::Strategy;
    use proptest::prelude::any;
    use proptest::proptest;

    use crate::pool::analysis::Analysis;
    use crate::pool::assignment::Assignment;
    use crate::pool::assignment::Embedded;
    use crate::pool::gate::Audience;
    use crate::pool::gate::open_for;
    use crate::pool::micro::FragmentId;
    use crate::pool::policy::PoolPolicy;
    use crate::pool::recluster::Reclustering;
    use crate::pool::recluster::recluster;
    use crate::pool::state::Pool;
    use schema::name::ClientId;
    use schema::time::At;
    use schema::time::HOUR_MS;
    use text::vector::Vector;

    #[derive(Clone, Debug)]
    enum Step {
        Submit {
            client: u8,
            hours: i64,
            fragments: Vec<(u8, u8)>,
        },
        Look,
        /// Applies a look that was taken some steps before.
        Regroup,
        Forget {
            hours: i64,
        },
        Restore,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let submit = (0..5_u8, 0..30_i64, vec((0..6_u8, any::<u8>()), 1..4)).prop_map(|(client, hours, fragments)| {
            Step::Submit {
                client,
                hours,
                fragments,
            }
        });
        let step = proptest::prop_oneof![
            8 => submit,
            1 => proptest::strategy::Just(Step::Look),
            1 => proptest::strategy::Just(Step::Regroup),
            1 => (0..400_i64).prop_map(|hours| Step::Forget { hours }),
            1 => proptest::strategy::Just(Step::Restore),
        ];
        vec(step, 1..60)
    }

    fn embedded(kind: u8, noise: u8) -> Embedded {
        let mut values = [0.05_f32; 8];
        values[usize::from(kind)] = 1.0;
        values[6] = f32::from(noise) / 200.0;
        Embedded {
            reading: Analysis::default(),
            vector: Vector::quantise(&values).expect("a vector"),
            covered_by: None,
        }
    }

    fn client(number: u8) -> Option<ClientId> {
        (number > 0).then(|| ClientId::parse(&format!("c{number}")).expect("a client"))
    }

    /// What a journal would hold.
    enum Record {
        Placed(Vec<Assignment>, Option<ClientId>, At),
        Regrouped(Reclustering, At),
        Forgotten(At),
    }

    fn replay(records: &[Record]) -> Pool {
        let mut pool = Pool::default();
        for record in records {
            match record {
                Record::Placed(placements, client, at) => {
                    for placement in placements {
                        let text = serde_json::to_string(placement).expect("text");
                        pool.apply(&serde_json::from_str(&text).expect("a placement"), client.as_ref(), *at);
                    }
                }
                Record::Regrouped(regrouping, at) => {
                    let text = serde_json::to_string(regrouping).expect("text");
                    pool.regroup(&serde_json::from_str(&text).expect("a regrouping"), *at);
                }
                Record::Forgotten(before) => pool.forget_before(*before),
            }
        }
        pool
    }

    proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(64))]

        #[test]
        fn any_history_keeps_the_invariants_and_replays_to_the_same_bytes_z083_z088_z101(steps in steps()) {
            let policy = PoolPolicy { micros_max: 12, mature_members_min: 4, block_from_micros: 8, ..PoolPolicy::default() };
            let (mut pool, mut now, mut records) = (Pool::default(), At(0), Vec::new());
            let mut looked = None;
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Submit { client: from, hours, fragments } => {
                        now = now.plus_ms(hours * HOUR_MS);
                        let id = |ordinal| FragmentId { submission: number as u64, ordinal };
                        let fragments = fragments.into_iter().zip(0..).map(|((kind, noise), n)| (id(n), embedded(kind, noise)));
                        let placements = pool.place(fragments.collect(), client(from).as_ref(), now, &policy);
                        for placement in &placements {
                            pool.apply(placement, client(from).as_ref(), now);
                            if let Assignment::Joined { micro, heat, cluster, cluster_heat_micro, .. } = placement {
                                assert_eq!(pool.cluster_of(*micro), Some(*cluster));
                                assert_eq!(pool.micros[micro].heat, *heat);
                                assert_eq!(pool.heat_micro(*cluster, now, &policy), *cluster_heat_micro);
                            }
                        }
                        records.push(Record::Placed(placements, client(from), now));
                    }
                    Step::Look => looked = Some(recluster(&pool, &policy)),
                    Step::Regroup => {
                        if let Some(regrouping) = looked.take() {
                            pool.regroup(&regrouping, now);
                            records.push(Record::Regrouped(regrouping, now));
                        }
                    }
                    Step::Forget { hours } => {
                        let before = now.plus_ms(-hours * HOUR_MS);
                        pool.forget_before(before);
                        records.push(Record::Forgotten(before));
                    }
                    Step::Restore => {
                        let text = serde_json::to_string(&pool).expect("text");
                        let restored = serde_json::from_str::<Pool>(&text).expect("a pool");
                        assert_eq!(restored, pool);
                        pool = restored;
                    }
                }
                assert_eq!(pool.check(), Ok(()));
            }
            let bytes = |pool: &Pool| serde_json::to_string(pool).expect("text");
            assert_eq!(bytes(&replay(&records)), bytes(&pool));
        }

        #[test]
        fn one_client_never_opens_the_gate_for_all_z096_z104(hours in vec(0..12_i64, 1..60), anonymous in vec(any::<bool>(), 60)) {
            let policy = PoolPolicy::default();
            let (mut pool, mut now) = (Pool::default(), At(0));
            for (number, hours) in hours.into_iter().enumerate() {
                now = now.plus_ms(hours * HOUR_MS);
                let from = client(u8::from(!anonymous[number]));
                let id = FragmentId { submission: number as u64, ordinal: 0 };
                for placement in pool.place(vec![(id, embedded(0, 0))], from.as_ref(), now, &policy) {
                    pool.apply(&placement, from.as_ref(), now);
                }
                for cluster in pool.clusters.keys() {
                    let gate = pool.gate(*cluster, now, &policy);
                    assert_ne!(open_for(&gate, &policy), Some(Audience::Global));
                }
            }
        }
    }
}

//! Where each fragment of some submissions goes: the pool is drafted as it will be once the earlier ones have joined.
//!
//! Decides alone; the pool changes where what was decided is applied.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::pool::assignment::Arriving;
use crate::pool::assignment::Assignment;
use crate::pool::assignment::Embedded;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::micro::Joining;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::nearest::nearest;
use crate::pool::policy::PoolPolicy;
use crate::pool::state::Pool;
use schema::name::ClientId;
use schema::time::At;
use schema::time::DAY_MS;
use text::vector::Cosine;
use text::vector::Vector;

/// After so many fragments of one client within 24 hours the capped heat adds nothing.
pub(in crate::pool) const CAPPED_FRAGMENTS_MAX: u32 = 40;

impl Pool {
    /// Decides where the fragments of one submission go, in order: the nearest micro-cluster
    /// at or above the threshold, ties to the lowest id (Z-087), else a new one. A later fragment may join what an
    /// earlier one of the same submission opened; only the first one to reach a cluster heats it (Z-101).
    pub fn place(
        &self,
        fragments: Vec<(FragmentId, Embedded)>,
        client: Option<&ClientId>,
        at: At,
        policy: &PoolPolicy,
    ) -> Vec<Assignment> {
        let arriving = Arriving {
            fragments,
            client: client.cloned(),
            at,
            requested: false,
        };
        self.place_all(vec![arriving], policy).pop().unwrap_or_default()
    }

    /// The same for several submissions, in order: a later one may join what an earlier one opened.
    pub fn place_all(&self, arriving: Vec<Arriving>, policy: &PoolPolicy) -> Vec<Vec<Assignment>> {
        let mut draft = Draft {
            pool: self,
            touched: BTreeMap::new(),
            opened: Vec::new(),
            heated: BTreeSet::new(),
            next_id: self.next_id,
        };
        let mut placed = Vec::with_capacity(arriving.len());
        for Arriving {
            fragments,
            client,
            at,
            requested,
        } in arriving
        {
            draft.heated.clear();
            let source = Source {
                client: client.as_ref(),
                at,
                requested,
            };
            let placements = fragments
                .into_iter()
                .map(|(fragment, embedded)| match embedded.covered_by {
                    Some(key) => Assignment::Covered { fragment, key },
                    None => draft.place(fragment, &embedded, source, policy),
                });
            placed.push(placements.collect());
        }
        placed
    }
}

/// Whose a fragment is, when it came and how.
#[derive(Clone, Copy)]
struct Source<'a> {
    client: Option<&'a ClientId>,
    at: At,
    requested: bool,
}

/// The pool as it will be once earlier fragments and submissions have joined.
struct Draft<'a> {
    pool: &'a Pool,
    touched: BTreeMap<MicroId, Micro>,
    /// Opened here, in order.
    opened: Vec<MicroId>,
    /// Clusters that this submission has heated already.
    heated: BTreeSet<ClusterId>,
    next_id: u64,
}

impl Draft<'_> {
    fn place(
        &mut self,
        fragment: FragmentId,
        embedded: &Embedded,
        source: Source<'_>,
        policy: &PoolPolicy,
    ) -> Assignment {
        let Source { client, at, requested } = source;
        let reading = embedded.reading.clone();
        let found = self.nearest(&embedded.vector, policy);
        let opened = found.is_none();
        let id = found.unwrap_or(MicroId(self.next_id));
        // Its draft stays where it is until this one takes its place: what a client said earlier in a batch counts.
        let mut micro = match self.touched.get(&id).or_else(|| self.pool.micros.get(&id)) {
            Some(micro) => micro.clone(),
            None => {
                self.next_id = self.next_id.saturating_add(1);
                self.opened.push(id);
                Micro::open(id, ClusterId(id.0), at)
            }
        };
        let cluster = micro.cluster;
        let (mut raise, mut capped_raise) = (0, 0);
        if self.heated.insert(cluster) {
            raise = policy.raise(requested);
            let earlier = self.recent_submissions(cluster, fragment.submission, client, at);
            capped_raise = raise >> earlier.min(CAPPED_FRAGMENTS_MAX);
        }
        let heat = micro.heat.raised(at, policy.heat_half_life_s, raise);
        let capped_heat = micro.capped_heat.raised(at, policy.heat_half_life_s, capped_raise);
        micro.join(
            &Joining {
                fragment,
                vector: &embedded.vector,
                client,
                at,
                requested,
                heat,
                capped_heat,
            },
            0,
        );
        self.touched.insert(id, micro);
        Assignment::Joined {
            fragment,
            micro: id,
            cluster,
            opened,
            requested,
            reading,
            vector: embedded.vector.clone(),
            heat,
            capped_heat,
            cluster_heat_micro: self.cluster_heat(cluster, at, policy),
        }
    }

    /// The micro-clusters as far as they are drafted, ascending.
    fn micros(&self) -> impl Iterator<Item = &Micro> {
        let standing = self.pool.micros.values();
        let standing = standing.map(|micro| self.touched.get(&micro.id).unwrap_or(micro));
        standing.chain(self.opened.iter().filter_map(|id| self.touched.get(id)))
    }

    /// The micro-cluster to join, if one is near enough.
    fn nearest(&self, vector: &Vector, policy: &PoolPolicy) -> Option<MicroId> {
        let (index, cosine) = nearest(self.micros().map(|micro| micro.centroid.as_slice()), vector)?;
        let found = self.micros().nth(index).map(|micro| micro.id);
        found.filter(|_| cosine.reaches(Cosine::of(policy.micro_cosine_min)))
    }

    /// A cluster's micro-clusters, as far as they are drafted.
    fn micros_of(&self, cluster: ClusterId) -> impl Iterator<Item = &Micro> {
        let standing = self.pool.micros_of(cluster);
        let standing = standing.map(|micro| self.touched.get(&micro.id).unwrap_or(micro));
        let opened = self.opened.iter().filter_map(|id| self.touched.get(id));
        standing.chain(opened.filter(move |micro| micro.cluster == cluster))
    }

    fn cluster_heat(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> i64 {
        self.micros_of(cluster)
            .map(|micro| micro.heat.cooled(at, policy.heat_half_life_s).micro)
            .fold(0, i64::saturating_add)
    }

    /// Other submissions of a client that reached a cluster within 24 hours; all anonymous clients are one.
    fn recent_submissions(&self, cluster: ClusterId, submission: u64, client: Option<&ClientId>, at: At) -> u32 {
        let mut found = BTreeSet::new();
        for micro in self.micros_of(cluster) {
            let recent = micro
                .arrivals
                .iter()
                .rev()
                .take_while(|arrival| at.since_ms(arrival.at) <= DAY_MS);
            for arrival in recent {
                if arrival.client.as_ref() == client && arrival.fragment.submission != submission {
                    found.insert(arrival.fragment.submission);
                    if found.len() >= CAPPED_FRAGMENTS_MAX as usize {
                        return CAPPED_FRAGMENTS_MAX;
                    }
                }
            }
        }
        found.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use crate::pool::analysis::Analysis;
    use crate::pool::assignment::Arriving;
    use crate::pool::assignment::Assignment;
    use crate::pool::assignment::Embedded;
    use crate::pool::heat::MICRO;
    use crate::pool::micro::FragmentId;
    use crate::pool::policy::PoolPolicy;
    use crate::pool::state::Pool;
    use schema::name::ClientId;
    use schema::name::KeyName;
    use schema::time::At;
    use schema::time::DAY_MS;
    use text::vector::Vector;

    fn plain(cosine: f64) -> Embedded {
        let vector = Vector::quantise_wide(vec![cosine, (1.0 - cosine * cosine).sqrt(), 0.0]).expect("a vector");
        Embedded {
            reading: Analysis::default(),
            vector,
            covered_by: None,
        }
    }

    /// Places and applies one submission.
    fn submit(pool: &mut Pool, submission: u64, said: Vec<Embedded>, client: Option<&str>, at: At) -> Vec<Assignment> {
        let client = client.and_then(ClientId::parse);
        let id = |ordinal| FragmentId { submission, ordinal };
        let said = said
            .into_iter()
            .zip(0..)
            .map(|(embedded, ordinal)| (id(ordinal), embedded))
            .collect();
        let placements = pool.place(said, client.as_ref(), at, &PoolPolicy::default());
        for placement in &placements {
            pool.apply(placement, client.as_ref(), at);
        }
        assert_eq!(pool.check(), Ok(()));
        placements
    }

    fn heats(placement: &Assignment) -> (i64, i64) {
        match placement {
            Assignment::Joined { heat, capped_heat, .. } => (heat.micro / 1_000, capped_heat.micro / 1_000),
            Assignment::Dropped { .. } | Assignment::Covered { .. } | Assignment::Failed { .. } => (0, 0),
        }
    }

    #[test]
    fn a_fragment_joins_at_the_threshold_and_opens_a_cluster_below_it_z083_z086_z087() {
        for (cosine, micros) in [(0.86, 1), (0.85, 1), (0.84, 2)] {
            let mut pool = Pool::default();
            submit(&mut pool, 1, vec![plain(1.0)], None, At(0));
            submit(&mut pool, 2, vec![plain(cosine)], None, At(0));
            assert_eq!((pool.micros.len(), pool.clusters.len()), (micros, micros), "{cosine}");
        }
    }

    #[test]
    fn one_submission_heats_a_cluster_once_z101_z090() {
        let mut pool = Pool::default();
        let placed = submit(&mut pool, 1, vec![plain(1.0), plain(1.0), plain(0.0)], None, At(0));
        let heats = placed.iter().map(heats).collect::<Vec<_>>();
        assert_eq!(heats, [(20_000, 20_000), (20_000, 20_000), (20_000, 20_000)]);
        assert_eq!(
            pool.heat_micro(crate::pool::micro::ClusterId(0), At(0), &PoolPolicy::default()),
            20 * MICRO
        );
    }

    #[test]
    fn each_further_fragment_of_one_client_within_a_day_adds_half_to_the_capped_heat_z104() {
        let mut pool = Pool::default();
        let mut capped = Vec::new();
        for (submission, client) in [
            (1, Some("a")),
            (2, Some("a")),
            (3, Some("b")),
            (4, None),
            (5, None),
            (6, Some("a")),
        ] {
            capped.push(heats(
                &submit(&mut pool, submission, vec![plain(1.0)], client, At(0))[0],
            ));
        }
        assert_eq!(
            capped,
            [
                (20_000, 20_000),
                (40_000, 30_000),
                (60_000, 50_000),
                (80_000, 70_000),
                (100_000, 80_000),
                (120_000, 85_000)
            ]
        );
    }

    #[test]
    fn a_client_gains_nothing_by_what_is_read_together_z104() {
        let policy = PoolPolicy::default();
        let client = ClientId::parse("a");
        for standing in [0, 1] {
            let mut pool = Pool::default();
            for submission in 0..standing {
                submit(&mut pool, submission, vec![plain(1.0)], Some("b"), At(0));
            }
            let arriving = (10..13).map(|submission| Arriving {
                fragments: vec![(FragmentId { submission, ordinal: 0 }, plain(1.0))],
                client: client.clone(),
                at: At(0),
                requested: false,
            });
            let together: Vec<_> = pool.place_all(arriving.collect(), &policy).concat();
            let singly = (10..13).map(|submission| submit(&mut pool, submission, vec![plain(1.0)], Some("a"), At(0)));
            let singly: Vec<_> = singly.collect::<Vec<_>>().concat();
            let of = |placed: &[Assignment]| placed.iter().map(heats).collect::<Vec<_>>();
            assert_eq!(of(&together), of(&singly), "{standing}");
        }
    }

    #[test]
    fn a_day_later_a_client_counts_in_full_again_z104() {
        for (dt, added) in [(DAY_MS, 10 * MICRO), (DAY_MS + 1, 20 * MICRO)] {
            let mut pool = Pool::default();
            submit(&mut pool, 1, vec![plain(1.0)], Some("a"), At(0));
            let placed = submit(&mut pool, 2, vec![plain(1.0)], Some("a"), At(dt));
            let Assignment::Joined { capped_heat, .. } = &placed[0] else {
                panic!("not joined")
            };
            assert!(
                (capped_heat.micro - (10 * MICRO + added)).abs() <= 1,
                "{dt}: {capped_heat:?}"
            );
        }
    }

    #[test]
    fn what_a_key_holds_neither_heats_nor_opens_z088() {
        let mut pool = Pool::default();
        let covered_by = KeyName::parse("seat_preference");
        let placed = submit(
            &mut pool,
            1,
            vec![Embedded {
                covered_by,
                ..plain(1.0)
            }],
            None,
            At(0),
        );
        assert!(matches!(placed[0], Assignment::Covered { .. }));
        assert_eq!(pool, Pool::default());
    }

    #[test]
    fn vectors_of_another_width_open_their_own_z103() {
        let mut pool = Pool::default();
        submit(&mut pool, 1, vec![plain(1.0)], None, At(0));
        let vector = Vector::quantise(&[1.0, 0.0]).expect("a vector");
        submit(&mut pool, 2, vec![Embedded { vector, ..plain(1.0) }], None, At(0));
        assert_eq!(pool.micros.len(), 2);
        pool.model = "minilm".to_owned();
        assert!(pool.speaks("minilm") && !pool.speaks("other") && Pool::default().speaks("other"));
    }
}

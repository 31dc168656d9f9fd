//! Where one fragment goes: decided once by [`crate::domain::pool::state::Pool::place`], recorded, then applied.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::facet::FacetKey;
use crate::domain::pool::gate::units;
use crate::domain::pool::heat::Heat;
use crate::domain::pool::micro::FragmentId;
use crate::domain::pool::micro::Joining;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::micro::MicroId;
use crate::domain::pool::nearest::nearest;
use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::reading::NoDemand;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::state::Pool;
use crate::domain::pool::vector::Cosine;
use crate::domain::pool::vector::Vector;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::KeyName;
use crate::domain::time::At;
use crate::domain::time::DAY_MS;

/// A fragment that was read and embedded, not yet placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    pub reading: Reading,
    pub vector: Vector,
    /// Keys in force for the submitting client that this fragment says the value of already (DESIGN §5.5), best first.
    pub covered_by: Option<KeyName>,
}

/// What became of one fragment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
pub enum Placement {
    /// Carries no demand.
    Dropped { fragment: FragmentId, reason: NoDemand },
    /// Says what a key already holds; credited to it.
    Covered { fragment: FragmentId, key: KeyName },
    /// Joined a micro-cluster, or opened one.
    Joined {
        fragment: FragmentId,
        micro: MicroId,
        cluster: ClusterId,
        /// Whether the micro-cluster (and with it a cluster of its own) was opened by this fragment.
        opened: bool,
        reading: Reading,
        vector: Vector,
        /// The micro-cluster's heats after joining: all of it, and the one that one client cannot drive alone.
        heat: Heat,
        capped_heat: Heat,
        /// The whole cluster's heat after joining, in micro-units.
        cluster_heat_micro: i64,
    },
    /// Could not be embedded (the model failed on it); kept out, counted.
    Failed { fragment: FragmentId },
}

/// From the so-manieth fragment of one client within 24 hours on, the capped heat adds nothing.
const CAPPED_FRAGMENTS_MAX: u32 = 40;

impl Pool {
    /// Decides where the fragments of one submission go, in order: the nearest micro-cluster of the same types and roles
    /// at or above the threshold, ties to the lowest id (Z-087), else a new one. A later fragment may join what an
    /// earlier one of the same submission opened; only the first one to reach a cluster heats it (Z-101).
    pub fn place(
        &self,
        fragments: Vec<(FragmentId, Embedded)>,
        client: Option<&ClientId>,
        at: At,
        policy: &PoolPolicy,
    ) -> Vec<Placement> {
        let mut draft = Draft {
            pool: self,
            touched: BTreeMap::new(),
            opened: Vec::new(),
            heated: BTreeSet::new(),
            next_id: self.next_id,
        };
        fragments
            .into_iter()
            .map(|(fragment, embedded)| match embedded.covered_by {
                Some(key) => Placement::Covered { fragment, key },
                None => draft.place(fragment, &embedded, client, at, policy),
            })
            .collect()
    }
}

/// The pool as it will be once the submission's earlier fragments have joined.
struct Draft<'a> {
    pool: &'a Pool,
    touched: BTreeMap<MicroId, (Micro, Vec<i16>)>,
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
        client: Option<&ClientId>,
        at: At,
        policy: &PoolPolicy,
    ) -> Placement {
        let reading = embedded.reading.believed(&self.pool.seen);
        let found = self.nearest(&reading, &embedded.vector, policy);
        let opened = found.is_none();
        let id = found.unwrap_or(MicroId(self.next_id));
        let mut micro = match (self.touched.remove(&id), self.pool.micros.get(&id)) {
            (Some((micro, _)), _) => micro,
            (None, Some(micro)) => micro.clone(),
            (None, None) => {
                self.next_id = self.next_id.saturating_add(1);
                self.opened.push(id);
                Micro::open(id, ClusterId(id.0), &reading, at)
            }
        };
        let cluster = micro.cluster;
        let (mut raise, mut capped_raise) = (0, 0);
        if self.heated.insert(cluster) {
            raise = units(policy.heat_increment);
            let earlier = self.recent_submissions(cluster, fragment.submission, client, at);
            capped_raise = raise >> earlier.min(CAPPED_FRAGMENTS_MAX);
        }
        let heat = micro.heat.raised(at, policy.heat_half_life_s, raise);
        let capped_heat = micro.capped_heat.raised(at, policy.heat_half_life_s, capped_raise);
        micro.join(
            &Joining {
                fragment,
                reading: &reading,
                vector: &embedded.vector,
                client,
                at,
                heat,
                capped_heat,
            },
            0,
        );
        let centroid = micro.centroid();
        self.touched.insert(id, (micro, centroid));
        Placement::Joined {
            fragment,
            micro: id,
            cluster,
            opened,
            reading,
            vector: embedded.vector.clone(),
            heat,
            capped_heat,
            cluster_heat_micro: self.cluster_heat(cluster, at, policy),
        }
    }

    /// The micro-cluster to join, if one is near enough.
    fn nearest(&self, reading: &Reading, vector: &Vector, policy: &PoolPolicy) -> Option<MicroId> {
        let key = FacetKey::of(reading, vector.width());
        let standing = self
            .pool
            .facets
            .rows(&key)
            .map(|(id, row)| match self.touched.get(&id) {
                Some((_, centroid)) => (id, centroid.as_slice()),
                None => (id, row),
            });
        let opened = self.opened.iter().filter_map(|id| {
            let (micro, centroid) = self.touched.get(id)?;
            (FacetKey::of(&micro.reading, centroid.len()) == key).then_some((*id, centroid.as_slice()))
        });
        let candidates = standing.chain(opened).collect::<Vec<_>>();
        let (index, cosine) = nearest(candidates.iter().map(|(_, row)| *row), vector)?;
        cosine
            .reaches(Cosine::of(policy.micro_cosine_min))
            .then(|| candidates[index].0)
    }

    /// A cluster's micro-clusters, as far as they are drafted.
    fn micros_of(&self, cluster: ClusterId) -> impl Iterator<Item = &Micro> {
        let standing = self
            .pool
            .micros_of(cluster)
            .map(|micro| self.touched.get(&micro.id).map_or(micro, |(m, _)| m));
        let opened = self
            .opened
            .iter()
            .filter_map(|id| self.touched.get(id))
            .map(|(micro, _)| micro);
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

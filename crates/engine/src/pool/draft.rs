//! Where the fragments of some submissions go: the pool is drafted as it will be once the earlier ones have joined.
//!
//! Decides alone; the pool changes where what was decided is applied.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use text::vector::Cosine;
use text::vector::Vector;
use text::vector::nearest;

use crate::pool::assignment::Arriving;
use crate::pool::assignment::Assignment;
use crate::pool::assignment::Embedded;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::micro::Joining;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::policy::PoolPolicy;
use crate::pool::state::Pool;
use schema::time::DAY_MS;

/// After so many fragments of one client within 24 hours the capped heat adds nothing.
pub(in crate::pool) const CAPPED_FRAGMENTS_MAX: u32 = 40;

impl Pool {
    /// Decides where the fragments of some submissions go, in order: the nearest micro-cluster at or above the threshold, ties to
    /// the lowest id (Z-087), else a new one. A later fragment may join what an earlier one opened; of one submission only the first
    /// to reach a cluster heats it (Z-101).
    pub fn assign(&self, arriving: &[Arriving], policy: &PoolPolicy) -> Vec<Vec<Assignment>> {
        let mut draft = Draft {
            pool: self,
            touched: BTreeMap::new(),
            heated: BTreeSet::new(),
            next_id: self.next_id,
        };
        let mut submission = |arriving: &Arriving| {
            draft.heated.clear();
            let fragments = arriving.fragments.iter();
            let assigned = fragments.map(|(fragment, embedded)| match embedded.covered_by.clone() {
                Some(key) => Assignment::Covered {
                    fragment: *fragment,
                    key,
                },
                None => draft.join(*fragment, embedded, arriving, policy),
            });
            assigned.collect()
        };
        arriving.iter().map(&mut submission).collect()
    }
}

/// The pool as it will be once earlier fragments and submissions have joined.
struct Draft<'a> {
    pool: &'a Pool,
    /// What is in the place of a micro-cluster, or opened: that has an id behind all others.
    touched: BTreeMap<MicroId, Micro>,
    /// Clusters that this submission has heated already.
    heated: BTreeSet<ClusterId>,
    next_id: u64,
}

impl Draft<'_> {
    fn join(
        &mut self,
        fragment: FragmentId,
        embedded: &Embedded,
        arriving: &Arriving,
        policy: &PoolPolicy,
    ) -> Assignment {
        let (at, requested) = (arriving.at, arriving.requested);
        let found = self.nearest(&embedded.vector, policy);
        let id = found.unwrap_or(MicroId(self.next_id));
        // Its draft stays where it is until this one takes its place: what a client said earlier in a batch counts.
        let mut micro = match self.touched.get(&id).or_else(|| self.pool.micros.get(&id)) {
            Some(micro) => micro.clone(),
            None => {
                self.next_id = self.next_id.saturating_add(1);
                Micro::open(id, ClusterId(id.0), at)
            }
        };
        let cluster = micro.cluster;
        let (mut raise, mut capped_raise) = (0, 0);
        if self.heated.insert(cluster) {
            raise = policy.raise(requested);
            let earlier = self.recent_submissions(cluster, fragment.submission, arriving);
            capped_raise = raise >> earlier.min(CAPPED_FRAGMENTS_MAX);
        }
        let heat = micro.heat.raised(at, policy.heat_half_life_s, raise);
        let capped_heat = micro.capped_heat.raised(at, policy.heat_half_life_s, capped_raise);
        let joining = Joining {
            fragment,
            vector: &embedded.vector,
            client: arriving.client.as_ref(),
            at,
            requested,
            heat,
            capped_heat,
        };
        micro.join(&joining, 0);
        self.touched.insert(id, micro);
        let heats = self.micros_of(cluster).map(|micro| micro.heat);
        let cooled = heats.map(|heat| heat.cooled(at, policy.heat_half_life_s).micro);
        Assignment::Joined {
            fragment,
            micro: id,
            cluster,
            opened: found.is_none(),
            requested,
            reading: embedded.reading.clone(),
            vector: embedded.vector.clone(),
            heat,
            capped_heat,
            cluster_heat_micro: cooled.fold(0, i64::saturating_add),
        }
    }

    /// Some micro-clusters of the pool as far as they are drafted, and those that were opened, ascending.
    fn drafted<'d>(&'d self, standing: impl Iterator<Item = &'d Micro>) -> impl Iterator<Item = &'d Micro> {
        let standing = standing.map(|micro| self.touched.get(&micro.id).unwrap_or(micro));
        standing.chain(self.touched.range(MicroId(self.pool.next_id)..).map(|(_, micro)| micro))
    }

    fn micros_of(&self, cluster: ClusterId) -> impl Iterator<Item = &Micro> {
        let drafted = self.drafted(self.pool.micros_of(cluster));
        drafted.filter(move |micro| micro.cluster == cluster)
    }

    /// The micro-cluster to join, if one is near enough.
    fn nearest(&self, vector: &Vector, policy: &PoolPolicy) -> Option<MicroId> {
        let micros = || self.drafted(self.pool.micros.values());
        let (index, cosine) = nearest(micros().map(|micro| micro.centroid.as_slice()), vector)?;
        let found = micros().nth(index).map(|micro| micro.id);
        found.filter(|_| cosine.reaches(Cosine::of(policy.micro_cosine_min)))
    }

    /// Other submissions of a client that reached a cluster within 24 hours; all anonymous clients are one.
    fn recent_submissions(&self, cluster: ClusterId, submission: u64, arriving: &Arriving) -> u32 {
        let mut found = BTreeSet::new();
        for micro in self.micros_of(cluster) {
            let recent = micro.arrivals.iter().rev();
            let recent = recent.take_while(|arrival| arriving.at.since_ms(arrival.at) <= DAY_MS);
            for arrival in recent {
                if arrival.client == arriving.client && arrival.fragment.submission != submission {
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

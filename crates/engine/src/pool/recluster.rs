//! Reclustering: the micro-clusters of a whole pool in groups by what they mean (Z-086, Z-088, Z-096).
//!
//! In order: the coldest go where there are too many; each meaning is centred in the pool; what a reader put together stays together
//! and takes in what is near; the rest is linked to one threshold for each model; each group goes on as the cluster that most of
//! it was. Planning reads a copy of the pool and may take long; applying takes the pool as it has become since. Invariant: no
//! micro-cluster is lost: what joined since stays where it joined, and one that was to be dropped and was joined since is kept.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::pool::heading::Heading;
use crate::pool::heat;
use crate::pool::linkage::Feature;
use crate::pool::linkage::centred;
use crate::pool::linkage::link;
use crate::pool::micro::ClusterId;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::policy::PoolPolicy;
use crate::pool::reclustering::Group;
use crate::pool::reclustering::Reclustering;
use crate::pool::state::Cluster;
use crate::pool::state::Pool;
use schema::name::ClientId;
use schema::time::At;
use text::vector::UNIT;

/// Plans a reclustering. Pure and deterministic; takes long, so it runs beside the pool on a copy.
pub fn recluster(pool: &Pool, policy: &PoolPolicy) -> Reclustering {
    let dropped = cold(pool, policy.micros_max);
    let width = pool.sum.components().len();
    let micros = pool
        .micros
        .values()
        .filter(|micro| micro.sum.components().len() == width && dropped.binary_search(&micro.id).is_err())
        .collect::<Vec<_>>();
    let groups = grouped(pool, &micros, policy).into_iter().map(|micros| (micros, None));
    Reclustering {
        dropped,
        ..Reclustering::of(pool, groups.collect(), policy.members_min())
    }
}

/// The share of the places that one client may hold by what it alone says: one in so many.
const CLIENT_PART: usize = 8;

/// The micro-clusters that have to go, sorted: of each named client's own those beyond its share, and of all those beyond the bound, first
/// what the anonymous clients alone say beyond such a share. Fewest members go first, the one that rested longest first among these.
fn cold(pool: &Pool, micros_max: usize) -> Vec<MicroId> {
    let share = (micros_max / CLIENT_PART).max(1);
    let mut held = BTreeMap::<Option<&ClientId>, usize>::new();
    for owner in pool.micros.values().filter_map(owner) {
        *held.entry(owner).or_default() += 1;
    }
    let mut order: Vec<&Micro> = pool.micros.values().collect();
    order.sort_unstable_by_key(|micro| (micro.members, micro.heat.at, micro.id));
    let (mut dropped, mut crowding, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for micro in order {
        let owner = owner(micro);
        match owner
            .and_then(|owner| held.get_mut(&owner))
            .filter(|held| **held > share)
        {
            Some(held) => {
                *held -= 1;
                let goes = if owner.flatten().is_some() {
                    &mut dropped
                } else {
                    &mut crowding
                };
                goes.push(micro.id);
            }
            None => kept.push(micro.id),
        }
    }
    let surplus = (crowding.len() + kept.len()).saturating_sub(micros_max.max(1));
    dropped.extend(crowding.into_iter().chain(kept).take(surplus));
    dropped.sort_unstable();
    dropped
}

/// Who alone says what a micro-cluster holds, the anonymous clients as one; nothing where several do, or where that is too
/// long ago to be known.
fn owner(micro: &Micro) -> Option<Option<&ClientId>> {
    let mut clients = micro.arrivals.iter().map(|arrival| arrival.client.as_ref());
    let first = clients.next()?;
    clients.all(|client| client == first).then_some(first)
}

/// Mean likeness at which linkage stops where neither the policy nor the model's calibration says: between those of the two models at hand.
pub const LINK: f64 = 0.2;

/// All micro-clusters in groups, by their meaning alone.
fn grouped(pool: &Pool, micros: &[&Micro], policy: &PoolPolicy) -> Vec<Vec<MicroId>> {
    let mean = pool.mean();
    let share = centring(pool);
    let each = micros.iter().map(|micro| {
        let members = micro.members as f64;
        Feature::of(members, centred(micro.sum.components(), members, &mean, share))
    });
    let features: Vec<Feature> = each.collect();
    let link_min = if policy.link_min > 0.0 { policy.link_min } else { LINK };
    // Meanings that keep a share of what all have in common are alike by that much more.
    let stop = share * link_min + (1.0 - share) * link_min.max(UNCENTRED_LINK);
    let (mut groups, unread) = read(micros, &features, stop);
    groups.extend(link(&features, &unread, stop, policy.block_from_micros));
    let ids = |mut places: Vec<usize>| {
        places.sort_unstable();
        places.into_iter().map(|place| micros[place].id).collect()
    };
    groups.into_iter().map(ids).collect()
}

/// From this demand on a pool's mean is what its service talks about in general, whatever it is.
const SETTLED_DEMAND: u64 = 50;
/// Mean cosines between the fragments of a small pool that speaks of several things, and of one that speaks of one.
const MANIFOLD_COSINE: f64 = 0.35;
const ONEFOLD_COSINE: f64 = 0.65;

/// Mean likeness at which linkage stops where nothing is taken away: in the middle between the two.
const UNCENTRED_LINK: f64 = 0.5;

/// The share of the pool's mean to take away. In a small pool that speaks of one thing the mean is that thing, and taking it
/// away would leave nothing to recognise it by.
fn centring(pool: &Pool) -> f64 {
    let summed = pool.summed();
    let count = summed as f64;
    if !(2..SETTLED_DEMAND).contains(&summed) {
        return 1.0;
    }
    let components = pool.sum.components().iter();
    let square = components.map(|&sum| (sum as f64 / UNIT).powi(2)).sum::<f64>();
    let cosine = (square - count) / (count * (count - 1.0));
    ((ONEFOLD_COSINE - cosine) / (ONEFOLD_COSINE - MANIFOLD_COSINE)).clamp(0.0, 1.0)
}

/// How much more like one member of a cluster that was read a fragment has to be than the members of a cluster are on average, to belong
/// to it before the reader has seen it.
const NEAR: f64 = 2.0;
/// Clusters whose members a fragment is held against, those whose middle is most like it; and members of each, spread over it. So what
/// is near is found in a third of the time that linkage takes for a full pool, where all pairs took three times as long; on what ten
/// services said and a reader read, F1 is no lower than by all pairs.
const COMPARED_CLUSTERS: usize = 4;
const COMPARED_MEMBERS: usize = 64;

/// What a reader put together stays together, and takes in what is nearest to one of its members; the rest is left to be linked.
fn read(micros: &[&Micro], features: &[Feature], stop: f64) -> (Vec<Vec<usize>>, Vec<usize>) {
    let (read, mut unread): (Vec<usize>, Vec<usize>) = (0..micros.len()).partition(|place| micros[*place].is_read);
    let mut groups = BTreeMap::<ClusterId, Vec<usize>>::new();
    for place in read {
        groups.entry(micros[place].cluster).or_default().push(place);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    let members = |group: &Vec<usize>| -> Vec<usize> {
        let every = group.len().div_ceil(COMPARED_MEMBERS);
        group.iter().copied().step_by(every).collect()
    };
    let compared: Vec<Vec<usize>> = groups.iter().map(members).collect();
    let middle = |group: &Vec<usize>| Feature::of_all(group.iter().map(|place| &features[*place]));
    let middles: Vec<Feature> = groups.iter().map(middle).collect();
    let home = |own: &Feature| {
        let mut likest: Vec<(f64, usize)> = middles.iter().map(|middle| own.similarity(middle)).zip(0..).collect();
        likest.sort_by(|one, other| other.0.total_cmp(&one.0));
        let likest = likest.into_iter().take(COMPARED_CLUSTERS);
        let pairs = likest.flat_map(|(_, group)| compared[group].iter().map(move |place| (group, place)));
        let likenesses = pairs.map(|(group, place)| (own.similarity(&features[*place]), group));
        likenesses
            .filter(|(likeness, _)| *likeness >= NEAR * stop)
            .max_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)))
            .map(|(_, group)| group)
    };
    unread.retain(|place| match home(&features[*place]) {
        Some(group) => {
            groups[group].push(*place);
            false
        }
        None => true,
    });
    (groups, unread)
}

impl Reclustering {
    /// Of some groups that do not overlap, with what a reader says of each: ids live through merges and splits, and never collide.
    ///
    /// A cluster goes on as the group with most of its members, the first on a tie. Of several clusters in one group one that is large
    /// enough to have opened a gate outlives the others, because something may have come of it, and then the oldest. A group that no
    /// cluster goes on as takes the number of its lowest micro-cluster, under which that one was opened, or a fresh one where that is
    /// taken.
    pub fn of(pool: &Pool, mut groups: Vec<(Vec<MicroId>, Option<Heading>)>, members_min: u64) -> Reclustering {
        groups.sort_by(|one, other| one.0.cmp(&other.0));
        let mut shares = BTreeMap::<ClusterId, BTreeMap<usize, u64>>::new();
        for (at, (micros, _)) in groups.iter().enumerate() {
            for micro in micros.iter().filter_map(|id| pool.micros.get(id)) {
                *shares.entry(micro.cluster).or_default().entry(at).or_default() += micro.members;
            }
        }
        let mut claims = vec![Vec::<ClusterId>::new(); groups.len()];
        for (cluster, share) in shares {
            let most = share.into_iter().max_by_key(|(at, members)| (*members, Reverse(*at)));
            if let Some((at, _)) = most {
                claims[at].push(cluster);
            }
        }
        let mut absorbed = BTreeMap::new();
        let mut next = pool.next_id;
        let mut identity = |micros: &[MicroId], mut claims: Vec<ClusterId>| {
            claims.sort_by_key(|cluster| (pool.members(*cluster) < members_min, *cluster));
            if let Some((first, others)) = claims.split_first() {
                absorbed.extend(others.iter().map(|other| (*other, *first)));
                return *first;
            }
            let own = micros.first().map(|lowest| ClusterId(lowest.0));
            own.filter(|id| !pool.clusters.contains_key(id)).unwrap_or_else(|| {
                next = next.saturating_add(1);
                ClusterId(next - 1)
            })
        };
        let named = groups.into_iter().zip(claims);
        let groups = named.map(|((micros, heading), claims)| Group {
            cluster: identity(&micros, claims),
            micros,
            heading,
        });
        Reclustering {
            looked_at: pool.demand,
            next_id: pool.next_id,
            groups: groups.collect(),
            absorbed,
            dropped: Vec::new(),
            more: false,
        }
    }

    /// The same without the groups that are clusters of the pool as they stand: what stays as it is need not be on record, and all of a
    /// large pool would be too long for one.
    #[must_use]
    pub fn changing(mut self, pool: &Pool) -> Reclustering {
        self.groups.retain(|group| {
            let own = pool.clusters.get(&group.cluster);
            group.heading.is_some() || own.is_none_or(|own| own.micros != group.micros)
        });
        self
    }
}

impl Pool {
    /// The whole reclustering, once its last part has come; they lie in the journal one after the other.
    pub fn gather(&mut self, part: &Reclustering) -> Option<Reclustering> {
        let whole = match self.partial.take() {
            Some(mut whole) => {
                whole.extend(part);
                whole
            }
            None => part.clone(),
        };
        if whole.more {
            self.partial = Some(whole);
            return None;
        }
        Some(whole)
    }

    /// Applies a reclustering: the oldest id survives a merge, joins that came after it was planned are kept. A function of the pool
    /// and what was recorded.
    pub fn apply_reclustering(&mut self, reclustering: &Reclustering, at: At) {
        for id in &reclustering.dropped {
            self.drop_micro(*id, reclustering.looked_at);
        }
        // How each cluster was that any micro-cluster leaves.
        let mut former = BTreeMap::<ClusterId, Cluster>::new();
        for id in reclustering.groups.iter().flat_map(|group| &group.micros) {
            if let Some(cluster) = self.cluster_of(*id).and_then(|id| self.clusters.get(&id)) {
                former.entry(cluster.id).or_insert_with(|| cluster.clone());
                self.detach(*id);
            }
        }
        for group in &reclustering.groups {
            let known = group.micros.iter().copied().filter(|id| self.micros.contains_key(id));
            let mut micros: Vec<MicroId> = known.collect();
            micros.sort_unstable();
            if micros.is_empty() {
                continue;
            }
            let is_fresh = group.cluster.0 >= reclustering.next_id;
            let id = if is_fresh {
                ClusterId(self.next_id)
            } else {
                group.cluster
            };
            self.next_id = self.next_id.max(id.0.saturating_add(1));
            self.attach(id, &micros, group.heading.as_ref(), &former, at);
        }
        for (old, heir) in &reclustering.absorbed {
            let ended = former.get(old).filter(|_| !self.clusters.contains_key(old));
            if let (Some(ended), Some(heir)) = (ended, self.clusters.get_mut(heir)) {
                heat::add(&mut heir.heat_curve, &ended.heat_curve);
            }
        }
        self.looked_at = self.looked_at.max(reclustering.looked_at).min(self.demand);
        self.heard.looked();
    }

    fn drop_micro(&mut self, id: MicroId, looked_at: u64) {
        let micro = self.micros.get(&id);
        if micro.is_some_and(|micro| micro.joined_at_demand <= looked_at) {
            self.detach(id);
            self.dropped += self.micros.remove(&id).map_or(0, |micro| micro.members);
        }
    }

    /// Takes a micro-cluster out of its cluster, which ends when it was the last.
    fn detach(&mut self, id: MicroId) {
        let Some(home) = self.cluster_of(id) else { return };
        if let Some(cluster) = self.clusters.get_mut(&home) {
            cluster.micros.retain(|micro| *micro != id);
            if cluster.micros.is_empty() {
                self.clusters.remove(&home);
            }
        }
    }

    /// Puts micro-clusters into a cluster. What a reader put together keeps its word, whichever id it goes on under.
    fn attach(
        &mut self,
        id: ClusterId,
        micros: &[MicroId],
        heading: Option<&Heading>,
        former: &BTreeMap<ClusterId, Cluster>,
        at: At,
    ) {
        let own = micros.iter().filter_map(|micro| self.micros.get(micro));
        let kept = own.clone().filter(|micro| micro.is_read);
        let kept = kept
            .filter_map(|micro| former.get(&micro.cluster)?.heading.as_ref())
            .next();
        let opened = own
            .map(|micro| micro.opened_at)
            .chain(former.get(&id).map(|was| was.opened_at));
        let opened_at = opened.min().unwrap_or(at);
        let cluster = self.clusters.entry(id).or_insert_with(|| Cluster {
            id,
            micros: Vec::new(),
            opened_at,
            heat_max_micro: former.get(&id).map_or(0, |was| was.heat_max_micro),
            heat_curve: former.get(&id).map_or_else(Vec::new, |was| was.heat_curve.clone()),
            heading: None,
        });
        cluster.opened_at = cluster.opened_at.min(opened_at);
        cluster.micros.extend(micros);
        cluster.micros.sort_unstable();
        cluster.micros.dedup();
        if let Some(heading) = heading.or(kept) {
            cluster.heading = Some(heading.clone());
        }
        for micro in micros {
            if let Some(micro) = self.micros.get_mut(micro) {
                micro.cluster = id;
                micro.is_read |= heading.is_some();
            }
        }
    }
}

#[cfg(test)]
mod tests;

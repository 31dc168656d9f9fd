//! Micro-clusters: fragments whose vectors lie within the join threshold.
//!
//! Bounded whatever arrives: counts, a sum, the newest arrivals and a spread of examples; no text (Z-167).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::pool::heat::Heat;
use schema::name::ClientId;
use schema::time::At;
use text::vector::Sum;
use text::vector::Vector;

/// Numbered in the order of opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroId(pub u64);

/// The lowest micro-cluster that opened it, or a number of its own where that one was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClusterId(pub u64);

/// A fragment: the submission's journal sequence and the fragment's place in it. Its text lies sealed in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FragmentId {
    pub submission: u64,
    pub ordinal: u32,
}

/// One fragment's arrival, kept for the gate's window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    pub at: At,
    pub fragment: FragmentId,
    /// `None` for an anonymous client: heat, never a client (Z-104).
    pub client: Option<ClientId>,
    /// Whether it was an extension request that said it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requested: bool,
}

/// Arrivals kept at most; beyond that the busiest client's oldest goes, so that no client can push out the others.
pub const ARRIVALS_MAX: usize = 1_024;
/// Examples kept at most.
pub const EXAMPLES_MAX: usize = 64;

/// Internal to the pool, which shows it by its cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Micro {
    pub id: MicroId,
    /// The cluster that it belongs to.
    pub cluster: ClusterId,
    /// Fragments that joined, ever.
    pub members: u64,
    pub opened_at: At,
    /// The pool's demand when the last fragment joined.
    pub joined_at_demand: u64,
    pub sum: Sum,
    /// Of the sum, which is longer in reading: zeros where the members cancel out.
    #[serde(skip)]
    pub centroid: Vec<i16>,
    pub heat: Heat,
    pub capped_heat: Heat,
    /// Within the gate's window, oldest first; at most [`ARRIVALS_MAX`].
    pub arrivals: Vec<Arrival>,
    /// Some of the members, for induction; at most [`EXAMPLES_MAX`], spread over time.
    pub examples: Vec<FragmentId>,
    /// One member in so many is taken as an example.
    pub example_stride: u64,
    /// Whether a reader put it where it is: then no look takes it away from there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_read: bool,
}

/// A fragment about to join.
pub struct Joining<'a> {
    pub fragment: FragmentId,
    pub vector: &'a Vector,
    pub client: Option<&'a ClientId>,
    pub at: At,
    pub requested: bool,
    /// The heats after joining.
    pub heat: Heat,
    pub capped_heat: Heat,
}

impl Micro {
    /// An empty micro-cluster.
    pub fn open(id: MicroId, cluster: ClusterId, at: At) -> Micro {
        Micro {
            id,
            cluster,
            members: 0,
            opened_at: at,
            joined_at_demand: 0,
            sum: Sum::default(),
            centroid: Vec::new(),
            heat: Heat { micro: 0, at },
            capped_heat: Heat { micro: 0, at },
            arrivals: Vec::new(),
            examples: Vec::new(),
            example_stride: 1,
            is_read: false,
        }
    }

    /// Takes a fragment in.
    pub fn join(&mut self, joining: &Joining, demand: u64) {
        self.take_example(joining.fragment);
        self.members += 1;
        self.joined_at_demand = demand;
        self.sum.add(joining.vector);
        self.take_centroid();
        self.heat = joining.heat;
        self.capped_heat = joining.capped_heat;
        if self.arrivals.len() >= ARRIVALS_MAX {
            self.make_room();
        }
        let place = self.arrivals.partition_point(|arrival| arrival.at <= joining.at);
        self.arrivals.insert(
            place,
            Arrival {
                at: joining.at,
                fragment: joining.fragment,
                client: joining.client.cloned(),
                requested: joining.requested,
            },
        );
    }

    /// Drops the oldest arrival of the client with most of them (the lowest name on a tie).
    fn make_room(&mut self) {
        let mut counts = BTreeMap::<Option<&ClientId>, usize>::new();
        for arrival in &self.arrivals {
            *counts.entry(arrival.client.as_ref()).or_default() += 1;
        }
        let busiest = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        let oldest = busiest.and_then(|(client, _)| self.arrivals.iter().position(|a| a.client.as_ref() == client));
        self.arrivals.remove(oldest.unwrap_or(0));
    }

    /// Keeps every n-th member; when there are too many, every second of them goes and n doubles.
    fn take_example(&mut self, fragment: FragmentId) {
        let is_taken = self.members.is_multiple_of(self.example_stride);
        if is_taken && self.examples.len() >= EXAMPLES_MAX {
            self.examples = self.examples.iter().copied().step_by(2).collect();
            self.example_stride = self.example_stride.saturating_mul(2);
        }
        if self.members.is_multiple_of(self.example_stride) {
            self.examples.push(fragment);
        }
    }

    /// Whether it has no vector: no text of it could be read when the model changed.
    pub fn is_mute(&self) -> bool {
        self.sum.components().is_empty()
    }

    /// Takes the centroid of the sum as it is now.
    pub(in crate::pool) fn take_centroid(&mut self) {
        self.centroid = centroid(&self.sum);
    }
}

/// The direction of a sum as components.
pub fn centroid(sum: &Sum) -> Vec<i16> {
    sum.centroid().map_or_else(
        || vec![0; sum.components().len()],
        |centroid| centroid.components().to_vec(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(members: u64, client: impl Fn(u64) -> Option<ClientId>) -> Micro {
        let vector = Vector::quantise(&[1.0, 0.0]).expect("a vector");
        let mut micro = Micro::open(MicroId(0), ClusterId(0), At(0));
        for n in 0..members {
            let client = client(n);
            let joining = Joining {
                fragment: FragmentId {
                    submission: n,
                    ordinal: 0,
                },
                vector: &vector,
                client: client.as_ref(),
                at: At(n as i64),
                requested: false,
                heat: Heat::default(),
                capped_heat: Heat::default(),
            };
            micro.join(&joining, n + 1);
        }
        micro
    }

    #[test]
    fn examples_are_bounded_and_spread_over_time() {
        for members in [1, 63, 64, 65, 129, 1_000] {
            let micro = grown(members, |_| None);
            let taken = micro.examples.iter().map(|e| e.submission).collect::<Vec<_>>();
            assert!(taken.len() <= EXAMPLES_MAX && taken.len() as u64 >= members.min(32));
            assert_eq!(taken.first(), Some(&0));
            assert!(taken.windows(2).all(|pair| pair[1] - pair[0] == micro.example_stride));
        }
    }

    #[test]
    fn a_flood_of_one_client_never_pushes_out_the_arrivals_of_others_z104() {
        let micro = grown(5_000, |n| {
            ClientId::parse(if n < 3 { ["a", "b", "c"][n as usize] } else { "flood" })
        });
        assert_eq!(micro.arrivals.len(), ARRIVALS_MAX);
        assert!(
            micro
                .arrivals
                .iter()
                .take(3)
                .all(|a| a.client != ClientId::parse("flood"))
        );
        assert!(micro.arrivals.is_sorted_by_key(|a| a.at));
    }
}

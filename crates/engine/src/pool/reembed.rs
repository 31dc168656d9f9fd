//! A pool whose vectors another model made is embedded anew, a few micro-clusters at a time (Z-103).
//!
//! What is new is kept aside until the last micro-cluster has it, and is then put in place at once, so that vectors of two
//! models are never in one pool. Ids, members, heat, arrivals and clusters stay as they are. A micro-cluster of which no
//! text can be read any more keeps all of these and has no vector: no fragment can join it, and no look moves it.

use serde::Deserialize;
use serde::Serialize;

use crate::pool::micro::FragmentId;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::state::Pool;
use crate::pool::state::Reembedding;
use text::vector::Mean;
use text::vector::Sum;

/// One micro-cluster, embedded anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anew {
    pub micro: MicroId,
    /// `None` where none of its texts could be read or embedded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<Mean>,
}

/// One micro-cluster that waits, with the fragments to read for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    pub micro: MicroId,
    /// Members from the whole time, for its mean.
    pub examples: Vec<FragmentId>,
    /// The newest members, for where no example can be read any more.
    pub newest: Vec<FragmentId>,
}

/// Newest members that stand in where no example can be read.
const NEWEST_MAX: usize = 16;

impl Pool {
    /// Micro-clusters that still wait for a vector of a model, lowest id first; none where the pool speaks it.
    pub fn waiting(&self, model: &str) -> impl Iterator<Item = &Micro> {
        let done = self.reembedding.as_ref().filter(|done| done.model == model);
        let stale = !self.speaks(model);
        self.micros
            .values()
            .filter(move |micro| stale && done.is_none_or(|done| !done.means.contains_key(&micro.id)))
    }

    /// The next of them, at most `max`, with what to read. The first micro-cluster of a new model begins anew what an
    /// earlier change left undone.
    pub fn next_stale(&self, model: &str, max: usize) -> Vec<Stale> {
        self.waiting(model)
            .take(max)
            .map(|micro| Stale {
                micro: micro.id,
                examples: micro.examples.clone(),
                newest: micro
                    .arrivals
                    .iter()
                    .rev()
                    .take(NEWEST_MAX)
                    .map(|arrival| arrival.fragment)
                    .collect(),
            })
            .collect()
    }

    /// Takes what was embedded anew, and puts it in place once no micro-cluster waits. A function of what was recorded.
    pub fn reembed(&mut self, model: &str, anew: &[Anew]) {
        if self.speaks(model) {
            return;
        }
        let mut done = self
            .reembedding
            .take()
            .filter(|done| done.model == model)
            .unwrap_or_default();
        model.clone_into(&mut done.model);
        for Anew { micro, mean } in anew {
            done.means.insert(*micro, mean.clone());
        }
        if self.micros.keys().all(|id| done.means.contains_key(id)) {
            self.put_in_place(done);
        } else {
            self.reembedding = Some(done);
        }
    }

    fn put_in_place(&mut self, done: Reembedding) {
        let Reembedding { model, means } = done;
        let mut sum = Sum::default();
        let mut summed = 0;
        for micro in self.micros.values_mut() {
            micro.sum = match means.get(&micro.id).and_then(Option::as_ref) {
                Some(mean) => {
                    summed += micro.members;
                    mean.times(micro.members)
                }
                None => Sum::default(),
            };
            micro.take_centroid();
            sum.merge(&micro.sum);
        }
        self.model = model;
        self.sum = sum;
        self.unsummed = self.demand.saturating_sub(summed);
    }

    /// Members of micro-clusters without a vector.
    pub fn mute_members(&self) -> u64 {
        let mute = self.micros.values().filter(|micro| micro.is_mute());
        mute.map(|micro| micro.members).sum()
    }
}

#[cfg(test)]
mod tests;

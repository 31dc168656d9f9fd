//! The local search for the phrases that cover a cluster and shut each other out.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::mask::Mask;
use super::phrase::Phrase;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::lexicon;

const VALUES_MAX: usize = 15;
const ROUNDS_MAX: usize = 40;
const STARTS: usize = 8;
/// Share of the fragments that another value costs.
const VALUE_COST: f64 = 0.012;

/// A search among the phrases of one cluster.
pub(super) struct Search<'a> {
    size: f64,
    phrases: &'a [Phrase],
    /// For each phrase the phrases that hold it within them.
    within: Vec<Vec<bool>>,
}

impl<'a> Search<'a> {
    /// Over these phrases.
    pub(super) fn new(cluster: &Cluster, phrases: &'a [Phrase]) -> Search<'a> {
        let within = phrases
            .iter()
            .map(|short| {
                let short_padded = format!(" {} ", short.lemmas);
                phrases
                    .iter()
                    .map(|long| long.lemmas != short.lemmas && format!(" {} ", long.lemmas).contains(&short_padded))
                    .collect()
            })
            .collect();
        Search {
            size: cluster.size(),
            phrases,
            within,
        }
    }

    fn inside(&self, short: usize, long: usize) -> bool {
        self.within.get(short).and_then(|row| row.get(long)) == Some(&true)
    }

    /// Which fragments hold each chosen phrase outside the longer ones.
    pub(super) fn held(&self, chosen: &[usize]) -> Vec<Mask> {
        chosen
            .iter()
            .map(|at| {
                let own = self.phrases.get(*at).map(|phrase| phrase.held_by).unwrap_or_default();
                chosen
                    .iter()
                    .filter(|other| self.inside(*at, **other))
                    .filter_map(|other| self.phrases.get(*other))
                    .fold(own, |own, long| own.without(&long.held_by))
            })
            .collect()
    }

    fn score(&self, chosen: &[usize]) -> f64 {
        let held = self.held(chosen);
        let (_, two) = held
            .iter()
            .fold((Mask::default(), Mask::default()), |(one, two), mask| {
                (one.or(mask), two.or(&one.and(mask)))
            });
        let mut sum = 0.0;
        let mut top = 0.0;
        for (at, mask) in chosen.iter().zip(&held) {
            let alone = mask.without(&two).count() as f64;
            sum += alone * self.phrases.get(*at).map_or(0.0, |phrase| phrase.contrast);
            top = f64::max(top, alone);
        }
        // One phrase that is nearly everywhere is a frame and not a value.
        sum - two.count() as f64 - VALUE_COST * self.size * chosen.len() as f64 - (top - 0.8 * self.size).max(0.0)
    }

    /// The best of what is reached from no phrase and from each of the first few: places of phrases.
    pub(super) fn run(&self) -> Vec<usize> {
        let mut best: (f64, Vec<usize>) = (0.0, Vec::new());
        let starts = std::iter::once(Vec::new()).chain((0..self.phrases.len().min(STARTS)).map(|at| vec![at]));
        for start in starts {
            let reached = self.climb(start);
            if reached.0 > best.0 {
                best = reached;
            }
        }
        best.1
    }

    fn climb(&self, start: Vec<usize>) -> (f64, Vec<usize>) {
        let mut here = (self.score(&start), start);
        for _ in 0..ROUNDS_MAX {
            let mut next: Option<(f64, Vec<usize>)> = None;
            for at in 0..self.phrases.len() {
                let mut moved = here.1.clone();
                match moved.iter().position(|chosen| *chosen == at) {
                    Some(place) => {
                        moved.remove(place);
                    }
                    None if moved.len() < VALUES_MAX => moved.push(at),
                    None => continue,
                }
                let score = self.score(&moved);
                if next.as_ref().is_none_or(|next| score > next.0) {
                    next = Some((score, moved));
                }
            }
            match next {
                Some(next) if next.0 > here.0 + 1e-9 => here = next,
                Some(_) | None => break,
            }
        }
        here
    }

    /// A value with its own modifier is another value: `premium economy` beside `economy`.
    pub(super) fn add_modified(&self, chosen: &mut Vec<usize>) {
        let classes = lexicon::classes();
        let values: BTreeMap<&str, usize> = chosen
            .iter()
            .filter_map(|at| {
                Some((
                    self.phrases.get(*at)?.lemmas.as_str(),
                    self.phrases.get(*at)?.held_by.count(),
                ))
            })
            .collect();
        let words: BTreeSet<&str> = values.keys().flat_map(|value| value.split(' ')).collect();
        let mut added = Vec::new();
        for (at, phrase) in self.phrases.iter().enumerate() {
            let Some((modifier, value)) = phrase.lemmas.split_once(' ') else {
                continue;
            };
            let Some(plain) = values.get(value) else { continue };
            let count = phrase.held_by.count() as f64;
            if !chosen.contains(&at)
                && lexicon::noun_or_adjective(modifier)
                && !classes.domainish.contains(modifier)
                && !words.contains(modifier)
                && phrase.contrast >= 0.6
                && count >= (0.05 * self.size).max(2.0)
                && count <= 0.8 * *plain as f64
            {
                added.push(at);
            }
        }
        chosen.extend(added);
    }
}

//! General key names that fit a cluster, by what its fragments and values mean.
//!
//! Compares vectors of `name: gloss` with the middle of the cluster, less the middle of its background, and with its
//! values. Ranks only; whether a rank is good enough is decided where the name is.

use std::collections::BTreeMap;

use crate::domain::evolution::induction::closed::stems;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::values::ValueSet;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Term;

/// Kinds of terms that are found by meaning.
const KINDS: [&str; 2] = ["cat", "bool"];
/// Fragments that stand for the cluster and for its background.
const FRAGMENTS_MAX: usize = 60;
const BACKGROUND_MAX: usize = 100;
/// Values that are read together.
const VALUES_MAX: usize = 8;
/// How much the background takes away, and what the words that a term shares with the cluster add.
const BACKGROUND_WEIGHT: f64 = 0.5;
const WORDS_WEIGHT: f64 = 0.10;
const WORDS_MAX: f64 = 1.5;
/// What a term gains that names the service's own noun: a service speaks of its events, not of some music.
const ENTITY_BONUS: f64 = 0.05;

/// Every text whose vector helps with a cluster that is closed or a switch.
pub fn texts(cluster: &Cluster, values: &ValueSet) -> Vec<String> {
    let mut texts: Vec<String> = terms().map(|term| meaning(&term)).collect();
    texts.extend(members(cluster).map(str::to_owned));
    texts.extend(background(cluster).map(str::to_owned));
    if !values.values.is_empty() {
        texts.push(joined(values));
    }
    texts.extend(values.values.iter().map(|value| value.surface.clone()));
    texts.sort();
    texts.dedup();
    texts
}

/// A term as it is embedded.
pub fn meaning(term: &Term) -> String {
    format!("{}: {}", term.name.replace('_', " "), term.gloss)
}

/// Terms of a kind that are not visible, best first; `None` where nothing was embedded. `values` is empty where the
/// values are not to count.
pub fn rank(
    meanings: &Meanings,
    cluster: &Cluster,
    service: &Service<'_>,
    kind: &str,
    values: &ValueSet,
) -> Option<Vec<(f64, Term)>> {
    let middle = meanings.centroid(members(cluster))?;
    let around = meanings.centroid(background(cluster));
    let joined = Some(joined(values)).filter(|joined| !joined.is_empty());
    let said = said(cluster);
    let mut ranked: Vec<(f64, Term)> = terms()
        .filter(|term| term.kind == kind && !service.taken(term.name))
        .filter_map(|term| {
            let text = meaning(&term);
            let vector = meanings.vector(&text).filter(|own| own.width() == middle.width())?;
            let here = vector.cosine(&middle).value();
            let elsewhere = around.as_ref().map_or(0.0, |around| vector.cosine(around).value());
            let fit = here - BACKGROUND_WEIGHT * elsewhere;
            let fit = match joined.as_ref().and_then(|joined| meanings.cosine(&text, joined)) {
                Some(values) => 0.5 * fit + 0.5 * values,
                None => fit,
            };
            let words: f64 = stems(&text).iter().filter_map(|stem| said.get(stem)).sum();
            let own = term.name.split('_').any(|word| word == service.entity);
            let about = if own { ENTITY_BONUS } else { 0.0 };
            Some((fit + WORDS_WEIGHT * words.min(WORDS_MAX) + about, term))
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(b.1.name)));
    Some(ranked)
}

/// The mean cosine of values that share no word and are heard often; one value alone is like itself.
pub fn likeness(meanings: &Meanings, cluster: &Cluster, values: &ValueSet) -> Option<(f64, usize)> {
    let big: Vec<&str> = values
        .values
        .iter()
        .filter(|value| value.held_by.count() as f64 >= 0.08 * cluster.size())
        .map(|value| value.surface.as_str())
        .collect();
    let mut cosines = Vec::new();
    for (at, one) in big.iter().enumerate() {
        for other in big.iter().skip(at + 1) {
            if !one.split(' ').any(|word| other.split(' ').any(|own| own == word)) {
                cosines.push(meanings.cosine(one, other)?);
            }
        }
    }
    let mean = if cosines.is_empty() {
        if big.len() > 1 { 0.0 } else { 1.0 }
    } else {
        cosines.iter().sum::<f64>() / cosines.len() as f64
    };
    Some((mean, big.len()))
}

fn terms() -> impl Iterator<Item = Term> {
    lexicon::vocabulary()
        .iter()
        .filter(|term| KINDS.contains(&term.kind))
        .copied()
}

fn members(cluster: &Cluster) -> impl Iterator<Item = &str> {
    cluster
        .fragments
        .iter()
        .take(FRAGMENTS_MAX)
        .map(|fragment| fragment.text.as_str())
}

/// Evenly out of the whole background: its clusters stand there one after the other.
fn background(cluster: &Cluster) -> impl Iterator<Item = &str> {
    let step = cluster.background.len().div_ceil(BACKGROUND_MAX).max(1);
    cluster
        .background
        .iter()
        .step_by(step)
        .map(|fragment| fragment.text.as_str())
}

fn joined(values: &ValueSet) -> String {
    let surfaces: Vec<&str> = values
        .values
        .iter()
        .take(VALUES_MAX)
        .map(|value| value.surface.as_str())
        .collect();
    surfaces.join(", ")
}

/// Stems that the cluster says more often than its background, by how much they tell.
fn said(cluster: &Cluster) -> BTreeMap<String, f64> {
    let mut said: BTreeMap<String, f64> = BTreeMap::new();
    for word in cluster.said.keys().filter(|word| !lexicon::stop(word)) {
        let telling = cluster.share_of(word) * cluster.contrast(word).clamp(0.0, 2.0);
        let most = said.entry(lexicon::stem(word)).or_default();
        *most = f64::max(*most, telling);
    }
    said
}

//! The frame of a cluster: the nouns that its values stand before and are not.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::lexicon;

/// Nouns that close noun phrases with several different modifiers: "seat" in "a window seat" and "an aisle seat".
pub(super) fn frame(cluster: &Cluster, entity: &str) -> BTreeSet<String> {
    let size = cluster.size();
    let classes = lexicon::classes();
    let mut left: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut right: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut held: BTreeMap<&str, u64> = BTreeMap::new();
    for fragment in &cluster.fragments {
        for lemma in fragment.lemmas.iter().collect::<BTreeSet<_>>() {
            *held.entry(lemma).or_default() += 1;
        }
        for (at, lemma) in fragment.lemmas.iter().enumerate() {
            let word_at = |at: usize| fragment.tokens.get(at).map(|token| token.word.as_str());
            if let (Some(before), Some(before_lemma)) = (
                at.checked_sub(1).and_then(word_at),
                at.checked_sub(1).and_then(|at| fragment.lemmas.get(at)),
            ) && !lexicon::stop(before)
                && !classes.verbish.contains(before)
                && !before.starts_with(|c: char| c.is_ascii_digit())
            {
                *left.entry(lemma).or_default().entry(before_lemma).or_default() += 1;
            }
            if let Some(next) = fragment.lemmas.get(at + 1).filter(|next| lexicon::noun(next)) {
                *right.entry(lemma).or_default().entry(next).or_default() += 1;
            }
        }
    }
    let often = if cluster.fragments.len() >= 20 {
        (0.03 * size).max(2.0)
    } else {
        1.0
    };
    let modified: BTreeMap<&str, u64> = held
        .iter()
        .filter(|(word, count)| {
            **count as f64 >= (0.1 * size).max(2.0)
                && lexicon::may_be_noun(word)
                && !lexicon::stop(word)
                && !classes.verbish.contains(**word)
        })
        .filter(|(word, _)| {
            left.get(*word)
                .is_some_and(|before| before.values().filter(|count| **count as f64 >= often).count() >= 2)
        })
        .map(|(word, count)| (*word, *count))
        .collect();
    let followed = |word: &str, counts: &dyn Fn(&str) -> bool| -> f64 {
        let after = right.get(word).into_iter().flatten();
        after
            .filter(|(next, _)| counts(next))
            .map(|(_, count)| *count as f64)
            .sum()
    };
    let closes = |word: &str, count: u64| followed(word, &|_| true) < 0.3 * count as f64;
    let ends: BTreeSet<&str> = modified
        .iter()
        .filter(|(word, count)| closes(word, **count))
        .map(|(word, _)| *word)
        .collect();
    // "A crime story movie": a noun that is hardly ever said without a modifier is a frame before another frame as well.
    let inner = |word: &str, count: u64| {
        let before: u64 = left.get(word).into_iter().flat_map(BTreeMap::values).sum();
        before as f64 >= 0.7 * count as f64
            && followed(word, &|next| next != entity && !ends.contains(next)) < 0.3 * count as f64
    };
    modified
        .iter()
        .filter(|(word, count)| closes(word, **count) || inner(word, **count))
        .map(|(word, _)| (*word).to_owned())
        .collect()
}

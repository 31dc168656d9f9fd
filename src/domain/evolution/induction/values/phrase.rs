//! The phrases that may be values: what recurs in the fragments, and more often than elsewhere.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::mask::FRAGMENTS_MAX;
use super::mask::Mask;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::lexicon;

const CANDIDATES_MAX: usize = 70;

/// A phrase that may be a value.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// Lemmas, separated by blanks.
    pub lemmas: String,
    pub held_by: Mask,
    /// 0 for a phrase as frequent in the background, 1 for one never heard there.
    pub contrast: f64,
    /// How it is said most often, lower case.
    pub surface: String,
}

/// Phrases of up to three lemmas that recur, short ones that live only inside longer ones left out, and the reverse.
pub(super) fn phrases(cluster: &Cluster, frame: &BTreeSet<String>) -> Vec<Phrase> {
    let size = cluster.size();
    let mut held: BTreeMap<String, (Mask, BTreeMap<String, u64>)> = BTreeMap::new();
    for (at, fragment) in cluster.fragments.iter().enumerate().take(FRAGMENTS_MAX) {
        for (lemmas, surface) in grams(fragment, frame) {
            let (mask, surfaces) = held.entry(lemmas).or_default();
            mask.set(at);
            *surfaces.entry(surface).or_default() += 1;
        }
    }
    let mut elsewhere: BTreeMap<String, u64> = BTreeMap::new();
    for fragment in &cluster.background {
        for (lemmas, _) in grams(fragment, frame) {
            *elsewhere.entry(lemmas).or_default() += 1;
        }
    }
    let least = (0.025 * size).ceil().max(2.0);
    let found: BTreeMap<String, Phrase> = held
        .into_iter()
        .filter_map(|(lemmas, (held_by, surfaces))| {
            let count = held_by.count() as f64;
            let elsewhere = elsewhere.get(&lemmas).copied().unwrap_or(0) as f64;
            let background = elsewhere / cluster.background.len().max(1) as f64;
            let mut contrast = (1.0 - 1.5 * background / (count / size)).max(0.0);
            if !lemmas.contains(' ') {
                match lexicon::part_of_speech(&lemmas) {
                    'v' if !lemmas.ends_with("ing") => contrast *= 0.5,
                    'r' => contrast *= 0.5,
                    _ => {}
                }
            }
            // The most frequent surface; among equals the first by spelling.
            let surface = surfaces
                .into_iter()
                .fold(
                    (0, String::new()),
                    |best, (surface, count)| {
                        if count > best.0 { (count, surface) } else { best }
                    },
                )
                .1;
            (count >= least && contrast > 0.15).then(|| {
                let phrase = Phrase {
                    lemmas: lemmas.clone(),
                    held_by,
                    contrast,
                    surface,
                };
                (lemmas, phrase)
            })
        })
        .collect();
    let mut dropped: BTreeSet<String> = BTreeSet::new();
    for (long, phrase) in &found {
        let words: Vec<&str> = long.split(' ').collect();
        for cut in 1..words.len() {
            let (head, tail) = words.split_at(cut);
            for (short, at_the_start) in [(head.join(" "), true), (tail.join(" "), false)] {
                let Some(inner) = found.get(&short) else { continue };
                let together = phrase.held_by.and(&inner.held_by).count() as f64;
                if together >= 0.85 * inner.held_by.count() as f64 {
                    dropped.insert(short);
                } else if at_the_start && words.last().is_some_and(|last| lexicon::noun(last)) {
                    dropped.insert(long.clone());
                }
            }
        }
    }
    let mut phrases: Vec<Phrase> = found
        .into_values()
        .filter(|phrase| !dropped.contains(&phrase.lemmas))
        .collect();
    let weight = |phrase: &Phrase| {
        phrase.held_by.count() as f64 * phrase.contrast * (1.0 + 0.3 * phrase.lemmas.matches(' ').count() as f64)
    };
    phrases.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.lemmas.cmp(&b.lemmas)));
    phrases.truncate(CANDIDATES_MAX);
    phrases
}

/// One- to three-word phrases between words that cannot be part of a value: (lemmas, surface).
fn grams(fragment: &Fragment, frame: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut grams = BTreeMap::new();
    let mut run: Vec<usize> = Vec::new();
    for at in 0..=fragment.tokens.len() {
        let part = at < fragment.tokens.len() && value_word(fragment, at, frame);
        if part {
            run.push(at);
            continue;
        }
        for from in 0..run.len() {
            for to in from..run.len().min(from + 3) {
                let (Some(first), Some(last)) = (
                    run.get(from).and_then(|at| fragment.tokens.get(*at)),
                    run.get(to).and_then(|at| fragment.tokens.get(*at)),
                ) else {
                    continue;
                };
                let lemmas: Vec<&str> = run
                    .get(from..=to)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|at| fragment.lemmas.get(*at).map(String::as_str))
                    .collect();
                let surface = fragment
                    .text
                    .get(first.start..last.end)
                    .unwrap_or_default()
                    .to_lowercase();
                grams.entry(lemmas.join(" ")).or_insert(surface);
            }
        }
        run.clear();
    }
    grams
}

fn value_word(fragment: &Fragment, at: usize, frame: &BTreeSet<String>) -> bool {
    let classes = lexicon::classes();
    let (Some(token), Some(lemma)) = (fragment.tokens.get(at), fragment.lemmas.get(at)) else {
        return false;
    };
    let word = token.word.as_str();
    if frame.contains(lemma)
        || lexicon::stop(word)
        || classes.verbish.contains(lemma)
        || classes.verbish.contains(word)
        || classes.numw.contains_key(word)
        || classes.namecue.contains(word)
        || !word.chars().next().is_some_and(char::is_alphabetic)
        || word.chars().count() < 2
    {
        return false;
    }
    if (word.ends_with("ing") || word.ends_with("ed")) && lexicon::part_of_speech(word) == 'v' {
        // A verb form is a value only inside a noun phrase: "a smoking room", and not "I am smoking in".
        let next = fragment
            .tokens
            .get(at + 1)
            .map_or("please", |token| token.word.as_str());
        let before = at.checked_sub(1).and_then(|at| fragment.tokens.get(at));
        return (next == "please" || !lexicon::stop(next)) && !before.is_some_and(|b| classes.be.contains(&b.word));
    }
    true
}

//! The values of a closed key: mutually exclusive phrases that together cover the cluster.
//!
//! A local search over phrases that recur; bounded by the numbers below whatever the cluster says.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::lexicon;

/// Fragments that one mask can tell apart.
pub const FRAGMENTS_MAX: usize = 256;
const CANDIDATES_MAX: usize = 70;
const VALUES_MAX: usize = 15;
const ROUNDS_MAX: usize = 40;
const STARTS: usize = 8;
/// Share of the fragments that another value costs.
const VALUE_COST: f64 = 0.012;

/// Which fragments hold something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask([u64; FRAGMENTS_MAX / 64]);

impl Mask {
    fn set(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    /// Whether the fragment at a place is among them.
    pub fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    /// How many fragments.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn with(&self, other: &Mask, join: impl Fn(u64, u64) -> u64) -> Mask {
        let mut joined = Mask::default();
        for ((to, a), b) in joined.0.iter_mut().zip(self.0).zip(other.0) {
            *to = join(a, b);
        }
        joined
    }

    fn and(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a & b)
    }

    fn or(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a | b)
    }

    fn without(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a & !b)
    }
}

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

/// The values found.
#[derive(Clone, Debug, Default)]
pub struct ValueSet {
    /// Most frequent first; `held_by` leaves out fragments that hold the phrase within a longer value.
    pub values: Vec<Phrase>,
    /// Share of the fragments with any value, and share of the values that are the most frequent one.
    pub coverage: f64,
    pub top: f64,
    /// Nouns that close noun phrases with several different modifiers: the frame and not the value.
    pub frame: BTreeSet<String>,
}

/// Finds the values. `entity` is the service's own noun: a frame, never a value.
pub fn find(cluster: &Cluster, entity: &str) -> ValueSet {
    find_beside(cluster, entity, &[])
}

/// The same for a key that is called after some words: `seat` is no seat preference, it is what all of them are about.
pub fn find_for(cluster: &Cluster, entity: &str, name: &str, found: ValueSet) -> ValueSet {
    let called: Vec<&str> = name.split('_').collect();
    let own = |value: &Phrase| value.lemmas.split(' ').all(|word| called.contains(&word));
    if found.values.iter().any(own) {
        find_beside(cluster, entity, &called)
    } else {
        found
    }
}

fn find_beside(cluster: &Cluster, entity: &str, besides: &[&str]) -> ValueSet {
    let mut frame = frame(cluster, entity);
    frame.extend(besides.iter().chain([&entity]).map(|word| (*word).to_owned()));
    let phrases = phrases(cluster, &frame);
    let search = Search::new(cluster, &phrases);
    let mut chosen = search.run();
    search.add_modified(&mut chosen);
    let held = search.held(&chosen);
    let mut values: Vec<Phrase> = chosen
        .iter()
        .zip(held)
        .filter_map(|(at, held_by)| {
            let phrase = phrases.get(*at)?;
            Some(Phrase {
                held_by,
                ..phrase.clone()
            })
        })
        .collect();
    values.sort_by(|a, b| {
        b.held_by
            .count()
            .cmp(&a.held_by.count())
            .then_with(|| a.lemmas.cmp(&b.lemmas))
    });
    let all = values.iter().fold(Mask::default(), |all, value| all.or(&value.held_by));
    let total: usize = values.iter().map(|value| value.held_by.count()).sum();
    ValueSet {
        coverage: all.count() as f64 / cluster.size(),
        top: values
            .first()
            .map_or(1.0, |first| first.held_by.count() as f64 / total.max(1) as f64),
        values,
        frame,
    }
}

/// Groups of values that share no word.
pub fn families(values: &[Phrase]) -> usize {
    let mut groups: Vec<BTreeSet<&str>> = Vec::new();
    for value in values {
        let mut words: BTreeSet<&str> = value.lemmas.split(' ').collect();
        let (touching, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| !group.is_disjoint(&words));
        words.extend(touching.into_iter().flatten());
        groups = apart;
        groups.push(words);
    }
    groups.len()
}

/// Whether there are two values and one denies the other: `furnished` and `unfurnished`.
pub fn opposite(values: &[Phrase]) -> bool {
    let denies = |one: &str, other: &str| {
        ["un", "non", "in", "im", "dis"]
            .iter()
            .any(|prefix| one.strip_prefix(prefix) == Some(other))
    };
    match values {
        [one, other] => denies(&one.lemmas, &other.lemmas) || denies(&other.lemmas, &one.lemmas),
        _ => false,
    }
}

fn frame(cluster: &Cluster, entity: &str) -> BTreeSet<String> {
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

/// Phrases of up to three lemmas that recur, short ones that live only inside longer ones left out, and the reverse.
fn phrases(cluster: &Cluster, frame: &BTreeSet<String>) -> Vec<Phrase> {
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

struct Search<'a> {
    size: f64,
    phrases: &'a [Phrase],
    /// For each phrase the phrases that hold it within them.
    within: Vec<Vec<bool>>,
}

impl<'a> Search<'a> {
    fn new(cluster: &Cluster, phrases: &'a [Phrase]) -> Search<'a> {
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
    fn held(&self, chosen: &[usize]) -> Vec<Mask> {
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

    fn run(&self) -> Vec<usize> {
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
    fn add_modified(&self, chosen: &mut Vec<usize>) {
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

#[cfg(test)]
mod tests {
    use super::Mask;
    use super::Phrase;
    use super::find;
    use super::find_for;
    use super::opposite;
    use crate::domain::evolution::induction::cluster::Cluster;
    use crate::domain::evolution::induction::fragment::Fragment;
    use crate::domain::evolution::induction::pooled;
    use crate::domain::time::At;

    fn phrases(lemmas: &[&str]) -> Vec<Phrase> {
        let phrase = |lemmas: &&str| Phrase {
            lemmas: (*lemmas).to_owned(),
            held_by: Mask::default(),
            contrast: 1.0,
            surface: (*lemmas).to_owned(),
        };
        lemmas.iter().map(phrase).collect()
    }

    #[test]
    fn two_values_of_which_one_denies_the_other_are_a_switch_z111() {
        assert!(opposite(&phrases(&["furnished", "unfurnished"])));
        assert!(opposite(&phrases(&["inactive", "active"])));
        assert!(!opposite(&phrases(&["furnished", "rented"])));
        assert!(
            !opposite(&phrases(&["furnished", "unfurnished", "rented"])),
            "three are a list"
        );
        assert!(!opposite(&phrases(&["unfurnished"])));
    }

    #[test]
    fn what_a_key_is_called_after_is_no_value_of_it_z111() {
        let members = [
            "BOOK AISLE SEAT",
            "a seat next to the aisle would be lovely",
            "aisle seat if possible",
            "kindly make that a seat at the window",
            "a seat next to the window please",
            "I want a seat by the aisle",
            "a seat at the window if possible",
        ];
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let cluster = Cluster::count(members.map(read).to_vec(), vec![read("four bags to check in")]);
        let found = find(&cluster, "flight");
        let listed = |name: &str| {
            let values = find_for(&cluster, "flight", name, found.clone()).values;
            values.into_iter().map(|value| value.lemmas).collect::<Vec<_>>()
        };
        assert!(
            listed("place_on_board").contains(&"seat".to_owned()),
            "{:?}",
            found.values
        );
        assert_eq!(listed("seat_preference"), ["aisle", "window"]);
    }
}

//! Names for keys that are on or off.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::closed;
use crate::domain::evolution::induction::closed::stems;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::decision::Named;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::retrieval;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::typed::runners_up;
use crate::domain::evolution::induction::values::ValueSet;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Term;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::grounds::Settled;
use crate::domain::pool::grounds::rounded;
use crate::domain::template::key::KeyType;

/// Score from which on a general name is taken, and from which on it goes before a pair of words.
const GENERAL_MIN: f64 = 0.40;
const GENERAL_SURE: f64 = 0.60;
/// The same for a name found by meaning.
const RETRIEVED_MIN: f64 = 0.30;

/// Decides the name: a general one, the most telling pair of words, or what it is that the thing has.
pub fn decide(cluster: &Cluster, service: &Service<'_>, values: &ValueSet, meanings: &Meanings) -> Decision {
    let pair = telling_pair(cluster);
    let by_meaning = retrieval::rank(meanings, cluster, service, "bool", &ValueSet::default());
    let (settled_by, least, terms) = match by_meaning.filter(|ranked| !ranked.is_empty()) {
        Some(ranked) => (Settled::Vectors, RETRIEVED_MIN, ranked),
        None => (
            Settled::Words,
            GENERAL_MIN,
            general(cluster, service).into_iter().collect(),
        ),
    };
    let needed = if pair.is_some() { GENERAL_SURE } else { least };
    let best = terms.first().filter(|(score, _)| *score >= needed);
    let names = || terms.iter().map(|(score, term)| (term.name.to_owned(), *score));
    let by_general = best.map(|(score, term)| {
        let naming = Naming {
            score: Some(rounded(*score)),
            needed: Some(needed),
            runners_up: runners_up(names().skip(1)),
            ..Naming::by(NameSource::Vocabulary)
        };
        (term.name.to_owned(), naming)
    });
    let other = |source, name| {
        let naming = Naming {
            needed: Some(needed),
            runners_up: runners_up(names()),
            ..Naming::by(source)
        };
        (name, naming)
    };
    let by_head = cluster.heads.first().map(|head| format!("has_{head}"));
    let (name, naming) = by_general
        .into_iter()
        .chain(pair.map(|pair| other(NameSource::Pair, pair)))
        .chain(by_head.map(|name| other(NameSource::Noun, name)))
        .find(|(name, _)| !service.taken(name))
        .unwrap_or_else(|| other(NameSource::Service, format!("{}_option", service.entity)));
    let naming = Naming { settled_by, ..naming };
    Decision::among(Kind::Boolean, KeyType::Boolean, Named { name, naming }, values.clone())
}

/// Whether a cluster without two apart values asks for a switch: what it says is nearer to a general switch than to any
/// general list: what settled it, the score, and what that had to be. `one_thing` says that its values are one thing in
/// several words.
pub fn likely(
    cluster: &Cluster,
    service: &Service<'_>,
    values: &ValueSet,
    meanings: &Meanings,
    one_thing: bool,
) -> Option<(Settled, f64, f64)> {
    if let (Some((switch, _)), Some((list, _))) = (
        best(meanings, cluster, service, "bool"),
        best(meanings, cluster, service, "cat"),
    ) {
        // Values that a general list holds are values of that list, however alike they are.
        let listed = closed::fits_by_meaning(cluster, service, values, meanings);
        let needed = list.max(listed).max(RETRIEVED_MIN);
        return (switch >= needed).then(|| (Settled::Vectors, switch, rounded(needed)));
    }
    let heard = cluster
        .heads
        .iter()
        .take(5)
        .map(|word| cluster.share_of(word))
        .fold(0.0, f64::max);
    // "Economy" and "premium economy" share a word and are two values all the same.
    let listed = closed::fits_a_list(cluster, service, values);
    let switch = general(cluster, service).map_or(0.0, |(score, _)| score);
    ((heard >= 0.35 || one_thing) && listed <= switch.max(0.5)).then_some((
        Settled::Words,
        heard,
        if one_thing { 0.0 } else { 0.35 },
    ))
}

/// The general name of a kind that is nearest to the cluster by meaning.
fn best(meanings: &Meanings, cluster: &Cluster, service: &Service<'_>, kind: &str) -> Option<(f64, Term)> {
    retrieval::rank(meanings, cluster, service, kind, &ValueSet::default())?
        .into_iter()
        .next()
}

fn pairs(fragment: &Fragment) -> BTreeSet<(String, String)> {
    let words: Vec<&str> = fragment
        .tokens
        .iter()
        .map(|token| token.word.as_str())
        .filter(|word| !lexicon::stop(word) && word.chars().all(char::is_alphabetic))
        .collect();
    words
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] => Some(((*a).to_owned(), lexicon::lemma(b))),
            _ => None,
        })
        .collect()
}

/// The pair of words that at least 20 % say here and few elsewhere.
fn telling_pair(cluster: &Cluster) -> Option<String> {
    let count = |fragments: &[Fragment]| {
        let mut counts: BTreeMap<(String, String), f64> = BTreeMap::new();
        for fragment in fragments {
            for pair in pairs(fragment) {
                *counts.entry(pair).or_default() += 1.0;
            }
        }
        counts
    };
    let here = count(&cluster.fragments);
    let elsewhere = count(&cluster.background);
    let background = cluster.background.len().max(1) as f64;
    let telling = |pair: &(String, String), held: f64| {
        held / cluster.size() - 2.0 * elsewhere.get(pair).copied().unwrap_or(0.0) / background
    };
    let best = here
        .iter()
        .map(|(pair, held)| (telling(pair, *held), pair, *held))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(telling, _, held)| *telling > 0.0 && *held >= 0.2 * cluster.size())
        .map(|(_, (a, b), _)| format!("{a}_{b}"))
}

/// The general switch whose words the cluster says, its name's before its gloss's.
fn general(cluster: &Cluster, service: &Service<'_>) -> Option<(f64, Term)> {
    let mut said: BTreeMap<String, f64> = BTreeMap::new();
    for word in cluster.said.keys() {
        if !lexicon::stop(word) && cluster.contrast(word) > 0.0 {
            let share = said.entry(lexicon::stem(word)).or_default();
            *share = f64::max(*share, cluster.share_of(word));
        }
    }
    let weigh = |stems: &BTreeSet<String>| stems.iter().filter_map(|stem| said.get(stem)).sum::<f64>();
    let mut best: Option<(f64, Term)> = None;
    for term in lexicon::vocabulary() {
        if term.kind != "bool" || service.taken(term.name) {
            continue;
        }
        let own = stems(&term.name.replace('_', " "));
        let gloss: BTreeSet<String> = stems(term.gloss).difference(&own).cloned().collect();
        let score = weigh(&own) / own.len().max(1) as f64 + 0.4 * weigh(&gloss).min(1.0);
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, *term));
        }
    }
    best
}

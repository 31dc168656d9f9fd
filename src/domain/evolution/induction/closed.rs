//! Names for keys that take one of a few values.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::decision::Named;
use crate::domain::evolution::induction::field;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::retrieval;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::typed::runners_up;
use crate::domain::evolution::induction::values;
use crate::domain::evolution::induction::values::ValueSet;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Term;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::grounds::Settled;
use crate::domain::pool::grounds::rounded;
use crate::domain::template::key::KeyType;

/// Score from which on a general name is taken.
const GENERAL_MIN: f64 = 0.30;
/// The same for a name found by meaning.
const RETRIEVED_MIN: f64 = 0.30;

/// Decides the name: a visible sibling's, a general one, the head noun's, or the service's own.
pub fn decide(cluster: &Cluster, service: &Service<'_>, values: ValueSet, meanings: &Meanings) -> Decision {
    let named = name(cluster, service, &values, meanings);
    let values = values::find_for(cluster, &service.entity, &named.name, values);
    Decision::among(Kind::Closed, KeyType::String, named, values)
}

fn name(cluster: &Cluster, service: &Service<'_>, values: &ValueSet, meanings: &Meanings) -> Named {
    let lemmas: Vec<&str> = values.values.iter().map(|value| value.lemmas.as_str()).collect();
    if let Some(sibling) = service.sibling_by_values(&lemmas) {
        return Named::by(NameSource::Sibling, sibling);
    }
    let head = head(cluster, values);
    let ranked = ranked(cluster, service, values, head.as_deref(), meanings);
    if let Some(best) = ranked.best() {
        let name = field::at_home(&best.name, &field::spoken(cluster, service), service);
        return Named { name, ..best };
    }
    let by_head = head.map(|head| {
        if matches!(head.as_str(), "seat" | "meal" | "food" | "room" | "cabin" | "table") {
            format!("{head}_preference")
        } else {
            format!("{head}_type")
        }
    });
    let entity = &service.entity;
    let (source, name) = by_head
        .map(|name| (NameSource::Noun, name))
        .into_iter()
        .chain(
            [
                format!("{entity}_type"),
                format!("{entity}_category"),
                format!("{entity}_option"),
            ]
            .map(|name| (NameSource::Service, name)),
        )
        .find(|(_, name)| !service.taken(name))
        .unwrap_or_else(|| (NameSource::Service, format!("{entity}_preference")));
    Named {
        name,
        naming: Naming {
            settled_by: ranked.settled_by,
            needed: Some(ranked.needed),
            runners_up: runners_up(ranked.named()),
            ..Naming::by(source)
        },
    }
}

/// General names, best first, with the score that the best one needs.
struct Ranked {
    settled_by: Settled,
    terms: Vec<(f64, Term)>,
    needed: f64,
}

impl Ranked {
    /// The best one, where it is good enough.
    fn best(&self) -> Option<Named> {
        let (score, term) = self.terms.first().filter(|(score, _)| *score >= self.needed)?;
        Some(Named {
            name: term.name.to_owned(),
            naming: Naming {
                settled_by: self.settled_by,
                score: Some(rounded(*score)),
                needed: Some(self.needed),
                runners_up: runners_up(self.named().skip(1)),
                ..Naming::by(NameSource::Vocabulary)
            },
        })
    }

    fn named(&self) -> impl Iterator<Item = (String, f64)> {
        self.terms.iter().map(|(score, term)| (term.name.to_owned(), *score))
    }
}

/// General names by meaning, or by words where nothing was embedded.
fn ranked(
    cluster: &Cluster,
    service: &Service<'_>,
    values: &ValueSet,
    head: Option<&str>,
    meanings: &Meanings,
) -> Ranked {
    match retrieval::rank(meanings, cluster, service, "cat", values) {
        Some(terms) => {
            // A noun behind the values that the background does not say names the thing better than a distant term;
            // the service's own noun does not, nor does a part of the values.
            let of_values = |head: &str| {
                values
                    .values
                    .iter()
                    .any(|value| value.lemmas.split(' ').any(|own| own == head))
            };
            let specific =
                head.is_some_and(|head| head != service.entity && !of_values(head) && cluster.contrast(head) > 1.0);
            Ranked {
                settled_by: Settled::Vectors,
                terms,
                needed: if specific { RETRIEVED_MIN + 0.15 } else { RETRIEVED_MIN },
            }
        }
        None => Ranked {
            settled_by: Settled::Words,
            terms: general(cluster, service, values, head).into_iter().collect(),
            needed: GENERAL_MIN,
        },
    }
}

/// The noun behind the values ("window *seat*"), or the last word that several of them share.
fn head(cluster: &Cluster, values: &ValueSet) -> Option<String> {
    let words: BTreeSet<&str> = values.values.iter().flat_map(|value| value.lemmas.split(' ')).collect();
    let mut behind: BTreeMap<&str, u64> = BTreeMap::new();
    for fragment in &cluster.fragments {
        for value in &values.values {
            let length = value.lemmas.split(' ').count();
            let at = fragment
                .lemmas
                .windows(length)
                .position(|window| window.iter().map(String::as_str).eq(value.lemmas.split(' ')));
            if let Some(next) = at.and_then(|at| fragment.lemmas.get(at + length))
                && lexicon::noun(next)
                && !words.contains(next.as_str())
            {
                *behind.entry(next).or_default() += 1;
            }
        }
    }
    let most = |counts: BTreeMap<&str, u64>, least: f64| {
        counts
            .into_iter()
            .filter(|(_, count)| *count as f64 >= least)
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .map(|(word, _)| word.to_owned())
    };
    most(behind, 0.15 * cluster.size()).or_else(|| {
        let mut last: BTreeMap<&str, u64> = BTreeMap::new();
        for value in &values.values {
            if let Some((_, word)) = value.lemmas.rsplit_once(' ') {
                *last.entry(word).or_default() += 1;
            }
        }
        most(last, 2.0)
    })
}

/// The general name, with its score, whose gloss holds most of the values, and whose own words are said.
fn general(cluster: &Cluster, service: &Service<'_>, values: &ValueSet, head: Option<&str>) -> Option<(f64, Term)> {
    let total: usize = values.values.iter().map(|value| value.held_by.count()).sum();
    let mut best: Option<(f64, Term)> = None;
    for term in lexicon::vocabulary() {
        if term.kind != "cat" || service.taken(term.name) {
            continue;
        }
        let gloss = stems(term.gloss);
        let own = stems(&term.name.replace('_', " "));
        let covered: f64 = values
            .values
            .iter()
            .map(|value| {
                let words: Vec<&str> = value.lemmas.split(' ').flat_map(|word| word.split('-')).collect();
                let held = words.iter().filter(|word| gloss.contains(&lexicon::stem(word))).count();
                value.held_by.count() as f64 * held as f64 / words.len().max(1) as f64
            })
            .sum();
        let specific: Vec<&String> = own
            .iter()
            .filter(|word| !matches!(word.as_str(), "type" | "prefer"))
            .collect();
        let named = specific
            .iter()
            .filter(|own| {
                cluster
                    .said
                    .iter()
                    .any(|(word, count)| *count as f64 >= 0.15 * cluster.size() && lexicon::stem(word) == ***own)
            })
            .count() as f64
            / specific.len().max(1) as f64;
        let headed = head.is_some_and(|head| own.contains(&lexicon::stem(head)));
        let about = specific.iter().any(|own| **own == lexicon::stem(&service.entity));
        let score = 0.7 * covered / total.max(1) as f64
            + 0.25 * named
            + if headed { 0.25 } else { 0.0 }
            + if about { 0.05 } else { 0.0 };
        // A head noun that the name does not hold says something more specific than the values alone; the service's own
        // noun does not.
        let elsewhere = head.is_some_and(|head| head != service.entity) && !headed && named == 0.0;
        let score = if elsewhere { score - 0.15 } else { score };
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, *term));
        }
    }
    best
}

/// How well the values fit a general list by meaning, -1 to about 1; 0 with fewer than two values or without vectors.
pub fn fits_by_meaning(cluster: &Cluster, service: &Service<'_>, values: &ValueSet, meanings: &Meanings) -> f64 {
    if values.values.len() < 2 {
        return 0.0;
    }
    retrieval::rank(meanings, cluster, service, "cat", values)
        .and_then(|ranked| ranked.first().map(|(score, _)| *score))
        .unwrap_or(0.0)
}

/// How well the values fit a general list, 0 to about 1: what speaks against a switch where the values share a word.
pub fn fits_a_list(cluster: &Cluster, service: &Service<'_>, values: &ValueSet) -> f64 {
    if values.values.len() < 2 {
        return 0.0;
    }
    general(cluster, service, values, head(cluster, values).as_deref()).map_or(0.0, |(score, _)| score)
}

/// Stems of the content words of a text.
pub fn stems(text: &str) -> BTreeSet<String> {
    lexicon::tokens(text)
        .iter()
        .filter(|token| !lexicon::stop(&token.word))
        .map(|token| lexicon::stem(&lexicon::lemma(&token.word)))
        .collect()
}

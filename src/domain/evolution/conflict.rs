//! Conflict: does a candidate say what a key already says, by name or by meaning (Z-113, Z-114, Z-126)?
//!
//! Owns the comparison and the refined wording; proposes no key and changes none. Invariants: a refinement touches the
//! description alone; nothing is merged across a role (departure and return), across kinds of value, or from something
//! finer into a boolean key (Z-071, Z-072).

pub mod doubt;
pub mod ends;
pub mod learned;
pub mod only;
pub mod rules;
pub mod same_name;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::domain::evolution::affinity::COVERED_MIN;
use crate::domain::evolution::affinity::Relation;
use crate::domain::evolution::alike::alike;
use crate::domain::evolution::conflict::doubt::Rulings;
use crate::domain::evolution::conflict::learned::Learned;
use crate::domain::evolution::conflict::rules::Case;
use crate::domain::evolution::conflict::rules::Found;
use crate::domain::evolution::lexicon;
use crate::domain::pool::grounds::Barred;
use crate::domain::pool::grounds::NEAREST_MAX;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Near;
use crate::domain::pool::grounds::Nearest;
use crate::domain::pool::grounds::rounded;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::vector::Vector;
use crate::domain::template::closed_list;
use crate::domain::template::closed_list::NONE;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::mapping_example;
use crate::domain::template::mapping_example::Shown;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;

/// Characters of a refined description.
pub const REFINED_MAX: usize = 500;

/// How a candidate relates to the keys that exist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// Nothing like it.
    Free,
    /// The same key in other words: refine its description (never type, default or requiredness).
    Merge {
        key_name: KeyName,
        semantic_description: String,
        by: Collision,
    },
    /// A key that stands for it, to which nothing is to be added, or whose very name is taken by what cannot be merged:
    /// nothing to do.
    Covered { key_name: KeyName },
}

/// What collided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collision {
    Name,
    Meaning,
}

/// An existing key with the vector of its `name: description`.
#[derive(Clone, Debug)]
pub struct Incumbent<'a> {
    pub key: &'a EffectiveKey,
    pub meaning: Option<&'a Vector>,
}

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Listed,
    Date,
    Time,
    Number,
    Boolean,
    Structure,
}

/// Probability below which the name that the candidate would have had in a service without keys proves nothing.
const CALLED_MIN: f64 = 0.10;

/// The same where nobody said the name that the cluster would have had: a key called by a guess has little for itself.
const GUESSED_MIN: f64 = 0.25;

/// Share of the members that say a listed value of a key from which on other values do not set it apart.
const LISTED_SAID_MIN: f64 = 0.40;

/// Compares a candidate with every incumbent: base keys, and keys of patches that are not expired, for the audience.
/// Which rules there are, and in which order, stands in [`rules`].
/// Without vectors there is no likelihood, and the other rules alone find a conflict. Where the rules are in doubt,
/// `rulings` go before them. Beside the outcome stands what was compared and which rule decided.
pub fn detect(
    proposal: &Proposal,
    relation: &Relation,
    meaning: Option<&Vector>,
    centroid: Option<&Vector>,
    incumbents: &[Incumbent<'_>],
    learned: &Learned<'_>,
    rulings: &Rulings<'_>,
) -> (Conflict, Nearest) {
    let compared: Vec<(&KeyDefinition, Option<f64>)> = likelihoods(relation, meaning, centroid, incumbents)
        .into_iter()
        .map(|(key, likely)| (key, likely.map(|likely| rulings.apply(&key.key_name, likely))))
        .collect();
    decide(proposal, relation, &compared, learned)
}

/// The probability that the cluster means each incumbent, where there are vectors to tell.
pub fn likelihoods<'a>(
    relation: &Relation,
    meaning: Option<&Vector>,
    centroid: Option<&Vector>,
    incumbents: &[Incumbent<'a>],
) -> Vec<(&'a KeyDefinition, Option<f64>)> {
    incumbents
        .iter()
        .map(|incumbent| {
            let definition = &incumbent.key.definition;
            let cosine = |vector: Option<&Vector>| {
                vector
                    .zip(incumbent.meaning)
                    // Vectors of different models never meet (Z-103).
                    .filter(|(a, b)| a.components().len() == b.components().len())
                    .map(|(a, b)| a.cosine(b).value())
            };
            // A name that nobody said is no evidence: what was said must speak for itself.
            let own = if relation.guessed { centroid } else { meaning };
            let likely = relation
                .affinities
                .get(&definition.key_name)
                .zip(cosine(centroid).zip(cosine(own)))
                .map(|(affinity, (members, candidate))| affinity.covered(members, candidate));
            (definition, likely)
        })
        .collect()
}

/// Decides with the probability that the cluster means each key, where it is known.
fn decide(
    proposal: &Proposal,
    relation: &Relation,
    keys: &[(&KeyDefinition, Option<f64>)],
    learned: &Learned<'_>,
) -> (Conflict, Nearest) {
    let nearest = compared(proposal, keys, relation, learned);
    let case = Case {
        proposal,
        relation,
        keys,
        learned,
    };
    match rules::find(&case) {
        Some(Found { conflict, rule, key }) => {
            let key_name = Some(key.key_name.clone());
            (
                conflict,
                Nearest {
                    rule,
                    key_name,
                    ..nearest
                },
            )
        }
        None => (Conflict::Free, nearest),
    }
}

/// Why a key is another one, however likely the fragments mean it.
fn barred(candidate: &KeyDefinition, key: &KeyDefinition) -> Option<Barred> {
    // Demand finer than a boolean key is open demand (Z-071, Z-072).
    if kind(key) == Kind::Boolean && kind(candidate) != Kind::Boolean {
        Some(Barred::OnlyOnOrOff)
    } else {
        disjoint(candidate, key).then_some(Barred::OtherValues)
    }
}

/// The same, but for what a key that was learned may yet take in.
fn hindered(
    candidate: &KeyDefinition,
    key: &KeyDefinition,
    likely: f64,
    relation: &Relation,
    learned: &Learned<'_>,
) -> Option<Barred> {
    let listed = relation
        .affinities
        .get(&key.key_name)
        .map_or(0.0, |affinity| affinity.listed);
    barred(candidate, key).filter(|barred| match barred {
        // Who says the key's own values means them, whatever else is said besides.
        Barred::OtherValues => !learned.grows(&key.key_name, likely) && listed < LISTED_SAID_MIN,
        Barred::OnlyOnOrOff => true,
    })
}

/// The probability at which a cluster means a key. What its meaning gave a name of its own is no guess any more.
fn needed(proposal: &Proposal, relation: &Relation) -> f64 {
    let guess = relation.guessed && proposal.grounds.name.source == NameSource::Service;
    if guess { GUESSED_MIN } else { COVERED_MIN }
}

/// What was compared, the likeliest first; no rule has found anything yet.
fn compared(
    proposal: &Proposal,
    incumbents: &[(&KeyDefinition, Option<f64>)],
    relation: &Relation,
    learned: &Learned<'_>,
) -> Nearest {
    let keys = || incumbents.iter().filter(|(key, _)| key.key_name.as_str() != OTHER);
    let mut likeliest: Vec<Near> = keys()
        .filter_map(|(key, likely)| {
            let likely = (*likely)?;
            Some(Near {
                key_name: key.key_name.clone(),
                probability: rounded(likely),
                barred: hindered(&proposal.key, key, likely, relation, learned),
            })
        })
        .collect();
    likeliest.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then_with(|| a.key_name.cmp(&b.key_name))
    });
    likeliest.truncate(NEAREST_MAX);
    Nearest {
        compared: keys().count() as u64,
        likeliest,
        needed: needed(proposal, relation),
        ..Nearest::default()
    }
}

/// A name for the candidate that no incumbent bears, for a demand finer than the key whose name it would take: the
/// name itself when it is free, else with `_level` or `_scale`, `_detail`, or a number behind it (Z-072, Z-113).
pub fn sibling_name(wanted: &KeyName, key_type: KeyType, taken: &BTreeSet<KeyName>) -> Option<KeyName> {
    if !taken.contains(wanted) {
        return Some(wanted.clone());
    }
    let finer = match key_type {
        KeyType::Integer | KeyType::Number => "scale",
        KeyType::String => "level",
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => "detail",
    };
    std::iter::once(finer.to_owned())
        .chain(std::iter::once("detail".to_owned()))
        .chain((2..100).map(|n| n.to_string()))
        .filter_map(|suffix| KeyName::parse(&format!("{wanted}_{suffix}")))
        .find(|name| !taken.contains(name))
}

fn kind(key: &KeyDefinition) -> Kind {
    match key.key_type {
        KeyType::Boolean => Kind::Boolean,
        KeyType::Integer | KeyType::Number => Kind::Number,
        KeyType::Array | KeyType::Object | KeyType::Null => Kind::Structure,
        KeyType::String => match key.constraints.get("format").and_then(Value::as_str) {
            Some("date" | "date-time") => Kind::Date,
            Some("time") => Kind::Time,
            Some(_) | None => {
                // A time of day is a pattern, and only its name tells it.
                let last = key.key_name.as_str().rsplit('_').next().unwrap_or_default();
                match last {
                    "date" => Kind::Date,
                    "time" => Kind::Time,
                    _ if key.constraints.contains_key("enum") => Kind::Listed,
                    _ => Kind::Text,
                }
            }
        },
    }
}

/// Whether the incumbent could hold what the candidate asks for at all.
fn mergeable(candidate: &KeyDefinition, key: &KeyDefinition) -> bool {
    match (kind(candidate), kind(key)) {
        (Kind::Text | Kind::Listed, Kind::Text | Kind::Listed) => true,
        (a, b) => a == b,
    }
}

/// Whether both list their values and share none: `window, aisle` and `economy, business` are two demands. A value that
/// says another and more is the same wish: `black olives`, `olives`; so is one in other words: `big`, `large`.
fn disjoint(candidate: &KeyDefinition, key: &KeyDefinition) -> bool {
    let stems = |value: &str| -> BTreeSet<String> {
        let tokens = lexicon::tokens(&value.replace('_', " "));
        let stems = tokens.iter().map(|token| lexicon::stem(&lexicon::lemma(&token.word)));
        stems.collect()
    };
    let worded = |values: BTreeSet<String>| -> BTreeSet<String> {
        values.into_iter().filter(|value| !stems(value).is_empty()).collect()
    };
    match (listed(candidate).map(worded), listed(key).map(worded)) {
        (Some(ours), Some(theirs)) => {
            let within = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.is_subset(b) || b.is_subset(a);
            let said = |a: &str, b: &str| within(&stems(a), &stems(b)) || alike(a, b, &key.key_name);
            !ours.iter().any(|a| theirs.iter().any(|b| said(a, b)))
        }
        (Some(_) | None, _) => false,
    }
}

fn listed(key: &KeyDefinition) -> Option<BTreeSet<String>> {
    let values = closed_list::values(&key.constraints)?
        .into_iter()
        .map(str::to_lowercase);
    let values: BTreeSet<String> = values.filter(|value| value != NONE).collect();
    (!values.is_empty()).then_some(values)
}

/// A key that is meant, whatever it can take in of the candidate.
fn meant(proposal: &Proposal, key: &KeyDefinition) -> Conflict {
    if mergeable(&proposal.key, key) {
        merge(proposal, key, Collision::Meaning)
    } else {
        Conflict::Covered {
            key_name: key.key_name.clone(),
        }
    }
}

fn merge(proposal: &Proposal, key: &KeyDefinition, by: Collision) -> Conflict {
    match refined(proposal, key) {
        Some(semantic_description) => Conflict::Merge {
            key_name: key.key_name.clone(),
            semantic_description,
            by,
        },
        None => Conflict::Covered {
            key_name: key.key_name.clone(),
        },
    }
}

/// The existing description with the examples that it does not show yet; `None` when there is none to add, or no room.
pub(crate) fn refined(proposal: &Proposal, key: &KeyDefinition) -> Option<String> {
    let existing = key.semantic_description.trim_end();
    let said = existing.to_lowercase();
    let allowed = listed(key);
    let mut text = existing.to_owned();
    let mut shown: BTreeSet<String> = mapping_example::shown(existing)
        .into_iter()
        .map(|example| example.value.to_lowercase())
        .collect();
    let mut added = 0;
    for Shown { said: fragment, value } in mapping_example::shown(&proposal.key.semantic_description) {
        let known = allowed
            .as_ref()
            .is_none_or(|allowed| allowed.contains(&value.to_lowercase()));
        if !known || said.contains(&format!("'{}'", fragment.to_lowercase())) || !shown.insert(value.to_lowercase()) {
            continue;
        }
        let mapping = format!("'{fragment}' -> {value}");
        let mut longer = if added > 0 {
            format!("{text}; {mapping}")
        } else if let Some(open) = text.strip_suffix('.').filter(|_| said.contains("examples: ")) {
            format!("{open}; {mapping}")
        } else if text.is_empty() {
            format!("Examples: {mapping}")
        } else {
            let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
            format!("{text}{stop} Examples: {mapping}")
        };
        if longer.chars().count() < REFINED_MAX {
            added += 1;
            std::mem::swap(&mut text, &mut longer);
        }
    }
    (added > 0).then(|| format!("{text}."))
}

#[cfg(test)]
mod tests;

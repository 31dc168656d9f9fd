//! What kind of key a cluster asks for, and under which name.
//!
//! Typed values decide first; what is left is text, and is open, closed, or a switch. Knows no examples and writes no
//! description.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::closed;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::induction::listing;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::open;
use crate::domain::evolution::induction::retrieval;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::switch;
use crate::domain::evolution::induction::typed;
use crate::domain::evolution::induction::values;
use crate::domain::evolution::induction::values::ValueSet;
use crate::domain::evolution::lexicon;
use crate::domain::template::key::KeyType;

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Percent,
    Money,
    Date,
    Time,
    Duration,
    Number,
    /// With the role of the place, where it has one.
    Place(Option<String>),
    Person,
    Title,
    /// One of the values that were found.
    Closed,
    /// A degree: how much of something.
    Level,
    Boolean,
}

/// The key without its description.
#[derive(Clone, Debug)]
pub struct Decision {
    pub kind: Kind,
    pub key_type: KeyType,
    /// Not yet checked.
    pub name: String,
    /// Found for text only.
    pub values: ValueSet,
}

impl Decision {
    /// A decision that needs no values.
    pub fn plain(kind: Kind, key_type: KeyType, name: String) -> Decision {
        Decision {
            kind,
            key_type,
            name,
            values: ValueSet::default(),
        }
    }
}

/// Decides.
pub fn decide(cluster: &Cluster, service: &Service<'_>, meanings: &Meanings) -> Decision {
    match dominant(cluster) {
        Some(tag) => typed::decide(cluster, service, tag),
        None => text(cluster, service, meanings),
    }
}

/// The kind of typed value that most fragments hold.
fn dominant(cluster: &Cluster) -> Option<Tag> {
    let (duration, number) = (cluster.share(Tag::Duration), cluster.share(Tag::Number));
    let mut best: Option<(f64, Tag)> = None;
    for (tag, least, bonus) in [
        (Tag::Percent, 0.30, 0.5),
        (Tag::Money, 0.45, 0.3),
        (Tag::Date, 0.45, 0.1),
        (Tag::Time, 0.45, 0.1),
        (Tag::Duration, 0.45, 0.0),
        (Tag::Number, 0.45, 0.0),
    ] {
        let share = cluster.share(tag);
        if share >= least && best.is_none_or(|(score, _)| share + bonus > score) {
            best = Some((share + bonus, tag));
        }
    }
    let best = best.map(|(_, tag)| tag);
    let best = if duration >= 0.3 && duration + number >= 0.6 && matches!(best, None | Some(Tag::Number)) {
        Some(Tag::Duration)
    } else {
        best
    };
    best.filter(|tag| !(*tag == Tag::Number && cluster.share(Tag::Address) >= 0.3))
}

fn text(cluster: &Cluster, service: &Service<'_>, meanings: &Meanings) -> Decision {
    let prefix = service.prefix(|word| cluster.share_of(word) >= 0.08);
    if cluster.share(Tag::Address) >= 0.35 {
        return open::place(cluster, service, prefix.as_deref());
    }
    let found = values::find(cluster, &service.entity);
    if is_open(cluster, &found) {
        return open::decide(cluster, service, prefix.as_deref());
    }
    if let Some(decision) = level(cluster) {
        return decision;
    }
    let closed = listing::usable(cluster, &found, meanings) >= 2 && found.coverage >= 0.45 && found.top <= 0.85;
    // "Kid-friendly" and "welcomes children" are one thing in other words; "economy" and "premium economy" share a word.
    let synonyms = retrieval::likeness(meanings, cluster, &found).is_some_and(|(mean, big)| mean >= 0.45 && big <= 4);
    let one_thing = closed && (values::families(&found.values) < 2 || synonyms);
    if !closed || one_thing || cluster.yes_or_no >= 0.5 || values::opposite(&found.values) {
        let switch = cluster.yes_or_no >= 0.3
            || values::opposite(&found.values)
            || switch::likely(cluster, service, &found, meanings, one_thing);
        if switch && cluster.share(Tag::Name) < 0.4 {
            return switch::decide(cluster, service, &found, meanings);
        }
        if cluster.share(Tag::Name) >= 0.35 && cluster.novelty > 0.15 && found.values.is_empty() {
            return open::decide(cluster, service, prefix.as_deref());
        }
    }
    closed::decide(cluster, service, found, meanings)
}

/// Whether the values are names, which never close however often each is heard.
fn is_open(cluster: &Cluster, found: &ValueSet) -> bool {
    let modified = cluster.share_where(|fragment| is_modified(fragment, &found.frame));
    cluster.places >= 0.30
        || cluster.persons >= 0.22
        || cluster.proper >= 0.45
        || (cluster.novelty >= 0.27 + 4.5 / cluster.size()
            // In a small cluster nearly every word is new: what modifies the service's noun weighs more then.
            && (modified < 0.20 || cluster.novelty >= f64::max(0.60, 0.45 + 4.5 / cluster.size())))
        || (cluster.name_cues >= 0.25 && cluster.share(Tag::Name) >= 0.2)
}

/// Whether a frame noun carries a modifier with content: "comedy movies".
fn is_modified(fragment: &Fragment, frame: &BTreeSet<String>) -> bool {
    (1..fragment.lemmas.len()).any(|at| {
        let before = at - 1;
        fragment.lemmas.get(at).is_some_and(|lemma| frame.contains(lemma))
            && fragment.lemmas.get(before).is_some_and(|lemma| !frame.contains(lemma))
            && fragment
                .tokens
                .get(before)
                .is_some_and(|token| lexicon::noun_or_adjective(&token.word))
    })
}

/// The first degree word of a fragment.
pub fn degree(fragment: &Fragment) -> Option<&'static str> {
    fragment
        .tokens
        .iter()
        .find_map(|token| lexicon::classes().deg.get(&token.word))
        .map(String::as_str)
}

fn level(cluster: &Cluster) -> Option<Decision> {
    let noun = telling_noun(cluster, 0.25)?;
    let mut degrees: BTreeMap<&str, u64> = BTreeMap::new();
    for fragment in &cluster.fragments {
        if let Some(degree) = degree(fragment) {
            *degrees.entry(degree).or_default() += 1;
        }
    }
    let heard: u64 = degrees.values().sum();
    // A degree that one fragment alone names may be a slip of the tongue.
    let usual = degrees.values().filter(|count| **count >= 2).count();
    (cluster.share_of(&noun) >= 0.5 && heard as f64 >= 0.55 * cluster.size() && usual >= 2)
        .then(|| Decision::plain(Kind::Level, KeyType::String, format!("{noun}_level")))
}

/// The most telling noun that says what is counted or measured.
pub fn telling_noun(cluster: &Cluster, least: f64) -> Option<String> {
    measured_nouns(cluster)
        .find(|word| cluster.share_of(word) >= least && cluster.contrast(word) > 0.0)
        .cloned()
}

/// Nouns that may say what is counted or measured.
fn measured_nouns(cluster: &Cluster) -> impl Iterator<Item = &String> {
    let classes = lexicon::classes();
    cluster.heads.iter().filter(move |word| {
        !classes.domainish.contains(*word)
            && !classes.numw.contains_key(*word)
            && !classes.persons.contains(*word)
            && !matches!(
                word.as_str(),
                "dollar" | "buck" | "euro" | "pound" | "hour" | "minute" | "percent" | "max"
            )
    })
}

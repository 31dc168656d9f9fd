//! What kind of key a cluster asks for, and under which name.
//!
//! Typed values decide first; what is left is text, and is open, closed, or a switch. Knows no examples and writes no
//! description.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::closed;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::contact;
use crate::domain::evolution::induction::contact::Contact;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::induction::listing;
use crate::domain::evolution::induction::mapping;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::often;
use crate::domain::evolution::induction::open;
use crate::domain::evolution::induction::retrieval;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::sort;
use crate::domain::evolution::induction::switch;
use crate::domain::evolution::induction::typed;
use crate::domain::evolution::induction::values;
use crate::domain::evolution::induction::values::ValueSet;
use crate::domain::evolution::lexicon;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::grounds::Settled;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::Typing;
use crate::domain::pool::grounds::ValueKind;
use crate::domain::pool::grounds::rounded;
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
    /// A phone number or an e-mail address.
    Contact(Contact),
    /// One of the values that were found.
    Closed,
    /// A degree: how much of something.
    Level,
    /// How often: `weekly`.
    Rhythm,
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
    /// Why this name and this type.
    pub naming: Naming,
    pub typing: Typing,
}

/// A name with where it comes from.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    pub naming: Naming,
}

impl Named {
    /// A name that words gave.
    pub fn by(source: NameSource, name: impl Into<String>) -> Named {
        Named {
            name: name.into(),
            naming: Naming::by(source),
        }
    }
}

impl Decision {
    /// A decision that needs no values.
    pub fn plain(kind: Kind, key_type: KeyType, named: Named) -> Decision {
        Decision::among(kind, key_type, named, ValueSet::default())
    }

    /// A decision with the values that were found.
    pub fn among(kind: Kind, key_type: KeyType, named: Named, values: ValueSet) -> Decision {
        Decision {
            kind,
            key_type,
            name: named.name,
            values,
            naming: named.naming,
            typing: Typing::default(),
        }
    }

    /// The same, with the test that decided the type: the share that it counts, and what that had to be.
    pub fn because(self, rule: TypeRule, settled_by: Settled, share: f64, needed: f64) -> Decision {
        let typing = Typing {
            value: value_kind(&self.kind),
            rule,
            settled_by,
            share: Some(rounded(share)),
            needed: Some(needed),
            ..Typing::default()
        };
        Decision { typing, ..self }
    }
}

fn value_kind(kind: &Kind) -> ValueKind {
    match kind {
        Kind::Percent => ValueKind::Percent,
        Kind::Money => ValueKind::Money,
        Kind::Date => ValueKind::Date,
        Kind::Time => ValueKind::Time,
        Kind::Duration => ValueKind::Duration,
        Kind::Number => ValueKind::Number,
        Kind::Place(_) => ValueKind::Place,
        Kind::Person => ValueKind::Person,
        Kind::Title => ValueKind::Title,
        Kind::Contact(_) => ValueKind::Contact,
        Kind::Closed => ValueKind::Choice,
        Kind::Level => ValueKind::Level,
        Kind::Rhythm => ValueKind::Rhythm,
        Kind::Boolean => ValueKind::Switch,
    }
}

/// Share of the fragments that must say the service's own thing before a title is one of it.
const ENTITY_SAID_MIN: f64 = 0.10;
/// Score from which on a general name, found by meaning, stands against a guess.
const MEANT_MIN: f64 = 0.40;

/// Decides.
pub fn decide(cluster: &Cluster, service: &Service<'_>, meanings: &Meanings) -> Decision {
    if let Some(contact) = reached_by(cluster, service) {
        return contact;
    }
    if let Some(rhythm) = often::rhythm(cluster, service) {
        return rhythm;
    }
    match dominant(cluster) {
        Some((tag, rule, share, needed)) => {
            typed::decide(cluster, service, tag).because(rule, Settled::Words, share, needed)
        }
        None => text(cluster, service, meanings),
    }
}

/// A way to be reached, where most fragments give one.
fn reached_by(cluster: &Cluster, service: &Service<'_>) -> Option<Decision> {
    let share = |contact| cluster.share_where(|fragment| fragment.contact == Some(contact));
    let contact = Contact::ALL
        .into_iter()
        .find(|contact| share(*contact) >= contact::SHARE_MIN)?;
    let names = contact.names();
    let name = names.into_iter().find(|name| !service.taken(name)).unwrap_or(names[0]);
    let named = Named::by(NameSource::Type, name);
    let decision = Decision::plain(Kind::Contact(contact), KeyType::String, named);
    Some(decision.because(TypeRule::Dominant, Settled::Words, share(contact), contact::SHARE_MIN))
}

/// Whether a decision is a title called after the service's own thing for want of any other name, of which hardly anybody
/// speaks.
pub fn guessed(decision: &Decision, cluster: &Cluster, service: &Service<'_>) -> bool {
    decision.kind == Kind::Title
        && decision.naming.source == NameSource::Service
        && cluster.share_of(&service.entity) < ENTITY_SAID_MIN
}

/// What a guessed title is by its meaning, where a general name is near enough: "I'm vegan" names no restaurant.
fn meant(
    open: &Decision,
    cluster: &Cluster,
    service: &Service<'_>,
    found: &ValueSet,
    meanings: &Meanings,
) -> Option<Decision> {
    if !guessed(open, cluster, service) {
        return None;
    }
    let meant = closed::decide(cluster, service, found.clone(), meanings);
    let naming = &meant.naming;
    let near = naming.settled_by == Settled::Vectors && naming.score.is_some_and(|score| score >= MEANT_MIN);
    (naming.source == NameSource::Vocabulary && near)
        .then(|| meant.because(TypeRule::Text, Settled::Vectors, found.coverage, 0.0))
}

/// The kind of typed value that most fragments hold, by which rule, at which share, and what that had to be.
fn dominant(cluster: &Cluster) -> Option<(Tag, TypeRule, f64, f64)> {
    let (duration, number) = (cluster.share(Tag::Duration), cluster.share(Tag::Number));
    let mut best: Option<(f64, Tag, f64)> = None;
    for (tag, least, bonus) in [
        (Tag::Percent, 0.30, 0.5),
        (Tag::Money, 0.45, 0.3),
        (Tag::Date, 0.45, 0.1),
        (Tag::Time, 0.45, 0.1),
        (Tag::Duration, 0.45, 0.0),
        (Tag::Number, 0.45, 0.0),
    ] {
        let share = cluster.share(tag);
        if share >= least && best.is_none_or(|(score, _, _)| share + bonus > score) {
            best = Some((share + bonus, tag, least));
        }
    }
    let best = best.map(|(_, tag, least)| (tag, TypeRule::Dominant, cluster.share(tag), least));
    let durations = duration >= 0.3 && duration + number >= 0.6;
    let best = if durations && best.is_none_or(|(tag, _, _, _)| tag == Tag::Number) {
        Some((Tag::Duration, TypeRule::DurationWithNumbers, duration + number, 0.6))
    } else {
        best
    };
    best.filter(|(tag, _, _, _)| !(*tag == Tag::Number && cluster.share(Tag::Address) >= 0.3))
}

fn text(cluster: &Cluster, service: &Service<'_>, meanings: &Meanings) -> Decision {
    let prefix = service.prefix(|word| cluster.share_of(word) >= 0.08);
    let addresses = cluster.share(Tag::Address);
    if addresses >= 0.35 {
        return open::place(cluster, service, prefix.as_deref()).because(
            TypeRule::Addresses,
            Settled::Words,
            addresses,
            0.35,
        );
    }
    let found = values::find(cluster, &service.entity);
    if let Some((rule, share, needed)) = open_by(cluster, &found).filter(|(rule, _, _)| !refuses_titles(cluster, *rule))
    {
        let open = open::decide(cluster, service, prefix.as_deref()).because(rule, Settled::Words, share, needed);
        return meant(&open, cluster, service, &found, meanings).unwrap_or(open);
    }
    if let Some(decision) = level(cluster) {
        return decision;
    }
    let closed = listing::usable(cluster, &found, meanings) >= 2 && found.coverage >= 0.45 && found.top <= 0.85;
    // "Kid-friendly" and "welcomes children" are one thing in other words; "economy" and "premium economy" share a word.
    let synonyms = retrieval::likeness(meanings, cluster, &found).is_some_and(|(mean, big)| mean >= 0.45 && big <= 4);
    let one_thing = closed && (values::families(&found.values) < 2 || synonyms);
    if !closed || one_thing || cluster.yes_or_no >= 0.5 || values::opposite(&found.values) {
        let switch = switch_by(cluster, service, &found, meanings, one_thing);
        let is_switch = cluster.share(Tag::Name) < 0.4 && !sort::one_of_several(cluster, service);
        if let Some((rule, settled_by, share, needed)) = switch.filter(|_| is_switch) {
            return switch::decide(cluster, service, &found, meanings).because(rule, settled_by, share, needed);
        }
        let names = cluster.share(Tag::Name);
        if names >= 0.35 && cluster.novelty > 0.15 && found.values.is_empty() {
            let open = open::decide(cluster, service, prefix.as_deref());
            let open = open.because(TypeRule::NamesWithoutValues, Settled::Words, names, 0.35);
            return meant(&open, cluster, service, &found, meanings).unwrap_or(open);
        }
    }
    let rule = if closed { TypeRule::List } else { TypeRule::Text };
    let coverage = found.coverage;
    closed::decide(cluster, service, found, meanings).because(rule, Settled::Words, coverage, 0.45)
}

/// Share of the fragments that speak of one thing, and share that deny it, from which on it is wanted or not.
const SPOKEN_OF_MIN: f64 = 0.60;
const DENIED_MIN: f64 = 0.12;

/// Which test says that a switch is asked for: the rule, what settled it, the share or score that it counts, and what that
/// had to be.
fn switch_by(
    cluster: &Cluster,
    service: &Service<'_>,
    found: &ValueSet,
    meanings: &Meanings,
    one_thing: bool,
) -> Option<(TypeRule, Settled, f64, f64)> {
    if cluster.yes_or_no >= 0.3 {
        return Some((TypeRule::YesOrNo, Settled::Words, cluster.yes_or_no, 0.3));
    }
    // One thing that most speak of and some will not have is wanted or not.
    let denied = cluster
        .heads
        .first()
        .filter(|noun| cluster.share_of(noun) >= SPOKEN_OF_MIN);
    let denied = denied.map_or(0.0, |noun| cluster.denied(noun));
    if denied >= DENIED_MIN {
        return Some((TypeRule::YesOrNo, Settled::Words, denied, DENIED_MIN));
    }
    if values::opposite(&found.values) {
        return Some((TypeRule::Opposites, Settled::Words, found.coverage, 0.0));
    }
    let (settled_by, score, needed) = switch::likely(cluster, service, found, meanings, one_thing)?;
    Some((TypeRule::NearerToSwitch, settled_by, score, needed))
}

/// Which test says that the values are names, which never close however often each is heard: the rule, the share that it
/// counts, and what that had to be.
fn open_by(cluster: &Cluster, found: &ValueSet) -> Option<(TypeRule, f64, f64)> {
    if cluster.places >= 0.30 {
        Some((TypeRule::Places, cluster.places, 0.30))
    } else if cluster.persons >= 0.22 {
        Some((TypeRule::People, cluster.persons, 0.22))
    } else if cluster.proper >= 0.45 {
        Some((TypeRule::ProperNames, cluster.proper, 0.45))
    } else if let Some(needed) = new_words(cluster, found) {
        Some((TypeRule::NewWords, cluster.novelty, rounded(needed)))
    } else if cluster.name_cues >= 0.25 && cluster.share(Tag::Name) >= 0.2 {
        Some((TypeRule::NameCues, cluster.name_cues, 0.25))
    } else {
        None
    }
}

/// Share of the fragments that must refuse what they speak of before new words name nothing: nobody goes without a title.
const REFUSED_MIN: f64 = 0.20;

fn refuses_titles(cluster: &Cluster, rule: TypeRule) -> bool {
    rule == TypeRule::NewWords && cluster.share_where(mapping::refused) >= REFUSED_MIN
}

/// The share of fragments with a new word from which on the values are names, where there are as many.
fn new_words(cluster: &Cluster, found: &ValueSet) -> Option<f64> {
    let least = 0.27 + 4.5 / cluster.size();
    if cluster.novelty < least {
        return None;
    }
    // In a small cluster nearly every word is new: what modifies the service's noun weighs more then.
    let modified = cluster.share_where(|fragment| is_modified(fragment, &found.frame));
    let needed = if modified < 0.20 {
        least
    } else {
        f64::max(0.60, 0.45 + 4.5 / cluster.size())
    };
    (cluster.novelty >= needed).then_some(needed)
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
    let share = heard as f64 / cluster.size();
    (cluster.share_of(&noun) >= 0.5 && heard as f64 >= 0.55 * cluster.size() && usual >= 2).then(|| {
        let named = Named::by(NameSource::Noun, format!("{noun}_level"));
        Decision::plain(Kind::Level, KeyType::String, named).because(TypeRule::Degrees, Settled::Words, share, 0.55)
    })
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

//! Induction: from a cluster's fragments to a candidate key, by rules (Z-109 … Z-112).
//!
//! Reads each fragment, counts the cluster against its background, decides kind and name, lists values, writes a
//! description with real examples. No model and no randomness: the same cluster with the same vectors gives the same key,
//! and without vectors one that goes by words alone. Invariants:
//! the key is optional (Z-125) and its name is free among the visible keys (Z-113); nothing reaches it that
//! [`harmless`] refuses; the work is bounded whatever the fragments say.

pub mod pooled;

pub mod harmless;

pub mod fragment;

pub mod cluster;

pub mod contact;

pub mod service;

pub mod values;

pub mod decision;

pub mod typed;

pub mod often;

pub mod open;

pub mod closed;

pub mod switch;

pub mod sort;

pub mod listing;

pub mod mapping;

pub mod meanings;

pub mod retrieval;

pub mod field;

pub mod example;

pub mod wording;

pub mod advice;

pub mod reasons;

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use unicode_normalization::UnicodeNormalization;

use crate::domain::evolution::affinity;
use crate::domain::evolution::affinity::Choices;
use crate::domain::evolution::affinity::Relation;
use crate::domain::evolution::conflict;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::contact::Contact;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::example::Discretion;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::listing::Listing;
use crate::domain::evolution::induction::mapping::Mapping;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::pooled::Eyes;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::moment;
use crate::domain::evolution::screen::sensitive;
use crate::domain::pool::grounds::Feature;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::reading::Reading;
use crate::domain::template::closed_list::NONE;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;
use crate::domain::time::At;

/// Members and background fragments that are read.
const MEMBERS_MAX: usize = 200;
const BACKGROUND_MAX: usize = 250;
/// Share of questions from which on nothing is asked for, and share of content that a demand needs.
const QUESTIONS_MAX: f64 = 0.5;
const CONTENT_MIN: f64 = 0.65;
/// Surface values that are kept.
const SURFACES_MAX: usize = 32;
/// Names of private people: such names are never shown.
const PRIVATE: [&str; 10] = [
    "recipient",
    "sender",
    "contact",
    "doctor",
    "stylist",
    "attendee",
    "passenger",
    "customer",
    "employee",
    "driver",
];

/// One member of the cluster, with its text out of the sealed part of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub text: String,
    pub client: Option<ClientId>,
    pub reading: Reading,
    /// When it was said: dates are relative to it.
    pub at: At,
}

/// What induction sees.
#[derive(Clone, Debug)]
pub struct Inducement<'a> {
    pub members: &'a [Member],
    /// Fragments of the pool that are not in the cluster: what this service's clients say anyway.
    pub background: &'a [String],
    /// Name and description of the service.
    pub scenario: &'a str,
    pub description: &'a str,
    /// Keys in force for the audience.
    pub keys: &'a [EffectiveKey],
    /// Whether the key is for the one client who said all of this: its examples may be shown to it.
    pub personal: bool,
    pub example_clients_min: u64,
}

/// Why no key came of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abstention {
    /// Mostly questions.
    Question,
    /// Nothing in it says what is wanted.
    NoContent,
    /// Too few fragments say it: so many were read.
    FewFragments(u64),
    /// One client said too much of it.
    OneClient,
    /// No name that is legal and free of sensitive text could be made.
    NoName,
    /// Too few clients said the same words for an example that may be shown to others.
    Examples,
}

/// A cluster that was read and asks for a key: what can be said of it before anything was embedded.
#[derive(Clone, Debug)]
pub struct Draft {
    cluster: Cluster,
    features: Vec<Feature>,
    scenario: String,
    description: String,
    keys: Vec<KeyDefinition>,
    personal: bool,
    example_clients_min: u64,
}

/// Reads a cluster; [`Draft::propose`] makes the candidate.
///
/// # Errors
/// Why there will be none.
pub fn draft(inducement: &Inducement<'_>) -> Result<Draft, Abstention> {
    draft_with(inducement, pooled::eyes())
}

/// The same with other eyes than the pool's.
fn draft_with(inducement: &Inducement<'_>, eyes: Eyes<'_>) -> Result<Draft, Abstention> {
    let (cluster, readings) = read(inducement, eyes);
    if cluster.fragments.is_empty() {
        return Err(Abstention::NoContent);
    }
    if cluster.questions >= QUESTIONS_MAX {
        return Err(Abstention::Question);
    }
    if cluster.content < CONTENT_MIN {
        return Err(Abstention::NoContent);
    }
    Ok(Draft {
        cluster,
        features: reasons::features(&readings),
        scenario: inducement.scenario.to_owned(),
        description: inducement.description.to_owned(),
        keys: inducement.keys.iter().map(|key| key.definition.clone()).collect(),
        personal: inducement.personal,
        example_clients_min: inducement.example_clients_min,
    })
}

impl Draft {
    /// Texts whose vectors tell more about this cluster; none where its values have a type or are names that have one.
    pub fn texts(&self) -> Vec<String> {
        let service = self.service();
        let texts = || retrieval::texts(&self.cluster, &values::find(&self.cluster, &service.entity));
        let decision = decision::decide(&self.cluster, &service, &Meanings::default());
        match decision.kind {
            Kind::Closed | Kind::Boolean => texts(),
            Kind::Title if decision::guessed(&decision, &self.cluster, &service) => texts(),
            Kind::Percent
            | Kind::Money
            | Kind::Date
            | Kind::Time
            | Kind::Duration
            | Kind::Number
            | Kind::Place(_)
            | Kind::Person
            | Kind::Title
            | Kind::Contact(_)
            | Kind::Level
            | Kind::Rhythm => Vec::new(),
        }
    }

    /// Makes the candidate.
    ///
    /// # Errors
    /// Why none was made.
    pub fn propose(&self, meanings: &Meanings) -> Result<Proposal, Abstention> {
        let service = self.service();
        let decision = decision::decide(&self.cluster, &service, meanings);
        let name = name(&decision, &self.cluster, &service, self.personal).ok_or(Abstention::NoName)?;
        let listing = Listing::of(&self.cluster, &decision, &service.entity, meanings, self.personal);
        Ok(self.assemble(&service, &decision, name, &listing, None))
    }

    /// The candidate of a decision. `about` stands for the rules' own words for what the key is.
    fn assemble(
        &self,
        service: &Service<'_>,
        decision: &Decision,
        name: KeyName,
        listing: &Listing,
        about: Option<String>,
    ) -> Proposal {
        let cluster = &self.cluster;
        let mapping = Mapping::learn(cluster, &decision.kind, listing);
        let discretion = self.discretion(&decision.kind, &name);
        let mut examples = example::examples(cluster, &mapping, &name, discretion);
        if examples.is_empty() {
            examples = example::unmapped(cluster, decision, &name, discretion);
        }
        let may_name = |other: &str| {
            lexicon::vocabulary().iter().any(|term| term.name == other)
                || (discretion.verbatim && shareable(other, cluster, service, self.personal))
        };
        let grounds = reasons::of(cluster, decision, &mapping, &self.features, &name, may_name);
        let texts = cluster.fragments.iter().map(|fragment| fragment.text.as_str());
        let sensitive = sensitive::of(name.as_str(), texts);
        let shown = example::candidates(cluster, &mapping, decision, &name, discretion);
        let surfaces = surfaces(cluster, &mapping, discretion);
        let about = about.unwrap_or_else(|| wording::about(name.as_str(), &decision.kind, &service.entity));
        let key = KeyDefinition {
            key_type: decision.key_type,
            required: false,
            default_value: default_value(&decision.kind, listing),
            constraints: constraints(&decision.kind, listing),
            semantic_description: wording::describe(about.clone(), &wording::accepted(listing), &examples),
            semantic_descriptions: BTreeMap::new(),
            sensitive,
            unknown: Map::new(),
            key_name: name,
        };
        Proposal {
            key,
            surfaces,
            examples: example::evidence(cluster, &decision.kind, discretion),
            sensitive: sensitive.map(|sensitive| sensitive::word(sensitive).to_owned()),
            grounds,
            holds: Vec::new(),
            about,
            shown,
        }
    }

    fn discretion(&self, kind: &Kind, name: &KeyName) -> Discretion {
        Discretion {
            verbatim: self.personal || self.cluster.known_clients() >= self.example_clients_min.max(1),
            personal: self.personal,
            private_names: *kind == Kind::Person && names_private_people(name),
        }
    }

    fn service(&self) -> Service<'_> {
        Service::read(&self.scenario, &self.description, self.keys.iter().collect())
    }

    /// How the cluster relates to keys that exist, by words alone.
    pub fn relate<'k>(&self, keys: impl IntoIterator<Item = &'k KeyDefinition>, choices: &Choices) -> Relation {
        affinity::relate(&self.cluster, &self.service(), keys, choices)
    }
}

/// Harmless members against harmless background, and how the members were read by the pool.
fn read<'a>(inducement: &Inducement<'a>, eyes: Eyes<'_>) -> (Cluster, Vec<&'a Reading>) {
    let harmless = |text: &str| harmless::harmless(text, &(eyes.redact)(text));
    let (members, readings) = inducement
        .members
        .iter()
        .filter_map(|member| {
            let redacted = (eyes.redact)(&member.text);
            let told = contact::told(&redacted);
            let contact = told.as_ref().map(|(contact, _)| *contact);
            let text = match told {
                Some((_, text)) => harmless::harmless(&text, &text)?,
                None => harmless::harmless(&member.text, &redacted)?,
            };
            let fragment = Fragment {
                contact,
                ..Fragment::read(text, member.client.clone(), member.at, eyes)
            };
            Some((fragment, &member.reading))
        })
        .take(MEMBERS_MAX)
        .unzip();
    let background = inducement
        .background
        .iter()
        .filter_map(|text| Some(Fragment::read(harmless(text)?, None, At(0), eyes)))
        .take(BACKGROUND_MAX)
        .collect();
    (Cluster::count(members, background), readings)
}

/// Whether a key of that name holds names of private people.
pub fn names_private_people(name: &KeyName) -> bool {
    name.as_str().split('_').any(|word| PRIVATE.contains(&word))
}

/// A legal name that no visible key bears, made of ordinary words or of what more than one client said.
fn name(decision: &Decision, cluster: &Cluster, service: &Service<'_>, personal: bool) -> Option<KeyName> {
    let wanted = KeyName::parse(&slug(&decision.name))?;
    if shareable_name(&wanted, cluster, service, personal) {
        conflict::sibling_name(&wanted, decision.key_type, &taken(service))
    } else {
        None
    }
}

/// Whether a name may be read by whoever sees the key.
fn shareable_name(wanted: &KeyName, cluster: &Cluster, service: &Service<'_>, personal: bool) -> bool {
    wanted.as_str().len() >= 2 && shareable(wanted.as_str(), cluster, service, personal)
}

/// Whether a name tells nothing about anybody: each word is ordinary, or visible, or said by more than one client.
fn shareable(name: &str, cluster: &Cluster, service: &Service<'_>, personal: bool) -> bool {
    name.split('_').all(|word| {
        let lemma = lexicon::lemma(word);
        let says = |fragment: &Fragment| fragment.lemmas.iter().any(|said| slug(said) == lemma);
        let visible = || {
            service
                .visible
                .iter()
                .any(|name| name.split('_').any(|own| own == word))
        };
        let person = lexicon::given_name(word) && !lexicon::known(word);
        lexicon::names_keys(word)
            || (!person && (lexicon::known(&lemma) || personal || visible() || cluster.clients_where(says) >= 2))
    })
}

/// Names that no candidate may have.
fn taken(service: &Service<'_>) -> BTreeSet<KeyName> {
    service
        .visible
        .iter()
        .map(String::as_str)
        .chain([OTHER, "exchange", "schema_update_suggestion"])
        .filter_map(KeyName::parse)
        .collect()
}

/// A text in snake_case: accents off, everything but letters and digits as one `_`.
fn slug(text: &str) -> String {
    let plain: String = text
        .nfkd()
        .filter(|c| !unicode_normalization::char::is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join("_")
}

fn default_value(kind: &Kind, listing: &Listing) -> Option<Value> {
    match kind {
        Kind::Boolean => Some(Value::Bool(false)),
        Kind::Closed | Kind::Level | Kind::Rhythm => (!listing.values.is_empty()).then(|| json!(NONE)),
        Kind::Percent
        | Kind::Money
        | Kind::Date
        | Kind::Time
        | Kind::Duration
        | Kind::Number
        | Kind::Place(_)
        | Kind::Person
        | Kind::Title
        | Kind::Contact(_) => None,
    }
}

fn constraints(kind: &Kind, listing: &Listing) -> Map<String, Value> {
    let mut constraints = Map::new();
    match kind {
        Kind::Date => {
            constraints.insert("format".to_owned(), json!("date"));
        }
        Kind::Contact(Contact::Email) => {
            constraints.insert("format".to_owned(), json!("email"));
        }
        Kind::Closed | Kind::Level | Kind::Rhythm if !listing.values.is_empty() => {
            constraints.insert("enum".to_owned(), json!(wording::accepted(listing)));
        }
        Kind::Time => {
            constraints.insert("pattern".to_owned(), json!(moment::CLOCK_PATTERN));
        }
        Kind::Closed
        | Kind::Level
        | Kind::Rhythm
        | Kind::Boolean
        | Kind::Percent
        | Kind::Money
        | Kind::Duration
        | Kind::Number
        | Kind::Place(_)
        | Kind::Person
        | Kind::Title
        | Kind::Contact(Contact::Phone) => {}
    }
    constraints
}

/// Known surface values, most frequent first. Typed values have none: a number or a date says nothing by itself.
fn surfaces(cluster: &Cluster, mapping: &Mapping<'_>, discretion: Discretion) -> Vec<String> {
    match mapping.kind {
        Kind::Closed | Kind::Level | Kind::Rhythm => {
            mapping.listing.surfaces.iter().take(SURFACES_MAX).cloned().collect()
        }
        Kind::Place(_) | Kind::Person | Kind::Title if !discretion.private_names => names(cluster, mapping, discretion),
        Kind::Place(_)
        | Kind::Person
        | Kind::Title
        | Kind::Boolean
        | Kind::Percent
        | Kind::Money
        | Kind::Date
        | Kind::Time
        | Kind::Duration
        | Kind::Contact(_)
        | Kind::Number => Vec::new(),
    }
}

/// Names that several clients said, or that are places of the table, or that the one client said who sees the key.
fn names(cluster: &Cluster, mapping: &Mapping<'_>, discretion: Discretion) -> Vec<String> {
    let mut said: BTreeMap<String, (u64, BTreeSet<Option<&ClientId>>)> = BTreeMap::new();
    for fragment in &cluster.fragments {
        if let Some(mapped) = mapping.map(fragment).filter(|mapped| harmless::shareable(&mapped.text)) {
            let (count, clients) = said.entry(mapped.text.to_lowercase()).or_default();
            *count += 1;
            clients.insert(fragment.client.as_ref());
        }
    }
    let mut names: Vec<(u64, String)> = said
        .into_iter()
        .filter(|(name, (_, clients))| discretion.personal || clients.len() >= 2 || lexicon::place(name))
        .map(|(name, (count, _))| (count, name))
        .collect();
    names.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    names.into_iter().take(SURFACES_MAX).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests;

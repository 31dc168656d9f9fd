//! The rules by which a key is found that a candidate means, in their order: the first that finds one decides.
//!
//! What names, sorts and ends have in common is told by the files beside this one. Where no vector says how likely a key is,
//! the other rules alone find it. Invariant: nothing is found in `other`.

use crate::domain::evolution::affinity::Relation;
use crate::domain::evolution::conflict::CALLED_MIN;
use crate::domain::evolution::conflict::Collision;
use crate::domain::evolution::conflict::Conflict;
use crate::domain::evolution::conflict::Kind;
use crate::domain::evolution::conflict::disjoint;
use crate::domain::evolution::conflict::ends;
use crate::domain::evolution::conflict::hindered;
use crate::domain::evolution::conflict::kind;
use crate::domain::evolution::conflict::learned::Learned;
use crate::domain::evolution::conflict::meant;
use crate::domain::evolution::conflict::merge;
use crate::domain::evolution::conflict::mergeable;
use crate::domain::evolution::conflict::needed;
use crate::domain::evolution::conflict::only;
use crate::domain::evolution::conflict::same_name::same_but_for;
use crate::domain::evolution::conflict::same_name::same_name;
use crate::domain::evolution::conflict::same_name::same_sort;
use crate::domain::evolution::conflict::same_name::same_title;
use crate::domain::evolution::conflict::same_name::switch_of;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::NearRule;
use crate::domain::pool::proposal::Proposal;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::OTHER;

/// A candidate beside the keys that exist.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub proposal: &'a Proposal,
    pub relation: &'a Relation,
    /// With the probability that the cluster means each, where it is known.
    pub keys: &'a [(&'a KeyDefinition, Option<f64>)],
    pub learned: &'a Learned<'a>,
}

/// A key that is meant, what that leads to, and which rule found it.
#[derive(Debug)]
pub struct Found<'a> {
    pub conflict: Conflict,
    pub rule: NearRule,
    pub key: &'a KeyDefinition,
}

type Rule = for<'a> fn(&Case<'a>) -> Option<Found<'a>>;

const ORDER: [Rule; 10] = [
    very_name,
    likeliest,
    no_room_beside,
    name_that_says_the_same,
    same_sorts,
    switch_for_what_it_lists,
    one_of_its_sorts,
    name_as_near,
    either_of_two_ends,
    only_one,
];

/// What the first rule finds that finds a key.
pub fn find<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    ORDER.iter().find_map(|rule| rule(case))
}

/// Two keys of one name cannot be (Z-113), and what cannot be merged must not be (Z-071).
fn very_name<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let key = case.first(|key, _| key.key_name == case.candidate().key_name)?;
    let conflict = if mergeable(case.candidate(), key) {
        merge(case.proposal, key, Collision::Name)
    } else {
        covered(key)
    };
    Some(Found {
        conflict,
        rule: NearRule::ExactName,
        key,
    })
}

/// The likeliest by meaning, where nothing bars it (Z-126).
fn likeliest<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let needed = needed(case.proposal, case.relation);
    let (key, _) = case
        .keys()
        .filter_map(|(key, likely)| likely.map(|likely| (key, likely)))
        .filter(|(key, likely)| {
            *likely >= needed && hindered(case.candidate(), key, *likely, case.relation, case.learned).is_none()
        })
        .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    Some(case.meant(key, NearRule::Likelihood))
}

/// A name that cannot stand beside the key's, whatever values were heard and however it was found (Z-113).
fn no_room_beside<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let (name, relation) = (&case.candidate().key_name, case.relation);
    let key = case.first(|key, _| {
        let guess = relation.guessed && same_title(name, &key.key_name) && case.fits(key);
        let but_for = !relation.guessed && same_but_for(name, &key.key_name, &relation.entity);
        guess || but_for && mergeable(case.candidate(), key) || case.is_of_that_type_alone(key)
    })?;
    Some(case.merged(key, NearRule::SameName))
}

/// The name, or the one that it would have had in a service without keys, says the same (Z-113).
fn name_that_says_the_same<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let called = case.relation.called.as_ref();
    let key = case.first(|key, likely| {
        let named = same_name(&case.candidate().key_name, &key.key_name)
            || called.is_some_and(|name| same_name(name, &key.key_name)) && possible(likely);
        named && !case.relation.guessed && case.fits(key)
    })?;
    Some(case.merged(key, NearRule::SameName))
}

/// Both tell apart the sorts of the service's own thing. A list that was learned may yet take in other sorts.
fn same_sorts<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let key = case.first(|key, _| {
        same_sort(&case.candidate().key_name, &key.key_name, &case.relation.entity)
            && mergeable(case.candidate(), key)
            && (case.learned.has(&key.key_name) || !disjoint(case.candidate(), key))
    })?;
    Some(case.merged(key, NearRule::SameName))
}

/// Who lists the values of a thing can say that none is wanted: a switch for the thing says less.
fn switch_for_what_it_lists<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let key = case.first(|key, likely| {
        kind(case.candidate()) == Kind::Boolean
            && kind(key) == Kind::Listed
            && switch_of(&case.candidate().key_name, &key.key_name)
            && possible(likely)
    })?;
    Some(case.meant(key, NearRule::SameName))
}

/// A learned key that tells the sorts apart takes this one in, too: it is no wish beside the others.
fn one_of_its_sorts<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let key = case.first(|key, _| {
        case.relation.sort_of.as_ref() == Some(&key.key_name)
            && case.learned.has(&key.key_name)
            && matches!(kind(key), Kind::Text | Kind::Listed)
    })?;
    Some(case.meant(key, NearRule::OneOfItsSorts))
}

/// One of the two nearly had the name of the other.
fn name_as_near<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let naming = &case.proposal.grounds.name;
    let key = case.first(|key, likely| {
        case.learned
            .nearly_same(&key.key_name, &case.candidate().key_name, naming)
            && possible(likely)
            && case.fits(key)
    })?;
    Some(case.merged(key, NearRule::NearlySameName))
}

/// Which of the two nobody knows, so that it describes neither.
fn either_of_two_ends<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let key = ends::either_end(case.candidate(), case.keys().map(|(key, _)| key))?;
    Some(Found {
        conflict: covered(key),
        rule: NearRule::OnlyKey,
        key,
    })
}

/// The one key that takes such a value.
fn only_one<'a>(case: &Case<'a>) -> Option<Found<'a>> {
    let key = only::only_key(case.candidate(), case.keys())?;
    Some(Found {
        conflict: merge(case.proposal, key, Collision::Meaning),
        rule: NearRule::OnlyKey,
        key,
    })
}

/// Whether what was said does not speak against a key that its name alone suggests.
fn possible(likely: Option<f64>) -> bool {
    likely.is_none_or(|likely| likely >= CALLED_MIN)
}

fn covered(key: &KeyDefinition) -> Conflict {
    Conflict::Covered {
        key_name: key.key_name.clone(),
    }
}

impl<'a> Case<'a> {
    fn candidate(&self) -> &'a KeyDefinition {
        &self.proposal.key
    }

    fn keys(&self) -> impl Iterator<Item = (&'a KeyDefinition, Option<f64>)> + Clone + use<'a> {
        let keys = self.keys.iter().copied();
        keys.filter(|(key, _)| key.key_name.as_str() != OTHER)
    }

    fn first(&self, is_it: impl Fn(&KeyDefinition, Option<f64>) -> bool) -> Option<&'a KeyDefinition> {
        let mut keys = self.keys();
        keys.find(|(key, likely)| is_it(key, *likely)).map(|(key, _)| key)
    }

    /// Whether a learned key has the name that the type of the values alone gave: nothing said tells the two apart.
    fn is_of_that_type_alone(&self, key: &KeyDefinition) -> bool {
        let naming = &self.proposal.grounds.name;
        let wanted = naming.source == NameSource::Type && naming.wanted.as_deref() == Some(key.key_name.as_str());
        wanted && self.learned.has(&key.key_name) && self.fits(key)
    }

    /// Whether the key could hold what the candidate asks for, and its list does not speak against it.
    fn fits(&self, key: &KeyDefinition) -> bool {
        mergeable(self.candidate(), key) && !disjoint(self.candidate(), key)
    }

    fn merged(&self, key: &'a KeyDefinition, rule: NearRule) -> Found<'a> {
        let conflict = merge(self.proposal, key, Collision::Name);
        Found { conflict, rule, key }
    }

    fn meant(&self, key: &'a KeyDefinition, rule: NearRule) -> Found<'a> {
        let conflict = meant(self.proposal, key);
        Found { conflict, rule, key }
    }
}

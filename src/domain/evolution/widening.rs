//! Widening: a learned list that turned out too short takes in the values that were found later (Z-107, Z-114).
//!
//! A list is closed over what was said when its key was proposed. What is asked for beyond it fits no listed value, so it
//! stays in `other`, and is the same wish all the same: it becomes no second key, but more values of the first. And a
//! choice that was too little spoken of for a list gets its first one when more was said. A publisher's own list is never
//! touched. Invariant: values are added, none is taken away, and their order stays.

use std::collections::BTreeSet;

use crate::domain::evolution::alike::alike;
use crate::domain::evolution::conflict;
use crate::domain::evolution::conflict::REFINED_MAX;
use crate::domain::evolution::induction::closed::stems;
use crate::domain::evolution::induction::wording::VALUES_LEAD;
use crate::domain::evolution::induction::wording::values_sentence;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::pool::proposal::Proposal;
use crate::domain::template::closed_list;
use crate::domain::template::closed_list::NONE;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;

/// Values of a learned list: a longer one is closed no more.
pub const LISTED_MAX: usize = 30;
/// Values added at once, the most frequent first: what is rarer can follow when it is said more often.
pub const ADDED_MAX: usize = 5;
/// Fragments that must ask for a value before it is added, and their share of those that the candidate was made of.
const FRAGMENTS_MIN: u64 = 3;
const SHARE_MIN: f64 = 0.08;

/// More values for a list, with the description that names them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widening {
    /// In the order in which they were found, at least one.
    pub values: Vec<String>,
    pub semantic_description: String,
}

/// What a candidate adds to a key that lists its values. `None` where either lists none, where nothing is new, or where
/// the list would grow beyond [`LISTED_MAX`].
pub fn widening(proposal: &Proposal, key: &KeyDefinition) -> Option<Widening> {
    if key.key_type != KeyType::String || proposal.key.key_type != KeyType::String {
        return None;
    }
    let known = closed_list::values(&key.constraints)?;
    // A value that shares a word with another, or its meaning, is the same in other words.
    let mut said: BTreeSet<String> = known.iter().flat_map(|value| stems(value)).collect();
    let mut values: Vec<String> = Vec::new();
    for value in found(proposal)? {
        let own = stems(value);
        let mut others = known.iter().copied().chain(values.iter().map(String::as_str));
        let is_new = own.is_disjoint(&said) && !others.any(|other| alike(value, other, &key.key_name));
        if value != NONE && is_new && values.len() < ADDED_MAX && supported(&proposal.grounds, value) {
            said.extend(own);
            values.push(value.to_owned());
        }
    }
    if values.is_empty() || known.len() + values.len() > LISTED_MAX {
        return None;
    }
    worded(proposal, key, values, false)
}

/// The first list of a key that takes any text so far: where few values cover most of what its fragments say. `None` where
/// the key is restricted already, or where its list would be too long.
pub fn closing(proposal: &Proposal, key: &KeyDefinition) -> Option<Widening> {
    let is_choice = proposal.grounds.kind.rule == TypeRule::List;
    if !is_choice || key.key_type != KeyType::String || !key.constraints.is_empty() {
        return None;
    }
    let listed = closed_list::values(&proposal.key.constraints)?;
    let values: Vec<String> = listed
        .iter()
        .filter(|value| **value != NONE)
        .map(|value| (*value).to_owned())
        .collect();
    if values.is_empty() || values.len() > LISTED_MAX {
        return None;
    }
    worded(proposal, key, values, true)
}

/// Values with the description of the key that lists them.
fn worded(proposal: &Proposal, key: &KeyDefinition, values: Vec<String>, closes: bool) -> Option<Widening> {
    let mut wide = key.clone();
    closed_list::take_in(&mut wide.constraints, &values, closes);
    wide.semantic_description = described(&key.semantic_description, &closed_list::values(&wide.constraints)?);
    let semantic_description = conflict::refined(proposal, &wide).unwrap_or(wide.semantic_description);
    Some(Widening {
        values,
        semantic_description,
    })
}

/// The values of a candidate: its list, or what would be one if more was said. A list that is there already needs no such
/// proof for each of the few that it takes in.
fn found(proposal: &Proposal) -> Option<Vec<&str>> {
    let unproven = || {
        let valuing = &proposal.grounds.values;
        let values = valuing.listed.iter().map(|counted| counted.value.as_str());
        (valuing.rule == ValuesRule::Unproven).then(|| values.collect())
    };
    closed_list::values(&proposal.key.constraints).or_else(unproven)
}

/// Whether enough fragments ask for a value, where it was counted: a list that clients rely on takes in no chance hit.
fn supported(grounds: &Grounds, value: &str) -> bool {
    let counted = grounds.values.listed.iter().find(|counted| counted.value == value);
    counted.is_none_or(|counted| {
        counted.fragments >= FRAGMENTS_MIN && counted.fragments as f64 >= SHARE_MIN * grounds.fragments as f64
    })
}

/// The description with the sentence that names the values made anew; the examples go where there is no room for both.
fn described(description: &str, values: &[&str]) -> String {
    let sentence = values_sentence(values);
    let text = match description.split_once(VALUES_LEAD) {
        Some((about, rest)) => {
            let examples = rest.split_once(". ").map_or("", |(_, examples)| examples);
            format!("{about}{sentence} {examples}")
        }
        None => match description.split_once(" Examples: ") {
            Some((about, examples)) => format!("{about} {sentence} Examples: {examples}"),
            None => format!("{} {sentence}", description.trim_end()),
        },
    };
    let text = text.trim_end();
    let short = match text.split_once(" Examples: ") {
        Some((about, _)) if text.chars().count() >= REFINED_MAX => about,
        Some(_) | None => text,
    };
    short.to_owned()
}

#[cfg(test)]
mod tests;

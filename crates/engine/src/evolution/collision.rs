//! Whether a key that is proposed exists already, and what it adds to that one (Z-113, Z-114).
//!
//! Two keys are the same where their names hold the same words, whatever their endings and order. A key that means the same in other
//! words is found by the cluster that it came of, not here.

use std::collections::BTreeSet;

use text::phrase;

use crate::pool::proposal::Proposal;
use crate::pool::rationale::NearRule;
use crate::pool::rationale::Nearest;
use schema::closed_list;
use schema::effective::EffectiveKey;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::mapping_example;
use schema::mapping_example::Shown;
use schema::name::KeyName;
use schema::name::OTHER;

/// Characters of a refined description.
const REFINED_MAX: usize = 500;

/// What a proposal comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collision {
    /// Nothing like it.
    Free,
    /// The same key in other words: refine its description (never type, default or requiredness).
    Merge {
        key_name: KeyName,
        semantic_description: String,
    },
    /// A key that stands for it, to which nothing is to be added, or whose very name is taken by what cannot be merged:
    /// nothing to do.
    Covered { key_name: KeyName },
}

/// What a proposal comes to beside the keys that exist: a better description of one of the same type, nothing where the name is taken
/// by another or nothing is new, else a key of its own.
pub fn of(proposal: &Proposal, keys: &[EffectiveKey]) -> (Collision, Nearest) {
    let own = words(&proposal.key.key_name);
    let keys: Vec<&EffectiveKey> = keys
        .iter()
        .filter(|key| key.definition.key_name.as_str() != OTHER)
        .collect();
    let same = keys.iter().find(|key| {
        let name = &key.definition.key_name;
        *name == proposal.key.key_name || words(name) == own
    });
    let compared = u64::try_from(keys.len()).unwrap_or(u64::MAX);
    let nearest = |rule, key_name| Nearest {
        rule,
        key_name,
        compared,
    };
    let Some(key) = same.map(|key| &key.definition) else {
        return (Collision::Free, nearest(NearRule::Nothing, None));
    };
    let key_name = key.key_name.clone();
    let wording = refined(proposal, key).filter(|_| key.key_type == proposal.key.key_type);
    let nearest = nearest(NearRule::SameName, Some(key_name.clone()));
    let collision = match wording {
        Some(semantic_description) => Collision::Merge {
            key_name,
            semantic_description,
        },
        None => Collision::Covered { key_name },
    };
    (collision, nearest)
}

/// The content words of a name; all words where none carries content.
fn words(name: &KeyName) -> BTreeSet<String> {
    let all = name.as_str().split('_');
    let content: BTreeSet<String> = all.clone().filter_map(phrase::content).collect();
    // "ring_bell" and "do_not_ring_bell" are two wishes.
    let denies = phrase::Phrase::read(&name.as_str().replace('_', " ")).is_negated();
    match (content.is_empty(), denies) {
        (true, _) => all.map(str::to_owned).collect(),
        (false, true) => content.into_iter().chain(["not".to_owned()]).collect(),
        (false, false) => content,
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
    let suffixes = [finer, "detail"].map(str::to_owned).into_iter();
    let mut names = suffixes
        .chain((2..100).map(|n| n.to_string()))
        .filter_map(|suffix| KeyName::parse(&format!("{wanted}_{suffix}")));
    names.find(|name| !taken.contains(name))
}

/// The existing description with the examples that it does not show yet; `None` when there is none to add, or no room.
fn refined(proposal: &Proposal, key: &KeyDefinition) -> Option<String> {
    let existing = key.semantic_description.trim_end();
    let said = existing.to_lowercase();
    let allowed = closed_list::values(&key.constraints);
    let is_allowed = |value: &str| {
        let is_it = |allowed: &&str| allowed.to_lowercase() == value;
        allowed.as_ref().is_none_or(|allowed| allowed.iter().any(is_it))
    };
    let examples = mapping_example::shown(existing).into_iter();
    let mut shown: BTreeSet<String> = examples.map(|example| example.value.to_lowercase()).collect();
    let open = existing.strip_suffix('.').filter(|_| said.contains("examples: "));
    let stop = if existing.ends_with(['.', '!', '?']) { "" } else { "." };
    let opening = match open {
        Some(open) => format!("{open}; "),
        None if existing.is_empty() => "Examples: ".to_owned(),
        None => format!("{existing}{stop} Examples: "),
    };
    let mut text: Option<String> = None;
    for Shown { said: fragment, value } in mapping_example::shown(&proposal.key.semantic_description) {
        let lower = value.to_lowercase();
        if !is_allowed(&lower) || said.contains(&format!("'{}'", fragment.to_lowercase())) || !shown.insert(lower) {
            continue;
        }
        let before = text
            .as_ref()
            .map_or_else(|| opening.clone(), |text| format!("{text}; "));
        let longer = format!("{before}'{fragment}' -> {value}");
        if longer.chars().count() < REFINED_MAX {
            text = Some(longer);
        }
    }
    text.map(|text| format!("{text}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_same_words_are_one_key_and_a_denial_is_another_z113() {
        let words = |name: &str| words(&KeyName::parse(name).expect("a name"));
        assert_eq!(words("extra_pillow"), words("extra_pillows"));
        assert_eq!(words("leave_at_the_door"), words("leave_at_door"));
        assert_ne!(words("ring_the_bell"), words("do_not_ring_the_bell"));
        assert_ne!(words("to_the"), words("at_the"));
    }
}

//! Whether a key that is proposed exists already, and what it adds to that one (Z-113, Z-114).
//!
//! Two keys are the same where their names hold the same words, whatever their endings and order. A key that means the same in other
//! words is found by the cluster that it came of, not here.

use std::collections::BTreeSet;

use text::phrase;

use crate::domain::evolution::conflict::Collision;
use crate::domain::evolution::conflict::Conflict;
use crate::domain::evolution::conflict::refined;
use crate::domain::pool::grounds::NearRule;
use crate::domain::pool::grounds::Nearest;
use crate::domain::pool::proposal::Proposal;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;

/// What a proposal comes to beside the keys that exist: a better description of one of the same type, nothing where the name is taken
/// by another or nothing is new, else a key of its own.
pub fn of(proposal: &Proposal, keys: &[EffectiveKey]) -> (Conflict, Nearest) {
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
        ..Nearest::default()
    };
    let Some(key) = same.map(|key| &key.definition) else {
        return (Conflict::Free, nearest(NearRule::Nothing, None));
    };
    let key_name = key.key_name.clone();
    let wording = refined(proposal, key).filter(|_| key.key_type == proposal.key.key_type);
    let conflict = match wording {
        Some(semantic_description) => Conflict::Merge {
            key_name: key_name.clone(),
            semantic_description,
            by: Collision::Name,
        },
        None => Conflict::Covered {
            key_name: key_name.clone(),
        },
    };
    (conflict, nearest(NearRule::SameName, Some(key_name)))
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

#[cfg(test)]
mod tests {
    use super::words;
    use crate::domain::template::name::KeyName;

    #[test]
    fn names_of_the_same_words_are_one_key_and_a_denial_is_another_z113() {
        let words = |name: &str| words(&KeyName::parse(name).expect("a name"));
        assert_eq!(words("extra_pillow"), words("extra_pillows"));
        assert_eq!(words("leave_at_the_door"), words("leave_at_door"));
        assert_ne!(words("ring_the_bell"), words("do_not_ring_the_bell"));
        assert_ne!(words("to_the"), words("at_the"));
    }
}

//! What is known of learned keys beyond what a template shows: their lists still grow, and other names were as near.
//!
//! A publisher's list is closed on purpose; a learned one holds what was asked for so far, so values that it lacks say
//! little against it. A general name that lost by a hair to another is as good a name: a second cluster that bears it
//! speaks of the same thing. Knows no vector.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::affinity::Choices;
use crate::domain::evolution::patch::Patch;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;

/// Probability from which on a cluster means a learned key whose list lacks all of its values.
pub const GROWING_MIN: f64 = 0.55;

/// How far a name may stay behind the one that was chosen and still be as good.
const NEARLY: f64 = 0.05;

/// The learned keys among those that a candidate is held against.
#[derive(Clone, Debug, Default)]
pub struct Learned<'a> {
    keys: BTreeSet<&'a KeyName>,
    /// Key -> names that it nearly had.
    nearly: BTreeMap<&'a KeyName, Vec<&'a str>>,
}

impl<'a> Learned<'a> {
    /// What the patches tell of the keys.
    pub fn of(keys: &'a [EffectiveKey], patches: impl Iterator<Item = &'a Patch>) -> Learned<'a> {
        let added_by: BTreeMap<&PatchId, &KeyName> = keys
            .iter()
            .filter_map(|key| Some((&key.patch.as_ref()?.0, &key.definition.key_name)))
            .collect();
        // A patch that added none of them is another client's, or of the past, whatever its key is called.
        let nearly = patches.filter_map(|patch| {
            let key = added_by.get(&patch.patch_id)?;
            let grounds = patch.grounds.as_deref()?;
            Some((*key, as_good(&grounds.name).collect()))
        });
        Learned {
            nearly: nearly.collect(),
            keys: added_by.values().copied().collect(),
        }
    }

    /// Whether the key was learned.
    pub fn has(&self, key: &KeyName) -> bool {
        self.keys.contains(key)
    }

    /// Whether the key's list may take in other values, as likely as it is that the cluster means the key.
    pub fn grows(&self, key: &KeyName, likely: f64) -> bool {
        likely >= GROWING_MIN && self.has(key)
    }

    /// Whether the key nearly had the candidate's name, or the candidate the key's.
    pub fn nearly_same(&self, key: &KeyName, candidate: &KeyName, naming: &Naming) -> bool {
        self.nearly
            .get(key)
            .is_some_and(|names| names.contains(&candidate.as_str()))
            || as_good(naming).any(|name| name == key.as_str())
    }
}

/// What learned keys take one of that would list it if more had been said. A key that was given its list is told by that.
pub fn choices<'a>(keys: &[EffectiveKey], patches: impl Iterator<Item = &'a Patch>) -> Choices {
    let open = |key: &&EffectiveKey| key.definition.constraints.is_empty();
    let added_by = keys.iter().filter(open);
    let added_by: BTreeMap<&PatchId, &KeyName> = added_by
        .filter_map(|key| Some((&key.patch.as_ref()?.0, &key.definition.key_name)))
        .collect();
    let found = patches.filter_map(|patch| {
        let key = added_by.get(&patch.patch_id)?;
        let valuing = &patch.grounds.as_deref()?.values;
        let values = valuing.listed.iter().map(|counted| counted.value.clone());
        (valuing.rule == ValuesRule::Unproven).then(|| ((*key).clone(), values.collect()))
    });
    found.collect()
}

/// Names that lost by a hair, where names were ranked.
fn as_good(naming: &Naming) -> impl Iterator<Item = &str> {
    let least = naming.score.map_or(f64::INFINITY, |score| score - NEARLY);
    let near = naming.runners_up.iter().filter(move |other| other.score >= least);
    near.map(|other| other.name.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::GROWING_MIN;
    use super::Learned;
    use super::NEARLY;
    use super::choices;
    use crate::domain::evolution::patch::Patch;
    use crate::domain::evolution::patch::sample::patch;
    use crate::domain::pool::grounds::Grounds;
    use crate::domain::pool::grounds::Naming;
    use crate::domain::pool::grounds::RunnerUp;
    use crate::domain::pool::grounds::ValueCount;
    use crate::domain::pool::grounds::ValuesRule;
    use crate::domain::template::effective::EffectiveKey;
    use crate::domain::template::effective::Standing;
    use crate::domain::template::key::KeyDefinition;
    use crate::domain::template::name::KeyName;

    fn name(name: &str) -> KeyName {
        KeyName::parse(name).expect("a name")
    }

    fn string_key(name: &str) -> KeyDefinition {
        serde_json::from_value(json!({
            "key_name": name, "key_type": "string", "required": false, "semantic_description": "Something.",
        }))
        .expect("a key")
    }

    fn naming(runner_up: &str, score: f64) -> Naming {
        Naming {
            score: Some(0.4),
            runners_up: vec![RunnerUp {
                name: runner_up.to_owned(),
                score,
            }],
            ..Naming::default()
        }
    }

    #[test]
    fn only_a_learned_list_grows_and_only_where_it_is_likely_meant_z113_z126() {
        let (tool, paint) = (name("tool"), name("paint"));
        let learned = Learned {
            keys: [&tool].into(),
            ..Learned::default()
        };
        assert!(learned.grows(&tool, GROWING_MIN));
        assert!(!learned.grows(&tool, GROWING_MIN - 0.01));
        assert!(!learned.grows(&paint, 1.0));
    }

    #[test]
    fn a_patch_that_added_none_of_the_keys_plays_no_part_z113_z130() {
        let named = |n: u64| {
            let mut patch = patch(n);
            patch.grounds = Some(Box::new(Grounds {
                name: naming("device", 0.4),
                ..Grounds::default()
            }));
            patch
        };
        let patches = [named(1), named(2)];
        let added = |patch: &Patch| EffectiveKey {
            patch: Some((patch.patch_id.clone(), Standing::Experimental)),
            ..EffectiveKey::bare(string_key("tool"))
        };
        let keys = [added(&patches[0])];
        let key = &keys[0].definition.key_name;
        let nearly = |patches: &[Patch]| {
            Learned::of(&keys, patches.iter()).nearly_same(key, &name("device"), &Naming::default())
        };
        assert!(nearly(&patches));
        assert!(!nearly(&patches[1..]), "the same key, for somebody else");
    }

    #[test]
    fn a_learned_choice_takes_what_was_found_for_it_until_it_lists_something_z113() {
        let found = |n: u64, rule: ValuesRule| {
            let mut patch = patch(n);
            let mut grounds = Grounds::default();
            grounds.values.rule = rule;
            grounds.values.listed = vec![ValueCount {
                value: "hammer".to_owned(),
                fragments: 3,
            }];
            patch.grounds = Some(Box::new(grounds));
            patch
        };
        let patches = [found(1, ValuesRule::Unproven), found(2, ValuesRule::Listed)];
        let added = |patch: &Patch, key: KeyDefinition| EffectiveKey {
            patch: Some((patch.patch_id.clone(), Standing::Experimental)),
            ..EffectiveKey::bare(key)
        };
        let told = |keys: &[EffectiveKey]| choices(keys, patches.iter());
        let open = added(&patches[0], string_key("tool"));
        let hammer = [(name("tool"), vec!["hammer".to_owned()])].into();
        assert_eq!(told(&[open.clone(), added(&patches[1], string_key("paint"))]), hammer);
        let mut listed = open;
        listed
            .definition
            .constraints
            .insert("enum".to_owned(), json!(["saw", "none"]));
        assert!(told(&[listed]).is_empty());
        assert!(
            told(&[EffectiveKey::bare(string_key("tool"))]).is_empty(),
            "a publisher's"
        );
    }

    #[test]
    fn a_name_that_lost_by_a_hair_is_as_good_and_one_that_lost_by_more_is_not_z113() {
        let (tool, device) = (name("tool"), name("device"));
        let near = |score| Learned::default().nearly_same(&tool, &device, &naming("tool", score));
        assert!(near(0.4 - NEARLY));
        assert!(!near(0.4 - NEARLY - 0.001));
        let unranked = Naming {
            score: None,
            ..naming("tool", 0.4)
        };
        assert!(!Learned::default().nearly_same(&tool, &device, &unranked));
        let learned = Learned {
            nearly: [(&tool, vec!["device"])].into(),
            ..Learned::default()
        };
        assert!(learned.nearly_same(&tool, &device, &Naming::default()));
        assert!(!learned.nearly_same(&device, &tool, &Naming::default()));
    }
}

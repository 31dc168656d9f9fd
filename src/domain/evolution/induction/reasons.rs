//! The reasons of a candidate, put together from what each step of induction said of itself (Z-109 … Z-112).
//!
//! Decides nothing and words nothing: names, types and values were decided elsewhere, and how many fragments bear them
//! out is counted here. Invariant: no name and no value gets in that may not be shown to everyone who sees the key.

use std::collections::BTreeMap;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::mapping::Mapping;
use crate::domain::evolution::induction::slug;
use crate::domain::evolution::lexicon;
use crate::domain::pool::grounds::FEATURES_MAX;
use crate::domain::pool::grounds::Feature;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::Typing;
use crate::domain::pool::grounds::VALUES_MAX;
use crate::domain::pool::grounds::ValueCount;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::pool::grounds::Valuing;
use crate::domain::pool::grounds::rounded;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::name::KeyName;

/// The grounds of a decision; `name` is what the key is called in the end, `may_name` says which names may be shown.
pub fn of(
    cluster: &Cluster,
    decision: &Decision,
    mapping: &Mapping<'_>,
    features: &[Feature],
    name: &KeyName,
    may_name: impl Fn(&str) -> bool,
) -> Grounds {
    let found = mapping.listing.found();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut read, mut sure) = (0_u64, 0.0);
    for fragment in &cluster.fragments {
        if let Some(mapped) = mapping.map(fragment) {
            read += 1;
            sure += mapped.confidence;
            if !mapped.refused && found.contains(&mapped.text) {
                *counts.entry(mapped.text).or_default() += 1;
            }
        }
    }
    let called = slug(&decision.name);
    let mut naming = decision.naming.clone();
    naming.runners_up.retain(|other| may_name(&other.name));
    Grounds {
        fragments: cluster.fragments.len() as u64,
        clients: cluster.known_clients(),
        background: cluster.background.len() as u64,
        name: Naming {
            name: name.to_string(),
            wanted: (called != name.as_str()).then_some(called).or(naming.wanted),
            ..naming
        },
        kind: Typing {
            read,
            confidence: (read > 0).then(|| rounded(sure / read as f64)),
            ..decision.typing.clone()
        },
        values: valuing(decision, mapping, &counts),
        features: features.to_vec(),
        nearest: None,
    }
}

fn valuing(decision: &Decision, mapping: &Mapping<'_>, counts: &BTreeMap<String, u64>) -> Valuing {
    let listing = mapping.listing;
    let rule = match decision.kind {
        Kind::Closed if !listing.unproven.is_empty() => ValuesRule::Unproven,
        Kind::Closed | Kind::Level | Kind::Rhythm if listing.values.is_empty() => ValuesRule::TooFew,
        Kind::Closed | Kind::Level | Kind::Rhythm => ValuesRule::Listed,
        Kind::Place(_) | Kind::Person | Kind::Title => ValuesRule::Names,
        Kind::Boolean => ValuesRule::Switch,
        Kind::Percent | Kind::Money | Kind::Date | Kind::Time | Kind::Duration | Kind::Number | Kind::Contact(_) => {
            ValuesRule::Typed
        }
    };
    let sought = matches!(decision.typing.rule, TypeRule::List | TypeRule::Text);
    Valuing {
        rule,
        coverage: sought.then(|| rounded(decision.values.coverage)),
        top: (sought && !decision.values.values.is_empty()).then(|| rounded(decision.values.top)),
        listed: listing
            .found()
            .iter()
            .take(VALUES_MAX)
            .map(|value| ValueCount {
                value: value.clone(),
                fragments: counts.get(value).copied().unwrap_or(0),
            })
            .collect(),
        left_out: listing.left_out,
    }
}

/// The types and roles that the fragments share, as the pool read them, the most frequent first. A role that is a word of
/// somebody's is told only where the dictionary knows it.
pub fn features(readings: &[&Reading]) -> Vec<Feature> {
    let mut counts: BTreeMap<(Vec<ValueType>, Vec<String>), u64> = BTreeMap::new();
    for reading in readings {
        let types = reading.types.iter().copied();
        let types = types.filter(|value_type| *value_type != ValueType::None).collect();
        let roles = reading.roles.iter().filter(|role| {
            role.split_once(':')
                .is_none_or(|(_, word)| lexicon::known(word) && !lexicon::given_name(word))
        });
        *counts.entry((types, roles.cloned().collect())).or_default() += 1;
    }
    let mut features: Vec<Feature> = counts
        .into_iter()
        .filter(|((types, roles), _)| !types.is_empty() || !roles.is_empty())
        .map(|((types, roles), fragments)| Feature {
            types,
            roles,
            fragments,
        })
        .collect();
    features.sort_by_key(|feature| std::cmp::Reverse(feature.fragments));
    features.truncate(FEATURES_MAX);
    features
}

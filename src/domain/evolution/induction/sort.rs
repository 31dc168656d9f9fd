//! Sorts: whether a cluster asks for one sort of a thing that comes in several, and whether a key tells them apart already.
//!
//! "Action movies" beside "comedy movies" is a value and no switch; "a savings account" is a value of `account_type`, if there
//! is such a key. Reads what stands before a noun; knows no vector.

use std::collections::BTreeMap;

use crate::domain::evolution::conflict::same_name::Said;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::lexicon;
use crate::domain::pool::words::is_determiner;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;

/// Share of the fragments that name a sort of a thing from which on the cluster asks for a sort of it, and from which on that
/// is all it asks for.
const SAID_MIN: f64 = 0.20;
const MOSTLY_SAID_MIN: f64 = 0.50;
/// How often another sort must be heard elsewhere, and how many others there must be where no key tells that there are some.
const OTHER_SAID_MIN: u64 = 2;
const OTHERS_MIN: usize = 2;

/// Whether the cluster asks for one sort of a thing while others ask for other sorts: of the service's own, or of one whose
/// sorts a key tells apart.
pub fn one_of_several(cluster: &Cluster, service: &Service<'_>) -> bool {
    let own = |lemma: &str| lemma == service.entity;
    beside(cluster, SAID_MIN, OTHERS_MIN, &own) || key_of(cluster, SAID_MIN, service.keys.iter().copied()).is_some()
}

/// The key that tells apart the sorts of the thing that hardly anything else is asked of here.
pub fn mostly<'k>(cluster: &Cluster, keys: impl Iterator<Item = &'k KeyDefinition>) -> Option<&'k KeyName> {
    key_of(cluster, MOSTLY_SAID_MIN, keys)
}

fn key_of<'k>(
    cluster: &Cluster,
    said_min: f64,
    mut keys: impl Iterator<Item = &'k KeyDefinition>,
) -> Option<&'k KeyName> {
    let found = keys.find(|key| match Said::by(&key.key_name).sorted() {
        Some(thing) => beside(cluster, said_min, 1, &|lemma| lexicon::stem(lemma) == thing),
        None => false,
    });
    found.map(|key| &key.key_name)
}

/// Whether the cluster asks for a sort of a thing, and `others_min` other sorts of it are asked for elsewhere.
fn beside(cluster: &Cluster, said_min: f64, others_min: usize, is_thing: &dyn Fn(&str) -> bool) -> bool {
    let here = sorts(&cluster.fragments, is_thing);
    if (here.values().sum::<u64>() as f64) < said_min * cluster.size() {
        return false;
    }
    let elsewhere = sorts(&cluster.background, is_thing);
    let others = elsewhere
        .iter()
        .filter(|(sort, said)| **said >= OTHER_SAID_MIN && !here.contains_key(*sort));
    others.count() >= others_min
}

/// What stands before the noun for a thing, and how many fragments say it.
fn sorts<'f>(fragments: &'f [Fragment], is_thing: &dyn Fn(&str) -> bool) -> BTreeMap<&'f str, u64> {
    let mut sorts = BTreeMap::new();
    for fragment in fragments {
        let noun = fragment.lemmas.iter().position(|lemma| is_thing(lemma));
        let Some(before) = noun.and_then(|at| at.checked_sub(1)) else {
            continue;
        };
        // Between "my" and a noun any word is of its sort: "my checking account".
        let determined = before
            .checked_sub(1)
            .and_then(|at| fragment.tokens.get(at))
            .is_some_and(|token| is_determiner(&token.word));
        if let (Some(token), Some(lemma)) = (fragment.tokens.get(before), fragment.lemmas.get(before))
            && !lexicon::stop(&token.word)
            && (determined || lexicon::noun_or_adjective(&token.word))
        {
            *sorts.entry(lemma.as_str()).or_default() += 1;
        }
    }
    sorts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::mostly;
    use crate::domain::evolution::induction::cluster::Cluster;
    use crate::domain::evolution::induction::fragment::Fragment;
    use crate::domain::evolution::induction::pooled;
    use crate::domain::template::key::KeyDefinition;
    use crate::domain::time::At;

    #[test]
    fn what_mostly_asks_for_one_sort_finds_the_key_that_tells_the_sorts_apart_z113() {
        let keys: [KeyDefinition; 2] = ["wheel_type", "frame_type"].map(|name| {
            serde_json::from_value(json!({
                "key_name": name, "key_type": "string", "required": false, "semantic_description": "Of the bicycle.",
            }))
            .expect("a key")
        });
        let read = |texts: &[&str]| {
            let read = |text: &&str| Fragment::read((*text).to_owned(), None, At(0), pooled::eyes());
            texts.iter().map(read).collect::<Vec<_>>()
        };
        let found = |members: &[&str], background: &[&str]| {
            let cluster = Cluster::count(read(members), read(background));
            mostly(&cluster, keys.iter()).map(ToString::to_string)
        };
        let members = [
            "a steel frame please",
            "steel frames only",
            "steel is fine",
            "a frame of steel",
        ];
        let background = ["a carbon frame", "the carbon frame please", "a lock"];
        assert_eq!(found(&members, &background).as_deref(), Some("frame_type"));
        assert_eq!(found(&members[1..], &background), None, "one of three says it");
        assert_eq!(
            found(&members, &background[1..]),
            None,
            "another sort was asked for once"
        );
    }
}

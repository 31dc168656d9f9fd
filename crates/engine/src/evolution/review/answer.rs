//! What a reader answers, and what of it holds.
//!
//! Invariants: an id counts once, and only where the pool knows it; a key that is held must be in force; whatever is refused is said
//! with its place and changes nothing.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use crate::evolution::review::Refused;
use crate::evolution::review::material;
use crate::pool::cluster_identity::inherit;
use crate::pool::heading::Heading;
use crate::pool::heading::Wish;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::micro::MicroId;
use crate::pool::recluster::Group;
use crate::pool::recluster::Reclustering;
use crate::pool::state::Cluster;
use crate::pool::state::Pool;
use schema::key::KeyType;
use schema::key::Sensitive;
use schema::name::KeyName;

/// Wishes in one answer at most: more than a template can hold keys on trial for many rounds.
pub const WISHES_MAX: usize = 200;
/// Values of one wish; a longer list is no list of a few choices.
const VALUES_MAX: usize = 64;
/// Characters of a title, a unit or a value, and of a description: as the engine's own are bounded.
const WORDS_CHARS_MAX: usize = 80;
const DESCRIPTION_CHARS_MAX: usize = 300;
/// Characters of who read it.
pub const BY_CHARS_MAX: usize = 80;

/// An answer as it came.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    pub wishes: Vec<Told>,
    /// Ids of what a key in force holds already, by the key's name.
    pub held: Vec<Kept>,
    /// Ids of what asks for nothing.
    pub nothing: Vec<String>,
}

impl Answer {
    /// Every id in it.
    pub fn ids_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let wishes = self.wishes.iter_mut();
        let wishes = wishes.flat_map(|wish| wish.ids.iter_mut().chain(&mut wish.denied));
        let held = self.held.iter_mut().flat_map(|kept| &mut kept.ids);
        wishes.chain(held).chain(&mut self.nothing)
    }
}

/// One wish as it came.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Told {
    pub ids: Vec<String>,
    /// Those of the ids that want the opposite of what the name says.
    pub denied: Vec<String>,
    pub name: String,
    /// The name that it was read under before, where this is to be another.
    pub was: Option<String>,
    pub title: Option<String>,
    #[serde(rename = "type")]
    pub type_name: String,
    pub unit: Option<String>,
    pub values: Vec<String>,
    pub description: String,
    pub sensitive: bool,
    /// Why it is sensitive or not.
    pub why: Option<String>,
}

/// What one key holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kept {
    pub key: String,
    pub ids: Vec<String>,
}

/// JSON Schema of an answer.
pub fn schema() -> Value {
    let ids = json!({"type": "array", "items": {"type": "string"}});
    let text = json!({"type": ["string", "null"]});
    let wish = json!({
        "type": "object",
        "properties": {
            "ids": ids, "denied": ids, "name": {"type": "string"}, "was": text, "title": text,
            "type": {"type": "string", "enum": ["boolean", "integer", "number", "string"]},
            "unit": text, "values": {"type": "array", "items": {"type": "string"}},
            "description": {"type": "string"}, "sensitive": {"type": "boolean"}, "why": text,
        },
        "required": ["ids", "denied", "name", "was", "title", "type", "unit", "values", "description", "sensitive", "why"],
        "additionalProperties": false,
    });
    let held = json!({
        "type": "object",
        "properties": {"key": {"type": "string"}, "ids": ids},
        "required": ["key", "ids"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "wishes": {"type": "array", "items": wish},
            "held": {"type": "array", "items": held},
            "nothing": ids,
        },
        "required": ["wishes", "held", "nothing"],
        "additionalProperties": false,
    })
}

/// Whose a key in force is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The publisher's.
    Base,
    /// Learned from this cluster.
    Learned(ClusterId),
}

/// What an answer makes of the pool, and what of it is refused. `owner` says whose a key in force is.
pub fn applied(
    pool: &Pool,
    answer: Answer,
    by: &str,
    owner: &dyn Fn(&KeyName) -> Option<Owner>,
) -> (Reclustering, Vec<Refused>) {
    let mut reading = Reading {
        homes: homes(pool),
        seen: BTreeSet::new(),
        votes: BTreeMap::new(),
        headings: Vec::new(),
        former: Vec::new(),
        refused: Vec::new(),
    };
    for (at, told) in answer.wishes.into_iter().enumerate() {
        let place = format!("/wishes/{at}");
        if at >= WISHES_MAX {
            reading.refuse(&place, "an answer holds no more wishes than this");
            break;
        }
        let strange = told.denied.iter().filter(|id| !told.ids.contains(id)).count();
        if strange > 0 {
            let why = format!("{strange} of the ids are not among the wish's own");
            reading.refuse(&format!("{place}/denied"), &why);
        }
        match wish(&told, by) {
            Ok(wish) => {
                let was = told.was.as_deref().and_then(KeyName::parse);
                reading.take(&place, &told.ids, Heading::Wish(Box::new(wish)), was);
            }
            Err(why) => reading.refuse(&place, why),
        }
    }
    for (at, kept) in answer.held.into_iter().enumerate() {
        let place = format!("/held/{at}");
        let key = KeyName::parse(&kept.key);
        match key.and_then(|key| Some((owner(&key)?, key))) {
            // What says a learned key is one more voice of the wish that it came of.
            Some((Owner::Learned(cluster), key)) => {
                let heading = pool.clusters.get(&cluster).and_then(|cluster| cluster.heading.as_ref());
                // Whether one of them wants the opposite is not said: none is an example.
                let wish = heading.and_then(Heading::wish).cloned().map(|wish| Wish {
                    ids: Vec::new(),
                    denied: Vec::new(),
                    ..wish
                });
                let heading = wish.map_or(Heading::Held(key), |wish| Heading::Wish(Box::new(wish)));
                reading.take(&place, &kept.ids, heading, None);
            }
            Some((Owner::Base, key)) => reading.take(&place, &kept.ids, Heading::Held(key), None),
            None => reading.refuse(&place, "no key of that name is in force"),
        }
    }
    if !answer.nothing.is_empty() {
        reading.take("/nothing", &answer.nothing, Heading::Nothing, None);
    }
    reading.regrouped(pool)
}

/// The micro-cluster of each fragment that the pool still knows by its id.
fn homes(pool: &Pool) -> BTreeMap<FragmentId, MicroId> {
    let mut homes = BTreeMap::new();
    for micro in pool.micros.values() {
        let known = micro.examples.iter().copied();
        let known = known.chain(micro.arrivals.iter().map(|arrival| arrival.fragment));
        homes.extend(known.map(|fragment| (fragment, micro.id)));
    }
    homes
}

struct Reading {
    homes: BTreeMap<FragmentId, MicroId>,
    seen: BTreeSet<FragmentId>,
    /// How many ids of each micro-cluster went to which heading.
    votes: BTreeMap<MicroId, BTreeMap<usize, u64>>,
    headings: Vec<Heading>,
    /// The former name of each.
    former: Vec<Option<KeyName>>,
    refused: Vec<Refused>,
}

impl Reading {
    fn refuse(&mut self, at: &str, why: &str) {
        self.refused.push(Refused {
            at: at.to_owned(),
            why: why.to_owned(),
        });
    }

    fn take(&mut self, place: &str, ids: &[String], heading: Heading, was: Option<KeyName>) {
        let index = self.of_wish(&heading).unwrap_or(self.headings.len());
        let mut known = 0;
        let (mut strange, mut twice) = (0, 0);
        for id in ids {
            let found = material::long(id).and_then(|id| Some((id, *self.homes.get(&id)?)));
            match found {
                None => strange += 1,
                Some((id, _)) if !self.seen.insert(id) => twice += 1,
                Some((_, micro)) => {
                    known += 1;
                    *self.votes.entry(micro).or_default().entry(index).or_default() += 1;
                }
            }
        }
        if strange > 0 {
            self.refuse(
                &format!("{place}/ids"),
                &format!("{strange} of the ids are not in the pool"),
            );
        }
        if twice > 0 {
            self.refuse(
                &format!("{place}/ids"),
                &format!("{twice} of the ids stand elsewhere in the answer as well"),
            );
        }
        if known == 0 {
            self.refuse(place, "none of its ids is in the pool");
        }
        match (self.headings.get_mut(index), heading) {
            (Some(Heading::Wish(said)), Heading::Wish(again)) => said.also(&again),
            (_, heading) => {
                self.headings.push(heading);
                self.former.push(was);
            }
        }
    }

    /// Where the answer speaks of the same wish already.
    fn of_wish(&self, heading: &Heading) -> Option<usize> {
        let name = &heading.wish()?.key_name;
        let is_it = |said: &Heading| said.wish().is_some_and(|said| said.key_name == *name);
        self.headings.iter().position(is_it)
    }

    /// A micro-cluster goes where most of its ids went; what an answer does not name stays where it is.
    fn regrouped(mut self, pool: &Pool) -> (Reclustering, Vec<Refused>) {
        let mut homes: Vec<Vec<MicroId>> = vec![Vec::new(); self.headings.len()];
        let mut moved = BTreeSet::new();
        let mut touched = BTreeSet::new();
        for (micro, votes) in &self.votes {
            let most = votes
                .iter()
                .max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
            if let Some((index, _)) = most {
                homes[*index].push(*micro);
                moved.insert(*micro);
                touched.extend(pool.cluster_of(*micro));
            }
        }
        // What was read as the same wish before is the same wish.
        for (index, heading) in self.headings.iter_mut().enumerate() {
            let Heading::Wish(wish) = heading else { continue };
            if homes[index].is_empty() {
                continue;
            }
            let name = wish.key_name.clone();
            let same = |cluster: &&Cluster| {
                let before = cluster.heading.as_ref().and_then(Heading::wish);
                before.is_some_and(|before| {
                    before.key_name == name || Some(&before.key_name) == self.former[index].as_ref()
                })
            };
            for cluster in pool.clusters.values().filter(same) {
                let rest = cluster.micros.iter().filter(|micro| moved.insert(**micro));
                homes[index].extend(rest);
                touched.insert(cluster.id);
                // Under another name the opposite may be meant.
                let before = cluster.heading.as_ref().and_then(Heading::wish);
                if let Some(before) = before.filter(|before| before.key_name == name) {
                    wish.also(before);
                }
            }
        }
        let mut groups: Vec<(Vec<MicroId>, Option<Heading>)> = Vec::new();
        for (mut micros, heading) in homes.into_iter().zip(self.headings) {
            if !micros.is_empty() {
                micros.sort_unstable();
                groups.push((micros, Some(heading)));
            }
        }
        for cluster in touched.iter().filter_map(|id| pool.clusters.get(id)) {
            let rest: Vec<MicroId> = cluster
                .micros
                .iter()
                .filter(|id| !moved.contains(id))
                .copied()
                .collect();
            if !rest.is_empty() {
                groups.push((rest, None));
            }
        }
        groups.sort_by(|one, other| one.0.cmp(&other.0));
        let micros: Vec<Vec<MicroId>> = groups.iter().map(|(micros, _)| micros.clone()).collect();
        // Whatever its size, the older of two clusters is more likely to be known to somebody.
        let heirs = inherit(pool, &micros, 1);
        let named = heirs.ids.into_iter().zip(groups);
        let regrouping = Reclustering {
            looked_at: pool.looked_at,
            next_id: pool.next_id,
            groups: named
                .map(|(cluster, (micros, heading))| group(cluster, micros, heading))
                .collect(),
            absorbed: heirs.absorbed,
            dropped: Vec::new(),
        };
        (regrouping, self.refused)
    }
}

fn group(cluster: ClusterId, micros: Vec<MicroId>, heading: Option<Heading>) -> Group {
    Group {
        cluster,
        micros,
        heading,
    }
}

fn wish(told: &Told, by: &str) -> Result<Wish, &'static str> {
    let key_name = KeyName::parse(&told.name).ok_or("its name is not in snake_case of at most 64 characters")?;
    let key_type = KeyType::parse(&told.type_name)
        .filter(|kind| {
            matches!(
                kind,
                KeyType::Boolean | KeyType::Integer | KeyType::Number | KeyType::String
            )
        })
        .ok_or("its type is not boolean, integer, number or string")?;
    let text = |text: &Option<String>| text.as_deref().and_then(|text| plain(text, WORDS_CHARS_MAX));
    if told.values.len() > VALUES_MAX {
        return Err("it lists too many values");
    }
    let values: Vec<String> = told
        .values
        .iter()
        .filter_map(|value| plain(value, WORDS_CHARS_MAX))
        .collect();
    let is_switch = key_type == KeyType::Boolean;
    Ok(Wish {
        key_name,
        // Some write a title as they write a name.
        title: text(&told.title.as_ref().map(|title| title.replace('_', " "))),
        key_type,
        unit: text(&told.unit),
        values: if is_switch { Vec::new() } else { values },
        ids: long(&told.ids),
        denied: long(&told.denied),
        description: plain(&told.description, DESCRIPTION_CHARS_MAX).unwrap_or_default(),
        sensitive: told.sensitive.then_some(Sensitive::Personal),
        by: by.to_owned(),
    })
}

fn long(ids: &[String]) -> Vec<FragmentId> {
    ids.iter().filter_map(|id| material::long(id)).collect()
}

/// A text on one line within a length; `None` where nothing is left or it is too long.
fn plain(text: &str, chars_max: usize) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = !text.is_empty() && text.chars().count() <= chars_max && !text.chars().any(char::is_control);
    fits.then_some(text)
}

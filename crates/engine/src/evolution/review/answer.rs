//! What a reader answers, and what of it holds.
//!
//! Invariants: an id counts once, and only where the pool knows it; a key that is held must be in force; whatever is refused is said
//! with its place and changes nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use utoipa::ToSchema;

use crate::evolution::review::Refused;
use crate::evolution::review::material;
use crate::pool::heading::Heading;
use crate::pool::heading::Wish;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::micro::MicroId;
use crate::pool::reclustering::Reclustering;
use crate::pool::state::Cluster;
use crate::pool::state::Pool;
use schema::key::KeyType;
use schema::key::Sensitive;
use schema::name::KeyName;

/// Wishes in one answer at most: more than a template can hold keys on trial for many rounds.
pub const WISHES_MAX: usize = 200;
/// Types that a wish may have.
const TYPES: [KeyType; 4] = [KeyType::Boolean, KeyType::Integer, KeyType::Number, KeyType::String];
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

    /// Whether it only says which keys clusters are to become, as they are: nobody has read anything for it.
    pub fn is_by_hand(&self) -> bool {
        let is_whole = |wish: &Told| wish.cluster.is_some();
        !self.wishes.is_empty() && self.wishes.iter().all(is_whole) && self.held.is_empty() && self.nothing.is_empty()
    }
}

/// One wish in a reader's words.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = WishRead)]
pub struct Told {
    /// Every fragment that says it.
    pub ids: Vec<String>,
    /// Instead of ids: all that this cluster of the pool holds, by a person who reads none of it.
    pub cluster: Option<u64>,
    /// Those of the ids that want the opposite of what the name says.
    pub denied: Vec<String>,
    pub name: String,
    /// The name that it was read under before, where this is to be another.
    pub was: Option<String>,
    pub title: Option<String>,
    /// `boolean`, `integer`, `number` or `string`.
    #[serde(rename = "type")]
    pub type_name: String,
    pub unit: Option<String>,
    pub values: Vec<String>,
    pub description: String,
    pub sensitive: bool,
    /// Why it is sensitive or not.
    pub why: Option<String>,
}

/// What a key in force holds already.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = HeldRead)]
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
            "type": {"type": "string", "enum": TYPES.map(KeyType::name)},
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
    let mut sorting = Sorting {
        homes: homes(pool),
        ..Sorting::default()
    };
    for (at, told) in answer.wishes.into_iter().enumerate() {
        let place = format!("/wishes/{at}");
        if at >= WISHES_MAX {
            sorting.refuse(&place, "an answer holds no more wishes than this");
            break;
        }
        let strange = told.denied.iter().filter(|id| !told.ids.contains(id)).count();
        if strange > 0 {
            let why = format!("{strange} of the ids are not among the wish's own");
            sorting.refuse(&format!("{place}/denied"), &why);
        }
        match wish(&told, by) {
            Ok(wish) => {
                let was = told.was.as_deref().and_then(KeyName::parse);
                let heading = Heading::Wish(Box::new(wish));
                match told.cluster.map(ClusterId) {
                    None => sorting.take(&place, &told.ids, heading, was),
                    Some(cluster) => sorting.take_whole(&place, pool.clusters.get(&cluster), heading, was),
                }
            }
            Err(why) => sorting.refuse(&place, why),
        }
    }
    for (at, kept) in answer.held.into_iter().enumerate() {
        let place = format!("/held/{at}");
        let key = KeyName::parse(&kept.key);
        let Some((owner, key)) = key.and_then(|key| Some((owner(&key)?, key))) else {
            sorting.refuse(&place, "no key of that name is in force");
            continue;
        };
        // What says a learned key is one more voice of the wish that it came of.
        let learned = match owner {
            Owner::Learned(cluster) => pool.clusters.get(&cluster).and_then(Cluster::wish),
            Owner::Base => None,
        };
        let heading = learned.map_or(Heading::Held(key), |wish| {
            // Whether one of them wants the opposite is not said: none is an example.
            Heading::Wish(Box::new(Wish {
                ids: Vec::new(),
                denied: Vec::new(),
                ..wish.clone()
            }))
        });
        sorting.take(&place, &kept.ids, heading, None);
    }
    if !answer.nothing.is_empty() {
        sorting.take("/nothing", &answer.nothing, Heading::Nothing, None);
    }
    sorting.reclustered(pool)
}

/// The micro-cluster of each fragment that the pool still knows by its id.
fn homes(pool: &Pool) -> BTreeMap<FragmentId, MicroId> {
    let known = pool.micros.values().flat_map(|micro| {
        let arrived = micro.arrivals.iter().map(|arrival| arrival.fragment);
        let fragments = micro.examples.iter().copied().chain(arrived);
        fragments.map(|fragment| (fragment, micro.id))
    });
    known.collect()
}

/// The fragments of a pool as an answer sorts them.
#[derive(Default)]
struct Sorting {
    homes: BTreeMap<FragmentId, MicroId>,
    seen: BTreeSet<FragmentId>,
    /// The clusters that were taken as they are.
    whole: BTreeSet<ClusterId>,
    /// How many ids of each micro-cluster went to which heading.
    votes: BTreeMap<MicroId, BTreeMap<usize, u64>>,
    /// Each with the name that it was read under before.
    headings: Vec<(Heading, Option<KeyName>)>,
    refused: Vec<Refused>,
}

impl Sorting {
    fn refuse(&mut self, at: &str, why: &str) {
        self.refused.push(Refused {
            at: at.to_owned(),
            why: why.to_owned(),
        });
    }

    /// Where a heading stands: where the answer speaks of the same wish already, or else behind the last.
    fn index_of(&self, heading: &Heading) -> usize {
        let name = heading.wish().map(|wish| &wish.key_name);
        let is_it = |(said, _): &(Heading, _)| name.is_some() && said.wish().map(|said| &said.key_name) == name;
        self.headings.iter().position(is_it).unwrap_or(self.headings.len())
    }

    fn vote(&mut self, micro: MicroId, index: usize) {
        *self.votes.entry(micro).or_default().entry(index).or_default() += 1;
    }

    /// Puts a heading over what was voted for it.
    fn head(&mut self, index: usize, heading: Heading, was: Option<KeyName>) {
        match (self.headings.get_mut(index), heading) {
            (Some((Heading::Wish(said), _)), Heading::Wish(again)) => said.also(&again),
            (_, heading) => self.headings.push((heading, was)),
        }
    }

    /// Takes a cluster as it is.
    fn take_whole(&mut self, place: &str, cluster: Option<&Cluster>, heading: Heading, was: Option<KeyName>) {
        let Some(cluster) = cluster else {
            return self.refuse(&format!("{place}/cluster"), "the pool holds no such cluster");
        };
        if !self.whole.insert(cluster.id) {
            return self.refuse(&format!("{place}/cluster"), "stands elsewhere in the answer as well");
        }
        let index = self.index_of(&heading);
        for micro in &cluster.micros {
            self.vote(*micro, index);
        }
        self.head(index, heading, was);
    }

    fn take(&mut self, place: &str, ids: &[String], heading: Heading, was: Option<KeyName>) {
        let index = self.index_of(&heading);
        let (mut known, mut strange, mut twice) = (0, 0, 0);
        for id in ids {
            let found = material::long(id).and_then(|id| Some((id, *self.homes.get(&id)?)));
            match found {
                None => strange += 1,
                Some((id, _)) if !self.seen.insert(id) => twice += 1,
                Some((_, micro)) => {
                    known += 1;
                    self.vote(micro, index);
                }
            }
        }
        for (count, why) in [
            (strange, "are not in the pool"),
            (twice, "stand elsewhere in the answer as well"),
        ] {
            if count > 0 {
                self.refuse(&format!("{place}/ids"), &format!("{count} of the ids {why}"));
            }
        }
        if known == 0 {
            self.refuse(place, "none of its ids is in the pool");
        }
        self.head(index, heading, was);
    }

    /// A micro-cluster goes where most of its ids went; what an answer does not name stays where it is.
    fn reclustered(mut self, pool: &Pool) -> (Reclustering, Vec<Refused>) {
        let mut homes: Vec<Vec<MicroId>> = vec![Vec::new(); self.headings.len()];
        let mut moved = BTreeSet::new();
        let mut touched = BTreeSet::new();
        for (micro, votes) in &self.votes {
            let most = votes.iter().max_by_key(|(index, votes)| (**votes, Reverse(**index)));
            if let Some((index, _)) = most {
                homes[*index].push(*micro);
                moved.insert(*micro);
                touched.extend(pool.cluster_of(*micro));
            }
        }
        // What was read as the same wish before is the same wish.
        for ((heading, former), home) in self.headings.iter_mut().zip(&mut homes) {
            let Heading::Wish(wish) = heading else { continue };
            if home.is_empty() {
                continue;
            }
            let name = wish.key_name.clone();
            for cluster in pool.clusters.values() {
                let Some(before) = cluster.wish() else { continue };
                if before.key_name != name && Some(&before.key_name) != former.as_ref() {
                    continue;
                }
                home.extend(cluster.micros.iter().filter(|micro| moved.insert(**micro)));
                touched.insert(cluster.id);
                // Under another name the opposite may be meant.
                if before.key_name == name {
                    wish.also(before);
                }
            }
        }
        let headings = self.headings.into_iter().map(|(heading, _)| Some(heading));
        let mut groups: Vec<(Vec<MicroId>, Option<Heading>)> = homes.into_iter().zip(headings).collect();
        for cluster in touched.iter().filter_map(|id| pool.clusters.get(id)) {
            let rest = cluster.micros.iter().filter(|id| !moved.contains(id));
            groups.push((rest.copied().collect(), None));
        }
        groups.retain(|(micros, _)| !micros.is_empty());
        groups.iter_mut().for_each(|(micros, _)| micros.sort_unstable());
        let reclustering = Reclustering {
            looked_at: pool.looked_at,
            // Whatever its size, the older of two clusters is more likely to be known to somebody.
            ..Reclustering::of(pool, groups, 1)
        };
        (reclustering, self.refused)
    }
}

fn wish(told: &Told, by: &str) -> Result<Wish, &'static str> {
    let key_name = KeyName::parse(&told.name).ok_or("its name is not in snake_case of at most 64 characters")?;
    let key_type = TYPES.into_iter().find(|key_type| key_type.name() == told.type_name);
    let key_type = key_type.ok_or("its type is not boolean, integer, number or string")?;
    if told.values.len() > VALUES_MAX {
        return Err("it lists too many values");
    }
    if told.cluster.is_some() && !(told.ids.is_empty() && told.denied.is_empty()) {
        return Err("it names a cluster and ids: one of the two says of what it is made");
    }
    let text = |text: &String| plain(text, WORDS_CHARS_MAX);
    let ids = |ids: &[String]| ids.iter().filter_map(|id| material::long(id)).collect();
    let is_switch = key_type == KeyType::Boolean;
    // A person is told what would be lost; what a model says is taken as far as it fits.
    let is_lost = |text: &String, chars_max| {
        told.cluster.is_some() && !text.trim().is_empty() && plain(text, chars_max).is_none()
    };
    if is_lost(&told.description, DESCRIPTION_CHARS_MAX) {
        return Err("its description has more than 300 characters, or control characters");
    }
    if !is_switch && told.values.iter().any(|value| is_lost(value, WORDS_CHARS_MAX)) {
        return Err("one of its values has more than 80 characters, or control characters");
    }
    let mut wish = Wish {
        key_name,
        // Some write a title as they write a name.
        title: told.title.as_ref().and_then(|title| text(&title.replace('_', " "))),
        key_type,
        unit: told.unit.as_ref().and_then(text),
        values: told.values.iter().filter(|_| !is_switch).filter_map(text).collect(),
        ids: ids(&told.ids),
        denied: ids(&told.denied),
        description: plain(&told.description, DESCRIPTION_CHARS_MAX).unwrap_or_default(),
        sensitive: told.sensitive.then_some(Sensitive::Personal),
        by: by.to_owned(),
        by_hand: told.cluster.is_some(),
    };
    wish.bound();
    Ok(wish)
}

/// A text on one line within a length; `None` where nothing is left or it is too long.
fn plain(text: &str, chars_max: usize) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = !text.is_empty() && text.chars().count() <= chars_max && !text.chars().any(char::is_control);
    fits.then_some(text)
}

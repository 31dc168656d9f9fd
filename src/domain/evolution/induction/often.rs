//! How often something is wanted: in a rhythm (`weekly`, "every two weeks"), or so many times within a unit ("twice a day").
//!
//! The words of a rhythm are those of `lexicon.json`. Knows no other kind of value.

use std::collections::BTreeMap;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::decision::Named;
use crate::domain::evolution::induction::decision::telling_noun;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::induction::fragment::Value;
use crate::domain::evolution::induction::listing::Listing;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::rhythm;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Settled;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::template::key::KeyType;

/// Share of the fragments that must say a rhythm, fragments that must say each of two, and share that all but the most
/// frequent of them must have: who all want it daily tell no rhythms apart.
const SAID_MIN: f64 = 0.55;
const EACH_MIN: usize = 2;
const OTHERS_MIN: f64 = 0.15;
/// Share of the fragments with a number that must tell it of one unit before the name says that unit.
const WITHIN_UNIT_MIN: f64 = 0.50;
/// Share of the fragments that must speak of a thing before it is what is wanted so often.
const SPOKEN_OF_MIN: f64 = 0.50;
/// Words behind a number among which its unit stands: "two long visits a day".
const UNIT_WITHIN: usize = 5;

/// The rhythm of a fragment.
pub fn said(fragment: &Fragment) -> Option<&'static str> {
    rhythm::of(&fragment.lemmas).map(|(rhythm, _)| rhythm)
}

/// How many fragments say each rhythm, the most frequent first.
fn heard(cluster: &Cluster) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for rhythm in cluster.fragments.iter().filter_map(said) {
        *counts.entry(rhythm).or_default() += 1;
    }
    let mut counts: Vec<(&'static str, usize)> = counts.into_iter().filter(|(_, count)| *count >= EACH_MIN).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    counts
}

/// A rhythm, where most fragments say one and not all the same.
pub fn rhythm(cluster: &Cluster, service: &Service<'_>) -> Option<Decision> {
    let share = cluster.share_where(|fragment| said(fragment).is_some());
    let heard = heard(cluster);
    let others: usize = heard.iter().skip(1).map(|(_, count)| count).sum();
    if share < SAID_MIN || (others as f64) < OTHERS_MIN * cluster.size() {
        return None;
    }
    // "A photo every week": what nearly everybody speaks of is wanted so often.
    let noun = telling_noun(cluster, SPOKEN_OF_MIN).filter(|noun| *noun != service.entity && named(noun).is_none());
    let names = noun
        .map(|noun| (NameSource::Noun, format!("{noun}_frequency")))
        .into_iter()
        .chain([
            (NameSource::Type, "frequency".to_owned()),
            (NameSource::Service, format!("{}_frequency", service.entity)),
        ]);
    let (source, name) = names.into_iter().find(|(_, name)| !service.taken(name))?;
    let named = Named::by(source, name);
    Some(Decision::plain(Kind::Rhythm, KeyType::String, named).because(
        TypeRule::Rhythms,
        Settled::Words,
        share,
        SAID_MIN,
    ))
}

/// The rhythms that were said, and the phrases that mean them.
pub fn listing(cluster: &Cluster) -> Listing {
    let values: Vec<String> = heard(cluster)
        .into_iter()
        .map(|(rhythm, _)| rhythm.to_owned())
        .collect();
    let mut surfaces: BTreeMap<String, usize> = BTreeMap::new();
    for fragment in &cluster.fragments {
        if let Some((_, place)) =
            rhythm::of(&fragment.lemmas).filter(|(rhythm, _)| values.iter().any(|value| value == rhythm))
        {
            let words: Vec<&str> = fragment.tokens[place].iter().map(|token| token.word.as_str()).collect();
            *surfaces.entry(words.join(" ")).or_default() += 1;
        }
    }
    let mut surfaces: Vec<(String, usize)> = surfaces.into_iter().collect();
    surfaces.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Listing {
        surfaces: surfaces.into_iter().map(|(surface, _)| surface).collect(),
        meanings: rhythm::phrases(&values).collect(),
        values,
        ..Listing::default()
    }
}

/// The unit within which so many are wanted, where most numbers are told of the same one: `day` of "two visits a day".
pub fn unit(cluster: &Cluster) -> Option<&'static str> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut numbers = 0_usize;
    for fragment in &cluster.fragments {
        let mut counted = fragment
            .values
            .iter()
            .filter(|value| value.tag == Tag::Number)
            .peekable();
        numbers += usize::from(counted.peek().is_some());
        if let Some(unit) = counted.find_map(|value| unit_of(fragment, *value)) {
            *counts.entry(unit).or_default() += 1;
        }
    }
    let (unit, most) = counts
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)))?;
    (most as f64 >= WITHIN_UNIT_MIN * numbers as f64).then_some(unit)
}

/// The unit that a number is told of.
fn unit_of(fragment: &Fragment, value: Value) -> Option<&'static str> {
    let behind: Vec<&str> = fragment.after(value).take(UNIT_WITHIN).collect();
    let adverb = behind.iter().find_map(|word| match *word {
        "hourly" => Some("hour"),
        "daily" => Some("day"),
        "weekly" => Some("week"),
        "monthly" => Some("month"),
        "yearly" | "annually" => Some("year"),
        _ => None,
    });
    let article = || {
        behind.windows(2).find_map(|pair| match pair {
            ["a" | "an" | "per" | "each" | "every", unit] => named(unit),
            _ => None,
        })
    };
    adverb.or_else(article)
}

fn named(unit: &str) -> Option<&'static str> {
    ["hour", "day", "night", "week", "month", "year"]
        .into_iter()
        .find(|known| *known == unit)
}

/// What is counted within a unit, by the nouns behind the numbers: the unit itself and "times" are none.
pub fn thing<'t>(things: impl Iterator<Item = &'t String>) -> &'t str {
    let mut things = things.map(String::as_str);
    things
        .find(|thing| named(thing).is_none() && *thing != "time")
        .unwrap_or("time")
}

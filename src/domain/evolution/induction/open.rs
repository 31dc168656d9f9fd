//! Names for keys whose values are names: places, people, titles. Such a key is never closed.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::decision::Named;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::induction::fragment::Value;
use crate::domain::evolution::induction::service::KeyKind;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::service::has_side;
use crate::domain::evolution::induction::service::side_of;
use crate::domain::evolution::lexicon;
use crate::domain::pool::grounds::NameSource;
use crate::domain::template::key::KeyType;

fn string(kind: Kind, source: NameSource, name: String) -> Decision {
    Decision::plain(kind, KeyType::String, Named::by(source, name))
}

/// Share of the fragments that must name a person; and, of those that name anything, where a name may be written small.
const PERSONS_MIN: f64 = 0.40;
const PERSONS_LEAST: f64 = 0.22;
const OF_NAMED_MIN: f64 = 0.50;

/// Whether most of the names are people's.
fn mostly_persons(cluster: &Cluster) -> bool {
    cluster.persons >= PERSONS_LEAST && cluster.persons >= OF_NAMED_MIN * cluster.share(Tag::Name)
}

/// Decides between place, person and title.
pub fn decide(cluster: &Cluster, service: &Service<'_>, prefix: Option<&str>) -> Decision {
    if cluster.places >= 0.30 && cluster.places >= cluster.persons {
        return place(cluster, service, prefix);
    }
    let by_name = cluster.share_where(|fragment| {
        fragment
            .values
            .iter()
            .filter(|value| value.tag == Tag::Name)
            .any(|value| {
                matches!(
                    fragment.before(*value).next_back(),
                    Some("by" | "featuring" | "starring" | "with" | "to" | "of" | "from")
                ) || makes(fragment, *value)
            })
    });
    if (cluster.persons >= PERSONS_LEAST || by_name >= 0.3)
        && let Some(agent) = agent(cluster)
        && !service.taken(&agent)
        && !service.visible.iter().any(|name| lexicon::lemma(name) == agent)
    {
        return string(Kind::Person, NameSource::Cue, agent);
    }
    if cluster.persons >= PERSONS_MIN || mostly_persons(cluster) {
        // "My trainer is Ann": who it is stands beside the name.
        return match apposed(cluster).or_else(|| doer(cluster)) {
            Some(noun) => string(Kind::Person, NameSource::Noun, format!("{noun}_name")),
            None => string(Kind::Person, NameSource::Type, "contact_name".to_owned()),
        };
    }
    let title = title(cluster, service, prefix);
    // "Take me to the Grand": what one goes to is a place, unless it is said to be something else.
    if title.naming.source == NameSource::Service && travels(cluster) {
        return place(cluster, service, prefix);
    }
    title
}

/// Share of the fragments that must go to a name or come from it, and share that must say a word of motion.
const TRAVELLED_MIN: f64 = 0.5;
const MOTION_MIN: f64 = 0.2;

/// Whether the names are where somebody goes to or comes from.
fn travels(cluster: &Cluster) -> bool {
    let end = |fragment: &Fragment, value: Value| {
        let before = fragment.before(value).rev().find(|word| *word != "the");
        matches!(before, Some("to" | "towards" | "toward" | "from"))
    };
    let ends = cluster.share_where(|fragment| {
        let mut names = fragment.values.iter().filter(|value| value.tag == Tag::Name);
        names.any(|value| end(fragment, *value))
    });
    let moves = cluster.share_where(|fragment| {
        fragment.says(&[
            "go",
            "goes",
            "going",
            "get",
            "take",
            "bring",
            "drive",
            "ride",
            "travel",
            "traveling",
            "travelling",
            "head",
            "heading",
            "headed",
            "leave",
            "leaving",
            "come",
            "coming",
            "drop",
            "pick",
            "arrive",
            "arriving",
        ])
    });
    ends >= TRAVELLED_MIN && moves >= MOTION_MIN
}

/// Whether a name stands before things of its own: "Westlife songs", "Jake Owen's music". It is then no title of one.
fn makes(fragment: &Fragment, value: Value) -> bool {
    let after = fragment.after(value).next();
    fragment.value_text(value).ends_with("'s")
        || after.is_some_and(|word| lexicon::lemma(word) != word && lexicon::noun(word))
}

/// The name of a place, by the preposition before it and the verbs around it.
pub fn place(cluster: &Cluster, service: &Service<'_>, prefix: Option<&str>) -> Decision {
    let roles = place_roles(cluster);
    let most = roles
        .iter()
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    let role = most
        .filter(|(_, share)| **share >= 0.4)
        .map_or("location", |(role, _)| role);
    let kind = Kind::Place(Some(role.to_owned()).filter(|role| role != "location"));
    let delivered = cluster.share_where(|fragment| {
        fragment.says(&["deliver", "delivered", "delivery", "ship", "shipped", "bring", "mail"])
    });
    if cluster.share(Tag::Address) >= 0.35 && delivered >= 0.1 && !service.taken("delivery_address") {
        return string(kind, NameSource::Cue, "delivery_address".to_owned());
    }
    if cluster.share(Tag::Address) >= 0.35 && role == "location" {
        let own = prefix.map(|prefix| (NameSource::Prefix, format!("{prefix}_location")));
        let (source, name) = own
            .into_iter()
            .chain(["location", "address"].map(|name| (NameSource::Type, name.to_owned())))
            .find(|(_, name)| !service.taken(name))
            .unwrap_or_else(|| (NameSource::Service, format!("{}_address", service.entity)));
        return string(kind, source, name);
    }
    if let Some(side) = side_of(role) {
        let sibling = service
            .siblings(&[KeyKind::Place, KeyKind::Title, KeyKind::Text])
            .into_iter()
            .find(|name| {
                has_side(name, side)
                    && !name
                        .split('_')
                        .any(|word| matches!(word, "station" | "airport" | "name" | "date" | "time"))
            });
        if let Some(sibling) = sibling {
            return string(kind, NameSource::Sibling, sibling);
        }
        let styled = ["from", "to"]
            .into_iter()
            .filter(|word| has_side(word, side))
            .find(|word| {
                let start = format!("{word}_");
                service.visible.iter().any(|name| name.starts_with(&start))
            })
            .map(|word| format!("{word}_city"))
            .filter(|name| !service.taken(name));
        if let Some(styled) = styled {
            return string(kind, NameSource::Role, styled);
        }
    }
    let stop = ["pickup", "dropoff"]
        .into_iter()
        .find(|word| cluster.share_of(word) >= 0.2)
        .map(|word| (NameSource::Cue, format!("{word}_location")));
    let own = prefix
        .filter(|prefix| role == "location" && cluster.share_of(prefix) >= 0.3)
        .map(|prefix| (NameSource::Prefix, format!("{prefix}_location")));
    // `location` is what a place is called of which nobody says more.
    let by_role = if role == "location" {
        NameSource::Type
    } else {
        NameSource::Role
    };
    let (source, name) = stop
        .into_iter()
        .chain(own)
        .chain([
            (by_role, role.to_owned()),
            (NameSource::Type, "city".to_owned()),
            (by_role, format!("{role}_city")),
        ])
        .find(|(_, name)| !service.taken(name))
        .unwrap_or_else(|| (NameSource::Service, format!("{}_{role}", service.entity)));
    string(kind, source, name)
}

fn place_roles(cluster: &Cluster) -> BTreeMap<String, f64> {
    let classes = lexicon::classes();
    let mut votes: BTreeMap<String, f64> = BTreeMap::new();
    let mut verbs: BTreeMap<&str, f64> = BTreeMap::new();
    for fragment in &cluster.fragments {
        for value in fragment
            .values
            .iter()
            .filter(|v| matches!(v.tag, Tag::Name | Tag::Address))
        {
            let before: Vec<&str> = fragment.before(*value).rev().take(3).collect();
            if let Some(role) = before.first().and_then(|word| classes.preprole.get(*word))
                && (before.first() != Some(&"of") || before.contains(&"out"))
            {
                *votes.entry(role.clone()).or_default() += 1.0;
            }
        }
        if fragment.says(&[
            "leave",
            "leaving",
            "depart",
            "departing",
            "departure",
            "origin",
            "starting",
            "departs",
        ]) && !fragment.says(&["to"])
        {
            *verbs.entry("origin").or_default() += 0.5;
        }
        if fragment.says(&[
            "destination",
            "arrive",
            "arriving",
            "headed",
            "heading",
            "going",
            "travel",
            "traveling",
            "visiting",
            "visit",
        ]) && !fragment.says(&["from"])
        {
            *verbs.entry("destination").or_default() += 0.5;
        }
    }
    for (role, vote) in verbs {
        *votes.entry(role.to_owned()).or_default() += vote;
    }
    let all: f64 = votes.values().sum();
    votes
        .into_iter()
        .map(|(role, vote)| (role, vote / all.max(1.0)))
        .collect()
}

/// Who does what is said: `directed by` -> director, `send to` -> recipient_name.
fn agent(cluster: &Cluster) -> Option<String> {
    let mut votes: BTreeMap<&str, f64> = BTreeMap::new();
    for (cue, agent) in &lexicon::classes().agent {
        let share = cluster.share_where(|fragment| fragment.tokens.iter().any(|token| token.word == *cue));
        if share >= 0.08 {
            *votes.entry(agent).or_default() += share * cluster.contrast(&lexicon::lemma(cue)).clamp(0.3, 3.0);
        }
    }
    let (agent, _) = votes
        .into_iter()
        .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    Some(match agent {
        "recipient" | "contact" | "doctor" | "stylist" | "attendee" => format!("{agent}_name"),
        _ => agent.to_owned(),
    })
}

fn title(cluster: &Cluster, service: &Service<'_>, prefix: Option<&str>) -> Decision {
    let beside = nouns_beside_names(cluster);
    let least = 0.15 * cluster.size();
    let known = |noun: &str| beside.get(noun).copied().unwrap_or(0) as f64;
    if cluster.share_where(|fragment| fragment.says(&["title", "titled"])) >= 0.25
        && !service.taken("title")
        && prefix.is_none()
        && known("song") + known("movie") + known("album") < least
    {
        return string(Kind::Title, NameSource::Cue, "title".to_owned());
    }
    let apposed = apposed(cluster);
    let (source, base) = apposed
        .as_deref()
        .map(|noun| (NameSource::Noun, noun))
        .or(prefix.map(|prefix| (NameSource::Prefix, prefix)))
        .unwrap_or((NameSource::Service, &service.entity));
    let name = if base == "album" {
        base.to_owned()
    } else {
        format!("{base}_name")
    };
    let name = [name, format!("{base}_title")]
        .into_iter()
        .find(|name| !service.taken(name));
    match name {
        Some(name) => string(Kind::Title, source, name),
        None => string(Kind::Title, NameSource::Service, format!("{}_title", service.entity)),
    }
}

/// The noun that stands in apposition with the names of at least 15 %.
fn apposed(cluster: &Cluster) -> Option<String> {
    let beside = nouns_beside_names(cluster);
    let mut nouns: Vec<(&String, &u64)> = beside.iter().collect();
    nouns.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    nouns
        .into_iter()
        .find(|(noun, count)| {
            **count as f64 >= 0.15 * cluster.size()
                && noun.chars().all(char::is_alphabetic)
                && !lexicon::classes().domainish.contains(*noun)
                && !matches!(noun.as_str(), "friend" | "calendar" | "title" | "name" | "room")
        })
        .map(|(noun, _)| noun.clone())
}

/// Share of the names beside which a noun for who does something must stand, and how many there must be.
const DOER_MIN: f64 = 0.05;
const DOERS_MIN: u64 = 3;

/// Who does something, by the form of the noun that stands beside the names most often: trainer, instructor, florist,
/// recipient. Where people are meant a few such words say more than any other noun; kin says nothing of what is wanted.
fn doer(cluster: &Cluster) -> Option<String> {
    let least = (DOER_MIN * cluster.size()).max(DOERS_MIN as f64);
    let does = |noun: &str| {
        ["er", "or", "ist", "ian", "ent", "ee"]
            .iter()
            .any(|ending| noun.len() >= 5 && noun.ends_with(ending))
            && ![
                "mother", "father", "brother", "sister", "daughter", "parent", "order", "number",
            ]
            .contains(&noun)
    };
    let beside = nouns_beside_names(cluster);
    let told = beside
        .iter()
        .filter(|(noun, count)| **count as f64 >= least && does(noun));
    told.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)))
        .map(|(noun, _)| noun.clone())
}

/// Nouns in apposition with a name: "the album X", "song titled X", "X event".
fn nouns_beside_names(cluster: &Cluster) -> BTreeMap<String, u64> {
    let classes = lexicon::classes();
    let mut nouns = BTreeMap::new();
    for fragment in &cluster.fragments {
        for value in fragment.values.iter().filter(|value| value.tag == Tag::Name) {
            let before = fragment
                .before(*value)
                .rev()
                .take(3)
                .find(|word| {
                    let frame = classes.namecue.contains(*word)
                        || classes.be.contains(*word)
                        || matches!(
                            *word,
                            "of" | "to" | "for" | "the" | "a" | "an" | "from" | "at" | "would" | "by"
                        );
                    !frame || matches!(*word, "title" | "name")
                })
                .filter(|word| entity_word(word));
            let after = fragment
                .after(*value)
                .next()
                .filter(|word| entity_word(word) && !makes(fragment, *value));
            let beside: BTreeSet<&str> = before.into_iter().chain(after).collect();
            for noun in beside {
                *nouns.entry(lexicon::lemma(noun)).or_default() += 1;
            }
        }
    }
    nouns
}

/// A noun of the dictionary, or one that says who does something (`trainer`): any other unknown word is as likely a part
/// of the name.
fn entity_word(word: &str) -> bool {
    let doer = word.chars().count() > 5 && ["er", "or", "ist", "ian"].iter().any(|suffix| word.ends_with(suffix));
    lexicon::noun(word) && (lexicon::known(word) || lexicon::known(&lexicon::lemma(word)) || doer)
}

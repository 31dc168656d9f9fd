//! Names for keys whose values have a type: dates, times, money, shares, durations, counts.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::decision::Named;
use crate::domain::evolution::induction::decision::telling_noun;
use crate::domain::evolution::induction::fragment::Fragment;
use crate::domain::evolution::induction::fragment::Tag;
use crate::domain::evolution::induction::fragment::Value;
use crate::domain::evolution::induction::often;
use crate::domain::evolution::induction::service::KeyKind;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::service::has_side;
use crate::domain::evolution::induction::service::side_of;
use crate::domain::evolution::lexicon;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::grounds::RUNNERS_UP_MAX;
use crate::domain::pool::grounds::RunnerUp;
use crate::domain::pool::grounds::rounded;
use crate::domain::template::key::KeyType;

static DECIMAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d\.\d").expect("a constant that a test compiles"));

/// Words for the people of a party that may stand in a name.
const PEOPLE: [&str; 6] = ["passenger", "traveler", "traveller", "guest", "rider", "adult"];

/// Decides name and type by the kind of value that dominates.
pub fn decide(cluster: &Cluster, service: &Service<'_>, tag: Tag) -> Decision {
    match tag {
        Tag::Percent => {
            let named = telling_noun(cluster, 0.25).map_or_else(
                || Named::by(NameSource::Type, "percentage"),
                |noun| Named::by(NameSource::Noun, format!("{noun}_percent")),
            );
            Decision::plain(Kind::Percent, KeyType::Number, named)
        }
        Tag::Money => Decision::plain(Kind::Money, KeyType::Number, money(cluster)),
        Tag::Date => Decision::plain(
            Kind::Date,
            KeyType::String,
            moment(cluster, service, "date", KeyKind::Date),
        ),
        Tag::Time => Decision::plain(
            Kind::Time,
            KeyType::String,
            moment(cluster, service, "time", KeyKind::Time),
        ),
        Tag::Duration => duration(cluster),
        Tag::Number | Tag::Address | Tag::Name => count(cluster, service),
    }
}

/// The bound that the cluster sets, as the prefix of a name.
fn bound(cluster: &Cluster) -> &'static str {
    if cluster.at_most >= 0.4 {
        "max_"
    } else if cluster.at_least >= 0.4 {
        "min_"
    } else {
        ""
    }
}

fn money(cluster: &Cluster) -> Named {
    const SUMS: [&str; 16] = [
        "price",
        "cost",
        "fare",
        "rent",
        "budget",
        "salary",
        "wage",
        "income",
        "tip",
        "deposit",
        "discount",
        "fee",
        "deductible",
        "premium",
        "balance",
        "mortgage",
    ];
    let said = SUMS
        .into_iter()
        .map(|noun| (cluster.share_of(noun) * cluster.contrast(noun).max(0.1), noun))
        .filter(|(_, noun)| cluster.share_of(noun) >= 0.1)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    match said.map(|(_, noun)| noun) {
        Some("budget") => Named::by(NameSource::Noun, "budget"),
        // "It shouldn't cost more than $50" bounds the price.
        Some("cost") if !bound(cluster).is_empty() => Named::by(NameSource::Noun, format!("{}price", bound(cluster))),
        Some(noun) => Named::by(NameSource::Noun, format!("{}{noun}", bound(cluster))),
        None if bound(cluster).is_empty() => noun_beside(cluster, Tag::Money).map_or_else(
            || Named::by(NameSource::Type, "amount"),
            |noun| Named::by(NameSource::Noun, format!("{noun}_amount")),
        ),
        None => Named::by(NameSource::Type, format!("{}price", bound(cluster))),
    }
}

/// The noun that stands with the values of a kind in at least a quarter of the fragments: "a *loan* of $500", "$20
/// *donation*".
fn noun_beside(cluster: &Cluster, tag: Tag) -> Option<String> {
    let classes = lexicon::classes();
    let mut votes: BTreeMap<String, f64> = BTreeMap::new();
    for fragment in &cluster.fragments {
        for value in fragment.values.iter().filter(|value| value.tag == tag) {
            let before = fragment
                .before(*value)
                .rev()
                .take(4)
                .find(|word| !lexicon::stop(word) && *word != "$");
            let after = fragment.after(*value).next();
            let beside = before.into_iter().chain(after).find(|word| {
                lexicon::noun(word)
                    && lexicon::known(&lexicon::lemma(word))
                    && !classes.verbish.contains(*word)
                    && !classes.domainish.contains(*word)
                    && !classes.persons.contains(*word)
            });
            if let Some(noun) = beside {
                *votes.entry(lexicon::lemma(noun)).or_default() += 1.0;
            }
        }
    }
    let most = votes.values().copied().fold(0.0, f64::max);
    votes
        .into_iter()
        .find(|(noun, count)| *count == most && most >= 0.25 * cluster.size() && cluster.contrast(noun) > 0.0)
        .map(|(noun, _)| noun)
}

/// The roles of a date or time that at least 12 % say, the most telling first.
pub fn roles(cluster: &Cluster, service: &Service<'_>) -> Vec<String> {
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for role in lexicon::classes().role.values() {
        let share = cluster.share_where(|fragment| {
            fragment
                .tokens
                .iter()
                .any(|token| lexicon::classes().role.get(&token.word) == Some(role))
        });
        shares.insert(role, share);
    }
    let weight = |role: &str| match role {
        "check_in" | "check_out" | "return" | "pickup" | "dropoff" => 1.6,
        "event" | "visit" | "reservation" | "start" | "end" => 0.6,
        _ => 1.0,
    };
    let mut roles: Vec<(f64, &str)> = shares
        .into_iter()
        .filter(|(_, share)| *share >= 0.12)
        .map(|(role, share)| (share * weight(role), role))
        .collect();
    roles.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    // Who leaves a hotel checks out, and who arrives there checks in; what arrives with a courier is delivered.
    let at_home = |role| match role {
        "departure" if service.stay() => "check_out",
        "arrival" if service.stay() => "check_in",
        "arrival" if service.delivers() => "delivery",
        role => role,
    };
    roles.into_iter().map(|(_, role)| at_home(role).to_owned()).collect()
}

/// Share of the fragments that speak of a thing, and how much more often than elsewhere, from which on a day or a time is its.
const SPOKEN_OF_MIN: f64 = 0.5;
const TELLING_MIN: f64 = 1.0;

fn moment(cluster: &Cluster, service: &Service<'_>, suffix: &str, kind: KeyKind) -> Named {
    let roles = roles(cluster, service);
    let side = roles.first().and_then(|role| side_of(role));
    // `outbound_departure_time`, from a visible `inbound_departure_time`.
    let sibling = service.siblings(&[kind]).into_iter().find(|name| {
        name.ends_with(suffix) && name.split('_').count() > 2 && side.is_some_and(|side| has_side(name, side))
    });
    if let Some(sibling) = sibling {
        return Named::by(NameSource::Sibling, sibling);
    }
    // What begins with `pickup_date` ends with `dropoff_date`, by whatever word the end is spoken of.
    let ends = side.is_some_and(|side| matches!(side, "ret" | "out" | "end"));
    let other_end = service.siblings(&[kind]).into_iter().filter(|_| ends).find(|name| {
        let ended = ["check_out_", "dropoff_", "end_"]
            .iter()
            .find_map(|end| name.strip_prefix(end));
        ended == Some(suffix)
    });
    if let Some(other_end) = other_end {
        return Named::by(NameSource::Sibling, other_end);
    }
    let by_role = roles
        .iter()
        .filter(|role| !matches!(role.as_str(), "event" | "visit" | "reservation"))
        .map(|role| format!("{}_{suffix}", service.style(role)))
        .find(|name| !service.taken(name));
    if let Some(name) = by_role {
        return Named::by(NameSource::Role, name);
    }
    let prefix = service.prefix(|word| cluster.share_of(word) >= 0.08);
    // "Rabies shot given on 15 April": what nearly everybody speaks of names the day, and it is no other end of anything.
    if roles.is_empty()
        && prefix.is_none()
        && let Some(noun) = telling_noun(cluster, SPOKEN_OF_MIN).filter(|noun| *noun != service.entity)
        && cluster.contrast(&noun) >= TELLING_MIN
        && !service.taken(&format!("{noun}_{suffix}"))
    {
        return Named::by(NameSource::Noun, format!("{noun}_{suffix}"));
    }
    // A bare day beside `return_date` is the one that the journey begins with.
    let begins = |name: &str| name.ends_with(suffix) && ["orig", "in", "start"].iter().any(|side| has_side(name, side));
    // What has a beginning has no second one, by whatever word.
    let begun = service.visible.iter().any(|name| begins(name));
    if roles.is_empty()
        && prefix.is_none()
        && !begun
        && let Some(first) = service.siblings(&[kind]).into_iter().find(|name| begins(name))
    {
        return Named::by(NameSource::Sibling, first);
    }
    let before = |first: &String| format!("{first}_{suffix}");
    [
        (NameSource::Prefix, prefix.as_ref().map(before)),
        (NameSource::Role, roles.first().map(before)),
        (NameSource::Type, Some(suffix.to_owned())),
    ]
    .into_iter()
    .filter_map(|(source, name)| Some(Named::by(source, name?)))
    .find(|named| !service.taken(&named.name))
    .unwrap_or_else(|| Named::by(NameSource::Service, format!("{}_{suffix}", service.entity)))
}

/// Words of an age.
const AGED: [&str; 4] = ["old", "age", "aged", "turned"];
/// Share of the fragments that must tell somebody's age before a number is one.
const AGED_MIN: f64 = 0.30;

/// Whether a number is how old one person is: "I'm 7", "she just turned nine".
fn tells_age(fragment: &Fragment) -> bool {
    const ONE: [&str; 5] = ["i'm", "he's", "she's", "aged", "turned"];
    const HEDGES: [&str; 7] = ["about", "almost", "already", "just", "nearly", "now", "only"];
    let told = |value: &Value| {
        let mut before = fragment.before(*value).rev().filter(|word| !HEDGES.contains(word));
        let last = before.next();
        let is = matches!(last, Some("am" | "is" | "be"));
        last.is_some_and(|word| ONE.contains(&word)) || is && matches!(before.next(), Some("i" | "he" | "she"))
    };
    let mut numbers = fragment.values.iter().filter(|value| value.tag == Tag::Number);
    fragment.says(&AGED) || numbers.any(told)
}

fn duration(cluster: &Cluster) -> Decision {
    let mut units: BTreeMap<String, u64> = BTreeMap::new();
    for fragment in &cluster.fragments {
        for value in fragment.values.iter().filter(|value| value.tag == Tag::Duration) {
            if let Some(last) = lexicon::tokens(fragment.value_text(*value)).last() {
                *units.entry(lexicon::lemma(&last.word)).or_default() += 1;
            }
        }
    }
    let most = units.values().copied().max().unwrap_or(0);
    let unit = units
        .into_iter()
        .find(|(_, count)| *count == most)
        .map_or("hour".to_owned(), |(unit, _)| unit);
    let unit = match unit.as_str() {
        "min" | "minute" => "minute",
        "day" => "day",
        "night" => "night",
        "week" => "week",
        "month" => "month",
        "year" => "year",
        _ => "hour",
    };
    let old = cluster.share_where(|fragment| fragment.says(&AGED));
    if unit == "year" && old >= 0.25 {
        let named = Named::by(NameSource::Cue, "age");
        return Decision::plain(Kind::Number, KeyType::Integer, named);
    }
    if matches!(unit, "day" | "night" | "week" | "month" | "year") {
        let named = Named::by(NameSource::Unit, format!("number_of_{}", lexicon::plural(unit)));
        return Decision::plain(Kind::Duration, KeyType::Integer, named);
    }
    let noun = telling_noun(cluster, 0.25).map_or(String::new(), |noun| format!("{noun}_"));
    let max = if cluster.at_most >= 0.4 { "max_" } else { "" };
    let name = format!("{max}{noun}{}", lexicon::plural(unit));
    Decision::plain(Kind::Duration, KeyType::Number, Named::by(NameSource::Unit, name))
}

fn count(cluster: &Cluster, service: &Service<'_>) -> Decision {
    let size = cluster.size();
    let counted = counted(cluster);
    let decimals = cluster.share_where(|fragment| DECIMAL.is_match(&fragment.text)) >= 0.08;
    let key_type = if decimals { KeyType::Number } else { KeyType::Integer };
    let number = |source, name: String| Decision::plain(Kind::Number, key_type, Named::by(source, name));
    if counted.get("star").copied().unwrap_or(0.0) >= 0.3 * size {
        return number(NameSource::Cue, "star_rating".to_owned());
    }
    if cluster.share_where(|fragment| fragment.says(&["rating", "rated", "rate", "review", "reviews", "score"])) >= 0.3
    {
        let own = format!("{}_rating", service.entity);
        let name = if service.taken("rating") {
            own
        } else {
            "rating".to_owned()
        };
        return number(NameSource::Cue, name);
    }
    if cluster.share_where(tells_age) >= AGED_MIN && !service.taken("age") {
        return number(NameSource::Cue, "age".to_owned());
    }
    if let Some(quantity) = measured(&counted, size) {
        let named = Named::by(NameSource::Unit, quantity);
        return Decision::plain(Kind::Number, KeyType::Number, named);
    }
    // A scale is measured and not counted: "eyes 1.2 times bigger".
    let times = cluster.share_where(|fragment| fragment.says(&["times", "x", "factor", "scale", "bigger", "smaller"]));
    if decimals
        && times >= 0.2
        && let Some(noun) = telling_noun(cluster, 0.25)
    {
        return number(NameSource::Noun, format!("{noun}_scale"));
    }
    let mut things: Vec<(&String, f64)> = counted
        .iter()
        .filter(|(_, count)| **count >= 0.08 * size)
        .map(|(thing, count)| (thing, *count))
        .collect();
    things.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    // "Just one": where nobody says what is counted, a service that carries or hosts people counts those.
    let fallback = telling_noun(cluster, 0.25)
        .map(|noun| (NameSource::Noun, noun))
        .or_else(|| service.party().map(|_| (NameSource::Party, "people".to_owned())));
    let counts = |thing: &str| {
        if thing == "people" {
            format!("number_of_{}", people(cluster, service))
        } else {
            format!("number_of_{}", lexicon::plural(thing))
        }
    };
    let mut names = things
        .iter()
        .take(4)
        .map(|(thing, _)| match lexicon::classes().unit.get(*thing) {
            // "12 km" counts no kilometres where few say the unit: it is still a distance.
            Some(quantity) => Named::by(NameSource::Unit, quantity.clone()),
            None => Named::by(NameSource::Counted, counts(thing)),
        })
        .chain(fallback.map(|(source, thing)| Named::by(source, counts(&thing))))
        .peekable();
    let rate = often::unit(cluster).map(|unit| {
        let thing = often::thing(things.iter().map(|(thing, _)| *thing));
        Named::by(NameSource::Counted, format!("{}_per_{unit}", lexicon::plural(thing)))
    });
    let best = rate.as_ref().or_else(|| names.peek()).map(|named| named.name.clone());
    let named = rate
        .filter(|named| !service.taken(&named.name))
        .or_else(|| names.find(|named| !service.taken(&named.name)))
        .unwrap_or_else(|| Named::by(NameSource::Type, "quantity"));
    let rivals = things
        .iter()
        .map(|(thing, count)| (counts(thing), *count / size))
        .filter(|(name, _)| *name != named.name && !service.taken(name));
    let naming = Naming {
        runners_up: runners_up(rivals),
        wanted: best.filter(|best| *best != named.name),
        ..named.naming
    };
    Decision::plain(
        Kind::Number,
        key_type,
        Named {
            name: named.name,
            naming,
        },
    )
}

/// The first of the names that lost, with their scores.
pub fn runners_up(ranked: impl Iterator<Item = (String, f64)>) -> Vec<RunnerUp> {
    ranked
        .take(RUNNERS_UP_MAX)
        .map(|(name, score)| RunnerUp {
            name,
            score: rounded(score),
        })
        .collect()
}

/// What is measured, where a unit of measure follows the numbers: `weight` for kilos and pounds.
fn measured(counted: &BTreeMap<String, f64>, size: f64) -> Option<String> {
    let units = &lexicon::classes().unit;
    let mut quantities: BTreeMap<&str, f64> = BTreeMap::new();
    for (thing, count) in counted {
        if let Some(quantity) = units.get(thing) {
            *quantities.entry(quantity).or_default() += count;
        }
    }
    let most = quantities.values().copied().fold(0.0, f64::max);
    quantities
        .into_iter()
        .find(|(_, count)| *count == most && most >= 0.3 * size)
        .map(|(quantity, _)| quantity.to_owned())
}

/// What the numbers count, by the nouns behind them; halves where a party is only hinted at.
fn counted(cluster: &Cluster) -> BTreeMap<String, f64> {
    let classes = lexicon::classes();
    let mut counted: BTreeMap<String, f64> = BTreeMap::new();
    let mut add = |thing: String, weight: f64| *counted.entry(thing).or_default() += weight;
    for fragment in &cluster.fragments {
        for value in fragment
            .values
            .iter()
            .filter(|v| matches!(v.tag, Tag::Number | Tag::Duration))
        {
            let after: Vec<&str> = fragment.after(*value).take(3).collect();
            for (at, word) in after.iter().enumerate() {
                if classes.persons.contains(*word) {
                    add("people".to_owned(), 1.0);
                    break;
                }
                if matches!(*word, "star" | "stars" | "starred") {
                    add("star".to_owned(), 1.0);
                    break;
                }
                if matches!(
                    *word,
                    "of" | "for" | "to" | "in" | "on" | "is" | "with" | "or" | "and" | "at"
                ) {
                    if *word == "of" && after.contains(&"us") {
                        add("people".to_owned(), 1.0);
                    }
                    break;
                }
                let lemma = lexicon::lemma(word);
                // "45 thousand kilometres" counts no thousands.
                if classes.numw.contains_key(&lemma) {
                    continue;
                }
                // A letter alone is a noun to the dictionary and counts nothing: "2 x", "gate 4 b".
                if word.chars().count() < 2 {
                    continue;
                }
                // "Two visits": what stands in the plural right behind a number is counted, though it is more often a verb.
                let counted = at == 0 && lemma != *word && !lexicon::stop(word) && lexicon::may_be_noun(&lemma);
                let thing = counted || lexicon::noun(word);
                if thing && !matches!(*word, "total" | "way") && lemma != "day" {
                    add(lemma, 1.0);
                    break;
                }
            }
            let before: Vec<&str> = fragment.before(*value).rev().take(3).collect();
            if before.contains(&"of") && (before.contains(&"party") || before.contains(&"group")) {
                add("people".to_owned(), 0.5);
            }
        }
    }
    counted
}

/// The service's word for its people: said in the cluster, in a description, or usual for such a service.
fn people(cluster: &Cluster, service: &Service<'_>) -> String {
    let said = PEOPLE
        .iter()
        .map(|word| (cluster.share_of(word), *word))
        .filter(|(share, _)| *share >= 0.15)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, word)| word);
    let described = || {
        let descriptions = service.keys.iter().map(|key| key.semantic_description.as_str());
        let words: Vec<String> = descriptions
            .flat_map(lexicon::tokens)
            .map(|token| lexicon::lemma(&token.word))
            .collect();
        PEOPLE
            .iter()
            .find(|word| words.iter().any(|said| said == *word))
            .copied()
    };
    said.or_else(described)
        .map(lexicon::plural)
        .or_else(|| service.party().map(str::to_owned))
        .unwrap_or_else(|| "people".to_owned())
}

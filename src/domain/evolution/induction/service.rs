//! What the service already says of itself: its own noun, the style of its key names, names that follow from them.
//!
//! Knows the visible keys; knows no fragment. A name that is visible is never given again (Z-113).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::evolution::lexicon;
use crate::domain::template::closed_list;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::name::OTHER;

/// Nouns of descriptions that are not what the service is about.
const NO_ENTITY: [&str; 28] = [
    "address",
    "app",
    "application",
    "boolean",
    "category",
    "database",
    "description",
    "flag",
    "format",
    "genre",
    "list",
    "location",
    "money",
    "network",
    "number",
    "phone",
    "platform",
    "portal",
    "price",
    "provider",
    "range",
    "request",
    "service",
    "system",
    "type",
    "user",
    "value",
    "whether",
];

/// The kind of value that a visible key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyKind {
    Date,
    Time,
    Boolean,
    Closed,
    Number,
    Money,
    Place,
    Person,
    Title,
    Text,
}

/// The service as its template shows it.
#[derive(Clone, Debug)]
pub struct Service<'a> {
    pub keys: Vec<&'a KeyDefinition>,
    pub visible: BTreeSet<String>,
    /// The service's own noun, a lemma: `flight`, `hotel`; `item` when it has none.
    pub entity: String,
    /// Lemmas of its description and scenario.
    pub about: BTreeSet<String>,
}

impl<'a> Service<'a> {
    /// Reads scenario, description and keys.
    pub fn read(scenario: &str, description: &str, keys: Vec<&'a KeyDefinition>) -> Service<'a> {
        let scenario = scenario.replace(['_', '-'], " ");
        let visible = keys.iter().map(|key| key.key_name.as_str().to_owned()).collect();
        let keys: Vec<&KeyDefinition> = keys.into_iter().filter(|key| key.key_name.as_str() != OTHER).collect();
        Service {
            entity: entity(&scenario, description, &keys),
            about: lemmas(&format!("{scenario} {description}")),
            keys,
            visible,
        }
    }

    /// The usual word for the people whom such a service carries or hosts: `passengers` of a bus.
    pub fn party(&self) -> Option<&'static str> {
        let party = &lexicon::classes().party;
        let about = self.about.iter().chain(std::iter::once(&self.entity));
        about.filter_map(|word| party.get(word)).map(String::as_str).next()
    }

    /// Whether one stays there: nobody departs but by checking out.
    pub fn stay(&self) -> bool {
        const STAYS: [&str; 7] = ["accommodation", "hostel", "hotel", "inn", "lodging", "motel", "resort"];
        let about = self.about.iter().chain(std::iter::once(&self.entity));
        let mut keys = self.visible.iter();
        about.map(String::as_str).any(|word| STAYS.contains(&word)) || keys.any(|name| has_side(name, "in"))
    }

    /// Whether it brings something: what arrives there is delivered, unless it departs as well.
    pub fn delivers(&self) -> bool {
        const BRINGS: [&str; 4] = ["courier", "delivery", "parcel", "shipping"];
        let mut about = self
            .about
            .iter()
            .chain(std::iter::once(&self.entity))
            .map(String::as_str);
        let brings = |name: &String| name.split('_').any(|word| BRINGS.contains(&word));
        let departs = |name: &String| has_side(name, "orig");
        (about.any(|word| BRINGS.contains(&word)) || self.visible.iter().any(brings))
            && !self.visible.iter().any(departs)
    }

    /// Whether a name is taken.
    pub fn taken(&self, name: &str) -> bool {
        self.visible.contains(name)
    }

    /// Names that follow from visible keys of some kinds by an opposite role: `inbound_date` -> `outbound_date`; with
    /// how often each follows, most often first.
    pub fn siblings(&self, kinds: &[KeyKind]) -> Vec<String> {
        let mut votes: BTreeMap<String, usize> = BTreeMap::new();
        for key in self.keys.iter().filter(|key| kinds.contains(&kind_of(key))) {
            let padded = format!("_{}_", key.key_name);
            for (a, b) in opposites() {
                let Some(role) = Some(format!("_{a}_")).filter(|role| !a.is_empty() && padded.contains(role)) else {
                    continue;
                };
                // A moment has an arrival; a place called `departure` has a destination.
                let place = kinds.contains(&KeyKind::Place) && padded == "_departure_";
                let b = if place && b == "arrival" { "destination" } else { b };
                let with = if b.is_empty() { "_".to_owned() } else { format!("_{b}_") };
                let name = padded.replacen(&role, &with, 1).trim_matches('_').to_owned();
                if !name.is_empty() && !self.taken(&name) && !["date", "time", "name"].contains(&name.as_str()) {
                    *votes.entry(name).or_default() += 1;
                }
            }
        }
        let mut names: Vec<(String, usize)> = votes.into_iter().collect();
        names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        names.into_iter().map(|(name, _)| name).collect()
    }

    /// The word that the service uses for a role of a date or time (`leaving_time` -> `leaving`), or the role itself.
    pub fn style(&self, role: &str) -> String {
        let concepts = &lexicon::classes().concept;
        self.keys
            .iter()
            .filter_map(|key| key.key_name.as_str().split_once('_'))
            .filter(|(_, last)| matches!(*last, "date" | "time"))
            .find(|(first, _)| {
                !matches!(*first, "outbound" | "inbound" | "to" | "from")
                    && concepts
                        .get(*first)
                        .is_some_and(|side| Some(side.as_str()) == side_of(role))
            })
            .map_or_else(|| role.to_owned(), |(first, _)| first.to_owned())
    }

    /// The prefix of names such as `event_time`, where `said` says that people use the word.
    pub fn prefix(&self, said: impl Fn(&str) -> bool) -> Option<String> {
        let mut prefixes: BTreeMap<&str, usize> = BTreeMap::new();
        for key in &self.keys {
            if let Some((first, last)) = key.key_name.as_str().split_once('_')
                && matches!(last, "time" | "date" | "name" | "type" | "location" | "address")
                && !lexicon::classes().concept.contains_key(first)
                && lexicon::noun(first)
                && said(first)
            {
                *prefixes.entry(first).or_default() += 1;
            }
        }
        let most = prefixes.values().copied().max()?;
        prefixes
            .into_iter()
            .find(|(_, count)| *count == most)
            .map(|(prefix, _)| prefix.to_owned())
    }

    /// A visible key with about the same values and a role word of its own: its name with the opposite role, or none.
    pub fn sibling_by_values(&self, values: &[&str]) -> Option<String> {
        self.keys.iter().find_map(|key| {
            let listed: Vec<String> = listed(key);
            let shared = values
                .iter()
                .filter(|value| {
                    listed
                        .iter()
                        .any(|other| other == *value || other.split(' ').any(|w| w == **value))
                })
                .count();
            if listed.is_empty() || values.is_empty() || shared * 10 < values.len() * 6 {
                return None;
            }
            let words: Vec<&str> = key.key_name.as_str().split('_').collect();
            lexicon::classes().antonym.iter().find_map(|(role, opposite)| {
                let place = words.iter().position(|word| word == role)?;
                let mut plain = words.clone();
                plain.remove(place);
                let mut turned = words.clone();
                if !opposite.is_empty()
                    && let Some(word) = turned.get_mut(place)
                {
                    *word = opposite;
                }
                [plain.join("_"), turned.join("_")]
                    .into_iter()
                    .find(|name| !name.is_empty() && !self.taken(name))
            })
        })
    }
}

/// The side of a journey or period that a role stands for.
pub fn side_of(role: &str) -> Option<&'static str> {
    Some(match role {
        "departure" | "origin" => "orig",
        "return" => "ret",
        "arrival" | "destination" => "dest",
        "check_in" => "in",
        "check_out" => "out",
        "start" => "start",
        "end" => "end",
        _ => return None,
    })
}

/// The side that any word of a key's name stands for.
pub fn has_side(name: &str, side: &str) -> bool {
    let concepts = &lexicon::classes().concept;
    let joined = [("check_in", "in"), ("check_out", "out")];
    joined.iter().any(|(words, own)| name.contains(words) && *own == side)
        || name
            .split('_')
            .any(|word| concepts.get(word).is_some_and(|own| own == side))
}

fn opposites() -> impl Iterator<Item = (&'static str, &'static str)> {
    lexicon::classes()
        .antonym
        .iter()
        .flat_map(|(a, b)| [(a.as_str(), b.as_str()), (b.as_str(), a.as_str())])
}

fn lemmas(text: &str) -> BTreeSet<String> {
    lexicon::tokens(text)
        .iter()
        .map(|token| lexicon::lemma(&token.word))
        .collect()
}

/// The lemmas of what a service says of itself, in order, without the verbs that it bids: "Book a table" sells no books.
fn things(scenario: &str, description: &str) -> Vec<String> {
    let named = lexicon::tokens(scenario);
    let told = lexicon::tokens(description);
    let bids = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| told.get(at));
        before.is_none_or(|before| matches!(before.word.as_str(), "and" | "or" | "to" | "can" | "you"))
            && told.get(at + 1).is_some()
    };
    let plain = |word: &str| lexicon::lemma(word) == word;
    let told = told
        .iter()
        .enumerate()
        .filter(|(at, token)| !(bids(*at) && plain(&token.word)));
    let words = named.iter().chain(told.map(|(_, token)| token));
    words.map(|token| lexicon::lemma(&token.word)).collect()
}

/// Votes for the nouns of a key, of what the service says of itself, and of its name.
const KEY_WEIGHT: u64 = 10;
const TOLD_WEIGHT: u64 = 12;
const NAMED_WEIGHT: u64 = 25;

/// What the service is about: the noun that most of it speaks of, the first that it names among equals.
fn entity(scenario: &str, description: &str, keys: &[&KeyDefinition]) -> String {
    let own = things(scenario, description);
    let mut votes: BTreeMap<String, u64> = BTreeMap::new();
    let mut count = |lemmas: BTreeSet<String>, weight: u64| {
        for lemma in lemmas {
            if lemma.chars().count() > 2
                && lexicon::noun(&lemma)
                && !lexicon::classes().domainish.contains(&lemma)
                && !NO_ENTITY.contains(&lemma.as_str())
            {
                *votes.entry(lemma).or_default() += weight;
            }
        }
    };
    // What the service says of itself counts a little more than any one key, and what it is called more than two: its keys
    // speak of what they hold, its name of what it is for.
    count(things("", description).into_iter().collect(), TOLD_WEIGHT);
    // A word of the name that is in no dictionary (whose service it is) is a thing only where the keys speak of it.
    let told: BTreeSet<String> = keys.iter().flat_map(|key| lemmas(&key.semantic_description)).collect();
    let named = lemmas(scenario).into_iter();
    let things =
        named.filter(|word| lexicon::known(word) || told.contains(word) || description.to_lowercase().contains(word));
    count(things.collect(), NAMED_WEIGHT);
    for key in keys {
        let description = meaning(&key.semantic_description);
        let text = format!("{description} {}", key.key_name.as_str().replace('_', " "));
        count(lemmas(&text), KEY_WEIGHT);
    }
    let place = |word: &str| own.iter().position(|own| own == word).unwrap_or(usize::MAX);
    votes
        .into_iter()
        .min_by_key(|(word, count)| (Reverse(*count), place(word)))
        .map_or_else(|| "item".to_owned(), |(word, _)| word)
}

/// What a description says of the key's meaning: acceptable values, ranges and mapping examples (Z-040) left out.
fn meaning(description: &str) -> &str {
    let ends = [" Acceptable values", " Range:", " Example"]
        .iter()
        .filter_map(|lead| description.find(lead));
    ends.min().and_then(|end| description.get(..end)).unwrap_or(description)
}

/// The listed values of a key, lower case.
pub fn listed(key: &KeyDefinition) -> Vec<String> {
    let values = closed_list::values(&key.constraints).unwrap_or_default();
    values.into_iter().map(str::to_lowercase).collect()
}

/// The kind of value that a visible key takes, from its type, constraints, name and description.
pub fn kind_of(key: &KeyDefinition) -> KeyKind {
    let words: Vec<&str> = key.key_name.as_str().split('_').collect();
    let description = key.semantic_description.to_lowercase();
    let (first, last) = (
        words.first().copied().unwrap_or_default(),
        words.last().copied().unwrap_or_default(),
    );
    let named = |some: &[&str]| words.iter().any(|word| some.contains(word));
    match key.constraints.get("format").and_then(Value::as_str) {
        Some("date" | "date-time") => return KeyKind::Date,
        Some("time") => return KeyKind::Time,
        Some(_) | None => {}
    }
    if key.key_type == KeyType::Boolean || matches!(first, "is" | "has" | "allows") {
        KeyKind::Boolean
    } else if key.constraints.contains_key("enum") {
        KeyKind::Closed
    } else if last == "date" {
        KeyKind::Date
    } else if matches!(last, "duration" | "days" | "nights" | "hours" | "length") {
        KeyKind::Number
    } else if last == "time" && !description.contains("duration") && !description.contains("number of") {
        KeyKind::Time
    } else if named(&["price", "fare", "cost", "amount", "balance", "budget", "rent"]) {
        KeyKind::Money
    } else if matches!(key.key_type, KeyType::Integer | KeyType::Number) || matches!(first, "number" | "num") {
        KeyKind::Number
    } else if named(&[
        "city",
        "location",
        "destination",
        "origin",
        "airport",
        "station",
        "country",
        "area",
    ]) || lemmas(&description)
        .iter()
        .any(|word| matches!(word.as_str(), "city" | "town" | "location"))
    {
        KeyKind::Place
    } else if lemmas(&description).iter().any(|word| {
        matches!(
            word.as_str(),
            "actor" | "artist" | "director" | "recipient" | "author" | "singer"
        )
    }) {
        KeyKind::Person
    } else if matches!(last, "name" | "title")
        || description.starts_with("name of")
        || description.starts_with("title of")
    {
        KeyKind::Title
    } else {
        KeyKind::Text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Service;
    use crate::domain::template::key::KeyDefinition;

    fn entity(scenario: &str, description: &str) -> String {
        entity_with(scenario, description, &[])
    }

    fn entity_with(scenario: &str, description: &str, keys: &[(&str, &str)]) -> String {
        let keys = keys
            .iter()
            .map(|(name, description)| {
                let key = json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": description});
                serde_json::from_value(key).expect("a key")
            })
            .collect::<Vec<KeyDefinition>>();
        Service::read(scenario, description, keys.iter().collect()).entity
    }

    #[test]
    fn a_service_is_about_what_it_is_called_and_not_what_two_of_its_keys_hold_z110() {
        let airports = [
            ("origin", "Airport to leave from"),
            ("destination", "Airport of arrival"),
        ];
        assert_eq!(entity_with("flight_booking", "", &airports), "flight");
        assert_eq!(entity_with("", "", &airports), "airport");
    }

    #[test]
    fn who_comes_to_a_service_is_called_as_such_services_call_them_z111() {
        let party = |scenario: &str, description: &str| Service::read(scenario, description, Vec::new()).party();
        assert_eq!(party("ferry", "Cross the bay"), Some("passengers"));
        assert_eq!(party("catering", "Food for a celebration"), Some("guests"));
        assert_eq!(party("tickets", "Visit the museum"), Some("visitors"));
        assert_eq!(party("hardware", "Order nails and screws"), None);
    }

    #[test]
    fn of_the_words_of_a_name_the_one_that_the_description_says_too_is_meant_z110() {
        assert_eq!(entity("hand_movies", "Find movies and buy tickets"), "movie");
    }

    #[test]
    fn what_the_description_and_several_keys_speak_of_goes_before_a_name_that_nothing_bears_out_z110() {
        let movies = [("genre", "Genre of the movie"), ("price", "Price of the movie")];
        assert_eq!(entity_with("media", "Watch movies", &movies), "movie");
    }

    #[test]
    fn whose_service_it_is_is_not_what_it_is_about_z110() {
        let movies = [("title", "Title of the movie"), ("genre", "Genre of the movie")];
        assert_eq!(entity_with("zqx_media", "", &movies), "movie");
        assert_eq!(
            entity_with("zqx", "Fills a zqx", &[]),
            "zqx",
            "unless it says so itself"
        );
    }

    #[test]
    fn what_a_service_bids_is_not_what_it_is_about_z110() {
        assert_eq!(entity("", "Book a table"), "table");
        assert_eq!(entity("dining", "Find a restaurant and book a table"), "restaurant");
        assert_eq!(entity("", "Loans of books"), "loan");
    }

    #[test]
    fn of_two_things_the_first_named_is_meant_z110() {
        assert_eq!(entity("", "Tables and bills"), "table");
        assert_eq!(entity("", "Bills and tables"), "bill");
    }
}

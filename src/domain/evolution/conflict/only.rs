//! The only key of its sort: what says no more than a type, or counts the same thing, means the one key that takes it.
//!
//! "At 2 pm", said to a service with one time, is that time, whatever the key is called: a type is no name, and there is
//! nothing that it could stand beside. So is the title of its own business, an event or an appointment. A place without a
//! side, and one that somebody goes to, are one in a service that nobody leaves from; a side and nothing else (`origin`) is
//! the one place of that side which takes any (`pickup_location`). A count named by fewer words than the key that counts the
//! same thing (`data`, `data_allowance`) is that count, a sum that says nothing but its bound is the one that is paid (`max_rent`), and one of people is the one count of people there is
//! (`number_of_guests`, `party_size`). Two such keys, or one with a side of its own (`return_date`), leave it open. Knows no
//! vector.

use std::collections::BTreeSet;

use crate::domain::evolution::conflict::Kind;
use crate::domain::evolution::conflict::kind;
use crate::domain::evolution::conflict::same_name::Form;
use crate::domain::evolution::conflict::same_name::Said;
use crate::domain::evolution::induction::service;
use crate::domain::evolution::induction::service::KeyKind;
use crate::domain::evolution::induction::service::has_side;
use crate::domain::evolution::lexicon;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;

/// The one key that takes what the candidate asks for; `None` where there is none, or more than one (Z-113). A key that the
/// fragments cannot mean at all (its likelihood is 0) is none, but for places: there a side is all that stands against it.
pub fn only_key<'k>(
    candidate: &KeyDefinition,
    keys: impl Iterator<Item = (&'k KeyDefinition, Option<f64>)> + Clone,
) -> Option<&'k KeyDefinition> {
    let possible = keys
        .clone()
        .filter(|(_, likely)| likely.is_none_or(|likely| likely > 0.0));
    let possible = possible.map(|(key, _)| key);
    match kind(candidate) {
        Kind::Date | Kind::Time => only_moment(candidate, possible),
        Kind::Number => only_sum(candidate, possible.clone()).or_else(|| only_count(candidate, possible)),
        Kind::Text | Kind::Listed => {
            only_place(candidate, keys.map(|(key, _)| key)).or_else(|| only_title(candidate, possible))
        }
        Kind::Boolean | Kind::Structure => None,
    }
}

/// What a moment or a title may be of without being another one: the service's own business.
const OWN: [&str; 10] = [
    "appointment",
    "booking",
    "event",
    "meeting",
    "order",
    "reservation",
    "service",
    "session",
    "trip",
    "visit",
];

/// The one of them, where there is but one.
fn one<'k>(mut keys: impl Iterator<Item = &'k KeyDefinition>) -> Option<&'k KeyDefinition> {
    keys.next().filter(|_| keys.next().is_none())
}

fn only_moment<'k>(
    candidate: &KeyDefinition,
    keys: impl Iterator<Item = &'k KeyDefinition>,
) -> Option<&'k KeyDefinition> {
    let only = one(keys.filter(|key| kind(key) == kind(candidate)))?;
    (of_own(&Said::by(&candidate.key_name)) && of_own(&Said::by(&only.key_name))).then_some(only)
}

/// Whether a name says nothing but the service's own business.
pub fn of_own(said: &Said) -> bool {
    let roles = said.roles.iter().map(|role| lexicon::stem(role));
    let mut words = roles.chain(said.about.iter().cloned());
    words.all(|word| OWN.iter().any(|own| lexicon::stem(own) == word))
}

fn only_title<'k>(
    candidate: &KeyDefinition,
    keys: impl Iterator<Item = &'k KeyDefinition>,
) -> Option<&'k KeyDefinition> {
    let own_title = |key: &KeyDefinition| {
        let said = Said::by(&key.key_name);
        said.forms.iter().eq([&Form::Name]) && of_own(&said)
    };
    let open = |key: &&KeyDefinition| kind(key) == Kind::Text && own_title(key);
    one(keys.filter(open)).filter(|_| kind(candidate) == Kind::Text && own_title(candidate))
}

fn only_count<'k>(
    candidate: &KeyDefinition,
    keys: impl Iterator<Item = &'k KeyDefinition>,
) -> Option<&'k KeyDefinition> {
    let ours = Said::by(&candidate.key_name);
    let counts = |key: &&KeyDefinition| {
        let theirs = Said::by(&key.key_name);
        let same = ours.about.is_subset(&theirs.about) || of_people(&ours) && of_people(&theirs);
        kind(key) == Kind::Number && ours.roles == theirs.roles && same
    };
    one(keys.filter(counts)).filter(|_| !ours.about.is_empty())
}

/// What a sum of money is bounded to, as far as its name says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    None,
    Least,
    Most,
}

/// The one sum of the service, for a sum that says nothing but its bound: "at most $900" is the `max_rent`.
fn only_sum<'k>(candidate: &KeyDefinition, keys: impl Iterator<Item = &'k KeyDefinition>) -> Option<&'k KeyDefinition> {
    let bound = bare_sum(&candidate.key_name)?;
    let only = one(keys.filter(|key| service::kind_of(key) == KeyKind::Money))?;
    (bare_sum(&only.key_name) == Some(bound)).then_some(only)
}

/// The bound of a name that says no more than that something is paid for.
fn bare_sum(name: &KeyName) -> Option<Bound> {
    const PAID: [&str; 8] = ["amount", "budget", "cost", "fare", "price", "rent", "sum", "total"];
    const LEAST: [&str; 4] = ["least", "lowest", "min", "minimum"];
    const MOST: [&str; 5] = ["budget", "highest", "max", "maximum", "most"];
    let words: Vec<&str> = name.as_str().split('_').collect();
    let says = |some: &[&str]| words.iter().any(|word| some.contains(word));
    let bare = words
        .iter()
        .all(|word| [&PAID[..], &LEAST, &MOST].iter().any(|some| some.contains(word)));
    let bound = match (says(&LEAST), says(&MOST)) {
        (true, true) => return None,
        (true, false) => Bound::Least,
        (false, true) => Bound::Most,
        (false, false) => Bound::None,
    };
    (bare && says(&PAID)).then_some(bound)
}

/// Whether a count is one of people, whatever they are called: guests, passengers, the size of a party.
fn of_people(said: &Said) -> bool {
    const TOGETHER: [&str; 2] = ["party", "group"];
    let stems = |words: &mut dyn Iterator<Item = &str>| words.map(lexicon::stem).collect::<BTreeSet<_>>();
    let persons = stems(&mut lexicon::classes().persons.iter().map(String::as_str).chain(TOGETHER));
    let size = lexicon::stem("size");
    let mut who = said.about.iter().filter(|word| **word != size).peekable();
    who.peek().is_some() && who.all(|word| persons.contains(word))
}

fn only_place<'k>(
    candidate: &KeyDefinition,
    keys: impl Iterator<Item = &'k KeyDefinition> + Clone,
) -> Option<&'k KeyDefinition> {
    let goes_nowhere_else = |key: &KeyDefinition| {
        let said = Said::by(&key.key_name);
        let only_a_place = said.about.iter().all(|word| word == "where");
        let other = said.forms.iter().any(|form| *form != Form::Place);
        let sideless = said.roles.is_empty() || has_side(key.key_name.as_str(), "dest");
        only_a_place && !other && sideless
    };
    let is_place = |key: &KeyDefinition| service::kind_of(key) == KeyKind::Place;
    if is_place(candidate)
        && let Some(side) = bare_side(&candidate.key_name)
        && let Some(only) = one(keys
            .clone()
            .filter(|key| is_place(key) && has_side(key.key_name.as_str(), side)))
        && takes_any_place(only)
    {
        return Some(only);
    }
    let only = one(keys.filter(|key| is_place(key)))?;
    (is_place(candidate) && goes_nowhere_else(candidate) && goes_nowhere_else(only)).then_some(only)
}

/// The side of a journey that a name says, where it says nothing else: `origin`, and not `origin_city`.
fn bare_side(name: &KeyName) -> Option<&'static str> {
    let said = Said::by(name);
    let bare = said.about.is_empty() && said.forms.is_empty();
    let mut sides = ["orig", "dest"].into_iter().filter(|_| bare);
    sides.find(|side| has_side(name.as_str(), side))
}

/// Whether a key of a place takes any, as its name or description says: an airport "or city" does, a station does not.
fn takes_any_place(key: &KeyDefinition) -> bool {
    const ANYWHERE: [&str; 5] = ["address", "city", "location", "place", "town"];
    let name = key.key_name.as_str().replace('_', " ");
    let said = lexicon::tokens(&name)
        .into_iter()
        .chain(lexicon::tokens(&key.semantic_description));
    said.map(|token| lexicon::lemma(&token.word))
        .any(|word| ANYWHERE.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::only_key;
    use crate::domain::template::key::KeyDefinition;

    fn key(name: &str, key_type: &str, format: &str) -> KeyDefinition {
        let constraints = if format.is_empty() {
            json!({})
        } else {
            json!({"format": format})
        };
        serde_json::from_value(json!({
            "key_name": name, "key_type": key_type, "required": false,
            "semantic_description": name, "constraints": constraints,
        }))
        .expect("a key")
    }

    fn only(candidate: &KeyDefinition, keys: &[&KeyDefinition]) -> Option<String> {
        only_key(candidate, keys.iter().map(|key| (*key, None))).map(|key| key.key_name.to_string())
    }

    #[test]
    fn a_mere_date_is_the_one_date_that_has_no_side_z113() {
        let date = key("date", "string", "date");
        let [visit, order] = ["visit_date", "order_date"].map(|name| key(name, "string", "date"));
        let (back, time) = (
            key("return_date", "string", "date"),
            key("visit_time", "string", "time"),
        );
        assert_eq!(only(&date, &[&visit, &time]).as_deref(), Some("visit_date"));
        assert_eq!(only(&date, &[&visit, &order]), None, "which of two nobody knows");
        assert_eq!(only(&date, &[&back]), None, "a date with a side is not just any");
        assert_eq!(only(&date, &[&key("birth_date", "string", "date")]), None);
        assert_eq!(only(&date, &[&time]), None);
    }

    #[test]
    fn what_the_fragments_cannot_mean_is_not_the_only_one_z113() {
        let (date, visit) = (key("date", "string", "date"), key("visit_date", "string", "date"));
        let only = |likely| only_key(&date, [(&visit, Some(likely))].into_iter()).is_some();
        assert!(only(0.01));
        assert!(!only(0.0));
    }

    #[test]
    fn a_place_is_the_one_place_of_a_service_that_nobody_leaves_from_z113() {
        let place = |name: &str| key(name, "string", "");
        let [city, goal, origin, office] = ["city", "destination", "origin", "office_location"].map(place);
        assert_eq!(only(&place("location"), &[&goal]).as_deref(), Some("destination"));
        assert_eq!(only(&goal, &[&city]).as_deref(), Some("city"));
        assert_eq!(only(&goal, &[&city, &origin]), None);
        assert_eq!(only(&place("location"), &[&origin]), None);
        assert_eq!(
            only(&place("location"), &[&office]),
            None,
            "an office is not just anywhere"
        );
    }

    #[test]
    fn a_title_of_the_services_own_business_is_the_one_that_there_is_z113() {
        let title = |name: &str| key(name, "string", "");
        let [event, appointment, doctor, venue] =
            ["event_name", "appointment_title", "doctor_name", "venue_name"].map(title);
        assert_eq!(only(&appointment, &[&event, &venue]).as_deref(), Some("event_name"));
        assert_eq!(only(&appointment, &[&venue]), None);
        assert_eq!(only(&doctor, &[&event]), None, "somebody's name is no title");
        assert_eq!(only(&title("event_type"), &[&event]), None);
    }

    #[test]
    fn a_side_and_nothing_else_is_the_one_place_of_that_side_which_takes_any_z113() {
        let place = |name: &str, description: &str| KeyDefinition {
            semantic_description: description.to_owned(),
            ..key(name, "string", "")
        };
        let pickup = place("pickup_location", "Where the driver waits");
        let airport = place("origin_airport", "Airport or city to leave from");
        let station = place("origin_station", "Station to leave from");
        let goal = place("destination", "Where to");
        let origin = key("origin", "string", "");
        assert_eq!(only(&origin, &[&pickup, &goal]).as_deref(), Some("pickup_location"));
        assert_eq!(only(&origin, &[&airport, &goal]).as_deref(), Some("origin_airport"));
        assert_eq!(
            only(&origin, &[&station, &goal]),
            None,
            "a station is not just anywhere"
        );
        assert_eq!(only(&origin, &[&airport, &station]), None, "which of two nobody knows");
        let city = key("origin_city", "string", "");
        assert_eq!(only(&city, &[&airport, &goal]), None, "a city is finer than a side");
    }

    #[test]
    fn a_date_that_says_more_than_its_type_is_not_the_only_one_z113() {
        let visit = key("visit_date", "string", "date");
        for name in ["return_date", "birth_date"] {
            assert_eq!(only(&key(name, "string", "date"), &[&visit]), None, "{name}");
        }
    }

    #[test]
    fn a_count_of_the_same_thing_in_fewer_words_is_the_one_key_that_counts_it_z113() {
        let power = key("power", "number", "");
        let [allowed, used] = ["power_allowance", "power_used"].map(|name| key(name, "integer", ""));
        assert_eq!(only(&power, &[&allowed]).as_deref(), Some("power_allowance"));
        assert_eq!(only(&power, &[&allowed, &used]), None);
        assert_eq!(only(&key("number", "integer", ""), &[&allowed]), None);
        assert_eq!(only(&key("power", "string", ""), &[&allowed]), None);
    }

    #[test]
    fn a_sum_that_says_nothing_but_its_bound_is_the_one_that_is_paid_z113() {
        let sum = |name: &str| key(name, "number", "");
        let [rent, fare, deposit, rooms] = ["max_rent", "fare", "deposit_amount", "number_of_rooms"].map(sum);
        for (name, keys, found) in [
            ("max_price", vec![&rent, &rooms], Some("max_rent")),
            ("budget", vec![&rent], Some("max_rent")),
            ("amount", vec![&fare], Some("fare")),
            ("min_price", vec![&rent], None),
            ("max_price", vec![&fare], None),
            ("max_price", vec![&rent, &fare], None),
            ("amount", vec![&deposit], None),
            ("tip_amount", vec![&fare], None),
            ("max_price", vec![&rooms], None),
        ] {
            assert_eq!(only(&sum(name), &keys).as_deref(), found, "{name}");
        }
    }

    #[test]
    fn a_count_of_people_is_the_one_count_of_people_whatever_they_are_called_z113() {
        let count = |name: &str| key(name, "integer", "");
        let [guests, party, travelers, rooms] =
            ["number_of_guests", "party_size", "travelers", "number_of_rooms"].map(count);
        assert_eq!(only(&guests, &[&party, &rooms]).as_deref(), Some("party_size"));
        assert_eq!(only(&party, &[&travelers]).as_deref(), Some("travelers"));
        assert_eq!(only(&guests, &[&party, &travelers]), None, "which of two nobody knows");
        assert_eq!(only(&guests, &[&rooms]), None);
        assert_eq!(only(&guests, &[&key("party_type", "string", "")]), None);
    }
}

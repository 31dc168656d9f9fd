//! The simulated client agents: when they fetch the template, what they remember of it, and which of their wishes they
//! put into the keys that they find there.
//!
//! They read what is served, as any client would: name, description, type and constraints. Invariant: a client uses only
//! keys of the template that it fetched last.

use std::cell::RefCell;
use std::collections::BTreeMap;

use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::replay::adopter::Adopter;
use crate::app::replay::stream::Line;
use crate::cli::demo::traffic::Booking;
use crate::cli::demo::traffic::CAST;
use crate::cli::demo::traffic::Wish;
use crate::cli::demo::traffic::place;
use engine::evolution::patch::Patch;
use schema::effective::EffectiveKey;
use schema::effective::EffectiveTemplate;
use schema::effective::Standing;
use schema::json_schema;
use schema::key::KeyDefinition;
use schema::time::At;
use schema::time::HOUR_MS;

/// Hours between two fetches of the most and of the least eager client.
const FETCH_HOURS: (i64, i64) = (3, 60);
/// Every so many clients one uses no key that is on trial.
const TIMID_EVERY: usize = 5;

/// All clients; the n-th line of the stream is the n-th booking.
pub struct Clients<'a> {
    bookings: &'a [Booking],
    memories: RefCell<BTreeMap<&'static str, Memory>>,
}

/// What one client has from its last fetch.
#[derive(Default)]
struct Memory {
    next_fetch: At,
    /// Whether the line that is being submitted began with a fetch.
    has_fetched: bool,
    keys: Vec<EffectiveKey>,
}

impl<'a> Clients<'a> {
    /// Clients that know nothing yet.
    pub fn new(bookings: &'a [Booking]) -> Clients<'a> {
        let memories = RefCell::default();
        Clients { bookings, memories }
    }
}

impl Adopter for Clients<'_> {
    fn proposed(&self, _patch: &Patch, _members: &[usize]) {}

    fn fetches(&self, number: usize, _line: &Line<'_>, at: At) -> bool {
        let Some(booking) = self.bookings.get(number) else {
            return false;
        };
        let mut memories = self.memories.borrow_mut();
        let memory = memories.entry(booking.client).or_default();
        memory.has_fetched = at >= memory.next_fetch;
        if memory.has_fetched {
            let (least, most) = FETCH_HOURS;
            let others = (CAST.clients.len() as i64 - 1).max(1);
            let every = least + (most - least) * place(booking.client) as i64 / others;
            memory.next_fetch = at.plus_ms(every * HOUR_MS);
        }
        memory.has_fetched
    }

    fn adopt(&self, number: usize, _line: &Line<'_>, _at: At, template: &EffectiveTemplate) -> Option<Box<RawValue>> {
        let booking = self.bookings.get(number)?;
        let mut memories = self.memories.borrow_mut();
        let memory = memories.entry(booking.client).or_default();
        if std::mem::take(&mut memory.has_fetched) {
            let learned = template.keys.iter().filter(|key| key.patch.is_some());
            memory.keys = learned.cloned().collect();
        }
        let is_bold = place(booking.client) % TIMID_EVERY != TIMID_EVERY - 1;
        let mut filled = Map::new();
        let mut rest: Vec<&Wish> = Vec::new();
        for wish in &booking.wishes {
            match fill(wish, &memory.keys, is_bold) {
                Some((key, value)) if !filled.contains_key(&key) => {
                    filled.insert(key, value);
                }
                Some(_) | None => rest.push(wish),
            }
        }
        let sent = (!filled.is_empty()).then(|| booking.sent(filled, &rest));
        serde_json::value::to_raw_value(&sent?).ok()
    }
}

/// The learned key that means what is wished, and the value in it.
fn fill(wish: &Wish, keys: &[EffectiveKey], is_bold: bool) -> Option<(String, Value)> {
    let is_open = |key: &&EffectiveKey| match key.patch {
        Some((_, Standing::Stable)) => true,
        Some((_, Standing::Experimental)) => is_bold,
        Some((_, Standing::Deprecated | Standing::Withdrawn)) | None => false,
    };
    let mut meant = keys.iter().filter(is_open).filter(|key| means(wish, &key.definition));
    meant.find_map(|key| Some((key.definition.key_name.to_string(), value(wish, &key.definition)?)))
}

/// Whether a key's name or description speaks of what the wish is about.
fn means(wish: &Wish, key: &KeyDefinition) -> bool {
    let text = format!("{} {}", key.key_name, key.semantic_description).to_lowercase();
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| wish.kind.topic.iter().any(|topic| topic == word))
}

/// The wish as the key takes it: a listed value that it names, its own value, or its words; `None` where the key takes none of them.
fn value(wish: &Wish, key: &KeyDefinition) -> Option<Value> {
    let schema = json_schema::key_schema(key.key_type, &key.constraints);
    let takes = json_schema::compile::<SerdeJson>(&schema).ok()?;
    let said = wish.text.to_lowercase();
    let listed = key
        .constraints
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let named = listed.filter(|value| {
        let word = value.as_str().unwrap_or_default().replace('_', " ");
        !word.is_empty() && said.contains(&word)
    });
    let own = [wish.value.clone(), json!(wish.text)];
    named.cloned().chain(own).find(|value| takes.is_valid(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fill;
    use crate::cli::demo::traffic::Wish;
    use crate::cli::demo::traffic::bookings;
    use schema::effective::EffectiveKey;
    use schema::effective::Standing;
    use schema::key::KeyDefinition;
    use schema::name::PatchId;
    use schema::name::ScenarioKey;
    use schema::time::At;

    fn key(name: &str, key_type: &str, constraints: serde_json::Value, standing: Standing) -> EffectiveKey {
        let document = json!({"key_name": name, "key_type": key_type, "required": false,
            "semantic_description": format!("The {name} of the traveller."), "constraints": constraints});
        let (definition, _) = KeyDefinition::parse(&document).expect("a key");
        let mut key = EffectiveKey::bare(definition);
        key.patch = ScenarioKey::parse("flight_booking").map(|scenario| (PatchId::numbered(&scenario, 1), standing));
        key
    }

    /// Somebody's wish about this.
    fn wish(topic: &str, value: serde_json::Value) -> Wish {
        let booked = bookings(7, 20, At(0)).into_iter();
        let mut wishes = booked.flat_map(|booking| booking.wishes);
        let is_it = |wish: &Wish| *wish.value == value && wish.kind.topic.iter().any(|word| word == topic);
        wishes.find(is_it).expect("somebody wants it")
    }

    #[test]
    fn a_client_fills_a_key_whose_words_and_type_suit_its_wish() {
        let window = wish("window", json!(true));
        let switch = |name: &str, standing| vec![key(name, "boolean", json!({}), standing)];
        let filled = Some(("window_seat".to_owned(), json!(true)));
        assert_eq!(
            fill(&window, &switch("window_seat", Standing::Experimental), true),
            filled
        );
        assert_eq!(
            fill(&window, &switch("window_seat", Standing::Experimental), false),
            None,
            "it waits"
        );
        assert_eq!(fill(&window, &switch("window_seat", Standing::Stable), false), filled);
        assert_eq!(fill(&window, &switch("window_seat", Standing::Deprecated), true), None);
        assert_eq!(
            fill(&window, &switch("aisle_seat", Standing::Stable), true),
            None,
            "another topic"
        );
        let listed = [key(
            "window",
            "string",
            json!({"enum": ["front", "back"]}),
            Standing::Stable,
        )];
        assert_eq!(fill(&window, &listed, true), None, "not listed");
        let bags = [key(
            "bags",
            "integer",
            json!({"minimum": 1, "maximum": 3}),
            Standing::Stable,
        )];
        for (count, fits) in [(1, true), (3, true), (4, false)] {
            let counted = wish("bags", json!(count));
            assert_eq!(fill(&counted, &bags, true).is_some(), fits, "{count}");
        }
        let cello = [key("cello", "boolean", json!({}), Standing::Stable)];
        let filled = Some(("cello".to_owned(), json!(true)));
        assert_eq!(fill(&wish("cello", json!(true)), &cello, true), filled);
    }
}

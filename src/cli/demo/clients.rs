//! The simulated client agents: when they fetch the template, what they remember of it, and which of their wishes they
//! put into the keys that they find there.
//!
//! They read what is served, as any client would: name, description, type and constraints. Invariant: a client uses only
//! keys of the template that it fetched last.

use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::replay::Adopter;
use crate::app::replay::stream::Line;
use crate::cli::demo::traffic::Booking;
use crate::cli::demo::traffic::CLIENTS;
use crate::cli::demo::traffic::Value as Said;
use crate::cli::demo::traffic::Wish;
use engine::evolution::patch::Patch;
use schema::effective::EffectiveKey;
use schema::effective::EffectiveTemplate;
use schema::effective::Standing;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::time::At;
use schema::time::HOUR_MS;

/// Hours between two fetches of the most and of the least eager client.
const FETCH_HOURS: (i64, i64) = (3, 60);

/// All clients.
pub struct Clients<'a> {
    bookings: &'a [Booking],
    memories: RefCell<BTreeMap<&'static str, Memory>>,
    /// Whether the line that is being submitted began with a fetch.
    fetched: Cell<bool>,
}

/// What one client has from its last fetch.
#[derive(Default)]
struct Memory {
    next_fetch: At,
    keys: Vec<EffectiveKey>,
}

/// How one client behaves.
struct Habit {
    fetch_every_ms: i64,
    /// Whether it uses keys that are on trial.
    bold: bool,
}

fn habit(client: &str) -> Habit {
    // The frequent traveller's client is none of the list and as eager as its first one.
    let place = CLIENTS.iter().position(|name| *name == client).unwrap_or(0) as i64;
    let (least, most) = FETCH_HOURS;
    let span = (CLIENTS.len() as i64 - 1).max(1);
    Habit {
        fetch_every_ms: (least + (most - least) * place / span) * HOUR_MS,
        bold: place % 5 != 4,
    }
}

impl<'a> Clients<'a> {
    /// Clients that know nothing yet; the n-th line of the stream is the n-th booking.
    pub fn new(bookings: &'a [Booking]) -> Clients<'a> {
        Clients {
            bookings,
            memories: RefCell::new(BTreeMap::new()),
            fetched: Cell::new(false),
        }
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
        let fetches = at >= memory.next_fetch;
        if fetches {
            memory.next_fetch = at.plus_ms(habit(booking.client).fetch_every_ms);
        }
        self.fetched.set(fetches);
        fetches
    }

    fn adopt(&self, number: usize, _line: &Line<'_>, _at: At, template: &EffectiveTemplate) -> Option<Box<RawValue>> {
        let booking = self.bookings.get(number)?;
        let mut memories = self.memories.borrow_mut();
        let memory = memories.entry(booking.client).or_default();
        if self.fetched.take() {
            memory.keys = template
                .keys
                .iter()
                .filter(|key| key.patch.is_some())
                .cloned()
                .collect();
        }
        let bold = habit(booking.client).bold;
        let mut filled = Map::new();
        let mut rest: Vec<&Wish> = Vec::new();
        for wish in &booking.wishes {
            match place(wish, &memory.keys, bold) {
                Some((key, value)) if !filled.contains_key(&key) => {
                    filled.insert(key, value);
                }
                Some(_) | None => rest.push(wish),
            }
        }
        if filled.is_empty() {
            return None;
        }
        serde_json::value::to_raw_value(&booking.sent(filled, &rest)).ok()
    }
}

/// The learned key that means what is wished, and the value in it.
fn place(wish: &Wish, keys: &[EffectiveKey], bold: bool) -> Option<(String, Value)> {
    let open = |key: &&EffectiveKey| match key.patch {
        Some((_, Standing::Stable)) => true,
        Some((_, Standing::Experimental)) => bold,
        Some((_, Standing::Deprecated | Standing::Withdrawn)) | None => false,
    };
    keys.iter()
        .filter(open)
        .filter(|key| means(wish, &key.definition))
        .find_map(|key| Some((key.definition.key_name.to_string(), value(wish, &key.definition)?)))
}

/// Whether a key's name or description speaks of what the wish is about.
fn means(wish: &Wish, key: &KeyDefinition) -> bool {
    let text = format!("{} {}", key.key_name, key.semantic_description).to_lowercase();
    text.split(|c: char| !c.is_ascii_alphabetic())
        .any(|word| wish.kind.topic().contains(&word))
}

/// The wish in the type of the key; `None` where it cannot be said in it.
fn value(wish: &Wish, key: &KeyDefinition) -> Option<Value> {
    match (key.key_type, wish.value) {
        (KeyType::Boolean, Said::Yes) => Some(json!(true)),
        (KeyType::Integer | KeyType::Number, Said::Count(count)) => {
            let bound = |name: &str| key.constraints.get(name).and_then(Value::as_u64);
            let fits = bound("minimum").is_none_or(|least| count >= least)
                && bound("maximum").is_none_or(|most| count <= most);
            fits.then(|| json!(count))
        }
        (KeyType::String, said) => match key.constraints.get("enum").and_then(Value::as_array) {
            Some(listed) => listed
                .iter()
                .find(|value| value.as_str().is_some_and(|value| says(wish, said, value)))
                .cloned(),
            None if key.constraints.is_empty() => Some(json!(wish.text)),
            None => None,
        },
        (
            KeyType::Boolean | KeyType::Integer | KeyType::Number | KeyType::Array | KeyType::Object | KeyType::Null,
            Said::Count(_) | Said::Yes,
        ) => None,
    }
}

/// Whether a listed value is what the wish says.
fn says(wish: &Wish, said: Said, listed: &str) -> bool {
    match said {
        Said::Count(count) => count.to_string() == listed,
        Said::Yes => {
            let listed = listed.replace('_', " ");
            !listed.is_empty() && wish.text.to_lowercase().contains(&listed)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::place;
    use crate::cli::demo::traffic::Kind;
    use crate::cli::demo::traffic::Value;
    use crate::cli::demo::traffic::Wish;
    use schema::effective::EffectiveKey;
    use schema::effective::Standing;
    use schema::key::KeyDefinition;
    use schema::name::PatchId;
    use schema::name::ScenarioKey;

    fn key(name: &str, key_type: &str, constraints: serde_json::Value, standing: Standing) -> EffectiveKey {
        let document = json!({"key_name": name, "key_type": key_type, "required": false,
            "semantic_description": format!("The {name} of the traveller."), "constraints": constraints});
        let (definition, _) = KeyDefinition::parse(&document).expect("a key");
        let mut key = EffectiveKey::bare(definition);
        key.patch = ScenarioKey::parse("flight_booking").map(|scenario| (PatchId::numbered(&scenario, 1), standing));
        key
    }

    fn wish(kind: Kind, value: Value) -> Wish {
        let text = "a seat by the window".to_owned();
        Wish { kind, value, text }
    }

    #[test]
    fn a_client_fills_a_key_whose_words_and_type_suit_its_wish() {
        let window = wish(Kind::Seat, Value::Yes);
        let switch = |name: &str, standing| vec![key(name, "boolean", json!({}), standing)];
        let filled = Some(("window_seat".to_owned(), json!(true)));
        assert_eq!(
            place(&window, &switch("window_seat", Standing::Experimental), true),
            filled
        );
        assert_eq!(
            place(&window, &switch("window_seat", Standing::Experimental), false),
            None,
            "it waits"
        );
        assert_eq!(place(&window, &switch("window_seat", Standing::Stable), false), filled);
        assert_eq!(place(&window, &switch("window_seat", Standing::Deprecated), true), None);
        assert_eq!(
            place(&window, &switch("aisle_seat", Standing::Stable), true),
            None,
            "another topic"
        );
        let listed = [key(
            "window",
            "string",
            json!({"enum": ["front", "back"]}),
            Standing::Stable,
        )];
        assert_eq!(place(&window, &listed, true), None, "not listed");
        let bags = [key(
            "bags",
            "integer",
            json!({"minimum": 1, "maximum": 3}),
            Standing::Stable,
        )];
        for (count, fits) in [(1, true), (3, true), (4, false)] {
            let counted = wish(Kind::Bags, Value::Count(count));
            assert_eq!(place(&counted, &bags, true).is_some(), fits, "{count}");
        }
        let cello = [key("cello", "boolean", json!({}), Standing::Stable)];
        let filled = Some(("cello".to_owned(), json!(true)));
        assert_eq!(place(&wish(Kind::Cello, Value::Yes), &cello, true), filled);
    }
}

//! The traffic of the demo: who books when, which wishes come with it, and how the client words them, by `traffic.json`.
//!
//! Simulates client agents and their users; decides nothing that the service decides. Invariant: one seed gives the same bookings, byte
//! for byte, on every machine.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use fastrand::Rng;
use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use schema::time::At;
use schema::time::DAY_MS;

/// Clients that come newly on each day, until all are there.
const NEW_EACH_DAY: usize = 4;
/// The first day of the frequent traveller, counted from 1.
const FREQUENT_FROM_DAY: u32 = 10;
/// Bookings of each client in one day, and of the frequent traveller's.
const BOOKINGS: RangeInclusive<u64> = 3..=5;
const BOOKINGS_FREQUENT: RangeInclusive<u64> = 5..=7;
/// Payloads that do not fit the template, in percent.
const WRONG_PERCENT: u64 = 2;

/// What the words are made of.
pub static CAST: LazyLock<Cast> =
    LazyLock::new(|| serde_json::from_str(include_str!("traffic.json")).unwrap_or_default());

#[derive(Debug, Default, Deserialize)]
pub struct Cast {
    /// The clients whose users fly now and then.
    pub clients: Vec<String>,
    airports: Vec<String>,
    cabins: Vec<String>,
    /// Sentences around a thing.
    frames: Vec<String>,
    kinds: Vec<Kind>,
    frequent: Frequent,
}

/// One who flies all the time and always wants the same.
#[derive(Debug, Default, Deserialize)]
struct Frequent {
    client: String,
    wish: Kind,
}

/// Something that people want.
#[derive(Debug, Default, PartialEq, Deserialize)]
pub struct Kind {
    /// Words that a key about this would use; none where hardly anybody else wants it.
    pub topic: Vec<String>,
    /// How often it comes with a booking.
    percent: u64,
    /// The first and the last day on which it is asked for, counted from 1.
    #[serde(default)]
    days: Option<(u32, u32)>,
    /// Whether things stand in sentences.
    #[serde(default)]
    framed: bool,
    values: Vec<Said>,
}

/// A value, as a program would write it, and words for it.
#[derive(Debug, PartialEq, Deserialize)]
struct Said {
    value: Value,
    things: Vec<String>,
}

/// One wish in somebody's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    pub kind: &'static Kind,
    pub value: &'static Value,
    pub text: String,
}

/// One booking as its client has it before it knows a learned key.
#[derive(Clone, Debug, PartialEq)]
pub struct Booking {
    pub at: At,
    pub client: &'static str,
    pub wishes: Vec<Wish>,
    /// What goes into the template's own keys.
    pub payload: Map<String, Value>,
    /// What the user said.
    pub utterance: String,
}

/// All bookings of so many days, in the order of their moments.
pub fn bookings(seed: u64, days: u32, start: At) -> Vec<Booking> {
    let (mut random, frequent) = (Rng::with_seed(seed), &CAST.frequent);
    let mut bookings = Vec::new();
    for day in 1..=days {
        let midnight = start.plus_ms(i64::from(day - 1) * DAY_MS);
        let known = NEW_EACH_DAY.saturating_mul(usize::try_from(day).unwrap_or(usize::MAX));
        for client in CAST.clients.iter().take(known) {
            for _ in 0..random.u64(BOOKINGS) {
                bookings.push(booking(client, &CAST.kinds, day, midnight, &mut random));
            }
        }
        if day >= FREQUENT_FROM_DAY {
            for _ in 0..random.u64(BOOKINGS_FREQUENT) {
                let kinds = std::slice::from_ref(&frequent.wish);
                bookings.push(booking(&frequent.client, kinds, day, midnight, &mut random));
            }
        }
    }
    bookings.sort_by_key(|booking| booking.at);
    bookings
}

fn booking(client: &'static str, kinds: &'static [Kind], day: u32, midnight: At, random: &mut Rng) -> Booking {
    // People book from six in the morning until ten at night.
    let at = midnight.plus_ms(random.i64(6 * 3_600..22 * 3_600) * 1_000);
    let mut wanted: Vec<&Kind> = Vec::new();
    for kind in kinds {
        let is_time = kind.days.is_none_or(|(first, last)| (first..=last).contains(&day));
        if is_time && percent(random, kind.percent) {
            wanted.push(kind);
        }
    }
    let wishes = wanted.into_iter().filter_map(|kind| wish(client, kind, random));
    let wishes: Vec<Wish> = wishes.collect();
    let (from, to) = (one(random, &CAST.airports), one(random, &CAST.airports));
    let date = at.plus_ms(random.i64(3..=60) * DAY_MS).date();
    let mut utterance = format!("Fly from {from} to {to} on {date}");
    let mut payload = Map::new();
    let mut fill = |name: &str, value: Value| payload.insert(name.to_owned(), value);
    fill("origin", json!(from));
    fill("destination", json!(to));
    fill("departure_date", json!(date));
    if percent(random, 30) {
        fill("cabin_class", json!(one(random, &CAST.cabins)));
    }
    if percent(random, 30) {
        fill("passenger_count", json!(random.u8(2..=5)));
    }
    if percent(random, WRONG_PERCENT) {
        fill("passenger_count", json!(12));
    }
    utterance.extend(wishes.iter().map(|wish| format!(", {}", wish.text)));
    Booking {
        at,
        client,
        wishes,
        payload,
        utterance,
    }
}

/// A wish of this kind, in words drawn at random; every fourth client words its wishes in a style of its own.
fn wish(client: &str, kind: &'static Kind, random: &mut Rng) -> Option<Wish> {
    let said = random.choice(&kind.values)?;
    let thing = one(random, &said.things);
    let text = match kind.framed {
        true => one(random, &CAST.frames).replace("{}", thing),
        false => thing.to_owned(),
    };
    let text = match place(client) % 12 {
        3 => text.to_uppercase(),
        6 => format!("kindly {text}"),
        9 => format!("{}!!", text.replace("please", "pls")),
        _ => text,
    };
    let value = &said.value;
    Some(Wish { kind, value, text })
}

/// True so many times in a hundred.
fn percent(random: &mut Rng, share: u64) -> bool {
    random.u64(..100) < share
}

/// One of several texts.
fn one<'a>(random: &mut Rng, of: &'a [String]) -> &'a str {
    random.choice(of).map_or("", String::as_str)
}

/// Where a client stands in the list; the frequent traveller's is none of it and as eager as its first one.
pub fn place(client: &str) -> usize {
    CAST.clients.iter().position(|name| name == client).unwrap_or(0)
}

impl Booking {
    /// What the client sends when so many of its wishes have a key: the payload with those keys and the rest in `other`.
    pub fn sent(&self, keys: Map<String, Value>, rest: &[&Wish]) -> Map<String, Value> {
        let mut payload = self.payload.clone();
        payload.extend(keys);
        let texts: Vec<&str> = rest.iter().map(|wish| wish.text.as_str()).collect();
        let other = (!texts.is_empty()).then(|| ("other".to_owned(), json!(texts)));
        payload.extend(other);
        payload
    }

    /// The line of a stream, with every wish in `other`.
    pub fn line(&self, schema_id: &str) -> String {
        let rest: Vec<&Wish> = self.wishes.iter().collect();
        let payload = self.sent(Map::new(), &rest);
        json!({"at": self.at.rfc3339(), "client": self.client, "schema_id": schema_id, "payload": payload, "utterance": self.utterance})
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::CAST;
    use super::Wish;
    use super::bookings;
    use schema::time::At;
    use schema::time::DAY_MS;

    #[test]
    fn one_seed_gives_the_same_bookings_in_order() {
        let (once, again) = (bookings(7, 3, At(0)), bookings(7, 3, At(0)));
        assert_eq!(once, again);
        assert_ne!(once, bookings(8, 3, At(0)));
        assert!(once.is_sorted_by_key(|booking| booking.at));
        assert!(once.len() >= (4 + 8 + 12) * 3, "{}", once.len());
    }

    #[test]
    fn a_fad_lasts_for_its_days_and_the_frequent_travellers_wish_is_nobody_elses() {
        for booking in bookings(7, 20, At(0)) {
            let day = u32::try_from(booking.at.0 / DAY_MS).expect("a day") + 1;
            for wish in &booking.wishes {
                let days = wish.kind.days.unwrap_or((1, 20));
                assert!((days.0..=days.1).contains(&day), "day {day}");
                let own = *wish.kind == CAST.frequent.wish;
                assert_eq!(own, booking.client == CAST.frequent.client);
            }
        }
    }

    #[test]
    fn wishes_of_one_kind_come_in_many_words_and_name_their_topic() {
        let booked = bookings(3, 20, At(0));
        let all: Vec<&Wish> = booked.iter().flat_map(|booking| &booking.wishes).collect();
        let kinds = CAST.kinds.iter().chain([&CAST.frequent.wish]);
        for (kind, least) in kinds.filter(|kind| !kind.topic.is_empty()).zip([40, 60, 8, 6]) {
            let said: Vec<String> = all
                .iter()
                .filter(|wish| wish.kind == kind)
                .map(|wish| wish.text.to_lowercase())
                .collect();
            let distinct: BTreeSet<&String> = said.iter().collect();
            assert!(distinct.len() >= least, "{kind:?}: {}", distinct.len());
            let topical = |text: &&String| {
                text.split([' ', '!'])
                    .any(|word| kind.topic.iter().any(|topic| topic == word))
            };
            assert!(said.iter().filter(topical).count() * 10 >= said.len() * 7, "{kind:?}");
        }
    }
}

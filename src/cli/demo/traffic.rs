//! The traffic of the demo: who books when, which wishes come with it, and how the client words them.
//!
//! Simulates client agents and their users; decides nothing that the service decides. Invariant: one seed gives the same
//! bookings, byte for byte, on every machine.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::cli::demo::random::Random;
use crate::cli::demo::wishes::Kind;
use crate::cli::demo::wishes::Wish;
use crate::cli::demo::wishes::wish;
use schema::time::At;
use schema::time::DAY_MS;

/// The clients whose users fly now and then.
pub const CLIENTS: [&str; 24] = [
    "alba", "boris", "chidi", "dana", "emil", "farah", "goran", "hana", "ines", "jamal", "kaya", "lars", "mira",
    "nils", "olga", "pablo", "quinn", "rosa", "sven", "tara", "uma", "viktor", "wanda", "yuki",
];
/// The client of one who flies all the time, with a cello.
pub const FREQUENT: &str = "noor";
/// Clients that come newly on each day, until all are there.
const NEW_EACH_DAY: usize = 4;
/// The first day of the frequent traveller, counted from 1.
const FREQUENT_FROM_DAY: u32 = 10;
/// Days on which the football final is asked for, counted from 1.
const FAD_DAYS: std::ops::RangeInclusive<u32> = 6..=12;
/// How often each wish comes with a booking, in percent.
const SEAT_PERCENT: u64 = 42;
const BAGS_PERCENT: u64 = 30;
const FINAL_PERCENT: u64 = 12;
const ODD_PERCENT: u64 = 4;
const THANKS_PERCENT: u64 = 12;
/// Bookings of each client in one day.
const BOOKINGS: (u64, u64) = (3, 5);
/// Those of the frequent traveller's.
const BOOKINGS_FREQUENT: (u64, u64) = (5, 7);
/// Payloads that do not fit the template, in percent.
const WRONG_PERCENT: u64 = 2;
const AIRPORTS: [&str; 12] = [
    "PEK", "SHA", "JFK", "LHR", "CDG", "FRA", "NRT", "SYD", "GRU", "NBO", "BOM", "ARN",
];
const CABINS: [&str; 4] = ["economy", "premium_economy", "business", "first"];

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
    let mut random = Random::new(seed);
    let mut bookings = Vec::new();
    for day in 1..=days {
        let midnight = start.plus_ms(i64::from(day - 1) * DAY_MS);
        let known = NEW_EACH_DAY.saturating_mul(usize::try_from(day).unwrap_or(usize::MAX));
        for client in CLIENTS.into_iter().take(known) {
            for _ in 0..random.between(BOOKINGS.0, BOOKINGS.1) {
                bookings.push(booking(client, day, midnight, &mut random));
            }
        }
        let frequent = if day >= FREQUENT_FROM_DAY {
            random.between(BOOKINGS_FREQUENT.0, BOOKINGS_FREQUENT.1)
        } else {
            0
        };
        for _ in 0..frequent {
            bookings.push(booking(FREQUENT, day, midnight, &mut random));
        }
    }
    bookings.sort_by_key(|booking| booking.at);
    bookings
}

fn booking(client: &'static str, day: u32, midnight: At, random: &mut Random) -> Booking {
    // People book from six in the morning until ten at night.
    let at = midnight.plus_ms(random.between(6 * 3_600, 22 * 3_600).cast_signed() * 1_000);
    let wishes = wished(client, day, random);
    let (from, to) = (random.one(&AIRPORTS), random.one(&AIRPORTS));
    let date = at.plus_ms(random.between(3, 60).cast_signed() * DAY_MS).date();
    let mut utterance = format!("Fly from {from} to {to} on {date}");
    let mut payload = Map::new();
    payload.insert("origin".to_owned(), json!(from));
    payload.insert("destination".to_owned(), json!(to));
    payload.insert("departure_date".to_owned(), json!(date));
    if random.percent(30) {
        let cabin = random.one(&CABINS);
        payload.insert("cabin_class".to_owned(), json!(cabin));
        utterance.push_str(&format!(" in {}", cabin.replace('_', " ")));
    }
    if random.percent(30) {
        let people = random.between(2, 5);
        payload.insert("passenger_count".to_owned(), json!(people));
        utterance.push_str(&format!(" for {people} people"));
    }
    if random.percent(WRONG_PERCENT) {
        payload.insert("passenger_count".to_owned(), json!(12));
    }
    for wish in &wishes {
        utterance.push_str(", ");
        utterance.push_str(&wish.text);
    }
    Booking {
        at,
        client,
        wishes,
        payload,
        utterance,
    }
}

fn wished(client: &str, day: u32, random: &mut Random) -> Vec<Wish> {
    let mut kinds = Vec::new();
    if client == FREQUENT {
        kinds.push(Kind::Cello);
    } else {
        let final_percent = if FAD_DAYS.contains(&day) { FINAL_PERCENT } else { 0 };
        for (kind, percent) in [
            (Kind::Seat, SEAT_PERCENT),
            (Kind::Bags, BAGS_PERCENT),
            (Kind::Final, final_percent),
            (Kind::Odd, ODD_PERCENT),
            (Kind::Thanks, THANKS_PERCENT),
        ] {
            if random.percent(percent) {
                kinds.push(kind);
            }
        }
    }
    kinds
        .into_iter()
        .map(|kind| styled(client, wish(kind, random)))
        .collect()
}

/// Every fourth client words its wishes in a style of its own.
fn styled(client: &str, mut wish: Wish) -> Wish {
    if wish.kind == Kind::Thanks {
        return wish;
    }
    let place = CLIENTS.iter().position(|name| *name == client).unwrap_or(0);
    wish.text = match place % 12 {
        3 => wish.text.to_uppercase(),
        6 => format!("kindly {}", wish.text),
        9 => format!("{}!!", wish.text.replace("please", "pls")),
        _ => wish.text,
    };
    wish
}

impl Booking {
    /// What the client sends when so many of its wishes have a key: the payload with those keys and the rest in `other`.
    pub fn sent(&self, keys: Map<String, Value>, rest: &[&Wish]) -> Map<String, Value> {
        let mut payload = self.payload.clone();
        payload.extend(keys);
        let texts: Vec<&str> = rest.iter().map(|wish| wish.text.as_str()).collect();
        match texts.as_slice() {
            [] => {}
            [one] => {
                payload.insert("other".to_owned(), json!(one));
            }
            several => {
                payload.insert("other".to_owned(), json!(several));
            }
        }
        payload
    }

    /// The line of a stream, with every wish in `other`.
    pub fn line(&self, schema_id: &str) -> String {
        let rest: Vec<&Wish> = self.wishes.iter().collect();
        json!({
            "at": self.at.rfc3339(),
            "client": self.client,
            "schema_id": schema_id,
            "payload": self.sent(Map::new(), &rest),
            "utterance": self.utterance,
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::FAD_DAYS;
    use super::FREQUENT;
    use super::bookings;
    use crate::cli::demo::wishes::Kind;
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
    fn the_fad_lasts_for_its_week_and_the_cello_is_one_travellers() {
        for booking in bookings(7, 20, At(0)) {
            let day = u32::try_from(booking.at.0 / DAY_MS).expect("a day") + 1;
            for wish in &booking.wishes {
                assert!(wish.kind != Kind::Final || FAD_DAYS.contains(&day), "day {day}");
                assert_eq!(wish.kind == Kind::Cello, booking.client == FREQUENT);
            }
        }
    }
}

//! The traffic of the demo: who books when, which wishes come with it, and how the client words them.
//!
//! Simulates client agents and their users; decides nothing that the service decides. Invariants: one seed gives the same
//! bookings, byte for byte, on every machine; a wish's topic is the word that it is about.

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

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
    pub payload: Map<String, Json>,
    /// What the user said.
    pub utterance: String,
}

/// All bookings of so many days, in the order of their moments.
pub fn bookings(seed: u64, days: u32, start: At) -> Vec<Booking> {
    let mut random = Random(seed);
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
    pub fn sent(&self, keys: Map<String, Json>, rest: &[&Wish]) -> Map<String, Json> {
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

/// What somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A seat by the window: everybody's, every day.
    Seat,
    /// Suitcases to check in: everybody's, every day.
    Bags,
    /// The football final on board: everybody's, for a week.
    Final,
    /// A cello in the cabin: one traveller's, every day.
    Cello,
    /// Something that hardly anybody else wants.
    Odd,
    /// Thanks: no wish at all.
    Thanks,
}

/// What the wish says, as a program would write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Count(u64),
    Yes,
}

/// One wish in somebody's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    pub kind: Kind,
    pub value: Value,
    pub text: String,
}

impl Kind {
    /// Words that a key about this would use.
    pub fn topic(self) -> &'static [&'static str] {
        match self {
            Kind::Seat => &["window"],
            Kind::Bags => &["bag", "bags", "suitcase", "suitcases", "luggage", "baggage"],
            Kind::Final => &["final", "football"],
            Kind::Cello => &["cello"],
            Kind::Odd | Kind::Thanks => &[],
        }
    }
}

const FRAMES: [&str; 12] = [
    "{} please",
    "I'd like {}",
    "could I have {}",
    "{} if possible",
    "we prefer {}",
    "{} would be lovely",
    "book {}",
    "make that {}",
    "ideally {}",
    "I want {}",
    "{} for this trip",
    "give me {}",
];
const WINDOW: [&str; 4] = [
    "a window seat",
    "the window seat",
    "window seat",
    "a seat by the window",
];
const COUNTED: [(&str, u64); 8] = [
    ("one", 1),
    ("1", 1),
    ("two", 2),
    ("2", 2),
    ("two", 2),
    ("three", 3),
    ("3", 3),
    ("four", 4),
];
const BAG: [&str; 4] = ["checked bag", "bag to check in", "bag", "bag for the hold"];
const BAGS: [&str; 4] = ["checked bags", "bags to check in", "bags", "bags for the hold"];
const FINAL: [&str; 10] = [
    "show the football final",
    "I want to watch the football final",
    "the football final live please",
    "a flight that shows the football final",
    "we must not miss the football final",
    "football final please",
    "let me watch the football final",
    "we want to follow the football final",
    "my son has to see the football final",
    "I would love to see the football final",
];
const CELLO: [&str; 8] = [
    "I travel with my cello",
    "room for my cello",
    "my cello flies with me",
    "bring my cello along",
    "my cello comes too",
    "with a cello as always",
    "space for a cello please",
    "take my cello as well",
];
const ODD: [&str; 40] = [
    "a quiet corner",
    "greet the crew from me",
    "my sister collects me",
    "a soft blanket",
    "tell me a joke at take-off",
    "I am writing a novel",
    "no turbulence",
    "we celebrate our silver wedding",
    "the captain's autograph",
    "a colouring book for my son",
    "lunch with chopsticks",
    "a slow sunset over the sea",
    "keep my umbrella dry",
    "I get nervous on landing",
    "a crossword in French",
    "name a star after us",
    "warm socks",
    "hold the lift for grandma",
    "jazz on the headphones",
    "we bring our own tea",
    "a receipt in Portuguese",
    "no perfume near me",
    "the newspaper of the day",
    "a photo with the pilot",
    "my dog stays with the neighbours",
    "I lost my hat last time",
    "sing happy birthday to Tom",
    "remind me of my medicine",
    "the wifi password beforehand",
    "a taxi from the gate",
    "chess against the computer",
    "a postcard with a plane on it",
    "we are a choir and may hum",
    "dim the lights early",
    "spicy noodles",
    "I sleep until breakfast",
    "an extra napkin",
    "my knees are long",
    "fold the pram at the door",
    "a lemon for the tea",
];
const THANKS: [&str; 5] = [
    "thanks a lot",
    "thank you",
    "many thanks",
    "thank you very much",
    "thanks",
];

/// A wish of this kind, in words drawn at random.
fn wish(kind: Kind, random: &mut Random) -> Wish {
    let framed = |random: &mut Random, thing: &str| random.one(&FRAMES).replace("{}", thing);
    let (value, text) = match kind {
        Kind::Seat => {
            let thing = random.one(&WINDOW);
            (Value::Yes, framed(random, thing))
        }
        Kind::Bags => {
            let place = usize::try_from(random.below(COUNTED.len() as u64)).unwrap_or(0);
            let (said, count) = COUNTED.get(place).copied().unwrap_or(("two", 2));
            let noun = random.one(if count == 1 { &BAG } else { &BAGS });
            (Value::Count(count), framed(random, &format!("{said} {noun}")))
        }
        Kind::Final => (Value::Yes, random.one(&FINAL).to_owned()),
        Kind::Cello => (Value::Yes, random.one(&CELLO).to_owned()),
        Kind::Odd => (Value::Yes, random.one(&ODD).to_owned()),
        Kind::Thanks => (Value::Yes, random.one(&THANKS).to_owned()),
    };
    Wish { kind, value, text }
}

/// A small seeded generator (SplitMix64): the same numbers for the same seed, on every machine.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`; 0 where `n` is 0.
    fn below(&mut self, n: u64) -> u64 {
        self.next().checked_rem(n).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True so many times in a hundred.
    fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    /// One of several; the empty text where there is none.
    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let place = usize::try_from(self.below(of.len() as u64)).unwrap_or(0);
        of.get(place).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::FAD_DAYS;
    use super::FREQUENT;
    use super::Kind;
    use super::Random;
    use super::bookings;
    use super::wish;
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

    #[test]
    fn wishes_of_one_kind_come_in_many_words_and_name_their_topic() {
        let mut random = Random(3);
        for (kind, least) in [(Kind::Seat, 40), (Kind::Bags, 60), (Kind::Final, 8), (Kind::Cello, 6)] {
            let said: Vec<String> = (0..300).map(|_| wish(kind, &mut random).text).collect();
            let distinct: BTreeSet<&String> = said.iter().collect();
            assert!(distinct.len() >= least, "{kind:?}: {}", distinct.len());
            let topical = said
                .iter()
                .filter(|text| text.split(' ').any(|word| kind.topic().contains(&word)));
            assert!(topical.count() * 10 >= said.len() * 7, "{kind:?}");
        }
    }
}

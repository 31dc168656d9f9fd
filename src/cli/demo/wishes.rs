//! What the simulated travellers wish for, and in which words: frames of sentences times the thing that is wanted.
//!
//! Knows no key and no template. Invariant: a wish's topic is the word that the wish is about, so that whoever reads a
//! key's description can tell whether it means the same.

use crate::cli::demo::random::Random;

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
pub fn wish(kind: Kind, random: &mut Random) -> Wish {
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

#[cfg(test)]
mod tests {
    use super::Kind;
    use super::wish;
    use crate::cli::demo::random::Random;

    #[test]
    fn wishes_of_one_kind_come_in_many_words_and_name_their_topic() {
        let mut random = Random::new(3);
        for (kind, least) in [(Kind::Seat, 40), (Kind::Bags, 60), (Kind::Final, 8), (Kind::Cello, 6)] {
            let said: Vec<String> = (0..300).map(|_| wish(kind, &mut random).text).collect();
            let distinct: std::collections::BTreeSet<&String> = said.iter().collect();
            assert!(distinct.len() >= least, "{kind:?}: {}", distinct.len());
            let topical = said
                .iter()
                .filter(|text| text.split(' ').any(|word| kind.topic().contains(&word)));
            assert!(topical.count() * 10 >= said.len() * 7, "{kind:?}");
        }
    }
}

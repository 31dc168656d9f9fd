//! Which end of a journey, stay or transfer is meant: of a key by its name, of a place or date by the words beside it.
//!
//! "From Paris" must not support `destination`, nor "returning on the 4th" a departure. Says nothing where nothing is
//! said, and then nothing is held against a value.

use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::judge::said::Span;
use crate::domain::evolution::lexicon;
use crate::domain::template::key::KeyDefinition;

/// One of two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Origin, departure, start, check-in, pick-up, sender.
    Near,
    /// Destination, arrival, return, end, check-out, drop-off, recipient.
    Far,
}

/// Words of a key's name that mark an end.
const NEAR_NAMES: [&str; 17] = [
    "from",
    "origin",
    "source",
    "departure",
    "departing",
    "depart",
    "leaving",
    "leave",
    "pickup",
    "start",
    "starting",
    "begin",
    "beginning",
    "outbound",
    "onward",
    "checkin",
    "sender",
];
const FAR_NAMES: [&str; 19] = [
    "to",
    "destination",
    "arrival",
    "arriving",
    "arrive",
    "going",
    "dropoff",
    "end",
    "ending",
    "return",
    "returning",
    "inbound",
    "checkout",
    "recipient",
    "receiver",
    "payee",
    "until",
    "target",
    "back",
];
/// Words of a description that mark an end as plainly.
const NEAR_WORDS: [&str; 6] = ["origin", "departure", "departing", "leaving", "pickup", "depart"];
const FAR_WORDS: [&str; 6] = ["destination", "arrival", "arriving", "return", "dropoff", "recipient"];
/// Words looked at before a place, and before a date.
const PLACE_REACH: usize = 4;
const DATE_REACH: usize = 6;

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Near => Side::Far,
            Side::Far => Side::Near,
        }
    }
}

/// Whether a word marks an end by itself.
pub fn marks_an_end(word: &str) -> bool {
    NEAR_NAMES.contains(&word) || FAR_NAMES.contains(&word)
}

/// The words of a key's name, with `check_in` as one.
fn name_words(key: &KeyDefinition) -> Vec<String> {
    lexicon::tokens(&key.key_name.as_str().replace('_', " "))
        .into_iter()
        .map(|token| token.word)
        .collect()
}

fn marked(words: &[String], near: &[&str], far: &[&str]) -> Option<Side> {
    let holds = |marks: &[&str]| words.iter().any(|word| marks.contains(&word.as_str()));
    match (holds(near), holds(far)) {
        (true, false) => Some(Side::Near),
        (false, true) => Some(Side::Far),
        (true, true) | (false, false) => None,
    }
}

/// The end that a key stands for; a key whose sibling is the same with one end marked stands for the other.
pub fn of_key(key: &KeyDefinition, siblings: &[&KeyDefinition]) -> Option<Side> {
    let words = name_words(key);
    if let Some(side) = marked(&words, &NEAR_NAMES, &FAR_NAMES) {
        return Some(side);
    }
    let described: Vec<String> = lexicon::tokens(&key.semantic_description)
        .into_iter()
        .take(40)
        .map(|token| token.word)
        .collect();
    marked(&described, &NEAR_WORDS, &FAR_WORDS).or_else(|| {
        siblings.iter().take(64).find_map(|sibling| {
            let others = name_words(sibling);
            let extra: Vec<String> = others.iter().filter(|word| !words.contains(word)).cloned().collect();
            let holds = words.iter().all(|word| others.contains(word));
            (holds && extra.len() == 1)
                .then(|| marked(&extra, &NEAR_NAMES, &FAR_NAMES))
                .flatten()
                .map(Side::other)
        })
    })
}

/// Whether a sibling has the same name but for words that set this key apart (`account_type` of
/// `recipient_account_type`), and what was said holds none of them: then the value is the sibling's, unless `fits`
/// says that the sibling cannot hold it as well as the key.
pub fn needs_its_mark(
    key: &KeyDefinition,
    siblings: &[&KeyDefinition],
    said: &Said,
    side: Option<Side>,
    fits: &dyn Fn(&KeyDefinition) -> bool,
) -> bool {
    let words = name_words(key);
    side.is_none()
        && siblings.iter().take(64).any(|sibling| {
            let others = name_words(sibling);
            let mut extra = words.iter().filter(|word| !others.contains(word)).peekable();
            sibling.key_type == key.key_type
                && others.len() < words.len()
                && others.iter().all(|word| words.contains(word))
                && extra.peek().is_some()
                && fits(sibling)
                && extra.all(|word| !said.stems().contains(&lexicon::stem(word)))
        })
}

/// Whether the keys tell of a stay, where one arrives first and leaves last.
fn stay(key: &KeyDefinition, siblings: &[&KeyDefinition]) -> bool {
    std::iter::once(&key).chain(siblings.iter().take(64)).any(|key| {
        name_words(key)
            .iter()
            .any(|word| matches!(word.as_str(), "checkin" | "checkout"))
    })
}

/// The end that the words beside a place or party mark.
pub fn of_place(said: &Said, span: Span) -> Option<Side> {
    let mut at = span.from;
    for distance in 1..=PLACE_REACH {
        if at == 0 || said.breaks_before(at) {
            break;
        }
        at -= 1;
        let side = match (said.word(at), distance) {
            ("from", 1..=3) | ("out", 1..=2) => Some(Side::Near),
            ("to" | "towards" | "toward" | "into" | "onto", 1) => Some(Side::Far),
            // "To know my savings" goes nowhere.
            ("to" | "towards" | "toward" | "into" | "onto", 2..=3) => {
                let verb = lexicon::part_of_speech(said.word(at + 1)) == 'v';
                (!verb && said.word(at + 1) != "my").then_some(Side::Far)
            }
            ("for", 1) if at > 0 => {
                let leaves = matches!(
                    said.stems().get(at - 1).map(String::as_str),
                    Some("leav" | "depart" | "head" | "bound" | "leaf")
                );
                leaves.then_some(Side::Far)
            }
            (
                "leave" | "leaving" | "leaves" | "depart" | "departing" | "departs" | "departure" | "origin"
                | "originating",
                _,
            ) => Some(Side::Near),
            (
                "visit" | "visiting" | "arrive" | "arriving" | "arrival" | "reach" | "reaching" | "destination"
                | "heading" | "headed" | "dropoff",
                _,
            ) => Some(Side::Far),
            ("pickup", _) => Some(Side::Near),
            _ => None,
        };
        if side.is_some() {
            return side;
        }
    }
    after_place(said, span)
}

fn after_place(said: &Said, span: Span) -> Option<Side> {
    for at in span.to..(span.to + PLACE_REACH + 3).min(said.words()) {
        if said.breaks_before(at) {
            return None;
        }
        match said.word(at) {
            // "Oslo to Bergen".
            "to" if lexicon::place(said.word(at + 1)) => return Some(Side::Near),
            "from" if lexicon::place(said.word(at + 1)) => return Some(Side::Far),
            "destination" | "arrive" | "arriving" | "arrival" => return Some(Side::Far),
            "origin" | "departure" | "depart" | "departing" | "leaving" => return Some(Side::Near),
            _ => {}
        }
    }
    None
}

/// The end that the words beside a date or time mark, for these keys.
pub fn of_moment(said: &Said, span: Span, key: &KeyDefinition, siblings: &[&KeyDefinition]) -> Option<Side> {
    let stay = stay(key, siblings);
    let leaving = if stay { Side::Far } else { Side::Near };
    let mark = |at: usize, distance: usize| {
        let earlier = said.dates.iter().chain(&said.times).any(|date| date.span.to <= at);
        match said.word(at) {
            "from" if distance <= 2 => Some(Side::Near),
            "to" | "through" | "thru" if distance <= 2 && earlier => Some(Side::Far),
            // "Not until Monday" begins then.
            "until" | "till" if said.negated(at) => Some(Side::Near),
            "until" | "till" | "checkout" | "back" | "inbound" | "dropoff" => Some(Side::Far),
            "checkin" | "outbound" | "pickup" => Some(Side::Near),
            word => match lexicon::stem(word).as_str() {
                "start" | "begin" => Some(Side::Near),
                "return" | "end" => Some(Side::Far),
                "leav" | "depart" | "departur" => Some(leaving),
                "arriv" => Some(leaving.other()),
                _ => None,
            },
        }
    };
    let mut at = span.from;
    for distance in 1..=DATE_REACH {
        if at == 0 || said.breaks_before(at) {
            break;
        }
        at -= 1;
        if let Some(side) = mark(at, distance) {
            return Some(side);
        }
        if said.dates.iter().any(|date| date.span.to == at) {
            break;
        }
    }
    let behind = span.to..(span.to + DATE_REACH).min(said.words());
    behind
        .take_while(|at| !said.breaks_before(*at) && !matches!(said.word(*at), "and" | "but"))
        .find_map(|at| mark(at, usize::MAX))
}

//! Whether every text of one pattern is one of another: decided by walking both automata at once.
//!
//! Looks for the shortest texts that the one matches and the other does not, in the order of their length. Where the walk ends
//! without one, there is none. Invariant: what is called held is proved, a text that is given is one that shows the opposite, and
//! where the automata or the walk grow too large neither is said.

use std::collections::BTreeSet;
use std::collections::VecDeque;

use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::Cache;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;

use crate::json_schema::PATTERN_COMPILED_BYTES_MAX;
use crate::json_schema::engine_pattern;

/// Places of both automata that are walked to: some tens of milliseconds.
const PLACES_MAX: usize = 20_000;
/// Texts that are given: one that other keywords refuse too shows nothing.
const TEXTS_MAX: usize = 8;
/// Lengths that are counted along the way; with longer ones a text is found that its length may refuse.
const LENGTH_MAX: u64 = 128;

/// What the walk found.
#[derive(Debug, PartialEq, Eq)]
pub enum Inclusion {
    Holds,
    /// Texts of the writer's that the reader refuses, the shortest first.
    Fails(Vec<String>),
    Unknown,
}

/// How many characters a writer's texts have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Length {
    pub least: u64,
    pub most: Option<u64>,
}

/// How whatever `writer` matches is read by `reader`.
pub fn compare(writer: &str, reader: &str, length: Length) -> Inclusion {
    match (Automaton::of(writer), Automaton::of(reader)) {
        (Some(writer), Some(reader)) => walk(writer, reader, length).unwrap_or(Inclusion::Unknown),
        _ => Inclusion::Unknown,
    }
}

/// A pattern's automaton, of which as much is built as is walked through.
struct Automaton {
    dfa: DFA,
    cache: Cache,
}

/// Where an automaton stands. Once a pattern has matched, whatever follows is part of a match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    Matched,
    Dead,
    State(LazyStateID),
}

impl Automaton {
    fn of(pattern: &str) -> Option<Automaton> {
        let config = DFA::config()
            .cache_capacity(PATTERN_COMPILED_BYTES_MAX)
            .skip_cache_capacity_check(true)
            // A cache that was cleared would give the same names to other states.
            .minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder()
            .configure(config)
            .thompson(thompson::Config::new().nfa_size_limit(Some(PATTERN_COMPILED_BYTES_MAX)))
            .syntax(syntax::Config::new())
            .build(&engine_pattern(pattern))
            .ok()?;
        let cache = dfa.create_cache();
        Some(Automaton { dfa, cache })
    }

    fn start(&mut self) -> Option<At> {
        let start = self.dfa.start_state_forward(&mut self.cache, &Input::new("")).ok()?;
        Self::place(start)
    }

    fn step(&mut self, at: At, byte: u8) -> Option<At> {
        match at {
            At::Matched | At::Dead => Some(at),
            At::State(state) => Self::place(self.dfa.next_state(&mut self.cache, state, byte).ok()?),
        }
    }

    /// Whether the text that led here is matched, if it ends here.
    fn accepts(&mut self, at: At) -> Option<bool> {
        match at {
            At::Matched => Some(true),
            At::Dead => Some(false),
            At::State(state) => {
                let end = self.dfa.next_eoi_state(&mut self.cache, state).ok()?;
                (!end.is_quit()).then_some(end.is_match())
            }
        }
    }

    fn place(state: LazyStateID) -> Option<At> {
        if state.is_quit() {
            None
        } else if state.is_match() {
            Some(At::Matched)
        } else if state.is_dead() {
            Some(At::Dead)
        } else {
            Some(At::State(state))
        }
    }
}

/// Where a text stands between two characters, or within one: what the next byte may be, and how many follow it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Encoding {
    low: u8,
    high: u8,
    left: u8,
}

impl Encoding {
    const BETWEEN: Encoding = Encoding {
        low: 0,
        high: 0xFF,
        left: 0,
    };

    fn step(self, byte: u8) -> Option<Encoding> {
        let within = |low, high, left| Some(Encoding { low, high, left });
        match (self.left, byte) {
            (0, 0x00..=0x7F) => Some(Encoding::BETWEEN),
            (0, 0xC2..=0xDF) => within(0x80, 0xBF, 1),
            (0, 0xE0) => within(0xA0, 0xBF, 2),
            (0, 0xED) => within(0x80, 0x9F, 2),
            (0, 0xE1..=0xEF) => within(0x80, 0xBF, 2),
            (0, 0xF0) => within(0x90, 0xBF, 3),
            (0, 0xF1..=0xF3) => within(0x80, 0xBF, 3),
            (0, 0xF4) => within(0x80, 0x8F, 3),
            (0, _) => None,
            (left, byte) if (self.low..=self.high).contains(&byte) => match left {
                1 => Some(Encoding::BETWEEN),
                _ => within(0x80, 0xBF, left - 1),
            },
            _ => None,
        }
    }

    /// Bytes of one class are alike wherever a text stands.
    fn class(byte: u8) -> u8 {
        const ENDS: [u8; 12] = [0x7F, 0x8F, 0x9F, 0xBF, 0xC1, 0xDF, 0xE0, 0xEC, 0xED, 0xEF, 0xF0, 0xF3];
        ENDS.iter()
            .position(|end| byte <= *end)
            .map_or(if byte == 0xF4 { 12 } else { 13 }, |class| {
                if class == 9 { 7 } else { class as u8 }
            })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    writer: At,
    reader: At,
    encoding: Encoding,
    /// Characters so far, as far as they matter.
    count: u64,
}

fn walk(mut writer: Automaton, mut reader: Automaton, length: Length) -> Option<Inclusion> {
    let beyond = length.most.unwrap_or(length.least);
    // A length that is not counted is one that no text is refused for here.
    let length = if beyond > LENGTH_MAX { Length::default() } else { length };
    let count_max = length.most.map_or(length.least, |most| most.saturating_add(1));
    let bytes = bytes(&writer, &reader);
    let start = Place {
        writer: writer.start()?,
        reader: reader.start()?,
        encoding: Encoding::BETWEEN,
        count: 0,
    };
    let mut seen = BTreeSet::from([start]);
    // Where each place was come to from, and by which byte.
    let mut trail: Vec<(usize, u8)> = vec![(0, 0)];
    let mut next = VecDeque::from([(start, 0_usize)]);
    let mut texts: Vec<String> = Vec::new();
    while let Some((place, at)) = next.pop_front() {
        let is_text = place.encoding == Encoding::BETWEEN
            && place.count >= length.least
            && length.most.is_none_or(|most| place.count <= most);
        if is_text && writer.accepts(place.writer)? && !reader.accepts(place.reader)? {
            texts.extend(text(&trail, at));
            if texts.len() >= TEXTS_MAX {
                break;
            }
        }
        for byte in &bytes {
            let Some(encoding) = place.encoding.step(*byte) else {
                continue;
            };
            let is_character = u64::from(encoding == Encoding::BETWEEN);
            let further = Place {
                writer: writer.step(place.writer, *byte)?,
                reader: reader.step(place.reader, *byte)?,
                encoding,
                count: (place.count + is_character).min(count_max),
            };
            let is_vain = further.writer == At::Dead
                || further.reader == At::Matched
                || length.most.is_some_and(|most| further.count > most);
            if is_vain || !seen.insert(further) {
                continue;
            }
            if seen.len() > PLACES_MAX {
                return (!texts.is_empty()).then_some(Inclusion::Fails(texts));
            }
            trail.push((at, *byte));
            next.push_back((further, trail.len() - 1));
        }
    }
    Some(match texts.is_empty() {
        true => Inclusion::Holds,
        false => Inclusion::Fails(texts),
    })
}

/// One byte of each kind that neither automaton nor the encoding tells apart, those first that read best.
fn bytes(writer: &Automaton, reader: &Automaton) -> Vec<u8> {
    let plain = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9').chain(b' '..=b'~');
    let mut kinds = BTreeSet::new();
    let mut bytes: Vec<u8> = Vec::new();
    for byte in plain.chain(0..=u8::MAX) {
        let classes = (writer.dfa.byte_classes().get(byte), reader.dfa.byte_classes().get(byte));
        if kinds.insert((classes, Encoding::class(byte))) {
            bytes.push(byte);
        }
    }
    bytes
}

/// The text that led to a place.
fn text(trail: &[(usize, u8)], mut at: usize) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::new();
    while at != 0 {
        let (before, byte) = trail.get(at)?;
        bytes.push(*byte);
        at = *before;
    }
    bytes.reverse();
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::Inclusion;
    use super::Length;
    use super::compare;

    fn compared(reader: &str, writer: &str) -> Inclusion {
        compare(writer, reader, Length::default())
    }

    #[test]
    fn a_pattern_holds_one_of_fewer_texts_z048() {
        for (reader, writer) in [
            ("^[A-Z]{2,3}$", "^[A-Z]{3}$"),
            ("^[A-Za-z]{2}$", "^[A-Z][a-z]$"),
            ("^[a-z][a-z]$", "^[a-z]{2}$"),
            ("^[0-9]+$", "^[0-9]{4}$"),
            ("^[0-9]*$", "^$"),
            ("^[A-Z]{2}-?[0-9]+$", "^[A-Z]{2}[0-9]{3}$"),
            ("^([0-9]{2}:){2}[0-9]{2}$", "^[0-5][0-9]:[0-5][0-9]:[0-5][0-9]$"),
            (r"^\w+$", r"^\d{3}$"),
            ("^a", "^ab$"),
            ("^(yes|no|maybe)$", "^(no|yes)$"),
            ("^a|b$", "^ac|cb$"),
            (r"^.+$", r"^[^\n\r\u2028\u2029]{2}$"),
            (r"^[\s\S]*$", ""),
            (r"^\p{L}+$", "^[a-zé]+$"),
            (r"\bcat\b", "^a cat$"),
            ("^[^]{2}$", "^(?:a|é|€|😀){2}$"),
        ] {
            assert_eq!(compared(reader, writer), Inclusion::Holds, "{reader} {writer}");
        }
    }

    #[test]
    fn the_shortest_text_that_is_refused_is_found_z048() {
        for (reader, writer, shortest) in [
            ("^[A-Z]{3}$", "^[A-Z]{2,3}$", "AA"),
            ("^[A-Z]{2}$", "^[A-Za-z]{2}$", "aa"),
            ("^[0-9]{1,3}$", "^[0-9]+$", "0000"),
            ("^[0-9]{4}$", "[0-9]{4}", "a0000"),
            ("^ab$", "^a", "a"),
            ("^[A-Z]-[0-9]$", "^[A-Z][0-9]$", "A0"),
            ("^a{2}b{2}$", "^a{3}b$", "aaab"),
            ("^(ab){1,2}$", "^(ab){3}$", "ababab"),
            (r"^(GB|FR)\d{2}$", r"^(GB|FR|DE)\d{2}$", "DE00"),
            ("^abc", "abc", "aabc"),
            ("^.$", "^[^]$", "\n"),
            (r"^\p{Lu}$", r"^\p{L}$", "a"),
            ("^[a-zA-Z]$", r"^\p{L}$", "ª"),
        ] {
            let Inclusion::Fails(texts) = compared(reader, writer) else {
                panic!("{reader} {writer}: {:?}", compared(reader, writer));
            };
            assert_eq!(texts[0], shortest, "{reader} {writer}");
        }
    }

    #[test]
    fn lengths_of_the_writer_count_z048() {
        let long = |least, most| compare("^a+$", "^a{2,4}$", Length { least, most });
        assert_eq!(long(2, Some(4)), Inclusion::Holds);
        assert!(matches!(long(2, Some(5)), Inclusion::Fails(texts) if texts[0] == "aaaaa"));
        assert!(matches!(long(1, Some(4)), Inclusion::Fails(texts) if texts[0] == "a"));
        assert!(matches!(long(6, None), Inclusion::Fails(texts) if texts[0] == "aaaaaa"));
    }

    #[test]
    fn what_grows_too_large_is_neither_held_nor_refused_z048() {
        // The walk would have to remember where each of the last characters was an a.
        let far = |count: usize| format!("a[ab]{{{count}}}$");
        assert_eq!(compared(&far(40), &far(41)), Inclusion::Unknown);
        assert_eq!(compared("(", "a"), Inclusion::Unknown);
        assert_eq!(compared("a", "(?=a)"), Inclusion::Unknown);
    }
}

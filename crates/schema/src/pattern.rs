//! What patterns of ECMA-262 say of each other and of the lengths of their texts: whether every text of one is one of another, decided
//! by walking both automata at once, and which texts show it.
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
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;
use regex_syntax::hir::Look;

use crate::ecma;
use crate::json_schema::PATTERN_COMPILED_BYTES_MAX;
use crate::json_schema::engine_pattern;

/// Places of both automata that are walked to: some tens of milliseconds.
const PLACES_MAX: usize = 20_000;
/// Ways that are walked where each counts.
const WAYS_MAX: usize = 4_000;
/// Levels of a pattern whose lengths are counted.
const NEST_MAX: u32 = 64;
/// Texts that are given: one that other keywords refuse too shows nothing.
const TEXTS_MAX: usize = 16;
/// The texts that there are, character by character: what the automata of patterns walk through need be none.
const CHARACTERS: &str = "^[^]*$";
/// A pattern that no text matches.
const NOTHING: &str = "[]";
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

/// The fewest characters of texts, and the most where there is a most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Length {
    pub least: u64,
    pub most: Option<u64>,
}

impl Length {
    fn exactly(count: u64) -> Length {
        Length {
            least: count,
            most: Some(count),
        }
    }
}

/// How whatever `writer` matches is read by `reader`.
pub fn compare(writer: &str, reader: &str, length: Length) -> Inclusion {
    walk(writer, reader, length, false).unwrap_or(Inclusion::Unknown)
}

/// The shortest texts that a pattern matches: one for each way to the end that its automaton tells apart, and whatever else is short.
pub fn texts(pattern: &str, length: Length) -> Vec<String> {
    let found = [false, true].map(|every| walk(pattern, NOTHING, length, every));
    let texts = found.into_iter().filter_map(|found| match found {
        Some(Inclusion::Fails(texts)) => Some(texts),
        Some(Inclusion::Holds | Inclusion::Unknown) | None => None,
    });
    texts.flatten().collect()
}

/// How many characters the texts have that a pattern matches; `None` for one that is no pattern, or has an anchor within it.
pub fn lengths(pattern: &str) -> Option<Length> {
    let written = ecma::to_rust(pattern).ok()?;
    let hir = ParserBuilder::new().nest_limit(NEST_MAX).build().parse(&written).ok()?;
    let parts = match hir.kind() {
        HirKind::Concat(parts) => parts,
        _ => std::slice::from_ref(&hir),
    };
    let is = |part: Option<&Hir>, look: Look| part.is_some_and(|part| *part.kind() == HirKind::Look(look));
    let begins = is(parts.first(), Look::Start);
    let parts = &parts[usize::from(begins)..];
    let ends = is(parts.last(), Look::End);
    let parts = &parts[..parts.len() - usize::from(ends)];
    let own = sum(parts)?;
    Some(Length {
        most: own.most.filter(|_| begins && ends),
        ..own
    })
}

fn sum(parts: &[Hir]) -> Option<Length> {
    parts.iter().try_fold(Length::exactly(0), |sum, part| {
        let next = length(part)?;
        Some(Length {
            least: sum.least.saturating_add(next.least),
            most: sum.most.zip(next.most).map(|(one, other)| one.saturating_add(other)),
        })
    })
}

fn length(hir: &Hir) -> Option<Length> {
    match hir.kind() {
        HirKind::Look(_) => None,
        HirKind::Empty => Some(Length::exactly(0)),
        HirKind::Class(_) => Some(Length::exactly(1)),
        HirKind::Literal(text) => {
            let text = std::str::from_utf8(&text.0).ok()?;
            Some(Length::exactly(text.chars().count() as u64))
        }
        HirKind::Capture(capture) => length(&capture.sub),
        HirKind::Repetition(repetition) => {
            let once = length(&repetition.sub)?;
            let times = repetition.max.map(u64::from);
            Some(Length {
                least: once.least.saturating_mul(u64::from(repetition.min)),
                most: once.most.zip(times).map(|(once, times)| once.saturating_mul(times)),
            })
        }
        HirKind::Concat(parts) => sum(parts),
        HirKind::Alternation(ways) => {
            let each: Vec<Length> = ways.iter().map(length).collect::<Option<_>>()?;
            let most: Option<Vec<u64>> = each.iter().map(|way| way.most).collect();
            Some(Length {
                least: each.iter().map(|way| way.least).min()?,
                most: most.and_then(|most| most.into_iter().max()),
            })
        }
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

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    writer: At,
    reader: At,
    /// Within UTF-8.
    text: At,
    /// Characters so far, as far as they matter.
    count: u64,
}

/// Walks both automata to each place once, or to the nearest places by `every` way.
fn walk(writer: &str, reader: &str, length: Length, every: bool) -> Option<Inclusion> {
    let (mut writer, mut reader) = (Automaton::of(writer)?, Automaton::of(reader)?);
    let beyond = length.most.unwrap_or(length.least);
    // A length that is not counted is one that no text is refused for here.
    let length = if beyond > LENGTH_MAX { Length::default() } else { length };
    let count_max = length.most.map_or(length.least, |most| most.saturating_add(1));
    let mut characters = Automaton::of(CHARACTERS)?;
    let bytes = bytes([&writer, &reader, &characters]);
    let start = Place {
        writer: writer.start()?,
        reader: reader.start()?,
        text: characters.start()?,
        count: 0,
    };
    let mut seen = BTreeSet::from([start]);
    // Where each place was come to from, and by which byte.
    let mut trail: Vec<(usize, u8)> = vec![(0, 0)];
    let mut next = VecDeque::from([(start, 0_usize)]);
    let mut texts: Vec<String> = Vec::new();
    while let Some((place, at)) = next.pop_front() {
        let is_text = characters.accepts(place.text)?
            && place.count >= length.least
            && length.most.is_none_or(|most| place.count <= most);
        if is_text && writer.accepts(place.writer)? && !reader.accepts(place.reader)? {
            texts.extend(text(&trail, at));
            if texts.len() >= TEXTS_MAX {
                break;
            }
        }
        for byte in &bytes {
            // All bytes of a character but its first begin with the bits 10.
            let is_first = byte & 0xC0 != 0x80;
            let further = Place {
                writer: writer.step(place.writer, *byte)?,
                reader: reader.step(place.reader, *byte)?,
                text: characters.step(place.text, *byte)?,
                count: (place.count + u64::from(is_first)).min(count_max),
            };
            let is_vain = further.text == At::Dead
                || further.writer == At::Dead
                || further.reader == At::Matched
                || length.most.is_some_and(|most| further.count > most);
            if is_vain || !(every || seen.insert(further)) {
                continue;
            }
            if seen.len() > PLACES_MAX || (every && trail.len() > WAYS_MAX) {
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

/// One byte of each kind that no automaton tells apart, those first that read best.
fn bytes(automata: [&Automaton; 3]) -> Vec<u8> {
    let plain = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9').chain(b' '..=b'~');
    let mut kinds = BTreeSet::new();
    let mut bytes: Vec<u8> = plain.chain(0..=u8::MAX).collect();
    bytes.retain(|byte| {
        let kind = automata.map(|automaton| automaton.dfa.byte_classes().get(*byte));
        kinds.insert((kind, byte & 0xC0 == 0x80))
    });
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
    use super::lengths;

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

    #[test]
    fn the_lengths_of_a_pattern_are_counted_z048() {
        for (pattern, least, most) in [
            ("^[A-Z]{8}$", 8, Some(8)),
            ("[A-Z]{8}", 8, None),
            ("^[A-Z]{8}", 8, None),
            ("^(yes|no)$", 2, Some(3)),
            ("^a+$", 1, None),
            (r"^\d{2}-\d{2,4}$", 5, Some(7)),
            ("^é$", 1, Some(1)),
            ("^$", 0, Some(0)),
            ("", 0, None),
        ] {
            assert_eq!(lengths(pattern), Some(Length { least, most }), "{pattern}");
        }
    }

    #[test]
    fn what_has_no_length_of_its_own_is_not_counted_z048() {
        for pattern in ["^a$|^b$", r"\bword\b", "(?i)abc", "^(?=a)b$", r"^(a)\1$", "^[[a]]$"] {
            assert_eq!(lengths(pattern), None, "{pattern}");
        }
    }
}

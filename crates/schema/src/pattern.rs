//! Decides what patterns of ECMA-262 say of each other and of the lengths of their texts: whether every text of one is one of another,
//! and which texts show the opposite.
//!
//! Walks the places of the writer's automaton one by one, each beside all places that the reader's may be at after the same text, in the
//! order of the texts' length. Where the reader may be at fewer places after another text that leads the writer to the same place,
//! nothing is lost by passing over the rest: whatever shows a difference shows it from there as well. So no automaton is made
//! deterministic, and what remembers many letters stays small. Invariant: what is called held is proved, a text that is given is one
//! that shows the opposite, and where the budget ends neither is claimed.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::VecDeque;

use regex_automata::nfa::thompson::NFA;
use regex_automata::nfa::thompson::State;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_syntax::ParserBuilder;
use regex_syntax::hir;
use regex_syntax::hir::Class;
use regex_syntax::hir::Dot;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;
use regex_syntax::hir::Repetition;

use crate::budget::Budget;
use crate::ecma;
use crate::json_schema::PATTERN_COMPILED_BYTES_MAX;
use crate::json_schema::engine_pattern;

/// Part of a budget that one walk may take, so that a hard pair leaves work for the others.
const SHARE: u64 = 8;
/// Units of a place that is looked at, and of one that is remembered.
const LOOK_UNITS: usize = 8;
const PLACE_UNITS: usize = 128;
/// Bytes of one state of an automaton, about.
const STATE_BYTES: u64 = 32;
/// Ways that are walked where each counts.
const WAYS_MAX: usize = 1_000;
/// Levels of a pattern.
const NEST_MAX: u32 = 250;
/// Levels of a pattern whose lengths are counted.
const NEST_COUNTED_MAX: u32 = 64;
/// Texts that are given: one that other keywords refuse too shows nothing.
const TEXTS_MAX: usize = 16;
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

/// Compares what `writer` matches with what `reader` does.
pub fn compare(writer: &str, reader: &str, length: Length, budget: &Budget<'_>) -> Inclusion {
    walk(writer, reader, length, false, budget).unwrap_or(Inclusion::Unknown)
}

/// The shortest texts that a pattern matches: one for each way to the end that its automaton tells apart, and whatever else is short.
pub fn texts(pattern: &str, length: Length, budget: &Budget<'_>) -> Vec<String> {
    let found = [false, true].map(|every| walk(pattern, NOTHING, length, every, budget));
    let texts = found.into_iter().filter_map(|found| match found {
        Some(Inclusion::Fails(texts)) => Some(texts),
        Some(Inclusion::Holds | Inclusion::Unknown) | None => None,
    });
    texts.flatten().collect()
}

/// How many characters the texts have that a pattern matches; `None` for one that is no pattern, or has an anchor within it.
pub fn lengths(pattern: &str) -> Option<Length> {
    let written = ecma::to_rust(pattern).ok()?;
    let hir = ParserBuilder::new()
        .nest_limit(NEST_COUNTED_MAX)
        .build()
        .parse(&written)
        .ok()?;
    let parts = match hir.kind() {
        HirKind::Concat(parts) => parts,
        _ => std::slice::from_ref(&hir),
    };
    let is = |part: Option<&Hir>, look: hir::Look| part.is_some_and(|part| *part.kind() == HirKind::Look(look));
    let begins = is(parts.first(), hir::Look::Start);
    let parts = &parts[usize::from(begins)..];
    let ends = is(parts.last(), hir::Look::End);
    let parts = &parts[..parts.len() - usize::from(ends)];
    let own = sum(parts)?;
    Some(Length {
        most: own.most.filter(|_| begins && ends),
        ..own
    })
}

/// About how many bytes a pattern's automaton takes, without making one.
pub fn size(pattern: &str) -> u64 {
    let parsed = ParserBuilder::new()
        .nest_limit(NEST_MAX)
        .build()
        .parse(&engine_pattern(pattern));
    parsed.map_or(0, |hir| size_of_part(&hir))
}

fn size_of_part(hir: &Hir) -> u64 {
    let of_all = |parts: &[Hir]| parts.iter().map(size_of_part).fold(STATE_BYTES, u64::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE_BYTES,
        HirKind::Literal(text) => STATE_BYTES.saturating_mul(text.0.len() as u64),
        HirKind::Class(Class::Unicode(class)) => STATE_BYTES.saturating_mul(1 + class.ranges().len() as u64),
        HirKind::Class(Class::Bytes(class)) => STATE_BYTES.saturating_mul(1 + class.ranges().len() as u64),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1));
            size_of_part(&repetition.sub).saturating_mul(u64::from(times.max(1)))
        }
        HirKind::Capture(capture) => size_of_part(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => of_all(parts),
    }
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

/// The byte before a place, as far as a pattern can tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Before {
    Nothing,
    Word,
    Other,
}

/// A pattern's automaton.
struct Automaton(NFA);

impl Automaton {
    /// Compiles a pattern: as a reader, which finds a match anywhere, or as a writer of whole texts.
    fn compile(pattern: &str, writes: bool, budget: &Budget<'_>) -> Option<Automaton> {
        let mut parser = ParserBuilder::new().nest_limit(NEST_MAX).build();
        let mut parsed = parser.parse(&engine_pattern(pattern)).ok()?;
        if writes {
            let any = || {
                Hir::repetition(Repetition {
                    min: 0,
                    max: None,
                    greedy: true,
                    sub: Box::new(Hir::dot(Dot::AnyChar)),
                })
            };
            let own = parsed.properties();
            let before = (!own.look_set_prefix().contains(hir::Look::Start)).then(any);
            let after = (!own.look_set_suffix().contains(hir::Look::End)).then(any);
            let parts = before.into_iter().chain([parsed]).chain(after);
            parsed = Hir::concat(parts.collect());
        }
        let config = NFA::config()
            .nfa_size_limit(Some(PATTERN_COMPILED_BYTES_MAX))
            .which_captures(WhichCaptures::None);
        let nfa = NFA::compiler().configure(config).build_from_hir(&parsed).ok()?;
        let is_known = |look| matches!(look, Look::Start | Look::End | Look::WordAscii | Look::WordAsciiNegate);
        let is_read = nfa.look_set_any().iter().all(is_known) && budget.spend_for(nfa.memory_usage());
        is_read.then_some(Automaton(nfa))
    }

    /// The places that are come to from others without a byte: those that read one, and the end. With what stands around it is settled
    /// which places of an assertion are passed; without it they are kept. In ascending order.
    fn close(&self, from: &[StateID], around: Option<(Before, Option<u8>)>) -> Vec<StateID> {
        let (mut closed, mut seen) = (Vec::new(), BTreeSet::new());
        let mut next = from.to_vec();
        while let Some(place) = next.pop() {
            if !seen.insert(place) {
                continue;
            }
            match (self.0.state(place), around) {
                (State::Union { alternates }, _) => next.extend(alternates.iter()),
                (State::BinaryUnion { alt1, alt2 }, _) => next.extend([*alt1, *alt2]),
                (State::Capture { next: after, .. }, _) => next.push(*after),
                (State::Look { look, next: after }, Some(around)) => {
                    next.extend(self.holds(*look, around).then_some(*after));
                }
                (State::Fail, _) => {}
                _ => closed.push(place),
            }
        }
        closed.sort_unstable();
        closed
    }

    fn holds(&self, look: Look, (before, after): (Before, Option<u8>)) -> bool {
        let before = match before {
            Before::Nothing => None,
            Before::Word => Some(b'a'),
            Before::Other => Some(b' '),
        };
        let around: Vec<u8> = before.into_iter().chain(after).collect();
        let at = usize::from(before.is_some());
        self.0.look_matcher().matches(look, &around, at)
    }

    /// The places before a byte, and those after it.
    fn step(&self, from: &[StateID], before: Before, byte: u8) -> [Vec<StateID>; 2] {
        let closed = self.close(from, Some((before, Some(byte))));
        let after = closed.iter().filter_map(|place| match self.0.state(*place) {
            State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
            State::Sparse(each) => each.matches_byte(byte),
            State::Dense(each) => each.matches_byte(byte),
            _ => None,
        });
        let after: Vec<StateID> = after.collect();
        let after = self.close(&after, None);
        [closed, after]
    }

    /// Returns whether a text that ends here is matched.
    fn ends(&self, at: &[StateID], before: Before) -> bool {
        self.is_matched(&self.close(at, Some((before, None))))
    }

    fn is_matched(&self, at: &[StateID]) -> bool {
        let is_match = |place: &StateID| matches!(self.0.state(*place), State::Match { .. });
        at.iter().any(is_match)
    }

    fn tells_words_apart(&self) -> bool {
        let looks = self.0.look_set_any();
        looks.contains(Look::WordAscii) || looks.contains(Look::WordAsciiNegate)
    }
}

/// One place of the writer's, and what led there.
#[derive(Clone, Copy)]
struct Place {
    writer: StateID,
    /// Number of the set of places that the reader may be at.
    reader: usize,
    before: Before,
    /// Characters so far, as far as they matter.
    count: u64,
    /// Bytes so far.
    depth: usize,
    /// End of the trail to here.
    trail: usize,
}

/// The sets of places that a reader may be at, each once.
struct Reads {
    automaton: Automaton,
    sets: Vec<Vec<StateID>>,
    numbers: BTreeMap<Vec<StateID>, usize>,
    /// Set to which a byte leads from a set; nowhere that shows anything once it is matched.
    steps: BTreeMap<(usize, Before, u8), Option<usize>>,
}

impl Reads {
    /// The number of a set, none where it is matched already.
    fn number(&mut self, set: Vec<StateID>, spend: &dyn Fn(usize) -> bool) -> Option<Option<usize>> {
        if self.automaton.is_matched(&set) {
            return Some(None);
        }
        if let Some(known) = self.numbers.get(&set) {
            return Some(Some(*known));
        }
        let number = self.sets.len();
        let granted = spend(PLACE_UNITS + 2 * size_of_val(set.as_slice()));
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        granted.then_some(Some(number))
    }

    fn step(&mut self, from: usize, before: Before, byte: u8, spend: &dyn Fn(usize) -> bool) -> Option<Option<usize>> {
        if let Some(known) = self.steps.get(&(from, before, byte)) {
            return Some(*known);
        }
        let set = self.sets.get(from)?;
        if !spend(PLACE_UNITS + LOOK_UNITS * set.len()) {
            return None;
        }
        let [closed, after] = self.automaton.step(set, before, byte);
        // A match before the byte: whatever follows is part of it.
        let number = match self.automaton.is_matched(&closed) {
            true => None,
            false => self.number(after, spend)?,
        };
        self.steps.insert((from, before, byte), number);
        Some(number)
    }

    /// Returns whether all places of one set are in another.
    fn is_within(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|set| self.sets.get(set).map_or(&[][..], Vec::as_slice));
        let mut rest = other.iter();
        one.len() <= other.len() && one.iter().all(|place| rest.any(|there| there == place))
    }
}

/// Walks to each place of the writer's with the fewest places of the reader's, or to the nearest places by `every` way.
fn walk(writer: &str, reader: &str, length: Length, every: bool, budget: &Budget<'_>) -> Option<Inclusion> {
    let (writer, reader) = (
        Automaton::compile(writer, true, budget)?,
        Automaton::compile(reader, false, budget)?,
    );
    let floor = budget.left() - budget.left() / SHARE;
    let spend = |units: usize| budget.spend_for(units) && budget.left() >= floor;
    let beyond = length.most.unwrap_or(length.least);
    // A length that is not counted is one that no text is refused for here.
    let length = if beyond > LENGTH_MAX { Length::default() } else { length };
    let count_max = length.most.map_or(length.least, |most| most.saturating_add(1));
    let tells_words_apart = writer.tells_words_apart() || reader.tells_words_apart();
    let bytes = bytes([&writer, &reader]);
    let begins = reader.close(&[reader.0.start_unanchored()], None);
    let mut reads = Reads {
        automaton: reader,
        sets: Vec::new(),
        numbers: BTreeMap::new(),
        steps: BTreeMap::new(),
    };
    // The sets of the reader's, each with the bytes that led there.
    let mut seen: BTreeMap<(StateID, Before, u64), Vec<(usize, usize)>> = BTreeMap::new();
    // Where each place was come to from, and by which byte.
    let mut trail: Vec<(usize, u8)> = vec![(0, 0)];
    let mut next: VecDeque<Place> = VecDeque::new();
    let mut texts: Vec<String> = Vec::new();
    if let Some(first) = reads.number(begins, &spend)? {
        let places = writer.close(&[writer.0.start_anchored()], None).into_iter();
        next.extend(places.map(|place| Place {
            writer: place,
            reader: first,
            before: Before::Nothing,
            count: 0,
            depth: 0,
            trail: 0,
        }));
    }
    let mut walked = || -> Option<()> {
        while let Some(place) = next.pop_front() {
            let Place {
                before, count, depth, ..
            } = place;
            let known = seen.get(&(place.writer, before, count));
            // A smaller set came after it.
            if depth > 0 && !every && known.is_none_or(|known| !known.contains(&(place.reader, depth))) {
                continue;
            }
            let is_text = count >= length.least && length.most.is_none_or(|most| count <= most);
            let set = reads.sets.get(place.reader)?;
            if is_text && writer.ends(&[place.writer], before) && !reads.automaton.ends(set, before) {
                let found = text(&trail, place.trail).filter(|found| !texts.contains(found));
                texts.extend(found);
                if texts.len() >= TEXTS_MAX {
                    return Some(());
                }
            }
            for byte in &bytes {
                let [_, further] = writer.step(&[place.writer], before, *byte);
                // All bytes of a character but its first begin with the bits 10.
                let count = (count + u64::from(byte & 0xC0 != 0x80)).min(count_max);
                if !spend(LOOK_UNITS) {
                    return None;
                }
                if further.is_empty() || length.most.is_some_and(|most| count > most) {
                    continue;
                }
                let Some(read) = reads.step(place.reader, before, *byte, &spend)? else {
                    continue;
                };
                let is_word = tells_words_apart && (byte.is_ascii_alphanumeric() || *byte == b'_');
                let before = if is_word { Before::Word } else { Before::Other };
                for at in further {
                    let known = seen.entry((at, before, count)).or_default();
                    if !spend(LOOK_UNITS * (1 + known.len())) || (every && trail.len() > WAYS_MAX) {
                        return None;
                    }
                    if !every {
                        if known.iter().any(|(known, _)| reads.is_within(*known, read)) {
                            continue;
                        }
                        // What is as long and shows less is passed over; what is shorter may show a shorter text.
                        known.retain(|(known, at)| *at <= depth || !reads.is_within(read, *known));
                        known.push((read, depth + 1));
                    }
                    if !spend(PLACE_UNITS) {
                        return None;
                    }
                    trail.push((place.trail, *byte));
                    next.push_back(Place {
                        writer: at,
                        reader: read,
                        before,
                        count,
                        depth: depth + 1,
                        trail: trail.len() - 1,
                    });
                }
            }
        }
        Some(())
    };
    let ended = walked();
    match (ended, texts.is_empty()) {
        (_, false) => Some(Inclusion::Fails(texts)),
        (Some(()), true) => Some(Inclusion::Holds),
        (None, true) => {
            if !every {
                budget.exceed();
            }
            None
        }
    }
}

/// One byte of each kind that no automaton tells apart, those first that read best.
fn bytes(automata: [&Automaton; 2]) -> Vec<u8> {
    let plain = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9').chain(b' '..=b'~');
    let mut kinds = BTreeSet::new();
    let mut bytes: Vec<u8> = plain.chain(0..=u8::MAX).collect();
    bytes.retain(|byte| {
        let kind = automata.map(|automaton| automaton.0.byte_classes().get(*byte));
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
    use super::texts;
    use crate::budget::Budget;

    fn compared(reader: &str, writer: &str) -> Inclusion {
        compare(writer, reader, Length::default(), &Budget::default())
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
            ("^abc", "abc", "babc"),
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
        let long = |least, most| compare("^a+$", "^a{2,4}$", Length { least, most }, &Budget::default());
        assert_eq!(long(2, Some(4)), Inclusion::Holds);
        assert!(matches!(long(2, Some(5)), Inclusion::Fails(texts) if texts[0] == "aaaaa"));
        assert!(matches!(long(1, Some(4)), Inclusion::Fails(texts) if texts[0] == "a"));
        assert!(matches!(long(6, None), Inclusion::Fails(texts) if texts[0] == "aaaaaa"));
    }

    #[test]
    fn what_an_automaton_would_have_to_remember_costs_nothing_z048() {
        // A deterministic automaton remembers which of the last letters were an a.
        let far = |count: usize| format!("^[ab]*a[ab]{{{count}}}$");
        for count in [13, 40, 200] {
            let Inclusion::Fails(texts) = compared(&far(count), &far(count + 1)) else {
                panic!("{count}");
            };
            assert_eq!(texts[0], format!("a{}", "b".repeat(count + 1)));
        }
        assert_eq!(compared("a[ab]{40}$", "(a|aa)[ab]{40}$"), Inclusion::Holds);
        assert_eq!(compared("^(a|b)*a(a|b){16}$", "^(b|a)*a(b|a){16}$"), Inclusion::Holds);
    }

    #[test]
    fn where_the_budget_ends_nothing_is_claimed_z048() {
        let budget = Budget::new(2_000);
        let found = compare("^[ab]*a[ab]{40}$", "^[ab]*a[ab]{39}$", Length::default(), &budget);
        assert_eq!((found, budget.take_exceeded()), (Inclusion::Unknown, true));
        assert_eq!(compared("(", "a"), Inclusion::Unknown);
        assert_eq!(compared("a", "(?=a)"), Inclusion::Unknown);
    }

    #[test]
    fn the_texts_of_a_pattern_are_its_own_z048() {
        let found = texts(r"^(cat|dog)s?\b.{0,2}$", Length::default(), &Budget::default());
        let own = regex::Regex::new(r"^(cat|dog)s?(?-u:\b).{0,2}$").expect("a pattern");
        assert!(
            found.len() > 10 && found.iter().all(|text| own.is_match(text)),
            "{found:?}"
        );
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

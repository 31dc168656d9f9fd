//! Decides whether a pattern hangs clients: whether an engine that goes back and tries again may need time exponential in the text.
//!
//! The service's own engine runs every pattern in linear time; those of JavaScript and Python do not. Such an engine is slow where a
//! repetition can read the same text in two ways. That is seen on the pattern's positions, one for each character that it writes: two
//! ways from a position back to itself over the same text. Lacks polynomial time, which common patterns of e-mail addresses take as well.
//! Invariant: what is refused has such a text; bounded repetitions count as unbounded from [`LOOP_MIN`] on.

use std::collections::BTreeSet;

use regex_syntax::ast::AssertionKind;
use regex_syntax::ast::Ast;
use regex_syntax::ast::RepetitionKind;
use regex_syntax::ast::RepetitionRange;
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::hir::Class;
use regex_syntax::hir::HirKind;
use regex_syntax::hir::translate::Translator;

use crate::json_schema::engine_pattern;

/// Repetitions from which on a bounded one counts as unbounded: two to the eighth are tried at once, two to the twentieth are not.
const LOOP_MIN: u32 = 9;
/// Positions, and pairs of positions, that are looked at; with more nothing is claimed.
const POSITIONS_MAX: usize = 2_000;
const STEPS_MAX: usize = 2_000_000;
/// Levels of a pattern.
const NEST_MAX: u32 = 250;

/// Returns whether a backtracking engine may need exponential time for a text.
pub fn is_exponential(pattern: &str) -> bool {
    // Without a repetition of something that is repeated or has alternatives there is none.
    if !pattern.contains(")*") && !pattern.contains(")+") && !pattern.contains("){") {
        return false;
    }
    let written = engine_pattern(pattern);
    // Read as it is written: what is simplified first has no alternatives that overlap any more.
    let parsed = ParserBuilder::new().nest_limit(NEST_MAX).build().parse(&written);
    let mut positions = Positions::default();
    let read = parsed.ok().and_then(|ast| positions.part(&ast, None));
    read.is_some() && (positions.is_doubled || positions.is_ambiguous().unwrap_or(false))
}

/// The positions of a pattern.
#[derive(Default)]
struct Positions {
    /// Characters that each reads, as ranges.
    reads: Vec<Vec<(u32, u32)>>,
    /// Positions that may come next.
    next: Vec<BTreeSet<usize>>,
    /// The outermost repetition that each is in; within it each position leads to each.
    within: Vec<Option<usize>>,
    /// True if one position leads to another within a repetition in two ways.
    is_doubled: bool,
}

/// A part of a pattern: whether it may read nothing, and where it begins and ends.
struct Part {
    is_empty: bool,
    first: Vec<usize>,
    last: Vec<usize>,
}

impl Part {
    fn empty() -> Part {
        Part {
            is_empty: true,
            first: Vec::new(),
            last: Vec::new(),
        }
    }
}

impl Positions {
    /// Reads a part; none where it has too many positions, or asks what stands beside them.
    fn part(&mut self, ast: &Ast, within: Option<usize>) -> Option<Part> {
        Some(match ast {
            Ast::Empty(_) => Part::empty(),
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::StartLine | AssertionKind::EndLine => Part::empty(),
                _ => return None,
            },
            Ast::Flags(_) => return None,
            Ast::Group(group) => self.part(&group.ast, within)?,
            Ast::Concat(concat) => {
                let mut whole = Part::empty();
                for part in &concat.asts {
                    let next = self.part(part, within)?;
                    whole = self.then(whole, next);
                }
                whole
            }
            Ast::Alternation(alternation) => {
                let mut whole = Part {
                    is_empty: false,
                    ..Part::empty()
                };
                for way in &alternation.asts {
                    let way = self.part(way, within)?;
                    whole.is_empty |= way.is_empty;
                    whole.first.extend(way.first);
                    whole.last.extend(way.last);
                }
                whole
            }
            Ast::Repetition(repetition) => {
                let (min, max) = match &repetition.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(count)) => (*count, Some(*count)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(min)) => (*min, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(min, max)) => (*min, Some(*max)),
                };
                let sub = &repetition.ast;
                let is_plain = !matches!(**sub, Ast::Group(_) | Ast::Repetition(_));
                let loops = max.is_none_or(|max| max >= LOOP_MIN && !(is_plain && min == max));
                let mut whole = match loops {
                    true => self.repeated(sub, within)?,
                    false => self.copies(sub, min, max.unwrap_or(min), within)?,
                };
                whole.is_empty |= min == 0;
                whole
            }
            Ast::Literal(_) | Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_) => {
                self.position(characters(ast)?, within)?
            }
        })
    }

    /// A part as often as it likes.
    fn repeated(&mut self, sub: &Ast, within: Option<usize>) -> Option<Part> {
        let once = self.part(sub, within.or(Some(self.reads.len())))?;
        self.link(&once.last, &once.first);
        Some(once)
    }

    /// A part several times, the last ones perhaps not.
    fn copies(&mut self, sub: &Ast, min: u32, max: u32, within: Option<usize>) -> Option<Part> {
        let mut whole = self.part(sub, within)?;
        let mut before = whole.last.clone();
        // Of what may read nothing each copy reads the same: one stands for all.
        let copies = if whole.is_empty { 1 } else { max.min(LOOP_MIN) };
        for copy in 1..copies {
            let next = self.part(sub, within)?;
            self.link(&before, &next.first);
            before.clone_from(&next.last);
            match copy < min {
                true => whole.last = next.last,
                false => whole.last.extend(next.last),
            }
        }
        Some(whole)
    }

    fn position(&mut self, reads: Vec<(u32, u32)>, within: Option<usize>) -> Option<Part> {
        let place = self.reads.len();
        self.reads.push(reads);
        self.next.push(BTreeSet::new());
        self.within.push(within);
        (place < POSITIONS_MAX).then(|| Part {
            is_empty: false,
            first: vec![place],
            last: vec![place],
        })
    }

    /// One part and then another.
    fn then(&mut self, mut one: Part, other: Part) -> Part {
        self.link(&one.last, &other.first);
        if one.is_empty {
            one.first.extend(other.first);
        }
        if !other.is_empty {
            one.last.clear();
        }
        one.last.extend(other.last);
        one.is_empty &= other.is_empty;
        one
    }

    fn link(&mut self, from: &[usize], to: &[usize]) {
        for (one, other) in from.iter().flat_map(|one| to.iter().map(move |other| (*one, *other))) {
            let is_new = self.next[one].insert(other);
            self.is_doubled |= !is_new && self.within[one].is_some() && self.within[one] == self.within[other];
        }
    }

    /// Returns whether two ways lead from one position back to one over the same text; none where it takes too long to say.
    fn is_ambiguous(&self) -> Option<bool> {
        let mut steps = 0;
        let mut seen = BTreeSet::new();
        let mut pairs: Vec<(usize, usize)> = (0..self.reads.len()).map(|place| (place, place)).collect();
        while let Some((one, other)) = pairs.pop() {
            for (to, also) in self.next[one]
                .iter()
                .flat_map(|to| self.next[other].iter().map(move |also| (*to, *also)))
            {
                steps += 1;
                if steps > STEPS_MAX {
                    return None;
                }
                let is_inside = self.within[to].is_some() && self.within[to] == self.within[one];
                let is_together = self.within[to] == self.within[also] && self.within[one] == self.within[other];
                if !is_inside || !is_together || !meet(&self.reads[to], &self.reads[also]) {
                    continue;
                }
                if one != other && to == also {
                    return Some(true);
                }
                if to != also && seen.insert((to, also)) {
                    pairs.push((to, also));
                }
            }
        }
        Some(false)
    }
}

/// The characters that one position reads, as ranges in ascending order.
fn characters(ast: &Ast) -> Option<Vec<(u32, u32)>> {
    let hir = Translator::new().translate("", ast).ok()?;
    Some(match hir.kind() {
        HirKind::Literal(text) => {
            let own = std::str::from_utf8(&text.0).ok()?.chars().map(u32::from);
            own.map(|c| (c, c)).collect()
        }
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges().iter();
            ranges.map(|range| (range.start().into(), range.end().into())).collect()
        }
        _ => Vec::new(),
    })
}

/// Returns whether two lists of ranges, each in ascending order, have a character in common.
fn meet(one: &[(u32, u32)], other: &[(u32, u32)]) -> bool {
    let (mut at, mut also) = (0, 0);
    while let (Some(left), Some(right)) = (one.get(at), other.get(also)) {
        if left.0.max(right.0) <= left.1.min(right.1) {
            return true;
        }
        match left.1 < right.1 {
            true => at += 1,
            false => also += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_exponential;

    #[test]
    fn a_repetition_that_reads_a_text_in_two_ways_hangs_clients_z048() {
        for pattern in [
            "^([a-z]+)+$",
            "^(a*)*$",
            "^(?:[a-z]+\\s?)+$",
            "^(a|ab|b)*$",
            "^(a|[a-c])+$",
            "^(a|a)*$",
            "^(\\d+|\\w+)*$",
            "^(x+x+)+y$",
            "^(a?b?)*$",
            "^(\\d{1,3},?)*$",
            "^([a-z]{1,20}){1,20}$",
            "^\\w+([.-]?\\w+)*@\\w+$",
            "^((ab)*|(abab)*)*$",
            "(.*,)*x",
            "^([^@]+@?)+$",
        ] {
            assert!(is_exponential(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_repetition_that_reads_each_text_in_one_way_does_not_z048() {
        for pattern in [
            "^[A-Z]{3}$",
            "^(ab+)+$",
            "^([a-z]+,)*[a-z]+$",
            "^(a|b)*a(a|b){16}$",
            "^([0-9]{2}:){2}[0-9]{2}$",
            "^([0-9]{10}){10}$",
            "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$",
            "^(\\d{1,3}\\.){3}\\d{1,3}$",
            "^[^@]+@[^@]+\\.[^@]+$",
            "^(yes|no|maybe)$",
            "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            "^(\\w+: [^\\n]*\\n)*$",
            "^(a{2}){3,}$",
            "(",
        ] {
            assert!(!is_exponential(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_large_pattern_is_looked_at_within_bounds_z048() {
        let words: Vec<String> = (0..200).map(|n| format!("w{n:03}")).collect();
        assert!(!is_exponential(&format!("^({})*$", words.join("|"))));
        assert!(!is_exponential("^((((a{8}b){8}c){8}d){8}e)*$"));
    }
}

//! Patterns of ECMA-262 taken apart: what stands between their anchors, and how long their texts are.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;
use regex_syntax::hir::Look;

use crate::ecma;

/// Levels of a pattern that are looked at.
const NEST_MAX: u32 = 64;

/// A pattern between its anchors.
#[derive(Debug)]
pub struct Expression {
    /// Whether a text begins with it, and whether it ends with it; else anything may stand there.
    pub begins: bool,
    pub ends: bool,
    pub parts: Vec<Hir>,
}

/// The fewest characters, and the most where there is a most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    pub least: u64,
    pub most: Option<u64>,
}

impl Expression {
    /// Takes a pattern apart; `None` for one that is no pattern.
    pub fn read(pattern: &str) -> Option<Expression> {
        let hir = ParserBuilder::new()
            .nest_limit(NEST_MAX)
            .build()
            .parse(&ecma::to_rust(pattern).ok()?)
            .ok()?;
        let mut parts: Vec<Hir> = match hir.kind() {
            HirKind::Concat(parts) => parts.clone(),
            HirKind::Empty
            | HirKind::Literal(_)
            | HirKind::Class(_)
            | HirKind::Look(_)
            | HirKind::Repetition(_)
            | HirKind::Capture(_)
            | HirKind::Alternation(_) => vec![hir],
        };
        let is = |part: Option<&Hir>, look: Look| part.is_some_and(|part| *part.kind() == HirKind::Look(look));
        let begins = is(parts.first(), Look::Start);
        if begins {
            parts.remove(0);
        }
        let ends = is(parts.last(), Look::End);
        if ends {
            parts.pop();
        }
        Some(Expression { begins, ends, parts })
    }

    /// How many characters the texts have that it matches; `None` where an anchor stands within it.
    pub fn lengths(&self) -> Option<Lengths> {
        let own = sum(&self.parts)?;
        Some(Lengths {
            most: own.most.filter(|_| self.begins && self.ends),
            ..own
        })
    }
}

fn sum(parts: &[Hir]) -> Option<Lengths> {
    let nothing = Lengths {
        least: 0,
        most: Some(0),
    };
    parts.iter().try_fold(nothing, |sum, part| {
        let next = lengths(part)?;
        Some(Lengths {
            least: sum.least.saturating_add(next.least),
            most: sum.most.zip(next.most).map(|(one, other)| one.saturating_add(other)),
        })
    })
}

fn lengths(hir: &Hir) -> Option<Lengths> {
    let exactly = |count: u64| Lengths {
        least: count,
        most: Some(count),
    };
    match hir.kind() {
        HirKind::Empty => Some(exactly(0)),
        HirKind::Look(_) => None,
        HirKind::Literal(text) => {
            let text = std::str::from_utf8(&text.0).ok()?;
            u64::try_from(text.chars().count()).ok().map(exactly)
        }
        HirKind::Class(_) => Some(exactly(1)),
        HirKind::Capture(capture) => lengths(&capture.sub),
        HirKind::Repetition(repetition) => {
            let once = lengths(&repetition.sub)?;
            let times = repetition.max.map(u64::from);
            Some(Lengths {
                least: once.least.saturating_mul(u64::from(repetition.min)),
                most: once.most.zip(times).map(|(once, times)| once.saturating_mul(times)),
            })
        }
        HirKind::Concat(parts) => sum(parts),
        HirKind::Alternation(ways) => {
            let each: Vec<Lengths> = ways.iter().map(lengths).collect::<Option<_>>()?;
            Some(Lengths {
                least: each.iter().map(|way| way.least).min()?,
                most: each
                    .iter()
                    .map(|way| way.most)
                    .try_fold(0, |most, way| way.map(|way| most.max(way))),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;
    use super::Lengths;

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
            let lengths = Expression::read(pattern).and_then(|read| read.lengths());
            assert_eq!(lengths, Some(Lengths { least, most }), "{pattern}");
        }
    }

    #[test]
    fn what_has_no_length_of_its_own_is_not_counted_z048() {
        for pattern in ["^a$|^b$", r"\bword\b", "(?i)abc", "^(?=a)b$", r"^(a)\1$", "^[[a]]$"] {
            let lengths = Expression::read(pattern).and_then(|read| read.lengths());
            assert_eq!(lengths, None, "{pattern}");
        }
    }
}

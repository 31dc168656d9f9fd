//! Regular expressions as JSON Schema reads them, taken apart where nothing in them could mean something else here.
//!
//! Reads `\d`, `\w` and `\s` as JSON Schema does, so for ASCII and ECMAScript's white space. Invariant: what is not surely
//! read as it is enforced is not read at all.

use regex_syntax::Error;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;
use regex_syntax::hir::Look;

/// Characters of a pattern that a message shows.
const SHOWN_CHARS: usize = 20;

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
    /// Takes a pattern apart; `None` for one that is not surely read as it is enforced.
    pub fn read(pattern: &str) -> Option<Expression> {
        let hir = ParserBuilder::new()
            .nest_limit(NEST_MAX)
            .build()
            .parse(&ascii_classes(pattern)?)
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

    /// Why a pattern cannot be read, with the place in it; `None` for one that can.
    pub fn fault(pattern: &str) -> Option<String> {
        let (kind, at) = match ParserBuilder::new().nest_limit(NEST_MAX).build().parse(pattern) {
            Err(Error::Parse(fault)) => (why(fault.kind()), fault.span().start.offset),
            Err(Error::Translate(fault)) => (fault.kind().to_string(), fault.span().start.offset),
            Ok(_) | Err(_) => return None,
        };
        let rest: String = pattern.get(at..)?.chars().take(SHOWN_CHARS).collect();
        let place = pattern.get(..at)?.chars().count() + 1;
        Some(match rest.is_empty() {
            true => format!("{kind}, at its end"),
            false => format!("{kind}, at character {place} (`{rest}`)"),
        })
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

/// The pattern with its classes as JSON Schema reads them; `None` for one whose meaning would differ.
fn ascii_classes(pattern: &str) -> Option<String> {
    const SPACE: &str =
        "\\t\\n\\x0B\\x0C\\r \\u{A0}\\u{1680}\\u{2000}-\\u{200A}\\u{2028}\\u{2029}\\u{202F}\\u{205F}\\u{3000}\\u{FEFF}";
    // Empty classes, and counts that only one of both reads as such.
    if ["[]", "[^]", "{,", "{ "].iter().any(|sign| pattern.contains(sign)) {
        return None;
    }
    let mut written = String::with_capacity(pattern.len());
    let mut letters = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = letters.next() {
        match c {
            // A class within a class, and sets of them.
            '[' if in_class => return None,
            '&' | '-' | '~' if in_class && letters.peek() == Some(&c) => return None,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if letters.peek() == Some(&'?') => {
                // A group that captures nothing is a group; flags change what everything after them means.
                letters.next();
                if in_class || letters.next() != Some(':') {
                    return None;
                }
            }
            _ => {}
        }
        if c != '\\' {
            written.push(c);
            continue;
        }
        match letters.next()? {
            'd' => written.push_str("[0-9]"),
            'D' => written.push_str("[^0-9]"),
            'w' => written.push_str("[A-Za-z0-9_]"),
            'W' => written.push_str("[^A-Za-z0-9_]"),
            's' => written.push_str(&format!("[{SPACE}]")),
            'S' => written.push_str(&format!("[^{SPACE}]")),
            'b' | 'B' | 'c' => return None,
            other => {
                written.push('\\');
                written.push(other);
            }
        }
    }
    Some(written)
}

/// A fault in words that name the mark that is wrong.
fn why(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::ClassUnclosed => "a `[` that no `]` closes".to_owned(),
        ErrorKind::GroupUnclosed => "a `(` that no `)` closes".to_owned(),
        ErrorKind::GroupUnopened => "a `)` that closes no `(`".to_owned(),
        ErrorKind::RepetitionMissing => "a repetition of nothing".to_owned(),
        ErrorKind::RepetitionCountUnclosed => "a `{` that no `}` closes".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;
    use super::Lengths;

    #[test]
    fn what_is_wrong_with_a_pattern_is_named_with_its_place_z048() {
        for (pattern, why) in [
            ("^[A-Z$", "a `[` that no `]` closes, at character 2 (`[A-Z$`)"),
            ("^(a|b$", "a `(` that no `)` closes, at character 2 (`(a|b$`)"),
            ("^ab)$", "a `)` that closes no `(`, at character 4 (`)$`)"),
            ("*a", "a repetition of nothing, at character 1 (`*a`)"),
        ] {
            assert_eq!(Expression::fault(pattern).as_deref(), Some(why));
        }
        assert!(Expression::fault("(?=a)").is_some_and(|why| why.contains("look-around")));
        assert_eq!(Expression::fault("^[A-Z]$"), None);
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
            let lengths = Expression::read(pattern).and_then(|read| read.lengths());
            assert_eq!(lengths, Some(Lengths { least, most }), "{pattern}");
        }
    }

    #[test]
    fn what_could_mean_something_else_is_not_read_z048() {
        for pattern in [
            "^a$|^b$",
            r"\bword\b",
            "(?i)abc",
            "^(?=a)b$",
            r"^(a)\1$",
            "^[[a]]$",
            "^[a-z&&b]$",
            "^a{,3}$",
            "^a{ 3}$",
            "^[]a]$",
        ] {
            let lengths = Expression::read(pattern).and_then(|read| read.lengths());
            assert_eq!(lengths, None, "{pattern}");
        }
    }
}

//! Patterns as grammars: those that are made of letters, classes, repetitions and alternatives alone.
//!
//! A pattern that is not read ([`crate::expression`]), has an anchor elsewhere than at its ends, or makes a
//! text that would be too long is not written.

use regex_syntax::hir::Class;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;

use crate::export::gbnf::REPEATS_MAX;
use crate::export::gbnf::literal;
use crate::expression::Expression;

/// Bytes of a pattern that is written out.
const WRITTEN_BYTES_MAX: usize = 16 * 1024;

/// The pattern's texts as an expression, and whether it needs the rule `char`; `None` where it is not written.
pub fn written(pattern: &str) -> Option<(String, bool)> {
    let Expression { begins, ends, parts } = Expression::read(pattern)?;
    let mut body = String::new();
    if !begins {
        body.push_str("char* ");
    }
    for part in &parts {
        expression(part, &mut body)?;
        body.push(' ');
    }
    if !ends {
        body.push_str("char*");
    }
    let body = body.trim_end();
    let body = if body.is_empty() { "\"\"" } else { body };
    Some((body.to_owned(), !begins || !ends))
}

/// Writes an expression that stands as one whole.
fn expression(hir: &Hir, out: &mut String) -> Option<()> {
    if out.len() > WRITTEN_BYTES_MAX {
        return None;
    }
    match hir.kind() {
        HirKind::Empty => out.push_str("\"\""),
        HirKind::Look(_) => return None,
        HirKind::Literal(text) => {
            let text = std::str::from_utf8(&text.0).ok()?;
            let json = serde_json::Value::String(text.to_owned()).to_string();
            let inner = json.get(1..json.len().checked_sub(1)?)?;
            out.push_str(&literal(inner));
        }
        HirKind::Class(Class::Unicode(class)) => {
            letters(class.ranges().iter().map(|range| (range.start(), range.end())), out)?;
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.ranges().iter();
            letters(
                ranges.map(|range| (char::from(range.start()), char::from(range.end()))),
                out,
            )?;
        }
        HirKind::Capture(capture) => expression(&capture.sub, out)?,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.map(u64::from);
            if u64::from(repetition.min) > REPEATS_MAX || most.is_some_and(|most| most > REPEATS_MAX) {
                return None;
            }
            out.push('(');
            expression(&repetition.sub, out)?;
            out.push(')');
            out.push_str(&match (repetition.min, repetition.max) {
                (0, None) => "*".to_owned(),
                (1, None) => "+".to_owned(),
                (0, Some(1)) => "?".to_owned(),
                (least, None) => format!("{{{least},}}"),
                (least, Some(most)) => format!("{{{least},{most}}}"),
            });
        }
        HirKind::Concat(parts) => {
            out.push('(');
            for part in parts {
                expression(part, out)?;
                out.push(' ');
            }
            out.push(')');
        }
        HirKind::Alternation(ways) => {
            out.push('(');
            for (n, way) in ways.iter().enumerate() {
                if n > 0 {
                    out.push_str(" | ");
                }
                expression(way, out)?;
            }
            out.push(')');
        }
    }
    (out.len() <= WRITTEN_BYTES_MAX).then_some(())
}

/// The characters of ranges as they stand in a JSON text: what must be escaped there is written as its escape.
fn letters(ranges: impl Iterator<Item = (char, char)>, out: &mut String) -> Option<()> {
    const ESCAPED: [(char, &str); 7] = [
        ('"', "\\\""),
        ('\\', "\\\\"),
        ('\n', "\\n"),
        ('\r', "\\r"),
        ('\t', "\\t"),
        ('\u{8}', "\\b"),
        ('\u{c}', "\\f"),
    ];
    let mut class = Letters::default();
    let mut ways: Vec<String> = Vec::new();
    for (start, end) in ranges {
        for (c, escape) in ESCAPED {
            if (start..=end).contains(&c) {
                ways.push(literal(escape));
            }
        }
        // What may stand there as it is, in up to four pieces around the quotation mark, the backslash and delete.
        let mut from = u32::from(start).max(0x20);
        let to = u32::from(end);
        for stop in [0x22, 0x5C, 0x7F, to.saturating_add(1)] {
            let last = stop.saturating_sub(1).min(to);
            if from <= last {
                class.add(from, last);
            }
            from = from.max(stop.saturating_add(1));
        }
        if class.ranges.len() > WRITTEN_BYTES_MAX {
            return None;
        }
    }
    if class.caret {
        ways.insert(0, literal("^"));
    }
    if class.hyphen || !class.ranges.is_empty() {
        let hyphen = if class.hyphen { "-" } else { "" };
        ways.insert(0, format!("[{hyphen}{}]", class.ranges));
    }
    if ways.is_empty() {
        return None;
    }
    out.push_str(&super::either(&ways));
    Some(())
}

/// A class in the spelling that readers of grammars have in common: a hyphen stands first or between two ends, a caret not
/// at all.
#[derive(Default)]
struct Letters {
    hyphen: bool,
    caret: bool,
    ranges: String,
}

impl Letters {
    fn add(&mut self, first: u32, last: u32) {
        const HYPHEN: u32 = 0x2D;
        const CARET: u32 = 0x5E;
        let (mut first, mut last) = (first, last);
        for (sign, apart) in [(HYPHEN, &mut self.hyphen), (CARET, &mut self.caret)] {
            if first == sign || last == sign {
                *apart = true;
                if first == sign && last == sign {
                    return;
                }
                if first == sign {
                    first += 1;
                } else {
                    last -= 1;
                }
            }
        }
        self.ranges.push_str(&letter(first));
        if last > first {
            self.ranges.push('-');
            self.ranges.push_str(&letter(last));
        }
    }
}

/// One character of a class. Escapes are those that no reader takes for something else: of `\x` they differ in how many
/// digits it takes, and some leave out the zeros of `\u`.
fn letter(code: u32) -> String {
    match char::from_u32(code) {
        Some(c @ ('[' | ']')) => format!("\\{c}"),
        Some('\u{1000}'..='\u{FFFF}') => format!("\\u{code:04X}"),
        Some(c) => c.to_string(),
        // The ends of a class are characters, and no piece of it ends beside a surrogate.
        None => String::new(),
    }
}

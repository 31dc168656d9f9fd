//! Patterns of ECMA-262 with the flag `u`, as JSON Schema recommends them, written for the `regex` crate.
//!
//! `regress` says whether a text is such a pattern. One pass over it then writes the same expression in the dialect of `regex`, with
//! every class spelt out, so that nothing is left that both read differently: `.`, `\b`, `\d`, `\w`, `\s`, `^` and `$` mean what
//! ECMA-262 says. Lacks look-around and back-references, which no engine runs in linear time, and flags within a pattern, which not
//! every reader of ECMA-262 takes. Invariant: what is written matches the same texts.

use std::collections::BTreeSet;
use std::str::Chars;

use regress::Flags;
use regress::Regex;

/// `\d`, `\w` and `\s` (ECMA-262 §22.2.2.9), each with all other characters: digits and letters are ASCII's, white space is WhiteSpace
/// and LineTerminator.
const DIGITS: [&str; 2] = ["0-9", r"\x00-\x2F\x3A-\x{10FFFF}"];
const WORDS: [&str; 2] = ["0-9A-Z_a-z", r"\x00-\x2F\x3A-\x40\x5B-\x5E\x60\x7B-\x{10FFFF}"];
const SPACES: [&str; 2] = [
    r"\x09-\x0D\x20\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF",
    r"\x00-\x08\x0E-\x1F\x21-\x9F\xA1-\u167F\u1681-\u1FFF\u200B-\u2027\u202A-\u202E\u2030-\u205E\u2060-\u2FFF\u3001-\uFEFE\uFF00-\x{10FFFF}",
];
/// What `.` does not match.
const LINE_ENDS: &str = r"\n\r\u2028\u2029";

/// How other dialects write what ECMA-262 writes otherwise, or not at all: said where a pattern is none of its own.
const FOREIGN: [(&str, &str); 13] = [
    ("(?P<", "a group has its name as `(?<name>…)`"),
    ("(?>", "there are no atomic groups"),
    ("(?#", "there are no comments"),
    ("(?i", FLAGS),
    ("(?m", FLAGS),
    ("(?s", FLAGS),
    ("(?x", FLAGS),
    ("\\A", "a text begins at `^`"),
    ("\\z", "a text ends at `$`"),
    ("\\Z", "a text ends at `$`"),
    ("[[:", "there are no classes within classes"),
    ("++", "no repetition is possessive"),
    ("*+", "no repetition is possessive"),
];
const FLAGS: &str =
    "flags within a pattern are not supported: not every reader takes them; both cases of a letter are `[aA]`";

/// Why a pattern is none of ECMA-262, or none that is run here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(String);

/// The pattern in the dialect of the `regex` crate. A surrogate without its other half, and a property that is not known there, are
/// left for that crate to refuse.
///
/// # Errors
/// What is not ECMA-262 with the flag `u`, or is not run in linear time.
pub fn to_rust(pattern: &str) -> Result<String, Fault> {
    let flags = Flags {
        unicode: true,
        // It is read and never run.
        no_opt: true,
        ..Flags::default()
    };
    Regex::with_flags(pattern, flags).map_err(|error| foreign(pattern, &error.text))?;
    let mut writer = Writer {
        rest: pattern.chars(),
        written: String::with_capacity(pattern.len()),
        names: BTreeSet::new(),
    };
    while let Some(c) = writer.rest.next() {
        match c {
            '.' => writer.written.push_str(&format!("[^{LINE_ENDS}]")),
            '(' => writer.group()?,
            '[' => writer.class()?,
            '\\' => writer.escape(false)?,
            c => writer.written.push(c),
        }
    }
    Ok(writer.written)
}

/// A pattern that is right, being written anew.
struct Writer<'p> {
    rest: Chars<'p>,
    written: String,
    names: BTreeSet<String>,
}

impl Writer<'_> {
    /// Goes on behind a text, if it is what follows.
    fn passes(&mut self, text: &str) -> bool {
        let mut ahead = self.rest.clone();
        let found = text.chars().all(|c| ahead.next() == Some(c));
        if found {
            self.rest = ahead;
        }
        found
    }

    /// What stands up to a character, which is passed.
    fn until(&mut self, end: char) -> String {
        self.rest.by_ref().take_while(|c| *c != end).collect()
    }

    fn group(&mut self) -> Result<(), Fault> {
        if self.passes("?:") {
            self.written.push_str("(?:");
            return Ok(());
        }
        if ["?=", "?!", "?<=", "?<!"].into_iter().any(|begun| self.passes(begun)) {
            return refuse("look-around is not supported: it takes more than linear time");
        }
        if self.passes("?<") {
            // Nothing here refers to a name.
            let name = self.until('>');
            if !self.names.insert(name) {
                return refuse("two groups have the same name, which not every reader takes");
            }
        } else if self.passes("?") {
            return refuse(FLAGS);
        }
        self.written.push('(');
        Ok(())
    }

    fn class(&mut self) -> Result<(), Fault> {
        let is_negated = self.passes("^");
        if self.passes("]") {
            self.written.push_str(if is_negated { r"[\s\S]" } else { r"[^\s\S]" });
            return Ok(());
        }
        self.written.push_str(if is_negated { "[^" } else { "[" });
        while !self.passes("]") {
            self.atom()?;
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && ahead.next() != Some(']') {
                self.rest.next();
                self.written.push('-');
                self.atom()?;
            }
        }
        self.written.push(']');
        Ok(())
    }

    /// One member of a class: nothing but letters and digits stands for itself there.
    fn atom(&mut self) -> Result<(), Fault> {
        match self.rest.next() {
            Some('\\') => return self.escape(true),
            Some(c) if c.is_ascii_alphanumeric() => self.written.push(c),
            Some(c) => self.code(u32::from(c)),
            None => {}
        }
        Ok(())
    }

    fn code(&mut self, code: u32) {
        self.written.push_str(&format!("\\x{{{code:x}}}"));
    }

    /// What follows a backslash.
    fn escape(&mut self, in_class: bool) -> Result<(), Fault> {
        let Some(c) = self.rest.next() else { return Ok(()) };
        match c {
            'd' | 'D' => self.set(DIGITS, c == 'D', in_class),
            'w' | 'W' => self.set(WORDS, c == 'W', in_class),
            's' | 'S' => self.set(SPACES, c == 'S', in_class),
            'b' if in_class => self.code(0x08),
            'b' | 'B' => {
                if self.rest.clone().next().is_some_and(|next| "*+?{".contains(next)) {
                    return refuse("a repetition of a place, where no character stands");
                }
                self.written.push_str(&format!("(?-u:\\{c})"));
            }
            '0' => self.code(0),
            'c' => {
                let letter = self.rest.next().map_or(0, u32::from);
                self.code(letter % 32);
            }
            'x' => {
                let code = self.hex(2);
                self.code(u32::from(code));
            }
            'u' => self.point(),
            'p' | 'P' => {
                let name = self.until('}');
                self.written.push_str(&format!("\\{c}{name}}}"));
            }
            '1'..='9' | 'k' => return refuse("back-references are not supported: they take more than linear time"),
            '/' => self.written.push('/'),
            c => self.written.extend(['\\', c]),
        }
        Ok(())
    }

    fn set(&mut self, sets: [&str; 2], is_negated: bool, in_class: bool) {
        let set = sets[usize::from(is_negated)];
        match in_class {
            true => self.written.push_str(set),
            false => self.written.push_str(&format!("[{set}]")),
        }
    }

    /// `\u0041`, `\u{41}`, or both halves of a surrogate pair.
    fn point(&mut self) {
        if self.passes("{") {
            let digits = self.until('}');
            self.written.push_str(&format!("\\x{{{digits}}}"));
            return;
        }
        let first = self.hex(4);
        let is_half = (0xD800..0xDC00).contains(&first) && self.passes("\\u");
        let halves = [first, if is_half { self.hex(4) } else { 0 }];
        match char::decode_utf16(halves).next() {
            Some(Ok(c)) => self.code(u32::from(c)),
            _ => self.code(u32::from(first)),
        }
    }

    fn hex(&mut self, digits: usize) -> u16 {
        let digits: String = self.rest.by_ref().take(digits).collect();
        u16::from_str_radix(&digits, 16).unwrap_or(0)
    }
}

/// What is said of a text that is no pattern of ECMA-262, with the place of what another dialect writes so.
fn foreign(pattern: &str, error: &str) -> Fault {
    let found = FOREIGN
        .iter()
        .find_map(|(spelling, why)| Some((pattern.find(spelling)?, why)));
    Fault(match found {
        Some((at, why)) => format!("{error}; {why}, at character {}", pattern[..at].chars().count() + 1),
        None => error.to_owned(),
    })
}

fn refuse<T>(why: &str) -> Result<T, Fault> {
    Err(Fault(why.to_owned()))
}

#[cfg(test)]
mod tests;

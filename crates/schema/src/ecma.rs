//! Patterns of ECMA-262 with the flag `u`, as JSON Schema recommends them, read for the `regex` crate.
//!
//! One pass over the pattern writes the same expression in that crate's dialect, with every class spelt out, so that nothing is
//! left that both read differently: `.`, `\b`, `\d`, `\w`, `\s`, `^` and `$` mean what ECMA-262 says. Lacks look-around and
//! back-references, which no engine runs in linear time. Invariant: what is not ECMA-262 is refused with its place, and what is
//! written matches the same texts.

mod property;

use std::fmt;

/// Groups within groups: the engine takes them apart one in another.
const DEPTH_MAX: usize = 64;
/// Characters of a pattern that a message shows.
const SHOWN_CHARS: usize = 20;
/// The highest count that the engine reads.
const COUNT_MAX: u64 = u32::MAX as u64;
const LAST: u32 = 0x10_FFFF;

/// `\d`, `\w` and `\s` (ECMA-262 §22.2.2.9): digits and letters are ASCII's, white space is WhiteSpace and LineTerminator.
const DIGITS: [(u32, u32); 1] = [(0x30, 0x39)];
const WORDS: [(u32, u32); 4] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const SPACES: [(u32, u32); 10] = [
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];
/// What `.` does not match.
const LINE_ENDS: [(u32, u32); 3] = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
/// Characters with a meaning, which a backslash takes away; no others may be escaped, but for `/`.
const SYNTAX: &str = "^$\\.*+?()[]{}|";

/// Why a pattern is none of ECMA-262, or none that is run here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    /// The character that it stands at, counted from 1, and what stands there.
    pub place: usize,
    rest: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { message, place, rest } = self;
        match rest.is_empty() {
            true => write!(f, "{message}, at its end"),
            false => write!(f, "{message}, at character {place} (`{rest}`)"),
        }
    }
}

/// The pattern in the dialect of the `regex` crate.
///
/// # Errors
/// The first thing that is not ECMA-262 with the flag `u`, or that is not run in linear time.
pub fn to_rust(pattern: &str) -> Result<String, Fault> {
    let text: Vec<char> = pattern.chars().collect();
    let mut reader = Reader {
        text: &text,
        at: 0,
        written: String::with_capacity(pattern.len()),
        open: Vec::new(),
        names: Vec::new(),
    };
    reader.read()?;
    Ok(reader.written)
}

/// What was read last, which a repetition asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Something,
    Assertion,
    Repetition,
}

/// One member of a class.
enum Atom {
    One(u32),
    Set(Vec<(u32, u32)>),
    /// `\p{…}` or `\P{…}`, as the engine writes it.
    Property(String),
}

struct Reader<'p> {
    text: &'p [char],
    at: usize,
    written: String,
    /// Where each group began that is open.
    open: Vec<usize>,
    names: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Fault> {
        let mut before = Before::Nothing;
        while let Some(c) = self.peek(0) {
            let start = self.at;
            before = match c {
                '^' | '$' => self.pass(c, Before::Assertion),
                '|' => self.pass(c, Before::Nothing),
                '(' => {
                    self.group()?;
                    Before::Nothing
                }
                ')' => {
                    if self.open.pop().is_none() {
                        return self.fail(start, "a `)` that closes no `(`");
                    }
                    self.pass(c, Before::Something)
                }
                '*' | '+' | '?' | '{' => {
                    self.repetition(before)?;
                    Before::Repetition
                }
                ']' => {
                    return self.fail(
                        start,
                        "a `]` that no `[` opened; classes within classes, such as `[[:alpha:]]`, are not ECMA-262",
                    );
                }
                '}' => return self.fail(start, "a `}` that no `{` opened; as a character it is `\\}`"),
                '.' => {
                    self.take(1);
                    self.class(&without(&LINE_ENDS), &[], false);
                    Before::Something
                }
                '[' => {
                    self.listed()?;
                    Before::Something
                }
                '\\' if matches!(self.peek(1), Some('b' | 'B')) => {
                    let boundary = if self.peek(1) == Some('b') { "\\b" } else { "\\B" };
                    self.take(2);
                    self.written.push_str(&format!("(?-u:{boundary})"));
                    Before::Assertion
                }
                '\\' => {
                    match self.escape(false)? {
                        Atom::One(c) => self.one(c),
                        Atom::Set(set) => self.class(&set, &[], false),
                        Atom::Property(property) => self.written.push_str(&property),
                    }
                    Before::Something
                }
                c => {
                    self.take(1);
                    self.one(u32::from(c));
                    Before::Something
                }
            };
        }
        match self.open.pop() {
            Some(start) => self.fail(start, "a `(` that no `)` closes"),
            None => Ok(()),
        }
    }

    /// Writes a character as it stands.
    fn pass(&mut self, c: char, before: Before) -> Before {
        self.take(1);
        self.written.push(c);
        before
    }

    fn group(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.open.push(start);
        if self.open.len() > DEPTH_MAX {
            return self.fail(start, &format!("groups stand at most {DEPTH_MAX} deep"));
        }
        if self.peek(1) != Some('?') {
            self.take(1);
            self.written.push('(');
            return Ok(());
        }
        let refused = match (self.peek(2), self.peek(3)) {
            (Some(':'), _) => {
                self.take(3);
                self.written.push_str("(?:");
                return Ok(());
            }
            (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => {
                "look-around is not supported: it takes more than linear time"
            }
            (Some('<'), _) => return self.name(start),
            (Some('P'), _) => "`(?P…)` is not ECMA-262: a group has its name as `(?<name>…)`",
            (Some('>'), _) => "atomic groups are not ECMA-262",
            (Some('#'), _) => "comments are not ECMA-262",
            (Some(c), _) if c.is_ascii_alphabetic() || c == '-' || c == '^' => {
                "flags within a pattern are not supported: not every reader of ECMA-262 takes them; both cases of a letter are `[aA]`"
            }
            _ => "no such group is ECMA-262",
        };
        self.fail(start, refused)
    }

    /// A group with a name, which nothing here refers to.
    fn name(&mut self, start: usize) -> Result<(), Fault> {
        self.take(3);
        let rest = &self.text[self.at..];
        let name: String = rest.iter().take_while(|c| **c != '>').collect();
        let begins = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '$' | '_'));
        let is_plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '$' | '_'));
        let length = name.chars().count();
        if !begins || !is_plain || length == rest.len() {
            return self.fail(start, "a group's name is an identifier in `<` and `>`");
        }
        if self.names.contains(&name) {
            return self.fail(start, "two groups have the same name");
        }
        self.names.push(name);
        self.take(length + 1);
        self.written.push('(');
        Ok(())
    }

    fn repetition(&mut self, before: Before) -> Result<(), Fault> {
        let start = self.at;
        let sign = self.peek(0);
        let counted = if sign == Some('{') {
            Some(self.count(start)?)
        } else {
            None
        };
        let refused = match before {
            Before::Something => None,
            Before::Nothing => Some("a repetition of nothing"),
            Before::Assertion => Some("a repetition of a place, where no character stands"),
            Before::Repetition => Some("a repetition of a repetition, which is possessive elsewhere and not ECMA-262"),
        };
        if let Some(refused) = refused {
            return self.fail(start, refused);
        }
        match counted {
            Some(counted) => self.written.push_str(&counted),
            None => {
                self.take(1);
                self.written.extend(sign);
            }
        }
        if self.peek(0) == Some('?') {
            self.take(1);
            self.written.push('?');
        }
        Ok(())
    }

    /// `{2}`, `{2,}` or `{2,4}`.
    fn count(&mut self, start: usize) -> Result<String, Fault> {
        self.take(1);
        let least = self.digits();
        let most = match self.peek(0) {
            Some(',') => {
                self.take(1);
                self.digits()
            }
            _ => least.clone(),
        };
        if least.is_empty() || self.peek(0) != Some('}') {
            return self.fail(
                start,
                "a `{` that begins no count such as `{2}`, `{2,}` or `{2,4}`; as a character it is `\\{`",
            );
        }
        self.take(1);
        let number = |digits: &str| digits.parse::<u64>().ok().filter(|count| *count <= COUNT_MAX);
        let (low, high) = (number(&least), number(&most));
        if low.is_none() || (high.is_none() && !most.is_empty()) {
            return self.fail(start, "a count that is too large");
        }
        if high.is_some_and(|high| low.is_some_and(|low| low > high)) {
            return self.fail(start, "a count whose least is above its most");
        }
        Ok(format!("{{{least},{most}}}"))
    }

    fn digits(&mut self) -> String {
        let digits: String = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).collect();
        self.take(digits.len());
        digits
    }

    /// A class in brackets.
    fn listed(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.take(1);
        let is_negated = self.peek(0) == Some('^');
        self.take(usize::from(is_negated));
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut properties: Vec<String> = Vec::new();
        loop {
            let at = self.at;
            match self.peek(0) {
                None => return self.fail(start, "a `[` that no `]` closes"),
                Some(']') => break,
                Some(_) => {}
            }
            let first = self.atom()?;
            let is_range = self.peek(0) == Some('-') && self.peek(1).is_some_and(|c| c != ']');
            if !is_range {
                match first {
                    Atom::One(c) => ranges.push((c, c)),
                    Atom::Set(set) => ranges.extend(set),
                    Atom::Property(property) => properties.push(property),
                }
                continue;
            }
            self.take(1);
            match (first, self.atom()?) {
                (Atom::One(low), Atom::One(high)) if low <= high => ranges.push((low, high)),
                (Atom::One(_), Atom::One(_)) => {
                    return self.fail(at, "a range whose end comes before its beginning");
                }
                _ => return self.fail(at, "a range from or to a class; a `-` as a character is `\\-`"),
            }
        }
        self.take(1);
        self.class(&ranges, &properties, is_negated);
        Ok(())
    }

    fn atom(&mut self) -> Result<Atom, Fault> {
        match self.peek(0) {
            Some('\\') => self.escape(true),
            Some(c) => {
                self.take(1);
                Ok(Atom::One(u32::from(c)))
            }
            None => self.fail(self.at, "a `[` that no `]` closes"),
        }
    }

    /// What a backslash begins.
    fn escape(&mut self, in_class: bool) -> Result<Atom, Fault> {
        let start = self.at;
        let Some(c) = self.peek(1) else {
            return self.fail(start, "a `\\` that nothing follows");
        };
        self.take(2);
        let atom = match c {
            'd' => Atom::Set(DIGITS.to_vec()),
            'D' => Atom::Set(without(&DIGITS)),
            'w' => Atom::Set(WORDS.to_vec()),
            'W' => Atom::Set(without(&WORDS)),
            's' => Atom::Set(SPACES.to_vec()),
            'S' => Atom::Set(without(&SPACES)),
            't' => Atom::One(0x09),
            'n' => Atom::One(0x0A),
            'v' => Atom::One(0x0B),
            'f' => Atom::One(0x0C),
            'r' => Atom::One(0x0D),
            'b' if in_class => Atom::One(0x08),
            '-' if in_class => Atom::One(0x2D),
            '0' if !self.peek(0).is_some_and(|c| c.is_ascii_digit()) => Atom::One(0),
            'c' => match self.peek(0).filter(char::is_ascii_alphabetic) {
                Some(letter) => {
                    self.take(1);
                    Atom::One(u32::from(letter) % 32)
                }
                None => return self.fail(start, "`\\c` takes a letter"),
            },
            'x' => match self.hex(2) {
                Some(c) => Atom::One(c),
                None => {
                    return self.fail(
                        start,
                        "`\\x` takes two hexadecimal digits, `\\u{…}` as many as there are",
                    );
                }
            },
            'u' => Atom::One(self.point(start)?),
            'p' | 'P' => Atom::Property(self.property(start, c)?),
            c if SYNTAX.contains(c) || c == '/' => Atom::One(u32::from(c)),
            '0' => return self.fail(start, "numbers of characters to the base of 8 are not ECMA-262"),
            '1'..='9' | 'k' => {
                return self.fail(
                    start,
                    "back-references are not supported: they take more than linear time",
                );
            }
            'A' | 'z' | 'Z' | 'G' => {
                let message = format!("`\\{c}` is not ECMA-262: a text begins at `^` and ends at `$`");
                return self.fail(start, &message);
            }
            'Q' | 'E' => return self.fail(start, "quoting by `\\Q` and `\\E` is not ECMA-262"),
            c => {
                let message = format!("`\\{c}` is no escape of ECMA-262 with the flag `u`");
                return self.fail(start, &message);
            }
        };
        Ok(atom)
    }

    /// `\u0041`, `\u{41}`, or both halves of a surrogate pair.
    fn point(&mut self, start: usize) -> Result<u32, Fault> {
        const WRONG: &str = "`\\u` takes four hexadecimal digits, or a character's number in braces";
        if self.peek(0) == Some('{') {
            let rest = &self.text[self.at + 1..];
            let digits: String = rest.iter().take_while(|c| c.is_ascii_hexdigit()).collect();
            let number = u32::from_str_radix(&digits, 16);
            let closed = rest.get(digits.len()) == Some(&'}') && !digits.is_empty();
            return match number {
                Ok(number) if closed && char::from_u32(number).is_some() => {
                    self.take(digits.len() + 2);
                    Ok(number)
                }
                Ok(_) | Err(_) => self.fail(start, WRONG),
            };
        }
        let Some(first) = self.hex(4) else {
            return self.fail(start, WRONG);
        };
        if char::from_u32(first).is_some() {
            return Ok(first);
        }
        let here = self.at;
        let second = match (first, self.peek(0), self.peek(1)) {
            (0xD800..=0xDBFF, Some('\\'), Some('u')) => {
                self.take(2);
                self.hex(4).filter(|second| (0xDC00..=0xDFFF).contains(second))
            }
            _ => None,
        };
        match second {
            Some(second) => Ok(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)),
            None => {
                self.at = here;
                self.fail(start, "half of a surrogate pair, which no text has")
            }
        }
    }

    fn hex(&mut self, count: usize) -> Option<u32> {
        let digits: String = self.text[self.at..].iter().take(count).collect();
        let is_hex = digits.chars().count() == count && digits.chars().all(|c| c.is_ascii_hexdigit());
        let number = u32::from_str_radix(&digits, 16).ok().filter(|_| is_hex)?;
        self.take(count);
        Some(number)
    }

    /// `\p{Lu}`, `\p{Script=Greek}`.
    fn property(&mut self, start: usize, letter: char) -> Result<String, Fault> {
        if self.peek(0) != Some('{') {
            return self.fail(start, "`\\p` takes a property's name in braces, such as `\\p{L}`");
        }
        let rest = &self.text[self.at + 1..];
        let name: String = rest.iter().take_while(|c| **c != '}').collect();
        let length = name.chars().count();
        let known = property::named(&name).filter(|_| length < rest.len());
        let Some(known) = known else {
            let message = "no property that is known here by that name, which ECMA-262 takes as Unicode writes it: `\\p{Lu}`, \
                           `\\p{Alphabetic}`, `\\p{Script=Greek}`";
            return self.fail(start, message);
        };
        self.take(length + 2);
        Ok(format!("\\{letter}{{{known}}}"))
    }

    /// Writes one character.
    fn one(&mut self, c: u32) {
        match char::from_u32(c) {
            Some(c) if SYNTAX.contains(c) => self.written.extend(['\\', c]),
            Some(c) if !c.is_control() => self.written.push(c),
            Some(_) | None => self.written.push_str(&format!("\\x{{{c:x}}}")),
        }
    }

    /// Writes a class: inside its brackets nothing but letters and digits stands for itself.
    fn class(&mut self, ranges: &[(u32, u32)], properties: &[String], is_negated: bool) {
        if ranges.is_empty() && properties.is_empty() {
            self.class(&[(0, LAST)], &[], !is_negated);
            return;
        }
        self.written.push_str(if is_negated { "[^" } else { "[" });
        for (low, high) in ranges {
            self.bound(*low);
            if low < high {
                self.written.push('-');
                self.bound(*high);
            }
        }
        for property in properties {
            self.written.push_str(property);
        }
        self.written.push(']');
    }

    fn bound(&mut self, c: u32) {
        match char::from_u32(c).filter(char::is_ascii_alphanumeric) {
            Some(c) => self.written.push(c),
            None => self.written.push_str(&format!("\\x{{{c:x}}}")),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn take(&mut self, count: usize) {
        self.at = (self.at + count).min(self.text.len());
    }

    fn fail<T>(&self, at: usize, message: &str) -> Result<T, Fault> {
        Err(Fault {
            message: message.to_owned(),
            place: at + 1,
            rest: self.text.iter().skip(at).take(SHOWN_CHARS).collect(),
        })
    }
}

/// Every character but those of sorted ranges.
fn without(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut left = Vec::new();
    let mut next = 0;
    for (low, high) in ranges {
        if *low > next {
            left.push((next, low - 1));
        }
        next = high + 1;
    }
    left.push((next, LAST));
    left
}

#[cfg(test)]
mod tests;

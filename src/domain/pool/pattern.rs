//! Regular expressions that may say what must stand before and after a match without taking it.
//!
//! The `regex` crate has no look-around, which keeps it linear. A pattern here marks the start of its value with an
//! empty group named `s…` and the end with one named `e…`; what lies outside the marks is looked at, not taken.
//! Invariant: the search goes on from the end of the value, so that context can be shared by two values.

use regex::Regex;

/// A compiled pattern and where its marks are.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Pattern {
    /// Compiles one of this module's constants, ignoring case.
    pub fn new(pattern: &str) -> Pattern {
        let regex = fixed(pattern);
        let marks = |letter: char| {
            regex
                .capture_names()
                .enumerate()
                .filter(|(_, name)| name.is_some_and(|name| name.starts_with(letter)))
                .map(|(index, _)| index)
                .collect::<Vec<_>>()
        };
        let starts = marks('s');
        let ends = marks('e');
        Pattern { regex, starts, ends }
    }

    /// The first value at or after a byte offset.
    pub fn find_at(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        if from > text.len() {
            return None;
        }
        if self.starts.is_empty() && self.ends.is_empty() {
            return self.regex.find_at(text, from).map(|found| (found.start(), found.end()));
        }
        let found = self.regex.captures_at(text, from)?;
        let whole = found.get(0)?;
        let mark = |groups: &[usize]| groups.iter().find_map(|&group| found.get(group)).map(|m| m.start());
        Some((
            mark(&self.starts).unwrap_or(whole.start()),
            mark(&self.ends).unwrap_or(whole.end()),
        ))
    }

    /// All values, left to right, without overlaps.
    pub fn find_all(&self, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some((start, end)) = self.find_at(text, from) {
            if end > start {
                found.push((start, end));
            }
            from = if end > from { end } else { next_char(text, from) };
        }
        found
    }
}

/// The byte offset of the character after the one at `at`; past the end of the text when there is none.
pub fn next_char(text: &str, at: usize) -> usize {
    text.get(at..)
        .and_then(|rest| rest.chars().next())
        .map_or(text.len() + 1, |c| at + c.len_utf8())
}

/// Compiles a constant, ignoring case.
pub fn fixed(pattern: &str) -> Regex {
    exact(&format!("(?i){pattern}"))
}

/// Compiles a constant as it stands.
#[expect(
    clippy::expect_used,
    reason = "every caller passes a constant that the tests compile"
)]
pub fn exact(pattern: &str) -> Regex {
    regex::RegexBuilder::new(pattern)
        .size_limit(64 << 20)
        .build()
        .expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn context_is_looked_at_and_not_taken() {
        let pattern = Pattern::new(r"\s(?P<s1>)'[a-z]+'(?P<e1>)\s");
        assert_eq!(pattern.find_all("x 'a' 'b' 'c'"), [(2, 5), (6, 9)]);
        assert_eq!(pattern.find_at("x", 9), None);
    }
}

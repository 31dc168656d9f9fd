//! Names: what stands in quotes, what plays against each other, and runs of capitalised words that no sentence opener
//! explains.
//!
//! Capitals are unreliable, so a name is weak evidence: it is half a value and half none (see the type block of a
//! look), and it is withdrawn once a pool has seen all of its words in lower case ([`crate::domain::pool::seen`]).

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::pattern::Pattern;
use crate::domain::pool::pattern::exact;
use crate::domain::pool::pattern::fixed;
use crate::domain::pool::pattern::next_char;

static QUOTED: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::new(r#"["“][^"”]{2,60}["”]|(?:^|\s)(?P<s1>)'[^']{3,60}'(?P<e1>)(?:[\s.,!?]|$)"#));
/// Two words in lower case on the sides of a "vs".
static OPPOSED: LazyLock<Regex> = LazyLock::new(|| exact(r"\b[a-z][\w'-]+ (?:vs\b\.?|versus) [a-z][\w'-]+"));
/// A title and who bears it, the first name in whatever letters; a street ends in "Dr" behind a word with a capital.
static TITLED: LazyLock<Regex> = LazyLock::new(|| {
    exact(concat!(
        r"(?:^|[^A-Za-z\s.]\s*|\b[a-z'][\w'-]*,?\s+|[.!?]\s+)",
        r"(?P<whole>(?:[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof)\b\.?\s(?P<first>[A-Za-z][A-Za-z'-]+)(?:\s[A-Z][\w'-]+){0,2})",
    ))
});
/// What stands behind a title that is a word by itself: "a dr appointment".
const NO_BEARER: [&str; 22] = [
    "and",
    "appointment",
    "at",
    "availability",
    "available",
    "for",
    "from",
    "if",
    "in",
    "is",
    "office",
    "on",
    "or",
    "please",
    "that",
    "to",
    "today",
    "tomorrow",
    "visit",
    "was",
    "who",
    "with",
];
static OPENER: LazyLock<Regex> = LazyLock::new(|| {
    let words = include_str!("tables/openers.txt")
        .lines()
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>();
    fixed(&format!("^(?:{})$", words.join("|")))
});
static CAPITALISED: LazyLock<Regex> = LazyLock::new(|| exact(r"[A-Z][\w'&.\-:]*"));
static FURTHER: LazyLock<Regex> =
    LazyLock::new(|| exact(r"^,?\s+(?:(?:of|the|and|at|in|&|de|la|del|a|on|for|to|with)\s+){0,2}"));
static FURTHER_WORD: LazyLock<Regex> = LazyLock::new(|| exact(r"^[A-Z0-9][\w'&.\-:]*"));
static SELF: LazyLock<Regex> = LazyLock::new(|| exact(r"^(?:I\b|I')"));
static REGION_AFTER: LazyLock<Regex> = LazyLock::new(|| exact(r"^, [A-Z]{2}\b"));
/// What stands behind a name that is over.
static NAME_ENDS: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"^\W*(?:$|[.,!?;]|(?:please|for|at|on|in|and|is|with|tonight|today|tomorrow)\b)"));
static SENTENCE_START: LazyLock<Regex> = LazyLock::new(|| exact(r#"(?:^|[.!?]\s+|["']\s*)$"#));

/// Longest stretch, in bytes, that is taken for one name.
const NAME_BYTES_MAX: usize = 200;

/// Spans in quotation marks.
pub fn quoted(text: &str) -> Vec<(usize, usize)> {
    QUOTED.find_all(text)
}

/// Who plays against whom, said without a capital: `giants vs dodgers`.
pub fn opposed(text: &str) -> Vec<(usize, usize)> {
    OPPOSED
        .find_iter(text)
        .map(|found| (found.start(), found.end()))
        .collect()
}

/// People behind a title, however they are spelled: `dr. nguyen`, `Ms Whitfield`.
pub fn titled(text: &str) -> Vec<(usize, usize)> {
    let bearer = |found: regex::Captures<'_>| {
        let first = found.name("first")?.as_str().to_lowercase();
        let whole = found.name("whole").filter(|_| !NO_BEARER.contains(&first.as_str()))?;
        Some((whole.start(), whole.end()))
    };
    TITLED.captures_iter(text).filter_map(bearer).collect()
}

/// Runs of capitalised words, without the openers before them.
pub fn capitalised(text: &str) -> Vec<(usize, usize)> {
    let few_words = text.split_whitespace().take(4).count() <= 3;
    runs(text)
        .into_iter()
        .filter_map(|(start, end)| {
            let end = start + text[start..end].trim_end_matches(['.', ':', ',', '\'']).len();
            let start = without_openers(text, start, end)?;
            let name = &text[start..end];
            let capitals = name
                .split_whitespace()
                .filter(|w| w.starts_with(char::is_uppercase))
                .count();
            let alone = capitals < 2 && !few_words && SENTENCE_START.is_match(&text[..start]);
            (name.chars().count() >= 2 && !alone).then_some((start, end))
        })
        .collect()
}

/// Names of at least two capitalised words that end with a number of their own: `Toy Story 4`. What is counted behind a name
/// (`Hilton Garden 2 rooms`) is no part of it.
pub fn numbered(text: &str) -> Vec<(usize, usize)> {
    let is_numbered = |&(start, end): &(usize, usize)| {
        let words: Vec<&str> = text[start..end].split_whitespace().collect();
        let Some((last, [.., first, second])) = words.split_last() else {
            return false;
        };
        let is_number = last.len() <= 3 && last.bytes().all(|byte| byte.is_ascii_digit());
        let named = [first, second].iter().all(|word| word.starts_with(char::is_uppercase));
        is_number && named && NAME_ENDS.is_match(&text[end..])
    };
    capitalised(text).into_iter().filter(is_numbered).collect()
}

/// Maximal runs: a capitalised word, further ones with at most two joining words between.
fn runs(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(first) = CAPITALISED.find_at(text, from) {
        let start = first.start();
        let before = text[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '\'')) || SELF.is_match(&text[start..]) {
            from = next_char(text, start);
            continue;
        }
        let mut end = first.end();
        while end - start < NAME_BYTES_MAX {
            let Some(joint) = FURTHER.find(&text[end..]) else { break };
            let next = end + joint.end();
            if SELF.is_match(&text[next..]) {
                break;
            }
            let Some(word) = FURTHER_WORD.find(&text[next..]) else {
                break;
            };
            end = next + word.end();
        }
        end += REGION_AFTER.find(&text[end..]).map_or(0, |region| region.end());
        found.push((start, end));
        from = end;
    }
    found
}

/// Where a run begins once its openers are cut; `None` when nothing capitalised remains.
fn without_openers(text: &str, mut start: usize, end: usize) -> Option<usize> {
    loop {
        let rest = &text[start..end];
        let first = rest.split_whitespace().next()?;
        if !OPENER.is_match(first.trim_matches(['.', ',', '!'])) {
            return Some(start);
        }
        let after = &rest[first.len()..];
        start = end - after.trim_start().len();
        while !text[start..end].starts_with(char::is_uppercase) {
            start += text[start..end].find(' ')? + 1;
        }
    }
}

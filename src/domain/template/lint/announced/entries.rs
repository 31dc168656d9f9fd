//! The entries of a list, as a description writes them: in quotes or not, with marks and conjunctions between them.
//!
//! Invariant: words that say that a list goes on, that name kinds of values, or that make a sentence, are no entries.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::template::annotation;
use crate::domain::template::constraint::ENUM_MAX;
use crate::domain::template::lint::announced::pattern;

/// Words of one value that stands without quotes.
const WORDS_MAX: usize = 3;

/// Nouns for kinds of values, behind a word that says which: "city name", "IATA code".
const KINDS: [&str; 7] = ["address", "code", "date", "id", "identifier", "name", "number"];

/// More of them, which behind another word name a value as well: "part time", "inner city".
const KINDS_ALONE: [&str; 12] = [
    "airport", "city", "country", "email", "phone", "place", "region", "station", "street", "time", "title", "town",
];

/// Words of how a text is written: who may "use only letters or digits" is given no values.
const FORMS: [&str; 19] = [
    "alphanumeric",
    "blank",
    "capitals",
    "characters",
    "decimals",
    "digits",
    "empty",
    "hyphens",
    "integers",
    "letters",
    "lowercase",
    "names",
    "numbers",
    "numeric",
    "punctuation",
    "spaces",
    "underscores",
    "uppercase",
    "words",
];

/// Words that make a sentence of others: what has one between its words is told, and no value.
const TELLING: [&str; 64] = [
    "about",
    "among",
    "are",
    "as",
    "at",
    "be",
    "because",
    "between",
    "but",
    "by",
    "can",
    "default",
    "depending",
    "during",
    "else",
    "except",
    "for",
    "from",
    "he",
    "if",
    "in",
    "into",
    "is",
    "it",
    "like",
    "may",
    "means",
    "must",
    "not",
    "of",
    "on",
    "only",
    "otherwise",
    "our",
    "per",
    "please",
    "plus",
    "see",
    "she",
    "should",
    "so",
    "than",
    "that",
    "the",
    "their",
    "then",
    "they",
    "this",
    "to",
    "unless",
    "until",
    "upon",
    "use",
    "usually",
    "we",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "with",
    "within",
    "without",
];

/// Marks that divide a list for certain: where one of them stands, a slash is part of a value ("yes, no, n/a").
const DIVIDING: &str = ",;|、，；";

/// One entry of a list, quoted or not, with the conjunction before it and what stands before the next.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| entry(DIVIDING));
/// The same of a list that slashes divide.
static ENTRY_BEFORE_SLASH: LazyLock<Regex> = LazyLock::new(|| entry("/"));

fn entry(marks: &str) -> Regex {
    pattern(&format!(
        r#"(?i)^\s*(?<lead>(?:or|and)\s+)?(?:(?<quoted>"[^"]+"|'[^']+'|`[^`]+`|“[^”]+”)|(?<plain>[^{marks}"'`“”]+?))\s*(?<end>[{marks}]|\s(?:or|and)\s|$)"#
    ))
}

/// Whether slashes divide a list.
pub fn by_slashes(clause: &str) -> bool {
    !clause.contains(|c| DIVIDING.contains(c))
}

/// The entries of a list that is closed: two at least, each quoted or of few words, none of which says that it goes on.
pub fn entries(clause: &str) -> Option<Vec<&str>> {
    if clause.contains(['(', ')', '…', ':']) || ["..", "such as"].iter().any(|open| clause.contains(open)) {
        return None;
    }
    let mut values: Vec<&str> = Vec::new();
    let mut rest = clause;
    let mut wordy = false;
    let mut divided = false;
    let mut joined = false;
    let entry = if by_slashes(clause) {
        &ENTRY_BEFORE_SLASH
    } else {
        &ENTRY
    };
    while !rest.trim().is_empty() {
        let found = entry.captures(rest)?;
        let plain = found.name("plain").map(|plain| plain.as_str());
        if let Some(plain) = plain {
            let several = plain.split_whitespace().count() > 1;
            if !is_value(plain) || (several && names_kind(plain)) {
                return None;
            }
            wordy |= several;
        }
        let end = found.name("end").map_or("", |end| end.as_str());
        let marked = end.chars().all(|c| !c.is_whitespace() && !c.is_alphanumeric()) && !end.is_empty();
        joined |= found.name("lead").is_some();
        // "Red or blue, whichever fits" goes on after its last value.
        if joined && marked {
            return None;
        }
        divided |= marked;
        joined |= !marked && !end.is_empty();
        let quoted = found.name("quoted").map(|quoted| unquoted(quoted.as_str()));
        let value = quoted.or(plain)?;
        if !values.contains(&value) {
            values.push(value);
        }
        rest = &rest[found.get(0)?.end()..];
    }
    // "Airport codes or city names" names two kinds of values; "exit row, window seat" names two values.
    (values.len() > 1 && values.len() <= ENUM_MAX && (divided || !wordy)).then_some(values)
}

fn unquoted(quoted: &str) -> &str {
    quoted.trim_matches(['"', '\'', '`', '“', '”'])
}

/// Whether words without quotes may be a value: few, and none of them says that there are others.
pub fn is_value(plain: &str) -> bool {
    plain.split_whitespace().count() <= WORDS_MAX && !goes_on(plain)
}

/// Whether words say that there are other values.
pub fn goes_on(plain: &str) -> bool {
    let words = || plain.split_whitespace();
    let other = |word: &str| matches!(word.to_lowercase().as_str(), "other" | "another" | "else");
    let alone = words().count() == 1;
    words().any(annotation::is_open) || (!alone && words().any(other)) || plain.eq_ignore_ascii_case("another")
}

/// Whether words say something rather than to name a value.
pub fn tells(value: &str) -> bool {
    let lower = value.to_lowercase();
    let mut words = lower.split_whitespace();
    let article = value.contains(' ') && words.clone().next().is_some_and(|first| matches!(first, "a" | "an"));
    article || words.any(|word| TELLING.contains(&word))
}

/// Whether the last word is a noun for a kind of values.
fn names_kind(value: &str) -> bool {
    let lower = value.to_lowercase();
    let last = lower.split_whitespace().next_back().unwrap_or_default();
    KINDS.iter().any(|kind| {
        last.strip_prefix(kind)
            .is_some_and(|rest| matches!(rest, "" | "s" | "es"))
    })
}

/// Whether a value that nothing announces is no more than a kind of values.
pub fn is_kind_alone(value: &str) -> bool {
    names_kind(value) || KINDS_ALONE.contains(&value.to_lowercase().as_str())
}

/// Whether words say how a text is written.
pub fn is_form(value: &str) -> bool {
    let lower = value.to_lowercase();
    lower.split_whitespace().any(|word| FORMS.contains(&word))
}

/// Whether the words name kinds of values: how a text is written, or each in the plural.
pub fn are_kinds(values: &[&str]) -> bool {
    values.iter().any(|value| is_form(value)) || values.iter().all(|value| value.ends_with('s'))
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn entries_are_divided_by_marks_and_end_with_a_conjunction_z048() {
        for (clause, values) in [
            ("red, green or blue", Some(vec!["red", "green", "blue"])),
            ("red, green, or blue", Some(vec!["red", "green", "blue"])),
            (
                "monthly, yearly or day pass",
                Some(vec!["monthly", "yearly", "day pass"]),
            ),
            ("'half board' or \"none\"", Some(vec!["half board", "none"])),
            ("red or blue", Some(vec!["red", "blue"])),
            ("red; green; blue", Some(vec!["red", "green", "blue"])),
            ("red/green/blue", Some(vec!["red", "green", "blue"])),
            ("yes, no, n/a", Some(vec!["yes", "no", "n/a"])),
            ("red or blue, whichever fits", None),
            ("red, green or any other", None),
            ("red, green and other colours", None),
            ("red, green, other", Some(vec!["red", "green", "other"])),
            ("red", None),
            ("day pass or night pass", None),
        ] {
            assert_eq!(entries(clause), values, "{clause}");
        }
    }
}

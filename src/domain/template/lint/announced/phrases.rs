//! The phrases by which prose bounds a number: both ends, or one of them, with or without the number itself.
//!
//! Knows no key. Invariant: phrases do not overlap, so that "not less than 2" is never read as "less than 2".

use std::ops::Range;
use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;

use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::VALUES;
use crate::domain::template::lint::announced::figures::COUNTED;
use crate::domain::template::lint::announced::figures::DIGITS;
use crate::domain::template::lint::announced::figures::WRITTEN;
use crate::domain::template::lint::announced::figures::bound;
use crate::domain::template::lint::announced::figures::counted;
use crate::domain::template::lint::announced::figures::numbers;
use crate::domain::template::lint::announced::pattern;

/// What a phrase says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Both ends of a range, in words that are a range's alone.
    Between,
    /// The same without the ends themselves.
    Inside,
    /// The same in words that may be a way from one to the other: "from 9 to 5".
    FromTo,
    /// Two numbers with "to" or a dash between them and nothing that announces them.
    Bare,
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
    /// So many and no others, of what is counted.
    Exactly,
    /// One at least, of a text's characters or a list's elements.
    NotEmpty,
}

/// A phrase of a text.
#[derive(Debug)]
pub struct Phrase<'t> {
    pub kind: Kind,
    pub at: Range<usize>,
    pub text: &'t str,
    /// With their places in the text.
    pub numbers: Vec<(usize, &'t str)>,
    /// The word for what is counted, where the number is not the value itself.
    pub counted: Option<&'t str>,
}

/// The groups of the pattern, each of a kind.
const KINDS: [(&str, Kind); 10] = [
    ("between", Kind::Between),
    ("inside", Kind::Inside),
    ("from", Kind::FromTo),
    ("least", Kind::AtLeast),
    ("most", Kind::AtMost),
    ("more", Kind::MoreThan),
    ("less", Kind::LessThan),
    ("bare", Kind::Bare),
    ("exactly", Kind::Exactly),
    ("filled", Kind::NotEmpty),
];

static PHRASES: LazyLock<Regex> = LazyLock::new(|| {
    let (n, w) = (DIGITS, WRITTEN.as_str());
    let to = r"\s*(?:to|through|[-–])\s*";
    let high = "(?:more|greater|higher|larger|later|longer|older|bigger|heavier)";
    let low = "(?:less|fewer|lower|smaller|earlier|shorter|younger|lighter)";
    let never = r"(?:cannot|can't|can\s+not|may\s+not|must\s+not|never|not|should\s+not)";
    let is = r"(?:be|is|are|stay|remain|strictly)";
    let sign = |names: &str| format!(r"{names}\b\.?(?:\s+(?:is|of|value))*\s*[:=]?\s*");
    let between = format!(
        r"\bbetween\s+{w}\s+and\s+{w}|\b(?:range|{VALUES})\s*(?:is|are|of)?\s*:?\s*{n}{to}{n}|(?:^|[\s(\[:]){n}\s*(?:\.{{2,3}}|…)\s*{n}"
    );
    let inside =
        format!(r"\b(?:above|after|beyond|over)\s+{w}\s*,?\s*(?:and|but)\s+(?:before|below|under)\s+{w}\b{COUNTED}");
    let least = format!(
        r"\b(?:at\s+least\s+|(?:no|not)\s+{low}\s+than\s+|{never}\s+be\s+(?:{low}\s+than|under|below)\s+|{}){w}",
        sign("min(?:imum)?")
    );
    let most = format!(
        r"\b(?:at\s+most\s+|up\s+to\s+|(?:no|not)\s+{high}\s+than\s+|{never}\s+(?:to\s+)?exceed(?:ing)?\s+|{never}\s+be\s+(?:{high}\s+than|over|above)\s+|{}){w}",
        sign("max(?:imum)?")
    );
    // Both ends of a scale, each with what it means.
    let scale = format!(r"\b(?:from\s+)?{n}\s*\([^()0-9]{{1,40}}\){to}{n}\s*\([^()0-9]{{1,40}}\)");
    let exactly = format!(
        r"\bexactly\s+{w}\b{COUNTED}|\b(?:abbreviation|code|id|identifier|key|number|pin|token)\s+of\s+{w}\s+(characters?|chars|digits?|letters?)\b"
    );
    pattern(&format!(
        r"(?i)(?<inside>{inside})|(?<between>(?:{between})\b{COUNTED}|\(\s*{n}{to}{n}{COUNTED}\s*\)|{scale})|(?<from>\bfrom\s+{w}\s+(?:up\s+)?(?:to|through)\s+{w}\b{COUNTED})|(?<least>{least}\b{COUNTED}|\b{n}\s+or\s+(?:more|above|over|{high})\b)|(?<most>{most}\b{COUNTED}|\b{n}\s+or\s+(?:less|below|under|{low})\b)|(?<more>\b(?:{high}\s+than|(?:must|shall|should)\s+exceed|{is}\s+(?:over|above))\s+{w}\b{COUNTED}|(?:^|[.,;:(])\s*(?:over|above)\s+{w}\b{COUNTED})|(?<less>\b(?:{low}\s+than|{is}\s+(?:under|below))\s+{w}\b{COUNTED}|(?:^|[.,;:(])\s*(?:under|below)\s+{w}\b{COUNTED})|(?<exactly>{exactly})|(?<filled>\b{never}\s+be\s+(?:left\s+)?empty\b)|(?<bare>(?:^|[\s(\[:])(?:{n}{to}{n}|{w}\s+(?:to|through)\s+{w})\b{COUNTED})"
    ))
});

/// What says behind a number that it is one of several.
static OF_EACH: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^(?:\s+\S+)?\s+(?:apiece|each)\b"));

/// What stands for minutes as well: "in 30 min 2 of them".
static MIN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^min\b"));

/// A day or a version, which is no range.
static DATED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:[-–:/][0-9]|\.[0-9])"));

/// The phrases of a text that may bound the value, in its order.
pub fn phrases(text: &str) -> Vec<Phrase<'_>> {
    PHRASES
        .captures_iter(text)
        .filter_map(|found| phrase(&found))
        .filter(|phrase| is_of_value(text, phrase))
        .collect()
}

fn phrase<'t>(found: &Captures<'t>) -> Option<Phrase<'t>> {
    let (whole, kind) = KINDS
        .into_iter()
        .find_map(|(name, kind)| Some((found.name(name)?, kind)))?;
    let text = whole
        .as_str()
        .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
    let at = whole.end() - text.len()..whole.end();
    let filled = kind == Kind::NotEmpty;
    Some(Phrase {
        kind,
        numbers: if filled {
            vec![(at.start, "1")]
        } else {
            numbers(found).collect()
        },
        counted: counted(found).filter(|_| !filled),
        at,
        text,
    })
}

/// Whether a phrase is about the value: not about each part of it, no number of minutes and no day.
fn is_of_value(text: &str, phrase: &Phrase<'_>) -> bool {
    let before = text[..phrase.at.start].trim_end();
    let behind = &text[phrase.at.end..];
    match phrase.kind {
        Kind::Between | Kind::Inside | Kind::FromTo | Kind::Exactly | Kind::NotEmpty => true,
        // "One to one" is no range, nor is the score 3-1.
        Kind::Bare => !DATED.is_match(behind) && rises(phrase),
        Kind::AtLeast | Kind::MoreThan | Kind::AtMost | Kind::LessThan => {
            let begins = before.ends_with(" and") || !before.ends_with(char::is_alphanumeric);
            (begins || !MIN.is_match(phrase.text)) && !OF_EACH.is_match(behind)
        }
    }
}

/// Whether the second number is larger than the first.
fn rises(phrase: &Phrase<'_>) -> bool {
    let value = |(_, text): &(usize, &str)| bound(text, KeyType::Number)?.as_f64();
    match phrase.numbers.as_slice() {
        [low, high] => value(low).zip(value(high)).is_some_and(|(low, high)| low < high),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;
    use super::phrases;

    #[test]
    fn each_phrase_is_read_once_z048() {
        for (text, read) in [
            ("Less than 10 but not less than 2", vec![Kind::LessThan, Kind::AtLeast]),
            ("more than 2 and fewer than 8", vec![Kind::MoreThan, Kind::LessThan]),
            ("No more than a dozen", vec![Kind::AtMost]),
            ("Must be under 60", vec![Kind::LessThan]),
            ("cannot be more than nine", vec![Kind::AtMost]),
            ("18 or older", vec![Kind::AtLeast]),
            ("after 1900 but before 2000", vec![Kind::Inside]),
            ("over 5 and under 10", vec![Kind::Inside]),
            ("after 9 or before 5", vec![]),
            ("min. 2, max. 9", vec![Kind::AtLeast, Kind::AtMost]),
            ("between one and nine", vec![Kind::Between]),
            ("from 9 to 5", vec![Kind::FromTo]),
            ("Score 1 to 10, 0 for none", vec![Kind::Bare]),
            ("(1-9)", vec![Kind::Between]),
            ("from 1 (low) to 5 (urgent)", vec![Kind::Between]),
            ("1 (low) - 5 (urgent).", vec![Kind::Between]),
            ("One to four seats", vec![Kind::Bare]),
            ("one to one", vec![]),
            ("the score, 3-1", vec![]),
            ("exactly five digits", vec![Kind::Exactly]),
            ("Code of 6 characters", vec![Kind::Exactly]),
            ("the last four digits", vec![]),
            ("must not be empty", vec![Kind::NotEmpty]),
            ("on 2024-05-01", vec![]),
            ("how it rains over 2 days", vec![]),
            ("max 23 kg each", vec![]),
            ("in 30 min 2 times", vec![]),
        ] {
            let kinds: Vec<Kind> = phrases(text).into_iter().map(|phrase| phrase.kind).collect();
            assert_eq!(kinds, read, "{text}");
        }
    }
}

//! The tagger: typed values of a fragment, by tables and patterns (DESIGN §5.2).
//!
//! Types are tried in a fixed order and a later one takes only what an earlier one left; names come last. Invariant:
//! the spans are sorted, do not overlap, and lie on character boundaries. Linear in the text but for the look back from
//! a value to what stands before it, which [`TAGGED_BYTES_MAX`] bounds.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::names::capitalised;
use crate::domain::pool::names::numbered;
use crate::domain::pool::names::opposed;
use crate::domain::pool::names::quoted;
use crate::domain::pool::names::titled;
use crate::domain::pool::pattern::Pattern;
use crate::domain::pool::pattern::fixed;
use crate::domain::pool::pattern::next_char;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::ValueType;

/// Bytes of a fragment that are read; what follows is not looked at.
pub const TAGGED_BYTES_MAX: usize = 4_096;

const MONTH: &str = "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec";
const DAY: &str = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thurs?|fri|sat|sun";
/// One number word.
pub const NUMBER_WORD: &str = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|zero|a couple of|a couple|couple";
const ORDINAL: &str = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|twentieth|thirtieth";
const PART_OF_DAY: &str = r"(?:\s?(?:in the|at) (?:morning|afternoon|evening|night))?";

/// Fills the named parts into a pattern.
fn filled(pattern: &str) -> String {
    pattern
        .replace(
            "<NUMBER>",
            &format!("(?:(?:{NUMBER_WORD})(?:[\\s-](?:and\\s)?(?:{NUMBER_WORD}))*)"),
        )
        .replace("<WORD>", &format!("(?:{NUMBER_WORD})"))
        .replace("<MONTH>", &format!("(?:{MONTH})"))
        .replace("<DAY>", &format!("(?:{DAY})"))
        .replace("<ORDINAL>", &format!("(?:{ORDINAL})"))
        .replace("<PART>", PART_OF_DAY)
}

fn table(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

static MONEY: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(&filled(
        r"(?:\$|£|€|rs\.? ?|usd ?)\s?\d[\d,.]*\d?k?\b(?:\s?(?:dollars|bucks))?|\b\d[\d,.]*\s?(?:dollars?|bucks?|usd|euros?|pounds|cents|rupees)\b|\b<NUMBER>\s(?:dollars?|bucks?|euros?|pounds|rupees)\b",
    ))
});
static TIME: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(&filled(concat!(
        r"\b\d{1,2}[:.]\d\d(?:\s?[ap]\.?\s?m\b\.?)?(?:\s?o'?clock)?<PART>",
        r#"|\b\d{1,2}\s?(?:[ap]\.?\s?m\b\.?|o['" ]?\s?clock)<PART>"#,
        r"|\b(?:quarter|half)[ -](?:past|to|till)\s\w+<PART>",
        r#"|\b(?:<WORD>|\d{1,2})(?:[ -](?:o['" ]?\s?clock|thirty|fifteen|forty[- ]?five))?\s(?:(?:in the|at)\s(?:the\s)?(?:morning|afternoon|evening|night)|[ap]\.?\s?m\b\.?)"#,
        r#"|\b(?:<WORD>|\d{1,2})\so['" ]?\s?clock\b"#,
        r"|\b(?:morning|afternoon|evening)\s\d{1,2}(?::\d\d)?",
        r"|\bhalf \d{1,2}\b",
        r"|\bnoon\b|\bmidnight\b|\b(?:early |late )?in the (?:morning|afternoon|evening)\b",
    )))
});
/// A bare hour after "at": its number begins where another time might, so it is searched for by itself.
static BARE_HOUR: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(r"\bat (?P<s1>)\d{1,2}(?P<e1>)\s*(?:$|[.,!?]|on\b|for\b|tomorrow|tonight|today|please)")
});
static DATE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(&filled(concat!(
        r"\b\d{1,4}[/-]\d{1,2}[/-]\d{1,4}\b",
        r"|\b(?:(?:next|this|coming|upcoming|following|the)\s+)*<DAY>\b\.?(?:\s+(?:(?:of )?(?:next|this|the following) week|(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of <MONTH>\b)?|night|morning|afternoon|evening))?",
        r"|\b(?:the )?<MONTH>\.?(?:\s+the)?\s+(?:\d{1,2}(?:st|nd|rd|th)?|<ORDINAL>)\b(?:,?\s+(?:19|20)\d\d)?",
        r"|\b(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?|<ORDINAL>)(?:\s+day)?(?: of)?\s+(?:<MONTH>\b|(?:this|next|the) month)(?:,?\s+(?:19|20)\d\d)?",
        r"|\bthe\s(?:\d{1,2}(?:st|nd|rd|th)?|<ORDINAL>)(?P<e1>)(?:\s*(?:$|[.,!?;]|itself|please|and\b|at\b|for\b))",
        r"|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:the )?day after(?: tomorrow)?\b|\b(?:later )?(?:today|tomorrow|tonight|tmrw)\b|\b(?:next|this) (?:week|month|weekend|year)\b|\bin <MONTH>\b",
        r"|\b(?:a|\d+|<NUMBER>) (?:days?|weeks?|months?|years?) ago\b|\b(?:the day before )?yesterday\b|\blast (?:week|weekend|month|year)\b",
    )))
});
static DURATION: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(&filled(
        r"\b(?:a|an|\d+|<NUMBER>)(?:[ -]|\s(?:more\s)?)(?:nights?|days?|weeks?|weekends?|months?|years?|hours?|hrs?|minutes?|mins?)\b",
    ))
});
/// "A day" after how often or how many is a rate and lasts no day: `twice a day`, `3 walks a day`.
static ARTICLE: LazyLock<Regex> = LazyLock::new(|| fixed(r"^an?\b"));
static OFTEN_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    fixed(&filled(
        r"\b(?:once|twice|thrice|(?:\d+|<NUMBER>|several|many|few)\s[a-z]+)\s+$",
    ))
});
static ADDRESS: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(
        r"\b\d{1,6}\s(?:[NSEW]\.?\s|North |South |East |West )?(?:\w+['.]?\s){0,4}?(?:street|st|avenue|ave|boulevard|blvd|road|rd|drive|dr|lane|ln|way|court|ct|place|pl|parkway|highway|hwy|broadway|circle|square|terrace|plaza|loop|alley|real|embarcadero)\b\.?(?:\s?(?:#|suite|ste|unit|apt)\.?\s?\w+)?(?:\s[news]\b)?",
    )
});
static PLACE: LazyLock<Pattern> = LazyLock::new(|| {
    let cities = table(include_str!("tables/cities.txt")).join("|");
    let regions = table(include_str!("tables/regions.txt"));
    // "or" abbreviates a state only at the end; it stands fifth in the order of alternatives.
    let (first, rest) = regions.split_at(4.min(regions.len()));
    let alone = regions
        .iter()
        .filter(|name| name.chars().count() > 4)
        .copied()
        .collect::<Vec<_>>();
    Pattern::new(&format!(
        r"\b(?:{cities})\b(?:,?\s*(?:(?:{})\b|or\b(?P<e1>)\W*$|(?:{})\b))?|\b(?:{})\b",
        first.join("|"),
        rest.join("|"),
        alone.join("|")
    ))
});
static DIGITS: LazyLock<Pattern> = LazyLock::new(|| Pattern::new(r"#?\d[\d,.]*(?:\d|\b)%?"));
static NUMBER: LazyLock<Pattern> = LazyLock::new(|| Pattern::new(&filled(r"\b<NUMBER>\b")));
/// "Twice" before a unit is a number; "once" is one beside a day alone, and the beginning of a rhythm elsewhere.
static TIMES: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(concat!(
        r"\b(?:twice|thrice)(?P<e1>)\s(?:(?:a|per|each|every)\s(?:hour|day|night|week|month|year)\b|daily\b|weekly\b|monthly\b)",
        r"|\bonce(?P<e2>)\s(?:(?:a|per|each|every)\sday\b|daily\b)",
    ))
});
static NUMBER_WHOLE: LazyLock<Regex> = LazyLock::new(|| fixed(&filled(r"^<NUMBER>$")));
/// Words after a number word that make it part of a phrase ("one way", "two of them").
static NO_NUMBER_AFTER: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"^[\s-](?:way|of my|of them|that|i|you|in|with|from|at)\b"));
static ABBREVIATION_BEFORE: LazyLock<Regex> = LazyLock::new(|| fixed(r"(?:\bto|\bfrom|\bin|\bfor|\bat|^)\s*$"));
static PRONOUN_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"\b(?:a|an|the|this|that|another|any|which|each|every)\s+(?:[a-z-]+\s+)?$"));
static NOUN_AFTER: LazyLock<Regex> = LazyLock::new(|| fixed(r"^\s([a-z]+)\b"));

/// Abbreviations that are places only after a preposition or at the start.
const ABBREVIATIONS: [&str; 7] = ["la", "sd", "sac", "rio", "ny", "sf", "dc"];
/// Endings after which "one" stays a pronoun ("a cheap one please").
const PRONOUN_ENDINGS: [&str; 6] = ["please", "with", "in", "that", "is", "would"];

/// The first bytes of a fragment, cut on a character boundary.
pub fn tagged_part(fragment: &str) -> &str {
    &fragment[..fragment.floor_char_boundary(TAGGED_BYTES_MAX)]
}

/// The typed values of a fragment, left to right, without overlaps.
pub fn tag(fragment: &str) -> Vec<Span> {
    let text = tagged_part(fragment);
    let mut taken = Taken::default();
    for (start, end) in quoted(text) {
        taken.take_anyway(ValueType::Name, start, end);
    }
    for (start, end) in MONEY.find_all(text) {
        taken.take(ValueType::Money, start, end);
    }
    for (start, end) in times(text) {
        taken.take(ValueType::Time, start, end);
    }
    for (start, end) in DATE.find_all(text) {
        taken.take(ValueType::Date, start, end);
    }
    for (start, end) in DURATION.find_all(text) {
        let is_rate = ARTICLE.is_match(&text[start..end]) && OFTEN_BEFORE.is_match(&text[..start]);
        if !is_rate {
            taken.take(ValueType::Duration, start, end);
        }
    }
    for (start, end) in ADDRESS.find_all(text) {
        taken.take(ValueType::Address, start, end);
    }
    for (start, end) in PLACE.find_all(text) {
        if !ABBREVIATIONS.contains(&&text[start..end]) || ABBREVIATION_BEFORE.is_match(&text[..start]) {
            taken.take(ValueType::Place, start, end);
        }
    }
    for (start, end) in numbered(text).into_iter().chain(titled(text)) {
        taken.take(ValueType::Name, start, end);
    }
    for (start, end) in numbers(text) {
        let pronoun = text[start..end].eq_ignore_ascii_case("one")
            && PRONOUN_BEFORE.is_match(&text[..start])
            && !noun_follows(&text[end..]);
        if !pronoun {
            taken.take(ValueType::Number, start, end);
        }
    }
    for (start, end) in TIMES.find_all(text) {
        taken.take(ValueType::Number, start, end);
    }
    for (start, end) in opposed(text).into_iter().chain(capitalised(text)) {
        taken.take(ValueType::Name, start, end);
    }
    taken.spans.sort_by_key(|span| (span.start, span.end));
    taken.spans
}

#[derive(Default)]
struct Taken {
    spans: Vec<Span>,
}

impl Taken {
    fn take(&mut self, value_type: ValueType, start: usize, end: usize) {
        if self.spans.iter().all(|span| end <= span.start || start >= span.end) {
            self.take_anyway(value_type, start, end);
        }
    }

    fn take_anyway(&mut self, value_type: ValueType, start: usize, end: usize) {
        self.spans.push(Span { value_type, start, end });
    }
}

/// Times, with the bare hours between them.
fn times(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut hours = BARE_HOUR.find_all(text).into_iter().peekable();
    loop {
        while hours.next_if(|&(start, _)| start < from).is_some() {}
        let next = match (TIME.find_at(text, from), hours.peek().copied()) {
            (Some(time), Some(hour)) => Some(if time.0 <= hour.0 { time } else { hour }),
            (time, hour) => time.or(hour),
        };
        let Some((start, end)) = next else { return found };
        if end > start {
            found.push((start, end));
        }
        from = if end > from { end } else { next_char(text, from) };
    }
}

/// Numbers in digits and in words, the leftmost first.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut digits = digits_from(text, 0);
    let mut words = number_words_from(text, 0);
    loop {
        if digits.is_some_and(|(start, _)| start < from) {
            digits = digits_from(text, from);
        }
        if words.is_some_and(|(start, _)| start < from) {
            words = number_words_from(text, from);
        }
        let next = match (digits, words) {
            (Some(a), Some(b)) => Some(if a.0 <= b.0 { a } else { b }),
            (a, b) => a.or(b),
        };
        let Some((start, end)) = next else { return found };
        found.push((start, end));
        from = end.max(start + 1);
    }
}

/// The next number in digits that does not continue a word or an amount.
fn digits_from(text: &str, mut from: usize) -> Option<(usize, usize)> {
    loop {
        let (start, end) = DIGITS.find_at(text, from)?;
        let before = text[..start].chars().next_back();
        if !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
            return Some((start, end));
        }
        // The rest of a run of digits continues a word just as well.
        from = next_char(text, start);
        while text
            .get(from..)
            .and_then(|rest| rest.chars().next())
            .is_some_and(char::is_numeric)
        {
            from = next_char(text, from);
        }
    }
}

/// The next number in words; a phrase such as "one way" is none, but the words before its last may be.
fn number_words_from(text: &str, mut from: usize) -> Option<(usize, usize)> {
    loop {
        let (start, mut end) = NUMBER.find_at(text, from)?;
        loop {
            if !NO_NUMBER_AFTER.is_match(&text[end..]) {
                return Some((start, end));
            }
            let shorter = (start + 1..end)
                .rev()
                .filter(|&at| text.is_char_boundary(at))
                .find(|&at| {
                    text[at..].starts_with(|c: char| c.is_whitespace() || c == '-')
                        && NUMBER_WHOLE.is_match(&text[start..at])
                });
            match shorter {
                Some(at) => end = at,
                None => break,
            }
        }
        from = next_char(text, start);
    }
}

/// Whether "one" counts a noun that follows it rather than standing for one.
fn noun_follows(rest: &str) -> bool {
    NOUN_AFTER
        .captures(rest)
        .and_then(|found| found.get(1))
        .is_some_and(|word| {
            let word = word.as_str().to_lowercase();
            !PRONOUN_ENDINGS.iter().any(|ending| word.ends_with(ending))
        })
}

#[cfg(test)]
mod tests {
    use proptest::proptest;

    use super::TAGGED_BYTES_MAX;
    use super::tag;

    fn tagged(text: &str) -> Vec<(&'static str, &str)> {
        tag(text)
            .iter()
            .map(|span| (span.value_type.tag(), &text[span.start..span.end]))
            .collect()
    }

    #[test]
    fn each_type_of_value_is_found_z088() {
        for (text, wanted) in [
            ("under $1,500 please", vec![("MONEY", "$1,500")]),
            ("about two hundred dollars", vec![("MONEY", "two hundred dollars")]),
            ("leave at 5:30 p.m.", vec![("TIME", "5:30 p.m.")]),
            ("at 8 on Monday", vec![("TIME", "8"), ("DATE", "Monday")]),
            ("on the 4th", vec![("DATE", "the 4th")]),
            ("on March 3rd, 2026", vec![("DATE", "March 3rd, 2026")]),
            ("for three nights", vec![("DUR", "three nights")]),
            ("stay for a week", vec![("DUR", "a week")]),
            ("bought it three weeks ago", vec![("DATE", "three weeks ago")]),
            ("a year ago", vec![("DATE", "a year ago")]),
            ("since yesterday", vec![("DATE", "yesterday")]),
            ("it broke 2 hours ago", vec![("DUR", "2 hours")]),
            ("walk him twice a day", vec![("NUM", "twice")]),
            ("one pill once a day", vec![("NUM", "one"), ("NUM", "once")]),
            ("clean it once a week", vec![]),
            ("I was there once", vec![]),
            ("ask for dr. nguyen", vec![("NAME", "dr. nguyen")]),
            ("ms whitfield please", vec![("NAME", "ms whitfield")]),
            ("a dr appointment please", vec![]),
            ("Dr. Chen did it last time", vec![("NAME", "Dr. Chen")]),
            ("3 walks a day", vec![("NUM", "3")]),
            ("meet at 12 Main Street", vec![("ADDR", "12 Main Street")]),
            ("fly to New York, NY", vec![("CITY", "New York, NY")]),
            ("going to Portland, or", vec![("CITY", "Portland, or")]),
            ("with 2 checked bags", vec![("NUM", "2")]),
            ("songs by Carbon Leaf", vec![("NAME", "Carbon Leaf")]),
            ("tickets for Toy Story 4 please", vec![("NAME", "Toy Story 4")]),
            ("at Hilton Garden 2 rooms", vec![("NUM", "2")]),
            ("Adults 2", vec![("NUM", "2")]),
            (
                "see giants vs. dodgers tonight",
                vec![("NAME", "giants vs. dodgers"), ("DATE", "tonight")],
            ),
            ("play 'what now' please", vec![("NAME", "'what now'")]),
        ] {
            assert_eq!(tagged(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_value_is_none() {
        for text in [
            "a furnished one please",
            "one way is fine",
            "the la band",
            "Please find me something",
            "I'd like I",
            "He's limping",
            "Her breath stinks",
            "They're late",
            "Don't wait",
            "Everybody's here",
            "gate b12",
        ] {
            assert_eq!(tagged(text), [], "{text}");
        }
        assert_eq!(tagged("one bag"), [("NUM", "one")]);
        assert_eq!(tagged("two hundred way"), [("NUM", "two")]);
    }

    #[test]
    fn values_do_not_overlap_and_a_long_text_is_read_in_part() {
        assert_eq!(
            tagged("March 3 at 5 pm to Paris"),
            [("DATE", "March 3"), ("TIME", "5 pm"), ("CITY", "Paris")]
        );
        let long = "a1 ".repeat(TAGGED_BYTES_MAX) + "to Paris";
        assert_eq!(tagged(&long), []);
    }

    proptest! {
        #[test]
        fn any_text_gives_sorted_spans_on_character_boundaries(text in "[a-zA-Z0-9 ,.'\"$:é#-]{0,80}") {
            let mut last = 0;
            for span in tag(&text) {
                assert!(span.start >= last && span.end > span.start && text.get(span.start..span.end).is_some());
                last = span.end;
            }
        }
    }
}

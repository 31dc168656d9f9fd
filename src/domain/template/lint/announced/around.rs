//! What stands around a list or a bound: does it make of it one that holds only at times, or of something else?
//!
//! Sure of nothing that it does not know. Invariant: what is plain is a list or bound of which the text says nothing further.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::template::lint::announced::figures;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::sentences::sentences;
use crate::domain::template::punctuation::is_stop;

/// Words behind a bound, for what it is a bound of.
const NOUN_WORDS_MAX: usize = 5;

/// Words that say, wherever they stand, that something else holds as well.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:if|unless|except(?:ions?|ing)?|excluding|otherwise|else|instead|also|additionally|addition|alternatively|apart\s+from|free\s+text|depending|depends)\b",
    )
});

/// Words that do so before a list or a bound in its own sentence.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:when(?:ever)?\s+(?:it|he|she|they|you|the|there)|while|default|usual(?:ly)?|normal(?:ly)?|typical(?:ly)?|about|approximately|around|roughly|ideally|preferably|recommended|not|never|without|cannot)\b|n't\b",
    )
});

/// Words that begin a sentence of some cases: "For children …", but not "For how many nights".
static CASE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:for|in|on|by|with|without|during|at|as|from|until|till|before|after|per|to|but|or|plus|none|unknown|children|adults)\s+(?<next>\S+)",
    )
});
const ASKING: [&str; 8] = ["how", "what", "when", "where", "which", "who", "whom", "whose"];

/// Words behind a bound with which it holds only of something, or not for sure.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:about|after|and|any|as|at|because|before|but|by|dozens?|during|each|every|for|from|hundreds?|in|instead|millions?|none|normally|not|on|only|or|per|plus|preferably|since|than|though|thousands?|till|to|typically|unknown|until|usually|when|where|while|with|without)\b",
    )
});

/// Ends of a sentence behind a bound that take nothing from it.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)(?:\s+(?:of\s+them|in\s+(?:all|total)|years?\s+old)|\s*,?\s*(?:both\s+)?inclusive(?:ly)?)\s*$")
});

/// What a text says around a part of it.
pub struct Around<'t> {
    /// Of its sentence, what stands before and behind it.
    lead: &'t str,
    rest: &'t str,
    /// The sentences before and behind.
    earlier: &'t str,
    later: &'t str,
}

impl<'t> Around<'t> {
    /// What stands around the part from `start` to `end`.
    pub fn of(text: &'t str, start: usize, end: usize) -> Around<'t> {
        let mut first = 0;
        let mut last = text.len();
        let mut at = 0;
        for sentence in sentences(text) {
            if at <= start {
                first = at;
            }
            at += sentence.len();
            if at >= end {
                last = at;
                break;
            }
        }
        Around {
            lead: text.get(first..start).unwrap_or_default(),
            rest: text.get(end..last).unwrap_or_default(),
            earlier: text.get(..first).unwrap_or_default(),
            later: text.get(last..).unwrap_or_default(),
        }
    }

    /// Whether a list that stands there is all that is said: nothing follows it in its sentence, nothing qualifies it.
    pub fn leaves_list(&self) -> bool {
        let nothing_more = self.rest.chars().all(|c| c.is_whitespace() || is_end(c));
        nothing_more && !self.qualifies()
    }

    /// Whether a bound that stands there is all that is said: what follows in its sentence is what it is a bound of.
    pub fn leaves_bound(&self) -> bool {
        let noun = self.noun();
        let names = noun.split_whitespace().count() <= NOUN_WORDS_MAX
            && noun
                .chars()
                .all(|c| c.is_alphabetic() || c.is_whitespace() || matches!(c, '\'' | '-' | '/' | '€' | '$' | '°'));
        names
            && !BEHIND.is_match(noun)
            && !figures::has_any(self.lead)
            && !self.later.contains(|c: char| c.is_ascii_digit())
            && !self.qualifies()
    }

    /// What is counted, behind a bound.
    pub fn noun(&self) -> &'t str {
        let rest = self
            .rest
            .trim_end()
            .trim_end_matches(is_end)
            .trim_start_matches([')', ']']);
        let end = HARMLESS.find(rest).map_or(rest.len(), |found| found.start());
        rest[..end].trim()
    }

    /// Whether a word follows at once.
    pub fn rest_begins_with(&self, word: &str) -> bool {
        self.rest.split_whitespace().next() == Some(word)
    }

    /// What leads up to it in its sentence.
    pub fn lead(&self) -> &'t str {
        self.lead
    }

    fn qualifies(&self) -> bool {
        let mut own = [self.lead, self.rest].into_iter();
        let others = [self.earlier, self.later].into_iter().chain(own.clone());
        others.into_iter().any(|text| ELSEWHERE.is_match(text))
            || own.any(|text| BEFORE.is_match(text))
            || is_of_case(self.lead)
            || sentences(self.later).into_iter().any(is_of_case)
    }
}

/// Whether a sentence begins with the case that it holds of.
fn is_of_case(sentence: &str) -> bool {
    CASE.captures(sentence).is_some_and(|found| {
        let next = found.name("next").map_or("", |next| next.as_str()).to_lowercase();
        !ASKING.contains(&next.as_str())
    })
}

/// Whether a mark may stand between a list or bound and the end of its sentence.
fn is_end(c: char) -> bool {
    is_stop(c) || matches!(c, ')' | ']' | '）' | '"' | '\'')
}

#[cfg(test)]
mod tests {
    use super::Around;

    #[test]
    fn a_list_is_plain_where_nothing_is_said_beside_it_z048() {
        for (text, plain) in [
            ("LIST.", true),
            ("The size: LIST. Ask for it.", true),
            ("The size (LIST).", true),
            ("For which drink: LIST.", true),
            ("LIST, or nothing.", false),
            ("LIST; small by default.", false),
            ("LIST (children: smaller).", false),
            ("For children LIST.", false),
            ("LIST. For children smaller.", false),
            ("If there is time. LIST.", false),
            ("LIST. Otherwise free text.", false),
            ("By default LIST.", false),
            ("Not LIST.", false),
        ] {
            let start = text.find("LIST").expect("it is there");
            assert_eq!(Around::of(text, start, start + 4).leaves_list(), plain, "{text}");
        }
    }

    #[test]
    fn a_bound_is_plain_with_what_it_is_a_bound_of_z048() {
        for (text, plain) in [
            ("BOUND.", true),
            ("BOUND guests.", true),
            ("BOUND of them.", true),
            ("BOUND kg in all.", true),
            ("BOUND, inclusive.", true),
            ("(BOUND).", true),
            ("How old one is, BOUND.", true),
            ("BOUND, or 0.", false),
            ("BOUND by card.", false),
            ("BOUND per guest.", false),
            ("BOUND dozen.", false),
            ("BOUND (12 for groups).", false),
            ("BOUND. Groups: 12.", false),
            ("In 2 rooms, BOUND.", false),
            ("About BOUND.", false),
        ] {
            let start = text.find("BOUND").expect("it is there");
            assert_eq!(Around::of(text, start, start + 5).leaves_bound(), plain, "{text}");
        }
    }
}

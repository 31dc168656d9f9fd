//! Where one clause may be cut between two of its values: at the joint before the words that lead to the second.
//!
//! "Two tickets from Boston on Monday" says three things. What stands between two values belongs to the first as far as it
//! goes on with it ("tickets") and to the second from the word on that leads to it ("from"). Whether a cut is worth its
//! while is the caller's business. Invariant: no joint lies inside a value.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::pattern::fixed;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::roles::journey_role;

/// Punctuation or a conjunction between two phrases.
static CONJUNCTION: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"\s*[,;:]\s*(?:(?:and|but|also|then|plus)\s+)*|\s+(?:and|but|plus|also|then)\s+|\s*&\s*"));
/// Words that lead to a value rather than go on with the one before: prepositions, subjects, participles.
static LEADS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^(?:from|to|into|towards?|in|at|on|by|for|until|till|before|after|with|near|around|under|between|through|within|i|i'd|i'll|i'm|i've|we|we'd|we'll|we're|it|my|our|[a-z]{2,}ing)$",
    )
});
static WORD: LazyLock<Regex> = LazyLock::new(|| fixed(r"[\p{L}\d][\p{L}\d'’.-]*"));
/// What may stand between an address and its city.
static OF_ADDRESS: LazyLock<Regex> = LazyLock::new(|| fixed(r"^\s*,?\s*(?:in\s+)?$"));

/// The joints between the reliable values of a text, as byte ranges, left to right; `spans` are all its values.
pub fn between_values(text: &str, spans: &[Span]) -> Vec<(usize, usize)> {
    let strong = spans
        .iter()
        .filter(|span| span.value_type.is_strong())
        .collect::<Vec<_>>();
    strong
        .windows(2)
        .filter_map(|pair| joint(text, spans, pair[0], pair[1]))
        .collect()
}

/// The joint between two neighbours: the last conjunction, else before the first word that leads to the right one.
fn joint(text: &str, spans: &[Span], left: &Span, right: &Span) -> Option<(usize, usize)> {
    let gap = &text[left.end..right.start];
    if left.value_type == ValueType::Address && right.value_type == ValueType::Place && OF_ADDRESS.is_match(gap) {
        return None;
    }
    let between = |span: &&Span| span.start >= left.end && span.end <= right.start;
    let inside = spans.iter().filter(between).collect::<Vec<_>>();
    let outside = |&(start, end): &(usize, usize)| inside.iter().all(|span| end <= span.start || start >= span.end);
    let conjunction = CONJUNCTION
        .find_iter(gap)
        .map(|found| (left.end + found.start(), left.end + found.end()))
        .filter(outside)
        .last();
    if conjunction.is_some() {
        return conjunction;
    }
    let words = WORD
        .find_iter(gap)
        .filter(|word| outside(&(left.end + word.start(), left.end + word.end())))
        .collect::<Vec<_>>();
    let lead = words
        .iter()
        .position(|word| LEADS.is_match(word.as_str()) || journey_role(word.as_str()).is_some())
        .map_or(right.start, |at| left.end + words[with_deed(&words, at)].start());
    let from = text[..lead].trim_end().len().max(left.end);
    Some((from, lead)).filter(outside)
}

/// Where a phrase begins whose leading word is one place: the deed that is done to an "it", and the courtesy before it, go with it.
fn with_deed(words: &[regex::Match<'_>], at: usize) -> usize {
    let is = |at: usize, word: &str| words[at].as_str().eq_ignore_ascii_case(word);
    match at {
        0 => 0,
        _ if !is(at, "it") => at,
        1 => 0,
        _ if is(at - 2, "please") => at - 2,
        _ => at - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::between_values;
    use crate::domain::pool::tagger::tag;

    fn parts(text: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut from = 0;
        for (start, end) in between_values(text, &tag(text)) {
            parts.push(&text[from..start]);
            from = end;
        }
        parts.push(&text[from..]);
        parts
    }

    #[test]
    fn a_joint_lies_before_the_words_that_lead_to_the_next_value_z101() {
        for (text, wanted) in [
            (
                "two tickets from Boston on Monday",
                vec!["two tickets", "from Boston", "on Monday"],
            ),
            ("2 adults 1 child", vec!["2 adults", "1 child"]),
            (
                "Boston leaving on the 4th at 5 pm",
                vec!["Boston", "leaving on the 4th", "at 5 pm"],
            ),
            ("to Paris return Friday", vec!["to Paris", "return Friday"]),
            ("5 pm Monday", vec!["5 pm", "Monday"]),
            (
                "on Monday please keep it below 350 euros",
                vec!["on Monday", "please keep it below 350 euros"],
            ),
            ("5 pm it is for 2 people", vec!["5 pm", "it is for 2 people"]),
        ] {
            assert_eq!(parts(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_conjunction_goes_before_a_leading_word_z101() {
        assert_eq!(
            parts("in Paris with breakfast, and for 2 nights"),
            ["in Paris with breakfast", "for 2 nights"]
        );
        assert_eq!(parts("to Paris & 2 bags"), ["to Paris", "2 bags"]);
    }

    #[test]
    fn no_joint_lies_inside_a_value_z101() {
        let titled = "in Paris \"Going to Rome\" on Monday";
        assert_eq!(parts(titled), ["in Paris \"Going to Rome\"", "on Monday"]);
        for whole in ["12 Main Street, Boston", "12 Main Street in Boston", "a quiet room"] {
            assert_eq!(parts(whole), [whole], "{whole}");
        }
    }
}

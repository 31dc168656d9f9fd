//! Splitting what one client said into fragments (Z-101): conservative, because a phrase cut in two says less than
//! a phrase left whole.
//!
//! A cut is made between sentences, between clauses, and in one clause between values of different types or roles; never
//! inside a value, and only where both sides have demand of their own. Sentences that merely thank or confirm are left
//! out. Invariant: never an empty list for a text with letters or digits, and no fragment holds what the text does not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::demand::no_demand;
use crate::domain::pool::pattern::Pattern;
use crate::domain::pool::pattern::fixed;
use crate::domain::pool::phrase::between_values;
use crate::domain::pool::reading::NoDemand;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::VALUES_MAX;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::reading::is_readable;
use crate::domain::pool::roles::role_of;
use crate::domain::pool::tagger::NUMBER_WORD;
use crate::domain::pool::tagger::tag;
use crate::domain::pool::tagger::tagged_part;
use crate::domain::pool::words::is_empty_word;
use crate::domain::pool::words::is_preposition;
use crate::domain::pool::words::is_stop_word;
use crate::domain::pool::words::tokens;

static SENTENCE: LazyLock<Pattern> = LazyLock::new(|| Pattern::new(r"[.!?;](?P<s1>)\s+|\s*[\r\n]+\s*"));
static CLAUSE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(&format!(
        r"\s*,\s*(?P<e1>)(?:and|but|also|plus|i|i'd|i'll|we|it|my|leaving|going|returning|departing|for|on|from|to|with|at|in)\b|\s+(?P<e2>)(?:and|but)\s+(?:also\s+|then\s+)?(?:i|i'd|i'll|i'm|we|it|my|the|a|an|leav\w+|go\w*|return\w*|depart\w*|com\w+|for|on|from|to|with|at|in|\d|{NUMBER_WORD})\b"
    ))
});
static ABBREVIATION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"(?:\b(?:st|mr|mrs|ms|dr|prof|jr|sr|no|nr|approx|dept|vs|e\.g|i\.e|etc|[a-z]|[ap]\.m|u\.s)\.)$")
});
/// What opens a further demand rather than going on with the first.
static FURTHER: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^(?:and |but )?(?:also|in addition|additionally|plus|besides|another thing|furthermore|one more thing|(?:i|we)(?:'d| would)? (?:also|further) )\b",
    )
});
static JOINT: LazyLock<Regex> = LazyLock::new(|| fixed(r"^(?:(?:and|but|also|then|plus)\s+)+"));
/// A thing of its own: a determiner and a noun, or a wish with an object.
static OBJECT: LazyLock<Regex> = LazyLock::new(|| fixed(r"\b(?:a|an|the|my|some|extra|no)\s+[a-z]{2,}"));
static OBJECT_FIRST: LazyLock<Regex> = LazyLock::new(|| fixed(r"^(?:and|but)\s+(?:also\s+)?(?:a|an)\s+[a-z]"));

/// Places in one stretch of [`READ_CHARS_MAX`] at which it may be cut; who says something has no more, and each costs a reading.
const CUTS_MAX: usize = 16;
/// Bytes before the end of a sentence among which an abbreviation stands with what parts it from the word before.
const ABBREVIATION_BYTES_MAX: usize = 16;

/// Splits a text; keeps at most `max` fragments. Sentences that are read together are so as far as anything is read; one that is longer
/// stays whole, and so does what holds too much to be read.
pub fn split_demands(text: &str, max: usize) -> Vec<String> {
    let mut kept = Vec::new();
    for stretch in stretches(tagged_part(text).trim()) {
        kept.extend(split_stretch(stretch));
        if kept.len() >= max {
            break;
        }
    }
    kept.truncate(max);
    kept
}

/// Sentences of a text, together as far as they are read.
fn stretches(text: &str) -> Vec<&str> {
    if is_readable(text) {
        return vec![text];
    }
    let mut stretches: Vec<&str> = Vec::new();
    let (mut from, mut until) = (0, 0);
    let ends = sentence_ends(text).into_iter().chain([(text.len(), text.len())]);
    let mut begin = 0;
    for (end, next) in ends {
        if until > from && !is_readable(&text[from..end]) {
            stretches.push(&text[from..until]);
            from = begin;
        }
        (until, begin) = (end, next);
    }
    stretches.push(&text[from..until]);
    stretches
}

/// Ends of sentences, each with where the next one begins.
fn sentence_ends(text: &str) -> Vec<(usize, usize)> {
    let ends = SENTENCE.find_all(text).into_iter();
    let is_abbreviation = |start: usize| {
        let floor = text.floor_char_boundary(start.saturating_sub(ABBREVIATION_BYTES_MAX));
        ABBREVIATION.is_match(&text[floor..start])
    };
    ends.filter(|(start, _)| !is_abbreviation(*start)).collect()
}

/// Splits what is read together.
fn split_stretch(text: &str) -> Vec<String> {
    let whole = || {
        text.chars()
            .any(char::is_alphanumeric)
            .then(|| text.to_owned())
            .into_iter()
            .collect()
    };
    if !is_readable(text) {
        return whole();
    }
    let spans = tag(text);
    let cuts = cuts(text, &spans);
    let all = Part::of(text, &spans);
    if spans.len() > VALUES_MAX || cuts.len() > CUTS_MAX || all.no_demand().is_some() {
        return whole();
    }
    let mut fragments = Vec::new();
    let mut from = 0;
    for (index, cut) in cuts.iter().enumerate() {
        let next = cuts.get(index + 1).map_or(text.len(), |next| next.start);
        let (left, right) = (all.part(from, cut.start), all.part(cut.end, next));
        if separate(&left, &right, cut.kind) {
            fragments.push(left);
            from = cut.end;
        }
    }
    fragments.push(all.part(from, text.len()));
    fragments
        .iter()
        .map(|fragment| without_courtesy(&fragment.without_joint()))
        .filter(|fragment| fragment.chars().any(char::is_alphanumeric))
        .collect()
}

/// A part of a text with the values in it, as they were found in the whole.
struct Part<'t> {
    text: &'t str,
    spans: Vec<Span>,
}

impl<'t> Part<'t> {
    fn of(text: &'t str, spans: &[Span]) -> Part<'t> {
        Part {
            text,
            spans: spans.to_vec(),
        }
    }

    /// What stands between two places.
    fn part(&self, from: usize, until: usize) -> Part<'t> {
        let within = self.spans.iter().filter(|span| span.start >= from && span.end <= until);
        let moved = |span: &Span| Span {
            value_type: span.value_type,
            start: span.start - from,
            end: span.end - from,
        };
        Part {
            text: &self.text[from..until],
            spans: within.map(moved).collect(),
        }
    }

    /// Without blanks around it and the words that join it to what stood before.
    fn without_joint(&self) -> Part<'t> {
        let until = self.text.trim_end().len();
        let begin = until - self.text[..until].trim_start().len();
        let joint = JOINT.find(&self.text[begin..until]).map_or(0, |joint| joint.end());
        let begin = until - self.text[begin + joint..until].trim_start().len();
        self.part(begin, until)
    }

    fn no_demand(&self) -> Option<NoDemand> {
        no_demand(self.text, &self.spans, &BTreeSet::new())
    }

    /// The reliable values, each with its role.
    fn strong_values(&self) -> BTreeSet<(ValueType, Option<String>)> {
        let strong = self.spans.iter().enumerate();
        strong
            .filter(|(_, span)| span.value_type.is_strong())
            .map(|(index, span)| {
                let next = self.spans.get(index + 1).map(|next| next.start);
                (span.value_type, role_of(self.text, span, next))
            })
            .collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CutKind {
    Sentence,
    Clause,
    /// Between two values of one clause.
    Phrase,
}

struct Cut {
    start: usize,
    end: usize,
    kind: CutKind,
}

/// Places where a cut might be made, left to right, none inside a value.
fn cuts(text: &str, spans: &[Span]) -> Vec<Cut> {
    let outside = |start: usize, end: usize| spans.iter().all(|span| end <= span.start || start >= span.end);
    let mut cuts = Vec::new();
    for (start, end) in sentence_ends(text) {
        if outside(start, end) {
            cuts.push(Cut {
                start,
                end,
                kind: CutKind::Sentence,
            });
        }
    }
    for (start, end) in CLAUSE.find_all(text) {
        if outside(start, end) {
            cuts.push(Cut {
                start,
                end,
                kind: CutKind::Clause,
            });
        }
    }
    // What leads to a value from within its own sentence goes with it: "on Monday. Please keep | it below 350 euros" is no cut.
    let sentences = cuts.iter().filter(|cut| cut.kind == CutKind::Sentence);
    let ends = sentences.map(|cut| cut.start).chain([text.len()]).collect::<Vec<_>>();
    let mut rest = spans;
    for end in ends {
        let (within, behind) = rest.split_at(rest.partition_point(|span| span.start < end));
        rest = behind;
        cuts.extend(between_values(text, within).into_iter().map(|(start, end)| Cut {
            start,
            end,
            kind: CutKind::Phrase,
        }));
    }
    cuts.sort_by_key(|cut| (cut.start, cut.end));
    // The end of a sentence before "And" is the beginning of a clause as well: one cut, not two.
    let mut apart: Vec<Cut> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        if apart.last().is_none_or(|last| last.end < cut.start) {
            apart.push(cut);
        }
    }
    apart
}

/// Whether both sides of a cut are demands of their own.
fn separate(left: &Part<'_>, right: &Part<'_>, kind: CutKind) -> bool {
    if left.no_demand().is_some() || right.no_demand().is_some() {
        return false;
    }
    let (left_values, right_values) = (left.strong_values(), right.strong_values());
    let (left, right) = (left.text, right.text);
    let different = !left_values.is_empty() && !right_values.is_empty() && left_values.is_disjoint(&right_values);
    let further = FURTHER.is_match(right) && has_content(left) && has_content(JOINT.replace(right, "").as_ref());
    match kind {
        CutKind::Sentence => different || has_content(left) && has_content(right),
        CutKind::Phrase => distinct(&left_values, &right_values),
        CutKind::Clause => {
            let object =
                OBJECT_FIRST.is_match(right) && OBJECT.is_match(left) && has_content(left) && has_content(right);
            different || further || object
        }
    }
}

/// Whether the reliable values of two parts are of different types, or of one type in different roles.
fn distinct(left: &BTreeSet<(ValueType, Option<String>)>, right: &BTreeSet<(ValueType, Option<String>)>) -> bool {
    let apart = |(left_type, left_role): &(ValueType, Option<String>),
                 (right_type, right_role): &(ValueType, Option<String>)| {
        left_type != right_type || left_role.is_some() && right_role.is_some() && left_role != right_role
    };
    let all_apart = left.iter().all(|one| right.iter().all(|other| apart(one, other)));
    !left.is_empty() && !right.is_empty() && all_apart
}

/// Whether a part names something beyond closed-class words.
fn has_content(part: &str) -> bool {
    tokens(part)
        .iter()
        .any(|word| !is_empty_word(word) && !is_stop_word(word) && !is_preposition(word))
        || part.chars().any(char::is_numeric)
}

/// A fragment without the sentences that merely thank or confirm, unless nothing else is said.
fn without_courtesy(fragment: &Part<'_>) -> String {
    let mut kept = Vec::new();
    let mut from = 0;
    let whole = (fragment.text.len(), fragment.text.len());
    for (start, end) in sentence_ends(fragment.text).into_iter().chain([whole]) {
        let sentence = fragment.part(from, start);
        match sentence.no_demand() {
            Some(
                NoDemand::Empty | NoDemand::Acknowledgement | NoDemand::Thanks | NoDemand::Secret | NoDemand::Unread,
            ) => {}
            Some(NoDemand::Question | NoDemand::NothingAsked) | None => kept.push(sentence.text),
        }
        from = end;
    }
    if kept.is_empty() {
        fragment.text.to_owned()
    } else {
        kept.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use proptest::proptest;

    use super::split_demands;
    use crate::domain::pool::reading::NoDemand;
    use crate::domain::pool::reading::read;

    /// Pieces whose cuts meet.
    const PHRASES: [&str; 12] = [
        ". ",
        ", ",
        " and ",
        " And it's ",
        "\n",
        "; but I'd ",
        "from Boston",
        "to Paris",
        "on Monday",
        "for two",
        "a quiet room",
        " \"Rome. And on Friday\" ",
    ];

    fn split(text: &str) -> Vec<String> {
        split_demands(text, 16)
    }

    #[test]
    fn separate_demands_become_fragments_of_their_own_z101() {
        assert_eq!(
            split("I need two bags. Also a vegetarian meal please"),
            ["I need two bags.", "a vegetarian meal please"]
        );
        assert_eq!(
            split("leaving from Paris, and for two people"),
            ["leaving from Paris", "for two people"]
        );
        assert_eq!(
            split("a window seat and a vegetarian meal"),
            ["a window seat", "a vegetarian meal"]
        );
    }

    #[test]
    fn phrases_and_values_stay_whole_z101() {
        for whole in [
            "a bed and breakfast place",
            "at 5:30 p.m. please",
            "a budget of 10,000 dollars",
            "on March 3, 2026",
            "a hotel in St. Louis",
            "play \"Bread, and Roses. Again\" tonight",
            "something quiet and clean",
            "a trip for me and my family",
            "can you tell me the address and a phone number?",
        ] {
            assert_eq!(split(whole), [whole], "{whole}");
        }
    }

    #[test]
    fn a_sentence_with_content_is_a_demand_of_its_own_z101() {
        assert_eq!(
            split("Something quiet would be nice. It should allow dogs."),
            ["Something quiet would be nice.", "It should allow dogs."]
        );
        assert_eq!(split("I want that. It should allow dogs.").len(), 1);
    }

    #[test]
    fn values_of_different_types_or_roles_in_one_clause_are_cut_apart_z101() {
        assert_eq!(
            split("two tickets from Boston to Paris on Monday"),
            ["two tickets", "from Boston", "to Paris", "on Monday"]
        );
        assert_eq!(
            split("On the 20th of January. Please keep it below 350 euros"),
            ["On the 20th of January.", "Please keep it below 350 euros"]
        );
        for whole in ["Paris to be seen and London", "2 or 3 rooms", "12 Main Street, Boston"] {
            assert_eq!(split(whole), [whole], "{whole}");
        }
    }

    #[test]
    fn the_end_of_a_sentence_before_a_conjunction_is_one_cut_z101() {
        assert_eq!(
            split("I leave from Boston. And it's for four people."),
            ["I leave from Boston.", "it's for four people."]
        );
    }

    #[test]
    fn sentences_of_mere_courtesy_are_left_out_z065() {
        assert_eq!(
            split("Hello there! I want a quiet room. Thank you."),
            ["I want a quiet room."]
        );
        assert_eq!(split("Thank you so much."), ["Thank you so much."]);
    }

    #[test]
    fn what_is_too_much_to_be_read_stays_whole_and_is_not_lost_z063_z101() {
        for unit in [
            "a 1 ",
            "1, ",
            "A b, and c ",
            "to x from y ",
            "\u{6f22} ",
            "e.g. ",
            "'a' \"b\" ",
        ] {
            let text = unit.repeat(2_000 / unit.len());
            let fragments = split_demands(&text, 64);
            assert_eq!(fragments, [text.trim()], "{unit}");
            assert_eq!(read(&fragments[0], &[]), Err(NoDemand::Unread), "{unit}");
        }
        let sentence = "I would like a quiet room with a view.";
        let long = "a very ".repeat(80) + "large room please.";
        let text = format!("{sentence} {long} {sentence} Thank you so much.");
        assert_eq!(split_demands(&text, 64), [sentence, long.as_str(), sentence]);
        let many = format!("{sentence} ").repeat(30);
        let fragments = split_demands(&many, 64);
        assert_eq!(fragments, vec![sentence; 30], "each of them is short");
    }

    #[test]
    fn at_most_so_many_fragments_are_kept_and_none_from_nothing() {
        assert_eq!(split_demands("two bags. Also a meal. Also a seat.", 2).len(), 2);
        assert!(split(" .,! ").is_empty());
    }

    proptest! {
        #[test]
        fn any_run_of_phrases_is_split_without_growing_z101(
            parts in proptest::collection::vec(0_usize..PHRASES.len(), 0..12)
        ) {
            let text = parts.iter().map(|&part| PHRASES[part]).collect::<String>();
            let length = split(&text).iter().map(String::len).sum::<usize>();
            assert!(length <= text.len() + 16);
        }

        #[test]
        fn any_text_is_split_without_growing(text in ".{0,300}") {
            let fragments = split(&text);
            let length = fragments.iter().map(String::len).sum::<usize>();
            assert!(length <= text.len() + fragments.len());
            if text.chars().any(char::is_alphanumeric) {
                assert!(!fragments.is_empty());
            }
        }
    }
}

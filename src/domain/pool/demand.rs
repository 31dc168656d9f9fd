//! The demand filter: whether a fragment may carry a requirement at all (Z-065, Z-096). Lexical and ordered.
//!
//! Thanks, confirmations and questions about the service are no demand; a value beside them usually is.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::confided::MARK;
use crate::domain::pool::nothing;
use crate::domain::pool::pattern::Pattern;
use crate::domain::pool::pattern::fixed;
use crate::domain::pool::reading::NoDemand;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::words::is_empty_word;
use crate::domain::pool::words::tokens;

static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:thank|thanks|thx|thankyou|appreciate|grateful|good ?bye|bye|have a (?:nice|great|good)|nothing else|all set|all i need)",
    )
});
static THAT_IS_ALL: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"\bthat(?:'?s| is| was|'ll be| will be| would be| should be|'d be) (?:all|it|everything|enough)\b")
});
/// "That is all the luggage" closes nothing.
static ALL_OF_SOMETHING: LazyLock<Regex> = LazyLock::new(|| fixed(r"^ (?:the|in|on|at|for \d)"));
static ASK: LazyLock<Regex> = LazyLock::new(|| {
    fixed(concat!(
        r"^(?:(?:at|in|to|from|on|by|for) (?:what|which|how)\b",
        r"|(?:will|would|could|can|should|may|might|shall)\s+(?:it|they|the|this|that|there|he|she|my)\b",
        r"|(?:can|could|would|will|may|might|shall|should)\s+(?:you|i|u|we)\s+(?:also |please |kindly |just |first |possibly )*(?:tell|know|let me know|provide|inform|say|explain|describe|list|share|see what|ask|give me (?:the|their|its|more|some more|further|a contact)|send me (?:the|their)|get (?:the|their|its|more)|find out|check (?:if|whether|what|how)|confirm)",
        r"|(?:please |kindly |also |just |first )*(?:tell|inform|let me know|let us know|find out|provide|list|name the|share|give me (?:the|their|its|more|further)|get me (?:the|their|its|more|further)|send me (?:the|their)|let me (?:have|get) (?:the|their))\b",
        r"|(?:i|i'd|i would|we|i'll|i need|i want|i wanna)\s*(?:'d |would )?(?:also )?(?:like |love |need |want |wish |have )?(?:to |wanna )?(?:also )?(?:know|find out|learn|hear|ask|get more|see more|be told)\b",
        r"|any (?:other|more|idea)|anything else|show me (?:more|other|another|something else|a different)|(?:are|is) there\b|do you (?:have|know|find))",
    ))
});
static WH_WORD: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"^(?:what|which|where|when|how|who|whom|whose|why)(?:'?s|'re)?\b"));
/// "What about Paris" proposes rather than asks.
static WH_ABOUT: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"^(?:what|which|where|when|how|who|whom|whose|why)s? about"));
static VERB_FIRST: LazyLock<Regex> = LazyLock::new(|| fixed(r"^(?:is|are|was|were|does|do|did|has|have|am)\s+\w+"));
static VERB_FIRST_NOT: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"^(?:is|are|was|were|does|do|did|has|have|am)\s+(?:me|not|a|an)\b"));
static YES_NO: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^(?:is|are|was|does|do|did|will|would|has|have|am)\s+(?:it|this|that|these|those|they|the|he|she|their|its|both)\b",
    )
});
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^(?:(?:yes|yeah|yep|yup|no|nope|ok|okay|sure|please|alright|hi|hello|hey|well|actually|great|perfect|awesome|excellent|cool|nice|thanks|thank you(?: (?:so|very) much)?|thanks a lot|um|oh|and|but|so|also|then|correct|right|exactly|first|before that|that'?s (?:right|correct|good|great|fine|perfect)|that is (?:right|correct|good|great|fine|perfect)|that works|that sounds (?:good|great)|sounds (?:good|great)|it is (?:good|fine|nice)[\w ]{0,8}|by the way|additionally)[\s,.!;:]+)+",
    )
});
static SENTENCE_END: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(concat!(
        r"[.!?;](?P<s1>)\s+",
        r"|[a-z](?P<s2>)[.?!](?P<e2>)[a-z]",
        r"|,\s+(?P<e3>)(?:and |but )?(?:what|which|where|when|how|who|can|could|may|do|does|is|are|will|tell|let me know)\b",
        r"|\s+(?P<e4>)(?:and|but)\s+(?:also\s+)?(?:what|which|where|when|how|who|let me know|tell me|can you|may i|is|are|does|do)\b",
    ))
});
static JOINT: LazyLock<Regex> = LazyLock::new(|| fixed(r"^(?:and|but|also)\s+"));
/// Openings after which the service's own words say nothing new ("Yes, that flight").
static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^\W*(?:yes|yeah|yep|yup|ye|yea|no|nope|nah|ok|okay|sure|that|this|it|perfect|great|good|fine|excellent|awesome|alright|confirm\w*|correct|right|go ahead|please proceed|sounds|i confirm|are there|do you have|any|find me another|show me (?:other|another|more)|whether)\b",
    )
});

/// Values that mean nothing in a farewell.
const FAREWELL_VALUES: [&str; 5] = ["today", "tonight", "the day", "one", "two"];

/// The rule that says a fragment carries no demand, if any does. `spans` are all its values; `service` holds the words
/// of the service's own description, lower case.
pub fn no_demand(fragment: &str, spans: &[Span], service: &BTreeSet<&str>) -> Option<NoDemand> {
    // A secret asks for nothing, and what was said beside it comes without its mark (X-02).
    if fragment.contains(MARK) {
        return Some(NoDemand::Secret);
    }
    if !fragment.chars().any(char::is_alphanumeric) {
        return Some(NoDemand::Empty);
    }
    let closing = closes(fragment);
    let text_of = |span: &Span| &fragment[span.start..span.end];
    let values = spans
        .iter()
        .filter(|span| span.value_type != ValueType::Name || !tokens(text_of(span)).iter().all(|w| is_empty_word(w)))
        .filter(|span| !closing || !FAREWELL_VALUES.contains(&text_of(span).to_lowercase().as_str()))
        .collect::<Vec<_>>();
    let answering = ANSWER.is_match(fragment);
    let left = tokens(fragment)
        .iter()
        .filter(|word| !(is_empty_word(word) || answering && is_service_word(word, service)))
        .count();
    if values.is_empty() && left == 0 {
        return Some(NoDemand::Acknowledgement);
    }
    if values.is_empty() && closing && left <= 1 {
        return Some(NoDemand::Thanks);
    }
    if nothing::says_nothing(fragment) {
        return Some(NoDemand::Empty);
    }
    let values = values
        .iter()
        .map(|span| (text_of(span), span.value_type))
        .collect::<Vec<_>>();
    asks_only(fragment, &values, service).then_some(NoDemand::Question)
}

/// Whether a fragment says good-bye.
fn closes(fragment: &str) -> bool {
    CLOSING.is_match(fragment)
        || THAT_IS_ALL
            .find_iter(fragment)
            .any(|found| !ALL_OF_SOMETHING.is_match(&fragment[found.end()..]))
}

fn is_service_word(word: &str, service: &BTreeSet<&str>) -> bool {
    service.contains(word)
        || service.contains(format!("{word}s").as_str())
        || word
            .strip_suffix('s')
            .is_some_and(|singular| service.contains(singular))
}

/// What kind of sentence it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sentence {
    Statement,
    /// Asks for information.
    Open,
    /// Asks yes or no about what was offered.
    Closed,
}

fn kind(sentence: &str) -> Sentence {
    let rest = LEAD.replace(sentence, "");
    let rest = rest.trim();
    let asks = ASK.is_match(rest)
        || (WH_WORD.is_match(rest) && !WH_ABOUT.is_match(rest))
        || (VERB_FIRST.is_match(rest) && !VERB_FIRST_NOT.is_match(rest));
    if YES_NO.is_match(rest) {
        Sentence::Closed
    } else if asks {
        Sentence::Open
    } else {
        Sentence::Statement
    }
}

/// Sentences, also cut before a question that follows a comma or "and".
pub fn sentences(fragment: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (start, end) in SENTENCE_END.find_all(fragment) {
        parts.push(&fragment[from..start]);
        from = end;
    }
    parts.push(&fragment[from..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Whether a fragment asks about the service and says nothing else.
fn asks_only(fragment: &str, values: &[(&str, ValueType)], service: &BTreeSet<&str>) -> bool {
    let parts = sentences(fragment)
        .into_iter()
        .map(|part| {
            let part = JOINT.find(part).map_or(part, |joint| &part[joint.end()..]);
            (part, kind(part))
        })
        .collect::<Vec<_>>();
    let of = |wanted: Sentence| {
        let texts = parts
            .iter()
            .filter(|(_, kind)| *kind == wanted)
            .map(|(part, _)| *part)
            .collect::<Vec<_>>();
        texts.join(" ")
    };
    if parts.iter().all(|(_, kind)| *kind == Sentence::Statement) {
        return false;
    }
    let (rest, open, closed) = (of(Sentence::Statement), of(Sentence::Open), of(Sentence::Closed));
    let says_a_value = values.iter().any(|(text, value_type)| {
        rest.contains(text)
            || open.contains(text)
            || (closed.contains(text) && value_type.is_strong() && *value_type != ValueType::Number)
    });
    let content = tokens(&rest)
        .iter()
        .filter(|word| !is_empty_word(word) && !service.contains(word.as_str()))
        .count();
    !says_a_value && content <= 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::no_demand;
    use super::sentences;
    use crate::domain::pool::reading::NoDemand;
    use crate::domain::pool::tagger::tag;

    fn why(fragment: &str) -> Option<NoDemand> {
        let service = BTreeSet::from(["flight", "flights", "book"]);
        no_demand(fragment, &tag(fragment), &service)
    }

    #[test]
    fn what_asks_for_nothing_is_no_demand_z065_z096() {
        assert_eq!(why(" ?! "), Some(NoDemand::Empty));
        assert_eq!(why("Yes, that works for me."), Some(NoDemand::Acknowledgement));
        assert_eq!(why("Ok, that flight is fine"), Some(NoDemand::Acknowledgement));
        assert_eq!(why("Thanks, bye otto"), Some(NoDemand::Thanks));
        assert_eq!(why("What is the baggage allowance?"), Some(NoDemand::Question));
        assert_eq!(why("Does it have wifi?"), Some(NoDemand::Question));
    }

    #[test]
    fn a_requirement_beside_courtesy_is_kept_z065() {
        for kept in [
            "Yes, with two bags",
            "Thank you, a window seat and a vegetarian meal",
            "What about Paris instead?",
            "I need a quiet room. Is it far?",
            "That's all the luggage: three bags",
            "Can you find me a pet friendly place?",
        ] {
            assert_eq!(why(kept), None, "{kept}");
        }
    }

    #[test]
    fn a_value_in_an_open_question_counts_and_in_a_yes_no_question_only_when_it_is_strong() {
        assert_eq!(why("Which flights leave on Monday?"), None);
        assert_eq!(why("Is it on Monday?"), None);
        assert_eq!(why("Is it for two?"), Some(NoDemand::Question));
    }

    #[test]
    fn sentences_end_at_punctuation_and_before_a_question() {
        assert_eq!(
            sentences("A quiet room, what does it cost? Fine"),
            ["A quiet room", "what does it cost?", "Fine"]
        );
    }
}

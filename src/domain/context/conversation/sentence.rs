//! Sentences of what was said: the pieces that a summary is made of.
//!
//! Invariant: every sentence is a piece of the text as it stands there, in its order; nothing is written anew.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::context::conversation::said::Speaker;
use crate::domain::pool::pattern::exact;
use crate::domain::pool::pattern::fixed;
use crate::domain::pool::tagger::tag;

/// Bytes of one sentence; a longer one is cut at a space.
pub const SENTENCE_BYTES_MAX: usize = 400;
/// Sentences of one turn that are looked at: its first and its last ones.
pub const PER_TURN_MAX: usize = 32;

static END: LazyLock<Regex> = LazyLock::new(|| exact(r#"[.!?…。！？]+["'”’)\]]*(?:\s+|$)|\s*[\r\n]+\s*"#));
static ABBREVIATION: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"(?:\b(?:st|mr|mrs|ms|dr|prof|jr|sr|no|nr|approx|vs|e\.g|i\.e|etc|cf|[a-z])\.)\s*$"));
/// Words by which people settle something, bind or forbid themselves, or correct what was said.
static SETTLES: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:decid\w+|agree\w*|choos\w+|chose\w*|confirm\w*|book(?:ed|ing)?|approv\w+|reject\w*|cancel\w*|instead|must|mustn't|need(?:s|ed)?|require\w*|prefer\w*|never|only|not|don't|won't|can't|cannot|without|allerg\w+|budget|deadline|limit|at most|at least|under|maximum|minimum|let's|we'll|i'll|go with|final\w*|change\w*|correct\w*|actually|remember|important)\b",
    )
});
static COURTESY: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^(?:(?:hi|hello|hey|thanks|thank you(?: so much| very much)?|thx|please|ok|okay|sure|great|perfect|good|nice|fine|yes|no|yep|bye|goodbye|you're welcome|my pleasure|no problem|of course|how can i help(?: you)?(?: today)?|is there anything else(?: i can help (?:you )?with)?|have a (?:nice|great|good) day|sounds good|got it|great choice|good morning|good evening|there)[\s,.!?]*)+$",
    )
});

/// A sentence with who said it and in which turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// From 1.
    pub turn: usize,
    pub speaker: Speaker,
    pub text: String,
}

/// How much a sentence says by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Values such as dates, sums, places and other figures.
    pub values: usize,
    /// It settles, forbids or corrects something.
    pub settles: bool,
    pub asks: bool,
}

/// The sentences of a turn's words; courtesies alone are left out.
pub fn sentences(turn: usize, speaker: Speaker, content: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut from = 0;
    for end in END.find_iter(content) {
        let whole = &content[from..end.end()];
        if end.end() < content.len() && !whole.ends_with(['\n', '\r']) && ABBREVIATION.is_match(whole) {
            continue;
        }
        found.push(whole);
        from = end.end();
    }
    found.push(&content[from..]);
    let mut kept: Vec<&str> = found
        .into_iter()
        .map(str::trim)
        .filter(|text| text.chars().any(char::is_alphanumeric) && !COURTESY.is_match(text))
        .collect();
    if kept.len() > PER_TURN_MAX {
        let tail = kept.split_off(kept.len() - PER_TURN_MAX / 2);
        kept.truncate(PER_TURN_MAX / 2);
        kept.extend(tail);
    }
    kept.into_iter()
        .map(|text| Sentence {
            turn,
            speaker,
            text: cut(text).to_owned(),
        })
        .collect()
}

/// What a sentence says by itself.
pub fn weight(text: &str) -> Weight {
    let strong = tag(text).iter().filter(|span| span.value_type.is_strong()).count();
    let figures = text
        .split_whitespace()
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
        .count();
    Weight {
        values: strong.max(figures),
        settles: SETTLES.is_match(text),
        asks: text.trim_end().ends_with(['?', '？']),
    }
}

fn cut(text: &str) -> &str {
    if text.len() <= SENTENCE_BYTES_MAX {
        return text;
    }
    let head = &text[..text.floor_char_boundary(SENTENCE_BYTES_MAX)];
    head.rfind(char::is_whitespace).map_or(head, |space| &head[..space])
}

#[cfg(test)]
mod tests {
    use super::PER_TURN_MAX;
    use super::SENTENCE_BYTES_MAX;
    use super::Speaker;
    use super::sentences;
    use super::weight;

    fn texts(content: &str) -> Vec<String> {
        let found = sentences(1, Speaker::User, content);
        found.into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn a_text_falls_into_its_sentences_and_courtesies_are_left_out() {
        assert_eq!(
            texts("Hello there! I need a laptop. My budget is $1,000.50, at most. Thanks!"),
            ["I need a laptop.", "My budget is $1,000.50, at most."]
        );
        assert_eq!(
            texts("Meet Dr. Smith at 5 p.m. tomorrow."),
            ["Meet Dr. Smith at 5 p.m. tomorrow."]
        );
        assert_eq!(texts("one\n- two\n\n- three"), ["one", "- two", "- three"]);
        assert_eq!(texts(" ?! "), Vec::<String>::new());
        assert_eq!(
            texts("预算是一千元。请用红色！"),
            ["预算是一千元。请用红色！"],
            "without a space it stays whole"
        );
    }

    #[test]
    fn sentences_are_bounded_in_length_and_number() {
        let long = "word ".repeat(200);
        assert!(texts(&long)[0].len() <= SENTENCE_BYTES_MAX);
        let many: String = (0..100).map(|n| format!("Sentence number {n}. ")).collect();
        let kept = texts(&many);
        assert_eq!(kept.len(), PER_TURN_MAX);
        assert_eq!(
            (kept[0].as_str(), kept[PER_TURN_MAX - 1].as_str()),
            ("Sentence number 0.", "Sentence number 99.")
        );
    }

    #[test]
    fn figures_and_decisions_weigh() {
        let decided = weight("Let's go with option 4 for $899.");
        assert!(decided.settles && decided.values >= 2 && !decided.asks);
        let small_talk = weight("The weather is lovely");
        assert!(!small_talk.settles && small_talk.values == 0);
        assert!(weight("Which one do you like?").asks);
    }
}

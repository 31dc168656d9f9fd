//! Sentences of what was said: the pieces that a summary is made of.
//!
//! Invariant: every sentence is a piece of the text as it stands there, in its order; nothing is written anew.

use std::sync::LazyLock;

use regex::Regex;
use text::analysis::Analysis;
use text::closed;
use text::number;
use text::number::Kind;

use crate::conversation::said::Speaker;
use text::pattern::fixed;

/// Bytes of one sentence; a longer one is cut at a space.
pub const SENTENCE_BYTES_MAX: usize = 400;
/// Sentences of one turn that are looked at: its first and its last ones.
pub const PER_TURN_MAX: usize = 32;

/// Words by which people decide something, or correct what was said.
static DECIDES: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:decid\w+|agree\w*|choos\w+|chose\w*|confirm\w*|book(?:ed|ing)?|approv\w+|reject\w*|cancel\w*|go with|final\w*|change\w*|correct\w*)\b",
    )
});
/// Words by which they bind or forbid themselves something; courtesies hold them too ("I'll be glad to help").
static BINDS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:instead|must|mustn't|need(?:s|ed)?|require\w*|prefer\w*|never|only|not|don't|won't|can't|cannot|without|allerg\w+|budget|deadline|limit|at most|at least|under|maximum|minimum|let's|we'll|i'll|actually|remember|important)\b",
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

/// What kind of thing a sentence says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Says {
    /// It greets, thanks or offers help, and nothing else.
    Courtesy,
    /// It agrees, or fills a pause, and nothing else ("Yes, that works for me").
    Little,
    #[default]
    Something,
}

/// How much a sentence says by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Values such as dates, sums, places, names and other figures.
    pub values: usize,
    /// Words that say something by themselves.
    pub substance: usize,
    /// It settles, forbids or corrects something.
    pub settles: bool,
    pub asks: bool,
    pub says: Says,
}

/// The sentences of a turn's words; courtesies are left out.
pub fn sentences(turn: usize, speaker: Speaker, content: &str) -> Vec<Sentence> {
    let mut kept: Vec<&str> = text::sentence::pieces(content).collect();
    if kept.len() > PER_TURN_MAX {
        let tail = kept.split_off(kept.len() - PER_TURN_MAX / 2);
        kept.truncate(PER_TURN_MAX / 2);
        kept.extend(tail);
    }
    kept.into_iter()
        .map(cut)
        .filter(|text| weight(text).says != Says::Courtesy)
        .map(|text| Sentence {
            turn,
            speaker,
            text: text.to_owned(),
        })
        .collect()
}

/// What a sentence says by itself.
pub fn weight(text: &str) -> Weight {
    let strong = values(text).len();
    let words: Vec<Word<'_>> = text.split_whitespace().filter_map(Word::of).collect();
    let figures = words.iter().filter(|word| word.is_figure()).count();
    // The first word is written large in any sentence.
    let names = words.iter().skip(1).filter(|word| word.is_name()).count();
    let substance = words.iter().filter(|word| word.says()).count();
    let binds = BINDS.is_match(text);
    let decides = DECIDES.is_match(text);
    let says = if strong > 0 || substance > 0 || decides {
        Says::Something
    } else if words.iter().any(Word::is_courtesy) {
        Says::Courtesy
    } else if binds {
        Says::Something
    } else {
        Says::Little
    };
    Weight {
        values: strong.max(figures + names),
        substance,
        settles: decides || binds,
        asks: text.trim_end().ends_with(['?', '？']),
        says,
    }
}

/// The values of a sentence that can be told by their kind: numbers, and names of days and months.
pub fn values(text: &str) -> Vec<(&'static str, String)> {
    let kind = |kind: Kind| match kind {
        Kind::Plain => "number",
        Kind::Money => "money",
        Kind::Time => "time",
    };
    let analysis = Analysis::of(text);
    let numbers = number::said(&analysis)
        .into_iter()
        .map(|number| (kind(number.kind), number.value));
    let dates = analysis.words().iter().filter(|word| closed::is_date(&word.lower));
    let dates = dates.map(|word| ("date", word.lower.clone()));
    numbers.chain(dates).collect()
}

/// A word of a sentence, without the signs around it.
struct Word<'a> {
    text: &'a str,
    lower: String,
}

impl<'a> Word<'a> {
    fn of(text: &'a str) -> Option<Word<'a>> {
        let text = text.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = text.to_lowercase().replace('’', "'");
        (!text.is_empty()).then_some(Word { text, lower })
    }

    fn is_figure(&self) -> bool {
        self.text.chars().any(|c| c.is_ascii_digit())
    }

    fn is_courtesy(&self) -> bool {
        closed::is_courteous(&self.lower)
    }

    /// Whether it says something by itself.
    fn says(&self) -> bool {
        self.is_figure() || !(self.is_courtesy() || closed::is_common(&self.lower))
    }

    fn is_name(&self) -> bool {
        !self.is_figure() && self.text.starts_with(char::is_uppercase) && self.says()
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
    use super::Says;
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
        assert_eq!(texts("预算是一千元。请用红色！"), ["预算是一千元。", "请用红色！"]);
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
        assert_eq!(
            weight("The Grand Plaza in Kiel has 40 rooms.").values,
            4,
            "names and figures"
        );
        assert_eq!(weight("The Pool is quiet").values, 1);
    }

    #[test]
    fn a_courtesy_says_nothing_else_whatever_its_words_p032() {
        for text in [
            "Thank you so much for your help!",
            "Thank you so much!",
            "Sure, I can help with that.",
            "I’ll be glad to help you with that.",
            "Is there anything else I can help you with?",
            "You are very welcome, and have a wonderful day!",
            "I don't have any other questions, thank you.",
        ] {
            assert_eq!(weight(text).says, Says::Courtesy, "{text}");
        }
        for text in [
            "That sounds great.",
            "Yes, that works for me.",
            "Have a nice day!",
            "Okay.",
        ] {
            assert_eq!(weight(text).says, Says::Little, "{text}");
        }
        for text in [
            "Please cancel it, thanks.",
            "Thanks, 4 nights.",
            "Thank you, Anna.",
            "Sure, the hotel has a pool.",
            "Great, book it.",
            "Great, I'll take it.",
            "No, not that one.",
            "I need it.",
            "Thanks, two of them.",
            "预算是一千元。",
            "Größe zählt.",
        ] {
            assert_eq!(weight(text).says, Says::Something, "{text}");
        }
    }
}

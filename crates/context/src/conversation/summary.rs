//! A summary by taking sentences out: those that stand for the whole and do not repeat each other (P-032 … P-034).
//!
//! Maximal marginal relevance over vectors of whole numbers: each step takes the sentence that is nearest to the middle of
//! everything and farthest from what was taken, with weight for numbers, dates and names, since those are missed most. Nothing is
//! written anew, so nothing can be made up. Invariants: every sentence is a piece of what was said; the same sentences and vectors give
//! the same summary, in the order in which they were said; it is never larger than its bounds; what is personal is redacted in it.

use std::cmp::Reverse;

use serde::Deserialize;
use serde::Serialize;
use text::analysis::Analysis;
use text::analysis::Word;
use text::closed;
use text::number;
use text::phrase;
use text::redaction::redacted;
use text::sentence;
use text::vector::Sum;
use text::vector::Vector;
use utoipa::ToSchema;

use crate::conversation::turn::Speaker;
use crate::conversation::turn::as_history;
use schema::export::tokens::estimate;

/// Bytes of one sentence; a longer one is cut at a space.
pub const SENTENCE_BYTES_MAX: usize = 400;
/// Sentences of one turn that are looked at: its first and its last ones.
pub const PER_TURN_MAX: usize = 32;

/// Who made a summary (P-033).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Sentences were taken out, as they were said.
    #[default]
    Extractive,
    /// A language model wrote it: read in old journals, made by nothing.
    Model,
}

/// Units of a whole cosine.
const ONE: i64 = 1 << 28;
// The weights are chosen by hand: a sentence of the whole's topic comes first, and among such the one that names a value. No figure on
// data stands behind them.

/// Share of likeness to the whole, in percent; the rest is taken off for likeness to what was taken.
const RELEVANCE: i64 = 60;
/// What a number, date or name is worth, up to three of them, in percent of a whole cosine.
const VALUE: i64 = 6;
const VALUES_MAX: usize = 3;
/// What a word with content is worth, up to eight of them.
const WORD: i64 = 1;
const WORDS_MAX: usize = 8;
/// What the user said itself, and what is asked only.
const USER: i64 = 5;
const QUESTION: i64 = -12;

/// Tokens of the record that says what a summary stands for (P-034); no less than it has.
const RECORD_TOKENS: u64 = 80;
/// What a summary may take of the words that it stands for where that record would leave it less, in percent: short turns are
/// summarised as long ones are.
const WORDS_SHARE: u64 = 60;

/// How large a summary may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryLimits {
    pub sentences_max: usize,
    pub bytes_max: usize,
    /// As a ConversationHistory.
    pub tokens_max: u64,
}

impl SummaryLimits {
    /// The same for a summary that stands for these words: with its record it has no more tokens than they have, where they are
    /// not few.
    pub fn instead_of<'a>(self, said: impl IntoIterator<Item = (Speaker, &'a str)>) -> SummaryLimits {
        let replaced = tokens(said);
        let room = replaced.saturating_sub(RECORD_TOKENS).max(replaced * WORDS_SHARE / 100);
        SummaryLimits {
            tokens_max: self.tokens_max.min(room),
            ..self
        }
    }
}

/// What words take as a ConversationHistory.
pub fn tokens<'a>(said: impl IntoIterator<Item = (Speaker, &'a str)>) -> u64 {
    estimate(&as_history(said).to_string())
}

/// A piece of a summary: what one speaker said in one turn, shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SummaryItem)]
pub struct Item {
    /// From 1.
    pub turn: usize,
    #[schema(value_type = String)]
    pub role: Speaker,
    pub content: String,
}

impl Item {
    /// Who said it, and what.
    pub fn said(&self) -> (Speaker, &str) {
        (self.role, &self.content)
    }
}

/// A sentence with who said it and in which turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// From 1.
    pub turn: usize,
    pub speaker: Speaker,
    pub text: String,
}

/// The sentences of a turn's words; those without a word of content, such as thanks and greetings, are left out.
pub fn sentences(turn: usize, speaker: Speaker, content: &str) -> Vec<Sentence> {
    let mut kept: Vec<&str> = sentence::pieces(content).collect();
    if kept.len() > PER_TURN_MAX {
        let tail = kept.split_off(kept.len() - PER_TURN_MAX / 2);
        kept.truncate(PER_TURN_MAX / 2);
        kept.extend(tail);
    }
    let saying = kept.into_iter().map(cut).filter(|text| says_something(text));
    saying
        .map(|text| Sentence {
            turn,
            speaker,
            text: text.to_owned(),
        })
        .collect()
}

fn cut(text: &str) -> &str {
    if text.len() <= SENTENCE_BYTES_MAX {
        return text;
    }
    let head = &text[..text.floor_char_boundary(SENTENCE_BYTES_MAX)];
    head.rfind(char::is_whitespace).map_or(head, |space| &head[..space])
}

fn says_something(text: &str) -> bool {
    let analysis = Analysis::of(text);
    !phrase::is_courtesy(&analysis) && content_words(&analysis).next().is_some()
}

/// Words that say something by themselves.
fn content_words<'a>(analysis: &'a Analysis<'_>) -> impl Iterator<Item = &'a Word<'a>> {
    let words = analysis.words().iter();
    words.filter(move |word| closed::is_negator(&word.lower) || !closed::is_common(&word.lower))
}

/// How much a sentence says by itself, in percent of a whole cosine.
fn weight(sentence: &Sentence) -> i64 {
    let analysis = Analysis::of(&sentence.text);
    let numbers = number::said(&analysis).len();
    // The first word is written large in any sentence.
    let is_value = |word: &&Word<'_>| {
        let is_figure = word.text.starts_with(|c: char| c.is_ascii_digit());
        is_figure || closed::is_date(&word.lower) || (word.start > 0 && word.text.starts_with(char::is_uppercase))
    };
    let values = numbers.max(content_words(&analysis).filter(is_value).count());
    let words = content_words(&analysis).count();
    let asks = sentence.text.trim_end().ends_with(['?', '？']);
    let of = |count: usize, max: usize, each: i64| i64::try_from(count.min(max)).unwrap_or(0) * each;
    of(values, VALUES_MAX, VALUE)
        + of(words, WORDS_MAX, WORD)
        + if asks { QUESTION } else { 0 }
        + if sentence.speaker == Speaker::User { USER } else { 0 }
}

/// Takes sentences out. `vectors` are those of the sentences, in their order; one without a vector is taken only where there
/// is room left over.
pub fn summarise(sentences: &[Sentence], vectors: &[Option<Vector>], limits: SummaryLimits) -> Vec<Item> {
    let mut middle = Sum::default();
    for vector in vectors.iter().flatten() {
        middle.add(vector);
    }
    let middle = middle.centroid();
    let likeness = |one: Option<&Vector>, other: Option<&Vector>| match (one, other) {
        (Some(one), Some(other)) => i64::from(one.cosine(other).0).max(-ONE),
        (None, _) | (_, None) => 0,
    };
    let vector = |at: usize| vectors.get(at).and_then(Option::as_ref);
    let shown: Vec<String> = sentences.iter().map(|sentence| redacted(&sentence.text)).collect();
    let worth: Vec<i64> = sentences
        .iter()
        .enumerate()
        .map(|(at, sentence)| RELEVANCE * likeness(vector(at), middle.as_ref()) + weight(sentence) * ONE)
        .collect();
    let mut taken: Vec<usize> = Vec::new();
    let mut nearest: Vec<i64> = vec![0; sentences.len()];
    let mut open: Vec<usize> = (0..sentences.len()).filter(|at| !shown[*at].is_empty()).collect();
    let mut bytes = 0;
    while taken.len() < limits.sentences_max {
        // The earlier one of two that are worth the same.
        let marginal = |at: &usize| (worth[*at] - (100 - RELEVANCE) * nearest[*at], Reverse(*at));
        let Some(best) = open.iter().copied().max_by_key(marginal) else {
            break;
        };
        open.retain(|at| *at != best);
        // The same words again say nothing more.
        let repeats = taken.iter().any(|at| shown[*at] == shown[best]);
        let size = shown[best].len() + 1;
        if repeats || bytes + size > limits.bytes_max {
            continue;
        }
        let place = taken.partition_point(|at| *at < best);
        taken.insert(place, best);
        if tokens(items(sentences, &shown, &taken).iter().map(Item::said)) > limits.tokens_max {
            taken.remove(place);
            continue;
        }
        bytes += size;
        for at in &open {
            nearest[*at] = nearest[*at].max(likeness(vector(*at), vector(best)));
        }
    }
    items(sentences, &shown, &taken)
}

/// What these sentences come to, as they are shown: those of one turn together.
fn items(sentences: &[Sentence], shown: &[String], taken: &[usize]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for at in taken {
        let (sentence, text) = (&sentences[*at], &shown[*at]);
        match items.last_mut() {
            Some(last) if last.turn == sentence.turn && last.role == sentence.speaker => {
                last.content.push(' ');
                last.content.push_str(text);
            }
            Some(_) | None => items.push(Item {
                turn: sentence.turn,
                role: sentence.speaker,
                content: text.clone(),
            }),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use proptest::prelude::any;
    use proptest::proptest;
    use serde_json::json;

    use super::Item;
    use super::PER_TURN_MAX;
    use super::RECORD_TOKENS;
    use super::SENTENCE_BYTES_MAX;
    use super::Sentence;
    use super::Speaker;
    use super::SummaryLimits;
    use super::Vector;
    use super::estimate;
    use super::sentences;
    use super::summarise;
    use super::tokens;

    const LIMITS: SummaryLimits = SummaryLimits {
        sentences_max: 4,
        bytes_max: 400,
        tokens_max: u64::MAX,
    };

    /// A vector that counts words, so that sentences with the same words are alike.
    fn vector(text: &str) -> Option<Vector> {
        let mut counts = vec![0.0_f32; 64];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            if !word.is_empty() {
                let place = word
                    .bytes()
                    .fold(7_usize, |hash, byte| (hash * 31 + usize::from(byte)) % 64);
                counts[place] += 1.0;
            }
        }
        Vector::quantise(&counts)
    }

    fn summary(turns: &[(Speaker, &str)], limits: SummaryLimits) -> Vec<Item> {
        let all: Vec<Sentence> = turns
            .iter()
            .enumerate()
            .flat_map(|(at, (speaker, text))| sentences(at + 1, *speaker, text))
            .collect();
        let vectors: Vec<Option<Vector>> = all.iter().map(|sentence| vector(&sentence.text)).collect();
        summarise(&all, &vectors, limits)
    }

    /// What the user and the assistant say in turn.
    fn spoken<'a>(texts: &[&'a str]) -> Vec<(Speaker, &'a str)> {
        let speakers = [Speaker::User, Speaker::Assistant].into_iter().cycle();
        speakers.zip(texts.iter().copied()).collect()
    }

    fn shopping() -> Vec<(Speaker, &'static str)> {
        spoken(&[
            "Hi! I am looking for a lightweight laptop for travel.",
            "Great choice. Do you have any preferred brands, budget range, or screen size?",
            "My budget is 1,000 dollars at most, and I must have 16 GB of memory.",
            "Here are some laptops that match your preferences. Laptops are useful for travel.",
            "Nice. Laptops for travel are good. What about the weather there, by the way?",
            "The weather is mild. Laptops for travel like mild weather.",
            "Let's go with option 4 for 899 dollars.",
            "Confirmed: option 4, delivered on 2026-05-04. Write to anna@example.org.",
            "Thanks!",
            "You're welcome!",
        ])
    }

    fn texts(content: &str) -> Vec<String> {
        let found = sentences(1, Speaker::User, content);
        found.into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn a_text_falls_into_its_sentences_and_what_says_nothing_is_left_out_p032() {
        assert_eq!(
            texts("Hello there! I would like a laptop. My budget is $1,000.50, at most. Thanks!"),
            ["I would like a laptop.", "My budget is $1,000.50, at most."]
        );
        for text in [
            " ?! ",
            "Thank you so much for your help!",
            "Sure, I can help with that.",
            "Is there anything else I can help you with?",
            "You are very welcome!",
            "Yes, that works for me.",
        ] {
            assert_eq!(texts(text), Vec::<String>::new(), "{text}");
        }
        for text in [
            "Please cancel my order, thanks.",
            "Thanks, 4 nights.",
            "Thank you, Anna.",
            "No, not that colour.",
            "预算是一千元。",
            "Größe zählt.",
        ] {
            assert_eq!(texts(text), [text]);
        }
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
    fn decisions_and_numbers_are_kept_and_nothing_is_made_up_p032_p034_p035() {
        let items = summary(&shopping(), LIMITS);
        let text: String = items.iter().map(|item| format!("{} ", item.content)).collect();
        for kept in ["1,000 dollars", "16 GB", "option 4", "899", "2026-05-04"] {
            assert!(text.contains(kept), "{kept} is missing in {text}");
        }
        assert!(!text.contains("welcome") && !text.contains("weather is mild"), "{text}");
        for item in &items {
            let said = shopping()[item.turn - 1].1;
            for piece in item.content.split(". ").filter(|piece| !piece.contains('[')) {
                assert!(
                    said.contains(piece.trim_end_matches('.')),
                    "{piece:?} was not said in {said:?}"
                );
            }
        }
        let personal = spoken(&["Confirm it to anna@example.org, my card is 4111 1111 1111 1111."]);
        let text = &summary(&personal, LIMITS)[0].content;
        assert!(text.contains("[email]") && text.contains("[card]"), "{text}");
    }

    #[test]
    fn the_same_words_are_taken_once_and_nothing_is_no_summary() {
        let turns = [(Speaker::User, "I need 2 beds."), (Speaker::User, "I need 2 beds.")];
        assert_eq!(summary(&turns, LIMITS).len(), 1);
        assert_eq!(summary(&[(Speaker::User, "Thanks!")], LIMITS), Vec::new());
        let none = SummaryLimits { bytes_max: 5, ..LIMITS };
        assert_eq!(summary(&turns, none), Vec::new());
    }

    #[test]
    fn a_summary_is_smaller_than_what_it_stands_for_however_short_that_is_p032_p033_p034() {
        let record = json!({"summarised": {"turns": 1_000, "first_turn": 1, "last_turn": 1_000, "items": 12,
            "method": "extractive", "model": "a-language-model-of-some-size-2026-05-01", "made_at": "2026-05-01T08:00:00Z"}});
        assert!(estimate(&record.to_string()) <= RECORD_TOKENS);
        let room = |turns: &[(Speaker, &str)]| LIMITS.instead_of(turns.iter().copied());
        let all: Vec<(Speaker, &str)> = shopping().into_iter().chain(shopping()).collect();
        let first = room(&all).tokens_max;
        assert_eq!(first + RECORD_TOKENS, tokens(all.iter().copied()));
        let items = summary(&all, room(&all));
        assert!(!items.is_empty() && tokens(items.iter().map(Item::said)) <= first);
        let short = [(Speaker::User, "Two rooms for us."); 4];
        assert_eq!(
            room(&short).tokens_max,
            tokens(short) * 60 / 100,
            "what is short is summarised too"
        );
        let bounded = SummaryLimits {
            tokens_max: 5,
            ..LIMITS
        };
        assert_eq!(bounded.instead_of(all.iter().copied()).tokens_max, 5);
    }

    #[test]
    fn without_vectors_what_weighs_is_taken() {
        let all = sentences(
            1,
            Speaker::User,
            "The sky is blue. We decided on 3 rooms for 400 euros.",
        );
        let one = SummaryLimits {
            sentences_max: 1,
            ..LIMITS
        };
        assert!(summarise(&all, &[None, None], one)[0].content.contains("3 rooms"));
    }

    proptest! {
        #[test]
        fn a_summary_is_bounded_in_order_and_always_the_same_p032_p034(
            words in proptest::collection::vec((any::<bool>(), "[a-z ]{0,40}[.!?] [A-Z0-9a-z ]{0,60}[.!?]"), 0..20),
            sentences_max in 0_usize..8,
            bytes_max in 0_usize..300,
            tokens_max in 2_u64..120,
        ) {
            let turns: Vec<(Speaker, &str)> = words
                .iter()
                .map(|(user, text)| (if *user { Speaker::User } else { Speaker::Assistant }, text.as_str()))
                .collect();
            let limits = SummaryLimits { sentences_max, bytes_max, tokens_max };
            let items = summary(&turns, limits);
            assert_eq!(items, summary(&turns, limits));
            assert!(items.len() <= sentences_max);
            assert!(tokens(items.iter().map(Item::said)) <= tokens_max);
            assert!(items.iter().map(|item| item.content.len()).sum::<usize>() <= bytes_max);
            assert!(items.windows(2).all(|pair| pair[0].turn <= pair[1].turn));
            for item in &items {
                assert_eq!(item.role, turns[item.turn - 1].0);
            }
        }
    }
}

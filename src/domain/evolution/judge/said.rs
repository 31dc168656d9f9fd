//! An utterance as the judge reads it: words and stems, and where it says dates, times of day and numbers.
//!
//! Knows no key. Invariant: a number that is part of a date or a time of day is no number of its own.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Token;
use crate::domain::evolution::negation;

/// Bytes of one text that are read.
const TEXT_MAX: usize = 4_096;
/// Words between a negation and what it negates.
pub const REACH: usize = 3;
/// What only answers: "no problem", "go ahead", "either way".
const ASSENT: [&str; 12] = [
    "absolutely",
    "ahead",
    "certainly",
    "course",
    "definitely",
    "either",
    "fair",
    "problem",
    "whatever",
    "ya",
    "yea",
    "yup",
];

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    let month = "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
    let ordinal = "(?:twenty[ -]|thirty[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth)";
    let day = format!(r"(?:\d{{1,2}} ?(?:st|nd|rd|th)\b|\d{{1,2}}\b|{ordinal}\b)");
    let weekday = "(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|satur|sun)day|mon|tues|wed|thurs?|fri";
    compile(&format!(
        r"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|(?:the )?day after tomorrow|tomorrow|(?:the day before )?yesterday|(?:couple of|\w+) (?:day|week|month|year)s? ago|(?:later )?today|tonight|{day}(?: day)?(?: of)? {month}\b(?:,? \d{{4}})?|{month}\.?,? (?:the )?{day}(?:,? \d{{4}})?|(?:this |next |coming |following )?(?:{weekday})\b,?(?: (?:of )?(?:this|next|the following) week)?|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|in \w+ (?:day|week)s?\b|\d{{1,2}} ?(?:st|nd|rd|th)\b(?: of (?:this|the|next) month)?|{ordinal} of (?:this|the|next) month)"
    ))
});
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    let half = r"(?:,? (?:in the |at )?(?:morning|afternoon|evening|night)\b)";
    let hour = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
    compile(&format!(
        r#"\b(?:(?:(?:morning|afternoon|evening|night)(?: at)? )?(?:\d{{1,2}}:\d{{2}}(?: ?[ap]\.?m\b)?|(?:quarter|half) (?:past|to) {hour}\b|{hour} ?[ap]\.?m\b|{hour} ?o['’"]? ?clock|{hour} thirty\b){half}?|{hour},? (?:in the |at )(?:morning|afternoon|evening|night)\b|(?:morning|afternoon|evening)(?: at)? {hour}\b|noon\b|midnight\b)"#
    ))
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant that a test compiles")
}

/// A run of words: from the first to just behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from: usize,
    pub to: usize,
}

/// A date or time of day, with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    pub span: Span,
    pub text: String,
}

/// A text as words and their stems.
pub struct Said {
    text: String,
    tokens: Vec<Token>,
    stems: Vec<String>,
    /// Places of the words that refuse what stands behind them.
    refusals: Vec<usize>,
    pub dates: Vec<Moment>,
    pub times: Vec<Moment>,
    pub numbers: Vec<(Span, f64)>,
}

impl Said {
    /// Reads a text; upper and lower case make no difference.
    pub fn read(text: &str) -> Said {
        let mut end = text.len().min(TEXT_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end).unwrap_or_default().to_lowercase();
        let tokens = lexicon::tokens(&text);
        let stems = tokens.iter().map(|token| lexicon::stem(&token.word)).collect();
        let mut said = Said {
            refusals: negation::refusals(&text, &tokens),
            tokens,
            stems,
            dates: Vec::new(),
            times: Vec::new(),
            numbers: Vec::new(),
            text,
        };
        said.times = said.moments(&TIME);
        said.dates = said.moments(&DATE);
        // "2:30" is no date and "march 3rd" no time: where both match, the longer holds.
        let longer = |one: &Moment, others: &[Moment]| {
            others
                .iter()
                .all(|other| !one.span.meets(other.span) || one.text.len() > other.text.len())
        };
        let (dates, times) = (said.dates.clone(), said.times.clone());
        said.dates.retain(|date| longer(date, &times));
        said.times.retain(|time| longer(time, &dates));
        said.numbers = said.read_numbers();
        said
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.tokens.len()
    }

    /// A word, lower case; empty beyond the end.
    pub fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    /// The stems of all words.
    pub fn stems(&self) -> &[String] {
        &self.stems
    }

    /// Whether a sentence ends between a word and the one before it.
    pub fn breaks_before(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let (Some(before), Some(token)) = (before, self.tokens.get(at)) else {
            return true;
        };
        let gap = self.text.get(before.end..token.start).unwrap_or_default();
        gap.contains(['?', '!', ';']) || gap.contains(". ")
    }

    /// The first word whose stem is one of these.
    pub fn first_of(&self, stems: &[String]) -> Option<usize> {
        self.stems.iter().position(|said| stems.contains(said))
    }

    /// Where the words of a phrase stand side by side, by their stems.
    pub fn phrase(&self, phrase: &str) -> Option<usize> {
        self.phrases(phrase).first().map(|span| span.from)
    }

    /// Everywhere that the words of a phrase stand side by side.
    pub fn phrases(&self, phrase: &str) -> Vec<Span> {
        let wanted: Vec<String> = lexicon::tokens(&phrase.to_lowercase().replace('_', " "))
            .iter()
            .map(|token| lexicon::stem(&token.word))
            .collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let found = self.stems.windows(wanted.len()).enumerate();
        found
            .filter(|(_, window)| *window == wanted)
            .map(|(from, window)| Span {
                from,
                to: from + window.len(),
            })
            .collect()
    }

    /// How many of a text's content words were said, of how many; words among `besides` count only where there are no
    /// others.
    pub fn share_of(&self, text: &str, besides: &[String]) -> (usize, usize) {
        let wanted = Said::stems_of(text);
        let telling: Vec<&String> = wanted.iter().filter(|stem| !besides.contains(stem)).collect();
        let telling = if telling.is_empty() {
            wanted.iter().collect()
        } else {
            telling
        };
        let held = telling.iter().filter(|stem| self.stems.contains(stem)).count();
        (held, telling.len())
    }

    fn stems_of(text: &str) -> Vec<String> {
        lexicon::tokens(&text.to_lowercase())
            .iter()
            .filter(|token| !lexicon::stop(&token.word))
            .map(|token| lexicon::stem(&token.word))
            .collect()
    }

    /// Whether most of a phrase's content words were said.
    pub fn holds_most_of(&self, phrase: &str) -> bool {
        let (held, all) = self.share_of(phrase, &[]);
        all > 0 && held * 3 >= all * 2
    }

    /// Whether a refusal stands shortly before a word, and is meant for it.
    pub fn negated(&self, at: usize) -> bool {
        let near = at.saturating_sub(REACH)..at;
        let refusal = self.refusals.iter().rev().find(|refusal| near.contains(*refusal));
        refusal.is_some_and(|refusal| {
            let between = self.tokens.get(refusal + 1..at).unwrap_or_default();
            !self.answers(*refusal) && !between.iter().any(|token| token.word == "but")
        })
    }

    /// Whether a refusal answers something else: "No, a window seat".
    fn answers(&self, refusal: usize) -> bool {
        self.tokens.get(refusal).is_some_and(|token| {
            let rest = self.text.get(token.end..).unwrap_or_default();
            matches!(token.word.as_str(), "no" | "nope" | "nah") && rest.starts_with([',', '.'])
        })
    }

    /// Whether nothing but stop words and words of assent was said: an answer to a question that is not here.
    pub fn only_answers(&self) -> bool {
        self.tokens
            .iter()
            .all(|token| lexicon::stop(&token.word) || ASSENT.contains(&token.word.as_str()))
    }

    fn moments(&self, pattern: &Regex) -> Vec<Moment> {
        pattern
            .find_iter(&self.text)
            .filter_map(|found| {
                let inside = |token: &Token| token.start < found.end() && token.end > found.start();
                let from = self.tokens.iter().position(inside)?;
                let to = self.tokens.iter().rposition(inside)? + 1;
                Some(Moment {
                    span: Span { from, to },
                    text: found.as_str().to_owned(),
                })
            })
            .collect()
    }

    /// Numbers of their own, in digits and words.
    fn read_numbers(&self) -> Vec<(Span, f64)> {
        let taken = |at: usize| {
            let one = Span { from: at, to: at + 1 };
            self.dates
                .iter()
                .chain(&self.times)
                .any(|moment| moment.span.meets(one))
        };
        let digits = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let named = |word: &str| lexicon::classes().numw.contains_key(word);
        let numeric = |word: &str| named(word) || digits(word) || matches!(word, "couple" | "myself" | "alone");
        let mut numbers: Vec<(Span, f64)> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let mut end = at;
            let mut run = String::new();
            while end < self.tokens.len() && end - at < 10 && !taken(end) {
                let word = self.word(end);
                // "six hundred and ten": `and` joins only what goes on.
                let joins = word == "and"
                    && matches!(self.word(end.wrapping_sub(1)), "hundred" | "thousand")
                    && named(self.word(end + 1));
                // "Two one way tickets": a way is not counted.
                if word == "one" && matches!(self.word(end + 1), "way" | "ways") {
                    break;
                }
                let alone = |word: &str| matches!(word, "couple" | "myself" | "alone");
                let apart = !run.is_empty() && (digits(word) || alone(word) || alone(self.word(end - 1)));
                if apart || !(numeric(word) || (joins && !run.is_empty())) {
                    break;
                }
                run.push_str(word);
                run.push(' ');
                end += 1;
            }
            // "3rd" is a place in a row.
            let ordinal = digits(self.word(at)) && matches!(self.word(end), "st" | "nd" | "rd" | "th");
            if let Some(value) = lexicon::number(&run).filter(|_| !ordinal) {
                numbers.push((Span { from: at, to: end }, value));
            }
            at = end.max(at + 1);
        }
        numbers
    }
}

impl Span {
    /// Whether two runs have a word in common.
    pub fn meets(self, other: Span) -> bool {
        self.from < other.to && other.from < self.to
    }
}

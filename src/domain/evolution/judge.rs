//! The judge without a language model: does the value match what was asked (Z-136, Z-137, DESIGN §7)?
//!
//! Owns the comparison of one value with one utterance, and the weaker sign that remains without one. Says nothing where
//! nothing can be said: a value equal to its default of which the utterance does not speak, free text without a known
//! value. Keeps no text.

use serde_json::Value;

use crate::domain::evolution::ledger::Basis;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Token;
use crate::domain::evolution::moment;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;

/// What the judge sees of one payload.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    pub key: &'a KeyDefinition,
    /// The value as it was sent, JSON text.
    pub value: &'a Value,
    pub utterance: Option<&'a str>,
    /// Strings that the same payload left in `other`.
    pub other: &'a [String],
    /// Known surface values of the key's cluster, lower case.
    pub surfaces: &'a [String],
}

/// Bytes of one text that are read.
const TEXT_MAX: usize = 4_096;
/// Words between a negation and what it negates, or between a number and the noun that it counts.
const REACH: usize = 3;
/// Words of a key's name that say nothing about what is asked.
const GENERIC: [&str; 22] = [
    "amount",
    "count",
    "date",
    "flag",
    "format",
    "has",
    "is",
    "level",
    "max",
    "min",
    "mode",
    "name",
    "number",
    "of",
    "option",
    "preference",
    "preferred",
    "scale",
    "the",
    "time",
    "type",
    "value",
];
const NEGATION: [&str; 14] = [
    "no", "not", "don't", "doesn't", "isn't", "won't", "wouldn't", "without", "never", "nor", "avoid", "nope", "skip",
    "cannot",
];
/// What makes a negation agree: "I don't mind sharing".
const INDIFFERENCE: [&str; 5] = ["mind", "problem", "issue", "worry", "bother"];

/// Judges one value; `None` when nothing can be said. Lexical with an utterance; a proxy without one: a known surface
/// value, and whether `other` still asks for the same.
pub fn judge(case: &Case<'_>) -> Option<(bool, Basis)> {
    match case.utterance.filter(|utterance| !utterance.trim().is_empty()) {
        Some(utterance) => lexical(case, utterance).map(|aligned| (aligned, Basis::Lexical)),
        None => proxy(case).map(|aligned| (aligned, Basis::Proxy)),
    }
}

fn is_default(case: &Case<'_>) -> bool {
    let none = matches!(case.value, Value::String(text) if text == "none");
    case.value.is_null() || none || case.key.default_value.as_ref() == Some(case.value)
}

fn lexical(case: &Case<'_>, utterance: &str) -> Option<bool> {
    let said = Said::read(utterance);
    let cues = cues(case.key);
    match case.value {
        Value::Null => None,
        Value::Bool(value) => boolean(*value, &said, &cues, case),
        Value::Number(value) => number(value.as_f64()?, &said, &cues, is_default(case)),
        Value::String(value) => match form(case.key) {
            Form::Date => moment::date_agrees(value, utterance),
            Form::Time => moment::time_agrees(value, utterance),
            Form::Text => text(value, &said, &cues, case),
        },
        Value::Array(values) => all(values, &said, &cues, case),
        Value::Object(_) => None,
    }
}

/// A list is right when each of its texts is.
fn all(values: &[Value], said: &Said, cues: &[String], case: &Case<'_>) -> Option<bool> {
    let mut verdict = None;
    for value in values.iter().take(64) {
        let one = text(value.as_str()?, said, cues, case)?;
        verdict = Some(verdict.unwrap_or(true) && one);
    }
    verdict
}

fn boolean(value: bool, said: &Said, cues: &[String], case: &Case<'_>) -> Option<bool> {
    // The word that tells: `shared` of `shared_ride` (any ride is one), `legroom` of `extra_legroom`.
    let telling = cues
        .iter()
        .find(|cue| !lexicon::classes().deg.contains_key(cue.as_str()))
        .or(cues.first());
    let at = telling
        .and_then(|cue| said.stems.iter().position(|said| said == cue))
        .or_else(|| case.surfaces.iter().find_map(|surface| said.phrase(surface)))?;
    Some(value != said.negated(at))
}

/// A number beside the key's own noun decides; else any number said. "A bag" is one, "no bags" is zero.
fn number(value: f64, said: &Said, cues: &[String], default: bool) -> Option<bool> {
    let numbers = said.numbers();
    if let Some(cue) = said.first_of(cues) {
        let near = numbers
            .iter()
            .filter(|(at, _)| *at < cue && cue - at <= REACH)
            .max_by_key(|(at, _)| *at)
            .or_else(|| numbers.iter().find(|(at, _)| *at > cue && at - cue <= REACH));
        if let Some((_, said)) = near {
            return Some(*said == value);
        }
        if said.negated(cue) {
            return Some(value == 0.0);
        }
        if cue > 0 && matches!(said.word(cue - 1), "a" | "an") {
            return Some(value == 1.0);
        }
    }
    if numbers.iter().any(|(_, said)| *said == value) {
        return Some(true);
    }
    // A number that nobody said was invented; one that is the default was not asked for, so it is not wrong either.
    if default {
        None
    } else {
        (!numbers.is_empty()).then_some(false)
    }
}

fn text(value: &str, said: &Said, cues: &[String], case: &Case<'_>) -> Option<bool> {
    let allowed = enumeration(case.key);
    if is_default(case) {
        // Right when it is refused in words, wrong when another value is asked for, unjudged when nothing is said.
        let other = allowed
            .iter()
            .filter(|other| other.as_str() != value)
            .chain(case.surfaces)
            .find_map(|other| said.phrase(other));
        return match other {
            Some(at) => Some(said.negated(at)),
            None => said.first_of(cues).filter(|at| said.negated(*at)).map(|_| true),
        };
    }
    if let Some(at) = said.phrase(value) {
        return Some(!said.negated(at));
    }
    if !allowed.is_empty() {
        // Another value of the list was said, or nothing of the key at all: this one was not asked for.
        let another = allowed
            .iter()
            .any(|other| other != value && said.phrase(other).is_some());
        let mapped = mapped_phrases(case.key, value)
            .iter()
            .any(|phrase| said.holds_most_of(phrase));
        return match (mapped, another) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => said.first_of(cues).is_none().then_some(false),
        };
    }
    let (held, all) = said.share_of(value);
    match (held, all) {
        (_, 0) => None,
        (0, _) => Some(false),
        (held, all) if held * 2 >= all => Some(true),
        (_, _) => None,
    }
}

fn proxy(case: &Case<'_>) -> Option<bool> {
    let cues = cues(case.key);
    let asks = case.other.iter().any(|text| {
        let said = Said::read(text);
        said.first_of(&cues).is_some() || case.surfaces.iter().any(|surface| said.phrase(surface).is_some())
    });
    if asks {
        return Some(false);
    }
    if is_default(case) {
        return None;
    }
    match case.value {
        Value::Bool(_) => (case.key.key_type == KeyType::Boolean).then_some(true),
        Value::Number(_) => matches!(case.key.key_type, KeyType::Integer | KeyType::Number).then_some(true),
        Value::String(value) => proxy_text(value, case),
        Value::Array(values) => values
            .iter()
            .take(64)
            .map(|value| proxy_text(value.as_str()?, case))
            .reduce(|all, one| Some(all? && one?))
            .flatten(),
        Value::Null | Value::Object(_) => None,
    }
}

fn proxy_text(value: &str, case: &Case<'_>) -> Option<bool> {
    match form(case.key) {
        Form::Date => return Some(moment::is_date(value)),
        Form::Time => return Some(moment::is_time(value)),
        Form::Text => {}
    }
    let allowed = enumeration(case.key);
    if !allowed.is_empty() {
        return Some(allowed.iter().any(|other| other == value));
    }
    let lower = value.to_lowercase();
    case.surfaces.contains(&lower).then_some(true)
}

/// How the strings of a key are to be read.
enum Form {
    Date,
    Time,
    Text,
}

fn form(key: &KeyDefinition) -> Form {
    let keyword = |name: &str| key.constraints.get(name).and_then(Value::as_str);
    match (keyword("format"), keyword("pattern")) {
        (Some("date"), _) => Form::Date,
        (Some("time"), _) | (_, Some(moment::CLOCK_PATTERN)) => Form::Time,
        (_, _) => Form::Text,
    }
}

fn enumeration(key: &KeyDefinition) -> Vec<String> {
    key.constraints
        .get("enum")
        .and_then(Value::as_array)
        .map(|values| {
            values
                .iter()
                .filter_map(Value::as_str)
                .filter(|value| *value != "none")
                .map(str::to_lowercase)
                .collect()
        })
        .unwrap_or_default()
}

/// Stems of the words of a key's name that say what is asked.
fn cues(key: &KeyDefinition) -> Vec<String> {
    key.key_name
        .as_str()
        .split('_')
        .filter(|word| word.len() > 2 && !GENERIC.contains(word) && !lexicon::stop(word))
        .map(lexicon::stem)
        .collect()
}

/// What the key's own mapping examples show for a value: `'something wide' -> large`.
fn mapped_phrases(key: &KeyDefinition, value: &str) -> Vec<String> {
    let mut phrases = Vec::new();
    for example in key.semantic_description.split("; ") {
        if let Some((left, right)) = example.rsplit_once("' -> ")
            && right.trim_end_matches('.').eq_ignore_ascii_case(value)
            && let Some((_, phrase)) = left.split_once('\'')
        {
            phrases.push(phrase.to_owned());
        }
    }
    phrases
}

/// A text as words and their stems.
struct Said {
    tokens: Vec<Token>,
    stems: Vec<String>,
}

impl Said {
    fn read(text: &str) -> Said {
        let mut end = text.len().min(TEXT_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let tokens = lexicon::tokens(text.get(..end).unwrap_or_default());
        let stems = tokens.iter().map(|token| lexicon::stem(&token.word)).collect();
        Said { tokens, stems }
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    fn first_of(&self, stems: &[String]) -> Option<usize> {
        self.stems.iter().position(|said| stems.contains(said))
    }

    /// Where the words of a phrase stand side by side, by their stems.
    fn phrase(&self, phrase: &str) -> Option<usize> {
        let wanted: Vec<String> = lexicon::tokens(&phrase.replace('_', " "))
            .iter()
            .map(|token| lexicon::stem(&token.word))
            .collect();
        if wanted.is_empty() {
            return None;
        }
        self.stems.windows(wanted.len()).position(|window| window == wanted)
    }

    /// How many of a text's content words were said, of how many.
    fn share_of(&self, text: &str) -> (usize, usize) {
        let wanted = Said::read(text);
        let content: Vec<&String> = wanted
            .tokens
            .iter()
            .zip(&wanted.stems)
            .filter(|(token, _)| !lexicon::stop(&token.word))
            .map(|(_, stem)| stem)
            .collect();
        let held = content.iter().filter(|stem| self.stems.contains(stem)).count();
        (held, content.len())
    }

    fn holds_most_of(&self, phrase: &str) -> bool {
        let (held, all) = self.share_of(phrase);
        all > 0 && held * 3 >= all * 2
    }

    /// Whether a negation stands shortly before a word, and is not one of indifference.
    fn negated(&self, at: usize) -> bool {
        let before = self.tokens.get(at.saturating_sub(REACH)..at).unwrap_or_default();
        let negation = before.iter().rposition(|token| NEGATION.contains(&token.word.as_str()));
        negation.is_some_and(|from| {
            !before
                .iter()
                .skip(from)
                .any(|token| INDIFFERENCE.contains(&token.word.as_str()) || token.word == "but")
        })
    }

    /// Numbers with the place of their last word.
    fn numbers(&self) -> Vec<(usize, f64)> {
        let mut numbers: Vec<(usize, f64)> = Vec::new();
        let numeric = |word: &str| {
            lexicon::classes().numw.contains_key(word)
                || word.starts_with(|c: char| c.is_ascii_digit())
                || matches!(word, "couple" | "myself" | "alone")
        };
        let mut at = 0;
        while at < self.tokens.len() {
            let mut end = at;
            let mut run = String::new();
            while end < self.tokens.len() && numeric(self.word(end)) && end - at < 8 {
                // Digits stand alone; number words combine ("twenty five").
                if !run.is_empty() && self.word(end).starts_with(|c: char| c.is_ascii_digit()) {
                    break;
                }
                run.push_str(self.word(end));
                run.push(' ');
                end += 1;
            }
            if let Some(value) = lexicon::number(&run) {
                numbers.push((end - 1, value));
            }
            at = end.max(at + 1);
        }
        numbers
    }
}

#[cfg(test)]
mod tests;

//! Short forms of names: initials, airport-like codes, clipped words. By their letters alone; no list of names.

use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::judge::said::Span;
use crate::domain::evolution::lexicon;

/// Letters of a clipped word that must agree: "philly" of "philadelphia".
const CLIPPED_MIN: usize = 4;

/// Where a short form of a name stands.
pub fn find(said: &Said, name: &str) -> Option<Span> {
    let lower = name.to_lowercase();
    let head = lower.split(',').next().unwrap_or(&lower);
    let words: Vec<&str> = head
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() || words.len() > 6 {
        return None;
    }
    (0..said.words()).find_map(|at| {
        let word = said.word(at);
        // "l.a." is two words.
        let dotted = word.len() == 1 && words.len() == 2 && initials(&format!("{word}{}", said.word(at + 1)), &words);
        let span = Span {
            from: at,
            to: at + 1 + usize::from(dotted),
        };
        (dotted || short_for(word, &words)).then_some(span)
    })
}

/// Whether a word can be a short form of a name with these words, all lower case.
fn short_for(word: &str, words: &[&str]) -> bool {
    let letters = word.chars().count();
    if !word.chars().all(char::is_alphabetic) || letters < 2 || lexicon::stop(word) {
        return false;
    }
    if letters <= 4 && words.len() > 1 && initials(word, words) {
        return true;
    }
    let common = lexicon::known(word) && !lexicon::place(word);
    let Some(first) = words.first() else { return false };
    if common {
        return false;
    }
    let shared = word.chars().zip(first.chars()).take_while(|(a, b)| a == b).count();
    let clipped = words.len() == 1 && shared >= CLIPPED_MIN && letters < first.chars().count();
    clipped || (letters == 3 && words.len() == 1 && code(word, first))
}

/// "ny" and "nyc" of "new york", "la" and "lax" of "los angeles", "sfo" of "san francisco".
fn initials(word: &str, words: &[&str]) -> bool {
    let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
    word.strip_prefix(initials.as_str())
        .is_some_and(|rest| rest.chars().count() <= 1 && rest != "s")
}

/// Three letters of a name in their order, beginning with its first: "atl" of "atlanta".
fn code(word: &str, name: &str) -> bool {
    let mut letters = name.chars();
    word.chars().zip(name.chars()).next().is_some_and(|(a, b)| a == b)
        && word.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

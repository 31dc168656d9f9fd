//! Whether a PIN is that of a place: the number of six digits that ends an address in India.
//!
//! Looks at the value and at what stands before the word in the same sentence. Knows nothing of other postal codes, which bear
//! other names. Invariant: what is doubtful is a secret.

use crate::secrets::prose::Told;
use crate::secrets::prose::form::Tie;
use crate::secrets::prose::table;
use crate::secrets::prose::table::Sort;
use crate::secrets::prose::term::next_term;

/// Digits of such a number; it begins with none.
const DIGITS: usize = 6;
/// Bytes of an address that are looked at.
const BEFORE_MAX: usize = 160;
/// Words that the name of a place is made of.
const NAME_MAX: usize = 2;

/// Whether what is told under a word at a place is the number of an address and nobody's own.
pub(super) fn is_number_of_place(text: &str, start: usize, told: &Told) -> bool {
    if told.is_quoted || !is_number(&text[told.start..told.end]) {
        return false;
    }
    let floor = text.floor_char_boundary(start.saturating_sub(BEFORE_MAX));
    let before = &text[floor..start];
    let sentence = before
        .rfind(['.', '!', '?', ';', '\n'])
        .map_or(before, |end| &before[end + 1..]);
    ends_address(sentence, told.tie)
}

fn is_number(value: &str) -> bool {
    let digits: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    digits.len() == DIGITS && digits.chars().all(|c| c.is_ascii_digit()) && !digits.starts_with('0')
}

/// Whether what stands before the word is an address, or says that the number belongs to one.
fn ends_address(sentence: &str, tie: Tie) -> bool {
    let words: Vec<&str> = sentence
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’')))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    // What a card, a door or a device asks for is no place, wherever that is.
    let is_opened = lower
        .iter()
        .any(|word| table::is(Sort::Opened, word) || table::is_lock(word));
    if is_opened || next_term(sentence, 0).is_some() {
        return false;
    }
    let names_place = |words: &[String]| {
        let mut names = (1..=NAME_MAX).flat_map(|size| words.windows(size));
        names.any(|name| table::is(Sort::Address, &name.join(" ")))
    };
    let ends = (1..=NAME_MAX).any(|size| {
        let last = lower.len().checked_sub(size).map(|from| &lower[from..]);
        last.is_some_and(|name| table::is(Sort::Address, &name.join(" ")))
    });
    if !sentence.trim_end().ends_with([',', '-', '–', '—', '(']) {
        return ends;
    }
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    tie != Tie::Says && (ends || words.last().is_some_and(is_name)) && names_place(&lower)
}

//! Whether a word such as "code" is that of something with a lock: "the key safe code", "the code for the gate", "Torcode".
//!
//! Looks at the words right before it, and at those after a word that begins what it is for. Knows no values. Invariant: no more is
//! looked at than a few words, whatever the text.

use crate::secrets::prose::before;
use crate::secrets::prose::past_blanks;
use crate::secrets::prose::table;
use crate::secrets::prose::table::Sort;
use crate::secrets::prose::word_at;

/// Words that the name of such a thing is made of.
const NAME_MAX: usize = 3;
/// Words before the name that say which one it is.
const BETWEEN_MAX: usize = 3;
/// Bytes before it that are looked at.
const BEFORE_MAX: usize = 64;

/// Whether it belongs to something that has a lock.
pub(super) fn is_beside(text: &str, start: usize, end: usize) -> bool {
    let is_joined = text[..start].ends_with(char::is_alphanumeric);
    is_before(text, start) || (!is_joined && is_after(text, end))
}

/// The name right before it, joined to it or not.
fn is_before(text: &str, start: usize) -> bool {
    let floor = text.floor_char_boundary(start.saturating_sub(BEFORE_MAX));
    let before = text[floor..start].trim_end_matches(['-', '_', ' ']);
    let owner = ["'s", "’s"].into_iter().find_map(|owns| before.strip_suffix(owns));
    let until = floor + owner.unwrap_or(before).len();
    let mut name = String::new();
    for (start, end) in before::backwards(text, floor, until).take(NAME_MAX) {
        name.insert_str(0, &text[start..end].to_lowercase());
        if table::is_lock(&name) {
            return true;
        }
    }
    false
}

/// The name after a word that begins what it is for, past words that say which.
fn is_after(text: &str, end: usize) -> bool {
    let next = |at: usize| {
        let (start, end) = word_at(text, past_blanks(text, at))?;
        Some((text[start..end].to_lowercase(), end))
    };
    let Some((_, mut at)) = next(end).filter(|(word, _)| table::is(Sort::About, word)) else {
        return false;
    };
    for _ in 0..=BETWEEN_MAX {
        let (mut name, mut until) = (String::new(), at);
        for _ in 0..NAME_MAX {
            let Some((word, end)) = next(until) else { break };
            name.push_str(&word);
            if table::is_lock(&name) {
                return true;
            }
            until = end;
        }
        let goes_on = |word: &str| {
            let ends = [Sort::Joins, Sort::Says].into_iter().any(|sort| table::is(sort, word));
            !ends && (table::is(Sort::Own, word) || !table::is(Sort::About, word))
        };
        let Some((_, end)) = next(at).filter(|(word, _)| goes_on(word)) else {
            return false;
        };
        at = end;
    }
    false
}

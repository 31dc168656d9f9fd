//! What stands before the word for a secret and is one: "hunter2 is my password", "use 5519 as the pickup PIN".
//!
//! Looks back over the words that belong to that word, to the one that says something of it. Knows nothing of what follows, but
//! that it ends the clause. Invariant: no more is looked at than a few words, whatever the text.

use crate::secrets::prose::QUOTES;
use crate::secrets::prose::Told;
use crate::secrets::prose::form::Tie;
use crate::secrets::prose::form::Value;
use crate::secrets::prose::parts;
use crate::secrets::prose::table;
use crate::secrets::prose::table::Kind;
use crate::secrets::prose::table::Sort;
use crate::secrets::prose::table::Term;

/// Most bytes of the words before that are looked at for a value.
const BEFORE_MAX: usize = 160;
/// Words that belong to the word for a secret: "my new wifi password", "the parcel pickup PIN".
const OWN_MAX: usize = 3;
const QUALIFIERS_MAX: usize = 4;

/// What stands before the word for a secret and has the form of one.
pub(super) fn told(text: &str, start: usize, end: usize, term: Term) -> Option<Told> {
    let qualifies = |word: &str| is_own(word) || is_qualifier(word, term);
    let (word_start, word_end) = before(text, start, end, term, QUALIFIERS_MAX, &qualifies)?;
    let word_start = token_start(text, word_start);
    let told = Told {
        kind: term.kind,
        tie: Tie::Before,
        start: word_start,
        end: word_end,
        is_quoted: false,
    };
    // What follows is a word that says, whatever becomes of the rest.
    let value = Value::bare(&text[word_start..word_end], " is");
    value.is_secret(term.kind, Tie::Before).then_some(told)
}

/// Where the token begins that a word ends: "a&b7" is one, whatever parts its words.
fn token_start(text: &str, word_start: usize) -> usize {
    let floor = text.floor_char_boundary(word_start.saturating_sub(BEFORE_MAX));
    let begins = |c: char| c.is_whitespace() || (parts(c) && !matches!(c, '&' | ',' | ';' | '|' | '\\'));
    let head = text[floor..word_start]
        .rfind(begins)
        .map_or(0, |at| at + text[floor + at..].chars().next().map_or(1, char::len_utf8));
    let head = &text[floor + head..word_start];
    let tied = head.trim_start_matches(|c: char| !c.is_alphanumeric());
    word_start - tied.len()
}

/// Whether a single word before it may be the secret: "swordfish is my password".
pub(super) fn names(text: &str, start: usize, end: usize, term: Term) -> bool {
    if term.kind != Kind::Phrase {
        return false;
    }
    let Some((word_start, word_end)) = before(text, start, end, term, OWN_MAX, &is_own) else {
        return false;
    };
    let word = text[word_start..word_end].to_lowercase();
    !table::is(Sort::Asks, &word) && !table::is_state(&word)
}

fn is_own(word: &str) -> bool {
    table::is(Sort::Own, word)
}

/// Whether a word may stand between the one that says something and the word for a secret: an article, or what names its kind.
fn is_qualifier(word: &str, term: Term) -> bool {
    let is_word = word.chars().all(|c| c.is_alphabetic() || c == '-');
    let leads = term.is_said_by(word) || table::is(Sort::Taken, word);
    let ends = table::is(Sort::About, word) || table::is(Sort::Joins, word) || table::is_state(word);
    table::is(Sort::Article, word) || (is_word && !leads && !ends)
}

/// The word before one that says, before the word for a secret and those that belong to it, where that ends its clause.
fn before(
    text: &str,
    start: usize,
    end: usize,
    term: Term,
    own_max: usize,
    belongs: &dyn Fn(&str) -> bool,
) -> Option<(usize, usize)> {
    let rest = Value::bare(&text[start..end], &text[end..]);
    if !rest.ends_its_clause() {
        return None;
    }
    let lower = |(start, end): (usize, usize)| text[start..end].to_lowercase();
    let floor = text.floor_char_boundary(start.saturating_sub(BEFORE_MAX));
    let mut words = backwards(text, floor, start);
    let mut next = words.next()?;
    for _ in 0..own_max {
        if !belongs(&lower(next)) {
            break;
        }
        next = words.next()?;
    }
    let says = lower(next);
    if term.is_said_by(&says) || table::is(Sort::Taken, &says) {
        return words.next();
    }
    // "Make 5519 my PIN", "use 5519 for the PIN": what is done with it says so.
    let value = if table::is(Sort::About, &says) {
        words.next()?
    } else {
        next
    };
    table::is(Sort::Makes, &lower(words.next()?)).then_some(value)
}

/// The words before a place with nothing but blanks and quotes between them, the nearest first.
pub(super) fn backwards(text: &str, floor: usize, from: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let before = text[floor..at].trim_end_matches(|c: char| c == ' ' || QUOTES.contains(&c));
        let end = floor + before.len();
        let run = before.rfind(parts);
        let start = run.map_or(floor, |run| {
            floor + run + before[run..].chars().next().map_or(1, char::len_utf8)
        });
        at = start;
        let is_word = text[start..end].chars().any(char::is_alphanumeric);
        let is_whole = !text[start..end].ends_with([':', '.', '!', '?', '=']);
        // What goes on before the floor is cut, and no word.
        (is_word && is_whole && (start > floor || floor == 0)).then_some((start, end))
    })
}

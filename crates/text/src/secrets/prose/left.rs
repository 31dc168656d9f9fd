//! What a text still says once secrets were taken out of it: its other clauses, word for word.
//!
//! Nothing is put where a mark stood, and nothing is joined over it. Knows marks and not secrets. Invariant: every piece stood
//! in the text as it is, and none holds a mark.

use crate::common_words;
use crate::secrets::prose::MARK;
use crate::secrets::prose::table;
use crate::secrets::prose::table::Sort;
use crate::secrets::prose::term::next_term;

/// Words with a meaning of their own that a piece needs: a whole clause, and the side of a mark that is less than one.
const CLAUSE_MIN: usize = 1;
const SIDE_MIN: usize = 2;
/// Words that want another one behind them.
const PREPOSITIONS: &str =
    "from to in at on by for until till before after of with near around under as is be called named titled";

/// The pieces of a text that held secrets; `None` where it holds no mark.
pub fn left(text: &str) -> Option<Vec<String>> {
    if !text.contains(MARK) {
        return None;
    }
    let mut pieces: Vec<String> = Vec::new();
    let mut whole: Option<(usize, usize)> = None;
    for (start, end) in clauses(text) {
        let clause = &text[start..end];
        if !clause.contains(MARK) {
            // Clauses that stood beside each other stay together.
            whole = Some((whole.map_or(start, |(start, _)| start), end));
            continue;
        }
        pieces.extend(
            whole
                .take()
                .and_then(|(start, end)| piece(&text[start..end], CLAUSE_MIN)),
        );
        pieces.extend(side(clause));
    }
    pieces.extend(whole.and_then(|(start, end)| piece(&text[start..end], CLAUSE_MIN)));
    Some(pieces)
}

/// What a clause says beside its mark, where the mark stands in it as a thing does and no word leads to it.
fn side(clause: &str) -> Option<String> {
    if names_secrets(clause) {
        return None;
    }
    let sides = sides(clause).into_iter().filter_map(|side| piece(side, SIDE_MIN));
    sides.max_by_key(|side| side.chars().count())
}

/// What stands around the words that hold a mark: a name and a sign before it (`token=`), and an address around it, go with it.
fn sides(clause: &str) -> Vec<&str> {
    let mut sides = Vec::new();
    let (mut begin, mut at) = (0, 0);
    for word in clause.split_inclusive(char::is_whitespace) {
        if word.contains(MARK) {
            sides.push(&clause[begin..at]);
            begin = at + word.len();
        }
        at += word.len();
    }
    sides.push(&clause[begin..]);
    sides
}

/// Whether words lead to a mark: "my password is [redacted]", "badge: [redacted]".
fn names_secrets(clause: &str) -> bool {
    let sides = sides(clause);
    let leads = |side: &&str| {
        let is_option = || {
            side.split_whitespace()
                .next_back()
                .is_some_and(|word| word.starts_with('-'))
        };
        side.trim_end().ends_with([':', '=', '>', '→', '–', '—']) || is_option()
    };
    sides[..sides.len() - 1].iter().any(leads) || sides.iter().any(|side| next_term(side, 0).is_some())
}

/// A piece without what led to its neighbours; `None` where it says nothing.
fn piece(text: &str, least: usize) -> Option<String> {
    let edge = |c: char| !(c.is_alphanumeric() || matches!(c, '"' | '(' | ')' | '$' | '€' | '£' | '%'));
    let mut words: &str = text.trim_matches(edge);
    while let Some((_, rest)) = words.split_once(' ').filter(|(first, _)| is_joint(first)) {
        words = rest.trim_start_matches(edge);
    }
    while let Some((rest, _)) = words.rsplit_once(' ').filter(|(_, last)| leads_on(last)) {
        words = rest.trim_end_matches(edge);
    }
    let says = words.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        let word = word.to_lowercase();
        word.chars().count() > 1 && !(common_words::is_stop(&word) || common_words::is_empty(&word))
    });
    (says.count() >= least).then(|| words.to_owned())
}

fn is_joint(word: &str) -> bool {
    table::is(Sort::Joins, &word.to_lowercase())
}

/// Whether a word wants another one after it.
fn leads_on(word: &str) -> bool {
    let word = word.to_lowercase();
    is_joint(&word)
        || table::is(Sort::About, &word)
        || table::is(Sort::Own, &word)
        || table::is(Sort::Says, &word)
        || PREPOSITIONS.split(' ').any(|preposition| preposition == word)
}

/// Where clauses begin and end: at punctuation before a blank, and at a word that joins where a secret is told behind it.
fn clauses(text: &str) -> Vec<(usize, usize)> {
    let mut clauses: Vec<(usize, usize)> = Vec::new();
    let mut begin = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let is_end = matches!(c, '\n' | ';')
            || (matches!(c, ',' | '.' | '!' | '?') && text[next..].starts_with(char::is_whitespace));
        if is_end {
            part(text, begin, next, &mut clauses);
            begin = next;
        }
    }
    part(text, begin, text.len(), &mut clauses);
    clauses
}

/// A clause; where it tells a secret, in parts between words that join.
fn part(text: &str, begin: usize, end: usize, clauses: &mut Vec<(usize, usize)>) {
    let clause = &text[begin..end];
    let tells = clause.contains(MARK) && names_secrets(clause);
    let mut begin = begin;
    if tells {
        let mut at = begin;
        for word in text[begin..end].split_inclusive(' ') {
            if is_joint(word.trim_end()) && at > begin {
                clauses.push((begin, at));
                begin = at;
            }
            at += word.len();
        }
    }
    clauses.push((begin, end));
}

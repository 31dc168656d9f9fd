//! What a text still says once secrets were taken out of it: its other clauses, word for word.
//!
//! Nothing is put where a mark stood, and nothing is joined over it. Knows marks and not secrets. Invariant: every piece stood
//! in the text as it is, and none holds a mark.

use crate::closed;
use crate::languages::WORDS;
use crate::secrets::keyword::has_keyword;
use crate::secrets::prose::MARK;

/// Words with a meaning of their own that a piece needs: a whole clause, and the side of a mark that is less than one.
const CLAUSE_MIN: usize = 1;
const SIDE_MIN: usize = 2;
/// What may begin or end a piece that is no letter.
const EDGES: [char; 7] = ['"', '(', ')', '$', '€', '£', '%'];

/// The pieces of a text that held secrets; `None` where it holds no mark.
pub fn remainder(text: &str) -> Option<Vec<String>> {
    if !text.contains(MARK) {
        return None;
    }
    let mut pieces = Vec::new();
    // Clauses that stood beside each other stay together.
    let mut whole = String::new();
    for clause in clauses(text) {
        if !clause.contains(MARK) {
            whole.push_str(clause);
            continue;
        }
        pieces.extend(piece(&std::mem::take(&mut whole), CLAUSE_MIN));
        if !leads_to_secret(clause) {
            let sides = sides(clause).into_iter().filter_map(|side| piece(side, SIDE_MIN));
            pieces.extend(sides.max_by_key(|side| side.chars().count()));
        }
    }
    pieces.extend(piece(&whole, CLAUSE_MIN));
    Some(pieces)
}

/// Clauses: up to punctuation before a blank and, where a secret is told behind it, up to a word that joins.
fn clauses(text: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut begin = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let is_end = matches!(c, ',' | '.' | '!' | '?') && text[next..].starts_with(char::is_whitespace);
        if is_end || matches!(c, '\n' | ';') || next == text.len() {
            parts(&text[begin..next], &mut clauses);
            begin = next;
        }
    }
    clauses
}

fn parts<'t>(clause: &'t str, clauses: &mut Vec<&'t str>) {
    let mut begin = 0;
    if clause.contains(MARK) && leads_to_secret(clause) {
        let mut at = 0;
        for word in clause.split_inclusive(' ') {
            if joins(word.trim_end()) && at > begin {
                clauses.push(&clause[begin..at]);
                begin = at;
            }
            at += word.len();
        }
    }
    clauses.push(&clause[begin..]);
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

/// Whether words lead to a mark: "my password is [redacted]", "badge: [redacted]", "--user [redacted]".
fn leads_to_secret(clause: &str) -> bool {
    let sides = sides(clause);
    let leads = |side: &&str| {
        let last = side.split_whitespace().next_back().unwrap_or_default();
        last.starts_with('-') || last.ends_with([':', '=', '>', '→', '–', '—'])
    };
    sides[..sides.len() - 1].iter().any(leads) || sides.iter().any(|side| has_keyword(side))
}

/// A piece without what led to its neighbours; `None` where it says nothing.
fn piece(text: &str, least: usize) -> Option<String> {
    let edge = |c: char| !(c.is_alphanumeric() || EDGES.contains(&c));
    let mut words: &str = text.trim_matches(edge);
    while let Some((_, rest)) = words.split_once(' ').filter(|(first, _)| joins(first)) {
        words = rest.trim_start_matches(edge);
    }
    while let Some((rest, _)) = words.rsplit_once(' ').filter(|(_, last)| leads_on(last)) {
        words = rest.trim_end_matches(edge);
    }
    let says = |word: &&str| word.chars().count() > 1 && !closed::is_common(&word.to_lowercase());
    let said = words.split(|c: char| !c.is_alphanumeric()).filter(says);
    (said.count() >= least).then(|| words.to_owned())
}

fn joins(word: &str) -> bool {
    WORDS.holds("joins", &word.to_lowercase())
}

/// Whether a word wants another one after it.
fn leads_on(word: &str) -> bool {
    let word = word.to_lowercase();
    closed::is_soft(&word)
        || ["joins", "about", "own", "says", "leads_on"]
            .iter()
            .any(|sort| WORDS.holds(sort, &word))
}

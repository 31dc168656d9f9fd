//! How far a secret goes on behind what told it: to the end of its token, whatever signs stand in it, and over further tokens that
//! look like parts of it ("p@ss w0rd").
//!
//! Asks nothing about what stands before. Invariants: what is said in another member, parameter or tag is left, sentence signs at the
//! end stay, and no more is looked at twice than a few words.

use crate::secrets::prose::MARK;
use crate::secrets::prose::QUOTES;
use crate::secrets::prose::Told;
use crate::secrets::prose::VALUE_MAX;
use crate::secrets::prose::WORD_MAX;
use crate::secrets::prose::form::Tie;
use crate::secrets::prose::form::Value;
use crate::secrets::prose::past_blanks;
use crate::secrets::prose::table::Kind;
use crate::secrets::prose::within;

/// Further tokens that are taken for parts of a secret.
const PARTS_MAX: usize = 4;

/// Where a secret ends.
pub(super) fn end(text: &str, told: &Told) -> usize {
    if told.is_quoted {
        return told.end;
    }
    let mut end = told.end + token_rest(&text[told.end..]);
    if !matches!(told.kind, Kind::Phrase | Kind::Key) || !matches!(told.tie, Tie::Sign | Tie::Says) {
        return end;
    }
    for _ in 0..PARTS_MAX {
        let start = past_blanks(text, end);
        let next = within(&text[start..], VALUE_MAX);
        let length = token_rest(next);
        let part = Value::bare(&next[..length], &next[length..]);
        if start == end || !part.is_part() || next[..length].contains(MARK) {
            break;
        }
        end = start + length;
    }
    end
}

/// The bytes up to the end of a token, without the signs that end its sentence.
fn token_rest(text: &str) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        if c.is_whitespace() || begins_another(c, &text[next..]) {
            break;
        }
        if !ends_sentence(c) {
            end = next;
        }
    }
    end
}

/// Signs that belong to what stands around a token where nothing of it follows them.
fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | ',' | ';' | ':' | '!' | '?' | '*' | '…' | ')' | ']' | '}' | '>' | '(' | '[' | '{' | '<' | '|' | '\\'
    ) || QUOTES.contains(&c)
}

/// Whether what follows a sign is no more of the value: another parameter, member, cell or tag, or the end of what it stands in.
fn begins_another(c: char, rest: &str) -> bool {
    let next = rest.chars().next();
    let is_over = next.is_none_or(|next| next.is_whitespace() || matches!(next, ',' | ';' | ':' | '&' | '<' | '.'));
    match c {
        '、' | '。' | '，' => true,
        '&' | ',' | ';' => is_named(rest),
        '\\' => next.is_none_or(|next| matches!(next, 'n' | 'r' | 't' | 'u' | '/' | '\\') || QUOTES.contains(&next)),
        '<' => {
            next == Some('/')
                || within(rest, WORD_MAX)
                    .split(char::is_whitespace)
                    .next()
                    .is_some_and(|tag| tag.contains('>'))
        }
        ')' | ']' | '}' | '>' => is_over || next.is_some_and(|next| QUOTES.contains(&next)),
        c if QUOTES.contains(&c) => is_over || matches!(next, Some('}' | ']' | ')' | '>')),
        _ => false,
    }
}

/// Whether a name and a sign begin a text: `user=`, `user:`.
fn is_named(text: &str) -> bool {
    let text = within(text, WORD_MAX);
    let text = text.trim_start_matches(QUOTES);
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    rest.len() < text.len() && rest.trim_start_matches(QUOTES).starts_with(['=', ':'])
}

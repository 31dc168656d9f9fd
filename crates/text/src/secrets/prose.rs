//! What is told in confidence: the value of a password, a code or a key, said in plain words of several languages.
//!
//! One rule: a word for a secret, what ties a value to it, and a value that has the form of a secret or can be nothing else; or the
//! value first. Knows neither JSON nor the forms of well-known keys. Invariants: linear in the text; a mark is never a value, so
//! that taking out twice is taking out once.

use crate::personal_data::is_number_word;
use crate::secrets::keyword::Keyword;
use crate::secrets::keyword::Kind;
use crate::secrets::keyword::WORDS;
use crate::secrets::keyword::has_keyword;
use crate::secrets::keyword::is_state;
use crate::secrets::keyword::keywords;
use crate::secrets::value::Tie;
use crate::secrets::value::Value;

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";

/// Words between the word for a secret and the one that says it, words that are passed over before a value, words that belong to
/// the word for a secret ("the parcel pickup PIN"), and words that are looked at where a value may stand.
const BETWEEN_MAX: usize = 7;
const FILLERS_MAX: usize = 3;
const QUALIFIERS_MAX: usize = 4;
const LOOKED_AT_MAX: usize = 12;
/// Bytes of a value between quotes, of a remark in brackets, of the words before, and those that are looked at of a word, a value
/// and a clause: what is longer is looked at no further, so that no text costs more than it is long.
const QUOTED_MAX: usize = 120;
const REMARK_MAX: usize = 48;
const BEFORE_MAX: usize = 160;
const WORD_MAX: usize = 64;
const VALUE_MAX: usize = 512;
/// Words for a secret that are looked at in one text, each with what stands around it. A body of nothing but prose on passwords
/// holds fewer; the number is no share of the length, so that what is left of a text is not too much again.
const KEYWORDS_MAX: usize = 2_048;
/// Numbers in words from which on they spell a code.
const SPELT_MIN: usize = 3;
/// Further tokens that are taken for parts of a secret: "p@ss w0rd".
const PARTS_MAX: usize = 4;
/// Digits of a group, as "12 34" is written.
const GROUP_MAX: usize = 4;

/// Quotes that open and close a value.
const QUOTES: [char; 11] = ['"', '\'', '“', '”', '„', '‘', '’', '‚', '«', '»', '`'];
const SIGNS: [&str; 7] = ["->", "=>", ":=", ":", "=", "：", "→"];
const DASHES: [&str; 3] = ["- ", "– ", "— "];

/// Something that is said under the word for a secret; where it stands, without quotes.
#[derive(Clone, Copy, Debug)]
struct Told {
    kind: Kind,
    tie: Tie,
    start: usize,
    end: usize,
    is_quoted: bool,
}

impl Told {
    fn value<'a>(&self, text: &'a str) -> Value<'a> {
        let rest = &text[self.end..];
        Value {
            text: &text[self.start..self.end],
            is_quoted: self.is_quoted,
            rest: if self.is_quoted {
                rest.trim_start_matches(QUOTES)
            } else {
                rest
            },
        }
    }

    fn is_secret(&self, text: &str) -> bool {
        self.value(text).is_secret(self.kind, self.tie)
    }
}

/// A text without the secrets that it tells by words; `None` where it tells none.
pub fn scrubbed(text: &str) -> Option<String> {
    let mut secrets: Vec<(usize, usize)> = Vec::new();
    for (at, keyword) in keywords(text).enumerate() {
        if at == KEYWORDS_MAX {
            // What is not looked at may tell secrets.
            secrets.push((keyword.start, text.len()));
            break;
        }
        // What stands in a secret is taken out with it.
        if secrets
            .iter()
            .any(|(start, end)| (*start..*end).contains(&keyword.start))
        {
            continue;
        }
        let told = [before(text, keyword), after(text, keyword)].into_iter().flatten();
        secrets.extend(
            told.filter(|told| told.is_secret(text))
                .map(|told| (told.start, with_parts(text, &told))),
        );
    }
    secrets.sort_unstable();
    let mut found = String::new();
    let mut copied = 0;
    for (start, end) in secrets {
        if start >= copied {
            found.push_str(&text[copied..start]);
            found.push_str(MARK);
        }
        copied = copied.max(end);
    }
    (copied > 0).then(|| found + &text[copied..])
}

/// Whether a text may tell a secret: by a value that has the form of one, or by one of which nobody can say what it is. What
/// merely mentions a secret, or its state, tells none.
pub fn may_tell(text: &str) -> bool {
    let tells = |told: &Told| told.is_secret(text) || is_doubtful(text, told);
    keywords(text).enumerate().any(|(at, keyword)| {
        at == KEYWORDS_MAX
            || before(text, keyword).is_some_and(|told| tells(&told))
            || after(text, keyword).is_some_and(|told| tells(&told))
    })
}

/// Whether a value, said after a name with a sign between them, is a secret. `rest` is what follows it.
pub fn is_value_of(name: &str, value: &str, rest: &str) -> bool {
    let kind = keywords(name).next().map_or(Kind::Key, |keyword| keyword.kind);
    Value::bare(value, rest).is_secret(kind, Tie::Sign)
}

/// Whether what has no form of a secret may be one all the same: it says no state, or something near it has such a form.
fn is_doubtful(text: &str, told: &Told) -> bool {
    let value = told.value(text);
    match (told.kind, told.tie) {
        (Kind::Short, _) => return false,
        (Kind::Phrase, Tie::Before) => return !is_state(&value.text.to_lowercase()),
        (_, Tie::Before) => return false,
        _ if value.may_be_secret() => return true,
        (Kind::Key, _) => return false,
        (Kind::Phrase | Kind::Code, _) => {}
    }
    let words: Vec<String> = clause(text, told.start)
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '$').to_owned())
        .filter(|word| !word.is_empty())
        .take(LOOKED_AT_MAX)
        .collect();
    let is_number = |word: &&String| is_number_word(&word.to_lowercase());
    let begins_another = |word: &String| {
        ["about", "joins"]
            .iter()
            .any(|sort| WORDS.holds(sort, &word.to_lowercase()))
    };
    let said: Vec<&String> = words.iter().take_while(|word| !begins_another(word)).collect();
    let counts = |word: &String| is_number_word(&word.to_lowercase()) || Value::bare(word, " of").is_count();
    let is_spelt = told.kind == Kind::Code && words.iter().take_while(is_number).count() >= SPELT_MIN;
    let holds = |word: &String| Value::bare(word, " of").may_be_secret();
    let holds_secret =
        said.iter().any(|word| holds(word)) || words.iter().any(|word| holds(word) && Value::bare(word, "").is_mixed());
    let says_state = !said.iter().all(|word| counts(word))
        && said.iter().all(|word| counts(word) || Value::bare(word, "").is_state());
    is_spelt || told.tie.says() && (holds_secret || told.kind == Kind::Phrase && !says_state && !said.is_empty())
}

/// What follows the word for a secret: by a sign, by a word that says it, or at once.
fn after(text: &str, keyword: Keyword) -> Option<Told> {
    let (kind, end) = (keyword.kind, keyword.end);
    // The word itself may be quoted or set in bold.
    let mut at = text.len() - text[end..].trim_start_matches(['"', '\'', '*', '`']).len();
    let is_quoted_word = text[end..at].contains(['"', '\'']);
    if let Some(rest) = text[end..].strip_prefix("'s ").or(text[end..].strip_prefix("’s ")) {
        return value_after(text, text.len() - rest.len(), kind, Tie::Says, false);
    }
    let mut is_for = false;
    for passed in 0..BETWEEN_MAX {
        at = past_blanks(text, at);
        if passed == 0 {
            at = past_remark(text, at);
        }
        if let Some(sign) = begins_with(&SIGNS, &text[at..]) {
            return value_after(text, at + sign, kind, Tie::Sign, is_quoted_word);
        }
        if is_quoted_word {
            return None;
        }
        if let Some(dash) = begins_with(&DASHES, &text[at..]) {
            return set_to(text, at + dash, kind);
        }
        if let Some(length) = says_unspaced(&text[at..]) {
            return value_after(text, at + length, kind, Tie::Says, false);
        }
        let word_end = word_end(text, at)?;
        let word = text[at..word_end].to_lowercase();
        let is = |sort: &str| WORDS.holds(sort, &word);
        if keyword.is_said_by(&word) {
            return value_after(text, word_end, kind, Tie::Says, false);
        }
        if is("towards")
            && let Some(set) = set_to(text, word_end, kind)
        {
            return Some(set);
        }
        if is("joins") {
            return None;
        }
        is_for |= is("about");
        if passed == 0 && !is("noun") && !is_for {
            return value_after(text, at, kind, Tie::Beside, false).filter(|_| !is_state(&word));
        }
        if passed > 0 && !is_for {
            // After "PIN code", what follows may be the value itself.
            return value_after(text, at, kind, Tie::Beside, false);
        }
        at = word_end + usize::from(is("noun") && text[word_end..].starts_with('.'));
    }
    None
}

/// A value that is set, where it has the form of a secret: what else follows there may be anything.
fn set_to(text: &str, from: usize, kind: Kind) -> Option<Told> {
    value_after(text, from, kind, Tie::Towards, false).filter(|told| told.is_secret(text))
}

/// A value at or after a place, past words that stand before values and states alike.
fn value_after(text: &str, from: usize, kind: Kind, tie: Tie, must_be_quoted: bool) -> Option<Told> {
    let mut tie = tie;
    let mut at = text.len() - text[from..].trim_start_matches(['*', '`']).trim_start().len();
    for _ in 0..=FILLERS_MAX {
        if !tie.says() {
            break;
        }
        if let Some(sign) = begins_with(&SIGNS, &text[at..]) {
            at = past_space(text, at + sign);
            tie = Tie::Sign;
        }
        // A filler that ends the text is what is said.
        let filler = word_end(text, at).filter(|end| WORDS.holds("filler", &text[at..*end].to_lowercase()));
        let Some(end) = filler.filter(|end| past_space(text, *end) < text.len()) else {
            break;
        };
        at = past_space(text, end);
    }
    if text[from..at].contains('\n') {
        // On the next line may stand something else as well.
        tie = Tie::Towards;
    }
    let told = |start: usize, end: usize, is_quoted: bool| Told {
        kind,
        tie,
        start,
        end,
        is_quoted,
    };
    let open = text[at..].chars().next()?;
    if QUOTES.contains(&open) {
        let start = at + open.len_utf8();
        let close = text[start..].find(|c| QUOTES.contains(&c) || matches!(c, '\n' | '\\'))?;
        let is_value = (1..=QUOTED_MAX).contains(&close) && !text[start..start + close].contains('[');
        return is_value.then(|| told(start, start + close, true));
    }
    let end = token_end(text, at);
    let says = text[at..end].chars().any(char::is_alphanumeric);
    (says && !must_be_quoted).then(|| told(at, with_groups(text, at, end, kind), false))
}

/// The end of digits that are written in groups, as "12 34" is, except in keys.
fn with_groups(text: &str, start: usize, mut end: usize, kind: Kind) -> usize {
    let is_group = |group: &str| (1..=GROUP_MAX).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_digit());
    if kind == Kind::Key || !is_group(&text[start..end]) || end - start == GROUP_MAX {
        return end;
    }
    for _ in 0..LOOKED_AT_MAX {
        let next = past_blanks(text, end);
        let next_end = token_end(text, next);
        if next == end || !is_group(&text[next..next_end]) {
            break;
        }
        end = next_end;
    }
    end
}

/// What stands before the word for a secret that ends its clause: "hunter2 is my password", "use 5519 as the pickup PIN".
fn before(text: &str, keyword: Keyword) -> Option<Told> {
    let rest = Value::bare(&text[keyword.start..keyword.end], &text[keyword.end..]);
    if !rest.ends_its_clause() {
        return None;
    }
    let lower = |(start, end): (usize, usize)| text[start..end].to_lowercase();
    let leads = |word: &str| keyword.is_said_by(word) || WORDS.holds("taken", word);
    let mut words = backwards(text, keyword.start);
    let mut next = words.next()?;
    for _ in 0..QUALIFIERS_MAX {
        let word = lower(next);
        let belongs = crate::closed::is_soft(&word) || WORDS.holds("own", &word) || !is_state(&word);
        let is_word = word.chars().all(|c| c.is_alphabetic() || c == '-');
        if leads(&word) || ["about", "joins"].iter().any(|sort| WORDS.holds(sort, &word)) || !belongs || !is_word {
            break;
        }
        next = words.next()?;
    }
    let word = lower(next);
    let (start, end) = if leads(&word) {
        words.next()?
    } else {
        // "Make 5519 my PIN", "use 5519 for the PIN": what is done with it says so.
        let value = if WORDS.holds("about", &word) {
            words.next()?
        } else {
            next
        };
        WORDS.holds("makes", &lower(words.next()?)).then_some(value)?
    };
    Some(Told {
        kind: keyword.kind,
        tie: Tie::Before,
        start,
        end,
        is_quoted: false,
    })
}

/// The words before a place with nothing but blanks and quotes between them, the nearest first.
fn backwards(text: &str, from: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let floor = text.floor_char_boundary(from.saturating_sub(BEFORE_MAX));
    let mut at = from;
    std::iter::from_fn(move || {
        let before = text[floor..at].trim_end_matches(|c: char| c == ' ' || QUOTES.contains(&c));
        let word = before.rsplit(char::is_whitespace).next()?;
        at = floor + before.len() - word.len();
        let end = floor + before.len();
        let said = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_whole = !word.ends_with([':', '.', '!', '?', '=', ',', ';', ')', ']', '}', '>']);
        // What goes on before the floor is cut, and no word.
        (!said.is_empty() && is_whole && (at > floor || floor == 0)).then_some((end - said.len(), end))
    })
}

/// Where a secret ends, over further tokens that look like parts of it ("p@ss w0rd").
fn with_parts(text: &str, told: &Told) -> usize {
    let mut end = told.end;
    if told.is_quoted || !matches!(told.kind, Kind::Phrase | Kind::Key) || !told.tie.says() {
        return end;
    }
    for _ in 0..PARTS_MAX {
        let start = past_blanks(text, end);
        let next_end = token_end(text, start);
        let part = Value::bare(&text[start..next_end], &text[next_end..]);
        if start == end || !part.is_part() || part.text.contains(MARK) {
            break;
        }
        end = next_end;
    }
    end
}

/// The end of what stands without blanks at a place, without the signs that end its sentence, whatever signs stand in it.
fn token_end(text: &str, start: usize) -> usize {
    let mut end = start;
    for (at, c) in within(&text[start..], VALUE_MAX).char_indices() {
        let next = start + at + c.len_utf8();
        if c.is_whitespace() || begins_another(c, &text[next..]) {
            break;
        }
        if !".,;:!?*…)]}>([{<|\\".contains(c) && !QUOTES.contains(&c) {
            end = next;
        }
    }
    end
}

/// Whether what follows a sign is no more of the value: another parameter, member, cell or tag, or the end of what it stands in.
fn begins_another(c: char, rest: &str) -> bool {
    let next = rest.chars().next();
    let is_quote = next.is_some_and(|next| QUOTES.contains(&next));
    let is_over = next.is_none_or(|next| next.is_whitespace() || matches!(next, ',' | ';' | ':' | '&' | '<' | '.'));
    match c {
        '、' | '。' | '，' => true,
        '&' | ',' | ';' => is_named(rest),
        '\\' => next.is_none_or(|next| matches!(next, 'n' | 'r' | 't' | 'u' | '/' | '\\')) || is_quote,
        '<' => within(rest, WORD_MAX)
            .split(char::is_whitespace)
            .next()
            .is_some_and(|tag| tag.starts_with('/') || tag.contains('>')),
        '[' => rest.starts_with(&MARK[1..]),
        ')' | ']' | '}' | '>' => is_over || is_quote,
        c if QUOTES.contains(&c) => is_over || matches!(next, Some('}' | ']' | ')' | '>')),
        _ => false,
    }
}

/// Whether a name and a sign begin a text: `user=`, `user:`.
fn is_named(text: &str) -> bool {
    let text = within(text, WORD_MAX).trim_start_matches(QUOTES);
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    rest.len() < text.len() && rest.trim_start_matches(QUOTES).starts_with(['=', ':'])
}

/// Up to the end of a clause.
fn clause(text: &str, from: usize) -> &str {
    let clause = within(&text[from..], VALUE_MAX);
    let ends = |(at, _): &(usize, &str)| clause[at + 1..].chars().next().is_none_or(char::is_whitespace);
    let mut signs = clause.match_indices([',', ';', '\n', '.', '!', '?']);
    &clause[..signs.find(ends).map_or(clause.len(), |(at, _)| at)]
}

/// The bytes of a word that says something, where its script needs no blanks.
fn says_unspaced(text: &str) -> Option<usize> {
    let is_cased = |c: char| c.is_lowercase() || c.is_uppercase();
    let first = text.chars().next().filter(|c| !c.is_ascii() && !is_cased(*c));
    first
        .and_then(|_| WORDS.words("says").find(|word| text.starts_with(word)))
        .map(str::len)
}

fn begins_with(signs: &[&str], text: &str) -> Option<usize> {
    signs
        .iter()
        .find(|sign| text.starts_with(**sign))
        .map(|sign| sign.len())
}

/// The end of a word that begins at a place, with the hyphens and apostrophes in it.
fn word_end(text: &str, at: usize) -> Option<usize> {
    let rest = within(&text[at..], WORD_MAX);
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '/')));
    rest.starts_with(char::is_alphanumeric)
        .then(|| at + end.unwrap_or(rest.len()))
}

fn past_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\t', '\u{a0}']).len()
}

fn past_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// Past a remark in brackets: "password (for the door)".
fn past_remark(text: &str, at: usize) -> usize {
    let remark = text[at..].strip_prefix('(').map(|rest| within(rest, REMARK_MAX));
    let remark = remark.and_then(|rest| rest.split_once(')')).map(|(remark, _)| remark);
    match remark.filter(|remark| !remark.contains(['[', '\n']) && !has_keyword(remark)) {
        Some(remark) => past_blanks(text, at + remark.len() + 2),
        None => at,
    }
}

/// The beginning of a text.
fn within(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests;

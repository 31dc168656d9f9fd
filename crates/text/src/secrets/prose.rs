//! What is told in confidence: the value of a password, a code or a key, said in plain words of several languages.
//!
//! Finds the words for such things, looks a few words further for a value, and takes out what has its form or can be nothing
//! else. Knows neither JSON nor the forms of well-known keys. Invariants: linear in the text; a mark is never a value, so that
//! taking out twice is taking out once.

mod before;

mod form;

mod left;

mod lock;

mod postal;

mod table;

mod term;

mod tail;

use crate::secrets::prose::form::Tie;
use crate::secrets::prose::form::Value;
use crate::secrets::prose::table::Kind;
use crate::secrets::prose::table::Sort;
use crate::secrets::prose::table::Term;
use crate::secrets::prose::term::next_term;

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";

/// Words between the word for a secret and the one that says it, words that are passed over before a value, and words that are
/// looked at where a value may stand.
const BETWEEN_MAX: usize = 6;
const FILLERS_MAX: usize = 3;
const LOOKED_AT_MAX: usize = 12;
/// Bytes of a value between quotes, of a remark in brackets, and those that are looked at of a word, a value and a clause: what
/// is longer is looked at no further, so that no text costs more than it is long.
const QUOTED_MAX: usize = 120;
const WORD_MAX: usize = 64;
const VALUE_MAX: usize = 512;
const CLAUSE_MAX: usize = 512;
const REMARK_MAX: usize = 48;
/// Words for a secret that are looked at in one text, each with what stands around it. A body of nothing but prose on passwords holds
/// fewer; the number is no share of the length, so that what is left of a text is not too much again.
const TERMS_MAX: usize = 2_048;
/// Numbers in words from which on they spell a code.
const NUMBERS_MIN: usize = 3;

/// Quotes that open and close a value.
const QUOTES: [char; 11] = ['"', '\'', '“', '”', '„', '‘', '’', '‚', '«', '»', '`'];

/// Dashes between a word and what is told of it.
const DASHES: [&str; 3] = ["- ", "– ", "— "];

/// Something that is said under the word for a secret.
#[derive(Clone, Copy, Debug)]
struct Told {
    kind: Kind,
    tie: Tie,
    /// Where its value stands, without quotes.
    start: usize,
    end: usize,
    is_quoted: bool,
}

impl Told {
    fn value<'a>(&self, text: &'a str) -> Value<'a> {
        let rest = &text[self.end..];
        let rest = if self.is_quoted {
            rest.trim_start_matches(QUOTES)
        } else {
            rest
        };
        Value {
            text: &text[self.start..self.end],
            is_quoted: self.is_quoted,
            rest,
        }
    }

    fn is_secret(&self, text: &str) -> bool {
        self.value(text).is_secret(self.kind, self.tie)
    }
}

/// A text without the secrets that it tells by words; `None` where it tells none.
pub fn taken_out(text: &str) -> Option<String> {
    let mut secrets: Vec<(usize, usize)> = Vec::new();
    // Those that reach further than the word that is looked at: what such a word stands in is taken out with it.
    let mut reaching: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut left = TERMS_MAX;
    while let Some((start, end, term)) = next_term(text, at) {
        at = end;
        if left == 0 {
            // What is not looked at may tell secrets.
            secrets.push((start, text.len()));
            break;
        }
        left -= 1;
        reaching.retain(|(_, secret_end)| *secret_end > start);
        if reaching.iter().any(|(secret_start, _)| *secret_start <= start) {
            continue;
        }
        let said = said_after(text, start, end, term).filter(|told| told.is_secret(text));
        for told in before::told(text, start, end, term).into_iter().chain(said) {
            let end = tail::end(text, &told);
            secrets.push((told.start, end));
            reaching.push((told.start, end));
        }
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
pub fn tells(text: &str) -> bool {
    let mut at = 0;
    let mut left = TERMS_MAX;
    while let Some((start, end, term)) = next_term(text, at) {
        at = end;
        if left == 0 {
            return true;
        }
        left -= 1;
        if before::told(text, start, end, term).is_some() || before::names(text, start, end, term) {
            return true;
        }
        let Some(told) = said_after(text, start, end, term) else {
            continue;
        };
        if told.is_secret(text) || may_tell(text, &told) {
            return true;
        }
    }
    false
}

/// Whether a value, said after a name with a sign between them, is a secret. `rest` is what follows it.
pub fn is_value_of(name: &str, value: &str, rest: &str) -> bool {
    let kind = next_term(name, 0).map_or(Kind::Key, |(_, _, term)| term.kind);
    Value::bare(value, rest).is_secret(kind, Tie::Sign)
}

/// What is said of a text that held secrets, without the clauses that held them; `None` where it held none.
pub fn left(text: &str) -> Option<Vec<String>> {
    left::left(text)
}

/// What may be a value, after the word for a secret.
fn may_tell(text: &str, told: &Told) -> bool {
    let value = told.value(text);
    let clause = clause_from(text, told.start);
    match (told.kind, told.tie) {
        (Kind::Short, Tie::Towards | Tie::Beside | Tie::Before) => false,
        (Kind::Short, Tie::Sign | Tie::Says) => value.is_secret(told.kind, told.tie),
        (Kind::Key, _) | (Kind::Phrase, Tie::Towards | Tie::Beside | Tie::Before) => value.may_be_secret(),
        (Kind::Phrase, Tie::Sign | Tie::Says) => value.may_be_secret() || holds_secret(clause) || !tells_state(clause),
        (Kind::Code, _) => {
            let spelt = words_of(clause).take_while(|word| table::is(Sort::Number, &word.to_lowercase()));
            let is_spelt = spelt.take(NUMBERS_MIN).count() == NUMBERS_MIN;
            let is_held = matches!(told.tie, Tie::Sign | Tie::Says) && holds_code(clause);
            is_spelt || is_held || value.may_be_secret()
        }
    }
}

/// Whether a word of a clause may be a secret; numbers that are no value stand behind "on", "from" and the like.
fn holds_secret(clause: &str) -> bool {
    let mut is_behind = false;
    words_of(clause).take(LOOKED_AT_MAX).any(|word| {
        is_behind |= table::is(Sort::About, &word.to_lowercase());
        let value = Value::bare(word, " of");
        value.may_be_secret() && (!is_behind || value.is_mixed())
    })
}

/// Whether a word of a clause may be a code.
fn holds_code(clause: &str) -> bool {
    let mut words = words_of(clause).take(LOOKED_AT_MAX);
    words.any(|word| Value::bare(word, " of").may_be_secret())
}

/// Whether all of a clause, up to where it begins something else, says how something is and not what it is.
fn tells_state(clause: &str) -> bool {
    let words = words_of(clause).take(LOOKED_AT_MAX).map(str::to_lowercase);
    let said: Vec<String> = words
        .take_while(|word| !table::is(Sort::About, word) && !table::is(Sort::Joins, word))
        .collect();
    let counts = |word: &String| table::is(Sort::Number, word) || Value::bare(word, " of").is_count();
    let is_nothing_but_numbers = !said.is_empty() && said.iter().all(counts);
    !is_nothing_but_numbers
        && said
            .iter()
            .all(|word| counts(word) || Value::bare(word, " of").is_state())
}

/// Up to the end of a clause.
fn clause_from(text: &str, from: usize) -> &str {
    let clause = within(&text[from..], CLAUSE_MAX);
    let ends = |(at, _): &(usize, &str)| clause[at + 1..].chars().next().is_none_or(char::is_whitespace);
    let mut signs = clause.match_indices([',', ';', '\n', '.', '!', '?']);
    &clause[..signs.find(ends).map_or(clause.len(), |(at, _)| at)]
}

/// The beginning of a text.
fn within(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// What stands without blanks at the beginning of a text.
fn run(text: &str) -> &str {
    &text[..text.find(parts).unwrap_or(text.len())]
}

/// Whether a character parts values.
fn parts(c: char) -> bool {
    let is_bracket = matches!(c, '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '|');
    let is_stop = matches!(c, ',' | ';' | '&' | '\\' | '、' | '。' | '，');
    c.is_whitespace() || is_bracket || is_stop || QUOTES.contains(&c)
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    words
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '$'))
        .filter(|word| !word.is_empty())
}

/// What follows the word for a secret, but for the number of an address.
fn said_after(text: &str, start: usize, end: usize, term: Term) -> Option<Told> {
    told(text, end, term).filter(|told| !(term.is_postal && postal::is_number_of_place(text, start, told)))
}

/// What follows the word for a secret: by a sign, by a word that says it, or at once.
fn told(text: &str, end: usize, term: Term) -> Option<Told> {
    let kind = term.kind;
    let mut at = end;
    // The word itself may be quoted or set in bold.
    let closes = text[at..].len() - text[at..].trim_start_matches(['"', '\'', '*', '`']).len();
    at += closes;
    let is_quoted_word = text[end..at].contains(['"', '\'']);
    for possessive in ["'s ", "’s "] {
        if text[end..].starts_with(possessive) {
            return value_after(text, end + possessive.len(), kind, Tie::Says, false);
        }
    }
    let mut within = false;
    for passed in 0..BETWEEN_MAX {
        at = past_blanks(text, at);
        if passed == 0 {
            at = past_remark(text, at);
        }
        if let Some(sign) = sign(&text[at..]) {
            return value_after(text, at + sign, kind, Tie::Sign, is_quoted_word);
        }
        if is_quoted_word {
            return None;
        }
        if let Some(dash) = DASHES.into_iter().find(|dash| text[at..].starts_with(dash)) {
            return set_to(text, at + dash.len(), kind);
        }
        for (sort, tie) in [(Sort::Says, Tie::Says), (Sort::Tells, Tie::Sign)] {
            if let Some(length) = table::begins(sort, &text[at..]) {
                return value_after(text, at + length, kind, tie, false);
            }
        }
        let (start, word_end) = word_at(text, at)?;
        let word = text[start..word_end].to_lowercase();
        if table::is(Sort::Tells, &word) {
            return value_after(text, word_end, kind, Tie::Sign, false);
        }
        if term.is_said_by(&word) {
            return value_after(text, word_end, kind, Tie::Says, false);
        }
        if let Some(lead_end) = towards(text, start, word_end)
            && let Some(set) = set_to(text, lead_end, kind)
        {
            return Some(set);
        }
        if passed == 0 && !table::is(Sort::Noun, &word) && !table::is(Sort::About, &word) {
            let is_state = table::is_state(&word) || table::is(Sort::Joins, &word);
            let beside = (!is_state).then(|| value_after(text, at, kind, Tie::Beside, false));
            return beside.flatten();
        }
        if table::is(Sort::Joins, &word) {
            return None;
        }
        within |= table::is(Sort::About, &word);
        if passed > 0 && !within {
            // After "PIN code", what follows may be the value itself.
            return value_after(text, at, kind, Tie::Beside, false);
        }
        at = word_end;
        if table::is(Sort::Noun, &word) && text[at..].starts_with('.') {
            at += 1;
        }
    }
    None
}

/// The end of a word, or of two, that lead to a value.
fn towards(text: &str, start: usize, end: usize) -> Option<usize> {
    let is_one = |end: usize| table::is(Sort::Towards, &text[start..end].to_lowercase());
    let second = word_at(text, past_blanks(text, end)).map(|(_, end)| end);
    second.filter(|end| is_one(*end)).or_else(|| is_one(end).then_some(end))
}

/// A value that is set, where it has the form of a secret: what else follows there may be anything.
fn set_to(text: &str, from: usize, kind: Kind) -> Option<Told> {
    value_after(text, from, kind, Tie::Towards, false).filter(|told| told.is_secret(text))
}

/// A value at or after a place, past words that stand before values and states alike.
fn value_after(text: &str, from: usize, kind: Kind, tie: Tie, must_be_quoted: bool) -> Option<Told> {
    let (mut at, mut tie) = (from, tie);
    at += text[at..].len() - text[at..].trim_start_matches(['*', '`']).len();
    for _ in 0..=FILLERS_MAX {
        at = past_space(text, at);
        if let Some(sign) = sign(&text[at..]).filter(|_| matches!(tie, Tie::Sign | Tie::Says)) {
            at = past_space(text, at + sign);
            tie = Tie::Sign;
        }
        let word = word_at(text, at).filter(|_| matches!(tie, Tie::Sign | Tie::Says));
        let Some((_, end)) = word.filter(|(start, end)| table::is(Sort::Filler, &text[*start..*end].to_lowercase()))
        else {
            break;
        };
        // A filler that ends the clause is what is said.
        if past_blanks(text, end) >= text.len() {
            break;
        }
        at = end;
    }
    if text[from..at].contains('\n') {
        // On the next line may stand something else as well.
        tie = Tie::Towards;
    }
    let open = text[at..].chars().next()?;
    if QUOTES.contains(&open) {
        let start = at + open.len_utf8();
        let close = text[start..].find(|c| QUOTES.contains(&c) || matches!(c, '\n' | '\\'))?;
        let value = &text[start..start + close];
        let is_value = (1..=QUOTED_MAX).contains(&close) && !value.contains('[');
        return is_value.then_some(Told {
            kind,
            tie,
            start,
            end: start + close,
            is_quoted: true,
        });
    }
    if must_be_quoted {
        return None;
    }
    let (start, end) = value_at(text, at, kind)?;
    Some(Told {
        kind,
        tie,
        start,
        end,
        is_quoted: false,
    })
}

/// What stands without blanks at a place; digits in groups are one.
fn value_at(text: &str, at: usize, kind: Kind) -> Option<(usize, usize)> {
    let bare = |at: usize| {
        let value = run(within(&text[at..], VALUE_MAX));
        value.trim_end_matches(['.', ':', '!', '?', '*', '…'])
    };
    let first = bare(at);
    if !first.chars().any(char::is_alphanumeric) {
        return None;
    }
    let mut end = at + first.len();
    let is_digits = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    if kind != Kind::Key && first.len() < 4 && is_digits(first) {
        for _ in 0..LOOKED_AT_MAX {
            let next = past_blanks(text, end);
            let group = bare(next);
            if next == end || !is_digits(group) || group.len() > 4 {
                break;
            }
            end = next + group.len();
        }
    }
    Some((at, end))
}

/// The bytes of a sign that says a value.
fn sign(text: &str) -> Option<usize> {
    ["->", "=>", ":=", ":", "=", "：", "→"]
        .into_iter()
        .find(|sign| text.starts_with(sign))
        .map(str::len)
}

/// A word, with the hyphens and apostrophes in it.
fn word_at(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = within(&text[at..], WORD_MAX);
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '/')));
    let end = end.unwrap_or(rest.len());
    (end > 0 && rest.starts_with(char::is_alphanumeric)).then_some((at, at + end))
}

fn past_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\t', '\u{a0}']).len()
}

/// Past blanks and ends of lines.
fn past_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// Past a remark in brackets: "password (for the door)".
fn past_remark(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let close = rest
        .starts_with('(')
        .then(|| within(rest, REMARK_MAX).find([')', '\n']))
        .flatten();
    let is_remark = |close: &usize| {
        let remark = &rest[1..*close];
        rest[*close..].starts_with(')') && !remark.contains('[') && next_term(remark, 0).is_none()
    };
    match close.filter(is_remark) {
        Some(close) => past_blanks(text, at + close + 1),
        None => at,
    }
}

#[cfg(test)]
mod tests;

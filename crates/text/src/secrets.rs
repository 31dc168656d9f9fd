//! Taking secrets out of what agents send (M-029, M-034, M-035, X-02): a token is never kept, shown, or used.
//!
//! Works on JSON text in one pass, so that numbers and doubled members stay as they came. What is known by the name of its
//! member or by its form becomes a mark; how far names are trusted is the [`Scope`]. Invariants: what comes out is JSON if what
//! went in was, and taking secrets out twice is taking them out once; a bracket costs a constant, and a text no more than its length.

mod token;

pub mod prose;

mod name;

use std::borrow::Cow;
use std::cell::OnceCell;

use jsonptr::Token;
use regex::Captures;
use serde_json::Value;

use crate::secrets::name::Tells;
use crate::secrets::token::DOUBTED;
use crate::secrets::token::QUOTED;
use crate::secrets::token::STAYS;
use crate::secrets::token::TOKEN;

/// What stands where a secret stood.
pub const MARK: &str = prose::MARK;

/// Whether a name tells of a secret, wherever it stands.
pub fn is_named(name: &str) -> bool {
    name::is_secret(name)
}

/// How much is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Of payloads: security contexts alone, since a key that is named `token` may be a declared one.
    Contexts,
    /// Of the conventions of a session, whose names are its keys: these, and words that have the form of a secret.
    Words,
    /// Of messages about work, tasks and services, and of what is typed and passed on: both, and every text whose member bears the name of a secret.
    Everywhere,
}

/// How much is taken out of which part of a text.
enum Rule<'a> {
    /// The same everywhere.
    All(Scope),
    /// Of an object at this place (the root, or a member of it), what a template declares stays but for security contexts, and so do
    /// the other members of a submission where it is a member; everything else goes as everywhere.
    Beside {
        member: Option<&'a str>,
        declares: &'a dyn Fn(&str) -> bool,
    },
}

/// Members of a submission beside its payload that are no words: what they hold is compared with what is known here.
const COMPARED: [&str; 6] = [
    "schema_id",
    "language",
    "revision",
    "pinned",
    "dry_run",
    "idempotency_key",
];
/// Digits from which on a number under the name of a secret is one; fewer count something.
const DIGITS_MIN: usize = 4;
/// Bytes of a member's name that are looked at, from its end, where names tell of secrets; longer than any key or header.
const NAME_MAX: usize = 256;
/// Places that are told; what was taken out of further ones is marked all the same.
const PLACES_MAX: usize = 64;
/// Bytes of a place; what lies deeper is told by what it lies in.
const PLACE_BYTES_MAX: usize = 1_024;
/// Bytes of one text that are looked at for forms of secrets, all looks together: where one begins within another that never ends, each
/// goes on to the end. Words with blanks between them take two looks a byte; this is sixteen for each byte of the longest body.
const LOOKED_AT_MAX: usize = 4 << 20;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scrubbed {
    pub text: String,
    /// JSON pointers of what was taken out, of the first ones.
    pub places: Vec<String>,
}

/// An object or list that is being read.
struct Frame<'j> {
    object: bool,
    is_root: bool,
    /// Whether a member's name comes next.
    awaits_name: bool,
    /// Within a security context.
    within: bool,
    /// Everything in it is secret.
    secret: bool,
    /// It bears the name of a secret, where names are trusted everywhere.
    named: bool,
    /// The end of the name of the member that is being read; in a list, of the one that the list is.
    name: Cow<'j, str>,
    /// What that name tells, from when it is first asked on.
    tells: OnceCell<Tells>,
    /// Whether a template declares it, from when that is first asked on.
    declared: OnceCell<bool>,
    items: usize,
    scope: Scope,
    /// Its members are a template's, or are not.
    is_payload: bool,
}

impl Frame<'_> {
    /// How much is taken out of the member that is being read.
    fn scope_of_next(&self, rule: &Rule<'_>) -> Scope {
        match rule {
            Rule::Beside { declares, .. } if self.is_payload && self.is_declared(declares) => Scope::Contexts,
            Rule::Beside { member: Some(_), .. } if self.is_root && COMPARED.contains(&&*self.name) => Scope::Contexts,
            Rule::Beside { .. } | Rule::All(_) => self.scope,
        }
    }

    /// Whether a value of it is secret by the names that lead to it.
    fn hides(&self, value: &str, scope: Scope) -> bool {
        let speaks = value.starts_with('"') || value.len() >= DIGITS_MIN;
        let everywhere = speaks && scope == Scope::Everywhere;
        if self.secret || !(self.within || everywhere) {
            return self.secret;
        }
        let tells = self.tells();
        let told = tells.is_secret || (self.named && !tells.describes);
        (self.within && tells.is_secret_within) || (everywhere && told)
    }

    fn is_declared(&self, declares: &dyn Fn(&str) -> bool) -> bool {
        *self.declared.get_or_init(|| declares(&self.name))
    }

    fn tells(&self) -> Tells {
        *self.tells.get_or_init(|| Tells::of(&self.name))
    }
}

/// JSON text without its secrets; `None` where there is nothing to take out.
pub fn scrubbed(json: &str, scope: Scope) -> Option<Scrubbed> {
    taken_out(json, &Rule::All(scope))
}

/// A submission, or the data of a part that are one, without its secrets: keys that its template declares are that template's affair,
/// every other member is not. `member` is where the payload stands, if the data are not it themselves.
pub fn scrubbed_beside(json: &str, member: Option<&str>, declares: &dyn Fn(&str) -> bool) -> Option<Scrubbed> {
    taken_out(json, &Rule::Beside { member, declares })
}

fn taken_out(json: &str, rule: &Rule<'_>) -> Option<Scrubbed> {
    let is_narrow = matches!(rule, Rule::All(Scope::Contexts));
    let may_hold = !is_narrow || json.contains('\\') || name::hinted(json.as_bytes());
    if !may_hold {
        return None;
    }
    let bytes = json.as_bytes();
    let mark = format!("\"{MARK}\"");
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut found = Scrubbed {
        text: String::new(),
        places: Vec::new(),
    };
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let begin = at;
        match bytes[at] {
            b'"' => {
                at = end_of_string(bytes, at);
                if let Some(frame) = frames.last_mut().filter(|frame| frame.awaits_name) {
                    frame.awaits_name = false;
                    frame.name = name_of(&json[begin..at]);
                    (frame.tells, frame.declared) = (OnceCell::new(), OnceCell::new());
                    if let Some(name) = words_of(&json[begin..at], frame.scope_of_next(rule)) {
                        found.text.push_str(&json[copied..begin]);
                        found.text.push_str(&name);
                        found.tell(frames.split_last().map_or(&[], |(_, around)| around));
                        copied = at;
                    }
                    continue;
                }
            }
            open @ (b'{' | b'[') => {
                let next = enter(frames.last(), open == b'{', rule);
                frames.push(next);
                at += 1;
                continue;
            }
            b'}' | b']' => {
                frames.pop();
                at += 1;
                continue;
            }
            b',' => {
                if let Some(frame) = frames.last_mut() {
                    frame.awaits_name = frame.object;
                    frame.items += 1;
                }
                at += 1;
                continue;
            }
            b'-' | b'0'..=b'9' => {
                while at < bytes.len() && matches!(bytes[at], b'-' | b'+' | b'.' | b'0'..=b'9' | b'e' | b'E') {
                    at += 1;
                }
                if let Some(frame) = frames.last_mut() {
                    // Where a name should stand, in what is no JSON, it counts as one: the mark that takes its place would.
                    frame.awaits_name = false;
                }
            }
            // White space, colons, true, false and null.
            _ => {
                at += 1;
                continue;
            }
        }
        let value = &json[begin..at];
        if value == mark || value == "\"\"" {
            continue;
        }
        let is_text = value.starts_with('"');
        let scope = frames
            .last()
            .map_or(Scope::Everywhere, |frame| frame.scope_of_next(rule));
        let scope = match rule {
            Rule::All(scope) => *scope,
            Rule::Beside { .. } => scope,
        };
        let instead = match frames.last() {
            Some(frame) if frame.hides(value, scope) => Some(mark.clone()),
            Some(frame) if frame.within && is_text && is_token(value) => Some(mark.clone()),
            Some(_) | None => is_text.then(|| words_of(value, scope)).flatten(),
        };
        if let Some(instead) = instead {
            found.text.push_str(&json[copied..begin]);
            found.text.push_str(&instead);
            found.tell(&frames);
            copied = at;
        }
    }
    if found.places.is_empty() {
        return None;
    }
    found.text.push_str(&json[copied..]);
    Some(found)
}

impl Scrubbed {
    /// Notes where something was taken out: behind these steps.
    fn tell(&mut self, frames: &[Frame<'_>]) {
        if self.places.len() >= PLACES_MAX {
            return;
        }
        let mut place = String::new();
        for frame in frames {
            let step = if frame.object {
                format!("/{}", Token::new(&*frame.name).encoded())
            } else {
                format!("/{}", frame.items)
            };
            if place.len() + step.len() > PLACE_BYTES_MAX {
                break;
            }
            place.push_str(&step);
        }
        self.places.push(place);
    }
}

/// A text without what has the form of a secret, wherever it stands; `None` where there is none.
pub fn scrubbed_words(text: &str) -> Option<String> {
    let instead = |found: &Captures<'_>| {
        let mut around = found.iter().skip(1).flatten().map(|kept| kept.as_str());
        let (before, after) = (around.next().unwrap_or_default(), around.next().unwrap_or_default());
        format!("{before}{MARK}{after}")
    };
    let quoted = may_quote(text) && QUOTED.is_match(text);
    let quoted = quoted.then(|| QUOTED.replace_all(text, instead).into_owned());
    let plain = scrubbed_plain(quoted.as_deref().unwrap_or(text)).or(quoted);
    let told = prose::taken_out(plain.as_deref().unwrap_or(text));
    told.or(plain)
}

/// A quick look whether there are quotes or keys at all.
fn may_quote(text: &str) -> bool {
    text.contains(['"', '\'']) || text.contains("-----")
}

/// The same where quotes and backslashes may be those of JSON.
fn scrubbed_plain(text: &str) -> Option<String> {
    let mut found = String::new();
    let (mut at, mut copied) = (0, 0);
    let mut looks_left = LOOKED_AT_MAX;
    let is_found = TOKEN.is_match(text);
    while let Some(hit) = is_found.then(|| TOKEN.captures_at(text, at)).flatten() {
        let Some(whole) = hit.get(0) else { break };
        let looked_to = whole.end() + run_of_value(&text[whole.end()..]);
        looks_left = looks_left.saturating_sub(looked_to - at);
        if looks_left == 0 {
            // Nobody writes so; what is left may hold secrets, and is shown to nobody.
            return Some(found + &text[copied..whole.start()] + MARK);
        }
        let named = STAYS.iter().find_map(|name| Some((*name, hit.name(name)?)));
        let doubted = named.filter(|(name, _)| DOUBTED.contains(name));
        if let Some((group, name)) = doubted
            && !token::is_meant(
                group,
                name.as_str(),
                &text[name.end()..whole.end()],
                &text[whole.end()..],
            )
        {
            // What follows the name may be a secret by itself.
            at = name.end();
            continue;
        }
        found.push_str(&text[copied..named.map_or(whole.start(), |(_, kept)| kept.end())]);
        found.push_str(MARK);
        if hit.name("address").is_some() {
            found.push('@');
        }
        (at, copied) = (whole.end(), whole.end());
    }
    (copied > 0).then(|| found + &text[copied..])
}

/// The bytes up to the next blank, quote or backslash, behind which no form of a secret goes on.
fn run_of_value(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    text.find(ends).unwrap_or(text.len())
}

/// JSON text without its secrets.
pub fn scrubbed_whole(json: &str, scope: Scope) -> String {
    scrubbed(json, scope).map_or_else(|| json.to_owned(), |scrubbed| scrubbed.text)
}

/// A text of JSON with the secrets among its words taken out, as JSON again; `None` where there are none.
fn words_of(literal: &str, scope: Scope) -> Option<String> {
    if scope == Scope::Contexts {
        return None;
    }
    match decoded(literal) {
        Some(text) => scrubbed_words(&text).map(|text| Value::String(text).to_string()),
        // What cannot be read is taken as it stands: no match holds a quote or a backslash.
        None => scrubbed_plain(literal),
    }
}

/// Whether a text of JSON holds a secret by its form.
fn is_token(literal: &str) -> bool {
    decoded(literal).is_some_and(|text| TOKEN.is_match(&text) || QUOTED.is_match(&text))
}

fn enter<'j>(parent: Option<&Frame<'j>>, object: bool, rule: &Rule<'_>) -> Frame<'j> {
    let (scope, is_payload) = match (rule, parent) {
        (Rule::All(scope), _) => (*scope, false),
        (Rule::Beside { member, .. }, None) => (Scope::Everywhere, object && member.is_none()),
        (Rule::Beside { member, .. }, Some(parent)) => {
            let is_it = parent.is_root && parent.object && *member == Some(&*parent.name);
            (parent.scope_of_next(rule), is_it && object)
        }
    };
    let mut frame = Frame {
        object,
        awaits_name: object,
        within: false,
        secret: false,
        named: false,
        is_root: parent.is_none(),
        name: Cow::Borrowed(""),
        tells: OnceCell::new(),
        declared: OnceCell::new(),
        items: 0,
        scope,
        is_payload,
    };
    if let Some(parent) = parent {
        let tells = parent.tells();
        frame.within = parent.within || tells.is_context;
        frame.secret = parent.secret || (parent.within && tells.is_secret_within) || (object && tells.is_credentials);
        frame.named = parent.named || (scope == Scope::Everywhere && tells.is_secret);
        if !object {
            // What stands in a list goes by the list's name.
            frame.name.clone_from(&parent.name);
            frame.tells.clone_from(&parent.tells);
        }
    }
    frame
}

/// One past the closing quote of a string, or the end of the text.
fn end_of_string(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a member's name, as it is meant.
fn name_of(literal: &str) -> Cow<'_, str> {
    let plain = literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|plain| !plain.contains('\\'));
    let tail = |name: &str| name.ceil_char_boundary(name.len().saturating_sub(NAME_MAX));
    match plain {
        Some(name) => Cow::Borrowed(&name[tail(name)..]),
        None => {
            let mut name = decoded(literal).unwrap_or_default();
            name.drain(..tail(&name));
            Cow::Owned(name)
        }
    }
}

fn decoded(literal: &str) -> Option<String> {
    serde_json::from_str(literal).ok()
}

#[cfg(test)]
mod tests;

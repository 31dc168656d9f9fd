//! Taking secrets out of what agents send (M-029, M-034, M-035, X-02): a token is never kept, shown, or used.
//!
//! Works on JSON text in one pass, so that numbers and doubled members stay as they came. What is known by the name of its
//! member or by its form becomes a mark; how far names are trusted is the [`Scope`]. Invariants: what comes out is JSON if what
//! went in was, and taking secrets out twice is taking them out once; a bracket costs a constant, and a text no more than its length.

mod keyword;

pub mod prose;

pub mod remainder;

pub mod words;

pub mod name;

use std::borrow::Cow;

use jsonptr::Token;
use serde_json::Value;

use crate::secrets::name::Tells;
use crate::secrets::prose::MARK;
use crate::secrets::words::has_token;
use crate::secrets::words::scrubbed_plain;
use crate::secrets::words::scrubbed_words;

/// How much is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Of what a template declares: security contexts alone, since a key may be named `token`.
    Contexts,
    /// Of the conventions of a session, whose names are its keys: these, and words that have the form of a secret.
    Words,
    /// Of messages about work, tasks and services, and of what is typed and passed on: both, and every text whose member bears the name of a secret.
    Everywhere,
}

/// What is taken out, and what of it stays.
#[derive(Clone, Copy)]
struct Rule<'a> {
    scope: Scope,
    /// The member of the root that holds a submission's payload, if the root is not it.
    payload: Option<&'a str>,
    declares: Option<&'a dyn Fn(&str) -> bool>,
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

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scrubbed {
    pub text: String,
    /// JSON pointers of what was taken out, of the first ones.
    pub places: Vec<String>,
}

/// An object or list that is being read, or the whole text around the root.
struct Frame<'j> {
    is_object: bool,
    /// Whether a member's name comes next.
    awaits_name: bool,
    /// The end of the name of the member that is being read; in a list, of the one that the list is.
    name: Cow<'j, str>,
    tells: Tells,
    items: usize,
    /// How much is taken out of it, and of the member that is being read.
    scope: Scope,
    member_scope: Scope,
    /// Its members are a template's.
    is_payload: bool,
    /// It is a submission with a payload in it.
    is_submission: bool,
    /// Within a security context.
    is_within: bool,
    /// Everything in it is secret.
    is_secret: bool,
    /// It bears the name of a secret, where names are trusted everywhere.
    is_named: bool,
}

impl<'j> Frame<'j> {
    /// What stands around the root.
    fn around(scope: Scope) -> Frame<'static> {
        Frame {
            is_object: false,
            awaits_name: false,
            name: Cow::Borrowed(""),
            tells: Tells::default(),
            items: 0,
            scope,
            member_scope: scope,
            is_payload: false,
            is_submission: false,
            is_within: false,
            is_secret: false,
            is_named: false,
        }
    }

    /// An object or list in it. What stands in a list goes by the list's name.
    fn enter(&self, is_object: bool, is_root: bool, rule: &Rule<'_>) -> Frame<'j> {
        let is_payload = match rule.payload {
            Some(payload) => self.is_submission && self.name == payload,
            None => is_root && rule.declares.is_some(),
        };
        let (tells, scope) = (self.tells, self.member_scope);
        Frame {
            is_object,
            awaits_name: is_object,
            name: if is_object {
                Cow::Borrowed("")
            } else {
                self.name.clone()
            },
            tells: if is_object { Tells::default() } else { tells },
            is_payload: is_object && is_payload,
            is_submission: is_object && is_root && rule.payload.is_some(),
            is_within: self.is_within || tells.is_context,
            is_secret: self.is_secret || self.is_within && tells.is_secret_within || is_object && tells.is_credentials,
            is_named: self.is_named || scope == Scope::Everywhere && tells.is_secret,
            ..Frame::around(scope)
        }
    }

    /// Whether a value of it is secret by the names that lead to it, or by its form where all are.
    fn hides(&self, value: &str) -> bool {
        let is_text = value.starts_with('"');
        let is_everywhere = self.member_scope == Scope::Everywhere && (is_text || value.len() >= DIGITS_MIN);
        let is_named = self.tells.is_secret || self.is_named && !self.tells.describes;
        let is_token = || is_text && decoded(value).is_some_and(|text| has_token(&text));
        self.is_secret || self.is_within && (self.tells.is_secret_within || is_token()) || is_everywhere && is_named
    }

    /// The next name, without the beginning of a long one.
    fn begin(&mut self, literal: &'j str, rule: &Rule<'_>) {
        self.awaits_name = false;
        self.name = name_of(literal);
        self.tells = Tells::of(&self.name);
        let stays = self.is_payload && rule.declares.is_some_and(|declares| declares(&self.name))
            || self.is_submission && COMPARED.contains(&&*self.name);
        self.member_scope = if stays { Scope::Contexts } else { self.scope };
    }
}

/// JSON text without its secrets; `None` where there is nothing to take out.
pub fn scrubbed(json: &str, scope: Scope) -> Option<Scrubbed> {
    let rule = Rule {
        scope,
        payload: None,
        declares: None,
    };
    taken_out(json, &rule)
}

/// A submission, or the data of a part that are one, without its secrets: keys that its template declares are that template's affair,
/// every other member is not. `payload` is where the payload stands, if the data are not it themselves.
pub fn scrubbed_beside(json: &str, payload: Option<&str>, declares: &dyn Fn(&str) -> bool) -> Option<Scrubbed> {
    let rule = Rule {
        scope: Scope::Everywhere,
        payload,
        declares: Some(declares),
    };
    taken_out(json, &rule)
}

/// JSON text without its secrets.
pub fn scrubbed_whole(json: &str, scope: Scope) -> String {
    scrubbed(json, scope).map_or_else(|| json.to_owned(), |scrubbed| scrubbed.text)
}

fn taken_out(json: &str, rule: &Rule<'_>) -> Option<Scrubbed> {
    let bytes = json.as_bytes();
    let mark = format!("\"{MARK}\"");
    let mut root = Frame::around(rule.scope);
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut found = Scrubbed {
        text: String::new(),
        places: Vec::new(),
    };
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let begin = at;
        let is_root = frames.is_empty();
        let frame = frames.last_mut().unwrap_or(&mut root);
        at = match bytes[at] {
            b'"' => end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_digit = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9' | b'e' | b'E');
                at + bytes[at..].iter().take_while(|byte| is_digit(byte)).count()
            }
            _ => at + 1,
        };
        let value = &json[begin..at];
        let is_name = frame.awaits_name && value.starts_with('"');
        let instead = match bytes[begin] {
            open @ (b'{' | b'[') => {
                let next = frame.enter(open == b'{', is_root, rule);
                frames.push(next);
                continue;
            }
            b'}' | b']' => {
                frames.pop();
                continue;
            }
            b',' => {
                frame.awaits_name = frame.is_object;
                frame.items += 1;
                continue;
            }
            b'"' if is_name => {
                frame.begin(value, rule);
                words_of(value, frame.member_scope)
            }
            b'"' | b'-' | b'0'..=b'9' => {
                // Where a name should stand, in what is no JSON, a number counts as one: the mark that takes its place would.
                frame.awaits_name = false;
                let is_told = value != mark && value != "\"\"";
                let is_hidden = is_told && frame.hides(value);
                let words = || words_of(value, frame.member_scope).filter(|_| is_told && value.starts_with('"'));
                is_hidden.then(|| mark.clone()).or_else(words)
            }
            // White space, colons, true, false and null.
            _ => continue,
        };
        if let Some(instead) = instead {
            found.text.push_str(&json[copied..begin]);
            found.text.push_str(&instead);
            found.tell(&frames[..frames.len() - usize::from(is_name)]);
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
            let step = if frame.is_object {
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
    let tail = |name: &str| name.ceil_char_boundary(name.len().saturating_sub(NAME_MAX));
    match plain(literal) {
        Some(name) => Cow::Borrowed(&name[tail(name)..]),
        None => {
            let mut name = decoded(literal).unwrap_or_default().into_owned();
            name.drain(..tail(&name));
            Cow::Owned(name)
        }
    }
}

/// A string of JSON as it is meant; `None` where it is none.
fn decoded(literal: &str) -> Option<Cow<'_, str>> {
    match plain(literal).filter(|text| text.bytes().all(|byte| byte >= b' ')) {
        Some(plain) => Some(Cow::Borrowed(plain)),
        None => serde_json::from_str(literal).ok().map(Cow::Owned),
    }
}

/// What stands between the quotes, where it is meant as it stands.
fn plain(literal: &str) -> Option<&str> {
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains('\\')).then_some(inside)
}

#[cfg(test)]
mod tests;

//! Taking secrets out of what agents send (M-029, M-034, M-035, X-02): a token is never kept, shown, or used.
//!
//! Works on JSON text in one pass, so that numbers and doubled members stay as they came. Within a security context every value
//! whose name or form is that of a secret becomes a mark. Invariant: what comes out is JSON if what went in was, and taking
//! secrets out twice is taking them out once.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::domain::pool::pattern::exact;
use crate::domain::template::defect::pointer_to;

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";

/// The member that holds what is said of security, without case and punctuation.
const CONTEXT: &str = "securitycontext";
/// What the name of a secret holds.
const NAMES: [&str; 15] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "authentication",
    "cookie",
    "bearer",
    "jwt",
    "signature",
];

/// What has the form of a secret, wherever it stands in a text.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    exact(
        r"(?i:\bbearer\s+)(?:[A-Za-z~+/=-]{0,64}[0-9._*][A-Za-z0-9._~+/=*-]{6,}|[A-Za-z~+/=-]{7,64}[0-9][A-Za-z0-9._~+/=*-]*)|(?i:\bbasic\s+)[A-Za-z0-9+/]{8,}={1,2}|\beyJ[A-Za-z0-9_*-]{5,}(?:\.[A-Za-z0-9_*-]+)*|\b(?:sk|pk|rk|ghp|gho|ghs|xoxb|xoxp|glpat|whsec)[-_][A-Za-z0-9_+/=-]{8,}|\bAKIA[0-9A-Z]{12,}\b",
    )
});

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scrubbed {
    pub text: String,
    /// JSON pointers of what was taken out.
    pub places: Vec<String>,
}

/// An object or list that is being read.
struct Frame {
    object: bool,
    /// Whether a member's name comes next.
    awaits_name: bool,
    /// Within a security context.
    within: bool,
    /// Everything in it is secret.
    secret: bool,
    place: String,
    name: String,
    items: usize,
}

impl Frame {
    fn place_of_next(&self) -> String {
        if self.object {
            pointer_to(&self.place, &self.name)
        } else {
            format!("{}/{}", self.place, self.items)
        }
    }
}

/// JSON text without the secrets of its security contexts; `None` where there is nothing to take out.
pub fn scrubbed(json: &str) -> Option<Scrubbed> {
    let may_hold = json.contains('\\')
        || json
            .as_bytes()
            .windows(8)
            .any(|word| word.eq_ignore_ascii_case(b"security"));
    if !may_hold {
        return None;
    }
    let bytes = json.as_bytes();
    let mut frames: Vec<Frame> = Vec::new();
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
                    frame.name = decoded(&json[begin..at]);
                    continue;
                }
            }
            open @ (b'{' | b'[') => {
                let next = enter(frames.last(), open == b'{');
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
            }
            // White space, colons, true, false and null.
            _ => {
                at += 1;
                continue;
            }
        }
        let Some(frame) = frames.last() else { continue };
        let value = &json[begin..at];
        let mark = format!("\"{MARK}\"");
        let is_text = value.starts_with('"');
        let named = frame.secret || (frame.object && frame.within && is_secret_name(&frame.name));
        let formed = frame.within && is_text && TOKEN.is_match(&decoded(value));
        if (named || formed) && value != mark && value != "\"\"" {
            found.text.push_str(&json[copied..begin]);
            found.text.push_str(&mark);
            found.places.push(frame.place_of_next());
            copied = at;
        }
    }
    if found.places.is_empty() {
        return None;
    }
    found.text.push_str(&json[copied..]);
    Some(found)
}

/// A text without what has the form of a token, wherever it stands; `None` where there is none.
pub fn scrubbed_words(text: &str) -> Option<String> {
    TOKEN.is_match(text).then(|| TOKEN.replace_all(text, MARK).into_owned())
}

/// JSON text with both taken out.
pub fn scrubbed_whole(json: &str) -> String {
    let without = scrubbed(json).map(|scrubbed| scrubbed.text);
    let without = without.unwrap_or_else(|| json.to_owned());
    scrubbed_words(&without).unwrap_or(without)
}

fn enter(parent: Option<&Frame>, object: bool) -> Frame {
    let mut frame = Frame {
        object,
        awaits_name: object,
        within: false,
        secret: false,
        place: String::new(),
        name: String::new(),
        items: 0,
    };
    if let Some(parent) = parent {
        let named = parent.object.then_some(parent.name.as_str());
        frame.within = parent.within || named.is_some_and(|name| plain(name) == CONTEXT);
        frame.secret = parent.secret || (parent.within && named.is_some_and(is_secret_name));
        frame.place = parent.place_of_next();
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

fn decoded(literal: &str) -> String {
    let read: Result<Value, _> = serde_json::from_str(literal);
    match read {
        Ok(Value::String(text)) => text,
        Ok(_) | Err(_) => String::new(),
    }
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn is_secret_name(name: &str) -> bool {
    let name = plain(name);
    NAMES.iter().any(|secret| name.contains(secret))
}

#[cfg(test)]
mod tests {
    use proptest::proptest;
    use serde_json::Value;

    use super::MARK;
    use super::scrubbed;
    use super::scrubbed_whole;
    use super::scrubbed_words;

    #[test]
    fn every_secret_of_a_security_context_becomes_a_mark_m029_m035_x02() {
        let json = r#"{"agentContext": {"securityContext": {"authenticationInfo": {"token": "eyJhbGciOiJIUzy***",
            "scheme": "Bearer", "expires": 1700000000, "also": [{"pin": 7}, true, null]},
            "accessControl": {"role": "DataAnalyst", "permissions": ["read:data"], "api_key": "k"},
            "note": "sent as Bearer abcdefgh12", "dataProtection": {"encryptionEnabled": true}}, "taskContext": {"token": 1.50}}}"#;
        let scrubbed = scrubbed(json).expect("secrets");
        let value: Value = serde_json::from_str(&scrubbed.text).expect("JSON");
        let security = &value["agentContext"]["securityContext"];
        for pointer in [
            "/authenticationInfo/token",
            "/authenticationInfo/scheme",
            "/authenticationInfo/expires",
            "/authenticationInfo/also/0/pin",
            "/accessControl/api_key",
            "/note",
        ] {
            assert_eq!(security.pointer(pointer), Some(&Value::from(MARK)), "{pointer}");
            let place = format!("/agentContext/securityContext{pointer}");
            assert!(scrubbed.places.contains(&place), "{place} in {:?}", scrubbed.places);
        }
        assert_eq!(scrubbed.places.len(), 6);
        assert_eq!(security["accessControl"]["role"], "DataAnalyst");
        assert_eq!(security["accessControl"]["permissions"][0], "read:data");
        assert_eq!(security["dataProtection"]["encryptionEnabled"], true);
        assert!(
            scrubbed.text.contains("\"token\": 1.50"),
            "what lies elsewhere stays as it came"
        );
    }

    #[test]
    fn a_security_context_is_known_however_it_is_spelt_m035() {
        for name in [
            "securityContext",
            "SecurityContext",
            "security_context",
            r"security\u0043ontext",
        ] {
            let json = format!(r#"[{{"{name}":{{"token":"abc"}}}}]"#);
            let scrubbed = scrubbed(&json).unwrap_or_else(|| panic!("{name}"));
            assert!(!scrubbed.text.contains("abc"), "{name}");
        }
        for json in [
            r#"{"taskContext":{"token":"abc"}}"#,
            r#"{"securityContext":{"accessControl":{"role":"x"}}}"#,
            r#"{"securityContext":{"token":"[redacted]","secret":""}}"#,
            r#""securityContext""#,
            "",
        ] {
            assert_eq!(scrubbed(json), None, "{json}");
        }
    }

    #[test]
    fn what_has_the_form_of_a_token_is_taken_out_of_words_m035() {
        for (text, wanted) in [
            ("use Bearer abc.def-123 now", Some("use [redacted] now")),
            ("eyJhbGciOi.eyJzdWIi.c2ln!", Some("[redacted]!")),
            ("key sk-abcdefgh1234, ok", Some("key [redacted], ok")),
            ("Basic YWRhOnNlY3JldDE=", Some("[redacted]")),
            ("the bearer of this letter", None),
            ("basic information and bearer certificates. Then more.", None),
            ("ask for a skirt", None),
        ] {
            assert_eq!(scrubbed_words(text).as_deref(), wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_and_twice_is_once_m035(
            text in r#"(?s)(\{|\}|\[|\]|,|:|"securityContext"|"token"|"[a-z\\]{0,3}"|7|null| |"|\\){0,40}"#,
        ) {
            let once = scrubbed_whole(&text);
            assert_eq!(scrubbed_whole(&once), once);
            if serde_json::from_str::<Value>(&text).is_ok() {
                assert!(serde_json::from_str::<Value>(&once).is_ok(), "{text} became {once}");
            }
        }
    }
}

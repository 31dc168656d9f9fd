//! Taking secrets out of what agents send (M-029, M-034, M-035, X-02): a token is never kept, shown, or used.
//!
//! Works on JSON text in one pass, so that numbers and doubled members stay as they came. What is known by the name of its
//! member or by its form becomes a mark; how far names are trusted is the [`Scope`]. Invariant: what comes out is JSON if what
//! went in was, and taking secrets out twice is taking them out once.

mod form;

mod name;

use regex::Captures;
use serde_json::Value;

use crate::domain::context::message::secret::form::QUOTED;
use crate::domain::context::message::secret::form::STAYS;
use crate::domain::context::message::secret::form::TOKEN;
use crate::domain::template::defect::pointer_to;

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";

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

/// Digits from which on a number under the name of a secret is one; fewer count something.
const DIGITS_MIN: usize = 4;

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
    /// It bears the name of a secret, where names are trusted everywhere.
    named: bool,
    place: String,
    /// The member that is being read; in a list, the one that the list is.
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

    /// Whether a value of it is secret by the names that lead to it.
    fn hides(&self, value: &str, scope: Scope) -> bool {
        let speaks = value.starts_with('"') || value.len() >= DIGITS_MIN;
        let everywhere = speaks && scope == Scope::Everywhere;
        if self.secret || !(self.within || everywhere) {
            return self.secret;
        }
        let told = || name::is_secret(&self.name) || (self.named && !name::describes(&self.name));
        (self.within && name::is_secret_within(&self.name)) || (everywhere && told())
    }
}

/// JSON text without its secrets; `None` where there is nothing to take out.
pub fn scrubbed(json: &str, scope: Scope) -> Option<Scrubbed> {
    let may_hold = scope != Scope::Contexts || json.contains('\\') || name::hinted(json.as_bytes());
    if !may_hold {
        return None;
    }
    let bytes = json.as_bytes();
    let mark = format!("\"{MARK}\"");
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
                    frame.name = decoded(&json[begin..at]).unwrap_or_default();
                    if let Some(name) = words_of(&json[begin..at], scope) {
                        found.text.push_str(&json[copied..begin]);
                        found.text.push_str(&name);
                        found.places.push(frame.place.clone());
                        copied = at;
                    }
                    continue;
                }
            }
            open @ (b'{' | b'[') => {
                let next = enter(frames.last(), open == b'{', scope);
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
        let instead = match frames.last() {
            Some(frame) if frame.hides(value, scope) => Some(mark.clone()),
            Some(frame) if frame.within && is_text && is_token(value) => Some(mark.clone()),
            Some(_) | None => is_text.then(|| words_of(value, scope)).flatten(),
        };
        if let Some(instead) = instead {
            found.text.push_str(&json[copied..begin]);
            found.text.push_str(&instead);
            found
                .places
                .push(frames.last().map(Frame::place_of_next).unwrap_or_default());
            copied = at;
        }
    }
    if found.places.is_empty() {
        return None;
    }
    found.text.push_str(&json[copied..]);
    Some(found)
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
    let plain = scrubbed_plain(quoted.as_deref().unwrap_or(text));
    plain.or(quoted)
}

/// A quick look whether there are quotes or keys at all.
fn may_quote(text: &str) -> bool {
    text.contains(['"', '\'']) || text.contains("-----")
}

/// The same where quotes and backslashes may be those of JSON.
fn scrubbed_plain(text: &str) -> Option<String> {
    let instead = |found: &Captures<'_>| {
        let before: String = STAYS
            .iter()
            .filter_map(|name| found.name(name))
            .map(|kept| kept.as_str())
            .collect();
        let after = found.name("address").map_or("", |_| "@");
        format!("{before}{MARK}{after}")
    };
    TOKEN
        .is_match(text)
        .then(|| TOKEN.replace_all(text, instead).into_owned())
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

fn enter(parent: Option<&Frame>, object: bool, scope: Scope) -> Frame {
    let mut frame = Frame {
        object,
        awaits_name: object,
        within: false,
        secret: false,
        named: false,
        place: String::new(),
        name: String::new(),
        items: 0,
    };
    if let Some(parent) = parent {
        let name = parent.name.as_str();
        frame.within = parent.within || name::is_context(name);
        frame.secret =
            parent.secret || (parent.within && name::is_secret_within(name)) || (object && name::is_credentials(name));
        frame.named = parent.named || (scope == Scope::Everywhere && name::is_secret(name));
        frame.place = parent.place_of_next();
        if !object {
            // What stands in a list goes by the list's name.
            frame.name.clone_from(&parent.name);
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

fn decoded(literal: &str) -> Option<String> {
    serde_json::from_str(literal).ok()
}

#[cfg(test)]
mod tests {
    use proptest::proptest;
    use serde_json::Value;

    use super::MARK;
    use super::Scope;
    use super::scrubbed;
    use super::scrubbed_whole;
    use super::scrubbed_words;

    #[test]
    fn every_secret_of_a_security_context_becomes_a_mark_m029_m035_x02() {
        let json = r#"{"agentContext": {"securityContext": {"authenticationInfo": {"token": "eyJhbGciOiJIUzy***",
            "scheme": "Bearer", "expires": 1700000000, "also": [{"pin": 7}, true, null]},
            "accessControl": {"role": "DataAnalyst", "permissions": ["read:data"], "api_key": "k"},
            "note": "sent as Bearer abcdefgh12", "dataProtection": {"encryptionEnabled": true}}, "taskContext": {"token": 1.50}}}"#;
        let scrubbed = scrubbed(json, Scope::Contexts).expect("secrets");
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
    fn keys_and_codes_of_a_security_context_become_marks_m029_m035_x02() {
        let json = r#"{"keyboard": "k", "keys": ["a", "b"], "pin": "1", "securityContext": {"signingKey": "x1", "session_key": "x2",
            "keys": ["x3", "x4"], "sig": "x5", "pwd": "x6", "pin": 7, "otp": "x7", "key": {"value": "x8"},
            "keyboard": "us", "key_digests": ["d"], "pinned": true, "opinion": "o", "publicKey": "p"}}"#;
        let scrubbed = scrubbed(json, Scope::Contexts).expect("secrets");
        let value: Value = serde_json::from_str(&scrubbed.text).expect("JSON");
        let security = &value["securityContext"];
        assert_eq!(scrubbed.places.len(), 9, "{:?}", scrubbed.places);
        assert!(!scrubbed.text.contains("\"x"), "{}", scrubbed.text);
        assert_eq!(security["pin"], MARK);
        for (name, stays) in [("keyboard", "us"), ("opinion", "o"), ("publicKey", "p")] {
            assert_eq!(security[name], stays, "{name}");
        }
        assert_eq!(security["key_digests"][0], "d");
        assert_eq!(value["keys"][0], "a", "a template's keys are none");
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
            let scrubbed = scrubbed(&json, Scope::Contexts).unwrap_or_else(|| panic!("{name}"));
            assert!(!scrubbed.text.contains("abc"), "{name}");
        }
        for json in [
            r#"{"taskContext":{"token":"abc"}}"#,
            r#"{"securityContext":{"accessControl":{"role":"x"}}}"#,
            r#"{"securityContext":{"token":"[redacted]","secret":""}}"#,
            r#""securityContext""#,
            "",
        ] {
            assert_eq!(scrubbed(json, Scope::Contexts), None, "{json}");
        }
    }

    #[test]
    fn several_security_contexts_and_credentials_are_known_anywhere_m035_x02() {
        for (json, place) in [
            (
                r#"{"securityContexts":[{"password":"abc"}]}"#,
                "/securityContexts/0/password",
            ),
            (
                r#"{"d":{"authenticationInfo":{"pin":123}}}"#,
                "/d/authenticationInfo/pin",
            ),
            (r#"{"Credentials":[{"user":"abc"}]}"#, "/Credentials/0/user"),
        ] {
            let scrubbed = scrubbed(json, Scope::Contexts).unwrap_or_else(|| panic!("{json}"));
            assert_eq!(scrubbed.places, [place]);
        }
        let declared = r#"{"credentials":["MD"],"token":"abc","password":"abc","note":"password=abc"}"#;
        assert_eq!(
            scrubbed(declared, Scope::Contexts),
            None,
            "keys of a template may be named so"
        );
        let words = scrubbed(declared, Scope::Words).expect("words");
        assert_eq!(words.places, ["/note"]);
    }

    #[test]
    fn everywhere_a_text_by_the_name_of_a_secret_becomes_a_mark_m029_x02() {
        for name in [
            "token",
            "Secret",
            "cookie",
            "api_key",
            "apiToken",
            "myAccessToken",
            "X-Auth-Token",
            "db password",
            "clientSecret",
            "Authorization",
            "session_jwt",
            "privateKey",
            "idToken",
            "passphrase",
            "refresh-token",
            "passwd",
            "apiSigningKey",
            "db_pwd",
            "one_time_otp",
        ] {
            let json = serde_json::json!({"a": [{name: "abc"}, {name: ["abc", "[redacted]"]}]}).to_string();
            let scrubbed = scrubbed(&json, Scope::Everywhere).unwrap_or_else(|| panic!("{name}"));
            assert!(!scrubbed.text.contains("abc"), "{name}: {}", scrubbed.text);
            assert_eq!(
                scrubbed.places,
                [format!("/a/0/{name}"), format!("/a/1/{name}/0")],
                "{name}"
            );
        }
        for json in [
            r#"{"tokens":5,"token":{"type":"string"},"max_token":3,"tokenizer":"bpe","secretary":"Ada","token_count":"5"}"#,
            r#"{"keys":["a"],"key":"a","pin":"here","keyboard":"us","key_digests":["d"],"opinion":"o","pinned":"yes","sig":"s"}"#,
            r#"{"password":"","token":"[redacted]"}"#,
        ] {
            assert_eq!(scrubbed(json, Scope::Everywhere), None, "{json}");
        }
        let named = scrubbed(
            r#"{"rule":"say password: hunter2\n","Bearer abc.def-123":1}"#,
            Scope::Everywhere,
        )
        .expect("words");
        assert_eq!(named.text, r#"{"rule":"say password: [redacted]\n","[redacted]":1}"#);
        assert_eq!(named.places, ["/rule", ""]);
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
            (
                "https://h/?access_token=abc&x=1",
                Some("https://h/?access_token=[redacted]&x=1"),
            ),
            ("https://ada:pw@h/x", Some("https://[redacted]@h/x")),
            ("password=hunter", Some("password=[redacted]")),
            ("my_api_key=\"x\"", Some("my_api_key=\"[redacted]\"")),
            ("password: 'hunter two'", Some("password: '[redacted]'")),
            (
                r#"{'api_key': 'abc', 'n': 1}"#,
                Some(r#"{'api_key': '[redacted]', 'n': 1}"#),
            ),
            (
                r#"export DB_PASSWORD="hun\"ter2""#,
                Some(r#"export DB_PASSWORD="[redacted]""#),
            ),
            (
                r#"sent {\"password\": \"hunter two\"} to it"#,
                Some(r#"sent {\"password\": \"[redacted]\"} to it"#),
            ),
            ("token: \"the unit of a text\"", None),
            ("token: \"abc\"", Some("token: \"[redacted]\"")),
            (
                "key:\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nthat is all",
                Some("key:\n[redacted]\nthat is all"),
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIE", Some("[redacted]")),
            ("-----BEGIN CERTIFICATE-----\nMIIE", None),
            ("API-Key=k, and more", Some("API-Key=[redacted], and more")),
            (
                "The password: hunter2, as ever",
                Some("The password: [redacted], as ever"),
            ),
            ("password : at least eight letters", None),
            ("passwords: 5", None),
            ("max_tokens=500, next_page_token=ab", None),
            (
                r#"{"password": "hunter", "n": 1}"#,
                Some(r#"{"password": "[redacted]", "n": 1}"#),
            ),
            ("meet at https://h:8080/a@b", None),
        ] {
            assert_eq!(scrubbed_words(text).as_deref(), wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_and_twice_is_once_m035(
            text in r#"(?s)(\{|\}|\[|\]|,|:|"securityContext"|"token"|"[a-z\\]{0,3}"|7|null| |"|\\){0,40}"#,
        ) {
            for scope in [Scope::Contexts, Scope::Words, Scope::Everywhere] {
                let once = scrubbed_whole(&text, scope);
                assert_eq!(scrubbed_whole(&once, scope), once);
                if serde_json::from_str::<Value>(&text).is_ok() {
                    assert!(serde_json::from_str::<Value>(&once).is_ok(), "{text} became {once}");
                }
            }
        }

        #[test]
        fn any_words_are_taken_and_twice_is_once_m035(
            text in r#"(?s)(password|access_token|api-key|token|pwd|;|AccountKey|hooks.slack.com/services/|\[redacted\]|=|: |://|@|:|Bearer |eyJabcdef|sk-abcdefgh1|AKIA0123456789AB|"|'|\\|\n|a1|é|[a-z0-9_]| ){0,24}"#,
        ) {
            let once = scrubbed_words(&text).unwrap_or_else(|| text.clone());
            assert_eq!(scrubbed_words(&once).unwrap_or_else(|| once.clone()), once);
            let json = serde_json::json!([{"a": text}, text]).to_string();
            let once = scrubbed_whole(&json, Scope::Everywhere);
            assert_eq!(scrubbed_whole(&once, Scope::Everywhere), once);
            assert!(serde_json::from_str::<Value>(&once).is_ok(), "{json} became {once}");
        }
    }
}

//! Every kind of secret, by name, place and form, and what is none.

use proptest::proptest;
use serde_json::Value;

use super::PLACES_MAX;
use super::Scope;
use super::scrubbed;
use super::scrubbed_whole;
use crate::secrets::prose::MARK;
use crate::secrets::words::scrubbed_words;

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
fn what_a_template_declares_stays_and_what_it_does_not_goes_p030_x02() {
    let declares = |name: &str| ["token", "auth", "other"].contains(&name);
    let payload = r#"{"token": "T-77", "auth": {"password": "p1", "securityContext": {"pin": 7}}, "other": "password=p2",
        "api_key": "k1", "notes": {"token": "k2", "words": "api_key=k3"}, "seats": 2, "password=k4": 1}"#;
    let expected = [
        "/auth/securityContext/pin",
        "/api_key",
        "/notes/token",
        "/notes/words",
        "",
    ];
    let bare = super::scrubbed_beside(payload, None, &declares).expect("secrets");
    assert_eq!(bare.places, expected);
    let beside = r#""schema_id": "s_v1", "idempotency_key": "sk-abcdefgh1234", "utterance": "token=u1""#;
    let whole = format!(r#"{{{beside}, "payload": {payload}, "token": "T-78"}}"#);
    let within = super::scrubbed_beside(&whole, Some("payload"), &declares).expect("secrets");
    let mut places: Vec<String> = expected.iter().map(|place| format!("/payload{place}")).collect();
    places.insert(0, "/utterance".to_owned());
    places.push("/token".to_owned());
    assert_eq!(within.places, places);
    assert!(
        within.text.contains("sk-abcdefgh1234") && !within.text.contains("T-78"),
        "what is compared stays, whatever it looks like: {}",
        within.text
    );
    for text in [&bare.text, &within.text] {
        assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
        assert!(
            text.contains("T-77") && text.contains("p1") && text.contains("p2"),
            "{text}"
        );
        assert!(
            !text.contains("\"k1") && !text.contains("k2") && !text.contains("k3") && !text.contains("k4"),
            "{text}"
        );
    }
    for no_object in [r#"["password=k1"]"#, r#""password=k1""#] {
        let scrubbed = super::scrubbed_beside(no_object, None, &declares).expect("secrets");
        assert!(!scrubbed.text.contains("k1"), "{}", scrubbed.text);
    }
    let again = super::scrubbed_beside(&bare.text, None, &declares);
    assert_eq!(again, None, "once is enough");
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
        "cookie",
        "api_key",
        "myAccessToken",
        "X-Auth-Token",
        "db password",
        "Authorization",
        "idToken",
        "passphrase",
        "apiSigningKey",
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
        ("the bearer of this letter", None),
        ("basic information and bearer certificates. Then more.", None),
        ("ask for a skirt", None),
        (
            "https://h/?access_token=abc&x=1",
            Some("https://h/?access_token=[redacted]&x=1"),
        ),
        ("https://ada:pw@h/x", Some("https://[redacted]@h/x")),
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
        (
            "key:\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nthat is all",
            Some("key:\n[redacted]\nthat is all"),
        ),
        ("-----BEGIN CERTIFICATE-----\nMIIE", None),
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

#[test]
fn no_text_costs_more_than_it_is_long_m035_x02() {
    for part in [
        "authorization=",
        "authorization: token ",
        " -u 1:1",
        "token: 1 ",
        "token:",
        "password: 1a",
        "&sig=",
        "my password is ",
        "ünter müden Bäumen ",
    ] {
        let text = part.repeat(4_000);
        let once = scrubbed_words(&text).unwrap_or_else(|| text.clone());
        assert_eq!(scrubbed_words(&once).unwrap_or_else(|| once.clone()), once, "{part}");
    }
}

#[test]
fn a_bracket_costs_a_constant_and_a_name_is_looked_at_once_m035() {
    let deep = format!("{{\"{}\": {}\"password=abc\"", "a".repeat(10_000), "[".repeat(100_000));
    let scrubbed = scrubbed(&deep, Scope::Everywhere).expect("a secret");
    assert!(!scrubbed.text.contains("abc"));
    assert!(scrubbed.places[0].len() <= 1_024, "as far as it is told");
    let many = format!("[{}1]", "{\"password\": \"abc\"},".repeat(1_000));
    let scrubbed = super::scrubbed(&many, Scope::Everywhere).expect("secrets");
    assert!(!scrubbed.text.contains("abc"), "all of them");
    assert_eq!(scrubbed.places.len(), PLACES_MAX, "the first ones are told");
}

#[test]
fn forms_within_forms_that_never_end_take_the_rest_with_them_m035() {
    let text = "token:://a:b@".repeat(20_000) + " password=abc";
    let once = scrubbed_words(&text).expect("too much to look at");
    assert!(!once.contains("a:b") || !once.contains("abc"), "{}", once.len());
    assert!(once.ends_with(MARK), "the rest is a mark");
    assert_eq!(scrubbed_words(&once), None, "once is enough");
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
        text in r#"(?s)(password|access_token|api-key|token|pwd|PIN|my| is | as |authorization|Token |-u |&sig=|secret|3 |hunter2|tulip|;|AccountKey|hooks.slack.com/services/|\[redacted\]|=|: |://|@|:|Bearer |eyJabcdef|sk-abcdefgh1|AKIA0123456789AB|"|'|\\|\n|a1|é|[a-z0-9_]| ){0,24}"#,
    ) {
        let once = scrubbed_words(&text).unwrap_or_else(|| text.clone());
        assert_eq!(scrubbed_words(&once).unwrap_or_else(|| once.clone()), once);
        let json = serde_json::json!([{"a": text}, text]).to_string();
        let once = scrubbed_whole(&json, Scope::Everywhere);
        assert_eq!(scrubbed_whole(&once, Scope::Everywhere), once);
        assert!(serde_json::from_str::<Value>(&once).is_ok(), "{json} became {once}");
    }
}

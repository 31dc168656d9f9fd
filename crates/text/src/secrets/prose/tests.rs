//! What is told in confidence and what merely speaks of it, in several languages.

use proptest::proptest;

use super::MARK;
use super::may_tell;
use super::scrubbed;
use crate::secrets::remainder::remainder;

/// Each text tells what stands between « and », and nothing else.
#[track_caller]
fn assert_tells(texts: &[&str]) {
    for marked in texts {
        let text = marked.replace(['«', '»'], "");
        let pieces = marked
            .split('«')
            .map(|piece| piece.split_once('»').map_or(piece, |(_, rest)| rest));
        let wanted = pieces.collect::<Vec<_>>().join(MARK);
        assert_eq!(scrubbed(&text).as_deref(), Some(wanted.as_str()), "{text}");
        assert_eq!(scrubbed(&wanted), None, "{wanted}");
        assert!(may_tell(&text), "{text}");
    }
}

#[track_caller]
fn assert_tells_nothing(texts: &[&str]) {
    for text in texts {
        assert_eq!(scrubbed(text), None, "{text}");
        assert!(!may_tell(text), "{text}");
    }
}

#[test]
fn a_value_under_the_word_for_a_secret_is_taken_out_x02() {
    assert_tells(&[
        "my password is «hunter2»",
        "The wifi password for the guests is «Tulip» and the room is warm",
        "the passcode is «4711», as ever",
        "PIN: «1234»",
        "PIN «4711» does not work",
        "the door code is now «4711»",
        "Das WLAN-Passwort ist noch immer: «Tulpe7»",
        "set the PIN for the safe to «4711»",
        "set the PIN to «swordfish-4711» and bring a lamp",
        "set the PIN to the gate to «4711»",
        "the password for PIN «4711» is «hunter2»",
        "mi contraseña es «girasol»",
        "mot de passe : «tournesol»",
        "a minha senha é «girassol7»",
        "我的密码是«abc123»",
        "password is: «hunter2»",
        "**Password:** «hunter2»",
        "Passwort:\n«hunter2»",
        "my password is \"«two words»\", thanks",
        "my passphrase is “«two words»”",
        "set my password to «hunter2»",
        "«hunter2» is my password",
        "log in with «hunter2» as the password",
        "user ada, password «hunter2»",
        "my api key is «abc123def»",
        "password (guest): «hunter2»",
    ]);
}

#[test]
fn nothing_of_a_secret_stays_behind_x02() {
    assert_tells(&[
        "my password for the portal is «Tr0ub4dor&3»",
        "the password: «p@ss w0rd»",
        "my password is «hunter2&|;3(x)9» and that is it",
        "my password is «tulip,7».",
        "password: «a1\\b2'c3\"d4»!",
        "«Tr0ub4dor&3» is my password",
        "use «tulip7&8» as the password",
        "token: «abc123de4 d4f5g6» now",
        "my password is «hunter2» and a room on floor 2b",
        "my password is «S3cr3t»! 5pm works",
        "password=«hunter2»&user=ada",
        "password=«hunter2»;user=ada",
        "{\"note\":\"password: «hunter2»\",\"user\":\"ada\"}",
        "<p>password: «hunter2»</p>",
        "password: «hunter2»\\nuser: ada",
    ]);
}

#[test]
fn who_merely_speaks_of_a_secret_tells_none_x02() {
    assert_tells_nothing(&[
        "I forgot my password, send a reset link",
        "a PIN pad",
        "reset my password - urgent",
        "move the pin for the map to 4 Main Street",
        "my password is not working",
        "the password is too short",
        "my password is expired, please help",
        "password: at least eight letters",
        "Password: required",
        "password: 8 characters",
        "the PIN is 4 digits long",
        "PIN: 4 digits",
        "security code: 3-digit number",
        "what is my password",
        "what I need is a password",
        "pin: GPIO",
        "shoes in tan 1042",
        "passcode: given at the desk",
        "password: click the link to reset",
        "the room's PIN: to be sent by SMS",
        "la parola è bella",
        "Passwort: mindestens 12 Zeichen",
        "reset the password for user ada1815",
        "the access code to room 1204 is missing",
        "secret: 3 eggs",
        "the secret is fresh basil",
        "two bus tokens, the token is 2nd class",
        "la resenha é boa",
        "j'ai oublié mon mot de passe",
        "the password <PASSWORD> goes here",
        "password: $PASSWORD",
        "password: ***",
        "def login(user: str, password: str) -> bool",
        "Password:\nUsername: ada",
        "password:\n  type: string",
    ]);
}

#[test]
fn a_short_word_for_a_password_tells_one_where_a_sign_says_it_x02() {
    assert_tells(&[
        "pass: «Zottel99»",
        "user: ada / pass: «tulip7», please",
        "db_pass=«tulip77»",
        "my pass is «tulip77»",
    ]);
    assert_tells_nothing(&[
        "pass: yes",
        "a bus pass: two zones",
        "a ski pass: 2500 m and higher",
        "the pass is 2500m high",
        "mountain pass: 2500m",
        "ski pass 2027",
        "my pass is for 2 adults",
        "pass the salt",
    ]);
}

#[test]
fn the_code_of_what_has_a_lock_is_a_secret_and_other_codes_are_none_x02() {
    assert_tells(&[
        "the key safe code is «2580»",
        "the garage's code is «2580»",
        "the code for the front gate is «2580»",
        "padlock combination «12-34-56»",
        "der Tresorcode ist «2580»",
        "el código de la caja fuerte es «2580»",
        "код от сейфа: «2580»",
        "ovikoodi on «2580»",
    ]);
    assert_tells_nothing(&[
        "the discount code is 2580",
        "the error code was 4040",
        "the dress code for the gala is 1920s",
        "a safe with a code",
        "the code for the gate has 4 digits",
        "a combination of 1200 parts",
    ]);
}

#[test]
fn what_is_to_be_a_secret_is_one_x02() {
    assert_tells(&[
        "use «5519» as the parcel pickup PIN",
        "use «5519» for the pickup PIN",
        "make «5519» my PIN",
        "«5519» is the guest PIN",
        "nimm «5519» als Abhol-PIN",
        "the PIN will be «4711»",
        "let the PIN be «4711»",
        "die PIN soll «4711» sein",
    ]);
    assert_tells_nothing(&["5519 is a good door PIN"]);
    assert_tells_nothing(&[
        "room 1204 is without door code",
        "text 4711 for a PIN",
        "use 2 machines for the pickup PIN",
        "the PIN will be sent in 2027",
        "a password of 12 characters",
        "the PIN has to be changed",
    ]);
}

#[test]
fn secrets_are_told_in_words_that_change_their_ends_x02() {
    assert_tells(&[
        "salasanani on «kissa123»",
        "salasanani on «kissa123» ja se on uusi",
        "Salasana on «kissa»",
        "käytä salasanana «kissa123»",
        "PIN-koodini on «4711»",
        "«kissa123» on salasanani",
        "мой пароль «кот12345»",
        "мой пароль — «кот12345»",
        "войди с паролем «кот12345»",
        "пин-код «4711»",
        "«кот12345» это мой пароль",
    ]);
    assert_tells_nothing(&[
        "salasanani on vanhentunut",
        "salasana: vähintään 8 merkkiä",
        "reset my password on 2026-05-04",
        "my PIN on 4 cards",
        "я забыл свой пароль, пришлите ссылку",
        "пароль истёк",
        "пароль: минимум 8 символов",
    ]);
}

#[test]
fn what_may_be_an_address_or_a_pin_is_a_secret_x02() {
    assert_tells(&[
        "Bengaluru, my PIN is «560001»",
        "PIN «560001»",
        "Ada, PIN «560001»",
        "Bengaluru, PIN «5600»",
        "my locker in Mumbai, PIN «400001»",
        "deliver to Mumbai and use PIN «400001»",
    ]);
}

#[test]
fn more_words_for_secrets_than_anybody_writes_take_the_rest_with_them_x02() {
    let text = format!("{}my password is hunter22", "pwd ".repeat(3_000));
    let once = scrubbed(&text).expect("too many to look at");
    assert!(!once.contains("hunter22") && once.len() < text.len(), "{}", once.len());
    assert_eq!(scrubbed(&once), None, "once is enough");
    let few = "The password is never shown to anybody who asks for it. ".repeat(500);
    assert_eq!(scrubbed(&few), None);
}

#[test]
fn addresses_and_parts_of_programs_stay_x02() {
    for text in [
        "password: https://example.org/reset",
        "password: /run/secrets/agent",
        "password = user.password",
        "password = getpass()",
        "Password: Username: ada",
    ] {
        assert_eq!(scrubbed(text), None, "{text}");
    }
}

#[test]
fn what_cannot_be_told_reliably_is_kept_and_yet_tells_a_secret_z171_x02() {
    for text in [
        "my passphrase is correct horse battery staple",
        "password: correct horse battery staple",
        "my PIN is four seven one one",
        "pin: GPIO17",
        "my password is the old hunter2",
        "swordfish is my password",
        "use swordfish as password",
        "log in with password hunter2 at noon today",
    ] {
        assert!(may_tell(text), "{text}");
    }
}

#[test]
fn other_clauses_are_left_word_for_word_x02() {
    let left = |text: &str| remainder(text).map(|pieces| pieces.join(" | "));
    for (text, wanted) in [
        ("a window seat, token=[redacted]", "a window seat"),
        ("side: north, password=[redacted]", "side: north"),
        (
            "my wifi password is [redacted] and I want a quiet room",
            "I want a quiet room",
        ),
        ("bring milk and honey, my PIN is [redacted]", "bring milk and honey"),
        (
            "use [redacted] to export the report as PDF",
            "to export the report as PDF",
        ),
        ("export the report with [redacted]", "export the report"),
        ("a window seat, key=[redacted], two bags", "a window seat | two bags"),
        (
            "deploy the site to staging with token=[redacted]",
            "deploy the site to staging",
        ),
        (
            "fetch the orders from https://[redacted]@example.org",
            "fetch the orders",
        ),
        ("password=[redacted]", ""),
        ("mail --user [redacted]", ""),
        ("badge: [redacted]", ""),
        ("the guest password is [redacted]", ""),
        ("tell the plumber that the door code is [redacted]", ""),
        ("use [redacted]", ""),
        ("[redacted]", ""),
        ("https://[redacted]@example.org", ""),
    ] {
        assert_eq!(left(text).as_deref(), Some(wanted), "{text}");
    }
    assert_eq!(left("a window seat"), None);
}

#[test]
fn no_text_costs_more_than_it_is_long_x02() {
    for part in [
        "password:",
        "password (",
        "mot de passe : unlocked",
        "密码",
        "pin-",
        "my password is not ",
        "as my password as",
        "password 1 ",
        "token: 1",
        "password \"",
        "password:\n",
        "password: a1&",
        "password: a1 b2&c3 ",
        "password: a1)))) ",
        "password: a1<",
        "&a1 is my password ",
    ] {
        let text = part.repeat(4_000);
        let once = scrubbed(&text).unwrap_or(text);
        assert!(!once.is_empty());
        may_tell(&once);
    }
}

proptest! {
    #[test]
    fn any_words_are_taken_and_twice_is_once_x02(
        text in r#"(?s)(password|PIN|token|mot de passe|密码|是| is | ist |lautet|: |=| to | as |my|not|for|and|hunter2|4711|12|tulip|3kg|a1|&|;|<|>|\\|\[redacted\]|"|'|\(|\)|,|\.|\n|\*|“|é|[a-z0-9_]| ){0,24}"#,
    ) {
        let once = scrubbed(&text).unwrap_or_else(|| text.clone());
        assert_eq!(scrubbed(&once).unwrap_or_else(|| once.clone()), once, "{text}");
        let pieces = remainder(&once).unwrap_or_default();
        assert!(pieces.iter().all(|piece| once.contains(piece.as_str()) && !piece.contains("redacted]")), "{once}: {pieces:?}");
    }
}

//! What is told in confidence and what merely speaks of it, in several languages.

use proptest::proptest;

use super::left;
use super::taken_out;
use super::tells;

#[test]
fn more_words_for_secrets_than_anybody_writes_take_the_rest_with_them_x02() {
    let text = format!("{}my password is hunter22", "pwd ".repeat(3_000));
    let once = taken_out(&text).expect("too many to look at");
    assert!(!once.contains("hunter22") && once.len() < text.len(), "{}", once.len());
    assert_eq!(taken_out(&once), None, "once is enough");
    let few = "The password is never shown to anybody who asks for it. ".repeat(500);
    assert_eq!(taken_out(&few), None);
}

#[test]
fn a_value_under_the_word_for_a_secret_is_taken_out_x02() {
    for (text, wanted) in [
        ("my password is hunter2", "my password is [redacted]"),
        ("my password is swordfish.", "my password is [redacted]."),
        (
            "The wifi password for the guests is Tulip and the room is warm",
            "The wifi password for the guests is [redacted] and the room is warm",
        ),
        ("the passcode is 4711, as ever", "the passcode is [redacted], as ever"),
        ("PIN: 1234", "PIN: [redacted]"),
        ("my PIN number is 12 34", "my PIN number is [redacted]"),
        ("PIN 4711 does not work", "PIN [redacted] does not work"),
        ("the door code is now 4711", "the door code is now [redacted]"),
        ("mein Passwort lautet Tulpe", "mein Passwort lautet [redacted]"),
        (
            "Das WLAN-Passwort ist noch immer: Tulpe7",
            "Das WLAN-Passwort ist noch immer: [redacted]",
        ),
        ("Das Passwort lautet: Tulpe", "Das Passwort lautet: [redacted]"),
        (
            "set the PIN for the safe to 4711",
            "set the PIN for the safe to [redacted]",
        ),
        (
            "the password for PIN 4711 is hunter2",
            "the password for PIN [redacted] is [redacted]",
        ),
        ("password - hunter2", "password - [redacted]"),
        ("Geheimzahl: 4711", "Geheimzahl: [redacted]"),
        ("mi contraseña es girasol", "mi contraseña es [redacted]"),
        ("la clave es 4711", "la clave es [redacted]"),
        ("mot de passe : tournesol", "mot de passe : [redacted]"),
        ("a minha senha é girassol7", "a minha senha é [redacted]"),
        ("la parola d'ordine è girasole", "la parola d'ordine è [redacted]"),
        ("мой пароль: ромашка7", "мой пароль: [redacted]"),
        ("我的密码是abc123", "我的密码是[redacted]"),
        ("password is: hunter2", "password is: [redacted]"),
        ("**Password:** hunter2", "**Password:** [redacted]"),
        ("Passwort:\nhunter2", "Passwort:\n[redacted]"),
        (
            "my password is \"two words\", thanks",
            "my password is \"[redacted]\", thanks",
        ),
        ("my passphrase is “two words”", "my passphrase is “[redacted]”"),
        ("set my password to hunter2", "set my password to [redacted]"),
        ("change the PIN to 4711 please", "change the PIN to [redacted] please"),
        ("hunter2 is my password", "[redacted] is my password"),
        (
            "log in with hunter2 as the password",
            "log in with [redacted] as the password",
        ),
        ("user ada, password hunter2", "user ada, password [redacted]"),
        ("my api key is abc123def", "my api key is [redacted]"),
        ("password (guest): hunter2", "password (guest): [redacted]"),
        ("my password's hunter2", "my password's [redacted]"),
    ] {
        assert_eq!(taken_out(text).as_deref(), Some(wanted), "{text}");
        assert_eq!(taken_out(wanted), None, "{wanted}");
        assert!(tells(text), "{text}");
    }
}

#[test]
fn nothing_of_a_secret_stays_behind_x02() {
    for (text, wanted) in [
        (
            "my password for the portal is Tr0ub4dor&3",
            "my password for the portal is [redacted]",
        ),
        ("the password: p@ss w0rd", "the password: [redacted]"),
        (
            "the password: p@ss w0rd, and a window seat",
            "the password: [redacted], and a window seat",
        ),
        (
            "my password is hunter2&|;3(x)9 and that is it",
            "my password is [redacted] and that is it",
        ),
        ("my password is tulip,7.", "my password is [redacted]."),
        ("password: a1\\b2'c3\"d4!", "password: [redacted]!"),
        ("(my password is hunter2&3)", "(my password is [redacted])"),
        ("my PIN is 4711&2", "my PIN is [redacted]"),
        ("Tr0ub4dor&3 is my password", "[redacted] is my password"),
        ("use tulip7&8 as the password", "use [redacted] as the password"),
        ("token: abc123de4 d4f5g6 now", "token: [redacted] now"),
        // What is no part of it stays.
        (
            "my password is hunter2 and a room on floor 2b",
            "my password is [redacted] and a room on floor 2b",
        ),
        (
            "my password is S3cr3t! 5pm works",
            "my password is [redacted]! 5pm works",
        ),
        (
            "my password is hunter2&x 5pm please",
            "my password is [redacted] 5pm please",
        ),
        ("password=hunter2&user=ada", "password=[redacted]&user=ada"),
        ("password=hunter2;user=ada", "password=[redacted];user=ada"),
        (
            "{\"note\":\"password: hunter2\",\"user\":\"ada\"}",
            "{\"note\":\"password: [redacted]\",\"user\":\"ada\"}",
        ),
        ("<p>password: hunter2</p>", "<p>password: [redacted]</p>"),
        ("password: hunter2\\nuser: ada", "password: [redacted]\\nuser: ada"),
    ] {
        let found = taken_out(text);
        assert_eq!(found.as_deref(), Some(wanted), "{text}");
        assert_eq!(taken_out(wanted), None, "{wanted}");
    }
}

#[test]
fn who_merely_speaks_of_a_secret_tells_none_x02() {
    for text in [
        "I forgot my password, send a reset link",
        "a PIN pad",
        "reset my password - urgent",
        "move the pin for the map to 4 Main Street",
        "reset my password please",
        "my password is not working",
        "the password is too short",
        "my password is expired, please help",
        "password: at least eight letters",
        "Password: required",
        "a password of 12 characters",
        "password: 8 characters",
        "the PIN is 4 digits long",
        "PIN: 4 digits",
        "security code: 3-digit number",
        "a door with a PIN code",
        "what is my password",
        "where is the password",
        "change the password for 3 users",
        "use a password",
        "what I need is a password",
        "pin: gold plated",
        "pin: GPIO",
        "shoes in tan 1042",
        "passcode: given at the desk",
        "password: see below",
        "password: click the link to reset",
        "the password is sent on 2026-05-04",
        "my password is from 2019",
        "the room's PIN: to be sent by SMS",
        "la parola è bella",
        "palabra clave: viajes",
        "le mot de passe est trop court",
        "Passwort: mindestens 12 Zeichen",
        "reset the password for user ada1815",
        "the access code to room 1204 is missing",
        "a lapel pin is fine",
        "secret: 3 eggs",
        "token: 3 coins",
        "the secret is fresh basil",
        "the secret is 3kg of flour",
        "two bus tokens, the token is 2nd class",
        "La clave es la paciencia",
        "la resenha é boa",
        "mein Passwort ist abgelaufen",
        "j'ai oublié mon mot de passe",
        "mi contraseña es incorrecta",
        "gebruikersnaam en wachtwoord",
        "the password <PASSWORD> goes here",
        "password: $PASSWORD",
        "password: ***",
        "Is the password case sensitive?",
        "def login(user: str, password: str) -> bool",
        "Password:\nUsername: ada",
        "password:\n  type: string",
    ] {
        assert_eq!(taken_out(text), None, "{text}");
        assert!(!tells(text), "{text}");
    }
}

#[test]
fn a_short_word_for_a_password_tells_one_where_a_sign_says_it_x02() {
    for (text, wanted) in [
        ("pass: Zottel99", "pass: [redacted]"),
        (
            "user: ada / pass: tulip7, please",
            "user: ada / pass: [redacted], please",
        ),
        ("db_pass=tulip77", "db_pass=[redacted]"),
        ("pass - 471100", "pass - [redacted]"),
        ("my pass is tulip77", "my pass is [redacted]"),
    ] {
        assert_eq!(taken_out(text).as_deref(), Some(wanted), "{text}");
        assert_eq!(taken_out(wanted), None, "{wanted}");
        assert!(tells(text), "{text}");
    }
    for text in [
        "pass: yes",
        "a pass for the museum",
        "a bus pass: two zones",
        "bus pass: 3 zones",
        "a ski pass: 2500 m and higher",
        "the pass is 2500m high",
        "mountain pass: 2500m",
        "the pass is 3000 m above the sea",
        "the pass is valid until 2027",
        "ski pass 2027",
        "pass: museum",
        "my pass is for 2 adults",
        "pass the salt",
    ] {
        assert_eq!(taken_out(text), None, "{text}");
        assert!(!tells(text), "{text}");
    }
}

#[test]
fn the_code_of_what_has_a_lock_is_a_secret_and_other_codes_are_none_x02() {
    for (text, wanted) in [
        ("the key safe code is 2580", "the key safe code is [redacted]"),
        ("the key safe code 2580", "the key safe code [redacted]"),
        ("the key-safe code: 2580", "the key-safe code: [redacted]"),
        ("the garage's code is 2580", "the garage's code is [redacted]"),
        (
            "the code for the front gate is 2580",
            "the code for the front gate is [redacted]",
        ),
        ("padlock combination 12-34-56", "padlock combination [redacted]"),
        ("der Tresorcode ist 2580", "der Tresorcode ist [redacted]"),
        ("der Code für das Tor ist 2580", "der Code für das Tor ist [redacted]"),
        (
            "el código de la caja fuerte es 2580",
            "el código de la caja fuerte es [redacted]",
        ),
        ("код от сейфа: 2580", "код от сейфа: [redacted]"),
        ("ovikoodi on 2580", "ovikoodi on [redacted]"),
    ] {
        assert_eq!(taken_out(text).as_deref(), Some(wanted), "{text}");
        assert_eq!(taken_out(wanted), None, "{wanted}");
        assert!(tells(text), "{text}");
    }
    for text in [
        "the discount code is 2580",
        "promo code 2580",
        "the postcode is 8001",
        "the error code was 4040",
        "the dress code for the gala is 1920s",
        "area code 0228",
        "a safe with a code",
        "the garage code does not work",
        "the code for the gate has 4 digits",
        "a combination of 1200 parts",
    ] {
        assert_eq!(taken_out(text), None, "{text}");
        assert!(!tells(text), "{text}");
    }
}

#[test]
fn what_is_to_be_a_secret_is_one_x02() {
    for (text, wanted) in [
        ("use 5519 as pickup PIN", "use [redacted] as pickup PIN"),
        (
            "use 5519 as the parcel pickup PIN",
            "use [redacted] as the parcel pickup PIN",
        ),
        ("use 5519 for the pickup PIN", "use [redacted] for the pickup PIN"),
        ("make 5519 my PIN", "make [redacted] my PIN"),
        ("5519 is a good door PIN", "5519 is a good door PIN"),
        ("5519 is the guest PIN", "[redacted] is the guest PIN"),
        ("nimm 5519 als Abhol-PIN", "nimm [redacted] als Abhol-PIN"),
        ("the PIN will be 4711", "the PIN will be [redacted]"),
        ("the PIN should be 4711", "the PIN should be [redacted]"),
        ("let the PIN be 4711", "let the PIN be [redacted]"),
        ("with a pickup PIN of 4711", "with a pickup PIN of [redacted]"),
        ("die PIN soll 4711 sein", "die PIN soll [redacted] sein"),
    ] {
        let found = taken_out(text);
        assert_eq!(found.as_deref().unwrap_or(text), wanted, "{text}");
        assert_eq!(taken_out(wanted), None, "{wanted}");
    }
    for text in [
        "room 1204 is without door code",
        "room 1204 is missing a door code",
        "text 4711 for a PIN",
        "use 2 machines for the pickup PIN",
        "the password should be longer",
        "the PIN will be sent in 2027",
        "a password of 12 characters",
        "the token of 2024",
        "what will be my PIN",
        "the PIN has to be changed",
    ] {
        assert_eq!(taken_out(text), None, "{text}");
        assert!(!tells(text), "{text}");
    }
}

#[test]
fn secrets_are_told_in_words_that_change_their_ends_x02() {
    for (text, wanted) in [
        ("salasanani on kissa123", "salasanani on [redacted]"),
        ("salasana: kissa123", "salasana: [redacted]"),
        ("Salasana on kissa", "Salasana on [redacted]"),
        ("käytä salasanana kissa123", "käytä salasanana [redacted]"),
        ("PIN-koodini on 4711", "PIN-koodini on [redacted]"),
        ("tunnuslukuni on 4711", "tunnuslukuni on [redacted]"),
        ("kissa123 on salasanani", "[redacted] on salasanani"),
        ("мой пароль кот12345", "мой пароль [redacted]"),
        ("мой пароль — кот12345", "мой пароль — [redacted]"),
        ("пароль: кот12345", "пароль: [redacted]"),
        ("войди с паролем кот12345", "войди с паролем [redacted]"),
        ("пин-код 4711", "пин-код [redacted]"),
        ("код доступа: 4711", "код доступа: [redacted]"),
        ("пароль будет кот12345", "пароль будет [redacted]"),
        ("кот12345 это мой пароль", "[redacted] это мой пароль"),
    ] {
        assert_eq!(taken_out(text).as_deref(), Some(wanted), "{text}");
        assert_eq!(taken_out(wanted), None, "{wanted}");
        assert!(tells(text), "{text}");
    }
    for text in [
        "unohdin salasanani",
        "salasanani on vanhentunut",
        "salasana: pakollinen",
        "salasana: vähintään 8 merkkiä",
        "salasana ei toimi",
        "reset my password on 2026-05-04",
        "my PIN on 4 cards",
        "забыл пароль",
        "я забыл свой пароль, пришлите ссылку",
        "пароль истёк",
        "пароль не работает",
        "пароль: обязательно",
        "пароль: минимум 8 символов",
        "сменить пароль на сайте",
    ] {
        assert_eq!(taken_out(text), None, "{text}");
        assert!(!tells(text), "{text}");
    }
}

#[test]
fn the_pin_of_an_address_is_no_secret_and_what_is_doubtful_is_one_x02() {
    for text in [
        "Bengaluru, PIN 560001",
        "ship it to 12 MG Road, Bengaluru, Karnataka, PIN 560001",
        "Flat 4, Gandhi Nagar, PIN: 110031",
        "Kochi, Kerala - PIN 682 001",
        "postal PIN 560001",
        "my area PIN code is 560001",
        "the address is 4 Lake Road, Nashik (PIN 422001)",
    ] {
        assert_eq!(taken_out(text), None, "{text}");
        assert!(!tells(text), "{text}");
    }
    for (text, wanted) in [
        ("Bengaluru, my PIN is 560001", "Bengaluru, my PIN is [redacted]"),
        ("my PIN is 560001", "my PIN is [redacted]"),
        ("PIN 560001", "PIN [redacted]"),
        ("user Ada, PIN 560001", "user Ada, PIN [redacted]"),
        ("Ada, PIN 560001", "Ada, PIN [redacted]"),
        ("Bengaluru, PIN 5600", "Bengaluru, PIN [redacted]"),
        ("Bengaluru, PIN 060001", "Bengaluru, PIN [redacted]"),
        ("my locker in Mumbai, PIN 400001", "my locker in Mumbai, PIN [redacted]"),
        (
            "my card of Canara Bank, Mumbai, PIN 400001",
            "my card of Canara Bank, Mumbai, PIN [redacted]",
        ),
        (
            "deliver to Mumbai and use PIN 400001",
            "deliver to Mumbai and use PIN [redacted]",
        ),
    ] {
        assert_eq!(taken_out(text).as_deref(), Some(wanted), "{text}");
        assert!(tells(text), "{text}");
    }
}

#[test]
fn addresses_and_parts_of_programs_stay_x02() {
    for text in [
        "password: https://example.org/reset",
        "password: /run/secrets/agent",
        "password = user.password",
        "password = ask_for_it",
        "password = getpass()",
        "Password: Username: ada",
    ] {
        assert_eq!(taken_out(text), None, "{text}");
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
        assert!(tells(text), "{text}");
    }
}

#[test]
fn other_clauses_are_left_word_for_word_x02() {
    let left = |text: &str| left(text).map(|pieces| pieces.join(" | "));
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
        let once = taken_out(&text).unwrap_or(text);
        assert!(!once.is_empty());
        tells(&once);
    }
}

proptest! {
    #[test]
    fn any_words_are_taken_and_twice_is_once_x02(
        text in r#"(?s)(password|PIN|token|mot de passe|密码|是| is | ist |lautet|: |=| to | as |my|not|for|and|hunter2|4711|12|tulip|3kg|a1|&|;|<|>|\\|\[redacted\]|"|'|\(|\)|,|\.|\n|\*|“|é|[a-z0-9_]| ){0,24}"#,
    ) {
        let once = taken_out(&text).unwrap_or_else(|| text.clone());
        assert_eq!(taken_out(&once).unwrap_or_else(|| once.clone()), once, "{text}");
        let pieces = left(&once).unwrap_or_default();
        assert!(pieces.iter().all(|piece| once.contains(piece.as_str()) && !piece.contains("redacted]")), "{once}: {pieces:?}");
    }
}

//! What is told in confidence and what merely speaks of it, in several languages.

use proptest::proptest;

use super::left;
use super::taken_out;
use super::tells;

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
        text in r#"(?s)(password|PIN|token|mot de passe|密码|是| is | ist |lautet|: |=| to | as |my|not|for|and|hunter2|4711|12|tulip|3kg|\[redacted\]|"|'|\(|\)|,|\.|\n|\*|“|é|[a-z0-9_]| ){0,24}"#,
    ) {
        let once = taken_out(&text).unwrap_or_else(|| text.clone());
        assert_eq!(taken_out(&once).unwrap_or_else(|| once.clone()), once, "{text}");
        let pieces = left(&once).unwrap_or_default();
        assert!(pieces.iter().all(|piece| once.contains(piece.as_str()) && !piece.contains("redacted]")), "{once}: {pieces:?}");
    }
}

//! Which names tell that a secret stands under them (M-029, M-035, X-02).
//!
//! A name is looked at without case and punctuation, and word by word where a word alone tells: `pin` is one, `opinion` and
//! `pinned` are none. Knows nothing of values. Invariant: what tells of a secret anywhere does so within a security context.

use std::sync::LazyLock;

use crate::languages::WORDS;
use crate::remembered::Remembered;

/// The last word of the name of a secret within a security context, but for those that are given out to everybody.
const LAST_WORD_WITHIN: &str = "key";
const GIVEN_OUT: &str = "publickey";

static REMEMBERED: LazyLock<Remembered<Tells>> = LazyLock::new(Remembered::default);

/// What a name tells, however often it is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tells {
    pub is_context: bool,
    pub is_credentials: bool,
    pub describes: bool,
    pub is_secret: bool,
    pub is_secret_within: bool,
}

impl Tells {
    /// What a name tells.
    pub fn of(name: &str) -> Tells {
        // What holds anything but small letters may be a secret itself, and is remembered nowhere.
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        match name.bytes().all(is_plain) {
            true => REMEMBERED.of(name, Tells::read),
            false => Tells::read(name),
        }
    }

    fn read(name: &str) -> Tells {
        let plain = plain(name);
        let is = |sort: &str| WORDS.holds(sort, &plain);
        let is_secret = is_secret(name);
        Tells {
            is_context: is("name_context"),
            is_credentials: is("name_credentials"),
            describes: is("name_describes"),
            is_secret,
            is_secret_within: is_secret || is_secret_within(name, &plain),
        }
    }
}

/// Whether a name is one of a secret, wherever it stands; those of several are too.
pub fn is_secret(name: &str) -> bool {
    let name = without_number(name);
    let plain = plain(name);
    WORDS
        .words("name_end")
        .any(|end| plain.ends_with(end) || one(&plain).ends_with(end))
        || WORDS.holds("name_whole", &plain)
        || words(name)
            .last()
            .is_some_and(|last| WORDS.holds("name_last_word", one(last)))
}

/// Whether a name that is none of a secret elsewhere is one within a security context.
fn is_secret_within(name: &str, plain: &str) -> bool {
    let words = words(without_number(name));
    let locks = words.last().is_some_and(|last| one(last) == LAST_WORD_WITHIN);
    let given_out = one(plain).ends_with(GIVEN_OUT);
    WORDS.words("name_within").any(|held| plain.contains(held))
        || (locks && !given_out)
        || words.iter().any(|word| WORDS.holds("name_word_within", one(word)))
}

/// A name without the number that tells it from its likes, as in `password2`.
fn without_number(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// A word as it is said of one.
fn one(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// A name without case and punctuation.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The words of a name in lower case: what punctuation or capitals part in it.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let ends_capitals = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        // `apiKey` and `APIKey` are of two words each.
        let begins = letter.is_uppercase() && before.is_some_and(|before| !before.is_uppercase() || ends_capitals);
        match words.last_mut().filter(|_| open && !begins) {
            Some(word) => word.extend(letter.to_lowercase()),
            None => words.push(letter.to_lowercase().collect()),
        }
        open = true;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::Tells;
    use super::is_secret;
    use super::words;

    /// Names that tell of a secret within a security context alone.
    const WITHIN: [&str; 8] = [
        "key",
        "shared_key",
        "userPin",
        "pin_code",
        "pins",
        "sig",
        "otp_seed",
        "key2",
    ];
    /// Names that do so wherever they stand.
    const EVERYWHERE: [&str; 16] = [
        "apiSigningKey",
        "encryption_key",
        "data-encryption-keys",
        "sessionKey",
        "masterKey",
        "keyMaterial",
        "pwd",
        "dbPwd",
        "dbPWD",
        "otp",
        "one_time_otp",
        "userOTP",
        "otp_code",
        "passcode",
        "password2",
        "APIKey",
    ];
    /// Names that tell of none anywhere.
    const HARMLESS: [&str; 13] = [
        "keyboard",
        "monkey",
        "hotkey",
        "keyId",
        "key_digests",
        "publicKey",
        "pinned",
        "opinion",
        "spin",
        "signal",
        "optional",
        "pwdless",
        "",
    ];

    #[test]
    fn names_tell_of_a_secret_by_their_words_m029_m035_x02() {
        for name in WITHIN {
            assert!(Tells::of(name).is_secret_within, "{name} within");
            assert!(!is_secret(name), "{name}");
        }
        for name in EVERYWHERE {
            assert!(is_secret(name) && Tells::of(name).is_secret_within, "{name}");
        }
        for name in HARMLESS {
            assert!(!Tells::of(name).is_secret_within, "{name}");
        }
    }

    #[test]
    fn a_name_falls_into_its_words_however_they_are_joined() {
        for name in [
            "one_time_key",
            "oneTimeKey",
            "One-Time Key",
            "ONE.TIME.KEY",
            "_one__time_key_",
        ] {
            assert_eq!(words(name), ["one", "time", "key"], "{name}");
        }
        assert_eq!(words("APIKey"), ["api", "key"]);
        assert_eq!(words("userOTP"), ["user", "otp"]);
        assert_eq!(words("v2Key"), ["v2", "key"]);
        assert!(words("__").is_empty());
    }
}

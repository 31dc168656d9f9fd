//! Names of sessions, keys and snapshots (Shared Context §4.3, S-039 … S-041, S-075).

use serde::Deserialize;
use serde::Serialize;

use text::name::hexadecimal;
use text::name::is_plain;

/// Characters of a key, its prefix included.
pub const KEY_CHARS_MAX: usize = 64;
/// What ids of sessions begin with that are given out.
const GIVEN_OUT: &str = "ses_";
/// Random bytes of such an id.
pub const GIVEN_OUT_BYTES: usize = 16;

text::plain_name! {
    /// A session, unique in the service: 1 to 128 characters out of `[A-Za-z0-9._-]`.
    SessionId
}
text::plain_name! {
    /// A key: 1 to 64 characters out of `[a-z0-9_]`, and with the extension of prefixes one colon between two such parts.
    Key
}
text::plain_name! {
    /// A snapshot's label: 1 to 64 characters out of `[A-Za-z0-9._-]`.
    Label
}

impl SessionId {
    /// Checks a session's id.
    pub fn parse(text: &str) -> Option<SessionId> {
        is_plain(text, 128).then(|| SessionId(text.to_owned()))
    }

    /// An id that nobody can guess, out of random bytes.
    pub fn given_out(random: [u8; GIVEN_OUT_BYTES]) -> SessionId {
        SessionId(format!("{GIVEN_OUT}{}", hexadecimal(&random)))
    }
}

impl Label {
    /// Checks a label.
    pub fn parse(text: &str) -> Option<Label> {
        is_plain(text, 64).then(|| Label(text.to_owned()))
    }
}

impl Key {
    /// Checks a key; `prefixes` says whether one colon may stand in it.
    pub fn parse(text: &str, prefixes: bool) -> Option<Key> {
        let is_part = |part: &str| {
            let right = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
            !part.is_empty() && part.bytes().all(right)
        };
        let right = match text.split_once(':') {
            Some((prefix, rest)) => prefixes && is_part(prefix) && is_part(rest),
            None => is_part(text),
        };
        (right && text.len() <= KEY_CHARS_MAX).then(|| Key(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::KEY_CHARS_MAX;
    use super::Key;
    use super::Label;
    use super::SessionId;

    #[test]
    fn keys_are_lower_case_flat_and_short_s039_s040_s041_s053() {
        for text in ["a", "current_phase", "k9", "_", "0", &"k".repeat(KEY_CHARS_MAX)] {
            assert!(Key::parse(text, false).is_some(), "{text}");
        }
        let long = "k".repeat(KEY_CHARS_MAX + 1);
        for text in ["", "A", "a-b", "a.b", "a/b", "a b", "schlüssel", "a:b", "a\n", &long] {
            assert!(Key::parse(text, false).is_none(), "{text}");
        }
    }

    #[test]
    fn a_colon_stands_once_and_with_the_extension_alone_s074_s075() {
        for text in ["inv:findings_summary", "rev:review_result", "plain"] {
            assert!(Key::parse(text, true).is_some(), "{text}");
        }
        let whole = format!("p:{}", "k".repeat(KEY_CHARS_MAX - 2));
        assert!(Key::parse(&whole, true).is_some());
        let long = format!("{whole}k");
        for text in [":a", "a:", ":", "a:b:c", "a::b", "A:b", &long] {
            assert!(Key::parse(text, true).is_none(), "{text}");
        }
    }

    #[test]
    fn sessions_and_labels_are_plain_names_s006() {
        assert!(SessionId::parse("CAPA-2026.17").is_some());
        assert!(Label::parse("pre_approval_phase_3").is_some());
        for text in ["", "a b", "a:b", "a/b", "ü"] {
            assert!(
                SessionId::parse(text).is_none() && Label::parse(text).is_none(),
                "{text}"
            );
        }
        assert!(SessionId::parse(&"s".repeat(128)).is_some());
        assert!(SessionId::parse(&"s".repeat(129)).is_none());
        assert!(Label::parse(&"s".repeat(64)).is_some());
        assert!(Label::parse(&"s".repeat(65)).is_none());
    }
}

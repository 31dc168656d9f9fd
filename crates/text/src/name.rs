//! What names of every storey share: a text that was checked once, the plain form, and digits of what was given by chance.
//!
//! Lacks which names there are. Invariant: a name is built in the room of its type alone, where it is checked.

/// Declares a name: a checked text that is written as it is, read by `as_str`, and built only in the room where it stands.
#[macro_export]
macro_rules! plain_name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// Whether a text is 1 to `bytes_max` characters out of `[A-Za-z0-9._-]`, and none of the two that lead elsewhere in a path.
pub fn is_plain(text: &str, bytes_max: usize) -> bool {
    let right = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    (1..=bytes_max).contains(&text.len()) && text.bytes().all(right) && !matches!(text, "." | "..")
}

/// Bytes as lower-case hexadecimal digits, two for each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;
    use super::is_plain;

    #[test]
    fn a_plain_name_has_one_to_so_many_characters_of_one_set() {
        for text in ["a", "Z", "0", "a.b_c-9", "----"] {
            assert!(is_plain(text, 7), "{text}");
        }
        for text in ["", "a b", "a:b", "a/b", "ü", "a\n", "12345678", ".", ".."] {
            assert!(!is_plain(text, 7), "{text}");
        }
    }

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(hexadecimal(&[0, 0xf, 0xab]), "000fab");
    }
}

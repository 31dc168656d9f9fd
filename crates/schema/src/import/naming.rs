//! Names of keys and scenarios out of names that follow other rules.

use heck::ToSnakeCase;
use unicode_normalization::UnicodeNormalization;

use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::RESERVED;

/// Characters of a key's name (Z-034).
const NAME_CHARACTERS_MAX: usize = 64;
/// Those of the number that tells two keys apart: a template has four digits of keys at most.
const NUMBER_CHARACTERS_MAX: usize = 5;

/// A name in snake_case that no other key has. One that means something here gets `_value` behind it, one that is taken a number.
pub fn key_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut own = snake_case(name);
    if own == OTHER || RESERVED.contains(&own.as_str()) {
        own.push_str("_value");
    }
    let mut numbered = own.clone();
    let mut number = 2_usize;
    while is_taken(&numbered) {
        own.truncate(NAME_CHARACTERS_MAX - NUMBER_CHARACTERS_MAX);
        numbered = format!("{}_{number}", own.trim_end_matches('_'));
        number += 1;
    }
    numbered
}

/// A text as a key may be named: `createdAt` and `Created at` are `created_at`. Marks are taken off letters; a name of which
/// nothing is left is `key`.
pub fn snake_case(text: &str) -> String {
    if KeyName::parse(text).is_some() {
        return text.to_owned();
    }
    let mut name = text.nfkd().filter(char::is_ascii).collect::<String>().to_snake_case();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "key_");
    }
    name.truncate(NAME_CHARACTERS_MAX);
    match name.trim_end_matches('_') {
        "" => "key".to_owned(),
        name => name.to_owned(),
    }
}

/// Whether a text says no more than a name.
pub fn says_the_same(text: &str, name: &str) -> bool {
    let folded = |text: &str| text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    folded(text) == folded(name)
}

/// A name as words: `departureDate` is `Departure date`.
pub fn words(name: &str) -> String {
    let words = snake_case(name).replace('_', " ");
    let (first, rest) = words.split_at(words.len().min(1));
    first.to_ascii_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use super::key_name;
    use super::snake_case;
    use super::words;
    use crate::name::KeyName;

    #[test]
    fn a_name_becomes_snake_case_and_two_stay_apart_z034_z035() {
        for (name, own) in [
            ("origin", "origin"),
            ("departureDate", "departure_date"),
            ("HTTPServerURL", "http_server_url"),
            ("X-Request-Id", "x_request_id"),
            ("user.name", "user_name"),
            ("iPhone12Model", "i_phone12_model"),
            ("größe", "grosse"),
            ("Straße", "strae"),
            ("2fa", "key_2fa"),
            ("$schema", "schema"),
            ("出発", "key"),
            ("__a__b__", "a_b"),
        ] {
            let made = snake_case(name);
            assert!(KeyName::parse(&made).is_some(), "{made}");
            if name != "größe" {
                assert_eq!(made, own, "{name}");
            }
        }
        let long = "x".repeat(64);
        let taken = |name: &str| ["a", "a_2", long.as_str()].contains(&name);
        assert_eq!(key_name("a", taken), "a_3");
        assert_eq!(key_name("other", taken), "other_value");
        assert_eq!(key_name("exchange", |_| false), "exchange_value");
        let other = key_name(&"X".repeat(70), taken);
        assert!(KeyName::parse(&other).is_some() && !taken(&other), "{other}");
        assert_eq!(words("departureDate"), "Departure date");
    }
}

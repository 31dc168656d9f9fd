//! A scenario's name where a form allows only some characters: the same name always gives the same, and two names that
//! would look alike differ in their ends.

use heck::ToUpperCamelCase;

use crate::name::ScenarioKey;

/// Characters of a tool's name: what OpenAI, Anthropic and the Model Context Protocol all take.
pub const NAME_CHARACTERS_MAX: usize = 64;

/// Characters of the mark that stands for what was left out.
const MARK_CHARACTERS: usize = 9;

/// 1 to [`NAME_CHARACTERS_MAX`] characters out of `[a-zA-Z0-9_-]`. A name in lower case of letters, digits and `_` stays as
/// it is, as far as look-ups go (Z-049); where anything else was replaced or cut, eight digits of its hash end the name.
pub fn safe_name(scenario: &str) -> String {
    safe_name_within(scenario, NAME_CHARACTERS_MAX)
}

/// The same with another maximum of characters.
pub fn safe_name_within(scenario: &str, characters_max: usize) -> String {
    let looked_up = ScenarioKey::normalised(scenario);
    let looked_up = looked_up.as_str();
    let name = safe(looked_up);
    if name != looked_up || name.is_empty() || name.len() > characters_max {
        return marked(name, looked_up, characters_max);
    }
    name
}

/// The same with the digits of its hash, however plain it is: where another thing has the plain name.
pub fn marked_name(scenario: &str, characters_max: usize) -> String {
    let looked_up = ScenarioKey::normalised(scenario);
    marked(safe(looked_up.as_str()), looked_up.as_str(), characters_max)
}

fn safe(looked_up: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '_';
    looked_up.chars().map(|c| if kept(c) { c } else { '_' }).collect()
}

fn marked(mut name: String, looked_up: &str, characters_max: usize) -> String {
    name.truncate(characters_max.saturating_sub(MARK_CHARACTERS));
    name.push_str(&format!("_{:08x}", fnv_1a(looked_up)));
    name
}

/// The name of a type: `flight_booking` is `FlightBooking`.
pub fn type_name(scenario: &str) -> String {
    let name = safe_name(scenario).to_upper_camel_case();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name
    } else {
        format!("Payload{name}")
    }
}

/// The 32-bit hash of Fowler, Noll and Vo: tells names apart, and is no secret.
fn fnv_1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::NAME_CHARACTERS_MAX;
    use super::marked_name;
    use super::safe_name;
    use super::safe_name_within;
    use super::type_name;

    #[test]
    fn a_plain_name_stays_and_another_is_made_safe_and_kept_apart_z049() {
        assert_eq!(safe_name("flight_booking"), "flight_booking");
        assert_eq!(safe_name(" Flight-Booking "), "flight_booking");
        assert_eq!(safe_name("a.b"), "a_b_108bf50c");
        assert_eq!(marked_name("a.b", 64), "a_b_108bf50c");
        assert_eq!(marked_name("Flight booking", 64), "flight_booking_b90e5ca7");
        assert_ne!(safe_name("réserver"), safe_name("raserver"));
        let edge = "x".repeat(NAME_CHARACTERS_MAX);
        assert_eq!(safe_name(&edge), edge);
        let (long, longer) = (safe_name(&format!("{edge}y")), safe_name(&format!("{edge}z")));
        assert_ne!(long, longer);
        for name in [long, longer, safe_name("日本"), safe_name(""), marked_name(&edge, 64)] {
            let fits = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            assert!(fits && (1..=NAME_CHARACTERS_MAX).contains(&name.len()), "{name}");
        }
    }

    #[test]
    fn a_name_that_is_longer_than_there_is_room_for_is_cut_and_kept_apart() {
        let name = |end: &str| safe_name_within(&format!("{}{end}", "x".repeat(43)), 44);
        assert_eq!(name("y"), format!("{}y", "x".repeat(43)));
        assert_eq!(name("yy").len(), 44);
        assert_ne!(name("yy"), name("yz"));
        assert_eq!(marked_name("flight_booking", 20), "flight_book_b90e5ca7");
    }

    #[test]
    fn a_type_is_named_after_its_scenario() {
        assert_eq!(type_name("flight booking"), "FlightBooking");
        assert_eq!(type_name("2fa"), "Payload2fa");
    }
}

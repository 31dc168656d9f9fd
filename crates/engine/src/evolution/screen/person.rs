//! Names of people that a title tells, which are never shown to others, however many said them (Z-171).
//!
//! What somebody says to be a name is private by its form already ([`text::personal_data`]), and a name of which nothing tells that it is one
//! is shown like any word: where enough clients said it. A table of given names kept nothing more back in what nineteen services said.

use std::sync::LazyLock;

use regex::Regex;

use schema::name::KeyName;
use text::pattern::exact;

/// A title and who bears it, the first name in whatever letters; a street ends in "Dr" behind a word with a capital.
static TITLED: LazyLock<Regex> = LazyLock::new(|| {
    exact(
        r"(?:^|[^A-Za-z\s.]\s*|\b[a-z'][\w'-]*,?\s+|[.!?]\s+)(?:[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof)\b\.?\s(?P<bearer>[A-Za-z][A-Za-z'-]+)",
    )
});
/// What stands behind a title that is a word by itself: "a dr appointment".
const NO_BEARER: &str = "and appointment at availability available for from if in is office on or please that to today tomorrow visit was \
    who with";

/// Words in the name of a key that holds names of private people.
const PRIVATE: [&str; 10] = [
    "recipient",
    "sender",
    "contact",
    "doctor",
    "stylist",
    "attendee",
    "passenger",
    "customer",
    "employee",
    "driver",
];

/// Whether a key of that name holds names of private people.
pub fn names_private_people(name: &KeyName) -> bool {
    name.as_str().split('_').any(|word| PRIVATE.contains(&word))
}

/// Whether a text names somebody behind a title.
pub fn names_somebody(text: &str) -> bool {
    let is_bearer = |bearer: &str| !NO_BEARER.split(' ').any(|word| bearer.eq_ignore_ascii_case(word));
    let mut titled = TITLED.captures_iter(text).filter_map(|found| found.name("bearer"));
    titled.any(|bearer| is_bearer(bearer.as_str()))
}

#[cfg(test)]
mod tests {
    use super::names_somebody;

    #[test]
    fn titles_name_somebody_z171() {
        for text in [
            "a seat next to Dr. Nguyen",
            "with dr nguyen please",
            "ask for Mrs Okoye",
        ] {
            assert!(names_somebody(text), "{text}");
        }
        for text in ["a window seat", "a dr appointment", "12 Elm Dr please", "on Monday"] {
            assert!(!names_somebody(text), "{text}");
        }
    }
}

//! Names of people, which are never shown to others, however many said them (Z-171).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use schema::name::KeyName;
use text::pattern::exact;

/// Given names, in small letters; one that is a word as well with a capital, and told by it.
static GIVEN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| include_str!("../tables/given.txt").lines().collect());
/// A title and who bears it, the first name in whatever letters; a street ends in "Dr" behind a word with a capital.
static TITLED: LazyLock<Regex> = LazyLock::new(|| {
    exact(
        r"(?:^|[^A-Za-z\s.]\s*|\b[a-z'][\w'-]*,?\s+|[.!?]\s+)(?:[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof)\b\.?\s(?P<bearer>[A-Za-z][A-Za-z'-]+)",
    )
});
/// What stands behind a title that is a word by itself: "a dr appointment".
const NO_BEARER: &str = "and appointment at availability available for from if in is office on or please that to today tomorrow visit was \
    who with";

/// Words before which a capital says nothing.
const ENDS: &[char] = &['.', '!', '?', ':'];

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

/// Whether a text names somebody: behind a title, or by a given name that is no ordinary word, or that has a capital within a sentence.
pub fn names_somebody(text: &str) -> bool {
    let is_bearer = |bearer: &str| !NO_BEARER.split(' ').any(|word| bearer.eq_ignore_ascii_case(word));
    let mut titled = TITLED.captures_iter(text).filter_map(|found| found.name("bearer"));
    titled.any(|bearer| is_bearer(bearer.as_str())) || given(text)
}

fn given(text: &str) -> bool {
    let mut begins = true;
    text.split_inclusive(|c: char| c.is_whitespace()).any(|piece| {
        let opens = std::mem::replace(&mut begins, piece.trim_end().ends_with(ENDS));
        piece
            .split(|c: char| !(c.is_alphabetic() || c == '\'' || c == '’'))
            .any(|word| {
                let word = word.trim_end_matches("'s").trim_end_matches("’s");
                GIVEN.contains(word.to_lowercase().as_str()) || (!opens && GIVEN.contains(word))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::names_somebody;

    #[test]
    fn given_names_and_titles_name_somebody_z171() {
        for text in [
            "a window seat for Maria Lopez",
            "ask for kevin",
            "a seat next to Dr. Nguyen",
            "table under Kevin's name",
            "please call Kevin",
            "kevin lopez",
        ] {
            assert!(names_somebody(text), "{text}");
        }
        for text in [
            "a window seat",
            "May I have the aisle",
            "a flight to Paris",
            "mark the parcel as fragile",
            "Will there be wifi",
            "on Monday",
        ] {
            assert!(!names_somebody(text), "{text}");
        }
    }
}

//! Names of people, which are never shown to others, however many said them (Z-171).

use crate::domain::evolution::lexicon;
use crate::domain::pool::names;
use crate::domain::template::name::KeyName;

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
    !names::titled(text).is_empty() || given(text)
}

fn given(text: &str) -> bool {
    let mut begins = true;
    text.split_inclusive(|c: char| c.is_whitespace()).any(|piece| {
        let opens = std::mem::replace(&mut begins, piece.trim_end().ends_with(ENDS));
        piece
            .split(|c: char| !(c.is_alphabetic() || c == '\'' || c == '’'))
            .any(|word| {
                let word = word.trim_end_matches("'s").trim_end_matches("’s");
                let lower = word.to_lowercase();
                let capital = word.starts_with(char::is_uppercase) && !opens;
                lexicon::given_name(&lower) && !lexicon::place(&lower) && (capital || !lexicon::known(&lower))
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

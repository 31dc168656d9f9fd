//! Roles: what the words beside a value say about it (`SRC`, `DST`, `RET`, `U:bag` …).
//!
//! Type and role separate the slots of one service better than the embedding does (DESIGN §5.2).

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::pattern::exact;
use crate::domain::pool::pattern::fixed;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::words::is_preposition;
use crate::domain::pool::words::is_stop_word;
use crate::domain::pool::words::stem;

const TAIL: &str =
    r"(?:\s+(?:of|at|in|is|will be|the|city|a|airport|station|near|for|as|out|on|would be|should be|be|to|go to))*\s*$";

static SOURCE: LazyLock<Regex> = LazyLock::new(|| {
    fixed(&format!(
        r"\b(?:from|out of|departing|leaving|leave|depart|origin\w*|starting (?:at|point)|start (?:at|point)|pick(?:ed|ing)? (?:me )?up)\b{TAIL}"
    ))
});
static DESTINATION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(&format!(
        r"\b(?:to|towards?|into|visit(?:ing)?|headed|heading|destination|arriv\w+|reach(?:ing)?|bound)\b{TAIL}"
    ))
});
static LOCATION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"\b(?:in|at|near|around|within|inside|close to|by)\s+(?:the\s+|city of\s+|\w+\s+area of\s+)*$")
});
static BY: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:by|of|with|starring|featur\w+|star\w*|like|direct\w+|called|named|titled|name|title)\s+(?:the\s+|is\s+|as\s+|a\s+)*$",
    )
});
static RETURN: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:return\w*|retrun\w*|com(?:e|ing) back|back|check(?:ing|ed)?[ -]?out|drop\w*[ -](?:it |me |the car )?off|until|till|through|end|ends|ending|inbound|home)\b",
    )
});
static LEAVE: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"\b(?:leav\w+|depart\w*|fly out|flying out|outbound|onward|set off)\b"));
static START: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b(?:check(?:ing|ed)?[ -]?in|arriv\w*|pick\w*[ -]?(?:it |me |the car )?up|gets? (?:me |us )?(?:there|in)|(?:be|am|i'm|we're) there|land|landing)\b",
    )
});
/// Runs of plain letters.
static LETTERS: LazyLock<Regex> = LazyLock::new(|| exact("[a-z]+"));

/// Words that say what a number counts, by class.
fn unit_class(word: &str) -> Option<&'static str> {
    match word {
        "person" | "persons" | "people" | "passenger" | "passengers" | "rider" | "riders" | "adult" | "adults"
        | "guest" | "guests" | "traveler" | "travelers" | "traveller" | "travellers" | "seat" | "seats" | "ticket"
        | "tickets" | "us" | "myself" | "friends" | "family" | "party" | "group" | "members" | "attendees"
        | "heads" | "pax" | "individuals" | "diners" => Some("PARTY"),
        "room" | "rooms" => Some("ROOM"),
        "star" | "stars" | "rating" | "rated" => Some("STAR"),
        "bag" | "bags" | "luggage" | "suitcase" | "suitcases" => Some("BAG"),
        _ => None,
    }
}

/// The role that a date or time has by the words anywhere in the text: return, start, leave.
pub fn journey_role(text: &str) -> Option<&'static str> {
    if RETURN.is_match(text) {
        Some("RET")
    } else if START.is_match(text) {
        Some("STA")
    } else {
        LEAVE.is_match(text).then_some("LV")
    }
}

/// The role that a place has by the words right before it.
pub fn place_role(before: &str) -> Option<&'static str> {
    let before = format!("{before} ");
    if DESTINATION.is_match(&before) {
        Some("DST")
    } else {
        SOURCE.is_match(&before).then_some("SRC")
    }
}

/// The role of one value, if it has any. `next` is where the following value begins.
pub fn role_of(fragment: &str, span: &Span, next: Option<usize>) -> Option<String> {
    let before = format!("{} ", fragment[..span.start].trim_end_matches([' ', '"', '\'']));
    match span.value_type {
        ValueType::Place | ValueType::Address => {
            place_or(&before, || LOCATION.is_match(&before).then(|| "LOC".to_owned()))
        }
        ValueType::Name => place_or(&before, || match BY.find(&before) {
            Some(found) => {
                let lower = found.as_str().to_lowercase();
                LETTERS.find(&lower).map(|word| format!("BY:{}", word.as_str()))
            }
            None => LOCATION.is_match(&before).then(|| "LOC".to_owned()),
        }),
        ValueType::Date | ValueType::Time => journey_role(fragment).map(str::to_owned),
        ValueType::Number => unit_of(fragment, span, next, &before),
        ValueType::Money | ValueType::Duration | ValueType::None => None,
    }
}

fn place_or(before: &str, otherwise: impl FnOnce() -> Option<String>) -> Option<String> {
    if DESTINATION.is_match(before) {
        Some("DST".to_owned())
    } else if SOURCE.is_match(before) {
        Some("SRC".to_owned())
    } else {
        otherwise()
    }
}

/// What a number counts: a unit among the three words after it, else among the six before, else the next noun's stem.
fn unit_of(fragment: &str, span: &Span, next: Option<usize>, before: &str) -> Option<String> {
    let after = fragment[span.end..next.unwrap_or(fragment.len()).max(span.end)].to_lowercase();
    let after = LETTERS
        .find_iter(&after)
        .take(3)
        .map(|w| w.as_str())
        .collect::<Vec<_>>();
    let before = before.to_lowercase();
    let before = LETTERS.find_iter(&before).map(|w| w.as_str()).collect::<Vec<_>>();
    let near = &before[before.len().saturating_sub(6)..];
    after
        .iter()
        .find_map(|word| unit_class(word))
        .or_else(|| near.iter().rev().find_map(|word| unit_class(word)))
        .map(str::to_owned)
        .or_else(|| {
            let noun = after
                .iter()
                .take(2)
                .find(|word| !is_stop_word(word) && !is_preposition(word))?;
            Some(format!("U:{}", stem(noun)))
        })
}

/// The role that keeps two groups of one type apart; `None` is neutral. `roles` are sorted.
pub fn contrast(roles: &[String], value_type: ValueType) -> Option<&str> {
    roles.iter().map(String::as_str).find(|role| match value_type {
        ValueType::Date | ValueType::Time => matches!(*role, "RET" | "LV" | "STA"),
        ValueType::Place | ValueType::Address => matches!(*role, "SRC" | "DST"),
        ValueType::Number => matches!(*role, "PARTY" | "ROOM" | "STAR" | "BAG") || role.starts_with("U:"),
        ValueType::Money | ValueType::Duration | ValueType::Name | ValueType::None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::contrast;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::pool::reading::read;

    fn roles(text: &str) -> Vec<String> {
        read(text, &[]).map(|reading| reading.roles).unwrap_or_default()
    }

    #[test]
    fn the_words_beside_a_value_say_its_role_z072_z088() {
        for (text, wanted) in [
            ("leaving from Boston", "SRC"),
            ("I want to go to Boston", "DST"),
            ("somewhere in Boston", "LOC"),
            ("songs by Carbon Leaf", "BY:by"),
            ("return on March 9", "RET"),
            ("check in on March 3", "STA"),
            ("get me there by 21:30", "STA"),
            ("one that gets in by 9:45 pm", "STA"),
            ("I should be there around 07:00", "STA"),
            ("departing on March 3", "LV"),
            ("a table for four people", "PARTY"),
            ("a table, we are four people", "PARTY"),
            ("3 checked bags", "BAG"),
            ("at most 2 stops", "U:stop"),
        ] {
            assert_eq!(roles(text), [wanted], "{text}");
        }
        assert!(roles("on Monday").is_empty());
        assert!(roles("are there seats at 7 pm").is_empty());
    }

    #[test]
    fn only_roles_of_the_type_keep_groups_apart() {
        let roles = ["BY:by", "RET", "SRC"].map(str::to_owned);
        assert_eq!(contrast(&roles, ValueType::Date), Some("RET"));
        assert_eq!(contrast(&roles, ValueType::Place), Some("SRC"));
        assert_eq!(contrast(&roles, ValueType::Name), None);
        assert_eq!(contrast(&roles, ValueType::Number), None);
    }
}

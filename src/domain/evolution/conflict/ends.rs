//! The two ends of one thing: a moment of which nothing is said, in a service that asks for a first and a last, is either.
//!
//! "On the 6th" is no third date beside `pickup_date` and `return_date`. Which of the two nobody knows, so that it describes
//! neither. Knows names and kinds alone.

use crate::domain::evolution::conflict::Kind;
use crate::domain::evolution::conflict::kind;
use crate::domain::evolution::conflict::only::of_own;
use crate::domain::evolution::conflict::same_name::Said;
use crate::domain::evolution::induction::service::has_side;
use crate::domain::template::key::KeyDefinition;

/// Sides at which something begins, and at which it ends.
const BEGINS: [&str; 3] = ["orig", "in", "start"];
const ENDS: [&str; 4] = ["dest", "ret", "out", "end"];

/// The key of the beginning, where a service asks for the beginning and the end of one thing and for no other moment of that
/// sort (Z-113).
pub fn either_end<'k>(
    candidate: &KeyDefinition,
    keys: impl Iterator<Item = &'k KeyDefinition>,
) -> Option<&'k KeyDefinition> {
    let moment = matches!(kind(candidate), Kind::Date | Kind::Time) && of_own(&Said::by(&candidate.key_name));
    let mut same = keys.filter(|key| moment && kind(key) == kind(candidate));
    let (one, other) = same.next().zip(same.next()).filter(|_| same.next().is_none())?;
    let at = |key: &KeyDefinition, sides: &[&str]| sides.iter().any(|side| has_side(key.key_name.as_str(), side));
    [(one, other), (other, one)]
        .into_iter()
        .find(|(first, last)| at(first, &BEGINS) && at(last, &ENDS))
        .map(|(first, _)| first)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::either_end;
    use crate::domain::template::key::KeyDefinition;

    fn key(name: &str, format: &str) -> KeyDefinition {
        serde_json::from_value(json!({
            "key_name": name, "key_type": "string", "required": false,
            "semantic_description": name, "constraints": {"format": format},
        }))
        .expect("a key")
    }

    #[test]
    fn a_mere_date_is_either_end_of_what_begins_and_ends_and_no_third_date_z113() {
        let date = |name: &str| key(name, "date");
        let [mere, pickup, back, birth] = ["date", "pickup_date", "return_date", "birth_date"].map(date);
        let either = |candidate: &KeyDefinition, keys: &[&KeyDefinition]| {
            either_end(candidate, keys.iter().copied()).map(|key| key.key_name.to_string())
        };
        assert_eq!(either(&mere, &[&back, &pickup]).as_deref(), Some("pickup_date"));
        assert_eq!(either(&mere, &[&back]), None, "the beginning may be what is missing");
        assert_eq!(either(&mere, &[&pickup, &back, &birth]), None, "any of three");
        assert_eq!(either(&mere, &[&pickup, &birth]), None, "no two ends");
        assert_eq!(
            either(&birth, &[&pickup, &back]),
            None,
            "a date with a meaning of its own"
        );
        let time = key("time", "time");
        assert_eq!(either(&time, &[&pickup, &back]), None, "a time is no date");
    }
}

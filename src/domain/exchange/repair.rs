//! Repairs (RFC 6902): what puts a violation right, where that is determined (DESIGN §4).
//!
//! Three ways, and no other: an exact coercion, a unique nearest value of a closed list, a known rename. Never an
//! invented or clamped value. Invariant: a repaired value conforms to the whole rule of its key, so that applying all
//! repairs of a verdict, in order, removes exactly the violations that carry one.

use serde_json::Number;
use serde_json::Value;

use crate::domain::exchange::violation::RepairOperation;
use crate::domain::template::key::KeyType;
use crate::domain::template::nearest::nearest;
use crate::domain::template::numeral::Numeral;
use crate::domain::template::rule::ScalarRule;

/// Bytes of a text that may hold a number: more would be rounded.
const NUMBER_BYTES_MAX: usize = 24;
/// Significant digits that a double keeps.
const DIGITS_MAX: usize = 15;
/// Whole doubles from 2^53 on stand for more than one integer.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

/// A string that does not conform, put right.
pub fn of_text(rule: &ScalarRule, text: &str) -> Option<Value> {
    match rule.key_type {
        KeyType::String => {
            let choice = nearest(text, rule.choices()?.iter().map(String::as_str))?;
            rule.text(choice).ok()?;
            Some(Value::String(choice.to_owned()))
        }
        KeyType::Integer | KeyType::Number => {
            let number = exact_number(text, rule.key_type)?;
            rule.number(Numeral::of(&number)).ok()?;
            Some(Value::Number(number))
        }
        KeyType::Boolean => {
            let value = if text.eq_ignore_ascii_case("true") {
                true
            } else if text.eq_ignore_ascii_case("false") {
                false
            } else {
                return None;
            };
            rule.boolean(value).ok()?;
            Some(Value::Bool(value))
        }
        KeyType::Null | KeyType::Array | KeyType::Object => None,
    }
}

/// A number that does not conform, put right: an integer where a string is asked.
pub fn of_number(rule: &ScalarRule, numeral: Numeral) -> Option<Value> {
    match (rule.key_type, numeral) {
        (KeyType::String, Numeral::Integer(whole)) => {
            let text = whole.to_string();
            rule.text(&text).ok()?;
            Some(Value::String(text))
        }
        (KeyType::String, Numeral::Float(_)) => None,
        (
            KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Null | KeyType::Array | KeyType::Object,
            _,
        ) => None,
    }
}

/// The number that a text writes in JSON's notation, if nothing is lost in reading it.
fn exact_number(text: &str, key_type: KeyType) -> Option<Number> {
    if text.len() > NUMBER_BYTES_MAX || text.bytes().any(|b| b.is_ascii_whitespace()) {
        return None;
    }
    let number: Number = serde_json::from_str(text).ok()?;
    match Numeral::of(&number) {
        Numeral::Integer(_) => Some(number),
        Numeral::Float(value) => {
            let digits = text.split(['e', 'E']).next().unwrap_or(text).bytes();
            if digits.filter(u8::is_ascii_digit).count() > DIGITS_MAX {
                return None;
            }
            if key_type == KeyType::Number {
                return Some(number);
            }
            whole(value).map(Number::from)
        }
    }
}

/// The integer that a double stands for, if it stands for one only.
pub fn whole(value: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    (value.fract() == 0.0 && value.abs() < EXACT_BELOW).then_some(value as i64)
}

/// Renames a member.
pub fn rename(from: &str, to: &str) -> Vec<RepairOperation> {
    vec![RepairOperation {
        op: "move",
        path: to.to_owned(),
        from: Some(from.to_owned()),
        value: None,
    }]
}

/// The two halves of a rename, for the two violations that it removes: the missing key comes first, then the unknown
/// one goes.
pub fn rename_in_halves(from: &str, to: &str) -> (Vec<RepairOperation>, Vec<RepairOperation>) {
    let copy = RepairOperation {
        op: "copy",
        path: to.to_owned(),
        from: Some(from.to_owned()),
        value: None,
    };
    let remove = RepairOperation {
        op: "remove",
        path: from.to_owned(),
        from: None,
        value: None,
    };
    (vec![copy], vec![remove])
}

//! Whole numbers of a payload that 64 bits do not hold: a parser reads them as the nearest float, so that what is executed would
//! not be what was said.
//!
//! Looks at the text of a payload that was parsed before, since only there they stand as they were written; lacks what they
//! mean, which is the validator's. Invariant: a text without a run of that many digits costs one look at each nineteenth byte.

use std::ops::ControlFlow;

use crate::exchange::walk;
use crate::exchange::walk::Token;
use crate::key::KeyType;
use crate::numeral::Numeral;
use crate::scalar_rule::Misfit;
use crate::scalar_rule::ScalarRule;

/// Whole doubles from 2^53 on stand for more than one integer.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;
/// Digits of the shortest whole number that may be too long.
const DIGITS_MIN: usize = 19;

/// The places of whole numbers that are too long, as JSON pointers into the payload: of the first ones, each place once.
pub fn places(payload: &str, most: usize) -> Vec<String> {
    if !has_run(payload.as_bytes()) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let mut seen = 0;
    // Whether it broke off is of no interest: what was found then is enough.
    let _ = walk::walk(payload, |steps, token| {
        if matches!(token, Token::Number(number) if is_too_long(number)) {
            let place = walk::pointer(steps);
            if !found.contains(&place) {
                found.push(place);
            }
            seen += 1;
        }
        if seen < most {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    found
}

/// Checks a number against the rule of its key. One that is written with a fraction or an exponent is read as a double: under an
/// integer key it has to stand for one whole number alone, so that what is executed is what was said.
///
/// # Errors
/// What does not hold.
pub fn check(rule: &ScalarRule, numeral: Numeral) -> Result<(), Misfit> {
    rule.number(numeral)?;
    match (rule.key_type, numeral) {
        (KeyType::Integer, Numeral::Float(value)) if whole(value).is_none() => Err(Misfit::Inexact),
        _ => Ok(()),
    }
}

/// The integer that a double stands for, if it stands for one only.
pub fn whole(value: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    (value.fract() == 0.0 && value.abs() < EXACT_BELOW).then_some(value as i64)
}

/// Whether so many digits stand in a row anywhere: then one of them stands at a place that is looked at.
fn has_run(text: &[u8]) -> bool {
    (DIGITS_MIN - 1..text.len()).step_by(DIGITS_MIN).any(|at| {
        let (before, after) = text.split_at(at);
        let following = digits(after.iter());
        following > 0 && following + digits(before.iter().rev()) >= DIGITS_MIN
    })
}

/// How many digits come first, as far as that matters.
fn digits<'t>(bytes: impl Iterator<Item = &'t u8>) -> usize {
    bytes.take(DIGITS_MIN).take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether a number is written as a whole one and fits neither sign's 64 bits.
fn is_too_long(number: &str) -> bool {
    number.len() >= DIGITS_MIN
        && !number.contains(['.', 'e', 'E'])
        && number.parse::<u64>().is_err()
        && number.parse::<i64>().is_err()
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::DIGITS_MIN;
    use super::KeyType;
    use super::Misfit;
    use super::Numeral;
    use super::check;
    use super::has_run;
    use super::places;
    use crate::exchange::walk::PLACE_BYTES_MAX;
    use crate::rule::Rule;

    #[test]
    fn under_an_integer_key_a_double_stands_for_one_whole_number_alone() {
        let of = |key_type, value| match Rule::compile(key_type, &Map::new()) {
            Rule::Scalar(rule) => check(&rule, Numeral::Float(value)),
            Rule::Tree(_) => panic!("a scalar"),
        };
        for (value, fits) in [
            (7.0, true),
            (-0.0, true),
            (9_007_199_254_740_991.0, true),
            (-9_007_199_254_740_991.0, true),
            (9_007_199_254_740_992.0, false),
            (-9_007_199_254_740_992.0, false),
            (18_446_744_073_709_551_616.0, false),
            (1e300, false),
        ] {
            let expected = if fits { Ok(()) } else { Err(Misfit::Inexact) };
            assert_eq!(of(KeyType::Integer, value), expected, "{value}");
            assert_eq!(of(KeyType::Number, value), Ok(()), "{value}");
        }
        assert_eq!(of(KeyType::Integer, 1.5), Err(Misfit::Type));
    }

    #[test]
    fn whole_numbers_fit_up_to_64_bits_of_either_sign() {
        for (number, fits) in [
            ("9223372036854775807", true),
            ("9223372036854775808", true),
            ("18446744073709551615", true),
            ("18446744073709551616", false),
            ("-9223372036854775808", true),
            ("-9223372036854775809", false),
            ("9007199254740993123456789", false),
            ("-0", true),
            ("1844674407370955161600.0", true),
            ("18446744073709551616e1", true),
            ("18446744073709551616E-2", true),
            ("0.18446744073709551616", true),
            ("\"18446744073709551616\"", true),
        ] {
            let expected: &[&str] = if fits { &[] } else { &["/n"] };
            assert_eq!(places(&format!("{{\"n\": {number} }}"), 9), expected, "{number}");
        }
    }

    #[test]
    fn each_is_told_by_its_place_at_any_depth() {
        let long = "1".repeat(20);
        let text = format!(
            r#"{{"a/b": [1, {{"q\"~{long}": "{long}", "c": [[], {long}]}}, -{long}0], "d": {{}}, "\u0065": {long}0, "e": {long}1,
                "f": {{"g": 1.5, "h": {long}2}}, "i": 2}}"#
        );
        assert_eq!(places(&text, 9), ["/a~1b/2", "/e", "/f/h"], "20 ones fit");
        let text = text.replace(&long, &"9".repeat(20));
        assert_eq!(places(&text, 9), ["/a~1b/1/c/1", "/a~1b/2", "/e", "/f/h"]);
        assert_eq!(places(&text, 2).len(), 2);
        let deep = format!(
            "{{\"{}\": {{\"b\": {}}}}}",
            "a".repeat(PLACE_BYTES_MAX - 3),
            "9".repeat(20)
        );
        assert_eq!(
            places(&deep, 9)[0].len(),
            PLACE_BYTES_MAX,
            "a name that fits with one more"
        );
        let deeper = format!("{{\"{}\": {}}}", "a".repeat(PLACE_BYTES_MAX), "9".repeat(20));
        assert_eq!(places(&deeper, 9), [""]);
    }

    #[test]
    fn a_run_of_digits_is_found_wherever_it_stands() {
        for before in 0..2 * DIGITS_MIN {
            for (digits, found) in [(DIGITS_MIN - 1, false), (DIGITS_MIN, true), (DIGITS_MIN + 7, true)] {
                let text = format!("{}{}x1", "x".repeat(before), "1".repeat(digits));
                assert_eq!(has_run(text.as_bytes()), found, "{digits} after {before}");
            }
        }
    }
}

//! Whole numbers of a payload that 64 bits do not hold: a parser reads them as the nearest float, so that what is executed would
//! not be what was said.
//!
//! Looks at the text of a payload that was parsed before, since only there they stand as they were written; lacks what they
//! mean, which is the validator's. Invariant: a text without a run of that many digits costs one look at each nineteenth byte.

use crate::domain::template::defect::pointer_to;

/// Digits of the shortest whole number that may be too long.
const DIGITS_MIN: usize = 19;
/// Bytes of a place that is told; what lies deeper is told by what it lies in.
const PLACE_BYTES_MAX: usize = 1_024;

/// Where a value stands in what holds it.
enum Step<'t> {
    /// The name as it is written, with its quotes.
    Member(&'t str),
    Element(usize),
}

/// The places of whole numbers that are too long, as JSON pointers into the payload: of the first ones, each place once.
pub fn places(payload: &str, most: usize) -> Vec<String> {
    if !has_run(payload.as_bytes()) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut names_next = false;
    let (mut at, mut seen) = (0, 0);
    while let Some(byte) = payload.as_bytes().get(at).copied() {
        let token = match byte {
            b'"' => {
                let text = string(&payload[at..]);
                if let (true, Some(Step::Member(name))) = (names_next, steps.last_mut()) {
                    *name = text;
                }
                names_next = false;
                text
            }
            b'-' | b'0'..=b'9' => {
                let text = number(&payload[at..]);
                if is_too_long(text) {
                    let place = pointer(&steps);
                    if !found.contains(&place) {
                        found.push(place);
                    }
                    seen += 1;
                    if seen >= most {
                        return found;
                    }
                }
                text
            }
            other => {
                match other {
                    b'{' => steps.push(Step::Member("")),
                    b'[' => steps.push(Step::Element(0)),
                    b'}' | b']' => drop(steps.pop()),
                    b',' => {
                        if let Some(Step::Element(place)) = steps.last_mut() {
                            *place += 1;
                        }
                    }
                    _ => {}
                }
                if matches!(other, b'{' | b',') {
                    names_next = matches!(steps.last(), Some(Step::Member(_)));
                }
                at += 1;
                continue;
            }
        };
        at += token.len().max(1);
    }
    found
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

/// The string that a text begins with, quotes included.
fn string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    &text[..end.map_or(text.len(), |end| end + 2)]
}

/// The number that a text begins with.
fn number(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '-' | '+' | '.' | 'e' | 'E'));
    &text[..end.unwrap_or(text.len())]
}

/// Whether a number is written as a whole one and fits neither sign's 64 bits.
fn is_too_long(number: &str) -> bool {
    number.len() >= DIGITS_MIN
        && !number.contains(['.', 'e', 'E'])
        && number.parse::<u64>().is_err()
        && number.parse::<i64>().is_err()
}

fn pointer(steps: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for step in steps {
        let further = match step {
            Step::Element(place) => pointer_to(&pointer, &place.to_string()),
            Step::Member(name) => pointer_to(&pointer, &serde_json::from_str::<String>(name).unwrap_or_default()),
        };
        if further.len() > PLACE_BYTES_MAX {
            break;
        }
        pointer = further;
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::DIGITS_MIN;
    use super::PLACE_BYTES_MAX;
    use super::has_run;
    use super::places;

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

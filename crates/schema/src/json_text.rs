//! Texts that are to be JSON: how deep they may nest, why one is none, in words that somebody can act on, and what a value does not show
//! of the text that it was read from.
//!
//! Knows no template. Every text that comes from outside passes [`check_depth`] before anything else reads it: the body of a request,
//! whatever it carries, the answer of an executor or a model, a file, a line. Invariant: the check holds nothing for a bracket.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeSeed;
use serde::de::Deserializer;
use serde::de::MapAccess;
use serde::de::SeqAccess;
use serde::de::Visitor;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;

use crate::defect::Defect;
use crate::place::Place;
use crate::place::Step;

/// Levels of objects and arrays in one text. The parser itself stops at 128 within each value that it builds; forms, tool calls and
/// envelopes in use nest 10 to 20 deep.
pub const DEPTH_MAX: usize = 128;

/// A text nests deeper than [`DEPTH_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text nests more than {DEPTH_MAX} levels deep, at byte {at}")]
pub struct TooDeep {
    /// Where the bracket stands that is one too many.
    pub at: usize,
}

/// Refuses a text that nests too deep, in one pass that counts brackets outside of strings. What is no JSON is for its reader to
/// refuse.
///
/// # Errors
/// [`TooDeep`].
pub fn check_depth(text: &[u8]) -> Result<(), TooDeep> {
    let mut depth = 0_usize;
    let mut bytes = text.iter().copied().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'[' | b'{' if depth == DEPTH_MAX => return Err(TooDeep { at }),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    Ok(())
}

/// Goes on behind the closing quote.
fn skip_string(bytes: &mut impl Iterator<Item = (usize, u8)>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

/// What some editors put before a text: no part of JSON (RFC 8259 §8.1).
const BYTE_ORDER_MARK: char = '\u{FEFF}';

const MARKED: &str = "it begins with a byte order mark (U+FEFF); save it as UTF-8 without one";

/// Reads a text that comes from outside.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<Value, String> {
    check_depth(text.as_bytes()).map_err(|deep| deep.to_string())?;
    serde_json::from_str(text).map_err(|error| why(text, &error))
}

/// Why a text is no JSON.
pub fn why(text: &str, error: &serde_json::Error) -> String {
    if text.starts_with(BYTE_ORDER_MARK) {
        MARKED.to_owned()
    } else {
        error.to_string()
    }
}

/// The same without the place that the parser adds, and the column of that place: for a text that is one line of a longer one, whose
/// own number says more.
pub fn apart(text: &str, error: &serde_json::Error) -> (String, Option<usize>) {
    if text.starts_with(BYTE_ORDER_MARK) {
        return (MARKED.to_owned(), Some(1));
    }
    let said = error.to_string();
    let column = (error.line() > 0).then(|| error.column());
    (unplaced(&said).to_owned(), column)
}

/// What a parser said without the place that it adds.
pub fn unplaced(said: &str) -> &str {
    said.rsplit_once(" at line ").map_or(said, |(what, _)| what)
}

/// What a value does not show of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// The member stands in its object already: of such a name one reader takes the first and another the last.
    Repeated,
    /// A whole number that 64 bits do not hold: it was read as the nearest double, so that what is executed would not be what was said.
    LongNumber,
    /// A number other than zero that a double holds as zero.
    TinyNumber,
}

/// Reads a text as `serde_json` does, and tells each oddity where it stands.
///
/// # Errors
/// The parser's own.
pub fn read_closely(text: &str, tell: &mut dyn FnMut(Oddity, &Place<'_>)) -> serde_json::Result<Value> {
    let mut reading = Reading {
        tell,
        numbers: 0,
        odd: odd_numbers(text),
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let seed = ValueSeed {
        reading: &mut reading,
        place: &Place::ROOT,
    };
    let value = seed.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// Lists the defects of a text as a result: every member that is written more than once, by its place.
pub fn repeated(text: &str) -> Vec<Defect> {
    defects_of(text, |oddity| oddity == Oddity::Repeated)
}

/// Lists the defects of a text as a template: those, and every number that would be read as another one.
pub fn defects(text: &str) -> Vec<Defect> {
    defects_of(text, |_| true)
}

fn defects_of(text: &str, counts: impl Fn(Oddity) -> bool) -> Vec<Defect> {
    /// Places that are told.
    const DEFECTS_MAX: usize = 32;
    let mut found: Vec<Defect> = Vec::new();
    // What is wrong with a text that is no JSON is for its reader to tell.
    let _ = read_closely(text, &mut |oddity, place| {
        if !counts(oddity) || found.len() == DEFECTS_MAX {
            return;
        }
        let (requirement, message) = match oddity {
            Oddity::Repeated => (
                "Z-035",
                "is written more than once in its object; readers differ in which one they take",
            ),
            Oddity::LongNumber => (
                "Z-048",
                "is a whole number that does not fit into 64 bits; it would be read as another one",
            ),
            Oddity::TinyNumber => (
                "Z-048",
                "is closer to zero than a double can be; it would be read as zero",
            ),
        };
        let (pointer, _) = place.pointer();
        if found.iter().all(|defect| defect.pointer != pointer) {
            found.push(Defect {
                pointer,
                requirement: requirement.to_owned(),
                message: message.to_owned(),
            });
        }
    });
    found
}

/// A text that is being read.
struct Reading<'t> {
    tell: &'t mut dyn FnMut(Oddity, &Place<'_>),
    /// Numbers met so far.
    numbers: usize,
    /// Which of them are read as another number: how one was written the text alone shows.
    odd: BTreeMap<usize, Oddity>,
}

struct ValueSeed<'s, 't> {
    reading: &'s mut Reading<'t>,
    place: &'s Place<'s>,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        self.reading.numbers += 1;
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        self.reading.numbers += 1;
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        if let Some(oddity) = self.reading.odd.get(&self.reading.numbers) {
            (self.reading.tell)(*oddity, self.place);
        }
        self.reading.numbers += 1;
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let ValueSeed { reading, place } = self;
        let mut elements = Vec::new();
        while let Some(element) = sequence.next_element_seed(ValueSeed {
            reading: &mut *reading,
            place: &place.at(Step::Element(elements.len())),
        })? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let ValueSeed { reading, place } = self;
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let place = place.at(Step::Member(&name));
            if members.contains_key(&name) {
                (reading.tell)(Oddity::Repeated, &place);
            }
            let value = map.next_value_seed(ValueSeed {
                reading: &mut *reading,
                place: &place,
            })?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

/// Which of a text's numbers, in their order, are written as whole ones and fit neither sign's 64 bits, or are not zero and are read
/// as it.
fn odd_numbers(text: &str) -> BTreeMap<usize, Oddity> {
    let mut odd = BTreeMap::new();
    let mut numbers = 0;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((start, byte)) = bytes.next() {
        if byte == b'"' {
            skip_string(&mut bytes);
        }
        if byte != b'-' && !byte.is_ascii_digit() {
            continue;
        }
        let mut end = start + 1;
        while bytes
            .next_if(|(_, byte)| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .is_some()
        {
            end += 1;
        }
        let number = &text[start..end];
        let is_whole = !number.contains(['.', 'e', 'E']);
        if is_whole && number.parse::<u64>().is_err() && number.parse::<i64>().is_err() {
            odd.insert(numbers, Oddity::LongNumber);
        }
        let digits = number.split(['e', 'E']).next().unwrap_or_default();
        if !is_whole && digits.contains(|c| matches!(c, '1'..='9')) && number.parse() == Ok(0.0) {
            odd.insert(numbers, Oddity::TinyNumber);
        }
        numbers += 1;
    }
    odd
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::DEPTH_MAX;
    use super::MARKED;
    use super::Oddity;
    use super::TooDeep;
    use super::apart;
    use super::check_depth;
    use super::defects;
    use super::read;
    use super::read_closely;
    use super::repeated;

    #[test]
    fn brackets_are_counted_up_to_the_limit_and_not_those_of_strings() {
        // In a string, brackets are none and a quote behind a backslash ends nothing.
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"\\\"[[\": ", "}")] {
            let text = |times: usize| format!("{}1{}", open.repeat(times), close.repeat(times));
            assert_eq!(check_depth(text(DEPTH_MAX).as_bytes()), Ok(()), "{open}");
            assert!(check_depth(text(DEPTH_MAX + 1).as_bytes()).is_err(), "{open}");
        }
        let brackets = "[".repeat(DEPTH_MAX + 1);
        assert_eq!(check_depth(brackets.as_bytes()), Err(TooDeep { at: DEPTH_MAX }));
        let in_a_string = format!("[\"\\\\\\\"{brackets}\"]");
        for right in [in_a_string.as_str(), &"[],".repeat(1_000), "]]]]", "\"", "\"\\", ""] {
            assert_eq!(check_depth(right.as_bytes()), Ok(()), "{right}");
        }
        assert!(read(&brackets).is_err_and(|why| why.contains("more than 128 levels")));
    }

    #[test]
    fn a_fault_is_named_and_told_apart_from_its_place_z028() {
        assert_eq!(read("{}"), Ok(json!({})));
        assert!(read("\u{FEFF}{}").is_err_and(|why| why.contains("byte order mark")));
        assert!(read("{").is_err_and(|why| why.contains("line 1")));
        let named = r#"invalid type: string "at line 3", expected a boolean"#;
        for (text, told, column) in [
            ("x", "expected value", 1),
            (r#""at line 3""#, named, 11),
            ("\u{FEFF}true", MARKED, 1),
        ] {
            let error = serde_json::from_str::<bool>(text).expect_err("no bool");
            assert_eq!(apart(text, &error), (told.to_owned(), Some(column)));
        }
    }

    /// The places of one oddity, in their order.
    fn places(text: &str, wanted: Oddity) -> Vec<String> {
        let mut places = Vec::new();
        let value = read_closely(text, &mut |oddity, place| {
            places.extend((oddity == wanted).then(|| place.pointer().0));
        });
        assert_eq!(value.ok(), serde_json::from_str(text).ok(), "{text}");
        places
    }

    #[test]
    fn whole_numbers_fit_up_to_64_bits_of_either_sign() {
        let fitting = "9223372036854775808 18446744073709551615 -9223372036854775808 -0 1844674407370955161600.0 \
                       18446744073709551616e1 18446744073709551616E-2 \"18446744073709551616\"";
        let long = "18446744073709551616 -9223372036854775809 9007199254740993123456789";
        for (numbers, expected) in [(fitting, &[][..]), (long, &["/n"])] {
            for number in numbers.split(' ') {
                let text = format!("{{\"a\": [-1.5e3, \"\\\"7\"], \"n\": {number} }}");
                assert_eq!(places(&text, Oddity::LongNumber), expected, "{number}");
            }
        }
        let long = "9".repeat(20);
        let text = format!(
            r#"{{"a/b": [1, {{"q\"~{long}": "{long}", "c": [[], {long}]}}, -{long}0], "d": 1e300, "e": {long}, "e": {long}1}}"#
        );
        assert_eq!(
            places(&text, Oddity::LongNumber),
            ["/a~1b/1/c/1", "/a~1b/2", "/e", "/e"]
        );
        let deep = format!("{{\"{}\": {long}}}", "a".repeat(2_000));
        assert_eq!(places(&deep, Oddity::LongNumber), [""], "told by what it lies in");
    }

    #[test]
    fn a_number_that_is_read_as_zero_is_found_and_zero_is_not_z048() {
        for (number, found) in [
            ("1e-400", 1),
            ("-0.01E-399", 1),
            ("2e-324", 1),
            ("0.0000", 0),
            ("-0e-400", 0),
            ("0.0e5", 0),
            ("5e-324", 0),
            ("1e-300", 0),
        ] {
            let text = format!(r#"{{"a": "1e-400", "n": [2, {number}]}}"#);
            assert_eq!(places(&text, Oddity::TinyNumber).len(), found, "{number}");
            assert_eq!((defects(&text).len(), repeated(&text).len()), (found, 0), "{number}");
        }
        assert_eq!(defects(r#"{"n": 18446744073709551616}"#)[0].pointer, "/n");
    }

    #[test]
    fn a_name_that_is_repeated_in_one_object_is_told_by_its_place_z035() {
        let nested = r#"{"keys": [{"x": 1}, {"required": 0, "constraints": {"enum": 1, "enum": 2}, "required": 1}]}"#;
        for (text, found, defects) in [
            (
                r#"{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}], "d": "{{"}"#,
                &[][..],
                0,
            ),
            (r#"{"b\"": 1, "b": 2, "b\\": 3}"#, &[], 0),
            (r#"{"a": 1, "\u0061": 2, "a": 3}"#, &["/a", "/a"], 1),
            (nested, &["/keys/1/constraints/enum", "/keys/1/required"], 2),
            (
                r#"{"x": {"y": 1, "y": 2}, "x": {"y": 1, "y": 2}}"#,
                &["/x/y", "/x", "/x/y"],
                2,
            ),
        ] {
            assert_eq!(places(text, Oddity::Repeated), found, "{text}");
            assert_eq!(repeated(text).len(), defects, "{text}");
        }
        let many: Vec<String> = (0..99).map(|n| format!(r#""k{n}": {{"y": 1, "y": 2}}"#)).collect();
        assert_eq!(repeated(&format!("{{{}}}", many.join(","))).len(), 32);
    }
}

//! Bounded numbers as a grammar: digit by digit, so that nothing outside the bounds can be written.
//!
//! Bounds of an integer are exact. Bounds of a number are exact where they are whole; others are widened to the next whole
//! number and lost. Invariant: no fraction is so long that reading it as a double could carry it across a bound.

use serde_json::Number;

use crate::export::loss::Losses;
use crate::export::shape::Range;
use crate::keyword::Keyword;
use crate::numeral::Numeral;

/// The farthest from zero that is written: 19 digits.
const MAGNITUDE_MAX: i128 = 9_999_999_999_999_999_999;
/// Digits that a double tells apart, whatever they are.
const EXACT_DIGITS: usize = 15;

/// One side of a range, as a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    at: i128,
    /// Whether the end itself is outside.
    open: bool,
}

/// An expression for the numbers of a range; `None` where any number may be written.
pub fn between(range: &Range, losses: &mut Losses) -> Option<String> {
    let Range {
        integer,
        minimum,
        maximum,
        exclusive_minimum,
        exclusive_maximum,
        multiple_of,
    } = range;
    if multiple_of.is_some() {
        losses.unenforced(Keyword::MultipleOf.name());
    }
    let mut low: Option<End> = None;
    let mut high: Option<End> = None;
    let sides = [
        (minimum, Keyword::Minimum, false, true),
        (exclusive_minimum, Keyword::ExclusiveMinimum, true, true),
        (maximum, Keyword::Maximum, false, false),
        (exclusive_maximum, Keyword::ExclusiveMaximum, true, false),
    ];
    for (number, keyword, open, is_low) in sides {
        let Some(number) = number else { continue };
        let (end, exact) = end(number, open, is_low, *integer);
        if !exact {
            losses.unenforced(keyword.name());
        }
        let side = if is_low { &mut low } else { &mut high };
        if let Some(end) = end
            && side.is_none_or(|held| tighter(end, held, is_low))
        {
            *side = Some(end);
        }
    }
    if low.is_none() && high.is_none() {
        return None;
    }
    let ways = if *integer { whole(low, high) } else { broken(low, high) };
    if ways.is_empty() {
        // No number lies between, or none that is written: the grammar is wider.
        for (number, keyword, _, _) in sides {
            if number.is_some() {
                losses.unenforced(keyword.name());
            }
        }
        return None;
    }
    Some(super::either(&ways))
}

/// The end that a bound makes, and whether it is the bound itself. A bound beyond all that is written makes none: it keeps
/// nothing out, or everything, and then it is lost.
#[expect(clippy::cast_possible_truncation, reason = "what is cast lies within 19 digits")]
fn end(number: &Number, open: bool, is_low: bool, integer: bool) -> (Option<End>, bool) {
    let far = MAGNITUDE_MAX as f64;
    let (at, open, exact) = match Numeral::of(number) {
        Numeral::Integer(at) => (at, open, true),
        Numeral::Float(float) if float.abs() >= far => {
            return (None, (float < 0.0) == is_low);
        }
        Numeral::Float(float) if float.fract() == 0.0 => (float as i128, open, true),
        Numeral::Float(float) => {
            // Outward for a number; the whole numbers within are those within the bound.
            let whole = if is_low == integer { float.ceil() } else { float.floor() };
            (whole as i128, false, integer)
        }
    };
    if at.abs() > MAGNITUDE_MAX {
        return (None, (at < 0) == is_low);
    }
    (Some(End { at, open }), exact)
}

fn tighter(end: End, held: End, is_low: bool) -> bool {
    let inner = if is_low { end.at > held.at } else { end.at < held.at };
    inner || (end.at == held.at && end.open)
}

/// The integers between.
fn whole(low: Option<End>, high: Option<End>) -> Vec<String> {
    let low = low.map_or(-MAGNITUDE_MAX, |low| low.at + i128::from(low.open));
    let high = high.map_or(MAGNITUDE_MAX, |high| high.at - i128::from(high.open));
    let mut ways = Vec::new();
    if low < 0 {
        let nearest = (-high).max(1);
        ways.extend(digits(nearest, -low).map(|digits| format!("\"-\" {digits}")));
    }
    ways.extend(digits(low.max(0), high));
    ways
}

/// The numbers between, with and without a fraction.
fn broken(low: Option<End>, high: Option<End>) -> Vec<String> {
    let turned = |end: End| End {
        at: -end.at,
        open: end.open,
    };
    let mut ways = Vec::new();
    if low.is_none_or(|low| low.at < 0) {
        let nearest = match high {
            Some(high) if high.at < 0 || (high.at == 0 && high.open) => turned(high),
            Some(_) | None => End { at: 0, open: true },
        };
        let below = magnitudes(nearest, low.map(turned));
        ways.extend(below.into_iter().map(|way| format!("\"-\" {way}")));
    }
    let nearest = low.filter(|low| low.at >= 0).unwrap_or(End { at: 0, open: false });
    ways.extend(magnitudes(nearest, high));
    ways
}

/// The numbers from one end to the other, neither of them below zero; without a farther end, all beyond.
fn magnitudes(low: End, high: Option<End>) -> Vec<String> {
    let mut ways = Vec::new();
    if high.is_some_and(|high| high.at < low.at || (high.at == low.at && (low.open || high.open))) {
        return ways;
    }
    let longest = high.map_or(low.at, |high| high.at).to_string().len();
    let places = EXACT_DIGITS.saturating_sub(longest);
    let first = low.at + i128::from(low.open);
    if low.open && high.is_none_or(|high| low.at < high.at) && places > 0 {
        ways.push(format!("\"{}.\" [0-9]{{0,{}}} [1-9]", low.at, places - 1));
    }
    // Whole numbers that may have a fraction: it does not reach the farther end.
    if let Some(digits) = digits(first, high.map_or(MAGNITUDE_MAX, |high| high.at - 1)) {
        let fraction = if places == 0 {
            String::new()
        } else {
            format!(" (\".\" [0-9]{{1,{places}}})?")
        };
        ways.push(format!("{digits}{fraction}"));
    }
    ways.extend(
        high.filter(|high| !high.open)
            .map(|high| super::literal(&high.at.to_string())),
    );
    ways
}

/// An expression for the whole numbers from `low` to `high`, neither of them below zero; `None` where there are none.
fn digits(low: i128, high: i128) -> Option<String> {
    if high < low || high < 0 {
        return None;
    }
    let (low, high) = (low.max(0).to_string(), high.to_string());
    let mut ways = Vec::new();
    let mut length = low.len();
    // Lengths that are whole, such as all numbers of three to five digits, are one way.
    let whole_to = if high.bytes().all(|digit| digit == b'9') {
        high.len()
    } else {
        high.len() - 1
    };
    while length <= high.len() {
        let least = format!("1{}", "0".repeat(length - 1));
        let from = if length == low.len() { &low } else { &least };
        if *from == least && length <= whole_to {
            ways.push(match (length, whole_to) {
                (1, 1) => "[1-9]".to_owned(),
                _ => format!("[1-9] [0-9]{{{},{}}}", length - 1, whole_to - 1),
            });
            length = whole_to + 1;
            continue;
        }
        let to = if length == high.len() {
            high.clone()
        } else {
            "9".repeat(length)
        };
        ways.push(same_length(from.as_bytes(), to.as_bytes()));
        length += 1;
    }
    Some(super::either(&ways))
}

/// An expression for the numbers between two of the same length.
fn same_length(low: &[u8], high: &[u8]) -> String {
    let (Some((&a, low_rest)), Some((&b, high_rest))) = (low.split_first(), high.split_first()) else {
        return String::new();
    };
    if a == b {
        let rest = same_length(low_rest, high_rest);
        return spaced(&format!("\"{}\"", char::from(a)), &rest);
    }
    let from_zeros = low_rest.iter().all(|digit| *digit == b'0');
    let to_nines = high_rest.iter().all(|digit| *digit == b'9');
    let mut ways = Vec::new();
    let mut first = a;
    let mut last = b;
    if !from_zeros {
        let nines = vec![b'9'; low_rest.len()];
        ways.push(spaced(
            &format!("\"{}\"", char::from(a)),
            &same_length(low_rest, &nines),
        ));
        first += 1;
    }
    if !to_nines {
        last -= 1;
    }
    if first <= last {
        let any = match low_rest.len() {
            0 => String::new(),
            1 => "[0-9]".to_owned(),
            count => format!("[0-9]{{{count}}}"),
        };
        ways.push(spaced(&class(first, last), &any));
    }
    if !to_nines {
        let zeros = vec![b'0'; high_rest.len()];
        ways.push(spaced(
            &format!("\"{}\"", char::from(b)),
            &same_length(&zeros, high_rest),
        ));
    }
    super::either(&ways)
}

fn class(first: u8, last: u8) -> String {
    if first == last {
        format!("\"{}\"", char::from(first))
    } else {
        format!("[{}-{}]", char::from(first), char::from(last))
    }
}

fn spaced(a: &str, b: &str) -> String {
    if b.is_empty() { a.to_owned() } else { format!("{a} {b}") }
}

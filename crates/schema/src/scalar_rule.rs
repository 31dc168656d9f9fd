//! What a string, integer, number, boolean or null has to be, compiled.
//!
//! Types, choices, bounds and lengths are checked here; patterns, formats and multiples by the `jsonschema` crate itself, with
//! which all of it agrees.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use jsonschema::Validator;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::json_schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::numeral::Numeral;
use crate::scalar::Scalar;
use crate::scalar::ScalarJson;

/// Divisors beyond 2^53 are not exact in the crate that is agreed with.
const EXACT_MAX: u64 = 1 << 53;

/// Why a value does not conform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Misfit {
    /// Its type is another one.
    Type,
    /// A constraint does not hold.
    Keyword(Keyword),
    /// It stands for more than one whole number. No rule of a template says so: who reads a payload does.
    Inexact,
}

/// A rule for string, integer, number, boolean or null.
#[derive(Debug)]
pub struct ScalarRule {
    pub key_type: KeyType,
    /// Sorted; the values of `enum` that `const` leaves.
    texts: Option<(Keyword, Vec<String>)>,
    numbers: Option<(Keyword, Vec<Numeral>)>,
    booleans: Option<(Keyword, Vec<bool>)>,
    bounds: Vec<(Keyword, Numeral)>,
    length_min: u64,
    length_max: u64,
    /// A whole `multipleOf`, for whole values; it stands in `rest` as well, for the others.
    step: Option<i128>,
    /// `format: date`, the commonest of formats.
    date: bool,
    /// Keywords left to the `jsonschema` crate, each compiled by itself so that the one that fails can be named.
    rest: Vec<(Keyword, Validator<ScalarJson>)>,
}

impl ScalarRule {
    /// Compiles what constraints say of a scalar type.
    pub(crate) fn compile(key_type: KeyType, constraints: &Map<String, Value>) -> ScalarRule {
        let choices = choices(constraints);
        let mut rule = ScalarRule {
            key_type,
            texts: None,
            numbers: None,
            booleans: None,
            bounds: Vec::new(),
            length_min: 0,
            length_max: u64::MAX,
            step: None,
            date: false,
            rest: Vec::new(),
        };
        if let Some((keyword, values)) = choices {
            let mut texts: Vec<String> = values.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect();
            texts.sort_unstable();
            rule.texts = Some((keyword, texts));
            let numbers = values.iter().filter_map(|v| v.as_number().map(Numeral::of)).collect();
            rule.numbers = Some((keyword, numbers));
            rule.booleans = Some((keyword, values.iter().filter_map(|v| v.as_bool()).collect()));
        }
        for (name, value) in constraints {
            let Some(keyword) = Keyword::parse(name).filter(|keyword| keyword.speaks_of(key_type)) else {
                continue;
            };
            match keyword {
                Keyword::Minimum | Keyword::Maximum | Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum => {
                    rule.bounds.extend(value.as_number().map(|n| (keyword, Numeral::of(n))));
                }
                Keyword::MinLength => rule.length_min = value.as_u64().unwrap_or(0),
                Keyword::MaxLength => rule.length_max = value.as_u64().unwrap_or(u64::MAX),
                Keyword::Format if value == "date" => rule.date = true,
                Keyword::MultipleOf | Keyword::Pattern | Keyword::Format => {
                    if keyword == Keyword::MultipleOf {
                        rule.step = value
                            .as_u64()
                            .filter(|step| (1..=EXACT_MAX).contains(step))
                            .map(i128::from);
                    }
                    rule.rest.extend(
                        json_schema::compile(&json!({name: value}))
                            .ok()
                            .map(|compiled| (keyword, compiled)),
                    );
                }
                Keyword::Enum
                | Keyword::Const
                | Keyword::Items
                | Keyword::MinItems
                | Keyword::MaxItems
                | Keyword::UniqueItems
                | Keyword::Properties
                | Keyword::Required
                | Keyword::AdditionalProperties => {}
            }
        }
        rule
    }

    /// Checks a string.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn text(&self, text: &str) -> Result<(), Misfit> {
        first(|found| self.each_of_text(text, found))
    }

    /// Checks a number.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn number(&self, numeral: Numeral) -> Result<(), Misfit> {
        first(|found| self.each_of_number(numeral, found))
    }

    /// Checks a boolean.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn boolean(&self, value: bool) -> Result<(), Misfit> {
        first(|found| self.each_of_boolean(value, found))
    }

    /// Checks `null`.
    ///
    /// # Errors
    /// When the type is another one.
    pub fn null(&self) -> Result<(), Misfit> {
        if self.key_type == KeyType::Null {
            Ok(())
        } else {
            Err(Misfit::Type)
        }
    }

    /// Tells each thing that does not hold of a string; of one of another type that alone.
    ///
    /// # Errors
    /// Broken off where `found` did.
    pub fn each_of_text(&self, text: &str, found: Found<'_>) -> ControlFlow<()> {
        if self.key_type != KeyType::String {
            return found(Misfit::Type);
        }
        if let Some((keyword, texts)) = &self.texts
            && !lists(texts, text)
        {
            found(Misfit::Keyword(*keyword))?;
        }
        if let Err(misfit) = self.length(text) {
            found(misfit)?;
        }
        if self.date && !is_date(text) {
            found(Misfit::Keyword(Keyword::Format))?;
        }
        self.rest(|| Scalar::Text(text), found)
    }

    /// The same of a number.
    pub fn each_of_number(&self, numeral: Numeral, found: Found<'_>) -> ControlFlow<()> {
        match self.key_type {
            KeyType::Integer if numeral.is_integer() => {}
            KeyType::Number => {}
            KeyType::Integer
            | KeyType::String
            | KeyType::Boolean
            | KeyType::Null
            | KeyType::Array
            | KeyType::Object => return found(Misfit::Type),
        }
        if let Some((keyword, numbers)) = &self.numbers
            && !numbers
                .iter()
                .any(|choice| choice.compare(numeral) == Some(Ordering::Equal))
        {
            found(Misfit::Keyword(*keyword))?;
        }
        for (keyword, limit) in &self.bounds {
            let side = numeral.compare(*limit);
            let holds = match keyword {
                Keyword::Minimum => matches!(side, Some(Ordering::Greater | Ordering::Equal)),
                Keyword::Maximum => matches!(side, Some(Ordering::Less | Ordering::Equal)),
                Keyword::ExclusiveMinimum => side == Some(Ordering::Greater),
                Keyword::ExclusiveMaximum => side == Some(Ordering::Less),
                Keyword::Enum
                | Keyword::Const
                | Keyword::MultipleOf
                | Keyword::MinLength
                | Keyword::MaxLength
                | Keyword::Pattern
                | Keyword::Format
                | Keyword::Items
                | Keyword::MinItems
                | Keyword::MaxItems
                | Keyword::UniqueItems
                | Keyword::Properties
                | Keyword::Required
                | Keyword::AdditionalProperties => true,
            };
            if !holds {
                found(Misfit::Keyword(*keyword))?;
            }
        }
        if let (Some(step), Numeral::Integer(value)) = (self.step, numeral) {
            return if value % step == 0 {
                ControlFlow::Continue(())
            } else {
                found(Misfit::Keyword(Keyword::MultipleOf))
            };
        }
        self.rest(|| numeral.number().map_or(Scalar::Null, Scalar::Number), found)
    }

    /// The same of a boolean.
    pub fn each_of_boolean(&self, value: bool, found: Found<'_>) -> ControlFlow<()> {
        if self.key_type != KeyType::Boolean {
            return found(Misfit::Type);
        }
        match &self.booleans {
            Some((keyword, booleans)) if !booleans.contains(&value) => found(Misfit::Keyword(*keyword)),
            Some(_) | None => ControlFlow::Continue(()),
        }
    }

    /// The closed list of strings, sorted, if there is one.
    pub fn choices(&self) -> Option<&[String]> {
        self.texts.as_ref().map(|(_, texts)| texts.as_slice())
    }

    /// Lengths count code points; a string's bytes bound them from both sides, which decides most cases uncounted.
    fn length(&self, text: &str) -> Result<(), Misfit> {
        let bytes = text.len() as u64;
        if self.length_min <= bytes.div_ceil(4) && bytes <= self.length_max {
            return Ok(());
        }
        let points = text.chars().count() as u64;
        if points < self.length_min {
            return Err(Misfit::Keyword(Keyword::MinLength));
        }
        if points > self.length_max {
            return Err(Misfit::Keyword(Keyword::MaxLength));
        }
        Ok(())
    }

    fn rest<'a>(&self, scalar: impl Fn() -> Scalar<'a>, found: Found<'_>) -> ControlFlow<()> {
        for (keyword, validator) in &self.rest {
            if !validator.is_valid(scalar()) {
                found(Misfit::Keyword(*keyword))?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Who is told what does not hold, and says whether that is enough.
pub type Found<'f> = &'f mut dyn FnMut(Misfit) -> ControlFlow<()>;

fn first(check: impl FnOnce(Found<'_>) -> ControlFlow<()>) -> Result<(), Misfit> {
    let mut found = None;
    let _ = check(&mut |misfit| {
        found = Some(misfit);
        ControlFlow::Break(())
    });
    found.map_or(Ok(()), Err)
}

/// A full-date of RFC 3339, on the proleptic Gregorian calendar.
fn is_date(text: &str) -> bool {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
        return false;
    };
    if ![y1, y2, y3, y4, m1, m2, d1, d2].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let two = |tens: u8, ones: u8| u32::from(tens - b'0') * 10 + u32::from(ones - b'0');
    let (year, month, day) = (two(y1, y2) * 100 + two(y3, y4), two(m1, m2), two(d1, d2));
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// Whether a sorted list holds the text; a short one is faster to walk, since most lengths differ.
fn lists(texts: &[String], text: &str) -> bool {
    const WALK_MAX: usize = 12;
    if texts.len() <= WALK_MAX {
        texts.iter().any(|choice| choice == text)
    } else {
        texts.binary_search_by(|choice| choice.as_str().cmp(text)).is_ok()
    }
}

/// The values that `enum` and `const` leave together.
pub(crate) fn choices(constraints: &Map<String, Value>) -> Option<(Keyword, Vec<&Value>)> {
    let constant = constraints.get(Keyword::Const.name());
    match (
        constraints.get(Keyword::Enum.name()).and_then(Value::as_array),
        constant,
    ) {
        (None, None) => None,
        (None, Some(constant)) => Some((Keyword::Const, vec![constant])),
        (Some(listed), None) => Some((Keyword::Enum, listed.iter().collect())),
        (Some(listed), Some(constant)) => Some((
            Keyword::Enum,
            listed
                .iter()
                .filter(|value| jsonschema::json::cmp::equal(value, constant))
                .collect(),
        )),
    }
}

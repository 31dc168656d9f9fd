//! A JSON number, whether it is a 64-bit integer or a double.

use serde::Deserialize;
use serde::Deserializer;
use serde::de::Error;
use serde_json::Number;

/// A number as `serde_json` reads it.
#[derive(Clone, Copy, Debug)]
pub enum Numeral {
    Integer(i128),
    Float(f64),
}

impl Numeral {
    /// The numeral of a JSON number.
    pub fn of(number: &Number) -> Numeral {
        if let Some(value) = number.as_u64() {
            Numeral::Integer(i128::from(value))
        } else if let Some(value) = number.as_i64() {
            Numeral::Integer(i128::from(value))
        } else {
            Numeral::Float(number.as_f64().unwrap_or(f64::NAN))
        }
    }

    /// Whether JSON Schema calls it an integer: 7.0 is one.
    pub fn is_integer(self) -> bool {
        match self {
            Numeral::Integer(_) => true,
            Numeral::Float(value) => value.fract() == 0.0,
        }
    }

    /// As a count: a whole number from 0 that 64 bits hold, also one that is written `7.0`, as clients send it that know no
    /// other numbers.
    pub fn count(self) -> Option<u64> {
        /// One past the largest that fits.
        const BEYOND: f64 = 18_446_744_073_709_551_616.0;
        match self {
            Numeral::Integer(value) => u64::try_from(value).ok(),
            Numeral::Float(value) => (value.fract() == 0.0 && (0.0..BEYOND).contains(&value)).then_some(value as u64),
        }
    }
}

/// Reads a count that is no larger than its type holds, also one that is written `1.0`.
///
/// # Errors
/// When it is no such number.
pub fn count<'de, D: Deserializer<'de>, T: TryFrom<u64>>(source: D) -> Result<T, D::Error> {
    let count = Numeral::of(&Number::deserialize(source)?).count();
    let count = count.and_then(|count| T::try_from(count).ok());
    count.ok_or_else(|| D::Error::custom("not a whole number of that size"))
}

#[cfg(test)]
mod tests {
    use super::Numeral;

    #[test]
    fn a_count_is_whole_and_not_negative_however_it_is_written() {
        let (i, f) = (Numeral::Integer, Numeral::Float);
        let most = i128::from(u64::MAX);
        assert_eq!((i(0).count(), i(most).count()), (Some(0), Some(u64::MAX)));
        assert_eq!((f(-0.0).count(), f(17.0).count()), (Some(0), Some(17)));
        for none in [
            i(-1),
            i(most + 1),
            f(-1.0),
            f(1.5),
            f(1.844_674_407_370_955_2e19),
            f(f64::NAN),
        ] {
            assert_eq!(none.count(), None, "{none:?}");
        }
    }
}

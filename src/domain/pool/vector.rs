//! A sentence as a unit vector of integers: 2^14 is one, so that a dot product is an exact cosine in units of 2^28.

use serde::Deserialize;
use serde::Serialize;

/// What 1.0 is in a vector's component.
pub const UNIT: f64 = 16_384.0;

/// A quantised unit vector. Two of them are compared only when they come from the same model (Z-103).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vector(Vec<i16>);

/// Cosine in units of 2^-28; ordered and exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cosine(pub i32);

impl Vector {
    /// Normalises and quantises; `None` for an empty vector, one with a component that is not finite, or all zeros.
    pub fn quantise(values: &[f32]) -> Option<Vector> {
        let _ = values;
        todo!()
    }

    /// Components.
    pub fn components(&self) -> &[i16] {
        &self.0
    }

    /// Cosine of two vectors of the same width.
    pub fn cosine(&self, other: &Vector) -> Cosine {
        let _ = other;
        todo!()
    }
}

impl Cosine {
    /// The cosine nearest to a real number in -1..=1.
    pub fn of(value: f64) -> Cosine {
        let _ = value;
        todo!()
    }

    /// As a real number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / (UNIT * UNIT)
    }
}

//! A sentence as a unit vector of integers: 2^14 is one, so that a dot product is an exact cosine in units of 2^28.

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::Serializer;
use serde::de::Error;

use crate::packed::pack16;
use crate::packed::unpack16;

/// What 1.0 is in a vector's component.
pub const UNIT: f64 = 16_384.0;

/// A quantised unit vector. Two of them are compared only when they come from the same model (Z-103).
///
/// Invariant: its length is one up to rounding, so that the dot product of two fits 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector(Vec<i16>);

/// Cosine in units of 2^-28; ordered and exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cosine(pub i32);

/// Less than any cosine: what vectors of different widths have in common.
pub const UNLIKE: Cosine = Cosine(i32::MIN);

/// One step of a component. A cosine within it of a threshold counts as reaching it: what two vectors had exactly in
/// common must not be lost to the rounding of their components (Z-087).
const STEP: i32 = 1 << 14;

/// Components taken together, each summed for itself until the end, so that the compiler can use wide registers.
const LANES: usize = 16;

impl Vector {
    /// Normalises and quantises; `None` for an empty vector, one with a component that is not finite, or all zeros.
    pub fn quantise(values: &[f32]) -> Option<Vector> {
        Vector::quantise_wide(values.iter().map(|&value| f64::from(value)).collect())
    }

    /// As [`Vector::quantise`], from double precision.
    pub fn quantise_wide(values: Vec<f64>) -> Option<Vector> {
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if !(largest > 0.0 && values.iter().all(|value| value.is_finite())) {
            return None;
        }
        // Scaled first, so that neither tiny nor huge components leave the range when squared.
        let norm = values.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt();
        let components = values
            .iter()
            .map(|value| (value / largest / norm * UNIT).round() as i16)
            .collect();
        Some(Vector(components))
    }

    /// A vector from components that are already quantised; `None` when its length is not one.
    pub fn from_components(components: Vec<i16>) -> Option<Vector> {
        let square = components.iter().map(|&c| i64::from(c) * i64::from(c)).sum::<i64>();
        let slack = 0.5 * (components.len() as f64).sqrt() + 1.0;
        ((square as f64).sqrt() - UNIT)
            .abs()
            .le(&slack)
            .then_some(Vector(components))
    }

    /// Components.
    pub fn components(&self) -> &[i16] {
        &self.0
    }

    /// Number of components.
    pub fn width(&self) -> usize {
        self.0.len()
    }

    /// Cosine of two vectors of the same width; [`UNLIKE`] when the widths differ.
    pub fn cosine(&self, other: &Vector) -> Cosine {
        cosine(&self.0, &other.0)
    }
}

/// Cosine of two quantised unit vectors, given by their components.
pub fn cosine(one: &[i16], other: &[i16]) -> Cosine {
    if one.len() != other.len() {
        return UNLIKE;
    }
    let (one_chunks, one_rest) = one.as_chunks::<LANES>();
    let (other_chunks, other_rest) = other.as_chunks::<LANES>();
    let mut lanes = [0_i32; LANES];
    for (a, b) in one_chunks.iter().zip(other_chunks) {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].wrapping_add(i32::from(a[lane]) * i32::from(b[lane]));
        }
    }
    let mut sum = lanes.into_iter().fold(0, i32::wrapping_add);
    for (a, b) in one_rest.iter().zip(other_rest) {
        sum = sum.wrapping_add(i32::from(*a) * i32::from(*b));
    }
    Cosine(sum)
}

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&pack16(&self.0))
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Vector, D::Error> {
        let text = String::deserialize(deserializer)?;
        unpack16(&text)
            .and_then(Vector::from_components)
            .ok_or_else(|| D::Error::custom("not a quantised unit vector"))
    }
}

impl Cosine {
    /// The cosine nearest to a real number in -1..=1.
    pub fn of(value: f64) -> Cosine {
        Cosine((value.clamp(-1.0, 1.0) * UNIT * UNIT).round() as i32)
    }

    /// As a real number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / (UNIT * UNIT)
    }

    /// Whether this cosine is at or above a threshold, up to one step of a component (Z-087).
    pub fn reaches(self, threshold: Cosine) -> bool {
        self.0 >= threshold.0.saturating_sub(STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::Cosine;
    use super::UNLIKE;
    use super::Vector;

    fn at_cosine(cosine: f64) -> Vector {
        Vector::quantise_wide(vec![cosine, (1.0 - cosine * cosine).sqrt(), 0.0]).expect("a vector")
    }

    #[test]
    fn a_cosine_at_the_threshold_reaches_it_and_one_just_below_does_not_z087() {
        let (axis, threshold) = (at_cosine(1.0), Cosine::of(0.85));
        assert!(axis.cosine(&at_cosine(0.85)).reaches(threshold));
        assert!(axis.cosine(&at_cosine(0.8501)).reaches(threshold));
        assert!(!axis.cosine(&at_cosine(0.8498)).reaches(threshold));
        assert!(!UNLIKE.reaches(Cosine::of(-1.0)));
    }

    #[test]
    fn a_quantised_vector_is_a_unit_vector_whatever_its_scale() {
        let small = Vector::quantise(&[3e-30, 4e-30]).expect("a vector");
        assert_eq!(small, Vector::quantise(&[3e30, 4e30]).expect("a vector"));
        assert!((small.cosine(&small).value() - 1.0).abs() < 1e-4);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for values in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(Vector::quantise(values), None);
        }
    }

    #[test]
    fn vectors_of_different_widths_never_meet_z103() {
        let two = Vector::quantise(&[1.0, 0.0]).expect("a vector");
        assert_eq!(two.cosine(&at_cosine(1.0)), UNLIKE);
    }

    #[test]
    fn a_vector_is_one_short_string_in_the_journal_and_a_broken_one_is_refused() {
        let vector = at_cosine(0.85);
        let text = serde_json::to_string(&vector).expect("text");
        assert!(text.starts_with('"'));
        assert_eq!(serde_json::from_str::<Vector>(&text).expect("a vector"), vector);
        assert!(serde_json::from_str::<Vector>("\"AAAA\"").is_err());
        assert!(Vector::from_components(vec![i16::MIN; 384]).is_none());
    }
}

//! Sums of quantised vectors, exact, and the centroid that follows from one.

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::Serializer;
use serde::de::Error;

use crate::packed::pack64;
use crate::packed::unpack64;
use crate::vector::Vector;

/// A component-wise sum of vectors of one width. The first vector fixes the width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum(Vec<i64>);

impl Sum {
    /// The sum of one vector.
    pub fn of(vector: &Vector) -> Sum {
        Sum(vector
            .components()
            .iter()
            .map(|&component| i64::from(component))
            .collect())
    }

    /// Adds a vector; one of another width comes from another model and is left out (Z-103).
    pub fn add(&mut self, vector: &Vector) {
        if self.0.is_empty() {
            *self = Sum::of(vector);
        } else if self.0.len() == vector.width() {
            for (sum, &component) in self.0.iter_mut().zip(vector.components()) {
                *sum = sum.saturating_add(i64::from(component));
            }
        }
    }

    /// The sum of so many equal vectors with these components.
    pub fn times(components: &[i16], count: u64) -> Sum {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let times = |&component: &i16| i64::from(component).saturating_mul(count);
        Sum(components.iter().map(times).collect())
    }

    /// Adds another sum of the same width.
    pub fn merge(&mut self, other: &Sum) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
        } else if self.0.len() == other.0.len() {
            for (sum, more) in self.0.iter_mut().zip(&other.0) {
                *sum = sum.saturating_add(*more);
            }
        }
    }

    /// Components; none before the first vector.
    pub fn components(&self) -> &[i64] {
        &self.0
    }

    /// The direction of the sum, quantised; `None` where the vectors cancel out.
    pub fn centroid(&self) -> Option<Vector> {
        Vector::quantise_wide(self.0.iter().map(|&component| component as f64).collect())
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&pack64(&self.0))
    }
}

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sum, D::Error> {
        let text = String::deserialize(deserializer)?;
        unpack64(&text)
            .map(Sum)
            .ok_or_else(|| D::Error::custom("not a packed sum"))
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;
    use crate::vector::Vector;

    #[test]
    fn a_centroid_is_the_direction_of_the_sum_and_another_width_is_left_out_z103() {
        let make = |values: &[f32]| Vector::quantise(values).expect("a vector");
        let mut sum = Sum::default();
        sum.add(&make(&[1.0, 0.0]));
        sum.add(&make(&[0.0, 1.0]));
        sum.add(&make(&[0.0, 1.0, 0.0]));
        assert_eq!(sum.centroid(), Some(make(&[1.0, 1.0])));
        sum.add(&make(&[-1.0, -1.0]));
        let text = serde_json::to_string(&sum).expect("text");
        assert_eq!(serde_json::from_str::<Sum>(&text).expect("a sum"), sum);
        assert_eq!(Sum::default().centroid(), None);
    }
}

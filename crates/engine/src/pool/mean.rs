//! The mean of a micro-cluster's vectors, as it is recorded where they are embedded anew.

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::Serializer;
use serde::de::Error;

use text::packed::pack16;
use text::packed::unpack16;
use text::vector::Vector;
use text::vector_sum::Sum;

/// The mean of some vectors, in their components' scale; shorter than they are where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mean(Vec<i16>);

impl Mean {
    /// The mean of vectors of one width, the first one's; `None` without any.
    pub fn of(vectors: &[Vector]) -> Option<Mean> {
        let width = vectors.first()?.width();
        let mut sum = Sum::default();
        let mut count = 0_i64;
        for vector in vectors.iter().filter(|vector| vector.width() == width) {
            sum.add(vector);
            count += 1;
        }
        // A mean of quantised components lies among them.
        let mean = |&sum: &i64| i16::try_from(sum / count).unwrap_or_default();
        Some(Mean(sum.components().iter().map(mean).collect()))
    }

    /// The sum of so many vectors with this mean.
    pub(in crate::pool) fn times(&self, members: u64) -> Sum {
        Sum::times(&self.0, members)
    }
}

impl Serialize for Mean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&pack16(&self.0))
    }
}

impl<'de> Deserialize<'de> for Mean {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Mean, D::Error> {
        let text = String::deserialize(deserializer)?;
        unpack16(&text)
            .map(Mean)
            .ok_or_else(|| D::Error::custom("not a packed mean"))
    }
}

#[cfg(test)]
mod tests {
    use super::Mean;
    use text::vector::Vector;

    fn towards(width: usize, axis: usize) -> Vector {
        let mut values = vec![0.0_f32; width];
        values[axis] = 1.0;
        Vector::quantise(&values).expect("a vector")
    }

    #[test]
    fn a_mean_is_shorter_where_its_vectors_differ_and_reads_back_z103() {
        let mean = Mean::of(&[towards(2, 0), towards(2, 1), towards(3, 0)]).expect("a mean");
        assert_eq!(mean, Mean(vec![8_192, 8_192]));
        let text = serde_json::to_string(&mean).expect("text");
        assert_eq!(serde_json::from_str::<Mean>(&text).expect("a mean"), mean);
        assert!(serde_json::from_str::<Mean>("\"A\"").is_err());
        assert_eq!(Mean::of(&[]), None);
    }
}

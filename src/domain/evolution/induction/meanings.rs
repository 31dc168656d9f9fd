//! What texts mean, as far as somebody had them embedded: vectors by text.
//!
//! Knows no model and embeds nothing. Invariant: an answer that would need a vector which is not there is `None`, and
//! induction then goes by words alone.

use std::collections::BTreeMap;

use crate::domain::pool::vector::Vector;

/// Vectors by text; empty where nothing was embedded.
#[derive(Clone, Debug, Default)]
pub struct Meanings {
    vectors: BTreeMap<String, Vector>,
}

impl Meanings {
    /// Texts with their vectors, in the same order. With another number of vectors than texts nothing is known: no vector
    /// would be sure to be its text's.
    pub fn of(texts: &[String], vectors: Vec<Vector>) -> Meanings {
        if texts.len() != vectors.len() {
            return Meanings::default();
        }
        Meanings {
            vectors: texts.iter().cloned().zip(vectors).collect(),
        }
    }

    /// The vector of a text.
    pub fn vector(&self, text: &str) -> Option<&Vector> {
        self.vectors.get(text)
    }

    /// Cosine of two texts.
    pub fn cosine(&self, one: &str, other: &str) -> Option<f64> {
        let (one, other) = (self.vector(one)?, self.vector(other)?);
        (one.width() == other.width()).then(|| one.cosine(other).value())
    }

    /// The middle of those texts that have a vector.
    pub fn centroid<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Option<Vector> {
        let mut sum: Vec<f64> = Vec::new();
        for vector in texts.filter_map(|text| self.vector(text)) {
            sum.resize(vector.width().max(sum.len()), 0.0);
            for (to, component) in sum.iter_mut().zip(vector.components()) {
                *to += f64::from(*component);
            }
        }
        Vector::quantise_wide(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::Meanings;
    use crate::domain::pool::vector::Vector;

    fn vector(values: &[f32]) -> Vector {
        Vector::quantise(values).expect("a vector")
    }

    #[test]
    fn vectors_are_those_of_their_texts_z109() {
        let texts = ["a".to_owned(), "b".to_owned()];
        let meanings = Meanings::of(&texts, vec![vector(&[1.0, 0.0]), vector(&[0.0, 1.0])]);
        assert!(meanings.cosine("a", "b").expect("both are known").abs() < 1e-3);
        assert_eq!(meanings.cosine("a", "c"), None);
        let middle = meanings.centroid(["a", "b", "c"].into_iter()).expect("two are known");
        assert!((middle.cosine(&vector(&[1.0, 1.0])).value() - 1.0).abs() < 1e-3);
        assert_eq!(meanings.centroid(["c"].into_iter()), None);
    }

    #[test]
    fn a_missing_vector_leaves_nothing_known_z109() {
        let texts = ["a".to_owned(), "b".to_owned()];
        assert_eq!(Meanings::of(&texts, vec![vector(&[1.0])]).vector("a"), None);
    }
}

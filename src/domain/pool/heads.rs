//! What a sentence's vector tells of it besides likeness: whether it orders a model about, and whether its meaning is sensitive.
//!
//! One logistic regression for each question, trained by `training/train.py` on sentences in the model's languages and kept beside
//! the model. Pure: numbers in, an answer out. Invariant: the weights are as wide as the vectors that they are asked about; of any
//! other vector nothing is told.

use serde::Deserialize;

use crate::domain::pool::vector::UNIT;
use crate::domain::pool::vector::Vector;

/// The regressions of one model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Heads {
    /// What the weights belong to, as [`crate::service::ports::Embedder::model`] names it.
    pub model: String,
    orders: Head,
    sensitive: Head,
}

/// A logistic regression on a sentence's vector.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Head {
    bias: f64,
    weights: Vec<f64>,
}

/// What is told of one sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// It is addressed to a model or about the template, not to the service.
    pub orders: bool,
    /// Somebody should look at what is made of it.
    pub sensitive: bool,
}

impl Heads {
    /// Reads the file that the training wrote.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn parse(text: &str) -> Result<Heads, String> {
        let heads: Heads = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if heads.orders.weights.len() != heads.sensitive.weights.len() {
            return Err("its regressions are not equally wide".to_owned());
        }
        Ok(heads)
    }

    /// Components of the vectors that it can be asked about.
    pub fn width(&self) -> usize {
        self.orders.weights.len()
    }

    /// What a vector tells; `None` where it has another width.
    pub fn tell(&self, vector: &Vector) -> Option<Told> {
        Some(Told {
            orders: self.orders.score(vector)? >= 0.0,
            sensitive: self.sensitive.score(vector)? >= 0.0,
        })
    }

    /// The scores behind [`Heads::tell`], orders and sensitive: 0 is an even chance.
    pub fn scores(&self, vector: &Vector) -> Option<(f64, f64)> {
        Some((self.orders.score(vector)?, self.sensitive.score(vector)?))
    }
}

impl Head {
    fn score(&self, vector: &Vector) -> Option<f64> {
        let components = vector.components();
        if components.len() != self.weights.len() {
            return None;
        }
        let products = components.iter().zip(&self.weights);
        let sum: f64 = products.map(|(&component, weight)| f64::from(component) * weight).sum();
        Some(sum / UNIT + self.bias)
    }
}

#[cfg(test)]
mod tests {
    use super::Heads;
    use super::Told;
    use crate::domain::pool::vector::Vector;

    const HEADS: &str = r#"{"model": "two", "orders": {"bias": -0.5, "weights": [1.0, 0.0]}, "sensitive": {"bias": 0.0, "weights": [0.0, -1.0]}}"#;

    #[test]
    fn a_vector_tells_by_its_own_side_of_each_regression_z165_z170() {
        let heads = Heads::parse(HEADS).expect("heads");
        let vector = |values: &[f32]| Vector::quantise(values).expect("a vector");
        let told = |orders, sensitive| Some(Told { orders, sensitive });
        assert_eq!(heads.tell(&vector(&[1.0, 0.1])), told(true, false));
        assert_eq!(heads.tell(&vector(&[0.1, -1.0])), told(false, true));
        assert_eq!(heads.tell(&vector(&[1.0, -0.1])), told(true, true));
        assert_eq!(heads.tell(&vector(&[1.0, 0.0, 0.0])), None, "another model's");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let narrow = HEADS.replace("[0.0, -1.0]", "[0.0]");
        assert!(Heads::parse(&narrow).expect_err("a fault").contains("wide"));
        assert!(Heads::parse("{}").is_err());
    }
}

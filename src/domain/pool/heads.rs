//! What a sentence's vector tells of it besides likeness: whether it orders a model about.
//!
//! A logistic regression, trained by `training/train.py` on sentences in the model's language and kept beside the model. Pure: numbers in, an answer out. Invariant: the weights are as wide as the vectors that they are asked about; of any
//! other vector nothing is told.

use serde::Deserialize;

use crate::domain::pool::vector::UNIT;
use crate::domain::pool::vector::Vector;

/// The regressions of one model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Heads {
    /// The name and width of the model that the weights belong to.
    pub model: String,
    orders: Head,
}

/// A logistic regression on a sentence's vector.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Head {
    bias: f64,
    weights: Vec<f64>,
}

impl Heads {
    /// Reads the file that the training wrote.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn parse(text: &str) -> Result<Heads, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Components of the vectors that it can be asked about.
    pub fn width(&self) -> usize {
        self.orders.weights.len()
    }

    /// How likely a sentence is addressed to a model or about the template, not to the service: its log-odds, so that 0 is an even
    /// chance. `None` where the vector has another width.
    pub fn orders(&self, vector: &Vector) -> Option<f64> {
        self.orders.score(vector)
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
    use crate::domain::pool::vector::Vector;

    #[test]
    fn a_vector_tells_by_its_side_of_the_regression_and_one_of_another_width_tells_nothing_z170() {
        let heads =
            Heads::parse(r#"{"model": "two", "orders": {"bias": -0.5, "weights": [1.0, 0.0]}}"#).expect("heads");
        let orders = |values: &[f32]| heads.orders(&Vector::quantise(values).expect("a vector"));
        assert!(orders(&[1.0, 0.1]).is_some_and(|score| score > 0.0));
        assert!(orders(&[0.1, -1.0]).is_some_and(|score| score < 0.0));
        assert_eq!(orders(&[1.0, 0.0, 0.0]), None);
        assert_eq!(heads.width(), 2);
    }

    #[test]
    fn what_is_no_regression_is_refused() {
        assert!(Heads::parse("{}").is_err());
    }
}

//! What a sentence's vector tells of it besides likeness: whether it orders a model about, whether it is a wish that a person should
//! look at, and whether it asks for anything.
//!
//! Logistic regressions, trained by `training/train.py` on sentences in the model's languages and kept beside the model. Pure: numbers
//! in, an answer out. Invariant: the weights are as wide as the vectors that they are asked about; of any other vector nothing is told.

use serde::Deserialize;

use text::vector::UNIT;
use text::vector::Vector;

/// The regressions of one model; which there are depends on what was trained for it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Heads {
    /// The name and width of the model that the weights belong to.
    pub model: String,
    /// Whether a sentence asks for something.
    pub demand: Head,
    /// Whether it is addressed to a model or about the template, not to the service.
    pub orders: Head,
    /// Whether it is a wish for which a person must say yes (Z-165).
    pub sensitive: Option<Head>,
}

/// A logistic regression on a sentence's vector.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Head {
    bias: f64,
    weights: Vec<f64>,
}

impl Heads {
    /// Reads the file that the training wrote.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn parse(text: &str) -> Result<Heads, String> {
        let heads: Heads = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let others = [Some(&heads.demand), heads.sensitive.as_ref()];
        let is_other_width = |head: &Head| head.weights.len() != heads.width();
        if others.into_iter().flatten().any(is_other_width) {
            return Err("its regressions are of different widths".to_owned());
        }
        Ok(heads)
    }

    /// Components of the vectors that it can be asked about.
    pub fn width(&self) -> usize {
        self.orders.weights.len()
    }
}

impl Head {
    /// How likely it is of a sentence, as log-odds, so that 0 is an even chance; `None` where the vector has another width.
    pub fn score(&self, vector: &Vector) -> Option<f64> {
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
    use super::*;

    const HEADS: &str = r#"{"model": "two", "demand": {"bias": 0.0, "weights": [0.0, 1.0]},
        "orders": {"bias": -0.5, "weights": [1.0, 0.0]}, "sensitive": {"bias": 0.0, "weights": [-1.0, 0.0]}}"#;

    fn vector(values: &[f32]) -> Vector {
        Vector::quantise(values).expect("a vector")
    }

    #[test]
    fn a_vector_tells_by_its_side_of_each_regression_and_one_of_another_width_tells_nothing_z165_z170() {
        let heads = Heads::parse(HEADS).expect("heads");
        let (right, down) = (vector(&[1.0, 0.1]), vector(&[0.1, -1.0]));
        assert!(heads.orders.score(&right) > Some(0.0) && heads.orders.score(&down) < Some(0.0));
        assert!(heads.demand.score(&right) > Some(0.0) && heads.demand.score(&down) < Some(0.0));
        let sensitive = heads.sensitive.as_ref().expect("a head");
        assert!(sensitive.score(&right) < Some(-0.5));
        let wide = vector(&[1.0, 0.0, 0.0]);
        let told = [&heads.demand, &heads.orders, sensitive].map(|head| head.score(&wide));
        assert_eq!((told, heads.width()), ([None; 3], 2));
        let without = HEADS.replace("\"sensitive\"", "\"another\"");
        assert_eq!(Heads::parse(&without).expect("heads").sensitive, None);
    }

    #[test]
    fn what_is_no_regression_or_of_two_widths_is_refused() {
        assert!(Heads::parse("{}").is_err());
        assert!(Heads::parse(&HEADS.replace("[-1.0, 0.0]", "[-1.0]")).is_err());
    }
}

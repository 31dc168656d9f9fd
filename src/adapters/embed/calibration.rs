//! What the service has to know of a model before it uses it, as it stands in the model's own folder.
//!
//! Knows no file and no network. Invariant: a model without it is not loaded, so that no two models are taken for one.

use serde::Deserialize;

/// `calibration.toml` of a model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Its name, weights included.
    pub name: String,
    /// Components of a vector.
    pub width: usize,
    /// Word pieces of a text that it reads, the two marks around it included; it was trained with no more.
    pub tokens_max: usize,
    /// Whether it tells capital letters from small ones.
    pub cased: bool,
    /// Mean likeness of fragments of one wish, their pool's mean taken away, at which linkage stops.
    pub link: f64,
    /// Languages that it reads, BCP 47.
    pub languages: Vec<String>,
    /// Where its weights come from.
    pub source: String,
    /// SHA-256 of the network that all of this is said of.
    pub sha256: String,
    pub licence: String,
}

impl Calibration {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn parse(text: &str) -> Result<Calibration, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    /// Name and width, as kept beside every vector (Z-103).
    pub fn model(&self) -> String {
        format!("{}/{}", self.name, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::Calibration;

    const TEXT: &str = "name = \"small\"\nwidth = 3\ntokens_max = 16\ncased = true\nlink = 0.2\nlanguages = [\"de\"]\nsource = \"here\"\n\
                        sha256 = \"ab\"\nlicence = \"CC0-1.0\"\n";

    #[test]
    fn a_model_is_called_by_its_name_and_width_z103() {
        assert_eq!(Calibration::parse(TEXT).expect("whole").model(), "small/3");
    }

    #[test]
    fn what_is_missing_or_unknown_is_named_z103() {
        let without = Calibration::parse(&TEXT.replace("width = 3\n", "")).expect_err("no width");
        assert!(without.contains("width"), "{without}");
        let beside = Calibration::parse(&format!("{TEXT}widht = 4\n")).expect_err("unknown");
        assert!(beside.contains("widht"), "{beside}");
    }
}

//! The model's files as bytes: what is checked against `SHA256SUMS` is what is used, read once.
//!
//! Knows nothing of ONNX Runtime. Invariant: a [`ModelFiles`] holds only bytes whose sums were right.

use std::fs;
use std::path::Path;

use sha2::Digest;
use sha2::Sha256;

use crate::domain::name::hexadecimal;

/// The network, in ONNX.
pub const NETWORK: &str = "minilm-l6-v2-w8.onnx";
/// Words and rules of the tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// What the tokenizer is told besides.
pub const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
/// Tokens that are no words.
pub const SPECIAL_TOKENS: &str = "special_tokens_map.json";
/// The network's shape.
pub const CONFIG: &str = "config.json";
/// What is told of a sentence by its vector.
pub const HEADS: &str = "heads.json";
/// One line a file: SHA-256 in hexadecimal, two spaces, name.
pub const SUMS: &str = "SHA256SUMS";

/// Everything that the model is made of.
#[derive(Clone, Debug)]
pub struct ModelFiles {
    pub network: Vec<u8>,
    pub tokenizer: Vec<u8>,
    pub tokenizer_config: Vec<u8>,
    pub special_tokens: Vec<u8>,
    pub config: Vec<u8>,
    pub heads: Vec<u8>,
}

impl ModelFiles {
    /// Reads the folder and checks every file against its sum.
    ///
    /// # Errors
    /// A sentence that names the file and says what to do.
    pub fn read(models: &Path) -> Result<ModelFiles, String> {
        let sums = fs::read_to_string(models.join(SUMS)).map_err(|error| missing(models, SUMS, &error))?;
        let read = |name: &str| {
            let bytes = fs::read(models.join(name)).map_err(|error| missing(models, name, &error))?;
            match sum_of(&sums, name) {
                Some(sum) if sum.eq_ignore_ascii_case(&sha256(&bytes)) => Ok(bytes),
                Some(_) => Err(format!(
                    "{} is not the file whose SHA-256 stands in {SUMS}: restore the models folder from the repository",
                    models.join(name).display()
                )),
                None => Err(format!(
                    "{} does not name {name}: restore the models folder from the repository",
                    models.join(SUMS).display()
                )),
            }
        };
        Ok(ModelFiles {
            network: read(NETWORK)?,
            tokenizer: read(TOKENIZER)?,
            tokenizer_config: read(TOKENIZER_CONFIG)?,
            special_tokens: read(SPECIAL_TOKENS)?,
            config: read(CONFIG)?,
            heads: read(HEADS)?,
        })
    }
}

fn missing(models: &Path, name: &str, error: &std::io::Error) -> String {
    format!(
        "{} cannot be read ({error}): name the folder of the model with --models, or restore it from the repository",
        models.join(name).display()
    )
}

fn sum_of<'a>(sums: &'a str, name: &str) -> Option<&'a str> {
    sums.lines()
        .filter_map(|line| line.split_once(char::is_whitespace))
        .find(|(_, file)| file.trim_start().trim_start_matches('*') == name)
        .map(|(sum, _)| sum)
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_found_by_the_whole_name_z103() {
        let sums = "aa  tokenizer.json\nbb *config.json\n";
        assert_eq!(sum_of(sums, "tokenizer.json"), Some("aa"));
        assert_eq!(sum_of(sums, "config.json"), Some("bb"));
        assert_eq!(sum_of(sums, "token"), None);
    }

    #[test]
    fn a_folder_without_a_model_is_named_z103() {
        let folder = tempfile::tempdir().unwrap();
        let said = ModelFiles::read(folder.path()).unwrap_err();
        assert!(
            said.contains("SHA256SUMS cannot be read") && said.contains("--models"),
            "{said}"
        );
    }
}

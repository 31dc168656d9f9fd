//! The model's files: read once, each held against `SHA256SUMS` beside it.

use std::fs;
use std::path::Path;

use fastembed::Pooling;
use fastembed::TokenizerFiles;
use fastembed::UserDefinedEmbeddingModel;
use sha2::Digest;
use sha2::Sha256;

use crate::service::ports::EmbedFault;

/// The model's name and width, as vectors carry it.
pub const NAME: &str = "all-minilm-l6-v2-w8/384";

/// Components of a vector.
pub const WIDTH: usize = 384;

/// Tokens of a text that are looked at.
pub const TOKENS_MAX: usize = 256;

const SUMS: &str = "SHA256SUMS";

/// Reads the model from a folder. Pooling is the mean over the attention mask.
///
/// # Errors
/// Says which file is missing, or is not the one that `SHA256SUMS` names.
pub fn read(folder: &Path) -> Result<UserDefinedEmbeddingModel, EmbedFault> {
    let sums = read_file(folder, SUMS)?;
    let sums = String::from_utf8_lossy(&sums);
    let checked = |name: &str| -> Result<Vec<u8>, EmbedFault> {
        let expected = sums
            .lines()
            .find_map(|line| line.split_once("  ").filter(|(_, file)| *file == name))
            .ok_or_else(|| fault(folder, name, &format!("is not listed in {SUMS}")))?
            .0;
        let bytes = read_file(folder, name)?;
        let found = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>();
        if found == expected {
            Ok(bytes)
        } else {
            Err(fault(folder, name, &format!("is not the file that {SUMS} names")))
        }
    };
    let tokenizer = TokenizerFiles {
        tokenizer_file: checked("tokenizer.json")?,
        config_file: checked("config.json")?,
        special_tokens_map_file: checked("special_tokens_map.json")?,
        tokenizer_config_file: checked("tokenizer_config.json")?,
    };
    let model = UserDefinedEmbeddingModel::new(checked("minilm-l6-v2-w8.onnx")?, tokenizer);
    Ok(model.with_pooling(Pooling::Mean))
}

fn read_file(folder: &Path, name: &str) -> Result<Vec<u8>, EmbedFault> {
    fs::read(folder.join(name)).map_err(|error| fault(folder, name, &format!("cannot be read ({error})")))
}

fn fault(folder: &Path, name: &str, what: &str) -> EmbedFault {
    EmbedFault::Model(format!(
        "the model's file {} {what}: bring the models folder back as it is in the repository",
        folder.join(name).display()
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::read;

    const FILES: [&str; 6] = [
        "SHA256SUMS",
        "minilm-l6-v2-w8.onnx",
        "tokenizer.json",
        "config.json",
        "special_tokens_map.json",
        "tokenizer_config.json",
    ];

    #[test]
    fn the_model_is_the_one_that_is_listed_and_any_other_is_named_z103() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        read(&models).expect("the files in the repository are those listed");
        let folder = tempfile::tempdir().expect("a folder");
        for file in FILES {
            fs::copy(models.join(file), folder.path().join(file)).expect("copied");
        }
        for file in FILES {
            let path = folder.path().join(file);
            let bytes = fs::read(&path).expect("bytes");
            fs::remove_file(&path).expect("removed");
            let said = read(folder.path()).expect_err("missing").to_string();
            assert!(said.contains(&format!("{file} cannot be read")), "{said}");
            let mut changed = bytes.clone();
            changed[0] ^= 1;
            fs::write(&path, changed).expect("written");
            let said = read(folder.path()).expect_err("changed").to_string();
            assert!(said.contains("SHA256SUMS"), "{said}");
            fs::write(&path, bytes).expect("written");
        }
    }
}

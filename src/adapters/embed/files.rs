//! The models' files as bytes: what is checked against `SHA256SUMS` is what is used, read once.
//!
//! A folder of models has a folder for each and one list of sums for all. Knows nothing of ONNX Runtime. Invariant: a
//! [`ModelFiles`] holds only bytes whose sums were right, of a model that its folder says what it is.

use std::fs;
use std::fs::File;
use std::io;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use sha2::Digest;
use sha2::Sha256;

use crate::adapters::embed::calibration::Calibration;
use text::name::hexadecimal;

/// The network, in ONNX.
pub const NETWORK: &str = "model.onnx";
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
/// What the service has to know of the model.
pub const CALIBRATION: &str = "calibration.toml";
/// One line a file of every model: SHA-256 in hexadecimal, two spaces, `MODEL/NAME`.
pub const SUMS: &str = "SHA256SUMS";

/// The files of each model.
pub const ALL: [&str; 7] = [
    CALIBRATION,
    CONFIG,
    HEADS,
    NETWORK,
    SPECIAL_TOKENS,
    TOKENIZER,
    TOKENIZER_CONFIG,
];

/// The folder of one model within the folder of all, with what the sums say of it.
#[derive(Clone, Debug)]
pub struct ModelFolder {
    models: PathBuf,
    /// Its folder's name.
    name: &'static str,
    sums: String,
}

/// Everything that a model is made of.
#[derive(Clone, Debug)]
pub struct ModelFiles {
    pub network: Vec<u8>,
    pub tokenizer: Vec<u8>,
    pub tokenizer_config: Vec<u8>,
    pub special_tokens: Vec<u8>,
    pub config: Vec<u8>,
    pub calibration: Calibration,
}

impl ModelFolder {
    /// Reads the sums. A folder of models that knows nothing of this one is refused by its name.
    ///
    /// # Errors
    /// A sentence that names the file and says what to do.
    pub fn open(models: &Path, name: &'static str) -> Result<ModelFolder, String> {
        let sums = fs::read_to_string(models.join(SUMS)).map_err(|error| missing(&models.join(SUMS), &error))?;
        Ok(ModelFolder {
            models: models.to_owned(),
            name,
            sums,
        })
    }

    /// Checks every file against its sum and keeps none, so that a model that is loaded later is known to be whole.
    ///
    /// # Errors
    /// As [`ModelFolder::open`].
    pub fn check(&self) -> Result<(), String> {
        for name in ALL {
            let path = self.path(name);
            let mut hasher = Sha256::new();
            let mut file = File::open(&path).map_err(|error| missing(&path, &error))?;
            let mut piece = vec![0; 1 << 16];
            loop {
                match file.read(&mut piece).map_err(|error| missing(&path, &error))? {
                    0 => break,
                    read => hasher.update(piece.get(..read).unwrap_or_default()),
                }
            }
            self.compare(name, &hexadecimal(&hasher.finalize()))?;
        }
        Ok(())
    }

    /// What the model is, out of its folder.
    ///
    /// # Errors
    /// As [`ModelFolder::open`]; also where it is not said, or said of another network.
    pub fn calibration(&self) -> Result<Calibration, String> {
        let text = self.read(CALIBRATION)?;
        let calibration = Calibration::parse(&String::from_utf8_lossy(&text))
            .map_err(|what| format!("{}: {what}", self.path(CALIBRATION).display()))?;
        match self.sum(NETWORK) {
            Some(sum) if sum.eq_ignore_ascii_case(&calibration.sha256) => Ok(calibration),
            Some(_) | None => Err(format!(
                "{} speaks of another network than {NETWORK} beside it: {RESTORE}",
                self.path(CALIBRATION).display()
            )),
        }
    }

    /// What is told by the model's vectors, as text.
    ///
    /// # Errors
    /// As [`ModelFolder::open`].
    pub fn heads(&self) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.read(HEADS)?).into_owned())
    }

    /// Reads what the model is loaded from.
    ///
    /// # Errors
    /// As [`ModelFolder::calibration`].
    pub fn files(&self) -> Result<ModelFiles, String> {
        Ok(ModelFiles {
            calibration: self.calibration()?,
            network: self.read(NETWORK)?,
            tokenizer: self.read(TOKENIZER)?,
            tokenizer_config: self.read(TOKENIZER_CONFIG)?,
            special_tokens: self.read(SPECIAL_TOKENS)?,
            config: self.read(CONFIG)?,
        })
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let path = self.path(name);
        let bytes = fs::read(&path).map_err(|error| missing(&path, &error))?;
        self.compare(name, &sha256(&bytes))?;
        Ok(bytes)
    }

    fn compare(&self, name: &str, found: &str) -> Result<(), String> {
        match self.sum(name) {
            Some(sum) if sum.eq_ignore_ascii_case(found) => Ok(()),
            Some(_) => Err(format!(
                "{} is not the file whose SHA-256 stands in {SUMS}: {RESTORE}",
                self.path(name).display()
            )),
            None => Err(format!(
                "{} does not name {}/{name}: {RESTORE}",
                self.models.join(SUMS).display(),
                self.name
            )),
        }
    }

    fn sum(&self, name: &str) -> Option<&str> {
        sum_of(&self.sums, &format!("{}/{name}", self.name))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.models.join(self.name).join(name)
    }
}

const RESTORE: &str = "restore the models folder from the repository";

fn missing(path: &Path, error: &io::Error) -> String {
    format!(
        "{} cannot be read ({error}): name the folder of the models with --models, or restore it from the repository",
        path.display()
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
        let sums = "aa  small/tokenizer.json\nbb *small/config.json\n";
        assert_eq!(sum_of(sums, "small/tokenizer.json"), Some("aa"));
        assert_eq!(sum_of(sums, "small/config.json"), Some("bb"));
        assert_eq!(sum_of(sums, "config.json"), None);
        assert_eq!(sum_of(sums, "small/token"), None);
    }

    #[test]
    fn a_folder_without_a_model_is_named_z103() {
        let folder = tempfile::tempdir().unwrap();
        let said = ModelFolder::open(folder.path(), "small").unwrap_err();
        assert!(
            said.contains("SHA256SUMS cannot be read") && said.contains("--models"),
            "{said}"
        );
    }

    #[test]
    fn a_model_without_calibration_or_with_that_of_another_network_is_refused_by_name_z103() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("small")).unwrap();
        let said = |sums: &str| {
            fs::write(folder.path().join(SUMS), sums).unwrap();
            let model = ModelFolder::open(folder.path(), "small").unwrap();
            model.calibration().unwrap_err()
        };
        let without = said("aa  small/model.onnx\n");
        assert!(without.contains("small/calibration.toml cannot be read"), "{without}");
        let text = "name = \"small\"\nwidth = 3\ntokens_max = 16\ncased = true\nlink = 0.2\nlanguages = []\nsource = \"\"\nsha256 = \"bb\"\n\
                    licence = \"\"\n";
        fs::write(folder.path().join("small").join(CALIBRATION), text).unwrap();
        let other = said(&format!(
            "aa  small/model.onnx\n{}  small/calibration.toml\n",
            sha256(text.as_bytes())
        ));
        assert!(other.contains("speaks of another network"), "{other}");
    }
}

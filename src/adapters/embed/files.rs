//! The models' files as bytes, and what each model says of itself: what is checked against `SHA256SUMS` is what is used.
//!
//! A model is a folder with its own list of sums. Knows nothing of ONNX Runtime. Invariant: a [`ModelFiles`] holds only bytes whose
//! sums were right, of a model whose calibration says what it is, so that no two models are taken for one.

use std::fs;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use serde::Deserialize;
use sha2::Digest;
use sha2::Sha256;

use text::name::hexadecimal;

/// The network, in ONNX.
pub const NETWORK: &str = "model.onnx";
/// Words and rules of the tokenizer; what it is told besides; tokens that are no words; the network's shape.
const TOKENIZER: &str = "tokenizer.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const SPECIAL_TOKENS: &str = "special_tokens_map.json";
const CONFIG: &str = "config.json";
/// What is told of a sentence by its vector.
pub const HEADS: &str = "heads.json";
/// What the service has to know of the model.
const CALIBRATION: &str = "calibration.toml";
/// One line a file: SHA-256 in hexadecimal, two spaces, its name.
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

const RESTORE: &str = "restore the models folder from the repository";

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
    /// Name and width, as kept beside every vector (Z-103).
    pub fn model(&self) -> String {
        format!("{}/{}", self.name, self.width)
    }
}

/// The folder of one model, with what its sums say of it.
#[derive(Clone, Debug)]
pub struct ModelFolder {
    folder: PathBuf,
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
    /// Reads the sums.
    ///
    /// # Errors
    /// A sentence that names the file and says what to do.
    pub fn open(folder: PathBuf) -> Result<ModelFolder, String> {
        let path = folder.join(SUMS);
        let sums = fs::read_to_string(&path).map_err(|error| missing(&path, &error))?;
        Ok(ModelFolder { folder, sums })
    }

    /// Checks every file against its sum and keeps none, so that a model that is loaded later is known to be whole.
    pub fn check(&self) -> Result<(), String> {
        ALL.iter().try_for_each(|name| self.read(name).map(drop))
    }

    /// What the model is, out of its folder.
    ///
    /// # Errors
    /// As [`ModelFolder::open`]; also where it is not said, or said of another network.
    pub fn calibration(&self) -> Result<Calibration, String> {
        let path = self.folder.join(CALIBRATION);
        let calibration: Calibration = toml::from_str(&self.text(CALIBRATION)?)
            .map_err(|error: toml::de::Error| format!("{}: {}", path.display(), error.message()))?;
        if self
            .sum(NETWORK)
            .is_some_and(|sum| sum.eq_ignore_ascii_case(&calibration.sha256))
        {
            return Ok(calibration);
        }
        let path = path.display();
        Err(format!(
            "{path} speaks of another network than {NETWORK} beside it: {RESTORE}"
        ))
    }

    /// A file as text.
    pub fn text(&self, name: &str) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.read(name)?).into_owned())
    }

    /// Reads what the model is loaded from.
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
        let path = self.folder.join(name);
        let bytes = fs::read(&path).map_err(|error| missing(&path, &error))?;
        let found = hexadecimal(&Sha256::digest(&bytes));
        match self.sum(name) {
            Some(sum) if sum.eq_ignore_ascii_case(&found) => Ok(bytes),
            Some(_) => Err(format!(
                "{} is not the file whose SHA-256 stands in {SUMS}: {RESTORE}",
                path.display()
            )),
            None => Err(format!(
                "{} does not name {name}: {RESTORE}",
                self.folder.join(SUMS).display()
            )),
        }
    }

    fn sum(&self, name: &str) -> Option<&str> {
        let lines = self.sums.lines();
        let mut named = lines.filter_map(|line| line.split_once(char::is_whitespace));
        let (sum, _) = named.find(|(_, file)| file.trim_start().trim_start_matches('*') == name)?;
        Some(sum)
    }
}

fn missing(path: &Path, error: &io::Error) -> String {
    format!(
        "{} cannot be read ({error}): name the folder of the models with --models and those in it with models.english and \
         models.multilingual, or restore it from the repository",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_what_its_folder_says_and_what_is_missing_or_of_another_network_is_named_z103() {
        let folder = tempfile::tempdir().unwrap();
        let small = folder.path().join("small");
        let said = ModelFolder::open(small.clone()).unwrap_err();
        assert!(
            said.contains("small/SHA256SUMS cannot be read") && said.contains("--models"),
            "{said}"
        );
        fs::create_dir(&small).unwrap();
        let model = |sums: &str| {
            fs::write(small.join(SUMS), sums).unwrap();
            ModelFolder::open(small.clone()).unwrap().calibration()
        };
        let said = model("aa  model.onnx\n").unwrap_err();
        assert!(said.contains("small/calibration.toml cannot be read"), "{said}");
        let whole = "name = \"small\"\nwidth = 3\ntokens_max = 16\ncased = true\nlink = 0.2\nlanguages = []\nsource = \"\"\n\
                     sha256 = \"bb\"\nlicence = \"\"\n";
        let calibrated = |text: &str, network: &str| {
            fs::write(small.join(CALIBRATION), text).unwrap();
            let sum = hexadecimal(&Sha256::digest(text.as_bytes()));
            model(&format!(
                "cc  other/model.onnx\n{network} *model.onnx\n{sum}  calibration.toml\n"
            ))
        };
        assert_eq!(calibrated(whole, "BB").unwrap().model(), "small/3");
        for (text, network, what) in [
            (whole.to_owned(), "aa", "speaks of another network"),
            (whole.replace("width = 3\n", ""), "bb", "width"),
            (format!("{whole}widht = 4\n"), "bb", "widht"),
        ] {
            let said = calibrated(&text, network).unwrap_err();
            assert!(said.contains(what), "{said}");
        }
    }
}

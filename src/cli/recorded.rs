//! A reader whose answers lie in a folder: what it would be given is written there, and what lies beside it is what it says.
//!
//! The n-th question is `n.material.json` with `n.instructions.txt`, its answer `n.answer.json`.

use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use crate::app::pool_review::Reader;
use engine::evolution::review;
use engine::evolution::review::answer::Answer;
use engine::evolution::review::material::Material;
use store::journal::Promise;

/// A folder of answers.
#[derive(Debug)]
pub struct Recorded {
    folder: PathBuf,
    /// Whether what has no answer yet is written down.
    records: bool,
    asked: AtomicUsize,
}

impl Recorded {
    /// Reads `record:DIR` or `play:DIR`.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn parse(text: &str) -> Result<Recorded, String> {
        let (records, folder) = match text.split_once(':') {
            Some(("record", folder)) => (true, folder),
            Some(("play", folder)) => (false, folder),
            Some(_) | None => return Err("--reader: give record:DIR or play:DIR".to_owned()),
        };
        let folder = PathBuf::from(folder);
        if !folder.is_dir() {
            return Err(format!("--reader: there is no folder {}", folder.display()));
        }
        Ok(Recorded {
            folder,
            records,
            asked: AtomicUsize::new(0),
        })
    }

    fn answer(&self, material: &Material) -> Result<Answer, String> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let file = |what: &str| self.folder.join(format!("{number}.{what}"));
        if self.records {
            let question = review::question(material);
            let pretty = serde_json::to_string_pretty(material).unwrap_or_default();
            write(&file("material.json"), &pretty)?;
            write(&file("instructions.txt"), question.system)?;
        }
        let text = std::fs::read(file("answer.json")).map_err(|_| format!("answer {number} is not recorded"))?;
        serde_json::from_slice(&text).map_err(|error| format!("answer {number} does not follow its schema: {error}"))
    }
}

impl Reader for Recorded {
    fn name(&self) -> &'static str {
        "recorded"
    }

    fn read<'a>(&'a self, material: &'a Material) -> Promise<'a, Result<Answer, String>> {
        Box::pin(async move { self.answer(material) })
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

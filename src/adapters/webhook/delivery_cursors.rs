//! The file of marks: up to which entry each webhook was told.
//!
//! It is a file and no event: losing it costs deliveries that come twice, and nothing is decided by it. Invariant: it is
//! replaced whole.

use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use crate::adapters::text_file;
use crate::app::ports::DeliveryCursors;
use crate::app::ports::Marks;

/// The file's name in the data folder.
pub const FILE: &str = "webhook_marks.json";

/// Marks in a file.
#[derive(Debug)]
pub struct CursorsFile {
    file: PathBuf,
    /// What lies there, so that nothing is written that is there already.
    kept: Mutex<Marks>,
}

impl CursorsFile {
    /// The file in a data folder.
    pub fn within(folder: &Path) -> CursorsFile {
        CursorsFile {
            file: folder.join(FILE),
            kept: Mutex::default(),
        }
    }
}

impl DeliveryCursors for CursorsFile {
    fn load(&self) -> Result<Marks, String> {
        let marks: Marks = match std::fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let file = self.file.display();
                format!("{file} is damaged ({error}); remove it, and webhooks are told again what happened since they were registered")
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => Marks::default(),
            Err(error) => return Err(format!("{} cannot be read: {error}", self.file.display())),
        };
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&marks);
        Ok(marks)
    }

    fn keep(&self, marks: &Marks) -> Result<(), String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if *kept == *marks {
            return Ok(());
        }
        let bytes = serde_json::to_vec(marks).map_err(|error| error.to_string())?;
        text_file::replace(&self.file, &bytes).map_err(|error| error.to_string())?;
        kept.clone_from(marks);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::CursorsFile;
    use super::FILE;
    use crate::app::ports::DeliveryCursors;
    use crate::app::ports::Marks;
    use engine::namespace::webhook::WebhookId;
    use schema::name::ScenarioKey;

    fn marks(seq: u64) -> Marks {
        let scenario = ScenarioKey::parse("größe").expect("a scenario");
        [(WebhookId::of([7; 16]), [(scenario, seq)].into())].into()
    }

    #[test]
    fn marks_are_read_as_they_were_kept_and_written_only_when_they_moved() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let file = CursorsFile::within(&data);
        assert_eq!(file.load(), Ok(Marks::default()), "at first");
        file.keep(&marks(3)).expect("the folder is made");
        assert_eq!(CursorsFile::within(&data).load(), Ok(marks(3)));
        std::fs::remove_file(data.join(FILE)).expect("removed");
        file.keep(&marks(3)).expect("nothing to do");
        assert!(!data.join(FILE).exists(), "nothing moved");
        file.keep(&marks(4)).expect("kept");
        assert_eq!(CursorsFile::within(&data).load(), Ok(marks(4)));
    }

    #[test]
    fn a_file_that_is_damaged_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(FILE), "{").expect("written");
        let said = CursorsFile::within(folder.path()).load().expect_err("damaged");
        assert!(said.contains(FILE), "{said}");
    }
}

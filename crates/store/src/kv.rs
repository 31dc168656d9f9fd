//! What an engine has to be able to do: keep rows in the order of their keys, and put several in place at once.
//!
//! Everything else that a journal promises is built on these four methods. Invariant: a batch is seen whole or not at all,
//! and what was synced is there after the process or the machine has died.

use std::fmt::Debug;
use std::fs::File;
use std::path::Path;

use crate::fault;
use crate::journal::JournalFault;

/// A key and its value.
pub type Row = (Vec<u8>, Vec<u8>);
/// Rows in the order of their keys. After a fault there is nothing to come.
pub type Rows<'a> = Box<dyn Iterator<Item = Result<Row, JournalFault>> + 'a>;

/// A change that is seen whole or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub put: Vec<Row>,
    pub remove: Vec<Vec<u8>>,
}

impl Batch {
    /// Rows that are written.
    pub fn put(put: Vec<Row>) -> Batch {
        let remove = Vec::new();
        Batch { put, remove }
    }

    /// Rows that are removed.
    pub fn remove(remove: Vec<Vec<u8>>) -> Batch {
        let put = Vec::new();
        Batch { put, remove }
    }
}

/// Rows that are open. An engine that is dropped lets go of its files.
pub trait Kv: Debug + Send + Sync {
    /// Puts a batch in place for whoever reads; durable after the next [`Kv::sync`].
    ///
    /// # Errors
    /// When it failed; whether the batch is there is then known only after opening the folder again.
    fn apply(&self, batch: Batch) -> Result<(), JournalFault>;

    /// Makes everything durable that was applied.
    fn sync(&self) -> Result<(), JournalFault>;

    /// The rows from `from` up to and without `to`. An engine that fails or finds damage says so in place of a row.
    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_>;

    /// The greatest key from `from` to `to`, both included.
    fn last_key(&self, from: &[u8], to: &[u8]) -> Result<Option<Vec<u8>>, JournalFault>;
}

/// Opens or creates a folder of rows, with so many bytes of memory for what was read or written last.
pub type Open = fn(&Path, u64) -> Result<Box<dyn Kv>, JournalFault>;

/// An engine that keeps its rows in a folder.
#[derive(Debug)]
pub struct Engine {
    /// Its own folder, within the data folder.
    pub folder: &'static str,
    /// The file in it that holds the rows: the last one that is made, and locked while a process has it open.
    pub file: &'static str,
    /// What it makes before that file.
    pub made_before: &'static [&'static str],
    /// Opens its own folder.
    pub open: Open,
}

/// Makes the names in a folder durable.
pub fn sync_folder(folder: &Path) -> Result<(), JournalFault> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| fault::from_io(&error, folder))
}

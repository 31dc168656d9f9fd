//! redb: one file, copied on write.
//!
//! A batch is committed without being durable; a sync is an empty commit that is, and with it everything before it.

use std::fs::rename;
use std::path::Path;
use std::path::PathBuf;

use redb::Database;
use redb::Durability;
use redb::ReadableDatabase;
use redb::TableDefinition;

use crate::fault;
use crate::journal::JournalFault;
use crate::kv;
use crate::kv::Batch;
use crate::kv::Engine;
use crate::kv::Kv;
use crate::kv::Row;
use crate::kv::Rows;

/// redb.
pub const ENGINE: Engine = Engine {
    folder: "redb",
    file: "db",
    made_before: &[HALF_MADE],
    open: |folder, cache_bytes| Ok(Box::new(Redb::open(folder, cache_bytes)?)),
};

/// The file until it was made whole.
const HALF_MADE: &str = "db.new";
const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");

/// One file.
#[derive(Debug)]
struct Redb {
    path: PathBuf,
    db: Database,
}

impl Redb {
    fn open(folder: &Path, cache_bytes: u64) -> Result<Redb, JournalFault> {
        let path = folder.join(ENGINE.file);
        let in_file = |error: redb::Error| from_redb(error, &path);
        let mut builder = Database::builder();
        builder.set_cache_size(usize::try_from(cache_bytes).unwrap_or(usize::MAX));
        if !path.exists() {
            let half_made = folder.join(HALF_MADE);
            std::fs::create_dir_all(folder).map_err(|error| fault::from_io(&error, folder))?;
            let made = builder.create(&half_made).map_err(|error| in_file(error.into()))?;
            let begun = Redb {
                path: path.clone(),
                db: made,
            };
            begun.apply(Batch::default())?;
            begun.sync()?;
            drop(begun);
            rename(&half_made, &path).map_err(|error| fault::from_io(&error, folder))?;
            kv::sync_folder(folder)?;
        }
        let db = builder.open(&path).map_err(|error| in_file(error.into()))?;
        Ok(Redb { path, db })
    }

    fn write(&self, batch: Batch, durability: Durability) -> Result<(), redb::Error> {
        let mut write = self.db.begin_write()?;
        write.set_durability(durability)?;
        {
            let mut rows = write.open_table(ROWS)?;
            for (key, value) in &batch.put {
                rows.insert(key.as_slice(), value.as_slice())?;
            }
            for key in &batch.remove {
                rows.remove(key.as_slice())?;
            }
        }
        Ok(write.commit()?)
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Result<redb::Range<'static, &'static [u8], &'static [u8]>, redb::Error> {
        Ok(self.db.begin_read()?.open_table(ROWS)?.range(from..to)?)
    }

    fn fault(&self, error: impl Into<redb::Error>) -> JournalFault {
        from_redb(error.into(), &self.path)
    }
}

impl Kv for Redb {
    fn apply(&self, batch: Batch) -> Result<(), JournalFault> {
        self.write(batch, Durability::None).map_err(|error| self.fault(error))
    }

    fn sync(&self) -> Result<(), JournalFault> {
        self.write(Batch::default(), Durability::Immediate)
            .map_err(|error| self.fault(error))
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        let rows = match self.range(from, to) {
            Ok(rows) => rows,
            Err(error) => return Box::new(std::iter::once(Err(self.fault(error)))),
        };
        Box::new(rows.map(|row| -> Result<Row, JournalFault> {
            let (key, value) = row.map_err(|error| self.fault(error))?;
            Ok((key.value().to_vec(), value.value().to_vec()))
        }))
    }

    fn last_key(&self, from: &[u8], to: &[u8]) -> Result<Option<Vec<u8>>, JournalFault> {
        let beyond = [to, &[0]].concat();
        let mut rows = self.range(from, &beyond).map_err(|error| self.fault(error))?;
        let last = rows.next_back().transpose().map_err(|error| self.fault(error))?;
        Ok(last.map(|(key, _)| key.value().to_vec()))
    }
}

fn from_redb(error: redb::Error, path: &Path) -> JournalFault {
    match error {
        redb::Error::Io(error) => fault::from_io(&error, path),
        error => JournalFault::Store(format!("{}: {error}", path.display())),
    }
}

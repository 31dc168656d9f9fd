//! Index of idempotency keys, beside the journals and derived from them: which submission used a key.
//!
//! Rows lie in sorted files under `keys/`; those that are not written yet lie in memory. A thread of its own writes and
//! merges the files, so that no append waits for them. `keys/positions` says up to which record of each journal the files know
//! everything: after a crash they lag behind, and the reader of a journal notes what is missing before it takes keys.
//! Files that are damaged, missing, or of other journals are deleted, and all is noted anew.
//!
//! Lacks what a key is: the caller makes its digest, and holds what it finds against the record. Invariant: a row that was
//! noted is found, in memory or in a file, until it is not needed any more.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use parking_lot::RwLock;
use schema::time::At;

use crate::fault;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::KeyDigest;
use crate::journal::KeyIndex;
use crate::journal::KeyUse;
use crate::journal::Record;
use crate::key_run;
use crate::key_run::Run;
use crate::kv::sync_folder;

/// Rows in memory that are worth a file.
const FILE_ROWS: usize = 16 << 10;
/// Records after which the positions are written even where they hold few keys: a start after a crash reads about as many.
const POSITION_RECORDS: usize = 64 << 10;
/// Rows in memory above which no key is taken: the files cannot be written, or not fast enough.
const WAITING_ROWS_MAX: usize = 8 * FILE_ROWS;
/// Rows that a merge may bring together: 180 MB, which takes a second or two. Larger files stay until no row in them is needed.
const MERGED_ROWS_MAX: usize = 4 << 20;
/// Pause after a file could not be written.
const PAUSE: Duration = Duration::from_secs(1);
const POSITIONS: &str = "positions";

/// The last record of a journal that was noted: its sequence and its hash.
type Positions = BTreeMap<JournalName, (u64, [u8; 32])>;
type Rows = BTreeMap<KeyDigest, KeyUse>;

/// Files of the index.
#[derive(Debug)]
pub struct KeyFiles {
    folder: PathBuf,
    recent: Mutex<Recent>,
    /// Oldest first.
    runs: RwLock<Vec<Run>>,
    /// Held while files are written.
    writing: Mutex<()>,
    /// Wakes the thread that writes; `None` once the index is closed.
    wake: Mutex<Option<SyncSender<()>>>,
}

#[derive(Debug, Default)]
struct Recent {
    rows: Rows,
    /// Rows that are being written.
    unwritten: Arc<Rows>,
    positions: Positions,
    /// Records noted since the last write.
    records: usize,
    /// Latest moment of a record.
    at: At,
}

impl KeyFiles {
    /// Opens the index, and begins anew where its files are of no use. `holds` returns whether a journal has a record with
    /// this sequence and hash.
    ///
    /// # Errors
    /// When useless files cannot be deleted, or there is no thread to write new ones.
    pub fn open(
        folder: &Path,
        holds: impl Fn(&JournalName, u64, [u8; 32]) -> bool,
    ) -> Result<Arc<KeyFiles>, JournalFault> {
        let io = |error: io::Error| fault::from_io(&error, folder);
        let loaded = load(folder).and_then(|(runs, positions)| {
            let ours = positions.iter().all(|(name, (seq, hash))| holds(name, *seq, *hash));
            let other = || JournalFault::Store(format!("{} is of other journals", folder.display()));
            ours.then_some((runs, positions)).ok_or_else(other)
        });
        let (runs, positions) = loaded.or_else(|fault| {
            tracing::warn!(%fault, "Index of idempotency keys is deleted and built anew from the journals.");
            std::fs::remove_dir_all(folder).map_err(io)?;
            Ok(Default::default())
        })?;
        let (wake, woken) = mpsc::sync_channel(1);
        let index = Arc::new(KeyFiles {
            folder: folder.to_owned(),
            recent: Mutex::new(Recent {
                positions,
                ..Recent::default()
            }),
            runs: RwLock::new(runs),
            writing: Mutex::new(()),
            wake: Mutex::new(Some(wake)),
        });
        let writer = Arc::clone(&index);
        let thread = thread::Builder::new().name("keys".to_owned());
        thread.spawn(move || writer.run(&woken)).map_err(io)?;
        Ok(index)
    }

    /// Writes what is in memory for the last time.
    pub fn close(&self) {
        if self.wake.lock().take().is_some()
            && let Err(fault) = self.write()
        {
            tracing::warn!(%fault, "Idempotency keys not written; the next start reads them from the journals.");
        }
    }

    fn run(&self, woken: &Receiver<()>) {
        while woken.recv().is_ok() {
            if let Err(fault) = self.write() {
                tracing::warn!(%fault, "Idempotency keys not written; they stay in memory and are tried again.");
                thread::sleep(PAUSE);
            }
        }
    }

    /// Makes a file of rows, and then the positions durable: a row may be noted twice, and never be missing.
    fn put(&self, rows: &Rows, positions: &Positions) -> Result<(), JournalFault> {
        let io = |error: io::Error| fault::from_io(&error, &self.folder);
        std::fs::create_dir_all(&self.folder).map_err(io)?;
        let next = self.runs.read().last().map_or(1, |run| run.number + 1);
        let entries = rows.iter().map(|(digest, used)| Ok((*digest, *used)));
        let run = Run::write(&self.folder, next, entries)?;
        self.runs.write().push(run);
        let bytes = serde_json::to_vec(positions).map_err(|error| JournalFault::Store(error.to_string()))?;
        let partial = self.folder.join("partial");
        let mut file = File::create(&partial).map_err(io)?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io)?;
        std::fs::rename(&partial, self.folder.join(POSITIONS)).map_err(io)?;
        sync_folder(&self.folder)
    }

    /// Deletes files without a row that is needed, and merges the newest file into the one before it while that is at most
    /// twice as large: so there are few files, and a row is written few times.
    fn tidy(&self, now: At) -> Result<(), JournalFault> {
        loop {
            let useless = self
                .runs
                .write()
                .extract_if(.., |run| run.until <= now)
                .collect::<Vec<_>>();
            useless.iter().for_each(Run::delete);
            let merged = match self.runs.read().as_slice() {
                [.., older, newer] if older.rows <= 2 * newer.rows && older.rows + newer.rows <= MERGED_ROWS_MAX => {
                    let entries = key_run::merge(older, newer);
                    let needed = entries.filter(|entry| entry.as_ref().map_or(true, |(_, used)| used.until > now));
                    Run::write(&self.folder, newer.number + 1, needed)?
                }
                _ => return Ok(()),
            };
            let mut runs = self.runs.write();
            let place = runs.len() - 2;
            runs.splice(place.., [merged]).for_each(|run| run.delete());
        }
    }
}

impl KeyIndex for KeyFiles {
    fn find(&self, digest: &KeyDigest) -> Result<Option<KeyUse>, JournalFault> {
        {
            let recent = self.recent.lock();
            if let Some(found) = recent.rows.get(digest).or_else(|| recent.unwritten.get(digest)) {
                return Ok(Some(*found));
            }
        }
        // Rows that are written in between are in a file before they leave memory.
        let runs = self.runs.read();
        let found = runs.iter().rev().map(|run| run.find(digest));
        found.filter_map(Result::transpose).next().transpose()
    }

    fn note(&self, journal: &JournalName, record: &Record, used: Option<(KeyDigest, KeyUse)>) {
        let mut recent = self.recent.lock();
        recent.at = recent.at.max(record.at);
        recent.records += 1;
        recent.rows.extend(used);
        match recent.positions.get_mut(journal) {
            Some(position) => *position = (record.seq, record.hash),
            None => drop(recent.positions.insert(journal.clone(), (record.seq, record.hash))),
        }
        if recent.rows.len() >= FILE_ROWS || recent.records >= POSITION_RECORDS {
            drop(recent);
            if let Some(wake) = self.wake.lock().as_ref() {
                // A full channel has a call in it that the thread has not taken yet.
                let _ = wake.try_send(());
            }
        }
    }

    fn position(&self, journal: &JournalName) -> u64 {
        self.recent.lock().positions.get(journal).map_or(0, |(seq, _)| *seq)
    }

    fn is_behind(&self) -> bool {
        self.recent.lock().rows.len() >= WAITING_ROWS_MAX
    }

    fn write(&self) -> Result<(), JournalFault> {
        let _writing = self.writing.lock();
        let (rows, positions, now) = {
            let mut recent = self.recent.lock();
            if recent.records == 0 {
                return Ok(());
            }
            recent.records = 0;
            recent.unwritten = Arc::new(std::mem::take(&mut recent.rows));
            (Arc::clone(&recent.unwritten), recent.positions.clone(), recent.at)
        };
        let written = self.put(&rows, &positions).and_then(|()| self.tidy(now));
        let mut recent = self.recent.lock();
        recent.unwritten = Arc::default();
        if written.is_err() {
            for (digest, used) in rows.iter() {
                recent.rows.entry(*digest).or_insert(*used);
            }
            recent.records += 1;
        }
        written
    }
}

/// Opens the files; none where there is no folder.
fn load(folder: &Path) -> Result<(Vec<Run>, Positions), JournalFault> {
    let io = |error: io::Error| fault::from_io(&error, folder);
    if !folder.exists() {
        return Ok(Default::default());
    }
    let positions = std::fs::read(folder.join(POSITIONS)).map_err(io)?;
    let positions = serde_json::from_slice(&positions).map_err(|error| JournalFault::Store(error.to_string()))?;
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some((Ok(number), Ok(rows))) = name
            .split_once('-')
            .map(|(number, rows)| (number.parse(), rows.parse()))
        {
            runs.push(Run::open(path, number, rows)?);
        }
    }
    runs.sort_by_key(|run| run.number);
    Ok((runs, positions))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::KeyFiles;
    use super::WAITING_ROWS_MAX;
    use crate::journal::JournalName;
    use crate::journal::KeyDigest;
    use crate::journal::KeyIndex;
    use crate::journal::KeyUse;
    use crate::journal::Kind;
    use crate::journal::Record;
    use schema::time::At;
    use sha2::Digest;
    use sha2::Sha256;

    fn open(folder: &Path) -> Arc<KeyFiles> {
        KeyFiles::open(folder, |_, _, _| true).expect("opened")
    }

    fn journal() -> JournalName {
        JournalName("scenario/default/a".to_owned())
    }

    fn record(seq: u64, at: i64) -> Record {
        Record {
            seq,
            at: At(at),
            kind: Kind::Fact,
            open: Vec::new(),
            sealed: Vec::new(),
            erased: false,
            hash: [7; 32],
        }
    }

    fn digest(number: u64) -> KeyDigest {
        let whole = Sha256::digest(number.to_le_bytes());
        whole[..16].try_into().expect("16 bytes")
    }

    fn used(submission: u64, until: i64) -> KeyUse {
        KeyUse {
            submission,
            executed: submission.is_multiple_of(3).then_some(submission + 1),
            until: At(until),
        }
    }

    fn note(index: &KeyFiles, number: u64, seq: u64, at: i64, kept: i64) {
        let row = (digest(number), used(seq, at + kept));
        index.note(&journal(), &record(seq, at), Some(row));
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().contains('-'))
        });
        paths.sort();
        paths
    }

    #[test]
    fn a_noted_row_is_found_through_writes_merges_and_restarts_until_it_is_not_needed() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("keys");
        let mut index = open(&folder);
        let mut model = BTreeMap::new();
        let (mut seq, mut files_most) = (0, 0);
        for round in 0..60_i64 {
            for _ in 0..200 {
                seq += 1;
                // Keys come again after some time; some are kept for a short time alone.
                let number = (seq * 31) % 4_000;
                let kept = if number % 2 == 0 { 10 } else { 30 };
                note(&index, number, seq, round, kept);
                model.insert(number, used(seq, round + kept));
            }
            if round % 3 != 1 {
                index.write().expect("written");
            }
            if round % 7 == 6 {
                index.close();
                index = open(&folder);
                assert_eq!(index.position(&journal()), seq);
            }
            for number in (0..4_000).step_by(13) {
                let found = index.find(&digest(number)).expect("read");
                match model.get(&number) {
                    Some(used) if used.until > At(round) => assert_eq!(found, Some(*used), "{round} {number}"),
                    // A row that is not needed may be there or not.
                    Some(_) => assert!(found.is_none_or(|found| found.until <= At(round)), "{round} {number}"),
                    None => assert_eq!(found, None, "{round} {number}"),
                }
            }
            files_most = files_most.max(index.runs.read().len());
        }
        assert!(files_most <= 6, "{files_most}");
        let rows: usize = index.runs.read().iter().map(|run| run.rows).sum();
        assert!(rows < 8_000, "{rows} of 12,000; those of 30 rounds are needed");
        assert_eq!(
            files(&folder).len(),
            index.runs.read().len(),
            "merged files are deleted"
        );
        index.note(&journal(), &record(seq + 1, 1_000), None);
        index.write().expect("written");
        assert_eq!(files(&folder), Vec::<PathBuf>::new(), "nothing is needed any more");
    }

    #[test]
    fn files_that_are_damaged_missing_or_of_other_journals_are_noted_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let (whole, tried) = (folder.path().join("whole"), folder.path().join("keys"));
        let index = open(&whole);
        for number in 0..500 {
            note(&index, number, number + 1, 0, 10);
        }
        index.close();
        let run = files(&whole).pop().expect("a file");
        let name = run.file_name().expect("a name");
        let bytes = std::fs::read(&run).expect("bytes");
        assert_eq!(bytes.len(), 500 * 44);
        let copy = || {
            let _ = std::fs::remove_dir_all(&tried);
            std::fs::create_dir(&tried).expect("made");
            for file in std::fs::read_dir(&whole).expect("a folder") {
                let from = file.expect("a file").path();
                std::fs::copy(&from, tried.join(from.file_name().expect("a name"))).expect("copied");
            }
        };
        let anew = |what: &str| {
            let index = open(&tried);
            assert_eq!(index.position(&journal()), 0, "{what}");
            assert_eq!(index.find(&digest(3)), Ok(None), "{what}");
            index.close();
        };
        copy();
        let index = open(&tried);
        assert_eq!(index.position(&journal()), 500);
        assert_eq!(index.find(&digest(3)), Ok(Some(used(4, 10))));
        for at in (0..bytes.len()).step_by(97) {
            copy();
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x20;
            std::fs::write(tried.join(name), flipped).expect("written");
            anew(&format!("byte {at}"));
        }
        for length in [0, 44, bytes.len() - 1] {
            copy();
            std::fs::write(tried.join(name), &bytes[..length]).expect("written");
            anew(&format!("{length} bytes"));
        }
        copy();
        std::fs::remove_file(tried.join("positions")).expect("removed");
        anew("no positions");
        copy();
        let other = KeyFiles::open(&tried, |name, seq, hash| {
            (name, seq, hash) != (&journal(), 500, [7; 32])
        });
        assert_eq!(other.expect("opened").position(&journal()), 0);
        assert!(!tried.exists());
    }

    #[test]
    fn rows_that_cannot_be_written_stay_in_memory_and_too_many_are_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("keys");
        let index = open(&folder);
        std::fs::write(&folder, "in the way").expect("a file");
        note(&index, 1, 1, 0, 10);
        assert!(index.write().is_err());
        assert_eq!(index.find(&digest(1)), Ok(Some(used(1, 10))));
        for number in 2..WAITING_ROWS_MAX as u64 {
            note(&index, number, number, 0, 10);
        }
        // The thread that writes may hold some of them just now.
        let waits = |behind: bool| {
            (0..2_000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                index.is_behind() == behind
            })
        };
        assert!(!index.is_behind());
        note(&index, 0, WAITING_ROWS_MAX as u64, 0, 10);
        assert!(waits(true));
        std::fs::remove_file(&folder).expect("removed");
        index.write().expect("written");
        assert!(waits(false));
        assert_eq!(index.find(&digest(1)), Ok(Some(used(1, 10))));
        let rows: usize = index.runs.read().iter().map(|run| run.rows).sum();
        assert!(rows >= WAITING_ROWS_MAX);
    }
}

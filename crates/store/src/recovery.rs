//! Opening a folder: what is there, whether it is whole, and where each journal ends.
//!
//! Everything is read and checked, for a start as for `verify`. What lies past a journal's sealed head and is cut short is a
//! commit that was never acknowledged (a full disk, a process killed between two writes): a start removes it. Everything else
//! that is not as it was written is a fault with a name.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::compaction;
use crate::data_folder;
use crate::data_folder::HEADS;
use crate::engines;
use crate::fault;
use crate::frame;
use crate::frame::Place;
use crate::heads::Heads;
use crate::heads::Standing;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::kv::Batch;
use crate::kv::Engine;
use crate::kv::Kv;
use crate::kv::sync_folder;
use crate::lock::Lock;
use crate::options::StoreSettings;
use crate::walk::Trail;
use crate::walk::Walk;
use crate::walk::damaged;

/// Records between two calls of the progress callback.
const PROGRESS_RECORDS: u64 = 1_000;

/// A folder that is open: the files in it, and what they say.
#[derive(Debug)]
pub struct Opened {
    pub engine: &'static Engine,
    pub rows: Box<dyn Kv>,
    pub heads: Heads,
    pub standing: Standing,
}

/// Where one journal is, and where it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub number: u32,
    pub head: Head,
}

/// What was found in a folder.
#[derive(Debug, Default)]
pub struct Examination {
    pub journals: BTreeMap<JournalName, Known>,
    pub records: u64,
    /// Records whose sealed part was erased.
    pub erased: u64,
    pub faults: Vec<JournalFault>,
    /// Keys of rows that were cut short before they were acknowledged.
    unacknowledged: Vec<Vec<u8>>,
}

/// Takes the folder and opens its files; `wanted` is the engine of a new one.
///
/// # Errors
/// When another process has it, or a file cannot be opened or is missing.
pub fn open(folder: &Path, wanted: &'static Engine, settings: &StoreSettings) -> Result<(Lock, Opened), JournalFault> {
    std::fs::create_dir_all(folder).map_err(|error| fault::from_io(&error, folder))?;
    let lock = Lock::take(folder)?;
    data_folder::end_restore(folder)?;
    let engine = engines::of_folder(folder).unwrap_or(wanted);
    compaction::mend(folder, engine)?;
    if settings.compacts {
        compaction::compact(folder, engine, settings.cache_bytes)?;
    }
    Ok((lock, open_held(folder, engine, settings)?))
}

/// Opens the files of a folder that is ours already.
pub fn open_held(folder: &Path, engine: &'static Engine, settings: &StoreSettings) -> Result<Opened, JournalFault> {
    let io = |error: io::Error| fault::from_io(&error, folder);
    let (rows, heads) = (folder.join(engine.folder), folder.join(HEADS));
    // A sync may have failed before, in this process or another one: what is checked is read from the disk.
    data_folder::forget_pages(&rows, true).map_err(io)?;
    data_folder::forget_pages(&heads, true).map_err(io)?;
    let never_began = is_cut_short(&rows, engine).map_err(io)?;
    let (heads, standing) = Heads::open(&heads, never_began || !rows.try_exists().map_err(io)?)?;
    // An engine would begin anew where its files are gone, and what is gone would only show afterwards.
    let written = standing.sealed.values().find(|sealed| sealed.seq > 0);
    if let Some(head) = written
        && !rows.join(engine.file).try_exists().map_err(io)?
    {
        return Err(truncated(&head.name, head.seq, 0));
    }
    if never_began {
        tracing::info!("the first start was cut short before the store was made; it is made anew");
        std::fs::remove_dir_all(&rows).map_err(io)?;
    }
    sync_folder(folder)?;
    let rows = (engine.open)(&rows, settings.cache_bytes)?;
    sync_folder(folder)?;
    Ok(Opened {
        engine,
        rows,
        heads,
        standing,
    })
}

/// Whether all there is of the rows' folder is what the engine makes before its file: nothing was ever in it.
fn is_cut_short(rows: &Path, engine: &Engine) -> io::Result<bool> {
    if !rows.is_dir() {
        return Ok(false);
    }
    for entry in std::fs::read_dir(rows)? {
        let entry = entry?;
        let is_made_before = engine.made_before.iter().any(|name| entry.file_name() == *name);
        let holds_something = entry.file_type()?.is_dir() && std::fs::read_dir(entry.path())?.next().is_some();
        if !is_made_before || holds_something {
            return Ok(false);
        }
    }
    Ok(true)
}

fn truncated(journal: &str, sealed: u64, found: u64) -> JournalFault {
    JournalFault::Truncated {
        journal: journal.to_owned(),
        sealed,
        found,
    }
}

impl Opened {
    /// A journal's rows.
    pub fn walk(&self, journal: u32) -> Walk<'_> {
        Walk {
            kv: self.rows.as_ref(),
            journal,
        }
    }

    /// Checks every record of every journal, and removes what was cut short before it was acknowledged.
    pub fn recover(&self) -> Result<BTreeMap<JournalName, Known>, JournalFault> {
        let found = self.examine(&|_| {})?;
        if let Some(fault) = found.faults.into_iter().next() {
            return Err(fault);
        }
        self.remove(found.unacknowledged)?;
        Ok(found.journals)
    }

    /// Checks every record of every journal against its sealed head, and changes nothing. `progress` is told how many records
    /// were checked.
    ///
    /// # Errors
    /// When the engine fails; damage is among the faults.
    pub fn examine(&self, progress: &dyn Fn(u64)) -> Result<Examination, JournalFault> {
        let mut found = Examination::default();
        for (number, name) in self.names(&mut found)? {
            let head = self.examine_journal(number, &name, &mut found, progress);
            found.journals.insert(JournalName(name), Known { number, head });
        }
        Ok(found)
    }

    /// Checks one journal: where it ends.
    fn examine_journal(&self, number: u32, name: &str, found: &mut Examination, progress: &dyn Fn(u64)) -> Head {
        let sealed = self.standing.sealed.get(&number);
        let acknowledged = sealed.map_or(0, |sealed| sealed.seq);
        let mut trail = Trail::starting_at(1);
        let mut head = Head::default();
        let walked = self.walk(number).frames(1).and_then(|frames| {
            for frame in frames {
                let steps = trail.check(&frame?);
                let cut_short = steps.iter().filter_map(|step| step.as_ref().err());
                let mut cut_short = cut_short.filter(|obstacle| obstacle.missing && obstacle.frame > acknowledged);
                if let Some(obstacle) = cut_short.next() {
                    let keys = self.walk(number).keys(obstacle.frame)?;
                    found.unacknowledged.extend(keys);
                    break;
                }
                for step in steps {
                    let record = match step {
                        Ok((record, _)) => record,
                        Err(obstacle) => {
                            found.faults.push(obstacle.fault(name));
                            continue;
                        }
                    };
                    head.advance(&record);
                    if sealed.is_some_and(|sealed| sealed.seq == record.seq && sealed.hash != record.hash) {
                        found
                            .faults
                            .push(damaged(name, record.seq, "its hash is not the sealed one"));
                    }
                    found.records += 1;
                    found.erased += u64::from(record.erased);
                    if found.records.is_multiple_of(PROGRESS_RECORDS) {
                        progress(found.records);
                    }
                }
            }
            Ok(())
        });
        found.faults.extend(walked.err());
        if acknowledged > head.seq {
            found.faults.push(truncated(name, acknowledged, head.seq));
        }
        head
    }

    /// Names of journals by number; what is wrong with them, and what is left of journals whose first commit was cut short, is
    /// noted.
    fn names(&self, found: &mut Examination) -> Result<BTreeMap<u32, String>, JournalFault> {
        let mut names = BTreeMap::new();
        let faults = &mut found.faults;
        for row in self.rows.scan(&[0], &[1]) {
            let (key, value) = row?;
            match frame::read_name_row(&key, &value) {
                Some((number, name)) => drop(names.insert(number, name)),
                None => {
                    let what = "the row with its name is not as it was written";
                    faults.push(damaged(&format!("{key:02x?}"), 0, what));
                }
            }
        }
        for (number, name) in &names {
            match self.standing.sealed.get(number) {
                Some(sealed) if sealed.name == *name || sealed.seq == 0 => {}
                Some(sealed) => {
                    let what = format!("its sealed head belongs to {}", sealed.name);
                    faults.push(damaged(name, 0, &what));
                }
                None => faults.push(damaged(name, 0, "its sealed head is missing")),
            }
        }
        for (number, sealed) in &self.standing.sealed {
            if sealed.seq > 0 && !names.contains_key(number) {
                faults.push(truncated(&sealed.name, sealed.seq, 0));
            }
        }
        let mut next = Some(0);
        while let Some(number) = next.map_or(Ok(None), |from| self.number_from(from))? {
            if !names.contains_key(&number) {
                match self.standing.sealed.get(&number) {
                    Some(announced) if announced.seq == 0 => {
                        found.unacknowledged.extend(self.walk(number).keys(0)?);
                    }
                    Some(_) | None => {
                        let what = "the row with its name is missing";
                        faults.push(damaged(&format!("number {number}"), 0, what));
                    }
                }
            }
            next = number.checked_add(1);
        }
        Ok(names)
    }

    /// The first journal from this number on that has rows.
    fn number_from(&self, journal: u32) -> Result<Option<u32>, JournalFault> {
        let from = Place::new(journal, 0, 0).key();
        let row = self.rows.scan(&from, &[2]).next().transpose()?;
        let place = row.and_then(|(key, _)| Place::parse(&key));
        Ok(place.map(|place| place.journal.get()))
    }

    /// Removes what was never acknowledged.
    fn remove(&self, keys: Vec<Vec<u8>>) -> Result<(), JournalFault> {
        if keys.is_empty() {
            return Ok(());
        }
        tracing::warn!(
            rows = keys.len(),
            "a commit was cut short before it was acknowledged; it is removed"
        );
        self.rows.apply(Batch::remove(keys))?;
        self.rows.sync()
    }

    /// Makes a folder that was opened anew what it was known to be, and seals it so. Whoever was answered that the disk is full
    /// was told that nothing was recorded: what lies past the last acknowledged record is removed, and every journal is to
    /// end where it was known to end.
    pub fn return_to(&mut self, known: &BTreeMap<JournalName, Known>) -> Result<(), JournalFault> {
        let mut keys = Vec::new();
        for Known { number, head } in known.values() {
            keys.extend(self.walk(*number).keys(head.seq.saturating_add(1))?);
        }
        for number in self.names(&mut Examination::default())?.into_keys() {
            if known.values().all(|known| known.number != number) {
                keys.extend(self.walk(number).keys(0)?);
                keys.push(frame::name_key(number).to_vec());
            }
        }
        self.remove(keys)?;
        let found = self.recover()?;
        for (name, known) in known {
            if found.get(name) != Some(known) {
                let found = found.get(name).map_or(0, |found| found.head.seq);
                return Err(truncated(&name.0, known.head.seq, found));
            }
        }
        self.heads.mend(&self.standing)?;
        for (name, known) in known {
            self.heads.seal(known.number, &name.0, known.head)?;
        }
        self.heads.sync()
    }
}

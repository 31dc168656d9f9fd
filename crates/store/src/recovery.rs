//! Opening a folder: what is there, whether it is whole, and where each journal ends.
//!
//! Everything is read and checked. What lies past a journal's sealed head and is cut short is a commit that was never
//! acknowledged (a full disk, a process killed between two writes): it is removed. Everything else that is not as it
//! was written is a fault with a name.

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
use crate::heads::Sealed;
use crate::heads::Standing;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Record;
use crate::kv::Batch;
use crate::kv::Engine;
use crate::kv::Kv;
use crate::kv::sync_folder;
use crate::lock::Lock;
use crate::options::StoreSettings;
use crate::page_cache;
use crate::walk::Obstacle;
use crate::walk::Trail;
use crate::walk::Walk;

/// A folder that is open: the files in it, and what they say.
#[derive(Debug)]
pub struct Opened {
    pub engine: &'static Engine,
    pub rows: Box<dyn Kv>,
    pub heads: Heads,
    pub standing: Standing,
}

/// Where one journal is, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub number: u32,
    pub head: Head,
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
    page_cache::forget(&rows, true).map_err(io)?;
    page_cache::forget(&heads, true).map_err(io)?;
    let never_began = is_cut_short(&rows, engine).map_err(io)?;
    let (heads, standing) = Heads::open(&heads, never_began || !rows.try_exists().map_err(io)?)?;
    // An engine would begin anew where its files are gone, and what is gone would only show afterwards.
    let written = standing.sealed.values().find(|sealed| sealed.seq > 0);
    if let Some(head) = written
        && !rows.join(engine.file).try_exists().map_err(io)?
    {
        return Err(JournalFault::Truncated {
            journal: head.name.clone(),
            sealed: head.seq,
            found: 0,
        });
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

impl Opened {
    /// A journal's rows.
    pub fn walk(&self, journal: u32) -> Walk<'_> {
        Walk {
            kv: self.rows.as_ref(),
            journal,
        }
    }

    /// Checks every record of every journal, and removes what was cut short before it was acknowledged.
    ///
    /// # Errors
    /// The first damage.
    pub fn recover(&self) -> Result<BTreeMap<JournalName, Known>, JournalFault> {
        let Names { names, faults, orphans } = self.names()?;
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault);
        }
        for journal in orphans {
            self.remove(self.walk(journal).keys(0)?)?;
        }
        let mut journals = BTreeMap::new();
        for (number, name) in names {
            let sealed = self.standing.sealed.get(&number);
            let head = loop {
                let (head, obstacle) = self.check(number, &name, sealed)?;
                let Some(obstacle) = obstacle else { break head };
                let acknowledged = sealed.map_or(0, |sealed| sealed.seq);
                if !obstacle.missing || obstacle.frame <= acknowledged {
                    return Err(obstacle.fault(&name));
                }
                self.remove(self.walk(number).keys(obstacle.frame)?)?;
            };
            journals.insert(JournalName(name), Known { number, head });
        }
        Ok(journals)
    }

    /// Checks a journal up to what stands in its way.
    fn check(
        &self,
        number: u32,
        name: &str,
        sealed: Option<&Sealed>,
    ) -> Result<(Head, Option<Obstacle>), JournalFault> {
        let mut trail = Trail::starting_at(1);
        let mut seal = SealCheck::new(sealed);
        for frame in self.walk(number).frames(1)? {
            for step in trail.check(&frame?) {
                match step {
                    Ok((record, _)) => seal.see(&record),
                    Err(obstacle) => return Ok((trail.head(), Some(obstacle))),
                }
            }
        }
        let head = trail.head();
        seal.fault(name, head.seq).map_or(Ok((head, None)), Err)
    }

    /// Names of journals by number, and what is wrong with them.
    pub fn names(&self) -> Result<Names, JournalFault> {
        let damaged = |journal: &str, what: &str| JournalFault::Damaged {
            journal: journal.to_owned(),
            seq: 0,
            what: what.to_owned(),
        };
        let mut names = BTreeMap::new();
        let mut faults = Vec::new();
        for row in self.rows.scan(&[0], &[1]) {
            let (key, value) = row?;
            match frame::read_name_row(&key, &value) {
                Some((number, name)) => drop(names.insert(number, name)),
                None => faults.push(damaged(
                    &format!("{key:02x?}"),
                    "the row with its name is not as it was written",
                )),
            }
        }
        for (number, name) in &names {
            match self.standing.sealed.get(number) {
                Some(sealed) if sealed.name == *name || sealed.seq == 0 => {}
                Some(sealed) => faults.push(damaged(name, &format!("its sealed head belongs to {}", sealed.name))),
                None => faults.push(damaged(name, "its sealed head is missing")),
            }
        }
        for (number, sealed) in &self.standing.sealed {
            if sealed.seq > 0 && !names.contains_key(number) {
                faults.push(JournalFault::Truncated {
                    journal: sealed.name.clone(),
                    sealed: sealed.seq,
                    found: 0,
                });
            }
        }
        let mut orphans = Vec::new();
        let mut next = Some(0);
        while let Some(number) = next.map_or(Ok(None), |from| self.number_from(from))? {
            if !names.contains_key(&number) {
                match self.standing.sealed.get(&number) {
                    Some(announced) if announced.seq == 0 => orphans.push(number),
                    Some(_) | None => {
                        faults.push(damaged(&format!("number {number}"), "the row with its name is missing"));
                    }
                }
            }
            next = number.checked_add(1);
        }
        Ok(Names { names, faults, orphans })
    }

    /// The first journal from this number on that has rows.
    fn number_from(&self, journal: u32) -> Result<Option<u32>, JournalFault> {
        let from = Place::new(journal, 0, 0).key();
        let row = self.rows.scan(&from, &[2]).next().transpose()?;
        Ok(row
            .and_then(|(key, _)| Place::parse(&key))
            .map(|place| place.journal.get()))
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
    ///
    /// # Errors
    /// When a file cannot be written, or anything is damaged or lost.
    pub fn return_to(&mut self, known: &BTreeMap<JournalName, Known>) -> Result<(), JournalFault> {
        let mut keys = Vec::new();
        for Known { number, head } in known.values() {
            keys.extend(self.walk(*number).keys(head.seq.saturating_add(1))?);
        }
        for number in self.names()?.names.into_keys() {
            if known.values().all(|known| known.number != number) {
                keys.extend(self.walk(number).keys(0)?);
                keys.push(frame::name_key(number).to_vec());
            }
        }
        self.remove(keys)?;
        let found = self.recover()?;
        for (name, known) in known {
            if found.get(name) != Some(known) {
                return Err(JournalFault::Truncated {
                    journal: name.0.clone(),
                    sealed: known.head.seq,
                    found: found.get(name).map_or(0, |found| found.head.seq),
                });
            }
        }
        self.heads.mend(&self.standing)?;
        for (name, known) in known {
            self.heads.seal(known.number, &Sealed::at(&name.0, known.head))?;
        }
        self.heads.sync()
    }
}

/// Which journals there are.
#[derive(Debug)]
pub struct Names {
    /// By number.
    pub names: BTreeMap<u32, String>,
    pub faults: Vec<JournalFault>,
    /// Numbers of journals whose first commit was cut short.
    orphans: Vec<u32>,
}

/// Holds a journal against its sealed head.
#[derive(Debug)]
pub struct SealCheck<'a> {
    sealed: Option<&'a Sealed>,
    matches: bool,
}

impl<'a> SealCheck<'a> {
    /// Nothing seen yet.
    pub fn new(sealed: Option<&'a Sealed>) -> SealCheck<'a> {
        SealCheck { sealed, matches: true }
    }

    /// Sees one record.
    pub fn see(&mut self, record: &Record) {
        if let Some(sealed) = self.sealed
            && sealed.seq == record.seq
        {
            self.matches = sealed.hash == record.hash;
        }
    }

    /// What is wrong, once the journal was seen to end at `found`.
    pub fn fault(&self, name: &str, found: u64) -> Option<JournalFault> {
        let sealed = self.sealed?;
        if sealed.seq > found {
            return Some(JournalFault::Truncated {
                journal: name.to_owned(),
                sealed: sealed.seq,
                found,
            });
        }
        (!self.matches).then(|| JournalFault::Damaged {
            journal: name.to_owned(),
            seq: sealed.seq,
            what: "its hash is not the sealed one".to_owned(),
        })
    }
}

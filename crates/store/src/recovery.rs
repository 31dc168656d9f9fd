//! Opening a folder: what is there, whether it is whole, and where each journal ends.
//!
//! Everything is read and checked. What lies past a journal's sealed head and is cut short is a commit that was never
//! acknowledged (a full disk, a process killed between two writes): it is removed. Everything else that is not as it
//! was written is a fault with a name.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::Record;

use super::compaction;
use super::fault;
use super::frame;
use super::frame::Place;
use super::heads::Heads;
use super::heads::Sealed;
use super::heads::Standing;
use super::lock::Lock;
use super::options::StoreSettings;
use super::page_cache;
use super::restoring;
use super::table::Table;
use super::table::sync_folder;
use super::walk::Obstacle;
use super::walk::Walk;

/// A folder that is open: the files in it, and what they say.
#[derive(Debug)]
pub struct Opened {
    pub table: Table,
    pub heads: Heads,
    pub standing: Standing,
    /// None where the folder was ours already.
    pub lock: Option<Lock>,
}

/// Where one journal is, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub number: u32,
    pub head: Head,
}

/// Takes the folder and opens its files.
///
/// # Errors
/// When another process has it, or a file cannot be opened or is missing.
pub fn open(folder: &Path, settings: &StoreSettings) -> Result<Opened, JournalFault> {
    let io = |error: std::io::Error| fault::of_io(&error, folder);
    std::fs::create_dir_all(folder).map_err(io)?;
    let lock = Lock::take(folder)?;
    restoring::mend(folder)?;
    compaction::mend(folder)?;
    if settings.compacts {
        compaction::compact(folder, settings.cache_bytes)?;
    }
    let mut opened = open_held(folder, settings)?;
    opened.lock = Some(lock);
    Ok(opened)
}

/// Opens the files of a folder that is ours already.
///
/// # Errors
/// When a file cannot be opened or is missing.
pub fn open_held(folder: &Path, settings: &StoreSettings) -> Result<Opened, JournalFault> {
    let io = |error: std::io::Error| fault::of_io(&error, folder);
    let rows = folder.join("sled");
    // A sync may have failed before, in this process or another one: what is checked is read from the disk.
    page_cache::forget(&rows, true).map_err(io)?;
    page_cache::forget(&folder.join("heads"), true).map_err(io)?;
    let never_began = is_cut_short(&rows).map_err(io)?;
    let store_is_new = never_began || !rows.try_exists().map_err(io)?;
    let (heads, standing) = Heads::open(&folder.join("heads"), store_is_new)?;
    // sled would begin anew where its files are gone, and what is gone would only show afterwards.
    let written = standing.sealed.values().find(|sealed| sealed.seq > 0);
    if let Some(head) = written
        && !rows.join("db").try_exists().map_err(io)?
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
    let table = Table::open(&rows, settings.cache_bytes)?;
    sync_folder(folder)?;
    Ok(Opened {
        table,
        heads,
        standing,
        lock: None,
    })
}

/// Whether all there is of sled's folder is what it makes before its file: the file comes last, so nothing was ever in it.
fn is_cut_short(rows: &Path) -> std::io::Result<bool> {
    let entries = match std::fs::read_dir(rows) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let made_before = match entry.file_name().to_str() {
            Some("conf") => true,
            Some("blobs") => std::fs::read_dir(entry.path())?.next().is_none(),
            Some(_) | None => false,
        };
        if !made_before {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Checks every record of every journal, and removes what was cut short before it was acknowledged.
///
/// # Errors
/// The first damage.
pub fn recover(opened: &Opened) -> Result<BTreeMap<String, Known>, JournalFault> {
    let Names { names, faults, orphans } = names(opened)?;
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    for journal in orphans {
        remove(
            opened,
            Walk {
                table: &opened.table,
                journal,
            },
            0,
        )?;
    }
    let mut journals = BTreeMap::new();
    for (number, name) in names {
        let sealed = opened.standing.sealed.get(&number);
        let walk = Walk {
            table: &opened.table,
            journal: number,
        };
        let head = loop {
            let (head, obstacle) = check(walk, &name, sealed)?;
            let Some(obstacle) = obstacle else { break head };
            let acknowledged = sealed.map_or(0, |sealed| sealed.seq);
            if !obstacle.missing || obstacle.frame <= acknowledged {
                return Err(obstacle.fault(&name));
            }
            remove(opened, walk, obstacle.frame)?;
        };
        journals.insert(name, Known { number, head });
    }
    Ok(journals)
}

fn check(walk: Walk<'_>, name: &str, sealed: Option<&Sealed>) -> Result<(Head, Option<Obstacle>), JournalFault> {
    let mut obstacle = None;
    let mut seal = Seal::new(sealed);
    let head = walk.all(&mut |step| match step {
        Ok(record) => {
            seal.see(&record);
            ControlFlow::Continue(())
        }
        Err(found) => {
            obstacle = Some(found);
            ControlFlow::Break(())
        }
    })?;
    match seal.fault(name, head.seq) {
        Some(fault) if obstacle.is_none() => Err(fault),
        Some(_) | None => Ok((head, obstacle)),
    }
}

/// Which journals there are.
#[derive(Debug)]
pub struct Names {
    /// By number.
    pub names: BTreeMap<u32, String>,
    pub faults: Vec<JournalFault>,
    /// Numbers of journals whose first commit was cut short.
    pub orphans: Vec<u32>,
}

/// Names of journals by number, and what is wrong with them.
///
/// # Errors
/// When the table fails.
pub fn names(opened: &Opened) -> Result<Names, JournalFault> {
    let mut names = BTreeMap::new();
    let mut faults = Vec::new();
    let mut orphans = Vec::new();
    let damaged = |journal: String, what: &str| JournalFault::Damaged {
        journal,
        seq: 0,
        what: what.to_owned(),
    };
    opened.table.rows(&[0], &[1], &mut |key, value| {
        match frame::read_name_row(key, value) {
            Some((number, name)) => {
                names.insert(number, name);
            }
            None => faults.push(damaged(
                format!("{key:02x?}"),
                "the row with its name is not as it was written",
            )),
        }
        ControlFlow::Continue(())
    })?;
    for (number, name) in &names {
        match opened.standing.sealed.get(number) {
            Some(sealed) if sealed.name == *name || sealed.seq == 0 => {}
            Some(sealed) => {
                faults.push(damaged(
                    name.clone(),
                    &format!("its sealed head belongs to {}", sealed.name),
                ));
            }
            None => faults.push(damaged(name.clone(), "its sealed head is missing")),
        }
    }
    for (number, sealed) in &opened.standing.sealed {
        if sealed.seq > 0 && !names.contains_key(number) {
            let Sealed { name, seq, hash: _ } = sealed;
            faults.push(JournalFault::Truncated {
                journal: name.clone(),
                sealed: *seq,
                found: 0,
            });
        }
    }
    let mut next = 0;
    while let Some(number) = number_from(&opened.table, next)? {
        let announced = opened
            .standing
            .sealed
            .get(&number)
            .is_some_and(|sealed| sealed.seq == 0);
        if !names.contains_key(&number) && announced {
            orphans.push(number);
        } else if !names.contains_key(&number) {
            faults.push(damaged(format!("number {number}"), "the row with its name is missing"));
        }
        let Some(after) = number.checked_add(1) else { break };
        next = after;
    }
    Ok(Names { names, faults, orphans })
}

/// The first journal from this number on that has rows.
fn number_from(table: &Table, number: u32) -> Result<Option<u32>, JournalFault> {
    let from = Place {
        journal: number,
        first_seq: 0,
        index: 0,
    }
    .key();
    let mut found = None;
    table.rows(&from, &[2], &mut |key, _| {
        found = Place::of(key).map(|place| place.journal);
        ControlFlow::Break(())
    })?;
    Ok(found)
}

/// Removes an end that was never acknowledged, from the frame that begins at `first_seq` on.
fn remove(opened: &Opened, walk: Walk<'_>, first_seq: u64) -> Result<(), JournalFault> {
    let keys = walk.keys(first_seq)?;
    tracing::warn!(
        rows = keys.len(),
        first_seq,
        "a commit was cut short before it was acknowledged; it is removed"
    );
    opened.table.remove(keys)
}

/// Holds a journal against its sealed head.
#[derive(Debug)]
pub struct Seal<'a> {
    sealed: Option<&'a Sealed>,
    matches: bool,
}

impl<'a> Seal<'a> {
    /// Nothing seen yet.
    pub fn new(sealed: Option<&'a Sealed>) -> Seal<'a> {
        Seal { sealed, matches: true }
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

//! Verification: every record, every chain, every sealed head, every snapshot of a data folder.

use std::collections::BTreeMap;
use std::path::Path;

use tokio::sync::watch;

use crate::edge::store::committer::Known;
use crate::edge::store::embedded;
use crate::edge::store::heads::Heads;
use crate::edge::store::options::StoreOptions;
use crate::edge::store::rows;
use crate::edge::store::snapshots;
use crate::service::ports::JournalFault;
use crate::service::ports::JournalName;
use crate::service::ports::Verification;

/// Records read at once.
const CHUNK: usize = 1_024;

/// Checks a data folder. `progress` is told how many records of how many are checked.
///
/// # Errors
/// When the folder holds no store, or the database cannot be opened at all; everything else is in the list of faults.
pub fn verify(folder: &Path, progress: &dyn Fn(u64, u64)) -> Result<Verification, JournalFault> {
    if !folder.join("sled").is_dir() {
        return Err(JournalFault::Store(format!(
            "there is no store in {}",
            folder.display()
        )));
    }
    let db = embedded::open_database(folder, &StoreOptions::default())?;
    let mut found = Verification::default();
    let mut known = BTreeMap::new();
    let journals = rows::journals(&db)?;
    let total = journals.iter().map(|(name, number)| length(&db, name, *number)).sum();
    for (name, number) in journals {
        found.journals += 1;
        let mut hashes: BTreeMap<u64, [u8; 32]> = BTreeMap::new();
        let wanted = snapshot_files(folder, number, &name, &mut found);
        let mut from = 1;
        loop {
            match rows::read(&db, &name, number, from, CHUNK) {
                Ok(records) if records.is_empty() => break,
                Ok(records) => {
                    for record in &records {
                        if wanted.contains_key(&record.seq) {
                            hashes.insert(record.seq, record.hash);
                        }
                    }
                    from += records.len() as u64;
                    found.records += records.len() as u64;
                    progress(found.records, total);
                }
                Err(fault) => {
                    found.faults.push(fault);
                    break;
                }
            }
        }
        for (seq, hash) in wanted {
            if hashes.get(&seq) != Some(&hash) {
                let what = "a snapshot was taken after another record than this".to_owned();
                found.faults.push(JournalFault::Damaged {
                    journal: name.clone(),
                    seq,
                    what,
                });
            }
        }
        match embedded::head(&db, &name, number) {
            Ok(head) => {
                let journal = Known {
                    number,
                    head,
                    watch: watch::Sender::new(0),
                    tail: None,
                };
                known.insert(JournalName(name), journal);
            }
            Err(fault) if found.faults.contains(&fault) => {}
            Err(fault) => found.faults.push(fault),
        }
    }
    let heads = Heads::open(&folder.join("heads"), 0).map_err(|error| rows::fault_of(&error))?;
    match embedded::compare(&db, &heads, &known) {
        Ok(faults) => found.faults.extend(faults),
        Err(fault) if found.faults.contains(&fault) => {}
        Err(fault) => found.faults.push(fault),
    }
    Ok(found)
}

/// Records of a journal as its last row says; what is wrong with it comes to light later.
fn length(db: &sled::Db, journal: &str, number: u32) -> u64 {
    let row = rows::last(db, journal, number).ok().flatten();
    row.and_then(|row| row.records.last().map(|record| record.seq))
        .unwrap_or_default()
}

/// The whole snapshots of a journal: sequence -> hash of its record. Damaged ones are faults.
fn snapshot_files(folder: &Path, number: u32, journal: &str, found: &mut Verification) -> BTreeMap<u64, [u8; 32]> {
    let mut wanted = BTreeMap::new();
    match snapshots::list(&folder.join("snapshots").join(number.to_string())) {
        Err(error) => found.faults.push(rows::fault_of(&error)),
        Ok(paths) => {
            for path in paths {
                found.snapshots += 1;
                match snapshots::read(&path) {
                    Ok(snapshot) => {
                        wanted.insert(snapshot.seq, snapshot.hash);
                    }
                    Err(what) => {
                        let name = path
                            .file_name()
                            .map(|name| name.to_string_lossy().into_owned())
                            .unwrap_or_default();
                        let what = format!("snapshot {name}: {what}");
                        found.faults.push(JournalFault::Damaged {
                            journal: journal.to_owned(),
                            seq: 0,
                            what,
                        });
                    }
                }
            }
        }
    }
    wanted
}

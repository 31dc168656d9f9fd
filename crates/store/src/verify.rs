//! Checks a whole folder and lists everything that is wrong with it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Verification;

use super::duplicate::Duplicate;
use super::heads::Standing;
use super::options::StoreSettings;
use super::recovery;
use super::recovery::Names;
use super::recovery::Opened;
use super::recovery::Seal;
use super::snapshots::Snapshots;
use super::snapshots::snapshots_folder;
use super::walk::Walk;

/// Records between two calls of the progress callback.
const PROGRESS_RECORDS: u64 = 1_000;

/// Checks a copy of the folder, made in `work`, and so changes nothing in it: it may lie on a file system that is read-only.
/// `tell` is told beforehand how much room the copy needs.
///
/// # Errors
/// As [`verify`], and where there is no room for the copy.
pub fn verify_copy(
    folder: &Path,
    work: &Path,
    tell: &dyn Fn(&str),
    progress: &dyn Fn(u64, u64),
) -> Result<Verification, JournalFault> {
    let copy = Duplicate::take(folder, work, tell)?;
    let mut verification = verify(copy.folder(), progress).map_err(|fault| copy.original(fault))?;
    let faults = std::mem::take(&mut verification.faults);
    verification.faults = faults.into_iter().map(|fault| copy.original(fault)).collect();
    Ok(verification)
}

/// Reads every record, chain, sealed head and snapshot of a folder that may be written to. Nothing is repaired but what sled
/// does to its own files at every start. `progress` is called with the records checked so far and the records that there are: those that the sealed heads promise, or more where
/// a crash came before the seal.
///
/// # Errors
/// When there is no store, or another process has it. Damage is in [`Verification::faults`].
pub fn verify(folder: &Path, progress: &dyn Fn(u64, u64)) -> Result<Verification, JournalFault> {
    if !folder.join("sled").is_dir() {
        if folder.join("heads").exists() {
            let what = "the store itself (the folder sled) is missing beside its file heads";
            return Ok(Verification {
                faults: vec![JournalFault::Store(what.to_owned())],
                ..Verification::default()
            });
        }
        return Err(JournalFault::Store(format!(
            "there is no store in {}",
            folder.display()
        )));
    }
    let mut verification = Verification::default();
    let looks = StoreSettings {
        compacts: false,
        ..StoreSettings::default()
    };
    let opened = match recovery::open(folder, &looks) {
        Ok(opened) => opened,
        Err(fault @ (JournalFault::Store(_) | JournalFault::Damaged { .. } | JournalFault::Truncated { .. })) => {
            if super::lock::Lock::take(folder).is_err() {
                return Err(fault);
            }
            verification.faults.push(fault);
            return Ok(verification);
        }
        Err(fault) => return Err(fault),
    };
    verification.faults.extend(torn(&opened.standing));
    let promised = opened.standing.sealed.values().map(|sealed| sealed.seq).sum::<u64>();
    let Names {
        names,
        faults,
        orphans: _,
    } = match recovery::names(&opened) {
        Ok(names) => names,
        Err(fault) => {
            verification.faults.push(fault);
            return Ok(verification);
        }
    };
    verification.faults.extend(faults);
    let snapshots = Snapshots::new(snapshots_folder(folder));
    let mut ends = BTreeMap::new();
    for (number, name) in &names {
        let mut check = Check {
            opened: &opened,
            snapshots: &snapshots,
            progress,
            promised,
            out: &mut verification,
        };
        ends.insert(name.as_str(), check.journal(*number, name));
    }
    verification.faults.extend(snapshots.ahead(&ends)?);
    progress(verification.records, promised.max(verification.records));
    Ok(verification)
}

/// One fault for each slot of `heads` that is not as it was written.
fn torn(standing: &Standing) -> impl Iterator<Item = JournalFault> {
    standing.damaged.iter().map(|slot| {
        let stands = u32::try_from(slot / 2).ok().and_then(|n| standing.sealed.get(&n));
        JournalFault::TornHead(match stands {
            Some(sealed) => format!(
                "slot {slot} of the file heads, which is of {}, is torn or damaged; its other slot stands, so nothing is \
                 lost. A power cut while it was written leaves it so: starting the service once writes it anew",
                sealed.name
            ),
            None => format!(
                "slot {slot} of the file heads is torn or damaged, and no other slot stands for its journal; unless a \
                 journal is named beside this, it never got a record, and starting the service once clears it"
            ),
        })
    })
}

struct Check<'a> {
    opened: &'a Opened,
    snapshots: &'a Snapshots,
    progress: &'a dyn Fn(u64, u64),
    promised: u64,
    out: &'a mut Verification,
}

impl Check<'_> {
    /// Checks one journal; where it ends.
    fn journal(&mut self, number: u32, name: &str) -> u64 {
        let snapshot = |seq: u64, what: &str| JournalFault::Snapshot {
            journal: name.to_owned(),
            seq,
            what: what.to_owned(),
        };
        let mut taken = BTreeMap::new();
        for found in self.snapshots.list(&JournalName(name.to_owned())).unwrap_or_default() {
            self.out.snapshots += 1;
            match found.load() {
                Ok(snapshot) => {
                    taken.insert(snapshot.seq, snapshot.hash);
                }
                Err(what) => self.out.faults.push(snapshot(found.seq, &what)),
            }
        }
        let sealed = self.opened.standing.sealed.get(&number);
        let acknowledged = sealed.map_or(0, |sealed| sealed.seq);
        let mut seal = Seal::new(sealed);
        let mut found = 0;
        let out = &mut *self.out;
        let (progress, promised) = (self.progress, self.promised);
        let walked = Walk {
            table: &self.opened.table,
            journal: number,
        }
        .all(&mut |step| {
            match step {
                Ok(record) => {
                    seal.see(&record);
                    found = found.max(record.seq);
                    if taken.remove(&record.seq).is_some_and(|hash| hash != record.hash) {
                        out.faults.push(snapshot(record.seq, "it was taken of another journal"));
                    }
                    out.records += 1;
                    out.erased += u64::from(record.erased);
                    if out.records.is_multiple_of(PROGRESS_RECORDS) {
                        progress(out.records, promised.max(out.records));
                    }
                }
                // What was cut short before it was acknowledged is removed at the next start; it is no fault.
                Err(obstacle) if obstacle.missing && obstacle.frame > acknowledged => {}
                Err(obstacle) => out.faults.push(obstacle.fault(name)),
            }
            ControlFlow::Continue(())
        });
        self.out.journals += 1;
        if let Err(fault) = walked {
            self.out.faults.push(fault);
        }
        self.out.faults.extend(seal.fault(name, found));
        // What lies beyond the end is another matter: it says that there was more.
        for seq in taken.into_keys().filter(|&seq| seq > 0 && seq <= found) {
            self.out
                .faults
                .push(snapshot(seq, "it is of a record that is not there"));
        }
        found
    }
}

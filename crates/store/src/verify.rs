//! Checks a whole folder and lists everything that is wrong with it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::data_folder::HEADS;
use crate::duplicate::Duplicate;
use crate::engines;
use crate::heads::Standing;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Verification;
use crate::lock::Lock;
use crate::options::StoreSettings;
use crate::recovery;
use crate::recovery::Opened;
use crate::recovery::SealCheck;
use crate::snapshots::Snapshots;
use crate::walk::Trail;

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

/// Reads every record, chain, sealed head and snapshot of a folder that may be written to. Nothing is repaired but what the
/// engine does to its own files at every start. `progress` is called with the records checked so far and the records that there
/// are: those that the sealed heads promise, or more where a crash came before the seal.
///
/// # Errors
/// When there is no store, or another process has it. Damage is in [`Verification::faults`].
pub fn verify(folder: &Path, progress: &dyn Fn(u64, u64)) -> Result<Verification, JournalFault> {
    if engines::of_folder(folder).is_none() {
        if !folder.join(HEADS).exists() {
            let what = format!("there is no store in {}", folder.display());
            return Err(JournalFault::Store(what));
        }
        let what = format!(
            "the store itself (the folder {}) is missing beside its file heads",
            engines::DEFAULT.folder
        );
        return Ok(Verification {
            faults: vec![JournalFault::Store(what)],
            ..Verification::default()
        });
    }
    let mut verification = Verification::default();
    let looks = StoreSettings {
        compacts: false,
        ..StoreSettings::default()
    };
    let opened = recovery::open(folder, engines::DEFAULT, &looks);
    let (_lock, opened) = match opened {
        Ok(opened) => opened,
        Err(fault @ (JournalFault::Store(_) | JournalFault::Damaged { .. } | JournalFault::Truncated { .. }))
            if Lock::take(folder).is_ok() =>
        {
            verification.faults.push(fault);
            return Ok(verification);
        }
        Err(fault) => return Err(fault),
    };
    verification.faults.extend(torn(&opened.standing));
    let names = match opened.names() {
        Ok(names) => names,
        Err(fault) => {
            verification.faults.push(fault);
            return Ok(verification);
        }
    };
    verification.faults.extend(names.faults);
    let promised = opened.standing.sealed.values().map(|sealed| sealed.seq).sum::<u64>();
    let mut check = Check {
        opened: &opened,
        snapshots: Snapshots::in_folder(folder),
        progress: &|records| progress(records, promised.max(records)),
        out: &mut verification,
    };
    let mut ends = BTreeMap::new();
    for (number, name) in names.names {
        let end = check.journal(number, &name);
        ends.insert(name, end);
    }
    let ahead = check.snapshots.ahead(&ends)?;
    verification.faults.extend(ahead);
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
    snapshots: Snapshots,
    progress: &'a dyn Fn(u64),
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
        self.out.journals += 1;
        let mut taken = BTreeMap::new();
        for found in self.snapshots.list(&JournalName(name.to_owned())).unwrap_or_default() {
            self.out.snapshots += 1;
            match found.load() {
                Ok(snapshot) => drop(taken.insert(snapshot.seq, snapshot.hash)),
                Err(what) => self.out.faults.push(snapshot(found.seq, &what)),
            }
        }
        let (found, others) = self.records(number, name, &mut taken);
        let others = others
            .into_iter()
            .map(|seq| snapshot(seq, "it was taken of another journal"));
        self.out.faults.extend(others);
        // What lies beyond the end is another matter: it says that there was more.
        let missing = taken.into_keys().filter(|&seq| seq > 0 && seq <= found);
        let missing = missing.map(|seq| snapshot(seq, "it is of a record that is not there"));
        self.out.faults.extend(missing);
        found
    }

    /// Checks every record, and takes away the snapshots whose records are there: where the journal ends, and which snapshots
    /// were taken of another one.
    fn records(&mut self, number: u32, name: &str, taken: &mut BTreeMap<u64, [u8; 32]>) -> (u64, Vec<u64>) {
        let sealed = self.opened.standing.sealed.get(&number);
        let acknowledged = sealed.map_or(0, |sealed| sealed.seq);
        let mut seal = SealCheck::new(sealed);
        let mut trail = Trail::starting_at(1);
        let (mut end, mut others) = (0, Vec::new());
        let frames = match self.opened.walk(number).frames(1) {
            Ok(frames) => frames,
            Err(fault) => {
                self.out.faults.push(fault);
                return (end, others);
            }
        };
        for frame in frames {
            let steps = match frame {
                Ok(frame) => trail.check(&frame),
                Err(fault) => {
                    self.out.faults.push(fault);
                    break;
                }
            };
            for step in steps {
                match step {
                    Ok((record, _)) => {
                        seal.see(&record);
                        end = end.max(record.seq);
                        if taken.remove(&record.seq).is_some_and(|hash| hash != record.hash) {
                            others.push(record.seq);
                        }
                        self.out.records += 1;
                        self.out.erased += u64::from(record.erased);
                        if self.out.records.is_multiple_of(PROGRESS_RECORDS) {
                            (self.progress)(self.out.records);
                        }
                    }
                    // What was cut short before it was acknowledged is removed at the next start; it is no fault.
                    Err(obstacle) if obstacle.missing && obstacle.frame > acknowledged => {}
                    Err(obstacle) => self.out.faults.push(obstacle.fault(name)),
                }
            }
        }
        self.out.faults.extend(seal.fault(name, end));
        (end, others)
    }
}

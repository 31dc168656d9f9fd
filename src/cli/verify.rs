//! `otherwise verify`: is everything in the data folder whole?

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::bootstrap::parts;
use crate::cli;
use crate::cli::DataArguments;
use crate::cli::ExitStatus;
use crate::cli::backup as cli_backup;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::progress::Progress;
use crate::cli::restore;
use store::backup_reader;
use store::backup_reader::BackupFault;
use store::journal::JournalFault;
use store::journal::Verification;

/// What to do about damage.
const RESTORE: &str = "nothing was changed; something that was acknowledged is damaged or lost: stop the service, put this \
                       folder aside, and bring back the last backup with `otherwise restore`";
/// What to do where no journal is the worse for it.
const START: &str = "nothing was changed, and nothing is lost: the journals are whole, and the next start of the service goes \
                     past what is named here and writes it anew";

/// What is checked.
#[derive(Clone, Debug, Args)]
pub struct VerifyArguments {
    #[command(flatten)]
    data: DataArguments,
    /// Where the copy that is checked is made, and removed again: as much room as the data has [default: TMPDIR, or /tmp].
    #[arg(long, value_name = "FOLDER", conflicts_with = "backup")]
    work_folder: Option<PathBuf>,
    /// A backup instead of a data folder; - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    backup: Option<PathBuf>,
    /// One JSON document on standard output.
    #[arg(long)]
    json: bool,
}

/// Prints what was checked and every fault; 1 when there is one.
pub fn run(arguments: &VerifyArguments) -> ExitStatus {
    let progress = Progress::standard("verify");
    let at = |done, total| progress.at(done, total);
    let verified = match &arguments.backup {
        Some(file) => of_backup(file, &at),
        None => of_folder(arguments, &at),
    };
    progress.finish();
    Output::new("verify", arguments.json).report(verified)
}

fn of_folder(arguments: &VerifyArguments, progress: &dyn Fn(u64, u64)) -> Result<Report, Trouble> {
    let settings = arguments.data.settings()?;
    let work = arguments.work_folder.clone().unwrap_or_else(std::env::temp_dir);
    let tell = |what: &str| cli::tell(&format!("otherwise: {what}"));
    let verification = parts::verify_journals(&settings, &work, &tell, progress)?;
    let advice = advice(&verification.faults).map(|advice| format!("otherwise: {advice}"));
    Ok(Report {
        ending: ending(verification.faults.is_empty()),
        lines: report(&verification),
        told: advice.into_iter().collect(),
        document: as_json(&verification),
    })
}

/// Checks a backup as a restore does, and restores nothing.
fn of_backup(file: &Path, progress: &dyn Fn(u64, u64)) -> Result<Report, Trouble> {
    let mut source = restore::open(file).map_err(usage)?;
    let shown = file.display();
    let (line, document) = match backup_reader::read(&mut source, &mut |_| Ok(()), progress) {
        Ok(contents) => {
            let mut document = cli_backup::as_json(file, &contents);
            document["faults"] = json!([]);
            (format!("{shown}: whole: {}", cli_backup::summary(&contents)), document)
        }
        Err(BackupFault::Damaged(what)) => {
            let document = json!({"file": shown.to_string(), "faults": [what]});
            (format!("fault: {shown}: {what}"), document)
        }
        Err(other) => {
            return Err(fault(format!("{shown}: {other}")));
        }
    };
    Ok(Report {
        ending: ending(document["faults"] == json!([])),
        lines: vec![line],
        document,
        ..Report::default()
    })
}

fn ending(is_whole: bool) -> ExitStatus {
    match is_whole {
        true => ExitStatus::Well,
        false => ExitStatus::Findings,
    }
}

/// What to do about these faults; nothing where there are none.
fn advice(faults: &[JournalFault]) -> Option<&'static str> {
    match faults {
        [] => None,
        faults if faults.iter().all(JournalFault::is_mended_by_a_start) => Some(START),
        [_, ..] => Some(RESTORE),
    }
}

fn as_json(verification: &Verification) -> Value {
    let Verification {
        journals,
        records,
        snapshots,
        erased,
        faults,
    } = verification;
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let mut document =
        json!({"journals": journals, "records": records, "snapshots": snapshots, "erased": erased, "faults": told});
    if let Some(advice) = advice(faults) {
        document["advice"] = json!(advice);
    }
    document
}

/// One line for each fault, then one with the counts.
fn report(verification: &Verification) -> Vec<String> {
    let Verification {
        journals,
        records,
        snapshots,
        erased,
        faults,
    } = verification;
    let mut lines: Vec<String> = faults.iter().map(|fault| format!("fault: {fault}")).collect();
    let erased = match erased {
        0 => String::new(),
        erased => format!(", {erased} records whose sealed part retention erased"),
    };
    let found = match faults.len() {
        0 => "all whole".to_owned(),
        faults => format!("{faults} faults"),
    };
    lines.push(format!(
        "checked {journals} journals, {records} records, {snapshots} snapshots{erased}: {found}"
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::RESTORE;
    use super::START;
    use super::advice;
    use super::as_json;
    use super::report;
    use store::journal::JournalFault;
    use store::journal::Verification;

    #[test]
    fn a_backup_is_asked_for_only_where_something_is_lost_z167() {
        let journal = || "scenario/default/a".to_owned();
        let snapshot = JournalFault::Snapshot {
            journal: journal(),
            seq: 7,
            what: "its checksum does not match".to_owned(),
        };
        let torn = JournalFault::TornHead("slot 1 of the file heads is torn".to_owned());
        let damaged = JournalFault::Damaged {
            journal: journal(),
            seq: 7,
            what: "checksum".to_owned(),
        };
        let cut = JournalFault::Truncated {
            journal: journal(),
            sealed: 9,
            found: 8,
        };
        let broken = JournalFault::Store("data/sled is damaged".to_owned());
        for (faults, expected) in [
            (vec![], None),
            (vec![snapshot.clone()], Some(START)),
            (vec![torn.clone(), snapshot.clone()], Some(START)),
            (vec![snapshot.clone(), damaged.clone()], Some(RESTORE)),
            (vec![torn, cut], Some(RESTORE)),
            (vec![broken], Some(RESTORE)),
        ] {
            assert_eq!(advice(&faults), expected, "{faults:?}");
        }
        let document = as_json(&Verification {
            faults: vec![snapshot],
            ..Verification::default()
        });
        assert_eq!(document["advice"], START, "{document}");
    }

    #[test]
    fn every_fault_is_named() {
        let mut verification = Verification {
            journals: 2,
            records: 30,
            snapshots: 1,
            erased: 4,
            faults: Vec::new(),
        };
        assert_eq!(
            report(&verification),
            ["checked 2 journals, 30 records, 1 snapshots, 4 records whose sealed part retention erased: all whole"]
        );
        let fault = JournalFault::Damaged {
            journal: "scenario/default/a".to_owned(),
            seq: 7,
            what: "checksum".to_owned(),
        };
        verification.faults.push(fault.clone());
        let lines = report(&verification);
        assert_eq!(lines[0], format!("fault: {fault}"));
        assert!(lines[1].ends_with("1 faults"), "{lines:?}");
        let document = as_json(&verification);
        assert_eq!(
            (&document["records"], &document["faults"][0]),
            (&30.into(), &fault.to_string().into())
        );
    }
}

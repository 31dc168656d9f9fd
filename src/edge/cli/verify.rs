//! `otherwise verify`: is everything in the data folder whole?

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::edge::boot::parts;
use crate::edge::cli;
use crate::edge::cli::Ending;
use crate::edge::cli::SettingsArguments;
use crate::edge::cli::backup as cli_backup;
use crate::edge::cli::progress::Progress;
use crate::edge::cli::restore;
use crate::edge::cli::voice::Voice;
use crate::edge::store::backup as read_backup;
use crate::edge::store::backup::BackupFault;
use crate::edge::store::backup::Nowhere;
use crate::service::ports::Verification;

/// What to do about damage.
const REMEDY: &str = "otherwise: nothing was changed. Unless a fault says that a start mends it, stop the service, put this \
                      folder aside, bring back the last backup with `otherwise restore`";

/// What is checked.
#[derive(Clone, Debug, Args)]
pub struct VerifyArguments {
    /// Settings file (TOML), for the folder of the journals.
    #[arg(long, env = "OTHERWISE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the journals [default: data].
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
    /// A backup instead of a data folder; - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    backup: Option<PathBuf>,
    /// One JSON document on standard output.
    #[arg(long)]
    json: bool,
}

/// Prints what was checked and every fault; 1 when there is one.
pub fn run(arguments: &VerifyArguments) -> Ending {
    let VerifyArguments {
        config,
        data,
        backup,
        json,
    } = arguments;
    let voice = Voice::new("verify", *json);
    if let Some(file) = backup {
        return backed_up(file, &voice);
    }
    let settings = SettingsArguments {
        config: config.clone(),
        data: data.clone(),
        ..SettingsArguments::default()
    };
    let settings = match settings.settings() {
        Ok(settings) => settings,
        Err(error) => return voice.end(Ending::Usage, &error.0),
    };
    let progress = Progress::standard("verify");
    let verified = parts::verify_journals(&settings, &|done, total| progress.at(done, total));
    progress.finish();
    match verified {
        Err(fault) => voice.end(Ending::Fault, &fault.0),
        Ok(verification) => {
            let ending = if verification.faults.is_empty() {
                Ending::Well
            } else {
                Ending::Findings
            };
            if *json {
                voice.document(ending, as_json(&verification));
            } else {
                report(&verification).iter().for_each(|line| cli::answer(line));
            }
            if ending == Ending::Findings {
                cli::tell(REMEDY);
            }
            ending
        }
    }
}

/// Checks a backup as a restore does, and restores nothing.
fn backed_up(file: &Path, voice: &Voice) -> Ending {
    let mut source = match restore::open(file) {
        Ok(source) => source,
        Err(why) => return voice.end(Ending::Usage, &why),
    };
    let progress = Progress::standard("verify");
    let read = read_backup::read(&mut source, &mut Nowhere, &|done, total| progress.at(done, total));
    progress.finish();
    match read {
        Ok(contents) if voice.json => {
            let mut document = cli_backup::as_json(file, &contents);
            document["faults"] = json!([]);
            voice.document(Ending::Well, document)
        }
        Ok(contents) => {
            cli::answer(&format!(
                "{}: whole: {}",
                file.display(),
                cli_backup::summary(&contents)
            ));
            Ending::Well
        }
        Err(BackupFault::Damaged(what)) => {
            if voice.json {
                voice.document(
                    Ending::Findings,
                    json!({"file": file.display().to_string(), "faults": [what]}),
                )
            } else {
                cli::answer(&format!("fault: {}: {what}", file.display()));
                Ending::Findings
            }
        }
        Err(fault @ (BackupFault::Unreadable(_) | BackupFault::Store(_))) => {
            voice.end(Ending::Fault, &format!("{}: {fault}", file.display()))
        }
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
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    json!({"journals": journals, "records": records, "snapshots": snapshots, "erased": erased, "faults": faults})
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
    lines.push(format!(
        "checked {journals} journals, {records} records, {snapshots} snapshots{}: {}",
        if *erased > 0 {
            format!(", {erased} records whose sealed part retention erased")
        } else {
            String::new()
        },
        if faults.is_empty() {
            "all whole".to_owned()
        } else {
            format!("{} faults", faults.len())
        }
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::as_json;
    use super::report;
    use crate::service::ports::JournalFault;
    use crate::service::ports::Verification;

    #[test]
    fn every_fault_is_named() {
        let mut verification = Verification {
            journals: 2,
            records: 30,
            snapshots: 1,
            erased: 0,
            faults: Vec::new(),
        };
        assert_eq!(
            report(&verification),
            ["checked 2 journals, 30 records, 1 snapshots: all whole"]
        );
        verification.erased = 4;
        assert_eq!(
            report(&verification),
            ["checked 2 journals, 30 records, 1 snapshots, 4 records whose sealed part retention erased: all whole"]
        );
        verification.faults.push(JournalFault::Damaged {
            journal: "scenario/default/a".to_owned(),
            seq: 7,
            what: "checksum".to_owned(),
        });
        let lines = report(&verification);
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0].contains("scenario/default/a") && lines[0].contains('7'),
            "{lines:?}"
        );
        assert!(lines[1].ends_with("1 faults"), "{lines:?}");
        let document = as_json(&verification);
        assert_eq!((&document["journals"], &document["records"]), (&2.into(), &30.into()));
        assert!(
            document["faults"][0]
                .as_str()
                .is_some_and(|fault| fault.contains("checksum")),
            "{document}"
        );
    }
}

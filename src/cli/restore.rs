//! `otherwise restore`: a backup becomes a data folder again.

use std::fs::File;
use std::io;
use std::io::BufReader;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::bootstrap::parts;
use crate::cli;
use crate::cli::DataArguments;
use crate::cli::ExitStatus;
use crate::cli::backup;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use crate::cli::progress::Progress;
use store::backup_reader::BackupFault;
use store::restore;

/// Bytes read from the file at once.
const BUFFER_BYTES: usize = 256 << 10;

/// What is restored, and where.
#[derive(Clone, Debug, Args)]
pub struct RestoreArguments {
    /// The backup; - for standard input.
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    #[command(flatten)]
    data: DataArguments,
    /// One JSON document on standard output.
    #[arg(long)]
    json: bool,
}

/// Opens a backup to read.
///
/// # Errors
/// In a sentence.
pub fn open(file: &Path) -> Result<Box<dyn Read>, String> {
    if cli::is_standard(file) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let opened = File::open(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    if opened.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(format!("{} is a folder; a backup is a file", file.display()));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, opened)))
}

/// Writes the folder, checks it, and says what is in it.
pub fn run(arguments: &RestoreArguments) -> ExitStatus {
    Output::new("restore", arguments.json).report(perform(arguments))
}

fn perform(arguments: &RestoreArguments) -> Result<Report, Trouble> {
    let from = &arguments.from;
    let settings = arguments.data.settings()?;
    let mut source = open(from).map_err(usage)?;
    let folder = Path::new(&settings.data.folder);
    if folder.exists() && !folder.is_dir() {
        let why = format!("{} is a file; a backup is restored into a folder", folder.display());
        return Err(usage(why));
    }
    let progress = Progress::standard("restore");
    let restored = restore::restore(&mut source, folder, &|done, total| progress.at(done, total));
    progress.finish();
    let contents = restored.map_err(|fault| {
        let (ending, what) = match &fault {
            BackupFault::NotEmpty(_) => return usage(fault.to_string()),
            BackupFault::Damaged(_) => (ExitStatus::Findings, format!("{}: ", from.display())),
            BackupFault::Unreadable(_) => (ExitStatus::Fault, format!("{}: ", from.display())),
            BackupFault::Store(_) | BackupFault::NotWhole(_) => (ExitStatus::Fault, String::new()),
        };
        Trouble::new(ending, format!("{what}{fault}; nothing was restored"))
    })?;
    let mut report = Report::default();
    // Everything was checked: that they could not be counted would be no reason to call it not restored.
    let webhooks = parts::count_webhooks(&settings).unwrap_or_default();
    if webhooks > 0 {
        report.told.push(format!(
            "otherwise: the folder holds {webhooks} webhook{}: up to where each was told is not in a backup, so that a start on this \
             folder tells each once more what happened since it was registered; a receiver knows what it had by the webhook-id",
            if webhooks == 1 { "" } else { "s" }
        ));
    }
    report.document = backup::as_json(from, &contents);
    report.document["data"] = json!(settings.data.folder);
    report.document["webhooks"] = json!(webhooks);
    report.lines.push(format!(
        "{}: restored and checked {} journals, {} records, as of {}",
        settings.data.folder, contents.journals, contents.records, contents.at
    ));
    Ok(report)
}

//! `otherwise verify`, `backup` and `restore`: is everything in a data folder whole, and everything that was acknowledged in one file.
//!
//! Invariant: a file under the name that was asked for was read and checked to its end while it was written; until then it
//! is called `NAME.part`, and a backup that broke off leaves nothing. It is its owner's alone, mode 0600: it holds the texts
//! of clients as the data folder does. What goes to standard output is checked as well, and the exit code alone says whether it
//! is whole.

use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::BufReader;
use std::io::IsTerminal;
use std::io::Read;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::adapters::outbound::bearer::Place;
use crate::bootstrap::parts;
use crate::cli;
use crate::cli::DataArguments;
use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::progress::Progress;
use crate::cli::remote::line;
use crate::cli::remote::way;
use store::backup_reader;
use store::backup_reader::BackupFault;
use store::backup_reader::Contents;
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
pub fn verify(arguments: &VerifyArguments) -> ExitStatus {
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
        ending: ExitStatus::of(verification.faults.is_empty()),
        lines: counted(&verification),
        told: advice.into_iter().collect(),
        document: verification_json(&verification),
    })
}

/// Checks a backup as a restore does, and restores nothing.
fn of_backup(file: &Path, progress: &dyn Fn(u64, u64)) -> Result<Report, Trouble> {
    let mut source = open(file).map_err(usage)?;
    let shown = file.display();
    let (line, document) = match backup_reader::read(&mut source, &mut |_| Ok(()), progress) {
        Ok(contents) => {
            let mut document = contents_json(file, &contents);
            document["faults"] = json!([]);
            (format!("{shown}: whole: {}", summary(&contents)), document)
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
        ending: ExitStatus::of(document["faults"] == json!([])),
        lines: vec![line],
        document,
        ..Report::default()
    })
}

/// What to do about these faults; nothing where there are none.
fn advice(faults: &[JournalFault]) -> Option<&'static str> {
    match faults {
        [] => None,
        faults if faults.iter().all(JournalFault::is_mended_by_a_start) => Some(START),
        [_, ..] => Some(RESTORE),
    }
}

fn verification_json(verification: &Verification) -> Value {
    let told: Vec<String> = verification.faults.iter().map(ToString::to_string).collect();
    let mut document = json!({"journals": verification.journals, "records": verification.records,
        "snapshots": verification.snapshots, "erased": verification.erased, "faults": told});
    if let Some(advice) = advice(&verification.faults) {
        document["advice"] = json!(advice);
    }
    document
}

/// One line for each fault, then one with the counts.
fn counted(verification: &Verification) -> Vec<String> {
    let faults = verification.faults.iter();
    let mut lines: Vec<String> = faults.map(|fault| format!("fault: {fault}")).collect();
    let erased = match verification.erased {
        0 => String::new(),
        erased => format!(", {erased} records whose sealed part retention erased"),
    };
    let found = match lines.len() {
        0 => "all whole".to_owned(),
        faults => format!("{faults} faults"),
    };
    let form = "checked {journals} journals, {records} records, {snapshots} snapshots";
    lines.push(format!(
        "{}{erased}: {found}",
        line(form, &verification_json(verification))
    ));
    lines
}

/// How long the service may take to send the next bytes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 64 << 10;

/// Of what a backup is made, and where it goes.
#[derive(Clone, Debug, Args)]
pub struct BackupArguments {
    /// A running service, such as http://127.0.0.1:8080; it goes on meanwhile.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    url: Option<String>,
    /// Environment variable that holds the key of an operator.
    #[arg(long, value_name = "NAME", requires = "url", conflicts_with = "data")]
    key_env: Option<String>,
    /// File that holds it instead.
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with_all = ["key_env", "data"])]
    key_file: Option<PathBuf>,
    #[command(flatten)]
    data: DataArguments,
    /// The file to write; there must be none of this name. - for standard output, which must be no terminal.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// One JSON document on standard output; not with --out -, which writes the backup there.
    #[arg(long)]
    json: bool,
}

/// Writes the file and says what is in it.
pub fn backup(arguments: &BackupArguments) -> ExitStatus {
    let to_standard = cli::is_standard(&arguments.out);
    let progress = Progress::standard("backup");
    let kept = is_free(&arguments.out, arguments.json).and_then(|()| kept(arguments, &progress));
    progress.finish();
    // Where the backup goes to standard output, nothing else does, not even what is wrong.
    Output::new("backup", arguments.json && !to_standard).report(kept.map(|contents| {
        let place = if to_standard {
            Path::new("standard output")
        } else {
            &arguments.out
        };
        let line = format!("{}: {}", place.display(), summary(&contents));
        let (lines, told) = if to_standard {
            (vec![], vec![line])
        } else {
            (vec![line], vec![])
        };
        Report {
            lines,
            told,
            document: contents_json(&arguments.out, &contents),
            ..Report::default()
        }
    }))
}

/// Whether a backup may go there.
fn is_free(out: &Path, json: bool) -> Result<(), Trouble> {
    if cli::is_standard(out) {
        return match (json, io::stdout().is_terminal()) {
            (true, _) => Err(usage(
                "--json and --out - exclude each other: a backup and a JSON document cannot both go to standard output; \
                 name a file, or leave --json out",
            )),
            (false, true) => Err(usage("a backup is nothing for a terminal; send it to a file or a pipe")),
            (false, false) => Ok(()),
        };
    }
    if out.exists() {
        return Err(usage(format!(
            "{} is there already; a backup gets a name of its own",
            out.display()
        )));
    }
    match out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            let why = format!("{} is no folder that a backup could be written to", folder.display());
            Err(usage(why))
        }
        Some(_) | None => Ok(()),
    }
}

fn kept(arguments: &BackupArguments, progress: &Progress) -> Result<Contents, Trouble> {
    match &arguments.url {
        Some(url) => keep(&mut download(url, key(arguments))?, &arguments.out, progress),
        None => {
            let mut backup = parts::back_up(&arguments.data.settings()?)?;
            let mut pieces = Pieces::new(|| backup.chunk().map_err(io::Error::other));
            keep(&mut pieces, &arguments.out, progress)
        }
    }
}

/// Where the key to show is.
fn key(arguments: &BackupArguments) -> Option<Place> {
    let named = arguments.key_env.clone().map(Place::Environment);
    let in_file = |file: &PathBuf| Place::File(file.display().to_string());
    named.or_else(|| arguments.key_file.as_ref().map(in_file))
}

/// Asks a service for a backup; shows the key that lies there.
fn download(url: &str, key: Option<Place>) -> Result<impl Read, Trouble> {
    let has_key = key.is_some();
    let way = way(url, key, None, false)?;
    if has_key && !way.address.is_secure && !way.address.is_local {
        cli::tell("otherwise: the key and the backup go over http, where whoever is on the way can read them");
    }
    let runtime = cli::runtime()?;
    let opened = runtime.block_on(way.open(way.get("/v1/backup"), PATIENCE));
    let mut coming = opened.map_err(fault)?;
    if coming.status() != 200 {
        let refusal = runtime.block_on(coming.whole(REFUSAL_BYTES)).map_err(fault)?;
        let said = refusal.json()["detail"].as_str().map(|said| format!(": {said}"));
        let why = format!("{url} answered {}{}", refusal.status, said.unwrap_or_default());
        return Err(match refusal.status {
            401 | 403 => usage(why),
            _ => fault(why),
        });
    }
    Ok(Pieces::new(move || {
        runtime.block_on(coming.next()).map_err(io::Error::other)
    }))
}

/// Checks what comes while it is written, and gives a file its name at the end.
fn keep(source: &mut dyn Read, out: &Path, progress: &Progress) -> Result<Contents, Trouble> {
    if cli::is_standard(out) {
        let mut stdout = io::stdout().lock();
        let copied = copy(source, &mut stdout, Path::new("standard output"), progress);
        return copied.map_err(fault);
    }
    let mut name = out.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    let kept = write(source, out, &part, progress);
    if kept.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    kept.map_err(fault)
}

fn write(source: &mut dyn Read, out: &Path, part: &Path, progress: &Progress) -> Result<Contents, String> {
    let io = |error: io::Error| format!("{}: {error}", part.display());
    match std::fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
        Ok(()) | Err(_) => {}
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(part);
    let mut file = file.map_err(io)?;
    let contents = copy(source, &mut file, part, progress)?;
    file.sync_all().map_err(io)?;
    std::fs::rename(part, out).map_err(io)?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))
        .and_then(|folder| folder.sync_all())
        .map_err(io)?;
    Ok(contents)
}

/// Checks what comes while it is written to what is called `place`.
fn copy(source: &mut dyn Read, out: &mut dyn Write, place: &Path, progress: &Progress) -> Result<Contents, String> {
    let mut tee = Tee {
        source,
        out,
        fault: None,
    };
    let read = backup_reader::read(&mut tee, &mut |_| Ok(()), &|done, total| progress.at(done, total));
    let flushed = tee.out.flush().err();
    match (read, tee.fault.take().or(flushed)) {
        (_, Some(error)) => Err(format!("{}: {error}", place.display())),
        (Err(BackupFault::Unreadable(error)), None) => Err(format!("the backup broke off: {error}")),
        (Err(fault), None) => Err(format!("the backup broke off: {fault}")),
        (Ok(contents), None) => Ok(contents),
    }
}

/// In one line.
fn summary(contents: &Contents) -> String {
    let erased = match contents.erased {
        0 => String::new(),
        erased => format!(", {erased} of them with an erased sealed part"),
    };
    let told = contents_json(Path::new(""), contents);
    line("{journals} journals, {records} records", &told)
        + &erased
        + &line(", {bytes} bytes, as of {at}, SHA-256 {sha256}", &told)
}

/// For a program.
fn contents_json(file: &Path, contents: &Contents) -> Value {
    json!({
        "file": file.display().to_string(), "program": contents.program, "at": contents.at, "journals": contents.journals,
        "records": contents.records, "erased": contents.erased, "bytes": contents.bytes, "sha256": contents.sha256,
    })
}

/// Writes whatever is read from it.
struct Tee<'a> {
    source: &'a mut dyn Read,
    out: &'a mut dyn Write,
    /// Why it could not be written, which is not the source's fault.
    fault: Option<io::Error>,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        if let Err(error) = self.out.write_all(buffer.get(..read).unwrap_or_default()) {
            self.fault = Some(error);
            return Err(io::Error::other("it cannot be written"));
        }
        Ok(read)
    }
}

/// What comes in pieces, as bytes to read.
struct Pieces<F> {
    next: F,
    piece: io::Cursor<Vec<u8>>,
}

impl<F: FnMut() -> io::Result<Option<Vec<u8>>>> Pieces<F> {
    fn new(next: F) -> Pieces<F> {
        let piece = io::Cursor::default();
        Pieces { next, piece }
    }
}

impl<F: FnMut() -> io::Result<Option<Vec<u8>>>> Read for Pieces<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match (self.next)()? {
                Some(bytes) => self.piece = io::Cursor::new(bytes),
                None => return Ok(0),
            }
        }
    }
}

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
fn open(file: &Path) -> Result<Box<dyn Read>, String> {
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
pub fn restore(arguments: &RestoreArguments) -> ExitStatus {
    Output::new("restore", arguments.json).report(restored(arguments))
}

fn restored(arguments: &RestoreArguments) -> Result<Report, Trouble> {
    let from = &arguments.from;
    let settings = arguments.data.settings()?;
    let mut source = open(from).map_err(usage)?;
    let folder = Path::new(&settings.data.folder);
    if folder.exists() && !folder.is_dir() {
        let why = format!("{} is a file; a backup is restored into a folder", folder.display());
        return Err(usage(why));
    }
    let progress = Progress::standard("restore");
    let restored = store::restore::restore(&mut source, folder, &|done, total| progress.at(done, total));
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
    report.document = contents_json(from, &contents);
    report.document["data"] = json!(settings.data.folder);
    report.document["webhooks"] = json!(webhooks);
    report.lines.push(format!(
        "{}: restored and checked {} journals, {} records, as of {}",
        settings.data.folder, contents.journals, contents.records, contents.at
    ));
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::RESTORE;
    use super::START;
    use super::advice;
    use super::counted;
    use super::verification_json;
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
        let document = verification_json(&Verification {
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
            counted(&verification),
            ["checked 2 journals, 30 records, 1 snapshots, 4 records whose sealed part retention erased: all whole"]
        );
        let fault = JournalFault::Damaged {
            journal: "scenario/default/a".to_owned(),
            seq: 7,
            what: "checksum".to_owned(),
        };
        verification.faults.push(fault.clone());
        let lines = counted(&verification);
        assert_eq!(lines[0], format!("fault: {fault}"));
        assert!(lines[1].ends_with("1 faults"), "{lines:?}");
        let document = verification_json(&verification);
        assert_eq!(
            (&document["records"], &document["faults"][0]),
            (&30.into(), &fault.to_string().into())
        );
    }
}

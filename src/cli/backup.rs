//! `otherwise backup`: everything that was acknowledged, in one file; of a running service or of a data folder.
//!
//! Invariant: a file under the name that was asked for was read and checked to its end while it was written; until then it
//! is called `NAME.part`, and a backup that broke off leaves nothing. It is its owner's alone, mode 0600: it holds the texts
//! of clients as the data folder does. What goes to standard output is checked as well, and the exit code alone says whether it
//! is whole.

use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::IsTerminal;
use std::io::Read;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::adapters::outbound::bearer::Place;
use crate::bootstrap::parts;
use crate::cli;
use crate::cli::DataArguments;
use crate::cli::ExitStatus;
use crate::cli::download::Download;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::progress::Progress;
use store::backup::Backup;
use store::backup_reader;
use store::backup_reader::BackupFault;
use store::backup_reader::Contents;

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
pub fn run(arguments: &BackupArguments) -> ExitStatus {
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
            document: as_json(&arguments.out, &contents),
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
        Some(url) => {
            let mut download = Download::begin(url, key(arguments))?;
            keep(&mut download, &arguments.out, progress)
        }
        None => {
            let backup = parts::back_up(&arguments.data.settings()?)?;
            keep(&mut Local::new(backup), &arguments.out, progress)
        }
    }
}

/// Where the key to show is.
fn key(arguments: &BackupArguments) -> Option<Place> {
    let named = arguments.key_env.clone().map(Place::Environment);
    let in_file = |file: &PathBuf| Place::File(file.display().to_string());
    named.or_else(|| arguments.key_file.as_ref().map(in_file))
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
pub fn summary(contents: &Contents) -> String {
    let Contents {
        program: _,
        at,
        journals,
        records,
        erased,
        bytes,
        sha256,
    } = contents;
    let erased = match erased {
        0 => String::new(),
        erased => format!(", {erased} of them with an erased sealed part"),
    };
    format!("{journals} journals, {records} records{erased}, {bytes} bytes, as of {at}, SHA-256 {sha256}")
}

/// For a program.
pub fn as_json(file: &Path, contents: &Contents) -> Value {
    let Contents {
        program,
        at,
        journals,
        records,
        erased,
        bytes,
        sha256,
    } = contents;
    json!({
        "file": file.display().to_string(), "program": program, "at": at, "journals": journals, "records": records,
        "erased": erased, "bytes": bytes, "sha256": sha256,
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

/// A backup of a folder in this process, as bytes to read.
struct Local {
    backup: Backup,
    chunk: io::Cursor<Vec<u8>>,
}

impl Local {
    fn new(backup: Backup) -> Local {
        Local {
            backup,
            chunk: io::Cursor::default(),
        }
    }
}

impl Read for Local {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.chunk.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.backup.chunk() {
                Ok(Some(chunk)) => self.chunk = io::Cursor::new(chunk),
                Ok(None) => return Ok(0),
                Err(fault) => return Err(io::Error::other(fault)),
            }
        }
    }
}

//! `otherwise conformance`: runs the conformance kit, which is a program of its own, found beside this one.
//!
//! Knows nothing of its arguments: they are handed on as they are, and the exit status is the kit's.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::usage;

/// The kit's file name.
const KIT: &str = "otherwise-conformance";

/// What the kit is asked.
#[derive(Clone, Debug, Args)]
pub struct ConformanceArguments {
    /// What the kit is asked; --help lists it.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// Becomes the kit; returns where there is none.
pub fn run(arguments: &ConformanceArguments) -> ExitStatus {
    let program = std::env::current_exe().unwrap_or_default();
    run_in(program.parent().unwrap_or(Path::new("")), &arguments.arguments)
}

fn run_in(folder: &Path, arguments: &[OsString]) -> ExitStatus {
    let error = Command::new(folder.join(KIT)).args(arguments).exec();
    let output = Output::new("conformance", arguments.iter().any(|word| word == "--json"));
    let folder = folder.display();
    let why = format!(
        "the conformance kit is a program of its own, and {folder}/{KIT} cannot be run: {error}; \
         `cargo build --release --package conformance` makes it, and it belongs beside this program"
    );
    output.stop(usage(why))
}

#[cfg(test)]
mod tests {
    use super::run_in;
    use crate::cli::ExitStatus;

    #[test]
    fn without_the_kit_it_is_asked_wrongly() {
        let empty = tempfile::tempdir().expect("a folder");
        assert_eq!(run_in(empty.path(), &[]), ExitStatus::Usage);
    }
}

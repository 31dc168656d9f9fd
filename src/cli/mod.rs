//! The command line: reads arguments, asks for one thing, says how it went.
//!
//! Exit codes: 0 all is well, 1 findings, 2 usage, 3 fault (docs/design.md §9): 2 where an argument or a setting cannot be, or what it
//! names is not there or has another form; 1 where it was read and something is wrong with it; 3 where the environment failed. What a program may read goes to standard
//! output, everything else to standard error; with `--json` a program may read all of it ([`output`]).

pub mod annotation;
pub mod audit;
pub mod completions;
pub mod conformance;
pub mod data_folder;
pub mod demo;
pub mod diff;
pub mod document;
pub mod export;
pub mod import;
pub mod installed;
pub mod lint;
pub mod mcp;
pub mod output;
pub mod patches;
pub mod progress;
pub mod recorded;
pub mod remote;
pub mod replay;
pub mod scenarios;
pub mod schemas;
pub mod serve;
pub mod submissions;
pub mod versions;

use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::CommandFactory;
use clap::FromArgMatches;
use clap::Parser;
use clap::Subcommand;
use serde_json::Value;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::adapters::text_file;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::config::BadSettings;
use crate::config::Settings;
use crate::config::gather::Sources;
use crate::config::service::Models;
use crate::config::service::Schemas;
use store::data_folder::keep_to_owner;
use store::data_folder::survive_file_limit;

/// What exit codes mean, at the end of every help.
const EXIT_CODES: &str = "Exit codes: 0 all is well, 1 something was found, 2 wrong usage, 3 the environment failed (disk, network). `serve` ends with 4 \
     where its store cannot continue until a restart.";

/// The program's own name, where no command was named.
const NAME: &str = "otherwise";

/// How a command ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitStatus {
    #[default]
    Well,
    /// It did what it was asked and found something wrong.
    Findings,
    /// It was asked wrongly.
    Usage,
    /// The environment failed: a disk, a network, a file that cannot be read.
    Fault,
    /// The store of a running service cannot continue after a write or a sync that failed; a restart checks what is on disk.
    Store,
}

impl ExitStatus {
    /// How a command ends that looked for something wrong.
    pub fn of(is_well: bool) -> ExitStatus {
        match is_well {
            true => ExitStatus::Well,
            false => ExitStatus::Findings,
        }
    }

    /// The process's exit code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Its name in a document.
    pub fn name(self) -> &'static str {
        match self {
            ExitStatus::Well => "well",
            ExitStatus::Findings => "findings",
            ExitStatus::Usage => "usage",
            ExitStatus::Fault => "fault",
            ExitStatus::Store => "store",
        }
    }
}

/// Hosts the schemas AI agents speak, and learns from what those schemas cannot say.
#[derive(Debug, Parser)]
#[command(name = "otherwise", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service.
    Serve(SettingsArguments),
    /// Run a recorded stream through the engine, on a virtual clock, and report what it learned.
    #[command(
        override_usage = "otherwise replay --template T.json --stream S.jsonl [OPTIONS]\n       \
                                otherwise replay --texts F.jsonl [OPTIONS]"
    )]
    Replay(Box<replay::ReplayArguments>),
    /// Run a flight-booking service for 30 virtual days, offline, and tell what it learned as a story.
    Demo(demo::DemoArguments),
    /// Check every journal and snapshot of a data folder; changes nothing.
    Verify(data_folder::VerifyArguments),
    /// Look at drawn values of a running service, one after another, and say whether each is right.
    Audit(audit::AuditArguments),
    /// Publish templates at a running service.
    Publish(schemas::PublishArguments),
    /// Say what publishing templates would come to at a running service, and whom it would break.
    Check(schemas::CheckArguments),
    /// List the scenarios that a running service hosts.
    List(scenarios::ListArguments),
    /// List the versions of a scenario's schema, the highest first.
    Versions(remote::OfScenario),
    /// Announce that a schema of a running service is to go.
    Deprecate(versions::DeprecateArguments),
    /// Show a template as a running service serves it.
    Show(scenarios::ShowArguments),
    /// Write a template of a running service into a file, in the form that code, a decoder or a prompt takes.
    Pull(scenarios::PullArguments),
    /// Submit a payload to a running service.
    Submit(submissions::SubmitArguments),
    /// List the keys that a running service learned for a scenario.
    Patches(remote::OfScenario),
    /// Say what a learned key rests on.
    Evidence(patches::OfPatch),
    /// Keep a learned key whose trial has not ended.
    Promote(patches::Decision),
    /// Follow a template's changes, a line each, until it is interrupted.
    Watch(versions::WatchArguments),
    /// List the keys that wait for a person in a running service, longest waiting first, with why.
    Approvals(patches::ApprovalsArguments),
    /// Approve a waiting key, as it was proposed or as edited.
    Approve(Box<patches::ApproveArguments>),
    /// Reject a waiting key: it is no wish, or the wrong key for one.
    Reject(patches::RejectArguments),
    /// Note that a cluster of a scenario's pool is no wish: nothing is proposed of it for some days.
    Dismiss(patches::DismissArguments),
    /// Read what clients of a running service said that no key holds, or say which wishes there are in it.
    Review(patches::ReviewArguments),
    /// Write everything that was acknowledged into one file, of a running service or of a data folder.
    Backup(data_folder::BackupArguments),
    /// Create a data folder from a backup, in an empty or new folder, and check it.
    Restore(data_folder::RestoreArguments),
    /// Say what a publisher would be told about templates: a score, and findings with what is better.
    Lint(lint::LintArguments),
    /// Say what changed between two templates, whom it would break, and which payload shows it.
    Diff(diff::DiffArguments),
    /// Write a template in the form that a decoder, a tool interface or a prompt takes.
    Export(export::ExportArguments),
    /// Make a template of a JSON Schema, an operation of an OpenAPI document or a tool of MCP, and say what is lost.
    Import(import::ImportArguments),
    /// Speak MCP on standard input and output, for a running service or with a data folder of its own.
    Mcp(mcp::McpArguments),
    /// Check a server that claims the draft, whoever wrote it, by what can be seen from outside: runs otherwise-conformance.
    #[command(disable_help_flag = true)]
    Conformance(conformance::ConformanceArguments),
    /// Write a script that completes commands and options in a shell.
    Completions(completions::CompletionsArguments),
}

/// Where settings come from; shared by commands.
#[derive(Clone, Debug, Default, Args)]
pub struct SettingsArguments {
    /// Settings file (TOML); docs/settings.md lists what it may hold.
    #[arg(long, env = "OTHERWISE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port; port 0 picks a free one [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Folder of the journals [default: data].
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
    /// Folder whose *.json files are published at start, '' for none [default: schemas, here or beside the program].
    #[arg(long, value_name = "FOLDER")]
    schemas: Option<String>,
    /// Folder of the embedding model [default: models, here or beside the program].
    #[arg(long, value_name = "FOLDER")]
    models: Option<String>,
}

impl SettingsArguments {
    /// Whether an address to listen on is given.
    pub fn listens(&self) -> bool {
        self.listen.is_some()
    }

    /// Reads file, environment and flags.
    ///
    /// # Errors
    /// The first thing that is wrong, with where it was written.
    pub fn settings(&self) -> Result<Settings, BadSettings> {
        let read = |path: &PathBuf| match text_file::read(path) {
            Ok(text) => Ok((path.display().to_string(), text)),
            Err(error) => Err(BadSettings(format!(
                "the settings file {}, named by --config or OTHERWISE_CONFIG, cannot be read: {error}",
                path.display()
            ))),
        };
        let file = self.config.as_ref().map(read).transpose()?;
        let flags = [
            ("--listen", "server.listen", &self.listen),
            ("--data", "data.folder", &self.data),
            ("--schemas", "schemas.folder", &self.schemas),
            ("--models", "models.folder", &self.models),
        ];
        let mut settings = Settings::gather(&Sources {
            file,
            environment: std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
            flags: flags
                .into_iter()
                .filter_map(|(flag, path, value)| Some((flag, path, value.clone()?)))
                .collect(),
        })?;
        if self.schemas.is_none() {
            installed::find(&mut settings.schemas.folder, &Schemas::default().folder);
        }
        if self.models.is_none() {
            installed::find(&mut settings.models.folder, &Models::default().folder);
        }
        Ok(settings)
    }
}

/// Which model; shared by commands that need nothing else of the settings.
#[derive(Clone, Debug, Args)]
pub struct ModelArguments {
    /// Settings file (TOML), for the folder of the model and the policies' defaults.
    #[arg(long, env = "OTHERWISE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the embedding model [default: models].
    #[arg(long, value_name = "FOLDER")]
    models: Option<String>,
}

impl ModelArguments {
    /// As [`SettingsArguments::settings`].
    ///
    /// # Errors
    /// As there.
    pub fn settings(&self) -> Result<Settings, BadSettings> {
        let ModelArguments { config, models } = self.clone();
        let rest = SettingsArguments::default();
        SettingsArguments { config, models, ..rest }.settings()
    }
}

/// Which data folder; shared by commands that need nothing else of the settings.
#[derive(Clone, Debug, Args)]
pub struct DataArguments {
    /// Settings file (TOML), for the folder of the journals.
    #[arg(long, env = "OTHERWISE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the journals [default: data].
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
}

impl DataArguments {
    /// As [`SettingsArguments::settings`].
    ///
    /// # Errors
    /// As there.
    pub fn settings(&self) -> Result<Settings, BadSettings> {
        let DataArguments { config, data } = self.clone();
        let rest = SettingsArguments::default();
        SettingsArguments { config, data, ..rest }.settings()
    }
}

/// The whole command line; every help ends with what exit codes mean.
pub fn command() -> clap::Command {
    Arguments::command()
        .after_help(EXIT_CODES)
        .mut_subcommands(|command| command.after_help(EXIT_CODES))
}

/// Reads the command line of this process.
///
/// # Errors
/// How it ended where there is nothing to do: with help, or with what is wrong.
fn arguments() -> Result<Arguments, ExitStatus> {
    let read = command().try_get_matches();
    read.and_then(|matches| Arguments::from_arg_matches(&matches))
        .map_err(|error| {
            let _ = error.print();
            if !error.use_stderr() {
                return ExitStatus::Well;
            }
            let words = std::env::args_os().skip(1).filter_map(|word| word.into_string().ok());
            let given: Vec<String> = words.collect();
            if given.iter().any(|word| word == "--json") && !takes_standard_output(&given) {
                answer(&misused(&given, &error).to_string());
            }
            ExitStatus::Usage
        })
}

/// Whether words send a backup to standard output, which holds nothing else then.
fn takes_standard_output(given: &[String]) -> bool {
    let named = given.windows(2).any(|words| words == ["--out", "-"]);
    named || given.iter().any(|word| word == "--out=-")
}

/// What is wrong with the words of a command line, for a program.
fn misused(given: &[String], error: &clap::Error) -> Value {
    let known = command();
    let named = given.iter().find(|word| known.find_subcommand(word).is_some());
    // What comes after the first empty line are hints for people, whom standard error tells all of it.
    let said = error.to_string();
    let lines = said.lines().map(str::trim).take_while(|line| !line.is_empty());
    let why = lines.collect::<Vec<_>>().join(" ");
    let name = named.map_or(NAME, String::as_str);
    output::enveloped(
        name,
        ExitStatus::Usage,
        json!({"error": why.trim_start_matches("error: ")}),
    )
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(ending) => return ExitCode::from(ending.code()),
    };
    survive_file_limit();
    keep_to_owner();
    let ending = match arguments.command {
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Verify(arguments) => data_folder::verify(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Publish(arguments) => schemas::publish(&arguments),
        Command::Check(arguments) => schemas::check(&arguments),
        Command::List(arguments) => scenarios::list(&arguments),
        Command::Versions(arguments) => versions::versions(&arguments),
        Command::Deprecate(arguments) => versions::deprecate(&arguments),
        Command::Show(arguments) => scenarios::show(&arguments),
        Command::Pull(arguments) => scenarios::pull(&arguments),
        Command::Submit(arguments) => submissions::submit(&arguments),
        Command::Patches(arguments) => patches::list(&arguments),
        Command::Evidence(arguments) => patches::evidence(&arguments),
        Command::Promote(arguments) => patches::promote(&arguments),
        Command::Watch(arguments) => versions::watch(&arguments),
        Command::Approvals(arguments) => patches::approvals(&arguments),
        Command::Approve(arguments) => patches::approve(&arguments),
        Command::Reject(arguments) => patches::reject(&arguments),
        Command::Dismiss(arguments) => patches::dismiss(&arguments),
        Command::Review(arguments) => patches::review(&arguments),
        Command::Backup(arguments) => data_folder::backup(&arguments),
        Command::Restore(arguments) => data_folder::restore(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    ExitCode::from(ending.code())
}

/// A runtime for the calls of one command.
///
/// # Errors
/// That the machine gives none.
pub fn runtime() -> Result<Runtime, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(fault)
}

/// Whether a name of a file stands for standard input or output.
pub fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}

/// Says one thing to a person. A closed pipe is no reason to fail.
pub fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Says one thing to a program. A closed pipe is no reason to fail.
pub fn answer(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Says why a command ended as it did.
pub fn end(ending: ExitStatus, why: &str) -> ExitStatus {
    tell(&format!("otherwise: {why}"));
    ending
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Arguments;

    #[test]
    fn the_command_line_holds_together() {
        super::command().debug_assert();
    }

    #[test]
    fn the_usage_of_a_replay_shows_what_belongs_together() {
        let mut command = super::command();
        let replay = command.find_subcommand_mut("replay").expect("a command");
        let help = replay.render_long_help().to_string();
        for line in [
            "otherwise replay --template T.json --stream S.jsonl",
            "otherwise replay --texts F.jsonl",
            "2026-05-01T09:00:00Z",
            "Exit codes: 0 all is well, 1 something was found, 2 wrong usage, 3 the environment failed (disk, network).",
        ] {
            assert!(help.contains(line), "{help}");
        }
    }

    #[test]
    fn words_that_belong_together_are_taken_and_others_are_not() {
        for (line, ok) in [
            (
                "replay --template t --stream s --policy p --report r --journal j --deliver",
                true,
            ),
            ("replay --texts f --report r --json", true),
            ("replay", false),
            ("replay --template t", false),
            ("replay --stream s", false),
            ("replay --texts f --stream s", false),
            ("replay --texts f --template t", false),
            ("replay --texts f --deliver", false),
            ("replay --texts f --explain", false),
            (
                "serve --listen 127.0.0.1:0 --data d --schemas s --models m --config c",
                true,
            ),
            ("verify --config c --data d --json", true),
            ("verify --listen 127.0.0.1:0", false),
            ("verify --backup b --json", true),
            ("verify --backup b --data d", false),
            (
                "audit --url http://127.0.0.1:1 --key-env K --name n --scenario s --json",
                true,
            ),
            ("audit s", false),
            (
                "approve s.p1 --key-name n --title t --description d --type string --constraints {} --dry-run",
                true,
            ),
            ("reject s.p1 --scope key --reason r --name ada", true),
            ("reject s.p1 --scope wish", false),
            ("dismiss s 7 --days 90 --reason r --json", true),
            ("dismiss s 7 --days 366", false),
            ("dismiss s", false),
            ("publish a.json b.json --dry-run --url http://127.0.0.1:1 --json", true),
            ("publish", false),
            ("check a.json --format github --key-env K", true),
            ("check a.json --format xml", false),
            ("check a.json --format text --json", false),
            ("list --query flights --label a:b --json", true),
            ("versions s --json", true),
            ("deprecate s_v1 --sunset 2027-01-01T00:00:00Z --reason r --json", true),
            ("deprecate s_v1 --lift --reason r", false),
            ("show s --version ^1 --format gbnf --language de --json", true),
            ("pull s --format typescript --out f --json", true),
            ("pull s --format typescript", false),
            ("submit s - --utterance u --repair --idempotency-key k --name ada", true),
            ("submit s", false),
            ("patches s", true),
            ("evidence s.p1 --json", true),
            ("promote s.p1 --reason r", true),
            ("watch s --version ~1.2 --json", true),
            ("review s --url http://127.0.0.1:1 --answer a.json --json", true),
            ("backup --url http://127.0.0.1:1 --key-env K --out f --json", true),
            ("backup --url http://127.0.0.1:1 --key-file k --out f", true),
            (
                "backup --url http://127.0.0.1:1 --key-file k --key-env K --out f",
                false,
            ),
            ("backup --out f", true),
            ("backup --data d", false),
            ("backup --data d --key-env K --out f", false),
            ("backup --data d --url http://127.0.0.1:1 --out f", false),
            ("restore --from f --data d --json", true),
            ("lint a.json b.json --json --min-score 100", true),
            ("lint a.json --min-score 101", false),
            ("diff a.json b.json --mode backward_transitive --json", true),
            ("diff a.json b.json --mode backwards", false),
            ("export a.json --format gbnf --language de --json", true),
            ("export a.json --all --format gbnf", false),
            ("export a.json", false),
            ("demo --seed 2 --days 120 --json --keep k --models m --config c", true),
            ("demo --days 121", false),
            ("demo --days 0", false),
            ("conformance --url u --anything x --help", true),
            ("completions csh", false),
            ("nonsense", false),
        ] {
            let arguments = std::iter::once("otherwise").chain(line.split_whitespace());
            assert_eq!(Arguments::try_parse_from(arguments).is_ok(), ok, "{line}");
        }
    }
}

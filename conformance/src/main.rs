//! `otherwise-conformance`: reads arguments, examines a server or lists the checks, and says how it went.
//!
//! `otherwise conformance` runs this program, so that exit codes and the members of a document are those of `otherwise`. What
//! a program may read goes to standard output, everything else to standard error.

use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::CommandFactory;
use clap::FromArgMatches;
use clap::Parser;
use clap::error::ContextKind;
use clap::error::ContextValue;
use conformance::checks::GROUPS;
use conformance::client;
use conformance::examination::Ask;
use conformance::examination::examine;
use conformance::exit_status::ExitStatus;
use conformance::exit_status::Failure;
use conformance::exit_status::usage;
use conformance::not_visible;
use conformance::report::plain;
use serde_json::Value;
use serde_json::json;

/// What exit codes mean, at the end of the help.
const EXIT_CODES: &str = "Exit codes: 0 no MUST fails, 1 a MUST fails, 2 wrong usage, 3 the server does not answer.";
/// Bytes of a file that holds a key, white space included.
const KEY_FILE_BYTES_MAX: u64 = 16_384;

/// Check a server that claims the draft, whoever wrote it, by what can be seen from outside.
#[derive(Clone, Debug, Parser)]
#[command(name = "otherwise-conformance", version)]
struct Arguments {
    /// The address under which the server's paths (/v1/…) lie.
    #[arg(long, value_name = "URL", required_unless_present = "list")]
    url: Option<String>,
    /// The scenario to look at [default: the first that is listed]; with --publish, what the scratch scenario's name ends with.
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// Publish a scratch schema under a scenario of its own, send it real submissions, and retire it.
    #[arg(long, conflicts_with = "submit")]
    publish: bool,
    /// Send real submissions to the scenario, where a dry run is not enough or not offered.
    #[arg(long, requires = "scenario")]
    submit: bool,
    /// File that holds a key; with --publish, a publisher's who may submit as well.
    #[arg(long, value_name = "FILE", conflicts_with = "key_env")]
    key_file: Option<PathBuf>,
    /// Environment variable that holds a key.
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// Seconds that one request may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=120))]
    timeout: u64,
    /// Only these checks: ids of checks or of requirements, with commas between.
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    only: Vec<String>,
    /// List every check, and the requirements that cannot be seen from outside; send nothing.
    #[arg(long, conflicts_with_all = ["url", "scenario", "publish", "submit", "key_file", "key_env", "only"])]
    list: bool,
    /// One JSON document on standard output, with the evidence of every check.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let read = command().try_get_matches();
    let status = match read.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) if arguments.list => list(arguments.json),
        Ok(arguments) => run(&arguments),
        Err(error) => refuse(&error),
    };
    ExitCode::from(status.code())
}

fn command() -> clap::Command {
    Arguments::command().after_help(EXIT_CODES)
}

/// Help, or what is wrong with the arguments: for a person, and with `--json` for a program.
fn refuse(error: &clap::Error) -> ExitStatus {
    let _ = error.print();
    if !error.use_stderr() {
        return ExitStatus::Success;
    }
    if std::env::args_os().any(|word| word == "--json") {
        // What comes after the first empty line are hints for people.
        let text = error.to_string();
        let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
        let why = lines.collect::<Vec<_>>().join(" ");
        let arguments = error.context().filter_map(|(kind, value)| match (kind, value) {
            (ContextKind::InvalidArg | ContextKind::PriorArg, ContextValue::String(one)) => Some(vec![one.clone()]),
            (ContextKind::InvalidArg | ContextKind::PriorArg, ContextValue::Strings(several)) => Some(several.clone()),
            _ => None,
        });
        let arguments: Vec<String> = arguments.flatten().collect();
        let why = why.strip_prefix("error: ").unwrap_or(&why);
        document(ExitStatus::Usage, json!({"error": why, "arguments": arguments}));
    }
    ExitStatus::Usage
}

/// Examines a server.
fn run(arguments: &Arguments) -> ExitStatus {
    let (status, failure) = match ask(arguments).and_then(|ask| examine(&ask)) {
        Ok(report) => {
            if arguments.json {
                let mut members = report.document();
                if let Some(failure) = &report.failure {
                    members["error"] = json!(plain(&failure.why));
                }
                document(report.status(), members);
            } else {
                report.lines().iter().for_each(|line| print(line));
            }
            (report.status(), report.failure)
        }
        Err(failure) => {
            if arguments.json {
                document(failure.status, json!({ "error": plain(&failure.why) }));
            }
            (failure.status, Some(failure))
        }
    };
    if let Some(failure) = failure {
        // A closed pipe is no reason to fail.
        let _ = writeln!(
            std::io::stderr().lock(),
            "otherwise-conformance: {}",
            plain(&failure.why)
        );
    }
    status
}

fn ask(arguments: &Arguments) -> Result<Ask, Failure> {
    let key = match (&arguments.key_file, &arguments.key_env) {
        (Some(file), _) => Some((format!("the file {}", file.display()), file_text(file))),
        (None, Some(name)) => Some((format!("the environment variable {name}"), std::env::var(name).ok())),
        (None, None) => None,
    };
    let key = key.map(|(place, text)| client::authorization(&place, text));
    Ok(Ask {
        url: arguments.url.clone().unwrap_or_default(),
        scenario: arguments.scenario.clone(),
        key: key.transpose().map_err(usage)?,
        timeout: Duration::from_secs(arguments.timeout),
        publish: arguments.publish,
        submit: arguments.submit,
        only: arguments.only.clone(),
    })
}

/// What a file holds that is no larger than one with a key may be.
fn file_text(file: &Path) -> Option<String> {
    let small = std::fs::metadata(file).ok()?.len() <= KEY_FILE_BYTES_MAX;
    small.then(|| std::fs::read_to_string(file).ok()).flatten()
}

/// Every check, and what is not checked.
fn list(as_json: bool) -> ExitStatus {
    let checks = GROUPS
        .iter()
        .flat_map(|(group, checks)| checks.iter().map(move |check| (*group, check)));
    if as_json {
        let checks = checks.map(|(group, check)| {
            json!({"id": check.id, "requirements": check.requirements(), "level": check.level.name(),
                "group": group, "title": check.title})
        });
        let hidden =
            not_visible::rows().map(|(row, why)| json!({"requirements": not_visible::requirements(row), "why": why}));
        let members = json!({"checks": checks.collect::<Vec<_>>(), "not_visible": hidden.collect::<Vec<_>>()});
        return document(ExitStatus::Success, members);
    }
    let mut last = "";
    for (group, check) in checks {
        if group != last {
            let gap = if last.is_empty() { "" } else { "\n" };
            print(&format!("{gap}{group}"));
            last = group;
        }
        print(&format!(
            "  {:<6}  {:<15}  {}",
            check.level.name(),
            check.id,
            check.title
        ));
    }
    print("\nNot visible from outside");
    for (row, why) in not_visible::rows() {
        print(&format!("  {why}\n    {row}"));
    }
    ExitStatus::Success
}

/// One document for a program: the common members, and behind them those of an object.
fn document(status: ExitStatus, members: Value) -> ExitStatus {
    let mut document = json!({"command": "conformance", "ending": status.name(), "exit_code": status.code()});
    if let (Value::Object(document), Value::Object(members)) = (&mut document, members) {
        document.extend(members);
    }
    print(&document.to_string());
    status
}

/// Prints for a program. A closed pipe is no reason to fail.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Arguments;

    #[test]
    fn arguments_exclude_and_need_each_other() {
        super::command().debug_assert();
        for (line, ok) in [
            ("--url http://127.0.0.1:1", true),
            (
                "--url u --publish --scenario s --key-file k --timeout 1 --json --only Z-035,Z-060",
                true,
            ),
            ("--list --json", true),
            ("", false),
            ("--list --url u", false),
            ("--url u --publish --submit --scenario s", false),
            ("--url u --submit", false),
            ("--url u --timeout 0", false),
            ("--url u --timeout 121", false),
            ("--url u --key-file k --key-env K", false),
        ] {
            let arguments = std::iter::once("otherwise-conformance").chain(line.split_whitespace());
            assert_eq!(Arguments::try_parse_from(arguments).is_ok(), ok, "{line}");
        }
    }
}

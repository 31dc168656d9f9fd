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
use conformance::checks;
use conformance::examination::Ask;
use conformance::examination::examine;
use conformance::exit_status::ExitStatus;
use conformance::exit_status::Failure;
use conformance::exit_status::usage;
use conformance::page::not_visible;
use conformance::page::requirements;
use conformance::page::tables;
use conformance::report::plain;
use http::HeaderValue;
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
    /// The scenario to look at [default: the first that is listed].
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// Publish a scratch schema under a scenario of its own, send it real submissions, and retire it.
    #[arg(long, conflicts_with_all = ["submit", "scenario"])]
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
        document(ExitStatus::Usage, json!({"error": why.trim_start_matches("error: ")}));
    }
    ExitStatus::Usage
}

/// Examines a server.
fn run(arguments: &Arguments) -> ExitStatus {
    let (status, mut members, failure) = match ask(arguments).and_then(|ask| examine(&ask)) {
        Ok(report) => {
            if !arguments.json {
                report.lines().iter().for_each(|line| print(line));
            }
            (report.status(), report.document(), report.failure)
        }
        Err(failure) => (failure.status, json!({}), Some(failure)),
    };
    if let Some(Failure { why, .. }) = failure {
        let why = plain(&why);
        // A closed pipe is no reason to fail.
        let _ = writeln!(std::io::stderr().lock(), "otherwise-conformance: {why}");
        members["error"] = json!(why);
    }
    if arguments.json {
        document(status, members);
    }
    status
}

fn ask(arguments: &Arguments) -> Result<Ask, Failure> {
    let key = match (&arguments.key_file, &arguments.key_env) {
        (Some(file), _) => Some((format!("the file {}", file.display()), file_text(file))),
        (None, Some(name)) => Some((format!("the environment variable {name}"), std::env::var(name).ok())),
        (None, None) => None,
    };
    let key = key.map(|(place, text)| {
        let why = format!("{place} holds no key: a line of visible ASCII characters, and nothing else");
        authorization(text.as_deref().unwrap_or_default().trim()).ok_or_else(|| usage(why))
    });
    Ok(Ask {
        url: arguments.url.clone().unwrap_or_default(),
        scenario: arguments.scenario.clone(),
        key: key.transpose()?,
        timeout: Duration::from_secs(arguments.timeout),
        publish: arguments.publish,
        submit: arguments.submit,
        only: arguments.only.clone(),
    })
}

/// The value of the header `Authorization`, marked as a secret.
fn authorization(key: &str) -> Option<HeaderValue> {
    let visible = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
        .ok()
        .filter(|_| visible)?;
    value.set_sensitive(true);
    Some(value)
}

/// What a file holds that is no larger than one with a key may be.
fn file_text(file: &Path) -> Option<String> {
    let small = std::fs::metadata(file).ok()?.len() <= KEY_FILE_BYTES_MAX;
    small.then(|| std::fs::read_to_string(file).ok()).flatten()
}

/// Every check, and what is not checked.
fn list(as_json: bool) -> ExitStatus {
    if !as_json {
        print(tables().trim());
        return ExitStatus::Success;
    }
    let checks = checks::all().map(|check| {
        json!({"id": check.id, "requirements": check.requirements(), "level": check.level, "group": check.group,
            "title": check.title})
    });
    let hidden = not_visible().map(|(row, why)| json!({"requirements": requirements(row), "why": why}));
    let members = json!({"checks": checks.collect::<Vec<_>>(), "not_visible": hidden.collect::<Vec<_>>()});
    document(ExitStatus::Success, members)
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
                "--url u --publish --key-file k --timeout 1 --json --only Z-035,Z-060",
                true,
            ),
            ("--url u --publish --scenario s", false),
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

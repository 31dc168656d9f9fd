//! `otherwise conformance`: does a server that claims draft-zhou-structured-data-schema-interaction keep to it, as far as can
//! be seen from outside?
//!
//! A client and nothing else: it knows the draft's wire and no server's inside. What is sent ([`probe`]) and what is judged
//! ([`check`] and the groups beside it) are apart, so that each rule is a function over what was answered. Without
//! `--publish` or `--submit` it only asks and tries, and leaves nothing behind.

pub mod caller;

pub mod check;

pub mod errors;

pub mod evolution;

pub mod examination;

pub mod exchange;

pub mod negotiation;

pub mod other;

pub mod page;

pub mod probe;

pub mod publishing;

pub mod report;

pub mod scene;

pub mod scratch;

pub mod subject;

pub mod templates;

pub mod unseen;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hyper::header::HeaderValue;
use serde_json::Value;
use serde_json::json;

use crate::edge::cli;
use crate::edge::cli::Ending;
use crate::edge::cli::conformance::check::GROUPS;
use crate::edge::cli::conformance::examination::Ask;
use crate::edge::cli::conformance::examination::Trouble;
use crate::edge::cli::conformance::examination::examine;
use crate::edge::cli::conformance::unseen::UNSEEN;
use crate::edge::cli::plain::plain;
use crate::edge::cli::voice::Voice;
use crate::edge::outbound::bearer;

/// Which server, and how far.
#[derive(Clone, Debug, Args)]
pub struct ConformanceArguments {
    /// The address under which the server's paths (/v1/…) lie.
    #[arg(long, value_name = "URL", required_unless_present = "list")]
    url: Option<String>,
    /// The scenario to look at [default: of those listed the one that shows most]; with --publish, what the scratch scenario's name ends with.
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

/// Examines a server, or lists what it would look at; 1 when a MUST fails.
pub fn run(arguments: &ConformanceArguments) -> Ending {
    let voice = Voice::new("conformance", arguments.json);
    if arguments.list {
        return list(&voice);
    }
    let report = match ask(arguments).and_then(|ask| examine(&ask)) {
        Ok(report) => report,
        Err(Trouble { ending, why }) => return voice.end(ending, &plain(&why)),
    };
    let ending = report.ending();
    let trouble = report.trouble.as_ref().map(|trouble| plain(&trouble.why));
    if voice.json {
        let mut document = report.document();
        if let Some(why) = &trouble {
            document["error"] = json!(why);
        }
        voice.document(ending, document);
    } else {
        report.lines().iter().for_each(|line| cli::answer(line));
    }
    match trouble {
        Some(why) => cli::end(ending, &why),
        None => ending,
    }
}

fn ask(arguments: &ConformanceArguments) -> Result<Ask, Trouble> {
    let ConformanceArguments {
        url,
        scenario,
        publish,
        submit,
        key_file,
        key_env,
        timeout,
        only,
        list: _,
        json: _,
    } = arguments;
    let usage = |why: String| Trouble {
        ending: Ending::Usage,
        why,
    };
    let key: Option<HeaderValue> = match (key_file, key_env) {
        (Some(file), _) => Some((format!("the file {}", file.display()), bearer::of_file(file))),
        (None, Some(name)) => Some((format!("the environment variable {name}"), bearer::of_environment(name))),
        (None, None) => None,
    }
    .map(|(place, key)| bearer::authorization(&place, key))
    .transpose()
    .map_err(usage)?;
    Ok(Ask {
        url: url.clone().unwrap_or_default(),
        scenario: scenario.clone(),
        key,
        timeout: Duration::from_secs(*timeout),
        publish: *publish,
        submit: *submit,
        only: only.clone(),
    })
}

/// Every check, and what is not checked.
fn list(voice: &Voice) -> Ending {
    if voice.json {
        let checks: Vec<Value> = GROUPS
            .iter()
            .flat_map(|group| {
                group.checks.iter().map(|check| {
                    json!({"id": check.id, "requirements": check.requirements(), "level": check.level.name(),
                        "group": group.title, "title": check.title})
                })
            })
            .collect();
        let unseen: Vec<Value> = UNSEEN
            .iter()
            .map(|unseen| json!({"requirements": unseen.requirements(), "why": unseen.why}))
            .collect();
        return voice.document(Ending::Well, json!({"checks": checks, "not_visible": unseen}));
    }
    for group in &GROUPS {
        cli::answer(group.title);
        for check in group.checks {
            cli::answer(&format!(
                "  {:<6}  {:<15}  {}",
                check.level.name(),
                check.id,
                check.title
            ));
        }
        cli::answer("");
    }
    cli::answer("Not visible from outside");
    for unseen in UNSEEN {
        cli::answer(&format!("  {}", unseen.why));
        cli::answer(&format!("    {}", unseen.ranges.join(", ")));
    }
    Ending::Well
}

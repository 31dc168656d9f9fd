//! What comes back of the hidden slots, and what of plain texts: replays as `otherwise replay` makes them, scored by the
//! script that lies beside the data.

use std::path::Path;
use std::process::Command;

use engine::scenario::policy::Policy;
use otherwise::adapters::clock::SystemClock;
use otherwise::app::pool_review::Reader;
use otherwise::app::ports::Embedder;
use otherwise::app::replay;
use otherwise::app::replay::Adopter;
use otherwise::app::replay::Replay;
use otherwise::app::replay::Replayed;
use otherwise::app::replay::plain;
use otherwise::app::replay::report::Report;
use schema::exchange::length::BodyLimit;
use schema::exchange::other::OtherLimits;
use schema::name::OTHER;
use serde_json::Value;

use crate::data::Scenario;
use crate::table::Table;

/// What the script says of a set, with the bars that it should pass.
pub const SCORED: [(&str, &str); 8] = [
    ("f1", ">= .94"),
    ("precision", ">= .95"),
    ("recall", ""),
    ("member_recall", ">= .80"),
    ("type_accuracy", ">= .97"),
    ("name_exact", ">= .70"),
    ("name_top1", ">= .85"),
    ("enum_precision", ">= .75"),
];

/// The stages of a key that was given up.
const GIVEN_UP: [&str; 5] = ["deprecated", "withdrawn", "expired", "lapsed", "rejected"];

/// Replays one scenario and writes its report.
///
/// # Errors
/// What stopped it.
pub async fn run(
    scenario: &Scenario,
    lower: bool,
    policy: &Policy,
    embedder: &dyn Embedder,
    folder: &Path,
) -> Result<(), String> {
    let stream: Vec<String> = scenario
        .raw
        .iter()
        .map(|line| if lower { lowered(line) } else { line.clone() })
        .collect();
    let replayed = replayed_with(scenario, &stream, policy, None, None, embedder).await?;
    write(scenario, &replayed.report, folder)
}

/// Replays lines on a scenario's template, as `otherwise replay` does.
///
/// # Errors
/// What stopped it.
pub async fn replayed(scenario: &Scenario, stream: &[String], embedder: &dyn Embedder) -> Result<Report, String> {
    replayed_with(scenario, stream, &Policy::default(), None, None, embedder)
        .await
        .map(|replayed| replayed.report)
}

/// The same by a policy, with clients who fetch the template and take up what it offers and with a reader, where there are any, and all that came of it.
///
/// # Errors
/// What stopped it.
pub async fn replayed_with(
    scenario: &Scenario,
    stream: &[String],
    policy: &Policy,
    clients: Option<&dyn Adopter>,
    reader: Option<&dyn Reader>,
    embedder: &dyn Embedder,
) -> Result<Replayed, String> {
    let lines: Vec<&str> = stream.iter().map(String::as_str).collect();
    let stopwatch = SystemClock::new();
    let asked = Replay {
        template: &scenario.template,
        lines: &lines,
        policy,
        limits: OtherLimits {
            strings_max: 16,
            bytes_max: 2_000,
        },
        body: BodyLimit(256 * 1_024),
        deliver: clients.is_some(),
        adopt: clients,
        explain: false,
        embedder,
        model: None,
        reader,
        stopwatch: &stopwatch,
    };
    replay::replay(&asked, &|_| {})
        .await
        .map_err(|error| format!("{}: {error}", scenario.name))
}

/// Writes the report of a scenario to where the script looks for it.
///
/// # Errors
/// What the file system says.
pub fn write(scenario: &Scenario, report: &Report, folder: &Path) -> Result<(), String> {
    let fault = |what: String| format!("{}: {what}", scenario.name);
    let report = serde_json::to_vec(report).map_err(|error| fault(error.to_string()))?;
    std::fs::write(folder.join(format!("{}.json", scenario.name)), report).map_err(|error| fault(error.to_string()))
}

/// Copies reports without the keys that the service itself had given up by the end of the stream.
///
/// # Errors
/// What the file system says, or a report that cannot be read.
pub fn in_force(reports: &Path, folder: &Path) -> Result<(), String> {
    let is_given_up = |key: &Value| GIVEN_UP.iter().any(|stage| key["stage"] == *stage);
    copied(reports, folder, &|keys| keys.retain(|key| !is_given_up(key)))
}

/// Copies reports into a folder after a change to their keys.
fn copied(reports: &Path, folder: &Path, change: &dyn Fn(&mut Vec<Value>)) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for entry in std::fs::read_dir(reports).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let Some(name) = path.file_name().filter(|_| path.is_file()) else {
            continue;
        };
        let fault = |what: String| format!("{}: {what}", path.display());
        let bytes = std::fs::read(&path).map_err(|error| fault(error.to_string()))?;
        let mut report: Value = serde_json::from_slice(&bytes).map_err(|error| fault(error.to_string()))?;
        if let Some(keys) = report.get_mut("keys").and_then(Value::as_array_mut) {
            change(keys);
        }
        std::fs::write(folder.join(name), report.to_string()).map_err(|error| fault(error.to_string()))?;
    }
    Ok(())
}

/// A line as if it had been typed in haste: lower case, no punctuation at the end.
fn lowered(line: &str) -> String {
    let Ok(mut document) = serde_json::from_str::<Value>(line) else {
        return line.to_owned();
    };
    let lower = |text: &str| Value::String(text.to_lowercase().trim_end_matches(['.', '!', '?', ' ']).to_owned());
    if let Some(utterance) = document.get("utterance").and_then(Value::as_str).map(lower) {
        document["utterance"] = utterance;
    }
    if let Some(other) = document
        .pointer(&format!("/payload/{OTHER}"))
        .and_then(Value::as_str)
        .map(lower)
    {
        document["payload"][OTHER] = other;
    }
    document.to_string()
}

/// Clusters plain texts and writes the report.
///
/// # Errors
/// What stopped it.
pub async fn texts(file: &Path, embedder: &dyn Embedder, report: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let clusters = plain::cluster(&lines, embedder, &|_| {})
        .await
        .map_err(|error| error.to_string())?;
    let written = serde_json::to_vec(&clusters).map_err(|error| error.to_string())?;
    std::fs::write(report, written).map_err(|error| error.to_string())
}

/// Asks the script; its answer as JSON.
///
/// # Errors
/// Why there is no answer.
pub fn score(script: &Path, arguments: &[&str]) -> Result<Value, String> {
    if !script.is_file() {
        return Err(format!("there is no scoring script {}", script.display()));
    }
    let output = Command::new("python3")
        .arg(script)
        .args(arguments)
        .output()
        .map_err(|error| format!("python3 cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "{}: {}",
            script.display(),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{}: {error}", script.display()))
}

/// Adds what the script said of a set; only the measures named.
pub fn report(section: &str, scored: &Value, measures: &[(&str, &str)], table: &mut Table) {
    let summary = scored.get("summary").unwrap_or(&Value::Null);
    for (measure, bar) in measures {
        match summary.get(*measure).and_then(Value::as_f64) {
            Some(figure) => table.row(section, measure, figure, bar),
            None => table.text(section, measure, "none", bar),
        }
    }
    let counts = format!(
        "{} keys of {} slots, spurious {}",
        summary["keys"], summary["hidden"], summary["spurious"]
    );
    table.detail(&format!("{section}: {counts}"));
    for scenario in scored.get("scenarios").and_then(Value::as_array).into_iter().flatten() {
        table.detail(&format!(
            "{section} {}: hidden {} keys {} covered {} noise {} impure {} small {} duplicate {}",
            scenario["scenario"].as_str().unwrap_or_default(),
            scenario["hidden"],
            scenario["keys"],
            scenario["covered"],
            scenario["n_noise"],
            scenario["n_impure"],
            scenario["n_small"],
            scenario["n_duplicate"]
        ));
        for key in scenario.get("detail").and_then(Value::as_array).into_iter().flatten() {
            table.detail(&format!("{section}   {key}"));
        }
    }
}

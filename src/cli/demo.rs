//! `otherwise demo`: a flight-booking service for some virtual days, and what the engine decides about what is said there.
//!
//! The engine is that of [`crate::app::replay`], with its policy, its model and a virtual clock; clients and their
//! traffic are simulated here. Invariant: nothing that is told was decided here, and one seed gives the same tale.

pub mod clients;
pub mod traffic;

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::adapters::clock::SystemClock;
use crate::app::replay::Replay;
use crate::app::replay::Replayed;
use crate::app::replay::report::ReportedDecision;
use crate::bootstrap::parts;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::ModelArguments;
use crate::cli::demo::clients::Clients;
use crate::cli::output::Output;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::progress::Progress;
use crate::cli::replay;
use engine::scenario::policy::Policy;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;

/// The template that the story begins with: the draft's own (Figure 7).
const TEMPLATE: &str = include_str!("../../schemas/flight_booking_v1.json");
/// The first day.
const START: &str = "2026-05-01T00:00:00Z";

/// What is shown, and how.
#[derive(Clone, Debug, Args)]
pub struct DemoArguments {
    /// The seed of the simulated clients; one seed, one tale.
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    seed: u64,
    /// Virtual days.
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=120))]
    days: u32,
    /// Every decision as a line of JSON on standard output, and at last the keys.
    #[arg(long)]
    json: bool,
    /// Keep the journal in this folder, for `otherwise verify` and `otherwise serve`.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArguments,
}

/// Runs the days and tells them.
pub fn run(arguments: &DemoArguments) -> ExitStatus {
    Output::new("demo", arguments.json).ended(perform(arguments))
}

/// Whether there is something that must not be mixed with a journal.
fn taken(folder: &Path) -> bool {
    std::fs::read_dir(folder).map_or_else(|_| folder.exists(), |mut entries| entries.next().is_some())
}

fn perform(arguments: &DemoArguments) -> Result<ExitStatus, Trouble> {
    let settings = arguments.model.settings()?;
    if let Some(folder) = arguments.keep.as_deref().filter(|folder| taken(folder)) {
        let folder = folder.display();
        return Err(usage(format!(
            "--keep: {folder} holds something already; name a new folder"
        )));
    }
    let document = serde_json::from_str(TEMPLATE).map_err(fault)?;
    let (template, _) = SchemaTemplate::parse(&document).map_err(|defects| fault(format!("{defects:?}")))?;
    let start = At::parse(START).unwrap_or_default();
    let bookings = traffic::bookings(arguments.seed, arguments.days, start);
    let schema_id = template.schema_id.to_string();
    let stream: Vec<String> = bookings.iter().map(|booking| booking.line(&schema_id)).collect();
    let lines: Vec<&str> = stream.iter().map(String::as_str).collect();
    let clients = Clients::new(&bookings);
    let embedder = parts::open_embedder(&settings, None)?;
    let (stopwatch, policy) = (SystemClock::new(), Policy::default());
    let asked = Replay {
        deliver: true,
        adopt: Some(&clients),
        explain: true,
        ..replay::of(&settings, (&template, &lines), &policy, embedder.as_ref(), &stopwatch)
    };
    let runtime = cli::runtime()?;
    let progress = Progress::standard("demo");
    let total = lines.len() as u64;
    let replayed = runtime.block_on(crate::app::replay::replay(&asked, &|done| {
        progress.at(done as u64, total)
    }));
    progress.finish();
    let replayed = replayed.map_err(fault)?;
    let told = if arguments.json { documents } else { text };
    told(&replayed, start).iter().for_each(|line| cli::answer(line));
    if let Some(folder) = &arguments.keep {
        runtime.block_on(replay::keep(folder, &template, replayed.entries))?;
    }
    Ok(ExitStatus::Well)
}

/// Each decision with its day, counted from 1; what a timer decided behind the last line is none of the days'.
fn decisions(replayed: &Replayed, start: At) -> impl Iterator<Item = (i64, &ReportedDecision)> {
    let decisions = replayed.report.decisions.iter();
    decisions.filter_map(move |decision| {
        let at = At::parse(&decision.at)?;
        Some((at.since_ms(start) / DAY_MS + 1, decision))
    })
}

/// As lines of JSON: the decisions, then the keys without the fragments behind them.
fn documents(replayed: &Replayed, start: At) -> Vec<String> {
    let decided = decisions(replayed, start).map(|(day, decision)| {
        let mut line = json!(decision);
        line["day"] = json!(day);
        line
    });
    let keys = replayed.report.keys.iter().map(|key| {
        let mut key = json!(key);
        if let Some(members) = key.as_object_mut() {
            members.retain(|member, _| !matches!(member.as_str(), "members" | "fragments"));
        }
        key
    });
    let end = json!({
        "payloads": replayed.report.lines,
        "refused": replayed.report.refused,
        "records": replayed.entries.len(),
        "keys": keys.collect::<Vec<Value>>(),
        "seconds": replayed.report.seconds.total,
    });
    decided.chain([end]).map(|line| line.to_string()).collect()
}

/// As text: the decisions about keys, then the keys.
fn text(replayed: &Replayed, start: At) -> Vec<String> {
    let mut lines = Vec::new();
    for (day, decision) in decisions(replayed, start).filter(|(_, decision)| decision.patch_id.is_some()) {
        let time = decision.at.get(11..16).unwrap_or_default();
        lines.push(format!("day {day}, {time}  {}", decision.says));
        lines.extend(decision.because.iter().map(|why| format!("                 {why}")));
    }
    lines.push(format!(
        "{} payloads, {} refused, {} keys:",
        replayed.report.lines,
        replayed.report.refused,
        replayed.report.keys.len()
    ));
    for key in &replayed.report.keys {
        let key_type = key.key_type.as_str().unwrap_or("described anew");
        lines.push(format!(
            "  {} ({key_type}) {}: {}",
            key.key_name, key.stage, key.semantic_description
        ));
    }
    lines
}

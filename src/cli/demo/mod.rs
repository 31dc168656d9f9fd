//! `otherwise demo`: a flight-booking service for some virtual days, and what the engine decides about what is said there.
//!
//! The engine is that of [`crate::app::replay`], with its policy, its model and a virtual clock; clients and their
//! traffic are simulated here. Invariant: nothing that is told was decided here, and one seed gives the same tale.

pub mod random;

pub mod wishes;

pub mod traffic;

pub mod clients;

pub mod tale;

use std::io::IsTerminal;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::adapters::clock::SystemClock;
use crate::app::replay::Replay;
use crate::bootstrap::parts;
use crate::cli;
use crate::cli::Ending;
use crate::cli::SettingsArguments;
use crate::cli::demo::clients::Clients;
use crate::cli::demo::tale::Tale;
use crate::cli::output::Voice;
use crate::cli::replay;
use crate::config::Settings;
use crate::metrics::OnEmbed;
use engine::scenario::policy::Policy;
use schema::exchange::length::BodyLimit;
use schema::exchange::other::OtherLimits;
use schema::template::SchemaTemplate;
use schema::time::At;

/// The template that the story begins with: the draft's own (Figure 7).
const TEMPLATE: &str = include_str!("../../../schemas/flight_booking_v1.json");
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
    /// Settings file (TOML), for the folder of the model.
    #[arg(long, env = "OTHERWISE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the embedding model [default: models].
    #[arg(long, value_name = "FOLDER")]
    models: Option<String>,
}

/// Runs the days and tells them.
pub fn run(arguments: &DemoArguments) -> Ending {
    let voice = Voice::new("demo", arguments.json);
    let settings = SettingsArguments {
        config: arguments.config.clone(),
        models: arguments.models.clone(),
        ..SettingsArguments::default()
    };
    let settings = match settings.settings() {
        Ok(settings) => settings,
        Err(error) => return voice.end(Ending::Usage, &error.0),
    };
    if let Some(folder) = arguments.keep.as_deref().filter(|folder| taken(folder)) {
        let why = format!(
            "--keep: {} holds something already; name a new folder",
            folder.display()
        );
        return voice.end(Ending::Usage, &why);
    }
    let performed = perform(arguments, &settings);
    match performed {
        Ok(()) => Ending::Well,
        Err((ending, why)) => voice.end(ending, &why),
    }
}

/// Whether there is something that must not be mixed with a journal.
fn taken(folder: &Path) -> bool {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    }
}

/// A line on a terminal while the model reads, wiped out before the tale begins. Nothing in a pipe.
fn waiting(line: &str) {
    let mut err = std::io::stderr().lock();
    if err.is_terminal() {
        let _ = write!(err, "\r\u{1b}[2K{line}").and_then(|()| err.flush());
    }
}

fn perform(arguments: &DemoArguments, settings: &Settings) -> Result<(), (Ending, String)> {
    let broke = |why: String| (Ending::Fault, why);
    let document = serde_json::from_str(TEMPLATE).map_err(|error| broke(error.to_string()))?;
    let (template, _) = SchemaTemplate::parse(&document).map_err(|defects| broke(format!("{defects:?}")))?;
    let start = At::parse(START).unwrap_or_default();
    let bookings = traffic::bookings(arguments.seed, arguments.days, start);
    let schema_id = template.schema_id.to_string();
    let stream: Vec<String> = bookings.iter().map(|booking| booking.line(&schema_id)).collect();
    let lines: Vec<&str> = stream.iter().map(String::as_str).collect();
    let clients = Clients::new(&bookings);
    let told: OnEmbed = Arc::new(|_| {});
    let embedder = parts::open_embedder(settings, told).map_err(|fault| (Ending::of(&fault), fault.to_string()))?;
    let stopwatch = SystemClock::new();
    let policy = Policy::default();
    let asked = Replay {
        template: &template,
        lines: &lines,
        policy: &policy,
        limits: OtherLimits {
            strings_max: settings.service.other_strings_max,
            bytes_max: settings.service.other_bytes_max,
        },
        body: BodyLimit(settings.server.body_bytes_max),
        deliver: true,
        adopt: Some(&clients),
        explain: true,
        embedder: embedder.as_ref(),
        model: None,
        reader: None,
        stopwatch: &stopwatch,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| broke(error.to_string()))?;
    waiting(&format!(
        "The embedding model reads what {} payloads say ...",
        lines.len()
    ));
    let progress = |done: usize| {
        if done == 0 {
            waiting("");
        }
    };
    let replayed = runtime.block_on(crate::app::replay::replay(&asked, &progress));
    waiting("");
    let replayed = replayed.map_err(|fault| broke(fault.to_string()))?;
    let kept = arguments.keep.as_ref().map(|folder| folder.display().to_string());
    let tale = Tale {
        seed: arguments.seed,
        days: arguments.days,
        start,
        // The frequent traveller's is none of the list.
        clients: traffic::CLIENTS.len() + 1,
        bookings: &bookings,
        policy: &policy,
        replayed: &replayed,
        kept: kept.as_deref(),
    };
    if arguments.json {
        for line in tale.documents() {
            cli::answer(&line.to_string());
        }
    } else {
        cli::answer(tale.text().trim_end());
    }
    if let Some(folder) = &arguments.keep {
        runtime.block_on(replay::keep(folder, &template, replayed.entries))?;
    }
    Ok(())
}

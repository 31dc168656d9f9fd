//! `otherwise demo`: a flight-booking service for some virtual days, told as a story.
//!
//! The engine is that of [`crate::service::replay`], with its policy, its model and a virtual clock; clients and their
//! traffic are simulated here. Invariant: nothing that is told was decided here, and one seed gives the same tale.

pub mod random;

pub mod wishes;

pub mod traffic;

pub mod clients;

pub mod happening;

pub mod chronicle;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::domain::exchange::validator::OtherLimits;
use crate::domain::scenario::policy::Policy;
use crate::domain::template::schema::SchemaTemplate;
use crate::domain::time::At;
use crate::edge::boot::parts;
use crate::edge::cli;
use crate::edge::cli::Ending;
use crate::edge::cli::SettingsArguments;
use crate::edge::cli::demo::chronicle::Chronicle;
use crate::edge::cli::demo::clients::Clients;
use crate::edge::cli::demo::happening::Told;
use crate::edge::cli::replay;
use crate::edge::clock::SystemClock;
use crate::edge::metrics::OnEmbed;
use crate::edge::settings::Settings;
use crate::service::ports::Clock;
use crate::service::replay as engine;
use crate::service::replay::Replay;

/// The template that the story begins with: the draft's own (Figure 7).
const TEMPLATE: &str = include_str!("../../../../schemas/flight_booking_v1.json");
/// The first day.
const START: &str = "2026-05-01T00:00:00Z";

/// What is shown, and how.
#[derive(Clone, Debug, Args)]
pub struct DemoArguments {
    /// The seed of the simulated clients; one seed, one tale.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Virtual days.
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=120))]
    days: u32,
    /// Every event as one line of JSON on standard output, instead of the story.
    #[arg(long)]
    json: bool,
    /// Keep the journal in this folder, for `otherwise verify` and `otherwise serve`.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// No colours; the environment variable NO_COLOR does the same.
    #[arg(long)]
    no_color: bool,
    /// Plain ASCII; without this, what the locale says.
    #[arg(long)]
    ascii: bool,
    /// Settings file (TOML), for the folder of the model.
    #[arg(long, env = "OTHERWISE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the embedding model [default: models].
    #[arg(long, value_name = "FOLDER")]
    models: Option<String>,
}

/// Runs the days and tells them.
pub fn run(arguments: &DemoArguments) -> Ending {
    let settings = SettingsArguments {
        config: arguments.config.clone(),
        models: arguments.models.clone(),
        ..SettingsArguments::default()
    };
    let settings = match settings.settings() {
        Ok(settings) => settings,
        Err(error) => return cli::end(Ending::Usage, &error.0),
    };
    let listener = |told: &Told| {
        if let Ok(line) = serde_json::to_string(told) {
            cli::answer(&line);
        }
    };
    match perform(arguments, &settings, &listener) {
        Ok(()) => Ending::Well,
        Err(why) => cli::end(Ending::Fault, &why),
    }
}

fn perform(arguments: &DemoArguments, settings: &Settings, listener: &dyn Fn(&Told)) -> Result<(), String> {
    let document = serde_json::from_str(TEMPLATE).map_err(|error| error.to_string())?;
    let (template, _) = SchemaTemplate::parse(&document).map_err(|defects| format!("{defects:?}"))?;
    let start = At::parse(START).unwrap_or_default();
    let bookings = traffic::bookings(arguments.seed, arguments.days, start);
    let schema_id = template.schema_id.to_string();
    let stream: Vec<String> = bookings.iter().map(|booking| booking.line(&schema_id)).collect();
    let lines: Vec<&str> = stream.iter().map(String::as_str).collect();
    let mut names: Vec<&str> = traffic::CLIENTS.to_vec();
    names.push(traffic::FREQUENT);
    let clients = Clients::new(&bookings);
    let chronicle = Chronicle::new(arguments.seed, arguments.days, start, &names, listener);
    let told: OnEmbed = Arc::new(|_| {});
    let embedder = parts::open_embedder(settings, told).map_err(|fault| fault.0)?;
    let stopwatch = SystemClock::new();
    let begin = stopwatch.now();
    let policy = Policy::default();
    let asked = Replay {
        template: &template,
        lines: &lines,
        policy: &policy,
        limits: OtherLimits {
            strings_max: settings.service.other_strings_max,
            bytes_max: settings.service.other_bytes_max,
        },
        deliver: true,
        adopt: Some(&clients),
        onlooker: Some(&chronicle),
        explain: false,
        embedder: embedder.as_ref(),
        model: None,
        stopwatch: &stopwatch,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let replayed = runtime
        .block_on(engine::replay(&asked, &|_| {}))
        .map_err(|fault| fault.to_string())?;
    let milliseconds = stopwatch.now().since_ms(begin);
    #[expect(clippy::cast_precision_loss, reason = "shown to people")]
    let seconds = milliseconds as f64 / 1_000.0;
    chronicle.finish(&replayed.state, &policy, seconds);
    eprintln!("{:?}", replayed.report.seconds);
    if let Some(folder) = &arguments.keep {
        runtime.block_on(replay::keep(folder, &template, replayed.entries))?;
    }
    Ok(())
}

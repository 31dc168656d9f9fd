//! `otherwise review`: what a reader is given of a running service's pool, and a reader's answer (Z-096, Z-137).
//!
//! Knows the service's HTTP interface and nothing else of it. Without an answer it writes the material, so that whoever reads, a person
//! or an agent of theirs, needs no other access.

use std::path::PathBuf;

use clap::Args;
use otherwise_client::address::segment;
use serde_json::Value;

use crate::adapters::text_file;
use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::usage;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::refused;
use crate::cli::remote::text;
use crate::cli::remote::told;

/// Whose pool, and what is said of it.
#[derive(Clone, Debug, Args)]
pub struct ReviewArguments {
    /// The scenario, such as flight_booking.
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    #[command(flatten)]
    whom: Whom,
    /// A file with the answer, by the schema that came with the material; without it the material is written, with what to do.
    #[arg(long, value_name = "A.json")]
    answer: Option<PathBuf>,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Writes the material, or hands the answer in.
pub fn run(arguments: &ReviewArguments) -> ExitStatus {
    let ended = Service::open(&arguments.whom).and_then(|service| {
        let scenario = segment(&arguments.scenario);
        match &arguments.answer {
            None => service.get(&format!("/v1/scenarios/{scenario}/pool:review")),
            Some(file) => {
                let answer = text_file::read(file)
                    .map_err(|error| usage(format!("{} cannot be read: {error}", file.display())))?;
                match service.call(&format!("/v1/scenarios/{scenario}/proposals"), Some(answer), None)? {
                    (200, taken) => Ok(taken),
                    (status, body) => Err(refused(status, &body)),
                }
            }
        }
    });
    let report = ended.map(|answer| {
        told(answer, |answer| match arguments.answer {
            // What strangers said goes to a file or a pipe as JSON, where no character of it steers a terminal.
            None => vec![format!("{answer:#}")],
            Some(_) => taken(answer),
        })
    });
    Output::new("review", arguments.json).report(report)
}

/// How many wishes there are now, and what was refused.
fn taken(taken: &Value) -> Vec<String> {
    let mut lines = vec![format!("{} wishes read", taken["wishes"])];
    for refused in items(taken, "refused") {
        lines.push(format!("  refused {}: {}", text(&refused["at"]), text(&refused["why"])));
    }
    lines
}

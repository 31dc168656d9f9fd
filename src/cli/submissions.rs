//! `otherwise submit`: a payload out of a file, to a running service.
//!
//! Knows the service by its client alone. Invariant: what the service sends steers no terminal.

use std::path::PathBuf;

use clap::Args;
use otherwise_client::Error;
use otherwise_client::Submit;
use serde_json::Value;

use crate::adapters::text_file;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::text;
use crate::cli::remote::told;
use schema::json_text;

/// What is submitted.
#[derive(Clone, Debug, Args)]
pub struct SubmitArguments {
    /// The scenario, such as flight_booking.
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// The payload, a JSON object by the template's keys; - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    whom: Whom,
    /// What the user said.
    #[arg(long, value_name = "TEXT")]
    utterance: Option<String>,
    /// Mend the payload where every violation says how, and send it again.
    #[arg(long)]
    repair: bool,
    /// The idempotency key; one is drawn where none is given.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Submits a payload; 1 where it does not fit.
pub fn submit(arguments: &SubmitArguments) -> ExitStatus {
    Output::new("submit", arguments.json).report(perform(arguments))
}

fn perform(arguments: &SubmitArguments) -> Result<Report, Trouble> {
    let shown = arguments.file.display();
    let read = if cli::is_standard(&arguments.file) {
        text_file::standard()
    } else {
        text_file::read(&arguments.file)
    };
    let read = read.map_err(|error| usage(format!("{shown} cannot be read: {error}")))?;
    let payload = json_text::read(&read).map_err(|why| usage(format!("{shown} is not JSON: {why}")))?;
    if !payload.is_object() {
        return Err(usage(format!(
            "{shown} holds no payload: a JSON object by the template's keys"
        )));
    }
    let service = Service::open(&arguments.whom)?;
    let scenario = service.scenario(&arguments.scenario, None);
    let submit = Submit {
        utterance: arguments.utterance.clone(),
        idempotency_key: arguments.idempotency_key.clone(),
        unrepaired: !arguments.repair,
    };
    // What does not fit is an answer, not a failure.
    let answered = service.wait(async {
        match scenario.submit(&payload, submit).await {
            Ok(reply) => Ok((ExitStatus::Well, reply.document)),
            Err(Error::InvalidPayload { problem, violations: _ }) => Ok((ExitStatus::Findings, problem.document)),
            Err(other) => Err(other),
        }
    });
    let (ending, document) = answered?;
    Ok(Report {
        ending,
        ..told(document, lines)
    })
}

/// What became of it, and what is to be said of its keys.
fn lines(answer: &Value) -> Vec<String> {
    let exchange = &answer["exchange"];
    let mut lines = vec![format!(
        "{}  {}",
        text(&exchange["status"]),
        text(&exchange["submission_id"])
    )];
    for violation in items(answer, "violations") {
        lines.push(format!(
            "  wrong    {}: {}",
            text(&violation["pointer"]),
            text(&violation["message"])
        ));
        for step in items(&violation, "repair") {
            let value = step.get("value").map(|value| format!(" {}", text(value)));
            lines.push(format!(
                "  repair   {} {}{}",
                text(&step["op"]),
                text(&step["path"]),
                value.unwrap_or_default()
            ));
        }
    }
    for warning in items(exchange, "warnings") {
        lines.push(format!(
            "  warning  {}: {}",
            text(&warning["key"]),
            text(&warning["message"])
        ));
    }
    lines.extend(
        answer
            .get("payload")
            .map(|payload| format!("  taken    {}", text(payload))),
    );
    let suggested = items(&answer["schema_update_suggestion"], "new_keys");
    lines.extend(suggested.iter().map(|key| {
        format!(
            "  new key  {}: {}",
            text(&key["key_name"]),
            text(&key["semantic_description"])
        )
    }));
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lines;

    #[test]
    fn what_does_not_fit_is_told_with_its_repair() {
        let refused = json!({"exchange": {"status": "refused", "submission_id": "tram.1", "warnings": [{"key": "x", "message": "no\u{7}"}]},
            "violations": [{"pointer": "/payload/zone", "message": "not one", "repair": [{"op": "replace", "path": "/payload/zone", "value": "inner"}]}]});
        assert_eq!(
            lines(&refused),
            [
                "refused  tram.1",
                "  wrong    /payload/zone: not one",
                "  repair   replace /payload/zone inner",
                "  warning  x: no ",
            ]
        );
    }
}

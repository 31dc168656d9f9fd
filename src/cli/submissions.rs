//! `otherwise submit`: a payload out of a file, to a running service.

use std::path::PathBuf;

use clap::Args;
use otherwise_client::Error;
use otherwise_client::Repairs;
use otherwise_client::Submit;
use serde_json::Value;

use crate::cli::ExitStatus;
use crate::cli::document;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use crate::cli::remote::OfScenario;
use crate::cli::remote::Service;
use crate::cli::remote::items;
use crate::cli::remote::line;
use crate::cli::remote::line_if;
use crate::cli::remote::lines;
use crate::cli::remote::told;

/// What is submitted.
#[derive(Clone, Debug, Args)]
pub struct SubmitArguments {
    #[command(flatten)]
    to: OfScenario,
    /// The payload, a JSON object by the template's keys; - for standard input.
    file: PathBuf,
    /// What the user said.
    #[arg(long, value_name = "TEXT")]
    utterance: Option<String>,
    /// Mend the payload where every violation says how, and send it again.
    #[arg(long)]
    repair: bool,
    /// The idempotency key, to submit the same again later; one is generated where none is given.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

/// Submits a payload; 1 where it does not fit.
pub fn submit(arguments: &SubmitArguments) -> ExitStatus {
    arguments
        .to
        .whom
        .report("submit", |service| perform(arguments, service))
}

fn perform(arguments: &SubmitArguments, service: &Service) -> Result<Report, Trouble> {
    let (_, payload) = document::json(&arguments.file)?;
    if !payload.is_object() {
        let shown = arguments.file.display();
        let why = format!("{shown} holds no payload: a JSON object by the template's keys");
        return Err(usage(why));
    }
    if payload["schema_id"].is_string() && payload["payload"].is_object() {
        let shown = arguments.file.display();
        let why = format!("{shown} is a whole submission: give what stands under its `payload` alone");
        return Err(usage(why));
    }
    let scenario = service.scenario(&arguments.to.scenario);
    let submit = Submit {
        utterance: arguments.utterance.clone(),
        idempotency_key: arguments.idempotency_key.clone(),
        repairs: if arguments.repair { Repairs::All } else { Repairs::None },
    };
    // What does not fit is an answer, not a failure.
    let (ending, document) = service.wait(async {
        match scenario.submit(&payload, submit).await {
            Ok(reply) => Ok((ExitStatus::Well, reply.document)),
            Err(Error::InvalidPayload { problem, violations: _ }) => Ok((ExitStatus::Findings, problem.document)),
            Err(other) => Err(other),
        }
    })?;
    Ok(Report {
        ending,
        ..told(document, outcome)
    })
}

/// What became of it, and what is to be said of its keys.
fn outcome(answer: &Value) -> Vec<String> {
    let mut told = vec![line("{/exchange/status}  {/exchange/submission_id}", answer)];
    for violation in items(answer, "violations") {
        told.push(line("  wrong    {pointer}: {message}", &violation));
        // The message of a closed list names its values.
        if violation["expected"]["enum"].is_null() {
            told.extend(line_if("  expected {expected}", &violation, "expected"));
        }
        for step in items(&violation, "repair") {
            let whole = line_if("  repair   {op} {path} {value}", &step, "value");
            told.push(whole.unwrap_or_else(|| line("  repair   {op} {path}", &step)));
        }
    }
    told.extend(lines("  warning  {key}: {message}", &answer["exchange"], "warnings"));
    told.extend(line_if("  taken    {payload}", answer, "payload"));
    let suggested = &answer["schema_update_suggestion"];
    told.extend(lines(
        "  new key  {key_name}: {semantic_description}",
        suggested,
        "new_keys",
    ));
    told
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::outcome;

    #[test]
    fn what_does_not_fit_is_told_with_its_repair() {
        let refused = json!({"exchange": {"status": "refused", "submission_id": "tram.1", "warnings": [{"key": "x", "message": "no\u{7}"}]},
            "violations": [{"pointer": "/payload/zone", "message": "not one",
                "repair": [{"op": "replace", "path": "/payload/zone", "value": "inner"}, {"op": "remove", "path": "/payload/x"}]}]});
        assert_eq!(
            outcome(&refused),
            [
                "refused  tram.1",
                "  wrong    /payload/zone: not one",
                "  repair   replace /payload/zone inner",
                "  repair   remove /payload/x",
                "  warning  x: no ",
            ]
        );
    }
}

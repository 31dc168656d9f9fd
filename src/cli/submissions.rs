//! `otherwise submit`: a payload out of a file, to a running service.

use std::path::PathBuf;

use clap::Args;
use otherwise_client::Error;
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
use crate::cli::remote::text;
use crate::cli::remote::told;

/// Values of a closed list that a line names: what a person reads at a glance.
const VALUES_MAX: usize = 12;

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
    /// The idempotency key; one is drawn where none is given.
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
    let scenario = service.scenario(&arguments.to.scenario);
    let mut submission = scenario.submit(&payload).repair(arguments.repair);
    if let Some(utterance) = &arguments.utterance {
        submission = submission.utterance(utterance);
    }
    if let Some(key) = &arguments.idempotency_key {
        submission = submission.idempotency_key(key);
    }
    // What does not fit is an answer, not a failure.
    let (ending, document) = service.wait(async {
        match submission.await {
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
        told.extend(allowed(&violation["expected"]));
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

/// What a closed list allows, of a value or of an element.
fn allowed(expected: &Value) -> Option<String> {
    let values = expected
        .get("enum")
        .or_else(|| expected.pointer("/items/enum"))?
        .as_array()?;
    let named: Vec<String> = values.iter().take(VALUES_MAX).map(text).collect();
    let more = match values.len() - named.len() {
        0 => String::new(),
        more => format!(", … and {more} more"),
    };
    Some(format!("  allowed  {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::allowed;
    use super::outcome;

    #[test]
    fn what_does_not_fit_is_told_with_what_would_and_its_repair() {
        let refused = json!({"exchange": {"status": "refused", "submission_id": "tram.1", "warnings": [{"key": "x", "message": "no\u{7}"}]},
            "violations": [{"pointer": "/payload/zone", "message": "not one", "expected": {"enum": ["in\u{7}ner", "outer", 3]},
                "repair": [{"op": "replace", "path": "/payload/zone", "value": "inner"}, {"op": "remove", "path": "/payload/x"}]}]});
        assert_eq!(
            outcome(&refused),
            [
                "refused  tram.1",
                "  wrong    /payload/zone: not one",
                "  allowed  in ner, outer, 3",
                "  repair   replace /payload/zone inner",
                "  repair   remove /payload/x",
                "  warning  x: no ",
            ]
        );
    }

    #[test]
    fn of_a_long_list_a_dozen_values_are_named_and_the_others_counted() {
        let list = |values: usize| json!({"type": "array", "items": {"enum": (0..values).collect::<Vec<_>>()}});
        let twelve = "  allowed  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11";
        assert_eq!(allowed(&list(12)).as_deref(), Some(twelve));
        assert_eq!(allowed(&list(43)), Some(format!("{twelve}, … and 31 more")));
        assert_eq!(allowed(&json!({"type": "string"})), None);
    }
}

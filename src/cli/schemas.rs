//! `otherwise publish`, `check` and `versions`: schemas of a running service, from files.
//!
//! Knows the service's HTTP interface and nothing else of it. Invariants: every file is read before anything is sent, and what the service
//! sends steers no terminal.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use clap::ValueEnum;
use otherwise_client::address::segment;
use serde_json::Value;
use serde_json::json;

use crate::adapters::text_file;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::annotation;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use crate::cli::remote::OfScenario;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::detail;
use crate::cli::remote::items;
use crate::cli::remote::plain;
use crate::cli::remote::refused;
use crate::cli::remote::text;
use crate::cli::remote::told;
use schema::json_text;

/// What is published.
#[derive(Clone, Debug, Args)]
pub struct PublishArguments {
    /// Templates (JSON); - for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    whom: Whom,
    /// Only say what would come of it.
    #[arg(long)]
    dry_run: bool,
    /// One JSON document for all files on standard output.
    #[arg(long)]
    json: bool,
}

/// In which form a check is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Lines for a person.
    Text,
    /// One JSON document.
    Json,
    /// Annotations of GitHub Actions, at the lines of the files.
    Github,
}

/// What is checked.
#[derive(Clone, Debug, Args)]
pub struct CheckArguments {
    /// Templates (JSON), as they would be published; - for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    whom: Whom,
    /// In which form it is told.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// Which schema is to go.
#[derive(Clone, Debug, Args)]
pub struct DeprecateArguments {
    /// The schema, such as flight_booking_v1.
    #[arg(value_name = "SCHEMA")]
    schema_id: String,
    #[command(flatten)]
    whom: Whom,
    /// From when on it may be gone (RFC 3339).
    #[arg(long, value_name = "MOMENT", conflicts_with = "lift")]
    sunset: Option<String>,
    /// Why, for those who use it.
    #[arg(long, value_name = "TEXT", conflicts_with = "lift")]
    reason: Option<String>,
    /// Take it back: it stays.
    #[arg(long)]
    lift: bool,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// A template in a file.
struct Source {
    file: String,
    text: String,
    schema_id: String,
}

/// What a service says of a template.
struct Verdict {
    status: u16,
    answer: Value,
}

impl Verdict {
    /// Whether it can be published, or was.
    fn is_well(&self) -> bool {
        self.status < 300 && self.answer["publishable"] != false
    }

    /// The problem document, where it cannot.
    fn refusal(&self) -> &Value {
        match self.status {
            200..300 => &self.answer["refusal"],
            _ => &self.answer,
        }
    }

    /// Changes that break what the scenario's line promises, each with what it is compared to.
    fn breaks(&self) -> Vec<(Value, Value)> {
        let compared = items(&self.refusal()["compatibility"], "compared");
        let changes = compared.into_iter().flat_map(|against| {
            items(&against, "changes")
                .into_iter()
                .map(move |change| (change, against.clone()))
        });
        changes.collect()
    }

    /// Clients some of whose payloads it would refuse.
    fn broken_clients(&self) -> Vec<Value> {
        let mut clients = items(&self.answer["would_break"], "clients");
        clients.retain(|client| client["refused"].as_u64() > Some(0));
        clients
    }
}

/// Publishes each file; 1 where one is refused, which keeps none of the others.
pub fn publish(arguments: &PublishArguments) -> ExitStatus {
    let performed = judged(&arguments.whom, &arguments.files, arguments.dry_run);
    Output::new("publish", arguments.json).report(performed.map(|judged| {
        let done = if arguments.dry_run {
            "can be published"
        } else {
            "is published"
        };
        let mut report = summed(&judged);
        report.lines = judged
            .iter()
            .flat_map(|(source, verdict)| lines(source, verdict, done))
            .collect();
        report
            .lines
            .extend(arguments.dry_run.then(|| "nothing was written".to_owned()));
        report
    }))
}

/// Says what publishing each file would come to, and whom it would break; 1 where one could not be published.
pub fn check(arguments: &CheckArguments) -> ExitStatus {
    let form = if arguments.json { Form::Json } else { arguments.format };
    let performed = judged(&arguments.whom, &arguments.files, true);
    Output::new("check", form == Form::Json).report(performed.map(|judged| {
        let mut report = summed(&judged);
        report.lines = judged
            .iter()
            .flat_map(|(source, verdict)| match form {
                Form::Github => annotations(source, verdict),
                Form::Text | Form::Json => lines(source, verdict, "can be published"),
            })
            .collect();
        report
    }))
}

/// Lists a scenario's versions.
pub fn versions(arguments: &OfScenario) -> ExitStatus {
    let listed = Service::open(&arguments.whom)
        .and_then(|service| service.get(&format!("/v1/scenarios/{}/versions", segment(&arguments.scenario))));
    Output::new("versions", arguments.json)
        .report(listed.map(|listed| told(listed, |listed| items(listed, "versions").iter().map(version).collect())))
}

/// Announces that a schema is to go, or takes that back.
pub fn deprecate(arguments: &DeprecateArguments) -> ExitStatus {
    let (deed, said) = match arguments.lift {
        true => ("restore", json!({})),
        false => (
            "deprecate",
            json!({"sunset": arguments.sunset, "reason": arguments.reason}),
        ),
    };
    let path = format!("/v1/schemas/{}:{deed}", segment(&arguments.schema_id));
    let done = Service::open(&arguments.whom).and_then(|service| {
        let (status, answer) = service.call(&path, Some(said.to_string()), None)?;
        match status {
            200 => Ok(answer),
            _ => Err(refused(status, &answer)),
        }
    });
    Output::new("deprecate", arguments.json).report(done.map(|answer| {
        told(answer, |answer| {
            let becomes = if arguments.lift { "stays" } else { "is deprecated" };
            vec![format!("{} {becomes}{}", text(&answer["schema_id"]), goes(answer))]
        })
    }))
}

/// When it goes, where that is said.
fn goes(row: &Value) -> String {
    row["sunset"]
        .as_str()
        .map(|sunset| format!(", may be gone from {} on", plain(sunset)))
        .unwrap_or_default()
}

/// A version in a line.
fn version(row: &Value) -> String {
    let [number, id, state, at] = ["version", "schema_id", "state", "published_at"].map(|name| text(&row[name]));
    let in_force = if row["in_force"] == true { ", in force" } else { "" };
    format!(
        "{number:<10} {id}  {state}{in_force}{}  {at} by {}",
        goes(row),
        text(&row["published_by"]["principal"])
    )
}

/// Reads all files, and asks the service about each, or publishes it.
fn judged(whom: &Whom, files: &[PathBuf], is_only_tried: bool) -> Result<Vec<(Source, Verdict)>, Trouble> {
    let sources = files
        .iter()
        .map(|file| source(file))
        .collect::<Result<Vec<Source>, Trouble>>()?;
    let service = Service::open(whom)?;
    let judged = sources.into_iter().map(|source| {
        let body = source.text.clone();
        let (status, answer) = if is_only_tried {
            service.call("/v1/schemas:check", Some(body), None)?
        } else {
            service.put(&format!("/v1/schemas/{}", segment(&source.schema_id)), body)?
        };
        match status {
            // What is wrong with the template is what was asked.
            200..300 | 409 | 422 => Ok((source, Verdict { status, answer })),
            _ => Err(refused(status, &answer)),
        }
    });
    judged.collect()
}

fn source(file: &Path) -> Result<Source, Trouble> {
    let shown = file.display().to_string();
    let read = if cli::is_standard(file) {
        text_file::standard()
    } else {
        text_file::read(file)
    };
    let text = read.map_err(|error| usage(format!("{shown} cannot be read: {error}")))?;
    let document = json_text::read(&text).map_err(|why| usage(format!("{shown} is not JSON: {why}")))?;
    let schema_id = document["schema_id"].as_str().unwrap_or_default().to_owned();
    if schema_id.is_empty() {
        return Err(usage(format!("{shown} holds no template: it has no `schema_id`")));
    }
    Ok(Source {
        file: shown,
        text,
        schema_id,
    })
}

fn summed(judged: &[(Source, Verdict)]) -> Report {
    let is_well = judged.iter().all(|(_, verdict)| verdict.is_well());
    let files = judged.iter().map(|(source, verdict)| {
        json!({"file": source.file, "schema_id": source.schema_id, "well": verdict.is_well(), "answer": verdict.answer})
    });
    Report {
        ending: if is_well {
            ExitStatus::Well
        } else {
            ExitStatus::Findings
        },
        document: json!({"files": files.collect::<Vec<_>>()}),
        ..Report::default()
    }
}

/// A line for the template, and one for each thing to say of it.
fn lines(source: &Source, verdict: &Verdict, done: &str) -> Vec<String> {
    let answer = &verdict.answer;
    let mut lines = vec![match verdict.is_well() {
        true => format!(
            "{}: {} {} {done}: scores {} of 100",
            source.file,
            text(&answer["schema_id"]),
            text(&answer["version"]),
            text(&answer["score"])
        ),
        false => format!(
            "{}: {} cannot be published: {}",
            source.file,
            source.schema_id,
            text(&json!(detail(verdict.refusal())))
        ),
    }];
    for defect in items(verdict.refusal(), "defects") {
        lines.push(format!(
            "  defect     {}: {}",
            text(&defect["pointer"]),
            text(&defect["message"])
        ));
    }
    for (change, against) in verdict.breaks() {
        let [class, message] = ["class", "message"].map(|name| text(&change[name]));
        lines.push(format!(
            "  {class:<9}  {message} (against {})",
            text(&against["schema_id"])
        ));
        let shown = items(&change, "examples");
        lines.extend(
            shown
                .first()
                .map(|example| format!("             {}", text(&example["payload"]))),
        );
    }
    lines.extend(
        verdict
            .broken_clients()
            .iter()
            .map(|client| format!("  breaks     {}", broken(client))),
    );
    let looked = &answer["would_break"];
    if looked.is_object() {
        let (looked_at, gone) = (text(&looked["looked_at"]), text(&looked["gone"]));
        lines.push(format!(
            "  looked at  {looked_at} submissions of clients; the texts of {gone} are gone"
        ));
    }
    for finding in items(answer, "findings") {
        lines.push(format!("  {:<9}  {}", cost(&finding), found(&finding)));
    }
    lines
}

/// A client in words.
fn broken(client: &Value) -> String {
    let name = client["client"]
        .as_str()
        .map_or_else(|| "clients without a name".to_owned(), plain);
    let [refused, all] = ["refused", "submissions"].map(|name| text(&client[name]));
    let keys: Vec<String> = items(client, "keys").iter().map(text).collect();
    let by = if keys.is_empty() {
        String::new()
    } else {
        format!(" by {}", keys.join(", "))
    };
    format!("{name}: {refused} of {all} submissions would be refused{by}")
}

fn cost(finding: &Value) -> String {
    match finding["cost"].as_u64() {
        None | Some(0) => "note".to_owned(),
        Some(cost) => format!("-{cost}"),
    }
}

/// A finding in words, with the key that it is of.
fn found(finding: &Value) -> String {
    let key = finding["key_name"]
        .as_str()
        .map(|key| format!("`{key}` "))
        .unwrap_or_default();
    text(&json!(format!(
        "{key}{} ({})",
        text(&finding["message"]),
        text(&finding["rule"])
    )))
}

/// The same as annotations: what keeps it from being published is an error, all else a warning.
fn annotations(source: &Source, verdict: &Verdict) -> Vec<String> {
    let place = annotation::Place::new(&source.file, &source.text);
    let (defects, breaks) = (items(verdict.refusal(), "defects"), verdict.breaks());
    let mut lines = Vec::new();
    for defect in &defects {
        let line = place.of_pointer(defect["pointer"].as_str().unwrap_or_default());
        lines.push(place.error(line, "Template cannot be published", &text(&defect["message"])));
    }
    for (change, against) in &breaks {
        let line = place.of_key(change["key_name"].as_str().unwrap_or_default());
        let message = format!("{} (against {})", text(&change["message"]), text(&against["schema_id"]));
        lines.push(place.error(line, "Breaks what is promised", &message));
    }
    if !verdict.is_well() && defects.is_empty() && breaks.is_empty() {
        lines.push(place.error(
            1,
            "Schema cannot be published",
            &text(&json!(detail(verdict.refusal()))),
        ));
    }
    for client in verdict.broken_clients() {
        lines.push(place.warning(1, "Breaks a client", &broken(&client)));
    }
    for finding in items(&verdict.answer, "findings") {
        if finding["cost"].as_u64() > Some(0) {
            let line = place.of_pointer(finding["pointer"].as_str().unwrap_or_default());
            lines.push(place.warning(line, "Template could say more", &found(&finding)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Source;
    use super::Verdict;
    use super::annotations;
    use super::lines;

    #[test]
    fn a_check_names_what_breaks_and_whom_and_steers_no_terminal() {
        let source = Source {
            file: "new.json".to_owned(),
            text:
                "{\"schema_id\": \"tram_v1_1\", \"keys\": [\n  {\"key_name\": \"line\"},\n  {\"key_name\": \"zone\"}]}"
                    .to_owned(),
            schema_id: "tram_v1_1".to_owned(),
        };
        let change = json!({"key_name": "zone", "class": "breaking", "message": "`zone`: type string -> integer",
            "examples": [{"payload": {"zone": "a"}}]});
        let compared = json!({"compared": [{"schema_id": "tram_v1", "changes": [change]}]});
        let verdict = Verdict {
            status: 200,
            answer: json!({"publishable": false, "refusal": {"detail": "it breaks", "compatibility": compared},
                "would_break": {"looked_at": 9, "gone": 1, "clients": [
                    {"client": "a\u{1b}da", "submissions": 3, "refused": 2, "keys": ["zone"]}, {"client": null, "submissions": 6, "refused": 1},
                    {"client": "bob", "submissions": 6, "refused": 0}]},
                "findings": [{"rule": "too_short", "key_name": "line", "pointer": "/keys/0/x", "message": "says 100 %", "cost": 3}]}),
        };
        assert_eq!(
            lines(&source, &verdict, "can be published"),
            [
                "new.json: tram_v1_1 cannot be published: it breaks",
                "  breaking   `zone`: type string -> integer (against tram_v1)",
                "             {\"zone\":\"a\"}",
                "  breaks     a da: 2 of 3 submissions would be refused by zone",
                "  breaks     clients without a name: 1 of 6 submissions would be refused",
                "  looked at  9 submissions of clients; the texts of 1 are gone",
                "  -3         `line` says 100 % (too_short)",
            ]
        );
        assert_eq!(
            annotations(&source, &verdict),
            [
                "::error file=new.json,line=3,title=Breaks what is promised::`zone`: type string -> integer (against tram_v1)",
                "::warning file=new.json,line=1,title=Breaks a client::a da: 2 of 3 submissions would be refused by zone",
                "::warning file=new.json,line=1,title=Breaks a client::clients without a name: 1 of 6 submissions would be refused",
                "::warning file=new.json,line=2,title=Template could say more::`line` says 100 %25 (too_short)",
            ]
        );
    }
}

//! `otherwise publish` and `check`: schemas out of files, at a running service.
//!
//! Invariant: every file is read before anything is sent.

use std::path::PathBuf;

use clap::Args;
use clap::ValueEnum;
use otherwise_client::address::segment;
use serde_json::Value;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::annotation;
use crate::cli::diff::abridged;
use crate::cli::document;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::detail;
use crate::cli::remote::items;
use crate::cli::remote::line;
use crate::cli::remote::line_if;
use crate::cli::remote::plain;
use crate::cli::remote::refused;
use crate::cli::remote::text;
use schema::template::Version;

/// Clients that a line names: the others are counted, and have lines of their own.
const NAMED_MAX: usize = 5;

const ALLOW: &str = "otherwise: with --allow-breaks a version passes that is meant to break who uses the one in force";

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
    /// Publish a version although it is not proved that it keeps what its line promises; the decision log records it.
    #[arg(long, conflicts_with = "dry_run")]
    accept_unproved: bool,
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
    /// End with 0 where a new major version, or a scenario that promises nothing, breaks who uses the version in force.
    #[arg(long)]
    allow_breaks: bool,
    /// In which form it is told.
    #[arg(long, value_enum, default_value = "text", conflicts_with = "json")]
    format: Form,
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

/// A change that breaks others, and the version that it is compared to.
struct Break {
    change: Value,
    against: Value,
}

impl Verdict {
    /// Whether it can be published, or was.
    fn is_publishable(&self) -> bool {
        self.status < 300 && self.answer["publishable"] != false
    }

    /// The problem document, where it cannot.
    fn refusal(&self) -> &Value {
        match self.status {
            200..300 => &self.answer["refusal"],
            _ => &self.answer,
        }
    }

    /// Whether it would come into force: one that is published, or lower than another, breaks nobody.
    fn is_newest(&self) -> bool {
        let version = |row: &Value| row["version"].as_str().and_then(Version::parse);
        let compared = items(&self.answer["compatibility"], "compared");
        let is_lower = compared.iter().any(|other| version(other) > version(&self.answer));
        self.answer["known"] != true && !is_lower
    }

    /// Changes that break what the scenario's line promises, or else, of a new line, who uses the version in force.
    fn breaks(&self) -> Vec<Break> {
        let mut compared = items(&self.refusal()["compatibility"], "compared");
        let mut informed = items(&self.answer["compatibility"], "compared");
        informed.retain(|against| against["enforced"] == false && self.is_newest());
        compared.append(&mut informed);
        let each = compared.into_iter().flat_map(|against| {
            let mut changes = items(&against, "changes");
            changes.retain(|change| against["enforced"] != false || change["class"] == "breaking");
            let found = move |change| (change, against.clone());
            changes.into_iter().map(found)
        });
        each.map(|(change, against)| Break { change, against }).collect()
    }

    /// Clients some of whose payloads it would refuse.
    fn broken_clients(&self) -> Vec<Value> {
        let mut clients = items(&self.answer["would_break"], "clients");
        clients.retain(|client| client["refused"].as_u64() > Some(0) && self.is_newest());
        clients
    }

    /// Whom it would break, where it can be published all the same.
    fn broken(&self) -> Option<String> {
        let (breaks, clients) = (self.breaks(), self.broken_clients());
        if !self.is_publishable() || (breaks.is_empty() && clients.is_empty()) {
            return None;
        }
        let users = breaks
            .first()
            .map(|found| line("who uses {schema_id} {version}", &found.against));
        let mut named: Vec<String> = clients.iter().take(NAMED_MAX).map(client_name).collect();
        if clients.len() > NAMED_MAX {
            named.push(format!("{} more", clients.len() - NAMED_MAX));
        }
        let whom = users.into_iter().chain((!named.is_empty()).then(|| named.join(", ")));
        Some(whom.collect::<Vec<_>>().join(": "))
    }
}

/// Publishes each file; 1 where one is refused, which keeps none of the others.
pub fn publish(arguments: &PublishArguments) -> ExitStatus {
    let PublishArguments {
        files,
        whom,
        dry_run,
        accept_unproved,
    } = arguments;
    let deed = match (*dry_run, *accept_unproved) {
        (true, _) => Deed::Check,
        (false, accepts_unproved) => Deed::Publish { accepts_unproved },
    };
    let done = if *dry_run { "can be published" } else { "is published" };
    whom.report("publish", |service| {
        let judged = judged(service, files, deed)?;
        let mut report = summed(&judged, Verdict::is_publishable, |source, verdict| {
            lines_of(source, verdict, done)
        });
        report.lines.extend(dry_run.then(|| "nothing was written".to_owned()));
        Ok(report)
    })
}

/// Says what publishing each file would come to, and whom it would break; 1 where one could not be published, or breaks somebody.
pub fn check(arguments: &CheckArguments) -> ExitStatus {
    let (form, allows) = (arguments.format, arguments.allow_breaks);
    let json = arguments.whom.json || form == Form::Json;
    let whom = arguments.whom.clone();
    Whom { json, ..whom }.report("check", |service| {
        let is_well = |verdict: &Verdict| verdict.is_publishable() && (allows || verdict.broken().is_none());
        let lines = |source: &Source, verdict: &Verdict| match form {
            Form::Github => annotations(source, verdict),
            Form::Text | Form::Json => lines_of(source, verdict, "can be published"),
        };
        let judged = judged(service, &arguments.files, Deed::Check)?;
        let mut report = summed(&judged, is_well, lines);
        let is_broken = !allows && judged.iter().any(|(_, verdict)| verdict.broken().is_some());
        report.told.extend(is_broken.then(|| ALLOW.to_owned()));
        Ok(report)
    })
}

/// Results of the service, by file.
#[derive(Clone, Copy)]
enum Deed {
    Check,
    Publish { accepts_unproved: bool },
}

/// Reads all files, and has the service check or publish each.
fn judged(service: &Service, files: &[PathBuf], deed: Deed) -> Result<Vec<(Source, Verdict)>, Trouble> {
    let sources = files.iter().map(|file| {
        let (shown, (text, document)) = (file.display().to_string(), document::json(file)?);
        match document["schema_id"].as_str() {
            None | Some("") => Err(usage(format!("{shown} holds no template: it has no `schema_id`"))),
            Some(schema_id) => Ok(Source {
                schema_id: schema_id.to_owned(),
                file: shown,
                text,
            }),
        }
    });
    let sources = sources.collect::<Result<Vec<Source>, Trouble>>()?;
    let judged = sources.into_iter().map(|source| {
        let body = source.text.clone();
        let address = format!("/v1/schemas/{}", segment(&source.schema_id));
        let (status, answer) = match deed {
            Deed::Check => service.call("/v1/schemas:check", body, None)?,
            Deed::Publish {
                accepts_unproved: false,
            } => service.put(&address, body)?,
            Deed::Publish { accepts_unproved: true } => service.put(&(address + "?accept_unproved=true"), body)?,
        };
        match status {
            // What is wrong with the template is what was asked.
            200..300 | 409 | 422 => Ok((source, Verdict { status, answer })),
            _ => Err(refused(status, &answer)),
        }
    });
    judged.collect()
}

fn summed(
    judged: &[(Source, Verdict)],
    is_well: impl Fn(&Verdict) -> bool,
    lines: impl Fn(&Source, &Verdict) -> Vec<String>,
) -> Report {
    let files = judged.iter().map(|(source, verdict)| {
        json!({"file": source.file, "schema_id": source.schema_id, "well": is_well(verdict), "answer": verdict.answer})
    });
    Report {
        ending: ExitStatus::of(judged.iter().all(|(_, verdict)| is_well(verdict))),
        document: json!({"files": files.collect::<Vec<_>>()}),
        lines: judged
            .iter()
            .flat_map(|(source, verdict)| lines(source, verdict))
            .collect(),
        ..Report::default()
    }
}

/// Something to say of a template.
struct Remark {
    /// The line of the file.
    line: usize,
    /// How a workflow shows it, and under which title; nothing where it is for people who ask alone.
    shown: Option<(&'static str, &'static str)>,
    label: String,
    text: String,
    /// A payload that shows it.
    example: Option<String>,
}

/// What is to be said beside whether it can be published.
fn remarks(source: &Source, verdict: &Verdict) -> Vec<Remark> {
    let (answer, place) = (&verdict.answer, annotation::Place::new(&source.file, &source.text));
    let at = |row: &Value| place.of_pointer(row["pointer"].as_str().unwrap_or_default());
    let mut told = Vec::new();
    let mut say = |line, shown, label: &str, text, example| {
        let label = label.to_owned();
        told.push(Remark {
            line,
            shown,
            label,
            text,
            example,
        });
    };
    if !verdict.is_publishable() {
        let shown = Some(("error", "Schema cannot be published"));
        say(1, shown, "refused", plain(&detail(verdict.refusal())), None);
    }
    for defect in items(verdict.refusal(), "defects") {
        let shown = Some(("error", "Template cannot be published"));
        let said = line("{pointer}: {message}", &defect);
        say(at(&defect), shown, "defect", said, None);
    }
    for Break { change, against } in verdict.breaks() {
        let title = match against["enforced"] == false {
            true => "Breaks who uses the version in force",
            false => "Breaks what is promised",
        };
        let key = place.of_key(change["key_name"].as_str().unwrap_or_default());
        let said = line("{message} (against ", &change) + &line("{schema_id})", &against);
        let example = change
            .pointer("/examples/0/payload")
            .map(|payload| text(&abridged(payload)));
        say(key, Some(("error", title)), &text(&change["class"]), said, example);
    }
    for client in verdict.broken_clients() {
        let keys = items(&client, "keys").iter().map(text).collect::<Vec<_>>().join(", ");
        let by = if keys.is_empty() { "" } else { " by " };
        let said = line(": {refused} of {submissions} submissions would be refused", &client);
        let said = client_name(&client) + &said + by + &keys;
        say(1, Some(("warning", "Breaks a client")), "breaks", said, None);
    }
    if let Some(looked) = answer.get("would_break") {
        let form = "{looked_at} submissions of clients; the texts of {gone} are gone";
        say(1, None, "looked at", line(form, looked), None);
        let keys = items(looked, "value_keys")
            .iter()
            .map(text)
            .collect::<Vec<_>>()
            .join(", ");
        if !keys.is_empty() {
            let form = "only values that {clients_min} clients sent alike are compared under ";
            say(1, None, "values", line(form, looked) + &keys, None);
        }
    }
    for finding in items(answer, "findings") {
        let cost = finding["cost"].as_u64().filter(|cost| *cost > 0);
        let label = cost.map_or_else(|| "note".to_owned(), |cost| format!("-{cost}"));
        let key = line_if("`{key_name}` ", &finding, "key_name").unwrap_or_default();
        let shown = cost.map(|_| ("warning", "Template could say more"));
        let said = key + &line("{message} ({rule})", &finding);
        say(at(&finding), shown, &label, said, None);
    }
    told
}

/// A line for the template, and one for each thing to say of it.
fn lines_of(source: &Source, verdict: &Verdict, done: &str) -> Vec<String> {
    let (Source { file, schema_id, .. }, answer) = (source, &verdict.answer);
    let name = line("{schema_id} {version}", answer);
    let mut told = vec![match (verdict.is_publishable(), verdict.broken()) {
        (false, _) => format!("{file}: {schema_id} cannot be published"),
        (true, None) => format!("{file}: {name} {done}: {}", line("scores {score} of 100", answer)),
        (true, Some(whom)) => format!("{file}: {name} {done}, but breaks {whom}"),
    }];
    for Remark {
        label, text, example, ..
    } in remarks(source, verdict)
    {
        told.push(format!("  {label:<9}  {text}"));
        told.extend(example.map(|example| format!("             {example}")));
    }
    told
}

/// The same as annotations: what ends a check with 1 is an error, all else a warning.
fn annotations(source: &Source, verdict: &Verdict) -> Vec<String> {
    let place = annotation::Place::new(&source.file, &source.text);
    let remarks = remarks(source, verdict).into_iter();
    let shown = remarks.filter_map(|remark| {
        let (kind, title) = remark.shown?;
        Some(place.command(kind, remark.line, title, &remark.text))
    });
    shown.collect()
}

fn client_name(client: &Value) -> String {
    client["client"]
        .as_str()
        .map_or_else(|| "clients without a name".to_owned(), plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Source;
    use super::Verdict;
    use super::annotations;
    use super::lines_of;

    fn source() -> Source {
        Source {
            file: "new.json".to_owned(),
            text:
                "{\"schema_id\": \"tram_v1_1\", \"keys\": [\n  {\"key_name\": \"line\"},\n  {\"key_name\": \"zone\"}]}"
                    .to_owned(),
            schema_id: "tram_v1_1".to_owned(),
        }
    }

    #[test]
    fn a_check_names_what_breaks_and_whom_and_steers_no_terminal() {
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
            lines_of(&source(), &verdict, "can be published"),
            [
                "new.json: tram_v1_1 cannot be published",
                "  refused    it breaks",
                "  breaking   `zone`: type string -> integer (against tram_v1)",
                "             {\"zone\":\"a\"}",
                "  breaks     a da: 2 of 3 submissions would be refused by zone",
                "  breaks     clients without a name: 1 of 6 submissions would be refused",
                "  looked at  9 submissions of clients; the texts of 1 are gone",
                "  -3         `line` says 100 % (too_short)",
            ]
        );
        assert_eq!(
            annotations(&source(), &verdict),
            [
                "::error file=new.json,line=1,title=Schema cannot be published::it breaks",
                "::error file=new.json,line=3,title=Breaks what is promised::`zone`: type string -> integer (against tram_v1)",
                "::warning file=new.json,line=1,title=Breaks a client::a da: 2 of 3 submissions would be refused by zone",
                "::warning file=new.json,line=1,title=Breaks a client::clients without a name: 1 of 6 submissions would be refused",
                "::warning file=new.json,line=2,title=Template could say more::`line` says 100 %25 (too_short)",
            ]
        );
    }

    #[test]
    fn a_new_line_that_can_be_published_is_told_by_whom_it_breaks() {
        let verdict = |class: &str, refused: usize| {
            let change = json!({"key_name": "zone", "class": class, "message": "`zone` is gone", "examples": []});
            let against = json!({"schema_id": "tram_v1", "version": "1.2.0", "enforced": false, "changes": [change]});
            let client = |number| json!({"client": format!("c{number}"), "submissions": 3, "refused": 1});
            let clients: Vec<_> = (0..refused).map(client).collect();
            let answer = json!({"schema_id": "tram_v2", "version": "2.0.0", "score": 90, "publishable": true,
                "compatibility": {"compared": [against]}, "would_break": {"looked_at": 1, "gone": 0, "clients": clients}});
            Verdict { status: 200, answer }
        };
        assert_eq!(verdict("additive", 0).broken(), None);
        assert_eq!(
            verdict("breaking", 0).broken().as_deref(),
            Some("who uses tram_v1 1.2.0")
        );
        let five = "who uses tram_v1 1.2.0: c0, c1, c2, c3, c4";
        assert_eq!(verdict("breaking", 5).broken().as_deref(), Some(five));
        let more = verdict("breaking", 7);
        assert_eq!(more.broken(), Some(format!("{five}, 2 more")));
        let mut held = verdict("breaking", 5);
        held.answer["known"] = json!(true);
        assert_eq!(held.broken(), None, "it is published already");
        let mut lower = verdict("breaking", 5);
        lower.answer["version"] = json!("1.1.9");
        assert_eq!(lower.broken(), None, "it would not come into force");
        let told = lines_of(&source(), &more, "can be published");
        assert_eq!(
            told[0],
            format!("new.json: tram_v2 2.0.0 can be published, but breaks {five}, 2 more")
        );
        assert!(annotations(&source(), &more)[0].contains("title=Breaks who uses the version in force::"));
    }
}

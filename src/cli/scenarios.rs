//! `otherwise list`, `show`, `pull` and `watch`: what a running service hosts, and the templates that it serves.
//!
//! Knows the service by its client alone. Invariant: what the service sends steers no terminal; what goes to a file or a pipe goes there
//! as it came.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use otherwise_client::Error;
use otherwise_client::Form;
use otherwise_client::Update;
use otherwise_client::address::query;
use serde_json::Value;
use serde_json::json;

use crate::adapters::text_file;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::plain;
use crate::cli::remote::text;
use crate::cli::remote::told;
use schema::export::NAMES;

/// Scenarios of one page.
const PAGE: &str = "100";

/// Which scenarios.
#[derive(Clone, Debug, Args)]
pub struct ListArguments {
    #[command(flatten)]
    whom: Whom,
    /// Only those that answer this wish, in plain words.
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Only those that bear this label.
    #[arg(long, value_name = "NAME:VALUE")]
    label: Option<String>,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Which template.
#[derive(Clone, Debug, Args)]
struct Which {
    /// The scenario, such as flight_booking.
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    #[command(flatten)]
    whom: Whom,
    /// The versions that may be served, such as 1.3.0, ^1 or ~1.2 [default: the one in force].
    #[arg(long, value_name = "RANGE")]
    version: Option<String>,
    /// Language of the descriptions (BCP 47) [default: the template's own].
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
}

/// What is shown.
#[derive(Clone, Debug, Args)]
pub struct ShowArguments {
    #[command(flatten)]
    which: Which,
    /// The form; without it the keys are told in lines.
    #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(NAMES))]
    format: Option<String>,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// What is written where.
#[derive(Clone, Debug, Args)]
pub struct PullArguments {
    #[command(flatten)]
    which: Which,
    /// The form.
    #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(NAMES))]
    format: String,
    /// The file, which is left alone where it holds the same already.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// What is followed.
#[derive(Clone, Debug, Args)]
pub struct WatchArguments {
    #[command(flatten)]
    which: Which,
    /// One JSON document a line.
    #[arg(long)]
    json: bool,
}

/// Lists what is hosted.
pub fn list(arguments: &ListArguments) -> ExitStatus {
    let asked = query([
        ("limit", Some(PAGE)),
        ("q", arguments.query.as_deref()),
        ("label", arguments.label.as_deref()),
    ]);
    let listed = Service::open(&arguments.whom)
        .and_then(|service| service.listed(&format!("/v1/scenarios{asked}"), "scenarios"));
    Output::new("list", arguments.json)
        .report(listed.map(|listed| told(listed, |listed| items(listed, "scenarios").iter().map(hosted).collect())))
}

/// A scenario in a line.
fn hosted(row: &Value) -> String {
    let [name, id, version, revision] = ["scenario", "schema_id", "version", "revision"].map(|name| text(&row[name]));
    let frozen = if row.get("frozen").is_some_and(Value::is_object) {
        ", frozen"
    } else {
        ""
    };
    let description = row["description"].as_str().map(|text| format!("  {}", plain(text)));
    format!(
        "{name:<24} {id} {version}, revision {revision}{frozen}{}",
        description.unwrap_or_default()
    )
}

/// Shows a template: its keys in lines, or a form of it.
pub fn show(arguments: &ShowArguments) -> ExitStatus {
    let shown = Service::open(&arguments.which.whom).and_then(|service| match &arguments.format {
        None => {
            let template = service.wait(arguments.which.scenario(&service).template())?;
            Ok(told(template.answer.json(), keys))
        }
        Some(format) => {
            let form = service.wait(arguments.which.form(&service, format))?;
            let is_shown = std::io::stdout().is_terminal();
            let line = |line: &str| if is_shown { plain(line) } else { line.to_owned() };
            Ok(Report {
                lines: form.text.trim_end_matches('\n').split('\n').map(line).collect(),
                document: as_json(&form, format),
                ..Report::default()
            })
        }
    });
    Output::new("show", arguments.json).report(shown)
}

/// A template in lines: its head, and each key with what it means.
fn keys(template: &Value) -> Vec<String> {
    let [id, version, revision, language] =
        ["schema_id", "version", "revision", "language"].map(|name| text(&template[name]));
    let mut lines = vec![format!("{id} {version}, revision {revision}, in {language}")];
    for key in items(template, "keys") {
        let marks = ["required", "experimental", "deprecated", "sensitive"].into_iter();
        let marks = marks
            .filter(|mark| key.get(mark).is_some_and(|set| set != false))
            .map(|mark| format!(", {mark}"));
        let marks: String = marks.collect();
        lines.push(format!(
            "  {}  ({}{marks})",
            text(&key["key_name"]),
            text(&key["key_type"])
        ));
        let told = ["semantic_description", "constraints"]
            .into_iter()
            .filter_map(|member| key.get(member));
        lines.extend(told.map(|told| format!("      {}", text(told))));
    }
    lines
}

/// Writes a form of a template into a file, where it holds anything else.
pub fn pull(arguments: &PullArguments) -> ExitStatus {
    Output::new("pull", arguments.json).report(pulled(arguments))
}

fn pulled(arguments: &PullArguments) -> Result<Report, Trouble> {
    let PullArguments {
        which,
        format,
        out,
        json: _,
    } = arguments;
    let service = Service::open(&which.whom)?;
    let form = service.wait(which.form(&service, format))?;
    let content = format!("{}{}", head(format, &form), form.text);
    let is_same = std::fs::read(out).is_ok_and(|held| held == content.as_bytes());
    if !is_same {
        let wrong = |error| fault(format!("{} cannot be written: {error}", out.display()));
        text_file::replace(out, content.as_bytes()).map_err(wrong)?;
    }
    let done = if is_same { "is unchanged" } else { "is written" };
    let mut document = as_json(&form, format);
    document["file"] = json!(out.display().to_string());
    document["written"] = json!(!is_same);
    Ok(Report {
        lines: vec![format!("{} {done}: {}", out.display(), name(&form))],
        document,
        ..Report::default()
    })
}

/// What a form is of, in words.
fn name(form: &Form) -> String {
    let digest = form.digest.as_deref().map(|digest| format!(", {digest}"));
    plain(&format!(
        "{} {}, revision {}{}",
        form.schema_id,
        form.version,
        form.revision,
        digest.unwrap_or_default()
    ))
}

/// A comment that says what a form is of; none where the form has no comments, or, as `lark`, says at its head which dialect it is.
fn head(format: &str, form: &Form) -> String {
    let name = name(form);
    match format {
        "pydantic" | "gbnf" => format!("# {name}\n"),
        "typescript" | "zod" => format!("// {name}\n"),
        "markdown" => format!("<!-- {name} -->\n"),
        _ => String::new(),
    }
}

fn as_json(form: &Form, format: &str) -> Value {
    json!({"schema_id": form.schema_id, "version": form.version, "revision": form.revision, "digest": form.digest,
        "format": format, "text": form.text})
}

/// Says what changes, as it does, until it is interrupted.
pub fn watch(arguments: &WatchArguments) -> ExitStatus {
    let followed = Service::open(&arguments.which.whom).and_then(|service| {
        let scenario = arguments.which.scenario(&service);
        service.wait(async {
            let follow = async {
                let mut changes = scenario.changes().await?;
                loop {
                    let update = changes.next().await?;
                    match arguments.json {
                        true => cli::answer(&json!(update).to_string()),
                        false => changed(&update).iter().for_each(|line| cli::answer(line)),
                    }
                }
            };
            tokio::select! {
                ended = follow => ended,
                _ = tokio::signal::ctrl_c() => Ok::<(), Error>(()),
            }
        })
    });
    Output::new("watch", arguments.json).ended(followed.map(|()| ExitStatus::Well))
}

/// A change in lines.
fn changed(update: &Update) -> Vec<String> {
    let head = plain(&format!("{}  {}", update.revision, update.schema_id));
    let mut lines: Vec<String> = update
        .patches
        .iter()
        .map(|patch| {
            let keys = items(patch, "new_keys")
                .into_iter()
                .chain(items(patch, "modified_keys"));
            let keys: Vec<String> = keys.map(|key| text(&key["key_name"])).collect();
            format!(
                "{head}  {} is {} ({})",
                keys.join(", "),
                text(&patch["stage"]),
                text(&patch["patch_id"])
            )
        })
        .collect();
    let withdrawn = update.withdrawn_keys.iter();
    lines.extend(withdrawn.map(|key| format!("{head}  {} is withdrawn", plain(key))));
    if lines.is_empty() {
        lines.push(format!("{head}  the base changed"));
    }
    lines
}

impl Which {
    fn scenario(&self, service: &Service) -> otherwise_client::Scenario {
        let mut scenario = service.scenario(&self.scenario, self.version.as_deref());
        scenario.language.clone_from(&self.language);
        scenario
    }

    async fn form(&self, service: &Service, format: &str) -> Result<Form, Error> {
        self.scenario(service).form(format).await
    }
}

#[cfg(test)]
mod tests {
    use otherwise_client::Update;
    use serde_json::json;

    use super::changed;
    use super::hosted;
    use super::keys;

    #[test]
    fn what_is_hosted_shown_and_watched_steers_no_terminal() {
        let row = json!({"scenario": "tram", "schema_id": "tram_v1", "version": "1.0.0", "revision": 3, "description": "A\u{1b}[2J ride."});
        assert_eq!(
            hosted(&row),
            "tram                     tram_v1 1.0.0, revision 3  A [2J ride."
        );
        let template = json!({"schema_id": "tram_v1", "version": "1.0.0", "revision": 3, "language": "en", "keys": [
            {"key_name": "zone", "key_type": "string", "required": true, "semantic_description": "Zone\u{202e}."},
            {"key_name": "pram", "key_type": "boolean", "required": false, "semantic_description": "Pram.", "experimental": true}]});
        assert_eq!(
            keys(&template),
            [
                "tram_v1 1.0.0, revision 3, in en",
                "  zone  (string, required)",
                "      Zone .",
                "  pram  (boolean, experimental)",
                "      Pram.",
            ]
        );
        let patch = json!({"patch_id": "tram.p1", "stage": "stable", "new_keys": [{"key_name": "pr\u{7}am"}]});
        let mut update = Update {
            revision: 4,
            schema_id: "tram_v1".to_owned(),
            patches: vec![patch],
            withdrawn_keys: vec!["old".to_owned()],
        };
        assert_eq!(
            changed(&update),
            ["4  tram_v1  pr am is stable (tram.p1)", "4  tram_v1  old is withdrawn"]
        );
        update.patches.clear();
        update.withdrawn_keys.clear();
        assert_eq!(changed(&update), ["4  tram_v1  the base changed"]);
    }
}

//! `otherwise list`, `show` and `pull`: what a running service hosts, and the templates that it serves.
//!
//! Invariant: what goes to a file or a pipe goes there as it came.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use otherwise_client::Form;
use otherwise_client::address::query;
use serde_json::Value;
use serde_json::json;

use crate::adapters::text_file;
use crate::cli::ExitStatus;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::remote::Service;
use crate::cli::remote::Which;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::line;
use crate::cli::remote::line_if;
use crate::cli::remote::plain;
use crate::cli::remote::told;
use crate::cli::versions::outlook;
use crate::cli::versions::standing;
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
}

/// What is shown.
#[derive(Clone, Debug, Args)]
pub struct ShowArguments {
    #[command(flatten)]
    which: Which,
    /// The form; without it the keys are told in lines.
    #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(NAMES))]
    format: Option<String>,
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
}

/// Lists what is hosted.
pub fn list(arguments: &ListArguments) -> ExitStatus {
    let ListArguments {
        whom,
        query: wish,
        label,
    } = arguments;
    let asked = query([
        ("limit", Some(PAGE)),
        ("q", wish.as_deref()),
        ("label", label.as_deref()),
    ]);
    let ask = |service: &Service| service.listed(&format!("/v1/scenarios{asked}"), "scenarios");
    whom.tell("list", ask, |listed| {
        items(listed, "scenarios").iter().map(hosted).collect()
    })
}

/// A scenario in a line.
fn hosted(row: &Value) -> String {
    let frozen = if row["frozen"].is_object() { ", frozen" } else { "" };
    let description = line_if("  {description}", row, "description").unwrap_or_default();
    let head = line("{scenario:24} {schema_id} {version}, revision {revision}", row);
    format!("{head}{frozen}{description}")
}

/// Shows a template: its keys in lines, or a form of it.
pub fn show(arguments: &ShowArguments) -> ExitStatus {
    let ShowArguments { which, format } = arguments;
    which.of.whom.report("show", |service| match format {
        None => {
            let template = service.wait(which.scenario(service).template())?;
            let mut report = told(template.answer.json(), keys);
            let standing = standing(service, which, &template);
            for (place, said) in outlook(&standing).iter().enumerate() {
                report.lines.insert(place + 1, format!("  {said}"));
            }
            report.document["standing"] = standing;
            Ok(report)
        }
        Some(format) => {
            let form = service.wait(which.scenario(service).form(format))?;
            let is_shown = std::io::stdout().is_terminal();
            let line = |line: &str| if is_shown { plain(line) } else { line.to_owned() };
            Ok(Report {
                lines: form.text.trim_end_matches('\n').split('\n').map(line).collect(),
                document: as_json(&form, format),
                told: lost(&form),
                ..Report::default()
            })
        }
    })
}

/// A template in lines: its head, and each key with what it means.
fn keys(template: &Value) -> Vec<String> {
    let mut told = vec![line(
        "{schema_id} {version}, revision {revision}, in {language}",
        template,
    )];
    for key in items(template, "keys") {
        let marks = ["required", "experimental", "deprecated", "sensitive"].into_iter();
        let marks = marks.filter(|mark| key.get(mark).is_some_and(|set| set != false));
        let marks: String = marks.map(|mark| format!(", {mark}")).collect();
        told.push(format!("{}{marks})", line("  {key_name}  ({key_type}", &key)));
        told.extend(line_if("      {semantic_description}", &key, "semantic_description"));
        told.extend(line_if("      {constraints}", &key, "constraints"));
    }
    told
}

/// Writes a form of a template into a file, where it holds anything else.
pub fn pull(arguments: &PullArguments) -> ExitStatus {
    arguments
        .which
        .of
        .whom
        .report("pull", |service| pulled(arguments, service))
}

fn pulled(arguments: &PullArguments, service: &Service) -> Result<Report, Trouble> {
    let PullArguments { which, format, out } = arguments;
    let form = service.wait(which.scenario(service).form(format))?;
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
        told: lost(&form),
        ..Report::default()
    })
}

/// What a form does not hold as the template does.
fn lost(form: &Form) -> Vec<String> {
    let lost = form.lost.iter();
    lost.map(|lost| format!("lost  {}", plain(lost))).collect()
}

/// What a form is of, in words.
fn name(form: &Form) -> String {
    let digest = form.digest.as_deref().map(|digest| format!(", {digest}"));
    let name = format!("{} {}, revision {}", form.schema_id, form.version, form.revision);
    plain(&(name + &digest.unwrap_or_default()))
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
        "format": format, "text": form.text, "lost": form.lost})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::hosted;
    use super::keys;

    #[test]
    fn what_is_hosted_and_shown_steers_no_terminal() {
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
    }
}

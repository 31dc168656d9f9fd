//! `otherwise export`: what is this template in a form that a decoder, a tool interface or a prompt takes?

use std::path::PathBuf;

use clap::ArgGroup;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::Value;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::document::publishable;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use schema::effective::EffectiveTemplate;
use schema::export::Export;
use schema::export::FORMS;
use schema::export::Form;
use schema::export::NAMES;
use schema::export::loss::Loss;
use schema::language;

/// What is written.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("form").args(["format", "all"]).required(true)))]
pub struct ExportArguments {
    /// The template (JSON), as it would be published; - for standard input.
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    /// The form.
    #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(NAMES))]
    format: Option<String>,
    /// Every form as a line: its tokens, its bytes and what it loses.
    #[arg(long)]
    all: bool,
    /// Language of the descriptions (BCP 47) [default: the template's own].
    #[arg(long, value_name = "TAG", value_parser = tag)]
    language: Option<String>,
    /// One JSON document on standard output, with the text of each export in it.
    #[arg(long)]
    json: bool,
}

/// Prints the export on standard output and what it loses on standard error; 1 when the template cannot be published.
pub fn run(arguments: &ExportArguments) -> ExitStatus {
    Output::new("export", arguments.json).report(perform(arguments))
}

fn perform(arguments: &ExportArguments) -> Result<Report, Trouble> {
    let template = publishable(&arguments.template)?;
    let forms: Vec<Form> = match arguments.format.as_deref().and_then(Form::parse) {
        Some(form) => vec![form],
        None => FORMS.to_vec(),
    };
    let effective = EffectiveTemplate::compose(&template, &[], 0);
    let language = arguments.language.as_deref();
    let exports = forms.into_iter().map(|form| effective.export(form, language, true));
    let exports: Vec<Export> = exports.collect();
    let mut report = Report::default();
    if let (Some(asked), Some(export)) = (language, exports.first())
        && !is_of(asked, &export.language)
    {
        let given = &export.language;
        let told = format!("otherwise: the template has no language {asked}; its descriptions are given in {given}");
        report.told.push(told);
    }
    if arguments.all {
        report.lines = table(&exports);
    } else if !arguments.json {
        let lost = exports.iter().flat_map(|export| &export.lost);
        report.told.extend(lost.map(|loss| format!("lost  {}", told(loss))));
        let texts = exports
            .iter()
            .map(|export| export.text.trim_end_matches('\n').to_owned());
        report.lines = texts.collect();
    }
    let listed: Vec<Value> = exports.iter().map(as_json).collect();
    report.document = json!({
        "schema_id": template.schema_id,
        "version": template.version().to_string(),
        "digest": effective.digest(language, true),
        "exports": listed,
    });
    Ok(report)
}

/// A language tag as it is typed.
fn tag(text: &str) -> Result<String, String> {
    if language::is_well_formed(text) {
        Ok(text.to_owned())
    } else {
        Err("a language tag as BCP 47 has it, such as en or pt-BR".to_owned())
    }
}

/// Whether what was given is a form of the language that was asked for.
fn is_of(asked: &str, given: &str) -> bool {
    let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    primary(asked) == primary(given)
}

fn as_json(export: &Export) -> Value {
    json!({
        "format": export.form.name(),
        "media_type": export.form.media_type(),
        "language": export.language,
        "tokens": export.tokens,
        "bytes": export.text.len(),
        "lost": export.lost,
        "text": export.text,
    })
}

/// A head, and a line for each form.
fn table(exports: &[Export]) -> Vec<String> {
    let mut lines = vec![format!("{:<24}{:>8}{:>9}  lost", "format", "tokens", "bytes")];
    for export in exports {
        let lost = match export.lost.as_slice() {
            [] => "nothing".to_owned(),
            lost => lost.iter().map(told).collect::<Vec<_>>().join(", "),
        };
        lines.push(format!(
            "{:<24}{:>8}{:>9}  {lost}",
            export.form.name(),
            export.tokens,
            export.text.len()
        ));
    }
    lines
}

fn told(loss: &Loss) -> String {
    format!("{} ({})", loss.path(), loss.effect.name())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::as_json;
    use super::table;
    use schema::effective::EffectiveTemplate;
    use schema::export::Form;
    use schema::template::SchemaTemplate;

    #[test]
    fn a_line_says_what_a_form_costs_and_loses() {
        let document = json!({"schema_id": "a_v1", "scenario": "a", "keys": [
            {"key_name": "price", "key_type": "number", "required": true, "semantic_description": "Price.",
             "constraints": {"multipleOf": 0.01}}]});
        let template = SchemaTemplate::parse(&document).expect("a template").0;
        let effective = EffectiveTemplate::compose(&template, &[], 0);
        let exports = [Form::JsonSchema, Form::JsonSchemaStrict].map(|form| effective.export(form, None, true));
        let lines = table(&exports);
        assert!(
            lines[1].starts_with("json-schema ") && lines[1].ends_with("  nothing"),
            "{lines:?}"
        );
        assert!(lines[2].ends_with("  price.multipleOf (unenforced)"), "{lines:?}");
        let document = as_json(&exports[1]);
        assert_eq!(
            document["lost"],
            json!([{"key_name": "price", "pointer": "/multipleOf", "keyword": "multipleOf", "effect": "unenforced"}])
        );
        assert_eq!(
            document["bytes"],
            json!(document["text"].as_str().expect("a text").len())
        );
    }
}

//! `otherwise import`: which template says what this schema, operation or tool says, and what is lost on the way?

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::adapters::text_file;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use schema::import::ImportFault;
use schema::import::Options;
use schema::import::finding::ImportFinding;
use schema::import::import_text;
use schema::lint;

/// What is imported.
#[derive(Clone, Debug, Args)]
pub struct ImportArguments {
    /// A JSON Schema, an OpenAPI document, or tools of MCP, OpenAI, Anthropic, Gemini or Bedrock (JSON); - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The operation of an OpenAPI document, by its operationId or as 'METHOD /path'.
    #[arg(long, value_name = "ID")]
    operation: Option<String>,
    /// The tool, by its name.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The part of the document that is imported, as a JSON pointer such as /components/schemas/Parcel.
    #[arg(long, value_name = "POINTER")]
    pointer: Option<String>,
    /// Import the schema as one key of this name, instead of its members as keys.
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    /// Scenario of the template [default: the name of the operation or tool, the title of the schema].
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// Id of the schema [default: the scenario and _v1].
    #[arg(long, value_name = "ID")]
    schema_id: Option<String>,
    /// One JSON document on standard output.
    #[arg(long)]
    json: bool,
}

/// Prints the template on standard output and the findings on standard error; 1 when the template
/// accepts or refuses what its source does not, or none can be made.
pub fn run(arguments: &ImportArguments) -> ExitStatus {
    Output::new("import", arguments.json).report(perform(arguments))
}

fn perform(arguments: &ImportArguments) -> Result<Report, Trouble> {
    let file = &arguments.file;
    let read = match cli::is_standard(file) {
        true => text_file::standard(),
        false => text_file::read(file),
    };
    let text = read.map_err(|error| usage(format!("{} cannot be read: {error}", file.display())))?;
    let options = Options {
        operation: arguments.operation.as_deref(),
        tool: arguments.tool.as_deref(),
        pointer: arguments.pointer.as_deref(),
        key: arguments.key.as_deref(),
        scenario: arguments.scenario.as_deref(),
        schema_id: arguments.schema_id.as_deref(),
        ..Options::default()
    };
    let imported = import_text(&text, &options)
        .map_err(|fault| Trouble::new(ending(&fault), format!("{}: {fault}", file.display())))?;
    let told = lint::lint(&imported.template, imported.advice.clone());
    let document = json!({
        "template": imported.template,
        "findings": imported.findings,
        "lint": {"score": told.score, "findings": told.findings},
    });
    let template = serde_json::to_string_pretty(&imported.template).map_err(fault)?;
    let lines = imported.findings.iter().map(line);
    Ok(Report {
        ending: match imported.differs() {
            true => ExitStatus::Findings,
            false => ExitStatus::Well,
        },
        told: if arguments.json { Vec::new() } else { lines.collect() },
        lines: vec![template],
        document,
    })
}

/// How the command ends without a template: wrong use, where other arguments would give one.
fn ending(fault: &ImportFault) -> ExitStatus {
    match fault {
        ImportFault::Ask(_) => ExitStatus::Usage,
        ImportFault::Unfit(_) => ExitStatus::Findings,
    }
}

/// A finding as a line.
fn line(finding: &ImportFinding) -> String {
    let at = Some(finding.pointer.as_str())
        .filter(|at| !at.is_empty())
        .unwrap_or("/");
    let key = finding
        .key_name
        .as_ref()
        .map(|key| format!(" ({key})"))
        .unwrap_or_default();
    format!("{:<10}  {at}{key}: {}", finding.effect.name(), finding.why)
}

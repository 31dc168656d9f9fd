//! Documents that lie in files, for the commands that look at them here or send them to a service.

use std::path::Path;

use serde_json::Value;
use serde_json::json;

use crate::adapters::text_file;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use engine::scenario::policy::Policy;
use schema::advice::Finding;
use schema::defect::Defect;
use schema::json_text;
use schema::template::SchemaTemplate;

/// What a file holds.
pub enum Document {
    Template(Box<SchemaTemplate>, Vec<Finding>),
    /// It cannot be published as it stands.
    Defective(Vec<Defect>, Value),
}

/// The text of a file, or of standard input.
///
/// # Errors
/// Why it cannot be read, with its name.
pub fn text(path: &Path) -> Result<String, Trouble> {
    let read = match cli::is_standard(path) {
        true => text_file::standard(),
        false => text_file::read(path),
    };
    read.map_err(|error| usage(format!("{} cannot be read: {error}", path.display())))
}

/// The text of a file that holds JSON, and what it says.
///
/// # Errors
/// Why it cannot be read, or is no JSON, with its name.
pub fn json(path: &Path) -> Result<(String, Value), Trouble> {
    let text = text(path)?;
    let document = json_text::read(&text).map_err(|why| usage(format!("{} is not JSON: {why}", path.display())))?;
    Ok((text, document))
}

/// Reads a template as publishing it would.
///
/// # Errors
/// As [`json`].
pub fn read(path: &Path) -> Result<Document, Trouble> {
    let (text, document) = json(path)?;
    let taken = document.get("policy").map(|policy| Policy::default().taking(policy));
    let (mut beside, more) = taken.map_or_else(Default::default, |taken| (taken.defects, taken.findings));
    beside.extend(json_text::defects(&text));
    Ok(match SchemaTemplate::parse(&document) {
        Ok((template, mut findings)) if beside.is_empty() => {
            findings.extend(more);
            Document::Template(Box::new(template), findings)
        }
        Ok(_) => Document::Defective(beside, document),
        Err(mut defects) => {
            defects.extend(beside);
            Document::Defective(defects, document)
        }
    })
}

/// Reads a template that can be published.
///
/// # Errors
/// Why it cannot be read, or what keeps it from being published.
pub fn publishable(path: &Path) -> Result<SchemaTemplate, Trouble> {
    match read(path)? {
        Document::Template(template, _) => Ok(*template),
        Document::Defective(defects, _) => {
            let why = format!("{} cannot be published", path.display());
            Err(Trouble {
                defects: defects.iter().map(|defect| json!(defect)).collect(),
                lines: told(&defects),
                ..Trouble::new(ExitStatus::Findings, why)
            })
        }
    }
}

/// One line for each defect.
pub fn told(defects: &[Defect]) -> Vec<String> {
    let line = |defect: &Defect| {
        let at = Some(defect.pointer.as_str()).filter(|at| !at.is_empty()).unwrap_or("/");
        format!("  defect  {at} ({}): {}", defect.requirement, defect.message)
    };
    defects.iter().map(line).collect()
}

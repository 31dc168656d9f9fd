//! `otherwise lint`: what would a publisher be told about these templates?

use std::path::PathBuf;

use clap::Args;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::document;
use crate::cli::document::Document;
use crate::cli::output::Output;
use crate::cli::output::Report;
use schema::advice::Finding;
use schema::lint;
use schema::lint::Lint;
use schema::lint::proof::sound_keys;
use schema::template::SchemaTemplate;

/// What is looked at.
#[derive(Clone, Debug, Args)]
pub struct LintArguments {
    /// Templates (JSON), as they would be published; - for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// End with 1 where a score is below this.
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u8).range(0..=100))]
    min_score: Option<u8>,
    /// One JSON document for all files on standard output.
    #[arg(long)]
    json: bool,
}

/// Prints each template's score and findings; 1 when one cannot be published or falls short of a score that was asked for, 2 when a file cannot be read,
/// which stops nothing for the others.
pub fn run(arguments: &LintArguments) -> ExitStatus {
    Output::new("lint", arguments.json).report(Ok(perform(arguments)))
}

fn perform(arguments: &LintArguments) -> Report {
    let mut report = Report::default();
    let mut documents: Vec<Value> = Vec::new();
    let mut unread: Vec<String> = Vec::new();
    for file in &arguments.files {
        let shown = file.display().to_string();
        let mut is_well = false;
        let document = match document::read(file) {
            Err(trouble) => {
                cli::tell(&format!("otherwise: {}", trouble.why));
                unread.push(trouble.why.clone());
                json!({"file": shown, "error": trouble.why})
            }
            Ok(Document::Defective(defects, whole)) => {
                let findings = sound_keys(&whole, &defects);
                report.lines.push(format!("{shown}: cannot be published"));
                report.lines.extend(document::told(&defects));
                if !findings.is_empty() {
                    let beside = "  found beside that, of keys without a defect:".to_owned();
                    report.lines.push(beside);
                    report.lines.extend(lines_of(&findings, &[]));
                }
                json!({"file": shown, "publishable": false, "defects": defects, "findings": findings})
            }
            Ok(Document::Template(template, findings)) => {
                let told = lint::lint(&template, findings);
                is_well = falls_not_short(&told, arguments.min_score);
                report.lines.extend(lines(&shown, &template, &told));
                let scores = told.key_scores.iter().map(|(name, score)| (name.clone(), json!(score)));
                json!({"file": shown, "publishable": true, "schema_id": template.schema_id,
                    "version": template.version().to_string(), "score": told.score,
                    "key_scores": scores.collect::<Map<String, Value>>(), "findings": told.findings})
            }
        };
        if !is_well {
            report.ending = ExitStatus::Findings;
        }
        documents.push(document);
    }
    report.document = json!({ "files": documents });
    if !unread.is_empty() {
        report.ending = ExitStatus::Usage;
        report.document["error"] = json!(unread.join("; "));
    }
    report
}

fn falls_not_short(told: &Lint, min_score: Option<u8>) -> bool {
    min_score.is_none_or(|least| told.score >= least)
}

/// A line for the template, and what is found of it.
fn lines(file: &str, template: &SchemaTemplate, told: &Lint) -> Vec<String> {
    let mut lines = vec![format!("{file}: {} scores {} of 100", template.schema_id, told.score)];
    lines.extend(lines_of(&told.findings, &told.key_scores));
    if told.findings.is_empty() {
        lines.push("  nothing to say".to_owned());
    }
    lines
}

/// A line for each key that has findings, with its score where it has one, and two or three for each finding.
fn lines_of(findings: &[Finding], key_scores: &[(String, u8)]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut key: Option<&str> = None;
    for finding in findings {
        if finding.key_name.as_deref() != key {
            key = finding.key_name.as_deref();
            let score = key_scores.iter().find(|(name, _)| Some(name.as_str()) == key);
            match (key, score) {
                (Some(name), Some((_, score))) => lines.push(format!("  {name}: {score}")),
                (Some(name), None) => lines.push(format!("  {name}")),
                (None, _) => {}
            }
        }
        let cost = match finding.cost {
            0 => "note".to_owned(),
            cost => format!("-{cost}"),
        };
        lines.push(format!(
            "    {cost:>4}  {} ({})",
            finding.rule.row().rule,
            finding.requirement
        ));
        lines.push(format!("          {}", finding.message));
        if let Some(suggestion) = &finding.suggestion {
            lines.push(format!("          better: {suggestion}"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::falls_not_short;
    use super::lines;
    use schema::lint;
    use schema::lint::Lint;
    use schema::template::SchemaTemplate;

    fn linted(text: &str) -> (SchemaTemplate, Lint) {
        let document = json!({"schema_id": "a_v1", "scenario": "a", "description": "Seats.", "keys": [
            {"key_name": "seat", "key_type": "string", "required": false, "semantic_description": text,
             "constraints": {"enum": ["window", "aisle"]}},
            {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "The rest."}]});
        let (template, findings) = SchemaTemplate::parse(&document).expect("a template");
        let told = lint::lint(&template, findings);
        (template, told)
    }

    #[test]
    fn a_finding_is_shown_with_its_rule_its_cost_and_what_is_better_z040() {
        let (template, told) = linted("A window or\u{200B} aisle seat.");
        assert_eq!(
            lines("a.json", &template, &told),
            [
                "a.json: a_v1 scores 36 of 100",
                "  seat: 36",
                "     -34  no_mapping_example (Z-040)",
                "          has no mapping example; add one from what users say, as `'two people' -> 2`",
                "     -30  hidden_characters (Z-170)",
                "          the description holds control, direction or invisible characters",
                "          better: {\"semantic_description\":\"A window or aisle seat.\"}",
            ]
        );
        let (template, told) = linted("A window or aisle seat: 'by the window' -> 'window'.");
        assert_eq!(
            lines("a.json", &template, &told),
            ["a.json: a_v1 scores 100 of 100", "  nothing to say"]
        );
    }

    #[test]
    fn the_least_score_decides_at_its_edge_z040() {
        let (_, told) = linted("A window or aisle seat.");
        assert!(falls_not_short(&told, None), "a finding is no fault");
        assert!(falls_not_short(&told, Some(66)) && !falls_not_short(&told, Some(67)));
        let (_, told) = linted("A window or aisle seat: 'by the window' -> 'window'.");
        assert!(falls_not_short(&told, None) && falls_not_short(&told, Some(100)));
    }
}

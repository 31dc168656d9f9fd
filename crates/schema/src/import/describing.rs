//! A key's description out of what a source says of it: its own text, what is said of its members, and examples.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::export::wording;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::shape::About;
use crate::rule::Rule;

/// Characters of a description with what is said of members: what is longer is not linted, and every client pays for it.
const CHARS_MAX: usize = 2_000;
/// Examples of one key that are taken over, and characters of one.
const EXAMPLES_MAX: usize = 3;
const EXAMPLE_CHARS_MAX: usize = 100;

/// The description; `said` is what is said of members, by where they are.
pub fn description(
    name: &str,
    about: &About,
    said: &[(String, String)],
    rule: &Rule,
    findings: &mut Findings,
) -> String {
    let text = own(name, about, findings);
    let mut sentences = Vec::new();
    let mut left: Vec<&str> = Vec::new();
    let mut chars = text.chars().count();
    let mut members = Vec::new();
    for (path, told) in said {
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let member = match path.as_str() {
            "[]" => format!("each element: {}", told.trim_end_matches('.')),
            path => format!("`{path}`: {}", told.trim_end_matches('.')),
        };
        chars += member.chars().count() + 2;
        if chars > CHARS_MAX {
            left.push(path);
        } else {
            members.push(member);
        }
    }
    if !members.is_empty() {
        sentences.push(format!("In it {}.", members.join("; ")));
    }
    if !left.is_empty() {
        let why = format!(
            "a description has room for {CHARS_MAX} characters; what is said of {} of its members is left out",
            left.len()
        );
        findings.note(Effect::LeftOut, &about.pointer, "description", why);
    }
    sentences.extend(examples(about, rule, findings));
    wording::joined(&text, &sentences)
}

/// What the source says of the key itself, or its name as words.
fn own(name: &str, about: &About, findings: &mut Findings) -> String {
    let title = about.title.as_ref().filter(|title| !naming::says_the_same(title, name));
    match (&about.description, title) {
        (Some(description), title) => {
            if title.is_some_and(|title| !description.contains(title.as_str())) {
                findings.annotation(&pointer_to(&about.pointer, "title"), "title");
            }
            description.clone()
        }
        (None, Some(title)) => title.clone(),
        (None, None) => {
            let why = "the source does not say what it means: its name stands for a description until you write one";
            findings.repeat(Effect::Changed, &about.pointer, "description", why);
            format!("{}.", naming::words(name))
        }
    }
}

/// Examples as mappings, from what a user would write to the value; arrays and objects as they are.
fn examples(about: &About, rule: &Rule, findings: &mut Findings) -> Option<String> {
    let at = pointer_to(&about.pointer, "examples");
    let mut mappings = Vec::new();
    for example in &about.examples {
        let shown = match example {
            Value::String(text) => ['\'', '"', '`']
                .iter()
                .find(|quote| !text.contains(**quote))
                .map(|quote| {
                    let quoted = format!("{quote}{text}{quote}");
                    format!("{quoted} -> {quoted}")
                }),
            Value::Array(_) | Value::Object(_) | Value::Null => Some(example.to_string()),
            Value::Bool(_) | Value::Number(_) => Some(format!("'{example}' -> {example}")),
        };
        let fits = |shown: &String| shown.chars().count() <= EXAMPLE_CHARS_MAX && !shown.contains(char::is_control);
        match shown.filter(fits) {
            _ if !rule.accepts(example) => {
                findings.note(
                    Effect::LeftOut,
                    &at,
                    "examples",
                    "an example that the key refuses is left out",
                );
            }
            Some(shown) if mappings.len() < EXAMPLES_MAX => mappings.push(shown),
            _ => {
                let why = format!("{EXAMPLES_MAX} examples of at most {EXAMPLE_CHARS_MAX} characters are kept");
                findings.note(Effect::LeftOut, &at, "examples", why);
            }
        }
    }
    let head = if mappings.len() == 1 { "Example" } else { "Examples" };
    (!mappings.is_empty()).then(|| format!("{head}: {}.", mappings.join("; ")))
}

//! The description of a key, out of what a source says of it, of its members, and for examples.

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

/// The description; `said` is what is said of members, by where they are, and `unsaid` how many more are.
pub fn description(
    name: &str,
    about: &About,
    (said, unsaid): (&[(String, String)], usize),
    rule: &Rule,
    findings: &mut Findings,
) -> String {
    let at = &about.pointer;
    let text = about.text(name).cloned().unwrap_or_else(|| {
        let why = "the source does not say what it means: its name stands for a description until you write one";
        findings.note(Effect::Changed, at, "description", why);
        format!("{}.", naming::words(name))
    });
    let mut chars = text.chars().count();
    let mut members = Vec::new();
    for (path, told) in said {
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = told.trim_end_matches('.');
        let member = match path.as_str() {
            "[]" => format!("each element: {told}"),
            path => format!("`{path}`: {told}"),
        };
        chars += member.chars().count() + 2;
        members.extend((chars <= CHARS_MAX).then_some(member));
    }
    let left = said.len() - members.len() + unsaid;
    if left > 0 {
        let why = format!(
            "a description has room for {CHARS_MAX} characters; what is said of {left} of its members is left out"
        );
        findings.note(Effect::LeftOut, at, "description", why);
    }
    let members = (!members.is_empty()).then(|| format!("In it {}.", members.join("; ")));
    let fits = |shown: &String| shown.chars().count() <= EXAMPLE_CHARS_MAX;
    let right = about
        .examples
        .iter()
        .filter(|example| rule.accepts(example))
        .map(Value::to_string);
    let shown: Vec<String> = right.filter(fits).take(EXAMPLES_MAX).collect();
    if shown.len() < about.examples.len() {
        let why = format!("of what the key accepts {EXAMPLES_MAX} examples of {EXAMPLE_CHARS_MAX} characters are kept");
        findings.note(Effect::LeftOut, &pointer_to(at, "examples"), "examples", why);
    }
    let head = if shown.len() == 1 { "Example" } else { "Examples" };
    let examples = (!shown.is_empty()).then(|| format!("{head}: {}.", shown.join("; ")));
    let sentences: Vec<String> = members.into_iter().chain(examples).collect();
    wording::joined(&text, &sentences)
}

//! The template's own texts — description, owner, labels — which stand at the head of every prompt and listing: do they hide
//! anything, or speak to a model (Z-170)?

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::catalogue;
use crate::defect::pointer_to;
use crate::lint::guard;
use crate::template::SchemaTemplate;
use crate::unsafe_text;

/// Looks at each text that concerns no key.
pub fn look(template: &SchemaTemplate, findings: &mut Vec<Finding>) {
    if let Some(text) = &template.description {
        findings.extend(told("description", text));
    }
    if let Some(owner) = template.unknown.get(catalogue::OWNER).and_then(Value::as_str) {
        findings.extend(told(catalogue::OWNER, owner));
    }
    let labels = template.unknown.get(catalogue::LABELS).and_then(Value::as_object);
    for (name, value) in labels.into_iter().flatten() {
        findings.extend(of_label(name, value.as_str().unwrap_or_default()));
    }
}

/// What is said of one member that holds a text.
fn told(member: &str, text: &str) -> Vec<Finding> {
    faults(
        &pointer_to("", member),
        &format!("`{member}`"),
        text,
        |clean| json!({ member: clean }),
    )
}

/// What is said of a label: its name is read as well as its value.
fn of_label(name: &str, value: &str) -> Vec<Finding> {
    let at = pointer_to(&pointer_to("", catalogue::LABELS), name);
    let of = |labels: Map<String, Value>| json!({ catalogue::LABELS: labels });
    let mut found = faults(&at, "a label's value", value, |clean| {
        of(Map::from_iter([(name.to_owned(), json!(clean))]))
    });
    found.extend(faults(&at, "a label's name", name, |clean| {
        let renamed = clean
            .filter(|clean| !clean.is_empty())
            .map(|clean| (clean, json!(value)));
        of([(name.to_owned(), Value::Null)].into_iter().chain(renamed).collect())
    }));
    found
}

/// What is wrong with one text; `patch` makes a suggestion of the better one, which is none where nothing is left of it.
fn faults(at: &str, what: &str, text: &str, patch: impl Fn(Option<String>) -> Value) -> Vec<Finding> {
    let mut found = Vec::new();
    if unsafe_text::hides(text) {
        let clean = Some(unsafe_text::shown(text)).filter(|clean| !clean.trim().is_empty());
        found.push(Finding {
            suggestion: Some(patch(clean)),
            ..Finding::new(
                Advice::HiddenCharacters,
                at,
                format!("{what} holds control, direction or invisible characters"),
            )
        });
    }
    if guard::speaks(text) {
        let message = format!("{what} reads like an order to a model, or like markup; it stands in every prompt");
        found.push(Finding::new(Advice::SpeaksToModel, at, message));
    }
    found
}

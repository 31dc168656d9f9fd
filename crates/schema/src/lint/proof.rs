//! Is a suggestion honest: is the document with it a template still, and its finding gone (Z-040)?
//!
//! Tries each: a key's in a template of that key alone, a template's in the template. What does not hold is not shown.

use serde_json::Value;
use serde_json::json;

use crate::advice::Finding;
use crate::annotation;
use crate::lint;
use crate::lint::place_of;
use crate::template::SchemaTemplate;

/// Suggestions for the template itself that are tried; each costs a look at the whole template.
const OF_TEMPLATE_MAX: usize = 8;

/// Takes away each suggestion that does not hold.
pub fn prove(template: &SchemaTemplate, findings: &mut [Finding]) {
    if findings.iter().all(|finding| finding.suggestion.is_none()) {
        return;
    }
    let document = serde_json::to_value(template).unwrap_or_default();
    let mut of_template = 0;
    for finding in findings {
        let Some(suggestion) = &finding.suggestion else {
            continue;
        };
        let holds = match place_of(&finding.pointer) {
            Some(place) => alone(&document, place).is_some_and(|own| mends(own, "/keys/0", suggestion, finding)),
            None => {
                of_template += 1;
                of_template <= OF_TEMPLATE_MAX && mends(document.clone(), "", suggestion, finding)
            }
        };
        if !holds {
            finding.suggestion = None;
        }
    }
}

/// A document with the one key, and with what of the template matters to it.
fn alone(document: &Value, place: usize) -> Option<Value> {
    let key = document.get("keys")?.get(place)?;
    let mut own =
        json!({"schema_id": document.get("schema_id")?, "scenario": document.get("scenario")?, "keys": [key]});
    for member in ["language", annotation::SWITCH] {
        if let Some(value) = document.get(member) {
            own[member] = value.clone();
        }
    }
    Some(own)
}

/// Whether the document, with the suggestion for what lies at a pointer, is a template without the finding.
fn mends(mut document: Value, at: &str, suggestion: &Value, finding: &Finding) -> bool {
    if let Some(target) = document.pointer_mut(at) {
        json_patch::merge(target, suggestion);
    }
    let Ok((template, read)) = SchemaTemplate::parse(&document) else {
        return false;
    };
    let same = |other: &Finding| other.rule == finding.rule && within(&other.pointer) == within(&finding.pointer);
    !lint::found(&template, read).iter().any(same)
}

/// What a pointer says below its key, whichever place that has.
fn within(pointer: &str) -> &str {
    let below = pointer.strip_prefix("/keys/").and_then(|rest| rest.split_once('/'));
    below.map_or(pointer, |(_, below)| below)
}

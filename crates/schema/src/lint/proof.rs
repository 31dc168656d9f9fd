//! Parts of a document that are looked at by themselves: is a suggestion honest, that is, is the document with it a template still, and its
//! finding gone; and what is found of the keys of a template that cannot be published, of those that nothing is wrong with (Z-040)?
//!
//! Tries each suggestion: a key's in a template of that key alone, a template's in the template. What does not hold is not shown.
//! Gives no score to what has a defect. Invariant: a pointer leads into the document as it was given.

use serde_json::Value;
use serde_json::json;

use crate::advice::Finding;
use crate::annotation;
use crate::defect::Defect;
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
            Some(place) => {
                let key = std::slice::from_ref(&document["keys"][place]);
                mends(of_keys(&document, key, |_| true), "/keys/0", suggestion, finding)
            }
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

/// A document with these keys alone, and with what of the template matters to them.
fn of_keys(document: &Value, keys: &[Value], is_sound: impl Fn(&str) -> bool) -> Value {
    let mut own = json!({"schema_id": "some_v1", "scenario": "some", "keys": keys});
    for member in ["language", annotation::SWITCH] {
        if let Some(value) = document.get(member).filter(|_| is_sound(&format!("/{member}"))) {
            own[member] = value.clone();
        }
    }
    own
}

/// The findings of a defective document's keys, but for those that have a defect themselves.
pub fn sound_keys(document: &Value, defects: &[Defect]) -> Vec<Finding> {
    let is_sound = |pointer: &str| {
        let below = format!("{pointer}/");
        let is_its = |defect: &Defect| defect.pointer == pointer || defect.pointer.starts_with(&below);
        !defects.iter().any(is_its)
    };
    let keys = document.get("keys").and_then(Value::as_array).into_iter().flatten();
    let sound = keys
        .cloned()
        .enumerate()
        .filter(|(place, _)| is_sound(&format!("/keys/{place}")));
    let (places, sound): (Vec<usize>, Vec<Value>) = sound.unzip();
    let Ok((template, read)) = SchemaTemplate::parse(&of_keys(document, &sound, is_sound)) else {
        return Vec::new();
    };
    let of_key = |mut finding: Finding| {
        let own = places.get(place_of(&finding.pointer)?)?;
        finding.pointer = format!("/keys/{own}/{}", within(&finding.pointer));
        Some(finding)
    };
    lint::lint(&template, read)
        .findings
        .into_iter()
        .filter_map(of_key)
        .collect()
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

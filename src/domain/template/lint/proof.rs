//! Is a suggestion honest: does it mend its finding, and is the template, with it, no worse than before (Z-040)?
//!
//! Tries each: a key's in a template of that key alone, a template's in the template. What does not hold is not shown. One that
//! leaves gaps is tried as if they were filled, which its author alone can do.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::annotation;
use crate::domain::template::defect::Finding;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint;
use crate::domain::template::lint::TEXT;
use crate::domain::template::lint::gap;
use crate::domain::template::lint::place_of;
use crate::domain::template::name::OTHER;
use crate::domain::template::schema::SchemaTemplate;

/// Suggestions for the template itself that are tried; each costs a look at the whole template.
const OF_TEMPLATE_MAX: usize = 8;

/// Takes away each suggestion that does not hold.
pub fn prove(template: &SchemaTemplate, findings: &mut [Finding]) {
    let document = serde_json::to_value(template).unwrap_or_default();
    let texts: BTreeSet<&str> = template
        .keys
        .iter()
        .map(|key| key.semantic_description.trim())
        .collect();
    let mut told: BTreeMap<usize, u32> = BTreeMap::new();
    for finding in findings.iter() {
        if let Some(place) = place_of(&finding.pointer) {
            *told.entry(place).or_default() += u32::from(finding.cost);
        }
    }
    let mut before: BTreeMap<usize, u32> = BTreeMap::new();
    let mut of_template = 0;
    for finding in findings.iter_mut() {
        let Some(suggestion) = &finding.suggestion else {
            continue;
        };
        let key = place_of(&finding.pointer).and_then(|place| Some((place, template.keys.get(place)?)));
        let holds = match key {
            Some((_, key)) if key.key_name.as_str() == OTHER => true,
            Some((place, key)) => {
                let own = alone(&document, place);
                // A member that was there and empty is not there any more, and may cost what it did not.
                let told = told.get(&place).copied().unwrap_or(0);
                let cost = *before
                    .entry(place)
                    .or_insert_with(|| own.as_ref().map_or(0, cost).min(told));
                let is_new = *suggestion != json!({ TEXT: key.semantic_description });
                own.is_some_and(|own| {
                    is_new && keeps_apart(key, suggestion, &texts) && mends(&own, "/keys/0", suggestion, finding, cost)
                })
            }
            None => {
                of_template += 1;
                of_template <= OF_TEMPLATE_MAX && mends(&document, "", suggestion, finding, cost(&document))
            }
        };
        if !holds {
            finding.suggestion = None;
        }
    }
}

/// A document with the one key, and with what of the template matters to it.
pub fn alone(document: &Value, place: usize) -> Option<Value> {
    let key = document.get("keys")?.get(place)?;
    let mut own =
        json!({"schema_id": document.get("schema_id")?, "scenario": document.get("scenario")?, "keys": [key]});
    let members = own.as_object_mut()?;
    for member in ["language", annotation::SWITCH] {
        if let Some(value) = document.get(member) {
            members.insert(member.to_owned(), value.clone());
        }
    }
    Some(own)
}

/// Whether a key that has a text of its own has one of its own with the suggestion.
fn keeps_apart(key: &KeyDefinition, suggestion: &Value, texts: &BTreeSet<&str>) -> bool {
    let better = suggestion.get(TEXT).and_then(Value::as_str);
    better.is_none_or(|better| better.trim() == key.semantic_description.trim() || !texts.contains(better.trim()))
}

/// Whether the document, with the suggestion for what lies at a pointer, lacks the finding and costs no more.
fn mends(document: &Value, at: &str, suggestion: &Value, finding: &Finding, cost: u32) -> bool {
    let mut better = document.clone();
    let Some(target) = better.pointer_mut(at) else {
        return false;
    };
    merge(target, suggestion);
    let Some(after) = findings_of(&better) else {
        return false;
    };
    let same = |other: &&Finding| other.rule == finding.rule && within(&other.pointer) == within(&finding.pointer);
    let text = better
        .pointer(at)
        .and_then(|target| target.get(TEXT))
        .and_then(Value::as_str);
    let closed = once_filled(&after, text.unwrap_or_default());
    !closed.iter().any(same) && closed.iter().map(|finding| u32::from(finding.cost)).sum::<u32>() <= cost
}

/// The findings that stay when the gaps of a text are filled.
fn once_filled<'f>(findings: &'f [Finding], text: &str) -> Vec<&'f Finding> {
    let open = gap::left_open(text);
    findings
        .iter()
        .filter(|finding| !open.contains(&finding.rule))
        .collect()
}

/// What is found of a document of one key costs once its gaps are filled.
pub fn cost_once_filled(document: &Value) -> Option<u32> {
    let text = document
        .pointer("/keys/0")
        .and_then(|key| key.get(TEXT))
        .and_then(Value::as_str);
    let findings = findings_of(document)?;
    let left = once_filled(&findings, text.unwrap_or_default());
    Some(left.iter().map(|finding| u32::from(finding.cost)).sum())
}

/// What a pointer says below its key, whichever place that has.
fn within(pointer: &str) -> &str {
    let below = pointer.strip_prefix("/keys/").and_then(|rest| rest.split_once('/'));
    below.map_or(pointer, |(_, below)| below)
}

fn cost(document: &Value) -> u32 {
    findings_of(document).map_or(0, |findings| sum(&findings))
}

/// What findings cost together.
fn sum(findings: &[Finding]) -> u32 {
    findings.iter().map(|finding| u32::from(finding.cost)).sum()
}

/// What is found of a document, with suggestions that are not tried yet; `None` where it is no template.
pub fn findings_of(document: &Value) -> Option<Vec<Finding>> {
    let (template, read) = SchemaTemplate::parse(document).ok()?;
    Some(lint::found(&template, read))
}

/// A merge patch, applied (RFC 7396).
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else { return };
    for (name, value) in patch {
        if value.is_null() {
            members.remove(name);
        } else {
            merge(members.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

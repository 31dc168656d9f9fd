//! One text for each key: where several findings suggest a description, all suggest the same, which answers all of them
//! (Z-040).
//!
//! Tries nothing that is suggested ([`crate::domain::template::lint::proof`] does). Invariant: no suggestion takes back what
//! another one of the same key says of its description.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::template::advice::Advice;
use crate::domain::template::defect::Finding;
use crate::domain::template::lint::TEXT;
use crate::domain::template::lint::place_of;
use crate::domain::template::lint::proof::alone;
use crate::domain::template::lint::proof::cost_once_filled;
use crate::domain::template::lint::proof::findings_of;
use crate::domain::template::lint::proof::merge;
use crate::domain::template::name::OTHER;
use crate::domain::template::schema::SchemaTemplate;

/// Gives every key one text, where its findings suggest several.
pub fn compose(template: &SchemaTemplate, findings: &mut [Finding]) {
    let mut document = None;
    for (place, _) in template
        .keys
        .iter()
        .enumerate()
        .filter(|(_, key)| key.key_name.as_str() != OTHER)
    {
        let mut of_key: Vec<&mut Finding> = findings
            .iter_mut()
            .filter(|finding| place_of(&finding.pointer) == Some(place))
            .collect();
        let mut texts: Vec<&Value> = of_key.iter().filter_map(|finding| text(finding)).collect();
        texts.dedup();
        if texts.len() < 2 {
            continue;
        }
        let document = document.get_or_insert_with(|| serde_json::to_value(template).unwrap_or_default());
        let apart = of_key.iter().find(|finding| finding.rule == Advice::SameDescription);
        let Some(better) = alone(document, place).and_then(|own| bettered(own, apart.map(|finding| &**finding))) else {
            continue;
        };
        for finding in of_key.iter_mut().filter(|finding| text(finding).is_some()) {
            if let Some(suggestion) = &mut finding.suggestion {
                suggestion[TEXT] = better.clone();
            }
        }
    }
}

/// The text that a finding suggests.
fn text(finding: &Finding) -> Option<&Value> {
    finding.suggestion.as_ref()?.get(TEXT).filter(|text| text.is_string())
}

/// The text of a template's one key with all that is suggested of it, one after another; what sets it apart from another key
/// is not seen in a template of this one, and comes first.
fn bettered(mut own: Value, apart: Option<&Finding>) -> Option<Value> {
    if let Some(suggestion) = apart.and_then(|finding| finding.suggestion.as_ref()) {
        merge(own.pointer_mut("/keys/0")?, suggestion);
    }
    let mut answered: BTreeSet<Advice> = BTreeSet::new();
    loop {
        let findings = findings_of(&own)?;
        let mut open = findings
            .iter()
            .filter(|finding| text(finding).is_some() && !answered.contains(&finding.rule));
        // A text in another language is said anew, with nothing left of what the others would mend.
        let next = open
            .clone()
            .find(|finding| finding.rule == Advice::LanguageMismatch)
            .or_else(|| open.next());
        let Some((finding, suggestion)) = next.and_then(|finding| Some((finding, finding.suggestion.as_ref()?))) else {
            return own.pointer(&format!("/keys/0/{TEXT}")).cloned();
        };
        answered.insert(finding.rule);
        let mut better = own.clone();
        merge(better.pointer_mut("/keys/0")?, suggestion);
        let costs = cost_once_filled(&better).zip(cost_once_filled(&own));
        if costs.is_some_and(|(after, before)| after <= before) {
            own = better;
        }
    }
}

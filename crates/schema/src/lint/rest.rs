//! What is found of the keys of a template that cannot be published: of those that nothing is wrong with.
//!
//! Gives no score, since what is wrong has none. Invariant: a pointer leads into the document as it was given.

use serde_json::Value;
use serde_json::json;

use crate::advice::Finding;
use crate::annotation;
use crate::defect::Defect;
use crate::lint::lint;
use crate::lint::place_of;
use crate::template::SchemaTemplate;

/// The findings of a defective document's keys, but for those that have a defect themselves.
pub fn findings(document: &Value, defects: &[Defect]) -> Vec<Finding> {
    let is_sound = |pointer: &str| {
        let below = format!("{pointer}/");
        !defects
            .iter()
            .any(|defect| defect.pointer == pointer || defect.pointer.starts_with(&below))
    };
    let keys = document.get("keys").and_then(Value::as_array);
    let (places, sound): (Vec<usize>, Vec<Value>) = keys
        .into_iter()
        .flatten()
        .cloned()
        .enumerate()
        .filter(|(place, _)| is_sound(&format!("/keys/{place}")))
        .unzip();
    let mut rest = json!({"schema_id": "rest_v1", "scenario": "rest", "keys": sound});
    for member in ["language", annotation::SWITCH] {
        if let Some(value) = document.get(member).filter(|_| is_sound(&format!("/{member}"))) {
            rest[member] = value.clone();
        }
    }
    let Ok((template, read)) = SchemaTemplate::parse(&rest) else {
        return Vec::new();
    };
    let of_key = |mut finding: Finding| {
        let place = place_of(&finding.pointer)?;
        let own = places.get(place)?;
        let below = finding.pointer.strip_prefix(&format!("/keys/{place}"))?;
        finding.pointer = format!("/keys/{own}{below}");
        Some(finding)
    };
    lint(&template, read).findings.into_iter().filter_map(of_key).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::findings;
    use crate::advice::Advice;
    use crate::template::SchemaTemplate;

    #[test]
    fn a_defect_of_one_key_hides_no_finding_of_another_z040() {
        let key = |name: &str, text: &str, constraints: serde_json::Value| {
            json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": text,
                "constraints": constraints})
        };
        let document = json!({"schema_id": "a v1", "scenario": "a", "language": "en", "keys": [
            key("code", "Code.", json!({"pattern": "^[A-Z$"})),
            key("colour", "Colour of the car. Example mapping: 'red' -> 'red'.", json!({})),
        ]});
        let defects = SchemaTemplate::parse(&document).expect_err("defects");
        let told = findings(&document, &defects);
        let said: Vec<(Advice, &str)> = told
            .iter()
            .map(|finding| (finding.rule, finding.pointer.as_str()))
            .collect();
        assert_eq!(said, [(Advice::NoAcceptableValues, "/keys/1/semantic_description")]);
        assert_eq!(told[0].key_name.as_deref(), Some("colour"));
        assert!(findings(&json!([]), &[]).is_empty());
    }
}

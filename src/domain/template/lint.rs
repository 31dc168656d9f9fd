//! The lint of a template's descriptions (Z-040): meaning, acceptable values, mapping examples.
//!
//! Refuses nothing. Gives a score from 0 to 100 and a finding for each thing that a description leaves out.

use crate::domain::template::defect::Finding;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::name::OTHER;
use crate::domain::template::schema::SchemaTemplate;

/// Characters below which a description says no more than a name does.
const MEANING_CHARS_MIN: usize = 12;
/// Words by which prose says which values are right.
const VALUE_CUES: [&str; 6] = [
    "acceptable values",
    "range:",
    "format",
    "iso 8601",
    "whether",
    "true or false",
];

/// What the lint found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// Share of what descriptions should say that they do say, in percent.
    pub score: u8,
    pub findings: Vec<Finding>,
}

/// Reads every description but that of `other`.
pub fn lint(template: &SchemaTemplate) -> Lint {
    let mut findings = Vec::new();
    let mut asked = 0_usize;
    for (place, key) in template
        .keys
        .iter()
        .enumerate()
        .filter(|(_, key)| key.key_name.as_str() != OTHER)
    {
        asked += 3;
        let mut missing = |message: &str| {
            findings.push(Finding {
                pointer: format!("/keys/{place}/semantic_description"),
                requirement: "Z-040".to_owned(),
                message: message.to_owned(),
            });
        };
        if key.semantic_description.trim().chars().count() < MEANING_CHARS_MIN {
            missing("says too little of what the key means; write what it is for the business, in a sentence");
        }
        if !says_values(key) {
            missing(
                "says nothing of acceptable values; add \"Acceptable values: a, b, c.\", \"Range: 1-9.\" or a format",
            );
        }
        if !says_example(key) {
            missing("has no mapping example; add \"Example mapping: 'two people' -> 2.\" from what users say");
        }
    }
    let said = asked.saturating_sub(findings.len());
    let score = (said * 100)
        .checked_div(asked)
        .and_then(|score| u8::try_from(score).ok())
        .unwrap_or(100);
    Lint { score, findings }
}

fn says_values(key: &KeyDefinition) -> bool {
    let text = key.semantic_description.to_lowercase();
    key.key_type == KeyType::Boolean || !key.constraints.is_empty() || VALUE_CUES.iter().any(|cue| text.contains(cue))
}

fn says_example(key: &KeyDefinition) -> bool {
    key.semantic_description.contains("->") || key.semantic_description.contains('→')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lint;
    use crate::domain::template::schema::SchemaTemplate;

    fn template(descriptions: &[&str]) -> SchemaTemplate {
        let keys: Vec<_> = descriptions
            .iter()
            .enumerate()
            .map(|(n, text)| {
                json!({"key_name": format!("k{n}"), "key_type": "string", "required": false, "semantic_description": text})
            })
            .collect();
        let document = json!({"schema_id": "a_v1", "scenario": "a", "keys": keys});
        SchemaTemplate::parse(&document).expect("a template").0
    }

    #[test]
    fn meaning_values_and_examples_are_scored_each_z040() {
        let whole =
            "Cabin class preference. Acceptable values: economy, first. Example mapping: 'first class' -> 'first'.";
        assert_eq!(lint(&template(&[whole])).score, 100);
        let no_example = "Cabin class preference. Acceptable values: economy, first.";
        let found = lint(&template(&[whole, no_example]));
        assert_eq!((found.score, found.findings.len()), (83, 1));
        assert_eq!(found.findings[0].pointer, "/keys/1/semantic_description");
        let no_values = "Cabin class preference of the user. Example: 'first class' -> 'first'.";
        assert_eq!(lint(&template(&[no_values])).findings.len(), 1);
        assert_eq!(lint(&template(&["Cabin."])).score, 0);
        assert_eq!(lint(&template(&[])).score, 100);
    }

    #[test]
    fn the_drafts_own_flight_template_says_nearly_everything_z040() {
        let document = serde_json::from_str(include_str!("../../../schemas/flight_booking_v1.json")).expect("JSON");
        let (flight, _) = SchemaTemplate::parse(&document).expect("a template");
        assert_eq!(lint(&flight).score, 100, "{:?}", lint(&flight).findings);
    }
}

//! A text to begin with, for a description that does not say what it should (Z-040): meaning, acceptable values, an example,
//! each fit for the key's type.
//!
//! Knows of a key no more than its name, its type and its constraints: what these do not say is left as a gap (`gap.rs`), and what
//! was written stays. Invariant (held by a test): the lint finds none of the three in it once its gaps are filled, and no example
//! that the key refuses.

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::announced::hinted;
use crate::domain::template::lint::example;
use crate::domain::template::lint::gap;
use crate::domain::template::lint::mapping;
use crate::domain::template::lint::meaning;
use crate::domain::template::lint::values;
use crate::domain::template::lint::with_sentence;

/// The description with what it lacks: what is known of the key, and a gap for what its author alone knows. Where it says more of
/// the values than is read, nothing is known of them: what would be said might contradict it. `None` where nothing is left to add.
pub fn better(key: &KeyDefinition) -> Option<String> {
    let said = key.semantic_description.trim();
    let mut text = if !meaning::says_too_little(key) {
        said.to_owned()
    } else if meaning::repeats_name(key) {
        gap::meaning(key)
    } else {
        with_sentence(said, &gap::meaning(key))
    };
    if !values::says_values(key) {
        let form = values::meant_form(key).filter(|_| is_read(key));
        let sentence = form.map_or_else(|| gap::of_values(key.key_type), |form| form.sentence.to_owned());
        text = with_sentence(&gap::unmarked(&text), &sentence);
    }
    if !mapping::has_arrow(&text) {
        let example = example::example(key).unwrap_or_else(|| gap::example(key.key_type));
        text = with_sentence(&text, &example);
    }
    (text != said).then(|| meaning::fitted(text))
}

/// Whether all that a description says of the values is read.
fn is_read(key: &KeyDefinition) -> bool {
    let formed = values::as_formed(key);
    !announced::is_unread(&formed) && !hinted::is_formed(&formed)
}

/// The description behind a gap for what sets it apart from the one of another key.
pub fn apart(key: &KeyDefinition, other: &str) -> String {
    with_sentence(&gap::difference(key, other), &key.semantic_description)
}

/// A description anew around what is left of one, which may say nothing of what is meant.
pub fn anew(key: &KeyDefinition, left: &str, english: bool) -> String {
    let left = left.trim();
    let mut of_left = key.clone();
    left.clone_into(&mut of_left.semantic_description);
    let text = if english && !left.is_empty() && meaning::says_too_little(&of_left) {
        better(&of_left).unwrap_or_default()
    } else {
        completed(key, left.to_owned(), english)
    };
    if text.is_empty() {
        gap::meaning(key)
    } else if english && !left.is_empty() && meaning::is_form_alone(left) {
        with_sentence(&gap::meaning(key), &text)
    } else {
        text
    }
}

/// A text that stands in the description's place, with what it lacks where drafts are in its language and all of it is read.
pub fn completed(key: &KeyDefinition, text: String, english: bool) -> String {
    let mut described = key.clone();
    described.semantic_description = text;
    let better = better(&described).filter(|_| english && is_read(&described));
    better.unwrap_or(described.semantic_description)
}

/// The name as words.
pub fn words(key: &KeyDefinition) -> String {
    key.key_name.as_str().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use crate::domain::template::advice::Advice;
    use crate::domain::template::lint::lint;
    use crate::domain::template::schema::SchemaTemplate;

    const MAIN: [Advice; 3] = [Advice::TooShort, Advice::NoAcceptableValues, Advice::NoMappingExample];

    /// What the lint says of a template of one key: rule and suggestion.
    fn told(key: &Value, language: &str) -> Vec<(Advice, Option<Value>)> {
        let document = json!({"schema_id": "a_v1", "scenario": "a", "language": language, "keys": [key]});
        let (template, read) = SchemaTemplate::parse(&document).expect("a template");
        let findings = lint(&template, read).findings;
        findings
            .into_iter()
            .map(|finding| (finding.rule, finding.suggestion))
            .collect()
    }

    #[test]
    fn each_main_finding_shows_a_better_text_that_has_none_of_them_but_by_a_gap_z040() {
        for key_type in ["string", "integer", "number", "boolean", "array"] {
            for said in [
                "Cabin.",
                "The cabin.",
                "Where the guest's cabin is on board",
                "Cabin -> x",
            ] {
                let key = json!({"key_name": "cabin", "key_type": key_type, "required": false,
                    "semantic_description": said});
                for (rule, suggestion) in told(&key, "en") {
                    if !MAIN.contains(&rule) {
                        continue;
                    }
                    let mut better = key.clone();
                    json_patch::merge(&mut better, &suggestion.unwrap_or_else(|| panic!("{key} {rule:?}")));
                    let text = better["semantic_description"].to_string();
                    let gap = |rule: &Advice| match rule {
                        Advice::TooShort => " means: …",
                        Advice::NoMappingExample => "'…' -> ",
                        _ if ["integer", "number"].contains(&key_type) => "Range: …",
                        _ => "Acceptable values: …",
                    };
                    let left = told(&better, "en");
                    let bad = |rule: &Advice| {
                        MAIN.contains(rule) && !text.contains(gap(rule))
                            || (*rule == Advice::ExampleRefused && !said.contains("->"))
                    };
                    assert!(!left.iter().any(|(rule, _)| bad(rule)), "{better} {left:?}");
                }
            }
        }
    }

    #[test]
    fn what_nothing_is_known_of_is_a_gap_that_scores_as_nothing_z040() {
        let text = "The book that the reader looks for.";
        let mut key = json!({"key_name": "isbn", "key_type": "string", "required": true, "semantic_description": text});
        let before = told(&key, "en");
        let drafted = format!("{text} Acceptable values: …. Example mapping: '…' -> '…'.");
        let patch = json!({ "semantic_description": drafted });
        assert_eq!(
            before[1..],
            [
                (Advice::NoAcceptableValues, Some(patch.clone())),
                (Advice::NoMappingExample, Some(patch.clone()))
            ]
        );
        json_patch::merge(&mut key, &patch);
        let rules = |told: &[(Advice, Option<Value>)]| told.iter().map(|(rule, _)| *rule).collect::<Vec<_>>();
        let after = told(&key, "en");
        assert_eq!(rules(&after), rules(&before));
        assert!(after.iter().all(|(_, suggestion)| suggestion.is_none()), "{after:?}");
        let twice = json!({"semantic_description": drafted.replace("….", "any ISBN-13 without hyphens.")
            .replace("'…' -> '…'", "'Dune' -> '9780441013593'")});
        json_patch::merge(&mut key, &twice);
        assert_eq!(told(&key, "en"), [(Advice::NoOther, None)]);
    }

    #[test]
    fn an_example_leads_to_what_the_key_takes_and_a_draft_is_in_its_language_z040_z041() {
        let key = |constraints: Value| {
            json!({"key_name": "due", "key_type": "string", "required": false, "constraints": constraints,
                "semantic_description": "By when the goods are to be there."})
        };
        let shown = |constraints: Value, language: &str| {
            let findings = told(&key(constraints), language);
            let missing = findings.into_iter().find(|(rule, _)| *rule == Advice::NoMappingExample);
            missing
                .expect("no example")
                .1
                .map(|patch| patch["semantic_description"].to_string())
        };
        assert!(shown(json!({"format": "date"}), "en").is_some_and(|text| text.contains("-> '2026-05-04'")));
        assert_eq!(shown(json!({"format": "date"}), "de"), None);
        for made_up in [
            json!({"pattern": "^[A-Z]{7}$"}),
            json!({"pattern": "^[0-9]{8}$"}),
            json!({"pattern": "^[0-9-]+$"}),
            json!({"pattern": "^.{10}$"}),
            json!({"minLength": 2, "maxLength": 2}),
        ] {
            let gap = shown(made_up.clone(), "en");
            assert!(gap.is_some_and(|text| text.contains("'…' -> '…'")), "{made_up}");
        }
    }
}

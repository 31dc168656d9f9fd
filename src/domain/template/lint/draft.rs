//! A text to begin with, for a description that does not say what it should (Z-040): meaning, acceptable values, an example,
//! each fit for the key's type.
//!
//! Knows of a key no more than its name, its type and its constraints, so that a publisher puts it right; what was written
//! stays in it. Invariant (held by a test): the lint finds none of the three in it but a missing example where one could only be
//! made up, and no example that the key refuses.

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::announced::hinted;
use crate::domain::template::lint::example;
use crate::domain::template::lint::mapping;
use crate::domain::template::lint::meaning;
use crate::domain::template::lint::values;
use crate::domain::template::lint::with_sentence;

/// The description with what it lacks, but for an example where none can be made that somebody could say; `None` where nothing is
/// left to add, and where the description says more of the values than is read: what would be added might contradict it.
pub fn better(key: &KeyDefinition) -> Option<String> {
    let formed = values::as_formed(key);
    if announced::is_unread(&formed) || hinted::is_formed(&formed) {
        return None;
    }
    let said = key.semantic_description.trim();
    let mut text = if !meaning::says_too_little(key) {
        said.to_owned()
    } else if meaning::repeats_name(key) {
        meant(key)
    } else {
        with_sentence(said, &meant(key))
    };
    if !values::says_values(key) {
        let sentence = values::meant_form(key).map_or_else(|| form(key.key_type), |form| form.sentence);
        text = with_sentence(&text, sentence);
    }
    if let Some(example) = example::example(key).filter(|_| !mapping::has_arrow(&text)) {
        text = with_sentence(&text, &example);
    }
    (text != said).then(|| meaning::fitted(text))
}

/// The description behind a sentence with the key's own name, which sets it apart from one with the same text.
pub fn apart(key: &KeyDefinition) -> String {
    with_sentence(&meant(key), &key.semantic_description)
}

/// A description anew around what is left of one, which may say nothing of what is meant.
pub fn anew(key: &KeyDefinition, left: &str, english: bool) -> String {
    let text = match left.trim() {
        left if english && left.is_empty() => meant(key),
        left if english && meaning::is_form_alone(left) => with_sentence(&meant(key), left),
        left => left.to_owned(),
    };
    completed(key, text, english)
}

/// A text that stands in the description's place, with what it lacks where drafts are in its language.
pub fn completed(key: &KeyDefinition, text: String, english: bool) -> String {
    let mut described = key.clone();
    described.semantic_description = text;
    let better = better(&described).filter(|_| english);
    better.unwrap_or(described.semantic_description)
}

/// The name as words.
pub fn words(key: &KeyDefinition) -> String {
    key.key_name.as_str().replace('_', " ")
}

fn meant(key: &KeyDefinition) -> String {
    let words = if key.key_type == KeyType::Boolean {
        example::thing(key)
    } else {
        words(key)
    };
    match key.key_type {
        KeyType::String => format!("The {words} that the user asks for."),
        KeyType::Integer | KeyType::Number => format!("The {words} that the user asks for, as a number."),
        KeyType::Boolean => format!("Whether the user asks for {words}: true where they do, false where they decline."),
        KeyType::Array => format!("Each {words} that the user asks for."),
        KeyType::Object => format!("What the user says of {words}, part by part."),
        KeyType::Null => format!("Stands for {words} and is never given."),
    }
}

fn form(key_type: KeyType) -> &'static str {
    match key_type {
        KeyType::String => "Format: free text, as the user says it.",
        KeyType::Integer => "Format: a whole number.",
        KeyType::Number => "Format: a number.",
        KeyType::Array => "Format: a list, with an element for each.",
        KeyType::Object => "Format: an object, with a member for each part.",
        KeyType::Boolean => "True or false.",
        KeyType::Null => "Format: null.",
    }
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
    fn each_main_finding_shows_a_better_text_that_has_none_of_them_z040() {
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
                    let left = told(&better, "en");
                    let bad = |rule: &Advice| {
                        MAIN.contains(rule) || (*rule == Advice::ExampleRefused && !said.contains("->"))
                    };
                    assert!(!left.iter().any(|(rule, _)| bad(rule)), "{better} {left:?}");
                }
            }
        }
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
            assert_eq!(shown(made_up.clone(), "en"), None, "{made_up}");
        }
    }
}

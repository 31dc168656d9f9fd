//! What holds of a template and of each of its keys (Z-028 … Z-059).

use serde_json::Value;
use serde_json::json;

use crate::probe::Probe;
use crate::rules;
use crate::template::Template;
use crate::transcript::Transcript;
use crate::verdict::Verdict;
use crate::verdict::fails;
use crate::verdict::holds;
use crate::verdict::none_wrong;
use crate::verdict::not_applicable;
use schema::key::KeyType;
use schema::name::OTHER;

rules! {
    "Z-028" (Negotiate) is_an_object;
    "Z-029" (Negotiate) |t, _| has_text(t, "schema_id");
    "Z-031" (Negotiate) |t, _| has_text(t, "scenario");
    "Z-032" (Negotiate) |t, _| match t.template()?.members.get("keys").and_then(Value::as_array) {
        None => fails("keys is missing or no array"),
        Some(keys) => holds(
            !keys.is_empty() && keys.iter().all(Value::is_object),
            "keys is empty, or holds something that is no object",
        ),
    };
    "Z-033" (Negotiate) |t, _| each_key(t, "without a key_name", |key| key["key_name"].is_string());
    "Z-034" (Negotiate) |t, _| each_key(t, "not snake_case", |key| key["key_name"].as_str().is_none_or(is_snake_case));
    "Z-035" (Negotiate) |t, _| {
        let mut names: Vec<&str> = t.template()?.names().collect();
        names.sort_unstable();
        let twice = names.windows(2).filter(|pair| pair.first() == pair.last());
        none_wrong(twice.filter_map(|pair| pair.first().copied()), "more than once")
    };
    "Z-036" (Negotiate) |t, _| each_key(t, "without a type of JSON Schema", |key| key["key_type"].as_str().is_some_and(is_type));
    "Z-039" (Negotiate) |t, _| each_key(t, "without a semantic_description", |key| has_words(&key["semantic_description"]));
    "Z-042" (Negotiate) |t, _| each_key(t, "without a boolean required", |key| key["required"].is_boolean());
    "Z-047" (Negotiate) |t, _| each_key(t, "with a default_value of another type", |key| {
        let default = &key["default_value"];
        default.is_null() || key["key_type"].as_str().is_none_or(|name| fits(default, name))
    });
    "Z-062" (Negotiate) |t, _| holds(t.template()?.key(OTHER).is_some(), "no key is named other");
    "Z-058" (Negotiate) |t, _| match t.template()?.key(OTHER) {
        None => not_applicable("no key is named other"),
        Some(other) => holds(other["required"] == false, "other does not say required: false"),
    };
    "Z-059-declared" (Negotiate) |t, _| match t.template()?.key(OTHER).map(|other| &other["key_type"]) {
        None => not_applicable("no key is named other"),
        Some(declared) => holds(
            declared == "string" || declared == "array",
            format!("other has the key_type {declared}"),
        ),
    };
}

fn is_an_object(transcript: &Transcript, probe: Probe) -> Verdict {
    let answered = transcript.answer(probe)?;
    if !answered.is_success() {
        return fails(format!("answered {}", answered.summary()));
    }
    let could_be = |found: Template<'_>| found.members.contains_key("keys") || found.text("schema_id").is_some();
    holds(
        answered.template().is_some_and(could_be),
        "what came is no object that could be a template",
    )
}

fn has_text(transcript: &Transcript, member: &str) -> Verdict {
    let text = transcript.template()?.text(member);
    holds(
        text.is_some_and(|text| !text.is_empty()),
        format!("{member} is missing, empty or no string"),
    )
}

/// A rule of each key.
fn each_key(transcript: &Transcript, wrong: &str, rule: fn(&Value) -> bool) -> Verdict {
    let misfits = misfits(&transcript.template()?.keys(), "key_name", rule);
    none_wrong(misfits.iter().map(String::as_str), wrong)
}

/// Those, by this member or by place, that do not follow a rule.
pub fn misfits(documents: &[&Value], member: &str, rule: fn(&Value) -> bool) -> Vec<String> {
    let wrong = documents.iter().enumerate().filter(|(_, document)| !rule(document));
    let name = |(place, document): (usize, &&Value)| match document[member].as_str() {
        Some(name) => name.to_owned(),
        None => format!("number {place}"),
    };
    wrong.map(name).collect()
}

/// A string with something in it.
pub fn has_words(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Words of small letters and digits with single underscores between, the first one beginning with a letter. The draft
/// bounds no length.
pub fn is_snake_case(name: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(word)
}

/// A type of JSON Schema by its own name; `float` is none (Z-038).
pub fn is_type(name: &str) -> bool {
    KeyType::parse(name).is_some_and(|read| read.name() == name)
}

/// Whether a value has a type, as JSON Schema has it: a whole number may be written as 1.0.
fn fits(value: &Value, name: &str) -> bool {
    KeyType::parse(name).is_none_or(|_| jsonschema::is_valid(&json!({ "type": name }), value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fits;
    use super::is_snake_case;
    use super::is_type;

    #[test]
    fn types_are_those_of_json_schema_z036_z038() {
        for name in ["string", "integer", "number", "boolean", "array", "object", "null"] {
            assert!(is_type(name), "{name}");
        }
        for name in ["float", "String", "int", "", "date"] {
            assert!(!is_type(name), "{name}");
        }
    }

    #[test]
    fn names_are_words_with_single_underscores_between_z034() {
        let long = "a".repeat(80);
        for name in ["a", "port", "port_of_call", "a1", "a_1", &long] {
            assert!(is_snake_case(name), "{name}");
        }
        for name in [
            "",
            "Port",
            "portOfCall",
            "1a",
            "_a",
            "a_",
            "a__b",
            "a-b",
            "a b",
            "hafen_ä",
        ] {
            assert!(!is_snake_case(name), "{name}");
        }
    }

    #[test]
    fn a_default_is_held_against_its_type_z047() {
        for (value, name, well) in [
            (json!(1), "integer", true),
            (json!(1.0), "integer", true),
            (json!(1.5), "integer", false),
            (json!(1.5), "number", true),
            (json!("1"), "number", false),
            (json!([]), "array", true),
            (json!({}), "array", false),
            (json!(true), "boolean", true),
            (json!("x"), "a type of its own", true),
        ] {
            assert_eq!(fits(&value, name), well, "{value} {name}");
        }
    }
}
